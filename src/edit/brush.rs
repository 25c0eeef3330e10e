//! Brushes: the shape that a stroke stamps along its path, and which voxels a stroke has covered.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::{EditError, VoxelMask};
use crate::geom::raster::{Footprint, line, line_steps};
use crate::geom::{Region, VoxelPos};

/// Most voxels that a path may run through.
const MAX_PATH_VOXELS: u64 = 1 << 18;
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
    /// Upright: a disc, as high as it is wide.
    Cylinder,
}

impl BrushShape {
    /// All shapes, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Ball, Self::Cube, Self::Cylinder];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Ball => "Ball",
            Self::Cube => "Cube",
            Self::Cylinder => "Cylinder",
        }
    }
}

/// The tip of strokes and lines.
///
/// ```
/// use spadework::edit::{Brush, BrushShape};
/// let brush = Brush { shape: BrushShape::Cube, size: 2 };
/// let voxels: i32 = brush.footprint().runs(glam::IVec3::ZERO).map(|(_, _, run)| run.end - run.start).sum();
/// assert_eq!(voxels, 8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Brush {
    /// Its shape.
    #[serde(default)]
    pub shape: BrushShape,
    /// Diameter in voxels, 1 to [`MAX_SIZE`](Self::MAX_SIZE); 1 is a single voxel.
    #[serde(default = "one")]
    pub size: u32,
}

fn one() -> u32 {
    1
}

impl Default for Brush {
    fn default() -> Self {
        Self { shape: BrushShape::Ball, size: 1 }
    }
}

impl Brush {
    /// Largest diameter.
    pub const MAX_SIZE: u32 = 64;

    /// The voxels of one stamp.
    pub fn footprint(&self) -> Footprint {
        let size = self.size.clamp(1, Self::MAX_SIZE);
        match self.shape {
            BrushShape::Ball => Footprint::ball(size),
            BrushShape::Cube => Footprint::cube(size),
            BrushShape::Cylinder => Footprint::cylinder(size),
        }
    }

    pub(super) fn check(&self) -> Result<(), EditError> {
        check_size(self.size)
    }

    /// Voxels of a stamp, at most.
    pub(super) fn volume(&self) -> u64 {
        u64::from(self.size.min(Self::MAX_SIZE)).pow(3)
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

/// The voxels that a stroke has covered, built up as it goes on.
///
/// A live preview applies what each [`add`](Self::add) answers; the finished stroke's
/// [`covered`](Self::covered) is what the command edits.
///
/// ```
/// use glam::IVec3;
/// use spadework::edit::{Brush, BrushShape, StrokeCoverage};
/// use spadework::geom::Region;
/// let mut stroke = StrokeCoverage::new(&Brush { shape: BrushShape::Cube, size: 3 }, Region::of_size(IVec3::splat(64)));
/// assert_eq!(stroke.add(IVec3::splat(10)).count(), 27);
/// assert_eq!(stroke.add(IVec3::new(11, 10, 10)).count(), 9); // only what is new
/// assert_eq!(stroke.covered().count(), 36);
/// ```
#[derive(Clone, Debug)]
pub struct StrokeCoverage {
    footprint: Footprint,
    bounds: Region,
    covered: VoxelMask,
    last: Option<VoxelPos>,
}

impl StrokeCoverage {
    /// A stroke that has covered nothing yet; nothing outside of `bounds` will count.
    pub fn new(brush: &Brush, bounds: Region) -> Self {
        Self { footprint: brush.footprint(), bounds, covered: VoxelMask::default(), last: None }
    }

    /// Stamps at one place. Answers the voxels that were not covered before.
    pub fn add(&mut self, center: VoxelPos) -> VoxelMask {
        let mut fresh = VoxelMask::default();
        self.stamp(center, Some(&mut fresh));
        fresh
    }

    /// Draws on to the next point of the path, with stamps between. Answers the voxels that were not
    /// covered before.
    pub fn line_to(&mut self, point: VoxelPos) -> VoxelMask {
        let mut fresh = VoxelMask::default();
        let begin = usize::from(self.last.is_some());
        for center in line(self.last.unwrap_or(point), point).skip(begin) {
            self.stamp(center, Some(&mut fresh));
        }
        fresh
    }

    /// All that is covered so far.
    pub fn covered(&self) -> &VoxelMask {
        &self.covered
    }

    /// Ends the stroke.
    pub fn into_covered(self) -> VoxelMask {
        self.covered
    }

    pub(super) fn stamp(&mut self, center: VoxelPos, fresh: Option<&mut VoxelMask>) {
        self.last = Some(center);
        // Far outside, where adding the brush's size could saturate and bend the shape.
        let reach = self.bounds.grown(Brush::MAX_SIZE as i32);
        if reach.contains(center) && center.abs().cmplt(IVec3::splat(i32::MAX / 2)).all() {
            self.covered.add_footprint(&self.footprint, center, &self.bounds, fresh);
        }
    }
}
