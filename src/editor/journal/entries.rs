//! The entries of a journal, read one at a time: they stay in their file, and known is only what each is and where it stands.

use std::ops::Range;
use std::sync::Arc;

use super::JournalEntry;
use super::frames::{PREFIX_BYTES, framed};
use crate::format::{MemorySource, Source};

/// Bytes that are read at once.
const WINDOW_BYTES: usize = 1 << 20;

/// What an entry is, as far as counting steps needs to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// See [`JournalEntry::Do`].
    Do,
    /// See [`JournalEntry::Undo`].
    Undo,
    /// See [`JournalEntry::Redo`].
    Redo,
    /// See [`JournalEntry::Jump`].
    Jump,
    /// See [`JournalEntry::Saving`].
    Saving,
    /// See [`JournalEntry::Placing`].
    Placing,
    /// See [`JournalEntry::Saved`].
    Saved,
}

impl EntryKind {
    /// What the entry is.
    pub fn of(entry: &JournalEntry) -> Self {
        match entry {
            JournalEntry::Do { .. } => Self::Do,
            JournalEntry::Undo => Self::Undo,
            JournalEntry::Redo => Self::Redo,
            JournalEntry::Jump { .. } => Self::Jump,
            JournalEntry::Saving { .. } => Self::Saving,
            JournalEntry::Placing { .. } => Self::Placing,
            JournalEntry::Saved { .. } => Self::Saved,
        }
    }

    /// Whether it is a step that the map made, and not what became of its files.
    pub fn is_step(self) -> bool {
        matches!(self, Self::Do | Self::Undo | Self::Redo | Self::Jump)
    }
}

/// A journal's file, and what is known of its entries.
struct File {
    source: Box<dyn Source>,
    /// Where each entry's line begins.
    places: Vec<u32>,
    kinds: Vec<EntryKind>,
}

/// Entries of a journal, in order. Cloning shares them.
#[derive(Clone)]
pub struct Entries {
    file: Arc<File>,
    /// So many from the beginning, and then these.
    count: usize,
    more: Vec<usize>,
}

impl Entries {
    pub(super) fn new(source: Box<dyn Source>, places: Vec<u32>, kinds: Vec<EntryKind>) -> Self {
        let count = places.len();
        Self { file: Arc::new(File { source, places, kinds }), count, more: vec![] }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.count + self.more.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether they are all that were read.
    pub(super) fn is_all(&self) -> bool {
        self.count == self.file.places.len() && self.more.is_empty()
    }

    /// Bytes of the file that they were read from, as it was then.
    pub(in crate::editor) fn source_len(&self) -> u64 {
        self.file.source.len()
    }

    fn index(&self, number: usize) -> Option<usize> {
        if number < self.count { Some(number) } else { self.more.get(number - self.count).copied() }
    }

    /// What each is.
    pub fn kinds(&self) -> impl DoubleEndedIterator<Item = EntryKind> + ExactSizeIterator {
        (0..self.len()).map(|number| self.index(number).and_then(|index| self.file.kinds.get(index)).copied().unwrap_or(EntryKind::Undo))
    }

    /// What one is.
    pub fn kind(&self, number: usize) -> Option<EntryKind> {
        self.file.kinds.get(self.index(number)?).copied()
    }

    /// One of them; `None` where there is none, or where it cannot be read any more.
    pub fn get(&self, number: usize) -> Option<JournalEntry> {
        self.since(number).next()?
    }

    /// Those from a number on. An entry that cannot be read is `None`.
    pub fn since(&self, number: usize) -> impl Iterator<Item = Option<JournalEntry>> + '_ {
        let mut window = Window::new(&*self.file.source);
        (number..self.len()).map(move |number| {
            let place = *self.file.places.get(self.index(number)?)?;
            serde_json::from_slice(window.json(u64::from(place))?).ok()
        })
    }

