//! After a crash: finds the journals that were left and replays them.
//!
//! Nothing here can stop the start: a journal that cannot be read is skipped, kept and reported. A snapshot
//! beside the journal shortens the replay (`snapshot`); steps from before it are rebuilt afterwards. What the steps are
//! repeated on is found by `beginning`; `replay` repeats them. Damaged copies of the map's files are made afresh where that can be done
//! (`base`). A map to which its journal does not lead goes on in another one, which begins with the map as it is (`origin`).

mod base;
mod beginning;
mod beheaded;
mod note;
mod numbers;
mod origin;
mod replay;
mod saving;
mod settle;
mod snapshot;
mod starts;
#[cfg(test)]
pub(super) mod tests;
mod thumbnail;
mod unsaved;

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

pub use base::originals;
pub use beginning::VOXELS_SUFFICE;
pub use beheaded::lost_name;
pub use note::{RecoveryNote, note_before_placing, read_notes, write_note};
pub use origin::base_of_snapshot;
use replay::map_of;
#[cfg(test)]
pub(in crate::editor) use replay::replay_within_budget;
pub use replay::{Replayed, before_snapshot, replay, replay_content, replay_older, replay_quickly, replay_whole};
pub use saving::{SaveNote, settle_noted_saves};
pub use settle::{LeftSaves, settle_and_replay};
pub use snapshot::{SNAPSHOT_LIMIT, StepsSince, write_snapshot};
use starts::Starts;
pub use thumbnail::{Thumbnail, thumbnail};
pub use unsaved::{MOST_HELD, Unsaved};

use super::claim::CLAIM_EXTENSION;
use super::files::{OpenError, name_of_version};
use super::journal::{
    Entries, EntryKind, JournalContent, JournalEntry, JournalError, JournalVersion, copies_of_none, lock_again, lock_path, note_path,
    read_journal_of, remove_aside, remove_journal, snapshot_path,
};
use super::storage::{DanglingLink, FileLock, Storage, StorageError, clear_way, folder_of};

/// Largest journal that is read.
const JOURNAL_LIMIT: u64 = 1 << 30;
/// Time after which files without a journal belong to nobody.
const DUST_AGE: Duration = Duration::from_secs(600);
/// Time for which a damaged journal is kept aside, as [`Starts`] tells it.
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
    /// Name of the map that it is an earlier version of, where such a version was opened and is in no other file: `castle.vxl`.
    pub version_of: Option<String>,
    /// Steps since it was last saved, as far as the journal is whole.
    pub steps: usize,
    /// Whether the map that the journal begins with is in no file, also without any step: it came from a recovery snapshot, or is
    /// an earlier version of a map.
    pub is_in_no_file: bool,
    /// Entries that the journal has lost and its recovery snapshot holds: they come back without their steps.
    pub beyond: usize,
    /// When the last step was made, in seconds since 1970.
    pub at: u64,
    /// Where things are now that lay in the places of files beside the journal and were none: folders, pipes, links.
    pub moved: Vec<PathBuf>,
    /// That it was brought back already, where the journal stays all the same.
    pub recovered: Option<RecoveryNote>,
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

/// A journal that cannot be replayed, or not be looked at. It stays where it is.
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
    /// A running Spadework has its map open, or offers to bring it back.
    #[error("a running Spadework holds this journal; end it first")]
    Held,
    /// Somebody wrote into it, or cut it, since it was read.
    #[error("somebody went on with the journal since it was looked at; it stays: look again")]
    GoneOnWith,
    /// It is a link that leads nowhere, as where its disk is not attached.
    #[error("the journal is a link to {}, which is not there", target.display())]
    Away {
        /// Where it leads to.
        target: PathBuf,
    },
    /// Not even the beginning of the journal is whole.
    #[error("the journal is damaged from its beginning")]
    Damaged,
    /// The first step that was not saved is damaged, or only a newer Spadework knows it.
    #[error(
        "the first step that was not saved is {}, at byte {offset} of the journal: {}",
        if *is_newer { "of a newer Spadework" } else { "damaged" },
        if *is_newer { "restore it with that one" } else { "nothing can be brought back" }
    )]
    NoWholeStep {
        /// Where it stands.
        offset: u64,
        /// Whether it is whole, but not known here.
        is_newer: bool,
    },
    /// Written by a version whose journals this one does not read.
    #[error(
        "it was written by {}, in a way that this one does not know: restore it with that one",
        if app.is_empty() || app == env!("CARGO_PKG_VERSION") { "another Spadework".to_owned() } else { format!("Spadework {app}") }
    )]
    OtherVersion {
        /// Version of the Spadework that wrote it.
        app: String,
    },
    /// The copy of the map that the steps start from is missing or changed, and so is the file that it was made of.
    #[error(
        "the copy of the map beside the journal {}: {}{}",
        if *is_missing { "is gone" } else { "is not what it was" },
        path.display(),
        original_text(map.as_deref())
    )]
    BaseChanged {
        /// The copy.
        path: PathBuf,
        /// Whether it is not there at all.
        is_missing: bool,
        /// The file that it was made of; `None` for a map without a file.
        map: Option<PathBuf>,
    },
    /// The journal has no step, and the file that it was begun with is gone.
    #[error("no step is in the journal, but the map that it was begun with is gone: {} is a copy of it", copy.display())]
    OnlyCopy {
        /// The copy beside the journal.
        copy: PathBuf,
    },
    /// The copy of the map cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// What helps where the copy of a map is lost.
