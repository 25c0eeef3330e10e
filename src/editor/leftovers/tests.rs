//! Maps that were left unsaved, as a window brings them back.

mod many;
mod origins;
mod rebuilding;

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use glam::IVec3;

use super::*;
use crate::document::Property;
use crate::edit::{Command, History, ops, plan};
use crate::editor::files::{BeforePlacing, OpenOptions, SaveOptions, Stamps, open_map, save_map};
use crate::editor::journal::{Journal, JournalBase, JournalEntry, read_journal};
use crate::editor::recovery::tests::{JOURNAL, crashed, opened_and_gone, opened_and_gone_with, set, with_newer};
use crate::editor::recovery::{find_leftovers, replay, write_snapshot};
use crate::editor::storage::Storage as _;
use crate::editor::storage::testing::{Fault, FaultyStorage};
use crate::editor::testing::{editor_on, editor_with_maps, until};
use crate::editor::{Action, DocumentId, JobInfo, SaveOrder};

/// A disk with a map that was opened, a step, and a snapshot behind it.
fn crashed_behind_a_snapshot() -> FaultyStorage {
    let storage = opened_and_gone("m/a.vxl");
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let whole = replay(&storage, &found, &Progress::new()).unwrap();
    write_snapshot(&storage, Path::new(JOURNAL), &whole.document, 1, found.content.mark(1)).unwrap();
    drop(found);
    storage
}

/// A window on that disk that brings back what was left there.
fn restored_on(storage: &FaultyStorage) -> Editor {
    let mut editor = editor_on(storage);
    editor.find_leftovers();
    editor.finish_jobs();
    act(&mut editor, Action::RestoreLeftovers);
    assert!(editor.active().is_some(), "{:?}", editor.messages());
    editor
}

fn act(editor: &mut Editor, action: Action) {
    editor.act(action);
    editor.finish_jobs();
}

/// The journals on that disk, without one.
fn journals_but(storage: &FaultyStorage, other: &str) -> Vec<PathBuf> {
    let all = storage.all().into_keys();
    all.filter(|path| path.extension().is_some_and(|end| end == "journal") && path != Path::new(other)).collect()
}

/// A disk with a journal of one step that a snapshot stands for, because its only line is damaged.
fn crashed_beyond() -> FaultyStorage {
    let storage = opened_and_gone("m/a.vxl");
    let mut found = find_leftovers(&storage, Path::new("s")).recoverable;
    let found = found.pop().unwrap();
    let whole = replay(&storage, &found, &Progress::new()).unwrap();
    write_snapshot(&storage, Path::new(JOURNAL), &whole.document, 1, found.content.mark(1)).unwrap();
    let mut bytes = storage.get(JOURNAL).unwrap();
    let at = bytes.len() - 9;
    bytes[at] ^= 1;
    storage.put(JOURNAL, &bytes);
    drop(found);
    storage
}

#[test]
fn a_save_that_was_interrupted_is_settled_at_the_next_start_and_somebody_else_is_blamed_for_theirs_alone() {
    // A map that is saved with a file beside it, and a process that ends between the two.
    let half_saved = |index: usize, is_own: bool| {
        let storage = opened_and_gone("m/a.vxl");
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        let mut replayed = replay(&storage, &found, &Progress::new()).unwrap();
        let name = Command::SetProperty(ops::SetProperty(Property::Name(Some("Fort".into()))));
        let change = plan(&replayed.document, &name, &Progress::new()).unwrap();
        History::new().commit(&mut replayed.document, change);
        let journal = Journal::resume(Arc::new(storage.clone()), found.journal, &found.content, found.lock);
        journal.flush();
        storage.fail_at(index, Fault::Crash);
        let before_placing = if is_own { journal.placing() } else { BeforePlacing::default() };
        let options = SaveOptions { expected: replayed.stamps, before_placing, ..SaveOptions::default() };
        let saved = save_map(&storage, &replayed.document, Path::new("m/a.vxl"), &options, &Progress::new());
        drop(journal);
        storage.restart();
        (storage, saved.is_ok())
    };
    let (finished, _) = half_saved(usize::MAX / 2, true);
    let (new, text) = (finished.get("m/a.vxl").unwrap(), finished.get("m/a.txt").unwrap());
    for is_own in [true, false] {
        let mut mixed = 0;
        for index in 0.. {
            let (storage, is_saved) = half_saved(index, is_own);
            if is_saved {
                break;
            }
            let is_mixed = storage.get("m/a.txt").as_ref() == Some(&text) && storage.get("m/a.vxl").as_ref() != Some(&new);
            if !is_mixed {
                continue;
            }
            mixed += 1;
            let mut editor = editor_on(&storage);
            editor.find_leftovers();
            editor.finish_jobs();
            assert_eq!((storage.get("m/a.vxl"), storage.get("m/a.txt")), (Some(new.clone()), Some(text.clone())), "{index}");
            act(&mut editor, Action::RestoreLeftovers);
            let told: Vec<_> = editor.messages().iter().map(|message| format!("{message:?}")).collect();
            assert!(told.iter().any(|told| told.contains("is complete now: a.txt, a.vxl")), "{told:?}");
            // A save that the journal does not tell of is somebody else's.
            assert_eq!(told.iter().any(|told| told.contains("changed since")), !is_own, "{told:?}");
        }
        assert!(mixed > 0, "no state between the two was met");
    }
}

