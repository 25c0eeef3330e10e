//! Single voxels.

use serde::{Deserialize, Serialize};

use crate::document::Snapshot;
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
        require_inside(snapshot, self.at)?;
        let mut draft = Draft::new(snapshot);
        draft.put(self.at, self.color, Mode::Set);
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
        require_inside(snapshot, self.at)?;
        let mut draft = Draft::new(snapshot);
        draft.remove(self.at);
        Ok(draft.finish("Remove voxel"))
    }
}

fn require_inside(snapshot: &Snapshot, at: VoxelPos) -> Result<(), EditError> {
    if snapshot.bounds().contains(at) { Ok(()) } else { Err(EditError::OutsideMap) }
}
