//! After a crash: finds the journals that were left and replays them.
//!
//! Nothing here can stop the start: a journal that cannot be read is skipped, kept and reported. A snapshot
//! beside the journal shortens the replay (`snapshot`); steps from before it are rebuilt afterwards. Damaged copies
//! of the map's files are made afresh where that can be done (`base`).

mod base;
mod replay;
mod snapshot;
mod thumbnail;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use replay::{Replayed, before_snapshot, replay, replay_content, replay_quickly, replay_whole};
pub use snapshot::{SNAPSHOT_LIMIT, StepsSince, write_snapshot};
pub use thumbnail::{Thumbnail, thumbnail};

use super::claim::CLAIM_EXTENSION;
use super::files::OpenError;
use super::journal::{JournalContent, JournalEntry, lock_path, read_journal, remove_journal};
use super::storage::{FileLock, Storage, StorageError};
use crate::edit::COMMAND_VERSION;

/// Largest journal that is read.
const JOURNAL_LIMIT: u64 = 1 << 30;
/// Time after which files without a journal belong to nobody.
const DUST_AGE: Duration = Duration::from_secs(600);
/// Time for which a damaged journal is kept aside.
const DAMAGED_AGE: Duration = Duration::from_secs(30 * 86_400);
/// Ending of a journal's name.
pub const JOURNAL_EXTENSION: &str = "journal";

/// A map with steps that were never saved. Others do not see it while this is kept.
#[derive(Debug)]
pub struct Recoverable {
    /// The journal's file.
    pub journal: PathBuf,
    /// The map's file, as last saved or opened; `None` if it was never saved.
    pub map: Option<PathBuf>,
    /// Steps since it was last saved, as far as the journal is whole.
    pub steps: usize,
    /// Entries that the journal has lost and its recovery snapshot holds: they come back without their steps.
    pub beyond: usize,
    /// When the last step was made, in seconds since 1970.
    pub at: u64,
    /// What the journal says.
    pub content: JournalContent,
    /// Keeps others away; [`Journal::resume`](super::journal::Journal::resume) takes it over.
    pub lock: FileLock,
}

impl Recoverable {
    /// What the journal is called, for choosing among several.
    pub fn id(&self) -> String {
        journal_id(&self.journal)
    }
}

/// What a journal is called: the stem of its file's name.
pub fn journal_id(journal: &Path) -> String {
    journal.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A journal that cannot be replayed. It stays where it is.
#[derive(Debug)]
pub struct Skipped {
    /// The journal's file.
    pub journal: PathBuf,
    /// Why.
    pub reason: RecoveryError,
}

/// Why a journal cannot be replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecoveryError {
    /// A file cannot be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// Not even the beginning of the journal is whole.
    #[error("the journal is damaged from its beginning")]
    Damaged,
    /// The first step that was not saved is damaged.
    #[error("the first step that was not saved is damaged, at byte {offset} of the journal: nothing can be brought back")]
    NoWholeStep {
        /// Where the damage begins.
        offset: u64,
    },
    /// Written by a version whose commands this one does not know.
    #[error("the journal has version {found}; this Spadework reads {known}")]
    OtherVersion {
        /// Version of the journal.
        found: u32,
        /// Version of this program.
        known: u32,
    },
    /// The copy of the map that the steps start from is missing or changed.
    #[error("the copy of the map beside the journal is not what it was: {}", path.display())]
    BaseChanged {
        /// The copy.
        path: PathBuf,
    },
    /// The copy of the map cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// The journals in a folder that no running Spadework holds.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// Those with steps that were never saved, the latest first.
    pub recoverable: Vec<Recoverable>,
    /// Those that cannot be replayed.
    pub skipped: Vec<Skipped>,
    /// Why the folder could not be looked at: what is in it is not known.
    pub trouble: Option<StorageError>,
}

