//! Rolling hills of noise, on what is there.

use glam::Vec2;

use super::generator::{Generator, Kind, Params, Setting, TerrainError, Unit};
use super::land::{Land, from_nothing};
use super::noise::Noise;
use crate::document::Progress;
use crate::voxel::Store;

/// See [the module](self).
pub struct Hills;

const HEIGHT: Setting = Setting {
    id: "height",
    label: "Height",
    help: "How far the highest hills rise",
    kind: Kind::Number { min: 1, max: 60, default: 24, unit: Unit::Voxels },
};
const WIDTH: Setting = Setting {
    id: "width",
    label: "Width",
    help: "How far one hill lies from the next",
    kind: Kind::Number { min: 8, max: 400, default: 72, unit: Unit::Voxels },
};
const ROUGHNESS: Setting = Setting {
    id: "roughness",
    label: "Roughness",
    help: "How much small bumps show on the large hills",
    kind: Kind::Number { min: 0, max: 100, default: 40, unit: Unit::Percent },
};
const PLAINS: Setting = Setting {
    id: "plains",
    label: "Plains",
    help: "How much of the land stays as it was",
    kind: Kind::Number { min: 0, max: 90, default: 30, unit: Unit::Percent },
};
const SETTINGS: &[Setting] = &[HEIGHT, WIDTH, ROUGHNESS, PLAINS];

impl Generator for Hills {
    fn id(&self) -> &'static str {
        "hills"
    }

    fn label(&self) -> &'static str {
        "Hills"
    }

    fn help(&self) -> &'static str {
        "Rolling hills with plains between them"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError> {
        from_nothing(self, params, 0.0, progress)
    }

    fn reshape(&self, params: &Params, land: &mut Land, progress: &Progress) -> Result<bool, TerrainError> {
        params.check(SETTINGS)?;
        let (height, width) = (params.number(&HEIGHT) as f32, params.number(&WIDTH) as f32);
        let (rough, plains) = (params.number(&ROUGHNESS) as f32 / 100.0, params.number(&PLAINS) as f32 / 100.0);
        let (large, small) = (Noise::new(params.seed, 0), Noise::new(params.seed, 1));
        for [x, y] in land.columns() {
            if x == 0 {
                progress.report(y as f32 / land.size().y as f32)?;
            }
            let at = Vec2::new(x as f32, y as f32) / width;
            let bumps = small.fractal(at * 4.0, 3) * 0.3 * rough;
            // About evenly from 0 to 1.
            let rise = (0.5 + 0.6 * large.fractal(at, 2) + bumps).clamp(0.0, 1.0);
            let rise = ((rise - plains) / (1.0 - plains)).max(0.0);
            // Level at the foot, so that hills grow out of the plain.
            let up = height * rise * rise * (3.0 - 2.0 * rise);
            land.set([x, y], land.height([x, y]) + up);
        }
        Ok(true)
    }
}
