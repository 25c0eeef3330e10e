//! The gizmo of the move tool: what is taken hold of, and what a drag of it does.

use super::*;
use crate::edit::ops::{Thousandths, TransformSelection};
use crate::geom::{Axis, Face};

/// Rays from an eye that sees the map's sides to the east, the south and the sky.
fn slanted(to: Vec3) -> Ray {
    let eye = Vec3::new(40.0, 60.0, -60.0);
    Ray::new(eye, to - eye)
}

/// A small pixel, so that sides are large in the picture.
const FINE: f32 = 0.0001;

fn session(drawn: &str, selection: [[i32; 3]; 2]) -> Session {
    let mut document = map(drawn);
    document.selection = Selection::of_region(Region::from(selection));
    let mut session = Session::new("move", ToolSettings::default(), document);
    session.pixel = FINE;
    session
}

impl Session {
    fn gizmo(&self) -> Gizmo {
        self.tool.gizmo(&ToolContext { document: &self.document, settings: &self.settings }).unwrap()
    }

    /// Drags a grip by so many voxels.
    fn drag(&mut self, grip: Grip, by: Vec3, shift: bool) {
        let view = View::of_ray(&slanted(Vec3::ZERO), FINE, false);
        let gizmo = self.gizmo();
        let at = match grip {
            Grip::Arrow(face) => gizmo.arrow(face, &view).unwrap()[1],
            Grip::Side(face) => gizmo.side(face, &view).unwrap(),
            Grip::Ring => {
                let (middle, radius) = gizmo.ring(&view).unwrap();
                middle - Vec3::X * radius
            }
        };
        let modifiers = Modifiers { shift, ..Modifiers::default() };
        self.pointer(Phase::Hover, slanted(at), Modifiers::default());
        assert_eq!(self.gizmo().active, Some(grip));
        self.pointer(Phase::Press, slanted(at), modifiers);
        self.pointer(Phase::Drag, slanted(at + by), modifiers);
        assert_eq!(self.gizmo().active, Some(grip));
        self.pointer(Phase::Release, slanted(at + by), modifiers);
    }
}

#[test]
fn an_arrow_pushes_the_selection_along_its_axis_and_no_other() {
    let check = |face, by: Vec3, expected: &str| {
        let mut session = session("......../.21...../......../........", [[1, 1, 5], [3, 2, 7]]);
        session.drag(Grip::Arrow(face), by, false);
        session.confirm();
        assert_eq!(drawn(&session.document, session.settings.color), expected, "{face:?}");
    };
    check(Face::PlusX, Vec3::X * 3.2, "......../....21../......../........");
    check(Face::PlusY, Vec3::Y * 2.0, "......../......../......../.21.....");
    check(Face::MinusZ, Vec3::NEG_Z * 2.0, "......../.43...../......../........");
    // Beyond the map a part of it stays inside.
    check(Face::PlusX, Vec3::X * 60.0, "......../.......2/......../........");
}

#[test]
fn a_side_scales_the_selection_and_the_one_opposite_stays() {
    let check = |face, by: Vec3, shift, expected: &str| {
        let mut session = session("......../.21...../......../........", [[1, 1, 5], [3, 2, 7]]);
        session.drag(Grip::Side(face), by, shift);
        session.confirm();
        assert_eq!(drawn(&session.document, session.settings.color), expected, "{face:?}");
        session.history.undo(&mut session.document);
        assert_eq!(session.document.selection.as_ref().map(Selection::bounds), Some(Region::from([[1, 1, 5], [3, 2, 7]])));
    };
    check(Face::PlusX, Vec3::X * 2.0, false, "......../.2211.../......../........");
    check(Face::PlusY, Vec3::Y * 2.1, false, "......../.21...../.21...../.21.....");
    check(Face::MinusZ, Vec3::NEG_Z * 2.0, false, "......../.42...../......../........");
    check(Face::PlusX, Vec3::NEG_X * 9.0, false, "......../.1....../......../........");
    // In proportion twice as long, wide and high; about the middle of what is not pulled.
    check(Face::PlusX, Vec3::X * 2.0, true, ".4422.../.4422.../......../........");
}

