//! A cube of voxels: occupancy as bit masks, colours in rank order under the mask.
//!
//! How colours are kept is private to this file and `paints.rs`, so that it can change without anyone noticing.
//! [`DenseChunk`] is the unpacked form that edits work on.

use std::ops::Range;
use std::sync::Arc;

use glam::IVec3;

use super::paints::Paints;
use super::{Extra, Paint, Voxel};
use crate::geom::{Region, VoxelPos};

/// Side of a chunk in voxels.
pub const CHUNK_EDGE: usize = 32;
/// Columns of a chunk.
pub const CHUNK_COLUMNS: usize = CHUNK_EDGE * CHUNK_EDGE;
/// Voxels of a chunk.
pub const CHUNK_VOLUME: usize = CHUNK_COLUMNS * CHUNK_EDGE;

/// One column of a chunk: bit `z` is the voxel at height `z` in the chunk (bit 0 is the topmost).
pub type ColumnMask = u32;

/// Masks of all columns of a chunk, `[y * CHUNK_EDGE + x]`.
type Columns = [ColumnMask; CHUNK_COLUMNS];

pub(super) static NOTHING: Columns = [0; CHUNK_COLUMNS];
pub(super) static EVERYTHING: Columns = [ColumnMask::MAX; CHUNK_COLUMNS];

/// Position of a chunk, in chunks: voxel position divided by [`CHUNK_EDGE`], rounded down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkPos(pub IVec3);

impl ChunkPos {
    /// The chunk that holds the voxel.
    pub fn of(pos: VoxelPos) -> Self {
        Self(pos >> (CHUNK_EDGE.trailing_zeros() as i32))
    }

    /// The voxel at the chunk's corner of smallest coordinates.
    pub fn origin(self) -> VoxelPos {
        self.0 << (CHUNK_EDGE.trailing_zeros() as i32)
    }

    /// The voxels of the chunk.
    pub fn region(self) -> Region {
        Region::new(self.origin(), self.origin() + IVec3::splat(CHUNK_EDGE as i32))
    }

    /// Every chunk that holds a voxel of the region, z fastest, then x, then y.
    pub fn covering(region: &Region) -> impl Iterator<Item = Self> + use<> {
        let chunks =
            if region.is_empty() { Region::EMPTY } else { Region::between(Self::of(region.min()).0, Self::of(region.max() - 1).0) };
        chunks.positions().map(Self)
    }
}

impl PartialOrd for ChunkPos {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ChunkPos {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let key = |pos: &Self| [pos.0.y, pos.0.x, pos.0.z];
        key(self).cmp(&key(other))
    }
}

/// Index of a voxel's column in its chunk: `y * CHUNK_EDGE + x`.
pub(super) fn column_of(pos: VoxelPos) -> usize {
    let edge = CHUNK_EDGE as i32 - 1;
    ((pos.y & edge) as usize) * CHUNK_EDGE + (pos.x & edge) as usize
}

/// Height of a voxel in its chunk.
pub(super) fn height_of(pos: VoxelPos) -> u32 {
    (pos.z & (CHUNK_EDGE as i32 - 1)) as u32
}

/// Index of a voxel in its chunk: `column * CHUNK_EDGE + z`, below [`CHUNK_VOLUME`].
fn index_of(column: usize, z: u32) -> u16 {
    (column * CHUNK_EDGE) as u16 + z as u16
}

/// Mask of the heights above `z` (smaller z) in a column.
fn above(z: u32) -> ColumnMask {
    (1 << z) - 1
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Mask {
    Empty,
    Full,
    Bits(Box<Columns>),
}

impl Mask {
    fn of(columns: &Columns) -> Self {
        if columns == &NOTHING {
            Self::Empty
        } else if columns == &EVERYTHING {
            Self::Full
        } else {
            Self::Bits(Box::new(*columns))
        }
    }

    fn columns(&self) -> &Columns {
        match self {
            Self::Empty => &NOTHING,
            Self::Full => &EVERYTHING,
            Self::Bits(columns) => columns,
        }
    }

    fn heap_bytes(&self) -> usize {
        if matches!(self, Self::Bits(_)) { size_of::<Columns>() } else { 0 }
    }
}

/// An immutable cube of voxels, [`CHUNK_EDGE`] on a side. Shared by `Arc` between snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    solid: Mask,
    // Invariant: a subset of `solid`.
    known: Mask,
    paints: Paints,
    // Attributes as changes along the voxel index, so that a chunk of one kind holds one entry.
    // Invariant: sorted; an entry stands at each solid voxel whose extra differs from that of the
    // solid voxel before it (from the default at the first), and nowhere else.
    extras: Box<[(u16, Extra)]>,
}

