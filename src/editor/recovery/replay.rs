//! Replaying a journal on the copy of the map beside it: the whole of it, or from a snapshot on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::base::{Base, mend_base, mend_copies, original};
use super::note::read_notes;
use super::numbers::{Numbered, has_others, number_opened, reuses_ids};
use super::origin::read_origin;
use super::snapshot::{Beyond, RecoverySnapshot, is_foreign, read_beyond_if_given, read_snapshot};
use super::{Recoverable, RecoveryError};
use crate::document::{Document, Objects, Options, Progress, Snapshot};
use crate::edit::{Change, Command, DEFAULT_BUDGET_BYTES, EditError, History, Part, Payload, ops, plan};
use crate::editor::files::{Interrupted, OpenError, OpenOptions, Stamp, Stamps, open_map, read_beside, sidecar_path};
use crate::editor::journal::{Entries, EntryKind, JournalContent, JournalEntry, JournalHeader};
use crate::editor::storage::{ContentHash, Storage, StorageError, StoredPath, folder_of};
use crate::format::{MAP_FORMATS, SIDECARS};

/// Formats whose maps are their voxels, objects and facts, all of which a snapshot holds.
pub const VOXELS_SUFFICE: [&str; 2] = ["vxl", "vmf"];

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

/// What is known of the snapshot beside a journal, where it may be used at all: the one to begin with, and the one that holds more
/// than the journal.
type Snapshots = Option<(Option<RecoverySnapshot>, Beyond)>;

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
    let header = &content.header;
    // Where the steps from before it are sought, a snapshot would be an answer without steps.
    let may_use_snapshot = snapshots.is_some();
    let (snapshot, Beyond { snapshot: newest, is_withheld }) = snapshots.unwrap_or_default();
    let or_beside =
        |known: Option<RecoverySnapshot>| known.or_else(|| may_use_snapshot.then(|| read_snapshot(storage, journal, content))?);
    let origin = || read_origin(storage, journal, content);
    let opened = open_base(storage, journal, content, progress).and_then(|opened| {
        // What it was read with is lost with the header: of another size, it was read as another map than it is, or is one no more.
        let is_other = content.is_beheaded()
            && VOXELS_SUFFICE.contains(&opened.format)
            && newest.as_ref().is_some_and(|newest| !newest.has_bounds_of(&opened.document));
        if is_other { Err(RecoveryError::Damaged) } else { Ok(opened) }
    });
    let (opened, snapshot) = match opened {
        // What a lost copy told of stands in the snapshot.
        Ok(opened) if !opened.lost.is_empty() => (opened, or_beside(snapshot)),
        Ok(opened) => (opened, snapshot),
        Err(error @ RecoveryError::Open(OpenError::Cancelled(_))) => return Err(error),
        Err(error) => {
            let snapshot = or_beside(snapshot);
            let empty = newest.as_ref().or(snapshot.as_ref()).map_or_else(|| origin()?.empty_base(), RecoverySnapshot::empty_base);
            let empty = empty.filter(|_| VOXELS_SUFFICE.contains(&&*header.format));
            let (Some(mut document), Some(format)) = (empty, known_format(Some(&header.format))) else {
                return Err(error);
            };
            let copies = if content.is_beheaded() { None } else { mend_copies(storage, journal, content) };
            let lost = match copies {
                Some((_, Base { map, lost })) => {
                    let mut lost: Vec<PathBuf> = [map.clone()].into_iter().chain(lost).collect();
                    let without: Vec<PathBuf> = lost.iter().cloned().chain(strays(journal, content, &map)).collect();
                    let stamps = read_beside(storage, &map, &without, format, &mut document);
                    lost.extend(not_read(&stamps, journal, content));
                    lost
                }
                None => header.base.iter().map(|(name, _)| beside(journal, &name.0)).collect(),
            };
            (OpenedBase { document, format, lost, is_without_base: true }, snapshot)
        }
    };
    // Where the copies do not give objects the ids that the map knows, what they say of each goes by what it is.
    let is_of_objects = |lost: &PathBuf| {
        let is_it = |name: &StoredPath| name.0.file_name() == lost.file_name();
        !header.base.first().is_some_and(|(map, _)| is_it(map)) && !header.origin.as_ref().is_some_and(|origin| is_it(&origin.file))
    };
    let is_missing_some = opened.lost.iter().any(is_of_objects) && VOXELS_SUFFICE.contains(&opened.format);
    let is_other_copy = header.of_snapshot && !header.origin.as_ref().is_some_and(|origin| origin.is_numbered);
    let is_numbered = !is_missing_some && !is_other_copy;
    let (mut numbered, mut opened, mut has_origin) = (Numbered::default(), opened, false);
    if !is_numbered && let Some(origin) = origin().and_then(|origin| origin.restore(&opened.document)) {
        (opened.document, has_origin) = (origin, true);
        numbered = number_opened(&mut opened.document, opened.format, is_other_copy);
    }
    let restored = match (newest, snapshot) {
        (Some(newest), _) => {
            let beyond = newest.entries().saturating_sub(content.entries.len());
            newest.restore(&opened.document).map(|document| (document, content.entries.len(), beyond))
        }
        (None, Some(snapshot)) => {
            let skipped = snapshot.entries();
            snapshot.restore(&opened.document).map(|document| (document, skipped, 0))
        }
        (None, None) => None,
    };
    // Nearly always a later snapshot is there, and the origin need not be read.
    if restored.is_none()
        && !has_origin
        && let Some(origin) = origin().and_then(|origin| origin.restore(&opened.document))
    {
        (opened.document, has_origin) = (origin, true);
    }
    if opened.is_without_base && restored.is_none() && !has_origin {
        return Err(RecoveryError::Damaged);
    }
    let restored = restored.map(|(mut document, skipped, beyond)| {
        if !has_origin && !is_numbered {
            numbered = number_opened(&mut document, opened.format, is_other_copy);
        }
        (document, skipped, beyond)
    });
    let (mut document, skipped, beyond) = restored.unwrap_or_else(|| (opened.document.clone(), 0, 0));
    let start = document.clone();
    // As many changes, so that none here has the number of one of them.
    let commands = content.entries.kinds().take(skipped).filter(|kind| *kind == EntryKind::Do).count();
    let (mut history, mut stamps, mut asked) = (History::after(commands as u64), header.stamps.clone(), header.asked.clone());
    if header.map.is_none() || skipped > 0 || beyond > 0 || has_origin {
        history.mark_never_saved();
    }
    let (mut replayed, mut stopped, mut format, mut passed_over) = (skipped, None, opened.format, 0);
    // Of every save since the last that ended: each was killed, and may have put its files in place.
    let (mut begun, mut placing) = (BTreeMap::new(), vec![]);
    history.set_budget(&mut document, budget);
    let mut undone_later = undone_later(&content.entries, skipped).into_iter();
    let is_of_files = |kind: EntryKind| matches!(kind, EntryKind::Placing | EntryKind::Saved);
    let passed = content.entries.kinds().take(skipped).enumerate().filter(|(_, kind)| is_of_files(*kind));
    for entry in passed.filter_map(|(number, _)| content.entries.get(number)) {
        match entry {
            JournalEntry::Placing { files } => placing.extend(files.0),
            JournalEntry::Saved { format: id, options, stamps: written, .. } => {
                (format, stamps) = (known_format(id.as_deref()).unwrap_or(format), written);
                asked = options.unwrap_or(asked);
                placing.clear();
            }
            _ => {}
        }
    }
    // Objects that are added get the numbers of those that only the lost copy told of; and those in the copy of a map that came from a
    // recovery snapshot had others there.
    let has_objects = start.objects.iter().next().is_some();
    let is_of_copy = skipped == 0 && beyond == 0;
    let is_poorer = header.of_snapshot && !has_origin;
    let is_of_poor_copy = is_of_copy && is_poorer && (header.origin.is_some() || has_objects || opened.format == "vxl");
    let is_numbered_anew = is_of_copy && !has_origin && (!opened.lost.is_empty() || (is_poorer && has_objects));
    // Earlier versions gave the ids of removed objects again, and took what files said of those for what they say of the new ones.
    let is_legacy = header.last_object.is_none();
    numbered.is_unknown |= is_legacy && skipped > 0 && has_others(&document);
    // One at a time: a long journal takes more memory than its map and its history.
    for entry in content.entries.since(skipped) {
        let Some(entry) = entry else {
            stopped = Some(EditError::Missing { what: "an entry of the journal" });
            break;
        };
        // Small commands do not look at it themselves, and a long journal has hundreds of thousands.
        progress.report(replayed as f32 / content.entries.len() as f32).map_err(OpenError::Cancelled)?;
        // The window may have kept more steps than are kept here, and an undo goes back to where it went.
        history.keep_last(undone_later.next().unwrap_or_default() as usize);
        match entry {
            JournalEntry::Do { command, .. } => match plan_known(&document, &command, is_numbered_anew, &progress.of_step()) {
                Ok(change) => {
                    let before = is_legacy.then(|| document.objects.clone());
                    history.commit(&mut document, change);
                    numbered.is_unknown |= before.is_some_and(|before| reuses_ids(&before, &document));
                }
                Err(EditError::NoSuchObject(_)) if is_numbered_anew || !opened.lost.is_empty() => {
                    // It stands in the history, so that what is undone later is what was undone.
                    let nothing = Part::Dirt(Payload { before: document.dirt, after: document.dirt });
                    history.commit(&mut document, Change::new(command.label(), vec![nothing]));
                    passed_over += 1;
                }
                Err(EditError::Cancelled(cancelled)) => return Err(OpenError::Cancelled(cancelled).into()),
                Err(error) => {
                    stopped = Some(error);
                    break;
                }
            },
            JournalEntry::Undo if history.undo(&mut document).is_some() => {}
            JournalEntry::Redo if history.redo(&mut document).is_some() => {}
            JournalEntry::Undo | JournalEntry::Redo => {
                stopped = Some(EditError::Missing { what: "the step that was undone or redone" });
                break;
            }
            JournalEntry::Jump { to } => {
                // So begins the journal of a map that came from a recovery snapshot: it is in no file.
                if history.is_empty() {
                    history.mark_never_saved();
                }
                // Those that were forgotten here count, too.
                history.jump_to(&mut document, to.saturating_sub(history.forgotten()));
            }
            JournalEntry::Saving { number } => _ = begun.insert(number, history.mark()),
            JournalEntry::Placing { files } => placing.extend(files.0),
            JournalEntry::Saved { number, format: id, options, stamps: written, .. } => {
                asked = options.unwrap_or(asked);
                match number.map(|number| begun.get(&number).copied()) {
                    Some(Some(mark)) => history.mark_saved_at(&mut document, mark),
                    // It began before the snapshot, with a state that is not known here.
                    Some(None) if skipped > 0 => history.mark_never_saved(),
                    _ => history.mark_saved_at(&mut document, history.mark()),
                }
                (format, stamps) = (known_format(id.as_deref()).unwrap_or(format), written);
                placing.clear();
            }
        }
        replayed += 1;
    }
    history.keep_last(0);
    // Put there by a save that was killed before it could say so; a file that is another one by now is somebody else's.
    let mut ours: Vec<(PathBuf, Stamp)> =
        placing.into_iter().filter(|(path, stamp)| stamp.still_holds(storage, path).unwrap_or(false)).collect();
    if let Some(map) = map_of(content) {
        // It was a recovery that changed these files since, and nobody else.
        let notes = read_notes(storage, journal).into_iter().filter(|note| note.is_led_on_by(content, beyond));
        ours.extend(notes.flat_map(|note| note.ours(storage, &map).0));
    }
    if ours.iter().any(|(path, stamp)| stamps.get(path).is_none_or(|known| known.hash != stamp.hash)) {
        // The state that was saved last is in no file any more.
        history.mark_saved_unknown();
    }
    stamps.0.extend(ours);
    let OpenedBase { lost, is_without_base, .. } = opened;
    let mut replayed = Replayed {
        document,
        history,
        format,
        options: asked,
        stamps,
        changed_on_disk: vec![],
        not_looked_at: None,
        replayed,
        skipped,
        beyond,
        start,
        lost,
        passed_over,
        is_without_base,
        is_of_poor_copy,
        is_numbered_otherwise: numbered.is_unknown,
        is_renumbered: numbered.is_anew,
        settled: vec![],
        is_snapshot_withheld: is_withheld,
        is_snapshot_foreign: is_foreign(storage, journal, content),
        stopped,
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
    Ok(replayed)
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

fn known_format(id: Option<&str>) -> Option<&'static str> {
    MAP_FORMATS.iter().map(|format| format.id()).find(|known| Some(*known) == id)
}

