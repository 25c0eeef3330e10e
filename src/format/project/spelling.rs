//! How the numbers of a project file are written, which only its text tells.

use std::collections::HashMap;

use serde_yaml::{Mapping, Value};

/// Numbers in a file that are written in another way from now on, as they are written then: `1.10` is 1.1.
pub(super) fn respelled(text: &str, file: &Mapping) -> Vec<String> {
    let plain = Plain::of(text);
    let mut words: HashMap<&str, usize> = HashMap::new();
    plain.words.iter().for_each(|word| *words.entry(word).or_default() += 1);
    let (mut found, mut values) = (vec![], file.iter().flat_map(|(key, value)| [key, value]).collect::<Vec<_>>());
    while let Some(value) = values.pop() {
        match value {
            Value::Number(number) => {
                let number = number.to_string();
                match words.get_mut(&*number) {
                    Some(left) if *left > 0 => *left -= 1,
                    // What stands there once may be meant twice.
                    Some(_) if plain.has_anchors => {}
                    _ => found.push(number),
                }
            }
            Value::Sequence(list) => values.extend(list),
            Value::Mapping(entries) => values.extend(entries.iter().flat_map(|(key, value)| [key, value])),
            Value::Tagged(tagged) => values.push(&tagged.value),
            Value::Null | Value::Bool(_) | Value::String(_) => {}
        }
    }
    found.sort();
    found
}

/// What stands in a YAML text that is neither a comment nor within quotes nor a block of text.
#[derive(Default)]
struct Plain<'a> {
    /// Each plain scalar, or what is of it on one line.
    words: Vec<&'a str>,
    /// Whether a value may be meant in several places.
    has_anchors: bool,
}

impl<'a> Plain<'a> {
    fn of(text: &'a str) -> Self {
        let mut plain = Self::default();
        // How many brackets are open: only within those, commas and brackets end a scalar. Where the line begins, and in which column of it
        // what a value belongs to: deeper lines go on with that. Whether a quoted scalar or a bracket ended just there.
        let (mut at, mut open, mut line, mut column, mut is_closed) = (0, 0_usize, 0, 0, false);
        while let Some(first) = text[at..].chars().next() {
            let rest = &text[at..];
            let is_after_closed = std::mem::take(&mut is_closed);
            let len = match first {
                '\n' | '\r' => {
                    line = at + 1;
                    1
                }
                '#' => end_of_line(rest),
                '"' | '\'' => {
                    let len = quoted(rest, first);
                    (column, is_closed) = (if is_key(&rest[len..]) { at - line } else { column }, true);
                    len
                }
                '[' | '{' => {
                    open += 1;
                    1
                }
                ']' | '}' => {
                    (open, is_closed) = (open.saturating_sub(1), true);
                    1
                }
                ',' => 1,
                // The marks of a document.
                '-' | '.'
                    if at == line && ["---", "..."].contains(&rest.get(..3).unwrap_or_default()) && is_followed_by_blank(&rest[3..]) =>
                {
                    3
                }
                ':' if open > 0 && is_after_closed => 1,
                '-' | '?' | ':' if is_followed_by_blank(&rest[1..]) => {
                    let is_own = first == '-' || text[line..at].trim_start_matches([' ', '-', '?']).is_empty();
                    column = if is_own && open == 0 { at - line } else { column };
                    1
                }
                '|' | '>' if open == 0 => {
                    let head = end_of_line(rest);
                    head + deeper(&rest[head..], column, true)
                }
                '&' | '!' | '*' => {
                    plain.has_anchors |= first == '&';
                    rest.find(|char: char| char.is_whitespace() || (open > 0 && is_flow(char))).unwrap_or(rest.len())
                }
                first if first.is_whitespace() => first.len_utf8(),
                _ => {
                    let len = scalar(rest, open > 0);
                    let word = rest[..len].trim_end();
                    let after = &rest[len..];
                    if open == 0 && is_key(after) {
                        column = at - line;
                    }
                    let goes_on = if open == 0 && after.starts_with(['\n', '\r']) { deeper(after, column, false) } else { 0 };
                    if goes_on == 0 {
                        plain.words.push(word);
                    }
                    len + goes_on
                }
            };
            at += len;
        }
        plain
    }
}

fn is_flow(char: char) -> bool {
    matches!(char, ',' | '[' | ']' | '{' | '}')
}

fn is_followed_by_blank(rest: &str) -> bool {
    rest.chars().next().is_none_or(char::is_whitespace)
}

/// Whether what follows a scalar makes it a key.
fn is_key(after: &str) -> bool {
    after.trim_start_matches([' ', '\t']).strip_prefix(':').is_some_and(is_followed_by_blank)
}

fn end_of_line(text: &str) -> usize {
    text.find(['\n', '\r']).unwrap_or(text.len())
}

/// Length of a quoted scalar, with its quotes. A doubled quote in single quotes is the end of one and the beginning of another.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    let is_end = |(_, char): &(usize, char)| {
        let ends = *char == quote && !escaped;
        escaped = quote == '"' && *char == '\\' && !escaped;
        ends
    };
    text.char_indices().skip(1).find(is_end).map_or(text.len(), |(at, _)| at + 1)
}

