//! One column of a VXL file: spans to masks and colours, and back. Pure; knows neither files nor stores.
//!
//! A column is a list of spans, each a header `N S E A` and colours `b g r shade`. All but `[A, S)` of each
//! span is solid; after the last one (`N = 0`) all is solid down to height 63. Heights grow downwards.
//! Format: <https://www.piqueserver.org/aosprotocol/file_formats/map_format.html>.

use crate::format::FormatError;

/// Heights of a column.
pub const DEPTH: u32 = 64;

/// The lowest height: water, solid in every map that the game takes.
pub const FLOOR: u64 = 1 << (DEPTH - 1);

/// Bytes of a span's header, and of a colour.
pub const WORD: usize = 4;

/// What a column consists of, without its colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Bit z: the voxel is solid.
    pub solid: u64,
    /// Bit z: the file holds a colour for it. Within `solid`.
    pub stored: u64,
    /// Offset in the file of the first byte after the column.
    pub end: usize,
}

/// Why a column cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file ends within it.
    Truncated {
        /// Length that the file would need to have.
        needed: usize,
    },
    /// A byte with a value that no column can hold.
    BadByte {
        /// Where it stands.
        offset: usize,
        /// What is wrong with it.
        what: &'static str,
    },
}

impl Fault {
    /// The same as an error about the file.
    pub fn into_error(self, bytes: &[u8]) -> FormatError {
        match self {
            Self::Truncated { needed } => FormatError::Truncated { offset: bytes.len() as u64, needed: needed as u64 },
            Self::BadByte { offset, what } => {
                FormatError::BadValue { offset: offset as u64, what, found: bytes.get(offset).map_or(-1, |&byte| i64::from(byte)) }
            }
        }
    }
}

/// Mask of the heights above `end` (smaller z), `end` excluded.
#[inline(always)]
pub fn below(end: u32) -> u64 {
    if end >= DEPTH { u64::MAX } else { (1 << end) - 1 }
}

/// The heights whose bits are set, from the top down.
#[inline(always)]
pub fn heights(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let z = (mask != 0).then(|| mask.trailing_zeros());
        mask &= mask.wrapping_sub(1);
        z
    })
}

/// Colours of a column that lie one after the other in the file.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Height of the first.
    pub z: u32,
    /// How many they are.
    pub count: usize,
    /// The file from the first of them on.
    from: &'a [[u8; WORD]],
}

/// Words that are copied too much.
pub const ROOM: usize = 7;

impl<'a> Run<'a> {
    /// Colours that do not lie in a file.
    pub fn of(z: u32, colors: &'a [[u8; WORD]]) -> Self {
        Self { z, count: colors.len(), from: colors }
    }

    /// How many of them have a shade of zero.
    pub fn shadeless(&self) -> usize {
        self.from.iter().take(self.count).filter(|[.., shade]| *shade == 0).count()
    }

    /// The first `count` colours, at most as many as there are, and the others.
    #[inline(always)]
    pub fn split_at(&self, count: usize) -> (Self, Self) {
        let rest = Self { z: self.z + count as u32, count: self.count - count, from: self.from.get(count..).unwrap_or(&[]) };
        (Self { count, ..*self }, rest)
    }

    /// The colours.
    #[cfg(test)]
    pub fn colors(&self) -> &'a [[u8; WORD]] {
        self.from.get(..self.count).unwrap_or(&[])
    }

    /// Heights of those colours that are the words at the same place. Words that are missing are none.
    pub fn equal_to(&self, words: &[u32]) -> u64 {
        let pairs = self.from.iter().zip(words).take(self.count);
        // A run lies within the column: no height is beyond 63.
        let (equal, _) = pairs.fold((0, self.z), |(equal, z), (color, word)| {
            (equal | u64::from(u32::from_le_bytes(*color) == *word) << (z & (DEPTH - 1)), z + 1)
        });
        equal
    }

    /// Puts the colours in place as paint words. The [`ROOM`] words after them may change as well.
    #[inline(always)]
    pub fn copy_to(&self, to: &mut [u32]) {
        copy_by_eights(self.from, self.count, to, u32::from_le_bytes);
    }
}

