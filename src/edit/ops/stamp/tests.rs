//! What stamps and scattered stamps make of small maps drawn as text.

use proptest::prelude::*;

use super::scatter::Place;
use super::*;
use crate::document::{Document, GameProfile, Symmetry, SymmetryKind};
use crate::edit::{Command, History, plan};
use crate::geom::{ColumnRect, Region};
use crate::voxel::{Store, StoreEdit};

const EARTH: Rgb = Rgb::new(90, 60, 30);
const LEAF: Rgb = Rgb::new(40, 160, 40);
const BARK: Rgb = Rgb::new(100, 50, 0);
const DEPTH: i32 = 12;

/// Columns by their height over the floor, rows divided by `/`.
fn map(drawn: &str) -> Document {
    let rows: Vec<&str> = drawn.split('/').collect();
    let mut store = Store::new(Region::of_size(IVec3::new(rows[0].len() as i32, rows.len() as i32, DEPTH)));
    let mut edit = StoreEdit::new(&store);
    for (y, row) in rows.iter().enumerate() {
        for (x, height) in row.chars().map(|c| c.to_digit(10).unwrap() as i32).enumerate() {
            for z in DEPTH - 1 - height..DEPTH {
                edit.set(IVec3::new(x as i32, y as i32, z), Some(Voxel::new(EARTH)));
            }
        }
    }
    let changes = edit.finish();
    store.apply(&changes);
    Document::new(store, &GameProfile::ACE_OF_SPADES)
}

/// A trunk of two voxels in the west with a leaf to the east of its top, and air around.
fn flag() -> Clip {
    let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(4, 3, 4))));
    edit.set(IVec3::new(1, 1, 2), Some(Voxel::new(BARK)));
    edit.set(IVec3::new(1, 1, 1), Some(Voxel::new(BARK)));
    edit.set(IVec3::new(2, 1, 1), Some(Voxel::new(LEAF)));
    Clip::of(&edit.snapshot()).unwrap()
}

fn stamp(at: [i32; 3]) -> Stamp {
    Stamp { clip: flag(), at: at.into(), anchor: StampAnchor::Corner, turn: 0, tint: 0, up: TOP }
}

fn run(document: &mut Document, command: Command) -> Change {
    let change = plan(document, &command, &Progress::new()).unwrap();
    History::new().commit(document, change.clone());
    change
}

/// Columns from above: `l` leaf, `b` bark, else the height.
fn drawn(document: &Document) -> String {
    let (store, size) = (document.store(), document.bounds().size());
    let cell = |x, y| {
        let z = store.ground(x, y, 0).unwrap();
        match store.voxel(IVec3::new(x, y, z)).unwrap().rgb() {
            Some(LEAF) => 'l',
            Some(BARK) => 'b',
            _ => char::from_digit((DEPTH - 1 - z) as u32, 36).unwrap(),
        }
    };
    (0..size.y).map(|y| (0..size.x).map(|x| cell(x, y)).collect::<String>()).collect::<Vec<_>>().join("/")
}

#[track_caller]
fn check(before: &str, stamp: Stamp, expected: &str) {
    let mut document = map(before);
    run(&mut document, Command::Stamp(stamp));
    assert_eq!(drawn(&document), expected);
}

#[test]
fn a_stamp_hangs_by_its_anchor_whatever_its_turn() {
    let empty = "00000/00000/00000/00000/00000";
    check(empty, stamp([2, 2, 10]), "00000/00000/00bl0/00000/00000");
    for (turn, expected) in ["00000/00000/00bl0/00000/00000", "00000/00000/00b00/00l00/00000"].into_iter().enumerate() {
        check(empty, Stamp { turn: turn as u32, ..stamp([2, 2, 10]) }, expected);
    }
    // Now the leaf is in the corner.
    check(empty, Stamp { turn: 2, ..stamp([2, 2, 10]) }, "00000/00000/00lb0/00000/00000");
    check(empty, Stamp { turn: 3, ..stamp([2, 2, 10]) }, "00000/00000/00l00/00b00/00000");
}

#[test]
fn the_anchor_leaves_air_around_out() {
    let anchor = |anchor, up| Prepared::new(&flag(), anchor, 0, 0, up).anchor.to_array();
    assert_eq!(StampAnchor::ALL.map(|kind| anchor(kind, TOP)), [[1, 1, 2], [1, 1, 2], [1, 1, 1]]);
    // Hung from the ceiling, the clip of 4×3×4 voxels lies upside down.
    assert_eq!(StampAnchor::ALL.map(|kind| anchor(kind, Face::PlusZ)), [[1, 1, 1], [1, 1, 1], [1, 1, 2]]);
}

