//! The plugin as a whole, over small texts and over real files (those need `SPADEWORK_MAPS`).

use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::document::{Anchor, GameProfile, Metadata, ObjectId, Options, SourceFile, Team};
use crate::geom::{ColumnRect, Region, VoxelPos};
use crate::voxel::{Rgb, Store};

fn empty() -> Document {
    Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES)
}

fn opened(text: &[u8]) -> (Document, Report) {
    let mut document = empty();
    let mut report = Report::new();
    PiqueserverTxt.apply(text, &mut document, &mut report).unwrap();
    document.mark_opened();
    (document, report)
}

fn written(document: &Document, text: &[u8]) -> Result<Vec<u8>, FormatError> {
    Ok(PiqueserverTxt.write(document, Some(text), &mut Report::new())?.unwrap())
}

/// Opens `text`, edits it and expects `expected`; what was written must read back as it is.
#[track_caller]
fn check_edit(text: &str, edit: impl FnOnce(&mut Metadata, &mut crate::document::Objects), expected: &str) {
    let (mut document, _) = opened(text.as_bytes());
    edit(Arc::make_mut(&mut document.metadata), Arc::make_mut(&mut document.objects));
    let new = written(&document, text.as_bytes()).unwrap();
    assert_eq!(String::from_utf8_lossy(&new), expected);
    let (again, _) = opened(&new);
    assert_eq!(again.metadata, document.metadata);
}

/// The real files; empty, with a line printed, where there are none.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = std::env::var_os("SPADEWORK_MAPS").map(PathBuf::from) else {
        println!("skipped: SPADEWORK_MAPS is not set");
        return vec![];
    };
    let mut paths: Vec<PathBuf> = [folder.clone(), folder.join("txt-only")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    paths.iter().map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())).collect()
}

fn full() -> Document {
    let mut document = empty();
    *Arc::make_mut(&mut document.metadata) = Metadata {
        name: Some("It's \"ours\"\n".into()),
        fog: Some(Rgb::new(1, 2, 3)),
        protected: ["D4".parse().unwrap()].into(),
        cap_limit: Some(3),
        time_limit: Some(15),
        ..Metadata::default()
    };
    let objects = Arc::make_mut(&mut document.objects);
    objects.push(Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([40, 240], [60, 260]), z: 0 });
    objects.push(Object::SpawnPoint { team: Team::Blue, at: VoxelPos::new(70, 240, 50) });
    objects.push(Object::SpawnRegion { team: Team::Green, area: ColumnRect::new([440, 240], [460, 260]), z: 30 });
    objects.push(Object::Base { team: Team::Blue, at: Anchor { x: 55, y: 220, z: None } });
    objects.push(Object::Intel { team: Team::Blue, at: Anchor { x: 50, y: 200, z: Some(40) } });
    objects.push(Object::Territory { owner: Some(Team::Green), at: Anchor { x: 100, y: 200, z: None } });
    objects.push(Object::Territory { owner: None, at: Anchor { x: 200, y: 200, z: None } });
    document
}

#[test]
fn what_is_cleared_is_cleared_under_its_capitalized_name_too() {
    check_edit("Author = 'me'\nname = 'x'\n", |metadata, _| metadata.author = None, "name = 'x'\n");
    check_edit("Author = 'me'\nauthor = 'you'\nname = 'x'\n", |metadata, _| metadata.author = None, "name = 'x'\n");
}

#[test]
fn a_new_file_holds_everything_and_reads_back() {
    let document = full();
    let text = PiqueserverTxt.write(&document, None, &mut Report::new()).unwrap().unwrap();
    let (again, report) = opened(&text);
    assert!(report.warnings.is_empty(), "{report:?}");
    assert_eq!(again.metadata, document.metadata);
    assert_eq!(again.objects.iter().count(), document.objects.iter().count());
    for (_, object) in document.objects.iter() {
        assert!(again.objects.iter().any(|(_, other)| other == object), "{object:?}");
    }
}

#[test]
fn a_territory_under_a_roof_loses_its_height_and_one_on_top_nothing() {
    let mut document = empty();
    let mut edit = crate::voxel::StoreEdit::new(document.store());
    edit.set(glam::IVec3::new(5, 6, 40), Some(crate::voxel::Voxel::new(crate::voxel::Rgb::new(1, 2, 3))));
    let changes = edit.finish();
    document.store_mut(0).unwrap().apply(&changes);
    for (z, losses) in [(None, 0), (Some(40), 0), (Some(50), 1)] {
        let mut report = Report::new();
        document.objects = Arc::default();
        Arc::make_mut(&mut document.objects).push(Object::Territory { owner: None, at: Anchor { x: 5, y: 6, z } });
        assert!(PiqueserverTxt.write(&document, None, &mut report).unwrap().is_some());
        assert_eq!(report.of(Severity::Loss).count(), losses, "{z:?} {report:?}");
    }
}

