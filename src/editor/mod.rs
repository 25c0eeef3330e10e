//! The application without a face: open documents, execute, undo, files, journal.

pub mod files;
pub mod journal;
pub mod paths;
pub mod recovery;
pub mod settings;
pub mod storage;
