//! In which folders a map's files lie, where links lead to others, and claiming these: sets that change at once would mix.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{CLAIM_PAUSE, CLAIM_TRIES};
use crate::editor::storage::{FileLock, FolderKey, Storage, StorageAction, StorageError, folder_of};

/// The paths of a map by which its set may be known: the one given, and where its links lead, if it is a link.
pub fn names_of_map(storage: &dyn Storage, map: &Path) -> Vec<PathBuf> {
    let linked = storage.resolve(map).is_ok_and(|target| target != map).then(|| storage.place(map));
    std::iter::once(map.to_path_buf()).chain(linked).collect()
}

/// The folders in which records of interrupted saves of a map may lie.
pub fn folders_of_map(storage: &dyn Storage, map: &Path) -> Vec<PathBuf> {
    folders_once(storage, names_of_map(storage, map).iter().map(|map| folder_of(map)))
}

/// Each folder once, however it is spelled and wherever it is mounted: by the name that comes first.
pub(super) fn folders_once<'a>(storage: &dyn Storage, folders: impl Iterator<Item = &'a Path>) -> Vec<PathBuf> {
    let folders: BTreeSet<&Path> = folders.collect();
    if let [only] = Vec::from_iter(&folders).as_slice() {
        return vec![only.to_path_buf()];
    }
    let mut seen = BTreeSet::new();
    folders.into_iter().filter(|folder| seen.insert(storage.folder_key(folder))).map(Path::to_path_buf).collect()
}

/// Claims the folders, all or none; answers one that another process has.
///
/// # Errors
/// If one cannot be claimed.
pub(super) fn claim_folders<'a>(storage: &dyn Storage, folders: &'a [PathBuf]) -> Result<Result<Vec<FileLock>, &'a Path>, StorageError> {
    let mut claims = vec![];
    // Each once, or a process would wait for itself.
    let keyed: BTreeMap<FolderKey, &Path> = match folders {
        [only] => return Ok(storage.lock_folder(only)?.map_or(Err(only), |claim| Ok(vec![claim]))),
        all => all.iter().map(|folder| (storage.folder_key(folder), folder.as_path())).collect(),
    };
    for folder in keyed.into_values() {
        match storage.lock_folder(folder)? {
            Some(claim) => claims.push(claim),
            None => return Ok(Err(folder)),
        }
    }
    Ok(Ok(claims))
}

/// As [`claim_folders`], once nobody else has one of them.
///
/// # Errors
/// If that takes more than ten seconds, or one cannot be claimed.
pub(super) fn wait_for_folders(storage: &dyn Storage, folders: &[PathBuf]) -> Result<Vec<FileLock>, StorageError> {
    let mut busy = Path::new("");
    for _ in 0..CLAIM_TRIES {
        match claim_folders(storage, folders)? {
            Ok(claims) => return Ok(claims),
            Err(folder) => busy = folder,
        }
        std::thread::sleep(CLAIM_PAUSE);
    }
    Err(StorageError::at(StorageAction::SaveIn, busy)(std::io::ErrorKind::ResourceBusy.into()))
}