#[test]
fn a_missing_file_is_made_for_what_it_holds_and_not_for_the_rest() {
    let made = |document: &Document| PiqueserverTxt.write(document, None, &mut Report::new()).unwrap().is_some();
    let mut document = full();
    let marker = Object::Marker { label: "m".into(), at: Anchor { x: 1, y: 2, z: None }, role: Default::default(), volume: 0 };
    assert!(made(&document));
    document.mark_opened();
    // Asked for, or left by an earlier save.
    assert!(made(&document) && made(&empty()));
    Arc::make_mut(&mut document.objects).push(marker.clone());
    assert!(!made(&document));
    // From another format: everything is news to this file.
    document.source = Some(Arc::new(SourceFile {
        format: "vmf",
        options: Options::default(),
        bytes: Arc::default(),
        tells_kinds: true,
        last_entity: None,
    }));
    assert!(made(&document));
    document.objects = Arc::default();
    document.metadata = Arc::default();
    document.mark_opened();
    Arc::make_mut(&mut document.objects).push(marker);
    assert!(!made(&document));
}

#[test]
fn our_own_files_change_only_in_the_list_that_was_edited() {
    let text = PiqueserverTxt.write(&full(), None, &mut Report::new()).unwrap().unwrap();
    let text = String::from_utf8(text).unwrap();
    let region = Object::SpawnRegion { team: Team::Green, area: ColumnRect::new([1, 2], [3, 4]), z: 0 };
    check_edit(
        &text,
        |_, objects| {
            objects.push(region);
        },
        &text.replace("[(440, 240, 460, 260, 30)]", "[(440, 240, 460, 260, 30), (1, 2, 3, 4, 0)]"),
    );
}

#[test]
fn a_changed_value_replaces_its_bytes_only() {
    let text = "\u{feff}name = 'a'  # mine\r\nauthor = ('x'\r\n  'y')\nfog=(1,2,3)\nprotected = [\"A1\", 'Z9', 'B2']\r\nx = foo(name)";
    check_edit(text, |metadata, _| metadata.name = Some("b'c".into()), &text.replace("'a'", "\"b'c\""));
    check_edit(text, |metadata, _| metadata.author = Some("z".into()), &text.replace("('x'\r\n  'y')", "'z'"));
    check_edit(text, |metadata, _| metadata.fog = Some(Rgb::new(9, 9, 9)), &text.replace("(1,2,3)", "(9, 9, 9)"));
    check_edit(
        text,
        |metadata, _| metadata.protected = ["B2".parse().unwrap(), "C3".parse().unwrap()].into(),
        &text.replace("[\"A1\", 'Z9', 'B2']", "['Z9', 'B2', 'C3']"),
    );
}

#[test]
fn new_keys_get_a_line_in_the_style_around_them_and_unset_ones_lose_theirs() {
    check_edit("name = 'a'\r\nx = 1\n", |metadata, _| metadata.cap_limit = Some(5), "name = 'a'\r\ncap_limit = 5\r\nx = 1\n");
    check_edit("x = 1\nname = 'a'", |metadata, _| metadata.cap_limit = Some(5), "x = 1\nname = 'a'\ncap_limit = 5");
    check_edit("", |metadata, _| metadata.name = Some("n".into()), "name = 'n'\n");
    check_edit("name = 'a'\nfog = (1, 2, 3)\nx = 1\n", |metadata, _| metadata.fog = None, "name = 'a'\nx = 1\n");
    // Comments beside a line that goes stay.
    check_edit("name = 'a'  # mine\r\nx = 1\n", |metadata, _| metadata.name = None, "# mine\r\nx = 1\n");
    let listed = "x = 1\nfog = (1,  # red # all\n       2,\n       3)  # '#' blue\ny = 2";
    check_edit(listed, |metadata, _| metadata.fog = None, "x = 1\n# red # all\n# '#' blue\ny = 2");
    let told = "# of 'a'\n\"\"\"What it\nis for\"\"\"\n";
    check_edit(told, |metadata, _| metadata.cap_limit = Some(5), &format!("{told}cap_limit = 5\n"));
    check_edit("Name = 'a'\n", |metadata, _| metadata.name = Some("b".into()), "Name = 'a'\nname = 'b'\n");
}

#[test]
fn what_code_sets_is_refused_and_nothing_is_written() {
    let renamed = |text: &str| {
        let (mut document, _) = opened(text.as_bytes());
        Arc::make_mut(&mut document.metadata).name = Some("n".into());
        written(&document, text.as_bytes())
    };
    for text in ["import x\nname = x.y\n", "name = 'a'\nname += 'b'\n", "import x\n'''\n"] {
        assert!(matches!(renamed(text), Err(FormatError::ForeignScript { .. })), "{text}");
    }
    for prose in ["This is prose, not code\n", "'Great' they said\n", "with love\nmatch me if you can\n"] {
        assert!(matches!(renamed(prose), Err(FormatError::NotAScript)), "{prose}");
    }
    for code in ["match 1:\n    case _:\n        x = 1\n", "while 0:\n    x = 1\n", "with open('a') as f: # no\n    x = 1\n"] {
        assert!(!matches!(renamed(code), Err(FormatError::NotAScript)), "{code}");
    }
}

