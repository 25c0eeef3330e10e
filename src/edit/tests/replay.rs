//! Scripts at another place: what each command names moves, and so does what it does.

use glam::IVec3;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::script::examples;
use super::strategies::voxel_command;
use crate::document::{Document, GameProfile, Matter, Progress, Selection, Symmetry, SymmetryKind};
use crate::edit::{Clip, Command, History, PaintStyle, Replay, ReplayPlace, first_place, ops, plan};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{Rgb, Store, StoreEdit, Voxel};

const BY: IVec3 = IVec3::new(13, -7, 5);
/// Commands about the whole map, its facts, or what is selected.
const STAYING: [&str; 18] = [
    "replace_color",
    "select_volume",
    "delete_selection",
    "move_selection",
    "copy_selection",
    "resize",
    "crop",
    "shift",
    "repair_columns",
    "heal",
    "set_dirt",
    "set_property",
    "clear_spawns",
    "remove_object",
    "invert_selection",
    "grow_selection",
    "shrink_selection",
    "fill_selection",
];

/// The naive way: every place in the text of a command, by the name of its field.
fn moved(key: &str, value: &Value, by: IVec3) -> Value {
    let number = |value: &Value, by: i32| json!(value.as_i64().unwrap() + i64::from(by));
    let place = |value: &Value| match value.as_array() {
        Some(parts) => Value::from_iter(parts.iter().zip(by.to_array()).map(|(part, by)| number(part, by))),
        None => {
            let mut at = value.clone();
            for (axis, by) in ["x", "y", "z"].into_iter().zip(by.to_array()) {
                if let Some(part) = value.get(axis).filter(|part| !part.is_null()) {
                    at[axis] = number(part, by);
                }
            }
            at
        }
    };
    let each = |value: &Value| Value::from_iter(value.as_array().unwrap().iter().map(place));
    match (key, value) {
        (_, Value::Null) => Value::Null,
        ("at" | "from" | "to", value) if !value.is_string() => place(value),
        ("box" | "path" | "points" | "region" | "area" | "outline", _) => each(value),
        ("center", _) => json!([value[0].as_f64().unwrap() + f64::from(by.x), value[1].as_f64().unwrap() + f64::from(by.y)]),
        ("level" | "lowest", _) => number(value, by.z),
        ("z" | "heights", Value::Array(heights)) => heights.iter().map(|z| number(z, by.z)).collect(),
        // The sky stays.
        ("z", _) => number(value, if value == &json!(0) { 0 } else { by.z }),
        ("stops", _) => value.as_array().unwrap().iter().map(|stop| json!([number(&stop[0], by.z), stop[1]])).collect(),
        (_, Value::Object(fields)) => Value::from_iter(fields.iter().map(|(key, value)| (key.clone(), moved(key, value, by)))),
        _ => value.clone(),
    }
}

