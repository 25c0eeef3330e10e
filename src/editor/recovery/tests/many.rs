//! More journals than may be held at once, and failures that are not about a journal.

use std::io;

use super::*;
use crate::editor::storage::StorageAction;

/// Failures that say nothing of what lies there.
const WITHHELD: [io::ErrorKind; 3] = [io::ErrorKind::OutOfMemory, io::ErrorKind::PermissionDenied, io::ErrorKind::TimedOut];

/// A disk with so many journals of one step, the first one the earliest.
pub(in crate::editor) fn left(count: u64) -> FaultyStorage {
    let storage = FaultyStorage::default();
    let document = Document::new(Store::new(Region::of_size(IVec3::splat(16))), &GameProfile::ACE_OF_SPADES);
    for at in 0..count {
        let base = JournalBase::Made { format: "vmf", document: Box::new(document.clone()), of_snapshot: false };
        // In an order that is not that of their names.
        let path = format!("s/{}-{at}.journal", at % 3).into();
        let journal = Journal::start(Arc::new(storage.clone()), path, None, base, Stamps::default(), 7);
        journal.append(JournalEntry::Do { command: serde_json::from_str(r#"{"set_property":{"name":"A"}}"#).unwrap(), at });
        journal.flush();
        assert_eq!(journal.failure(), None);
    }
    storage.restart();
    storage
}

#[test]
fn the_latest_of_many_journals_are_held_and_the_others_are_known_and_free() {
    let storage = left(7);
    let found = hold_leftovers(&storage, Path::new("s"), 3, &BTreeSet::new());
    assert_eq!(found.recoverable.iter().map(|found| found.at).collect::<Vec<_>>(), [6, 5, 4]);
    assert_eq!(found.others.iter().map(|found| (found.at, found.steps)).collect::<Vec<_>>(), [(3, 1), (2, 1), (1, 1), (0, 1)]);
    let mut later = hold_leftovers(&storage, Path::new("s"), 0, &BTreeSet::new());
    assert_eq!((later.recoverable.len(), later.others.len(), later.held.len()), (0, 4, 3));
    let taken = later.others.pop().unwrap().take(&storage).unwrap();
    assert!(taken.id() == "0-0" && replay(&storage, &taken, &Progress::new()).unwrap().replayed == 1);
    let passed = hold_leftovers(&storage, Path::new("s"), 0, &["s/0-3.journal".into(), "s/1-1.journal".into()].into());
    assert_eq!(passed.others.iter().map(|found| found.at).collect::<Vec<_>>(), [2]);
    let again = found.others.into_iter().find(|other| other.at == 0).unwrap();
    assert!(matches!(again.take(&storage), Err(RecoveryError::Held)));
}

#[test]
fn a_failure_that_is_not_about_a_journal_is_no_damage_of_it() {
    let (storage, _) = crashed("vmf");
    // Wherever it comes: the journal comes back, or it is told that it cannot be looked at.
    let operations = storage.operations();
    drop(find_leftovers(&storage, Path::new("s")));
    let all = storage.operations() - operations;
    let mut told = 0;
    for index in 0..all {
        storage.fail_at(index, Fault::Once(io::ErrorKind::OutOfMemory));
        let found = find_leftovers(&storage, Path::new("s"));
        let is_told = found.trouble.is_some() || matches!(&found.skipped[..], [skipped] if !skipped.reason.is_about_journal());
        told += usize::from(is_told);
        assert!(is_told != (found.recoverable.len() == 1), "{index}: {found:?}");
    }
    assert!(told > 2);
    let error = |action, reason| RecoveryError::from(StorageError::at(action, Path::new(JOURNAL))(reason));
    let too_many = error(StorageAction::Read, io::Error::from_raw_os_error(if cfg!(unix) { 24 } else { 4 }));
    assert!(too_many.to_string().starts_with("cannot read the file, too many files are open at once: "), "{too_many}");
    assert!(!too_many.is_about_journal());
    for (kind, is_about) in
        [(io::ErrorKind::PermissionDenied, false), (io::ErrorKind::OutOfMemory, false), (io::ErrorKind::IsADirectory, true)]
    {
        assert_eq!(error(StorageAction::Read, kind.into()).is_about_journal(), is_about, "{kind}");
    }
}

#[test]
fn a_journal_whose_steps_only_its_snapshot_holds_stays_where_that_cannot_be_opened() {
    let (storage, document) = crashed("vmf");
    let bytes = storage.get(JOURNAL).unwrap();
    write_snapshot(&storage, Path::new(JOURNAL), &document, 4, read_journal(&bytes).unwrap().mark(4)).unwrap();
    let ends: Vec<usize> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    storage.cut(JOURNAL, ends[1]);
    storage.touch(JOURNAL, SystemTime::now() - Duration::from_secs(86_400));
    let operations = storage.operations();
    drop(find_leftovers(&storage, Path::new("s")));
    let all = storage.operations() - operations;
    for (index, kind) in (0..all).flat_map(|index| WITHHELD.map(|kind| (index, kind))) {
        storage.fail_at(index, Fault::Once(kind));
        drop(find_leftovers(&storage, Path::new("s")));
        let found = find_leftovers(&storage, Path::new("s"));
        assert!(found.recoverable.first().is_some_and(|found| found.beyond == 4), "{index}, {kind}: {found:?}");
    }
}

#[test]
fn a_journal_with_steps_comes_back_where_the_disk_does_not_give_its_snapshot() {
    let (storage, document) = crashed("vmf");
    let bytes = storage.get(JOURNAL).unwrap();
    write_snapshot(&storage, Path::new(JOURNAL), &document, 2, read_journal(&bytes).unwrap().mark(2)).unwrap();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    assert!(!replay_quickly(&storage, &found, &Progress::new()).unwrap().is_snapshot_withheld);
    drop(found);
    storage.withhold("s/a.snapshot", true);
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    for replay in [replay, replay_quickly] {
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        assert!(replayed.is_snapshot_withheld && replayed.skipped == 0 && replayed.document.store().same_voxels(document.store()));
    }
}
