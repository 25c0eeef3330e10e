//! A dry valley from one side to the other.

use super::course::distances;
use super::generator::{Generator, Kind, Params, Setting, TerrainError, Unit};
use super::land::{Land, from_nothing};
use super::noise::smooth;
use crate::document::Progress;
use crate::voxel::Store;

/// See [the module](self).
pub struct Valley;

const DEPTH: Setting = Setting {
    id: "depth",
    label: "Depth",
    help: "How far the bottom lies under the land beside it",
    kind: Kind::Number { min: 1, max: 60, default: 16, unit: Unit::Voxels },
};
const WIDTH: Setting = Setting {
    id: "width",
    label: "Width",
    help: "From one rim to the other",
    kind: Kind::Number { min: 4, max: 400, default: 60, unit: Unit::Voxels },
};
const BENDS: Setting = Setting {
    id: "bends",
    label: "Bends",
    help: "How far it swings to both sides",
    kind: Kind::Number { min: 0, max: 100, default: 40, unit: Unit::Percent },
};
const SETTINGS: &[Setting] = &[DEPTH, WIDTH, BENDS];

impl Generator for Valley {
    fn id(&self) -> &'static str {
        "valley"
    }

    fn label(&self) -> &'static str {
        "Valley"
    }

    fn help(&self) -> &'static str {
        "A dry valley that winds from one side to the other"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError> {
        from_nothing(self, params, 40.0, progress)
    }

    fn reshape(&self, params: &Params, land: &mut Land, progress: &Progress) -> Result<bool, TerrainError> {
        params.check(SETTINGS)?;
        let (depth, half) = (params.number(&DEPTH) as f32, params.number(&WIDTH) as f32 / 2.0);
        let distances = distances(land.size(), params.seed, params.number(&BENDS), half, progress)?;
        for (column, distance) in land.columns().zip(distances) {
            let share = smooth(half, half * 0.25, distance);
            let height = land.height(column);
            // Never wet where it was dry.
            land.set(column, (height - depth * share).max(height.min(1.0)));
        }
        Ok(true)
    }
}
