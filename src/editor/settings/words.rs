//! What the YAML library says of a value of the wrong kind, in the words of people who write settings.

/// Names of kinds in the language that the program is written in, and what they are called outside of it.
const KINDS: [(&str, &str); 6] = [
    ("expected u64", "expected a whole number from 0 on"),
    ("expected usize", "expected a whole number from 0 on"),
    ("expected f32", "expected a number"),
    ("expected a boolean", "expected true or false"),
    ("expected a sequence", "expected a list"),
    ("expected a map", "expected names with values"),
];
/// Before the name of a kind of values that have names themselves.
const STRUCT: &str = "expected struct ";

pub(super) fn in_words(error: &serde_yaml::Error) -> String {
    let mut text = error.to_string();
    for (kind, words) in KINDS {
        text = text.replace(kind, words);
    }
    let Some((before, named)) = text.split_once(STRUCT) else { return text };
    let rest = named.trim_start_matches(|letter: char| letter.is_alphanumeric());
    format!("{before}expected names with values{rest}")
}
