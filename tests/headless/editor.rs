//! The application without a face: what a person does in the window, done by the same actions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::IVec3;
use spadework::document::{Anchor, Object, Property, Team};
use spadework::edit::{Command, Mode, ops};
use spadework::editor::problem_report::PartKind;
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, ExportOrder, JobMode, Message, NewMap, Request, SaveOrder};
use spadework::geom::{ColumnRect, Region};
use spadework::terrain::Params;
use spadework::voxel::{Rgb, Store};

pub const RED: Rgb = Rgb::new(200, 10, 10);

pub fn editor_with(jobs: JobMode, journal_folder: Option<PathBuf>) -> Editor {
    Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs,
        waker: Arc::new(|| {}),
        journal_folder,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    })
}

pub fn editor() -> Editor {
    editor_with(JobMode::Inline, None)
}

/// One that keeps earlier versions there.
pub fn editor_keeping(versions: PathBuf) -> Editor {
    Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs: JobMode::Inline,
        waker: Arc::new(|| {}),
        journal_folder: None,
        versions_folder: Some(versions),
        settings_file: None,
        settings: Settings::default(),
    })
}

pub fn act(editor: &mut Editor, action: Action) {
    editor.act(action);
    editor.finish_jobs();
}

pub fn run(editor: &mut Editor, command: Command) {
    act(editor, Action::Edit(command));
}

fn save_as(editor: &mut Editor, path: &Path) {
    let id = editor.active().unwrap().id();
    act(editor, Action::SaveAs(SaveOrder::new(id).with_path(path.to_owned())));
}

/// A small flat map in a file.
pub fn flat_map(folder: &Path) -> PathBuf {
    let mut editor = editor();
    let params = Params { size: IVec3::new(64, 64, 64), seed: 3, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let path = folder.join("flat.vxl");
    save_as(&mut editor, &path);
    assert_eq!(errors(&editor), Vec::<String>::new());
    path
}

pub fn errors(editor: &Editor) -> Vec<String> {
    editor.messages().iter().filter(|message| message.is_error).map(|message| message.text.clone()).collect()
}

pub fn store(editor: &Editor) -> Store {
    editor.active().unwrap().document().store().clone()
}

pub fn top(editor: &Editor, x: i32, y: i32) -> IVec3 {
    IVec3::new(x, y, store(editor).ground(x, y, 0).unwrap())
}

pub fn paint(at: IVec3) -> Command {
    Command::Set(ops::Set { at, color: RED })
}

#[test]
fn a_map_is_opened_painted_given_spawns_saved_and_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let mut first = editor();
    act(&mut first, Action::Open(path.clone()));
    let at = top(&first, 20, 30);
    run(&mut first, paint(at));
    for (team, x) in [(Team::Blue, 4), (Team::Green, 40)] {
        run(&mut first, Command::Spawn(ops::Spawn { team, region: ColumnRect::new([x, 10], [x + 8, 20]), z: 0, replace: false }));
    }
    run(&mut first, Command::SetProperty(ops::SetProperty(Property::Name(Some("Test 'map' \\ \"x\"".into())))));
    assert!(first.active().unwrap().is_modified());
    act(&mut first, Action::Save);
    assert_eq!(errors(&first), Vec::<String>::new());
    assert!(!first.active().unwrap().is_modified());
    assert!(folder.path().join("flat.txt").exists(), "a spawn region makes the sidecar");

    let mut second = editor();
    act(&mut second, Action::Open(path));
    let document = second.active().unwrap().document();
    assert_eq!(document.store().paint(at).unwrap().rgb, RED);
    assert_eq!(document.objects.spawns(Team::Blue).count(), 1);
    assert_eq!(document.objects.spawns(Team::Green).count(), 1);
    assert_eq!(document.metadata.name.as_deref(), Some("Test 'map' \\ \"x\""));
}

#[test]
fn saving_an_unedited_map_and_an_edit_that_was_undone_keeps_every_byte() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let before = std::fs::read(&path).unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(path.clone()));
    let at = top(&editor, 5, 5);
    run(&mut editor, Command::Remove(ops::Remove { at }));
    act(&mut editor, Action::Save);
    assert_ne!(std::fs::read(&path).unwrap(), before);
    act(&mut editor, Action::Undo);
    act(&mut editor, Action::Save);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no sidecar and no temporary file is left");
}

