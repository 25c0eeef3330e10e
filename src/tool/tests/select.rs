//! The tools that select and that move what is selected. Selections are drawn like the maps, `#` where a column holds a
//! selected voxel.

use super::*;
use crate::document::{Combine, Selection};
use crate::edit::ops::{Thousandths, TransformSelection};
use crate::geom::{Axis, Orientation};

/// Some way to select, and something that is to be done with what is selected.
pub fn any_way(dice: &mut Dice, settings: ToolSettings) -> ToolSettings {
    let scale = [1000, 1000, 500, 1500].map(Thousandths)[dice.roll(4) as usize];
    let turned = TransformSelection::default().turned(Orientation::all()[dice.roll(4) as usize * 7]);
    let angle = Thousandths([0, 90_000, 0, 33_000][dice.roll(4) as usize]);
    ToolSettings {
        select_kind: SelectKind::ALL[dice.roll(8) as usize],
        combine: Combine::ALL[dice.roll(4) as usize],
        select_edges: dice.roll(2) == 0,
        select_upward: dice.roll(2) == 0,
        select_tall: dice.roll(2) == 0,
        lasso_columns: dice.roll(2) == 0,
        transform: TransformSelection { scale: [scale; 3], angle, copies: dice.roll(3) as u32, ..turned },
        ..settings
    }
}

/// Which columns hold a selected voxel.
fn selected(document: &Document) -> String {
    let size = document.bounds().size();
    let holds = |x, y| (0..DEPTH).any(|z| document.selection.as_ref().is_some_and(|all| all.contains(IVec3::new(x, y, z))));
    let row = |y| (0..size.x).map(|x| if holds(x, y) { '#' } else { '.' }).collect::<String>();
    (0..size.y).map(row).collect::<Vec<_>>().join("/")
}

fn by(select_kind: SelectKind) -> ToolSettings {
    ToolSettings { select_kind, select_upward: false, ..ToolSettings::default() }
}

#[track_caller]
fn check_selected(settings: ToolSettings, gesture: &str, before: &str, expected: &str, count: u64) -> Session {
    let mut session = Session::new("select", settings, map(before));
    session.play(gesture);
    assert_eq!(selected(&session.document), expected, "{gesture}");
    assert_eq!(session.document.selection.as_ref().map_or(0, Selection::count), count, "{gesture}");
    session
}

#[test]
fn a_click_selects_what_hangs_together_or_is_alike() {
    let click = "hover 0,0; down 0,0; up";
    let check = |kind, before, expected, count| _ = check_selected(by(kind), click, before, expected, count);
    // The floor has the color of the ground here.
    check(SelectKind::Wand, "22.1", "####", 9);
    check(SelectKind::Structure, "22.1", "##..", 4);
    check(SelectKind::Surface, "22.1", "##..", 2);
    check(SelectKind::Surface, "2211", "##..", 2);
    check(SelectKind::Color, "22.1", "####", 9);
    check(SelectKind::Height, "22.1", "##..", 2);
    check(SelectKind::Slope, "1111", "####", 4);
    let edges = ToolSettings { select_edges: true, ..by(SelectKind::Surface) };
    check_selected(edges, click, "321.1", "#####", 5);
    let upward = ToolSettings { select_upward: true, ..by(SelectKind::Structure) };
    check_selected(upward, "down 1,0; up", "2331", ".##.", 2);
    let near = ToolSettings { tolerance: 1, ..by(SelectKind::Height) };
    check_selected(near, click, "2.13", "#.##", 6);
}

#[test]
fn the_wand_keeps_to_the_color_within_the_tolerance() {
    let mut document = map("1111");
    let mut edit = StoreEdit::new(document.store());
    edit.set(IVec3::new(2, 0, 6), Some(Voxel::new(Rgb::new(25, 120, 30))));
    (0..4).for_each(|x| _ = edit.set(IVec3::new(x, 0, 7), Some(Voxel::new(Rgb::new(0, 0, 255)))));
    document.store_mut(0).unwrap().apply(&edit.finish());
    let check = |kind, tolerance, expected| {
        let mut session = Session::new("select", ToolSettings { tolerance, ..by(kind) }, document.clone());
        session.play("down 0,0; up");
        assert_eq!(selected(&session.document), expected, "{kind:?} {tolerance}");
    };
    check(SelectKind::Wand, 0, "##..");
    check(SelectKind::Wand, 5, "####");
    check(SelectKind::Color, 4, "##.#");
    check(SelectKind::Color, 5, "####");
}

