//! A snapshot to the bytes of a VXL file, copying from the source file every column that still says the same.
//!
//! Which columns those are is found by comparing with the source as it is read again, row by row; nobody
//! tracks edits.
//! A column is copied if its solid mask and its neighbours' are the source's, and if of the voxels that
//! would be written with a colour (visible, or stored by the source) exactly those have a known colour
//! that the source stores, with equal paint. So hidden voxels may be painted and the column stays as it
//! was: their colours would not be written anyway.

use std::io::Write;
use std::ops::Range;

use glam::IVec3;

use super::column::{DEPTH, FLOOR, MAX_COLUMN_WORDS, WORD, copy_columns, heights, surface, write_column, write_short_columns};
use super::decode::Size;
use super::rows::{ColumnWords, FileRow, FileRows, Row, Rows};
use crate::document::{Document, Progress, Snapshot};
use crate::format::{FormatError, Report, Severity, Warning};
use crate::voxel::{Paint, Rgb, SHADE_NEUTRAL};

/// Colour of a visible voxel where none is known, nor any above it: the game's earth.
pub const EARTH: u32 = Paint { rgb: Rgb::new(0x67, 0x40, 0x28), shade: SHADE_NEUTRAL }.to_word();
/// The bits of a word that are its color; the others are its shade.
const RGB: u32 = 0x00ff_ffff;

/// Headers and colours that are gathered before they go to the sink, beside the room for a row. They fit
/// the nearest cache, so that passing them on costs one way to memory, not two.
const GATHERED: usize = 1 << 12;

/// More than columns have on average, in words.
const USUAL_COLUMN_WORDS: usize = 8;

/// What came out otherwise than the document has it.
#[derive(Default)]
struct Counts {
    guessed: Places,
    floor_added: Places,
    hidden_dropped: u64,
    /// Those of them whose color is another than that of the voxel above, which readers take for it.
    hidden_lost: u64,
    /// Those of them that were hidden in the source as well, which has another color for them.
    stored_lost: u64,
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
            report.warnings.push(Warning { severity, code, message, count: self.count, positions: self.first, line: None, file: None });
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
        return Err(misfit("a VXL map is 64 voxels high: give it 64 layers first, by resizing it, or save it as VMF"));
    }
    let (Ok(width), Ok(height)) = (usize::try_from(size.x), usize::try_from(size.y)) else { return Err(misfit("it has no columns")) };
    let fitting = Size { width, height };
    if fitting.columns() == 0 {
        return Err(misfit("it has no columns"));
    }
    if width != height && wanted != Some(fitting) {
        return Err(misfit("a VXL map is square: resize it to be so, save it as VMF, or name its width and height with the option size"));
    }
    Ok(fitting)
}

/// Writes the first volume.
///
/// # Errors
/// If the sink fails or the work is cancelled.
pub fn encode(snapshot: &Snapshot, size: Size, sink: &mut dyn Write, progress: &Progress, report: &mut Report) -> Result<(), FormatError> {
    let original = original(snapshot, size)?;
    let bytes: &[u8] = original.as_ref().map_or(&[], |original| original.bytes);
    let mut rows = Rows::new(snapshot.store(), original, size)?;
    let mut out = Output { sink, gathered: vec![], filled: 0, source: bytes, kept: 0..0 };
    let (mut counts, mut scratch) = (Counts::default(), Scratch::default());
    for y in 0..size.height {
        progress.report(y as f32 / size.height as f32)?;
        rows.advance()?;
        let corner = snapshot.bounds().min() + IVec3::new(0, y as i32, 0);
        put_row(corner, &rows, &mut out, &mut scratch, &mut counts)?;
    }
    if let Some((source, _)) = rows.file() {
        out.keep(source.end..bytes.len())?;
        let kept = source.floorless - counts.floorless_rewritten;
        let message = "columns have no floor and are kept so: some programs cannot save such a map; Repair columns mends them";
        report.push_count(Severity::Problem, "no-floor", message, kept);
        let trailing = bytes.len() - source.end;
        report.push_count(Severity::Info, "trailing-bytes", "bytes after the last column are kept as they were", trailing as u64);
    }
    out.finish()?;
    counts.floor_added.tell(report, Severity::Repair, "floor-added", "columns without a floor are written with one at z 63");
    let message = "visible voxels without a known color take the color of the voxel above, or earth";
    counts.guessed.tell(report, Severity::Guess, "guessed-colors", message);
    let message = "hidden voxels have a color that is not written: the file has none for them";
    // In the file of another format they stand; what was made or painted here no VXL file ever said.
    let is_converted = snapshot.source.as_ref().is_some_and(|source| source.format != super::ID);
    let lost = if is_converted { counts.hidden_lost } else { 0 };
    let left = counts.hidden_dropped - lost - counts.stored_lost;
    report.push_count(Severity::Info, "hidden-colors", message, left);
    let message = "hidden voxels have another color than the voxel above them, which a VXL file does not keep";
    report.push_count(Severity::Loss, "hidden-colors", message, lost);
    let message = "hidden voxels have another color than the file stored there, which is not kept: only colors that were there are";
    // No loss that anybody is asked about: whoever builds over what was painted before makes such voxels all the time.
    report.push_count(Severity::Problem, "hidden-colors", message, counts.stored_lost);
    Ok(())
}

