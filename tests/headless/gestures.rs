//! What a person does in the middle of a gesture, by the actions of the window.

use std::sync::Arc;
#[cfg(unix)]
use std::time::Duration;

use glam::{IVec3, Vec3};
use spadework::document::{Selection, Team};
use spadework::edit::{Clip, ColorImage, Command, Mode, ops};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, EntryKey, JobMode, NewMap};
use spadework::geom::{Axis, ColumnRect, Face, Orientation, Ray, Region, SolidKind};
use spadework::terrain::Params;
use spadework::tool::{Modifiers, PaintKind, PaintSettings, Phase, PointerInput, Stamp, TOOLS, ToolSettings};
use spadework::voxel::Rgb;

/// An editor with a flat map, a part of which is selected.
fn editor() -> Editor {
    editor_with(JobMode::Inline, IVec3::new(64, 64, 64))
}

fn editor_with(jobs: JobMode, size: IVec3) -> Editor {
    let mut editor = Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs,
        waker: Arc::new(|| {}),
        journal_folder: None,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    });
    let params = Params { size, seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let region = Some(Region::new(IVec3::new(18, 18, 55), IVec3::new(24, 24, 64)));
    act(&mut editor, Action::Edit(Command::Select(ops::Select { region, ..Default::default() })));
    editor
}

fn act(editor: &mut Editor, action: Action) {
    editor.act(action);
    editor.finish_jobs();
}

pub fn point(editor: &mut Editor, phase: Phase, x: f32, y: f32) {
    let ray_in_world = Ray::new(Vec3::new(x + 0.5, y + 0.5, -20.0), Vec3::Z);
    editor.pointer(&PointerInput { ray_in_world, phase, modifiers: Modifiers::default(), voxels_per_pixel: 0.001, is_parallel: false });
    editor.finish_jobs();
}

/// What Esc may take away: the tool in the hand, whether something is selected, and how much is shown of a gesture.
fn state(editor: &Editor) -> (&'static str, bool, bool) {
    let preview = editor.tool.preview();
    let shows = preview.size.is_some() || preview.store.is_some() || !preview.outlines.is_empty() || preview.pending_object.is_some();
    (editor.tool.spec().id, editor.active().unwrap().document().selection.is_some(), shows)
}

#[test]
fn esc_goes_back_a_step_then_a_tool_then_drops_the_selection() {
    for spec in TOOLS {
        let mut editor = editor();
        act(&mut editor, Action::SelectTool("line"));
        act(&mut editor, Action::SelectTool(spec.id));
        let steps = editor.active().unwrap().history().len();
        point(&mut editor, Phase::Press, 20.0, 20.0);
        point(&mut editor, Phase::Drag, 22.0, 20.0);
        let (mut seen, mut stages) = (state(&editor), vec![]);
        for _ in 0..6 {
            act(&mut editor, Action::Cancel);
            let now = state(&editor);
            let changed = [now.2 != seen.2, now.0 != seen.0, now.1 != seen.1];
            assert!(changed.iter().filter(|changed| **changed).count() < 2, "{}: {seen:?} became {now:?} at one press", spec.id);
            stages.extend(changed.iter().position(|changed| *changed));
            seen = now;
        }
        assert!(stages.is_sorted() && stages.ends_with(&[2]), "{}: {stages:?}", spec.id);
        // The tool before is where it ends: another press does not take the first one back.
        let home = if spec.id == "line" { "brush" } else { "line" };
        assert_eq!((seen, editor.active().unwrap().history().len()), ((home, false, false), steps + 1), "{}", spec.id);
    }
}

/// Types `12,8` at the numbers of the gesture; `<` takes a character away, `!` is Enter and `~` Esc.
fn enter(editor: &mut Editor, keys: &str) {
    for key in keys.chars() {
        act(
            editor,
            match key {
                ',' => Action::Type(EntryKey::Next),
                '<' => Action::Type(EntryKey::Erase),
                '!' => Action::Confirm,
                '~' => Action::Cancel,
                char => Action::Type(EntryKey::Char(char)),
            },
        );
    }
}

