//! More maps than a window holds at once, and journals that it cannot look at.

use super::*;
use crate::editor::recovery::tests::many::left;
use crate::editor::storage::{StorageAction, StorageError};

#[test]
fn more_maps_than_are_held_at_once_are_counted_and_listed_once_those_before_them_are_done() {
    let most = recovery::MOST_HELD;
    let storage = left(most as u64 + 10);
    let mut editor = editor_on(&storage);
    editor.find_leftovers();
    editor.finish_jobs();
    let seen = |editor: &mut Editor| (editor.leftovers().len(), editor.leftovers_to_come(), editor.take_requests().len());
    assert_eq!(seen(&mut editor), (most, 10, 1));
    assert_eq!(find_leftovers(&storage, Path::new("s")).recoverable.len(), 10, "nobody holds those");
    // The others stay where they are while some of these are done.
    let first = editor.leftovers()[0].journal.clone();
    act(&mut editor, Action::RestoreLeftover(first));
    assert_eq!(seen(&mut editor), (most - 1, 10, 0));
    act(&mut editor, Action::PutOffLeftovers);
    assert_eq!(seen(&mut editor), (0, 0, 0));
    let told = editor.messages().last().unwrap();
    assert!(told.text.starts_with(&format!("{} unsaved maps stay", most + 9)), "{told:?}");
    // An open map counts like a listed one.
    act(&mut editor, Action::FindLeftovers);
    assert_eq!(seen(&mut editor), (most - 1, 10, 1));
    act(&mut editor, Action::DiscardLeftovers);
    assert_eq!(seen(&mut editor), (10, 0, 1));
    assert!(editor.leftovers().iter().all(|found| found.at < 10), "the latest went first");
    act(&mut editor, Action::DiscardLeftovers);
    assert_eq!(seen(&mut editor), (0, 0, 0));
}

#[test]
fn the_others_come_once_all_that_were_listed_are_restored_and_a_few_however_many_maps_are_open() {
    let most = recovery::MOST_HELD;
    let storage = left(most as u64 + 10);
    let mut editor = restored_on(&storage);
    assert_eq!(editor.documents().len(), most);
    assert_eq!((editor.leftovers().len(), editor.leftovers_to_come()), (LEAST_LISTED, 10 - LEAST_LISTED));
    act(&mut editor, Action::RestoreLeftovers);
    act(&mut editor, Action::RestoreLeftovers);
    assert_eq!((editor.documents().len(), editor.leftovers().len(), editor.leftovers_to_come()), (most + 10, 0, 0));
}

#[test]
fn those_that_could_not_be_restored_are_not_offered_again_with_the_others() {
    let most = recovery::MOST_HELD as u64;
    let storage = left(most + 10);
    // The latest are listed first, and cannot be brought back.
    (10..most + 10).for_each(|at| storage.put(format!("s/{}-{at}.base", at % 3), b"nonsense"));
    let mut editor = editor_on(&storage);
    editor.find_leftovers();
    editor.finish_jobs();
    act(&mut editor, Action::RestoreLeftovers);
    assert_eq!((editor.documents().len(), editor.leftovers().len(), editor.leftovers_to_come()), (0, 10, 0));
    assert!(editor.leftovers().iter().all(|found| found.at < 10));
    act(&mut editor, Action::RestoreLeftovers);
    assert_eq!((editor.documents().len(), editor.leftovers().len(), editor.leftovers_to_come()), (10, 0, 0));
    // They are there for who asks.
    act(&mut editor, Action::FindLeftovers);
    assert_eq!(editor.leftovers().len() + editor.leftovers_to_come(), most as usize);
}

#[test]
fn journals_that_cannot_be_looked_at_are_told_at_once_and_not_offered_to_be_discarded() {
    let error = |at: u64| {
        let journal = PathBuf::from(format!("s/{at}.journal"));
        let reason = std::io::Error::from_raw_os_error(if cfg!(unix) { 24 } else { 4 });
        recovery::Skipped { reason: StorageError::at(StorageAction::Read, &journal)(reason).into(), journal }
    };
    for whom in [LeftoversFor::Start, LeftoversFor::Person] {
        let mut editor = editor_on(&FaultyStorage::default());
        editor.found_leftovers(Leftovers { skipped: (0..1500).map(error).collect(), ..Leftovers::default() }, whom);
        let [told] = editor.messages() else { panic!("{:?}", editor.messages()) };
        assert!(told.text.starts_with("1,500 journals of earlier sessions cannot be looked at: "), "{told:?}");
        assert!(!told.detail.as_deref().unwrap().contains("discard"), "{told:?}");
        assert!(editor.unreadable_leftovers().is_empty() && editor.take_requests().is_empty());
    }
}
