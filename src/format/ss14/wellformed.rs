//! Whether a file is YAML throughout, also where the index does not look.
//!
//! Lines of the plain kind, which is nearly all that files of the game have, are told by their indentation, their first
//! letters and where their colon stands, in one pass. Where a file has others, a YAML library reads all of it once.

use std::ops::Range;

use super::legacy;
use super::overhang::overhang;
use super::scanner::{indent_of, key, scalar, uncommented};
use crate::format::FormatError;

/// Checks a file that the index understood; answers where a line stands that the index took for something else. `known` are lists of which it has read every byte, each from the start of a line
/// to that of another, in their order.
///
/// # Errors
/// [`FormatError::Syntax`] where it is no YAML or nested beyond reason; [`FormatError::Unsupported`] for endless aliases.
pub(super) fn check(bytes: &[u8], known: &[Range<usize>]) -> Result<Option<usize>, FormatError> {
    if is_plain(bytes, known) {
        return Ok(None);
    }
    legacy::check(bytes)?;
    Ok(overhang(bytes))
}

/// A list or a mapping that lines belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    column: usize,
    is_list: bool,
}

/// Whether every line is of the plain kind and indented as its neighbors ask for.
fn is_plain(bytes: &[u8], known: &[Range<usize>]) -> bool {
    let mut lines = Lines { levels: vec![], is_open: true, block: None, is_over: false };
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for list in known {
        let (Some(before), Some(text)) = (bytes.get(at..list.start), bytes.get(list.clone())) else { return false };
        if !lines.all(before) || !lines.list(indent_of(text)) {
            return false;
        }
        at = list.end;
    }
    bytes.get(at..).is_some_and(|rest| lines.all(rest))
}

/// Bytes that are looked at together: the compiler compares them many at a time.
const BLOCK: usize = 64;

/// What stands where in a line.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    start: usize,
    first_colon: usize,
    colons: u32,
    has_hash: bool,
}

/// The lines so far.
struct Lines {
    levels: Vec<Level>,
    /// Whether the line before leaves room for something nested.
    is_open: bool,
    /// The column that the text of a block is deeper than, and how far its first line is indented.
    block: Option<(usize, Option<usize>)>,
    /// Whether the end of the document was met.
    is_over: bool,
}

impl Lines {
    /// Takes whole lines; whether they are plain.
    fn all(&mut self, bytes: &[u8]) -> bool {
        let mut line = Marks::default();
        let (mut returns, mut breaks, mut odd, mut all) = (0_usize, 0_usize, 0_u8, 0_u8);
        let mut blocks = bytes.chunks_exact(BLOCK);
        let mut last = [b' '; BLOCK];
        last.iter_mut().zip(blocks.remainder()).for_each(|(to, from)| *to = *from);
        // The file's last line may lack its break.
        if let Some(end) = last.get_mut(blocks.remainder().len()) {
            *end = b'\n';
        }
        for (number, block) in blocks.by_ref().filter_map(|block| block.first_chunk()).chain([&last]).enumerate() {
            let mut marks = [0_u8; BLOCK];
            let mut returns_here = 0_u8;
            for (mark, byte) in marks.iter_mut().zip(block) {
                *mark = u8::from(*byte == b'\n') | u8::from(*byte == b':') | u8::from(*byte == b'#');
                returns_here += u8::from(*byte == b'\r');
                odd |= (u8::from(*byte < b' ') & u8::from(*byte != b'\n') & u8::from(*byte != b'\r')) | u8::from(*byte == 0x7f);
                all |= *byte;
            }
            returns += usize::from(returns_here);
            for (word, eight) in marks.as_chunks::<8>().0.iter().enumerate() {
                let mut eight = u64::from_le_bytes(*eight);
                while eight != 0 {
                    let at = number * BLOCK + word * 8 + eight.trailing_zeros() as usize / 8;
                    eight &= eight - 1;
                    match bytes.get(at) {
                        Some(b':') => {
                            line.first_colon = if line.colons == 0 { at } else { line.first_colon };
                            line.colons += 1;
                        }
                        Some(b'#') => line.has_hash = true,
                        _ => {
                            let mut text = bytes.get(line.start..at.min(bytes.len())).unwrap_or_default();
                            if let [rest @ .., b'\r'] = text {
                                text = rest;
                                breaks += 1;
                            }
                            if !self.line(text, &line) {
                                return false;
                            }
                            line = Marks { start: at + 1, ..Marks::default() };
                        }
                    }
                }
            }
        }
        odd == 0 && returns == breaks && (all.is_ascii() || is_printed(bytes))
    }

