//! Stamps: a clip put into the map once, or scattered over its ground, its walls and its ceilings.

mod scatter;
#[cfg(test)]
mod tests;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use crate::document::{Progress, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::{Change, Clip, Draft, EditError, Mode};
use crate::geom::{Face, Orientation, Region, Transform, VoxelPos};
use crate::voxel::{Rgb, Voxel};

pub use scatter::Scatter;

/// Where stamps point unless they are told to point elsewhere.
const TOP: Face = Face::MinusZ;

fn top() -> Face {
    TOP
}

fn is_top(face: &Face) -> bool {
    *face == TOP
}

/// Which voxel of a stamp comes to lie at the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StampAnchor {
    /// The middle of its lowest layer, the one that stands on the ground or the wall.
    #[default]
    Bottom,
    /// The north-western corner of its lowest layer.
    Corner,
    /// The middle.
    Middle,
}

impl StampAnchor {
    /// All anchors, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Bottom, Self::Corner, Self::Middle];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Bottom => "Bottom",
            Self::Corner => "Corner",
            Self::Middle => "Middle",
        }
    }

    /// The voxel of a box.
    fn within(self, region: &Region) -> VoxelPos {
        let (min, max) = (region.min(), region.max());
        let middle = (min + max - 1) / 2;
        match self {
            Self::Bottom => middle.with_z(max.z - 1),
            Self::Corner => min.with_z(max.z - 1),
            Self::Middle => middle,
        }
    }
}

/// Puts the voxels of a clip into the map. Air in the clip does not overwrite anything; what falls outside is left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// The voxels, as text.
    pub clip: Clip,
    /// Where the anchor comes to lie.
    pub at: VoxelPos,
    /// Which voxel of the clip, once it is turned, that is.
    #[serde(default)]
    pub anchor: StampAnchor,
    /// Quarter turns about the axis from its bottom to its top, 0 to 3.
    #[serde(default)]
    pub turn: u32,
    /// How much lighter its colors are, or darker where negative, in percent.
    #[serde(default)]
    pub tint: i32,
    /// Where its top points, as [`Orientation::standing_on`] turns it.
    #[serde(default = "top", skip_serializing_if = "is_top")]
    pub up: Face,
}

impl Stamp {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        in_range("turns of the stamp", i64::from(self.turn), 0, 3)?;
        in_range("tint of the stamp", i64::from(self.tint), -100, 100)?;
        let Prepared { clip, anchor } = Prepared::new(&self.clip, self.anchor, self.turn, self.tint, self.up);
        let place = clip.store().bounds().shifted(self.at.saturating_sub(anchor));
        let mut draft = Draft::new(snapshot);
        let mut inside = false;
        for image in Mode::Set.ordered(&snapshot.symmetry) {
            let region = image.region(&place);
            if region.intersection(&snapshot.bounds()).is_empty() {
                continue;
            }
            inside = true;
            let imaged = if image.is_original() { clip.clone() } else { clip.imaged(&image) };
            draft.paste(imaged.store(), region.min(), progress)?;
        }
        if !inside {
            return Err(EditError::OutsideMap);
        }
        draft.finish_with("Stamp", progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        self.clip.store().bounds().volume()
    }
}

/// The clip as it is put down.
#[derive(Clone)]
struct Prepared {
    clip: Clip,
    /// Which of its voxels comes to lie at the place.
    anchor: VoxelPos,
}

impl Prepared {
    /// Turns the clip about its upright axis first, then its top to where it is to point.
    fn new(clip: &Clip, anchor: StampAnchor, turn: u32, tint: i32, up: Face) -> Self {
        let quarter = Orientation::quarter_turn_z();
        let turned = (0..turn).fold(Orientation::IDENTITY, |turned, _| turned.then(quarter));
        let whole = clip.store().bounds();
        let turn = to_origin(turned, &whole);
        let stand = to_origin(Orientation::standing_on(up), &turn.region(&whole));
        // Air around what it holds does not count.
        let solid = Some(clip.store().occupied()).filter(|solid| !solid.is_empty()).unwrap_or(whole);
        let anchor = stand.voxel(anchor.within(&turn.region(&solid)));
        let orientation = turned.then(stand.orientation);
        let clip = if orientation == Orientation::IDENTITY && tint == 0 { clip.clone() } else { clip.mapped(orientation, tinted(tint)) };
        Self { clip, anchor }
    }
}

/// A turn that leaves the smallest corner of a box that lies at the origin there.
fn to_origin(orientation: Orientation, region: &Region) -> Transform {
    let turn = Transform { orientation, origin: IVec3::ZERO };
    Transform { origin: -turn.region(region).min(), ..turn }
}

fn tinted(tint: i32) -> impl Fn(Voxel) -> Voxel {
    let toward = if tint < 0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) };
    let share = tint.unsigned_abs() as f32 / 100.0;
    move |voxel| if tint == 0 { voxel } else { voxel.recolored(|rgb| rgb.mixed(toward, share)) }
}
