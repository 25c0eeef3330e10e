//! Land as heights and the things on it: what generators work on that make new land and change old land alike.

use glam::{IVec3, Vec2};

use super::Canvas;
use super::generator::{Generator, MAX_COLUMNS, Params, TerrainError};
use super::noise::Noise;
use crate::document::Progress;
use crate::voxel::{Rgb, Store};

/// Color of water that comes to light.
pub const WATER: Rgb = Rgb::new(44, 98, 136);
const SAND: Rgb = Rgb::new(206, 188, 134);
const GRASS: Rgb = Rgb::new(96, 138, 64);
const ROCK: Rgb = Rgb::new(122, 116, 108);
const SNOW: Rgb = Rgb::new(228, 232, 234);

/// A voxel of something that stands on the land.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thing {
    /// The column that carries it.
    pub foot: [i32; 2],
    /// How far east, south and **up** of the ground in that column.
    pub offset: IVec3,
    /// Its color.
    pub color: Rgb,
}

/// Heights of the ground over the water plane, and what stands on it.
#[derive(Clone, Debug)]
pub struct Land {
    size: IVec3,
    /// `[y * size.x + x]`; 0 is water.
    heights: Vec<f32>,
    things: Vec<Thing>,
}

impl Land {
    /// Nothing but water, in a box of this size.
    ///
    /// # Errors
    /// When the size holds no voxel or more than [`MAX_COLUMNS`] columns.
    pub fn new(size: IVec3) -> Result<Self, TerrainError> {
        if size.cmple(IVec3::ZERO).any() {
            return Err(TerrainError::Empty { size: size.to_array() });
        }
        let columns = u64::from(size.x.unsigned_abs()) * u64::from(size.y.unsigned_abs());
        if columns > MAX_COLUMNS {
            return Err(TerrainError::TooWide { size: size.to_array() });
        }
        // At most 2²⁴.
        Ok(Self { size, heights: vec![0.0; columns as usize], things: vec![] })
    }

    /// Size in voxels.
    pub fn size(&self) -> IVec3 {
        self.size
    }

    /// Every column, row by row from the north.
    pub fn columns(&self) -> impl Iterator<Item = [i32; 2]> + use<> {
        let size = self.size;
        (0..size.y).flat_map(move |y| (0..size.x).map(move |x| [x, y]))
    }

    /// Height of a column; beyond the rim that of the nearest one.
    pub fn height(&self, [x, y]: [i32; 2]) -> f32 {
        let index = self.index([x.clamp(0, self.size.x - 1), y.clamp(0, self.size.y - 1)]);
        index.and_then(|index| self.heights.get(index)).copied().unwrap_or(0.0)
    }

    /// The height in whole voxels, within the box.
    pub fn level(&self, column: [i32; 2]) -> i32 {
        // Within the box, which is an `i32` high.
        (self.height(column).round() as i32).clamp(0, self.size.z - 1)
    }

    /// Sets the height of a column. Outside nothing happens.
    pub fn set(&mut self, column: [i32; 2], height: f32) {
        if let Some(cell) = self.index(column).and_then(|index| self.heights.get_mut(index)) {
            *cell = height;
        }
    }

    /// Puts a voxel on the land.
    pub fn put(&mut self, thing: Thing) {
        self.things.push(thing);
    }

    /// What stands on it.
    pub fn things(&self) -> &[Thing] {
        &self.things
    }

    /// Steepest step to one of the four columns beside.
    pub fn steepness(&self, [x, y]: [i32; 2]) -> f32 {
        let here = self.height([x, y]);
        let beside = [[x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]];
        beside.map(|column| (self.height(column) - here).abs()).into_iter().fold(0.0, f32::max)
    }

    /// The land as a map of its own.
    ///
    /// # Errors
    /// When the work is cancelled.
    pub fn finish(&self, seed: u64, progress: &Progress) -> Result<Store, TerrainError> {
        let mut canvas = Canvas::new(self.size)?;
        for [x, y] in self.columns() {
            let height = self.level([x, y]).clamp(0, 63);
            canvas.set_column(x, y, u64::MAX >> (63 - height));
        }
        for thing in &self.things {
            let [x, y] = thing.foot;
            let at = IVec3::new(x, y, self.level(thing.foot)) + thing.offset;
            if at.z < self.size.z {
                canvas.build(at.x, at.y, at.z, thing.color);
            }
        }
        canvas.drop_floating();
        let grain = Noise::new(seed, 90);
        Ok(canvas.finish(|x, y, height| ground_color(&grain, [x, y], height, self.steepness([x, y])), progress)?)
    }

    fn index(&self, [x, y]: [i32; 2]) -> Option<usize> {
        let inside = (0..self.size.x).contains(&x) && (0..self.size.y).contains(&y);
        inside.then(|| y as usize * self.size.x as usize + x as usize)
    }
}

/// Color of the ground by its height over the water and its slope, a little different from voxel to voxel.
pub fn ground_color(grain: &Noise, [x, y]: [i32; 2], height: i32, steepness: f32) -> Rgb {
    let patches = grain.fractal(Vec2::new(x as f32, y as f32) / 24.0, 3);
    let color = match height {
        ..=0 => WATER,
        1 => SAND,
        44.. => SNOW,
        _ if steepness > 2.2 => ROCK,
        34.. => GRASS.mixed(ROCK, (height - 33) as f32 / 11.0),
        _ => GRASS,
    };
    let share = patches * 0.1 + (grain.chance(IVec3::new(x, y, height)) - 0.5) * 0.1;
    color.mixed(if share < 0.0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) }, share.abs())
}

/// A map from a generator that [reshapes](Generator::reshape) land: rolling land a few voxels over the water, reshaped.
pub(super) fn from_nothing(generator: &dyn Generator, params: &Params, rolls: f32, progress: &Progress) -> Result<Store, TerrainError> {
    params.check(generator.settings())?;
    let mut land = Land::new(params.size)?;
    progress.check()?;
    let noise = Noise::new(params.seed, 91);
    for [x, y] in land.columns() {
        let at = Vec2::new(x as f32, y as f32) / 90.0;
        land.set([x, y], (3.0 + rolls * (0.5 + noise.fractal(at, 4))).max(1.0));
    }
    generator.reshape(params, &mut land, progress)?;
    land.finish(params.seed, progress)
}
