//! What holds for every tool's gesture: it is taken back step by step.

use super::*;

#[test]
fn a_river_has_the_color_of_the_water_where_it_comes_down_to_it_and_that_in_hand_elsewhere() {
    let (hand, water) = (Rgb::new(200, 10, 10), Rgb::new(4, 8, 236));
    let usual = crate::terrain::WATER;
    for (drawn, kind, height, expected) in [
        ("1111/1111/..../1111", PathKind::River, 0, (0, water)),
        ("1111/1111/..../1111", PathKind::River, 3, (0, water)),
        ("3333/3333/..../3333", PathKind::River, 2, (1, hand)),
        ("1111/1111/..../1111", PathKind::Road, 0, (1, hand)),
        // No water is to be seen.
        ("1111/1111/1111/1111", PathKind::River, 0, (0, usual)),
    ] {
        let mut document = map(drawn);
        let (floor, mut edit) = (document.floor_z().unwrap(), StoreEdit::new(document.store()));
        for at in document.bounds().columns().columns().map(|[x, y]| IVec3::new(x, y, floor)) {
            edit.set(at, Some(Voxel::new(water)));
        }
        document.store_mut(0).unwrap().apply(&edit.finish());
        let path = PathSettings { kind, height, width: 1, ..ToolSettings::default().path };
        let mut session = Session::new("path", ToolSettings { path, color: hand, ..ToolSettings::default() }, document);
        session.play("down 0,0; up; down 3,0; up; enter");
        let z = session.document.store().ground(2, 0, 0).unwrap();
        let color = session.document.store().paint(IVec3::new(2, 0, z)).unwrap().rgb;
        assert_eq!((floor - z, color), expected, "{drawn} {kind:?} {height}");
    }
}

/// The settings with which each tool has something to do.
fn ready() -> ToolSettings {
    let stamp = StampSettings { stamp: Some(making::stamp()), ..StampSettings::default() };
    ToolSettings { stamp, ..with(Mode::Add, 1) }
}

fn hills() -> Document {
    let mut document = map("......../......../......../......../......../........");
    document.selection = Selection::of_region(Region::new(IVec3::new(1, 1, 6), IVec3::new(3, 3, 8)));
    document
}

/// A gesture of each tool, and the presses of Esc that take it back.
const GESTURES: &[(&str, &str, usize)] = &[
    ("brush", "down 1,1; move 3,1", 1),
    ("line", "down 1,1; move 3,1", 1),
    ("box", "down 1,4; move 3,5", 1),
    ("box", "down 1,4; move 3,5; up; hover 3,3", 2),
    ("shape", "down 1,4; move 3,5; up; hover 3,3", 2),
    ("extrude", "down 1,4; move 1,2", 1),
    ("fill", "down 1,1", 1),
    ("pick", "down 1,1", 1),
    ("select", "down 1,4; move 3,5", 1),
    ("select", "down 1,4; move 3,5; up; hover 3,3", 2),
    ("move", "down 1,1; move 3,1", 1),
    ("move", "down 1,1; move 3,1; up", 1),
    ("move", "down 1,1; move 3,1; up; down 3,1; move 4,4", 2),
    ("sculpt", "down 1,1; move 3,1", 1),
    ("objects", "down 1,1; move 3,3", 1),
    ("paint", "down 1,1; move 3,1", 1),
    ("path", "down 1,1; up; down 3,1; up; down 5,2; up", 3),
    ("path", "down 1,1; up; down 3,1; up; down 3,1; move 5,5", 3),
    ("terrain", "down 1,1; up", 1),
    ("stamp", "down 1,1; move 2,2", 1),
    ("ruler", "down 1,1; up; hover 3,3", 1),
    ("ruler", "down 1,1; move 3,3; up", 2),
];

#[test]
fn esc_takes_one_step_back_at_a_press_with_every_tool() {
    for spec in TOOLS {
        assert!(GESTURES.iter().any(|(id, ..)| *id == spec.id), "{} has no gesture here", spec.id);
    }
    for (id, gesture, steps) in GESTURES {
        let mut session = Session::new(id, ready(), hills());
        session.play(gesture);
        let store = session.document.store().clone();
        let taken = (0..20).take_while(|_| session.step_back()).count();
        assert_eq!(taken, *steps, "{id}: {gesture}");
        assert!(!session.tool.cancel(), "{id}: something is left of {gesture}");
        session.play("up; enter");
        assert!(session.commands.is_empty() && store.same_voxels(session.document.store()), "{id}: {gesture}");
    }
}

#[test]
fn any_gesture_of_any_tool_comes_to_an_end_by_esc_alone() {
    for (index, spec) in TOOLS.iter().enumerate() {
        for round in 0..40_u64 {
            let mut dice = Dice(0x517c_c1b7 + round * 7919 + index as u64 * 104_729);
            let settings = select::any_way(&mut dice, making_things(&mut Dice(5 + round), ready()));
            let mut session = Session::new(spec.id, settings, hills());
            for _ in 0..30 {
                let (phase, ray, modifiers) = dice.event();
                session.pointer(phase, ray, modifiers);
                if dice.roll(8) == 0 {
                    session.step_back();
                }
            }
            let done = session.commands.len();
            assert!((0..40).any(|_| !session.step_back()), "{}: Esc never ends", spec.id);
            assert!(!session.tool.cancel(), "{}: something is left", spec.id);
            assert!(spec.id != "move" || session.settings.transform.is_identity(), "{}", spec.id);
            session.confirm();
            assert_eq!(session.commands.len(), done, "{}: what was taken back is not done", spec.id);
        }
    }
}

#[test]
fn a_footprint_that_esc_went_back_to_is_laid_by_a_click() {
    let empty = "...../...../...../...../.....";
    let check = |id, gesture, expected| check_tool(id, ToolSettings { solid: SolidKind::Box, ..ready() }, gesture, empty, expected);
    let again = "down 1,3; move 3,4; up; hover 3,2; esc; hover 2,4; down 2,4; up; hover 2,3; down 2,3; up";
    check("box", again, "...../...../...../.cc../.cc..");
    check("shape", again, "...../...../...../.cc../.cc..");
    let mut session = Session::new("select", ready(), hills());
    session.play("down 1,4; move 4,5; up; hover 4,3; esc; hover 2,5; down 2,5; up; hover 2,5; down 2,5; up");
    let selected = session.document.selection.as_ref().and_then(Selection::as_region);
    assert_eq!(selected, Some(Region::new(IVec3::new(1, 4, 7), IVec3::new(3, 6, 8))));
}

#[test]
fn a_drag_that_esc_takes_back_leaves_what_was_dragged_before() {
    let mut session = Session::new("move", ready(), hills());
    session.play("down 1,1; move 3,1; up; down 3,1; move 3,4; esc; move 5,5; up");
    assert_eq!(session.settings.transform.by, IVec3::new(2, 0, 0));
    let mut session = Session::new("ruler", ready(), hills());
    session.play("down 1,1; move 3,3; up; esc; hover 1,4");
    assert_eq!(session.tool.preview().measures[0].text, "3.0 voxels");
}