impl Chunk {
    /// A chunk from masks and the paint words of its known voxels, in order of column, then height.
    ///
    /// The fast way in for loaders. Returns `None` if `known` is not within `solid` or the number of
    /// words is not the number of known voxels.
    pub fn from_columns(solid: &[ColumnMask; CHUNK_COLUMNS], known: &[ColumnMask; CHUNK_COLUMNS], words: Vec<u32>) -> Option<Self> {
        if known.iter().zip(solid).any(|(known, solid)| known & !solid != 0) {
            return None;
        }
        let paints = Paints::of(known, words)?;
        Some(Self { solid: Mask::of(solid), known: Mask::of(known), paints, extras: Box::default() })
    }

    /// As [`Chunk::from_columns`] for a loader that has counted: `starts[column]` is where in `words` a column
    /// begins. Panics in a debug build if that is not so.
    pub(crate) fn from_counted_columns(
        solid: &[ColumnMask; CHUNK_COLUMNS],
        known: &[ColumnMask; CHUNK_COLUMNS],
        starts: &[u16; CHUNK_COLUMNS],
        words: Vec<u32>,
    ) -> Self {
        debug_assert!(known.iter().zip(solid).all(|(known, solid)| known & !solid == 0), "a voxel that is not solid has a color");
        let paints = Paints::of_counted(starts, words);
        debug_assert_eq!(
            Some(&paints),
            Paints::of(known, paints.words(known.iter().map(|known| known.count_ones() as usize).sum()).collect()).as_ref()
        );
        Self { solid: Mask::of(solid), known: Mask::of(known), paints, extras: Box::default() }
    }

    /// The same voxels with the attributes that `extra_of` names: it is asked once for each solid voxel,
    /// in order of its index `column * CHUNK_EDGE + z`.
    pub fn with_extras(mut self, mut extra_of: impl FnMut(u16) -> Extra) -> Self {
        let (mut changes, mut last) = (vec![], Extra::default());
        for (column, &mask) in self.solid.columns().iter().enumerate().filter(|(_, mask)| **mask != 0) {
            let mut left = mask;
            while left != 0 {
                let index = index_of(column, left.trailing_zeros());
                left &= left - 1;
                let extra = extra_of(index);
                if extra != last {
                    changes.push((index, extra));
                    last = extra;
                }
            }
        }
        self.extras = changes.into_boxed_slice();
        self
    }

    /// A chunk of one and the same voxel.
    pub fn uniform(voxel: Voxel) -> Self {
        let mut dense = DenseChunk::empty();
        for column in 0..CHUNK_COLUMNS {
            for z in 0..CHUNK_EDGE as u32 {
                dense.set(column, z, Some(voxel));
            }
        }
        dense.pack()
    }

    /// Which voxels are solid, `[y * CHUNK_EDGE + x]`, bit z.
    pub fn solid(&self) -> &[ColumnMask; CHUNK_COLUMNS] {
        self.solid.columns()
    }

