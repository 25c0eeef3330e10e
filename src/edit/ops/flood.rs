//! Filling what is connected: a color, a surface, a solid or the air around a place; or a color wherever it is.

use std::collections::{BTreeMap, VecDeque};

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::fill::white;
use super::styled::Layer;
use crate::document::{Image, Progress, Snapshot};
use crate::edit::mask::{ChunkMask, heights, region_in_chunk, voxel_at};
use crate::edit::{Change, Draft, EditError, MaskFilter, Mode, Note, VoxelMask};
use crate::geom::{Face, Region, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, ColumnMask, Outside, Rgb, Store, surface_of_chunk};

/// Which voxels a fill takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FillReach {
    /// The visible voxels of one color that are connected.
    #[default]
    Color,
    /// The visible voxels that are connected, whatever their color.
    Surface,
    /// All solid voxels that are connected, hidden ones as well; the floor connects nothing.
    Solid,
    /// The visible voxels of one color in the whole map.
    Everywhere,
    /// The air that is enclosed.
    Air,
}

impl FillReach {
    /// All of them, in the order of the list.
    pub const ALL: [Self; 5] = [Self::Color, Self::Surface, Self::Solid, Self::Everywhere, Self::Air];

    /// Name in the list.
    pub fn label(self) -> &'static str {
        match self {
            Self::Color => "Color",
            Self::Surface => "Surface",
            Self::Solid => "Solid",
            Self::Everywhere => "Everywhere",
            Self::Air => "Air",
        }
    }
}

/// What an edit would take, as far as it was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The voxels, each once.
    pub voxels: Vec<VoxelPos>,
    /// Whether there are no more.
    pub is_all: bool,
}

/// Edits what is connected with the voxel at `at`; `reach` says in what way.
///
/// `paint` (and `set`) recolours it, `remove` removes it, `add` lays one layer over its `face` where there is air.
/// Enclosed air is filled by `add` and `set`; `paint` colors its walls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillConnected {
    /// Where it begins: a solid voxel that can be seen, or air where air is filled.
    pub at: VoxelPos,
    /// The new colour; not used by `remove`.
    #[serde(default = "white")]
    pub color: Rgb,
    /// What happens to them.
    #[serde(default = "paint")]
    pub mode: Mode,
    /// The side that `add` lays its layer on.
    #[serde(default = "top")]
    pub face: Face,
    /// How far red, green and blue may each lie from the first voxel's.
    #[serde(default)]
    pub tolerance: u8,
    /// Whether voxels that share only an edge are connected as well, so that it climbs steps.
    #[serde(default)]
    pub edges: bool,
    /// More connected voxels than this are an error.
    #[serde(default = "many")]
    pub limit: u64,
    /// Which voxels it takes.
    #[serde(default, skip_serializing_if = "is_color")]
    pub reach: FillReach,
}

fn is_color(reach: &FillReach) -> bool {
    *reach == FillReach::Color
}

fn paint() -> Mode {
    Mode::Paint
}

fn top() -> Face {
    Face::MinusZ
}

fn many() -> u64 {
    1 << 26
}

impl FillConnected {
    /// A fill at a place, with all else as usual.
    pub fn new(at: VoxelPos, color: Rgb) -> Self {
        Self { at, color, mode: paint(), face: top(), tolerance: 0, edges: false, limit: many(), reach: FillReach::Color }
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let images = self.images(snapshot);
        if images.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let mut draft = Draft::new(snapshot);
        let mut is_none = true;
        for (_, op) in images {
            let meant = op.meant(snapshot, op.limit, progress)?;
            is_none &= meant.is_empty();
            draft.fill_mask(&meant, op.color, self.effect(), progress)?;
        }
        let mut change = draft.finish_with(self.label(), progress)?;
        if is_none {
            change.notes.push(Note::NothingThere { at: self.at, air: self.reach == FillReach::Air });
        }
        Ok(change)
    }

