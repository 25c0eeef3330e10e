//! Paint words of a chunk's known voxels in the smallest of three encodings.
//!
//! Words stand in rank order: by column, then by height. Which encoding is used depends on the words
//! alone, so that equal content is equal memory. Only `chunk.rs` calls this.

use super::chunk::{CHUNK_COLUMNS, ColumnMask};

/// Known voxels from which a palette is tried. Chunks of maps that store only the surface mostly have
/// fewer, and hashing colours would make opening those maps slower than it need be.
const PALETTE_MIN_WORDS: usize = 2048;

/// Most entries of a palette: what an index of 8 bits can name.
const PALETTE_MAX_ENTRIES: usize = 256;

/// Rank of each column's first known voxel.
type Starts = [u16; CHUNK_COLUMNS];

/// Paint words of the known voxels, ordered by column, then by height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Paints {
    /// Every known voxel has this paint (also where none is known).
    Uniform(u32),
    /// `words[starts[column] + rank]`, rank = known voxels above in the column.
    Packed { starts: Box<Starts>, words: Box<[u32]> },
    /// `palette.word(starts[column] + rank)`.
    Palette { starts: Box<Starts>, palette: Palette },
}

/// Few colours under many voxels: `entries[indices[at]]`, indices of `1 << shift` bits, lowest bits first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Palette {
    entries: Box<[u32]>,
    shift: u8,
    indices: Box<[u8]>,
}

impl Paints {
    /// Encodes the words of all known voxels; `None` if their number is not that of the known voxels.
    pub(super) fn of(known: &[ColumnMask; CHUNK_COLUMNS], words: Vec<u32>) -> Option<Self> {
        // Counted first, by vectors; then added up, one after the other.
        let mut places = [0_u16; CHUNK_COLUMNS];
        for (place, known) in places.iter_mut().zip(known) {
            *place = known.count_ones() as u16;
        }
        let mut total = 0_u32;
        for place in &mut places {
            let count = u32::from(*place);
            // The start of the last column is at most 32,768 − 32.
            *place = total as u16;
            total += count;
        }
        if total as usize != words.len() {
            return None;
        }
        Some(Self::of_counted(&places, words))
    }

    /// Encodes the words, of which those of each column begin at `starts[column]`.
    pub(super) fn of_counted(starts: &Starts, words: Vec<u32>) -> Self {
        let first = words.first().copied().unwrap_or(0);
        if words.iter().all(|&word| word == first) {
            return Self::Uniform(first);
        }
        let starts = Box::new(*starts);
        match palette_of(&words) {
            Some(palette) => Self::Palette { starts, palette },
            None => Self::Packed { starts, words: words.into_boxed_slice() },
        }
    }

    /// The word of the known voxel of that rank within its column.
    pub(super) fn word(&self, column: usize, rank: usize) -> Option<u32> {
        self.word_at(self.start(column)? + rank)
    }

    /// The words of a column with `count` known voxels, from the top down.
    pub(super) fn words_of_column(&self, column: usize, count: usize) -> impl ExactSizeIterator<Item = u32> + '_ {
        let start = self.start(column).unwrap_or(0);
        (start..start + count).map(|at| self.word_at(at).unwrap_or(0))
    }

    /// Appends the words of `count` known voxels from a column's first on, in rank order.
    pub(super) fn append_words(&self, column: usize, count: usize, out: &mut Vec<u32>) {
        let start = self.start(column).unwrap_or(0);
        match self {
            Self::Uniform(word) => out.extend(std::iter::repeat_n(*word, count)),
            Self::Packed { words, .. } => out.extend_from_slice(words.get(start..start + count).unwrap_or(&[])),
            Self::Palette { palette, .. } if palette.shift == 3 => {
                let indices = palette.indices.get(start..start + count).unwrap_or(&[]);
                out.extend(indices.iter().map(|index| palette.entries.get(usize::from(*index)).copied().unwrap_or(0)));
            }
            Self::Palette { palette, .. } => out.extend((start..start + count).map(|at| palette.word(at).unwrap_or(0))),
        }
    }

    /// Ranks of the columns' first known voxels, where they are kept.
    pub(super) fn starts(&self) -> Option<&[u16; CHUNK_COLUMNS]> {
        match self {
            Self::Uniform(_) => None,
            Self::Packed { starts, .. } | Self::Palette { starts, .. } => Some(starts),
        }
    }

    /// Every word of a chunk with `count` known voxels, in rank order.
    pub(super) fn words(&self, count: usize) -> impl Iterator<Item = u32> + '_ {
        (0..count).map(|at| self.word_at(at).unwrap_or(0))
    }

    /// How many of the `count` known voxels have a word that matches.
    pub(super) fn count(&self, count: usize, matches: impl Fn(u32) -> bool) -> usize {
        match self {
            Self::Uniform(word) => {
                if matches(*word) {
                    count
                } else {
                    0
                }
            }
            Self::Packed { words, .. } => words.iter().filter(|word| matches(**word)).count(),
            Self::Palette { palette, .. } if !palette.entries.iter().any(|word| matches(*word)) => 0,
            Self::Palette { .. } => self.words(count).filter(|word| matches(*word)).count(),
        }
    }

    /// Bytes on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        match self {
            Self::Uniform(_) => 0,
            Self::Packed { words, .. } => size_of::<Starts>() + words.len() * 4,
            Self::Palette { palette, .. } => size_of::<Starts>() + palette.entries.len() * 4 + palette.indices.len(),
        }
    }

    fn start(&self, column: usize) -> Option<usize> {
        match self.starts() {
            None => Some(0),
            Some(starts) => starts.get(column).map(|&start| usize::from(start)),
        }
    }

    fn word_at(&self, at: usize) -> Option<u32> {
        match self {
            Self::Uniform(word) => Some(*word),
            Self::Packed { words, .. } => words.get(at).copied(),
            Self::Palette { palette, .. } => palette.word(at),
        }
    }
}

