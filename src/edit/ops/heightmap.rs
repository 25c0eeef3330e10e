//! Raising and digging the ground by the brightness of a picture.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::sculpt::{lower, raise};
use crate::document::{Progress, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::{Change, ColorImage, Draft, EditError, GrayImage};
use crate::geom::{LevelCurve, Region, VoxelPos};
use crate::voxel::{ChunkPos, Rgb};

/// Which way the ground moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeightmapMode {
    /// The ground comes up, most where the picture is white.
    #[default]
    Additive,
    /// The ground goes down, to the floor at most.
    Subtractive,
}

impl HeightmapMode {
    /// Both modes, in the order of the switch.
    pub const ALL: [Self; 2] = [Self::Additive, Self::Subtractive];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Additive => "Raise",
            Self::Subtractive => "Dig",
        }
    }
}

/// Moves the ground of each column by the brightness of a picture's pixel.
///
/// A column moves by `height` times the curve's value of its pixel, rounded. The ground is the first solid
/// voxel at or below `at`'s height; what hangs above an air gap stays, as with [`Sculpt`](super::Sculpt).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Heightmap {
    /// The picture, a pixel a column, north up.
    pub image: GrayImage,
    /// The column of the north-west pixel, and the height from which the ground is looked for.
    pub at: VoxelPos,
    /// Which way the ground moves.
    #[serde(default)]
    pub mode: HeightmapMode,
    /// Voxels that a white pixel moves the ground by, 1 to 4096.
    #[serde(default = "sixteen")]
    pub height: u32,
    /// What becomes of the brightness before.
    #[serde(default)]
    pub curve: LevelCurve,
    /// Color of the ground that moved; `null` continues the color of the old one.
    #[serde(default)]
    pub color: Option<Rgb>,
    /// A picture of the same size with the color of each column that moved; goes before `color`.
    #[serde(default)]
    pub colors: Option<ColorImage>,
}

fn sixteen() -> u32 {
    16
}

impl Heightmap {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        in_range("height", i64::from(self.height), 1, 4096)?;
        let size = self.image.size();
        if let Some(colors) = &self.colors {
            for (found, side) in colors.size().into_iter().zip(size) {
                in_range("side of the picture with the colors", i64::from(found), i64::from(side), i64::from(side))?;
            }
        }
        let (bounds, store) = (snapshot.bounds(), snapshot.store());
        let [width, height] = size.map(|side| i32::try_from(side).unwrap_or(i32::MAX));
        let at = self.at.with_z(bounds.min().z);
        // One plane of columns; chunk by chunk, so that few of them are at work at a time.
        let area = Region::of_size(IVec3::new(width, height, 1)).shifted(at);
        let from_z = self.at.z.max(bounds.min().z);
        let mut draft = Draft::new(snapshot);
        let (mut tiles, images) = (vec![], snapshot.symmetry.images());
        for image in &images {
            let area = image.region(&area).intersection(&bounds);
            tiles.extend(ChunkPos::covering(&area).map(|tile| (image, tile.region().intersection(&area))));
        }
        if tiles.is_empty() {
            return Err(EditError::OutsideMap);
        }
        for (done, (image, tile)) in tiles.iter().enumerate() {
            progress.report(done as f32 / tiles.len() as f32)?;
            draft.check_memory()?;
            let back = image.transform.inverse();
            for [x, y] in tile.columns().columns() {
                let pixel = back.voxel(IVec3::new(x, y, 0)).saturating_sub(self.at);
                let Some(by) = self.image.at(pixel.x, pixel.y).map(|gray| self.amount(gray)) else { continue };
                let Some(top) = store.ground(x, y, from_z).filter(|_| by > 0) else { continue };
                let color = self.colors.as_ref().and_then(|colors| colors.at(pixel.x, pixel.y)).or(self.color);
                let color = color.map(|color| image.color(color));
                match self.mode {
                    HeightmapMode::Additive => raise(&mut draft, IVec3::new(x, y, top), by, color),
                    HeightmapMode::Subtractive => lower(&mut draft, IVec3::new(x, y, top), by, color),
                }
            }
        }
        let label = match self.mode {
            HeightmapMode::Additive => "Raise ground by picture",
            HeightmapMode::Subtractive => "Dig ground by picture",
        };
        draft.finish_with(label, progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        let [width, height] = self.image.size().map(u64::from);
        width * height * u64::from(self.height.min(64))
    }

    /// Voxels that a pixel moves its column by.
    fn amount(&self, gray: u16) -> i32 {
        // At most `height`.
        (self.curve.at(f64::from(gray) / f64::from(u16::MAX)) * f64::from(self.height)).round() as i32
    }
}