#[test]
fn a_map_whose_snapshot_cannot_be_read_comes_back_from_its_journal_and_both_stay() {
    let (storage, document) = crashed("vmf");
    let snapshot = Path::new("s/a.snapshot");
    write_snapshot(&storage, Path::new(JOURNAL), &document, 2, read_journal(&storage.get(JOURNAL).unwrap()).unwrap().mark(2)).unwrap();
    let (journal, held) = (storage.get(JOURNAL).unwrap(), storage.get(snapshot).unwrap());
    storage.withhold(snapshot, true);
    let mut editor = restored_on(&storage);
    let told = editor.messages().last().unwrap();
    assert!(
        told.detail.as_deref().is_some_and(|detail| detail.contains("recovery snapshot beside the journal cannot be read")),
        "{told:?}"
    );
    assert!(editor.active().unwrap().document().store().same_voxels(document.store()));
    act(&mut editor, Action::Edit(set(5)));
    drop(editor);
    storage.restart();
    assert_eq!((storage.get(JOURNAL), storage.get(snapshot)), (Some(journal), Some(held)), "nothing is written over what may hold more");
    let found = find_leftovers(&storage, Path::new("s")).recoverable;
    assert_eq!(
        found.iter().filter(|found| found.recovered.is_some()).map(|found| &*found.journal).collect::<Vec<_>>(),
        [Path::new(JOURNAL)]
    );
    assert_eq!(found.len(), 2);
}

#[test]
fn a_map_that_cannot_be_looked_at_is_not_said_to_have_changed() {
    for is_withheld in [false, true] {
        let storage = opened_and_gone("m/a.vxl");
        let bytes = storage.get("m/a.vxl").unwrap();
        storage.put("m/a.vxl", &bytes);
        storage.withhold("m/a.vxl", is_withheld);
        let editor = restored_on(&storage);
        let told = editor.messages().last().unwrap();
        let detail = told.detail.as_deref().unwrap_or_default();
        assert!(!detail.contains("saving asks before it replaces"), "{told:?}");
        assert_eq!(detail.contains("whether a.vxl changed since is not known: a.vxl: "), is_withheld, "{told:?}");
    }
}

#[test]
fn a_map_that_goes_on_in_a_journal_of_its_own_is_offered_again_before_its_first_step() {
    let newer = || {
        let (storage, _) = crashed("vmf");
        storage.put(JOURNAL, &with_newer(&storage.get(JOURNAL).unwrap(), 2));
        storage
    };
    for storage in [newer(), crashed_beyond()] {
        let editor = restored_on(&storage);
        let before = editor.active().unwrap().document().store().clone();
        // The process is gone before anything is done, and somebody discards the old journal, which says that its map came back.
        drop(editor);
        storage.restart();
        let mut found = find_leftovers(&storage, Path::new("s")).recoverable;
        let noted: Vec<_> = found.iter().filter(|found| found.recovered.is_some()).map(|found| found.journal.clone()).collect();
        assert_eq!(noted, [Path::new(JOURNAL)]);
        let old = found.iter().position(|found| found.journal == Path::new(JOURNAL)).unwrap();
        recovery::discard(&storage, found.swap_remove(old)).unwrap();
        drop(found);
        let [journal] = &journals_but(&storage, JOURNAL)[..] else { panic!("{:?}", storage.all().keys()) };
        storage.touch(journal, SystemTime::UNIX_EPOCH);
        let offered: Vec<_> = find_leftovers(&storage, Path::new("s")).recoverable.iter().map(|found| found.steps).collect();
        assert_eq!(offered, [0], "nothing was done to it");
        let mut again = restored_on(&storage);
        assert!(
            again.messages().iter().any(
                |told| told.text == "Restored new map as no file holds it yet" || told.text == "Restored a.vxl as no file holds it yet"
            ),
            "{:?}",
            again.messages()
        );
        let open = again.active().unwrap();
        assert!(open.document().store().same_voxels(&before));
        assert!(open.is_modified(), "it is in no file");
        // Once it is closed, nothing of it is left to be offered.
        let id = open.id();
        act(&mut again, Action::Close(id));
        drop(again);
        storage.restart();
        assert!(find_leftovers(&storage, Path::new("s")).recoverable.is_empty());
    }
}

