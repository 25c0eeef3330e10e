//! Journals that crashes left: found, repeated, gone on with, cleaned up.

mod beheaded;
#[cfg(unix)]
mod floor;
mod killed_saves;
pub(in crate::editor) mod many;
mod obstacles;

use std::sync::Arc;

use glam::IVec3;

use super::*;
use crate::document::{Document, GameProfile, Progress};
use crate::edit::{Command, History, plan};
use crate::editor::files::{OpenOptions, SaveOptions, Stamps, open_map, save_map};
use crate::editor::journal::{Journal, JournalBase, frame, read_journal};
use crate::editor::storage::testing::{Fault, FaultyStorage};
use crate::format::MAP_FORMATS;
use crate::geom::Region;
use crate::voxel::{Rgb, Store, StoreEdit, Voxel};

pub(in crate::editor) const JOURNAL: &str = "s/a.journal";

pub(in crate::editor) fn set(x: i32) -> Command {
    serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,60],"color":"#ff8000"}}}}"##)).unwrap()
}

/// A new map, four steps, one of them undone, and then the process is gone.
pub(in crate::editor) fn crashed(format: &'static str) -> (FaultyStorage, Document) {
    let storage = FaultyStorage::default();
    // VXL has the game's size only; VMF any, and writing air takes its time.
    let size = if format == "vxl" { IVec3::new(512, 512, 64) } else { IVec3::new(16, 16, 64) };
    let mut store = Store::new(Region::of_size(size));
    // A VXL has a floor everywhere.
    let mut floor = StoreEdit::new(&store);
    for pos in Region::new(IVec3::new(0, 0, 63), size).positions() {
        floor.set(pos, Some(Voxel::new(Rgb::new(10, 20, 30))));
    }
    let floor = floor.finish();
    store.apply(&floor);
    let mut document = Document::new(store, &GameProfile::ACE_OF_SPADES);
    let base = JournalBase::Made { format, document: Box::new(document.clone()), of_snapshot: false };
    let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), None, base, Stamps::default(), 7);
    let mut history = History::new();
    for x in 1..4 {
        let change = plan(&document, &set(x), &Progress::new()).unwrap();
        history.commit(&mut document, change);
        journal.append(JournalEntry::Do { command: set(x), at: 10 });
    }
    history.undo(&mut document);
    journal.append(JournalEntry::Undo);
    journal.flush();
    assert_eq!(journal.failure(), None);
    // While it runs, nobody takes its journal.
    assert!(find_leftovers(&storage, Path::new("s")).recoverable.is_empty());
    drop(journal);
    storage.restart();
    (storage, document)
}

#[test]
fn a_new_map_comes_back_after_a_crash_with_its_history() {
    for format in MAP_FORMATS.iter().map(|format| format.id()).filter(|id| *id == "vxl" || *id == "vmf") {
        let (storage, document) = crashed(format);
        let found = find_leftovers(&storage, Path::new("s"));
        assert!(found.skipped.is_empty(), "{:?}", found.skipped);
        let [found] = &found.recoverable[..] else { panic!("{format}: {:?}", found.recoverable) };
        // The last step is an undo: the disk knows when it was written.
        let modified = storage.info(Path::new(JOURNAL)).unwrap().modified.unwrap();
        let written = modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        assert_eq!((found.steps, found.at, &found.map), (4, written.max(10), &None));
        let mut replayed = replay(&storage, found, &Progress::new()).unwrap();
        assert!(replayed.stopped.is_none() && replayed.replayed == 4 && replayed.history.is_modified());
        for pos in Region::new(IVec3::new(0, 0, 50), IVec3::new(8, 8, 63)).positions() {
            assert_eq!(replayed.document.store().is_solid(pos), document.store().is_solid(pos), "{format} {pos}");
        }
        replayed.history.redo(&mut replayed.document);
        assert!(replayed.document.store().is_solid(IVec3::new(3, 2, 60)));
    }
}

/// Brings the map back by its snapshot after so many entries and without it: both ways give the same map.
#[track_caller]
fn check_quickly(entries: &[JournalEntry], after: usize, is_used: bool) {
    let (storage, _) = crashed("vxl");
    let mut found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    found.content.entries = Entries::from(&entries[..after]);
    let before = replay(&storage, &found, &Progress::new()).unwrap();
    write_snapshot(&storage, Path::new(JOURNAL), &before.document, after, None).unwrap();
    found.content.entries = Entries::from(entries);
    let whole = replay(&storage, &found, &Progress::new()).unwrap();
    let quick = replay_quickly(&storage, &found, &Progress::new()).unwrap();
    assert_eq!(quick.skipped, if is_used { after } else { 0 });
    assert_eq!((quick.replayed, quick.history.is_modified()), (whole.replayed, whole.history.is_modified()));
    assert!(quick.document.store().same_voxels(whole.document.store()));
    // The steps from before the snapshot come back, and lead back to the very beginning.
    let (mut document, mut history) = (quick.document, quick.history);
    let steps = whole.history.head();
    let older = replay_whole(&storage, Path::new(JOURNAL), &before_snapshot(&found.content, after), &Progress::new()).unwrap();
    if is_used {
        assert!(older.document.store().same_voxels(quick.start.store()));
        history.prepend(&mut document, older.history);
    }
    assert_eq!((history.head(), history.is_modified()), (steps, whole.history.is_modified()));
    assert!(document.store().same_voxels(whole.document.store()));
    history.jump_to(&mut document, 0);
    // As it was made.
    assert_eq!(document.store().solid_count(), 512 * 512);
    history.jump_to(&mut document, steps);
    assert!(document.store().same_voxels(whole.document.store()));
}

