//! What lies where a file of our own belongs and is none: a folder, a pipe, a link. It may be of use to somebody, so that it is
//! moved and not deleted.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Storage, StorageError, folder_of};

/// Gives another name to what lies at that path and is no plain file; answers where it is now. Never for files of the user's own,
/// which may be links.
///
/// # Errors
/// If it cannot be renamed.
pub(in crate::editor) fn clear_way(storage: &dyn Storage, path: &Path) -> Result<Option<PathBuf>, StorageError> {
    // Links in a circle, which lead nowhere, are an error of that kind.
    let is_link = || storage.resolve(path).map_or_else(|error| error.reason.kind() == ErrorKind::Other, |target| target != path);
    let is_other = || {
        let opened = storage.open(path).err().map(|error| error.reason.kind());
        opened.is_some_and(|kind| matches!(kind, ErrorKind::IsADirectory | ErrorKind::Unsupported))
    };
    if !is_link() && !is_other() {
        return Ok(None);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let moved = free_name(storage, path, |number| format!("{name}.moved-{number}"))?;
    storage.rename(path, &moved)?;
    tracing::warn!("what lay at {} and is no file is now {}", path.display(), moved.display());
    Ok(Some(moved))
}

/// The first of these names beside a file, by their numbers from 1, that nothing has: not even a link that leads nowhere.
///
/// # Errors
/// If the folder cannot be listed.
pub(in crate::editor) fn free_name(storage: &dyn Storage, beside: &Path, name: impl Fn(u32) -> String) -> Result<PathBuf, StorageError> {
    let all = storage.list(folder_of(beside))?;
    let taken: BTreeSet<_> = all.iter().filter_map(|path| path.file_name()).collect();
    let mut number = 1;
    while taken.contains(OsStr::new(&name(number))) {
        number += 1;
    }
    Ok(beside.with_file_name(name(number)))
}
