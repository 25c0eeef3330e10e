//! The frames of a journal's file: one line each, with its length and checksum, so that damage is found.
//!
//! The header stands there twice, each in disk blocks of its own: damage to one of the two loses nothing. The checksum of an entry covers all JSON since the
//! header, so that a line that is missing, doubled or out of its place is found like a flipped bit.

use serde::{Deserialize, Serialize};

use super::{JournalEntry, JournalHeader};

/// Bytes of a frame before its JSON.
const PREFIX_BYTES: usize = 18;
/// Bytes that a disk writes, and loses, at once. The headers fill whole ones, so that neither shares its last one with anything else.
const BLOCK_BYTES: usize = 4096;
/// How journals are laid out that are begun now. Those of layout 0 have one header and checksums of single lines.
pub(super) const LAYOUT: u32 = 1;

/// One line on its own: length, CRC-32, JSON.
pub(in crate::editor) fn frame(value: &impl Serialize) -> Vec<u8> {
    frame_after(0, value, 0).0
}

/// A line whose checksum goes on from another, with blanks at its end, and its checksum.
fn frame_after(last: u32, value: &impl Serialize, blanks: usize) -> (Vec<u8>, u32) {
    // Commands and headers are plain data: nothing in them has no JSON. An empty frame would read as damage.
    let mut json = serde_json::to_vec(value).unwrap_or_default();
    json.resize(json.len() + blanks, b' ');
    let crc = checksum(last, &json);
    let mut line = format!("{:08x} {crc:08x} ", json.len()).into_bytes();
    line.extend(json);
    line.push(b'\n');
    (line, crc)
}

fn checksum(last: u32, json: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(last);
    hasher.update(json);
    hasher.finalize()
}

/// Makes the lines of one journal, one after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameWriter {
    last: u32,
    header: u32,
    entries: usize,
}

impl FrameWriter {
    /// The lines that a journal begins with.
    pub(super) fn begin(header: &JournalHeader) -> (Vec<u8>, Self) {
        let header = JournalHeader { layout: LAYOUT, ..header.clone() };
        // Blanks at the end, which JSON takes, fill the last block of each.
        let length = frame_after(0, &header, 0).0.len();
        let (line, last) = frame_after(0, &header, length.next_multiple_of(BLOCK_BYTES) - length);
        (line.repeat(2), Self { last, header: last, entries: 0 })
    }

    /// The place after the lines that were made.
    pub(super) fn mark(&self) -> JournalMark {
        JournalMark { header: self.header, entries: self.entries, last: self.last }
    }

    /// The line of the next entry.
    pub(super) fn entry(&mut self, entry: &JournalEntry) -> Vec<u8> {
        let (line, last) = frame_after(self.last, entry, 0);
        self.last = last;
        self.entries += 1;
        line
    }
}

/// What a journal says, up to its end or to the first damage.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalContent {
    /// The first frame.
    pub header: JournalHeader,
    /// The steps.
    pub entries: Vec<JournalEntry>,
    /// Where the damage begins, in bytes; `None` if all is whole.
    pub damage: Option<usize>,
    /// The checksum of the header and of each entry as they were read; what is added or taken away later is not among them.
    pub(in crate::editor) checksums: Vec<u32>,
}

/// A place in a journal: what nobody else's has in common with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalMark {
    /// Checksum of the header.
    header: u32,
    /// Entries before the place.
    entries: usize,
    /// Checksum up to there.
    last: u32,
}

impl JournalMark {
    /// Entries of the journal before the place.
    pub fn entries(&self) -> usize {
        self.entries
    }
}

impl JournalContent {
    /// The place after so many entries; `None` where fewer were read.
    pub fn mark(&self, entries: usize) -> Option<JournalMark> {
        Some(JournalMark { header: *self.checksums.first()?, entries, last: *self.checksums.get(entries)? })
    }

