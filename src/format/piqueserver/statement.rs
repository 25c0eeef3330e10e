//! Statements of Python: what runs after what. What is not told apart is [`Act::Other`], with all tokens of it and of
//! the block below it. Callers: the names of a script, and the runs of its functions.

use std::ops::Range;

use super::expression::{Expression, Form, expression, is_name};
use super::tokens::{Kind, Token};

/// Blocks within blocks that are followed.
const MAX_DEPTH: usize = 40;

/// A statement with its tokens, those of the blocks below it as well.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    /// What it does.
    pub act: Act<'a>,
    /// Its tokens, by their index.
    pub tokens: Range<usize>,
}

/// A name that a statement takes from a module: what it is called here, and where it comes from.
pub type Import<'a> = (&'a str, String);

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Act<'a> {
    /// `a = b = value`.
    Set(Vec<Expression<'a>>, Expression<'a>),
    /// `a += value`, with the sign before `=`.
    Change(Expression<'a>, &'a str, Expression<'a>),
    /// `return value`.
    Return(Option<Expression<'a>>),
    /// A value that is used for nothing: a call.
    Value(Expression<'a>),
    /// `if`, `elif`, …; and `else`.
    If(Vec<(Expression<'a>, Vec<Statement<'a>>)>, Vec<Statement<'a>>),
    /// `while test`.
    While(Expression<'a>, Vec<Statement<'a>>),
    /// `for target in values`.
    For(Expression<'a>, Expression<'a>, Vec<Statement<'a>>),
    /// `try`: what may fail, what runs then (with the names that hold the faults), what runs otherwise.
    Try(Vec<Statement<'a>>, Vec<(Option<&'a str>, Vec<Statement<'a>>)>, Vec<Statement<'a>>),
    /// `def name(…)`.
    Function(Function<'a>),
    /// `class name`.
    Class(&'a str, Vec<Statement<'a>>),
    /// `import a`, `from a import b`.
    Import(Vec<Import<'a>>),
    /// `from a import *`.
    ImportAll(String),
    /// `global a`.
    Global(Vec<&'a str>),
    /// `pass`.
    Nothing,
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `raise`.
    Raise,
    /// Anything else.
    Other,
}

/// `def name(…)`.
#[derive(Clone, Debug)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// Parameters, and whether each can be left out; `None` where they are of other kinds.
    pub parameters: Option<Vec<(&'a str, bool)>>,
    /// What it does.
    pub body: Vec<Statement<'a>>,
    /// Whether something wraps it.
    pub is_decorated: bool,
}

/// All statements of a text.
pub fn statements<'a>(text: &[u8], tokens: &[Token<'a>]) -> Vec<Statement<'a>> {
    let mut reader = Reader { text, tokens, at: 0, depth: 0 };
    reader.block(true)
}

struct Reader<'t, 'a> {
    text: &'t [u8],
    tokens: &'t [Token<'a>],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'_, 'a> {
    fn token(&self, at: usize) -> Option<&Token<'a>> {
        self.tokens.get(at)
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.token(at).map(|token| token.kind)
    }

    fn word(&self, at: usize) -> &'a str {
        self.token(at).filter(|token| matches!(token.kind, Kind::Name | Kind::Operator)).map_or("", |token| token.text)
    }

    /// Statements up to the end of the block, or of the text.
    fn block(&mut self, is_whole: bool) -> Vec<Statement<'a>> {
        let mut found = vec![];
        while let Some(kind) = self.kind(self.at) {
            match kind {
                Kind::Dedent if !is_whole => break,
                Kind::Dedent | Kind::Line => self.at += 1,
                // A block that belongs to nothing.
                Kind::Indent => {
                    let start = self.at;
                    self.skip_block();
                    found.push(Statement { act: Act::Other, tokens: start..self.at });
                }
                _ => found.extend(self.statement()),
            }
        }
        found
    }

    /// Goes behind the block that begins here, if one does.
    fn skip_block(&mut self) {
        let mut depth = 0_usize;
        while let Some(kind) = self.kind(self.at) {
            match kind {
                Kind::Indent => depth += 1,
                Kind::Dedent => depth = depth.saturating_sub(1),
                _ if depth == 0 => return,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// The end of what stands on one line: behind its last token.
    fn line_end(&self, from: usize) -> usize {
        let is_end = |at: &usize| matches!(self.kind(*at), None | Some(Kind::Line | Kind::Indent | Kind::Dedent));
        (from..).find(is_end).unwrap_or(from)
    }

    /// The first of some operators in no bracket.
    fn find(&self, span: Range<usize>, is_meant: impl Fn(&str) -> bool) -> Option<usize> {
        let mut depth = 0_usize;
        for at in span {
            let word = self.word(at);
            match word {
                _ if depth == 0 && is_meant(word) => return Some(at),
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        None
    }

    fn read(&self, span: Range<usize>) -> Expression<'a> {
        expression(self.text, self.tokens, span)
    }

    fn statement(&mut self) -> Vec<Statement<'a>> {
        let start = self.at;
        self.depth += 1;
        let mut head = start;
        let compound = match self.word(start) {
            _ if self.depth > MAX_DEPTH => None,
            "if" => self.branches(),
            "while" => self.while_loop(),
            "for" => self.for_loop(),
            "try" => self.attempt(),
            "def" => self.function(false),
            "class" => self.class(),
            "@" => self.decorated(),
            "with" | "async" | "elif" | "else" | "except" | "finally" => None,
            _ => {
                self.depth -= 1;
                return self.simple_line();
            }
        };
        self.depth -= 1;
        let act = compound.unwrap_or_else(|| {
            // `@a` with what it wraps.
            while self.word(head) == "@" {
                head = self.line_end(head) + 1;
            }
            self.at = self.line_end(head);
            self.at += usize::from(self.kind(self.at) == Some(Kind::Line));
            self.skip_block();
            Act::Other
        });
        // What belongs to something that was not understood is not understood either.
        let end = self.at;
        while matches!(self.word(self.at), "elif" | "else" | "except" | "finally") {
            self.at = self.line_end(self.at) + 1;
            self.skip_block();
        }
        let act = if self.at > end { Act::Other } else { act };
        vec![Statement { act, tokens: start..self.at }]
    }

    /// The statements of one line, with semicolons between them.
    fn simple_line(&mut self) -> Vec<Statement<'a>> {
        let end = self.line_end(self.at);
        let mut found = vec![];
        let mut start = self.at;
        while start < end {
            let stop = self.find(start..end, |word| word == ";").unwrap_or(end);
            if stop > start {
                found.push(Statement { act: self.simple(start..stop), tokens: start..stop });
            }
            start = stop + 1;
        }
        self.at = end + usize::from(self.kind(end) == Some(Kind::Line));
        // `match x:` and what else has a block below it that none should have.
        if self.kind(self.at) == Some(Kind::Indent) {
            let start = found.first().map_or(self.at, |first| first.tokens.start);
            self.skip_block();
            return vec![Statement { act: Act::Other, tokens: start..self.at }];
        }
        found
    }

    fn simple(&self, span: Range<usize>) -> Act<'a> {
        let rest = span.start + 1..span.end;
        match self.word(span.start) {
            "pass" if rest.is_empty() => Act::Nothing,
            "break" if rest.is_empty() => Act::Break,
            "continue" if rest.is_empty() => Act::Continue,
            "raise" => Act::Raise,
            "return" => Act::Return((!rest.is_empty()).then(|| self.read(rest))),
            "import" | "from" => self.import(&span).unwrap_or(Act::Other),
            "global" => {
                let names = rest.filter(|at| self.word(*at) != ",").map(|at| self.word(at)).collect();
                Act::Global(names)
            }
            "del" | "assert" | "nonlocal" | "yield" | "await" => Act::Other,
            _ => self.assignment(span),
        }
    }

    fn assignment(&self, span: Range<usize>) -> Act<'a> {
        if let Some(at) = self.find(span.clone(), |word| word.len() > 1 && word.ends_with('=') && !is_comparing(word)) {
            let (target, value) = (self.read(span.start..at), self.read(at + 1..span.end));
            return Act::Change(target, self.word(at).trim_end_matches('='), value);
        }
        let mut targets = vec![];
        let mut start = span.start;
        while let Some(at) = self.find(start..span.end, |word| word == "=") {
            // `a: kind = value`.
            let end = self.find(start..at, |word| word == ":").unwrap_or(at);
            targets.push(self.read(start..end));
            start = at + 1;
        }
        let value = self.read(start..span.end);
        match targets.is_empty() {
            true if self.find(span.clone(), |word| matches!(word, ":" | ":=")).is_some() => Act::Other,
            true => Act::Value(value),
            false => Act::Set(targets, value),
        }
    }

    /// A name with dots at `at`, and the token behind it.
    fn dotted(&self, mut at: usize) -> Option<(String, usize)> {
        let mut name = String::new();
        while self.word(at) == "." {
            name.push('.');
            at += 1;
        }
        loop {
            if !self.token(at).is_some_and(is_name) {
                break;
            }
            name.push_str(self.word(at));
            at += 1;
            if self.word(at) != "." {
                break;
            }
            name.push('.');
            at += 1;
        }
        (!name.is_empty()).then_some((name, at))
    }

    fn import(&self, span: &Range<usize>) -> Option<Act<'a>> {
        let (module, mut at) = match self.word(span.start) {
            "from" => {
                let (module, at) = self.dotted(span.start + 1)?;
                (self.word(at) == "import").then_some(())?;
                if self.word(at + 1) == "*" && at + 2 == span.end {
                    return Some(Act::ImportAll(module));
                }
                (Some(module), at + 1)
            }
            _ => (None, span.start + 1),
        };
        let mut found = vec![];
        let is_wrapped = module.is_some() && self.word(at) == "(";
        at += usize::from(is_wrapped);
        let end = span.end - usize::from(is_wrapped);
        while at < end {
            let (path, next) = self.dotted(at)?;
            let first = self.word(at);
            at = next;
            let path = match &module {
                Some(module) => format!("{module}.{path}"),
                None => path,
            };
            if self.word(at) == "as" {
                found.push((self.word(at + 1), path));
                at += 2;
            } else if module.is_some() {
                found.push((first, path));
            } else {
                // `import a.b` gives `a`.
                found.push((first, first.to_owned()));
            }
            if at < end {
                (self.word(at) == ",").then_some(())?;
                at += 1;
            }
        }
        Some(Act::Import(found))
    }

    /// What stands behind a colon, on its line or below it.
    fn suite(&mut self, colon: usize) -> Option<Vec<Statement<'a>>> {
        (self.word(colon) == ":").then_some(())?;
        self.at = colon + 1;
        if self.kind(self.at) != Some(Kind::Line) {
            return Some(self.simple_line());
        }
        self.at += 1;
        (self.kind(self.at) == Some(Kind::Indent)).then_some(())?;
        self.at += 1;
        let body = self.block(false);
        self.at += usize::from(self.kind(self.at) == Some(Kind::Dedent));
        Some(body)
    }

    /// The colon that ends the head of a block, and what stands before it, from `start`.
    fn colon(&self, start: usize) -> Option<usize> {
        self.find(start..self.line_end(start), |word| word == ":")
    }

    fn branches(&mut self) -> Option<Act<'a>> {
        let mut arms = vec![];
        loop {
            let colon = self.colon(self.at + 1)?;
            let test = self.read(self.at + 1..colon);
            arms.push((test, self.suite(colon)?));
            match self.word(self.at) {
                "elif" => {}
                "else" => return Some(Act::If(arms, self.suite(self.at + 1)?)),
                _ => return Some(Act::If(arms, vec![])),
            }
        }
    }

    fn while_loop(&mut self) -> Option<Act<'a>> {
        let colon = self.colon(self.at + 1)?;
        let test = self.read(self.at + 1..colon);
        Some(Act::While(test, self.suite(colon)?))
    }

    fn for_loop(&mut self) -> Option<Act<'a>> {
        let colon = self.colon(self.at + 1)?;
        let inside = self.find(self.at + 1..colon, |word| word == "in")?;
        let (target, values) = (self.read(self.at + 1..inside), self.read(inside + 1..colon));
        Some(Act::For(target, values, self.suite(colon)?))
    }

    fn attempt(&mut self) -> Option<Act<'a>> {
        let body = self.suite(self.at + 1)?;
        let mut handlers = vec![];
        while self.word(self.at) == "except" {
            let colon = self.colon(self.at + 1)?;
            let name = (self.word(colon - 2) == "as").then(|| self.word(colon - 1));
            handlers.push((name, self.suite(colon)?));
        }
        (!handlers.is_empty()).then_some(())?;
        let rest = if self.word(self.at) == "else" { self.suite(self.at + 1)? } else { vec![] };
        // What runs in any case is not followed.
        (self.word(self.at) != "finally").then_some(Act::Try(body, handlers, rest))
    }

    fn function(&mut self, is_decorated: bool) -> Option<Act<'a>> {
        let name = self.token(self.at + 1).filter(|token| is_name(token))?.text;
        let open = self.at + 2;
        (self.word(open) == "(").then_some(())?;
        let colon = self.colon(open)?;
        let close = (open..colon).rev().find(|at| self.word(*at) == ")")?;
        let parameters = self.parameters(open + 1..close);
        let body = self.suite(colon)?;
        Some(Act::Function(Function { name, parameters, body, is_decorated }))
    }

    fn parameters(&self, span: Range<usize>) -> Option<Vec<(&'a str, bool)>> {
        let (mut found, mut start) = (vec![], span.start);
        while start < span.end {
            let end = self.find(start..span.end, |word| word == ",").unwrap_or(span.end);
            let token = self.token(start).filter(|token| is_name(token))?;
            let value = self.find(start..end, |word| word == "=");
            // A kind may be named.
            let is_plain = start + 1 == end || matches!(self.word(start + 1), ":" | "=");
            is_plain.then(|| found.push((token.text, value.is_some())))?;
            start = end + 1;
        }
        Some(found)
    }

    fn class(&mut self) -> Option<Act<'a>> {
        let name = self.token(self.at + 1).filter(|token| is_name(token))?.text;
        let colon = self.colon(self.at + 1)?;
        Some(Act::Class(name, self.suite(colon)?))
    }

    fn decorated(&mut self) -> Option<Act<'a>> {
        while self.word(self.at) == "@" {
            self.at = self.line_end(self.at) + 1;
        }
        match self.word(self.at) {
            "def" => self.function(true),
            "class" => self.class(),
            _ => None,
        }
    }
}

fn is_comparing(word: &str) -> bool {
    matches!(word, "==" | "!=" | "<=" | ">=" | ":=")
}

/// The names that an expression as a target sets; `None` where it changes something else, or is not understood.
pub fn targets<'a>(target: &Expression<'a>, found: &mut Vec<&'a str>) -> Option<()> {
    match &target.form {
        Form::Name(name) => found.push(name),
        Form::Tuple(items) | Form::List(items) => items.iter().try_for_each(|item| targets(item, found))?,
        _ => return None,
    }
    Some(())
}
