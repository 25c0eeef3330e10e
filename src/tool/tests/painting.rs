//! What brushes, painting, sculpting and filling do to small maps drawn as text: see the module above.

use glam::IVec3;

use super::*;
use crate::document::{Document, GameProfile, Progress};
use crate::edit::ops::{FillReach, SculptAction, SculptForm};
use crate::edit::{Brush, BrushShape, ColorImage, GrayImage, Spacing, plan};
use crate::geom::{Face, Region};
use crate::tool::ghost::GHOST_LIMIT;
use crate::tool::stroke_ghost::StrokeGhost;
use crate::voxel::{Store, StoreEdit, Voxel};

#[test]
fn a_brush_shows_its_spacing_its_own_tips_and_stands_on_the_face() {
    let check = |brush: Brush, on_surface, gesture, before, expected| {
        check_tool("brush", ToolSettings { brush, on_surface, ..with(Mode::Add, 1) }, gesture, before, expected);
    };
    let plain = |shape, size| Brush::new(shape, size);
    let spaced = |spacing| Brush { spacing, ..plain(BrushShape::Cube, 2) };
    check(plain(BrushShape::Disc, 3), false, "down 2,1; up", "...../...../.....", ".bbb./.bbb./.bbb.");
    check(Brush { height: Some(3), ..plain(BrushShape::Cone, 3) }, false, "down 2,1; up", "...../...../.....", "..b../.bcb./..b..");
    check(spaced(Spacing::Voxels(3)), false, "down 1,1; move 7,1; up", "......../........", "cc.cc.cc/cc.cc.cc");
    let jittered = Brush { jitter: 2, seed: 3, ..plain(BrushShape::Cube, 1) };
    check(jittered, false, "down 0,2; move 4,2; up", "...../...../...../...../.....", JITTERED);
    let picture = GrayImage::new([2, 2], vec![65535, 0, 0, 65535]).unwrap();
    let own = Brush { picture: Some(picture), height: Some(1), ..plain(BrushShape::Picture, 4) };
    check(own, false, "down 2,2; up", "..../..../..../....", "bb../bb../..bb/..bb");
    check(plain(BrushShape::Picture, 3), false, "down 2,1; up", "...../.....", "...../.....");
}

/// Where chance puts the voxel; the same on every machine.
const JITTERED: &str = "....b/...../...../...b./.....";

#[test]
fn half_of_a_brush_covers_about_half_and_each_stroke_another_half() {
    let brush = Brush { strength: 50, ..Brush::new(BrushShape::Cube, 8) };
    let settings = ToolSettings { brush, ..with(Mode::Paint, 1) };
    let mut session = Session::new("brush", settings, map(&["11111111"; 8].join("/")));
    let painted = |session: &Session| drawn(&session.document, session.settings.color).matches('b').count();
    session.play("down 4,4; up");
    let once = painted(&session);
    assert!((20..45).contains(&once), "{once}");
    session.play("down 4,4; up");
    let twice = painted(&session);
    assert!(twice > once && twice < 64, "{twice}");
}

