//! Maps that an earlier session left unsaved: finding, bringing back, discarding.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::checkpoint::Checkpoint;
use super::claim::{Claim, claim_map};
use super::files::{Interrupted, Stamps};
use super::journal::{EntryKind, Journal, JournalBase, JournalContent};
use super::open_document::{FileLink, OpenDocument};
use super::recovery::{self, Leftovers, Recoverable, RecoveryError, RecoveryNote, Replayed, Skipped, Thumbnail};
use super::storage::Storage;
use super::work::{JobDone, file_name};
use super::{DocumentId, Editor, JobId, JobInfo, Message, Request, seconds_now};
use crate::document::{Document, Progress, Snapshot, Volume, some};
use crate::format::{Severity, map_format_by_extension};

/// Longest side of the picture of a leftover map, in pixels.
const THUMBNAIL_SIDE: usize = 96;
/// Leftovers that are listed at once however many maps are open.
const LEAST_LISTED: usize = 8;
/// What becomes of a journal that could not be restored, or not be discarded.
const LISTED_AGAIN: &str = "Its journal stays where it is. File › Unsaved maps… lists it again, and so does the next start.";

/// Who wants to know what was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeftoversFor {
    /// The window that starts: it speaks up only where there is something.
    Start,
    /// Somebody who asked for the list.
    Person,
    /// Somebody who decided about all that was listed, where there are more.
    Rest,
}

impl Editor {
    /// Looks for maps that an earlier session left unsaved, on a worker. What it finds becomes a request;
    /// what cannot be read is told.
    pub fn find_leftovers(&mut self) {
        self.start_finding_leftovers(LeftoversFor::Start);
    }

    /// As [`find_leftovers`](Self::find_leftovers), for somebody who asked: nothing is an answer, too.
    pub(super) fn look_for_leftovers(&mut self) {
        if self.journal_folder.is_none() {
            self.tell(Message::info("Nothing was left unsaved").with_detail("No journals are kept."));
        }
        self.start_finding_leftovers(LeftoversFor::Person);
    }

    fn start_finding_leftovers(&mut self, whom: LeftoversFor) {
        let Some(folder) = self.journal_folder.clone() else { return };
        let storage = self.storage.clone();
        // An open map has its open files, too.
        let most = recovery::MOST_HELD.saturating_sub(self.documents.len()).max(LEAST_LISTED).saturating_sub(self.leftovers.len());
        // Who goes on with the rest saw what became of those before: they stay for who asks, and for the next start.
        if whom != LeftoversFor::Rest {
            self.decided.clear();
        }
        let decided = self.decided.clone();
        let look = move |_: &_| JobDone::FoundLeftovers(recovery::hold_leftovers(&*storage, &folder, most, &decided), whom);
        self.jobs.spawn("Looking for unsaved maps".into(), None, look);
    }

    /// Completes or takes back saves that were interrupted beside maps that were left.
    fn settle_saves(&mut self, folders: BTreeSet<PathBuf>) {
        if !folders.is_empty() {
            let storage = self.storage.clone();
            let settle = move |_: &_| JobDone::SettledSaves(recovery::settle_saves(&*storage, &folders));
            self.jobs.spawn_quiet("Completing saves".into(), None, settle);
        }
    }

    pub(super) fn settled_saves(&mut self, settled: &[Interrupted]) {
        self.completed_saves.extend(recovery::completed_files(settled).cloned());
        for outcome in settled {
            let told = outcome.to_string();
            self.tell(if outcome.severity() > Severity::Repair { Message::warning(told) } else { Message::info(told) });
        }
    }

