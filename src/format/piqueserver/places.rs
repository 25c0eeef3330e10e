//! Objects as scripts by others hold them: the three usual patterns of `get_spawn_location` and
//! `get_entity_location`, with the numbers to change.
//!
//! Nothing is executed. What follows no pattern is not found, and then not changed either.

use std::ops::Range;

use crate::document::{Anchor, Object, Team};
use crate::geom::{ColumnRect, VoxelPos};

use super::branches::{Branch, Test, branches, comparison};
use super::flow::{Flow, Number, Returned};
use super::literal::Literal;
use super::script::{Script, words};
use super::template::Group;

/// A number in the file that stands for a coordinate: coordinate = number + `add`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Bytes of the number.
    pub span: Range<usize>,
    /// What code adds to the number.
    pub add: i64,
}

impl From<Number> for Cell {
    fn from(number: Number) -> Self {
        Self { span: number.span, add: number.add }
    }
}

/// An object in the file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The object.
    pub object: Object,
    /// Where its [`coordinates`] stand, in the same order; `None` where no number gives one.
    pub cells: Vec<Option<Cell>>,
    /// Where a coordinate stands once more, by its index: `get_z(x, y)` beside `x, y`.
    pub echoes: Vec<(usize, Cell)>,
    /// Whether its numbers stand for something else as well: then they are not changed.
    pub is_shared: bool,
    /// Where the object stands in the file.
    pub at: usize,
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

/// Intel and bases in `get_entity_location`.
pub fn entities(script: &Script<'_>) -> Vec<Place> {
    let Some(function) = script.function("get_entity_location") else { return vec![] };
    let code = &script.code;
    let test = |span| match comparison(code, span) {
        Some((b"entity_id", name, true) | (name, b"entity_id", true)) => Entity::named(name).map_or(Test::Other, Test::Is),
        _ => Test::Other,
    };
    branches(script, function, test, |_| None).iter().filter_map(|branch| entity(code, branch)).collect()
}

/// Spawn regions and points in `get_spawn_location`, in the order of the file.
pub fn spawns(script: &Script<'_>) -> Vec<Place> {
    let Some(function) = script.function("get_spawn_location") else { return vec![] };
    let code = &script.code;
    let test = |span| match comparison(code, span) {
        Some((left, right, same)) => match (last_name(left), last_name(right)) {
            (b"team", name) | (name, b"team") => match (team_named(name), same) {
                (Some(team), true) => Test::Is(team),
                (Some(team), false) => Test::IsNot(team),
                (None, _) => Test::Other,
            },
            _ => Test::Other,
        },
        None => Test::Other,
    };
    let rest = |seen: &[Team]| match seen {
        [only] => Team::ALL.into_iter().find(|team| team != only),
        _ => None,
    };
    let found = branches(script, function, test, rest);
    found
        .iter()
        .filter_map(|branch| rectangle(code, branch).map(|place| vec![place]).or_else(|| chosen(script, branch)))
        .flatten()
        .collect()
}

/// What a script was not understood to place, although its function is there, with the function's line: names for
/// messages.
pub fn left_out(group: Group, script: &Script<'_>, found: &[Place]) -> Vec<(&'static str, usize)> {
    let Some(function) = group.functions().iter().find_map(|name| script.function(name)) else { return vec![] };
    let is_placed = |team: Team| found.iter().any(|place| place.object.is_spawn() && place.object.team() == Some(team));
    let is_named = |word: &str| words(&script.code, function.span.clone(), word).next().is_some();
    let missing: Vec<&'static str> = match group {
        Group::Spawns => [(Team::Blue, "Where Blue spawns"), (Team::Green, "Where Green spawns")]
            .into_iter()
            .filter(|(team, _)| !is_placed(*team))
            .map(|(_, what)| what)
            .collect(),
        Group::Entities => Entity::ALL
            .into_iter()
            .filter(|(word, entity, _)| is_named(word) && !found.iter().any(|place| entity.is(&place.object)))
            .map(|(_, _, what)| what)
            .collect(),
        Group::Territories => vec![],
    };
    missing.into_iter().map(|what| (what, script.line(function.span.start))).collect()
}

/// Things with a place of their own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Entity {
    Intel(Team),
    Base(Team),
}

impl Entity {
    /// Each with its name in scripts and in messages.
    const ALL: [(&str, Self, &str); 4] = [
        ("BLUE_FLAG", Self::Intel(Team::Blue), "Blue's intel"),
        ("GREEN_FLAG", Self::Intel(Team::Green), "Green's intel"),
        ("BLUE_BASE", Self::Base(Team::Blue), "Blue's base"),
        ("GREEN_BASE", Self::Base(Team::Green), "Green's base"),
    ];

