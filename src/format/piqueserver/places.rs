//! Objects as scripts by others hold them: what `get_spawn_location` and `get_entity_location` answer for each team and
//! thing, with the numbers to change.
//!
//! Nothing is executed: a small interpreter follows what the functions do with values as far as they are known.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::document::{Anchor, Object, Team};
use crate::geom::{ColumnRect, VoxelPos};

use super::module::{Module, Unclear};
use super::run::{Asked, Outcome, numbers_in, numbers_of, run};
use super::script::Script;
use super::template::Group;
use super::value::{Cell, Number, Numbers, Shape, Value};

/// Height by which scripts correct where players stand.
pub(super) const MAX_CORRECTION: f64 = 4.0;

/// An object in the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The object.
    pub object: Object,
    /// Where its [`coordinates`] stand, in the same order; `None` where no number gives one.
    pub cells: Vec<Option<Cell>>,
    /// Where a coordinate stands once more, by its index: `get_z(x, y)` beside `x, y`.
    pub echoes: Vec<(usize, Cell)>,
    /// Where the object stands in the file.
    pub at: usize,
}

/// Something that the server asks a script for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Where a team spawns.
    Spawn(Team),
    /// Where the intel of a team stands.
    Intel(Team),
    /// Where the base of a team stands.
    Base(Team),
}

/// What a script answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// These objects.
    Places(Vec<Place>),
    /// Nothing: the server decides.
    Nothing,
    /// It is not known.
    Unclear(Unclear),
}

/// What a script answers to one question.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The question.
    pub key: Key,
    /// The answer.
    pub found: Found,
    /// All numbers of the file that it may hang on.
    pub numbers: Numbers,
    /// Numbers of which the function makes something else as well.
    pub uses: Numbers,
}

/// What a script's functions answer.
#[derive(Debug, Default)]
pub struct Answers {
    /// In the order of the file.
    pub all: Vec<Answer>,
    /// Numbers that stand for something else as well.
    pub elsewhere: Numbers,
    /// Where some players are placed by their names.
    pub rare: Option<usize>,
}

impl Key {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Spawn(Team::Blue),
        Self::Spawn(Team::Green),
        Self::Intel(Team::Blue),
        Self::Intel(Team::Green),
        Self::Base(Team::Blue),
        Self::Base(Team::Green),
    ];

    /// The group that it belongs to.
    pub fn group(self) -> Group {
        if matches!(self, Self::Spawn(_)) { Group::Spawns } else { Group::Entities }
    }

    /// Its name in a sentence.
    pub fn label(self) -> &'static str {
        match self {
            Self::Spawn(Team::Blue) => "where Blue spawns",
            Self::Spawn(Team::Green) => "where Green spawns",
            Self::Intel(Team::Blue) => "where Blue's intel stands",
            Self::Intel(Team::Green) => "where Green's intel stands",
            Self::Base(Team::Blue) => "where Blue's base stands",
            Self::Base(Team::Green) => "where Green's base stands",
        }
    }

    /// Whether an object answers it.
    pub fn is_of(self, object: &Object) -> bool {
        match (self, object) {
            (Self::Spawn(team), Object::SpawnRegion { team: other, .. } | Object::SpawnPoint { team: other, .. })
            | (Self::Intel(team), Object::Intel { team: other, .. })
            | (Self::Base(team), Object::Base { team: other, .. }) => team == *other,
            _ => false,
        }
    }

    fn asked(self) -> Asked {
        match self {
            Self::Spawn(team) => Asked::Player(team),
            Self::Intel(team) => Asked::Thing(team, i64::from(team == Team::Green)),
            Self::Base(team) => Asked::Thing(team, 2 + i64::from(team == Team::Green)),
        }
    }
}

/// The numbers that make an object's place.
pub fn coordinates(object: &Object) -> Vec<Option<i32>> {
    match object {
        Object::SpawnRegion { area, z, .. } => {
            let ([x0, y0], [x1, y1]) = (area.min(), area.max());
            [x0, x1, y0, y1, *z].map(Some).to_vec()
        }
        Object::SpawnPoint { at, .. } => at.to_array().map(Some).to_vec(),
        Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => {
            vec![Some(at.x), Some(at.y), at.z]
        }
    }
}

