//! What was begun with a tool stays with its map, is not lost without a word, and is never in another map.

use std::path::Path;

use glam::IVec3;
use spadework::document::Options;
use spadework::edit::{Command, Mode, ops};
use spadework::editor::{Action, DocumentId, Editor, ExportOrder, JobMode, NewMap, Request, SaveOrder};
use spadework::geom::{Axis, Orientation, Region};
use spadework::terrain::Params;
use spadework::tool::{Phase, TOOLS};
use spadework::voxel::Rgb;

use super::editor::{act, editor, errors, run, store};
use super::gestures::{point, set_tools};

fn flat(editor: &mut Editor) -> DocumentId {
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(editor, Action::New(NewMap { generator: "flat".into(), params }));
    editor.active().unwrap().id()
}

/// An editor with another map and one in front, in which a gesture of a tool was begun.
fn begun(tool: &'static str, is_released: bool) -> (Editor, DocumentId, DocumentId) {
    let mut editor = editor();
    let other = flat(&mut editor);
    let id = flat(&mut editor);
    let selected = Region::new(IVec3::new(28, 28, 55), IVec3::new(34, 34, 64));
    run(&mut editor, Command::Select(ops::Select { region: Some(selected), ..Default::default() }));
    set_tools(&mut editor);
    act(&mut editor, Action::SelectTool(tool));
    point(&mut editor, Phase::Hover, 30.0, 30.0);
    point(&mut editor, Phase::Press, 30.0, 30.0);
    point(&mut editor, Phase::Drag, 32.0, 33.0);
    if is_released {
        point(&mut editor, Phase::Release, 32.0, 33.0);
        // A path of one point is none.
        if tool == "path" {
            [Phase::Press, Phase::Release].into_iter().for_each(|phase| point(&mut editor, phase, 40.0, 40.0));
        }
    }
    (editor, id, other)
}

fn told(editor: &Editor, since: usize) -> Vec<String> {
    editor.messages()[since..].iter().map(|message| message.text.clone()).collect()
}

#[test]
fn every_gesture_stays_with_its_map_while_another_one_is_in_front() {
    let mut stayed = vec![];
    for spec in TOOLS {
        let (mut here, ..) = begun(spec.id, true);
        act(&mut here, Action::Confirm);
        let (mut editor, id, other) = begun(spec.id, true);
        let (is_begun, before) = (editor.begun(id), store(&editor));
        act(&mut editor, Action::Activate(other));
        assert_eq!((editor.begun(id), editor.begun(other)), (is_begun.clone(), None), "{}", spec.id);
        // Other tools, and other gestures of the same one, do nothing to it.
        let elsewhere = store(&editor);
        for tool in ["pick", spec.id] {
            act(&mut editor, Action::SelectTool(tool));
        }
        act(&mut editor, Action::Confirm);
        assert!(store(&editor).same_voxels(&elsewhere), "{}", spec.id);
        act(&mut editor, Action::SelectTool("pick"));
        let since = editor.messages().len();
        act(&mut editor, Action::Activate(id));
        assert_eq!(told(&editor, since), [""; 0], "{}", spec.id);
        assert_eq!(
            (editor.begun(id), editor.tool.spec().id),
            (is_begun.clone(), if is_begun.is_some() { spec.id } else { editor.tool.spec().id })
        );
        act(&mut editor, Action::Confirm);
        let (made, expected) = (store(&editor), store(&here));
        let objects = |editor: &Editor| editor.active().unwrap().document().objects.iter().count();
        assert!(made.same_voxels(&expected) && objects(&editor) == objects(&here), "{}", spec.id);
        if is_begun.is_some() && !made.same_voxels(&before) {
            stayed.push(spec.id);
        }
    }
    assert!(["box", "path", "move"].iter().all(|id| stayed.contains(id)), "{stayed:?}");
}

