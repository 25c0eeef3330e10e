//! Objects as scripts by others hold them: the three usual patterns of `get_spawn_location` and
//! `get_entity_location`, with the numbers to change.
//!
//! Nothing is executed. What follows no pattern is not found, and then not changed either.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::document::{Anchor, Object, Team};
use crate::geom::{ColumnRect, VoxelPos};

use super::literal::{Literal, literal_at};
use super::script::{Script, line_end, skip_blanks, word_at, words};

/// Coordinates beyond are no coordinates.
const MAX_COORDINATE: i64 = 1_000_000;

/// A number in the file that stands for a coordinate: coordinate = number + `add`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Bytes of the number.
    pub span: Range<usize>,
    /// What code adds to the number.
    pub add: i64,
}

/// An object in the file.
#[derive(Clone, Debug)]
pub struct Place {
    /// The object.
    pub object: Object,
    /// Where its [`coordinates`] stand, in the same order; `None` where no number gives one.
    pub cells: Vec<Option<Cell>>,
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
    let marks: Vec<usize> = words(code, function.span.clone(), "entity_id").collect();
    let mut places = Vec::<Place>::new();
    for (i, mark) in marks.iter().enumerate() {
        let after = skip_blanks(code, mark + "entity_id".len());
        if !code.get(after..).is_some_and(|rest| rest.starts_with(b"==")) {
            continue;
        }
        let name = word_at(code, skip_blanks(code, after + 2));
        let segment = after..marks.get(i + 1).copied().unwrap_or(function.span.end);
        let Some((x, y, z)) = entity_numbers(code, segment) else { continue };
        let at = Anchor { x: x.value, y: y.value, z: z.as_ref().map(|z| z.value) };
        let object = match name {
            b"BLUE_FLAG" => Object::Intel { team: Team::Blue, at },
            b"GREEN_FLAG" => Object::Intel { team: Team::Green, at },
            b"BLUE_BASE" => Object::Base { team: Team::Blue, at },
            b"GREEN_BASE" => Object::Base { team: Team::Green, at },
            _ => continue,
        };
        // The first that matches is the one that a server reaches.
        let same = |place: &Place| {
            std::mem::discriminant(&place.object) == std::mem::discriminant(&object) && place.object.team() == object.team()
        };
        if !places.iter().any(same) {
            let cells = vec![Some(x.cell()), Some(y.cell()), z.map(|z| z.cell())];
            places.push(Place { object, cells, at: *mark });
        }
    }
    places
}

/// Spawn regions and points in `get_spawn_location`, blue and green as they come.
pub fn spawns(script: &Script<'_>) -> Vec<Place> {
    let Some(function) = script.function("get_spawn_location") else { return vec![] };
    let code = &script.code;
    let mut marks: Vec<(usize, Team)> = [("blue_team", Team::Blue), ("green_team", Team::Green)]
        .into_iter()
        .flat_map(|(word, team)| words(code, function.span.clone(), word).map(move |at| (at, team)))
        .collect();
    marks.sort_unstable_by_key(|(at, _)| *at);
    let mut places = Vec::<Place>::new();
    let mut done: Vec<Team> = vec![];
    for (i, (mark, team)) in marks.iter().enumerate() {
        let segment = *mark..marks.get(i + 1).map_or(function.span.end, |(next, _)| *next);
        if done.contains(team) {
            continue;
        }
        let found =
            rectangle(code, segment.clone(), *team).map(|place| vec![place]).or_else(|| chosen(script, segment, *team)).unwrap_or_default();
        if !found.is_empty() {
            done.push(*team);
            places.extend(found);
        }
    }
    places
}

/// A number with the bytes it stands in.
#[derive(Clone, Debug)]
struct Number {
    value: i32,
    span: Range<usize>,
    add: i64,
}

impl Number {
    fn cell(&self) -> Cell {
        Cell { span: self.span.clone(), add: self.add }
    }
}

fn number_of(literal: &Literal) -> Option<Number> {
    let value = literal.as_int().filter(|value| value.abs() <= MAX_COORDINATE)?;
    Some(Number { value: i32::try_from(value).ok()?, span: literal.span.clone(), add: 0 })
}

fn number_at(code: &[u8], at: usize) -> Option<Number> {
    literal_at(code, at).ok().as_ref().and_then(number_of)
}

/// The offset after `byte`, if it is the next thing at `at`.
fn after(code: &[u8], at: usize, byte: u8) -> Option<usize> {
    let at = skip_blanks(code, at);
    (code.get(at) == Some(&byte)).then_some(at + 1)
}

/// `a, b, c` at `at`, where c may be anything: then it is `None`, the ground.
fn triple_at(code: &[u8], at: usize) -> Option<(Number, Number, Option<Number>)> {
    let x = number_at(code, at)?;
    let y = number_at(code, after(code, x.span.end, b',')?)?;
    let z = number_at(code, after(code, y.span.end, b',')?);
    Some((x, y, z))
}

fn entity_numbers(code: &[u8], segment: Range<usize>) -> Option<(Number, Number, Option<Number>)> {
    let returned = words(code, segment.clone(), "return").find_map(|at| {
        let at = skip_blanks(code, at + "return".len());
        triple_at(code, after(code, at, b'(').unwrap_or(at))
    });
    returned.or_else(|| {
        words(code, segment, "x").find_map(|at| {
            let at = after(code, at + 1, b',')?;
            let at = skip_blanks(code, at);
            let at = after(code, at + word_at(code, at).len(), b',')?;
            let at = skip_blanks(code, at);
            triple_at(code, after(code, at + word_at(code, at).len(), b'=')?)
        })
    })
}