fn values(editor: &Editor) -> Vec<(&'static str, f64)> {
    editor.gesture_numbers().numbers.iter().map(|number| (number.name, number.value)).collect()
}

/// A gesture of each tool that has numbers: where it is pressed, dragged to, and whether the button goes up.
const WITH_NUMBERS: [(&str, [f32; 2], [f32; 2], bool); 11] = [
    ("line", [30.0, 30.0], [34.0, 31.0], false),
    ("box", [30.0, 30.0], [34.0, 31.0], false),
    ("box", [30.0, 30.0], [34.0, 31.0], true),
    ("shape", [30.0, 30.0], [34.0, 33.0], true),
    ("extrude", [30.0, 30.0], [30.0, 26.0], false),
    ("select", [30.0, 30.0], [34.0, 31.0], true),
    ("move", [20.0, 20.0], [24.0, 20.0], true),
    ("sculpt", [30.0, 30.0], [31.0, 30.0], false),
    ("objects", [30.0, 30.0], [34.0, 34.0], false),
    ("stamp", [30.0, 30.0], [34.0, 34.0], false),
    ("ruler", [30.0, 30.0], [34.0, 27.0], true),
];

/// Tools whose gestures are drawn freely, or set by the option row alone.
const WITHOUT_NUMBERS: [&str; 5] = ["brush", "fill", "pick", "paint", "terrain"];

/// Sets the option row so that every tool makes something.
pub fn set_tools(editor: &mut Editor) {
    let clip = Clip::cut(editor.active().unwrap().document(), Region::new(IVec3::new(1, 1, 60), IVec3::new(3, 3, 64))).unwrap();
    let mut settings = ToolSettings { solid: SolidKind::Box, mode: Mode::Add, ..editor.tool.settings.clone() };
    settings.stamp.stamp = Some(Stamp { name: "cube".into(), clip: Arc::new(clip) });
    settings.stamp.random_turn = false;
    editor.tool.settings = settings;
}

fn begun(id: &'static str, from: [f32; 2], to: [f32; 2], released: bool) -> Editor {
    let mut editor = editor();
    set_tools(&mut editor);
    act(&mut editor, Action::SelectTool(id));
    point(&mut editor, Phase::Hover, from[0], from[1]);
    point(&mut editor, Phase::Press, from[0], from[1]);
    point(&mut editor, Phase::Drag, to[0], to[1]);
    if released {
        point(&mut editor, Phase::Release, to[0], to[1]);
    }
    editor
}

#[test]
fn every_number_of_every_gesture_is_typed_exactly_and_given_back_by_esc() {
    for spec in TOOLS {
        let known = WITH_NUMBERS.iter().any(|(id, ..)| *id == spec.id) || spec.id == "path";
        assert!(known != WITHOUT_NUMBERS.contains(&spec.id), "{}", spec.id);
    }
    for id in WITHOUT_NUMBERS {
        let mut editor = begun(id, [30.0, 30.0], [32.0, 30.0], false);
        assert_eq!(values(&editor), []);
        enter(&mut editor, "5");
        assert!(editor.tool.entry().is_none(), "{id}");
    }
    for (id, from, to, released) in WITH_NUMBERS {
        let before = values(&begun(id, from, to, released));
        assert!(!before.is_empty(), "{id} has no numbers");
        for (index, (name, value)) in before.iter().enumerate() {
            let mut editor = begun(id, from, to, released);
            let (version, numbers) = (editor.active().unwrap().version(), editor.gesture_numbers());
            let wanted = match (*name, numbers.numbers[index].unit) {
                ("Turn", _) => 90.0,
                ("Angle", _) => value + 40.0,
                (_, "×") => 2.0,
                _ => value + 2.0,
            };
            let steps = (index + before.len() - numbers.first) % before.len();
            enter(&mut editor, &format!("{}{wanted}", ",".repeat(steps)));
            let now = values(&editor)[index].1;
            // Legs end in the middle of a voxel, whatever their length and angle.
            let near = if ["Length", "Angle"].contains(name) { 10.0 } else { 0.0 };
            assert!((now - wanted).abs() <= near && now != *value, "{id}: {name} is {now} in place of {wanted}");
            // The pointer does not move what is typed.
            point(&mut editor, if released { Phase::Hover } else { Phase::Drag }, 40.0, 41.0);
            assert_eq!(values(&editor)[index].1, now, "{id}: {name}");
            enter(&mut editor, "~");
            assert_eq!((values(&editor), editor.active().unwrap().version()), (before.clone(), version), "{id}: {name}");
        }
        let mut editor = begun(id, from, to, released);
        let head = editor.active().unwrap().history().head();
        enter(&mut editor, "3!");
        let finished = editor.gesture_numbers().numbers.is_empty();
        assert!(editor.tool.entry().is_none() && (finished || id == "ruler"), "{id}");
        assert_eq!(editor.active().unwrap().history().head(), head + usize::from(id != "ruler"), "{id}: Enter is one step");
        point(&mut editor, Phase::Drag, 50.0, 50.0);
        point(&mut editor, Phase::Release, 50.0, 50.0);
        assert_eq!(
            editor.active().unwrap().history().head(),
            head + usize::from(id != "ruler"),
            "{id}: the rest of the drag means nothing"
        );
    }
}