/// Looks for journals that a crash left behind; removes those without unsaved steps, and what belongs to no
/// journal. Never fails.
pub fn find_leftovers(storage: &dyn Storage, folder: &Path) -> Leftovers {
    let mut leftovers = Leftovers::default();
    let paths = match storage.list(folder) {
        Ok(paths) => paths,
        // No folder, no journals.
        Err(error) => {
            let is_missing = error.reason.kind() == std::io::ErrorKind::NotFound;
            return Leftovers { trouble: (!is_missing).then_some(error), ..leftovers };
        }
    };
    remove_dust(storage, &paths);
    for journal in paths.into_iter().filter(|path| path.extension() == Some(OsStr::new(JOURNAL_EXTENSION))) {
        match look_at(storage, &journal) {
            Ok(Some(found)) if found.steps > 0 || found.beyond > 0 => leftovers.recoverable.push(found),
            // What is damaged may have held steps: it is for the user to discard.
            Ok(Some(Recoverable { content: JournalContent { damage: Some(offset), .. }, .. })) => {
                leftovers.skipped.push(Skipped { journal, reason: RecoveryError::NoWholeStep { offset: offset as u64 } });
            }
            // Nothing to recover: if it cannot be removed, it does no harm until the next start.
            Ok(Some(_)) => remove_journal(storage, &journal).unwrap_or_default(),
            Ok(None) => {}
            Err(reason) => leftovers.skipped.push(Skipped { journal, reason }),
        }
    }
    leftovers.recoverable.sort_by_key(|found| std::cmp::Reverse(found.at));
    leftovers
}

/// Removes what a crash left that is of no use: the copies of a map whose journal was not begun yet,
/// temporary files, and damaged journals that were kept aside long ago.
fn remove_dust(storage: &dyn Storage, paths: &[PathBuf]) {
    let is_older = |path: &Path, age: Duration| {
        let modified = storage.info(path).ok().and_then(|info| info.modified);
        modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|elapsed| elapsed >= age)
    };
    for path in paths {
        let has_journal = || storage.exists(&path.with_extension(JOURNAL_EXTENSION)).unwrap_or(true);
        let is_useless = match path.extension().and_then(OsStr::to_str) {
            // It is held from before the journal is there, and a little later if it is just being made.
            Some("lock") => is_older(path, DUST_AGE) && !has_journal() && matches!(storage.lock(path), Ok(Some(_))),
            Some("damaged") => is_older(path, DAMAGED_AGE),
            Some(CLAIM_EXTENSION) => is_older(path, DUST_AGE) && matches!(storage.lock(path), Ok(Some(_))),
            _ => storage.is_abandoned_temp(path),
        };
        // What cannot be removed does no harm until the next start.
        match path.extension().and_then(OsStr::to_str) {
            Some("lock") if is_useless => remove_journal(storage, &path.with_extension(JOURNAL_EXTENSION)).unwrap_or_default(),
            _ if is_useless => storage.remove(path).unwrap_or_default(),
            _ => {}
        }
    }
}

/// `None` while its process lives.
fn look_at(storage: &dyn Storage, journal: &Path) -> Result<Option<Recoverable>, RecoveryError> {
    let Some(lock) = storage.lock(&lock_path(journal))? else { return Ok(None) };
    let content = read_journal(&storage.read(journal, JOURNAL_LIMIT)?).ok_or(RecoveryError::Damaged)?;
    if content.header.version != COMMAND_VERSION {
        return Err(RecoveryError::OtherVersion { found: content.header.version, known: COMMAND_VERSION });
    }
    let saved = content.entries.iter().rposition(|entry| matches!(entry, JournalEntry::Saved { .. }));
    let steps = unsaved_steps(&content.entries, saved.map_or(0, |saved| saved_place(&content.entries, saved)));
    let map = match saved.and_then(|index| content.entries.get(index)) {
        Some(JournalEntry::Saved { map, .. }) => Some(map.0.clone()),
        _ => content.header.map.as_ref().map(|map| map.0.clone()),
    };
    let times = content.entries.iter().filter_map(|entry| if let JournalEntry::Do { at, .. } = entry { Some(*at) } else { None });
    let at = times.max().unwrap_or(content.header.at);
    let beyond = snapshot::read_beyond(storage, journal, &content).map_or(0, |snapshot| snapshot.entries());
    let beyond = beyond.saturating_sub(content.entries.len());
    Ok(Some(Recoverable { journal: journal.into(), map, steps, beyond, at, content, lock }))
}

