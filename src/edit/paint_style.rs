//! What painting does to a color: replaces, tints, mixes, shades, blurs, or lays a picture on the surface.
//!
//! A style is plain data; it knows neither brushes nor masks. Callers are the painting commands, which say where.

use glam::{IVec3, Vec3};
use serde::{Deserialize, Serialize};

use super::brush::in_range;
use super::window::MARGIN;
use super::{ColorImage, EditError};
use crate::geom::{Axis, Face, Region, VoxelPos};
use crate::terrain::Noise;
use crate::voxel::Rgb;

const BLACK: Rgb = Rgb::new(0, 0, 0);
const WHITE: Rgb = Rgb::new(255, 255, 255);

/// What painting does to the voxels it covers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PaintStyle {
    /// They take the color.
    Replace {
        /// The color.
        color: Rgb,
    },
    /// They come nearer to a color.
    Tint {
        /// The color.
        color: Rgb,
        /// Percent of the way, 1 to 100.
        #[serde(default = "half")]
        strength: u8,
    },
    /// They come nearer to white.
    Lighten {
        /// Percent of the way, 1 to 100.
        #[serde(default = "some")]
        strength: u8,
    },
    /// They come nearer to black.
    Darken {
        /// Percent of the way, 1 to 100.
        #[serde(default = "some")]
        strength: u8,
    },
    /// Each takes one of several colors.
    Mix {
        /// The colors, each with how often it comes in proportion to the others.
        colors: Vec<(Rgb, u32)>,
    },
    /// Some become lighter, others darker.
    Noise {
        /// Percent of the way to white or black, 1 to 100, that they go at most.
        #[serde(default = "some")]
        strength: u8,
        /// Voxels from light to light, 1 to 64; 1 gives every voxel its own.
        #[serde(default = "one")]
        grain: u32,
    },
    /// They take the colors between two, from one end to the other.
    Gradient {
        /// Color at the beginning.
        from: Rgb,
        /// Color at the end.
        to: Rgb,
        /// From where to where.
        #[serde(default)]
        along: Along,
    },
    /// They take colors by their height.
    Ramp {
        /// Heights (z) with their colors, from the sky down; between two of them lie the colors between.
        stops: Vec<(i32, Rgb)>,
    },
    /// They come nearer to the mean of those around.
    Blur {
        /// Percent of the way, 1 to 100.
        #[serde(default = "all")]
        strength: u8,
        /// Voxels around, on each side, 1 to 4.
        #[serde(default = "one")]
        radius: u32,
    },
    /// They take the colors of a picture that is laid on the surface.
    Decal {
        /// The picture, at most [`MAX_DECAL`](Self::MAX_DECAL) pixels on a side.
        image: ColorImage,
        /// Voxels across the picture, 1 to 512; down, it keeps its proportions.
        width: u32,
        /// The side of the surface that it is seen on.
        #[serde(default = "top")]
        face: Face,
        /// Pixels of this color paint nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        clear: Option<Rgb>,
    },
}

/// Which way a gradient runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Along {
    /// From the stroke's beginning to its end. Where there is no stroke, a box that is
    /// [painted](crate::edit::ops::PaintStroke) is all beginning, and what is [filled](crate::edit::ops::Styled) takes
    /// it as `x`.
    #[default]
    Stroke,
    /// From west to east.
    X,
    /// From north to south.
    Y,
    /// From top to bottom.
    Z,
}

impl Along {
    /// All ways, in the order of the switch.
    pub const ALL: [Self; 4] = [Self::Stroke, Self::X, Self::Y, Self::Z];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Stroke => "Stroke",
            Self::X => "West to east",
            Self::Y => "North to south",
            Self::Z => "Top to bottom",
        }
    }
}

fn one() -> u32 {
    1
}

fn some() -> u8 {
    15
}

fn half() -> u8 {
    50
}

fn all() -> u8 {
    100
}

fn top() -> Face {
    Face::MinusZ
}

/// Where a painted voxel lies, apart from what stands there.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaintedAt {
    /// On the mapper's side.
    pub original: VoxelPos,
    /// The same for all images of the voxel.
    pub canonical: VoxelPos,
    /// Of the stroke, 0 to 1.
    pub share: f32,
}

