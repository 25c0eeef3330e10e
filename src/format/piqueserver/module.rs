//! What the names of a script mean: whose function or list it is, and whether anything else in the file may change it.
//!
//! Everything is looked at once, from the first line to the last, and a name counts only where every use of it is known
//! to leave it as it is. Nothing is run. Callers: the readers of places.

mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::expression::{Expression, Form};
use super::statement::{Act, Function, Statement, statements};
use super::tokens::{Token, tokens};

/// Why something is not understood, and where that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unclear {
    /// Offset in the file.
    pub at: usize,
    /// A part of a sentence.
    pub why: &'static str,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// `name(…)`.
    Called,
    /// `name.more`.
    Attribute,
    /// Looked at by what changes nothing, but may hand out one of its items.
    Read,
    /// As [`Use::Read`], and the item is taken apart at once.
    TakenApart,
    /// Anything else: it may live on under another name.
    Plain,
}

/// What is known of a name at the top level.
#[derive(Debug, Default)]
pub(super) struct Name<'a> {
    /// The value of an assignment at the top level.
    literal: Option<Expression<'a>>,
    /// The tokens of whatever it is set to.
    values: Vec<Range<usize>>,
    /// How often it is set, other than by an import or by `def` at the top level.
    sets: usize,
    /// Where it was set last.
    set_at: usize,
    imports: Vec<String>,
    /// Functions of that name at the top level, by their statement.
    functions: Vec<usize>,
    pub(super) uses: Vec<(usize, Use)>,
}

/// What a name means.
#[derive(Clone, Debug)]
pub enum Meaning<'m, 'a> {
    /// Something of a library, by its whole name.
    Library(String),
    /// A literal of the file.
    Literal(&'m Expression<'a>),
    /// Unknown; with the offset of what made it so.
    Unknown(usize),
}

/// A script with its names.
#[derive(Debug, Default)]
pub struct Module<'a> {
    /// Its tokens.
    pub tokens: Vec<Token<'a>>,
    statements: Vec<Statement<'a>>,
    pub(super) names: BTreeMap<&'a str, Name<'a>>,
    /// Behind which Python may tell words apart in another way.
    pub hidden: Option<usize>,
    /// Why no name can be relied on.
    unclear: Option<Unclear>,
    pub(super) has_random_star: bool,
    /// Where all names of a module were taken last.
    pub(super) star_at: Option<usize>,
    /// Where anything may be set that the file names, and whether that may be at any time: in a function.
    pub(super) doors: Vec<(usize, bool)>,
    /// Names that are set in ways of their own, with the offset, and whether that may be at any time.
    pub(super) odd_sets: Vec<(&'a str, usize, bool)>,
    /// In the function or class that is looked at: its name, and the names that stand alone in it, so that it may set them.
    inside: Option<(&'a str, BTreeSet<&'a str>)>,
}

impl<'a> Module<'a> {
    /// Looks at a whole script.
    pub fn new(text: &'a [u8]) -> Self {
        let found = tokens(text);
        let statements = statements(text, &found.list);
        let why = "part of the file may hide code from Spadework";
        let unclear = found.hidden.map(|at| Unclear { at, why });
        let mut module = Self { tokens: found.list, hidden: found.hidden, unclear, ..Self::default() };
        module.doors.extend(found.hidden.map(|at| (at, true)));
        module.look_at_tokens();
        for (index, statement) in statements.iter().enumerate() {
            if let Act::Function(function) = &statement.act
                && !function.is_decorated
            {
                module.names.entry(function.name).or_default().functions.push(index);
            }
            module.bind(statement, true);
        }
        for statement in &statements {
            module.look_at(statement);
        }
        module.statements = statements;
        module
    }

    /// The one function of that name, as the server gets it. `None` where the name does not occur.
    ///
    /// # Errors
    /// [`Unclear`] where it may be another one by then.
    pub fn function(&self, name: &str, text: &[u8]) -> Option<Result<(&Function<'a>, Range<usize>), Unclear>> {
        let hidden = self.unclear.filter(|_| text.windows(name.len()).any(|window| window == name.as_bytes()));
        let Some(known) = self.names.get(name) else { return hidden.map(Err) };
        if let Some(unclear) = self.unclear {
            return Some(Err(unclear));
        }
        let at = |index: usize| self.statements.get(index).map_or(0, |statement| self.offset(statement.tokens.start));
        let unclear = |at: usize, why: &'static str| Some(Err(Unclear { at, why }));
        if let Some((_, at, _)) = self.odd_sets.iter().find(|(odd, ..)| *odd == name) {
            return unclear(*at, "the function is set, wrapped or taken away there");
        }
        match known.functions.as_slice() {
            _ if known.sets > 0 || !known.imports.is_empty() => unclear(known.set_at, "the function is set, wrapped or taken away there"),
            [only] => {
                if let Some((at, _)) = known.uses.iter().find(|(_, how)| *how != Use::Called) {
                    return unclear(*at, "the function is handed on there");
                }
                let statement = self.statements.get(*only)?;
                let Act::Function(function) = &statement.act else { return None };
                Some(Ok((function, statement.tokens.clone())))
            }
            [_, .., last] => unclear(at(*last), "the function is there twice"),
            [] => known.uses.first().and_then(|(at, _)| unclear(*at, "it is no function at the top level of the file")),
        }
    }

