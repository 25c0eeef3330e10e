//! What a person does with a selection, by the actions of the window; and what is left of it after a crash.

use std::path::PathBuf;
use std::sync::Arc;

use glam::{IVec3, Vec3};
use spadework::document::{Combine, Masks, Selection};
use spadework::edit::{Command, Mode, ops};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, JobMode, NewMap};
use spadework::geom::{Axis, Orientation, Ray, Region};
use spadework::terrain::Params;
use spadework::tool::{Modifiers, Phase, PointerInput, ToolSettings};
use spadework::voxel::Rgb;

const RED: Rgb = Rgb::new(200, 10, 10);

fn editor(journal_folder: Option<PathBuf>) -> Editor {
    Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs: JobMode::Inline,
        waker: Arc::new(|| {}),
        journal_folder,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    })
}

fn act(editor: &mut Editor, action: Action) {
    editor.act(action);
    editor.finish_jobs();
}

fn run(editor: &mut Editor, command: Command) {
    act(editor, Action::Edit(command));
}

/// A flat map with a red bar of three voxels, which is selected.
fn with_bar(editor: &mut Editor) -> Region {
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(editor, Action::New(NewMap { generator: "flat".into(), params }));
    let z = editor.active().unwrap().document().store().ground(20, 20, 0).unwrap();
    let bar = Region::new(IVec3::new(20, 20, z - 1), IVec3::new(23, 21, z));
    run(editor, Command::Fill(ops::Fill { region: bar, color: RED, mode: Mode::Set }));
    run(editor, Command::Select(ops::Select { region: Some(bar), ..Default::default() }));
    bar
}

fn selection(editor: &Editor) -> Option<Selection> {
    editor.active().unwrap().document().selection.clone()
}

/// The red voxels.
fn red(editor: &Editor) -> Vec<IVec3> {
    let store = editor.active().unwrap().document().store().clone();
    store.bounds().positions().filter(|pos| store.paint(*pos).is_some_and(|paint| paint.rgb == RED)).collect()
}

fn errors(editor: &Editor) -> Vec<&str> {
    editor.messages().iter().filter(|message| message.is_error).map(|message| message.text.as_str()).collect()
}

#[test]
fn arrows_nudge_copy_and_turn_the_selection_at_once() {
    let mut editor = editor(None);
    let bar = with_bar(&mut editor);
    act(&mut editor, Action::Nudge(IVec3::X));
    assert_eq!(red(&editor), bar.shifted(IVec3::X).positions().collect::<Vec<_>>());
    act(&mut editor, Action::Turn(Orientation::quarter_turn(Axis::Z)));
    assert_eq!(selection(&editor).unwrap().bounds(), Region::new(bar.min() + IVec3::new(2, -1, 0), bar.min() + IVec3::new(3, 2, 1)));
    act(&mut editor, Action::Duplicate(IVec3::X * 8));
    assert_eq!(red(&editor).len(), 6);
    assert_eq!(selection(&editor).unwrap().bounds().min(), bar.min() + IVec3::new(10, -1, 0));
    assert_eq!(errors(&editor), Vec::<&str>::new());
}

#[test]
fn a_copy_by_an_arrow_waits_for_enter_with_the_move_that_waits() {
    let mut editor = editor(None);
    let bar = with_bar(&mut editor);
    let steps = editor.active().unwrap().history().len();
    act(&mut editor, Action::SelectTool("move"));
    act(&mut editor, Action::Nudge(-IVec3::Z * 4));
    for _ in 0..3 {
        act(&mut editor, Action::Duplicate(IVec3::X * 5));
    }
    assert_eq!((editor.active().unwrap().history().len(), red(&editor).len()), (steps, 3), "nothing before Enter");
    act(&mut editor, Action::Confirm);
    let (old, new) = (bar.positions(), bar.shifted(IVec3::new(15, 0, -4)).positions());
    let mut both: Vec<_> = old.chain(new).collect();
    let mut found = red(&editor);
    both.sort_by_key(IVec3::to_array);
    found.sort_by_key(IVec3::to_array);
    assert_eq!(found, both);
    assert_eq!(editor.active().unwrap().history().len(), steps + 1);
}