#[test]
fn commands_keep_their_order_while_a_large_one_is_planned_by_a_worker() {
    let mut editor = editor_with(JobMode::Threads, None);
    act(
        &mut editor,
        Action::New(NewMap {
            generator: "flat".into(),
            params: Params { size: IVec3::new(256, 256, 64), seed: 1, values: Default::default() },
        }),
    );
    let before = store(&editor);
    let whole = Region::new(IVec3::new(0, 0, 40), IVec3::new(256, 256, 62));
    editor.execute(Command::Fill(ops::Fill { region: whole, color: Rgb::new(1, 2, 3), mode: Mode::Set }));
    let at = IVec3::new(9, 9, 40);
    editor.execute(paint(at));
    assert!(editor.active().unwrap().is_busy(), "the large one is with a worker, the small one waits");
    editor.finish_jobs();
    let labels: Vec<_> = editor.active().unwrap().history().entries().map(|entry| entry.label).collect();
    assert_eq!(labels.len(), 2);
    assert_eq!(store(&editor).paint(at).unwrap().rgb, RED, "painted after the fill");
    act(&mut editor, Action::JumpTo(0));
    assert!(store(&editor).same_voxels(&before));
}

#[test]
fn steps_are_jumped_to_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(flat_map(folder.path())));
    let stages: Vec<_> = (0..4)
        .map(|x| {
            let stage = store(&editor);
            let at = top(&editor, x, 0);
            run(&mut editor, paint(at));
            stage
        })
        .collect();
    let last = store(&editor);
    for (steps, stage) in stages.iter().enumerate().rev() {
        act(&mut editor, Action::JumpTo(steps));
        assert!(store(&editor).same_voxels(stage));
    }
    act(&mut editor, Action::JumpTo(4));
    assert!(store(&editor).same_voxels(&last));
}

#[test]
fn bad_files_are_told_and_leave_what_is_open_alone() {
    let folder = tempfile::tempdir().unwrap();
    let good = flat_map(folder.path());
    let bytes = std::fs::read(&good).unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(good));
    let at = top(&editor, 1, 1);
    run(&mut editor, paint(at));
    let kept = store(&editor);
    let bad: [(&str, &[u8]); 4] = [
        ("empty.vxl", b""),
        ("cut.vxl", &bytes[..bytes.len() / 2 - 3]),
        ("noise.vxl", b"not a map at all, just text"),
        ("x.vmf", &[7; 100]),
    ];
    for (name, content) in bad {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let told = errors(&editor).len();
        act(&mut editor, Action::Open(path));
        let mut news = errors(&editor).split_off(told);
        // What can be read in part is asked about instead.
        news.extend(editor.take_requests().into_iter().map(|request| match request {
            Request::OpenDamaged { reason, .. } => reason,
            other => panic!("{name}: {other:?}"),
        }));
        assert_eq!(news.len(), 1, "{name}");
        assert!(news[0].contains(name), "{name}: {}", news[0]);
    }
    let told = errors(&editor).len();
    act(&mut editor, Action::Open(folder.path().join("missing.vxl")));
    act(&mut editor, Action::Open(folder.path().to_owned()));
    assert_eq!(errors(&editor).len(), told + 2);
    assert_eq!(editor.documents().len(), 1);
    assert!(store(&editor).same_voxels(&kept));
}

#[test]
fn a_file_that_somebody_else_changed_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let mut editor = editor();
    act(&mut editor, Action::Open(path.clone()));
    let at = top(&editor, 7, 7);
    run(&mut editor, paint(at));
    let mut theirs = std::fs::read(&path).unwrap();
    theirs.truncate(100);
    std::fs::write(&path, &theirs).unwrap();
    act(&mut editor, Action::Save);
    let Some(Request::ConfirmOverwrite { order, .. }) = editor.take_requests().pop() else { panic!("not asked") };
    assert_eq!(std::fs::read(&path).unwrap(), theirs, "nothing was written");
    act(&mut editor, Action::SaveAs(order.with_overwrite_agreed()));
    assert_eq!(errors(&editor), Vec::<String>::new());
    assert!(std::fs::read(&path).unwrap().len() > 100);
}

