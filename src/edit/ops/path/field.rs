//! Which point of a curve, or of one of its images, each column is nearest to.

use std::collections::BTreeMap;

use crate::document::{Progress, Snapshot};
use crate::edit::EditError;
use crate::geom::{ColumnRect, Near, Spline};

/// Columns along each side of a tile.
const TILE: i32 = 32;

/// What every column within reach sees of a curve, by tiles.
#[derive(Debug, Default)]
pub(super) struct Field {
    /// By `[y, x]`; a cell is `[y * TILE + x]`, with the number of the image.
    tiles: BTreeMap<[i32; 2], Vec<Option<(Near, usize)>>>,
}

impl Field {
    /// The columns that lie within reach of a curve or of its images: those of the map and those that have an image in it.
    /// Where they meet, the nearest counts, and of equals the higher one, on whichever side: both sides choose alike.
    pub fn of(curve: &Spline, reach: f64, snapshot: &Snapshot, progress: &Progress) -> Result<Self, EditError> {
        let mut own = Self::default();
        let segments = curve.segments();
        let count = segments.len();
        let all = snapshot.symmetry.reach(&snapshot.bounds()).columns();
        for (done, segment) in segments.enumerate() {
            progress.report(done as f32 / count as f32)?;
            for column in segment.columns(reach).intersection(&all).columns() {
                let near = segment.near(column);
                if near.square <= reach * reach {
                    own.offer(column, near, 0);
                }
            }
        }
        if !snapshot.symmetry.is_on() {
            return Ok(own);
        }
        let mut field = Self::default();
        for (number, image) in snapshot.symmetry.images().iter().enumerate() {
            progress.check()?;
            own.each(|column, near, _| field.offer(image.column(column), near, number));
        }
        Ok(field)
    }

    /// Whether one of its columns lies in a rectangle.
    pub fn meets(&self, columns: &ColumnRect) -> bool {
        let mut found = false;
        self.each(|[x, y], _, _| found |= columns.contains(x, y));
        found
    }

    /// Every column, tile by tile, with what it sees and the number of the image.
    pub fn each(&self, mut see: impl FnMut([i32; 2], Near, usize)) {
        for ([y, x], tile) in &self.tiles {
            for (cell, index) in tile.iter().zip(0..) {
                if let Some((near, image)) = cell {
                    see([x * TILE + index % TILE, y * TILE + index / TILE], *near, *image);
                }
            }
        }
    }

    fn offer(&mut self, [x, y]: [i32; 2], near: Near, image: usize) {
        let tile = self.tiles.entry([y.div_euclid(TILE), x.div_euclid(TILE)]).or_insert_with(|| vec![None; (TILE * TILE) as usize]);
        let index = y.rem_euclid(TILE) * TILE + x.rem_euclid(TILE);
        // Never negative: both remainders are below the side of a tile.
        if let Some(cell) = tile.get_mut(index as usize)
            && cell.is_none_or(|(best, _)| rank(&near) < rank(&best))
        {
            *cell = Some((near, image));
        }
    }
}

/// Smaller for what counts before the other. A place beside an end of the curve is as far from it as one behind it can be.
fn rank(near: &Near) -> ([f64; 3], bool) {
    ([near.square, near.z, near.along], near.beyond)
}
