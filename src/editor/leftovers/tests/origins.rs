//! Maps that come back from a recovery snapshot alone, and again after that: what their files say of an object stays with it.

use super::*;
use crate::document::{Anchor, MarkerRole, Object, ObjectId};
use crate::editor::Request;
use crate::format::Severity;
use crate::format::ss14::tests::edits::two_grids;

fn marker(label: &str, x: i32) -> Object {
    Object::Marker { label: label.into(), at: Anchor { x, y: 2, z: None }, role: MarkerRole::Point, volume: 0 }
}

fn remove(id: u32) -> Command {
    Command::RemoveObject(ops::RemoveObject { id: ObjectId(id) })
}

/// A map that was opened and edited by these commands, the line of the last of which is damaged: the snapshot has it.
pub(super) fn left_beyond(map: &str, bytes: &[u8], beside: Option<&[u8]>, commands: &[Command]) -> FaultyStorage {
    let entries: Vec<_> = commands.iter().map(|command| JournalEntry::Do { command: command.clone(), at: 9 }).collect();
    left_beyond_these(map, bytes, beside, &entries)
}

/// The same, with these entries of its journal.
fn left_beyond_these(map: &str, bytes: &[u8], beside: Option<&[u8]>, entries: &[JournalEntry]) -> FaultyStorage {
    let storage = FaultyStorage::with(&[(map, bytes)]);
    beside.iter().for_each(|beside| storage.put(format!("{map}.spadework.yaml"), beside));
    let opened = open_map(&storage, Path::new(map), &OpenOptions::default(), &Progress::new()).unwrap();
    let base = JournalBase::of_opened(&opened, Path::new(map));
    let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), Some(Path::new(map)), base, opened.stamps, 7);
    entries.iter().for_each(|entry| _ = journal.append(entry.clone()));
    journal.flush();
    drop(journal);
    storage.restart();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let whole = replay(&storage, &found, &Progress::new()).unwrap();
    assert!(whole.stopped.is_none(), "{:?}", whole.stopped);
    let entries = entries.len();
    write_snapshot(&storage, Path::new(JOURNAL), &whole.document, entries, found.content.mark(entries)).unwrap();
    let mut journal = storage.get(JOURNAL).unwrap();
    let at = journal.len() - 9;
    journal[at] ^= 1;
    storage.put(JOURNAL, &journal);
    drop(found);
    storage
}

/// Discards the journal that the map came back from: its own leads on.
fn discard_former(storage: &FaultyStorage) {
    let mut found = find_leftovers(storage, Path::new("s")).recoverable;
    if let Some(old) = found.iter().position(|found| found.recovered.is_some()) {
        recovery::discard(storage, found.swap_remove(old)).unwrap();
    }
}

/// Saves the active map in its place, whatever is found in it.
fn save(editor: &mut Editor) {
    let open = editor.active().unwrap();
    let (id, path) = (open.id(), open.path().unwrap().to_path_buf());
    (0..2).for_each(|_| act(editor, Action::SaveAs(SaveOrder { loss_agreed: true, ..SaveOrder::new(id).with_path(path.clone()) })));
}

/// What a save in the map's place would lose, and is asked.
fn asked(editor: &mut Editor) -> Vec<&'static str> {
    editor.take_requests();
    (0..2).for_each(|_| act(editor, Action::Save));
    let lost = |request| if let Request::ConfirmLoss { report, .. } = request { Some(report) } else { None };
    let reports: Vec<_> = editor.take_requests().into_iter().filter_map(lost).collect();
    reports.iter().flat_map(|report| report.of(Severity::Loss)).map(|loss| loss.code).collect()
}

