//! Shapes turned into voxels: lines, boxes, balls and cylinders.
//!
//! Brushes and straight lines are made of these. Everything is whole numbers, so that a shape is the
//! same on every machine.

use std::ops::Range;

use glam::IVec3;

use super::{Face, Region, Solid, SolidKind, VoxelPos};

/// The voxels of a line from `a` to `b`, both included: one voxel a step of the longest axis.
///
/// Neighbouring voxels touch at least at a corner.
///
/// ```
/// use glam::IVec3;
/// use spadework::geom::raster::line;
/// let voxels: Vec<_> = line(IVec3::ZERO, IVec3::new(3, 1, 0)).map(|pos| pos.y).collect();
/// assert_eq!(voxels, [0, 0, 1, 1]);
/// ```
pub fn line(a: VoxelPos, b: VoxelPos) -> impl Iterator<Item = VoxelPos> + use<> {
    let steps = line_steps(a, b);
    let from = a.to_array().map(i128::from);
    let delta = [0, 1, 2].map(|axis| i128::from(b[axis]) - from[axis]);
    (0..=steps).map(move |step| {
        let at = [0, 1, 2].map(|axis| match i128::from(steps) {
            0 => from[axis],
            // To the nearest whole voxel.
            steps => from[axis] + (2 * delta[axis] * i128::from(step) + steps).div_euclid(2 * steps),
        });
        // Between `a` and `b`, both of which fit.
        IVec3::from_array(at.map(|value| value as i32))
    })
}

/// Steps of [`line()`]: one less than its voxels.
pub fn line_steps(a: VoxelPos, b: VoxelPos) -> u64 {
    [0, 1, 2].map(|axis| u64::from(a[axis].abs_diff(b[axis]))).into_iter().max().unwrap_or(0)
}

/// A convex shape around the origin: one run of voxels a column.
///
/// A shape of size `n` covers `-(n / 2) .. n - n / 2` on each axis: odd sizes have a middle voxel, even
/// ones lie half a voxel towards the smaller coordinates (up, for z).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    size: IVec3,
    /// `[y * size.x + x]`: z of the run, from 0; empty where the column is.
    runs: Box<[Range<i32>]>,
}

impl Footprint {
    /// The voxels whose centres lie within `size / 2` of the middle.
    pub fn ball(size: u32) -> Self {
        Self::new(size, |size, square| {
            let within = |z: &i32| square + from_middle(*z, size).pow(2) <= size.pow(2);
            let top = (0..size).find(within).unwrap_or(size);
            top..(size - top).max(top)
        })
    }

    /// All voxels.
    pub fn cube(size: u32) -> Self {
        Self::new(size, |size, _| 0..size)
    }

    /// An upright cylinder: the columns whose centres lie within `size / 2` of the middle.
    pub fn cylinder(size: u32) -> Self {
        Self::new(size, |size, square| 0..if square <= size.pow(2) { size } else { 0 })
    }

    /// A convex solid of a base `size` wide and so many voxels high, its top towards `up`.
    pub fn solid(kind: SolidKind, size: u32, height: u32, up: Face) -> Self {
        let side = |voxels: u32| voxels.clamp(1, 1024) as i32;
        let mut sides = IVec3::splat(side(size));
        sides[up.axis().index()] = side(height);
        let solid = Solid::new(kind, IVec3::ZERO, sides - 1, up, None);
        let columns = (0..sides.y).flat_map(|y| (0..sides.x).map(move |x| (x, y)));
        let run = |(x, y)| {
            let inside = |z: &i32| solid.contains(IVec3::new(x, y, *z));
            let Some(top) = (0..sides.z).find(inside) else { return 0..0 };
            top..(top..sides.z).rev().find(inside).map_or(top, |bottom| bottom + 1)
        };
        Self { size: sides, runs: columns.map(run).collect() }
    }

    /// `run` is given the size and the square of the column's distance from the middle, in half voxels.
    fn new(size: u32, run: impl Fn(i32, i32) -> Range<i32>) -> Self {
        // Larger than any brush; keeps the squares within range.
        let size = size.clamp(1, 1024) as i32;
        let square = |x, y| from_middle(x, size).pow(2) + from_middle(y, size).pow(2);
        let runs = (0..size).flat_map(|y| (0..size).map(move |x| (x, y))).map(|(x, y)| run(size, square(x, y))).collect();
        Self { size: IVec3::splat(size), runs }
    }

    /// Sides of the box around it.
    pub fn size(&self) -> IVec3 {
        self.size
    }

    /// The box around the shape with its middle at `center`.
    pub fn region(&self, center: VoxelPos) -> Region {
        let min = center.saturating_sub(self.size / 2);
        Region::new(min, min.saturating_add(self.size))
    }

    /// z of the voxels in a column of the shape with its middle at `center`; empty where there are none.
    pub fn run(&self, center: VoxelPos, x: i32, y: i32) -> Range<i32> {
        let min = self.region(center).min();
        let (column_x, column_y) = (x.saturating_sub(min.x), y.saturating_sub(min.y));
        if column_x < 0 || column_x >= self.size.x || column_y < 0 || column_y >= self.size.y {
            return 0..0;
        }
        let run = self.runs.get((column_y * self.size.x + column_x) as usize).cloned().unwrap_or(0..0);
        min.z.saturating_add(run.start)..min.z.saturating_add(run.end)
    }

