//! Exports of the active document: other kinds of files, which it is not read back from.

use std::path::PathBuf;

use super::files::{ExportOptions, Exported, Overwrite, SaveError, Stamps, Standing, export_map};
use super::work::{JobDone, file_name, not_in_it};
use super::{DocumentId, Editor, JobId, Message, Request};
use crate::document::Options;
use crate::format::{Report, Severity, Warning, export};

/// Which document is exported where, how, and what the user agreed to so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOrder {
    /// The document.
    pub document: DocumentId,
    /// Id of the export.
    pub export: &'static str,
    /// Its options.
    pub options: Options,
    /// The file.
    pub path: PathBuf,
    /// Whether the user agreed to replace a file that exists.
    pub overwrite_agreed: bool,
    /// How that file stood when that was asked; `None` before anybody was asked.
    pub asked: Option<Standing>,
}

/// Of which state of which document it is to be known what an export loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportLook {
    /// The document.
    pub document: DocumentId,
    /// Its version.
    pub version: u64,
    /// Id of the export.
    pub export: &'static str,
    /// Its options.
    pub options: Options,
}

/// The last one that was asked for, the job that looks it up, and what it found.
pub(super) type Looked = Option<(ExportLook, JobId, Option<Report>)>;

impl Editor {
    /// What an export would lose; `None` where nobody [looked](super::Action::LookAtExport), or the answer is to come.
    pub fn export_losses(&self, look: &ExportLook) -> Option<&Report> {
        self.export_look.as_ref().filter(|(known, ..)| known == look)?.2.as_ref()
    }

    pub(super) fn look_at_export(&mut self, look: ExportLook) {
        // One at a time: what is asked for meanwhile is asked for again.
        if self.export_look.as_ref().is_some_and(|(known, _, answer)| *known == look || answer.is_none()) {
            return;
        }
        let Some((open, export)) = self.document(look.document).zip(export(look.export)) else { return };
        let (snapshot, options) = (open.document.clone(), look.options.clone());
        let job = self
            .jobs
            .spawn_quiet("Looking at the export".into(), None, move |_| JobDone::LookedAtExport(export.preflight(&snapshot, &options)));
        self.export_look = Some((look, job, None));
    }

    pub(super) fn looked_at_export(&mut self, of: JobId, report: Report) {
        if let Some((_, job, answer)) = &mut self.export_look
            && *job == of
        {
            *answer = Some(report);
        }
    }

    pub(super) fn start_export(&mut self, order: ExportOrder) {
        if self.documents.iter().any(|open| open.path() == Some(&*order.path)) {
            let message = Message::error(format!("Cannot export to {}: it is a map that is open", file_name(&order.path)));
            return self.tell(message.with_detail("Choose another name."));
        }
        let Some((open, export)) = self.document(order.document).zip(export(order.export)) else {
            return self.tell(Message::info("The map was closed before it was exported"));
        };
        let (snapshot, storage) = (open.document.clone(), self.storage.clone());
        self.settings.export_options.insert(order.export.into(), order.options.clone());
        self.save_settings();
        // It belongs to no document: closing the map does not stop it.
        self.jobs.spawn_writing(format!("Exporting {}", file_name(&order.path)), None, move |progress| {
            let overwrite = Overwrite::agreed(order.overwrite_agreed, order.asked.as_ref());
            let options = ExportOptions { options: order.options.clone(), overwrite };
            let exported = export_map(&*storage, &snapshot, &order.path, export, &options, progress).map(Box::new);
            let is_asked = exported.as_ref().is_err_and(|error| error.in_the_way().is_some());
            let asked = is_asked.then(|| Standing::of(&*storage, &order.path, &Stamps::default()));
            JobDone::Exported(ExportOrder { asked, ..order }, exported)
        });
    }

    pub(super) fn exported(&mut self, order: ExportOrder, result: Result<Box<Exported>, SaveError>) {
        let name = file_name(&order.path);
        match result {
            Ok(exported) => {
                let begun = self.begun(order.document);
                let message = if begun.is_some() { Message::warning } else { Message::info }(format!("Exported {name}"));
                let notes = exported.report.warnings.iter().filter(|warning| warning.severity > Severity::Info).map(Warning::sentence);
                let notes: Vec<_> = begun.as_deref().map(not_in_it).into_iter().chain(notes).collect();
                self.tell(if notes.is_empty() { message } else { message.with_detail(notes.join("\n")) });
            }
            Err(error @ SaveError::AlreadyExists { .. }) => {
                self.requests.push(Request::ConfirmExport { order, reason: error.to_string() });
            }
            Err(SaveError::Cancelled(_)) => self.tell(Message::info(format!("Exporting {name} was cancelled"))),
            Err(error) => self.tell(Message::error(format!("Cannot export: {error}")).with_detail("The map is as it was.")),
        }
    }
}
