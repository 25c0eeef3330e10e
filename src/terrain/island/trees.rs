//! Trees of five kinds, and boulders: crowns of leaves on trunks, thick in the woods.

use glam::{IVec3, Vec3};

use super::Site;
use super::ground::{lit, stone};
use super::relief::{BASE, Relief};
use crate::terrain::noise::Noise;
use crate::voxel::Rgb;

const BARK: Rgb = Rgb::new(96, 66, 42);
const PALE_BARK: Rgb = Rgb::new(218, 212, 200);
const PALM_BARK: Rgb = Rgb::new(150, 118, 78);
const OAK: Rgb = Rgb::new(62, 118, 44);
const BIRCH: Rgb = Rgb::new(142, 176, 62);
const PINE: Rgb = Rgb::new(38, 88, 58);
const PALM: Rgb = Rgb::new(84, 156, 58);
const AUTUMN: [Rgb; 3] = [Rgb::new(206, 104, 40), Rgb::new(224, 152, 48), Rgb::new(178, 58, 44)];
/// Side of the square in which at most one tree stands.
const CELL: i32 = 6;

/// Plants the island's woods.
pub(super) fn plant(site: &mut Site, relief: &Relief) {
    let dice = Noise::new(site.seed, 40);
    let size = site.canvas.size();
    let (across, down) = (size.x.div_euclid(2 * CELL) + 1, size.y.div_euclid(CELL) + 1);
    for (i, j) in (0..down).flat_map(|j| (0..across).map(move |i| (i, j))) {
        let roll = |number: i32| dice.chance(IVec3::new(i, j, number));
        let (x, y) = (i * CELL + (roll(0) * CELL as f32) as i32, j * CELL + (roll(1) * CELL as f32) as i32);
        if x >= size.x / 2 {
            continue;
        }
        let Some(foot) = foot(site, relief, x, y) else { continue };
        let sprout = Sprout { foot, tall: roll(2), tint: roll(3) - 0.5, dice };
        let (wood, chance, kind) = (relief.wood(x, y), roll(4), roll(5));
        if foot.z <= 3 {
            if chance < 0.12 && foot.z <= 2 {
                sprout.palm(site);
            }
        } else if chance < 0.012 {
            sprout.boulder(site);
        } else if chance < 0.02 + 0.8 * wood {
            let high = foot.z as f32 / 26.0;
            if kind < 0.14 + high {
                sprout.pine(site);
            } else if kind < 0.36 {
                sprout.round(site, PALE_BARK, BIRCH, Vec3::new(2.3, 2.3, 3.4));
            } else if kind < 0.46 {
                let color = AUTUMN[(roll(6) * 3.0).clamp(0.0, 2.0) as usize];
                sprout.round(site, BARK, color, Vec3::new(3.3, 3.3, 2.8));
            } else {
                sprout.round(site, BARK, OAK, Vec3::new(3.8, 3.8, 3.1));
            }
        }
    }
}

/// Where a tree may stand: gentle open ground away from road, keep and caves.
fn foot(site: &Site, relief: &Relief, x: i32, y: i32) -> Option<IVec3> {
    let (ground, point) = (relief.height(x, y), relief.plan.point(x, y));
    let top = site.canvas.top(x, y);
    let gentle = relief.slope(x, y) < 0.8 && (1.2..30.0).contains(&ground);
    let free = relief.road_distance(point) > 7.0 && point.distance(BASE) > 34.0 && site.canvas.built(x, y, top).is_none();
    (gentle && free && (top as f32 - ground).abs() < 1.0).then(|| IVec3::new(x, y, top))
}

/// A tree about to grow.
struct Sprout {
    /// The voxel it stands on; z is a height.
    foot: IVec3,
    /// 0 small, 1 tall.
    tall: f32,
    /// -0.5 dark, 0.5 light.
    tint: f32,
    dice: Noise,
}

