//! The shape of a Python file as far as it matters: assignments of literals at the top level, and
//! where functions begin and end. Everything else is text that stays as it is.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::literal::{Literal, expression_at};
use super::module::Module;
use super::tokens::{Kind, Token};

/// Lines over which an unclosed bracket is followed.
const MAX_LINES: usize = 60;

/// `name = literal` at the top level.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The name.
    pub name: String,
    /// Offset of the name.
    pub start: usize,
    /// The value with its bytes.
    pub literal: Literal,
    /// The whole lines it stands on, with the last line's end.
    pub lines: Range<usize>,
    /// Whether nothing else stands on those lines but a comment.
    pub alone: bool,
}

/// What gives a name its value.
#[derive(Clone, Copy, Debug)]
pub enum Setting<'a> {
    /// Nothing at the top level.
    Missing,
    /// A literal.
    Literal(&'a Statement),
    /// Code, or something that is no valid Python; with its offset.
    Code(usize),
}

/// `def name(…)` at the top level.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: String,
    /// From `def` to the next line that is not indented.
    pub span: Range<usize>,
}

/// A scanned file.
#[derive(Debug)]
pub struct Script<'a> {
    /// The file.
    pub text: &'a [u8],
    /// As `text`, byte for byte as long, but strings and comments are blanks. Line ends within
    /// strings are blanks too, so that each line here begins in code.
    pub code: Vec<u8>,
    /// Assignments of literals, in order.
    pub statements: Vec<Statement>,
    /// Functions, in order.
    pub functions: Vec<Function>,
    /// Names whose last assignment is not a literal, or that are set in another way as well; with its offset.
    pub computed: BTreeMap<String, usize>,
    /// Whether the file has lines but none of them looks like Python.
    pub is_prose: bool,
    /// What its names mean.
    pub module: Module<'a>,
}

/// Python's own words, and those of each line, by its offset.
struct Words<'w, 'a> {
    all: &'w [Token<'a>],
    lines: BTreeMap<usize, Range<usize>>,
}

impl<'w, 'a> Words<'w, 'a> {
    fn new(all: &'w [Token<'a>]) -> Self {
        let (mut lines, mut start) = (BTreeMap::new(), 0);
        for (at, token) in all.iter().enumerate() {
            match token.kind {
                Kind::Line => {
                    if let Some(first) = all.get(start).filter(|_| start < at) {
                        lines.insert(first.span.start, start..at);
                    }
                    start = at + 1;
                }
                Kind::Indent | Kind::Dedent => start = at + 1,
                _ => {}
            }
        }
        Self { all, lines }
    }

    /// The words of the line that begins at an offset, if each of its brackets is closed.
    fn closed_line(&self, at: usize) -> Option<&'w [Token<'a>]> {
        let line = self.lines.get(&at).and_then(|line| self.all.get(line.clone()))?;
        let count = |texts: [&str; 3]| line.iter().filter(|token| token.kind == Kind::Operator && texts.contains(&token.text)).count();
        (count(["(", "[", "{"]) == count([")", "]", "}"])).then_some(line)
    }
}