/// The colours of a span as they lie in the file: those of its top run, then those of its bottom run.
#[derive(Clone, Copy, Debug)]
pub struct SpanColors<'a> {
    /// How many they are.
    pub count: usize,
    top: (u32, usize),
    /// Height of the bottom run's first.
    bottom: u32,
    /// The file from the first of them on.
    from: &'a [[u8; WORD]],
}

impl<'a> SpanColors<'a> {
    /// Whether they are the words that come first, all of them. Ends at the first that is not.
    #[inline(always)]
    pub fn equal(&self, words: &[u32]) -> bool {
        let (Some(own), Some(words)) = (self.from.get(..self.count), words.get(..self.count)) else { return false };
        own.iter().zip(words).all(|(color, word)| u32::from_le_bytes(*color) == *word)
    }

    /// Copies at most eight colors of one run as paint words: the first `first` of them to `upper`, the others to `lower`. All eight words
    /// of both may change. `None`, and nothing is copied, if they are more, or lie at the very end of the file.
    #[inline(always)]
    pub fn copy_short(&self, first: usize, upper: &mut [u32; 8], lower: &mut [u32; 8]) -> Option<()> {
        let from = self.from.first_chunk::<16>().filter(|_| self.count <= 8)?;
        let others = from.get(first.min(8)..)?.first_chunk::<8>()?;
        let own = from.first_chunk::<8>()?;
        *upper = own.map(u32::from_le_bytes);
        *lower = others.map(u32::from_le_bytes);
        Some(())
    }

    /// Gives the top run, and the bottom run if there is one.
    #[inline(always)]
    pub fn each_run(&self, mut run: impl FnMut(Run<'a>)) {
        let (z, count) = self.top;
        run(Run { z, count, from: self.from });
        if self.count > count {
            run(Run { z: self.bottom, count: self.count - count, from: self.from.get(count..).unwrap_or(&[]) });
        }
    }
}

/// Copies `count` items; up to [`ROOM`] more where there is room. Runs are short: no call is made for them, and
/// hardly any takes a second round.
#[inline(always)]
fn copy_by_eights<A: Copy, B>(from: &[A], count: usize, to: &mut [B], convert: impl Fn(A) -> B + Copy) {
    let mut done = 0;
    while done < count {
        let eights = from.get(done..).and_then(<[A]>::first_chunk::<8>).zip(to.get_mut(done..).and_then(<[B]>::first_chunk_mut::<8>));
        let Some((from_eight, to_eight)) = eights else { break };
        *to_eight = from_eight.map(convert);
        done += 8;
    }
    // Only at the very end of a file, or of the place to copy to.
    while done < count {
        if let (Some(&from), Some(to)) = (from.get(done), to.get_mut(done)) {
            *to = convert(from);
        }
        done += 1;
    }
}

/// Reads the column that starts at byte `at`. `run` is given each run of colours.
///
/// Runs come in order of height. After an error `run` may have seen some of the colours.
///
/// # Errors
/// The first [`Fault`].
#[inline(always)]
pub fn parse_column(bytes: &[u8], at: usize, mut run: impl FnMut(Run)) -> Result<Column, Fault> {
    let mut rest = bytes.get(at..).unwrap_or(&[]).as_chunks().0;
    let end = at + rest.len() * WORD;
    parse_spans(&mut rest, end, |span| span.each_run(&mut run))
}

/// Reads the usual column, in few steps: one span with a colour. Answers its masks, solid and stored. Nothing is
/// read if it is another one, or broken. `rest` is as for [`parse_spans`].
#[inline(always)]
pub fn parse_usual<'a>(rest: &mut &'a [[u8; WORD]]) -> Option<(u64, u64, SpanColors<'a>)> {
    let (&[n, s, e, _], from) = rest.split_first()?;
    if n != 0 || s > e || u32::from(e) >= DEPTH {
        return None;
    }
    let count = usize::from(e - s) + 1;
    *rest = from.get(count..)?;
    let (s, e) = (u32::from(s), u32::from(e));
    let solid = u64::MAX << s;
    Some((solid, solid & u64::MAX >> (DEPTH - 1 - e), SpanColors { count, top: (s, count), bottom: DEPTH, from }))
}

