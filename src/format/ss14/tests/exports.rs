//! Levels of other maps become grids.

use glam::IVec3;

use super::{count_of, read, read_with, save, save_with, tile_at};
use crate::document::{Document, GameProfile, OptionValue, Options};
use crate::format::ss14::export::Style;
use crate::format::{Certainty, FormatError, MapFormat as _, MemorySource};
use crate::geom::Region;
use crate::voxel::{Extra, Paint, Rgb, Store, StoreEdit, Voxel};

/// Water at 63, an island of sand at 62 that covers parts of four chunks, a tower of steel on it.
fn island() -> Document {
    let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(64, 64, 64))));
    for pos in Region::new(IVec3::new(0, 0, 63), IVec3::new(64, 64, 64)).positions() {
        edit.set(pos, Some(Voxel::new(Rgb::new(0, 0, 200))));
    }
    for pos in Region::new(IVec3::new(10, 10, 62), IVec3::new(20, 20, 63)).positions() {
        edit.set(pos, Some(Voxel::new(Rgb::new(200, 180, 130))));
    }
    edit.set(IVec3::new(12, 13, 62), Some(Voxel::HIDDEN));
    for z in 50..62 {
        edit.set(IVec3::new(12, 13, z), Some(Voxel::new(Rgb::new(124, 124, 124))));
    }
    let mut store = edit.before().clone();
    store.apply(&edit.finish());
    Document::new(store, &GameProfile::ACE_OF_SPADES)
}

fn options(style: &str, slice: i64) -> Options {
    Options::from([("style".into(), OptionValue::Text(style.into())), ("slice".into(), OptionValue::Int(slice))])
}

#[test]
fn the_ground_above_the_water_becomes_a_grid() {
    let (bytes, report) = save(&island());
    assert_eq!((count_of(&report, "outside-slice"), count_of(&report, "inexact-tiles")), (64 * 64 + 12, 100));
    let (grid, report) = read(&bytes);
    assert!(report.worst().is_none(), "{report:?}");
    assert_eq!((grid.store().solid_count(), &*grid.volumes()[0].name), (100, "Slice z 62"));
    // The same place in the editor, however the file counts.
    assert_eq!((tile_at(&grid, 10, 10), tile_at(&grid, 9, 10)), (Some("FloorDesert"), None));
    assert_eq!(tile_at(&grid, 12, 13), Some("Plating"), "nobody knows the color of a hidden voxel");
    let text = std::str::from_utf8(&bytes).unwrap();
    assert_eq!((text.matches("version: 7").count(), text.contains("format: 7")), (4, true));
    assert!(serde_yaml::from_str::<serde_yaml::Value>(text).is_ok());
    assert_eq!(save(&grid).0, bytes);
}

#[test]
fn shades_and_attributes_of_the_level_are_told_as_lost() {
    let mut map = island();
    let mut edit = StoreEdit::new(map.store());
    let shaded = Paint { shade: 99, ..Paint::new(Rgb::new(200, 180, 130)) };
    for z in [62, 63] {
        edit.set(IVec3::new(15, 15, z), Some(Voxel { paint: Some(shaded), extra: Extra { light: 9, ..Extra::default() } }));
        edit.set(IVec3::new(16, 15, z), Some(Voxel { paint: Some(shaded), ..Voxel::HIDDEN }));
    }
    let changes = edit.finish();
    map.store_mut(0).unwrap().apply(&changes);
    for style in ["grid", "blueprint"] {
        let report = save_with(&map, &options(style, 62)).1;
        assert_eq!((count_of(&report, "shade"), count_of(&report, "voxel-extras")), (2, 1), "those of other levels are left out whole");
        let report = save_with(&island(), &options(style, 62)).1;
        assert_eq!((count_of(&report, "shade"), count_of(&report, "voxel-extras")), (0, 0));
    }
}

#[test]
fn a_blueprint_is_format_2() {
    let (bytes, report) = save_with(&island(), &options("blueprint", 55));
    assert_eq!((count_of(&report, "old-format"), count_of(&report, "inexact-tiles")), (1, 0));
    let text = std::str::from_utf8(&bytes).unwrap();
    assert!(
        text.starts_with("meta:\n  format: 2\n  name: \"Slice z 55\"\n  author: unknown\n  postmapinit: false\n")
            || text.contains("name: Slice z 55")
    );
    let (grid, report) = read(&bytes);
    assert!(report.worst().is_none(), "{report:?}");
    assert_eq!((tile_at(&grid, 12, 13), grid.store().solid_count()), (Some("FloorSteel"), 1));
    assert!(serde_yaml::from_str::<serde_yaml::Value>(text).is_ok());
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let written = |options| super::Ss14.write(&island(), &mut vec![], &options, &Default::default(), &mut Default::default());
    assert!(matches!(written(options("other", 5)), Err(FormatError::BadOption { .. })));
    for level in [64, -2] {
        let error = written(options("grid", level)).unwrap_err().to_string();
        assert!(error.contains(&format!("{level}: the levels of this map are 0 (highest) to 63 (lowest)")), "{error}");
    }
    let (bytes, report) = save_with(&island(), &options("grid", 3));
    assert_eq!((count_of(&report, "empty-slice"), read(&bytes).0.store().solid_count()), (1, 0));
    let told = report.warnings.iter().find(|warning| warning.code == "empty-slice").map(|warning| warning.message.as_str());
    assert_eq!(
        told,
        Some("the slice z 3 is empty, and so is the floor: choose one from 50 (highest) to 63 (lowest), where there are voxels")
    );
    assert_eq!(super::export::style(&options("", -1)).unwrap(), None::<Style>);
    let order = Options::from([("tile-order".into(), OptionValue::Text("spiral".into()))]);
    assert!(matches!(read_with(&bytes, &order), Err(FormatError::BadOption { name: "tile-order", .. })));
}

