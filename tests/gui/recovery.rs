//! Maps that an earlier session left unsaved: named with their folders, put off, looked for again, and never discarded by one click.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::accesskit::Role;
use glam::IVec3;
use spadework::document::{Object, Team};
use spadework::edit::{Command, ops};
use spadework::editor::recovery::{MOST_HELD, find_leftovers};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, JobMode, SaveOrder};

use spadework_gui_tests::{Window, flat, write_vxl};

/// An editor that keeps its journals there.
fn editor_with(journals: &Path) -> Editor {
    Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs: JobMode::Inline,
        waker: Arc::new(|| ()),
        journal_folder: Some(journals.into()),
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    })
}

/// Maps of that name in folders of these names, each with a step that was never saved; the folder of all, and of the journals.
fn leave_unsaved(folders: &[&str]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let journals = folder.path().join("journals");
    for name in folders {
        let map = folder.path().join(name).join("fort.vxl");
        std::fs::create_dir(map.parent().unwrap()).unwrap();
        write_vxl(&map);
        let mut editor = editor_with(&journals);
        let step = Command::AddObject(ops::AddObject(Object::SpawnPoint { team: Team::Blue, at: IVec3::new(1, 2, 20) }));
        for action in [Action::Open(map), Action::Edit(step)] {
            editor.act(action);
            editor.finish_jobs();
        }
    }
    (folder, journals)
}

/// A window that has just looked for what was left.
fn started(journals: &Path) -> Option<Window> {
    let mut window = Window::with_journals(journals)?;
    window.app_mut().editor.find_leftovers();
    window.settle();
    Some(window)
}

fn seen(journals: &Path) -> usize {
    find_leftovers(&RealStorage, journals).recoverable.len()
}

#[test]
fn maps_of_one_name_are_told_apart_by_their_folders_and_discarded_only_after_a_question() {
    let (folder, journals) = leave_unsaved(&["alice", "bob"]);
    let Some(mut window) = started(&journals) else { return };
    let [alice, bob] = ["alice", "bob"].map(|name| folder.path().join(name).display().to_string());
    assert!(window.sees(&alice) && window.sees(&bob));
    window.click(&format!("Discard {bob}/fort.vxl…"));
    assert!(window.sees("Discard the unsaved steps of fort.vxl?") && window.sees_part(&format!("{bob}/fort.vxl: 1 step")));
    window.press("Enter");
    assert!(window.sees("Restore all") && window.app().editor.leftovers().len() == 2, "Enter discards nothing");
    window.click("Discard all…");
    assert!(window.sees("Discard 2 unsaved maps?"));
    window.press("Escape");
    assert!(window.sees("Restore all") && window.app().editor.leftovers().len() == 2, "Esc goes back to the list");
    window.click(&format!("Discard {bob}/fort.vxl…"));
    window.click("Discard");
    assert!(window.app().editor.leftovers().len() == 1 && window.sees(&alice) && !window.sees(&bob));
    window.click("Restore");
    assert!(window.map().path().unwrap().ends_with("alice/fort.vxl") && window.app().shell.dialog.is_none());
    assert_eq!(seen(&journals), 0);
}

#[test]
fn what_a_restore_could_not_bring_back_is_told_and_its_history_says_so() {
    let (folder, journals) = leave_unsaved(&["alice"]);
    let map = folder.path().join("alice/fort.vxl");
    let mut editor = editor_with(&journals);
    editor.find_leftovers();
    editor.finish_jobs();
    // Its spawn is saved, and with that the script beside the map, of which the journal has a copy.
    let id = {
        editor.act(Action::RestoreLeftovers);
        editor.finish_jobs();
        let save = SaveOrder { loss_agreed: true, ..SaveOrder::new(editor.active().unwrap().id()) };
        for _ in 0..2 {
            // The second time nobody asks about problems that players will meet.
            editor.act(Action::SaveAs(save.clone()));
            editor.finish_jobs();
        }
        let open = editor.active().unwrap();
        assert!(!open.is_modified() && folder.path().join("alice/fort.txt").is_file(), "{:?}", editor.messages());
        let (id, _) = open.document().objects.iter().next().unwrap();
        id
    };
    drop(editor);
    let mut editor = editor_with(&journals);
    for action in [Action::Open(map), Action::Edit(Command::RemoveObject(ops::RemoveObject { id }))] {
        editor.act(action);
        editor.finish_jobs();
    }
    drop(editor);
    std::fs::remove_file(folder.path().join("alice/fort.txt")).unwrap();
    for entry in std::fs::read_dir(&journals).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            std::fs::remove_file(path).unwrap();
        }
    }
    let Some(mut window) = started(&journals) else { return };
    window.click("Restore");
    window.settle();
    assert!(window.sees("As restored: what was done before cannot be undone"));
    let told = window.app().editor.messages().iter().filter_map(|told| told.detail.as_deref()).collect::<Vec<_>>().join("\n");
    assert!(told.contains("1 step was passed over, about objects that only a lost copy told of"), "{told}");
    assert!(!window.sees("Every step stands here and can be undone"));
}

