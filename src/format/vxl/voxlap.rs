//! The Voxlap engine's own `.vxl`: a header with a camera, then square columns of 256 heights.
//!
//! `roxlap-formats` reads the header and says where each column begins; the spans are read here, as strictly
//! as those of a game map. A whole map is imported, all 256 heights of it, and never written again: saving
//! makes an Ace of Spades map, which it does not fit before it is cropped to 64 heights.

use std::sync::Arc;

use glam::IVec3;
use roxlap_formats::vxl::{ParseError, parse};

use super::column::{Fault, WORD, heights};
use super::decode::check_length;
use crate::document::{Document, GameProfile, Progress};
use crate::format::{FormatError, Report, Severity};
use crate::geom::Region;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, ColumnMask, Store};

/// First bytes of such a file: 0x09072000, little endian.
pub const MAGIC: [u8; 4] = 0x0907_2000_u32.to_le_bytes();

/// Magic, two sides, and the camera's place and three directions in doubles.
const HEADER: usize = 4 + 4 + 4 + 4 * 3 * 8;
/// Heights of a column.
const DEPTH: usize = 256;
/// Chunks over each other.
const LEVELS: usize = DEPTH / CHUNK_EDGE;
/// Longest side that is read, twice the engine's own: a small file could claim memory without end.
const MAX_SIDE: usize = 2048;

/// Reads such a file.
///
/// # Errors
/// If the header or a column is broken, with its byte.
pub fn read(bytes: &[u8], progress: &Progress, report: &mut Report) -> Result<Document, FormatError> {
    check_length(bytes.len() as u64)?;
    check_side(bytes)?;
    let map = parse(bytes).map_err(|error| fault_of(&error, bytes))?;
    let side = map.vsid as usize;
    let mut store = Store::new(Region::of_size(IVec3::new(side as i32, side as i32, DEPTH as i32)));
    let mut towers: Vec<_> = (0..side.div_ceil(CHUNK_EDGE)).map(|_| Tower::default()).collect();
    let mut starts = map.column_offset.iter().map(|start| HEADER + *start as usize);
    for y in 0..side {
        progress.report(y as f32 / side as f32)?;
        let row = y % CHUNK_EDGE * CHUNK_EDGE;
        for (x, start) in (0..side).zip(&mut starts) {
            let Some(tower) = towers.get_mut(x / CHUNK_EDGE) else { continue };
            read_column(bytes, start, row + x % CHUNK_EDGE, tower).map_err(|fault| fault.into_error(bytes))?;
        }
        if (y + 1) % CHUNK_EDGE == 0 || y + 1 == side {
            for (chunk_x, tower) in towers.iter_mut().enumerate() {
                for (level, half) in tower.0.iter_mut().enumerate() {
                    let pos = ChunkPos(IVec3::new(chunk_x as i32, (y / CHUNK_EDGE) as i32, level as i32));
                    store.put_chunk(pos, std::mem::take(half).into_chunk());
                }
            }
        }
    }
    let message =
        format!("a map of the Voxlap engine, {side}×{side}×{DEPTH}: it is saved as an Ace of Spades map, once it is 64 voxels high");
    report.push(Severity::Info, "voxlap", message);
    let end = starts.next().unwrap_or(bytes.len());
    let message = format!("bytes after the last column, from byte {end}, are not kept");
    report.push_count(Severity::Guess, "trailing-bytes", message, bytes.len().saturating_sub(end) as u64);
    Ok(Document::new(store, &GameProfile::ACE_OF_SPADES))
}

fn word_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?)).ok()
}

/// Refuses what would take memory that the file's length does not account for.
fn check_side(bytes: &[u8]) -> Result<(), FormatError> {
    match word_at(bytes, 4) {
        Some(side) if side > MAX_SIDE => {
            Err(FormatError::BadValue { offset: 4, what: "a side is longer than 2048 columns", found: side as i64 })
        }
        _ => Ok(()),
    }
}

