//! Replaying a journal on the copy of the map beside it: the whole of it, or from a snapshot on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::beginning::{Beginning, Snapshots, known_format};
use super::note::read_notes;
use super::numbers::{has_others, reuses_ids};
use super::snapshot::{is_foreign, read_beyond_if_given, read_snapshot};
use super::{Recoverable, RecoveryError};
use crate::document::{Document, Options, Progress, Snapshot};
use crate::edit::{Change, Command, DEFAULT_BUDGET_BYTES, EditError, History, HistoryMark, Part, Payload, ops, plan};
use crate::editor::files::{Interrupted, OpenError, Stamp, Stamps};
use crate::editor::journal::{Entries, EntryKind, JournalContent, JournalEntry, JournalHeader};
use crate::editor::storage::{ContentHash, Storage, StorageError};

/// A map as it was when its process ended.
#[derive(Debug)]
pub struct Replayed {
    /// The map.
    pub document: Document,
    /// Its steps; the state last saved is marked.
    pub history: History,
    /// Id of the format that it was last saved or opened in.
    pub format: &'static str,
    /// Options of the format that it was last saved with, or is to be.
    pub options: Options,
    /// The map's files as they were when last saved or opened: saving compares them, and asks.
    pub stamps: Stamps,
    /// The files that somebody else changed since; saving over them would destroy that.
    pub changed_on_disk: Vec<PathBuf>,
    /// Why that is not known, where they cannot be looked at: the map counts as changed then.
    pub not_looked_at: Option<StorageError>,
    /// Entries that the map holds: those that were replayed and those that the snapshot held.
    pub replayed: usize,
    /// Entries that the snapshot held.
    pub skipped: usize,
    /// Entries that the journal has lost and the snapshot holds: the map has them all, its history nothing.
    pub beyond: usize,
    /// The map before the first entry that was replayed.
    pub start: Document,
    /// Copies beside the journal that are not what they were. The map lacks what only they held.
    pub lost: Vec<PathBuf>,
    /// Steps that were passed over, because they are about objects of numbers that only a lost copy, or a recovery snapshot that is
    /// missing, told of.
    pub passed_over: usize,
    /// Whether the copy of the map is among them: the map is that of the snapshot, and its history begins there.
    pub is_without_base: bool,
    /// Whether the map came from a recovery snapshot once, and that is not used: the copy of the map beside the journal says less, as a VXL
    /// map holds no colors inside and objects have other numbers there.
    pub is_of_poor_copy: bool,
    /// Whether the copies give objects other numbers than the snapshot, and what they say of one besides may be taken for that of another,
    /// or be left out.
    pub is_numbered_otherwise: bool,
    /// Whether what the copies say of objects got other ids than they give.
    pub is_renumbered: bool,
    /// Saves that were interrupted beside the map, and what became of them before it was looked at.
    pub settled: Vec<Interrupted>,
    /// Whether the disk or the rights withhold the snapshot beside the journal: what only that holds is missing.
    pub is_snapshot_withheld: bool,
    /// Whether a snapshot beside the journal was not used, because it is of another one.
    pub is_snapshot_foreign: bool,
    /// Why the replay stopped before the last entry.
    pub stopped: Option<EditError>,
}

impl Replayed {
    /// Where a copy is lost, takes for somebody else's what may hold what only that one told: saving over it asks. What an earlier save
    /// wrote into any file beside the map, under whatever name, is such; a VXL map holds nothing but its voxels.
    pub(super) fn forget_lost(&mut self, content: &JournalContent) {
        if self.lost.is_empty() && !self.is_of_poor_copy {
            return;
        }
        let JournalHeader { base, from, map, .. } = &content.header;
        let is_lost = |name: &Path| self.lost.iter().any(|copy| copy.file_name() == name.file_name());
        let is_whole = |name: &Path| !self.is_of_poor_copy && !is_lost(name);
        let whole: Vec<ContentHash> = base.iter().filter(|(name, _)| is_whole(&name.0)).map(|(_, hash)| *hash).collect();
        let maps = [from.as_ref().or(map.as_ref()).map(|map| map.0.clone()), map_of(content)];
        let is_map = |path: &PathBuf| maps.iter().flatten().any(|map| map == path);
        let is_voxels = self.format == "vxl" && !self.is_without_base && !self.is_of_poor_copy;
        self.stamps.0.retain(|path, stamp| (is_voxels && is_map(path)) || whole.contains(&stamp.hash) || stamp.unreadable);
    }
}

