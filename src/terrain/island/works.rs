//! What people built: the bridge, the tunnels, and for each team a keep, watch towers and cottages.

use glam::{IVec2, IVec3, Vec2};

use super::Site;
use super::ground::lit;
use super::relief::{BASE, BASE_HEIGHT, BRIDGE_HEIGHT, Relief, road_height};
use crate::terrain::noise::Noise;
use crate::voxel::Rgb;

const STONE: Rgb = Rgb::new(150, 146, 138);
const DARK_STONE: Rgb = Rgb::new(112, 108, 104);
const PAVING: Rgb = Rgb::new(184, 174, 154);
const WOOD: Rgb = Rgb::new(134, 96, 58);
const DARK_WOOD: Rgb = Rgb::new(88, 60, 38);
const PLASTER: Rgb = Rgb::new(226, 214, 188);
const TILES: Rgb = Rgb::new(168, 74, 52);
const LAMP: Rgb = Rgb::new(255, 226, 128);
/// Colors of the teams: blue in the west, green in the east.
const TEAMS: [Rgb; 2] = [Rgb::new(48, 84, 196), Rgb::new(54, 160, 62)];

/// Builds all of it, where the map is large enough.
pub(super) fn build(site: &mut Site, relief: &Relief) {
    if !relief.plan.roomy() {
        return;
    }
    let mut mason = Mason { grain: Noise::new(site.seed, 50), site };
    mason.tunnel(relief);
    mason.bridge(relief);
    let (x, y) = relief.plan.column(BASE);
    mason.keep(IVec3::new(x, y, BASE_HEIGHT as i32));
    for point in [(-158.0, -66.0), (-158.0, 70.0), (-120.0, 26.0)] {
        mason.watch_tower(relief, Vec2::from(point));
    }
    for point in [(-176.0, 44.0), (-196.0, 52.0), (-164.0, -34.0), (-186.0, -52.0), (-206.0, -48.0)] {
        mason.cottage(relief, Vec2::from(point));
    }
}

/// Builds for both teams, each voxel a little lighter or darker.
struct Mason<'a> {
    site: &'a mut Site,
    grain: Noise,
}

