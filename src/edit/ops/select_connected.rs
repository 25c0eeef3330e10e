//! Selecting what hangs together: the wand, whole structures, and surfaces.

use std::collections::{BTreeMap, VecDeque};

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::select::combined;
use crate::document::{Combine, Progress, Selection, Snapshot};
use crate::edit::mask::heights;
use crate::edit::{Change, EditError, Note};
use crate::geom::{Face, Region, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkMask, ChunkPos, ColumnMask, Neighborhood, Outside, Rgb, Store, VoxelMask};

/// The map's sides and what is below it hide nothing; the sky lies open.
const HIDDEN: Outside = Outside { solid_sides: true, solid_below: true };

/// What makes neighbours belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Connection {
    /// Solid voxels of about the color of the first.
    #[default]
    Color,
    /// Solid voxels, the floor not among them.
    Solid,
    /// Solid voxels whose side to the same direction is open, whatever their color.
    Surface,
}

/// Selects the voxels that are connected with the one at `at`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectConnected {
    /// Where it begins: a solid voxel.
    pub at: VoxelPos,
    /// What belongs together.
    #[serde(default)]
    pub by: Connection,
    /// How far red, green and blue may each lie from the first voxel's; for `color`.
    #[serde(default)]
    pub tolerance: u8,
    /// The side that is open; for `surface`.
    #[serde(default = "top")]
    pub face: Face,
    /// Whether voxels that share only an edge are connected as well.
    #[serde(default)]
    pub edges: bool,
    /// Largest z that is reached, so that a structure can be had without the ground that it stands on.
    #[serde(default)]
    pub lowest: Option<i32>,
    /// More voxels than this are an error.
    #[serde(default = "many")]
    pub limit: u64,
    /// How they join what is selected.
    #[serde(default, skip_serializing_if = "Combine::is_replace")]
    pub combine: Combine,
}

fn top() -> Face {
    Face::MinusZ
}

fn many() -> u64 {
    1 << 26
}

impl SelectConnected {
    /// What it takes to select from a place in the default way.
    pub fn new(at: VoxelPos, by: Connection) -> Self {
        Self { at, by, tolerance: 0, face: top(), edges: false, lowest: None, limit: many(), combine: Combine::Replace }
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let found = self.found(snapshot, progress)?;
        let label = match self.by {
            Connection::Color => "Select connected",
            Connection::Solid => "Select structure",
            Connection::Surface => "Select surface",
        };
        let is_none = found.is_empty();
        let mut change = combined(snapshot, self.combine, Selection::of_mask(found), label);
        if is_none {
            change.notes.push(Note::NothingThere { at: self.at, air: false });
        }
        Ok(change)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        // A surface of a whole map, or its solid voxels by columns.
        self.limit.min(1 << 20)
    }

    /// The voxels that are connected.
    ///
    /// # Errors
    /// If the place is outside the map, they are more than the limit, or it was cancelled.
    pub fn found(&self, snapshot: &Snapshot, progress: &Progress) -> Result<VoxelMask, EditError> {
        let (found, is_all) = self.nearest(snapshot, self.limit, progress)?;
        let number = |count| i64::try_from(count).unwrap_or(i64::MAX);
        let (max, count) = (number(self.limit), number(found.count()));
        let too_many = || EditError::OutOfRange { what: "connected voxels", min: 0, max, found: count };
        is_all.then_some(found).ok_or_else(too_many)
    }

    /// The voxels that are connected, or about so many of the nearest where they are more; and whether they are all.
    ///
    /// # Errors
    /// If the place is outside the map, or it was cancelled.
    pub fn nearest(&self, snapshot: &Snapshot, most: u64, progress: &Progress) -> Result<(VoxelMask, bool), EditError> {
        if !snapshot.bounds().contains(self.at) {
            return Err(EditError::OutsideMap);
        }
        let reach = self.reach(snapshot);
        let mut flood =
            Flood { op: self, store: snapshot.store(), reach, first: color_of(snapshot.store(), self.at), chunks: BTreeMap::new() };
        let (chunk_pos, within) = (ChunkPos::of(self.at), self.at - ChunkPos::of(self.at).origin());
        let mut queue = VecDeque::from([(chunk_pos, within.y as usize * CHUNK_EDGE + within.x as usize, 1 << within.z)]);
        let (mut count, mut steps) = (0_u64, 0_u64);
        while let Some((pos, column, bits)) = queue.pop_front() {
            let fresh = flood.arrive(pos, column, bits);
            if fresh == 0 {
                continue;
            }
            count += u64::from(fresh.count_ones());
            if count > most {
                break;
            }
            steps += 1;
            if steps % 256 == 0 {
                progress.check()?;
            }
            self.spread(pos, column, fresh, &mut |pos, column, bits| queue.push_back((pos, column, bits)));
        }
        Ok((VoxelMask::of_chunks(flood.chunks.into_iter().map(|(pos, chunk)| (pos, *chunk.reached))), count <= most))
    }

