//! Opening a map while others save it: never half of what they wrote.

use std::thread;
use std::time::Duration;

use super::*;
use crate::document::Cancelled;
use crate::editor::storage::{RealStorage, Storage};
use crate::format::Warning;

const THEIR_MAP: &[u8] = b"DOTS\x05\x06\x07";
const THEIR_AUTHOR: &[u8] = b"= bob\n";

/// What of the files of [`disk`] and of [`THEIR_MAP`] was read: whether the voxels and the author are theirs.
fn theirs(opened: &Opened) -> (bool, bool) {
    let is_solid = |at: [i32; 3]| opened.document.store().is_solid(at.into());
    assert_ne!(is_solid([1, 2, 3]), is_solid([5, 6, 7]));
    (is_solid([5, 6, 7]), opened.document.metadata.author.as_deref() == Some("bob"))
}

#[test]
fn a_set_that_others_replace_at_any_moment_while_it_is_read_is_the_old_one_or_the_new_one() {
    let probe = disk();
    let before = probe.operations();
    open(&probe, MAP);
    let operations = probe.operations() - before;
    let (mut old, mut new) = (0, 0);
    for index in 0..operations {
        let storage = disk();
        storage.put_at(index, MAP, THEIR_MAP);
        storage.put_at(index, "m/castle.author", THEIR_AUTHOR);
        match theirs(&open(&storage, MAP)) {
            (false, false) => old += 1,
            (true, true) => new += 1,
            mixed => panic!("operation {index}: {mixed:?}"),
        }
    }
    // What comes after the last look at the map is what it was opened as.
    assert!(old < operations / 3 && new > operations / 2, "{old} {new} of {operations}");
}

#[test]
fn a_save_that_is_killed_while_a_map_is_read_is_completed_and_read_again() {
    let opened = edited(&disk());
    let probe = disk();
    let before = probe.operations();
    open(&probe, MAP);
    let reads = probe.operations() - before;
    // A save that was killed with some of its files in place, for each number of them.
    let mut halves = vec![];
    for index in 40.. {
        let storage = disk();
        storage.fail_at(index, Fault::Crash);
        let is_over = save(&storage, &opened, MAP, plain()).is_ok();
        storage.restart();
        if is_over {
            break;
        }
        let has_record = storage.all().keys().any(|path| path.to_string_lossy().ends_with("-intent"));
        if has_record && storage.get(MAP) == disk().get(MAP) {
            halves.push(storage.all());
        }
    }
    assert!(halves.len() > 5, "{}", halves.len());
    for half in halves {
        for index in 0..reads {
            let storage = disk();
            for (path, bytes) in half.iter().filter(|(path, bytes)| disk().get(path).as_ref() != Some(bytes)) {
                storage.put_at(index, path, bytes);
            }
            let opened = open(&storage, MAP);
            let metadata = &opened.document.metadata;
            let is_new = opened.document.store().is_solid([5, 6, 7].into());
            let expected = if is_new { ["bob", "Fort"] } else { ["ann", "Castle"] };
            assert_eq!([metadata.author.as_deref(), metadata.name.as_deref()], expected.map(Some), "operation {index}");
        }
    }
}

#[test]
fn files_that_come_beside_a_map_while_it_is_read_come_together_or_not_at_all() {
    let probe = FaultyStorage::with(&[(MAP, THEIR_MAP)]);
    let before = probe.operations();
    open(&probe, MAP);
    for index in 0..probe.operations() - before {
        let storage = FaultyStorage::with(&[(MAP, THEIR_MAP)]);
        storage.put_at(index, "m/castle.author", THEIR_AUTHOR);
        storage.put_at(index, "m/castle.name", b"= Fort\n");
        let opened = open(&storage, MAP);
        let metadata = &opened.document.metadata;
        assert_eq!(metadata.author.is_some(), metadata.name.is_some(), "operation {index}");
    }
}

/// A folder in which somebody has put one file of a set in place, and not yet the last one, of that name.
fn half_saved(last: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("castle.dots");
    for (path, bytes) in disk().all() {
        std::fs::write(folder.path().join(path.file_name().unwrap()), bytes).unwrap();
    }
    std::fs::write(folder.path().join("castle.author"), THEIR_AUTHOR).unwrap();
    std::fs::write(hidden_beside(&folder.path().join(last), ".spadework-intent"), b"of them").unwrap();
    (folder, map)
}

#[test]
fn a_save_that_goes_on_is_waited_for() {
    // Also one that leaves the map as it is.
    for (last, bytes) in [("castle.dots", THEIR_MAP), ("castle.name", b"= Fort\n")] {
        let (folder, map) = half_saved(last);
        let claim = RealStorage.lock_folder(folder.path()).unwrap().unwrap();
        let last = folder.path().join(last);
        let saving = thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            std::fs::write(last.with_extension("new"), bytes).unwrap();
            std::fs::rename(last.with_extension("new"), &last).unwrap();
            std::fs::remove_file(hidden_beside(&last, ".spadework-intent")).unwrap();
            drop(claim);
        });
        let opened = open_with(PLUGINS, &RealStorage, &map, &OpenOptions::default(), &Progress::new()).unwrap();
        saving.join().unwrap();
        let is_new = theirs(&opened).0 || opened.document.metadata.name.as_deref() == Some("Fort");
        assert!(is_new && theirs(&opened).1, "{map:?}");
    }
}

