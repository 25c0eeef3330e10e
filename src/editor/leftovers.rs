//! Maps that an earlier session left unsaved: finding, bringing back, discarding.

mod restoring;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

pub(super) use restoring::Restored;

use super::files::Interrupted;
use super::journal::JournalContent;
use super::recovery::{self, Leftovers, Recoverable, RecoveryError, Replayed, Skipped, Thumbnail};
use super::storage::Storage;
use super::versions::version_title;
use super::work::{JobDone, file_name};
use super::{Editor, JobId, Message, Request};
use crate::document::{Progress, some};
use crate::format::Severity;

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
    fn settle_saves(&mut self, saves: recovery::LeftSaves) {
        if !saves.is_empty() {
            let storage = self.storage.clone();
            let settle = move |_: &_| JobDone::SettledSaves(saves.settle(&*storage));
            self.jobs.spawn_quiet("Completing saves".into(), None, settle);
        }
    }

    pub(super) fn settled_saves(&mut self, settled: &[Interrupted]) {
        for outcome in settled {
            let told = outcome.to_string();
            self.tell(if outcome.severity() > Severity::Repair { Message::warning(told) } else { Message::info(told) });
        }
    }

    pub(super) fn found_leftovers(&mut self, found: Leftovers, whom: LeftoversFor) {
        self.settle_saves(found.saves());
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
            let storage = self.storage.clone();
            let job = self.jobs.spawn(format!("Restoring {}", title(&found)), None, move |progress| {
                let restored = Restored::bring_back(&*storage, &found, progress).map(Box::new);
                JobDone::Replayed(Box::new(found), restored)
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

    pub(super) fn replayed(&mut self, found: Recoverable, result: Result<Box<Restored>, RecoveryError>) {
        self.take_replayed(found, result);
        self.list_those_to_come();
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

/// What the loss of copies beside a journal means; `None` where none was lost.
pub fn lost_text(content: &JournalContent, lost: &[PathBuf]) -> Option<String> {
    let names: Vec<String> = lost.iter().map(|path| file_name(path)).collect();
    let originals: Vec<String> = recovery::originals(content, lost).iter().map(|path| path.display().to_string()).collect();
    let help = match &originals[..] {
        [] => String::new(),
        all => {
            format!("; put {} back as it was when it was opened, as an earlier version may have it, and restore once more", all.join(", "))
        }
    };
    (!names.is_empty())
        .then(|| format!("what only {} beside the journal said is missing: it is gone, damaged or not to be read{help}", names.join(", ")))
}

/// What of the copies beside it a journal does not tell any more: whether that of the map is whole, and which files were the map's;
/// `None` where it does, or there are none.
pub fn beheaded_text(content: &JournalContent) -> Option<String> {
    let beside: Vec<String> = content.header.base.iter().skip(1).map(|(name, _)| file_name(&name.0)).collect();
    let is_told = content.is_beheaded() && !content.header.base.is_empty();
    let taken = match &beside[..] {
        [] => String::new(),
        all => format!("; which files lay beside it is not known any more: taken for them was what has its name, {}", all.join(", ")),
    };
    is_told.then(|| format!("whether the copy of its file is whole is not known any more{taken}"))
}

/// Which steps were not repeated, because nobody knows any more which objects they are about; `None` where all were.
pub fn passed_over_text(steps: usize, lost: &[PathBuf]) -> Option<String> {
    let counted = || some(steps as u64, "step was", "steps were");
    let about = match lost.is_empty() {
        true => "whose numbers only the recovery snapshot told",
        false => "that only a lost copy told of",
    };
    (steps > 0).then(|| format!("{} passed over, about objects {about}", counted()))
}

/// That a map came from a recovery snapshot once, which is not used; `None` where it is, or where it did not.
pub fn poor_copy_text(replayed: &Replayed) -> Option<String> {
    // Those of earlier versions have none.
    let is_without_origin = replayed.lost.iter().any(|path| path.extension().is_some_and(|end| end == "origin"));
    let text = match is_without_origin {
        true => {
            "all that was done before it came back from a recovery snapshot is missing: both that snapshot and what the journal began with \
                 are gone, damaged or of a later step"
        }
        false => {
            "what only the recovery snapshot told that the map came from is missing, such as the colors inside of a VXL map: it is gone, \
                  damaged or of a later step"
        }
    };
    replayed.is_of_poor_copy.then(|| text.to_owned())
}

/// That what files say of objects besides may have gone to others; `None` where it is known whose it is.
pub fn numbered_text(replayed: &Replayed) -> Option<String> {
    let text = "what its files say of objects besides, such as entries that Spadework does not know and what a station says of an entity, may be \
                missing or with other objects: compare them with the files as they are";
    replayed.is_numbered_otherwise.then(|| text.to_owned())
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
    let unnamed = || found.version_of.as_deref().map_or_else(|| lost.unwrap_or("new map").to_owned(), version_title);
    found.map.as_deref().map_or_else(unnamed, file_name)
}