    pub(super) fn found_leftovers(&mut self, found: Leftovers, whom: LeftoversFor) {
        self.settle_saves(found.folders());
        let is_known = found.trouble.is_none();
        if let Some(error) = found.trouble {
            self.tell(Message::error(format!("Unsaved maps of earlier sessions cannot be looked for: {error}")));
        }
        let (unreadable, not_seen): (Vec<_>, Vec<_>) = found.skipped.into_iter().partition(|skipped| skipped.reason.is_about_journal());
        if let Some(first) = not_seen.first().filter(|_| whom != LeftoversFor::Rest) {
            let journals = some(not_seen.len() as u64, "journal", "journals");
            let message = Message::warning(format!("{journals} of earlier sessions cannot be looked at: {}", first.reason));
            let detail = "Whether they have unsaved steps is not known, and they stay. File › Unsaved maps… looks again, and so does the next start.";
            self.tell(message.with_detail(detail));
        }
        if whom == LeftoversFor::Start {
            for skipped in &unreadable {
                let (name, id) = (file_name(&skipped.journal), recovery::journal_id(&skipped.journal));
                let message = Message::warning(format!("The journal {name} was left alone: {}", skipped.reason));
                let detail = format!("To be rid of it: File › Unsaved maps…, or spadework recover --discard {id}");
                self.tell(message.with_detail(detail).about_journal(skipped.journal.clone()));
            }
        }
        self.unreadable = unreadable;
        // The maps that are open here have journals, too; whose lock was removed, it is not there at once.
        let own: Vec<_> = self.documents.iter().filter_map(|open| Some(open.journal.as_ref()?.path().to_owned())).collect();
        // Those that are held here already were not found again.
        self.leftovers.extend(found.recoverable.into_iter().filter(|found| !own.contains(&found.journal)));
        self.leftovers_to_come = found.others.iter().filter(|found| !own.contains(&found.journal)).count();
        let is_asked = whom == LeftoversFor::Person;
        if !self.leftovers.is_empty() || (is_asked && !self.unreadable.is_empty()) {
            self.requests.push(Request::Recover);
            self.draw_leftovers();
        } else if is_asked && is_known && not_seen.is_empty() {
            let others = found.held.iter().filter(|journal| !own.contains(journal)).count();
            let message = Message::info("Nothing was left unsaved");
            // This one, too: those of maps that it is just bringing back, or whose journals it is just deleting.
            let detail = format!("A running Spadework holds the journal of {}.", some(others as u64, "map", "maps"));
            self.tell(if others > 0 { message.with_detail(detail) } else { message });
        }
    }

    /// Lets go of what was found, for others and for the next time.
    pub(super) fn put_off_leftovers(&mut self) {
        let to_come = std::mem::take(&mut self.leftovers_to_come);
        let (maps, journals) = (self.take_leftovers(|_| true).len() + to_come, std::mem::take(&mut self.unreadable).len());
        let what = match (maps, journals) {
            (0, 0) => return,
            (0, journals) => some(journals as u64, "journal stays", "journals stay"),
            (maps, _) => some(maps as u64, "unsaved map stays", "unsaved maps stay"),
        };
        self.tell(
            Message::info(format!("{what} for later")).with_detail("File › Unsaved maps… lists them again, and so does the next start."),
        );
    }

    /// Journals of earlier sessions that cannot be read, as they were found when they were last looked for.
    pub fn unreadable_leftovers(&self) -> &[Skipped] {
        &self.unreadable
    }

    pub(super) fn discard_unreadable(&mut self, journal: PathBuf) {
        self.unreadable.retain(|skipped| skipped.journal != journal);
        let storage = self.storage.clone();
        self.jobs.spawn("Discarding".into(), None, move |_| {
            let failed = recovery::discard_file(&*storage, &journal).err().map(|error| (file_name(&journal), error));
            JobDone::Discarded(usize::from(failed.is_none()), failed.into_iter().collect(), Some(journal))
        });
    }

    pub(super) fn discarded(&mut self, count: usize, failed: Vec<(String, RecoveryError)>, unreadable: Option<PathBuf>) {
        // What was told of it when it was found is past.
        let about = |message: Message| unreadable.iter().fold(message, |message, journal| message.about_journal(journal.clone()));
        if count > 0 {
            self.tell(about(Message::info(format!("Discarded {}", some(count as u64, "journal", "journals")))));
        }
        for (name, error) in failed {
            self.tell(about(Message::error(format!("Cannot discard the journal of {name}: {error}")).with_detail(LISTED_AGAIN)));
        }
        self.list_those_to_come();
    }

