//! A worker that ends with an internal error takes neither the window nor the map with it, and says so.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use egui::accesskit::Role;
use glam::IVec3;
use spadework::document::{Combine, SymmetryKind};
use spadework::edit::{Command, Mode, ops};
use spadework::editor::crash;
use spadework::editor::recovery::find_leftovers;
use spadework::editor::settings::Settings;
use spadework::editor::storage::{FileInfo, FileLock, FileWriter, RealStorage, Storage, StorageError, TempFile};
use spadework::editor::{Action, Editor, EditorConfig, JobInfo, JobMode, SaveOrder};
use spadework::format::Source;
use spadework::geom::Region;
use spadework::ui::Dialog;
use spadework::voxel::Rgb;

use spadework_gui_tests::{Window, flat, write_vxl};

/// The real files, where reading and writing maps panics, or writing them waits or fails, as long as it is told to.
#[derive(Clone, Debug, Default)]
struct Faults {
    panics: Arc<AtomicBool>,
    fails: Arc<AtomicBool>,
    /// While somebody writes it, maps wait.
    gate: Arc<RwLock<()>>,
}

impl Faults {
    fn may_panic(&self, path: &Path) {
        let is_map = path.extension().is_some_and(|end| end == "vxl");
        assert!(!is_map || !self.panics.load(Ordering::Relaxed), "on purpose");
    }
}

