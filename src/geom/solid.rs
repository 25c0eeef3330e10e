//! Solids spanned between two corners: which voxels lie in them. Whole numbers only, so that a solid is the
//! same on every machine and equal to its mirror image.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::{Face, Region, VoxelPos};

/// The form of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolidKind {
    /// All of the box between the corners.
    #[default]
    Box,
    /// The ellipsoid that fills the box.
    Ball,
    /// An ellipse drawn along the upward direction.
    Cylinder,
    /// An ellipse at the base, its middle at the top.
    Cone,
    /// The whole base, its middle at the top.
    Pyramid,
    /// Rises from the side of the first corner to that of the second, along the longer side of its base.
    Ramp,
    /// Stands on the straight line between the corners.
    Wall,
}

impl SolidKind {
    /// All forms, in the order of the switch.
    pub const ALL: [Self; 7] = [Self::Box, Self::Ball, Self::Cylinder, Self::Cone, Self::Pyramid, Self::Ramp, Self::Wall];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Box => "Box",
            Self::Ball => "Ball",
            Self::Cylinder => "Cylinder",
            Self::Cone => "Cone",
            Self::Pyramid => "Pyramid",
            Self::Ramp => "Ramp",
            Self::Wall => "Wall",
        }
    }
}

/// A solid between two corners.
///
/// ```
/// use glam::IVec3;
/// use spadework::geom::{Face, Solid, SolidKind};
/// let ball = Solid::new(SolidKind::Ball, IVec3::ZERO, IVec3::splat(4), Face::MinusZ, None);
/// assert!(ball.contains(IVec3::new(2, 2, 0)) && !ball.contains(IVec3::ZERO));
/// let shell = Solid::new(SolidKind::Ball, IVec3::ZERO, IVec3::splat(4), Face::MinusZ, Some(1));
/// assert!(shell.contains(IVec3::new(2, 2, 0)) && !shell.contains(IVec3::splat(2)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solid {
    kind: SolidKind,
    from: VoxelPos,
    to: VoxelPos,
    up: Face,
    shell: Option<i32>,
    region: Region,
    /// Its three sides, each at least 1: the two of the base, then along `up`.
    size: [i64; 3],
    /// The axes of `size`.
    axes: [usize; 3],
}

impl Solid {
    /// Longest side.
    pub const MAX_SIDE: i32 = 4096;

    /// A solid between two of its voxels; cones and the like point along `up`.
    ///
    /// With a `shell`, only so many voxels from the outside inwards; a wall is that thick instead.
    /// Sides beyond [`MAX_SIDE`](Self::MAX_SIDE) are cut off.
    pub fn new(kind: SolidKind, from: VoxelPos, to: VoxelPos, up: Face, shell: Option<u32>) -> Self {
        let most = IVec3::splat(Self::MAX_SIDE - 1);
        let to = to.clamp(from.saturating_sub(most), from.saturating_add(most));
        let region = Region::between(from, to);
        let upright = up.axis().index();
        let axes = [(upright + 1) % 3, (upright + 2) % 3, upright];
        let size = axes.map(|axis| i64::from(region.size()[axis]));
        let shell = shell.map(|voxels| i32::try_from(voxels).unwrap_or(Self::MAX_SIDE).clamp(1, Self::MAX_SIDE));
        Self { kind, from, to, up, shell, region, size, axes }
    }

    /// The box around it.
    pub fn region(&self) -> Region {
        if self.kind != SolidKind::Wall {
            return self.region;
        }
        // A thick wall reaches beyond its corners.
        let reach = self.shell.unwrap_or(1) / 2;
        let mut more = IVec3::splat(reach);
        more[self.axes[2]] = 0;
        Region::new(self.region.min().saturating_sub(more), self.region.max().saturating_add(more))
    }

    /// Whether the voxel lies in it.
    pub fn contains(&self, pos: VoxelPos) -> bool {
        if self.kind == SolidKind::Wall {
            return self.in_wall(pos);
        }
        let depth = self.shell.unwrap_or(0);
        self.fills(pos)
            && (depth == 0
                || [IVec3::X, IVec3::Y, IVec3::Z]
                    .into_iter()
                    .any(|axis| !self.fills(pos + axis * depth) || !self.fills(pos - axis * depth)))
    }