#[test]
fn painting_changes_colors_in_the_way_that_is_chosen() {
    let color_at = |kind, gesture, x: i32| {
        let paint =
            PaintSettings { kind, mix: vec![(Rgb::new(1, 2, 3), 1)], stops: vec![(6, Rgb::new(9, 9, 9))], ..PaintSettings::default() };
        let settings = ToolSettings { color: Rgb::new(220, 20, 230), paint, ..with(Mode::Add, 1) };
        let mut session = Session::new("paint", settings, map("111"));
        session.play(gesture);
        session.document.store().paint(IVec3::new(x, 0, DEPTH - 2)).unwrap().rgb
    };
    let all = "down 0,0; move 2,0; up";
    assert_eq!(color_at(PaintKind::Replace, all, 1), Rgb::new(220, 20, 230));
    assert_eq!(color_at(PaintKind::Tint, all, 1), Rgb::new(120, 70, 130));
    assert_eq!(color_at(PaintKind::Lighten, all, 1), Rgb::new(138, 188, 143));
    assert_eq!(color_at(PaintKind::Darken, all, 1), Rgb::new(10, 60, 15));
    assert_eq!(color_at(PaintKind::Lighten, "ctrl down 0,0; up", 0), Rgb::new(10, 60, 15));
    assert_eq!(color_at(PaintKind::Mix, all, 1), Rgb::new(1, 2, 3));
    assert_eq!(color_at(PaintKind::Ramp, all, 1), Rgb::new(9, 9, 9));
    assert_eq!(color_at(PaintKind::Gradient, all, 0), Rgb::new(220, 20, 230));
    assert_eq!(color_at(PaintKind::Gradient, all, 2), PaintSettings::default().second);
    assert_eq!(color_at(PaintKind::Blur, all, 1), GROUND);
    assert_ne!(color_at(PaintKind::Noise, all, 1), GROUND);
    assert_eq!(color_at(PaintKind::Decal, all, 1), GROUND, "there is no picture");
}

#[test]
fn a_picture_is_laid_down_where_the_pointer_lets_go() {
    let [red, blue] = [Rgb::new(200, 0, 0), Rgb::new(0, 0, 200)];
    let decal = Some(ColorImage::new([2, 1], vec![red, blue]).unwrap());
    let paint = PaintSettings { kind: PaintKind::Decal, decal, decal_width: 2, clear: Some(blue), ..PaintSettings::default() };
    let settings = ToolSettings { color: red, paint, ..with(Mode::Add, 3) };
    let play = |gesture: &str| {
        let mut session = Session::new("paint", settings.clone(), map("1111/1111"));
        session.play(gesture);
        drawn(&session.document, red)
    };
    assert_eq!(play("down 1,0; up"), "b111/1111");
    assert_eq!(play("down 1,0; move 3,1; up"), "1111/11b1");
    assert_eq!(play("down 1,0; move 3,1; esc; up"), "1111/1111");
}

#[test]
fn a_picture_lies_on_steps_that_rise_out_of_it_too() {
    let red = Rgb::new(200, 0, 0);
    let decal = Some(ColorImage::new([8, 1], vec![red; 8]).unwrap());
    let paint = PaintSettings { kind: PaintKind::Decal, decal, decal_width: 8, ..PaintSettings::default() };
    let mut session = Session::new("paint", ToolSettings { color: red, paint, ..with(Mode::Add, 1) }, map("11113334"));
    session.play("down 3,0; up");
    // From x -1 on, on the heights 1 and 3; the ground behind x 6 lies beside it.
    assert_eq!(drawn(&session.document, red), "bbbbddd4");
}

#[test]
fn a_picture_lies_on_a_slope_whose_step_is_pointed_at_and_on_a_wall_as_it_stands() {
    let red = Rgb::new(200, 0, 0);
    let laid = |rows: &str| {
        let decal = Some(ColorImage::new([8, 8], vec![red; 64]).unwrap());
        let paint = PaintSettings { kind: PaintKind::Decal, decal, decal_width: 8, ..PaintSettings::default() };
        let mut session = Session::new("paint", ToolSettings { color: red, paint, ..with(Mode::Add, 1) }, map(&[rows; 8].join("/")));
        // From the west, level, to the side of what is five voxels high.
        let ray_in_world = Ray::new(Vec3::new(-5.0, 4.5, DEPTH as f32 - 5.5), Vec3::X);
        for phase in [Phase::Press, Phase::Release] {
            session.pointer(phase, ray_in_world, Modifiers::default());
        }
        drawn(&session.document, red).split('/').next().unwrap().to_owned()
    };
    assert_eq!(laid("12345677"), "bcdefghh");
    // Of a wall the top voxel of its side is what is seen from above.
    assert_eq!(laid("11115555"), "1111f555");
}