impl Storage for Faults {
    fn info(&self, path: &Path) -> Result<FileInfo, StorageError> {
        RealStorage.info(path)
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>, StorageError> {
        self.may_panic(path);
        RealStorage.open(path)
    }

    fn create_temp(&self, target: &Path) -> Result<TempFile, StorageError> {
        if target.extension().is_some_and(|end| end == "vxl") {
            drop(self.gate.read());
            if self.fails.load(Ordering::Relaxed) {
                return RealStorage.create_temp(Path::new("/no such folder/a.vxl"));
            }
        }
        self.may_panic(target);
        RealStorage.create_temp(target)
    }

    fn is_abandoned_temp(&self, path: &Path) -> bool {
        RealStorage.is_abandoned_temp(path)
    }

    fn append(&self, path: &Path) -> Result<Box<dyn FileWriter>, StorageError> {
        RealStorage.append(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        RealStorage.rename(from, to)
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        RealStorage.rename_new(from, to)
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        RealStorage.remove(path)
    }

    fn list(&self, folder: &Path) -> Result<Vec<PathBuf>, StorageError> {
        RealStorage.list(folder)
    }

    fn make_folder(&self, folder: &Path) -> Result<(), StorageError> {
        RealStorage.make_folder(folder)
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        RealStorage.sync_folder(folder)
    }

    fn resolve(&self, path: &Path) -> Result<PathBuf, StorageError> {
        RealStorage.resolve(path)
    }

    fn check_writable(&self, path: &Path) -> Result<(), StorageError> {
        RealStorage.check_writable(path)
    }

    fn lock(&self, path: &Path) -> Result<Option<FileLock>, StorageError> {
        RealStorage.lock(path)
    }

    fn holds(&self, lock: &FileLock, path: &Path) -> bool {
        RealStorage.holds(lock, path)
    }
}

#[test]
fn a_worker_that_panics_leaves_the_window_and_the_map_as_they_were() -> io::Result<()> {
    let Some(mut window) = Window::empty() else { return Ok(()) };
    let faults = Faults::default();
    window.app_mut().editor = Editor::new(EditorConfig {
        storage: Arc::new(faults.clone()),
        jobs: JobMode::Inline,
        waker: Arc::new(|| ()),
        journal_folder: None,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    });
    let [map, other] = ["fort.vxl", "other.vxl"].map(|name| window.file(name));
    write_vxl(&map);
    write_vxl(&other);
    window.act(Action::Open(map.clone()));
    let tower = |edge: i32| {
        let region = Region::of_size(IVec3::new(edge, edge, 64));
        Action::Edit(Command::Fill(ops::Fill { region, color: Rgb::new(200, 10, 10), mode: Mode::Set }))
    };
    window.act(tower(2));
    window.act(tower(3));
    let before = window.map().document().clone();
    let on_disk = std::fs::read(&map)?;
    faults.panics.store(true, Ordering::Relaxed);

    // Opening another map, and saving this one.
    window.act(Action::Open(other.clone()));
    assert!(window.sees_part("an internal error stopped the work: on purpose"));
    window.press("Escape");
    assert!(!window.sees_part("an internal error stopped the work: on purpose"));
    window.press("Ctrl+S");
    assert!(window.sees_part("an internal error stopped the work: on purpose"));
    assert_eq!(window.app().editor.documents().len(), 1);
    assert!(window.steps() == 2 && window.map().is_modified() && !window.map().is_busy());
    assert!(window.map().document().store().same_voxels(before.store()));
    assert_eq!(std::fs::read(&map)?, on_disk);

    // All goes on.
    window.act(Action::Undo);
    window.act(Action::Redo);
    window.act(tower(4));
    assert_eq!(window.steps(), 3);
    faults.panics.store(false, Ordering::Relaxed);
    window.press("Ctrl+S");
    assert!(!window.map().is_modified() && std::fs::read(&map)? != on_disk, "{:?}", window.app().editor.messages());
    window.act(Action::Open(other));
    assert_eq!(window.app().editor.documents().len(), 2);
    Ok(())
}

/// As long as it lives, internal errors are written down.
struct Reports;

impl Drop for Reports {
    fn drop(&mut self) {
        // A thread that panics may not; then the process ends soon.
        if !std::thread::panicking() {
            drop(std::panic::take_hook());
        }
    }
}

#[test]
fn a_worker_thread_that_panics_leaves_a_report_and_the_steps_are_kept_as_ever() -> io::Result<()> {
    let Some(mut window) = Window::empty() else { return Ok(()) };
    let (faults, [journals, folder]) = (Faults::default(), ["journals", "reports"].map(|name| window.file(name)));
    crash::install(Some(folder.clone()), |_| ());
    let _reports = Reports;
    window.app_mut().editor = Editor::new(EditorConfig {
        storage: Arc::new(faults.clone()),
        jobs: JobMode::Threads,
        waker: Arc::new(|| ()),
        journal_folder: Some(journals.clone()),
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    });
    let [map, other] = ["fort.vxl", "other.vxl"].map(|name| window.file(name));
    write_vxl(&map);
    write_vxl(&other);
    window.act(Action::Open(map));
    let tower = |edge: i32| {
        let region = Region::of_size(IVec3::new(edge, edge, 64));
        Action::Edit(Command::Fill(ops::Fill { region, color: Rgb::new(200, 10, 10), mode: Mode::Set }))
    };
    window.act(tower(2));
    faults.panics.store(true, Ordering::Relaxed);
    // What is asked for while the worker panics waits for nothing.
    window.app_mut().editor.act(Action::Open(other));
    window.act(tower(3));
    assert!(window.sees_part("an internal error stopped the work: on purpose"));
    window.act(tower(4));
    let begun = std::time::Instant::now();
    while window.map().journalled() != Some((3, 3)) {
        assert!(begun.elapsed().as_secs() < 60, "{:?}", window.map().journalled());
        std::thread::yield_now();
    }
    // Other tests of this process may leave some, too.
    let texts = crash::reports(&RealStorage, &folder).into_iter().map(std::fs::read_to_string).collect::<io::Result<Vec<_>>>()?;
    let told = texts.iter().find(|text| text.contains("thread: Opening\n")).expect("no report of the worker");
    assert!(told.contains("message: on purpose\n") && told.contains("faults.rs"), "{told}");
    assert!(crash::home().is_none_or(|home| home == Path::new("/") || !told.contains(&*home.to_string_lossy())), "{told}");
    // As after a kill.
    window.app_mut().editor = Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs: JobMode::Inline,
        waker: Arc::new(|| ()),
        journal_folder: None,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    });
    let found = find_leftovers(&RealStorage, &journals).recoverable;
    assert!(found.len() == 1 && found[0].steps == 3, "{found:?}");
    Ok(())
}

