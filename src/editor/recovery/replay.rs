//! Replaying a journal on the copy of the map beside it: the whole of it, or from a snapshot on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::snapshot::{RecoverySnapshot, read_beyond, read_snapshot};
use super::{Recoverable, RecoveryError};
use crate::document::{Document, Progress};
use crate::edit::{EditError, History, plan};
use crate::editor::files::{OpenError, OpenOptions, Stamps, open_map};
use crate::editor::journal::{JournalContent, JournalEntry};
use crate::editor::storage::{ContentHash, Storage, StorageAction, StorageError, folder_of};
use crate::format::MAP_FORMATS;

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
    /// Entries that the map holds: those that were replayed and those that the snapshot held.
    pub replayed: usize,
    /// Entries that the snapshot held.
    pub skipped: usize,
    /// Entries that the journal has lost and the snapshot holds: the map has them all, its history nothing.
    pub beyond: usize,
    /// The map before the first entry that was replayed.
    pub start: Document,
    /// Why the replay stopped before the last entry.
    pub stopped: Option<EditError>,
}

/// Replays a journal on the copy of the map that lies beside it. Changes no file. Where a snapshot holds more
/// than the journal, which is damaged or was cut off, the map is that of the snapshot.
///
/// # Errors
/// If the copy is not what it was. A step that cannot be replayed ends the replay; what came before counts.
pub fn replay(storage: &dyn Storage, found: &Recoverable, progress: &Progress) -> Result<Replayed, RecoveryError> {
    replay_whole(storage, &found.journal, &found.content, progress)
}

/// As [`replay`], for a journal that somebody holds: where it lies and what it says.
///
/// # Errors
/// As [`replay`].
pub fn replay_whole(
    storage: &dyn Storage,
    journal: &Path,
    content: &JournalContent,
    progress: &Progress,
) -> Result<Replayed, RecoveryError> {
    replay_from(storage, journal, content, None, progress)
}

/// As [`replay`], from the snapshot beside the journal where there is one. [`Replayed::skipped`] tells how many
/// entries that saved: their steps are in the map and not in its history.
///
/// # Errors
/// As [`replay`].
pub fn replay_quickly(storage: &dyn Storage, found: &Recoverable, progress: &Progress) -> Result<Replayed, RecoveryError> {
    replay_content(storage, &found.journal, &found.content, progress)
}

/// As [`replay_quickly`], for a journal that somebody holds.
///
/// # Errors
/// As [`replay`].
pub fn replay_content(
    storage: &dyn Storage,
    journal: &Path,
    content: &JournalContent,
    progress: &Progress,
) -> Result<Replayed, RecoveryError> {
    replay_from(storage, journal, content, read_snapshot(storage, journal, &content.entries), progress)
}

fn replay_from(
    storage: &dyn Storage,
    journal: &Path,
    content: &JournalContent,
    snapshot: Option<RecoverySnapshot>,
    progress: &Progress,
) -> Result<Replayed, RecoveryError> {
    let header = &content.header;
    let base = check_base(storage, journal, content)?;
    let options = OpenOptions { format: Some(header.format.clone()), options: header.options.clone(), ..OpenOptions::default() };
    let opened = open_map(storage, &base, &options, progress)?;
    let newest = read_beyond(storage, journal, content).and_then(|snapshot| {
        let beyond = snapshot.entries().saturating_sub(content.entries.len());
        Some((snapshot.restore(&opened.document)?, content.entries.len(), beyond))
    });
    let quick = || {
        let snapshot = snapshot?;
        let skipped = snapshot.entries();
        Some((snapshot.restore(&opened.document)?, skipped, 0))
    };
    let (mut document, skipped, beyond) = newest.or_else(quick).unwrap_or((opened.document.clone(), 0, 0));
    let start = document.clone();
    let (passed, entries) = content.entries.split_at(skipped.min(content.entries.len()));
    // As many changes, so that none here has the number of one of them.
    let commands = passed.iter().filter(|entry| matches!(entry, JournalEntry::Do { .. })).count();
    let (mut history, mut stamps) = (History::after(commands as u64), header.stamps.clone());
    if header.map.is_none() || skipped > 0 || beyond > 0 {
        history.mark_never_saved();
    }
    let (mut replayed, mut stopped, mut format) = (skipped, None, opened.format);
    let mut begun = BTreeMap::new();
    for entry in passed {
        if let JournalEntry::Saved { format: id, stamps: written, .. } = entry {
            (format, stamps) = (known_format(id.as_deref()).unwrap_or(format), written.clone());
        }
    }
    for entry in entries {
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
                match number.map(|number| begun.get(&number).copied()) {
                    Some(Some(mark)) => history.mark_saved_at(&mut document, mark),
                    // It began before the snapshot, with a state that is not known here.
                    Some(None) if skipped > 0 => history.mark_never_saved(),
                    _ => history.mark_saved_at(&mut document, history.mark()),
                }
                (format, stamps) = (known_format(id.as_deref()).unwrap_or(format), written.clone());
            }
        }
        replayed += 1;
    }
    // A file that cannot be looked at is as good as changed: saving will say more.
    let changed_on_disk = stamps.first_changed(storage).unwrap_or_else(|_| map_of(content)).map(Path::to_path_buf);
    Ok(Replayed { document, history, format, stamps, changed_on_disk, replayed, skipped, beyond, start, stopped })
}

/// The part of a journal that a snapshot after so many entries stands for, with the ends of saves that began in it.
pub fn before_snapshot(content: &JournalContent, skipped: usize) -> JournalContent {
    let (passed, rest) = content.entries.split_at(skipped.min(content.entries.len()));
    let began = |number: &u64| passed.contains(&JournalEntry::Saving { number: *number });
    let is_end = |entry: &&JournalEntry| matches!(entry, JournalEntry::Saved { number: Some(number), .. } if began(number));
    JournalContent { entries: passed.iter().chain(rest.iter().filter(is_end)).cloned().collect(), ..content.clone() }
}

fn known_format(id: Option<&str>) -> Option<&'static str> {
    MAP_FORMATS.iter().map(|format| format.id()).find(|known| Some(*known) == id)
}

/// The map's file, as last saved or opened.
fn map_of(content: &JournalContent) -> Option<&Path> {
    let saved = content.entries.iter().rev().find_map(|entry| if let JournalEntry::Saved { map, .. } = entry { Some(map) } else { None });
    saved.or(content.header.map.as_ref()).map(|map| &*map.0)
}

/// The path of the map's copy, after comparing all copies with what the journal says.
fn check_base(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> Result<PathBuf, RecoveryError> {
    let base = &content.header.base;
    let place = |name: &Path| folder_of(journal).join(name.file_name().unwrap_or_default());
    for (name, hash) in base {
        let path = place(&name.0);
        let read = storage.open(&path)?;
        if ContentHash::of_source(&*read).map_err(StorageError::at(StorageAction::Read, &path))? != *hash {
            return Err(RecoveryError::BaseChanged { path });
        }
    }
    base.first().map(|(name, _)| place(&name.0)).ok_or(RecoveryError::Damaged)
}
