//! Opening maps, and reading them again: begun, and taken in.

use std::path::{Path, PathBuf};

use super::claim::{Claim, claim_map_soon};
use super::files::{self, OpenError, OpenOptions, Opened};
use super::journal::JournalBase;
use super::storage::Storage;
use super::work::{JobDone, file_name};
use super::{DocumentId, Editor, JobId, Message, Request};
use crate::document::OptionValue;
use crate::format::{Report, Severity};

/// A file that is to be opened, unless a document has it already.
pub(super) struct OpenLook {
    pub(super) path: PathBuf,
    pub(super) options: OpenOptions,
    /// Documents from that number on came since it was looked whether one has it.
    pub(super) known: u32,
}

impl Editor {
    pub(super) fn start_open(&mut self, path: PathBuf, options: OpenOptions) {
        if let Some(open) = self.documents.iter().find(|open| open.path() == Some(&*path)) {
            let id = open.id();
            return self.activate(id);
        }
        let settings = self.settings.read_options.clone();
        let options = OpenOptions { settings, memory_limit: self.settings.memory.map_bytes(), ..options };
        let (storage, folder) = (self.storage.clone(), self.journal_folder.clone());
        let (others, look) = (self.paths_since(0), OpenLook { path, options, known: self.next_document });
        self.jobs.spawn(format!("Opening {}", file_name(&look.path)), None, move |progress| {
            if let Some(id) = same_place(&*storage, &look.path, &others) {
                return JobDone::OpenAlready(id, look, None);
            }
            let opened = files::open_map(&*storage, &look.path, &look.options, progress).map(Box::new);
            let claim = folder.filter(|_| opened.is_ok()).and_then(|folder| claim_map_soon(&storage, folder, &look.path));
            JobDone::Opened(look, opened, claim)
        });
    }

    /// The files of the documents from that number on.
    fn paths_since(&self, known: u32) -> Vec<(DocumentId, PathBuf)> {
        let since = self.documents.iter().filter(|open| open.id().0 >= known);
        since.filter_map(|open| Some((open.id(), open.path()?.to_path_buf()))).collect()
    }

    /// Keeps an option for reading; the map in front is read again where nothing would be lost by it.
    pub(super) fn set_read_option(&mut self, format: &str, option: &str, value: String) {
        let options = self.settings.read_options.entry(format.to_owned()).or_default();
        if value.is_empty() {
            options.remove(option);
        } else {
            options.insert(option.to_owned(), OptionValue::Text(value));
        }
        self.save_settings();
        match self.active().filter(|open| open.file.format == Some(format) && open.path().is_some()) {
            Some(open) if !open.has_work() && self.begun(open.id()).is_none() => self.start_revert(),
            Some(_) => self.tell(Message::info("This map has unsaved edits: it is shown so once it is opened again")),
            None => {}
        }
    }

    /// Options that read a map once more as it was read, with what the settings say by now.
    pub(super) fn options_as_read(&self, id: DocumentId) -> OpenOptions {
        let source = self.document(id).and_then(|open| open.document.source.clone());
        let lenient = source.as_ref().is_some_and(|source| source.options.get(files::LENIENT) == Some(&OptionValue::Bool(true)));
        // A map that was damaged is read as it was read before.
        let mut options = if lenient { OpenOptions::lenient() } else { OpenOptions::default() };
        // And one that does not say its size.
        let is_oblong = |size: &&OptionValue| matches!(size, OptionValue::Text(size) if size.split_once('x').is_some_and(|(x, y)| x != y));
        let size = source.as_ref().and_then(|source| source.options.get(files::SIZE)).filter(is_oblong);
        options.options.extend(size.map(|size| (files::SIZE.to_owned(), size.clone())));
        let memory_limit = self.settings.memory.map_bytes();
        OpenOptions { settings: self.settings.read_options.clone(), memory_limit, ..options }
    }

    pub(super) fn start_revert(&mut self) {
        let Some((id, path)) = self.active().and_then(|open| Some((open.id(), open.path()?.to_owned()))) else {
            return self.tell(Message::info("This map was never saved: there is no file to go back to"));
        };
        let (storage, options) = (self.storage.clone(), self.options_as_read(id));
        if self.document(id).is_some_and(|open| open.saving.is_some() || open.reverting.is_some()) {
            return self.tell(Message::info("This map is being saved or read: wait for that to end"));
        }
        let job = self.jobs.spawn(format!("Reading {} again", file_name(&path)), Some(id), move |progress| {
            let opened = files::open_map(&*storage, &path, &options, progress).map(Box::new);
            JobDone::Reverted(path, opened)
        });
        let Some(open) = self.document_mut(id) else { return };
        open.reverting = Some(job);
        // What is being planned was meant for the map as it is.
        let any = open.is_busy();
        open.queue.clear();
        let (script, planning) = (open.script.take(), open.planning.take());
        script.into_iter().for_each(|script| self.jobs.let_go(script.job));
        planning.into_iter().for_each(|planning| self.jobs.cancel(planning.job));
        if any {
            self.tell(Message::info("What was still being worked out is dropped as well"));
        }
    }

