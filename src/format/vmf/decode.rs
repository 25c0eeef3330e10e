//! Voxels of a VMF file into chunks, one stack of chunks at a time.
//!
//! The file's order is x, y, then z upwards; chunks want 32×32 columns at once. For each stack this
//! reads 32 runs of at most 32 columns, so that memory depends neither on the map's width nor, beyond
//! [`BAND_CHUNKS`], on its height. Air is skipped sixteen voxels at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use byteorder::{ByteOrder as _, LittleEndian as LE};

use super::header::VOXEL_BYTES;
use super::voxel;
use crate::format::{FormatError, Source};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, CHUNK_VOLUME, Chunk, ChunkPos, ColumnMask, VoxelKind};

/// Most chunks of a stack that are unpacked at once: 32 × 256 KiB.
const BAND_CHUNKS: i32 = 32;
/// Most uniform chunks that are remembered for sharing.
const MAX_SHARED: usize = 4096;

const EDGE: i32 = CHUNK_EDGE as i32;

/// Where the voxels of a map lie in its file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    /// Offset of the first voxel.
    pub(super) start: u64,
    /// The map's box. z points down here, up in the file.
    pub(super) bounds: Region,
}

impl Layout {
    /// Offset of the column's voxel at `z`.
    pub(super) fn offset(&self, at: VoxelPos) -> u64 {
        let (min, max) = (self.bounds.min(), self.bounds.max());
        let steps = |from: i32, to: i32| u64::try_from(i64::from(to) - i64::from(from)).unwrap_or(0);
        let column = steps(min.x, at.x) * steps(min.y, max.y) + steps(min.y, at.y);
        // z_vmf = Zsize − 1 − z
        self.start + (column * steps(min.z, max.z) + steps(at.z, max.z - 1)) * VOXEL_BYTES
    }

    /// Chunk stacks of the map in the file's order: those of smallest x first. z is that of the top.
    pub(super) fn stacks(&self) -> impl Iterator<Item = ChunkPos> + use<> {
        let (low, high) = (ChunkPos::of(self.bounds.min()).0, ChunkPos::of(self.bounds.max() - 1).0);
        (low.x..=high.x).flat_map(move |x| (low.y..=high.y).map(move |y| ChunkPos(VoxelPos::new(x, y, low.z))))
    }

    /// Number of stacks.
    pub(super) fn stack_count(&self) -> u64 {
        let (low, high) = (ChunkPos::of(self.bounds.min()).0, ChunkPos::of(self.bounds.max() - 1).0);
        let count = |low: i32, high: i32| u64::try_from(i64::from(high) - i64::from(low) + 1).unwrap_or(0);
        count(low.x, high.x) * count(low.y, high.y)
    }
}

/// What was found that a document cannot hold or that the format's text does not foresee.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Oddities {
    /// Air voxels with bytes that are not 0.
    pub(super) air_not_zero: u64,
    /// Voxels of a type above 2.
    pub(super) unknown_kind: u64,
    /// Voxels whose indestructible byte is above 1.
    pub(super) odd_indestructible: u64,
    /// Voxels with reserved bytes that are not 0.
    pub(super) reserved: u64,
}

/// Reads the stacks of a map; holds the memory for one.
pub(super) struct Decoder<'a> {
    source: &'a dyn Source,
    layout: Layout,
    bytes: Vec<u8>,
    row: Vec<u64>,
    /// Words as in the file, `[chunk in band][column][z]`; stale where the mask has no bit.
    words: Vec<u64>,
    /// Solid voxels, `[chunk in band][column]`.
    masks: Vec<ColumnMask>,
    shared: BTreeMap<u64, Arc<Chunk>>,
    pub(super) oddities: Oddities,
}

impl<'a> Decoder<'a> {
    pub(super) fn new(source: &'a dyn Source, layout: Layout) -> Self {
        let (bytes, row, words, masks, shared) = <_>::default();
        Self { source, layout, bytes, row, words, masks, shared, oddities: Oddities::default() }
    }

    /// Reads one stack and hands over each of its chunks, air as `None`.
    pub(super) fn stack(
        &mut self,
        stack: ChunkPos,
        mut take: impl FnMut(ChunkPos, Option<Arc<Chunk>>) -> Result<(), FormatError>,
    ) -> Result<(), FormatError> {
        let last = ChunkPos::of(self.layout.bounds.max() - 1).0.z;
        let mut top = stack.0.z;
        while top <= last {
            let count = (i64::from(last) - i64::from(top) + 1).min(i64::from(BAND_CHUNKS)) as i32;
            let first = ChunkPos(VoxelPos::new(stack.0.x, stack.0.y, top));
            self.read_band(first, count)?;
            for at in 0..count {
                let pos = ChunkPos(first.0 + VoxelPos::Z * at);
                let chunk = self.pack(at as usize);
                take(pos, chunk)?;
            }
            top += count;
        }
        Ok(())
    }

