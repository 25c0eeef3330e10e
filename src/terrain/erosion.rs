//! What rain and gravity do to land: gullies, fans at the foot of slopes, and cliffs that slid.

use glam::IVec3;

use super::generator::{Generator, Kind, Params, Setting, TerrainError, Unit};
use super::land::{Land, from_nothing};
use super::noise::Noise;
use crate::document::Progress;
use crate::voxel::Store;

/// See [the module](self).
pub struct Erosion;

const RAIN: Setting = Setting {
    id: "rain",
    label: "Rain",
    help: "Drops on a hundred columns, each of which cuts its way down",
    kind: Kind::Number { min: 0, max: 400, default: 80, unit: Unit::Said(" on 100 columns") },
};
const SLIDES: Setting = Setting {
    id: "slides",
    label: "Slides",
    help: "How often what is too steep slides down",
    kind: Kind::Number { min: 0, max: 100, default: 6, unit: Unit::Said(" times") },
};
const STEEPEST: Setting = Setting {
    id: "steepest",
    label: "Steepest",
    help: "Step between two columns that does not slide",
    kind: Kind::Number { min: 1, max: 16, default: 3, unit: Unit::Voxels },
};
const SETTINGS: &[Setting] = &[RAIN, SLIDES, STEEPEST];

/// Columns that a drop runs through, at most.
const WAY: u32 = 96;
/// Share of a step that a drop cuts away, and the most that it carries.
const CUT: f32 = 0.12;
const LOAD: f32 = 1.5;
/// Columns around, the four sides first.
const AROUND: [[i32; 2]; 8] = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, 1], [1, -1], [-1, -1]];

impl Generator for Erosion {
    fn id(&self) -> &'static str {
        "erosion"
    }

    fn label(&self) -> &'static str {
        "Erosion"
    }

    fn help(&self) -> &'static str {
        "Rain that cuts gullies, and slopes that slide"
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError> {
        from_nothing(self, params, 48.0, progress)
    }

    fn reshape(&self, params: &Params, land: &mut Land, progress: &Progress) -> Result<bool, TerrainError> {
        params.check(SETTINGS)?;
        let (rain, slides) = (params.number(&RAIN), params.number(&SLIDES));
        let whole = (rain + slides * 10).max(1) as f32;
        let dice = Noise::new(params.seed, 0);
        for shower in 0..rain {
            progress.report(shower as f32 / whole)?;
            // A drop on each column of a hundred, other ones each time.
            for y in (0..land.size().y).step_by(10) {
                progress.check()?;
                for x in (0..land.size().x).step_by(10) {
                    let word = dice.word(IVec3::new(x, y, shower));
                    run([x + (word % 10) as i32, y + (word / 16 % 10) as i32], land);
                }
            }
        }
        for slide in 0..slides {
            progress.report((rain + slide * 10) as f32 / whole)?;
            self.slide(land, params.number(&STEEPEST) as f32);
        }
        Ok(true)
    }
}

impl Erosion {
    /// All that is steeper moves half of what is too much to the lowest column beside.
    fn slide(&self, land: &mut Land, steepest: f32) {
        let before = land.clone();
        for column in before.columns() {
            let here = before.height(column);
            let Some((lowest, there)) = lowest(&before, column) else { continue };
            let too_much = (here - there - steepest) * 0.25;
            if too_much > 0.0 {
                land.set(column, land.height(column) - too_much);
                land.set(lowest, land.height(lowest) + too_much);
            }
        }
    }
}

/// The lowest of the columns around, if it is lower.
fn lowest(land: &Land, [x, y]: [i32; 2]) -> Option<([i32; 2], f32)> {
    let size = land.size();
    let mut best: Option<([i32; 2], f32)> = None;
    for [dx, dy] in AROUND {
        let beside = [x + dx, y + dy];
        if (0..size.x).contains(&beside[0]) && (0..size.y).contains(&beside[1]) {
            let height = land.height(beside);
            if height < best.map_or(land.height([x, y]), |(_, height)| height) {
                best = Some((beside, height));
            }
        }
    }
    best
}

/// A drop runs down, cuts where it is steep and leaves its load where it is not.
fn run(start: [i32; 2], land: &mut Land) {
    let size = land.size();
    if !(0..size.x).contains(&start[0]) || !(0..size.y).contains(&start[1]) {
        return;
    }
    let (mut at, mut load) = (start, 0.0_f32);
    for _ in 0..WAY {
        let here = land.height(at);
        let Some((next, there)) = lowest(land, at).filter(|_| here > 0.0) else { break };
        let step = here - there;
        let wanted = (step * CUT).min(LOAD - load).max(-load);
        // Where it is nearly level, it drops some of what it carries, never so much that it would run back.
        let cut = if step < 0.4 { -(load * 0.3).min(step) } else { wanted };
        land.set(at, here - cut);
        load += cut;
        at = next;
    }
    land.set(at, land.height(at) + load.min(0.5));
}
