//! How high the land is: one height for each column, before anything overhangs or is built.
//!
//! All is drawn for the western half in plan units; near the seam in the middle both halves are
//! blended, so that half a turn brings the island onto itself without a step.

use glam::{IVec3, Vec2};

use super::Plan;
use crate::terrain::noise::{Noise, mix, smooth};

/// Where the western keep stands, in plan units.
pub(super) const BASE: Vec2 = Vec2::new(-194.0, 0.0);
/// Height of the ground around the keep.
pub(super) const BASE_HEIGHT: f32 = 6.0;
/// Height of the bridge and of the tunnel floor.
pub(super) const BRIDGE_HEIGHT: f32 = 11.0;
/// Top of the snowy peak.
const PEAK: Vec2 = Vec2::new(-98.0, -132.0);
/// Top of the round, wooded hill.
const HILL: Vec2 = Vec2::new(-128.0, 128.0);
/// Half of the width over which the halves are blended.
const SEAM: f32 = 24.0;

/// Heights and what else is known of each column.
pub(super) struct Relief {
    pub(super) plan: Plan,
    fields: Fields,
    /// `[y * size.x + x]`: height of the ground over the water plane; below 0 is the sea floor.
    heights: Vec<f32>,
    /// The same for how wooded it is, 0..=1.
    woods: Vec<f32>,
}

impl Relief {
    pub(super) fn new(size: IVec3, seed: u64) -> Self {
        let plan = Plan { size };
        let fields = Fields::new(seed);
        let (width, count) = (size.x as usize, size.x as usize * size.y as usize);
        let (mut heights, mut woods) = (vec![0.0; count], vec![0.0; count]);
        // A place and its twin have indices that add up to `count - 1`.
        for index in 0..count {
            let (x, y) = ((index % width) as i32, (index / width) as i32);
            if x > size.x - 1 - x {
                continue;
            }
            let point = plan.point(x, y);
            let height = blended(point, |point| fields.height(point)).min(60.0);
            let wood = blended(point, |point| fields.wood(point));
            for index in [index, count - 1 - index] {
                heights[index] = height;
                woods[index] = wood;
            }
        }
        Self { plan, fields, heights, woods }
    }

    fn index(&self, x: i32, y: i32) -> usize {
        let size = self.plan.size;
        y.clamp(0, size.y - 1) as usize * size.x as usize + x.clamp(0, size.x - 1) as usize
    }

    /// Height of the ground over the water plane; outside the map as at its edge.
    pub(super) fn height(&self, x: i32, y: i32) -> f32 {
        self.heights[self.index(x, y)]
    }

    /// How wooded it is, 0..=1.
    pub(super) fn wood(&self, x: i32, y: i32) -> f32 {
        self.woods[self.index(x, y)]
    }

    /// Rise of the ground in voxels for each voxel of way.
    pub(super) fn slope(&self, x: i32, y: i32) -> f32 {
        let east = self.height(x + 2, y) - self.height(x - 2, y);
        let south = self.height(x, y + 2) - self.height(x, y - 2);
        (east * east + south * south).sqrt() / 4.0
    }

    /// How far a place is from the middle of the road, in plan units; far away where there is none.
    pub(super) fn road_distance(&self, point: Vec2) -> f32 {
        self.fields.road_distance(point)
    }

    /// Middle of the road at `x`, as y; both in plan units.
    pub(super) fn road(&self, x: f32) -> f32 {
        self.fields.road(x)
    }

    /// Middle of the river at `y`, as x; both in plan units.
    pub(super) fn river(&self, y: f32) -> f32 {
        self.fields.river(y)
    }
}

/// Height of the road at `x` in plan units.
pub(super) fn road_height(x: f32) -> f32 {
    mix(BRIDGE_HEIGHT, BASE_HEIGHT, smooth(112.0, 168.0, x.abs()))
}

/// A field of the western half, carried over the seam.
fn blended(point: Vec2, field: impl Fn(Vec2) -> f32) -> f32 {
    match smooth(-SEAM, SEAM, point.x) {
        0.0 => field(point),
        share => mix(field(point), field(-point), share),
    }
}

struct Fields {
    coast: Noise,
    rolling: Noise,
    crags: Noise,
    mesa: Noise,
    bends: Noise,
    wood: Noise,
}

impl Fields {
    fn new(seed: u64) -> Self {
        let field = |number| Noise::new(seed, number);
        Self { coast: field(1), rolling: field(2), crags: field(3), mesa: field(4), bends: field(5), wood: field(6) }
    }

