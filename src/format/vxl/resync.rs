//! Where the columns of a broken file go on: found from its end, which counts them backwards.
//!
//! One wrong byte can make a column end too early or swallow the next ones, and be found much later. From a place where
//! all columns up to the end of the file can be read, it is known which column begins there; so the broken one is that
//! with whose end the number of columns comes out. Of several broken ones, each that is noticed ends where it would with
//! one other byte, and the number of all columns tells which of its possible ends are right, or where another one is.

use std::ops::Range;

use super::column::{DEPTH, Fault, WORD, parse_column};
use super::decode::Size;
use super::faults::{Ends, Tries, ends_with_columns, enough, find_forward, find_overwritten, find_several, is_odd, is_strange};
use super::repair::{FOLLOWING, followers, mend_column};

/// Words of the longest column: a colour for each voxel, and a header for every second one.
pub const MAX_WORDS: usize = 96;
/// Longest file whose columns are counted from the end.
pub const MAX_BYTES: usize = 64 << 20;
/// Most columns that may have been lost at each fault before a place, besides those that are given up there.
const LOST_BEFORE: usize = 32;
/// Most bytes that are given up in one place.
pub const MAX_GAP: usize = 8 << 10;
/// Most ends with which the number of columns comes out that are looked at closely.
const MAX_FITTING: usize = 4096;
/// No column of the file follows from here to its end.
const NONE: u32 = u32::MAX;

/// A column that ends elsewhere than it says, and columns of which nothing is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resync {
    /// Which column, counted from the beginning of the file.
    pub column: usize,
    /// The byte where the column after the missing ones begins.
    pub end: usize,
    /// How many columns after it are missing.
    pub missing: usize,
}

impl Resync {
    /// The broken column and those that are missing.
    pub fn span(&self) -> Range<usize> {
        self.column..self.column + 1 + self.missing
    }
}

/// Where the columns of a file go on elsewhere than they say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resyncs {
    /// In the order of their columns, none within another.
    places: Vec<Resync>,
    /// Columns of which it is not known how many were lost among them, so that they may stand beside their places.
    pub unsure: Option<Range<usize>>,
}

impl Resyncs {
    /// Those of a file of that size; none where it is whole.
    pub fn find(bytes: &[u8], size: Size) -> Self {
        let (total, mut starts) = (size.columns(), vec![]);
        // What is no whole word belongs to no column, and was cut from one.
        let is_cut_within = !bytes.len().is_multiple_of(WORD);
        let bytes = bytes.get(..bytes.len() / WORD * WORD).unwrap_or(bytes);
        let broken = read_on(bytes, 0, total, &mut starts);
        if starts.len() == total {
            // Zeros, for one, can be read as columns, so that there are more than there were.
            let is_exact = broken == bytes.len() || bytes.len() > MAX_BYTES || is_strange(bytes);
            return if is_exact { Self::default() } else { Self::of_longer(bytes, total, &starts) };
        }
        // Where it ends with a whole column, those that are missing may have stood anywhere, as where a disk lost a page.
        let lacking =
            |read: usize| Self { places: vec![], unsure: (broken == bytes.len() && !is_cut_within && read > 0).then_some(0..read) };
        if bytes.len() > MAX_BYTES && broken == bytes.len() {
            return lacking(starts.len());
        }
        if bytes.len() > MAX_BYTES {
            return Self { places: vec![], unsure: Some(starts.len()..total).filter(|_| broken < bytes.len()) };
        }
        let strange = is_strange(bytes);
        let has_end = ends_with_columns(bytes, total, strange);
        // A column that ends elsewhere than it did is odd: without one, it is the end of the file that is missing.
        let is_sound = !strange && first_odd(bytes, &starts).is_none();
        if is_sound && breaks_off(bytes, broken) && (broken == bytes.len() || !has_end) {
            return lacking(starts.len());
        }
        let tails = Tails::of(bytes, &Ends::new());
        starts.push(broken);
        if !has_end {
            let (places, _) = find_forward(bytes, total, strange);
            return match places.first().map(|place| place.column) {
                Some(first) => Self { places, unsure: Some(first..total) },
                None => find_last(bytes, total, starts, &tails, strange),
            };
        }
        // In most files no column is odd, so that one that is shows where a fault is.
        if let Some((places, is_sure)) = find_several(bytes, total, false) {
            return Self::between(places, is_sure, None);
        }
        if let Some(place) = find_overwritten(bytes, total).filter(|_| !strange) {
            return Self { places: vec![place], unsure: None };
        }
        let first_odd = first_odd(bytes, &starts);
        if let Some(one) = find_one(bytes, total, &starts, &tails, strange) {
            return Self::between(vec![one], first_odd.is_none_or(|odd| odd >= one.column), first_odd);
        }
        if let Some((places, is_sure)) = find_several(bytes, total, true) {
            return Self::between(places, is_sure, first_odd);
        }
        if broken == bytes.len() && strange {
            // Nothing reads better with another byte: whole columns are missing.
            return lacking(starts.len() - 1);
        }
        let last = find_last(bytes, total, starts, &tails, strange);
        if last.unsure.is_none() && !last.places.is_empty() && last.places.iter().all(|place| place.missing == 0) {
            return last;
        }
        // It may have been cut between two columns as well.
        match find_forward(bytes, total, strange) {
            (places, true) if !places.is_empty() => Self { unsure: places.first().map(|place| place.column..total), places },
            _ => last,
        }
    }

