//! Edits change what was edited and not a byte more.

use std::sync::Arc;

use base64::Engine as _;
use glam::IVec3;

use super::fixtures::{map, variants};
use super::{changed_lines, count_of, marker, painted, painted_in, read, save, tile_at};
use crate::document::{Anchor, Document, DocumentDiff, MarkerRole, Object, ObjectId, OptionValue, Options, Progress, Property};
use crate::format::{FormatError, MapFormat as _, MemorySource, Severity};
use crate::voxel::{Extra, StoreEdit, Voxel};

/// Every format in every style of line ends.
pub(super) fn all() -> impl Iterator<Item = (u32, Vec<u8>)> {
    (2..=7).flat_map(|format| variants(&map(format)).map(|bytes| (format, bytes)))
}

pub(super) fn with_object(document: &Document, id: ObjectId, object: Option<Object>) -> Document {
    let mut objects = (*document.objects).clone();
    match object {
        Some(object) => _ = objects.0.insert(id, object),
        None => _ = objects.0.remove(&id),
    }
    let mut after = document.clone();
    after.objects = Arc::new(objects);
    after
}

fn shifted(document: &Document, name: &str, by: IVec3) -> Document {
    let (id, _) = marker(document, name);
    with_object(document, id, document.objects.get(id).map(|object| object.shifted(by)))
}

fn added(document: &Document, label: &str, x: i32, y: i32) -> Document {
    added_in(document, 0, label, x, y)
}

fn added_in(document: &Document, volume: u32, label: &str, x: i32, y: i32) -> Document {
    let mut objects = (*document.objects).clone();
    objects.push(Object::Marker { label: label.into(), at: Anchor { x, y, z: None }, role: MarkerRole::Point, volume });
    let mut after = document.clone();
    after.objects = Arc::new(objects);
    after
}

#[test]
fn every_format_opens_and_comes_back_whole() {
    for (format, bytes) in all() {
        let (document, report) = read(&bytes);
        assert_eq!(document.store().solid_count(), 256, "format {format}");
        // North is up in the file: the south-west corner of the chunk 0,0 is the voxel 0,-1.
        assert_eq!((tile_at(&document, 0, -1), tile_at(&document, 1, -1)), (Some("Plating"), Some("FloorSteel")));
        assert_eq!((tile_at(&document, 5, -4), tile_at(&document, -1, 0)), (None, Some("Plating")));
        assert_eq!(&*document.volumes()[0].name, "Main");
        let places = ["WallSolid", "SpawnPointLatejoin", "SpawnPointCaptain", "Crate"].map(|name| marker(&document, name).1);
        assert_eq!(places, [[0, -1], [2, -4], [0, -1], [-1, 0]]);
        assert_eq!(document.objects.0.len(), 4, "the pen is in the crate");
        assert_eq!(count_of(&report, "entities-elsewhere"), 1);
        let roles =
            |role| document.objects.iter().filter(|(_, object)| matches!(object, Object::Marker { role: r, .. } if *r == role)).count();
        assert_eq!((roles(MarkerRole::Block), roles(MarkerRole::Spawn)), (1, 2));
        assert_eq!(document.metadata.name.as_deref(), (format <= 4).then_some("Small station"));
        assert_eq!(save(&document).0, bytes, "format {format}");
    }
}

#[test]
fn a_painted_tile_changes_one_line_and_painted_back_none() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        let after = painted(&document, [3, -4], Some("Plating"));
        let (saved, report) = save(&after);
        let lines = changed_lines(&bytes, &saved);
        assert_eq!(lines.len(), 1, "format {format}");
        assert!(lines[0].0.trim_start().starts_with("tiles: "));
        assert!(report.worst().is_none(), "{report:?}");
        let (again, _) = read(&saved);
        assert_eq!((tile_at(&again, 3, -4), tile_at(&again, 4, -4)), (Some("Plating"), Some("FloorSteel")));
        assert!(DocumentDiff::between(&again, &after, &Progress::new()).unwrap().voxels.is_empty());
        // Flags, variant and turn come back, because the name does.
        assert_eq!(save(&painted(&after, [3, -4], Some("FloorSteel"))).0, bytes);
    }
}

#[test]
fn new_floor_and_removed_floor_are_told() {
    let bytes = map(7).into_bytes();
    let (document, _) = read(&bytes);
    let (saved, report) = save(&painted_in(&document, 0, &[(IVec3::new(5, -4, 0), Some("FloorSteel")), (IVec3::new(0, -1, 0), None)]));
    assert_eq!(changed_lines(&bytes, &saved).len(), 1);
    assert_eq!((count_of(&report, "no-atmosphere"), count_of(&report, "entities-in-space")), (1, 2));
}

