//! When a recovery snapshot is due: so often that repeating what came after it takes about half a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::journal::{Journal, JournalEntry};
use super::recovery::{SNAPSHOT_LIMIT, can_hold, write_snapshot};
use super::{DocumentId, Editor};

/// Voxels that are looked at in about half a second.
const DUE_COST: u64 = 6_000_000;
/// What an entry costs besides: reading it, finding its chunks.
const ENTRY_COST: u64 = 10_000;

/// What repeating the journal from the last snapshot on would cost.
#[derive(Debug, Default)]
pub struct Checkpoint {
    cost: u64,
    /// One is being written.
    is_busy: Arc<AtomicBool>,
}

impl Checkpoint {
    /// Adds an entry of the journal.
    pub fn note(&mut self, entry: &JournalEntry) {
        let own = if let JournalEntry::Do { command, .. } = entry { command.cost() } else { 0 };
        self.cost = self.cost.saturating_add(own).saturating_add(ENTRY_COST);
    }

    /// Begins anew, and answers what tells that it is done; `None` if none is due.
    fn take(&mut self) -> Option<Arc<AtomicBool>> {
        if self.cost < DUE_COST || self.is_busy.swap(true, Ordering::AcqRel) {
            return None;
        }
        self.cost = 0;
        Some(self.is_busy.clone())
    }
}

impl Editor {
    /// Writes a recovery snapshot of a document, in the background, if one is due.
    pub(super) fn checkpoint(&mut self, id: DocumentId) {
        let Some(open) = self.documents.iter_mut().find(|open| open.id() == id) else { return };
        let Some(journal) = open.journal.as_ref().filter(|journal| journal.failure().is_none()) else { return };
        // It stays due until a snapshot can hold the document.
        if !can_hold(&open.document) {
            return;
        }
        let Some(busy) = open.checkpoint.take() else { return };
        let (path, entries) = (Journal::path(journal).to_owned(), usize::try_from(journal.appended()).unwrap_or(usize::MAX));
        let (document, storage) = (open.document.clone(), self.storage.clone());
        self.background.run(move || {
            let bytes: usize = document.volumes().iter().map(|volume| volume.store.size_bytes()).sum();
            // A map beyond that is brought back from its journal alone.
            if (bytes as u64) < SNAPSHOT_LIMIT
                && let Err(error) = write_snapshot(&*storage, &path, &document, entries)
            {
                tracing::warn!("a recovery snapshot is not written: {error}");
            }
            busy.store(false, Ordering::Release);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_due_after_so_much_work_and_never_two_at_once() {
        let mut checkpoint = Checkpoint::default();
        for _ in 1..DUE_COST / ENTRY_COST {
            checkpoint.note(&JournalEntry::Undo);
        }
        assert!(checkpoint.take().is_none());
        checkpoint.note(&JournalEntry::Undo);
        let busy = checkpoint.take().unwrap();
        assert!(checkpoint.take().is_none());
        (0..DUE_COST / ENTRY_COST).for_each(|_| checkpoint.note(&JournalEntry::Undo));
        assert!(checkpoint.take().is_none(), "one is being written");
        busy.store(false, Ordering::Release);
        assert!(checkpoint.take().is_some());
    }
}