/// What stands in the layer of a cave of 5×5×5 voxels, `#` its rock: rows from the sky to the floor for a wall, else
/// from north to south.
fn in_cave(document: &Document, across: [usize; 2], level: i32) -> String {
    let normal = 3 - across[0] - across[1];
    let cell = |v: i32, u: i32| {
        let mut at = IVec3::splat(level);
        (at[across[0]], at[across[1]]) = (u, v);
        assert_eq!(at[normal], level);
        match document.store().voxel(at).map(|voxel| voxel.rgb()) {
            None => '.',
            Some(Some(LEAF)) => 'l',
            Some(Some(BARK)) => 'b',
            Some(_) => '#',
        }
    };
    (0..7).map(|v| (0..7).map(|u| cell(v, u)).collect::<String>()).collect::<Vec<_>>().join("/")
}

/// Rock of 7×7×7 voxels around a cave, above a floor that is out of the way.
fn cave() -> Document {
    let bounds = Region::of_size(IVec3::new(7, 7, 9));
    let (rock, hollow) = (Region::of_size(IVec3::splat(7)), Region::new(IVec3::ONE, IVec3::splat(6)));
    let mut edit = StoreEdit::new(&Store::new(bounds));
    for at in rock.positions().filter(|at| !hollow.contains(*at)) {
        edit.set(at, Some(Voxel::new(EARTH)));
    }
    Document::new(edit.snapshot(), &GameProfile::ACE_OF_SPADES)
}

#[track_caller]
fn check_in_cave(stamp: Stamp, across: [usize; 2], level: i32, expected: &str) {
    let mut document = cave();
    run(&mut document, Command::Stamp(stamp));
    assert_eq!(in_cave(&document, across, level), expected);
}

#[test]
fn the_top_of_a_stamp_points_out_of_what_it_stands_on() {
    let out = |up, at| Stamp { up, ..stamp(at) };
    // From the side: the leaf is to the east of the trunk's top.
    check_in_cave(out(Face::MinusZ, [2, 3, 5]), [0, 2], 3, "#######/#.....#/#.....#/#.....#/#.bl..#/#.b...#/#######");
    check_in_cave(out(Face::PlusZ, [2, 3, 1]), [0, 2], 3, "#######/#.b...#/#.bl..#/#.....#/#.....#/#.....#/#######");
    // Walls from above: north is up there, so what was east lies level, to the right as one looks at the wall.
    check_in_cave(out(Face::PlusX, [1, 3, 3]), [0, 1], 3, "#######/#.....#/#.l...#/#bb...#/#.....#/#.....#/#######");
    check_in_cave(out(Face::MinusX, [5, 3, 3]), [0, 1], 3, "#######/#.....#/#.....#/#...bb#/#...l.#/#.....#/#######");
    check_in_cave(out(Face::PlusY, [3, 1, 3]), [0, 1], 3, "#######/#..b..#/#..bl.#/#.....#/#.....#/#.....#/#######");
    check_in_cave(out(Face::MinusY, [3, 5, 3]), [0, 1], 3, "#######/#.....#/#.....#/#.....#/#.lb..#/#..b..#/#######");
    // Turned about its own axis first: the leaf was to the south then, and points down the wall.
    let turned = Stamp { turn: 1, ..out(Face::PlusX, [1, 3, 3]) };
    check_in_cave(turned, [0, 2], 3, "#######/#.....#/#.....#/#bb...#/#.l...#/#.....#/#######");
}

#[test]
fn stamps_on_walls_have_their_images() {
    let mut document = cave();
    document.symmetry = Symmetry { kind: SymmetryKind::MirrorX, center: [7, 7], ..Symmetry::default() }.into();
    run(&mut document, Command::Stamp(Stamp { up: Face::PlusX, ..stamp([1, 3, 3]) }));
    assert_eq!(in_cave(&document, [0, 1], 3), "#######/#.....#/#.l.l.#/#bb.bb#/#.....#/#.....#/#######");
    let mut document = cave();
    document.symmetry = Symmetry { kind: SymmetryKind::Turn90, center: [7, 7], ..Symmetry::default() }.into();
    let area = ColumnRect::from([[1, 3], [2, 4]]);
    let one = Scatter { area, up: Face::PlusX, heights: Some([3, 4]), ..scatter([[0, 0], [1, 1]]) };
    run(&mut document, Command::Scatter(one));
    assert_eq!(in_cave(&document, [0, 1], 3), "#######/#..b..#/#.lbl.#/#bb.bb#/#.lbl.#/#..b..#/#######");
}

