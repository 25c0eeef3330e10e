//! The application without a face: open documents, execute, undo, files, journal.

pub mod files;
pub mod paths;
pub mod settings;
pub mod storage;