fn original_text(map: Option<&Path>) -> String {
    map.map_or_else(String::new, |map| {
        format!("; put {} back as it was when it was opened, as an earlier version may have it, and restore it then", map.display())
    })
}

impl RecoveryError {
    /// Whether it is about what lies there: not about the disk, rights or this process, for which nobody should discard a journal.
    pub fn is_about_journal(&self) -> bool {
        match self {
            Self::Storage(error) => error.is_about_file(),
            Self::Held | Self::GoneOnWith => false,
            _ => true,
        }
    }
}

/// The journals in a folder.
#[derive(Debug, Default)]
pub struct Leftovers {
    /// The latest of those with steps that were never saved, the very latest first: as many as may be held at once.
    pub recoverable: Vec<Recoverable>,
    /// The others with such steps, the latest of them first. Nobody holds them.
    pub others: Vec<Unsaved>,
    /// Those that cannot be replayed, or not be looked at.
    pub skipped: Vec<Skipped>,
    /// Those that a running Spadework holds: of maps that are open, or that it offers to bring back.
    pub held: Vec<PathBuf>,
    /// Folders in which a save did not end that no journal tells of.
    pub saving: BTreeSet<PathBuf>,
    /// Why the folder could not be looked at: what is in it is not known.
    pub trouble: Option<StorageError>,
}

/// Looks for journals that a crash left behind and holds the latest [`MOST_HELD`] of them; removes those without unsaved steps, and what
/// belongs to no journal. Never fails.
pub fn find_leftovers(storage: &dyn Storage, folder: &Path) -> Leftovers {
    hold_leftovers(storage, folder, MOST_HELD, &BTreeSet::new())
}

/// As [`find_leftovers`], and holds none of them.
pub fn list_leftovers(storage: &dyn Storage, folder: &Path) -> Leftovers {
    hold_leftovers(storage, folder, 0, &BTreeSet::new())
}

/// As [`find_leftovers`], holds so many of them at most, and passes over those that somebody decided about.
pub fn hold_leftovers(storage: &dyn Storage, folder: &Path, most: usize, decided: &BTreeSet<PathBuf>) -> Leftovers {
    hold_leftovers_at(storage, folder, most, decided, SystemTime::now())
}

/// As [`hold_leftovers`], at what the clock says. No clock alone makes a damaged journal, or the only copy of a map, old.
fn hold_leftovers_at(storage: &dyn Storage, folder: &Path, most: usize, decided: &BTreeSet<PathBuf>, now: SystemTime) -> Leftovers {
    let mut leftovers = Leftovers::default();
    let paths = match storage.list(folder) {
        Ok(paths) => paths,
        // No folder, no journals.
        Err(error) => {
            let is_missing = error.reason.kind() == std::io::ErrorKind::NotFound;
            return Leftovers { trouble: (!is_missing).then_some(error), ..leftovers };
        }
    };
    let starts = Starts::new(storage, folder, now);
    remove_dust(storage, &paths, &starts);
    leftovers.saving = saving::noted_folders(storage, &paths, &starts);
    let is_meant = |path: &PathBuf| path.extension() == Some(OsStr::new(JOURNAL_EXTENSION)) && !decided.contains(path);
    for journal in paths.into_iter().filter(is_meant) {
        match look_at(storage, &journal) {
            Ok(Some(found)) if found.steps > 0 || found.beyond > 0 || found.is_in_no_file => leftovers.add(found, most),
            // What is damaged may have held steps: it is for the user to discard.
            Ok(Some(Recoverable { content: JournalContent { damage: Some(offset), is_newer, .. }, .. })) => {
                leftovers.skipped.push(Skipped { journal, reason: RecoveryError::NoWholeStep { offset: offset as u64, is_newer } });
            }
            // It was hardly begun, or cut to its beginning: nobody knows at once, unless it has the only copy.
            Ok(Some(found))
                if found.content.entries.is_empty()
                    && !is_older(storage, &journal, DUST_AGE)
                    && !matches!(only_copy(storage, &found), Ok(Some(_))) => {}
            Ok(Some(found)) => match only_copy(storage, &found) {
                Ok(Some(copy)) if !starts.is_older(&journal, DAMAGED_AGE) => {
                    leftovers.skipped.push(Skipped { journal, reason: RecoveryError::OnlyCopy { copy } });
                }
                // Nothing to recover: if it cannot be removed, it does no harm until the next start.
                Ok(_) => remove_journal(storage, &journal).unwrap_or_default(),
                // Whether somebody needs it is seen at the next start.
                Err(_) => {}
            },
            Ok(None) => leftovers.held.push(journal),
            // Its map was closed since the folder was listed, or it lies on a disk that is away.
            Err(RecoveryError::Storage(error)) if error.is_not_found() => {
                let away = DanglingLink::above(storage, &journal);
                leftovers.skipped.extend(away.map(|link| Skipped { journal, reason: RecoveryError::Away { target: link.target } }));
            }
            Err(reason) => leftovers.skipped.push(Skipped { journal, reason }),
        }
    }
    starts.finish();
    leftovers.recoverable.sort_by_key(|found| Reverse(found.at));
    leftovers.others.sort_by_key(|found| Reverse(found.at));
    leftovers
}

