//! Notes of recoveries: whose work what lies in a place is, after one, after several, and after one that was killed.

use std::collections::BTreeSet;

use super::super::base::tests::crashed_with_files_at;
use super::super::settle::settle_saves;
use super::super::{Recoverable, find_leftovers, settle_and_replay};
use super::*;
use crate::document::{Document, Progress};
use crate::editor::files::{Overwrite, SaveOptions, save_map};
use crate::editor::journal::{Journal, JournalEntry, read_journal};
use crate::editor::recovery::tests::{JOURNAL, set};
use crate::editor::storage::testing::{Fault, FaultyStorage};

const MAP: &str = "/m/castle.vxl";

fn crashed() -> (FaultyStorage, Document) {
    let (storage, mut document) = crashed_with_files_at(MAP, "/m/castle.txt");
    // So that both files are written.
    Arc::make_mut(&mut document.metadata).name = Some("Keep".into());
    (storage, document)
}

/// As `recover` does in the map's own place; answers the files that others are said to have changed, unless the save fails.
fn recover(storage: &FaultyStorage, document: &Document) -> Option<Vec<PathBuf>> {
    let found = find_leftovers(storage, Path::new("s")).recoverable.pop()?;
    let replayed = settle_and_replay(storage, &found, &Progress::new()).ok()?;
    let note = RecoveryNote { to: Some(StoredPath(MAP.into())), stamps: replayed.stamps.clone(), ..RecoveryNote::of(&found.content, 0) };
    let before_placing = note_before_placing(Arc::new(storage.clone()), &found.journal, note);
    let options = SaveOptions { expected: replayed.stamps, before_placing, ..SaveOptions::default() };
    save_map(storage, document, Path::new(MAP), &options, &Progress::new()).ok()?;
    Some(replayed.changed_on_disk)
}

#[test]
fn what_a_recovery_put_in_place_before_it_was_killed_is_nobody_elses_work() {
    let (storage, document) = crashed();
    let before = storage.operations();
    assert_eq!(recover(&storage, &document), Some(vec![]));
    let steps = storage.operations() - before;
    let mut placed = 0;
    // A map of the game's size takes its time: some of the last steps, among which are all that put files in place.
    for step in (0..steps).rev().step_by(3).take(12) {
        let (storage, document) = crashed();
        let old = storage.get(MAP).unwrap();
        storage.fail_at(storage.operations() + step, Fault::Crash);
        recover(&storage, &document);
        storage.restart();
        // Another call in between completes the set.
        settle_saves(&storage, &BTreeSet::from(["/m".into()]));
        placed += usize::from(storage.get(MAP).unwrap() != old);
        assert_eq!(recover(&storage, &document), Some(vec![]), "step {step} of {steps}");
    }
    assert!(placed > 0, "none of {steps}");
}

#[test]
fn notes_of_other_places_and_of_calls_that_put_nothing_in_place_take_none_away() {
    let (storage, document) = crashed();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let options = SaveOptions { overwrite: Overwrite::Always, ..SaveOptions::default() };
    let saved = save_map(&storage, &document, Path::new(MAP), &options, &Progress::new()).unwrap();
    let note = |to: &str, stamps: &Stamps| {
        let of_all = RecoveryNote::of(&found.content, 0);
        RecoveryNote { to: Some(StoredPath(to.into())), stamps: stamps.clone(), ..of_all }
    };
    let changed = || settle_and_replay(&storage, &found, &Progress::new()).unwrap().changed_on_disk;
    assert!(changed().contains(&MAP.into()));
    write_note(&storage, &found.journal, &note(MAP, &saved.stamps)).unwrap();
    assert_eq!(changed(), Vec::<PathBuf>::new());
    // One elsewhere, and one here that was killed before any of its files was there.
    write_note(&storage, &found.journal, &note("/m/other.vxl", &saved.stamps)).unwrap();
    let mut others = saved.stamps.clone();
    others.0.values_mut().for_each(|stamp| stamp.len += 1);
    note_before_placing(Arc::new(storage.clone()), &found.journal, note(MAP, &Stamps::default())).tell(&others);
    assert_eq!(changed(), Vec::<PathBuf>::new());
    assert_eq!(read_note(&storage, &found.journal, &found.content, 0).and_then(|note| note.to), Some(StoredPath("/m/other.vxl".into())));
    // One about the same place takes the place of both, and there are never many.
    write_note(&storage, &found.journal, &note(MAP, &saved.stamps)).unwrap();
    assert_eq!(read_notes(&storage, &found.journal).len(), 2);
    write_note(&storage, &found.journal, &RecoveryNote { is_in_place: true, ..note(MAP, &saved.stamps) }).unwrap();
    for number in 0..100 {
        write_note(&storage, &found.journal, &note(&format!("/m/{number}.vxl"), &Stamps::default())).unwrap();
    }
    // However many places others are, that about the map's own stays.
    assert_eq!((read_notes(&storage, &found.journal).len(), changed()), (MOST_NOTES, vec![]));
}

