//! What tells that a leftover map was brought back already, where its journal stays all the same: of each place that it was brought back
//! to, one note.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::editor::files::{BeforePlacing, Stamps};
use crate::editor::journal::{EntryKind, JournalContent, JournalMark, frame, next_frame, note_path};
use crate::editor::seconds_now;
use crate::editor::storage::{Storage, StorageAction, StorageError, StoredPath, replace_file};

/// Largest file of notes that is read.
const NOTE_LIMIT: u64 = 1 << 20;
/// Notes that are kept of one journal.
const MOST_NOTES: usize = 16;

/// A recovery whose journal stays. All of a journal stand in one file beside it, the latest last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecoveryNote {
    /// The map that was written, as a whole path; `None` where it was restored in a window.
    pub to: Option<StoredPath>,
    /// When, in seconds since 1970.
    pub at: u64,
    /// Why the journal stays.
    pub because: Vec<String>,
    /// The files of the map as they were then.
    pub stamps: Stamps,
    /// Names of the copies beside the journal that were lost then: with one of them back, the journal brings back more.
    #[serde(default)]
    pub lost: Vec<StoredPath>,
    /// Entries that it brought back, of the journal and of its recovery snapshot.
    #[serde(default)]
    pub entries: usize,
    /// The end of the journal as it was then.
    #[serde(default)]
    pub place: Option<JournalMark>,
    /// Whether that is the place of the journal's map: without it, what is there is somebody else's.
    #[serde(default)]
    pub is_in_place: bool,
    /// Whether it was written before the files were put in place: by a call that was killed, where it is still there. Without those files
    /// it says nothing.
    #[serde(default)]
    pub is_begun: bool,
}

impl RecoveryNote {
    /// The files of the map as they were then, by the paths that belong to `map`, which is another spelling of [`to`](Self::to).
    pub fn stamps_of(&self, map: &Path) -> Stamps {
        let name = |path: &PathBuf| map.with_file_name(path.file_name().unwrap_or_default());
        Stamps(self.stamps.0.iter().map(|(path, stamp)| (name(path), *stamp)).collect())
    }

    /// One that is yet to say where to and why: of a recovery of what a journal says, and of so many entries behind its end that only its
    /// recovery snapshot holds.
    pub fn of(content: &JournalContent, beyond: usize) -> Self {
        let entries = content.entries.len();
        Self { at: seconds_now(), entries: entries + beyond, place: content.mark(entries), ..Self::default() }
    }

    /// Whether a journal leads on from what was brought back then: one that was cut, or put back as it was earlier, leads to less, and
    /// what was saved since says itself what is in the files.
    pub fn is_led_on_by(&self, content: &JournalContent, beyond: usize) -> bool {
        let is_saved_since = content.entries.kinds().skip(self.entries).any(|kind| kind == EntryKind::Saved);
        // What only its snapshot held, which the journal does not go on from.
        let is_beyond = |place: &JournalMark| self.entries > place.entries() && content.entries.len() > place.entries();
        let is_place = |place: &JournalMark| content.has(place) && !is_beyond(place);
        content.entries.len() + beyond >= self.entries && !is_saved_since && self.place.as_ref().is_none_or(is_place)
    }

    /// Whether the journal brings back no more than then. `lost` are the copies beside it that are lost now.
    pub fn has_all_of(&self, content: &JournalContent, beyond: usize, lost: &[PathBuf]) -> bool {
        let is_lost = |name: &StoredPath| lost.iter().any(|copy| copy.file_name() == name.0.file_name());
        self.has_steps_of(content, beyond) && self.lost.iter().all(is_lost)
    }

    /// Whether what was brought back then is all, and nothing else, that the journal leads to: one that was cut since may have been gone on
    /// with.
    fn has_steps_of(&self, content: &JournalContent, beyond: usize) -> bool {
        content.entries.len() + beyond == self.entries && self.is_led_on_by(content, beyond)
    }

