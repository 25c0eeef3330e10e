//! Where the pointer meets the map, and what colour is there. Shared by all tools; knows no tool.

use glam::{IVec3, Vec3};

use crate::document::Snapshot;
use crate::edit::{DEFAULT_DIRT, Mode};
use crate::geom::{Face, Ray, Region, VoxelPos};
use crate::voxel::{Rgb, Store, raycast};

/// How far outside the map a gesture is followed, in voxels: half of the largest brush.
const MARGIN: i32 = 32;

/// A place under the pointer: a solid voxel and its face, or the plane under the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// The voxel; for the plane under the map, the one just below the map's bottom.
    pub pos: VoxelPos,
    /// The face that was met.
    pub face: Face,
    /// Whether there is a voxel: false for the plane under the map.
    pub solid: bool,
}

impl Pick {
    /// The voxel in front of the face.
    pub fn beside(&self) -> VoxelPos {
        self.pos + self.face.normal()
    }

    /// The voxel that a mode works on: what is in front of the face when adding, else what was met.
    pub fn target(&self, mode: Mode) -> Option<VoxelPos> {
        match mode {
            Mode::Add | Mode::Set => Some(self.beside()),
            Mode::Remove | Mode::Paint => self.solid.then_some(self.pos),
        }
    }

    /// Where the ray meets the plane of this pick's face: the voxel of the same layer, kept near the map.
    pub fn on_plane(&self, ray: &Ray, bounds: &Region) -> Option<Self> {
        let point = plane_point(ray, self.pos, self.face)?;
        let axis = self.face.axis().index();
        let near = bounds.grown(MARGIN);
        let mut pos = voxel_of(point).clamp(near.min(), near.max() - 1);
        pos[axis] = self.pos[axis];
        Some(Self { pos, face: self.face, solid: self.solid })
    }
}

/// The point where a ray meets the plane of a voxel's face, ahead of its origin.
pub fn plane_point(ray: &Ray, pos: VoxelPos, face: Face) -> Option<Vec3> {
    let axis = face.axis().index();
    let value = pos[axis] as f32 + if face.normal()[axis] > 0 { 1.0 } else { 0.0 };
    ray.distance_to_plane(axis, value).map(|distance| ray.at(distance))
}

/// The voxel that holds a point.
pub fn voxel_of(point: Vec3) -> VoxelPos {
    point.floor().as_ivec3()
}

/// What the ray meets: the first solid voxel, else the plane under the map, so that one can build over nothing.
pub fn pick(store: &Store, ray: &Ray) -> Option<Pick> {
    if let Some(hit) = raycast(store, ray) {
        return Some(Pick { pos: hit.pos, face: hit.face, solid: true });
    }
    let bounds = store.bounds();
    let bottom = bounds.max().z;
    if ray.direction.z <= 0.0 {
        return None;
    }
    let at = voxel_of(ray.at(ray.distance_to_plane(2, bottom as f32)?));
    bounds.columns().contains(at.x, at.y).then_some(Pick { pos: at.with_z(bottom), face: Face::MinusZ, solid: false })
}

/// The colour that a voxel is seen in: its own, else the document's colour for uncovered voxels, else the nearest above.
pub fn color_at(document: &Snapshot, pos: VoxelPos) -> Rgb {
    let store = document.store();
    let known = |z: i32| store.paint(pos.with_z(z)).map(|paint| paint.rgb);
    let above = || (store.bounds().min().z..pos.z).rev().find_map(known);
    known(pos.z).or(document.dirt).or_else(above).unwrap_or(DEFAULT_DIRT)
}

/// The colour under the pointer; nothing where the ray meets no voxel.
pub fn pick_color(document: &Snapshot, ray: &Ray) -> Option<Rgb> {
    raycast(document.store(), ray).map(|hit| color_at(document, hit.pos))
}

/// The point of the line through `origin` along `axis` that is nearest to the ray, as voxels from `origin`.
///
/// Nothing where both run nearly the same way.
pub fn along_axis(ray: &Ray, origin: Vec3, axis: IVec3) -> Option<f32> {
    let axis = axis.as_vec3();
    let cosine = axis.dot(ray.direction);
    let spread = 1.0 - cosine * cosine;
    if spread < 1e-4 {
        return None;
    }
    let between = origin - ray.origin;
    let along = (cosine * between.dot(ray.direction) - between.dot(axis)) / spread;
    along.is_finite().then_some(along)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, GameProfile};
    use crate::voxel::{StoreEdit, Voxel};

    fn pillar() -> Document {
        let mut store = Store::new(Region::of_size(IVec3::new(16, 16, 16)));
        let mut edit = StoreEdit::new(&store);
        edit.set(IVec3::new(5, 5, 10), Some(Voxel::new(Rgb::new(1, 2, 3))));
        edit.set(IVec3::new(5, 5, 11), Some(Voxel::HIDDEN));
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::ACE_OF_SPADES)
    }

    fn down(x: f32, y: f32) -> Ray {
        Ray::new(Vec3::new(x + 0.5, y + 0.5, -10.0), Vec3::Z)
    }

    #[test]
    fn without_a_voxel_the_plane_under_the_map_is_met_within_its_columns_only() {
        let store = pillar().store().clone();
        let pick_at = |x, y| pick(&store, &down(x, y));
        assert_eq!(pick_at(5.0, 5.0), Some(Pick { pos: IVec3::new(5, 5, 10), face: Face::MinusZ, solid: true }));
        let plane = pick_at(2.0, 3.0).unwrap();
        assert_eq!(
            (plane.pos, plane.target(Mode::Add), plane.target(Mode::Remove)),
            (IVec3::new(2, 3, 16), Some(IVec3::new(2, 3, 15)), None)
        );
        assert_eq!(pick_at(-1.0, 3.0), None);
        assert_eq!(pick(&store, &Ray::new(Vec3::new(2.5, 2.5, 8.0), Vec3::NEG_Z)), None);
    }

    #[test]
    fn a_color_that_nobody_knows_is_taken_from_above_or_from_the_document() {
        let mut document = pillar();
        assert_eq!(color_at(&document, IVec3::new(5, 5, 11)), Rgb::new(1, 2, 3));
        assert_eq!(color_at(&document, IVec3::new(6, 5, 11)), DEFAULT_DIRT);
        document.dirt = Some(Rgb::new(9, 9, 9));
        assert_eq!(color_at(&document, IVec3::new(5, 5, 11)), Rgb::new(9, 9, 9));
    }

    #[test]
    fn the_nearest_point_on_an_axis_follows_the_ray() {
        let ray = Ray::new(Vec3::new(-10.0, 0.0, 3.0), Vec3::X);
        assert_eq!(along_axis(&ray, Vec3::ZERO, IVec3::Z), Some(3.0));
        assert_eq!(along_axis(&ray, Vec3::ZERO, IVec3::NEG_Z), Some(-3.0));
        assert_eq!(along_axis(&ray, Vec3::ZERO, IVec3::X), None);
    }
}
