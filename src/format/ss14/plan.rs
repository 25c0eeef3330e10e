//! Saving a map that came from an SS14 file: what differs from the source, as pieces to splice into it.
//!
//! The source is taken apart again as it was on reading. Tiles are compared by *name*, so that a tile
//! painted back gives its old bytes with flags, variant and turn, and by these where a voxel brings its own:
//! one that was moved. Entities are compared by the number that their object had, which counts the entities
//! of the source.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use glam::IVec3;

use super::choose::Chooser;
use super::chunk::{Tiles, Width};
use super::chunk_list::{ChunkList, MAX_REACH};
use super::colors::is_space;
use super::index::{Grid, MAX_CHUNK_SIZE};
use super::loaded::{Loaded, Names, tile_of, voxel_of};
use super::plan_entities;
use super::scanner::quoted;
use super::splice::Splices;
use crate::document::{Property, Snapshot, Volume};
use crate::format::{FormatError, Report, Severity};
use crate::voxel::{CHUNK_EDGE, Store};

/// What saving does to the source.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub splices: Splices,
    pub report: Report,
}

/// Compares a snapshot with its source.
pub(super) fn plan(snapshot: &Snapshot, bytes: &[u8], loaded: &Loaded) -> Result<Plan, FormatError> {
    let mut plan = Plan::default();
    let mut tiles = TilePlan {
        bytes,
        loaded,
        chooser: Chooser::new(&loaded.colors, loaded.index.tilemap.is_some()),
        ids: Ids { names: &loaded.names, added: vec![], may_add: loaded.index.tilemap.is_some() },
        plan: &mut plan,
        added_floor: vec![],
        removed_floor: vec![],
        off_plane: 0,
        too_far: 0,
        unturned: 0,
    };
    for (index, volume) in snapshot.volumes().iter().enumerate() {
        match loaded.index.grids.get(index).zip(loaded.tiles.get(index)) {
            Some((grid, of_grid)) => tiles.grid(grid, of_grid, volume),
            None if volume.store.solid_count() > 0 => {
                return Err(FormatError::Unsupported { what: "painting tiles into a file that has no grid" });
            }
            None => {}
        }
    }
    if !tiles.ids.may_add && !tiles.ids.added.is_empty() {
        // A file that names no tile at all offers none to choose from.
        return Err(FormatError::Unsupported { what: "adding a tile to a map without a tilemap" });
    }
    let removed = std::mem::take(&mut tiles.removed_floor);
    tiles.finish();
    plan_entities::plan(snapshot, bytes, loaded, &mut plan)?;
    super::left_behind::tell(snapshot, bytes, loaded, &removed, &mut plan.report);
    metadata(snapshot, loaded, &mut plan);
    if loaded.index.post_map_init || loaded.index.map_inits > 0 {
        let message = "the map was saved in the middle of a game (postmapinit or mapInit is true), which mappers do not want";
        plan.report.push(Severity::Info, "saved-mid-game", message);
    }
    Ok(plan)
}

/// Numbers of names, old and new.
struct Ids<'a> {
    names: &'a Names,
    added: Vec<(u32, Arc<str>)>,
    may_add: bool,
}

impl Ids<'_> {
    /// The number of a name, which is added to the tilemap if it is new there.
    fn of(&mut self, name: &Arc<str>, width: Width) -> u32 {
        let old = if is_space(name) { self.names.space() } else { self.names.id_of(name) };
        if let Some(id) = old {
            return id;
        }
        let added = self.added.iter().find(|(_, other)| other == name || (is_space(name) && is_space(other)));
        if let Some((id, _)) = added {
            return *id;
        }
        let is_free = |id: &u32| self.names.of(*id).is_none() && !self.added.iter().any(|(other, _)| other == id);
        let highest = self.names.list.iter().chain(&self.added).map(|(id, _)| *id).max().unwrap_or(0);
        let next = highest.checked_add(1).filter(|id| *id <= width.max_id());
        let id = next.or_else(|| (0..=width.max_id()).find(is_free)).unwrap_or(highest.wrapping_add(1));
        self.added.push((id, name.clone()));
        id
    }
}