    /// Whether the place is one of this journal. Of one behind its end, which was cut off or is damaged, only the header tells.
    pub fn has(&self, mark: &JournalMark) -> bool {
        let is_last = |last: &u32| *last == mark.last;
        self.checksums.first() == Some(&mark.header) && self.checksums.get(mark.entries).is_none_or(is_last)
    }
}

/// Most entries that a journal of so many bytes holds.
pub fn most_entries(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX) / PREFIX_BYTES
}

/// Reads a journal up to its end or to the first damage; `None` if no header of it is whole.
pub fn read_journal(bytes: &[u8]) -> Option<JournalContent> {
    // Where the first header is damaged, the second one stands somewhere behind it.
    let (header, end, mut last) = (0..bytes.len()).find_map(|at| next_frame_after::<JournalHeader>(bytes, at, 0))?;
    let is_chained = header.layout >= LAYOUT;
    let (mut entries, mut checksums) = (vec![], vec![last]);
    let (mut offset, is_twice) = if is_chained { after_headers(bytes, end, last) } else { (end, true) };
    while let Some((entry, next, crc)) = next_frame_after(bytes, offset, if is_chained { last } else { 0 }) {
        entries.push(entry);
        checksums.push(crc);
        (offset, last) = (next, crc);
    }
    // One that ends before its second header was cut: it is begun with both.
    let is_cut = entries.is_empty() && !is_twice;
    Some(JournalContent { header, entries, damage: (offset < bytes.len() || is_cut).then_some(offset), checksums })
}

/// Where the first entry stands behind a header that is whole: a damaged one may lie between. Entries are known by their
/// checksum, which goes on from the header's. Also whether the other header is whole.
fn after_headers(bytes: &[u8], end: usize, header: u32) -> (usize, bool) {
    let is_entry = |at: &usize| next_frame_after::<JournalEntry>(bytes, *at, header).is_some();
    // As a rule the same header once more, or, where the first one is damaged, nothing.
    let second = next_frame_after::<JournalHeader>(bytes, end, 0).map(|(_, next, _)| next);
    if let Some(at) = second.into_iter().chain([end]).find(is_entry) {
        return (at, second.is_some());
    }
    // Longer or shorter than it was, but not by much.
    let far = bytes.len().min(end.saturating_mul(4));
    ((end..far).find(is_entry).or(second).unwrap_or(end), second.is_some())
}

/// The frame at `offset` that stands on its own, and the offset of the one after it.
pub(in crate::editor) fn next_frame<T: for<'de> Deserialize<'de>>(bytes: &[u8], offset: usize) -> Option<(T, usize)> {
    next_frame_after(bytes, offset, 0).map(|(value, next, _)| (value, next))
}

/// The frame at `offset` whose checksum goes on from another, the offset of the one after it, and its checksum.
fn next_frame_after<T: for<'de> Deserialize<'de>>(bytes: &[u8], offset: usize, last: u32) -> Option<(T, usize, u32)> {
    let rest = bytes.get(offset..)?;
    let number = |text: &[u8]| {
        let text = std::str::from_utf8(text).ok()?;
        // Exactly as written: a flipped bit that makes a capital letter is damage, too.
        let number = u32::from_str_radix(text, 16).ok()?;
        (format!("{number:08x}") == text).then_some(number)
    };
    let length = usize::try_from(number(rest.get(..8)?)?).ok()?;
    let crc = number(rest.get(9..17)?)?;
    let json = rest.get(PREFIX_BYTES..PREFIX_BYTES.checked_add(length)?)?;
    let is_framed = rest.get(8) == Some(&b' ') && rest.get(17) == Some(&b' ') && rest.get(PREFIX_BYTES + length) == Some(&b'\n');
    if !is_framed || checksum(last, json) != crc {
        return None;
    }
    Some((serde_json::from_slice(json).ok()?, offset + PREFIX_BYTES + length + 1, crc))
}