    /// The files that still are as they were then, by their paths beside `map`; none where it is about another map.
    pub fn ours(&self, storage: &dyn Storage, map: &Path) -> Stamps {
        let is_of = |to: &StoredPath| to.0 == std::path::absolute(map).unwrap_or_else(|_| map.into());
        let mut ours = self.stamps_of(map);
        ours.0.retain(|path, stamp| self.to.as_ref().is_some_and(is_of) && stamp.still_holds(storage, path).unwrap_or(false));
        ours
    }

    /// Whether it is about that map, whose files still are as they were then.
    pub fn still_holds(&self, storage: &dyn Storage, map: &Path) -> bool {
        // A file that cannot be looked at is as good as changed.
        self.to.as_ref().is_some_and(|to| to.0 == map) && self.stamps.first_changed(storage).is_ok_and(|changed| changed.is_none())
    }
}

/// Writes a note of a journal, in place of those about the same map; beside those that tell of more of what is there.
///
/// # Errors
/// If the file cannot be written.
pub fn write_note(storage: &dyn Storage, journal: &Path, note: &RecoveryNote) -> Result<(), StorageError> {
    let path = note_path(journal);
    let mut notes = read_notes(storage, journal);
    let tells_more = |other: &RecoveryNote, to: &Path| {
        let told = note.stamps_of(to);
        other
            .ours(storage, to)
            .0
            .iter()
            .any(|(path, stamp)| told.get(path).is_none_or(|told| (told.len, told.hash) != (stamp.len, stamp.hash)))
    };
    let has_more = |other: &RecoveryNote| other.to.as_ref().is_some_and(|to| tells_more(other, &to.0));
    notes.retain(|other| other.to != note.to || (note.is_begun && !other.is_begun) || has_more(other));
    // Those of other places go first.
    while notes.len() >= MOST_NOTES {
        notes.remove(notes.iter().position(|note| !note.is_in_place).unwrap_or(0));
    }
    let frames = notes.iter().chain([note]).map(frame).collect::<Result<Vec<_>, _>>();
    replace_file(storage, &path, &frames.map_err(StorageError::at(StorageAction::Write, &path))?.concat())
}

/// Notes beside the journal that files are about to be put in place: whoever comes back after a kill knows them for its own. Where to, and
/// which files beside it are known, says the note that is given; all its paths are whole.
pub fn note_before_placing(storage: Arc<dyn Storage>, journal: &Path, note: RecoveryNote) -> BeforePlacing {
    let journal = journal.to_path_buf();
    BeforePlacing::new(move |files| {
        if files.0.is_empty() {
            return;
        }
        let whole =
            |path: &PathBuf| note.to.as_ref().map_or_else(PathBuf::new, |to| to.0.with_file_name(path.file_name().unwrap_or_default()));
        let mut note = RecoveryNote { is_begun: true, because: vec!["the call that wrote it did not end".to_owned()], ..note.clone() };
        let new: Vec<_> = files.0.iter().map(|(path, stamp)| (whole(path), *stamp)).collect();
        note.stamps.0.extend(new);
        // Without it the next call takes the files for somebody else's.
        write_note(&*storage, &journal, &note).ok();
    })
}

/// The latest note of a journal that counts: one after which no step came; that of a call that was killed does only where all of its
/// files are in place.
pub(super) fn read_note(storage: &dyn Storage, journal: &Path, content: &JournalContent, beyond: usize) -> Option<RecoveryNote> {
    let holds = |note: &RecoveryNote| note.to.as_ref().is_some_and(|to| note.still_holds(storage, &to.0));
    let notes = read_notes(storage, journal).into_iter().filter(|note| note.has_steps_of(content, beyond));
    notes.rev().find(|note| !note.is_begun || holds(note))
}

/// The notes of a journal, the latest last, whether or not what they say still holds.
pub fn read_notes(storage: &dyn Storage, journal: &Path) -> Vec<RecoveryNote> {
    // One that cannot be read says nothing: the journal has everything.
    let bytes = storage.read(&note_path(journal), NOTE_LIMIT).unwrap_or_default();
    let mut offset = 0;
    std::iter::from_fn(|| {
        let (note, next) = next_frame(&bytes, offset)?;
        offset = next;
        Some(note)
    })
    .collect()
}

#[cfg(test)]
mod tests;
