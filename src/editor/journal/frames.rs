//! The frames of a journal's file: one line each, with its length and checksum, so that damage is found.

use serde::{Deserialize, Serialize};

use super::{JournalEntry, JournalHeader};

/// Bytes of a frame before its JSON.
const PREFIX_BYTES: usize = 18;

/// One line: length, CRC, JSON.
pub(in crate::editor) fn frame(value: &impl Serialize) -> Vec<u8> {
    // Commands and headers are plain data: nothing in them has no JSON. An empty frame would read as damage.
    let json = serde_json::to_vec(value).unwrap_or_default();
    let mut line = format!("{:08x} {:08x} ", json.len(), crc32fast::hash(&json)).into_bytes();
    line.extend(json);
    line.push(b'\n');
    line
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
}

/// Reads a journal up to its end or to the first damage; `None` if not even its header is whole.
pub fn read_journal(bytes: &[u8]) -> Option<JournalContent> {
    let (header, mut offset) = next_frame::<JournalHeader>(bytes, 0)?;
    let mut entries = vec![];
    while let Some((entry, next)) = next_frame(bytes, offset) {
        entries.push(entry);
        offset = next;
    }
    Some(JournalContent { header, entries, damage: (offset < bytes.len()).then_some(offset) })
}

/// The frame at `offset` and the offset of the one after it.
pub(in crate::editor) fn next_frame<T: for<'de> Deserialize<'de>>(bytes: &[u8], offset: usize) -> Option<(T, usize)> {
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
    if !is_framed || crc32fast::hash(json) != crc {
        return None;
    }
    Some((serde_json::from_slice(json).ok()?, offset + PREFIX_BYTES + length + 1))
}
