//! What the project file says and keeps, beside each kind of map.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::merge::of_kind;
use super::super::yaml::LINES_READ;
use super::reading::MOST_TOLD;
use super::values::entry;
use super::*;
use crate::document::{Anchor, GameMode, GameProfile, Options, SourceFile, Team};
use crate::format::Severity;
use crate::geom::{ColumnRect, Region, VoxelPos};
use crate::voxel::{Rgb, Store};

fn empty() -> Document {
    Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES)
}

/// What a map was read from, without its bytes.
fn read_as(format: &'static str, last_entity: Option<ObjectId>) -> Option<Arc<SourceFile>> {
    Some(Arc::new(SourceFile { format, options: Options::default(), bytes: Arc::default(), tells_kinds: false, last_entity }))
}

fn marker() -> Object {
    Object::Marker { label: "a: 'b'\n- \u{7}".into(), at: Anchor { x: 1, y: 2, z: None }, role: Default::default(), volume: 0 }
}

fn region() -> Object {
    Object::SpawnRegion { team: Team::Green, area: ColumnRect::new([1, 2], [3, 4]), z: 5 }
}

fn written(sidecar: ProjectYaml, document: &Document, previous: Option<&[u8]>) -> Option<Vec<u8>> {
    sidecar.write(document, previous, &mut Report::new()).unwrap()
}

#[test]
fn a_new_file_reads_back() {
    let mut document = empty();
    for object in [marker(), region()] {
        Arc::make_mut(&mut document.objects).push(object);
    }
    let metadata = Arc::make_mut(&mut document.metadata);
    metadata.description = Some("yes".into());
    metadata.fog = Some(Rgb::new(1, 2, 3));
    metadata.protected = ["A1".parse().unwrap()].into();
    let text = written(BESIDE_VMF, &document, None).unwrap();
    let mut again = empty();
    BESIDE_VMF.apply(&text, &mut again, &mut Report::new()).unwrap();
    assert_eq!(again.metadata, document.metadata);
    assert_eq!(of_kind(&again.objects, ObjectKind::Marker), [marker()]);
    assert_eq!(of_kind(&again.objects, ObjectKind::Spawn), [region()]);
}

#[test]
fn what_would_not_read_back_is_not_written() {
    let odd = "spadework: 1\nspadewo0 rk: 1\nmetadts:\n-ar \"- [x, 'y'\\n]: \\\" \"\nobj00000000000000000000MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMeker:\n   !at:0000000000000: 00000000000000/000MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMwMMMMMMMMMMMMMMMMMMMMMMMMMMM000000ker:\n    a";
    let mut document = empty();
    BESIDE_VMF.apply(odd.as_bytes(), &mut document, &mut Report::new()).unwrap();
    document.mark_opened();
    Arc::make_mut(&mut document.objects).push(marker());
    let result = BESIDE_VMF.write(&document, Some(odd.as_bytes()), &mut Report::new());
    assert!(matches!(result, Err(FormatError::Unsupported { .. })), "{result:?}");
}

#[test]
fn a_version_that_is_no_number_is_told() {
    for (said, count) in [("spadework: x\n", 1), ("spadework: 1\n", 0)] {
        let mut report = Report::new();
        BESIDE_VMF.apply(said.as_bytes(), &mut empty(), &mut report).unwrap();
        assert_eq!(report.warnings.iter().filter(|warning| warning.code == "not-understood").count(), count, "{said}");
    }
}

#[test]
fn a_section_of_another_shape_is_told_and_stays_until_something_comes_there() {
    for (said, key, line) in [
        ("spadework: 1\nobjects:\n  first:\n    marker: {label: Keep me, at: {x: 1, y: 2}}\n", "objects", 2),
        ("objects: 5\nspadework: 1\n", "objects", 1),
        ("spadework: 1\nmetadata: just a text\n", "metadata", 2),
        ("spadework: 1\nmetadata:\n- fog\n", "metadata", 2),
    ] {
        let mut document = empty();
        let mut report = Report::new();
        BESIDE_VMF.apply(said.as_bytes(), &mut document, &mut report).unwrap();
        let told: Vec<_> = report.warnings.iter().map(|warning| (warning.code, warning.line)).collect();
        assert_eq!(told, [("not-understood", Some(line))], "{said}");
        document.mark_opened();
        let opened = document.clone();
        // What goes elsewhere leaves it.
        for (edited, is_lost) in [("objects", key == "objects"), ("metadata", key == "metadata")] {
            let mut document = opened.clone();
            match edited {
                "objects" => drop(Arc::make_mut(&mut document.objects).push(marker())),
                _ => Arc::make_mut(&mut document.metadata).description = Some("new".into()),
            }
            let mut report = Report::new();
            let text = BESIDE_VMF.write(&document, Some(said.as_bytes()), &mut report).unwrap().unwrap();
            let losses = report.of(Severity::Loss).count();
            assert_eq!(losses == 1, is_lost, "{said} {edited}");
            let (before, after) = (parse(said.as_bytes()).unwrap(), parse(&text).unwrap());
            assert_eq!(before.get(key) == after.get(key), !is_lost, "{said} {edited}");
        }
    }
}