    /// Those of a file of which all columns can be read, from `starts` on, and more behind them.
    fn of_longer(bytes: &[u8], total: usize, starts: &[usize]) -> Self {
        if let Some(place) = find_overwritten(bytes, total) {
            return Self { places: vec![place], unsure: None };
        }
        let Some(odd) = first_odd(bytes, starts).filter(|_| ends_with_columns(bytes, total, false)) else { return Self::default() };
        if let Some((places, is_sure)) = find_several(bytes, total, false) {
            return Self::between(places, is_sure, None);
        }
        let tails = Tails::of(bytes, &Ends::new());
        match find_one(bytes, total, starts, &tails, false) {
            Some(one) => Self::between(vec![one], odd >= one.column, Some(odd)),
            // Something is wrong there, and more columns follow than there were.
            None => Self { places: vec![], unsure: Some(odd.saturating_sub(1)..total) },
        }
    }

    /// Those; if they are not sure, what lies between them, or between the first odd column and them, may be another column.
    fn between(places: Vec<Resync>, is_sure: bool, odd: Option<usize>) -> Self {
        let ends = places.first().zip(places.last());
        let between = ends.map(|(first, last)| first.column.min(odd.unwrap_or(first.column))..last.column);
        Self { places, unsure: between.filter(|between| !is_sure && !between.is_empty()) }
    }

    /// The one that a column belongs to.
    pub fn of(&self, column: usize) -> Option<Resync> {
        let after = self.places.partition_point(|place| place.column <= column);
        let place = self.places.get(after.checked_sub(1)?)?;
        place.span().contains(&column).then_some(*place)
    }

    /// The first of some columns that belongs to one.
    #[inline]
    pub fn first_in(&self, columns: Range<usize>) -> Option<usize> {
        if self.places.is_empty() {
            return None;
        }
        let next = self.places.partition_point(|place| place.span().end <= columns.start);
        self.places.get(next).map(|place| place.column.max(columns.start)).filter(|column| columns.contains(column))
    }
}

/// Reads columns from byte `at` on as far as that goes, up to so many; answers where the next one begins.
pub fn read_on(bytes: &[u8], mut at: usize, total: usize, starts: &mut Vec<usize>) -> usize {
    while starts.len() < total && at < bytes.len() {
        let Ok(column) = parse_column(bytes, at, |_| ()) else { break };
        starts.push(at);
        at = column.end;
    }
    at
}

/// Whether the file ends where the next column begins, or within it.
pub fn breaks_off(bytes: &[u8], next: usize) -> bool {
    next == bytes.len() || matches!(parse_column(bytes, next, |_| ()), Err(Fault::Truncated { .. }))
}

/// The first odd one of some columns.
pub fn first_odd(bytes: &[u8], starts: &[usize]) -> Option<usize> {
    starts.iter().position(|start| is_odd(bytes, *start))
}

/// The first of some columns, from one on, that may be broken: the one before the first odd one may have ended too early.
fn first_suspect(bytes: &[u8], starts: &[usize], from: usize, strange: bool) -> usize {
    let odd = if strange { None } else { first_odd(bytes, starts.get(from..).unwrap_or(&[])) };
    odd.map_or(from, |odd| from + odd.saturating_sub(1))
}

