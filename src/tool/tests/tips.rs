//! What painting and sculpting show under a pointer that only points, drawn as text, and say of what they do: see the
//! module above.

use super::*;
use crate::tool::ghost::GHOST_LIMIT;

/// The columns with a ghost: `#`.
fn shown(session: &Session) -> String {
    let (preview, size) = (session.tool.preview(), session.document.bounds().size());
    let columns: BTreeSet<_> =
        preview.ghosts.iter().flat_map(|ghost| ghost.voxels.iter().map(|at| (at.x, at.y)).collect::<Vec<_>>()).collect();
    let cell = |x, y| if columns.contains(&(x, y)) { '#' } else { '.' };
    (0..size.y).map(|y| (0..size.x).map(|x| cell(x, y)).collect::<String>()).collect::<Vec<_>>().join("/")
}

/// The columns in which something is not as it was.
fn changed(before: &Store, session: &Session) -> String {
    let (after, bounds) = (session.document.store(), before.bounds());
    let differs = |x, y| (0..DEPTH).any(|z| before.voxel(IVec3::new(x, y, z)) != after.voxel(IVec3::new(x, y, z)));
    let cell = |x, y| if differs(x, y) { '#' } else { '.' };
    (0..bounds.size().y).map(|y| (0..bounds.size().x).map(|x| cell(x, y)).collect::<String>()).collect::<Vec<_>>().join("/")
}

fn sculpting(action: SculptAction, form: SculptForm, size: u32) -> ToolSettings {
    ToolSettings { sculpt_action: action, sculpt_form: form, strength: 4, ..with(Mode::Add, size) }
}

#[test]
fn painting_and_sculpting_show_their_tip_before_the_button_is_down() {
    let check = |id, settings, gesture, before, expected| {
        let mut session = Session::new(id, settings, map(before));
        session.play(gesture);
        assert_eq!(shown(&session), expected, "{id}: {gesture}");
    };
    let ground = "1111111/1111111/1111111/1111111/1111111";
    let nothing = "......./......./......./......./.......";
    let (paint, middle) = (with(Mode::Add, 3), "......./..###../..###../..###../.......");
    check("paint", paint.clone(), "hover 3,2", ground, middle);
    check("paint", ToolSettings { brush: Brush::new(BrushShape::Cube, 1), ..paint.clone() }, "hover 0,0", "11/11", "#./..");
    // Only what a press there would begin with.
    for gesture in ["hover 3,2; leave", "hover 3,2; hover 9,9", "hover 3,2; alt hover 3,2", "hover 3,2; esc; alt hover 3,2"] {
        check("paint", paint.clone(), gesture, ground, nothing);
        check("sculpt", sculpting(SculptAction::Raise, SculptForm::Column, 3), gesture, ground, nothing);
    }
    let cross = "......./...#.../..###../...#.../.......";
    check(
        "sculpt",
        ToolSettings { strength: 1, ..sculpting(SculptAction::Raise, SculptForm::Column, 4) },
        "hover 3,2",
        "1111111/1111111/1111111/1111111/1111111",
        "......./..##.../..##.../......./.......",
    );
    check("sculpt", ToolSettings { strength: 2, ..sculpting(SculptAction::Raise, SculptForm::Column, 3) }, "hover 3,2", ground, cross);
    check("sculpt", sculpting(SculptAction::Smooth, SculptForm::Column, 3), "hover 3,2", ground, cross);
    check("sculpt", sculpting(SculptAction::Raise, SculptForm::Volume, 3), "hover 3,2", ground, cross);
    // The water stays.
    check(
        "sculpt",
        sculpting(SculptAction::Lower, SculptForm::Column, 3),
        "hover 3,2",
        "...1111/...1111/...1111/...1111/...1111",
        "......./...#.../...##../...#.../.......",
    );
    check("sculpt", sculpting(SculptAction::Raise, SculptForm::Column, 3), "ctrl hover 0,0", "....", "....");
}

