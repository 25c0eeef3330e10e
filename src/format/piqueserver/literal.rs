//! Python literals: reading them tolerantly, with byte spans, and writing text as one.
//!
//! Nothing is ever executed. Callers: the scanner of statements, and the writer.

use std::ops::Range;

/// Most brackets within brackets.
const MAX_DEPTH: usize = 32;
/// Most lines that one literal may span: what comes after is not searched.
const MAX_LINES: usize = 60;

/// A value with the bytes it stands in.
#[derive(Clone, Debug, PartialEq)]
pub struct Literal {
    /// The value.
    pub value: Value,
    /// Its bytes in the file; with the parentheses around it, if any.
    pub span: Range<usize>,
    /// Its bytes without the parentheses around it.
    pub inner: Range<usize>,
}

/// A plain Python value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text. Bytes that are not UTF-8 are read as Latin-1.
    Str(String),
    /// A whole number; what does not fit 64 bits is a float.
    Int(i64),
    /// Any other real number.
    Float(f64),
    /// `True` or `False`.
    Bool(bool),
    /// `None`.
    None,
    /// `(a, b)`, or `a, b` without parentheses.
    Tuple(Vec<Literal>),
    /// `[a, b]`.
    List(Vec<Literal>),
    /// `{a: b}`.
    Dict(Vec<(Literal, Literal)>),
}

impl Literal {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number; floats without a fraction count.
    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(number) => Some(number),
            // Exact: checked to be whole and small.
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 1e9 => Some(number as i64),
            _ => None,
        }
    }

    /// Whether nobody can change what it is made of.
    pub fn is_solid(&self) -> bool {
        match &self.value {
            Value::List(_) | Value::Dict(_) => false,
            Value::Tuple(items) => items.iter().all(Self::is_solid),
            _ => true,
        }
    }

    /// The items of a tuple or list.
    pub fn items(&self) -> Option<&[Literal]> {
        match &self.value {
            Value::Tuple(items) | Value::List(items) => Some(items),
            _ => None,
        }
    }
}

/// The bytes are not a plain literal; `at` is where that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotLiteral {
    /// Offset in the file.
    pub at: usize,
}

/// Reads the literal that starts at `at` (blanks are skipped).
///
/// # Errors
/// [`NotLiteral`] for anything else, for more than 60 lines and for brackets deeper than 32.
pub fn literal_at(text: &[u8], at: usize) -> Result<Literal, NotLiteral> {
    let mut reader = Reader { text, at, lines: 0 };
    reader.skip(false)?;
    reader.value(0, false)
}

/// As [`literal_at`], but `a, b` without parentheses is a tuple: the right side of an assignment.
///
/// # Errors
/// As [`literal_at`].
pub fn expression_at(text: &[u8], at: usize) -> Result<Literal, NotLiteral> {
    let mut reader = Reader { text, at, lines: 0 };
    reader.skip(false)?;
    let first = reader.value(0, false)?;
    let mut end = first.span.end;
    reader.skip(false)?;
    if reader.peek() != Some(b',') {
        return Ok(first);
    }
    let start = first.span.start;
    let mut items = vec![first];
    while reader.peek() == Some(b',') {
        reader.at += 1;
        end = reader.at;
        reader.skip(false)?;
        if reader.peek().is_none_or(|byte| matches!(byte, b'\r' | b'\n' | b'#' | b';')) {
            break;
        }
        let item = reader.value(0, false)?;
        end = item.span.end;
        items.push(item);
        reader.skip(false)?;
    }
    Ok(Literal { value: Value::Tuple(items), span: start..end, inner: start..end })
}

/// Text as a Python literal on one line that decodes to exactly that text.
///
/// Letters and digits of any script stay readable unless `ascii_only`; everything else outside
/// printable ASCII is escaped, so that nothing a stranger typed can end the literal early.
pub fn quoted(text: &str, ascii_only: bool) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c if !ascii_only && c.is_alphanumeric() => out.push(c),
            c if u32::from(c) < 0x100 => out.push_str(&format!("\\x{:02x}", u32::from(c))),
            c if u32::from(c) < 0x1_0000 => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push(quote);
    out
}

