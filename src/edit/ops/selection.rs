//! The selection: setting it, and moving, copying, removing and pasting voxels.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::fill::white;
use crate::document::{Progress, Snapshot};
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
        let region = selected(snapshot)?;
        let mut draft = Draft::new(snapshot);
        draft.fill_region(&snapshot.above_floor(&region), white(), Mode::Remove, progress)?;
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
        let (region, clip) = lifted(snapshot)?;
        let target = target(snapshot, &region, self.by)?;
        let mut draft = Draft::new(snapshot);
        draft.fill_region(&snapshot.above_floor(&region), white(), Mode::Remove, progress)?;
        draft.paste(clip.store(), region.min().saturating_add(self.by), progress)?;
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
        let (region, clip) = lifted(snapshot)?;
        let target = target(snapshot, &region, self.by)?;
        let mut draft = Draft::new(snapshot);
        draft.paste(clip.store(), region.min().saturating_add(self.by), progress)?;
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
        let target = target(snapshot, &self.clip.store().bounds(), self.at)?;
        let mut draft = Draft::new(snapshot);
        draft.paste(self.clip.store(), self.at, progress)?;
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

fn lifted(snapshot: &Snapshot) -> Result<(Region, Clip), EditError> {
    let region = selected(snapshot)?;
    Ok((region, Clip::cut(snapshot, region)?))
}

fn target(snapshot: &Snapshot, region: &Region, by: IVec3) -> Result<Region, EditError> {
    inside(snapshot, &region.shifted(by))
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