#[test]
fn what_the_button_holds_goes_with_a_word_as_another_map_comes_to_the_front() {
    let mut dropped = 0;
    for spec in TOOLS {
        let (mut editor, id, other) = begun(spec.id, false);
        let (is_begun, since, before) = (editor.begun(id).is_some(), editor.messages().len(), store(&editor));
        act(&mut editor, Action::Activate(other));
        let told = told(&editor, since);
        let is_told = told == [format!("{}: what was begun was let go", spec.label)];
        assert!(is_told || told.is_empty(), "{told:?}");
        // The rest of the drag means nothing, here and there.
        let elsewhere = store(&editor);
        point(&mut editor, Phase::Drag, 33.0, 34.0);
        point(&mut editor, Phase::Release, 33.0, 34.0);
        assert!(store(&editor).same_voxels(&elsewhere), "{}", spec.id);
        act(&mut editor, Action::Activate(id));
        assert_eq!(is_told, is_begun && editor.begun(id).is_none() || is_told && spec.id == "select", "{}", spec.id);
        assert!(store(&editor).same_voxels(&before) || ["brush", "paint", "sculpt", "stamp"].contains(&spec.id), "{}", spec.id);
        dropped += usize::from(is_told);
    }
    assert!(dropped > 8, "{dropped}");
}

/// An editor with a map in which a bar was pasted that lies loose, and the map.
fn pasted() -> (Editor, DocumentId) {
    let mut editor = editor();
    let id = flat(&mut editor);
    let bar = Region::new(IVec3::new(10, 10, 40), IVec3::new(13, 11, 41));
    run(&mut editor, Command::Fill(ops::Fill { region: bar, color: Rgb::new(200, 10, 10), mode: Mode::Set }));
    run(&mut editor, Command::Select(ops::Select { region: Some(bar), ..Default::default() }));
    act(&mut editor, Action::Copy);
    act(&mut editor, Action::Paste);
    act(&mut editor, Action::Nudge(IVec3::new(0, 8, 0)));
    assert_eq!(editor.begun(id), Some("Move".into()));
    (editor, id)
}

fn save_as(editor: &mut Editor, id: DocumentId, path: &Path) {
    act(editor, Action::SaveAs(SaveOrder::new(id).with_path(path.into()).with_loss_agreed().with_overwrite_agreed()));
    // Problems that players will meet are asked about once.
    if editor.take_requests().iter().any(|request| matches!(request, Request::ConfirmProblems { .. })) {
        act(editor, Action::SaveAs(SaveOrder::new(id).with_path(path.into()).with_loss_agreed().with_overwrite_agreed()));
    }
}

#[test]
fn a_file_that_is_written_without_what_lies_loose_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let (mut editor, id) = pasted();
    save_as(&mut editor, id, &folder.path().join("a.vxl"));
    let said = |editor: &Editor| {
        let message = editor.messages().last().unwrap().clone();
        (message.text, message.is_warning, message.detail.unwrap_or_default().contains("Without what was begun with Move"))
    };
    assert_eq!(said(&editor), ("Saved a.vxl".to_owned(), true, true));
    assert!(editor.would_lose(id) && !editor.active().unwrap().has_unsaved_work());
    let order = ExportOrder {
        document: id,
        export: "vox",
        options: Options::new(),
        path: folder.path().join("a.vox"),
        overwrite_agreed: false,
        asked: None,
    };
    act(&mut editor, Action::Export(order));
    assert_eq!(said(&editor), ("Exported a.vox".to_owned(), true, true));
    act(&mut editor, Action::Confirm);
    save_as(&mut editor, id, &folder.path().join("a.vxl"));
    assert_eq!(said(&editor), ("Saved a.vxl".to_owned(), false, false));
    assert!(!editor.would_lose(id) && errors(&editor).is_empty());
}

#[test]
fn what_was_begun_is_finished_before_the_last_save_or_it_is_told_why_not() {
    let (mut editor, id) = pasted();
    let other = flat(&mut editor);
    assert!(editor.finish_begun(other) && editor.active().unwrap().id() == other, "nothing was begun there");
    assert!(editor.finish_begun(id) && editor.active().unwrap().id() == id);
    assert!(store(&editor).is_solid(IVec3::new(10, 18, 40)) && editor.begun(id).is_none());
    // Numbers that are typed, what is in the hand, and what waits.
    for (tool, is_made) in [("box", true), ("path", true)] {
        let (mut editor, id, other) = begun(tool, true);
        let before = store(&editor);
        act(&mut editor, Action::Type(spadework::editor::EntryKey::Char('3')));
        act(&mut editor, Action::SelectTool(if tool == "path" { "pick" } else { tool }));
        act(&mut editor, Action::Activate(other));
        assert_eq!(editor.finish_begun(id), is_made, "{tool}");
        assert!(!store(&editor).same_voxels(&before), "{tool}");
    }
    let (mut editor, id, _) = begun("path", false);
    point(&mut editor, Phase::Release, 30.0, 30.0);
    let since = editor.messages().len();
    assert!(!editor.finish_begun(id) && editor.begun(id) == Some("Path".into()));
    assert_eq!(told(&editor, since), ["A path needs two points"]);
}

