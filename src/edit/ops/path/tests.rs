//! Small maps drawn as text: from above by height, and cut upright along y.

use std::collections::BTreeMap;

use glam::IVec3;
use proptest::prelude::*;
use proptest::sample::select;

use super::field::Field;
use crate::document::{Document, GameProfile, Progress, Symmetry, SymmetryKind};
use crate::edit::{Command, History, plan};
use crate::geom::{Region, Spline};
use crate::voxel::{Rgb, Store, StoreEdit, Voxel};

const EARTH: Rgb = Rgb::new(90, 60, 30);
const WHITE: Rgb = Rgb::new(255, 255, 255);
const RED: Rgb = Rgb::new(255, 0, 0);
const DEPTH: i32 = 10;

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

fn run(document: &mut Document, json: &str) {
    let command: Command = serde_json::from_str(json).unwrap();
    let change = plan(document, &command, &Progress::new()).unwrap();
    History::new().commit(document, change);
}

/// Height of the topmost voxel; a letter for the same in white, `a` for 0.
fn from_above(document: &Document) -> String {
    let (store, size) = (document.store(), document.bounds().size());
    let cell = |x, y| {
        let z = store.ground(x, y, 0).unwrap();
        let first = if store.paint(IVec3::new(x, y, z)).is_some_and(|paint| paint.rgb == WHITE) { b'a' } else { b'0' };
        (first + (DEPTH - 1 - z) as u8) as char
    };
    (0..size.y).map(|y| (0..size.x).map(|x| cell(x, y)).collect::<String>()).collect::<Vec<_>>().join("/")
}

/// What stands at an x, from the top down: `#` earth, `w` white, `r` red, `?` something else.
fn cut(document: &Document, x: i32) -> String {
    let cell = |y, z| match document.store().voxel(IVec3::new(x, y, z)).map(|voxel| voxel.rgb()) {
        None => '.',
        Some(Some(EARTH)) => '#',
        Some(Some(WHITE)) => 'w',
        Some(Some(RED)) => 'r',
        Some(_) => '?',
    };
    let size = document.bounds().size();
    (0..size.z).map(|z| (0..size.y).map(|y| cell(y, z)).collect::<String>()).collect::<Vec<_>>().join("/")
}

#[track_caller]
fn check(before: &str, json: &str, expected: &str) {
    let mut document = map(before);
    run(&mut document, json);
    assert_eq!(from_above(&document), expected, "{json}");
}

