//! Levels of other maps become grids.

use glam::IVec3;

use super::{count_of, read, read_with, save, save_with, tile_at};
use crate::document::{Document, GameProfile, OptionValue, Options};
use crate::format::ss14::export::Style;
use crate::format::{Certainty, FormatError, MapFormat as _, MemorySource};
use crate::geom::Region;
use crate::voxel::{Rgb, Store, StoreEdit, Voxel};

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
    for options in [options("other", 5), options("grid", 64), options("grid", -2)] {
        let written = super::Ss14.write(&island(), &mut vec![], &options, &Default::default(), &mut Default::default());
        assert!(matches!(written, Err(FormatError::BadOption { .. })));
    }
    let (bytes, report) = save_with(&island(), &options("grid", 3));
    assert_eq!((count_of(&report, "empty-slice"), read(&bytes).0.store().solid_count()), (1, 0));
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

#[test]
fn content_tells_maps_from_other_yaml() {
    #[track_caller]
    fn check(text: &str, expected: Certainty) {
        assert_eq!(super::Ss14.probe(&MemorySource(text.as_bytes().into())), expected, "{text}");
    }
    check("meta:\n  format: 7\n", Certainty::Sure);
    check("\u{feff}meta:\r\n  name: x\r\n  format: 2\r\n", Certainty::Sure);
    check("---\n# map\nmeta:\n  format: 2\n", Certainty::Sure);
    check("- grid:\n    settings:\n", Certainty::Sure);
    check("- &1363196850 grid:\n    settings:\n", Certainty::Sure);
    check("meta: {format: 6}\n", Certainty::Possible);
    check("{meta: {format: 6}}", Certainty::Possible);
    check("spadework: 1\nmetadata:\n  name: x\n", Certainty::No);
    check("- type: tile\n  id: FloorSteel\n", Certainty::No);
    check("", Certainty::No);
    check("PNG", Certainty::No);
}
