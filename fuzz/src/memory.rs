//! Files in memory: journals and settings are read through the program's own code, and no disk is touched.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use spadework::editor::storage::{FileInfo, FileLock, FileWriter, Storage, StorageAction, StorageError, TempFile, folder_of};
use spadework::format::{MemorySource, Source};

type Files = Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>;

/// A disk without faults.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage(Files);

impl MemoryStorage {
    /// A disk with these files.
    pub fn with<const N: usize>(files: [(&str, Vec<u8>); N]) -> Self {
        Self(Arc::new(Mutex::new(files.map(|(path, bytes)| (path.into(), bytes)).into())))
    }

    /// The content of a file.
    pub fn get(&self, path: &Path) -> Option<Vec<u8>> {
        lock(&self.0).get(path).cloned()
    }
}

fn lock(files: &Files) -> std::sync::MutexGuard<'_, BTreeMap<PathBuf, Vec<u8>>> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

fn missing(action: StorageAction, path: &Path) -> StorageError {
    StorageError::at(action, path)(io::ErrorKind::NotFound.into())
}

/// Appends to one file.
struct Writer(Files, PathBuf);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).entry(self.1.clone()).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FileWriter for Writer {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn len_now(&self) -> io::Result<u64> {
        Ok(lock(&self.0).get(&self.1).map_or(0, Vec::len) as u64)
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        Ok(self.1 == path && lock(&self.0).contains_key(path))
    }

    fn read_back(&self) -> io::Result<Box<dyn Source>> {
        let bytes = lock(&self.0).get(&self.1).cloned().ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(MemorySource(bytes.into())))
    }
}

impl Storage for MemoryStorage {
    fn info(&self, path: &Path) -> Result<FileInfo, StorageError> {
        let len = lock(&self.0).get(path).map(Vec::len).ok_or_else(|| missing(StorageAction::Find, path))?;
        Ok(FileInfo { len: len as u64, modified: None, readonly: false, is_folder: false, names: 1, identity: None, owner: None })
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>, StorageError> {
        let bytes = self.get(path).ok_or_else(|| missing(StorageAction::Read, path))?;
        Ok(Box::new(MemorySource(bytes.into())))
    }

    fn create_temp(&self, target: &Path) -> Result<TempFile, StorageError> {
        let path = target.with_extension("tmp");
        lock(&self.0).insert(path.clone(), vec![]);
        Ok(TempFile { path: path.clone(), writer: Box::new(Writer(self.0.clone(), path)) })
    }

    fn is_abandoned_temp(&self, _path: &Path) -> bool {
        false
    }

    fn append(&self, path: &Path) -> Result<Box<dyn FileWriter>, StorageError> {
        Ok(Box::new(Writer(self.0.clone(), path.into())))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        let mut files = lock(&self.0);
        let bytes = files.remove(from).ok_or_else(|| missing(StorageAction::Replace, from))?;
        files.insert(to.into(), bytes);
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        if lock(&self.0).contains_key(to) {
            return Err(StorageError::at(StorageAction::Replace, to)(io::ErrorKind::AlreadyExists.into()));
        }
        self.rename(from, to)
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        lock(&self.0).remove(path).map(|_| ()).ok_or_else(|| missing(StorageAction::Remove, path))
    }

    fn list(&self, folder: &Path) -> Result<Vec<PathBuf>, StorageError> {
        Ok(lock(&self.0).keys().filter(|path| folder_of(path) == folder).cloned().collect())
    }

    fn make_folder(&self, _folder: &Path) -> Result<(), StorageError> {
        Ok(())
    }

    fn sync_folder(&self, _folder: &Path) -> Result<(), StorageError> {
        Ok(())
    }

    fn resolve(&self, path: &Path) -> Result<PathBuf, StorageError> {
        Ok(path.into())
    }

    fn check_writable(&self, _path: &Path) -> Result<(), StorageError> {
        Ok(())
    }

    fn lock(&self, _path: &Path) -> Result<Option<FileLock>, StorageError> {
        Ok(Some(FileLock::new(())))
    }

    fn holds(&self, _lock: &FileLock, _path: &Path) -> bool {
        true
    }
}