/// `name = number` at the start of a line, the last of each name before `span.end`.
fn constants(code: &[u8], span: Range<usize>) -> BTreeMap<Vec<u8>, Number> {
    let mut found = BTreeMap::new();
    let mut line = line_end(code, span.start);
    while line < span.end {
        let at = skip_blanks(code, line);
        let name = word_at(code, at);
        if let Some(number) = after(code, at + name.len(), b'=').filter(|_| !name.is_empty()).and_then(|at| number_at(code, at)) {
            found.insert(name.to_vec(), number);
        }
        line = line_end(code, line);
    }
    found
}

/// The offset after the bracket of each `name(` in the segment.
fn calls<'c>(code: &'c [u8], segment: Range<usize>, name: &'c str) -> impl Iterator<Item = usize> + 'c {
    words(code, segment, name).filter_map(move |at| after(code, at + name.len(), b'('))
}

/// Two `randrange(a, b)`: x, then y; half-open.
fn rectangle(code: &[u8], segment: Range<usize>, team: Team) -> Option<Place> {
    let mut ranges = calls(code, segment.clone(), "randrange").map(|at| {
        let from = number_at(code, at)?;
        let to = number_at(code, after(code, from.span.end, b',')?)?;
        (from.value < to.value).then_some((from, to))
    });
    let (x, y) = (ranges.next()??, ranges.next()??);
    let z = returned_z(code, segment.clone());
    let area = ColumnRect::new([x.0.value, y.0.value], [x.1.value, y.1.value]);
    let object = Object::SpawnRegion { team, area, z: z.as_ref().map_or(0, |z| z.value) };
    let mut cells = [x.0, x.1, y.0, y.1].map(|number| Some(number.cell())).to_vec();
    cells.push(z.map(|z| z.cell()));
    Some(Place { object, cells, at: segment.start })
}

/// The third value of `return (x, y, z1-1)`, where it is a constant, or one less a number.
fn returned_z(code: &[u8], segment: Range<usize>) -> Option<Number> {
    let constants = constants(code, segment.clone());
    words(code, segment, "return").find_map(|at| {
        let at = skip_blanks(code, at + "return".len());
        let mut at = skip_blanks(code, after(code, at, b'(').unwrap_or(at));
        for _ in 0..2 {
            at = skip_blanks(code, after(code, at + word_at(code, at).len(), b',')?);
        }
        let name = word_at(code, at);
        if name.is_empty() {
            return number_at(code, at);
        }
        let mut number = constants.get(name)?.clone();
        let at = skip_blanks(code, at + name.len());
        match code.get(at) {
            Some(b'-') => number.add = -i64::from(number_at(code, at + 1)?.value),
            Some(b'+') => number.add = i64::from(number_at(code, at + 1)?.value),
            Some(b')' | b'\r' | b'\n') | None => {}
            Some(_) => return None,
        }
        number.value = i32::try_from(i64::from(number.value) + number.add).ok()?;
        Some(number)
    })
}

/// `choice(a list at the top level)` or `choice([(x1, y1, z1), …])`.
fn chosen(script: &Script<'_>, segment: Range<usize>, team: Team) -> Option<Vec<Place>> {
    let code = &script.code;
    calls(code, segment.clone(), "choice").find_map(|at| {
        let at = skip_blanks(code, at);
        let name = word_at(code, at);
        if name.is_empty() {
            return inline_points(code, segment.clone(), after(code, at, b'[')?, team);
        }
        let list = script.literal(str::from_utf8(name).ok()?)?;
        list.items()?.iter().map(|item| listed_point(item, team)).collect()
    })
}

fn listed_point(item: &Literal, team: Team) -> Option<Place> {
    let numbers: Vec<Number> = item.items()?.iter().map(number_of).collect::<Option<_>>()?;
    point(&numbers, team, item.span.start)
}

fn point(numbers: &[Number], team: Team, at: usize) -> Option<Place> {
    match numbers {
        [x, y, z] => {
            let object = Object::SpawnPoint { team, at: VoxelPos::new(x.value, y.value, z.value) };
            Some(Place { object, cells: vec![Some(x.cell()), Some(y.cell()), Some(z.cell())], at })
        }
        // Without a height it is a region of one column, seen from the sky. It can only move.
        [x, y] => {
            let area = ColumnRect::new([x.value, y.value], [x.value.checked_add(1)?, y.value.checked_add(1)?]);
            let next = |number: &Number| Some(Cell { add: number.add + 1, ..number.cell() });
            let cells = vec![Some(x.cell()), next(x), Some(y.cell()), next(y), None];
            Some(Place { object: Object::SpawnRegion { team, area, z: 0 }, cells, at })
        }
        _ => None,
    }
}

/// `(x1, y1, z1), …]` with constants or numbers, from after the bracket.
fn inline_points(code: &[u8], segment: Range<usize>, at: usize, team: Team) -> Option<Vec<Place>> {
    let constants = constants(code, segment.start..at);
    let skip = |mut at: usize| {
        while code.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    };
    let mut places = Vec::new();
    let mut at = skip(at);
    while code.get(at) == Some(&b'(') {
        let start = at;
        let mut numbers = Vec::new();
        while code.get(at).is_some_and(|byte| matches!(byte, b'(' | b',')) && numbers.len() < 4 {
            at = skip(at + 1);
            let name = word_at(code, at);
            if name.is_empty() {
                let number = number_at(code, at)?;
                at = number.span.end;
                numbers.push(number);
            } else {
                numbers.push(constants.get(name)?.clone());
                at += name.len();
            }
            at = skip(at);
        }
        if code.get(at) != Some(&b')') {
            return None;
        }
        places.push(point(&numbers, team, start)?);
        at = skip(at + 1);
        if code.get(at) == Some(&b',') {
            at = skip(at + 1);
        }
    }
    (code.get(at) == Some(&b']')).then_some(places)
}
