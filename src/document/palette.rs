//! Colours with names: what the voxels of a map mean where the format knows kinds of voxels, not colours.
//!
//! SS14 fills it with its tiles. The window offers the names; whoever paints needs the colour only.

use std::sync::Arc;

use crate::voxel::Rgb;

/// A colour and what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Swatch {
    /// What it means, in the format's own words: `FloorSteel`.
    pub name: Arc<str>,
    /// The colour that stands for it.
    pub color: Rgb,
}

/// Named colours, each name and each colour at most once. Cloning is a pointer copy.
///
/// ```
/// use spadework::document::{Palette, Swatch};
/// use spadework::voxel::Rgb;
/// let (steel, wood) = (Rgb::new(120, 120, 124), Rgb::new(72, 48, 24));
/// let palette = Palette::new([("FloorSteel", steel), ("FloorWood", wood)].map(|(name, color)| Swatch { name: name.into(), color }));
/// assert_eq!(palette.name_of(wood), Some("FloorWood"));
/// assert_eq!(palette.nearest(Rgb::new(70, 50, 20)).map(|swatch| &*swatch.name), Some("FloorWood"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    // Invariant: no two swatches have a name or a colour in common.
    swatches: Arc<[Swatch]>,
}

impl Palette {
    /// A palette in this order; a swatch whose name or colour an earlier one has is left out.
    pub fn new(swatches: impl IntoIterator<Item = Swatch>) -> Self {
        let (mut names, mut colors) = (std::collections::HashSet::new(), std::collections::HashSet::new());
        let first = |swatch: &Swatch| {
            let is_new = !names.contains(&swatch.name) && !colors.contains(&swatch.color);
            is_new && names.insert(swatch.name.clone()) && colors.insert(swatch.color)
        };
        Self { swatches: swatches.into_iter().filter(first).collect() }
    }

    /// A palette of swatches of which no two have a name or a colour in common, in this order.
    pub fn of_distinct(swatches: impl IntoIterator<Item = Swatch>) -> Self {
        let palette = Self { swatches: swatches.into_iter().collect() };
        debug_assert!(palette == Self::new(palette.swatches.iter().cloned()), "two swatches have a name or a colour in common");
        palette
    }

    /// All swatches, in the order in which they are offered.
    pub fn swatches(&self) -> &[Swatch] {
        &self.swatches
    }

    /// Whether colours have no names.
    pub fn is_empty(&self) -> bool {
        self.swatches.is_empty()
    }

    /// What a colour means.
    pub fn name_of(&self, color: Rgb) -> Option<&str> {
        self.swatches.iter().find(|swatch| swatch.color == color).map(|swatch| &*swatch.name)
    }

    /// The colour that stands for a name.
    pub fn color_of(&self, name: &str) -> Option<Rgb> {
        self.swatches.iter().find(|swatch| &*swatch.name == name).map(|swatch| swatch.color)
    }

    /// The swatch that looks most like a colour; the first of several.
    pub fn nearest(&self, color: Rgb) -> Option<&Swatch> {
        self.swatches.iter().min_by_key(|swatch| distance(swatch.color, color))
    }
}

/// How different two colours look: the weighted squares that take the eye's part for little arithmetic.
fn distance(a: Rgb, b: Rgb) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    let red = (u32::from(a.r) + u32::from(b.r)) / 2;
    (512 + red) * square(a.r, b.r) + 1024 * square(a.g, b.g) + (767 - red) * square(a.b, b.b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_a_color_belong_to_one_swatch() {
        let swatch = |name: &str, red: u8| Swatch { name: name.into(), color: Rgb::new(red, 0, 0) };
        let palette = Palette::new([swatch("a", 1), swatch("b", 1), swatch("a", 2), swatch("c", 9)]);
        assert_eq!(palette.swatches(), [swatch("a", 1), swatch("c", 9)]);
        assert_eq!((palette.color_of("c"), palette.color_of("b")), (Some(Rgb::new(9, 0, 0)), None));
        assert_eq!(palette.nearest(Rgb::new(4, 0, 0)), Some(&swatch("a", 1)));
        assert_eq!(Palette::default().nearest(Rgb::new(0, 0, 0)), None);
    }
}