    /// Maps that were left, too, and are listed once those that are were decided about.
    pub fn leftovers_to_come(&self) -> usize {
        self.leftovers_to_come
    }

    /// Lists the others once nothing of what was listed is left.
    fn list_those_to_come(&mut self) {
        let is_restoring = self.jobs.running().any(|job| self.restoring.contains(&job.id));
        if self.leftovers.is_empty() && self.leftovers_to_come > 0 && !is_restoring {
            self.leftovers_to_come = 0;
            self.start_finding_leftovers(LeftoversFor::Rest);
        }
    }

    /// Draws the leftovers on a worker. Nobody waits for it: without a picture the dialog has the words.
    fn draw_leftovers(&mut self) {
        let is_drawn = |found: &&Recoverable| self.thumbnails.contains_key(&found.journal);
        let left = self.leftovers.iter().filter(|found| !is_drawn(found));
        let all: Vec<_> = left.map(|found| (found.journal.clone(), found.content.clone())).collect();
        let storage = self.storage.clone();
        let draw = move |progress: &Progress| JobDone::Drawn(pictures(&*storage, all, progress));
        let job = self.jobs.spawn("Looking at unsaved maps".into(), None, draw);
        if let Some(before) = self.drawing.replace(job) {
            self.jobs.cancel(before);
        }
    }

    /// The picture of a leftover, once it is drawn.
    pub fn thumbnail_of(&self, found: &Recoverable) -> Option<&Thumbnail> {
        self.thumbnails.get(&found.journal)
    }

    pub(super) fn drawn(&mut self, job: JobId, thumbnails: Vec<(PathBuf, Thumbnail)>) {
        // One that was called off answers, too, and late.
        self.drawing.take_if(|drawing| *drawing == job);
        // Of those that nobody decided about meanwhile.
        let is_left = |journal: &PathBuf| self.leftovers.iter().any(|found| found.journal == *journal);
        self.thumbnails.extend(thumbnails.into_iter().filter(|(journal, _)| is_left(journal)));
    }

    /// Somebody decided about some of them: their pictures are of no use any more.
    fn take_leftovers(&mut self, is_meant: impl Fn(&Recoverable) -> bool) -> Vec<Recoverable> {
        let (taken, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.leftovers).into_iter().partition(is_meant);
        self.leftovers = left;
        self.thumbnails.retain(|journal, _| self.leftovers.iter().any(|found| found.journal == *journal));
        if let Some(job) = self.drawing.take_if(|_| !taken.is_empty() || self.leftovers.is_empty()) {
            self.jobs.cancel(job);
            // The others are drawn without those.
            if !self.leftovers.is_empty() {
                self.draw_leftovers();
            }
        }
        taken
    }

    /// The maps that an earlier session left unsaved and that nobody decided about yet.
    pub fn leftovers(&self) -> &[Recoverable] {
        &self.leftovers
    }

    pub(super) fn restore_leftovers(&mut self, is_meant: impl Fn(&Recoverable) -> bool) {
        let jobs = &self.jobs;
        self.restoring.retain(|id| jobs.running().any(|job| job.id == *id));
        for found in self.take_leftovers(is_meant) {
            self.decided.insert(found.journal.clone());
            let (storage, completed) = (self.storage.clone(), self.completed_saves.clone());
            let job = self.jobs.spawn(format!("Restoring {}", title(&found)), None, move |progress| {
                let replayed = recovery::settle_and_replay(&*storage, &found, &completed, progress).map(Box::new);
                JobDone::Replayed(Box::new(found), replayed)
            });
            self.restoring.push(job);
        }
    }

    pub(super) fn discard_leftovers(&mut self, is_meant: impl Fn(&Recoverable) -> bool) {
        let (leftovers, storage) = (self.take_leftovers(is_meant), self.storage.clone());
        let count = leftovers.len();
        self.decided.extend(leftovers.iter().map(|found| found.journal.clone()));
        self.jobs.spawn("Discarding".into(), None, move |_| {
            let discard = |found| (title(&found), recovery::discard(&*storage, found));
            let failed = leftovers.into_iter().map(discard).filter_map(|(name, result)| Some((name, result.err()?)));
            let failed: Vec<_> = failed.collect();
            JobDone::Discarded(count.saturating_sub(failed.len()), failed, None)
        });
    }

