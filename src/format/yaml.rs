//! What is looked at in a YAML text beside what a library reads of it: its nesting, its lines, its comments.

use std::collections::{BTreeMap, BTreeSet};

use super::FormatError;

/// Brackets, dashes and question marks within each other, and the deepest indentation.
const MAX_NESTING: usize = 64;
const MAX_INDENT: usize = 1024;

/// Refuses texts whose nesting no map needs: libraries take time that grows with its square.
///
/// # Errors
/// [`FormatError::Syntax`] with the line that is too deep.
pub(super) fn check_nesting(text: &str) -> Result<(), FormatError> {
    let mut depth = 0_usize;
    for (number, line) in text.lines().enumerate() {
        let unindented = line.trim_start_matches(' ');
        let nested = unindented.split(' ').take_while(|word| matches!(*word, "-" | "?" | "")).count();
        let mut deepest = depth;
        for byte in line.bytes() {
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            deepest = deepest.max(depth);
        }
        if deepest > MAX_NESTING || nested > MAX_NESTING || line.len() - unindented.len() > MAX_INDENT {
            return Err(FormatError::Syntax { line: number + 1, column: 1, expected: "less deeply nested YAML" });
        }
    }
    Ok(())
}

/// A line of a mapping in block style: how far its key is indented, dashes counted as blanks, and the key.
fn key_of(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches([' ', '-']);
    let is_item = |dashes: &str| dashes.split(' ').all(|dash| dash.len() <= 1);
    let dashes = line.get(..line.len() - text.len()).filter(|dashes| is_item(dashes))?;
    let (key, _) = text.split_once(':').filter(|(_, value)| value.is_empty() || value.starts_with([' ', '\r']))?;
    (!key.is_empty() && !key.starts_with('#')).then_some((dashes.len(), key.trim_matches(['"', '\''])))
}

/// The first key that stands twice in a mapping in block style, with the second one's line.
pub(super) fn repeated_key(text: &str) -> Option<(usize, &str)> {
    let mut open: Vec<(usize, BTreeSet<&str>)> = vec![];
    for (number, line) in text.lines().enumerate() {
        let Some((indent, key)) = key_of(line) else { continue };
        // A dash begins another mapping; so does what is indented less.
        let dash = line.find('-').filter(|dash| *dash < indent).unwrap_or(usize::MAX);
        while open.last().is_some_and(|(other, _)| *other > indent || *other > dash) {
            open.pop();
        }
        match open.last_mut().filter(|(other, _)| *other == indent) {
            Some((_, keys)) => {
                if !keys.insert(key) {
                    return Some((number + 1, key));
                }
            }
            None => open.push((indent, BTreeSet::from([key]))),
        }
    }
    None
}

/// The lines of the keys in a section of a text in block style: of each the first.
pub(super) fn lines_of_keys<'a>(text: &'a str, section: &str) -> BTreeMap<&'a str, usize> {
    let mut lines = BTreeMap::new();
    for (number, line) in section_lines(text, section) {
        if let Some((_, key)) = key_of(line) {
            lines.entry(key).or_insert(number);
        }
    }
    lines
}

/// The lines of the items of a section, in order, of a text in block style. Reads each line once, as far as is asked for.
pub(super) fn lines_of_items<'a>(text: &'a str, section: &str) -> impl Iterator<Item = usize> + use<'a> {
    let mut dash = None;
    section_lines(text, section)
        .filter(move |(_, line)| {
            let indent = line.len() - line.trim_start_matches(' ').len();
            let is_item = line.trim_start_matches(' ').starts_with('-');
            is_item && *dash.get_or_insert(indent) == indent
        })
        .map(|(number, _)| number)
}

