//! Rays and the walk of a ray through the voxel grid (Amanatides and Woo).

use glam::{IVec3, Vec3};

use super::{Face, VoxelPos};

/// A half-line in world space, in voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Where it goes; unit length.
    pub direction: Vec3,
}

impl Ray {
    /// A ray; `direction` is normalised, a zero one becomes straight down (+z).
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self { origin, direction: direction.try_normalize().unwrap_or(Vec3::Z) }
    }

    /// The point at `distance` voxels from the origin.
    pub fn at(&self, distance: f32) -> Vec3 {
        self.origin + self.direction * distance
    }

    /// Distance to the plane `axis = value`, if the ray meets it ahead of its origin.
    ///
    /// `axis` is 0 for x, 1 for y, 2 for z.
    pub fn distance_to_plane(&self, axis: usize, value: f32) -> Option<f32> {
        let speed = self.direction[axis];
        if speed.abs() < 1e-6 {
            return None;
        }
        let distance = (value - self.origin[axis]) / speed;
        (distance >= 0.0).then_some(distance)
    }

    /// Distances at which the ray enters and leaves the box, if it meets it ahead of its origin.
    pub fn clip_to_box(&self, min: Vec3, max: Vec3) -> Option<(f32, f32)> {
        let (mut enter, mut leave) = (0.0_f32, f32::INFINITY);
        for axis in 0..3 {
            let (origin, speed) = (self.origin[axis], self.direction[axis]);
            if speed.abs() < 1e-9 {
                if origin < min[axis] || origin > max[axis] {
                    return None;
                }
                continue;
            }
            let (a, b) = ((min[axis] - origin) / speed, (max[axis] - origin) / speed);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        (enter <= leave).then_some((enter, leave))
    }

    /// The voxels that the ray passes, in order, from `start` to `end` voxels of distance.
    pub fn voxels(&self, start: f32, end: f32) -> VoxelWalk {
        VoxelWalk::new(self, start, end)
    }
}

/// Iterator over the voxels along a ray; see [`Ray::voxels`].
///
/// Each item is the voxel, the face through which it was entered (`None` for the first one) and the
/// distance from the ray's origin to that entry.
#[derive(Clone, Debug)]
pub struct VoxelWalk {
    pos: IVec3,
    step: IVec3,
    next: Vec3,
    delta: Vec3,
    entered: Option<Face>,
    distance: f32,
    end: f32,
}

impl VoxelWalk {
    fn new(ray: &Ray, start: f32, end: f32) -> Self {
        let from = ray.at(start);
        let pos = from.floor().as_ivec3();
        let step = ray.direction.signum().as_ivec3();
        let delta = Vec3::from_array(ray.direction.to_array().map(|d| if d.abs() < 1e-9 { f32::INFINITY } else { 1.0 / d.abs() }));
        let mut next = Vec3::INFINITY;
        for axis in 0..3 {
            let d = ray.direction[axis];
            if d.abs() >= 1e-9 {
                let edge = if d > 0.0 { pos[axis] as f32 + 1.0 } else { pos[axis] as f32 };
                next[axis] = start + (edge - from[axis]) / d;
            }
        }
        Self { pos, step, next, delta, entered: None, distance: start, end }
    }
}

impl Iterator for VoxelWalk {
    type Item = (VoxelPos, Option<Face>, f32);

    fn next(&mut self) -> Option<Self::Item> {
        if self.distance > self.end || !self.distance.is_finite() {
            return None;
        }
        let item = (self.pos, self.entered, self.distance);
        let axis = if self.next.x <= self.next.y && self.next.x <= self.next.z {
            0
        } else if self.next.y <= self.next.z {
            1
        } else {
            2
        };
        self.distance = self.next[axis];
        self.next[axis] += self.delta[axis];
        self.pos[axis] += self.step[axis];
        self.entered = Some(Face::toward(axis, -self.step[axis]));
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ray_straight_down_passes_one_column_and_enters_by_the_top() {
        let ray = Ray::new(Vec3::new(3.5, 4.5, -2.0), Vec3::Z);
        let walked: Vec<_> = ray.voxels(0.0, 4.0).collect();
        assert_eq!(walked[0].0, IVec3::new(3, 4, -2));
        assert_eq!(walked[2], (IVec3::new(3, 4, 0), Some(Face::MinusZ), 2.0));
    }

    #[test]
    fn a_walk_moves_by_one_face_at_a_time() {
        let ray = Ray::new(Vec3::new(0.2, 0.7, 0.1), Vec3::new(0.5, -0.3, 0.8));
        let walked: Vec<_> = ray.voxels(0.0, 40.0).map(|(pos, ..)| pos).collect();
        assert!(walked.len() > 40);
        for pair in walked.windows(2) {
            let moved = (pair[1] - pair[0]).abs();
            assert_eq!(moved.x + moved.y + moved.z, 1);
        }
    }
}
