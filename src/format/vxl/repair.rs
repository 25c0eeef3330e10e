//! Reading columns that break the rules, in the sense they probably had. Used with the option `lenient` only.

use std::collections::BTreeMap;

use glam::IVec3;

use super::column::{Column, DEPTH, FLOOR, WORD, below, parse_column};
use super::resync::{MAX_WORDS, Resync};
use crate::format::{Report, Severity, Warning};

/// Most offsets that a message names.
const MAX_OFFSETS: usize = 8;
/// Most positions that a warning keeps: all columns of the game's map.
const MAX_POSITIONS: usize = 1 << 18;

/// A way in which a column was mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Repair {
    /// A run that starts below its end was read as empty.
    InvertedRun,
    /// Colours above the sky, below the floor or in air were dropped.
    StrayColors,
    /// A span too short for its colours was read longer, or with fewer.
    ShortSpan,
    /// Air that starts or ends where it cannot was clamped.
    Air,
    /// A column that said a wrong end was ended where the next ones begin.
    WrongEnd,
    /// The column ends before its colours do; the rest of it is solid.
    CutColumn,
    /// Nothing is left of the column, at the end of the file or where it is broken; it became water.
    MissingColumn,
}

impl Repair {
    fn code_and_text(self) -> (&'static str, &'static str) {
        match self {
            Self::InvertedRun => ("repaired-run", "top runs that start below their end were read as empty"),
            Self::StrayColors => ("repaired-colors", "columns with colors outside the map or in air lost those colors"),
            Self::ShortSpan => ("repaired-span", "spans too short for their colors were read longer, or with fewer"),
            Self::Air => ("repaired-air", "air runs that start or end where they cannot were clamped"),
            Self::WrongEnd => ("repaired-end", "columns that reach into the next ones were ended where these begin"),
            Self::CutColumn => ("repaired-cut", "columns that break off were ended there"),
            Self::MissingColumn => ("missing-columns", "columns that are missing became water"),
        }
    }
}

/// What was mended, by kind.
#[derive(Debug, Default)]
pub struct Repairs(BTreeMap<Repair, Places>);

#[derive(Debug, Default)]
struct Places {
    count: u64,
    offsets: Vec<usize>,
    positions: Vec<IVec3>,
}

impl Repairs {
    /// Notes a repair of the column at `x`, `y`; `offset` is the byte that was wrong.
    pub fn note(&mut self, repair: Repair, offset: usize, x: usize, y: usize) {
        let places = self.0.entry(repair).or_default();
        places.count += 1;
        if places.offsets.len() < MAX_OFFSETS && places.offsets.last() != Some(&offset) {
            places.offsets.push(offset);
        }
        // A map is at most a few thousand columns wide.
        let position = IVec3::new(x as i32, y as i32, 0);
        if places.positions.len() < MAX_POSITIONS && places.positions.last() != Some(&position) {
            places.positions.push(position);
        }
    }

    /// Whether anything was mended.
    pub fn any(&self) -> bool {
        !self.0.is_empty()
    }

    /// How many columns are missing.
    pub fn missing(&self) -> u64 {
        self.0.get(&Repair::MissingColumn).map_or(0, |places| places.count)
    }

    /// One warning for each kind.
    pub fn tell(self, report: &mut Report) {
        for (repair, places) in self.0 {
            let (code, text) = repair.code_and_text();
            let offsets: Vec<_> = places.offsets.iter().map(usize::to_string).collect();
            let more = if offsets.len() == MAX_OFFSETS && places.count as usize > MAX_OFFSETS { ", …" } else { "" };
            report.warnings.push(Warning {
                severity: Severity::Repair,
                code,
                message: format!("{text} (byte {}{more})", offsets.join(", ")),
                count: places.count,
                positions: places.positions,
                line: None,
                file: None,
            });
        }
    }
}

/// Colour and shade, as in the file, of water where nothing is left of a column.
const WATER: u32 = 0x802c_6288;

/// Mends the column that starts at byte `at`, or makes one of water where not even a header is left.
///
/// Answers its colours by rank as well.
#[cold]
fn mend_or_make(bytes: &[u8], at: usize, repairs: &mut Repairs, x: usize, y: usize) -> (Column, Vec<u32>) {
    let mut words = [0; DEPTH as usize];
    let Some(column) = mend_column(bytes, at, &mut words, |repair, offset| repairs.note(repair, offset, x, y)) else {
        let (column, water) = missing(at, repairs, x, y);
        // Less than a header may be left: it belongs to the columns that are missing.
        return (Column { end: bytes.len(), ..column }, water);
    };
    (column, by_rank(column.stored, words))
}