#[test]
fn every_place_in_every_kind_of_command_moves() {
    for line in examples().iter().filter(|line| !line.starts_with(r#"{"spadework""#)) {
        let command: Command = serde_json::from_str(line).unwrap();
        let before = serde_json::to_value(&command).unwrap();
        let (kind, payload) = before.as_object().unwrap().iter().next().unwrap();
        let stays = STAYING.contains(&kind.as_str()) || kind == "transform_selection";
        let expected = if stays { payload.clone() } else { moved("", payload, BY) };
        let found = serde_json::to_value(command.shifted(BY)).unwrap();
        // Half voxels come back as the same numbers, written otherwise.
        let text = |value: &Value| value.to_string().replace(".0", "");
        assert_eq!(text(&found[kind]), text(&expected), "{line}");
        assert_eq!(command.shifted(BY).shifted(-BY), command, "{line}");
    }
}

/// Hills over nothing, at another place, in a map with much room around.
fn island(by: IVec3) -> Document {
    let bounds = Region::new(IVec3::new(-90, -80, -70), IVec3::new(130, 110, 140));
    let land = super::strategies::land();
    let mut edit = StoreEdit::new(&Store::new(bounds));
    for pos in land.bounds().positions().filter(|pos| pos.z < 39) {
        if let Some(voxel) = land.store().voxel(pos) {
            edit.set(pos + by, Some(voxel));
        }
    }
    let mut document = Document::new(edit.snapshot(), &GameProfile::ACE_OF_SPADES);
    document.selection = land.selection.and_then(|selection| selection.shifted(by, &bounds));
    document
}

/// Whether what it does depends on the place itself: by chance, by the height over the floor, or on the whole map.
fn depends_on_place(command: &Command) -> bool {
    match command {
        Command::Stroke(op) => op.brush.is_random(),
        Command::Line(op) => op.brush.is_random(),
        Command::Paint(op) => op.brush.is_random() || matches!(op.style, PaintStyle::Mix { .. } | PaintStyle::Noise { .. }),
        Command::Styled(op) => op.style.is_random(),
        Command::Sculpt(op) => matches!(op.action, ops::SculptAction::Noise | ops::SculptAction::Terrace),
        Command::SelectLasso(op) => op.columns,
        // Air reaches to where the map ends.
        Command::SelectWhere(op) => op.masks.matter == Some(Matter::Air),
        // The curve of a path is rounded where it lies.
        Command::Path(_) | Command::Terrain(_) | Command::Scatter(_) | Command::RepairColumns(_) | Command::InvertSelection(_) => true,
        _ => false,
    }
}

fn run(document: &mut Document, command: &Command) -> bool {
    let change = plan(document, command, &Progress::new());
    change.map(|change| History::new().commit(document, change)).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_moved_command_does_the_same_at_the_other_place(command in voxel_command(), seed in 0..4_usize) {
        let by = [BY, IVec3::new(-9, 3, 0), IVec3::new(0, 0, -8), IVec3::new(32, 32, 32)][seed];
        if !depends_on_place(&command) {
            let (mut here, mut there) = (island(IVec3::ZERO), island(by));
            let done = run(&mut here, &command);
            prop_assert_eq!(done, run(&mut there, &command.shifted(by)));
            let bounds = here.bounds();
            prop_assert_eq!(here.store().solid_count(), there.store().solid_count());
            let shifted = here.selection.as_ref().and_then(|selection| selection.shifted(by, &bounds));
            prop_assert_eq!(shifted, there.selection.clone());
            for pos in Region::new(IVec3::new(-12, -10, 16), IVec3::new(46, 30, 50)).positions() {
                prop_assert_eq!(here.store().voxel(pos), there.store().voxel(pos + by), "{} in {:?}", pos, command);
            }
        }
    }
}

#[test]
fn what_is_turned_freely_is_rounded_the_same_way_everywhere() {
    let turn = r#"{"transform_selection":{"axes":["-x","+y","-z"],"scale":[1,0.5,1],"angle":30}}"#;
    for by in [BY, IVec3::new(-9, 3, 0), IVec3::new(32, 31, 1)] {
        let (mut here, mut there) = (island(IVec3::ZERO), island(by));
        assert!(run(&mut here, &command(turn)) && run(&mut there, &command(turn)));
        let differs = |pos: &VoxelPos| here.store().voxel(*pos) != there.store().voxel(*pos + by);
        let around = Region::new(IVec3::new(-12, -10, 16), IVec3::new(46, 30, 50));
        assert_eq!(around.positions().find(differs), None, "{by}");
    }
}

fn command(line: &str) -> Command {
    serde_json::from_str(line).unwrap()
}

/// Runs a script as both faces do; answers what is told of it.
fn replay(document: &mut Document, script: &[&str], by: IVec3, symmetry: Option<SymmetryKind>) -> Vec<String> {
    let mut replay = Replay::begin(by, symmetry, document);
    replay.opening().iter().for_each(|command| assert!(run(document, command)));
    for line in script {
        for command in replay.commands(&command(line), document) {
            match plan(document, &command, &Progress::new()) {
                Ok(mut change) => {
                    replay.take_notes(&mut change);
                    History::new().commit(document, change);
                }
                Err(error) => {
                    let instead = replay.in_place_of(&command, &error);
                    instead.unwrap().iter().for_each(|command| assert!(run(document, command)));
                }
            }
        }
    }
    replay.closing(document).iter().for_each(|command| assert!(run(document, command)));
    replay.told()
}

fn empty() -> Document {
    Document::new(Store::new(Region::of_size(IVec3::splat(32))), &GameProfile::ACE_OF_SPADES)
}

fn solid(document: &Document) -> Vec<[i32; 3]> {
    let above = document.bounds().positions().filter(|pos| pos.z < 31);
    above.filter(|pos| document.store().is_solid(*pos)).map(|pos| pos.to_array()).collect()
}

const SET: &str = r##"{"set":{"at":[2,3,4],"color":"#ff8000"}}"##;

#[test]
fn a_symmetry_holds_only_while_the_script_runs() {
    let mut document = empty();
    let own = Symmetry { kind: SymmetryKind::MirrorY, center: [10, 12], swap_teams: true, swap_colors: vec![] };
    document.symmetry = own.clone().into();
    assert!(replay(&mut document, &[SET], IVec3::ZERO, Some(SymmetryKind::Turn180)).is_empty());
    assert_eq!(solid(&document), [[2, 3, 4], [29, 28, 4]]);
    assert_eq!(*document.symmetry, own);
    // Moved with its map, it is still about the same place of it.
    replay(&mut document, &[r#"{"shift":{"by":[4,1,0]}}"#], IVec3::ZERO, Some(SymmetryKind::MirrorX));
    assert_eq!(*document.symmetry, Symmetry { center: [18, 14], ..own.clone() });
    // Without one of its own, that of the map holds; a center that was never set is none afterwards.
    let mut document = empty();
    replay(&mut document, &[SET], IVec3::new(0, 0, 2), Some(SymmetryKind::Turn90));
    assert_eq!(solid(&document).len(), 4);
    assert_eq!(*document.symmetry, Symmetry::default());
    document.symmetry = own.into();
    let told = replay(&mut document, &[r#"{"set_symmetry":{"kind":"off"}}"#, SET], IVec3::ZERO, None);
    assert!(told.is_empty() && !document.symmetry.is_on());
}

#[test]
fn a_selection_that_falls_outside_leaves_nothing_for_the_commands_after_it() {
    let clip = String::from(Clip::cut(&island(IVec3::ZERO), Region::of_size(IVec3::splat(8))).unwrap());
    let lasso = r#"{"select_lasso":{"outline":[[4,4],[9,4],[4,9]]}}"#.to_owned();
    let select = |combine| format!(r#"{{"select":{{"box":[[4,4,4],[9,9,9]],"combine":"{combine}"}}}}"#);
    let connected = |combine| format!(r#"{{"select_connected":{{"at":[4,4,4],"combine":"{combine}"}}}}"#);
    let paste = format!(r#"{{"paste":{{"clip":"{clip}","at":[4,4,4]}}}}"#);
    // What is left of what was selected before.
    for (line, is_kept) in [
        (select("replace"), false),
        (select("intersect"), false),
        (connected("replace"), false),
        (connected("intersect"), false),
        (lasso, false),
        (paste, false),
        (select("add"), true),
        (select("subtract"), true),
        (connected("add"), true),
    ] {
        let mut document = empty();
        let mut edit = StoreEdit::new(document.store());
        edit.set(VoxelPos::new(1, 1, 1), Some(Voxel::new(Rgb::new(9, 9, 9))));
        let changes = edit.finish();
        document.store_mut(0).unwrap().apply(&changes);
        document.selection = Selection::of_region(Region::of_size(IVec3::splat(4)));
        let told = replay(&mut document, &[&line, r#"{"delete_selection":{}}"#], IVec3::new(100, 0, 0), None);
        let outside = if is_kept { "1 command" } else { "2 commands" };
        assert_eq!(told, [format!("{outside} lay wholly outside the map and did nothing")], "{line}");
        assert_eq!((document.selection.is_none(), solid(&document).is_empty()), (!is_kept, is_kept), "{line}");
    }
}

#[test]
fn a_script_begins_at_its_first_place() {
    let script = [r#"{"set_dirt":{"color":null}}"#, SET].map(command);
    assert_eq!(first_place(&script), Some(IVec3::new(2, 3, 4)));
    assert_eq!(ReplayPlace::At(IVec3::new(10, 10, 10)).offset(&script), IVec3::new(8, 7, 6));
    assert_eq!(ReplayPlace::At(IVec3::new(10, 10, 10)).offset(&script[..1]), IVec3::ZERO);
    // Columns alone have no height.
    let spawn = command(r#"{"spawn":{"team":"blue","region":[[5,6],[9,9]]}}"#);
    assert_eq!(first_place([&spawn]), Some(IVec3::new(5, 6, 0)));
}
