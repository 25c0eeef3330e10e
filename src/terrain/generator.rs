//! What a generator is: its names, its settings as data, and the one function that makes voxels.
//!
//! Dialogs and `--set key=value` are built from [`Setting`]s; a command carries [`Params`].

use std::collections::BTreeMap;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::land::Land;
use crate::document::{Cancelled, Progress, size_text};
use crate::voxel::{Rgb, Store};

/// Most columns that a generator fills: 4096×4096, far over any game's limit.
pub const MAX_COLUMNS: u64 = 4096 * 4096;

/// Makes a map from parameters and a seed.
pub trait Generator: Sync {
    /// The name in scripts and commands; never changes.
    fn id(&self) -> &'static str;

    /// The name in menus.
    fn label(&self) -> &'static str;

    /// One sentence on what it makes.
    fn help(&self) -> &'static str;

    /// What can be set, in the order dialogs show it.
    fn settings(&self) -> &'static [Setting] {
        &[]
    }

    /// Makes the voxels: the same parameters give the same voxels on every machine.
    ///
    /// # Errors
    /// When the size or a setting is out of range, or the work was cancelled.
    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError>;

    /// Works on land that is there, of the size of the parameters; answers whether it can. What it cannot is replaced by
    /// what it [generates](Self::generate).
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    fn reshape(&self, _params: &Params, _land: &mut Land, _progress: &Progress) -> Result<bool, TerrainError> {
        Ok(false)
    }
}

/// Edge of the small map that tells of a large one, in columns.
const SAMPLE: i32 = 256;

/// Refuses a map that would by far take more memory than allowed, before it is made: a small one of its kind is
/// measured. What this lets pass is for the caller to measure.
///
/// # Errors
/// [`TerrainError::TooLarge`], and as [`Generator::generate`].
pub fn check_memory(generator: &dyn Generator, params: &Params, allowed: u64, progress: &Progress) -> Result<(), TerrainError> {
    let sample = Params { size: params.size.min(IVec3::new(SAMPLE, SAMPLE, params.size.z)), ..params.clone() };
    let columns = |size: IVec3| u64::from(size.x.unsigned_abs()) * u64::from(size.y.unsigned_abs());
    let times = columns(params.size) / columns(sample.size).max(1);
    // What is made at once needs no sample; what cannot be made is refused when it is made.
    if times <= 4 || columns(params.size) > MAX_COLUMNS {
        return Ok(());
    }
    let needed = (generator.generate(&sample, progress)?.size_bytes() as u64).saturating_mul(times);
    if needed / 2 > allowed { Err(TerrainError::TooLarge { needed, allowed }) } else { Ok(()) }
}

/// What a generator is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Params {
    /// Size in voxels: x east, y south, z down.
    pub size: IVec3,
    /// Seed of every random choice.
    pub seed: u64,
    /// Settings by id; those left out have their default.
    #[serde(default)]
    pub values: BTreeMap<String, Value>,
}

impl Params {
    /// The size of the game's maps, 512×512×64, with default settings.
    pub fn game(seed: u64) -> Self {
        Self { size: IVec3::new(512, 512, 64), seed, values: BTreeMap::new() }
    }

    /// Checks every value against the settings of the generator.
    ///
    /// # Errors
    /// The first value that is not known or not in range.
    pub fn check(&self, settings: &[Setting]) -> Result<(), TerrainError> {
        for (id, value) in &self.values {
            let Some(setting) = settings.iter().find(|setting| setting.id == id) else {
                return Err(TerrainError::UnknownSetting { id: id.clone() });
            };
            if !setting.kind.accepts(value) {
                return Err(TerrainError::BadValue { id: setting.id, expected: setting.kind });
            }
        }
        Ok(())
    }

    /// The number set, or the default; 0 for a setting that is no number.
    pub fn number(&self, setting: &Setting) -> i32 {
        match (self.values.get(setting.id), setting.kind) {
            (Some(Value::Number(number)), _) => *number,
            (_, Kind::Number { default, .. }) => default,
            _ => 0,
        }
    }

    /// The color set, or the default; black for a setting that is no color.
    pub fn color(&self, setting: &Setting) -> Rgb {
        match (self.values.get(setting.id), setting.kind) {
            (Some(Value::Color(color)), _) => *color,
            (_, Kind::Color { default }) => default,
            _ => Rgb::new(0, 0, 0),
        }
    }
}

/// Something that can be set before generating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key in scripts and commands.
    pub id: &'static str,
    /// The name in dialogs.
    pub label: &'static str,
    /// One sentence on what it does.
    pub help: &'static str,
    /// What values it takes.
    pub kind: Kind,
}

