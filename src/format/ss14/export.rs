//! One level of any voxel map as a grid: format 7, or format 2 as the format's first description has it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::sync::Arc;

use glam::IVec3;

use super::choose::Chooser;
use super::chunk::{Tiles, Width};
use super::chunk_list::MAX_REACH;
use super::colors::Colors;
use super::index::CHUNK_SIZE;
use super::loaded::{Loaded, tile_of};
use super::scanner::quoted;
use super::verify::Meant;
use super::{NAME, Options, SLICE, STYLE};
use crate::document::{OptionValue, Snapshot};
use crate::format::merge::is_entity;
use crate::format::{FormatError, OUTSIDE_SLICE, Report, Severity, losses};
use crate::voxel::{CHUNK_EDGE, Chunk, ChunkPos, Extra, SHADE_NEUTRAL, Store};

/// What kind of file to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// Format 7, category Grid: `loadgrid` in the game.
    Grid,
    /// Format 2: engines up to version 246 (February 2025).
    Blueprint,
}

/// The style that the options name.
pub(super) fn style(options: &Options) -> Result<Option<Style>, FormatError> {
    match options.get(STYLE) {
        None => Ok(None),
        Some(OptionValue::Text(text)) => match text.as_str() {
            "" => Ok(None),
            "grid" => Ok(Some(Style::Grid)),
            "blueprint" => Ok(Some(Style::Blueprint)),
            other => Err(FormatError::BadOption { name: STYLE, value: other.into() }),
        },
        Some(other) => Err(FormatError::BadOption { name: STYLE, value: format!("{other:?}") }),
    }
}

/// The level to write: what the options name, else the ground just above the water, else the lowest.
fn level(snapshot: &Snapshot, options: &Options) -> Result<i32, FormatError> {
    let bounds = snapshot.bounds();
    let default = snapshot.floor_z().map_or(bounds.max().z, |floor| floor) - 1;
    match options.get(SLICE) {
        None | Some(OptionValue::Int(-1)) => Ok(default.max(bounds.min().z)),
        Some(OptionValue::Int(z)) => {
            let level = i32::try_from(*z).ok().filter(|z| (bounds.min().z..bounds.max().z).contains(z));
            level.ok_or(FormatError::NoSuchLevel { found: *z, levels: [bounds.min().z, bounds.max().z - 1] })
        }
        Some(other) => Err(FormatError::BadOption { name: SLICE, value: format!("{other:?}") }),
    }
}

/// What is written of a snapshot.
#[derive(Debug)]
pub(super) struct Export {
    style: Style,
    name: String,
    author: Option<String>,
    /// Tile names by place; y north.
    pub tiles: BTreeMap<[i32; 2], Arc<str>>,
    /// Flags, variant and turn of those that came from a map of this game and are the same tile still.
    rests: HashMap<[i32; 2], [u8; 3]>,
    pub report: Report,
}

