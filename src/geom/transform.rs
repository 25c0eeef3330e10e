//! Turns and mirrors about a place of the map, heights kept or not: where a voxel, a box or a face comes to lie.
//!
//! Symmetry, the turning of selections and clips are made of these. Whole numbers only.

use glam::IVec3;

use super::{ColumnRect, Face, Orientation, Region, VoxelPos};

/// A turn or mirror followed by a move: maps voxels to voxels.
///
/// ```
/// use glam::IVec3;
/// use spadework::geom::{Orientation, Transform};
/// // Half a turn about the middle of a map of 512×512 columns.
/// let half = Orientation::quarter_turn_z().then(Orientation::quarter_turn_z());
/// let turn = Transform::about(half, IVec3::new(512, 512, 0));
/// assert_eq!(turn.voxel(IVec3::new(0, 10, 60)), IVec3::new(511, 501, 60));
/// assert_eq!(turn.then(turn), Transform::IDENTITY);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transform {
    /// How directions turn.
    pub orientation: Orientation,
    /// Where the voxel at the origin goes.
    pub origin: VoxelPos,
}

impl Transform {
    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self { orientation: Orientation::IDENTITY, origin: IVec3::ZERO };

    /// A move by some voxels.
    pub fn shift(by: IVec3) -> Self {
        Self { orientation: Orientation::IDENTITY, origin: by }
    }

    /// A turn or mirror about a point, given in half voxels from the corner of the voxel at the origin.
    ///
    /// The point must be one that the turn maps voxels to voxels about: for a quarter turn both parts
    /// that it exchanges are even or both odd. Else the image lies half a voxel aside.
    pub fn about(orientation: Orientation, center: IVec3) -> Self {
        // The middle of the voxel at the origin lies one half voxel along each axis.
        let middle = IVec3::ONE.saturating_sub(center);
        let origin = orientation.apply(middle).saturating_add(center) - IVec3::ONE;
        Self { orientation, origin: origin.div_euclid(IVec3::splat(2)) }
    }

    /// Where a voxel goes.
    pub fn voxel(&self, pos: VoxelPos) -> VoxelPos {
        self.orientation.apply(clamped(pos)).saturating_add(self.origin)
    }

    /// Where a box goes.
    pub fn region(&self, region: &Region) -> Region {
        if region.is_empty() {
            return Region::EMPTY;
        }
        Region::between(self.voxel(region.min()), self.voxel(region.max() - 1))
    }

    /// Where columns go; the transform keeps heights apart from columns.
    pub fn columns(&self, rect: &ColumnRect) -> ColumnRect {
        let ([x, y], [to_x, to_y]) = (rect.min(), rect.max());
        if rect.is_empty() {
            return *rect;
        }
        self.region(&Region::new(IVec3::new(x, y, 0), IVec3::new(to_x, to_y, 1))).columns()
    }

    /// Where a direction or distance goes.
    pub fn vector(&self, v: IVec3) -> IVec3 {
        self.orientation.apply(clamped(v))
    }

    /// Which side a face comes to lie on.
    pub fn face(&self, face: Face) -> Face {
        let normal = self.orientation.apply(face.normal());
        Face::ALL.into_iter().find(|other| other.normal() == normal).unwrap_or(face)
    }

    /// This one followed by `next`.
    pub fn then(&self, next: Self) -> Self {
        Self { orientation: self.orientation.then(next.orientation), origin: next.voxel(self.origin) }
    }

    /// The one that takes everything back.
    pub fn inverse(&self) -> Self {
        let orientation = self.orientation.inverse();
        Self { orientation, origin: -orientation.apply(clamped(self.origin)) }
    }
}

/// Places at the end of the number range have no opposite: they stay far outside of any map.
fn clamped(v: IVec3) -> IVec3 {
    v.clamp(IVec3::splat(-i32::MAX), IVec3::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geom::Axis;

    #[test]
    fn a_mirror_about_a_voxel_keeps_it_and_one_between_two_exchanges_them() {
        let mirror = |center| Transform::about(Orientation::mirror(Axis::X), IVec3::new(center, 0, 0));
        assert_eq!(mirror(11).voxel(IVec3::new(5, 3, 7)), IVec3::new(5, 3, 7));
        assert_eq!(mirror(11).voxel(IVec3::new(7, 3, 7)), IVec3::new(3, 3, 7));
        assert_eq!(mirror(10).voxel(IVec3::new(5, 3, 7)), IVec3::new(4, 3, 7));
        assert_eq!(mirror(-3).voxel(IVec3::new(-2, 0, 0)), IVec3::new(-2, 0, 0));
    }

    #[test]
    fn the_ends_of_the_number_range_do_not_overflow() {
        for orientation in Orientation::all() {
            let turn = Transform::about(orientation, IVec3::splat(1 << 20));
            for corner in [i32::MIN, i32::MAX] {
                turn.voxel(IVec3::splat(corner));
                turn.region(&Region::new(IVec3::splat(corner), IVec3::ZERO));
            }
        }
    }

    proptest! {
        #[test]
        fn boxes_faces_and_voxels_go_the_same_way_and_back(
            which in 0..48_usize,
            at in prop::array::uniform3(-50..50_i32),
            by in prop::array::uniform3(-9..9_i32),
            size in prop::array::uniform3(1..5_i32),
        ) {
            let turn = Transform { orientation: Orientation::all()[which], origin: IVec3::from(by) };
            let region = Region::of_size(size.into()).shifted(at.into());
            let image = turn.region(&region);
            prop_assert_eq!(image.volume(), region.volume());
            for pos in region.positions() {
                prop_assert!(image.contains(turn.voxel(pos)));
                prop_assert_eq!(turn.inverse().voxel(turn.voxel(pos)), pos);
                for face in Face::ALL {
                    prop_assert_eq!(turn.voxel(pos + face.normal()), turn.voxel(pos) + turn.face(face).normal());
                }
            }
            prop_assert_eq!(turn.then(turn.inverse()), Transform::IDENTITY);
        }
    }
}