#[test]
fn what_is_put_off_is_free_for_others_and_comes_back_through_the_menu() {
    let (_folder, journals) = leave_unsaved(&["alice"]);
    let Some(mut window) = started(&journals) else { return };
    for later in ["click", "Escape"] {
        assert!(window.sees("Ask me next time") && seen(&journals) == 0);
        window.click_beside(Role::Button, "Restore", 100.0);
        assert!(window.sees("Ask me next time") && seen(&journals) == 0, "a click beside the list puts nothing off");
        if later == "click" {
            window.click("Ask me next time")
        } else {
            window.press("Escape")
        }
        assert!(window.app().shell.dialog.is_none() && seen(&journals) == 1, "{later}");
        assert!(window.sees("1 unsaved map stays for later") && window.sees_part("File › Unsaved maps… lists"), "{later}");
        assert!(window.choose("unsaved-maps"));
    }
    window.click("Discard it…");
    window.click("Discard");
    assert!(window.app().shell.dialog.is_none() && seen(&journals) == 0);
    assert!(window.choose("unsaved-maps"));
    assert!(window.app().shell.dialog.is_none());
    assert_eq!(window.app().editor.messages().last().unwrap().text, "Nothing was left unsaved");
}

#[test]
fn a_journal_that_cannot_be_read_is_discarded_in_the_list() {
    let (_folder, journals) = leave_unsaved(&["alice"]);
    let paths = || std::fs::read_dir(&journals).unwrap().map(|entry| entry.unwrap().path());
    let journal = paths().find(|path| path.extension().is_some_and(|end| end == "journal")).unwrap();
    std::fs::write(&journal, &std::fs::read(&journal).unwrap()[..4000]).unwrap();
    let Some(mut window) = started(&journals) else { return };
    assert!(window.app().shell.dialog.is_none());
    assert!(window.choose("unsaved-maps"));
    let id = journal.file_stem().unwrap().to_str().unwrap();
    assert!(window.sees_part("the journal is damaged from its beginning"));
    window.click_role(Role::Button, &format!("Discard journal {id}…"));
    assert!(window.sees(&format!("Discard the journal {id}?")));
    window.click("Discard");
    assert!(window.app().shell.dialog.is_none());
    assert!(!paths().any(|path| path.file_name().unwrap().to_string_lossy().starts_with(id)));
}

#[test]
fn of_more_maps_than_are_listed_at_once_the_others_are_counted_and_come_once_those_are_discarded() {
    let (_folder, journals) = leave_unsaved(&["alice"]);
    let files = std::fs::read_dir(&journals).unwrap().map(|entry| entry.unwrap().path());
    let journal = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "journal")).unwrap();
    // They start from the same copy.
    let stem = journal.file_stem().unwrap().to_str().unwrap().to_owned();
    let others = (1..MOST_HELD + 7).map(|number| journal.with_file_name(format!("{stem}-old{number}.journal")));
    others.for_each(|other| _ = std::fs::copy(&journal, other).unwrap());
    let Some(mut window) = started(&journals) else { return };
    assert!(window.sees(&format!("An earlier session ended before these {MOST_HELD} maps and 7 more were saved")));
    assert!(window.sees("and 7 more, which are listed once these are restored or discarded") && seen(&journals) == 7);
    window.click("Discard these…");
    assert!(window.sees(&format!("Discard {MOST_HELD} unsaved maps?")));
    window.click("Discard");
    assert!(window.sees("An earlier session ended before these 7 maps were saved"));
    window.click("Restore all");
    assert!(window.app().shell.dialog.is_none() && window.app().editor.documents().len() >= 7, "{:?}", window.app().editor.messages());
}

#[test]
fn the_last_step_that_is_kept_is_told_in_a_small_window_too() {
    let journals = tempfile::tempdir().unwrap();
    let Some(mut window) = Window::with_journals(journals.path()) else { return };
    window.act(Action::New(flat()));
    window.act(Action::Edit(Command::AddObject(ops::AddObject(Object::SpawnPoint { team: Team::Blue, at: IVec3::new(1, 2, 20) }))));
    let kept = |window: &Window| window.map().journalled() == Some((1, 1));
    for _ in 0..100 {
        if kept(&window) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert!(kept(&window));
    for size in [[1000.0, 700.0], [800.0, 500.0]] {
        window.resize(size);
        window.settle();
        assert!(window.sees("#1 kept"), "{size:?}: {:?}", window.texts_below(size[1] - 30.0));
    }
}
