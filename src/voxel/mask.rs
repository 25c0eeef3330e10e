//! Sets of voxels as bit masks, one block of column masks a chunk. Copies share the blocks that they have in common.

mod algebra;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use glam::IVec3;

use super::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, ColumnMask};
use crate::geom::raster::Footprint;
use crate::geom::{Region, Transform, VoxelPos};

/// Masks of the columns of one chunk, `[y * CHUNK_EDGE + x]`, bit z.
pub type ChunkMask = [ColumnMask; CHUNK_COLUMNS];

/// A set of voxels.
///
/// ```
/// use glam::IVec3;
/// use spadework::geom::Region;
/// use spadework::voxel::VoxelMask;
/// let region = Region::new(IVec3::new(30, 0, 0), IVec3::new(34, 1, 2));
/// let mask = VoxelMask::of_region(&region);
/// assert_eq!(mask.count(), 8);
/// assert!(mask.contains(IVec3::new(33, 0, 1)));
/// assert_eq!(mask.chunks().count(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct VoxelMask {
    // Invariant: no chunk is all zero.
    chunks: BTreeMap<ChunkPos, Arc<ChunkMask>>,
}

impl VoxelMask {
    /// Every voxel of a box.
    pub fn of_region(region: &Region) -> Self {
        Self { chunks: algebra::shared_region(region) }
    }

    /// Whether there is no voxel.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Number of voxels.
    pub fn count(&self) -> u64 {
        self.chunks.values().flat_map(|mask| mask.iter()).map(|column| u64::from(column.count_ones())).sum()
    }

    /// Whether the voxel is in the set.
    pub fn contains(&self, pos: VoxelPos) -> bool {
        let within = pos - ChunkPos::of(pos).origin();
        self.chunks
            .get(&ChunkPos::of(pos))
            .and_then(|mask| mask.get(within.y as usize * CHUNK_EDGE + within.x as usize))
            .is_some_and(|column| column >> within.z & 1 == 1)
    }

    /// Adds a voxel.
    pub fn insert(&mut self, pos: VoxelPos) {
        let within = pos - ChunkPos::of(pos).origin();
        if let Some(column) = self.chunk_mut(ChunkPos::of(pos)).get_mut(within.y as usize * CHUNK_EDGE + within.x as usize) {
            *column |= 1 << within.z;
        }
    }

    /// Adds every voxel of another set.
    pub fn add(&mut self, other: &Self) {
        for (pos, mask) in &other.chunks {
            self.add_chunk(*pos, mask);
        }
    }

    /// Adds the voxels of a mask in one chunk.
    pub fn add_chunk(&mut self, pos: ChunkPos, mask: &ChunkMask) {
        if mask.iter().any(|column| *column != 0) {
            self.chunk_mut(pos).iter_mut().zip(mask).for_each(|(own, more)| *own |= more);
        }
    }