/// Steps from the entry at `from` on that changed the map: none where all of them only selected.
fn unsaved_steps(entries: &[JournalEntry], from: usize) -> usize {
    // Whether each step that is done, or undone, changed the map. What happened before the journal may have.
    let (mut done, mut undone) = (Vec::<bool>::new(), Vec::<bool>::new());
    let (mut steps, mut edits) = (0, 0);
    for (index, entry) in entries.iter().enumerate() {
        let is_edit = match entry {
            JournalEntry::Do { command, .. } => {
                undone.clear();
                done.push(!command.only_session_state());
                done.last().copied()
            }
            JournalEntry::Undo => done.pop().or(Some(true)).inspect(|edit| undone.push(*edit)),
            JournalEntry::Redo => undone.pop().or(Some(true)).inspect(|edit| done.push(*edit)),
            JournalEntry::Jump { .. } => Some(true),
            JournalEntry::Saving { .. } | JournalEntry::Saved { .. } => None,
        };
        if index >= from {
            steps += usize::from(is_edit.is_some());
            edits += usize::from(is_edit == Some(true));
        }
    }
    if edits > 0 { steps } else { 0 }
}

/// Where the save stood whose end is the entry at `saved`: steps from there on are in no file.
fn saved_place(entries: &[JournalEntry], saved: usize) -> usize {
    let Some(JournalEntry::Saved { number: Some(number), .. }) = entries.get(saved) else { return saved };
    let begun = JournalEntry::Saving { number: *number };
    entries.iter().take(saved).rposition(|entry| *entry == begun).unwrap_or(saved)
}

/// Deletes a journal that is not wanted.
///
/// # Errors
/// If its files cannot be removed.
pub fn discard(storage: &dyn Storage, found: Recoverable) -> Result<(), StorageError> {
    remove_journal(storage, &found.journal)
}

