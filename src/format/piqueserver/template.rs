//! Our own text: literals that the editor reads back, and the functions that make a server use them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::lists::{aligned, has_comment, respliced};
use super::literal::{Literal, Value};
use super::metadata::KEYS;
use super::script::{Script, Setting};
use super::tokens::{Kind, Token, tokens};
use crate::document::{Anchor, Object, Team};
use crate::format::merge::ObjectKind;
use crate::format::{Report, Severity};
use crate::geom::{ColumnRect, VoxelPos};

/// Width and depth of every map that the server takes.
const MAP_EDGE: i32 = 512;
/// z of the lowest voxel.
const MAX_Z: i32 = 63;

/// Objects that one function of the script places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Spawn regions and points of both teams.
    Spawns,
    /// Bases and intel.
    Entities,
    /// Territories.
    Territories,
}

impl Group {
    /// All groups, in the order they are written.
    pub const ALL: [Self; 3] = [Self::Spawns, Self::Entities, Self::Territories];

    /// What it holds, for messages.
    pub fn label(self) -> &'static str {
        match self {
            Self::Spawns => "where players spawn",
            Self::Entities => "where bases and intel stand",
            Self::Territories => "where territories stand",
        }
    }

    /// The kinds of objects in it.
    pub fn kinds(self) -> &'static [ObjectKind] {
        match self {
            Self::Spawns => &[ObjectKind::Spawn],
            Self::Entities => &[ObjectKind::Base, ObjectKind::Intel],
            Self::Territories => &[ObjectKind::Territory],
        }
    }

    /// The functions that it needs.
    pub fn functions(self) -> &'static [&'static str] {
        match self {
            Self::Spawns => &["get_spawn_location"],
            Self::Entities => &["get_entity_location"],
            Self::Territories => &["on_map_change", "on_map_leave"],
        }
    }

    /// The literals that hold it.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Spawns => &["spawn_regions_blue", "spawn_regions_green"],
            Self::Entities => &["entity_points"],
            Self::Territories => &["territories"],
        }
    }

    /// Whether the script holds it in our literals: they are there, our own functions read them, and nothing else names either.
    pub fn is_ours(self, script: &Script<'_>) -> bool {
        let count = |code: &[u8], name: &str| super::script::words(code, 0..code.len(), name).count();
        let is_literal = |name: &&str| matches!(script.setting(name), Setting::Literal(_));
        if !self.names().iter().all(is_literal) || self.functions().first().is_none_or(|name| script.function(name).is_none()) {
            return false;
        }
        let own = Script::new(self.code().as_bytes());
        let is_alone = |name: &&str, set: usize| count(&script.code, name) == count(&own.code, name) + set;
        // What our functions use.
        let is_usual = |name: &&str| script.module.is_unbound(name);
        self.names().iter().all(|name| is_alone(name, 1))
            && self.functions().iter().chain(&["_random"]).all(|name| is_alone(name, 0) || self != Self::Spawns && *name == "_random")
            && ["range", "enumerate"].iter().all(is_usual)
            && script.module.door_behind(0).is_none()
            && has_code(&tokens(script.text).list, self.code())
    }

    /// Whether the script has none of its functions, nor a word of them.
    pub fn is_nowhere_in(self, script: &Script<'_>) -> bool {
        self.functions().iter().all(|name| script.find_word(name).is_none())
    }

    /// Whether the script has some of our literals, and no function at all that could use them.
    pub fn lacks_its_functions(self, script: &Script<'_>) -> bool {
        let is_unused = |name: &&str| match script.setting(name) {
            Setting::Literal(_) => super::script::words(&script.code, 0..script.code.len(), name).count() == 1,
            Setting::Missing => script.find_word(name).is_none(),
            Setting::Code(_) => false,
        };
        self.is_nowhere_in(script) && self.names().iter().all(is_unused)
    }

    /// Where the first of our literals stands that our functions would fail over.
    pub fn unusable(self, script: &Script<'_>) -> Option<usize> {
        let is_unusable =
            |value: &&Literal, name: &str| entries(name, value).is_none_or(|all| all.iter().any(|(_, object)| object.is_none()));
        self.names().iter().find_map(|name| script.literal(name).filter(|value| is_unusable(value, name))).map(|value| value.span.start)
    }

    fn comment(self) -> &'static str {
        match self {
            Self::Spawns => {
                "# (x0, y0, x1, y1, z): columns x0 <= x < x1, y0 <= y < y1; the ground is looked for from z downwards\n\
                 # (0 = from the sky; a z under a roof spawns indoors; a 1x1 region with the ground's z is a point)\n"
            }
            Self::Entities => "# (x, y, z of the ground block, or None = top of the column)\n",
            Self::Territories => "# (x, y, owner) for territory control: 0 blue, 1 green, None neutral; at most 16\n",
        }
    }

    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Spawns => SPAWN_CODE,
            Self::Entities => ENTITY_CODE,
            Self::Territories => TERRITORY_CODE,
        }
    }
}