impl Export {
    /// Chooses a tile for every voxel of the level; `source` is the map of this game that it came from.
    pub fn new(
        snapshot: &Snapshot,
        colors: &Colors,
        source: Option<&Loaded>,
        style: Style,
        options: &Options,
    ) -> Result<Self, FormatError> {
        let z = level(snapshot, options)?;
        let name = match options.get(NAME) {
            Some(OptionValue::Text(name)) if !name.is_empty() => name.clone(),
            None | Some(OptionValue::Text(_)) => match (&snapshot.metadata.name, &snapshot.active_volume().name) {
                (Some(name), _) => name.clone(),
                (None, name) if !name.is_empty() => name.to_string(),
                _ => format!("Slice z {z}"),
            },
            Some(other) => return Err(FormatError::BadOption { name: NAME, value: format!("{other:?}") }),
        };
        let mut chooser = Chooser::new(colors, true);
        let (mut tiles, mut moved, mut too_far, mut shades, mut extras) = (BTreeMap::new(), vec![], 0, 0, 0);
        let offset = snapshot.active_volume().offset;
        let height = ChunkPos::of(IVec3::new(0, 0, z));
        let bit = z - height.origin().z;
        for (pos, chunk) in snapshot.store().chunks().filter(|(pos, _)| pos.0.z == height.0.z) {
            for (column, _) in chunk.solid().iter().enumerate().filter(|(_, mask)| **mask >> bit & 1 == 1) {
                let voxel = pos.origin() + IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, bit);
                let tile = tile_of(voxel.saturating_add(offset));
                if tile.iter().any(|part| part.abs() > MAX_REACH - 2 * CHUNK_SIZE as i32) {
                    too_far += 1;
                    continue;
                }
                let voxel = snapshot.store().voxel(voxel);
                shades += u64::from(voxel.and_then(|voxel| voxel.paint).is_some_and(|paint| paint.shade != SHADE_NEUTRAL));
                extras += u64::from(voxel.is_some_and(|voxel| voxel.extra.without_tile() != Extra::default()));
                if let Some(name) = chooser.tile(voxel, None) {
                    tiles.insert(tile, name);
                    moved.extend(voxel.and_then(|voxel| Some((tile, voxel.extra.tile?))));
                }
            }
        }
        let mut rests = source.map(|source| kept_rests(source, snapshot.active(), &tiles)).unwrap_or_default();
        rests.extend(moved);
        let mut report = Report::new();
        let mut lost = |code, message: String, count| report.push_count(Severity::Loss, code, message, count);
        let others = snapshot.store().solid_count() - tiles.len() as u64 - too_far;
        lost(OUTSIDE_SLICE, format!("voxels are not in the slice z {z} and are left out"), others);
        lost("too-far", "voxels lie too far from the origin for a grid".into(), too_far);
        lost("inexact-tiles", "voxels have a color that is no tile and become the nearest".into(), chooser.inexact);
        losses::shades_of(shades, &mut report);
        losses::extras_of(extras, "a floor", &mut report);
        let mut lost = |code, message: String, count| report.push_count(Severity::Loss, code, message, count);
        // Whatever else there is has its place in the project file.
        let entities = snapshot.objects.iter().filter(|(id, object)| is_entity(snapshot, *id, object)).count();
        lost("objects", "entities have no place in a floor that is written anew".into(), entities as u64);
        if style == Style::Blueprint {
            let turned = rests.values().filter(|[.., turn]| *turn != 0).count();
            lost("tile-turns", "tiles are turned or mirrored, which format 2 cannot say".into(), turned as u64);
        }
        losses::volumes(snapshot, &mut report);
        if tiles.is_empty() {
            let filled = filled_heights(snapshot.store()).map_or_else(
                || "the map has no voxels".to_owned(),
                |[top, bottom]| format!("choose one from {top} (highest) to {bottom} (lowest), where there are voxels"),
            );
            report.push(Severity::Loss, "empty-slice", format!("the slice z {z} is empty, and so is the floor: {filled}"));
        } else {
            let message = "the floor has no air: run fixgridatmos in the game after loading the grid";
            report.push(Severity::Problem, "no-atmosphere", message);
        }
        if style == Style::Blueprint {
            let message = "format 2 is loaded by engines up to version 246 (February 2025) only; newer ones take the style grid";
            report.push(Severity::Problem, "old-format", message);
        }
        Ok(Self { style, name, author: snapshot.metadata.author.clone(), tiles, rests, report })
    }

    /// Every tile as the file is to have it.
    pub fn meant(&self) -> BTreeMap<[i32; 2], Meant> {
        let rest_of = |tile| match (self.rests.get(tile).copied().unwrap_or_default(), self.style) {
            ([flags, variant, _], Style::Blueprint) => [flags, variant, 0],
            (rest, Style::Grid) => rest,
        };
        self.tiles.iter().map(|(tile, name)| (*tile, (name.clone(), Some(rest_of(tile))))).collect()
    }

    /// The names of the tiles, each once.
    pub fn names(&self) -> BTreeSet<Arc<str>> {
        self.tiles.values().cloned().collect()
    }

    /// The file.
    pub fn text(&self) -> String {
        let mut ids: BTreeMap<&str, u32> = BTreeMap::new();
        let mut names = vec!["Space"];
        for name in self.tiles.values() {
            ids.entry(name).or_insert_with(|| {
                names.push(name);
                // At most one for each colour of a voxel map's tiles: some hundreds.
                names.len() as u32 - 1
            });
        }
        let (size, edge) = (CHUNK_SIZE, CHUNK_SIZE as i32);
        let width = if self.style == Style::Grid { Width::Seven } else { Width::Four };
        let mut chunks: BTreeMap<[i32; 2], Tiles> = BTreeMap::new();
        for (tile, name) in &self.tiles {
            let chunk = chunks.entry(tile.map(|part| part.div_euclid(edge))).or_insert_with(|| Tiles::uniform(width, size, 0));
            let [x, y] = tile.map(|part| part.rem_euclid(edge).unsigned_abs());
            chunk.put(y * size + x, ids.get(&**name).copied().unwrap_or(0));
            if let Some(rest) = self.rests.get(tile) {
                chunk.put_rest(y * size + x, *rest);
            }
        }
        let mut text = String::new();
        // Writing to a string cannot fail.
        match self.style {
            Style::Grid => self.write_grid(&mut text, &names, &chunks),
            Style::Blueprint => self.write_blueprint(&mut text, &names, &chunks),
        }
        .ok();
        text
    }

    fn write_grid(&self, text: &mut String, names: &[&str], chunks: &BTreeMap<[i32; 2], Tiles>) -> std::fmt::Result {
        text.push_str("meta:\n  format: 7\n  category: Grid\n  engineVersion: 289.0.0\n  forkId: \"\"\n  forkVersion: \"\"\n");
        text.push_str("  time: 01/01/2026 00:00:00\n  entityCount: 1\nmaps: []\ngrids:\n- 1\norphans:\n- 1\nnullspace: []\n");
        write_tilemap(text, names)?;
        text.push_str("entities:\n- proto: \"\"\n  entities:\n  - uid: 1\n    components:\n    - type: MetaData\n");
        writeln!(text, "      name: {}", quoted(&self.name))?;
        text.push_str("    - type: Transform\n      parent: invalid\n    - type: MapGrid\n");
        text.push_str(if chunks.is_empty() { "      chunks: {}\n" } else { "      chunks:\n" });
        for ([x, y], tiles) in chunks {
            writeln!(text, "        {x},{y}:\n          ind: {x},{y}\n          tiles: {}\n          version: 7", tiles.encode())?;
        }
        text.push_str("    - type: Broadphase\n    - type: Physics\n      bodyStatus: InAir\n      angularDamping: 0.05\n");
        text.push_str("      linearDamping: 0.05\n      fixedRotation: False\n      bodyType: Dynamic\n");
        text.push_str("    - type: Fixtures\n      fixtures: {}\n    - type: OccluderTree\n...\n");
        Ok(())
    }

    fn write_blueprint(&self, text: &mut String, names: &[&str], chunks: &BTreeMap<[i32; 2], Tiles>) -> std::fmt::Result {
        writeln!(text, "meta:\n  format: 2\n  name: {}", quoted(&self.name))?;
        writeln!(text, "  author: {}\n  postmapinit: false", quoted(self.author.as_deref().unwrap_or("unknown")))?;
        write_tilemap(text, names)?;
        text.push_str("grids:\n- settings:\n    chunksize: 16\n    tilesize: 1\n    snapsize: 1\n");
        text.push_str(if chunks.is_empty() { "  chunks: []\n" } else { "  chunks:\n" });
        for ([x, y], tiles) in chunks {
            writeln!(text, "  - ind: \"{x},{y}\"\n    tiles: {}", tiles.encode())?;
        }
        text.push_str("entities:\n- uid: 0\n  components:\n  - parent: null\n    type: Transform\n  - index: 0\n    type: MapGrid\n...\n");
        Ok(())
    }
}