/// As [`parse_column`], with the colours by spans. `rest` is the file from the column on, afterwards that
/// from the next one on; `end` is where in the file it ends.
#[inline(always)]
pub fn parse_spans<'a>(rest: &mut &'a [[u8; WORD]], end: usize, mut span: impl FnMut(SpanColors<'a>)) -> Result<Column, Fault> {
    let (mut solid, mut stored) = (u64::MAX, 0);
    let mut air = 0;
    // Where those words begin: found only when asked, so that the way to the next column is short.
    let offset = |rest: &[[u8; WORD]]| end - rest.len() * WORD;
    if let Some((solid, stored, colors)) = parse_usual(rest) {
        span(colors);
        return Ok(Column { solid, stored, end: offset(rest) });
    }
    loop {
        let here = *rest;
        let Some((&[n, s, e, _], colors)) = here.split_first() else { return Err(Fault::Truncated { needed: offset(here) + WORD }) };
        let (n, s, top_end) = (u32::from(n), u32::from(s), u32::from(e) + 1);
        if top_end > DEPTH || s > top_end || s < air {
            return Err(bad_header(offset(here), s, top_end));
        }
        solid &= !(below(s) ^ below(air));
        stored |= below(top_end) ^ below(s);
        let top = top_end - s;
        let count = match n {
            0 => top,
            n if n > top => n - 1,
            _ => return Err(Fault::BadByte { offset: offset(here), what: "the span is too short for its top colors" }),
        };
        let Some(after) = colors.get(count as usize..) else {
            return Err(Fault::Truncated { needed: offset(colors) + count as usize * WORD });
        };
        *rest = after;
        if n == 0 {
            span(SpanColors { count: count as usize, top: (s, count as usize), bottom: DEPTH, from: colors });
            return Ok(Column { solid, stored, end: offset(after) });
        }
        let bottom = count - top;
        let Some(&[.., next_air]) = after.first() else { return Err(Fault::Truncated { needed: offset(after) + WORD }) };
        air = u32::from(next_air);
        if air > DEPTH || air < top_end + bottom {
            return Err(bad_air(offset(after), air));
        }
        stored |= below(air) ^ below(air - bottom);
        span(SpanColors { count: count as usize, top: (s, top as usize), bottom: air - bottom, from: colors });
    }
}

#[cold]
fn bad_header(at: usize, s: u32, top_end: u32) -> Fault {
    if top_end > DEPTH {
        Fault::BadByte { offset: at + 2, what: "the top run ends below the floor" }
    } else if s > top_end {
        Fault::BadByte { offset: at + 1, what: "the top run starts below its end" }
    } else {
        Fault::BadByte { offset: at + 1, what: "the top run starts above the air over it" }
    }
}

#[cold]
fn bad_air(at: usize, air: u32) -> Fault {
    let what = if air > DEPTH { "the air starts below the floor" } else { "the air starts within the colors above it" };
    Fault::BadByte { offset: at + 3, what }
}

/// Heights of a column that can be seen. `around` are the neighbours' solid masks, all ones outside the map.
///
/// The game's rule: the sky over height 0 is open, below the floor all is solid.
pub fn surface(solid: u64, around: [u64; 4]) -> u64 {
    let [a, b, c, d] = around;
    let (above, under) = (solid << 1, solid >> 1 | FLOOR);
    solid & !(above & under & a & b & c & d)
}

/// Most words that [`write_column`] fills: colours, headers, and what is copied too much.
pub const MAX_COLUMN_WORDS: usize = 64 + 33 + ROOM;