impl<'a> Script<'a> {
    /// Scans a file. Never fails: what is not understood is skipped.
    pub fn new(text: &'a [u8]) -> Self {
        let code = mask(text);
        let (computed, is_prose) = (BTreeMap::new(), false);
        let mut script = Self { text, code, statements: vec![], functions: vec![], computed, is_prose, module: Module::default() };
        let module = Module::new(text);
        let words = Words::new(&module.tokens);
        let mut at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let (mut lines, mut pythonic) = (false, false);
        let mut open_function: Option<(String, usize)> = None;
        while at < script.code.len() {
            at = after_form_feed(&script.code, at);
            let line = script.code.get(at..).unwrap_or_default();
            let Some(first) = line.first().copied() else { break };
            let is_indented = matches!(first, b' ' | b'\t' | b'\r' | b'\n' | 0x0C | b')' | b']' | b'}');
            if is_indented {
                let inside = words.closed_line(skip_blanks(&script.code, at)).and_then(<[_]>::last).map(|last| last.span.end);
                let end = line_end(&script.code, inside.unwrap_or(at));
                let has_code = script.code.get(at..end).unwrap_or_default().iter().any(|byte| !byte.is_ascii_whitespace());
                lines |= has_code;
                match &open_function {
                    _ if !has_code => {}
                    None => drop(script.note_changes(at..end)),
                    // A function that is called may change what it declares.
                    Some(_) => script.note_words_after(at..end, "global"),
                }
                at = end;
                continue;
            }
            if let Some((name, start)) = open_function.take() {
                script.functions.push(Function { name, span: start..at });
            }
            lines = true;
            let word = word_at(&script.code, at);
            pythonic |= matches!(word, b"def" | b"import" | b"from" | b"class" | b"if" | b"try" | b"for" | b"global") || first == b'@';
            // Words that begin sentences as well.
            let whole = script.code.get(at..line_end(&script.code, at)).unwrap_or_default();
            pythonic |= matches!(word, b"while" | b"with" | b"match" | b"async") && whole.trim_ascii_end().ends_with(b":");
            if word == b"def" {
                let name_at = skip_blanks(&script.code, at + word.len());
                let name = String::from_utf8_lossy(word_at(&script.code, name_at)).into_owned();
                script.computed.insert(name.clone(), at);
                open_function = Some((name, at));
                at = script.statement_end(at, &words);
            } else if let Some(end) = script.assignments(at, &words) {
                pythonic = true;
                at = end;
            } else {
                let end = script.statement_end(at, &words);
                // A text by itself tells what the script is for.
                pythonic |= matches!(words.closed_line(at), Some([text]) if text.kind == Kind::Text);
                pythonic |= script.note_changes(at..end);
                at = end;
            }
        }
        if let Some((name, start)) = open_function {
            script.functions.push(Function { name, span: start..script.code.len() });
        }
        script.is_prose = lines && !pythonic;
        script.compare_with_words(&module);
        script.module = module;
        script
    }

    /// Compares what was read line by line with Python's own words: what stands within brackets is no statement, and a name that is
    /// set in another way as well has no plain value.
    fn compare_with_words(&mut self, module: &Module<'a>) {
        let all = &module.tokens;
        let (mut brackets, mut blocks) = (0_usize, 0_usize);
        let mut heads = BTreeSet::new();
        let mut set = vec![];
        // The keyword whose names follow, up to the end of the line.
        let mut keyword = "";
        for (at, token) in all.iter().enumerate() {
            match (token.kind, token.text) {
                (Kind::Operator, "(" | "[" | "{") => brackets += 1,
                (Kind::Operator, ")" | "]" | "}") => brackets = brackets.saturating_sub(1),
                (Kind::Indent, _) => blocks += 1,
                (Kind::Dedent, _) => blocks = blocks.saturating_sub(1),
                (Kind::Line, _) | (_, ";") => keyword = "",
                (Kind::Name, "global" | "import") => keyword = token.text,
                (Kind::Name, name) => {
                    let before = at.checked_sub(1).and_then(|before| all.get(before));
                    let next = all.get(at + 1).map_or("", |next| next.text);
                    let begins = before.is_none_or(|before| matches!(before.kind, Kind::Line | Kind::Dedent) || before.text == ";");
                    let start = token.span.start;
                    if begins && brackets == 0 && blocks == 0 && next == "=" {
                        heads.insert(start);
                        set.push((name, start, false));
                    } else if next == ":=" || keyword == "global" {
                        set.push((name, start, true));
                    } else if keyword == "import" {
                        set.push((name, start, false));
                    }
                }
                _ => {}
            }
        }
        self.statements.retain(|statement| heads.contains(&statement.start));
        let read: BTreeSet<usize> = self.statements.iter().map(|statement| statement.start).collect();
        // In order: the last one of a name stays.
        let last: BTreeMap<String, usize> = self.statements.iter().map(|statement| (statement.name.clone(), statement.start)).collect();
        for (name, start, is_certain) in set {
            let is_set_later = last.get(name).is_some_and(|last| *last > start);
            if !read.contains(&start) && (is_certain || !is_set_later) {
                self.computed.entry(name.to_owned()).or_insert(start);
            }
        }
        for statement in &self.statements {
            let name = &*statement.name;
            let is_last = last.get(name) == Some(&statement.start);
            if let Some(at) = module.change_of(name, &statement.literal, statement.start).filter(|_| is_last) {
                self.computed.entry(name.to_owned()).or_insert(at);
            }
        }
    }

