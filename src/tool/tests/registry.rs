//! What holds for every tool of the registry, under every mask and symmetry.

use super::*;

#[test]
fn ids_and_keys_are_unique_and_every_tool_says_what_it_does() {
    let ids: BTreeSet<_> = TOOLS.iter().map(|spec| spec.id).collect();
    let keys: BTreeSet<_> = TOOLS.iter().map(|spec| spec.key).collect();
    assert_eq!((ids.len(), keys.len()), (TOOLS.len(), TOOLS.len()));
    for spec in TOOLS {
        assert!(spec.key.is_ascii_uppercase(), "{}", spec.id);
        for text in [spec.label, spec.icon, spec.help, spec.hint] {
            assert!(!text.is_empty() && text.trim() == text && !text.ends_with('.'), "{}: {text:?}", spec.id);
        }
        assert!(spec.hint.chars().count() < 120, "{} has a long hint", spec.id);
        assert!(tool(spec.id).is_some_and(|found| found.label == spec.label), "{}", spec.id);
    }
}

#[test]
fn a_color_is_used_where_a_tool_draws_with_it() {
    let using = |settings: &ToolSettings| {
        let ids = TOOLS.iter().filter(|spec| settings.draws_with_color(spec)).map(|spec| spec.id);
        ids.collect::<Vec<_>>()
    };
    let mut settings = ToolSettings::default();
    assert_eq!(using(&settings), ["brush", "line", "box", "shape", "fill", "paint", "path"]);
    (settings.paint.kind, settings.fill_kind) = (PaintKind::Darken, PaintKind::Noise);
    assert_eq!(using(&settings), ["brush", "line", "path"]);
    (settings.mode, settings.path.kind) = (Mode::Remove, PathKind::Tunnel);
    assert!(using(&settings).is_empty());
}

/// Numbers that look random and are the same on every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The low bits of one roll tell those of the next.
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }

    pub(super) fn ray(&mut self) -> Ray {
        let mut near = |reach: u64| self.roll(reach * 4) as f32 / 4.0 - 4.0;
        let target = Vec3::new(near(22), near(18), near(18));
        match self.roll(4) {
            0 => down_at(target.x.floor(), target.y.floor()),
            1 => Ray::new(target, Vec3::new(0.3, -0.2, -0.9)),
            2 => Ray::new(Vec3::new(40.0, 6.5, 6.5), target - Vec3::new(40.0, 6.5, 6.5)),
            _ => Ray::new(Vec3::new(5.0, 40.0, -20.0), target - Vec3::new(5.0, 40.0, -20.0)),
        }
    }

    pub(super) fn event(&mut self) -> (Phase, Ray, Modifiers) {
        let phase =
            [Phase::Hover, Phase::Press, Phase::Drag, Phase::Drag, Phase::Drag, Phase::Release, Phase::Leave][self.roll(7) as usize];
        let modifiers = Modifiers { ctrl: self.roll(4) == 0, shift: self.roll(4) == 0, alt: self.roll(12) == 0 };
        (phase, self.ray(), modifiers)
    }
}

#[test]
fn every_tool_cancels_cleanly_at_every_step_of_any_gesture() {
    for (index, spec) in TOOLS.iter().enumerate() {
        let mut executed = 0;
        for round in 0..100_u64 {
            let mut dice = Dice(0x9e37_79b9 + round * 7919 + index as u64 * 104_729);
            let mut lots = Dice(77 + round);
            let mut document = map("1234543210../12345432.1.2/..33..44..11/............/666666666666/5.5.5.5.5.5.");
            document.selection =
                (round % 3 > 0).then(|| Region::new(IVec3::new(2, 1, 2), IVec3::new(6, 4, 8))).and_then(Selection::of_region);
            let mut objects = (*document.objects).clone();
            objects.push(region(Team::Blue, [[1, 1], [6, 4]]));
            objects.push(base(Team::Green, 9, 2));
            objects.push(Object::SpawnPoint { team: Team::Blue, at: VoxelPos::new(i32::MAX, i32::MIN, 3) });
            objects.push(region(Team::Green, [[i32::MIN, -5], [i32::MAX, i32::MAX]]));
            document.objects = objects.into();
            let size = dice.roll(6) as u32 + 1;
            let mode = Mode::TOOL[dice.roll(3) as usize];
            let kind = ObjectKind::ALL[dice.roll(6) as usize];
            let new_object = NewObject { kind: Some(kind), team: None };
            let settings = making_things(&mut lots, ToolSettings { new_object, ..with(mode, size) });
            let settings = select::any_way(&mut lots, settings);
            let mut session = Session::new(spec.id, settings, document);
            for _ in 0..90 {
                let (phase, ray, modifiers) = dice.event();
                session.pointer(phase, ray, modifiers);
                if lots.roll(5) == 0 {
                    session.confirm();
                }
                if dice.roll(10) == 0 {
                    let done = session.commands.len();
                    session.cancel();
                    assert!(!session.tool.cancel(), "{}: nothing is left to cancel", spec.id);
                    session.confirm();
                    // Enter may show what the tool would do: that is dropped, too.
                    session.cancel();
                    for phase in [Phase::Drag, Phase::Hover, Phase::Release, Phase::Hover, Phase::Leave] {
                        session.pointer(phase, dice.ray(), Modifiers::default());
                    }
                    session.confirm();
                    assert_eq!(session.commands.len(), done, "{}: no command after a cancel", spec.id);
                }
            }
            executed += session.commands.len();
        }
        assert!(executed > 5 || ["pick", "ruler"].contains(&spec.id), "{}: only {executed} gestures came to an end", spec.id);
    }
}

