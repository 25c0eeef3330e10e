//! Copies of journals that are kept before one is cut or written anew: what is in it may be of use to somebody.
//!
//! They end in `.damaged` and go after thirty days, as recovery sees to.

use std::path::{Path, PathBuf};

use crate::editor::storage::{Storage, StorageError, copy_file};

/// Copies a journal to a name of its own; answers it.
///
/// # Errors
/// If it cannot be read, or the copy not be written.
pub(super) fn put_aside(storage: &dyn Storage, journal: &Path) -> Result<PathBuf, StorageError> {
    let stem = journal.file_stem().unwrap_or_default().to_string_lossy();
    let mut number = 0_u32;
    let aside = loop {
        number += 1;
        let path = journal.with_file_name(format!("{stem}-old{number}.damaged"));
        // One that lies there is of an earlier time.
        if !storage.exists(&path)? {
            break path;
        }
    };
    copy_file(storage, journal, &aside)?;
    Ok(aside)
}