#[test]
fn a_snapshot_shortens_the_replay_and_changes_nothing_else() {
    let set = |x| JournalEntry::Do { command: set(x), at: 1 };
    let saving = || JournalEntry::Saving { number: 1 };
    let saved = || JournalEntry::Saved {
        number: Some(1),
        map: Path::new("m/a.vxl").into(),
        format: None,
        options: None,
        stamps: Stamps::default(),
    };
    let entries = [set(1), set(2), JournalEntry::Undo, set(3), set(4), JournalEntry::Undo, JournalEntry::Redo, set(5)];
    for (after, is_used) in [(1, true), (2, false), (3, true), (4, true), (5, false), (6, false), (7, true), (8, true)] {
        check_quickly(&entries, after, is_used);
    }
    // A save that began before the snapshot and ended after it: the map is not taken for saved.
    check_quickly(&[set(1), saving(), set(2), saved(), set(3)], 3, true);
    check_quickly(&[set(1), set(2), saving(), saved()], 1, true);
    check_quickly(&[set(1), saving(), set(2), JournalEntry::Undo, saved(), set(3)], 4, true);
}

#[test]
fn steps_that_are_undone_later_are_undone_however_much_they_take() {
    let (storage, _) = crashed("vxl");
    let mut found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let set = |x| JournalEntry::Do { command: set(x), at: 1 };
    let steps = |range: std::ops::Range<i32>| range.map(set);
    let undos = |count| std::iter::repeat_n(JournalEntry::Undo, count);
    let mut check = |entries: Vec<JournalEntry>, forgets: bool| {
        found.content.entries = Entries::from(&entries[..]);
        let within = |budget| replay_within_budget(budget, &storage, Path::new(JOURNAL), &found.content).unwrap();
        let (whole, mut short) = (within(usize::MAX), within(1));
        assert!(whole.stopped.is_none() && short.stopped.is_none(), "{:?}", short.stopped);
        assert!(short.document.store().same_voxels(whole.document.store()));
        short.history.set_budget(&mut short.document, 1);
        assert_eq!(short.history.forgotten() > 0, forgets, "{}", short.history.forgotten());
        assert!(short.document.store().same_voxels(whole.document.store()));
    };
    check(steps(1..20).chain(undos(19)).collect(), false);
    check(steps(1..20).chain(undos(3)).chain(steps(20..30)).chain(undos(9)).chain([JournalEntry::Redo]).collect(), true);
    check(steps(1..9).chain(undos(2)).chain([JournalEntry::Jump { to: 1 }]).chain(steps(9..12)).collect(), true);
    check(steps(1..30).collect(), true);
    // An undo that there is nothing for is no step of anybody: what comes after it would be another map.
    found.content.entries = Entries::from(&[set(1), JournalEntry::Undo, JournalEntry::Undo, set(2)][..]);
    let replayed = replay(&storage, &found, &Progress::new()).unwrap();
    assert!(replayed.stopped.is_some() && replayed.replayed == 2);
}

#[test]
fn what_a_save_put_in_place_before_it_was_killed_is_nobody_elses_work() {
    let (storage, document) = crashed("vmf");
    let map = Path::new("m/a.vmf");
    storage.put("m/other", b"");
    let again = || find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let found = again();
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    let options = SaveOptions { before_placing: journal.placing(), ..SaveOptions::default() };
    let saved = save_map(&storage, &document, map, &options, &Progress::new()).unwrap();
    assert_eq!(saved.written, [map]);
    // Killed before it could note that it was saved.
    drop(journal);
    storage.restart();
    let found = again();
    assert_eq!(found.content.entries.kinds().last(), Some(EntryKind::Placing));
    let is_known = |found: &Recoverable, replay: &dyn Fn(&Recoverable) -> Replayed| {
        let replayed = replay(found);
        replayed.stopped.is_none() && replayed.stamps.get(map).is_some_and(|stamp| stamp.still_holds(&storage, map).unwrap())
    };
    let whole = |found: &Recoverable| replay(&storage, found, &Progress::new()).unwrap();
    let quick = |found: &Recoverable| replay_quickly(&storage, found, &Progress::new()).unwrap();
    assert!(is_known(&found, &whole));
    write_snapshot(&storage, Path::new(JOURNAL), &document, found.content.entries.len(), None).unwrap();
    assert!(is_known(&found, &quick) && quick(&found).skipped > 0);
    // What another program put there since is asked about.
    storage.put(map, b"other");
    assert!([whole(&found), quick(&found)].iter().all(|replayed| replayed.stamps.get(map).is_none()));
}

