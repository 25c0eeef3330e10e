//! Objects of every kind, with names of every kind, in maps of every format: they are there again, or it was told.

use super::*;
use crate::document::{Anchor, Object, ObjectId, OptionValue, Options, Team};
use crate::format::ss14::tests::edits::two_grids;
use crate::format::{Report, Severity};
use crate::geom::{ColumnRect, VoxelPos};

const LABELS: [&str; 22] = [
    "",
    " ",
    "a b",
    "Crate",
    "é",
    "a: 'b'",
    "null",
    "~",
    "1.10",
    "- a",
    "#",
    "two\nlines",
    "\t",
    "\u{85}",
    "\u{feff}",
    "0x1f",
    "yes",
    "{}",
    "?",
    "\\",
    "\"",
    "%",
];

fn objects() -> Vec<Object> {
    let anchor = |x: i32, z: Option<i32>| Anchor { x, y: 3, z };
    let marker = |label: &str, z| Object::Marker { label: label.into(), at: anchor(2, z), role: Default::default(), volume: 0 };
    let markers = LABELS.iter().map(|label| marker(label, None)).chain([marker("", Some(0)), marker("a b", Some(7))]);
    let of_team = |team| {
        [
            Object::SpawnRegion { team, area: ColumnRect::new([1, 2], [7, 9]), z: 0 },
            Object::SpawnPoint { team, at: VoxelPos::new(5, 6, 62) },
            Object::Base { team, at: anchor(9, None) },
            Object::Intel { team, at: anchor(10, None) },
            Object::Territory { owner: Some(team), at: anchor(11, None) },
        ]
    };
    let neutral = Object::Territory { owner: None, at: anchor(12, None) };
    markers.chain(Team::ALL.into_iter().flat_map(of_team)).chain([neutral]).collect()
}

fn opened(storage: &FaultyStorage, path: &str) -> Opened {
    open_map(storage, Path::new(path), &OpenOptions::default(), &Progress::new()).unwrap()
}

fn saved(storage: &FaultyStorage, document: &Document, path: &str, expected: Stamps) -> Report {
    let options = SaveOptions { expected, ..SaveOptions::default() };
    save_map(storage, document, Path::new(path), &options, &Progress::new()).unwrap().report
}

/// How many equal objects a map has; entities stand on the floor, whatever height they were given.
fn count(document: &Document, object: &Object) -> usize {
    let flat = |object: &Object| match object {
        Object::Marker { label, at, volume, .. } => {
            Object::Marker { label: label.clone(), at: Anchor { z: None, ..*at }, role: Default::default(), volume: *volume }
        }
        object => object.clone(),
    };
    document.objects.iter().filter(|(_, other)| flat(other) == flat(object)).count()
}

