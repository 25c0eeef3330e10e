//! Spadework: a desktop voxel map editor for Ace of Spades.
//!
//! UI, command line and tests all make the same commands; `Editor::execute` turns a command into a
//! change of a copy-on-write document; undo, renderer and journal all live on changes.

pub mod check;
pub mod cli;
pub mod document;
pub mod edit;
pub mod editor;
pub mod format;
pub mod geom;
pub mod mesh;
#[cfg(feature = "gui")]
pub mod render;
pub mod terrain;
pub mod tool;
#[cfg(feature = "gui")]
pub mod ui;
pub mod voxel;