    /// Takes a list in that column, with all that is in it.
    fn list(&mut self, column: usize) -> bool {
        let fits = self.block.is_none() && !self.is_over && enter(&mut self.levels, Level { column, is_list: true }, self.is_open);
        self.is_open = false;
        fits
    }

    /// Takes a line without its break; whether it is plain.
    #[inline]
    fn line(&mut self, line: &[u8], marks: &Marks) -> bool {
        let indent = indent_of(line);
        let Some(text) = line.get(indent..).filter(|text| !text.is_empty()) else { return true };
        if let Some((column, first)) = self.block {
            if indent > column {
                self.block = Some((column, first.or(Some(indent))));
                // What is less deep than the first line is left to the library.
                return first.is_none_or(|first| indent >= first);
            }
            self.block = None;
        }
        // What takes more than a glance is taken apart by `any`.
        if marks.has_hash || marks.colons > 1 || self.is_over {
            return self.any(text, indent);
        }
        let (is_list, rest) = match text {
            [b'-', b' ', rest @ ..] => (true, rest),
            _ => (false, text),
        };
        if !rest.first().is_some_and(|first| first.is_ascii_alphanumeric()) {
            return self.any(text, indent);
        }
        let value = if marks.colons == 1 {
            match line.get(marks.first_colon + 1 - marks.start..) {
                Some([b' ', value @ ..]) => value,
                Some([]) => &[],
                _ => return self.any(text, indent),
            }
        } else if is_list {
            rest
        } else {
            return false;
        };
        let is_scalar = match *value {
            [] => false,
            [b'-', second, ..] if second != b' ' => true,
            [first, ..] if first.is_ascii_alphanumeric() => true,
            _ => return self.any(text, indent),
        };
        let level = Level { column: indent, is_list };
        if self.levels.last() != Some(&level) && !enter(&mut self.levels, level, self.is_open) {
            return false;
        }
        if is_list && marks.colons == 1 {
            self.levels.push(Level { column: indent + 2, is_list: false });
        }
        self.is_open = !is_scalar;
        true
    }

    /// Takes a line of any kind.
    fn any(&mut self, text: &[u8], indent: usize) -> bool {
        let text = text.trim_ascii_end();
        if text.is_empty() || text.starts_with(b"#") {
            return true;
        }
        if self.is_over {
            return false;
        }
        if indent == 0 && (text.starts_with(b"---") || text.starts_with(b"...")) {
            // One document, which may be marked at both ends.
            self.is_over = text == b"...";
            return self.is_over || (text == b"---" && self.levels.is_empty());
        }
        let (mut at, mut is_first) = (0, true);
        let value = loop {
            let rest = text.get(at..).unwrap_or_default();
            let is_list = rest.first() == Some(&b'-') && rest.get(1).is_none_or(|second| *second == b' ');
            let level = Level { column: indent + at, is_list };
            if !is_first {
                self.levels.push(level);
            } else if !enter(&mut self.levels, level, self.is_open) {
                return false;
            }
            is_first = false;
            if is_list {
                at += 1 + indent_of(rest.get(1..).unwrap_or_default());
                let rest = text.get(at..).unwrap_or_default();
                if rest.is_empty() || (!rest.starts_with(b"- ") && rest != b"-" && key(rest).is_none()) {
                    break rest;
                }
            } else {
                let Some((key, value)) = key(rest) else { return false };
                // A quote that a key begins with is to be closed in it.
                let is_open = matches!(key.first(), Some(b'"' | b'\'')) && scalar(key).is_none();
                // Nor does it hold the beginning of a comment.
                if is_open || uncommented(key) != key {
                    return false;
                }
                break rest.get(value..).unwrap_or_default();
            }
        };
        self.is_open = match kind(value) {
            Kind::Nothing => true,
            Kind::Scalar => false,
            Kind::Block => {
                // The text of a block is deeper than what it belongs to.
                self.block = Some((self.levels.last().map_or(0, |level| level.column), None));
                false
            }
            Kind::Other => return false,
        };
        true
    }
}

/// Whether a text is UTF-8 without characters that YAML forbids or takes for line breaks.
fn is_printed(bytes: &[u8]) -> bool {
    let is_odd = |char: char| {
        (char.is_control() && !matches!(char, '\n' | '\r'))
            || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
    };
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(is_odd))
}

/// Goes to the list or mapping that a line belongs to; whether there is one.
fn enter(levels: &mut Vec<Level>, level: Level, is_open: bool) -> bool {
    let Some(last) = levels.last().copied() else {
        levels.push(level);
        return true;
    };
    // The items of a list may stand in the column of their key.
    let is_list_of_key = level.is_list && !last.is_list && level.column == last.column;
    if level.column > last.column || is_list_of_key {
        levels.push(level);
        return is_open;
    }
    while levels.last().is_some_and(|last| last.column > level.column || (last.column == level.column && *last != level)) {
        levels.pop();
    }
    levels.last() == Some(&level)
}

