//! Which meshes an edited chunk makes stale, besides its own.
//!
//! Caller: the renderer, for each chunk that differs between two snapshots.

use glam::IVec3;

use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ColumnMask};

static AIR: [ColumnMask; CHUNK_COLUMNS] = [0; CHUNK_COLUMNS];

/// Steps to the neighbours whose faces, light or guessed colours can differ after `before` became `after`.
///
/// The chunk below is always named: unknown colours in it are taken from this one.
pub fn affected_neighbors(before: Option<&Chunk>, after: Option<&Chunk>) -> Vec<IVec3> {
    let masks = |chunk: Option<&Chunk>| chunk.map_or(AIR, |chunk| *chunk.solid());
    let (before, after) = (masks(before), masks(after));
    // [z side][y side][x side], each 0 low, 1 anywhere, 2 high: a voxel differs there.
    let mut differs = [[[false; 3]; 3]; 3];
    for (column, difference) in before.iter().zip(&after).map(|(a, b)| a ^ b).enumerate().filter(|(_, difference)| *difference != 0) {
        let (x, y) = (column % CHUNK_EDGE, column / CHUNK_EDGE);
        let last = CHUNK_EDGE - 1;
        let touches = |at: usize| [at == 0, true, at == last];
        let heights = [difference & 1 != 0, true, difference >> last != 0];
        for (differs, at_z) in differs.iter_mut().zip(heights) {
            for (differs, at_y) in differs.iter_mut().zip(touches(y)) {
                for (differs, at_x) in differs.iter_mut().zip(touches(x)) {
                    *differs |= at_x && at_y && at_z;
                }
            }
        }
    }
    differs[2][1][1] = true;
    let mut steps = vec![];
    for (z, differs) in (-1..).zip(&differs) {
        for (y, differs) in (-1..).zip(differs) {
            for (x, differs) in (-1..).zip(differs) {
                let step = IVec3::new(x, y, z);
                if *differs && step != IVec3::ZERO {
                    steps.push(step);
                }
            }
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel::{DenseChunk, Voxel};

    #[track_caller]
    fn check(pos: IVec3, expected: usize) {
        let mut dense = DenseChunk::empty();
        dense.set((pos.y * 32 + pos.x) as usize, pos.z as u32, Some(Voxel::HIDDEN));
        let steps = affected_neighbors(None, Some(&dense.pack()));
        assert_eq!(steps.len(), expected, "{steps:?}");
    }

    #[test]
    fn a_voxel_concerns_only_the_neighbors_that_it_touches_and_the_chunk_below() {
        check(IVec3::new(10, 10, 10), 1);
        check(IVec3::new(0, 10, 10), 2);
        check(IVec3::new(31, 31, 10), 4);
        check(IVec3::new(31, 31, 31), 7);
        check(IVec3::new(0, 0, 0), 8);
    }
}