    pub(super) fn replayed(&mut self, found: Recoverable, result: Result<Box<Replayed>, RecoveryError>) {
        self.take_replayed(found, result);
        self.list_those_to_come();
    }

    fn take_replayed(&mut self, mut found: Recoverable, result: Result<Box<Replayed>, RecoveryError>) {
        let name = title(&found);
        let mut replayed = match result {
            Ok(replayed) => *replayed,
            Err(error) => {
                return self.tell(Message::error(format!("Cannot restore {name}: {error}")).with_detail(LISTED_AGAIN));
            }
        };
        self.settled_saves(&std::mem::take(&mut replayed.settled));
        // One that a newer Spadework went on with stays as it is, for that one.
        if replayed.beyond > 0 || replayed.is_without_base || replayed.is_snapshot_withheld || found.content.is_newer {
            return self.restored_beyond(found, replayed);
        }
        let id = self.add(replayed.document, format!("{name} (restored)"));
        // One that came from a snapshot itself does not lead on from the copy of the map, which gives its objects other numbers.
        let is_of_snapshot = found.content.header.of_snapshot;
        let has_commands = found.content.entries.kinds().any(EntryKind::is_command);
        let is_mixed_up = is_of_snapshot && replayed.skipped == 0 && has_commands && replayed.start.objects.iter().next().is_some();
        // The map goes on from what could be repeated, and so must its journal; what follows the damage may be of use to somebody.
        found.content.entries.truncate(replayed.replayed);
        // Its entries from before the snapshot are read once more, for their steps.
        let has_older = found.content.entries.kinds().take(replayed.skipped).any(EntryKind::is_command);
        let older =
            (has_older && !is_of_snapshot).then(|| (found.journal.clone(), found.content.clone(), replayed.skipped, replayed.start));
        let journal = Journal::resume(self.storage.clone(), found.journal, &found.content, found.lock).waking(self.jobs.waker());
        let budget = self.settings.memory.history_bytes();
        if let Some(open) = self.document_mut(id) {
            // Numbers of saves are not given twice in one journal.
            open.saves = found.content.entries.len() as u64;
            open.history = replayed.history;
            open.history.set_budget(&mut open.document, budget);
            open.version += 1;
            open.journal = Some(journal);
            open.checkpoint = Checkpoint::of_resumed();
            // The copy of a snapshot is in another format where that of the file could not hold it: the file keeps its own.
            let is_own = !is_of_snapshot || found.map.as_deref().and_then(format_of_name).is_none_or(|named| named == replayed.format);
            let format = is_own.then_some(replayed.format);
            open.file = FileLink { path: found.map, format, stamps: replayed.stamps, ..FileLink::default() };
        }
        self.free_dropped(id);
        self.tell_if_forgotten(id, 0);
        self.take_place_of_unedited(id);
        if let Some((journal, content, skipped, expected)) = older {
            self.start_rebuilding(id, journal, content, skipped, expected);
        }
        let mut message = Message::info(match found.steps {
            0 => format!("Restored {name} as no file holds it yet"),
            steps => format!("Restored {name} with {}", some(steps as u64, "step", "steps")),
        });
        if let Some(error) = &replayed.stopped {
            message = Message::error(format!("Restored {name} up to a step that cannot be repeated: {error}"));
        }
        let details = [
            replayed.stopped.is_some().then(|| "what follows is kept for thirty days beside its journal".to_owned()),
            replayed.changed_on_disk.map(|path| format!("{} changed since; saving will ask", file_name(&path))),
            found.content.damage_text().map(|damage| format!("its journal is {damage}; what came after is lost")),
            lost_text(&replayed.lost),
            (has_older && is_of_snapshot).then(|| "the steps from before its recovery snapshot cannot be undone".to_owned()),
            replayed.is_snapshot_foreign.then(|| "the recovery snapshot beside its journal is of another map and was not used".to_owned()),
            is_mixed_up.then(|| "its recovery snapshot is missing, so that objects may be mixed up: look at them".to_owned()),
        ];
        let details: Vec<String> = details.into_iter().flatten().collect();
        self.tell(if details.is_empty() { message } else { message.with_detail(details.join("; ")) });
        // The one that it came from went where its journal was written anew.
        self.checkpoint(id);
    }