/// The document's source, to be read again, if it is a VXL of that very box.
fn original(snapshot: &Snapshot, size: Size) -> Result<Option<FileRows<'_>>, FormatError> {
    let Some(source) = snapshot.source.as_deref().filter(|source| source.format == super::ID) else { return Ok(None) };
    // Of a map that was cropped nothing stands where it stood.
    if super::wanted_size(&source.options)? != Some(size) || snapshot.bounds() != size.bounds() {
        return Ok(None);
    }
    let bytes = &source.bytes;
    Ok(Some(if super::lenient(&source.options)? { FileRows::mended(bytes, size) } else { FileRows::new(bytes) }))
}

/// Memory that is used again for every row and column.
#[derive(Default)]
struct Scratch {
    /// By column: what is to have a colour, or [`KEEP`].
    colored: Vec<u64>,
    /// Solid masks with the floors that will be there, of the rows `y - 1`, `y`, `y + 1`.
    floored: [Vec<u64>; 3],
    /// The `y` of those.
    floored_at: Option<i32>,
    words: Vec<u32>,
}

/// Writes the row that the rows stand at. `corner` is the voxel at the row's start.
fn put_row(corner: IVec3, rows: &Rows, out: &mut Output, scratch: &mut Scratch, counts: &mut Counts) -> Result<(), FormatError> {
    let ([_, row, _], source_bytes) = (rows.doc(), out.source);
    let width = row.solid.len() - 2;
    let source = rows.file();
    if let Some((_, source_rows @ [_, source_row, _])) = source
        && source_rows.iter().all(FileRow::same_solid)
        && source_rows.iter().all(|row| row.mended.is_empty())
        && source_row.same_content()
    {
        return out.keep(source_row.bytes_of(0..width));
    }
    scratch.floor(corner.y, rows);
    visible(&scratch.floored, &mut scratch.colored);
    let mut just_visible = scratch.colored == row.known[1..=width];
    if let Some((source, source_rows)) = source {
        just_visible &= !color_or_keep(rows.doc(), source, source_rows, just_visible, &mut scratch.colored, counts);
    }
    // A row of more columns than the game has takes the room of all of them.
    let source_row = source.map(|(_, [_, row, _])| row);
    let mut written = Written { out: out.room(width, source_row.map_or(0, |row| row.bytes_of(0..width).len()))?, at: 0 };
    let colored = &scratch.colored;
    // None is: the usual row of a map that is new or was painted all over.
    let is_plain = just_visible && row.solid.iter().fold(FLOOR, |all, solid| all & solid) != 0;
    let (mut x, mut kept) = (0, 0..0);
    loop {
        let special = if is_plain { width } else { next_special(row, colored, x) };
        if x < special {
            written.copy(source_bytes, std::mem::take(&mut kept));
            written.at += write_known(row, x..special, written.rest());
            x = special;
        }
        if x == width {
            break;
        }
        if let Some(source_row) = source_row.filter(|_| colored[x] == KEEP) {
            let bytes = source_row.bytes_of(x..x + 1);
            if kept.end != bytes.start {
                written.copy(source_bytes, kept);
                kept = bytes;
            } else {
                kept.end = bytes.end;
            }
        } else {
            written.copy(source_bytes, std::mem::take(&mut kept));
            let (solid, known, words) = (row.solid[x + 1], row.known[x + 1], row.words_of(x));
            if solid & FLOOR == 0 {
                counts.floor_added.add(corner + IVec3::new(x as i32, 0, DEPTH as i32 - 1));
            }
            let words = if colored[x] == known {
                row.words_from(row.places()[x] as usize)
            } else {
                choose(corner + IVec3::new(x as i32, 0, 0), (known, words), colored[x], &mut scratch.words, counts)
            };
            written.at += write_column(solid | FLOOR, colored[x], words, written.rest());
        }
        x += 1;
    }
    written.copy(source_bytes, kept);
    out.filled += written.at;
    Ok(())
}