    /// The chunks with a voxel in the set, in order, with their masks.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = (ChunkPos, &ChunkMask)> {
        self.chunks.iter().map(|(pos, mask)| (*pos, &**mask))
    }

    /// The voxels of another set that are not in this one; they are added to it.
    pub fn add_new(&mut self, other: &Self) -> Self {
        let mut fresh = Self::default();
        for (pos, mask) in &other.chunks {
            let own = self.chunks.get(pos);
            let mut new = **mask;
            if let Some(own) = own {
                new.iter_mut().zip(own.iter()).for_each(|(new, own)| *new &= !own);
            }
            fresh.add_chunk(*pos, &new);
            self.add_chunk(*pos, &new);
        }
        fresh
    }

    /// The voxels of the set that lie in a box.
    pub fn within(&self, region: &Region) -> Self {
        self.imaged(&Transform::IDENTITY, region)
    }

    /// Where the voxels go, as far as they end up in a box. The transform keeps heights.
    pub fn imaged(&self, transform: &Transform, within: &Region) -> Self {
        let mut imaged = Self::default();
        for (pos, mask) in &self.chunks {
            let bits = run_bits(within.min().z.saturating_sub(pos.origin().z)..within.max().z.saturating_sub(pos.origin().z));
            let image = transform.region(&pos.region());
            if *transform == Transform::IDENTITY && within.contains_region(&image) {
                imaged.add_chunk(*pos, mask);
                continue;
            }
            // A chunk comes to lie in four at most.
            let mut parts: Vec<(ChunkPos, ChunkMask)> = Vec::with_capacity(4);
            for (column, column_mask) in mask.iter().enumerate().filter(|(_, column)| **column & bits != 0) {
                let at = transform.voxel(voxel_at(*pos, column, 0));
                if within.columns().contains(at.x, at.y) {
                    let chunk_pos = ChunkPos::of(at);
                    let in_chunk = at - chunk_pos.origin();
                    let index = parts.iter().position(|(pos, _)| *pos == chunk_pos).unwrap_or_else(|| {
                        parts.push((chunk_pos, [0; CHUNK_COLUMNS]));
                        parts.len() - 1
                    });
                    parts[index].1[in_chunk.y as usize * CHUNK_EDGE + in_chunk.x as usize] |= column_mask & bits;
                }
            }
            parts.iter().for_each(|(pos, part)| imaged.add_chunk(*pos, part));
        }
        imaged
    }

    /// Every voxel, chunk by chunk.
    pub fn positions(&self) -> impl Iterator<Item = VoxelPos> + '_ {
        self.chunks().flat_map(|(pos, mask)| {
            mask.iter().enumerate().flat_map(move |(column, bits)| heights(*bits).map(move |z| voxel_at(pos, column, z)))
        })
    }

    /// Adds a brush's stamp within `bounds`; what was not in the set before goes to `fresh` as well.
    pub(crate) fn add_footprint(&mut self, footprint: &Footprint, center: VoxelPos, bounds: &Region, mut fresh: Option<&mut Self>) {
        let inside = footprint.region(center).intersection(bounds);
        for chunk_pos in ChunkPos::covering(&inside) {
            let origin = chunk_pos.origin();
            let part = chunk_pos.region().intersection(&inside);
            let mut stamp = [0; CHUNK_COLUMNS];
            let mut any = 0;
            for [x, y] in part.columns().columns() {
                let run = footprint.run(center, x, y);
                let bits = run_bits(run.start.max(part.min().z) - origin.z..run.end.min(part.max().z) - origin.z);
                stamp[(y - origin.y) as usize * CHUNK_EDGE + (x - origin.x) as usize] = bits;
                any |= bits;
            }
            if any == 0 {
                continue;
            }
            let own = self.chunk_mut(chunk_pos);
            for (own, stamp) in own.iter_mut().zip(&mut stamp) {
                let new = *stamp & !*own;
                *own |= new;
                *stamp = new;
            }
            if let Some(fresh) = fresh.as_mut() {
                fresh.add_chunk(chunk_pos, &stamp);
            }
        }
    }

    fn chunk_mut(&mut self, pos: ChunkPos) -> &mut ChunkMask {
        Arc::make_mut(self.chunks.entry(pos).or_insert_with(|| Arc::new([0; CHUNK_COLUMNS])))
    }
}

/// The part of a box that lies in a chunk, as a mask.
pub(crate) fn region_in_chunk(region: &Region, pos: ChunkPos) -> ChunkMask {
    let mut mask = [0; CHUNK_COLUMNS];
    let part = pos.region().intersection(region).shifted(-pos.origin());
    let bits = run_bits(part.min().z..part.max().z);
    for [x, y] in part.columns().columns() {
        mask[y as usize * CHUNK_EDGE + x as usize] = bits;
    }
    mask
}

/// Mask of the heights of a range; what lies outside of a chunk is left out.
pub(crate) fn run_bits(run: Range<i32>) -> ColumnMask {
    let edge = CHUNK_EDGE as i32;
    let (start, end) = (run.start.clamp(0, edge), run.end.clamp(0, edge));
    if start >= end { 0 } else { (((1_u64 << end) - 1) & !((1_u64 << start) - 1)) as ColumnMask }
}

/// The heights whose bits are set, from the top down.
pub(crate) fn heights(mut bits: ColumnMask) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let z = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (z < CHUNK_EDGE as u32).then_some(z)
    })
}

/// The voxel of a column and height in a chunk.
pub(crate) fn voxel_at(pos: ChunkPos, column: usize, z: u32) -> VoxelPos {
    pos.origin() + IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, z as i32)
}
