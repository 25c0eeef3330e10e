//! The frames of a journal's file: one line each, with its length and checksum, so that damage is found.
//!
//! The header stands there twice, each in disk blocks of its own: damage to one of the two loses nothing. The checksum of an entry covers all JSON since the
//! header, so that a line that is missing, doubled or out of its place is found like a flipped bit.

use std::io;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::entries::{Entries, EntryKind, Window};
use super::{JournalEntry, JournalHeader};
use crate::edit::COMMAND_VERSION;
use crate::editor::storage::{ContentHash, StoredPath};
use crate::format::{MemorySource, Source};

/// Bytes of a frame before its JSON.
pub(super) const PREFIX_BYTES: usize = 18;
/// Bytes that a disk writes, and loses, at once. The headers fill whole ones, so that neither shares its last one with anything else.
const BLOCK_BYTES: usize = 4096;
/// How journals are laid out that are begun now. Those of layout 0 have one header and checksums of single lines.
pub(super) const LAYOUT: u32 = 1;
/// The layout of those that do not lead to their map without its origin, which earlier versions do not read.
const LAYOUT_OF_ORIGIN: u32 = 2;

/// One line on its own: length, CRC-32, JSON.
///
/// # Errors
/// If the value has no JSON.
pub(in crate::editor) fn frame(value: &impl Serialize) -> io::Result<Vec<u8>> {
    Ok(frame_after(0, value, 0)?.0)
}

/// A line whose checksum goes on from another, with blanks at its end, and its checksum.
fn frame_after(last: u32, value: &impl Serialize, blanks: usize) -> io::Result<(Vec<u8>, u32)> {
    // Commands and headers are plain data. Should there be something that has no JSON, it is not kept, which is told.
    let mut json = serde_json::to_vec(value)?;
    json.resize(json.len() + blanks, b' ');
    let crc = checksum(last, &json);
    let mut line = format!("{:08x} {crc:08x} ", json.len()).into_bytes();
    line.extend(json);
    line.push(b'\n');
    Ok((line, crc))
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
    ///
    /// # Errors
    /// If the header has no JSON.
    pub(super) fn begin(header: &JournalHeader) -> io::Result<(Vec<u8>, Self)> {
        let layout = if header.origin.is_some() { LAYOUT_OF_ORIGIN } else { LAYOUT };
        let header = JournalHeader { layout, ..header.clone() };
        // Blanks at the end, which JSON takes, fill the last block of each.
        let length = frame_after(0, &header, 0)?.0.len();
        let (line, last) = frame_after(0, &header, length.next_multiple_of(BLOCK_BYTES) - length)?;
        Ok((line.repeat(2), Self { last, header: last, entries: 0 }))
    }

    /// Goes on behind the lines of a journal; `None` where it has to be written anew, because some of what is in it does not count,
    /// or it is laid out in an older way.
    pub(super) fn behind(journal: &JournalContent) -> Option<Self> {
        let is_whole = journal.damage.is_none() && journal.is_of_today && journal.entries.is_all();
        let (header, last) = (*journal.checksums.first()?, *journal.checksums.last()?);
        is_whole.then(|| Self { last, header, entries: journal.entries.len() })
    }

    /// The place after the lines that were made.
    pub(super) fn mark(&self) -> JournalMark {
        JournalMark { header: self.header, entries: self.entries, last: self.last }
    }

    /// The line of the next entry.
    ///
    /// # Errors
    /// If it has no JSON: the next entry goes on from the one before.
    pub(super) fn entry(&mut self, entry: &JournalEntry) -> io::Result<Vec<u8>> {
        let (line, last) = frame_after(self.last, entry, 0)?;
        self.last = last;
        self.entries += 1;
        Ok(line)
    }
}