    /// What a name that is no local one means.
    pub fn meaning(&self, name: &str) -> Meaning<'_, 'a> {
        if let Some(unclear) = self.unclear {
            return Meaning::Unknown(unclear.at);
        }
        let Some(known) = self.names.get(name).filter(|known| known.is_bound()) else {
            let default = match name {
                "random" if self.has_random_star => Some("random.random".to_owned()),
                "random" => Some(name.to_owned()),
                "randrange" | "randint" | "choice" => Some(format!("random.{name}")),
                "BLUE_FLAG" | "GREEN_FLAG" | "BLUE_BASE" | "GREEN_BASE" => Some(format!("pyspades.constants.{name}")),
                _ => Some(format!("builtins.{name}")),
            };
            return default.filter(|path| path != "random" || self.is_untouched(name)).map_or(Meaning::Unknown(0), Meaning::Library);
        };
        match (known.sets, known.functions.is_empty(), known.imports.as_slice(), &known.literal) {
            (1, true, [], Some(literal)) if known.leaves(literal) && self.star_at.is_none_or(|star| star < known.set_at) => {
                Meaning::Literal(literal)
            }
            (0, true, [path, rest @ ..], _) if rest.iter().all(|other| other == path) && !self.has_random_star => {
                match path != "random" || self.is_untouched(name) {
                    true => Meaning::Library(path.clone()),
                    false => Meaning::Unknown(known.set_at),
                }
            }
            _ => Meaning::Unknown(known.uses.iter().find(|(_, how)| *how == Use::Plain).map_or(known.set_at, |(at, _)| *at)),
        }
    }

    /// The numbers that a name at the top level may stand for, by their tokens.
    pub fn values_of(&self, name: &str) -> &[Range<usize>] {
        self.names.get(name).map_or(&[], |known| known.values.as_slice())
    }

    /// The names that are used outside some functions.
    pub fn used_outside(&self, inside: &[Range<usize>]) -> Vec<&'a str> {
        let is_outside = |at: &usize| !inside.iter().any(|span| span.contains(at));
        self.names.iter().filter(|(_, known)| known.uses.iter().any(|(at, _)| is_outside(at))).map(|(name, _)| *name).collect()
    }

    /// The bytes of some tokens.
    pub fn span(&self, tokens: &Range<usize>) -> Range<usize> {
        let end = tokens.end.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.span.end);
        let start = self.offset(tokens.start);
        start..end.max(start)
    }

    /// The bytes of a number with its sign, without the parentheses around it; `None` where a comment may stand in them.
    pub fn bare_number(&self, tokens: &Range<usize>) -> Option<Range<usize>> {
        let mut bare = tokens.clone();
        let is = |at: Option<usize>, text: &str| at.and_then(|at| self.tokens.get(at)).is_some_and(|token| token.text == text);
        while is(Some(bare.start), "(") && is(bare.end.checked_sub(1), ")") {
            bare = bare.start + 1..bare.end - 1;
        }
        let inside = self.tokens.get(bare.clone())?;
        let gaps: usize = inside.windows(2).map(|two| if let [a, b] = two { b.span.start.saturating_sub(a.span.end) } else { 0 }).sum();
        // A comment and the end of its line take two bytes.
        (gaps < 2).then(|| self.span(&bare))
    }

    /// The offset of a token.
    pub fn offset(&self, token: usize) -> usize {
        self.tokens.get(token).map_or(0, |token| token.span.start)
    }

    /// Whether nothing is done with a module but to use what is in it.
    fn is_untouched(&self, name: &str) -> bool {
        self.names.get(name).is_none_or(|known| known.uses.iter().all(|(_, how)| *how == Use::Attribute))
    }
}

impl Name<'_> {
    pub(super) fn is_bound(&self) -> bool {
        self.sets > 0 || !self.imports.is_empty() || !self.functions.is_empty()
    }

    /// Whether all uses leave a literal as it is.
    fn leaves(&self, literal: &Expression<'_>) -> bool {
        let is_solid = |item: &Expression<'_>| !matches!(item.form, Form::List(_) | Form::Other);
        match &literal.form {
            Form::Int(_) => true,
            Form::List(items) | Form::Tuple(items) => {
                let is_flat = items.iter().all(is_solid)
                    && items.iter().all(|item| match &item.form {
                        Form::Tuple(parts) => parts.iter().all(is_solid),
                        _ => true,
                    });
                self.uses.iter().all(|(_, how)| *how == Use::TakenApart || is_flat && *how == Use::Read)
            }
            _ => false,
        }
    }
}
