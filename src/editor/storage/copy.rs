//! Copying a file through the storage, in blocks.

use std::io::Write as _;
use std::path::Path;

use super::{ContentHash, HashingWriter, Storage, StorageAction, StorageError, TempFile, TempGuard};
use crate::format::Source;

/// Bytes copied at once.
const COPY_BLOCK: usize = 1 << 20;

/// Copies a file; answers its hash. A copy that fails leaves nothing.
///
/// # Errors
/// If the one cannot be read or the other not be written.
pub fn copy_file(storage: &dyn Storage, from: &Path, to: &Path) -> Result<ContentHash, StorageError> {
    copy_source(storage, &*storage.open(from)?, from, to)
}

/// As [`copy_file`], of a file that is open, whatever lies at its path now.
///
/// # Errors
/// If the one cannot be read or the other not be written.
pub(in crate::editor) fn copy_source(
    storage: &dyn Storage,
    source: &dyn Source,
    from: &Path,
    to: &Path,
) -> Result<ContentHash, StorageError> {
    let TempFile { path, writer } = storage.create_temp(to)?;
    let guard = TempGuard::new(storage, &path);
    let mut writer = HashingWriter::new(writer);
    let mut block = vec![0; COPY_BLOCK];
    let mut offset = 0;
    while offset < source.len() {
        let length = usize::try_from(source.len() - offset).map_or(COPY_BLOCK, |left| left.min(COPY_BLOCK));
        let part = block.get_mut(..length).unwrap_or_default();
        source.read_at(offset, part).map_err(StorageError::at(StorageAction::Read, from))?;
        writer.write_all(part).map_err(StorageError::at(StorageAction::Write, to))?;
        offset += length as u64;
    }
    let (mut writer, hash, _) = writer.finish();
    writer.sync().map_err(StorageError::at(StorageAction::Write, to))?;
    storage.rename(&path, to)?;
    guard.release();
    Ok(hash)
}
