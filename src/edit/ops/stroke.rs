//! Brush strokes and lines.

use serde::{Deserialize, Serialize};

use super::fill::white;
use crate::document::{Progress, Snapshot};
use crate::edit::brush::{check_path, path_steps, path_voxels};
use crate::edit::{Brush, Change, Draft, EditError, Mode, StrokeCoverage, VoxelMask};
use crate::geom::VoxelPos;
use crate::voxel::Rgb;

/// Stamps a brush along a path. Every voxel is edited once, however often the stroke crosses it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stroke {
    /// The brush.
    #[serde(default)]
    pub brush: Brush,
    /// What happens to the voxels.
    #[serde(default)]
    pub mode: Mode,
    /// The colour; not used by `remove`.
    #[serde(default = "white")]
    pub color: Rgb,
    /// Middles of stamps; straight lines of stamps join them.
    pub path: Vec<VoxelPos>,
}

impl Stroke {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let label = match self.mode {
            Mode::Add => "Add stroke",
            Mode::Remove => "Remove stroke",
            Mode::Paint => "Paint stroke",
            Mode::Set => "Set stroke",
        };
        plan_path(snapshot, progress, label, &self.brush, (self.mode, self.color), &self.path)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        cost(&self.brush, &self.path)
    }
}

/// Stamps a brush along a straight line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Middle of the first stamp.
    pub from: VoxelPos,
    /// Middle of the last stamp.
    pub to: VoxelPos,
    /// The brush.
    #[serde(default)]
    pub brush: Brush,
    /// What happens to the voxels.
    #[serde(default)]
    pub mode: Mode,
    /// The colour; not used by `remove`.
    #[serde(default = "white")]
    pub color: Rgb,
}

impl Line {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        plan_path(snapshot, progress, "Draw line", &self.brush, (self.mode, self.color), &[self.from, self.to])
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        cost(&self.brush, &[self.from, self.to])
    }
}

fn plan_path(
    snapshot: &Snapshot,
    progress: &Progress,
    label: &str,
    brush: &Brush,
    (mode, color): (Mode, Rgb),
    path: &[VoxelPos],
) -> Result<Change, EditError> {
    brush.check()?;
    check_path(path)?;
    let mut coverage = StrokeCoverage::new(brush, snapshot.symmetry.reach(&snapshot.bounds()));
    for center in path_voxels(path) {
        progress.check()?;
        coverage.stamp(center, None);
    }
    let mut draft = Draft::new(snapshot);
    draw_mask(snapshot, &mut draft, coverage.covered(), (mode, color), progress)?;
    draft.finish_with(label, progress)
}

/// Does to a set of voxels and its images what the mode says.
pub(super) fn draw_mask(
    snapshot: &Snapshot,
    draft: &mut Draft,
    mask: &VoxelMask,
    (mode, color): (Mode, Rgb),
    progress: &Progress,
) -> Result<(), EditError> {
    let mut inside = false;
    for image in mode.ordered(&snapshot.symmetry) {
        let imaged = mask.imaged(&image.transform, &snapshot.bounds());
        inside |= !imaged.is_empty();
        draft.fill_mask(&imaged, image.color(color), mode, progress)?;
    }
    if inside { Ok(()) } else { Err(EditError::OutsideMap) }
}

/// A stamp and what each further one adds: about its front side.
fn cost(brush: &Brush, path: &[VoxelPos]) -> u64 {
    let volume = brush.volume();
    let front = u64::from(brush.size).saturating_mul(u64::from(brush.size));
    volume.saturating_add(front.saturating_mul(path_steps(path)))
}
