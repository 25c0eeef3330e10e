//! Filling a box.

use serde::{Deserialize, Serialize};

use super::styled::Layer;
use crate::document::{Image, Progress, Snapshot};
use crate::edit::{Change, Draft, EditError, Mode, VoxelMask};
use crate::geom::Region;
use crate::voxel::Rgb;

/// Fills a half-open box `[min, max)`. The part outside the map is clipped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    /// The box.
    #[serde(rename = "box")]
    pub region: Region,
    /// The colour; not used by `remove`.
    #[serde(default = "white")]
    pub color: Rgb,
    /// What happens to the voxels of the box.
    #[serde(default = "set")]
    pub mode: Mode,
}

fn set() -> Mode {
    Mode::Set
}

/// Colour of commands that name none.
pub(super) fn white() -> Rgb {
    Rgb::new(255, 255, 255)
}

impl Fill {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        if self.region.is_empty() {
            return Err(EditError::EmptyRegion);
        }
        let mut draft = Draft::new(snapshot);
        let mut inside = false;
        for image in self.mode.ordered(&snapshot.symmetry) {
            let region = image.region(&self.region).intersection(&snapshot.bounds());
            inside |= !region.is_empty();
            draft.fill_region(&region, image.color(self.color), self.mode, progress)?;
        }
        if !inside {
            return Err(EditError::OutsideMap);
        }
        let label = match self.mode {
            Mode::Add | Mode::Set => "Fill box",
            Mode::Remove => "Remove box",
            Mode::Paint => "Paint box",
        };
        draft.finish_with(label, progress)
    }

    /// The box at each image that lies within the map.
    pub(super) fn layers<'a>(&self, snapshot: &'a Snapshot) -> Result<Vec<Layer<'a>>, EditError> {
        if self.region.is_empty() {
            return Err(EditError::EmptyRegion);
        }
        let layer = |image: Image<'a>| {
            let mask = VoxelMask::of_region(&image.region(&self.region).intersection(&snapshot.bounds()));
            Layer { image, mask, area: self.region }
        };
        let layers: Vec<_> = self.mode.ordered(&snapshot.symmetry).into_iter().map(layer).filter(|layer| !layer.mask.is_empty()).collect();
        if layers.is_empty() { Err(EditError::OutsideMap) } else { Ok(layers) }
    }
}