#[test]
fn what_is_done_to_a_map_in_a_journal_of_its_own_comes_back_as_it_was() {
    for is_quick in [true, false] {
        let (storage, mut document) = crashed("vmf");
        let mirror: Command = serde_json::from_str(r#"{"set_symmetry":{"kind":"mirror_x","center":[15,15]}}"#).unwrap();
        let select: Command = serde_json::from_str(r#"{"select":{"box":[[0,0,0],[4,4,64]]}}"#).unwrap();
        let dirt: Command = serde_json::from_str(r##"{"set_dirt":{"color":"#123456"}}"##).unwrap();
        let mut history = History::new();
        for command in [mirror, select, dirt] {
            let change = plan(&document, &command, &Progress::new()).unwrap();
            history.commit(&mut document, change);
        }
        let bytes = storage.get(JOURNAL).unwrap();
        write_snapshot(&storage, Path::new(JOURNAL), &document, 4, read_journal(&bytes).unwrap().mark(4)).unwrap();
        storage.cut(JOURNAL, bytes.len() - 9);
        let mut editor = restored_on(&storage);
        assert!(editor.messages().iter().any(|told| {
            told.detail.as_deref().is_some_and(|detail| detail.contains("again: selection, symmetry, color of uncovered ground;"))
        }));
        act(&mut editor, Action::Edit(set(5)));
        act(&mut editor, Action::Edit(serde_json::from_str(r#"{"remove":{"at":[2,2,60]}}"#).unwrap()));
        let before = editor.active().unwrap().document().clone();
        drop(editor);
        storage.restart();
        recovery::discard_file(&storage, Path::new(JOURNAL)).unwrap();
        let [journal] = &journals_but(&storage, JOURNAL)[..] else { panic!("{:?}", storage.all().keys()) };
        let snapshot = journal.with_extension("snapshot");
        assert!(storage.get(&snapshot).is_some(), "one is due at once");
        if !is_quick {
            storage.remove(&snapshot).unwrap();
        }
        let again = restored_on(&storage);
        assert_eq!(again.messages().iter().filter(|told| told.is_error).count(), 0, "{:?}", again.messages());
        let after = again.active().unwrap().document();
        assert!(after.store().same_voxels(before.store()) && after.store().is_solid(IVec3::new(5, 2, 60)));
        assert_eq!((&after.symmetry, &after.selection, after.dirt), (&before.symmetry, &before.selection, before.dirt));
    }
}

fn command(json: &str) -> Command {
    serde_json::from_str(json).unwrap()
}

/// A disk with a journal without steps, beside which a snapshot holds a map with two objects, the second and the third that it had.
fn crashed_with_objects() -> FaultyStorage {
    let (storage, mut document) = crashed("vmf");
    let mut history = History::new();
    let marker = |x| command(&format!(r#"{{"add_object":{{"marker":{{"label":"M{x}","at":{{"x":{x},"y":1}}}}}}}}"#));
    for command in [marker(1), marker(2), marker(3), command(r#"{"remove_object":{"id":1}}"#)] {
        let change = plan(&document, &command, &Progress::new()).unwrap();
        history.commit(&mut document, change);
    }
    let bytes = storage.get(JOURNAL).unwrap();
    write_snapshot(&storage, Path::new(JOURNAL), &document, 4, read_journal(&bytes).unwrap().mark(4)).unwrap();
    storage.cut(JOURNAL, bytes.len() - 9);
    storage
}

/// The process is gone, and a window brings back the map, whose old journal somebody discards.
fn restored_from_its_own(storage: &FaultyStorage, editor: Editor) -> Editor {
    drop(editor);
    storage.restart();
    recovery::discard_file(storage, Path::new(JOURNAL)).unwrap();
    restored_on(storage)
}

#[track_caller]
fn check_no_errors(editor: &Editor) {
    assert_eq!(editor.messages().iter().filter(|told| told.is_error).count(), 0, "{:?}", editor.messages());
}

#[test]
fn a_map_that_came_from_a_snapshot_gets_one_of_its_own_as_soon_as_the_disk_takes_it() {
    let restored = |free: u64| {
        let storage = crashed_with_objects();
        let mut editor = editor_on(&storage);
        editor.find_leftovers();
        editor.finish_jobs();
        storage.fill_up(free);
        act(&mut editor, Action::RestoreLeftovers);
        let (finished, wait) = std::sync::mpsc::channel();
        editor.background.run(move || finished.send(()).unwrap());
        wait.recv().unwrap();
        assert_eq!(editor.active().unwrap().journalled(), Some((1, 1)));
        (storage, editor)
    };
    // There is room for its journal, and not for the snapshot.
    let (plenty, _) = restored(1 << 30);
    let left_out = |path: &&PathBuf| {
        **path != Path::new("s/a.snapshot") && path.extension().is_some_and(|end| end == "snapshot" || end == "recovered")
    };
    let left_out: usize = plenty.all().keys().filter(left_out).map(|path| plenty.get(path).unwrap().len()).sum();
    let (storage, mut editor) = restored((1 << 30) - plenty.free().unwrap() - left_out as u64 + 50);
    let id = editor.active().unwrap().id();
    let snapshots = storage.all().into_keys().filter(|path| path.extension().is_some_and(|end| end == "snapshot"));
    assert_eq!(snapshots.collect::<Vec<_>>(), [Path::new("s/a.snapshot")], "the old one");
    storage.fill_up(1 << 30);
    editor.document(id).unwrap().checkpoint.try_again_now();
    act(&mut editor, Action::Edit(command(r#"{"remove_object":{"id":3}}"#)));
    let before = editor.document(id).unwrap().document().clone();
    assert_eq!(before.objects.iter().map(|(id, _)| id.0).collect::<Vec<_>>(), [2]);
    let again = restored_from_its_own(&storage, editor);
    check_no_errors(&again);
    assert_eq!(again.active().unwrap().document().objects, before.objects);
}

#[test]
fn a_map_that_came_from_a_snapshot_and_whose_journal_is_damaged_comes_back_again_before_its_next_step() {
    let own = |storage: &FaultyStorage| journals_but(storage, JOURNAL).pop().unwrap();
    for (has_snapshot, has_origin) in [(true, true), (false, true), (true, false), (false, false)] {
        let storage = crashed_with_objects();
        let mut editor = restored_on(&storage);
        // The copy of the map does not have it.
        act(&mut editor, Action::Edit(command(r#"{"remove_object":{"id":2}}"#)));
        let before = editor.active().unwrap().document().clone();
        act(&mut editor, Action::Edit(set(5)));
        drop(editor);
        storage.restart();
        recovery::discard_file(&storage, Path::new(JOURNAL)).unwrap();
        // The power failed while the last line was written.
        storage.cut(own(&storage), storage.get(own(&storage)).unwrap().len() - 3);
        drop(restored_on(&storage));
        storage.restart();
        if !has_snapshot {
            storage.remove(&own(&storage).with_extension("snapshot")).unwrap();
        }
        if !has_origin {
            storage.remove(&own(&storage).with_extension("origin")).unwrap();
        }
        let again = restored_on(&storage);
        let told = again.messages().iter().find(|told| told.text.starts_with("Restored")).unwrap();
        let is_told = told
            .detail
            .as_deref()
            .is_some_and(|detail| detail.contains("1 step was passed over, about objects that only a lost copy told of"));
        let is_known = has_snapshot || has_origin;
        assert!(is_told != is_known && (told.is_warning || told.is_error) != has_origin, "{told:?}");
        assert_eq!(again.active().unwrap().document().objects == before.objects, is_known, "{told:?}");
    }
}

#[test]
fn a_map_whose_snapshot_is_gone_that_it_came_from_is_told_to_be_poorer_and_takes_no_file_for_its_own() {
    let storage = crashed_beyond();
    let mut editor = restored_on(&storage);
    act(&mut editor, Action::Edit(set(5)));
    drop(editor);
    storage.restart();
    recovery::discard_file(&storage, Path::new(JOURNAL)).unwrap();
    let own = journals_but(&storage, JOURNAL).pop().unwrap();
    let replayed = || {
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        let replayed = recovery::replay_quickly(&storage, &found, &Progress::new()).unwrap();
        (replayed.is_of_poor_copy, replayed.stamps.0.is_empty())
    };
    assert_eq!(replayed(), (false, false));
    storage.remove(&own.with_extension("snapshot")).unwrap();
    assert_eq!(replayed(), (false, false));
    storage.remove(&own.with_extension("origin")).unwrap();
    // A VXL map has no colors inside.
    assert_eq!(replayed(), (true, true));
    let again = restored_on(&storage);
    let told = again.messages().iter().find(|told| told.text.starts_with("Restored")).unwrap();
    assert!(
        told.detail.as_deref().is_some_and(|detail| detail.contains("all that was done before it came back from a recovery snapshot")),
        "{told:?}"
    );
    assert!(storage.get(&own).is_some());
    assert_eq!(journals_but(&storage, own.to_str().unwrap()).len(), 1, "it goes on in one of its own");
}

#[test]
fn what_somebody_wrote_by_hand_beside_a_map_that_came_from_a_snapshot_is_kept_after_the_next_crash() {
    const CODE: &[u8] =
        b"name = 'Castle'\ndef get_spawn_location(connection):\n    if connection.team.score > 3:\n        return (1, 2, 3)\n";
    let storage = opened_and_gone_with("m/a.vxl", &[("m/a.txt", CODE)]);
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let mut whole = replay(&storage, &found, &Progress::new()).unwrap().document;
    // What the script has no place for, as it is.
    for edit in [r#"{"set_property":{"name":"Fort"}}"#, r#"{"add_object":{"spawn_point":{"team":"blue","at":[9,9,9]}}}"#] {
        let change = plan(&whole, &command(edit), &Progress::new()).unwrap();
        History::new().commit(&mut whole, change);
    }
    write_snapshot(&storage, Path::new(JOURNAL), &whole, 2, None).unwrap();
    let bytes = storage.get(JOURNAL).unwrap();
    storage.put(JOURNAL, &bytes[..bytes.len() - 9]);
    drop(found);
    let again = restored_from_its_own(&storage, restored_on(&storage));
    let open = again.active().unwrap();
    let id = open.id();
    assert_eq!(open.document().metadata.name.as_deref(), Some("Fort"));
    let mut again = again;
    act(&mut again, Action::SaveAs(SaveOrder::new(id)));
    assert_eq!(storage.get("m/a.txt").unwrap(), CODE, "{:?}", again.messages());
    act(&mut again, Action::SaveAs(SaveOrder::new(id).with_loss_agreed()));
    let text = String::from_utf8(storage.get("m/a.txt").unwrap()).unwrap();
    assert!(text.contains("'Fort'") && text.contains("connection.team.score > 3"), "{text}");
}

#[test]
fn a_map_that_was_to_be_written_in_another_format_is_saved_in_that_one() {
    // As `apply a.vmf - -o b.vxl` leaves it that was killed before it saved.
    let (storage, document) = crashed("vmf");
    storage.put("m/other", b"");
    let options = SaveOptions::default();
    save_map(&storage, &document, Path::new("m/a.vmf"), &options, &Progress::new()).unwrap();
    let opened = open_map(&storage, Path::new("m/a.vmf"), &OpenOptions::default(), &Progress::new()).unwrap();
    recovery::discard_file(&storage, Path::new(JOURNAL)).unwrap();
    let base = JournalBase::of_opened(&opened, Path::new("m/a.vmf"));
    let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), Some(Path::new("m/b.vxl")), base, Stamps::default(), 7);
    journal.append(JournalEntry::Do { command: set(5), at: 9 });
    journal.flush();
    drop(journal);
    storage.restart();
    let mut editor = restored_on(&storage);
    let id = editor.active().unwrap().id();
    // The second time nobody asks about problems that players will meet.
    (0..2).for_each(|_| act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_loss_agreed())));
    let opened = open_map(&storage, Path::new("m/b.vxl"), &OpenOptions::default(), &Progress::new()).unwrap();
    assert_eq!(opened.format, "vxl", "{:?}", editor.messages());
}

#[test]
fn what_was_removed_stays_away_where_a_map_is_restored_that_was_to_be_written_beside_a_file_that_both_shared() {
    // With a file of its own, the map never read the one that lies there for the other.
    for has_own in [false, true] {
        let (storage, document) = crashed("vmf");
        storage.put("m/other", b"");
        save_map(&storage, &document, Path::new("m/a.vmf"), &SaveOptions::default(), &Progress::new()).unwrap();
        storage.put("m/a.spadework.yaml", b"spadework: 1\nobjects:\n- marker: {label: gate, at: {x: 3, y: 4}}\n");
        if has_own {
            storage.put("m/a.vmf.spadework.yaml", b"spadework: 1\n");
        }
        storage.put("m/a.vxl", b"another map, which is to be replaced");
        let opened = open_map(&storage, Path::new("m/a.vmf"), &OpenOptions::default(), &Progress::new()).unwrap();
        let gate = opened.document.objects.iter().find(|(_, object)| object.label() == "gate").map(|(id, _)| id);
        assert!(gate.is_none() == has_own);
        recovery::discard_file(&storage, Path::new(JOURNAL)).unwrap();
        let base = JournalBase::of_opened(&opened, Path::new("m/a.vmf"));
        let stamps = opened.stamps.clone();
        let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), Some(Path::new("m/a.vxl")), base, stamps, 7);
        let command = gate.map_or_else(|| set(5), |id| Command::RemoveObject(ops::RemoveObject { id }));
        journal.append(JournalEntry::Do { command, at: 9 });
        journal.flush();
        drop(journal);
        storage.restart();
        let mut editor = restored_on(&storage);
        let id = editor.active().unwrap().id();
        (0..2).for_each(|_| act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_loss_agreed().with_overwrite_agreed())));
        let opened = open_map(&storage, Path::new("m/a.vxl"), &OpenOptions::default(), &Progress::new()).unwrap();
        assert!(opened.document.objects.iter().all(|(_, object)| object.label() != "gate"), "{has_own} {:?}", editor.messages());
        assert!(!editor.active().unwrap().is_modified());
    }
}

#[test]
fn a_station_that_came_back_as_its_voxels_says_so_and_takes_its_file_for_its_own_no_more() {
    // One of 2018, which can be looked at only.
    let tiles = "AQAAAAEAAAABAAAA".repeat(85) + "AQAAAA==";
    let grid = format!(
        "- &1 grid:\n    settings:\n      csz: 16\n      tsz: 1\n      sgsz: 1\n    chunks:\n    - ind: \"0,0\"\n      tiles: {tiles}\n"
    );
    let things = "- entities:\n  - type: entity\n    id: Crate\n    name: Crate\n    components:\n    - type: Transform\n      map: 1\n      \
                  grid: 1\n      pos: 4.5,12.5\n...\n";
    let station = (grid + things).into_bytes();
    let storage = FaultyStorage::with(&[("m/a.yml", &station)]);
    let opened = open_map(&storage, Path::new("m/a.yml"), &OpenOptions::default(), &Progress::new()).unwrap();
    assert!(opened.document.source.as_ref().is_some_and(|source| source.is_view()));
    let (base, mut map) = (JournalBase::of_opened(&opened, Path::new("m/a.yml")), opened.document.clone());
    let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), Some(Path::new("m/a.yml")), base, opened.stamps, 7);
    let step = command(r##"{"set":{"at":[0,0,0],"color":"#ff8000"}}"##);
    let change = plan(&map, &step, &Progress::new()).unwrap();
    History::new().commit(&mut map, change);
    journal.append(JournalEntry::Do { command: step, at: 9 });
    journal.flush();
    drop(journal);
    storage.restart();
    write_snapshot(&storage, Path::new(JOURNAL), &map, 1, read_journal(&storage.get(JOURNAL).unwrap()).unwrap().mark(1)).unwrap();
    let bytes = storage.get(JOURNAL).unwrap();
    storage.put(JOURNAL, &bytes[..bytes.len() - 9]);
    let again = restored_from_its_own(&storage, restored_on(&storage));
    let told = again.messages().iter().find(|told| told.text.starts_with("Restored")).unwrap();
    assert_eq!(told.detail, None, "{told:?}");
    assert!(again.active().unwrap().document().source.as_ref().is_some_and(|source| source.is_view()), "it is the station that it was");
    drop(again);
    // As earlier versions went on with it.
    storage.all().into_keys().filter(|path| path.starts_with("s")).for_each(|path| storage.remove(&path).unwrap());
    let (base, path) =
        (JournalBase::Made { format: "ss14", document: Box::new(map.clone()), of_snapshot: true }, Some(Path::new("m/a.yml")));
    let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), path, base, Stamps::default(), 7);
    journal.append(JournalEntry::Jump { to: 0 });
    journal.flush();
    assert_eq!(journal.failure(), None);
    drop(journal);
    storage.restart();
    write_snapshot(&storage, Path::new(JOURNAL), &map, 1, read_journal(&storage.get(JOURNAL).unwrap()).unwrap().mark(1)).unwrap();
    let mut again = restored_on(&storage);
    let told = again.messages().iter().find(|told| told.text.starts_with("Restored")).unwrap();
    assert!(told.detail.as_deref().is_some_and(|detail| detail.contains("only its voxels came back")), "{told:?}");
    let id = again.active().unwrap().id();
    act(&mut again, Action::SaveAs(SaveOrder::new(id)));
    assert_eq!(storage.get("m/a.yml").unwrap(), station, "{:?}", again.messages());
}

#[test]
fn steps_from_before_the_second_snapshot_of_a_map_that_came_from_one_lead_there_from_its_origin() {
    let storage = crashed_with_objects();
    let mut editor = restored_on(&storage);
    act(&mut editor, Action::Edit(command(r#"{"remove_object":{"id":3}}"#)));
    let id = editor.active().unwrap().id();
    editor.document_mut(id).unwrap().checkpoint.make_due();
    act(&mut editor, Action::Edit(set(5)));
    act(&mut editor, Action::Edit(set(6)));
    let before = editor.document(id).unwrap().document().clone();
    let again = restored_from_its_own(&storage, editor);
    check_no_errors(&again);
    let open = again.active().unwrap();
    assert!(open.document().store().same_voxels(before.store()) && open.document().objects == before.objects);
    assert_eq!((open.history().head(), open.is_without_older_steps()), (3, false), "all of them can be undone");
    let told = again.messages().iter().find(|told| told.text.starts_with("Restored")).unwrap();
    assert_eq!(told.detail, None);
    assert!(told.text.ends_with("with 3 steps"), "{told:?}");
}

#[test]
fn drawing_a_map_that_was_discarded_meanwhile_makes_no_copy_of_it_afresh() {
    let storage = opened_and_gone("m/a.vxl");
    let found = |storage: &FaultyStorage| find_leftovers(storage, Path::new("s")).recoverable.pop().unwrap();
    let all = |found: &Recoverable| vec![(found.journal.clone(), found.content.clone())];
    let in_folder = |storage: &FaultyStorage| storage.all().into_keys().filter(|path| path.starts_with("s")).collect::<Vec<_>>();
    let left = found(&storage);
    assert_eq!(pictures(&storage, all(&left), &Progress::new()).len(), 1);
    // Called off, it makes nothing afresh either.
    storage.remove(Path::new("s/a.base")).unwrap();
    let (called_off, listed) = (Progress::new(), all(&left));
    called_off.cancel();
    assert!(pictures(&storage, listed.clone(), &called_off).is_empty() && storage.get("s/a.base").is_none());
    recovery::discard(&storage, left).unwrap();
    assert!(pictures(&storage, listed, &Progress::new()).is_empty());
    assert_eq!(in_folder(&storage), Vec::<PathBuf>::new());
}

#[test]
fn the_late_answer_of_a_drawing_that_was_called_off_is_not_that_of_the_next_one() {
    let mut editor = editor_on(&FaultyStorage::default());
    let [first, second] = [(); 2].map(|()| {
        editor.draw_leftovers();
        editor.drawing.unwrap()
    });
    let is_called_off = |editor: &Editor, id| editor.jobs.running().any(|job| job.id == id && job.progress.check().is_err());
    assert!(is_called_off(&editor, first) && !is_called_off(&editor, second), "one at a time");
    editor.drawn(first, vec![]);
    assert_eq!(editor.drawing, Some(second));
    editor.put_off_leftovers();
    assert!(is_called_off(&editor, second) && editor.drawing.is_none());
    editor.draw_leftovers();
    let third = editor.drawing;
    editor.drawn(second, vec![]);
    assert_eq!(editor.drawing, third);
    editor.finish_jobs();
    assert_eq!(editor.drawing, None);
}

#[test]
fn a_drawing_is_called_off_and_goes_on_with_the_others_once_somebody_decides_about_one() {
    let storage = opened_and_gone("m/a.vxl");
    let bytes = storage.get(JOURNAL).unwrap();
    // Put aside of the first, it starts from the same copy.
    storage.put("s/a-old1.journal", &bytes);
    let mut editor = editor_on(&storage);
    editor.found_leftovers(find_leftovers(&storage, Path::new("s")), LeftoversFor::Person);
    let first = editor.drawing.unwrap();
    editor.act(Action::DiscardLeftover("s/a-old1.journal".into()));
    let second = editor.drawing.unwrap();
    assert!(editor.jobs.running().any(|job| job.id == first && job.progress.check().is_err()) && first != second);
    editor.finish_jobs();
    let [left] = editor.leftovers() else { panic!("{:?}", editor.leftovers()) };
    assert!(left.journal == Path::new(JOURNAL) && editor.thumbnail_of(left).is_some());
}

#[test]
fn a_map_that_comes_back_up_to_a_step_that_cannot_be_repeated_says_where_the_rest_is() {
    let (storage, _) = crashed("vmf");
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    for command in [serde_json::from_str(r#"{"remove_object":{"id":1}}"#).unwrap(), set(7)] {
        journal.append(JournalEntry::Do { command, at: 11 });
    }
    journal.flush();
    drop(journal);
    storage.restart();
    let bytes = storage.get(JOURNAL);
    let editor = restored_on(&storage);
    let told = editor.messages().iter().find(|told| told.is_error).unwrap();
    assert!(told.text.contains("up to a step that cannot be repeated"), "{told:?}");
    assert!(told.detail.as_deref().is_some_and(|detail| detail.contains("kept for thirty days beside its journal")), "{told:?}");
    drop(editor);
    assert!(storage.get("s/a-old1.damaged") == bytes);
}

#[test]
fn what_a_snapshot_alone_brings_back_is_told_with_all_that_is_missing() {
    let told_of = |storage: &FaultyStorage| {
        let editor = restored_on(storage);
        let told = editor.messages().iter().find(|told| told.text.starts_with("Restored")).unwrap().clone();
        assert!(told.is_warning != told.is_error, "it stays to be read: {told:?}");
        (told.text, told.detail.unwrap())
    };
    let (text, detail) = told_of(&crashed_beyond());
    assert!(text.ends_with("from its recovery snapshot, without the steps before it"), "{text}");
    assert!(detail.starts_with("The journal is damaged from byte") && detail.contains("What came after the snapshot is lost"), "{detail}");
    assert!(detail.ends_with("; the journal stays until you discard it."), "{detail}");
    // It ends before what the snapshot holds; and somebody saved the map since.
    let storage = crashed_beyond();
    let bytes = storage.get(JOURNAL).unwrap();
    let ends: Vec<usize> = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    storage.cut(JOURNAL, ends[1]);
    storage.put("m/a.vxl", b"of somebody else");
    let (_, detail) = told_of(&storage);
    assert!(detail.contains("The end of the journal is missing. What came after the snapshot is lost"), "{detail}");
    assert!(detail.contains("a.vxl changed since: saving asks before it replaces it"), "{detail}");
    // Not even its beginning is left: the map comes back without its file, and the journal stays.
    let storage = crashed_beyond();
    storage.put(JOURNAL, b"");
    let (text, detail) = told_of(&storage);
    assert!(text.starts_with("Restored a from its recovery snapshot"), "{text}");
    assert!(detail.contains("damaged from its beginning") && detail.contains("Which file the map is of is not known any more"), "{detail}");
    assert!(storage.get(JOURNAL).unwrap().is_empty() && storage.get("s/a.snapshot").is_some());
    let editor = restored_on(&storage);
    assert_eq!(editor.active().unwrap().path(), None);
    assert!(editor.active().unwrap().is_modified());
    drop(editor);
    // The copy of the map is lost, and a step after the snapshot cannot be repeated.
    let storage = crashed_behind_a_snapshot();
    let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
    let journal = Journal::resume(Arc::new(storage.clone()), JOURNAL.into(), &found.content, found.lock);
    journal.append(JournalEntry::Do { command: command(r#"{"select_volume":{"volume":3}}"#), at: 11 });
    journal.flush();
    drop(journal);
    storage.restart();
    storage.put("s/a.base", b"damaged");
    storage.remove(Path::new("m/a.vxl")).unwrap();
    let (_, detail) = told_of(&storage);
    assert!(detail.contains("A step after the snapshot cannot be repeated: ") && detail.contains("follows it are missing"), "{detail}");
    // The copy of the map is lost, with and without steps of a newer Spadework.
    for is_newer in [false, true] {
        let storage = opened_and_gone("m/a.vxl");
        let found = find_leftovers(&storage, Path::new("s")).recoverable.pop().unwrap();
        let whole = replay(&storage, &found, &Progress::new()).unwrap();
        write_snapshot(&storage, Path::new(JOURNAL), &whole.document, 1, found.content.mark(1)).unwrap();
        drop(found);
        if is_newer {
            storage.put(JOURNAL, &with_newer(&storage.get(JOURNAL).unwrap(), 1));
        }
        storage.put("s/a.base", b"damaged");
        storage.remove(Path::new("m/a.vxl")).unwrap();
        let (_, detail) = told_of(&storage);
        assert!(detail.contains("the file is written anew as a whole when you save"), "{detail}");
        assert!(detail.contains("what only a.base beside the journal said is missing"), "{detail}");
        assert_eq!(detail.contains("to be restored with that one"), is_newer, "{detail}");
    }
}

#[test]
fn the_journal_of_a_map_that_is_open_here_is_no_leftover_of_it() {
    let (storage, _) = crashed("vmf");
    let mut editor = restored_on(&storage);
    let (own, before) = (recovery::tests::crashed("vmf").0.get(JOURNAL).unwrap(), editor.leftovers().len());
    assert!(before == 0 && storage.get(JOURNAL) == Some(own));
    // Somebody removed its lock just now, so that it looks like one that was left.
    let found = |storage: &FaultyStorage| {
        storage.remove(Path::new("s/a.lock")).unwrap_or_default();
        find_leftovers(storage, Path::new("s"))
    };
    let found = std::iter::repeat_with(|| found(&storage)).find(|found| !found.recoverable.is_empty()).unwrap();
    editor.found_leftovers(found, LeftoversFor::Person);
    assert!(editor.leftovers().is_empty());
}

#[test]
fn only_what_was_set_back_with_a_map_is_told_and_that_nothing_can_be_undone() {
    let (storage, mut document) = crashed("vmf");
    let change = plan(&document, &command(r##"{"set_dirt":{"color":"#123456"}}"##), &Progress::new()).unwrap();
    History::new().commit(&mut document, change);
    let bytes = storage.get(JOURNAL).unwrap();
    write_snapshot(&storage, Path::new(JOURNAL), &document, 4, read_journal(&bytes).unwrap().mark(4)).unwrap();
    storage.cut(JOURNAL, bytes.len() - 9);
    let detail = |storage: &FaultyStorage| {
        let editor = restored_on(storage);
        editor.messages().iter().find(|told| told.text.starts_with("Restored")).unwrap().detail.clone().unwrap()
    };
    let told = detail(&storage);
    assert!(told.contains("; As in a map that was just opened again: color of uncovered ground; the journal stays"), "{told}");
    let (storage, _) = crashed("vmf");
    storage.put(JOURNAL, &with_newer(&storage.get(JOURNAL).unwrap(), 2));
    let told = detail(&storage);
    assert!(told.contains("; None of its steps can be undone;") && !told.contains("again"), "{told}");
}

#[test]
fn a_map_that_is_closed_while_its_save_runs_is_offered_again_where_that_fails() {
    for fails in [false, true] {
        let storage = FaultyStorage::with(&[("m/readme", b"")]);
        let (mut editor, maps) = editor_with_maps(&storage, 1);
        act(&mut editor, Action::Edit(set(5)));
        let open = editor.document(maps[0]).unwrap();
        let map = open.document().store().clone();
        until(|| open.journalled().is_some_and(|(acknowledged, appended)| acknowledged == appended));
        if fails {
            storage.fill_up(0);
        }
        editor.act(Action::SaveAs(SaveOrder::new(maps[0]).with_path("m/a.vxl".into())));
        editor.act(Action::Close(maps[0]));
        editor.finish_jobs();
        assert_eq!(storage.get("m/a.vxl").is_some(), !fails);
        let told = editor.messages().iter().any(|told| told.text.ends_with("was closed, and what it held was not saved"));
        assert_eq!((told, editor.is_saving_any()), (fails, false));
        drop(editor);
        storage.fill_up(u64::MAX / 2);
        storage.restart();
        assert_eq!(find_leftovers(&storage, Path::new("s")).recoverable.len(), usize::from(fails));
        if fails {
            assert!(restored_on(&storage).active().unwrap().document().store().same_voxels(&map));
        }
    }
}

#[test]
fn a_copy_in_another_format_is_not_the_format_of_the_file_that_a_snapshot_is_of() {
    let (old, document) = crashed("vmf");
    for (map, expected) in [("m/a.vxl", None), ("m/a.vmf", Some("vmf")), ("m/a", Some("vmf"))] {
        let storage = FaultyStorage::with(&[(map, &old.get("s/a.base").unwrap())]);
        // As earlier versions wrote it where a VXL did not hold the map.
        let base = JournalBase::Made { format: "vmf", document: Box::new(document.clone()), of_snapshot: true };
        let journal = Journal::start(Arc::new(storage.clone()), JOURNAL.into(), Some(Path::new(map)), base, Stamps::default(), 7);
        journal.append(JournalEntry::Do { command: set(5), at: 9 });
        journal.flush();
        drop(journal);
        storage.restart();
        let editor = restored_on(&storage);
        let open = editor.active().unwrap();
        assert_eq!((open.path(), open.file.format), (Some(Path::new(map)), expected));
    }
}

#[test]
fn a_map_restored_from_a_snapshot_keeps_the_format_of_its_file_as_often_as_it_is_restored() {
    let storage = crashed_beyond();
    // The copy of the map is lost, too, and with it what its file says of columns without a floor.
    storage.put("s/a.base", b"");
    for _ in 0..2 {
        let mut editor = restored_on(&storage);
        let open = editor.active().unwrap();
        assert_eq!((open.path(), open.file.format), (Some(Path::new("m/a.vxl")), Some("vxl")));
        editor.finish_jobs();
        drop(editor);
        storage.restart();
        let mut found = find_leftovers(&storage, Path::new("s")).recoverable;
        assert!(found.iter().all(|found| found.content.header.format == "vxl"));
        if let Some(old) = found.iter().position(|found| found.recovered.is_some()) {
            recovery::discard(&storage, found.swap_remove(old)).unwrap();
        }
    }
}