/// Deletes a journal that cannot even be read, with what lies beside it.
///
/// # Errors
/// If its files cannot be removed.
pub fn discard_file(storage: &dyn Storage, journal: &Path) -> Result<(), StorageError> {
    remove_journal(storage, journal)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::IVec3;

    use super::*;
    use crate::document::{Document, GameProfile, Progress};
    use crate::edit::{Command, History, plan};
    use crate::editor::files::{OpenOptions, Stamps, open_map};
    use crate::editor::journal::{Journal, JournalBase};
    use crate::editor::storage::testing::FaultyStorage;
    use crate::format::MAP_FORMATS;
    use crate::geom::Region;
    use crate::voxel::Store;

    pub(super) const JOURNAL: &str = "s/a.journal";

    pub(super) fn set(x: i32) -> Command {
        serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,60],"color":"#ff8000"}}}}"##)).unwrap()
    }

    /// A new map, four steps, one of them undone, and then the process is gone.
    pub(super) fn crashed(format: &'static str) -> (FaultyStorage, Document) {
        let storage = FaultyStorage::default();
        // VXL has the game's size only; VMF any, and writing air takes its time.
        let size = if format == "vxl" { IVec3::new(512, 512, 64) } else { IVec3::new(16, 16, 64) };
        let mut document = Document::new(Store::new(Region::of_size(size)), &GameProfile::ACE_OF_SPADES);
        let base = JournalBase::Made { format, document: Box::new(document.clone()) };
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
            assert_eq!((found.steps, found.at, &found.map), (4, 10, &None));
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
        found.content.entries = entries[..after].to_vec();
        let before = replay(&storage, &found, &Progress::new()).unwrap();
        write_snapshot(&storage, Path::new(JOURNAL), &before.document, after).unwrap();
        found.content.entries = entries.to_vec();
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
        // The floor that VXL maps have.
        assert_eq!(document.store().solid_count(), 512 * 512);
        history.jump_to(&mut document, steps);
        assert!(document.store().same_voxels(whole.document.store()));
    }

    #[test]
    fn a_snapshot_shortens_the_replay_and_changes_nothing_else() {
        let set = |x| JournalEntry::Do { command: set(x), at: 1 };
        let saving = || JournalEntry::Saving { number: 1 };
        let saved = || JournalEntry::Saved { number: Some(1), map: Path::new("m/a.vxl").into(), format: None, stamps: Stamps::default() };
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
    fn a_resumed_journal_goes_on_and_a_changed_copy_is_refused() {
        let Some(format) = MAP_FORMATS.iter().map(|format| format.id()).find(|id| *id == "vxl") else { return };
        let (storage, _) = crashed(format);
        // A crash in the middle of a frame.
        let whole = storage.get(JOURNAL).unwrap();
        storage.put(JOURNAL, &whole[..whole.len() - 1]);
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        assert!(found.content.damage.is_some());
        let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock, None);
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
    fn steps_that_only_select_are_nothing_to_recover() {
        let select = |x: i32| JournalEntry::Do {
            command: serde_json::from_str(&format!(r#"{{"select":{{"box":[[{x},0,0],[9,9,9]]}}}}"#)).unwrap(),
            at: 1,
        };
        let edit = || JournalEntry::Do { command: set(1), at: 1 };
        let (undo, redo) = (|| JournalEntry::Undo, || JournalEntry::Redo);
        assert_eq!(unsaved_steps(&[select(1), select(2), undo(), redo()], 0), 0);
        assert_eq!(unsaved_steps(&[select(1), edit(), select(2)], 0), 3);
        assert_eq!(unsaved_steps(&[edit(), select(2), undo()], 1), 0);
        assert_eq!(unsaved_steps(&[edit(), select(2), undo(), undo()], 1), 3);
        assert_eq!(unsaved_steps(&[edit(), undo(), redo()], 2), 1);
        assert_eq!(unsaved_steps(&[undo()], 0), 1);
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
            write_snapshot(&storage, Path::new(JOURNAL), &document, 4).unwrap();
            let mut bytes = storage.get(JOURNAL).unwrap();
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
            write_snapshot(&storage, Path::new(JOURNAL), &document, whole).unwrap();
            let found = find_leftovers(&storage, Path::new("s"));
            assert_eq!(found.recoverable.first().map_or(0, |found| found.beyond), 0);
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
        assert_eq!(replayed.changed_on_disk.as_deref(), Some(Path::new("m/a.vxl")));
        assert!(replayed.document.store().is_solid(IVec3::new(5, 2, 60)));
        assert_eq!(storage.get("m/a.vxl").unwrap(), b"somebody else's");
    }

    #[test]
    fn a_saved_map_leaves_nothing_to_recover() {
        let Some(format) = MAP_FORMATS.iter().map(|format| format.id()).find(|id| *id == "vxl") else { return };
        let (storage, _) = crashed(format);
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock, None);
        journal.append(JournalEntry::Saved { number: None, map: Path::new("m/a.vxl").into(), format: None, stamps: Stamps::default() });
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
        let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock, None);
        let command = set(7);
        journal.append(JournalEntry::Saving { number: 3 });
        journal.append(JournalEntry::Do { command: command.clone(), at: 12 });
        let map = Path::new("m/a.vmf").into();
        journal.append(JournalEntry::Saved { number: Some(3), map, format: Some("vmf".into()), stamps: Stamps::default() });
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
        let aside = Path::new("s/a-old.damaged");
        let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock, Some(aside.into()));
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
        let found = find_leftovers(&storage, Path::new("s"));
        assert_eq!((found.recoverable.len(), found.skipped.len()), (1, 0));
        let kept: Vec<_> = storage.all().into_keys().map(|path| path.to_string_lossy().into_owned()).collect();
        assert_eq!(kept, ["s/a.base", "s/a.journal", "s/a.lock", "s/d.base", "s/d.lock", "s/notes.txt"]);
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
}