/// What a journal says, up to its end or to the first damage. Its entries stay in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalContent {
    /// The first frame.
    pub header: JournalHeader,
    /// The steps.
    pub entries: Entries,
    /// Where the damage begins, in bytes; `None` if all is whole.
    pub damage: Option<usize>,
    /// Whether what stands there is no damage, but a whole entry of a kind that this Spadework does not know.
    pub is_newer: bool,
    /// When the last command was done, in seconds since 1970; `None` without one.
    pub last_at: Option<u64>,
    /// The checksum of the header and of each entry as they were read; what is added or taken away later is not among them.
    pub(in crate::editor) checksums: Arc<Vec<u32>>,
    /// Whether the header stands there twice, and lines are as they are written today.
    pub(in crate::editor) is_of_today: bool,
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
    /// Whether the map was read from another file than the one that it was to go to, and was not saved there yet.
    pub(crate) fn is_yet_to_be_written(&self) -> bool {
        self.header.from.is_some() && !self.entries.kinds().any(|kind| kind == EntryKind::Saved)
    }

    /// Of a journal that has lost its beginning, and with it every entry: what is made up for its header, and a place in it that is known.
    pub(in crate::editor) fn beheaded(source: Box<dyn Source>, header: JournalHeader, place: Option<JournalMark>) -> Self {
        Self {
            header,
            entries: Entries::new(source, vec![], vec![]),
            damage: Some(0),
            is_newer: false,
            last_at: None,
            checksums: Arc::new(place.into_iter().map(|place| place.header).collect()),
            is_of_today: false,
        }
    }

    /// Whether its beginning is lost: which file the map is of is not known.
    pub fn is_beheaded(&self) -> bool {
        // No entry stands there.
        self.damage == Some(0)
    }

    /// What is behind the entries, as half a sentence about the journal; `None` if they are all of it.
    pub fn damage_text(&self) -> Option<String> {
        damage_text(self.damage, self.is_newer)
    }

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

/// See [`JournalContent::damage_text`].
pub fn damage_text(damage: Option<usize>, is_newer: bool) -> Option<String> {
    let what = if is_newer { "of a newer Spadework" } else { "damaged" };
    damage.map(|offset| if offset == 0 { format!("{what} from its beginning") } else { format!("{what} from byte {offset} on") })
}

/// What the header of a journal says of itself, however it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct JournalVersion {
    /// Version of Spadework that wrote it.
    #[serde(default)]
    pub app: String,
    version: u32,
    #[serde(default)]
    layout: u32,
}

impl JournalVersion {
    /// Of the first header that is whole; `None` where none is.
    pub fn of(source: &dyn Source) -> Option<Self> {
        let head = source.head(HEAD_BYTES).ok()?;
        (0..head.len()).find_map(|at| next_frame(&head, at)).map(|(version, _)| version)
    }

    /// Whether this Spadework reads such a journal.
    pub fn is_known(&self) -> bool {
        self.version == COMMAND_VERSION && self.layout <= LAYOUT_OF_ORIGIN
    }
}

/// What the steps of a journal start from, as any version of Spadework says it.
#[derive(Deserialize)]
struct StartsFrom {
    base: Vec<(StoredPath, ContentHash)>,
}

/// The name, without its ending, of the copies that the steps of a journal start from, as its first header that is whole says, whatever
/// the journal is called; `None` where none is.
///
/// # Errors
/// If it cannot be read.
pub(super) fn named_copies_stem(source: &dyn Source) -> io::Result<Option<String>> {
    let stem_in = |head: &[u8]| {
        let (first, end, last) = (0..head.len()).find_map(|at| next_frame_after::<StartsFrom>(head, at, 0))?;
        // As in `begin_of`: the first one may be another journal's.
        let other = next_frame_after::<StartsFrom>(head, end, 0).filter(|(.., other)| *other != last);
        let goes_on = |end: usize, last: u32| next_frame_after::<serde::de::IgnoredAny>(head, end, last).is_some();
        let other = other.filter(|(_, end, last)| goes_on(*end, *last));
        let StartsFrom { base } = other.map_or(first, |(other, ..)| other);
        base_stem(&base).map(str::to_owned)
    };
    // Nearly all headers are short; those of stations may name thousands of tiles.
    match stem_in(&source.head(HEADERS_BYTES)?) {
        None if source.len() > HEADERS_BYTES as u64 => Ok(stem_in(&source.head(HEAD_BYTES)?)),
        stem => Ok(stem),
    }
}

/// The name, without its ending, of the copies that a header names.
pub(in crate::editor) fn base_stem(base: &[(StoredPath, ContentHash)]) -> Option<&str> {
    base.first()?.0.0.file_name()?.to_str()?.strip_suffix(".base").filter(|stem| !stem.is_empty())
}

/// Most entries that a journal of so many bytes holds.
pub fn most_entries(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX) / PREFIX_BYTES
}

