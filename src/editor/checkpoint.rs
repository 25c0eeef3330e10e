//! When a recovery snapshot is due: so often that repeating what came after it takes about half a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::journal::{Journal, JournalEntry};
use super::recovery::{SNAPSHOT_LIMIT, StepsSince, write_snapshot};
use super::storage::Storage;
use super::{DocumentId, Editor};
use crate::document::Snapshot;

/// Voxels that are looked at in about half a second.
const DUE_COST: u64 = 6_000_000;
/// What an entry costs besides: reading it, finding its chunks.
const ENTRY_COST: u64 = 10_000;
/// After what time a disk that took no snapshot is tried again, at first: what it took of it may have been the room for the next steps.
/// Twice as long each time.
const RETRY_AFTER: Duration = Duration::from_secs(2);
/// The longest such pause.
const RETRY_AFTER_AT_MOST: Duration = Duration::from_secs(600);

/// What repeating the journal from the last snapshot on would cost.
#[derive(Debug, Default)]
pub struct Checkpoint {
    cost: u64,
    /// Steps since the last snapshot; `None` before there is one.
    since: Option<StepsSince>,
    /// Whether undo or redo left what came after the last snapshot: it is of no use any more.
    is_passed: bool,
    /// What is known of the one that is being written, or was last.
    writing: Arc<Writing>,
}

/// The writing of a snapshot, on another thread.
#[derive(Debug, Default)]
struct Writing {
    /// One is being written.
    is_busy: AtomicBool,
    retry: Mutex<Retry>,
}

/// What becomes of a snapshot that the disk did not take.
#[derive(Clone, Copy, Debug, Default)]
struct Retry {
    /// The last one was not written: another one is due from then on, and none before.
    at: Option<Instant>,
    /// How long it is waited after the next failure; `None` where the last one was written.
    pause: Option<Duration>,
}

impl Writing {
    fn retry(&self) -> MutexGuard<'_, Retry> {
        self.retry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self) {
        let mut retry = self.retry();
        let pause = retry.pause.unwrap_or(RETRY_AFTER);
        *retry = Retry { at: Some(Instant::now() + pause), pause: Some(pause.saturating_mul(2).min(RETRY_AFTER_AT_MOST)) };
    }
}

impl Checkpoint {
    /// For a journal that goes on: what lies beside it may be old, or gone, and one is due at once.
    pub fn of_resumed() -> Self {
        Self { cost: DUE_COST, ..Self::default() }
    }

    /// The last snapshot is gone, or may be: another one is due.
    pub fn make_due(&mut self) {
        self.cost = DUE_COST;
    }

    /// Does not wait before a disk is tried again that took no snapshot.
    #[cfg(test)]
    pub fn try_again_now(&self) {
        let mut retry = self.writing.retry();
        retry.at = retry.at.map(|_| Instant::now());
    }

    /// Adds an entry of the journal; `cost` is what its command looks at.
    pub fn note(&mut self, entry: &JournalEntry, cost: u64) {
        self.cost = self.cost.saturating_add(cost).saturating_add(ENTRY_COST);
        self.is_passed |= self.since.as_mut().is_some_and(|since| !since.note(entry));
    }

    /// Begins anew, and answers what tells that it is done; `None` if none is due.
    fn take(&mut self) -> Option<Busy> {
        let is_due = match self.writing.retry().at {
            Some(at) => at <= Instant::now(),
            None => self.cost >= DUE_COST || self.is_passed,
        };
        if !is_due || self.writing.is_busy.swap(true, Ordering::AcqRel) {
            return None;
        }
        (self.cost, self.since, self.is_passed) = (0, Some(StepsSince::default()), false);
        self.writing.retry().at = None;
        Some(Busy(self.writing.clone()))
    }

    /// What writes a snapshot of the document, as it stands after all that its journal was told, on another thread; `None` if
    /// none is due.
    pub fn due(&mut self, journal: &Journal, document: &Snapshot, storage: Arc<dyn Storage>) -> Option<impl FnOnce() + Send + use<>> {
        if journal.failure().is_some() {
            return None;
        }
        let busy = self.take()?;
        let (path, entries) = (journal.path().to_owned(), usize::try_from(journal.appended()).unwrap_or(usize::MAX));
        let (document, mark) = (document.clone(), journal.mark());
        Some(move || {
            let bytes: usize = document.volumes().iter().map(|volume| volume.store.size_bytes()).sum();
            // A map beyond that is brought back from its journal alone.
            if bytes as u64 >= SNAPSHOT_LIMIT {
                return;
            }
            // One that names no journal is of no use: a step waits for the disk.
            let Some(mark) = mark().filter(|mark| mark.entries() == entries) else {
                busy.0.retry().at = Some(Instant::now());
                return;
            };
            match write_snapshot(&*storage, &path, &document, entries, Some(mark)) {
                Ok(()) => busy.0.retry().pause = None,
                Err(error) => {
                    tracing::warn!("a recovery snapshot is not written: {error}");
                    busy.0.failed();
                }
            }
        })
    }
}

/// One is being written until this is dropped, also by a panic.
#[derive(Debug)]
struct Busy(Arc<Writing>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.is_busy.store(false, Ordering::Release);
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
        drop(busy);
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
            drop(checkpoint.take().unwrap());
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
            let busy = checkpoint.take().unwrap();
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

    #[test]
    fn a_snapshot_that_the_disk_did_not_take_is_followed_by_another_a_little_later() {
        use crate::editor::journal::JournalBase;
        use crate::editor::storage::testing::FaultyStorage;

        let storage = FaultyStorage::default();
        let map = crate::voxel::Store::new(crate::geom::Region::of_size(glam::IVec3::new(8, 8, 64)));
        let map = crate::document::Document::new(map, &crate::document::GameProfile::ACE_OF_SPADES);
        let base = JournalBase::Made { format: "vmf", document: Box::new(map.clone()), of_snapshot: false };
        let journal = Journal::start(Arc::new(storage.clone()), "s/a.journal".into(), None, base, Default::default(), 7);
        journal.flush();
        let mut checkpoint = Checkpoint::of_resumed();
        let mut due = || checkpoint.due(&journal, &map, Arc::new(storage.clone()));
        storage.fill_up(0);
        due().unwrap()();
        assert!(storage.get("s/a.snapshot").is_none() && due().is_none(), "not at once");
        // Nor sooner where much is done: each one takes the room of the next steps.
        let mut pauses = vec![];
        for _ in 0..10 {
            checkpoint.make_due();
            assert!(checkpoint.due(&journal, &map, Arc::new(storage.clone())).is_none());
            checkpoint.try_again_now();
            checkpoint.due(&journal, &map, Arc::new(storage.clone())).unwrap()();
            let at = checkpoint.writing.retry().at.unwrap();
            pauses.push(at.saturating_duration_since(Instant::now()).as_secs_f32().ceil());
        }
        assert_eq!(pauses, [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 600.0, 600.0]);
        checkpoint.try_again_now();
        storage.fill_up(u64::MAX);
        checkpoint.due(&journal, &map, Arc::new(storage.clone())).unwrap()();
        assert!(storage.get("s/a.snapshot").is_some());
        checkpoint.try_again_now();
        assert!(checkpoint.take().is_none());
        // The next pause is a short one again.
        storage.fill_up(0);
        checkpoint.make_due();
        checkpoint.due(&journal, &map, Arc::new(storage.clone())).unwrap()();
        assert!(checkpoint.writing.retry().at.unwrap() <= Instant::now() + RETRY_AFTER);
    }
}