    /// What gives `name` its value.
    pub fn setting(&self, name: &str) -> Setting<'_> {
        match (self.computed.get(name), self.statements.iter().rev().find(|statement| statement.name == name)) {
            (Some(at), _) => Setting::Code(*at),
            (None, Some(statement)) => Setting::Literal(statement),
            (None, None) => Setting::Missing,
        }
    }

    /// The literal of `name`, if its last assignment is one.
    pub fn literal(&self, name: &str) -> Option<&Literal> {
        match self.setting(name) {
            Setting::Literal(statement) => Some(&statement.literal),
            _ => None,
        }
    }

    /// The last function of that name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().rev().find(|function| function.name == name)
    }

    /// First place where `word` occurs in code.
    pub fn find_word(&self, word: &str) -> Option<usize> {
        words(&self.code, 0..self.code.len(), word).next()
    }

    /// Line of an offset, from 1.
    pub fn line(&self, at: usize) -> usize {
        // A carriage return alone ends a line for Python, too.
        let head = self.text.get(..at).unwrap_or(self.text);
        1 + head
            .iter()
            .zip(self.text.iter().skip(1).chain([&0]))
            .filter(|(byte, next)| **byte == b'\n' || **byte == b'\r' && **next != b'\n')
            .count()
    }

    /// Reads `a = literal; b = literal` at a line's start. Answers the end of the line; `None`, and
    /// nothing noted, if the line is not that.
    fn assignments(&mut self, line_start: usize, words: &Words<'_, '_>) -> Option<usize> {
        let line = words.closed_line(line_start)?;
        let mut found = Vec::new();
        // A semicolon may end the line.
        for part in line.split(|token| token.text == ";" && token.kind == Kind::Operator).filter(|part| !part.is_empty()) {
            let [name, equals, first, ..] = part else { return None };
            let last = part.last()?;
            if name.kind != Kind::Name || equals.text != "=" {
                return None;
            }
            let literal = expression_at(self.text, first.span.start).ok().filter(|literal| literal.span.end == last.span.end)?;
            let name_text = String::from_utf8_lossy(self.text.get(name.span.clone())?).into_owned();
            found.push((name_text, name.span.start, literal));
        }
        let end = line_end(&self.code, line.last()?.span.end);
        // What is joined to the line before is not told apart from it where that is edited.
        let is_joined = |at: usize| {
            self.code.get(..at).is_some_and(|before| before.ends_with(b"\\\n") || before.ends_with(b"\\\r") || before.ends_with(b"\\\r\n"))
        };
        if found.is_empty() || is_joined(line_start) || is_joined(end) {
            return None;
        }
        let alone = found.len() == 1;
        for (name, start, literal) in found {
            self.computed.remove(&name);
            self.statements.push(Statement { name, start, literal, lines: line_start..end, alone });
        }
        Some(end)
    }

    /// Notes what a statement that is no assignment of literals may change; answers whether it looks like an
    /// assignment or a call at all.
    fn note_changes(&mut self, span: Range<usize>) -> bool {
        let start = skip_blanks(&self.code, span.start);
        let word = word_at(&self.code, start).to_vec();
        let after = start + word.len();
        if !word.is_empty() && matches!(self.code.get(after), Some(b'.' | b'[')) {
            self.computed.insert(String::from_utf8_lossy(&word).into_owned(), start);
        }
        for keyword in ["del", "as", "class", "def"] {
            self.note_words_after(span.clone(), keyword);
        }
        // Within brackets it has names of its own.
        if word == b"for" || word == b"async" {
            self.note_words_after(span.clone(), "for");
        }
        if word == b"from" || word == b"import" {
            self.note_words_after(span.clone(), "import");
        }
        self.note_targets(span)
    }

    /// Notes the names, with commas between, that follow a keyword.
    fn note_words_after(&mut self, span: Range<usize>, keyword: &str) {
        let found: Vec<usize> = words(&self.code, span, keyword).collect();
        for start in found {
            let mut at = skip_blanks(&self.code, start + keyword.len());
            loop {
                let word = word_at(&self.code, at);
                if word.is_empty() {
                    break;
                }
                let end = at + word.len();
                self.computed.insert(String::from_utf8_lossy(word).into_owned(), at);
                at = skip_blanks(&self.code, end);
                if self.code.get(at) != Some(&b',') {
                    break;
                }
                at = skip_blanks(&self.code, at + 1);
            }
        }
    }

    /// Notes the names that a statement we cannot read may set; answers whether it looks like an
    /// assignment or a call at all.
    fn note_targets(&mut self, span: Range<usize>) -> bool {
        let line = self.code.get(span.clone()).unwrap_or_default();
        let mut last_equals = None;
        let mut depth = 0_usize;
        // A test sets nothing; what stands behind its colon may.
        let is_test = matches!(word_at(line, skip_blanks(line, 0)), b"if" | b"elif" | b"while");
        let mut begin = None;
        for (i, byte) in line.iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                b':' if depth == 0 && is_test && begin.is_none() => begin = Some(i + 1),
                b'=' if depth == 0 && line.get(i + 1) != Some(&b'=') && !is_comparison(line, i) => last_equals = Some(i),
                _ => {}
            }
        }
        let Some(equals) = last_equals else { return false };
        let mut at = begin.unwrap_or(0);
        while at < equals {
            let word = word_at(line, at);
            if word.is_empty() {
                at += 1;
            } else {
                self.computed.insert(String::from_utf8_lossy(word).into_owned(), span.start + at);
                at += word.len();
            }
        }
        true
    }

    /// End of the statement at `at`: its line, and those that its open brackets reach over.
    fn statement_end(&self, at: usize, words: &Words<'_, '_>) -> usize {
        if let Some(last) = words.closed_line(at).and_then(<[_]>::last) {
            return line_end(&self.code, last.span.end);
        }
        let first_end = line_end(&self.code, at);
        let (mut end, mut start, mut depth) = (first_end, at, 0_i64);
        for _ in 0..MAX_LINES {
            for byte in self.code.get(start..end).unwrap_or_default() {
                match byte {
                    b'(' | b'[' | b'{' => depth += 1,
                    b')' | b']' | b'}' => depth -= 1,
                    _ => {}
                }
            }
            // A backslash joins the next line to it.
            let line = self.code.get(start..end).unwrap_or_default();
            let is_joined = line
                .strip_suffix(b"\r\n")
                .or(line.strip_suffix(b"\n"))
                .or(line.strip_suffix(b"\r"))
                .is_some_and(|line| line.ends_with(b"\\"));
            if depth <= 0 && !is_joined {
                return end;
            }
            start = end;
            end = line_end(&self.code, start);
        }
        first_end
    }
}

