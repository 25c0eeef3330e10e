//! A small picture of a map from above, for telling lost maps apart.

use crate::mesh::DIRT;
use crate::voxel::{Rgb, Store, tops_of_row};

/// What a column without voxels looks like.
const NOTHING: Rgb = Rgb::new(0, 0, 0);
/// How dark the lowest layer is.
const LOWEST_LIGHT: f32 = 0.55;

/// A picture, a pixel three bytes, rows from north to south.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thumbnail {
    /// Pixels from west to east.
    pub width: usize,
    /// Pixels from north to south.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

/// The map from above, at most `side` pixels on a side: one column for each pixel.
pub fn thumbnail(store: &Store, side: usize) -> Thumbnail {
    let (bounds, side) = (store.bounds(), side.max(1));
    let [columns, rows] = [bounds.size().x, bounds.size().y].map(|size| usize::try_from(size).unwrap_or(0));
    let step = columns.max(rows).div_ceil(side).max(1);
    let layers = bounds.size().z.max(1) as f32;
    let (mut rgb, mut height) = (vec![], 0);
    for y in (bounds.min().y..bounds.max().y).step_by(step) {
        for top in tops_of_row(store, y).into_iter().step_by(step) {
            let color = top.map_or(NOTHING, |top| top.color.unwrap_or(DIRT.rgb));
            let depth = top.map_or(1.0, |top| top.z.saturating_sub(bounds.min().z) as f32 / layers);
            let light = 1.0 - (1.0 - LOWEST_LIGHT) * depth;
            rgb.extend(color.to_array().map(|value| (f32::from(value) * light).round().clamp(0.0, 255.0) as u8));
        }
        height += 1;
    }
    Thumbnail { width: columns.div_ceil(step), height, rgb }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::geom::Region;
    use crate::voxel::{StoreEdit, Voxel};

    #[test]
    fn a_pixel_is_the_top_of_a_column_lit_by_its_height() {
        let mut store = Store::new(Region::new(IVec3::new(-1, 0, 0), IVec3::new(6, 3, 10)));
        let mut edit = StoreEdit::new(&store);
        edit.set(IVec3::new(-1, 0, 0), Some(Voxel::new(Rgb::new(200, 100, 0))));
        edit.set(IVec3::new(2, 2, 5), Some(Voxel::new(Rgb::new(200, 100, 0))));
        store.apply(&edit.finish());
        let small = thumbnail(&store, 3);
        assert_eq!((small.width, small.height, small.rgb.len()), (3, 1, 9));
        assert_eq!(small.rgb[..3], [200, 100, 0]);
        let whole = thumbnail(&store, 100);
        assert_eq!((whole.width, whole.height, whole.rgb.len()), (7, 3, 63));
        assert_eq!(whole.rgb[(2 * 7 + 3) * 3..][..3], [155, 78, 0]);
        assert_eq!(whole.rgb[3..6], [0, 0, 0]);
    }
}
