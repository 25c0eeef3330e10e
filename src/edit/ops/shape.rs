//! Solids: boxes, balls, cylinders, cones, pyramids, ramps and walls.

use serde::{Deserialize, Serialize};

use super::fill::white;
use super::stroke::draw_mask;
use super::styled::Layer;
use crate::document::{Image, Progress, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::mask::VoxelMask;
use crate::edit::{Change, Draft, EditError, Mode};
use crate::geom::{Face, Region, Solid, SolidKind, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, Rgb};

/// Fills a solid that is spanned between two voxels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Its form.
    pub kind: SolidKind,
    /// One corner; ramps rise from here.
    pub from: VoxelPos,
    /// The opposite corner.
    pub to: VoxelPos,
    /// Where cones, pyramids and ramps point, and along what cylinders and walls stand.
    #[serde(default = "top")]
    pub up: Face,
    /// Thickness of the shell of a hollow solid, or of a wall; without it solid, and a wall one voxel thick.
    #[serde(default)]
    pub shell: Option<u32>,
    /// What happens to the voxels.
    #[serde(default)]
    pub mode: Mode,
    /// The colour; not used by `remove`.
    #[serde(default = "white")]
    pub color: Rgb,
}

fn top() -> Face {
    Face::MinusZ
}

impl Shape {
    /// The solid.
    pub fn solid(&self) -> Solid {
        Solid::new(self.kind, self.from, self.to, self.up, self.shell)
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let mask = self.mask(snapshot, progress)?;
        let mut draft = Draft::new(snapshot);
        draw_mask(snapshot, &mut draft, &mask, (self.mode, self.color), progress)?;
        draft.finish_with(format!("{} {}", self.mode.label(), self.kind.label().to_lowercase()), progress)
    }

    /// The solid at each image that lies within the map.
    pub(super) fn layers<'a>(&self, snapshot: &'a Snapshot, progress: &Progress) -> Result<Vec<Layer<'a>>, EditError> {
        let (mask, area) = (self.mask(snapshot, progress)?, self.solid().region());
        let layer = |image: Image<'a>| Layer { image, mask: mask.imaged(&image.transform, &snapshot.bounds()), area };
        let layers: Vec<_> = self.mode.ordered(&snapshot.symmetry).into_iter().map(layer).filter(|layer| !layer.mask.is_empty()).collect();
        if layers.is_empty() { Err(EditError::OutsideMap) } else { Ok(layers) }
    }

    /// The voxels of the solid that have an image within the map.
    fn mask(&self, snapshot: &Snapshot, progress: &Progress) -> Result<VoxelMask, EditError> {
        let most = i64::from(Solid::MAX_SIDE);
        for (a, b) in self.from.to_array().into_iter().zip(self.to.to_array()) {
            in_range("side of the shape", i64::from(a.abs_diff(b)) + 1, 1, most)?;
        }
        if let Some(shell) = self.shell {
            in_range("thickness", i64::from(shell), 1, most)?;
        }
        voxels_of(&self.solid(), &snapshot.symmetry.reach(&snapshot.bounds()), progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        let sides = if self.shell.is_some() { 8 } else { 2 };
        Region::between(self.from, self.to).volume().saturating_mul(sides)
    }
}

/// The voxels of a solid within a box.
fn voxels_of(solid: &Solid, within: &Region, progress: &Progress) -> Result<VoxelMask, EditError> {
    let region = solid.region().intersection(within);
    let mut voxels = VoxelMask::default();
    let chunks: Vec<_> = ChunkPos::covering(&region).collect();
    for (done, chunk_pos) in chunks.iter().enumerate() {
        progress.report(done as f32 / chunks.len() as f32)?;
        let origin = chunk_pos.origin();
        let mut mask = [0; CHUNK_COLUMNS];
        for pos in chunk_pos.region().intersection(&region).positions().filter(|pos| solid.contains(*pos)) {
            let at = pos - origin;
            mask[at.y as usize * CHUNK_EDGE + at.x as usize] |= 1 << at.z;
        }
        voxels.add_chunk(*chunk_pos, &mask);
    }
    Ok(voxels)
}
