//! The entities of a map file: prototype, uid, and where their Transform puts them.
//!
//! A station has some 100,000 lines of them, so each line is looked at once, and only keys of the
//! components Transform, MetaData and MapGrid are read.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::index::{NO_UID, Odd, Scan, chunk_size};
use super::scanner::{Keys, Line, Scanner, indent_of, inner, key, scalar, uncommented, value_of};
use super::standard;

/// An entity in the file. Offsets are 32 bits: larger files are refused.
#[derive(Clone, Debug)]
pub(super) struct Entity {
    /// Its lines.
    pub start: u32,
    pub end: u32,
    /// [`NO_UID`] where it has none.
    pub uid: u32,
    /// Number of its prototype.
    pub proto: u32,
    /// Uid of the entity that its Transform names, or, with `names_grid`, the number of a grid.
    pub parent: u32,
    pub names_grid: bool,
    /// Whether it is a grid itself.
    pub is_grid: bool,
    /// Whether it has a Transform.
    pub has_transform: bool,
    /// The grid that it stands on.
    pub grid: Option<u32>,
    /// The tile that its position lies in; y north.
    pub tile: [i32; 2],
    /// The text of its position, empty where it has none: it stands at 0,0.
    pub pos: (u32, u32),
}

impl Entity {
    /// Its lines.
    pub fn lines(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The text of its position, if it has one.
    pub fn position(&self) -> Option<Range<usize>> {
        (self.pos.0 < self.pos.1).then_some(self.pos.0 as usize..self.pos.1 as usize)
    }
}

/// An entity's Transform in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TransformLines {
    /// Where another key can be inserted: a line's start.
    pub next: usize,
    /// How far a key is to be indented.
    pub indent: usize,
    /// The text of what it names as its parent, or, before 2019, of the number of its grid.
    pub parent: Option<Range<usize>>,
}

/// Finds an entity's Transform.
pub(super) fn transform_lines(bytes: &[u8], entity: &Entity) -> Option<TransformLines> {
    let lines = entity.lines();
    let mut scanner = Scanner::new(bytes, lines.start);
    scanner.advance();
    let (mut dash, mut is_found) = (None, false);
    let mut component: Option<TransformLines> = None;
    while let Some(line) = scanner.line().filter(|line| line.start < lines.end) {
        let mut text = line.text();
        if line.is_item && dash.is_none_or(|dash| dash == line.indent) {
            dash = Some(line.indent);
            text = scanner.item_text(&line);
            component = Some(TransformLines { next: line.next, indent: text - line.start, parent: None });
        }
        if let Some(component) = component.as_mut().filter(|component| component.indent == text - line.start) {
            let key = scanner.slice(text..line.end);
            for name in [&b"parent: "[..], b"grid: "] {
                if let Some(value) = value_of(key, name)
                    // Where both stand, the parent counts.
                    && (name.starts_with(b"p") || component.parent.is_none())
                {
                    let (at, inner) = (line.end - value.len(), inner(value));
                    component.parent = Some(at + inner.start..at + inner.end);
                }
            }
            if component_name(key) == Some(b"Transform") {
                is_found = true;
            }
        }
        scanner.advance();
        let is_over = scanner.line().is_none_or(|next| next.start >= lines.end || (next.is_item && Some(next.indent) == dash));
        if is_over && is_found {
            return component;
        }
    }
    None
}

/// The entities of one prototype, from format 4 on.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Number of the prototype.
    pub proto: u32,
    /// Its lines.
    pub lines: Range<usize>,
    /// Which entities.
    pub entities: Range<usize>,
    /// Spaces before an entity.
    pub indent: usize,
    /// Whether more entities can follow its lines.
    pub takes_more: bool,
}