#[test]
fn functions_are_not_put_behind_a_list_that_they_would_fail_over() {
    for value in ["[(1, 2)]", "5", "[(1, 2, 3, 4, 5), 'x']"] {
        let text = format!("name = 'x'\nspawn_regions_green = {value}\n");
        let (mut document, _) = opened(text.as_bytes());
        let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 1], [5, 5]), z: 0 };
        Arc::make_mut(&mut document.objects).push(region);
        let written = written(&document, text.as_bytes());
        assert!(matches!(written, Err(FormatError::ForeignScript { line: 2, .. })), "{value}: {written:?}");
    }
}

#[test]
fn spawns_in_a_file_without_functions_are_added_at_its_end() {
    let text = "name = 'a'\r\nextensions = {'arena': True}";
    let (mut document, _) = opened(text.as_bytes());
    let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [3, 4]), z: 0 };
    Arc::make_mut(&mut document.objects).push(region);
    let new = written(&document, text.as_bytes()).unwrap();
    assert!(new.starts_with(text.as_bytes()));
    let lines = new.iter().filter(|byte| **byte == b'\n').count();
    assert_eq!(lines, new.windows(2).filter(|pair| pair == b"\r\n").count());
    assert_eq!(opened(&new).0.objects, document.objects);
}

#[test]
fn lists_without_the_functions_that_use_them_get_those() {
    let text = "spawn_regions_blue = [(1, 1, 5, 5, 0)]  # mine\n";
    let (mut document, _) = opened(text.as_bytes());
    let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [3, 4]), z: 0 };
    Arc::make_mut(&mut document.objects).push(region);
    let new = String::from_utf8(written(&document, text.as_bytes()).unwrap()).unwrap();
    assert!(new.starts_with("spawn_regions_blue = [(1, 2, 3, 4, 0)]  # mine\n"), "{new}");
    assert_eq!((new.matches("spawn_regions_blue =").count(), new.matches("def get_spawn_location").count()), (1, 1), "{new}");
    assert_eq!(opened(new.as_bytes()).0.objects, document.objects);
}

#[test]
fn points_of_a_foreign_script_move_in_place_and_go_from_a_plain_list() {
    let text = "def get_spawn_location(connection):\n    if connection.team is connection.protocol.blue_team:\n        \
        x = randrange(0,34)\n        y = randrange(212,298)\n        z1 = 26\n        return (x, y, z1-1)\n    \
        if connection.team is connection.protocol.green_team:\n        return choice(places)\nplaces = [(1, 2, 3), (4, 5, 6)]\n";
    let (document, _) = opened(text.as_bytes());
    assert_eq!(document.objects.iter().count(), 3);
    let area = ColumnRect::new([0, 212], [40, 298]);
    check_edit(
        text,
        |_, objects| drop(objects.0.insert(ObjectId(1), Object::SpawnRegion { team: Team::Blue, area, z: 30 })),
        &text.replace("0,34", "0,40").replace("z1 = 26", "z1 = 31"),
    );
    check_edit(
        text,
        |_, objects| drop(objects.0.insert(ObjectId(3), Object::SpawnPoint { team: Team::Green, at: VoxelPos::new(4, 5, 7) })),
        &text.replace("(4, 5, 6)", "(4, 5, 7)"),
    );
    let (mut document, _) = opened(text.as_bytes());
    Arc::make_mut(&mut document.objects).0.remove(&ObjectId(3));
    assert_eq!(written(&document, text.as_bytes()).unwrap(), text.replace("(1, 2, 3), (4, 5, 6)", "(1, 2, 3)").as_bytes());
    // A list that is drawn from has a point at least.
    Arc::make_mut(&mut document.objects).0.remove(&ObjectId(2));
    assert!(matches!(written(&document, text.as_bytes()), Err(FormatError::ForeignScript { .. })));
}

#[test]
fn fog_beyond_255_and_names_the_server_ignores_are_reported() {
    let (document, report) = opened(b"fog = (256, 256, 256)\nAuthor = 'x'\nprotect = ['D4']\n");
    assert_eq!(document.metadata.fog, Some(Rgb::new(255, 255, 255)));
    assert_eq!(document.metadata.author.as_deref(), Some("x"));
    assert_eq!(report.of(Severity::Repair).count(), 1);
    assert_eq!(report.of(Severity::Problem).count(), 2);
}