/// The settings with paths, land and stamps of any kind.
pub(super) fn making_things(dice: &mut Dice, settings: ToolSettings) -> ToolSettings {
    let path = PathSettings::of(PathKind::ALL[dice.roll(5) as usize]);
    let path = PathSettings { width: dice.roll(4) as u32 + 1, shoulder: dice.roll(3) as u32, edge_color: Some(GROUND), ..path };
    let generator = TERRAINS[dice.roll(TERRAINS.len() as u64) as usize];
    let terrain = TerrainSettings { generator, seed: dice.roll(99), fade: dice.roll(4) as u32, ..TerrainSettings::default() };
    let (scatter, random_turn, snap) = (dice.roll(2) == 0, dice.roll(2) == 0, dice.roll(2) == 0);
    let stamp =
        StampSettings { stamp: Some(making::stamp()), scatter, random_turn, snap, density: 300, slope: 90, ..StampSettings::default() };
    let stamp = StampSettings { tint: dice.roll(2) as u32 * 10, on_surface: dice.roll(2) == 0, ..stamp };
    ToolSettings { path, terrain, stamp, ..settings }
}

/// Generators that the terrain tool is tried with.
const TERRAINS: [&str; 5] = ["hills", "valley", "river", "trees", "flat"];

/// Half voxels: between the columns, and through the middle of one.
const CENTERS: [[i32; 2]; 2] = [[12, 6], [11, 7]];

#[test]
fn every_tool_obeys_every_mask_and_symmetry() {
    let masks = [
        Masks::default(),
        Masks { selection: true, ..Masks::default() },
        Masks { surface: true, ..Masks::default() },
        Masks { z: Some([3, 5]), ..Masks::default() },
        Masks { slope: Some([0, 20]), ..Masks::default() },
        Masks { colors: vec![GROUND], tolerance: 3, ..Masks::default() },
        Masks { matter: Some(Matter::Air), ..Masks::default() },
        Masks { matter: Some(Matter::Solid), surface: true, ..Masks::default() },
        Masks { spawns: true, ..Masks::default() },
    ];
    for (index, spec) in TOOLS.iter().enumerate() {
        let mut executed = 0;
        for (number, masks) in masks.iter().enumerate() {
            for (turn, kind) in SymmetryKind::ALL.into_iter().enumerate() {
                let seed = 1 + index + 31 * number + 977 * turn;
                let mut dice = Dice(0x9e37_79b9 + seed as u64 * 104_729);
                let mut lots = Dice(77 + seed as u64);
                let mut document =
                    symmetric(kind, CENTERS[seed % 2], "1234543210../12345432.1.2/..33..44..11/............/666666666666/5.5.5.5.5.5.");
                document.masks = masks.clone().into();
                document.selection = Selection::of_region(Region::new(IVec3::new(2, 1, 2), IVec3::new(6, 4, 8)));
                let mut objects = (*document.objects).clone();
                objects.push(region(Team::Blue, [[1, 1], [6, 4]]));
                objects.push(base(Team::Green, 9, 2));
                document.objects = objects.into();
                let (size, mode) = (dice.roll(6) as u32 + 1, Mode::TOOL[dice.roll(3) as usize]);
                let new_object = NewObject { kind: Some(ObjectKind::ALL[dice.roll(6) as usize]), team: Some(Team::Blue) };
                let action = SculptAction::ALL[dice.roll(9) as usize];
                let paint = PaintSettings {
                    kind: PaintKind::ALL[dice.roll(10) as usize],
                    depth: dice.roll(3) as u32 + 1,
                    decal: Some(ColorImage::new([2, 1], vec![Rgb::new(200, 0, 0), Rgb::new(0, 0, 200)]).unwrap()),
                    decal_width: 5,
                    along: Along::ALL[dice.roll(4) as usize],
                    ..PaintSettings::default()
                };
                let brush = Brush {
                    strength: [100, 100, 40][dice.roll(3) as usize],
                    spacing: Spacing::Voxels(dice.roll(3) as u32 + 1),
                    jitter: dice.roll(2) as u32,
                    color_jitter: dice.roll(2) as u8 * 20,
                    ..Brush::new(BrushShape::ALL[dice.roll(5) as usize], size)
                };
                let shape = ToolSettings { solid: SolidKind::ALL[dice.roll(7) as usize], shell: dice.roll(3) as u32, ..with(mode, size) };
                let shape = ToolSettings { brush, on_surface: dice.roll(2) == 0, paint, ..shape };
                let sculpt_form = [SculptForm::Column, SculptForm::Volume][dice.roll(2) as usize];
                let fill_reach = FillReach::ALL[dice.roll(5) as usize];
                let fill_kind = PaintKind::ALL[lots.roll(10) as usize];
                let shape = ToolSettings { fill_kind, sculpt_action: action, strength: 3, sculpt_form, fill_reach, ..shape };
                let settings = ToolSettings { new_object, from_center: dice.roll(2) == 0, ..shape };
                let settings = making_things(&mut lots, settings);
                let settings = select::any_way(&mut lots, settings);
                let mut session = Session::new(spec.id, settings, document);
                for _ in 0..90 {
                    let (phase, ray, modifiers) = dice.event();
                    session.pointer(phase, ray, modifiers);
                    if lots.roll(12) == 0 {
                        session.confirm();
                    }
                }
                executed += session.commands.len();
            }
        }
        assert!(executed > 5 || ["pick", "ruler"].contains(&spec.id), "{}: only {executed} gestures came to an end", spec.id);
    }
}