    /// Whether the voxel lies in the solid without a hollow.
    fn fills(&self, pos: VoxelPos) -> bool {
        if !self.region.contains(pos) {
            return false;
        }
        // Twice the distance of the voxel's middle from the solid's.
        let from_middle = |index: usize| {
            let axis = self.axes[index];
            2 * i64::from(pos[axis] - self.region.min()[axis]) + 1 - self.size[index]
        };
        let [a, b, h] = self.size;
        let (x, y, z) = (from_middle(0), from_middle(1), from_middle(2));
        let layer = self.layer(pos);
        let square = |value: i64| i128::from(value) * i128::from(value);
        // Around the middle, where even sides have two voxels.
        let is_core = x.abs() == 1 - a % 2 && y.abs() == 1 - b % 2;
        // Such a pair stays where the sides have come nearer than it is wide: a narrow base ends in a ridge.
        let narrowed = |value: i64, side: i64| if value.abs() == 1 && h > side * (h - layer) { 0 } else { value };
        match self.kind {
            SolidKind::Box | SolidKind::Wall => true,
            SolidKind::Ball => {
                square(x) * square(b) * square(h) + square(y) * square(a) * square(h) + square(z) * square(a) * square(b)
                    <= square(a) * square(b) * square(h)
            }
            SolidKind::Cylinder => square(x) * square(b) + square(y) * square(a) <= square(a) * square(b),
            SolidKind::Cone => {
                // A disc two wide is a strip.
                let (x, y) = (if a == 2 { 0 } else { x }, if b == 2 { 0 } else { y });
                is_core || (square(x) * square(b) + square(y) * square(a)) * square(h) <= square(a) * square(b) * square(h - layer)
            }
            SolidKind::Pyramid => is_core || (narrowed(x, a).abs() * h <= a * (h - layer) && narrowed(y, b).abs() * h <= b * (h - layer)),
            SolidKind::Ramp => {
                let along = usize::from(b > a);
                let axis = self.axes[along];
                let step = i64::from((pos[axis] - self.from[axis]).abs());
                layer * self.size[along] < (step + 1) * h
            }
        }
    }

    /// Layers below the voxel, counted along `up`.
    fn layer(&self, pos: VoxelPos) -> i64 {
        let axis = self.axes[2];
        let normal = self.up.normal()[axis];
        i64::from(if normal > 0 { pos[axis] - self.region.min()[axis] } else { self.region.max()[axis] - 1 - pos[axis] })
    }

