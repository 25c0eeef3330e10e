//! Selecting what lies within an outline that was drawn by hand, as seen from the sky.

use std::collections::BTreeMap;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::select::combined;
use crate::document::{Combine, Progress, Selection, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::mask::region_in_chunk;
use crate::edit::{Change, EditError};
use crate::geom::{ColumnRect, Region, raster};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkMask, ChunkPos, ColumnMask, Outside, VoxelMask, surface_of_chunk};

/// Most corners of an outline.
const MAX_CORNERS: usize = 1 << 16;
/// Farthest that a corner may lie from the origin.
const MAX_REACH: i64 = 1 << 20;
/// Most columns that an outline may run through.
const MAX_LENGTH: i64 = 1 << 22;

/// Selects the voxels of the columns within an outline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectLasso {
    /// The columns that it runs through, joined by straight lines, the last with the first. They belong to it.
    pub outline: Vec<[i32; 2]>,
    /// Whether whole columns are selected, air too; else the solid voxels that can be seen.
    #[serde(default)]
    pub columns: bool,
    /// How they join what is selected.
    #[serde(default, skip_serializing_if = "Combine::is_replace")]
    pub combine: Combine,
}

impl SelectLasso {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let found = self.found(snapshot, progress)?;
        if found.is_empty() && self.combine == Combine::Replace {
            return Err(EditError::OutsideMap);
        }
        Ok(combined(snapshot, self.combine, Selection::of_mask(found), "Lasso"))
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        let corners = self.outline.iter().map(|[x, y]| ColumnRect::new([*x, *y], [x.saturating_add(1), y.saturating_add(1)]));
        corners.reduce(|all, corner| around(&all, &corner)).map_or(0, |rect| rect.area().saturating_mul(8))
    }

    /// The voxels within.
    ///
    /// # Errors
    /// If the outline has no corner, too many, or ones that are far outside, or it was cancelled.
    pub fn found(&self, snapshot: &Snapshot, progress: &Progress) -> Result<VoxelMask, EditError> {
        let bounds = snapshot.bounds();
        let mut found = vec![];
        for (pos, columns) in self.columns_within(&bounds, progress)? {
            let mut mask =
                if self.columns { region_in_chunk(&bounds, pos) } else { surface_of_chunk(snapshot.store(), pos, Outside::GAME) };
            mask.iter_mut().zip(&columns).for_each(|(mask, column)| *mask &= column);
            found.push((pos, mask));
        }
        Ok(VoxelMask::of_chunks(found))
    }

    /// For each chunk, all heights of the columns that lie within.
    fn columns_within(&self, bounds: &Region, progress: &Progress) -> Result<Vec<(ChunkPos, ChunkMask)>, EditError> {
        let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        in_range("corners of the outline", count(self.outline.len()), 1, count(MAX_CORNERS))?;
        for part in self.outline.iter().flatten() {
            in_range("corner of the outline", i64::from(*part), -MAX_REACH, MAX_REACH)?;
        }
        let ends = self.outline.iter().zip(self.outline.iter().cycle().skip(1));
        let length = ends.clone().map(|(a, b)| i64::from(a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])))).sum();
        in_range("length of the outline", length, 0, MAX_LENGTH)?;
        let mut plan: BTreeMap<[i32; 2], Box<ChunkMask>> = BTreeMap::new();
        let edge = CHUNK_EDGE as i32;
        let mut add = |x: i32, y: i32| {
            if bounds.columns().contains(x, y) {
                let columns = plan.entry([x.div_euclid(edge), y.div_euclid(edge)]).or_insert_with(|| Box::new([0; CHUNK_COLUMNS]));
                columns[(y.rem_euclid(edge) * edge + x.rem_euclid(edge)) as usize] = ColumnMask::MAX;
            }
        };
        for (a, b) in ends.clone() {
            progress.check()?;
            let flat = |[x, y]: [i32; 2]| IVec3::new(x, y, 0);
            raster::line(flat(*a), flat(*b)).for_each(|at| add(at.x, at.y));
        }
        let ([low_x, low_y], [high_x, high_y]) = (bounds.columns().min(), bounds.columns().max());
        for y in low_y..high_y {
            progress.report((y - low_y) as f32 / (high_y - low_y) as f32)?;
            let crossing = |(a, b): (&[i32; 2], &[i32; 2])| {
                let share = (f64::from(y) - f64::from(a[1])) / (f64::from(b[1]) - f64::from(a[1]));
                ((a[1] <= y) != (b[1] <= y)).then(|| f64::from(a[0]) + share * (f64::from(b[0]) - f64::from(a[0])))
            };
            let mut crossings: Vec<_> = ends.clone().filter_map(crossing).collect();
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.as_chunks::<2>().0 {
                let [from, to] = *pair;
                // Corners are within reach, so that both fit.
                let (from, to) = ((from.ceil() as i32).max(low_x), (to.floor() as i32).min(high_x - 1));
                (from..=to).for_each(|x| add(x, y));
            }
        }
        let (top, below) = (bounds.min().z.div_euclid(edge), (bounds.max().z - 1).div_euclid(edge) + 1);
        let stacked = plan.into_iter().flat_map(|([x, y], columns)| (top..below).map(move |z| (ChunkPos(IVec3::new(x, y, z)), *columns)));
        Ok(stacked.collect())
    }
}

fn around(a: &ColumnRect, b: &ColumnRect) -> ColumnRect {
    let ([ax, ay], [bx, by]) = (a.min(), b.min());
    let ([to_ax, to_ay], [to_bx, to_by]) = (a.max(), b.max());
    ColumnRect::new([ax.min(bx), ay.min(by)], [to_ax.max(to_bx), to_ay.max(to_by)])
}
