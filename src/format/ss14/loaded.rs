//! A file taken apart: its index, its tiles, and which name and colour each of them has.
//!
//! Reading makes a document of it; writing takes the source apart the same way again and compares.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use glam::IVec3;

use super::chunk::Tiles;
use super::chunk_list::MAX_REACH;
use super::colors::{Colors, is_space};
use super::index::Index;
use super::scanner::line_number;
use super::{Options, TILE_ORDER};
use crate::document::{OptionValue, Progress};
use crate::format::FormatError;

/// Most names of tiles: the game counts its kinds in 16 bits.
const MOST_TILES: usize = 1 << 16;

/// In which order a chunk holds its tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TileOrder {
    /// Rows from the south, each from the west: since May 2019.
    Rows,
    /// Columns from the west, each from the south: before, under the same format number.
    Columns,
}

impl TileOrder {
    /// The place in its chunk of the tile of that number.
    pub fn place(self, index: u32, size: u32) -> [i32; 2] {
        // Below the side of a chunk.
        let [fast, slow] = [(index % size) as i32, (index / size) as i32];
        match self {
            Self::Rows => [fast, slow],
            Self::Columns => [slow, fast],
        }
    }

    /// The number of the tile at a place in its chunk.
    pub fn index(self, [x, y]: [u32; 2], size: u32) -> u32 {
        match self {
            Self::Rows => y * size + x,
            Self::Columns => x * size + y,
        }
    }
}

/// The names of tile numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    by_id: HashMap<u32, Arc<str>>,
    /// Numbers and names: those of the file in its order, then numbers that it uses without naming them.
    pub list: Vec<(u32, Arc<str>)>,
    /// How many of the list the file names.
    pub named: usize,
}

impl Names {
    /// The name of a number; every number that the file uses has one.
    pub fn of(&self, id: u32) -> Option<&Arc<str>> {
        self.by_id.get(&id)
    }

    /// The names that the file has for tiles, in its order.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.list.iter().take(self.named).map(|(_, name)| &**name)
    }

    /// The first number of a name.
    pub fn id_of(&self, name: &str) -> Option<u32> {
        self.list.iter().find(|(_, other)| &**other == name).map(|(id, _)| *id)
    }

    /// The number that stands for no tile.
    pub fn space(&self) -> Option<u32> {
        self.list.iter().find(|(_, name)| is_space(name)).map(|(id, _)| *id)
    }

    fn add(&mut self, id: u32, name: Arc<str>) {
        self.by_id.insert(id, name.clone());
        self.list.push((id, name));
    }
}

/// A file taken apart.
#[derive(Clone, Debug)]
pub(super) struct Loaded {
    pub index: Index,
    pub names: Names,
    pub colors: Colors,
    pub order: TileOrder,
    /// Whether the file is of a time when tiles stood in either order, and does not say in which.
    pub is_order_unsaid: bool,
    /// Whether the file leaves the order open.
    pub is_order_guessed: bool,
    /// Tiles of every chunk of every grid, as in the index.
    pub tiles: Vec<Vec<Tiles>>,
    /// Tiles with a number that the file does not name.
    pub unnamed_tiles: u64,
}

