//! The palettes that maps were given, as the settings keep them: the latest first, bounded in number and size.
//!
//! A map's own files know nothing of them. Whoever changes them is `swatches` beside this.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::storage::StoredPath;
use crate::document::Swatch;
use crate::format::{MAX_SWATCHES, swatch_name};

/// Maps whose palettes are kept.
pub const MAX_PALETTES: usize = 32;
/// What all of them may weigh, in bytes of names and about so many for each colour: settings are a small file.
const MAX_WEIGHT: usize = 192 << 10;
/// About what a colour takes in the file besides its name.
const COLOR_WEIGHT: usize = 16;

/// The palettes of maps, the latest first.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MapPalettes(Vec<MapPalette>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct MapPalette {
    map: StoredPath,
    #[serde(serialize_with = "write", deserialize_with = "read")]
    colors: Vec<Swatch>,
}

impl MapPalettes {
    /// The palette of a map, if it was given one.
    pub fn of(&self, map: &Path) -> Option<&[Swatch]> {
        self.0.iter().find(|palette| palette.map.0 == map).map(|palette| &*palette.colors)
    }

    /// Keeps the palette of a map; `None` forgets it.
    pub fn set(&mut self, map: &Path, swatches: Option<&[Swatch]>) {
        self.0.retain(|palette| palette.map.0 != map);
        if let Some(swatches) = swatches {
            self.0.insert(0, MapPalette { map: map.into(), colors: swatches.into() });
        }
        self.bound();
    }

    /// Drops what is too much: old palettes, and the names of a new one that is too large by itself.
    pub(super) fn bound(&mut self) {
        let weight = |palette: &MapPalette| palette.colors.iter().map(|swatch| swatch.name.len() + COLOR_WEIGHT).sum::<usize>();
        self.0.truncate(MAX_PALETTES);
        if let Some(newest) = self.0.first_mut() {
            newest.colors.truncate(MAX_SWATCHES);
            if weight(newest) > MAX_WEIGHT {
                newest.colors.iter_mut().for_each(|swatch| swatch.name = "".into());
            }
        }
        let mut total = 0;
        self.0.retain(|palette| {
            total += weight(palette);
            total <= MAX_WEIGHT
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
        settings.palettes.set(Path::new("a.vxl"), Some(&swatches(3, "Dark: earth # 'x'")));
        settings.palettes.set(Path::new("b.vxl"), Some(&swatches(2, "")));
        settings.palettes.set(Path::new("c.vxl"), Some(&[]));
        settings.save_changes(&Settings::default(), &storage, Path::new(FILE)).unwrap();
        let (loaded, problem) = Settings::load(&storage, Path::new(FILE));
        assert!(problem.is_none(), "{problem:?}");
        assert_eq!(loaded, settings);
        assert_eq!(loaded.palettes.of(Path::new("a.vxl")), Some(&*swatches(3, "Dark: earth # 'x'")));
        assert_eq!(loaded.palettes.of(Path::new("c.vxl")), Some(&[][..]));
        assert_eq!(loaded.palettes.of(Path::new("d.vxl")), None);
        settings.palettes.set(Path::new("a.vxl"), None);
        assert_eq!(settings.palettes.of(Path::new("a.vxl")), None);
    }

    #[test]
    fn the_newest_maps_are_kept_within_a_small_file() {
        let storage = FaultyStorage::default();
        let mut settings = Settings::default();
        for map in 0..MAX_PALETTES + 3 {
            settings.palettes.set(Path::new(&format!("{map}.vxl")), Some(&swatches(4, "")));
        }
        assert_eq!(settings.palettes.0.len(), MAX_PALETTES);
        assert!(settings.palettes.of(Path::new("2.vxl")).is_none() && settings.palettes.of(Path::new("34.vxl")).is_some());
        for map in 0..40 {
            settings.palettes.set(Path::new(&format!("{map}.vxl")), Some(&swatches(MAX_SWATCHES, &"ö".repeat(80))));
        }
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
            assert_eq!(settings.palettes, MapPalettes::default());
        }
    }
}