#[test]
fn waiting_for_a_save_ends_when_somebody_cancels_it_and_another_map_of_the_folder_does_not_wait() {
    let (folder, map) = half_saved("castle.dots");
    let _claim = RealStorage.lock_folder(folder.path()).unwrap().unwrap();
    let progress = Progress::new();
    let cancelling = thread::spawn({
        let progress = progress.clone();
        move || {
            thread::sleep(Duration::from_millis(200));
            progress.cancel();
        }
    });
    let opened = open_with(PLUGINS, &RealStorage, &map, &OpenOptions::default(), &progress);
    assert!(matches!(opened, Err(OpenError::Cancelled(Cancelled))), "{opened:?}");
    cancelling.join().unwrap();
    let other = folder.path().join("tower.dots");
    std::fs::write(&other, THEIR_MAP).unwrap();
    open_with(PLUGINS, &RealStorage, &other, &OpenOptions::default(), &Progress::new()).unwrap();
}

#[test]
fn whoever_has_the_folder_for_a_moment_keeps_nobody_from_completing_a_save() {
    let (mut half, opened) = (None, edited(&disk()));
    for index in 40.. {
        let storage = disk();
        storage.fail_at(index, Fault::Crash);
        let is_over = save(&storage, &opened, MAP, plain()).is_ok();
        storage.restart();
        let is_new = |path: &str| storage.get(path) != disk().get(path);
        if !is_over && is_new("m/castle.author") && !is_new(MAP) {
            half = Some(storage.all());
            break;
        }
    }
    let half = half.unwrap();
    for from in 0..12 {
        for len in 1..12 {
            let storage = FaultyStorage::default();
            half.iter().for_each(|(path, bytes)| storage.put(path, bytes));
            storage.claim_between(from, from + len, "m");
            let opened = open(&storage, MAP);
            let is_new = opened.document.store().is_solid([5, 6, 7].into());
            assert!(is_new && opened.document.metadata.author.as_deref() == Some("bob"), "{from}, {len}");
        }
    }
}

#[test]
fn a_record_that_nobody_works_on_keeps_no_map_from_opening() {
    let (_folder, map) = half_saved("castle.dots");
    let opened = open_with(PLUGINS, &RealStorage, &map, &OpenOptions::default(), &Progress::new()).unwrap();
    let told = |warning: &Warning| warning.code == "interrupted-save";
    assert!(opened.report.warnings.iter().any(told), "{:?}", opened.report);
}

#[test]
fn a_map_that_others_write_all_the_time_opens_with_a_word() {
    let storage = disk();
    let begun = storage.operations();
    for index in 0..1_000 {
        let is_theirs = index % 2 == 0;
        storage.put_at(index, MAP, if is_theirs { THEIR_MAP } else { b"DOTS\x01\x02\x03" });
        storage.put_at(index, "m/castle.author", format!("= {index}\n").as_bytes());
    }
    let opened = open(&storage, MAP);
    assert!(storage.operations() - begun < 1_000, "others went on to the end");
    let told = |warning: &Warning| warning.code == "changed-while-read";
    assert!(opened.report.warnings.iter().any(told), "{:?}", opened.report);
}

#[test]
fn a_map_that_others_save_all_the_time_is_one_of_their_saves_once_its_folder_is_claimed() {
    let storage = disk();
    let old: &[(&str, &[u8])] = &[("m/castle.author", b"= ann\n"), (MAP, b"DOTS\x01\x02\x03")];
    storage.save_all_the_time([&[("m/castle.author", THEIR_AUTHOR), (MAP, THEIR_MAP)], old]);
    for _ in 0..10 {
        let saves = storage.saves();
        let opened = open(&storage, MAP);
        let (their_map, their_author) = theirs(&opened);
        assert_eq!(their_map, their_author);
        let told = |warning: &Warning| warning.code == "changed-while-read";
        assert!(storage.saves() > saves + 8 && !opened.report.warnings.iter().any(told), "{:?}", opened.report);
    }
}

#[cfg(unix)]
#[test]
fn who_saves_all_the_time_waits_until_the_map_is_read_at_last() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let (folder, map) = half_saved("castle.dots");
    let record = hidden_beside(&map, ".spadework-intent");
    std::fs::remove_file(&record).unwrap();
    std::fs::write(folder.path().join("castle.author"), b"= ann\n").unwrap();
    let (is_over, saves) = (AtomicBool::new(false), std::sync::atomic::AtomicU32::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(1));
                let Some(_claim) = RealStorage.lock_folder(folder.path()).unwrap() else { continue };
                std::fs::write(&record, b"of them").unwrap();
                let (bytes, author) = if saves.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
                    (THEIR_MAP, THEIR_AUTHOR)
                } else {
                    (&b"DOTS\x01\x02\x03"[..], &b"= ann\n"[..])
                };
                for (path, bytes) in [(&folder.path().join("castle.author"), author), (&map, bytes)] {
                    std::fs::write(path.with_extension("new"), bytes).unwrap();
                    std::fs::rename(path.with_extension("new"), path).unwrap();
                }
                std::fs::remove_file(&record).unwrap();
            }
        });
        let mut mixed = 0;
        for _ in 0..200 {
            let opened = open_with(PLUGINS, &RealStorage, &map, &OpenOptions::default(), &Progress::new()).unwrap();
            let (their_map, their_author) = theirs(&opened);
            mixed += u32::from(their_map != their_author);
        }
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(mixed, 0);
    });
}