/// The one broken column of a file, if one other byte of it makes the number of columns come out. `starts` are the columns that can be
/// read, and the first that cannot.
fn find_one(bytes: &[u8], total: usize, starts: &[usize], tails: &Tails, strange: bool) -> Option<Resync> {
    let mut tries = Tries::new(bytes);
    let suspects = starts.iter().enumerate().skip(first_suspect(bytes, starts, 0, strange));
    let fitting = suspects.flat_map(|(column, start)| {
        let ends = (1..=MAX_WORDS).map(move |words| start + words * WORD).take_while(|end| *end <= bytes.len());
        let fitting = ends.filter(move |end| tails.get(*end) == total.checked_sub(column + 1));
        fitting.map(move |end| (*start, Resync { column, end, missing: 0 }))
    });
    let explained = fitting.take(MAX_FITTING).filter_map(|(start, place)| Some((tries.explain(bytes, start, place.end)?, place)));
    explained.min_by_key(|(likelihood, place)| (*likelihood, place.column)).map(|(_, place)| place)
}

/// The place from which on all columns are whole and known, whatever happened there; broken ones before it are mended one by one, so that it
/// is not known for sure which column is which.
fn find_last(bytes: &[u8], total: usize, mut starts: Vec<usize>, tails: &Tails, strange: bool) -> Resyncs {
    let (mut first, mut unsure_from, mut faults) = (0, None, 0);
    let tail = |at: usize| tails.get(at).filter(|tail| *tail >= enough(total));
    loop {
        let (here, at) = (starts.len() - 1, starts.last().copied().unwrap_or_default());
        let found = |place: Resync| Resyncs { unsure: unsure_from.map(|from| from..place.column), places: vec![place] };
        for zeros in [true, false] {
            let is_begin = |end: &usize| followers(bytes, *end, zeros) == FOLLOWING;
            // The fault may be long before the place where it is noticed; the first column that it can be is the one.
            for (column, start) in starts.iter().enumerate().skip(first_suspect(bytes, &starts, first, strange)) {
                let ends = (1..=MAX_WORDS).map(|words| start + words * WORD).take_while(|end| *end < bytes.len());
                if let Some(end) = ends.filter(|end| tail(*end) == Some(total - column - 1)).find(is_begin) {
                    return found(Resync { column, end, missing: 0 });
                }
            }
            // Some are gone for good: their place is here, and not at the end of the file. Behind several faults those of all.
            let is_room = |end: usize, missing: usize| missing <= (end - at) / (2 * WORD) + faults * LOST_BEFORE;
            let places = (at / WORD + 1..bytes.len() / WORD).map(|word| word * WORD).take_while(|end| *end <= at + MAX_GAP);
            let mut gaps = places.filter_map(|end| Some((end, (total - here - 1).checked_sub(tail(end)?)?)));
            if let Some((end, missing)) = gaps.find(|(end, missing)| is_room(*end, *missing) && is_begin(end)) {
                return found(Resync { column: here, end, missing });
            }
        }
        // There is another fault behind this one: what is before that is mended by itself.
        let mended = mend_column(bytes, at, &mut [0; DEPTH as usize], |_, _| ()).map(|column| column.end).filter(|end| *end > at);
        let Some(end) = mended else { break };
        if end < bytes.len() && unsure_from.is_none() {
            unsure_from = Some(first_odd(bytes, &starts).unwrap_or(here));
        }
        (first, faults) = (here + 1, faults + 1);
        let next = read_on(bytes, end, total, &mut starts);
        if starts.len() == total {
            let comes_out = next == bytes.len();
            return Resyncs { places: vec![], unsure: unsure_from.filter(|_| !comes_out).map(|from| from..total) };
        }
        starts.push(next);
    }
    Resyncs { places: vec![], unsure: unsure_from.map(|from| from..total) }
}

/// For each word of a file, how many columns there are from it to the end of the file, if it is one column after the other.
pub struct Tails(Vec<u32>);

