//! Random commands, undo, redo and jumps through a journal, and kills between any two of them: what comes back is what the model has, and so
//! are the steps before it.

use std::path::Path;
use std::sync::Arc;

use glam::IVec3;
use proptest::prelude::*;

use super::steps::command;
use super::{SIZE, check_same, has_one, land};
use crate::document::{Document, Progress};
use crate::edit::tests::model::Model;
use crate::edit::tests::model_history::ModelHistory;
use crate::edit::{Command, History, ops, plan};
use crate::editor::files::{OpenOptions, SaveOptions, Stamps, open_map, save_map};
use crate::editor::journal::{Journal, JournalBase, JournalEntry};
use crate::editor::recovery::{
    before_snapshot, find_leftovers, replay, replay_quickly, replay_whole, replay_within_budget, write_snapshot,
};
use crate::editor::storage::testing::FaultyStorage;
use crate::geom::Region;

const JOURNAL: &str = "s/a.journal";

/// What happens to the map and its journal.
#[derive(Clone, Debug)]
enum Step {
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

/// The whole map in other bounds: larger, smaller, or moved.
fn resize() -> impl Strategy<Value = Command> {
    let bounds = (-6..7_i32, -6..7_i32, 20..56_i32, 12..36_i32);
    let region = bounds.prop_map(|(x, y, east, south)| Region::new(IVec3::new(x, y, 0), IVec3::new(east, south, SIZE.z)));
    prop_oneof![
        2 => region.prop_map(|region| Command::Resize(ops::Resize { region })),
        1 => Just(Command::Crop(ops::Crop {})),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => command().prop_map(Step::Do),
        1 => resize().prop_map(Step::Do),
        3 => Just(Step::Undo),
        2 => Just(Step::Redo),
        2 => any::<prop::sample::Index>().prop_map(Step::Jump),
        1 => Just(Step::Snapshot),
        1 => Just(Step::Save),
        2 => any::<bool>().prop_map(|is_quick| Step::Kill { is_quick }),
    ]
}

/// A map with its journal, beside what the model says of it.
struct Journaled {
    storage: FaultyStorage,
    journal: Option<Journal>,
    document: Document,
    history: History,
    model: ModelHistory,
    /// Kills after which the map came from a snapshot.
    quick: usize,
    /// Saves so far.
    saves: u64,
}

/// As a VMF gives it back: without shade, and with a color in every voxel.
fn from_file(document: &Document) -> Document {
    let (storage, path, progress) = (FaultyStorage::with(&[("m/readme", b"")]), Path::new("m/land.vmf"), Progress::new());
    save_map(&storage, document, path, &SaveOptions::default(), &progress).unwrap();
    open_map(&storage, path, &OpenOptions::default(), &progress).unwrap().document
}

impl Journaled {
    fn begin() -> Self {
        let (storage, document) = (FaultyStorage::default(), from_file(&land()));
        let base = JournalBase::Made { format: "vmf", document: Box::new(document.clone()), of_snapshot: false };
        let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), None, base, Stamps::default(), 7);
        let (model, mut history) = (ModelHistory::of(Model::of(&document)).never_saved(), History::new());
        history.mark_never_saved();
        Self { storage, journal: Some(journal), document, history, model, quick: 0, saves: 0 }
    }

    fn note(&self, entry: JournalEntry) {
        self.journal.as_ref().unwrap().append(entry);
    }

    #[track_caller]
    fn go(&mut self, step: &Step) {
        match step {
            Step::Do(Command::AddObject(ops::AddObject(object)) | Command::SetObject(ops::SetObject { object, .. }))
                if has_one(&self.model.now, object) => {}
            Step::Do(command) => {
                let Ok(change) = plan(&self.document, command, &Progress::new()) else { return };
                let (known, is_empty) = (self.model.now.after(command), change.is_empty());
                self.history.commit(&mut self.document, change);
                self.model.step(known.unwrap_or_else(|| Model::of(&self.document)));
                if !is_empty {
                    self.note(JournalEntry::Do { command: command.clone(), at: 10 });
                }
            }
            Step::Undo if self.model.undo().is_some() => {
                self.history.undo(&mut self.document);
                self.note(JournalEntry::Undo);
            }
            Step::Redo if self.model.redo().is_some() => {
                self.history.redo(&mut self.document);
                self.note(JournalEntry::Redo);
            }
            Step::Undo | Step::Redo => {}
            Step::Jump(to) => {
                let to = to.index(self.model.len() + 1);
                while self.model.head() > to {
                    self.model.undo();
                }
                while self.model.head() < to {
                    self.model.redo();
                }
                self.history.jump_to(&mut self.document, to);
                self.note(JournalEntry::Jump { to });
            }
            Step::Snapshot => {
                let journal = self.journal.as_ref().unwrap();
                journal.flush();
                write_snapshot(&self.storage, Path::new(JOURNAL), &self.document, journal.appended() as usize, None).unwrap();
            }
            Step::Save => {
                self.saves += 1;
                let (number, map) = (self.saves, Path::new("m/land.vmf").into());
                self.note(JournalEntry::Saving { number });
                self.note(JournalEntry::Saved { number: Some(number), map, format: Some("vmf".into()), stamps: Stamps::default() });
                let mark = self.history.mark();
                self.history.mark_saved_at(&mut self.document, mark);
                self.model.save();
            }
            // What is saved is not offered.
            Step::Kill { .. } if !self.model.is_modified() => {}
            Step::Kill { is_quick } => self.kill(*is_quick),
        }
        assert_eq!((self.history.is_modified(), self.history.knows_saved()), (self.model.is_modified(), self.model.knows_saved()));
        assert_eq!((self.history.head(), self.history.len()), (self.model.head(), self.model.len()));
        check_same(&self.document, &self.model.now);
    }

    #[track_caller]
    fn kill(&mut self, is_quick: bool) {
        let journal = self.journal.take().unwrap();
        journal.flush();
        assert_eq!(journal.failure(), None);
        drop(journal);
        self.storage.restart();
        let (storage, progress) = (&self.storage, Progress::new());
        let leftovers = find_leftovers(storage, Path::new("s"));
        assert!(leftovers.skipped.is_empty(), "{:?}", leftovers.skipped);
        let Some(found) = leftovers.recoverable.into_iter().next() else { panic!("the map is not offered: {:?}", self.model.head()) };
        let mut replayed = if is_quick { replay_quickly(storage, &found, &progress) } else { replay(storage, &found, &progress) }.unwrap();
        assert!(replayed.stopped.is_none(), "{:?}", replayed.stopped);
        check_same(&replayed.document, &self.model.now);
        // However few steps are kept, those that were undone are undone.
        let short = replay_within_budget(1, storage, &found.journal, &found.content).unwrap();
        assert!(short.stopped.is_none(), "{:?}", short.stopped);
        check_same(&short.document, &self.model.now);
        if replayed.skipped > 0 {
            self.quick += 1;
            let older = replay_whole(storage, &found.journal, &before_snapshot(&found.content, replayed.skipped), &progress).unwrap();
            replayed.history.prepend(&mut replayed.document, older.history);
        }
        (self.document, self.history) = (replayed.document, replayed.history);
        // Back to the very beginning and to where it was.
        let (head, mut model) = (self.model.head(), self.model.clone());
        while model.undo().is_some() {
            self.history.undo(&mut self.document).unwrap();
            check_same(&self.document, &model.now);
        }
        self.history.jump_to(&mut self.document, head);
        self.journal = Some(Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_killed_map_comes_back_as_the_model_has_it(steps in prop::collection::vec(step(), 1..24)) {
        let mut map = Journaled::begin();
        // Without a step there is nothing to restore.
        map.go(&Step::Do(serde_json::from_str(r##"{"set":{"at":[30,4,20],"color":"#102030"}}"##).unwrap()));
        steps.iter().for_each(|step| map.go(step));
        map.go(&Step::Kill { is_quick: true });
    }
}

fn set(x: i32) -> Step {
    Step::Do(serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},4,20],"color":"#102030"}}}}"##)).unwrap())
}