#[test]
fn a_script_that_makes_the_map_is_reported() {
    let (_, report) = opened(b"name = 'a'\ndef gen_script(basename, seed):\n    return make(seed)\n");
    let told: Vec<_> = report.of(Severity::Problem).map(|warning| (warning.code, warning.line)).collect();
    assert_eq!(told, [("made-by-script", Some(2))]);
}

#[test]
fn what_the_file_says_counts_over_earlier_files_and_that_is_reported() {
    let (mut document, _) = opened(b"name = 'a'\n");
    let mut report = Report::new();
    PiqueserverTxt.apply(b"name = 'b'\n", &mut document, &mut report).unwrap();
    assert_eq!(document.metadata.name.as_deref(), Some("b"));
    assert_eq!(report.warnings.first().map(|warning| warning.code), Some("sidecars-disagree"));
    // Also where it says nothing of what they say.
    let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [3, 4]), z: 0 };
    for (text, is_told) in [("name = 'b'\n", true), ("name = 'b'\ndef get_spawn_location(connection):\n    return f()\n", false)] {
        let (mut document, _) = opened(b"");
        Arc::make_mut(&mut document.objects).push(region.clone());
        let mut report = Report::new();
        PiqueserverTxt.apply(text.as_bytes(), &mut document, &mut report).unwrap();
        let told = report.warnings.iter().any(|warning| warning.message.starts_with("where players spawn is what another file says"));
        assert_eq!((told, document.objects.iter().count()), (is_told, 1), "{text}");
    }
}

#[test]
fn real_files_stay_identical_and_one_name_changes_one_place() {
    for (name, text) in corpus() {
        let (mut document, report) = opened(&text);
        println!("{name}: {:?} by {:?}, {} objects", document.metadata.name, document.metadata.author, document.objects.iter().count());
        for warning in &report.warnings {
            println!("    {:?} {}: {}", warning.line, warning.code, warning.message);
        }
        assert!(document.metadata.name.is_some() && document.metadata.author.is_some(), "{name}");
        assert_eq!(written(&document, &text).unwrap(), text, "{name}");
        let before = document.metadata.name.clone();
        Arc::make_mut(&mut document.metadata).name = Some("Spadework's".into());
        let new = written(&document, &text).unwrap();
        let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (old_lines, new_lines) = (lines(&text), lines(&new));
        let kept = old_lines.iter().filter(|line| new_lines.contains(line)).count();
        assert!(old_lines.len() - kept <= 1, "{name}");
        Arc::make_mut(&mut document.metadata).name = before;
        assert_eq!(written(&document, &text).unwrap(), text, "{name}");
        for end in 0..text.len() {
            PiqueserverTxt.apply(&text[..end], &mut empty(), &mut Report::new()).unwrap();
        }
    }
}

#[test]
fn real_files_give_the_objects_that_were_counted_by_hand() {
    let spawns = |document: &Document, team| document.objects.spawns(team).map(|(_, object)| object.clone()).collect::<Vec<_>>();
    for (name, text) in corpus() {
        let (document, _) = opened(&text);
        let entities = document.objects.iter().filter(|(_, object)| !object.is_spawn()).count();
        let counts = (spawns(&document, Team::Blue).len(), spawns(&document, Team::Green).len(), entities);
        let expected = match name.as_str() {
            "Isthmos" | "Trenches" | "capitol" => (1, 1, 4),
            "Bluehouse" | "metro" | "ieodo" => (2, 2, 4),
            "busan" => (3, 3, 4),
            "lonetower" => (7, 6, 3),
            "penthouse" => (4, 4, 4),
            _ => (0, 0, 0),
        };
        assert_eq!(counts, expected, "{name}");
        if name == "Trenches" {
            let area = ColumnRect::new([138, 218], [179, 293]);
            assert_eq!(spawns(&document, Team::Blue), [Object::SpawnRegion { team: Team::Blue, area, z: 53 }]);
        }
        if name == "Bluehouse" {
            let point = |x| Object::SpawnPoint { team: Team::Blue, at: VoxelPos::new(x, 147, 53) };
            assert_eq!(spawns(&document, Team::Blue), [point(293), point(218)]);
        }
        // Every spawn that a script holds can move by a column without touching anything else.
        let mut moved = document.clone();
        for object in Arc::make_mut(&mut moved.objects).0.values_mut() {
            *object = object.shifted(VoxelPos::new(1, 1, 0));
        }
        let new = written(&moved, &text).unwrap();
        assert_eq!(opened(&new).0.objects, moved.objects, "{name}");
    }
}

