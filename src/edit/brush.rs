//! Brushes: what a stroke stamps along its path, and which paths are allowed. What the stamps cover is in `coverage`.

use serde::{Deserialize, Serialize};

use super::{EditError, GrayImage};
use crate::geom::raster::{Footprint, line, line_steps};
use crate::geom::{Face, SolidKind, VoxelPos};

/// Most voxels that a path may run through.
const MAX_PATH_VOXELS: u64 = 1 << 18;
/// Most stamps of a picture, each of whose voxels is looked at.
const MAX_PICTURES: u64 = 1 << 14;
/// Most points of a path.
const MAX_PATH_POINTS: usize = 1 << 16;

/// What a brush looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrushShape {
    /// Round.
    #[default]
    Ball,
    /// A box of equal sides.
    Cube,
    /// Stands on a disc; as high as it is wide unless the brush says how high.
    Cylinder,
    /// Stands on a disc and ends in a point.
    Cone,
    /// A flat disc, one voxel high unless the brush says how high.
    Disc,
    /// Stands on the brush's own picture.
    Picture,
}

impl BrushShape {
    /// All shapes, in the order of the switch.
    pub const ALL: [Self; 6] = [Self::Ball, Self::Cube, Self::Cylinder, Self::Cone, Self::Disc, Self::Picture];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Ball => "Ball",
            Self::Cube => "Cube",
            Self::Cylinder => "Cylinder",
            Self::Cone => "Cone",
            Self::Disc => "Disc",
            Self::Picture => "Picture",
        }
    }

    /// Whether it has a top and a height of its own.
    pub fn stands(self) -> bool {
        !matches!(self, Self::Ball | Self::Cube)
    }
}

/// How far apart the stamps of a stroke lie. In scripts a number of voxels, or `"50%"` of the brush's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged, expecting = "a spacing is a number of voxels, or a share of the size such as \"50%\"")]
pub enum Spacing {
    /// So many voxels of the path.
    Voxels(u32),
    /// So much of the brush's size.
    Share(Percent),
}

impl Default for Spacing {
    fn default() -> Self {
        Self::Voxels(1)
    }
}

impl Spacing {
    /// Widest spacing in voxels, and in percent.
    pub const MAX: u32 = 1024;

    /// Voxels of the path from stamp to stamp, at least 1.
    pub fn voxels(self, size: u32) -> u32 {
        match self {
            Self::Voxels(voxels) => voxels.max(1),
            Self::Share(Percent(share)) => (size.saturating_mul(share) / 100).max(1),
        }
    }

    fn check(self) -> Result<(), EditError> {
        let (what, found) = match self {
            Self::Voxels(voxels) => ("spacing", voxels),
            Self::Share(Percent(share)) => ("spacing in percent", share),
        };
        in_range(what, i64::from(found), 1, i64::from(Self::MAX))
    }
}

/// A share in percent; in scripts `"50%"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Percent(pub u32);

/// A text that is not a share such as `50%`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a share is a whole number of percent such as \"50%\"")]
pub struct BadPercent;

impl TryFrom<String> for Percent {
    type Error = BadPercent;

    fn try_from(text: String) -> Result<Self, BadPercent> {
        text.strip_suffix('%').and_then(|number| number.trim().parse().ok()).map(Self).ok_or(BadPercent)
    }
}

impl From<Percent> for String {
    fn from(Percent(share): Percent) -> Self {
        format!("{share}%")
    }
}

/// The tip of strokes and lines, and how it is stamped.
///
/// ```
/// use spadework::edit::{Brush, BrushShape};
/// let brush = Brush { shape: BrushShape::Cube, size: 2, ..Brush::default() };
/// let voxels: i32 = brush.footprint().runs(glam::IVec3::ZERO).map(|(_, _, run)| run.end - run.start).sum();
/// assert_eq!(voxels, 8);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brush {
    /// Its shape.
    #[serde(default)]
    pub shape: BrushShape,
    /// Diameter in voxels, 1 to [`MAX_SIZE`](Self::MAX_SIZE); 1 is a single voxel.
    #[serde(default = "one")]
    pub size: u32,
    /// Voxels along `up` of the shapes that stand, 1 to [`MAX_SIZE`](Self::MAX_SIZE); without it what the shape says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub height: Option<u32>,
    /// Where the top of the shapes that stand points.
    #[serde(default = "top", skip_serializing_if = "is_top")]
    pub up: Face,
    /// Percent of the tip's voxels that are edited, 1 to 100: which ones, position and seed say.
    #[serde(default = "all", skip_serializing_if = "is_all")]
    pub strength: u8,
    /// How far apart the stamps lie.
    #[serde(default, skip_serializing_if = "is_default")]
    pub spacing: Spacing,
    /// Voxels that a stamp may lie beside the path, 0 to [`MAX_SIZE`](Self::MAX_SIZE).
    #[serde(default, skip_serializing_if = "is_default")]
    pub jitter: u32,
    /// Percent that a stamp may be lighter or darker, 0 to 100.
    #[serde(default, skip_serializing_if = "is_default")]
    pub color_jitter: u8,
    /// What all that looks random comes from.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seed: u32,
    /// The picture of the shape of that name: white is covered, black is not. At most
    /// [`MAX_PICTURE`](Self::MAX_PICTURE) pixels on a side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<GrayImage>,
}

fn one() -> u32 {
    1
}

fn all() -> u8 {
    100
}

fn is_all(share: &u8) -> bool {
    *share == 100
}

fn top() -> Face {
    Face::MinusZ
}