#[test]
fn the_width_of_a_picture_is_typed_while_it_is_laid_down() {
    let red = Rgb::new(200, 0, 0);
    let painted = |keys: &str| {
        let mut editor = editor();
        let decal = Some(ColorImage::new([1, 1], vec![red]).unwrap());
        editor.tool.settings.paint = PaintSettings { kind: PaintKind::Decal, decal, decal_width: 4, ..PaintSettings::default() };
        act(&mut editor, Action::SelectTool("paint"));
        point(&mut editor, Phase::Press, 30.0, 30.0);
        assert_eq!(values(&editor), [("Width", 4.0)]);
        enter(&mut editor, keys);
        point(&mut editor, Phase::Drag, 32.0, 33.0);
        point(&mut editor, Phase::Release, 32.0, 33.0);
        let document = editor.active().unwrap().document();
        document.bounds().positions().filter(|pos| document.store().voxel(*pos).is_some_and(|voxel| voxel.rgb() == Some(red))).count()
    };
    assert_eq!((painted(""), painted("6!"), painted("6~"), painted("7!")), (16, 36, 16, 49));
}

#[test]
fn undo_takes_back_the_map_at_once_while_a_measurement_stands() {
    let mut editor = begun("ruler", [30.0, 30.0], [34.0, 27.0], true);
    let (shown, head) = (state(&editor), editor.active().unwrap().history().head());
    let command = Command::Set(ops::Set { at: IVec3::new(40, 40, 50), color: Rgb::new(1, 2, 3) });
    act(&mut editor, Action::Edit(command));
    act(&mut editor, Action::Undo);
    assert_eq!((editor.active().unwrap().history().head(), state(&editor)), (head, shown));
    act(&mut editor, Action::Redo);
    assert_eq!(editor.active().unwrap().history().head(), head + 1);
}

#[test]
fn sizes_are_typed_one_after_the_other() {
    let size = |id, keys: &str| {
        let mut editor = begun(id, [30.0, 30.0], [34.0, 31.0], true);
        enter(&mut editor, keys);
        if id == "box" {
            let before = editor.active().unwrap().document().store().solid_count();
            act(&mut editor, Action::Undo);
            return (before - editor.active().unwrap().document().store().solid_count()) as i64;
        }
        let selection = editor.active().unwrap().document().selection.clone();
        selection.as_ref().and_then(Selection::as_region).map_or(0, |region| region.volume() as i64)
    };
    // In the second phase the height comes first, then width and depth.
    assert_eq!(size("box", "7!"), 5 * 2 * 7);
    assert_eq!(size("box", "7,10,3!"), 7 * 10 * 3);
    assert_eq!(size("box", "7,10,3<2!"), 7 * 10 * 2);
    assert_eq!(size("select", "1,6,6!"), 36);
    assert_eq!(size("select", "4!"), 5 * 2 * 4);
}

