//! Gestures of the tools that make things: paths, land and stamps; and of the ruler.

use std::sync::Arc;

use super::*;
use crate::edit::Clip;
use crate::edit::ops::{PathKind, StampAnchor};
use crate::terrain::Value;

/// A post of two voxels with an arm to the east, as the stamp tool has it in tests.
pub(super) fn stamp() -> Stamp {
    let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(2, 1, 2))));
    for at in [[0, 0, 1], [0, 0, 0], [1, 0, 0]] {
        edit.set(at.into(), Some(Voxel::new(Rgb::new(250, 0, 0))));
    }
    Stamp { name: "post".into(), clip: Arc::new(Clip::of(&edit.snapshot()).unwrap()) }
}

fn path(kind: PathKind, width: u32) -> ToolSettings {
    ToolSettings { path: PathSettings { width, shoulder: 0, ..PathSettings::of(kind) }, ..ToolSettings::default() }
}

#[test]
fn a_path_is_clicked_point_by_point_and_made_by_enter() {
    let check = |gesture, expected| check_tool("path", path(PathKind::Road, 1), gesture, "...../...../.....", expected);
    check("down 0,1; up; down 4,1; up; enter", "...../aaaaa/.....");
    check("down 0,0; up; down 4,0; up; down 4,2; up; enter", "aaaaa/....a/....a");
    check("down 0,1; up; down 4,1; up; esc; enter", "...../...../.....");
    check("down 0,1; up; enter", "...../...../.....");
    check("down 0,1; up; down 4,1; up", "...../...../.....");
}

#[test]
fn points_of_a_path_are_dragged_and_removed() {
    let check = |gesture, expected| check_tool("path", path(PathKind::Road, 1), gesture, "...../...../.....", expected);
    check("down 0,0; move 0,1; up; down 4,0; up; down 4,0; move 4,1; up; enter", "...../aaaaa/.....");
    check("down 0,1; up; down 2,0; up; down 4,1; up; ctrl down 2,0; up; enter", "...../aaaaa/.....");
    check("down 0,1; up; down 4,1; up; ctrl down 4,1; up; enter", "...../...../.....");
    let mut session = Session::new("path", path(PathKind::Road, 1), map("...../...../....."));
    session.play("down 0,1; up; down 3,1; up; down 0,0; up");
    assert!(session.tool.erase());
    session.play("hover 0,2; enter");
    assert_eq!(drawn(&session.document, session.settings.color), "...../aaaa./.....");
    assert!(!session.tool.erase(), "nothing is left to take away");
}

#[test]
fn a_press_on_the_curve_inserts_a_point_there_and_drags_it_on() {
    let check = |gesture: &str, expected| check_tool("path", path(PathKind::Road, 1), gesture, "......./......./.......", expected);
    let line = "down 0,0; up; down 6,0; up";
    check(&format!("{line}; down 3,0; move 3,2; up; enter"), "a.....a/.aa.aa./..aaa..");
    check(&format!("{line}; down 3,0; move 3,2; esc; up; enter"), "aaaaaaa/......./.......");
    // Beyond the ends, beside the curve, and with Ctrl nothing is inserted.
    check("down 2,0; up; down 4,0; up; down 6,0; up; enter", "..aaaaa/......./.......");
    check(&format!("{line}; ctrl down 3,0; ctrl move 3,2; up; enter"), "aaaaaaa/......./.......");
    let mut session = Session::new("path", path(PathKind::Road, 1), map("......./......./......."));
    let told = |session: &mut Session, gesture: &str| {
        session.play(gesture);
        (session.tool.preview().handles.len(), session.status.as_ref().is_some_and(|status| status.contains("inserts")))
    };
    assert_eq!(told(&mut session, "down 0,0; up; down 6,0; up; hover 3,0"), (3, true), "shown before it is there");
    for gesture in ["hover 3,2", "hover 3,0; hover 6,0", "ctrl hover 3,0", "leave"] {
        assert_eq!(told(&mut session, gesture), (2, false), "{gesture}");
    }
    assert_eq!(told(&mut session, "down 3,0; move 3,1; up; hover 0,2"), (3, false));
    session.tool.erase();
    session.play("hover 0,2; enter");
    assert_eq!(drawn(&session.document, session.settings.color), "aa...../..aa.../.......", "the last point is taken away, not the newest");
    // In order, whichever part of the curve it lies on; a click leaves it as it is.
    session.play(&format!("{line}; down 6,2; up; down 2,0; up"));
    let points: Vec<_> = session.tool.preview().handles.iter().map(|point| point.at.truncate().as_ivec2().to_array()).collect();
    assert_eq!(points, [[0, 0], [2, 0], [6, 0], [6, 2]]);
}