#[test]
fn beside_a_vxl_it_is_made_for_markers_only() {
    let mut document = empty();
    Arc::make_mut(&mut document.objects).push(region());
    assert_eq!(written(BESIDE_VXL, &document, None), None);
    Arc::make_mut(&mut document.objects).push(marker());
    let text = String::from_utf8(written(BESIDE_VXL, &document, None).unwrap()).unwrap();
    assert!(text.contains("marker") && !text.contains("spawn_region"), "{text}");
}

#[test]
fn a_name_that_the_header_of_a_vmf_cuts_is_here_whole_until_it_is_short() {
    let long = "Zürich by night, with all of its bridges and towers";
    let mut document = empty();
    Arc::make_mut(&mut document.metadata).set(Property::Name(Some(long.into())));
    let text = written(BESIDE_VMF, &document, None).unwrap();
    let mut again = empty();
    Arc::make_mut(&mut again.metadata).name = Some("Z?rich by night, with all of its".get(..31).unwrap().into());
    let mut report = Report::new();
    BESIDE_VMF.apply(&text, &mut again, &mut report).unwrap();
    assert_eq!((again.metadata.name.as_deref(), report.warnings.len()), (Some(long), 0));
    again.mark_opened();
    assert_eq!(written(BESIDE_VMF, &again, Some(&text)), Some(text.clone()));
    Arc::make_mut(&mut again.metadata).set(Property::Name(Some("Zurich".into())));
    let text = String::from_utf8(written(BESIDE_VMF, &again, Some(&text)).unwrap()).unwrap();
    assert!(!text.contains("name"), "{text}");
}

#[test]
fn the_one_box_in_the_header_of_a_vmf_does_not_disagree_with_the_regions_around_which_it_lies() {
    let blue = |min, max| Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new(min, max), z: 0 };
    let mut document = empty();
    for object in [blue([1, 2], [3, 4]), blue([9, 1], [10, 2]), region()] {
        Arc::make_mut(&mut document.objects).push(object);
    }
    let text = written(BESIDE_VMF, &document, None).unwrap();
    for (header, told) in [(Some(blue([1, 1], [10, 4])), 0), (None, 0), (Some(blue([1, 1], [10, 5])), 1)] {
        let (mut again, mut report) = (empty(), Report::new());
        header.into_iter().for_each(|object| _ = Arc::make_mut(&mut again.objects).push(object));
        BESIDE_VMF.apply(&text, &mut again, &mut report).unwrap();
        assert_eq!((of_kind(&again.objects, ObjectKind::Spawn).len(), report.warnings.len()), (3, told), "{report:?}");
    }
}

