//! The handle of the symmetry's center: where it stands, and where a drag brings it, in half voxels.
//!
//! Not a tool: it can be dragged whatever tool is in the hand. Knows no window.

use glam::{IVec3, Vec3};

use super::pick::along_axis;
use crate::document::{Snapshot, Symmetry, SymmetryKind};
use crate::geom::Ray;

/// Below this share of the view's direction, a level plane is seen too much from its edge to be dragged on.
const EDGE_ON: f32 = 0.08;

/// Where the handle stands: on the ground at the center; nothing without a symmetry.
pub fn center_handle(document: &Snapshot, symmetry: &Symmetry) -> Option<Vec3> {
    if !symmetry.is_on() {
        return None;
    }
    let bounds = document.bounds();
    let [x, y] = symmetry.center;
    let ground = document.store().ground(x.div_euclid(2), y.div_euclid(2), bounds.min().z).unwrap_or(bounds.max().z - 1);
    Some(Vec3::new(x as f32 * 0.5, y as f32 * 0.5, ground as f32))
}

/// The symmetry after its handle was dragged from one ray to another, to the nearest half voxel within the map.
///
/// Mirrors move across their plane only. Nothing where the ray tells nothing.
pub fn dragged_center(document: &Snapshot, symmetry: &Symmetry, from: &Ray, to: &Ray) -> Option<Symmetry> {
    let origin = center_handle(document, symmetry)?;
    let along = |axis: IVec3| Some(along_axis(to, origin, axis)? - along_axis(from, origin, axis)?);
    let level = |ray: &Ray| Some(ray.at(ray.distance_to_plane(2, origin.z)?));
    let is_level = from.direction.z.abs() > EDGE_ON && to.direction.z.abs() > EDGE_ON;
    let by = match symmetry.kind {
        SymmetryKind::Off => return None,
        SymmetryKind::MirrorX => [along(IVec3::X)?, 0.0],
        SymmetryKind::MirrorY => [0.0, along(IVec3::Y)?],
        _ if is_level => {
            let by = level(to)? - level(from)?;
            [by.x, by.y]
        }
        _ => [along(IVec3::X).unwrap_or(0.0), along(IVec3::Y).unwrap_or(0.0)],
    };
    let bounds = document.bounds();
    let [x, y] = [0, 1].map(|axis| {
        // A cast from a float goes to the nearest that there is.
        let halves = symmetry.center[axis].saturating_add((by[axis] * 2.0).round() as i32);
        halves.clamp(bounds.min()[axis].saturating_mul(2), bounds.max()[axis].saturating_mul(2))
    });
    Some(symmetry.clone().centered([x, y]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, GameProfile};
    use crate::geom::Region;
    use crate::voxel::Store;

    fn dragged(kind: SymmetryKind, from: [f32; 2], to: [f32; 2]) -> [i32; 2] {
        let document = Document::new(Store::new(Region::of_size(IVec3::new(64, 32, 8))), &GameProfile::ACE_OF_SPADES);
        let symmetry = Symmetry { kind, center: [64, 32], ..Symmetry::default() };
        let handle = center_handle(&document, &symmetry).unwrap();
        let through = |[x, y]: [f32; 2]| {
            let eye = Vec3::new(20.0, 60.0, -30.0);
            Ray::new(eye, handle + Vec3::new(x, y, 0.0) - eye)
        };
        dragged_center(&document, &symmetry, &through(from), &through(to)).unwrap().center
    }

    #[test]
    fn a_handle_is_dragged_in_half_voxels_along_what_its_symmetry_leaves_free() {
        let check = |kind, to, expected| assert_eq!(dragged(kind, [0.2, 0.1], to), expected, "{kind:?}");
        check(SymmetryKind::Turn180, [0.7, 0.1], [65, 32]);
        check(SymmetryKind::Turn180, [3.2, -2.4], [70, 27]);
        check(SymmetryKind::MirrorBoth, [-4.8, 1.1], [54, 34]);
        check(SymmetryKind::MirrorX, [2.7, 0.1], [69, 32]);
        check(SymmetryKind::MirrorY, [0.2, 2.1], [64, 36]);
        // It stays in the map, and a quarter turn where columns come to columns.
        check(SymmetryKind::Turn180, [300.0, 0.1], [128, 32]);
        let [x, y] = dragged(SymmetryKind::Turn90, [0.0, 0.0], [0.5, 0.0]);
        assert_eq!((x, (x - y).rem_euclid(2)), (65, 0));
    }

    #[test]
    fn without_a_symmetry_there_is_no_handle() {
        let document = Document::new(Store::new(Region::of_size(IVec3::new(64, 32, 8))), &GameProfile::ACE_OF_SPADES);
        let ray = Ray::new(Vec3::new(1.0, 1.0, -9.0), Vec3::Z);
        assert_eq!(center_handle(&document, &Symmetry::default()), None);
        assert_eq!(dragged_center(&document, &Symmetry::default(), &ray, &ray), None);
    }
}
