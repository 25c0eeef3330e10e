//! Undo and redo: the changes of a document in order, on the `undo` crate's record.
//!
//! The crate gives the linear record, its saved mark and jumps; the byte budget is ours.

use crate::document::Document;

use super::Change;

/// Bytes of changes that a history keeps by default.
pub const DEFAULT_BUDGET_BYTES: usize = 512 << 20;

/// One step as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Name of the step.
    pub label: String,
    /// Whether it is done (and can be undone), else it was undone (and can be redone).
    pub done: bool,
}

/// A state in a history: what a save wrote, for instance. It stays the same state whatever is done meanwhile. States between which nothing
/// was done but selecting and the like are one: a file of one of them is a file of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryMark {
    /// Serial of the last change that a file would hold.
    serial: u64,
}

/// The steps of a document. Knows nothing of commands: it holds what they did.
#[derive(Debug)]
pub struct History {
    record: undo::Record<Change>,
    budget_bytes: usize,
    /// Sum of the sizes of the record's changes as they were when committed.
    held_bytes: usize,
    /// Done steps that are not forgotten, the last ones.
    needed: usize,
    forgotten: usize,
    next_serial: u64,
    /// Serial of the last change that a file would hold and that was forgotten.
    forgotten_serial: u64,
    /// Changes that no step needs any more.
    dropped: Vec<Change>,
    /// Whether a state was ever declared saved: an older history's saved state counts no more then.
    was_saved: bool,
    /// Serial of the state that it began with before older steps came, and the same state among those.
    begun: Option<(u64, HistoryMark)>,
}

impl Default for History {
    fn default() -> Self {
        Self::new()
    }
}

impl History {
    /// An empty history of a document that is as saved.
    pub fn new() -> Self {
        Self::with_budget(DEFAULT_BUDGET_BYTES)
    }

    /// An empty history that keeps about this many bytes of changes, and at least one step.
    pub fn with_budget(budget_bytes: usize) -> Self {
        let mut record = undo::Record::new();
        record.set_saved();
        Self {
            record,
            budget_bytes,
            held_bytes: 0,
            needed: 0,
            forgotten: 0,
            next_serial: 1,
            forgotten_serial: 0,
            dropped: vec![],
            was_saved: false,
            begun: None,
        }
    }

    /// An empty history of a document after so many changes that it does not know: see [`prepend`](Self::prepend).
    pub fn after(changes: u64) -> Self {
        // The number of the state that it begins with is that of no change: nobody takes another state for it.
        Self { next_serial: changes + 1, forgotten_serial: u64::MAX - changes, ..Self::new() }
    }

    /// Puts steps before the first one: those that made the document that this history began
    /// [`after`](Self::after), and that ended with the same document, however it was made. The oldest are forgotten where
    /// all of them are more than its budget.
    pub fn prepend(&mut self, document: &mut Document, mut older: Self) {
        let begun = Some((self.forgotten_serial, older.mark()));
        if self.is_empty() {
            // Nothing was done since: what was undone before can still be redone.
            match self.record.saved() {
                _ if !self.was_saved => {}
                Some(_) => older.mark_saved_at(document, older.mark()),
                None => older.mark_saved_unknown(),
            }
            *self = Self { next_serial: self.next_serial.max(older.next_serial), budget_bytes: self.budget_bytes, begun, ..older };
            return self.hold_budget(document);
        }
        if self.forgotten > 0 {
            // Its own first steps are gone: those before them lead to no state that it knows.
            self.forgotten += older.forgotten + older.record.head();
            return;
        }
        let (head, saved) = (self.record.head(), self.record.saved());
        // All are done while the record is rebuilt, which swaps pointers.
        self.record.go_to(document, self.record.len());
        let before: Vec<Change> = older.record.entries().take(older.record.head()).map(|entry| entry.as_ref().clone()).collect();
        let count = before.len();
        let saved = saved.map(|saved| saved + count).or(older.record.saved().filter(|saved| !self.was_saved && *saved <= count));
        let own = self.record.entries().map(|entry| entry.as_ref().clone());
        let all: Vec<Change> = before.into_iter().chain(own).collect();
        self.held_bytes = all.iter().map(Change::size_bytes).sum();
        self.rebuild(document, all, saved);
        self.record.go_to(document, head + count);
        (self.forgotten, self.forgotten_serial, self.begun) = (older.forgotten, older.forgotten_serial, begun);
        self.hold_budget(document);
    }