#[test]
fn what_is_shown_under_the_pointer_is_what_a_click_there_changes_under_masks_and_symmetry() {
    let masks = [
        Masks::default(),
        Masks { selection: true, ..Masks::default() },
        Masks { surface: true, ..Masks::default() },
        Masks { matter: Some(Matter::Air), ..Masks::default() },
        Masks { matter: Some(Matter::Solid), ..Masks::default() },
        Masks { z: Some([5, 6]), ..Masks::default() },
    ];
    let raise = |form, size| sculpting(SculptAction::Raise, form, size);
    let lower = |form, size| sculpting(SculptAction::Lower, form, size);
    let mut seen = BTreeSet::new();
    for kind in SymmetryKind::ALL {
        for masks in &masks {
            for (id, settings) in [
                ("paint", with(Mode::Add, 4)),
                ("sculpt", raise(SculptForm::Column, 4)),
                ("sculpt", lower(SculptForm::Column, 5)),
                ("sculpt", raise(SculptForm::Volume, 3)),
                ("sculpt", lower(SculptForm::Volume, 4)),
            ] {
                let mut document = map("12121212/22222222/11122111/22233222/22222222/11111111/22122122/12121212");
                document.symmetry = Symmetry { kind, center: [8, 8], ..Symmetry::default() }.into();
                document.masks = masks.clone().into();
                document.selection = Selection::of_region(Region::new(IVec3::new(1, 1, 3), IVec3::new(4, 6, 8)));
                let before = document.store().clone();
                let mut session = Session::new(id, settings.clone(), document);
                session.play("hover 2,2");
                let (shown, what) =
                    (shown(&session), format!("{id} {:?} {:?} {kind:?} {masks:?}", settings.sculpt_action, settings.sculpt_form));
                session.play("down 2,2; up");
                let changed = changed(&before, &session);
                if settings.sculpt_form == SculptForm::Column {
                    assert_eq!(shown, changed, "{what}");
                } else {
                    // Beside what can be seen in the ball, more may come.
                    assert_eq!(shown.contains('#'), changed.contains('#'), "{what}:\n{shown}\n{changed}");
                }
                seen.insert(shown);
            }
        }
    }
    assert!(seen.len() > 20, "{} footprints", seen.len());
}

/// Ground of one color as wide as the game's maps, from z 32 down.
fn wide_ground() -> Document {
    let mut store = Store::new(Region::of_size(IVec3::new(512, 512, 64)));
    for pos in crate::voxel::ChunkPos::covering(&store.bounds()) {
        store.put_chunk(pos, (pos.0.z == 1).then(|| std::sync::Arc::new(crate::voxel::Chunk::uniform(Voxel::new(GROUND)))));
    }
    Document::new(store, &GameProfile::ACE_OF_SPADES)
}

#[test]
fn of_what_is_too_much_to_show_the_nearest_is_shown_before_the_click() {
    let fill = |fill_reach, mode| ("fill", ToolSettings { fill_reach, ..with(mode, 1) }, "voxels", i32::from(mode == Mode::Add));
    let select = |select_kind| ("select", ToolSettings { select_kind, ..ToolSettings::default() }, "voxels", 0);
    for (id, settings, things, above) in [
        fill(FillReach::Color, Mode::Paint),
        fill(FillReach::Surface, Mode::Add),
        fill(FillReach::Solid, Mode::Remove),
        fill(FillReach::Everywhere, Mode::Paint),
        ("extrude", ToolSettings::default(), "faces", 0),
        select(SelectKind::Wand),
        select(SelectKind::Structure),
        select(SelectKind::Surface),
    ] {
        let what = format!("{id} {:?} {:?}", settings.fill_reach, settings.select_kind);
        let mut session = Session::new(id, settings, wide_ground());
        session.play("hover 240,250");
        let preview = session.tool.preview();
        let shown: BTreeSet<_> = preview.ghosts.iter().flat_map(|ghost| ghost.voxels.iter().map(|at| at.to_array())).collect();
        assert!((9_000..20_000).contains(&shown.len()), "{what}: {}", shown.len());
        let told = format!("{} {things} and more, the nearest are shown", shown.len());
        assert_eq!(session.status.as_deref(), Some(&*told), "{what}");
        let near = Region::new(IVec3::new(236, 246, 32 - above), IVec3::new(245, 255, 33 - above));
        assert!(near.positions().all(|at| shown.contains(&at.to_array())), "{what}");
        let far = |at: &[i32; 3]| (at[0] - 240).abs().max((at[1] - 250).abs());
        assert!(shown.iter().map(far).max().unwrap() < 100, "{what}: {:?}", shown.iter().map(far).max());
    }
    let mut session = Session::new("fill", ToolSettings { fill_reach: FillReach::Air, ..with(Mode::Add, 1) }, wide_ground());
    session.play("hover 240,250");
    assert_eq!((session.status.as_deref(), session.tool.preview().ghosts.len()), (Some("Not enclosed"), 0));
}

