//! Journals that others had for a while, because a lock was removed: nothing of theirs is written over, cut or deleted.

use std::io::Write as _;

use super::tests::{base, entries, header, kept};
use super::*;
use crate::editor::storage::testing::{Fault, FaultyStorage};

const JOURNAL: &str = "s/a.journal";
const LOCK: &str = "s/a.lock";

/// What another Spadework wrote at the end of the journal, as it is then.
fn gone_on_with(disk: &FaultyStorage) -> Vec<u8> {
    let content = read_journal(&disk.get(JOURNAL).unwrap()).unwrap();
    let line = FrameWriter::behind(&content).unwrap().entry(&JournalEntry::Undo).unwrap();
    disk.append(Path::new(JOURNAL)).unwrap().write_all(&line).unwrap();
    disk.get(JOURNAL).unwrap()
}

#[test]
fn a_journal_is_not_gone_on_with_under_a_lock_that_is_none_any_more() {
    for (is_held, is_written) in [(false, false), (false, true), (true, false), (true, true)] {
        let disk = FaultyStorage::default();
        drop(kept(&disk));
        let content = read_journal_of(disk.open(Path::new(JOURNAL)).unwrap()).unwrap();
        let stale = disk.lock(Path::new(LOCK)).unwrap().unwrap();
        disk.remove(Path::new(LOCK)).unwrap();
        let theirs = is_held.then(|| disk.lock(Path::new(LOCK)).unwrap().unwrap());
        if is_written {
            gone_on_with(&disk);
        }
        let before = disk.get(JOURNAL).unwrap();
        let journal = Journal::resume(Arc::new(disk.clone()), JOURNAL.into(), &content, stale);
        journal.append(entries()[2].clone());
        journal.flush();
        if is_held {
            assert_eq!(journal.failure(), Some(JournalError::Held.to_string()));
            assert!(disk.get(JOURNAL).unwrap() == before, "it is theirs");
            drop(theirs);
            journal.flush();
        }
        assert_eq!((journal.failure(), journal.acknowledged()), (None, 3));
        assert!(disk.lock(Path::new(LOCK)).unwrap().is_none(), "nobody else takes it");
        assert_eq!(read_journal(&disk.get(JOURNAL).unwrap()).unwrap().entries, entries()[..3]);
        let aside = journal.take_put_aside();
        assert_eq!(aside.len(), usize::from(is_written));
        assert!(aside.iter().all(|aside| disk.get(aside).unwrap() == before));
        // From here on it is watched as any other.
        disk.remove(Path::new(LOCK)).unwrap();
        let theirs = disk.lock(Path::new(LOCK)).unwrap().unwrap();
        journal.append(entries()[3].clone());
        journal.flush();
        assert_eq!(journal.failure(), Some(JournalError::Held.to_string()));
        drop(theirs);
    }
}

#[test]
fn what_others_wrote_into_a_journal_is_not_discarded_with_the_map() {
    for is_full in [false, true] {
        let disk = FaultyStorage::default();
        let begin = move |storage: &dyn Storage| {
            let base = base().copy(storage, Path::new(JOURNAL))?.files;
            let (lines, frames) = FrameWriter::begin(&JournalHeader { base: base.clone(), ..header() }).unwrap();
            Ok(Begun { lines: Some(lines), frames, base })
        };
        let terms = Terms { most_bytes: if is_full { 8400 } else { 1 << 20 }, ..Terms::default() };
        let journal = Journal::spawn(Arc::new(disk.clone()), JOURNAL.into(), None, 0, Arc::default(), terms, begin);
        let steps = if is_full { 40 } else { 2 };
        (0..steps).for_each(|_| _ = journal.append(JournalEntry::Redo));
        journal.flush();
        assert_eq!(journal.failure().is_some_and(|failure| failure.contains("is full")), is_full, "{:?}", journal.failure());
        // Nobody looks at it within two seconds, or, when it is full, ever.
        disk.remove(Path::new(LOCK)).unwrap();
        let theirs = disk.lock(Path::new(LOCK)).unwrap().unwrap();
        let written = gone_on_with(&disk);
        drop(theirs);
        journal.discard();
        assert!(disk.get(JOURNAL).is_none());
        assert!(disk.get("s/a-old1.journal") == Some(written), "{is_full}: {:?}", disk.all().keys());
        assert!(disk.get("s/a.base").is_some(), "its steps start from there");
        remove_journal(&disk, Path::new("s/a-old1.journal")).unwrap();
        assert!(disk.all().is_empty(), "{:?}", disk.all().keys());
    }
}