    fn named(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|(word, ..)| word.as_bytes() == last_name(name)).map(|(_, entity, _)| entity)
    }

    fn is(self, object: &Object) -> bool {
        match (self, object) {
            (Self::Intel(team), Object::Intel { team: other, .. }) | (Self::Base(team), Object::Base { team: other, .. }) => team == *other,
            _ => false,
        }
    }
}

fn team_named(name: &[u8]) -> Option<Team> {
    match name {
        b"blue_team" => Some(Team::Blue),
        b"green_team" => Some(Team::Green),
        _ => None,
    }
}

/// The name after the last dot.
fn last_name(name: &[u8]) -> &[u8] {
    name.rsplit(|byte| *byte == b'.').next().unwrap_or(name)
}

fn entity(code: &[u8], branch: &Branch<Entity>) -> Option<Place> {
    let flow = Flow::of(code, branch)?;
    let [x, y, z] = flow.returned.as_slice() else { return None };
    let (x, y, height) = (flow.number(x)?, flow.number(y)?, flow.number(z));
    let at = Anchor { x: x.value, y: y.value, z: height.as_ref().map(|z| z.value) };
    let object = match branch.key {
        Entity::Intel(team) => Object::Intel { team, at },
        Entity::Base(team) => Object::Base { team, at },
    };
    let ground = flow.ground_at(z, [at.x, at.y]).map(|[x, y]| [(0, x.into()), (1, y.into())]);
    let cells = vec![Some(x.into()), Some(y.into()), height.map(Cell::from)];
    Some(Place { object, cells, echoes: ground.into_iter().flatten().collect(), is_shared: false, at: branch.at })
}

/// `return x, y, z` of two `randrange(a, b)`, half-open.
fn rectangle(code: &[u8], branch: &Branch<Team>) -> Option<Place> {
    let flow = Flow::of(code, branch)?;
    let [x, y, z] = flow.returned.as_slice() else { return None };
    let (x, y) = (flow.range(x)?, flow.range(y)?);
    let height = flow.number(z);
    if *z == Returned::Unknown {
        return None;
    }
    let area = ColumnRect::new([x.0.value, y.0.value], [x.1.value, y.1.value]);
    let object = Object::SpawnRegion { team: branch.key, area, z: height.as_ref().map_or(0, |z| z.value) };
    let mut cells = [x.0, x.1, y.0, y.1].map(|number| Some(Cell::from(number))).to_vec();
    cells.push(height.map(Cell::from));
    Some(Place { object, cells, echoes: vec![], is_shared: false, at: branch.at })
}

/// `choice(a list at the top level)` or `choice([(x1, y1, z1), …])`.
fn chosen(script: &Script<'_>, branch: &Branch<Team>) -> Option<Vec<Place>> {
    let flow = Flow::of(&script.code, branch)?;
    let (list, before) = flow.chosen()?;
    if let Some(points) = flow.listed(&list) {
        let numbers = |span: &Range<usize>| -> Option<Vec<Number>> {
            flow.listed(span)?.into_iter().map(|span| flow.number(&Returned::Whole(span, before))).collect()
        };
        return points.iter().map(|span| point(numbers(span)?, branch.key, span.start)).collect();
    }
    let name = script.code.get(list).and_then(|name| str::from_utf8(name).ok())?;
    let points: Option<Vec<Place>> = script.literal(name)?.items()?.iter().map(|item| listed_point(item, branch.key)).collect();
    // What else uses the list would change with it.
    let is_shared = words(&script.code, 0..script.code.len(), name).count() > 2;
    points.map(|points| points.into_iter().map(|place| Place { is_shared, ..place }).collect())
}

fn listed_point(item: &Literal, team: Team) -> Option<Place> {
    let number = |literal: &Literal| Number::of(literal.as_int()?, literal.span.clone());
    point(item.items()?.iter().map(number).collect::<Option<_>>()?, team, item.span.start)
}

fn point(numbers: Vec<Number>, team: Team, at: usize) -> Option<Place> {
    match numbers.as_slice() {
        [x, y, z] => {
            let object = Object::SpawnPoint { team, at: VoxelPos::new(x.value, y.value, z.value) };
            let cells = numbers.into_iter().map(|number| Some(number.into())).collect();
            Some(Place { object, cells, echoes: vec![], is_shared: false, at })
        }
        // Without a height it is a region of one column, seen from the sky. It can only move.
        [x, y] => {
            let area = ColumnRect::new([x.value, y.value], [x.value.checked_add(1)?, y.value.checked_add(1)?]);
            let next = |number: &Number| number.clone().plus(1).map(Cell::from);
            let cells = vec![Some(x.clone().into()), next(x), Some(y.clone().into()), next(y), None];
            Some(Place { object: Object::SpawnRegion { team, area, z: 0 }, cells, echoes: vec![], is_shared: false, at })
        }
        _ => None,
    }
}
