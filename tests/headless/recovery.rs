//! What an editor left behind without an end is brought back by the next one: steps, snapshots, several maps at once.

use std::path::Path;

use glam::IVec3;
use spadework::document::{Object, Team};
use spadework::edit::{Command, ops};
use spadework::editor::recovery::find_leftovers;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, JobMode, Message, NewMap, Request, SaveOrder};
use spadework::terrain::Params;
use spadework::voxel::Rgb;

use crate::editor::{RED, act, editor, editor_with, errors, flat_map, paint, run, store, top};

#[test]
fn what_a_session_left_unsaved_is_restored_with_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    let journals = folder.path().join("journals");
    let maps = tempfile::tempdir().unwrap();
    let path = flat_map(maps.path());
    let mut first = editor_with(JobMode::Inline, Some(journals.clone()));
    act(&mut first, Action::Open(path));
    let original = store(&first);
    let places = [top(&first, 3, 3), top(&first, 4, 4)];
    for at in places {
        run(&mut first, paint(at));
    }
    run(&mut first, Command::AddObject(ops::AddObject(Object::SpawnPoint { team: Team::Blue, at: places[0] })));
    act(&mut first, Action::Undo);
    let edited = store(&first);
    // The process ends here without closing anything: the journal stays.
    drop(first);

    let mut second = editor_with(JobMode::Inline, Some(journals.clone()));
    second.find_leftovers();
    second.finish_jobs();
    assert_eq!(second.leftovers().len(), 1);
    act(&mut second, Action::RestoreLeftovers);
    assert_eq!(errors(&second), Vec::<String>::new());
    assert!(store(&second).same_voxels(&edited));
    assert!(second.active().unwrap().is_modified());
    act(&mut second, Action::JumpTo(0));
    assert!(store(&second).same_voxels(&original));
    let id = second.active().unwrap().id();
    act(&mut second, Action::Close(id));
    drop(second);

    let mut third = editor_with(JobMode::Inline, Some(journals));
    third.find_leftovers();
    third.finish_jobs();
    assert!(third.leftovers().is_empty(), "a closed map leaves nothing");
}

#[test]
fn a_restored_map_takes_the_place_of_the_same_one_without_steps() {
    let folder = tempfile::tempdir().unwrap();
    let journals = folder.path().join("journals");
    let maps = tempfile::tempdir().unwrap();
    let path = flat_map(maps.path());
    let restored_beside = |edits: bool| {
        let mut first = editor_with(JobMode::Inline, Some(journals.clone()));
        act(&mut first, Action::Open(path.clone()));
        let at = top(&first, 3, 3);
        run(&mut first, paint(at));
        drop(first);
        let mut second = editor_with(JobMode::Inline, Some(journals.clone()));
        act(&mut second, Action::Open(path.clone()));
        if edits {
            let at = top(&second, 5, 5);
            run(&mut second, paint(at));
        }
        second.find_leftovers();
        second.finish_jobs();
        act(&mut second, Action::RestoreLeftovers);
        assert!(second.active().unwrap().is_modified());
        assert_eq!(errors(&second), Vec::<String>::new());
        // Another window is told who has it.
        let mut third = editor_with(JobMode::Inline, Some(journals.clone()));
        act(&mut third, Action::Open(path.clone()));
        assert!(third.messages().iter().any(|message| message.text.contains("is open in another Spadework")), "{:?}", third.messages());
        let open = second.documents().len();
        let ids: Vec<_> = second.documents().iter().map(|open| open.id()).collect();
        ids.into_iter().for_each(|id| act(&mut second, Action::Close(id)));
        open
    };
    assert_eq!(restored_beside(false), 1);
    assert_eq!(restored_beside(true), 2, "steps are not dropped");
}

