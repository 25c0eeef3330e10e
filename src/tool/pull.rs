//! How far the pointer pulled something off a face: along the face's axis, or, looking along that, up the picture.
//!
//! Shared by the tools that pull. Knows neither commands nor settings.

use glam::{IVec3, Vec3};

use super::pick::{along_axis, plane_point};
use crate::geom::{Axis, Face, Ray, VoxelPos};

/// Above this cosine between view and axis, moving along the axis cannot be seen, and the pointer's way up the picture
/// counts instead.
const HEAD_ON: f32 = 0.97;

/// A pull that began.
#[derive(Clone, Copy, Debug)]
pub struct Pull {
    /// The voxel whose face carries it.
    on: VoxelPos,
    face: Face,
    /// What the way is measured along; `None` is up the picture, on the plane of the face.
    origin: Option<Vec3>,
    start: f32,
}

impl Pull {
    /// Begins at a point over a voxel's face.
    pub fn begin(on: VoxelPos, face: Face, origin: Vec3, ray: &Ray) -> Self {
        let head_on = ray.direction.dot(face.normal().as_vec3()).abs() > HEAD_ON;
        let mut pull = Self { on, face, origin: (!head_on).then_some(origin), start: 0.0 };
        pull.start = pull.measured(ray).unwrap_or(0.0);
        pull
    }

    /// Voxels pulled since it began, outwards; `None` where the ray tells nothing.
    pub fn voxels(&self, ray: &Ray) -> Option<i32> {
        Some((self.measured(ray)? - self.start).round() as i32)
    }

    fn measured(&self, ray: &Ray) -> Option<f32> {
        if let Some(origin) = self.origin {
            return along_axis(ray, origin, self.face.normal());
        }
        let point = plane_point(ray, self.on, self.face)?;
        // Up the picture is north when looking down, and the sky when looking at a wall.
        let up = if self.face.axis() == Axis::Z { IVec3::NEG_Y } else { IVec3::NEG_Z };
        Some(point.dot(up.as_vec3()))
    }
}