#[test]
fn a_line_selects_what_it_goes_around() {
    let around = "down 1,1; move 3,1; move 3,3; move 1,3; up";
    let map = "...../.2.../..2../...../.....";
    check_selected(by(SelectKind::Lasso), around, map, "...../.###./.###./.###./.....", 7 + 4);
    let columns = ToolSettings { lasso_columns: true, ..by(SelectKind::Lasso) };
    let session = check_selected(columns, around, map, "...../.###./.###./.###./.....", 9 * 8);
    assert_eq!(session.document.selection.unwrap().as_region(), Some(Region::new(IVec3::new(1, 1, 0), IVec3::new(4, 4, 8))));
    check_selected(by(SelectKind::Lasso), "down 1,1; move 3,1; esc; move 3,3; up", map, "...../...../...../...../.....", 0);
    check_selected(by(SelectKind::Lasso), "down 1,1; up", map, "...../...../...../...../.....", 0);
}

#[test]
fn shift_adds_ctrl_subtracts_and_both_intersect() {
    let first = "down 0,0; move 2,0; up; down 2,0; up";
    let check =
        |gesture: &str, expected, count| _ = check_selected(by(SelectKind::Box), &format!("{first}; {gesture}"), "111111", expected, count);
    check("shift down 4,0; shift move 5,0; shift up; down 5,0; up", "###.##", 5);
    check("ctrl down 1,0; ctrl move 3,0; ctrl up; down 3,0; up", "#.....", 1);
    check("ctrl shift down 1,0; ctrl shift move 3,0; ctrl shift up; down 3,0; up", ".##...", 2);
    check("shift down 5,0; up", "###...", 3);
    let wand = |combine, gesture, expected, count| {
        let mut session = Session::new("select", ToolSettings { combine, ..by(SelectKind::Surface) }, map("22.11.33"));
        session.play("hover 0,0; down 0,0; up");
        session.settings.combine = Combine::Replace;
        session.play("down 0,0; up");
        session.settings.combine = combine;
        session.play(gesture);
        assert_eq!(selected(&session.document), expected, "{combine:?}");
        assert_eq!(session.document.selection.as_ref().map_or(0, Selection::count), count);
    };
    wand(Combine::Add, "down 3,0; up", "##.##...", 4);
    wand(Combine::Subtract, "down 1,0; up", "........", 0);
    wand(Combine::Intersect, "down 1,0; up", "##......", 2);
    wand(Combine::Intersect, "down 7,0; up", "........", 0);
}

#[test]
fn what_is_alike_is_told_before_the_click() {
    let told = |select_kind, tolerance| {
        let mut session = Session::new("select", ToolSettings { tolerance, ..by(select_kind) }, map("22.11.33"));
        session.play("hover 0,0");
        session.status.unwrap()
    };
    assert_eq!(told(SelectKind::Color, 0), "Selects all of #14781e");
    assert_eq!(told(SelectKind::Color, 9), "Selects all within 9 of #14781e");
    assert_eq!(told(SelectKind::Height, 0), "Selects all 2 above the water (z 5)");
    assert_eq!(told(SelectKind::Height, 1), "Selects all 1 to 3 above the water (z 4 to 6)");
    assert_eq!(told(SelectKind::Slope, 90), "Selects ground that is 0 to 90° steep");
    assert_eq!(told(SelectKind::Wand, 0), "20 voxels");
}

#[test]
fn a_box_takes_all_heights_where_it_is_told_to() {
    let tall = ToolSettings { select_tall: true, ..by(SelectKind::Box) };
    let session = check_selected(tall, "down 0,0; move 1,0; up", "132.", "##..", 16);
    assert_eq!(session.document.selection.unwrap().bounds(), Region::new(IVec3::ZERO, IVec3::new(2, 1, 8)));
}

