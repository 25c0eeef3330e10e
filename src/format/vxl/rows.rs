//! Columns by rows, as flat arrays: 64-bit masks with the neighbours at hand, colours in rank order.
//!
//! A [`Window`] holds three rows at a time, of a document's store or of a file, so that what encoding and
//! verifying look at stays in the nearest cache, whatever the size of the map.

use glam::IVec3;

use super::column::{DEPTH, FLOOR, parse_column};
use super::decode::Size;
use super::repair::{Repairs, mend_or_make};
use crate::format::FormatError;
use crate::geom::Region;
use crate::voxel::{CHUNK_EDGE, Chunk, ChunkPos, ColumnMask, Store};

/// One row of columns. Beyond its ends, and in a row outside the map, all is solid and nothing known.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// `[1 + x]`, bit z: the voxel is solid.
    pub solid: Vec<u64>,
    /// `[1 + x]`, bit z: its colour is known. Within `solid`, but for the ends.
    pub known: Vec<u64>,
    /// Paint words of the known voxels, by column, then by height; what comes after them means nothing.
    words: Vec<u32>,
    /// `[x]`: where in `words` a column begins; one more for the end.
    starts: Vec<u32>,
    /// `[x]`: offset in the file of a column; one more for the end. Empty for the row of a store.
    offsets: Vec<usize>,
    /// Columns that had to be mended, rising: their bytes must not be copied.
    pub mended: Vec<usize>,
}

/// Words that are copied too much.
const ROOM: usize = 3;

/// Where rows come from, in order.
pub trait Rows {
    /// Fills in the next row of the map.
    fn next_row(&mut self, row: &mut Row) -> Result<(), FormatError>;
}

/// The rows `y - 1`, `y`, `y + 1`, moved along y from the map's first.
#[derive(Debug)]
pub struct Window<R> {
    source: R,
    size: Size,
    /// Rows that were taken from the source.
    taken: usize,
    rows: [Row; 3],
}

impl<R: Rows> Window<R> {
    /// A window that stands before the first row.
    ///
    /// # Errors
    /// What the source fails with.
    pub fn new(source: R, size: Size) -> Result<Self, FormatError> {
        let mut window = Self { source, size, taken: 0, rows: Default::default() };
        window.rows.iter_mut().for_each(|row| row.clear_outside(size.width));
        window.take()?;
        Ok(window)
    }

    /// Moves on by a row: the first call comes to row 0.
    ///
    /// # Errors
    /// What the source fails with.
    pub fn advance(&mut self) -> Result<(), FormatError> {
        self.rows.rotate_left(1);
        self.take()
    }

    fn take(&mut self) -> Result<(), FormatError> {
        let [.., south] = &mut self.rows;
        if self.taken < self.size.height {
            self.taken += 1;
            self.source.next_row(south)
        } else {
            south.clear_outside(self.size.width);
            Ok(())
        }
    }

    /// The row that the window stands at.
    pub fn here(&self) -> &Row {
        &self.rows[1]
    }

    /// Where the rows come from.
    pub fn source(&self) -> &R {
        &self.source
    }

    /// Whether the three rows are as solid as those of another window.
    pub fn same_solid<S>(&self, other: &Window<S>) -> bool {
        self.rows.iter().zip(&other.rows).all(|(own, other)| own.solid == other.solid)
    }

    /// The rows `y - 1`, `y`, `y + 1`.
    pub fn rows(&self) -> &[Row; 3] {
        &self.rows
    }
}

impl Row {
    /// Where the column's words are.
    #[inline(always)]
    pub fn places_of(&self, x: usize) -> std::ops::Range<usize> {
        self.starts[x] as usize..self.starts[x + 1] as usize
    }

    /// Where they begin.
    #[inline(always)]
    pub fn place_of(&self, x: usize) -> usize {
        self.starts[x] as usize
    }

    /// `[x]`: where the words of a column begin; one more for the end.
    pub fn places(&self) -> &[u32] {
        &self.starts
    }

    /// Paint words of the known voxels, by column, then from the top down.
    pub fn words(&self) -> &[u32] {
        let count = self.starts.last().map_or(0, |end| *end as usize);
        self.words.get(..count).unwrap_or(&[])
    }