impl PaintStyle {
    /// Most colors of a mix, and stops of a ramp.
    pub const MAX_COLORS: usize = 64;
    /// Longest side of a decal in pixels.
    pub const MAX_DECAL: u32 = 256;
    /// Deepest painting, in voxels from the air.
    pub const MAX_DEPTH: u32 = MARGIN as u32;
    /// Farthest that blurring looks, on each side.
    pub const MAX_RADIUS: u32 = 4;

    /// Name of a step that painted so.
    pub(super) fn step_label(&self) -> &'static str {
        match self {
            Self::Replace { .. } => "Paint",
            Self::Tint { .. } => "Tint",
            Self::Lighten { .. } => "Lighten",
            Self::Darken { .. } => "Darken",
            Self::Mix { .. } => "Paint a mix",
            Self::Noise { .. } => "Paint noise",
            Self::Gradient { .. } => "Paint a gradient",
            Self::Ramp { .. } => "Paint by height",
            Self::Blur { .. } => "Blur",
            Self::Decal { .. } => "Paint a picture",
        }
    }

    /// As it is where there is no stroke: a gradient along one runs along x.
    pub(super) fn in_box(self) -> Self {
        match self {
            Self::Gradient { from, to, along: Along::Stroke } => Self::Gradient { from, to, along: Along::X },
            style => style,
        }
    }

    pub(super) fn check(&self) -> Result<(), EditError> {
        let percent = |strength: u8| in_range("strength", i64::from(strength), 1, 100);
        let count = |what, len: usize| in_range(what, i64::try_from(len).unwrap_or(i64::MAX), 1, Self::MAX_COLORS as i64);
        match self {
            Self::Replace { .. } | Self::Gradient { .. } => Ok(()),
            Self::Tint { strength, .. } | Self::Lighten { strength } | Self::Darken { strength } => percent(*strength),
            Self::Mix { colors } => {
                count("colors of the mix", colors.len())?;
                colors.iter().try_for_each(|(_, weight)| in_range("share of a color", i64::from(*weight), 1, 10_000))
            }
            Self::Noise { strength, grain } => {
                percent(*strength)?;
                in_range("grain", i64::from(*grain), 1, 64)
            }
            Self::Ramp { stops } => {
                count("stops of the ramp", stops.len())?;
                stops.iter().zip(stops.iter().skip(1)).try_for_each(|((above, _), (below, _))| {
                    in_range("height of a stop", i64::from(*below), i64::from(*above) + 1, i64::from(i32::MAX))
                })
            }
            Self::Blur { strength, radius } => {
                percent(*strength)?;
                in_range("radius", i64::from(*radius), 1, i64::from(Self::MAX_RADIUS))
            }
            Self::Decal { image, width, .. } => {
                in_range("width of the picture", i64::from(*width), 1, 512)?;
                let side = |side: u32| in_range("side of the picture", i64::from(side), 1, i64::from(Self::MAX_DECAL));
                image.size().into_iter().try_for_each(side)
            }
        }
    }

    /// The same where pairs of colors are exchanged.
    pub(super) fn recolored(&self, other: impl Fn(Rgb) -> Rgb) -> Self {
        let mut style = self.clone();
        match &mut style {
            Self::Replace { color } | Self::Tint { color, .. } => *color = other(*color),
            Self::Mix { colors } => colors.iter_mut().for_each(|(color, _)| *color = other(*color)),
            Self::Gradient { from, to, .. } => (*from, *to) = (other(*from), other(*to)),
            Self::Ramp { stops } => stops.iter_mut().for_each(|(_, color)| *color = other(*color)),
            // A picture is what it is; the others know no color.
            Self::Lighten { .. } | Self::Darken { .. } | Self::Noise { .. } | Self::Blur { .. } | Self::Decal { .. } => {}
        }
        style
    }

    /// Whether its seed matters.
    pub fn is_random(&self) -> bool {
        matches!(self, Self::Mix { .. } | Self::Noise { .. })
    }

    /// Voxels that it looks at for each that it paints.
    pub(super) fn looks_at(&self) -> u64 {
        match self {
            Self::Blur { radius, .. } => (2 * u64::from(*radius) + 1).pow(3),
            _ => 1,
        }
    }

    /// The color that a voxel takes; `None` leaves it.
    ///
    /// `area` is the box that is painted, `anchor` the middle of a decal. `color_of` answers the color of another
    /// solid voxel from where this one stands, where it has one.
    pub(super) fn color(
        &self,
        old: Rgb,
        at: PaintedAt,
        (area, anchor, seed): (&Region, VoxelPos, u32),
        color_of: impl Fn(IVec3) -> Option<Rgb>,
    ) -> Option<Rgb> {
        let noise = |field| Noise::new(u64::from(seed), field);
        Some(match self {
            Self::Replace { color } => *color,
            Self::Tint { color, strength } => old.mixed(*color, share(*strength)),
            Self::Lighten { strength } => old.mixed(WHITE, share(*strength)),
            Self::Darken { strength } => old.mixed(BLACK, share(*strength)),
            Self::Mix { colors } => {
                let total: u64 = colors.iter().map(|(_, weight)| u64::from(*weight)).sum();
                let mut left = (u64::from(noise(MIX).word(at.canonical)) * total) >> 32;
                let chosen = colors.iter().find(|(_, weight)| {
                    let found = left < u64::from(*weight);
                    left = left.saturating_sub(u64::from(*weight));
                    found
                });
                chosen.map_or(old, |(color, _)| *color)
            }
            Self::Noise { strength, grain } => {
                let value = if *grain == 1 {
                    2.0 * noise(LIGHT).chance(at.canonical) - 1.0
                } else {
                    // Off the lattice, where the noise is not always zero.
                    noise(LIGHT).space((at.canonical.as_vec3() + Vec3::splat(0.37)) / *grain as f32)
                };
                old.mixed(if value < 0.0 { BLACK } else { WHITE }, value.abs().min(1.0) * share(*strength))
            }
            Self::Gradient { from, to, along } => {
                let across = |axis: usize| {
                    let (min, size) = (area.min()[axis], area.size()[axis]);
                    if size <= 1 { 0.0 } else { (at.original[axis] - min) as f32 / (size - 1) as f32 }
                };
                let share = match along {
                    Along::Stroke => at.share,
                    Along::X => across(Axis::X.index()),
                    Along::Y => across(Axis::Y.index()),
                    Along::Z => across(Axis::Z.index()),
                };
                from.mixed(*to, share)
            }
            Self::Ramp { stops } => ramp(stops, at.original.z)?,
            Self::Blur { strength, radius } => {
                let reach = IVec3::splat(*radius as i32);
                let (mut sum, mut count) = ([0_u32; 3], 0);
                for color in Region::new(-reach, reach + 1).positions().filter_map(color_of) {
                    sum.iter_mut().zip(color.to_array()).for_each(|(sum, part)| *sum += u32::from(part));
                    count += 1;
                }
                if count == 0 {
                    return None;
                }
                let [r, g, b] = sum.map(|sum| ((sum + count / 2) / count) as u8);
                old.mixed(Rgb::new(r, g, b), share(*strength))
            }
            Self::Decal { image, width, face, clear } => {
                let color = decal_pixel(image, *width, *face, at.original - anchor)?;
                if Some(color) == *clear {
                    return None;
                }
                color
            }
        })
    }
}