fn is_top(face: &Face) -> bool {
    *face == Face::MinusZ
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Default for Brush {
    fn default() -> Self {
        Self {
            shape: BrushShape::Ball,
            size: 1,
            height: None,
            up: top(),
            strength: all(),
            spacing: Spacing::default(),
            jitter: 0,
            color_jitter: 0,
            seed: 0,
            picture: None,
        }
    }
}

impl Brush {
    /// Largest diameter.
    pub const MAX_SIZE: u32 = 64;
    /// Longest side of a tip's picture in pixels.
    pub const MAX_PICTURE: u32 = 256;

    /// A brush of that shape and size that covers all of its tip at every step.
    pub fn new(shape: BrushShape, size: u32) -> Self {
        Self { shape, size, ..Self::default() }
    }

    /// The voxels of one stamp, whatever its strength; a picture's are those of the box that it stands in.
    pub fn footprint(&self) -> Footprint {
        let size = self.size.clamp(1, Self::MAX_SIZE);
        let height = self.height().clamp(1, Self::MAX_SIZE);
        match self.shape {
            BrushShape::Ball => Footprint::ball(size),
            BrushShape::Cube => Footprint::cube(size),
            BrushShape::Cylinder if height == size && self.up == top() => Footprint::cylinder(size),
            BrushShape::Cylinder | BrushShape::Disc => Footprint::solid(SolidKind::Cylinder, size, height, self.up),
            BrushShape::Cone => Footprint::solid(SolidKind::Cone, size, height, self.up),
            BrushShape::Picture => Footprint::solid(SolidKind::Box, size, height, self.up),
        }
    }

    /// Whether its shape is a picture that it does not have.
    pub fn lacks_picture(&self) -> bool {
        self.shape == BrushShape::Picture && self.picture.is_none()
    }

    /// Whether its seed matters.
    pub fn is_random(&self) -> bool {
        self.strength < 100 || self.jitter > 0 || self.color_jitter > 0 || self.shape == BrushShape::Picture
    }

    /// Voxels along [`up`](Self::up).
    pub fn height(&self) -> u32 {
        match self.shape {
            BrushShape::Ball | BrushShape::Cube => self.size,
            BrushShape::Disc => self.height.unwrap_or(1),
            BrushShape::Cylinder | BrushShape::Cone | BrushShape::Picture => self.height.unwrap_or(self.size),
        }
    }

    pub(super) fn check(&self) -> Result<(), EditError> {
        let most = i64::from(Self::MAX_SIZE);
        check_size(self.size)?;
        in_range("brush height", i64::from(self.height()), 1, most)?;
        in_range("strength", i64::from(self.strength), 1, 100)?;
        in_range("jitter", i64::from(self.jitter), 0, most)?;
        in_range("color jitter", i64::from(self.color_jitter), 0, 100)?;
        self.spacing.check()?;
        match &self.picture {
            Some(picture) => picture
                .size()
                .into_iter()
                .try_for_each(|side| in_range("side of the brush's picture", i64::from(side), 1, i64::from(Self::MAX_PICTURE))),
            None if self.shape == BrushShape::Picture => Err(EditError::Missing { what: "picture of the brush" }),
            None => Ok(()),
        }
    }

    /// Refuses brushes and paths that nobody draws with.
    pub(super) fn check_stroke(&self, path: &[VoxelPos]) -> Result<(), EditError> {
        self.check()?;
        check_path(path)?;
        let stamps = path_steps(path) / u64::from(self.spacing.voxels(self.size)) + 1;
        let most = if self.shape == BrushShape::Picture { MAX_PICTURES } else { u64::MAX };
        if stamps <= most {
            return Ok(());
        }
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        Err(EditError::OutOfRange { what: "stamps of the picture", min: 1, max: number(most), found: number(stamps) })
    }

    /// Voxels of a stamp, at most.
    pub(super) fn volume(&self) -> u64 {
        let (size, height) = (self.size.min(Self::MAX_SIZE), self.height().min(Self::MAX_SIZE));
        u64::from(size).pow(2).saturating_mul(u64::from(height))
    }
}

pub(super) fn check_size(size: u32) -> Result<(), EditError> {
    in_range("brush size", i64::from(size), 1, i64::from(Brush::MAX_SIZE))
}

pub(super) fn in_range(what: &'static str, found: i64, min: i64, max: i64) -> Result<(), EditError> {
    if (min..=max).contains(&found) { Ok(()) } else { Err(EditError::OutOfRange { what, min, max, found }) }
}

/// Refuses paths without a point and such as nobody draws.
pub(super) fn check_path(path: &[VoxelPos]) -> Result<(), EditError> {
    if path.is_empty() {
        return Err(EditError::Missing { what: "path" });
    }
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    in_range("points of the path", number(path.len() as u64), 1, number(MAX_PATH_POINTS as u64))?;
    in_range("length of the path", number(path_steps(path)), 0, number(MAX_PATH_VOXELS))
}

/// Voxels of a path less one, counted with points that it visits again.
pub(super) fn path_steps(path: &[VoxelPos]) -> u64 {
    path.iter().zip(path.iter().skip(1)).map(|(a, b)| line_steps(*a, *b)).fold(0, u64::saturating_add)
}

/// The voxels that a path runs through, in order; points between two segments come once.
pub(super) fn path_voxels(path: &[VoxelPos]) -> impl Iterator<Item = VoxelPos> + '_ {
    let segments = path.iter().zip(path.iter().skip(1)).flat_map(|(a, b)| line(*a, *b).skip(1));
    path.first().copied().into_iter().chain(segments)
}
