//! Maps of an earlier session that come back: as documents with their journals, and their older steps after them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{LISTED_AGAIN, beheaded_text, lost_text, numbered_text, passed_over_text, poor_copy_text, title};
use crate::document::{Document, Progress, Snapshot, Volume, some};
use crate::editor::checkpoint::Checkpoint;
use crate::editor::claim::{Claim, claim_map_soon};
use crate::editor::journal::{EntryKind, Journal, JournalBase, JournalContent, JournalHeader};
use crate::editor::open_document::{FileLink, OpenDocument};
use crate::editor::recovery::{self, Recoverable, RecoveryError, RecoveryNote, Replayed};
use crate::editor::storage::{Storage, StorageError};
use crate::editor::work::{JobDone, file_name};
use crate::editor::{DocumentId, Editor, JobInfo, Message};
use crate::format::map_format_by_extension;

/// A map that was brought back, on a worker.
pub(in crate::editor) struct Restored {
    replayed: Replayed,
    beyond: Option<Beyond>,
}

/// What becomes of a map whose journal cannot lead on to it.
struct Beyond {
    /// What there was that no file holds.
    reset: Option<String>,
    /// What the journal that it goes on in begins with.
    base: JournalBase,
}

impl Restored {
    /// Brings back a map that was left, and makes it ready to go on.
    ///
    /// # Errors
    /// As [`recovery::settle_and_replay`].
    pub(super) fn bring_back(storage: &dyn Storage, found: &Recoverable, progress: &Progress) -> Result<Self, RecoveryError> {
        let mut replayed = recovery::settle_and_replay(storage, found, progress)?;
        // One that a newer Spadework went on with stays as it is, for that one; one of which a copy is lost, for the day that its file is
        // back: steps on the map without it, and snapshots of that, would not be about that map.
        let is_poor = replayed.is_without_base || replayed.is_of_poor_copy || replayed.is_snapshot_withheld || !replayed.lost.is_empty();
        if !is_poor && replayed.passed_over == 0 && replayed.beyond == 0 && !found.content.is_newer {
            return Ok(Self { replayed, beyond: None });
        }
        let reset = reset_session(&mut replayed.document);
        let base = recovery::base_of_snapshot(found, &replayed);
        Ok(Self { replayed, beyond: Some(Beyond { reset, base }) })
    }
}

impl Editor {
    /// Takes in the map that a journal was replayed to, or tells why there is none.
    pub(super) fn take_replayed(&mut self, mut found: Recoverable, result: Result<Box<Restored>, RecoveryError>) {
        let name = title(&found);
        let (mut replayed, goes_beyond) = match result {
            Ok(restored) => (restored.replayed, restored.beyond),
            Err(error) => {
                return self.tell(Message::error(format!("Cannot restore {name}: {error}")).with_detail(LISTED_AGAIN));
            }
        };
        self.settled_saves(&std::mem::take(&mut replayed.settled));
        if let Some(beyond) = goes_beyond {
            return self.restored_beyond(found, replayed, beyond);
        }
        let numbered = numbered_text(&replayed);
        let id = self.add(replayed.document, format!("{name} (restored)"));
        // One that came from a snapshot itself, as earlier versions left it, does not lead on from the copy of the map, which gives its objects
        // other numbers.
        let is_poorer = found.content.header.is_poorer_than_snapshot();
        // The map goes on from what could be repeated, and so must its journal; what follows the damage may be of use to somebody.
        found.content.entries.truncate(replayed.replayed);
        // Its entries from before the snapshot are read once more, for their steps.
        let has_older = found.content.entries.kinds().take(replayed.skipped).any(|kind| kind == EntryKind::Do);
        let older = (has_older && !is_poorer).then(|| (found.journal.clone(), found.content.clone(), replayed.skipped, replayed.start));
        let format = format_of_file(&found, replayed.format);
        let journal = Journal::resume(self.storage.clone(), found.journal, &found.content, found.lock).waking(self.jobs.waker());
        let budget = self.settings.memory.history_bytes();
        if let Some(open) = self.document_mut(id) {
            // Numbers of saves are not given twice in one journal.
            open.saves = found.content.entries.len() as u64;
            open.history = replayed.history;
            open.history.set_budget(&mut open.document, budget);
            open.version += 1;
            open.journal = Some(journal);
            open.is_without_older_steps = is_poorer;
            open.checkpoint = Checkpoint::of_resumed();
            let is_yet_to_be_written = found.content.is_yet_to_be_written();
            let options = replayed.options;
            open.file = FileLink { path: found.map, format, options, stamps: replayed.stamps, is_yet_to_be_written };
        }
        self.free_dropped(id);
        self.tell_if_forgotten(id, 0);
        self.take_place_of_unedited(id);
        if let Some((journal, content, skipped, expected)) = older {
            self.start_rebuilding(id, journal, content, skipped, expected);
        }
        let named = self.document(id).and_then(OpenDocument::path).and_then(format_of_name).filter(|_| is_poorer);
        // What lies beside a map that came from a snapshot is all of the voxels, and of a station no more.
        let is_less = named.is_some_and(|named| named != replayed.format && !recovery::VOXELS_SUFFICE.contains(&named));
        let mut message = Message::info(match found.steps {
            0 => format!("Restored {name} as no file holds it yet"),
            steps => format!("Restored {name} with {}", some(steps as u64, "step", "steps")),
        });
        if let Some(error) = &replayed.stopped {
            message = Message::error(format!("Restored {name} up to a step that cannot be repeated: {error}"));
        }
        let details = [
            replayed.stopped.is_some().then(|| "what follows is kept for thirty days beside its journal".to_owned()),
            changed_text(&replayed.changed_on_disk, replayed.not_looked_at.as_ref()),
            found.content.damage_text().map(|damage| format!("its journal is {damage}; what came after is lost")),
            (has_older && is_poorer).then(|| "the steps from before its recovery snapshot cannot be undone".to_owned()),
            is_less
                .then(|| "only its voxels came back, and not what a file of its kind holds besides: save it under another name".to_owned()),
            replayed.is_snapshot_foreign.then(|| "the recovery snapshot beside its journal is of another map and was not used".to_owned()),
            numbered,
        ];
        let details: Vec<String> = details.into_iter().flatten().collect();
        // What is missing stays to be read until it is put away.
        message.is_warning = !message.is_error && !details.is_empty();
        self.tell(if details.is_empty() { message } else { message.with_detail(details.join("; ")) });
        // The one that it came from went where its journal was written anew.
        self.checkpoint(id);
    }

