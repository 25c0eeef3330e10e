//! Copying boxes of voxels between places that need not lie on the same chunk grid.

use std::sync::Arc;

use glam::IVec3;

use super::mask::{heights, run_bits};
use crate::geom::Region;
use crate::voxel::{CHUNK_EDGE, Chunk, ChunkPos, DenseChunk, Store};

/// What a chunk holds when the voxels of `store` move by `by`; only what ends up in `within`.
///
/// Shares the chunk where the move keeps to the grid.
pub(super) fn moved_chunk(store: &Store, pos: ChunkPos, by: IVec3, within: &Region) -> Option<Arc<Chunk>> {
    let edge = CHUNK_EDGE as i32;
    if by.rem_euclid(IVec3::splat(edge)) == IVec3::ZERO && within.contains_region(&pos.region()) {
        return store.chunk(ChunkPos(pos.0 - by / edge)).cloned();
    }
    let mut dense = None;
    move_into(&mut dense, store, pos, by, within);
    dense.and_then(|dense| dense.pack_or_air())
}

/// As [`moved_chunk`], on top of what the chunk holds already. Air is not copied.
pub(super) fn move_into(dense: &mut Option<DenseChunk>, store: &Store, pos: ChunkPos, by: IVec3, within: &Region) {
    let part = pos.region().intersection(within);
    let source = part.shifted(-by);
    for chunk_pos in ChunkPos::covering(&source) {
        let Some(chunk) = store.chunk(chunk_pos) else { continue };
        let from = chunk_pos.origin();
        let shared = chunk_pos.region().intersection(&source);
        let bits = run_bits(shared.min().z - from.z..shared.max().z - from.z);
        // From a place in the source chunk to one in the target chunk.
        let step = from + by - pos.origin();
        for [x, y] in shared.columns().columns() {
            let (x, y) = (x - from.x, y - from.y);
            let column = y as usize * CHUNK_EDGE + x as usize;
            let solid = chunk.solid().get(column).copied().unwrap_or(0) & bits;
            if solid == 0 {
                continue;
            }
            let target = (y + step.y) as usize * CHUNK_EDGE + (x + step.x) as usize;
            let dense = dense.get_or_insert_with(DenseChunk::empty);
            for z in heights(solid) {
                dense.set(target, (z as i32 + step.z) as u32, chunk.voxel(column, z));
            }
        }
    }
}
