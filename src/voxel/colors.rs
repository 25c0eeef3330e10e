//! Statistics of colours.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::{CHUNK_COLUMNS, Paint, Rgb, Store};

/// Colours whose channels differ by less than this in sum count as one.
const NEAR: u32 = 24;

/// The colours that most voxels have, most used first; near ones count once.
///
/// # Cost
/// Reads every known colour of the store.
pub fn most_used_colors(store: &Store, count: usize) -> Vec<Rgb> {
    let mut counts = HashMap::<u32, u32>::new();
    for (_, chunk) in store.chunks() {
        for column in 0..CHUNK_COLUMNS {
            for word in chunk.paint_words_of_column(column) {
                *counts.entry(word & 0x00ff_ffff).or_default() += 1;
            }
        }
    }
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort_by_key(|&(word, count)| (Reverse(count), word));
    let mut kept: Vec<Rgb> = vec![];
    for color in sorted.into_iter().map(|(word, _)| Paint::from_word(word).rgb) {
        let distance = |other: &Rgb| color.to_array().iter().zip(other.to_array()).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>();
        if kept.iter().all(|other| distance(other) >= NEAR) {
            kept.push(color);
        }
        if kept.len() == count {
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::geom::Region;
    use crate::voxel::{StoreEdit, Voxel};

    #[test]
    fn near_colors_count_once_and_the_commonest_comes_first() {
        let mut store = Store::new(Region::of_size(IVec3::splat(8)));
        let mut edit = StoreEdit::new(&store);
        for (x, rgb) in [(0, 10), (1, 200), (2, 200), (3, 205)] {
            edit.set(IVec3::new(x, 0, 0), Some(Voxel::new(Rgb::new(rgb, 0, 0))));
        }
        let changes = edit.finish();
        store.apply(&changes);
        assert_eq!(most_used_colors(&store, 9), [Rgb::new(200, 0, 0), Rgb::new(10, 0, 0)]);
        assert_eq!(most_used_colors(&store, 1), [Rgb::new(200, 0, 0)]);
    }
}