#[test]
fn decals_where_the_floor_was_removed_are_told() {
    // As they are written since 2022, with the component's type first or last, and as before.
    let [new, old] = [
        "chunkCollection:\n        version: 2\n        nodes:\n        - node:\n            color: '#FFFFFFFF'\n            id: Arrows\n          \
         decals:\n            581: 0,0\n            7: 0.75,0.25\n            8: 1,0",
        "chunkCollection:\n        0,0:\n          1:\n            coordinates: 0.5,0.5\n            id: Arrows\n          2:\n            \
         coordinates: 0,1\n            id: Arrows",
    ];
    let first = |nodes: &str| format!("    - type: DecalGrid\n      {nodes}\n");
    let last = |nodes: &str| format!("    - {nodes}\n      type: DecalGrid\n");
    // What is no decal looks like one.
    let other = "    - type: Other\n      decals:\n        1: 0,0\n".to_owned();
    for (component, count) in [(first(new), 2), (last(new), 2), (first(old), 1), (last(old), 1), (other, 0)] {
        for eol in ["\n", "\r\n"] {
            let text = map(7).replacen("    - type: MapGrid\n", &format!("{component}    - type: MapGrid\n"), 1).replace('\n', eol);
            let (document, _) = read(text.as_bytes());
            let (_, report) = save(&painted(&document, [0, -1], None));
            assert_eq!(count_of(&report, "decals-in-space"), count, "{text}");
            let (_, report) = save(&painted(&document, [4, -1], None));
            assert_eq!(count_of(&report, "decals-in-space"), 0);
        }
    }
}

/// Name, flags, variant and turn of every tile of the first grid by its voxel.
fn tiles_of(bytes: &[u8]) -> std::collections::BTreeMap<[i32; 2], (String, [u8; 3])> {
    let (document, _) = read(bytes);
    let chunks = document.store().chunks().flat_map(|(pos, chunk)| (0..1024).map(move |column| (pos, chunk.clone(), column)));
    let tiles = chunks.filter_map(|(pos, chunk, column)| {
        let (voxel, at) = (chunk.voxel(column, 0)?, pos.origin() + IVec3::new((column % 32) as i32, (column / 32) as i32, 0));
        Some(([at.x, at.y], (document.palette.name_of(voxel.rgb()?)?.to_owned(), voxel.extra.tile?)))
    });
    tiles.collect()
}

#[test]
fn tiles_that_are_moved_take_their_variant_and_turn_along() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        let before = tiles_of(&bytes);
        assert!(before.values().any(|(_, [_, variant, _])| *variant == 3), "format {format}");
        assert_eq!(before.values().any(|(_, [.., turn])| *turn == 7), format == 7);
        // Over tiles of the same name, over others, over a hole, and into a chunk that was not there.
        let moved = |[x, y]: [i32; 2]| [x + 4, y + 9];
        let mut edit = StoreEdit::new(document.store());
        for at in before.keys() {
            edit.set(IVec3::new(at[0], at[1], 0), None);
        }
        for at in before.keys() {
            let [x, y] = moved(*at);
            edit.set(IVec3::new(x, y, 0), document.store().voxel(IVec3::new(at[0], at[1], 0)));
        }
        let mut after = document.clone();
        after.store_mut(0).unwrap().apply(&edit.finish());
        let (saved, report) = save(&after);
        assert_eq!(tiles_of(&saved), before.into_iter().map(|(at, tile)| (moved(at), tile)).collect(), "format {format}");
        assert_eq!(report.of(Severity::Loss).count(), 0, "{report:?}");
        // Back again, the tiles are those that they were.
        let home: Vec<_> = tiles_of(&bytes).into_keys().collect();
        let mut edit = StoreEdit::new(after.store());
        tiles_of(&saved).into_keys().for_each(|[x, y]| _ = edit.set(IVec3::new(x, y, 0), None));
        home.iter().for_each(|[x, y]| _ = edit.set(IVec3::new(*x, *y, 0), document.store().voxel(IVec3::new(*x, *y, 0))));
        after.store_mut(0).unwrap().apply(&edit.finish());
        assert_eq!(save(&after).0, bytes, "format {format}");
    }
}

#[test]
fn a_turn_is_kept_where_a_chunk_has_none_yet() {
    // A file of the newest format whose second chunk is stored as before it.
    let text = map(7);
    let (document, _) = read(text.as_bytes());
    let turned =
        Voxel { extra: Extra { tile: Some([0, 1, 5]), ..Extra::default() }, ..document.store().voxel(IVec3::new(3, -4, 0)).unwrap() };
    let bytes = map(6).into_bytes();
    let (older, _) = read(&bytes);
    let mut edit = StoreEdit::new(older.store());
    edit.set(IVec3::new(3, -4, 0), Some(turned));
    let mut after = older.clone();
    after.store_mut(0).unwrap().apply(&edit.finish());
    let (saved, report) = save(&after);
    assert_eq!(tiles_of(&saved)[&[3, -4]], ("FloorSteel".to_owned(), [0, 1, 5]));
    assert_eq!(count_of(&report, "tile-turns"), 0);
    // No engine that reads format 2 knows turns.
    let (oldest, _) = read(map(2).as_bytes());
    let mut edit = StoreEdit::new(oldest.store());
    edit.set(IVec3::new(3, -4, 0), Some(turned));
    let mut there = oldest.clone();
    there.store_mut(0).unwrap().apply(&edit.finish());
    let (kept, report) = save(&there);
    assert_eq!((count_of(&report, "tile-turns"), report.worst()), (1, Some(Severity::Loss)));
    assert_eq!(tiles_of(&kept)[&[3, -4]], ("FloorSteel".to_owned(), [0, 1, 0]));
    assert!(!String::from_utf8(kept).unwrap().contains("version: 7"));
    let others = |bytes: &[u8]| tiles_of(bytes).into_iter().filter(|(at, _)| *at != [3, -4]).collect::<Vec<_>>();
    assert_eq!(others(&saved), others(&bytes));
}

