//! When a recovery snapshot is due: so often that repeating what came after it takes about half a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::journal::{Journal, JournalEntry};
use super::recovery::{SNAPSHOT_LIMIT, StepsSince, write_snapshot};
use super::storage::Storage;
use super::{DocumentId, Editor};
use crate::document::Snapshot;

/// Voxels that are looked at in about half a second.
const DUE_COST: u64 = 6_000_000;
/// What an entry costs besides: reading it, finding its chunks.
const ENTRY_COST: u64 = 10_000;

/// What repeating the journal from the last snapshot on would cost.
#[derive(Debug, Default)]
pub struct Checkpoint {
    cost: u64,
    /// Steps since the last snapshot; `None` before there is one.
    since: Option<StepsSince>,
    /// Whether undo or redo left what came after the last snapshot: it is of no use any more.
    is_passed: bool,
    /// One is being written.
    is_busy: Arc<AtomicBool>,
}

impl Checkpoint {
    /// For a journal that goes on: what lies beside it may be old, and one is due at the first step.
    pub fn of_resumed() -> Self {
        Self { cost: DUE_COST, ..Self::default() }
    }

    /// The last snapshot is gone, or may be: another one is due.
    pub fn make_due(&mut self) {
        self.cost = DUE_COST;
    }

    /// Adds an entry of the journal; `cost` is what its command looks at.
    pub fn note(&mut self, entry: &JournalEntry, cost: u64) {
        self.cost = self.cost.saturating_add(cost).saturating_add(ENTRY_COST);
        self.is_passed |= self.since.as_mut().is_some_and(|since| !since.note(entry));
    }

    /// Begins anew, and answers what tells that it is done; `None` if none is due.
    fn take(&mut self) -> Option<Arc<AtomicBool>> {
        let is_due = self.cost >= DUE_COST || self.is_passed;
        if !is_due || self.is_busy.swap(true, Ordering::AcqRel) {
            return None;
        }
        (self.cost, self.since, self.is_passed) = (0, Some(StepsSince::default()), false);
        Some(self.is_busy.clone())
    }

    /// What writes a snapshot of the document, as it stands after all that its journal was told, on another thread; `None` if
    /// none is due.
    pub fn due(&mut self, journal: &Journal, document: &Snapshot, storage: Arc<dyn Storage>) -> Option<impl FnOnce() + Send + use<>> {
        if journal.failure().is_some() {
            return None;
        }
        let busy = Busy(self.take()?);
        let (path, entries) = (journal.path().to_owned(), usize::try_from(journal.appended()).unwrap_or(usize::MAX));
        let (document, mark) = (document.clone(), journal.mark());
        Some(move || {
            let _busy = busy;
            let bytes: usize = document.volumes().iter().map(|volume| volume.store.size_bytes()).sum();
            // A map beyond that is brought back from its journal alone; and one that names no journal is of no use.
            if (bytes as u64) < SNAPSHOT_LIMIT
                && let Some(mark) = mark().filter(|mark| mark.entries() == entries)
                && let Err(error) = write_snapshot(&*storage, &path, &document, entries, Some(mark))
            {
                tracing::warn!("a recovery snapshot is not written: {error}");
            }
        })
    }
}

/// One is being written until this is dropped, also by a panic.
struct Busy(Arc<AtomicBool>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

impl Editor {
    /// Writes a recovery snapshot of a document, in the background, if one is due.
    pub(super) fn checkpoint(&mut self, id: DocumentId) {
        let Some(open) = self.documents.iter_mut().find(|open| open.id() == id) else { return };
        let Some(journal) = &open.journal else { return };
        if let Some(write) = open.checkpoint.due(journal, &open.document, self.storage.clone()) {
            self.background.run(write);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_due_after_so_much_work_and_never_two_at_once() {
        let mut checkpoint = Checkpoint::default();
        for _ in 1..DUE_COST / ENTRY_COST {
            checkpoint.note(&JournalEntry::Undo, 0);
        }
        assert!(checkpoint.take().is_none());
        checkpoint.note(&JournalEntry::Undo, 0);
        let busy = checkpoint.take().unwrap();
        assert!(checkpoint.take().is_none());
        (0..DUE_COST / ENTRY_COST).for_each(|_| checkpoint.note(&JournalEntry::Undo, 0));
        assert!(checkpoint.take().is_none(), "one is being written");
        busy.store(false, Ordering::Release);
        assert!(checkpoint.take().is_some());
    }

    #[test]
    fn a_snapshot_that_undo_or_redo_went_behind_is_followed_by_another_at_once() {
        let done = || JournalEntry::Do { command: serde_json::from_str(r##"{"remove":{"at":[1,2,60]}}"##).unwrap(), at: 1 };
        let entry = |kind| match kind {
            'd' => done(),
            'u' => JournalEntry::Undo,
            'r' => JournalEntry::Redo,
            _ => JournalEntry::Saving { number: 1 },
        };
        for (entries, is_due) in
            [("ddu", false), ("dsudr", true), ("u", true), ("r", true), ("dur", false), ("duu", true), ("dudr", true), ("s", false)]
        {
            let mut checkpoint = Checkpoint::of_resumed();
            checkpoint.take().unwrap().store(false, Ordering::Release);
            entries.chars().for_each(|kind| checkpoint.note(&entry(kind), 1));
            assert_eq!(checkpoint.take().is_some(), is_due, "{entries}");
        }
        // Before the first one, everything is repeated from the beginning.
        let mut first = Checkpoint::default();
        first.note(&JournalEntry::Undo, 1);
        assert!(first.take().is_none());
    }

    #[test]
    fn a_snapshot_whose_writing_breaks_off_is_followed_by_another() {
        let mut checkpoint = Checkpoint::of_resumed();
        let background = crate::editor::background::Background::new(crate::editor::JobMode::Threads);
        for _ in 0..3 {
            let busy = Busy(checkpoint.take().unwrap());
            let (done, wait) = std::sync::mpsc::channel();
            background.run(move || {
                let _busy = busy;
                panic!("on purpose");
            });
            background.run(move || done.send(()).unwrap());
            wait.recv().unwrap();
            checkpoint.cost = DUE_COST;
        }
    }
}