    fn in_wall(&self, pos: VoxelPos) -> bool {
        let upright = self.axes[2];
        if pos[upright] < self.region.min()[upright] || pos[upright] >= self.region.max()[upright] {
            return false;
        }
        let thickness = i64::from(self.shell.unwrap_or(1));
        let longer = usize::from(self.size[1] > self.size[0]);
        let (run, side) = (self.axes[longer], self.axes[1 - longer]);
        let steps = i64::from((self.to[run] - self.from[run]).abs());
        let step = if self.to[run] >= self.from[run] { pos[run] - self.from[run] } else { self.from[run] - pos[run] };
        let step = i64::from(step);
        if step < 0 || step > steps {
            return false;
        }
        // Distance from the line at this step, in voxels times the steps; halves lean the way that the line goes.
        let rise = i64::from(self.to[side] - self.from[side]);
        let aside = i64::from(pos[side] - self.from[side]) * steps.max(1) - rise * step;
        let reach = thickness * steps.max(1);
        2 * aside.abs() < reach || (2 * aside.abs() == reach && (aside > 0) == (rise >= 0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;
    use crate::geom::{Axis, Orientation, Transform};

    /// The layers of a solid from the top down, `/` between rows.
    #[track_caller]
    fn check(kind: SolidKind, to: [i32; 3], shell: Option<u32>, expected: &[&str]) {
        let solid = Solid::new(kind, IVec3::ZERO, to.into(), Face::MinusZ, shell);
        let region = solid.region();
        let cell = |x, y, z| if solid.contains(IVec3::new(x, y, z)) { '#' } else { '.' };
        let row = |y, z| (region.min().x..region.max().x).map(|x| cell(x, y, z)).collect::<String>();
        let layer = |z| (region.min().y..region.max().y).map(|y| row(y, z)).collect::<Vec<_>>().join("/");
        let layers: Vec<_> = (region.min().z..region.max().z).map(layer).collect();
        assert_eq!(layers, expected);
    }

    #[test]
    fn solids_are_drawn_exactly() {
        check(SolidKind::Box, [2, 1, 0], None, &["###/###"]);
        check(SolidKind::Box, [2, 2, 2], Some(1), &["###/###/###", "###/#.#/###", "###/###/###"]);
        check(SolidKind::Ball, [2, 2, 2], None, &[".#./###/.#.", "###/###/###", ".#./###/.#."]);
        check(SolidKind::Cylinder, [3, 3, 1], None, &[".##./####/####/.##."; 2]);
        check(SolidKind::Cylinder, [3, 3, 2], Some(1), &[".##./####/####/.##.", ".##./#..#/#..#/.##.", ".##./####/####/.##."]);
        check(
            SolidKind::Pyramid,
            [4, 4, 2],
            None,
            &["...../...../..#../...../.....", "...../.###./.###./.###./.....", "#####/#####/#####/#####/#####"],
        );
        // A base of two by eight narrows to its tip, too.
        let narrow = ["...##.../...##...", "..####../..####..", ".######./.######.", "########/########"];
        check(SolidKind::Pyramid, [7, 1, 3], None, &narrow);
        check(SolidKind::Cone, [7, 1, 3], None, &narrow);
        check(SolidKind::Ramp, [3, 0, 1], None, &["..##", "####"]);
        check(SolidKind::Ramp, [-3, 0, 1], None, &["##..", "####"]);
        check(SolidKind::Wall, [4, 2, 0], Some(1), &["#..../.##../...##"]);
    }

    #[test]
    fn cones_and_pyramids_narrow_to_their_middle() {
        for (kind, side, other) in [SolidKind::Cone, SolidKind::Pyramid]
            .into_iter()
            .flat_map(|kind| (1..12).flat_map(move |side| [1, 2, 3, 4, 9, side].map(|other| (kind, side, other))))
        {
            let solid = Solid::new(kind, IVec3::ZERO, IVec3::new(side - 1, other - 1, 6), Face::MinusZ, None);
            for pos in solid.region().positions().filter(|pos| solid.contains(*pos)) {
                assert!(pos.z == 6 || solid.contains(pos + IVec3::Z), "{kind:?} {side}x{other}: nothing below {pos}");
            }
            let tip = solid.region().positions().filter(|pos| pos.z == 0 && solid.contains(*pos));
            let tip = tip.fold(Region::of_size(IVec3::ZERO), |tip, pos| tip.union(&Region::between(pos, pos))).size();
            assert!(tip.x <= 2 + side / 7 && tip.y <= 2 + other / 7, "{kind:?} {side}x{other}: {tip}");
        }
    }

    proptest! {
        #[test]
        fn hollow_solids_lie_in_solid_ones_and_mirrors_keep_them(
            kind in select(&SolidKind::ALL[..6]), up in select(&Face::ALL[..]),
            from in prop::array::uniform3(-9..9_i32), to in prop::array::uniform3(-9..9_i32), shell in 1..4_u32,
        ) {
            let (from, to) = (IVec3::from(from), IVec3::from(to));
            let solid = Solid::new(kind, from, to, up, None);
            let hollow = Solid::new(kind, from, to, up, Some(shell));
            for pos in solid.region().positions() {
                prop_assert!(solid.contains(pos) || !hollow.contains(pos));
            }
            for axis in Axis::ALL {
                let mirror = Transform::about(Orientation::mirror(axis), IVec3::new(3, -2, 5));
                let image = Solid::new(kind, mirror.voxel(from), mirror.voxel(to), mirror.face(up), Some(shell));
                for pos in hollow.region().positions() {
                    prop_assert_eq!(hollow.contains(pos), image.contains(mirror.voxel(pos)));
                }
            }
        }

        #[test]
        fn balls_are_the_same_from_all_sides(side in 1..20_i32) {
            let ball = Solid::new(SolidKind::Ball, IVec3::ZERO, IVec3::splat(side - 1), Face::MinusZ, None);
            for pos in ball.region().positions() {
                prop_assert_eq!(ball.contains(pos), ball.contains(IVec3::new(pos.y, pos.z, pos.x)));
                prop_assert_eq!(ball.contains(pos), ball.contains(IVec3::splat(side - 1) - pos));
            }
        }
    }
}