/// The first column from `x` on of which something is to be kept, chosen or added; the row's width if there is none.
fn next_special(row: &Row, colored: &[u64], mut x: usize) -> usize {
    // So many are looked at together, by vectors.
    const STEP: usize = 16;
    let is_any = |columns: Range<usize>| {
        let masks = columns.start + 1..columns.end + 1;
        let columns = colored[columns].iter().zip(&row.known[masks.clone()]).zip(&row.solid[masks]);
        columns.fold(0, |any, ((colored, known), solid)| any | (colored ^ known) | !solid & FLOOR | u64::from(*colored == KEEP)) != 0
    };
    while x + STEP <= colored.len() && !is_any(x..x + STEP) {
        x += STEP;
    }
    (x..colored.len()).find(|x| is_any(*x..*x + 1)).unwrap_or(colored.len())
}

/// Writes columns of a row with just their known colours; answers how many words they take.
fn write_known(row: &Row, columns: Range<usize>, out: &mut [[u8; WORD]]) -> usize {
    let (mut x, mut at) = (columns.start, 0);
    loop {
        let words = |x: usize| row.words_from(row.places()[x] as usize);
        let (short, written) = write_short_columns(
            &row.solid[x + 1..=columns.end],
            &row.known[x + 1..=columns.end],
            words(x),
            out.get_mut(at..).unwrap_or_default(),
        );
        (x, at) = (x + short, at + written);
        if x == columns.end {
            return at;
        }
        at += write_column(row.solid[x + 1], row.known[x + 1], words(x), out.get_mut(at..).unwrap_or_default());
        x += 1;
    }
}

/// Instead of what is coloured: the column stays as it is in the source. No column is without a colour.
const KEEP: u64 = 0;

/// Adds to the surface of each column what else is to have a colour, or finds that the column is to be kept. Answers
/// whether it looked at any: not if none has a colour that the source has there. `just_visible`: it is the
/// surface that is known.
fn color_or_keep(
    doc: &[Row; 3],
    source: &FileRows,
    source_rows: &[FileRow; 3],
    just_visible: bool,
    colored: &mut [u64],
    counts: &mut Counts,
) -> bool {
    let ([_, row, _], [_, stored, _]) = (doc, source_rows);
    let same_solid = source_rows.iter().all(FileRow::same_solid);
    let mut settle = |x: usize, colored: &mut u64| {
        let (solid, known, stored_solid, stored_known) = (row.solid[x + 1], row.known[x + 1], stored.solid[x + 1], stored.stored[x + 1]);
        // Which of a column's colors are the same does not matter where each has one for being visible.
        let unchanged = match stored_known & !*colored {
            0 if known == stored_known && !stored.same_colors[x] => 0,
            _ => unchanged_in(row, source, stored, x),
        };
        let kept_colors = colors_if_kept(solid, stored_known, *colored);
        if unchanged == stored_known
            && known & kept_colors == stored_known
            && (same_solid || around_is_same(doc.each_ref(), source_rows.each_ref(), x))
            && !is_beside_mended(source_rows.each_ref(), x)
        {
            if known != stored_known {
                counts.hidden_dropped += u64::from((known & !kept_colors).count_ones());
            }
            *colored = KEEP;
        } else {
            counts.floorless_rewritten += u64::from(stored_solid & FLOOR == 0);
            let changed = known & stored_known & !unchanged & !*colored;
            if changed != 0 {
                counts.stored_lost += u64::from((changed & !surface_in(source_rows, x)).count_ones());
            }
            *colored |= unchanged;
        }
    };
    let hidden = || stored.stored[1..].iter().zip(&*colored).fold(0, |hidden, (stored, colored)| hidden | stored & !colored);
    if !stored.same_known() || (!just_visible && hidden() != 0) {
        colored.iter_mut().enumerate().for_each(|(x, colored)| settle(x, colored));
        return true;
    }
    // No hidden voxel may have kept its colour: where some colour of a column differs, it is written anew.
    let is_any_same = stored.same > 0;
    if is_any_same {
        for x in stored.columns_of_same_colors() {
            settle(x, &mut colored[x]);
        }
    }
    counts.floorless_rewritten += stored.floorless.iter().filter(|x| !stored.same_colors[**x]).count() as u64;
    is_any_same
}