/// What a script answers; nothing for a group whose function it does not name, or which is in our own lists.
pub fn answers(script: &Script<'_>) -> Answers {
    let mut answers = Answers::default();
    let groups = [Group::Spawns, Group::Entities].map(|group| (group, group.functions().first().copied().unwrap_or_default()));
    let is_named = |name: &str| script.text.windows(name.len()).any(|window| window == name.as_bytes());
    if !groups.iter().any(|(_, name)| is_named(name)) {
        return answers;
    }
    let module = &script.module;
    let mut inside = vec![];
    for (group, name) in groups.into_iter().filter(|(group, _)| !group.is_ours(script)) {
        let Some(function) = module.function(name, script.text) else { continue };
        if let Ok((_, tokens)) = &function {
            inside.push(module.span(tokens));
        }
        for key in Key::ALL.into_iter().filter(|key| key.group() == group) {
            let ran = function.clone().and_then(|(function, tokens)| run(module, function, &tokens, key.asked()));
            let answer = match ran {
                Ok(ran) => {
                    answers.elsewhere.extend(&ran.rare);
                    let mut numbers = ran.numbers;
                    for outcome in &ran.outcomes {
                        let hung = outcome.value.as_ref().map(|value| value.numbers.clone()).unwrap_or_default();
                        if outcome.is_rare { &mut answers.elsewhere } else { &mut numbers }.extend(hung);
                    }
                    answers.rare = answers.rare.or(ran.outcomes.iter().find(|outcome| outcome.is_rare).map(|outcome| outcome.at));
                    let usual: Vec<&Outcome> = ran.outcomes.iter().filter(|outcome| !outcome.is_rare).collect();
                    Answer { key, found: agreed(key, &usual), numbers, uses: ran.uses }
                }
                Err(unclear) => {
                    let numbers = function.as_ref().map(|(_, tokens)| everything(module, tokens)).unwrap_or_default();
                    Answer { key, found: Found::Unclear(unclear), numbers, uses: Numbers::new() }
                }
            };
            answers.all.push(answer);
        }
    }
    for name in module.used_outside(&inside) {
        answers.elsewhere.extend(numbers_of(module, name));
    }
    answers.all.sort_by_key(|answer| match &answer.found {
        Found::Places(places) => places.iter().map(|place| place.at).min().unwrap_or(usize::MAX),
        _ => usize::MAX,
    });
    answers
}

/// All numbers that a function may read.
fn everything(module: &Module<'_>, tokens: &Range<usize>) -> Numbers {
    let mut numbers = numbers_in(module, tokens);
    let words = module.tokens.get(tokens.clone()).unwrap_or_default();
    let names: BTreeSet<&str> = words.iter().map(|token| token.text).collect();
    names.into_iter().for_each(|name| numbers.extend(numbers_of(module, name)));
    numbers
}

/// What all ways through a function come to.
fn agreed(key: Key, outcomes: &[&Outcome]) -> Found {
    let mut found: Option<(Option<[Shape; 3]>, usize)> = None;
    for outcome in outcomes {
        let unclear = |why: &'static str| Found::Unclear(Unclear { at: outcome.at, why });
        let value = match &outcome.value {
            Ok(value) => value,
            Err(why) => return Found::Unclear(*why),
        };
        let new = match triple(value, outcome.at) {
            Ok(new) => new,
            Err(unclear) => return Found::Unclear(unclear),
        };
        if !outcome.limited.is_disjoint(&value.draws) {
            return unclear("a loop takes only some of the places");
        }
        let both = match (found.take(), new) {
            (None, new) => Some(new),
            (Some((None, _)), None) => Some(None),
            (Some((Some(old), _)), Some(new)) => {
                let [x, y, z] = [0, 1, 2].map(|i| old.get(i).zip(new.get(i)).and_then(|(old, new)| old.agreed(new, i == 2)));
                x.zip(y).zip(z).map(|((x, y), z)| Some([x, y, z]))
            }
            _ => None,
        };
        let Some(both) = both else { return unclear("there are several answers, and which one counts is not known") };
        found = Some((both, outcome.at));
    }
    match found {
        Some((Some(shapes), at)) => match places(key, &shapes, at) {
            Some(places) => Found::Places(places),
            None => Found::Unclear(unknown_of(&shapes).unwrap_or(Unclear { at, why: "what is returned there is not understood" })),
        },
        Some((None, _)) => Found::Nothing,
        None => Found::Unclear(Unclear { at: 0, why: "the function never answers" }),
    }
}