#[cfg(test)]
thread_local! {
    /// Lines that were looked at for their numbers, so that a test sees how often.
    pub(super) static LINES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Numbers and lines of what stands below a key that is not indented.
fn section_lines<'a>(text: &'a str, section: &str) -> impl Iterator<Item = (usize, &'a str)> + use<'a> {
    let lines = text.lines();
    #[cfg(test)]
    let lines = lines.inspect(|_| LINES_READ.set(LINES_READ.get() + 1));
    let mut rest = (1..).zip(lines);
    rest.find(|(_, line)| key_of(line) == Some((0, section)));
    rest.take_while(|(_, line)| line.starts_with([' ', '-', '#']) || line.trim().is_empty())
}

/// The lines of comments before the first entry.
pub fn head_comments(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let head: String = text.split_inclusive('\n').take_while(is_comment).map(|line| format!("{}\n", line.trim_end())).collect();
    if head.trim().is_empty() { String::new() } else { head }
}

/// The lines of comments before the first entry, and how many other comments there are.
pub fn kept_comments<T: PartialEq>(bytes: &[u8], said: impl Fn(&[u8]) -> Option<T>) -> (String, u64) {
    let head = head_comments(str::from_utf8(bytes).unwrap_or_default());
    let own = head.lines().filter(|line| !line.is_empty()).count();
    let others = comments(bytes, said).len().saturating_sub(own);
    (head, u64::try_from(others).unwrap_or(u64::MAX))
}

/// The comments of a file: what can be cut off from the ends of its lines and changes nothing that it says.
pub fn comments<T: PartialEq>(bytes: &[u8], said: impl Fn(&[u8]) -> Option<T>) -> Vec<String> {
    // Reading a large file again and again takes long; of what is not tried, lines of their own count.
    const MOST_TRIES: usize = 200;
    const MOST_BYTES: usize = 64 << 10;
    let text = str::from_utf8(bytes).unwrap_or_default();
    let Some(file) = said(bytes) else { return vec![] };
    let mut tries = if bytes.len() > MOST_BYTES { 0 } else { MOST_TRIES };
    let (mut found, mut at) = (vec![], 0);
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\r', '\n']);
        let starts = content.match_indices('#').map(|(start, _)| start);
        let may_begin = |start: &usize| content.get(..*start).is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']));
        for start in starts.filter(may_begin) {
            if tries == 0 {
                found.extend(content.trim_start().strip_prefix('#').map(str::to_owned));
                break;
            }
            tries -= 1;
            let cut = [text.get(..at + start), text.get(at + content.len()..)].map(Option::unwrap_or_default).concat();
            // Within a text it says something.
            if said(cut.as_bytes()).is_some_and(|cut| cut == file) {
                found.push(content.get(start..).unwrap_or_default().to_owned());
                break;
            }
        }
        at += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_items_have_a_line() {
        let text = "spadework: 1\nmetadata:\n  fog: red\n  # no\n  name: 5\nobjects:\n- marker:\n    at: {x: 1}\n- base: 2\n";
        let keys = lines_of_keys(text, "metadata");
        assert_eq!((keys.get("name"), keys.get("at")), (Some(&5), None));
        assert_eq!(lines_of_items(text, "objects").collect::<Vec<_>>(), [7, 9]);
        assert_eq!(lines_of_items(text, "nothing").count(), 0);
        assert_eq!(repeated_key(text), None);
    }

    #[test]
    fn a_key_that_stands_twice_is_found_in_its_own_mapping() {
        #[track_caller]
        fn check(text: &str, expected: Option<(usize, &str)>) {
            assert_eq!(repeated_key(text), expected, "{text}");
        }
        check("a: 1\nb: 2\na: 3\n", Some((3, "a")));
        check("a:\n  x: 1\nb:\n  x: 2\n  y: 1\n  x: 3\n", Some((6, "x")));
        check("a:\n- x: 1\n  y: 2\n- x: 3\n  y: 4\n", None);
        check("a:\n- x: 1\n  y: 2\n  x: 3\n", Some((4, "x")));
        check("a:\n  - x: 1\n  - x: 2\nb: 1\n'b': 2\n", Some((5, "b")));
        check("- a: 1\n- a: 2\n", None);
    }

    #[test]
    fn deep_texts_are_refused_with_their_line() {
        let deep = "[".repeat(MAX_NESTING + 1);
        for text in [deep.clone(), format!("a: 1\nb: {deep}"), "- ".repeat(100_000), format!("{}a: 1", " ".repeat(MAX_INDENT + 1))] {
            assert!(matches!(check_nesting(&text), Err(FormatError::Syntax { .. })), "{text:.20}");
        }
        assert!(check_nesting("a: [[1, 2], {b: c}]\n- - - d\n").is_ok());
    }
}