#[test]
fn stamps_are_scattered_over_walls_and_under_ceilings() {
    let pole = {
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(1, 1, 2))));
        edit.set(IVec3::Z, Some(Voxel::new(BARK)));
        edit.set(IVec3::ZERO, Some(Voxel::new(LEAF)));
        Clip::of(&edit.snapshot()).unwrap()
    };
    let check = |up, area: [[i32; 2]; 2], heights, z, across, level, expected: &str| {
        let (mut document, area) = (cave(), ColumnRect::from(area));
        run(&mut document, Command::Scatter(Scatter { clip: pole.clone(), area, up, heights, z, ..scatter([[0, 0], [1, 1]]) }));
        assert_eq!(in_cave(&document, across, level), expected, "{up:?}");
    };
    // Looked for from the middle of the cave; what begins within the rock leads out of it.
    check(Face::PlusZ, [[2, 3], [5, 4]], None, Some(4), [0, 2], 3, "#######/#.bbb.#/#.lll.#/#.....#/#.....#/#.....#/#######");
    check(Face::MinusZ, [[2, 3], [5, 4]], None, Some(4), [0, 2], 3, "#######/#.....#/#.....#/#.....#/#.lll.#/#.bbb.#/#######");
    check(Face::PlusX, [[0, 2], [1, 5]], Some([3, 4]), None, [0, 1], 3, "#######/#.....#/#bl...#/#bl...#/#bl...#/#.....#/#######");
    check(Face::MinusX, [[4, 2], [5, 5]], Some([3, 4]), None, [0, 1], 3, "#######/#.....#/#...lb#/#...lb#/#...lb#/#.....#/#######");
    check(Face::PlusY, [[2, 1], [5, 5]], Some([2, 5]), None, [1, 2], 3, "#######/#.....#/#bl...#/#bl...#/#bl...#/#.....#/#######");
    check(Face::MinusY, [[3, 3], [4, 4]], Some([4, 5]), None, [0, 1], 4, "#######/#.....#/#.....#/#.....#/#..l..#/#..b..#/#######");
}

#[test]
fn walls_that_are_too_steep_for_a_stamp_stay_bare() {
    // At the edge of the wall the rock beside it goes on: corners are steep.
    let near = |slope| {
        let mut document = cave();
        let area = ColumnRect::from([[1, 1], [2, 6]]);
        run(&mut document, Command::Scatter(Scatter { area, up: Face::PlusX, heights: Some([3, 4]), slope, ..scatter([[0, 0], [1, 1]]) }));
        in_cave(&document, [0, 1], 3).matches('b').count()
    };
    assert!(near(90) > 2 * near(20), "{} against {}", near(90), near(20));
    assert_eq!(near(20), 2, "one in the middle");
}