/// A grid's own entity.
#[derive(Clone, Debug, Default)]
pub(super) struct GridEntity {
    /// Its number among all entities.
    pub entity: usize,
    pub uid: Option<u32>,
    /// Which section of format 2 is its own.
    pub index: Option<u32>,
    pub name: Option<Arc<str>>,
    pub position: [f64; 2],
    pub rotation: f64,
    pub chunk_size: Option<u32>,
    /// The line `chunks:`.
    pub chunks_line: Option<Line>,
    /// How far keys of the MapGrid are indented, and where they end.
    pub component_indent: usize,
    pub component_end: usize,
}

/// What the section holds.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub protos: Vec<Arc<str>>,
    pub entities: Vec<Entity>,
    pub grids: Vec<GridEntity>,
    pub map_inits: u64,
    /// Where a key stands that its entity or component has already; also in the components that are passed over.
    pub doubled: Vec<usize>,
    /// Positions that are no place: what is no number, or too far away.
    pub misplaced: Vec<usize>,
    pub indent: usize,
    /// Lines of entities that were read to the last byte and are well-formed; ranges do not touch each other.
    pub wellformed: Vec<Range<usize>>,
}

/// Reads the section `entities`, from its first line on.
pub(super) fn scan(scanner: &mut Scanner<'_>, format: u32, groups: &mut Vec<Group>) -> Scan<Found> {
    let mut reader =
        Reader { scanner, found: Found::default(), protos: HashMap::new(), component: Component::default(), keys: Keys::default() };
    let Some(first) = reader.scanner.line().filter(|line| line.is_item) else { return Ok(reader.found) };
    // A little more than there are: lines of entities are shorter than that.
    reader.found.entities.reserve(reader.scanner.len() / 112);
    reader.found.indent = first.indent;
    while let Some(line) = reader.scanner.line().filter(|line| line.is_item && line.indent == first.indent) {
        if format >= 4 {
            reader.group(line, groups)?;
        } else if !reader.standard(line, None)? {
            reader.entity(line, None)?;
        }
    }
    match reader.scanner.line() {
        Some(line) if line.indent > 0 || line.is_item => Err(Odd { at: line.text(), expected: "an entity or the next section" }),
        _ => Ok(reader.found),
    }
}

struct Reader<'s, 'a> {
    scanner: &'s mut Scanner<'a>,
    found: Found,
    protos: HashMap<&'a [u8], u32>,
    component: Component<'a>,
    /// Those of the component that is passed over, for its memory.
    keys: Keys,
}

/// What a component says, as far as it matters.
#[derive(Debug, Default)]
struct Component<'a> {
    name: &'a [u8],
    pos: Option<Range<usize>>,
    parent: Option<&'a [u8]>,
    grid: Option<&'a [u8]>,
    rot: Option<&'a [u8]>,
    label: Option<&'a [u8]>,
    index: Option<&'a [u8]>,
    size: Option<&'a [u8]>,
    chunks: Option<Line>,
}

/// Where an entity is, as text: read only for grids.
#[derive(Debug, Default)]
struct Transform<'a> {
    pos: Option<&'a [u8]>,
    rot: Option<&'a [u8]>,
}

