//! How a script uses its names: looked at once, token by token and statement by statement, before anybody asks.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Meaning, Module, Unclear, Use};
use crate::format::piqueserver::expression::{Comparison, Expression, Form, is_name};
use crate::format::piqueserver::metadata::KEYS;
use crate::format::piqueserver::statement::{Act, Function, Statement, targets};
use crate::format::piqueserver::tokens::{Kind, Token};

/// Names with which a script may reach anything under other names.
const BACK_DOORS: [&str; 24] = [
    "globals",
    "locals",
    "vars",
    "exec",
    "eval",
    "execfile",
    "setattr",
    "delattr",
    "__import__",
    "__builtins__",
    "builtins",
    "importlib",
    "modules",
    "inspect",
    "ctypes",
    "gc",
    "settrace",
    "__code__",
    "__globals__",
    "__defaults__",
    "__setattr__",
    "__class__",
    "__dict__",
    "reload",
];

/// Attributes by which places are told apart; nobody may change them.
const ATTRIBUTES: [&str; 20] = [
    "team",
    "protocol",
    "blue_team",
    "green_team",
    "team_1",
    "team_2",
    "team1",
    "team2",
    "teams",
    "other",
    "map",
    "get_z",
    "randrange",
    "randint",
    "choice",
    "random",
    "BLUE_FLAG",
    "GREEN_FLAG",
    "BLUE_BASE",
    "GREEN_BASE",
];

/// Functions that leave what they are given as it is.
const READERS: [&str; 12] = [
    "random.choice",
    "random.sample",
    "builtins.len",
    "builtins.print",
    "builtins.str",
    "builtins.repr",
    "builtins.sum",
    "builtins.min",
    "builtins.max",
    "builtins.list",
    "builtins.tuple",
    "builtins.sorted",
];