impl Loaded {
    /// Decodes the tiles of a file.
    pub fn new(bytes: &[u8], index: Index, options: &Options, progress: &Progress) -> Result<Self, FormatError> {
        let mut names = Names::default();
        for entry in index.tilemap.iter().flat_map(|map| &map.names) {
            names.add(entry.id, entry.name.clone());
        }
        names.named = names.list.len();
        let mut tiles = vec![];
        let (mut unnamed, mut unnamed_tiles) = (BTreeSet::new(), 0);
        let is_mapped = index.tilemap.is_some();
        for grid in &index.grids {
            progress.check()?;
            let mut of_grid = Vec::with_capacity(grid.chunks.chunks.len());
            for chunk in &grid.chunks.chunks {
                let decoded = Tiles::decode(bytes, chunk, grid.chunk_size)?;
                let size = i64::from(decoded.size);
                if chunk.at.iter().any(|at| (i64::from(*at) * size).abs() + size > i64::from(MAX_REACH)) {
                    let line = line_number(bytes, chunk.lines.start);
                    return Err(FormatError::Syntax { line, column: 1, expected: "a chunk within 32768 tiles of the origin" });
                }
                // Runs of the same tile are the rule.
                let mut last = None;
                for id in decoded.ids().filter(|id| is_mapped || *id != 0) {
                    if last == Some(id) || names.of(id).is_some() {
                        last = Some(id);
                    } else {
                        unnamed.insert(id);
                        unnamed_tiles += 1;
                    }
                }
                of_grid.push(decoded);
            }
            tiles.push(of_grid);
        }
        if !is_mapped {
            names.add(0, "Space".into());
        }
        for id in unnamed {
            names.add(id, format!("tile {id}").into());
        }
        if names.list.len() > MOST_TILES {
            return Err(FormatError::Unsupported { what: "a map of more than 65,536 kinds of tiles" });
        }
        let colors = Colors::new(names.list.iter().map(|(_, name)| name), options)?;
        let mut loaded =
            Self { index, names, colors, order: TileOrder::Rows, is_order_unsaid: false, is_order_guessed: false, tiles, unnamed_tiles };
        loaded.find_order(options)?;
        Ok(loaded)
    }

    /// Before May 2019 tiles were stored by columns, and no number tells. Entities stand on floors: the
    /// order in which more of them do is the one.
    fn find_order(&mut self, options: &Options) -> Result<(), FormatError> {
        self.is_order_unsaid =
            self.index.format <= 2 && (self.index.tilemap.is_none() || self.index.grids.iter().any(|grid| grid.has_worldpos));
        match options.get(TILE_ORDER) {
            None => {}
            Some(OptionValue::Text(text)) if text.is_empty() => {}
            Some(OptionValue::Text(text)) if text == TileOrder::Rows.id() => return Ok(()),
            Some(OptionValue::Text(text)) if text == TileOrder::Columns.id() => {
                self.order = TileOrder::Columns;
                return Ok(());
            }
            Some(OptionValue::Text(text)) => return Err(FormatError::BadOption { name: TILE_ORDER, value: text.clone() }),
            Some(other) => return Err(FormatError::BadOption { name: TILE_ORDER, value: format!("{other:?}") }),
        }
        if !self.is_order_unsaid {
            return Ok(());
        }
        self.is_order_guessed = true;
        let on_floor = |order| {
            let floors: Vec<HashMap<[i32; 2], &Tiles>> = self
                .index
                .grids
                .iter()
                .zip(&self.tiles)
                .map(|(grid, tiles)| grid.chunks.chunks.iter().map(|chunk| chunk.at).zip(tiles).collect())
                .collect();
            let stands = |grid: u32, [x, y]: [i32; 2]| {
                let (floor, size) = (floors.get(grid as usize)?, self.index.grids.get(grid as usize)?.chunk_size);
                let edge = i32::try_from(size).ok()?;
                let tiles = floor.get(&[x.div_euclid(edge), y.div_euclid(edge)]).filter(|tiles| tiles.size == size)?;
                let place = [x, y].map(|part| part.rem_euclid(edge).unsigned_abs());
                let id = tiles.id_at(TileOrder::index(order, place, size))?;
                self.names.of(id).filter(|name| !is_space(name))
            };
            let entities = self.index.entities.iter().filter(|entity| entity.has_transform);
            entities.filter(|entity| entity.grid.is_some_and(|grid| stands(grid, entity.tile).is_some())).count()
        };
        let (rows, columns) = (on_floor(TileOrder::Rows), on_floor(TileOrder::Columns));
        // Without a tilemap it is older than the change; with one, columns are the exception.
        if columns > rows || (columns == rows && self.index.tilemap.is_none()) {
            self.order = TileOrder::Columns;
        }
        Ok(())
    }
}

impl TileOrder {
    /// The value of the option that says so.
    pub fn id(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Columns => "columns",
        }
    }
}

/// The voxel of a tile. North is up there and down here.
pub(super) fn voxel_of([x, y]: [i32; 2]) -> IVec3 {
    IVec3::new(x, (-1_i32).saturating_sub(y), 0)
}

/// The tile of a voxel.
pub(super) fn tile_of(voxel: IVec3) -> [i32; 2] {
    [voxel.x, (-1_i32).saturating_sub(voxel.y)]
}
