//! What no Python 3 takes: the first place at which a server of today gives a whole script up. Old maps have scripts of
//! Python 2; their literals are read all the same.
//!
//! Only what is certain counts: of a script that Python takes nothing is told.

use super::encoding::{self, Encoding};
use super::expression::{KEYWORDS, is_name};
use super::script::{Script, line_start, skip_blanks, words};
use super::tokens::{Kind, Token};

/// Why Python refuses a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Offset in the file.
    pub at: usize,
    /// A sentence without its end.
    pub why: &'static str,
}

/// Words whose statements have a colon.
const HEADS: [&str; 11] = ["if", "elif", "else", "while", "for", "def", "class", "try", "except", "finally", "with"];
/// Words that are names as well, but for the beginning of a line.
const SOFT: [&str; 3] = ["match", "case", "type"];

/// The first thing that Python 3 refuses; `None` where there is none that is known.
pub fn refusal(script: &Script<'_>) -> Option<Refusal> {
    let mut found = Found { script, all: vec![] };
    match encoding::of(script.text) {
        Encoding::Utf8 => {
            if let Err(error) = str::from_utf8(script.text) {
                found.note(error.valid_up_to(), "letters that are not UTF-8, without a coding line", 0);
            }
        }
        _ if script.text.starts_with(b"\xEF\xBB\xBF") => found.note(0, "the mark of UTF-8, and a coding line with another encoding", 0),
        _ => {}
    }
    let tokens = &script.module.tokens;
    found.indentation(tokens);
    found.brackets(tokens);
    found.chains(tokens);
    for line in tokens.split(|token| token.kind == Kind::Line) {
        let start = line.iter().position(|token| !matches!(token.kind, Kind::Indent | Kind::Dedent)).unwrap_or(line.len());
        found.line(line.get(start..).unwrap_or_default());
    }
    // Beyond, strings may be told apart in another way.
    let end = script.module.hidden.unwrap_or(usize::MAX);
    let first =
        found.all.into_iter().filter(|(_, _, refusal)| refusal.at <= end).min_by_key(|(line, rank, refusal)| (*line, *rank, refusal.at));
    first.map(|(_, _, refusal)| refusal)
}

/// Functions of Python 2 that Python 3 lacks.
const GONE: [&str; 9] = ["xrange", "unicode", "reload", "raw_input", "unichr", "basestring", "execfile", "long", "reduce"];

