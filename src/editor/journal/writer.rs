//! The file of a journal as its thread writes it: whole lines in order, what the disk did not take once more.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::frames::FrameWriter;
use super::{Acknowledge, Begun, JournalEntry, JournalError, JournalMark, SYNC_AFTER};
use crate::editor::storage::{FileWriter, Storage, StorageAction, StorageError, replace_file};

/// The file as the thread writes it.
pub(super) struct Writer<'a, B> {
    pub(super) storage: &'a dyn Storage,
    pub(super) path: &'a Path,
    begin: B,
    acknowledged: &'a AtomicU64,
    limit: u64,
    /// Makes the lines, once the journal is begun.
    frames: Option<FrameWriter>,
    /// `None` before the beginning, and after a failure.
    pub(super) file: Option<Box<dyn FileWriter>>,
    /// Bytes of the file that are whole lines.
    whole: u64,
    /// Whether more than those may be in the file.
    is_torn: bool,
    /// Entries that are not in the file.
    pub(super) waiting: VecDeque<(Box<JournalEntry>, Option<Acknowledge>)>,
    /// The line of the first of them, once it was made: each goes on from the one before.
    line: Option<Vec<u8>>,
    pub(super) sync_at: Option<Instant>,
}

impl<'a, B: FnMut(&dyn Storage) -> Result<Begun, JournalError>> Writer<'a, B> {
    pub(super) fn new(storage: &'a dyn Storage, path: &'a Path, begin: B, acknowledged: &'a AtomicU64, limit: u64) -> Self {
        let (frames, file, line, sync_at) = (None, None, None, None);
        Self { storage, path, begin, acknowledged, limit, frames, file, whole: 0, is_torn: false, waiting: VecDeque::new(), line, sync_at }
    }

    /// Writes what waits, in order.
    pub(super) fn write(&mut self) -> Result<(), JournalError> {
        let frames = match &mut self.frames {
            Some(frames) => frames,
            none => {
                let (header, frames) = (self.begin)(self.storage)?;
                if let Some(header) = header {
                    // In one step: a journal that is there has a whole beginning.
                    replace_file(self.storage, self.path, &header)?;
                }
                self.whole = self.storage.info(self.path)?.len;
                tracing::debug!("{} is begun", self.path.display());
                none.insert(frames)
            }
        };
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                if self.is_torn {
                    let bytes = self.storage.read(self.path, self.limit.saturating_mul(2))?;
                    let whole = usize::try_from(self.whole).unwrap_or(usize::MAX).min(bytes.len());
                    replace_file(self.storage, self.path, bytes.get(..whole).unwrap_or_default())?;
                    self.is_torn = false;
                }
                none.insert(self.storage.append(self.path)?)
            }
        };
        while let Some((entry, acknowledge)) = self.waiting.front_mut() {
            let line = self.line.get_or_insert_with(|| frames.entry(entry));
            let whole = self.whole.saturating_add(line.len() as u64);
            if whole > self.limit {
                self.sync()?;
                return Err(JournalError::Full { limit: self.limit });
            }
            if let Err(error) = file.write_all(line) {
                return Err(self.fail(error));
            }
            self.whole = whole;
            let number = self.acknowledged.fetch_add(1, Ordering::Release) + 1;
            tracing::debug!("{} holds entry {number}", self.path.display());
            if let Some(acknowledge) = acknowledge.take() {
                acknowledge(number);
            }
            self.waiting.pop_front();
            self.line = None;
            let at = *self.sync_at.get_or_insert_with(|| Instant::now() + SYNC_AFTER);
            if at <= Instant::now() {
                self.sync_at = None;
                if let Err(error) = file.sync() {
                    return Err(self.fail(error));
                }
            }
        }
        Ok(())
    }

    /// The place after all that was noted; `None` while some of it waits for the disk.
    pub(super) fn mark(&self) -> Option<JournalMark> {
        self.frames.as_ref().filter(|_| self.waiting.is_empty()).map(FrameWriter::mark)
    }

    pub(super) fn sync(&mut self) -> Result<(), JournalError> {
        self.sync_at = None;
        match self.file.as_mut().map(|file| file.sync()) {
            Some(Err(error)) => Err(self.fail(error)),
            _ => Ok(()),
        }
    }

    /// What the file holds now is known up to its whole lines only.
    fn fail(&mut self, error: io::Error) -> JournalError {
        (self.file, self.is_torn, self.sync_at) = (None, true, None);
        StorageError::at(StorageAction::Write, self.path)(error).into()
    }
}