#[test]
fn a_tile_of_another_name_is_added_to_the_tilemap() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        let (saved, report) = save(&painted(&document, [3, -4], Some("FloorWood")));
        assert_eq!(count_of(&report, "new-tiles"), 1);
        let text = String::from_utf8(saved.clone()).unwrap();
        assert!(text.contains("  9: MyOwnTile") && text.contains("\n  10: FloorWood"), "format {format}: {text}");
        assert_eq!(text.lines().count(), String::from_utf8(bytes.clone()).unwrap().lines().count() + 1);
        assert_eq!(tile_at(&read(&saved).0, 3, -4), Some("FloorWood"));
        assert_eq!(text.contains("\r\n"), bytes.contains(&b'\r'));
        assert!(!text.replace("\r\n", "").contains('\r') && (!text.contains("\r\n") || !text.replace("\r\n", "").contains('\n')));
    }
}

#[test]
fn a_color_that_is_no_tile_becomes_the_nearest_of_the_file() {
    let (document, _) = read(map(7).as_bytes());
    let (saved, report) = save(&painted(&document, [3, -4], Some("#2d2c2f")));
    assert_eq!(count_of(&report, "inexact-tiles"), 1);
    assert_eq!(tile_at(&read(&saved).0, 3, -4), Some("Plating"));
}

#[test]
fn chunks_come_and_go() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        let before = String::from_utf8(bytes.clone()).unwrap();
        // East of all, in the margin.
        let (saved, _) = save(&painted(&document, [20, -20], Some("FloorSteel")));
        let (again, _) = read(&saved);
        assert_eq!((tile_at(&again, 20, -20), again.store().solid_count()), (Some("FloorSteel"), 257), "format {format}");
        let text = String::from_utf8(saved).unwrap();
        let lines = match format {
            2 => 2,
            3..=5 => 3,
            _ => 4,
        };
        assert_eq!(text.lines().count(), before.lines().count() + lines);
        // The only tile of the other chunk.
        let (saved, _) = save(&painted(&document, [-1, 0], None));
        let (again, _) = read(&saved);
        assert_eq!((tile_at(&again, -1, 0), again.store().solid_count()), (None, 255));
        assert_eq!(String::from_utf8(saved).unwrap().lines().count(), before.lines().count() - lines);
    }
}

#[test]
fn a_grid_without_any_floor_stays_a_grid() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        let all: Vec<_> = document.bounds().positions().filter(|pos| document.store().is_solid(*pos)).map(|pos| (pos, None)).collect();
        let (saved, _) = save(&painted_in(&document, 0, &all));
        let text = std::str::from_utf8(&saved).unwrap();
        assert!(text.contains(if format == 2 { "chunks: []" } else { "chunks: {}" }), "format {format}: {text}");
        let (empty, _) = read(&saved);
        assert_eq!(empty.store().solid_count(), 0);
        let (again, _) = save(&painted(&empty, [3, 3], Some("FloorSteel")));
        assert_eq!(tile_at(&read(&again).0, 3, 3), Some("FloorSteel"));
    }
}

#[test]
fn a_grid_whose_chunks_have_another_name_gets_chunks_of_its_own() {
    // A grid of format 2 may have no entity; its section is all there is.
    let no_entity = map(2).replace("  - index: 0\n    type: MapGrid\n", "");
    for (format, text) in (2..=7).map(|format| (format, map(format))).chain([(2, no_entity)]) {
        for bytes in [text.replace("chunks:", "others:"), text.replace("chunks:", "0 chunks:")] {
            let (document, _) = read(bytes.as_bytes());
            assert_eq!(document.store().solid_count(), 0, "format {format}");
            assert_eq!(save(&document).0, bytes.as_bytes());
            let (saved, _) = save(&painted_in(&document, 0, &[(IVec3::new(0, 0, 0), Some("FloorSteel"))]));
            let text = std::str::from_utf8(&saved).unwrap();
            serde_yaml::from_str::<serde_yaml::Value>(text).unwrap();
            let (again, _) = read(&saved);
            assert_eq!((tile_at(&again, 0, 0), again.store().solid_count()), (Some("FloorSteel"), 1), "format {format}: {text}");
        }
    }
}

#[test]
fn a_tile_that_the_file_spells_otherwise_is_not_named_anew() {
    let text = map(2).replace("FloorSteel", "floor_steel");
    let (document, _) = read(text.as_bytes());
    // The built-in table's color, which is that of FloorSteel.
    let (saved, _) = save(&painted(&document, [5, -4], Some("#7c7c7c")));
    assert_eq!(changed_lines(text.as_bytes(), &saved).len(), 1);
    assert_eq!(tile_at(&read(&saved).0, 5, -4), Some("floor_steel"));
}

#[test]
fn tiles_with_a_comment_or_an_anchor_are_shown_and_stay() {
    let plain = map(6);
    let (start, end) = {
        let start = plain.find("tiles: ").unwrap() + "tiles: ".len();
        (start, start + plain[start..].find('\n').unwrap())
    };
    let tiles = &plain[start..end];
    for odd in [format!("{tiles} # floor"), format!("&floor {tiles}")] {
        let text = plain.replacen(tiles, &odd, 1);
        let (document, report) = read(text.as_bytes());
        assert_eq!(document.store().solid_count(), read(plain.as_bytes()).0.store().solid_count(), "{odd:.9}");
        assert_eq!(count_of(&report, "read-only"), 1);
        assert_eq!(save(&document).0, text.as_bytes());
    }
}

