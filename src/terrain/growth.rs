//! Trees and rocks, scattered over dry and level ground.

use glam::{IVec3, Vec3};

use super::generator::{Generator, Kind, Params, Setting, TerrainError, Unit};
use super::land::{Land, Thing, from_nothing};
use super::noise::Noise;
use crate::document::Progress;
use crate::voxel::{Rgb, Store};

/// See [the module](self).
pub struct Growth;

const DENSITY: Setting = Setting {
    id: "density",
    label: "Density",
    help: "Trees and rocks on a thousand columns",
    kind: Kind::Number { min: 1, max: 200, default: 8, unit: Unit::Said(" on 1000 columns") },
};
const ROCKS: Setting = Setting {
    id: "rocks",
    label: "Rocks",
    help: "How many of them are rocks",
    kind: Kind::Number { min: 0, max: 100, default: 20, unit: Unit::Percent },
};
const PINES: Setting = Setting {
    id: "pines",
    label: "Pines",
    help: "How many of the trees are pines",
    kind: Kind::Number { min: 0, max: 100, default: 40, unit: Unit::Percent },
};
const SIZE: Setting = Setting {
    id: "size",
    label: "Size",
    help: "How large they are",
    kind: Kind::Number { min: 30, max: 250, default: 100, unit: Unit::Percent },
};
const LEAVES: Setting =
    Setting { id: "leaves", label: "Leaves", help: "Color of the leaves", kind: Kind::Color { default: Rgb::new(70, 124, 48) } };
const SETTINGS: &[Setting] = &[DENSITY, ROCKS, PINES, SIZE, LEAVES];

const BARK: Rgb = Rgb::new(92, 66, 42);
const STONE: Rgb = Rgb::new(128, 124, 118);
/// Steepest step that something stands beside.
const STEEPEST: f32 = 2.0;

impl Generator for Growth {
    fn id(&self) -> &'static str {
        "trees"
    }

    fn label(&self) -> &'static str {
        "Trees and rocks"
    }

    fn help(&self) -> &'static str {
        "Trees, pines and rocks, where the ground is dry and level"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError> {
        from_nothing(self, params, 16.0, progress)
    }

    fn reshape(&self, params: &Params, land: &mut Land, progress: &Progress) -> Result<bool, TerrainError> {
        params.check(SETTINGS)?;
        let [dice, looks, grain] = [0, 1, 2].map(|field| Noise::new(params.seed, field));
        // Settings are in range.
        let share = |setting: &Setting| params.number(setting) as f32 / 100.0;
        let density = params.number(&DENSITY) as f32 / 1000.0;
        let (rocks, pines, size, leaves) = (share(&ROCKS), share(&PINES), share(&SIZE), params.color(&LEAVES));
        for [x, y] in land.columns() {
            if x == 0 {
                progress.report(y as f32 / land.size().y as f32)?;
            }
            let at = IVec3::new(x, y, 0);
            if dice.chance(at) >= density || land.level([x, y]) < 2 || land.steepness([x, y]) > STEEPEST {
                continue;
            }
            let [kind, tall, tint, form] = [0, 1, 2, 3].map(|z| looks.chance(at.with_z(z)));
            let mut planter = Planter { land, grain, foot: [x, y], tint: tint - 0.5 };
            let size = size * (0.75 + 0.5 * tall);
            if kind < rocks {
                planter.rock(size);
            } else if form < pines {
                planter.pine(size, leaves.mixed(Rgb::new(20, 60, 50), 0.5));
            } else {
                planter.round(size, leaves);
            }
        }
        Ok(true)
    }
}

struct Planter<'a> {
    land: &'a mut Land,
    grain: Noise,
    foot: [i32; 2],
    /// Of all its voxels, −0.5 to 0.5.
    tint: f32,
}

impl Planter<'_> {
    fn put(&mut self, offset: IVec3, color: Rgb) {
        let [x, y] = self.foot;
        let share = self.tint * 0.3 + (self.grain.chance(IVec3::new(x, y, 0) + offset) - 0.5) * 0.16;
        let toward = if share < 0.0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) };
        self.land.put(Thing { foot: self.foot, offset, color: color.mixed(toward, share.abs()) });
    }

    fn trunk(&mut self, tall: i32) {
        (1..=tall).for_each(|up| self.put(IVec3::Z * up, BARK));
    }

    /// A ragged ball; of a tree or of stone.
    fn ball(&mut self, middle: IVec3, radius: Vec3, color: Rgb) {
        let reach = radius.ceil().as_ivec3();
        for z in -reach.z..=reach.z {
            for y in -reach.y..=reach.y {
                for x in -reach.x..=reach.x {
                    let offset = IVec3::new(x, y, z);
                    let far = (offset.as_vec3() / radius).length_squared();
                    let [foot_x, foot_y] = self.foot;
                    if far < 0.75 + 0.4 * self.grain.chance(IVec3::new(foot_x, foot_y, 64) + offset) {
                        self.put(middle + offset, color);
                    }
                }
            }
        }
    }

    fn round(&mut self, size: f32, leaves: Rgb) {
        let (trunk, radius) = ((4.0 * size).round() as i32 + 1, (2.6 * size).max(1.0));
        self.trunk(trunk);
        self.ball(IVec3::Z * (trunk + (radius * 0.6) as i32), Vec3::new(radius, radius, radius * 0.85), leaves);
    }

    fn pine(&mut self, size: f32, needles: Rgb) {
        let tall = (9.0 * size).round() as i32 + 2;
        self.trunk(tall - 1);
        for up in 2..=tall {
            // Rings that narrow to the tip.
            let radius = (tall - up) as f32 * 0.3 + if (tall - up) % 2 == 0 { 0.9 } else { 0.2 };
            let reach = radius.ceil() as i32;
            for (x, y) in (-reach..=reach).flat_map(|y| (-reach..=reach).map(move |x| (x, y))) {
                if ((x * x + y * y) as f32) <= radius * radius && (x, y) != (0, 0) {
                    self.put(IVec3::new(x, y, up), needles);
                }
            }
        }
        self.put(IVec3::Z * tall, needles);
    }

    fn rock(&mut self, size: f32) {
        let radius = (1.7 * size).max(0.8);
        self.ball(IVec3::ZERO, Vec3::new(radius, radius * 0.9, radius * 0.9), STONE);
    }
}
