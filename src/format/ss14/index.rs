//! What stands where in a map file: sections, tile names, grids with their chunks, entities.
//!
//! Only spans and what is cheap to read are kept; the payload of chunks is decoded in `chunk`, and edits
//! are spliced into the file by `splice`. A layout that is not understood here is an [`Odd`], and then
//! `legacy` shows what it can.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::chunk_list::{self, ChunkList};
use super::entities::{self, Entity, GridEntity, Group};
use super::scanner::{Line, Scanner, key, pair, scalar, uncommented};

/// Side of a chunk in tiles where the file names none.
pub(super) const CHUNK_SIZE: u32 = 16;
/// Largest side of a chunk that is believed.
pub(super) const MAX_CHUNK_SIZE: u32 = 64;
/// No uid: all ones is not one that the engine gives.
pub(super) const NO_UID: u32 = u32::MAX;

/// What is expected where a section, the number of a tile or a chunk stands a second time.
pub(super) const ONCE_SECTION: &str = "each section once";
pub(super) const ONCE_ID: &str = "each number once";
pub(super) const ONCE_CHUNK: &str = "each chunk once";

/// A layout that the scanner does not understand, or something that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Odd {
    /// Where in the file.
    pub at: usize,
    /// What should stand there.
    pub expected: &'static str,
}

pub(super) type Scan<T> = Result<T, Odd>;

/// A value of the file: what it says and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Value<T> {
    pub value: T,
    pub span: Range<usize>,
}

/// A name of the tilemap.
#[derive(Clone, Debug)]
pub(super) struct TileName {
    pub id: u32,
    pub name: Arc<str>,
}

/// The names of tiles.
#[derive(Clone, Debug, Default)]
pub(super) struct Tilemap {
    /// In the order of the file.
    pub names: Vec<TileName>,
    /// Spaces before an entry.
    pub indent: usize,
    /// Where another entry can be inserted: a line's start.
    pub end: usize,
    /// The value `{}` of a tilemap without entries.
    pub empty: Option<Range<usize>>,
}

/// A grid: a floor that floats in space.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    /// Its entity's uid.
    pub uid: Option<u32>,
    /// Its entity's name.
    pub name: Arc<str>,
    /// Uid of the entity that its place counts from: a map, or another grid.
    pub parent: Option<u32>,
    /// Place of the grid's origin in the map, y north.
    pub position: [f64; 2],
    /// Counter-clockwise, y north.
    pub rotation: f64,
    pub chunk_size: u32,
    pub chunks: ChunkList,
    /// Whether the section has a `worldpos`, as before 2020.
    pub has_worldpos: bool,
}

/// Everything of a file that the editor knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub format: u32,
    pub is_crlf: bool,
    /// `meta.name` and `meta.author`, up to format 4.
    pub name: Option<Value<String>>,
    pub author: Option<Value<String>>,
    pub entity_count: Option<Value<u64>>,
    /// `postmapinit: true`.
    pub post_map_init: bool,
    /// Whether there is a `postmapinit`.
    pub has_post_map_init: bool,
    /// Entities with `mapInit: true`.
    pub map_inits: u64,
    /// `None` before 2019: tiles are the engine's numbers.
    pub tilemap: Option<Tilemap>,
    pub grids: Vec<Grid>,
    /// Prototypes, each once; entities name them by number.
    pub protos: Vec<Arc<str>>,
    pub entities: Vec<Entity>,
    /// Entities of one prototype, from format 4 on.
    pub groups: Vec<Group>,
    /// Where another group or entity can be appended, if there is a section `entities`: a line's start.
    pub entities_end: Option<usize>,
    /// The `[]` that the section has instead of items.
    pub no_entities: Option<Range<usize>>,
    /// Spaces before the items of the section `entities`.
    pub entities_indent: usize,
    /// Where a key of an entity stands a second time.
    pub doubled: Vec<usize>,
    /// Where a key of `meta` does.
    pub meta_doubled: Vec<usize>,
    /// Positions of entities that are no place: what is no number, or too far away.
    pub misplaced: Vec<usize>,
    /// Lines of entities that are known to be well-formed, in the order of the file.
    pub wellformed: Vec<Range<usize>>,
}

