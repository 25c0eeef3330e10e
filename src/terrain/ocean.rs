//! Nothing but water: the emptiest map that the game can load.

use glam::{IVec3, Vec2};

use super::Canvas;
use super::generator::{Generator, Kind, Params, Setting, TerrainError};
use super::noise::Noise;
use crate::document::Progress;
use crate::voxel::{Rgb, Store};

/// See [the module](self).
pub struct Ocean;

const COLOR: Setting =
    Setting { id: "color", label: "Water", help: "Color of the water", kind: Kind::Color { default: Rgb::new(44, 98, 136) } };
const SETTINGS: &[Setting] = &[COLOR];

impl Generator for Ocean {
    fn id(&self) -> &'static str {
        "ocean"
    }

    fn label(&self) -> &'static str {
        "Empty ocean"
    }

    fn help(&self) -> &'static str {
        "Nothing but water, one voxel deep"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError> {
        params.check(SETTINGS)?;
        let canvas = Canvas::new(params.size)?;
        let (color, swell) = (params.color(&COLOR), Noise::new(params.seed, 0));
        Ok(canvas.finish(
            |x, y, height| {
                let wave = swell.fractal(Vec2::new(x as f32, y as f32) / 48.0, 3) * 0.12;
                let grain = (swell.chance(IVec3::new(x, y, height)) - 0.5) * 0.03;
                let share = wave + grain;
                color.mixed(if share < 0.0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) }, share.abs())
            },
            progress,
        )?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ocean_is_one_voxel_deep_and_blue() {
        let store = Ocean.generate(&Params::game(1), &Progress::new()).unwrap();
        assert_eq!(store.solid_count(), 512 * 512);
        for at in [IVec3::new(0, 0, 63), IVec3::new(511, 511, 63), IVec3::new(200, 300, 63)] {
            let rgb = store.voxel(at).unwrap().rgb().unwrap();
            assert!(rgb.b > rgb.g && rgb.g > rgb.r, "{rgb}");
        }
    }
}