    /// How many voxels of each column from `first` on have a known colour, into `counts`; answers the sum.
    ///
    /// All of these columns are the chunk's: `first + counts.len()` is at most [`CHUNK_COLUMNS`].
    pub fn known_counts(&self, first: usize, counts: &mut [u32]) -> usize {
        let known = self.known().get(first..).unwrap_or(&[]);
        let Some(starts) = self.paints.starts().and_then(|starts| starts.get(first..)) else {
            counts.fill(0);
            counts.iter_mut().zip(known).for_each(|(count, known)| *count = known.count_ones());
            return counts.iter().sum::<u32>() as usize;
        };
        let (Some((last, counts)), Some(&begin)) = (counts.split_last_mut(), starts.first()) else { return 0 };
        // What is kept already need not be counted again: all but the last column's.
        counts.fill(0);
        let pairs = starts.iter().zip(starts.get(1..).unwrap_or(&[]));
        counts.iter_mut().zip(pairs).for_each(|(count, (start, end))| *count = u32::from(end - start));
        *last = known.get(counts.len()).map_or(0, |known| known.count_ones());
        let end = starts.get(counts.len()).copied().unwrap_or(begin);
        usize::from(end - begin) + *last as usize
    }

    /// How many voxels of some columns have a known colour.
    pub fn known_count_of(&self, columns: Range<usize>) -> u32 {
        let known = self.known().get(columns.clone()).unwrap_or(&[]);
        let (Some(starts), Some(last)) = (self.paints.starts().and_then(|starts| starts.get(columns)), known.last()) else {
            return known.iter().map(|known| known.count_ones()).sum();
        };
        match starts {
            [first, .., end] => u32::from(end - first) + last.count_ones(),
            _ => last.count_ones(),
        }
    }

    /// Where the words of each column from `first` on begin, into `places`, if the first one's begin at `begin`; answers where
    /// the last one's end. Columns as for [`known_counts`](Self::known_counts).
    pub fn known_places(&self, first: usize, begin: u32, places: &mut [u32]) -> u32 {
        let known = self.known().get(first..).unwrap_or(&[]);
        let Some(starts) = self.paints.starts().and_then(|starts| starts.get(first..)) else {
            return places.iter_mut().zip(known).fold(begin, |next, (place, known)| {
                *place = next;
                next + known.count_ones()
            });
        };
        let offset = begin.wrapping_sub(starts.first().copied().map_or(0, u32::from));
        places.iter_mut().zip(starts).for_each(|(place, start)| *place = u32::from(*start).wrapping_add(offset));
        let last = places.len().checked_sub(1).and_then(|last| known.get(last)).map_or(0, |known| known.count_ones());
        places.last().map_or(begin, |place| place + last)
    }

    /// Which voxels have a known colour; a subset of [`solid`](Self::solid).
    pub fn known(&self) -> &[ColumnMask; CHUNK_COLUMNS] {
        self.known.columns()
    }

    /// Whether every voxel is solid.
    pub fn is_full(&self) -> bool {
        matches!(self.solid, Mask::Full)
    }

    /// Whether every voxel is air.
    pub fn is_empty(&self) -> bool {
        matches!(self.solid, Mask::Empty)
    }

    /// Number of solid voxels.
    pub fn solid_count(&self) -> u32 {
        self.solid().iter().map(|column| column.count_ones()).sum()
    }

    /// Paint of a voxel, where it is solid and its colour known.
    ///
    /// `column` is `y * CHUNK_EDGE + x` and `z` the height, both in the chunk. Out of range is `None`.
    pub fn paint(&self, column: usize, z: u32) -> Option<Paint> {
        self.paint_word(column, z).map(Paint::from_word)
    }

    /// As [`paint`](Self::paint), as the word b, g, r, shade.
    pub fn paint_word(&self, column: usize, z: u32) -> Option<u32> {
        let known = *self.known().get(column)?;
        if z >= CHUNK_EDGE as u32 || known >> z & 1 == 0 {
            return None;
        }
        self.paints.word(column, (known & above(z)).count_ones() as usize)
    }