#[test]
fn an_answer_counts_for_the_files_that_were_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let script = path.with_extension("txt");
    std::fs::write(&script, "name = 'a'\n").unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(path.clone()));
    let at = top(&editor, 7, 7);
    run(&mut editor, paint(at));
    let opened = std::fs::read(&path).unwrap();
    let asked = |editor: &mut Editor| match editor.take_requests().pop() {
        Some(Request::ConfirmOverwrite { order, .. }) => order,
        _ => panic!("not asked"),
    };
    // It is gone, and comes back as something else while the question stands.
    std::fs::remove_file(&path).unwrap();
    act(&mut editor, Action::Save);
    let order = asked(&mut editor);
    std::fs::write(&path, b"theirs").unwrap();
    act(&mut editor, Action::SaveAs(order.with_overwrite_agreed()));
    assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
    // The next question is about that, and another file changes meanwhile.
    let order = asked(&mut editor);
    std::fs::write(&script, "name = 'theirs'\n").unwrap();
    let name = Command::SetProperty(ops::SetProperty(Property::Name(Some("ours".into()))));
    run(&mut editor, name);
    act(&mut editor, Action::SaveAs(order.with_overwrite_agreed()));
    assert_eq!(
        (std::fs::read(&path).unwrap(), std::fs::read_to_string(&script).unwrap()),
        (b"theirs".to_vec(), "name = 'theirs'\n".into())
    );
    let order = asked(&mut editor);
    // As it was when the map was opened nobody needs to agree to it.
    std::fs::write(&path, &opened).unwrap();
    act(&mut editor, Action::SaveAs(order.with_overwrite_agreed()));
    assert_eq!(errors(&editor), Vec::<String>::new());
    assert!(std::fs::read_to_string(&script).unwrap().contains("ours") && !editor.active().unwrap().is_modified());
}

#[test]
fn an_export_replaces_only_the_file_that_was_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(flat_map(folder.path())));
    let document = editor.active().unwrap().id();
    let path = folder.path().join("flat.vox");
    std::fs::write(&path, b"mine").unwrap();
    let order =
        ExportOrder { document, export: "vox", options: Default::default(), path: path.clone(), overwrite_agreed: false, asked: None };
    act(&mut editor, Action::Export(order));
    for theirs in ["theirs, a little longer", "once more"] {
        let Some(Request::ConfirmExport { order, .. }) = editor.take_requests().pop() else { panic!("not asked") };
        std::fs::write(&path, theirs).unwrap();
        act(&mut editor, Action::Export(ExportOrder { overwrite_agreed: true, ..order }));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
    }
    // Where nothing is any more, nothing is replaced.
    let Some(Request::ConfirmExport { order, .. }) = editor.take_requests().pop() else { panic!("not asked") };
    std::fs::remove_file(&path).unwrap();
    act(&mut editor, Action::Export(ExportOrder { overwrite_agreed: true, ..order }));
    assert_eq!(errors(&editor), Vec::<String>::new());
    assert!(std::fs::read(&path).unwrap().starts_with(b"VOX "));
}

#[test]
fn a_new_map_asks_where_to_be_saved() {
    let mut editor = editor();
    act(
        &mut editor,
        Action::New(NewMap {
            generator: "ocean".into(),
            params: Params { size: IVec3::new(32, 32, 64), seed: 0, values: Default::default() },
        }),
    );
    act(&mut editor, Action::Save);
    assert!(matches!(editor.take_requests().as_slice(), [Request::SavePath(_)]));
}

#[test]
fn selection_goes_by_copy_paste_nudge_and_delete() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(flat_map(folder.path())));
    let ground = top(&editor, 10, 10).z;
    let tower = Region::new(IVec3::new(10, 10, ground - 3), IVec3::new(12, 12, ground));
    run(&mut editor, Command::Fill(ops::Fill { region: tower, color: RED, mode: Mode::Set }));
    run(&mut editor, Command::Select(ops::Select { region: Some(tower), ..Default::default() }));
    act(&mut editor, Action::Nudge(IVec3::new(5, 0, 0)));
    assert!(!store(&editor).is_solid(tower.min()) && store(&editor).is_solid(tower.min() + IVec3::X * 5));
    act(&mut editor, Action::Copy);
    act(&mut editor, Action::Nudge(IVec3::new(0, 7, 0)));
    act(&mut editor, Action::Deselect);
    act(&mut editor, Action::Paste);
    act(&mut editor, Action::Confirm);
    let places = [IVec3::new(5, 0, 0), IVec3::new(5, 7, 0)];
    assert!(places.iter().all(|by| store(&editor).is_solid(tower.min() + *by)), "moved and pasted");
    act(&mut editor, Action::Delete);
    assert!(!store(&editor).is_solid(tower.min() + places[0]), "what was pasted is selected");
    assert_eq!(errors(&editor), Vec::<String>::new());
}