/// What stands after a key or a dash.
enum Kind {
    Nothing,
    Scalar,
    Block,
    /// Brackets, aliases and whatever else takes a closer look.
    Other,
}

fn kind(value: &[u8]) -> Kind {
    let value = match value.first() {
        // A tag, and what it is put on.
        Some(b'!') => {
            let (tag, rest) = value.split_at(value.iter().position(|byte| *byte == b' ').unwrap_or(value.len()));
            if !tag.iter().skip(1).all(|byte| byte.is_ascii_alphanumeric() || b":_.-".contains(byte)) {
                return Kind::Other;
            }
            rest
        }
        _ => value,
    };
    let value = uncommented(value.trim_ascii_start());
    match value.first() {
        None => Kind::Nothing,
        Some(b'|' | b'>') if value.iter().skip(1).all(|byte| b"+-123456789".contains(byte)) => Kind::Block,
        Some(b'[' | b'{') if matches!(value, b"[]" | b"{}") => Kind::Scalar,
        Some(b'"' | b'\'') if scalar(value).is_some() => Kind::Scalar,
        // No list begins behind a key.
        Some(b'-') if value.get(1).is_none_or(|second| *second == b' ') => Kind::Other,
        Some(b'[' | b'{' | b']' | b'}' | b'"' | b'\'' | b'*' | b'&' | b'!' | b'%' | b'@' | b'`' | b',' | b'?' | b'|' | b'>') => Kind::Other,
        Some(_) => {
            let has_colon = memchr::memchr_iter(b':', value).any(|at| value.get(at + 1).is_none_or(|next| *next == b' '));
            let is_text = value.iter().all(|byte| *byte >= b' ' && *byte != 0x7f);
            if has_colon || !is_text { Kind::Other } else { Kind::Scalar }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_files_need_no_library_and_others_are_judged_by_it() {
        #[track_caller]
        fn checks(text: &str, plain: bool, good: bool) {
            let is_yaml = serde_yaml::from_str::<serde_yaml::Value>(text).is_ok();
            assert_eq!(is_plain(text.as_bytes(), &[]), plain, "{text:.60}");
            assert_eq!((check(text.as_bytes(), &[]).is_ok(), is_yaml), (good, good), "{text:.60}");
        }
        for format in 2..=7 {
            checks(&super::super::tests::map(format), true, true);
        }
        checks("a:\n- b: 1\n  c: !type:X\n    d: {}\n-   - e\n    - f: 'it''s' # g\ng: |\n  [ {\n  - x\nh: !type:Y []\n", true, true);
        checks("---\na: 1\r\nb:\r\n  c: \u{e4}\n\n  # no\n  d: 2 # no\n  \n...\n", true, true);
        checks("a: |\n  # text\n   - b: c: d\n\n  [\n- e", false, false);
        checks("a: 1\rb: 2\n", false, true);
        checks("a: \u{feff}b\n", false, true);
        checks("a: b\u{2028}c\n", false, false);
        checks("a: \u{1}b\n", false, false);
        checks("a:\tb\n", false, true);
        checks("a: 1\n...\nb: [\n", false, false);
        checks("a: 1\n---\nb: 2\n", false, false);
        checks("a: !|b\n", false, false);
        checks("a: >-\n    b\n  c\nd: e\n", false, false);
        checks("a #: b\n", false, true);
        checks("c: d\na #: b\n", false, false);
        checks("a:\n  - b #: c\n", false, true);
        checks("a: -\n", false, false);
        checks("a: - b\n", false, false);
        checks("\" a: b\nc: d\n", false, false);
        checks("\"a\": b\n'c d': -e\n", true, true);
        checks("a: |b\n", false, false);
        checks("a: >-2\n    b\n", true, true);
        checks("a: [1, {b: 2}]\nc: &x 1\nd: *x\ne: \"two\n  lines\"\n", false, true);
        checks("a: plain text\n  that goes on\n", false, true);
        checks("a: 1\n  b: 2\n", false, false);
        checks("a:\n    b: 1\n  c: 2\n", false, false);
        checks("a:\n  b: 1\n  - c\n", false, false);
        checks("a: b: c\n", false, false);
        checks("a: \"b\n", false, false);
        checks("a: [\n", false, false);
        checks("a: ]\n", false, false);
        checks("a: *nothing\n", false, false);
        checks("a: 'b' c\n", false, false);
        checks("a\nb: 1\n", false, false);
    }
}