#[test]
fn a_map_whose_sections_stand_in_another_order_is_known_by_its_name() {
    let text = map(6);
    let split = text.find("entities:").unwrap();
    let turned = format!("{}{}", text[split..].trim_end_matches("...\n"), &text[..split]);
    let source = MemorySource(turned.as_bytes().into());
    let format = crate::format::recognize(&source, Some("yml")).expect("an SS14 map");
    assert_eq!(format.id(), "ss14");
    assert_eq!(read(turned.as_bytes()).0.store().solid_count(), read(text.as_bytes()).0.store().solid_count());
}

#[test]
fn a_map_that_names_no_tile_takes_none() {
    let text = map(2).replace("tilemap:", "names:").replace("chunks:", "others:");
    let (document, _) = read(text.as_bytes());
    let after = painted_in(&document, 0, &[(IVec3::ZERO, Some("#102030"))]);
    let written = crate::format::ss14::Ss14.write(&after, &mut vec![], &Default::default(), &Default::default(), &mut Default::default());
    assert!(matches!(written, Err(FormatError::Unsupported { .. })), "{written:?}");
}

#[test]
fn a_map_without_a_section_for_entities_takes_none() {
    let text = map(2).replace("entities:", "things:");
    let (document, _) = read(text.as_bytes());
    let after = added(&document, "WallSolid", 0, -1);
    let written = crate::format::ss14::Ss14.write(&after, &mut vec![], &Default::default(), &Default::default(), &mut Default::default());
    assert!(matches!(written, Err(FormatError::Unsupported { .. })), "{written:?}");
}

#[test]
fn a_key_that_begins_like_a_new_document_ends_a_section() {
    let text = map(7);
    let odd = "---- odd: 1\nlast: 2\n";
    let bytes = format!("{}{odd}", text.trim_end().trim_end_matches("..."));
    let (document, _) = read(bytes.as_bytes());
    let (saved, _) = save(&added(&document, "WallSolid", 0, 0));
    let saved = std::str::from_utf8(&saved).unwrap();
    assert!(saved.ends_with(odd), "{saved}");
    assert!(serde_yaml::from_str::<serde_yaml::Value>(saved).is_ok(), "{saved}");
}

#[test]
fn what_was_written_and_is_no_yaml_is_found_by_looking_again() {
    let text = map(7);
    let (document, _) = read(text.as_bytes());
    let source = |text: &str| MemorySource(text.as_bytes().into());
    let verify = |text: &str| crate::format::ss14::Ss14.verify(&document, &source(text), &Default::default(), &Default::default());
    assert!(verify(&text).is_ok());
    let broken = verify(&text.replace("tilemap:", "odd: \"\ntilemap:"));
    assert!(matches!(broken, Err(FormatError::Syntax { .. })), "{broken:?}");
}

#[test]
fn a_section_with_nothing_below_entities_gets_a_list() {
    for empty in ["entities:", "entities: []", "entities: [] # none"] {
        let text = map(2);
        let bytes = format!("{}{empty}\n", &text[..text.find("entities:").unwrap()]);
        let (document, _) = read(bytes.as_bytes());
        let (saved, _) = save(&added(&document, "WallSolid", 0, 0));
        let saved = std::str::from_utf8(&saved).unwrap();
        let yaml: serde_yaml::Value = serde_yaml::from_str(saved.trim_end().trim_end_matches("...")).unwrap();
        assert_eq!(yaml["entities"][0]["type"].as_str(), Some("WallSolid"), "{empty}");
        assert!(saved.starts_with(bytes.split("[]").next().unwrap().trim_end()), "{empty}");
        assert_eq!(saved.contains("# none"), empty.contains("# none"));
    }
}

#[test]
fn a_group_without_a_list_of_entities_takes_none() {
    let text = map(7);
    let group = text.find("- proto: WallSolid").unwrap();
    let broken = format!("{}{}", &text[..group], text[group..].replacen("entities:", "others:", 1));
    let (document, _) = read(broken.as_bytes());
    let (saved, _) = save(&added(&document, "WallSolid", 0, 0));
    let saved = std::str::from_utf8(&saved).unwrap();
    assert_eq!(saved.matches("- proto: WallSolid\n").count(), 2, "{saved}");
    let (again, _) = read(saved.as_bytes());
    assert_eq!(again.objects.iter().count(), document.objects.iter().count() + 1);
}

#[test]
fn a_section_with_nothing_below_chunks_gets_a_list() {
    let text = map(2);
    let (start, end) = (text.find("  - ind: \"-1,-1\"").unwrap(), text.find("entities:").unwrap());
    let bytes = format!("{}{}", &text[..start], &text[end..]);
    let (document, _) = read(bytes.as_bytes());
    let (saved, _) = save(&painted(&document, [0, 0], Some("FloorSteel")));
    assert!(std::str::from_utf8(&saved).unwrap().contains("  chunks:\n  - ind: \""));
}