/// Brings the map back, twice with a crash and a command between, saves it and answers what that file of it says.
fn saved_after_two_crashes(storage: &FaultyStorage, file: &str, command: Command) -> String {
    let mut editor = restored_on(storage);
    act(&mut editor, Action::Edit(command.clone()));
    let before = editor.active().unwrap().document().objects.clone();
    drop(editor);
    storage.restart();
    let mut found = find_leftovers(storage, Path::new("s")).recoverable;
    let old = found.iter().position(|found| found.journal == Path::new(JOURNAL)).unwrap();
    recovery::discard(storage, found.swap_remove(old)).unwrap();
    assert!(found[0].content.header.origin.is_some(), "{:?}", found[0].content.header);
    drop(found);
    let mut editor = restored_on(storage);
    let open = editor.active().unwrap();
    assert_eq!((&open.document().objects, open.history().head()), (&before, 1), "{command:?}");
    let details: Vec<_> = editor.messages().iter().filter_map(|told| told.detail.as_deref()).collect();
    assert!(details.iter().all(|detail| !detail.contains("with other objects")), "{details:?}");
    save(&mut editor);
    assert!(!editor.active().unwrap().is_modified(), "{:?}", editor.messages());
    let bytes = storage.get(file).unwrap();
    // What is behind the two commands is nobody's to change.
    act(&mut editor, Action::Undo);
    assert!(editor.active().unwrap().is_modified());
    String::from_utf8(bytes).unwrap()
}

#[test]
fn what_a_person_says_of_an_object_stays_with_it_however_often_its_map_is_restored() {
    let entry = |label: &str, x: i32, owner: &str| format!("- marker: {{label: {label}, at: {{x: {x}, y: 2}}, owner: {owner}}}\n");
    let yaml = format!("spadework: 1\nobjects:\n{}{}{}", entry("a", 1, "Ann"), entry("b", 2, "Bob"), entry("c", 3, "Cat"));
    for (format, map) in [("vxl", "m/a.vxl"), ("vmf", "m/a.vmf")] {
        let bytes = crashed(format).0.get("s/a.base").unwrap();
        let moved = |id, object| Command::SetObject(ops::SetObject { id: ObjectId(id), object });
        for (command, expected) in [
            (set(7), [Some(("b", 2)), Some(("c", 3)), None]),
            (Command::AddObject(ops::AddObject(marker("new", 9))), [Some(("b", 2)), Some(("c", 3)), Some(("new", 9))]),
            (moved(2, marker("b", 7)), [Some(("b", 7)), Some(("c", 3)), None]),
            (remove(3), [Some(("b", 2)), None, None]),
        ] {
            let storage = left_beyond(map, &bytes, Some(yaml.as_bytes()), &[set(5), remove(1)]);
            let text = saved_after_two_crashes(&storage, &format!("{map}.spadework.yaml"), command.clone());
            let said: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
            let owner = |label: &str| match label {
                "b" => "Bob".into(),
                "c" => "Cat".into(),
                _ => serde_yaml::Value::Null,
            };
            let found: Vec<_> = said["objects"].as_sequence().unwrap().iter().map(|object| &object["marker"]).collect();
            let expected: Vec<_> = expected.into_iter().flatten().collect();
            assert_eq!(found.len(), expected.len(), "{text}");
            for (found, (label, x)) in found.iter().zip(expected) {
                assert_eq!((&found["label"], &found["at"]["x"]), (&label.into(), &x.into()), "{map} {command:?}: {text}");
                assert_eq!(found.get("owner").cloned().unwrap_or_default(), owner(label), "{map} {command:?}: {text}");
            }
        }
    }
}

