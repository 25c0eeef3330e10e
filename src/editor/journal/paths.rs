//! The files of a journal: what they are called, and how they go.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::path::{Path, PathBuf};

use super::super::storage::{Storage, StorageError, clear_way, folder_of};
use super::aside::{remove_copies_of_none, started_from};
use crate::format::SIDECARS;

/// Ending of the name of an [`Origin`](super::Origin).
pub(super) const ORIGIN: &str = "origin";

/// The path of a new journal, another one at each call: processes of different containers may have the same number. `id` is that
/// of the map in this process.
pub fn journal_path(folder: &Path, map: Option<&Path>, at: u64, id: u32) -> PathBuf {
    let stem = map.and_then(Path::file_stem).map_or("new".into(), |stem| stem.to_string_lossy());
    let stem: String = stem.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).take(40).collect();
    let chance = RandomState::new().build_hasher().finish() as u32;
    folder.join(format!("{stem}-{at}-{}-{id}-{chance:08x}.journal", std::process::id()))
}

/// Deletes a journal with all that lies beside it under its name, and the copies that it starts from, where no other one does. The
/// journal goes first: without it the rest is nothing. The lock goes last: by it the next start finds what a kill leaves of the rest.
pub(in crate::editor) fn remove_journal(storage: &dyn Storage, path: &Path) -> Result<(), StorageError> {
    // Names of journals hold no dot but the last: nobody else's begin like this.
    let start = format!("{}.", path.file_stem().unwrap_or_default().to_string_lossy());
    let stem = started_from(storage, path);
    remove_if_there(storage, path)?;
    if let Ok(Some(stem)) = stem {
        remove_copies_of_none(storage, folder_of(path), &stem)?;
    }
    let is_rest = |ending: &str| is_beside_journal(ending) && !is_copy_beside_journal(ending) && ending != "lock";
    for other in storage.list(folder_of(path))? {
        let name = other.file_name().unwrap_or_default().to_string_lossy();
        if name.strip_prefix(&start).is_some_and(is_rest) {
            remove_if_there(storage, &other)?;
        }
    }
    remove_if_there(storage, &lock_path(path))
}

/// Deletes a file that others may have deleted.
pub(super) fn remove_if_there(storage: &dyn Storage, path: &Path) -> Result<(), StorageError> {
    match storage.remove(path) {
        Err(error) if error.is_not_found() => Ok(()),
        // A folder is not deleted: what is in it is none of ours.
        Err(error) => clear_way(storage, path).ok().flatten().map(drop).ok_or(error),
        removed => removed,
    }
}

/// Whether that is the ending of a file that belongs to a journal: not of a copy that somebody made of one.
pub(in crate::editor) fn is_beside_journal(ending: &str) -> bool {
    matches!(ending, "snapshot" | "recovered" | "lock") || is_copy_beside_journal(ending)
}

/// Whether that is the ending of a copy that the steps of a journal start from.
pub(super) fn is_copy_beside_journal(ending: &str) -> bool {
    matches!(ending, "base" | ORIGIN) || SIDECARS.iter().any(|sidecar| sidecar.suffix().strip_prefix('.') == Some(ending))
}

/// The recovery snapshot of a journal.
pub fn snapshot_path(journal: &Path) -> PathBuf {
    journal.with_extension("snapshot")
}

/// The file that tells that the map of a journal was brought back, though the journal stays.
pub(in crate::editor) fn note_path(journal: &Path) -> PathBuf {
    journal.with_extension("recovered")
}

/// The lock of a journal: held while its process lives.
pub(in crate::editor) fn lock_path(journal: &Path) -> PathBuf {
    journal.with_extension("lock")
}