/// The reason why a part is not known.
fn unknown_of(shapes: &[Shape]) -> Option<Unclear> {
    shapes.iter().find_map(|shape| if let Shape::Unknown(unclear) = shape { Some(*unclear) } else { None })
}

/// x, y and z of an answer; `None` where it is none.
fn triple(value: &Value, at: usize) -> Result<Option<[Shape; 3]>, Unclear> {
    let unclear = Unclear { at, why: "what is returned there is not understood" };
    match &value.shape {
        Shape::None => Ok(None),
        Shape::Unknown(unclear) => Err(*unclear),
        Shape::Tuple(items) | Shape::List(items) => match items.as_slice() {
            [x, y, z] => Ok(Some([x, y, z].map(|item| item.shape.clone()))),
            _ => Err(unclear),
        },
        Shape::Picked { draw, at: drawn_at, list, part: None } => {
            let has_three = |item: &Value| matches!(&item.shape, Shape::Tuple(parts) | Shape::List(parts) if parts.len() == 3);
            let part = |part| Shape::Picked { draw: *draw, at: *drawn_at, list: list.clone(), part: Some(part) };
            list.iter().all(has_three).then(|| Some([0, 1, 2].map(part))).ok_or(unclear)
        }
        _ => Err(unclear),
    }
}

/// The objects that an answer stands for.
fn places(key: Key, shapes: &[Shape; 3], at: usize) -> Option<Vec<Place>> {
    let [x, y, z] = shapes;
    match key {
        Key::Intel(_) | Key::Base(_) => {
            let (Shape::Int(x), Shape::Int(y)) = (x, y) else { return None };
            let (height, echoes) = match z {
                Shape::Int(z) => (Some(z), vec![]),
                // The server looks for the ground itself.
                Shape::Ground(column) => (None, echoes(column, shapes)),
                _ => return None,
            };
            let anchor = Anchor { x: small(x)?, y: small(y)?, z: height.map(small).map_or(Some(None), |z| z.map(Some))? };
            let object = match key {
                Key::Intel(team) => Object::Intel { team, at: anchor },
                Key::Base(team) => Object::Base { team, at: anchor },
                Key::Spawn(_) => return None,
            };
            let cells = vec![x.cell.clone(), y.cell.clone(), height.and_then(|z| z.cell.clone())];
            let at = cells.iter().flatten().map(|cell| cell.span.start).next().unwrap_or(at);
            Some(vec![Place { object, cells, echoes, at }])
        }
        Key::Spawn(team) => {
            let is_column = |shape: &Shape| shape.unshifted().1.abs() < 1.0;
            (is_column(x) && is_column(y)).then_some(())?;
            spawns(team, [x.unshifted().0, y.unshifted().0], Height::of(z, shapes)?, at)
        }
    }
}

/// The height of a spawn.
enum Height {
    /// A number.
    Number(Number),
    /// A part of what is chosen, with what is added to it.
    Part(usize, usize, i64),
    /// The ground.
    Ground(Vec<(usize, Cell)>),
}

impl Height {
    fn of(z: &Shape, shapes: &[Shape; 3]) -> Option<Self> {
        let (base, by) = z.unshifted();
        // Whole blocks count, and a correction by less does not. Exact: it is checked to be whole and small.
        let add = if by.fract() == 0.0 && by.abs() < 1e6 { by as i64 } else { 0 };
        (add != 0 || by.abs() <= MAX_CORRECTION).then_some(())?;
        match base {
            Shape::Int(number) => Some(Self::Number(number.plus(add)?)),
            Shape::Picked { draw, part: Some(part), .. } => Some(Self::Part(*draw, *part, add)),
            Shape::Ground(column) => {
                let [x, y, _] = shapes;
                let [other_x, other_y] = column.as_ref();
                (by.abs() <= MAX_CORRECTION && x.is_at(other_x) && y.is_at(other_y)).then(|| Self::Ground(echoes(column, shapes)))
            }
            _ => None,
        }
    }
}

