//! What a person does in the middle of a gesture, by the actions of the window.

use std::sync::Arc;

use glam::{IVec3, Vec3};
use spadework::edit::{Command, ops};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, JobMode, NewMap};
use spadework::geom::{Ray, Region};
use spadework::terrain::Params;
use spadework::tool::{Modifiers, Phase, PointerInput, TOOLS};

/// An editor with a flat map, a part of which is selected.
fn editor() -> Editor {
    let mut editor = Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs: JobMode::Inline,
        waker: Arc::new(|| {}),
        journal_folder: None,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    });
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let region = Some(Region::new(IVec3::new(18, 18, 55), IVec3::new(24, 24, 64)));
    act(&mut editor, Action::Edit(Command::Select(ops::Select { region, ..Default::default() })));
    editor
}

fn act(editor: &mut Editor, action: Action) {
    editor.act(action);
    editor.finish_jobs();
}

fn point(editor: &mut Editor, phase: Phase, x: f32, y: f32) {
    let ray_in_world = Ray::new(Vec3::new(x + 0.5, y + 0.5, -20.0), Vec3::Z);
    editor.pointer(&PointerInput { ray_in_world, phase, modifiers: Modifiers::default(), voxels_per_pixel: 0.001 });
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
