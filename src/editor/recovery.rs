//! After a crash: finds the journals that were left and replays them.
//!
//! Nothing here can stop the start: a journal that cannot be read is skipped, kept and reported.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::files::{OpenError, OpenOptions, Stamps, open_map};
use super::journal::{JournalContent, JournalEntry, lock_path, read_journal, remove_journal};
use super::storage::{ContentHash, FileLock, Storage, StorageAction, StorageError, folder_of};
use crate::document::{Document, Progress};
use crate::edit::{COMMAND_VERSION, EditError, History, plan};
use crate::format::MAP_FORMATS;

/// Largest journal that is read.
const JOURNAL_LIMIT: u64 = 1 << 30;
/// Ending of a journal's name.
pub const JOURNAL_EXTENSION: &str = "journal";

/// A map with steps that were never saved. Others do not see it while this is kept.
#[derive(Debug)]
pub struct Recoverable {
    /// The journal's file.
    pub journal: PathBuf,
    /// The map's file, as last saved or opened; `None` if it was never saved.
    pub map: Option<PathBuf>,
    /// Steps since it was last saved.
    pub steps: usize,
    /// When the last step was made, in seconds since 1970.
    pub at: u64,
    /// What the journal says.
    pub content: JournalContent,
    /// Keeps others away; [`Journal::resume`](super::journal::Journal::resume) takes it over.
    pub lock: FileLock,
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
}

/// Looks for journals that a crash left behind; removes those without unsaved steps. Never fails.
pub fn find_leftovers(storage: &dyn Storage, folder: &Path) -> Leftovers {
    let mut leftovers = Leftovers::default();
    // No folder, no journals.
    let paths = storage.list(folder).unwrap_or_default();
    for journal in paths.into_iter().filter(|path| path.extension() == Some(OsStr::new(JOURNAL_EXTENSION))) {
        match look_at(storage, &journal) {
            Ok(Some(found)) if found.steps > 0 => leftovers.recoverable.push(found),
            // Nothing to recover: if it cannot be removed, it does no harm until the next start.
            Ok(Some(_)) => remove_journal(storage, &journal).unwrap_or_default(),
            Ok(None) => {}
            Err(reason) => leftovers.skipped.push(Skipped { journal, reason }),
        }
    }
    leftovers.recoverable.sort_by_key(|found| std::cmp::Reverse(found.at));
    leftovers
}

/// `None` while its process lives.
fn look_at(storage: &dyn Storage, journal: &Path) -> Result<Option<Recoverable>, RecoveryError> {
    let Some(lock) = storage.lock(&lock_path(journal))? else { return Ok(None) };
    let content = read_journal(&storage.read(journal, JOURNAL_LIMIT)?).ok_or(RecoveryError::Damaged)?;
    if content.header.version != COMMAND_VERSION {
        return Err(RecoveryError::OtherVersion { found: content.header.version, known: COMMAND_VERSION });
    }
    let saved = content.entries.iter().rposition(|entry| matches!(entry, JournalEntry::Saved { .. }));
    let is_step = |entry: &&JournalEntry| !matches!(entry, JournalEntry::Saving { .. } | JournalEntry::Saved { .. });
    let steps = content.entries.iter().skip(saved.map_or(0, |saved| saved_place(&content.entries, saved))).filter(is_step).count();
    let map = match saved.and_then(|index| content.entries.get(index)) {
        Some(JournalEntry::Saved { map, .. }) => Some(map.0.clone()),
        _ => content.header.map.as_ref().map(|map| map.0.clone()),
    };
    let times = content.entries.iter().filter_map(|entry| if let JournalEntry::Do { at, .. } = entry { Some(*at) } else { None });
    let at = times.max().unwrap_or(content.header.at);
    Ok(Some(Recoverable { journal: journal.into(), map, steps, at, content, lock }))
}

/// Where the save stood whose end is the entry at `saved`: steps from there on are in no file.
fn saved_place(entries: &[JournalEntry], saved: usize) -> usize {
    let Some(JournalEntry::Saved { number: Some(number), .. }) = entries.get(saved) else { return saved };
    let begun = JournalEntry::Saving { number: *number };
    entries.iter().take(saved).rposition(|entry| *entry == begun).unwrap_or(saved)
}

