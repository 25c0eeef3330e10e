//! Which voxels can be seen: a chunk's masks with a rim of its neighbours, worked on in whole words.

use glam::IVec3;

use super::chunk::{EVERYTHING, NOTHING};
use super::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, ColumnMask, Store};
use crate::geom::Region;

/// Side of the padded table of columns.
const PADDED: usize = CHUNK_EDGE + 2;

/// What lies outside the store's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Whether all beyond the four sides is solid.
    pub solid_sides: bool,
    /// Whether all below the floor is solid.
    pub solid_below: bool,
}

impl Outside {
    /// The rule of Ace of Spades: solid beside and below, open to the sky.
    pub const GAME: Self = Self { solid_sides: true, solid_below: true };
    /// For pictures: the map's cut sides can be seen, its underside cannot.
    pub const PICTURE: Self = Self { solid_sides: false, solid_below: true };
}

/// The solid masks of a chunk and of the ring of columns around it, with what is above and below.
#[derive(Clone, Debug)]
pub struct Neighborhood {
    padded: [ColumnMask; PADDED * PADDED],
    /// Per column: 1 where the voxel over the chunk's top is solid.
    over: [ColumnMask; CHUNK_COLUMNS],
    /// Per column: 1 where the voxel under the chunk's bottom is solid.
    under: [ColumnMask; CHUNK_COLUMNS],
}

impl Neighborhood {
    /// Gathers the masks around a chunk. The four edges that no face looks at stay 0.
    pub fn gather(store: &Store, pos: ChunkPos, outside: Outside) -> Self {
        let bounds = store.bounds();
        let side = if outside.solid_sides { ColumnMask::MAX } else { 0 };
        let mut all =
            Self { padded: [0; PADDED * PADDED], over: [0; CHUNK_COLUMNS], under: [u32::from(outside.solid_below); CHUNK_COLUMNS] };
        let neighbor = |step: IVec3| store.chunk(ChunkPos(pos.0 + step));
        let (edge, last) = (CHUNK_EDGE, CHUNK_EDGE - 1);
        if let Some(chunk) = neighbor(IVec3::ZERO) {
            for (y, row) in chunk.solid().chunks_exact(edge).enumerate() {
                all.padded[(y + 1) * PADDED + 1..(y + 1) * PADDED + 1 + edge].copy_from_slice(row);
            }
        }
        for (step, from, to) in [(IVec3::NEG_Y, last, 0), (IVec3::Y, 0, edge + 1)] {
            let target = &mut all.padded[to * PADDED + 1..to * PADDED + 1 + edge];
            match neighbor(step) {
                Some(chunk) => target.copy_from_slice(&chunk.solid()[from * edge..from * edge + edge]),
                None if !inside(&bounds, pos, step) => target.fill(side),
                None => {}
            }
        }
        for (step, from, to) in [(IVec3::NEG_X, last, 0), (IVec3::X, 0, edge + 1)] {
            let chunk = neighbor(step);
            let outside_mask = if inside(&bounds, pos, step) { 0 } else { side };
            for y in 0..edge {
                all.padded[(y + 1) * PADDED + to] = chunk.map_or(outside_mask, |chunk| chunk.solid()[y * edge + from]);
            }
        }
        if let Some(chunk) = neighbor(IVec3::NEG_Z) {
            for (over, column) in all.over.iter_mut().zip(chunk.solid()) {
                *over = column >> last;
            }
        }
        if inside(&bounds, pos, IVec3::Z) {
            match neighbor(IVec3::Z) {
                Some(chunk) => all.under.iter_mut().zip(chunk.solid()).for_each(|(under, column)| *under = column & 1),
                None => all.under.fill(0),
            }
        }
        if !bounds.contains_region(&pos.region()) {
            all.fill_outside_within(&bounds, pos, outside);
        }
        all
    }

    /// Bounds that cut through the chunk or its rim: what lies beyond them inside the padded table.
    fn fill_outside_within(&mut self, bounds: &Region, pos: ChunkPos, outside: Outside) {
        let origin = pos.origin();
        for y in 0..PADDED {
            for x in 0..PADDED {
                let (world_x, world_y) = (origin.x + x as i32 - 1, origin.y + y as i32 - 1);
                let cell = &mut self.padded[y * PADDED + x];
                if !bounds.columns().contains(world_x, world_y) {
                    *cell = if outside.solid_sides { ColumnMask::MAX } else { 0 };
                } else if outside.solid_below {
                    let floor = bounds.max().z - origin.z;
                    if floor < CHUNK_EDGE as i32 {
                        *cell |= ColumnMask::MAX << floor.max(0);
                    }
                }
            }
        }
    }

