//! Files written but not yet in place: temporary, synced, read back.

use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::stamp::hash_of;
use super::{SaveError, Stamp};
use crate::editor::storage::{
    ContentHash, FileWriter, HashingWriter, Storage, StorageAction, StorageError, TempFile, TempGuard, keep_temp,
};

/// Bytes gathered before they go to the disk.
const BUFFER_BYTES: usize = 1 << 18;

/// A file that is ready to take its place.
#[derive(Debug)]
pub(super) struct Staged<'a> {
    /// The path as the mapper knows it.
    pub(super) path: PathBuf,
    /// Where it goes: `path` with links followed.
    pub(super) target: PathBuf,
    /// Where it is now.
    pub(super) temp: PathBuf,
    /// Its content.
    pub(super) hash: ContentHash,
    /// The content of the file that it replaces, if there is one.
    pub(super) old: Option<ContentHash>,
    /// Removes the temporary file unless released; `None` where there is none, because the file in place is the same.
    pub(super) guard: Option<TempGuard<'a>>,
}

impl<'a> Staged<'a> {
    /// Writes a file beside its place through `fill`, syncs it, reads it back and compares.
    pub(super) fn write(
        storage: &'a dyn Storage,
        path: &Path,
        fill: impl FnOnce(&mut dyn io::Write) -> Result<(), SaveError>,
    ) -> Result<Self, SaveError> {
        let target = storage.resolve(path)?;
        let TempFile { path: temp, writer } = storage.create_temp(&target).map_err(|error| behind_link(error, path, &target))?;
        let guard = TempGuard::new(storage, &temp);
        let failed = |error| StorageError::at(StorageAction::Write, path)(error);
        let mut buffered = BufWriter::with_capacity(BUFFER_BYTES, HashingWriter::new(writer));
        fill(&mut buffered)?;
        buffered.flush().map_err(failed)?;
        let (mut writer, hash, _): (Box<dyn FileWriter>, _, _) =
            buffered.into_inner().map_err(|error| failed(error.into_error()))?.finish();
        writer.sync().map_err(failed)?;
        drop(writer);
        if hash_of(storage, &temp)? != hash {
            return Err(SaveError::NotKept { path: path.into() });
        }
        let old = storage.exists(&target)?.then(|| hash_of(storage, &target)).transpose()?;
        // One that holds the same already is not written.
        if old != Some(hash) {
            storage.check_writable(&target)?;
        }
        Ok(Self { path: path.into(), target, temp, hash, old, guard: Some(guard) })
    }

    /// A file that holds these bytes already, where it does: nothing is written beside it, its folder may be read-only.
    pub(super) fn as_it_is(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> Result<Option<Self>, StorageError> {
        let target = storage.resolve(path)?;
        let is_same = storage.read(&target, bytes.len() as u64).is_ok_and(|there| *there == *bytes);
        let hash = ContentHash::of(bytes);
        Ok(is_same.then(|| Self { path: path.into(), temp: target.clone(), target, hash, old: Some(hash), guard: None }))
    }

    /// Lets the temporary file be.
    pub(super) fn release(&mut self) {
        if let Some(guard) = self.guard.take() {
            guard.release();
        }
    }

    /// Keeps the temporary file for longer than others: what needs it lies in another folder.
    pub(super) fn keep(&mut self, storage: &'a dyn Storage) -> Result<(), StorageError> {
        let kept = keep_temp(storage, &self.temp, &self.target)?;
        if let Some(guard) = self.guard.replace(TempGuard::new(storage, &kept)) {
            guard.release();
        }
        self.temp = kept;
        Ok(())
    }

    /// Notes what is in its place now.
    pub(super) fn look_again(&mut self, storage: &dyn Storage) -> Result<(), StorageError> {
        self.old = storage.exists(&self.target)?.then(|| hash_of(storage, &self.target)).transpose()?;
        Ok(())
    }

    /// Whether the file was the same and is not any more, so that nothing is at hand to put in its place.
    pub(super) fn is_without_content(&self) -> bool {
        self.guard.is_none() && !self.is_in_place()
    }

    /// Whether the file in place holds the same already.
    pub(super) fn is_in_place(&self) -> bool {
        self.old == Some(self.hash)
    }

    /// The stamp that the file will have in place; a rename keeps its time.
    pub(super) fn stamp(&self, storage: &dyn Storage) -> Result<Stamp, StorageError> {
        let file = if self.is_in_place() { &self.target } else { &self.temp };
        Ok(Stamp::of(storage.info(file)?, self.hash))
    }
}

/// Why a file cannot be written, where it is a link to a folder that is not there: as a disk that is not attached.
fn behind_link(error: StorageError, path: &Path, target: &Path) -> StorageError {
    if !error.is_not_found() || target == path {
        return error;
    }
    let reason = format!("it is a link to {}, whose folder is not there; attach its disk, or remove the link", target.display());
    StorageError::at(StorageAction::Write, path)(io::Error::other(reason))
}