/// What the crate found, as an error with its byte.
fn fault_of(error: &ParseError, bytes: &[u8]) -> FormatError {
    let length = bytes.len();
    let cut = |needed: usize| FormatError::Truncated { offset: length as u64, needed: needed.max(length + 1) as u64 };
    match *error {
        ParseError::NonSquareVsid { y, .. } => {
            FormatError::BadValue { offset: 8, what: "the sides of a Voxlap map are not equal", found: i64::from(y) }
        }
        ParseError::BadVsid { vsid: 0, .. } => FormatError::BadValue { offset: 4, what: "the map has no columns", found: 0 },
        ParseError::BadVsid { vsid, .. } => cut(HEADER + WORD * (vsid as usize).saturating_mul(vsid as usize)),
        ParseError::Truncated { at, need } => cut(at + need),
        ParseError::BadColumn { at, .. } => cut(HEADER + at + WORD),
        _ => cut(HEADER),
    }
}

/// A chunk in the making.
struct Level {
    solid: Box<[ColumnMask; CHUNK_COLUMNS]>,
    known: Box<[ColumnMask; CHUNK_COLUMNS]>,
    words: Vec<u32>,
}

impl Default for Level {
    fn default() -> Self {
        Self { solid: Box::new([0; CHUNK_COLUMNS]), known: Box::new([0; CHUNK_COLUMNS]), words: vec![] }
    }
}

impl Level {
    fn into_chunk(self) -> Option<Arc<Chunk>> {
        let chunk = Chunk::from_columns(&self.solid, &self.known, self.words);
        assert!(chunk.is_some(), "a span colors solid voxels only, each once");
        chunk.map(Arc::new)
    }
}

/// The chunks over each other, from the top down.
#[derive(Default)]
struct Tower([Level; LEVELS]);

impl Tower {
    /// The levels that the heights meet, with the part of each.
    fn parts(&mut self, from: usize, to: usize) -> impl Iterator<Item = (&mut Level, ColumnMask)> {
        self.0.iter_mut().enumerate().filter_map(move |(level, part)| {
            let top = level * CHUNK_EDGE;
            let (from, to) = (from.clamp(top, top + CHUNK_EDGE) - top, to.clamp(top, top + CHUNK_EDGE) - top);
            let mask = (u64::MAX << from & !(u64::MAX << to)) as ColumnMask;
            (mask != 0).then_some((part, mask))
        })
    }

    fn fill(&mut self, column: usize, from: usize, to: usize) {
        for (level, mask) in self.parts(from, to) {
            if let Some(solid) = level.solid.get_mut(column) {
                *solid |= mask;
            }
        }
    }

    fn color(&mut self, column: usize, from: usize, colors: &[[u8; WORD]]) {
        let mut colors = colors.iter();
        for (level, mask) in self.parts(from, from + colors.len()) {
            if let Some(known) = level.known.get_mut(column) {
                *known |= mask;
            }
            level.words.extend(heights(mask.into()).zip(&mut colors).map(|(_, color)| u32::from_le_bytes(*color)));
        }
    }
}