    /// A snapshot held what the journal, or the copy beside it, has lost, or may hold it and cannot be read, or the journal goes on with
    /// steps of a newer Spadework. The map goes on in a journal of its own: the old one cannot lead to it, and stays until somebody discards it.
    fn restored_beyond(&mut self, found: Recoverable, replayed: Replayed, beyond: Beyond) {
        let (name, poor, numbered) = (title(&found), poor_copy_text(&replayed), numbered_text(&replayed));
        let Beyond { reset, base } = beyond;
        let id = self.add(replayed.document, format!("{name} (restored)"));
        if let Some(open) = self.document_mut(id) {
            // Its own journal has none of the steps: nothing of them can be undone.
            open.history.mark_never_saved();
            open.is_without_older_steps = true;
            let format = format_of_file(&found, replayed.format);
            let is_yet_to_be_written = found.content.is_yet_to_be_written();
            let options = replayed.options;
            open.file = FileLink { path: found.map.clone(), format, options, stamps: replayed.stamps, is_yet_to_be_written };
        }
        self.begin_journal(id, base);
        self.note_never_saved(id);
        if let Some(open) = self.document_mut(id) {
            // It is read more quickly than the origin and the steps.
            open.checkpoint.make_due();
        }
        self.checkpoint(id);
        self.take_place_of_unedited(id);
        let from_snapshot = replayed.beyond > 0 || replayed.is_without_base;
        let (newer, damage) = (found.content.is_newer, found.content.damage_text());
        let mut message = Message::warning(match (from_snapshot, &replayed.stopped) {
            (true, _) => format!("Restored {name} from its recovery snapshot, without the steps before it"),
            (false, Some(error)) => format!("Restored {name} up to a step that cannot be repeated: {error}"),
            (false, None) if newer => format!("Restored {name} up to where its steps are of a newer Spadework"),
            (false, None) => format!("Restored {name} as its journal has it"),
        });
        (message.is_error, message.is_warning) = (replayed.stopped.is_some(), replayed.stopped.is_none());
        let details = [
            replayed
                .stopped
                .as_ref()
                .filter(|_| from_snapshot)
                .map(|error| format!("A step after the snapshot cannot be repeated: {error}. It and what follows it are missing")),
            damage.map(|damage| match newer {
                true => format!("The journal is {damage}: what came after is not lost, but to be restored with that one"),
                false => format!("The journal is {damage}. What came after the snapshot is lost"),
            }),
            (replayed.is_without_base && replayed.beyond == 0)
                .then(|| "The copy of the map beside the journal is damaged: the file is written anew as a whole when you save".to_owned()),
            (found.content.damage.is_none() && replayed.beyond > 0)
                .then(|| "The end of the journal is missing. What came after the snapshot is lost".to_owned()),
            (!from_snapshot).then(|| "None of its steps can be undone".to_owned()),
            replayed.is_snapshot_withheld.then(|| {
                "The recovery snapshot beside the journal cannot be read: what only that holds is missing until it is restored once more".to_owned()
            }),
            found.content.is_beheaded().then(|| "Which file the map is of is not known any more: save it under its name".to_owned()),
            beheaded_text(&found.content),
            changed_text(&replayed.changed_on_disk, replayed.not_looked_at.as_ref()),
            lost_text(&found.content, &replayed.lost),
            poor,
            numbered,
            passed_over_text(replayed.passed_over, &replayed.lost),
            reset,
        ];
        let details: Vec<String> = details.into_iter().flatten().collect();
        self.tell(message.with_detail(format!("{}; the journal stays until you discard it.", details.join("; "))));
        let because = match newer {
            true => "a newer Spadework knows the steps that follow",
            false if replayed.is_snapshot_withheld => "its recovery snapshot could not be read",
            false if replayed.is_without_base => "the copy of the map beside it is gone, damaged or not to be read",
            false if !replayed.lost.is_empty() => "a copy beside it is gone, damaged or not to be read",
            false if replayed.is_of_poor_copy => "the recovery snapshot that it came from is gone, damaged or of a later step",
            false => "it does not lead to the recovery snapshot that the map came from",
        };
        self.note_recovery(id, found, because);
    }

