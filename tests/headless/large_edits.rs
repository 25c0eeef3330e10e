//! Large edits, with workers as the window has them: the main thread goes on, and whoever cancels loses nothing.

use std::sync::Arc;

use glam::{IVec3, Vec3};
use spadework::document::{Progress, SymmetryKind};
use spadework::edit::ops::{self, SculptAction, SculptForm};
use spadework::edit::{Brush, BrushShape, Command, History, Mode, plan};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, JobMode, NewMap};
use spadework::geom::{Ray, SolidKind};
use spadework::terrain::Params;
use spadework::tool::{Modifiers, Phase, PointerInput, ToolSettings};
use spadework::voxel::Store;

/// An editor with workers and a map of some size.
fn editor(generator: &str, size: IVec3) -> Editor {
    let mut editor = Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs: JobMode::Threads,
        waker: Arc::new(|| {}),
        journal_folder: None,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    });
    let params = Params { size, seed: 1, values: Default::default() };
    editor.act(Action::New(NewMap { generator: generator.into(), params }));
    editor.finish_jobs();
    editor
}

/// Has edits happen on both sides of a map for two teams.
fn turn_half(editor: &mut Editor) {
    let kind = SymmetryKind::Turn180;
    editor.act(Action::Edit(Command::SetSymmetry(ops::SetSymmetry { kind, center: None, swap_teams: false, swap_colors: vec![] })));
    editor.finish_jobs();
}

fn store(editor: &Editor) -> Store {
    editor.active().unwrap().document().store().clone()
}

