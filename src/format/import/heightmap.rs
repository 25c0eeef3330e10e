//! Heightmaps: a PNG picture whose brightness is the height of the ground, a pixel a column, north up.
//! A second picture of the same size may give the colors.

use std::sync::Arc;

use glam::IVec3;

use super::picture::{Picture, SIGNATURE, read_picture};
use super::volume::flag;
use super::{Import, ImportFiles, ImportKind, Imported};
use crate::document::{OptionValue, Options, Progress};
use crate::format::{Certainty, FormatError, OptionKind, OptionSpec, Report, Severity, Source};
use crate::geom::{LevelCurve, Region};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, Paint, Rgb, Store};

/// Height of the map in voxels.
const DEPTH: i32 = 64;
const FLOOR: i32 = DEPTH - 1;
const LOW: i64 = FLOOR as i64;
const HIGH: i64 = 8;

/// Color of the water plane.
const WATER: Rgb = Rgb::new(0x48, 0x68, 0x90);
/// Colors of the ground by its height over the water, in 1/64 of the map; between them they are mixed.
const GROUND: [(i32, Rgb); 5] = [
    (0, Rgb::new(0xc8, 0xb8, 0x86)),
    (3, Rgb::new(0x6c, 0x8e, 0x4a)),
    (24, Rgb::new(0x4e, 0x74, 0x38)),
    (40, Rgb::new(0x80, 0x7a, 0x70)),
    (60, Rgb::new(0xe8, 0xe8, 0xec)),
];

/// The import.
#[derive(Clone, Copy, Debug)]
pub struct Heightmap;

impl Import for Heightmap {
    fn id(&self) -> &'static str {
        "heightmap"
    }

    fn label(&self) -> &'static str {
        "Heightmap"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["png"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[
            OptionSpec {
                name: "low",
                help: "z of the ground where the picture is black",
                kind: OptionKind::Int { min: 0, max: LOW, default: LOW },
            },
            OptionSpec {
                name: "high",
                help: "z of the ground where it is white",
                kind: OptionKind::Int { min: 0, max: LOW, default: HIGH },
            },
            OptionSpec {
                name: "curve",
                help: "How high each brightness is: an exponent such as 2.2, or points from 0 to 1 such as 0:0,0.5:0.3,1:1",
                kind: OptionKind::Curve { default: "1" },
            },
            OptionSpec { name: "invert", help: "Take black for white", kind: OptionKind::Bool { default: false } },
            OptionSpec {
                name: "steps",
                help: "Each step of gray is one voxel up from low, as in exported heightmaps; high and curve do not count",
                kind: OptionKind::Bool { default: false },
            },
            OptionSpec {
                name: "water",
                help: "Ground on the lowest plane has the color of water, where no picture gives the colors",
                kind: OptionKind::Bool { default: true },
            },
        ]
    }

    fn takes_colors(&self) -> bool {
        true
    }

    fn probe(&self, source: &dyn Source) -> Certainty {
        let is_own = source.head(SIGNATURE.len()).is_ok_and(|head| head == SIGNATURE);
        if is_own { Certainty::Sure } else { Certainty::No }
    }

    fn read(&self, files: &ImportFiles<'_>, options: &Options, progress: &Progress, report: &mut Report) -> Result<Imported, FormatError> {
        let levels = Levels::of(options)?;
        let has_water = flag(options, "water", true)?;
        let picture = read_picture(files.main, progress)?;
        let size = IVec3::new(side(picture.size[0]), side(picture.size[1]), DEPTH);
        let colors = files.colors.map(|source| read_picture(source, progress)).transpose();
        let colors = colors.map_err(|reason| FormatError::Colors(Box::new(reason)))?;
        if let Some(colors) = &colors
            && colors.size != picture.size
        {
            let reason = FormatError::PictureSize { found: colors.size, wanted: picture.size };
            return Err(FormatError::Colors(Box::new(reason)));
        }
        let is_flat = picture.gray.iter().all(|gray| Some(gray) == picture.gray.first());
        if is_flat {
            report.push(Severity::Guess, "flat", "The whole picture has one brightness: the ground is level");
        }
        let land = Land { size, tops: levels.tops(&picture), colors: colors.map(|picture| picture.colors), has_water };
        Ok(Imported { store: land.store(progress)?, name: String::new(), anchor: IVec3::ZERO, kind: ImportKind::Terrain })
    }
}

/// A side of a picture, which is at most 4096.
fn side(pixels: u32) -> i32 {
    i32::try_from(pixels).unwrap_or(i32::MAX)
}

/// How brightness becomes a height.
#[derive(Clone, Debug)]
struct Levels {
    low: i32,
    high: i32,
    curve: LevelCurve,
    inverted: bool,
    stepped: bool,
}

