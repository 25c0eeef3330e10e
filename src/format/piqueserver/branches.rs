//! What a function of someone else's script does for each team or thing: the statements below
//! `if team is blue_team:`, as long as they run one after the other.
//!
//! ```text
//! def f(team):            head: what runs for everybody
//!     z = 30
//!     if team is a:       branch of `a`: its body, then the tail
//!         x = 1
//!     else:               branch of the other one
//!         x = 2
//!     return x, 5, z      tail
//! ```
//! A test that is not understood makes no branch, and then there is no `else` either: nothing is guessed.

use std::ops::Range;

use super::script::{Function, Script, skip_blanks, word_at};

/// What an `if` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test<K> {
    /// Whether it is this one.
    Is(K),
    /// Whether it is any other one.
    IsNot(K),
    /// Something else.
    Other,
}

/// A line of code with those that its brackets reach over.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its code, without blanks around it.
    pub span: Range<usize>,
    /// Whether it runs only where something else is true, too.
    pub maybe: bool,
    /// Columns before it; a tab goes to the next multiple of eight.
    indent: usize,
}

/// What runs for one key.
#[derive(Clone, Debug)]
pub struct Branch<K> {
    /// For which one.
    pub key: K,
    /// Where its test stands.
    pub at: usize,
    /// What runs before the test, for everybody.
    pub head: Vec<Line>,
    /// What runs for it alone.
    pub body: Vec<Line>,
    /// What runs afterwards, unless the body has returned; with all blocks in it.
    pub tail: Vec<Line>,
}

/// The branches of a function, in order. `test` reads what stands between `if` and the colon; `rest`
/// answers the one key that is left beside those.
pub fn branches<K: Copy + PartialEq>(
    script: &Script<'_>,
    function: &Function,
    test: impl Fn(Range<usize>) -> Test<K>,
    rest: impl Fn(&[K]) -> Option<K>,
) -> Vec<Branch<K>> {
    let lines = lines_of(script, function);
    let Some(top) = lines.first().map(|line| line.indent) else { return vec![] };
    let (mut found, mut head) = (Vec::<Branch<K>>::new(), Vec::<Line>::new());
    let mut at = 0;
    // Keys that have returned before the line, while every test so far was understood.
    let mut gone = Some(Vec::<K>::new());
    while let Some(line) = lines.get(at) {
        match word_at(&script.code, line.span.start) {
            // Only what runs once, one after the other, is followed.
            _ if line.indent != top => break,
            b"for" | b"while" | b"try" | b"with" | b"async" | b"match" => break,
            b"if" => {
                let (chain, next) = chain_at(script, &lines, at, top);
                let mut keys = Some(Vec::<K>::new());
                for arm in chain {
                    let meant = match arm.test.map(&test) {
                        Some(Test::Is(key)) => Some(key),
                        Some(Test::IsNot(key)) => keys.as_deref().filter(|keys| keys.is_empty()).and_then(|_| rest(&[key])),
                        Some(Test::Other) => None,
                        None => keys.as_deref().and_then(&rest),
                    };
                    match (meant, &mut keys) {
                        (Some(key), Some(keys)) => keys.push(key),
                        _ => keys = None,
                    }
                    let returns = arm.body.last().is_some_and(|line| line.indent == arm.body_indent && is_exit(&script.code, line));
                    match (meant, &mut gone) {
                        (Some(key), Some(gone)) if returns => gone.push(key),
                        (None, Some(_)) if !returns => {}
                        _ => gone = None,
                    }
                    if let Some(key) = meant.filter(|key| found.iter().all(|branch| branch.key != *key)) {
                        let tail = tail_of(script, &lines, next, top, key, &test);
                        found.push(Branch { key, at: arm.at, head: head.clone(), body: arm.body, tail });
                    }
                }
                at = next;
            }
            // What follows the branches that return is that of the one which is left.
            _ if gone.as_deref().is_some_and(|gone| !gone.is_empty()) => {
                let body: Vec<Line> = lines.get(at..).unwrap_or_default().to_vec();
                if let Some(key) = gone.as_deref().and_then(&rest).filter(|key| found.iter().all(|branch| branch.key != *key)) {
                    found.push(Branch { key, at: line.span.start, head: head.clone(), body, tail: vec![] });
                }
                break;
            }
            _ if is_exit(&script.code, line) => break,
            _ => {
                head.push(line.clone());
                at += 1;
            }
        }
    }
    found
}

/// What runs after a chain for a key: of later chains only the arms that may be for it.
fn tail_of<K: Copy + PartialEq>(
    script: &Script<'_>,
    lines: &[Line],
    mut at: usize,
    top: usize,
    key: K,
    test: &impl Fn(Range<usize>) -> Test<K>,
) -> Vec<Line> {
    let mut tail = vec![];
    while let Some(line) = lines.get(at) {
        if line.indent != top || word_at(&script.code, line.span.start) != b"if" {
            tail.push(line.clone());
            at += 1;
            continue;
        }
        let (chain, next) = chain_at(script, lines, at, top);
        // `None` once an arm has taken the key; whether the arms so far may have.
        let mut open = Some(false);
        for arm in chain {
            let Some(maybe) = open else { break };
            let runs = match arm.test.map(test) {
                Some(Test::Is(other)) => (other == key).then_some(false),
                Some(Test::IsNot(other)) => (other != key).then_some(false),
                Some(Test::Other) => Some(true),
                None => Some(false),
            };
            if let Some(unsure) = runs {
                tail.extend(arm.body.into_iter().map(|line| Line { maybe: line.maybe || maybe || unsure, ..line }));
                open = unsure.then_some(true);
            }
        }
        at = next;
    }
    tail
}