impl Index {
    pub fn eol(&self) -> &'static str {
        if self.is_crlf { "\r\n" } else { "\n" }
    }

    /// Reads a file.
    pub fn of(bytes: &[u8]) -> Scan<Self> {
        let start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let is_crlf = memchr::memchr(b'\n', bytes).is_some_and(|at| at > 0 && bytes.get(at - 1) == Some(&b'\r'));
        let mut index = Self { is_crlf, ..Self::default() };
        let mut scanner = Scanner::new(bytes, start);
        let mut entities = entities::Found::default();
        let mut meta_found = false;
        let mut sections = std::collections::HashSet::new();
        while let Some(line) = scanner.line() {
            let text = scanner.slice(line.text()..line.end);
            let odd = Odd { at: line.text(), expected: "a section such as meta: or entities:" };
            let (name, value) = key(text).filter(|_| line.indent == 0 && !line.is_item).ok_or(odd)?;
            if !sections.insert(name) {
                return Err(Odd { at: line.text(), expected: ONCE_SECTION });
            }
            let value = line.text() + value..line.end;
            scanner.advance();
            match name {
                b"meta" => {
                    // What an alias or a tag stands for is not read here.
                    if !uncommented(scanner.slice(value.clone())).is_empty() {
                        return Err(Odd { at: value.start, expected: "keys on lines of their own" });
                    }
                    meta_found = true;
                    index.meta(&mut scanner)?;
                }
                b"tilemap" => index.tilemap = Some(tilemap(&mut scanner, &line, value)?),
                b"grids" => {
                    // From format 7 on it is a list of uids, which may be in brackets.
                    if matches!(scanner.slice(value.clone()).first(), Some(b'*' | b'&' | b'{')) {
                        return Err(Odd { at: value.start, expected: "grids on lines of their own" });
                    }
                    index.grids = grid_sections(&mut scanner, bytes)?;
                }
                // What follows is read by the format that it tells.
                b"entities" if !meta_found => return Err(Odd { at: line.text(), expected: "meta: before entities:" }),
                b"entities" => {
                    let text = scanner.slice(value.clone());
                    let spaces = text.iter().take_while(|byte| **byte == b' ').count();
                    if !matches!(uncommented(text), b"" | b"[]") {
                        return Err(Odd { at: value.start, expected: "entities on lines of their own" });
                    }
                    if text.get(spaces..).is_some_and(|text| text.starts_with(b"[]")) {
                        index.no_entities = Some(value.start..value.start + spaces + 2);
                    }
                    entities = entities::scan(&mut scanner, index.format, &mut index.groups)?;
                    index.entities_end = Some(scanner.at());
                }
                _ => scanner.skip_nested(0),
            }
        }
        if !meta_found || index.format == 0 {
            return Err(Odd { at: start, expected: "meta: with a format:" });
        }
        index.protos = entities.protos;
        index.entities = entities.entities;
        index.entities_indent = entities.indent;
        index.map_inits = entities.map_inits;
        index.doubled = entities.doubled;
        index.misplaced = entities.misplaced;
        index.wellformed = entities.wellformed;
        index.join_grids(entities.grids, bytes)?;
        Ok(index)
    }

    /// The entities whose uid an earlier one has, too.
    pub fn doubled_uids(&self) -> Vec<&Entity> {
        /// Uids count up from 1; beyond, a table of them takes more than the file.
        const MOST_IN_TABLE: usize = 1 << 24;
        let uids = || self.entities.iter().filter(|entity| entity.uid != NO_UID);
        let largest = uids().map(|entity| entity.uid as usize).max().unwrap_or(0);
        if largest >= MOST_IN_TABLE {
            let mut seen = std::collections::HashSet::new();
            return uids().filter(|entity| !seen.insert(entity.uid)).collect();
        }
        let mut seen = vec![0_u64; largest / 64 + 1];
        let is_seen = |entity: &&Entity| {
            let (word, bit) = (entity.uid as usize / 64, 1 << (entity.uid % 64));
            seen.get_mut(word).is_some_and(|word| std::mem::replace(word, *word | bit) & bit != 0)
        };
        uids().filter(is_seen).collect()
    }

    fn meta(&mut self, scanner: &mut Scanner<'_>) -> Scan<()> {
        let Some(indent) = scanner.line().map(|line| line.indent).filter(|indent| *indent > 0) else { return Ok(()) };
        let mut names = std::collections::HashSet::new();
        while let Some(line) = scanner.line().filter(|line| line.indent > 0) {
            let text = scanner.slice(line.text()..line.end);
            let odd = |expected| Odd { at: line.text(), expected };
            let (name, value) = key(text).filter(|_| line.indent == indent).ok_or(odd("a key of meta"))?;
            if !names.insert(name) {
                self.meta_doubled.push(line.text());
            }
            let text = scanner.slice(line.text() + value..line.end);
            let span = line.text() + value..line.text() + value + uncommented(text).len();
            let value = scalar(text).ok_or(odd("a value on one line"))?;
            match name {
                b"format" => self.format = value.parse().map_err(|_| odd("the number of the format"))?,
                b"name" => self.name = Some(Value { value: value.into_owned(), span }),
                b"author" => self.author = Some(Value { value: value.into_owned(), span }),
                b"entityCount" => {
                    self.entity_count = Some(Value { value: value.parse().map_err(|_| odd("the number of entities"))?, span });
                }
                b"postmapinit" => {
                    self.has_post_map_init = true;
                    self.post_map_init = value.eq_ignore_ascii_case("true");
                }
                _ => {}
            }
            scanner.advance();
        }
        Ok(())
    }

    /// Brings together the chunks of sections and of grid entities, and finds the grid of every entity.
    fn join_grids(&mut self, found: Vec<GridEntity>, bytes: &[u8]) -> Scan<()> {
        let own: Vec<usize> = found.iter().map(|entity| entity.entity).collect();
        for entity in found {
            let by_index = entity.index.and_then(|index| usize::try_from(index).ok()).filter(|index| *index < self.grids.len());
            let by_uid = self.grids.iter().position(|grid| grid.uid.is_some() && grid.uid == entity.uid);
            let only = (self.grids.len() == 1 && entity.chunks_line.is_none()).then_some(0);
            let slot = match by_uid.or(by_index).or(only) {
                Some(slot) => slot,
                None => {
                    self.grids.push(Grid { chunk_size: CHUNK_SIZE, ..Grid::default() });
                    self.grids.len() - 1
                }
            };
            let Some(grid) = self.grids.get_mut(slot) else { continue };
            grid.uid = entity.uid.or(grid.uid);
            grid.name = entity.name.unwrap_or_default();
            grid.parent = self.entities.get(entity.entity).map(|entity| entity.parent).filter(|parent| *parent != NO_UID);
            grid.position = entity.position;
            grid.rotation = entity.rotation;
            if let Some(size) = entity.chunk_size {
                grid.chunk_size = size;
            }
            match entity.chunks_line {
                Some(line) => grid.chunks = chunk_list::scan(bytes, line)?,
                None if grid.chunks.end == 0 => grid.chunks = ChunkList::missing(entity.component_indent, entity.component_end),
                None => {}
            }
        }
        let by_uid: HashMap<u32, u32> = self.grids.iter().zip(0..).filter_map(|(grid, index)| Some((grid.uid?, index))).collect();
        let count = u32::try_from(self.grids.len()).unwrap_or(u32::MAX);
        // Nearly all entities stand on the same grid.
        let mut last = (NO_UID, None);
        for entity in &mut self.entities {
            if entity.names_grid {
                entity.grid = Some(entity.parent).filter(|index| *index < count);
                continue;
            }
            if last.0 != entity.parent {
                last = (entity.parent, by_uid.get(&entity.parent).copied());
            }
            entity.grid = last.1;
        }
        // A grid on a grid (a shuttle on a planet) is a volume, not an object.
        for index in own {
            if let Some(entity) = self.entities.get_mut(index) {
                entity.grid = None;
                entity.is_grid = true;
            }
        }
        Ok(())
    }
}