/// The large edits that the tools and dialogs make.
fn large_edits() -> Vec<Command> {
    let path: Vec<String> = (0..500).map(|step| format!("[{},{},40]", 40 + step % 400, 60 + step * 3 / 4)).collect();
    let path = path.join(",");
    let whole = r#""box":[[0,0,0],[512,512,64]]"#;
    let commands = [
        format!(r#"{{"stroke":{{"brush":{{"size":64}},"path":[{path}]}}}}"#),
        r##"{"replace_color":{"from":"#808080","to":"#ff0000","tolerance":255}}"##.to_owned(),
        r#"{"heal":{"from":"west"}}"#.to_owned(),
        format!(r##"{{"fill":{{{whole},"color":"#ff0000"}}}}"##),
        format!(r#"{{"sculpt":{{"action":"smooth","size":64,"strength":9,"path":[{path}]}}}}"#),
        format!(r#"{{"sculpt":{{"action":"smooth","size":64,"strength":4,"form":"volume","path":[{path}]}}}}"#),
    ];
    commands.iter().map(|json| serde_json::from_str(json).unwrap()).collect()
}

#[test]
fn a_large_edit_is_planned_beside_the_caller_with_progress_and_undone_at_once() {
    let mut editor = editor("island", IVec3::new(512, 512, 64));
    turn_half(&mut editor);
    for command in large_edits() {
        let (before, steps) = (store(&editor), editor.active().unwrap().history().head());
        editor.act(Action::Edit(command.clone()));
        assert!(editor.active().unwrap().is_busy(), "{}", command.label());
        assert!(before.changed_chunks(&store(&editor)).is_empty(), "{}: nothing is done yet", command.label());
        let job = editor.running().find(|job| job.name == command.label()).expect("its job is shown");
        assert_eq!(job.document, editor.active().map(|open| open.id()));
        let progress = job.progress.clone();
        editor.finish_jobs();
        assert!(progress.share() > 0.5, "{}: it told that {} is done", command.label(), progress.share());
        assert_eq!(editor.active().unwrap().history().head(), steps + 1, "{}", command.label());
        let after = store(&editor);
        assert!(!before.changed_chunks(&after).is_empty(), "{}", command.label());
        editor.act(Action::Undo);
        assert!(before.changed_chunks(&store(&editor)).is_empty(), "{}: undone when this returns", command.label());
        editor.act(Action::Redo);
        assert!(after.changed_chunks(&store(&editor)).is_empty(), "{}", command.label());
        editor.act(Action::Undo);
        editor.finish_jobs();
    }
}

#[test]
fn a_large_edit_that_is_cancelled_leaves_map_and_history_as_they_were() {
    let mut editor = editor("island", IVec3::new(512, 512, 64));
    turn_half(&mut editor);
    for command in large_edits() {
        let (before, version) = (store(&editor), editor.active().unwrap().version());
        let steps: Vec<_> = editor.active().unwrap().history().entries().collect();
        editor.act(Action::Edit(command.clone()));
        let job = editor.running().find(|job| job.name == command.label()).map(|job| job.id).unwrap();
        editor.act(Action::CancelJob(job));
        editor.finish_jobs();
        let open = editor.active().unwrap();
        assert!(!open.is_busy(), "{}", command.label());
        assert!(before.changed_chunks(open.document().store()).is_empty(), "{}", command.label());
        assert_eq!(open.history().entries().collect::<Vec<_>>(), steps, "{}", command.label());
        assert_eq!(open.version(), version, "{}", command.label());
        assert_eq!(editor.messages().last().map(|message| message.text.clone()), Some(format!("{}: cancelled", command.label())));
    }
}

/// Hands the tool the pointer, looking straight down.
fn point(editor: &mut Editor, phase: Phase, x: i32, y: i32) {
    let ray_in_world = Ray::new(Vec3::new(x as f32 + 0.5, y as f32 + 0.5, -20.0), Vec3::Z);
    editor.pointer(&PointerInput { ray_in_world, phase, modifiers: Modifiers::default(), voxels_per_pixel: 0.001, is_parallel: false });
}

/// Draws with a tool, shows what that would do once in between, and does it; what is done is what was asked for at the end.
fn check_gesture(id: &'static str, settings: ToolSettings, waits: bool) {
    let mut editor = editor("island", IVec3::new(256, 256, 64));
    let document = editor.active().unwrap().document().clone();
    let before = document.store();
    editor.act(Action::SelectTool(id));
    editor.act(Action::SetTools(Box::new(settings)));
    point(&mut editor, Phase::Press, 60, 60);
    point(&mut editor, Phase::Drag, 110, 100);
    editor.finish_jobs();
    let early = editor.tool.preview().store.unwrap_or_else(|| panic!("{id} shows what it would do"));
    assert!(!before.changed_chunks(&early).is_empty(), "{id}");
    // Faster than anything is planned, and released before.
    for x in 111..170 {
        point(&mut editor, Phase::Drag, x, 100);
    }
    let wanted = editor.tool.wanted();
    point(&mut editor, Phase::Release, 169, 100);
    if waits {
        editor.act(Action::Confirm);
    }
    assert!(editor.tool.wanted().is_none() && editor.tool.preview().store.is_none(), "{id}: the gesture is over");
    editor.finish_jobs();
    let wanted = wanted.unwrap_or_else(|| panic!("{id} wants to know"));
    let open = editor.active().unwrap();
    assert_eq!(open.history().head(), 1, "{id}: one step");
    let mut expected = document.clone();
    let change = plan(&document, &wanted, &Progress::new()).unwrap();
    History::new().commit(&mut expected, change);
    assert!(expected.store().same_voxels(open.document().store()), "{id} does all of it");
    assert!(!early.same_voxels(open.document().store()), "{id} does more than what it showed first");
    editor.act(Action::Undo);
    assert!(before.changed_chunks(&store(&editor)).is_empty(), "{id}");
}

#[test]
fn what_a_gesture_shows_comes_from_a_worker_and_its_release_does_all_of_it() {
    let usual = ToolSettings { brush: Brush::new(BrushShape::Ball, 32), strength: 8, ..ToolSettings::default() };
    for form in [SculptForm::Column, SculptForm::Volume] {
        for action in [SculptAction::Raise, SculptAction::Smooth, SculptAction::Slope] {
            let settings = ToolSettings { sculpt_form: form, sculpt_action: action, ..usual.clone() };
            check_gesture("sculpt", settings, false);
        }
    }
    check_gesture("paint", ToolSettings { brush: Brush::new(BrushShape::Ball, 24), ..usual.clone() }, false);
    check_gesture("line", ToolSettings { mode: Mode::Add, brush: Brush::new(BrushShape::Ball, 64), ..usual.clone() }, false);
    check_gesture("shape", ToolSettings { solid: SolidKind::Ball, ..usual }, true);
}

#[test]
fn a_dropped_gesture_is_not_shown_by_what_was_planned_for_it() {
    let mut editor = editor("island", IVec3::new(256, 256, 64));
    editor.act(Action::SelectTool("sculpt"));
    let brush = Brush::new(BrushShape::Ball, 64);
    editor.act(Action::SetTools(Box::new(ToolSettings { brush, strength: 16, ..ToolSettings::default() })));
    point(&mut editor, Phase::Press, 60, 60);
    point(&mut editor, Phase::Drag, 160, 160);
    editor.act(Action::Cancel);
    point(&mut editor, Phase::Hover, 20, 20);
    editor.finish_jobs();
    assert!(editor.tool.preview().store.is_none());
    assert_eq!(editor.active().unwrap().history().len(), 0);
}