/// Mends the column at byte `at`, number `column` of the file: as [`mend_or_make`] does, but one that belongs to a [`Resync`] as that says.
#[cold]
pub fn mend_or_resync(
    bytes: &[u8],
    at: usize,
    column: usize,
    resync: Option<Resync>,
    repairs: &mut Repairs,
    x: usize,
    y: usize,
) -> (Column, Vec<u32>) {
    match resync {
        Some(resync) if column == resync.column && resync.end <= at + MAX_WORDS * WORD => mend_up_to(bytes, at, resync.end, repairs, x, y),
        Some(resync) => {
            let (column, water) = missing(at, repairs, x, y);
            (Column { end: at.max(resync.end), ..column }, water)
        }
        None => mend_or_make(bytes, at, repairs, x, y),
    }
}

/// Reads a column that ends at byte `end`, also where it says something else.
#[cold]
fn mend_up_to(bytes: &[u8], at: usize, end: usize, repairs: &mut Repairs, x: usize, y: usize) -> (Column, Vec<u32>) {
    let (mut words, mut notes) = ([0; DEPTH as usize], vec![]);
    let said = mend_to_its_end(bytes, at, false, &mut words, |repair, offset| notes.push((repair, offset)));
    if let Some(column) = said.filter(|column| column.end == end) {
        notes.into_iter().for_each(|(repair, offset)| repairs.note(repair, offset, x, y));
        return (column, by_rank(column.stored, words));
    }
    repairs.note(Repair::WrongEnd, at, x, y);
    let mut words = [0; DEPTH as usize];
    let within = bytes.get(..end).unwrap_or(bytes);
    let Some(column) = mend_to_its_end(within, at, true, &mut words, |repair, offset| repairs.note(repair, offset, x, y)) else {
        return (Column { solid: FLOOR, stored: FLOOR, end }, vec![WATER]);
    };
    (Column { end, ..column }, by_rank(column.stored, words))
}

/// A column of which nothing is left.
fn missing(at: usize, repairs: &mut Repairs, x: usize, y: usize) -> (Column, Vec<u32>) {
    repairs.note(Repair::MissingColumn, at, x, y);
    (Column { solid: FLOOR, stored: FLOOR, end: at }, vec![WATER])
}

/// The colours that are stored, in order.
fn by_rank(stored: u64, words: [u32; DEPTH as usize]) -> Vec<u32> {
    words.into_iter().enumerate().filter(|(z, _)| stored >> z & 1 == 1).map(|(_, word)| word).collect()
}

/// Columns that are looked at to tell where a broken one ends.
pub const FOLLOWING: usize = 24;

/// Columns that can be read strictly from `at` on, at most [`FOLLOWING`]; as many where the file ends with one. With
/// `zeros` only those whose air starts at 0 as all writers say it: dark colours, which may look like headers of columns,
/// have a shade there.
pub fn followers(bytes: &[u8], mut at: usize, zeros: bool) -> usize {
    for found in 0..FOLLOWING {
        if at == bytes.len() {
            return FOLLOWING;
        }
        match parse_column(bytes, at, |_| ()) {
            Ok(column) if !zeros || bytes.get(at + 3) == Some(&0) => at = column.end,
            _ => return found,
        }
    }
    FOLLOWING
}

/// Whether a map's columns follow after a broken one at `at`.
pub fn is_followed(bytes: &[u8], at: usize) -> bool {
    let column = mend_column(bytes, at, &mut [0; DEPTH as usize], |_, _| ());
    column.is_some_and(|column| column.end < bytes.len() && followers(bytes, column.end, false) == FOLLOWING)
}