#[test]
fn a_path_is_shown_as_it_will_be_while_it_is_drawn() {
    let mut session = Session::new("path", path(PathKind::Fence, 1), map("...../11111"));
    session.play("down 0,1; up; down 4,1; up");
    let preview = session.tool.preview();
    assert_eq!((preview.handles.len(), preview.size.as_deref()), (2, Some("2 points, 4 long")));
    assert_eq!(drawn(&Document::new(preview.store.unwrap(), &GameProfile::ACE_OF_SPADES), session.settings.color), "...../eddde");
    session.play("enter");
    assert_eq!((session.commands.len(), session.tool.preview().handles.len()), (1, 0));
}

#[test]
fn a_path_is_drawn_from_point_to_point_and_the_point_in_hand_is_marked() {
    // The valley between the points does not hide the curve, nor does it bend it.
    let mut session = Session::new("path", path(PathKind::Tunnel, 1), map("4.....4....4"));
    session.play("down 0,0; up; down 6,0; up; down 11,0; up");
    let preview = session.tool.preview();
    let on = |place: Vec3| preview.open_line.iter().any(|point| point.distance(place) < 0.01);
    assert!(preview.handles.iter().all(|handle| on(handle.at)), "{preview:?}");
    assert_eq!((preview.open_line.first(), preview.open_line.last()), (Some(&preview.handles[0].at), Some(&preview.handles[2].at)));
    assert!(preview.open_line.iter().all(|point| point.z == preview.handles[0].at.z), "{:?}", preview.open_line);
    assert!(preview.open_line.windows(2).all(|ends| ends[0].x < ends[1].x && ends[1].x - ends[0].x < 3.0));
    let marked = |session: &Session| session.tool.preview().handles.iter().map(|handle| handle.active).collect::<Vec<_>>();
    for (gesture, expected) in [
        ("hover 3,0", vec![false, false, false, true]),
        ("hover 6,0", vec![false, true, false]),
        ("leave", vec![false; 3]),
        ("down 0,0", vec![true, false, false]),
        ("up", vec![false; 3]),
        ("hover 11,0", vec![false, false, true]),
        ("esc", vec![false; 2]),
        ("esc; esc", vec![]),
    ] {
        session.play(gesture);
        assert_eq!(marked(&session), expected, "{gesture}");
    }
    session.play("down 0,0; up");
    assert!(session.tool.preview().open_line.is_empty(), "a point is no curve");
}

#[test]
fn land_is_shown_by_a_click_and_made_by_another_or_by_enter() {
    let values = [("height".to_owned(), Value::Number(5)), ("plains".to_owned(), Value::Number(0))].into();
    let terrain = TerrainSettings { values, fade: 0, seed: 3, ..TerrainSettings::default() };
    let settings = ToolSettings { terrain, ..ToolSettings::default() };
    for (gesture, made) in
        [("down 1,1; up", 0), ("down 1,1; up; down 1,1; up", 1), ("down 1,1; up; enter", 1), ("down 1,1; up; esc; enter", 0)]
    {
        let mut session = Session::new("terrain", settings.clone(), map("11111111/11111111/11111111/11111111"));
        session.document.selection = Selection::of_region(Region::new(IVec3::new(2, 1, 0), IVec3::new(6, 3, 8)));
        session.play(gesture);
        assert_eq!(session.commands.len(), made, "{gesture}");
        let after = drawn(&session.document, session.settings.color);
        assert_eq!(after != "11111111/11111111/11111111/11111111", made == 1, "{gesture}: {after}");
        let rows: Vec<_> = after.split('/').collect();
        assert_eq!((rows[0], rows[3], &rows[1][..2], &rows[2][6..]), ("11111111", "11111111", "11", "11"), "outside of the selection");
    }
}