/// Removes what a crash left that is of no use: the copies of a map whose journal was not begun yet, or is gone,
/// temporary files, and damaged journals that were kept aside long ago.
fn remove_dust(storage: &dyn Storage, paths: &[PathBuf], starts: &Starts<'_>) {
    let is_older = |path: &Path, age| is_older(storage, path, age);
    let copies_of_none = copies_of_none(storage, paths);
    for path in paths {
        let has_journal = || storage.exists(&path.with_extension(JOURNAL_EXTENSION)).unwrap_or(true);
        let is_useless = match path.extension().and_then(OsStr::to_str) {
            // It is held from before the journal is there, and a little later if it is just being made.
            Some("lock") => is_older(path, DUST_AGE) && !has_journal() && matches!(storage.lock(path), Ok(Some(_))),
            Some("damaged") => starts.is_older(path, DAMAGED_AGE),
            Some(CLAIM_EXTENSION) => is_older(path, DUST_AGE) && matches!(storage.lock(path), Ok(Some(_))),
            _ if copies_of_none.contains(path) => is_older(path, DUST_AGE),
            _ => storage.is_abandoned_temp(path),
        };
        // What cannot be removed does no harm until the next start.
        match path.extension().and_then(OsStr::to_str) {
            Some("lock") if is_useless => remove_journal(storage, &path.with_extension(JOURNAL_EXTENSION)).unwrap_or_default(),
            Some("damaged") if is_useless => remove_aside(storage, path).unwrap_or_default(),
            _ if is_useless => storage.remove(path).unwrap_or_default(),
            _ => {}
        }
    }
}

fn is_older(storage: &dyn Storage, path: &Path, age: Duration) -> bool {
    let modified = storage.info(path).ok().and_then(|info| info.modified);
    modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|elapsed| elapsed >= age)
}

/// The copy of a map beside a journal without any step, if the file that it is of is gone.
fn only_copy(storage: &dyn Storage, found: &Recoverable) -> Result<Option<PathBuf>, StorageError> {
    let name = found.content.header.base.first().filter(|_| found.content.entries.is_empty());
    let copy = name.map(|(name, _)| folder_of(&found.journal).join(name.0.file_name().unwrap_or_default()));
    let Some((original, copy)) = copy.and_then(|copy| Some((base::original(&found.content, &copy)?, copy))) else {
        return Ok(None);
    };
    Ok((!storage.exists(&original)? && storage.exists(&copy)?).then_some(copy))
}