impl<'a> Module<'a> {
    pub(super) fn look_at_tokens(&mut self) {
        let tokens = std::mem::take(&mut self.tokens);
        let word = |at: usize| tokens.get(at).filter(|token| token.kind != Kind::Text).map_or("", |token| token.text);
        let before = |at: usize, back: usize| at.checked_sub(back).map_or("", word);
        let is_walrus = |token: &&Token<'_>| token.text == ":=" || (token.kind == Kind::Formatted && token.text.contains(":="));
        if let Some(token) = tokens.iter().find(is_walrus) {
            self.unsure(token.span.start, "a name is set in the middle of an expression there");
        }
        let is_walrus = |token: &&Token<'a>| token.kind == Kind::Formatted && token.text.contains(":=");
        for token in tokens.iter().filter(is_walrus) {
            let words = token.text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            self.odd_sets.extend(words.map(|word| (word, token.span.start, true)));
        }
        let mut has_function = false;
        let names_info = tokens.iter().any(|token| token.text == "map_info");
        for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Name) {
            has_function |= matches!(token.text, "def" | "lambda");
            let is_attribute = before(at, 1) == ".";
            let is_protocols = token.text == "__dict__" && is_attribute && before(at, 2) == "protocol";
            if BACK_DOORS.contains(&token.text) && !is_protocols {
                self.unsure(token.span.start, "the file reaches its own names by a back door there");
                // Of something that has a name: that is not the file itself.
                let is_of_another = match token.text {
                    "locals" => has_function,
                    "vars" if word(at + 2) == ")" => has_function,
                    "vars" | "setattr" | "delattr" => tokens.get(at + 2).is_some_and(is_name) && matches!(word(at + 3), ")" | ","),
                    _ => is_attribute && matches!(token.text, "reload" | "__dict__" | "__class__"),
                };
                if !is_of_another {
                    self.doors.push((token.span.start, has_function));
                }
            }
            let next = word(at + 1);
            let is_set = next.ends_with('=') && !matches!(next, "==" | "!=" | "<=" | ">=");
            let is_named = matches!(before(at, 3), "as" | "del") || before(at, 3) == "for" && next == "in";
            // The server takes what it reads from there again and again.
            let is_changed = is_set || is_named || matches!(next, "[" | ".");
            if is_attribute && names_info && (is_set || is_named || is_changed && before(at, 2) == "map_info") {
                self.odd_sets.push((token.text, token.span.start, true));
            }
            // The owner of a flag is nobody's team.
            let is_entity = matches!(before(at, 2), "entity" | "territory" | "flag" | "base");
            if is_attribute && (is_set || is_named) && ATTRIBUTES.contains(&token.text) && !is_entity {
                self.unsure(token.span.start, "the file changes there what teams or chances are");
            }
            if token.text == "global" {
                let names = (at + 1..).map_while(|at| tokens.get(at)).take_while(|token| token.kind != Kind::Line && token.text != ";");
                for name in names.filter(|token| is_name(token)) {
                    self.set(name.text, name.span.start, None);
                }
            }
        }
        self.tokens = tokens;
    }

    fn unsure(&mut self, at: usize, why: &'static str) {
        self.unclear.get_or_insert(Unclear { at, why });
    }

    /// Notes that a name is set, in a way that leaves its value open unless a literal is given.
    fn set(&mut self, name: &'a str, at: usize, literal: Option<&Expression<'a>>) {
        let known = self.names.entry(name).or_default();
        known.sets += if literal.is_some() { 1 } else { 2 };
        known.set_at = at;
        known.literal = literal.cloned();
    }

    fn set_targets(&mut self, target: &Expression<'a>, value: Option<&Expression<'a>>, is_simple: bool) {
        let at = self.offset(target.tokens.start);
        let mut names = vec![];
        if targets(target, &mut names).is_none() {
            self.set_all(target.tokens.clone());
        }
        for name in names {
            let is_literal = is_simple && matches!(target.form, Form::Name(_));
            self.set(name, at, value.filter(|_| is_literal));
            if let (Some(known), Some(value)) = (self.names.get_mut(name), value) {
                known.values.push(value.tokens.clone());
            }
        }
    }

    /// Notes every name of some tokens as set.
    fn set_all(&mut self, span: Range<usize>) {
        for at in span.clone() {
            let Some(token) = self.tokens.get(at).filter(|token| is_name(token)) else { continue };
            let (name, offset) = (token.text, token.span.start);
            if at.checked_sub(1).and_then(|before| self.tokens.get(before)).is_none_or(|before| before.text != ".") {
                self.set(name, offset, None);
                if let Some(known) = self.names.get_mut(name).filter(|known| known.values.len() < 8) {
                    known.values.push(span.clone());
                }
            }
        }
    }

    /// Notes what a statement of the module itself, and not of a function, binds.
    pub(super) fn bind(&mut self, statement: &Statement<'a>, is_top: bool) {
        let at = self.offset(statement.tokens.start);
        match &statement.act {
            Act::Set(targets, value) => {
                targets.iter().for_each(|target| self.set_targets(target, Some(value), is_top && targets.len() == 1))
            }
            Act::Change(target, _, value) => self.set_targets(target, Some(value), false),
            Act::Value(Expression { form: Form::Other, .. }) | Act::Other => {
                let tokens = self.tokens.get(statement.tokens.clone()).unwrap_or_default();
                if tokens.first().is_some_and(|first| first.text == "match") {
                    self.odd_sets.extend(tokens.iter().filter(|token| is_name(token)).map(|token| (token.text, at, false)));
                }
                self.set_all(statement.tokens.clone());
            }
            Act::Value(_) | Act::Return(_) | Act::Nothing | Act::Break | Act::Continue | Act::Raise | Act::Global(_) => {}
            Act::If(arms, rest) => {
                arms.iter().flat_map(|(_, body)| body).chain(rest).for_each(|statement| self.bind(statement, false));
            }
            Act::While(_, body) => body.iter().for_each(|statement| self.bind(statement, false)),
            Act::For(target, _, body) => {
                self.set_targets(target, None, false);
                body.iter().for_each(|statement| self.bind(statement, false));
            }
            Act::Try(body, handlers, rest) => {
                handlers.iter().filter_map(|(name, _)| *name).for_each(|name| self.set(name, at, None));
                let all = body.iter().chain(handlers.iter().flat_map(|(_, body)| body)).chain(rest);
                all.for_each(|statement| self.bind(statement, false));
            }
            Act::Function(function) if is_top && !function.is_decorated => {}
            Act::Function(Function { name, .. }) | Act::Class(name, _) => self.set(name, at, None),
            Act::Import(names) => {
                for (name, path) in names {
                    let known = self.names.entry(name).or_default();
                    known.imports.push(path.clone());
                    known.set_at = at;
                }
            }
            Act::ImportAll(module) => {
                self.star_at = Some(at);
                if !matches!(&**module, "random" | "math" | "time" | "pyspades.constants" | "pyspades.common" | "pyspades.collision") {
                    self.odd_sets.extend(KEYS.iter().map(|(key, _)| *key).chain(["extensions"]).map(|key| (key, at, false)));
                }
                match module.split('.').next() {
                    Some("random") => self.has_random_star = true,
                    Some("pyspades" | "piqueserver" | "math" | "time" | "twisted") => {}
                    _ => {
                        self.doors.push((at, false));
                        self.unsure(at, "the file takes all names of another one there");
                    }
                }
            }
        }
    }

    /// Notes how names are used.
    pub(super) fn look_at(&mut self, statement: &Statement<'a>) {
        match &statement.act {
            Act::Set(targets, value) => {
                let apart = targets.iter().all(|target| matches!(target.form, Form::Tuple(_)));
                targets.iter().for_each(|target| self.look_at_target(target));
                self.used(value, if apart { Use::TakenApart } else { Use::Plain });
            }
            Act::Change(target, _, value) => {
                self.look_at_target(target);
                self.used(value, Use::Plain);
            }
            Act::Return(Some(value)) => {
                // The server takes apart what these two answer; nobody knows who has what others do.
                let is_servers = matches!(self.inside, Some(("get_spawn_location" | "get_entity_location", _)));
                self.used(value, if is_servers { Use::TakenApart } else { Use::Plain });
            }
            Act::Value(Expression { form: Form::Other, .. }) | Act::Other | Act::Raise => self.used_all(statement.tokens.clone()),
            Act::Value(value) => self.used(value, Use::Read),
            Act::If(arms, rest) => {
                arms.iter().for_each(|(test, _)| self.used(test, Use::Read));
                arms.iter().flat_map(|(_, body)| body).chain(rest).for_each(|statement| self.look_at(statement));
            }
            Act::While(test, body) => {
                self.used(test, Use::Read);
                body.iter().for_each(|statement| self.look_at(statement));
            }
            Act::For(target, values, body) => {
                self.look_at_target(target);
                match (&target.form, &values.form) {
                    (Form::Tuple(_), Form::Name(name)) => self.note(name, self.offset(values.tokens.start), Use::TakenApart),
                    (_, Form::Name(_)) => self.used(values, Use::Read),
                    _ => self.used(values, Use::Plain),
                }
                body.iter().for_each(|statement| self.look_at(statement));
            }
            Act::Try(body, handlers, rest) => {
                let all = body.iter().chain(handlers.iter().flat_map(|(_, body)| body)).chain(rest);
                all.for_each(|statement| self.look_at(statement));
            }
            Act::Function(Function { name, .. }) | Act::Class(name, _) if self.inside.is_none() => {
                self.inside = Some((name, self.alone(statement.tokens.clone())));
                self.look_at(statement);
                self.inside = None;
            }
            Act::Function(function) => {
                self.head(statement, &function.body, function.name, function.parameters.as_deref());
                function.body.iter().for_each(|statement| self.look_at(statement));
            }
            Act::Class(name, body) => {
                self.head(statement, body, name, None);
                body.iter().for_each(|statement| self.look_at(statement));
            }
            Act::Return(None) | Act::Import(_) | Act::ImportAll(_) | Act::Global(_) | Act::Nothing | Act::Break | Act::Continue => {}
        }
    }

    /// Names that are neither called nor looked into somewhere in some tokens, but for what is taken from its own module.
    fn alone(&self, span: Range<usize>) -> BTreeSet<&'a str> {
        let word = |at: Option<usize>| at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text);
        let before = |at: usize, back: usize| word(at.checked_sub(back));
        let is_alone = |at: &usize| {
            let is_made = matches!(before(*at, 1), "def" | "class" | "as");
            let is_own = before(*at, 1) == "import" && (before(*at, 2) != "from" && before(*at, 3) != "from" || before(*at, 2) == "random");
            before(*at, 1) != "." && (is_made || !is_own && !matches!(word(at.checked_add(1)), "(" | "."))
        };
        span.filter(is_alone).filter_map(|at| self.tokens.get(at)).filter(|token| is_name(token)).map(|token| token.text).collect()
    }

    /// What stands before the body: values of parameters, and what a class is made from.
    fn head(&mut self, statement: &Statement<'a>, body: &[Statement<'a>], name: &str, parameters: Option<&[(&str, bool)]>) {
        let end = body.first().map_or(statement.tokens.end, |first| first.tokens.start);
        for at in statement.tokens.start..end {
            let Some(token) = self.tokens.get(at).filter(|token| is_name(token)) else { continue };
            let after_equals = at.checked_sub(1).and_then(|before| self.tokens.get(before)).is_some_and(|before| before.text == "=");
            let is_parameter = parameters.is_some_and(|all| all.iter().any(|(parameter, _)| *parameter == token.text));
            let (text, offset) = (token.text, token.span.start);
            // A method of that name is told, too.
            if after_equals || !(is_parameter || text == name && self.names.contains_key(name)) {
                self.note(text, offset, Use::Plain);
            }
        }
    }

    /// What is changed by setting a part of it.
    fn look_at_target(&mut self, target: &Expression<'a>) {
        match &target.form {
            Form::Name(_) => {}
            Form::Tuple(items) | Form::List(items) => items.iter().for_each(|item| self.look_at_target(item)),
            Form::Attribute(owner, name) => {
                let is_entity = matches!(owner.form, Form::Name("entity" | "territory" | "flag" | "base"));
                if ATTRIBUTES.contains(name) && !is_entity {
                    self.unsure(self.offset(target.tokens.start), "the file changes there what teams or chances are");
                }
                self.used_all(target.tokens.clone());
                self.spoil(owner);
            }
            Form::Item(owner, _) => {
                self.used_all(target.tokens.clone());
                self.spoil(owner);
            }
            _ => self.used_all(target.tokens.clone()),
        }
    }

    /// Notes that something may change what a name stands for.
    fn spoil(&mut self, owner: &Expression<'a>) {
        let mut root = owner;
        while let Form::Attribute(inner, _) | Form::Item(inner, _) | Form::Call(inner, _) = &root.form {
            root = inner;
        }
        if let Form::Name(name) = root.form {
            self.note(name, self.offset(root.tokens.start), Use::Plain);
        }
    }

    fn note(&mut self, name: &'a str, at: usize, how: Use) {
        self.names.entry(name).or_default().uses.push((at, how));
    }

    /// Notes the names of an expression that is used in some way.
    fn used(&mut self, value: &Expression<'a>, how: Use) {
        match &value.form {
            Form::Name(name) => self.note(name, self.offset(value.tokens.start), if how == Use::TakenApart { Use::Plain } else { how }),
            Form::Int(_) | Form::Float(_) | Form::Text | Form::None | Form::Bool(_) => {}
            Form::Tuple(items) | Form::List(items) => items.iter().for_each(|item| self.used(item, Use::Plain)),
            Form::Attribute(owner, _) => match &owner.form {
                Form::Name(name) => self.note(name, self.offset(owner.tokens.start), Use::Attribute),
                _ => self.used(owner, Use::Plain),
            },
            Form::Call(function, arguments) => {
                // The largest of several lists is one of them.
                let is_picked = |path: &str| matches!(path, "builtins.max" | "builtins.min") && arguments.len() > 1;
                let is_reader = self.path(function).is_some_and(|path| READERS.contains(&path.as_str()) && !is_picked(&path));
                match &function.form {
                    Form::Name(name) => self.note(name, self.offset(function.tokens.start), Use::Called),
                    _ => self.used(function, Use::Plain),
                }
                for argument in arguments {
                    match (&argument.form, is_reader) {
                        (Form::Name(name), true) => {
                            let how = if how == Use::TakenApart { how } else { Use::Read };
                            self.note(name, self.offset(argument.tokens.start), how);
                        }
                        (Form::Choice(parts), true) => {
                            let [test, first, second] = parts.as_ref();
                            self.used(test, Use::Read);
                            let how = if how == Use::TakenApart { how } else { Use::Read };
                            for part in [first, second] {
                                match &part.form {
                                    Form::Name(name) => self.note(name, self.offset(part.tokens.start), how),
                                    _ => self.used(part, Use::Plain),
                                }
                            }
                        }
                        _ => self.used(argument, Use::Plain),
                    }
                }
            }
            Form::Item(owner, item) => {
                self.used(owner, Use::Read);
                self.used(item, Use::Read);
            }
            Form::Minus(inner) | Form::Not(inner) => self.used(inner, Use::Read),
            Form::Sum(left, _, right) => [left, right].into_iter().for_each(|part| self.used(part, Use::Plain)),
            Form::Comparison(left, comparison, right) => {
                let is_lookup = matches!(comparison, Comparison::In | Comparison::NotIn);
                self.used(left, Use::Read);
                self.used(right, if is_lookup || how == Use::Read { Use::Read } else { Use::Plain });
            }
            Form::All(parts) | Form::Any(parts) => {
                parts.iter().for_each(|part| self.used(part, if how == Use::Read { how } else { Use::Plain }));
            }
            Form::Choice(parts) => {
                let [test, first, second] = parts.as_ref();
                self.used(test, Use::Read);
                [first, second].into_iter().for_each(|part| self.used(part, how));
            }
            Form::Other => self.used_all(value.tokens.clone()),
        }
    }

    /// Notes every name of some tokens as handed on.
    fn used_all(&mut self, span: Range<usize>) {
        for at in span {
            let Some(token) = self.tokens.get(at) else { continue };
            let (text, span) = (token.text, token.span.clone());
            if token.kind == Kind::Formatted {
                let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
                words.for_each(|word| self.note(word, span.start, Use::Plain));
                continue;
            }
            let around = |at: Option<usize>| at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text);
            if is_name(token) && around(at.checked_sub(1)) != "." {
                let is_attribute = around(at.checked_add(1)) == ".";
                self.note(text, span.start, if is_attribute { Use::Attribute } else { Use::Plain });
            }
        }
    }

    /// The whole name of something of a library.
    fn path(&self, value: &Expression<'a>) -> Option<String> {
        match &value.form {
            Form::Name(name) if self.inside.as_ref().is_some_and(|(_, alone)| alone.contains(name)) => None,
            Form::Name(name) => match self.meaning(name) {
                Meaning::Library(path) => Some(path),
                _ => None,
            },
            Form::Attribute(owner, name) => Some(format!("{}.{name}", self.path(owner)?)),
            _ => None,
        }
    }
}
