//! Quoted texts and brackets that go on in lines which are indented like keys.
//!
//! YAML wants what belongs to a key to be deeper than it, and so does the index, which tells lines by their
//! indentation. YAML libraries are less strict within quotes and brackets: a line there may look like a key of something else.

use super::scanner::{closing_quote, indent_of, key, uncommented};

/// The first line, by its offset, that goes on with a quoted text or a bracket and is no deeper than what these belong to.
///
/// Lines of nothing but closing brackets are taken for what everybody writes.
pub(super) fn overhang(bytes: &[u8]) -> Option<usize> {
    let mut at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    // The column of the last key or dash, what its text is deeper than, and whether it is a text that may go on.
    let (mut owner, mut is_text, mut is_block) = (0, false, false);
    while let Some(line) = line_at(bytes, at) {
        let indent = indent_of(line);
        let next = at + line.len();
        let text = line.trim_ascii();
        let (column, value) = value_of(line, indent);
        let goes_on = column.is_none() && is_text && indent > owner;
        if text.is_empty() || (is_block && indent > owner) || goes_on || text.starts_with(b"#") {
            at = next;
            continue;
        }
        // Keys and values that are marked, and tabs behind them: what belongs to those is not told by indentation alone.
        let head = line.split(|byte| b"\"'[{#".contains(byte)).next().unwrap_or_default();
        let has_tab = [&b":\t"[..], b"-\t"].iter().any(|tab| memchr::memmem::find(head, tab).is_some());
        let is_odd = has_tab || matches!(text, [b'?' | b':', b' ' | b'\t', ..] | [b'?']);
        if is_odd {
            return Some(at);
        }
        owner = column.unwrap_or(owner);
        (is_text, is_block) = (false, false);
        // What is never closed there ends with its line: the library has seen that it is YAML.
        let rest = bytes.get(at + value..).unwrap_or_default();
        let length = match line.get(value) {
            Some(b'"' | b'\'') => quoted_len(rest),
            Some(b'[' | b'{') => bracket_len(rest),
            first => {
                is_block = matches!(first, Some(b'|' | b'>'));
                is_text = !is_block && line.get(value..).is_some_and(|value| !uncommented(value.trim_ascii()).is_empty());
                None
            }
        };
        let end = length.map_or(next, |length| at + value + length);
        let mut inside = next;
        while inside < end {
            let line = line_at(bytes, inside)?;
            let text = line.trim_ascii();
            let is_closing = text.iter().all(|byte| b"]},".contains(byte)) || text.starts_with(b"#");
            if !is_closing && indent_of(line) <= owner {
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

/// The column of the last dash or key of a line, if it has one, and where its value begins, behind what is put on that.
fn value_of(line: &[u8], indent: usize) -> (Option<usize>, usize) {
    let (mut at, mut column) = (indent, None);
    let rest = |at: usize| line.get(at..).unwrap_or_default();
    while let [b'-', b' ' | b'\r' | b'\n', ..] | [b'-'] = rest(at) {
        column = Some(at);
        at += 1 + indent_of(rest(at + 1));
    }
    let text = rest(at).trim_ascii_end();
    let value = match text.first() {
        // A quoted text is a key where a colon follows it.
        Some(b'"' | b'\'') => quoted_len(text).and_then(|end| {
            let colon = end + indent_of(text.get(end..)?);
            let behind = text.get(colon..)?.strip_prefix(b":")?;
            (behind.is_empty() || behind.starts_with(b" ")).then(|| colon + 1 + indent_of(behind))
        }),
        _ => key(text).map(|(_, value)| value),
    };
    if let Some(value) = value {
        column = Some(at);
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
        before = if byte == b'#' { bytes.get(at - 1).copied()? } else { byte };
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
        // On a line of its own a text belongs to the key before it; a text that goes on is none that begins.
        check("a:\n  b:\n    \"one\n    two\"\n  c: 1\n", None);
        check("a:\n  b:\n    \"one\n  c: 1\"\n", Some(4));
        check("a: b\n  'tis so\nc:\n- d: 'e\n  f'\n", Some(5));
        check("a: b\n  'c\nd'\n", None);
        check("- \"a: b\n- type: 'c'\n  d: e\"\n", Some(2));
        check("\"k: x\": \"v\nw\"\n", Some(2));
        check("'k' : 'v\n  w'\n'l':x\n", None);
        check("a: [b, # c\n# 'd\n  'e\n  f']\n", None);
        check("a: !t # \"\n  \"b\nc\"\n", Some(3));
        check("a: &x # c\n  \"b\n  c\"\n", None);
        check("a:\n  ? b\n  : \"c\n  d\"\n", Some(2));
        check("a:\n  b:\t\"c\nd\"\n", Some(2));
        check("a:\n  b: 1\n  ? c\n  : \"d\n  e\"\n", Some(3));
        check("a:\n  b: 1\n  c:\t\"d\n  e\"\n", Some(3));
        check("a:\n  b: is it so\n    ? or not\n  c: 1\n", None);
        check("a: \"b:\tc\"\nb: |\n  ? x\n  :\ty\n", None);
        check("a: 'never closed\nb: 1\n", None);
        check("\u{feff}a: '\nb'\n", Some(2));
        check("", None);
    }
}
