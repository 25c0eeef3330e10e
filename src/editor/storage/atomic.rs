//! Replacing a file in one step: temporary file, sync, rename.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Storage, StorageAction, StorageError, TempFile, folder_of};

/// Deletes a temporary file when dropped, unless it was put in place before.
#[derive(Debug)]
pub struct TempGuard<'a> {
    storage: &'a dyn Storage,
    path: Option<PathBuf>,
}

impl<'a> TempGuard<'a> {
    /// Guards a file.
    pub fn new(storage: &'a dyn Storage, path: &Path) -> Self {
        Self { storage, path: Some(path.to_path_buf()) }
    }

    /// Lets the file be: it has another name now, or somebody else looks after it.
    pub fn release(mut self) {
        self.path = None;
    }
}

impl Drop for TempGuard<'_> {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Already cleaning up: what stays behind is removed when the folder is next opened.
            self.storage.remove(path).ok();
        }
    }
}

/// Writes a temporary file for `target` and syncs it; answers where it is.
pub(in crate::editor) fn write_temp(storage: &dyn Storage, target: &Path, bytes: &[u8]) -> Result<PathBuf, StorageError> {
    let TempFile { path, mut writer } = storage.create_temp(target)?;
    let guard = TempGuard::new(storage, &path);
    writer.write_all(bytes).and_then(|()| writer.sync()).map_err(StorageError::at(StorageAction::Write, target))?;
    drop(writer);
    guard.release();
    Ok(path)
}

/// Replaces a small file as a whole: afterwards it is the old one or the new one. Links are followed.
///
/// # Errors
/// If the folder or the file cannot be written; the old file stays.
pub fn replace_file(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let target = storage.resolve(path)?;
    let temp = write_temp(storage, &target, bytes)?;
    put_in_place(storage, &temp, &target)?;
    storage.sync_folder(folder_of(&target))
}

/// As [`replace_file`], where that still is right once the new content is on the disk; answers whether it was.
///
/// # Errors
/// As [`replace_file`].
pub fn replace_file_if(storage: &dyn Storage, path: &Path, bytes: &[u8], is_right: impl FnOnce() -> bool) -> Result<bool, StorageError> {
    let target = storage.resolve(path)?;
    let temp = write_temp(storage, &target, bytes)?;
    if !is_right() {
        drop(TempGuard::new(storage, &temp));
        return Ok(false);
    }
    put_in_place(storage, &temp, &target)?;
    storage.sync_folder(folder_of(&target))?;
    Ok(true)
}

/// As [`replace_file`], of a file that somebody asked for: once it is in place it is written, also where its name may not outlast a power
/// loss, which only the log tells.
///
/// # Errors
/// As [`replace_file`].
pub fn write_file(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let target = storage.resolve(path)?;
    let temp = write_temp(storage, &target, bytes)?;
    put_in_place(storage, &temp, &target)?;
    sync_name(storage, &target);
    Ok(())
}

/// Waits until the name of a file is on the disk. What is in the way of that only the log tells.
pub(in crate::editor) fn sync_name(storage: &dyn Storage, target: &Path) {
    if let Err(error) = storage.sync_folder(folder_of(target)) {
        tracing::warn!("{} is written and may not outlast a power loss: {error}", target.display());
    }
}

/// As [`replace_file`], with the owner and the permissions of a new file: the old one may have been write-protected, or another user's.
///
/// # Errors
/// As [`replace_file`].
pub(in crate::editor) fn replace_file_anew(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> Result<(), StorageError> {
    let target = storage.resolve(path)?;
    // A temporary file takes after the one that it is for, and no file has that name.
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(".anew");
    let temp = write_temp(storage, &target.with_file_name(name), bytes)?;
    put_in_place(storage, &temp, &target)?;
    storage.sync_folder(folder_of(&target))
}

/// Gives a temporary file the name of its target; it goes where that fails.
fn put_in_place(storage: &dyn Storage, temp: &Path, target: &Path) -> Result<(), StorageError> {
    let guard = TempGuard::new(storage, temp);
    storage.rename(temp, target)?;
    guard.release();
    Ok(())
}