#[test]
fn a_drag_whose_numbers_are_given_up_goes_on_without_the_button() {
    let mut editor = begun("line", [30.0, 30.0], [34.0, 30.0], false);
    enter(&mut editor, "9");
    point(&mut editor, Phase::Release, 34.0, 30.0);
    enter(&mut editor, "~");
    assert_eq!(values(&editor)[0], ("Length", 5.0));
    point(&mut editor, Phase::Hover, 36.0, 30.0);
    assert_eq!(values(&editor)[0], ("Length", 7.0));
    let head = editor.active().unwrap().history().head();
    point(&mut editor, Phase::Press, 37.0, 30.0);
    point(&mut editor, Phase::Release, 37.0, 30.0);
    let command = editor.active().unwrap().history().last().map(|change| change.label.clone());
    assert_eq!((editor.active().unwrap().history().head(), command.as_deref()), (head + 1, Some("Draw line")));
}

#[test]
fn a_path_goes_on_after_its_legs_were_typed() {
    let mut editor = begun("path", [30.0, 30.0], [30.0, 30.0], true);
    assert_eq!(values(&editor), [], "one point is no way");
    let head = editor.active().unwrap().history().head();
    act(&mut editor, Action::Confirm);
    let told = editor.messages().last().map(|message| message.text.clone());
    assert_eq!((told.as_deref(), editor.active().unwrap().history().head()), (Some("A path needs two points"), head));
    point(&mut editor, Phase::Press, 30.0, 20.0);
    point(&mut editor, Phase::Release, 30.0, 20.0);
    enter(&mut editor, "6,90!");
    assert_eq!((values(&editor)[2], values(&editor)[3]), (("Offset x", 6.0), ("Offset y", 0.0)));
    let head = editor.active().unwrap().history().head();
    point(&mut editor, Phase::Hover, 44.0, 20.0);
    enter(&mut editor, "!");
    assert_eq!(editor.active().unwrap().history().head(), head + 1, "Enter makes the path");
}

#[test]
fn a_spawn_region_is_as_large_as_typed() {
    let mut editor = begun("objects", [30.0, 30.0], [28.0, 34.0], false);
    enter(&mut editor, "12,4!");
    let objects = &editor.active().unwrap().document().objects;
    let areas: Vec<_> = objects.iter().map(|(_, object)| (object.team(), object.area())).collect();
    assert_eq!(areas, [(Some(Team::Blue), ColumnRect::new([19, 30], [31, 34]))]);
}

/// An editor in which a bar of three voxels on the ground was copied, and the box in which it stands.
fn with_copied_bar() -> (Editor, Region) {
    let mut editor = editor();
    let z = editor.active().unwrap().document().store().ground(40, 40, 0).unwrap();
    let bar = Region::new(IVec3::new(40, 40, z - 1), IVec3::new(43, 41, z));
    act(&mut editor, Action::Edit(Command::Fill(ops::Fill { region: bar, color: Rgb::new(200, 10, 10), mode: Mode::Set })));
    act(&mut editor, Action::Edit(Command::Select(ops::Select { region: Some(bar), ..Default::default() })));
    act(&mut editor, Action::Copy);
    (editor, bar)
}

fn solid(editor: &Editor, region: &Region) -> usize {
    let store = editor.active().unwrap().document().store().clone();
    region.positions().filter(|pos| store.is_solid(*pos)).count()
}