/// Bytes of a journal in which its headers stand as a rule.
const HEADERS_BYTES: usize = 1 << 16;
/// Bytes of a journal in which its headers and its first entry nearly always end.
const HEAD_BYTES: usize = 1 << 20;
/// From what length on the entries of a journal are counted by their first and last letters, which a whole line cannot have wrong.
const LONG_BYTES: u64 = 16 << 20;

/// The first lines of a journal with that header.
#[cfg(test)]
pub(in crate::editor) fn first_lines(header: &JournalHeader) -> Vec<u8> {
    FrameWriter::begin(header).expect("it has JSON").0
}

/// As [`read_journal_of`], of bytes at hand.
pub fn read_journal(bytes: &[u8]) -> Option<JournalContent> {
    read_journal_of(Box::new(MemorySource(bytes.into())))
}

/// Reads a journal up to its end or to the first damage; `None` if no header of it is whole.
///
/// # Cost
/// Of memory about ten bytes an entry: none is kept.
pub fn read_journal_of(source: Box<dyn Source>) -> Option<JournalContent> {
    let is_long = source.len() > LONG_BYTES;
    read_journal_as(source, is_long)
}

fn read_journal_as(source: Box<dyn Source>, is_long: bool) -> Option<JournalContent> {
    let head = source.head(HEAD_BYTES).ok()?;
    let is_whole = head.len() as u64 == source.len();
    // Where the first entry is not among the first bytes, it may be a long one, or behind much damage.
    let begin = begin_of(&head).filter(|begin| is_whole || begin.has_entry);
    let begin = begin.or_else(|| if is_whole { None } else { begin_of(&source.bytes().ok()?) })?;
    drop(head);
    let Begin { header, mut last, offset, is_twice, .. } = begin;
    // Nobody wrote such a name: what lay there would be the folder itself.
    if header.base.iter().any(|(name, _)| name.0.file_name().is_none()) {
        return None;
    }
    let is_chained = header.layout >= LAYOUT;
    let (mut places, mut kinds, mut checksums, mut last_at) = (vec![], vec![], vec![last], None);
    let (mut window, mut offset, mut is_newer) = (Window::new(&*source), offset as u64, false);
    while let Some((json, crc, next)) = window.line(offset) {
        if checksum(if is_chained { last } else { 0 }, json) != crc {
            break;
        }
        let Some((kind, at)) = brief(json, is_long) else {
            // Whoever wrote it chained it to the entries before it.
            is_newer = is_chained;
            break;
        };
        let Ok(place) = u32::try_from(offset) else { break };
        places.push(place);
        kinds.push(kind);
        checksums.push(crc);
        last_at = last_at.max(at);
        (offset, last) = (next, crc);
    }
    drop(window);
    // One that ends before its second header was cut: it is begun with both.
    let is_cut = places.is_empty() && !is_twice;
    let damage = (offset < source.len() || is_cut).then(|| usize::try_from(offset).unwrap_or(usize::MAX));
    let is_of_today = is_chained && is_twice;
    let entries = Entries::new(source, places, kinds);
    Some(JournalContent { header, entries, damage, is_newer, last_at, checksums: Arc::new(checksums), is_of_today })
}

/// What an entry is, and when it was made.
fn brief(json: &[u8], is_long: bool) -> Option<(EntryKind, Option<u64>)> {
    if let Some(found) = is_long.then(|| command_at_a_glance(json)).flatten() {
        return Some(found);
    }
    let entry: JournalEntry = serde_json::from_slice(json).ok()?;
    let at = if let JournalEntry::Do { at, .. } = &entry { Some(*at) } else { None };
    Some((EntryKind::of(&entry), at))
}