    /// What it does, as a person reads it.
    pub(in crate::edit) fn label(&self) -> &'static str {
        match (self.mode, self.reach) {
            (Mode::Add | Mode::Set, FillReach::Air) => "Fill air",
            (Mode::Paint, FillReach::Air) => "Paint walls",
            (Mode::Paint | Mode::Set, FillReach::Everywhere) => "Paint everywhere",
            (Mode::Remove, FillReach::Everywhere) => "Remove everywhere",
            (Mode::Add, FillReach::Everywhere) => "Cover everywhere",
            (Mode::Paint | Mode::Set, _) => "Paint connected",
            (Mode::Remove, _) => "Remove connected",
            (Mode::Add, _) => "Cover connected",
        }
    }

    /// What happens to the voxels that it means.
    pub fn effect(&self) -> Mode {
        match (self.mode, self.reach) {
            (Mode::Set, FillReach::Air) => Mode::Add,
            (Mode::Set, _) => Mode::Paint,
            (mode, _) => mode,
        }
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        // The surface of a whole map, at most.
        self.limit.min(1 << 20)
    }

    /// The voxels that it would edit, each once; where they are more than `most`, about as many of the nearest. `None`
    /// where it edits none, as air that is not enclosed.
    ///
    /// # Cost
    /// That of the flood, which ends there.
    pub fn preview(&self, snapshot: &Snapshot, most: u64) -> Option<Found> {
        let (mut edited, mut is_all) = (VoxelMask::default(), true);
        let most = most / MaskFilter::slowness(snapshot);
        for (_, op) in self.images(snapshot) {
            let (mask, is_whole) = op.meant_nearest(snapshot, op.limit.min(most), &Progress::new()).ok()?;
            edited.add(&mask);
            is_all &= is_whole;
        }
        let (store, floor, filter) = (snapshot.store(), snapshot.floor_z(), MaskFilter::new(snapshot));
        let changes = |pos: &VoxelPos| match self.effect() {
            Mode::Add => !store.is_solid(*pos),
            Mode::Remove => store.is_solid(*pos) && floor != Some(pos.z),
            Mode::Paint | Mode::Set => true,
        };
        let allowed = |pos: &VoxelPos| filter.as_ref().is_none_or(|filter| filter.allows(*pos));
        Some(Found { voxels: edited.positions().filter(changes).filter(allowed).collect(), is_all })
    }

    /// The fill at each image that begins within the map.
    fn images<'a>(&self, snapshot: &'a Snapshot) -> Vec<(Image<'a>, Self)> {
        // The whole map has no other half.
        let fits = |image: &Image<'_>| self.reach != FillReach::Everywhere || image.is_original();
        let images = self.mode.ordered(&snapshot.symmetry).into_iter().filter(fits);
        let imaged = |image: Image<'a>| {
            let op = Self { at: image.voxel(self.at), face: image.face(self.face), color: image.color(self.color), ..self.clone() };
            (image, op)
        };
        images.map(imaged).filter(|(_, op)| snapshot.bounds().contains(op.at)).collect()
    }

    /// What is edited at each image that begins within the map.
    pub(super) fn layers<'a>(&self, snapshot: &'a Snapshot, progress: &Progress) -> Result<Vec<Layer<'a>>, EditError> {
        let images = self.images(snapshot);
        if images.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let layer = |(image, op): (Image<'a>, Self)| {
            let mask = op.meant(snapshot, op.limit, progress)?;
            let covered = mask.positions().fold(Region::EMPTY, |all, pos| all.union(&Region::between(pos, pos)));
            Ok(Layer { area: image.transform.inverse().region(&covered), image, mask })
        };
        images.into_iter().map(layer).collect()
    }

    /// The voxels that are edited, those that stay as they are included.
    fn meant(&self, snapshot: &Snapshot, limit: u64, progress: &Progress) -> Result<VoxelMask, EditError> {
        let (meant, is_all) = self.meant_nearest(snapshot, limit, progress)?;
        let number = |count| i64::try_from(count).unwrap_or(i64::MAX);
        let found = number(meant.count().max(limit.saturating_add(1)));
        let too_many = || EditError::OutOfRange { what: "connected voxels", min: 0, max: number(limit), found };
        is_all.then_some(meant).ok_or_else(too_many)
    }

    /// The same, or the first that were found where they are more than the limit; and whether they are all.
    fn meant_nearest(&self, snapshot: &Snapshot, limit: u64, progress: &Progress) -> Result<(VoxelMask, bool), EditError> {
        let (connected, is_all) = match self.reach {
            FillReach::Everywhere => self.everywhere(snapshot, limit, progress)?,
            _ => self.connected(snapshot, limit, progress)?,
        };
        let meant = match (self.mode, self.reach) {
            (Mode::Paint, FillReach::Air) => walls(&connected, snapshot),
            (Mode::Add, reach) if reach != FillReach::Air => self.layer(&connected, snapshot),
            _ => connected,
        };
        Ok((meant, is_all))
    }

    /// All visible voxels of the color; the nearest first.
    fn everywhere(&self, snapshot: &Snapshot, limit: u64, progress: &Progress) -> Result<(VoxelMask, bool), EditError> {
        if !snapshot.store().is_solid(self.at) {
            return Ok((VoxelMask::default(), true));
        }
        let flood = self.flood(snapshot);
        let (mut found, mut count) = (VoxelMask::default(), 0_u64);
        let mut chunks: Vec<_> = snapshot.store().chunks().map(|(pos, _)| pos).collect();
        let middle = ChunkPos::of(self.at);
        chunks.sort_by_key(|pos| (pos.0 - middle.0).length_squared());
        for (done, pos) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            if count > limit {
                return Ok((found, false));
            }
            let candidates = flood.candidates(*pos);
            count += candidates.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>();
            found.add_chunk(*pos, &candidates);
        }
        Ok((found, count <= limit))
    }

    fn flood<'a>(&self, snapshot: &'a Snapshot) -> Flood<'a> {
        let store = snapshot.store();
        let color = store.paint(self.at).map(|paint| paint.rgb);
        Flood { store, reach: self.reach, color, tolerance: self.tolerance, floor: snapshot.floor_z(), chunks: BTreeMap::new() }
    }

    /// One layer over the face of what is connected.
    fn layer(&self, connected: &VoxelMask, snapshot: &Snapshot) -> VoxelMask {
        let (bounds, step) = (snapshot.bounds(), self.face.normal());
        let mut layer = VoxelMask::default();
        connected.positions().map(|pos| pos + step).filter(|pos| bounds.contains(*pos)).for_each(|pos| layer.insert(pos));
        layer
    }

    /// The flood, a column of a chunk at a time.
    fn connected(&self, snapshot: &Snapshot, limit: u64, progress: &Progress) -> Result<(VoxelMask, bool), EditError> {
        let (mut flood, bounds) = (self.flood(snapshot), snapshot.bounds());
        let (mut queue, mut count) = (VecDeque::new(), 0_u64);
        let (chunk_pos, column, z) = split(self.at);
        queue.push_back((chunk_pos, column, 1 << z));
        while let Some((pos, column, bits)) = queue.pop_front() {
            let fresh = flood.reach(pos, column, bits);
            if fresh == 0 {
                continue;
            }
            count += u64::from(fresh.count_ones());
            if count > limit {
                break;
            }
            if self.reach == FillReach::Air && is_open(&bounds, pos, column, fresh) {
                return Err(EditError::NotEnclosed);
            }
            progress.check()?;
            self.spread(pos, column, fresh, &mut |pos, column, bits| queue.push_back((pos, column, bits)));
        }
        let mut connected = VoxelMask::default();
        for (pos, chunk) in flood.chunks {
            connected.add_chunk(pos, &chunk.reached);
        }
        Ok((connected, count <= limit))
    }

    /// Where newly reached voxels of a column lead to: the columns beside it and the chunks above and below.
    fn spread(&self, pos: ChunkPos, column: usize, fresh: ColumnMask, push: &mut impl FnMut(ChunkPos, usize, ColumnMask)) {
        let (top, bottom) = (fresh & 1, fresh >> (CHUNK_EDGE - 1));
        let (over, under) = (ChunkPos(pos.0 - IVec3::Z), ChunkPos(pos.0 + IVec3::Z));
        if top != 0 {
            push(over, column, 1 << (CHUNK_EDGE - 1));
        }
        if bottom != 0 {
            push(under, column, 1);
        }
        for (x, y) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let (step, beside) = neighbor(column, x, y);
            if self.edges {
                push(ChunkPos(pos.0 + step), beside, fresh | fresh << 1 | fresh >> 1);
                if top != 0 {
                    push(ChunkPos(over.0 + step), beside, 1 << (CHUNK_EDGE - 1));
                }
                if bottom != 0 {
                    push(ChunkPos(under.0 + step), beside, 1);
                }
            } else {
                push(ChunkPos(pos.0 + step), beside, fresh);
            }
        }
        if self.edges {
            for (x, y) in [(1, 1), (-1, 1), (1, -1), (-1, -1)] {
                let (step, beside) = neighbor(column, x, y);
                push(ChunkPos(pos.0 + step), beside, fresh);
            }
        }
    }
}

