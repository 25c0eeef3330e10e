//! A function as it runs for one team or thing, statement by statement, with values as far as they are known.
//!
//! Where a test may go either way both ways are taken. What is not understood makes everything unknown that it may
//! touch, and counts every number in it as read.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::expression::{Expression, Form, is_name};
use super::module::{Meaning, Module, Unclear};
use super::statement::{Act, Function, Statement, targets};
use super::tokens::Kind;
use super::value::{Numbers, Shape, Value};
use crate::document::Team;

/// Ways through a function that are followed at a time.
const MAX_WAYS: usize = 32;
/// Steps of a run; a real one has some hundreds.
const MAX_STEPS: usize = 100_000;
/// Rounds after which what a loop sets must hang on the same numbers.
const MAX_ROUNDS: usize = 6;

/// Names that a script has without an import, and those by which this reader takes teams and players where nothing sets
/// them.
const BUILTINS: [&str; 42] = [
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "divmod",
    "enumerate",
    "filter",
    "float",
    "getattr",
    "hasattr",
    "hash",
    "id",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "ord",
    "pow",
    "print",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "tuple",
    "xrange",
    "zip",
    "blue_team",
    "green_team",
    "team",
    "self",
    "protocol",
];

/// Whom a function is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Where a player of a team appears.
    Player(Team),
    /// Where a thing with that number stands, of a team.
    Thing(Team, i64),
}

/// What a function may answer.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The value.
    pub value: Result<Value, Unclear>,
    /// Where it is returned.
    pub at: usize,
    /// Draws of which a loop takes only some.
    pub limited: BTreeSet<usize>,
    /// Whether it is for a player with a certain name only.
    pub is_rare: bool,
}

/// What came of a run.
#[derive(Debug)]
pub struct Ran {
    /// Everything that it may answer.
    pub outcomes: Vec<Outcome>,
    /// The numbers of the file that may change what comes of it, but for those of the answers.
    pub numbers: Numbers,
    /// As `numbers`, for players with certain names.
    pub rare: Numbers,
    /// The numbers of the file that something else is done with on the way: they are told to others, kept, or tested.
    pub uses: Numbers,
}

/// Names with their values on one way through.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct State<'a> {
    pub names: BTreeMap<&'a str, Value>,
    pub limited: BTreeSet<usize>,
    pub is_rare: bool,
}

/// The ways that leave a loop's body other than by its end.
#[derive(Default)]
struct Loop<'a> {
    breaks: Vec<State<'a>>,
    continues: Vec<State<'a>>,
    /// Draws that its tests hang on.
    tests: BTreeSet<usize>,
}

pub(super) struct Run<'m, 'a> {
    pub module: &'m Module<'a>,
    pub asked: Asked,
    /// Names that are the function's own.
    pub own: BTreeSet<&'a str>,
    pub ran: Ran,
    pub next_draw: usize,
    pub steps: usize,
    /// The current statement's offset.
    pub at: usize,
    loops: Vec<Loop<'a>>,
}

/// Why a run ended early.
pub(super) type Stop = Unclear;

