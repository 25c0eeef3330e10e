//! Columns from above: where the topmost voxel of each is, and its color.
//!
//! For plans, heightmaps and pictures of differences.

use glam::IVec3;

use super::chunk::{CHUNK_EDGE, column_of};
use super::{ChunkPos, Rgb, Store};

/// The topmost voxel of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Top {
    /// Its height; z grows downwards.
    pub z: i32,
    /// Its color, where known.
    pub color: Option<Rgb>,
}

/// The topmost voxels of a row of columns at y, from the west of the bounds to the east; `None` where all is air.
///
/// # Cost
/// Reads one word of each chunk down to the first solid one, for each column.
pub fn tops_of_row(store: &Store, y: i32) -> Vec<Option<Top>> {
    let bounds = store.bounds();
    let (min, max) = (bounds.min(), bounds.max());
    let mut row = Vec::with_capacity(usize::try_from(bounds.size().x).unwrap_or(0));
    let mut x = min.x;
    while x < max.x {
        // One look-up of the chunks for all of their columns.
        let end = ChunkPos::of(IVec3::new(x, y, 0)).region().max().x.min(max.x);
        let edge = CHUNK_EDGE as i32;
        let levels = (min.z.div_euclid(edge)..(max.z - 1).div_euclid(edge) + 1).filter(|_| !bounds.is_empty());
        let stack: Vec<_> = levels
            .filter_map(|level| {
                let pos = ChunkPos(IVec3::new(x.div_euclid(edge), y.div_euclid(edge), level));
                Some((pos.origin().z, store.chunk(pos)?))
            })
            .collect();
        row.extend((x..end).map(|x| {
            let column = column_of(IVec3::new(x, y, 0));
            let (z, chunk, mask) = stack.iter().map(|(z, chunk)| (z, chunk, chunk.solid()[column])).find(|(_, _, mask)| *mask != 0)?;
            let top = mask.trailing_zeros();
            Some(Top { z: z + top as i32, color: chunk.paint(column, top).map(|paint| paint.rgb) })
        }));
        x = end;
    }
    row
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geom::Region;
    use crate::voxel::{StoreEdit, Voxel};

    proptest! {
        #[test]
        fn the_top_of_a_column_is_its_ground_from_the_sky(
            places in prop::collection::vec((-40..60_i32, -3..3_i32, -50..50_i32, any::<bool>()), 0..80),
        ) {
            let bounds = Region::new(IVec3::new(-40, -3, -50), IVec3::new(60, 3, 50));
            let mut store = Store::new(bounds);
            let mut edit = StoreEdit::new(&store);
            for (x, y, z, known) in places {
                edit.set(IVec3::new(x, y, z), Some(if known { Voxel::new(Rgb::new(1, 2, z as u8)) } else { Voxel::HIDDEN }));
            }
            let changes = edit.finish();
            store.apply(&changes);
            for y in -3..3 {
                let row = tops_of_row(&store, y);
                prop_assert_eq!(row.len(), 100);
                for (x, top) in (-40..60).zip(row) {
                    let z = store.ground(x, y, -50);
                    prop_assert_eq!(top.map(|top| top.z), z);
                    prop_assert_eq!(top.and_then(|top| top.color), z.and_then(|z| store.paint(IVec3::new(x, y, z))).map(|paint| paint.rgb));
                }
            }
        }
    }

    #[test]
    fn a_store_without_columns_has_empty_rows() {
        assert_eq!(tops_of_row(&Store::new(Region::EMPTY), 0), []);
        assert_eq!(tops_of_row(&Store::new(Region::of_size(IVec3::new(2, 1, 0))), 0), [None, None]);
    }
}