#[test]
fn a_side_of_what_was_turned_by_quarters_is_pulled_as_it_lies() {
    let mut session = session("......../.21...../......../........", [[1, 1, 5], [3, 2, 7]]);
    session.settings.transform = TransformSelection::quarter_turn(Axis::Z);
    session.pointer(Phase::Hover, slanted(Vec3::ZERO), Modifiers::default());
    let before = session.settings.transform.target(session.document.selection.as_ref().unwrap()).unwrap();
    session.drag(Grip::Side(Face::PlusX), Vec3::X * 2.0, false);
    let after = session.settings.transform.target(session.document.selection.as_ref().unwrap()).unwrap();
    assert_eq!(after, Region::new(before.min(), before.max() + IVec3::new(2, 0, 0)));
}

#[test]
fn the_ring_turns_by_degrees_and_with_shift_by_steps() {
    let turned = |to: f32, shift| {
        let mut session = session(&["........"; 8].join("/"), [[3, 3, 5], [5, 5, 7]]);
        let view = View::of_ray(&slanted(Vec3::ZERO), FINE, false);
        let (_, radius) = session.gizmo().ring(&view).unwrap();
        let (sin, cos) = to.to_radians().sin_cos();
        session.drag(Grip::Ring, Vec3::new(1.0 - cos, -sin, 0.0) * radius, shift);
        session.settings.transform.angle
    };
    for (to, shift, expected) in [(90.0, false, 90), (37.2, false, 37), (37.2, true, 30), (-50.0, true, -45), (179.0, true, -180)] {
        assert_eq!(turned(to, shift), Thousandths(expected * 1000), "{to} {shift}");
    }
}

#[test]
fn what_is_small_turned_away_or_seen_from_its_edge_is_not_taken_hold_of() {
    let session = session("......../.21...../......../........", [[1, 1, 5], [3, 2, 7]]);
    let gizmo = session.gizmo();
    let view = |eye, voxels_per_pixel| View { eye, voxels_per_pixel, direction: None };
    let seen = |view: &View| {
        let faces = |seen: &dyn Fn(Face) -> bool| Face::ALL.into_iter().filter(|face| seen(*face)).collect::<Vec<_>>();
        let arrows = faces(&|face| gizmo.arrow(face, view).is_some());
        (arrows, faces(&|face| gizmo.side(face, view).is_some()), gizmo.ring(view).is_some())
    };
    let slanted = Vec3::new(40.0, 60.0, -60.0);
    let three = vec![Face::PlusX, Face::PlusY, Face::MinusZ];
    let all = |mut faces: Vec<Face>| {
        faces.sort_by_key(|face| three.iter().position(|other| other == face));
        faces
    };
    let (arrows, sides, ring) = seen(&view(slanted, FINE));
    assert_eq!((all(arrows), all(sides), ring), (three.clone(), three.clone(), true));
    let (arrows, sides, ring) = seen(&view(slanted, 0.0005));
    assert_eq!((all(arrows), sides, ring), (three.clone(), vec![], true), "two voxels are too small in the picture");
    // From above what goes up and down points at the eye, and from beside the ring is a line.
    let level = vec![Face::PlusX, Face::PlusY];
    let (arrows, sides, ring) = seen(&view(Vec3::new(2.0, 1.5, -90.0), FINE));
    assert_eq!((all(arrows), all(sides), ring), (level.clone(), level.clone(), true));
    let (arrows, _, ring) = seen(&view(Vec3::new(60.0, 1.5, 6.0), FINE));
    assert_eq!((all(arrows), ring), (vec![Face::PlusY, Face::MinusZ], false));
    // All rays of a parallel view see the same, wherever they run.
    for from in [[2.0, 1.5], [300.0, 200.0], [-300.0, 1.5]] {
        let ray = Ray::new(Vec3::new(from[0], from[1], -2048.0), Vec3::Z);
        let (arrows, sides, ring) = seen(&View::of_ray(&ray, 0.000_01, true));
        assert_eq!((all(arrows), all(sides), ring), (level.clone(), level.clone(), true), "{from:?}");
    }
}