/// A window with a new map, and a save of it to that file that waits as long as the gate is held.
fn saving_on(faults: &Faults) -> Option<(Window, PathBuf)> {
    let mut window = Window::empty()?;
    window.app_mut().editor = Editor::new(EditorConfig {
        storage: Arc::new(faults.clone()),
        jobs: JobMode::Threads,
        waker: Arc::new(|| ()),
        journal_folder: None,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    });
    window.act(Action::New(flat()));
    assert!(!window.map().is_modified());
    let (id, path) = (window.map().id(), window.file("kept.vxl"));
    window.app_mut().editor.act(Action::SaveAs(SaveOrder::new(id).with_path(path.clone())));
    Some((window, path))
}

#[test]
fn quitting_and_closing_wait_for_a_save_that_runs_and_stay_where_it_fails() {
    for (keys, fails) in [("Ctrl+Q", false), ("Ctrl+W", false), ("Ctrl+Q", true), ("Ctrl+W", true)] {
        let faults = Faults::default();
        let held = faults.gate.write().unwrap();
        let Some((mut window, path)) = saving_on(&faults) else { return };
        window.press_amid_jobs(keys);
        assert!(window.map().is_saving() && !window.app().shell.quitting && !path.exists(), "{keys}");
        faults.fails.store(fails, Ordering::Relaxed);
        drop(held);
        window.settle();
        assert_eq!(path.exists(), !fails, "{keys}");
        assert_eq!(window.app().shell.quitting, keys == "Ctrl+Q" && !fails, "{keys}");
        assert_eq!(window.app().editor.documents().len(), usize::from(fails), "{keys}");
    }
}

#[test]
fn what_is_edited_while_a_save_runs_is_asked_about_and_the_save_of_a_map_that_was_closed_is_waited_for() {
    let faults = Faults::default();
    let held = faults.gate.write().unwrap();
    let Some((mut window, path)) = saving_on(&faults) else { return };
    window.press_amid_jobs("Ctrl+Q");
    let region = Region::of_size(IVec3::new(2, 2, 64));
    window.app_mut().editor.act(Action::Edit(Command::Fill(ops::Fill { region, color: Rgb::new(200, 10, 10), mode: Mode::Set })));
    drop(held);
    window.settle();
    assert!(path.exists() && window.map().is_modified() && !window.app().shell.quitting);
    // Closed without saving what came after the save, it is saved all the same.
    std::fs::remove_file(&path).unwrap();
    let held = faults.gate.write().unwrap();
    let id = window.map().id();
    window.app_mut().editor.act(Action::SaveAs(SaveOrder::new(id).with_overwrite_agreed()));
    // What came after the save began is in no file.
    let region = Region::of_size(IVec3::new(3, 3, 64));
    window.app_mut().editor.act(Action::Edit(Command::Fill(ops::Fill { region, color: Rgb::new(10, 200, 10), mode: Mode::Set })));
    window.press_amid_jobs("Ctrl+Q");
    window.click_amid_jobs("Close without saving");
    assert!(window.app().editor.documents().is_empty() && !window.app().shell.quitting);
    drop(held);
    window.settle();
    assert!(path.exists() && window.app().shell.quitting);
}

#[test]
fn edits_that_are_being_written_are_not_asked_about_and_whoever_does_not_wait_finds_them_at_the_next_start() {
    for answers in [vec!["Wait"], vec!["Wait", "Close all the same"]] {
        let faults = Faults::default();
        let Some((mut window, path)) = saving_on(&faults) else { return };
        window.settle();
        let held = faults.gate.write().unwrap();
        let region = Region::of_size(IVec3::new(2, 2, 64));
        window.app_mut().editor.act(Action::Edit(Command::Fill(ops::Fill { region, color: Rgb::new(200, 10, 10), mode: Mode::Set })));
        let before = std::fs::read(&path).unwrap();
        window.app_mut().editor.act(Action::Save);
        window.press_amid_jobs("Ctrl+Q");
        assert!(window.app().shell.dialog.is_none() && !window.app().shell.quitting && window.map().is_modified());
        for answer in &answers {
            // However often it is asked, it is one question.
            (0..3).for_each(|_| window.ask_to_close());
            assert!(matches!(window.app().shell.dialog, Some(Dialog::StillWriting)), "{answer}");
            window.click_amid_jobs(answer);
            assert!(window.app().shell.dialog.is_none(), "{answer}");
        }
        let waits = answers.len() == 1;
        // What it was to hold is closed by nobody, so that its journal stays.
        assert_eq!((window.app().shell.quitting, window.app().editor.documents().len()), (!waits, 1));
        assert!(std::fs::read(&path).unwrap() == before);
        drop(held);
        if waits {
            window.settle();
            assert!(window.app().shell.quitting && std::fs::read(&path).unwrap() != before);
        }
    }
}

