//! What tells that a leftover map was brought back already, where its journal stays all the same.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::editor::files::Stamps;
use crate::editor::journal::{frame, next_frame, note_path};
use crate::editor::storage::{Storage, StorageError, StoredPath, replace_file};

/// Largest note that is read.
const NOTE_LIMIT: u64 = 1 << 20;

/// A recovery whose journal stays. One file beside the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoveryNote {
    /// The map that was written, as a whole path; `None` where it was restored in a window.
    pub to: Option<StoredPath>,
    /// When, in seconds since 1970.
    pub at: u64,
    /// Why the journal stays.
    pub because: Vec<String>,
    /// The files of the map as they were then.
    pub stamps: Stamps,
}

impl RecoveryNote {
    /// The files of the map as they were then, by the paths that belong to `map`, which is another spelling of [`to`](Self::to).
    pub fn stamps_of(&self, map: &Path) -> Stamps {
        let name = |path: &PathBuf| map.with_file_name(path.file_name().unwrap_or_default());
        Stamps(self.stamps.0.iter().map(|(path, stamp)| (name(path), *stamp)).collect())
    }

    /// Whether it is about that map, whose files still are as they were then.
    pub fn still_holds(&self, storage: &dyn Storage, map: &Path) -> bool {
        // A file that cannot be looked at is as good as changed.
        self.to.as_ref().is_some_and(|to| to.0 == map) && self.stamps.first_changed(storage).is_ok_and(|changed| changed.is_none())
    }
}

/// Writes the note of a journal.
///
/// # Errors
/// If the file cannot be written.
pub fn write_note(storage: &dyn Storage, journal: &Path, note: &RecoveryNote) -> Result<(), StorageError> {
    replace_file(storage, &note_path(journal), &frame(note))
}

/// The note of a journal, where there is a whole one.
pub(super) fn read_note(storage: &dyn Storage, journal: &Path) -> Option<RecoveryNote> {
    // One that cannot be read says nothing: the journal has everything.
    let bytes = storage.read(&note_path(journal), NOTE_LIMIT).ok()?;
    next_frame(&bytes, 0).map(|(note, _)| note)
}