/// The same of a command as this program writes it, by both of its ends.
fn command_at_a_glance(json: &[u8]) -> Option<(EntryKind, Option<u64>)> {
    let rest = json.strip_prefix(br#"{"do":{"command":{""#)?;
    let rest = rest.strip_suffix(b"}}")?;
    let digits = rest.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, digits) = rest.split_at(rest.len() - digits);
    let at = std::str::from_utf8(digits).ok()?.parse().ok().filter(|_| rest.ends_with(br#"},"at":"#))?;
    Some((EntryKind::Do, Some(at)))
}

/// How a journal begins.
struct Begin {
    header: JournalHeader,
    /// Its checksum.
    last: u32,
    /// Where the first entry stands, or would.
    offset: usize,
    has_entry: bool,
    /// Whether both headers are whole, where there are two.
    is_twice: bool,
}

fn begin_of(bytes: &[u8]) -> Option<Begin> {
    // Where the first header is damaged, the second one stands somewhere behind it.
    let (first, end) = begin_from(bytes, 0)?;
    // A whole one with which no entry goes on may be another journal's.
    let second = || begin_from(bytes, end).map(|(second, _)| second).filter(|second| second.has_entry && second.last != first.last);
    Some(if first.has_entry { first } else { second().unwrap_or(first) })
}

/// How a journal begins whose first header that counts is the first whole one from `from` on, and where that one ends.
fn begin_from(bytes: &[u8], from: usize) -> Option<(Begin, usize)> {
    let (header, end, last) = (from..bytes.len()).find_map(|at| next_frame_after::<JournalHeader>(bytes, at, 0))?;
    let is_chained = header.layout >= LAYOUT;
    let (offset, is_twice) = if is_chained { after_headers(bytes, end, last) } else { (end, true) };
    let has_entry = next_frame_after::<JournalEntry>(bytes, offset, if is_chained { last } else { 0 }).is_some();
    Some((Begin { header, last, offset, has_entry, is_twice }, end))
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
    let (length, crc) = framed(rest.get(..PREFIX_BYTES)?)?;
    let json = rest.get(PREFIX_BYTES..PREFIX_BYTES.checked_add(length)?)?;
    if rest.get(PREFIX_BYTES + length) != Some(&b'\n') || checksum(last, json) != crc {
        return None;
    }
    Some((serde_json::from_slice(json).ok()?, offset + PREFIX_BYTES + length + 1, crc))
}

/// The length and the checksum that a line begins with.
pub(super) fn framed(prefix: &[u8]) -> Option<(usize, u32)> {
    let number = |text: &[u8]| {
        let text = std::str::from_utf8(text).ok()?;
        // Exactly as written: a flipped bit that makes a capital letter is damage, too.
        let is_exact = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        u32::from_str_radix(text, 16).ok().filter(|_| is_exact)
    };
    let is_framed = prefix.get(8) == Some(&b' ') && prefix.get(17) == Some(&b' ');
    let length = usize::try_from(number(prefix.get(..8)?)?).ok()?;
    number(prefix.get(9..17)?).filter(|_| is_framed).map(|crc| (length, crc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Command;

    #[test]
    fn a_command_at_a_glance_is_what_it_is_as_a_whole() {
        let commands = [
            r##"{"set":{"at":[1,2,60],"color":"#ff8000"}}"##,
            r#"{"select":{"box":[[0,0,0],[9,9,9]]}}"#,
            r#"{"select":{"box":null}}"#,
            r#"{"select_where":{"masks":{"surface":true}}}"#,
            r#"{"select_lasso":{"outline":[[1,1],[5,5]]}}"#,
            r#"{"invert_selection":{}}"#,
            r#"{"grow_selection":{"by":2}}"#,
            r#"{"shrink_selection":{"by":2}}"#,
            r#"{"select_volume":{"volume":0}}"#,
            r#"{"set_masks":{"surface":true}}"#,
            r#"{"set_symmetry":{"kind":"mirror_x","center":[16,16]}}"#,
            r#"{"move_selection":{"by":[1,2,3]}}"#,
            r#"{"set_property":{"name":"\"},\"at\":7}}"}}"#,
        ];
        for text in commands {
            let command: Command = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let entry = JournalEntry::Do { command, at: 1_764_000_000 };
            let json = serde_json::to_vec(&entry).unwrap();
            assert_eq!(command_at_a_glance(&json), Some((EntryKind::of(&entry), Some(1_764_000_000))), "{text}");
            assert_eq!(brief(&json, true), brief(&json, false), "{text}");
        }
        for entry in [JournalEntry::Undo, JournalEntry::Redo, JournalEntry::Jump { to: 3 }, JournalEntry::Saving { number: 3 }] {
            let json = serde_json::to_vec(&entry).unwrap();
            assert_eq!(brief(&json, true), Some((EntryKind::of(&entry), None)));
        }
        for damaged in [&b"{}"[..], b"", b"{\"do\":{\"command\":{\"set\":{}},\"at\":}}"] {
            assert_eq!((command_at_a_glance(damaged), brief(damaged, true)), (None, None));
        }
    }
}
