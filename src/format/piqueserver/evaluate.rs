//! What an expression of a script is worth, as far as that is known.

use std::ops::Range;
use std::rc::Rc;

use super::expression::{Comparison, Expression, Form};
use super::module::Module;
use super::run::{Asked, Run, State, Stop, numbers_in};
use super::value::{Cell, Number, Shape, Value};
use crate::document::Team;

/// Coordinates beyond are no coordinates.
const MAX_NUMBER: i64 = 1_000_000;

/// A literal of the file; what is none in it is unknown.
pub(super) fn plain(module: &Module<'_>, literal: &Expression<'_>) -> Value {
    let why = "something that is calculated";
    let items = |items: &[Expression<'_>]| -> Rc<Vec<Value>> { Rc::new(items.iter().map(|item| plain(module, item)).collect()) };
    let shape = match &literal.form {
        Form::Int(value) => int(*value, module.bare_number(&literal.tokens)),
        Form::Float(value) => Shape::Float(*value),
        Form::Text => Shape::Text,
        Form::None => Shape::None,
        Form::Bool(value) => Shape::Bool(*value),
        Form::Tuple(parts) => Shape::Tuple(items(parts)),
        Form::List(parts) => Shape::List(items(parts)),
        _ => Shape::Unknown(super::module::Unclear { at: module.offset(literal.tokens.start), why }),
    };
    Value::hanging_on(shape, numbers_in(module, &literal.tokens))
}

fn int(value: i64, span: Option<Range<usize>>) -> Shape {
    Shape::Int(Number { value, cell: span.filter(|_| value.abs() <= MAX_NUMBER).map(|span| Cell { span, add: 0 }) })
}

fn known(value: i64) -> Shape {
    Shape::Int(Number { value, cell: None })
}

/// Something of a library, by its whole name. A name that nothing in the file sets is taken for what it usually is:
/// without it no server could run the function at all.
pub(super) fn library(path: String, asked: Asked) -> Value {
    let team = match asked {
        Asked::Player(team) | Asked::Thing(team, _) => team,
    };
    let (owner, name) = path.rsplit_once('.').unwrap_or(("", &path));
    let is_servers = owner.starts_with("pyspades") || owner.starts_with("piqueserver");
    Value::of(match name {
        "BLUE_FLAG" if is_servers => known(0),
        "GREEN_FLAG" if is_servers => known(1),
        "BLUE_BASE" if is_servers => known(2),
        "GREEN_BASE" if is_servers => known(3),
        "blue_team" if owner == "builtins" => Shape::Team(Team::Blue),
        "green_team" if owner == "builtins" => Shape::Team(Team::Green),
        "team" if owner == "builtins" => Shape::Team(team),
        "protocol" if owner == "builtins" => Shape::Protocol,
        "self" if owner == "builtins" && matches!(asked, Asked::Player(_)) => Shape::Connection,
        _ => Shape::Library(path),
    })
}

impl<'a> Run<'_, 'a> {
    /// What an expression is worth; names that it sets are set.
    pub(super) fn value(&mut self, of: &Expression<'a>, state: &mut State<'a>) -> Result<Value, Stop> {
        self.step(1)?;
        let found = match &of.form {
            Form::Int(_) | Form::Float(_) | Form::Text | Form::None | Form::Bool(_) => plain(self.module, of),
            Form::Name(name) => self.named(name, state)?,
            Form::Tuple(items) | Form::List(items) => {
                let values: Vec<Value> = items.iter().map(|item| self.value(item, state)).collect::<Result<_, _>>()?;
                let mut all = Value::of(Shape::None);
                for value in &values {
                    all = all.with(&[value]);
                }
                let values = Rc::new(values);
                all.shape = if matches!(of.form, Form::Tuple(_)) { Shape::Tuple(values) } else { Shape::List(values) };
                all
            }
            Form::Attribute(owner, name) => {
                let owner = self.value(owner, state)?;
                if matches!(owner.shape, Shape::None) {
                    self.fault("None has nothing in it", state);
                }
                self.attribute(&owner, name)
            }
            Form::Call(function, arguments) => self.call(of, function, arguments, state)?,
            Form::Item(owner, item) => {
                let (owner, item) = (self.value(owner, state)?, self.value(item, state)?);
                match (&owner.shape, &item.shape) {
                    (Shape::None, _) => self.fault("None has nothing in it", state),
                    (Shape::Tuple(items) | Shape::List(items), Shape::Int(index)) => {
                        let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                        if !(-length..length).contains(&index.value) {
                            self.fault("the list has no such item", state);
                        }
                    }
                    _ => {}
                }
                self.item(&owner, &item)
            }
            Form::Minus(inner) => {
                let inner = self.value(inner, state)?;
                let shape = match &inner.shape {
                    Shape::Int(number) => number.value.checked_neg().map_or_else(|| self.unknown("a number").shape, known),
                    Shape::Float(number) => Shape::Float(-number),
                    _ => self.unknown("something that is calculated").shape,
                };
                Value { shape, ..inner }
            }
            Form::Sum(left, sign, right) => {
                let (left, right) = (self.value(left, state)?, self.value(right, state)?);
                self.sum(&left, sign, &right)
            }
            Form::Comparison(left, how, right) => {
                let (left, right) = (self.value(left, state)?, self.value(right, state)?);
                let shape = self.compared(&left.shape, *how, &right.shape);
                let both = Value::of(shape).with(&[&left, &right]);
                // How a place lies to its ground is asked of wherever it is.
                let is_of_ground = [&left, &right].iter().any(|value| matches!(value.shape.unshifted().0, Shape::Ground(_)));
                if is_of_ground { Value { direct: [].into(), ..both } } else { both }
            }
            Form::Not(inner) => {
                let inner = self.value(inner, state)?;
                let shape = match (&inner.shape, inner.truth()) {
                    (Shape::Rare(is_usual), _) => Shape::Rare(!is_usual),
                    (_, Some(known)) => Shape::Bool(!known),
                    _ => self.unknown("a test that is not understood").shape,
                };
                Value { shape, ..inner }
            }
            Form::All(parts) => self.logic(parts, true, state)?,
            Form::Any(parts) => self.logic(parts, false, state)?,
            Form::Choice(parts) => {
                let [test, first, second] = parts.as_ref();
                let test = self.value(test, state)?;
                self.reads(&test.numbers, state.is_rare);
                self.uses(&test.direct);
                match test.truth() {
                    Some(true) => self.value(first, state)?,
                    Some(false) => self.value(second, state)?,
                    None => {
                        let (first, second) = (self.value(first, state)?, self.value(second, state)?);
                        self.unknown("a choice that is not understood").with(&[&test, &first, &second])
                    }
                }
            }
            Form::Other => {
                let draws = self.mentioned(of.tokens.clone(), false, state)?;
                self.spoil(state);
                Value { draws, ..self.unknown("something that is calculated") }
            }
        };
        self.step(found.weight())?;
        if found.shape.fits() {
            return Ok(found);
        }
        let shape = self.unknown("a list that is too long").shape;
        Ok(Value { shape, ..found })
    }

    /// `and`, `or`: their truth, or the value that decides.
    fn logic(&mut self, parts: &[Expression<'a>], is_all: bool, state: &mut State<'a>) -> Result<Value, Stop> {
        let mut all = Value::of(Shape::Bool(is_all));
        let (mut is_open, mut rare) = (false, None);
        for (i, part) in parts.iter().enumerate() {
            let value = self.value(part, state)?;
            self.reads(&value.numbers, state.is_rare);
            self.uses(&value.direct);
            all = all.with(&[&value]);
            match (&value.shape, value.truth()) {
                // It decides hardly ever, or nearly always.
                (Shape::Rare(is_usual), _) if *is_usual == is_all => is_open = true,
                (Shape::Rare(is_usual), _) => rare = Some(*is_usual),
                (_, Some(known)) if known != is_all => {
                    if !is_open && rare.is_none() {
                        return Ok(Value { shape: value.shape, ..all });
                    }
                    return Ok(Value { shape: Shape::Bool(!is_all), ..all });
                }
                (_, Some(_)) if i + 1 == parts.len() && !is_open && rare.is_none() => return Ok(Value { shape: value.shape, ..all }),
                (_, Some(_)) => {}
                _ => is_open = true,
            }
        }
        all.shape = match (rare, is_open) {
            (Some(is_usual), _) => Shape::Rare(is_usual),
            (None, true) => self.unknown("a test that is not understood").shape,
            (None, false) => Shape::Bool(is_all),
        };
        Ok(all)
    }

    fn attribute(&self, owner: &Value, name: &str) -> Value {
        let team = match self.asked {
            Asked::Player(team) | Asked::Thing(team, _) => team,
        };
        let shape = match (&owner.shape, name) {
            (Shape::Connection, "team") => Shape::Team(team),
            (Shape::Connection, "name") => Shape::PlayerName,
            (Shape::Connection | Shape::Team(_), "protocol") => Shape::Protocol,
            (Shape::Team(team), "id") => known(if *team == Team::Blue { 0 } else { 1 }),
            (Shape::Team(Team::Blue), "other") | (Shape::Protocol, "green_team" | "team_2") => Shape::Team(Team::Green),
            (Shape::Team(Team::Green), "other") | (Shape::Protocol, "blue_team" | "team_1") => Shape::Team(Team::Blue),
            (Shape::Team(_), "spectator") => Shape::Bool(false),
            (Shape::Protocol, "spectator_team") => Shape::Spectators,
            (Shape::Protocol, "teams") => Shape::Teams,
            (Shape::Protocol, "map") => Shape::World,
            (Shape::World, "get_z") => Shape::Asked(true),
            (Shape::World, "get_solid" | "get_color" | "get_point" | "is_surface" | "has_neighbors") => Shape::Asked(false),
            (Shape::Library(path), _) => return library(format!("{path}.{name}"), self.asked).with(&[owner]),
            _ => self.unknown("something that is not known").shape,
        };
        Value::of(shape).with(&[owner])
    }

    fn item(&self, owner: &Value, item: &Value) -> Value {
        let index = match &item.shape {
            Shape::Int(number) => usize::try_from(number.value).ok(),
            _ => None,
        };
        let shape = match (&owner.shape, index) {
            (Shape::Teams, Some(0)) => Some(Shape::Team(Team::Blue)),
            (Shape::Teams, Some(1)) => Some(Shape::Team(Team::Green)),
            (Shape::Tuple(items) | Shape::List(items), Some(index)) => items.get(index).map(|item| item.shape.clone()),
            (Shape::Picked { list, part: None, .. }, Some(index)) => {
                let is_there = |item: &Value| matches!(&item.shape, Shape::Tuple(parts) | Shape::List(parts) if index < parts.len());
                list.iter().all(is_there).then(|| part_of(&owner.shape, index)).flatten()
            }
            _ => None,
        };
        Value::of(shape.unwrap_or_else(|| self.unknown("something that is not known").shape)).with(&[owner, item])
    }

    /// The values that so many names get from one.
    pub(super) fn parts(&self, value: &Value, count: usize) -> Vec<Value> {
        let has_count = |value: &Value| matches!(&value.shape, Shape::Tuple(parts) | Shape::List(parts) if parts.len() == count);
        match &value.shape {
            Shape::Tuple(items) | Shape::List(items) if items.len() == count => items.to_vec(),
            Shape::Picked { list, part: None, .. } if list.iter().all(has_count) => {
                let part = |index| part_of(&value.shape, index).unwrap_or(Shape::None);
                (0..count).map(|index| Value { shape: part(index), ..value.clone() }).collect()
            }
            Shape::Unknown(_) => vec![value.clone(); count],
            _ => vec![self.unknown("values that are not known one by one").with(&[value]); count],
        }
    }

    /// `a + b`, `a - b`; of all else nothing is known.
    pub(super) fn sum(&self, left: &Value, sign: &str, right: &Value) -> Value {
        let factor = match sign {
            "+" => 1,
            "-" => -1,
            _ => 0_i32,
        };
        let by = match &right.shape {
            Shape::Int(number) if number.value.abs() <= MAX_NUMBER => i32::try_from(number.value).ok().map(f64::from),
            Shape::Float(number) => Some(*number),
            _ => None,
        };
        let shape = match (&left.shape, &right.shape, by) {
            _ if factor == 0 => None,
            (Shape::Int(left), Shape::Int(right), _) => {
                right.value.checked_mul(factor.into()).and_then(|add| match (&left.cell, &right.cell) {
                    (None, Some(_)) if factor == 1 => right.plus(left.value),
                    _ => left.plus(add),
                })
            }
            (Shape::Float(left), _, Some(by)) => {
                return Value::of(Shape::Float(left + by * f64::from(factor))).with(&[&Value::of(Shape::None), right]);
            }
            (
                Shape::Int(_) | Shape::Drawn { .. } | Shape::Picked { part: Some(_), .. } | Shape::Ground(_) | Shape::Shifted(..),
                _,
                Some(by),
            ) => {
                let (base, before) = left.shape.unshifted();
                let by = before + by * f64::from(factor);
                let shape = if by == 0.0 { base.clone() } else { Shape::Shifted(Box::new(base.clone()), by) };
                return Value::of(shape).with(&[left, right]);
            }
            _ => None,
        };
        Value::of(shape.map_or_else(|| self.unknown("something that is calculated").shape, Shape::Int)).with(&[left, right])
    }

    fn compared(&self, left: &Shape, how: Comparison, right: &Shape) -> Shape {
        let is_negated = matches!(how, Comparison::Differs | Comparison::IsNot | Comparison::NotIn);
        let bool = |known: bool| Shape::Bool(known != is_negated);
        let is_same = |left: &Shape, right: &Shape| match (left, right) {
            (Shape::Int(left), Shape::Int(right)) => Some(left.value == right.value),
            (Shape::Team(left), Shape::Team(right)) => Some(left == right),
            (Shape::Team(_), Shape::Spectators) | (Shape::Spectators, Shape::Team(_)) => Some(false),
            (Shape::None, Shape::None) => Some(true),
            (Shape::None, Shape::Int(_) | Shape::Team(_)) | (Shape::Int(_) | Shape::Team(_), Shape::None) => Some(false),
            _ => None,
        };
        let is_named =
            |left: &Shape, right: &Shape| matches!((left, right), (Shape::PlayerName, Shape::Text) | (Shape::Text, Shape::PlayerName));
        let found = match (how, left, right) {
            (Comparison::Equal | Comparison::Differs | Comparison::Is | Comparison::IsNot, ..) => {
                if is_named(left, right) {
                    return Shape::Rare(is_negated);
                }
                is_same(left, right)
            }
            (Comparison::In | Comparison::NotIn, _, Shape::Tuple(items) | Shape::List(items)) => {
                if !items.is_empty() && items.iter().all(|item| is_named(left, &item.shape)) {
                    return Shape::Rare(is_negated);
                }
                let found: Vec<Option<bool>> = items.iter().map(|item| is_same(left, &item.shape)).collect();
                if found.contains(&Some(true)) { Some(true) } else { found.iter().all(Option::is_some).then_some(false) }
            }
            (_, Shape::Int(left), Shape::Int(right)) => match how {
                Comparison::Less => Some(left.value < right.value),
                Comparison::AtMost => Some(left.value <= right.value),
                Comparison::Greater => Some(left.value > right.value),
                Comparison::AtLeast => Some(left.value >= right.value),
                _ => None,
            },
            _ => None,
        };
        found.map_or_else(|| self.unknown("a test that is not understood").shape, bool)
    }

    fn call(
        &mut self,
        of: &Expression<'a>,
        function: &Expression<'a>,
        arguments: &[Expression<'a>],
        state: &mut State<'a>,
    ) -> Result<Value, Stop> {
        let at = self.module.offset(of.tokens.start);
        let callee = self.value(function, state)?;
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument, state)).collect::<Result<_, _>>()?;
        let all: Vec<&Value> = values.iter().chain([&callee]).collect();
        let ints: Option<Vec<Number>> =
            values.iter().map(|value| if let Shape::Int(number) = &value.shape { Some(number.clone()) } else { None }).collect();
        let draw = self.next_draw;
        self.next_draw += 1;
        if let Shape::Library(path) = &callee.shape {
            let is_fault = match (path.as_str(), ints.as_deref(), values.as_slice()) {
                ("random.randrange", Some([from, to]), _) => from.value >= to.value,
                ("random.randint", Some([from, to]), _) => from.value > to.value,
                ("random.choice", _, [one]) => matches!(&one.shape, Shape::List(list) | Shape::Tuple(list) if list.is_empty()),
                _ => false,
            };
            if is_fault {
                self.fault("there is nothing to choose from", state);
            }
            let shape = match (path.as_str(), ints.as_deref(), values.as_slice()) {
                ("random.randrange", Some([from, to]), _) if from.value < to.value => {
                    Some(Shape::Drawn { draw, at, from: from.clone(), to: to.clone() })
                }
                ("random.randint", Some([from, to]), _) if from.value <= to.value => {
                    to.plus(1).map(|to| Shape::Drawn { draw, at, from: from.clone(), to })
                }
                ("random.choice", _, [one]) => match &one.shape {
                    Shape::List(list) | Shape::Tuple(list) if !list.is_empty() => {
                        Some(Shape::Picked { draw, at, list: list.clone(), part: None })
                    }
                    _ => None,
                },
                ("random.seed" | "random.setstate", ..) => return Err(self.unclear("the chances are set there")),
                ("builtins.int", _, [one]) => match &one.shape {
                    Shape::Int(_) | Shape::Drawn { .. } | Shape::Picked { part: Some(_), .. } | Shape::Ground(_) => Some(one.shape.clone()),
                    _ => None,
                },
                _ => None,
            };
            if let Some(shape) = shape {
                let mut value = Value::of(shape).with(&all);
                value.draws.insert(draw);
                return Ok(value);
            }
        }
        if let Shape::Asked(is_ground) = callee.shape {
            let value = match values.as_slice() {
                [x, y] if is_ground && is_number(&x.shape) && is_number(&y.shape) => {
                    Value::of(Shape::Ground(Box::new([x.shape.clone(), y.shape.clone()])))
                }
                _ => self.unknown("something that the map is asked for"),
            };
            // What the ground is like is nobody's choice.
            return Ok(Value { draws: [].into(), direct: [].into(), ..value.with(&all) });
        }
        // What only calculates hands the numbers on; anything else may do something with them.
        let is_calculated =
            matches!(&callee.shape, Shape::Library(path) if ["builtins.", "math.", "random."].iter().any(|start| path.starts_with(start)));
        for value in &all {
            self.reads(&value.numbers, state.is_rare);
            if !is_calculated {
                self.uses(&value.direct);
            }
        }
        let is_method = matches!(&function.form, Form::Attribute(..));
        let is_known_owner = matches!(callee.shape, Shape::Library(_))
            || matches!(&function.form, Form::Attribute(owner, _) if self.is_servers(owner, state)?);
        // A method may have been kept under a name: `f = list.sort`.
        let is_kept = match &function.form {
            Form::Name(name) => self.own.contains(name),
            form => !matches!(form, Form::Attribute(..)),
        };
        if values.iter().any(|value| !value.is_solid()) || is_method && !is_known_owner || is_kept && !callee.is_solid() {
            self.spoil(state);
        }
        let mut value = self.unknown("something that is calculated").with(&all);
        value.draws.insert(draw);
        Ok(value)
    }

    /// Whether something belongs to the server, and holds no list of the function.
    fn is_servers(&mut self, owner: &Expression<'a>, state: &mut State<'a>) -> Result<bool, Stop> {
        let owner = self.value(owner, state)?;
        Ok(matches!(owner.shape, Shape::Connection | Shape::Team(_) | Shape::Protocol | Shape::World | Shape::Library(_)))
    }
}

fn is_number(shape: &Shape) -> bool {
    matches!(shape.unshifted().0, Shape::Int(_) | Shape::Drawn { .. } | Shape::Picked { part: Some(_), .. })
}

fn part_of(shape: &Shape, index: usize) -> Option<Shape> {
    match shape {
        Shape::Picked { draw, at, list, part: None } => Some(Shape::Picked { draw: *draw, at: *at, list: list.clone(), part: Some(index) }),
        _ => None,
    }
}
