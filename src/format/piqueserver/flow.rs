//! What the names of a branch stand for when it returns: assignments that run one after the other, followed back
//! to the numbers in the file.

use std::ops::Range;

use super::branches::{Branch, Line, trimmed};
use super::literal::literal_at;
use super::script::{skip_blanks, word_at};

/// Coordinates beyond are no coordinates.
const MAX_COORDINATE: i64 = 1_000_000;
/// Names that are followed from one to the next.
const MAX_STEPS: usize = 8;

/// A number of the file that stands for a coordinate.
#[derive(Clone, Debug)]
pub struct Number {
    /// The coordinate.
    pub value: i32,
    /// Bytes of the number.
    pub span: Range<usize>,
    /// What code adds to the number.
    pub add: i64,
}

impl Number {
    /// The number that a literal's bytes stand for, if it can be a coordinate.
    pub fn of(value: i64, span: Range<usize>) -> Option<Self> {
        let value = Some(value).filter(|value| value.abs() <= MAX_COORDINATE)?;
        Some(Self { value: i32::try_from(value).ok()?, span, add: 0 })
    }

    /// The same number with more added to it.
    pub fn plus(mut self, add: i64) -> Option<Self> {
        self.add += add;
        self.value = i32::try_from(i64::from(self.value) + add).ok()?;
        Some(self)
    }
}

/// What a name was set to.
#[derive(Clone, Debug)]
enum Value {
    /// An expression.
    Whole(Range<usize>),
    /// One of the values of an expression, by its place.
    Part(Range<usize>, usize),
    /// Changed by code that is not followed.
    Unknown,
}

/// A value that is returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Returned {
    /// An expression, with the number of assignments that ran before it.
    Whole(Range<usize>, usize),
    /// One of the values of an expression, by its place.
    Part(Range<usize>, usize, usize),
    /// Not followed.
    Unknown,
}

/// The assignments of a branch up to its `return`.
#[derive(Debug)]
pub struct Flow<'c> {
    code: &'c [u8],
    names: Vec<(&'c [u8], Value)>,
    /// What is returned, value by value.
    pub returned: Vec<Returned>,
}

impl<'c> Flow<'c> {
    /// Follows a branch; `None` where its statements do not simply run one after the other, or nothing is returned.
    pub fn of<K>(code: &'c [u8], branch: &Branch<K>) -> Option<Self> {
        let mut flow = Self { code, names: vec![], returned: vec![] };
        for line in &branch.head {
            flow.step(line);
        }
        for line in &branch.body {
            if !flow.step(line) {
                return None;
            }
            if word_at(code, line.span.start) == b"return" {
                flow.returned = flow.results(line);
                return Some(flow);
            }
        }
        // Behind the branches small corrections are usual, and a choice between two heights: the first counts.
        for line in &branch.tail {
            if word_at(code, line.span.start) == b"return" {
                flow.returned = flow.results(line);
                return Some(flow);
            }
            if !flow.corrects(line) {
                let before = flow.names.len();
                flow.step(line);
                let set = flow.names.get_mut(before..).unwrap_or_default();
                set.iter_mut().filter(|_| line.maybe).for_each(|(_, value)| *value = Value::Unknown);
            }
        }
        None
    }

    /// Notes what a statement sets; answers whether it is one that just runs.
    fn step(&mut self, line: &Line) -> bool {
        let code = self.code;
        let text = code.get(line.span.clone()).unwrap_or_default();
        let word = word_at(code, line.span.start);
        if text.contains(&b'\\') || text.contains(&b';') {
            return false;
        }
        let is_compound = matches!(
            word,
            b"if"
                | b"elif"
                | b"else"
                | b"for"
                | b"while"
                | b"try"
                | b"except"
                | b"finally"
                | b"with"
                | b"def"
                | b"class"
                | b"async"
                | b"del"
        );
        if is_compound || word == b"return" {
            return !is_compound;
        }
        let Some(equals) = equals_of(code, &line.span) else { return true };
        let is_changed = equals.checked_sub(1).and_then(|before| code.get(before)).is_some_and(|byte| b"+-*/%&|^@<>:".contains(byte));
        let targets = items(code, unwrapped(code, line.span.start..equals));
        let right = trimmed(code, equals + 1..line.span.end);
        let values = items(code, unwrapped(code, right.clone()));
        let chained = equals_of(code, &right).is_some();
        for (i, target) in targets.iter().enumerate() {
            let name = word_at(code, target.start);
            let value = match values.get(i) {
                _ if is_changed || chained || target.len() != name.len() => Value::Unknown,
                Some(value) if values.len() == targets.len() => Value::Whole(value.clone()),
                _ if values.len() == 1 => Value::Part(right.clone(), i),
                _ => Value::Unknown,
            };
            self.names.push((name, value));
        }
        true
    }