    /// Notes beside a journal that stays that its map goes on in that of the document, once that one is there.
    fn note_recovery(&self, id: DocumentId, found: Recoverable, because: &str) {
        let Some(mark) = self.document(id).and_then(|open| open.journal.as_ref()).map(Journal::mark) else { return };
        let note = RecoveryNote { because: vec![because.into()], ..RecoveryNote::of(&found.content, found.beyond) };
        let storage = self.storage.clone();
        self.background.run(move || {
            // Until it is written, the old one is nobody else's.
            let Recoverable { journal, lock: _lock, .. } = found;
            if mark().is_some()
                && let Err(error) = recovery::write_note(&*storage, &journal, &note)
            {
                tracing::warn!("that {} was restored is not noted: {error}", journal.display());
            }
        });
    }

    /// A restored map holds its file from now on, in place of the same map as it was opened just now: two of one name
    /// are one too many, and the one without steps is no loss. What has the file open is found on a worker.
    pub(in crate::editor) fn take_place_of_unedited(&mut self, id: DocumentId) {
        let Some(path) = self.document(id).and_then(OpenDocument::path).map(Path::to_path_buf) else { return };
        let others = self.documents.iter().filter(|open| open.id() != id && self.is_untouched(open.id()));
        let others: Vec<_> = others
            .filter_map(|open| Some((open.id(), open.path()?.to_path_buf(), open.claim.is_some() || open.claiming.is_some())))
            .collect();
        let (storage, folder) = (self.storage.clone(), self.journal_folder.clone());
        self.jobs.spawn(format!("Claiming {}", file_name(&path)), Some(id), move |_| {
            let place = storage.place(&path);
            let twins: Vec<_> = others.into_iter().filter(|(_, path, _)| storage.place(path) == place).collect();
            let is_held = twins.iter().any(|(_, _, holds)| *holds);
            let claim = folder.filter(|_| !is_held).and_then(|folder| claim_map_soon(&storage, folder, &path));
            JobDone::FoundTwins(path, twins.into_iter().map(|(id, ..)| id).collect(), claim)
        });
    }

    /// Closes those of them that are as their file is; what one of them holds is the restored map's.
    pub(in crate::editor) fn take_place_of(&mut self, id: DocumentId, path: &Path, twins: &[DocumentId], claim: Option<Claim>) {
        if self.document(id).is_none_or(|open| open.path() != Some(path)) {
            return;
        }
        let mut held = None;
        for twin in twins {
            // It may have been edited meanwhile.
            if self.is_untouched(*twin) {
                held = self.document_mut(*twin).and_then(|twin| twin.claim.take()).or(held);
                self.remove(*twin);
            }
        }
        if let Some(claim) = held.map(|(lock, path)| Claim::Ours(lock, path)).or(claim) {
            self.take_claim(id, path, claim);
        }
    }

    /// Repeats the journal of a map that was restored from a snapshot up to there, for the steps from before it.
    fn start_rebuilding(&mut self, id: DocumentId, journal: PathBuf, content: JournalContent, skipped: usize, expected: Snapshot) {
        let storage = self.storage.clone();
        let job = self.jobs.spawn("Rebuilding the history".into(), Some(id), move |progress| {
            let older = recovery::before_snapshot(&content, skipped);
            let rebuilt = recovery::replay_older(&*storage, &journal, &older, progress).ok();
            JobDone::Rebuilt(rebuilt.filter(|rebuilt| rebuilt.stopped.is_none() && is_same(&rebuilt.document, &expected)).map(Box::new))
        });
        if let Some(open) = self.document_mut(id) {
            open.rebuilding = Some(job);
        }
    }

