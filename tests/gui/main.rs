//! The tests of the window: the whole program driven by its accessible names, and its pictures.
//!
//! Skipped, with a line that says so, where there is no graphics adapter; `REQUIRE_GPU=1` makes that a failure.

// A test stops where it fails; clippy.toml covers only functions under `#[test]`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod closing;
mod cursor;
mod drawing;
mod faults;
mod files;
mod keymap;
mod looks;
mod making;
mod menus;
mod names;
mod objects;
mod palette;
mod panels;
mod recovery;
mod render;
mod scope;
mod stations;
mod tools;