/// The map's file, as last saved or opened; `None` if it was never saved.
pub(super) fn map_of(content: &JournalContent) -> Option<PathBuf> {
    let last = content.entries.kinds().rposition(|kind| kind == EntryKind::Saved).and_then(|number| content.entries.get(number));
    let saved = if let Some(JournalEntry::Saved { map, .. }) = last { Some(map) } else { None };
    saved.or_else(|| content.header.map.clone()).map(|map| map.0)
}

/// What the steps of a journal start from.
struct OpenedBase {
    document: Document,
    format: &'static str,
    lost: Vec<PathBuf>,
    is_without_base: bool,
}

fn open_base(storage: &dyn Storage, journal: &Path, content: &JournalContent, progress: &Progress) -> Result<OpenedBase, RecoveryError> {
    let base = mend_base(storage, journal, content)?;
    let options = OpenOptions {
        format: Some(content.header.format.clone()),
        options: content.header.options.clone(),
        // It was open, so that it may be open again.
        memory_limit: u64::MAX,
        without: base.lost.iter().cloned().chain(strays(journal, content, &base.map)).collect(),
        ..OpenOptions::default()
    };
    let opened = open_map(storage, &base.map, &options, progress)?;
    let mut lost = base.lost;
    lost.extend(not_read(&opened.stamps, journal, content));
    if lost.contains(&base.map) {
        let map = original(content, &base.map);
        return Err(RecoveryError::BaseChanged { path: base.map, is_missing: false, map });
    }
    let mut document = opened.document;
    document.objects = Arc::new(Objects::clone(&document.objects).with_last_id(content.header.last_object));
    Ok(OpenedBase { document, format: opened.format, lost, is_without_base: false })
}

