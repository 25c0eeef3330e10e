//! A station of two grids through a journal: random commands on both, kills between any two of them. What another grid than the active one
//! holds is nobody's to change, and all of it comes back.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use glam::IVec3;
use proptest::prelude::*;
use proptest::sample::select;

use super::killed::{Killed, Step, step};
use super::steps::COLORS;
use crate::document::{Anchor, Document, MarkerRole, Object, ObjectId, Objects, Progress, Selection};
use crate::edit::{Command, EditError, Mode, ops, plan};
use crate::editor::files::{OpenOptions, open_map};
use crate::editor::journal::JournalBase;
use crate::editor::storage::testing::FaultyStorage;
use crate::format::ss14::tests::edits::two_grids;
use crate::geom::Region;
use crate::voxel::{Rgb, Voxel};

const MAP: &str = "m/station.yml";

/// All that a step may change.
#[derive(Clone, Debug, PartialEq)]
struct State {
    grids: Vec<BTreeMap<[i32; 3], Voxel>>,
    active: usize,
    objects: Arc<Objects>,
    selection: Option<Selection>,
}

impl State {
    fn of(document: &Document) -> Self {
        let voxels = |grid: usize| {
            let store = &document.volumes()[grid].store;
            let solid = store.bounds().positions().filter_map(|pos| Some((pos.to_array(), store.voxel(pos)?)));
            solid.collect()
        };
        Self {
            grids: (0..document.volumes().len()).map(voxels).collect(),
            active: document.active(),
            objects: document.objects.clone(),
            selection: document.selection.clone(),
        }
    }

    /// What a command makes of it; where only the map knows, that of the active grid.
    fn after(&self, command: &Command, document: &Document) -> Self {
        let (mut after, found) = (self.clone(), Self::of(document));
        let bounds = document.bounds();
        match command {
            // The one that is worked on already stays as it is, with its selection.
            Command::SelectVolume(op) if op.volume == self.active => {}
            Command::SelectVolume(op) => (after.active, after.selection) = (op.volume, None),
            Command::Fill(op) if op.mode == Mode::Remove => {
                after.grids[self.active].retain(|pos, _| !op.region.contains(IVec3::from_array(*pos)))
            }
            Command::Fill(op) => {
                let places = op.region.intersection(&bounds).positions().map(|pos| pos.to_array());
                after.grids[self.active].extend(places.map(|pos| (pos, Voxel::new(op.color))));
            }
            _ => {
                after.grids[self.active] = found.grids[self.active].clone();
                (after.objects, after.selection) = (found.objects, found.selection);
            }
        }
        after
    }
}

struct Station {
    killed: Killed,
    /// The states before and after each step.
    states: Vec<State>,
    head: usize,
}

impl Station {
    fn begin() -> Self {
        let storage = FaultyStorage::with(&[(MAP, two_grids().as_bytes())]);
        let opened = open_map(&storage, Path::new(MAP), &OpenOptions::default(), &Progress::new()).unwrap();
        let base = JournalBase::of_opened(&opened, Path::new(MAP));
        let states = vec![State::of(&opened.document)];
        Self { killed: Killed::begin(storage, opened.document, base, opened.stamps, (MAP, "ss14")), states, head: 0 }
    }

    #[track_caller]
    fn go(&mut self, step: &Step) {
        match step {
            Step::Do(command) => {
                let change = match plan(&self.killed.document, command, &Progress::new()) {
                    Ok(change) => change,
                    Err(EditError::NoSuchVolume { volume, .. }) => return assert!(volume >= 2),
                    Err(_) => return,
                };
                let is_changed = self.killed.commit(command, change);
                let after = self.states[self.head].after(command, &self.killed.document);
                assert_eq!(is_changed, after != self.states[self.head], "{command:?}");
                if is_changed {
                    self.states.truncate(self.head + 1);
                    self.states.push(after);
                    self.head += 1;
                }
            }
            Step::Undo if self.head > 0 => {
                self.killed.undo();
                self.head -= 1;
            }
            Step::Redo if self.head + 1 < self.states.len() => {
                self.killed.redo();
                self.head += 1;
            }
            Step::Undo | Step::Redo => {}
            Step::Jump(to) => {
                self.head = to.index(self.states.len());
                self.killed.jump(self.head);
            }
            Step::Snapshot => self.killed.snapshot(),
            Step::Save => self.killed.save(),
            // What nobody edited, or what is saved, is not offered.
            Step::Kill { .. } if self.killed.is_saved() => {}
            Step::Kill { is_quick } => self.kill(*is_quick),
        }
        assert_eq!((self.killed.history.head(), self.killed.history.len()), (self.head, self.states.len() - 1));
        self.check(&self.killed.document);
    }

