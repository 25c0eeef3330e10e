//! Entities that go to another grid or get another prototype keep what they hold.

use super::edits::{all, two_grids, with_object};
use super::*;
use crate::document::{Anchor, OptionValue};

/// The document with the marker of that name changed: its name, its place, its volume.
fn with_marker(document: &Document, name: &str, change: impl FnOnce(&mut std::sync::Arc<str>, &mut Anchor, &mut u32)) -> Document {
    let (id, _) = marker(document, name);
    let Some(Object::Marker { mut label, mut at, role, mut volume }) = document.objects.get(id).cloned() else { panic!("a marker") };
    change(&mut label, &mut at, &mut volume);
    with_object(document, id, Some(Object::Marker { label, at, role, volume }))
}

#[test]
fn an_entity_that_goes_to_another_grid_changes_its_parent_and_position_only() {
    let text = two_grids().replace("pos: 2.25,3.5", "pos: '2.25,3.5' # by the door").replace("parent: 20", "parent: 20 # shuttle");
    let (document, _) = read(text.as_bytes());
    let after = with_marker(&document, "SpawnPointLatejoin", |_, at, volume| (at.x, at.y, *volume) = (at.x + 3, at.y - 1, 0));
    let (saved, report) = save(&after);
    let lines: Vec<_> = changed_lines(text.as_bytes(), &saved).into_iter().map(|(_, after)| after.trim()).collect();
    assert_eq!(lines, ["pos: '5.25,4.5' # by the door", "parent: 4 # shuttle"]);
    assert!(report.worst().is_none(), "{report:?}");
    let (again, _) = read(&saved);
    assert_eq!(marker(&again, "SpawnPointLatejoin").1, [5, -5]);
    assert!(again.objects.iter().all(|(_, object)| object.volume() == 0 || object.label() != "SpawnPointLatejoin"));
    // The same place there: only the grid is another one.
    let (saved, _) = save(&with_marker(&document, "SpawnPointLatejoin", |_, _, volume| *volume = 0));
    assert_eq!(changed_lines(text.as_bytes(), &saved).len(), 1);
    // Back again, it is the file that it was.
    let home = with_marker(&after, "SpawnPointLatejoin", |_, at, volume| (at.x, at.y, *volume) = (at.x - 3, at.y + 1, 1));
    assert_eq!(save(&home).0, text.as_bytes());
}

#[test]
fn an_entity_of_another_prototype_keeps_its_uid_and_its_components() {
    for (format, bytes) in all() {
        let (document, _) = read(&bytes);
        let before = std::str::from_utf8(&bytes).unwrap();
        for label in ["Closet", "WallSolid", "Zebra"] {
            let (saved, report) = save(&with_marker(&document, "Crate", |name, _, _| *name = label.into()));
            let text = std::str::from_utf8(&saved).unwrap();
            assert_eq!(report.worst(), Some(Severity::Info), "format {format}: {report:?}");
            assert_eq!((count_of(&report, "retyped-entities"), count_of(&report, "new-entities")), (1, 0));
            assert!(!text.contains("Crate"), "format {format}: {text}");
            let sorted = |text: &str| {
                let mut lines: Vec<String> = text.lines().map(|line| line.replace("Crate", label)).collect();
                lines.retain(|line| !line.contains("proto: ") && line.trim() != "entities:");
                lines.sort();
                lines
            };
            assert_eq!(sorted(text), sorted(before), "format {format}: every other line stays");
            assert_eq!(text.matches("\r\n").count() == text.matches('\n').count(), before.contains("\r\n"));
            let yaml: serde_yaml::Value = serde_yaml::from_str(text.trim_start_matches('\u{feff}')).unwrap();
            let flat = |list: &serde_yaml::Value| list.as_sequence().cloned().unwrap_or_default();
            let held = flat(&yaml["entities"]).into_iter().flat_map(|entry| match &entry["entities"] {
                serde_yaml::Value::Sequence(group) => group.iter().map(|entity| (entry["proto"].clone(), entity.clone())).collect(),
                _ => vec![(entry["type"].clone(), entry)],
            });
            let held: Vec<_> = held.filter(|(proto, entity)| proto.as_str() == Some(label) && entity["uid"].as_u64() == Some(7)).collect();
            let [(_, entity)] = &held[..] else { panic!("format {format}: {text}") };
            assert!(flat(&entity["components"]).iter().any(|component| component["containers"]["box"].is_mapping()
                || matches!(&component["containers"]["box"], serde_yaml::Value::Tagged(_))));
        }
    }
}

