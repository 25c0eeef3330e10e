//! What the editor tells and asks whoever is in front of it.

use std::path::PathBuf;

use super::files::{InTheWay, Version};
use super::problem_report::ReportPart;
use super::{DocumentId, ExportOrder, PaletteOrder, RecordedScript, SaveOrder};
use crate::check::Problem;
use crate::format::Report;

/// Something told to the user; stays in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// One sentence: what happened.
    pub text: String,
    /// What to do about it, or the parts of the story.
    pub detail: Option<String>,
    /// Whether something went wrong.
    pub is_error: bool,
    /// Whether something is not as was wanted, though nothing went wrong; never an error, too.
    pub is_warning: bool,
    /// What it is about: what is told later of the same takes its place.
    pub about: Option<About>,
}

/// What messages are about that take the place of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The saving of a document.
    Saving(DocumentId),
    /// The journal of an earlier session.
    Journal(PathBuf),
    /// Whether the steps of a document are kept for a crash.
    Keeping(DocumentId),
    /// Whether other windows have a document open, too.
    Windows(DocumentId),
}

impl Message {
    /// Something that went well.
    pub fn info(text: impl Into<String>) -> Self {
        Self { text: text.into(), detail: None, is_error: false, is_warning: false, about: None }
    }

    /// Something to look at: a setting that cannot be read, a file that somebody else has open.
    pub fn warning(text: impl Into<String>) -> Self {
        Self { is_warning: true, ..Self::info(text) }
    }

    /// Something that went wrong.
    pub fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), detail: None, is_error: true, is_warning: false, about: None }
    }

    /// The same about the saving of a document.
    pub fn about_saving(self, document: DocumentId) -> Self {
        Self { about: Some(About::Saving(document)), ..self }
    }

    /// The same about the journal of an earlier session.
    pub fn about_journal(self, journal: PathBuf) -> Self {
        Self { about: Some(About::Journal(journal)), ..self }
    }

    /// The same about whether the steps of a document are kept.
    pub fn about_keeping(self, document: DocumentId) -> Self {
        Self { about: Some(About::Keeping(document)), ..self }
    }

    /// The same about other windows that have a document open.
    pub fn about_windows(self, document: DocumentId) -> Self {
        Self { about: Some(About::Windows(document)), ..self }
    }

    /// Whether a later one tells how the same went on.
    pub fn is_past(messages: &[Self], index: usize) -> bool {
        let about = messages.get(index).and_then(|message| message.about.as_ref());
        about.is_some() && messages.iter().skip(index + 1).any(|later| later.about.as_ref() == about)
    }

    /// The same with what to do about it.
    pub fn with_detail(self, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..self }
    }
}

/// A question that only a person can answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Where to save a map that has no file yet.
    SavePath(SaveOrder),
    /// Whether to save although something would be lost.
    ConfirmLoss {
        /// The save that waits for the answer; its path is set.
        order: SaveOrder,
        /// What would be lost.
        report: Report,
    },
    /// Whether to save although players will meet problems in the map. Each set of problems is asked about once.
    ConfirmProblems {
        /// The save that waits for the answer; its path is set.
        order: SaveOrder,
        /// What the checks found.
        problems: Vec<Problem>,
    },
    /// Whether to open a damaged map as far as it can be read.
    OpenDamaged {
        /// The map.
        path: PathBuf,
        /// What is wrong with it, and where.
        reason: String,
        /// A size that it may have, where that is what is not known of it: `128x96`.
        size: Option<String>,
    },
    /// Which earlier version of a map to open.
    Versions {
        /// What the map is called.
        name: String,
        /// The versions, the latest first; never none.
        versions: Vec<Version>,
    },
    /// Where to write the script that was recorded.
    ScriptPath(RecordedScript),
    /// What of this is to go along with the report of a problem.
    Report(Vec<ReportPart>),
    /// Whether to replace a file by an export.
    ConfirmExport {
        /// The export that waits for the answer.
        order: ExportOrder,
        /// What stands in the way.
        reason: String,
    },
    /// What to do with the file that was imported; see [`pending_import`](super::Editor::pending_import).
    Imported,
    /// What to do with maps that an earlier session left unsaved; they are among the editor's leftovers.
    Recover,
    /// Whether to replace a file that someone else changed since it was opened, or to bring back one that is gone.
    ConfirmOverwrite {
        /// The save that waits for the answer; its path is set.
        order: SaveOrder,
        /// What is odd about the file.
        why: InTheWay,
        /// The same in words.
        reason: String,
    },
    /// Whether to replace a file by a palette.
    ConfirmPalette {
        /// The palette that waits for the answer.
        order: PaletteOrder,
        /// What stands in the way.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_a_save_gives_way_to_what_is_told_of_the_next_one() {
        let [a, b] = [DocumentId(1), DocumentId(2)];
        let failed = Message::error("Cannot save: read-only");
        let messages = [
            failed.clone().about_saving(a),
            failed.clone().about_saving(b),
            failed,
            Message::info("Saved a.vxl").about_saving(a),
            Message::info("else"),
        ];
        let past: Vec<bool> = (0..messages.len() + 1).map(|index| Message::is_past(&messages, index)).collect();
        assert_eq!(past, [true, false, false, false, false, false]);
    }
}