    /// Every column of the shape with its middle at `center`: x, y and the z of its voxels.
    pub fn runs(&self, center: VoxelPos) -> impl Iterator<Item = (i32, i32, Range<i32>)> + '_ {
        let columns = self.region(center).columns().columns();
        columns.map(move |[x, y]| (x, y, self.run(center, x, y))).filter(|(_, _, run)| !run.is_empty())
    }
}

/// Distance of the voxel `index` from the middle of `size` voxels, in half voxels.
fn from_middle(index: i32, size: i32) -> i32 {
    2 * index + 1 - size
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The layers of a shape from the top down, `/` between rows and blank lines between layers.
    #[track_caller]
    fn check(footprint: &Footprint, expected: &[&str]) {
        let region = footprint.region(IVec3::ZERO);
        let row = |y, z| -> String {
            (region.min().x..region.max().x).map(|x| if footprint.run(IVec3::ZERO, x, y).contains(&z) { '#' } else { '.' }).collect()
        };
        let layer = |z| (region.min().y..region.max().y).map(|y| row(y, z)).collect::<Vec<_>>().join("/");
        let layers: Vec<String> = (region.min().z..region.max().z).map(layer).collect();
        assert_eq!(layers, expected);
    }

    #[test]
    fn balls_of_small_sizes_are_round() {
        check(&Footprint::ball(1), &["#"]);
        check(&Footprint::ball(2), &["##/##", "##/##"]);
        check(&Footprint::ball(3), &[".#./###/.#.", "###/###/###", ".#./###/.#."]);
        check(&Footprint::ball(4), &["..../.##./.##./....", ".##./####/####/.##.", ".##./####/####/.##.", "..../.##./.##./...."]);
        let (tip, wide) = ("...../.###./.###./.###./.....", ".###./#####/#####/#####/.###.");
        check(&Footprint::ball(5), &[tip, wide, wide, wide, tip]);
    }

    #[test]
    fn cylinders_stand_upright_and_cubes_are_full() {
        let disc = ".##./####/####/.##.";
        check(&Footprint::cylinder(1), &["#"]);
        check(&Footprint::cylinder(4), &[disc; 4]);
        check(&Footprint::cylinder(5), &[".###./#####/#####/#####/.###."; 5]);
        check(&Footprint::cube(2), &["##/##", "##/##"]);
    }

    #[test]
    fn solids_lie_and_point_along_their_axis() {
        let cone = |up| Footprint::solid(SolidKind::Cone, 3, 2, up);
        check(&cone(Face::MinusZ), &[".../.#./...", "###/###/###"]);
        check(&cone(Face::PlusZ), &["###/###/###", ".../.#./..."]);
        check(&cone(Face::PlusX), &["#./#./#.", "#./##/#.", "#./#./#."]);
        check(&Footprint::solid(SolidKind::Cylinder, 4, 1, Face::MinusY), &[".##.", "####", "####", ".##."]);
        for size in [1, 2, 5, 8] {
            let upright = Footprint::solid(SolidKind::Cylinder, size, size, Face::MinusZ);
            assert_eq!(upright, Footprint::cylinder(size), "{size}");
        }
    }

    #[test]
    fn even_sizes_reach_further_to_the_smaller_coordinates() {
        assert_eq!(Footprint::cube(4).region(IVec3::splat(10)), Region::new(IVec3::splat(8), IVec3::splat(12)));
        assert_eq!(Footprint::cube(3).region(IVec3::splat(10)), Region::new(IVec3::splat(9), IVec3::splat(12)));
    }

    #[test]
    fn the_ends_of_the_number_range_neither_overflow_nor_hang() {
        let (low, high) = (IVec3::splat(i32::MIN), IVec3::splat(i32::MAX));
        assert_eq!(line(low, high).nth(1), Some(low + 1));
        assert_eq!(line_steps(low, high), u64::from(u32::MAX));
        for center in [low, high] {
            Footprint::ball(64).runs(center).for_each(drop);
        }
    }

    proptest! {
        #[test]
        fn a_line_begins_and_ends_at_its_points_and_never_jumps(
            a in prop::array::uniform3(-50..50_i32),
            b in prop::array::uniform3(-50..50_i32),
        ) {
            let (a, b) = (IVec3::from(a), IVec3::from(b));
            let voxels: Vec<_> = line(a, b).collect();
            prop_assert_eq!(voxels.first(), Some(&a));
            prop_assert_eq!(voxels.last(), Some(&b));
            prop_assert_eq!(voxels.len() as u64, line_steps(a, b) + 1);
            for pair in voxels.windows(2) {
                prop_assert_eq!((pair[1] - pair[0]).abs().max_element(), 1);
            }
        }

        #[test]
        fn a_ball_holds_the_voxels_near_its_middle(size in 1..=64_u32, at in prop::array::uniform3(-35..35_i32)) {
            let (ball, at) = (Footprint::ball(size), IVec3::from(at));
            let middle = if size % 2 == 0 { 0 } else { 1 };
            let square: i32 = (at * 2 + 1 - middle).to_array().iter().map(|side| side * side).sum();
            prop_assert_eq!(ball.run(IVec3::ZERO, at.x, at.y).contains(&at.z), square <= (size * size) as i32);
        }
    }
}