/// Runs a function for somebody.
///
/// # Errors
/// [`Unclear`] where it cannot be followed at all.
pub fn run<'a>(module: &Module<'a>, function: &Function<'a>, tokens: &Range<usize>, asked: Asked) -> Result<Ran, Unclear> {
    let at = module.offset(tokens.start);
    let tokens_of = |span: &Range<usize>| module.tokens.get(span.clone()).unwrap_or_default();
    let body = function.body.first().map_or(tokens.end, |first| first.tokens.start)..tokens.end;
    let odd = ["lambda", "nonlocal", "yield", "await", "async", "def", "class"];
    if let Some(token) = tokens_of(&body).iter().find(|token| token.kind == Kind::Name && odd.contains(&token.text)) {
        return Err(Unclear { at: token.span.start, why: "a function within the function, or one that waits" });
    }
    let given = match asked {
        Asked::Player(_) => vec![Value::of(Shape::Connection)],
        Asked::Thing(team, id) => {
            let id = Shape::Int(super::value::Number { value: id, cell: None });
            vec![Value::of(Shape::Team(team)), Value::of(id)]
        }
    };
    let unclear = Unclear { at, why: "the function takes other arguments than the server gives" };
    let parameters = function.parameters.as_deref().ok_or(unclear)?;
    if parameters.len() < given.len() || parameters.iter().skip(given.len()).any(|(_, is_optional)| !is_optional) {
        return Err(unclear);
    }
    let mut state = State::default();
    for (i, (name, _)) in parameters.iter().enumerate() {
        let open = Unclear { at, why: "a parameter that the server does not give" };
        state.names.insert(name, given.get(i).cloned().unwrap_or_else(|| Value::of(Shape::Unknown(open))));
    }
    let mut own: BTreeSet<&'a str> = state.names.keys().copied().collect();
    let mut declared = BTreeSet::new();
    for statement in &function.body {
        names_set(module, statement, &mut own, &mut declared);
    }
    own.retain(|name| !declared.contains(name));
    let ran = Ran { outcomes: vec![], numbers: Numbers::new(), rare: Numbers::new(), uses: Numbers::new() };
    let mut run = Run { module, asked, own, ran, next_draw: 0, steps: 0, at, loops: vec![] };
    for state in run.block(&function.body, vec![state])? {
        let is_rare = state.is_rare;
        run.ran.outcomes.push(Outcome { value: Ok(Value::of(Shape::None)), at, limited: BTreeSet::new(), is_rare });
    }
    Ok(run.ran)
}

/// The names that a statement sets, and those that it declares to be the module's.
fn names_set<'a>(module: &Module<'a>, statement: &Statement<'a>, set: &mut BTreeSet<&'a str>, declared: &mut BTreeSet<&'a str>) {
    let all = |span: &Range<usize>, set: &mut BTreeSet<&'a str>| {
        let tokens = module.tokens.get(span.clone()).unwrap_or_default();
        set.extend(tokens.iter().filter(|token| is_name(token)).map(|token| token.text));
    };
    let of_target = |target: &Expression<'a>, set: &mut BTreeSet<&'a str>| {
        let mut names = vec![];
        match targets(target, &mut names) {
            Some(()) => set.extend(names),
            None if matches!(target.form, Form::Attribute(..) | Form::Item(..)) => {}
            None => all(&target.tokens, set),
        }
    };
    let mut below = |body: &[Statement<'a>], set: &mut BTreeSet<&'a str>| {
        body.iter().for_each(|statement| names_set(module, statement, set, declared));
    };
    match &statement.act {
        Act::Set(targets, _) => targets.iter().for_each(|target| of_target(target, set)),
        Act::Change(target, ..) => of_target(target, set),
        Act::If(arms, rest) => {
            arms.iter().for_each(|(_, body)| below(body, set));
            below(rest, set);
        }
        Act::While(_, body) => below(body, set),
        Act::For(target, _, body) => {
            of_target(target, set);
            below(body, set);
        }
        Act::Try(body, handlers, rest) => {
            below(body, set);
            below(rest, set);
            for (name, body) in handlers {
                set.extend(name);
                below(body, set);
            }
        }
        Act::Import(names) => set.extend(names.iter().map(|(name, _)| *name)),
        Act::Global(names) => declared.extend(names),
        Act::Function(_) | Act::Class(..) | Act::Other | Act::Value(Expression { form: Form::Other, .. }) => {
            // Any name that is neither called nor looked into may be set there.
            let word = |at: usize| module.tokens.get(at).map_or("", |token| token.text);
            let may_be_set = |at: &usize| !matches!(word(at + 1), "." | "(");
            let found = statement.tokens.clone().filter(may_be_set).filter_map(|at| module.tokens.get(at)).filter(|token| is_name(token));
            set.extend(found.map(|token| token.text));
        }
        _ => {}
    }
}