#[test]
fn commands_from_before_stamps_stood_on_walls_still_read() {
    let clip = String::from(flag());
    let old = format!(r#"{{"stamp":{{"clip":"{clip}","at":[2,2,10],"anchor":"corner"}}}}"#);
    let command: Command = serde_json::from_str(&old).unwrap();
    assert_eq!(command, Command::Stamp(stamp([2, 2, 10])));
    assert!(!serde_json::to_string(&command).unwrap().contains("up"));
    let old = format!(r#"{{"scatter":{{"clip":"{clip}","area":[[0,0],[3,3]],"seed":1,"density":1000}}}}"#);
    let command: Command = serde_json::from_str(&old).unwrap();
    assert_eq!(command, Command::Scatter(scatter([[0, 0], [3, 3]])));
    let text = serde_json::to_string(&command).unwrap();
    assert!(!text.contains("up") && !text.contains("heights"), "{text}");
    // Heights go along with the rest.
    let wall = Command::Scatter(Scatter { up: Face::PlusY, heights: Some([3, 9]), ..scatter([[0, 0], [3, 3]]) });
    let moved = Command::Scatter(Scatter { up: Face::PlusY, heights: Some([5, 11]), ..scatter([[1, 0], [4, 3]]) });
    assert_eq!(wall.shifted(IVec3::new(1, 0, 2)), moved);
}

#[test]
fn what_falls_outside_is_left_out_and_told() {
    let mut document = map("00/00");
    let change = run(&mut document, Command::Stamp(stamp([1, 0, 10])));
    assert_eq!((drawn(&document).as_str(), change.notes.len()), ("0b/00", 1));
    let far = Command::Stamp(stamp([i32::MAX, i32::MIN, 0]));
    assert_eq!(plan(&document, &far, &Progress::new()).unwrap_err(), EditError::OutsideMap);
    let wide = Clip::of(&Store::new(Region::of_size(IVec3::new(500, 500, 90)))).unwrap();
    let change = run(&mut document, Command::Stamp(Stamp { clip: wide, ..stamp([1, 1, 1]) }));
    assert!(change.is_empty());
}

#[test]
fn a_stamp_is_turned_and_mirrored_at_its_images() {
    let mut document = map("000000/000000/000000/000000/000000/000000");
    document.symmetry = Symmetry { kind: SymmetryKind::MirrorX, center: [6, 6], ..Symmetry::default() }.into();
    run(&mut document, Command::Stamp(stamp([0, 1, 10])));
    assert_eq!(drawn(&document), "000000/bl00lb/000000/000000/000000/000000");
    document.symmetry = Symmetry { kind: SymmetryKind::Turn180, center: [6, 6], ..Symmetry::default() }.into();
    run(&mut document, Command::Stamp(stamp([0, 3, 10])));
    assert_eq!(drawn(&document), "000000/bl00lb/0000lb/bl0000/000000/000000");
}

#[test]
fn tints_make_a_stamp_lighter_or_darker() {
    let color = |tint| {
        let mut document = map("000/000");
        run(&mut document, Command::Stamp(Stamp { tint, ..stamp([0, 0, 10]) }));
        document.store().voxel(IVec3::new(0, 0, 10)).unwrap().rgb().unwrap()
    };
    assert_eq!([color(0), color(-100), color(100)], [BARK, Rgb::new(0, 0, 0), Rgb::new(255, 255, 255)]);
    assert!(color(20).r > BARK.r && color(-20).r < BARK.r);
}

fn scatter(area: [[i32; 2]; 2]) -> Scatter {
    let area = ColumnRect::from(area);
    let clip = flag();
    Scatter {
        clip,
        area,
        seed: 1,
        z: None,
        up: TOP,
        heights: None,
        anchor: StampAnchor::Bottom,
        density: 1000,
        distance: 0,
        slope: 90,
        turn: 0,
        random_turn: false,
        tint: 0,
    }
}

#[test]
fn stamps_are_scattered_on_level_land_only() {
    let mut document = map("0000/1000/0000");
    run(&mut document, Command::Scatter(scatter([[0, 0], [9, 9]])));
    assert_eq!(drawn(&document), "0000/bl00/0000");
    let mut document = map("99991111/99991111/99991111/99991111/99991111/99991111");
    let change = plan(&document, &Command::Scatter(Scatter { slope: 10, ..scatter([[2, 0], [6, 6]]) }), &Progress::new()).unwrap();
    assert!(change.is_empty(), "both sides of the step are too near to it");
    run(&mut document, Command::Scatter(Scatter { slope: 10, ..scatter([[0, 0], [8, 6]]) }));
    assert!(drawn(&document).contains('b'));
}

#[test]
fn commands_that_ask_for_too_much_are_refused() {
    let document = map("11/11");
    let error = |scatter: Scatter| plan(&document, &Command::Scatter(scatter), &Progress::new()).unwrap_err().to_string();
    assert_eq!(error(Scatter { density: 1001, ..scatter([[0, 0], [2, 2]]) }), "density of the stamps must be 1 to 1000, not 1001");
    assert_eq!(error(Scatter { tint: u32::MAX, ..scatter([[0, 0], [2, 2]]) }), "tint of the stamps must be 0 to 100, not 4294967295");
    assert_eq!(error(scatter([[0, 0], [0, 2]])), "the region has no area");
    assert_eq!(error(scatter([[5, 5], [9, 9]])), "nothing there: the place lies outside the map");
}

proptest! {
    #[test]
    fn scattered_stamps_keep_their_distance_and_hang_on_the_seed_alone(seed in any::<u64>(), density in 1..1000_u32, distance in 0..9_u32) {
        let document = map(&vec!["3".repeat(30); 20].join("/"));
        let op = Scatter { seed, density, distance, random_turn: true, tint: 10, ..scatter([[1, 2], [28, 19]]) };
        let lines = op.check(&document).unwrap();
        let places = op.places(&document, &lines, &Progress::new()).unwrap();
        prop_assert_eq!(&places, &op.places(&document, &lines, &Progress::new()).unwrap());
        let near = |a: &Place, b: &Place| (0..3).map(|axis| (a.from[axis] - b.from[axis]).pow(2)).sum::<i32>() < (distance * distance) as i32;
        for (index, place) in places.iter().enumerate() {
            prop_assert!(op.area.contains(place.from.x, place.from.y) && place.turn < 4 && place.tint.abs() <= 10);
            prop_assert!(!places[..index].iter().any(|other| near(place, other)));
        }
        // Nothing more would have fitted among those that the dice chose.
        if distance == 0 && density > 500 {
            prop_assert!(places.len() > op.area.area() as usize / 3);
        }
    }
}
