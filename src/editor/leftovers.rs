//! Maps that an earlier session left unsaved: finding, bringing back, discarding.

use super::journal::Journal;
use super::open_document::FileLink;
use super::recovery::{self, Leftovers, Recoverable, RecoveryError, Replayed};
use super::work::{JobDone, file_name};
use super::{Editor, Message, Request};

impl Editor {
    /// Looks for maps that an earlier session left unsaved, on a worker. What it finds becomes a request;
    /// what cannot be read is told.
    pub fn find_leftovers(&mut self) {
        let Some(folder) = self.journal_folder.clone() else { return };
        let storage = self.storage.clone();
        let look = move |_: &_| JobDone::FoundLeftovers(recovery::find_leftovers(&*storage, &folder));
        self.jobs.spawn("Looking for unsaved maps".into(), None, look);
    }

    pub(super) fn found_leftovers(&mut self, found: Leftovers) {
        for skipped in found.skipped {
            self.tell(Message::info(format!("The journal {} was left alone: {}", file_name(&skipped.journal), skipped.reason)));
        }
        self.leftovers = found.recoverable;
        if !self.leftovers.is_empty() {
            self.requests.push(Request::Recover);
        }
    }

    /// The maps that an earlier session left unsaved and that nobody decided about yet.
    pub fn leftovers(&self) -> &[Recoverable] {
        &self.leftovers
    }

    pub(super) fn restore_leftovers(&mut self) {
        for found in std::mem::take(&mut self.leftovers) {
            let storage = self.storage.clone();
            self.jobs.spawn(format!("Restoring {}", title(&found)), None, move |progress| {
                let replayed = recovery::replay(&*storage, &found, progress).map(Box::new);
                JobDone::Replayed(Box::new(found), replayed)
            });
        }
    }

    pub(super) fn discard_leftovers(&mut self) {
        let (leftovers, storage) = (std::mem::take(&mut self.leftovers), self.storage.clone());
        self.jobs.spawn("Discarding".into(), None, move |_| {
            let discard = |found| (title(&found), recovery::discard(&*storage, found));
            let failed = leftovers.into_iter().map(discard).filter_map(|(name, result)| Some((name, result.err()?)));
            JobDone::Discarded(failed.collect())
        });
    }

    pub(super) fn replayed(&mut self, mut found: Recoverable, result: Result<Box<Replayed>, RecoveryError>) {
        let name = title(&found);
        let replayed = match result {
            Ok(replayed) => *replayed,
            Err(error) => {
                return self.tell(Message::error(format!("Cannot restore {name}: {error}")).with_detail("Its journal stays where it is."));
            }
        };
        let id = self.add(replayed.document, format!("{name} (restored)"));
        let mut aside = None;
        if replayed.stopped.is_some() {
            // The map goes on from what could be repeated, and so must its journal.
            found.content.entries.truncate(replayed.replayed);
            let stem = found.journal.file_stem().unwrap_or_default().to_string_lossy();
            aside = Some(found.journal.with_file_name(format!("{stem}-old.damaged")));
        }
        let journal = Journal::resume(self.storage.clone(), found.journal, &found.content, found.lock, aside);
        if let Some(open) = self.document_mut(id) {
            // Numbers of saves are not given twice in one journal.
            open.saves = found.content.entries.len() as u64;
            open.history = replayed.history;
            open.version += 1;
            open.journal = Some(journal);
            open.file = FileLink { path: found.map, format: Some(replayed.format), stamps: replayed.stamps, ..FileLink::default() };
        }
        let mut message = Message::info(format!(
            "Restored {name} with {}",
            if found.steps == 1 { "1 step".to_owned() } else { format!("{} steps", found.steps) }
        ));
        if let Some(error) = replayed.stopped {
            message = Message::error(format!("Restored {name} up to a step that cannot be repeated: {error}"));
        } else if let Some(path) = replayed.changed_on_disk {
            message = message.with_detail(format!("{} changed since; saving will ask", file_name(&path)));
        } else if let Some(offset) = found.content.damage {
            message = message.with_detail(format!("its journal is damaged from byte {offset} on; what came after is lost"));
        }
        self.tell(message);
    }
}

/// What a leftover map is called.
pub fn title(found: &Recoverable) -> String {
    found.map.as_deref().map_or_else(|| "new map".to_owned(), file_name)
}