/// The first call, outside of functions, of a function that Python 3 lacks and the script does not make: it fails as it is loaded.
pub fn gone(script: &Script<'_>) -> Option<(usize, &'static str)> {
    let code = &script.code;
    // What is tried may be meant to fail.
    if words(code, 0..code.len(), "try").next().is_some() {
        return None;
    }
    let calls = GONE.iter().filter_map(|name| {
        let places: Vec<usize> = words(code, 0..code.len(), name).collect();
        let is_call = |at: &usize| code.get(skip_blanks(code, at + name.len())) == Some(&b'(');
        let line = |at: usize| line_start(code, at);
        let first = places.iter().find(|at| !matches!(code.get(line(**at)), Some(b' ' | b'\t' | 0x0C)))?;
        let begins = |word: &str| code.get(line(*first)..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
        // Anything but calls may make it: `xrange = range`, `from functools import reduce`, `def long(x)`.
        let is_made = !places.iter().all(is_call) || begins("def ") || begins("class ") || begins("lambda") || has_star_import(script);
        let is_late = words(code, line(*first)..*first, "lambda").next().is_some();
        (!is_made && !is_late).then_some((*first, *name))
    });
    calls.min_by_key(|(at, _)| *at)
}

fn has_star_import(script: &Script<'_>) -> bool {
    words(&script.code, 0..script.code.len(), "import").any(|at| script.code.get(skip_blanks(&script.code, at + 6)) == Some(&b'*'))
}

struct Found<'s, 'a> {
    script: &'s Script<'a>,
    /// With the line, and which of a line counts.
    all: Vec<(usize, u8, Refusal)>,
}

impl Found<'_, '_> {
    fn note(&mut self, at: usize, why: &'static str, rank: u8) {
        // Of very many the first ones are enough.
        if self.all.len() < 100 {
            self.all.push((self.script.line(at), rank, Refusal { at, why }));
        }
    }

    /// As Python counts: a tab goes on to the next multiple of 8, and must mean the same where it is one blank.
    fn indentation(&mut self, tokens: &[Token<'_>]) {
        let text = self.script.text;
        let mut open = vec![(0_usize, 0_usize)];
        let (mut is_first, mut opens, mut depth) = (true, false, 0_usize);
        for (i, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Line => {
                    let last = i.checked_sub(1).and_then(|last| tokens.get(last)).filter(|_| !is_first);
                    opens = last.map_or(opens, |last| last.text == ":");
                    is_first = true;
                }
                Kind::Indent => depth += 1,
                Kind::Dedent => depth = depth.saturating_sub(1),
                _ if is_first => {
                    is_first = false;
                    let start = token.span.start;
                    let before = text.get(..start).unwrap_or_default();
                    let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | 0x0C)).count();
                    let (mut column, mut other) = (0_usize, 0_usize);
                    for byte in before.iter().skip(start - blanks) {
                        (column, other) = match byte {
                            b'\t' => ((column / 8 + 1) * 8, other + 1),
                            b' ' => (column + 1, other + 1),
                            _ => (0, 0),
                        };
                    }
                    let Some(mut here) = open.last().copied() else { return };
                    if column > here.0 {
                        if other <= here.1 {
                            return self.note(start, MIXED, 0);
                        }
                        if !opens {
                            return self.note(start, "a line stands deeper without a reason", 0);
                        }
                        open.push((column, other));
                    } else {
                        if opens {
                            return self.note(start, "a line that should stand deeper", 0);
                        }
                        while column < here.0 && open.len() > 1 {
                            open.pop();
                            here = open.last().copied().unwrap_or_default();
                        }
                        if column != here.0 {
                            return self.note(start, "a line stands less deep than its block, and not as deep as another one", 0);
                        }
                        if other != here.1 {
                            return self.note(start, MIXED, 0);
                        }
                    }
                    if token.text == "return" && depth == 0 {
                        self.note(start, "return stands in no function", 1);
                    }
                }
                _ => {}
            }
        }
        if opens {
            self.note(text.len(), "a block without a line in it", 0);
        }
    }

    fn brackets(&mut self, tokens: &[Token<'_>]) {
        // With what is open: the offset, colons of an entry, and lambdas that wait for theirs.
        let mut open: Vec<(&str, usize, usize, usize)> = vec![];
        for token in tokens.iter().filter(|token| matches!(token.kind, Kind::Operator | Kind::Name)) {
            match token.text {
                "(" | "[" | "{" => open.push((token.text, token.span.start, 0, 0)),
                ")" | "]" | "}" => match open.pop() {
                    Some(("(", ..)) if token.text == ")" => {}
                    Some(("[", ..)) if token.text == "]" => {}
                    Some(("{", ..)) if token.text == "}" => {}
                    _ => return self.note(token.span.start, "a bracket that nothing opened", 1),
                },
                "lambda" => open.iter_mut().last().into_iter().for_each(|last| last.3 += 1),
                "," => open.iter_mut().last().into_iter().for_each(|last| last.2 = 0),
                ":" => {
                    if let Some(last) = open.last_mut() {
                        match last.3.checked_sub(1) {
                            Some(left) => last.3 = left,
                            None => last.2 += 1,
                        }
                        if last.0 == "{" && last.2 > 1 {
                            return self.note(token.span.start, "a second colon in one entry: a comma is missing before it", 1);
                        }
                    }
                }
                _ => {}
            }
        }
        if let Some((_, at, ..)) = open.first() {
            self.note(*at, "a bracket that is never closed", 1);
        }
    }

    /// `else` and its like belong to what stands before them, equally deep; a `try` to what comes after it.
    fn chains(&mut self, tokens: &[Token<'_>]) {
        // What the last statement of each depth began with, and where.
        let mut last = vec![("", 0)];
        let mut lone = vec![];
        for line in tokens.split(|token| token.kind == Kind::Line) {
            for token in line {
                match token.kind {
                    Kind::Indent => last.push(("", 0)),
                    Kind::Dedent if last.len() > 1 => lone.extend(last.pop()),
                    _ => {}
                }
            }
            let Some(first) = line.iter().find(|token| !matches!(token.kind, Kind::Indent | Kind::Dedent)) else { continue };
            let Some(slot) = last.last_mut() else { break };
            let (word, before) = (if first.kind == Kind::Name { first.text } else { "" }, slot.0);
            let belongs = match word {
                "elif" => matches!(before, "if" | "elif"),
                "else" => matches!(before, "if" | "elif" | "for" | "while" | "except"),
                "except" => matches!(before, "try" | "except"),
                "finally" => matches!(before, "try" | "except" | "try else"),
                _ => true,
            };
            if !belongs {
                self.note(first.span.start, "an else, elif, except or finally without what it belongs to", 1);
            }
            if !matches!(word, "except" | "finally") {
                lone.push(*slot);
            }
            let begins = match word {
                "else" if before == "except" => "try else",
                "if" | "elif" | "for" | "while" | "try" | "except" => word,
                // It is the loop's word that counts.
                "async" => line.iter().map(|token| token.text).find(|text| *text == "for").unwrap_or(""),
                _ => "",
            };
            *slot = (begins, first.span.start);
        }
        lone.extend(last);
        for (_, at) in lone.into_iter().filter(|(word, _)| *word == "try") {
            self.note(at, "a try without except or finally", 1);
        }
    }

    fn line(&mut self, line: &[Token<'_>]) {
        let Some(first) = line.first() else { return };
        let mut depth = 0_usize;
        let (mut has_colon, mut comma) = (false, None);
        for (i, token) in line.iter().enumerate() {
            match token.text {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                ":" if depth == 0 => has_colon = true,
                "," if depth == 0 && !has_colon => comma = comma.or(Some(token.span.start)),
                _ => {}
            }
            self.word(token);
            if let Some(next) = line.get(i + 1) {
                self.pair(token, next, i == 0);
            } else if is_binary(token.text) {
                self.note(token.span.start, "an operator with nothing behind it", 2);
            }
        }
        if first.kind == Kind::Name && HEADS.contains(&first.text) && !has_colon {
            self.note(first.span.start, "a colon is missing", 2);
        }
        match (first.text, comma) {
            ("except", Some(at)) => self.note(at, "except X, e is Python 2's: except X as e", 1),
            ("raise", Some(at)) => self.note(at, "raise X, text is Python 2's: raise X(text)", 1),
            _ => {}
        }
        if let (true, Some(end)) = (matches!(first.text, "import" | "from"), line.last().filter(|end| end.text == "import")) {
            self.note(end.span.start, "an import of nothing", 2);
        }
        if first.text == "def" && line.get(2).is_some_and(|token| token.text == "(") {
            let nested = line.windows(2).take_while(|two| !two.iter().any(|token| matches!(token.text, ")" | "=" | ":")));
            let tuple = nested.filter(|two| matches!(two, [a, b] if matches!(a.text, "(" | ",") && b.text == "(")).last();
            if let Some([_, token]) = tuple {
                self.note(token.span.start, "a parameter in parentheses is Python 2's", 1);
            }
        }
    }

    /// What a word says alone.
    fn word(&mut self, token: &Token<'_>) {
        let at = token.span.start;
        let bytes = self.script.text.get(token.span.clone()).unwrap_or_default();
        match token.kind {
            Kind::Odd if bytes.iter().any(|byte| matches!(byte, b'\'' | b'"')) => self.note(at, "a string that is not closed", 0),
            Kind::Odd if bytes == b"`" => self.note(at, "backticks are Python 2's: repr(…)", 1),
            Kind::Odd => self.note(at, "a sign that Python does not know", 1),
            Kind::Operator if token.text == "<>" => self.note(at, "<> is Python 2's: !=", 1),
            Kind::Number => {
                let is_whole = token.text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
                if is_whole && token.text.starts_with('0') && token.text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
                    self.note(at, "a number with a zero in front is Python 2's: 0o17 for 017", 1);
                }
                let digits = token.text.strip_suffix(['l', 'L']);
                if digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
                    self.note(at, "a number with an L is Python 2's", 1);
                }
            }
            Kind::Text => self.escapes(at, bytes),
            Kind::Name if token.text.is_empty() => {
                let is_odd =
                    |c: char| matches!(u32::from(c), 0xA0..=0xA9 | 0xAB..=0xB4 | 0xB6 | 0xB8 | 0xB9 | 0xBB..=0xBF | 0x2000..=0x203E);
                if let Some((_, c)) = str::from_utf8(bytes).ok().and_then(|word| word.char_indices().find(|(_, c)| is_odd(*c))) {
                    let why = if matches!(c, '\u{2018}'..='\u{201F}') {
                        "quotes that are none to Python"
                    } else {
                        "a sign that Python does not know"
                    };
                    self.note(at, why, 0);
                }
            }
            _ => {}
        }
    }

    /// Escapes that name no letter.
    fn escapes(&mut self, at: usize, bytes: &[u8]) {
        let prefix: Vec<u8> = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).map(u8::to_ascii_lowercase).collect();
        if !matches!(&*prefix, b"" | b"r" | b"u" | b"b" | b"br" | b"rb") {
            return self.note(at, "letters before a string that are Python 2's", 1);
        }
        if prefix.contains(&b'r') {
            return;
        }
        let is_text = !prefix.contains(&b'b');
        let mut i = prefix.len();
        while let Some(byte) = bytes.get(i) {
            i += 1;
            if *byte != b'\\' {
                continue;
            }
            let digits = match bytes.get(i) {
                Some(b'x') => 2,
                Some(b'u') if is_text => 4,
                Some(b'U') if is_text => 8,
                _ => 0,
            };
            let hex = bytes.get(i + 1..i + 1 + digits).and_then(|hex| str::from_utf8(hex).ok()).unwrap_or_default();
            let is_hex = hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            let is_letter = is_hex && (digits == 0 || u32::from_str_radix(hex, 16).is_ok_and(|code| code <= 0x10_FFFF));
            let is_nameless = is_text && bytes.get(i) == Some(&b'N') && bytes.get(i + 1) != Some(&b'{');
            if !is_letter || is_nameless {
                return self.note(at, "a backslash in a string with no letter's number behind it: write it twice", 1);
            }
            i += 1;
        }
    }

    /// What two words say together.
    fn pair(&mut self, token: &Token<'_>, next: &Token<'_>, is_first: bool) {
        let is_string = |token: &Token<'_>| matches!(token.kind, Kind::Text | Kind::Formatted);
        let is_value = |token: &Token<'_>| {
            is_string(token) || token.kind == Kind::Number || is_name(token) || matches!(token.text, "None" | "True" | "False")
        };
        let is_end = |token: &Token<'_>| is_value(token) || token.kind == Kind::Operator && matches!(token.text, ")" | "]" | "}");
        let is_closing = |text: &str| matches!(text, ")" | "]" | "}");
        let at = next.span.start;
        if is_end(token) && is_value(next) && !(is_string(token) && is_string(next)) && !(is_first && SOFT.contains(&token.text)) {
            match token.text {
                "print" => self.note(token.span.start, "print without parentheses is Python 2's: print(…)", 1),
                "exec" => self.note(token.span.start, "exec without parentheses is Python 2's: exec(…)", 1),
                _ => self.note(at, "two values with nothing between them: a comma or an operator is missing", 2),
            }
        }
        if is_first
            && token.kind == Kind::Name
            && next.text == "="
            && (KEYWORDS.contains(&token.text) || matches!(token.text, "None" | "True" | "False"))
        {
            self.note(token.span.start, "a word that is no name", 1);
        }
        if token.text == "lambda" && next.text == "(" {
            self.note(at, "a parameter in parentheses is Python 2's", 1);
        }
        let is_operator = |token: &Token<'_>| token.kind == Kind::Operator;
        let is_gap = matches!((token.text, next.text), (",", ",") | ("(" | "[" | "{", ","));
        if is_operator(token) && is_operator(next) && (is_gap || is_binary(token.text) && (is_closing(next.text) || next.text == ",")) {
            self.note(at, "a value is missing", 2);
        }
    }
}

