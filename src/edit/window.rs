//! What is solid in a chunk and around it, as bits: for edits that ask how near the open air is.
//!
//! A window is 64 voxels wide: the chunk and 16 voxels on every side. Callers are painting in depth and sculpting of
//! volumes; both look at the map as it was.

use glam::IVec3;

use super::mask::ChunkMask;
use crate::geom::{Region, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, Store};

/// Voxels around the chunk, on each side: as far as anything may be looked at.
pub(super) const MARGIN: i32 = 16;
const EDGE: usize = CHUNK_EDGE + 2 * MARGIN as usize;
const _: () = assert!(EDGE == u64::BITS as usize, "a word holds a column of the window");

/// A set of voxels within a window: `[y * 64 + x]`, bit z, from the window's corner.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Window {
    origin: VoxelPos,
    columns: Box<[u64]>,
}

impl Window {
    /// What is solid.
    pub fn solid(store: &Store, pos: ChunkPos) -> Self {
        Self::of(pos, |near| store.chunk(near).map(|chunk| *chunk.solid()))
    }

    /// What the masks of the chunk and those around it hold.
    pub fn of(pos: ChunkPos, mask_of: impl Fn(ChunkPos) -> Option<ChunkMask>) -> Self {
        let mut window = Self { origin: pos.origin() - MARGIN, columns: vec![0; EDGE * EDGE].into() };
        for near in ChunkPos::covering(&window.region()) {
            let Some(mask) = mask_of(near) else { continue };
            let at = near.origin() - window.origin;
            for (column, bits) in mask.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                let (x, y) = (at.x + (column % CHUNK_EDGE) as i32, at.y + (column / CHUNK_EDGE) as i32);
                if let Some(own) = window.column_mut(x, y) {
                    let bits = u64::from(*bits);
                    *own |= if at.z < 0 { bits >> -at.z } else { bits << at.z };
                }
            }
        }
        window
    }

    /// What lies in a box.
    pub fn inside(pos: ChunkPos, bounds: &Region) -> Self {
        let mut window = Self { origin: pos.origin() - MARGIN, columns: vec![0; EDGE * EDGE].into() };
        let part = window.region().intersection(bounds);
        if !part.is_empty() {
            let part = part.shifted(-window.origin);
            let (top, bottom) = (part.min().z as u32, part.max().z as u32);
            let bits = u64::MAX << top & u64::MAX >> (u64::BITS - bottom);
            for [x, y] in part.columns().columns() {
                if let Some(own) = window.column_mut(x, y) {
                    *own = bits;
                }
            }
        }
        window
    }

    /// The open air: what is not solid within the bounds, and all that lies above them.
    pub fn air(store: &Store, pos: ChunkPos) -> Self {
        let (solid, bounds) = (Self::solid(store, pos), store.bounds());
        let far = IVec3::splat(1 << 24);
        let sky = Region::new(bounds.min().saturating_sub(far), bounds.max().saturating_add(far).with_z(bounds.min().z));
        let (mut air, sky) = (Self::inside(pos, &bounds), Self::inside(pos, &sky));
        for ((air, solid), sky) in air.columns.iter_mut().zip(&solid.columns).zip(&sky.columns) {
            *air = *air & !solid | sky;
        }
        air
    }

    /// Adds what touches the set by a side; with `round`, by an edge or a corner as well.
    pub fn grow(&mut self, round: bool) {
        let before = self.columns.clone();
        let at = |columns: &[u64], x: usize, y: usize| columns.get(y * EDGE + x).copied().unwrap_or(0);
        let tall = |bits: u64| bits | bits << 1 | bits >> 1;
        for y in 0..EDGE {
            for x in 0..EDGE {
                let (west, east, north, south) = (x.wrapping_sub(1), x + 1, y.wrapping_sub(1), y + 1);
                let side = |x: usize, y: usize| if x < EDGE && y < EDGE { at(&before, x, y) } else { 0 };
                let mut sides = side(west, y) | side(east, y) | side(x, north) | side(x, south);
                if round {
                    sides |= side(west, north) | side(east, north) | side(west, south) | side(east, south);
                    sides = tall(sides);
                }
                if let Some(own) = self.columns.get_mut(y * EDGE + x) {
                    *own = tall(*own) | sides;
                }
            }
        }
    }

    /// Adds to the air what it touches by two sides or more, where it lies within and is asked for.
    pub fn melt(&mut self, within: &Self, asked: &Self) {
        let before = self.columns.clone();
        let side = |x: usize, y: usize| if x < EDGE && y < EDGE { before.get(y * EDGE + x).copied().unwrap_or(0) } else { 0 };
        for (index, own) in self.columns.iter_mut().enumerate() {
            let (x, y) = (index % EDGE, index / EDGE);
            let bits = side(x, y);
            let (mut one, mut two) = (0, 0);
            for open in [bits << 1, bits >> 1, side(x.wrapping_sub(1), y), side(x + 1, y), side(x, y.wrapping_sub(1)), side(x, y + 1)] {
                two |= one & open;
                one |= open;
            }
            let may = within.columns.get(index).copied().unwrap_or(0) & asked.columns.get(index).copied().unwrap_or(0);
            *own |= two & may;
        }
    }

    /// The part of the set that lies in the chunk.
    pub fn chunk(&self) -> ChunkMask {
        let mut mask = [0; CHUNK_COLUMNS];
        for (column, bits) in mask.iter_mut().enumerate() {
            let (x, y) = ((column % CHUNK_EDGE) as i32 + MARGIN, (column / CHUNK_EDGE) as i32 + MARGIN);
            *bits = (self.column(x, y) >> MARGIN) as u32;
        }
        mask
    }

    /// For each voxel of the chunk, how many of the set lie in the cube around it that reaches so far:
    /// `[column * 32 + z]`.
    pub fn counts(&self, reach: usize) -> Vec<u16> {
        let reach = reach.min(MARGIN as usize);
        let (first, span) = (MARGIN as usize - reach, CHUNK_EDGE + 2 * reach);
        let bits = u64::MAX >> (u64::BITS as usize - 1 - 2 * reach);
        // Sums down, then across: `[y][x][z]`, x only within the chunk.
        let mut rows = vec![0_u16; span * CHUNK_EDGE * CHUNK_EDGE];
        let mut line = vec![0_u16; span * CHUNK_EDGE];
        for (y, row) in rows.chunks_mut(CHUNK_EDGE * CHUNK_EDGE).enumerate() {
            for (x, down) in line.chunks_mut(CHUNK_EDGE).enumerate() {
                let column = self.column((first + x) as i32, (first + y) as i32);
                for (z, count) in down.iter_mut().enumerate() {
                    *count = (column >> (first + z) & bits).count_ones() as u16;
                }
            }
            slide(&line, row, CHUNK_EDGE, reach);
        }
        let mut counts = vec![0; CHUNK_EDGE * CHUNK_EDGE * CHUNK_EDGE];
        slide(&rows, &mut counts, CHUNK_EDGE * CHUNK_EDGE, reach);
        counts
    }

    fn region(&self) -> Region {
        Region::new(self.origin, self.origin + EDGE as i32)
    }

    fn column(&self, x: i32, y: i32) -> u64 {
        index(x, y).and_then(|index| self.columns.get(index)).copied().unwrap_or(0)
    }

    fn column_mut(&mut self, x: i32, y: i32) -> Option<&mut u64> {
        self.columns.get_mut(index(x, y)?)
    }
}