    /// A bend that is odd about 0: half a turn brings it onto itself.
    fn bend(&self, at: f32, row: f32) -> f32 {
        self.bends.plane(Vec2::new(at, row)) - self.bends.plane(Vec2::new(-at, row))
    }

    fn river(&self, y: f32) -> f32 {
        24.0 * self.bend(y / 74.0, 0.5) + 7.0 * self.bend(y / 27.0, 3.5)
    }

    fn road(&self, x: f32) -> f32 {
        let free = smooth(24.0, 60.0, x.abs()) * smooth(168.0, 130.0, x.abs());
        16.0 * free * self.bend(x / 62.0, 7.5)
    }

    fn road_distance(&self, point: Vec2) -> f32 {
        if point.x.abs() > 172.0 { f32::INFINITY } else { (point.y - self.road(point.x)).abs() }
    }

    /// Above 0 on land; the coast is where it is 0.
    fn land(&self, point: Vec2) -> f32 {
        let part = (point / Vec2::new(250.0, 214.0)).abs();
        let (x, y) = (part.x * part.x * part.x, part.y * part.y * part.y);
        let bays = 0.5 * self.coast.fractal(point / 84.0, 5) + 0.34 * self.coast.plane(point / 120.0 + 30.0);
        let shape = 1.05 * (1.0 - x - y) + bays;
        let islets = 0.9 * self.coast.fractal(point / 34.0 + 60.0, 4) - 0.38;
        let rim = (246.0 - point.x.abs().max(point.y.abs())) / 24.0;
        shape.max(islets.min(shape + 0.75)).min(rim)
    }

    /// How much a place belongs to the mesa in the middle, 0..=1.
    fn mesa(&self, point: Vec2) -> f32 {
        let wobble = 34.0 * self.mesa.fractal(point / 62.0, 4);
        smooth(104.0, 84.0, (point * Vec2::new(1.0, 0.55 + 0.003 * point.x.abs())).length() + wobble)
            * smooth(104.0, 84.0, point.y.abs() + wobble)
    }

    fn wood(&self, point: Vec2) -> f32 {
        let hill = smooth(90.0, 30.0, point.distance(HILL));
        smooth(-0.05, 0.4, self.wood.fractal(point / 74.0, 3) + 0.4 * hill)
    }

    fn height(&self, point: Vec2) -> f32 {
        let land = self.land(point);
        if land < -0.6 {
            return land * 34.0;
        }
        let mut height = if land < 0.0 { land * 34.0 } else { 0.6 + land.min(0.12) * 14.0 + 4.0 * smooth(0.08, 0.6, land) };
        let inland = smooth(0.02, 0.35, land);
        height += inland * 3.4 * self.rolling.fractal(point / 58.0, 4).max(-0.6);

        let hill = smooth(86.0, 0.0, point.distance(HILL));
        height += inland * 15.0 * hill * (0.9 + 0.4 * self.rolling.fractal(point / 30.0, 3));

        let crag = 1.0 - (self.crags.fractal(point / 52.0, 5) * 1.7).abs();
        let peak = (1.0 - point.distance(PEAK) / 108.0 + 0.14 * self.crags.fractal(point / 40.0, 3)).max(0.0);
        height += smooth(-0.05, 0.2, land) * peak * peak * (36.0 + 20.0 * crag);

        let mesa = self.mesa(point);
        let table = 24.5 + 9.0 * self.mesa.fractal(point / 56.0 + 9.0, 3) + 3.0 * self.rolling.fractal(point / 22.0, 3);
        height = mix(height, height.max(table), mesa);
        height = mix(height, terraced(height), mesa);

        // The river: a gorge in the mesa, a valley elsewhere.
        let from_river = (point.x - self.river(point.y)).abs();
        let width = 11.0 + 3.0 * (self.bends.plane(Vec2::new(point.y.abs() / 33.0, 11.5)) + 1.0);
        let bank = mix(30.0, 5.0, mesa);
        let dry = smooth(width, width + bank, from_river);
        height = mix(height.min(-3.5), height, dry);

        let to_base = point.distance(BASE);
        height = mix(height, BASE_HEIGHT, smooth(58.0, 36.0, to_base));

        // The road is cut into what is low, and leaves to the tunnel what is high.
        let level = road_height(point.x);
        let cut = smooth(10.0, 3.5, self.road_distance(point)) * smooth(level + 9.0, level + 6.0, height) * smooth(0.3, 0.8, dry);
        mix(height, level, cut)
    }
}

/// Steps of six voxels with steep risers.
fn terraced(height: f32) -> f32 {
    let step = height / 6.0;
    6.0 * (step.floor() + smooth(0.3, 0.75, step - step.floor()))
}