#[test]
fn a_moved_entity_changes_its_position_only() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        let (saved, _) = save(&shifted(&document, "SpawnPointLatejoin", IVec3::new(3, 5, 0)));
        let lines = changed_lines(&bytes, &saved);
        assert_eq!(lines.len(), 1, "format {format}");
        assert!(lines[0].0.contains("2.25,3.5") && lines[0].1.contains("pos: 5.25,-1.5"), "{lines:?}");
        assert_eq!(marker(&read(&saved).0, "SpawnPointLatejoin").1, [5, 1]);
        // One that stands at 0,0 has no position yet.
        let (saved, _) = save(&shifted(&document, "SpawnPointCaptain", IVec3::new(1, -1, 0)));
        assert_eq!(marker(&read(&saved).0, "SpawnPointCaptain").1, [1, -2]);
    }
}

#[test]
fn a_removed_entity_takes_its_lines_along() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        let (id, _) = marker(&document, "WallSolid");
        let (saved, report) = save(&with_object(&document, id, None));
        let text = std::str::from_utf8(&saved).unwrap();
        assert!(!text.contains("WallSolid") && count_of(&report, "dangling-references") == 0, "format {format}: {text}");
        assert_eq!(text.contains("entityCount: 5"), format == 7);
        assert_eq!(read(&saved).0.objects.0.len(), 3);
        // The pen's parent is the crate.
        let (id, _) = marker(&document, "Crate");
        assert_eq!(count_of(&save(&with_object(&document, id, None)).1, "dangling-references"), 1);
    }
}

#[test]
fn an_added_entity_stands_in_the_middle_of_its_tile() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        for (label, groups) in [("WallSolid", 0), ("AirlockGlass", 1), ("Zebra", 1)] {
            let (saved, report) = save(&added(&document, label, 4, -3));
            assert_eq!(count_of(&report, "new-entities"), 1);
            let text = std::str::from_utf8(&saved).unwrap();
            assert!(text.contains("uid: 9") && text.contains("pos: 4.5,2.5"), "format {format}: {text}");
            let count = |text: &str| text.matches("proto: ").count();
            assert_eq!(count(text), if format >= 4 { count(std::str::from_utf8(&bytes).unwrap()) + groups } else { 0 });
            let (again, _) = read(&saved);
            assert_eq!(again.objects.0.len(), 5);
            assert!(again.objects.iter().any(|(_, object)| object.area().min() == [4, -3] && object.label() == label));
            assert!(serde_yaml::from_slice::<serde_yaml::Value>(text.trim_start_matches('\u{feff}').as_bytes()).is_ok());
        }
        let (saved, report) = save(&added(&document, "a marker", 4, -3));
        // It has a place in the project file.
        assert_eq!((report.worst(), saved == bytes), (None, true));
    }
}

#[test]
fn an_entity_of_another_prototype_is_another_entity() {
    let (document, _) = read(map(7).as_bytes());
    let (id, _) = marker(&document, "WallSolid");
    let Some(Object::Marker { at, .. }) = document.objects.get(id).cloned() else { panic!("a marker") };
    let (saved, _) =
        save(&with_object(&document, id, Some(Object::Marker { label: "Window".into(), at, role: MarkerRole::Block, volume: 0 })));
    let (again, _) = read(&saved);
    assert_eq!((marker(&again, "Window").1, again.objects.0.len()), ([0, -1], 4));
    assert!(std::str::from_utf8(&saved).unwrap().contains("entityCount: 6"));
}

#[test]
fn title_and_author_are_written_where_the_format_has_them() {
    for (format, bytes) in all() {
        let (mut document, _) = read(&bytes);
        Arc::make_mut(&mut document.metadata).set(Property::Name(Some("It's: \"new\"".into())));
        let (saved, report) = save(&document);
        if format <= 4 {
            assert_eq!(changed_lines(&bytes, &saved).len(), 1);
            assert_eq!(read(&saved).0.metadata.name.as_deref(), Some("It's: \"new\""));
        } else {
            // It has a place in the project file.
            assert_eq!((saved == bytes, report.worst()), (true, None));
        }
    }
}

#[test]
fn a_resized_map_keeps_its_places_in_the_file() {
    let bytes = map(7).into_bytes();
    let (document, _) = read(&bytes);
    // What the command for it does: the smallest corner becomes the origin.
    let by = -document.bounds().min();
    let mut volumes = (**document.volumes()).clone();
    let mut edit = crate::voxel::StoreEdit::new(&crate::voxel::Store::new(document.bounds().shifted(by)));
    for pos in document.bounds().positions() {
        edit.set(pos + by, document.store().voxel(pos));
    }
    let mut store = edit.before().clone();
    store.apply(&edit.finish());
    volumes[0].store = store;
    volumes[0].offset -= by;
    let mut after = document.clone();
    after.put_volumes(Arc::new(volumes));
    after.objects = Arc::new(document.objects.mapped(|object| object.shifted(by)));
    assert_eq!(save(&after).0, bytes);
    let (saved, _) = save(&painted(&after, [3 + by.x, -4 + by.y], Some("Plating")));
    assert_eq!(changed_lines(&bytes, &saved).len(), 1);
}

/// Two grids; the second lies 10 east and 20 north of the first, turned by a quarter to the left.
pub(crate) fn two_grids() -> String {
    let text = map(7);
    let (head, entities) = text.split_once("- proto: Crate").unwrap();
    let second = head[head.find("  - uid: 4").unwrap()..].replace("uid: 4", "uid: 20").replace("name: Main", "name: Shuttle");
    let second = second.replace("parent: invalid", "rot: 1.5707963267948966 rad\n      pos: 10,20\n      parent: invalid");
    let entities = entities.replace("pos: 2.25,3.5\n      parent: 4", "pos: 2.25,3.5\n      parent: 20");
    format!("{head}{second}- proto: Crate{entities}")
}