#[test]
fn a_stroke_that_the_mask_leaves_out_says_so() {
    let told = |masks: crate::document::Masks| {
        let mut document = map("2222");
        document.masks = masks.into();
        let mut session = Session::new("brush", with(Mode::Paint, 1), document);
        session.play("down 1,0; up");
        session.status.clone()
    };
    let nowhere = crate::document::Masks { z: Some([0, 1]), ..Default::default() };
    assert_eq!(told(nowhere).as_deref(), Some("Nothing to change there, or the mask (heights) leaves it out"));
}

#[test]
fn a_picture_lies_on_the_floor_that_it_is_laid_on_and_on_none_below() {
    let red = Rgb::new(200, 0, 0);
    let laid = |depth: u32, size: u32, from_above: bool| {
        let decal = Some(ColorImage::new([8, 8], vec![red; 64]).unwrap());
        let paint = PaintSettings { kind: PaintKind::Decal, decal, decal_width: 8, depth, ..PaintSettings::default() };
        let mut document = map(&["55555555"; 8].join("/"));
        // Two floors over each other: one voxel, two of air, one voxel, one of air, ground.
        for (top, bottom) in [(3, 5), (6, 7)] {
            let mut edit = StoreEdit::new(document.store());
            for at in Region::new(IVec3::new(0, 0, top), IVec3::new(8, 8, bottom)).positions() {
                edit.set(at, None);
            }
            let changes = edit.finish();
            document.store_mut(0).unwrap().apply(&changes);
        }
        let mut session = Session::new("paint", ToolSettings { color: red, paint, ..with(Mode::Add, size) }, document);
        if from_above {
            session.play("down 4,4; up");
        } else {
            // From the west, under the upper floor, down to the lower one.
            let ray_in_world = Ray::new(Vec3::new(-1.0, 4.5, 3.5), Vec3::new(5.5, 0.0, 1.5));
            for phase in [Phase::Press, Phase::Release] {
                session.pointer(phase, ray_in_world, Modifiers::default());
            }
        }
        (0..DEPTH)
            .filter(|z| session.document.store().paint(IVec3::new(2, 2, *z)).is_some_and(|paint| paint.rgb == red))
            .collect::<Vec<_>>()
    };
    for size in [1, 31] {
        assert_eq!(laid(1, size, true), [2], "the brush is nothing to a picture");
        assert_eq!(laid(16, size, true), [2], "no deeper than the floor is thick");
        assert_eq!(laid(1, size, false), [5], "and what is over it is not in its way");
    }
}

#[test]
fn every_way_of_sculpting_forms_the_ground() {
    let check = |action, strength, gesture, before, expected| {
        let settings = ToolSettings { sculpt_action: action, strength, sculpt_step: 3, ..with(Mode::Add, 3) };
        check_tool("sculpt", settings, gesture, before, expected);
    };
    check(SculptAction::Flatten, 6, "down 0,0; move 4,0; up", "24135", "22222");
    check(SculptAction::Erode, 6, "down 0,0; move 4,0; up", "11411", "11211");
    check(SculptAction::Melt, 2, "down 0,0; move 4,0; up", "44441", "44421");
    check(SculptAction::Terrace, 3, "down 0,0; move 5,0; up", "123456", ".33366");
    check(SculptAction::Slope, 1, "down 0,0; move 4,0; up", "1...5", "12345");
}

#[test]
fn alt_picks_the_level_that_ground_is_flattened_to_where_it_is_fixed() {
    let flatten = |level| ToolSettings { sculpt_action: SculptAction::Flatten, sculpt_level: level, strength: 6, ..with(Mode::Add, 3) };
    let gesture = "alt down 4,0; alt up; down 0,0; move 4,0; up";
    check_tool("sculpt", flatten(Some(0)), gesture, "24135", "55555");
    check_tool("sculpt", flatten(None), gesture, "24135", "22222");
    let mut session = Session::new("sculpt", flatten(None), map("24135"));
    session.play("alt down 4,0; alt up");
    assert_eq!(session.settings.sculpt_level, None, "without a fixed one a color is picked");
}

