//! Facts about the map that are neither voxels nor objects.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::voxel::Rgb;

/// Name, author, fog and so on. `None` means that no file names it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Metadata {
    /// Shown to players.
    pub name: Option<String>,
    /// Who made the map.
    pub author: Option<String>,
    /// Free text, often `1.0`.
    pub version: Option<String>,
    /// What the map is about.
    pub description: Option<String>,
    /// Colour of the sky and of the distance.
    pub fog: Option<Rgb>,
    /// The game the map is made for.
    pub game_mode: Option<GameMode>,
    /// 64×64-column sectors that players may not edit.
    pub protected: BTreeSet<Sector>,
    /// Captures that end the game.
    pub cap_limit: Option<u32>,
    /// Length of the game in minutes.
    pub time_limit: Option<u32>,
}

impl Metadata {
    /// Sets one property and answers what it was.
    pub fn set(&mut self, property: Property) -> Property {
        use std::mem::replace;
        match property {
            Property::Name(value) => Property::Name(replace(&mut self.name, value)),
            Property::Author(value) => Property::Author(replace(&mut self.author, value)),
            Property::Version(value) => Property::Version(replace(&mut self.version, value)),
            Property::Description(value) => Property::Description(replace(&mut self.description, value)),
            Property::Fog(value) => Property::Fog(replace(&mut self.fog, value)),
            Property::GameMode(value) => Property::GameMode(replace(&mut self.game_mode, value)),
            Property::Protected(value) => Property::Protected(replace(&mut self.protected, value)),
            Property::CapLimit(value) => Property::CapLimit(replace(&mut self.cap_limit, value)),
            Property::TimeLimit(value) => Property::TimeLimit(replace(&mut self.time_limit, value)),
        }
    }

    /// Bytes of its texts.
    pub fn text_bytes(&self) -> usize {
        [&self.name, &self.author, &self.version, &self.description].into_iter().flatten().map(String::len).sum()
    }

    /// Every property with its value, in a fixed order.
    pub fn properties(&self) -> [Property; 9] {
        [
            Property::Name(self.name.clone()),
            Property::Author(self.author.clone()),
            Property::Version(self.version.clone()),
            Property::Description(self.description.clone()),
            Property::Fog(self.fog),
            Property::GameMode(self.game_mode),
            Property::Protected(self.protected.clone()),
            Property::CapLimit(self.cap_limit),
            Property::TimeLimit(self.time_limit),
        ]
    }
}

/// One fact of the [`Metadata`] with its value: what a command sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Property {
    /// See [`Metadata::name`].
    Name(Option<String>),
    /// See [`Metadata::author`].
    Author(Option<String>),
    /// See [`Metadata::version`].
    Version(Option<String>),
    /// See [`Metadata::description`].
    Description(Option<String>),
    /// See [`Metadata::fog`].
    Fog(Option<Rgb>),
    /// See [`Metadata::game_mode`].
    GameMode(Option<GameMode>),
    /// See [`Metadata::protected`].
    Protected(BTreeSet<Sector>),
    /// See [`Metadata::cap_limit`].
    CapLimit(Option<u32>),
    /// See [`Metadata::time_limit`].
    TimeLimit(Option<u32>),
}

impl Property {
    /// The property's name as a person reads it, lower case.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Name(_) => "name",
            Self::Author(_) => "author",
            Self::Version(_) => "version",
            Self::Description(_) => "description",
            Self::Fog(_) => "fog color",
            Self::GameMode(_) => "game mode",
            Self::Protected(_) => "protected sectors",
            Self::CapLimit(_) => "capture limit",
            Self::TimeLimit(_) => "time limit",
        }
    }
}

/// The game that a map is made for; numbers as in the VMF header (byte 64).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameMode {
    /// Capture the flag.
    Ctf,
    /// Territory control.
    Tc,
    /// Babel.
    Babel,
    /// Arena.
    Arena,
    /// A number that the format's text does not name; kept.
    Other(u8),
}

impl GameMode {
    /// From the number in a VMF header.
    pub fn from_number(number: u8) -> Self {
        match number {
            0 => Self::Ctf,
            1 => Self::Tc,
            2 => Self::Babel,
            3 => Self::Arena,
            other => Self::Other(other),
        }
    }

    /// The number in a VMF header.
    pub fn number(self) -> u8 {
        match self {
            Self::Ctf => 0,
            Self::Tc => 1,
            Self::Babel => 2,
            Self::Arena => 3,
            Self::Other(number) => number,
        }
    }
}

/// A square of 64×64 columns: letter = x ÷ 64 (A–H), number = y ÷ 64 + 1 (1–8), as players see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sector {
    // Invariant: both below 8.
    column: u8,
    row: u8,
}

impl Sector {
    /// Side of a sector in columns.
    pub const EDGE: i32 = 64;

    /// The sector that holds a column; `None` outside the 8×8 sectors.
    pub fn of(x: i32, y: i32) -> Option<Self> {
        let part = |v: i32| u8::try_from(v.div_euclid(Self::EDGE)).ok().filter(|part| *part < 8);
        Some(Self { column: part(x)?, row: part(y)? })
    }

    /// Smallest x and y of the sector.
    pub fn origin(self) -> [i32; 2] {
        [i32::from(self.column) * Self::EDGE, i32::from(self.row) * Self::EDGE]
    }

    /// All 64, A1, B1 … H8.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8).flat_map(|row| (0..8).map(move |column| Self { column, row }))
    }
}

impl fmt::Display for Sector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'A' + self.column), self.row + 1)
    }
}

/// A text that names no sector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a sector A1 to H8: {0:?}")]
pub struct BadSector(String);

impl FromStr for Sector {
    type Err = BadSector;

    fn from_str(text: &str) -> Result<Self, BadSector> {
        match text.as_bytes() {
            [letter, digit] => {
                let (column, row) = (letter.to_ascii_uppercase().wrapping_sub(b'A'), digit.wrapping_sub(b'1'));
                (column < 8 && row < 8).then_some(Self { column, row }).ok_or_else(|| BadSector(text.into()))
            }
            _ => Err(BadSector(text.chars().take(20).collect())),
        }
    }
}

impl TryFrom<String> for Sector {
    type Error = BadSector;

    fn try_from(text: String) -> Result<Self, BadSector> {
        text.parse()
    }
}

impl From<Sector> for String {
    fn from(sector: Sector) -> Self {
        sector.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_read_back_from_their_names() {
        for sector in Sector::all() {
            assert_eq!(sector.to_string().parse(), Ok(sector));
            let [x, y] = sector.origin();
            assert_eq!(Sector::of(x + 63, y), Some(sector));
        }
        assert_eq!(Sector::of(64, 0).unwrap().to_string(), "B1");
        assert_eq!(Sector::of(512, 0), None);
        assert_eq!(Sector::of(-1, 0), None);
        assert!("I1".parse::<Sector>().is_err() && "A9".parse::<Sector>().is_err() && "A0".parse::<Sector>().is_err());
    }

    #[test]
    fn setting_a_property_answers_the_old_value() {
        let mut metadata = Metadata::default();
        for property in metadata.properties() {
            assert_eq!(metadata.set(property.clone()), property);
        }
        assert_eq!(metadata.set(Property::Name(Some("a".into()))), Property::Name(None));
        assert_eq!(metadata.set(Property::Name(None)), Property::Name(Some("a".into())));
    }
}