    /// Makes the record anew of changes that the document holds, without applying anything.
    fn rebuild(&mut self, document: &mut Document, changes: Vec<Change>, saved: Option<usize>) {
        let mut rebuilt = undo::Record::new();
        if saved == Some(0) {
            rebuilt.set_saved();
        } else {
            rebuilt.clear_saved();
        }
        for (index, mut change) in changes.into_iter().enumerate() {
            change.applied = true;
            rebuilt.edit(document, change);
            if saved == Some(index + 1) {
                rebuilt.set_saved();
            }
        }
        self.record = rebuilt;
    }

    /// Applies a change to the document and keeps it. What was undone is dropped.
    ///
    /// A change without parts leaves no step.
    pub fn commit(&mut self, document: &mut Document, mut change: Change) {
        if change.is_empty() {
            return;
        }
        // What nobody took since the last commit is freed here.
        self.dropped.clear();
        change.serial = self.next_serial;
        self.next_serial += 1;
        let undone: usize = self.record.entries().skip(self.record.head()).map(|entry| entry.as_ref().size_bytes()).sum();
        self.dropped.extend(self.record.entries().skip(self.record.head()).map(|entry| entry.as_ref().clone()));
        self.held_bytes = self.held_bytes.saturating_sub(undone) + change.size_bytes();
        self.record.edit(document, change);
        self.hold_budget(document);
    }

    /// The changes that no step needs any more, for freeing them where nobody waits.
    pub fn take_dropped(&mut self) -> Vec<Change> {
        std::mem::take(&mut self.dropped)
    }

    /// Takes the last step back; answers its name.
    pub fn undo(&mut self, document: &mut Document) -> Option<String> {
        let label = self.entry(self.record.head().checked_sub(1)?)?;
        self.record.undo(document).map(|()| label)
    }

    /// Does the last undone step again; answers its name.
    pub fn redo(&mut self, document: &mut Document) -> Option<String> {
        let label = self.entry(self.record.head())?;
        self.record.redo(document).map(|()| label)
    }

    /// Undoes or redoes until `steps` steps are done.
    pub fn jump_to(&mut self, document: &mut Document, steps: usize) {
        self.record.go_to(document, steps.min(self.record.len()));
    }

    /// Steps that are done.
    pub fn head(&self) -> usize {
        self.record.head()
    }

    /// Steps in all, done and undone.
    pub fn len(&self) -> usize {
        self.record.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.record.is_empty()
    }

    /// Steps that were forgotten to stay within the budget.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// Bytes that its steps keep, each as it was when it was done.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// Sets the bytes that it keeps at most, and forgets the oldest steps that are more.
    pub fn set_budget(&mut self, document: &mut Document, bytes: usize) {
        self.budget_bytes = bytes;
        self.hold_budget(document);
    }

    /// Keeps so many of the last steps that are done whatever they take: whoever repeats what somebody did knows which of them are
    /// undone later.
    pub fn keep_last(&mut self, steps: usize) {
        self.needed = steps;
    }

    /// Bytes that it keeps at most, unless one step alone is larger.
    pub fn budget_bytes(&self) -> usize {
        self.budget_bytes
    }

    /// Every step in order, the first one first.
    pub fn entries(&self) -> impl Iterator<Item = HistoryEntry> {
        let head = self.record.head();
        self.record
            .entries()
            .enumerate()
            .map(move |(index, entry)| HistoryEntry { label: entry.as_ref().label.clone(), done: index < head })
    }

    /// One step; the first one is number 0.
    pub fn entry_at(&self, index: usize) -> Option<HistoryEntry> {
        Some(HistoryEntry { label: self.entry(index)?, done: index < self.record.head() })
    }

    /// The change that the next undo takes back.
    pub fn last(&self) -> Option<&Change> {
        Some(self.record.get_entry(self.record.head().checked_sub(1)?)?.as_ref())
    }

    /// The change that the next redo does again.
    pub fn next(&self) -> Option<&Change> {
        Some(self.record.get_entry(self.record.head())?.as_ref())
    }

    /// The present state, for saying later that it was saved.
    pub fn mark(&self) -> HistoryMark {
        let done = self.record.entries().take(self.record.head());
        HistoryMark { serial: last_for_files(done.map(AsRef::as_ref)).unwrap_or(self.forgotten_serial) }
    }

    /// Declares a state to be the saved one: the state that a save began with.
    ///
    /// Steps taken while the save ran stay unsaved. Where the state is gone, because its last step was
    /// undone and another one taken, no state is the saved one.
    pub fn mark_saved_at(&mut self, document: &mut Document, mark: HistoryMark) {
        self.was_saved = true;
        let head = self.record.head();
        match self.steps_at(mark) {
            Some(steps) => {
                // The record marks only where it stands: go there and back, which swaps pointers.
                self.record.go_to(document, steps);
                self.record.set_saved();
                self.record.go_to(document, head);
            }
            None => self.record.clear_saved(),
        }
    }