#[test]
fn a_resumed_journal_goes_on_and_a_changed_copy_is_refused() {
    let Some(format) = MAP_FORMATS.iter().map(|format| format.id()).find(|id| *id == "vxl") else { return };
    let (storage, _) = crashed(format);
    // A crash in the middle of a frame.
    let whole = storage.get(JOURNAL).unwrap();
    storage.put(JOURNAL, &whole[..whole.len() - 1]);
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    assert!(found.content.damage.is_some());
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    journal.append(JournalEntry::Do { command: set(9), at: 11 });
    journal.flush();
    drop(journal);
    storage.restart();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    assert_eq!((found.steps, found.content.damage), (4, None));
    storage.put("s/a.base", b"other");
    assert!(matches!(replay(&storage, &found, &Progress::new()), Err(RecoveryError::BaseChanged { .. })));
    discard(&storage, found).unwrap();
    assert!(storage.all().keys().all(|path| !path.to_string_lossy().contains("journal")));
}

#[test]
fn a_journal_that_somebody_went_on_with_is_not_discarded() {
    let (storage, _) = crashed("vxl");
    let (path, before) = (Path::new(JOURNAL), storage.all());
    let theirs = storage.lock(&lock_path(path)).unwrap().unwrap();
    let with_lock = storage.all();
    assert!(matches!(discard_file(&storage, path), Err(RecoveryError::Held)));
    assert!(storage.all() == with_lock && before.keys().all(|file| with_lock.contains_key(file)));
    drop(theirs);
    discard_file(&storage, path).unwrap();
    assert!(storage.all().keys().all(|file| !file.starts_with("s")), "{:?}", storage.all().keys());
}

