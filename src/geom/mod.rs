//! Positions, boxes, rays, rasters and camera maths: plain geometry that knows no voxel contents.
//!
//! Axes are the game's everywhere: **x east, y south, z down** (z 0 is the sky). Formats with other
//! axes turn at the border of their plugin.

mod axis;
mod camera;
mod curve;
pub mod raster;
mod ray;
mod region;
mod solid;
mod spline;
mod transform;

pub use axis::{Axis, Face, Orientation};
pub use camera::{Camera, CameraView};
pub use curve::{BadCurve, LevelCurve};
pub use ray::{Ray, VoxelWalk};
pub use region::{ColumnRect, Region};
pub use solid::{Solid, SolidKind};
pub use spline::{Near, Segment, Spline};
pub use transform::Transform;

/// Position of a voxel: its corner of smallest x, y and z, in voxels.
///
/// The voxel `p` covers `p.x .. p.x + 1` and so on; its centre is `p + 0.5`.
pub type VoxelPos = glam::IVec3;
