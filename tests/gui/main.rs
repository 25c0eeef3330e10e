//! The whole program driven by its accessible labels, and its pictures.

// A test stops where it fails; clippy.toml covers only functions under `#[test]`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod render;
