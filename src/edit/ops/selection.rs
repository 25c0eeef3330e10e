//! What is done with the selected voxels: moving, copying, removing and filling them, and pasting others.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::fill::white;
use crate::document::{Image, Progress, Selection, Snapshot};
use crate::edit::{Change, Clip, Draft, EditError, Mode, Part};
use crate::geom::VoxelPos;
use crate::voxel::Rgb;

/// Removes the selected voxels. The floor stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeleteSelection {}

impl DeleteSelection {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        selected(snapshot)?;
        let mut draft = Draft::new(snapshot);
        for (_, selection) in selected_images(snapshot) {
            remove(snapshot, &mut draft, &selection, progress)?;
        }
        draft.finish_with("Delete selection", progress)
    }
}

/// Edits every selected voxel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FillSelection {
    /// The colour; not used by `remove`.
    #[serde(default = "white")]
    pub color: Rgb,
    /// What happens to the voxels.
    #[serde(default = "set")]
    pub mode: Mode,
}

fn set() -> Mode {
    Mode::Set
}

impl FillSelection {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let selection = selected(snapshot)?;
        let mut draft = Draft::new(snapshot);
        for image in self.mode.ordered(&snapshot.symmetry) {
            if let Some(selection) = selection.imaged(&image.transform, &snapshot.bounds()) {
                fill(&mut draft, &selection, (image.color(self.color), self.mode), progress)?;
            }
        }
        draft.finish_with("Fill selection", progress)
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
        for (selection, ..) in &lifted {
            remove(snapshot, &mut draft, selection, progress)?;
        }
        for (selection, clip, by) in &lifted {
            draft.paste(clip.store(), selection.bounds().min().saturating_add(*by), progress)?;
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
        for (selection, clip, by) in &lifted {
            draft.paste(clip.store(), selection.bounds().min().saturating_add(*by), progress)?;
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
        let target = Selection::of_region(place.intersection(&snapshot.bounds())).ok_or(EditError::OutsideMap)?;
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

/// The part of the selection that lies in the map.
pub(super) fn selected(snapshot: &Snapshot) -> Result<Selection, EditError> {
    let selection = snapshot.selection.as_ref().ok_or(EditError::NothingSelected)?;
    selection.within(&snapshot.bounds()).ok_or(EditError::OutsideMap)
}

/// The images of the selection that lie within the map, the original last.
pub(super) fn selected_images(snapshot: &Snapshot) -> Vec<(Image<'_>, Selection)> {
    let Some(selection) = &snapshot.selection else { return vec![] };
    let images = Mode::Set.ordered(&snapshot.symmetry).into_iter();
    images.filter_map(|image| Some((image, selection.imaged(&image.transform, &snapshot.bounds())?))).collect()
}

/// Removes selected voxels, but for the floor.
pub(super) fn remove(snapshot: &Snapshot, draft: &mut Draft, selection: &Selection, progress: &Progress) -> Result<(), EditError> {
    match selection.within(&snapshot.above_floor(&selection.bounds())) {
        Some(above) => fill(draft, &above, (white(), Mode::Remove), progress),
        None => Ok(()),
    }
}

fn fill(draft: &mut Draft, selection: &Selection, (color, mode): (Rgb, Mode), progress: &Progress) -> Result<(), EditError> {
    match selection.as_mask() {
        None => draft.fill_region(&selection.bounds(), color, mode, progress),
        Some(mask) => draft.fill_mask(mask, color, mode, progress),
    }
}

/// What the selection and its images hold, how far each of them goes, and where the selection comes to lie.
#[expect(clippy::type_complexity, reason = "named at its only uses")]
fn lifted(snapshot: &Snapshot, by: IVec3) -> Result<(Vec<(Selection, Clip, IVec3)>, Selection), EditError> {
    let target = selected(snapshot)?.shifted(by, &snapshot.bounds()).ok_or(EditError::OutsideMap)?;
    let lifted = selected_images(snapshot).into_iter().map(|(image, selection)| {
        let clip = Clip::cut_selected(snapshot, &selection)?;
        Ok((selection, clip, image.transform.vector(by)))
    });
    Ok((lifted.collect::<Result<_, EditError>>()?, target))
}

pub(super) fn finish(
    snapshot: &Snapshot,
    draft: Draft,
    label: &str,
    selection: Selection,
    progress: &Progress,
) -> Result<Change, EditError> {
    let mut change = draft.finish_with(label, progress)?;
    change.parts.extend(Part::selection(&snapshot.selection, Some(selection)));
    Ok(change)
}
