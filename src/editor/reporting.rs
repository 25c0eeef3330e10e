//! Reporting a problem from the window: gathering what goes along, and writing it down. Nothing is sent.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;

use super::doctor::examine;
use super::problem_report::{PartKind, ReportPart, crash_parts, journal_parts, write_report};
use super::storage::StorageError;
use super::work::{JobDone, file_name, seconds_now};
use super::{Editor, Message, Request, paths};

/// How the writing of a report ended.
#[derive(Debug)]
pub(super) enum ReportWritten {
    /// It is there.
    Done,
    /// A file of that name was there before.
    Exists,
    /// It cannot be written.
    Failed(StorageError),
}

impl Editor {
    /// Gathers what may go along with a report of a problem; the answer is a request.
    pub(super) fn prepare_report(&mut self, log: String) {
        let (storage, journals, adapters) = (self.storage.clone(), self.journal_folder.clone(), self.adapters);
        self.jobs.spawn("Looking around".into(), None, move |_| {
            let mut parts = vec![
                ReportPart::text(PartKind::Findings, "doctor.txt", &examine(&*storage, adapters()).text()),
                ReportPart::text(PartKind::Log, "log.txt", &log),
            ];
            parts.extend(paths::reports_dir().map(|folder| crash_parts(&*storage, &folder)).unwrap_or_default());
            parts.extend(journals.map(|folder| journal_parts(&*storage, &folder)).unwrap_or_default());
            JobDone::PreparedReport(parts)
        });
    }

    pub(super) fn prepared_report(&mut self, parts: Vec<ReportPart>) {
        self.requests.push(Request::Report(parts));
    }

    /// Writes the parts to a new file.
    pub(super) fn start_report(&mut self, path: PathBuf, parts: Arc<[ReportPart]>) {
        let storage = self.storage.clone();
        self.jobs.spawn_writing(format!("Writing {}", file_name(&path)), None, move |_| {
            let written = match storage.exists(&path) {
                Ok(true) => ReportWritten::Exists,
                Ok(false) => match write_report(&*storage, &path, &parts, seconds_now(), false) {
                    Ok(()) => ReportWritten::Done,
                    Err(error) if error.reason.kind() == ErrorKind::AlreadyExists => ReportWritten::Exists,
                    Err(error) => ReportWritten::Failed(error),
                },
                Err(error) => ReportWritten::Failed(error),
            };
            JobDone::WroteReport(path, written)
        });
    }

    pub(super) fn wrote_report(&mut self, path: PathBuf, written: ReportWritten) {
        let name = file_name(&path);
        self.tell(match written {
            ReportWritten::Done => {
                Message::info(format!("Wrote {name}")).with_detail("Nothing was sent: look into it, and add it to your report.")
            }
            ReportWritten::Exists => Message::error(format!("{name} exists already")).with_detail("Choose another name for the report."),
            ReportWritten::Failed(error) => Message::error(format!("Cannot write the report: {error}")),
        });
    }
}