/// Fields of a style's seed; the brush has the first ones.
const MIX: u32 = 8;
const LIGHT: u32 = 9;

fn share(percent: u8) -> f32 {
    f32::from(percent) / 100.0
}

fn ramp(stops: &[(i32, Rgb)], z: i32) -> Option<Rgb> {
    let below = stops.iter().position(|(stop, _)| *stop >= z);
    let (Some(index), Some(last)) = (below, stops.last()) else { return stops.last().map(|(_, color)| *color) };
    let (to_z, to) = stops.get(index).unwrap_or(last);
    let Some((from_z, from)) = index.checked_sub(1).and_then(|above| stops.get(above)) else { return Some(*to) };
    let (way, all) = (i64::from(z) - i64::from(*from_z), i64::from(*to_z) - i64::from(*from_z));
    Some(from.mixed(*to, way as f32 / all as f32))
}

/// The pixel of a decal at a place from its middle, as it is seen from outside; `None` beside it.
fn decal_pixel(image: &ColorImage, width: u32, face: Face, from_middle: IVec3) -> Option<Rgb> {
    let [columns, rows] = image.size().map(i64::from);
    let width = i64::from(width);
    let height = (width * rows / columns.max(1)).max(1);
    // To the right and down, looking at the face; tops lie with north up.
    let at = from_middle.as_i64vec3();
    let (right, down) = match face {
        Face::MinusZ => (at.x, at.y),
        Face::PlusZ => (at.x, -at.y),
        Face::PlusY => (at.x, at.z),
        Face::MinusY => (-at.x, at.z),
        Face::PlusX => (-at.y, at.z),
        Face::MinusX => (at.y, at.z),
    };
    let (x, y) = (right + width / 2, down + height / 2);
    if x < 0 || x >= width || y < 0 || y >= height {
        return None;
    }
    // The middle of the voxel.
    let (x, y) = ((2 * x + 1) * columns / (2 * width), (2 * y + 1) * rows / (2 * height));
    image.at(i32::try_from(x).ok()?, i32::try_from(y).ok()?)
}

