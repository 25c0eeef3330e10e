//! Behaviour of the whole crate without a window and without a graphics card.

// A test stops where it fails; clippy.toml covers only functions under `#[test]`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod architecture;
mod begun;
mod cli;
mod cli_convert;
mod cli_diff;
mod cli_export;
mod cli_kept;
mod cli_recover;
mod cli_recover_again;
mod editor;
mod examples;
mod gestures;
mod handwriting;
mod large_edits;
mod project_files;
mod recovery;
mod repeating;
mod rust_source;
mod saving;
mod selection;
#[cfg(feature = "gui")]
mod shaders;
mod ss14;
