//! A river from one side to the other, down to the water plane.

use super::course::distances;
use super::generator::{Generator, Kind, Params, Setting, TerrainError, Unit};
use super::land::{Land, from_nothing};
use super::noise::{mix, smooth};
use crate::document::Progress;
use crate::voxel::Store;

/// See [the module](self).
pub struct River;

const WIDTH: Setting =
    Setting { id: "width", label: "Width", help: "Of the water", kind: Kind::Number { min: 1, max: 200, default: 14, unit: Unit::Voxels } };
const BANKS: Setting = Setting {
    id: "banks",
    label: "Banks",
    help: "Of the slopes on both sides",
    kind: Kind::Number { min: 0, max: 200, default: 16, unit: Unit::Voxels },
};
const BENDS: Setting = Setting {
    id: "bends",
    label: "Bends",
    help: "How far it swings to both sides",
    kind: Kind::Number { min: 0, max: 100, default: 50, unit: Unit::Percent },
};
const SETTINGS: &[Setting] = &[WIDTH, BANKS, BENDS];

impl Generator for River {
    fn id(&self) -> &'static str {
        "river"
    }

    fn label(&self) -> &'static str {
        "River"
    }

    fn help(&self) -> &'static str {
        "A river that winds from one side to the other"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError> {
        from_nothing(self, params, 16.0, progress)
    }

    fn reshape(&self, params: &Params, land: &mut Land, progress: &Progress) -> Result<bool, TerrainError> {
        params.check(SETTINGS)?;
        let (half, banks) = (params.number(&WIDTH) as f32 / 2.0, params.number(&BANKS) as f32);
        let distances = distances(land.size(), params.seed, params.number(&BENDS), half + banks, progress)?;
        for (column, distance) in land.columns().zip(distances) {
            let height = land.height(column);
            let bed = match distance {
                d if d <= half => 0.0,
                d if d < half + banks => mix(0.6, height, smooth(half, half + banks, d)),
                _ => continue,
            };
            land.set(column, bed.min(height));
        }
        Ok(true)
    }
}