#[test]
fn a_new_journal_takes_the_place_of_none_and_does_not_delete_it() {
    let disk = FaultyStorage::default();
    disk.put(JOURNAL, b"of somebody");
    let journal = Journal::start(Arc::new(disk.clone()), JOURNAL.into(), None, base(), Stamps::default(), 7);
    journal.append(JournalEntry::Undo);
    journal.flush();
    assert_eq!(journal.failure(), Some(JournalError::Taken.to_string()));
    journal.discard();
    assert_eq!(disk.get(JOURNAL).unwrap(), b"of somebody");
}

#[test]
fn what_two_processes_delete_at_once_is_deleted() {
    for index in 0..12 {
        for gone in ["s/a.base", "s/a-old1.journal", "s/a-old1.lock"] {
            let disk = FaultyStorage::with(&["s/a.base", "s/a-old1.journal", "s/a-old1.lock"].map(|path| (path, &b"x"[..])));
            disk.remove_at(index, gone);
            remove_journal(&disk, Path::new("s/a-old1.journal")).unwrap();
            assert!(disk.all().is_empty(), "{index}: {:?}", disk.all().keys());
        }
    }
}

#[test]
fn copies_go_with_the_last_journal_that_starts_from_them() {
    let files = ["s/a.base", "s/a.txt", "s/a-old1.damaged", "s/a-old2.damaged", "s/b.base"].map(|path| (path, &b"x"[..]));
    let disk = FaultyStorage::with(&files);
    let has_copies = || (disk.get("s/a.base").is_some(), disk.get("s/a.txt").is_some());
    remove_aside(&disk, Path::new("s/a-old1.damaged")).unwrap();
    assert_eq!(has_copies(), (true, true), "there is another one");
    disk.put(LOCK, b"");
    remove_aside(&disk, Path::new("s/a-old2.damaged")).unwrap();
    assert_eq!(has_copies(), (true, true), "somebody has the journal itself");
    disk.remove(Path::new(LOCK)).unwrap();
    disk.put("s/a-old3.damaged", b"x");
    disk.put(JOURNAL, b"x");
    remove_journal(&disk, Path::new(JOURNAL)).unwrap();
    assert_eq!(has_copies(), (true, true), "what was put aside of it stays");
    remove_aside(&disk, Path::new("s/a-old3.damaged")).unwrap();
    assert_eq!(disk.all().into_keys().collect::<Vec<_>>(), [Path::new("s/b.base")]);
}

#[test]
fn a_leftover_whose_map_others_saved_and_closed_is_not_gone_on_with() {
    let disk = FaultyStorage::default();
    drop(kept(&disk));
    let content = read_journal(&disk.get(JOURNAL).unwrap()).unwrap();
    let lock = disk.lock(Path::new(LOCK)).unwrap().unwrap();
    remove_journal(&disk, Path::new(JOURNAL)).unwrap();
    let journal = Journal::resume(Arc::new(disk.clone()), JOURNAL.into(), &content, lock);
    journal.append(entries()[2].clone());
    journal.flush();
    assert_eq!(journal.failure(), Some(JournalError::Lost.to_string()));
    assert!(disk.get(JOURNAL).is_none(), "its steps would lead nowhere");
}

#[test]
fn a_journal_that_the_disk_did_not_take_is_discarded_without_a_trace() {
    // One that begins, wherever the disk fails: also while it is deleted.
    for index in 0..24 {
        let disk = FaultyStorage::default();
        disk.fail_at(index, Fault::Once(io::ErrorKind::StorageFull));
        Journal::start(Arc::new(disk.clone()), JOURNAL.into(), None, base(), Stamps::default(), 7).discard();
        assert!(disk.get("s/a-old1.journal").is_none(), "{index}: {:?}", disk.all().keys());
    }
    // One that was left with half a line, or whose last steps cannot be repeated: it was saved to another disk.
    for is_torn in [true, false] {
        let disk = FaultyStorage::default();
        drop(kept(&disk));
        if is_torn {
            disk.cut(JOURNAL, disk.get(JOURNAL).unwrap().len() - 5);
        }
        let mut content = read_journal_of(disk.open(Path::new(JOURNAL)).unwrap()).unwrap();
        content.entries.truncate(1);
        let lock = disk.lock(Path::new(LOCK)).unwrap().unwrap();
        disk.fill_up(0);
        let journal = Journal::resume(Arc::new(disk.clone()), JOURNAL.into(), &content, lock);
        journal.flush();
        assert!(journal.failure().is_some_and(|failure| failure.contains("the disk is full")), "{:?}", journal.failure());
        journal.discard();
        assert!(disk.all().is_empty(), "{is_torn}: {:?}", disk.all().keys());
    }
}