#[test]
fn what_is_not_selected_or_still_follows_the_pointer_has_no_gizmo() {
    let mut session = session("....", [[0, 0, 5], [2, 1, 7]]);
    let gizmo = |session: &Session| session.tool.gizmo(&ToolContext { document: &session.document, settings: &session.settings });
    assert!(gizmo(&session).is_some());
    session.document.selection = None;
    assert_eq!(gizmo(&session), None);
    let clip = Clip::cut(&session.document, Region::from([[0, 0, 5], [2, 1, 7]])).unwrap();
    let place = ClipPlace::On(IVec3::new(2, 0, 7), Face::MinusZ);
    session.tool.take_clip(&ToolContext { document: &session.document, settings: &session.settings }, clip, place);
    assert_eq!(gizmo(&session), None, "it follows the pointer");
    session.play("down 2,0; up");
    assert!(gizmo(&session).is_some(), "it lies");
}

#[test]
fn in_a_map_of_one_layer_a_clip_lies_within_that_layer() {
    let mut session = session("....", [[0, 0, 5], [2, 1, 7]]);
    let clip = Clip::cut(&session.document, Region::from([[0, 0, 5], [2, 1, 7]])).unwrap();
    let mut store = Store::new(Region::of_size(IVec3::new(8, 8, 1)));
    let mut edit = StoreEdit::new(&store);
    (0..8).for_each(|x| _ = edit.set(IVec3::new(x, 4, 0), Some(Voxel::new(Rgb::new(90, 90, 90)))));
    let changes = edit.finish();
    store.apply(&changes);
    session.document = Document::new(store, &GameProfile::SPACE_STATION_14);
    let place = ClipPlace::On(IVec3::new(4, 4, 0), Face::MinusZ);
    session.tool.take_clip(&ToolContext { document: &session.document, settings: &session.settings }, clip, place);
    let Some(Command::Paste(paste)) = session.tool.wanted() else { panic!("nothing is pasted") };
    assert_eq!((paste.at, paste.clip.size()), (IVec3::new(3, 4, -1), IVec3::new(2, 1, 2)), "its lowest layer is the map's");
}

#[test]
fn what_is_typed_goes_to_what_is_held() {
    let first = |grip, by| {
        let mut session = session(&["........"; 8].join("/"), [[3, 3, 5], [5, 5, 7]]);
        session.drag(grip, by, false);
        let numbers = session.tool.numbers(&ToolContext { document: &session.document, settings: &session.settings });
        numbers.numbers[numbers.first].name
    };
    assert_eq!(first(Grip::Arrow(Face::PlusY), Vec3::Y * 2.0), "Offset y");
    assert_eq!(first(Grip::Side(Face::PlusX), Vec3::X * 2.0), "Scale x");
    assert_eq!(first(Grip::Ring, Vec3::Y), "Angle");
}

#[test]
fn in_a_parallel_view_the_pointer_finds_what_is_shown() {
    let mut session = session(&["........"; 8].join("/"), [[3, 3, 5], [5, 5, 7]]);
    (session.pixel, session.is_parallel) = (0.000_01, true);
    let ray = |at: Vec3| Ray::new(at.with_z(-2048.0), Vec3::Z);
    let view = View::of_ray(&ray(Vec3::new(40.0, 60.0, 0.0)), 0.000_01, true);
    for face in [Face::PlusX, Face::PlusY] {
        let [foot, tip] = session.gizmo().arrow(face, &view).unwrap();
        session.pointer(Phase::Hover, ray(foot.lerp(tip, 0.6)), Modifiers::default());
        assert_eq!(session.gizmo().active, Some(Grip::Arrow(face)));
    }
    // Where none is shown none is found.
    session.pointer(Phase::Hover, ray(Vec3::new(2.6, 4.0, 0.0)), Modifiers::default());
    assert!(!matches!(session.gizmo().active, Some(Grip::Arrow(_) | Grip::Side(_))), "{:?}", session.gizmo().active);
}