#[test]
fn what_a_killed_recovery_put_in_place_is_known_after_another_one_that_was_killed_before_it_put_anything_there() {
    let (storage, document) = crashed();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let options = SaveOptions { overwrite: Overwrite::Always, ..SaveOptions::default() };
    let saved = save_map(&storage, &document, Path::new(MAP), &options, &Progress::new()).unwrap();
    let tell = |stamps: &Stamps| {
        let note = RecoveryNote { to: Some(StoredPath(MAP.into())), ..RecoveryNote::of(&found.content, 0) };
        note_before_placing(Arc::new(storage.clone()), &found.journal, note).tell(stamps);
    };
    tell(&saved.stamps);
    for len in 1..50 {
        let mut other = saved.stamps.clone();
        other.0.values_mut().for_each(|stamp| stamp.len += len);
        tell(&other);
        assert_eq!(settle_and_replay(&storage, &found, &Progress::new()).unwrap().changed_on_disk, Vec::<PathBuf>::new());
    }
    // Those of which nothing is there are not gathered.
    assert_eq!(read_notes(&storage, &found.journal).len(), 2);
}

#[test]
fn a_recovery_that_knew_less_takes_nothing_from_what_is_known_of_a_fuller_one() {
    let (storage, document) = crashed();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let options = SaveOptions { overwrite: Overwrite::Always, ..SaveOptions::default() };
    let saved = save_map(&storage, &document, Path::new(MAP), &options, &Progress::new()).unwrap();
    let write = |stamps: Stamps| {
        let note = RecoveryNote { to: Some(StoredPath(MAP.into())), stamps, ..RecoveryNote::of(&found.content, 0) };
        write_note(&storage, &found.journal, &note).unwrap();
    };
    let beside = Path::new("/m/castle.txt");
    assert!(saved.stamps.get(beside).is_some());
    write(saved.stamps.clone());
    // Its copy was lost for once.
    let mut fewer = saved.stamps.clone();
    fewer.0.remove(beside);
    write(fewer);
    assert_eq!(settle_and_replay(&storage, &found, &Progress::new()).unwrap().changed_on_disk, Vec::<PathBuf>::new());
    assert_eq!(read_notes(&storage, &found.journal).len(), 2);
    write(saved.stamps.clone());
    assert_eq!(read_notes(&storage, &found.journal).len(), 1);
}

#[test]
fn a_note_counts_only_for_a_journal_that_leads_on_from_what_was_brought_back() {
    let (storage, document) = crashed();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let options = SaveOptions { overwrite: Overwrite::Always, ..SaveOptions::default() };
    let saved = save_map(&storage, &document, Path::new(MAP), &options, &Progress::new()).unwrap();
    let note = RecoveryNote { to: Some(StoredPath(MAP.into())), stamps: saved.stamps, ..RecoveryNote::of(&found.content, 0) };
    write_note(&storage, &found.journal, &note).unwrap();
    let changed = |found: &Recoverable| settle_and_replay(&storage, found, &Progress::new()).unwrap().changed_on_disk;
    assert_eq!(changed(&found), Vec::<PathBuf>::new());
    // As the journal was a step earlier: what the recovery wrote is more than it leads to.
    let mut earlier = found;
    earlier.content.entries.truncate(2);
    assert!(changed(&earlier).contains(&MAP.into()));
    // A snapshot behind its end stands for what it lost.
    assert!(note.is_led_on_by(&earlier.content, 1) && !note.is_led_on_by(&earlier.content, 0));
    assert!(note.has_all_of(&earlier.content, 1, &[]) && !note.has_all_of(&earlier.content, 2, &[]));
    // One of what only the snapshot held says nothing of a journal that went on without it.
    let beyond = RecoveryNote::of(&earlier.content, 1);
    assert!(beyond.is_led_on_by(&earlier.content, 1) && beyond.has_all_of(&earlier.content, 1, &[]));
    let whole = read_journal(&storage.get(JOURNAL).unwrap()).unwrap();
    assert!(whole.entries.len() >= beyond.entries && !beyond.is_led_on_by(&whole, 0) && !beyond.has_all_of(&whole, 0, &[]));
    // Cut and gone on with: as many steps are no longer the same ones.
    assert!(!note.has_all_of(&earlier.content, 0, &[]));
    let journal = Journal::resume(Arc::new(storage.clone()), earlier.journal, &earlier.content, earlier.lock);
    journal.append(JournalEntry::Do { command: set(9), at: 12 });
    journal.flush();
    drop(journal);
    storage.restart();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    assert_eq!((found.content.entries.len(), &found.recovered), (note.entries, &None));
    assert!(!note.has_all_of(&found.content, 0, &[]) && !note.is_led_on_by(&found.content, 0));
}

#[test]
fn a_note_of_a_recovery_that_put_nothing_in_place_says_nothing() {
    let (storage, document) = crashed();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let saved = save_map(&storage, &document, Path::new("/m/other.vxl"), &SaveOptions::default(), &Progress::new()).unwrap();
    let begun = RecoveryNote { to: Some(StoredPath("/m/other.vxl".into())), ..RecoveryNote::of(&found.content, 0) };
    note_before_placing(Arc::new(storage.clone()), &found.journal, begun).tell(&saved.stamps);
    let note = || read_note(&storage, &found.journal, &found.content, 0);
    assert!(note().is_some_and(|note| note.is_begun));
    storage.put("/m/other.vxl", b"other");
    assert_eq!(note(), None);
}