    /// Paint words of the known voxels of a column, from the top down.
    pub fn paint_words_of_column(&self, column: usize) -> impl ExactSizeIterator<Item = u32> + '_ {
        let count = self.known().get(column).map_or(0, |known| known.count_ones() as usize);
        self.paints.words_of_column(column, count)
    }

    /// Appends the paint words of `count` known voxels from a column's first on: of as many columns, side by
    /// side, as have so many. By column, then from the top down.
    pub fn paint_words_from(&self, column: usize, count: usize, words: &mut Vec<u32>) {
        self.paints.append_words(column, count, words);
    }

    /// Number of voxels with a known colour.
    pub fn known_count(&self) -> u32 {
        self.known().iter().map(|column| column.count_ones()).sum()
    }

    /// How many of the known voxels have a paint that matches. Quick where there are few colours.
    pub fn count_paints(&self, matches: impl Fn(Paint) -> bool) -> u32 {
        // At most CHUNK_VOLUME.
        self.paints.count(self.known_count() as usize, |word| matches(Paint::from_word(word))) as u32
    }

    /// The voxel at a place in the chunk; `None` is air.
    pub fn voxel(&self, column: usize, z: u32) -> Option<Voxel> {
        let solid = self.solid().get(column)? >> z.min(31) & 1 == 1 && z < CHUNK_EDGE as u32;
        solid.then(|| Voxel { paint: self.paint(column, z), extra: self.extra(column, z) })
    }

    /// Whether any voxel has attributes that a VXL does not store.
    pub fn has_extras(&self) -> bool {
        !self.extras.is_empty()
    }

    /// The attributes that a VXL does not store, of each solid voxel of a column from the top down.
    pub fn extras_of_column(&self, column: usize) -> impl Iterator<Item = Extra> + '_ {
        let mut left = self.solid().get(column).copied().unwrap_or(0);
        let from = index_of(column, 0);
        let mut next = if self.extras.is_empty() { 0 } else { self.extras.partition_point(|(index, _)| *index < from) };
        let mut extra = self.change_before(next);
        std::iter::from_fn(move || {
            if left == 0 {
                return None;
            }
            let index = index_of(column, left.trailing_zeros());
            left &= left - 1;
            if let Some((at, changed)) = self.extras.get(next)
                && *at == index
            {
                extra = *changed;
                next += 1;
            }
            Some(extra)
        })
    }

    fn extra(&self, column: usize, z: u32) -> Extra {
        if self.extras.is_empty() {
            return Extra::default();
        }
        let own = index_of(column, z);
        self.change_before(self.extras.partition_point(|(index, _)| *index <= own))
    }

    /// What holds before the change of that number.
    fn change_before(&self, change: usize) -> Extra {
        change.checked_sub(1).and_then(|last| self.extras.get(last)).map_or(Extra::default(), |(_, extra)| *extra)
    }

    /// Bytes of memory that this chunk takes, itself included.
    pub fn size_bytes(&self) -> usize {
        size_of::<Self>() + self.solid.heap_bytes() + self.known.heap_bytes() + self.paints.heap_bytes() + size_of_val(&*self.extras)
    }
}

/// A chunk unpacked for editing: 128 KiB of paint words under two masks.
#[derive(Clone, Debug)]
pub struct DenseChunk {
    /// Which voxels are solid.
    solid: Box<Columns>,
    // Invariant: a subset of `solid`.
    known: Box<Columns>,
    words: Box<[u32]>,
    /// By voxel index; empty as long as all are the default.
    extras: Vec<Extra>,
}

impl DenseChunk {
    /// All air.
    pub fn empty() -> Self {
        Self { solid: Box::new(NOTHING), known: Box::new(NOTHING), words: vec![0; CHUNK_VOLUME].into_boxed_slice(), extras: vec![] }
    }

    /// Unpacks a chunk; `None` is air.
    pub fn unpack(chunk: Option<&Chunk>) -> Self {
        let mut dense = Self::empty();
        let Some(chunk) = chunk else { return dense };
        *dense.solid = *chunk.solid();
        *dense.known = *chunk.known();
        let mut words = chunk.paints.words(chunk.known_count() as usize);
        for (slots, &known) in dense.words.chunks_exact_mut(CHUNK_EDGE).zip(chunk.known()) {
            let mut left = known;
            while left != 0 {
                let z = left.trailing_zeros() as usize;
                left &= left - 1;
                if let (Some(slot), Some(word)) = (slots.get_mut(z), words.next()) {
                    *slot = word;
                }
            }
        }
        if chunk.has_extras() {
            dense.extras = vec![Extra::default(); CHUNK_VOLUME];
            for (column, (slots, &solid)) in dense.extras.chunks_exact_mut(CHUNK_EDGE).zip(chunk.solid()).enumerate() {
                let mut left = solid;
                for extra in chunk.extras_of_column(column) {
                    slots[left.trailing_zeros() as usize] = extra;
                    left &= left - 1;
                }
            }
        }
        dense
    }

