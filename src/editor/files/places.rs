//! In which folders a map's files lie, where links lead to others, and claiming these: sets that change at once would mix.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{CLAIM_PAUSE, CLAIM_TRIES};
use crate::editor::storage::{FileLock, Storage, StorageAction, StorageError, folder_of};

/// A name that no file has: what it is in has one path, whatever links lead there.
const NO_FILE: &str = ".spadework-none";

/// The paths of a map by which its set may be known: the one given, and where its links lead, if it is a link.
pub fn names_of_map(storage: &dyn Storage, map: &Path) -> Vec<PathBuf> {
    let linked = storage.resolve(map).is_ok_and(|target| target != map).then(|| storage.place(map));
    std::iter::once(map.to_path_buf()).chain(linked).collect()
}

/// The folders in which records of interrupted saves of a map may lie.
pub fn folders_of_map(storage: &dyn Storage, map: &Path) -> Vec<PathBuf> {
    names_of_map(storage, map).iter().map(|map| folder_of(map).to_path_buf()).collect()
}

/// Claims the folders; `None` while another process has one of them.
///
/// # Errors
/// If one cannot be claimed.
pub(super) fn claim_folders(storage: &dyn Storage, folders: &[PathBuf]) -> Result<Option<Vec<FileLock>>, StorageError> {
    // Each once, or a process would wait for itself; in one order, or two would wait for each other.
    let real = |folder: &PathBuf| match folders {
        [_] => folder.clone(),
        _ => folder_of(&storage.place(&folder.join(NO_FILE))).to_path_buf(),
    };
    let folders: BTreeMap<PathBuf, &PathBuf> = folders.iter().map(|folder| (real(folder), folder)).collect();
    folders.into_values().map(|folder| storage.lock_folder(folder)).collect()
}

/// As [`claim_folders`], once nobody else has one of them.
///
/// # Errors
/// If that takes more than ten seconds, or one cannot be claimed.
pub(super) fn wait_for_folders(storage: &dyn Storage, folders: &[PathBuf]) -> Result<Vec<FileLock>, StorageError> {
    for _ in 0..CLAIM_TRIES {
        if let Some(claims) = claim_folders(storage, folders)? {
            return Ok(claims);
        }
        std::thread::sleep(CLAIM_PAUSE);
    }
    let folder = folders.first().map_or(Path::new(""), PathBuf::as_path);
    Err(StorageError::at(StorageAction::Lock, folder)(std::io::ErrorKind::ResourceBusy.into()))
}