#[test]
fn a_station_exports_its_floor() {
    let (station, _) = read(super::fixtures::map(7).as_bytes());
    let (bytes, report) = save_with(&station, &options("blueprint", -1));
    assert_eq!((count_of(&report, "inexact-tiles"), count_of(&report, "objects")), (0, 4));
    let (again, _) = read(&bytes);
    assert_eq!(again.store().solid_count(), 256);
    assert_eq!(tile_at(&again, 3, -4), Some("FloorSteel"));
}

/// Flags, variant and turn of every tile of the first grid, with its chunk and number.
fn rests(text: &[u8]) -> Vec<([i32; 2], usize, [u8; 3])> {
    let loaded = super::Opened::new(text, &Options::new(), &Default::default()).unwrap().loaded;
    let chunks = loaded.index.grids[0].chunks.chunks.iter().zip(&loaded.tiles[0]);
    let mut all: Vec<_> =
        chunks.flat_map(|(chunk, tiles)| tiles.all().enumerate().map(move |(index, (_, rest))| (chunk.at, index, rest))).collect();
    all.sort();
    all
}

#[test]
fn tiles_keep_variant_and_turn_where_the_format_has_them() {
    for format in 2..=7 {
        let text = super::fixtures::map(format);
        let (station, _) = read(text.as_bytes());
        // Painted over, a tile is plain.
        let station = super::painted(&station, [3, -4], Some("Plating"));
        for style in ["grid", "blueprint"] {
            let (bytes, report) = save_with(&station, &options(style, -1));
            let (mut expected, mut turned) = (rests(text.as_bytes()), 0);
            for (at, index, rest) in &mut expected {
                if (*at, *index) == ([0, 0], 3 * 16 + 3) {
                    *rest = [0; 3];
                } else if style == "blueprint" {
                    turned += u64::from(rest[2] != 0);
                    rest[2] = 0;
                }
            }
            assert!(expected.iter().any(|(.., rest)| rest[1] == 3), "there are variants");
            assert_eq!(rests(&bytes), expected, "format {format} as {style}");
            assert_eq!(count_of(&report, "tile-turns"), turned, "format {format} as {style}");
        }
    }
}

#[test]
fn what_only_a_station_keeps_is_told_where_it_is_left_out() {
    // A grid with a place and with air, a wall that holds nothing, a box on the map itself.
    let text = super::fixtures::map(7).replacen("parent: invalid", "pos: 3,4\n      parent: invalid\n    - type: GridAtmosphere", 1);
    let (station, _) = read(text.as_bytes());
    let mut report = crate::format::Report::new();
    super::Ss14.tell_only_here(station.source.as_ref().unwrap(), &mut report);
    let told: Vec<_> = report.warnings.iter().map(|warning| (warning.severity.name(), warning.code, warning.count)).collect();
    // Of the entities, the crate holds a pen and a spawn point is turned.
    let expected = [("tile-names", 2), ("tile-variants", 239), ("entity-components", 2), ("entities-elsewhere", 1)];
    let expected = expected.into_iter().chain([("grid-places", 1), ("grid-components", 1)]);
    assert_eq!(told, expected.map(|(code, count)| ("loss", code, count)).collect::<Vec<_>>());
    // A floor that is written anew keeps its tiles.
    let (bytes, report) = save_with(&station, &options("grid", -1));
    let losses: Vec<_> = report.of(crate::format::Severity::Loss).map(|loss| (loss.code, loss.count)).collect();
    assert_eq!(losses, [("objects", 4), ("entities-elsewhere", 1), ("grid-places", 1), ("grid-components", 1)]);
    let (plain, mut report) = (read(&bytes).0, crate::format::Report::new());
    super::Ss14.tell_only_here(plain.source.as_ref().unwrap(), &mut report);
    assert_eq!(report.warnings.iter().map(|warning| warning.code).collect::<Vec<_>>(), ["tile-names", "tile-variants"]);
}

#[test]
fn content_tells_maps_from_other_yaml() {
    #[track_caller]
    fn check(text: &str, expected: Certainty) {
        assert_eq!(super::Ss14.probe(&MemorySource(text.as_bytes().into())), expected, "{text}");
    }
    check("meta:\n  format: 7\n", Certainty::Sure);
    check("\u{feff}meta:\r\n  name: x\r\n  format: 2\r\n", Certainty::Sure);
    check("---\n# map\nmeta:\n  format: 2\n", Certainty::Sure);
    check("--- # map\r\nmeta:\r\n  format: 2\r\n", Certainty::Sure);
    check("--- {meta: {format: 6}}", Certainty::Possible);
    for meta in ["\"meta\":", "'meta':", "meta :"] {
        check(&format!("{meta}\n  format: 7\n"), Certainty::Sure);
    }
    check(&format!("{}meta:\n  format: 7\n", "# What this map is about.\n".repeat(1000)), Certainty::Sure);
    for length in 4070..4110 {
        check(&format!("#{}\nmeta:\n  format: 7\n", "-".repeat(length)), Certainty::Sure);
    }
    check("\"metal\":\n  format: 7\n", Certainty::No);
    check("---x\nmeta:\n  format: 2\n", Certainty::No);
    check("- grid:\n    settings:\n", Certainty::Sure);
    check("- &1363196850 grid:\n    settings:\n", Certainty::Sure);
    check("meta: {format: 6}\n", Certainty::Possible);
    check("{meta: {format: 6}}", Certainty::Possible);
    check("spadework: 1\nmetadata:\n  name: x\n", Certainty::No);
    check("- type: tile\n  id: FloorSteel\n", Certainty::No);
    check("", Certainty::No);
    check("PNG", Certainty::No);
}