#[test]
fn what_waits_for_enter_changes_nothing_until_then() {
    let mut editor = editor(None);
    let bar = with_bar(&mut editor);
    let steps = editor.active().unwrap().history().len();
    act(&mut editor, Action::SelectTool("move"));
    let typed = |editor: &Editor, angle| {
        let transform = ops::TransformSelection { angle: ops::Thousandths(angle), ..Default::default() };
        Action::SetTools(Box::new(ToolSettings { transform, ..editor.tool.settings.clone() }))
    };
    for angle in [30_000, 60_000, 90_000] {
        let action = typed(&editor, angle);
        act(&mut editor, action);
        assert!(editor.tool.preview().store.is_some(), "{angle}");
    }
    // Arrows and turns go into it.
    act(&mut editor, Action::Nudge(IVec3::new(5, 0, 0)));
    assert_eq!((editor.active().unwrap().history().len(), red(&editor)), (steps, bar.positions().collect()));
    act(&mut editor, Action::Confirm);
    let turned = Region::new(bar.min() + IVec3::new(6, -1, 0), bar.min() + IVec3::new(7, 2, 1));
    assert_eq!(red(&editor), turned.positions().collect::<Vec<_>>());
    assert_eq!((editor.active().unwrap().history().len(), selection(&editor)), (steps + 1, Selection::of_region(turned)));
    assert!(editor.tool.settings.transform.is_identity() && editor.tool.preview().store.is_none());
    let action = typed(&editor, 45_000);
    act(&mut editor, action);
    act(&mut editor, Action::Cancel);
    act(&mut editor, Action::Confirm);
    assert_eq!((editor.active().unwrap().history().len(), editor.tool.settings.transform.is_identity()), (steps + 1, true));
    // Another tool drops it as well.
    let action = typed(&editor, 45_000);
    act(&mut editor, action);
    act(&mut editor, Action::SelectTool("brush"));
    assert!(editor.tool.settings.transform.is_identity());
    assert_eq!(errors(&editor), Vec::<&str>::new());
}

#[test]
fn a_wand_selects_by_a_click_and_its_hull_is_drawn() {
    let mut editor = editor(None);
    let bar = with_bar(&mut editor);
    act(&mut editor, Action::Deselect);
    assert!(editor.selection_hull().is_none());
    act(&mut editor, Action::SelectTool("select"));
    editor.tool.settings.select_kind = spadework::tool::SelectKind::Wand;
    let ray_in_world = Ray::new(Vec3::new(21.5, 20.5, -20.0), Vec3::Z);
    for phase in [Phase::Hover, Phase::Press, Phase::Release] {
        editor.pointer(&PointerInput { ray_in_world, phase, modifiers: Modifiers::default(), voxels_per_pixel: 0.001, is_parallel: false });
    }
    editor.finish_jobs();
    assert_eq!(selection(&editor), Selection::of_region(bar));
    assert!(editor.selection_hull().is_none(), "a box is drawn as a box");
    let hole = Region::between(bar.min() + IVec3::X, bar.min() + IVec3::X);
    run(&mut editor, Command::Select(ops::Select { region: Some(hole), combine: Combine::Subtract }));
    let hull = editor.selection_hull().unwrap();
    assert_eq!(hull.len(), 12);
    assert!(Arc::ptr_eq(&hull, &editor.selection_hull().unwrap()), "made once");
    run(&mut editor, Command::SelectWhere(ops::SelectWhere { masks: Masks::default(), combine: Combine::Replace }));
    editor.selection_hull();
    editor.finish_jobs();
    assert!(editor.selection_hull().is_some_and(|faces| faces.len() > 64 * 64));
}