#[test]
fn what_is_selected_is_moved_voxel_by_voxel() {
    let mut session = check_selected(by(SelectKind::Surface), "down 0,0; up; shift down 3,0; up", "22.2./.....", "##.#./.....", 3);
    let mut movers = Session::new("move", ToolSettings::default(), session.document.clone());
    movers.play("down 0,0; move 1,1; up; enter");
    assert_eq!(drawn(&movers.document, movers.settings.color), "11.1./.22.2");
    // What hung in the air: the tops went a row on, over nothing.
    assert_eq!(selected(&movers.document), "...../.##.#");
    movers.history.undo(&mut movers.document);
    assert_eq!(movers.document.selection, session.document.selection);
    session.play("down 9,9; up");
    assert_eq!(session.document.selection, None);
}

#[test]
fn a_transform_is_shown_until_enter_does_it_and_esc_drops_it() {
    let transformed = |transform: TransformSelection, keys: &str, before: &str| {
        let mut document = map(before);
        document.selection = Selection::of_region(Region::new(IVec3::new(0, 0, 4), IVec3::new(3, 2, 7)));
        let mut session = Session::new("move", ToolSettings { transform, ..ToolSettings::default() }, document);
        session.play("hover 0,0");
        let shown = session.tool.preview().store.is_some();
        session.play(keys);
        (shown, session.commands.len(), drawn(&session.document, session.settings.color))
    };
    let check = |transform: TransformSelection, before, after: &str| {
        assert_eq!(transformed(transform.clone(), "", before), (true, 0, before.into()));
        assert_eq!(transformed(transform.clone(), "esc; enter", before), (true, 0, before.into()));
        assert_eq!(transformed(transform, "enter", before), (true, 1, after.into()));
    };
    let default = TransformSelection::default;
    check(TransformSelection::quarter_turn(Axis::Z), "123/.../...", ".1./.2./.3.");
    check(TransformSelection::flip(Axis::X), "123/.../...", "321/.../...");
    check(
        TransformSelection { by: IVec3::new(3, 1, 0), copies: 2, ..default() },
        "12......./........./.........",
        "12......./...12..../......12.",
    );
    let scaled = TransformSelection { scale: [2000, 2000, 1000].map(Thousandths), by: IVec3::new(2, 1, 0), ..default() };
    check(scaled, "12....../......../......../........", "1122..../1122..../......../........");
    check(TransformSelection { angle: Thousandths(90_000), ..default() }, "123/.../...", ".1./.2./.3.");
}

#[test]
fn copies_that_would_lie_on_each_other_are_told_and_not_made() {
    let check = |transform: TransformSelection, is_told: bool| {
        let mut document = map("12../....");
        document.selection = Selection::of_region(Region::new(IVec3::new(0, 0, 5), IVec3::new(2, 1, 7)));
        let mut session = Session::new("move", ToolSettings { transform: transform.clone(), ..ToolSettings::default() }, document);
        session.play("hover 3,1");
        let told = session.status.clone().unwrap_or_default();
        assert_eq!(told.starts_with("Drag or nudge"), is_told, "{transform:?}: {told}");
        session.play("enter");
        assert_eq!(session.commands.len(), usize::from(!is_told), "{transform:?}");
        (session.settings.transform.copies, session.tool.preview().outlines.len())
    };
    let default = TransformSelection::default;
    assert_eq!(check(TransformSelection { copies: 3, ..default() }, true), (3, 3), "they wait for the drag");
    assert_eq!(check(TransformSelection { copies: 1, ..default() }, true), (1, 1));
    check(TransformSelection { copies: 2, ..TransformSelection::quarter_turn(Axis::Z) }, true);
    check(TransformSelection { copies: 1, ..TransformSelection::quarter_turn(Axis::Z) }, false);
    check(TransformSelection { copies: 2, by: IVec3::new(0, 0, -1), ..default() }, false);
}

#[track_caller]
fn check_selection(gesture: &str, before: &str, expected: Option<[[i32; 3]; 2]>) {
    let mut session = Session::new("select", ToolSettings::default(), map(before));
    session.play(gesture);
    assert_eq!(session.document.selection, expected.map(Region::from).and_then(Selection::of_region), "{gesture}");
}