/// `None` while its process lives.
fn look_at(storage: &dyn Storage, journal: &Path) -> Result<Option<Recoverable>, RecoveryError> {
    // What is there in the place of a file is no reason to bring nothing back. If it stays, what is missed says more.
    let cleared = |path: &Path| clear_way(storage, path).unwrap_or_default();
    let lock_moved = cleared(&lock_path(journal));
    let Some(lock) = storage.lock(&lock_path(journal))? else { return Ok(None) };
    let source = storage.open(journal).inspect_err(|error| {
        if error.is_not_found() {
            // It was just made, and if it stays, it does no harm.
            storage.remove(&lock_path(journal)).unwrap_or_default();
        }
    })?;
    if source.len() > JOURNAL_LIMIT {
        // Which says that it is too large.
        storage.read(journal, JOURNAL_LIMIT)?;
    }
    if let Some(version) = JournalVersion::of(&*source).filter(|version| !version.is_known()) {
        return Err(RecoveryError::OtherVersion { app: version.app });
    }
    let content = match read_journal_of(source) {
        Some(content) => content,
        None => {
            // A disk that does not give it is no damage.
            storage.read(journal, JOURNAL_LIMIT)?;
            beheaded::beheaded(storage, journal)?.ok_or(RecoveryError::Damaged)?
        }
    };
    let base = content.header.base.iter().map(|(name, _)| folder_of(journal).join(name.0.file_name().unwrap_or_default()));
    let beside = base.chain([snapshot_path(journal), note_path(journal)]);
    let moved = lock_moved.into_iter().chain(beside.filter_map(|path| cleared(&path))).collect();
    let saved = content.entries.kinds().rposition(|kind| kind == EntryKind::Saved);
    let saved_at = saved.map_or(0, |saved| saved_place(&content.entries, saved));
    let is_of_origin = content.header.origin.is_some();
    let is_in_no_file = saved.is_none() && (is_of_origin || content.entries.kind(0) == Some(EntryKind::Jump));
    let steps = unsaved_steps(content.entries.kinds(), saved_at);
    let map = map_of(&content);
    let from = content.header.from.as_ref().filter(|_| map.is_none());
    let version_of = from.and_then(|from| name_of_version(&from.0)).map(str::to_owned);
    let at = last_step_at(storage, journal, &content);
    // Where the journal has nothing, the snapshot may have all.
    let newest = match steps > 0 || is_in_no_file {
        true => snapshot::read_beyond_if_given(storage, journal, &content)?.snapshot,
        false => snapshot::read_beyond(storage, journal, &content)?,
    };
    let beyond = newest.map_or(0, |snapshot| snapshot.entries());
    let beyond = beyond.saturating_sub(content.entries.len());
    if content.is_beheaded() && beyond == 0 {
        return Err(RecoveryError::Damaged);
    }
    let recovered = note::read_note(storage, journal, &content, beyond);
    Ok(Some(Recoverable { journal: journal.into(), map, version_of, steps, is_in_no_file, beyond, at, moved, recovered, content, lock }))
}

/// Steps from the entry at `from` on, those that only selected too: each was acknowledged.
fn unsaved_steps(entries: impl Iterator<Item = EntryKind>, from: usize) -> usize {
    entries.enumerate().skip(from).filter(is_made).count()
}

/// Whether an entry is a step that somebody made: a jump at the beginning only says that the map is in no file.
fn is_made(entry: &(usize, EntryKind)) -> bool {
    entry.1.is_step() && *entry != (0, EntryKind::Jump)
}

/// When the last step was made, in seconds since 1970. A command says it; of an undo, a redo or a jump the disk does.
fn last_step_at(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> u64 {
    let said = content.last_at.unwrap_or(content.header.at);
    match content.entries.kinds().enumerate().rfind(is_made) {
        None | Some((_, EntryKind::Do)) => said,
        Some(_) => {
            let written = storage.info(journal).ok().and_then(|info| info.modified?.duration_since(UNIX_EPOCH).ok());
            written.map_or(said, |written| said.max(written.as_secs()))
        }
    }
}

/// Where the save stood whose end is the entry at `saved`: steps from there on are in no file.
fn saved_place(entries: &Entries, saved: usize) -> usize {
    let Some(JournalEntry::Saved { number: Some(number), .. }) = entries.get(saved) else { return saved };
    let is_begin = |at: &usize| entries.kind(*at) == Some(EntryKind::Saving) && entries.get(*at) == Some(JournalEntry::Saving { number });
    (0..saved).rev().find(is_begin).unwrap_or(saved)
}

/// Deletes a journal that is not wanted.
///
/// # Errors
/// [`RecoveryError::Held`] if a running Spadework holds it by now, [`RecoveryError::GoneOnWith`] if it is not what was found any more:
/// then it stays. If its files cannot be removed.
pub fn discard(storage: &dyn Storage, found: Recoverable) -> Result<(), RecoveryError> {
    let Recoverable { journal, content, mut lock, .. } = found;
    // Its file may have been removed since, and others have it, or had it.
    lock_again(storage, &journal, &mut lock).map_err(|error| match error {
        JournalError::Storage(error) => RecoveryError::Storage(error),
        _ => RecoveryError::Held,
    })?;
    match storage.info(&journal) {
        Ok(info) if info.len != content.entries.source_len() => Err(RecoveryError::GoneOnWith),
        Err(error) if !error.is_not_found() => Err(error.into()),
        _ => Ok(remove_journal(storage, &journal)?),
    }
}

/// Deletes a journal that cannot even be read, with what lies beside it.
///
/// # Errors
/// [`RecoveryError::Held`] if a running Spadework holds it: somebody may have gone on with it since. If its files cannot be removed.
pub fn discard_file(storage: &dyn Storage, journal: &Path) -> Result<(), RecoveryError> {
    clear_way(storage, &lock_path(journal))?;
    let _lock = storage.lock(&lock_path(journal))?.ok_or(RecoveryError::Held)?;
    Ok(remove_journal(storage, journal)?)
}
