//! A winding line from one side of the land to the other, along its longer side. Valleys and rivers follow it.

use glam::IVec3;

use super::generator::TerrainError;
use super::noise::Noise;
use crate::document::Progress;
use crate::geom::{ColumnRect, Spline, VoxelPos};

/// Least columns from one bend to the next.
const BEND: i32 = 20;

/// How far each column lies from a course with bends of 0 to 100 percent, `[y * size.x + x]`; infinite beyond `reach`.
pub(super) fn distances(size: IVec3, seed: u64, bends: i32, reach: f32, progress: &Progress) -> Result<Vec<f32>, TerrainError> {
    let columns = ColumnRect::new([0, 0], [size.x, size.y]);
    // A size that land can have.
    let mut found = vec![f32::INFINITY; columns.area() as usize];
    let course = course(size, seed, bends);
    let segments = course.segments();
    let count = segments.len();
    for (done, segment) in segments.enumerate() {
        progress.report(done as f32 / count as f32)?;
        for [x, y] in segment.columns(f64::from(reach)).intersection(&columns).columns() {
            let distance = segment.near([x, y]).square.sqrt() as f32;
            if let Some(best) = found.get_mut(y as usize * size.x as usize + x as usize).filter(|_| distance <= reach) {
                *best = best.min(distance);
            }
        }
    }
    Ok(found)
}

/// The line, from before one side to behind the other.
fn course(size: IVec3, seed: u64, bends: i32) -> Spline {
    let (dice, lengthwise) = (Noise::new(seed, 0), size.x >= size.y);
    let (long, across) = if lengthwise { (size.x, size.y) } else { (size.y, size.x) };
    let swing = across as f32 * 0.4 * bends as f32 / 100.0;
    // As far from bend to bend as they swing, about.
    let step = BEND.max(across / 4);
    let knots: Vec<VoxelPos> = (-1..=long / step + 2)
        .map(|bend| {
            let side = 2.0 * dice.chance(IVec3::new(bend, 0, 0)) - 1.0;
            let (along, aside) = (bend * step, across / 2 + (side * swing) as i32);
            if lengthwise { IVec3::new(along, aside, 0) } else { IVec3::new(aside, along, 0) }
        })
        .collect();
    Spline::through(&knots, 0.0)
}
