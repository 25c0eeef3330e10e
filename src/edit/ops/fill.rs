//! Filling a box.

use serde::{Deserialize, Serialize};

use crate::document::{Progress, Snapshot};
use crate::edit::{Change, Draft, EditError, Mode};
use crate::geom::Region;
use crate::voxel::{ChunkPos, Rgb};

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

fn white() -> Rgb {
    Rgb::new(255, 255, 255)
}

impl Fill {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        if self.region.is_empty() {
            return Err(EditError::EmptyRegion);
        }
        let inside = self.region.intersection(&snapshot.bounds());
        if inside.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let mut draft = Draft::new(snapshot);
        let chunks: Vec<_> = ChunkPos::covering(&inside).collect();
        for (done, chunk) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            for pos in chunk.region().intersection(&inside).positions() {
                draft.put(pos, self.color, self.mode);
            }
        }
        draft.finish_with("Fill box", progress)
    }
}