    #[track_caller]
    fn check(&self, document: &Document) {
        assert!(State::of(document) == self.states[self.head], "at step {} of {}", self.head, self.states.len() - 1);
    }

    #[track_caller]
    fn kill(&mut self, is_quick: bool) {
        let expected = &self.states[self.head];
        self.killed.kill(is_quick, |document| assert!(State::of(document) == *expected));
        let Killed { document, history, .. } = &mut self.killed;
        for step in (0..self.states.len()).rev().chain(0..self.states.len()) {
            history.jump_to(document, step);
            assert!(State::of(document) == self.states[step], "step {step} of {}", self.states.len() - 1);
        }
        history.jump_to(document, self.head);
    }
}

fn region() -> impl Strategy<Value = Region> {
    (-2..34_i32, -2..34_i32, 1..9_i32, 1..9_i32)
        .prop_map(|(x, y, width, depth)| Region::of_size(IVec3::new(width, depth, 1)).shifted(IVec3::new(x, y, 0)))
}

fn color() -> impl Strategy<Value = Rgb> {
    select(&COLORS[..])
}

fn command() -> impl Strategy<Value = Command> {
    let marker = (region(), 0..2_u32).prop_map(|(region, volume)| Object::Marker {
        label: "Crate".into(),
        at: Anchor { x: region.min().x, y: region.min().y, z: Some(0) },
        role: MarkerRole::Point,
        volume,
    });
    prop_oneof![
        3 => (0..3_usize).prop_map(|volume| Command::SelectVolume(ops::SelectVolume { volume })),
        4 => (region(), color(), select(vec![Mode::Set, Mode::Remove])).prop_map(|(region, color, mode)| Command::Fill(ops::Fill { region, color, mode })),
        2 => region().prop_map(|region| Command::Select(ops::Select { region: Some(region), combine: Default::default() })),
        2 => (-4..5_i32, -4..5_i32).prop_map(|(x, y)| Command::MoveSelection(ops::MoveSelection { by: IVec3::new(x, y, 0) })),
        1 => (color(), select(vec![Mode::Set, Mode::Paint])).prop_map(|(color, mode)| Command::FillSelection(ops::FillSelection { color, mode })),
        1 => marker.prop_map(|object| Command::AddObject(ops::AddObject(object))),
        1 => (1..8_u32).prop_map(|id| Command::RemoveObject(ops::RemoveObject { id: ObjectId(id) })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_killed_station_comes_back_grid_by_grid(steps in prop::collection::vec(step(command()), 1..24)) {
        let mut station = Station::begin();
        steps.iter().for_each(|step| station.go(step));
        station.go(&Step::Kill { is_quick: true });
    }
}

#[test]
fn both_grids_come_back_from_a_snapshot() {
    let mut station = Station::begin();
    let fill = |x: i32| {
        let region = Region::of_size(IVec3::ONE).shifted(IVec3::new(x, 20, 0));
        Step::Do(Command::Fill(ops::Fill { region, color: COLORS[0], mode: Mode::Set }))
    };
    let go_to = |volume: usize| Step::Do(Command::SelectVolume(ops::SelectVolume { volume }));
    for step in [fill(3), go_to(1), fill(4), Step::Snapshot, fill(5), go_to(0), fill(6), Step::Kill { is_quick: true }] {
        station.go(&step);
    }
    assert_eq!((station.killed.quick, station.head, station.killed.document.active()), (1, 6, 0));
}