#[test]
fn every_step_after_the_last_save_is_counted() {
    let select = || JournalEntry::Do { command: serde_json::from_str(r#"{"select":{"box":[[1,0,0],[9,9,9]]}}"#).unwrap(), at: 1 };
    let edit = || JournalEntry::Do { command: set(1), at: 1 };
    let (saving, jump) = (JournalEntry::Saving { number: 1 }, |to| JournalEntry::Jump { to });
    let unsaved_steps = |entries: &[JournalEntry], from| super::unsaved_steps(entries.iter().map(EntryKind::of), from);
    assert_eq!(unsaved_steps(&[select()], 0), 1, "what was acknowledged is not lost, though no file would hold it");
    assert_eq!(unsaved_steps(&[edit(), saving, select(), JournalEntry::Undo, JournalEntry::Redo, jump(1)], 1), 4);
    assert_eq!(unsaved_steps(&[edit()], 1), 0);
    assert_eq!(unsaved_steps(&[jump(0), select()], 0), 1, "which only says that the map is in no file");
    assert_eq!(unsaved_steps(&[edit(), jump(0)], 0), 2);
}

#[test]
fn a_journal_whose_first_unsaved_step_is_damaged_is_told_and_kept() {
    let (storage, _) = crashed("vxl");
    let mut bytes = storage.get(JOURNAL).unwrap();
    // A frame is a line, the first two are the header.
    let at = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0;
    bytes[at + 20] ^= 1;
    storage.put(JOURNAL, &bytes);
    let found = find_leftovers(&storage, Path::new("s"));
    assert!(found.recoverable.is_empty());
    assert!(matches!(&found.skipped[..], [Skipped { reason: RecoveryError::NoWholeStep { .. }, .. }]), "{:?}", found.skipped);
    drop(found);
    assert_eq!(storage.get(JOURNAL).unwrap(), bytes);
    assert!(storage.get("s/a.base").is_some());
}

#[test]
fn what_a_snapshot_holds_from_behind_the_damage_comes_back() {
    // Damage at the second step, and at the very first; and a journal that was cut off between two of them.
    for (whole, is_cut) in [(1, false), (0, false), (1, true), (0, true)] {
        let (storage, document) = crashed("vxl");
        let mut bytes = storage.get(JOURNAL).unwrap();
        let mark = read_journal(&bytes).unwrap().mark(4);
        write_snapshot(&storage, Path::new(JOURNAL), &document, 4, mark).unwrap();
        let mut ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
        // After the two headers.
        let at = ends.nth(whole + 1).unwrap() + 20;
        if is_cut {
            bytes.truncate(at - 19);
        } else {
            bytes[at] ^= 1;
        }
        storage.put(JOURNAL, &bytes);
        let found = find_leftovers(&storage, Path::new("s"));
        let [found] = &found.recoverable[..] else { panic!("{:?}", found.skipped) };
        assert_eq!(found.content.damage.is_none(), is_cut);
        assert_eq!((found.steps, found.beyond), (whole, 4 - whole));
        for quickly in [false, true] {
            let replay = if quickly { replay_quickly } else { replay };
            let replayed = replay(&storage, found, &Progress::new()).unwrap();
            assert!(replayed.document.store().same_voxels(document.store()));
            assert_eq!((replayed.beyond, replayed.skipped, replayed.history.head()), (4 - whole, whole, 0));
            assert!(replayed.history.is_modified() && replayed.stopped.is_none());
        }
        // One of what the journal holds is of no use here, and one of less is repeated from.
        write_snapshot(&storage, Path::new(JOURNAL), &document, whole, None).unwrap();
        let found = find_leftovers(&storage, Path::new("s"));
        assert_eq!(found.recoverable.first().map_or(0, |found| found.beyond), 0);
    }
}

#[test]
fn a_snapshot_of_another_journal_is_not_used_and_told() {
    let (storage, document) = crashed("vxl");
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    // With the floor that VXL maps have.
    let document = replay(&storage, &found, &Progress::new()).map(|replayed| replayed.document).unwrap_or(document);
    let content = found.content.clone();
    drop(found);
    // Another map, whose journal has as many entries of its own, and more.
    let other = FaultyStorage::default();
    let base = JournalBase::Made { format: "vxl", document: Box::new(document.clone()), of_snapshot: false };
    let journal = Journal::start(Arc::new(other), "o/b.journal".into(), None, base, Stamps::default(), 8);
    let mut foreign = document.clone();
    let mut history = History::new();
    for x in 7..15 {
        let change = plan(&foreign, &set(x), &Progress::new()).unwrap();
        history.commit(&mut foreign, change);
        journal.append(JournalEntry::Do { command: set(x), at: 10 });
        let entries = journal.appended() as usize;
        write_snapshot(&storage, Path::new(JOURNAL), &foreign, entries, journal.mark()()).unwrap();
        check_refused(&storage, &document);
    }
    // One that names no journal, or more entries than any journal has.
    let own = content.mark(4).unwrap();
    for (entries, mark) in [(5, None), (usize::MAX, None), (usize::MAX, Some(own)), (1 << 31, Some(own))] {
        write_snapshot(&storage, Path::new(JOURNAL), &foreign, entries, mark).unwrap();
        check_refused(&storage, &document);
    }
    // Its own is used.
    write_snapshot(&storage, Path::new(JOURNAL), &document, 4, Some(own)).unwrap();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let replayed = replay_quickly(&storage, &found, &Progress::new()).unwrap();
    assert!((replayed.skipped, replayed.is_snapshot_foreign) == (4, false));
}

/// The map comes back from its journal, as if there were no snapshot.
#[track_caller]
fn check_refused(storage: &FaultyStorage, document: &Document) {
    let found = find_leftovers(storage, Path::new("s")).recoverable.pop().unwrap();
    assert_eq!((found.steps, found.beyond), (4, 0));
    for replay in [replay, replay_quickly] {
        let replayed = replay(storage, &found, &Progress::new()).unwrap();
        assert!(replayed.document.store().same_voxels(document.store()));
        assert!((replayed.skipped, replayed.beyond, replayed.is_snapshot_foreign) == (0, 0, true));
    }
}

#[test]
fn a_map_that_others_changed_is_recovered_and_said_to_be_changed() {
    let Some(format) = MAP_FORMATS.iter().map(|format| format.id()).find(|id| *id == "vxl") else { return };
    let (storage, _) = crashed(format);
    let map = storage.get("s/a.base").unwrap();
    storage.put("m/a.vxl", &map);
    let opened = open_map(&storage, Path::new("m/a.vxl"), &OpenOptions::default(), &Progress::new()).unwrap();
    let base = JournalBase::of_opened(&opened, Path::new("m/a.vxl"));
    let path = Path::new("s/b.journal");
    let journal = Journal::start(Arc::new(storage.clone()), path.into(), Some(Path::new("m/a.vxl")), base, opened.stamps, 7);
    journal.append(JournalEntry::Do { command: set(5), at: 99 });
    drop(journal);
    storage.restart();
    storage.put("m/a.vxl", b"somebody else's");
    let found = find_leftovers(&storage, Path::new("s"));
    assert_eq!(found.recoverable[0].map.as_deref(), Some(Path::new("m/a.vxl")));
    let replayed = replay(&storage, &found.recoverable[0], &Progress::new()).unwrap();
    assert_eq!(replayed.changed_on_disk, [Path::new("m/a.vxl")]);
    assert!(replayed.document.store().is_solid(IVec3::new(5, 2, 60)));
    assert_eq!(storage.get("m/a.vxl").unwrap(), b"somebody else's");
}

#[test]
fn a_saved_map_leaves_nothing_to_recover() {
    let Some(format) = MAP_FORMATS.iter().map(|format| format.id()).find(|id| *id == "vxl") else { return };
    let (storage, _) = crashed(format);
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    journal.append(JournalEntry::Saved {
        number: None,
        map: Path::new("m/a.vxl").into(),
        format: None,
        options: None,
        stamps: Stamps::default(),
    });
    drop(journal);
    storage.restart();
    let found = find_leftovers(&storage, Path::new("s"));
    assert!(found.recoverable.is_empty() && found.skipped.is_empty());
    assert!(storage.get(JOURNAL).is_none());
}

#[test]
fn steps_made_while_the_map_was_saved_are_recovered_as_unsaved() {
    let (storage, _) = crashed("vxl");
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    let command = set(7);
    journal.append(JournalEntry::Saving { number: 3 });
    journal.append(JournalEntry::Do { command: command.clone(), at: 12 });
    let map = Path::new("m/a.vmf").into();
    journal.append(JournalEntry::Saved { number: Some(3), map, format: Some("vmf".into()), options: None, stamps: Stamps::default() });
    drop(journal);
    storage.restart();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    assert_eq!(found.steps, 1);
    let mut replayed = replay(&storage, &found, &Progress::new()).unwrap();
    assert_eq!(replayed.format, "vmf");
    assert!(replayed.history.is_modified());
    replayed.history.undo(&mut replayed.document);
    assert!(!replayed.history.is_modified(), "the state that the save began with is the saved one");
}

#[test]
fn a_resumed_journal_is_never_without_a_lock_and_keeps_the_old_one_aside() {
    let (storage, _) = crashed("vxl");
    let mut found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let whole = storage.get(JOURNAL).unwrap();
    found.content.entries.truncate(2);
    let aside = Path::new("s/a-old1.damaged");
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    assert!(storage.lock(&lock_path(Path::new(JOURNAL))).unwrap().is_none());
    journal.append(JournalEntry::Do { command: set(9), at: 11 });
    journal.flush();
    assert_eq!(journal.failure(), None);
    assert!(storage.lock(&lock_path(Path::new(JOURNAL))).unwrap().is_none());
    assert_eq!(storage.get(aside).unwrap(), whole);
    assert_eq!(read_journal(&storage.get(JOURNAL).unwrap()).unwrap().entries.len(), 3);
    // Another one is not begun beside it.
    let base = JournalBase::Opened {
        file: Some("m/a.vxl".into()),
        format: "vxl",
        options: Default::default(),
        bytes: None,
        hash: None,
        sidecars: vec![],
    };
    let second = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), None, base, Stamps::default(), 7);
    second.flush();
    assert!(second.failure().is_some_and(|failure| failure.contains("another Spadework")));
}

