//! Journals whose beginning is gone, beside a recovery snapshot that is whole.

use super::*;
use crate::document::Property;
use crate::editor::beheaded_text;

/// What is left of a journal of four entries, with a snapshot of all of them.
fn beheaded(format: &'static str, journal: &[u8]) -> (FaultyStorage, Document) {
    let (storage, _) = crashed(format);
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let mut document = replay(&storage, &found, &Progress::new()).unwrap().document;
    Arc::make_mut(&mut document.metadata).set(Property::Name(Some("Hill".into())));
    write_snapshot(&storage, Path::new(JOURNAL), &document, 4, found.content.mark(4)).unwrap();
    drop(found);
    storage.restart();
    storage.put(JOURNAL, journal);
    (storage, document)
}

#[track_caller]
fn check_comes_back(storage: &FaultyStorage, document: &Document, is_with_base: bool) {
    let found = find_leftovers(storage, Path::new("s"));
    let [found] = &found.recoverable[..] else { panic!("{:?}", found.skipped) };
    assert_eq!((found.steps, found.beyond, &found.map, found.content.damage), (0, 4, &None, Some(0)));
    assert_eq!(found.content.damage_text().as_deref(), Some("damaged from its beginning"));
    for quickly in [false, true] {
        let replay = if quickly { replay_quickly } else { replay };
        let replayed = replay(storage, found, &Progress::new()).unwrap();
        assert!(replayed.document.store().same_voxels(document.store()));
        assert_eq!((&replayed.document.metadata, replayed.document.bounds()), (&document.metadata, document.bounds()));
        assert_eq!((replayed.beyond, replayed.skipped, replayed.history.head()), (4, 0, 0));
        assert_eq!((replayed.is_without_base, replayed.document.source.is_some()), (!is_with_base, is_with_base));
        assert!(replayed.history.is_modified() && replayed.stopped.is_none() && replayed.changed_on_disk.is_empty());
    }
}

#[test]
fn what_a_snapshot_holds_comes_back_where_nothing_of_the_journal_is_left() {
    for format in ["vxl", "vmf"] {
        for journal in [&b""[..], &[0; 9000], b"nonsense"] {
            let (storage, document) = beheaded(format, journal);
            check_comes_back(&storage, &document, true);
            // Nobody made anything of it: it stays as it was.
            assert_eq!(storage.get(JOURNAL).unwrap(), journal);
        }
    }
    // Only the two headers are gone.
    let (storage, document) = beheaded("vxl", b"");
    let (whole, _) = crashed("vxl");
    let mut bytes = whole.get(JOURNAL).unwrap();
    bytes[..8192].fill(0);
    storage.put(JOURNAL, &bytes);
    check_comes_back(&storage, &document, true);
}

#[test]
fn files_that_a_beheaded_journal_does_not_name_are_told_where_they_are_taken_for_the_maps() {
    let (storage, _) = beheaded("vxl", b"");
    let told = || beheaded_text(&find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap().content);
    assert!(told().is_some_and(|told| told.ends_with("copy of its file is whole is not known any more")), "{:?}", told());
    storage.put("s/a.toml", b"name = 'Stray'\n");
    assert!(told().is_some_and(|told| told.ends_with("what has its name, a.toml")), "{:?}", told());
    // One that has its beginning names them itself.
    let (whole, _) = crashed("vxl");
    whole.put("s/a.toml", b"name = 'Stray'\n");
    let found = find_leftovers(&whole, Path::new("s")).recoverable.pop().unwrap();
    assert_eq!(beheaded_text(&found.content), None);
}

#[test]
fn a_copy_of_a_map_that_is_another_one_or_none_is_not_taken_for_that_of_a_beheaded_journal() {
    let (storage, document) = beheaded("vmf", b"");
    storage.remove(Path::new("s/a.base")).unwrap();
    check_comes_back(&storage, &document, false);
    storage.put("s/a.base", b"of nobody");
    check_comes_back(&storage, &document, false);
    // As large as no map that the snapshot could be of.
    let (other, _) = crashed("vxl");
    storage.put("s/a.base", &other.get("s/a.base").unwrap());
    check_comes_back(&storage, &document, false);
}

#[test]
fn a_beheaded_journal_is_discarded_with_its_snapshot_and_without_a_whole_one_it_is_told() {
    let (storage, _) = beheaded("vxl", b"");
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    discard(&storage, found).unwrap();
    assert_eq!(storage.all().keys().collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    let (storage, _) = beheaded("vxl", b"");
    let mut bytes = storage.get("s/a.snapshot").unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    storage.put("s/a.snapshot", &bytes);
    let found = find_leftovers(&storage, Path::new("s"));
    assert!(matches!(&found.skipped[..], [Skipped { reason: RecoveryError::Damaged, .. }]), "{found:?}");
}

#[test]
fn a_lost_map_is_called_as_its_file_was() {
    let name = |name: &str| lost_name(Path::new(name)).map(str::to_owned);
    assert_eq!(name("s/big_hill-1790-12-3-0a0b0c0d.journal").as_deref(), Some("big_hill"));
    assert_eq!(name("s/new-1790-12-3-0a0b0c0d.journal"), None);
}
