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
    // [y side][x side], each 0 low, 1 anywhere, 2 high: at these heights a voxel differs there.
    let mut heights = [[0; 3]; 3];
    for (y, (before, after)) in before.chunks_exact(CHUNK_EDGE).zip(after.chunks_exact(CHUNK_EDGE)).enumerate() {
        let mut differences = before.iter().zip(after).map(|(a, b)| a ^ b);
        let first = differences.next().unwrap_or(0);
        let (any, last) = differences.fold((first, first), |(any, _), difference| (any | difference, difference));
        let touches = [y == 0, true, y == CHUNK_EDGE - 1];
        for side in heights.iter_mut().zip(touches).filter_map(|(side, touches)| touches.then_some(side)) {
            side.iter_mut().zip([first, any, last]).for_each(|(height, difference)| *height |= difference);
        }
    }
    let differs_at = |z: fn(ColumnMask) -> bool| heights.map(|side| side.map(z));
    let mut differs = [differs_at(|height| height & 1 != 0), differs_at(|height| height != 0), differs_at(|height| height >> 31 != 0)];
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
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::geom::Region;
    use crate::voxel::{DenseChunk, Voxel};

    #[track_caller]
    fn check(pos: IVec3, expected: usize) {
        let mut dense = DenseChunk::empty();
        dense.set((pos.y * 32 + pos.x) as usize, pos.z as u32, Some(Voxel::HIDDEN));
        let steps = affected_neighbors(None, Some(&dense.pack()));
        assert_eq!(steps.len(), expected, "{steps:?}");
    }

    /// Often at a side of the chunk.
    fn place() -> impl Strategy<Value = i32> {
        prop_oneof![Just(0), Just(31), 0..32_i32]
    }

    proptest! {
        #[test]
        fn chunks_that_touch_a_voxel_that_differs_are_all_that_are_named(
            before in prop::collection::vec((place(), place(), place()), 0..6),
            after in prop::collection::vec((place(), place(), place()), 0..6),
        ) {
            let chunk = |voxels: &[(i32, i32, i32)]| {
                let mut dense = DenseChunk::empty();
                voxels.iter().for_each(|(x, y, z)| dense.set((y * 32 + x) as usize, *z as u32, Some(Voxel::HIDDEN)));
                dense.pack()
            };
            let mut expected = BTreeSet::from([[0, 0, 1]]);
            for (x, y, z) in before.iter().chain(&after).filter(|at| before.contains(at) != after.contains(at)) {
                for around in Region::new(IVec3::NEG_ONE, IVec3::splat(2)).positions() {
                    let at = IVec3::new(*x, *y, *z) + around;
                    expected.insert(at.div_euclid(IVec3::splat(32)).to_array());
                }
            }
            expected.remove(&[0; 3]);
            let named = affected_neighbors(Some(&chunk(&before)), Some(&chunk(&after)));
            prop_assert_eq!(named.into_iter().map(|step| step.to_array()).collect::<BTreeSet<_>>(), expected);
        }
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
