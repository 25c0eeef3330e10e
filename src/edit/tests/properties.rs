//! Every command against the model: plan, commit, undo, redo, text, and edits by others in between.

use glam::IVec3;
use proptest::prelude::*;

use super::model::Model;
use super::strategies::{
    COLORS, brush, color, command, gesture, healing, land, masks, mode, path, picture_brush, pos, region, symmetry, voxel_command,
};
use crate::document::{Anchor, Document, MarkerRole, Masks, Object, Progress, Symmetry};
use crate::edit::ops::mismatches;
use crate::edit::{Along, Clip, Command, History, PaintStyle, ops, plan};
use crate::geom::Region;
use crate::voxel::{Extra, Paint, Rgb, StoreEdit, Voxel};

#[track_caller]
pub(super) fn check_same(document: &Document, model: &Model) {
    let found = Model::of(document);
    assert_eq!((found.bounds, &found.selection, found.dirt, &found.objects), (model.bounds, &model.selection, model.dirt, &model.objects));
    assert_eq!((&found.masks, &found.symmetry, &found.metadata), (&model.masks, &model.symmetry, &model.metadata));
    for pos in model.bounds.positions() {
        assert_eq!(found.get(pos), model.get(pos), "at {pos}");
    }
}

/// Nothing outside the bounds; floor where there was floor, unless everything moved; what the masks protect is as it was, also from
/// commands that the model does not know.
#[track_caller]
fn check_rules(before: &Model, document: &Document, command: &Command) {
    let occupied = document.store().occupied();
    assert!(document.bounds().contains_region(&occupied), "{occupied:?} in {:?}", document.bounds());
    if !matches!(command, Command::Resize(_) | Command::Crop(_) | Command::Shift(_)) {
        let floor = before.bounds.positions().filter(|pos| pos.z == before.floor() && before.get(*pos).is_some());
        for pos in floor {
            assert!(document.store().is_solid(pos), "the floor at {pos} is gone");
        }
    }
    if matches!(command, Command::Path(_) | Command::Scatter(_) | Command::Terrain(_)) {
        let after = Model::of(document);
        for pos in before.bounds.positions().filter(|pos| !before.allows(*pos)) {
            let (before, after) = (before.get(pos), after.get(pos));
            assert_eq!(before.is_some(), after.is_some(), "{pos} is protected");
            // What comes to light gets a color where it had none.
            let paint = before.and_then(|voxel| voxel.paint);
            assert!(paint.is_none() || paint == after.and_then(|voxel| voxel.paint), "the color of {pos} is protected");
        }
    }
}