fn index(x: i32, y: i32) -> Option<usize> {
    let side = 0..EDGE as i32;
    (side.contains(&x) && side.contains(&y)).then(|| y as usize * EDGE + x as usize)
}

/// Sums of neighbouring blocks: block `n` of `sums` is that of the blocks `n ..= n + 2 * reach`.
fn slide(blocks: &[u16], sums: &mut [u16], size: usize, reach: usize) {
    let mut sum = vec![0_u16; size];
    for block in blocks.chunks(size).take(2 * reach) {
        sum.iter_mut().zip(block).for_each(|(sum, more)| *sum += more);
    }
    let leaving = blocks.chunks(size);
    for ((out, entering), leaving) in sums.chunks_mut(size).zip(blocks.chunks(size).skip(2 * reach)).zip(leaving) {
        sum.iter_mut().zip(entering).for_each(|(sum, more)| *sum += more);
        out.copy_from_slice(&sum);
        sum.iter_mut().zip(leaving).for_each(|(sum, less)| *sum -= less);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::voxel::{StoreEdit, Voxel};

    fn scattered(seed: u32) -> Store {
        let mut store = Store::new(Region::new(IVec3::new(-9, -5, 0), IVec3::new(50, 40, 45)));
        let mut edit = StoreEdit::new(&store);
        for (index, pos) in store.bounds().positions().enumerate() {
            if (index as u32).wrapping_mul(2_654_435_761).rotate_left(seed % 32) % 5 < 2 {
                edit.set(pos, Some(Voxel::HIDDEN));
            }
        }
        let changes = edit.finish();
        store.apply(&changes);
        store
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn counts_and_growth_are_those_of_looking_at_each_voxel(
            seed: u32, reach in 0..8_usize, round: bool, at in prop::array::uniform3(0..32_i32), chunk in prop::array::uniform3(-1..2_i32)
        ) {
            let (store, pos) = (scattered(seed), ChunkPos(chunk.into()));
            let (solid, within) = (Window::solid(&store, pos), IVec3::from(at));
            let cube = |reach: i32| Region::new(IVec3::splat(-reach), IVec3::splat(reach + 1)).positions();
            let center = pos.origin() + within;
            let counted = cube(reach as i32).filter(|step| store.is_solid(center + *step)).count();
            let column = (within.y * 32 + within.x) as usize;
            prop_assert_eq!(usize::from(solid.counts(reach)[column * 32 + within.z as usize]), counted);
            let inside = cube(reach as i32).filter(|step| store.bounds().contains(center + *step)).count();
            prop_assert_eq!(usize::from(Window::inside(pos, &store.bounds()).counts(reach)[column * 32 + within.z as usize]), inside);
            let mut grown = solid.clone();
            grown.grow(round);
            let near = cube(1).filter(|step| round || step.abs().element_sum() <= 1).any(|step| store.is_solid(center + step));
            prop_assert_eq!(grown.chunk()[column] >> within.z & 1 == 1, near);
            let open = store.bounds().contains(center) && !store.is_solid(center) || center.z < 0;
            prop_assert_eq!(Window::air(&store, pos).chunk()[column] >> within.z & 1 == 1, open);
        }
    }
}
