//! Journals that are looked at while nothing, or little, is written to them, and what waits for a disk that takes nothing.

use std::io::Write as _;

use super::tests::{base, header, kept};
use super::*;
use crate::editor::storage::testing::{FaultyStorage, FolderStep};

/// A journal of one step that is looked at all the time, and what tells that it has something to say.
fn watched(disk: &FaultyStorage) -> (Journal, mpsc::Receiver<()>) {
    let path = Path::new("s/a.journal");
    let terms = Terms { watch_every: Duration::from_millis(5), retry_after: Duration::from_millis(5), ..Terms::default() };
    let begin = move |storage: &dyn Storage| {
        let base = base().copy(storage, path)?.files;
        let (lines, frames) = FrameWriter::begin(&JournalHeader { base: base.clone(), ..header() }).unwrap();
        Ok(Begun { lines: Some(lines), frames, base })
    };
    let (woken, wait) = mpsc::channel();
    let journal = Journal::spawn(Arc::new(disk.clone()), path.into(), None, 0, Arc::default(), terms, begin);
    let journal = journal.waking(Arc::new(move || woken.send(()).unwrap_or_default()));
    journal.append(JournalEntry::Redo);
    journal.flush();
    assert_eq!((journal.failure(), journal.acknowledged()), (None, 1));
    (journal, wait)
}

/// Waits for what the journal's thread does by itself.
#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it never came to it");
        thread::yield_now();
    }
}

#[test]
fn a_lock_that_is_removed_while_the_journal_is_opened_is_watched_all_the_same() {
    for index in 0..40 {
        let disk = FaultyStorage::default();
        disk.remove_at(index, "s/a.lock");
        let (journal, _wait) = watched(&disk);
        for _ in 0..2 {
            // Whether it was removed on the way or not, it is there before long, and stays.
            until(|| disk.get("s/a.lock").is_some());
            disk.remove(Path::new("s/a.lock")).unwrap_or_default();
        }
        until(|| disk.get("s/a.lock").is_some());
        assert_eq!(journal.failure(), None, "{index}");
    }
}

#[test]
fn a_journal_that_nothing_is_written_to_is_looked_at_and_mended() {
    let disk = FaultyStorage::default();
    let (journal, wait) = watched(&disk);
    let before = disk.all();
    for path in before.keys() {
        disk.remove(path).unwrap();
        until(|| disk.all() == before);
    }
    // Of what was removed so far, all is told by now.
    journal.flush();
    journal.take_made_anew();
    wait.try_iter().for_each(drop);
    disk.remove_folder("s");
    until(|| disk.all() == before);
    until(|| journal.take_made_anew());
    wait.recv_timeout(Duration::from_secs(30)).expect("what else lay in the folder is for others to see to");
    assert_eq!(journal.failure(), None);
}

#[test]
fn what_lies_beside_a_journal_is_looked_at_however_many_steps_are_made() {
    let disk = FaultyStorage::default();
    let (journal, _wait) = watched(&disk);
    for path in ["s/a.base", "s/a.spadework.yaml"] {
        disk.remove(Path::new(path)).unwrap();
        until(|| {
            // The thread has something to do all the time.
            (0..50).for_each(|_| _ = journal.append(JournalEntry::Undo));
            journal.flush();
            disk.get(path).is_some()
        });
    }
    assert_eq!((journal.failure(), journal.acknowledged()), (None, journal.appended()));
}

#[test]
fn a_failure_that_is_found_while_nothing_is_done_wakes_whoever_has_the_map() {
    let disk = FaultyStorage::default();
    let (journal, wait) = watched(&disk);
    let lock = lock_path(journal.path());
    disk.remove(&lock).unwrap();
    let woken = || wait.recv_timeout(Duration::from_secs(30)).expect("nobody was woken");
    // The journal may be faster; then it is tried until it is not.
    let theirs = std::iter::repeat_with(|| {
        disk.remove(&lock).unwrap_or_default();
        disk.lock(&lock).unwrap()
    });
    let theirs = theirs.flatten().next().unwrap();
    woken();
    assert_eq!(journal.failure(), Some(JournalError::Held.to_string()));
    let line = FrameWriter::behind(&read_journal(&disk.get("s/a.journal").unwrap()).unwrap()).unwrap().entry(&JournalEntry::Undo).unwrap();
    disk.append(Path::new("s/a.journal")).unwrap().write_all(&line).unwrap();
    let written = disk.get("s/a.journal");
    drop(theirs);
    woken();
    until(|| journal.failure().is_none());
    assert_eq!(journal.acknowledged(), 1);
    let aside = journal.take_put_aside();
    assert!(aside.len() == 1 && disk.get(&aside[0]) == written);
    // Whoever comes late is told what is there already.
    let (late, wait_late) = mpsc::channel();
    disk.fill_up(0);
    let other = Journal::start(Arc::new(disk.clone()), "s/b.journal".into(), None, base(), Stamps::default(), 7);
    other.flush();
    assert!(other.failure().is_some());
    let _other = other.waking(Arc::new(move || late.send(()).unwrap_or_default()));
    wait_late.try_recv().unwrap();
}

