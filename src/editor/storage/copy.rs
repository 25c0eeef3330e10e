//! Copying and comparing files through the storage, in blocks.

use std::io::Write as _;
use std::path::Path;

use super::{ContentHash, HashingWriter, Storage, StorageAction, StorageError, TempFile, TempGuard};
use crate::format::Source;

/// Bytes read at once of a file that is read as a whole.
pub(super) const BLOCK: usize = 1 << 20;

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
    let mut block = vec![0; BLOCK];
    let mut offset = 0;
    while let Some(part) = next_part(&mut block, offset, source) {
        source.read_at(offset, part).map_err(StorageError::at(StorageAction::Read, from))?;
        writer.write_all(part).map_err(StorageError::at(StorageAction::Write, to))?;
        offset += part.len() as u64;
    }
    let (mut writer, hash, _) = writer.finish();
    writer.sync().map_err(StorageError::at(StorageAction::Write, to))?;
    storage.rename(&path, to)?;
    guard.release();
    Ok(hash)
}

/// Whether two files hold the same bytes; they are read up to the first block that differs.
///
/// # Errors
/// If one of them cannot be read.
pub(in crate::editor) fn is_same_content(storage: &dyn Storage, a: &Path, b: &Path) -> Result<bool, StorageError> {
    let (first, second) = (storage.open(a)?, storage.open(b)?);
    if first.len() != second.len() {
        return Ok(false);
    }
    let (mut block, mut other) = (vec![0; BLOCK], vec![0; BLOCK]);
    let mut offset = 0;
    while let Some((part, other)) = next_part(&mut block, offset, &*first).zip(next_part(&mut other, offset, &*second)) {
        first.read_at(offset, part).map_err(StorageError::at(StorageAction::Read, a))?;
        second.read_at(offset, other).map_err(StorageError::at(StorageAction::Read, b))?;
        if part != other {
            return Ok(false);
        }
        offset += part.len() as u64;
    }
    Ok(true)
}

/// As much of the block as is left of a source from there on; `None` at its end.
pub(super) fn next_part<'a>(block: &'a mut [u8], offset: u64, source: &dyn Source) -> Option<&'a mut [u8]> {
    let left = source.len().checked_sub(offset).filter(|left| *left > 0)?;
    let length = usize::try_from(left).map_or(block.len(), |left| left.min(block.len()));
    block.get_mut(..length)
}
