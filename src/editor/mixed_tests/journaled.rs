//! Random commands, undo, redo and jumps through a journal, and kills between any two of them: what comes back is what the model has, and so
//! are the steps before it.

use std::path::Path;

use glam::IVec3;
use proptest::prelude::*;

use super::killed::{Killed, Step, step};
use super::steps::command;
use super::{SIZE, check_same, has_one, land};
use crate::document::{Document, Progress};
use crate::edit::tests::model::Model;
use crate::edit::tests::model_history::ModelHistory;
use crate::edit::{Command, ops, plan};
use crate::editor::files::{OpenOptions, SaveOptions, Stamps, open_map, save_map};
use crate::editor::journal::JournalBase;
use crate::editor::storage::testing::FaultyStorage;
use crate::geom::Region;

/// The whole map in other bounds: larger, smaller, or moved.
fn resize() -> impl Strategy<Value = Command> {
    let bounds = (-6..7_i32, -6..7_i32, 20..56_i32, 12..36_i32);
    let region = bounds.prop_map(|(x, y, east, south)| Region::new(IVec3::new(x, y, 0), IVec3::new(east, south, SIZE.z)));
    prop_oneof![
        2 => region.prop_map(|region| Command::Resize(ops::Resize { region })),
        1 => Just(Command::Crop(ops::Crop {})),
    ]
}

fn commands() -> impl Strategy<Value = Command> {
    prop_oneof![8 => command(), 1 => resize()]
}

/// A map with its journal, beside what the model says of it.
struct Journaled {
    killed: Killed,
    model: ModelHistory,
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
        let model = ModelHistory::of(Model::of(&document)).never_saved();
        let mut killed = Killed::begin(storage, document, base, Stamps::default(), ("m/land.vmf", "vmf"));
        killed.history.mark_never_saved();
        Self { killed, model }
    }

    #[track_caller]
    fn go(&mut self, step: &Step) {
        match step {
            Step::Do(Command::AddObject(ops::AddObject(object)) | Command::SetObject(ops::SetObject { object, .. }))
                if has_one(&self.model.now, object) => {}
            Step::Do(command) => {
                let Ok(change) = plan(&self.killed.document, command, &Progress::new()) else { return };
                let known = self.model.now.after(command);
                self.killed.commit(command, change);
                self.model.step(known.unwrap_or_else(|| Model::of(&self.killed.document)));
            }
            Step::Undo if self.model.undo().is_some() => self.killed.undo(),
            Step::Redo if self.model.redo().is_some() => self.killed.redo(),
            Step::Undo | Step::Redo => {}
            Step::Jump(to) => {
                let to = to.index(self.model.len() + 1);
                while self.model.head() > to {
                    self.model.undo();
                }
                while self.model.head() < to {
                    self.model.redo();
                }
                self.killed.jump(to);
            }
            Step::Snapshot => self.killed.snapshot(),
            Step::Save => {
                self.killed.save();
                self.model.save();
            }
            // What is saved is not offered.
            Step::Kill { .. } if self.killed.is_saved() => {}
            Step::Kill { is_quick } => self.kill(*is_quick),
        }
        let history = &self.killed.history;
        assert_eq!((history.is_modified(), history.knows_saved()), (self.model.is_modified(), self.model.knows_saved()));
        assert_eq!((history.head(), history.len()), (self.model.head(), self.model.len()));
        check_same(&self.killed.document, &self.model.now);
    }

    #[track_caller]
    fn kill(&mut self, is_quick: bool) {
        self.killed.kill(is_quick, |document| check_same(document, &self.model.now));
        // Back to the very beginning and to where it was.
        let Killed { document, history, .. } = &mut self.killed;
        let (head, mut model) = (self.model.head(), self.model.clone());
        while model.undo().is_some() {
            history.undo(document).unwrap();
            check_same(document, &model.now);
        }
        history.jump_to(document, head);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_killed_map_comes_back_as_the_model_has_it(steps in prop::collection::vec(step(commands()), 1..24)) {
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
    assert_eq!(map.killed.document.bounds(), Region::of_size(IVec3::new(26, 8, SIZE.z)));
    for is_quick in [true, false] {
        map.go(&Step::Kill { is_quick });
        [Step::Undo, Step::Undo, Step::Undo, Step::Undo].iter().for_each(|step| map.go(step));
        assert_eq!(map.killed.document.bounds().size(), SIZE);
        map.go(&Step::Kill { is_quick });
        [Step::Redo, Step::Redo, Step::Redo, Step::Redo].iter().for_each(|step| map.go(step));
    }
    assert_eq!((map.killed.history.head(), map.killed.document.bounds().size().y), (5, 8));
}

#[test]
fn kills_are_followed_by_snapshots() {
    let mut map = Journaled::begin();
    for step in [set(1), set(2), Step::Snapshot, set(3), Step::Undo, Step::Kill { is_quick: true }, Step::Redo, set(4)] {
        map.go(&step);
    }
    map.go(&Step::Kill { is_quick: true });
    assert_eq!((map.killed.quick, map.killed.history.head()), (2, 4));
}