/// What the source says of a grid's tiles beside their names, where they have the same name now.
fn kept_rests(source: &Loaded, grid: usize, now: &BTreeMap<[i32; 2], Arc<str>>) -> HashMap<[i32; 2], [u8; 3]> {
    let mut rests = HashMap::new();
    let (Some(of), Some(chunks)) = (source.index.grids.get(grid), source.tiles.get(grid)) else { return rests };
    for (chunk, tiles) in of.chunks.chunks.iter().zip(chunks) {
        let size = i32::try_from(tiles.size).unwrap_or_default();
        for ((id, rest), index) in tiles.all().zip(0..).filter(|((_, rest), _)| *rest != [0; 3]) {
            let [x, y] = source.order.place(index, tiles.size);
            let tile = [chunk.at[0] * size + x, chunk.at[1] * size + y];
            if source.names.of(id).is_some_and(|name| now.get(&tile) == Some(name)) {
                rests.insert(tile, rest);
            }
        }
    }
    rests
}

fn write_tilemap(text: &mut String, names: &[&str]) -> std::fmt::Result {
    text.push_str("tilemap:\n");
    names.iter().enumerate().try_for_each(|(id, name)| writeln!(text, "  {id}: {}", quoted(name)))
}
/// The highest and the lowest z at which anything is solid.
fn filled_heights(store: &Store) -> Option<[i32; 2]> {
    let in_chunk = |(pos, chunk): (ChunkPos, &Arc<Chunk>)| {
        let heights = chunk.solid().iter().fold(0, |all, column| all | column);
        let (first, last) = (heights.trailing_zeros(), heights.checked_ilog2()?);
        Some([first, last].map(|z| pos.origin().z + z as i32))
    };
    store.chunks().filter_map(in_chunk).reduce(|[top, bottom], [first, last]| [top.min(first), bottom.max(last)])
}