/// Whether the `=` at an offset ends `==`, `!=`, `<=` or `>=`; `>>=` sets something.
fn is_comparison(line: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| line.get(at));
    match before(1) {
        Some(b'=' | b'!') => true,
        Some(b'<' | b'>') => before(2) != before(1),
        _ => false,
    }
}

/// The identifier that starts at `at`; empty if none does.
pub fn word_at(code: &[u8], at: usize) -> &[u8] {
    let rest = code.get(at..).unwrap_or_default();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    if rest.first().is_some_and(u8::is_ascii_digit) {
        return &[];
    }
    let length = rest.iter().take_while(|byte| is_part(byte)).count();
    rest.get(..length).unwrap_or_default()
}

/// The offsets within `span` at which `word` stands as a whole identifier.
pub fn words<'c>(code: &'c [u8], span: Range<usize>, word: &'c str) -> impl Iterator<Item = usize> + 'c {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii());
    span.filter(move |at| {
        code.get(*at..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
            && !is_part(code.get(at + word.len()))
            && !is_part(at.checked_sub(1).and_then(|before| code.get(before)))
    })
}

/// The first offset from `at` that holds neither a space nor a tab.
pub fn skip_blanks(code: &[u8], at: usize) -> usize {
    let blanks = code.get(at..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b' ' | b'\t' | 0x0C)).count();
    at.saturating_add(blanks)
}

/// Where the indentation of a line begins that starts at `at`: to Python a form feed begins the line anew.
pub fn after_form_feed(code: &[u8], at: usize) -> usize {
    let blanks = code.get(at..skip_blanks(code, at)).unwrap_or_default();
    blanks.iter().rposition(|byte| *byte == 0x0C).map_or(at, |last| at + last + 1)
}

/// The offset after the line end that follows `at`.
pub fn line_end(text: &[u8], at: usize) -> usize {
    let end = text.get(at..).and_then(|rest| rest.iter().position(|byte| matches!(byte, b'\r' | b'\n'))).map(|length| at + length);
    end.map_or(text.len(), |end| if text.get(end..).is_some_and(|rest| rest.starts_with(b"\r\n")) { end + 2 } else { end + 1 })
}