    /// Reads `count` chunks from `first` downwards into `words` and `masks`.
    fn read_band(&mut self, first: ChunkPos, count: i32) -> Result<(), FormatError> {
        let chunks = count as usize;
        self.words.resize(chunks * CHUNK_VOLUME, 0);
        self.masks.clear();
        self.masks.resize(chunks * CHUNK_COLUMNS, 0);
        let origin = first.origin();
        let band = Region::new(origin, origin.saturating_add(VoxelPos::new(EDGE, EDGE, EDGE * count))).intersection(&self.layout.bounds);
        let (height, bottom) = (band.size().z as usize, band.max().z - 1);
        // The columns of a row lie one after another if the band is all of their height.
        let whole = height as i64 == i64::from(self.layout.bounds.max().z) - i64::from(self.layout.bounds.min().z);
        let at_once = if whole { band.size().y } else { 1 };
        self.row.resize(at_once as usize * height, 0);
        self.bytes.resize(self.row.len() * VOXEL_BYTES as usize, 0);
        for x in band.min().x..band.max().x {
            let mut y = band.min().y;
            while y < band.max().y {
                self.source.read_at(self.layout.offset(VoxelPos::new(x, y, bottom)), &mut self.bytes)?;
                LE::read_u64_into(&self.bytes, &mut self.row);
                for (step, column) in self.row.chunks_exact(height).enumerate() {
                    let column_in_chunk = (y - origin.y) as usize * CHUNK_EDGE + (x - origin.x) as usize + step * CHUNK_EDGE;
                    let air = put_column(column, (bottom - origin.z) as usize, column_in_chunk, &mut self.words, &mut self.masks);
                    self.oddities.air_not_zero += air;
                }
                y += at_once;
            }
        }
        Ok(())
    }

    /// Packs the chunk of that number in the band.
    fn pack(&mut self, at: usize) -> Option<Arc<Chunk>> {
        let masks: &[ColumnMask; CHUNK_COLUMNS] = self.masks.get(at * CHUNK_COLUMNS..)?.first_chunk()?;
        let words = self.words.get(at * CHUNK_VOLUME..(at + 1) * CHUNK_VOLUME)?;
        if masks.iter().all(|mask| *mask == 0) {
            return None;
        }
        let first = words.first().copied().unwrap_or(voxel::AIR);
        let uniform = masks.iter().all(|mask| *mask == ColumnMask::MAX) && words.iter().all(|word| *word == first);
        if uniform && let Some(chunk) = self.shared.get(&first) {
            self.oddities.note(first, CHUNK_VOLUME as u64);
            return Some(chunk.clone());
        }
        let count = masks.iter().map(|mask| mask.count_ones() as usize).sum();
        let mut paints = Vec::with_capacity(count);
        let mut plain = true;
        for (column, &mask) in words.chunks_exact(CHUNK_EDGE).zip(masks) {
            let mut left = mask;
            while left != 0 {
                let word = column.get(left.trailing_zeros() as usize).copied().unwrap_or(voxel::AIR);
                left &= left - 1;
                paints.push(voxel::paint_word(word));
                if !voxel::is_plain(word) {
                    plain = false;
                    self.oddities.note(word, 1);
                }
            }
        }
        let mut chunk = Chunk::from_columns(masks, masks, paints)?;
        if !plain {
            chunk = chunk.with_extras(|index| words.get(usize::from(index)).copied().map(voxel::extra).unwrap_or_default());
        }
        let chunk = Arc::new(chunk);
        if uniform && self.shared.len() < MAX_SHARED {
            self.shared.insert(first, chunk.clone());
        }
        Some(chunk)
    }
}

impl Oddities {
    fn note(&mut self, word: u64, count: u64) {
        let extra = voxel::extra(word);
        let when = |odd: bool| if odd { count } else { 0 };
        self.unknown_kind += when(matches!(extra.kind, VoxelKind::Unknown(_)));
        self.odd_indestructible += when(extra.indestructible > 1);
        self.reserved += when(extra.reserved != 0);
    }
}

/// Voxels that are looked at together: two cache lines.
const AIR_RUN: usize = 16;

/// Spreads a column, lowest voxel first, over the chunks of its band. `bottom` is the height of that
/// voxel below the band's top. Answers how many air voxels are not 0.
fn put_column(column: &[u64], bottom: usize, column_in_chunk: usize, words: &mut [u64], masks: &mut [ColumnMask]) -> u64 {
    let mut air_not_zero = 0;
    for (run, voxels) in column.chunks(AIR_RUN).enumerate() {
        if voxels.iter().fold(0, |all, word| all | word) == voxel::AIR {
            continue;
        }
        for (step, &word) in voxels.iter().enumerate() {
            let z = bottom - (run * AIR_RUN + step);
            if voxel::is_solid(word) {
                let place = z / CHUNK_EDGE * CHUNK_COLUMNS + column_in_chunk;
                if let (Some(slot), Some(mask)) = (words.get_mut(place * CHUNK_EDGE + z % CHUNK_EDGE), masks.get_mut(place)) {
                    *slot = word;
                    *mask |= 1 << (z % CHUNK_EDGE);
                }
            } else if word != voxel::AIR {
                air_not_zero += 1;
            }
        }
    }
    air_not_zero
}
