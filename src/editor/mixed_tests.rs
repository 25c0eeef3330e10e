//! Long mixed sequences against the model: commands of all kinds, undo, redo, edits by others in the same places, where chunks meet, a
//! budget of the history, saving, and opening again, with the files beside the map.

mod journaled;
mod killed;
mod saving;
mod steps;
mod volumes;

use std::cell::RefCell;
use std::sync::Arc;

use glam::IVec3;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use self::saving::Disk;
use self::steps::{COLORS, Other, Step, steps};
use crate::document::{Document, GameProfile, Object, Progress};
use crate::edit::tests::model::Model;
use crate::edit::tests::model_history::ModelHistory;
use crate::edit::{Command, History, ops, plan};
use crate::geom::Region;
use crate::voxel::{Extra, Paint, Store, StoreEdit, Voxel, VoxelKind};

/// Of four chunks, two of them narrow; the edits are where they meet.
const SIZE: IVec3 = IVec3::new(40, 24, 64);

/// More than all steps of a sequence take.
const AMPLE_BYTES: usize = 512 << 20;

/// How often a sequence came into the situations that it is for.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    refused: usize,
    /// Voxels, objects and properties that undo and redo left as others made them.
    left_by_undo: usize,
    left_by_redo: usize,
    /// Steps that were forgotten, and those undone in a history that forgot some.
    forgotten: usize,
    undone_after_forgetting: usize,
    undone_after_forgetting_beside_others: usize,
    /// Steps of commands that the model does not know, which it takes as the map shows them.
    taken: usize,
    /// Steps at which the saved state was among those that are forgotten, or gone with steps that were undone.
    saved_forgotten: usize,
    /// Saved maps that went on as they were, with their history.
    kept: usize,
    /// Saved maps, in all and in another format than before; objects, facts and voxels with more than a color in them.
    saved: usize,
    converted: usize,
    objects: usize,
    facts: usize,
    extras: usize,
}

/// Hills on a floor without holes, colored where they can be seen; some voxels have all that VMF knows.
fn land() -> Document {
    let bounds = Region::of_size(SIZE);
    let mut store = Store::new(bounds);
    for only_painting in [false, true] {
        let mut edit = StoreEdit::new(&store);
        for pos in bounds.positions().filter(|pos| pos.z >= 30 + (pos.x / 4 + pos.y / 3) % 5 || pos.z == 63) {
            let is_top = !store.is_solid(pos - IVec3::Z);
            let paint = Paint { rgb: COLORS[(pos.x / 8) as usize % 3], shade: 0x40 + pos.z as u8 };
            let odd = Extra { light: 9, kind: VoxelKind::Water, indestructible: 1, reserved: 770, ..Extra::default() };
            let extra = if pos.x == 33 && pos.z < 60 { odd } else { Extra::default() };
            edit.set(pos, Some(Voxel { paint: (only_painting && is_top).then_some(paint), extra }));
        }
        let changes = edit.finish();
        store.apply(&changes);
    }
    Document::new(store, &GameProfile::ACE_OF_SPADES)
}

/// What somebody else does, in the map and in the model. The floor stays, as for everybody.
fn edit_as_other(document: &mut Document, model: &mut Model, edit: &Other) {
    match edit {
        Other::Voxels(region, voxel) => {
            let inside = region.intersection(&document.above_floor(&document.bounds()));
            let mut edit = StoreEdit::new(document.store());
            for pos in inside.positions() {
                edit.set(pos, *voxel);
                model.set(pos, *voxel);
            }
            let changes = edit.finish();
            document.store_mut(0).unwrap().apply(&changes);
        }
        Other::Add(object) if has_one(model, object) => {}
        Other::Add(object) => {
            Arc::make_mut(&mut document.objects).push(object.clone());
            model.objects.push(object.clone());
        }
        Other::Replace(id, object) => {
            // Not a second one where a team has one.
            if model.objects.get(*id).is_some() && !has_one(model, object) {
                Arc::make_mut(&mut document.objects).0.insert(*id, object.clone());
                model.objects.0.insert(*id, object.clone());
            }
        }
        Other::Remove(id) => {
            Arc::make_mut(&mut document.objects).0.remove(id);
            model.objects.0.remove(id);
        }
        Other::Set(property) => {
            Arc::make_mut(&mut document.metadata).set(property.clone());
            model.metadata.set(property.clone());
        }
    }
}

/// Whether the object is one that a team has once, and has.
fn has_one(model: &Model, object: &Object) -> bool {
    let is_single = matches!(object, Object::Base { .. } | Object::Intel { .. });
    is_single && model.objects.iter().any(|(_, other)| other.label() == object.label())
}

#[track_caller]
fn check_same(document: &Document, model: &Model) {
    let found = Model::of(document);
    for pos in model.bounds.positions() {
        assert_eq!(found.get(pos), model.get(pos), "at {pos}");
    }
    assert_eq!(found.objects, model.objects);
    assert_eq!(found.metadata, model.metadata);
    assert!(found == *model, "bounds, selection, masks, symmetry or dirt differ");
}