/// Writes a column to where `out` begins; answers how many words it takes. `words` are the colours of
/// `colored`, from the top down, and whatever follows them.
///
/// `colored` must lie within `solid` and hold its whole [`surface`]; `solid` must hold the floor. So each
/// slab starts with a colour, and no `E` of 255 (an empty run at height 0) can come out. `out` must have
/// room for [`MAX_COLUMN_WORDS`].
#[inline(always)]
pub fn write_column(solid: u64, colored: u64, mut words: &[u32], out: &mut [[u8; WORD]]) -> usize {
    debug_assert!(solid & FLOOR != 0 && colored & !solid == 0 && surface(solid, [u64::MAX; 4]) & !colored == 0);
    debug_assert!(words.len() >= colored.count_ones() as usize && out.len() >= MAX_COLUMN_WORDS);
    // Mask of the heights from `z` on; `z` is at most 63.
    let from = |z: u32| u64::MAX << (z & (DEPTH - 1));
    let (mut air, mut at) = (0, 0);
    loop {
        // The floor is there anyway: no column of nothing need be thought of.
        let top = (solid & from(air) | FLOOR).trailing_zeros();
        let top_end = (!colored & from(top)).trailing_zeros();
        let hidden_end = if top_end == DEPTH { 0 } else { (!solid | colored) & from(top_end) };
        let Some((header, colors)) = out.get_mut(at..).and_then(<[_]>::split_first_mut) else { return at };
        // All heights and counts are at most 64.
        if hidden_end == 0 {
            *header = [0, top as u8, top_end as u8 - 1, air as u8];
            let count = (top_end - top) as usize;
            copy_by_eights(words, count, colors, u32::to_le_bytes);
            return at + 1 + count;
        }
        let bottom = hidden_end.trailing_zeros();
        let bottom_end = match (!colored & from(bottom)).trailing_zeros() {
            // Coloured down to the floor: the last colours are the next span's top run.
            DEPTH => bottom,
            end => end,
        };
        let count = (top_end - top + bottom_end - bottom) as usize;
        *header = [count as u8 + 1, top as u8, top_end as u8 - 1, air as u8];
        copy_by_eights(words, count, colors, u32::to_le_bytes);
        words = words.get(count..).unwrap_or(&[]);
        at += 1 + count;
        air = bottom_end;
    }
}

/// Most colours of a short column.
const SHORT: usize = 8;

/// Height where a short column begins, and how many colours it has less one; `None` for another. Most are short: ground below
/// some air, with one run of at most eight colours from its top on.
#[inline(always)]
fn short_column(solid: u64, colored: u64) -> Option<(u32, u32)> {
    let top = solid & solid.wrapping_neg();
    // The run's end carries over to the height after it, out of the column if it goes down to the floor.
    let end = colored.wrapping_add(top);
    // Of a column of nothing `s` is 64, `e` 63.
    let (s, e) = (solid.trailing_zeros(), end.trailing_zeros().wrapping_sub(1));
    let is_one_run = solid.wrapping_add(top) | colored & end | top & !colored == 0;
    (is_one_run & (e.wrapping_sub(s) < SHORT as u32)).then_some((s, e.wrapping_sub(s)))
}

/// Writes short columns as [`write_column`] does, in fewer steps, up to the first that is none, or has no room after it to copy
/// eight colours. `words` are the columns' colours, one after the other, and whatever follows them. Answers how many columns they
/// are, and how many words they take.
// By itself, its loop has the registers for itself.
#[inline(never)]
pub fn write_short_columns(solid: &[u64], colored: &[u64], mut words: &[u32], out: &mut [[u8; WORD]]) -> (usize, usize) {
    let room = out.len();
    let (mut rest, mut columns) = (out, 0);
    for (&solid, &colored) in solid.iter().zip(colored) {
        let chunk = rest.first_chunk_mut::<{ SHORT + 1 }>();
        let (Some([header, to_colors @ ..]), Some(colors), Some((s, more))) =
            (chunk, words.first_chunk::<SHORT>(), short_column(solid, colored))
        else {
            break;
        };
        *header = (s << 8 | (s + more) << 16).to_le_bytes();
        *to_colors = colors.map(u32::to_le_bytes);
        // It is less than eight anyway: so neither place need be checked.
        let count = more as usize % SHORT + 1;
        words = words.get(count..).unwrap_or_default();
        rest = rest.get_mut(count + 1..).unwrap_or_default();
        columns += 1;
    }
    (columns, room - rest.len())
}