/// How deep painting may reach below the surface, in voxels.
pub(super) fn check_depth(depth: u32) -> Result<(), EditError> {
    in_range("depth", i64::from(depth), 1, i64::from(PaintStyle::MAX_DEPTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_has_the_colors_between_its_stops_and_goes_on_beyond_them() {
        let stops = [(10, Rgb::new(0, 0, 0)), (20, Rgb::new(100, 0, 200)), (30, WHITE)];
        let at = |z| ramp(&stops, z).unwrap();
        assert_eq!([at(-5), at(10), at(15), at(20)], [BLACK, BLACK, Rgb::new(50, 0, 100), Rgb::new(100, 0, 200)]);
        assert_eq!([at(30), at(i32::MAX), at(i32::MIN)], [WHITE, WHITE, BLACK]);
        assert_eq!(ramp(&[], 3), None);
    }

    /// What a voxel of that color becomes at `x` of a box from 10 to 14; those around have what `around` answers.
    fn painted(style: &PaintStyle, old: Rgb, x: i32, around: impl Fn(IVec3) -> Option<Rgb>) -> Option<Rgb> {
        let at = IVec3::new(x, 12, 13);
        let area = Region::new(IVec3::splat(10), IVec3::splat(15));
        style.color(old, PaintedAt { original: at, canonical: at, share: 0.25 }, (&area, at, 7), around)
    }

    #[test]
    fn all_colors_of_a_style_are_exchanged_on_the_other_side() {
        let other = |color| if color == BLACK { WHITE } else { BLACK };
        let pairs = |[a, b]: [Rgb; 2]| {
            [
                PaintStyle::Replace { color: a },
                PaintStyle::Tint { color: b, strength: 7 },
                PaintStyle::Mix { colors: vec![(a, 1), (b, 2)] },
                PaintStyle::Gradient { from: a, to: b, along: Along::X },
                PaintStyle::Gradient { from: a, to: a, along: Along::Z },
                PaintStyle::Ramp { stops: vec![(1, a), (2, b), (3, b)] },
            ]
        };
        assert_eq!(pairs([BLACK, WHITE]).map(|style| style.recolored(other)), pairs([WHITE, BLACK]));
        let none = [PaintStyle::Lighten { strength: 1 }, PaintStyle::Noise { strength: 1, grain: 2 }];
        assert_eq!(none.clone().map(|style| style.recolored(other)), none);
    }

    #[test]
    fn shading_goes_so_many_percent_of_the_way() {
        let old = Rgb::new(100, 0, 200);
        let becomes = |style: PaintStyle| painted(&style, old, 12, |_| None).unwrap().to_array();
        assert_eq!(becomes(PaintStyle::Replace { color: Rgb::new(1, 2, 3) }), [1, 2, 3]);
        assert_eq!(becomes(PaintStyle::Tint { color: Rgb::new(200, 100, 0), strength: 50 }), [150, 50, 100]);
        assert_eq!(becomes(PaintStyle::Tint { color: Rgb::new(200, 100, 0), strength: 100 }), [200, 100, 0]);
        assert_eq!(becomes(PaintStyle::Lighten { strength: 40 }), [162, 102, 222]);
        assert_eq!(becomes(PaintStyle::Darken { strength: 25 }), [75, 0, 150]);
    }

    #[test]
    fn a_gradient_goes_from_the_first_to_the_last_along_its_axis_or_the_stroke() {
        let of = |along, x| {
            let style = PaintStyle::Gradient { from: Rgb::new(0, 100, 40), to: Rgb::new(200, 0, 40), along };
            painted(&style, BLACK, x, |_| None).unwrap().to_array()
        };
        assert_eq!([10, 12, 14].map(|x| of(Along::X, x)), [[0, 100, 40], [100, 50, 40], [200, 0, 40]]);
        // y is in the middle, z three quarters down, and so much of the stroke a quarter.
        assert_eq!([Along::Y, Along::Z, Along::Stroke].map(|along| of(along, 11)), [[100, 50, 40], [150, 25, 40], [50, 75, 40]]);
    }

    #[test]
    fn a_blur_is_the_mean_of_what_stands_within_its_radius() {
        let old = Rgb::new(30, 0, 10);
        let around = |by: IVec3| match by.to_array() {
            [0, 0, 0] => Some(old),
            [1, -1, 1] => Some(Rgb::new(60, 90, 10)),
            [0, 2, 0] => Some(Rgb::new(0, 240, 70)),
            _ => None,
        };
        let blurred = |strength, radius| painted(&PaintStyle::Blur { strength, radius }, old, 12, around).map(Rgb::to_array);
        assert_eq!(blurred(100, 1), Some([45, 45, 10]));
        assert_eq!(blurred(100, 2), Some([30, 110, 30]));
        assert_eq!(blurred(50, 2), Some([30, 55, 20]));
        assert_eq!(painted(&PaintStyle::Blur { strength: 100, radius: 1 }, old, 12, |_| None), None);
    }

    #[test]
    fn a_mix_has_its_colors_as_often_as_it_says_and_noise_stays_within_its_strength() {
        let mix = PaintStyle::Mix { colors: vec![(BLACK, 3), (WHITE, 1)] };
        let white = (0..4000).filter(|x| painted(&mix, BLACK, *x, |_| None) == Some(WHITE)).count();
        assert!((850..1150).contains(&white), "{white} of 4000");
        for grain in [1, 6] {
            let noise = PaintStyle::Noise { strength: 20, grain };
            let parts: Vec<u8> = (0..400).map(|x| painted(&noise, Rgb::new(100, 100, 100), x, |_| None).unwrap().r).collect();
            // A fifth of the way to black, or to white.
            assert!(parts.iter().all(|part| (80..=131).contains(part)), "{parts:?}");
            let (darker, lighter) = (parts.iter().filter(|part| **part < 97).count(), parts.iter().filter(|part| **part > 103).count());
            assert!(darker > 40 && lighter > 40, "grain {grain}: {darker} darker, {lighter} lighter");
        }
    }

    #[test]
    fn a_decal_is_seen_the_right_way_round_from_outside() {
        let image = ColorImage::new([2, 2], [1, 2, 3, 4].map(|part| Rgb::new(part, 0, 0)).to_vec()).unwrap();
        let row = |face: Face, at: [[i32; 3]; 4]| at.map(|at| decal_pixel(&image, 2, face, at.into()).unwrap().r);
        assert_eq!(row(Face::MinusZ, [[-1, -1, 0], [0, -1, 0], [-1, 0, 0], [0, 0, 0]]), [1, 2, 3, 4]);
        // Looking north at a wall's south side, east is to the right; looking south, to the left.
        assert_eq!(row(Face::PlusY, [[-1, 0, -1], [0, 0, -1], [-1, 0, 0], [0, 0, 0]]), [1, 2, 3, 4]);
        assert_eq!(row(Face::MinusY, [[1, 0, -1], [0, 0, -1], [1, 0, 0], [0, 0, 0]]), [1, 2, 3, 4]);
        assert_eq!(decal_pixel(&image, 2, Face::MinusZ, IVec3::new(1, 0, 0)), None);
        assert_eq!(decal_pixel(&image, 4, Face::MinusZ, IVec3::new(1, -2, 9)).map(|color| color.r), Some(2));
    }
}