#[test]
fn each_grid_is_a_volume() {
    let bytes = two_grids().into_bytes();
    let (document, _) = read(&bytes);
    assert_eq!(document.volumes().iter().map(|volume| &*volume.name).collect::<Vec<_>>(), ["Main", "Shuttle"]);
    assert_eq!(document.volumes().iter().map(|volume| volume.uid).collect::<Vec<_>>(), [Some(4), Some(20)]);
    let placement = document.volumes()[1].placement;
    assert_eq!((placement.position, placement.rotation < -1.57), ([10.0, -20.0], true));
    assert_eq!(save(&document).0, bytes);
    let (saved, _) = save(&painted_in(&document, 1, &[(IVec3::new(3, -4, 0), Some("Plating"))]));
    assert_eq!(changed_lines(&bytes, &saved).len(), 1);
    assert!(saved != save(&painted(&document, [3, -4], Some("Plating"))).0);
    // Places are told in the grid's own frame, however that lies in the world.
    assert_eq!(marker(&document, "SpawnPointLatejoin").1, [2, -4]);
    let world = placement.to_world([2.25, -3.5]);
    assert!((world[0] - 6.5).abs() < 1e-6 && (world[1] + 22.25).abs() < 1e-6, "2.25,3.5 turned left is -3.5,2.25: {world:?}");
    let back = placement.from_world(world);
    assert!((back[0] - 2.25).abs() < 1e-6 && (back[1] + 3.5).abs() < 1e-6, "{back:?}");
    let (saved, _) = save(&shifted(&document, "SpawnPointLatejoin", IVec3::X));
    assert_eq!(changed_lines(&bytes, &saved)[0].1.trim(), "pos: 3.25,3.5");
    assert_eq!(marker(&read(&saved).0, "SpawnPointLatejoin").1, [3, -4]);
}

#[test]
fn a_tile_painted_on_the_second_grid_changes_one_line_there() {
    let bytes = two_grids().into_bytes();
    let (mut document, _) = read(&bytes);
    assert_eq!((document.active(), &*document.active_volume().name), (0, "Main"));
    document.set_active(1);
    assert_eq!(save(&document).0, bytes);
    let (saved, report) = save(&painted_in(&document, 1, &[(IVec3::new(3, -4, 0), Some("Plating"))]));
    assert!(report.worst().is_none(), "{report:?}");
    let lines = changed_lines(&bytes, &saved);
    assert_eq!(lines.len(), 1);
    let place = bytes.windows(lines[0].0.len()).rposition(|part| part == lines[0].0.as_bytes()).unwrap();
    assert!(place > bytes.windows(7).position(|part| part == b"uid: 20").unwrap(), "in the second grid");
    // What was saved, opened again with that grid chosen.
    for grid in ["20", "Shuttle"] {
        let options = Options::from([("grid".into(), OptionValue::Text(grid.into()))]);
        let again = super::read_with(&saved, &options).unwrap().0;
        assert_eq!((again.active(), tile_at(&again, 3, -4)), (1, Some("Plating")));
    }
    assert_eq!(tile_at(&read(&saved).0, 3, -4), Some("FloorSteel"), "the first grid is as it was");
    let nowhere = Options::from([("grid".into(), OptionValue::Text("Nowhere".into()))]);
    let error = super::read_with(&bytes, &nowhere).unwrap_err().to_string();
    assert_eq!(error, "option grid does not take \"Nowhere\": the grids of this map are 4 (Main), 20 (Shuttle)");
}

#[test]
fn entities_come_and_go_on_the_grid_they_stand_on() {
    let bytes = two_grids().into_bytes();
    let (document, _) = read(&bytes);
    let (saved, _) = save(&added_in(&document, 1, "Zebra", 4, -3));
    let text = std::str::from_utf8(&saved).unwrap();
    let zebra = text.find("proto: Zebra").unwrap();
    assert!(text[zebra..].contains("parent: 20") && text[zebra..].contains("pos: 4.5,2.5"), "{text}");
    let (again, _) = read(&saved);
    assert!(again.objects.iter().any(|(_, object)| object.label() == "Zebra" && object.volume() == 1));
    assert_eq!(again.objects_here().count() + 2, again.objects.0.len(), "two stand on the shuttle");
}

#[test]
fn the_first_grid_with_a_floor_is_looked_at() {
    let text = two_grids();
    let (start, end) = (text.find("      chunks:").unwrap(), text.find("  - uid: 20").unwrap());
    let text = format!("{}      chunks: {{}}\n{}", &text[..start], &text[end..]);
    let (document, _) = read(text.as_bytes());
    assert_eq!((document.active(), document.volumes().len(), document.store().solid_count()), (1, 2, 256));
    let (saved, _) = save(&painted_in(&document, 1, &[(IVec3::new(3, -4, 0), Some("Plating"))]));
    assert_eq!(changed_lines(text.as_bytes(), &saved).len(), 1);
}

#[test]
fn an_export_takes_the_grid_that_is_looked_at() {
    let (mut document, _) = read(two_grids().as_bytes());
    document.set_active(1);
    document = painted_in(&document, 1, &[(IVec3::new(3, -4, 0), Some("Plating"))]);
    let options = Options::from([("style".into(), OptionValue::Text("grid".into()))]);
    let (bytes, report) = super::save_with(&document, &options);
    assert_eq!(count_of(&report, "volumes"), 1);
    let (again, _) = read(&bytes);
    assert_eq!((&*again.volumes()[0].name, tile_at(&again, 3, -4)), ("Shuttle", Some("Plating")));
}