    /// Whether a statement adds less than a block to a name, or moves a height by a few: players stand where they stood.
    fn corrects(&self, line: &Line) -> bool {
        let code = self.code;
        let name = word_at(code, line.span.start);
        let at = skip_blanks(code, line.span.start + name.len());
        if name.is_empty() || !matches!(code.get(at), Some(b'+' | b'-')) || code.get(at + 1) != Some(&b'=') {
            return false;
        }
        let number = code.get(trimmed(code, at + 2..line.span.end)).and_then(|text| str::from_utf8(text).ok());
        let limit = if name == b"z" { 4.0 } else { 0.999 };
        number.and_then(|number| number.parse::<f64>().ok()).is_some_and(|number| number.abs() <= limit)
    }

    /// The values of a `return`, names followed to what they were set to.
    fn results(&self, line: &Line) -> Vec<Returned> {
        let code = self.code;
        let all = unwrapped(code, trimmed(code, line.span.start + "return".len()..line.span.end));
        items(code, all).into_iter().map(|item| self.followed(Returned::Whole(item, self.names.len()))).collect()
    }

    /// Follows a name to what it was set to.
    fn followed(&self, mut value: Returned) -> Returned {
        for _ in 0..MAX_STEPS {
            let Returned::Whole(span, before) = &value else { break };
            let name = word_at(self.code, span.start);
            if name.is_empty() || name.len() != span.len() {
                break;
            }
            let set = self.names.iter().take(*before).enumerate().rfind(|(_, (set, _))| *set == name);
            value = match set {
                Some((at, (_, Value::Whole(span)))) => Returned::Whole(span.clone(), at),
                Some((at, (_, Value::Part(span, part)))) => Returned::Part(span.clone(), *part, at),
                Some((_, (_, Value::Unknown))) => Returned::Unknown,
                None => break,
            };
        }
        value
    }

    /// The number that a value is: a literal, a name for one, or that with a number added or taken away.
    pub fn number(&self, value: &Returned) -> Option<Number> {
        let Returned::Whole(span, before) = self.followed(value.clone()) else { return None };
        if let Some(number) = whole_number(self.code, &span) {
            return Some(number);
        }
        let first = match word_at(self.code, span.start) {
            b"" => literal_at(self.code, span.start).ok()?.span.end,
            name => span.start + name.len(),
        };
        let sign = skip_blanks(self.code, first);
        if first == span.end || sign >= span.end {
            return None;
        }
        let add = whole_number(self.code, &trimmed(self.code, sign + 1..span.end))?.value;
        let add = match self.code.get(sign) {
            Some(b'+') => i64::from(add),
            Some(b'-') => -i64::from(add),
            _ => return None,
        };
        self.number(&Returned::Whole(span.start..first, before)).filter(|number| number.add == 0)?.plus(add)
    }

    /// Start and end of `randrange(a, b)` or `randint(a, b)`, half-open.
    pub fn range(&self, value: &Returned) -> Option<(Number, Number)> {
        let Returned::Whole(span, before) = self.followed(value.clone()) else { return None };
        let (name, arguments) = call(self.code, &span)?;
        let add = match name {
            b"randrange" => 0,
            b"randint" => 1,
            _ => return None,
        };
        let [from, to] = arguments.as_slice() else { return None };
        let number = |span: &Range<usize>| self.number(&Returned::Whole(span.clone(), before));
        let (from, to) = (number(from)?, number(to)?.plus(add)?);
        (from.value < to.value).then_some((from, to))
    }

