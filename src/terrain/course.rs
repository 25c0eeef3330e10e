//! A winding line from one side of the land to the other, along its longer side.

use glam::{IVec3, Vec2};

use super::noise::Noise;

/// The line; valleys and rivers follow it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    noise: Noise,
    size: IVec3,
    /// Columns that it swings out to each side.
    swing: f32,
}

impl Course {
    /// A course through land of a size, with bends of 0 to 100 percent.
    pub fn new(size: IVec3, seed: u64, bends: i32) -> Self {
        let across = size.x.min(size.y) as f32;
        Self { noise: Noise::new(seed, 0), size, swing: across * 0.45 * bends as f32 / 100.0 }
    }

    /// About how far a column lies from it.
    pub fn distance(&self, [x, y]: [i32; 2]) -> f32 {
        let (along, across, middle) = if self.size.x >= self.size.y { (x, y, self.size.y) } else { (y, x, self.size.x) };
        let at = |along: f32| middle as f32 * 0.5 - 0.5 + self.swing * self.noise.fractal(Vec2::new(along / 96.0, 0.5), 3);
        let along = along as f32;
        let away = across as f32 - at(along);
        // Where it runs aslant, it is nearer than straight across.
        let slope = (at(along + 2.0) - at(along - 2.0)) / 4.0;
        away.abs() / (1.0 + slope * slope).sqrt()
    }
}
