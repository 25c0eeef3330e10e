//! Lines of a YAML file with their indentation, and the scalars on them: all of YAML that map files use.
//!
//! Nothing is copied and nothing is built: callers ask for lines and keep byte spans. Block text, comments
//! and whatever is nested deeper than a caller looks are passed over by indentation.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memrchr};

/// Eight spaces.
const SPACES: u64 = u64::from_le_bytes([b' '; 8]);

/// A line that holds something. Offsets count from the start of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// Where the line begins.
    pub start: usize,
    /// Number of spaces before its text.
    pub indent: usize,
    /// Where its text ends, without blanks and the line break.
    pub end: usize,
    /// Where the next line begins.
    pub next: usize,
    /// Whether it begins with a dash that makes it an item of a list.
    pub is_item: bool,
}

impl Line {
    /// Where the text begins.
    pub fn text(&self) -> usize {
        self.start + self.indent
    }
}

/// Walks over the lines that hold something.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    line: Option<Line>,
    end: usize,
}

/// The keys of a mapping: their first bytes, and where they stand.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<(u64, usize)>);

impl Keys {
    /// Takes a key that begins at an offset; notes it in `doubled` if it was there, and nothing was doubled before.
    #[inline]
    fn note(&mut self, bytes: &[u8], at: usize, doubled: &mut Option<usize>) {
        /// Components have some ten keys at most; looking at each pair of thousands takes too long.
        const MOST_KEYS: usize = 64;
        const COLONS: u64 = u64::from_le_bytes([b':'; 8]);
        const LOW: u64 = u64::from_le_bytes([1; 8]);
        let Some(head) = bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|head| u64::from_le_bytes(*head)) else { return };
        // What stands behind the colon is no key: the lowest byte that is one.
        let colons = (head ^ COLONS).wrapping_sub(LOW) & !(head ^ COLONS) & (LOW << 7);
        let head = if colons == 0 { head } else { head & (1_u64 << (colons.trailing_zeros() & !7)).wrapping_sub(1) };
        let key = |at: usize| bytes.get(at..).and_then(|rest| rest.get(..rest.iter().position(|byte| matches!(byte, b':' | b'\n'))?));
        let is_same =
            |other: &(u64, usize)| other.0 == head && key(other.1) == key(at) && !matches!(head as u8, b'-' | b'#' | b'\r' | b'\n');
        if doubled.is_none() && self.0.iter().any(is_same) {
            *doubled = Some(at);
        } else if self.0.len() < MOST_KEYS {
            self.0.push((head, at));
        }
    }
}

impl<'a> Scanner<'a> {
    /// Begins with the first line at or after `at`, which is the start of a line.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        let mut scanner = Self { bytes, line: None, end: bytes.len() };
        scanner.go_to(at);
        scanner
    }

    /// The line that is looked at; `None` after the last one and after the end mark `...`.
    pub fn line(&self) -> Option<Line> {
        self.line
    }

    /// Where the line that is looked at begins; after the last one, where the document ends.
    pub fn at(&self) -> usize {
        self.line.map_or(self.end, |line| line.start)
    }

    /// Goes on to the next line.
    pub fn advance(&mut self) {
        if let Some(line) = self.line {
            self.go_to(line.next);
        }
    }

    /// Passes over lines that are indented by at least `indent`, those of a mapping whose keys are indented so, and whose
    /// first key is at `first`. Answers where one of its keys stands a second time.
    pub fn skip_keys(&mut self, indent: usize, first: usize, keys: &mut Keys) -> Option<usize> {
        keys.0.clear();
        let mut doubled = None;
        keys.note(self.bytes, first, &mut doubled);
        // Most lines of a file are passed over here: eight bytes tell that one is indented deeply enough.
        let mask = if (1..8).contains(&indent) { (1_u64 << (8 * indent)) - 1 } else { 0 };
        while let Some(line) = self.line.filter(|line| line.indent >= indent) {
            let mut next = line.next;
            if line.indent == indent {
                keys.note(self.bytes, line.start + indent, &mut doubled);
            }
            while mask != 0
                && let Some(rest) = self.bytes.get(next..)
                && let Some(eight) = rest.first_chunk()
                && (u64::from_le_bytes(*eight) ^ SPACES) & mask == 0
                && let Some(length) = memchr(b'\n', rest)
            {
                if rest.get(indent).is_some_and(u8::is_ascii_alphabetic) {
                    keys.note(self.bytes, next + indent, &mut doubled);
                }
                next += length + 1;
            }
            self.go_to(next);
        }
        doubled
    }

    /// Passes over what is nested in the key of the line before, which was indented by `indent`: deeper
    /// lines, and the items of a list that are indented as the key is.
    pub fn skip_nested(&mut self, indent: usize) {
        while self.line.is_some_and(|line| line.indent > indent || (line.indent == indent && line.is_item)) {
            self.advance();
        }
    }

    /// The whole file.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Length of the file.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of the file; nothing where the range reaches out of it.
    pub fn slice(&self, range: Range<usize>) -> &'a [u8] {
        self.bytes.get(range).unwrap_or_default()
    }

    /// Where the text after an item's dash begins.
    pub fn item_text(&self, line: &Line) -> usize {
        let after = line.text() + 1;
        after + indent_of(self.slice(after..line.end))
    }

    /// Goes to the first line at or after `start`, which is the start of a line.
    #[inline]
    pub fn go_to(&mut self, mut start: usize) {
        self.line = loop {
            let Some(rest) = self.bytes.get(start..).filter(|rest| !rest.is_empty()) else { break None };
            let length = memchr(b'\n', rest);
            let next = start + length.map_or(rest.len(), |length| length + 1);
            let mut end = start + length.unwrap_or(rest.len());
            while end > start && matches!(self.bytes.get(end - 1), Some(b'\r' | b' ' | b'\t')) {
                end -= 1;
            }
            let indent = indent_of(rest).min(end - start);
            let text = rest.get(indent..end - start).unwrap_or_default();
            let Some(&first) = text.first().filter(|first| **first != b'#') else {
                start = next;
                continue;
            };
            // With more behind it, it is a key as any other.
            let is_mark = |mark: &[u8]| text.starts_with(mark) && text.get(3).is_none_or(u8::is_ascii_whitespace);
            if indent == 0 && first == b'.' && is_mark(b"...") {
                self.end = start;
                break None;
            }
            if indent == 0 && first == b'-' && is_mark(b"---") {
                start = next;
                continue;
            }
            let is_item = first == b'-' && text.get(1).is_none_or(|second| *second == b' ');
            break Some(Line { start, indent, end, next, is_item });
        };
    }
}

