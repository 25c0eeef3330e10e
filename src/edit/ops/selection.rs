//! The selection: setting it, and moving, copying, removing and pasting voxels.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::fill::white;
use crate::document::{Image, Progress, Snapshot};
use crate::edit::{Change, Clip, Draft, EditError, Mode, Part};
use crate::geom::{Region, VoxelPos};

/// Selects a box; `null` selects nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Select {
    /// The box; the part outside the map is left out.
    #[serde(rename = "box")]
    pub region: Option<Region>,
}

impl Select {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        let after = match self.region {
            Some(region) if region.is_empty() => return Err(EditError::EmptyRegion),
            Some(region) => Some(inside(snapshot, &region)?),
            None => None,
        };
        let label = if after.is_some() { "Select" } else { "Deselect" };
        Ok(Change::new(label, Part::selection(snapshot.selection, after)))
    }
}

/// Removes the selected voxels. The floor stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeleteSelection {}

impl DeleteSelection {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        selected(snapshot)?;
        let mut draft = Draft::new(snapshot);
        for (_, region) in selected_images(snapshot) {
            draft.fill_region(&snapshot.above_floor(&region), white(), Mode::Remove, progress)?;
        }
        draft.finish_with("Delete selection", progress)
    }
}

/// Moves the selected voxels; the selection goes with them. The floor stays, and selected air does not
/// overwrite anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoveSelection {
    /// How far, in voxels.
    pub by: IVec3,
}

impl MoveSelection {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let (lifted, target) = lifted(snapshot, self.by)?;
        let mut draft = Draft::new(snapshot);
        for (region, ..) in &lifted {
            draft.fill_region(&snapshot.above_floor(region), white(), Mode::Remove, progress)?;
        }
        for (region, clip, by) in &lifted {
            draft.paste(clip.store(), region.min().saturating_add(*by), progress)?;
        }
        finish(snapshot, draft, "Move selection", target, progress)
    }
}

/// Copies the selected voxels to another place and selects the copy. The floor is not copied, nor is air.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopySelection {
    /// How far away, in voxels.
    pub by: IVec3,
}

impl CopySelection {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let (lifted, target) = lifted(snapshot, self.by)?;
        let mut draft = Draft::new(snapshot);
        for (region, clip, by) in &lifted {
            draft.paste(clip.store(), region.min().saturating_add(*by), progress)?;
        }
        finish(snapshot, draft, "Copy selection", target, progress)
    }
}

/// Puts the voxels of a clip into the map and selects the place. Air in the clip does not overwrite anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paste {
    /// The voxels, as text.
    pub clip: Clip,
    /// Where the clip's corner of smallest coordinates comes to lie.
    pub at: VoxelPos,
}

impl Paste {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let place = self.clip.store().bounds().shifted(self.at);
        let target = inside(snapshot, &place)?;
        let mut draft = Draft::new(snapshot);
        for image in Mode::Set.ordered(&snapshot.symmetry) {
            let at = image.region(&place).min();
            if image.is_original() {
                draft.paste(self.clip.store(), at, progress)?;
            } else {
                draft.paste(self.clip.imaged(&image).store(), at, progress)?;
            }
        }
        finish(snapshot, draft, "Paste", target, progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        self.clip.store().bounds().volume()
    }
}

fn selected(snapshot: &Snapshot) -> Result<Region, EditError> {
    let region = snapshot.selection.ok_or(EditError::NothingSelected)?;
    inside(snapshot, &region)
}

/// The images of the selection that lie within the map, the original last.
fn selected_images(snapshot: &Snapshot) -> Vec<(Image<'_>, Region)> {
    let Some(selection) = snapshot.selection else { return vec![] };
    let images = Mode::Set.ordered(&snapshot.symmetry).into_iter();
    images
        .map(|image| (image, image.region(&selection).intersection(&snapshot.bounds())))
        .filter(|(_, region)| !region.is_empty())
        .collect()
}

/// What the selection and its images hold, how far each of them goes, and where the selection comes to lie.
#[expect(clippy::type_complexity, reason = "named at its only uses")]
fn lifted(snapshot: &Snapshot, by: IVec3) -> Result<(Vec<(Region, Clip, IVec3)>, Region), EditError> {
    let target = inside(snapshot, &selected(snapshot)?.shifted(by))?;
    let images = selected_images(snapshot).into_iter();
    let lifted = images.map(|(image, region)| Ok((region, Clip::cut(snapshot, region)?, image.transform.vector(by))));
    Ok((lifted.collect::<Result<_, EditError>>()?, target))
}

fn inside(snapshot: &Snapshot, region: &Region) -> Result<Region, EditError> {
    let inside = region.intersection(&snapshot.bounds());
    if inside.is_empty() { Err(EditError::OutsideMap) } else { Ok(inside) }
}

fn finish(snapshot: &Snapshot, draft: Draft, label: &str, selection: Region, progress: &Progress) -> Result<Change, EditError> {
    let mut change = draft.finish_with(label, progress)?;
    change.parts.extend(Part::selection(snapshot.selection, Some(selection)));
    Ok(change)
}
