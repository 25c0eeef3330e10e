//! A snapshot to the bytes of a VXL file, copying from the source file every column that still says the same.
//!
//! Which columns those are is found by comparing with the source decoded again; nobody tracks edits.
//! A column is copied if its solid mask and its neighbours' are the source's, and if of the voxels that
//! would be written with a colour (visible, or stored by the source) exactly those have a known colour
//! that the source stores, with equal paint. So hidden voxels may be painted and the column stays as it
//! was: their colours would not be written anyway.

use std::collections::BTreeSet;
use std::io::Write;

use glam::IVec3;

use super::column::{DEPTH, FLOOR, below, surface, write_column};
use super::decode::{Config, Decoded, Size, decode};
use super::rows::{Masks, Window};
use crate::document::{Document, Progress, Snapshot};
use crate::format::{FormatError, Report, Severity, Warning};
use crate::voxel::{CHUNK_EDGE, ChunkPos, Paint, Rgb, SHADE_NEUTRAL, Store};

/// Colour of a visible voxel where none is known, nor any above it: the game's earth.
pub const EARTH: u32 = Paint { rgb: Rgb::new(0x67, 0x40, 0x28), shade: SHADE_NEUTRAL }.to_word();

/// Bytes gathered before they go to the sink.
const BUFFER: usize = 1 << 16;

/// The file that a document came from, decoded again.
struct Original<'a> {
    bytes: &'a [u8],
    decoded: Decoded,
    /// Chunk columns `[y * chunks_x + x]` that may be copied whole.
    clean: Vec<bool>,
}

/// What came out otherwise than the document has it.
#[derive(Default)]
struct Counts {
    guessed: Places,
    floor_added: Places,
    hidden_dropped: u64,
    floorless_rewritten: u64,
}

#[derive(Default)]
struct Places {
    count: u64,
    first: Vec<IVec3>,
}

impl Places {
    fn add(&mut self, pos: IVec3) {
        self.count += 1;
        if self.first.len() < 64 {
            self.first.push(pos);
        }
    }

    fn tell(self, report: &mut Report, severity: Severity, code: &'static str, message: &str) {
        if self.count > 0 {
            let message = message.into();
            report.warnings.push(Warning { severity, code, message, count: self.count, positions: self.first, line: None });
        }
    }
}

/// Size of a map that a file can hold: 64 high, square unless `size` asks for just that size.
///
/// # Errors
/// [`FormatError::DoesNotFit`].
pub fn size_of(snapshot: &Document, wanted: Option<Size>) -> Result<Size, FormatError> {
    let size = snapshot.bounds().size();
    let misfit = |rule| FormatError::DoesNotFit { size, rule };
    if size.z != DEPTH as i32 {
        return Err(misfit("a VXL map is 64 voxels high"));
    }
    let (Ok(width), Ok(height)) = (usize::try_from(size.x), usize::try_from(size.y)) else { return Err(misfit("it has no columns")) };
    let fitting = Size { width, height };
    if fitting.columns() == 0 {
        return Err(misfit("it has no columns"));
    }
    if width != height && wanted != Some(fitting) {
        return Err(misfit("a VXL map is square"));
    }
    Ok(fitting)
}

/// Writes the first volume.
///
/// # Errors
/// If the sink fails or the work is cancelled.
pub fn encode(snapshot: &Snapshot, size: Size, sink: &mut dyn Write, progress: &Progress, report: &mut Report) -> Result<(), FormatError> {
    let store = snapshot.store();
    let original = original(snapshot, size, progress)?;
    let mut counts = Counts::default();
    if let Some(original) = &original
        && original.clean.iter().all(|clean| *clean)
    {
        sink.write_all(original.bytes)?;
    } else {
        Encoder { window: Window::new(store), original: original.as_ref(), out: vec![], counts: &mut counts }.run(size, sink, progress)?;
    }
    if let Some(original) = &original {
        let kept = original.decoded.floorless - counts.floorless_rewritten;
        let message = "columns have no floor and are kept so: some programs cannot save such a map; fill z 63 to mend it";
        report.push_count(Severity::Problem, "no-floor", message, kept);
        let trailing = original.bytes.len() - original.decoded.end;
        report.push_count(Severity::Info, "trailing-bytes", "bytes after the last column are kept as they were", trailing as u64);
    }
    counts.floor_added.tell(report, Severity::Repair, "floor-added", "columns without a floor are written with one at z 63");
    let message = "visible voxels without a known color take the color above them, or earth";
    counts.guessed.tell(report, Severity::Guess, "guessed-colors", message);
    let message = "known colors of hidden voxels are not written: the file has none for them";
    report.push_count(Severity::Info, "hidden-colors", message, counts.hidden_dropped);
    Ok(())
}