impl Sprout {
    fn leaf(&self, site: &mut Site, offset: IVec3, color: Rgb) {
        let at = self.foot + offset;
        let (twin_x, twin_y) = site.twin(at.x, at.y);
        // Leaves never cover what is there, in either half.
        if site.canvas.is_solid(at.x, at.y, at.z) || site.canvas.is_solid(twin_x, twin_y, at.z) {
            return;
        }
        let grain = self.dice.chance(at) - 0.5;
        site.build(at.x, at.y, at.z, lit(color, self.tint * 0.22 + grain * 0.16));
    }

    fn trunk(&self, site: &mut Site, tall: i32, color: Rgb) {
        for height in 1..=tall {
            site.build(self.foot.x, self.foot.y, self.foot.z + height, lit(color, (self.dice.chance(IVec3::Z * height) - 0.5) * 0.2));
        }
    }

    /// A ball of leaves, ragged at its rim and darker below.
    fn round(&self, site: &mut Site, bark: Rgb, leaves: Rgb, radius: Vec3) {
        let radius = radius * (0.75 + 0.4 * self.tall);
        let trunk = 3 + (self.tall * 3.5) as i32;
        self.trunk(site, trunk + 1, bark);
        let middle = trunk as f32 + radius.z * 0.75;
        for offset in around(radius.ceil().as_ivec3()) {
            let far = (offset.as_vec3() / radius).length_squared();
            let at = offset + IVec3::Z * (middle as i32);
            if far < 0.8 + 0.4 * self.dice.chance(self.foot + at) {
                self.leaf(site, at, lit(leaves, 0.05 * offset.z as f32 / radius.z.max(1.0)));
            }
        }
    }

    /// Rings of needles that narrow and widen towards the tip.
    fn pine(&self, site: &mut Site) {
        let tall = 8 + (self.tall * 7.0) as i32;
        self.trunk(site, tall - 1, BARK);
        for height in 3..=tall {
            let left = (tall - height) as f32;
            let radius = left * 0.3 + if height % 3 == 0 { 1.1 } else { 0.3 };
            for offset in around(IVec3::new(5, 5, 0)).filter(|offset| (offset.truncate().as_vec2()).length_squared() <= radius * radius) {
                self.leaf(site, offset + IVec3::Z * height, lit(PINE, 0.012 * height as f32));
            }
        }
        self.leaf(site, IVec3::Z * (tall + 1), PINE);
    }

    /// A leaning trunk with fronds on all sides.
    fn palm(&self, site: &mut Site) {
        let tall = 6 + (self.tall * 4.0) as i32;
        let lean = IVec3::new(if self.tint > 0.0 { 1 } else { -1 }, 0, 0);
        let at = |height: i32| lean * (height * height / (tall * 4)).max(0) + IVec3::Z * height;
        for height in 1..=tall {
            let (low, high) = (self.foot + at(height - 1), self.foot + at(height));
            site.build(high.x, high.y, high.z, PALM_BARK);
            site.build(high.x, high.y, low.z, PALM_BARK);
        }
        let top = at(tall);
        for side in [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y] {
            let turned = IVec3::new(-side.y, side.x, 0);
            for reach in 0..=4 {
                let drop = IVec3::Z * (1 - reach * reach / 6);
                self.leaf(site, top + side * reach + drop, PALM);
                if reach < 3 {
                    self.leaf(site, top + (side + turned) * reach + drop, PALM);
                }
                // Joins the steps, so that no frond hangs by an edge.
                self.leaf(site, top + side * reach + drop + IVec3::Z, PALM);
            }
        }
    }

    fn boulder(&self, site: &mut Site) {
        let radius = 1.4 + 1.8 * self.tall;
        for offset in around(IVec3::splat(3)) {
            let rough = 0.8 + 0.4 * self.dice.chance(self.foot + offset);
            if (offset.as_vec3() * Vec3::new(1.0, 1.0, 1.25)).length_squared() < radius * radius * rough {
                let at = self.foot + offset;
                self.leaf(site, offset, stone(&self.dice, at.x, at.y, at.z));
            }
        }
    }
}

fn around(reach: IVec3) -> impl Iterator<Item = IVec3> {
    (-reach.z..=reach.z).flat_map(move |z| (-reach.y..=reach.y).flat_map(move |y| (-reach.x..=reach.x).map(move |x| IVec3::new(x, y, z))))
}