#[test]
fn beside_an_ss14_map_it_holds_what_is_no_entity() {
    let mut document = empty();
    let named =
        |label: &str, volume| Object::Marker { label: label.into(), at: Anchor { x: 1, y: 2, z: None }, role: Default::default(), volume };
    for object in [named("WallSolid", 0), named("", 1)] {
        Arc::make_mut(&mut document.objects).push(object);
    }
    let last_entity = document.objects.iter().map(|(id, _)| id).last();
    document.source = read_as("ss14", last_entity);
    document.mark_opened();
    let station = document.clone();
    Arc::make_mut(&mut document.objects).push(named("Crate", 1));
    assert_eq!(written(BESIDE_SS14, &document, None), None, "entities are in the map");
    for object in [named("vault here", 1), region()] {
        Arc::make_mut(&mut document.objects).push(object);
    }
    Arc::make_mut(&mut document.metadata).set(Property::Author(Some("Somebody".into())));
    let text = written(BESIDE_SS14, &document, None).unwrap();
    let readable = std::str::from_utf8(&text).unwrap();
    assert!(!readable.contains("WallSolid") && !readable.contains("Crate") && readable.contains("volume: 1"), "{readable}");
    let mut again = station;
    BESIDE_SS14.apply(&text, &mut again, &mut Report::new()).unwrap();
    assert_eq!((again.objects.0.len(), again.metadata.author.as_deref()), (4, Some("Somebody")));
    again.mark_opened();
    assert_eq!(written(BESIDE_SS14, &again, Some(&text)), Some(text.clone()));
    // An entity that moves is no reason to write the file anew.
    Arc::make_mut(&mut again.objects).0.retain(|_, object| object.label() != "WallSolid");
    assert_eq!(written(BESIDE_SS14, &again, Some(&text)), Some(text));
}

#[test]
fn a_name_that_the_station_holds_itself_needs_no_file_beside_it() {
    let mut document = empty();
    Arc::make_mut(&mut document.metadata).name = Some("Saltern".into());
    document.mark_opened();
    let entity =
        |label: &str| Object::Marker { label: label.into(), at: Anchor { x: 1, y: 2, z: None }, role: Default::default(), volume: 0 };
    Arc::make_mut(&mut document.objects).push(entity("Crate"));
    assert_eq!(written(BESIDE_SS14, &document, None), None);
    Arc::make_mut(&mut document.metadata).name = Some("Box".into());
    assert_eq!(written(BESIDE_SS14, &document, None), None, "the map takes the new name");
    // It has no room for an author, nor for what is no entity.
    Arc::make_mut(&mut document.metadata).author = Some("ann".into());
    Arc::make_mut(&mut document.objects).push(entity("way out"));
    let text = String::from_utf8(written(BESIDE_SS14, &document, None).unwrap()).unwrap();
    assert!(text.contains("author: ann") && text.contains("way out") && !text.contains("Box"), "{text}");
    let mut again = empty();
    Arc::make_mut(&mut again.metadata).name = Some("Box".into());
    BESIDE_SS14.apply(text.as_bytes(), &mut again, &mut Report::new()).unwrap();
    assert_eq!(again.metadata, document.metadata);
    // Another format takes it along.
    document.source = read_as("vxl", None);
    assert!(String::from_utf8(written(BESIDE_SS14, &document, None).unwrap()).unwrap().contains("Box"));
}

#[test]
fn a_map_from_another_format_brings_everything_along_unedited() {
    let mut document = empty();
    Arc::make_mut(&mut document.objects).push(region());
    document.mark_opened();
    document.source = read_as("vxl", None);
    let text = String::from_utf8(written(BESIDE_VMF, &document, None).unwrap()).unwrap();
    assert!(text.contains("spawn_region"), "{text}");
    assert_eq!(written(BESIDE_VXL, &document, None).as_deref(), Some(&b"spadework: 1\nmap: vxl\n"[..]));
}

#[test]
fn what_is_not_known_is_kept_and_nothing_edited_is_nothing_changed() {
    let text = b"spadework: 1 # comment\nnotes: mine\nobjects:\n- teleporter: {x: 1}\n";
    let mut document = empty();
    BESIDE_VXL.apply(text, &mut document, &mut Report::new()).unwrap();
    document.mark_opened();
    assert_eq!(written(BESIDE_VXL, &document, Some(text)).as_deref(), Some(&text[..]));
    Arc::make_mut(&mut document.objects).push(marker());
    let new = String::from_utf8(written(BESIDE_VXL, &document, Some(text)).unwrap()).unwrap();
    assert!(new.contains("notes: mine") && new.contains("teleporter") && new.contains("marker"), "{new}");
}