/// What values a [`Setting`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number within `min..=max`.
    Number {
        /// Smallest value.
        min: i32,
        /// Largest value.
        max: i32,
        /// Value where none is given.
        default: i32,
        /// What it counts.
        unit: Unit,
    },
    /// A color.
    Color {
        /// Value where none is given.
        default: Rgb,
    },
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Voxels along an axis.
    Voxels,
    /// Hundredths of a whole.
    Percent,
    /// Degrees of an angle.
    Degrees,
    /// Nothing that has a name, such as places and steps of color.
    Plain,
    /// Something else, in the words that follow the number.
    Said(&'static str),
}

impl Unit {
    /// What follows the number, with the space between.
    pub fn after(self, number: i64) -> &'static str {
        match self {
            Self::Voxels if number == 1 => " voxel",
            Self::Voxels => " voxels",
            Self::Percent => " %",
            Self::Degrees => "°",
            Self::Plain => "",
            Self::Said(words) => words,
        }
    }
}

impl Kind {
    /// Whether the value is of this kind and in range.
    pub fn accepts(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number { min, max, .. }, Value::Number(number)) => (min..=max).contains(&number),
            (Self::Color { .. }, Value::Color(_)) => true,
            _ => false,
        }
    }

    /// The value where none is given.
    pub fn default_value(&self) -> Value {
        match self {
            Self::Number { default, .. } => Value::Number(*default),
            Self::Color { default } => Value::Color(*default),
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number { min, max, .. } => write!(f, "a whole number from {min} to {max}"),
            Self::Color { .. } => write!(f, "a color of the form #rrggbb"),
        }
    }
}

/// The value of a [`Setting`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "a value is a whole number or a color such as \"#80c040\"")]
pub enum Value {
    /// A whole number.
    Number(i32),
    /// A color.
    Color(Rgb),
}

/// Why nothing was generated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TerrainError {
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// There is no generator of that id.
    #[error("there is no generator named {id:?}")]
    UnknownGenerator {
        /// The id that was given.
        id: String,
    },
    /// A side is 0 or less.
    #[error("a map of {}×{}×{} holds no voxel", size[0], size[1], size[2])]
    Empty {
        /// The size asked for.
        size: [i32; 3],
    },
    /// More than [`MAX_COLUMNS`].
    #[error("a map of {}×{} columns is too wide; at most {MAX_COLUMNS} columns can be generated", size[0], size[1])]
    TooWide {
        /// The size asked for.
        size: [i32; 3],
    },
    /// A map that would take more memory than allowed, as a small one of its kind shows.
    #[error("it would take about {} of memory, and {} are allowed", size_text(*needed), size_text(*allowed))]
    TooLarge {
        /// Bytes it would take, to some half or double.
        needed: u64,
        /// Bytes allowed.
        allowed: u64,
    },
    /// The generator has no such setting.
    #[error("there is no setting named {id:?}")]
    UnknownSetting {
        /// The name that was given.
        id: String,
    },
    /// The value is of the wrong kind or out of range.
    #[error("setting {id} takes {expected}")]
    BadValue {
        /// The setting.
        id: &'static str,
        /// What it takes.
        expected: Kind,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEIGHT: Setting =
        Setting { id: "height", label: "Height", help: "", kind: Kind::Number { min: 0, max: 9, default: 4, unit: Unit::Voxels } };

    #[test]
    fn values_are_checked_against_the_settings() {
        let with = |id: &str, value| Params { values: BTreeMap::from([(id.to_owned(), value)]), ..Params::game(1) };
        assert_eq!(with("height", Value::Number(9)).check(&[HEIGHT]), Ok(()));
        let refused = TerrainError::BadValue { id: "height", expected: HEIGHT.kind };
        assert_eq!(with("height", Value::Number(10)).check(&[HEIGHT]), Err(refused.clone()));
        assert_eq!(with("height", Value::Color(Rgb::new(1, 2, 3))).check(&[HEIGHT]), Err(refused));
        assert_eq!(with("h", Value::Number(1)).check(&[HEIGHT]), Err(TerrainError::UnknownSetting { id: "h".into() }));
        assert_eq!((Params::game(1).number(&HEIGHT), with("height", Value::Number(2)).number(&HEIGHT)), (4, 2));
    }

    #[test]
    fn params_survive_json() {
        let values = BTreeMap::from([("height".to_owned(), Value::Number(3)), ("color".to_owned(), Value::Color(Rgb::new(1, 2, 255)))]);
        let params = Params { values, ..Params::game(u64::MAX) };
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<Params>(&text).unwrap(), params, "{text}");
    }
}
