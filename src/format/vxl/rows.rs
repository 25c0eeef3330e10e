//! Columns by rows, as flat arrays: 64-bit masks with the neighbours at hand, colours in rank order.
//!
//! [`Rows`] holds a few rows at a time, of a document's store and of a file beside it, so that what encoding
//! and verifying look at stays in the nearest cache, whatever the size of the map. The file's colours are
//! compared with the document's as they pass, not kept: few are needed again.

use glam::IVec3;

use super::column::{Column, DEPTH, FLOOR, ROOM, WORD, copy_words, heights, parse_column, parse_spans, parse_usual};
use super::decode::Size;
use super::repair::{Repairs, mend_or_resync};
use super::resync::Resyncs;
use crate::format::FormatError;
use crate::geom::Region;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, ColumnMask, Store};

/// One row of columns of a document. Beyond its ends, and in a row outside the map, all is solid and nothing known.
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
}

/// The same row of a file.
#[derive(Clone, Debug, Default)]
pub struct FileRow {
    /// `[1 + x]`, bit z: the voxel is solid.
    pub solid: Vec<u64>,
    /// `[1 + x]`, bit z: the file stores its colour.
    pub stored: Vec<u64>,
    /// `[x]`: every colour that the file stores is the document's. Means something only where the document
    /// knows colours of just those voxels that the file stores them of.
    pub same_colors: Vec<bool>,
    /// How many of those are.
    pub same: usize,
    /// `[x]`: offset in the file of a column; one more for the end.
    offsets: Vec<usize>,
    /// Columns that had to be mended, rising: their bytes must not be copied.
    pub mended: Vec<usize>,
    /// Columns of the file before it.
    before: usize,
    /// Columns without a floor, rising.
    pub floorless: Vec<usize>,
    /// Whether it is as solid as the document's row.
    same_solid: bool,
    /// Whether it stores the colours of just those voxels that the document's row knows them of.
    same_known: bool,
}

/// Paint words of one column, by rank.
pub type ColumnWords = [u32; DEPTH as usize + ROOM];

/// The rows `y - 1`, `y`, `y + 1` of a document and of a file beside it, moved along y from the map's first. One more
/// is ready, which stands [ahead](Self::beyond) of them.
#[derive(Debug)]
pub struct Rows<'a> {
    size: Size,
    /// Rows that were taken so far.
    taken: usize,
    store: StoreRows<'a>,
    doc: [Row; 3],
    ahead: Row,
    file: Option<FileWindow<'a>>,
}

/// The rows of a file beside those of the document.
#[derive(Debug)]
struct FileWindow<'a> {
    file: FileRows<'a>,
    rows: [FileRow; 3],
    ahead: FileRow,
}

impl<'a> Rows<'a> {
    /// Rows that stand before the first.
    ///
    /// # Errors
    /// If one of the file's first two rows is broken.
    pub fn new(store: &'a Store, file: Option<FileRows<'a>>, size: Size) -> Result<Self, FormatError> {
        let mut doc: [Row; 3] = Default::default();
        doc.iter_mut().for_each(|row| row.clear_outside(size.width));
        let file = file.map(|file| {
            let (mut rows, mut ahead): ([FileRow; 3], _) = Default::default();
            rows.iter_mut().chain([&mut ahead]).for_each(|row| row.clear_outside(size.width));
            FileWindow { file, rows, ahead }
        });
        let mut rows = Self { size, taken: 0, store: StoreRows::new(store), doc, ahead: Row::default(), file };
        rows.take()?;
        rows.advance()?;
        Ok(rows)
    }

    /// Moves on by a row: the first call comes to row 0.
    ///
    /// # Errors
    /// If the file's row after the next is broken.
    pub fn advance(&mut self) -> Result<(), FormatError> {
        self.doc.rotate_left(1);
        let [.., south] = &mut self.doc;
        std::mem::swap(south, &mut self.ahead);
        if let Some(FileWindow { rows, ahead, .. }) = &mut self.file {
            rows.rotate_left(1);
            let [.., south] = rows;
            std::mem::swap(south, ahead);
        }
        self.take()
    }

