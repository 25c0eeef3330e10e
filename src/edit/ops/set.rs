//! Single voxels.

use serde::{Deserialize, Serialize};

use crate::document::{Image, Snapshot};
use crate::edit::{Change, Draft, EditError, Mode};
use crate::geom::VoxelPos;
use crate::voxel::Rgb;

/// Makes one voxel solid with this colour; a solid one keeps its shade.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Set {
    /// Which voxel.
    pub at: VoxelPos,
    /// Its colour.
    pub color: Rgb,
}

impl Set {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        let mut draft = Draft::new(snapshot);
        for (image, at) in images_inside(snapshot, self.at)? {
            draft.put(at, image.color(self.color), Mode::Set);
        }
        Ok(draft.finish("Set voxel"))
    }
}

/// Makes one voxel air. The floor stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remove {
    /// Which voxel.
    pub at: VoxelPos,
}

impl Remove {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Result<Change, EditError> {
        let mut draft = Draft::new(snapshot);
        for (_, at) in images_inside(snapshot, self.at)? {
            draft.remove(at);
        }
        Ok(draft.finish("Remove voxel"))
    }
}

/// The images of a place that lie within the map, the original last.
fn images_inside(snapshot: &Snapshot, at: VoxelPos) -> Result<Vec<(Image<'_>, VoxelPos)>, EditError> {
    let images = Mode::Set.ordered(&snapshot.symmetry).into_iter().map(|image| (image, image.voxel(at)));
    let inside: Vec<_> = images.filter(|(_, at)| snapshot.bounds().contains(*at)).collect();
    if inside.is_empty() { Err(EditError::OutsideMap) } else { Ok(inside) }
}
