//! What of the world can be in the picture: boxes against the view, faces against the eye.

use glam::{Mat4, Vec3, Vec4};

use crate::geom::{Camera, Face};

/// The five planes of the view that boxes are tested against (the far one is beyond everything).
pub(super) struct Frustum {
    planes: [Vec4; 5],
}

impl Frustum {
    /// Of a matrix with depth 0 near, 1 far.
    pub(super) fn new(clip_from_world: Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| clip_from_world.row(row));
        Self { planes: [w + x, w - x, w + y, w - y, z] }
    }

    /// Whether any of the box may be in view. May say yes for a box near a corner that is not.
    pub(super) fn sees(&self, min: Vec3, max: Vec3) -> bool {
        self.planes.iter().all(|plane| {
            let farthest = Vec3::select(plane.truncate().cmpge(Vec3::ZERO), max, min);
            plane.dot(farthest.extend(1.0)) >= 0.0
        })
    }
}

/// Whether a face on any voxel of the box can look at the eye.
pub(super) fn faces_eye(camera: &Camera, min: Vec3, max: Vec3, face: Face) -> bool {
    let normal = face.normal().as_vec3();
    if camera.ortho_height.is_some() {
        return camera.forward().dot(normal) < 0.0;
    }
    // The face farthest against its own direction is the first to be seen.
    let (low, high) = (camera.eye - min, camera.eye - max);
    normal.dot(low) > 0.0 && normal.element_sum() > 0.0 || normal.dot(high) > 0.0 && normal.element_sum() < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_behind_and_beside_the_view_are_not_seen() {
        let camera = Camera { eye: Vec3::ZERO, pitch: 0.0, ..Camera::default() };
        let frustum = Frustum::new(camera.clip_from_world(1.0));
        let seen = |center: Vec3| frustum.sees(center - 1.0, center + 1.0);
        assert!(seen(Vec3::new(0.0, -50.0, 0.0)), "ahead is north");
        assert!(!seen(Vec3::new(0.0, 50.0, 0.0)));
        assert!(!seen(Vec3::new(60.0, -50.0, 0.0)));
        assert!(!seen(Vec3::new(0.0, -50.0, 60.0)));
    }

    #[test]
    fn only_sides_toward_the_eye_are_faced() {
        let camera = Camera { eye: Vec3::new(100.0, 16.0, -50.0), ..Camera::default() };
        let faced = Face::ALL.map(|face| faces_eye(&camera, Vec3::ZERO, Vec3::splat(32.0), face));
        assert_eq!(faced, [true, false, true, true, false, true]);
    }
}