/// Voxels of a column whose colour the source stores and that still have that paint.
fn unchanged_in(row: &Row, source: &FileRows, stored: &FileRow, x: usize) -> u64 {
    let (known, stored_known) = (row.known[x + 1], stored.stored[x + 1]);
    if known != stored_known {
        unchanged_of((known, row.words_of(x)), (stored_known, source.words_of(stored, x)))
    } else if stored.same_colors[x] {
        stored_known
    } else {
        source.equal_to(stored, x, row.words_of(x))
    }
}

/// Voxels that a column would have a colour for if it is kept: none of another may be known. `visible` as with a floor.
fn colors_if_kept(solid: u64, stored: u64, visible: u64) -> u64 {
    // Kept without its floor, a column is open from below.
    let open_below = if solid & FLOOR == 0 { solid & FLOOR >> 1 } else { 0 };
    stored | visible | open_below
}

/// Whether a column that has no floor, neither here nor in the source, is copied from there and so gets none.
fn stays_floorless(doc: [&Row; 3], source: &FileRows, source_rows: [&FileRow; 3], x: usize) -> bool {
    if !around_is_same(doc, source_rows, x) || is_beside_mended(source_rows, x) {
        return false;
    }
    let ([north, row, south], [_, stored, _], at) = (doc, source_rows, x + 1);
    let (solid, known, stored_known) = (row.solid[at], row.known[at], stored.stored[at]);
    // Floors around it hide nothing of it, as it has none.
    let visible = surface(solid | FLOOR, [row.solid[at - 1], row.solid[at + 1], north.solid[at], south.solid[at]]);
    known & colors_if_kept(solid, stored_known, visible) == stored_known && unchanged_in(row, source, stored, x) == stored_known
}

/// Whether a column, or one of the four around it, is not in the source as it was read: what it shows beside the file may have no colour.
fn is_beside_mended([north, row, south]: [&FileRow; 3], x: usize) -> bool {
    let is_mended = |row: &FileRow, x: usize| row.mended.binary_search(&x).is_ok();
    is_mended(north, x) || is_mended(south, x) || [x.wrapping_sub(1), x, x + 1].iter().any(|x| is_mended(row, *x))
}

/// A row in the making.
struct Written<'a> {
    out: &'a mut [[u8; WORD]],
    /// Words written.
    at: usize,
}

impl Written<'_> {
    #[inline(always)]
    fn rest(&mut self) -> &mut [[u8; WORD]] {
        self.out.get_mut(self.at..).unwrap_or_default()
    }

    fn copy(&mut self, source: &[u8], bytes: Range<usize>) {
        let words = source.get(bytes).unwrap_or(&[]).as_chunks().0;
        self.at += copy_columns(words, self.rest());
    }
}

impl Scratch {
    /// Fills in the masks around row `y`, those of rows that are there already only once.
    ///
    /// A floor is added to every column but those that stay without one, as the source has them.
    fn floor(&mut self, y: i32, rows: &Rows) {
        let known = if self.floored_at == Some(y - 1) { 2 } else { 0 };
        self.floored.rotate_left(usize::from(known > 0));
        self.floored_at = Some(y);
        let (doc, source) = (rows.doc(), rows.file());
        for (at, (floored, doc)) in self.floored.iter_mut().zip(doc).enumerate().skip(known) {
            floored.clear();
            match source.and_then(|(_, source)| source.get(at)) {
                Some(source) => floored.extend(doc.solid.iter().zip(&source.solid).map(|(solid, source)| solid | source & FLOOR)),
                None => floored.extend(doc.solid.iter().map(|solid| solid | FLOOR)),
            }
        }
        let (Some((file, source)), Some((south, source_south))) = (source, rows.beyond()) else { return };
        // Of a row before the middle one that is not known, all was kept.
        for (at, doc, source) in [(1, doc.each_ref(), source.each_ref()), (2, south, source_south)] {
            let ([_, source_row, _], Some(floored)) = (source, self.floored.get_mut(at).filter(|_| at >= known)) else { continue };
            for &x in &source_row.floorless {
                if floored[x + 1] & FLOOR == 0 && !stays_floorless(doc, file, source, x) {
                    floored[x + 1] |= FLOOR;
                }
            }
        }
    }
}

/// The surface of each column of the middle row as it will be in the file.
fn visible(floored: &[Vec<u64>; 3], out: &mut Vec<u64>) {
    let [north, here, south] = floored.each_ref().map(|row| row.as_slice());
    let width = here.len() - 2;
    let (west, own, east, north, south) = (&here[..width], &here[1..=width], &here[2..], &north[1..=width], &south[1..=width]);
    out.clear();
    let sides = west.iter().zip(east).zip(north.iter().zip(south));
    out.extend(own.iter().zip(sides).map(|(solid, ((west, east), (north, south)))| surface(solid | FLOOR, [*west, *east, *north, *south])));
}

