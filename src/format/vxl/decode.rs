//! The bytes of a VXL file to a store: straight into chunk masks and paint words, nothing hashed.
//!
//! Works a band of 32 rows of columns at a time, so that the chunks being filled stay in the cache.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use glam::IVec3;

use super::column::{DEPTH, FLOOR, Fault, ROOM, Run, WORD, parse_column, parse_spans, parse_usual};
use super::repair::{Repairs, mend_column, mend_or_resync};
use super::resync::Resyncs;
use crate::document::Progress;
use crate::format::FormatError;
use crate::geom::Region;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, ColumnMask, Store};

/// Largest file that is read: about 100 times the largest known map.
pub const MAX_BYTES: u64 = 512 << 20;

/// How many columns a map has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Columns from west to east.
    pub width: usize,
    /// Columns from north to south.
    pub height: usize,
}

impl Size {
    /// What the game takes.
    pub const GAME: Self = Self { width: 512, height: 512 };

    /// Number of columns.
    pub fn columns(self) -> usize {
        self.width * self.height
    }

    /// A square of that many columns.
    pub fn square_of(columns: usize) -> Option<Self> {
        let edge = columns.isqrt();
        (edge > 0 && edge * edge == columns).then_some(Self { width: edge, height: edge })
    }

    /// The box of such a map. A side is at most a few thousand columns.
    pub fn bounds(self) -> Region {
        Region::of_size(IVec3::new(self.width as i32, self.height as i32, DEPTH as i32))
    }
}

impl fmt::Display for Size {
    /// As the option `size` takes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// How to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    /// Mend broken columns instead of failing.
    pub lenient: bool,
}

/// A map as decoded.
#[derive(Debug)]
pub struct Decoded {
    /// The voxels; every colour that the file stores is known, no other.
    pub store: Store,
    /// Columns of the map.
    pub size: Size,
    /// Byte after the last column.
    pub end: usize,
    /// What was mended.
    pub repairs: Repairs,
    /// Columns that may stand beside their places.
    pub unsure: Option<Range<usize>>,
    /// Columns without a floor.
    pub floorless: u64,
    /// Columns in which the topmost voxel under some air has no colour.
    pub uncolored: u64,
}

/// Half the height of a chunk's worth of columns.
struct Half {
    solid: [ColumnMask; CHUNK_COLUMNS],
    known: [ColumnMask; CHUNK_COLUMNS],
    /// Where in `words` each column begins.
    starts: [u16; CHUNK_COLUMNS],
    /// Colours of the known voxels are the first `count`; what comes after them means nothing.
    words: Vec<u32>,
    count: usize,
}

/// Words of a row of columns, those of a column that turns out to be broken, and what is copied too much.
const ROW_WORDS: usize = CHUNK_EDGE * CHUNK_EDGE + DEPTH as usize + ROOM;

impl Half {
    fn new() -> Self {
        Self { solid: [0; CHUNK_COLUMNS], known: [0; CHUNK_COLUMNS], starts: [0; CHUNK_COLUMNS], words: vec![], count: 0 }
    }

    /// Makes room for the words of a row.
    fn begin_row(&mut self) {
        if self.words.len() < self.count + ROW_WORDS {
            self.words.resize(self.count * 2 + ROW_WORDS, 0);
        }
    }

    #[inline(always)]
    fn push(&mut self, run: Run) {
        run.copy_to(self.words.get_mut(self.count..).unwrap_or_default());
        self.count += run.count;
    }

    /// Ends a column that began at word `start`.
    #[inline(always)]
    fn put(&mut self, column: usize, start: usize, solid: ColumnMask, known: ColumnMask) {
        let place = (self.solid.get_mut(column), self.known.get_mut(column), self.starts.get_mut(column));
        if let (Some(a), Some(b), Some(c)) = place {
            // The last column of a chunk starts at 32,768 − 32 at most.
            (*a, *b, *c) = (solid, known, start as u16);
        }
    }