#[test]
fn what_is_pasted_lies_loose_until_enter() {
    let (mut editor, bar) = with_copied_bar();
    let (head, there) = (editor.active().unwrap().history().head(), bar.shifted(IVec3::new(0, 6, 0)));
    act(&mut editor, Action::Paste);
    act(&mut editor, Action::Nudge(IVec3::new(0, 4, 0)));
    enter(&mut editor, ",6");
    assert_eq!((editor.active().unwrap().history().head(), solid(&editor, &there)), (head, 0), "nothing changes before Enter");
    let shown = editor.tool.preview();
    assert!(there.positions().all(|pos| shown.store.as_ref().unwrap().is_solid(pos)) && shown.outlines[0].region == there);
    act(&mut editor, Action::Confirm);
    assert_eq!((editor.active().unwrap().history().head(), solid(&editor, &there), solid(&editor, &bar)), (head + 1, 3, 3));
    assert_eq!(editor.active().unwrap().document().selection.as_ref().and_then(Selection::as_region), Some(there));
    assert!(!editor.tool.has_clip() && editor.tool.settings.transform.is_identity());
}

#[test]
fn what_is_pasted_over_the_map_follows_the_pointer_until_a_click() {
    let (mut editor, bar) = with_copied_bar();
    let ground = |editor: &Editor, x: i32, y: i32| editor.active().unwrap().document().store().ground(x, y, 0).unwrap();
    let z = ground(&editor, 10, 12);
    let shown = |editor: &Editor| editor.tool.preview().outlines[0].region;
    act(&mut editor, Action::PasteOn(IVec3::new(10, 12, z), Face::MinusZ));
    let here = |x: i32, y: i32| Region::of_size(bar.size()).shifted(IVec3::new(x, y, z) - IVec3::new(1, 0, 1));
    assert_eq!(shown(&editor), here(10, 12), "its middle lies over the voxel, on the ground");
    point(&mut editor, Phase::Hover, 30.0, 31.0);
    assert_eq!(shown(&editor), here(30, 31));
    // Turned while it is carried, it still stands with its middle under the pointer.
    act(&mut editor, Action::Turn(Orientation::quarter_turn(Axis::Z)));
    point(&mut editor, Phase::Hover, 33.0, 31.0);
    let upright = Region::of_size(IVec3::new(1, 3, 1)).shifted(IVec3::new(33, 30, z - 1));
    assert_eq!(shown(&editor), upright);
    for phase in [Phase::Press, Phase::Release, Phase::Hover] {
        point(&mut editor, phase, if phase == Phase::Hover { 50.0 } else { 33.0 }, 31.0);
    }
    assert_eq!(shown(&editor), upright, "after the click it lies");
    let head = editor.active().unwrap().history().head();
    act(&mut editor, Action::Confirm);
    assert_eq!((editor.active().unwrap().history().head(), solid(&editor, &upright)), (head + 1, 3));
    // An arrow or a typed number takes it from the pointer; Esc gives it up.
    for taken in ["nudge", "type", "escape"] {
        act(&mut editor, Action::PasteOn(IVec3::new(10, 12, z), Face::MinusZ));
        match taken {
            "nudge" => act(&mut editor, Action::Nudge(IVec3::new(2, 0, 0))),
            "type" => enter(&mut editor, "2!"),
            _ => act(&mut editor, Action::Cancel),
        }
        point(&mut editor, Phase::Hover, 40.0, 40.0);
        match taken {
            "nudge" => assert_eq!(shown(&editor), here(12, 12)),
            "type" => assert_eq!((editor.tool.has_clip(), solid(&editor, &here(12, 12))), (false, 3)),
            _ => assert!(!editor.tool.has_clip()),
        }
    }
    // Beside a wall it stands where the pointer is, and against it.
    act(&mut editor, Action::PasteOn(IVec3::new(20, 20, z - 4), Face::PlusX));
    assert_eq!(shown(&editor), Region::of_size(bar.size()).shifted(IVec3::new(21, 20, z - 4)));
}

#[test]
fn a_turn_that_is_not_worked_out_yet_is_put_in_as_soon_as_it_is() {
    let (mut editor, _) = with_copied_bar();
    let head = editor.active().unwrap().history().head();
    act(&mut editor, Action::Paste);
    // Both in one go: no worker has answered in between.
    editor.act(Action::Turn(Orientation::quarter_turn(Axis::Z)));
    editor.act(Action::Confirm);
    editor.finish_jobs();
    assert_eq!((editor.active().unwrap().history().head(), editor.tool.has_clip()), (head + 1, false));
}