#[test]
fn maps_of_other_bounds_come_back_and_go_back() {
    let mut map = Journaled::begin();
    let resize = |min: [i32; 2], max: [i32; 2]| {
        let [min, max] = [(min, 0), (max, SIZE.z)].map(|([x, y], z)| IVec3::new(x, y, z));
        Step::Do(Command::Resize(ops::Resize { region: Region::new(min, max) }))
    };
    for step in [set(1), resize([-5, 3], [50, 20]), set(7), Step::Snapshot, resize([4, 4], [30, 12]), set(2)] {
        map.go(&step);
    }
    assert_eq!(map.document.bounds(), Region::of_size(IVec3::new(26, 8, SIZE.z)));
    for is_quick in [true, false] {
        map.go(&Step::Kill { is_quick });
        [Step::Undo, Step::Undo, Step::Undo, Step::Undo].iter().for_each(|step| map.go(step));
        assert_eq!(map.document.bounds().size(), SIZE);
        map.go(&Step::Kill { is_quick });
        [Step::Redo, Step::Redo, Step::Redo, Step::Redo].iter().for_each(|step| map.go(step));
    }
    assert_eq!((map.history.head(), map.document.bounds().size().y), (5, 8));
}

#[test]
fn kills_are_followed_by_snapshots() {
    let mut map = Journaled::begin();
    for step in [set(1), set(2), Step::Snapshot, set(3), Step::Undo, Step::Kill { is_quick: true }, Step::Redo, set(4)] {
        map.go(&step);
    }
    map.go(&Step::Kill { is_quick: true });
    assert_eq!((map.quick, map.history.head()), (2, 4));
}
