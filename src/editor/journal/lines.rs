//! What the lines of a journal say: its header, and its steps.

use serde::{Deserialize, Serialize};

use super::super::files::Stamps;
use super::super::storage::{ContentHash, StoredPath};
use crate::document::{ObjectId, Options};
use crate::edit::Command;

/// What the journal's file is about: its first frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JournalHeader {
    /// Version of the command language.
    pub version: u32,
    /// How the lines after it are laid out.
    #[serde(default)]
    pub layout: u32,
    /// Version of Spadework that wrote it.
    pub app: String,
    /// The map's file; `None` if it was never saved.
    pub map: Option<StoredPath>,
    /// The file that the copy was made of, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<StoredPath>,
    /// Id of the format of the copy that the steps start from.
    pub format: String,
    /// Options that the copy is read with.
    pub options: Options,
    /// Names and contents of the copied files, the map first, within the journal's folder.
    pub base: Vec<(StoredPath, ContentHash)>,
    /// The map's files as they were when it was opened.
    pub stamps: Stamps,
    /// When the journal began, in seconds since 1970.
    pub at: u64,
    /// Options of the format that the map is to be saved with; earlier versions did not tell.
    #[serde(default, skip_serializing_if = "Options::is_empty")]
    pub asked: Options,
    /// Whether the map came from a recovery snapshot alone: without its origin, the copy is one of it, and gives its objects other numbers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_snapshot: bool,
    /// What such a map was when its journal began; earlier versions did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// The last id that an object of the map had been given, if the copy does not tell; earlier versions gave those of removed ones again.
    #[serde(default)]
    pub last_object: Option<ObjectId>,
}

/// The snapshot of a map as it was when its journal began, which lies among the copies: the map came from a recovery snapshot alone, and no
/// copy of a file leads to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Its name.
    pub file: StoredPath,
    /// Whether the copies give objects the ids that the map knows.
    pub is_numbered: bool,
    /// The map's file that the copies are of; `None` where they are of the map itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<StoredPath>,
}

impl JournalHeader {
    /// Whether the copies are those of the map's files.
    pub fn is_of_files(&self) -> bool {
        !self.of_snapshot || self.origin.as_ref().is_some_and(|origin| origin.of.is_some())
    }

    /// Whether the map came from a recovery snapshot alone that nothing beside the journal has any more.
    pub fn is_poorer_than_snapshot(&self) -> bool {
        self.of_snapshot && self.origin.is_none()
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JournalEntry {
    /// A command was committed.
    Do {
        /// The command.
        command: Command,
        /// When, in seconds since 1970.
        at: u64,
    },
    /// The last step was undone.
    Undo,
    /// The last undone step was done again.
    Redo,
    /// Steps were undone or redone until so many were done. At the beginning of a journal: the map that it starts from is in no file.
    Jump {
        /// Steps done afterwards.
        to: usize,
    },
    /// A save began with the map as it is at this place.
    Saving {
        /// Names the save.
        number: u64,
    },
    /// A save is about to put these files in place; where no end of it follows, it may have done so.
    Placing {
        /// The files as they will be.
        files: Stamps,
    },
    /// The map was saved.
    Saved {
        /// The save, whose beginning is the place that was saved; `None` is this place.
        #[serde(default)]
        number: Option<u64>,
        /// Where.
        map: StoredPath,
        /// Id of the format; `None` is that of the journal's header.
        #[serde(default)]
        format: Option<String>,
        /// Options of the format that it was saved with; `None` where earlier versions did not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        options: Option<Options>,
        /// The files written.
        stamps: Stamps,
    },
}