/// `if`, `elif` or `else` with what is below it.
struct Arm {
    at: usize,
    /// `None` for `else`.
    test: Option<Range<usize>>,
    body: Vec<Line>,
    body_indent: usize,
}

/// The arms of the `if` at a line, and the line after them.
fn chain_at(script: &Script<'_>, lines: &[Line], first: usize, top: usize) -> (Vec<Arm>, usize) {
    let mut arms = vec![];
    let mut at = first;
    while let Some(line) = lines.get(at) {
        let word = word_at(&script.code, line.span.start);
        let is_arm = line.indent == top && if at == first { word == b"if" } else { matches!(word, b"elif" | b"else") };
        if !is_arm {
            break;
        }
        let colon = colon_of(&script.code, line);
        let mut body = vec![];
        let inline = trimmed(&script.code, colon.saturating_add(1).min(line.span.end)..line.span.end);
        if !inline.is_empty() {
            body.push(Line { span: inline, maybe: false, indent: usize::MAX });
        }
        let below = lines.get(at + 1..).unwrap_or_default().iter().take_while(|line| line.indent > top);
        body.extend(below.cloned());
        let body_indent = body.first().map_or(0, |line| line.indent);
        let test = (word != b"else").then(|| trimmed(&script.code, line.span.start + word.len()..colon));
        at += 1 + body.iter().filter(|line| line.indent != usize::MAX).count();
        arms.push(Arm { at: line.span.start, test, body, body_indent });
        if word == b"else" {
            break;
        }
    }
    (arms, at)
}

/// The lines with code below `def`.
fn lines_of(script: &Script<'_>, function: &Function) -> Vec<Line> {
    let mut lines = vec![];
    let mut at = script.statement_end(function.span.start);
    while at < function.span.end {
        let end = script.statement_end(at).min(function.span.end);
        let span = trimmed(&script.code, at..end);
        if !span.is_empty() {
            let blanks = script.code.get(at..span.start).unwrap_or_default();
            // A blank line has no statement: what is before the code is its indentation.
            let indent = blanks.iter().fold(0_usize, |column, byte| if *byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 });
            lines.push(Line { span, maybe: false, indent });
        }
        at = end.max(at + 1);
    }
    lines
}

/// The colon that ends the test of a line; the line's end where there is none.
fn colon_of(code: &[u8], line: &Line) -> usize {
    let mut depth = 0_i32;
    for at in line.span.clone() {
        match code.get(at) {
            Some(b'(' | b'[' | b'{') => depth += 1,
            Some(b')' | b']' | b'}') => depth -= 1,
            Some(b':') if depth == 0 => return at,
            _ => {}
        }
    }
    line.span.end
}

fn is_exit(code: &[u8], line: &Line) -> bool {
    matches!(word_at(code, line.span.start), b"return" | b"raise")
}

/// A span without the blanks and line ends around it.
pub fn trimmed(code: &[u8], span: Range<usize>) -> Range<usize> {
    let text = code.get(span.clone()).unwrap_or_default();
    let start = span.start + (text.len() - text.trim_ascii_start().len());
    start..(start + text.trim_ascii().len())
}

/// `a is b` and its like: the names on both sides with their dots, and whether they are to be the same.
pub fn comparison(code: &[u8], span: Range<usize>) -> Option<(&[u8], &[u8], bool)> {
    let span = trimmed(code, span);
    if word_at(code, span.start) == b"not" {
        let (left, right, same) = comparison(code, span.start + "not".len()..span.end)?;
        return Some((left, right, !same));
    }
    if code.get(span.start) == Some(&b'(') && code.get(span.end - 1) == Some(&b')') {
        return comparison(code, span.start + 1..span.end - 1);
    }
    let left = dotted(code, span.start);
    let at = skip_blanks(code, left.end);
    let (at, same) = match (code.get(at), code.get(at + 1), word_at(code, at)) {
        (Some(b'='), Some(b'='), _) => (at + 2, true),
        (Some(b'!'), Some(b'='), _) => (at + 2, false),
        (_, _, b"is") => {
            let next = skip_blanks(code, at + "is".len());
            if word_at(code, next) == b"not" { (next + "not".len(), false) } else { (next, true) }
        }
        _ => return None,
    };
    let right = dotted(code, skip_blanks(code, at));
    let is_whole = right.end == span.end && !left.is_empty() && !right.is_empty();
    is_whole.then(|| Some((code.get(left)?, code.get(right)?, same)))?
}

/// `a.b.c` at an offset; empty if no name is there.
fn dotted(code: &[u8], at: usize) -> Range<usize> {
    let mut end = at + word_at(code, at).len();
    while end > at && code.get(end) == Some(&b'.') {
        let part = word_at(code, end + 1).len();
        if part == 0 {
            break;
        }
        end += 1 + part;
    }
    at..end
}