impl Mason<'_> {
    fn put(&mut self, at: IVec3, color: Rgb) {
        self.put_for_teams(at, [color, color]);
    }

    fn put_for_teams(&mut self, at: IVec3, colors: [Rgb; 2]) {
        let grain = (self.grain.chance(at) - 0.5) * 0.13;
        self.site.build_for_teams(at.x, at.y, at.z, colors.map(|color| lit(color, grain)));
    }

    /// Fills a box, both corners included.
    fn fill(&mut self, from: IVec3, to: IVec3, color: Rgb) {
        for at in crate::geom::Region::between(from.min(to), from.max(to)).positions() {
            self.put(at, color);
        }
    }

    fn clear(&mut self, from: IVec3, to: IVec3) {
        for at in crate::geom::Region::between(from.min(to), from.max(to)).positions() {
            self.site.carve(at.x, at.y, at.z);
        }
    }

    /// The way from the plain through the mesa to the gorge, lit by lamps.
    fn tunnel(&mut self, relief: &Relief) {
        let (from, to) = (relief.plan.column(Vec2::new(-134.0, 0.0)).0, relief.plan.column(Vec2::ZERO).0);
        for x in from..to {
            let along = relief.plan.point(x, 0).x;
            let (_, y) = relief.plan.column(Vec2::new(along, relief.road(along)));
            let floor = road_height(along).round() as i32;
            let covered = self.site.canvas.top(x, y) > floor + 6;
            for dy in -4..=4_i32 {
                let crown = floor + 7 - (dy * dy + 2) / 5;
                (floor + 1..=crown).for_each(|height| self.site.carve(x, y + dy, height));
                if covered && dy.abs() < 4 {
                    self.put(IVec3::new(x, y + dy, floor), PAVING);
                }
            }
            if covered && x % 12 == 0 {
                for side in [-5, 5] {
                    self.put(IVec3::new(x, y + side, floor + 3), LAMP);
                }
            }
        }
    }

    /// One stone arch over the gorge.
    fn bridge(&mut self, relief: &Relief) {
        let (center_x, center_y) = relief.plan.column(Vec2::ZERO);
        let deck = BRIDGE_HEIGHT as i32;
        for x in center_x - 46..center_x {
            let away = (center_x - x) as f32 - 0.5;
            let opening = if away < 19.0 { ((19.0 * 19.0 - away * away).sqrt() * 0.6) as i32 } else { -1 };
            for y in center_y - 5..center_y + 5 {
                let rim = y == center_y - 5 || y == center_y + 4;
                let low = opening.max(1).min(deck - 1);
                let ground = relief.height(x, y);
                if ground < deck as f32 - 0.5 || away < 19.0 {
                    (low..deck).for_each(|height| self.put(IVec3::new(x, y, height), if rim { STONE } else { DARK_STONE }));
                    self.put(IVec3::new(x, y, deck), if rim { STONE } else { PAVING });
                }
                if !rim {
                    (deck + 1..deck + 6).for_each(|height| self.site.carve(x, y, height));
                } else if self.site.canvas.top(x, y) == deck {
                    self.put(IVec3::new(x, y, deck + 1), STONE);
                    if (center_x - x) % 6 == 3 {
                        self.put(IVec3::new(x, y, deck + 2), STONE);
                        self.put(IVec3::new(x, y, deck + 3), LAMP);
                    }
                }
            }
        }
    }

    /// Walls with four round towers, a gate to the road and one to the sea, and a hall.
    fn keep(&mut self, center: IVec3) {
        let (half, wall) = (15, 6);
        self.clear(center + IVec3::new(-half - 5, -half - 5, 1), center + IVec3::new(half + 5, half + 5, 30));
        for x in -half..=half {
            for y in -half..=half {
                let rim = half - x.abs().max(y.abs());
                let at = center + IVec3::new(x, y, 0);
                self.put(at, if (x + y).rem_euclid(7) == 0 { STONE } else { PAVING });
                if rim < 2 {
                    let gate = y.abs() <= 2;
                    let from = if gate { 5 } else { 1 };
                    (from..=wall).for_each(|height| self.put(at + IVec3::Z * height, STONE));
                }
                if rim == 0 && (x + y).rem_euclid(2) == 0 {
                    self.put(at + IVec3::Z * (wall + 1), STONE);
                }
            }
        }
        for (x, y) in [(-half, -half), (-half, half), (half, -half), (half, half)] {
            self.round_tower(center + IVec3::new(x, y, 0));
        }
        self.hall(center);
    }

    fn round_tower(&mut self, foot: IVec3) {
        for (x, y) in (-5..=5_i32).flat_map(|y| (-5..=5_i32).map(move |x| (x, y))) {
            let far = x * x + y * y;
            let at = foot + IVec3::new(x, y, 0);
            if far <= 19 {
                for height in 0..=11 {
                    let window = (height == 7 || height == 8) && (x == 0 || y == 0) && far > 9;
                    if far > 8 && !window || height == 9 || height == 0 {
                        self.put(at + IVec3::Z * height, if height % 4 == 0 { DARK_STONE } else { STONE });
                    }
                }
            }
            for step in 0..7 {
                let radius = 5.4 - 0.8 * step as f32;
                if (far as f32) < radius * radius {
                    self.put_for_teams(at + IVec3::Z * (12 + step), TEAMS);
                }
            }
        }
    }

    fn hall(&mut self, center: IVec3) {
        let center = center + IVec3::new(-4, 0, 0);
        for (x, y) in (-5..=5_i32).flat_map(|y| (-4..=4_i32).map(move |x| (x, y))) {
            let at = center + IVec3::new(x, y, 0);
            let rim = x.abs() == 4 || y.abs() == 5;
            for height in 1..=5 {
                let door = x == 4 && y.abs() <= 1 && height <= 3;
                let window = height == 3 && y.abs() == 3;
                if rim && !door && !window {
                    self.put(at + IVec3::Z * height, if height == 1 { DARK_STONE } else { PLASTER });
                }
            }
            let ridge = 10 - x.abs();
            self.put_for_teams(at + IVec3::Z * (ridge - 1), TEAMS);
            (5..ridge - 1).filter(|_| y.abs() == 5).for_each(|height| self.put(at + IVec3::Z * height, PLASTER));
        }
        for x in [-5, 5] {
            (-5..=5).for_each(|y| self.put_for_teams(center + IVec3::new(x, y, 5), TEAMS));
        }
    }

    /// Four posts, a floor with a railing and a roof in the team's color.
    fn watch_tower(&mut self, relief: &Relief, point: Vec2) {
        let Some(foot) = self.level(relief, point, IVec2::new(3, 3)) else { return };
        for (x, y) in (-3..=3_i32).flat_map(|y| (-3..=3_i32).map(move |x| (x, y))) {
            let (at, rim, corner) = (foot + IVec3::new(x, y, 0), x.abs() == 3 || y.abs() == 3, x.abs() == 3 && y.abs() == 3);
            if corner {
                self.fill(at, at + IVec3::Z * 14, DARK_WOOD);
            }
            if rim && !corner && (x + y).rem_euclid(4) == 0 {
                (1..10).for_each(|height| self.put(at + IVec3::Z * height, WOOD));
            }
            self.put(at + IVec3::Z * 10, WOOD);
            if rim {
                self.put(at + IVec3::Z * 11, WOOD);
            }
            let step = 3 - x.abs().max(y.abs());
            for height in [14 + step, 15 + step] {
                self.put_for_teams(at + IVec3::Z * height, TEAMS);
            }
        }
        // A way up: a ladder of planks against the northern side.
        (1..=10).for_each(|height| self.put(foot + IVec3::new(0, -4, height), if height % 2 == 0 { WOOD } else { DARK_WOOD }));
    }

    /// Plaster between timber under a roof of tiles.
    fn cottage(&mut self, relief: &Relief, point: Vec2) {
        let Some(foot) = self.level(relief, point, IVec2::new(5, 4)) else { return };
        for (x, y) in (-4..=4_i32).flat_map(|y| (-5..=5_i32).map(move |x| (x, y))) {
            let at = foot + IVec3::new(x, y, 0);
            if x.abs() <= 4 && y.abs() <= 3 {
                self.put(at, WOOD);
                let rim = x.abs() == 4 || y.abs() == 3;
                let timber = (x.abs() == 4 && y.abs() == 3) || (x == 0 && y.abs() == 3 && y < 0);
                for height in 1..=4 {
                    let door = y == 3 && x.abs() <= 1 && height <= 3;
                    let window = height == 2 && (x.abs() == 2 || y == 0);
                    if rim && !door && !window {
                        self.put(at + IVec3::Z * height, if timber || height == 4 { DARK_WOOD } else { PLASTER });
                    }
                }
                if x.abs() == 4 {
                    (5..8 - y.abs()).for_each(|height| self.put(at + IVec3::Z * height, PLASTER));
                }
            }
            self.put(at + IVec3::Z * (8 - y.abs()), TILES);
        }
        let chimney = foot + IVec3::new(2, 1, 0);
        self.fill(chimney + IVec3::Z * 7, chimney + IVec3::Z * 10, DARK_STONE);
    }

    /// Clears and founds a building ground of ± `half`; `None` where it is wet or steep.
    fn level(&mut self, relief: &Relief, point: Vec2, half: IVec2) -> Option<IVec3> {
        let (x, y) = relief.plan.column(point);
        let ground = relief.height(x, y);
        if ground < 2.0 || relief.slope(x, y) > 0.7 {
            return None;
        }
        let foot = IVec3::new(x, y, ground.round() as i32);
        let half = (half + 1).extend(0);
        self.clear(foot - half + IVec3::Z, foot + half + IVec3::Z * 18);
        for at in crate::geom::Region::between(foot - half + 1, foot + half - IVec3::new(1, 1, 0)).positions() {
            (1..=foot.z).for_each(|height| {
                if !self.site.canvas.is_solid(at.x, at.y, height) {
                    self.put(at.with_z(height), STONE);
                }
            });
        }
        Some(foot)
    }
}