/// The offset at which the line of `at` begins.
pub fn line_start(text: &[u8], at: usize) -> usize {
    text.get(..at).and_then(|before| before.iter().rposition(|byte| matches!(byte, b'\r' | b'\n'))).map_or(0, |end| end + 1)
}

/// Blanks strings and comments.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut code = text.to_vec();
    let mut blank = |span: Range<usize>| code.get_mut(span).unwrap_or_default().fill(b' ');
    let mut at = 0;
    while let Some(byte) = text.get(at).copied() {
        match byte {
            b'#' => {
                let rest = text.get(at..).unwrap_or_default();
                let length = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')).unwrap_or(rest.len());
                blank(at..at + length);
                at += length;
            }
            b'\'' | b'"' => {
                let end = string_end(text, at, byte);
                // The quotes stay, so that a string is still something that is no code.
                blank(at + 1..end.saturating_sub(1).max(at + 1).min(text.len()));
                at = end;
            }
            _ => at += 1,
        }
    }
    code
}

/// The end of the string whose quote stands at `at`; an unclosed one ends with its line, or with
/// the file if it is triple.
pub(super) fn string_end(text: &[u8], at: usize, quote: u8) -> usize {
    let triple = text.get(at..).is_some_and(|rest| rest.starts_with(&[quote; 3]));
    let mut at = at + if triple { 3 } else { 1 };
    while let Some(byte) = text.get(at).copied() {
        match byte {
            b'\\' if text.get(at + 1) == Some(&b'\r') && text.get(at + 2) == Some(&b'\n') => at += 3,
            b'\\' => at += 2,
            b'\r' | b'\n' if !triple => return at,
            _ if byte != quote => at += 1,
            _ if !triple => return at + 1,
            _ if text.get(at..).is_some_and(|rest| rest.starts_with(&[quote; 3])) => return at + 3,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(script: &Script<'_>) -> Vec<String> {
        script.statements.iter().map(|statement| statement.name.clone()).collect()
    }

    #[test]
    fn assignments_are_found_only_in_code_at_the_top_level() {
        let source = b"\xEF\xBB\xBF'''doc\nname = 'no'\n'''\nname = 'a' # b = 'c'\nx = 1; y = 2\n\
            fog = (1,\n2,\n3)\ndef f():\n    '''\nz = 1\n'''\n    q = 2\nlast = None";
        let script = Script::new(source);
        assert_eq!(names(&script), ["name", "x", "y", "fog", "last"]);
        assert_eq!(script.functions.len(), 1);
        assert_eq!(script.literal("name").unwrap().as_str(), Some("a"));
        assert!(!script.is_prose);
    }

    #[test]
    fn broken_statements_are_skipped_and_known_as_code() {
        let script =
            Script::new(b"name = 'a'\nauthor = 'No Man's Land'\nfog = {\n1 2\n}\nversion = open('x')\nname += 'b'\ncap_limit = 3\n");
        assert_eq!(names(&script), ["name", "cap_limit"]);
        assert!(matches!(script.setting("name"), Setting::Code(_)));
        assert!(matches!(script.setting("author"), Setting::Code(11)));
        assert!(matches!(script.setting("version"), Setting::Code(_)));
        assert!(matches!(script.setting("time_limit"), Setting::Missing));
    }

    #[test]
    fn a_name_set_in_a_block_or_a_chain_is_code() {
        let script = Script::new(b"name = 'a'\nif True:\n    name = 'b'\nauthor = version = 'c'\n");
        for name in ["name", "author", "version"] {
            assert!(matches!(script.setting(name), Setting::Code(_)), "{name}");
        }
    }

    #[test]
    fn prose_is_told_from_scripts() {
        assert!(Script::new(b"This map was made in 2012.\nHave fun!\n").is_prose);
        assert!(!Script::new(b"# nothing\n\n").is_prose);
        assert!(!Script::new(b"").is_prose);
    }

    proptest! {
        #[test]
        fn random_text_never_panics(text in "[a-c='\"\\\\#()\\[\\]{}:;, \r\n\t0-9]{0,80}") {
            let script = Script::new(text.as_bytes());
            prop_assert_eq!(script.code.len(), text.len());
            for statement in &script.statements {
                prop_assert!(statement.lines.start <= statement.literal.span.start && statement.literal.span.end <= statement.lines.end);
            }
        }
    }
}