fn tilemap(scanner: &mut Scanner<'_>, head: &Line, value: Range<usize>) -> Scan<Tilemap> {
    let mut map = Tilemap { names: vec![], indent: 2, end: head.next, empty: None };
    match scanner.slice(value.clone()) {
        b"" => {}
        b"{}" => map.empty = Some(value),
        _ => return Err(Odd { at: value.start, expected: "entries on lines of their own" }),
    }
    let mut ids = std::collections::HashSet::new();
    if let Some(line) = scanner.line().filter(|line| line.indent > 0) {
        map.indent = line.indent;
    }
    while let Some(line) = scanner.line().filter(|line| line.indent > 0) {
        let odd = Odd { at: line.text(), expected: "a number and the name of a tile" };
        let (id, value) = key(scanner.slice(line.text()..line.end)).filter(|_| line.indent == map.indent).ok_or(odd)?;
        let id = scalar(id).and_then(|id| id.parse().ok()).filter(|id| *id <= i32::MAX as u32).ok_or(odd)?;
        let name = scalar(scanner.slice(line.text() + value..line.end)).filter(|name| !name.is_empty()).ok_or(odd)?;
        if !ids.insert(id) {
            return Err(Odd { at: line.text(), expected: ONCE_ID });
        }
        map.names.push(TileName { id, name: name.into() });
        map.end = line.next;
        scanner.advance();
    }
    Ok(map)
}