#[test]
fn an_answer_about_one_map_is_never_carried_out_on_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let other = folder.path().join("other.vxl");
    std::fs::copy(&path, &other).unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(path.clone()));
    let at = top(&editor, 7, 7);
    run(&mut editor, paint(at));
    std::fs::write(&path, b"theirs").unwrap();
    act(&mut editor, Action::Save);
    act(&mut editor, Action::Open(other.clone()));
    run(&mut editor, Command::Remove(ops::Remove { at }));
    let Some(Request::ConfirmOverwrite { order, .. }) = editor.take_requests().pop() else { panic!("not asked") };
    act(&mut editor, Action::SaveAs(order.with_overwrite_agreed()));
    assert_eq!(errors(&editor), Vec::<String>::new());
    assert!(editor.active().unwrap().is_modified(), "the map in front was not saved");
    let mut check = self::editor();
    act(&mut check, Action::Open(path));
    assert_eq!(store(&check).paint(at).unwrap().rgb, RED);
}

#[test]
fn losing_something_and_replacing_a_file_are_asked_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let taken = folder.path().join("taken.vxl");
    std::fs::write(&taken, b"theirs").unwrap();
    // A script by hand, whose spawns cannot be edited in place.
    std::fs::write(folder.path().join("flat.txt"), "name = 'a'\ndef get_spawn_location(connection):\n    return random_place()\n").unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(path));
    run(&mut editor, Command::Spawn(ops::Spawn { team: Team::Blue, region: ColumnRect::new([1, 1], [9, 9]), z: 0, replace: false }));
    save_as(&mut editor, &taken);
    let Some(Request::ConfirmLoss { order, report }) = editor.take_requests().pop() else { panic!("{:?}", errors(&editor)) };
    assert!(report.warnings.iter().any(|warning| warning.message.contains("line 3")), "{report:?}");
    act(&mut editor, Action::SaveAs(order.with_loss_agreed()));
    let Some(Request::ConfirmOverwrite { order, .. }) = editor.take_requests().pop() else { panic!("{:?}", errors(&editor)) };
    assert_eq!(std::fs::read(&taken).unwrap(), b"theirs");
    act(&mut editor, Action::SaveAs(order.with_overwrite_agreed()));
    assert_eq!(errors(&editor), Vec::<String>::new());
    assert!(!editor.active().unwrap().is_modified());
}

#[test]
fn a_loss_is_asked_about_once_for_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let script = "name = 'a'\ndef get_spawn_location(connection):\n    return random_place()\n";
    std::fs::write(path.with_extension("txt"), script).unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(path));
    run(&mut editor, Command::Spawn(ops::Spawn { team: Team::Blue, region: ColumnRect::new([1, 1], [9, 9]), z: 0, replace: false }));
    act(&mut editor, Action::Save);
    let Some(Request::ConfirmLoss { order, .. }) = editor.take_requests().pop() else { panic!("{:?}", errors(&editor)) };
    act(&mut editor, Action::SaveAs(order.with_loss_agreed()));
    assert!(!editor.active().unwrap().is_modified());
    run(&mut editor, Command::Remove(ops::Remove { at: IVec3::new(3, 3, 62) }));
    act(&mut editor, Action::Save);
    assert_eq!(editor.take_requests(), vec![], "the same loss was asked about again");
    assert!(!editor.active().unwrap().is_modified());
    let told = editor.messages().last().unwrap();
    assert!(told.detail.as_deref().is_some_and(|detail| detail.contains("flat.txt")), "but it is told: {told:?}");
    let text = std::fs::read_to_string(folder.path().join("flat.txt")).unwrap();
    assert_eq!(text, script);
}

#[test]
fn an_edit_among_what_a_file_has_no_place_for_is_asked_about_each_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(flat_map(folder.path())));
    let level = folder.path().join("level.yml");
    save_as(&mut editor, &level);
    let Some(Request::ConfirmLoss { order, .. }) = editor.take_requests().pop() else { panic!("{:?}", errors(&editor)) };
    act(&mut editor, Action::SaveAs(order.with_loss_agreed()));
    act(&mut editor, Action::Open(level));
    let bounds = editor.active().unwrap().document().bounds();
    let region = Region::new(bounds.min() - 2 * IVec3::Z, bounds.max());
    run(&mut editor, Command::Resize(ops::Resize { region }));
    // Over the floor.
    run(&mut editor, paint(IVec3::new(3, 3, 0)));
    act(&mut editor, Action::Save);
    let Some(Request::ConfirmLoss { order, .. }) = editor.take_requests().pop() else { panic!("{:?}", errors(&editor)) };
    act(&mut editor, Action::SaveAs(order.with_loss_agreed()));
    assert!(!editor.active().unwrap().is_modified());
    act(&mut editor, Action::Save);
    assert_eq!(editor.take_requests(), vec![], "nothing was done since");
    // As many voxels as before are left out, but another one.
    run(&mut editor, Command::Remove(ops::Remove { at: IVec3::new(3, 3, 0) }));
    run(&mut editor, paint(IVec3::new(4, 3, 0)));
    act(&mut editor, Action::Save);
    assert!(matches!(editor.take_requests()[..], [Request::ConfirmLoss { .. }]), "{:?}", errors(&editor));
    assert!(editor.active().unwrap().is_modified(), "the edit is in no file");
}