#[test]
fn what_belongs_to_no_journal_is_removed_and_nothing_else() {
    let (storage, _) = crashed("vxl");
    for path in ["s/b.lock", "s/b.base", "s/b.txt", "s/c-old.damaged", "s/00ff.open", "s/notes.txt"] {
        storage.put(path, b"x");
    }
    let held = storage.lock(Path::new("s/d.lock")).unwrap();
    storage.put("s/d.base", b"x");
    // One look makes nothing a month old: that clock may be wrong.
    find_leftovers(&storage, Path::new("s"));
    assert!(storage.get("s/c-old.damaged").is_some());
    let found =
        hold_leftovers_at(&storage, Path::new("s"), MOST_HELD, &BTreeSet::new(), SystemTime::now() + Duration::from_secs(20 * 86_400));
    assert_eq!((found.recoverable.len(), found.skipped.len()), (1, 0));
    let kept: Vec<_> = storage.all().into_keys().map(|path| path.to_string_lossy().into_owned()).collect();
    assert_eq!(kept, ["s/a.base", "s/a.journal", "s/a.lock", "s/d.base", "s/d.lock", "s/looked-at", "s/notes.txt"]);
    drop(held);
}

#[test]
fn damaged_and_foreign_journals_are_skipped_and_kept() {
    let storage = FaultyStorage::with(&[("s/a.journal", b"nonsense"), ("s/b.journal", b""), ("s/readme.txt", b"hello")]);
    let found = find_leftovers(&storage, Path::new("s"));
    assert!(found.recoverable.is_empty());
    assert_eq!(found.skipped.len(), 2);
    assert!(found.skipped.iter().all(|skipped| matches!(skipped.reason, RecoveryError::Damaged)));
    assert_eq!(storage.get("s/a.journal").unwrap(), b"nonsense");
    assert!(find_leftovers(&storage, Path::new("missing")).skipped.is_empty());
}

/// What a newer Spadework would have written over the last entries, of which so many stay.
pub(in crate::editor) fn with_newer(bytes: &[u8], whole: usize) -> Vec<u8> {
    // A frame is a line, the first two are the header.
    let ends: Vec<usize> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    let mut kept = bytes[..ends[1 + whole]].to_vec();
    let last = &bytes[if whole == 0 { 0 } else { ends[whole] }..ends[1 + whole]];
    let last = u32::from_str_radix(std::str::from_utf8(&last[9..17]).unwrap(), 16).unwrap();
    let json = br#"{"branch":{"name":"b"}}"#;
    let mut hasher = crc32fast::Hasher::new_with_initial(last);
    hasher.update(json);
    kept.extend(format!("{:08x} {:08x} ", json.len(), hasher.finalize()).as_bytes());
    kept.extend(json);
    kept.push(b'\n');
    kept
}