#[test]
fn a_map_without_a_grid_takes_no_floor() {
    let text = "meta:\n  format: 7\nentities:\n- proto: \"\"\n  entities:\n  - uid: 1\n    components:\n    - type: Map\n...\n";
    let (document, _) = read(text.as_bytes());
    assert_eq!(save(&document).0, text.as_bytes());
    let painted = painted(&document, [0, 0], Some("Plating"));
    let written = super::Ss14.write(&painted, &mut vec![], &Default::default(), &Default::default(), &mut Default::default());
    assert!(matches!(written, Err(FormatError::Unsupported { .. })));
}

#[test]
fn blanks_and_quotes_are_no_matter() {
    for format in 2..=7 {
        let text = map(format);
        let blank: String = text.lines().map(|line| format!("{line}  \n\n")).collect();
        let quoted: String = text
            .lines()
            .map(|line| line.split_once("tiles: ").map_or(format!("{line}\n"), |(indent, tiles)| format!("{indent}tiles: '{tiles}'\n")))
            .collect();
        for text in [blank, quoted] {
            let (document, report) = read(text.as_bytes());
            assert_eq!((document.store().solid_count(), document.objects.0.len()), (256, 4), "format {format}");
            assert_eq!(count_of(&report, "read-only"), 0);
            let (saved, _) = save(&painted(&document, [3, -4], Some("Plating")));
            assert_eq!(changed_lines(text.as_bytes(), &saved).len(), 1);
        }
    }
}

#[test]
fn wide_numbers_make_a_chunk_wide() {
    // 4-byte chunks inside a newer file, and a tile beyond 16 bits.
    let text = map(5).replace("format: 5", "format: 6").replace("  9: MyOwnTile", "  70000: MyOwnTile");
    let (document, _) = read(text.as_bytes());
    let (saved, _) = save(&painted(&document, [3, -4], Some("MyOwnTile")));
    let (again, _) = read(&saved);
    assert_eq!((tile_at(&again, 3, -4), tile_at(&again, 4, -4)), (Some("MyOwnTile"), Some("FloorSteel")));
    assert_eq!(std::str::from_utf8(&saved).unwrap().matches("version: 6").count(), 1);
    // A new name takes a free number that fits.
    let (saved, _) = save(&painted(&document, [3, -4], Some("FloorWood")));
    assert!(std::str::from_utf8(&saved).unwrap().contains("\n  3: FloorWood\n"));
}

#[test]
fn a_chunk_that_grows_says_so_where_it_named_its_version() {
    let text = map(5).replace("format: 5", "format: 6").replace("  9: MyOwnTile", "  70000: MyOwnTile");
    let line = |line: &str| match line.find("tiles: ") {
        Some(indent) => format!("{line}\n{:indent$}version: 1\n", ""),
        None => format!("{line}\n"),
    };
    let text: String = text.lines().map(line).collect();
    let (document, _) = read(text.as_bytes());
    let (saved, _) = save(&painted(&document, [3, -4], Some("MyOwnTile")));
    let lines = changed_lines(text.as_bytes(), &saved);
    assert_eq!(lines.iter().map(|(_, line)| line.trim_start().get(..6)).collect::<Vec<_>>(), [Some("tiles:"), Some("versio")]);
    assert_eq!(lines[1].1.trim(), "version: 6");
    assert_eq!(tile_at(&read(&saved).0, 3, -4), Some("MyOwnTile"));
}

#[test]
fn a_painted_tile_is_plain() {
    for format in 2..=7 {
        let bytes = map(format).into_bytes();
        let (document, _) = read(&bytes);
        let (saved, _) = save(&painted(&document, [3, -4], Some("Plating")));
        let tiles = |line: &str| base64::engine::general_purpose::STANDARD.decode(line.trim().trim_start_matches("tiles: ")).unwrap();
        let [(before, after)] = changed_lines(&bytes, &saved)[..] else { panic!("one line") };
        let (before, after) = (tiles(before), tiles(after));
        let width = before.len() / 256;
        // Variant and turn of the tile that was there mean nothing to another one.
        let [old, new] = [&before, &after].map(|bytes| &bytes[(3 * 16 + 3) * width..][..width]);
        assert!(old[1..].iter().any(|byte| *byte != 0), "{old:?}");
        assert_eq!((new[0], new[1..].iter().any(|byte| *byte != 0)), (1, false), "format {format}: {new:?}");
    }
}

#[test]
fn space_is_told_by_name() {
    let text = map(7).replace("  0: Space\n  1: Plating\n", "  1: Space\n  0: Plating\n");
    let (document, _) = read(text.as_bytes());
    // Every plating became space, every hole and every rest of the corner chunk plating.
    assert_eq!((tile_at(&document, 0, -1), tile_at(&document, 5, -4)), (None, Some("Plating")));
    let (saved, _) = save(&painted(&document, [3, -4], None));
    assert_eq!(changed_lines(text.as_bytes(), &saved).len(), 1);
    assert_eq!(tile_at(&read(&saved).0, 3, -4), None);
}

