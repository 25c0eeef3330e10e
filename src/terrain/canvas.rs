//! The sheet that generators draw on: one 64-bit mask for each column, counted upwards from the
//! water plane, and the colors of what was built by hand.
//!
//! ```text
//! height   63 …                 z = size.z - 64 … (what is over z 0 is cut off)
//!           1  the lowest land  z = size.z - 2
//!           0  the water plane  z = size.z - 1, always solid
//! ```

use std::sync::Arc;

use glam::IVec3;

use super::generator::{MAX_COLUMNS, TerrainError};
use crate::document::{Cancelled, Progress};
use crate::geom::Region;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, Outside, Paint, Rgb, Store, surface_of_chunk};

/// What stands in a column: bit `h` is the voxel `h` above the water plane.
pub type Column = u64;

/// A map in the making.
#[derive(Clone, Debug)]
pub struct Canvas {
    size: IVec3,
    /// `[y * size.x + x]`. Invariant: bit 0 is set.
    solid: Vec<Column>,
    /// Colors of built voxels by column, the latest last.
    built: Vec<Vec<(u8, Rgb)>>,
}

impl Canvas {
    /// Nothing but the water plane.
    ///
    /// # Errors
    /// When the size holds no voxel or more than [`MAX_COLUMNS`] columns.
    pub fn new(size: IVec3) -> Result<Self, TerrainError> {
        if size.cmple(IVec3::ZERO).any() {
            return Err(TerrainError::Empty { size: size.to_array() });
        }
        let columns = u64::from(size.x.unsigned_abs()) * u64::from(size.y.unsigned_abs());
        if columns > MAX_COLUMNS {
            return Err(TerrainError::TooWide { size: size.to_array() });
        }
        let columns = columns as usize;
        Ok(Self { size, solid: vec![1; columns], built: vec![vec![]; columns] })
    }

    /// Size in voxels.
    pub fn size(&self) -> IVec3 {
        self.size
    }

    fn index(&self, x: i32, y: i32) -> Option<usize> {
        let inside = (0..self.size.x).contains(&x) && (0..self.size.y).contains(&y);
        inside.then(|| y as usize * self.size.x as usize + x as usize)
    }

    /// What stands in a column; 0 outside the map.
    pub fn column(&self, x: i32, y: i32) -> Column {
        self.index(x, y).map_or(0, |index| self.solid[index])
    }

    /// Sets what stands in a column, all of it ground. Outside the map nothing happens.
    pub fn set_column(&mut self, x: i32, y: i32, column: Column) {
        if let Some(index) = self.index(x, y) {
            self.solid[index] = column | 1;
            self.built[index].clear();
        }
    }

    /// Whether the voxel is solid; not outside the map.
    pub fn is_solid(&self, x: i32, y: i32, height: i32) -> bool {
        (0..64).contains(&height) && self.column(x, y) >> height & 1 == 1
    }

    /// Height of the highest voxel of a column; 0 is water.
    pub fn top(&self, x: i32, y: i32) -> i32 {
        63 - (self.column(x, y) | 1).leading_zeros() as i32
    }

    /// Puts a voxel of a color. Outside the map, and on the water plane, nothing happens.
    pub fn build(&mut self, x: i32, y: i32, height: i32, color: Rgb) {
        if let (Some(index), 1..64) = (self.index(x, y), height) {
            self.solid[index] |= 1 << height;
            self.built[index].push((height as u8, color));
        }
    }

    /// Takes a voxel away; never from the water plane.
    pub fn carve(&mut self, x: i32, y: i32, height: i32) {
        if let (Some(index), 1..64) = (self.index(x, y), height) {
            self.solid[index] &= !(1 << height);
            self.built[index].retain(|&(built, _)| i32::from(built) != height);
        }
    }

    /// Color of a voxel that was built by hand.
    pub fn built(&self, x: i32, y: i32, height: i32) -> Option<Rgb> {
        let built = &self.built[self.index(x, y)?];
        built.iter().rev().find(|&&(at, _)| i32::from(at) == height).map(|&(_, color)| color)
    }

    /// Takes away all that does not hang together with the water plane.
    pub fn drop_floating(&mut self) {
        let width = self.size.x as usize;
        let mut held: Vec<Column> = vec![0; self.solid.len()];
        let mut work: Vec<(usize, Column)> = (0..self.solid.len()).map(|index| (index, 1)).collect();
        while let Some((index, seed)) = work.pop() {
            let solid = self.solid[index];
            let grown = run_through(solid, seed & solid | held[index]);
            if grown == held[index] {
                continue;
            }
            held[index] = grown;
            let x = index % width;
            let beside = [
                (x > 0).then(|| index - 1),
                (x + 1 < width).then_some(index + 1),
                index.checked_sub(width),
                Some(index + width).filter(|&below| below < held.len()),
            ];
            for next in beside.into_iter().flatten() {
                if grown & self.solid[next] & !held[next] != 0 {
                    work.push((next, grown));
                }
            }
        }
        self.solid = held;
    }

