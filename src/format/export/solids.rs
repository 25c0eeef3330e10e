//! Every solid voxel with the color that it is shown in, for exports that write voxels.

use std::sync::Arc;

use glam::IVec3;

use crate::document::{Cancelled, Progress};
use crate::geom::VoxelPos;
use crate::mesh::DIRT;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, Outside, Rgb, Store, surface_of_chunk};

/// Which voxels are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// All solid ones.
    All,
    /// Those with an open side, the cut sides of the map included.
    Surface,
}

/// Calls `visit` with every voxel and its color; a voxel without one takes that of the nearest above it, as the
/// window shows it.
pub(super) fn visit_solids(
    store: &Store,
    which: Which,
    progress: &Progress,
    mut visit: impl FnMut(VoxelPos, Rgb),
) -> Result<(), Cancelled> {
    let chunks = sorted_chunks(store);
    let mut stack: Option<IVec3> = None;
    let mut nearest = [DIRT.rgb; CHUNK_COLUMNS];
    for (done, (pos, chunk)) in chunks.iter().enumerate() {
        progress.report(done as f32 / chunks.len() as f32)?;
        if stack != Some(pos.0.with_z(0)) {
            stack = Some(pos.0.with_z(0));
            nearest = [DIRT.rgb; CHUNK_COLUMNS];
        }
        let shown = match which {
            Which::All => *chunk.solid(),
            Which::Surface => surface_of_chunk(store, *pos, Outside::PICTURE),
        };
        let origin = pos.origin();
        for (column, nearest) in nearest.iter_mut().enumerate() {
            let at = origin + IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, 0);
            let (known, mut left) = (chunk.known()[column], chunk.solid()[column]);
            let mut paints = chunk.paint_words_of_column(column);
            while left != 0 {
                let z = left.trailing_zeros();
                left &= left - 1;
                if known >> z & 1 == 1
                    && let Some(word) = paints.next()
                {
                    *nearest = crate::voxel::Paint::from_word(word).rgb;
                }
                if shown[column] >> z & 1 == 1 {
                    visit(at + IVec3::Z * z as i32, *nearest);
                }
            }
        }
    }
    progress.check()
}

/// How many voxels have a color of their own and no open side.
pub fn hidden_colors(store: &Store) -> u64 {
    let of_chunk = |(pos, chunk): (ChunkPos, &Arc<Chunk>)| -> u64 {
        let seen = surface_of_chunk(store, pos, Outside::PICTURE);
        chunk.known().iter().zip(&seen).map(|(known, seen)| u64::from((known & !seen).count_ones())).sum()
    };
    store.chunks().map(of_chunk).sum()
}

/// The chunks, those of one stack after the other, each from the sky down.
pub(super) fn sorted_chunks(store: &Store) -> Vec<(ChunkPos, &Arc<Chunk>)> {
    let mut chunks: Vec<_> = store.chunks().collect();
    chunks.sort_by_key(|(pos, _)| *pos);
    chunks
}