/// A map with what somebody wrote above each entity, above each group, and above a section of their own behind them.
fn with_notes(format: u32) -> String {
    let text: Vec<String> = map(format)
        .lines()
        .flat_map(|line| {
            let dash = line.trim_start();
            let indent = line.len() - dash.len();
            let is_noted = dash.starts_with("- uid: ") || dash.starts_with("- proto: ");
            let note = is_noted.then(|| format!("{:indent$}# above {dash}", ""));
            let end = (line == "...").then(|| "# my own notes\nnotes: {by: me}".to_owned());
            note.into_iter().chain(end).chain([line.to_owned()])
        })
        .collect();
    text.join("\n") + "\n"
}

#[test]
fn what_somebody_wrote_above_an_entity_stays_when_the_one_before_it_goes() {
    for format in 2..=7 {
        let text = with_notes(format);
        let notes = |text: &str| text.lines().filter(|line| line.trim_start().starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
        let (document, _) = read(text.as_bytes());
        let ids: Vec<ObjectId> = document.objects.iter().map(|(id, _)| id).collect();
        let all: Vec<Document> = ids.iter().map(|id| with_object(&document, *id, None)).collect();
        let none = ids.iter().fold(document.clone(), |document, id| with_object(&document, *id, None));
        let label = |label: &str, id: ObjectId| match document.objects.get(id) {
            Some(Object::Marker { at, role, volume, .. }) => Object::Marker { label: label.into(), at: *at, role: *role, volume: *volume },
            _ => panic!("no marker"),
        };
        let retyped: Vec<Document> = ids.iter().map(|id| with_object(&document, *id, Some(label("Table", *id)))).collect();
        for after in all.iter().chain([&none, &added(&document, "Aaa", 1, -2), &added(&document, "WallSolid", 1, -2)]).chain(&retyped) {
            let saved = String::from_utf8(save(after).0).unwrap();
            // Each stands above what it speaks of; that of an entity which goes with its whole group may go, too.
            let lines: Vec<&str> = saved.lines().collect();
            let subject = |note: &str| note.trim_start().strip_prefix("# above ").map(str::to_owned);
            let is_there = |note: &String| subject(note).is_none_or(|subject| lines.iter().any(|line| line.trim_start() == subject));
            let of_those = |text: &str| {
                let mut notes: Vec<String> = notes(text).into_iter().filter(is_there).collect();
                notes.sort();
                notes
            };
            assert_eq!(of_those(&saved), of_those(&text), "format {format}: {saved}");
            for pair in lines.windows(2).filter(|pair| is_there(&pair[0].to_owned())) {
                assert!(subject(pair[0]).is_none_or(|subject| pair[1].trim_start() == subject), "format {format}: {saved}");
            }
            assert!(saved.contains("# my own notes\nnotes: {by: me}\n"), "format {format}: {saved}");
        }
    }
}

#[test]
fn what_somebody_wrote_at_the_head_of_a_group_is_told_where_it_goes_with_it() {
    let head = "- proto: Crate # boxes\n  entities: # of wood\n      # deeper\n";
    let text = map(7).replace("- proto: Crate\n  entities:\n", head);
    let (document, _) = read(text.as_bytes());
    let crates: Vec<(ObjectId, Object)> = document
        .objects
        .iter()
        .filter(|(_, object)| matches!(object, Object::Marker { label, .. } if &**label == "Crate"))
        .map(|(id, object)| (id, object.clone()))
        .collect();
    let table = |object: &Object| match object {
        Object::Marker { at, role, volume, .. } => Object::Marker { label: "Table".into(), at: *at, role: *role, volume: *volume },
        _ => panic!("no marker"),
    };
    let retyped = crates.iter().fold(document.clone(), |map, (id, object)| with_object(&map, *id, Some(table(object))));
    let removed = crates.iter().fold(document.clone(), |map, (id, _)| with_object(&map, *id, None));
    let lost = |document: &Document| {
        let (saved, report) = save(document);
        assert!(!String::from_utf8(saved).unwrap().contains("# of wood"));
        report.warnings.iter().filter(|warning| warning.code == "comments-lost").map(|warning| warning.count).sum::<u64>()
    };
    assert_eq!((crates.is_empty(), lost(&retyped), lost(&removed)), (false, 3, 0));
}

#[test]
fn what_somebody_wrote_behind_a_name_stays() {
    let text = map(3).replace("name: Small station\n", "name: 'Small station' # of 2021\n").replace("Somebody\n", "Somebody \t# who\n");
    let (document, _) = read(text.as_bytes());
    let mut after = document.clone();
    let metadata = Arc::make_mut(&mut after.metadata);
    (metadata.name, metadata.author) = (Some("Big".into()), None);
    let expected = text.replace("'Small station' #", "Big #").replace("Somebody \t#", "\"\" \t#");
    assert_eq!(String::from_utf8(save(&after).0).unwrap(), expected);
}

#[test]
fn a_new_entity_has_nothing_of_one_that_was_removed() {
    for format in 2..=7 {
        let (document, _) = read(map(format).as_bytes());
        let none = document.objects.iter().fold(document.clone(), |after, (id, _)| with_object(&after, id, None));
        let saved = String::from_utf8(save(&added(&none, "Table", 1, -2)).0).unwrap();
        assert!(saved.contains("Table") && !saved.contains("ContainerContainer") && !saved.contains("rot: "), "format {format}: {saved}");
    }
}