/// A tile that becomes another one.
struct TileChange {
    /// Its number in its chunk.
    index: u32,
    becomes: Becomes,
    /// Flags, variant and turn.
    rest: [u8; 3],
}

/// What a tile becomes.
enum Becomes {
    /// It stays what it is, with another variant, flags or turn.
    Same,
    /// A tile of that name.
    Tile(Arc<str>),
    Air,
}

struct TilePlan<'a> {
    bytes: &'a [u8],
    loaded: &'a Loaded,
    chooser: Chooser<'a>,
    ids: Ids<'a>,
    plan: &'a mut Plan,
    added_floor: Vec<IVec3>,
    /// In voxels of the grid that is first among those with any, with the grid's number.
    removed_floor: Vec<(usize, [i32; 2])>,
    off_plane: u64,
    too_far: u64,
    /// Tiles that are not turned in the file.
    unturned: u64,
}

/// Whether engines that read the format of a map know turns of tiles: those that have them (v256) read no format 2 any more (v247).
pub(super) fn knows_turns(loaded: &Loaded) -> bool {
    loaded.index.format > 2
}

impl TilePlan<'_> {
    fn grid(&mut self, grid: &Grid, of_grid: &[Tiles], volume: &Volume) {
        let number = self.loaded.index.grids.iter().position(|other| std::ptr::eq(other, grid)).unwrap_or(0);
        let list = &grid.chunks;
        let mut emptied = 0;
        for (chunk, tiles) in list.chunks.iter().zip(of_grid) {
            let changes = self.changes(number, chunk.at, tiles, volume);
            if changes.is_empty() {
                continue;
            }
            let after = self.changed(tiles, &changes);
            if self.is_empty(&after) {
                emptied += 1;
                self.plan.splices.remove(chunk.lines.clone());
                continue;
            }
            self.plan.splices.replace(chunk.tiles.clone(), after.encode());
            if after.width != tiles.width {
                let version = after.width.version().unwrap_or_default();
                match &chunk.version {
                    Some(old) => self.plan.splices.replace(old.span.clone(), version.to_string()),
                    None => {
                        let (indent, eol) = (list.inner_indent, self.loaded.index.eol());
                        let line = format!("{:indent$}version: {version}{eol}", "");
                        self.plan.splices.insert_lines(self.bytes, chunk.after_tiles, eol, &line);
                    }
                }
            }
        }
        let new = self.new_chunks(grid, of_grid, volume);
        self.insert(list, &new);
        if new.is_empty() && emptied == list.chunks.len() && emptied > 0 {
            let nothing = if list.is_list { " []" } else { " {}" };
            self.plan.splices.replace(list.line_end..list.line_end, nothing);
        }
    }

    /// Tiles of a chunk that are to be others: their numbers and names, `None` for air.
    fn changes(&mut self, grid: usize, at: [i32; 2], tiles: &Tiles, volume: &Volume) -> Vec<TileChange> {
        // Below 2¹⁵: `Loaded` has checked it.
        let size = i32::try_from(tiles.size).unwrap_or_default();
        let mut changes = vec![];
        for ((id, rest), index) in tiles.all().zip(0..) {
            let [x, y] = self.loaded.order.place(index, tiles.size);
            let tile = [at[0] * size + x, at[1] * size + y];
            let before = self.loaded.names.of(id).filter(|name| !is_space(name));
            let voxel = voxel_of(tile) - volume.offset;
            let now = volume.store.voxel(voxel);
            let after = self.chooser.tile(now, before);
            let own_rest = now.and_then(|now| now.extra.tile);
            if after.as_ref() == before {
                // A voxel that brings nothing of its own was painted anew, and the tile is what it was.
                if let Some(rest) = own_rest.filter(|own| after.is_some() && *own != rest) {
                    changes.push(TileChange { index, becomes: Becomes::Same, rest });
                }
            } else {
                match (before.is_some(), after.is_some()) {
                    (false, true) => self.added_floor.push(voxel),
                    (true, false) => self.removed_floor.push((grid, tile)),
                    _ => {}
                }
                changes.push(TileChange { index, becomes: after.map_or(Becomes::Air, Becomes::Tile), rest: own_rest.unwrap_or_default() });
            }
        }
        changes
    }

    fn changed(&mut self, tiles: &Tiles, changes: &[TileChange]) -> Tiles {
        let space: Arc<str> = "Space".into();
        let width = tiles.width;
        let mut id_of = |becomes: &Becomes| match becomes {
            Becomes::Same => None,
            Becomes::Tile(name) => Some(self.ids.of(name, width)),
            Becomes::Air => Some(self.ids.of(&space, width)),
        };
        let ids: Vec<_> = changes.iter().map(|change| id_of(&change.becomes)).collect();
        // The oldest layout cannot name as many tiles, and only the newest has turns.
        let turned = changes.iter().filter(|TileChange { rest: [.., turn], .. }| *turn != 0).count();
        let can_turn = width == Width::Seven || knows_turns(self.loaded);
        self.unturned += if can_turn { 0 } else { turned as u64 };
        let needed = if can_turn && turned > 0 {
            Width::Seven
        } else if ids.iter().flatten().any(|id| *id > width.max_id()) {
            Width::Six
        } else {
            width
        };
        let mut after = if needed > width { tiles.widened(needed) } else { tiles.clone() };
        for (change, id) in changes.iter().zip(ids) {
            if let Some(id) = id {
                after.put(change.index, id);
            }
            let [flags, variant, turn] = change.rest;
            after.put_rest(change.index, [flags, variant, if can_turn { turn } else { 0 }]);
        }
        after
    }

    fn is_empty(&self, tiles: &Tiles) -> bool {
        let is_added_space = |id| self.ids.added.iter().any(|(other, name)| *other == id && is_space(name));
        tiles.ids().all(|id| self.loaded.names.of(id).is_some_and(|name| is_space(name)) || is_added_space(id))
    }

    /// Chunks that the source does not have.
    fn new_chunks(&mut self, grid: &Grid, of_grid: &[Tiles], volume: &Volume) -> BTreeMap<[i32; 2], Tiles> {
        let old: std::collections::HashMap<[i32; 2], u32> =
            grid.chunks.chunks.iter().zip(of_grid).map(|(chunk, tiles)| (chunk.at, tiles.size)).collect();
        let size = grid.chunk_size.clamp(1, MAX_CHUNK_SIZE);
        let edge = i32::try_from(size).unwrap_or(1);
        let width = of_grid.first().map_or(Width::of_format(self.loaded.index.format), |tiles| tiles.width);
        let mut wanted: BTreeMap<[i32; 2], Vec<TileChange>> = BTreeMap::new();
        for voxel in solid_voxels(&volume.store) {
            let place = voxel.saturating_add(volume.offset);
            let tile = tile_of(place);
            let at = tile.map(|part| part.div_euclid(edge));
            if place.z != 0 {
                self.off_plane += 1;
            } else if old.contains_key(&at) {
                // Compared above. A chunk of another size than its grid's covers as much of it as it can.
            } else if tile.iter().any(|part| part.abs() > MAX_REACH - 2 * edge) {
                self.too_far += 1;
            } else {
                let now = volume.store.voxel(voxel);
                let becomes = self.chooser.tile(now, None).map_or(Becomes::Air, Becomes::Tile);
                self.added_floor.push(voxel);
                let [x, y] = tile.map(|part| part.rem_euclid(edge).unsigned_abs());
                let (index, rest) = (self.loaded.order.index([x, y], size), now.and_then(|now| now.extra.tile).unwrap_or_default());
                wanted.entry(at).or_default().push(TileChange { index, becomes, rest });
            }
        }
        let mut new = BTreeMap::new();
        for (at, changes) in wanted {
            let space = self.ids.of(&"Space".into(), width);
            let empty = Tiles::uniform(width, size, space);
            new.insert(at, self.changed(&empty, &changes));
        }
        new
    }

    fn insert(&mut self, list: &ChunkList, new: &BTreeMap<[i32; 2], Tiles>) {
        if new.is_empty() {
            return;
        }
        let eol = self.loaded.index.eol();
        let (indent, inner, quote) = (list.indent, list.inner_indent, if list.is_quoted { "\"" } else { "" });
        let mut text = String::new();
        if !list.has_line() {
            let indent = indent.saturating_sub(2);
            // Writing to a string cannot fail, here and below.
            write!(text, "{:indent$}chunks:{eol}", "").ok();
        } else if !list.head_value.is_empty() {
            let blank = usize::from(self.bytes.get(list.head_value.start.wrapping_sub(1)) == Some(&b' '));
            self.plan.splices.remove(list.head_value.start - blank..list.head_value.end);
        }
        for ([x, y], tiles) in new {
            if list.is_list {
                write!(text, "{:indent$}- ind: {quote}{x},{y}{quote}{eol}", "").ok();
            } else {
                write!(text, "{:indent$}{quote}{x},{y}{quote}:{eol}{:inner$}ind: {quote}{x},{y}{quote}{eol}", "", "").ok();
            }
            write!(text, "{:inner$}tiles: {}{eol}", "", tiles.encode()).ok();
            if let Some(version) = tiles.width.version() {
                write!(text, "{:inner$}version: {version}{eol}", "").ok();
            }
        }
        self.plan.splices.insert_lines(self.bytes, list.end, eol, &text);
    }

    /// New names for the tilemap, and what is to be told.
    fn finish(self) {
        let (plan, index) = (self.plan, &self.loaded.index);
        if let Some(map) = index.tilemap.as_ref().filter(|_| !self.ids.added.is_empty()) {
            if let Some(empty) = &map.empty {
                plan.splices.remove(empty.clone());
            }
            let (indent, eol) = (map.indent, index.eol());
            let mut lines = String::new();
            for (id, name) in &self.ids.added {
                write!(lines, "{:indent$}{id}: {}{eol}", "", quoted(name)).ok();
            }
            plan.splices.insert_lines(self.bytes, map.end, eol, &lines);
            let names: Vec<&str> = self.ids.added.iter().map(|(_, name)| &**name).collect();
            let message = format!("tiles are new in this map, and a game without them refuses it: {}", names.join(", "));
            plan.report.push_count(Severity::Info, "new-tiles", message, names.len() as u64);
        }
        let report = &mut plan.report;
        report.push_count(
            Severity::Loss,
            "inexact-tiles",
            "voxels have a color that is no tile and become the nearest",
            self.chooser.inexact,
        );
        report.push_count(Severity::Loss, "off-plane", "voxels lie above or below the floor, where a grid has no tiles", self.off_plane);
        report.push_count(Severity::Loss, "too-far", "voxels lie too far from the middle of the grid", self.too_far);
        let turned = format!("tiles are turned or mirrored, which format {} cannot say", self.loaded.index.format);
        report.push_count(Severity::Loss, "tile-turns", turned, self.unturned);
        let message = "tiles are new floor, which has no air: run fixgridatmos in the game afterwards";
        report.push_at(Severity::Problem, "no-atmosphere", message, &self.added_floor);
    }
}

/// Every solid voxel of a store.
pub(super) fn solid_voxels(store: &Store) -> impl Iterator<Item = IVec3> + '_ {
    store.chunks().flat_map(|(pos, chunk)| {
        // Most columns of a chunk at a grid's edge are empty.
        chunk.solid().iter().enumerate().filter(|(_, mask)| **mask != 0).flat_map(move |(column, mask)| {
            let at = pos.origin() + IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, 0);
            let mask = *mask;
            (0..CHUNK_EDGE as i32).filter(move |z| mask >> z & 1 == 1).map(move |z| at + IVec3::Z * z)
        })
    })
}

/// Title and author, where the file has them; the rest has its place in the project file.
fn metadata(snapshot: &Snapshot, loaded: &Loaded, plan: &mut Plan) {
    let now = snapshot.metadata.properties();
    for (now, _) in now.iter().zip(snapshot.opened.metadata.properties()).filter(|(now, then)| *now != then) {
        let (value, place) = match now {
            Property::Name(value) => (value, &loaded.index.name),
            Property::Author(value) => (value, &loaded.index.author),
            _ => continue,
        };
        if let Some(place) = place {
            plan.splices.replace(place.span.clone(), quoted(value.as_deref().unwrap_or("")));
        }
    }
}