    /// Packs into the smallest form.
    pub fn pack(&self) -> Chunk {
        let count = self.known.iter().map(|known| known.count_ones() as usize).sum();
        let mut words = Vec::with_capacity(count);
        for (slots, &known) in self.words.chunks_exact(CHUNK_EDGE).zip(self.known.iter()) {
            let mut left = known;
            while left != 0 {
                words.push(slots[left.trailing_zeros() as usize]);
                left &= left - 1;
            }
        }
        let packed = Chunk::from_columns(&self.solid, &self.known, words);
        assert!(packed.is_some(), "a dense chunk keeps its known voxels within its solid ones");
        let packed = packed.unwrap_or_else(|| Chunk::uniform(Voxel::HIDDEN));
        if self.extras.is_empty() {
            packed
        } else {
            packed.with_extras(|index| self.extras.get(usize::from(index)).copied().unwrap_or_default())
        }
    }

    /// Packs, or answers `None` for all air.
    pub fn pack_or_air(&self) -> Option<Arc<Chunk>> {
        (*self.solid != NOTHING).then(|| Arc::new(self.pack()))
    }

    /// Which voxels are solid, `[y * CHUNK_EDGE + x]`, bit z.
    pub fn solid(&self) -> &[ColumnMask; CHUNK_COLUMNS] {
        &self.solid
    }

    /// Which voxels have a known colour.
    pub fn known(&self) -> &[ColumnMask; CHUNK_COLUMNS] {
        &self.known
    }

    /// The voxel at a place in the chunk; `None` is air. `z` is taken modulo the chunk's edge.
    pub fn get(&self, column: usize, z: u32) -> Option<Voxel> {
        let z = z % CHUNK_EDGE as u32;
        if self.solid.get(column)? >> z & 1 == 0 {
            return None;
        }
        let index = column * CHUNK_EDGE + z as usize;
        let known = self.known.get(column)? >> z & 1 == 1;
        let paint = if known { self.words.get(index).copied().map(Paint::from_word) } else { None };
        let extra = self.extras.get(index).copied().unwrap_or_default();
        Some(Voxel { paint, extra })
    }

