//! A cube of voxels: occupancy as bit masks, colours packed in rank order under the mask.
//!
//! How colours are kept is private to this file, so that it can change without anyone noticing.
//! [`DenseChunk`] is the unpacked form that edits work on.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::IVec3;

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

static NOTHING: Columns = [0; CHUNK_COLUMNS];
static EVERYTHING: Columns = [ColumnMask::MAX; CHUNK_COLUMNS];

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

/// Paint words of the known voxels, ordered by column, then by height.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Paints {
    /// Every known voxel has this paint (also where none is known).
    Uniform(u32),
    /// `words[starts[column] + rank]`, rank = known voxels above in the column.
    Packed { starts: Box<[u16; CHUNK_COLUMNS]>, words: Box<[u32]> },
}

/// An immutable cube of voxels, [`CHUNK_EDGE`] on a side. Shared by `Arc` between snapshots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    solid: Mask,
    // Invariant: a subset of `solid`.
    known: Mask,
    paints: Paints,
    // Invariant: sorted by voxel index, only solid voxels, never the default.
    extras: Box<[(u16, Extra)]>,
}

impl Chunk {
    /// A chunk from masks and the paint words of its known voxels, in order of column, then height.
    ///
    /// The fast way in for loaders. Returns `None` if `known` is not within `solid` or the number of
    /// words is not the number of known voxels.
    pub fn from_columns(solid: &[ColumnMask; CHUNK_COLUMNS], known: &[ColumnMask; CHUNK_COLUMNS], words: Vec<u32>) -> Option<Self> {
        let mut starts = Box::new([0_u16; CHUNK_COLUMNS]);
        let (mut total, mut stray) = (0_u32, 0);
        for ((start, &known), &solid) in starts.iter_mut().zip(known).zip(solid) {
            // The start of the last column is at most 32,768 − 32.
            *start = total as u16;
            total += known.count_ones();
            stray |= known & !solid;
        }
        if stray != 0 || total as usize != words.len() {
            return None;
        }
        let first = words.first().copied().unwrap_or(0);
        let paints = if words.iter().all(|&word| word == first) {
            Paints::Uniform(first)
        } else {
            Paints::Packed { starts, words: words.into_boxed_slice() }
        };
        Some(Self { solid: Mask::of(solid), known: Mask::of(known), paints, extras: Box::default() })
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
        match &self.paints {
            Paints::Uniform(word) => Some(*word),
            Paints::Packed { starts, words } => {
                let rank = (known & above(z)).count_ones() as usize;
                words.get(usize::from(*starts.get(column)?) + rank).copied()
            }
        }
    }

    /// Paint words of the known voxels of a column, from the top down.
    pub fn paint_words_of_column(&self, column: usize) -> impl ExactSizeIterator<Item = u32> + '_ {
        let count = self.known().get(column).map_or(0, |known| known.count_ones() as usize);
        let (slice, uniform): (&[u32], u32) = match &self.paints {
            Paints::Uniform(word) => (&[], *word),
            Paints::Packed { starts, words } => {
                let start = starts.get(column).map_or(0, |&start| usize::from(start));
                (words.get(start..start + count).unwrap_or(&[]), 0)
            }
        };
        (0..count).map(move |i| slice.get(i).copied().unwrap_or(uniform))
    }

    /// The voxel at a place in the chunk; `None` is air.
    pub fn voxel(&self, column: usize, z: u32) -> Option<Voxel> {
        let solid = self.solid().get(column)? >> z.min(31) & 1 == 1 && z < CHUNK_EDGE as u32;
        solid.then(|| Voxel { paint: self.paint(column, z), extra: self.extra(column, z) })
    }

    /// The attributes that only VMF stores, by voxel index `column * CHUNK_EDGE + z`; defaults are left out.
    pub fn extras(&self) -> &[(u16, Extra)] {
        &self.extras
    }

    fn extra(&self, column: usize, z: u32) -> Extra {
        if self.extras.is_empty() {
            return Extra::default();
        }
        let index = (column * CHUNK_EDGE) as u16 + z as u16;
        self.extras
            .binary_search_by_key(&index, |(index, _)| *index)
            .ok()
            .and_then(|at| self.extras.get(at))
            .map_or(Extra::default(), |(_, extra)| *extra)
    }

    /// Bytes of memory that this chunk takes, itself included.
    pub fn size_bytes(&self) -> usize {
        let paints = match &self.paints {
            Paints::Uniform(_) => 0,
            Paints::Packed { words, .. } => size_of::<[u16; CHUNK_COLUMNS]>() + words.len() * 4,
        };
        size_of::<Self>() + self.solid.heap_bytes() + self.known.heap_bytes() + paints + self.extras.len() * size_of::<(u16, Extra)>()
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
    extras: BTreeMap<u16, Extra>,
}

impl DenseChunk {
    /// All air.
    pub fn empty() -> Self {
        Self {
            solid: Box::new(NOTHING),
            known: Box::new(NOTHING),
            words: vec![0; CHUNK_VOLUME].into_boxed_slice(),
            extras: BTreeMap::new(),
        }
    }

    /// Unpacks a chunk; `None` is air.
    pub fn unpack(chunk: Option<&Chunk>) -> Self {
        let mut dense = Self::empty();
        let Some(chunk) = chunk else { return dense };
        *dense.solid = *chunk.solid();
        *dense.known = *chunk.known();
        match &chunk.paints {
            Paints::Uniform(word) => dense.words.fill(*word),
            Paints::Packed { words, .. } => {
                let mut next = words.iter();
                for (slots, &known) in dense.words.chunks_exact_mut(CHUNK_EDGE).zip(chunk.known()) {
                    let mut left = known;
                    while left != 0 {
                        let z = left.trailing_zeros() as usize;
                        left &= left - 1;
                        if let (Some(slot), Some(word)) = (slots.get_mut(z), next.next()) {
                            *slot = *word;
                        }
                    }
                }
            }
        }
        dense.extras = chunk.extras.iter().copied().collect();
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
        let extras = self.extras.iter().map(|(index, extra)| (*index, *extra)).collect();
        let packed = Chunk::from_columns(&self.solid, &self.known, words);
        assert!(packed.is_some(), "a dense chunk keeps its known voxels within its solid ones");
        Chunk { extras, ..packed.unwrap_or_else(|| Chunk::uniform(Voxel::HIDDEN)) }
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
        let extra = if self.extras.is_empty() { Extra::default() } else { self.extras.get(&(index as u16)).copied().unwrap_or_default() };
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
        if extra != Extra::default() {
            self.extras.insert(index as u16, extra);
        } else if !self.extras.is_empty() {
            self.extras.remove(&(index as u16));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::voxel::{Rgb, VoxelKind};

    fn voxels() -> impl Strategy<Value = Vec<(usize, u32, Option<Voxel>)>> {
        let extra = prop_oneof![Just(Extra::default()), Just(Extra { light: 3, kind: VoxelKind::Water, indestructible: 1, reserved: 7 })];
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