impl<'a> Run<'_, 'a> {
    pub fn unclear(&self, why: &'static str) -> Unclear {
        Unclear { at: self.at, why }
    }

    pub fn unknown(&self, why: &'static str) -> Value {
        Value::of(Shape::Unknown(self.unclear(why)))
    }

    /// Counts work; a run that takes too long is given up.
    pub fn step(&mut self, weight: usize) -> Result<(), Stop> {
        self.steps = self.steps.saturating_add(weight);
        if self.steps > MAX_STEPS { Err(self.unclear("the function is too long to follow")) } else { Ok(()) }
    }

    /// Notes that what comes of the run may hang on these numbers.
    pub fn reads(&mut self, numbers: &Numbers, is_rare: bool) {
        self.steps = self.steps.saturating_add(numbers.len());
        if is_rare { &mut self.ran.rare } else { &mut self.ran.numbers }.extend(numbers);
    }

    /// Notes that something else than the answer is made of these numbers.
    pub fn uses(&mut self, numbers: &Numbers) {
        self.steps = self.steps.saturating_add(numbers.len());
        self.ran.uses.extend(numbers);
    }

    fn block(&mut self, statements: &[Statement<'a>], mut states: Vec<State<'a>>) -> Result<Vec<State<'a>>, Stop> {
        for statement in statements {
            let mut next = Vec::<State<'a>>::new();
            for state in states {
                for state in self.statement(statement, state)? {
                    if !next.contains(&state) {
                        next.push(state);
                    }
                }
            }
            if next.len() > MAX_WAYS {
                return Err(self.unclear("there are too many ways through the function"));
            }
            states = next;
        }
        Ok(states)
    }

    fn statement(&mut self, statement: &Statement<'a>, mut state: State<'a>) -> Result<Vec<State<'a>>, Stop> {
        self.at = self.module.offset(statement.tokens.start);
        let at = self.at;
        self.step(1 + state.names.values().map(Value::weight).sum::<usize>() / 8)?;
        match &statement.act {
            Act::Nothing | Act::Global(_) => {}
            Act::Set(targets, value) => {
                let value = self.value(value, &mut state)?;
                targets.iter().try_for_each(|target| self.assign(target, value.clone(), &mut state))?;
            }
            Act::Change(target, sign, value) => {
                let old = self.value(target, &mut state)?;
                let value = self.value(value, &mut state)?;
                if !old.is_solid() {
                    self.spoil(&mut state);
                }
                let new = self.sum(&old, sign, &value);
                self.assign(target, new, &mut state)?;
            }
            Act::Value(Expression { form: Form::Other, .. }) | Act::Other | Act::Function(_) | Act::Class(..) | Act::ImportAll(_) => {
                self.other(statement, &mut state)?;
            }
            Act::Value(value) => {
                let value = self.value(value, &mut state)?;
                let numbers = value.numbers;
                self.reads(&numbers, state.is_rare);
            }
            Act::Import(names) => {
                for (name, path) in names {
                    let value = super::evaluate::library(path.clone(), self.asked);
                    state.names.insert(name, value);
                }
            }
            Act::Return(value) => {
                let value = match value {
                    Some(value) => self.value(value, &mut state)?,
                    None => Value::of(Shape::None),
                };
                self.answer(Ok(value), at, state);
                return Ok(vec![]);
            }
            Act::Raise => {
                let why = self.unclear("a fault is raised there");
                self.answer(Err(why), at, state);
                return Ok(vec![]);
            }
            Act::Break | Act::Continue => {
                match self.loops.last_mut() {
                    Some(around) if matches!(statement.act, Act::Break) => around.breaks.push(state),
                    Some(around) => around.continues.push(state),
                    None => return Err(self.unclear("a loop is left there that is none")),
                }
                return Ok(vec![]);
            }
            Act::If(arms, rest) => return self.branches(arms, rest, state),
            Act::While(test, body) => return self.repeat(statement, Some(test), None, body, state),
            Act::For(target, values, body) => return self.repeat(statement, None, Some((target, values)), body, state),
            Act::Try(body, handlers, rest) => {
                // Anything of the body may have run when it fails.
                let mut failed = state.clone();
                self.forget(statement, &mut failed)?;
                let states = self.block(body, vec![state])?;
                let mut after = self.block(rest, states)?;
                for (_, handler) in handlers {
                    after.extend(self.block(handler, vec![failed.clone()])?);
                }
                return Ok(after);
            }
        }
        Ok(vec![state])
    }

    fn answer(&mut self, value: Result<Value, Unclear>, at: usize, state: State<'a>) {
        self.ran.outcomes.push(Outcome { value, at, limited: state.limited, is_rare: state.is_rare });
    }

    /// Notes that the function may fail on the way.
    pub fn fault(&mut self, why: &'static str, state: &State<'a>) {
        let (why, at) = (self.unclear(why), self.at);
        if self.ran.outcomes.last().is_none_or(|last| last.value.as_ref().err() != Some(&why) || last.is_rare != state.is_rare) {
            self.answer(Err(why), at, state.clone());
        }
    }

    fn branches(
        &mut self,
        arms: &[(Expression<'a>, Vec<Statement<'a>>)],
        rest: &[Statement<'a>],
        mut state: State<'a>,
    ) -> Result<Vec<State<'a>>, Stop> {
        let mut after = vec![];
        for (test, body) in arms {
            self.at = self.module.offset(test.tokens.start);
            let value = self.test(test, &mut state)?;
            match (&value.shape, value.truth()) {
                (_, Some(true)) => {
                    after.extend(self.block(body, vec![state])?);
                    return Ok(after);
                }
                (_, Some(false)) => {}
                (Shape::Rare(is_usual), _) => {
                    let mut other = state.clone();
                    (state.is_rare, other.is_rare) = (state.is_rare || *is_usual, state.is_rare || !*is_usual);
                    after.extend(self.block(body, vec![other])?);
                }
                _ => after.extend(self.block(body, vec![state.clone()])?),
            }
        }
        after.extend(self.block(rest, vec![state])?);
        Ok(after)
    }

    /// The value of a test, which decides what comes of everything.
    fn test(&mut self, test: &Expression<'a>, state: &mut State<'a>) -> Result<Value, Stop> {
        let value = self.value(test, state)?;
        self.reads(&value.numbers, state.is_rare);
        self.uses(&value.direct);
        if value.truth().is_none() {
            self.loops.iter_mut().for_each(|around| around.tests.extend(&value.draws));
        }
        Ok(value)
    }

    /// A loop: whatever its body sets is unknown when a turn begins, so that one turn stands for all.
    fn repeat(
        &mut self,
        statement: &Statement<'a>,
        test: Option<&Expression<'a>>,
        each: Option<(&Expression<'a>, &Expression<'a>)>,
        body: &[Statement<'a>],
        mut first: State<'a>,
    ) -> Result<Vec<State<'a>>, Stop> {
        let mut is_sure = false;
        if let Some((_, values)) = each {
            is_sure = self.runs_once(values, &mut first)?;
            let values = self.value(values, &mut first)?;
            self.reads(&values.numbers, first.is_rare);
            self.uses(&values.direct);
        }
        // `for list[0] in …` changes a list.
        if each.is_some_and(|(target, _)| targets(target, &mut vec![]).is_none()) {
            self.mentioned(statement.tokens.clone(), false, &mut first)?;
            self.spoil(&mut first);
        }
        let mut set = BTreeSet::new();
        names_set(self.module, statement, &mut set, &mut BTreeSet::new());
        let mut hanging = BTreeMap::<&'a str, Value>::new();
        let mut unset = BTreeMap::<&'a str, Numbers>::new();
        for name in &set {
            // A name that was not set before may not be set in the first turn.
            match first.names.get(name) {
                Some(old) => drop(hanging.insert(name, self.unknown("a loop sets it anew each time").with(&[old]))),
                None => drop(unset.insert(name, Numbers::new())),
            }
        }
        let next_draw = self.next_draw;
        for _ in 0..MAX_ROUNDS {
            // The same draws in each round.
            self.next_draw = next_draw;
            let outcomes = self.ran.outcomes.len();
            let mut start = first.clone();
            start.names.extend(hanging.clone());
            self.loops.push(Loop::default());
            let mut exits = vec![];
            let mut enters = true;
            if let Some(test) = test {
                let value = self.test(test, &mut start)?;
                if value.truth() != Some(true) {
                    exits.push(start.clone());
                }
                enters = value.truth() != Some(false);
            } else if !is_sure {
                exits.push(start.clone());
            }
            let mut ends = if enters { self.block(body, vec![start])? } else { vec![] };
            let Some(inner) = self.loops.pop() else { return Ok(vec![]) };
            ends.extend(inner.continues);
            let before = hanging.clone();
            for state in &ends {
                for (name, value) in &mut hanging {
                    if let Some(new) = state.names.get(name) {
                        *value = value.clone().with(&[new]);
                    }
                }
                for (name, numbers) in &mut unset {
                    numbers.extend(state.names.get(name).map(|value| value.numbers.clone()).unwrap_or_default());
                }
            }
            if before != hanging {
                self.ran.outcomes.truncate(outcomes);
                continue;
            }
            let is_repeated = !ends.is_empty();
            unset.values().for_each(|numbers| self.reads(numbers, first.is_rare));
            if test.is_none() {
                exits.extend(ends);
            }
            exits.extend(inner.breaks);
            if exits.is_empty() && self.ran.outcomes.len() == outcomes {
                self.fault("a loop that never ends", &first);
            }
            if is_repeated {
                exits.iter_mut().for_each(|state| state.limited.extend(&inner.tests));
                self.ran.outcomes.iter_mut().skip(outcomes).for_each(|outcome| outcome.limited.extend(&inner.tests));
            }
            return Ok(exits);
        }
        Err(self.unclear("a loop that is not understood"))
    }

    /// Whether there is a first turn: `range(5)`.
    fn runs_once(&mut self, values: &Expression<'a>, state: &mut State<'a>) -> Result<bool, Stop> {
        let Form::Call(function, arguments) = &values.form else { return Ok(false) };
        let function = self.value(function, state)?;
        let [count] = arguments.as_slice() else { return Ok(false) };
        let count = self.value(count, state)?;
        let is_range = matches!(&function.shape, Shape::Library(path) if path == "builtins.range" || path == "builtins.xrange");
        Ok(is_range && matches!(&count.shape, Shape::Int(number) if number.value > 0))
    }

    fn assign(&mut self, target: &Expression<'a>, value: Value, state: &mut State<'a>) -> Result<(), Stop> {
        self.step(value.weight())?;
        match &target.form {
            Form::Name(name) if self.own.contains(name) => {
                state.names.insert(name, value);
            }
            // The module's; nothing that reads it is relied on.
            Form::Name(_) => {
                self.reads(&value.numbers, state.is_rare);
                self.uses(&value.direct);
                if !value.is_solid() {
                    self.spoil(state);
                }
            }
            Form::Tuple(items) | Form::List(items) => {
                if matches!(&value.shape, Shape::Tuple(parts) | Shape::List(parts) if parts.len() != items.len()) {
                    self.fault("another number of values than of names", state);
                }
                let parts = self.parts(&value, items.len());
                items.iter().zip(parts).try_for_each(|(item, part)| self.assign(item, part, state))?;
            }
            _ => {
                self.reads(&value.numbers, state.is_rare);
                self.uses(&value.direct);
                self.mentioned(target.tokens.clone(), matches!(target.form, Form::Other), state)?;
                self.spoil(state);
            }
        }
        Ok(())
    }

    /// Forgets every value that may be changed under another name.
    pub fn spoil(&mut self, state: &mut State<'a>) {
        let unclear = self.unclear("a list may be changed there");
        for value in state.names.values_mut().filter(|value| !value.is_solid()) {
            value.shape = match &value.shape {
                Shape::Unknown(unclear) => Shape::Unknown(*unclear),
                _ => Shape::Unknown(unclear),
            };
        }
    }

    /// A statement that is not understood.
    fn other(&mut self, statement: &Statement<'a>, state: &mut State<'a>) -> Result<(), Stop> {
        self.forget(statement, state)?;
        let tokens = self.module.tokens.get(statement.tokens.clone()).unwrap_or_default();
        if tokens.iter().any(|token| matches!(token.text, "return" | "raise" | "assert" | "break" | "continue")) {
            let why = self.unclear("code that is not understood");
            let at = self.at;
            self.answer(Err(why), at, state.clone());
        }
        Ok(())
    }

    /// Counts all numbers of a statement as read, and makes everything that it names unknown.
    fn forget(&mut self, statement: &Statement<'a>, state: &mut State<'a>) -> Result<(), Stop> {
        self.mentioned(statement.tokens.clone(), true, state)?;
        self.spoil(state);
        Ok(())
    }

    /// Counts the numbers of some tokens as read, and those that the names in it hang on. Answers the draws of those.
    pub fn mentioned(&mut self, span: Range<usize>, is_forgotten: bool, state: &mut State<'a>) -> Result<BTreeSet<usize>, Stop> {
        let module = self.module;
        let unclear = self.unclear("code that is not understood");
        let mut draws = BTreeSet::new();
        let numbers = numbers_in(module, &span);
        self.reads(&numbers, state.is_rare);
        self.uses(&numbers);
        for at in span {
            let Some(token) = module.tokens.get(at) else { continue };
            self.step(1)?;
            let words: Vec<&'a str> = match token.kind {
                Kind::Name => vec![token.text],
                Kind::Formatted => token.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect(),
                _ => continue,
            };
            for word in words {
                if let Some(value) = state.names.get_mut(word) {
                    let is_set =
                        is_forgotten || module.tokens.get(at + 1).is_some_and(|next| next.text == ":=") || token.text.contains(":=");
                    let (numbers, direct) = (value.numbers.clone(), value.direct.clone());
                    draws.extend(&value.draws);
                    if is_set {
                        value.shape = Shape::Unknown(unclear);
                    }
                    self.reads(&numbers, state.is_rare);
                    self.uses(&direct);
                } else {
                    let numbers = numbers_of(module, word);
                    self.step(numbers.len())?;
                    self.reads(&numbers, state.is_rare);
                    self.uses(&numbers);
                }
            }
        }
        Ok(draws)
    }

    /// What a name stands for.
    pub fn named(&mut self, name: &'a str, state: &State<'a>) -> Result<Value, Stop> {
        if self.own.contains(name) {
            if let Some(value) = state.names.get(name) {
                return Ok(value.clone());
            }
            let why = "a name that may not be set there";
            self.fault(why, state);
            return Ok(Value::hanging_on(self.unknown(why).shape, numbers_of(self.module, name)));
        }
        let value = match self.module.meaning(name) {
            Meaning::Literal(literal) => {
                self.step(literal.tokens.len())?;
                super::evaluate::plain(self.module, literal)
            }
            Meaning::Library(path) => {
                if path.strip_prefix("builtins.").is_some_and(|name| !BUILTINS.contains(&name)) {
                    self.fault("a name that nothing in the file sets", state);
                }
                super::evaluate::library(path, self.asked)
            }
            Meaning::Unknown(at) => {
                let why = "something that the file may change there";
                let at = if at == 0 { self.at } else { at };
                Value::hanging_on(Shape::Unknown(Unclear { at, why }), numbers_of(self.module, name))
            }
        };
        self.step(value.weight())?;
        Ok(value)
    }
}

/// The numbers that stand in some tokens.
pub fn numbers_in(module: &Module<'_>, span: &Range<usize>) -> Numbers {
    let tokens = module.tokens.get(span.clone()).unwrap_or_default();
    tokens.iter().filter(|token| token.kind == Kind::Number).map(|token| token.span.start).collect()
}

/// The numbers that a name of the module stands for.
pub fn numbers_of(module: &Module<'_>, name: &str) -> Numbers {
    module.values_of(name).iter().flat_map(|span| numbers_in(module, span)).collect()
}
