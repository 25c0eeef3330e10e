//! From a file that was taken apart to volumes and objects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use glam::IVec3;

use super::colors::is_space;
use super::loaded::{Loaded, voxel_of};
use super::role;
use crate::document::{Anchor, Document, GameProfile, MarkerRole, Metadata, Object, ObjectId, Objects, Placement, Volume};
use crate::geom::Region;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, ColumnMask, Extra, Paint, Store};

/// Room around a grid's chunks in which it can grow, in tiles.
pub(super) const MARGIN: i32 = 16;

/// Tile numbers that get a place in a table; larger ones are looked up.
const TABLE: usize = 1 << 12;

/// The document without its source.
pub(super) fn document(loaded: &Loaded) -> Document {
    let words = Words::new(loaded);
    let volumes = (0..loaded.index.grids.len()).filter_map(|grid| volume(loaded, &words, grid)).collect();
    let mut document = Document::with_volumes(volumes, &GameProfile::SPACE_STATION_14)
        .unwrap_or_else(|| Document::new(Store::new(bounds_around(None)), &GameProfile::SPACE_STATION_14));
    // A map whose first grid is empty, as some are, shows what there is.
    let first_with_floor = document.volumes().iter().position(|volume| volume.store.solid_count() > 0);
    document.set_active(first_with_floor.unwrap_or(0));
    document.objects = Arc::new(objects(loaded));
    document.palette = loaded.colors.palette();
    document.metadata = Arc::new(metadata(loaded));
    document.mark_opened();
    document
}

/// Title and author, up to format 4.
fn metadata(loaded: &Loaded) -> Metadata {
    let value = |value: &Option<super::index::Value<String>>| value.as_ref().map(|value| value.value.clone());
    Metadata { name: value(&loaded.index.name), author: value(&loaded.index.author), ..Metadata::default() }
}

/// The box of a grid whose chunks reach that far.
pub(super) fn bounds_around(chunks: Option<Region>) -> Region {
    let chunks = chunks.unwrap_or(Region::EMPTY);
    let margin = IVec3::new(MARGIN, MARGIN, 0);
    Region::new(chunks.min() - margin, (chunks.max() + margin).with_z(1))
}

/// Paint words by tile number; air has none.
struct Words {
    table: Vec<Option<u32>>,
    others: BTreeMap<u32, Option<u32>>,
}

impl Words {
    fn new(loaded: &Loaded) -> Self {
        let mut words = Self { table: vec![None; TABLE], others: BTreeMap::new() };
        for (id, name) in &loaded.names.list {
            let color = Some(name).filter(|name| !is_space(name)).and_then(|name| loaded.colors.color_of(name));
            let word = color.map(|color| Paint::new(color).to_word());
            match words.table.get_mut(*id as usize) {
                Some(slot) => *slot = word,
                None => _ = words.others.insert(*id, word),
            }
        }
        words
    }

    fn of(&self, id: u32) -> Option<u32> {
        self.table.get(id as usize).copied().unwrap_or_else(|| self.others.get(&id).copied().flatten())
    }
}

/// Bytes that a store chunk with a floor takes while it is read: 10.7 KB were measured, of 300,000 of them, and up to 12
/// bytes a tile that has a variant.
const CHUNK_BYTES: u64 = 23 << 10;
/// Below, nobody counts.
const LITTLE: u64 = 64 << 20;

/// Memory that the floors will take. A few tiles, far from each other, take as much as whole chunks.
pub(super) fn memory_needed(loaded: &Loaded) -> u64 {
    let edge = CHUNK_EDGE as i64;
    let chunks = || loaded.index.grids.iter().zip(&loaded.tiles).map(|(of, tiles)| of.chunks.chunks.iter().zip(tiles));
    let corner = |at: [i32; 2], size: u32| at.map(|at| i64::from(at) * i64::from(size));
    let side = |from: i64, size: u32| ((from + i64::from(size) - 1).div_euclid(edge) - from.div_euclid(edge)).unsigned_abs() + 1;
    let reach = |at: [i32; 2], size: u32| corner(at, size).map(|from| side(from, size)).iter().product::<u64>();
    let most = chunks().flatten().map(|(chunk, tiles)| reach(chunk.at, tiles.size)).sum::<u64>().saturating_mul(CHUNK_BYTES);
    if most < LITTLE {
        return most;
    }
    let (words, mut count) = (Words::new(loaded), 0);
    for grid in chunks() {
        let (mut seen, mut last) = (BTreeSet::new(), None);
        for (chunk, tiles) in grid {
            let [x, y] = corner(chunk.at, tiles.size);
            for (id, index) in tiles.ids().zip(0..) {
                let place = loaded.order.place(index, tiles.size).map(i64::from);
                let pos = [(x + place[0]).div_euclid(edge), (y + place[1]).div_euclid(edge)];
                if last != Some(pos) && words.of(id).is_some() {
                    seen.insert(pos);
                    last = Some(pos);
                }
            }
        }
        count += seen.len() as u64;
    }
    count.saturating_mul(CHUNK_BYTES)
}