    fn take(&mut self) -> Result<(), FormatError> {
        let inside = self.taken < self.size.height;
        if inside {
            self.taken += 1;
            self.store.next_row(&mut self.ahead);
        } else {
            self.ahead.clear_outside(self.size.width);
        }
        match &mut self.file {
            Some(FileWindow { file, ahead, .. }) if inside => file.next_row(ahead, &self.ahead),
            Some(FileWindow { ahead, .. }) => {
                ahead.clear_outside(self.size.width);
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The document's rows.
    pub fn doc(&self) -> &[Row; 3] {
        &self.doc
    }

    /// The file and its rows.
    pub fn file(&self) -> Option<(&FileRows<'a>, &[FileRow; 3])> {
        self.file.as_ref().map(|window| (&window.file, &window.rows))
    }

    /// The rows `y`, `y + 1`, `y + 2` of document and file: those around the row after the middle one.
    pub fn beyond(&self) -> Option<([&Row; 3], [&FileRow; 3])> {
        let ([_, row, south], FileWindow { rows: [_, file_row, file_south], ahead, .. }) = (&self.doc, self.file.as_ref()?);
        Some(([row, south, &self.ahead], [file_row, file_south, ahead]))
    }
}

impl Row {
    /// Where a column's words are.
    pub fn words_of(&self, x: usize) -> &[u32] {
        self.words.get(self.starts[x] as usize..self.starts[x + 1] as usize).unwrap_or(&[])
    }

    /// `[x]`: where the words of a column begin; one more for the end.
    pub fn places(&self) -> &[u32] {
        &self.starts
    }

    /// Paint words of the known voxels from that place on, with whatever comes after them.
    #[inline(always)]
    pub fn words_from(&self, place: usize) -> &[u32] {
        self.words.get(place..).unwrap_or(&[])
    }

    /// Room for so many columns; what their masks and places are comes afterwards.
    fn begin(&mut self, width: usize) {
        self.solid.resize(width + 2, 0);
        self.known.resize(width + 2, 0);
        for (ends, beyond) in [(&mut self.solid, u64::MAX), (&mut self.known, 0)] {
            if let [first, .., last] = ends.as_mut_slice() {
                (*first, *last) = (beyond, beyond);
            }
        }
        self.words.clear();
        self.starts.resize(width + 1, 0);
    }

    fn clear_outside(&mut self, width: usize) {
        self.solid.clear();
        self.solid.resize(width + 2, u64::MAX);
        clear_masks(&mut self.known, width);
        self.words.clear();
        self.starts.clear();
    }
}

impl FileRow {
    /// Bytes of the file that some columns of the row take.
    #[inline(always)]
    pub fn bytes_of(&self, columns: std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.offsets[columns.start]..self.offsets[columns.end]
    }

    /// Reads columns up to the first that is not usual; answers which that is. For `rest` and `end` see [`parse_usual`].
    // By itself, its loop has the registers for itself.
    #[inline(never)]
    fn read_usual(&mut self, columns: std::ops::Range<usize>, rest: &mut &[[u8; WORD]], end: usize, doc: &Row) -> usize {
        let (x, to) = (columns.start, columns.end);
        let mut words = *rest;
        let masks = self.solid[x + 1..=to].iter_mut().zip(&mut self.stored[x + 1..=to]);
        let places = self.offsets[x..to].iter_mut().zip(&mut self.same_colors[x..to]);
        let (mut count, mut all_same) = (0, 0);
        for (((offset, same), (solid, stored)), start) in places.zip(masks).zip(&doc.starts[x..]) {
            *offset = end - words.len() * WORD;
            let Some((column_solid, column_stored, colors)) = parse_usual(&mut words) else { break };
            (*solid, *stored) = (column_solid, column_stored);
            *same = colors.equal(doc.words_from(*start as usize));
            all_same += usize::from(*same);
            count += 1;
        }
        *rest = words;
        self.same += all_same;
        x + count
    }

    /// Whether it is as solid as the document's.
    pub fn same_solid(&self) -> bool {
        self.same_solid
    }

    /// Columns all of whose colours are the document's, rising.
    pub fn columns_of_same_colors(&self) -> impl Iterator<Item = usize> + '_ {
        // So many are looked at together, by vectors: mostly none is.
        const STEP: usize = 32;
        let steps =
            (0..).step_by(STEP).zip(self.same_colors.chunks(STEP)).filter(|(_, same)| same.iter().fold(false, |any, same| any | same));
        steps.flat_map(|(first, same)| (first..).zip(same).filter(|(_, same)| **same).map(|(x, _)| x))
    }

    /// Whether it stores the colours of just those voxels that the document's row knows them of.
    pub fn same_known(&self) -> bool {
        self.same_known
    }

    /// Whether masks and colours are those of the document's row.
    pub fn same_content(&self) -> bool {
        self.same_solid && self.same_known && self.same == self.same_colors.len()
    }

    fn clear_outside(&mut self, width: usize) {
        clear_masks(&mut self.solid, width);
        clear_masks(&mut self.stored, width);
        self.solid.fill(u64::MAX);
        self.same_colors.clear();
        self.same = 0;
        self.offsets.clear();
        self.mended.clear();
        self.floorless.clear();
        (self.same_solid, self.same_known) = (true, true);
    }
}

fn clear_masks(masks: &mut Vec<u64>, width: usize) {
    masks.clear();
    masks.resize(width + 2, 0);
}

/// Rows of a store of at most 64 voxels of depth.
#[derive(Debug)]
struct StoreRows<'a> {
    store: &'a Store,
    bounds: Region,
    y: i32,
    /// Chunks of the rows around `y`, for each step along x those from the top down.
    towers: Vec<Tower<'a>>,
    /// Rows before `y` that were filled in together; those from `given` on are to be handed out.
    ready: Vec<Row>,
    given: usize,
}

/// Memory that is used again and again.
#[derive(Default)]
struct Scratch<'a> {
    /// Chunks of a tower that have colours in a row, and how many.
    parts: Vec<(Part, &'a Chunk, usize)>,
    /// Their words, one chunk after the other.
    words: Vec<u32>,
}

/// A chunk's part of a row.
struct Part {
    /// Known voxels of each column.
    counts: [u32; CHUNK_EDGE],
    /// Where in the scratch the next of its words is.
    place: usize,
}

/// Rows that are filled in together: a chunk's masks are then read some cache lines at a time, as memory
/// is fetched best. Few enough to stay in the second cache.
const TOGETHER: usize = CHUNK_EDGE;

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
    fn new(store: &'a Store) -> Self {
        let bounds = store.bounds();
        Self { store, bounds, y: bounds.min().y, towers: vec![], ready: vec![], given: 0 }
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

impl StoreRows<'_> {
    /// Fills in the next row.
    fn next_row(&mut self, row: &mut Row) {
        if self.given == self.ready.len() {
            self.fill();
        }
        if let Some(next) = self.ready.get_mut(self.given) {
            std::mem::swap(row, next);
            self.given += 1;
        }
    }

    #[inline(never)]
    fn fill(&mut self) {
        let width = self.bounds.size().x as usize;
        let y_in_chunk = self.y.rem_euclid(CHUNK_EDGE as i32) as usize;
        if y_in_chunk == 0 || self.towers.is_empty() {
            self.find_chunks();
        }
        let left = (self.bounds.max().y - self.y).max(1) as usize;
        self.ready.resize_with(TOGETHER.min(CHUNK_EDGE - y_in_chunk).min(left), Row::default);
        for row in &mut self.ready {
            row.begin(width);
        }
        let mut scratch = Scratch::default();
        for tower in &self.towers {
            for (row, y_in_chunk) in self.ready.iter_mut().zip(y_in_chunk..) {
                tower.put_into(row, y_in_chunk, &mut scratch);
            }
        }
        for row in &mut self.ready {
            row.starts[width] = row.words.len() as u32;
            // Columns are copied by eights.
            row.words.extend([0; ROOM]);
        }
        self.y += self.ready.len() as i32;
        self.given = 0;
    }
}

impl Tower<'_> {
    /// Fills in its columns of a row.
    fn put_into<'a>(&'a self, row: &mut Row, y_in_chunk: usize, scratch: &mut Scratch<'a>) {
        const EDGE: i32 = CHUNK_EDGE as i32;
        let first = y_in_chunk * CHUNK_EDGE + self.first;
        let columns = first..first + self.columns.len();
        let masks = self.columns.start + 1..self.columns.end + 1;
        let (solid, known) = (&mut row.solid[masks.clone()], &mut row.known[masks]);
        if self.chunks.iter().all(|(z, _)| matches!(*z, 0 | EDGE)) {
            // The usual map, two chunks high, of which either may be all air.
            let [upper, lower] = [0, EDGE].map(|top| self.chunks.iter().find(|(z, _)| *z == top).map(|(_, chunk)| *chunk));
            let of = |chunk: Option<&'a Chunk>, masks: fn(&Chunk) -> &[ColumnMask; CHUNK_COLUMNS]| {
                &chunk.map_or(&[0; CHUNK_COLUMNS], masks)[columns.clone()]
            };
            stack(of(upper, Chunk::solid), of(lower, Chunk::solid), solid);
            stack(of(upper, Chunk::known), of(lower, Chunk::known), known);
        } else {
            solid.fill(0);
            known.fill(0);
            for (z, chunk) in &self.chunks {
                lift(*z, &chunk.solid()[columns.clone()], solid);
                lift(*z, &chunk.known()[columns.clone()], known);
            }
        }
        let begin = row.words.len();
        let starts = &mut row.starts[self.columns.clone()];
        let mut painted = self.chunks.iter().filter(|(_, chunk)| chunk.known_count_of(columns.clone()) > 0);
        match (painted.next(), painted.next()) {
            (None, _) => return starts.fill(begin as u32),
            (Some((_, chunk)), None) => {
                let end = chunk.known_places(first, begin as u32, starts);
                return chunk.paint_words_from(first, end as usize - begin, &mut row.words);
            }
            _ => {}
        }
        scratch.parts.clear();
        // Known voxels of each column in all of the chunks.
        let mut counts = [0; CHUNK_EDGE];
        for (_, chunk) in &self.chunks {
            let mut part = Part { counts: [0; CHUNK_EDGE], place: 0 };
            let count = chunk.known_counts(first, &mut part.counts[..self.columns.len()]);
            counts.iter_mut().zip(&part.counts).for_each(|(all, count)| *all += count);
            scratch.parts.push((part, chunk, count));
        }
        let mut next = begin as u32;
        for (count, start) in counts.iter().zip(starts) {
            *start = next;
            next += count;
        }
        // Colours of a column stand in several chunks: those of each chunk in turn.
        scratch.words.clear();
        for (part, chunk, count) in &mut scratch.parts {
            part.place = scratch.words.len();
            chunk.paint_words_from(first, *count, &mut scratch.words);
        }
        scratch.words.extend([0; ROOM]);
        row.words.resize(next as usize + ROOM, 0);
        let mut to = begin;
        for column in 0..self.columns.len() {
            for (part, ..) in &mut scratch.parts {
                let count = part.counts[column] as usize;
                copy_words(scratch.words.get(part.place..).unwrap_or(&[]), count, row.words.get_mut(to..).unwrap_or_default());
                part.place += count;
                to += count;
            }
        }
        row.words.truncate(to);
    }
}