#[test]
fn comments_before_the_entries_stay_and_others_are_told() {
    let text = "# mine\n\n# and yours\nspadework: 1 # here\nnotes: 'a # b'\nmore: |\n  # no comment\nlast: c#d # there\n";
    let mut document = empty();
    BESIDE_VXL.apply(text.as_bytes(), &mut document, &mut Report::new()).unwrap();
    document.mark_opened();
    Arc::make_mut(&mut document.objects).push(marker());
    let mut report = Report::new();
    let new = String::from_utf8(BESIDE_VXL.write(&document, Some(text.as_bytes()), &mut report).unwrap().unwrap()).unwrap();
    assert!(new.starts_with("# mine\n\n# and yours\nspadework: 1\nnotes: 'a # b'\n"), "{new}");
    let told: Vec<_> = report.of(Severity::Loss).map(|loss| (loss.code, loss.count)).collect();
    assert_eq!(told, [("comments-lost", 2)]);
    // A second time nothing is lost.
    let mut report = Report::new();
    Arc::make_mut(&mut document.objects).push(region());
    Arc::make_mut(&mut document.objects).push(Object::Marker {
        label: "b".into(),
        at: Anchor { x: 5, y: 2, z: None },
        role: Default::default(),
        volume: 0,
    });
    assert!(BESIDE_VXL.write(&document, Some(new.as_bytes()), &mut report).unwrap().unwrap().starts_with(b"# mine\n\n# and yours\n"));
    assert!(report.warnings.is_empty(), "{report:?}");
    assert!(BESIDE_VXL.keeps_handwriting(b"spadework: 1\n", b"spadework: 1\nmetadata: {}\n"));
    assert!(!BESIDE_VXL.keeps_handwriting(b"spadework: 1 # mine\n", b"spadework: 1\n"));
    assert!(!BESIDE_VXL.keeps_handwriting(b"hello: 1\n", b"spadework: 1\n"));
}

#[test]
fn the_mark_and_the_line_ends_of_the_file_stay() {
    for (mark, end) in [("", "\n"), ("\u{feff}", "\n"), ("", "\r\n"), ("\u{feff}", "\r\n")] {
        let text = format!("{mark}# mine{end}spadework: 1{end}notes: |{end}  two{end}  lines{end}");
        let mut document = empty();
        BESIDE_VXL.apply(text.as_bytes(), &mut document, &mut Report::new()).unwrap();
        document.mark_opened();
        Arc::make_mut(&mut document.objects).push(marker());
        let new = String::from_utf8(written(BESIDE_VXL, &document, Some(text.as_bytes())).unwrap()).unwrap();
        assert!(new.starts_with(&text), "{new:?}");
        assert_eq!((new.matches('\n').count(), new.matches(end).count()), (new.lines().count(), new.lines().count()), "{new:?}");
        let mut again = empty();
        BESIDE_VXL.apply(new.as_bytes(), &mut again, &mut Report::new()).unwrap();
        assert_eq!(again.objects, document.objects);
    }
}

#[test]
fn a_file_of_somebody_else_stays_as_it_is() {
    let text = b"hello: 1 # mine\n";
    let (mut document, mut report) = (empty(), Report::new());
    BESIDE_VXL.apply(text, &mut document, &mut report).unwrap();
    assert_eq!(report.warnings.first().map(|warning| warning.code), Some("not-a-project"));
    document.mark_opened();
    for (markers, losses) in [(0, 0), (1, 1)] {
        (0..markers).for_each(|_| _ = Arc::make_mut(&mut document.objects).push(marker()));
        let mut report = Report::new();
        let new = BESIDE_VXL.write(&document, Some(text), &mut report).unwrap();
        assert_eq!((new.as_deref(), report.of(Severity::Loss).count()), (Some(&text[..]), losses));
    }
    // What is empty may become one.
    assert!(written(BESIDE_VXL, &document, Some(b"")).is_some_and(|new| new.starts_with(b"spadework: 1")));
}