#[test]
fn a_road_is_level_across_cuts_hills_fills_hollows_and_has_smooth_shoulders() {
    let road = |more: &str| format!(r#"{{"path":{{"points":[[0,3,6],[6,3,6]],"width":3{more}}}}}"#);
    let flat = "0000000/".repeat(6) + "0000000";
    check(&flat, &road(r#","shoulder":0"#), "0000000/0000000/ddddddd/ddddddd/ddddddd/0000000/0000000");
    check(&flat, &road(r#","shoulder":2"#), "0000000/3333333/ddddddd/ddddddd/ddddddd/3333333/0000000");
    let high = "8888888/".repeat(6) + "8888888";
    check(&high, &road(r#","shoulder":0"#), "8888888/8888888/ddddddd/ddddddd/ddddddd/8888888/8888888");
    check(&high, &road(r#","shoulder":2"#), "7777777/4444444/ddddddd/ddddddd/ddddddd/4444444/7777777");
}

#[test]
fn a_road_rises_evenly_from_point_to_point() {
    check("00000000", r#"{"path":{"points":[[0,0,9],[7,0,2]],"width":1}}"#, "abcdefgh");
    check("2222/2222/2222", r#"{"path":{"points":[[0,0,7],[3,2,7]],"width":1,"shoulder":0}}"#, "c222/2cc2/222c");
}

#[test]
fn a_road_clears_its_headroom_and_leaves_what_hangs_higher() {
    let mut document = map("0/0/0");
    for z in [1, 4, 6] {
        run(&mut document, &format!(r##"{{"set":{{"at":[0,1,{z}],"color":"#ff0000"}}}}"##));
    }
    run(&mut document, r#"{"path":{"points":[[0,0,8],[0,2,8]],"width":1,"height":4}}"#);
    assert_eq!(cut(&document, 0), ".../.r./.../.../.../.../.../.../www/###");
}

#[test]
fn a_river_goes_down_to_the_water_or_digs_a_bed_and_never_removes_the_floor() {
    let land = "5555/".repeat(6) + "5555";
    check(&land, r#"{"path":{"kind":"river","points":[[0,3,4],[3,3,4]],"width":3,"shoulder":0}}"#, "5555/5555/aaaa/aaaa/aaaa/5555/5555");
    check(&land, r#"{"path":{"kind":"river","points":[[0,3,4],[3,3,4]],"width":3,"shoulder":2}}"#, "4444/1111/aaaa/aaaa/aaaa/1111/4444");
    check(
        &land,
        r#"{"path":{"kind":"river","points":[[0,3,4],[3,3,4]],"width":3,"height":3,"shoulder":0}}"#,
        "5555/5555/cccc/cccc/cccc/5555/5555",
    );
    check(
        &land,
        r#"{"path":{"kind":"river","points":[[0,3,4],[3,3,4]],"width":1,"height":64,"shoulder":0}}"#,
        "5555/5555/5555/aaaa/5555/5555/5555",
    );
}

#[test]
fn the_water_of_a_river_has_a_color_of_its_own_where_it_is_told() {
    let river = |more: &str| {
        let mut document = map(&["444"; 7].join("/"));
        run(&mut document, &format!(r#"{{"path":{{"kind":"river","points":[[0,3,5],[2,3,5]],"width":3{more}}}}}"#));
        cut(&document, 1)
    };
    let sky = "......./".repeat(5);
    assert_eq!(river(r#","shoulder":0"#), format!("{sky}##...##/##...##/##...##/##...##/##www##"));
    assert_eq!(river(r##","shoulder":0,"water":"#ff0000""##), format!("{sky}##...##/##...##/##...##/##...##/##rrr##"));
    // The innermost column of a shoulder may come down to the floor as well.
    assert_eq!(river(r##","shoulder":3,"water":"#ff0000""##), format!("{sky}......./......./#.....#/#.....#/#rrrrr#"));
    assert_eq!(river(r##","shoulder":0,"height":2,"water":"#ff0000""##), format!("{sky}##...##/##...##/##www##/#######/#######"));
}

#[test]
fn a_bridge_spans_a_gap_with_rails_and_pillars_and_ends_square() {
    let json = r##"{"path":{"kind":"bridge","points":[[1,2,4],[9,2,4]],"width":3,"edge_color":"#ff0000","spacing":8}}"##;
    let mut document = map(&["55500000555"; 5].join("/"));
    run(&mut document, json);
    assert_eq!(cut(&document, 0), "...../...../...../...../#####/#####/#####/#####/#####/#####", "square");
    assert_eq!(cut(&document, 3), "...../...../...../.r.r./.www./...../...../...../...../#####");
    assert_eq!(cut(&document, 5), "...../...../...../.r.r./.www./.r.r./.r.r./.r.r./.r.r./#####");
    assert_eq!(cut(&document, 1), "...../...../...../.r.r./#www#/#####/#####/#####/#####/#####");
}

#[test]
fn a_tunnel_is_arched_or_square_and_keeps_what_is_around_it() {
    let tunnel = |more: &str| {
        let mut document = map(&["999"; 7].join("/"));
        run(&mut document, &format!(r#"{{"path":{{"kind":"tunnel","points":[[0,3,7],[2,3,7]],"width":5,"height":4{more}}}}}"#));
        cut(&document, 1)
    };
    assert_eq!(tunnel(""), "#######/#######/#######/##...##/#.....#/#.....#/#.....#/#wwwww#/#######/#######");
    assert_eq!(tunnel(r#","arched":false"#), "#######/#######/#######/#.....#/#.....#/#.....#/#.....#/#wwwww#/#######/#######");
    assert_eq!(
        tunnel(r##","arched":false,"edge_color":"#ff0000""##),
        "#######/#######/#rrrrr#/r.....r/r.....r/r.....r/r.....r/#wwwww#/#######/#######"
    );
}

#[test]
fn a_fence_stands_on_the_ground_with_posts_at_both_ends() {
    check("011223322", r#"{"path":{"kind":"fence","points":[[0,0,9],[8,0,7]]}}"#, "dddefffef");
}

#[test]
fn the_other_side_is_worked_on_by_what_stands_there() {
    let mut document = map("11111111/55555555/11111111/11111111/55555555/33333333");
    document.symmetry = Symmetry { kind: SymmetryKind::MirrorY, center: [8, 6], ..Symmetry::default() }.into();
    run(&mut document, r#"{"path":{"points":[[0,0,6],[7,0,6]],"width":1,"shoulder":0}}"#);
    assert_eq!(from_above(&document), "dddddddd/55555555/11111111/11111111/55555555/dddddddd");
    run(&mut document, r#"{"path":{"kind":"fence","points":[[0,2,8],[7,2,8]],"spacing":0,"height":2}}"#);
    assert_eq!(from_above(&document), "dddddddd/55555555/cccccccc/cccccccc/55555555/dddddddd");
}

#[test]
fn the_walls_of_a_tunnel_are_painted_alike_where_one_of_the_sides_has_its_hole_beyond_the_map() {
    let mut document = map(&["9"; 6].join("/"));
    document.symmetry = Symmetry { kind: SymmetryKind::MirrorY, center: [0, 7], ..Symmetry::default() }.into();
    run(
        &mut document,
        r##"{"path":{"kind":"tunnel","points":[[-1,0,7],[1,0,7]],"width":1,"height":2,"arched":false,"edge_color":"#ff0000"}}"##,
    );
    let rock = "######/".repeat(4);
    assert_eq!(cut(&document, 0), format!("{rock}r#####/.r###r/.r###r/w#####/######/######"));
}

#[test]
fn a_bridge_that_begins_on_the_line_of_symmetry_is_the_same_on_both_sides() {
    let mut document = map(&["0".repeat(30).as_str(); 20].join("/"));
    document.symmetry = Symmetry { kind: SymmetryKind::MirrorX, center: [30, 20], ..Symmetry::default() }.into();
    // One of the innermost columns lies beside its end, the other one as far behind it.
    run(&mut document, r#"{"path":{"kind":"bridge","points":[[15,14,4],[27,10,4]],"width":4}}"#);
    let drawn = from_above(&document);
    for row in drawn.split('/') {
        assert_eq!(row, row.chars().rev().collect::<String>(), "{drawn}");
    }
}

proptest! {
    #[test]
    fn each_column_sees_the_nearest_of_all_images(
        points in prop::collection::vec((-3..28_i32, -3..22_i32, 0..10_i32).prop_map(IVec3::from), 2..5),
        kind in select(&SymmetryKind::ALL[..]), center in (10..40_i32, 10..30_i32), reach in 1..5_i32,
    ) {
        let mut document = map(&vec!["3".repeat(25); 20].join("/"));
        let center = [center.0, if kind == SymmetryKind::Turn90 { center.1 + (center.0 + center.1) % 2 } else { center.1 }];
        document.symmetry = Symmetry { kind, center, ..Symmetry::default() }.into();
        let (curve, reach) = (Spline::through(&points, -0.5), f64::from(reach) + 0.5);
        let field = Field::of(&curve, reach, &document, &Progress::new()).unwrap();
        let mut found = BTreeMap::new();
        field.each(|column, near, _| {
            found.insert(column, near.square);
        });
        for [x, y] in document.bounds().columns().columns() {
            let seen = document.symmetry.images().into_iter().filter_map(|image| {
                let at = image.transform.inverse().voxel(IVec3::new(x, y, 0));
                curve.near([at.x, at.y]).map(|near| near.square)
            });
            let nearest = seen.min_by(f64::total_cmp).filter(|square| *square <= reach * reach);
            prop_assert_eq!(found.get(&[x, y]).copied(), nearest, "at {} {}", x, y);
        }
    }
}