#[test]
fn maps_that_come_and_go_leave_what_was_begun_on_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut editor, id) = pasted();
    let other = flat(&mut editor);
    save_as(&mut editor, other, &folder.path().join("b.vxl"));
    act(&mut editor, Action::Activate(id));
    let since = editor.messages().len();
    act(&mut editor, Action::Close(other));
    assert_eq!((editor.begun(id), told(&editor, since)), (Some("Move".into()), vec![]));
    act(&mut editor, Action::Open(folder.path().join("b.vxl")));
    let opened = editor.active().unwrap().id();
    assert!(opened != id && editor.begun(opened).is_none() && editor.begun(id) == Some("Move".into()));
    // Closed, it gives way to the map before, as that was left.
    act(&mut editor, Action::Close(opened));
    assert_eq!((editor.active().unwrap().id(), editor.tool.has_clip()), (id, true));
    act(&mut editor, Action::Confirm);
    assert!(store(&editor).is_solid(IVec3::new(10, 18, 40)));
}

#[test]
fn what_would_pull_the_ground_from_under_it_waits_or_tells() {
    let (mut editor, id) = pasted();
    let (head, since) = (editor.active().unwrap().history().head(), editor.messages().len());
    act(&mut editor, Action::JumpTo(0));
    assert_eq!((editor.active().unwrap().history().head(), editor.begun(id)), (head, Some("Move".into())));
    assert!(told(&editor, since)[0].starts_with("Enter finishes what was begun"));
    // The same again lies there as the first one did; something else is told.
    let since = editor.messages().len();
    act(&mut editor, Action::Paste);
    assert_eq!((told(&editor, since), editor.begun(id)), (vec![], Some("Move".into())));
    act(&mut editor, Action::Cancel);
    act(&mut editor, Action::SelectAll);
    act(&mut editor, Action::Nudge(IVec3::new(0, 1, 0)));
    assert_eq!(editor.begun(id), Some("Move".into()));
    act(&mut editor, Action::Paste);
    assert_eq!(told(&editor, since), ["Move: what was begun was let go"]);
    act(&mut editor, Action::Cancel);
    // What is moved cannot be moved once it is not selected.
    act(&mut editor, Action::Nudge(IVec3::new(3, 0, 0)));
    assert_eq!((editor.begun(id), editor.tool.has_clip()), (Some("Move".into()), false));
    let since = editor.messages().len();
    act(&mut editor, Action::Deselect);
    assert_eq!((told(&editor, since), editor.begun(id)), (vec!["Move: what was begun was let go".to_owned()], None));
    assert!(editor.tool.settings.transform.is_identity() && editor.active().unwrap().document().selection.is_none());
    act(&mut editor, Action::Undo);
    assert!(editor.active().unwrap().document().selection.is_some());
    act(&mut editor, Action::Paste);
    // A click on an object in a list takes the tool that has objects.
    let since = editor.messages().len();
    editor.select_object(None);
    assert_eq!((told(&editor, since), editor.begun(id)), (vec![], Some("Move".into())));
    run(&mut editor, serde_json::from_str(r#"{"add_object":{"intel":{"team":"blue","at":{"x":5,"y":5}}}}"#).unwrap());
    let object = editor.active().unwrap().document().objects.iter().next().unwrap().0;
    editor.select_object(Some(object));
    assert_eq!(told(&editor, since), ["Move: what was begun was let go"]);
}

#[test]
fn all_that_was_begun_on_a_map_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (mut editor, id, _) = begun("path", true);
    act(&mut editor, Action::Copy);
    act(&mut editor, Action::Paste);
    assert_eq!(editor.begun(id), Some("Move and Path".into()));
    save_as(&mut editor, id, &folder.path().join("a.vxl"));
    let detail = editor.messages().last().unwrap().detail.clone().unwrap_or_default();
    assert!(detail.contains("Without what was begun with Move and Path: Enter puts it into the map"), "{detail}");
    let before = store(&editor);
    assert!(editor.finish_begun(id) && editor.begun(id).is_none());
    editor.finish_jobs();
    assert!(!store(&editor).same_voxels(&before));
}

#[test]
fn what_is_turned_is_put_into_its_own_map() {
    let mut editor = super::editor::editor_with(JobMode::Threads, None);
    let colors = [Rgb::new(200, 10, 10), Rgb::new(10, 10, 200)];
    let ids = colors.map(|color| {
        let id = flat(&mut editor);
        let bar = Region::new(IVec3::new(10, 10, 40), IVec3::new(13, 11, 41));
        run(&mut editor, Command::Fill(ops::Fill { region: bar, color, mode: Mode::Set }));
        run(&mut editor, Command::Select(ops::Select { region: Some(bar), ..Default::default() }));
        act(&mut editor, Action::Copy);
        editor.act(Action::Paste);
        // No worker has answered as the next map comes to the front.
        editor.act(Action::Turn(Orientation::quarter_turn(Axis::Z)));
        id
    });
    for id in ids.into_iter().rev().chain(ids) {
        editor.act(Action::Activate(id));
    }
    for (id, color) in ids.into_iter().zip(colors) {
        editor.act(Action::Activate(id));
        editor.act(Action::Confirm);
        editor.finish_jobs();
        let turned = store(&editor).voxel(IVec3::new(11, 9, 40)).and_then(|voxel| voxel.rgb());
        assert_eq!((turned, editor.begun(id)), (Some(color), None), "{:?}", editor.messages());
    }
}

#[test]
fn a_recording_ends_once_it_is_written_and_closing_would_lose_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = editor();
    let id = flat(&mut editor);
    save_as(&mut editor, id, &folder.path().join("a.vxl"));
    let set = |x: i32| serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,20],"color":"#ff8000"}}}}"##)).unwrap();
    act(&mut editor, Action::ToggleRecording);
    assert!(!editor.would_lose(id), "nothing was recorded yet");
    run(&mut editor, set(3));
    save_as(&mut editor, id, &folder.path().join("a.vxl"));
    assert!(editor.would_lose(id));
    let asked = |editor: &mut Editor| {
        act(editor, Action::ToggleRecording);
        let Some(Request::ScriptPath(script)) = editor.take_requests().pop() else { panic!("a request") };
        script
    };
    let script = asked(&mut editor);
    assert_eq!((script.document, editor.active().unwrap().recorded()), (id, Some(1)), "until it is written");
    run(&mut editor, set(4));
    act(&mut editor, Action::WriteScript { path: folder.path().join("one.jsonl"), script });
    assert_eq!(editor.active().unwrap().recorded(), Some(2), "the second step is in no file");
    let script = asked(&mut editor);
    act(&mut editor, Action::WriteScript { path: folder.path().join("two.jsonl"), script });
    assert_eq!(editor.active().unwrap().recorded(), None);
    save_as(&mut editor, id, &folder.path().join("a.vxl"));
    assert!(!editor.would_lose(id));
    act(&mut editor, Action::ToggleRecording);
    run(&mut editor, set(5));
    act(&mut editor, Action::DropRecording(id));
    assert_eq!(editor.active().unwrap().recorded(), None);
    // The same steps on two maps are recordings of their own.
    let ids = [(); 2].map(|()| {
        let id = flat(&mut editor);
        act(&mut editor, Action::ToggleRecording);
        run(&mut editor, set(3));
        id
    });
    let script = asked(&mut editor);
    act(&mut editor, Action::WriteScript { path: folder.path().join("three.jsonl"), script });
    assert_eq!(ids.map(|id| editor.document(id).unwrap().recorded()), [Some(1), None]);
}
