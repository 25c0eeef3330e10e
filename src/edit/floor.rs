//! The water plane at the bottom of the map.

use std::collections::BTreeMap;

use glam::IVec3;

use super::mask::run_bits;
use crate::geom::Region;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, Rgb, Store, StoreEdit, Voxel};

/// Colour of a water plane on which no colour is known.
const DEFAULT_WATER: Rgb = Rgb::new(0x48, 0x68, 0x90);

/// The colour that most voxels of the plane have; the smallest of them where several do.
pub(super) fn commonest_color(store: &Store, floor_z: i32) -> Rgb {
    let mut counts = BTreeMap::<Rgb, u32>::new();
    for pos in ChunkPos::covering(&plane(store, floor_z)) {
        let Some(chunk) = store.chunk(pos) else { continue };
        let z = (floor_z - pos.origin().z) as u32;
        for paint in (0..CHUNK_COLUMNS).filter_map(|column| chunk.paint(column, z)) {
            *counts.entry(paint.rgb).or_default() += 1;
        }
    }
    let most = counts.values().max().copied();
    counts.into_iter().find(|(_, count)| Some(*count) == most).map_or(DEFAULT_WATER, |(rgb, _)| rgb)
}

/// Gives a floor voxel to every column that has none.
pub(super) fn fill(edit: &mut StoreEdit, floor_z: i32, color: Rgb) {
    let plane = plane(edit.before(), floor_z);
    for pos in ChunkPos::covering(&plane) {
        let origin = pos.origin();
        let bit = run_bits(floor_z - origin.z..floor_z - origin.z + 1);
        let part = pos.region().intersection(&plane);
        let dense = edit.dense_mut(pos);
        for [x, y] in part.columns().columns() {
            let column = (y - origin.y) as usize * CHUNK_EDGE + (x - origin.x) as usize;
            if dense.solid().get(column).is_some_and(|solid| solid & bit == 0) {
                dense.set(column, bit.trailing_zeros(), Some(Voxel::new(color)));
            }
        }
    }
}

fn plane(store: &Store, floor_z: i32) -> Region {
    let (min, max) = (store.bounds().min(), store.bounds().max());
    Region::new(IVec3::new(min.x, min.y, floor_z), IVec3::new(max.x, max.y, floor_z + 1))
}
