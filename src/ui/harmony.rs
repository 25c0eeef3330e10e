//! Colours that go with a colour: by their place on the circle of hues, and the steps between two.

use super::color_picker::Hsv;
use crate::voxel::Rgb;

/// How colours lie to each other on the circle of hues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Harmony {
    /// The colour on the other side.
    Complement,
    /// The neighbours, a twelfth of the circle away.
    Analogous,
    /// The two that share the circle evenly with it.
    Triad,
    /// The neighbours of the complement.
    Split,
}

impl Harmony {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Complement, Self::Analogous, Self::Triad, Self::Split];

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Self::Complement => "Complement",
            Self::Analogous => "Analogous",
            Self::Triad => "Triad",
            Self::Split => "Split",
        }
    }

    /// The colours that go with one, without it.
    pub fn colors(self, color: Hsv) -> impl Iterator<Item = Rgb> {
        let turns: &[f32] = match self {
            Self::Complement => &[0.5],
            Self::Analogous => &[-1.0 / 12.0, 1.0 / 12.0],
            Self::Triad => &[-1.0 / 3.0, 1.0 / 3.0],
            Self::Split => &[5.0 / 12.0, 7.0 / 12.0],
        };
        turns.iter().map(move |turn| Hsv { hue: (color.hue + turn).rem_euclid(1.0), ..color }.rgb())
    }
}

/// The steps from one colour to another, both included; two at least.
pub fn ramp(from: Rgb, to: Rgb, steps: u8) -> impl Iterator<Item = Rgb> {
    let last = steps.max(2) - 1;
    (0..=last).map(move |step| from.mixed(to, f32::from(step) / f32::from(last)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(harmony: Harmony, color: &str, expected: &str) {
        let color = Hsv::of(color.parse().unwrap(), Hsv { hue: 0.0, saturation: 0.0, value: 0.0 });
        let colors: Vec<_> = harmony.colors(color).map(|color| color.to_string()).collect();
        assert_eq!(colors.join(" "), expected);
    }

    #[test]
    fn harmonies_lie_on_the_circle_of_hues() {
        check(Harmony::Complement, "#ff0000", "#00ffff");
        check(Harmony::Analogous, "#ff0000", "#ff0080 #ff8000");
        check(Harmony::Triad, "#800000", "#000080 #008000");
        check(Harmony::Split, "#ff0000", "#00ff80 #0080ff");
        check(Harmony::Complement, "#808080", "#808080");
    }

    #[test]
    fn a_ramp_goes_from_end_to_end() {
        let (black, white) = (Rgb::new(0, 0, 0), Rgb::new(255, 255, 255));
        let steps: Vec<_> = ramp(black, white, 4).map(|color| color.r).collect();
        assert_eq!(steps, [0, 85, 170, 255]);
        assert_eq!(ramp(black, white, 0).collect::<Vec<_>>(), [black, white]);
    }
}