    /// The chunk so far; starts over with no colours. `all`: each of its columns was put in, in their order.
    fn take(&mut self, all: bool) -> Option<Arc<Chunk>> {
        let words = self.words.get(..self.count).unwrap_or_default().to_vec();
        self.count = 0;
        if self.solid.iter().all(|&solid| solid == 0) {
            return None;
        }
        let chunk = if all {
            Some(Chunk::from_counted_columns(&self.solid, &self.known, &self.starts, words))
        } else {
            Chunk::from_columns(&self.solid, &self.known, words)
        };
        assert!(chunk.is_some(), "a parsed column stores colors of solid voxels only");
        chunk.map(Arc::new)
    }
}

/// Two chunks, one over the other.
struct Tower {
    halves: [Half; 2],
}

impl Tower {
    fn new() -> Self {
        Self { halves: [Half::new(), Half::new()] }
    }

    #[inline(always)]
    fn push(&mut self, run: Run) {
        const EDGE: usize = CHUNK_EDGE;
        let z = run.z as usize;
        let (half, left) = ((z / EDGE) & 1, EDGE - z % EDGE);
        if run.count <= left {
            self.halves[half].push(run);
        } else {
            let ([upper, lower], (first, rest)) = (&mut self.halves, run.split_at(left));
            upper.push(first);
            lower.push(rest);
        }
    }

    fn push_stored(&mut self, stored: u64, words: &[u32]) {
        let heights = (0..DEPTH).filter(|z| stored >> z & 1 == 1);
        heights.zip(words).for_each(|(z, word)| self.push(Run::of(z, &[word.to_le_bytes()])));
    }

    /// Words so far.
    #[inline(always)]
    fn counts(&self) -> [usize; 2] {
        let [upper, lower] = &self.halves;
        [upper.count, lower.count]
    }

    /// Ends a column before which there were so many words.
    #[inline(always)]
    fn put(&mut self, index: usize, starts: [usize; 2], solid: u64, stored: u64) {
        let ([upper, lower], [upper_start, lower_start]) = (&mut self.halves, starts);
        // The low half of a column's mask is its upper chunk.
        upper.put(index, upper_start, solid as u32, stored as u32);
        lower.put(index, lower_start, (solid >> CHUNK_EDGE) as u32, (stored >> CHUNK_EDGE) as u32);
    }

    /// Reads columns up to the first that is not usual, has many colors, or lies at the very end of the file; answers which that is. For
    /// `rest` see [`parse_usual`]. A usual column has a floor, and a color where it begins.
    // By itself, its loop has the registers for itself.
    #[inline(never)]
    fn read_usual(&mut self, columns: Range<usize>, rest: &mut &[[u8; WORD]]) -> usize {
        let [upper, lower] = &mut self.halves;
        let (mut next, mut counts, mut column) = (*rest, [upper.count, lower.count], columns.start);
        while column < columns.end {
            let mut after = next;
            let Some((solid, stored, colors)) = parse_usual(&mut after) else { break };
            let [upper_to, lower_to] = [&mut *upper, &mut *lower].map(|half| &mut half.words);
            let places = upper_to.get_mut(counts[0]..).and_then(<[u32]>::first_chunk_mut::<8>);
            let Some((upper_to, lower_to)) = places.zip(lower_to.get_mut(counts[1]..).and_then(<[u32]>::first_chunk_mut::<8>)) else {
                break;
            };
            let in_upper = (stored as u32).count_ones() as usize;
            if colors.copy_short(in_upper, upper_to, lower_to).is_none() {
                break;
            }
            upper.put(column, counts[0], solid as u32, stored as u32);
            lower.put(column, counts[1], (solid >> CHUNK_EDGE) as u32, (stored >> CHUNK_EDGE) as u32);
            counts = [counts[0] + in_upper, counts[1] + colors.count - in_upper];
            (next, column) = (after, column + 1);
        }
        *rest = next;
        [upper.count, lower.count] = counts;
        column
    }