#[test]
fn opening_a_file_takes_the_place_of_the_untouched_starter_map_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let mut editor = editor();
    act(&mut editor, Action::New(NewMap::starter()));
    act(&mut editor, Action::Open(path.clone()));
    assert_eq!(editor.documents().len(), 1, "the starter map made room");
    let params = Params { size: IVec3::new(32, 32, 64), seed: 0, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let second = folder.path().join("second.vxl");
    std::fs::copy(&path, &second).unwrap();
    act(&mut editor, Action::Open(second.clone()));
    assert_eq!(editor.documents().len(), 3, "a map that somebody asked for stays");
    assert_eq!(editor.settings.recent_files.len(), 2);
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::Close(id));
    std::fs::remove_file(&second).unwrap();
    act(&mut editor, Action::Open(second));
    assert_eq!(editor.settings.recent_files.len(), 1, "a file that is gone is no recent one");
}

#[test]
fn a_sidecar_that_an_earlier_save_made_never_keeps_what_was_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let mut editor = editor();
    act(&mut editor, Action::Open(path.clone()));
    run(&mut editor, Command::Spawn(ops::Spawn { team: Team::Blue, region: ColumnRect::new([1, 1], [9, 9]), z: 0, replace: false }));
    act(&mut editor, Action::Save);
    act(&mut editor, Action::Undo);
    // Something that another sidecar holds, so that the map is not as it was opened.
    let marker = Object::Marker { label: "here".into(), at: Anchor { x: 1, y: 2, z: None }, role: Default::default(), volume: 0 };
    run(&mut editor, Command::AddObject(ops::AddObject(marker)));
    act(&mut editor, Action::Save);
    assert_eq!(errors(&editor), Vec::<String>::new());
    let mut second = self::editor();
    act(&mut second, Action::Open(path));
    assert_eq!(second.active().unwrap().document().objects.spawns(Team::Blue).count(), 0);
}

#[test]
fn undo_waits_for_the_command_that_a_worker_plans() {
    let mut editor = editor_with(JobMode::Threads, None);
    let params = Params { size: IVec3::new(256, 256, 64), seed: 1, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let at = top(&editor, 9, 9);
    run(&mut editor, paint(at));
    let painted = store(&editor);
    let whole = Region::new(IVec3::new(0, 0, 40), IVec3::new(256, 256, 62));
    editor.execute(Command::Fill(ops::Fill { region: whole, color: Rgb::new(1, 2, 3), mode: Mode::Set }));
    editor.act(Action::Undo);
    assert!(editor.active().unwrap().is_busy() && editor.has_unsaved());
    assert_eq!(editor.active().unwrap().history().head(), 1, "nothing is undone before the fill is done");
    editor.finish_jobs();
    assert!(store(&editor).same_voxels(&painted), "the fill was undone, not what came before it");
    assert_eq!(editor.active().unwrap().history().len(), 2);
}

#[test]
fn reverting_drops_what_is_being_planned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wide.vxl");
    let mut editor = editor_with(JobMode::Threads, None);
    let params = Params { size: IVec3::new(256, 256, 64), seed: 1, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path(path.clone()).with_loss_agreed()));
    let saved = store(&editor);
    let whole = Region::new(IVec3::new(0, 0, 40), IVec3::new(256, 256, 62));
    for blue in 0..9 {
        editor.execute(Command::Fill(ops::Fill { region: whole, color: Rgb::new(1, 2, blue), mode: Mode::Set }));
    }
    editor.act(Action::Revert);
    editor.act(Action::Save);
    editor.finish_jobs();
    assert_eq!(errors(&editor), Vec::<String>::new());
    let open = editor.active().unwrap();
    assert!(!open.is_busy() && !open.is_modified() && open.history().is_empty());
    assert!(store(&editor).same_voxels(&saved));
}