impl Levels {
    fn of(options: &Options) -> Result<Self, FormatError> {
        let plane = |name: &'static str, default: i64| match options.get(name) {
            None => Ok(default as i32),
            Some(OptionValue::Int(z)) if (0..=LOW).contains(z) => Ok(*z as i32),
            Some(other) => Err(FormatError::BadOption { name, value: format!("{other:?}") }),
        };
        let bad_curve = |value: String| FormatError::BadOption { name: "curve", value };
        let curve = match options.get("curve") {
            None => LevelCurve::LINEAR,
            Some(OptionValue::Text(text)) => text.parse().map_err(|_| bad_curve(text.clone()))?,
            // An exponent without a fraction.
            Some(OptionValue::Int(exponent)) => exponent.to_string().parse().map_err(|_| bad_curve(exponent.to_string()))?,
            Some(other) => return Err(bad_curve(format!("{other:?}"))),
        };
        let (inverted, stepped) = (flag(options, "invert", false)?, flag(options, "steps", false)?);
        Ok(Self { low: plane("low", LOW)?, high: plane("high", HIGH)?, curve, inverted, stepped })
    }

    /// z of the topmost voxel of each column, `[y][x]`.
    fn tops(&self, picture: &Picture) -> Vec<u8> {
        let top = |gray: u16| {
            let gray = if self.inverted { u16::MAX - gray } else { gray };
            if self.stepped {
                // Not above the sky.
                return (self.low - i32::from(gray / picture.gray_step)).max(0) as u8;
            }
            let share = self.curve.at(f64::from(gray) / f64::from(u16::MAX));
            // Between two planes of the map.
            (f64::from(self.low) + f64::from(self.high - self.low) * share).round() as u8
        };
        picture.gray.iter().map(|gray| top(*gray)).collect()
    }
}

/// Ground without caves, `[y][x]`.
struct Land {
    size: IVec3,
    /// Topmost voxel, 0 to 63.
    tops: Vec<u8>,
    colors: Option<Vec<Rgb>>,
    has_water: bool,
}

impl Land {
    fn store(&self, progress: &Progress) -> Result<Store, FormatError> {
        let bounds = Region::of_size(self.size);
        let mut store = Store::new(bounds);
        let chunks: Vec<_> = ChunkPos::covering(&bounds).collect();
        for (done, pos) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            store.put_chunk(*pos, self.chunk(*pos).map(Arc::new));
        }
        Ok(store)
    }

    fn chunk(&self, pos: ChunkPos) -> Option<Chunk> {
        let origin = pos.origin();
        let (mut solid, mut known, mut words) = ([0; CHUNK_COLUMNS], [0; CHUNK_COLUMNS], vec![]);
        for (column, (solid, known)) in solid.iter_mut().zip(&mut known).enumerate() {
            let (x, y) = (origin.x + (column % CHUNK_EDGE) as i32, origin.y + (column / CHUNK_EDGE) as i32);
            let Some(top) = self.top(x, y) else { continue };
            // Seen are the top and the sides above a lower neighbor's top.
            let lowest = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)].into_iter().filter_map(|(x, y)| self.top(x, y)).max();
            let seen_end = lowest.unwrap_or(top).max(top + 1);
            for z in origin.z.max(top)..(origin.z + CHUNK_EDGE as i32).min(DEPTH) {
                *solid |= 1 << (z - origin.z);
                if z < seen_end {
                    *known |= 1 << (z - origin.z);
                    words.push(Paint::new(self.color(x, y, z)).to_word());
                }
            }
        }
        Chunk::from_columns(&solid, &known, words)
    }

    fn index(&self, x: i32, y: i32) -> Option<usize> {
        let inside = (0..self.size.x).contains(&x) && (0..self.size.y).contains(&y);
        inside.then(|| y as usize * self.size.x as usize + x as usize)
    }

    fn top(&self, x: i32, y: i32) -> Option<i32> {
        self.tops.get(self.index(x, y)?).map(|top| i32::from(*top))
    }

    fn color(&self, x: i32, y: i32, z: i32) -> Rgb {
        match self.colors.as_ref().and_then(|colors| colors.get(self.index(x, y)?)) {
            Some(given) => *given,
            None if z == FLOOR && self.has_water => WATER,
            None => ground_color(FLOOR - z),
        }
    }
}

fn ground_color(height: i32) -> Rgb {
    let after = GROUND.iter().position(|(from, _)| *from > height);
    let (before, after) = match after {
        Some(after) => (GROUND.get(after.saturating_sub(1)), GROUND.get(after)),
        None => (GROUND.last(), None),
    };
    match (before, after) {
        (Some((low, from)), Some((high, to))) => from.mixed(*to, (height - low) as f32 / (high - low) as f32),
        (Some((_, color)), None) | (None, Some((_, color))) => *color,
        (None, None) => WATER,
    }
}