/// Decodes the document's source again, if it is a VXL of that size.
fn original<'a>(snapshot: &'a Snapshot, size: Size, progress: &Progress) -> Result<Option<Original<'a>>, FormatError> {
    let Some(source) = snapshot.source.as_deref().filter(|source| source.format == super::ID) else { return Ok(None) };
    if snapshot.bounds() != size.bounds() {
        return Ok(None);
    }
    let lenient = super::lenient(&source.options)?;
    let decoded = match decode(&source.bytes, size, Config { lenient, indexed: true }, &Progress::new()) {
        Ok(decoded) => decoded,
        // A file of another size: nothing of it can be kept.
        Err(FormatError::Truncated { .. } | FormatError::BadValue { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    progress.check()?;
    let clean = clean_chunks(snapshot.store(), &decoded);
    Ok(Some(Original { bytes: &source.bytes, decoded, clean }))
}

/// Which chunk columns are as in the source, with those on their four sides, and needed no mending.
fn clean_chunks(store: &Store, decoded: &Decoded) -> Vec<bool> {
    let (across, down) = (decoded.size.width.div_ceil(CHUNK_EDGE), decoded.size.height.div_ceil(CHUNK_EDGE));
    let mended: BTreeSet<_> = decoded
        .mended
        .iter()
        .map(|index| index / decoded.size.width / CHUNK_EDGE * across + index % decoded.size.width / CHUNK_EDGE)
        .collect();
    let equal = |x: i32, y: i32| {
        (0..2).all(|z| {
            let pos = ChunkPos(IVec3::new(x, y, z));
            store.chunk(pos) == decoded.store.chunk(pos)
        })
    };
    let all: Vec<bool> = (0..down * across).map(|index| equal((index % across) as i32, (index / across) as i32)).collect();
    let clean = |index: usize| {
        let (x, y) = (index % across, index / across);
        let sides = [(x > 0, -1), (x + 1 < across, 1), (y > 0, -(across as isize)), (y + 1 < down, across as isize)];
        let side_equal = |(inside, step): (bool, isize)| !inside || all.get(index.wrapping_add_signed(step)) == Some(&true);
        all.get(index) == Some(&true) && sides.into_iter().all(side_equal) && !mended.contains(&index)
    };
    (0..down * across).map(clean).collect()
}

struct Encoder<'a> {
    window: Window<'a>,
    original: Option<&'a Original<'a>>,
    out: Vec<u8>,
    counts: &'a mut Counts,
}

impl Encoder<'_> {
    fn run(mut self, size: Size, sink: &mut dyn Write, progress: &Progress) -> Result<(), FormatError> {
        let across = size.width.div_ceil(CHUNK_EDGE);
        let mut source_window = self.original.map(|original| Window::new(&original.decoded.store));
        let (mut words, mut source_words) = (vec![], vec![]);
        let origin = self.window.origin();
        for y in 0..size.height {
            progress.report(y as f32 / size.height as f32)?;
            let clean_row = self.original.and_then(|original| original.clean.chunks_exact(across).nth(y / CHUNK_EDGE));
            let row_clean = clean_row.is_some_and(|row| row.iter().all(|clean| *clean));
            if !row_clean {
                self.window.move_to(origin.y + y as i32);
                if let Some(window) = &mut source_window {
                    window.move_to(y as i32);
                }
            }
            for chunk_x in 0..across {
                let xs = chunk_x * CHUNK_EDGE..size.width.min((chunk_x + 1) * CHUNK_EDGE);
                if let (Some(original), Some(true)) = (self.original, clean_row.and_then(|row| row.get(chunk_x))) {
                    self.out.extend(original.columns(y * size.width + xs.start, xs.len()));
                    continue;
                }
                for x in xs {
                    let pos = origin + IVec3::new(x as i32, y as i32, 0);
                    self.window.words(pos.x, &mut words);
                    let doc = self.window.masks(pos.x);
                    let source = source_window.as_ref().map(|window| {
                        window.words(x as i32, &mut source_words);
                        window.masks(x as i32)
                    });
                    self.column(y * size.width + x, pos, (doc, &words), source.map(|source| (source, &*source_words)));
                }
            }
            if self.out.len() >= BUFFER {
                sink.write_all(&self.out)?;
                self.out.clear();
            }
        }
        if let Some(original) = self.original {
            self.out.extend(original.bytes.get(original.decoded.end..).unwrap_or(&[]));
        }
        sink.write_all(&self.out)?;
        Ok(())
    }

    fn column(&mut self, index: usize, pos: IVec3, (doc, words): (Masks, &[u32]), source: Option<(Masks, &[u32])>) {
        // What the neighbours will be in the file: a floor is added unless the source's column has none.
        let around = match &source {
            None => doc.around.map(|solid| solid | FLOOR),
            Some((source, _)) => {
                let mut around = doc.around;
                around.iter_mut().zip(source.around).for_each(|(solid, source)| *solid |= source & FLOOR);
                around
            }
        };
        let unchanged = source.map_or(0, |source| unchanged(&doc, words, source));
        if let (Some(original), Some((source, _))) = (self.original, source) {
            let same_solid = source.solid == doc.solid && source.around == doc.around;
            if same_solid && unchanged == source.known && original.decoded.mended.binary_search(&index).is_err() {
                let colored = source.known | surface(doc.solid, around);
                if doc.known & colored == source.known {
                    self.counts.hidden_dropped += u64::from((doc.known & !colored).count_ones());
                    self.out.extend(original.columns(index, 1));
                    return;
                }
            }
            self.counts.floorless_rewritten += u64::from(source.solid & FLOOR == 0);
        }
        if doc.solid & FLOOR == 0 {
            self.counts.floor_added.add(pos.with_z(pos.z + DEPTH as i32 - 1));
        }
        let solid = doc.solid | FLOOR;
        let colored = surface(solid, around) | unchanged;
        let mut by_height = spread(doc.known, words);
        for z in heights(colored & !doc.known) {
            by_height[z as usize] = guess(&doc, words, z);
            self.counts.guessed.add(pos.with_z(pos.z + z as i32));
        }
        self.counts.hidden_dropped += u64::from((doc.known & !colored).count_ones());
        write_column(solid, colored, &by_height, &mut self.out);
    }
}