    /// Reads columns one after the other into those of `columns`. `rest` is the file from the first of them on,
    /// afterwards that from the next one on; `end` is where in the file it ends.
    ///
    /// # Errors
    /// The first column that is broken: nothing of it is there then, and `rest` begins with it.
    fn read(&mut self, columns: Range<usize>, rest: &mut &[[u8; WORD]], end: usize, odd: &mut Odd) -> Result<(), (usize, Fault)> {
        let (mut words, mut index) = (*rest, columns.start);
        loop {
            index = self.read_usual(index..columns.end, &mut words);
            if index >= columns.end {
                break;
            }
            let (here, starts) = (words, self.counts());
            let read = parse_spans(&mut words, end, |span| span.each_run(|run| self.push(run)));
            let column = match read {
                Ok(column) => column,
                Err(fault) => {
                    for (half, start) in self.halves.iter_mut().zip(starts) {
                        half.count = start;
                    }
                    *rest = here;
                    return Err((index, fault));
                }
            };
            // A mended column is written anew, and colored then.
            odd.uncolored += u64::from(column.solid & !(column.solid << 1) & !column.stored != 0);
            odd.floorless += u64::from(column.solid & FLOOR == 0);
            self.put(index, starts, column.solid, column.stored);
            index += 1;
        }
        *rest = words;
        Ok(())
    }
}

/// Columns that are unlike those that the game writes.
#[derive(Default)]
struct Odd {
    floorless: u64,
    uncolored: u64,
}

/// Reads a map, finding out its size: 512×512, or the square that uses the file up exactly.
///
/// Bytes after 512×512 columns are left over where they do not make a larger square.
///
/// # Errors
/// If the file is broken (and not to be mended), or too large.
pub fn decode_any_size(bytes: &[u8], config: Config, progress: &Progress) -> Result<Decoded, FormatError> {
    check_length(bytes.len() as u64)?;
    let strict = Config { lenient: false };
    if bytes.len() >= Size::GAME.columns() * WORD {
        match decode(bytes, Size::GAME, strict, progress) {
            Ok(decoded) => {
                let rest = bytes.get(decoded.end..).unwrap_or(&[]);
                let larger = match count_columns(rest) {
                    (0, _) | (_, Some(_)) => None,
                    (more, None) => Size::square_of(Size::GAME.columns() + more),
                };
                return match larger {
                    Some(size) => decode(bytes, size, strict, progress),
                    // What was written over some columns may read as more than these were.
                    None if config.lenient && !rest.is_empty() => decode(bytes, Size::GAME, config, progress),
                    None => Ok(decoded),
                };
            }
            Err(FormatError::Truncated { .. }) => {}
            Err(FormatError::BadValue { .. }) if config.lenient => {}
            Err(error) => return Err(error),
        }
    }
    let (columns, broken) = count_columns(bytes);
    match (broken, Size::square_of(columns)) {
        (None, Some(size)) => decode(bytes, size, strict, progress),
        _ if config.lenient && !bytes.is_empty() => decode(bytes, mended_size(bytes), config, progress),
        (Some(broken), _) => Err(broken.into_error(bytes)),
        (None, None) if columns > 0 => Err(FormatError::NotSquare { columns, offset: bytes.len() as u64 }),
        (None, None) => {
            let missing = Size::GAME.columns() * WORD;
            Err(FormatError::Truncated { offset: bytes.len() as u64, needed: (bytes.len() + missing) as u64 })
        }
    }
}

/// Refuses files so large that they cannot be maps.
///
/// # Errors
/// [`FormatError::FileTooLarge`].
pub fn check_length(length: u64) -> Result<(), FormatError> {
    if length > MAX_BYTES { Err(FormatError::FileTooLarge { length, most: MAX_BYTES }) } else { Ok(()) }
}

/// Columns that can be read one after the other, and why it ended where not with the bytes.
pub fn count_columns(bytes: &[u8]) -> (usize, Option<Fault>) {
    let (mut columns, mut at) = (0, 0);
    while at < bytes.len() {
        match parse_column(bytes, at, |_| ()) {
            Ok(column) => at = column.end,
            Err(fault) => return (columns, Some(fault)),
        }
        columns += 1;
    }
    (columns, None)
}

/// The byte after the last column of a map of that size; `None` where a column is broken.
pub fn end_of(bytes: &[u8], size: Size) -> Option<usize> {
    (0..size.columns()).try_fold(0, |at, _| parse_column(bytes, at, |_| ()).ok().map(|column| column.end))
}

/// The square that a broken file's columns fill exactly, else 512×512.
fn mended_size(bytes: &[u8]) -> Size {
    let (mut columns, mut at) = (0, 0);
    while at < bytes.len() {
        let mended = || mend_column(bytes, at, &mut [0; DEPTH as usize], |_, _| ());
        let Some(column) = parse_column(bytes, at, |_| ()).ok().or_else(mended) else { break };
        at = column.end;
        columns += 1;
    }
    Size::square_of(columns).unwrap_or(Size::GAME)
}