/// The section `grids` of format 2, with chunks; from format 7 on there is a list of uids by that name.
fn grid_sections(scanner: &mut Scanner<'_>, bytes: &[u8]) -> Scan<Vec<Grid>> {
    let mut grids = vec![];
    let Some(dash) = scanner.line().filter(|line| line.is_item).map(|line| line.indent) else { return Ok(grids) };
    while let Some(item) = scanner.line().filter(|line| line.is_item && line.indent == dash) {
        let text = scanner.item_text(&item);
        if key(scanner.slice(text..item.end)).is_none() {
            scanner.advance();
            continue;
        }
        let mut grid = Grid { chunk_size: CHUNK_SIZE, ..Grid::default() };
        let indent = text - item.start;
        let mut line = Line { indent, is_item: false, ..item };
        loop {
            let odd = |expected| Odd { at: line.text(), expected };
            let (name, value) = key(scanner.slice(line.text()..line.end)).ok_or(odd("a key of a grid"))?;
            let value = line.text() + value..line.end;
            scanner.advance();
            match name {
                b"settings" => settings(scanner, indent, &mut grid)?,
                b"uid" => grid.uid = scalar(scanner.slice(value)).and_then(|uid| uid.parse().ok()),
                b"chunks" => {
                    grid.chunks = chunk_list::scan(bytes, line)?.or_list();
                    scanner.skip_nested(indent);
                }
                _ => scanner.skip_nested(indent),
            }
            match scanner.line().filter(|line| line.indent > dash) {
                Some(next) if next.indent == indent => line = next,
                Some(next) => return Err(Odd { at: next.text(), expected: "a key of a grid" }),
                None => break,
            }
        }
        if !grid.chunks.has_line() {
            grid.chunks = ChunkList::missing_in_section(indent, scanner.at());
        }
        grids.push(grid);
    }
    Ok(grids)
}

fn settings(scanner: &mut Scanner<'_>, parent: usize, grid: &mut Grid) -> Scan<()> {
    while let Some(line) = scanner.line().filter(|line| line.indent > parent) {
        let odd = |expected| Odd { at: line.text(), expected };
        let (name, value) = key(scanner.slice(line.text()..line.end)).ok_or(odd("a setting of the grid"))?;
        let value = scalar(scanner.slice(line.text() + value..line.end)).ok_or(odd("a value on one line"))?;
        match name {
            b"chunksize" => grid.chunk_size = chunk_size(&value).ok_or(odd("a chunk size of 1 to 64"))?,
            b"worldpos" => {
                grid.has_worldpos = true;
                let [x, y] = pair(&value).unwrap_or_default();
                grid.position = [f64::from(x), f64::from(y)];
            }
            _ => {}
        }
        scanner.advance();
    }
    Ok(())
}

/// The side of a chunk.
pub(super) fn chunk_size(text: &str) -> Option<u32> {
    text.parse().ok().filter(|size| (1..=MAX_CHUNK_SIZE).contains(size))
}
