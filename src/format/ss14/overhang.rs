//! Quoted texts and brackets that go on in lines which are indented like keys.
//!
//! YAML wants what belongs to a key to be deeper than it, and so does the index, which tells lines by their
//! indentation. YAML libraries are less strict within quotes and brackets: a line there may look like a key of something else.

use super::scanner::{closing_quote, indent_of, key};

/// The first line, by its offset, that goes on with a quoted text or a bracket and is no deeper than what these belong to.
///
/// Lines of nothing but closing brackets are taken for what everybody writes.
pub(super) fn overhang(bytes: &[u8]) -> Option<usize> {
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    // The column that the text of a block is deeper than.
    let mut block = None;
    while let Some(line) = line_at(bytes, at) {
        let indent = indent_of(line);
        let next = at + line.len();
        let text = line.trim_ascii();
        if text.is_empty() || block.is_some_and(|column| indent > column) || text.starts_with(b"#") {
            at = next;
            continue;
        }
        let (column, value) = value_of(line, indent);
        block = None;
        let end = match line.get(value) {
            Some(b'|' | b'>') => {
                block = Some(column);
                next
            }
            Some(b'"' | b'\'') => at + value + quoted_len(bytes.get(at + value..)?)?,
            Some(b'[' | b'{') => at + value + bracket_len(bytes.get(at + value..)?)?,
            _ => next,
        };
        let mut inside = next;
        while inside < end {
            let line = line_at(bytes, inside)?;
            let text = line.trim_ascii();
            let is_closing = text.iter().all(|byte| b"]},".contains(byte));
            if !is_closing && indent_of(line) <= column {
                return Some(inside);
            }
            inside += line.len();
        }
        at = inside.max(next);
    }
    None
}

/// The line that begins there, with its break; `None` at the end.
fn line_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    bytes.get(at..)?.split_inclusive(|byte| *byte == b'\n').next()
}

/// Where the value of a line begins, behind dashes, a key and what is put on it, and the column of what it belongs to.
fn value_of(line: &[u8], indent: usize) -> (usize, usize) {
    let (mut at, mut column) = (indent, indent);
    let rest = |at: usize| line.get(at..).unwrap_or_default();
    while let [b'-', b' ' | b'\r' | b'\n', ..] | [b'-'] = rest(at) {
        column = at;
        at += 1 + indent_of(rest(at + 1));
    }
    if let Some((_, value)) = key(rest(at).trim_ascii_end()) {
        column = at;
        at += value;
    }
    // Tags and anchors.
    while let [b'!' | b'&', ..] = rest(at) {
        at += rest(at).iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(rest(at).len());
        at += indent_of(rest(at));
    }
    (column, at)
}

/// Length of the quoted text that bytes begin with.
fn quoted_len(bytes: &[u8]) -> Option<usize> {
    let pair: &[u8] = if bytes.starts_with(b"'") { b"''" } else { b"\\" };
    closing_quote(bytes, |rest| rest.starts_with(pair))
}

/// Length of the brackets that bytes begin with.
fn bracket_len(bytes: &[u8]) -> Option<usize> {
    let (mut at, mut depth, mut before) = (0, 0_usize, b' ');
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            // Within a word it is a letter.
            b'"' | b'\'' if b"[{,: \t\r\n".contains(&before) => at += quoted_len(bytes.get(at..)?)? - 1,
            b'#' if before.is_ascii_whitespace() => at += memchr::memchr(b'\n', bytes.get(at..)?)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
        before = byte;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_beside_its_key_is_found() {
        #[track_caller]
        fn check(text: &str, line: Option<usize>) {
            let found = overhang(text.as_bytes()).map(|at| text[..at].matches('\n').count() + 1);
            assert_eq!(found, line, "{text}");
        }
        check("a:\n  - b: \"one\n    two\"\n    c: 1\n", Some(3));
        check("a:\n  - b: \"one\n      two\"\n    c: 1\n", None);
        check("a: 'it''s\nb: 1'\nc: 2\n", Some(2));
        check("a: \"\\\"\n b: 1\nc: 2\"\n", Some(3));
        check("- - 'x\n  y'\n", Some(2));
        check("- - 'x\n   y'\n", None);
        check("- !type:A &x \"x\n\n\n   y\"\nb: 'c\nd'", Some(6));
        check("a: {b: 1,\nc: 2}\n", Some(2));
        check("  a: [1, # ] '\n   'b]\n   ',\n  ],\n  b: [\n    2\n  ]\n", None);
        check("  a: [it's,\n   b]\n  c: [it's,\n  d]\n", Some(4));
        check("a: |\n  'x\n [\n \"\nb: >-\n  \"\n\n  '\nc: 'd\ne'\n", Some(10));
        check("# 'a\na: b 'c\nd: 1 [\ne: \"f\" # '\ng: '\u{e4}' \r\nh: \"\r\n  i\"\r\n", None);
        check("a: 'never closed\nb: 1\n", None);
        check("\u{feff}a: '\nb'\n", Some(2));
        check("", None);
    }
}