#[test]
fn what_is_wrong_is_told_with_its_name_and_its_line() {
    let text = "\u{feff}spadework: 1\nmetadata:\n  name: 5\n  fog: red\n  author: [1]\n  mood: good\nobjects:\n- teleporter: {x: 1}\n\
                - spawn_region: {team: blue, area: [[3, 4], [3, 9]]}\n- spawn_region: {team: blue, area: [[3, 4], [5, 9]]}\n";
    let (mut document, mut report) = (empty(), Report::new());
    BESIDE_VMF.apply(text.as_bytes(), &mut document, &mut report).unwrap();
    let told: Vec<_> = report.warnings.iter().map(|warning| (warning.line, &*warning.message)).collect();
    let expected = [
        (Some(3), "the project file has 5 as name, which is none; it is kept"),
        (Some(4), "the project file has red as fog, which is none; it is kept"),
        (Some(5), "the project file has [1] as author, which is none; it is kept"),
        (Some(6), "the project file has an entry mood of metadata that is not known; it is kept"),
        (Some(8), "object 1 of the project file is not known ({\"teleporter\":{\"x\":1}}); it is kept"),
        (Some(9), "object 2 of the project file is a region without any column; it is left out"),
    ];
    assert_eq!(told, expected);
    assert_eq!(document.objects.0.len(), 1);
    for property in document.metadata.properties() {
        assert!(KEYS.contains(&entry(&property).0));
    }
    let twice = BESIDE_VMF.apply(b"spadework: 1\nmetadata: {}\nspadework: 2\n", &mut empty(), &mut Report::new()).unwrap_err();
    assert_eq!(twice.to_string(), "line 3: spadework stands there a second time");
}

#[test]
fn a_game_mode_is_read_by_its_number_and_by_its_name() {
    for (said, mode) in [("1", GameMode::Tc), ("tc", GameMode::Tc), ("arena", GameMode::Arena), ("9", GameMode::Other(9))] {
        let (mut document, mut report) = (empty(), Report::new());
        BESIDE_VXL.apply(format!("spadework: 1\nmetadata:\n  game_mode: {said}\n").as_bytes(), &mut document, &mut report).unwrap();
        assert_eq!((document.metadata.game_mode, report.warnings.len()), (Some(mode), 0), "{said}");
    }
}

#[test]
fn each_line_is_read_so_many_times_however_many_there_are() {
    for sidecar in [BESIDE_VXL, BESIDE_VMF, BESIDE_SS14] {
        let read = |count: usize| {
            let marker = |at: usize| format!("- marker:\n    label: m {at}\n    at: {{x: {at}, y: 2}}\n");
            let odd = (0..count).map(|at| format!("  odd{at}: 1\n"));
            let text: String = ["spadework: 1\nmetadata:\n".to_owned()].into_iter().chain(odd).chain(["objects:\n".to_owned()]).collect();
            let text = text + &(0..count).map(marker).collect::<String>();
            let (mut document, mut report) = (empty(), Report::new());
            LINES_READ.set(0);
            sidecar.apply(text.as_bytes(), &mut document, &mut report).unwrap();
            assert_eq!(document.objects.iter().count(), count, "{:?}", report.warnings.first());
            (LINES_READ.get(), text.lines().count())
        };
        for count in [10, 100, 1000] {
            let (read, lines) = read(count);
            assert!(read <= 2 * lines, "{count}: {read} of {lines}");
        }
    }
}

#[test]
fn bombs_and_depth_are_refused_in_little_time() {
    let bomb: String = (1..30).map(|i| format!("a{i}: &a{i} [*a{0}, *a{0}, *a{0}, *a{0}, *a{0}, *a{0}]\n", i - 1)).collect();
    for text in [format!("a0: &a0 [1, 2, 3]\n{bomb}"), "[".repeat(10_000), "- ".repeat(10_000)] {
        assert!(BESIDE_VXL.apply(text.as_bytes(), &mut empty(), &mut Report::new()).is_err());
    }
}

proptest! {
    #[test]
    fn random_text_never_panics(text in "[a-c:\\- \n{}\\[\\],'\"&*!|>#0-9]{0,60}") {
        BESIDE_VXL.apply(text.as_bytes(), &mut empty(), &mut Report::new()).ok();
    }
}

#[test]
fn what_costs_too_much_memory_is_refused_and_very_many_odd_objects_are_told_in_one_line() {
    let of = |text: String| parse(text.as_bytes());
    let values = |count: usize| format!("spadework: 1\nobjects: [{}]\n", "1,".repeat(count));
    assert!(of(values(1_000_000)).is_ok());
    assert!(matches!(of(values(1_100_000)), Err(FormatError::Unsupported { .. })));
    assert!(matches!(of(format!("note: '{}'\n", " ".repeat(5 << 20))), Err(FormatError::FileTooLarge { .. })));
    let mut report = Report::new();
    let text = format!("spadework: 1\nobjects:\n{}", "- {}\n- spawn_region: {team: blue, x0: 1}\n".repeat(1000));
    BESIDE_VXL.apply(text.as_bytes(), &mut empty(), &mut report).unwrap();
    assert_eq!(report.warnings.len(), MOST_TOLD + 1, "{:?}", report.warnings.last());
    let told = report.warnings.last().unwrap().sentence();
    assert_eq!(told, "1,980 more objects of the project file are not known, or left out");
}

