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

/// Where more, and where less than half of what is around is of a set.
pub(super) struct Halves {
    pub more: ChunkMask,
    pub less: ChunkMask,
}

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

    /// Where in the chunk more, and where less than half of the 27 voxels around and at a place are of the set. Those that
    /// do not lie within are counted neither way.
    pub fn halves(&self, within: &Self) -> Halves {
        const AROUND: usize = CHUNK_EDGE + 2;
        let at = |index: usize| {
            let (x, y) = ((MARGIN as usize - 1 + index % AROUND) as i32, (MARGIN as usize - 1 + index / AROUND) as i32);
            // Each of the set counts two, what is not within one.
            let number = [!within.column(x, y), self.column(x, y), 0, 0, 0, 0];
            plus(&plus(&number, &number.map(|bits| bits << 1)), &number.map(|bits| bits >> 1))
        };
        let columns: Vec<Numbers> = (0..AROUND * AROUND).map(at).collect();
        let sum = |(a, b, c): (&Numbers, &Numbers, &Numbers)| plus(&plus(a, b), c);
        let three = |numbers: &[Numbers], apart: usize| -> Vec<Numbers> {
            let others = numbers.iter().skip(apart).zip(numbers.iter().skip(2 * apart));
            numbers.iter().zip(others).map(|(a, (b, c))| sum((a, b, c))).collect()
        };
        // Across, in rows that run on into each other, then along; what ran over the end of a row is left out.
        let cubes = three(&three(&columns, 1), AROUND);
        let mut halves = Halves { more: [0; CHUNK_COLUMNS], less: [0; CHUNK_COLUMNS] };
        for (column, (more, less)) in halves.more.iter_mut().zip(&mut halves.less).enumerate() {
            let cube = cubes.get(column / CHUNK_EDGE * AROUND + column % CHUNK_EDGE);
            let [over, under] = cube.map_or([0; 2], |cube| compared(cube, 27));
            (*more, *less) = ((over >> MARGIN) as u32, (under >> MARGIN) as u32);
        }
        halves
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

/// A number of 0 to 63 for each bit of a word: `[n]` holds the bits that count 2ⁿ.
type Numbers = [u64; 6];

fn plus(a: &Numbers, b: &Numbers) -> Numbers {
    let (mut sum, mut carry) = (*a, 0);
    for (sum, b) in sum.iter_mut().zip(b) {
        let odd = *sum ^ b;
        (*sum, carry) = (odd ^ carry, *sum & b | odd & carry);
    }
    sum
}

/// Which numbers are larger, and which smaller.
fn compared(numbers: &Numbers, with: u32) -> [u64; 2] {
    let (mut larger, mut smaller, mut same) = (0, 0, u64::MAX);
    for (n, bits) in numbers.iter().enumerate().rev() {
        if with >> n & 1 == 1 {
            smaller |= same & !bits;
            same &= bits;
        } else {
            larger |= same & bits;
            same &= !bits;
        }
    }
    [larger, smaller]
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
        fn halves_and_growth_are_those_of_looking_at_each_voxel(
            seed: u32, round: bool, at in prop::array::uniform3(0..32_i32), chunk in prop::array::uniform3(-1..2_i32)
        ) {
            let (store, pos) = (scattered(seed), ChunkPos(chunk.into()));
            let (solid, within) = (Window::solid(&store, pos), IVec3::from(at));
            let cube = |reach: i32| Region::new(IVec3::splat(-reach), IVec3::splat(reach + 1)).positions();
            let center = pos.origin() + within;
            let counted = cube(1).filter(|step| store.is_solid(center + *step)).count();
            let inside = cube(1).filter(|step| store.bounds().contains(center + *step)).count();
            let column = (within.y * 32 + within.x) as usize;
            let halves = solid.halves(&Window::inside(pos, &store.bounds()));
            prop_assert_eq!(halves.more[column] >> within.z & 1 == 1, 2 * counted > inside);
            prop_assert_eq!(halves.less[column] >> within.z & 1 == 1, 2 * counted < inside);
            let mut grown = solid.clone();
            grown.grow(round);
            let near = cube(1).filter(|step| round || step.abs().element_sum() <= 1).any(|step| store.is_solid(center + step));
            prop_assert_eq!(grown.chunk()[column] >> within.z & 1 == 1, near);
            let open = store.bounds().contains(center) && !store.is_solid(center) || center.z < 0;
            prop_assert_eq!(Window::air(&store, pos).chunk()[column] >> within.z & 1 == 1, open);
        }
    }
}