/// Copies the first `count` words. As for a column, up to [`ROOM`] more may change.
#[inline(always)]
pub fn copy_words(from: &[u32], count: usize, to: &mut [u32]) {
    copy_by_eights(from, count, to, |word| word);
}

/// Copies words as they are; answers how many. As for a column, up to [`ROOM`] more may change.
#[inline(always)]
pub fn copy_columns(words: &[[u8; WORD]], out: &mut [[u8; WORD]]) -> usize {
    let count = words.len().min(out.len());
    copy_by_eights(words, count, out, |word| word);
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bytes: &[u8]) -> Result<(Column, Vec<(u32, u32)>), Fault> {
        let mut colors = vec![];
        let column = parse_column(bytes, 0, |run| {
            colors.extend(run.colors().iter().zip(run.z..).map(|(color, z)| (z, u32::from_le_bytes(*color))));
        })?;
        Ok((column, colors))
    }

    /// Spans `[header, colors]` as bytes; colours count up from 1.
    fn column(spans: &[([u8; 4], usize)]) -> Vec<u8> {
        let mut color = 0_u32;
        let mut bytes = vec![];
        for (header, count) in spans {
            bytes.extend(header);
            for _ in 0..*count {
                color += 1;
                bytes.extend(color.to_le_bytes());
            }
        }
        bytes
    }

    fn range(from: u32, to: u32) -> u64 {
        below(to + 1) & !below(from)
    }

    #[track_caller]
    fn check_loads(spans: &[([u8; 4], usize)], solid: u64, stored: u64) {
        let bytes = column(spans);
        let (column, colors) = parse(&bytes).unwrap();
        assert_eq!((column.solid, column.stored, column.end), (solid, stored, bytes.len()));
        let heights: Vec<u32> = (0..64).filter(|z| stored >> z & 1 == 1).collect();
        assert_eq!(colors, heights.into_iter().zip(1..).collect::<Vec<_>>());
    }

    #[track_caller]
    fn check_fails(spans: &[([u8; 4], usize)], offset: usize) {
        match parse(&column(spans)) {
            Err(Fault::BadByte { offset: found, .. }) => assert_eq!(found, offset),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn odd_but_legal_columns_load() {
        check_loads(&[([0, 63, 63, 0], 1)], FLOOR, FLOOR);
        check_loads(&[([0, 64, 63, 0], 0)], 0, 0);
        check_loads(&[([0, 5, 4, 0], 0)], range(5, 63), 0);
        check_loads(&[([0, 63, 63, 7], 1)], FLOOR, FLOOR);
        check_loads(&[([3, 5, 5, 0], 2), ([0, 64, 63, 64], 0)], range(5, 63), 1 << 5 | FLOOR);
        let zero_air = [([3, 5, 5, 0], 2), ([2, 20, 19, 20], 1), ([0, 63, 63, 40], 1)];
        check_loads(&zero_air, range(5, 39) | FLOOR, 1 << 5 | 1 << 19 | 1 << 39 | FLOOR);
        check_loads(&[([0, 30, 63, 0], 34)], range(30, 63), range(30, 63));
        check_loads(&[([3, 5, 6, 0], 2), ([0, 7, 6, 7], 0)], range(5, 63), range(5, 6));
        check_loads(&[([2, 40, 40, 0], 1), ([0, 64, 63, 41], 0)], 1 << 40, 1 << 40);
    }

    #[test]
    fn columns_that_readers_disagree_about_are_errors_at_the_wrong_byte() {
        check_fails(&[([0, 0, 255, 0], 0)], 2);
        check_fails(&[([0, 5, 2, 0], 0)], 1);
        check_fails(&[([1, 5, 6, 0], 2), ([0, 63, 63, 10], 1)], 0);
        check_fails(&[([4, 5, 6, 0], 3), ([0, 63, 63, 6], 1)], 19);
        check_fails(&[([2, 5, 5, 0], 1), ([0, 8, 8, 20], 1)], 9);
        check_fails(&[([0, 60, 70, 0], 11)], 2);
        check_fails(&[([255, 5, 5, 0], 254), ([0, 63, 63, 64], 1)], 1023);
        check_fails(&[([2, 5, 5, 0], 1), ([0, 63, 63, 200], 1)], 11);
        check_fails(&[([0, 200, 199, 0], 0)], 2);
    }

    #[test]
    fn a_column_cut_anywhere_is_truncated() {
        let bytes = column(&[([3, 5, 5, 0], 2), ([0, 63, 63, 40], 1)]);
        for length in 0..bytes.len() {
            match parse(&bytes[..length]) {
                Err(Fault::Truncated { needed }) => assert!(needed > length && needed <= bytes.len()),
                other => panic!("{other:?}"),
            }
        }
    }

    /// The quick way writes the same or nothing; answers which.
    fn check_short(solid: u64, colored: u64, words: &[u32], bytes: &[u8]) -> bool {
        let (mut words, count) = (words.to_vec(), words.len());
        words.extend([0; SHORT]);
        let mut spans = [[0; 4]; MAX_COLUMN_WORDS];
        let mut write = |words: &[u32], room: usize| {
            let written = write_short_columns(&[solid, 0], &[colored, 0], words, &mut spans[..room]);
            (written, spans)
        };
        if bytes[0] != 0 || count > SHORT {
            assert_eq!(write(&words, MAX_COLUMN_WORDS), ((0, 0), [[0; 4]; MAX_COLUMN_WORDS]));
            return false;
        }
        assert_eq!(write(&words, SHORT).0, (0, 0));
        assert_eq!(write(&words[..SHORT - 1], MAX_COLUMN_WORDS), ((0, 0), [[0; 4]; MAX_COLUMN_WORDS]));
        let (written, spans) = write(&words, SHORT + 1);
        assert_eq!(written, (1, count + 1));
        assert_eq!(spans[..=count].as_flattened(), bytes, "{solid:x} {colored:x}");
        true
    }

    #[test]
    fn short_columns_are_written_alike_by_both() {
        let words: Vec<u32> = (1..=64).collect();
        assert_eq!([short_column(0, 0), short_column(FLOOR, 0), short_column(1, 1)], [None; 3]);
        for top in 0..DEPTH {
            let solid = u64::MAX << top;
            for run in 1..=DEPTH - top {
                let colored = solid & u64::MAX >> (DEPTH - top - run);
                let mut spans = [[0; 4]; MAX_COLUMN_WORDS];
                let count = write_column(solid, colored, &words, &mut spans);
                assert_eq!(check_short(solid, colored, &words[..run as usize], spans[..count].as_flattened()), run <= 8);
                for hole in top + 1..DEPTH - 1 {
                    assert_eq!(short_column(solid & !(1 << hole), colored & !(1 << hole)), None);
                }
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_reads_back(solid: u64, more: u64, around: [u64; 4], words: [u32; 32]) {
            let solid = solid | FLOOR;
            let colored = surface(solid, around) | more & solid;
            let mut by_height = [0; 64];
            for (z, word) in by_height.iter_mut().enumerate() {
                *word = words[z % 32] ^ z as u32;
            }
            let by_rank: Vec<u32> = (0..64).filter(|z| colored >> z & 1 == 1).map(|z| by_height[z]).collect();
            let mut spans = [[0; 4]; MAX_COLUMN_WORDS];
            let count = write_column(solid, colored, &by_rank, &mut spans);
            let bytes = spans[..count].as_flattened();
            check_short(solid, colored, &by_rank, bytes);
            let (column, colors) = parse(bytes).unwrap();
            assert_eq!(column, Column { solid, stored: colored, end: bytes.len() });
            for (z, word) in colors {
                assert_eq!(word, by_height[z as usize]);
            }
        }
    }
}