impl Tails {
    /// Columns in `ends` end there, whatever they say.
    pub fn of(bytes: &[u8], ends: &Ends) -> Self {
        let words = bytes.len() / WORD;
        let mut tails = vec![NONE; words + 1];
        if let Some(end) = tails.last_mut() {
            *end = 0;
        }
        for word in (0..words).rev() {
            // No longer than a column can be: what is none may go on and on.
            let within = bytes.get(..(word + MAX_WORDS) * WORD).unwrap_or(bytes);
            let told = if ends.is_empty() { None } else { ends.get(&(word * WORD)).copied() };
            let end = told.or_else(|| parse_column(within, word * WORD, |_| ()).ok().map(|column| column.end));
            let next = end.and_then(|end| tails.get(end / WORD).copied());
            if let (Some(next), Some(tail)) = (next.filter(|next| *next != NONE), tails.get_mut(word)) {
                *tail = next + 1;
            }
        }
        Self(tails)
    }

    /// Columns from a byte on.
    pub fn get(&self, at: usize) -> Option<usize> {
        self.0.get(at / WORD).filter(|tail| **tail != NONE).map(|tail| *tail as usize)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::{broken_by_a_bit, column_offsets, count_of, hills, options, read_with};
    use crate::document::Document;
    use crate::geom::VoxelPos;

    const EDGE: usize = 64;

    /// Columns that are not as they were.
    pub fn differing(was: &Document, is: &Document, edge: usize) -> Vec<usize> {
        let columns = was.bounds().columns().columns();
        let differs = |x: i32, y: i32| (0..64).map(|z| VoxelPos::new(x, y, z)).any(|pos| was.store().voxel(pos) != is.store().voxel(pos));
        columns.filter(|[x, y]| differs(*x, *y)).map(|[x, y]| x as usize + y as usize * edge).collect()
    }

    #[test]
    fn one_flipped_bit_of_a_header_costs_the_columns_that_it_is_of() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let offsets = column_offsets(&sound);
        let mut broken = 0;
        for column in [0, 7, 100, 2001, 4000] {
            for (bit, bytes) in broken_by_a_bit(&sound, offsets[column]) {
                broken += 1;
                let (mended, report) = read_with(&bytes, &options("64x64", true)).unwrap();
                let differing = differing(&map, &mended, EDGE);
                assert!(differing.iter().all(|at| at.abs_diff(column) <= 1), "bit {bit} of column {column}: {differing:?}");
                assert_eq!(count_of(&report, "missing-columns"), 0, "bit {bit} of column {column}");
            }
        }
        assert!(broken > 60, "{broken}");
    }