/// The surface of a column of the source.
fn surface_in([north, here, south]: &[FileRow; 3], x: usize) -> u64 {
    let at = x + 1;
    let sides = [here.solid[at - 1], here.solid[at + 1], north.solid[at], south.solid[at]];
    surface(here.solid[at] | FLOOR, sides.map(|solid| solid | FLOOR))
}

/// Whether a column and its neighbours are as solid as in the source.
fn around_is_same([north, here, south]: [&Row; 3], [source_north, source_here, source_south]: [&FileRow; 3], x: usize) -> bool {
    let at = x + 1;
    here.solid[at - 1..=at + 1] == source_here.solid[at - 1..=at + 1]
        && north.solid[at] == source_north.solid[at]
        && south.solid[at] == source_south.solid[at]
}

/// Voxels whose colour the source stores and that still have that paint. Words by rank, each column's first.
fn unchanged_of((known, words): (u64, &[u32]), (stored, stored_words): (u64, ColumnWords)) -> u64 {
    let (mut words, mut stored_words, mut all) = (words.iter(), stored_words.iter(), 0);
    for z in heights(known | stored) {
        let own = if known >> z & 1 == 1 { words.next() } else { None };
        let stored = if stored >> z & 1 == 1 { stored_words.next() } else { None };
        all |= u64::from(own.is_some() && own == stored) << z;
    }
    all
}

/// The words of the coloured voxels of a column, those of unknown colour guessed.
fn choose<'a>(pos: IVec3, (known, words): (u64, &[u32]), colored: u64, out: &'a mut Vec<u32>, counts: &mut Counts) -> &'a [u32] {
    counts.hidden_dropped += u64::from((known & !colored).count_ones());
    out.clear();
    // What hidden voxels are taken for is what the file says above them.
    let (mut words, mut paint, mut written) = (words.iter(), EARTH, EARTH);
    for z in heights(colored | known) {
        let (is_known, is_written) = (known >> z & 1 == 1, colored >> z & 1 == 1);
        if is_known {
            paint = words.next().copied().unwrap_or(paint);
            // Nobody digs down to the floor under ground: the water there tells nothing.
            counts.hidden_lost += u64::from(!is_written && FLOOR >> z & 1 == 0 && (written ^ paint) & RGB != 0);
        }
        if is_written {
            written = paint;
            out.push(paint);
            if !is_known {
                counts.guessed.add(pos.with_z(pos.z + z as i32));
            }
        }
    }
    out
}

/// The file as it grows: columns written anew are gathered, those of the source go through as they are.
struct Output<'a> {
    sink: &'a mut dyn Write,
    /// The first `filled` are what is gathered.
    gathered: Vec<[u8; WORD]>,
    filled: usize,
    source: &'a [u8],
    /// Bytes of the source that come after what is gathered.
    kept: Range<usize>,
}

impl Output<'_> {
    /// Copies bytes of the source, which come after what is gathered.
    fn keep(&mut self, bytes: Range<usize>) -> Result<(), FormatError> {
        if self.kept.end != bytes.start {
            self.put_kept()?;
            self.kept.start = bytes.start;
        }
        self.kept.end = bytes.end;
        Ok(())
    }

    fn put_kept(&mut self) -> Result<(), FormatError> {
        if !self.kept.is_empty() {
            self.put_gathered()?;
            self.sink.write_all(self.source.get(self.kept.clone()).unwrap_or(&[]))?;
            self.kept = self.kept.end..self.kept.end;
        }
        Ok(())
    }

    /// Where the columns of the next row go, which may be those of the source, of so many bytes.
    fn room(&mut self, width: usize, source_bytes: usize) -> Result<&mut [[u8; WORD]], FormatError> {
        self.put_kept()?;
        // Columns of the source may have spans of nothing, any number of them. That hardly any has makes the room the same for most rows.
        let needed = width * MAX_COLUMN_WORDS + (source_bytes / WORD).max(width * USUAL_COLUMN_WORDS);
        if self.filled + needed > self.gathered.len() {
            self.put_gathered()?;
            if needed > self.gathered.len() {
                self.gathered.resize(needed + needed.min(GATHERED), [0; WORD]);
            }
        }
        Ok(self.gathered.get_mut(self.filled..).unwrap_or_default())
    }

    fn put_gathered(&mut self) -> Result<(), FormatError> {
        self.sink.write_all(self.gathered.get(..self.filled).unwrap_or(&[]).as_flattened())?;
        self.filled = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<(), FormatError> {
        self.put_kept()?;
        self.put_gathered()
    }
}
