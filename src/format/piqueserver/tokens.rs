//! The words of a Python text, as Python's own reader would tell them apart: names, numbers, strings, operators, and
//! where lines and blocks begin and end. Callers: the parser. Nothing is refused here.

use std::ops::Range;

/// Brackets within brackets, and blocks within blocks, beyond which nothing is told apart any more.
const MAX_DEPTH: usize = 100;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Name,
    /// A number.
    Number,
    /// A string without names in it.
    Text,
    /// A string with expressions in it: `f'{x}'`.
    Formatted,
    /// An operator or a bracket.
    Operator,
    /// The end of a statement's last line.
    Line,
    /// What follows stands deeper.
    Indent,
    /// What follows stands less deep.
    Dedent,
    /// What no Python has.
    Odd,
}

/// A token with its bytes.
#[derive(Clone, Debug)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its text; empty where that is not ASCII, or does not matter.
    pub text: &'a str,
    /// Its bytes.
    pub span: Range<usize>,
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub struct Tokens<'a> {
    /// In order.
    pub list: Vec<Token<'a>>,
    /// Where something stands that may hide code from this reader: letters outside ASCII in a name (Python takes some
    /// for others), or a string in which quotes stand in braces.
    pub hidden: Option<usize>,
}

/// Tells the tokens of a text apart. Never fails.
pub fn tokens(text: &[u8]) -> Tokens<'_> {
    let start = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let is_utf8 = super::encoding::of(text) == super::encoding::Encoding::Utf8;
    let mut reader = Reader { text, at: start, depth: 0, columns: vec![0], is_utf8, found: Tokens::default() };
    while reader.at < text.len() {
        reader.line();
    }
    reader.push(Kind::Line, text.len()..text.len());
    for _ in 1..reader.columns.len() {
        reader.push(Kind::Dedent, text.len()..text.len());
    }
    reader.found
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// Open brackets.
    depth: usize,
    /// Columns of the blocks that are open.
    columns: Vec<usize>,
    /// Whether letters stand for what they look like.
    is_utf8: bool,
    found: Tokens<'a>,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at.checked_add(ahead)?).copied()
    }

    fn push(&mut self, kind: Kind, span: Range<usize>) {
        let text = self.text.get(span.clone()).and_then(|bytes| str::from_utf8(bytes).ok()).filter(|text| text.is_ascii());
        self.found.list.push(Token { kind, text: text.unwrap_or_default(), span });
    }

    /// One statement's line, with those that its brackets reach over.
    fn line(&mut self) {
        let mut column = 0;
        loop {
            match self.peek(0) {
                Some(b' ') => column += 1,
                // As Python 2 did; where Python 3 takes a text at all it comes to the same.
                Some(b'\t') => column = (column / 8 + 1) * 8,
                Some(0x0C) => column = 0,
                _ => break,
            }
            self.at += 1;
        }
        match self.peek(0) {
            None => return,
            Some(b'\r' | b'\n') => return self.at += 1,
            Some(b'#') => return self.comment(),
            Some(_) => self.indent(column),
        }
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | 0x0C => self.at += 1,
                b'#' => self.comment(),
                b'\r' | b'\n' if self.depth > 0 => self.at += 1,
                b'\r' | b'\n' => {
                    self.push(Kind::Line, self.at..self.at);
                    self.at += 1;
                    return;
                }
                b'\\' if matches!(self.peek(1), Some(b'\r' | b'\n')) => {
                    self.at += if self.peek(1) == Some(b'\r') && self.peek(2) == Some(b'\n') { 3 } else { 2 };
                }
                _ => self.token(byte),
            }
        }
    }

    fn indent(&mut self, column: usize) {
        let at = self.at;
        while self.columns.len() > 1 && self.columns.last().is_some_and(|last| column < *last) {
            self.columns.pop();
            self.push(Kind::Dedent, at..at);
        }
        if self.columns.last().is_some_and(|last| column > *last) {
            if self.columns.len() > MAX_DEPTH {
                self.found.hidden.get_or_insert(at);
                return;
            }
            self.columns.push(column);
            self.push(Kind::Indent, at..at);
        }
    }

    fn comment(&mut self) {
        while self.peek(0).is_some_and(|byte| !matches!(byte, b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn token(&mut self, byte: u8) {
        let start = self.at;
        let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_digit());
        if is_digit(Some(byte)) || (byte == b'.' && is_digit(self.peek(1))) {
            return self.number();
        }
        if byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii() {
            while self.peek(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()) {
                self.at += 1;
            }
            let word = self.text.get(start..self.at).unwrap_or_default();
            if let Some(quote @ (b'\'' | b'"')) = self.peek(0)
                && word.len() <= 2
                && word.iter().all(|letter| b"rRbBuUfFtT".contains(letter))
            {
                return self.string(start, quote, word.iter().any(|letter| b"fFtT".contains(letter)));
            }
            let is_known = self.is_utf8 && str::from_utf8(word).is_ok_and(|word| word.chars().any(is_no_ascii));
            if !word.is_ascii() && !is_known {
                self.found.hidden.get_or_insert(start);
            }
            return self.push(Kind::Name, start..self.at);
        }
        if matches!(byte, b'\'' | b'"') {
            return self.string(start, byte, false);
        }
        let rest = self.text.get(start..).unwrap_or_default();
        const LONG: [&[u8]; 26] = [
            b"**=", b"//=", b"<<=", b">>=", b"...", b"**", b"//", b"<<", b">>", b"<=", b">=", b"==", b"!=", b"->", b"+=", b"-=", b"*=",
            b"/=", b"%=", b"&=", b"|=", b"^=", b"@=", b":=", b"<>", b"~",
        ];
        let length = LONG.iter().find(|long| rest.starts_with(long)).map_or(1, |long| long.len());
        match byte {
            b'(' | b'[' | b'{' => self.depth += 1,
            b')' | b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.at += length;
        let is_known = length > 1 || b"()[]{},:.;@=+-*/%&|^~<>".contains(&byte);
        self.push(if is_known { Kind::Operator } else { Kind::Odd }, start..self.at);
    }

    fn number(&mut self) {
        let start = self.at;
        let is_hex = self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X'));
        while let Some(byte) = self.peek(0) {
            let is_sign = matches!(byte, b'+' | b'-');
            let after_exponent = self.at > start && matches!(self.text.get(self.at - 1), Some(b'e' | b'E')) && !is_hex;
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || is_sign && after_exponent) {
                break;
            }
            self.at += 1;
        }
        self.push(Kind::Number, start..self.at);
    }

    fn string(&mut self, start: usize, quote: u8, is_formatted: bool) {
        let open = self.at;
        let end = super::script::string_end(self.text, open, quote);
        self.at = end.max(open + 1);
        let inner = self.text.get(open..self.at).unwrap_or_default();
        let is_closed = inner.len() >= 2 && inner.last() == Some(&quote);
        let count = |which: u8| inner.iter().filter(|byte| **byte == which).count();
        if is_formatted && count(b'{') != count(b'}') {
            self.found.hidden.get_or_insert(start);
        }
        let kind = match (is_closed, is_formatted) {
            (false, _) => Kind::Odd,
            (true, true) => Kind::Formatted,
            (true, false) => Kind::Text,
        };
        self.push(kind, start..self.at);
    }
}

/// Whether a letter is one that Python takes for no ASCII letter: of these alphabets each is itself, and keeps a name from
/// being another one.
fn is_no_ascii(c: char) -> bool {
    matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ı' | 'Ĵ'..='ľ' | 'Ł'..='ň' | 'Ŋ'..='ž' | 'Α'..='Ω' | 'α'..='ω')
        || matches!(u32::from(c), 0x0400..=0x052F | 0x05D0..=0x05EA | 0x0620..=0x064A | 0x3041..=0x3096 | 0x30A1..=0x30FA)
        || matches!(u32::from(c), 0x4E00..=0x9FFF | 0xAC00..=0xD7A3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(text: &str) -> String {
        let part = |token: &Token<'_>| match token.kind {
            Kind::Line => "⏎".to_owned(),
            Kind::Indent => "→".to_owned(),
            Kind::Dedent => "←".to_owned(),
            _ => token.text.to_owned(),
        };
        tokens(text.as_bytes()).list.iter().map(part).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_and_blocks_are_told_apart() {
        assert_eq!(shown("if a:\n\tb=-1 # c\n\n  # d\ne"), "if a : ⏎ → b = - 1 ⏎ ← e ⏎");
        assert_eq!(shown("    if a:\n\tb\n    c"), "→ if a : ⏎ → b ⏎ ← c ⏎ ←");
        assert_eq!(shown("f(1,\n  2) ; g\\\n  .h"), "f ( 1 , 2 ) ; g . h ⏎");
        assert_eq!(shown("a # b\rc"), "a ⏎ c ⏎");
        assert_eq!(shown("r'\\' # no' 1e-5-2 0xe-1"), "r'\\' # no' 1e-5 - 2 0xe - 1 ⏎");
    }

    #[test]
    fn what_may_hide_code_is_known() {
        assert!(tokens("ｃhoice = 1".as_bytes()).hidden.is_some());
        assert!(tokens("ºame = 1; ſet = 2; 𝐧ame = 3".as_bytes()).hidden.is_some());
        assert!(tokens("größe = 1; имя = 2; 이름 = 3".as_bytes()).hidden.is_none());
        assert!(tokens(b"# coding: mac-roman\n\xDEnd = 3").hidden.is_some());
        assert!(tokens(b"f'{d['#']}'; x = 5").hidden.is_some());
        assert!(tokens("x = 'é' # é".as_bytes()).hidden.is_none());
    }

    proptest! {
        #[test]
        fn every_token_lies_in_the_text_and_in_order(text in "[a-c='\"\\\\#()\\[\\]{}:;, \r\n\t0-9.f]{0,80}") {
            let found = tokens(text.as_bytes()).list;
            prop_assert!(found.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
        }
    }
}
