//! Gradient noise from an integer hash.
//!
//! Our own rather than a crate's: fifty lines, and only sums, products and `floor` of `f32`, so that a
//! seed gives the same map on every machine and with every compiler.

use glam::{IVec2, IVec3, Vec2, Vec3};

/// A field of noise; fields of different seeds have nothing in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noise(u32);

impl Noise {
    /// Field number `field` of a map's seed.
    pub fn new(seed: u64, field: u32) -> Self {
        let folded = (seed ^ seed >> 32) as u32;
        Self(scramble(folded ^ scramble(field.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995)))
    }

    /// A random word for each lattice point.
    pub fn word(&self, at: IVec3) -> u32 {
        let [x, y, z] = at.to_array().map(|axis| axis as u32);
        scramble(self.0 ^ scramble(x.wrapping_mul(0x8da6_b343) ^ scramble(y.wrapping_mul(0xd816_3841) ^ z.wrapping_mul(0xcb1a_b31f))))
    }

    /// A random number in 0..1 for each lattice point.
    pub fn chance(&self, at: IVec3) -> f32 {
        (self.word(at) >> 8) as f32 / (1_u32 << 24) as f32
    }

    /// Smooth noise in about -1..1, with hills about one unit wide.
    pub fn plane(&self, at: Vec2) -> f32 {
        let (cell, within) = (at.floor(), at - at.floor());
        let corner = |x: i32, y: i32| {
            let step = IVec2::new(x, y);
            let word = self.word((cell.as_ivec2() + step).extend(0));
            let away = within - step.as_vec2();
            let (a, b) = if word & 4 == 0 { (away.x, away.y) } else { (away.y, away.x) };
            (if word & 1 == 0 { a } else { -a }) + 0.5 * (if word & 2 == 0 { b } else { -b })
        };
        let (ease_x, ease_y) = (ease(within.x), ease(within.y));
        1.3 * mix(mix(corner(0, 0), corner(1, 0), ease_x), mix(corner(0, 1), corner(1, 1), ease_x), ease_y)
    }

    /// Smooth noise in space, in about -1..1.
    pub fn space(&self, at: Vec3) -> f32 {
        let (cell, within) = (at.floor(), at - at.floor());
        let corner = |x: i32, y: i32, z: i32| {
            let step = IVec3::new(x, y, z);
            let word = self.word(cell.as_ivec3() + step);
            let away = within - step.as_vec3();
            let sign = |bit: u32, value: f32| if word & bit == 0 { value } else { -value };
            sign(1, away.x) + sign(2, away.y) + sign(4, away.z)
        };
        let [x, y, z] = within.to_array().map(ease);
        let layer = |z: i32| mix(mix(corner(0, 0, z), corner(1, 0, z), x), mix(corner(0, 1, z), corner(1, 1, z), x), y);
        0.9 * mix(layer(0), layer(1), z)
    }

    /// Sum of octaves of [`plane`](Self::plane), each half as wide and half as strong as the one before.
    pub fn fractal(&self, at: Vec2, octaves: u32) -> f32 {
        let (mut sum, mut scale, mut weight) = (0.0, 1.0, 0.5);
        for octave in 0..octaves {
            // The shift keeps the octaves' lattice points apart.
            sum += weight * self.plane(at * scale + Vec2::new(17.3, 31.7) * octave as f32);
            scale *= 2.0;
            weight *= 0.5;
        }
        sum * 1.4
    }
}

/// `a` at 0, `b` at 1.
pub(super) fn mix(a: f32, b: f32, share: f32) -> f32 {
    a + (b - a) * share
}

/// 0 up to `from`, 1 from `to` on, smooth between; `from` may be the larger one.
pub(super) fn smooth(from: f32, to: f32, at: f32) -> f32 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn ease(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn scramble(word: u32) -> u32 {
    let word = (word ^ word >> 16).wrapping_mul(0x7feb_352d);
    let word = (word ^ word >> 15).wrapping_mul(0x846c_a68b);
    word ^ word >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_stays_in_range_is_smooth_and_has_no_lean() {
        let noise = Noise::new(3, 1);
        let (mut low, mut high, mut sum) = (0.0_f32, 0.0_f32, 0.0);
        for i in 0..40_000 {
            let at = Vec2::new((i % 200) as f32 * 0.137, (i / 200) as f32 * 0.211 - 20.0);
            let value = noise.plane(at);
            assert!((noise.plane(at + Vec2::splat(0.001)) - value).abs() < 0.02);
            assert!(noise.space(at.extend(at.x)).abs() < 1.5 && noise.fractal(at, 5).abs() < 1.5);
            (low, high, sum) = (low.min(value), high.max(value), sum + value);
        }
        assert!((-1.3..-0.5).contains(&low) && (0.5..1.3).contains(&high), "{low} {high}");
        assert!((sum / 40_000.0_f32).abs() < 0.05, "{sum}");
    }

    #[test]
    fn fields_and_seeds_differ() {
        let words: std::collections::BTreeSet<_> =
            (0..100).map(|i| Noise::new(i / 10, (i % 10) as u32).word(IVec3::new(1, 2, 3))).collect();
        assert_eq!(words.len(), 100);
    }
}
