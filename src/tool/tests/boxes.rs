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
    let selected = |steps: &[IVec3]| {
        let mut session = Session::new("select", ToolSettings::default(), map("......../......../........"));
        session.play("down 0,0; move 1,1; up; hover 1,1");
        steps.iter().for_each(|by| session.tool.nudge(*by));
        session.confirm();
        session.document.selection.as_ref().map(Selection::bounds).unwrap()
    };
    let (lying, up) = (selected(&[]), IVec3::new(0, 0, -1));
    assert_eq!(selected(&[IVec3::new(2, 0, 0)]), lying.shifted(IVec3::new(2, 0, 0)));
    // Up and down it moves whole, and does not reach back to the ground.
    assert_eq!(selected(&[up, up, IVec3::new(1, 0, 0)]), lying.shifted(IVec3::new(1, 0, -2)));
    assert_eq!(selected(&[up, -up]), lying);
    let highest = selected(&[up * 99]);
    assert_eq!((highest.min().z, highest.size()), (0, lying.size()));
    // A box with the voxel that was pressed in its middle keeps both sides.
    let mut session = Session::new("box", ToolSettings { from_center: true, ..ToolSettings::default() }, map("......../......../........"));
    session.play("down 4,1; move 6,2; up; hover 6,1");
    (0..9).for_each(|_| session.tool.nudge(IVec3::new(-1, 0, 0)));
    session.confirm();
    assert_eq!(drawn(&session.document, session.settings.color), "ccccc.../ccccc.../ccccc...");
}

#[test]
fn a_box_that_is_to_dig_after_all_lies_in_the_ground() {
    for id in ["box", "shape"] {
        let settings = ToolSettings { solid: SolidKind::Box, ..with(Mode::Add, 1) };
        let mut session = Session::new(id, settings, map("11111/11111/11111/11111/11111"));
        let before = session.document.store().solid_count();
        session.play("down 0,0; move 2,2; up");
        for (mode, count) in [(Mode::Remove, before - 9), (Mode::Add, before + 9), (Mode::Paint, before)] {
            session.settings.mode = mode;
            session.tool.follow(&ToolContext { document: &session.document, settings: &session.settings });
            session.take(ToolResponse::default(), &Preview::default());
            let command =
                session.tool.confirm(&ToolContext { document: &session.document, settings: &session.settings }).commands.remove(0);
            let mut document = session.document.clone();
            let change = plan(&document, &command, &Progress::new()).unwrap();
            History::new().commit(&mut document, change);
            assert_eq!(document.store().solid_count(), count, "{id} {mode:?}");
            session.play("down 0,0; move 2,2; up");
        }
    }
}

#[test]
fn a_box_whose_height_is_to_come_takes_other_settings() {
    let later = Rgb::new(9, 8, 7);
    for id in ["box", "shape"] {
        let settings = ToolSettings { solid: SolidKind::Box, ..with(Mode::Add, 1) };
        let mut session = Session::new(id, settings, map("...../...../...../...../....."));
        session.play("down 0,0; move 2,2; up; hover 2,0");
        (session.settings.color, session.settings.shell) = (later, 1);
        session.tool.follow(&ToolContext { document: &session.document, settings: &session.settings });
        // What the editor does after it.
        session.take(ToolResponse::default(), &Preview::default());
        session.confirm();
        let new = session.document.bounds().positions().filter_map(|pos| session.document.store().voxel(pos)?.paint);
        let new: Vec<_> = new.filter(|paint| paint.rgb == later).collect();
        assert!(!new.is_empty() && new.len() % 9 != 0, "{id}: {}", new.len());
    }
}