    /// The finished map: surface voxels colored as built, or by `ground(x, y, height)`; hidden ones
    /// without a color, as a VXL file would give them back.
    ///
    /// # Errors
    /// When the work is cancelled.
    pub fn finish(&self, ground: impl Fn(i32, i32, i32) -> Rgb, progress: &Progress) -> Result<Store, Cancelled> {
        let region = Region::of_size(self.size);
        let mut store = Store::new(region);
        for pos in ChunkPos::covering(&region) {
            let (solid, none) = (self.chunk_columns(pos), [0; CHUNK_COLUMNS]);
            store.put_chunk(pos, Chunk::from_columns(&solid, &none, vec![]).map(Arc::new));
        }
        let bare = store.clone();
        let total = bare.chunks().count();
        for (done, (pos, chunk)) in bare.chunks().enumerate() {
            progress.report(done as f32 / total as f32)?;
            let surface = surface_of_chunk(&bare, pos, Outside::GAME);
            let mut words = vec![];
            for (column, &mask) in surface.iter().enumerate() {
                let at = pos.origin() + IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, 0);
                let mut left = mask;
                while left != 0 {
                    let height = self.size.z - 1 - at.z - left.trailing_zeros() as i32;
                    left &= left - 1;
                    let color = self.built(at.x, at.y, height).unwrap_or_else(|| ground(at.x, at.y, height));
                    words.push(Paint::new(color).to_word());
                }
            }
            store.put_chunk(pos, Chunk::from_columns(chunk.solid(), &surface, words).map(Arc::new));
        }
        Ok(store)
    }

    /// Masks of a chunk, bit 0 on top.
    fn chunk_columns(&self, pos: ChunkPos) -> [u32; CHUNK_COLUMNS] {
        let origin = pos.origin();
        // Bit 0 of a turned column lies at this z.
        let top = self.size.z - 64;
        let shift = origin.z - top;
        std::array::from_fn(|column| {
            let (x, y) = (origin.x + (column % CHUNK_EDGE) as i32, origin.y + (column / CHUNK_EDGE) as i32);
            let down = self.column(x, y).reverse_bits();
            let moved = if shift >= 0 { down.checked_shr(shift.unsigned_abs()) } else { down.checked_shl(shift.unsigned_abs()) };
            // The chunk's own 32 bits.
            moved.unwrap_or(0) as u32
        })
    }
}

/// Spreads `seed` up and down through the runs of `solid` that it touches.
fn run_through(solid: Column, seed: Column) -> Column {
    let mut grown = seed;
    loop {
        let next = (grown | grown << 1 | grown >> 1) & solid;
        if next == grown {
            return grown;
        }
        grown = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Rgb = Rgb::new(200, 0, 0);
    const BLUE: Rgb = Rgb::new(0, 0, 200);

    #[test]
    fn heights_count_up_from_the_lowest_layer_and_stop_at_the_sky() {
        let mut canvas = Canvas::new(IVec3::new(2, 1, 8)).unwrap();
        canvas.build(0, 0, 2, RED);
        canvas.build(1, 0, 9, RED);
        canvas.build(5, 5, 1, RED);
        let store = canvas.finish(|_, _, _| BLUE, &Progress::new()).unwrap();
        assert_eq!(store.solid_count(), 3);
        assert_eq!(store.voxel(IVec3::new(0, 0, 5)).unwrap().rgb(), Some(RED));
        assert_eq!(store.voxel(IVec3::new(0, 0, 7)).unwrap().rgb(), Some(BLUE));
    }

    #[test]
    fn tall_maps_have_their_land_at_the_bottom() {
        let mut canvas = Canvas::new(IVec3::new(1, 1, 200)).unwrap();
        canvas.set_column(0, 0, u64::MAX);
        let store = canvas.finish(|_, _, _| BLUE, &Progress::new()).unwrap();
        assert_eq!((store.solid_count(), store.ground(0, 0, 0)), (64, Some(136)));
    }

    #[test]
    fn what_does_not_hang_on_the_water_plane_is_dropped() {
        let mut canvas = Canvas::new(IVec3::new(3, 1, 64)).unwrap();
        canvas.set_column(0, 0, 0b1111);
        canvas.build(1, 0, 3, RED);
        canvas.build(1, 0, 9, RED);
        canvas.build(2, 0, 9, RED);
        canvas.drop_floating();
        assert_eq!([0, 1, 2].map(|x| canvas.column(x, 0)), [0b1111, 0b1001, 0b1]);
    }

    #[test]
    fn the_latest_color_counts_and_carving_forgets_it() {
        let mut canvas = Canvas::new(IVec3::new(1, 1, 64)).unwrap();
        canvas.build(0, 0, 3, RED);
        canvas.build(0, 0, 3, BLUE);
        assert_eq!(canvas.built(0, 0, 3), Some(BLUE));
        canvas.carve(0, 0, 3);
        assert_eq!((canvas.built(0, 0, 3), canvas.top(0, 0)), (None, 0));
        canvas.carve(0, 0, 0);
        assert!(canvas.is_solid(0, 0, 0));
    }
}