/// Whether every function of that code stands at the top level, word for word; comments and blanks may differ.
fn has_code(all: &[Token<'_>], code: &str) -> bool {
    let own = tokens(code.as_bytes()).list;
    // Functions, and imports before them.
    let is_break = |at: usize| own.get(at).is_some_and(|token| matches!(token.text, "def" | "import")) && depth(&own, at) == 0;
    let starts: Vec<usize> = (0..own.len()).filter(|at| is_break(*at)).collect();
    let ends = starts.iter().copied().skip(1).chain([own.len()]);
    starts.iter().zip(ends).all(|(start, end)| {
        let part: Vec<&Token<'_>> = own.get(*start..end).unwrap_or_default().iter().collect();
        // What ends a block stands behind it or not, as the file goes on.
        let kept = part.iter().rposition(|token| !matches!(token.kind, Kind::Line | Kind::Dedent)).map_or(0, |last| last + 1);
        let part = part.get(..kept).unwrap_or_default();
        let is_same = |at: usize| {
            let found = all.get(at..at + part.len()).unwrap_or_default();
            found.len() == part.len() && found.iter().zip(part).all(|(one, other)| (one.kind, one.text) == (other.kind, other.text))
        };
        (0..all.len()).any(|at| is_same(at) && depth(all, at) == 0 && !is_decorated(all, at) && ends_there(all, at + part.len()))
    })
}

/// Blocks that are open at a token.
fn depth(all: &[Token<'_>], at: usize) -> usize {
    let before = || all.iter().take(at);
    let opened = before().filter(|token| token.kind == Kind::Indent).count();
    opened - before().filter(|token| token.kind == Kind::Dedent).count().min(opened)
}

fn is_decorated(all: &[Token<'_>], at: usize) -> bool {
    let before = all.get(..at).unwrap_or_default();
    let Some((last, rest)) = before.split_last() else { return false };
    let start = rest.iter().rposition(|token| matches!(token.kind, Kind::Line | Kind::Dedent | Kind::Indent)).map_or(0, |line| line + 1);
    last.kind == Kind::Line && rest.get(start).is_some_and(|token| token.text == "@")
}

/// Whether a statement and its blocks end before a token: nothing of them goes on.
fn ends_there(all: &[Token<'_>], at: usize) -> bool {
    let rest = all.get(at..).unwrap_or_default();
    rest.first().is_none_or(|token| token.kind == Kind::Line) && depth_behind(all, at) == 0
}

/// Blocks that are open where the next statement begins.
fn depth_behind(all: &[Token<'_>], at: usize) -> usize {
    let next = (at..all.len()).find(|at| all.get(*at).is_some_and(|token| !matches!(token.kind, Kind::Line | Kind::Dedent)));
    depth(all, next.unwrap_or(all.len()))
}

const MARKER: &str = "# The lists below are edited by Spadework; the functions after them make the server use them.\n";

const SPAWN_CODE: &str = "
import random as _random

def get_spawn_location(connection):
    regions = {0: spawn_regions_blue, 1: spawn_regions_green}.get(connection.team.id)
    if not regions:
        return None
    weights = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1, _ in regions]
    world_map = connection.protocol.map
    for _ in range(50):
        x0, y0, x1, y1, top = _random.choices(regions, weights)[0]
        x, y = _random.randrange(x0, x1), _random.randrange(y0, y1)
        z = world_map.get_z(x, y, top)
        if z < 62:  # not in the water
            break
    return x, y, z
";

const ENTITY_CODE: &str = "
def get_entity_location(team, entity_id):
    point = entity_points.get({0: 'blue_intel', 1: 'green_intel', 2: 'blue_base', 3: 'green_base'}.get(entity_id))
    if point is None:
        return None
    x, y, z = point
    return x, y, team.protocol.map.get_z(x, y) if z is None else z
";

const TERRITORY_CODE: &str = "
def on_map_change(protocol, world_map):
    if not territories:
        return
    from pyspades.entities import Territory
    def make_entities():
        made = []
        for index, (x, y, owner) in enumerate(territories):
            entity = Territory(index, protocol, x, y, world_map.get_z(x, y))
            entity.team = None if owner is None else protocol.teams[owner]
            made.append(entity)
        return made
    protocol.get_cp_entities = make_entities

def on_map_leave(protocol):
    protocol.__dict__.pop('get_cp_entities', None)
";

/// Whether there is nothing in a script but what we write: known names with their values, and our own lines.
pub fn is_wholly_ours(script: &Script<'_>) -> bool {
    handwriting(script).is_empty()
}

/// The lines of a script that are not what we write, without blanks, numbers and what is between quotes: an edit changes
/// no more than those.
pub fn handwriting(script: &Script<'_>) -> BTreeSet<String> {
    let ours: String = [MARKER].into_iter().chain(Group::ALL.iter().flat_map(|group| [group.comment(), group.code()])).collect();
    let names: Vec<&str> =
        KEYS.iter().map(|(key, _)| *key).chain(Group::ALL.iter().flat_map(|group| group.names().iter().copied())).collect();
    let is_value = |at: usize| {
        script
            .statements
            .iter()
            .any(|statement| statement.lines.contains(&at) && names.contains(&&*statement.name) && !has_comment(script, &statement.lines))
    };
    let mut at = 0;
    let lines = script.text.split_inclusive(|byte| *byte == b'\n').filter_map(|bytes| {
        let start = at;
        at += bytes.len();
        let line = String::from_utf8_lossy(bytes);
        let line = line.trim_end();
        let is_ours = line.is_empty() || ours.lines().any(|own| own == line) || is_value(start);
        (!is_ours).then(|| shape(line))
    });
    lines.collect()
}

/// A line without blanks, numbers and what is between quotes.
fn shape(line: &str) -> String {
    let mut quote = None;
    let keeps = |c: &char| match quote {
        Some(open) => {
            if *c == open {
                quote = None;
            }
            false
        }
        None => {
            quote = Some(*c).filter(|c| matches!(c, '\'' | '"'));
            !(c.is_ascii_digit() || c.is_whitespace() || *c == '-')
        }
    };
    line.chars().filter(keeps).collect()
}

/// Literals, then functions, for some groups; lines end in `\n`. Literals that the script has already are left out.
pub fn block(script: Option<&Script<'_>>, groups: &[Group], objects: &[Object]) -> String {
    let mut out = String::from(MARKER);
    for group in groups {
        out.push_str(group.comment());
        for name in group.names().iter().filter(|name| script.is_none_or(|script| script.literal(name).is_none())) {
            out.push_str(&format!("{name} = {}\n", literal(name, objects, "\n")));
        }
    }
    for group in groups {
        out.push_str(group.code());
    }
    out
}

/// One of our literals with other objects in it; what stays keeps its bytes.
pub fn relisted(script: &Script<'_>, name: &str, old: &Literal, objects: &[Object], eol: &str) -> String {
    let entries = |objects: &[Object]| match name {
        "spawn_regions_blue" => regions(objects, Team::Blue),
        "spawn_regions_green" => regions(objects, Team::Green),
        "territories" => territories(objects),
        _ => entity_points(objects),
    };
    let one = |object: Option<Object>| object.and_then(|object| entries(&[object]).pop());
    let (spans, texts): (Vec<Range<usize>>, Vec<Option<String>>) = match &old.value {
        Value::Dict(points) => points.iter().map(|(key, point)| (key.span.start..point.span.end, one(entity(key, point)))).unzip(),
        _ => {
            let read = |item: &Literal| match name {
                "spawn_regions_blue" => region(item, Team::Blue),
                "spawn_regions_green" => region(item, Team::Green),
                _ => territory(item),
            };
            old.items().unwrap_or_default().iter().map(|item| (item.span.clone(), one(read(item)))).unzip()
        }
    };
    if spans.is_empty() && !has_comment(script, &old.span) {
        return literal(name, objects, eol);
    }
    let new = aligned(&texts, entries(objects));
    respliced(script, &old.span, &spans, &new, if name == "entity_points" { "{}" } else { "[]" })
}

/// The value of one of our literals for these objects.
pub fn literal(name: &str, objects: &[Object], eol: &str) -> String {
    match name {
        "spawn_regions_blue" => list(regions(objects, Team::Blue), eol),
        "spawn_regions_green" => list(regions(objects, Team::Green), eol),
        "territories" => list(territories(objects), eol),
        _ => {
            let entries = entity_points(objects);
            if entries.is_empty() { "{}".into() } else { format!("{{{eol}    {},{eol}}}", entries.join(&format!(",{eol}    "))) }
        }
    }
}

fn list(items: Vec<String>, eol: &str) -> String {
    match items.len() {
        0..=3 => format!("[{}]", items.join(", ")),
        _ => format!("[{eol}    {},{eol}]", items.join(&format!(",{eol}    "))),
    }
}

fn regions(objects: &[Object], of: Team) -> Vec<String> {
    let tuple = |object: &Object| match object {
        Object::SpawnRegion { team, area, z } if *team == of => Some((area.min(), area.max(), *z)),
        Object::SpawnPoint { team, at } if *team == of => Some(([at.x, at.y], [at.x.saturating_add(1), at.y.saturating_add(1)], at.z)),
        _ => None,
    };
    objects.iter().filter_map(tuple).map(|([x0, y0], [x1, y1], z)| format!("({x0}, {y0}, {x1}, {y1}, {z})")).collect()
}

fn entity_points(objects: &[Object]) -> Vec<String> {
    let entry = |object: &Object| {
        let (team, thing, at) = match object {
            Object::Intel { team, at } => (team, "intel", at),
            Object::Base { team, at } => (team, "base", at),
            _ => return None,
        };
        let team = if *team == Team::Blue { "blue" } else { "green" };
        let z = at.z.map_or("None".into(), |z| z.to_string());
        Some(format!("'{team}_{thing}': ({}, {}, {z})", at.x, at.y))
    };
    objects.iter().filter_map(entry).collect()
}

fn territories(objects: &[Object]) -> Vec<String> {
    let tuple = |object: &Object| match object {
        Object::Territory { owner, at } => {
            let owner = match owner {
                Some(Team::Blue) => "0",
                Some(Team::Green) => "1",
                None => "None",
            };
            Some(format!("({}, {}, {owner})", at.x, at.y))
        }
        _ => None,
    };
    objects.iter().filter_map(tuple).collect()
}

/// The objects of a group in our literals, in order. Entries of another form are reported and left out.
pub fn read(group: Group, script: &Script<'_>, report: &mut Report) -> Vec<Object> {
    let mut objects = Vec::new();
    for name in group.names() {
        let Some(value) = script.literal(name) else { continue };
        for (at, object) in entries(name, value).unwrap_or_default() {
            if object.is_none() {
                report.push_line(
                    Severity::Problem,
                    "not-understood",
                    format!("an entry of {name} is of no use to the server"),
                    script.line(at),
                );
            }
            objects.extend(object);
        }
    }
    objects
}

/// The entries of one of our literals, with their offsets; an entry that says nothing is `None`, and so is a value without entries.
fn entries(name: &str, value: &Literal) -> Option<Vec<(usize, Option<Object>)>> {
    match (&value.value, name) {
        (Value::Dict(entries), "entity_points") => {
            let given = entries.iter().filter(|(_, point)| point.value != Value::None);
            Some(given.map(|(key, point)| (key.span.start, entity(key, point))).collect())
        }
        (_, "entity_points") => None,
        (_, "spawn_regions_blue") => items(value, |item| region(item, Team::Blue)),
        (_, "spawn_regions_green") => items(value, |item| region(item, Team::Green)),
        _ => items(value, territory),
    }
}

fn items(value: &Literal, read: impl Fn(&Literal) -> Option<Object>) -> Option<Vec<(usize, Option<Object>)>> {
    Some(value.items()?.iter().map(|item| (item.span.start, read(item))).collect())
}

fn numbers(item: &Literal) -> Option<Vec<Option<i32>>> {
    let number = |item: &Literal| match item.value {
        Value::None => Some(None),
        _ => i32::try_from(item.as_int()?).ok().map(Some),
    };
    item.items()?.iter().map(number).collect()
}

fn region(item: &Literal, team: Team) -> Option<Object> {
    let [Some(x0), Some(y0), Some(x1), Some(y1), Some(z)] = *numbers(item)? else { return None };
    let area = ColumnRect::new([x0, y0], [x1, y1]);
    if x0 >= x1 || y0 >= y1 {
        return None;
    }
    let is_point = area.area() == 1 && z != 0;
    Some(if is_point { Object::SpawnPoint { team, at: VoxelPos::new(x0, y0, z) } } else { Object::SpawnRegion { team, area, z } })
}

fn entity(key: &Literal, point: &Literal) -> Option<Object> {
    let [Some(x), Some(y), z] = *numbers(point)? else { return None };
    let at = Anchor { x, y, z };
    Some(match key.as_str()? {
        "blue_intel" => Object::Intel { team: Team::Blue, at },
        "green_intel" => Object::Intel { team: Team::Green, at },
        "blue_base" => Object::Base { team: Team::Blue, at },
        "green_base" => Object::Base { team: Team::Green, at },
        _ => return None,
    })
}

fn territory(item: &Literal) -> Option<Object> {
    let [Some(x), Some(y), owner] = *numbers(item)? else { return None };
    let owner = match owner {
        None => None,
        Some(0) => Some(Team::Blue),
        Some(1) => Some(Team::Green),
        Some(_) => return None,
    };
    Some(Object::Territory { owner, at: Anchor { x, y, z: None } })
}

/// The z of each spawn among some objects.
pub fn heights<'o>(objects: impl IntoIterator<Item = &'o Object>) -> BTreeSet<i32> {
    let height = |object: &Object| match object {
        Object::SpawnRegion { z, .. } => Some(*z),
        Object::SpawnPoint { at, .. } => Some(at.z),
        _ => None,
    };
    objects.into_iter().filter_map(height).collect()
}

/// The objects of a group as the server can hold them; what it cannot is reported. A z outside the map stays where it is
/// one of those that the script has: nobody asked for another one.
pub fn fitting(group: Group, objects: impl IntoIterator<Item = Object>, own_heights: &BTreeSet<i32>, report: &mut Report) -> Vec<Object> {
    let map = ColumnRect::new([0, 0], [MAP_EDGE; 2]);
    let (mut kept, mut outside, mut doubled, mut heights) = (Vec::<Object>::new(), 0, 0, 0);
    let (mut clipped, mut clamped) = (0, 0);
    let mut height = |z: i32| {
        let fitting = if own_heights.contains(&z) { z } else { z.clamp(0, MAX_Z) };
        clamped += u64::from(fitting != z);
        fitting
    };
    for mut object in objects {
        let area = object.area().intersection(&map);
        if area.is_empty() {
            outside += 1;
            continue;
        }
        match &mut object {
            Object::SpawnRegion { area: own, z, .. } => {
                clipped += u64::from(*own != area);
                *own = area;
                *z = height(*z);
            }
            Object::SpawnPoint { at, .. } => at.z = height(at.z),
            Object::Territory { at, .. } => heights += u64::from(at.z.take().is_some()),
            Object::Base { .. } | Object::Intel { .. } | Object::Marker { .. } => {}
        }
        let twin = |other: &Object| std::mem::discriminant(other) == std::mem::discriminant(&object) && other.team() == object.team();
        if group == Group::Entities && kept.iter().any(twin) {
            doubled += 1;
            continue;
        }
        kept.push(object);
    }
    report.push_count(Severity::Loss, "object-outside", "objects outside the map are not written to the piqueserver metadata", outside);
    let message = "regions reach out of the map; what lies in it is written to the piqueserver metadata";
    report.push_count(Severity::Loss, "region-clipped", message, clipped);
    let message = "spawns have a height that no map has; the nearest one is written to the piqueserver metadata";
    report.push_count(Severity::Loss, "spawn-height", message, clamped);
    report.push_count(
        Severity::Loss,
        "second-base",
        "objects are left out of the piqueserver metadata: a team has one base and one intel, of which the first counts",
        doubled,
    );
    report.push_count(
        Severity::Loss,
        "territory-height",
        "territories stand on the top of their column; their height is not written",
        heights,
    );
    if kept.iter().filter(|object| matches!(object, Object::Territory { .. })).count() > 16 {
        report.push(Severity::Problem, "too-many-territories", "a server takes at most 16 territories");
    }
    kept
}