/// Whether some voxels of a column lie at the top or at a side of the map.
fn is_open(bounds: &Region, pos: ChunkPos, column: usize, bits: ColumnMask) -> bool {
    let inner = Region::new(bounds.min() + 1, (bounds.max() - 1).with_z(bounds.max().z));
    heights(bits).any(|z| !inner.contains(voxel_at(pos, column, z)))
}

/// The solid voxels beside some air.
fn walls(air: &VoxelMask, snapshot: &Snapshot) -> VoxelMask {
    let mut walls = VoxelMask::default();
    let beside = air.positions().flat_map(|pos| Face::ALL.map(|face| pos + face.normal()));
    beside.filter(|pos| snapshot.store().is_solid(*pos)).for_each(|pos| walls.insert(pos));
    walls
}

struct Flood<'a> {
    store: &'a Store,
    reach: FillReach,
    color: Option<Rgb>,
    tolerance: u8,
    floor: Option<i32>,
    chunks: BTreeMap<ChunkPos, FloodChunk>,
}

struct FloodChunk {
    /// What may be reached.
    candidates: Box<ChunkMask>,
    reached: Box<ChunkMask>,
}

impl Flood<'_> {
    /// Reaches these voxels of a column and all that hang together with them in it; answers the new ones.
    fn reach(&mut self, pos: ChunkPos, column: usize, bits: ColumnMask) -> ColumnMask {
        if !self.chunks.contains_key(&pos) {
            let candidates = Box::new(self.candidates(pos));
            self.chunks.insert(pos, FloodChunk { candidates, reached: Box::new([0; CHUNK_COLUMNS]) });
        }
        let Some(chunk) = self.chunks.get_mut(&pos) else { return 0 };
        let (Some(candidates), Some(reached)) = (chunk.candidates.get(column), chunk.reached.get_mut(column)) else { return 0 };
        let open = candidates & !*reached;
        let mut fresh = bits & open;
        loop {
            let grown = (fresh | fresh << 1 | fresh >> 1) & open;
            if grown == fresh {
                break;
            }
            fresh = grown;
        }
        *reached |= fresh;
        fresh
    }

    /// The voxels of a chunk that may be taken.
    fn candidates(&self, pos: ChunkPos) -> ChunkMask {
        let nothing = [0; CHUNK_COLUMNS];
        let solid = self.store.chunk(pos).map_or(&nothing, |chunk| chunk.solid());
        let mut masks = match self.reach {
            FillReach::Air => {
                let mut air = region_in_chunk(&self.store.bounds(), pos);
                air.iter_mut().zip(solid).for_each(|(air, solid)| *air &= !solid);
                return air;
            }
            FillReach::Solid => {
                let bounds = self.store.bounds();
                let above = Region::new(bounds.min(), bounds.max().with_z(self.floor.unwrap_or(bounds.max().z)));
                let mut found = region_in_chunk(&above, pos);
                found.iter_mut().zip(solid).for_each(|(found, solid)| *found &= solid);
                return found;
            }
            FillReach::Color | FillReach::Surface | FillReach::Everywhere => surface_of_chunk(self.store, pos, Outside::GAME),
        };
        let Some(chunk) = self.store.chunk(pos) else { return nothing };
        if self.reach != FillReach::Surface {
            for (column, mask) in masks.iter_mut().enumerate() {
                let near = |z: &u32| is_near(chunk.paint(column, *z).map(|paint| paint.rgb), self.color, self.tolerance);
                *mask = heights(*mask).filter(near).fold(0, |all, z| all | 1 << z);
            }
        }
        masks
    }
}

fn is_near(found: Option<Rgb>, wanted: Option<Rgb>, tolerance: u8) -> bool {
    match (found, wanted) {
        (Some(found), Some(wanted)) => found.is_near(wanted, tolerance),
        (found, wanted) => found == wanted,
    }
}

fn split(pos: VoxelPos) -> (ChunkPos, usize, u32) {
    let chunk_pos = ChunkPos::of(pos);
    let within = pos - chunk_pos.origin();
    debug_assert_eq!(voxel_at(chunk_pos, within.y as usize * CHUNK_EDGE + within.x as usize, within.z as u32), pos);
    (chunk_pos, within.y as usize * CHUNK_EDGE + within.x as usize, within.z as u32)
}

/// The column beside a column of a chunk: in which chunk, and its index there.
fn neighbor(column: usize, step_x: i32, step_y: i32) -> (IVec3, usize) {
    let edge = CHUNK_EDGE as i32;
    let (x, y) = ((column % CHUNK_EDGE) as i32 + step_x, (column / CHUNK_EDGE) as i32 + step_y);
    let step = IVec3::new(x.div_euclid(edge), y.div_euclid(edge), 0);
    (step, (y.rem_euclid(edge) * edge + x.rem_euclid(edge)) as usize)
}