/// Processor time of this thread so far: that of others on the machine does not count.
#[cfg(unix)]
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

#[cfg(unix)]
#[test]
fn a_whole_map_that_lies_loose_is_turned_beside_the_main_thread() {
    let mut editor = editor_with(JobMode::Threads, IVec3::new(512, 512, 64));
    act(&mut editor, Action::SelectAll);
    act(&mut editor, Action::Copy);
    let head = editor.active().unwrap().history().head();
    let frame = |editor: &mut Editor, action: Action| {
        let (begin, name) = (thread_time(), format!("{action:?}"));
        editor.act(action);
        let spent = thread_time() - begin;
        assert!(spent < Duration::from_millis(8), "{name} held the main thread for {spent:?}");
    };
    frame(&mut editor, Action::PasteOn(IVec3::new(256, 256, 63), Face::MinusZ));
    frame(&mut editor, Action::Turn(Orientation::quarter_turn(Axis::Z)));
    frame(&mut editor, Action::Confirm);
    let turns = editor.running().any(|job| job.name == "Turning what was pasted");
    assert!(turns && editor.tool.has_clip(), "a worker turns it");
    editor.finish_jobs();
    assert_eq!((editor.active().unwrap().history().head(), editor.tool.has_clip()), (head + 1, false));
}

#[test]
fn what_lies_loose_is_turned_dragged_and_dropped() {
    let (mut editor, bar) = with_copied_bar();
    let head = editor.active().unwrap().history().head();
    act(&mut editor, Action::SelectTool("line"));
    act(&mut editor, Action::Paste);
    act(&mut editor, Action::Turn(Orientation::quarter_turn(Axis::Z)));
    point(&mut editor, Phase::Press, 41.0, 40.0);
    point(&mut editor, Phase::Drag, 46.0, 40.0);
    point(&mut editor, Phase::Release, 46.0, 40.0);
    let upright = Region::new(bar.min() + IVec3::new(6, -1, 0), bar.min() + IVec3::new(7, 2, 1));
    assert_eq!((editor.tool.preview().outlines[0].region, solid(&editor, &upright)), (upright, 0));
    let version = editor.active().unwrap().version();
    // One press drops it, the next goes back to the tool before.
    act(&mut editor, Action::Cancel);
    assert_eq!((editor.tool.has_clip(), editor.tool.spec().id, editor.tool.preview().store.is_some()), (false, "move", false));
    act(&mut editor, Action::Cancel);
    assert_eq!((editor.tool.spec().id, editor.active().unwrap().version()), ("line", version));
    for dropped in [Action::Undo, Action::Delete, Action::SelectTool("brush"), Action::Confirm] {
        act(&mut editor, Action::Paste);
        act(&mut editor, Action::Turn(Orientation::quarter_turn(Axis::Z)));
        act(&mut editor, Action::Nudge(IVec3::new(5, 0, 0)));
        let puts_in = dropped == Action::Confirm;
        act(&mut editor, dropped.clone());
        let done = (editor.active().unwrap().history().head() - head, solid(&editor, &upright), solid(&editor, &bar));
        assert_eq!(done, if puts_in { (1, 3, 3) } else { (0, 0, 3) }, "{dropped:?}");
        assert!(editor.tool.settings.transform.is_identity() && !editor.tool.has_clip(), "{dropped:?}");
    }
}

#[test]
fn only_a_gesture_that_would_have_made_something_is_told_when_another_tool_is_taken() {
    for (tool, told) in [("ruler", false), ("box", true), ("brush", false)] {
        let mut editor = editor();
        act(&mut editor, Action::SelectTool(tool));
        point(&mut editor, Phase::Press, 30.0, 30.0);
        point(&mut editor, Phase::Drag, 33.0, 33.0);
        point(&mut editor, Phase::Release, 33.0, 33.0);
        let before = editor.messages().len();
        act(&mut editor, Action::SelectTool("pick"));
        assert_eq!(editor.messages().len() > before, told, "{tool}: {:?}", editor.messages().last());
    }
}
