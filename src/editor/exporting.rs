//! Exports of the active document: other kinds of files, which it is not read back from.

use std::path::PathBuf;

use super::files::{ExportOptions, Exported, Overwrite, SaveError, export_map};
use super::work::{JobDone, file_name};
use super::{DocumentId, Editor, Message, Request};
use crate::document::Options;
use crate::format::Severity;
use crate::format::export;

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
}

impl Editor {
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
        self.jobs.spawn(format!("Exporting {}", file_name(&order.path)), None, move |progress| {
            let overwrite = if order.overwrite_agreed { Overwrite::Always } else { Overwrite::IfUnchanged };
            let options = ExportOptions { options: order.options.clone(), overwrite };
            let exported = export_map(&*storage, &snapshot, &order.path, export, &options, progress).map(Box::new);
            JobDone::Exported(order, exported)
        });
    }

    pub(super) fn exported(&mut self, order: ExportOrder, result: Result<Box<Exported>, SaveError>) {
        let name = file_name(&order.path);
        match result {
            Ok(exported) => {
                let message = Message::info(format!("Exported {name}"));
                let notes: Vec<_> = exported
                    .report
                    .warnings
                    .iter()
                    .filter(|warning| warning.severity > Severity::Info)
                    .map(|w| w.message.clone())
                    .collect();
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
