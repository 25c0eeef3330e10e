//! Where the columns of a broken file go on: found from its end, which counts them backwards.
//!
//! One wrong byte can make a column end too early or swallow the next ones, and be found much later. From a place where
//! all columns up to the end of the file can be read, it is known which column begins there; so the broken one is that
//! with whose end the number of columns comes out.

use std::ops::Range;

use super::column::{DEPTH, WORD, parse_column};
use super::decode::Size;
use super::repair::{FOLLOWING, followers, mend_column};

/// Words of the longest column: a colour for each voxel, and a header for every second one.
pub const MAX_WORDS: usize = 96;
/// Longest file whose columns are counted from the end.
const MAX_BYTES: usize = 64 << 20;
/// Most bytes that are given up in one place.
const MAX_GAP: usize = 8 << 10;
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

/// Finds the place from which on all columns are whole and known; nothing where the file is whole, or where there is none.
pub fn find_resync(bytes: &[u8], size: Size) -> Option<Resync> {
    let total = size.columns();
    let (mut starts, mut at, mut tails, mut first) = (Vec::new(), 0, None, 0);
    loop {
        // As far as columns can be read.
        while starts.len() < total && at < bytes.len() {
            let Ok(column) = parse_column(bytes, at, |_| ()) else { break };
            starts.push(at);
            at = column.end;
        }
        let here = starts.len();
        if here == total || bytes.len() > MAX_BYTES || !bytes.len().is_multiple_of(WORD) {
            return None;
        }
        let tails = tails.get_or_insert_with(|| tails_of(bytes));
        let tail = |at: usize| {
            tails.get(at / WORD).copied().filter(|tail| *tail != NONE).map(|tail| tail as usize).filter(|tail| *tail >= FOLLOWING)
        };
        starts.push(at);
        for zeros in [true, false] {
            let is_begin = |end: &usize| followers(bytes, *end, zeros) == FOLLOWING;
            // The fault may be long before the place where it is noticed; the first column that it can be is the one.
            for (column, start) in starts.iter().enumerate().skip(first) {
                let ends = (1..=MAX_WORDS).map(|words| start + words * WORD).take_while(|end| *end < bytes.len());
                if let Some(end) = ends.filter(|end| tail(*end) == Some(total - column - 1)).find(is_begin) {
                    return Some(Resync { column, end, missing: 0 });
                }
            }
            // Some are gone for good: their place is here, and not at the end of the file.
            let places = (at / WORD + 1..bytes.len() / WORD).map(|word| word * WORD).take_while(|end| *end <= at + MAX_GAP);
            let mut gaps = places.filter_map(|end| Some((end, (total - here - 1).checked_sub(tail(end)?)?)));
            if let Some((end, missing)) = gaps.find(|(end, missing)| *missing <= (end - at) / (2 * WORD) && is_begin(end)) {
                return Some(Resync { column: here, end, missing });
            }
        }
        // There is another fault behind this one: what is before that is mended by itself.
        at = mend_column(bytes, at, &mut [0; DEPTH as usize], |_, _| ()).map(|column| column.end).filter(|end| *end > at)?;
        first = here + 1;
    }
}

/// For each word of the file, how many columns there are from it to the end of the file, if it is one column after the other.
fn tails_of(bytes: &[u8]) -> Vec<u32> {
    let words = bytes.len() / WORD;
    let mut tails = vec![NONE; words + 1];
    if let Some(end) = tails.last_mut() {
        *end = 0;
    }
    for word in (0..words).rev() {
        // No longer than a column can be: what is none may go on and on.
        let within = bytes.get(..(word + MAX_WORDS) * WORD).unwrap_or(bytes);
        let next = parse_column(within, word * WORD, |_| ()).ok().and_then(|column| tails.get(column.end / WORD).copied());
        if let (Some(next), Some(tail)) = (next.filter(|next| *next != NONE), tails.get_mut(word)) {
            *tail = next + 1;
        }
    }
    tails
}

#[cfg(test)]
mod tests {
    use super::super::tests::{broken_by_a_bit, column_offsets, count_of, hills, options, read_with};
    use crate::document::Document;
    use crate::geom::VoxelPos;

    const EDGE: usize = 64;

    /// Columns that are not as they were.
    fn differing(was: &Document, is: &Document) -> Vec<usize> {
        let columns = was.bounds().columns().columns();
        let differs = |x: i32, y: i32| (0..64).map(|z| VoxelPos::new(x, y, z)).any(|pos| was.store().voxel(pos) != is.store().voxel(pos));
        columns.filter(|[x, y]| differs(*x, *y)).map(|[x, y]| x as usize + y as usize * EDGE).collect()
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
                let differing = differing(&map, &mended);
                assert!(differing.iter().all(|at| at.abs_diff(column) <= 1), "bit {bit} of column {column}: {differing:?}");
                assert_eq!(count_of(&report, "missing-columns"), 0, "bit {bit} of column {column}");
            }
        }
        assert!(broken > 60, "{broken}");
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
            let differing = differing(&map, &mended);
            assert!(differing.iter().all(|at| (column..end + 1).contains(at)), "{column} {length}: {differing:?}");
            assert!(count_of(&report, "missing-columns") > 0, "{column} {length}");
        }
    }
}