#[test]
fn steps_of_a_newer_spadework_end_the_recovery_and_are_kept() {
    for whole in [2, 0] {
        let (storage, _) = crashed("vxl");
        let bytes = with_newer(&storage.get(JOURNAL).unwrap(), whole);
        storage.put(JOURNAL, &bytes);
        let mut found = find_leftovers(&storage, Path::new("s"));
        if whole == 0 {
            let [Skipped { reason, .. }] = &found.skipped[..] else { panic!("{found:?}") };
            assert!(reason.to_string().starts_with("the first step that was not saved is of a newer Spadework, at byte"), "{reason}");
            assert_eq!(storage.get(JOURNAL).unwrap(), bytes);
            continue;
        }
        let found = found.recoverable.pop().unwrap();
        assert_eq!((found.content.entries.len(), found.content.is_newer), (whole, true));
        assert!(found.content.damage_text().unwrap().starts_with("of a newer Spadework from byte"));
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        assert_eq!((replayed.replayed, replayed.stopped.is_none()), (whole, true));
        let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
        journal.flush();
        let aside = journal.take_put_aside();
        assert_eq!((journal.failure(), aside.len()), (None, 1));
        assert!(storage.get(&aside[0]).unwrap() == bytes);
    }
    // One bit of it is damage as ever.
    let (storage, _) = crashed("vxl");
    let mut bytes = with_newer(&storage.get(JOURNAL).unwrap(), 2);
    let at = bytes.len() - 5;
    bytes[at] ^= 1;
    assert!(!read_journal(&bytes).unwrap().is_newer);
}

#[test]
fn journals_of_a_newer_layout_are_kept_and_told_what_to_do_about() {
    let (storage, _) = crashed("vxl");
    let bytes = storage.get(JOURNAL).unwrap();
    let header = read_journal(&bytes).unwrap().header;
    let mut newer = serde_json::to_value(&header).unwrap();
    newer["app"] = "9.2".into();
    newer["layout"] = 3.into();
    let mut unlike = newer.clone();
    unlike["stamps"] = "elsewhere".into();
    unlike["base"] = serde_json::Value::Null;
    let mut other = serde_json::to_value(&header).unwrap();
    (other["app"], other["version"]) = ("9.2".into(), 7.into());
    for header in [newer, unlike, other] {
        let bytes = [frame(&header).unwrap(), frame(&JournalEntry::Undo).unwrap()].concat();
        storage.put(JOURNAL, &bytes);
        let found = find_leftovers(&storage, Path::new("s"));
        let [Skipped { reason: reason @ RecoveryError::OtherVersion { .. }, .. }] = &found.skipped[..] else { panic!("{found:?}") };
        let told = reason.to_string();
        assert!(told.contains("Spadework 9.2") && told.ends_with("restore it with that one"), "{told}");
        assert!(storage.get(JOURNAL).unwrap() == bytes && storage.get("s/a.base").is_some());
    }
}

/// A map with a file that was opened, and then the process is gone; what is left of the journal.
pub(in crate::editor) fn opened_and_gone(map: &str) -> FaultyStorage {
    opened_and_gone_with(map, &[])
}

/// As [`opened_and_gone`], of a map with such files beside it.
pub(in crate::editor) fn opened_and_gone_with(map: &str, beside: &[(&str, &[u8])]) -> FaultyStorage {
    let (old, _) = crashed("vxl");
    let storage = FaultyStorage::with(&[&[(map, &*old.get("s/a.base").unwrap())], beside].concat());
    let opened = open_map(&storage, Path::new(map), &OpenOptions::default(), &Progress::new()).unwrap();
    let base = JournalBase::of_opened(&opened, Path::new(map));
    let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), Some(Path::new(map)), base, opened.stamps, 7);
    journal.append(JournalEntry::Do { command: set(5), at: 9 });
    journal.flush();
    drop(journal);
    storage.restart();
    storage
}

#[test]
fn a_map_that_a_snapshot_holds_whole_is_unsaved() {
    let storage = opened_and_gone("m/a.vxl");
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let whole = replay(&storage, &found, &Progress::new()).unwrap();
    write_snapshot(&storage, Path::new(JOURNAL), &whole.document, 1, found.content.mark(1)).unwrap();
    let quick = replay_quickly(&storage, &found, &Progress::new()).unwrap();
    assert!(quick.skipped == 1 && quick.history.is_empty() && quick.document.store().same_voxels(whole.document.store()));
    assert!(whole.history.is_modified() && quick.history.is_modified(), "closing it would lose the step");
}