impl<'a> Reader<'_, 'a> {
    fn proto(&mut self, text: &'a [u8], at: usize) -> Scan<u32> {
        if let Some(proto) = self.protos.get(text) {
            return Ok(*proto);
        }
        let is_behind_tab = text.first() == Some(&b'\t');
        let name = scalar(text).filter(|_| !is_behind_tab).ok_or(Odd { at, expected: "the name of a prototype" })?;
        // As many as there are lines at most, and the file's offsets fit 32 bits.
        let proto = u32::try_from(self.found.protos.len()).unwrap_or(0);
        self.found.protos.push(name.into());
        self.protos.insert(text, proto);
        Ok(proto)
    }

    fn group(&mut self, head: Line, groups: &mut Vec<Group>) -> Scan<()> {
        let indent = self.scanner.item_text(&head) - head.start;
        let mut line = Line { indent, is_item: false, ..head };
        let (mut proto, first) = (None, self.found.entities.len());
        let mut entity_indent = indent;
        let mut takes_more;
        loop {
            let odd = Odd { at: line.text(), expected: "proto: and entities:" };
            let text = self.scanner.slice(line.text()..line.end);
            let (name, value) = key(text).ok_or(odd)?;
            let value = text.get(value..).unwrap_or_default();
            self.scanner.advance();
            // What follows another key is no list of entities.
            takes_more = name == b"entities" && value.is_empty();
            match name {
                b"proto" => proto = Some(self.proto(value, line.text())?),
                b"entities" => {
                    let proto = proto.ok_or(Odd { at: line.text(), expected: "proto: before entities:" })?;
                    let is_first = |line: &Line| line.is_item && line.indent >= indent;
                    if let Some(dash) = self.scanner.line().filter(is_first).map(|line| line.indent) {
                        entity_indent = dash;
                        while let Some(line) = self.scanner.line().filter(|line| line.is_item && line.indent == dash) {
                            if !self.standard(line, Some(proto))? {
                                self.entity(line, Some(proto))?;
                            }
                        }
                    } else if !matches!(value, b"" | b"[]") {
                        return Err(odd);
                    }
                }
                _ => self.scanner.skip_nested(indent),
            }
            match self.scanner.line().filter(|line| line.indent > head.indent) {
                Some(next) if next.indent == indent && !next.is_item => line = next,
                Some(next) => return Err(Odd { at: next.text(), expected: "an entity" }),
                None => break,
            }
        }
        let lines = head.start..self.scanner.at();
        let proto = proto.ok_or(Odd { at: head.text(), expected: "proto:" })?;
        groups.push(Group { proto, lines, entities: first..self.found.entities.len(), indent: entity_indent, takes_more });
        Ok(())
    }

    /// Reads as many entities of the standard shape as follow each other; whether there was one.
    fn standard(&mut self, head: Line, proto: Option<u32>) -> Scan<bool> {
        let mut at = head.start;
        while let Some((mut entity, own_proto, end)) = standard::read(self.scanner.bytes(), at, head.indent) {
            entity.proto = match (own_proto, proto) {
                (Some(text), _) => self.proto(text, at)?,
                (None, Some(proto)) => proto,
                (None, None) => self.proto(b"", at)?,
            };
            self.found.entities.push(entity);
            at = end;
        }
        if at == head.start {
            return Ok(false);
        }
        match self.found.wellformed.last_mut().filter(|last| last.end == head.start) {
            Some(last) => last.end = at,
            None => self.found.wellformed.push(head.start..at),
        }
        self.scanner.go_to(at);
        Ok(true)
    }

    fn entity(&mut self, head: Line, mut proto: Option<u32>) -> Scan<()> {
        let indent = self.scanner.item_text(&head) - head.start;
        let mut line = Line { indent, is_item: false, ..head };
        let mut entity = Entity {
            start: offset(head.start),
            end: 0,
            uid: NO_UID,
            proto: 0,
            parent: NO_UID,
            names_grid: false,
            is_grid: false,
            has_transform: false,
            grid: None,
            tile: [0; 2],
            pos: (0, 0),
        };
        let mut grid = None;
        let (mut label, mut transform) = (None, Transform::default());
        // Whether there was a uid, components, a type; and what else the game adds.
        let (mut has_uid, mut has_components, mut has_type, mut others) = (false, false, false, Vec::<&[u8]>::new());
        loop {
            let text = self.scanner.slice(line.text()..line.end);
            self.scanner.advance();
            let is_again;
            if let Some(value) = value_of(text, b"uid: ") {
                is_again = std::mem::replace(&mut has_uid, true);
                entity.uid = whole(value).ok_or(Odd { at: line.text(), expected: "a uid" })?;
            } else if text == b"components:" {
                is_again = std::mem::replace(&mut has_components, true);
                self.components(indent, &mut entity, &mut grid, &mut label, &mut transform)?;
            } else if let Some(value) = value_of(text, b"type: ") {
                is_again = std::mem::replace(&mut has_type, true);
                proto = Some(self.proto(value, line.text())?);
            } else {
                let (name, value) = key(text).ok_or(Odd { at: line.text(), expected: "a key of an entity" })?;
                let value = text.get(value..).unwrap_or_default();
                is_again = others.contains(&name);
                others.push(name);
                self.found.map_inits += u64::from(name == b"mapInit" && value.eq_ignore_ascii_case(b"true"));
                if name == b"components" && !matches!(value, b"[]" | b"") {
                    return Err(Odd { at: line.text(), expected: "components on lines of their own" });
                }
                self.scanner.skip_nested(indent);
            }
            if is_again {
                self.found.doubled.push(line.text());
            }
            match self.scanner.line() {
                Some(next) if next.indent == indent && !next.is_item => line = next,
                Some(next) if next.indent > head.indent => return Err(Odd { at: next.text(), expected: "a key of an entity" }),
                _ => break,
            }
        }
        entity.proto = match proto {
            Some(proto) => proto,
            None => self.proto(b"", head.start)?,
        };
        entity.end = offset(self.scanner.at());
        self.found.entities.push(entity);
        if let Some(grid) = grid {
            let uid = self.found.entities.last().map(|entity| entity.uid).filter(|uid| *uid != NO_UID);
            let entity = self.found.entities.len() - 1;
            let position = transform.pos.and_then(position).unwrap_or_default();
            let rotation = transform.rot.and_then(angle).unwrap_or_default();
            self.found.grids.push(GridEntity { entity, uid, name: label, position, rotation, ..grid });
        }
        Ok(())
    }

    fn components(
        &mut self,
        parent: usize,
        entity: &mut Entity,
        grid: &mut Option<GridEntity>,
        label: &mut Option<Arc<str>>,
        transform: &mut Transform<'a>,
    ) -> Scan<()> {
        let Some(first) = self.scanner.line().filter(|line| line.is_item && line.indent >= parent) else { return Ok(()) };
        while let Some(head) = self.scanner.line().filter(|line| line.is_item && line.indent == first.indent) {
            let text = self.scanner.item_text(&head);
            let indent = text - head.start;
            self.component = Component::default();
            self.component_key(text..head.end, head)?;
            self.scanner.advance();
            if matches!(self.component.name, b"" | b"Transform" | b"MapGrid" | b"MetaData") {
                while let Some(line) = self.scanner.line().filter(|line| line.indent >= indent) {
                    if line.indent == indent && !line.is_item {
                        self.component_key(line.text()..line.end, line)?;
                    }
                    self.scanner.advance();
                }
            } else {
                let doubled = self.scanner.skip_keys(indent, text, &mut self.keys);
                self.found.doubled.extend(doubled);
            }
            let component = &self.component;
            match component.name {
                b"Transform" => {
                    entity.has_transform = true;
                    place(component, entity, self.scanner.slice(component.pos.clone().unwrap_or(0..0)));
                    if let Some(pos) = component.pos.as_ref().filter(|_| !entity.has_transform) {
                        self.found.misplaced.push(pos.start);
                    }
                    transform.pos = component.pos.clone().map(|pos| self.scanner.slice(pos));
                    transform.rot = component.rot;
                }
                b"MetaData" => *label = component.label.and_then(scalar).map(Into::into),
                b"MapGrid" => {
                    let number = |text: Option<&[u8]>| text.and_then(whole);
                    let size = component.size.and_then(scalar);
                    *grid = Some(GridEntity {
                        index: number(component.index),
                        chunks_line: component.chunks,
                        chunk_size: size.and_then(|size| chunk_size(&size)),
                        component_indent: indent,
                        component_end: self.scanner.at(),
                        ..GridEntity::default()
                    });
                }
                _ => {}
            }
        }
        match self.scanner.line() {
            Some(line) if line.indent > parent || (line.indent == parent && line.is_item) => {
                Err(Odd { at: line.text(), expected: "a component" })
            }
            _ => Ok(()),
        }
    }

    fn component_key(&mut self, span: Range<usize>, line: Line) -> Scan<()> {
        let text = self.scanner.slice(span.clone());
        let component = &mut self.component;
        let odd = Odd { at: span.start, expected: "a component with plain keys and values" };
        let mut is_again = false;
        // A value behind a tab or on lines of its own takes the library, too.
        let is_read = |(name, value): &(&[u8], &[u8])| {
            // Cheaper than to look for a comment behind a value that is there.
            let is_empty = || matches!(value.trim_ascii_start(), [] | [b'#', ..]);
            READ_KEYS.contains(name) && (value.get(indent_of(value)) == Some(&b'\t') || (*name != b"name" && is_empty()))
        };
        if memchr::memchr(b':', text).map(|colon| (&text[..colon], &text[colon + 1..])).is_some_and(|pair| is_read(&pair)) {
            return Err(odd);
        }
        match text.first() {
            Some(b't') => {
                if let Some(name) = component_name(text) {
                    is_again = !component.name.is_empty();
                    component.name = name;
                }
            }
            Some(b'p') => {
                // An anchor, an alias or a tag takes the library.
                let is_plain = |value: &[u8]| !matches!(value.trim_ascii_start().first(), Some(b'&' | b'*' | b'!' | b'|' | b'>'));
                if let Some(value) = value_of(text, b"pos: ") {
                    is_plain(value).then_some(()).ok_or(odd)?;
                    is_again = put(&mut component.pos, Some(span.end - value.len()..span.end));
                } else if let Some(value) = value_of(text, b"parent: ") {
                    is_plain(value).then_some(()).ok_or(odd)?;
                    is_again = put(&mut component.parent, Some(value));
                } else if text.starts_with(b"pos ") || text.starts_with(b"parent ") {
                    return Err(odd);
                }
            }
            Some(b'r') => is_again = put(&mut component.rot, value_of(text, b"rot: ")),
            Some(b'n') => is_again = put(&mut component.label, value_of(text, b"name: ")),
            Some(b'g') => is_again = put(&mut component.grid, value_of(text, b"grid: ")),
            Some(b'i') => is_again = put(&mut component.index, value_of(text, b"index: ")),
            Some(b'c') => {
                if text.starts_with(b"chunks:") {
                    let line = Line { start: line.start, indent: span.start - line.start, is_item: false, ..line };
                    is_again = put(&mut component.chunks, Some(line));
                } else {
                    is_again = put(&mut component.size, value_of(text, b"chunkSize: "));
                }
            }
            Some(b'"' | b'\'' | b'{' | b'[' | b'<' | b'&' | b'*' | b'!' | b'?') => return Err(odd),
            _ => {}
        }
        if is_again {
            self.found.doubled.push(span.start);
        }
        Ok(())
    }
}