#[test]
fn every_object_is_saved_or_told_in_maps_of_every_format() {
    let mut new = Document::new(Store::new(Region::of_size(IVec3::new(16, 16, 64))), &GameProfile::ACE_OF_SPADES);
    execute(&mut new, serde_json::from_str(r##"{"set":{"at":[4,4,63],"color":"#0a141e"}}"##).unwrap());
    let station = two_grids();
    let disk = FaultyStorage::with(&[("m/of.yml", station.as_bytes())]);
    for path in ["m/of.vxl", "m/of.vmf"] {
        saved(&disk, &new, path, Stamps::default());
    }
    let mut silent = vec![];
    for from in ["m/of.vxl", "m/of.vmf", "m/of.yml"] {
        for to in ["m/to.vxl", "m/to.vmf", "m/to.yml", from] {
            // A VXL map has 64 layers, and a station one.
            let objects = if from == "m/of.yml" && to == "m/to.vxl" { vec![] } else { objects() };
            for object in objects {
                let storage = FaultyStorage::default();
                disk.all().iter().for_each(|(path, bytes)| storage.put(path, bytes));
                let Opened { mut document, stamps, .. } = opened(&storage, from);
                execute(&mut document, Command::AddObject(ops::AddObject(object.clone())));
                let report = saved(&storage, &document, to, if to == from { stamps } else { Stamps::default() });
                let is_told = |report: &Report| report.warnings.iter().any(|warning| warning.severity == Severity::Loss);
                let Opened { document: mut again, stamps, .. } = opened(&storage, to);
                if !is_told(&report) && count(&again, &object) < count(&document, &object) {
                    silent.push(format!("{from} to {to}: {object:?}"));
                }
                // Nor is it lost where another step is saved.
                let other = Object::Marker {
                    label: "of another step".into(),
                    at: Anchor { x: 1, y: 1, z: None },
                    role: Default::default(),
                    volume: 0,
                };
                let before = count(&again, &object);
                execute(&mut again, Command::AddObject(ops::AddObject(other)));
                let report = saved(&storage, &again, to, stamps);
                if !is_told(&report) && count(&opened(&storage, to).document, &object) < before {
                    silent.push(format!("{from} to {to}, saved again: {object:?}"));
                }
            }
        }
    }
    assert!(silent.is_empty(), "{} are gone in silence:\n{}", silent.len(), silent.join("\n"));
}

#[test]
fn entities_of_every_name_stay_in_their_station_and_come_to_no_project_file() {
    for label in ["Foo-Bar", "", "a b", "Crate"] {
        let entity = "  entities:\n  - uid: 50\n    components:\n    - type: Transform\n      pos: 1.5,0.5\n      parent: 4\n";
        let station = two_grids().replace("- proto: Crate", &format!("- proto: {label:?}\n{entity}- proto: Crate"));
        let storage = FaultyStorage::with(&[("m/a.yml", station.as_bytes())]);
        let Opened { mut document, stamps, .. } = opened(&storage, "m/a.yml");
        let is_it = |object: &Object| matches!(object, Object::Marker { label: found, .. } if **found == *label);
        let (id, object) = document.objects.iter().find(|(_, object)| is_it(object)).map(|(id, object)| (id, object.clone())).unwrap();
        let (entities, before) = (document.objects.iter().count() as u64, count(&document, &object));
        // Where no entity stands it is the mapper's own, without a name as well.
        let label = if label.is_empty() { "" } else { "my own" };
        let own = Object::Marker { label: label.into(), at: Anchor { x: 1, y: 1, z: Some(0) }, role: Default::default(), volume: 0 };
        execute(&mut document, Command::AddObject(ops::AddObject(own.clone())));
        saved(&storage, &document, "m/a.yml", stamps);
        let text = storage.get("m/a.ss14.spadework.yaml").unwrap();
        assert_eq!(String::from_utf8_lossy(&text).matches("- marker").count(), 1, "{label:?}: {}", String::from_utf8_lossy(&text));

        let Opened { mut document, stamps, .. } = opened(&storage, "m/a.yml");
        assert_eq!((count(&document, &object), count(&document, &own)), (before, 1), "{label:?}");
        let grid = SaveOptions { options: Options::from([("style".into(), OptionValue::Text("grid".into()))]), ..SaveOptions::default() };
        let report = save_map(&storage, &document, Path::new("m/grid.yml"), &grid, &Progress::new()).unwrap().report;
        let lost = report.warnings.iter().find(|warning| warning.code == "objects").map(|warning| warning.count);
        assert_eq!(lost, Some(entities), "{label:?}");

        execute(&mut document, Command::SetObject(ops::SetObject { id, object: object.shifted(IVec3::X) }));
        let report = saved(&storage, &document, "m/a.yml", stamps);
        assert!(report.worst() < Some(Severity::Loss), "{label:?}: {report:?}");
        let document = opened(&storage, "m/a.yml").document;
        assert_eq!((count(&document, &object), count(&document, &own)), (before - 1, 1), "{label:?}");
        assert_eq!(count(&document, &object.shifted(IVec3::X)), 1, "{label:?}");
        assert!(storage.get("m/a.ss14.spadework.yaml").unwrap() == text, "{label:?}");
    }
}

/// A station with an entity whose prototype has an odd name, and that entity, with its id.
fn with_odd_entity() -> (String, ObjectId, Object) {
    let entity =
        "- proto: Foo-Bar\n  entities:\n  - uid: 50\n    components:\n    - type: Transform\n      pos: 1.5,0.5\n      parent: 4\n";
    let station = two_grids().replace("- proto: Crate", &format!("{entity}- proto: Crate"));
    let document = opened(&FaultyStorage::with(&[("m/a.yml", station.as_bytes())]), "m/a.yml").document;
    let is_it = |object: &Object| matches!(object, Object::Marker { label, .. } if &**label == "Foo-Bar");
    let (id, object) = document.objects.iter().find(|(_, object)| is_it(object)).unwrap();
    (station, id, object.clone())
}

/// The text of a project file for maps of a kind that lists an object and one of the mapper's own.
fn listing(kind: &str, object: &Object) -> String {
    let listed = serde_json::to_string(object).unwrap();
    format!("spadework: 1\nmap: {kind}\nobjects:\n- {listed}\n- marker: {{label: my own, at: {{x: 1, y: 1}}}}\n")
}

#[test]
fn entities_that_an_earlier_version_put_into_the_project_file_leave_it_once_they_change() {
    let (station, id, object) = with_odd_entity();
    let listing = listing("ss14", &object);
    let storage = FaultyStorage::with(&[("m/a.yml", station.as_bytes()), ("m/a.ss14.spadework.yaml", listing.as_bytes())]);
    let Opened { mut document, stamps, report, .. } = opened(&storage, "m/a.yml");
    assert_eq!(count(&document, &object), 1);
    assert!(report.warnings.iter().any(|warning| warning.code == "entity-beside-station"), "{report:?}");
    execute(&mut document, Command::SetObject(ops::SetObject { id, object: object.shifted(IVec3::X) }));
    saved(&storage, &document, "m/a.yml", stamps);
    let document = opened(&storage, "m/a.yml").document;
    assert_eq!([count(&document, &object), count(&document, &object.shifted(IVec3::X))], [0, 1]);
    let text = storage.get("m/a.ss14.spadework.yaml").unwrap();
    assert!(String::from_utf8_lossy(&text).contains("my own"));
}

#[test]
fn an_entity_changes_without_a_word_about_a_project_file_of_another_map_that_lists_it() {
    let (station, id, object) = with_odd_entity();
    let listing = listing("vxl", &object);
    let storage = FaultyStorage::with(&[("m/a.yml", station.as_bytes()), ("m/a.ss14.spadework.yaml", listing.as_bytes())]);
    let Opened { mut document, stamps, .. } = opened(&storage, "m/a.yml");
    execute(&mut document, Command::SetObject(ops::SetObject { id, object: object.shifted(IVec3::X) }));
    let report = saved(&storage, &document, "m/a.yml", stamps);
    assert!(report.warnings.is_empty(), "{report:?}");
    assert_eq!(String::from_utf8(storage.get("m/a.ss14.spadework.yaml").unwrap()).unwrap(), listing);
    let document = opened(&storage, "m/a.yml").document;
    assert_eq!([count(&document, &object), count(&document, &object.shifted(IVec3::X))], [0, 1]);
}