#[test]
fn another_window_is_told_who_has_a_map_after_the_folder_of_the_journals_was_removed() {
    let (folder, maps) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (journals, map) = (folder.path().join("journals"), flat_map(maps.path()));
    let claims = || {
        let files = std::fs::read_dir(&journals).into_iter().flatten().flatten().map(|entry| entry.path());
        files.filter(|path| path.extension().is_some_and(|end| end == "open")).count()
    };
    let mut first = editor_with(JobMode::Inline, Some(journals.clone()));
    act(&mut first, Action::Open(map.clone()));
    let at = top(&first, 3, 3);
    run(&mut first, paint(at));
    let kept = |editor: &Editor| editor.active().and_then(|open| open.journalled()).map_or(0, |(kept, _)| kept);
    let begun = std::time::Instant::now();
    let in_time = || assert!(begun.elapsed().as_secs() < 60, "it never came to it");
    while kept(&first) < 1 {
        in_time();
        std::thread::yield_now();
    }
    assert_eq!(claims(), 1);
    std::fs::remove_dir_all(&journals).unwrap();
    let at = top(&first, 4, 4);
    run(&mut first, paint(at));
    while claims() < 1 {
        in_time();
        std::thread::yield_now();
        first.pump();
    }
    // The answer of the job that made it, too, is taken in.
    (0..2).for_each(|_| _ = first.pump());
    assert_eq!(errors(&first), Vec::<String>::new());
    let mut second = editor_with(JobMode::Inline, Some(journals.clone()));
    act(&mut second, Action::Open(map));
    assert!(second.messages().iter().any(|message| message.text.contains("is open in another Spadework")), "{:?}", second.messages());
    assert!(!first.messages().iter().any(|message| message.text.contains("is open in another Spadework")), "not told of itself");
}

/// A map of one step whose editor is gone.
fn leave_unsaved(journals: &Path, maps: &Path) {
    let mut first = editor_with(JobMode::Inline, Some(journals.into()));
    act(&mut first, Action::Open(flat_map(maps)));
    let at = top(&first, 3, 3);
    run(&mut first, paint(at));
}

fn asks_what_to_recover(editor: &mut Editor) -> bool {
    editor.take_requests().iter().any(|request| matches!(request, Request::Recover))
}

#[test]
fn leftovers_that_are_put_off_are_free_for_others_and_are_found_again_when_asked_for() {
    let (folder, maps) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let journals = folder.path().join("journals");
    leave_unsaved(&journals, maps.path());
    let seen = || find_leftovers(&RealStorage, &journals).recoverable.len();
    let mut editor = editor_with(JobMode::Inline, Some(journals.clone()));
    editor.find_leftovers();
    editor.finish_jobs();
    assert!(asks_what_to_recover(&mut editor));
    // Asked for twice, they are the same ones.
    act(&mut editor, Action::FindLeftovers);
    assert_eq!((editor.leftovers().len(), seen()), (1, 0));
    editor.take_requests();
    act(&mut editor, Action::PutOffLeftovers);
    assert_eq!((editor.leftovers().len(), seen()), (0, 1));
    act(&mut editor, Action::FindLeftovers);
    assert_eq!((editor.leftovers().len(), asks_what_to_recover(&mut editor)), (1, true));
    act(&mut editor, Action::DiscardLeftovers);
    assert_eq!((editor.leftovers().len(), seen()), (0, 0));
    assert_eq!(editor.messages().last().unwrap().text, "Discarded 1 journal");
    act(&mut editor, Action::FindLeftovers);
    let told = editor.messages().last().unwrap().clone();
    assert_eq!((&*told.text, told.detail, asks_what_to_recover(&mut editor)), ("Nothing was left unsaved", None, false));
    // What another window has open is none of it, but is told.
    let mut other = editor_with(JobMode::Inline, Some(journals.clone()));
    act(&mut other, Action::Open(flat_map(maps.path())));
    let at = top(&other, 4, 4);
    run(&mut other, paint(at));
    // The journal's thread is on its way.
    while other.active().and_then(|open| open.journalled()).is_none_or(|(kept, _)| kept == 0) {
        std::thread::yield_now();
    }
    act(&mut editor, Action::FindLeftovers);
    assert_eq!(editor.messages().last().unwrap().detail.as_deref(), Some("A running Spadework holds the journal of 1 map."));
    act(&mut other, Action::FindLeftovers);
    assert_eq!(other.messages().last().unwrap().detail, None, "its own");
}