#[test]
fn an_entity_can_go_and_change_at_once() {
    let text = two_grids();
    let (document, _) = read(text.as_bytes());
    let change = |name: &mut std::sync::Arc<str>, at: &mut Anchor, volume: &mut u32| {
        (*name, at.x, *volume) = ("SpawnPointCaptain".into(), at.x + 1, 0);
    };
    let (saved, _) = save(&with_marker(&document, "SpawnPointLatejoin", change));
    let text = std::str::from_utf8(&saved).unwrap();
    assert!(!text.contains("Latejoin") && text.contains("pos: 3.25,3.5\n      parent: 4"), "{text}");
    assert_eq!(text.matches("proto: SpawnPointCaptain").count(), 1);
}

#[test]
fn an_entity_goes_over_to_a_group_that_is_indented_otherwise() {
    // Lists may be indented as their key is, or deeper.
    let text = map(7);
    let (head, wall) = text.split_once("- proto: WallSolid\n  entities:\n").unwrap();
    let wall: String = wall.trim_end_matches("...\n").lines().map(|line| format!("  {line}\n")).collect();
    let text = format!("{head}- proto: WallSolid\n  entities:\n{wall}");
    let (document, _) = read(text.as_bytes());
    for (from, to) in [("Crate", "WallSolid"), ("WallSolid", "SpawnPointCaptain")] {
        let (saved, _) = save(&with_marker(&document, from, |name, _, _| *name = to.into()));
        let saved = std::str::from_utf8(&saved).unwrap();
        assert!(serde_yaml::from_str::<serde_yaml::Value>(saved).is_ok() && !saved.contains(&format!("proto: {from}\n")), "{saved}");
    }
}

#[test]
fn an_entity_that_is_none_any_more_is_told_as_a_loss() {
    let (document, _) = read(map(7).as_bytes());
    let (saved, report) = save(&with_marker(&document, "Crate", |name, _, _| *name = "my crate".into()));
    let told: Vec<_> = report.of(Severity::Loss).map(|loss| (loss.code, loss.sentence())).collect();
    let sentence = "1 entity has a name that no prototype has, and leaves the map with all that it holds";
    assert_eq!(told, [("nameless-entities", sentence.to_owned())]);
    assert!(!std::str::from_utf8(&saved).unwrap().contains("uid: 7\n"));
    let (id, _) = marker(&document, "WallSolid");
    assert_eq!(save(&with_object(&document, id, None)).1.worst(), None, "what was removed is meant to be gone");
}

#[test]
fn edits_of_what_stands_on_the_tiles_do_not_turn_an_old_map_around() {
    // The hole at 3,5 is at 5,3 by columns: the spawn point on 3,5 speaks for them.
    let text =
        fixtures::map(2).replace("    tilesize: 1\n", "    tilesize: 1\n    worldpos: 0,0\n").replace("pos: 2.25,3.5", "pos: 5.5,3.5");
    let (document, _) = read(text.as_bytes());
    assert_eq!(tile_at(&document, 3, -6), None, "by columns");
    let (id, _) = marker(&document, "SpawnPointLatejoin");
    let (saved, report) = save(&with_object(&document, id, None));
    assert_eq!(count_of(&report, "tile-order"), 1, "{report:?}");
    assert!(report.warnings[0].message.ends_with("option tile-order=columns"), "{report:?}");
    let columns = Options::from([("tile-order".into(), OptionValue::Text("columns".into()))]);
    assert_eq!(tile_at(&read_with(&saved, &columns).unwrap().0, 3, -6), None);
    assert_eq!(tile_at(&read(&saved).0, 5, -4), None, "nothing says any more that they are columns");
    // Where what stands there says it still, nothing is told.
    assert_eq!(count_of(&save(&painted(&document, [7, -3], None)).1, "tile-order"), 0);
}