/// Where files beside the copy of the map would be taken for copies that the journal does not name: somebody put them there.
fn strays(journal: &Path, content: &JournalContent, map: &Path) -> Vec<PathBuf> {
    let is_named = |path: &PathBuf| content.header.base.iter().any(|(name, _)| beside(journal, &name.0) == *path);
    SIDECARS.iter().map(|sidecar| sidecar_path(map, sidecar.suffix())).filter(|path| !is_named(path)).collect()
}

/// The copies that were read otherwise than they were when they were looked at, or not at all: whether a copy can be read changes.
fn not_read(stamps: &Stamps, journal: &Path, content: &JournalContent) -> Vec<PathBuf> {
    let expected = |copy: &Path| content.header.base.iter().find(|(name, _)| beside(journal, &name.0) == copy).map(|(_, hash)| *hash);
    let is_other = |copy: &Path, stamp: &Stamp| expected(copy).is_some_and(|hash| hash != stamp.hash);
    stamps.0.iter().filter(|(copy, stamp)| stamp.is_unknown() || is_other(copy, stamp)).map(|(copy, _)| copy.clone()).collect()
}

/// The place of a copy beside the journal.
fn beside(journal: &Path, name: &Path) -> PathBuf {
    folder_of(journal).join(name.file_name().unwrap_or_default())
}
