//! Integer boxes: [`Region`] in space and [`ColumnRect`] in the plan view.
//!
//! Both are half-open and cannot be inverted. Callers are everywhere above.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::VoxelPos;

/// A half-open box of voxels: `min <= p < max` on every axis.
///
/// ```
/// use spadework::geom::Region;
/// use glam::IVec3;
/// let a = Region::new(IVec3::ZERO, IVec3::new(4, 4, 2));
/// assert_eq!(a.volume(), 32);
/// assert!(a.contains(IVec3::new(3, 3, 1)));
/// assert!(!a.contains(IVec3::new(4, 0, 0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[[i32; 3]; 2]", into = "[[i32; 3]; 2]")]
pub struct Region {
    // Invariant: min <= max on every axis.
    min: IVec3,
    max: IVec3,
}

impl Region {
    /// The region without any voxel.
    pub const EMPTY: Self = Self { min: IVec3::ZERO, max: IVec3::ZERO };

    /// The box between two corners, given in any order; `max` is exclusive.
    pub fn new(a: VoxelPos, b: VoxelPos) -> Self {
        Self { min: a.min(b), max: a.max(b) }
    }

    /// The smallest box that holds both voxels.
    pub fn between(a: VoxelPos, b: VoxelPos) -> Self {
        Self { min: a.min(b), max: a.max(b).saturating_add(IVec3::ONE) }
    }

    /// The box of `size` voxels at the origin; negative sizes count as 0.
    pub fn of_size(size: IVec3) -> Self {
        Self { min: IVec3::ZERO, max: size.max(IVec3::ZERO) }
    }

    /// Corner of the smallest coordinates, inclusive.
    pub fn min(&self) -> VoxelPos {
        self.min
    }

    /// Corner of the largest coordinates, exclusive.
    pub fn max(&self) -> VoxelPos {
        self.max
    }

    /// Extent in voxels on each axis, never negative.
    pub fn size(&self) -> IVec3 {
        self.max.saturating_sub(self.min)
    }

    /// Number of voxels.
    pub fn volume(&self) -> u64 {
        let [x, y, z] = self.size().to_array().map(|side| u64::try_from(side).unwrap_or(0));
        x.saturating_mul(y).saturating_mul(z)
    }

    /// Whether there is no voxel inside.
    pub fn is_empty(&self) -> bool {
        self.size().cmple(IVec3::ZERO).any()
    }

    /// Whether the voxel lies inside.
    pub fn contains(&self, pos: VoxelPos) -> bool {
        pos.cmpge(self.min).all() && pos.cmplt(self.max).all()
    }

    /// Whether every voxel of `other` lies inside.
    pub fn contains_region(&self, other: &Self) -> bool {
        other.is_empty() || (other.min.cmpge(self.min).all() && other.max.cmple(self.max).all())
    }

    /// The voxels that lie in both.
    pub fn intersection(&self, other: &Self) -> Self {
        let min = self.min.max(other.min);
        Self { min, max: self.max.min(other.max).max(min) }
    }

    /// The smallest box around both; an empty one counts for nothing.
    pub fn union(&self, other: &Self) -> Self {
        if self.is_empty() {
            return *other;
        }
        if other.is_empty() {
            return *self;
        }
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The box grown by `by` voxels on all six sides (shrunk where negative).
    pub fn grown(&self, by: i32) -> Self {
        let min = self.min.saturating_sub(IVec3::splat(by));
        Self { min, max: self.max.saturating_add(IVec3::splat(by)).max(min) }
    }

    /// The box moved by `by`.
    pub fn shifted(&self, by: IVec3) -> Self {
        Self { min: self.min.saturating_add(by), max: self.max.saturating_add(by) }
    }

    /// Every voxel position inside, z fastest, then x, then y.
    pub fn positions(&self) -> impl Iterator<Item = VoxelPos> + use<> {
        let (min, max) = (self.min, self.max);
        (min.y..max.y).flat_map(move |y| (min.x..max.x).flat_map(move |x| (min.z..max.z).map(move |z| IVec3::new(x, y, z))))
    }

    /// The plan view of the box.
    pub fn columns(&self) -> ColumnRect {
        ColumnRect::new([self.min.x, self.min.y], [self.max.x, self.max.y])
    }
}

impl From<[[i32; 3]; 2]> for Region {
    fn from([a, b]: [[i32; 3]; 2]) -> Self {
        Self::new(a.into(), b.into())
    }
}

impl From<Region> for [[i32; 3]; 2] {
    fn from(region: Region) -> Self {
        [region.min.to_array(), region.max.to_array()]
    }
}

/// A half-open rectangle of columns: `min <= (x, y) < max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[[i32; 2]; 2]", into = "[[i32; 2]; 2]")]
pub struct ColumnRect {
    // Invariant: min <= max on both axes.
    min: [i32; 2],
    max: [i32; 2],
}

impl ColumnRect {
    /// The rectangle between two corners, given in any order; `max` is exclusive.
    pub fn new(a: [i32; 2], b: [i32; 2]) -> Self {
        Self { min: [a[0].min(b[0]), a[1].min(b[1])], max: [a[0].max(b[0]), a[1].max(b[1])] }
    }