#[test]
fn blanks_and_comments_behind_keys_are_no_part_of_names_and_places() {
    for (format, bytes) in all() {
        let plain = String::from_utf8(bytes).unwrap();
        let spread = |word: &str| format!("{word}:     ");
        let mut text = plain.replace("type: Transform", "type:   'Transform'  # where");
        for word in ["type", "proto", "pos", "parent", "uid"] {
            text = text.replace(&format!("{word}: "), &spread(word));
        }
        assert_ne!(text, plain, "format {format}");
        let ((document, report), (expected, _)) = (read(text.as_bytes()), read(plain.as_bytes()));
        assert_eq!(count_of(&report, "read-only"), 0, "format {format}: {report:?}");
        assert_eq!(document.objects, expected.objects, "format {format}");
        let after = with_marker(&document, "Crate", |name, at, _| (*name, at.x) = ("Zebra".into(), at.x + 2));
        let (saved, _) = save(&after);
        assert_eq!(marker(&read(&saved).0, "Zebra").1, marker(&after, "Zebra").1, "format {format}");
        assert_eq!(std::str::from_utf8(&saved).unwrap().matches("# where").count(), text.matches("# where").count());
    }
}

#[test]
fn an_entity_without_a_place_gets_one_and_another_prototype_at_once() {
    let text = map(3);
    let from = text.find("type: Crate").expect("a crate of format 3");
    let pos = from + text[from..].find("pos: ").unwrap();
    let end = pos + text[pos..].find('\n').unwrap();
    let indent = pos - text[..pos].rfind('\n').unwrap();
    assert!(indent > 0);
    let without = format!("{}pns: 1,2{}", &text[..pos], &text[end..]).replace("type: Crate", &format!("type: {:28}Crate", ""));
    let (document, _) = read(without.as_bytes());
    assert_eq!(marker(&document, "Crate").1, [0, -1]);
    let after = with_marker(&document, "Crate", |name, at, _| (*name, at.x, at.y) = ("SpawnPointLatejoin".into(), 3, 2));
    let saved = String::from_utf8(save(&after).0).unwrap();
    assert!(saved.contains(&format!("type: {:28}SpawnPointLatejoin", "")), "{saved}");
}

#[test]
fn a_height_is_told_and_a_place_too_far_out_is_refused_with_the_limit() {
    let text = two_grids();
    let (document, _) = read(text.as_bytes());
    let raised = |z: Option<i32>| save(&with_marker(&document, "SpawnPointLatejoin", |_, at, _| at.z = z));
    let (saved, report) = raised(Some(5));
    assert_eq!((count_of(&report, "entity-heights"), report.worst()), (1, Some(Severity::Loss)));
    let told: Vec<_> = report.of(Severity::Loss).map(|loss| loss.sentence()).collect();
    assert_eq!(told, ["1 entity has a height above or below the floor, which is not kept"]);
    assert_eq!(saved, text.as_bytes());
    assert!(raised(None).1.worst().is_none(), "on the floor");
    for (x, fits) in [(999_999, true), (-999_999, true), (1_000_000, false), (i32::MAX - 1, false)] {
        let after = with_marker(&document, "SpawnPointLatejoin", |_, at, _| at.x = x);
        let mut saved = vec![];
        let result = Ss14.write(&after, &mut saved, &Options::new(), &Progress::new(), &mut Report::new());
        assert_eq!(result.is_ok(), fits, "{x}: {result:?}");
        if fits {
            assert_eq!(marker(&read(&saved).0, "SpawnPointLatejoin").1[0], x);
        } else {
            assert!(result.unwrap_err().to_string().contains("1,000,000"), "{x}");
        }
    }
}
