//! Boxes that are hollow or grow from their center.

use super::*;

#[test]
fn an_even_size_from_the_center_is_as_large_as_typed() {
    // The middle of an even size lies beside the voxel that was pressed.
    let from_center = ToolSettings { solid: SolidKind::Box, from_center: true, ..with(Mode::Add, 1) };
    for (size, expected) in
        [(4, "...../.bbbb/.bbbb/.bbbb/.bbbb"), (3, "...../.bbb./.bbb./.bbb./....."), (2, "...../...../..bb./..bb./.....")]
    {
        for tool in ["shape", "box"] {
            let mut session = Session::new(tool, from_center.clone(), map("...../...../...../...../....."));
            session.play("shift down 2,2");
            let numbers = [TypedNumber { value: f64::from(size), typed: true }; 2];
            let context = ToolContext { document: &session.document, settings: &session.settings };
            let response = session.tool.set_numbers(&context, &numbers);
            session.take(response, &Preview::default());
            session.confirm();
            assert_eq!(drawn(&session.document, session.settings.color), expected, "{tool} {size}");
        }
    }
}

#[test]
fn a_hollow_box_has_walls_of_that_thickness() {
    let hollow = ToolSettings { shell: 1, ..with(Mode::Add, 1) };
    let pulled = "down 0,0; move 4,4; up; hover 4,2; down 4,2; up";
    let mut session = Session::new("box", hollow, map("...../...../...../...../....."));
    session.play(pulled);
    let hollow = session.document.store().solid_count();
    let mut session = Session::new("box", with(Mode::Add, 1), map("...../...../...../...../....."));
    session.play(pulled);
    assert_eq!(session.document.store().solid_count() - hollow, 9, "5×5×3 has 3×3×1 within");
}

#[test]
fn the_arrows_move_a_box_whose_footprint_is_done_as_far_as_the_map_goes() {
    for (id, drawn_as) in [("box", "......../...dd.../...dd..."), ("shape", "......../...dd.../...dd...")] {
        let mut session = Session::new(id, ToolSettings { mode: Mode::Add, ..ToolSettings::default() }, map("......../......../........"));
        session.play("down 0,0");
        assert!(!session.tool.can_nudge());
        session.play("move 1,1; up; hover 1,-1");
        assert!(session.tool.can_nudge());
        for by in [IVec3::new(9, 0, 0), IVec3::new(-3, 1, 0)] {
            session.tool.nudge(by);
            // What the editor does after it.
            session.take(ToolResponse::default(), &Preview::default());
        }
        session.confirm();
        assert_eq!(drawn(&session.document, session.settings.color), drawn_as, "{id}");
    }
    let mut session = Session::new("select", ToolSettings::default(), map("......../......../........"));
    session.play("down 0,0; move 1,1; up; hover 1,1");
    session.tool.nudge(IVec3::new(2, 0, -99));
    session.confirm();
    let bounds = session.document.selection.as_ref().map(Selection::bounds).unwrap();
    assert_eq!((bounds.min().truncate().to_array(), bounds.max().truncate().to_array()), ([2, 0], [4, 2]));
}