#[test]
fn a_list_over_several_lines_changes_only_in_what_comes_and_goes() {
    let text = "protected = ['A1',  # the base\n             'B2',  # the tower\n\n             'C3']  # the rest\nauthor = 'x'\n";
    let protect = |metadata: &mut Metadata, names: &[&str]| metadata.protected = names.iter().map(|name| name.parse().unwrap()).collect();
    check_edit(text, |metadata, _| protect(metadata, &["A1", "B2", "C3", "D4"]), &text.replace("'C3'", "'C3', 'D4'"));
    check_edit(text, |metadata, _| protect(metadata, &["A1", "C3"]), &text.replace("'B2',  # the tower", "# the tower"));
    check_edit(
        "protected = ('A1', \"B2\",)\n",
        |metadata, _| protect(metadata, &["A1", "B2", "H8"]),
        "protected = ('A1', \"B2\", 'H8',)\n",
    );
    check_edit("protected = ('A1', 'B2')\n", |metadata, _| protect(metadata, &["A1"]), "protected = ('A1',)\n");
    check_edit("protected = ['A1', 'B2', 'C3']\n", |metadata, _| protect(metadata, &["C3"]), "protected = ['C3']\n");
    check_edit("protected = ['A1', 'B2', 'C3']\n", |metadata, _| protect(metadata, &["H1"]), "protected = ['H1']\n");
}

#[test]
fn comments_in_our_own_lists_stay_when_a_region_moves_comes_or_goes() {
    let ours = PiqueserverTxt.write(&full(), None, &mut Report::new()).unwrap().unwrap();
    let ours = String::from_utf8(ours).unwrap();
    let text = ours.replace(
        "[(40, 240, 60, 260, 0), (70, 240, 71, 241, 50)]",
        "[(40, 240, 60, 260, 0),  # home\n    (70, 240, 71, 241, 50),  # tower\n]",
    );
    assert_ne!(ours, text);
    let (document, _) = opened(text.as_bytes());
    let blue: Vec<ObjectId> = document.objects.spawns(Team::Blue).map(|(id, _)| id).collect();
    let region = |x| Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([x, 2], [x + 2, 4]), z: 0 };
    check_edit(&text, |_, objects| drop(objects.0.insert(blue[0], region(1))), &text.replace("(40, 240, 60, 260, 0)", "(1, 2, 3, 4, 0)"));
    let inside = text.replace("(40, 240, 60, 260, 0)", "(40, 240,  # from\n        60, 260,  # to\n        0)");
    let moved = inside.replace("40, 240,  #", "1, 2,  #").replace("60, 260,  #", "3, 4,  #");
    check_edit(&inside, |_, objects| drop(objects.0.insert(blue[0], region(1))), &moved);
    let base = text.replace("'blue_base': (55, 220, None)", "'blue_base': (55,  # west\n 220, None)");
    assert_ne!(base, text);
    let move_base = |_: &mut Metadata, objects: &mut crate::document::Objects| {
        let base = objects.0.values_mut().find(|object| matches!(object, Object::Base { team: Team::Blue, .. })).unwrap();
        *base = base.shifted(VoxelPos::new(2, 3, 0));
    };
    check_edit(&base, move_base, &base.replace("(55,  # west\n 220,", "(57,  # west\n 223,"));
    check_edit(&text, |_, objects| drop(objects.0.remove(&blue[0])), &text.replace("(40, 240, 60, 260, 0),  # home", "# home"));
    check_edit(
        &text,
        |_, objects| {
            objects.push(region(5));
        },
        &text.replace("(70, 240, 71, 241, 50),", "(70, 240, 71, 241, 50), (5, 2, 7, 4, 0),"),
    );
    check_edit(
        &text,
        |_, objects| objects.0.retain(|_, object| !matches!(object, Object::Base { .. })),
        &text.replace("    'blue_base': (55, 220, None),\n", ""),
    );
}

#[test]
fn what_later_lines_change_is_no_plain_value() {
    for later in [
        "name.x()",
        "del name",
        "for name in x: pass",
        "import os as name",
        "from os import path, name",
        "def name(): pass",
        "class name: pass",
        "name[0] = 'b'",
        "with x as name: pass",
        "def f():\n    global other, name\n    name = 'b'",
    ] {
        let (document, report) = opened(format!("name = 'a'\nauthor = 'b'\n{later}\n").as_bytes());
        assert_eq!((document.metadata.name.as_deref(), document.metadata.author.as_deref()), (None, Some("b")), "{later}");
        assert_eq!(report.of(Severity::Guess).count(), 1, "{later}");
    }
    let (document, _) = opened(b"name = 'a'\nk = [name for name in range(3)]\ndef f(x):\n    name = x\n    return name\nprint(name)\n");
    assert_eq!(document.metadata.name.as_deref(), Some("a"));
}