/// Number of spaces that a text begins with.
#[inline]
pub(super) fn indent_of(text: &[u8]) -> usize {
    let mut indent = 0;
    // Eight at a time: most lines are indented by less.
    while let Some(eight) = text.get(indent..).and_then(|rest| rest.first_chunk()) {
        let other = u64::from_le_bytes(*eight) ^ SPACES;
        if other != 0 {
            return indent + other.trailing_zeros() as usize / 8;
        }
        indent += 8;
    }
    indent + text.get(indent..).unwrap_or_default().iter().take_while(|byte| **byte == b' ').count()
}

/// The key that a text begins with, and where its value begins, both from the start of the text.
pub(super) fn key(text: &[u8]) -> Option<(&[u8], usize)> {
    if !text.first().is_some_and(|first| first.is_ascii_alphanumeric() || matches!(first, b'_' | b'-' | b'"' | b'\'')) {
        return None;
    }
    let mut from = 0;
    loop {
        let colon = from + memchr(b':', text.get(from..)?)?;
        match text.get(colon + 1) {
            None => return Some((text.get(..colon)?, colon + 1)),
            Some(b' ') => return Some((text.get(..colon)?, colon + 1 + indent_of(text.get(colon + 1..)?))),
            Some(_) => from = colon + 1,
        }
    }
}

/// What stands behind a key such as `pos: `, without further blanks before it.
#[inline]
pub(super) fn value_of<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let value = text.strip_prefix(key)?;
    value.get(indent_of(value)..)
}

/// What a scalar says. `None` where it is none, or more than a line holds of it.
pub(super) fn scalar(text: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(uncommented(text)).ok()?;
    match text.bytes().next() {
        Some(b'&' | b'*' | b'!' | b'|' | b'>' | b'{' | b'[' | b'%' | b'@' | b'`') => None,
        Some(b'\'') => {
            let inner = text.strip_prefix('\'')?.strip_suffix('\'').filter(|_| text.len() > 1)?;
            let is_whole = !inner.replace("''", "").contains('\'');
            is_whole.then(|| if inner.contains('\'') { inner.replace("''", "'").into() } else { inner.into() })
        }
        Some(b'"') => {
            let inner = text.strip_prefix('"')?.strip_suffix('"').filter(|_| text.len() > 1)?;
            if inner.contains(['\\', '"']) { unescaped(inner).map(Cow::Owned) } else { Some(inner.into()) }
        }
        _ => Some(text.into()),
    }
}

/// Where lines end without the comments at their end that are indented by `indent` at most: those belong to what follows. Deeper
/// ones may be block text.
pub(super) fn before_comments(bytes: &[u8], lines: Range<usize>, indent: usize) -> usize {
    let (mut at, mut end) = (lines.end, lines.end);
    while at > lines.start {
        let before = bytes.get(lines.start..at - 1).unwrap_or_default();
        let start = lines.start + memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let line = bytes.get(start..at).unwrap_or_default();
        let text = line.trim_ascii();
        match text.first() {
            None => {}
            Some(b'#') if indent_of(line) <= indent => end = start,
            Some(_) => break,
        }
        at = start;
    }
    end
}

/// A scalar without the comment that follows it on its line.
pub(super) fn uncommented(text: &[u8]) -> &[u8] {
    if memchr(b'#', text).is_none() {
        return text.trim_ascii_end();
    }
    let end = match text.first() {
        Some(b'#') => return &[],
        Some(b'\'') => closing_quote(text, |rest| rest.starts_with(b"''")),
        Some(b'"') => closing_quote(text, |rest| rest.starts_with(b"\\")),
        _ => None,
    };
    let rest = end.and_then(|end| text.get(end..)).unwrap_or(text);
    let comment = rest.windows(2).position(|two| matches!(two, b" #" | b"\t#"));
    let kept = end.unwrap_or(0) + comment.unwrap_or(rest.len());
    text.get(..kept).unwrap_or(text).trim_ascii_end()
}