/// Replays a journal on the copy of the map that lies beside it. Changes no file but a damaged copy, which is made afresh where
/// the file that it is of still is what it was. Where a snapshot holds more than the journal, which is damaged or was cut
/// off, the map is that of the snapshot; also where the copy of the map is lost.
///
/// # Errors
/// If the copy of the map is lost and no snapshot is there. A step that cannot be replayed ends the replay; what came before counts.
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
    replay_from(storage, journal, content, Some((None, read_beyond_if_given(storage, journal, content)?)), progress)
}

/// As [`replay_whole`], of the entries that a snapshot holds: what lies beside the journal by now is of no use.
///
/// # Errors
/// As [`replay`].
pub fn replay_older(
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
    let beside = (read_snapshot(storage, journal, content), read_beyond_if_given(storage, journal, content)?);
    replay_from(storage, journal, content, Some(beside), progress)
}

fn replay_from(
    storage: &dyn Storage,
    journal: &Path,
    content: &JournalContent,
    beside: Snapshots,
    progress: &Progress,
) -> Result<Replayed, RecoveryError> {
    let replayed = replay_within(DEFAULT_BUDGET_BYTES, storage, journal, content, beside, progress)?;
    // Steps that changed nothing, as `apply` keeps them, are none that can be undone: what looks like undoing one of those goes back to
    // before the snapshot, and all is repeated from the copy of the map.
    let may_go_further =
        replayed.stopped.is_some() && replayed.skipped > 0 && replayed.lost.is_empty() && !content.header.is_poorer_than_snapshot();
    if may_go_further {
        let whole = replay_within(DEFAULT_BUDGET_BYTES, storage, journal, content, None, progress)?;
        if whole.replayed > replayed.replayed {
            return Ok(whole);
        }
    }
    Ok(replayed)
}

/// As [`replay_whole`], without a look at snapshots, and with so many bytes of steps kept for undoing.
#[cfg(test)]
pub(in crate::editor) fn replay_within_budget(
    budget: usize,
    storage: &dyn Storage,
    journal: &Path,
    content: &JournalContent,
) -> Result<Replayed, RecoveryError> {
    replay_within(budget, storage, journal, content, None, &Progress::new())
}

fn replay_within(
    budget: usize,
    storage: &dyn Storage,
    journal: &Path,
    content: &JournalContent,
    snapshots: Snapshots,
    progress: &Progress,
) -> Result<Replayed, RecoveryError> {
    let beginning = Beginning::find(storage, journal, content, snapshots, progress)?;
    let mut repeat = Repeat::new(content, beginning, budget);
    // The window may have kept more steps than are kept here, and an undo goes back to where it went.
    let mut undone_later = undone_later(&content.entries, repeat.beginning.skipped).into_iter();
    // One at a time: a long journal takes more memory than its map and its history.
    for entry in content.entries.since(repeat.beginning.skipped) {
        // Small commands do not look at it themselves, and a long journal has hundreds of thousands.
        progress.report(repeat.replayed as f32 / content.entries.len() as f32).map_err(OpenError::Cancelled)?;
        repeat.history.keep_last(undone_later.next().unwrap_or_default() as usize);
        let repeated = entry.ok_or(EditError::Missing { what: "an entry of the journal" });
        match repeated.and_then(|entry| repeat.entry(entry, progress)) {
            Ok(()) => repeat.replayed += 1,
            Err(EditError::Cancelled(cancelled)) => return Err(OpenError::Cancelled(cancelled).into()),
            Err(error) => {
                repeat.stopped = Some(error);
                break;
            }
        }
    }
    repeat.history.keep_last(0);
    Ok(repeat.ended(storage, journal, content))
}