impl Palette {
    fn word(&self, at: usize) -> Option<u32> {
        let (byte, within) = place_of(at, self.shift);
        let index = self.indices.get(byte)? >> within & mask_of(self.shift);
        self.entries.get(usize::from(index)).copied()
    }
}

/// Byte of an index, and its lowest bit in there.
fn place_of(at: usize, shift: u8) -> (usize, u32) {
    let per_byte = 3 - u32::from(shift);
    (at >> per_byte, ((at & ((1 << per_byte) - 1)) as u32) << shift)
}

/// The bits of one index.
fn mask_of(shift: u8) -> u8 {
    u8::MAX >> (8 - (1_u32 << shift))
}

/// The palette, entries in order of first use; `None` where that is not smaller than the words.
fn palette_of(words: &[u32]) -> Option<Palette> {
    if words.len() < PALETTE_MIN_WORDS {
        return None;
    }
    let mut finder = Finder::new();
    let mut wide = Vec::with_capacity(words.len());
    let (mut last_word, mut last_index) = (0, None);
    for &word in words {
        if last_index.is_none() || word != last_word {
            last_word = word;
            last_index = Some(finder.index_of(word)?);
        }
        wide.push(last_index.unwrap_or(0));
    }
    let entries = finder.entries;
    let shift = match entries.len() {
        0..=2 => 0,
        3..=4 => 1,
        5..=16 => 2,
        _ => 3,
    };
    let mut indices = vec![0_u8; wide.len().div_ceil(8 >> shift)];
    for (packed, wide) in indices.iter_mut().zip(wide.chunks(8 >> shift)) {
        *packed = wide.iter().rev().fold(0, |all, &index| all.wrapping_shl(1 << shift) | index);
    }
    Some(Palette { entries: entries.into_boxed_slice(), shift, indices: indices.into_boxed_slice() })
}

/// Slots of the hash table: four for each entry at most, so that chains stay short.
const SLOTS: usize = 4 * PALETTE_MAX_ENTRIES;

/// An open hash table from words to the order in which they first came.
struct Finder {
    entries: Vec<u32>,
    /// Index of an entry plus 1; 0 is free.
    slots: [u16; SLOTS],
}

impl Finder {
    fn new() -> Self {
        Self { entries: vec![], slots: [0; SLOTS] }
    }

    /// Index of the word, which is entered if new; `None` when there are too many.
    fn index_of(&mut self, word: u32) -> Option<u8> {
        // Fibonacci hashing: the top ten bits name the slot.
        let mut slot = (word.wrapping_mul(0x9E37_79B9) >> 22) as usize;
        loop {
            let taken = self.slots.get_mut(slot % SLOTS)?;
            if *taken == 0 {
                let index = u8::try_from(self.entries.len()).ok()?;
                *taken = u16::from(index) + 1;
                self.entries.push(word);
                return Some(index);
            }
            let index = *taken - 1;
            if self.entries.get(usize::from(index)) == Some(&word) {
                return u8::try_from(index).ok();
            }
            slot += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of a full chunk with `distinct` colours, encoded and read back.
    #[track_caller]
    fn check_colors(distinct: u32, heap_bytes: usize) {
        let known = [ColumnMask::MAX; CHUNK_COLUMNS];
        let words: Vec<u32> = (0..32_768_u32).map(|i| 0x8000_0000 | ((i.wrapping_mul(2_654_435_761) >> 7) % distinct * 0x0101)).collect();
        let paints = Paints::of(&known, words.clone()).unwrap();
        assert_eq!(paints.heap_bytes(), heap_bytes, "{distinct} colors");
        assert!(paints.words(words.len()).eq(words.iter().copied()));
        for column in [0, 1, 500, 1023] {
            let own = &words[column * 32..column * 32 + 32];
            assert!(paints.words_of_column(column, 32).eq(own.iter().copied()));
            assert_eq!(paints.word(column, 31), Some(own[31]));
        }
        for columns in [0..1, 3..35, 1000..1024, 0..1024] {
            let mut own = vec![];
            paints.append_words(columns.start, columns.len() * 32, &mut own);
            assert_eq!(own, words[columns.start * 32..columns.end * 32]);
        }
        let odd = |word: u32| word & 0xff == 1;
        assert_eq!(paints.count(words.len(), odd), words.iter().filter(|word| odd(**word)).count());
        assert_eq!(paints, Paints::of(&known, words).unwrap());
    }

    #[test]
    fn the_fewer_colors_the_less_memory() {
        let starts = 2048;
        check_colors(1, 0);
        check_colors(2, starts + 2 * 4 + 4096);
        check_colors(4, starts + 4 * 4 + 8192);
        check_colors(5, starts + 5 * 4 + 16_384);
        check_colors(16, starts + 16 * 4 + 16_384);
        check_colors(17, starts + 17 * 4 + 32_768);
        check_colors(256, starts + 256 * 4 + 32_768);
        check_colors(257, starts + 4 * 32_768);
    }

    #[test]
    fn few_words_stay_plain() {
        let known = [1; CHUNK_COLUMNS];
        let words: Vec<u32> = (0..1024).map(|i| i % 2).collect();
        assert!(matches!(Paints::of(&known, words), Some(Paints::Packed { .. })));
        assert!(Paints::of(&known, vec![0; 1023]).is_none());
    }
}