#[test]
fn the_widest_tips_are_shown_at_once_and_a_huge_picture_as_a_box() {
    let document = wide_ground();
    let image = ColorImage::new([2, 2], vec![GROUND; 4]).unwrap();
    let picture =
        |width| PaintSettings { kind: PaintKind::Decal, decal: Some(image.clone()), decal_width: width, ..PaintSettings::default() };
    for (id, settings, outlines) in [
        ("paint", with(Mode::Add, 64), 0),
        ("paint", ToolSettings { paint: picture(40), ..with(Mode::Add, 3) }, 0),
        ("paint", ToolSettings { paint: picture(512), ..with(Mode::Add, 64) }, 1),
        ("sculpt", sculpting(SculptAction::Raise, SculptForm::Column, 64), 0),
        ("sculpt", sculpting(SculptAction::Smooth, SculptForm::Volume, 64), 0),
    ] {
        let mut document = document.clone();
        document.symmetry = Symmetry { kind: SymmetryKind::Turn90, center: [512, 512], ..Symmetry::default() }.into();
        let mut session = Session::new(id, settings, document);
        let begin = std::time::Instant::now();
        for x in 0..20 {
            session.play(&format!("hover {},240", 240 + x));
        }
        println!("{id}: {} µs at a move", begin.elapsed().as_micros() / 20);
        // Far above what they take, also on a busy machine.
        assert!(begin.elapsed().as_secs() < 20, "{id}");
        let preview = session.tool.preview();
        let count: usize = preview.ghosts.iter().map(|ghost| ghost.voxels.len()).sum();
        assert_eq!((preview.outlines.len(), count > 1000), (outlines, outlines == 0), "{id}: {count}");
        assert!(count <= GHOST_LIMIT);
    }
}

#[test]
fn hints_say_what_the_chosen_way_does() {
    let hint = |id: &str, settings: &ToolSettings| (tool(id).unwrap().make)().hint(settings);
    let mut seen = BTreeSet::new();
    for sculpt_action in SculptAction::ALL {
        let hint = hint("sculpt", &ToolSettings { sculpt_action, ..ToolSettings::default() }).unwrap();
        // Only raising and lowering look at Ctrl.
        let is_turned = matches!(sculpt_action, SculptAction::Raise | SculptAction::Lower);
        assert_eq!((hint.contains("Ctrl"), hint.contains("raises")), (is_turned, is_turned), "{hint}");
        assert!(hint.chars().count() < 120 && seen.insert(hint), "{hint}");
    }
    for kind in PaintKind::ALL {
        let paint = PaintSettings { kind, ..PaintSettings::default() };
        let hint = hint("paint", &ToolSettings { paint, ..ToolSettings::default() }).unwrap();
        assert_eq!(hint.contains("Ctrl"), kind != kind.inverted(), "{kind:?}: {hint}");
    }
    assert_eq!(hint("brush", &ToolSettings::default()), None, "its own hint holds for all of its modes");
}

#[test]
fn a_tool_says_that_land_is_worked_out_only_while_it_is() {
    let (document, settings) = (map("1111/1111"), ToolSettings::default());
    let context = ToolContext { document: &document, settings: &settings };
    let mut terrain = (tool("terrain").unwrap().make)();
    assert_eq!(terrain.hint(&settings), None);
    assert_eq!(terrain.confirm(&context).status, None, "a notice would stay when it is over");
    let is_working = |terrain: &dyn Tool, settings| terrain.hint(settings).unwrap().contains("Working out");
    assert!(is_working(&*terrain, &settings));
    terrain.take_planned(None);
    assert!(!is_working(&*terrain, &settings));
    // Other settings are worked out anew.
    let other = ToolSettings { terrain: TerrainSettings { seed: 9, ..TerrainSettings::default() }, ..settings.clone() };
    let hover = PointerInput {
        ray_in_world: down_at(1.0, 1.0),
        phase: Phase::Hover,
        modifiers: Modifiers::default(),
        voxels_per_pixel: 0.001,
        is_parallel: false,
    };
    terrain.pointer(&context, &hover);
    assert!(!is_working(&*terrain, &settings), "the same are not");
    terrain.pointer(&ToolContext { document: &document, settings: &other }, &hover);
    assert!(is_working(&*terrain, &other));
}

#[test]
fn the_options_of_a_brush_are_offered_where_there_is_one() {
    let paint = tool("paint").unwrap();
    let offered = |spec: &ToolSpec, kind| {
        let settings = ToolSettings { paint: PaintSettings { kind, ..PaintSettings::default() }, ..ToolSettings::default() };
        let brush = [ToolOption::BrushSize, ToolOption::BrushDetails];
        brush.map(|option| spec.options.contains(&option) && option.applies(spec, &settings))
    };
    assert_eq!(offered(paint, PaintKind::Decal), [false; 2]);
    assert_eq!(offered(paint, PaintKind::Tint), [true; 2]);
    assert_eq!(offered(tool("brush").unwrap(), PaintKind::Decal), [true; 2], "how the paint tool paints is nothing to the brush");
}