#[test]
fn a_journal_that_cannot_be_read_is_told_with_the_way_to_be_rid_of_it() {
    let (folder, maps) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let journals = folder.path().join("journals");
    leave_unsaved(&journals, maps.path());
    let paths = || std::fs::read_dir(&journals).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    let journal = paths().into_iter().find(|path| path.extension().is_some_and(|end| end == "journal")).unwrap();
    std::fs::write(&journal, &std::fs::read(&journal).unwrap()[..4000]).unwrap();
    let mut editor = editor_with(JobMode::Inline, Some(journals.clone()));
    editor.find_leftovers();
    editor.finish_jobs();
    assert!(!asks_what_to_recover(&mut editor), "nothing is to be decided at the start");
    let told = editor.messages().last().unwrap().clone();
    assert!(told.text.ends_with("was left alone: the journal is damaged from its beginning"), "{}", told.text);
    let id = journal.file_stem().unwrap().to_str().unwrap();
    assert_eq!(told.detail.unwrap(), format!("To be rid of it: File › Unsaved maps…, or spadework recover --discard {id}"));
    act(&mut editor, Action::FindLeftovers);
    assert!(asks_what_to_recover(&mut editor));
    assert_eq!(editor.unreadable_leftovers().iter().map(|skipped| &skipped.journal).collect::<Vec<_>>(), [&journal]);
    act(&mut editor, Action::DiscardUnreadable(journal.clone()));
    let messages = editor.messages();
    let told = messages.iter().position(|message| message.text.contains("was left alone")).unwrap();
    assert!(Message::is_past(messages, told), "what was told of it is past");
    let left = paths().into_iter().filter(|path| path.file_stem() == journal.file_stem()).count();
    assert_eq!((editor.unreadable_leftovers().len(), left), (0, 0));
}

#[test]
fn leftovers_are_decided_about_one_by_one_and_a_damaged_journal_is_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    let journals = folder.path().join("journals");
    let maps = tempfile::tempdir().unwrap();
    let mut first = editor_with(JobMode::Inline, Some(journals.clone()));
    for name in ["a.vxl", "b.vxl", "c.vxl"] {
        let path = maps.path().join(name);
        std::fs::copy(flat_map(maps.path()), &path).unwrap();
        act(&mut first, Action::Open(path));
        for x in 3..6 {
            let at = top(&first, x, 3);
            run(&mut first, paint(at));
        }
    }
    drop(first);
    let listed = |ending: &str| {
        let paths = std::fs::read_dir(&journals).unwrap().map(|entry| entry.unwrap().path());
        paths.filter(|path| path.extension().is_some_and(|extension| extension == ending)).collect::<Vec<_>>()
    };
    // The second of three steps of b is damaged.
    let damaged = listed("journal").into_iter().find(|path| path.to_string_lossy().contains("/b")).unwrap();
    let mut bytes = std::fs::read(&damaged).unwrap();
    let lines: Vec<usize> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    // Two lines are the header.
    bytes[lines[2] + 30] ^= 1;
    std::fs::write(&damaged, &bytes).unwrap();

    let mut second = editor_with(JobMode::Inline, Some(journals.clone()));
    second.find_leftovers();
    second.finish_jobs();
    let journal = |editor: &Editor, name: &str| {
        let found = editor.leftovers().iter().find(|found| found.map.as_deref().is_some_and(|map| map.ends_with(name)));
        found.map(|found| found.journal.clone())
    };
    assert_eq!(second.leftovers().len(), 3);
    let (a, b) = (journal(&second, "a.vxl").unwrap(), journal(&second, "b.vxl").unwrap());
    act(&mut second, Action::DiscardLeftover(a.clone()));
    assert!(!a.exists() && journal(&second, "a.vxl").is_none());
    act(&mut second, Action::RestoreLeftover(b.clone()));
    assert_eq!((second.leftovers().len(), second.documents().len()), (1, 1));
    assert_eq!(second.active().unwrap().history().head(), 1);
    act(&mut second, Action::RestoreLeftovers);
    assert!(second.leftovers().is_empty() && second.documents().len() == 2);
    // The journals are written beside: they are done when the process ends.
    drop(second);
    let aside = listed("damaged");
    assert_eq!(aside.len(), 1);
    assert_eq!(std::fs::read(&aside[0]).unwrap(), bytes, "what follows the damage is kept");
}