#[test]
fn what_a_station_says_of_an_entity_stays_with_it_however_often_it_is_restored() {
    let map = "m/a.yml";
    let entity = |uid: u32, x: u32, secret: &str| {
        format!(
            "  - uid: {uid}\n    components:\n    - type: Transform\n      pos: {x}.5,0.5\n      parent: 4\n    - type: Storage\n      secret: {secret}\n"
        )
    };
    let group = |entities: &[String]| format!("- proto: Locker\n  entities:\n{}", entities.concat());
    let text = two_grids()
        .replace("- proto: Crate", &(group(&[entity(50, 1, "ann"), entity(51, 3, "bob"), entity(52, 5, "cat")]) + "- proto: Crate"));
    let opened = open_map(&FaultyStorage::with(&[(map, text.as_bytes())]), Path::new(map), &OpenOptions::default(), &Progress::new());
    let opened = opened.unwrap().document;
    let lockers: Vec<(ObjectId, Object)> = opened
        .objects
        .iter()
        .filter(|(_, object)| matches!(object, Object::Marker { label, .. } if &**label == "Locker"))
        .map(|(id, object)| (id, object.clone()))
        .collect();
    let [(ann, _), (bob, of_bob), _] = &lockers[..] else { panic!("{lockers:?}") };
    let (bob, moved) = (*bob, of_bob.shifted(IVec3::X));
    for (command, expected) in [
        (Command::AddObject(ops::AddObject(marker("Crate", 6))), [Some(3), Some(5)]),
        (Command::SetObject(ops::SetObject { id: bob, object: moved }), [Some(4), Some(5)]),
        (Command::RemoveObject(ops::RemoveObject { id: bob }), [None, Some(5)]),
    ] {
        let first = Command::AddObject(ops::AddObject(of_bob.shifted(IVec3::Y)));
        let last = ObjectId(opened.objects.iter().map(|(id, _)| id.0).max().unwrap() + 1);
        let gone = [Command::RemoveObject(ops::RemoveObject { id: *ann }), Command::RemoveObject(ops::RemoveObject { id: last })];
        let storage = left_beyond(map, text.as_bytes(), None, &[&[first][..], &gone].concat());
        let saved = saved_after_two_crashes(&storage, map, command.clone());
        let at = saved.find("- proto: Locker").unwrap();
        let found = &saved[at..at + saved[at..].find("- proto: Crate").unwrap()];
        let expected = [expected[0].map(|x| entity(51, x, "bob")), expected[1].map(|x| entity(52, x, "cat"))];
        let expected: Vec<String> = expected.into_iter().flatten().collect();
        assert_eq!(found, group(&expected), "{command:?}");
    }
}

#[test]
fn what_a_map_that_came_from_a_snapshot_would_lose_of_its_files_is_asked_however_often_it_is_restored() {
    let bytes = crashed("vxl").0.get("s/a.base").unwrap();
    let commented = "spadework: 1\nobjects:\n# by Ann\n- marker: {label: a, at: {x: 1, y: 2}}\nown: 1.10\n";
    let damaged = "spadework: 1\nobjects: [\n";
    for is_without_base in [false, true] {
        for (yaml, command, expected) in [
            (commented, remove(1), &["comments-lost", "respelled"][..]),
            (damaged, Command::AddObject(ops::AddObject(marker("new", 9))), &["sidecar-unreadable"]),
        ] {
            let storage = left_beyond("m/a.vxl", &bytes, Some(yaml.as_bytes()), &[set(5), command.clone()]);
            if is_without_base {
                // Its own file is another one by now, too.
                ["s/a.base", "m/a.vxl"].into_iter().for_each(|path| storage.put(path, b""));
            }
            for restored in 0..3 {
                let mut editor = restored_on(&storage);
                assert_eq!(editor.active().unwrap().document().objects.iter().count(), usize::from(yaml == damaged), "{command:?}");
                let found = asked(&mut editor);
                // Where only its own copy is left, the file is somebody's who wrote it by hand, and stays.
                let is_its_own = is_without_base && restored > 0;
                let stays = ["sidecar-foreign", "sidecar-unreadable"].iter().any(|code| found.contains(code));
                assert!(if is_its_own { stays } else { found == expected }, "{is_without_base} {restored} {yaml}: {found:?}");
                assert_eq!(storage.get("m/a.vxl.spadework.yaml").unwrap(), yaml.as_bytes());
                drop(editor);
                storage.restart();
                discard_former(&storage);
            }
        }
    }
}

