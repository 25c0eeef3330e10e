//! Filling what is connected: the visible voxels of one colour around a place.

use std::collections::{BTreeMap, VecDeque};

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::fill::white;
use crate::document::{Progress, Snapshot};
use crate::edit::mask::{ChunkMask, heights, voxel_at};
use crate::edit::{Change, Draft, EditError, MaskFilter, Mode, VoxelMask};
use crate::geom::{Face, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, ColumnMask, Outside, Rgb, Store, surface_of_chunk};

/// Edits the visible voxels of one colour that are connected with the one at `at`.
///
/// `paint` (and `set`) recolours them, `remove` removes them, `add` lays one layer over their `face`
/// where there is air.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillConnected {
    /// Where it begins: a solid voxel that can be seen.
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
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let images = self.images(snapshot);
        if images.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let mut draft = Draft::new(snapshot);
        let (mode, label) = match self.mode {
            Mode::Paint | Mode::Set => (Mode::Paint, "Paint connected"),
            Mode::Remove => (Mode::Remove, "Remove connected"),
            Mode::Add => (Mode::Add, "Cover connected"),
        };
        for op in images {
            let connected = op.connected(snapshot.store(), op.limit, progress)?;
            let meant = if mode == Mode::Add { op.layer(&connected, snapshot) } else { connected };
            draft.fill_mask(&meant, op.color, mode, progress)?;
        }
        draft.finish_with(label, progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        // The surface of a whole map, at most.
        self.limit.min(1 << 20)
    }

    /// The voxels that it would edit, each once; `None` where they are more than `most`.
    ///
    /// # Cost
    /// That of the flood, which gives up at the limit.
    pub fn preview(&self, snapshot: &Snapshot, most: u64) -> Option<Vec<VoxelPos>> {
        let mut edited = VoxelMask::default();
        for op in self.images(snapshot) {
            let connected = op.connected(snapshot.store(), op.limit.min(most), &Progress::new()).ok()?;
            edited.add(&if op.mode == Mode::Add { op.layer(&connected, snapshot) } else { connected });
        }
        let (store, floor, filter) = (snapshot.store(), snapshot.floor_z(), MaskFilter::new(snapshot));
        let changes = |pos: &VoxelPos| match self.mode {
            Mode::Add => !store.is_solid(*pos),
            Mode::Remove => floor != Some(pos.z),
            Mode::Paint | Mode::Set => true,
        };
        let allowed = |pos: &VoxelPos| filter.as_ref().is_none_or(|filter| filter.allows(*pos));
        Some(edited.positions().filter(changes).filter(allowed).collect())
    }

    /// The fill at each image that begins within the map.
    fn images(&self, snapshot: &Snapshot) -> Vec<Self> {
        let images = self.mode.ordered(&snapshot.symmetry).into_iter();
        let images = images.map(|image| Self {
            at: image.voxel(self.at),
            face: image.face(self.face),
            color: image.color(self.color),
            ..self.clone()
        });
        images.filter(|op| snapshot.bounds().contains(op.at)).collect()
    }

    /// One layer over the face of what is connected.
    fn layer(&self, connected: &VoxelMask, snapshot: &Snapshot) -> VoxelMask {
        let (bounds, step) = (snapshot.bounds(), self.face.normal());
        let mut layer = VoxelMask::default();
        connected.positions().map(|pos| pos + step).filter(|pos| bounds.contains(*pos)).for_each(|pos| layer.insert(pos));
        layer
    }

    /// The flood, a column of a chunk at a time.
    fn connected(&self, store: &Store, limit: u64, progress: &Progress) -> Result<VoxelMask, EditError> {
        let mut flood =
            Flood { store, color: store.paint(self.at).map(|paint| paint.rgb), tolerance: self.tolerance, chunks: BTreeMap::new() };
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
                let number = |count| i64::try_from(count).unwrap_or(i64::MAX);
                return Err(EditError::OutOfRange { what: "connected voxels", min: 0, max: number(limit), found: number(count) });
            }
            progress.check()?;
            self.spread(pos, column, fresh, &mut |pos, column, bits| queue.push_back((pos, column, bits)));
        }
        let mut connected = VoxelMask::default();
        for (pos, chunk) in flood.chunks {
            connected.add_chunk(pos, &chunk.reached);
        }
        Ok(connected)
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

struct Flood<'a> {
    store: &'a Store,
    color: Option<Rgb>,
    tolerance: u8,
    chunks: BTreeMap<ChunkPos, FloodChunk>,
}

struct FloodChunk {
    /// Visible and of the colour.
    candidates: Box<ChunkMask>,
    reached: Box<ChunkMask>,
}

impl Flood<'_> {
    /// Reaches these voxels of a column and all that hang together with them in it; answers the new ones.
    fn reach(&mut self, pos: ChunkPos, column: usize, bits: ColumnMask) -> ColumnMask {
        let (store, color, tolerance) = (self.store, self.color, self.tolerance);
        let chunk = self.chunks.entry(pos).or_insert_with(|| FloodChunk {
            candidates: Box::new(candidates(store, pos, color, tolerance)),
            reached: Box::new([0; CHUNK_COLUMNS]),
        });
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
}

/// The visible voxels of a chunk whose colour is near enough.
fn candidates(store: &Store, pos: ChunkPos, color: Option<Rgb>, tolerance: u8) -> ChunkMask {
    let mut masks = [0; CHUNK_COLUMNS];
    let Some(chunk) = store.chunk(pos) else { return masks };
    let surface = surface_of_chunk(store, pos, Outside::GAME);
    for (column, (mask, &seen)) in masks.iter_mut().zip(&surface).enumerate() {
        for z in heights(seen) {
            let found = chunk.paint(column, z).map(|paint| paint.rgb);
            if is_near(found, color, tolerance) {
                *mask |= 1 << z;
            }
        }
    }
    masks
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