    pub(super) fn opened(&mut self, look: OpenLook, result: Result<Box<Opened>, OpenError>, claim: Option<Claim>) {
        let others = self.paths_since(look.known);
        if result.is_ok() && !others.is_empty() {
            // The same file may have been asked for twice, before either was there.
            let (storage, look) = (self.storage.clone(), OpenLook { known: self.next_document, ..look });
            let name = format!("Opening {}", file_name(&look.path));
            self.jobs.spawn(name, None, move |_| match same_place(&*storage, &look.path, &others) {
                Some(id) => JobDone::OpenAlready(id, look, claim),
                None => JobDone::Opened(look, result, claim),
            });
            return;
        }
        let path = look.path;
        match result {
            Ok(opened) => {
                let untouched = self.documents.iter().find(|open| open.is_starter && self.is_untouched(open.id()));
                let untouched = untouched.map(|open| open.id());
                let id = self.add(opened.document.clone(), String::new());
                self.link(id, path.clone(), &opened);
                self.begin_journal(id, JournalBase::of_opened(&opened, &path));
                // The starter map that nobody touched makes room.
                if let Some(untouched) = untouched {
                    self.remove(untouched);
                }
                self.tell_what_was_read(&path, &opened.report);
                if let Some(claim) = claim {
                    self.take_claim(id, &path, claim);
                }
                self.remember_recent(&path);
            }
            Err(OpenError::Cancelled(_)) => self.tell(Message::info(format!("Opening {} was cancelled", file_name(&path)))),
            Err(error) => {
                if matches!(&error, OpenError::Storage(error) if error.is_not_found() && error.path == path) {
                    self.settings.forget(&path);
                    self.save_settings();
                }
                let typed = match look.options.options.get(files::SIZE) {
                    Some(OptionValue::Text(size)) => Some(size.clone()),
                    _ => None,
                };
                if error.is_repairable() || (error.is_about_size() && typed.is_some()) {
                    // A size that does not fit is typed once more.
                    let size = error.possible_size().or(typed);
                    return self.requests.push(Request::OpenDamaged { path, reason: error.to_string(), size });
                }
                self.tell(Message::error(error.told()).with_detail(error.advice()));
            }
        }
    }

    /// Tells what a file left open, had wrong, or was kept aside; the log has all of it.
    pub(super) fn tell_what_was_read(&mut self, path: &Path, report: &Report) {
        let notable: Vec<_> = report.warnings.iter().filter(|warning| warning.severity > Severity::Info).collect();
        tracing::info!("{} was opened", file_name(path));
        let Some(first) = notable.first() else { return };
        // The next save has a report of its own.
        notable.iter().for_each(|warning| tracing::info!("{}: {}", file_name(path), warning.counted()));
        let more = match notable.len() - 1 {
            0 => String::new(),
            more => format!("\nand {more} more under Help › Log"),
        };
        // What was not read may be what the next save would lose, and files of two saves are looked at before that.
        let doubtful = notable.iter().find(|warning| files::makes_set_doubtful(warning));
        let text = format!("Opened {} with remarks", file_name(path));
        let message = if doubtful.is_some() { Message::warning(text) } else { Message::info(text) };
        self.tell(message.with_detail(format!("{}{more}", doubtful.unwrap_or(first).sentence())));
    }

    pub(super) fn reverted(&mut self, id: DocumentId, job: JobId, path: PathBuf, result: Result<Box<Opened>, OpenError>) {
        let Some(open) = self.document_mut(id) else { return };
        let is_asked_again = open.reverting.is_some_and(|reverting| reverting != job);
        let is_meant = open.reverting.take_if(|reverting| *reverting == job).is_some() && !open.is_busy();
        let mut old_journal = None;
        match result {
            Ok(_) if is_asked_again => {}
            Ok(_) if !is_meant => {
                let message = Message::info(format!("{} was changed meanwhile and was not read again", open.title()));
                self.tell(message.with_detail("Nobody agreed to drop what was done since."));
            }
            Ok(opened) => {
                // Its steps led to the map that is dropped.
                if let Some(rebuilding) = open.rebuilding.take() {
                    self.jobs.cancel(rebuilding);
                }
                self.let_go_of(id);
                self.link(id, path.clone(), &opened);
                self.tell(Message::info(format!("Read {} again", file_name(&path))).about_saving(id));
                self.tell_what_was_read(&path, &opened.report);
                let base = JournalBase::of_opened(&opened, &path);
                let budget = self.settings.memory.history_bytes();
                if let Some(open) = self.document_mut(id) {
                    open.document = opened.document;
                    open.history = crate::edit::History::with_budget(budget);
                    open.is_without_older_steps = false;
                    open.version += 1;
                    if let Some(journal) = open.journal.take() {
                        old_journal = Some(journal);
                    }
                }
                if let Some(journal) = old_journal {
                    self.discard_journal(file_name(&path), journal);
                }
                self.begin_journal(id, base);
            }
            Err(error) => {
                // It can have any size by now.
                let advice = if error.possible_size().is_some() {
                    "Close it and open it again: then its size is asked for."
                } else {
                    error.advice()
                };
                self.tell(Message::error(format!("Cannot read {error}")).with_detail(advice));
            }
        }
    }

    fn link(&mut self, id: DocumentId, path: PathBuf, opened: &Opened) {
        let Some(open) = self.document_mut(id) else { return };
        open.file.path = Some(path);
        open.file.format = Some(opened.format);
        open.file.stamps = opened.stamps.clone();
        open.report = opened.report.clone();
    }
}

/// The document whose file that path leads to, too.
fn same_place(storage: &dyn Storage, path: &Path, others: &[(DocumentId, PathBuf)]) -> Option<DocumentId> {
    let place = storage.place(path);
    others.iter().find(|(_, other)| storage.place(other) == place).map(|(id, _)| *id)
}