/// A map while the entries of its journal are repeated on it.
struct Repeat {
    beginning: Beginning,
    document: Document,
    history: History,
    format: &'static str,
    asked: Options,
    stamps: Stamps,
    /// Where saves began, by their numbers.
    begun: BTreeMap<u64, HistoryMark>,
    /// Of every save since the last that ended: each was killed, and may have put its files in place.
    placing: Vec<(PathBuf, Stamp)>,
    replayed: usize,
    passed_over: usize,
    stopped: Option<EditError>,
    /// Whether the journal is of an earlier version, which gave the ids of removed objects again, and took what files said of those for
    /// what they say of the new ones.
    is_legacy: bool,
    /// Whether objects may have other numbers here than the steps know.
    is_numbered_anew: bool,
    is_of_poor_copy: bool,
}

impl Repeat {
    fn new(content: &JournalContent, beginning: Beginning, budget: usize) -> Self {
        let header = &content.header;
        let Beginning { is_from_snapshot, skipped, beyond, has_origin, .. } = beginning;
        let mut document = beginning.document.clone();
        // As many changes, so that none here has the number of one of them.
        let commands = content.entries.kinds().take(skipped).filter(|kind| *kind == EntryKind::Do).count();
        let mut history = History::after(commands as u64);
        if header.map.is_none() || skipped > 0 || beyond > 0 || has_origin || (is_from_snapshot && header.of_snapshot) {
            history.mark_never_saved();
        }
        history.set_budget(&mut document, budget);
        // Objects that are added get the numbers of those that only the lost copy told of; and those in the copy of a map that came from a
        // recovery snapshot had others there.
        let has_objects = document.objects.iter().next().is_some();
        let is_poorer = header.of_snapshot && !has_origin;
        let mut repeat = Self {
            is_of_poor_copy: !is_from_snapshot && is_poorer && (header.origin.is_some() || has_objects || beginning.format == "vxl"),
            is_numbered_anew: !is_from_snapshot && !has_origin && (!beginning.lost.is_empty() || (is_poorer && has_objects)),
            is_legacy: header.last_object.is_none(),
            format: beginning.format,
            asked: header.asked.clone(),
            stamps: header.stamps.clone(),
            begun: BTreeMap::new(),
            placing: vec![],
            replayed: skipped,
            passed_over: 0,
            stopped: None,
            beginning,
            document,
            history,
        };
        repeat.pass(&content.entries);
        repeat.beginning.numbered.is_unknown |= repeat.is_legacy && skipped > 0 && has_others(&repeat.document);
        repeat
    }

    /// Takes from the entries that the snapshot stands for what they say of files.
    fn pass(&mut self, entries: &Entries) {
        let is_of_files = |kind: EntryKind| matches!(kind, EntryKind::Placing | EntryKind::Saved);
        let passed = entries.kinds().take(self.beginning.skipped).enumerate().filter(|(_, kind)| is_of_files(*kind));
        for entry in passed.filter_map(|(number, _)| entries.get(number)) {
            match entry {
                JournalEntry::Placing { files } => self.placing.extend(files.0),
                JournalEntry::Saved { format, options, stamps, .. } => self.saved(format.as_deref(), options, stamps),
                _ => {}
            }
        }
    }