    /// Puts the steps from before the snapshot into the history, where the map still is the one that was restored; without them it is
    /// whole all the same.
    pub(in crate::editor) fn rebuilt(&mut self, id: DocumentId, job: &JobInfo, rebuilt: Option<Box<Replayed>>) {
        let Some(open) = self.document_mut(id) else { return };
        if open.rebuilding.take_if(|rebuilding| *rebuilding == job.id).is_none() {
            return;
        }
        let Some(rebuilt) = rebuilt else {
            open.is_without_older_steps = true;
            let text = format!("The first steps of {} cannot be undone", open.title());
            let is_cancelled = job.progress.check().is_err();
            return self.tell(match is_cancelled {
                true => Message::info(text).with_detail("Rebuilding the history was cancelled. The map is whole."),
                false => Message::error(text).with_detail(
                    "They do not lead from its journal to the recovery snapshot that it was restored from: see whether the map is whole.",
                ),
            });
        };
        if open.history.is_empty() {
            // Nothing came after the snapshot: the same map, made of the chunks that its history knows.
            let memory_limit = open.document.memory_limit;
            open.document = rebuilt.document;
            open.document.memory_limit = memory_limit;
        }
        let forgotten = open.history.forgotten();
        open.history.prepend(&mut open.document, rebuilt.history);
        open.version += 1;
        self.free_dropped(id);
        self.tell_if_forgotten(id, forgotten);
    }
}

/// Which files changed under a restored map, or why that is not known; `None` if none did.
fn changed_text(changed: &[PathBuf], not_looked_at: Option<&StorageError>) -> Option<String> {
    let names: Vec<_> = changed.iter().map(|path| file_name(path)).collect();
    let (last, others) = names.split_last()?;
    if let Some(error) = not_looked_at {
        return Some(format!("whether {last} changed since is not known: {}: {}", file_name(&error.path), error.reason_in_words()));
    }
    Some(match others {
        [] => format!("{last} changed since: saving asks before it replaces it"),
        _ => format!("{} and {last} changed since: saving asks before it replaces them", others.join(", ")),
    })
}

/// Drops what no file holds, so that the copy of the map which a journal begins with is the same map: commands go by it. Answers what
/// there was of it; `None` if nothing.
fn reset_session(document: &mut Document) -> Option<String> {
    let before = document.clone();
    (document.selection, document.dirt) = (None, None);
    (document.masks, document.symmetry) = (Arc::default(), Arc::default());
    document.set_active(0);
    let reset = [
        (before.selection != document.selection, "selection"),
        (before.masks != document.masks, "masks"),
        (before.symmetry != document.symmetry, "symmetry"),
        (before.dirt != document.dirt, "color of uncovered ground"),
        (before.active() != document.active(), "choice of the grid"),
    ];
    let names: Vec<_> = reset.into_iter().filter_map(|(is_reset, name)| is_reset.then_some(name)).collect();
    (!names.is_empty()).then(|| format!("As in a map that was just opened again: {}", names.join(", ")))
}

/// Whether two documents are the same map.
fn is_same(a: &Snapshot, b: &Snapshot) -> bool {
    let same = |(a, b): (&Volume, &Volume)| a.offset == b.offset && a.store.bounds() == b.store.bounds() && a.store.same_voxels(&b.store);
    a.volumes().len() == b.volumes().len()
        && a.volumes().iter().zip(b.volumes().iter()).all(same)
        && (&a.objects, &a.metadata, &a.selection, a.dirt) == (&b.objects, &b.metadata, &b.selection, b.dirt)
        && (&a.masks, &a.symmetry, a.active()) == (&b.masks, &b.symmetry, b.active())
}

/// The format that the map's file is saved in; `None` where its name decides. The copy is in another one where that of the file could not
/// hold what came from a snapshot, or where it is of another file than the one that was to be written, and was not yet.
fn format_of_file(found: &Recoverable, replayed: &'static str) -> Option<&'static str> {
    let (content, map) = (&found.content, found.map.as_deref());
    if map.is_none() && found.version_of.is_none() {
        // The copy of a new map is of the format that keeps most of it.
        return None;
    }
    // The copies are those of that very file, or a save told what it was written as.
    let JournalHeader { of_snapshot, origin, map: of_map, .. } = &content.header;
    let is_of_file = !of_snapshot || origin.as_ref().is_some_and(|origin| origin.of.is_some() && origin.of == *of_map);
    let is_saved = content.entries.kinds().any(|kind| kind == EntryKind::Saved);
    let is_own = (is_of_file || is_saved) && !content.is_yet_to_be_written();
    let is_named_so = map.and_then(format_of_name).is_none_or(|named| named == replayed);
    (is_own || is_named_so).then_some(replayed)
}

/// Id of the format that a file's name says.
fn format_of_name(map: &Path) -> Option<&'static str> {
    map.extension().and_then(std::ffi::OsStr::to_str).and_then(map_format_by_extension).map(|format| format.id())
}