/// Opens or makes a map, edits it, ends without closing anything, and brings it back; answers the folder of the journals, too.
fn check_recovery(begin: impl FnOnce(&mut Editor)) -> (Editor, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let journals = folder.path().join("journals");
    let mut first = editor_with(JobMode::Inline, Some(journals.clone()));
    begin(&mut first);
    assert_eq!(errors(&first), Vec::<String>::new());
    let edited = store(&first);
    drop(first);
    let mut second = editor_with(JobMode::Inline, Some(journals));
    second.find_leftovers();
    second.finish_jobs();
    assert_eq!(second.leftovers().len(), 1, "{:?}", second.messages());
    act(&mut second, Action::RestoreLeftovers);
    assert_eq!(errors(&second), Vec::<String>::new());
    // VMF knows a colour for hidden voxels, too: compare what can be seen.
    let restored = store(&second);
    assert_eq!(restored.bounds(), edited.bounds());
    assert!(edited.bounds().positions().all(|pos| restored.is_solid(pos) == edited.is_solid(pos)));
    assert!(edited.bounds().columns().columns().all(|[x, y]| {
        let top = IVec3::new(x, y, edited.ground(x, y, 0).unwrap_or(63));
        restored.paint(top) == edited.paint(top)
    }));
    (second, folder)
}

#[test]
fn a_long_session_comes_back_from_a_snapshot_with_all_of_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    let journals = folder.path().join("journals");
    let mut first = editor_with(JobMode::Inline, Some(journals.clone()));
    act(&mut first, Action::Open(flat_map(folder.path())));
    let original = store(&first);
    let places = [3, 4, 5, 6].map(|x| top(&first, x, x));
    run(&mut first, paint(places[0]));
    run(&mut first, paint(places[1]));
    // It looks at the whole map: a snapshot is due.
    run(&mut first, Command::ReplaceColor(ops::ReplaceColor { from: RED, to: Rgb::new(1, 2, 3), tolerance: 0 }));
    run(&mut first, paint(places[2]));
    run(&mut first, paint(places[3]));
    act(&mut first, Action::Undo);
    let (edited, steps) = (store(&first), first.active().unwrap().history().len());
    drop(first);
    let files = std::fs::read_dir(&journals).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(files.filter(|path| path.extension().is_some_and(|end| end == "snapshot")).count(), 1);

    let mut second = editor_with(JobMode::Inline, Some(journals));
    second.find_leftovers();
    second.finish_jobs();
    let picture = second.thumbnail_of(&second.leftovers()[0]).unwrap();
    assert_eq!((picture.width, picture.height, picture.rgb.len()), (64, 64, 64 * 64 * 3));
    act(&mut second, Action::RestoreLeftovers);
    assert_eq!(errors(&second), Vec::<String>::new());
    assert!(store(&second).same_voxels(&edited));
    assert_eq!(second.active().unwrap().history().head(), steps - 1, "the steps from before the snapshot are there, too");
    assert!(second.active().unwrap().is_modified());
    act(&mut second, Action::JumpTo(0));
    assert!(store(&second).same_voxels(&original) && !second.active().unwrap().is_modified());
    act(&mut second, Action::JumpTo(steps - 1));
    assert!(store(&second).same_voxels(&edited));
}