#[test]
fn a_stamp_stands_on_the_ground_under_the_pointer_and_turns() {
    let settings = |turn, snap| {
        let stamp = StampSettings { stamp: Some(stamp()), turn, snap, anchor: StampAnchor::Corner, ..StampSettings::default() };
        ToolSettings { stamp, ..ToolSettings::default() }
    };
    let check = |turn, gesture, expected| check_tool("stamp", settings(turn, true), gesture, "...../.1.../.....", expected);
    check(0, "down 2,0; up", "..22./.1.../.....");
    check(0, "down 1,1; up", "...../.33../.....");
    check(1, "down 2,0; up", "..2../.12../.....");
    check(0, "down 2,0; move 2,2; up", "...../.1.../..22.");
    check(0, "down 2,0; esc; up", "...../.1.../.....");
    check(0, "hover 2,0; leave", "...../.1.../.....");
    let mut session = Session::new("stamp", settings(0, true), map("..../...."));
    session.play("hover 1,0");
    assert_eq!(session.tool.preview().ghosts.first().map(|ghost| ghost.voxels.len()), Some(3));
    let nothing = Session::new("stamp", ToolSettings::default(), map("..../....")).tool.preview();
    assert!(nothing.store.is_none());
}

#[test]
fn a_drag_scatters_stamps_over_its_area() {
    let stamp = StampSettings { stamp: Some(stamp()), scatter: true, density: 1000, distance: 3, slope: 90, ..StampSettings::default() };
    let settings = ToolSettings { stamp, ..ToolSettings::default() };
    let before = ["111111111111"; 8].join("/");
    let mut session = Session::new("stamp", settings.clone(), map(&before));
    session.play("down 1,1; move 10,6; up");
    assert_eq!(session.commands.len(), 1);
    let after = drawn(&session.document, session.settings.color);
    assert!(after.matches('3').count() > 6, "{after}");
    assert!(after.starts_with("111111111111/") && after.ends_with("/111111111111"), "{after}");
    check_tool("stamp", settings.clone(), "down 1,1; move 10,6; esc; up", &before, &before);
    // A click is an area of one voxel, where the dice would mostly make nothing.
    let rare = ToolSettings { stamp: StampSettings { density: 1, ..settings.stamp.clone() }, ..settings };
    let mut session = Session::new("stamp", rare, map(&before));
    session.play("down 5,4; up");
    let after = drawn(&session.document, session.settings.color);
    assert_eq!(after.matches("33").count(), 1, "{after}");
}

/// The middle slice of a room of 7×7 columns with a floor, walls and a ceiling, from the sky to the floor; `s` a stamp.
fn slice(document: &Document) -> String {
    let cell = |x, z| match document.store().paint(IVec3::new(x, 3, z)).map(|paint| paint.rgb) {
        None => '.',
        Some(GROUND) => '#',
        Some(_) => 's',
    };
    (0..DEPTH).map(|z| (0..7).map(|x| cell(x, z)).collect::<String>()).collect::<Vec<_>>().join("/")
}

/// Looks from the middle of a room with the stamp tool in the hand, and clicks what is there.
#[track_caller]
fn check_in_room(settings: StampSettings, gesture: [[f32; 3]; 2], expected: &str) {
    let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(7, 7, DEPTH))));
    let hollow = Region::new(IVec3::ONE, IVec3::new(6, 6, DEPTH - 1));
    for at in Region::of_size(IVec3::new(7, 7, DEPTH)).positions().filter(|at| !hollow.contains(*at)) {
        edit.set(at, Some(Voxel::new(GROUND)));
    }
    let document = Document::new(edit.snapshot(), &GameProfile::ACE_OF_SPADES);
    let stamp = StampSettings { stamp: Some(stamp()), on_surface: true, ..settings };
    let mut session = Session::new("stamp", ToolSettings { stamp, ..ToolSettings::default() }, document);
    let eye = Vec3::new(3.5, 3.5, 3.5);
    let [press, release] = gesture.map(|[x, y, z]| Ray::new(eye, Vec3::new(x, y, z)));
    for (phase, ray) in [(Phase::Hover, press), (Phase::Press, press), (Phase::Drag, release), (Phase::Release, release)] {
        session.pointer(phase, ray, Modifiers::default());
    }
    assert_eq!(slice(&session.document), expected, "{gesture:?}");
}