#[test]
fn a_journal_of_another_user_is_gone_on_with_in_a_file_of_its_own() {
    let disk = FaultyStorage::default();
    drop(kept(&disk));
    disk.protect(JOURNAL);
    let content = read_journal(&disk.get(JOURNAL).unwrap()).unwrap();
    let lock = disk.lock(Path::new(LOCK)).unwrap().unwrap();
    let journal = Journal::resume(Arc::new(disk.clone()), JOURNAL.into(), &content, lock);
    journal.append(entries()[2].clone());
    journal.flush();
    assert_eq!((journal.failure(), journal.acknowledged()), (None, 3));
    assert_eq!(read_journal(&disk.get(JOURNAL).unwrap()).unwrap().entries, entries()[..3]);
}

#[test]
fn a_snapshot_of_what_others_made_goes_when_their_journal_is_put_aside_at_a_restore() {
    let disk = FaultyStorage::default();
    drop(kept(&disk));
    let content = read_journal_of(disk.open(Path::new(JOURNAL)).unwrap()).unwrap();
    gone_on_with(&disk);
    disk.put("s/a.snapshot", b"theirs");
    let lock = disk.lock(Path::new(LOCK)).unwrap().unwrap();
    let journal = Journal::resume(Arc::new(disk.clone()), JOURNAL.into(), &content, lock);
    journal.flush();
    assert_eq!((journal.failure(), journal.take_put_aside().len()), (None, 1));
    assert!(disk.get("s/a.snapshot").is_none(), "it would stand for the map");
}

#[test]
fn a_journal_that_was_begun_and_could_not_be_opened_is_not_written_to_under_the_lock_of_others() {
    for index in 0..40 {
        let disk = FaultyStorage::default();
        let begin = move |storage: &dyn Storage| {
            let base = base().copy(storage, Path::new(JOURNAL))?.files;
            let (lines, frames) = FrameWriter::begin(&JournalHeader { base: base.clone(), ..header() }).unwrap();
            Ok(Begun { lines: Some(lines), frames, base })
        };
        let (acknowledged, told) = (AtomicU64::new(0), Told::default());
        let mut writer = Writer::new(&disk, Path::new(JOURNAL), begin, &acknowledged, None, &told, Terms::default());
        disk.fail_at(index, Fault::Once(io::ErrorKind::StorageFull));
        // The disk need not take everything: not the copies in memory.
        if writer.write().is_ok() {
            continue;
        }
        disk.remove(Path::new(LOCK)).unwrap_or_default();
        disk.create_folder(Path::new("s")).unwrap();
        let theirs = disk.lock(Path::new(LOCK)).unwrap().unwrap();
        let before = disk.all();
        writer.waiting.push_back((Box::new(JournalEntry::Undo), None));
        assert!(matches!(writer.write(), Err(JournalError::Held)), "{index}");
        assert!(disk.all() == before && acknowledged.load(Ordering::Acquire) == 0, "{index}");
        drop(theirs);
    }
}

#[test]
fn what_others_wrote_between_two_tries_to_go_on_with_a_journal_is_put_aside() {
    let mut tried = 0;
    for index in 0..40 {
        let disk = FaultyStorage::default();
        drop(kept(&disk));
        let content = read_journal_of(disk.open(Path::new(JOURNAL)).unwrap()).unwrap();
        // One of an earlier version is written anew; its snapshot goes.
        let content = JournalContent { is_of_today: false, ..content };
        disk.put("s/a.snapshot", b"of steps that went");
        let lock = disk.lock(Path::new(LOCK)).unwrap().unwrap();
        disk.fail_at(index, Fault::Once(io::ErrorKind::StorageFull));
        let journal = Journal::resume(Arc::new(disk.clone()), JOURNAL.into(), &content, lock);
        // Answered once it was tried for the first time.
        journal.mark()();
        if journal.failure().is_none() {
            continue;
        }
        disk.remove(Path::new(LOCK)).unwrap_or_default();
        // Its thread may have tried again, and have it.
        let Some(theirs) = disk.lock(Path::new(LOCK)).unwrap() else { continue };
        let written = gone_on_with(&disk);
        drop(theirs);
        journal.append(entries()[2].clone());
        journal.flush();
        assert_eq!((journal.failure(), journal.acknowledged()), (None, 3), "{index}");
        let aside = journal.take_put_aside();
        assert!(aside.len() == 1 && disk.get(&aside[0]) == Some(written), "{index}: {aside:?}");
        tried += 1;
    }
    assert!(tried > 3, "{tried}");
}