/// Reads a map of known size; bytes after its last column are left over.
///
/// # Errors
/// If a column is broken and not to be mended, or the file is too short.
pub fn decode(bytes: &[u8], size: Size, config: Config, progress: &Progress) -> Result<Decoded, FormatError> {
    check_length(bytes.len() as u64)?;
    // Before anything is allocated for the columns: each takes a header at least.
    let needed = size.columns() * WORD;
    if bytes.is_empty() || (bytes.len() < needed && !config.lenient) {
        return Err(FormatError::Truncated { offset: bytes.len() as u64, needed: needed as u64 });
    }
    let mut decoded =
        Decoded { store: Store::new(size.bounds()), size, end: 0, repairs: Repairs::default(), unsure: None, floorless: 0, uncolored: 0 };
    let mut towers: Vec<_> = (0..size.width.div_ceil(CHUNK_EDGE)).map(|_| Tower::new()).collect();
    let words_at = |at: usize| bytes.get(at..).unwrap_or(&[]).as_chunks().0;
    let (mut rest, mut odd, whole) = (words_at(0), Odd::default(), bytes.len() / WORD * WORD);
    let resyncs = if config.lenient { Resyncs::find(bytes, size) } else { Resyncs::default() };
    for band in 0..size.height.div_ceil(CHUNK_EDGE) {
        progress.report((band * CHUNK_EDGE) as f32 / size.height as f32)?;
        let rows = CHUNK_EDGE.min(size.height - band * CHUNK_EDGE);
        if rows < CHUNK_EDGE {
            // The last band does not overwrite all of the one before.
            for half in towers.iter_mut().flat_map(|tower| &mut tower.halves) {
                half.solid.fill(0);
                half.known.fill(0);
            }
        }
        for row in 0..rows {
            for (chunk_x, tower) in towers.iter_mut().enumerate() {
                tower.halves.iter_mut().for_each(Half::begin_row);
                let first = row * CHUNK_EDGE;
                let mut columns = first..first + CHUNK_EDGE.min(size.width - chunk_x * CHUNK_EDGE);
                let index = (band * CHUNK_EDGE + row) * size.width + chunk_x * CHUNK_EDGE;
                loop {
                    // Up to the column where the columns of the file go on elsewhere, or to one that cannot be read.
                    let lost = resyncs.first_in(index + columns.start - first..index + columns.end - first);
                    let next = lost.map(|column| column + first - index);
                    let (broken, fault) = match tower.read(columns.start..next.unwrap_or(columns.end), &mut rest, whole, &mut odd) {
                        Ok(()) => match next {
                            Some(next) => (next, None),
                            None => break,
                        },
                        Err((broken, fault)) => (broken, Some(fault)),
                    };
                    if let Some(fault) = fault.filter(|_| !config.lenient) {
                        return Err(fault.into_error(bytes));
                    }
                    let (x, y) = (chunk_x * CHUNK_EDGE + broken - first, band * CHUNK_EDGE + row);
                    let (at, starts) = (whole - rest.len() * WORD, tower.counts());
                    let number = index + broken - first;
                    let (mended, colors) = mend_or_resync(bytes, at, number, resyncs.of(number), &mut decoded.repairs, x, y);
                    tower.push_stored(mended.stored, &colors);
                    tower.put(broken, starts, mended.solid, mended.stored);
                    rest = words_at(mended.end);
                    decoded.end = mended.end;
                    columns.start = broken + 1;
                }
            }
        }
        for (chunk_x, tower) in towers.iter_mut().enumerate() {
            let all = rows == CHUNK_EDGE && (chunk_x + 1) * CHUNK_EDGE <= size.width;
            for (z, half) in tower.halves.iter_mut().enumerate() {
                if let Some(chunk) = half.take(all) {
                    decoded.store.put_chunk(ChunkPos(IVec3::new(chunk_x as i32, band as i32, z as i32)), Some(chunk));
                }
            }
        }
    }
    decoded.end = decoded.end.max(whole - rest.len() * WORD);
    (decoded.floorless, decoded.uncolored, decoded.unsure) = (odd.floorless, odd.uncolored, resyncs.unsure);
    Ok(decoded)
}