#[test]
fn edits_without_a_place_do_not_take_the_others_along() {
    let text = "name = 'A'\nauthor = 'me'\nversion = f'{1}'\ndef get_spawn_location(connection):\n    return magic(connection)\n";
    let (mut document, _) = opened(text.as_bytes());
    let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [3, 4]), z: 0 };
    Arc::make_mut(&mut document.objects).push(region);
    let metadata = Arc::make_mut(&mut document.metadata);
    (metadata.name, metadata.author, metadata.version) = (Some("New".into()), Some("You".into()), Some("2".into()));
    assert!(matches!(written(&document, text.as_bytes()), Err(FormatError::ForeignScript { .. })));
    let mut report = Report::new();
    let new = PiqueserverTxt.write_what_fits(&document, text.as_bytes(), &mut report).unwrap();
    assert_eq!(String::from_utf8_lossy(&new), text.replace("'A'", "'New'").replace("'me'", "'You'"));
    let told: Vec<&str> = report.of(Severity::Loss).map(|loss| &*loss.message).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    // The difference is shown.
    assert!(told[0].contains("line 3") && told[0].ends_with("version = '2'"), "{told:?}");
    assert!(told[1].contains("line 5") && told[1].contains("for Blue: x, y = random.randrange(1, 3), random.randrange(2, 4)"), "{told:?}");
}

#[test]
fn each_edit_that_a_script_does_not_take_is_told_and_the_others_are_made() {
    let region = |team, x: i32| Object::SpawnRegion { team, area: ColumnRect::new([x, 2], [x + 9, 40]), z: 0 };
    let check = |text: &str, expected: &str, losses: &[&[&str]]| {
        let (mut document, _) = opened(text.as_bytes());
        let objects = Arc::make_mut(&mut document.objects);
        objects.0.retain(|_, object| !object.is_spawn());
        objects.push(region(Team::Green, 300));
        objects.push(region(Team::Blue, 100));
        Arc::make_mut(&mut document.metadata).name = Some("New".into());
        let mut report = Report::new();
        let new = PiqueserverTxt.write_what_fits(&document, text.as_bytes(), &mut report).unwrap();
        assert_eq!(String::from_utf8_lossy(&new), expected);
        let told: Vec<&str> = report.of(Severity::Loss).map(|loss| &*loss.message).collect();
        assert_eq!(told.len(), losses.len(), "{told:?}");
        for (told, words) in told.iter().zip(losses) {
            assert!(words.iter().all(|word| told.contains(word)), "{told}");
        }
    };
    let green = "random.randrange(300, 309)";
    let neither = "name = 'A'\nimport random\ndef get_spawn_location(connection):\n    if connection.team is connection.protocol.blue_team:\n        \
                   return magic(1)\n    return magic(2)\n";
    check(
        &format!("{neither}name = f'{{1}}'\n"),
        &format!("{neither}name = f'{{1}}'\n"),
        &[&["name = 'New'"], &["for Blue", "random.randrange(100, 109)", "line 5"], &["for Green", green, "line 6"]],
    );
    check(neither, &neither.replace("'A'", "'New'"), &[&["for Blue"], &["for Green"]]);
    let one = neither.replace("magic(1)", "random.randrange(5, 15), random.randrange(5, 15), 0");
    let taken =
        one.replace("'A'", "'New'").replace("randrange(5, 15), random.randrange(5, 15)", "randrange(100, 109), random.randrange(2, 40)");
    check(&one, &taken, &[&["where Green spawns", green]]);
}

#[test]
fn what_is_told_as_not_taken_is_what_was_not_taken() {
    // Names may come from anywhere here: where players spawn has no safe place, the name has one.
    for text in ["from mymod import *\nname = 'A'\n", "exec('a = 2')\nname = 'A'\n"] {
        let (mut document, _) = opened(text.as_bytes());
        let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [3, 4]), z: 0 };
        Arc::make_mut(&mut document.objects).push(region);
        Arc::make_mut(&mut document.metadata).name = Some("New".into());
        let mut report = Report::new();
        let new = PiqueserverTxt.write_what_fits(&document, text.as_bytes(), &mut report).unwrap();
        assert_eq!(String::from_utf8_lossy(&new), text.replace("'A'", "'New'"));
        let told: Vec<&str> = report.of(Severity::Loss).map(|loss| &*loss.message).collect();
        assert!(told.len() == 1 && told[0].contains("spawn") && !told[0].contains("name = "), "{told:?}");
    }
}

#[test]
fn a_text_for_people_names_what_is_not_in_it() {
    let (mut document, mut report) = (opened(b"Be nice to others\n").0, Report::new());
    Arc::make_mut(&mut document.metadata).name = Some("New".into());
    Arc::make_mut(&mut document.metadata).author = Some("ann".into());
    let result = PiqueserverTxt.write_what_fits(&document, b"Be nice to others\n", &mut report);
    assert!(matches!(result, Err(FormatError::NotAScript)), "{result:?}");
    let told: Vec<&str> = report.of(Severity::Loss).map(|loss| &*loss.message).collect();
    assert!(told.len() == 2 && told[0].ends_with("name = 'New'") && told[1].ends_with("author = 'ann'"), "{told:?}");
}