fn said(bytes: &[u8]) -> Vec<Value> {
    parse(bytes).unwrap().get("objects").and_then(Value::as_sequence).cloned().unwrap()
}

fn losses(report: &Report) -> Vec<(&str, u64)> {
    report.of(Severity::Loss).map(|loss| (loss.code, loss.count)).collect()
}

#[test]
fn what_else_a_file_says_of_an_object_goes_with_it() {
    let text = "spadework: 1\nobjects:\n\
                - marker: {label: gate, at: {x: 5, y: 6, deep: {a: 7}}, colour: [red, !x 1], role: point, 7: seven}\n\
                - marker: {label: tower, at: {x: 1, y: 2}}\n\
                - marker: {label: tower, at: {x: 1, y: 2}, colour: blue}\n\
                - marker: {label: tower, at: {x: 1, y: 2}, colour: green}\n";
    let mut document = empty();
    let mut report = Report::new();
    BESIDE_VXL.apply(text.as_bytes(), &mut document, &mut report).unwrap();
    let told: Vec<_> = report.warnings.iter().map(|told| (told.line, told.message.as_str())).collect();
    let gate = "object 1 of the project file has 7, at.deep, colour, which is not known; it is kept with the object";
    assert_eq!(told.first(), Some(&(Some(3), gate)), "{told:?}");
    assert_eq!(told.len(), 3, "{told:?}");
    document.mark_opened();

    // An object that nobody touched stays as it is written, one that is moved takes all along.
    Arc::make_mut(&mut document.objects).push(marker());
    let more = written(BESIDE_VXL, &document, Some(text.as_bytes())).unwrap();
    assert_eq!(said(&more)[..4], said(text.as_bytes())[..]);
    let ids: Vec<ObjectId> = document.objects.iter().map(|(id, _)| id).collect();
    let objects = Arc::make_mut(&mut document.objects);
    objects.0.remove(&ids[1]);
    for id in [ids[0], ids[3]] {
        let moved = objects.get(id).unwrap().shifted(VoxelPos::new(10, 0, 0));
        objects.0.insert(id, moved);
    }
    let mut report = Report::new();
    let new = BESIDE_VXL.write(&document, Some(text.as_bytes()), &mut report).unwrap().unwrap();
    let expected = "objects:\n\
                    - marker: {at: {x: 15, y: 6, deep: {a: 7}}, label: gate, colour: [red, !x 1], 7: seven}\n\
                    - marker: {label: tower, at: {x: 1, y: 2}, colour: blue}\n\
                    - marker: {at: {x: 11, y: 2}, label: tower, colour: green}\n";
    assert_eq!(said(&new)[..3], said(expected.as_bytes())[..]);
    assert_eq!(losses(&report), []);

    // What becomes something that has its place elsewhere leaves it behind.
    let base = Object::Base { team: Team::Blue, at: Anchor { x: 1, y: 2, z: None } };
    Arc::make_mut(&mut document.objects).0.insert(ids[0], base);
    let mut report = Report::new();
    let new = BESIDE_VXL.write(&document, Some(text.as_bytes()), &mut report).unwrap().unwrap();
    assert_eq!(said(&new)[..2], said(expected.as_bytes())[1..]);
    assert_eq!(losses(&report), [("entries-lost", 3)], "{report:?}");
}