    /// For each column of the chunk: masks of what is solid on the six sides of each voxel, in the order
    /// of [`Face::ALL`](crate::geom::Face::ALL): east, west, south, north, below, above.
    pub fn sides(&self, column: usize) -> [ColumnMask; 6] {
        let at = (column / CHUNK_EDGE + 1) * PADDED + column % CHUNK_EDGE + 1;
        let own = self.padded[at];
        [
            self.padded[at + 1],
            self.padded[at - 1],
            self.padded[at + PADDED],
            self.padded[at - PADDED],
            own >> 1 | self.under[column] << (CHUNK_EDGE - 1),
            own << 1 | self.over[column],
        ]
    }
}

fn inside(bounds: &Region, pos: ChunkPos, step: IVec3) -> bool {
    !ChunkPos(pos.0 + step).region().intersection(bounds).is_empty()
}

/// The solid voxels of a chunk with at least one open side, `[y * CHUNK_EDGE + x]`, bit z.
///
/// # Cost
/// About ten word operations a column, four columns at a time, whatever the chunk holds.
pub fn surface_of_chunk(store: &Store, pos: ChunkPos, outside: Outside) -> [ColumnMask; CHUNK_COLUMNS] {
    let mut surface = [0; CHUNK_COLUMNS];
    let Some(chunk) = store.chunk(pos) else { return surface };
    let bounds = store.bounds();
    if !bounds.contains_region(&pos.region()) {
        // Bounds that cut through the chunk, which maps of the game never have.
        let around = Neighborhood::gather(store, pos, outside);
        for (column, (out, &solid)) in surface.iter_mut().zip(chunk.solid()).enumerate() {
            let [a, b, c, d, e, f] = around.sides(column);
            *out = solid & !(a & b & c & d & e & f);
        }
        return surface;
    }
    let neighbor = |step: IVec3, solid_outside: bool| match store.chunk(ChunkPos(pos.0 + step)) {
        Some(chunk) => chunk.solid(),
        None if solid_outside && !inside(&bounds, pos, step) => &EVERYTHING,
        None => &NOTHING,
    };
    let sides = outside.solid_sides;
    let (own, over, under) = (chunk.solid(), neighbor(IVec3::NEG_Z, false), neighbor(IVec3::Z, outside.solid_below));
    let around = [neighbor(IVec3::NEG_X, sides), neighbor(IVec3::X, sides), neighbor(IVec3::NEG_Y, sides), neighbor(IVec3::Y, sides)];
    if chunk.is_full() && around.into_iter().all(|beside| std::ptr::eq(beside, own)) {
        // Deep in the ground: full chunks share their mask. Only its top and its bottom can be seen.
        if !std::ptr::eq(over, own) || !std::ptr::eq(under, own) {
            for (out, (over, under)) in surface.iter_mut().zip(over.iter().zip(under)) {
                *out = !(over >> (CHUNK_EDGE - 1) | under << (CHUNK_EDGE - 1) | ColumnMask::MAX << 1 & ColumnMask::MAX >> 1);
            }
        }
        return surface;
    }
    let [west, east, north, south] = around.map(rows);
    let (own, over, under) = (rows(own), rows(over), rows(under));
    // As one table: a column's neighbours along x are the words before and after, but at the ends of a row.
    let flat = own.as_flattened();
    for (y, out) in surface.as_chunks_mut::<CHUNK_EDGE>().0.iter_mut().enumerate() {
        let row = &own[y];
        let above = if y == 0 { &north[CHUNK_EDGE - 1] } else { &own[y - 1] };
        let below = own.get(y + 1).unwrap_or(&south[0]);
        let stacked = |x: usize| (row[x] << 1 | over[y][x] >> (CHUNK_EDGE - 1)) & (row[x] >> 1 | under[y][x] << (CHUNK_EDGE - 1));
        let seen = |x: usize, beside: ColumnMask| row[x] & !(beside & above[x] & below[x] & stacked(x));
        let at = y * CHUNK_EDGE;
        let before = flat.get(at.wrapping_sub(1)..).and_then(<[_]>::first_chunk::<CHUNK_EDGE>);
        let after = flat.get(at + 1..).and_then(<[_]>::first_chunk::<CHUNK_EDGE>);
        if let (Some(before), Some(after)) = (before, after) {
            for x in 0..CHUNK_EDGE {
                out[x] = seen(x, before[x] & after[x]);
            }
        } else {
            for x in 1..CHUNK_EDGE - 1 {
                out[x] = seen(x, row[x - 1] & row[x + 1]);
            }
        }
        out[0] = seen(0, west[y][CHUNK_EDGE - 1] & row[1]);
        out[CHUNK_EDGE - 1] = seen(CHUNK_EDGE - 1, row[CHUNK_EDGE - 2] & east[y][0]);
    }
    surface
}

