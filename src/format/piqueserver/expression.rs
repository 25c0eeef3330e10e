//! Expressions of Python as far as places are made of them; the rest is [`Form::Other`], with its tokens.
//!
//! Nesting is bounded, so that no text makes the reader, or who walks over what it read, run out of stack.

use std::ops::Range;

use super::literal::{Value as Plain, literal_at};
use super::tokens::{Kind, Token};

/// Most expressions within expressions, and most parts of one.
const MAX_DEPTH: usize = 40;

/// An expression with the tokens that it is made of, by their index.
#[derive(Clone, Debug)]
pub struct Expression<'a> {
    /// What it is.
    pub form: Form<'a>,
    /// Its tokens.
    pub tokens: Range<usize>,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum Form<'a> {
    /// A name.
    Name(&'a str),
    /// A whole number.
    Int(i64),
    /// Another number.
    Float(f64),
    /// A string.
    Text,
    /// `None`.
    None,
    /// `True` or `False`.
    Bool(bool),
    /// `a, b`.
    Tuple(Vec<Expression<'a>>),
    /// `[a, b]`.
    List(Vec<Expression<'a>>),
    /// `a.name`.
    Attribute(Box<Expression<'a>>, &'a str),
    /// `a(b, c)`, without names or stars before the arguments.
    Call(Box<Expression<'a>>, Vec<Expression<'a>>),
    /// `a[b]`.
    Item(Box<Expression<'a>>, Box<Expression<'a>>),
    /// `-a`.
    Minus(Box<Expression<'a>>),
    /// `a + b`, and others of that kind by their sign.
    Sum(Box<Expression<'a>>, &'a str, Box<Expression<'a>>),
    /// `a < b`, by its words.
    Comparison(Box<Expression<'a>>, Comparison, Box<Expression<'a>>),
    /// `not a`.
    Not(Box<Expression<'a>>),
    /// `a and b and c`.
    All(Vec<Expression<'a>>),
    /// `a or b or c`.
    Any(Vec<Expression<'a>>),
    /// `a if test else b`: test, a, b.
    Choice(Box<[Expression<'a>; 3]>),
    /// Anything else.
    Other,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`.
    Equal,
    /// `!=`.
    Differs,
    /// `is`.
    Is,
    /// `is not`.
    IsNot,
    /// `in`.
    In,
    /// `not in`.
    NotIn,
    /// `<`.
    Less,
    /// `<=`.
    AtMost,
    /// `>`.
    Greater,
    /// `>=`.
    AtLeast,
}

/// Words that are no names.
pub const KEYWORDS: [&str; 32] = [
    "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally", "for",
    "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with",
    "yield",
];

/// Whether a token is a name and no keyword.
pub fn is_name(token: &Token<'_>) -> bool {
    token.kind == Kind::Name && !KEYWORDS.contains(&token.text) && !matches!(token.text, "None" | "True" | "False" | "")
}

/// Reads the tokens of a whole expression.
pub fn expression<'a>(text: &[u8], tokens: &[Token<'a>], span: Range<usize>) -> Expression<'a> {
    let mut reader = Reader { text, tokens, at: span.start, end: span.end, depth: 0 };
    let other = Expression { form: Form::Other, tokens: span.clone() };
    match reader.tuple() {
        Some(found) if reader.at == span.end => found,
        _ => other,
    }
}

struct Reader<'t, 'a> {
    text: &'t [u8],
    tokens: &'t [Token<'a>],
    at: usize,
    end: usize,
    depth: usize,
}

type Read<'a> = Option<Expression<'a>>;

impl<'a> Reader<'_, 'a> {
    fn word(&self) -> &'a str {
        self.ahead(0)
    }

    fn ahead(&self, count: usize) -> &'a str {
        let token = self.tokens.get(self.at + count).filter(|_| self.at + count < self.end);
        token.filter(|token| !matches!(token.kind, Kind::Text | Kind::Formatted)).map_or("", |token| token.text)
    }

    fn take(&mut self, word: &str) -> Option<()> {
        (self.word() == word).then(|| self.at += 1)
    }

    fn made(&self, start: usize, form: Form<'a>) -> Read<'a> {
        Some(Expression { form, tokens: start..self.at })
    }

    /// Whether an expression of a tuple can begin here.
    fn ends_here(&self) -> bool {
        self.at >= self.end || matches!(self.word(), ")" | "]" | "}" | "=" | ":")
    }

    /// `a, b`, or one expression.
    fn tuple(&mut self) -> Read<'a> {
        let start = self.at;
        let first = self.choice()?;
        if self.word() != "," {
            return Some(first);
        }
        let mut items = vec![first];
        while self.take(",").is_some() {
            if self.ends_here() {
                break;
            }
            items.push(self.choice()?);
        }
        self.made(start, Form::Tuple(items))
    }

    /// `a if b else c`.
    fn choice(&mut self) -> Read<'a> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let start = self.at;
        let first = self.any()?;
        let found = if self.take("if").is_some() {
            let test = self.any()?;
            self.take("else")?;
            let other = self.choice()?;
            self.made(start, Form::Choice(Box::new([test, first, other])))
        } else {
            Some(first)
        };
        self.depth -= 1;
        found
    }

    fn any(&mut self) -> Read<'a> {
        let start = self.at;
        let first = self.all()?;
        if self.word() != "or" {
            return Some(first);
        }
        let mut parts = vec![first];
        while self.take("or").is_some() {
            parts.push(self.all()?);
        }
        self.made(start, Form::Any(parts))
    }

    fn all(&mut self) -> Read<'a> {
        let start = self.at;
        let first = self.not()?;
        if self.word() != "and" {
            return Some(first);
        }
        let mut parts = vec![first];
        while self.take("and").is_some() {
            parts.push(self.not()?);
        }
        self.made(start, Form::All(parts))
    }

    fn not(&mut self) -> Read<'a> {
        let start = self.at;
        if self.take("not").is_none() {
            return self.comparison();
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let inner = self.not()?;
        self.depth -= 1;
        self.made(start, Form::Not(Box::new(inner)))
    }

    /// One comparison; of several in a row no one is made.
    fn comparison(&mut self) -> Read<'a> {
        let start = self.at;
        let left = self.sum()?;
        let Some(how) = self.comparing() else { return Some(left) };
        let right = self.sum()?;
        if self.comparing().is_some() {
            return None;
        }
        self.made(start, Form::Comparison(Box::new(left), how, Box::new(right)))
    }

    fn comparing(&mut self) -> Option<Comparison> {
        let (how, length) = match (self.word(), self.ahead(1)) {
            ("==", _) => (Comparison::Equal, 1),
            ("!=" | "<>", _) => (Comparison::Differs, 1),
            ("<", _) => (Comparison::Less, 1),
            ("<=", _) => (Comparison::AtMost, 1),
            (">", _) => (Comparison::Greater, 1),
            (">=", _) => (Comparison::AtLeast, 1),
            ("is", "not") => (Comparison::IsNot, 2),
            ("is", _) => (Comparison::Is, 1),
            ("in", _) => (Comparison::In, 1),
            ("not", "in") => (Comparison::NotIn, 2),
            _ => return None,
        };
        self.at += length;
        Some(how)
    }

    /// `a + b - c`, and products, which bind closer.
    fn sum(&mut self) -> Read<'a> {
        let start = self.at;
        let mut left = self.product()?;
        let mut parts = 0;
        while matches!(self.word(), "+" | "-") {
            let sign = self.word();
            self.at += 1;
            parts += 1;
            if parts > MAX_DEPTH {
                return None;
            }
            let right = self.product()?;
            left = self.made(start, Form::Sum(Box::new(left), sign, Box::new(right)))?;
        }
        // Shifts and the like bind weaker, and are not followed.
        (!matches!(self.word(), "<<" | ">>" | "&" | "|" | "^")).then_some(left)
    }

    /// Products and quotients are calculated by nobody here, but they are arguments.
    fn product(&mut self) -> Read<'a> {
        let start = self.at;
        let left = self.signed()?;
        if !matches!(self.word(), "*" | "/" | "//" | "%" | "**" | "@") {
            return Some(left);
        }
        while matches!(self.word(), "*" | "/" | "//" | "%" | "**" | "@") {
            self.at += 1;
            self.signed()?;
        }
        self.made(start, Form::Other)
    }

    fn signed(&mut self) -> Read<'a> {
        let start = self.at;
        let sign = self.word();
        if !matches!(sign, "-" | "+" | "~") {
            return self.primary();
        }
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let inner = self.signed()?;
        self.depth -= 1;
        match (sign, &inner.form) {
            ("-", Form::Int(number)) => self.made(start, Form::Int(number.checked_neg()?)),
            ("-", Form::Float(number)) => self.made(start, Form::Float(-number)),
            ("-", _) => self.made(start, Form::Minus(Box::new(inner))),
            ("+", Form::Int(_) | Form::Float(_)) => Some(Expression { form: inner.form, tokens: start..self.at }),
            _ => self.made(start, Form::Other),
        }
    }

    /// A name, a literal or brackets, with what is called, taken or named of it.
    fn primary(&mut self) -> Read<'a> {
        let start = self.at;
        let mut found = self.atom()?;
        let mut parts = 0;
        loop {
            parts += 1;
            if parts > MAX_DEPTH {
                return None;
            }
            let form = match self.word() {
                "." => {
                    self.at += 1;
                    let name = self.tokens.get(self.at).filter(|token| self.at < self.end && token.kind == Kind::Name)?.text;
                    self.at += 1;
                    Form::Attribute(Box::new(found), name)
                }
                "(" => {
                    self.at += 1;
                    match self.arguments()? {
                        Some(arguments) => Form::Call(Box::new(found), arguments),
                        None => Form::Other,
                    }
                }
                "[" => {
                    self.at += 1;
                    let item = self.tuple()?;
                    self.take("]")?;
                    Form::Item(Box::new(found), Box::new(item))
                }
                _ => return Some(found),
            };
            found = self.made(start, form)?;
        }
    }

    /// Arguments up to the closing bracket; `None` in it where some are given by name or with a star.
    fn arguments(&mut self) -> Option<Option<Vec<Expression<'a>>>> {
        let (mut found, mut is_plain) = (vec![], true);
        while self.take(")").is_none() {
            if matches!(self.word(), "*" | "**") {
                self.at += 1;
                is_plain = false;
            } else if self.ahead(1) == "=" {
                self.at += 2;
                is_plain = false;
            }
            found.push(self.choice()?);
            if self.take(",").is_none() && self.word() != ")" {
                return None;
            }
        }
        Some(is_plain.then_some(found))
    }

    fn atom(&mut self) -> Read<'a> {
        let start = self.at;
        let token = self.tokens.get(self.at).filter(|_| self.at < self.end)?;
        self.at += 1;
        let form = match (token.kind, token.text) {
            (Kind::Number, _) => match literal_at(self.text, token.span.start).ok().filter(|literal| literal.span == token.span)?.value {
                Plain::Int(number) => Form::Int(number),
                Plain::Float(number) => Form::Float(number),
                _ => return None,
            },
            (Kind::Text, _) => {
                while self.tokens.get(self.at).is_some_and(|token| self.at < self.end && token.kind == Kind::Text) {
                    self.at += 1;
                }
                Form::Text
            }
            (Kind::Formatted, _) => Form::Other,
            (Kind::Name, "None") => Form::None,
            (Kind::Name, "True") => Form::Bool(true),
            (Kind::Name, "False") => Form::Bool(false),
            (Kind::Name, name) if is_name(token) => Form::Name(name),
            (Kind::Operator, "(") => return self.parenthesized(start),
            (Kind::Operator, "[") => {
                let items = self.items("]")?;
                Form::List(items)
            }
            _ => return None,
        };
        self.made(start, form)
    }

    fn parenthesized(&mut self, start: usize) -> Read<'a> {
        if self.take(")").is_some() {
            return self.made(start, Form::Tuple(vec![]));
        }
        let inner = self.tuple()?;
        self.take(")")?;
        self.made(start, inner.form)
    }

    fn items(&mut self, close: &str) -> Option<Vec<Expression<'a>>> {
        let mut items = vec![];
        while self.take(close).is_none() {
            items.push(self.choice()?);
            if self.take(",").is_none() && self.word() != close {
                return None;
            }
        }
        Some(items)
    }
}