    /// Repeats an entry.
    ///
    /// # Errors
    /// If it cannot be repeated, or is called off.
    fn entry(&mut self, entry: JournalEntry, progress: &Progress) -> Result<(), EditError> {
        match entry {
            JournalEntry::Do { command, .. } => self.command(&command, progress),
            JournalEntry::Undo if self.history.undo(&mut self.document).is_some() => Ok(()),
            JournalEntry::Redo if self.history.redo(&mut self.document).is_some() => Ok(()),
            JournalEntry::Undo | JournalEntry::Redo => Err(EditError::Missing { what: "the step that was undone or redone" }),
            JournalEntry::Jump { to } => {
                // So begins the journal of a map that came from a recovery snapshot: it is in no file.
                if self.history.is_empty() {
                    self.history.mark_never_saved();
                }
                // Those that were forgotten here count, too.
                self.history.jump_to(&mut self.document, to.saturating_sub(self.history.forgotten()));
                Ok(())
            }
            JournalEntry::Saving { number } => {
                self.begun.insert(number, self.history.mark());
                Ok(())
            }
            JournalEntry::Placing { files } => {
                self.placing.extend(files.0);
                Ok(())
            }
            JournalEntry::Saved { number, format, options, stamps, .. } => {
                match number.map(|number| self.begun.get(&number).copied()) {
                    Some(Some(mark)) => self.history.mark_saved_at(&mut self.document, mark),
                    // It began before the snapshot, with a state that is not known here.
                    Some(None) if self.beginning.skipped > 0 => self.history.mark_never_saved(),
                    _ => self.history.mark_saved_at(&mut self.document, self.history.mark()),
                }
                self.saved(format.as_deref(), options, stamps);
                Ok(())
            }
        }
    }