#[test]
fn steps_that_are_made_while_a_file_is_read_again_are_not_dropped() {
    let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = flat_map(folder.path());
    for is_large in [false, true] {
        let mut editor = editor_with(JobMode::Inline, Some(state.path().into()));
        act(&mut editor, Action::Open(path.clone()));
        let at = top(&editor, 9, 9);
        // The answer waits until jobs are looked at.
        editor.act(Action::Revert);
        if is_large {
            let whole = Region::new(IVec3::new(0, 0, 40), IVec3::new(64, 64, 62));
            editor.execute(Command::Fill(ops::Fill { region: whole, color: Rgb::new(1, 2, 3), mode: Mode::Set }));
            assert!(editor.active().unwrap().is_busy());
        } else {
            editor.execute(paint(at));
        }
        editor.finish_jobs();
        let open = editor.active().unwrap();
        assert!(open.history().head() == 1 && open.is_modified(), "{is_large}");
        assert!(editor.messages().iter().any(|told| told.text == "flat.vxl was changed meanwhile and was not read again"));
        // Asked for again, it is read.
        act(&mut editor, Action::Revert);
        let open = editor.active().unwrap();
        assert!(open.history().is_empty() && !open.is_modified(), "{is_large}");
    }
}

#[test]
fn a_journal_that_cannot_be_kept_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("blocked");
    std::fs::write(&blocked, b"a file where the folder should be").unwrap();
    let mut editor = editor_with(JobMode::Inline, Some(blocked));
    act(&mut editor, Action::New(NewMap::starter()));
    while errors(&editor).is_empty() {
        editor.pump();
        std::thread::yield_now();
    }
    editor.pump();
    assert_eq!(errors(&editor).len(), 1);
    assert!(errors(&editor)[0].contains("not kept for a crash"), "{:?}", errors(&editor));
}

#[test]
fn a_large_selection_is_cut_by_a_worker_and_deleted_once_it_is_copied() {
    let mut editor = editor_with(JobMode::Threads, None);
    let params = Params { size: IVec3::new(256, 256, 64), seed: 1, values: Default::default() };
    act(&mut editor, Action::New(NewMap { generator: "flat".into(), params }));
    let before = store(&editor);
    let whole = Region::new(IVec3::new(0, 0, 20), IVec3::new(256, 256, 63));
    run(&mut editor, Command::Select(ops::Select { region: Some(whole), ..Default::default() }));
    editor.act(Action::Cut);
    assert!(store(&editor).same_voxels(&before), "nothing is deleted before it is copied");
    editor.act(Action::Paste);
    assert!(editor.messages().last().unwrap().text.contains("still being copied"));
    editor.finish_jobs();
    let top = IVec3::new(9, 9, before.ground(9, 9, 0).unwrap());
    assert!(!store(&editor).is_solid(top));
    act(&mut editor, Action::Paste);
    act(&mut editor, Action::Confirm);
    assert_eq!(store(&editor).paint(top), before.paint(top));
    assert_eq!(errors(&editor), Vec::<String>::new());
}

#[test]
fn a_save_that_can_keep_no_earlier_version_says_so_until_it_is_put_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let versions = folder.path().join("versions");
    std::fs::write(&versions, b"in the way").unwrap();
    let mut editor = editor_keeping(versions.clone());
    act(&mut editor, Action::Open(path.clone()));
    for is_in_the_way in [true, false] {
        let at = top(&editor, 5, 5);
        run(&mut editor, paint(if is_in_the_way { at } else { at + IVec3::X }));
        act(&mut editor, Action::Save);
        let told = editor.messages().last().unwrap();
        assert_eq!(told.is_warning, is_in_the_way, "{told:?}");
        assert_eq!(told.text.contains("what was there before is not kept as an earlier version"), is_in_the_way, "{told:?}");
        assert!(!editor.active().unwrap().is_modified());
        std::fs::remove_file(&versions).ok();
    }
}

#[test]
fn an_earlier_version_opens_as_a_map_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let mut editor = editor_keeping(folder.path().join("versions"));
    act(&mut editor, Action::Open(path.clone()));
    let original = store(&editor);
    act(&mut editor, Action::FindVersions);
    assert!(editor.take_requests().is_empty() && editor.messages().last().unwrap().text.contains("no earlier versions"));
    let at = top(&editor, 5, 5);
    run(&mut editor, paint(at));
    act(&mut editor, Action::Save);
    act(&mut editor, Action::FindVersions);
    let Some(Request::Versions { name, versions }) = editor.take_requests().pop() else { panic!("no versions") };
    assert_eq!((name.as_str(), versions.len()), (path.file_name().unwrap().to_str().unwrap(), 1));
    act(&mut editor, Action::OpenVersion { version: versions[0].path.clone(), name: "old".into() });
    let open = editor.active().unwrap();
    assert!(open.path().is_none() && open.is_modified() && open.title() == "old");
    assert!(store(&editor).same_voxels(&original));
}