/// The columns of a chunk by rows.
fn rows(columns: &[ColumnMask; CHUNK_COLUMNS]) -> &[[ColumnMask; CHUNK_EDGE]] {
    columns.as_chunks().0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geom::Face;
    use crate::voxel::{StoreEdit, Voxel};

    /// The definition, one voxel at a time.
    fn naive(store: &Store, pos: IVec3, outside: Outside) -> bool {
        let bounds = store.bounds();
        store.is_solid(pos)
            && Face::ALL.iter().any(|face| {
                let beside = pos + face.normal();
                if bounds.contains(beside) {
                    !store.is_solid(beside)
                } else {
                    match face {
                        Face::MinusZ => true,
                        Face::PlusZ => !outside.solid_below,
                        _ => !outside.solid_sides,
                    }
                }
            })
    }

    #[test]
    fn deep_in_the_ground_only_what_faces_a_hole_is_seen() {
        let bounds = Region::of_size(IVec3::splat(96));
        let middle = ChunkPos(IVec3::ONE);
        for hole in
            [IVec3::splat(40), IVec3::new(31, 40, 63), IVec3::new(64, 33, 33), IVec3::new(40, 31, 32), IVec3::new(63, 63, 64), IVec3::ZERO]
        {
            let mut store = Store::new(bounds);
            for pos in ChunkPos::covering(&bounds) {
                store.put_chunk(pos, Some(std::sync::Arc::new(crate::voxel::Chunk::uniform(Voxel::HIDDEN))));
            }
            let mut edit = StoreEdit::new(&store);
            edit.set(hole, None);
            let changes = edit.finish();
            store.apply(&changes);
            let surface = surface_of_chunk(&store, middle, Outside::GAME);
            for pos in middle.region().positions() {
                let at = pos - middle.origin();
                let seen = surface[at.y as usize * CHUNK_EDGE + at.x as usize] >> at.z & 1 == 1;
                assert_eq!(seen, naive(&store, pos, Outside::GAME), "{pos} beside {hole}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_surface_is_what_a_look_at_each_voxel_finds(
            seed in any::<u64>(),
            size in (1..70_i32, 1..70_i32, 1..70_i32),
            origin in (-40..40_i32, -40..40_i32, -40..40_i32),
            game in any::<bool>(),
        ) {
            let bounds = Region::of_size(size.into()).shifted(origin.into());
            let mut store = Store::new(bounds);
            let mut edit = StoreEdit::new(&store);
            let mut random = seed | 1;
            for pos in bounds.positions() {
                random ^= random << 13; random ^= random >> 7; random ^= random << 17;
                if random % 8 != 0 {
                    edit.set(pos, Some(Voxel::HIDDEN));
                }
            }
            let changes = edit.finish();
            store.apply(&changes);
            let outside = if game { Outside::GAME } else { Outside::PICTURE };
            for chunk_pos in ChunkPos::covering(&bounds) {
                let surface = surface_of_chunk(&store, chunk_pos, outside);
                for pos in chunk_pos.region().positions() {
                    let at = pos - chunk_pos.origin();
                    let seen = surface[at.y as usize * CHUNK_EDGE + at.x as usize] >> at.z & 1 == 1;
                    prop_assert_eq!(seen, naive(&store, pos, outside), "{}", pos);
                }
            }
        }
    }
}
