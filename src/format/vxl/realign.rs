//! Files that lost or got single bytes: what follows the place lies beside whole words, up to the end of the file.

use super::column::WORD;
use super::decode::Size;
use super::faults::{Ends, enough, is_strange};
use super::resync::{MAX_BYTES, MAX_GAP, MAX_WORDS, Tails, breaks_off, first_odd, read_on};

/// A file whose columns all begin at whole words again.
#[derive(Debug)]
pub struct Realigned {
    /// The file, with one to three bytes more.
    pub bytes: Vec<u8>,
    /// Before which byte of the file these stand.
    pub at: usize,
}

/// The file of a map of that size with what follows the place moved to whole words; `None` where nothing lies beside them.
///
/// The place is that of a column with which the number of columns comes out, else where the columns of the end of the file begin
/// behind the first that cannot be read.
pub fn realigned(bytes: &[u8], size: Size) -> Option<Realigned> {
    let (beside, total) = (bytes.len() % WORD, size.columns());
    if beside == 0 || bytes.len() > MAX_BYTES {
        return None;
    }
    let (mut starts, whole) = (vec![], bytes.len() - beside);
    let words = bytes.get(..whole)?;
    let broken = read_on(words, 0, total, &mut starts);
    // Without an odd column it is the end of the file that is missing.
    let is_cut = breaks_off(words, broken) && (is_strange(words) || first_odd(words, &starts).is_none());
    if starts.len() == total || is_cut {
        return None;
    }
    starts.push(broken);
    let tails = Tails::of(bytes.get(beside..)?, &Ends::new());
    let tail = |end: usize| tails.get(end.checked_sub(beside)?).filter(|tail| *tail >= enough(total));
    // A column is as long as it was, but for a few bytes.
    let ends = |start: usize, length: usize| (start + beside..=start + length).step_by(WORD);
    let of_column = |(column, start): (usize, &usize)| {
        let rest = total.checked_sub(column + 1)?;
        ends(*start, (MAX_WORDS + 1) * WORD).find(|end| tail(*end) == Some(rest))
    };
    let left = total.saturating_sub(starts.len());
    let at = starts.iter().enumerate().find_map(of_column);
    let at = at.or_else(|| ends(broken, MAX_GAP).find(|end| tail(*end).is_some_and(|tail| tail <= left)))?;
    let (before, after) = bytes.split_at_checked(at)?;
    Some(Realigned { bytes: [before, &[0; WORD][beside..], after].concat(), at })
}

#[cfg(test)]
mod tests {
    use super::super::resync::tests::differing;
    use super::super::tests::{column_offsets, count_of, hills, options, read_with};

    const EDGE: usize = 64;

    #[test]
    fn single_bytes_that_are_lost_or_came_cost_the_columns_around_them() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        let offsets = column_offsets(&sound);
        for column in [0, 7, 1000, 2001, 4000] {
            for (within, lost, added) in [(0, 1, 0), (1, 2, 0), (5, 3, 0), (0, 0, 1), (3, 0, 2), (6, 0, 3), (9, 4, 1), (2, 700, 1)] {
                let at = offsets[column] + within;
                let bytes = [&sound[..at], &b"\x0d\xf0\x01"[..added], &sound[at + lost..]].concat();
                assert!(read_with(&bytes, &options("64x64", false)).is_err() || lost == 0, "{column} {within}");
                let (mended, report) = read_with(&bytes, &options("64x64", true)).unwrap();
                let behind = offsets.partition_point(|offset| *offset < at + lost);
                let differing = differing(&map, &mended, EDGE);
                let is_near = |is: &usize| (column.saturating_sub(1)..=behind + 4).contains(is);
                let what = format!("{lost} lost and {added} added at {within} of {column}");
                // Where many are lost, it may be told that it is not known.
                let is_told = lost > 4 && count_of(&report, "unsure-places") + count_of(&report, "missing-columns") > 0;
                assert!(is_told || differing.iter().all(is_near), "{what}: {} differ, {:?}", differing.len(), differing.last());
                assert_eq!(count_of(&report, "beside-words"), 1, "{what}");
            }
        }
    }

    #[test]
    fn nothing_is_moved_in_a_file_that_is_cut_or_has_bytes_behind_its_columns() {
        let sound = hills(EDGE);
        let (map, _) = read_with(&sound, &options("64x64", false)).unwrap();
        for bytes in [&sound[..sound.len() - 1], &sound[..sound.len() - 301], &[&sound[..], b"made by me"].concat()] {
            let (mended, report) = read_with(bytes, &options("64x64", true)).unwrap();
            assert_eq!(count_of(&report, "beside-words"), 0);
            assert!(differing(&map, &mended, EDGE).iter().all(|at| *at > EDGE * EDGE - 10));
        }
    }
}