    /// All that can be read.
    pub fn iter(&self) -> impl Iterator<Item = JournalEntry> + '_ {
        self.since(0).map_while(|entry| entry)
    }

    /// All of them in memory.
    #[cfg(test)]
    pub(super) fn to_vec(&self) -> Vec<JournalEntry> {
        self.iter().collect()
    }

    /// Keeps so many from the beginning.
    pub fn truncate(&mut self, count: usize) {
        self.more.truncate(count.saturating_sub(self.count));
        self.count = self.count.min(count);
    }

    /// The first so many, and some of those after them.
    pub fn picked(&self, count: usize, after: impl IntoIterator<Item = usize>) -> Self {
        let count = count.min(self.count);
        Self { file: self.file.clone(), count, more: after.into_iter().filter_map(|number| self.index(number)).collect() }
    }
}

impl From<&[JournalEntry]> for Entries {
    /// Entries that stand in memory, in lines that go on from none.
    fn from(entries: &[JournalEntry]) -> Self {
        let (mut bytes, mut places) = (vec![], vec![]);
        for line in entries.iter().map_while(|entry| super::frame(entry).ok()) {
            places.push(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
            bytes.extend(line);
        }
        let kinds = entries.iter().take(places.len()).map(EntryKind::of).collect();
        Self::new(Box::new(MemorySource(bytes.into())), places, kinds)
    }
}

impl PartialEq for Entries {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl PartialEq<[JournalEntry]> for Entries {
    fn eq(&self, other: &[JournalEntry]) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter().cloned())
    }
}

impl PartialEq<Vec<JournalEntry>> for Entries {
    fn eq(&self, other: &Vec<JournalEntry>) -> bool {
        *self == **other
    }
}

impl std::fmt::Debug for Entries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter().take(40)).finish()
    }
}

/// A part of a file that is at hand, moved along where it is read.
pub(super) struct Window<'a> {
    source: &'a dyn Source,
    begin: u64,
    bytes: Vec<u8>,
}

impl<'a> Window<'a> {
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self { source, begin: 0, bytes: vec![] }
    }

    /// Bytes of the file; `None` where it ends before, or cannot be read.
    pub(super) fn get(&mut self, range: Range<u64>) -> Option<&[u8]> {
        let end = self.begin + self.bytes.len() as u64;
        if range.start < self.begin || range.end > end {
            if range.end > self.source.len() || range.start > range.end {
                return None;
            }
            let needed = usize::try_from(range.end - range.start).ok()?;
            let left = usize::try_from(self.source.len() - range.start).unwrap_or(usize::MAX);
            self.bytes.resize(needed.max(WINDOW_BYTES).min(left), 0);
            self.begin = range.start;
            if self.source.read_at(range.start, &mut self.bytes).is_err() {
                self.bytes.clear();
                return None;
            }
        }
        let [from, to] = [range.start, range.end].map(|at| usize::try_from(at - self.begin).unwrap_or(usize::MAX));
        self.bytes.get(from..to)
    }

    /// The JSON of the line that begins there, whose checksum is not looked at.
    fn json(&mut self, at: u64) -> Option<&[u8]> {
        let prefix = PREFIX_BYTES as u64;
        let (length, _) = framed(self.get(at..at.checked_add(prefix)?)?)?;
        self.get(at + prefix..(at + prefix).checked_add(length as u64)?)
    }

    /// The JSON of the line that begins there, its checksum, and where the next one begins; `None` where it is damaged.
    pub(super) fn line(&mut self, at: u64) -> Option<(&[u8], u32, u64)> {
        let prefix = PREFIX_BYTES as u64;
        let (length, crc) = framed(self.get(at..at.checked_add(prefix)?)?)?;
        let next = (at + prefix + 1).checked_add(length as u64)?;
        let (end, json) = self.get(at + prefix..next)?.split_last()?;
        (*end == b'\n').then_some((json, crc, next))
    }
}