#[test]
fn a_stamp_on_the_surface_points_out_of_the_face_under_the_pointer() {
    let corner = StampSettings { anchor: StampAnchor::Corner, ..StampSettings::default() };
    let check = |to, expected| check_in_room(corner.clone(), [to, to], expected);
    check([0.0, 0.0, 1.0], "#######/#.....#/#.....#/#.....#/#.....#/#..ss.#/#..s..#/#######");
    check([0.0, 0.0, -1.0], "#######/#..s..#/#..ss.#/#.....#/#.....#/#.....#/#.....#/#######");
    check([1.0, 0.0, 0.0], "#######/#.....#/#.....#/#...ss#/#.....#/#.....#/#.....#/#######");
    check([-1.0, 0.0, 0.0], "#######/#.....#/#.....#/#ss...#/#.....#/#.....#/#.....#/#######");
    // Turned, the arm hangs down the wall, and goes up it three turns on.
    let turned = |turn, expected| check_in_room(StampSettings { turn, ..corner.clone() }, [[-1.0, 0.0, 0.0]; 2], expected);
    turned(1, "#######/#.....#/#.....#/#ss...#/#.s...#/#.....#/#.....#/#######");
    // The corner that is put down is under the arm then.
    turned(3, "#######/#.....#/#.....#/#.s...#/#ss...#/#.....#/#.....#/#######");
    // Upright it stands at the wall, or on the ground at its foot.
    let mut session = Session::new("stamp", ToolSettings::default(), map("0"));
    session.settings.stamp = StampSettings { on_surface: false, ..corner };
    assert_eq!(session.settings.stamp.up_on(crate::geom::Face::PlusX), crate::geom::Face::MinusZ);
}

#[test]
fn a_drag_on_a_wall_or_under_a_ceiling_scatters_stamps_there() {
    let scatter = StampSettings { scatter: true, density: 1000, distance: 0, slope: 90, ..StampSettings::default() };
    // A drag down the middle of the wall, and along the ceiling.
    let drag = |from, to, expected| check_in_room(scatter.clone(), [from, to], expected);
    drag([-1.0, 0.0, -0.9], [-1.0, 0.0, 0.9], "#######/#ss...#/#ss...#/#ss...#/#ss...#/#ss...#/#.....#/#######");
    // The last arm reaches into the wall.
    drag([-0.8, 0.0, -1.0], [0.8, 0.0, -1.0], "#######/#sssss#/#ssssss/#.....#/#.....#/#.....#/#.....#/#######");
}

#[test]
fn the_ruler_tells_what_it_meets_and_makes_no_command() {
    let mut session = Session::new("ruler", ToolSettings::default(), map("1..../...../....5"));
    session.pointer(Phase::Hover, down_at(0.0, 0.0), Modifiers::default());
    assert_eq!(session.status.as_deref(), Some("#14781e · 3 open faces · sky above"));
    session.play("down 0,0; up; hover 4,2");
    assert_eq!(session.status.as_deref(), Some("6.0 voxels · dx 4 dy 2 dz −4 · slope 42° · #14781e · 3 open faces · sky above"));
    let measures = session.tool.preview().measures;
    assert_eq!((measures.len(), measures[0].text.as_str()), (1, "6.0 voxels"));
    session.play("down 4,2; up; hover 1,1");
    assert_eq!(session.tool.preview().measures, measures, "both ends are fixed");
    session.play("down 1,1; move 4,1; up; hover 9,9; leave");
    assert_eq!(session.tool.preview().measures[0].text, "3.0 voxels");
    session.play("esc; esc");
    assert!(session.tool.preview().measures.is_empty() && session.commands.is_empty());
}