/// Reads the spans of the column that starts at byte `at`.
///
/// They are those of a game map, but for 256 heights, and that a last one whose run ends two heights or more
/// above its start has nothing below its air: so the crate writes columns without a floor.
fn read_column(bytes: &[u8], mut at: usize, column: usize, tower: &mut Tower) -> Result<(), Fault> {
    let bad = |offset, what| Err(Fault::BadByte { offset, what });
    let mut air = 0;
    loop {
        let rest: &[[u8; WORD]] = bytes.get(at..).unwrap_or(&[]).as_chunks().0;
        let Some((&[n, s, e, _], rest)) = rest.split_first() else { return Err(Fault::Truncated { needed: at + WORD }) };
        let (n, s, top_end) = (usize::from(n), usize::from(s), usize::from(e) + 1);
        if n == 0 && top_end < s {
            return Ok(());
        }
        if s > top_end {
            return bad(at + 1, "the top run starts below its end");
        }
        if s < air {
            return bad(at + 1, "the top run starts above the air over it");
        }
        let top = top_end - s;
        let count = if n == 0 { top } else { n - 1 };
        if count < top {
            return bad(at, "the span is too short for its top colors");
        }
        let Some((top_colors, bottom_colors)) = rest.get(..count).and_then(|colors| colors.split_at_checked(top)) else {
            return Err(Fault::Truncated { needed: at + WORD + count * WORD });
        };
        at += WORD + count * WORD;
        let next_air = match rest.get(count) {
            _ if n == 0 => DEPTH,
            Some(&[.., next_air]) => usize::from(next_air),
            None => return Err(Fault::Truncated { needed: at + WORD }),
        };
        if next_air < top_end + bottom_colors.len() {
            return bad(at + 3, "the air starts within the colors above it");
        }
        tower.fill(column, s, next_air);
        tower.color(column, s, top_colors);
        tower.color(column, next_air - bottom_colors.len(), bottom_colors);
        if n == 0 {
            return Ok(());
        }
        air = next_air;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Vxl;
    use super::*;
    use crate::document::Options;
    use crate::format::{Certainty, MapFormat as _, MemorySource, recognize};
    use crate::voxel::{Paint, StoreEdit};

    fn file(side: [u32; 2], columns: &[Vec<u8>]) -> Vec<u8> {
        let [width, height] = side.map(u32::to_le_bytes);
        [&MAGIC[..], &width, &height, &[7; 4 * 3 * 8], &columns.concat()].concat()
    }

    /// Spans as bytes; the colours of a column count up from 1.
    fn column(spans: &[([u8; 4], usize)]) -> Vec<u8> {
        let mut colors = 1_u32..;
        let span = |(header, count): &([u8; 4], usize)| {
            [header.to_vec(), colors.by_ref().take(*count).flat_map(u32::to_le_bytes).collect()].concat()
        };
        spans.iter().map(span).collect::<Vec<_>>().concat()
    }

    /// Ground at 200 with an island over it, all coloured, none, and nothing at all.
    fn four() -> Vec<u8> {
        let island = column(&[([4, 30, 31, 0], 3), ([0, 200, 201, 70], 2)]);
        let colored = column(&[([0, 0, 255, 0], 256)]);
        file([2, 2], &[island, colored, column(&[([0, 254, 253, 0], 0)]), column(&[([0, 255, 253, 0], 0)])])
    }

    fn read_with(bytes: &[u8]) -> Result<(Document, Report), FormatError> {
        let mut report = Report::new();
        let map = Vxl.read(&MemorySource(bytes.into()), &Options::new(), &Progress::new(), &mut report)?;
        Ok((map, report))
    }

    #[test]
    fn a_map_is_imported_with_all_its_heights_and_colors() {
        let bytes = four();
        let source = MemorySource(bytes.as_slice().into());
        assert_eq!(Vxl.probe(&source), Certainty::Sure);
        assert_eq!(recognize(&source, None).map(|format| format.id()), Some("vxl"));
        let (map, report) = read_with(&bytes).unwrap();
        assert_eq!(map.bounds().size().to_array(), [2, 2, 256]);
        assert!(map.source.is_none() && report.warnings.iter().any(|warning| warning.code == "voxlap"));
        let solid = |x: i32, y: i32| (0..256).filter(|z| map.store().is_solid(IVec3::new(x, y, *z))).collect::<Vec<_>>();
        assert_eq!(solid(0, 0), (30..70).chain(200..256).collect::<Vec<_>>());
        assert_eq!(solid(1, 0), (0..256).collect::<Vec<_>>());
        assert_eq!((solid(0, 1), solid(1, 1)), (vec![254, 255], vec![]));
        let color = |x: i32, z: i32| map.store().paint(IVec3::new(x, 0, z)).map(Paint::to_word);
        let known: Vec<_> = (0..256).filter_map(|z| Some((z, color(0, z)?))).collect();
        assert_eq!(known, [(30, 1), (31, 2), (69, 3), (200, 4), (201, 5)]);
        assert!((0..256).all(|z| color(1, z) == Some(z as u32 + 1)));
    }

    #[test]
    fn it_is_saved_as_a_game_map_once_it_is_64_high_and_never_before() {
        let (map, _) = read_with(&four()).unwrap();
        let write = |map: &Document, bytes: &mut Vec<u8>| Vxl.write(map, bytes, &Options::new(), &Progress::new(), &mut Report::new());
        assert!(matches!(write(&map, &mut vec![]), Err(FormatError::DoesNotFit { .. })));
        let report = Vxl.preflight(&map, &Options::new());
        assert_eq!(report.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>(), ["does-not-fit"]);
        let mut low = Document::new(Store::new(Region::of_size(IVec3::new(2, 2, 64))), map.profile);
        let mut edit = StoreEdit::new(low.store());
        for pos in low.bounds().positions() {
            edit.set(pos, map.store().voxel(pos + IVec3::Z * 192));
        }
        low.store_mut(0).unwrap().apply(&edit.finish());
        let mut bytes = vec![];
        write(&low, &mut bytes).unwrap();
        assert!(!bytes.starts_with(&MAGIC));
        let (again, _) = read_with(&bytes).unwrap();
        assert_eq!(again.store().paint(IVec3::new(0, 0, 8)).map(Paint::to_word), Some(4));
    }

    #[test]
    fn bytes_after_the_last_column_are_told() {
        let (_, report) = read_with(&[four(), vec![1, 2, 3]].concat()).unwrap();
        assert!(report.warnings.iter().any(|warning| (warning.code, warning.count) == ("trailing-bytes", 3)));
    }

    #[test]
    fn a_file_cut_anywhere_is_truncated() {
        let bytes = four();
        for length in MAGIC.len()..bytes.len() {
            match read_with(&bytes[..length]) {
                Err(FormatError::Truncated { offset, needed }) => assert!(offset == length as u64 && needed > offset, "{length}"),
                other => panic!("{length}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_flipped_bit_is_another_map_or_an_error_with_its_byte() {
        let bytes = four();
        for bit in MAGIC.len() * 8..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match read_with(&flipped) {
                Ok((map, _)) => assert_eq!(map.bounds().size().z, 256),
                Err(FormatError::Truncated { offset, needed }) => assert!(offset == bytes.len() as u64 && needed > offset),
                Err(FormatError::BadValue { offset, .. }) => assert!(offset < bytes.len() as u64),
                Err(error) => panic!("bit {bit}: {error}"),
            }
        }
    }

    #[test]
    fn broken_headers_and_spans_are_errors_at_the_wrong_byte() {
        #[track_caller]
        fn check(bytes: &[u8], expected: u64) {
            match read_with(bytes) {
                Err(FormatError::BadValue { offset, .. }) => assert_eq!(offset, expected),
                other => panic!("{other:?}"),
            }
        }
        let sole = |spans: &[([u8; 4], usize)]| file([1, 1], &[column(spans)]);
        check(&file([2, 3], &[vec![0; 96]]), 8);
        check(&file([0, 0], &[]), 4);
        check(&file([u32::MAX, u32::MAX], &[]), 4);
        let start = HEADER as u64;
        check(&sole(&[([2, 9, 7, 0], 1), ([0, 255, 255, 20], 1)]), start + 1);
        check(&sole(&[([1, 9, 9, 0], 0), ([0, 255, 255, 20], 1)]), start);
        check(&sole(&[([4, 9, 9, 0], 3), ([0, 255, 255, 11], 1)]), start + 19);
        check(&sole(&[([2, 9, 9, 0], 1), ([0, 10, 10, 20], 1)]), start + 9);
    }
}
