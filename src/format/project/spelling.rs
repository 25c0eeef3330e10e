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
        // How many brackets are open: only within those, commas and brackets end a scalar.
        let (mut rest, mut open, mut indent) = (text, 0_usize, 0);
        while let Some(first) = rest.chars().next() {
            let len = match first {
                '\n' => {
                    let line = &rest[1..];
                    indent = line.len() - line.trim_start_matches(' ').len();
                    1
                }
                '#' => end_of_line(rest),
                '"' | '\'' => quoted(rest, first),
                '[' | '{' => {
                    open += 1;
                    1
                }
                ']' | '}' => {
                    open = open.saturating_sub(1);
                    1
                }
                ',' => 1,
                '-' | '?' | ':' if is_followed_by_blank(&rest[1..]) => 1,
                '|' | '>' if open == 0 => block(rest, indent),
                '&' | '!' | '*' => {
                    plain.has_anchors |= first == '&';
                    rest.find(|char: char| char.is_whitespace() || (open > 0 && is_flow(char))).unwrap_or(rest.len())
                }
                first if first.is_whitespace() => first.len_utf8(),
                _ => {
                    let word = &rest[..scalar(rest, open > 0)];
                    plain.words.push(word.trim_end());
                    word.len()
                }
            };
            rest = &rest[len..];
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

fn end_of_line(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
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
        *at > 0 && (*char == '\n' || is_key || is_comment || (is_in_flow && is_flow(*char)))
    };
    text.char_indices().find(is_end).map_or(text.len(), |(at, _)| at)
}

/// Length of a block of text that begins in a line of that indentation, with its first line.
fn block(text: &str, indent: usize) -> usize {
    let head = end_of_line(text);
    let lines = || text[head..].strip_prefix('\n').unwrap_or_default().split_inclusive('\n');
    let depth = |line: &str| (!line.trim().is_empty()).then(|| line.len() - line.trim_start_matches(' ').len());
    let Some(own) = lines().find_map(depth).filter(|own| *own > indent) else { return head };
    let within = lines().take_while(|line| depth(line).is_none_or(|depth| depth >= own));
    // The end of the last line is that of the block, so that the next one is looked at.
    (head + within.map(str::len).sum::<usize>()).max(head)
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