/// Keys of components whose values are read here.
const READ_KEYS: [&[u8]; 8] = [b"type", b"pos", b"parent", b"rot", b"name", b"grid", b"index", b"chunkSize"];

/// Notes a value that is there; whether there was one before.
fn put<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    value.is_some_and(|value| place.replace(value).is_some())
}

fn place(component: &Component<'_>, entity: &mut Entity, pos: &[u8]) {
    if let Some(parent) = component.parent {
        // `invalid` and `null` are no entity.
        entity.parent = whole(parent).unwrap_or(NO_UID);
    } else if let Some(grid) = component.grid {
        entity.parent = whole(grid).unwrap_or(NO_UID);
        entity.names_grid = true;
    }
    if let Some(span) = &component.pos {
        match tile(pos) {
            Some(tile) => {
                entity.tile = tile;
                entity.pos = (offset(span.start), offset(span.end));
            }
            // Nobody knows where it stands, so it stands nowhere.
            None => entity.has_transform = false,
        }
    }
}

/// Offsets of files that are not too large.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn whole(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > 9 {
        return scalar(text)?.parse().ok();
    }
    text.iter()
        .try_fold(0, |all, digit| digit.is_ascii_digit().then(|| all * 10 + u32::from(digit - b'0')))
        .map_or_else(|| scalar(text)?.parse().ok(), Some)
}

