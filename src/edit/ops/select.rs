//! What is selected: boxes, voxels by what they are, and the selection turned around, grown and shrunk.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::masks::check_masks;
use crate::document::{Combine, Masks, Matter, Progress, Selection, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::{Change, EditError, MaskFilter, Part};
use crate::geom::Region;
use crate::voxel::{CHUNK_COLUMNS, ChunkPos, VoxelMask};

/// Most voxels that a selection grows or shrinks by at once.
const MAX_REACH: i64 = 256;

/// Selects a box; `null` selects nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// The box; the part outside the map is left out.
    #[serde(rename = "box")]
    pub region: Option<Region>,
    /// How the box joins what is selected.
    #[serde(default, skip_serializing_if = "Combine::is_replace")]
    pub combine: Combine,
}

impl Select {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        let fresh = match self.region {
            Some(region) if region.is_empty() => return Err(EditError::EmptyRegion),
            Some(region) => Some(Selection::of_region(region.intersection(&snapshot.bounds())).ok_or(EditError::OutsideMap)?),
            None => None,
        };
        Ok(combined(snapshot, self.combine, fresh, "Select"))
    }
}

/// Selects the voxels that some masks let through, in the whole map.
///
/// Unless the masks name air, only solid voxels are selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectWhere {
    /// Which voxels: fields as of the document's own masks, which do not count here.
    pub masks: Masks,
    /// How they join what is selected.
    #[serde(default, skip_serializing_if = "Combine::is_replace")]
    pub combine: Combine,
}

impl SelectWhere {
    /// What it selects by, where that is one thing.
    pub fn label(&self) -> &'static str {
        let Masks { surface, z, slope, colors, .. } = &self.masks;
        match (!colors.is_empty(), z.is_some(), slope.is_some(), *surface) {
            (true, false, false, _) => "Select color",
            (false, true, false, _) => "Select heights",
            (false, false, true, _) => "Select slopes",
            (false, false, false, true) => "Select surface",
            _ => "Select by kind",
        }
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        Ok(combined(snapshot, self.combine, Selection::of_mask(self.found(snapshot, progress)?), self.label()))
    }

    /// The voxels that fit.
    ///
    /// # Errors
    /// If the masks make no sense, or it was cancelled.
    pub fn found(&self, snapshot: &Snapshot, progress: &Progress) -> Result<VoxelMask, EditError> {
        check_masks(&self.masks)?;
        let masks = Masks { matter: Some(self.masks.matter.unwrap_or(Matter::Solid)), ..self.masks.clone() };
        let Some(filter) = MaskFilter::with(snapshot, Arc::new(masks)) else { return Ok(VoxelMask::default()) };
        let bounds = snapshot.bounds();
        let chunks: Vec<_> = ChunkPos::covering(&bounds).collect();
        let mut found = VoxelMask::default();
        for (done, pos) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            let air_counts = self.masks.matter == Some(Matter::Air);
            if air_counts || snapshot.store().chunk(*pos).is_some() {
                let wanted = crate::edit::mask::region_in_chunk(&bounds, *pos);
                found.add_chunk(*pos, &filter.allowed(*pos, &wanted));
            }
        }
        Ok(found)
    }
}

/// Selects what was not selected, and nothing of what was.
///
/// Counts the whole map, air too, so that doing it twice changes nothing; or only its solid voxels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvertSelection {
    /// Whether only solid voxels come to be selected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub solid: bool,
}

impl InvertSelection {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let bounds = snapshot.bounds();
        let all = if self.solid { Selection::of_mask(solid_voxels(snapshot, progress)?) } else { Selection::of_region(bounds) };
        let after = match (&all, &snapshot.selection) {
            (Some(all), Some(selection)) => all.without(selection),
            _ => all,
        };
        Ok(Change::new("Invert selection", Part::selection(&snapshot.selection, after)))
    }
}

fn solid_voxels(snapshot: &Snapshot, progress: &Progress) -> Result<VoxelMask, EditError> {
    progress.check()?;
    Ok(VoxelMask::of_chunks(snapshot.store().chunks().map(|(pos, chunk)| {
        let mut mask = [0; CHUNK_COLUMNS];
        mask.copy_from_slice(chunk.solid());
        (pos, mask)
    })))
}

/// Grows the selection on all sides, by so many voxels along each axis: a voxel becomes a cube.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrowSelection {
    /// How far, 1 to 256.
    pub by: u32,
}

impl GrowSelection {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        in_range("distance", i64::from(self.by), 1, MAX_REACH)?;
        let selection = snapshot.selection.as_ref().ok_or(EditError::NothingSelected)?;
        let after = selection.grown(self.by, &snapshot.bounds(), progress)?;
        Ok(Change::new("Grow selection", Part::selection(&snapshot.selection, after)))
    }
}

/// Takes so many voxels off the selection on all sides: what growing would have added. A selection of which nothing would
/// be left is refused.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShrinkSelection {
    /// How far, 1 to 256.
    pub by: u32,
}

impl ShrinkSelection {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        in_range("distance", i64::from(self.by), 1, MAX_REACH)?;
        let selection = snapshot.selection.as_ref().ok_or(EditError::NothingSelected)?;
        let after = selection.shrunk(self.by, progress)?.ok_or(EditError::NothingLeft { most: 2 * self.by })?;
        Ok(Change::new("Shrink selection", Part::selection(&snapshot.selection, Some(after))))
    }
}

/// The change of what is selected, once something new joins it.
pub(super) fn combined(snapshot: &Snapshot, combine: Combine, fresh: Option<Selection>, label: &str) -> Change {
    let after = combine.apply(snapshot.selection.as_ref(), fresh);
    let label = match combine {
        _ if after.is_none() => "Deselect",
        Combine::Replace => label,
        Combine::Add => "Add to selection",
        Combine::Subtract => "Take from selection",
        Combine::Intersect => "Intersect selection",
    };
    Change::new(label, Part::selection(&snapshot.selection, after))
}
