//! What lies where a file of our own belongs and is none: a folder, a pipe, a link. It may be of use to somebody, so that it is
//! moved and not deleted.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Storage, StorageError};

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
    let mut number = 0_u32;
    let moved = loop {
        number += 1;
        let moved = path.with_file_name(format!("{name}.moved-{number}"));
        if !storage.exists(&moved)? {
            break moved;
        }
    };
    storage.rename(path, &moved)?;
    tracing::warn!("what lay at {} and is no file is now {}", path.display(), moved.display());
    Ok(Some(moved))
}
