//! What a ray meets first: the voxel and the face under the pointer.

use super::Store;
use crate::geom::{Face, Ray, VoxelPos};

/// A voxel met by a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The solid voxel.
    pub pos: VoxelPos,
    /// The face through which the ray came in.
    pub face: Face,
    /// Distance from the ray's origin, in voxels.
    pub distance: f32,
}

impl Hit {
    /// The voxel in front of the face that was met.
    pub fn beside(&self) -> VoxelPos {
        self.pos + self.face.normal()
    }
}

/// The first solid voxel along the ray within the store's bounds.
pub fn raycast(store: &Store, ray: &Ray) -> Option<Hit> {
    let bounds = store.bounds();
    let (enter, leave) = ray.clip_to_box(bounds.min().as_vec3(), bounds.max().as_vec3())?;
    // Start a little before the box, so that the face of the first voxel is known.
    for (pos, face, distance) in ray.voxels((enter - 1.5).max(0.0), leave) {
        if let Some(face) = face
            && store.is_solid(pos)
        {
            return Some(Hit { pos, face, distance });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use glam::{IVec3, Vec3};

    use super::*;
    use crate::geom::Region;
    use crate::voxel::{StoreEdit, Voxel};

    #[test]
    fn a_ray_meets_the_nearest_voxel_by_the_face_it_came_through() {
        let mut store = Store::new(Region::of_size(IVec3::new(64, 64, 64)));
        let mut edit = StoreEdit::new(&store);
        for z in 40..64 {
            edit.set(IVec3::new(10, 10, z), Some(Voxel::HIDDEN));
        }
        let changes = edit.finish();
        store.apply(&changes);
        let down = raycast(&store, &Ray::new(Vec3::new(10.5, 10.5, -20.0), Vec3::Z)).unwrap();
        assert_eq!((down.pos, down.face, down.distance), (IVec3::new(10, 10, 40), Face::MinusZ, 60.0));
        let east = raycast(&store, &Ray::new(Vec3::new(60.0, 10.5, 50.5), Vec3::NEG_X)).unwrap();
        assert_eq!((east.pos, east.face, east.beside()), (IVec3::new(10, 10, 50), Face::PlusX, IVec3::new(11, 10, 50)));
        assert_eq!(raycast(&store, &Ray::new(Vec3::new(10.5, 10.5, -20.0), Vec3::NEG_Z)), None);
    }

    #[test]
    fn a_voxel_at_the_very_border_is_met_from_outside() {
        let mut store = Store::new(Region::of_size(IVec3::splat(32)));
        let mut edit = StoreEdit::new(&store);
        edit.set(IVec3::new(5, 5, 0), Some(Voxel::HIDDEN));
        let changes = edit.finish();
        store.apply(&changes);
        let hit = raycast(&store, &Ray::new(Vec3::new(5.5, 5.5, -9.0), Vec3::Z)).unwrap();
        assert_eq!(hit.face, Face::MinusZ);
    }
}
