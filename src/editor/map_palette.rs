//! The palettes that maps were given, as the settings keep them: the latest first, bounded in number and size.
//!
//! A map's own files know nothing of them. Whoever changes them is `swatches` beside this. An entry that is not understood loses no
//! other, and stays as it is.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_yaml::Value;

use super::storage::StoredPath;
use crate::document::Swatch;
use crate::format::{MAX_SWATCHES, swatch_name};

/// Maps whose palettes are kept.
pub const MAX_PALETTES: usize = 32;
/// What all of them may weigh, in bytes of names and about so many for each colour: settings are a small file.
pub(super) const MAX_WEIGHT: usize = 192 << 10;
/// About what a colour takes in the file besides its name.
const COLOR_WEIGHT: usize = 16;

/// The palettes of maps, the latest first.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct MapPalettes(Vec<Entry>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Entry {
    Palette(MapPalette),
    /// No palette, or a second one of its map, which nobody but its author takes away.
    Other(Value),
}

impl Entry {
    fn palette(&self) -> Option<&MapPalette> {
        match self {
            Self::Palette(palette) => Some(palette),
            Self::Other(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for MapPalettes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut maps = HashSet::new();
        let entry = |value: Value| match serde_yaml::from_value::<MapPalette>(value.clone()) {
            Ok(palette) if maps.insert(palette.map.0.clone()) => Entry::Palette(palette),
            _ => Entry::Other(value),
        };
        Ok(Self(Vec::deserialize(deserializer)?.into_iter().map(entry).collect()))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MapPalette {
    map: StoredPath,
    #[serde(serialize_with = "write", deserialize_with = "read")]
    colors: Vec<Swatch>,
}

/// What the settings have no room for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DroppedPalettes {
    /// The maps whose palettes are forgotten.
    pub maps: Vec<PathBuf>,
    /// Whether the palette that was given is kept without the names of its colors, from now on.
    pub has_lost_names: bool,
}

impl MapPalettes {
    /// The palette of a map, if it was given one.
    pub fn of(&self, map: &Path) -> Option<&[Swatch]> {
        self.0.iter().filter_map(Entry::palette).find(|palette| palette.map.0 == map).map(|palette| &*palette.colors)
    }

    /// Keeps the palette of a map; `None` forgets it. Answers what there is no room for any more.
    pub fn set(&mut self, map: &Path, swatches: Option<&[Swatch]>) -> DroppedPalettes {
        let had_no_names = self.of(map).is_some_and(|old| !old.is_empty() && old.iter().all(|swatch| swatch.name.is_empty()));
        self.0.retain(|entry| entry.palette().is_none_or(|palette| palette.map.0 != map));
        if let Some(swatches) = swatches {
            self.0.insert(0, Entry::Palette(MapPalette { map: map.into(), colors: swatches.into() }));
        }
        let before = self.maps();
        self.bound();
        DroppedPalettes {
            maps: before.into_iter().filter(|map| self.of(map).is_none()).collect(),
            has_lost_names: !had_no_names && swatches.zip(self.of(map)).is_some_and(|(given, kept)| given != kept),
        }
    }

    /// The maps that have palettes.
    pub(super) fn maps(&self) -> Vec<PathBuf> {
        self.0.iter().filter_map(Entry::palette).map(|palette| palette.map.0.clone()).collect()
    }

    /// What an entry of the settings says of its map, if it is a palette.
    pub(super) fn map_of(entry: &Value) -> Option<&Value> {
        entry.get("map").filter(|_| serde_yaml::from_value::<MapPalette>(entry.clone()).is_ok())
    }

    /// How many entries are no palettes of maps, and hold nothing.
    pub fn others(&self) -> usize {
        self.0.iter().filter(|entry| entry.palette().is_none()).count()
    }

    /// Drops what is too much: old palettes, and the names of a new one that is too large by itself.
    pub(super) fn bound(&mut self) {
        let weight = |palette: &MapPalette| palette.colors.iter().map(|swatch| swatch.name.len() + COLOR_WEIGHT).sum::<usize>();
        let (mut count, mut total) = (0, 0);
        self.0.retain_mut(|entry| {
            let Entry::Palette(palette) = entry else { return true };
            if count == 0 {
                palette.colors.truncate(MAX_SWATCHES);
                if weight(palette) > MAX_WEIGHT {
                    palette.colors.iter_mut().for_each(|swatch| swatch.name = "".into());
                }
            }
            (count, total) = (count + 1, total + weight(palette));
            count <= MAX_PALETTES && total <= MAX_WEIGHT
        });
    }
}

/// A colour and its name in one text: `#3a2a1c Dark earth`.
fn write<S: Serializer>(swatches: &[Swatch], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(swatches.iter().map(|swatch| format!("{} {}", swatch.color, swatch.name).trim_end().to_owned()))
}

fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Swatch>, D::Error> {
    let lines = Vec::<String>::deserialize(deserializer)?;
    let swatch = |line: &String| {
        let (color, name) = line.split_once(' ').unwrap_or((line, ""));
        Ok(Swatch { color: color.parse().map_err(serde::de::Error::custom)?, name: swatch_name(name).into() })
    };
    lines.iter().map(swatch).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::settings::Settings;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::voxel::Rgb;

    const FILE: &str = "c/settings.yaml";

    fn swatches(count: usize, name: &str) -> Vec<Swatch> {
        (0..count).map(|index| Swatch { name: name.into(), color: Rgb::new(index as u8, (index >> 8) as u8, 7) }).collect()
    }

    #[test]
    fn palettes_come_back_by_their_map() {
        let storage = FaultyStorage::default();
        let mut settings = Settings::default();
        let mut set = |map: &str, swatches: Option<&[Swatch]>| {
            assert_eq!(settings.palettes.set(Path::new(map), swatches), DroppedPalettes::default());
        };
        set("a.vxl", Some(&swatches(3, "Dark: earth # 'x'")));
        set("b.vxl", Some(&swatches(2, "")));
        set("c.vxl", Some(&[]));
        settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
        let (loaded, problem) = Settings::load(&storage, Path::new(FILE));
        assert!(problem.is_none(), "{problem:?}");
        assert_eq!(loaded, settings);
        assert_eq!(loaded.palettes.of(Path::new("a.vxl")), Some(&*swatches(3, "Dark: earth # 'x'")));
        assert_eq!(loaded.palettes.of(Path::new("c.vxl")), Some(&[][..]));
        assert_eq!(loaded.palettes.of(Path::new("d.vxl")), None);
        assert_eq!(settings.palettes.set(Path::new("a.vxl"), None), DroppedPalettes::default());
        assert_eq!(settings.palettes.of(Path::new("a.vxl")), None);
    }

    #[test]
    fn the_newest_maps_are_kept_within_a_small_file() {
        let storage = FaultyStorage::default();
        let mut settings = Settings::default();
        for map in 0..MAX_PALETTES + 3 {
            let dropped = settings.palettes.set(Path::new(&format!("{map}.vxl")), Some(&swatches(4, "")));
            let maps = map.checked_sub(MAX_PALETTES).map(|oldest| format!("{oldest}.vxl").into());
            assert_eq!(dropped, DroppedPalettes { maps: maps.into_iter().collect(), has_lost_names: false });
        }
        assert_eq!(settings.palettes.0.len(), MAX_PALETTES);
        assert!(settings.palettes.of(Path::new("2.vxl")).is_none() && settings.palettes.of(Path::new("34.vxl")).is_some());
        for map in 0..40 {
            let dropped = settings.palettes.set(Path::new(&format!("{map}.vxl")), Some(&swatches(MAX_SWATCHES, &"ö".repeat(80))));
            assert!(dropped.has_lost_names);
        }
        let again = settings.palettes.set(Path::new("39.vxl"), Some(&swatches(MAX_SWATCHES, &"ö".repeat(80))));
        assert!(!again.has_lost_names, "it had none before");
        assert_eq!(settings.palettes.of(Path::new("39.vxl")), Some(&*swatches(MAX_SWATCHES, "")), "the colors are kept, the names are not");
        settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
        assert!(storage.get(FILE).unwrap().len() < 1 << 19);
        assert_eq!(Settings::load(&storage, Path::new(FILE)).0, settings);
    }

    #[test]
    fn a_palette_that_is_none_loses_no_other_setting() {
        for broken in ["7", "[x]", "[{map: a.vxl, colors: ['#12345']}]"] {
            let yaml = format!("ui_scale: 1.5\npalettes: {broken}\n");
            let storage = FaultyStorage::with(&[(FILE, yaml.as_bytes())]);
            let (settings, problem) = Settings::load(&storage, Path::new(FILE));
            assert!(problem.is_none() && settings.ui_scale == Some(1.5), "{broken}: {problem:?}");
            assert!(settings.palettes.maps().is_empty());
        }
    }

    #[test]
    fn an_entry_that_is_no_palette_stays_where_others_come_and_go() {
        let yaml = "palettes:\n- {map: a.vxl, colors: ['#11223g A']}\n- {map: b.vxl, colors: ['#112233 B']}\n- later\n";
        let storage = FaultyStorage::with(&[(FILE, yaml.as_bytes())]);
        let (known, problem) = Settings::load(&storage, Path::new(FILE));
        assert!(problem.is_none() && known.palettes.others() == 2, "{problem:?}");
        assert_eq!(known.palettes.of(Path::new("b.vxl")).map(<[_]>::len), Some(1));
        let mut settings = known.clone();
        for map in 0..3 {
            settings.palettes.set(Path::new(&format!("{map}.vxl")), Some(&swatches(2, "")));
        }
        // Somebody mends it meanwhile.
        for (there, others) in [(yaml.to_owned(), 2), (yaml.replace("3g", "33"), 1)] {
            storage.put(FILE, there.as_bytes());
            settings.save_changes(&known, &storage, Path::new(FILE)).unwrap();
            let again = Settings::load(&storage, Path::new(FILE)).0.palettes;
            assert_eq!((again.maps().len(), again.others()), (6 - others, others), "{there}");
            let text = String::from_utf8(storage.get(FILE).unwrap()).unwrap();
            assert!(text.contains("- later") && text.contains("#11223g A") == (others == 2), "{text}");
        }
    }
}