    /// Puts a voxel or air at a place in the chunk. `z` is taken modulo the chunk's edge; a column
    /// outside the chunk is ignored.
    pub fn set(&mut self, column: usize, z: u32, voxel: Option<Voxel>) {
        let z = z % CHUNK_EDGE as u32;
        let (bit, index) = (1 << z, column * CHUNK_EDGE + z as usize);
        let (Some(solid), Some(known), Some(word)) = (self.solid.get_mut(column), self.known.get_mut(column), self.words.get_mut(index))
        else {
            return;
        };
        *solid &= !bit;
        *known &= !bit;
        *word = 0;
        let extra = voxel.map_or(Extra::default(), |voxel| voxel.extra);
        if let Some(voxel) = voxel {
            *solid |= bit;
            if let Some(paint) = voxel.paint {
                *known |= bit;
                *word = paint.to_word();
            }
        }
        if extra != Extra::default() && self.extras.is_empty() {
            self.extras = vec![Extra::default(); CHUNK_VOLUME];
        }
        if let Some(slot) = self.extras.get_mut(index) {
            *slot = extra;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::voxel::{Rgb, VoxelKind};

    fn voxels() -> impl Strategy<Value = Vec<(usize, u32, Option<Voxel>)>> {
        let extra = prop_oneof![
            Just(Extra::default()),
            Just(Extra { light: 3, kind: VoxelKind::Water, indestructible: 1, reserved: 7, tile: Some([0, 2, 5]) })
        ];
        let paint = prop::option::of(any::<u32>().prop_map(Paint::from_word));
        let voxel = prop::option::of((paint, extra).prop_map(|(paint, extra)| Voxel { paint, extra }));
        prop::collection::vec((0..CHUNK_COLUMNS, 0..CHUNK_EDGE as u32, voxel), 0..200)
    }

    proptest! {
        #[test]
        fn packing_keeps_every_voxel(voxels in voxels()) {
            let mut dense = DenseChunk::empty();
            let mut model = BTreeMap::new();
            for (column, z, voxel) in voxels {
                dense.set(column, z, voxel);
                model.insert((column, z), voxel);
            }
            let chunk = dense.pack();
            prop_assert_eq!(DenseChunk::unpack(Some(&chunk)).pack(), chunk.clone());
            for (&(column, z), &voxel) in &model {
                prop_assert_eq!(chunk.voxel(column, z), voxel);
                prop_assert_eq!(dense.get(column, z), voxel);
            }
            prop_assert_eq!(chunk.solid_count() as usize, model.values().flatten().count());
            for column in 0..CHUNK_COLUMNS {
                let words: Vec<u32> = (0..32).filter_map(|z| chunk.paint_word(column, z)).collect();
                prop_assert_eq!(chunk.paint_words_of_column(column).collect::<Vec<_>>(), words);
                let extras: Vec<Extra> = (0..32).filter_map(|z| Some(chunk.voxel(column, z)?.extra)).collect();
                prop_assert_eq!(chunk.extras_of_column(column).collect::<Vec<_>>(), extras);
            }
            for first in [0, 7, 32, 511, CHUNK_COLUMNS - CHUNK_EDGE, CHUNK_COLUMNS - 1] {
                let mut counts = vec![u32::MAX; CHUNK_EDGE.min(CHUNK_COLUMNS - first)];
                let sum = chunk.known_counts(first, &mut counts);
                let expected: Vec<u32> = chunk.known()[first..].iter().take(counts.len()).map(|known| known.count_ones()).collect();
                prop_assert_eq!(expected.iter().sum::<u32>() as usize, sum);
                prop_assert_eq!(&counts, &expected);
                let mut places = vec![7; counts.len()];
                let end = chunk.known_places(first, 5, &mut places);
                places.push(end);
                let ends = places.windows(2).map(|pair| pair[1] - pair[0]);
                prop_assert_eq!((places[0], ends.collect()), (5, expected));
                prop_assert_eq!(chunk.known_count_of(first..first + counts.len()), sum as u32);
            }
        }
    }

    #[test]
    fn a_uniform_chunk_takes_no_heap_for_its_voxels() {
        let chunk = Chunk::uniform(Voxel::new(Rgb::new(1, 2, 3)));
        assert!(chunk.is_full());
        assert_eq!(chunk.size_bytes(), size_of::<Chunk>());
    }

    #[test]
    fn attributes_that_all_voxels_share_take_one_entry() {
        let extra = Extra { indestructible: 1, ..Extra::default() };
        let mut dense = DenseChunk::empty();
        for column in 0..CHUNK_COLUMNS {
            dense.set(column, 31, Some(Voxel { paint: None, extra }));
            dense.set(column, column as u32 % 31, Some(Voxel { paint: None, extra }));
        }
        let chunk = dense.pack();
        assert_eq!(chunk.extras.len(), 1);
        assert_eq!(DenseChunk::unpack(Some(&chunk)).pack(), chunk);
    }

    #[test]
    fn known_voxels_outside_the_solid_ones_are_refused() {
        let mut known = NOTHING;
        known[5] = 1;
        assert!(Chunk::from_columns(&NOTHING, &known, vec![0]).is_none());
        assert!(Chunk::from_columns(&EVERYTHING, &known, vec![]).is_none());
        assert!(Chunk::from_columns(&EVERYTHING, &known, vec![9]).is_some());
    }

    #[test]
    fn negative_positions_fall_into_the_chunk_below_zero() {
        assert_eq!(ChunkPos::of(IVec3::new(-1, 0, 31)), ChunkPos(IVec3::new(-1, 0, 0)));
        assert_eq!(ChunkPos::of(IVec3::new(-32, -33, 32)), ChunkPos(IVec3::new(-1, -2, 1)));
        assert_eq!(column_of(IVec3::new(-1, 0, 0)), 31);
    }
}