#[test]
fn an_undo_behind_a_step_that_changed_nothing_goes_back_to_before_the_snapshot() {
    let storage = opened_and_gone("m/a.vxl");
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let before = replay(&storage, &found, &Progress::new()).unwrap().document;
    write_snapshot(&storage, Path::new(JOURNAL), &before, 1, found.content.mark(1)).unwrap();
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    // As `apply` keeps them, each with a number that it prints.
    let nothing = serde_json::from_str(r##"{"replace_color":{"from":"#010203","to":"#040506"}}"##).unwrap();
    let more = [JournalEntry::Do { command: nothing, at: 10 }, JournalEntry::Undo, JournalEntry::Do { command: set(7), at: 11 }];
    more.into_iter().for_each(|entry| _ = journal.append(entry));
    journal.flush();
    drop(journal);
    storage.restart();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let quick = replay_quickly(&storage, &found, &Progress::new()).unwrap();
    let whole = replay_older(&storage, Path::new(JOURNAL), &found.content, &Progress::new()).unwrap();
    assert_eq!((quick.replayed, quick.stopped.is_none()), (4, true), "{:?}", quick.stopped);
    assert!(quick.document.store().same_voxels(whole.document.store()) && !before.store().same_voxels(whole.document.store()));
}

#[test]
fn a_journal_that_was_cut_to_its_header_stays_with_its_map_as_long_as_somebody_may_need_it() {
    let cut_to = |storage: &FaultyStorage, lines: usize| {
        let bytes = storage.get(JOURNAL).unwrap();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let end = ends.take(lines).last().unwrap();
        storage.put(JOURNAL, &bytes[..end]);
    };
    // After the first of the two headers: no journal begins like this.
    let storage = opened_and_gone("m/a.vxl");
    cut_to(&storage, 1);
    let found = find_leftovers(&storage, Path::new("s"));
    assert!(matches!(&found.skipped[..], [Skipped { reason: RecoveryError::NoWholeStep { .. }, .. }]), "{found:?}");
    drop(found);
    assert!(storage.get(JOURNAL).is_some() && storage.get("s/a.base").is_some());
    // After both, as a journal begins: it goes after ten minutes, its map with it.
    let storage = opened_and_gone("m/a.vxl");
    cut_to(&storage, 2);
    storage.touch(JOURNAL, SystemTime::now());
    assert!(find_leftovers(&storage, Path::new("s")).skipped.is_empty());
    assert!(storage.get(JOURNAL).is_some() && storage.get("s/a.base").is_some());
    storage.touch(JOURNAL, SystemTime::UNIX_EPOCH);
    assert!(find_leftovers(&storage, Path::new("s")).skipped.is_empty());
    assert!(storage.get(JOURNAL).is_none() && storage.get("s/a.base").is_none());
    // The only copy of a map whose file is gone stays for a month, and is told.
    let storage = opened_and_gone("m/a.vxl");
    cut_to(&storage, 2);
    storage.remove(Path::new("m/a.vxl")).unwrap();
    storage.touch(JOURNAL, SystemTime::now());
    assert_eq!(find_leftovers(&storage, Path::new("s")).skipped.len(), 1, "at once");
    storage.touch(JOURNAL, SystemTime::now() - Duration::from_secs(86_400));
    let found = find_leftovers(&storage, Path::new("s"));
    assert!(found.skipped.iter().any(|skipped| skipped.reason.to_string().contains("a.base")), "{found:?}");
    drop(found);
    assert!(storage.get(JOURNAL).is_some() && storage.get("s/a.base").is_some());
    // Whatever one clock says.
    let century = SystemTime::now() + Duration::from_secs(75 * 365 * 86_400);
    assert_eq!(hold_leftovers_at(&storage, Path::new("s"), MOST_HELD, &BTreeSet::new(), century).skipped.len(), 1);
    storage.remove(Path::new("s/looked-at")).unwrap();
    storage.touch(JOURNAL, SystemTime::now() - Duration::from_secs(31 * 86_400));
    let days_ago = |days: u64| SystemTime::now() - Duration::from_secs(days * 86_400);
    assert_eq!(hold_leftovers_at(&storage, Path::new("s"), MOST_HELD, &BTreeSet::new(), days_ago(16)).skipped.len(), 1);
    assert!(find_leftovers(&storage, Path::new("s")).skipped.is_empty());
    assert!(storage.get(JOURNAL).is_none() && storage.get("s/a.base").is_none());
}

/// Another Spadework had the journal while its lock was removed, and went on with it.
fn gone_on_with(storage: &FaultyStorage) -> FileLock {
    let lock = lock_path(Path::new(JOURNAL));
    storage.remove(&lock).unwrap();
    let theirs = find_leftovers(storage, Path::new("s")).recoverable.pop().unwrap();
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &theirs.content, theirs.lock);
    journal.append(JournalEntry::Do { command: set(9), at: 11 });
    journal.flush();
    assert_eq!(journal.failure(), None);
    drop(journal);
    storage.lock(&lock).unwrap().unwrap()
}

#[test]
fn a_journal_that_another_holds_or_went_on_with_since_it_was_listed_is_not_discarded() {
    let (storage, _) = crashed("vmf");
    let listed = || find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let found = listed();
    let theirs = gone_on_with(&storage);
    let before = storage.all();
    assert!(matches!(discard(&storage, found), Err(RecoveryError::Held)));
    assert!(storage.all() == before);
    drop(theirs);
    let found = listed();
    drop(gone_on_with(&storage));
    let before = storage.all();
    assert!(matches!(discard(&storage, found), Err(RecoveryError::GoneOnWith)));
    assert!(storage.all() == before);
    // One that somebody cut may have lost what they wrote.
    let found = listed();
    let whole = storage.get(JOURNAL).unwrap();
    storage.cut(JOURNAL, whole.len() - 9);
    assert!(matches!(discard(&storage, found), Err(RecoveryError::GoneOnWith)));
    assert!(storage.get(JOURNAL).is_some());
    storage.put(JOURNAL, &whole);
    // A lock that was removed alone is taken again.
    let found = listed();
    storage.remove(&lock_path(Path::new(JOURNAL))).unwrap();
    // So is one whose journal somebody removed: what is left of it goes.
    storage.remove(Path::new(JOURNAL)).unwrap();
    discard(&storage, found).unwrap();
    assert!(storage.all().keys().all(|path| !path.starts_with("s/a.journal") && path.extension() != Some("base".as_ref())));
}