/// Decodes bytes as UTF-8, each stray byte as Latin-1.
fn push_decoded(out: &mut String, bytes: &[u8]) {
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    lines: usize,
}

impl Reader<'_> {
    fn fail<T>(&self) -> Result<T, NotLiteral> {
        Err(NotLiteral { at: self.at })
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn starts_with(&self, what: &[u8]) -> bool {
        self.text.get(self.at..).is_some_and(|rest| rest.starts_with(what))
    }

    fn next_line(&mut self) -> Result<(), NotLiteral> {
        self.lines += 1;
        if self.lines >= MAX_LINES { self.fail() } else { Ok(()) }
    }

    /// Skips blanks and joined lines, inside brackets also line ends and comments.
    fn skip(&mut self, in_brackets: bool) -> Result<(), NotLiteral> {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' | 0x0C => self.at += 1,
                b'\\' if self.starts_with(b"\\\r\n") => {
                    self.next_line()?;
                    self.at += 3;
                }
                b'\\' if self.starts_with(b"\\\n") => {
                    self.next_line()?;
                    self.at += 2;
                }
                b'\\' if self.starts_with(b"\\\r") => {
                    self.next_line()?;
                    self.at += 2;
                }
                b'\r' if in_brackets && self.starts_with(b"\r\n") => self.at += 1,
                b'\r' | b'\n' if in_brackets => {
                    self.next_line()?;
                    self.at += 1;
                }
                b'#' if in_brackets => {
                    while self.peek().is_some_and(|byte| !matches!(byte, b'\r' | b'\n')) {
                        self.at += 1;
                    }
                }
                _ => break,
            }
        }
        Ok(())
    }

    fn value(&mut self, depth: usize, in_brackets: bool) -> Result<Literal, NotLiteral> {
        if depth > MAX_DEPTH {
            return self.fail();
        }
        let start = self.at;
        let value = match self.peek() {
            Some(b'(') => return self.parenthesized(depth),
            Some(b'[') => Value::List(self.sequence(b']', depth)?.0),
            Some(b'{') => self.dict(depth)?,
            Some(b'\'' | b'"') => return self.strings(in_brackets),
            Some(b'+' | b'-' | b'.' | b'0'..=b'9') => self.number()?,
            Some(byte) if byte.is_ascii_alphabetic() => {
                if self.string_prefix().is_some() {
                    return self.strings(in_brackets);
                }
                self.keyword()?
            }
            _ => return self.fail(),
        };
        Ok(Literal { value, span: start..self.at, inner: start..self.at })
    }

    fn parenthesized(&mut self, depth: usize) -> Result<Literal, NotLiteral> {
        let start = self.at;
        let (mut items, commas) = self.sequence(b')', depth)?;
        let span = start..self.at;
        match items.pop() {
            Some(only) if commas == 0 && items.is_empty() => Ok(Literal { span, ..only }),
            last => {
                items.extend(last);
                Ok(Literal { value: Value::Tuple(items), span: span.clone(), inner: span })
            }
        }
    }

    /// Items up to the closing bracket, and how many commas there were.
    fn sequence(&mut self, close: u8, depth: usize) -> Result<(Vec<Literal>, usize), NotLiteral> {
        let (mut items, mut commas) = (Vec::new(), 0);
        self.at += 1;
        loop {
            self.skip(true)?;
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok((items, commas));
            }
            items.push(self.value(depth + 1, true)?);
            self.skip(true)?;
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    commas += 1;
                }
                Some(byte) if byte == close => {}
                _ => return self.fail(),
            }
        }
    }

    fn dict(&mut self, depth: usize) -> Result<Value, NotLiteral> {
        let mut entries = Vec::new();
        self.at += 1;
        loop {
            self.skip(true)?;
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(Value::Dict(entries));
            }
            let key = self.value(depth + 1, true)?;
            self.skip(true)?;
            if self.peek() != Some(b':') {
                return self.fail();
            }
            self.at += 1;
            self.skip(true)?;
            entries.push((key, self.value(depth + 1, true)?));
            self.skip(true)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {}
                _ => return self.fail(),
            }
        }
    }

    fn number(&mut self) -> Result<Value, NotLiteral> {
        let mut negative = false;
        if let Some(sign @ (b'+' | b'-')) = self.peek() {
            negative = sign == b'-';
            self.at += 1;
            self.skip(false)?;
        }
        let rest = self.text.get(self.at..).unwrap_or_default();
        let radix = match rest {
            [b'0', b'x' | b'X', ..] => 16,
            [b'0', b'o' | b'O', ..] => 8,
            [b'0', b'b' | b'B', ..] => 2,
            _ => 10,
        };
        let is_part = |(i, byte): (usize, u8)| match byte {
            b'_' | b'.' => true,
            b'+' | b'-' => radix == 10 && i > 0 && rest.get(i - 1).is_some_and(|before| matches!(before, b'e' | b'E')),
            _ => byte.is_ascii_alphanumeric(),
        };
        let length = rest.iter().copied().enumerate().take(400).take_while(|part| is_part(*part)).count();
        let digits: String = rest.iter().take(length).filter(|byte| **byte != b'_').map(|byte| char::from(*byte)).collect();
        let value = if radix == 10 {
            match digits.parse::<i64>() {
                Ok(number) => Value::Int(if negative { -number } else { number }),
                Err(_) if digits.bytes().next().is_some_and(|first| first.is_ascii_digit() || first == b'.') => {
                    let number: f64 = digits.parse().map_err(|_| NotLiteral { at: self.at })?;
                    Value::Float(if negative { -number } else { number })
                }
                Err(_) => return self.fail(),
            }
        } else {
            let number = digits.get(2..).and_then(|digits| i64::from_str_radix(digits, radix).ok()).ok_or(NotLiteral { at: self.at })?;
            Value::Int(if negative { -number } else { number })
        };
        self.at += length;
        Ok(value)
    }

    fn keyword(&mut self) -> Result<Value, NotLiteral> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_' || !byte.is_ascii()).count();
        let value = match rest.get(..length) {
            Some(b"True") => Value::Bool(true),
            Some(b"False") => Value::Bool(false),
            Some(b"None") => Value::None,
            _ => return self.fail(),
        };
        self.at += length;
        Ok(value)
    }

    /// Length of the letters before a quote, and whether backslashes are plain; `None` if there is no
    /// text literal here. Bytes and formatted strings are none: they are not plain text.
    fn string_prefix(&self) -> Option<(usize, bool)> {
        match self.text.get(self.at..)? {
            [b'\'' | b'"', ..] => Some((0, false)),
            [b'u' | b'U', b'\'' | b'"', ..] => Some((1, false)),
            [b'r' | b'R', b'\'' | b'"', ..] => Some((1, true)),
            _ => None,
        }
    }

    /// One or more string literals that Python joins.
    fn strings(&mut self, in_brackets: bool) -> Result<Literal, NotLiteral> {
        let start = self.at;
        let mut text = String::new();
        let mut end = self.at;
        while let Some((prefix, raw)) = self.string_prefix() {
            self.at += prefix;
            self.string(raw, &mut text)?;
            end = self.at;
            self.skip(in_brackets)?;
        }
        self.at = end;
        Ok(Literal { value: Value::Str(text), span: start..end, inner: start..end })
    }

    fn string(&mut self, raw: bool, out: &mut String) -> Result<(), NotLiteral> {
        let Some(quote) = self.peek() else { return self.fail() };
        let triple = self.starts_with(&[quote; 3]);
        self.at += if triple { 3 } else { 1 };
        // Plain bytes are gathered and decoded at once: a character may span several.
        let mut plain = Vec::new();
        loop {
            let Some(byte) = self.peek() else { return self.fail() };
            match byte {
                b'\n' | b'\r' if !triple => return self.fail(),
                b'\r' if self.starts_with(b"\r\n") => self.at += 1,
                // However the file ends its lines, Python reads them so.
                b'\r' | b'\n' => {
                    self.next_line()?;
                    plain.push(b'\n');
                    self.at += 1;
                }
                b'\\' if raw => {
                    plain.push(b'\\');
                    self.at += 1;
                    if let Some(next) = self.peek().filter(|next| *next == quote || *next == b'\\') {
                        plain.push(next);
                        self.at += 1;
                    }
                }
                b'\\' => {
                    push_decoded(out, &plain);
                    plain.clear();
                    self.escape(out)?;
                }
                _ if byte == quote && (!triple || self.starts_with(&[quote; 3])) => {
                    self.at += if triple { 3 } else { 1 };
                    push_decoded(out, &plain);
                    return Ok(());
                }
                _ => {
                    plain.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), NotLiteral> {
        self.at += 1;
        let Some(byte) = self.peek() else { return self.fail() };
        self.at += 1;
        match byte {
            b'\n' => self.next_line()?,
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
                self.next_line()?;
            }
            b'\\' | b'\'' | b'"' => out.push(char::from(byte)),
            b'a' => out.push('\x07'),
            b'b' => out.push('\x08'),
            b'f' => out.push('\x0C'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'v' => out.push('\x0B'),
            b'x' => self.code_point(2, out)?,
            b'u' => self.code_point(4, out)?,
            b'U' => self.code_point(8, out)?,
            // A name from the Unicode database: it would have to be carried along to be read.
            b'N' => return self.fail(),
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            // Python keeps the backslash of an escape that it does not know.
            _ => {
                out.push('\\');
                self.at -= 1;
            }
        }
        Ok(())
    }

    fn code_point(&mut self, digits: usize, out: &mut String) -> Result<(), NotLiteral> {
        let hex = self.text.get(self.at..self.at.saturating_add(digits)).and_then(|hex| str::from_utf8(hex).ok());
        let Some(hex) = hex.filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit())) else { return self.fail() };
        let code = u32::from_str_radix(hex, 16).map_err(|_| NotLiteral { at: self.at })?;
        // Half of a surrogate pair is text for Python but not for us.
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        self.at += digits;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check_text(source: &str, expected: &str) {
        let literal = expression_at(source.as_bytes(), 0).unwrap();
        assert_eq!(literal.as_str(), Some(expected), "{source}");
        assert_eq!(literal.span, 0..source.len());
    }

    #[track_caller]
    fn check_int(source: &str, expected: i64) {
        assert_eq!(expression_at(source.as_bytes(), 0).unwrap().value, Value::Int(expected), "{source}");
    }

    #[track_caller]
    fn check_refused(source: &str) {
        assert!(expression_at(source.as_bytes(), 0).is_err(), "{source}");
    }

    #[test]
    fn strings_of_all_kinds_are_read() {
        check_text("'a'", "a");
        check_text(r#""it's""#, "it's");
        check_text(r"'it\'s \x41\u00e9\U0001f600\101\n\q'", "it's Aé😀A\n\\q");
        check_text("('one '\r\n   \"two\")  ".trim_end(), "one two");
        check_text("'''a\r\nb'c'''", "a\nb'c");
        check_text(r"r'a\n\''", r"a\n\'");
        check_text("u'x' 'y'", "xy");
        check_text("'a\\\nb'", "ab");
        check_text("''", "");
        check_text("'Ünïcode'", "Ünïcode");
    }

    #[test]
    fn numbers_are_read() {
        check_int("12", 12);
        check_int("-1_000", -1000);
        check_int("0xFF", 255);
        check_int("(7)", 7);
        assert_eq!(literal_at(b"1.5e-2", 0).unwrap().value, Value::Float(0.015));
        assert_eq!(literal_at(b".5", 0).unwrap().value, Value::Float(0.5));
    }

    #[test]
    fn collections_are_read_with_the_spans_of_their_items() {
        let source = b"{ 'a' : (1, [2, 3,],),\n # comment ]\n 'b': None }";
        let Value::Dict(entries) = literal_at(source, 0).unwrap().value else { panic!("no dict") };
        assert_eq!(entries.len(), 2);
        let item = &entries[0].1.items().unwrap()[0];
        assert_eq!(&source[item.span.clone()], b"1");
        assert_eq!(literal_at(b"(1,)", 0).unwrap().items().unwrap().len(), 1);
        assert_eq!(literal_at(b"()", 0).unwrap().items().unwrap().len(), 0);
        assert_eq!(expression_at(b"1, 2, 3 # no", 0).unwrap().span, 0..7);
    }

    #[test]
    fn what_is_no_literal_is_refused() {
        for source in ["'open", "'''open", "f'{x}'", "b'x'", "open('x')", "[1 2]", "{1}", "{1: 2", "nothing", "1x", "0x", "", "-", "'\\x4'"]
        {
            check_refused(source);
        }
        check_refused(&format!("[{}]", "\n".repeat(100)));
    }

    #[test]
    fn deep_brackets_are_refused_and_not_followed() {
        check_refused(&"[".repeat(1_000_000));
        check_refused(&"{1:".repeat(1_000_000));
        check_refused(&format!("{}{}", "(".repeat(40), ")".repeat(40)));
    }

    proptest! {
        #[test]
        fn any_text_reads_back_from_what_was_written(text in any::<String>(), ascii_only: bool) {
            let source = quoted(&text, ascii_only);
            prop_assert!(!source.contains(['\n', '\r', '\0']));
            let literal = literal_at(source.as_bytes(), 0).unwrap();
            prop_assert_eq!(literal.as_str(), Some(text.as_str()));
            prop_assert_eq!(literal.span, 0..source.len());
        }

        #[test]
        fn random_bytes_never_panic(bytes in prop::collection::vec(prop_oneof![Just(b'\\'), Just(b'\''), Just(b'('), Just(b'{'), Just(b'\n'), Just(b'0'), any::<u8>()], 0..64)) {
            for at in 0..=bytes.len() {
                expression_at(&bytes, at).ok();
            }
        }
    }

    #[test]
    fn python_reads_hostile_names_as_they_were() {
        let names = [
            "'''",
            "\\",
            "\\'",
            "a\nimport os\n",
            "\"'",
            "\u{202e}evil",
            "\0\x1b[2J",
            "#{x}",
            "é中😀",
            "\r",
            "\u{85}\u{2028}",
            "\\u0041",
            "{}%s",
        ];
        let sources: Vec<String> = names.iter().flat_map(|name| [quoted(name, false), quoted(name, true)]).collect();
        let program =
            "import ast,sys;[print(ast.literal_eval(line).encode().hex()) for line in sys.stdin.buffer.read().decode().split('\\n')]";
        let python = std::process::Command::new("python3")
            .args(["-c", program])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn();
        let Ok(mut python) = python else {
            println!("skipped: no python3");
            return;
        };
        std::io::Write::write_all(&mut python.stdin.take().unwrap(), sources.join("\n").as_bytes()).unwrap();
        let answer = String::from_utf8(python.wait_with_output().unwrap().stdout).unwrap();
        let expected: Vec<String> = names
            .iter()
            .flat_map(|name| {
                let hex: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
                [hex.clone(), hex]
            })
            .collect();
        assert_eq!(answer.lines().collect::<Vec<_>>(), expected);
    }
}