#[test]
fn sculpting_a_volume_leaves_the_cave_under_the_roof() {
    // A roof over a cave: the pointer works on the roof's top, and both of its sides move.
    let roofed = || {
        let mut document = map(".........");
        let mut edit = StoreEdit::new(document.store());
        for x in 0..9 {
            edit.set(IVec3::new(x, 0, 3), Some(Voxel::new(GROUND)));
        }
        let changes = edit.finish();
        document.store_mut(0).unwrap().apply(&changes);
        document
    };
    let side = |action, form, strength| {
        let settings = ToolSettings { sculpt_action: action, sculpt_form: form, strength, ..with(Mode::Add, 5) };
        let mut session = Session::new("sculpt", settings, roofed());
        session.play("down 4,0; up");
        let row = |z| (0..9).map(|x| if session.document.store().is_solid(IVec3::new(x, 0, z)) { '#' } else { '.' }).collect::<String>();
        (1..6).map(row).collect::<Vec<_>>().join("/")
    };
    assert_eq!(side(SculptAction::Raise, SculptForm::Volume, 1), "........./....#..../#########/....#..../.........");
    assert_eq!(side(SculptAction::Lower, SculptForm::Volume, 1), "........./........./###...###/........./.........");
    assert_eq!(side(SculptAction::Raise, SculptForm::Column, 1), "........./...###.../#########/........./.........");
    assert_eq!(side(SculptAction::Smooth, SculptForm::Volume, 1), "........./........./###...###/........./.........");
    // Whoever points at the roof from below hears which form works on that side.
    let told_below = |sculpt_form| {
        let settings = ToolSettings { sculpt_form, ..with(Mode::Add, 5) };
        let mut session = Session::new("sculpt", settings, roofed());
        session.pointer(Phase::Press, Ray::new(Vec3::new(4.5, 0.5, 5.5), Vec3::NEG_Z), Modifiers::default());
        session.status.expect("it says what it does").contains("ceilings stay")
    };
    assert_eq!([SculptForm::Column, SculptForm::Volume].map(told_below), [true, false]);
}

#[test]
fn a_fill_takes_a_surface_a_solid_a_color_everywhere_or_enclosed_air() {
    let check = |fill_reach, mode, gesture, before, expected| {
        check_tool("fill", ToolSettings { fill_reach, ..with(mode, 1) }, gesture, before, expected);
    };
    check(FillReach::Color, Mode::Remove, "down 0,0; up", "22.22", "1..22");
    check(FillReach::Everywhere, Mode::Remove, "down 0,0; up", "22.22", "1...1");
    check(FillReach::Everywhere, Mode::Paint, "down 0,0; up", "22.22", "ccacc");
    check(FillReach::Surface, Mode::Paint, "down 0,0; up", "22.22", "cc.22");
    check(FillReach::Solid, Mode::Remove, "down 0,0; up", "23.22", "...22");
    check(FillReach::Air, Mode::Add, "down 2,1; up", "111/1.1/111", "111/1.1/111");
}