/// The tile that a position such as `-0.5,12.25` lies in. Quick, because there are so many.
pub(super) fn tile(text: &[u8]) -> Option<[i32; 2]> {
    let comma = memchr::memchr(b',', text)?;
    let (x, y) = (text.get(..comma)?, text.get(comma + 1..)?);
    if let (Some(x), Some(y)) = (floor(x), floor(y)) {
        return Some([x, y]);
    }
    let [x, y] = position(text)?.map(f64::floor);
    let limit = f64::from(super::chunk_list::MAX_ENTITY_REACH);
    // Within the limit both fit.
    (x.abs() < limit && y.abs() < limit).then_some([x as i32, y as i32])
}

/// Rounds a plain decimal number down; `None` if it is not one, or a long one.
fn floor(text: &[u8]) -> Option<i32> {
    let (is_negative, digits) = text.strip_prefix(b"-").map_or((false, text), |digits| (true, digits));
    let (mut whole, mut count, mut rest) = (0, 0, digits.iter());
    for digit in rest.by_ref() {
        match digit {
            b'0'..=b'9' if count < 6 => (whole, count) = (whole * 10 + i32::from(digit - b'0'), count + 1),
            b'.' => break,
            _ => return None,
        }
    }
    let mut has_fraction = false;
    for digit in rest {
        if !digit.is_ascii_digit() {
            return None;
        }
        has_fraction |= *digit != b'0';
    }
    (count > 0).then(|| if is_negative { -whole - i32::from(has_fraction) } else { whole })
}