/// Goes through the steps with map and model, and compares them after each.
#[track_caller]
fn run(steps: &[Step], budget_bytes: usize) -> Reached {
    let (mut document, mut history) = (land(), History::with_budget(budget_bytes));
    let mut model = ModelHistory::of(Model::of(&document));
    let (mut disk, mut reached, mut largest) = (Disk::new(), Reached::default(), 0);
    for step in steps {
        match step {
            // What only one can be of.
            Step::Do(Command::AddObject(ops::AddObject(object)) | Command::SetObject(ops::SetObject { object, .. }))
                if has_one(&model.now, object) => {}
            Step::Do(command) => {
                let planned = plan(&document, command, &Progress::new());
                model.now.answer(command).check(&planned, command);
                let Ok(change) = planned else {
                    reached.refused += 1;
                    continue;
                };
                let (is_empty, size) = (change.is_empty(), change.size_bytes());
                let (forgotten, held) = (history.forgotten(), history.held_bytes());
                history.commit(&mut document, change);
                let known = model.now.after(command);
                reached.taken += usize::from(known.is_none() && !is_empty);
                let is_step = model.step(known.unwrap_or_else(|| Model::of(&document)));
                assert_eq!(is_step, !is_empty, "{command:?}");
                let dropped = history.forgotten() - forgotten;
                assert!(dropped == 0 || budget_bytes < AMPLE_BYTES, "{dropped} forgotten, with room for all");
                assert!(budget_bytes > 0 || history.len() <= 1, "{} steps, with room for none", history.len());
                assert!(dropped == 0 || held + size > budget_bytes, "{dropped} forgotten, at {held} of {budget_bytes} bytes");
                assert!(history.held_bytes() <= budget_bytes || history.len() == 1, "{} of {budget_bytes} bytes", history.held_bytes());
                largest = size.max(largest);
                let (held, least) = (history.held_bytes(), budget_bytes / 4 * 3);
                assert!(dropped == 0 || held + largest > least, "{dropped} forgotten, down to {held} of {budget_bytes} bytes");
                model.forget(dropped);
                reached.forgotten += dropped;
            }
            Step::Undo => {
                let left = model.undo();
                assert_eq!(history.undo(&mut document).is_some(), left.is_some());
                reached.left_by_undo += left.unwrap_or(0);
                let has_forgotten = left.is_some() && history.forgotten() > 0;
                reached.undone_after_forgetting += usize::from(has_forgotten);
                reached.undone_after_forgetting_beside_others += usize::from(has_forgotten && left > Some(0));
            }
            Step::Redo => {
                let left = model.redo();
                assert_eq!(history.redo(&mut document).is_some(), left.is_some());
                reached.left_by_redo += left.unwrap_or(0);
            }
            Step::Other(edit) => edit_as_other(&mut document, &mut model.now, edit),
            Step::Keep => {
                reached.kept += 1;
                disk.saved(&document, &model.now);
                let mark = history.mark();
                history.mark_saved_at(&mut document, mark);
                model.save();
            }
            Step::Save(format) => {
                reached.saved += 1;
                reached.converted += usize::from(document.source.as_ref().is_some_and(|source| source.format != *format));
                reached.objects += model.now.objects.0.len();
                reached.facts += saving::facts(&model.now);
                reached.extras += saving::extras(&model.now);
                document = disk.saved_and_opened(&document, &model.now, format);
                (model, history) = (ModelHistory::of(Model::of(&document)), History::with_budget(budget_bytes));
            }
        }
        assert_eq!((history.head(), history.len()), (model.head(), model.len()));
        assert_eq!((history.is_modified(), history.knows_saved()), (model.is_modified(), model.knows_saved()));
        reached.saved_forgotten += usize::from(!model.knows_saved() && history.forgotten() > 0);
        check_same(&document, &model.now);
    }
    reached
}

fn sequence() -> impl Strategy<Value = (Vec<Step>, usize)> {
    let steps = prop::collection::vec(steps(), 1..32).prop_map(|parts| parts.concat());
    (steps, select(vec![AMPLE_BYTES, 60_000, 25_000, 0]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn commands_undo_redo_others_saving_and_opening_mix_as_in_the_model((steps, budget_bytes) in sequence()) {
        run(&steps, budget_bytes);
    }
}

#[test]
fn mixed_sequences_reach_what_they_are_for() {
    let all = RefCell::new(vec![]);
    let mut runner = TestRunner::new_with_rng(
        ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) },
        proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
    );
    let outcome = runner.run(&sequence(), |(steps, budget_bytes)| {
        all.borrow_mut().push(run(&steps, budget_bytes));
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
    let sum = |count: fn(&Reached) -> usize| all.borrow().iter().map(count).sum::<usize>();
    let reached = Reached {
        refused: sum(|reached| reached.refused),
        left_by_undo: sum(|reached| reached.left_by_undo),
        left_by_redo: sum(|reached| reached.left_by_redo),
        forgotten: sum(|reached| reached.forgotten),
        undone_after_forgetting: sum(|reached| reached.undone_after_forgetting),
        undone_after_forgetting_beside_others: sum(|reached| reached.undone_after_forgetting_beside_others),
        taken: sum(|reached| reached.taken),
        kept: sum(|reached| reached.kept),
        saved: sum(|reached| reached.saved),
        converted: sum(|reached| reached.converted),
        objects: sum(|reached| reached.objects),
        facts: sum(|reached| reached.facts),
        extras: sum(|reached| reached.extras),
        saved_forgotten: sum(|reached| reached.saved_forgotten),
    };
    let Reached { refused, left_by_undo, left_by_redo, forgotten, undone_after_forgetting, .. } = reached;
    let undo = [refused, left_by_undo, left_by_redo, forgotten, undone_after_forgetting, reached.undone_after_forgetting_beside_others];
    let saving = [
        reached.saved_forgotten,
        reached.taken,
        reached.kept,
        reached.saved,
        reached.converted,
        reached.objects,
        reached.facts,
        reached.extras,
    ];
    assert!(undo.iter().chain(&saving).all(|count| *count >= 3), "{reached:?}");
}