/// The numbers of a ground's column that stand for the place's own a second time.
fn echoes(column: &[Shape; 2], shapes: &[Shape; 3]) -> Vec<(usize, Cell)> {
    let is_here = column.iter().zip(shapes).all(|(other, own)| other.is_at(own));
    let cell = |shape: &Shape| if let Shape::Int(number) = shape.unshifted().0 { number.cell.clone() } else { None };
    let doubled = |(index, (other, own)): (usize, (&Shape, &Shape))| {
        let other = cell(other).filter(|other| cell(own).as_ref() != Some(other))?;
        Some((index, other))
    };
    column.iter().zip(shapes).enumerate().filter(|_| is_here).filter_map(doubled).collect()
}

fn spawns(team: Team, column: [&Shape; 2], height: Height, returned_at: usize) -> Option<Vec<Place>> {
    match column {
        [Shape::Drawn { draw, at, from, to }, Shape::Drawn { draw: other, from: y0, to: y1, .. }] if draw != other => {
            let (z, echoes) = match height {
                Height::Number(number) => (Some(number), vec![]),
                Height::Ground(echoes) => (None, echoes),
                Height::Part(..) => return None,
            };
            let area = ColumnRect::new([small(from)?, small(y0)?], [small(to)?, small(y1)?]);
            let object = Object::SpawnRegion { team, area, z: z.as_ref().map_or(Some(0), small)? };
            let mut cells: Vec<Option<Cell>> = [from, to, y0, y1].map(|number| number.cell.clone()).to_vec();
            cells.push(z.and_then(|z| z.cell));
            Some(vec![Place { object, cells, echoes, at: *at }])
        }
        [Shape::Int(x), Shape::Int(y)] => match height {
            Height::Number(z) => Some(vec![point(team, [x, y, &z], returned_at)?]),
            Height::Ground(echoes) => {
                let place = column_of(team, x, y, returned_at)?;
                // The end of the region is one more.
                let both = echoes.into_iter().map(|(index, cell)| (2 * index, cell)).collect();
                Some(vec![Place { echoes: both, ..place }])
            }
            Height::Part(..) => None,
        },
        [Shape::Picked { draw, at, list, part: Some(0) }, Shape::Picked { draw: other, part: Some(1), .. }] if draw == other => {
            let part = |item: &Value, part: usize| match &item.shape {
                Shape::Tuple(parts) | Shape::List(parts) => match &parts.get(part)?.shape {
                    Shape::Int(number) => Some(number.clone()),
                    _ => None,
                },
                _ => None,
            };
            let one = |item: &Value| {
                let (x, y) = (part(item, 0)?, part(item, 1)?);
                match &height {
                    Height::Number(z) => point(team, [&x, &y, z], *at),
                    Height::Part(third, 2, add) if third == draw => point(team, [&x, &y, &part(item, 2)?.plus(*add)?], *at),
                    Height::Part(..) => None,
                    Height::Ground(_) => column_of(team, &x, &y, *at),
                }
            };
            list.iter().map(one).collect()
        }
        _ => None,
    }
}

fn point(team: Team, numbers: [&Number; 3], at: usize) -> Option<Place> {
    let [x, y, z] = numbers;
    let object = Object::SpawnPoint { team, at: VoxelPos::new(small(x)?, small(y)?, small(z)?) };
    Some(Place { object, cells: numbers.map(|number| number.cell.clone()).to_vec(), echoes: vec![], at })
}

/// Without a height it is a region of one column, seen from the sky. It can only move.
fn column_of(team: Team, x: &Number, y: &Number, at: usize) -> Option<Place> {
    let (next_x, next_y) = (x.plus(1)?, y.plus(1)?);
    let area = ColumnRect::new([small(x)?, small(y)?], [small(&next_x)?, small(&next_y)?]);
    let cells = [Some(x), Some(&next_x), Some(y), Some(&next_y), None].map(|number| number.and_then(|number| number.cell.clone()));
    Some(Place { object: Object::SpawnRegion { team, area, z: 0 }, cells: cells.to_vec(), echoes: vec![], at })
}

/// A number that can be a coordinate.
fn small(number: &Number) -> Option<i32> {
    i32::try_from(number.value).ok().filter(|value| value.abs() <= 1_000_000)
}