#[test]
fn equal_objects_beside_a_station_stay_two() {
    let text = "spadework: 1\nobjects:\n- marker: {label: my place, at: {x: 1, y: 2}, a: 1}\n- marker: {label: my place, at: {x: 1, y: 2}, b: 2}\n";
    let mut document = empty();
    BESIDE_SS14.apply(text.as_bytes(), &mut document, &mut Report::new()).unwrap();
    document.mark_opened();
    Arc::make_mut(&mut document.objects).push(Object::Base { team: Team::Blue, at: Anchor { x: 1, y: 2, z: None } });
    let mut report = Report::new();
    let new = BESIDE_SS14.write(&document, Some(text.as_bytes()), &mut report).unwrap().unwrap();
    assert!(said(text.as_bytes()).iter().all(|entry| said(&new).contains(entry)), "{}", String::from_utf8_lossy(&new));
    assert_eq!(losses(&report), []);
    // As an entity it goes into the map, and has no place here.
    let first = document.objects.iter().next().map(|(id, _)| id).unwrap();
    let entity = Object::Marker { label: "Bridge".into(), at: Anchor { x: 1, y: 2, z: None }, role: Default::default(), volume: 0 };
    Arc::make_mut(&mut document.objects).0.insert(first, entity);
    let mut report = Report::new();
    BESIDE_SS14.write(&document, Some(text.as_bytes()), &mut report).unwrap();
    assert_eq!(losses(&report), [("entries-lost", 1)], "{report:?}");
}

#[test]
fn sections_with_a_tag_are_odd_and_numbers_in_other_words_are_told() {
    let text = "spadework: 1\nmetadata: !mine {game_mode: tc}\nobjects: !list []\n";
    let mut document = empty();
    let mut report = Report::new();
    BESIDE_VXL.apply(text.as_bytes(), &mut document, &mut report).unwrap();
    assert_eq!((document.metadata.game_mode, report.of(Severity::Guess).count()), (None, 2), "{report:?}");
    document.mark_opened();
    Arc::make_mut(&mut document.objects).push(marker());
    let mut report = Report::new();
    let new = BESIDE_VXL.write(&document, Some(text.as_bytes()), &mut report).unwrap().unwrap();
    assert!(String::from_utf8_lossy(&new).contains("metadata: !mine"), "{}", String::from_utf8_lossy(&new));
    assert_eq!(losses(&report), [("section-replaced", 1)]);

    let text = "spadework: 1\nmetadata: {version: 1.10}\nown: [7, -2.5, {1e3: 0x1F}, 1.1]\n";
    let mut document = empty();
    BESIDE_VXL.apply(text.as_bytes(), &mut document, &mut Report::new()).unwrap();
    document.mark_opened();
    Arc::make_mut(&mut document.objects).push(marker());
    let mut report = Report::new();
    BESIDE_VXL.write(&document, Some(text.as_bytes()), &mut report).unwrap();
    assert_eq!(losses(&report), [("respelled", 3)], "{report:?}");
    let told = report.of(Severity::Loss).next().unwrap();
    assert!(told.message.contains("1.1"), "{told:?}");
}

#[test]
fn entries_that_are_not_known_are_handwriting() {
    let ours = "spadework: 1\nmetadata: {fog: '#010203'}\nobjects:\n- marker: {label: gate, at: {x: 5, y: 6}}\n";
    let keeps = |there: &str, new: &str| BESIDE_VXL.keeps_handwriting(there.as_bytes(), new.as_bytes());
    assert!(keeps(ours, "spadework: 1\n"));
    for (known, odd) in [
        ("spadework: 1", "spadework: 2"),
        ("spadework: 1", "spadework: one"),
        ("metadata", "odd: hand\nmetadata"),
        ("{fog", "{credits: me, fog"),
        ("'#010203'", "dark"),
        ("- marker", "- flying"),
        ("label: gate", "label: gate, colour: red"),
        ("y: 6", "y: 6, deep: 7"),
    ] {
        let there = ours.replace(known, odd);
        assert!(!keeps(&there, ours), "{there}");
        assert!(keeps(&there, &there.replace("objects:", "objects:\n- marker: {label: tower, at: {x: 1, y: 1}}")), "{there}");
    }
    assert!(!keeps("spadework: 1\nobjects: 5\n", ours));
    // What goes with an object that was moved is still there.
    let (there, new) = (ours.replace("label", "colour: red, label"), ours.replace("x: 5", "x: 6"));
    assert!(keeps(&there, &new.replace("label", "colour: red, label")) && !keeps(&there, &new.replace("label", "colour: blue, label")));
}

#[test]
fn files_with_many_comments_are_compared_at_once() {
    let text: String = (0..900).map(|line| format!("k{line}: {line} # number {line}\n")).collect();
    let text = format!("spadework: 1\n{text}");
    let start = std::time::Instant::now();
    assert!(BESIDE_VXL.keeps_handwriting(text.as_bytes(), format!("{text}k: 1\n").as_bytes()));
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{:?}", start.elapsed());
}
