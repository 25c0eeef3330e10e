//! Maps whose saves were killed: what these put in place is known, and no state of the history is taken for it.

use super::super::base::tests::crashed_with_files_at;
use super::*;
use crate::editor::files::Overwrite;
use crate::editor::journal::JournalEntry;
use crate::editor::storage::StoredPath;

const MAP: &str = "/m/castle.vxl";

fn found(storage: &FaultyStorage) -> Recoverable {
    find_leftovers(storage, Path::new("s")).recoverable.pop().unwrap()
}

/// One more step, and a save that is killed before it can say that it ended: its files are in place, or not yet. Answers the map's file.
fn kill_a_save(storage: &FaultyStorage, x: i32, is_placed: bool) -> Vec<u8> {
    let found = found(storage);
    let replayed = replay(storage, &found, &Progress::new()).unwrap();
    let (mut document, mut history) = (replayed.document, replayed.history);
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    let change = plan(&document, &set(x), &Progress::new()).unwrap();
    history.commit(&mut document, change);
    journal.append(JournalEntry::Do { command: set(x), at: 12 });
    journal.append(JournalEntry::Saving { number: 1 });
    let before = storage.get(MAP).unwrap();
    let options = SaveOptions { expected: replayed.stamps, before_placing: journal.placing(), ..SaveOptions::default() };
    save_map(storage, &document, Path::new(MAP), &options, &Progress::new()).unwrap();
    let after = storage.get(MAP).unwrap();
    assert_ne!(before, after);
    if !is_placed {
        storage.put(MAP, &before);
    }
    drop(journal);
    storage.restart();
    storage.get(MAP).unwrap()
}

/// After how many steps, from none to all of them, the map is said to be as saved: however it comes back.
fn saved_at(storage: &FaultyStorage) -> Vec<bool> {
    let found = found(storage);
    let whole = saved_steps(replay(storage, &found, &Progress::new()).unwrap());
    for skipped in [1, found.content.entries.len()] {
        let mut before = found.content.clone();
        before.entries.truncate(skipped);
        let then = replay_whole(storage, Path::new(JOURNAL), &before, &Progress::new()).unwrap();
        write_snapshot(storage, Path::new(JOURNAL), &then.document, skipped, found.content.mark(skipped)).unwrap();
        let mut quick = replay_quickly(storage, &found, &Progress::new()).unwrap();
        assert_eq!(quick.skipped, skipped);
        let older = replay_older(storage, Path::new(JOURNAL), &before_snapshot(&found.content, skipped), &Progress::new()).unwrap();
        if quick.history.is_empty() {
            quick.document = older.document;
        }
        quick.history.prepend(&mut quick.document, older.history);
        assert_eq!(saved_steps(quick), whole, "{skipped}");
        storage.remove(Path::new("s/a.snapshot")).unwrap();
    }
    whole
}

fn saved_steps(Replayed { mut document, mut history, .. }: Replayed) -> Vec<bool> {
    let all = 0..=history.len();
    let mut is_saved_at = |steps| {
        history.jump_to(&mut document, steps);
        !history.is_modified()
    };
    all.map(&mut is_saved_at).collect()
}

fn changed(storage: &FaultyStorage) -> Vec<PathBuf> {
    replay(storage, &found(storage), &Progress::new()).unwrap().changed_on_disk
}

#[test]
fn no_step_is_taken_for_the_saved_one_where_a_killed_save_put_its_files_in_place() {
    for is_placed in [false, true] {
        let (storage, _) = crashed_with_files_at(MAP, "/m/castle.txt");
        assert_eq!(saved_at(&storage), [true, false, false, false]);
        kill_a_save(&storage, 5, is_placed);
        assert_eq!(changed(&storage), Vec::<PathBuf>::new());
        // The file that was opened is the saved state as long as it is there.
        assert_eq!(saved_at(&storage), [!is_placed, false, false, false, false]);
    }
}

#[test]
fn no_step_is_taken_for_the_saved_one_where_a_recovery_wrote_the_map() {
    let (storage, document) = crashed_with_files_at(MAP, "/m/castle.txt");
    let found = found(&storage);
    let options = SaveOptions { overwrite: Overwrite::Always, ..SaveOptions::default() };
    let saved = save_map(&storage, &document, Path::new(MAP), &options, &Progress::new()).unwrap();
    let note = RecoveryNote { to: Some(StoredPath(MAP.into())), stamps: saved.stamps, ..RecoveryNote::of(&found.content, 0) };
    write_note(&storage, &found.journal, &note).unwrap();
    drop(found);
    storage.restart();
    assert_eq!(changed(&storage), Vec::<PathBuf>::new());
    assert_eq!(saved_at(&storage), [false; 4]);
    // Also after a window went on with the journal, and was killed before it saved.
    let go_on = |entries: Vec<JournalEntry>| {
        let found = self::found(&storage);
        let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
        entries.into_iter().for_each(|entry| _ = journal.append(entry));
        journal.flush();
        drop(journal);
        storage.restart();
    };
    assert!(self::found(&storage).recovered.is_some());
    go_on(vec![JournalEntry::Do { command: set(5), at: 12 }]);
    assert_eq!((changed(&storage), saved_at(&storage)), (vec![], vec![false; 5]));
    assert!(self::found(&storage).recovered.is_none(), "it brings back more");
    // What was saved since has the last word.
    let saved = JournalEntry::Saved { number: None, map: Path::new(MAP).into(), format: None, options: None, stamps: Stamps::default() };
    go_on(vec![saved, JournalEntry::Do { command: set(6), at: 13 }]);
    let known = replay(&storage, &self::found(&storage), &Progress::new()).unwrap().stamps;
    assert_eq!(known, Stamps::default());
}

#[test]
fn no_step_is_taken_for_the_saved_one_where_somebody_changed_the_file() {
    let (storage, _) = crashed_with_files_at(MAP, "/m/castle.txt");
    storage.put("/m/castle.txt", b"name = 'Other'\n");
    assert_eq!(saved_at(&storage), [false; 4]);
}

#[test]
fn what_any_of_several_killed_saves_put_in_place_is_nobody_elses_work() {
    let (storage, _) = crashed_with_files_at(MAP, "/m/castle.txt");
    let first = kill_a_save(&storage, 5, true);
    // Killed before it put anything in place.
    assert_eq!(kill_a_save(&storage, 6, false), first);
    assert_eq!(changed(&storage), Vec::<PathBuf>::new());
    let third = kill_a_save(&storage, 7, true);
    assert_eq!(changed(&storage), Vec::<PathBuf>::new());
    storage.put(MAP, b"other");
    assert_eq!(changed(&storage), [Path::new(MAP)]);
    // A save that ended has the last word.
    storage.put(MAP, &third);
    let found = found(&storage);
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    let stamps = open_map(&storage, Path::new(MAP), &OpenOptions::default(), &Progress::new()).unwrap().stamps;
    journal.append(JournalEntry::Saved { number: None, map: Path::new(MAP).into(), format: None, options: None, stamps });
    journal.append(JournalEntry::Do { command: set(9), at: 13 });
    drop(journal);
    storage.restart();
    storage.put(MAP, &first);
    assert_eq!(changed(&storage), [Path::new(MAP)]);
}
