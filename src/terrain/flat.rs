//! A plain of one height: for building from nothing.

use super::Canvas;
use super::generator::{Generator, Kind, Params, Setting, TerrainError, Unit};
use super::noise::Noise;
use crate::document::Progress;
use crate::voxel::{Rgb, Store};

/// See [the module](self).
pub struct Flat;

const HEIGHT: Setting = Setting {
    id: "height",
    label: "Height",
    help: "Height of the ground over the water",
    kind: Kind::Number { min: 0, max: 63, default: 2, unit: Unit::Voxels },
};
const TOP: Setting =
    Setting { id: "color", label: "Ground", help: "Color of the ground", kind: Kind::Color { default: Rgb::new(104, 142, 74) } };
const VARIATION: Setting = Setting {
    id: "variation",
    label: "Variation",
    help: "How much the color changes from voxel to voxel",
    kind: Kind::Number { min: 0, max: 100, default: 8, unit: Unit::Percent },
};
const SETTINGS: &[Setting] = &[HEIGHT, TOP, VARIATION];

impl Generator for Flat {
    fn id(&self) -> &'static str {
        "flat"
    }

    fn label(&self) -> &'static str {
        "Flat ground"
    }

    fn help(&self) -> &'static str {
        "A plain of one height and color"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError> {
        params.check(SETTINGS)?;
        let mut canvas = Canvas::new(params.size)?;
        let height = params.number(&HEIGHT).min(params.size.z - 1);
        let column = u64::MAX >> (63 - height.clamp(0, 63));
        for y in 0..params.size.y {
            (0..params.size.x).for_each(|x| canvas.set_column(x, y, column));
        }
        let (color, variation) = (params.color(&TOP), params.number(&VARIATION) as f32 / 100.0);
        let grain = Noise::new(params.seed, 0);
        Ok(canvas.finish(
            |x, y, height| {
                let share = grain.chance(glam::IVec3::new(x, y, height)) - 0.5;
                let toward = if share < 0.0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) };
                color.mixed(toward, share.abs() * variation)
            },
            progress,
        )?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use glam::IVec3;

    use super::*;
    use crate::terrain::Value;

    #[test]
    fn the_ground_has_the_height_and_color_asked_for() {
        let color = Rgb::new(10, 20, 30);
        let values = BTreeMap::from(
            [("height", Value::Number(5)), ("color", Value::Color(color)), ("variation", Value::Number(0))].map(|(k, v)| (k.to_owned(), v)),
        );
        let store = Flat.generate(&Params { size: IVec3::new(40, 3, 64), seed: 1, values }, &Progress::new()).unwrap();
        assert_eq!(store.solid_count(), 40 * 3 * 6);
        assert_eq!(store.ground(39, 2, 0), Some(58));
        assert_eq!(store.voxel(IVec3::new(39, 2, 58)).unwrap().rgb(), Some(color));
        assert_eq!(store.voxel(IVec3::new(39, 2, 60)).unwrap().rgb(), None);
    }

    #[test]
    fn ground_higher_than_the_map_fills_it() {
        let values = BTreeMap::from([("height".to_owned(), Value::Number(63))]);
        let store = Flat.generate(&Params { size: IVec3::new(2, 2, 8), seed: 1, values }, &Progress::new()).unwrap();
        assert_eq!(store.solid_count(), 32);
    }
}