#[test]
fn a_snapshot_from_behind_the_damage_is_restored_and_the_journal_stays_until_it_is_discarded() {
    let folder = tempfile::tempdir().unwrap();
    let journals = folder.path().join("journals");
    let mut first = editor_with(JobMode::Inline, Some(journals.clone()));
    let path = flat_map(folder.path());
    act(&mut first, Action::Open(path.clone()));
    let place = top(&first, 3, 3);
    run(&mut first, paint(place));
    // It looks at the whole map: a snapshot is due.
    run(&mut first, Command::ReplaceColor(ops::ReplaceColor { from: RED, to: Rgb::new(1, 2, 3), tolerance: 0 }));
    let edited = store(&first);
    drop(first);
    let listed = |ending: &str| -> Vec<_> {
        let files = std::fs::read_dir(&journals).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.extension().is_some_and(|end| end == ending)).collect()
    };
    let [journal, snapshot] = ["journal", "snapshot"].map(|ending| listed(ending).pop().unwrap());
    let mut bytes = std::fs::read(&journal).unwrap();
    // Two lines are the header.
    let start = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0;
    bytes[start + 30] ^= 1;
    std::fs::write(&journal, &bytes).unwrap();

    // The names of journals tell apart processes and seconds; this is one process.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    for restore in [true, true, false] {
        let mut next = editor_with(JobMode::Inline, Some(journals.clone()));
        next.find_leftovers();
        next.finish_jobs();
        let [found] = next.leftovers() else { panic!("{:?}", next.messages()) };
        assert_eq!((found.steps, found.beyond, &found.journal), (0, 2, &journal));
        if restore {
            act(&mut next, Action::RestoreLeftovers);
            assert_eq!(errors(&next), Vec::<String>::new());
            assert!(store(&next).same_voxels(&edited) && next.active().unwrap().is_modified());
            // It goes on in a journal of its own.
            run(&mut next, paint(place));
            act(&mut next, Action::Undo);
            let id = next.active().unwrap().id();
            act(&mut next, Action::Close(id));
        } else {
            act(&mut next, Action::DiscardLeftover(journal.clone()));
        }
        drop(next);
        assert_eq!((journal.exists(), snapshot.exists(), listed("journal").len()), (restore, restore, usize::from(restore)));
    }
}

#[test]
fn a_map_that_another_window_has_open_is_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = flat_map(folder.path());
    let [mut first, mut second] = [(); 2].map(|()| editor_with(JobMode::Inline, Some(folder.path().join("journals"))));
    let told = |editor: &Editor| editor.messages().iter().any(|message| message.text == "flat.vxl is open in another Spadework, too");
    act(&mut first, Action::Open(path.clone()));
    act(&mut second, Action::Open(path.clone()));
    assert!(!told(&first) && told(&second));
    // Both are edited and saved: the second is asked, because the file is not what it opened.
    let at = top(&first, 3, 3);
    run(&mut first, paint(at));
    act(&mut first, Action::Save);
    run(&mut second, paint(at + IVec3::X));
    act(&mut second, Action::Save);
    assert!(second.take_requests().iter().any(|request| matches!(request, Request::ConfirmOverwrite { .. })));
    let id = first.active().unwrap().id();
    act(&mut first, Action::Close(id));
    let mut third = editor_with(JobMode::Inline, Some(folder.path().join("journals")));
    drop(second);
    act(&mut third, Action::Open(path));
    assert!(!told(&third));
}

#[cfg(unix)]
#[test]
fn a_map_that_is_saved_to_its_file_by_another_path_is_not_said_to_be_open_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let (maps, link, journals) = (folder.path().join("maps"), folder.path().join("link"), folder.path().join("journals"));
    std::fs::create_dir(&maps).unwrap();
    std::os::unix::fs::symlink("maps", &link).unwrap();
    let path = flat_map(&maps);
    let is_told = |editor: &Editor| editor.messages().iter().any(|told| told.text.contains("is open in another Spadework"));
    let mut first = editor_with(JobMode::Inline, Some(journals.clone()));
    act(&mut first, Action::Open(link.join("flat.vxl")));
    let at = top(&first, 3, 3);
    run(&mut first, paint(at));
    let id = first.active().unwrap().id();
    act(&mut first, Action::SaveAs(SaveOrder { overwrite_agreed: true, ..SaveOrder::new(id).with_path(path.clone()) }));
    assert!(!first.active().unwrap().is_modified() && errors(&first).is_empty(), "{:?}", first.messages());
    assert!(!is_told(&first), "{:?}", first.messages());
    let mut second = editor_with(JobMode::Inline, Some(journals));
    act(&mut second, Action::Open(path));
    assert!(is_told(&second), "the first has it open");
}

