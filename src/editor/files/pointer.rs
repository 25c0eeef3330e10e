//! What leads to the record of a save from the other folders in which files of its set lie.
//!
//! A record lies in one folder. Where links lead to files of its set in others, a small file there, named as a record
//! is, says where it is: whoever knows the map by other names waits for that save, and completes it, too, and nobody
//! takes what it needs for left over. It can only lead to a record, and a record reaches nothing but its own set.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::intent::{RECORD_LIMIT, free_record, is_record};
use super::staging::Staged;
use crate::editor::storage::{FolderKey, Storage, StorageAction, StorageError, StoredPath, folder_of, replace_file};

/// Newest version of the file that is understood.
const VERSION: u32 = 1;
/// Whether there are any. Elsewhere a path from a stranger's folder could ask another computer for what is there, with the user's password.
const ARE_KNOWN: bool = cfg!(unix);

/// Where a record is.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Pointer {
    version: u32,
    record: StoredPath,
}

impl Pointer {
    /// The whole path of a record; `None` if it is none.
    pub(super) fn record(&self) -> Option<&Path> {
        let record = &*self.record.0;
        (ARE_KNOWN && self.version == VERSION && record.is_absolute() && is_record(record)).then_some(record)
    }
}

/// The record that a file leads to, where it is one that leads to a record which is there.
pub(super) fn pointed_record(storage: &dyn Storage, path: &Path) -> Option<PathBuf> {
    let pointer: Pointer = serde_json::from_slice(&storage.read(path, RECORD_LIMIT).ok()?).ok()?;
    pointer.record().filter(|record| storage.exists(record).unwrap_or(false)).map(Path::to_path_buf)
}

/// Where pointers to a record belong: into the folder where the map really lies, in which everybody looks who knows it, and into those
/// of the files that change.
///
/// # Errors
/// If one of the folders cannot be looked at.
pub(super) fn pointers_for(storage: &dyn Storage, record: &Path, map: &Path, staged: &[Staged<'_>]) -> Result<Vec<PathBuf>, StorageError> {
    if !ARE_KNOWN {
        return Ok(vec![]);
    }
    let map = storage.place(map);
    let own = storage.folder_key(folder_of(record));
    let mut by_folder: BTreeMap<FolderKey, &Path> = BTreeMap::new();
    for target in std::iter::once(&*map).chain(staged.iter().map(|file| &*file.target)) {
        by_folder.entry(storage.folder_key(folder_of(target))).or_insert(target);
    }
    by_folder.remove(&own);
    by_folder.into_values().map(|target| free_record(storage, target)).collect()
}

/// Writes a pointer to a record, so that it lasts.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write_pointer(storage: &dyn Storage, path: &Path, record: &Path) -> Result<(), StorageError> {
    let pointer = Pointer { version: VERSION, record: StoredPath(storage.place(record)) };
    let json = serde_json::to_vec(&pointer).map_err(|error| StorageError::at(StorageAction::Write, path)(error.into()))?;
    replace_file(storage, path, &json)
}

/// The pointers to a record in the folders of these files.
pub(super) fn pointers_to<'a>(storage: &dyn Storage, record: &Path, files: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
    let folders: BTreeMap<FolderKey, &Path> = files.map(folder_of).map(|folder| (storage.folder_key(folder), folder)).collect();
    let place = storage.place(record);
    let leads_there = |path: &PathBuf| is_record(path) && pointed_record(storage, path).is_some_and(|pointed| pointed == place);
    folders.into_values().flat_map(|folder| storage.list(folder).unwrap_or_default()).filter(leads_there).collect()
}