/// Where a quoted text ends, after its quote; pairs that `is_pair` knows are passed over.
pub(super) fn closing_quote(text: &[u8], is_pair: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let quote = text.first()?;
    let mut at = 1;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        at += match rest.first() {
            _ if is_pair(rest) => 2,
            Some(byte) if byte == quote => return Some(at + 1),
            _ => 1,
        };
    }
    None
}

/// The part of a value that is its text: without a comment and without quotes. For what needs no escapes.
pub(super) fn inner(text: &[u8]) -> Range<usize> {
    let text = uncommented(text);
    match text {
        [b'\'', .., b'\''] | [b'"', .., b'"'] => 1..text.len() - 1,
        _ => 0..text.len(),
    }
}

/// The text of a double-quoted scalar. `None` if it goes on after a quote.
fn unescaped(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        let digits = match char {
            '"' => return None,
            '\\' => match chars.next()? {
                'n' => {
                    text.push('\n');
                    continue;
                }
                't' => {
                    text.push('\t');
                    continue;
                }
                'r' => {
                    text.push('\r');
                    continue;
                }
                '0' => {
                    text.push('\0');
                    continue;
                }
                'x' => 2,
                'u' => 4,
                'U' => 8,
                other => {
                    text.push(other);
                    continue;
                }
            },
            other => {
                text.push(other);
                continue;
            }
        };
        let digits: String = chars.by_ref().take(digits).collect();
        text.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)?);
    }
    Some(text)
}

/// A text as a scalar: plain where that is safe, else in double quotes.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" _-.()/+".contains(&byte))
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_plain {
        return text.into();
    }
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            _ if char.is_control() || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                quoted.push_str(&format!("\\u{:04X}", u32::from(char)));
            }
            _ => quoted.push(char),
        }
    }
    quoted + "\""
}

/// Two whole numbers `x,y`.
pub(super) fn pair(text: &str) -> Option<[i32; 2]> {
    let (x, y) = text.split_once(',')?;
    Some([x.trim().parse().ok()?, y.trim().parse().ok()?])
}

/// The line of an offset, from 1.
pub(super) fn line_number(bytes: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', bytes.get(..at).unwrap_or(bytes)).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_by_their_indentation() {
        let text = b"a: 1\r\n\r\n# no\n          deep: 2\n  - item\n   # no\n...\nafter: 1\n";
        let mut scanner = Scanner::new(text, 0);
        let mut seen = vec![];
        while let Some(line) = scanner.line() {
            seen.push((line.indent, std::str::from_utf8(scanner.slice(line.text()..line.end)).unwrap(), line.is_item));
            scanner.advance();
        }
        assert_eq!(seen, [(0, "a: 1", false), (10, "deep: 2", false), (2, "- item", true)]);
        assert_eq!(line_number(text, 13), 4);
    }

    #[test]
    fn scalars_are_read_in_every_style_that_fits_on_a_line() {
        #[track_caller]
        fn check(text: &str, expected: Option<&str>) {
            assert_eq!(scalar(text.as_bytes()).as_deref(), expected, "{text}");
        }
        check("FloorSteel", Some("FloorSteel"));
        check("FloorSteel # no", Some("FloorSteel"));
        check("'a # b' # no", Some("a # b"));
        check("\"a \\\" # b\"  # no", Some("a \" # b"));
        check("'it''s # '' it' # 'no'", Some("it's # ' it"));
        check("'it''s'", Some("it's"));
        check("'it's'", None);
        check(r#""a \"b\" \u00e4\n""#, Some("a \"b\" ä\n"));
        check(r#""a" b""#, None);
        check("\"", None);
        check("'", None);
        check("*alias", None);
        check("", Some(""));
    }

    #[test]
    fn quoted_texts_read_back() {
        for text in ["Plating", "VXL slice", "", "no", "1", "a: b", "it's \"x\"", "\u{7}\n\\", "ä", " x", "x ", "- x", "#x", "x #y", "~"] {
            let quoted = quoted(text);
            assert_eq!(scalar(quoted.as_bytes()).as_deref(), Some(text), "{quoted}");
            let parsed: String = serde_yaml::from_str(&quoted).unwrap();
            assert_eq!(parsed, text, "{quoted}");
        }
    }

    #[test]
    fn keys_end_at_a_colon_before_a_blank() {
        assert_eq!(key(b"pos: 1,2"), Some((&b"pos"[..], 5)));
        assert_eq!(key(b"-1,0:"), Some((&b"-1,0"[..], 5)));
        assert_eq!(key(b"time: 12:30:45"), Some((&b"time"[..], 6)));
        assert_eq!(key(b"a:b"), None);
        assert_eq!(key(b"{a: b}"), None);
    }
}
