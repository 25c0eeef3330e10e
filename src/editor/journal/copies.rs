//! What a journal is made anew from when somebody removes or cuts its files while its map is open: its lines, and the copies beside it.

use std::path::{Path, PathBuf};

use super::{Begun, JournalContent, JournalError, JournalMark, read_journal};
use crate::editor::storage::{ContentHash, Storage, StorageAction, clear_way, copy_source, folder_of};
use crate::format::Source;

/// Longest journal whose lines are kept in memory, too. A longer one comes back from its open file: as long as that is not cut.
pub(super) const KEPT_BYTES: u64 = 16 << 20;

/// Whose the file is that lies at the path of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// What was written here, or the beginning of it.
    Ours,
    /// That, as far as it can be read.
    Nobodys,
    /// Steps that others wrote are in it.
    Others,
}

/// What lies in the folder of the journals, as it can be had again.
#[derive(Default)]
pub(super) struct Copies {
    /// The whole lines; `None` where they are too many.
    lines: Option<Vec<u8>>,
    /// The journal's own file, where it was lost and the lines are not at hand.
    file: Option<Box<dyn Source>>,
    base: Vec<BaseCopy>,
}

/// A file beside the journal that its steps start from.
struct BaseCopy {
    path: PathBuf,
    hash: ContentHash,
    /// Open from the beginning: whoever removes the file does not take it from us.
    source: Box<dyn Source>,
}

impl Copies {
    /// Of a journal that has just begun with so many bytes.
    pub(super) fn of(storage: &dyn Storage, journal: &Path, len: u64, begun: &Begun) -> Self {
        let copies = begun.base.iter().filter_map(|(name, hash)| {
            let path = folder_of(journal).join(name.0.file_name()?);
            // One that is missing already is none that somebody removed meanwhile.
            Some(BaseCopy { source: storage.open(&path).ok()?, path, hash: *hash })
        });
        let base = copies.collect();
        let lines = storage.read(journal, KEPT_BYTES).ok().filter(|bytes| bytes.len() as u64 == len).map(|bytes| bytes.to_vec());
        Self { lines, file: None, base }
    }

    /// Notes a line that is in the file.
    pub(super) fn push(&mut self, line: &[u8]) {
        if let Some(lines) = &mut self.lines {
            lines.extend(line);
        }
        self.lines.take_if(|lines| lines.len() as u64 > KEPT_BYTES);
    }

    /// The journal was lost, and this is what its file holds, which has no name any more.
    pub(super) fn take_file(&mut self, file: impl FnOnce() -> Option<Box<dyn Source>>) {
        if self.lines.is_none() {
            self.file = file().or(self.file.take());
        }
    }

    /// The journal is at its path.
    pub(super) fn drop_file(&mut self) {
        self.file = None;
    }

    /// The first bytes of the journal, which hold so many entries.
    pub(super) fn lines(&self, len: u64, entries: u64) -> Result<Vec<u8>, JournalError> {
        if let Some(lines) = &self.lines {
            return Ok(lines.clone());
        }
        let read = |file: &dyn Source| {
            let mut lines = vec![0; usize::try_from(len).ok()?];
            file.read_at(0, &mut lines).ok()?;
            let content = read_journal(&lines)?;
            (content.damage.is_none() && content.entries.len() as u64 == entries).then_some(lines)
        };
        self.file.as_deref().and_then(read).ok_or(JournalError::Lost)
    }

    /// Whose that is at the path of the journal, of which `len` bytes are written, up to `place`, and after them perhaps a part of `line`.
    pub(super) fn whose(&self, bytes: &[u8], len: usize, line: &[u8], place: Option<&JournalMark>) -> Whose {
        let (lines, rest) = bytes.split_at(bytes.len().min(len));
        let ends_at = |content: JournalContent, place: &JournalMark| content.mark(place.entries()).as_ref() == Some(place);
        let are_lines = match (&self.lines, place) {
            (Some(own), _) => own.starts_with(lines),
            (None, Some(place)) => lines.is_empty() || read_journal(lines).is_some_and(|content| ends_at(content, place)),
            (None, None) => true,
        };
        if are_lines && line.starts_with(rest) {
            return Whose::Ours;
        }
        // Zeros and torn pages are nobody's steps.
        let Some(content) = read_journal(bytes) else { return Whose::Nobodys };
        let end = content.damage.unwrap_or(bytes.len()).min(bytes.len());
        let (lines, rest) = bytes[..end].split_at(end.min(len));
        let is_shorter = |place: &JournalMark| content.entries.len() < place.entries() && content.has(place);
        let are_ours = match (&self.lines, place) {
            (Some(own), _) => own.starts_with(lines),
            (None, Some(place)) => is_shorter(place) || ends_at(content.clone(), place),
            (None, None) => true,
        };
        if are_ours && line.starts_with(rest) && !content.is_newer { Whose::Nobodys } else { Whose::Others }
    }

    /// As if there were too many lines for memory.
    #[cfg(test)]
    pub(super) fn forget_lines(&mut self) {
        self.lines = None;
    }

    /// Whether the copies beside the journal are there, at a glance.
    pub(super) fn has_base(&self, storage: &dyn Storage) -> bool {
        self.base.iter().all(|copy| storage.info(&copy.path).is_ok_and(|info| info.len == copy.source.len()))
    }