#[test]
fn a_set_that_was_selected_comes_back_after_a_crash_from_a_snapshot_and_from_its_commands() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = editor(Some(folder.path().to_owned()));
    let bar = with_bar(&mut first);
    let hole = Region::between(bar.min() + IVec3::X, bar.min() + IVec3::X);
    run(&mut first, Command::Select(ops::Select { region: Some(hole), combine: Combine::Subtract }));
    // It looks at the whole map: a snapshot is due, and holds the set.
    run(&mut first, Command::ReplaceColor(ops::ReplaceColor { from: RED, to: Rgb::new(9, 9, 9), tolerance: 0 }));
    let transform = ops::TransformSelection { angle: ops::Thousandths(33_333), copies: 2, by: IVec3::new(9, 0, -2), ..Default::default() };
    run(&mut first, Command::TransformSelection(transform));
    assert_eq!(errors(&first), Vec::<&str>::new());
    let (kept, voxels) = (selection(&first), first.active().unwrap().document().store().clone());
    assert!(kept.as_ref().is_some_and(|kept| kept.as_mask().is_some()));
    drop(first);
    let names = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| name.ends_with("snapshot")).count(), 1);
    let mut second = editor(Some(folder.path().to_owned()));
    second.find_leftovers();
    second.finish_jobs();
    act(&mut second, Action::RestoreLeftovers);
    assert_eq!(errors(&second), Vec::<&str>::new());
    assert_eq!(selection(&second), kept);
    assert!(second.active().unwrap().document().store().same_voxels(&voxels));
    act(&mut second, Action::Undo);
    assert_eq!(red(&second), hole.positions().collect::<Vec<_>>());
}

#[test]
fn arrows_and_turns_with_the_move_tool_wait_for_enter() {
    let mut editor = editor(None);
    let bar = with_bar(&mut editor);
    let steps = editor.active().unwrap().history().len();
    act(&mut editor, Action::SelectTool("move"));
    for _ in 0..3 {
        act(&mut editor, Action::Nudge(IVec3::X));
    }
    assert_eq!((editor.active().unwrap().history().len(), red(&editor)), (steps, bar.positions().collect()), "nothing is done yet");
    assert!(editor.tool.preview().store.is_some(), "but shown");
    act(&mut editor, Action::Cancel);
    act(&mut editor, Action::Confirm);
    assert_eq!(red(&editor), bar.positions().collect::<Vec<_>>());
    assert_eq!(editor.tool.spec().id, "move");
    for _ in 0..3 {
        act(&mut editor, Action::Nudge(IVec3::X));
    }
    act(&mut editor, Action::Confirm);
    assert_eq!(red(&editor), bar.shifted(IVec3::X * 3).positions().collect::<Vec<_>>());
    assert_eq!(editor.active().unwrap().history().len(), steps + 1, "one step");
    act(&mut editor, Action::Turn(Orientation::quarter_turn(Axis::Z)));
    assert_eq!(editor.active().unwrap().history().len(), steps + 1);
    assert!(!editor.tool.settings.transform.is_identity());
}

#[test]
fn a_copy_in_place_is_moved_by_arrows_and_made_by_enter() {
    let mut editor = editor(None);
    let bar = with_bar(&mut editor);
    act(&mut editor, Action::Duplicate(IVec3::ZERO));
    assert_eq!(editor.tool.spec().id, "move");
    for _ in 0..2 {
        act(&mut editor, Action::Nudge(IVec3::Y));
    }
    assert_eq!(red(&editor).len(), 3, "nothing before Enter");
    act(&mut editor, Action::Confirm);
    let mut both: Vec<_> = bar.positions().chain(bar.shifted(IVec3::Y * 2).positions()).collect();
    let mut found = red(&editor);
    both.sort_by_key(IVec3::to_array);
    found.sort_by_key(IVec3::to_array);
    assert_eq!(found, both);
}