impl Original<'_> {
    /// The bytes of some columns that lie one after the other.
    fn columns(&self, first: usize, count: usize) -> &[u8] {
        let (Some(&from), Some(&to)) = (self.decoded.offsets.get(first), self.decoded.offsets.get(first + count)) else { return &[] };
        self.bytes.get(from..to).unwrap_or(&[])
    }
}

/// Voxels whose colour the source stores and that still have that paint.
fn unchanged(doc: &Masks, words: &[u32], (source, source_words): (Masks, &[u32])) -> u64 {
    if doc.known == source.known && words == source_words {
        return source.known;
    }
    heights(source.known & doc.known)
        .filter(|&z| word_at(doc.known, words, z) == word_at(source.known, source_words, z))
        .fold(0, |all, z| all | 1 << z)
}

/// The heights whose bits are set, from the top down.
fn heights(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let z = (mask != 0).then(|| mask.trailing_zeros());
        mask &= mask.wrapping_sub(1);
        z
    })
}

fn word_at(known: u64, words: &[u32], z: u32) -> Option<u32> {
    words.get((known & below(z)).count_ones() as usize).copied()
}

/// Packed words by height.
fn spread(known: u64, words: &[u32]) -> [u32; DEPTH as usize] {
    let mut by_height = [0; DEPTH as usize];
    for (z, word) in heights(known).zip(words) {
        by_height[z as usize] = *word;
    }
    by_height
}

/// Paint for a visible voxel of unknown colour: the nearest known one above it in the column, else [`EARTH`].
pub fn guess(doc: &Masks, words: &[u32], z: u32) -> u32 {
    let above = (doc.known & below(z)).count_ones() as usize;
    above.checked_sub(1).and_then(|rank| words.get(rank)).copied().unwrap_or(EARTH)
}