/// Reads a column that [`parse_column`](super::column::parse_column) refuses, clamping what is out of range.
///
/// Colours go to `words` by height. `None` if not even a header is left. Where no columns follow its end as it says it,
/// it ends where most do: one wrong byte costs one column, and not the place of all that come after.
pub fn mend_column(bytes: &[u8], at: usize, words: &mut [u32; DEPTH as usize], mut note: impl FnMut(Repair, usize)) -> Option<Column> {
    let said = mend_to_its_end(bytes, at, false, &mut [0; DEPTH as usize], |_, _| ())?.end;
    // Longer than any column: it has swallowed others.
    let is_too_long = said > at + MAX_WORDS * WORD;
    for zeros in [true, false] {
        let known = if is_too_long { 0 } else { followers(bytes, said, zeros) };
        if known == FOLLOWING {
            break;
        }
        let ends = (1..=MAX_WORDS).map(|words| at + words * WORD).take_while(|end| *end < bytes.len());
        let found = ends.map(|end| (followers(bytes, end, zeros), end));
        let best = found.reduce(|best, next| if next.0 > best.0 { next } else { best });
        if let Some((_, end)) = best.filter(|(found, _)| *found > known.max(1)) {
            note(Repair::WrongEnd, at);
            return mend_to_its_end(bytes.get(..end)?, at, true, words, note);
        }
    }
    mend_to_its_end(bytes, at, false, words, note)
}

/// Ends where the column says, or with the bytes, if those are `exact`: then its last run has all colours up to there.
fn mend_to_its_end(
    bytes: &[u8],
    mut at: usize,
    exact: bool,
    words: &mut [u32; DEPTH as usize],
    mut note: impl FnMut(Repair, usize),
) -> Option<Column> {
    let (mut solid, mut stored) = (u64::MAX, 0_u64);
    let (start, mut air) = (at, 0_i32);
    let (mut first, mut is_cut) = (true, false);
    loop {
        let Some(&[n, s, e, _]) = bytes.get(at..).and_then(<[u8]>::first_chunk) else {
            if first {
                return None;
            }
            note(Repair::CutColumn, at);
            break;
        };
        first = false;
        let is_past_end = exact && at + usize::from(n) * WORD >= bytes.len();
        let (n, s) = (if is_past_end { 0 } else { i32::from(n) }, i32::from(s));
        // 255 is what the format text's own writer makes of −1.
        let e = if e == u8::MAX { -1 } else { i32::from(e) };
        let left = bytes.len().saturating_sub(at + WORD) / WORD;
        // No run is longer than what its column has words for.
        let e = if exact && n == 0 { s + left.min(MAX_WORDS) as i32 - 1 } else { e };
        if e < 0 || e + 1 < s {
            note(Repair::InvertedRun, at + 1);
        } else if s < air || s > DEPTH as i32 {
            note(Repair::Air, at + 1);
        }
        solid &= !(heights(air, s));
        let wanted = (e + 1 - s).max(0);
        let mut count = if n == 0 { wanted } else { n - 1 };
        if count < wanted {
            note(Repair::ShortSpan, at);
            // Either the length is wrong or the heights are: whichever finds a span after it is right.
            if parse_column(bytes, at + n as usize * WORD, |_| ()).is_err() {
                count = wanted;
            }
        }
        let top = wanted.min(count);
        let mut stray = false;
        let colors = at + WORD;
        let mut put = |z: i32, i: i32| {
            let from = colors + i as usize * WORD;
            let Some(color) = bytes.get(from..).and_then(<[u8]>::first_chunk) else { return };
            match usize::try_from(z).ok().and_then(|z| words.get_mut(z)) {
                Some(word) => {
                    *word = u32::from_le_bytes(*color);
                    stored |= 1 << z;
                }
                None => stray = true,
            }
        };
        (0..top).for_each(|i| put(s + i, i));
        at = colors + count as usize * WORD;
        if at > bytes.len() {
            note(Repair::CutColumn, bytes.len());
            at = bytes.len();
            is_cut = true;
        }
        let next_air = if n == 0 { None } else { bytes.get(at + 3).map(|&air| i32::from(air)) };
        if let Some(next) = next_air {
            (top..count).for_each(|i| put(next - (count - i), i));
            if next > DEPTH as i32 || next < s.max(e + 1) + count - top {
                note(Repair::Air, at + 3);
            }
            air = next;
        }
        if stray || stored & !solid != 0 {
            stored &= solid;
            note(Repair::StrayColors, colors);
        }
        if n == 0 || is_cut {
            break;
        }
    }
    if solid & FLOOR == 0 {
        note(Repair::Air, start);
        solid |= FLOOR;
    }
    Some(Column { solid, stored, end: at.min(bytes.len()) })
}

/// Mask of the heights `from..to`, none where they are out of order.
fn heights(from: i32, to: i32) -> u64 {
    let clamp = |z: i32| z.clamp(0, DEPTH as i32) as u32;
    below(clamp(to)) & !below(clamp(from))
}