#[test]
fn what_another_wrote_and_was_put_aside_is_listed_and_brought_back() {
    let (storage, document) = crashed("vmf");
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    drop(gone_on_with(&storage));
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    journal.append(JournalEntry::Undo);
    journal.flush();
    assert_eq!((journal.failure(), journal.take_put_aside()), (None, vec!["s/a-old1.journal".into()]));
    // The map here was saved and closed.
    journal.discard();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    assert_eq!((found.id().as_str(), found.steps), ("a-old1", 5));
    let replayed = replay(&storage, &found, &Progress::new()).unwrap();
    assert!(replayed.stopped.is_none() && replayed.document.store().is_solid(IVec3::new(9, 2, 60)));
    assert!(!document.store().is_solid(IVec3::new(9, 2, 60)));
    discard(&storage, found).unwrap();
    assert!(storage.all().keys().all(|path| path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('a'))));
}

#[test]
fn a_map_that_a_newer_spadework_went_on_with_goes_on_in_a_journal_of_its_own() {
    use crate::editor::Action;
    use crate::editor::testing::editor_on;

    let (storage, _) = crashed("vmf");
    let bytes = with_newer(&storage.get(JOURNAL).unwrap(), 2);
    storage.put(JOURNAL, &bytes);
    let mut editor = editor_on(&storage);
    editor.find_leftovers();
    editor.finish_jobs();
    editor.act(Action::RestoreLeftovers);
    editor.finish_jobs();
    let open = editor.active().unwrap();
    assert!(open.document().store().is_solid(IVec3::new(2, 2, 60)) && open.is_modified());
    let told = editor.messages().iter().find(|told| told.text.starts_with("Restored")).unwrap();
    assert!(told.text.ends_with("up to where its steps are of a newer Spadework"), "{told:?}");
    assert!(told.detail.as_deref().is_some_and(|detail| detail.contains("is not lost") && !detail.contains("is lost")), "{told:?}");
    drop(editor);
    assert!(storage.get(JOURNAL).unwrap() == bytes && storage.get("s/a.base").is_some(), "it is for the newer one");
}

#[test]
fn a_journal_whose_deletion_is_broken_off_leaves_nothing_for_ever() {
    for index in 0.. {
        let (storage, _) = crashed("vmf");
        storage.put("s/a.snapshot", b"x");
        storage.put("s/a.recovered", b"x");
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        storage.fail_at(index, Fault::Crash);
        let is_done = discard(&storage, found).is_ok();
        storage.restart();
        if storage.get(JOURNAL).is_none() {
            storage.all().keys().for_each(|path| storage.touch(path, SystemTime::UNIX_EPOCH));
            find_leftovers(&storage, Path::new("s"));
            assert!(storage.all().into_keys().all(|path| path.ends_with("looked-at")), "{index}: {:?}", storage.all().keys());
        }
        if is_done {
            return assert!(index > 5);
        }
    }
}

#[test]
fn a_journal_that_goes_while_it_is_looked_for_is_not_told() {
    let mut gone = 0;
    for index in 0..20 {
        let (storage, _) = crashed("vmf");
        storage.remove_at(index, JOURNAL);
        let found = find_leftovers(&storage, Path::new("s"));
        assert!(found.skipped.is_empty() && found.held.is_empty(), "{index}: {found:?}");
        let has_lock = storage.get(lock_path(Path::new(JOURNAL))).is_some();
        gone += usize::from(!has_lock && found.recoverable.is_empty());
    }
    assert!(gone > 0, "it was not gone at the right moment");
}

#[test]
fn old_copies_that_nothing_starts_from_any_more_are_removed() {
    let now = SystemTime::now();
    let left = |beside: &[&str], modified| {
        let storage = FaultyStorage::default();
        for name in ["s/a.base", "s/a.txt", "s/a.spadework.yaml", "s/a.notes"].iter().chain(beside) {
            storage.put(name, b"x");
            storage.touch(name, modified);
        }
        let _held = beside.contains(&"s/a.lock").then(|| storage.lock(Path::new("s/a.lock")).unwrap());
        find_leftovers(&storage, Path::new("s"));
        ["s/a.base", "s/a.txt", "s/a.spadework.yaml", "s/a.notes"].map(|name| storage.get(name).is_some())
    };
    let old = now - DUST_AGE;
    assert_eq!(left(&[], old), [false, false, false, true], "the last is nothing that Spadework knows");
    assert_eq!(left(&["s/b.journal", "s/ab.damaged"], old), [false, false, false, true]);
    assert_eq!(left(&[], now), [true; 4], "their journal may just be being made");
    for starts_there in ["s/a.lock", "s/a.journal", "s/a-old1.journal", "s/a-old2.damaged"] {
        assert_eq!(left(&[starts_there], old), [true; 4], "{starts_there}");
    }
}