#[test]
fn only_what_we_would_write_ourselves_is_ours() {
    let ours = String::from_utf8(PiqueserverTxt.write(&full(), None, &mut Report::new()).unwrap().unwrap()).unwrap();
    for (text, expected) in [
        (ours.clone(), true),
        (ours.replace('\n', "\r\n"), true),
        ("name = 'A'\nfog = (1, 2, 3)\n".into(), true),
        (String::new(), true),
        (format!("# my rules\n{ours}"), false),
        (format!("{ours}extensions = {{'x': 1}}\n"), false),
        (ours.replace("range(50)", "range(60)"), false),
        ("name = 'A'  # mine\n".into(), false),
        ("name = 'A' 'B#'\n".into(), true),
        ("Be nice to others\n".into(), false),
    ] {
        assert_eq!(PiqueserverTxt.is_ours(text.as_bytes()), expected, "{text}");
    }
}

#[test]
fn a_name_that_shares_its_line_leaves_alone() {
    check_edit("name = 'A'; author = 'B' # both\n", |metadata, _| metadata.name = None, "author = 'B' # both\n");
    check_edit("name = 'A'; author = 'B' # both\n", |metadata, _| metadata.author = None, "name = 'A' # both\n");
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        PiqueserverTxt.apply(&bytes, &mut empty(), &mut Report::new()).ok();
    }

    #[test]
    fn hostile_names_come_back(name in any::<String>()) {
        let text = b"name = 'a'\nauthor = 'b'\n";
        let (mut document, _) = opened(text);
        Arc::make_mut(&mut document.metadata).name = Some(name);
        let new = written(&document, text).unwrap();
        prop_assert_eq!(new.iter().filter(|byte| **byte == b'\n').count(), 2);
        prop_assert_eq!(opened(&new).0.metadata, document.metadata);
    }
}

#[test]
fn comments_of_a_list_that_is_emptied_stay() {
    let text = "protected = ['A1',  # the base\n             'B2',  # the tower, old\n             ]  # all\nname = 'x'\n";
    check_edit(
        text,
        |metadata, _| metadata.protected.clear(),
        "protected = [  # the base\n               # the tower, old\n             ]  # all\nname = 'x'\n",
    );
    let protect = |metadata: &mut Metadata| metadata.protected = ["A1".parse().unwrap()].into();
    check_edit("protected = [  # none\n]\n", |metadata, _| protect(metadata), "protected = ['A1',  # none\n]\n");
}

#[test]
fn what_was_told_to_be_left_is_left() {
    for text in ["protected = ('A1')\n", "protected = {'A1', 'B2'}\n", "# coding: cp1251\nprotected = '\u{416}'\n"] {
        let (mut document, report) = opened(text.as_bytes());
        assert!(report.warnings.iter().any(|warning| warning.message.contains("left as it is")), "{text}");
        Arc::make_mut(&mut document.metadata).protected = ["C3".parse().unwrap()].into();
        let refused = written(&document, text.as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("the list of protected sectors is set"), "{refused}");
    }
}

#[test]
fn letters_of_other_encodings_are_left_and_told() {
    let text = b"# coding: cp1251\nname = '\xC6'\nauthor = 'x'\n";
    let (mut document, report) = opened(text);
    assert_eq!((document.metadata.name.as_deref(), document.metadata.author.as_deref()), (None, Some("x")));
    assert!(report.warnings[0].message.starts_with("name holds letters in an encoding"), "{report:?}");
    Arc::make_mut(&mut document.metadata).author = Some("\u{416}".into());
    assert_eq!(written(&document, text).unwrap(), b"# coding: cp1251\nname = '\xC6'\nauthor = '\\u0416'\n");
    for name in ["utf-7", "foobar"] {
        let text = format!("# coding: {name}\nname = 'a+AEE-b'\n");
        let (mut document, report) = opened(text.as_bytes());
        assert_eq!((document.metadata.name.as_deref(), report.warnings.len()), (None, 1));
        Arc::make_mut(&mut document.metadata).name = Some("1+1".into());
        assert!(written(&document, text.as_bytes()).is_err());
    }
}

#[test]
fn nothing_is_added_behind_a_bracket_that_stays_open() {
    for text in ["name = 'a'\nx = (1,\n", "x = [\n"] {
        let (mut document, _) = opened(text.as_bytes());
        let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 2], [3, 4]), z: 0 };
        Arc::make_mut(&mut document.objects).push(region);
        assert!(matches!(written(&document, text.as_bytes()), Err(FormatError::ForeignScript { .. })), "{text}");
    }
}