/// Plans twice, commits, and compares with the model. Answers whether the command could be planned; fails where the model
/// has another opinion.
#[track_caller]
pub(super) fn check_commit(document: &mut Document, history: &mut History, command: &Command) -> bool {
    let before = Model::of(document);
    let json = serde_json::to_string(command).unwrap();
    assert_eq!(&serde_json::from_str::<Command>(&json).unwrap(), command, "{json}");
    let planned = plan(document, command, &Progress::new());
    before.answer(command).check(&planned, command);
    let Ok(change) = planned else { return false };
    let again = plan(document, command, &Progress::new()).unwrap();
    let mut twin = document.clone();
    History::new().commit(&mut twin, again);
    history.commit(document, change);
    assert!(twin.store().same_voxels(document.store()));
    check_rules(&before, document, command);
    if let Some(expected) = before.after(command) {
        check_same(document, &expected);
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_sequence_of_commands_does_what_the_model_does_and_undo_takes_it_back(commands in prop::collection::vec(command(), 1..7)) {
        let (mut document, mut history) = (land(), History::new());
        let mut states = vec![Model::of(&document)];
        for command in &commands {
            let steps = history.len();
            check_commit(&mut document, &mut history, command);
            if history.len() > steps {
                states.push(Model::of(&document));
            }
        }
        prop_assert_eq!(history.len() + 1, states.len());
        for state in states.iter().rev().skip(1) {
            history.undo(&mut document).unwrap();
            check_same(&document, state);
        }
        for state in states.iter().skip(1) {
            history.redo(&mut document).unwrap();
            check_same(&document, state);
        }
        history.jump_to(&mut document, 0);
        check_same(&document, &states[0]);
        prop_assert!(document.store().same_voxels(land().store()));
    }

    #[test]
    fn no_command_touches_another_volume_nor_what_stands_there(
        symmetry in symmetry(), (kind, from) in healing(), commands in prop::collection::vec(command(), 1..7)
    ) {
        let land = land();
        let mut document = Document::with_volumes(vec![land.active_volume().clone(); 2], land.profile).unwrap();
        let mut objects = (*land.objects).clone();
        // Commands name the first six.
        for (number, volume) in [0, 0, 0, 0, 0, 0, 1, 1, 1].into_iter().enumerate() {
            let (label, number) = (["bridge", "tower", "well"][number % 3].into(), number as i32);
            let at = Anchor { x: 3 * number, y: number % 4, z: None };
            objects.push(Object::Marker { label, at, role: MarkerRole::Point, volume });
        }
        document.objects = objects.into();
        let there = |document: &Document| {
            let objects = document.objects.iter().filter(|(_, object)| object.volume() == 1);
            objects.map(|(id, object)| (id, object.clone())).collect::<Vec<_>>()
        };
        let (before, standing) = (document.clone(), there(&document));
        let mut history = History::new();
        let symmetry = Symmetry { kind, ..symmetry };
        let heal = [Command::SetSymmetry(ops::SetSymmetry::to(&symmetry)), Command::Heal(ops::Heal { from, objects: true })];
        for command in commands.iter().chain(&heal) {
            let Ok(change) = plan(&document, command, &Progress::new()) else { continue };
            history.commit(&mut document, change);
            prop_assert!(before.volumes()[1].store.same_voxels(&document.volumes()[1].store), "{:?}", command);
            prop_assert_eq!(&there(&document), &standing, "{:?}", command);
        }
    }

    #[test]
    fn every_command_does_what_the_model_does_under_masks_and_symmetry(
        masks in prop_oneof![Just(Masks::default()), masks()], symmetry in symmetry(), commands in prop::collection::vec(voxel_command(), 1..4)
    ) {
        let (mut document, mut history) = (land(), History::new());
        check_commit(&mut document, &mut history, &Command::SetMasks(ops::SetMasks(masks)));
        check_commit(&mut document, &mut history, &Command::SetSymmetry(ops::SetSymmetry::to(&symmetry)));
        prop_assert_eq!(&*document.symmetry, &symmetry);
        prop_assert!(!history.is_modified());
        for command in &commands {
            check_commit(&mut document, &mut history, command);
        }
    }

    #[test]
    fn every_brush_draws_and_paints_as_the_model_does(
        brushes in prop::collection::vec((prop_oneof![brush(), picture_brush()], mode(), color(), path(), color(), any::<bool>()), 8)
    ) {
        let (mut document, mut history) = (land(), History::new());
        for (brush, mode, color, path, to, is_painted) in brushes {
            let style = PaintStyle::Gradient { from: color, to, along: Along::Stroke };
            let command = match is_painted {
                true => Command::Paint(ops::PaintStroke { depth: 3, ..ops::PaintStroke::new(style, brush, path) }),
                false => Command::Stroke(ops::Stroke { brush, mode, color, path }),
            };
            check_commit(&mut document, &mut history, &command);
        }
    }

    #[test]
    fn what_is_drawn_and_sculpted_on_a_healed_map_keeps_it_symmetric(
        (kind, from) in healing(), commands in prop::collection::vec(gesture(), 1..4)
    ) {
        let (mut document, mut history) = (land(), History::new());
        // What is uncovered takes one color on both sides, and no column lacks the floor, which nothing removes.
        document.dirt = Some(COLORS[0]);
        check_commit(&mut document, &mut history, &Command::RepairColumns(ops::RepairColumns {}));
        let symmetry = Symmetry { kind, center: [30, 16], swap_teams: true, swap_colors: vec![[COLORS[2], COLORS[3]]] };
        check_commit(&mut document, &mut history, &Command::SetSymmetry(ops::SetSymmetry::to(&symmetry)));
        let mismatches = |document: &Document| mismatches(document, &Progress::new()).unwrap();
        prop_assert!(mismatches(&document).count() > 0);
        check_commit(&mut document, &mut history, &Command::Heal(ops::Heal { from, objects: true }));
        let left = mismatches(&document);
        prop_assert!(left.is_empty(), "{:?}", left.positions().next());
        let healed = document.store().clone();
        check_commit(&mut document, &mut history, &Command::Heal(ops::Heal { from, objects: true }));
        prop_assert!(healed.same_voxels(document.store()), "healing what is whole changes nothing");
        for command in &commands {
            check_commit(&mut document, &mut history, command);
            let found = mismatches(&document);
            prop_assert!(found.is_empty(), "{:?} after {:?}", found.positions().next(), command);
        }
    }

    #[test]
    fn a_remote_edit_in_between_survives_undo(command in voxel_command(), at in pos()) {
        let (mut document, mut history) = (land(), History::new());
        // In the map and above its floor; cases that are thrown away would use up those that proptest allows.
        let bounds = document.bounds();
        let at = at.clamp(bounds.min(), bounds.max() - IVec3::new(1, 1, 2));
        check_commit(&mut document, &mut history, &command);
        if history.len() != 1 {
            return Ok(());
        }
        // Somebody else, whose edits are not in our history.
        let strange = Voxel { paint: Some(Paint { rgb: Rgb::new(1, 2, 3), shade: 4 }), extra: Extra::default() };
        let mut edit = StoreEdit::new(document.store());
        edit.set(at, Some(strange));
        let changes = edit.finish();
        document.store_mut(0).unwrap().apply(&changes);
        history.undo(&mut document);
        let before = Model::of(&land());
        for pos in before.bounds.positions() {
            let expected = if pos == at { Some(strange) } else { before.get(pos) };
            prop_assert_eq!(document.store().voxel(pos), expected, "at {}", pos);
        }
    }

    #[test]
    fn clips_read_back_from_their_text_and_turn_back(region in region()) {
        if let Ok(clip) = Clip::cut(&land(), region) {
            let text = String::from(clip.clone());
            prop_assert_eq!(&Clip::try_from(text).unwrap(), &clip);
            for orientation in crate::geom::Orientation::all() {
                let turned = clip.turned(orientation);
                prop_assert_eq!(turned.store().solid_count(), clip.store().solid_count());
                prop_assert_eq!(&turned.turned(orientation.inverse()), &clip);
            }
        }
    }

    #[test]
    fn damaged_clips_are_refused_or_read_but_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4), cut in any::<prop::sample::Index>()) {
        let text = String::from(Clip::cut(&land(), Region::new(IVec3::new(5, 2, 28), IVec3::new(9, 6, 38))).unwrap());
        let mut bytes = text.clone().into_bytes();
        for (index, value) in flips {
            *index.get_mut(&mut bytes) = b"ABCDEFGHabcdefgh0123+/=="[usize::from(value) % 24];
        }
        if let Ok(text) = String::from_utf8(bytes) {
            Clip::try_from(text).ok();
        }
        let cut = cut.index(text.len());
        prop_assert!(Clip::try_from(text[..cut].to_owned()).is_err());
    }
}
