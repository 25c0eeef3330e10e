//! What a single voxel is: colour, shade and the attributes that only some formats know.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Shade of new voxels: Voxlap's neutral brightness (facts: 0x80 multiplies a colour by exactly 1).
pub const SHADE_NEUTRAL: u8 = 0x80;

/// A 24-bit colour; as text `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rgb {
    /// Red, 0..=255.
    pub r: u8,
    /// Green, 0..=255.
    pub g: u8,
    /// Blue, 0..=255.
    pub b: u8,
}

impl Rgb {
    /// A colour from its parts.
    pub const fn new(r: u8, g: u8, b: u8) -> Self {
        Self { r, g, b }
    }

    /// Red, green, blue.
    pub fn to_array(self) -> [u8; 3] {
        [self.r, self.g, self.b]
    }

    /// Whether red, green and blue each differ by `tolerance` at most.
    pub fn is_near(self, other: Self, tolerance: u8) -> bool {
        self.to_array().into_iter().zip(other.to_array()).all(|(a, b)| a.abs_diff(b) <= tolerance)
    }

    /// Colour `share` of the way to `other`; 0 is this one, 1 is the other.
    pub fn mixed(self, other: Self, share: f32) -> Self {
        let mix = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share.clamp(0.0, 1.0)).round() as u8;
        Self::new(mix(self.r, other.r), mix(self.g, other.g), mix(self.b, other.b))
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

/// A colour text that is not `#rrggbb`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("color is not of the form #rrggbb: {0:?}")]
pub struct BadColor(String);

impl FromStr for Rgb {
    type Err = BadColor;

    fn from_str(text: &str) -> Result<Self, BadColor> {
        let bad = || BadColor(text.chars().take(40).collect());
        let digits = text.trim();
        let digits = digits.strip_prefix('#').unwrap_or(digits);
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let value = u32::from_str_radix(digits, 16).map_err(|_| bad())?;
        let [_, r, g, b] = value.to_be_bytes();
        Ok(Self { r, g, b })
    }
}

impl TryFrom<String> for Rgb {
    type Error = BadColor;

    fn try_from(text: String) -> Result<Self, BadColor> {
        text.parse()
    }
}

impl From<Rgb> for String {
    fn from(color: Rgb) -> Self {
        color.to_string()
    }
}

/// Colour and shade of a voxel, as VXL stores them: four bytes b, g, r, shade.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Paint {
    /// The colour.
    pub rgb: Rgb,
    /// VXL's fourth byte: baked brightness, [`SHADE_NEUTRAL`] for new voxels.
    pub shade: u8,
}

impl Paint {
    /// A colour with neutral shade.
    pub const fn new(rgb: Rgb) -> Self {
        Self { rgb, shade: SHADE_NEUTRAL }
    }

    /// From the bytes of a file: b, g, r, shade, read as a little-endian word.
    pub const fn from_word(word: u32) -> Self {
        let [b, g, r, shade] = word.to_le_bytes();
        Self { rgb: Rgb { r, g, b }, shade }
    }

    /// The bytes b, g, r, shade as a little-endian word.
    pub const fn to_word(self) -> u32 {
        u32::from_le_bytes([self.rgb.b, self.rgb.g, self.rgb.r, self.shade])
    }
}

/// What a solid voxel is made of (VMF byte 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum VoxelKind {
    /// Ordinary ground (VMF type 1).
    #[default]
    Solid,
    /// Water (VMF type 2).
    Water,
    /// A type that the format's text does not name; kept for saving.
    Unknown(u8),
}

/// What VMF, or a map of Space Station 14, knows about a solid voxel beyond its colour; the default is what VXL voxels have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Extra {
    /// Amount of light emitted (VMF byte 3).
    pub light: u8,
    /// VMF byte 4.
    pub kind: VoxelKind,
    /// VMF byte 5: 0 no, 1 yes, others kept.
    pub indestructible: u8,
    /// VMF bytes 6 and 7.
    pub reserved: u16,
    /// Flags, variant and turn of a tile of Space Station 14, as its chunk stores them; `None` of one that was painted.
    pub tile: Option<[u8; 3]>,
}

impl Extra {
    /// What VMF stores of it.
    pub fn without_tile(self) -> Self {
        Self { tile: None, ..self }
    }

    /// Whether both say the same: a plain tile is what is painted.
    pub fn is_like(self, other: Self) -> bool {
        let tile = |extra: Self| extra.tile.unwrap_or_default();
        self.without_tile() == other.without_tile() && tile(self) == tile(other)
    }
}

/// A solid voxel. Air is the absence of one (`Option::None`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Voxel {
    /// Colour and shade; `None` where unknown (VXL stores none for hidden voxels).
    pub paint: Option<Paint>,
    /// Attributes that a VXL does not store.
    pub extra: Extra,
}

impl Voxel {
    /// A solid voxel whose colour nobody knows.
    pub const HIDDEN: Self =
        Self { paint: None, extra: Extra { light: 0, kind: VoxelKind::Solid, indestructible: 0, reserved: 0, tile: None } };

    /// The voxel with the color that it has, if any, made another. A tile of another color is another tile.
    pub fn recolored(self, color: impl FnOnce(Rgb) -> Rgb) -> Self {
        let Some(paint) = self.paint else { return self };
        let rgb = color(paint.rgb);
        let extra = if rgb == paint.rgb { self.extra } else { self.extra.without_tile() };
        Self { paint: Some(Paint { rgb, ..paint }), extra }
    }

    /// A plain solid voxel of this colour and neutral shade.
    pub fn new(rgb: Rgb) -> Self {
        Self { paint: Some(Paint::new(rgb)), extra: Extra::default() }
    }

    /// The colour, where known.
    pub fn rgb(&self) -> Option<Rgb> {
        self.paint.map(|paint| paint.rgb)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_read_back_from_their_text() {
        let color = Rgb::new(0x12, 0xab, 0xff);
        assert_eq!(color.to_string(), "#12abff");
        assert_eq!("#12ABff".parse(), Ok(color));
        for bad in ["", "#12ab", "#12abfg", "#12abff0", "#+2abff", "#é1ab1"] {
            assert!(bad.parse::<Rgb>().is_err(), "{bad}");
        }
    }

    #[test]
    fn near_colors_differ_by_no_more_than_that_in_any_part() {
        for (a, b) in (0..=255).flat_map(|a| [0, 1, 5, 128, 250, 254, 255].map(|b| (a, b))) {
            for tolerance in [0, 1, 5, 127, 250, 255] {
                let expected = i32::abs(i32::from(a) - i32::from(b)) <= i32::from(tolerance);
                for part in 0..3 {
                    let [mut one, mut other] = [[7; 3]; 2];
                    (one[part], other[part]) = (a, b);
                    let [one, other] = [one, other].map(|[r, g, b]| Rgb::new(r, g, b));
                    assert_eq!(one.is_near(other, tolerance), expected, "{one} {other} {tolerance}");
                }
            }
        }
    }

    #[test]
    fn paint_words_are_the_files_bytes() {
        let paint = Paint { rgb: Rgb::new(3, 2, 1), shade: 4 };
        assert_eq!(paint.to_word().to_le_bytes(), [1, 2, 3, 4]);
        assert_eq!(Paint::from_word(paint.to_word()), paint);
    }
}
