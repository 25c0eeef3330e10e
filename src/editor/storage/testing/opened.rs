//! Files of the disk in memory that somebody has open or locked.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{FaultyStorage, note};
use crate::editor::storage::FileWriter;
use crate::format::{MemorySource, Source};

pub(super) struct FakeLock {
    pub(super) storage: FaultyStorage,
    pub(super) path: PathBuf,
    pub(super) number: u64,
}

impl Drop for FakeLock {
    fn drop(&mut self) {
        let mut state = self.storage.state();
        if state.locks.get(&self.path) == Some(&self.number) {
            state.locks.remove(&self.path);
        }
    }
}

/// A claimed folder.
pub(super) struct FakeClaim {
    pub(super) claimed: Arc<Mutex<BTreeSet<PathBuf>>>,
    pub(super) folder: PathBuf,
}

impl Drop for FakeClaim {
    fn drop(&mut self) {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.folder);
    }
}

pub(super) struct FakeWriter {
    pub(super) storage: FaultyStorage,
    pub(super) path: PathBuf,
    pub(super) number: u64,
}

impl Write for FakeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.storage.state();
        let lose =
            state.step("Write").inspect_err(|error| state.interrupted_writes += usize::from(error.kind() == io::ErrorKind::Interrupted))?;
        let mut taken = state.most_per_write.unwrap_or(usize::MAX).min(bytes.len());
        if let Some(free) = &mut state.free {
            taken = taken.min(usize::try_from(*free).unwrap_or(usize::MAX));
            *free -= taken as u64;
            if taken == 0 && !bytes.is_empty() {
                note("no storage space, and so on until there is some", "Write");
                return Err(io::ErrorKind::StorageFull.into());
            }
        }
        if taken < bytes.len() {
            note("only a part is written", "Write");
        }
        if lose && taken > 0 {
            note("a byte is lost in silence", "Write");
        }
        let modified = state.tick();
        let file = state.opened(&self.path, self.number)?;
        file.bytes.extend_from_slice(&bytes[..taken - usize::from(lose && taken > 0)]);
        file.modified = modified;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FileWriter for FakeWriter {
    fn sync(&mut self) -> io::Result<()> {
        let mut state = self.storage.state();
        state.step("Sync")?;
        let file = state.opened(&self.path, self.number)?;
        file.synced = file.bytes.len();
        Ok(())
    }

    // Looking is no operation: the journal's thread does so from time to time.

    fn len_now(&self) -> io::Result<u64> {
        Ok(self.storage.state().opened(&self.path, self.number)?.bytes.len() as u64)
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        let state = self.storage.state();
        Ok(!state.is_numberless && state.files.get(path).is_some_and(|file| file.number == self.number))
    }

    fn read_back(&self) -> io::Result<Box<dyn Source>> {
        let bytes = self.storage.state().opened(&self.path, self.number)?.bytes.clone();
        Ok(Box::new(MemorySource(bytes.into())))
    }
}
