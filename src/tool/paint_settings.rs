//! The settings of painting: a kind of style, and the numbers and colors that all kinds share, with fills too.

use crate::edit::ops::{Filled, Styled};
use crate::edit::{Along, ColorImage, Command, PaintStyle};
use crate::geom::Face;
use crate::voxel::Rgb;

/// A kind of painting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum PaintKind {
    /// Takes the color.
    #[default]
    Replace,
    /// Towards the color.
    Tint,
    /// Towards white.
    Lighten,
    /// Towards black.
    Darken,
    /// Several colors by their shares.
    Mix,
    /// Lighter here, darker there.
    Noise,
    /// From one color to another.
    Gradient,
    /// Colors by height.
    Ramp,
    /// Towards the mean around.
    Blur,
    /// A picture on the surface.
    Decal,
}

impl PaintKind {
    /// All kinds, in the order of the list.
    pub const ALL: [Self; 10] = [
        Self::Replace,
        Self::Tint,
        Self::Lighten,
        Self::Darken,
        Self::Mix,
        Self::Noise,
        Self::Gradient,
        Self::Ramp,
        Self::Blur,
        Self::Decal,
    ];

    /// Whether it takes the color in hand.
    pub fn takes_color(self) -> bool {
        matches!(self, Self::Replace | Self::Tint | Self::Gradient)
    }

    /// Name in the list.
    pub fn label(self) -> &'static str {
        match self {
            Self::Replace => "Replace",
            Self::Tint => "Tint",
            Self::Lighten => "Lighten",
            Self::Darken => "Darken",
            Self::Mix => "Mix",
            Self::Noise => "Noise",
            Self::Gradient => "Gradient",
            Self::Ramp => "Height ramp",
            Self::Blur => "Blur",
            Self::Decal => "Picture",
        }
    }

    /// Whether it goes only some of the way.
    pub fn has_strength(self) -> bool {
        matches!(self, Self::Tint | Self::Lighten | Self::Darken | Self::Noise | Self::Blur)
    }

    /// What Ctrl makes of it.
    pub fn inverted(self) -> Self {
        match self {
            Self::Lighten => Self::Darken,
            Self::Darken => Self::Lighten,
            kind => kind,
        }
    }
}

/// What is said where a picture is to be laid on and there is none.
pub(super) const NO_PICTURE: &str = "There is no picture: choose one in the tool bar";

/// A style for what fills, with the seed of what looks random.
#[derive(Clone, Debug, PartialEq)]
pub struct FillStyle {
    /// The style.
    pub style: PaintStyle,
    /// The seed.
    pub seed: u32,
}

impl FillStyle {
    /// Cost of a command whose colors are shown before it is done, by a worker; of dearer ones only where they are.
    pub const LIVE_COST: u64 = 40_000_000;

    /// The command with the style, if there is one.
    pub fn command(style: Option<&Self>, of: Filled) -> Command {
        match style.cloned() {
            Some(Self { style, seed }) => Command::Styled(Styled { style, seed, of }),
            None => of.into(),
        }
    }
}

/// How the paint tool paints.
#[derive(Clone, Debug, PartialEq)]
pub struct PaintSettings {
    /// In what way.
    pub kind: PaintKind,
    /// Percent of the way, 1 to 100.
    pub strength: u8,
    /// Voxels from light to light of the noise, 1 to 64.
    pub grain: u32,
    /// Voxels around that blurring looks at, 1 to 4.
    pub radius: u32,
    /// Voxels from the air that are painted, 1 to 16.
    pub depth: u32,
    /// The other end of a gradient; it begins with the active color.
    pub second: Rgb,
    /// Which way a gradient runs.
    pub along: Along,
    /// Colors of a mix with their shares.
    pub mix: Vec<(Rgb, u32)>,
    /// Heights (z) of a ramp with their colors, from the sky down.
    pub stops: Vec<(i32, Rgb)>,
    /// The picture.
    pub decal: Option<ColorImage>,
    /// Voxels across the picture, 1 to 512.
    pub decal_width: u32,
    /// The color of the picture that paints nothing.
    pub clear: Option<Rgb>,
}

impl Default for PaintSettings {
    fn default() -> Self {
        let (grass, dry, stone) = (Rgb::new(0x3c, 0x7a, 0x2a), Rgb::new(0x6b, 0x8c, 0x3a), Rgb::new(0x80, 0x80, 0x80));
        Self {
            kind: PaintKind::Replace,
            strength: 50,
            grain: 1,
            radius: 1,
            depth: 1,
            second: Rgb::new(0xd8, 0xc4, 0x8a),
            along: Along::Stroke,
            mix: vec![(grass, 60), (dry, 30), (stone, 10)],
            stops: vec![(16, Rgb::new(0xff, 0xff, 0xff)), (32, stone), (48, grass), (62, Rgb::new(0xd8, 0xc4, 0x8a))],
            decal: None,
            decal_width: 16,
            clear: None,
        }
    }
}

impl PaintSettings {
    /// The style for a gesture on a face; `None` where it needs a picture and there is none.
    pub fn style(&self, kind: PaintKind, color: Rgb, face: Face) -> Option<PaintStyle> {
        let Self { strength, grain, radius, along, clear, .. } = *self;
        Some(match kind {
            PaintKind::Replace => PaintStyle::Replace { color },
            PaintKind::Tint => PaintStyle::Tint { color, strength },
            PaintKind::Lighten => PaintStyle::Lighten { strength },
            PaintKind::Darken => PaintStyle::Darken { strength },
            PaintKind::Mix => PaintStyle::Mix { colors: self.mix.clone() },
            PaintKind::Noise => PaintStyle::Noise { strength, grain },
            PaintKind::Gradient => PaintStyle::Gradient { from: color, to: self.second, along },
            PaintKind::Ramp => PaintStyle::Ramp { stops: self.stops.clone() },
            PaintKind::Blur => PaintStyle::Blur { strength, radius },
            PaintKind::Decal => PaintStyle::Decal { image: self.decal.clone()?, width: self.decal_width, face, clear },
        })
    }
}