#[test]
fn an_earlier_version_is_read_as_the_map_was_and_what_is_wrong_with_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oblong.vxl");
    // As many columns as a square has.
    crate::cli::succeed(folder.path(), &["new", "oblong.vxl", "--size", "128x32x64"]);
    let mut editor = editor_keeping(folder.path().join("versions"));
    let beside = path.with_extension("toml");
    std::fs::write(&beside, "name = \"open\n").unwrap();
    act(&mut editor, Action::OpenSized(path.clone(), "128x32".into()));
    let original = store(&editor);
    let at = top(&editor, 5, 5);
    run(&mut editor, paint(at));
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path(path).with_loss_agreed().with_overwrite_agreed()));
    assert_eq!(errors(&editor), Vec::<String>::new());
    std::fs::remove_file(&beside).unwrap();
    act(&mut editor, Action::FindVersions);
    let Some(Request::Versions { versions, .. }) = editor.take_requests().pop() else { panic!("no versions") };
    act(&mut editor, Action::OpenVersion { version: versions[0].path.clone(), name: "old".into() });
    assert!(store(&editor).same_voxels(&original), "{:?}", editor.messages());
    let told = editor.messages().last().unwrap();
    assert!(told.text == "Opened old with remarks" && told.detail.as_ref().is_some_and(|detail| detail.contains(".toml")), "{told:?}");
    assert!(!editor.active().unwrap().report().warnings.is_empty());
}

#[test]
fn an_earlier_version_of_another_size_is_not_cut_to_that_of_the_map_in_front() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    for (name, size) in [("front.vxl", "128x64x64"), ("square.vxl", "128x128x64"), ("long.vxl", "128x96x64"), ("tall.vxl", "64x128x64")] {
        crate::cli::succeed(folder.path(), &["new", name, "--size", size]);
    }
    crate::cli::succeed(folder.path(), &["new", "kind.vmf", "--size", "64x64x64"]);
    let expected =
        [("square.vxl", [128, 128], false), ("long.vxl", [128, 64], true), ("tall.vxl", [128, 64], true), ("kind.vmf", [64, 64], false)];
    for (name, size, told) in expected {
        let mut editor = editor();
        act(&mut editor, Action::OpenSized(path("front.vxl"), "128x64".into()));
        act(&mut editor, Action::OpenVersion { version: path(name), name: "old".into() });
        let bounds = editor.active().unwrap().document().bounds();
        assert_eq!((editor.active().unwrap().title(), [bounds.size().x, bounds.size().y]), ("old".into(), size), "{name}");
        let is_told =
            |message: &Message| message.detail.as_ref().is_some_and(|detail| detail.contains("size of the map that was in front"));
        assert_eq!(editor.messages().iter().any(is_told), told, "{name}: {:?}", editor.messages());
    }
}

#[test]
fn settings_are_on_the_disk_and_closed_journals_gone_when_the_program_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let journals = folder.path().join("journals");
    let settings = folder.path().join("settings.yaml");
    let mut editor = Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs: JobMode::Threads,
        waker: Arc::new(|| {}),
        journal_folder: Some(journals.clone()),
        versions_folder: None,
        settings_file: Some(settings.clone()),
        settings: Settings::default(),
    });
    act(&mut editor, Action::Open(path.clone()));
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::Close(id));
    drop(editor);
    assert_eq!(Settings::load(&RealStorage, &settings).0.recent_files[0].0, path);
    assert_eq!(std::fs::read_dir(journals).unwrap().count(), 0);
}

#[test]
fn a_map_that_would_take_more_memory_than_allowed_is_not_made() {
    let mut editor = editor();
    editor.settings.memory.map_megabytes = 1;
    act(&mut editor, Action::New(NewMap::starter()));
    assert!(editor.active().is_none());
    assert!(errors(&editor)[0].contains("of memory, and 1 MB are allowed"), "{:?}", errors(&editor));
}