    /// Corner of the smallest x and y, inclusive.
    pub fn min(&self) -> [i32; 2] {
        self.min
    }

    /// Corner of the largest x and y, exclusive.
    pub fn max(&self) -> [i32; 2] {
        self.max
    }

    /// Extent in columns, never negative.
    pub fn size(&self) -> [i32; 2] {
        [self.max[0].saturating_sub(self.min[0]), self.max[1].saturating_sub(self.min[1])]
    }

    /// Number of columns.
    pub fn area(&self) -> u64 {
        let [x, y] = self.size().map(|side| u64::try_from(side).unwrap_or(0));
        x.saturating_mul(y)
    }

    /// Whether there is no column inside.
    pub fn is_empty(&self) -> bool {
        self.area() == 0
    }

    /// Whether the column lies inside.
    pub fn contains(&self, x: i32, y: i32) -> bool {
        x >= self.min[0] && x < self.max[0] && y >= self.min[1] && y < self.max[1]
    }

    /// The columns that lie in both.
    pub fn intersection(&self, other: &Self) -> Self {
        let min = [self.min[0].max(other.min[0]), self.min[1].max(other.min[1])];
        Self { min, max: [self.max[0].min(other.max[0]).max(min[0]), self.max[1].min(other.max[1]).max(min[1])] }
    }

    /// Every column `[x, y]` inside, x fastest.
    pub fn columns(&self) -> impl Iterator<Item = [i32; 2]> + use<> {
        let (min, max) = (self.min, self.max);
        (min[1]..max[1]).flat_map(move |y| (min[0]..max[0]).map(move |x| [x, y]))
    }
}

impl From<[[i32; 2]; 2]> for ColumnRect {
    fn from([a, b]: [[i32; 2]; 2]) -> Self {
        Self::new(a, b)
    }
}

impl From<ColumnRect> for [[i32; 2]; 2] {
    fn from(rect: ColumnRect) -> Self {
        [rect.min, rect.max]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_in_any_order_make_the_same_region() {
        let (a, b) = (IVec3::new(5, 0, 9), IVec3::new(1, 7, 2));
        assert_eq!(Region::new(a, b), Region::new(b, a));
        assert_eq!(Region::new(a, b).size(), IVec3::new(4, 7, 7));
        assert_eq!(Region::between(a, a).volume(), 1);
    }

    #[test]
    fn disjoint_regions_have_an_empty_intersection() {
        let a = Region::of_size(IVec3::splat(4));
        let b = a.shifted(IVec3::new(10, 0, 0));
        assert!(a.intersection(&b).is_empty());
        assert_eq!(a.union(&Region::EMPTY), a);
    }

    #[test]
    fn positions_visit_each_voxel_once() {
        let region = Region::new(IVec3::new(-1, 2, 0), IVec3::new(2, 4, 3));
        let mut seen: Vec<_> = region.positions().collect();
        assert_eq!(seen.len() as u64, region.volume());
        seen.sort_by_key(|p| p.to_array());
        seen.dedup();
        assert_eq!(seen.len() as u64, region.volume());
    }
}
