//! What differs between two chunks, column by column, on whole words where they are equal.
//!
//! Knows neither documents nor what the differences mean; `document` sums them up, the command line shows them.

use super::chunk::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ColumnMask};
use super::{Extra, Paint};

static AIR: [ColumnMask; CHUNK_COLUMNS] = [0; CHUNK_COLUMNS];

/// What differs in one column of a chunk; bit z is the voxel at that height in the chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnDiff {
    /// Air before, solid after.
    pub added: ColumnMask,
    /// Solid before, air after.
    pub removed: ColumnMask,
    /// Solid in both, of two known colors.
    pub recolored: ColumnMask,
    /// Solid in both, of one color and two shades.
    pub reshaded: ColumnMask,
    /// Solid in both, with other [`Extra`] attributes.
    pub altered: ColumnMask,
    /// Solid in both, with a color that only one of them knows: formats differ in that for hidden voxels.
    pub half_known: ColumnMask,
}

impl ColumnDiff {
    /// Whether the columns hold the same.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Calls `visit` with every column, `y * CHUNK_EDGE + x`, in which two chunks differ; `None` is air.
///
/// # Cost
/// A comparison of memory where the chunks are equal, else a few word operations a column, and a look at
/// every paint of the columns whose masks are known to both.
pub fn diff_chunk(before: Option<&Chunk>, after: Option<&Chunk>, mut visit: impl FnMut(usize, &ColumnDiff)) {
    let (solid_before, solid_after) = (before.map_or(&AIR, Chunk::solid), after.map_or(&AIR, Chunk::solid));
    let both = before.zip(after);
    if both.is_some_and(|(before, after)| std::ptr::eq(before, after) || before == after) {
        return;
    }
    let has_extras = both.is_some_and(|(before, after)| before.has_extras() || after.has_extras());
    for column in 0..CHUNK_COLUMNS {
        let (old, new) = (solid_before[column], solid_after[column]);
        if old | new == 0 {
            continue;
        }
        let mut diff = ColumnDiff { added: new & !old, removed: old & !new, ..ColumnDiff::default() };
        if let Some((before, after)) = both.filter(|_| old & new != 0) {
            diff_paints(before, after, column, &mut diff);
            if has_extras {
                diff.altered = altered(before, after, column);
            }
        }
        if !diff.is_empty() {
            visit(column, &diff);
        }
    }
}

fn diff_paints(before: &Chunk, after: &Chunk, column: usize, diff: &mut ColumnDiff) {
    let (old, new) = (before.known()[column], after.known()[column]);
    diff.half_known = (old ^ new) & before.solid()[column] & after.solid()[column];
    let mut left = old & new;
    // The words of each run along its own mask; what only one of them knows is passed over.
    let (mut olds, mut news) = (before.paint_words_of_column(column), after.paint_words_of_column(column));
    let mut passed: ColumnMask = 0;
    while left != 0 {
        let bit = left & left.wrapping_neg();
        left ^= bit;
        let between = (bit - 1) & !passed;
        passed = bit | (bit - 1);
        let next = |words: &mut dyn Iterator<Item = u32>, known: ColumnMask| words.nth((known & between).count_ones() as usize);
        let (Some(old), Some(new)) = (next(&mut olds, old), next(&mut news, new)) else { return };
        if old != new {
            let recolored = Paint::from_word(old).rgb != Paint::from_word(new).rgb;
            if recolored {
                diff.recolored |= bit;
            } else {
                diff.reshaded |= bit;
            }
        }
    }
}

fn altered(before: &Chunk, after: &Chunk, column: usize) -> ColumnMask {
    let extras = |chunk: &Chunk| {
        let mut all = [Extra::default(); CHUNK_EDGE];
        let mut left = chunk.solid()[column];
        for extra in chunk.extras_of_column(column) {
            let z = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            if let Some(slot) = all.get_mut(z as usize) {
                *slot = extra;
            }
        }
        all
    };
    let (olds, news) = (extras(before), extras(after));
    let both = before.solid()[column] & after.solid()[column];
    (0..CHUNK_EDGE).filter(|z| both >> z & 1 == 1 && !olds[*z].is_like(news[*z])).fold(0, |mask, z| mask | 1 << z)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::voxel::{DenseChunk, Rgb, Voxel, VoxelKind};

    fn voxel() -> impl Strategy<Value = Option<Voxel>> {
        let paint = prop::option::of((0..3_u8, 0..2_u8).prop_map(|(r, shade)| Paint { rgb: Rgb::new(r, 0, 0), shade }));
        let extra = prop_oneof![
            3 => Just(Extra::default()),
            1 => (0..3_u8, any::<bool>()).prop_map(|(light, water)| Extra {
                light,
                kind: if water { VoxelKind::Water } else { VoxelKind::Solid },
                ..Extra::default()
            })
        ];
        prop::option::of((paint, extra).prop_map(|(paint, extra)| Voxel { paint, extra }))
    }

    type Edits = Vec<(usize, u32, Option<Voxel>)>;

    fn edits(most: usize) -> impl Strategy<Value = Edits> {
        // Few columns, so that edits meet.
        prop::collection::vec((0..6_usize, 0..CHUNK_EDGE as u32, voxel()), 0..most)
    }

    fn edited(dense: &mut DenseChunk, edits: &Edits) -> Option<Arc<Chunk>> {
        edits.iter().for_each(|&(column, z, voxel)| dense.set(column * 97, z, voxel));
        let chunk = dense.pack();
        (!chunk.is_empty()).then(|| Arc::new(chunk))
    }

    /// The definition, one voxel at a time.
    fn naive(before: Option<&Chunk>, after: Option<&Chunk>, column: usize) -> ColumnDiff {
        let mut diff = ColumnDiff::default();
        for z in 0..CHUNK_EDGE as u32 {
            let voxel = |chunk: Option<&Chunk>| chunk.and_then(|chunk| chunk.voxel(column, z));
            let mark = |mask: &mut ColumnMask, when: bool| *mask |= u32::from(when) << z;
            match (voxel(before), voxel(after)) {
                (None, None) => {}
                (None, Some(_)) => mark(&mut diff.added, true),
                (Some(_), None) => mark(&mut diff.removed, true),
                (Some(old), Some(new)) => {
                    mark(&mut diff.altered, !old.extra.is_like(new.extra));
                    mark(&mut diff.half_known, old.paint.is_some() != new.paint.is_some());
                    if let Some((old, new)) = old.paint.zip(new.paint) {
                        mark(&mut diff.recolored, old.rgb != new.rgb);
                        mark(&mut diff.reshaded, old.rgb == new.rgb && old.shade != new.shade);
                    }
                }
            }
        }
        diff
    }

    proptest! {
        #[test]
        fn the_difference_is_what_a_look_at_each_voxel_finds(first in edits(200), then in edits(40), afresh in any::<bool>()) {
            let mut dense = DenseChunk::empty();
            let before = edited(&mut dense, &first);
            let mut fresh = DenseChunk::empty();
            let after = edited(if afresh { &mut fresh } else { &mut dense }, &then);
            let mut found = vec![ColumnDiff::default(); CHUNK_COLUMNS];
            diff_chunk(before.as_deref(), after.as_deref(), |column, diff| found[column] = *diff);
            for (column, found) in found.into_iter().enumerate() {
                prop_assert_eq!(found, naive(before.as_deref(), after.as_deref(), column), "column {}", column);
            }
        }

        #[test]
        fn equal_chunks_do_not_differ(edits in edits(100)) {
            let [a, b] = [0; 2].map(|_| edited(&mut DenseChunk::empty(), &edits));
            diff_chunk(a.as_deref(), b.as_deref(), |column, _| panic!("column {column}"));
        }
    }
}