    /// As [`words`](Self::words) from that place on, with whatever comes after them.
    #[inline(always)]
    pub fn words_from(&self, place: usize) -> &[u32] {
        self.words.get(place..).unwrap_or(&[])
    }

    /// Bytes of the file that some columns of the row take.
    pub fn bytes_of(&self, columns: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.offsets[columns.start]..self.offsets[columns.end]
    }

    /// Whether masks and colours are those of another row.
    pub fn same_content(&self, other: &Self) -> bool {
        self.solid == other.solid && self.known == other.known && self.words() == other.words()
    }

    fn clear(&mut self, width: usize) {
        for masks in [&mut self.solid, &mut self.known] {
            masks.clear();
            masks.resize(width + 2, 0);
        }
        let [.., last] = self.solid.as_mut_slice() else { return };
        *last = u64::MAX;
        let [first, ..] = self.solid.as_mut_slice() else { return };
        *first = u64::MAX;
        self.starts.clear();
        self.offsets.clear();
        self.mended.clear();
    }

    fn clear_outside(&mut self, width: usize) {
        self.clear(width);
        self.solid.fill(u64::MAX);
    }
}

/// Rows of a store of at most 64 voxels of depth.
#[derive(Debug)]
pub struct StoreRows<'a> {
    store: &'a Store,
    bounds: Region,
    y: i32,
    /// Chunks of the rows around `y`, for each step along x those from the top down.
    towers: Vec<Tower<'a>>,
    /// Scratch: words of one chunk's part of a row.
    words: Vec<u32>,
}

#[derive(Debug)]
struct Tower<'a> {
    /// Columns in the map, and the first of them in the chunk.
    columns: std::ops::Range<usize>,
    first: usize,
    /// Chunks with the height of each one's top.
    chunks: Vec<(i32, &'a Chunk)>,
}

impl<'a> StoreRows<'a> {
    /// From the first row of the store's bounds on.
    pub fn new(store: &'a Store) -> Self {
        let bounds = store.bounds();
        Self { store, bounds, y: bounds.min().y, towers: vec![], words: vec![] }
    }

    fn find_chunks(&mut self) {
        let (min, max) = (self.bounds.min(), self.bounds.max());
        self.towers.clear();
        let mut x = min.x;
        while x < max.x {
            let corner = IVec3::new(x, self.y, min.z);
            let end = ChunkPos::of(corner).region().max().x.min(max.x);
            let (first, last) = (ChunkPos::of(corner).0, ChunkPos::of(corner.with_z(min.z + DEPTH as i32 - 1)).0.z);
            let chunks = (first.z..=last).filter_map(|z| {
                let chunk = self.store.chunk(ChunkPos(first.with_z(z)))?;
                Some((z * CHUNK_EDGE as i32 - min.z, &**chunk))
            });
            let columns = (x - min.x) as usize..(end - min.x) as usize;
            self.towers.push(Tower { columns, first: x.rem_euclid(CHUNK_EDGE as i32) as usize, chunks: chunks.collect() });
            x = end;
        }
    }
}

