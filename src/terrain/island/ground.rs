//! What color the ground has: water by depth, sand, grass, forest floor, rock in layers, snow.

use glam::{IVec3, Vec2};

use super::relief::{Relief, road_height};
use crate::terrain::Canvas;
use crate::terrain::noise::{Noise, smooth};
use crate::voxel::Rgb;

const DEEP: Rgb = Rgb::new(24, 70, 112);
const OPEN: Rgb = Rgb::new(36, 104, 146);
const SHALLOW: Rgb = Rgb::new(82, 172, 180);
const SURF: Rgb = Rgb::new(150, 214, 206);
const SAND: Rgb = Rgb::new(226, 206, 154);
const WET_SAND: Rgb = Rgb::new(196, 172, 122);
const LUSH: Rgb = Rgb::new(82, 138, 52);
const MEADOW: Rgb = Rgb::new(126, 164, 66);
const DRY: Rgb = Rgb::new(172, 168, 84);
const FOREST_FLOOR: Rgb = Rgb::new(70, 92, 42);
const ALPINE: Rgb = Rgb::new(118, 128, 84);
const SOIL: Rgb = Rgb::new(122, 88, 58);
const SNOW: Rgb = Rgb::new(238, 242, 248);
const ROAD: Rgb = Rgb::new(172, 148, 110);
const LAYERS: [Rgb; 6] = [
    Rgb::new(168, 120, 84),
    Rgb::new(186, 142, 102),
    Rgb::new(150, 104, 76),
    Rgb::new(200, 164, 122),
    Rgb::new(138, 102, 82),
    Rgb::new(176, 132, 92),
];
const GRAY_LAYERS: [Rgb; 3] = [Rgb::new(126, 122, 120), Rgb::new(142, 138, 134), Rgb::new(112, 108, 108)];
const FLOWERS: [Rgb; 4] = [Rgb::new(226, 84, 76), Rgb::new(240, 204, 72), Rgb::new(236, 232, 226), Rgb::new(158, 104, 190)];

/// The colors of all that was not built.
pub(super) struct Ground<'a> {
    canvas: &'a Canvas,
    relief: &'a Relief,
    broad: Noise,
    grain: Noise,
}

impl<'a> Ground<'a> {
    pub(super) fn new(canvas: &'a Canvas, relief: &'a Relief, seed: u64) -> Self {
        Self { canvas, relief, broad: Noise::new(seed, 30), grain: Noise::new(seed, 31) }
    }

    /// Color of a voxel `height` over the water plane.
    pub(super) fn color(&self, x: i32, y: i32, height: i32) -> Rgb {
        let point = Vec2::new(x as f32, y as f32);
        let grain = self.grain.chance(IVec3::new(x, y, height)) - 0.5;
        if height == 0 {
            return lit(self.water(x, y, point), grain * 0.05);
        }
        let ground = self.relief.height(x, y);
        let (depth, slope) = (ground - height as f32, self.relief.slope(x, y));
        let broken = self.broad.fractal(point / 19.0, 3);
        let open = !self.canvas.is_solid(x, y, height + 1);
        if slope > 1.15 + 0.25 * broken || depth > 3.5 {
            let bright = if open { 0.06 } else { 0.0 };
            return lit(self.rock(point, height), grain * 0.09 + bright);
        }
        if depth > 1.2 {
            return lit(SOIL, grain * 0.12);
        }
        let level = height as f32 + 2.5 * broken;
        let plan = self.relief.plan.point(x, y);
        if self.relief.road_distance(plan) < 2.9 + broken && (road_height(plan.x) - height as f32).abs() < 2.5 {
            return lit(ROAD, grain * 0.16);
        }
        if ground + 1.1 * broken < 2.3 {
            let wet = smooth(2.0, 0.8, ground);
            return lit(SAND.mixed(WET_SAND, wet), grain * 0.06);
        }
        let snow = smooth(30.0, 34.0, level);
        if snow > 0.5 {
            return lit(SNOW, grain * 0.04 - 0.03);
        }
        let (grass, spread) = self.grass(x, y, point, height);
        lit(grass.mixed(ALPINE, smooth(24.0, 31.0, level)), grain * spread)
    }

    fn water(&self, x: i32, y: i32, point: Vec2) -> Rgb {
        let depth = -self.relief.height(x, y);
        let depth = depth + 1.3 * self.broad.fractal(point / 24.0, 3);
        if depth < 0.6 {
            return SURF;
        }
        let near = SURF.mixed(SHALLOW, smooth(0.6, 2.4, depth));
        near.mixed(OPEN, smooth(1.8, 9.0, depth)).mixed(DEEP, smooth(8.0, 24.0, depth))
    }

    fn grass(&self, x: i32, y: i32, point: Vec2, height: i32) -> (Rgb, f32) {
        let hue = self.broad.fractal(point / 68.0 + 20.0, 4);
        let green = if hue < 0.0 { MEADOW.mixed(LUSH, -hue * 2.2) } else { MEADOW.mixed(DRY, hue * 1.5) };
        let wood = self.relief.wood(x, y);
        let roll = self.grain.chance(IVec3::new(x, y, height + 100));
        let meadow = self.broad.plane(point / 27.0 + 60.0);
        if roll < 0.035 && wood < 0.2 && meadow > 0.15 {
            let kind = (self.broad.plane(point / 41.0 + 90.0) * 4.0 + 2.0 + roll * 20.0).clamp(0.0, 3.0) as usize;
            return (FLOWERS[kind.min(3)], 0.05);
        }
        (green.mixed(FOREST_FLOOR, wood * 0.75), 0.13)
    }

    fn rock(&self, point: Vec2, height: i32) -> Rgb {
        let warp = 2.6 * self.broad.fractal(point / 40.0 + 7.0, 3);
        let level = height as f32 + warp;
        let warm = LAYERS[(level * 0.55).rem_euclid(6.0).clamp(0.0, 5.0) as usize];
        let gray = GRAY_LAYERS[(level * 0.3).rem_euclid(3.0).clamp(0.0, 2.0) as usize];
        warm.mixed(gray, smooth(20.0, 32.0, level))
    }
}

/// Color of loose rock.
pub(super) fn stone(noise: &Noise, x: i32, y: i32, height: i32) -> Rgb {
    let layer = LAYERS[((height / 2).rem_euclid(6)) as usize];
    lit(layer, (noise.chance(IVec3::new(x, y, height)) - 0.5) * 0.1)
}

/// Lighter by a share above 0, darker by one below.
pub(super) fn lit(color: Rgb, share: f32) -> Rgb {
    if share < 0.0 { color.mixed(Rgb::new(0, 0, 0), -share) } else { color.mixed(Rgb::new(255, 255, 255), share) }
}
