//! A map with its journal on a disk in memory: edited, killed and restored as a window is.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use crate::document::{Document, Progress};
use crate::edit::{Change, Command, History};
use crate::editor::files::Stamps;
use crate::editor::journal::{EntryKind, Journal, JournalBase, JournalEntry};
use crate::editor::recovery::{
    before_snapshot, find_leftovers, replay, replay_quickly, replay_whole, replay_within_budget, write_snapshot,
};
use crate::editor::storage::testing::FaultyStorage;

const JOURNAL: &str = "s/a.journal";

/// What happens to the map and its journal.
#[derive(Clone, Debug)]
pub enum Step {
    Do(Command),
    Undo,
    Redo,
    /// To the step of that share of all.
    Jump(prop::sample::Index),
    /// A recovery snapshot is written.
    Snapshot,
    /// The map is saved as it is.
    Save,
    /// The process is killed and the map restored, by its snapshot or without it.
    Kill {
        is_quick: bool,
    },
}

/// Steps of every kind, more of them commands than others.
pub fn step(command: impl Strategy<Value = Command> + 'static) -> impl Strategy<Value = Step> {
    prop_oneof![
        9 => command.prop_map(Step::Do),
        3 => Just(Step::Undo),
        2 => Just(Step::Redo),
        2 => any::<prop::sample::Index>().prop_map(Step::Jump),
        1 => Just(Step::Snapshot),
        1 => Just(Step::Save),
        2 => any::<bool>().prop_map(|is_quick| Step::Kill { is_quick }),
    ]
}

/// A map in a window that keeps a journal.
pub struct Killed {
    pub document: Document,
    pub history: History,
    /// Kills after which the map came from a snapshot.
    pub quick: usize,
    storage: FaultyStorage,
    journal: Option<Journal>,
    /// Where it is saved.
    map: &'static str,
    format: &'static str,
    saves: u64,
    /// Steps since the last save.
    unsaved: usize,
}

impl Killed {
    /// With its journal begun; `map` is where its saves go, in that format.
    pub fn begin(
        storage: FaultyStorage,
        document: Document,
        base: JournalBase,
        stamps: Stamps,
        (map, format): (&'static str, &'static str),
    ) -> Self {
        let path = storage.get(map).map(|_| Path::new(map));
        let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), path, base, stamps, 7);
        Self { document, history: History::new(), quick: 0, storage, journal: Some(journal), map, format, saves: 0, unsaved: 0 }
    }

    fn note(&mut self, entry: JournalEntry) {
        self.unsaved += usize::from(EntryKind::of(&entry).is_step());
        self.journal.as_ref().unwrap().append(entry);
    }

    /// Does a planned command; answers whether it changed anything.
    pub fn commit(&mut self, command: &Command, change: Change) -> bool {
        let is_empty = change.is_empty();
        self.history.commit(&mut self.document, change);
        if !is_empty {
            self.note(JournalEntry::Do { command: command.clone(), at: 10 });
        }
        !is_empty
    }

    pub fn undo(&mut self) {
        self.history.undo(&mut self.document);
        self.note(JournalEntry::Undo);
    }

    pub fn redo(&mut self) {
        self.history.redo(&mut self.document);
        self.note(JournalEntry::Redo);
    }

    pub fn jump(&mut self, to: usize) {
        if to != self.history.head() {
            self.history.jump_to(&mut self.document, to);
            self.note(JournalEntry::Jump { to });
        }
    }

    /// Whether nothing at all was done since the last save: then the map is not offered.
    pub fn is_saved(&self) -> bool {
        self.unsaved == 0
    }

    pub fn snapshot(&self) {
        let journal = self.journal.as_ref().unwrap();
        journal.flush();
        write_snapshot(&self.storage, Path::new(JOURNAL), &self.document, journal.appended() as usize, None).unwrap();
    }

    pub fn save(&mut self) {
        self.saves += 1;
        let (number, map) = (self.saves, Path::new(self.map).into());
        self.note(JournalEntry::Saving { number });
        self.note(JournalEntry::Saved {
            number: Some(number),
            map,
            format: Some(self.format.into()),
            options: None,
            stamps: Stamps::default(),
        });
        let mark = self.history.mark();
        self.history.mark_saved_at(&mut self.document, mark);
        self.unsaved = 0;
    }

    /// Kills the process and restores the map; `check` looks whether a map is as it was.
    #[track_caller]
    pub fn kill(&mut self, is_quick: bool, check: impl Fn(&Document)) {
        let journal = self.journal.take().unwrap();
        journal.flush();
        assert_eq!(journal.failure(), None);
        drop(journal);
        self.storage.restart();
        let (storage, progress) = (&self.storage, Progress::new());
        let leftovers = find_leftovers(storage, Path::new("s"));
        assert!(leftovers.skipped.is_empty(), "{:?}", leftovers.skipped);
        let found = leftovers.recoverable.into_iter().next().expect("the map is offered");
        assert_eq!(found.steps, self.unsaved);
        let mut replayed = if is_quick { replay_quickly(storage, &found, &progress) } else { replay(storage, &found, &progress) }.unwrap();
        assert!(replayed.stopped.is_none(), "{:?}", replayed.stopped);
        check(&replayed.document);
        // The files beside a map that was opened are edited, not made anew.
        let files = |document: &Document| document.sidecars.iter().map(|file| file.bytes.clone()).collect::<Vec<_>>();
        assert!(files(&self.document).is_empty() || files(&self.document) == files(&replayed.document));
        // However few steps are kept, those that were undone are undone.
        let short = replay_within_budget(1, storage, &found.journal, &found.content).unwrap();
        assert!(short.stopped.is_none(), "{:?}", short.stopped);
        check(&short.document);
        if replayed.skipped > 0 {
            self.quick += 1;
            let older = replay_whole(storage, &found.journal, &before_snapshot(&found.content, replayed.skipped), &progress).unwrap();
            replayed.history.prepend(&mut replayed.document, older.history);
        }
        (self.document, self.history) = (replayed.document, replayed.history);
        self.journal = Some(Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock));
    }
}
