//! Journals with unsaved steps that nobody holds: what is known of them for a list. Many of them take no open file.

use std::path::PathBuf;

use super::{Leftovers, Recoverable, RecoveryError, RecoveryNote, journal_id, look_at};
use crate::editor::journal::damage_text;
use crate::editor::storage::Storage;

/// Journals that are held at once. Each takes two open files, and systems give a process from 256 on, usually 1024, of which the window,
/// the maps that are open and those being saved have their share.
pub const MOST_HELD: usize = 64;

/// A map with steps that were never saved, as it was when it was looked at. Others may take it.
#[derive(Clone, Debug)]
pub struct Unsaved {
    /// See [`Recoverable::journal`].
    pub journal: PathBuf,
    /// See [`Recoverable::map`].
    pub map: Option<PathBuf>,
    /// See [`Recoverable::version_of`].
    pub version_of: Option<String>,
    /// See [`Recoverable::steps`].
    pub steps: usize,
    /// See [`Recoverable::is_in_no_file`].
    pub is_in_no_file: bool,
    /// Entries of the journal.
    pub entries: usize,
    /// See [`Recoverable::beyond`].
    pub beyond: usize,
    /// See [`Recoverable::at`].
    pub at: u64,
    /// See [`Recoverable::moved`].
    pub moved: Vec<PathBuf>,
    /// See [`Recoverable::recovered`].
    pub recovered: Option<RecoveryNote>,
    /// See [`JournalContent::damage`](crate::editor::journal::JournalContent::damage).
    pub damage: Option<usize>,
    /// See [`JournalContent::is_newer`](crate::editor::journal::JournalContent::is_newer).
    pub is_newer: bool,
}

impl Unsaved {
    /// What the journal is called, for choosing among several.
    pub fn id(&self) -> String {
        journal_id(&self.journal)
    }

    /// See [`JournalContent::is_beheaded`](crate::editor::journal::JournalContent::is_beheaded).
    pub fn is_beheaded(&self) -> bool {
        self.damage == Some(0)
    }

    /// See [`JournalContent::damage_text`](crate::editor::journal::JournalContent::damage_text).
    pub fn damage_text(&self) -> Option<String> {
        damage_text(self.damage, self.is_newer)
    }

    /// Takes it, so that nobody else does.
    ///
    /// # Errors
    /// [`RecoveryError::Held`] if somebody else has it by now; if it cannot be read any more.
    pub fn take(self, storage: &dyn Storage) -> Result<Recoverable, RecoveryError> {
        let mut taken = look_at(storage, &self.journal)?.ok_or(RecoveryError::Held)?;
        taken.moved.splice(0..0, self.moved);
        Ok(taken)
    }
}

impl Recoverable {
    /// Lets go of it.
    fn release(self) -> Unsaved {
        let Self { journal, map, version_of, steps, is_in_no_file, beyond, at, moved, recovered, content, .. } = self;
        let (entries, damage, is_newer) = (content.entries.len(), content.damage, content.is_newer);
        Unsaved { journal, map, version_of, steps, is_in_no_file, entries, beyond, at, moved, recovered, damage, is_newer }
    }
}

impl Leftovers {
    /// Adds one, and lets go of the earliest where more are held than may be.
    pub(super) fn add(&mut self, found: Recoverable, most: usize) {
        self.recoverable.push(found);
        if self.recoverable.len() > most {
            let earliest = self.recoverable.iter().enumerate().rev().min_by_key(|(_, found)| found.at).map_or(0, |(index, _)| index);
            self.others.push(self.recoverable.remove(earliest).release());
        }
    }
}
