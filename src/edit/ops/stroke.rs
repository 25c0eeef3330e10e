//! Brush strokes and lines.

use serde::{Deserialize, Serialize};

use super::fill::white;
use crate::document::{Progress, Snapshot};
use crate::edit::brush::{path_steps, path_voxels};
use crate::edit::coverage::stamp_tint;
use crate::edit::{Brush, Change, Draft, EditError, Mode, StrokeCoverage, VoxelMask};
use crate::geom::VoxelPos;
use crate::voxel::Rgb;

/// Colors that the stamps of a stroke may have where they differ.
const TINTS: u32 = 16;

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
    brush.check_stroke(path)?;
    let mut coverage = StrokeCoverage::new(brush, snapshot.symmetry.reach(&snapshot.bounds()));
    let mut draft = Draft::new(snapshot);
    if brush.color_jitter == 0 || mode == Mode::Remove {
        for center in path_voxels(path) {
            progress.check()?;
            coverage.step(center, None);
        }
        draw_layers(snapshot, &mut draft, &[(coverage.into_covered(), color)], mode, progress)?;
    } else {
        let mut layers: Vec<_> = (0..TINTS).map(|tint| (VoxelMask::default(), jittered(color, brush.color_jitter, tint))).collect();
        for center in path_voxels(path) {
            progress.check()?;
            let mut fresh = VoxelMask::default();
            if let Some(stamp) = coverage.step(center, Some(&mut fresh))
                && let Some((layer, _)) = layers.get_mut(stamp_tint(brush, stamp, TINTS) as usize)
            {
                layer.add(&fresh);
            }
        }
        draw_layers(snapshot, &mut draft, &layers, mode, progress)?;
    }
    draft.finish_with(label, progress)
}

/// One of the tints of a color, from as much darker to as much lighter.
fn jittered(color: Rgb, percent: u8, tint: u32) -> Rgb {
    let share = (2.0 * tint as f32 / (TINTS - 1) as f32 - 1.0) * f32::from(percent) / 100.0;
    color.mixed(if share < 0.0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) }, share.abs())
}

/// Does to a set of voxels and its images what the mode says.
pub(super) fn draw_mask(
    snapshot: &Snapshot,
    draft: &mut Draft,
    mask: &VoxelMask,
    (mode, color): (Mode, Rgb),
    progress: &Progress,
) -> Result<(), EditError> {
    draw_layers(snapshot, draft, &[(mask.clone(), color)], mode, progress)
}

/// As [`draw_mask`], for sets that have no voxel in common.
fn draw_layers(
    snapshot: &Snapshot,
    draft: &mut Draft,
    layers: &[(VoxelMask, Rgb)],
    mode: Mode,
    progress: &Progress,
) -> Result<(), EditError> {
    let mut inside = false;
    for image in mode.ordered(&snapshot.symmetry) {
        for (mask, color) in layers {
            let imaged = mask.imaged(&image.transform, &snapshot.bounds());
            inside |= !imaged.is_empty();
            draft.fill_mask(&imaged, image.color(*color), mode, progress)?;
        }
    }
    if inside { Ok(()) } else { Err(EditError::OutsideMap) }
}

/// A stamp and what each further one adds: about its front side.
fn cost(brush: &Brush, path: &[VoxelPos]) -> u64 {
    let volume = brush.volume();
    let front = u64::from(brush.size).saturating_mul(u64::from(brush.size));
    volume.saturating_add(front.saturating_mul(path_steps(path)))
}
