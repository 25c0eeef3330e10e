//! What is wrong with a command of a script, in words that need no knowledge of the parser.
//!
//! Pure. Callers: the scripts of the command line and of the window.

use std::fmt;

/// A line of a script that is no command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SyntaxError {
    /// The line, from 1.
    line: u64,
    /// Place in the line, from 1; 0 where the parser found it only once it had read the whole command.
    column: usize,
    reason: String,
}

impl SyntaxError {
    /// What the parser said of the text of one line.
    pub fn new(line: u64, reason: &serde_json::Error) -> Self {
        let text = reason.to_string();
        // The parser's own line is always 1.
        let place = format!(" at line {} column {}", reason.line(), reason.column());
        Self { line, column: reason.column(), reason: in_words(text.strip_suffix(&place).unwrap_or(&text)) }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, reason } = self;
        match column {
            0 => write!(f, "line {line}: {reason}"),
            _ => write!(f, "line {line}, column {column}: {reason}"),
        }
    }
}

/// Names of types in the parser's messages, as people say them; the longer ones first.
const TYPES: [(&str, &str); 18] = [
    ("i32 values", "whole numbers"),
    ("f32 values", "numbers"),
    ("a sequence of ", "a list of "),
    ("a sequence", "a list"),
    ("a borrowed string", "a text"),
    ("a string", "a text"),
    ("string ", "the text "),
    ("floating point ", "the number "),
    ("integer ", "the number "),
    ("struct ", ""),
    ("i32", "a whole number"),
    ("f32", "a number"),
    ("u8", "a whole number from 0 to 255"),
    ("u16", "a whole number from 0 to 65535"),
    ("u32", "a whole number of 0 or more"),
    ("u64", "a whole number of 0 or more"),
    ("i64", "a whole number"),
    ("f64", "a number"),
];

/// A command, for those who wrote none.
const EXAMPLE: &str = r##"{"set":{"at":[1,2,3],"color":"#ff8000"}}"##;

/// Names that are listed where one of them was expected.
const MOST_NAMES: usize = 8;

/// What is wrong with a command, without the words of the parser.
fn in_words(reason: &str) -> String {
    let plain = |text: &str| TYPES.iter().fold(text.to_owned(), |text, (type_name, word)| text.replace(type_name, word));
    if reason.contains("map with a single key") {
        return "one name with its fields is expected here, such as {\"NAME\":{…}}, see docs/script.md".into();
    }
    if let Some((length, expected)) = reason.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected ")) {
        return format!("found {length} where {} is expected", plain(expected));
    }
    for found in ["invalid type: ", "invalid value: "] {
        if let Some((found, expected)) = reason.strip_prefix(found).and_then(|rest| rest.split_once(", expected ")) {
            return format!("found {} where {} is expected", plain(found), plain(expected));
        }
    }
    for (prefix, what) in [("unknown variant ", "name"), ("unknown field ", "field")] {
        let Some((found, expected)) = reason.strip_prefix(prefix).and_then(|rest| rest.split_once(", expected ")) else { continue };
        let found = found.trim_matches('`');
        let mut known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        // The likeliest first: those that begin alike.
        let alike = |name: &str| name.bytes().zip(found.bytes()).take_while(|(a, b)| a == b).count();
        known.sort_by_key(|name| std::cmp::Reverse(alike(name)));
        let more = known.len().saturating_sub(MOST_NAMES);
        known.truncate(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more, see docs/script.md") } else { String::new() };
        return format!("there is no {what} {found:?} here; there are {}{more}", known.join(", "));
    }
    if ["expected value", "trailing characters", "expected ident", "key must be a string"].iter().any(|text| reason.starts_with(text)) {
        return format!("a line holds one command as JSON, such as {EXAMPLE}; what stands here does not go with one");
    }
    if reason.starts_with("EOF while parsing") {
        return "the line ends in the middle of the command".into();
    }
    match reason.strip_prefix("missing field ") {
        Some(field) => format!("{} is missing", field.replace('`', "\"")),
        None => plain(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Command;

    #[test]
    fn what_is_wrong_with_a_command_is_said_in_words() {
        for (line, expected) in [
            (r#"{"sett":{"at":[1,2,3]}}"#, "there is no name \"sett\" here; there are set"),
            (r##"{"set":{"at":[1,2],"color":"#000000"}}"##, "found 2 where a list of 3 whole numbers is expected"),
            (r##"{"set_masks":{"slope":[-5,9]}}"##, "found the number `-5` where a whole number from 0 to 255 is expected"),
            (r##"{"set":{"at":"x","color":"#000000"}}"##, "found the text \"x\" where a list of 3 whole numbers is expected"),
            (r#"{"add_object":{"kind":"base","team":"blue"}}"#, "one name with its fields is expected here"),
            (r##"{"set":{"at":[1,2,3],"color":"#000000"},"fill":{}}"##, "a line holds one command as JSON"),
            ("hello", "a line holds one command as JSON"),
            (r##"{"set":{"at":[1,2,3],"color":"#000000"}} {}"##, "a line holds one command as JSON"),
            (r#"{"spawn":{"team":"red","region":[[1,1],[2,2]]}}"#, "there is no name \"red\" here; there are blue"),
        ] {
            let reason = serde_json::from_str::<Command>(line).expect_err("the line is wrong");
            let error = SyntaxError::new(1, &reason).to_string();
            let (place, words) = error.split_once(": ").expect("a place comes first");
            assert!(place == "line 1" || place.starts_with("line 1, column "), "{error}");
            assert!(words.starts_with(expected), "{error}");
        }
    }
}
