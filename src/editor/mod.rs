//! The application without a face: open documents, execute, undo, files, journal.