#[test]
fn a_journal_of_an_earlier_version_with_other_numbers_than_its_copy_leads_to_the_same_objects_or_says_so() {
    let yaml = b"spadework: 1\nobjects:\n- marker: {label: a, at: {x: 1, y: 2}}\n- marker: {label: b, at: {x: 2, y: 2}, owner: Bob}\n";
    let bytes = crashed("vxl").0.get("s/a.base").unwrap();
    let moved = Command::SetObject(ops::SetObject { id: ObjectId(2), object: marker("b", 7) });
    for is_in_snapshot in [false, true] {
        let storage = left_beyond("m/a.vxl", &bytes, Some(yaml), &[set(5), remove(1)]);
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        recovery::discard(&storage, found).unwrap();
        let mut document = replayed.document;
        let base = JournalBase::Made { format: "vxl", document: Box::new(document.clone()), of_snapshot: true };
        let map = Some(Path::new("m/a.vxl"));
        let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), map, base, replayed.stamps, 7);
        let steps = [JournalEntry::Jump { to: 0 }, JournalEntry::Do { command: moved.clone(), at: 9 }];
        steps.into_iter().for_each(|entry| _ = journal.append(entry));
        journal.flush();
        let entries = if is_in_snapshot { 2 } else { 1 };
        if is_in_snapshot {
            let change = plan(&document, &moved, &Progress::new()).unwrap();
            History::new().commit(&mut document, change);
        }
        let mark = read_journal(&storage.get(JOURNAL).unwrap()).unwrap().mark(entries);
        write_snapshot(&storage, Path::new(JOURNAL), &document, entries, mark).unwrap();
        drop(journal);
        storage.restart();
        let mut editor = restored_on(&storage);
        let told = editor.messages().last().unwrap().detail.clone().unwrap_or_default();
        assert_eq!(told.contains("may be missing or with other objects"), is_in_snapshot, "{told}");
        save(&mut editor);
        let text = String::from_utf8(storage.get("m/a.vxl.spadework.yaml").unwrap()).unwrap();
        assert_eq!(text.contains("owner: Bob"), !is_in_snapshot, "{text}");
        assert!(text.contains("x: 7"), "{text}");
    }
}

#[test]
fn that_an_earlier_version_gave_the_number_of_a_removed_object_again_is_told() {
    let yaml = b"spadework: 1\nobjects:\n- marker: {label: a, at: {x: 1, y: 2}}\n- marker: {label: b, at: {x: 2, y: 2}, owner: Bob}\n";
    let bytes = crashed("vxl").0.get("s/a.base").unwrap();
    let add = Command::AddObject(ops::AddObject(marker("c", 3)));
    for (commands, is_legacy, expected) in [
        (vec![remove(2), add.clone(), set(5)], true, true),
        (vec![remove(2), add.clone(), set(5)], false, false),
        (vec![remove(1), add.clone(), set(5)], true, false),
        (vec![add, set(5)], true, false),
    ] {
        let storage = left_beyond("m/a.vxl", &bytes, Some(yaml), &commands);
        storage.remove(Path::new("s/a.snapshot")).unwrap();
        let mut found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        found.content.header.last_object = found.content.header.last_object.filter(|_| !is_legacy);
        let replayed = replay(&storage, &found, &Progress::new()).unwrap();
        assert_eq!(replayed.replayed, commands.len() - 1, "{:?}", replayed.stopped);
        assert_eq!(numbered_text(&replayed).is_some(), expected, "{is_legacy} {commands:?}");
    }
}