#[test]
fn a_map_whose_file_is_not_held_in_memory_is_restored_too() {
    let folder = tempfile::tempdir().unwrap();
    let flat = flat_map(folder.path());
    let vmf = folder.path().join("flat.vmf");
    let mut maker = editor();
    act(&mut maker, Action::Open(flat));
    let id = maker.active().unwrap().id();
    act(&mut maker, Action::SaveAs(SaveOrder::new(id).with_path(vmf.clone()).with_loss_agreed()));
    assert_eq!(errors(&maker), Vec::<String>::new());
    check_recovery(|editor| {
        act(editor, Action::Open(vmf));
        let at = top(editor, 3, 3);
        run(editor, paint(at));
    });
}

#[test]
fn a_new_map_of_a_shape_that_vxl_has_not_is_restored_too() {
    check_recovery(|editor| {
        let params = Params { size: IVec3::new(48, 24, 64), seed: 0, values: Default::default() };
        act(editor, Action::New(NewMap { generator: "flat".into(), params }));
        let at = top(editor, 3, 3);
        run(editor, paint(at));
    });
}

#[test]
fn a_restored_map_is_saved_in_the_format_that_it_was_last_saved_in() {
    let folder = tempfile::tempdir().unwrap();
    let flat = flat_map(folder.path());
    let vmf = folder.path().join("flat.vmf");
    let (mut restored, _journals) = check_recovery(|editor| {
        act(editor, Action::Open(flat));
        let id = editor.active().unwrap().id();
        act(editor, Action::SaveAs(SaveOrder::new(id).with_path(vmf.clone()).with_loss_agreed()));
        let at = top(editor, 3, 3);
        run(editor, paint(at));
    });
    assert_eq!(restored.active().unwrap().path(), Some(&*vmf));
    assert_eq!(restored.active().unwrap().file().format, Some("vmf"));
    let id = restored.active().unwrap().id();
    act(&mut restored, Action::SaveAs(SaveOrder::new(id).with_loss_agreed()));
    assert_eq!(errors(&restored), Vec::<String>::new());
    let mut again = editor();
    act(&mut again, Action::Open(vmf));
    assert_eq!(again.active().unwrap().file().format, Some("vmf"));
}

#[test]
fn a_folder_of_journals_that_cannot_be_written_is_told_once_and_keeps_nobody_from_working() {
    let folder = tempfile::tempdir().unwrap();
    let map = flat_map(folder.path());
    std::fs::write(folder.path().join("file"), "").unwrap();
    for jobs in [JobMode::Inline, JobMode::Threads] {
        let mut editor = editor_with(jobs, Some(folder.path().join("file/journals")));
        editor.find_leftovers();
        act(&mut editor, Action::Open(map.clone()));
        for step in 0..3 {
            run(&mut editor, serde_json::from_str(&format!(r##"{{"set":{{"at":[{step},2,60],"color":"#ff8000"}}}}"##)).unwrap());
            while editor.active().is_some_and(|open| open.journalled().is_some()) {
                std::thread::yield_now();
            }
            editor.pump();
        }
        let told: Vec<String> = errors(&editor);
        assert_eq!(told.iter().filter(|told| told.contains("not kept for a crash")).count(), 1, "{told:?}");
        assert!(told.iter().all(|told| told.contains("journal") || told.contains("kept for a crash")), "{told:?}");
        assert_eq!(editor.active().unwrap().history().head(), 3);
        let id = editor.active().unwrap().id();
        act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path(folder.path().join("out.vxl"))));
        assert!(!editor.active().unwrap().is_modified(), "{:?}", errors(&editor));
        std::fs::remove_file(folder.path().join("out.vxl")).unwrap();
    }
}