#[test]
fn a_selection_takes_the_relief_of_its_footprint_unless_its_height_is_pulled() {
    check_selection("down 0,0; move 2,0; up; down 2,0; up", "132.", Some([[0, 0, 4], [3, 1, 7]]));
    check_selection("down 0,0; move 2,0; up; hover 2,-2; down 2,-2; up", "132.", Some([[0, 0, 4], [3, 1, 7]]));
    check_selection("down 1,0; move 2,0; up; hover 2,-2; enter", "132.", Some([[1, 0, 2], [3, 1, 5]]));
    check_selection("down 0,0; move 1,0; up; esc; hover 1,0; down 9,9; up", "132.", None);
}

#[test]
fn a_click_outside_of_the_selection_deselects_and_one_inside_does_not() {
    let select = "down 0,0; move 2,0; up; down 2,0; up";
    let selected = Some([[0, 0, 5], [3, 1, 6]]);
    check_selection(&format!("{select}; down 1,0; up"), "2222", selected);
    check_selection(&format!("{select}; down 3,0; up"), "2222", None);
    check_selection(&format!("{select}; down 9,9; up"), "2222", None);
    check_selection(&format!("{select}; down 3,0; esc; up"), "2222", selected);
}

#[track_caller]
fn check_move(gesture: &str, before: &str, expected: &str, selection: [[i32; 3]; 2]) {
    let mut document = map(before);
    document.selection = Selection::of_region(Region::new(IVec3::new(0, 0, 5), IVec3::new(2, 1, 7)));
    let mut session = Session::new("move", ToolSettings::default(), document);
    session.play(gesture);
    assert_eq!(drawn(&session.document, session.settings.color), expected, "{gesture}");
    assert_eq!(session.document.selection, Selection::of_region(selection.into()), "{gesture}");
}

#[test]
fn the_selection_is_dragged_in_the_plane_of_its_side_or_copied() {
    check_move("down 0,0; move 2,0; move 3,1; up; enter", "21.../.....", "...../...21", [[3, 1, 5], [5, 2, 7]]);
    check_move("ctrl down 0,0; ctrl move 3,1; ctrl up; enter", "21.../.....", "21.../...21", [[3, 1, 5], [5, 2, 7]]);
    check_move("down 0,0; move 3,1; up", "21.../.....", "21.../.....", [[0, 0, 5], [2, 1, 7]]);
    check_move("down 0,0; move 3,1; up; down 3,1; move 2,1; up; enter", "21.../.....", "...../..21.", [[2, 1, 5], [4, 2, 7]]);
    check_move("down 0,0; move 3,1; up; esc; enter", "21.../.....", "21.../.....", [[0, 0, 5], [2, 1, 7]]);
    check_move("down 0,0; move 3,1; esc; up; enter", "21.../.....", "21.../.....", [[0, 0, 5], [2, 1, 7]]);
    check_move("down 0,0; move 3,1; move 0,0; up; enter", "21.../.....", "21.../.....", [[0, 0, 5], [2, 1, 7]]);
    check_move("down 0,0; move 99,0; up; enter", "21...", "....2", [[4, 0, 5], [5, 1, 7]]);
    check_move("down 0,0; shift move 3,1; shift up; enter", "21...", "21...", [[0, 0, 5], [2, 1, 7]]);
}

#[test]
fn shift_moves_the_selection_up_and_down() {
    let mut document = map("21...");
    document.selection = Selection::of_region(Region::new(IVec3::new(0, 0, 5), IVec3::new(2, 1, 7)));
    let mut session = Session::new("move", ToolSettings::default(), document);
    // Beside the middle of the side, where the gizmo is.
    let from = |z: f32| Ray::new(Vec3::new(1.0, 30.0, 2.0), Vec3::new(0.3, 1.0, z) - Vec3::new(1.0, 30.0, 2.0));
    let shift = Modifiers { shift: true, ..Modifiers::default() };
    session.pointer(Phase::Press, from(6.0), shift);
    session.pointer(Phase::Drag, from(3.0), shift);
    session.pointer(Phase::Release, from(3.0), shift);
    session.confirm();
    assert_eq!(session.document.selection, Selection::of_region(Region::new(IVec3::new(0, 0, 2), IVec3::new(2, 1, 4))));
}