#[test]
fn a_side_of_a_selected_box_is_pulled_and_the_one_opposite_stays() {
    let begin = || {
        let mut document = map(&["........"; 8].join("/"));
        document.selection = Selection::of_region(Region::from([[2, 2, 4], [5, 5, 6]]));
        let mut session = Session::new("select", ToolSettings::default(), document);
        session.pixel = FINE;
        session
    };
    let check = |face, by: Vec3, expected: [[i32; 3]; 2]| {
        let mut session = begin();
        session.drag(Grip::Side(face), by, false);
        assert_eq!(session.document.selection.as_ref().and_then(Selection::as_region), Some(expected.into()), "{face:?}");
    };
    check(Face::PlusX, Vec3::X * 2.0, [[2, 2, 4], [7, 5, 6]]);
    check(Face::PlusY, Vec3::Y * 60.0, [[2, 2, 4], [5, 8, 6]]);
    check(Face::MinusZ, Vec3::NEG_Z * 3.0, [[2, 2, 1], [5, 5, 6]]);
    check(Face::MinusZ, Vec3::Z * 9.0, [[2, 2, 5], [5, 5, 6]]);
    check(Face::PlusX, Vec3::ZERO, [[2, 2, 4], [5, 5, 6]]);
    // With numbers, and called off.
    let mut session = begin();
    let at = session.gizmo().side(Face::PlusX, &View::of_ray(&slanted(Vec3::ZERO), FINE, false)).unwrap();
    session.pointer(Phase::Press, slanted(at), Modifiers::default());
    let names: Vec<_> = session.tool.numbers(&ToolContext { document: &session.document, settings: &session.settings }).numbers;
    assert_eq!(names.iter().map(|number| (number.name, number.value)).collect::<Vec<_>>(), [("Width", 3.0)]);
    let typed = [TypedNumber { value: 6.0, typed: true }];
    session.tool.set_numbers(&ToolContext { document: &session.document, settings: &session.settings }, &typed);
    assert_eq!(session.tool.preview().outlines.first().map(|outline| outline.region), Some(Region::from([[2, 2, 4], [8, 5, 6]])));
    assert!(session.step_back());
    assert_eq!((session.tool.preview().outlines.len(), session.commands.len()), (0, 0));
    // A modifier begins another box there.
    session.pointer(Phase::Press, slanted(at), Modifiers { shift: true, ..Modifiers::default() });
    assert_eq!(session.tool.gizmo(&ToolContext { document: &session.document, settings: &session.settings }), None);
}

/// Between the grips, on the side to the east.
#[test]
fn a_side_that_is_seen_from_above_slides_on_a_level_and_does_not_sink() {
    for (to, expected) in [(Vec3::new(2.0, 1.0, 0.0), Some([2, 1, 0])), (Vec3::Z * 2.0, None)] {
        let mut session = session("......../.21...../......../........", [[1, 1, 5], [3, 2, 7]]);
        let at = Vec3::new(3.0, 1.2, 6.8);
        session.pointer(Phase::Press, slanted(at), Modifiers::default());
        session.pointer(Phase::Drag, slanted(at + to), Modifiers::default());
        let by = session.settings.transform.by;
        assert!(by != IVec3::ZERO && by.z == 0 && expected.is_none_or(|expected| by.to_array() == expected), "{to}: {by}");
    }
}