/// Tiles of one store chunk: the voxels at height 0.
struct Area {
    solid: [ColumnMask; CHUNK_COLUMNS],
    words: [u32; CHUNK_COLUMNS],
    /// Flags, variant and turn.
    rests: [[u8; 3]; CHUNK_COLUMNS],
}

fn volume(loaded: &Loaded, words: &Words, grid: usize) -> Option<Volume> {
    let (of, tiles) = (loaded.index.grids.get(grid)?, loaded.tiles.get(grid)?);
    let mut areas: BTreeMap<ChunkPos, Box<Area>> = BTreeMap::new();
    let mut occupied: Option<Region> = None;
    for (chunk, tiles) in of.chunks.chunks.iter().zip(tiles) {
        // Far below the largest integer: `Loaded` has checked how far chunks reach.
        let size = i32::try_from(tiles.size).ok()?;
        let origin = chunk.at.map(|at| at * size);
        let corner = |by: i32| voxel_of(origin.map(|at| at + by));
        let region = Region::between(corner(0), corner(size - 1));
        occupied = Some(occupied.map_or(region, |all| all.union(&region)));
        let mut current: Option<(ChunkPos, &mut Area)> = None;
        for ((id, rest), index) in tiles.all().zip(0..) {
            let Some(word) = words.of(id) else { continue };
            let [x, y] = loaded.order.place(index, tiles.size);
            let voxel = voxel_of([origin[0] + x, origin[1] + y]);
            let pos = ChunkPos::of(voxel);
            if current.as_ref().is_none_or(|(at, _)| *at != pos) {
                let empty = || Box::new(Area { solid: [0; CHUNK_COLUMNS], words: [0; CHUNK_COLUMNS], rests: [[0; 3]; CHUNK_COLUMNS] });
                current = Some((pos, areas.entry(pos).or_insert_with(empty)));
            }
            let edge = CHUNK_EDGE as i32 - 1;
            let column = ((voxel.y & edge) * CHUNK_EDGE as i32 + (voxel.x & edge)) as usize;
            if let Some((_, area)) = &mut current
                && let (Some(solid), Some(slot), Some(kept)) =
                    (area.solid.get_mut(column), area.words.get_mut(column), area.rests.get_mut(column))
            {
                (*solid, *slot, *kept) = (1, word, rest);
            }
        }
    }
    let mut store = Store::new(bounds_around(occupied));
    for (pos, area) in areas {
        let known = area.solid.iter().zip(&area.words).filter(|(solid, _)| **solid != 0).map(|(_, word)| *word).collect();
        // One voxel a column.
        let tile_of = |index: u16| area.rests.get(usize::from(index) / CHUNK_EDGE).copied();
        let chunk = Chunk::from_columns(&area.solid, &area.solid, known);
        let chunk = chunk.map(|chunk| chunk.with_extras(|index| Extra { tile: tile_of(index), ..Extra::default() }));
        store.put_chunk(pos, chunk.map(Arc::new));
    }
    let [x, y] = of.position;
    let placement = Placement { world: of.parent, position: [x, -y], rotation: -of.rotation };
    Some(Volume { name: of.name.clone(), uid: of.uid, offset: IVec3::ZERO, placement, store })
}

/// Entities that stand on a grid, in the order of the file: what an object's id counts, from 1.
pub(super) fn placed(loaded: &Loaded) -> impl Iterator<Item = (ObjectId, usize)> + '_ {
    let placed = loaded.index.entities.iter().enumerate().filter(|(_, entity)| entity.has_transform && entity.grid.is_some());
    (1..).map(ObjectId).zip(placed.map(|(index, _)| index))
}

/// A marker for every entity that stands on a grid, in voxels of that grid.
pub(super) fn objects(loaded: &Loaded) -> Objects {
    let roles: Vec<MarkerRole> = loaded.index.protos.iter().map(|proto| role::of_prototype(proto)).collect();
    let unnamed: Arc<str> = "".into();
    let markers = placed(loaded).filter_map(|(id, index)| {
        let entity = loaded.index.entities.get(index)?;
        let (volume, at) = (entity.grid?, voxel_of(entity.tile));
        let label = loaded.index.protos.get(entity.proto as usize).unwrap_or(&unnamed).clone();
        let role = roles.get(entity.proto as usize).copied().unwrap_or_default();
        Some((id, Object::Marker { label, at: Anchor { x: at.x, y: at.y, z: Some(0) }, role, volume }))
    });
    let mut all = Vec::with_capacity(loaded.index.entities.len());
    all.extend(markers);
    all.into_iter().collect()
}
