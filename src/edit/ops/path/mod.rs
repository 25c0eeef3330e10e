//! Roads, rivers, bridges, tunnels and fences along a smooth curve.

mod build;
mod field;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::fill::white;
use crate::document::{Progress, Snapshot};
use crate::edit::brush::{in_range, path_steps};
use crate::edit::{Change, Draft, EditError};
use crate::geom::{Spline, VoxelPos};
use crate::voxel::Rgb;
use field::Field;

/// Most points of a path.
const MAX_POINTS: i64 = 1024;
/// Longest path, in steps from point to point.
const MAX_LENGTH: i64 = 1 << 14;

/// What is made along a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PathKind {
    /// Level across its width, with shoulders to the land beside it.
    #[default]
    Road,
    /// A bed with banks.
    River,
    /// A deck with rails and pillars.
    Bridge,
    /// A hole through what is solid.
    Tunnel,
    /// Posts and rails on the ground.
    Fence,
}

impl PathKind {
    /// All kinds, in the order of the switch.
    pub const ALL: [Self; 5] = [Self::Road, Self::River, Self::Bridge, Self::Tunnel, Self::Fence];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Road => "Road",
            Self::River => "River",
            Self::Bridge => "Bridge",
            Self::Tunnel => "Tunnel",
            Self::Fence => "Fence",
        }
    }

    /// Width where none is given.
    pub fn usual_width(self) -> u32 {
        match self {
            Self::Road | Self::River | Self::Bridge | Self::Tunnel => 5,
            Self::Fence => 1,
        }
    }

    /// Height where none is given: the headroom of roads, rails of bridges, hole of tunnels, posts of fences; rivers
    /// go down to the water.
    pub fn usual_height(self) -> u32 {
        match self {
            Self::Road => 4,
            Self::River => 0,
            Self::Bridge => 1,
            Self::Tunnel => 6,
            Self::Fence => 3,
        }
    }

    /// Columns between posts or pillars where none are given.
    pub fn usual_spacing(self) -> u32 {
        match self {
            Self::Bridge => 12,
            _ => 4,
        }
    }

    fn verb(self) -> &'static str {
        match self {
            Self::Road => "Lay road",
            Self::River => "Dig river",
            Self::Bridge => "Build bridge",
            Self::Tunnel => "Bore tunnel",
            Self::Fence => "Put up fence",
        }
    }
}

/// Makes a road, river, bridge, tunnel or fence along a curve through some voxels of the ground.
///
/// A column belongs to the nearest point of the curve and its images, and is worked on once, at the height of that
/// point. What hangs above an air gap stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// What is made.
    #[serde(default)]
    pub kind: PathKind,
    /// Voxels of the ground that the curve runs through, two or more.
    pub points: Vec<VoxelPos>,
    /// Columns across, 1 to 64.
    #[serde(default)]
    pub width: Option<u32>,
    /// Of the surface of roads and decks, of the bed of rivers, the floor of tunnels and the rails of fences.
    #[serde(default = "white")]
    pub color: Rgb,
    /// Of the water of a river that comes down to the floor; without one that of the path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub water: Option<Rgb>,
    /// Of rails, pillars and posts, and of the walls of tunnels; without one that of the path, and walls as they are.
    #[serde(default)]
    pub edge_color: Option<Rgb>,
    /// What [`PathKind::usual_height`] names; a river of height 0 goes down to the water. 0 to 64.
    #[serde(default)]
    pub height: Option<u32>,
    /// Columns from post to post or pillar to pillar, 1 to 256; 0 has none.
    #[serde(default)]
    pub spacing: Option<u32>,
    /// Columns beside roads and rivers in which they meet the land, 0 to 64.
    #[serde(default = "three")]
    pub shoulder: u32,
    /// Whether tunnels are arched.
    #[serde(default = "yes")]
    pub arched: bool,
}

fn three() -> u32 {
    3
}

fn yes() -> bool {
    true
}

impl Path {
    /// Columns across.
    pub fn width(&self) -> u32 {
        self.width.unwrap_or(self.kind.usual_width())
    }

    /// See [`PathKind::usual_height`].
    pub fn height(&self) -> u32 {
        self.height.unwrap_or(self.kind.usual_height())
    }

    /// Columns from post to post.
    pub fn spacing(&self) -> u32 {
        self.spacing.unwrap_or(self.kind.usual_spacing())
    }

    /// The curve. A path of even width leans to the smaller coordinates, as brushes do.
    pub fn curve(&self) -> Spline {
        Spline::through(&self.points, if self.width().is_multiple_of(2) { -0.5 } else { 0.0 })
    }

    /// Columns from the middle to the rim.
    fn half(&self) -> f64 {
        f64::from(self.width()) / 2.0
    }

    /// Columns from the middle to the farthest one that is changed.
    fn reach(&self) -> f64 {
        let beside = if matches!(self.kind, PathKind::Road | PathKind::River) { self.shoulder } else { 0 };
        self.half() + f64::from(beside)
    }

    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        self.check()?;
        let curve = self.curve();
        if curve.length() == 0.0 {
            return Err(EditError::Missing { what: "a second point beside the first" });
        }
        let field = Field::of(&curve, self.reach(), snapshot, progress)?;
        if !field.meets(&snapshot.bounds().columns()) {
            return Err(EditError::OutsideMap);
        }
        let mut draft = Draft::new(snapshot);
        build::build(self, &field, curve.length(), snapshot, &mut draft, progress)?;
        draft.finish_with(self.kind.verb(), progress)
    }

    fn check(&self) -> Result<(), EditError> {
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        in_range("points of the path", number(self.points.len() as u64), 2, MAX_POINTS)?;
        in_range("length of the path", number(path_steps(&self.points)), 0, MAX_LENGTH)?;
        in_range("width of the path", i64::from(self.width()), 1, 64)?;
        in_range("height of the path", i64::from(self.height()), 0, 64)?;
        in_range("spacing of the path", i64::from(self.spacing()), 0, 256)?;
        in_range("shoulder of the path", i64::from(self.shoulder), 0, 64)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        let across = u64::from(self.width()).saturating_add(2 * u64::from(self.shoulder));
        // About how many voxels of a column are looked at.
        path_steps(&self.points).saturating_add(across).saturating_mul(across).saturating_mul(16)
    }
}