#[test]
fn what_is_edited_while_a_save_runs_is_saved_too_before_the_map_closes_and_a_selection_is_nothing_to_ask_about() {
    for is_edited in [false, true] {
        let faults = Faults::default();
        let held = faults.gate.write().unwrap();
        let Some((mut window, path)) = saving_on(&faults) else { return };
        let region = Region::of_size(IVec3::new(2, 2, 64));
        let editor = &mut window.app_mut().editor;
        editor.act(Action::Edit(Command::Select(ops::Select { region: Some(region), combine: Combine::Replace })));
        if is_edited {
            editor.act(Action::Edit(Command::Fill(ops::Fill { region, color: Rgb::new(200, 10, 10), mode: Mode::Set })));
        }
        window.press_amid_jobs("Ctrl+Q");
        assert_eq!(window.sees_part("Save your edits"), is_edited);
        if is_edited {
            window.click_amid_jobs("Save and close");
        }
        assert!(!window.app().shell.quitting);
        drop(held);
        window.settle();
        assert!(window.app().shell.quitting && window.app().editor.documents().is_empty(), "{is_edited}");
        window.app_mut().editor.act(Action::Open(path));
        window.settle();
        let corner = window.map().document().store().voxel(IVec3::new(0, 0, 10));
        assert_eq!(corner.is_some(), is_edited);
    }
}

#[test]
fn a_recording_is_asked_for_its_file_though_the_save_that_runs_has_all_else() {
    let faults = Faults::default();
    let held = faults.gate.write().unwrap();
    let Some((mut window, path)) = saving_on(&faults) else { return };
    let region = Region::of_size(IVec3::new(2, 2, 64));
    let editor = &mut window.app_mut().editor;
    editor.act(Action::ToggleRecording);
    editor.act(Action::Edit(Command::Select(ops::Select { region: Some(region), combine: Combine::Replace })));
    window.press_amid_jobs("Ctrl+Q");
    assert!(window.sees_part("The recorded step of "));
    window.click_amid_jobs("Save and close");
    let script = path.with_file_name("steps.jsonl");
    window.dialogs.answer(spadework::ui::FileAnswer::Chosen(script.clone()));
    assert!(!window.app().shell.quitting);
    drop(held);
    window.settle();
    assert!(script.exists() && window.app().shell.quitting && window.app().editor.documents().is_empty());
}

#[test]
fn what_runs_lies_over_nothing_else_in_the_status_bar() {
    let faults = Faults::default();
    let held = faults.gate.write().unwrap();
    let Some((mut window, _)) = saving_on(&faults) else { return };
    let region = Some(Region::of_size(IVec3::new(60, 60, 40)));
    let symmetry = ops::SetSymmetry::switched(&window.map().document().symmetry, SymmetryKind::Turn180);
    for command in [Command::Select(ops::Select { region, ..Default::default() }), Command::SetSymmetry(symmetry)] {
        window.app_mut().editor.act(Action::Edit(command));
    }
    while !window.app().editor.shown_jobs().all(JobInfo::takes_long) {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    window.press_amid_jobs("T");
    let texts = window.texts_below(window.rect_of(Role::Label, "Saving kept.vxl").unwrap().min.y - 5.0);
    assert!(texts.iter().any(|(_, text)| text.starts_with("rotate 180°")), "{texts:?}");
    for (at, (rect, text)) in texts.iter().enumerate() {
        for (other_rect, other) in &texts[at + 1..] {
            assert!(rect.intersect(*other_rect).width() < 1.0, "{text:?} and {other:?} lie over each other");
        }
    }
    drop(held);
    window.settle();
}