    /// The box that it does not leave.
    fn reach(&self, snapshot: &Snapshot) -> Region {
        let bounds = snapshot.bounds();
        let all = if self.by == Connection::Solid { snapshot.above_floor(&bounds) } else { bounds };
        let below = self.lowest.map_or(all.max().z, |lowest| lowest.saturating_add(1)).clamp(all.min().z, all.max().z);
        Region::new(all.min(), all.max().with_z(below))
    }

    /// Where newly reached voxels of a column lead to: the columns beside it and the chunks above and below.
    fn spread(&self, pos: ChunkPos, column: usize, fresh: ColumnMask, push: &mut impl FnMut(ChunkPos, usize, ColumnMask)) {
        let last = CHUNK_EDGE - 1;
        let mut to = |x: i32, y: i32, bits: ColumnMask, diagonal: bool| {
            let (step, beside) = neighbor(column, x, y);
            let target = ChunkPos(pos.0 + step);
            let above_and_below = if diagonal { (bits & 1, bits >> last) } else { (0, 0) };
            push(target, beside, if diagonal { bits | bits << 1 | bits >> 1 } else { bits });
            if above_and_below.0 != 0 {
                push(ChunkPos(target.0 - IVec3::Z), beside, 1 << last);
            }
            if above_and_below.1 != 0 {
                push(ChunkPos(target.0 + IVec3::Z), beside, 1);
            }
        };
        for (x, y) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            to(x, y, fresh, self.edges);
        }
        if self.edges {
            for (x, y) in [(1, 1), (-1, 1), (1, -1), (-1, -1)] {
                to(x, y, fresh, false);
            }
        }
        if fresh & 1 != 0 {
            push(ChunkPos(pos.0 - IVec3::Z), column, 1 << last);
        }
        if fresh >> last != 0 {
            push(ChunkPos(pos.0 + IVec3::Z), column, 1);
        }
    }
}

struct Flood<'a> {
    op: &'a SelectConnected,
    store: &'a Store,
    reach: Region,
    first: Option<Rgb>,
    chunks: BTreeMap<ChunkPos, FloodChunk>,
}

struct FloodChunk {
    candidates: Box<ChunkMask>,
    reached: Box<ChunkMask>,
}

impl Flood<'_> {
    /// Reaches these voxels of a column and all that hang together with them in it; answers the new ones.
    fn arrive(&mut self, pos: ChunkPos, column: usize, bits: ColumnMask) -> ColumnMask {
        if !self.chunks.contains_key(&pos) {
            let chunk = FloodChunk { candidates: Box::new(self.candidates(pos)), reached: Box::new([0; CHUNK_COLUMNS]) };
            self.chunks.insert(pos, chunk);
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

    /// The voxels of a chunk that may belong to it.
    fn candidates(&self, pos: ChunkPos) -> ChunkMask {
        let mut masks = crate::edit::mask::region_in_chunk(&self.reach, pos);
        let Some(chunk) = self.store.chunk(pos) else { return [0; CHUNK_COLUMNS] };
        let around = (self.op.by == Connection::Surface).then(|| Neighborhood::gather(self.store, pos, HIDDEN));
        for (column, (mask, solid)) in masks.iter_mut().zip(chunk.solid()).enumerate() {
            *mask &= solid;
            match &around {
                Some(around) => *mask &= !around.sides(column)[self.op.face as usize],
                None if self.op.by == Connection::Color => {
                    for z in heights(*mask) {
                        if !is_near(chunk.paint(column, z).map(|paint| paint.rgb), self.first, self.op.tolerance) {
                            *mask &= !(1 << z);
                        }
                    }
                }
                None => {}
            }
        }
        masks
    }
}

fn color_of(store: &Store, pos: VoxelPos) -> Option<Rgb> {
    store.paint(pos).map(|paint| paint.rgb)
}

/// Unknown colors are like one another.
fn is_near(found: Option<Rgb>, wanted: Option<Rgb>, tolerance: u8) -> bool {
    match (found, wanted) {
        (Some(found), Some(wanted)) => found.is_near(wanted, tolerance),
        (found, wanted) => found == wanted,
    }
}

/// The column beside a column of a chunk: in which chunk, and its index there.
fn neighbor(column: usize, step_x: i32, step_y: i32) -> (IVec3, usize) {
    let edge = CHUNK_EDGE as i32;
    let (x, y) = ((column % CHUNK_EDGE) as i32 + step_x, (column / CHUNK_EDGE) as i32 + step_y);
    let step = IVec3::new(x.div_euclid(edge), y.div_euclid(edge), 0);
    (step, (y.rem_euclid(edge) * edge + x.rem_euclid(edge)) as usize)
}