/// Puts two chunks' masks over one another.
fn stack(upper: &[ColumnMask], lower: &[ColumnMask], to: &mut [u64]) {
    for (to, (upper, lower)) in to.iter_mut().zip(upper.iter().zip(lower)) {
        *to = u64::from(*upper) | u64::from(*lower) << CHUNK_EDGE;
    }
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
    lenient: bool,
    /// Where its columns go on elsewhere than they say.
    resyncs: Resyncs,
    /// Columns that were read so far.
    columns: usize,
    /// Byte after the last column that was read.
    pub end: usize,
    /// Columns without a floor so far.
    pub floorless: u64,
}

impl<'a> FileRows<'a> {
    /// From the first byte on; a column that is broken is an error.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, lenient: false, resyncs: Resyncs::default(), columns: 0, end: 0, floorless: 0 }
    }

    /// The same of a map of that size, with columns that are broken mended as they were when it was opened.
    pub fn mended(bytes: &'a [u8], size: Size) -> Self {
        Self { lenient: true, resyncs: Resyncs::find(bytes, size), ..Self::new(bytes) }
    }

    /// The column at byte `at`, number `column` of the file, mended, and its colors by rank.
    #[cold]
    fn mend(&self, at: usize, column: usize) -> (Column, Vec<u32>) {
        // What was mended was told when the map was opened.
        mend_or_resync(self.bytes, at, column, self.resyncs.of(column), &mut Repairs::default(), 0, 0)
    }

    /// Fills in the next row, comparing colours with the document's row.
    fn next_row(&mut self, row: &mut FileRow, doc: &Row) -> Result<(), FormatError> {
        let width = doc.solid.len() - 2;
        row.mended.clear();
        row.floorless.clear();
        row.before = self.columns;
        row.offsets.resize(width + 1, 0);
        row.same_colors.resize(width, false);
        row.same = 0;
        let words_at = |at: usize| self.bytes.get(at..).unwrap_or(&[]).as_chunks().0;
        let mut rest = words_at(self.end);
        let end = self.end + rest.len() * WORD;
        // Of a column that breaks off, less than a word may be left.
        let (mut x, mut past) = (0, 0);
        loop {
            // Up to where the file goes on elsewhere.
            let next = self.resyncs.first_in(self.columns + x..self.columns + width).map_or(width, |next| next - self.columns);
            x = row.read_usual(x..next, &mut rest, end, doc);
            if x == width {
                break;
            }
            let (at, from) = (end - rest.len() * WORD, doc.words_from(doc.starts[x] as usize));
            let (mut words, mut same) = (from, true);
            let read = if x == next {
                None
            } else {
                Some(parse_spans(&mut rest, end, |span| {
                    same = same && span.equal(words);
                    words = words.get(span.count..).unwrap_or(&[]);
                }))
            };
            let column = match read {
                Some(Ok(column)) => column,
                Some(Err(fault)) if !self.lenient => return Err(fault.into_error(self.bytes)),
                None | Some(Err(_)) => {
                    row.mended.push(x);
                    let (column, colors) = self.mend(at, self.columns + x);
                    let count = column.stored.count_ones() as usize;
                    same = colors.iter().zip(from).take(count).all(|(color, word)| color == word);
                    rest = words_at(column.end);
                    past = column.end;
                    column
                }
            };
            (row.offsets[x], row.same_colors[x]) = (at, same);
            row.same += usize::from(same);
            (row.solid[x + 1], row.stored[x + 1]) = (column.solid, column.stored);
            if column.solid & FLOOR == 0 {
                row.floorless.push(x);
            }
            x += 1;
        }
        (self.end, self.floorless) = (past.max(end - rest.len() * WORD), self.floorless + row.floorless.len() as u64);
        self.columns += width;
        if let Some(offset) = row.offsets.last_mut() {
            *offset = self.end;
        }
        (row.same_solid, row.same_known) = (row.solid == doc.solid, row.stored == doc.known);
        Ok(())
    }

    /// Voxels of a column whose colour is the word at the same place. Words by rank, of just those voxels
    /// that the file stores colours of.
    pub fn equal_to(&self, row: &FileRow, x: usize, mut words: &[u32]) -> u64 {
        let mut equal = 0;
        if row.mended.binary_search(&x).is_err() {
            let _ = parse_column(self.bytes, row.offsets[x], |run| {
                equal |= run.equal_to(words);
                words = words.get(run.count..).unwrap_or(&[]);
            });
            return equal;
        }
        let pairs = heights(row.stored[x + 1]).zip(self.words_of(row, x).into_iter().zip(words));
        pairs.fold(0, |all, (z, (color, word))| all | u64::from(color == *word) << z)
    }

    /// The colours of a column that was read.
    #[cold]
    pub fn words_of(&self, row: &FileRow, x: usize) -> ColumnWords {
        let mut words = [0; DEPTH as usize + ROOM];
        let (at, mut count) = (row.offsets[x], 0);
        if row.mended.binary_search(&x).is_ok() {
            let (_, colors) = self.mend(at, row.before + x);
            words.iter_mut().zip(colors).for_each(|(to, color)| *to = color);
        } else {
            let _ = parse_column(self.bytes, at, |run| {
                run.copy_to(words.get_mut(count..).unwrap_or_default());
                count += run.count;
            });
        }
        words
    }
}