#[test]
fn the_ghost_of_a_wide_stroke_keeps_its_hull_and_stays_within_the_limit() {
    let mut store = Store::new(Region::of_size(IVec3::new(300, 120, 64)));
    let mut edit = StoreEdit::new(&store);
    Region::new(IVec3::new(0, 0, 40), IVec3::new(300, 120, 64))
        .positions()
        .for_each(|pos| _ = edit.set(pos, Some(Voxel::new(Rgb::new(9, 9, 9)))));
    let changes = edit.finish();
    store.apply(&changes);
    let document = Document::new(store, &GameProfile::ACE_OF_SPADES);
    for mode in Mode::TOOL {
        let brush = Brush::new(BrushShape::Ball, 40);
        let mut ghost = StrokeGhost::new(&document, &brush, mode);
        let path: Vec<_> = (0..200).map(|step| IVec3::new(40 + step, 60, 40)).collect();
        for (index, point) in path.iter().enumerate() {
            let before = ghost.ghosts();
            ghost.go_to(*point);
            ghost.go_on();
            assert!(!ghost.is_behind(), "a step is drawn at once");
            // Whoever shows the ghost looks at few parts again.
            let anew =
                ghost.ghosts().iter().filter(|part| !before.iter().any(|old| std::sync::Arc::ptr_eq(&old.voxels, &part.voxels))).count();
            assert!(index == 0 || anew <= 3, "{mode:?} {index}: {anew}");
        }
        let stroke = crate::edit::ops::Stroke { brush, mode, color: GROUND, path };
        let change = plan(&document, &Command::Stroke(stroke), &Progress::new()).unwrap();
        let mut after = document.clone();
        crate::edit::History::new().commit(&mut after, change);
        let shown: std::collections::BTreeSet<_> =
            ghost.ghosts().iter().flat_map(|part| part.voxels.to_vec()).map(|pos| pos.to_array()).collect();
        let count: usize = ghost.ghosts().iter().map(|part| part.voxels.len()).sum();
        assert!(count == shown.len() && count <= GHOST_LIMIT, "{mode:?}: {count}");
        let differs = |pos: IVec3| document.store().voxel(pos) != after.store().voxel(pos);
        assert!(shown.iter().all(|at| differs((*at).into()) || mode == Mode::Remove), "{mode:?}");
        assert!(mode != Mode::Add || ghost.ghosts().len() > 1, "what is shown lies in one part");
        // The middle of the stroke, where it is seen: its top when adding, the old ground when removing or painting.
        let z = if mode == Mode::Add { 20 } else { 40 };
        assert!(shown.contains(&[140, 60, z]), "{mode:?}");
        assert!(!shown.contains(&[140, 60, if mode == Mode::Add { 30 } else { 50 }]), "{mode:?}");
    }
}

#[test]
fn a_part_of_a_ghost_is_looked_at_again_only_where_much_of_it_is_hidden() {
    let document = map(&vec!["1".repeat(160); 70].join("/"));
    let brush = Brush { strength: 50, ..Brush::new(BrushShape::Ball, 40) };
    let mut ghost = StrokeGhost::new(&document, &brush, Mode::Add);
    let mut replaced = 0;
    for step in 0..100 {
        let before = ghost.ghosts();
        ghost.go_to(IVec3::new(30 + step, 35, 4));
        ghost.go_on();
        let now = ghost.ghosts();
        assert!(now.len() >= before.len(), "nothing is left out of a short stroke");
        for (old, new) in before.iter().zip(&now).take(before.len() - 1) {
            if !std::sync::Arc::ptr_eq(&old.voxels, &new.voxels) {
                replaced += 1;
                assert!(new.voxels.len() * 8 < old.voxels.len() * 7 + 8, "{step}: {} of {}", new.voxels.len(), old.voxels.len());
            }
        }
    }
    assert!(ghost.ghosts().len() > 3 && replaced < 50, "{} parts, {replaced} replaced", ghost.ghosts().len());
}