#[test]
fn lists_are_believed_only_where_our_own_functions_use_them() {
    let (mut document, _) = opened(b"");
    let region = |x| ColumnRect::new([x, 10], [x + 10, 20]);
    for (team, x) in [(Team::Blue, 10), (Team::Green, 400)] {
        Arc::make_mut(&mut document.objects).push(Object::SpawnRegion { team, area: region(x), z: 0 });
    }
    let ours = String::from_utf8(written(&document, b"").unwrap()).unwrap();
    assert_eq!(opened(ours.as_bytes()).0.objects.iter().count(), 2);
    // Comments and line ends say nothing.
    let harmless = ours.replace("    return x, y, z", "    # here\n\n    return x, y, z  # there").replace('\n', "\r\n") + "print('x')\r\n";
    assert_eq!(opened(harmless.as_bytes()).0.objects.iter().count(), 2);
    for (from, to) in [
        ("{0: spawn_regions_blue, 1: spawn_regions_green}", "{0: spawn_regions_green, 1: spawn_regions_blue}"),
        ("    return x, y, z\n", "    return x + 100, y, z\n"),
        ("    return x, y, z\n", "    return x, y, z\nget_spawn_location = lambda connection: (256, 256, 10)\n"),
        ("    return x, y, z\n", "    return x, y, z\nfor r in (spawn_regions_blue,): r.append((100, 100, 101, 101, 0))\n"),
        ("    return x, y, z\n", "    return x, y, z\ndel get_spawn_location\n"),
        ("    return x, y, z\n", "    return x, y, z\n    return 1, 2, 3\n"),
        ("    regions = {", "    if connection.team.id == 1: return 250, 250, 30\n    regions = {"),
        ("def get_spawn_location(connection)", "@elsewhere\ndef get_spawn_location(connection)"),
        ("def get_spawn_location(connection)", "def get_spawn_location(connection, spawn_regions_blue=())"),
    ] {
        let text = ours.replacen(from, to, 1);
        assert_ne!(text, ours);
        let (document, report) = opened(text.as_bytes());
        assert_eq!(document.objects.iter().filter(|(_, object)| matches!(object, Object::SpawnRegion { .. })).count(), 0, "{text}");
        assert!(report.warnings.iter().any(|warning| warning.severity >= Severity::Guess), "{text}");
    }
}

#[test]
fn a_name_that_is_set_in_another_way_as_well_has_no_plain_value() {
    let name = |text: &str| opened(text.as_bytes()).0.metadata.name.clone();
    assert_eq!(name("name = 'a'\nprint(name)\nx = dict(name='c')\nclass A:\n    pass\n").as_deref(), Some("a"));
    assert_eq!(name("name = 'a'\rname = 'b'\n").as_deref(), Some("b"), "a carriage return ends a line");
    for text in [
        "name = 'a'\nif (name := 'b'): pass\n",
        "name = 'a'\nprint(name := 'b')\n",
        "name = 'a'\ndef f(): global x, \\\n    name; name = 'b'\nf()\n",
        "name = 'a'\nfrom os import (sep,\n  name)\n",
        "name = 'a'\nfrom os import sep, \\\n  name\n",
    ] {
        assert_eq!(name(text), None, "{text}");
        let (mut document, _) = opened(text.as_bytes());
        Arc::make_mut(&mut document.metadata).name = Some("New".into());
        assert!(matches!(written(&document, text.as_bytes()), Err(FormatError::ForeignScript { .. })), "{text}");
    }
    // What stands within brackets is no statement, wherever its line begins.
    let inside = "name = 'a'\ndef on_map_change(p, m):\n    p.foo(\nname = 'evil'\n    )\n";
    assert_eq!(name(inside).as_deref(), Some("a"));
    let long = format!("name='a'\nx = dict(\n{}name='evil'\n)\n", "y=1,\n".repeat(70));
    assert_eq!(name(&long).as_deref(), Some("a"));
}

#[test]
fn what_a_script_uses_is_not_taken_out_of_it_and_a_number_stays_one() {
    let text = "name = 'Castle'\ndescription = 'Welcome to ' + name\nversion = 2\nif version > 1:\n    pass\n";
    let (mut document, _) = opened(text.as_bytes());
    Arc::make_mut(&mut document.metadata).name = None;
    assert!(matches!(written(&document, text.as_bytes()), Err(FormatError::ForeignScript { line: 2, .. })));
    let (mut document, _) = opened(text.as_bytes());
    Arc::make_mut(&mut document.metadata).version = Some("3".into());
    assert_eq!(written(&document, text.as_bytes()).unwrap(), text.replace("= 2", "= 3").as_bytes());
}

#[test]
fn walrus_and_assert_are_no_secret() {
    for text in [
        "x = 10\nwhile (x := x + 1) < 50:\n    pass\ndef get_spawn_location(c):\n    return x, 20, 30\n",
        "def get_spawn_location(c):\n    assert c.team.id == 0\n    return 10, 20, 30\n",
        "x = 10\ndef get_spawn_location(c):\n    y = (x := 40)\n    return x, 20, 30\n",
    ] {
        assert_eq!(opened(text.as_bytes()).0.objects.iter().count(), 0, "{text}");
    }
}