    /// Writes those of the copies anew that are not what they were; where the map's cannot be had from here, `again` makes all of
    /// them as they were made first, if it can. A file beside the map that cannot be had again is given up: the map comes back without it.
    ///
    /// # Errors
    /// If the disk does not take them, or they cannot be had again.
    pub(super) fn mend_base(
        &mut self,
        storage: &dyn Storage,
        again: impl FnOnce() -> Result<(), JournalError>,
    ) -> Result<(), JournalError> {
        let is_whole = |copy: &BaseCopy| {
            let source = storage.open(&copy.path).ok();
            source.and_then(|source| ContentHash::of_source(&*source).ok()) == Some(copy.hash)
        };
        // Each is looked at once: they may be long.
        let mut lost = vec![];
        for copy in self.base.iter().filter(|copy| !is_whole(copy)) {
            clear_way(storage, &copy.path)?;
            match copy_source(storage, &*copy.source, &copy.path, &copy.path) {
                Ok(hash) if hash == copy.hash => {}
                Err(error) if error.action != StorageAction::Read => return Err(error.into()),
                // It was cut under us, or overwritten.
                Ok(_) | Err(_) => lost.push(copy),
            }
        }
        let is_map = |copy: &&BaseCopy| copy.path.extension() == Some("base".as_ref());
        if !lost.iter().any(is_map) {
            let lost: Vec<PathBuf> = lost.into_iter().map(|copy| copy.path.clone()).collect();
            for path in &lost {
                tracing::warn!("{} was changed and cannot be had again", path.display());
            }
            self.base.retain(|copy| !lost.contains(&copy.path));
            return Ok(());
        }
        match again() {
            Err(JournalError::Storage(error)) if !error.is_not_found() => return Err(error.into()),
            // Whether they are what they were is seen now.
            _ => {}
        }
        if lost.into_iter().filter(is_map).all(is_whole) { Ok(()) } else { Err(JournalError::Lost) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::journal::FrameWriter;
    use crate::editor::journal::tests::{entries, header};
    use crate::editor::storage::StoredPath;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::format::MemorySource;

    #[test]
    fn a_long_journal_comes_back_from_its_open_file_unless_that_was_changed() {
        let (mut bytes, mut frames) = FrameWriter::begin(&header()).unwrap();
        entries()[..3].iter().for_each(|entry| bytes.extend(frames.entry(entry).unwrap()));
        let (whole, line) = (bytes.len() as u64, frames.entry(&entries()[3]).unwrap());
        let lines = |bytes: Vec<u8>, entries| {
            let mut copies = Copies::default();
            copies.take_file(|| Some(Box::new(MemorySource(bytes.into()))));
            copies.lines(whole, entries)
        };
        assert_eq!(lines([&*bytes, &*line].concat(), 3).unwrap(), bytes, "without the line that was just being written");
        assert!(matches!(lines(bytes.clone(), 2), Err(JournalError::Lost)));
        // It was cut, and then that line was written.
        assert!(matches!(lines([&bytes[..bytes.len() - 9], &*line].concat(), 3), Err(JournalError::Lost)));
        assert!(matches!(lines(bytes[..8200].to_vec(), 3), Err(JournalError::Lost)));
        assert!(matches!(Copies::default().lines(whole, 3), Err(JournalError::Lost)));
    }

    #[test]
    fn lines_beyond_what_memory_may_hold_are_let_go() {
        let storage = FaultyStorage::with(&[("s/a.journal", b"12345")]);
        let (frames, base) = (FrameWriter::begin(&header()).unwrap().1, vec![(StoredPath("a.base".into()), ContentHash::of(b""))]);
        let begun = Begun { lines: None, frames, base };
        let mut copies = Copies::of(&storage, Path::new("s/a.journal"), 5, &begun);
        assert!(copies.base.is_empty(), "it was never there");
        copies.push(b"6");
        assert_eq!(copies.lines(6, 1).unwrap(), b"123456");
        copies.push(&vec![b' '; KEPT_BYTES as usize]);
        assert!(copies.lines.is_none() && copies.lines(6, 1).is_err());
    }

    #[test]
    fn copies_that_were_overwritten_are_made_as_they_were_first_or_given_up() {
        let storage = FaultyStorage::with(&[("s/a.journal", b""), ("s/a.base", b"mep")]);
        let base = vec![(StoredPath("a.base".into()), ContentHash::of(b"map"))];
        let begun = Begun { lines: None, frames: FrameWriter::begin(&header()).unwrap().1, base };
        let mut copies = Copies::of(&storage, Path::new("s/a.journal"), 0, &begun);
        assert!(matches!(copies.mend_base(&storage, || Err(JournalError::Lost)), Err(JournalError::Lost)));
        let again = || {
            storage.put("s/a.base", b"map");
            Ok(())
        };
        copies.mend_base(&storage, again).unwrap();
        storage.put("s/a.base", b"");
        assert!(!copies.has_base(&storage));
    }

    #[test]
    fn a_file_beside_the_map_that_cannot_be_had_again_costs_nothing_but_itself() {
        let storage = FaultyStorage::with(&[("s/a.journal", b""), ("s/a.base", b"map"), ("s/a.txt", b"cut")]);
        let base =
            [("a.base", &b"map"[..]), ("a.txt", b"name = 'a'")].map(|(name, bytes)| (StoredPath(name.into()), ContentHash::of(bytes)));
        let begun = Begun { lines: None, frames: FrameWriter::begin(&header()).unwrap().1, base: base.into() };
        let mut copies = Copies::of(&storage, Path::new("s/a.journal"), 0, &begun);
        let again = || panic!("what is made anew from a map that was saved since takes the place of the copy");
        copies.mend_base(&storage, again).unwrap();
        assert_eq!((storage.get("s/a.base").as_deref(), copies.base.len()), (Some(&b"map"[..]), 1));
        assert!(copies.has_base(&storage));
    }
}