#[test]
fn what_a_pointer_that_jumps_goes_over_is_drawn_in_pieces_and_all_of_it_is_done() {
    // So thin that all of it is shown.
    let document = map(&vec!["1".repeat(200); 70].join("/"));
    let brush = Brush::new(BrushShape::Ball, 64);
    let settings = ToolSettings { mode: Mode::Remove, brush: brush.clone(), ..ToolSettings::default() };
    let mut slow = StrokeGhost::new(&document, &brush, Mode::Remove);
    for x in 35..=165 {
        slow.go_to(IVec3::new(x, 35, DEPTH - 2));
        slow.go_on();
    }
    let mut tool = (tool("brush").unwrap().make)();
    let context = ToolContext { document: &document, settings: &settings };
    let point = |tool: &mut Box<dyn Tool>, phase, x: f32| {
        let ray_in_world = Ray::new(Vec3::new(x + 0.5, 35.5, -20.0), Vec3::Z);
        tool.pointer(
            &context,
            &PointerInput { ray_in_world, phase, modifiers: Modifiers::default(), voxels_per_pixel: 0.001, is_parallel: false },
        )
    };
    let voxels = |ghosts: Vec<Ghost>| -> std::collections::BTreeSet<[i32; 3]> {
        ghosts.iter().flat_map(|ghost| ghost.voxels.iter().map(|pos| pos.to_array()).collect::<Vec<_>>()).collect()
    };
    point(&mut tool, Phase::Press, 35.0);
    assert!(!tool.is_behind());
    point(&mut tool, Phase::Drag, 165.0);
    let (mut frames, mut shown) = (0, 0);
    while tool.is_behind() {
        tool.go_on();
        let more = voxels(tool.preview().ghosts).len();
        assert!(more > shown, "each frame shows more");
        (frames, shown) = (frames + 1, more);
    }
    assert!((3..9).contains(&frames), "{frames}");
    assert_eq!(voxels(tool.preview().ghosts), voxels(slow.ghosts()));
    // Released before it is drawn, the stroke is as long.
    point(&mut tool, Phase::Drag, 40.0);
    assert!(tool.is_behind());
    let response = point(&mut tool, Phase::Release, 40.0);
    let [Command::Stroke(stroke)] = &*response.commands else { panic!("{response:?}") };
    assert_eq!((stroke.path.first(), stroke.path.last()), (Some(&IVec3::new(35, 35, DEPTH - 2)), Some(&IVec3::new(40, 35, DEPTH - 2))));
    assert!(stroke.path.iter().any(|point| point.x == 165));
}

/// A session whose fills are colored in a way.
fn filling(id: &str, mode: Mode, kind: PaintKind, before: &str) -> Session {
    let paint = PaintSettings {
        second: Rgb::new(0, 0, 0),
        stops: vec![(5, Rgb::new(1, 0, 0)), (6, Rgb::new(2, 0, 0)), (7, Rgb::new(3, 0, 0))],
        strength: 100,
        ..PaintSettings::default()
    };
    Session::new(id, ToolSettings { paint, fill_kind: kind, color: Rgb::new(200, 100, 0), ..with(mode, 1) }, map(before))
}