#[track_caller]
fn check_symmetric(
    id: &str,
    settings: ToolSettings,
    (kind, center): (SymmetryKind, [i32; 2]),
    gesture: &str,
    before: &str,
    expected: &str,
) {
    let color = settings.color;
    let mut session = Session::new(id, settings, symmetric(kind, center, before));
    session.play(gesture);
    assert_eq!(drawn(&session.document, color), expected, "{kind:?} {gesture}");
    session.history.undo(&mut session.document);
    assert_eq!(drawn(&session.document, color), before, "one step");
}

#[test]
fn what_is_drawn_happens_at_every_image() {
    let check = |size, symmetry, gesture, expected| {
        check_symmetric("brush", with(Mode::Add, size), symmetry, gesture, "....../....../....../....../....../......", expected);
    };
    check(1, (SymmetryKind::MirrorX, [6, 6]), "down 1,1; up", "....../.b..b./....../....../....../......");
    check(1, (SymmetryKind::MirrorX, [5, 6]), "down 1,1; up", "....../.b.b../....../....../....../......");
    check(1, (SymmetryKind::MirrorY, [6, 6]), "down 1,0; move 2,0; up", ".bb.../....../....../....../....../.bb...");
    check(1, (SymmetryKind::Turn180, [6, 6]), "down 1,0; move 2,0; up", ".bb.../....../....../....../....../...bb.");
    check(1, (SymmetryKind::MirrorBoth, [6, 6]), "down 1,0; up", ".b..b./....../....../....../....../.b..b.");
    check(1, (SymmetryKind::Turn90, [6, 6]), "down 1,0; up", ".b..../.....b/....../....../b...../....b.");
    // A tip of even size leans to one side; its image leans to the other.
    check(2, (SymmetryKind::MirrorX, [6, 6]), "down 1,1; up", "cc..cc/cc..cc/....../....../....../......");
}

#[test]
fn each_side_is_edited_by_what_stands_there() {
    let x = (SymmetryKind::MirrorX, [6, 2]);
    check_symmetric("fill", with(Mode::Paint, 1), x, "down 0,0; up", "11..11", "bb..bb");
    check_symmetric(
        "sculpt",
        ToolSettings { sculpt_action: SculptAction::Raise, ..with(Mode::Add, 1) },
        x,
        "down 0,0; up",
        "11..22",
        "21..23",
    );
    check_symmetric("brush", with(Mode::Paint, 1), x, "down 0,0; up", "11..22", "b1..22");
    check_symmetric("box", with(Mode::Add, 1), x, "shift down 1,0; shift move 1,0; up", "11...2", "1c..c2");
}

#[test]
fn masks_hold_whatever_is_drawn() {
    let check = |masks: Masks, mode, gesture, before, expected| {
        let mut document = map(before);
        document.masks = masks.into();
        let mut session = Session::new("brush", with(mode, 1), document);
        session.play(gesture);
        assert_eq!(drawn(&session.document, session.settings.color), expected, "{gesture}");
    };
    let heights = Masks { z: Some([5, 5]), ..Masks::default() };
    check(heights.clone(), Mode::Add, "down 0,0; move 4,0; up", "01210", ".c2c.");
    check(heights, Mode::Remove, "down 0,0; move 4,0; up", "12321", "11311");
    let gentle = Masks { slope: Some([0, 5]), ..Masks::default() };
    check(gentle, Mode::Paint, "down 0,0; move 9,0; up", "1111114444", "bbbb1144ee");
    let painted = Masks { colors: vec![Rgb::new(1, 2, 3)], ..Masks::default() };
    check(painted, Mode::Paint, "down 0,0; move 3,0; up", "1111", "1111");
}