    /// What `choice(…)` chooses from, where the values are those of one choice, in order; with the
    /// number of assignments before it.
    pub fn chosen(&self) -> Option<(Range<usize>, usize)> {
        let (span, before) = match self.returned.as_slice() {
            [Returned::Whole(span, before)] => (span, *before),
            [Returned::Part(x, 0, before), Returned::Part(y, 1, _), ..] if x == y => (x, *before),
            _ => return None,
        };
        let (name, arguments) = call(self.code, span)?;
        let [argument] = arguments.as_slice() else { return None };
        (name == b"choice").then(|| (argument.clone(), before))
    }

    /// The numbers of `get_z(x, y)` in a value, where it looks for the ground at that column.
    pub fn ground_at(&self, value: &Returned, column: [i32; 2]) -> Option<[Number; 2]> {
        let Returned::Whole(span, before) = self.followed(value.clone()) else { return None };
        let (name, arguments) = call(self.code, &span)?;
        let [x, y] = arguments.as_slice() else { return None };
        let number = |span: &Range<usize>| self.number(&Returned::Whole(span.clone(), before));
        let (x, y) = (number(x)?, number(y)?);
        (name == b"get_z" && [x.value, y.value] == column).then_some([x, y])
    }

    /// The expressions between the brackets of a list or a tuple.
    pub fn listed(&self, span: &Range<usize>) -> Option<Vec<Range<usize>>> {
        let open = self.code.get(span.start)?;
        matches!(open, b'[' | b'(').then_some(())?;
        let inner = bracketed(self.code, span.start, span.end)?;
        Some(items(self.code, inner))
    }
}

fn whole_number(code: &[u8], span: &Range<usize>) -> Option<Number> {
    let literal = literal_at(code, span.start).ok().filter(|literal| literal.span == *span)?;
    Number::of(literal.as_int()?, literal.span.clone())
}

/// `a.b.name(arguments)` as a whole expression.
fn call<'c>(code: &'c [u8], span: &Range<usize>) -> Option<(&'c [u8], Vec<Range<usize>>)> {
    let mut at = span.start;
    let name = loop {
        let name = word_at(code, at);
        if name.is_empty() {
            return None;
        }
        at += name.len();
        if code.get(at) != Some(&b'.') {
            break name;
        }
        at += 1;
    };
    let open = skip_blanks(code, at);
    (code.get(open) == Some(&b'(')).then_some(())?;
    Some((name, items(code, bracketed(code, open, span.end)?)))
}

/// What stands between a bracket at `open` and its partner, which must be the last thing before `end`.
fn bracketed(code: &[u8], open: usize, end: usize) -> Option<Range<usize>> {
    let mut depth = 0_usize;
    for at in open..end {
        match code.get(at)? {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return (at + 1 == end).then_some(open + 1..at);
                }
            }
            _ => {}
        }
    }
    None
}

/// A tuple without the brackets around it.
fn unwrapped(code: &[u8], span: Range<usize>) -> Range<usize> {
    let span = trimmed(code, span);
    let inner = (code.get(span.start) == Some(&b'(')).then(|| bracketed(code, span.start, span.end)).flatten();
    inner.map_or(span, |inner| trimmed(code, inner))
}

/// The parts between commas that stand in no bracket; a comma at the end adds none.
fn items(code: &[u8], span: Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut depth, mut start) = (vec![], 0_usize, span.start);
    for at in span.clone() {
        match code.get(at) {
            Some(b'(' | b'[' | b'{') => depth += 1,
            Some(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            Some(b',') if depth == 0 => {
                parts.push(trimmed(code, start..at));
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = trimmed(code, start..span.end);
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

/// The first `=` of an assignment, in no bracket.
fn equals_of(code: &[u8], span: &Range<usize>) -> Option<usize> {
    let mut depth = 0_usize;
    span.clone().find(|at| {
        let byte = |at: Option<usize>| at.and_then(|at| code.get(at)).copied();
        match byte(Some(*at)) {
            Some(b'(' | b'[' | b'{') => depth += 1,
            Some(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
            Some(b'=') if depth == 0 => {
                let is_compared = byte(at.checked_add(1)) == Some(b'=') || matches!(byte(at.checked_sub(1)), Some(b'=' | b'!'));
                return !is_compared;
            }
            _ => {}
        }
        false
    })
}