/// Two numbers `x,y`.
pub(super) fn position(text: &[u8]) -> Option<[f64; 2]> {
    let text = scalar(text)?;
    let (x, y) = text.split_once(',')?;
    let number = |text: &str| text.trim().parse().ok().filter(|number: &f64| number.is_finite());
    Some([number(x)?, number(y)?])
}

/// An angle such as `1.57 rad` or `1.57`.
fn angle(text: &[u8]) -> Option<f64> {
    let text = scalar(text)?;
    text.trim().trim_end_matches("rad").trim().parse().ok().filter(|angle: &f64| angle.is_finite())
}

/// The name of a component whose key `type` this is.
pub(super) fn component_name(text: &[u8]) -> Option<&[u8]> {
    value_of(text, b"type: ").map(|value| unquoted(uncommented(value)))
}

/// The name of a component without quotes around it.
fn unquoted(name: &[u8]) -> &[u8] {
    match name {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => inner,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_lie_in_the_tile_below() {
        #[track_caller]
        fn check(text: &str, expected: Option<[i32; 2]>) {
            assert_eq!(tile(text.as_bytes()), expected, "{text}");
        }
        check("0.5,-0.5", Some([0, -1]));
        check("-7,-6", Some([-7, -6]));
        check("-7.000,5.99999", Some([-7, 5]));
        check("-5.9127808E-05,1E1", Some([-1, 10]));
        check("\"1.5,2.5\"", Some([1, 2]));
        check("1e9,0", None);
        check("NaN,0", None);
        check("1;2", None);
        check(".5,-.5", Some([0, -1]));
        check("1.2.3,0", None);
    }

    #[test]
    fn uids_are_whole_numbers() {
        assert_eq!(
            ["12", "'7'", "-1", "invalid", "", "4294967296"].map(|text| whole(text.as_bytes())),
            [Some(12), Some(7), None, None, None, None]
        );
    }
}