    /// Commits a command again.
    fn command(&mut self, command: &Command, progress: &Progress) -> Result<(), EditError> {
        match plan_known(&self.document, command, self.is_numbered_anew, &progress.of_step()) {
            Ok(change) => {
                let before = self.is_legacy.then(|| self.document.objects.clone());
                self.history.commit(&mut self.document, change);
                self.beginning.numbered.is_unknown |= before.is_some_and(|before| reuses_ids(&before, &self.document));
            }
            Err(EditError::NoSuchObject(_)) if self.is_numbered_anew || !self.beginning.lost.is_empty() => {
                // It stands in the history, so that what is undone later is what was undone.
                let nothing = Part::Dirt(Payload { before: self.document.dirt, after: self.document.dirt });
                self.history.commit(&mut self.document, Change::new(command.label(), vec![nothing]));
                self.passed_over += 1;
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// What a save that ended says of files.
    fn saved(&mut self, format: Option<&str>, options: Option<Options>, stamps: Stamps) {
        self.format = known_format(format).unwrap_or(self.format);
        self.stamps = stamps;
        if let Some(options) = options {
            self.asked = options;
        }
        self.placing.clear();
    }

    /// What came of it, with a look at the map's files as they are now.
    fn ended(self, storage: &dyn Storage, journal: &Path, content: &JournalContent) -> Replayed {
        let Self { beginning, mut history, mut stamps, placing, .. } = self;
        // Put there by a save that was killed before it could say so; a file that is another one by now is somebody else's.
        let mut ours: Vec<(PathBuf, Stamp)> =
            placing.into_iter().filter(|(path, stamp)| stamp.still_holds(storage, path).unwrap_or(false)).collect();
        if let Some(map) = map_of(content) {
            // It was a recovery that changed these files since, and nobody else.
            let notes = read_notes(storage, journal).into_iter().filter(|note| note.is_led_on_by(content, beginning.beyond));
            ours.extend(notes.flat_map(|note| note.ours(storage, &map).0));
        }
        if ours.iter().any(|(path, stamp)| stamps.get(path).is_none_or(|known| known.hash != stamp.hash)) {
            // The state that was saved last is in no file any more.
            history.mark_saved_unknown();
        }
        stamps.0.extend(ours);
        let mut replayed = Replayed {
            document: self.document,
            history,
            format: self.format,
            options: self.asked,
            stamps,
            changed_on_disk: vec![],
            not_looked_at: None,
            replayed: self.replayed,
            skipped: beginning.skipped,
            beyond: beginning.beyond,
            start: beginning.document,
            lost: beginning.lost,
            passed_over: self.passed_over,
            is_without_base: beginning.is_without_base,
            is_of_poor_copy: self.is_of_poor_copy,
            is_numbered_otherwise: beginning.numbered.is_unknown,
            is_renumbered: beginning.numbered.is_anew,
            settled: vec![],
            is_snapshot_withheld: beginning.is_snapshot_withheld,
            is_snapshot_foreign: is_foreign(storage, journal, content),
            stopped: self.stopped,
        };
        replayed.forget_lost(content);
        match replayed.stamps.all_changed(storage) {
            Ok(changed) => replayed.changed_on_disk = changed,
            // Saving will say more.
            Err(error) => (replayed.changed_on_disk, replayed.not_looked_at) = (map_of(content).into_iter().collect(), Some(error)),
        }
        if !replayed.changed_on_disk.is_empty() {
            // Whatever was saved last is in no file any more.
            replayed.history.mark_saved_unknown();
        }
        replayed
    }
}

/// Plans a command; one about an object by its number is about none where the numbers are not those of then.
fn plan_known(document: &Snapshot, command: &Command, is_numbered_anew: bool, progress: &Progress) -> Result<Change, EditError> {
    match command {
        Command::SetObject(ops::SetObject { id, .. }) | Command::RemoveObject(ops::RemoveObject { id }) if is_numbered_anew => {
            Err(EditError::NoSuchObject(*id))
        }
        _ => plan(document, command, progress),
    }
}

/// The part of a journal that a snapshot after so many entries stands for, with the ends of saves that began in it.
pub fn before_snapshot(content: &JournalContent, skipped: usize) -> JournalContent {
    let entries = &content.entries;
    let of_kind = |sought: EntryKind| entries.kinds().enumerate().filter(move |(_, kind)| *kind == sought).map(|(number, _)| number);
    let begun: Vec<JournalEntry> = of_kind(EntryKind::Saving).take_while(|at| *at < skipped).filter_map(|at| entries.get(at)).collect();
    let is_end = |at: &usize| match entries.get(*at) {
        Some(JournalEntry::Saved { number: Some(number), .. }) => begun.contains(&JournalEntry::Saving { number }),
        _ => false,
    };
    let ends: Vec<usize> = of_kind(EntryKind::Saved).filter(|at| *at >= skipped).filter(is_end).collect();
    JournalContent { entries: entries.picked(skipped, ends), ..content.clone() }
}

/// How many of the steps that are done after each entry, from `skipped` on, are undone later.
fn undone_later(entries: &Entries, skipped: usize) -> Vec<u32> {
    let (mut head, mut len) = (0_u32, 0_u32);
    let mut heads: Vec<u32> = entries
        .kinds()
        .enumerate()
        .skip(skipped)
        .map(|(number, kind)| {
            match kind {
                EntryKind::Do => (head, len) = (head + 1, head + 1),
                EntryKind::Undo => head = head.saturating_sub(1),
                EntryKind::Redo => head = len.min(head + 1),
                EntryKind::Jump => {
                    let to = if let Some(JournalEntry::Jump { to }) = entries.get(number) { to } else { 0 };
                    head = u32::try_from(to).unwrap_or(u32::MAX).min(len);
                }
                EntryKind::Saving | EntryKind::Placing | EntryKind::Saved => {}
            }
            head
        })
        .collect();
    let mut least = u32::MAX;
    for head in heads.iter_mut().rev() {
        least = least.min(*head);
        *head -= least;
    }
    heads
}

/// The map's file, as last saved or opened; `None` if it was never saved.
pub(super) fn map_of(content: &JournalContent) -> Option<PathBuf> {
    let last = content.entries.kinds().rposition(|kind| kind == EntryKind::Saved).and_then(|number| content.entries.get(number));
    let saved = if let Some(JournalEntry::Saved { map, .. }) = last { Some(map) } else { None };
    saved.or_else(|| content.header.map.clone()).map(|map| map.0)
}