impl Rows for StoreRows<'_> {
    fn next_row(&mut self, row: &mut Row) -> Result<(), FormatError> {
        let width = self.bounds.size().x as usize;
        let y_in_chunk = self.y.rem_euclid(CHUNK_EDGE as i32) as usize;
        if y_in_chunk == 0 || self.towers.is_empty() {
            self.find_chunks();
        }
        row.clear(width);
        row.words.clear();
        row.starts.resize(width + 1, 0);
        for tower in &self.towers {
            let first = y_in_chunk * CHUNK_EDGE + tower.first;
            let columns = first..first + tower.columns.len();
            let masks = tower.columns.start + 1..tower.columns.end + 1;
            // Known voxels of each column in this chunk and in all.
            let (mut counts, mut places) = ([0_u32; CHUNK_EDGE], [0_u32; CHUNK_EDGE]);
            let mut with_colors = None;
            let mut several = false;
            for (z, chunk) in &tower.chunks {
                lift(*z, &chunk.solid()[columns.clone()], &mut row.solid[masks.clone()]);
                let known = &chunk.known()[columns.clone()];
                lift(*z, known, &mut row.known[masks.clone()]);
                let count = count_ones(known, &mut counts);
                if count > 0 {
                    several |= with_colors.is_some();
                    with_colors = Some((chunk, count));
                    places.iter_mut().zip(&counts).for_each(|(place, count)| *place += count);
                }
            }
            let mut next = row.words.len() as u32;
            for (place, start) in places.iter_mut().zip(&mut row.starts[tower.columns.clone()]) {
                *start = next;
                next += *place;
                *place = *start;
            }
            if !several {
                with_colors.iter().for_each(|(chunk, count)| chunk.paint_words_from(first, *count, &mut row.words));
                continue;
            }
            // Colours of a column stand in several chunks: each takes the places that its masks say.
            row.words.resize(next as usize, 0);
            for (_, chunk) in &tower.chunks {
                let count = count_ones(&chunk.known()[columns.clone()], &mut counts);
                self.words.clear();
                chunk.paint_words_from(first, count, &mut self.words);
                let mut words = self.words.iter();
                for (place, count) in places.iter_mut().zip(&counts) {
                    let to = row.words.get_mut(*place as usize..(*place + count) as usize).unwrap_or_default();
                    // The places come first: else a word would be taken and dropped at the end of each column.
                    to.iter_mut().zip(&mut words).for_each(|(to, word)| *to = *word);
                    *place += count;
                }
            }
        }
        row.starts[width] = row.words.len() as u32;
        // Columns are copied by fours.
        row.words.extend([0; ROOM]);
        self.y += 1;
        Ok(())
    }
}

/// Sets how many bits each mask has, none beyond the last; answers their sum.
fn count_ones(masks: &[ColumnMask], counts: &mut [u32; CHUNK_EDGE]) -> usize {
    counts.fill(0);
    counts.iter_mut().zip(masks).for_each(|(count, mask)| *count = mask.count_ones());
    counts.iter().sum::<u32>() as usize
}

/// Puts masks whose top is at height `z` over columns; what is outside is dropped.
fn lift(z: i32, from: &[ColumnMask], to: &mut [u64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to |= if z < 0 { u64::from(*from) >> -z } else { u64::from(*from) << z };
    }
}

/// Rows of a file of known size.
#[derive(Debug)]
pub struct FileRows<'a> {
    /// The whole file.
    pub bytes: &'a [u8],
    width: usize,
    lenient: bool,
    /// Byte after the last column that was read.
    pub end: usize,
    /// Columns without a floor so far.
    pub floorless: u64,
}

impl<'a> FileRows<'a> {
    /// From the first byte on; `lenient` mends columns that are broken.
    pub fn new(bytes: &'a [u8], width: usize, lenient: bool) -> Self {
        Self { bytes, width, lenient, end: 0, floorless: 0 }
    }
}

impl Rows for FileRows<'_> {
    fn next_row(&mut self, row: &mut Row) -> Result<(), FormatError> {
        row.clear(self.width);
        row.starts.resize(self.width + 1, 0);
        row.offsets.resize(self.width + 1, 0);
        let mut count = 0;
        row.words.resize(self.width * DEPTH as usize + ROOM, 0);
        let masks = row.solid.iter_mut().zip(&mut row.known).skip(1);
        for (x, ((start, offset), (solid, known))) in row.starts.iter_mut().zip(&mut row.offsets).zip(masks).take(self.width).enumerate() {
            (*start, *offset) = (count as u32, self.end);
            let words = row.words.as_mut_slice();
            let read = parse_column(self.bytes, self.end, |run| {
                run.copy_to(words.get_mut(count..).unwrap_or_default());
                count += run.count;
            });
            let column = match read {
                Ok(column) => column,
                Err(fault) if !self.lenient => return Err(fault.into_error(self.bytes)),
                Err(_) => {
                    row.mended.push(x);
                    // What was mended was told when the map was opened.
                    let (column, colors) = mend_or_make(self.bytes, self.end, &mut Repairs::default(), x, 0);
                    count = *start as usize;
                    row.words.iter_mut().skip(count).zip(&colors).for_each(|(to, color)| *to = *color);
                    count += colors.len();
                    column
                }
            };
            (*solid, *known) = (column.solid, column.stored);
            self.floorless += u64::from(column.solid & FLOOR == 0);
            self.end = column.end;
        }
        if let (Some(start), Some(offset)) = (row.starts.last_mut(), row.offsets.last_mut()) {
            (*start, *offset) = (count as u32, self.end);
        }
        Ok(())
    }
}