/// Red of the tops, in hexadecimal; `..` where they are as they were.
fn reds(session: &Session) -> String {
    let (store, size) = (session.document.store(), session.document.bounds().size());
    let cell = |x, y| {
        let paint = store.paint(IVec3::new(x, y, store.ground(x, y, 0).unwrap())).unwrap();
        if paint.rgb == GROUND { "..".to_owned() } else { format!("{:02x}", paint.rgb.r) }
    };
    (0..size.y).map(|y| (0..size.x).map(|x| cell(x, y)).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("/")
}

#[test]
fn boxes_shapes_and_fills_take_the_colors_of_a_style() {
    let check = |id, mode, kind, before: &str, gesture, expected: &str| {
        let mut session = filling(id, mode, kind, before);
        session.play(gesture);
        assert_eq!(reds(&session), expected, "{id} {kind:?} {gesture}");
    };
    let empty = "...../.....";
    let flat = "shift down 0,0; shift move 4,1; up";
    // From the active color to black, over the box; where there is no stroke, from west to east.
    check("box", Mode::Add, PaintKind::Gradient, empty, flat, "c8 96 64 32 00/c8 96 64 32 00");
    check("box", Mode::Paint, PaintKind::Gradient, "22222/22222", flat, "c8 96 64 32 00/c8 96 64 32 00");
    check("shape", Mode::Add, PaintKind::Gradient, empty, "shift down 0,0; shift move 4,0; up", "c8 96 64 32 00/.. .. .. .. ..");
    check("fill", Mode::Paint, PaintKind::Gradient, "11.11/11.11", "down 0,0; up", "c8 00 .. .. ../c8 00 .. .. ..");
    check("fill", Mode::Add, PaintKind::Gradient, "11.11/11.11", "down 3,0; up", ".. .. .. c8 00/.. .. .. c8 00");
    // By the height of each voxel, and with a base that is shaded.
    check("fill", Mode::Paint, PaintKind::Ramp, "01201/01201", "down 2,0; up", ".. 02 01 .. ../.. 02 01 .. ..");
    check("box", Mode::Add, PaintKind::Darken, empty, flat, "00 00 00 00 00/00 00 00 00 00");
    check("box", Mode::Add, PaintKind::Replace, empty, flat, "c8 c8 c8 c8 c8/c8 c8 c8 c8 c8");
    check("box", Mode::Remove, PaintKind::Noise, "11/11", "shift down 0,0; shift move 1,0; up", ".. ../.. ..");
    // Without a picture nothing happens.
    check("box", Mode::Add, PaintKind::Decal, empty, flat, ".. .. .. .. ../.. .. .. .. ..");
    check("fill", Mode::Paint, PaintKind::Decal, "11/11", "down 0,0; up", ".. ../.. ..");
}

#[test]
fn fills_that_look_random_differ_and_have_the_same_image() {
    let fill = |gesture: &str, symmetry| {
        let mut session = filling("box", Mode::Add, PaintKind::Noise, "......../........");
        session.document.symmetry = Symmetry { kind: symmetry, center: [8, 2], ..Symmetry::default() }.into();
        session.play(gesture);
        reds(&session)
    };
    let one = fill("shift down 0,0; shift move 7,0; up", SymmetryKind::Off);
    let reds: BTreeSet<&str> = one.split('/').next().unwrap().split(' ').collect();
    assert!(reds.len() > 4, "{one}");
    let both = fill("shift down 0,0; shift move 3,1; up", SymmetryKind::MirrorX);
    for row in both.split('/') {
        let cells: Vec<&str> = row.split(' ').collect();
        assert!(!row.contains("..") && cells.iter().eq(cells.iter().rev()), "{both}");
    }
    // The second box has its own dice.
    let twice = fill(
        "shift down 0,0; shift move 7,0; up; ctrl shift down 0,0; ctrl shift move 7,0; up; shift down 0,0; shift move 7,0; up",
        SymmetryKind::Off,
    );
    assert_ne!(one, twice);
}

#[test]
fn a_style_is_written_beside_the_command_that_fills() {
    let mut session = filling("shape", Mode::Add, PaintKind::Mix, "...../.....");
    session.play("shift down 0,0; shift move 4,1; up");
    let text = serde_json::to_string(&session.commands[0]).unwrap();
    assert!(text.starts_with(r#"{"styled":{"style":{"mix":{"colors":"#) && text.contains(r#""of":{"shape":{"#), "{text}");
    assert_eq!(serde_json::from_str::<Command>(&text).unwrap(), session.commands[0]);
    let moved = session.commands[0].shifted(IVec3::new(3, 0, 0));
    let Command::Styled(crate::edit::ops::Styled { of: crate::edit::ops::Filled::Shape(shape), .. }) = moved else { panic!("{moved:?}") };
    assert_eq!((shape.from.x, shape.to.x), (3, 7));
}

#[test]
fn the_colors_of_a_style_are_shown_before_they_are_there() {
    let check = |id, mode, kind, before: &str, gesture, last| {
        let mut session = filling(id, mode, kind, before);
        session.play(gesture);
        let shown = session.tool.preview();
        assert!(shown.ghosts.is_empty(), "{id}: a tint would hide the colors");
        let store = shown.store.unwrap_or_else(|| panic!("{id} shows nothing"));
        assert!(!store.same_voxels(session.document.store()));
        session.play(last);
        assert!(store.same_voxels(session.document.store()), "{id} {kind:?}");
        assert_eq!(session.tool.preview().store.map(|store| store.same_voxels(session.document.store())), None, "{id}");
    };
    for kind in [PaintKind::Mix, PaintKind::Noise, PaintKind::Gradient] {
        check("box", Mode::Add, kind, "...../.....", "shift down 0,0; shift move 4,1", "shift up 4,1");
        check("box", Mode::Paint, kind, "22222/22222", "down 0,0; move 4,1; up; hover 4,1", "enter");
        check("shape", Mode::Add, kind, "...../.....", "shift down 0,0; shift move 4,1", "shift up 4,1");
        check("fill", Mode::Paint, kind, "11.11/11.11", "hover 1,1; hover 0,0", "down 0,0; up");
        check("fill", Mode::Add, kind, "11.11/11.11", "hover 3,1", "down 3,1; up");
    }
}

#[test]
fn what_a_style_would_do_elsewhere_is_not_shown() {
    let mut session = filling("fill", Mode::Paint, PaintKind::Gradient, "11.22/11.22");
    session.play("hover 0,0");
    let (before, plan_of) =
        (session.document.clone(), |command: &Command, document: &Document| planned(document, command, &Progress::new()));
    let old = session.tool.wanted().unwrap();
    session.settings.fill_kind = PaintKind::Replace;
    session.play("hover 3,0");
    let shown = session.tool.preview();
    assert_eq!((shown.store.is_some(), shown.ghosts.len()), (false, 1), "one color has a ghost");
    session.settings.fill_kind = PaintKind::Gradient;
    session.play("hover 4,1");
    let right = session.tool.preview().store.unwrap();
    session.tool.take_planned(plan_of(&old, &before).unwrap());
    assert!(session.tool.preview().store.unwrap().same_voxels(&right), "what comes late is dropped");
    // A gesture that is too large, one that is dropped.
    session.tool.cancel();
    assert_eq!((session.tool.preview().store.is_some(), session.tool.wanted().is_some()), (false, false));
    let mut session = filling("box", Mode::Add, PaintKind::Mix, "...../.....");
    session.play("shift down 0,0; shift move 1,1");
    let small = session.tool.preview().store.unwrap();
    let input = PointerInput {
        ray_in_world: down_at(4.0, 1.0),
        phase: Phase::Drag,
        modifiers: Modifiers::default(),
        voxels_per_pixel: 0.001,
        is_parallel: false,
    };
    session.tool.pointer(&ToolContext { document: &session.document, settings: &session.settings }, &input);
    let behind = session.tool.preview();
    assert!(behind.store.unwrap().same_voxels(&small));
    assert_eq!(behind.ghosts.iter().map(|ghost| ghost.voxels.len()).sum::<usize>(), 10, "what is not planned yet has a ghost");
}

#[test]
fn a_picture_that_takes_long_to_look_up_is_laid_down_all_the_same() {
    let (red, edge) = (Rgb::new(200, 0, 0), 64);
    let block = Region::new(IVec3::ZERO, IVec3::splat(edge));
    let mut store = Store::new(block);
    let mut edit = StoreEdit::new(&store);
    for at in block.positions() {
        edit.set(at, Some(Voxel::new(Rgb::new(90, 90, 90))));
    }
    let changes = edit.finish();
    store.apply(&changes);
    let document = Document::new(store, &GameProfile::ACE_OF_SPADES);
    for (width, face) in [(48, Face::MinusX), (96, Face::MinusZ)] {
        let decal = Some(ColorImage::new([1, 1], vec![red]).unwrap());
        let paint = PaintSettings { kind: PaintKind::Decal, decal, decal_width: width, ..PaintSettings::default() };
        let mut session = Session::new("paint", ToolSettings { color: red, paint, ..with(Mode::Add, 1) }, document.clone());
        let middle = Vec3::splat(edge as f32 / 2.0 + 0.5);
        let ray_in_world = Ray::new(middle + face.normal().as_vec3() * 200.0, -face.normal().as_vec3());
        session.pointer(Phase::Hover, ray_in_world, Modifiers::default());
        let shown = session.tool.preview();
        assert!(shown.ghosts.is_empty() && shown.outlines.len() == 1, "only its box is shown: {shown:?}");
        session.pointer(Phase::Press, ray_in_world, Modifiers::default());
        session.pointer(Phase::Release, ray_in_world, Modifiers::default());
        let at = (IVec3::splat(edge / 2) + face.normal() * edge).clamp(IVec3::ZERO, IVec3::splat(edge - 1));
        assert_eq!(session.document.store().paint(at).map(|paint| paint.rgb), Some(red), "{face:?}");
    }
}