/// Length of a plain scalar on its line.
fn scalar(text: &str, is_in_flow: bool) -> usize {
    let mut before = ' ';
    let is_end = |(at, char): &(usize, char)| {
        let after = &text[at + char.len_utf8()..];
        let is_key = *char == ':' && (is_followed_by_blank(after) || (is_in_flow && after.starts_with(is_flow)));
        let is_comment = *char == '#' && before.is_whitespace();
        before = *char;
        *at > 0 && (matches!(char, '\n' | '\r') || is_key || is_comment || (is_in_flow && is_flow(*char)))
    };
    text.char_indices().find(is_end).map_or(text.len(), |(at, _)| at)
}

/// Length of the lines, from the end of one on, that go on with what began there: they are deeper than its column. Those of a block of text
/// may look like comments.
fn deeper(text: &str, column: usize, is_block: bool) -> usize {
    let mut at = 0;
    loop {
        let Some(end) = text[at..].strip_prefix("\r\n").or_else(|| text[at..].strip_prefix(['\n', '\r'])) else { return at };
        // Blank lines, be there spaces in them, belong to what follows them.
        let lines = end.trim_start();
        let lines = &end[end[..end.len() - lines.len()].rfind(['\n', '\r']).map_or(0, |at| at + 1)..];
        let depth = lines.len() - lines.trim_start_matches(' ').len();
        let is_comment = !is_block && lines[depth..].starts_with('#');
        if lines.len() == depth || depth <= column || is_comment {
            return at;
        }
        at = text.len() - lines.len() + end_of_line(lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_counts_as_it_stands_and_not_as_a_comment_or_a_text_has_it() {
        for (text, expected) in [
            ("a: 1.1\n", &[] as &[&str]),
            ("a: 1.10\n", &["1.1"]),
            ("# since 1.1\na: 1.10 # 1.1\n", &["1.1"]),
            ("# 1.1\na: 1.10\n", &["1.1"]),
            ("a: {b: 1.10, c: \"1.1\", d: '1.1''1.1', e: since 1.1}\n", &["1.1"]),
            ("a: 1.10\nb: me & you\nc: 1.1\n", &["1.1"]),
            ("a: &x 1.1\nb: *x\n", &[]),
            ("a: &x [1.1, 2]\nb: *x\nc: 1.10\n", &[]),
            ("a: |\n  1.1\n  1.1\nb: 1.10\nc: 2\n", &["1.1"]),
            ("- 1.1\n", &[]),
            ("a:\n- >-\n  1.1\n\n  x\n- 1.10\n- b: |\n    1.1\n  c: 3\n", &["1.1"]),
            ("a: [[1, 2], [3, -4]]\nb: {1: 2, -3: +4}\n", &["4"]),
            ("a: [1,2]\n\"b\": 3\nc: {x: 0x10, y: 1e3}\n", &["1000.0", "16"]),
            ("1.10: a\n1.1: b\n", &[]),
            ("a: 2024-01-05\nb: 1.2.3\nc: -1\nd: .5\n", &["0.5"]),
            ("a: \"x\\\"1.1\\\\\"\nb: 1.1\n", &[]),
            ("a: |", &[]),
            ("a: '1", &[]),
            ("{\"a\":5,\"b\":[1,{\"c\":1.10}],'d':7}", &["1.1"]),
            ("a: 1\rb: 1.10\rc: 3\r", &["1.1"]),
            ("--- {\"a\": 5, b: 1.10}\n...\n", &["1.1"]),
            ("%YAML 1.1\n--- \na: 5\n", &[]),
            ("a: 1\r\nb: 1.10\r\n# 1.1\r\nc: |\r\n  1.1\r\n\r\n  1.1\r\nd: 5\r\n", &["1.1"]),
            ("a: some text\n  'tis 1.1\n  1.1\nb: 1.10\nc: 3\n", &["1.1"]),
            ("- a: some\n   1.1\n  b: 1.10\n  c: 2\n-\n  d: 3\n", &["1.1"]),
            ("a:\n  some\n  1.1\nb:\n  1.10\nc: 4\n", &["1.1"]),
            ("own:\n  ? 8\n  : 9\n  ? 1.10\n  : - 7\n    - 3\n", &["1.1"]),
            ("own: 5\n  \nb: 6\nc: 1.10\n", &["1.1"]),
            ("a: |\n  1.1\n \n  1.1\nb: 1.10\n   \n", &["1.1"]),
            ("a: |2\n   1.1\n  1.1\nb: 1.10\nc: >\nd: 1\n", &["1.1"]),
        ] {
            let file: Value = serde_yaml::from_str(text).unwrap_or_default();
            let file = match file {
                Value::Mapping(file) => file,
                other => Mapping::from_iter([("a".into(), other)]),
            };
            assert_eq!(respelled(text, &file), expected, "{text}");
        }
    }
}