const MIXED: &str = "tabs and spaces are mixed at the beginning of its lines";

/// Whether something must stand behind an operator.
fn is_binary(text: &str) -> bool {
    matches!(text, "=" | "+" | "-" | "%" | "==" | "!=" | "<=" | ">=" | "<" | ">" | "+=" | "-=" | "and" | "or" | "not" | "in" | "is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(usize, &str)>) {
        let script = Script::new(text.as_bytes());
        let found = refusal(&script).map(|found| (script.line(found.at), found.why));
        match (found, expected) {
            (Some((line, why)), Some((expected_line, part))) => {
                assert!(line == expected_line && why.contains(part), "line {line}: {why}\n{text}");
            }
            (found, expected) => assert_eq!(found, expected, "{text}"),
        }
    }

    #[test]
    fn calls_of_what_python_3_lacks_are_told_where_they_certainly_fail() {
        let check = |text: &str, expected: Option<(usize, &str)>| {
            let script = Script::new(text.as_bytes());
            assert_eq!(gone(&script).map(|(at, name)| (script.line(at), name)), expected, "{text}");
        };
        check("name = 'A'\nx = xrange(5)\n", Some((2, "xrange")));
        check("import sys\nreload (sys)\nx = unicode('a')\n", Some((2, "reload")));
        check("for i in xrange(3):\n    pass\n", Some((1, "xrange")));
        check("def f():\n    return xrange(5)\n", None);
        check("xrange = range\nx = xrange(5)\n", None);
        check("from functools import reduce\nx = reduce(max, [1])\n", None);
        check("from six import *\nx = xrange(5)\n", None);
        check("try:\n    xrange(1)\nexcept NameError:\n    pass\nx = xrange(2)\n", None);
        check("f = lambda: xrange(5)\ndef long(x):\n    return x\nname = 'xrange(5)' # unicode(1)\n", None);
    }

    #[test]
    fn what_python_2_took_is_told_with_its_line() {
        check("name = 'a'\ndef f():\n    x = 1\n\ty = 2\n", Some((4, "tabs and spaces")));
        check("if a:\n        x = 1\n\ty = 2\n", Some((3, "tabs and spaces")));
        check("name = 'a'\nprint name\n", Some((2, "print without")));
        check("if a: print 'x'\n", Some((1, "print without")));
        check("exec \"x = 1\"\n", Some((1, "exec without")));
        check("try:\n    a()\nexcept ValueError, e:\n    pass\n", Some((3, "except X, e")));
        check("raise ValueError, 'x'\n", Some((1, "raise X")));
        check("x = `5`\n", Some((1, "backticks")));
        check("if a <> b: pass\n", Some((1, "<>")));
        check("x = 0777\n", Some((1, "zero in front")));
        check("x = 10L\n", Some((1, "with an L")));
        check("def f(a, (b, c)): pass\n", Some((1, "parameter in parentheses")));
        check("x = lambda (a, b): a\n", Some((1, "parameter in parentheses")));
        check("x = ur'a'\n", Some((1, "letters before")));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        check("name = 'a'\nauthor = 'No Man's Land'\n", Some((2, "not closed")));
        check("x = {\n'a': 1\n'b': 2}\n", Some((3, "comma")));
        check("x = {\n'a': 'c'\n'b': 2}\n", Some((3, "comma")));
        check("x = {'a': (1, 2) 'b': 2}\n", Some((1, "comma")));
        check("x = (1,\ny = 2\n", Some((1, "never closed")));
        check("x = 1)\n", Some((1, "nothing opened")));
        check("x = (1]\n", Some((1, "nothing opened")));
        check("if a\n    x = 1\n", Some((1, "colon is missing")));
        check("if a:\nx = 1\n", Some((2, "stand deeper")));
        check("x = 1\nelse:\n    x = 2\n", Some((2, "without what it belongs to")));
        check("if a:\n    x = 1\ny = 2\nelif b:\n    x = 2\n", Some((4, "without what it belongs to")));
        check("if a:\n    x = 1\n    else:\n        x = 2\n", Some((3, "without what it belongs to")));
        check("try:\n    x = 1\nfinally:\n    y = 2\nexcept A:\n    pass\n", Some((5, "without what it belongs to")));
        check("try:\n    x = 1\ny = 2\n", Some((1, "without except")));
        check("def f():\n    try:\n        x = 1\n", Some((2, "without except")));
        check("try: x = 1\nelse: y = 2\n", Some((1, "without except")));
        check("import\n", Some((1, "import of nothing")));
        check("from a import\n", Some((1, "import of nothing")));
        check("x = 1\n  y = 2\n", Some((2, "without a reason")));
        check("if a:\n    x = 1\n  y = 2\n", Some((3, "less deep")));
        check("def f():\n", Some((2, "without a line")));
        check("return 5\n", Some((1, "in no function")));
        check("x = \n", Some((1, "nothing behind")));
        check("x = (1,,2)\n", Some((1, "value is missing")));
        check("None = 5\n", Some((1, "no name")));
        check("x = 'C:\\Users'\n", Some((1, "backslash")));
        check("x = \u{201c}a\u{201d}\n", Some((1, "quotes")));
        let script = Script::new(b"name = 'a'\nauthor = '\xE9'\n");
        assert_eq!(refusal(&script).map(|found| script.line(found.at)), Some(2));
    }

    #[test]
    fn what_python_takes_is_not_told() {
        for text in [
            "",
            "name = 'a' 'b'\n",
            "x = {'a': lambda b: 5, 'c': d[1:2], 'e': f if g else h}\n",
            "match x:\n    case 1: pass\n    case [a, *b] if c: pass\n",
            "match = 5\nprint(match)\nprint\n",
            "type X = int\n",
            "if a:\n\tx = 1\n\tif b:\n\t\ty = 2\n",
            "if a:\n  \t# odd\n    x = (1,\n\t2)\n",
            "x = 00; y = 0o17; z = 0.5; w = 1_000; v = 09.5; u = 0x1L if 0 else 3\n".replace("0x1L", "0x1").as_str(),
            "def f(a=(1, 2), *, b: (int) = 5, **c) -> int: ...\n",
            "try: a()\nexcept (A, B) as e: pass\n",
            "try:\n    a()\nexcept A:\n    b()\nexcept B: pass\nelse:\n    c()\nfinally:\n    d()\n",
            "if a:\n    try:\n        b()\n    finally:\n        c()\n# why\nelif d: pass\nelse:\n    for x in y:\n        z()\n    else: pass\n",
            "while a: b()\nelse: c()\ntry: d()\nfinally: e()\nx = 1 if a else 2\n",
            "async def f():\n    async for x in y:\n        z()\n    else: pass\n",
            "raise A(b, c)\nraise A from b\n",
            "x = '\\x41\\u0041\\U0001F600\\N{DASH}\\q' rb'\\u' b'\\N' r'\\x'\n",
            "x = a[1:, ::2, ...]\n",
            "async def f():\n    await g()\n    return 5\n",
            "f = lambda: (yield)\nx = not a\ny = -b\nz = *a, b\nfrom . import c\nfrom .d import (e,)\n",
            "class A(metaclass=B): x: int = 5\n",
            "x = 1 if a else 2; y = [b for b in c if not d]\n",
            "def f(a, /, b): global c; nonlocal_ = 5\n",
            "x = f'{a!r:>{b}}' 'c' f\"{d['e']}\"\n",
        ] {
            check(text, None);
        }
    }
}