    #[test]
    fn a_wrong_bit_after_which_more_columns_can_be_read_moves_none() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let (offsets, mut longer) = (column_offsets(&sound), 0);
        // Black columns: a shorter one ends among colors that read as columns.
        for column in (1..4000).step_by(402) {
            for bit in 0..32 {
                let mut bytes = sound.clone();
                bytes[offsets[column] + bit / 8] ^= 1 << (bit % 8);
                let Ok((_, report)) = read_with(&bytes, &options("64x64", false)) else { continue };
                if count_of(&report, "trailing-bytes") == 0 {
                    continue;
                }
                longer += 1;
                let (mended, report) = read_with(&bytes, &options("64x64", true)).unwrap();
                let differing = differing(&map, &mended, EDGE);
                let is_told = count_of(&report, "unsure-places") > 0;
                let what = format!("bit {bit} of {column}");
                assert!(is_told || differing.iter().all(|at| at.abs_diff(column) <= 1), "{what}: {} differ, {report:?}", differing.len());
            }
        }
        assert!(longer > 5, "{longer}");
    }

    /// Each column that has a wrong bit may cost itself and the next one, if enough whole ones follow it.
    #[test]
    fn several_flipped_bits_cost_the_columns_that_they_are_of_and_move_none() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let offsets = column_offsets(&sound);
        let mut broken = 0;
        for (columns, step) in [(vec![7, 2001], 3), (vec![100, 1000, 4000], 5), (vec![0, 500, 3000], 7)] {
            for bit in (0..32).step_by(2) {
                let mut bytes = sound.clone();
                for (number, column) in columns.iter().enumerate() {
                    let bit = (bit + number * step) % 32;
                    bytes[offsets[*column] + bit / 8] ^= 1 << (bit % 8);
                }
                if read_with(&bytes, &options("64x64", false)).is_ok() {
                    continue;
                }
                broken += 1;
                let (mended, report) = read_with(&bytes, &options("64x64", true)).unwrap();
                let differing = differing(&map, &mended, EDGE);
                let is_near = |at: &usize| columns.iter().any(|column| at.abs_diff(*column) <= 1);
                assert!(differing.iter().all(is_near), "bit {bit} of {columns:?}: {differing:?}");
                assert_eq!([count_of(&report, "missing-columns"), count_of(&report, "unsure-places")], [0; 2], "bit {bit} of {columns:?}");
            }
        }
        assert!(broken > 30, "{broken}");
    }

    #[test]
    fn a_wrong_bit_of_a_map_with_something_behind_its_columns_moves_none() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let offsets = column_offsets(&sound);
        for behind in [vec![0; 64], b"and some words of whoever made it".repeat(3), vec![0x80; 1000]] {
            for (bit, bytes) in broken_by_a_bit(&sound, offsets[1000]) {
                let bytes = [bytes, behind[..behind.len() / 4 * 4].to_vec()].concat();
                let (mended, report) = read_with(&bytes, &options("64x64", true)).unwrap();
                let differing = differing(&map, &mended, EDGE);
                let is_told = count_of(&report, "unsure-places") > 0;
                assert!(is_told || differing.iter().all(|at| at.abs_diff(1000) <= 1), "bit {bit}: {} differ", differing.len());
                assert!(differing.len() < 200, "bit {bit}: {} differ", differing.len());
            }
        }
    }

    #[test]
    fn wrong_bits_of_a_map_that_is_cut_between_two_columns_move_none() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let offsets = column_offsets(&sound);
        for (bit, mut bytes) in broken_by_a_bit(&sound[..offsets[4000]], offsets[1000]) {
            let second = (bit * 5 + 5) % 32;
            bytes[offsets[2001] + second / 8] ^= 1 << (second % 8);
            let (mended, _) = read_with(&bytes, &options("64x64", true)).unwrap();
            let differing = differing(&map, &mended, EDGE);
            let is_near = |at: &usize| *at >= 4000 || [1000, 2001].iter().any(|column| at.abs_diff(*column) <= 1);
            assert!(differing.iter().all(is_near), "bit {bit}: {} differ", differing.len());
        }
    }

    /// Hills beside black water, which can be read from the middle of a column on as well.
    fn lake() -> Vec<u8> {
        let water = [0, 1, 1, 0, 0, 0, 0, 0x80].repeat(EDGE * EDGE / 2);
        let hills = hills(EDGE);
        let half = column_offsets(&hills)[EDGE * EDGE / 2];
        [&hills[..half], &water].concat()
    }

    #[test]
    fn a_map_that_is_cut_loses_its_last_columns_and_no_other() {
        for (name, sound) in [("hills", hills(EDGE)), ("lake", lake())] {
            let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
            let offsets = column_offsets(&sound);
            for cut in (1..=120).chain([1000, 20_000]) {
                let bytes = &sound[..sound.len() - cut];
                let (mended, report) = read_with(bytes, &options("64x64", true)).unwrap();
                // The one in which it breaks off may have been whole already.
                let kept = offsets.partition_point(|offset| *offset < bytes.len()) - 1;
                let differing = differing(&map, &mended, EDGE);
                assert!(differing.iter().all(|at| *at >= kept), "{name} without {cut} bytes: {} differ", differing.len());
                let told = ["missing-columns", "repaired-cut", "repaired-end", "repaired-span"].map(|code| count_of(&report, code));
                assert!(told.iter().sum::<u64>() >= differing.len() as u64, "{name} without {cut} bytes: {told:?}");
                // Of one that ends with a whole column nobody knows that it was cut at its end.
                let unsure = if offsets.contains(&bytes.len()) { kept as u64 + 1 } else { 0 };
                assert_eq!(count_of(&report, "unsure-places"), unsure, "{name} without {cut} bytes");
            }
        }
    }

    #[test]
    fn that_columns_may_have_moved_is_told_where_whole_ones_are_missing() {
        for (name, sound) in [("hills", hills(EDGE)), ("lake", lake())] {
            let offsets = column_offsets(&sound);
            for (from, to) in [(0, 1), (700, 701), (1000, 1050), (4000, 4096)] {
                let behind = offsets.get(to).copied().unwrap_or(sound.len());
                let bytes = [&sound[..offsets[from]], &sound[behind..]].concat();
                let (_, report) = read_with(&bytes, &options("64x64", true)).unwrap();
                assert_eq!(count_of(&report, "missing-columns"), (to - from) as u64, "{name} {from}");
                assert_eq!(count_of(&report, "unsure-places"), (EDGE * EDGE + from - to) as u64, "{name} {from}");
            }
        }
    }

    #[test]
    fn a_last_column_of_which_nothing_can_be_read_costs_no_other() {
        let sound = lake();
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let bytes = [&sound[..sound.len() - 8], &[0, 0, 0xff, 0]].concat();
        let (mended, _) = read_with(&bytes, &options("64x64", true)).unwrap();
        let differing = differing(&map, &mended, EDGE);
        assert!(differing.iter().all(|at| *at == EDGE * EDGE - 1), "{} differ", differing.len());
    }

    /// Zeros can be read as columns, of which there are then more than there were.
    #[test]
    fn what_is_written_over_some_columns_costs_these_alone() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let offsets = column_offsets(&sound);
        for (number, with) in [0, 0xff, 0x20, 0].into_iter().enumerate() {
            for (length, at) in [(512, 20_000), (4096, 100_000), (4096, offsets[2000]), (20_000, 64_000)] {
                let (at, mut bytes) = (at + 4 * number, sound.clone());
                bytes[at..at + length].fill(with);
                let (mended, report) = read_with(&bytes, &options("64x64", true)).unwrap();
                let first = offsets.partition_point(|offset| *offset <= at) - 1;
                let behind = offsets.partition_point(|offset| *offset < at + length);
                let is_lost = |column: &usize| (first.saturating_sub(1)..=behind).contains(column);
                let differing = differing(&map, &mended, EDGE);
                assert!(differing.iter().all(is_lost), "{length} of {with} at {at}: {} differ", differing.len());
                assert!(count_of(&report, "missing-columns") > 0, "{length} of {with} at {at}: {report:?}");
            }
        }
    }

    #[test]
    fn zeros_that_make_more_columns_of_a_map_are_found_leniently_and_strictly_told() {
        let sound = hills(512);
        let offsets = column_offsets(&sound);
        let mut bytes = sound.clone();
        // Whole columns of zeros, each of a header and a color.
        let first = 70_000;
        let behind = (first + 50..).find(|column| (offsets[*column] - offsets[first]).is_multiple_of(8)).unwrap();
        bytes[offsets[first]..offsets[behind]].fill(0);
        let (_, report) = read_with(&bytes, &options("", false)).unwrap();
        let told = report.warnings.iter().find(|warning| warning.code == "trailing-bytes").unwrap();
        assert!(told.message.contains("more columns"), "{}", told.message);
        let (mended, report) = read_with(&bytes, &options("", true)).unwrap();
        assert_eq!(count_of(&report, "missing-columns"), (behind - first) as u64);
        let (map, _) = read_with(&sound, &options("", false)).unwrap();
        let differs =
            |x: i32, y: i32| (0..64).map(|z| VoxelPos::new(x, y, z)).any(|pos| map.store().voxel(pos) != mended.store().voxel(pos));
        let differing = map.bounds().columns().columns().filter(|[x, y]| differs(*x, *y)).count();
        assert!((40..=behind - first).contains(&differing), "{differing}");
    }

    #[test]
    fn columns_that_may_stand_beside_their_places_are_told() {
        let mut bytes = hills(EDGE);
        let offsets = column_offsets(&bytes);
        for column in [1000, 3000] {
            bytes[offsets[column]..offsets[column] + 2000].fill(0xfe);
        }
        let (_, report) = read_with(&bytes, &options("64x64", true)).unwrap();
        let unsure = count_of(&report, "unsure-places");
        assert!((1000..3096).contains(&unsure), "{unsure}");
    }

    #[test]
    fn what_stands_behind_a_place_that_is_lost_stays_where_it_is() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let offsets = column_offsets(&sound);
        for (column, length) in [(0, 200), (0, 600), (1000, 4000)] {
            let mut bytes = sound.clone();
            let lost = offsets[column]..offsets[column] + length;
            bytes[lost.clone()].fill(0xfe);
            let (mended, report) = read_with(&bytes, &options("64x64", true)).unwrap();
            let end = offsets.iter().position(|offset| *offset >= lost.end).unwrap();
            let differing = differing(&map, &mended, EDGE);
            assert!(differing.iter().all(|at| (column..end + 1).contains(at)), "{column} {length}: {differing:?}");
            assert!(count_of(&report, "missing-columns") > 0, "{column} {length}");
        }
    }
}