#[test]
fn a_map_that_came_from_a_snapshot_and_whose_journal_lost_every_line_goes_on_with_its_steps_and_is_saved() {
    let yaml = b"spadework: 1\nobjects:\n- marker: {label: a, at: {x: 1, y: 2}}\n- marker: {label: b, at: {x: 2, y: 2}, owner: Bob}\n";
    for format in ["vxl", "vmf"] {
        let (map, bytes) = (format!("m/a.{format}"), crashed(format).0.get("s/a.base").unwrap());
        for is_saved_at_once in [true, false] {
            let storage = left_beyond(&map, &bytes, Some(yaml), &[set(5), remove(1)]);
            drop(restored_on(&storage));
            storage.restart();
            let mut found = find_leftovers(&storage, Path::new("s")).recoverable;
            let old = found.iter().position(|found| found.journal == Path::new(JOURNAL)).unwrap();
            recovery::discard(&storage, found.swap_remove(old)).unwrap();
            let path = found.pop().unwrap().journal;
            // Its headers alone reached the disk, and its snapshot did not.
            let whole = storage.get(&path).unwrap();
            let at = whole.windows(7).position(|part| part == b"{\"jump\"").unwrap() - 18;
            storage.put(&path, &whole[..at]);
            storage.remove(&path.with_extension("snapshot")).unwrap();
            let mut editor = restored_on(&storage);
            assert!(storage.get(path.with_extension("snapshot")).is_some());
            if !is_saved_at_once {
                let moved = Command::SetObject(ops::SetObject { id: ObjectId(2), object: marker("b", 7) });
                for command in [moved, Command::AddObject(ops::AddObject(marker("new", 9))), set(7)] {
                    act(&mut editor, Action::Edit(command));
                }
                let before = editor.active().unwrap().document().objects.clone();
                drop(editor);
                storage.restart();
                editor = restored_on(&storage);
                let open = editor.active().unwrap();
                assert_eq!((&open.document().objects, open.history().head()), (&before, 3), "{:?}", editor.messages());
                assert_eq!(editor.messages().last().unwrap().detail, None);
            }
            save(&mut editor);
            assert!(!editor.active().unwrap().is_modified(), "{:?}", editor.messages());
            drop(editor);
            storage.restart();
            let left = find_leftovers(&storage, Path::new("s")).recoverable;
            assert!(left.is_empty(), "{format} {is_saved_at_once}: {left:?}");
        }
    }
}

#[test]
fn which_file_would_help_is_told_of_a_map_that_came_from_a_snapshot_too() {
    let yaml = b"spadework: 1\nobjects:\n- marker: {label: a, at: {x: 1, y: 2}}\n";
    let bytes = crashed("vxl").0.get("s/a.base").unwrap();
    let storage = left_beyond("m/a.vxl", &bytes, Some(yaml), &[set(5), remove(1)]);
    for restored in 0..3 {
        discard_former(&storage);
        let found = find_leftovers(&storage, Path::new("s")).recoverable;
        let content = &found[0].content;
        let copies: Vec<PathBuf> = content.header.base.iter().map(|(name, _)| Path::new("s").join(&name.0)).collect();
        assert_eq!(copies.len(), if restored == 0 { 2 } else { 3 }, "{copies:?}");
        // The origin is of no file.
        let files = recovery::originals(content, &copies);
        assert_eq!(files, [Path::new("m/a.vxl"), Path::new("m/a.vxl.spadework.yaml")], "{restored}");
        drop(found);
        drop(restored_on(&storage));
        storage.restart();
    }
}

#[test]
fn a_map_that_was_saved_as_another_kind_is_saved_as_that_however_often_it_is_restored() {
    for (from, format_of_it, to, format) in [
        ("m/a.vmf", "vmf", "m/b.vxl", "vxl"),
        ("m/a.vxl", "vxl", "m/b.vmf", "vmf"),
        ("m/a.vmf", "vxl", "m/a.vmf", "vxl"),
        ("m/a.vxl", "vmf", "m/a.vxl", "vmf"),
    ] {
        let bytes = crashed(format_of_it).0.get("s/a.base").unwrap();
        let step = |command| JournalEntry::Do { command, at: 9 };
        let saved = JournalEntry::Saved {
            number: None,
            map: Path::new(to).into(),
            format: Some(format.into()),
            options: None,
            stamps: Stamps::default(),
        };
        let entries = if from == to { vec![step(set(5)), step(set(7))] } else { vec![step(set(5)), saved, step(set(7))] };
        let storage = left_beyond_these(from, &bytes, None, &entries);
        for restored in 0..3 {
            let mut editor = restored_on(&storage);
            if restored == 2 {
                asked(&mut editor);
                assert!(!editor.active().unwrap().is_modified(), "{:?}", editor.messages());
            }
            drop(editor);
            storage.restart();
            discard_former(&storage);
        }
        let opened = open_map(&storage, Path::new(to), &OpenOptions::default(), &Progress::new()).unwrap();
        assert_eq!(opened.format, format, "{from} {to}");
    }
}