    /// A snapshot held what the journal, or the copy beside it, has lost, or may hold it and cannot be read, or the journal goes on with
    /// steps of a newer Spadework. The map goes on in a journal of its own: the old one cannot lead to it, and stays until somebody discards it.
    fn restored_beyond(&mut self, found: Recoverable, mut replayed: Replayed) {
        let name = title(&found);
        let reset = reset_session(&mut replayed.document);
        let base = JournalBase::Made { format: replayed.format, document: Box::new(replayed.document.clone()), of_snapshot: true };
        let id = self.add(replayed.document, format!("{name} (restored)"));
        if let Some(open) = self.document_mut(id) {
            // Its own journal has none of the steps: nothing of them can be undone.
            open.history.mark_never_saved();
            open.file = FileLink { path: found.map.clone(), format: Some(replayed.format), stamps: replayed.stamps, ..FileLink::default() };
        }
        self.begin_journal(id, base);
        self.note_never_saved(id);
        if let Some(open) = self.document_mut(id) {
            // The copy of the map gives its objects other numbers.
            open.checkpoint.make_due();
        }
        self.checkpoint(id);
        self.take_place_of_unedited(id);
        let from_snapshot = replayed.beyond > 0 || replayed.is_without_base;
        let (newer, damage) = (found.content.is_newer, found.content.damage_text());
        let mut message = Message::info(match (from_snapshot, &replayed.stopped) {
            (true, _) => format!("Restored {name} from its recovery snapshot, without the steps before it"),
            (false, Some(error)) => format!("Restored {name} up to a step that cannot be repeated: {error}"),
            (false, None) if newer => format!("Restored {name} up to where its steps are of a newer Spadework"),
            (false, None) => format!("Restored {name} as its journal has it"),
        });
        message.is_error = replayed.stopped.is_some();
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
            replayed.changed_on_disk.map(|path| format!("{} changed since; saving will ask", file_name(&path))),
            lost_text(&replayed.lost),
            reset,
        ];
        let details: Vec<String> = details.into_iter().flatten().collect();
        self.tell(message.with_detail(format!("{}; the journal stays until you discard it.", details.join("; "))));
        let because = match newer {
            true => "a newer Spadework knows the steps that follow",
            false if replayed.is_snapshot_withheld => "its recovery snapshot could not be read",
            false => "it does not lead to the recovery snapshot that the map came from",
        };
        self.note_recovery(id, found, because);
    }

    /// Notes beside a journal that stays that its map goes on in that of the document, once that one is there.
    fn note_recovery(&self, id: DocumentId, found: Recoverable, because: &str) {
        let Some(mark) = self.document(id).and_then(|open| open.journal.as_ref()).map(Journal::mark) else { return };
        let note = RecoveryNote { to: None, at: seconds_now(), because: vec![because.into()], stamps: Stamps::default() };
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
    pub(super) fn take_place_of_unedited(&mut self, id: DocumentId) {
        let Some(path) = self.document(id).and_then(OpenDocument::path).map(Path::to_path_buf) else { return };
        let others = self.documents.iter().filter(|open| open.id() != id && is_unedited(open));
        let others: Vec<_> = others
            .filter_map(|open| Some((open.id(), open.path()?.to_path_buf(), open.claim.is_some() || open.claiming.is_some())))
            .collect();
        let (storage, folder) = (self.storage.clone(), self.journal_folder.clone());
        self.jobs.spawn(format!("Claiming {}", file_name(&path)), Some(id), move |_| {
            let place = storage.place(&path);
            let twins: Vec<_> = others.into_iter().filter(|(_, path, _)| storage.place(path) == place).collect();
            let is_held = twins.iter().any(|(_, _, holds)| *holds);
            let claim = folder.filter(|_| !is_held).and_then(|folder| claim_map(&*storage, &folder, &path));
            JobDone::FoundTwins(path, twins.into_iter().map(|(id, ..)| id).collect(), claim)
        });
    }

    /// Closes those of them that are as their file is; what one of them holds is the restored map's.
    pub(super) fn take_place_of(&mut self, id: DocumentId, path: &Path, twins: &[DocumentId], claim: Option<Claim>) {
        if self.document(id).is_none_or(|open| open.path() != Some(path)) {
            return;
        }
        let mut held = None;
        for twin in twins {
            // It may have been edited meanwhile.
            if self.document(*twin).is_some_and(is_unedited) {
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
    pub(super) fn rebuilt(&mut self, id: DocumentId, job: &JobInfo, rebuilt: Option<Box<Replayed>>) {
        let Some(open) = self.document_mut(id) else { return };
        if open.rebuilding.take_if(|rebuilding| *rebuilding == job.id).is_none() {
            return;
        }
        let Some(rebuilt) = rebuilt else {
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

/// Draws maps that were left. Of those that somebody decided about meanwhile there is nothing to draw any more.
fn pictures(storage: &dyn Storage, all: Vec<(PathBuf, JournalContent)>, progress: &Progress) -> Vec<(PathBuf, Thumbnail)> {
    let one = |(journal, content): (PathBuf, JournalContent)| {
        progress.check().ok()?;
        // Without its journal, a copy of the map that is made afresh is nobody's.
        storage.exists(&journal).ok().filter(|exists| *exists)?;
        let replayed = recovery::replay_content(storage, &journal, &content, progress).ok()?;
        Some((journal, recovery::thumbnail(replayed.document.store(), THUMBNAIL_SIDE)))
    };
    all.into_iter().filter_map(one).collect()
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

/// Whether nothing would be lost with it.
fn is_unedited(open: &OpenDocument) -> bool {
    open.history.is_empty() && !open.is_modified() && !open.is_busy()
}

/// Whether two documents are the same map.
fn is_same(a: &Snapshot, b: &Snapshot) -> bool {
    let same = |(a, b): (&Volume, &Volume)| a.offset == b.offset && a.store.bounds() == b.store.bounds() && a.store.same_voxels(&b.store);
    a.volumes().len() == b.volumes().len()
        && a.volumes().iter().zip(b.volumes().iter()).all(same)
        && (&a.objects, &a.metadata, &a.selection, a.dirt) == (&b.objects, &b.metadata, &b.selection, b.dirt)
        && (&a.masks, &a.symmetry, a.active()) == (&b.masks, &b.symmetry, b.active())
}

/// Id of the format that a file's name says.
fn format_of_name(map: &Path) -> Option<&'static str> {
    map.extension().and_then(std::ffi::OsStr::to_str).and_then(map_format_by_extension).map(|format| format.id())
}

/// What the loss of copies beside a journal means; `None` where none was lost.
pub fn lost_text(lost: &[PathBuf]) -> Option<String> {
    let names: Vec<String> = lost.iter().map(|path| file_name(path)).collect();
    (!names.is_empty()).then(|| format!("what only {} beside the journal said is missing: it is damaged", names.join(", ")))
}

/// What was in the way beside a journal, and where it is now; `None` where nothing was.
pub fn moved_text(moved: &[PathBuf]) -> Option<String> {
    let names: Vec<String> = moved.iter().map(|path| file_name(path)).collect();
    (!names.is_empty())
        .then(|| format!("something that is no file lay in the place of one beside its journal; it is now {}", names.join(", ")))
}

/// What a leftover map is called.
pub fn title(found: &Recoverable) -> String {
    let lost = recovery::lost_name(&found.journal).filter(|_| found.content.is_beheaded());
    found.map.as_deref().map_or_else(|| lost.unwrap_or("new map").to_owned(), file_name)
}
