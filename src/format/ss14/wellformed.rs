//! Whether a file is YAML throughout, also where the index does not look.
//!
//! Lines of the plain kind, which is all that files of the game have, are told by their indentation and their first
//! letters, in one pass. Where a file has others, a YAML library reads all of it once.

use super::legacy;
use super::scanner::{Scanner, key, scalar, uncommented};
use crate::format::FormatError;

/// Checks a file that the index understood.
///
/// # Errors
/// [`FormatError::Syntax`] where it is no YAML or nested beyond reason; [`FormatError::Unsupported`] for endless aliases.
pub(super) fn check(bytes: &[u8]) -> Result<(), FormatError> {
    if is_plain(bytes) { Ok(()) } else { legacy::check(bytes) }
}

/// A list or a mapping that lines belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Level {
    column: usize,
    is_list: bool,
}

/// Whether every line is of the plain kind and indented as its neighbors ask for.
fn is_plain(bytes: &[u8]) -> bool {
    let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut scanner = Scanner::new(bytes, start);
    let mut levels: Vec<Level> = vec![];
    // Whether the line before leaves room for something nested.
    let mut is_open = true;
    while let Some(line) = scanner.line() {
        let (mut at, mut is_first) = (line.text(), true);
        let value = loop {
            let text = scanner.slice(at..line.end);
            let is_list = text.first() == Some(&b'-') && text.get(1).is_none_or(|second| *second == b' ');
            let level = Level { column: at - line.start, is_list };
            if !is_first {
                levels.push(level);
            } else if !enter(&mut levels, level, is_open) {
                return false;
            }
            is_first = false;
            if is_list {
                let spaces = text.iter().skip(1).take_while(|byte| **byte == b' ').count();
                at += 1 + spaces;
                let rest = scanner.slice(at..line.end);
                if rest.is_empty() || (key(rest).is_none() && !rest.starts_with(b"- ") && rest != b"-") {
                    break rest;
                }
            } else {
                let Some((_, value)) = key(text) else { return false };
                break text.get(value..).unwrap_or_default();
            }
        };
        is_open = match kind(value) {
            Kind::Nothing => true,
            Kind::Scalar => false,
            Kind::Block => {
                // The text of a block is deeper than what it belongs to.
                let column = levels.last().map_or(0, |level| level.column);
                scanner.advance();
                while scanner.line().is_some_and(|line| line.indent > column) {
                    scanner.advance();
                }
                is_open = false;
                continue;
            }
            Kind::Other => return false,
        };
        scanner.advance();
    }
    true
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
        Some(b'!') => value.iter().position(|byte| *byte == b' ').map_or(&[][..], |space| value.get(space..).unwrap_or_default()),
        _ => value,
    };
    let value = uncommented(value.trim_ascii_start());
    match value.first() {
        None => Kind::Nothing,
        Some(b'|' | b'>') => Kind::Block,
        Some(b'[' | b'{') if matches!(value, b"[]" | b"{}") => Kind::Scalar,
        Some(b'"' | b'\'') if scalar(value).is_some() => Kind::Scalar,
        Some(b'[' | b'{' | b']' | b'}' | b'"' | b'\'' | b'*' | b'&' | b'!' | b'%' | b'@' | b'`' | b',' | b'?') => Kind::Other,
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
            assert_eq!(is_plain(text.as_bytes()), plain, "{text:.60}");
            assert_eq!((check(text.as_bytes()).is_ok(), is_yaml), (good, good), "{text:.60}");
        }
        for format in 2..=7 {
            checks(&super::super::tests::map(format), true, true);
        }
        checks("a:\n- b: 1\n  c: !type:X\n    d: {}\n-   - e\n    - f: 'it''s' # g\ng: |\n  [ {\n  - x\nh: !type:Y []\n", true, true);
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