#[test]
fn a_map_without_spawns_has_none_after_it_was_a_vmf() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let vmf = folder.path().join("other.vmf");
    let mut first = editor();
    act(&mut first, Action::Open(path));
    let id = first.active().unwrap().id();
    act(&mut first, Action::SaveAs(SaveOrder::new(id).with_path(vmf.clone())));
    assert_eq!(errors(&first), Vec::<String>::new());

    let mut second = editor();
    act(&mut second, Action::Open(vmf));
    assert_eq!(errors(&second), Vec::<String>::new());
    assert_eq!(second.active().unwrap().document().objects.0.len(), 0, "the header's region is the server's default, not the map's");
}

#[test]
fn what_a_file_left_open_is_told_when_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let mut editor = editor();
    act(&mut editor, Action::Open(path));
    let told = editor.messages().iter().find(|message| message.text == "Opened flat.vxl with remarks").unwrap();
    assert!(told.detail.as_deref().unwrap().contains("64×64"), "{told:?}");
    assert!(!told.is_error);
}

#[test]
fn files_that_may_not_belong_together_are_a_warning_that_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    std::fs::write(folder.path().join(".flat.vxl.spadework-intent"), b"no record").unwrap();
    let mut editor = editor();
    act(&mut editor, Action::Open(path));
    let told = editor.messages().iter().find(|message| message.text == "Opened flat.vxl with remarks").unwrap();
    assert!(told.is_warning && told.detail.as_deref().unwrap().starts_with("The record of an interrupted save is damaged"), "{told:?}");

    let id = editor.active().unwrap().id();
    let at = top(&editor, 3, 3);
    run(&mut editor, paint(at));
    act(&mut editor, Action::SaveAs(SaveOrder::new(id)));
    let told = editor.messages().iter().find(|message| message.text == "Saved flat.vxl").unwrap();
    assert!(told.is_warning && told.detail.as_deref().unwrap().contains("record"), "{told:?}");
}

#[test]
fn a_map_saved_under_another_name_leaves_the_old_file_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let copy = folder.path().join("copy.vxl");
    let [mut first, mut second] = [(); 2].map(|()| editor_with(JobMode::Inline, Some(folder.path().join("journals"))));
    act(&mut first, Action::Open(path.clone()));
    save_as(&mut first, &copy);
    assert_eq!(errors(&first), Vec::<String>::new());
    let told = |editor: &mut Editor, path: &Path| {
        let before = editor.messages().len();
        act(editor, Action::Open(path.to_owned()));
        editor.messages()[before..].iter().any(|message| message.text.ends_with("is open in another Spadework, too"))
    };
    assert!(!told(&mut second, &path), "nobody has it any more");
    assert!(told(&mut second, &copy));
}

#[test]
fn a_report_holds_what_was_agreed_to_and_replaces_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut editor = editor_with(JobMode::Inline, Some(folder.path().join("journals")));
    act(&mut editor, Action::New(NewMap::starter()));
    run(&mut editor, serde_json::from_str(r##"{"set":{"at":[1,2,60],"color":"#ff8000"}}"##).unwrap());
    // The journal's thread writes at once, and nobody waits for it.
    let noted = |editor: &Editor| editor.active().unwrap().journalled().is_some_and(|(kept, all)| kept == all);
    while !noted(&editor) {
        std::thread::yield_now();
    }
    act(&mut editor, Action::PrepareReport { log: "a line\n".into() });
    let Some(Request::Report(parts)) = editor.take_requests().pop() else { panic!("a request") };
    let part = |kind| parts.iter().find(|part| part.kind == kind).unwrap_or_else(|| panic!("{kind:?} is missing"));
    assert_eq!(part(PartKind::Log).bytes, b"a line\n");
    assert!(part(PartKind::Findings).bytes.starts_with(b"version"));
    assert!(part(PartKind::Journal).bytes.windows(7).any(|bytes| bytes == b"ff8000\""));
    assert!(!PartKind::Journal.is_usual(), "a map goes along only if somebody says so");
    let path = folder.path().join("problem.tar");
    let chosen = [part(PartKind::Log).clone()];
    let mut write = || {
        act(&mut editor, Action::WriteReport { path: path.clone(), parts: chosen.clone().into() });
        (editor.messages().last().unwrap().text.clone(), std::fs::read(&path).unwrap())
    };
    let (told, tar) = write();
    assert_eq!(told, "Wrote problem.tar");
    assert!(tar.starts_with(b"log.txt\0") && tar.windows(7).any(|bytes| bytes == b"a line\n"));
    assert_eq!(write(), ("problem.tar exists already".to_owned(), tar));
}
