//! The copies of a map's files that lie beside its journal: whether they are what they were, and what takes the place of those
//! that are not.

use std::io;
use std::path::{Path, PathBuf};

use super::RecoveryError;
use crate::editor::files::sidecar_path;
use crate::editor::journal::{JournalContent, JournalHeader, base_stem};
use crate::editor::storage::{ContentHash, Storage, StorageAction, StorageError, clear_way, copy_file, folder_of};
use crate::format::SIDECARS;

/// The copies that the steps of a journal start from.
#[derive(Debug)]
pub(super) struct Base {
    /// The copy of the map.
    pub(super) map: PathBuf,
    /// Copies of files beside it that are not what they were: the map is opened without them.
    pub(super) lost: Vec<PathBuf>,
}

/// Compares the copies with what the journal says. One that is not what it was is made afresh where the file that it is of
/// still is what it was.
///
/// # Errors
/// If the copy of the map is lost.
pub(super) fn mend_base(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> Result<Base, RecoveryError> {
    let (found, base) = mend_copies(storage, journal, content).ok_or(RecoveryError::Damaged)?;
    found.map(|()| base)
}

/// As [`mend_base`], and whether the copy of the map is lost, too; `None` where the journal names none.
pub(super) fn mend_copies(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> Option<(Result<(), RecoveryError>, Base)> {
    let mut copies = content.header.base.iter().map(|(name, hash)| {
        let path = folder_of(journal).join(name.0.file_name().unwrap_or_default());
        let found = check(storage, &path, *hash);
        (found.or_else(|error| mend(storage, content, &path, *hash).ok_or_else(|| with_original(error, content, &path))), path)
    });
    let (found, map) = copies.next()?;
    let lost = copies.filter(|(found, _)| found.is_err()).map(|(_, path)| path).collect();
    Some((found, Base { map, lost }))
}

/// The file that may be what a copy beside the journal is; `None` for a map without a file.
pub(super) fn original(content: &JournalContent, copy: &Path) -> Option<PathBuf> {
    let JournalHeader { origin, from, map, .. } = &content.header;
    let of_former = origin.as_ref().and_then(|origin| origin.of.as_ref());
    let map = &of_former.or(from.as_ref()).or(map.as_ref())?.0;
    // The journal may have got another name since.
    match copy.file_name()?.to_str()?.strip_prefix(base_stem(&content.header.base)?)? {
        ".base" => Some(map.clone()),
        suffix => SIDECARS.iter().any(|sidecar| sidecar.suffix() == suffix).then(|| sidecar_path(map, suffix)),
    }
}

/// The file that a copy beside the journal was made of; `None` also where it was made of the map itself.
pub(super) fn original_of_file(content: &JournalContent, copy: &Path) -> Option<PathBuf> {
    original(content, copy).filter(|_| content.header.is_of_files())
}

/// The files that such copies were made of: one that is put back as it was brings back what only its copy said.
pub fn originals(content: &JournalContent, copies: &[PathBuf]) -> Vec<PathBuf> {
    copies.iter().filter_map(|copy| original_of_file(content, copy)).collect()
}

fn check(storage: &dyn Storage, path: &Path, expected: ContentHash) -> Result<(), RecoveryError> {
    let source = storage.open(path)?;
    let hash = ContentHash::of_source(&*source).map_err(StorageError::at(StorageAction::Read, path))?;
    if hash == expected { Ok(()) } else { Err(RecoveryError::BaseChanged { path: path.into(), is_missing: false, map: None }) }
}

/// Why a copy is lost, with what it can be made of again.
fn with_original(error: RecoveryError, content: &JournalContent, copy: &Path) -> RecoveryError {
    let is_missing = matches!(&error, RecoveryError::Storage(error) if error.is_not_found());
    match error {
        RecoveryError::Storage(error) if !is_missing => error.into(),
        _ => {
            let map = original_of_file(content, copy);
            RecoveryError::BaseChanged { path: copy.into(), is_missing, map }
        }
    }
}

fn mend(storage: &dyn Storage, content: &JournalContent, copy: &Path, expected: ContentHash) -> Option<()> {
    let original = original(content, copy)?;
    check(storage, &original, expected).ok()?;
    // If it cannot be copied, it is as it was before. The folder may have gone while the journal stood in a list.
    storage.create_folder(folder_of(copy)).ok()?;
    clear_way(storage, copy).ok()?;
    // A copy takes the rights of the one that it replaces, which nobody may read.
    if storage.open(copy).is_err_and(|error| error.reason.kind() == io::ErrorKind::PermissionDenied) {
        storage.remove(copy).ok()?;
    }
    let hash = copy_file(storage, &original, copy).ok()?;
    (hash == expected).then_some(())
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use glam::IVec3;

    use super::*;
    use crate::document::{Document, Progress};
    use crate::edit::{Command, History, plan};
    use crate::editor::files::{OpenOptions, Stamps, open_map};
    use crate::editor::journal::{Entries, Journal, JournalBase, JournalEntry};
    use crate::editor::recovery::tests::{JOURNAL, crashed, set};
    use crate::editor::recovery::{
        Recoverable, Replayed, discard, find_leftovers, replay, replay_quickly, settle_and_replay, write_snapshot,
    };
    use crate::editor::storage::testing::{Fault, FaultyStorage};

    const MAP: &str = "m/castle.vxl";
    const BESIDE: &str = "m/castle.txt";
    const SCRIPT: &[u8] = b"name = 'Castle'\nauthor = 'Ann'\n";

    /// A map with a script beside it that was opened, three steps, and then the process is gone. The map as it was then.
    fn crashed_with_files() -> (FaultyStorage, Document) {
        crashed_with_files_at(MAP, BESIDE)
    }

    /// The same of a map at that path, and of the script beside it.
    pub(in super::super) fn crashed_with_files_at(map: &str, beside: &str) -> (FaultyStorage, Document) {
        crashed_with_files_and(map, beside, |_| vec![])
    }

    /// The same, with more entries after those steps.
    fn crashed_with_files_and(
        map: &str,
        beside: &str,
        more: impl FnOnce(&FaultyStorage) -> Vec<JournalEntry>,
    ) -> (FaultyStorage, Document) {
        let (storage, _) = crashed("vxl");
        let bytes = storage.get("s/a.base").unwrap();
        let (storage, map) = (FaultyStorage::with(&[(map, &bytes), (beside, SCRIPT)]), Path::new(map));
        let opened = open_map(&storage, map, &OpenOptions::default(), &Progress::new()).unwrap();
        let (base, mut document) = (JournalBase::of_opened(&opened, map), opened.document);
        let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), Some(map), base, opened.stamps, 7);
        let mut history = History::new();
        for x in 1..4 {
            let change = plan(&document, &set(x), &Progress::new()).unwrap();
            history.commit(&mut document, change);
            journal.append(JournalEntry::Do { command: set(x), at: 10 });
        }
        more(&storage).into_iter().for_each(|entry| _ = journal.append(entry));
        journal.flush();
        assert_eq!(journal.failure(), None);
        drop(journal);
        storage.restart();
        (storage, document)
    }

    fn flip(storage: &FaultyStorage, path: &str) {
        let mut bytes = storage.get(path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        storage.put(path, &bytes);
    }

    fn found(storage: &FaultyStorage) -> Recoverable {
        find_leftovers(storage, Path::new("s")).recoverable.pop().unwrap()
    }

    #[test]
    fn a_damaged_copy_is_made_afresh_from_the_file_that_it_is_of() {
        for copy in ["s/a.base", "s/a.txt"] {
            let (storage, document) = crashed_with_files();
            let whole = storage.get(copy).unwrap();
            for damage in [true, false] {
                if damage {
                    flip(&storage, copy);
                } else {
                    storage.remove(Path::new(copy)).unwrap();
                }
                let replayed = replay(&storage, &found(&storage), &Progress::new()).unwrap();
                assert!(replayed.document.store().same_voxels(document.store()) && replayed.lost.is_empty(), "{copy}");
                assert_eq!((replayed.document.metadata, replayed.replayed), (document.metadata.clone(), 3), "{copy}");
                assert_eq!(storage.get(copy).unwrap(), whole, "{copy}");
            }
        }
    }

    #[test]
    fn a_listed_map_comes_back_after_the_folder_of_the_journals_is_gone() {
        let (storage, document) = crashed_with_files();
        let (whole, found) = (storage.get("s/a.base").unwrap(), found(&storage));
        storage.remove_folder("s");
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        assert!(replayed.document.store().same_voxels(document.store()) && replayed.replayed == 3);
        assert_eq!(storage.get("s/a.base").unwrap(), whole);
    }

    #[test]
    fn a_damaged_copy_of_a_journal_that_was_put_aside_is_made_afresh_too_and_an_only_copy_of_it_is_told() {
        let (storage, document) = crashed_with_files();
        let whole = storage.get("s/a.base").unwrap();
        let bytes = storage.get(JOURNAL).unwrap();
        storage.put("s/a-old1.journal", &bytes);
        storage.remove(Path::new(JOURNAL)).unwrap();
        flip(&storage, "s/a.base");
        let replayed = replay(&storage, &found(&storage), &Progress::new()).unwrap();
        assert!(replayed.document.store().same_voxels(document.store()) && replayed.replayed == 3);
        assert_eq!(storage.get("s/a.base").unwrap(), whole);
        // Cut to its header, it has no step, and the map that it is of is gone.
        let ends: Vec<usize> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
        storage.cut("s/a-old1.journal", ends[1]);
        storage.touch("s/a-old1.journal", std::time::SystemTime::now() - std::time::Duration::from_secs(86_400));
        storage.remove(Path::new(MAP)).unwrap();
        let told = find_leftovers(&storage, Path::new("s")).skipped;
        assert!(told.iter().any(|skipped| skipped.reason.to_string().contains("s/a.base")), "{told:?}");
    }

    #[test]
    fn journals_whose_names_were_exchanged_keep_the_copies_that_their_headers_name() {
        let (storage, document) = crashed_with_files();
        let [first, second] = ["s/a.journal", "s/b.journal"];
        let other = crashed_with_files_at("m/lake.vxl", "m/lake.txt").0;
        let lake = open_map(&other, Path::new("m/lake.vxl"), &OpenOptions::default(), &Progress::new()).unwrap();
        for file in ["m/lake.vxl", "m/lake.txt"] {
            storage.put(file, &other.get(file).unwrap());
        }
        let map = Path::new("m/lake.vxl");
        let base = JournalBase::of_opened(&lake, map);
        let journal = Journal::start(Arc::new(storage.clone()), second.into(), Some(map), base, lake.stamps, 7);
        journal.append(JournalEntry::Do { command: set(6), at: 11 });
        journal.flush();
        assert_eq!(journal.failure(), None);
        drop(journal);
        storage.restart();
        let [of_first, of_second] = [first, second].map(|path| storage.get(path).unwrap());
        storage.put(first, &of_second);
        storage.put(second, &of_first);
        let of = |name: &str| {
            let found = find_leftovers(&storage, Path::new("s")).recoverable;
            found.into_iter().find(|found| found.journal == Path::new(name)).unwrap()
        };
        assert_eq!(of(first).map.as_deref(), Some(map));
        discard(&storage, of(first)).unwrap();
        assert_eq!([storage.get("s/b.base"), storage.get("s/b.txt"), storage.get(first)], [None, None, None]);
        // Nobody has the name of these copies any more, however old they are.
        for copy in ["s/a.base", "s/a.txt"] {
            storage.touch(copy, std::time::SystemTime::now() - std::time::Duration::from_secs(86_400));
        }
        let replayed = replay(&storage, &of(second), &Progress::new()).unwrap();
        assert!(replayed.document.store().same_voxels(document.store()) && replayed.lost.is_empty());
        assert!(storage.get("s/a.base").is_some() && storage.get("s/a.txt").is_some());
        discard(&storage, of(second)).unwrap();
        assert!(storage.all().keys().all(|path| !path.starts_with("s")), "{:?}", storage.all().keys());
    }

    #[test]
    fn the_copies_of_a_journal_that_got_another_name_are_made_afresh_under_the_names_in_its_header() {
        let (storage, document) = crashed_with_files();
        storage.put("s/copy.journal", &storage.get(JOURNAL).unwrap());
        storage.remove(Path::new(JOURNAL)).unwrap();
        storage.remove(Path::new("s/a.lock")).unwrap();
        for copy in ["s/a.base", "s/a.txt"] {
            storage.remove(Path::new(copy)).unwrap();
        }
        let replayed = replay(&storage, &found(&storage), &Progress::new()).unwrap();
        assert!(replayed.document.store().same_voxels(document.store()) && replayed.lost.is_empty());
        assert_eq!(replayed.document.metadata, document.metadata);
        // Where neither the copy nor the map is what it was, it is told what would help.
        storage.remove(Path::new("s/a.base")).unwrap();
        flip(&storage, MAP);
        let error = replay(&storage, &found(&storage), &Progress::new()).unwrap_err().to_string();
        let told = ["the copy of the map beside the journal is gone: s/a.base; put m/castle.vxl back as it was when it was opened"];
        assert!(told.iter().all(|told| error.contains(told)), "{error}");
    }

    #[test]
    fn a_map_comes_back_without_a_file_beside_it_whose_copy_is_lost() {
        let (storage, document) = crashed_with_files();
        flip(&storage, "s/a.txt");
        storage.put(BESIDE, b"name = 'Other'\n");
        let replayed = replay(&storage, &found(&storage), &Progress::new()).unwrap();
        assert!(replayed.document.store().same_voxels(document.store()));
        assert_eq!(replayed.lost, [Path::new("s/a.txt")]);
        assert!(replayed.document.metadata.name.is_none() && replayed.document.sidecars.is_empty() && !replayed.is_without_base);
        // Saving takes that file for one that it does not know, and asks.
        assert_eq!(replayed.stamps.0.keys().collect::<Vec<_>>(), [Path::new(MAP)]);
    }

    #[test]
    fn the_share_that_is_told_is_that_of_the_whole_journal() {
        let (storage, _) = crashed_with_files();
        let progress = Progress::new();
        replay(&storage, &found(&storage), &progress).unwrap();
        // Told before each of three steps.
        assert!((progress.share() - 2.0 / 3.0).abs() < 0.001, "{}", progress.share());
    }

    #[test]
    fn a_file_beside_the_copies_that_the_journal_does_not_name_is_none_of_the_maps() {
        let (storage, document) = crashed_with_files();
        let restored = |storage: &FaultyStorage| replay(storage, &found(storage), &Progress::new()).unwrap();
        storage.put("s/a.toml", b"name = 'Stray'\n");
        let replayed = restored(&storage);
        assert_eq!((replayed.document.metadata, replayed.lost), (document.metadata.clone(), vec![]));
        // Nor where the map itself is that of its snapshot.
        write_snapshot(&storage, Path::new(JOURNAL), &document, 2, None).unwrap();
        flip(&storage, "s/a.base");
        flip(&storage, MAP);
        let replayed = restored(&storage);
        assert!(replayed.is_without_base && replayed.document.sidecars.iter().map(|file| &*file.bytes).eq([SCRIPT]));
    }

    #[test]
    fn a_file_whose_copy_is_lost_is_not_known_for_having_been_saved_since() {
        for (to, beside) in [(MAP, BESIDE), ("m/other.vxl", "m/other.txt")] {
            for (is_told, is_in_snapshot) in [(true, false), (true, true), (false, false)] {
                let saved = |storage: &FaultyStorage| {
                    let map = storage.get(MAP).unwrap();
                    storage.put(to, &map);
                    storage.put(beside, b"name = 'Saved'\n");
                    let mut files = open_map(storage, Path::new(to), &OpenOptions::default(), &Progress::new()).unwrap().stamps;
                    // What was in the script may be in any other file by now.
                    let stamp = files.get(Path::new(beside)).copied().unwrap();
                    storage.put(beside.replace(".txt", ".toml"), b"name = 'Saved'\n");
                    files.0.insert(beside.replace(".txt", ".toml").into(), stamp);
                    let saved =
                        |stamps| JournalEntry::Saved { number: None, map: Path::new(to).into(), format: None, options: None, stamps };
                    // A save that was killed before it could say so has put its files there all the same.
                    let end = if is_told { saved(files) } else { JournalEntry::Placing { files } };
                    vec![saved(Stamps::default()), end, JournalEntry::Do { command: set(4), at: 11 }]
                };
                let (storage, document) = crashed_with_files_and(MAP, BESIDE, saved);
                let mut known = replay(&storage, &found(&storage), &Progress::new()).unwrap().stamps.0.into_keys().collect::<Vec<_>>();
                known.sort();
                assert_eq!(known, [Path::new(&beside.replace(".txt", ".toml")), Path::new(beside), Path::new(to)]);
                flip(&storage, "s/a.txt");
                storage.put(BESIDE, b"name = 'Saved'\n");
                if is_in_snapshot {
                    write_snapshot(&storage, Path::new(JOURNAL), &document, 5, found(&storage).content.mark(5)).unwrap();
                }
                let replayed = replay_quickly(&storage, &found(&storage), &Progress::new()).unwrap();
                assert_eq!((replayed.lost, replayed.skipped), (vec![PathBuf::from("s/a.txt")], if is_in_snapshot { 5 } else { 0 }));
                assert_eq!(replayed.stamps.0.into_keys().collect::<Vec<_>>(), [Path::new(to)], "{is_told} {is_in_snapshot}");
            }
        }
    }

    #[test]
    fn what_an_interrupted_save_put_there_is_known_only_where_this_journal_told_of_it_and_no_copy_is_lost() {
        let new = b"name = 'Completed'\n";
        for is_ours in [true, false] {
            let told = |storage: &FaultyStorage| {
                storage.put(BESIDE, new);
                let mut files = open_map(storage, Path::new(MAP), &OpenOptions::default(), &Progress::new()).unwrap().stamps;
                files.0.remove(Path::new(MAP));
                storage.put(BESIDE, SCRIPT);
                if is_ours { vec![JournalEntry::Placing { files }] } else { vec![] }
            };
            let (storage, _) = crashed_with_files_and(MAP, BESIDE, told);
            storage.put(BESIDE, new);
            let restored = || settle_and_replay(&storage, &found(&storage), &Progress::new()).unwrap();
            let known = |replayed: &Replayed| replayed.stamps.get(Path::new(BESIDE)).map(|stamp| stamp.hash);
            let (of_script, beside) = (Some(ContentHash::of(SCRIPT)), vec![PathBuf::from(BESIDE)]);
            let replayed = restored();
            let expected = if is_ours { (Some(ContentHash::of(new)), vec![]) } else { (of_script, beside.clone()) };
            assert_eq!((known(&replayed), replayed.changed_on_disk), expected);
            // Somebody wrote there while the list of unsaved maps stood open.
            storage.put(BESIDE, b"name = 'Other'\n");
            let replayed = restored();
            assert_eq!((known(&replayed), replayed.changed_on_disk), (of_script, beside));
            storage.put(BESIDE, new);
            flip(&storage, "s/a.txt");
            let replayed = restored();
            assert_eq!((known(&replayed), replayed.lost), (None, vec![PathBuf::from("s/a.txt")]));
        }
    }

    #[test]
    fn a_copy_that_nobody_may_read_is_made_afresh_or_told_as_lost() {
        for copy in ["s/a.base", "s/a.txt"] {
            let (storage, document) = crashed_with_files();
            storage.withhold(copy, true);
            let replayed = replay(&storage, &found(&storage), &Progress::new()).unwrap();
            assert!(replayed.document.store().same_voxels(document.store()) && replayed.lost.is_empty(), "{copy}");
            assert_eq!(replayed.document.metadata, document.metadata, "{copy}");
        }
        let (storage, _) = crashed_with_files();
        storage.withhold("s/a.txt", true);
        storage.put(BESIDE, b"name = 'Other'\n");
        assert_eq!(replay(&storage, &found(&storage), &Progress::new()).unwrap().lost, [Path::new("s/a.txt")]);
    }

    #[test]
    fn a_disk_that_fails_once_while_the_copies_are_read_costs_nothing_in_silence() {
        let (whole, document) = crashed_with_files();
        let (mut lost, mut failed) = (0, 0);
        for is_without_base in [false, true] {
            for index in 0.. {
                let storage = FaultyStorage::default();
                whole.all().iter().for_each(|(path, bytes)| storage.put(path, bytes));
                if is_without_base {
                    write_snapshot(&storage, Path::new(JOURNAL), &document, 2, None).unwrap();
                    flip(&storage, "s/a.base");
                    flip(&storage, MAP);
                }
                let (found, begun) = (found(&storage), storage.operations());
                storage.fail_at(index, Fault::Once(io::ErrorKind::Other));
                let replayed = replay(&storage, &found, &Progress::new());
                if storage.operations() - begun <= index {
                    break;
                }
                let Ok(replayed) = replayed else {
                    failed += 1;
                    continue;
                };
                let is_lost = replayed.lost.contains(&PathBuf::from("s/a.txt"));
                let is_there = replayed.document.sidecars.iter().any(|file| *file.bytes == *SCRIPT);
                assert!(is_there || is_lost, "operation {index}");
                assert!(!is_lost || replayed.stamps.get(Path::new(BESIDE)).is_none(), "operation {index}: saving asks");
                lost += usize::from(is_lost);
            }
        }
        assert!(lost > 0 && failed > 0, "{lost} {failed}");
    }

    #[test]
    fn steps_about_objects_that_only_a_lost_copy_told_of_are_passed_over_and_no_other() {
        let (storage, document) = crashed_with_files();
        let mut content = found(&storage).content;
        let [remove, missing] = [1, 9].map(|id| serde_json::from_str::<Command>(&format!(r#"{{"remove_object":{{"id":{id}}}}}"#)).unwrap());
        let add: Command = serde_json::from_str(r#"{"add_object":{"spawn_point":{"team":"green","at":[5,5,50]}}}"#).unwrap();
        let mut entries: Vec<JournalEntry> = content.entries.iter().collect();
        // The green point is another one than the one that is removed, whatever number it gets without the file.
        entries.extend([add, remove, missing, set(7)].map(|command| JournalEntry::Do { command, at: 11 }));
        entries.extend([JournalEntry::Undo, JournalEntry::Undo, JournalEntry::Redo, JournalEntry::Redo]);
        content.entries = Entries::from(&*entries);
        flip(&storage, "s/a.txt");
        storage.put(BESIDE, b"name = 'Other'\n");
        let found = Recoverable { content, ..found(&storage) };
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        assert!(replayed.stopped.is_none() && replayed.passed_over == 2);
        assert!(replayed.document.store().is_solid(IVec3::new(3, 2, 60)) && replayed.document.store().is_solid(IVec3::new(7, 2, 60)));
        assert_eq!(replayed.document.objects.iter().count(), 1);
        // The snapshot knows what the copy told of.
        write_snapshot(&storage, Path::new(JOURNAL), &document, 3, None).unwrap();
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        assert_eq!((replayed.document.metadata.clone(), replayed.skipped), (document.metadata.clone(), 3));
        // Without a loss, a step that cannot be repeated ends the replay as ever.
        let (storage, _) = crashed_with_files();
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        assert!(replayed.stopped.is_some() && replayed.replayed == 5 && replayed.document.objects.iter().next().is_none());
    }

    #[test]
    fn a_map_whose_copy_is_lost_comes_back_from_its_snapshot() {
        let (storage, document) = crashed_with_files();
        write_snapshot(&storage, Path::new(JOURNAL), &document, 2, None).unwrap();
        flip(&storage, "s/a.base");
        flip(&storage, MAP);
        for replay in [replay, replay_quickly] {
            let replayed = replay(&storage, &found(&storage), &Progress::new()).unwrap();
            assert!(replayed.document.store().same_voxels(document.store()) && replayed.is_without_base);
            assert_eq!((replayed.document.metadata.clone(), replayed.skipped, replayed.format), (document.metadata.clone(), 2, "vxl"));
            assert!(replayed.document.store().is_solid(IVec3::new(3, 2, 60)) && replayed.history.is_modified());
            // The script is that of its copy, and the map's file nobody knows.
            assert_eq!(replayed.lost, [Path::new("s/a.base")]);
            assert_eq!(replayed.stamps.0.keys().collect::<Vec<_>>(), [Path::new(BESIDE)]);
            assert_eq!(replayed.document.sidecars.iter().map(|file| &*file.bytes).collect::<Vec<_>>(), [SCRIPT]);
        }
        storage.remove(Path::new("s/a.snapshot")).unwrap();
        let error = replay(&storage, &found(&storage), &Progress::new()).unwrap_err();
        assert!(matches!(error, RecoveryError::BaseChanged { .. }), "{error}");
    }
}