#[test]
fn a_disk_whose_files_get_other_numbers_all_the_time_costs_no_journal_made_anew() {
    for is_long in [false, true] {
        let disk = FaultyStorage::default();
        let (journal, _wait) = watched(&disk);
        journal.take_made_anew();
        disk.forget_numbers();
        for _ in 0..if is_long { 400 } else { 3 } {
            journal.append(JournalEntry::Undo);
            journal.flush();
        }
        assert_eq!((journal.failure(), journal.acknowledged()), (None, journal.appended()));
        let made = disk.folder_log().iter().filter(|step| **step == FolderStep::Named("s/a.journal".into())).count();
        assert!(made == 1 && !journal.take_made_anew(), "{made}");
        // What somebody removes, or cuts, is made anew all the same.
        disk.remove(Path::new("s/a.journal")).unwrap();
        until(|| disk.get("s/a.journal").is_some() && journal.take_made_anew());
        disk.cut("s/a.journal", 8300);
        journal.append(JournalEntry::Redo);
        journal.flush();
        let content = read_journal(&disk.get("s/a.journal").unwrap()).unwrap();
        assert_eq!((content.entries.len() as u64, content.damage, journal.failure()), (journal.appended(), None, None));
    }
}

#[test]
fn a_copy_that_takes_the_place_of_a_journal_is_none_that_is_written_to() {
    let disk = FaultyStorage::default();
    let (journal, _) = kept(&disk);
    let bytes = disk.get("s/a.journal").unwrap();
    for _ in 0..2 {
        disk.put("s/a.journal", &disk.get("s/a.journal").unwrap());
        journal.append(JournalEntry::Undo);
        journal.flush();
    }
    let content = read_journal(&disk.get("s/a.journal").unwrap()).unwrap();
    assert_eq!((content.entries.len(), journal.failure(), journal.acknowledged()), (4, None, 4));
    assert!(disk.get("s/a.journal").unwrap().starts_with(&bytes) && journal.take_made_anew());
}

#[test]
fn steps_that_wait_for_a_disk_are_bounded_in_number_and_bytes_and_the_bound_is_told_once_it_is_met() {
    for (most, is_met) in [((3, u64::MAX), true), ((usize::MAX, 40), true), ((100, 10_000), false)] {
        let disk = FaultyStorage::default();
        disk.fill_up(0);
        let terms = Terms { most_waiting: most, retry_after: Duration::from_millis(5), ..Terms::default() };
        let begin = move |storage: &dyn Storage| {
            let base = base().copy(storage, Path::new("s/a.journal"))?.files;
            let (lines, frames) = FrameWriter::begin(&JournalHeader { base: base.clone(), ..header() }).unwrap();
            Ok(Begun { lines: Some(lines), frames, base })
        };
        let journal = Journal::spawn(Arc::new(disk.clone()), "s/a.journal".into(), None, 0, Arc::default(), terms, begin);
        (0..8).for_each(|_| _ = journal.append(JournalEntry::Jump { to: 7 }));
        journal.flush();
        let failure = journal.failure().unwrap();
        assert_eq!((failure.contains("so many steps wait"), journal.is_failure_lasting()), (is_met, is_met), "{most:?}: {failure}");
        assert!(failure.contains("the disk is full"), "{failure}");
        disk.fill_up(1 << 20);
        if is_met {
            // It does not go on in the middle.
            journal.append(JournalEntry::Undo);
            journal.flush();
            assert!(journal.failure().is_some() && journal.acknowledged() == 0);
        } else {
            until(|| journal.failure().is_none() && journal.acknowledged() == 8);
        }
        journal.discard();
        assert!(disk.all().is_empty(), "{:?}", disk.all().keys());
    }
}
