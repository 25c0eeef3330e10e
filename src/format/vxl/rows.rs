//! Columns of a store by rows, as 64-bit masks with the neighbours at hand.

use glam::IVec3;

use super::column::DEPTH;
use crate::geom::Region;
use crate::voxel::{CHUNK_EDGE, Chunk, ChunkPos, ColumnMask, Store};

/// Masks of one row of columns; outside the map all is solid.
#[derive(Clone, Debug, Default)]
struct Row {
    /// `[1 + x - min.x]`, with one column of outside on either side.
    solid: Vec<u64>,
    /// As `solid`: voxels of known colour.
    known: Vec<u64>,
}

/// A store's rows `y - 1`, `y`, `y + 1`, moved along y.
#[derive(Debug)]
pub struct Window<'a> {
    store: &'a Store,
    bounds: Region,
    rows: [Row; 3],
    y: Option<i32>,
}

/// One column with the solid masks of its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masks {
    /// Bit z: solid, z counted from the top of the bounds.
    pub solid: u64,
    /// Bit z: of known colour.
    pub known: u64,
    /// Solid masks west, east, north, south; all ones outside the map.
    pub around: [u64; 4],
}

impl<'a> Window<'a> {
    /// A window over a store of at most 64 voxels of depth.
    pub fn new(store: &'a Store) -> Self {
        Self { store, bounds: store.bounds(), rows: Default::default(), y: None }
    }

    /// The corner of smallest coordinates.
    pub fn origin(&self) -> IVec3 {
        self.bounds.min()
    }

    /// Moves to row `y`. Cheap where that is the next one.
    pub fn move_to(&mut self, y: i32) {
        let [north, here, south] = &mut self.rows;
        if self.y == Some(y) {
            return;
        }
        if self.y == Some(y - 1) {
            std::mem::swap(north, here);
            std::mem::swap(here, south);
        } else {
            north.fill(self.store, self.bounds, y - 1);
            here.fill(self.store, self.bounds, y);
        }
        south.fill(self.store, self.bounds, y + 1);
        self.y = Some(y);
    }

    /// The column at `x` of the row moved to.
    pub fn masks(&self, x: i32) -> Masks {
        let at = (x - self.bounds.min().x + 1) as usize;
        let [north, here, south] = &self.rows;
        Masks {
            solid: here.solid[at],
            known: here.known[at],
            around: [here.solid[at - 1], here.solid[at + 1], north.solid[at], south.solid[at]],
        }
    }

    /// Paint words of the column's known voxels, from the top down.
    pub fn words(&self, x: i32, words: &mut Vec<u32>) {
        words.clear();
        let Some(y) = self.y else { return };
        let column = chunk_column(x, y);
        for (_, chunk) in chunks_of_column(self.store, self.bounds, x, y) {
            words.extend(chunk.paint_words_of_column(column));
        }
    }
}

impl Row {
    fn fill(&mut self, store: &Store, bounds: Region, y: i32) {
        let width = bounds.size().x as usize;
        for masks in [&mut self.solid, &mut self.known] {
            masks.clear();
            masks.resize(width + 2, u64::MAX);
        }
        let (min, max) = (bounds.min(), bounds.max());
        if y < min.y || y >= max.y {
            return;
        }
        self.solid[1..=width].fill(0);
        self.known[1..=width].fill(0);
        let mut x = min.x;
        while x < max.x {
            let end = (ChunkPos::of(IVec3::new(x, y, 0)).region().max().x).min(max.x);
            let (slots, columns) = ((x - min.x + 1) as usize, chunk_column(x, y));
            let count = (end - x) as usize;
            for (z, chunk) in chunks_of_column(store, bounds, x, y) {
                let (solid, known) = (&chunk.solid()[columns..columns + count], &chunk.known()[columns..columns + count]);
                for (to, from) in self.solid[slots..slots + count].iter_mut().zip(solid) {
                    *to |= lifted(*from, z);
                }
                for (to, from) in self.known[slots..slots + count].iter_mut().zip(known) {
                    *to |= lifted(*from, z);
                }
            }
            x = end;
        }
    }
}

/// A chunk's mask whose top is at height `z` of the column; what is outside is dropped.
fn lifted(mask: ColumnMask, z: i32) -> u64 {
    if z < 0 { u64::from(mask) >> -z } else { u64::from(mask) << z }
}

/// The chunks that a column goes through, with the height of each one's top, from the top down.
fn chunks_of_column(store: &Store, bounds: Region, x: i32, y: i32) -> impl Iterator<Item = (i32, &Chunk)> {
    let top = bounds.min().z;
    let first = ChunkPos::of(IVec3::new(x, y, top)).0;
    let last = ChunkPos::of(IVec3::new(x, y, top + DEPTH as i32 - 1)).0.z;
    (first.z..=last).filter_map(move |z| {
        let chunk = store.chunk(ChunkPos(first.with_z(z)))?;
        Some((z * CHUNK_EDGE as i32 - top, &**chunk))
    })
}

/// Index of a column in its chunk.
fn chunk_column(x: i32, y: i32) -> usize {
    let within = |value: i32| value.rem_euclid(CHUNK_EDGE as i32) as usize;
    within(y) * CHUNK_EDGE + within(x)
}
