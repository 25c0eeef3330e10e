//! What the tests of the window share: the whole window without a desktop, driven as a person drives it.
//!
//! A [`Window`] is the program's own window on files in a folder of its own. Jobs run at once, nothing is
//! remembered between sessions, and file dialogs are answered by a script. Widgets are found by their
//! accessible name, so what a test can reach a screen reader can reach too.

// A test stops where it fails; clippy.toml covers only functions under `#[test]`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod dialogs;
mod maps;
mod pointer;
mod tools_page;
mod window;

pub use dialogs::Script;
pub use maps::{flat, island, write_vxl};
pub use tools_page::{tools_page, unknown_notes};
pub use window::{Window, has_adapter};
