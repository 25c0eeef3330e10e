//! Few colors for many: cuts the space of colors where the error is greatest, until there are enough boxes.

use std::collections::HashMap;

use crate::voxel::Rgb;

/// A palette, and which of its colors stands for each color.
#[derive(Debug)]
pub(super) struct Palette {
    /// The colors.
    pub(super) colors: Vec<Rgb>,
    // Invariant: every value is below `colors.len()`.
    index: HashMap<Rgb, u8>,
}

/// What a palette costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct PaletteLoss {
    /// Different colors before.
    pub(super) colors: usize,
    /// Voxels whose color changes.
    pub(super) voxels: u64,
    /// Largest change of red, green or blue.
    pub(super) most: u8,
}

impl Palette {
    /// The palette of at most `most` colors, from 1 to 256, for colors that occur so often.
    pub(super) fn of(counts: &HashMap<Rgb, u64>, most: usize) -> Self {
        let mut all: Vec<(Rgb, u64)> = counts.iter().map(|(rgb, count)| (*rgb, *count)).collect();
        all.sort_unstable();
        let mut parts = vec![];
        if all.len() <= most {
            parts.extend(all.into_iter().map(|one| Part::of(vec![one])));
        } else {
            parts.push(Part::of(all));
            while parts.len() < most {
                let worst = parts.iter().enumerate().max_by(|(_, a), (_, b)| a.error().total_cmp(&b.error()));
                let Some(worst) = worst.filter(|(_, part)| part.error() > 0.0).map(|(at, _)| at) else { break };
                let (low, high) = parts.swap_remove(worst).cut();
                parts.extend([low, high]);
            }
        }
        let mut palette = Self { colors: vec![], index: HashMap::new() };
        for part in parts {
            let index = u8::try_from(palette.colors.len()).unwrap_or(u8::MAX);
            palette.colors.push(part.mean());
            palette.index.extend(part.colors.iter().map(|(rgb, _)| (*rgb, index)));
        }
        palette
    }

    /// Number of the color that stands for a color of the map.
    pub(super) fn index(&self, rgb: Rgb) -> u8 {
        self.index.get(&rgb).copied().unwrap_or(0)
    }

    /// What the palette costs.
    pub(super) fn loss(&self, counts: &HashMap<Rgb, u64>) -> PaletteLoss {
        let mut loss = PaletteLoss { colors: counts.len(), ..PaletteLoss::default() };
        for (rgb, count) in counts {
            let Some(kept) = self.colors.get(usize::from(self.index(*rgb))) else { continue };
            let change = rgb.to_array().into_iter().zip(kept.to_array()).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0);
            loss.voxels += if change > 0 { *count } else { 0 };
            loss.most = loss.most.max(change);
        }
        loss
    }
}

/// A box of colors that one color will stand for.
struct Part {
    // Invariant: never empty.
    colors: Vec<(Rgb, u64)>,
    mean: [f64; 3],
    /// Sum of squared distances from the mean, for each channel.
    errors: [f64; 3],
}

impl Part {
    fn of(colors: Vec<(Rgb, u64)>) -> Self {
        let weight: f64 = colors.iter().map(|(_, count)| *count as f64).sum();
        let channel = |rgb: &Rgb, channel: usize| f64::from(rgb.to_array()[channel]);
        let mean = [0, 1, 2].map(|at| colors.iter().map(|(rgb, count)| channel(rgb, at) * *count as f64).sum::<f64>() / weight.max(1.0));
        let errors = [0, 1, 2].map(|at| colors.iter().map(|(rgb, count)| (channel(rgb, at) - mean[at]).powi(2) * *count as f64).sum());
        let is_one = colors.len() == 1;
        Self { colors, mean, errors: if is_one { [0.0; 3] } else { errors } }
    }

    fn error(&self) -> f64 {
        self.errors.iter().sum()
    }

    fn mean(&self) -> Rgb {
        // Means of bytes are bytes.
        let [r, g, b] = self.mean.map(|value| value.round().clamp(0.0, 255.0) as u8);
        Rgb::new(r, g, b)
    }

    /// Cuts at the mean of the channel that errs most; that leaves a color on either side.
    fn cut(self) -> (Self, Self) {
        let axis = (0..3).max_by(|a, b| self.errors[*a].total_cmp(&self.errors[*b])).unwrap_or(0);
        let mean = self.mean[axis];
        let (low, high) = self.colors.into_iter().partition(|(rgb, _)| f64::from(rgb.to_array()[axis]) <= mean);
        (Self::of(low), Self::of(high))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn few_colors_are_kept_and_many_become_near_ones(
            colors in prop::collection::hash_map(any::<[u8; 3]>().prop_map(|[r, g, b]| Rgb::new(r, g, b)), 1..1000_u64, 0..400),
            most in 1..256_usize,
        ) {
            let palette = Palette::of(&colors, most);
            prop_assert!(palette.colors.len() <= most);
            let loss = palette.loss(&colors);
            prop_assert_eq!(loss.colors, colors.len());
            if colors.len() <= most {
                prop_assert_eq!((loss.voxels, loss.most), (0, 0));
                prop_assert!(colors.keys().all(|rgb| palette.colors[usize::from(palette.index(*rgb))] == *rgb));
            }
            prop_assert!(colors.keys().all(|rgb| usize::from(palette.index(*rgb)) < palette.colors.len()));
        }
    }

    #[test]
    fn colors_that_lie_together_share_an_entry() {
        let counts: HashMap<Rgb, u64> =
            [(10, 5), (11, 5), (12, 5), (200, 5), (202, 5)].map(|(value, count)| (Rgb::new(value, value, 0), count)).into();
        let palette = Palette::of(&counts, 2);
        let mut colors = palette.colors.clone();
        colors.sort();
        assert_eq!(colors, [Rgb::new(11, 11, 0), Rgb::new(201, 201, 0)]);
        assert_eq!(palette.loss(&counts), PaletteLoss { colors: 5, voxels: 20, most: 1 });
    }
}