/// A map as it was when its process ended.
#[derive(Debug)]
pub struct Replayed {
    /// The map.
    pub document: Document,
    /// Its steps; the state last saved is marked.
    pub history: History,
    /// Id of the format that it was last saved or opened in.
    pub format: &'static str,
    /// The map's files as they were when last saved or opened: saving compares them, and asks.
    pub stamps: Stamps,
    /// The first file that somebody else changed since; saving over it would destroy that.
    pub changed_on_disk: Option<PathBuf>,
    /// Entries that were replayed.
    pub replayed: usize,
    /// Why the replay stopped before the last entry.
    pub stopped: Option<EditError>,
}

/// Replays a journal on the copy of the map that lies beside it. Changes no file.
///
/// # Errors
/// If the copy is not what it was. A step that cannot be replayed ends the replay; what came before counts.
pub fn replay(storage: &dyn Storage, found: &Recoverable, progress: &Progress) -> Result<Replayed, RecoveryError> {
    let header = &found.content.header;
    let base = check_base(storage, found)?;
    let options = OpenOptions { format: Some(header.format.clone()), options: header.options.clone(), ..OpenOptions::default() };
    let opened = open_map(storage, &base, &options, progress)?;
    let (mut document, mut history, mut stamps) = (opened.document, History::new(), header.stamps.clone());
    if header.map.is_none() {
        history.mark_never_saved();
    }
    let (mut replayed, mut stopped, mut format) = (0, None, opened.format);
    let mut begun = BTreeMap::new();
    for entry in &found.content.entries {
        match entry {
            JournalEntry::Do { command, .. } => match plan(&document, command, progress) {
                Ok(change) => history.commit(&mut document, change),
                Err(EditError::Cancelled(cancelled)) => return Err(OpenError::Cancelled(cancelled).into()),
                Err(error) => {
                    stopped = Some(error);
                    break;
                }
            },
            JournalEntry::Undo => _ = history.undo(&mut document),
            JournalEntry::Redo => _ = history.redo(&mut document),
            JournalEntry::Jump { to } => history.jump_to(&mut document, *to),
            JournalEntry::Saving { number } => _ = begun.insert(*number, history.mark()),
            JournalEntry::Saved { number, format: id, stamps: written, .. } => {
                let mark = number.and_then(|number| begun.get(&number).copied()).unwrap_or_else(|| history.mark());
                history.mark_saved_at(&mut document, mark);
                format = MAP_FORMATS.iter().map(|format| format.id()).find(|known| Some(*known) == id.as_deref()).unwrap_or(format);
                stamps = written.clone();
            }
        }
        replayed += 1;
    }
    // A file that cannot be looked at is as good as changed: saving will say more.
    let changed_on_disk = stamps.first_changed(storage).unwrap_or(found.map.as_deref()).map(Path::to_path_buf);
    Ok(Replayed { document, history, format, stamps, changed_on_disk, replayed, stopped })
}

/// Deletes a journal that is not wanted.
///
/// # Errors
/// If its files cannot be removed.
pub fn discard(storage: &dyn Storage, found: Recoverable) -> Result<(), StorageError> {
    remove_journal(storage, &found.journal)
}

/// The path of the map's copy, after comparing all copies with what the journal says.
fn check_base(storage: &dyn Storage, found: &Recoverable) -> Result<PathBuf, RecoveryError> {
    let base = &found.content.header.base;
    let place = |name: &Path| folder_of(&found.journal).join(name.file_name().unwrap_or_default());
    for (name, hash) in base {
        let path = place(&name.0);
        let read = storage.open(&path)?;
        if ContentHash::of_source(&*read).map_err(StorageError::at(StorageAction::Read, &path))? != *hash {
            return Err(RecoveryError::BaseChanged { path });
        }
    }
    base.first().map(|(name, _)| place(&name.0)).ok_or(RecoveryError::Damaged)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::IVec3;

    use super::*;
    use crate::document::GameProfile;
    use crate::edit::Command;
    use crate::editor::files::Stamps;
    use crate::editor::journal::{Journal, JournalBase};
    use crate::editor::storage::testing::FaultyStorage;
    use crate::geom::Region;
    use crate::voxel::Store;

    const JOURNAL: &str = "s/a.journal";

    fn set(x: i32) -> Command {
        serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,60],"color":"#ff8000"}}}}"##)).unwrap()
    }

    /// A new map, four steps, one of them undone, and then the process is gone.
    fn crashed(format: &'static str) -> (FaultyStorage, Document) {
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
