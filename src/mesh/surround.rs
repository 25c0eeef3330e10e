//! The solid masks of a chunk with a rim of one voxel on all sides, edges and corners included.
//!
//! [`voxel::Neighborhood`](crate::voxel::Neighborhood) answers what the six faces look at; ambient occlusion
//! looks around corners too. Callers: `chunk_mesh` and `shell`.

use glam::IVec3;

use crate::geom::Region;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, ColumnMask};

/// Side of the padded table of columns.
const PADDED: usize = CHUNK_EDGE + 2;

/// A column with its rim: bit `z + 1` is the voxel at height `z` in the chunk, bits 0 and 33 are the rim.
pub(super) type TallMask = u64;

/// The chunk's own bits within a [`TallMask`], shifted down to bit 0.
pub(super) const OWN: TallMask = ColumnMask::MAX as TallMask;

/// Padded masks, `[(y + 1) * PADDED + x + 1]` for x and y from −1 to 32.
pub(super) struct Surround {
    columns: Box<[TallMask; PADDED * PADDED]>,
}

impl Surround {
    /// Gathers the masks; `masks_at` answers for a step of −1..=1 chunks on each axis, `None` is air.
    pub(super) fn gather<'a>(masks_at: impl Fn(IVec3) -> Option<&'a [ColumnMask; CHUNK_COLUMNS]>) -> Self {
        let mut columns = Box::new([0; PADDED * PADDED]);
        let last = CHUNK_EDGE - 1;
        // For a step along x or y: first column read in that chunk, first column written here, how many.
        let spans = [(-1, last, 0, 1), (0, 0, 1, CHUNK_EDGE), (1, 0, CHUNK_EDGE + 1, 1)];
        for (step_y, from_y, to_y, rows) in spans {
            for (step_x, from_x, to_x, width) in spans {
                for (step_z, shift) in [(-1, -(last as i32)), (0, 1), (1, CHUNK_EDGE as i32 + 1)] {
                    let Some(masks) = masks_at(IVec3::new(step_x, step_y, step_z)) else { continue };
                    for row in 0..rows {
                        let source = &masks[(from_y + row) * CHUNK_EDGE + from_x..][..width];
                        let target = &mut columns[(to_y + row) * PADDED + to_x..][..width];
                        for (target, &source) in target.iter_mut().zip(source) {
                            let tall = TallMask::from(source);
                            *target |= (if shift < 0 { tall >> -shift } else { tall << shift }) & (OWN << 1 | 1 | 1 << (CHUNK_EDGE + 1));
                        }
                    }
                }
            }
        }
        Self { columns }
    }

    /// Takes everything under the floor of `bounds` as solid, so that no face looks down out of the map.
    pub(super) fn close_floor(&mut self, bounds: &Region, pos: ChunkPos) {
        let origin = pos.origin();
        let floor = bounds.max().z - origin.z + 1;
        if floor > CHUNK_EDGE as i32 + 1 {
            return;
        }
        let below = TallMask::MAX << floor.max(0) & (OWN << 1 | 1 | 1 << (CHUNK_EDGE + 1));
        for y in 0..PADDED {
            for x in 0..PADDED {
                if bounds.columns().contains(origin.x + x as i32 - 1, origin.y + y as i32 - 1) {
                    self.columns[y * PADDED + x] |= below;
                }
            }
        }
    }

    /// The column at (x, y), each −1..=32.
    pub(super) fn column(&self, x: i32, y: i32) -> TallMask {
        self.columns[(y + 1) as usize * PADDED + (x + 1) as usize]
    }

    /// The 3×3 columns around (x, y), rows of y, x fastest.
    pub(super) fn around(&self, x: i32, y: i32) -> [TallMask; 9] {
        std::array::from_fn(|i| self.column(x + i as i32 % 3 - 1, y + i as i32 / 3 - 1))
    }
}