    /// Declares that no state is the saved one any more.
    pub fn mark_never_saved(&mut self) {
        self.record.clear_saved();
    }

    /// Declares that the files hold a state of which nobody knows whether its steps, or those from before it, lead to it.
    pub fn mark_saved_unknown(&mut self) {
        self.was_saved = true;
        self.record.clear_saved();
    }

    /// Whether the saved state is one that its steps lead to: else nobody knows how many of them no file holds.
    pub fn knows_saved(&self) -> bool {
        self.record.saved().is_some()
    }

    /// Whether the document differs from its saved state. Selecting is not a difference.
    pub fn is_modified(&self) -> bool {
        let head = self.record.head();
        let Some(saved) = self.record.saved() else { return true };
        self.differs_between(saved, head)
    }

    /// Number of the steps that lead to the state of that mark, if they do.
    fn steps_at(&self, mark: HistoryMark) -> Option<usize> {
        // A save may have begun before the older steps came.
        let mark = self.begun.filter(|(serial, _)| *serial == mark.serial).map_or(mark, |(_, same)| same);
        let index = self.record.entries().position(|entry| entry.as_ref().serial == mark.serial);
        if mark.serial == self.forgotten_serial { Some(0) } else { index.map(|index| index + 1) }
    }

    fn differs_between(&self, a: usize, b: usize) -> bool {
        self.record.entries().skip(a.min(b)).take(a.abs_diff(b)).any(|entry| !entry.as_ref().only_session_state())
    }

    /// Whether the document differs from the state of that mark as [`is_modified`](Self::is_modified) has it.
    pub fn is_modified_since(&self, mark: HistoryMark) -> bool {
        let Some(steps) = self.steps_at(mark) else { return true };
        self.differs_between(steps, self.record.head())
    }

    /// Whether the last step is one that can give way to another: nothing was undone, and it is not the one that was saved.
    pub fn may_replace_last(&self) -> bool {
        let head = self.record.head();
        head == self.record.len() && self.record.saved() != Some(head)
    }

    fn entry(&self, index: usize) -> Option<String> {
        Some(self.record.get_entry(index)?.as_ref().label.clone())
    }

    fn hold_budget(&mut self, document: &mut Document) {
        if self.held_bytes > self.budget_bytes {
            self.trim(document);
        }
    }

    /// Forgets the oldest steps, down to three quarters of the budget, so that it is not done at every step. The last one stays, and
    /// what was undone.
    fn trim(&mut self, document: &mut Document) {
        if self.record.head() <= self.needed {
            return;
        }
        let goal = self.budget_bytes / 4 * 3;
        let sizes: Vec<usize> = self.record.entries().map(|entry| entry.as_ref().size_bytes()).collect();
        let (mut held, head) = (sizes.iter().sum::<usize>(), self.record.head());
        let mut dropped = 0;
        for size in sizes.iter().take(head.saturating_sub(self.needed).min(sizes.len().saturating_sub(1))) {
            if held <= goal {
                break;
            }
            held -= size;
            dropped += 1;
        }
        if dropped == 0 {
            return;
        }
        // The record has no way to drop its oldest entries: it is rebuilt with all of them done, without applying anything.
        self.record.go_to(document, sizes.len());
        let saved = self.record.saved().and_then(|saved| match self.differs_between(saved, saved.max(dropped)) {
            true => None,
            false => Some(saved.saturating_sub(dropped)),
        });
        let kept: Vec<Change> = self.record.entries().skip(dropped).map(|entry| entry.as_ref().clone()).collect();
        self.dropped.extend(self.record.entries().take(dropped).map(|entry| entry.as_ref().clone()));
        let forgotten = self.record.entries().take(dropped);
        self.forgotten_serial = last_for_files(forgotten.map(AsRef::as_ref)).unwrap_or(self.forgotten_serial);
        self.rebuild(document, kept, saved);
        self.record.go_to(document, head - dropped);
        self.held_bytes = held;
        self.forgotten += dropped;
    }
}

/// Serial of the last of these changes that a file would hold.
fn last_for_files<'a>(changes: impl Iterator<Item = &'a Change>) -> Option<u64> {
    changes.filter(|change| !change.only_session_state()).last().map(|change| change.serial)
}
