//! The chunks of a grid as they stand in the file: a list in format 2, a map inside the grid's entity later.

use std::collections::HashSet;
use std::ops::Range;

use super::index::{ONCE_CHUNK, Odd, Scan, Value, chunk_size};
use super::scanner::{Line, Scanner, key, pair, scalar};

/// Tiles are looked for no farther from the origin than this: the engine's own maps end long before.
pub(super) const MAX_REACH: i32 = 1 << 15;
/// Entities lie nearer to the origin than this many tiles: their digits before the point are at most six.
pub(super) const MAX_ENTITY_REACH: i32 = 1_000_000;

/// A chunk of tiles in the file.
#[derive(Clone, Debug)]
pub(super) struct ChunkSpan {
    /// Its place, in chunks; y north.
    pub at: [i32; 2],
    /// Its lines.
    pub lines: Range<usize>,
    /// The base64 of its tiles.
    pub tiles: Range<usize>,
    /// Where a line after the tiles begins.
    pub after_tiles: usize,
    /// Its own version, which decides the bytes of a tile.
    pub version: Option<Value<u32>>,
    /// Its own side in tiles, if it names one.
    pub size: Option<u32>,
}

/// The chunks of a grid.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkList {
    pub chunks: Vec<ChunkSpan>,
    /// Whether they are a list (format 2), not a map.
    pub is_list: bool,
    /// Whether places are quoted.
    pub is_quoted: bool,
    /// Spaces before a chunk, and before what it holds.
    pub indent: usize,
    pub inner_indent: usize,
    /// What follows `chunks:` on its line, such as `{}`; and the end of that line's text. All 0 where the
    /// line is missing.
    pub head_value: Range<usize>,
    pub line_end: usize,
    /// Where another chunk can be inserted: a line's start.
    pub end: usize,
}

impl ChunkList {
    /// A grid whose component has no `chunks:` at all: they go to `end`.
    pub fn missing(component_indent: usize, end: usize) -> Self {
        Self { indent: component_indent + 2, inner_indent: component_indent + 4, end, ..Self::default() }
    }

    /// A section without `chunks:`, whose keys are indented so: a list of chunks goes to `end`.
    pub fn missing_in_section(indent: usize, end: usize) -> Self {
        Self { is_list: true, is_quoted: true, ..Self::missing(indent, end) }
    }

    /// Makes it a list where the file does not say what it is.
    pub fn or_list(self) -> Self {
        if !self.chunks.is_empty() || !self.head_value.is_empty() {
            return self;
        }
        Self { is_list: true, is_quoted: true, indent: self.indent - 2, inner_indent: self.indent, ..self }
    }

    /// Whether there is a line `chunks:`.
    pub fn has_line(&self) -> bool {
        self.line_end > 0
    }
}

/// Reads the chunks after the line `chunks:`.
pub(super) fn scan(bytes: &[u8], head: Line) -> Scan<ChunkList> {
    let mut scanner = Scanner::new(bytes, head.next);
    let text = scanner.slice(head.text()..head.end);
    let value = key(text).map_or(text.len(), |(_, value)| value);
    let head_value = head.text() + value..head.end;
    let mut list = ChunkList {
        indent: head.indent + 2,
        inner_indent: head.indent + 4,
        head_value: head_value.clone(),
        line_end: head.end,
        end: head.next,
        ..ChunkList::default()
    };
    match scanner.slice(head_value.clone()) {
        b"" => {}
        b"{}" => return Ok(list),
        b"[]" => {
            (list.is_list, list.is_quoted, list.indent, list.inner_indent) = (true, true, head.indent, head.indent + 2);
            return Ok(list);
        }
        _ => return Err(Odd { at: head_value.start, expected: "chunks on lines of their own" }),
    }
    let is_below = |line: &Line| line.indent > head.indent || (line.indent == head.indent && line.is_item);
    let Some(first) = scanner.line().filter(is_below) else { return Ok(list) };
    (list.is_list, list.indent) = (first.is_item, first.indent);
    let mut places = HashSet::new();
    while let Some(line) = scanner.line().filter(is_below) {
        if line.indent != list.indent || line.is_item != list.is_list {
            return Err(Odd { at: line.text(), expected: "a chunk" });
        }
        let (chunk, inner_indent) = chunk(&mut scanner, line, &mut list.is_quoted)?;
        if !places.insert(chunk.at) {
            return Err(Odd { at: line.text(), expected: ONCE_CHUNK });
        }
        list.end = chunk.lines.end;
        list.inner_indent = inner_indent;
        list.chunks.push(chunk);
    }
    Ok(list)
}

fn chunk(scanner: &mut Scanner<'_>, head: Line, is_quoted: &mut bool) -> Scan<(ChunkSpan, usize)> {
    let odd = |line: &Line, expected| Odd { at: line.text(), expected };
    let mut at = None;
    let first = if head.is_item {
        let text = scanner.item_text(&head);
        Line { indent: text - head.start, is_item: false, ..head }
    } else {
        let (place, value) = key(scanner.slice(head.text()..head.end)).ok_or(odd(&head, "the place of a chunk"))?;
        if head.text() + value < head.end {
            return Err(odd(&head, "a chunk on lines of its own"));
        }
        *is_quoted = place.starts_with(b"\"");
        at = scalar(place).as_deref().and_then(pair);
        scanner.advance();
        scanner.line().filter(|line| line.indent > head.indent && !line.is_item).ok_or(odd(&head, "what the chunk holds"))?
    };
    let indent = first.indent;
    let (mut tiles, mut version, mut size, mut end) = (None, None, None, first.next);
    let mut after_tiles = first.next;
    let mut line = first;
    loop {
        let (name, value) = key(scanner.slice(line.text()..line.end)).ok_or(odd(&line, "a key of a chunk"))?;
        let value = line.text() + value..line.end;
        let text = scanner.slice(value.clone());
        match name {
            b"ind" => {
                let place = scalar(text).as_deref().and_then(pair).ok_or(odd(&line, "a place such as 0,-1"))?;
                if at.is_some_and(|at| at != place) {
                    return Err(odd(&line, "the same place as above"));
                }
                if head.is_item {
                    *is_quoted = text.starts_with(b"\"");
                }
                at = Some(place);
            }
            b"tiles" => {
                // Base64 needs no quotes, but may have them.
                let is_quoted =
                    text.len() > 1 && matches!((text.first(), text.last()), (Some(b'"'), Some(b'"')) | (Some(b'\''), Some(b'\'')));
                tiles = Some(if is_quoted { value.start + 1..value.end - 1 } else { value });
                after_tiles = line.next;
            }
            b"version" => {
                let number = scalar(text).and_then(|text| text.parse().ok()).ok_or(odd(&line, "a version number"))?;
                version = Some(Value { value: number, span: value });
            }
            b"size" => size = Some(scalar(text).and_then(|text| chunk_size(&text)).ok_or(odd(&line, "a chunk size of 1 to 64"))?),
            _ => {}
        }
        end = end.max(line.next);
        scanner.advance();
        match scanner.line().filter(|line| line.indent > head.indent) {
            Some(next) if next.indent == indent && !next.is_item => line = next,
            Some(next) => return Err(odd(&next, "a key of a chunk")),
            None => break,
        }
    }
    let at = at.ok_or(odd(&head, "a chunk with an ind:"))?;
    let tiles = tiles.ok_or(odd(&head, "a chunk with tiles:"))?;
    Ok((ChunkSpan { at, lines: head.start..end, tiles, after_tiles, version, size }, indent))
}
