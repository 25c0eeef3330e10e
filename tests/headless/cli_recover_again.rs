//! `recover` called once more: after a call that was killed, after losses, and once what was lost is back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use spadework::document::Progress;
use spadework::edit::Command;
use spadework::editor::files::{OpenOptions, open_map};
use spadework::editor::journal::{JournalEntry, read_journal};
use spadework::editor::recovery::{RecoveryNote, find_leftovers, note_before_placing, replay, write_snapshot};
use spadework::editor::storage::{RealStorage, StoredPath};

use crate::cli::{SCRIPT, check_fails, folder, json, run_with, state, succeed};
use crate::cli_recover::{leave_unsaved, leave_unsaved_after};

/// A call that put `other.vxl` there and was killed before it could say so; answers where.
fn recover_and_be_killed(folder: &Path, journal: &Path) -> PathBuf {
    succeed(folder, &["recover", "castle", "-o", "other.vxl", "--keep"]);
    std::fs::remove_file(journal.with_extension("recovered")).unwrap();
    let other = folder.join("other.vxl");
    let placed = open_map(&RealStorage, &other, &OpenOptions::default(), &Progress::new()).unwrap().stamps;
    let content = read_journal(&std::fs::read(journal).unwrap()).unwrap();
    let note = RecoveryNote { to: Some(StoredPath(other.clone())), ..RecoveryNote::of(&content, 0) };
    note_before_placing(Arc::new(RealStorage), journal, note).tell(&placed);
    other
}

#[test]
fn what_a_killed_recover_wrote_elsewhere_is_replaced_by_the_next_one_unless_somebody_changed_it() {
    for is_changed in [false, true] {
        let folder = folder();
        let journal = leave_unsaved(folder.path(), "castle");
        let other = recover_and_be_killed(folder.path(), &journal);
        if is_changed {
            std::fs::copy(folder.path().join("castle.vxl"), &other).unwrap();
            check_fails(folder.path(), &["recover", "castle", "-o", "other.vxl"], &["other.vxl", "--overwrite"]);
        } else {
            succeed(folder.path(), &["recover", "castle", "-o", "other.vxl"]);
            assert_eq!(succeed(folder.path(), &["recover"]).out, "Nothing was left unsaved\n");
        }
    }
}

#[test]
fn a_recover_elsewhere_that_is_killed_while_it_replaces_some_of_its_files_is_repeated() {
    let folder = folder();
    std::fs::write(folder.path().join("castle.txt"), "name = 'Castle'\n").unwrap();
    let command: Command = serde_json::from_str(r#"{"set_property":{"author":"Ann"}}"#).unwrap();
    let journal = leave_unsaved_after(folder.path(), "castle", vec![JournalEntry::Do { command, at: 1_700_000_009 }]);
    succeed(folder.path(), &["recover", "castle", "-o", "other.vxl", "--keep"]);
    let other = folder.path().join("other.vxl");
    let mut some = open_map(&RealStorage, &other, &OpenOptions::default(), &Progress::new()).unwrap().stamps;
    some.0.retain(|path, _| path.extension().is_some_and(|end| end == "txt"));
    assert_eq!(some.0.len(), 1);
    let content = read_journal(&std::fs::read(&journal).unwrap()).unwrap();
    let note = RecoveryNote { to: Some(StoredPath(other.clone())), ..RecoveryNote::of(&content, 0) };
    note_before_placing(Arc::new(RealStorage), &journal, note).tell(&some);
    succeed(folder.path(), &["recover", "castle", "-o", "other.vxl"]);
}

#[test]
fn what_a_killed_recover_wrote_elsewhere_is_nobodys_to_replace_once_a_copy_is_lost() {
    let folder = folder();
    let script = folder.path().join("castle.txt");
    std::fs::write(&script, "name = 'Castle'\n\n\ndef apply_script(protocol, connection, config):\n    return protocol, connection\n")
        .unwrap();
    let journal = leave_unsaved(folder.path(), "castle");
    recover_and_be_killed(folder.path(), &journal);
    std::fs::remove_file(journal.with_extension("txt")).unwrap();
    std::fs::remove_file(&script).unwrap();
    check_fails(folder.path(), &["recover", "castle", "-o", "other.vxl"], &["other", "--overwrite"]);
}

#[test]
fn a_map_in_its_own_place_of_which_nothing_is_known_any_more_is_recovered_elsewhere_only() {
    let folder = folder();
    let (map, script) = (folder.path().join("castle.vxl"), folder.path().join("castle.txt"));
    std::fs::write(&script, "name = 'Castle'\n").unwrap();
    let journal = leave_unsaved(folder.path(), "castle");
    let found = find_leftovers(&RealStorage, journal.parent().unwrap()).recoverable.pop().unwrap();
    let known = replay(&RealStorage, &found, &Progress::new()).unwrap();
    write_snapshot(&RealStorage, &journal, &known.document, 2, found.content.mark(2)).unwrap();
    drop(found);
    for copy in ["base", "txt"] {
        std::fs::remove_file(journal.with_extension(copy)).unwrap();
    }
    std::fs::remove_file(map).unwrap();
    std::fs::write(&script, "name = 'Newer'\n").unwrap();
    check_fails(folder.path(), &["recover", "castle", "-o", "castle.vxl", "--overwrite"], &["castle.vxl", "choose another OUT"]);
    assert_eq!(std::fs::read(&script).unwrap(), b"name = 'Newer'\n");
    succeed(folder.path(), &["recover", "castle", "-o", "elsewhere.vxl"]);
}

#[test]
fn a_map_that_was_recovered_with_losses_is_said_to_be_and_is_no_alarm() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("castle.txt"), "name = 'A'\ndef get_spawn_location(connection):\n    return magic(connection)\n").unwrap();
    let (map, script) = (std::fs::read(at("castle.vxl")).unwrap(), format!("{SCRIPT}nonsense\n"));
    assert_eq!(run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "castle.vxl", "--overwrite", "--ack"], &script).code, Some(1));
    let recover = ["recover", "castle", "-o", "castle.vxl", "--overwrite"];
    check_fails(folder.path(), &[&recover[..], &["--deny-loss"]].concat(), &["not written", "castle.txt"]);
    assert_eq!(std::fs::read(at("castle.vxl")).unwrap(), map);
    let first = succeed(folder.path(), &recover);
    assert!(first.out.contains("The journal stays") && first.err.contains("castle.txt"), "{first:?}");
    let saved = std::fs::read(at("castle.vxl")).unwrap();
    for again in [&recover[..], &["recover", "castle", "-o", "maps/../castle.vxl"]] {
        let again = succeed(folder.path(), again);
        let words = ["castle.vxl", "already recovered ", " ago; ", "because", "recover --discard castle-"];
        assert!(words.iter().all(|word| again.out.contains(word)), "{again:?}");
    }
    check_fails(folder.path(), &[&recover[..], &["--deny-loss"]].concat(), &["not written", "castle.txt"]);
    assert_eq!(std::fs::read(at("castle.vxl")).unwrap(), saved);
    let list = succeed(folder.path(), &["recover"]);
    assert!(list.out.contains("recovered to") && list.out.contains("castle.vxl"), "{list:?}");
    assert!(json(&succeed(folder.path(), &["recover", "--json"]))["journals"][0]["recovered"]["to"].is_string());
    // Elsewhere it is recovered as ever, and what somebody else saved since stays.
    succeed(folder.path(), &["recover", "castle", "-o", "other.vxl", "--keep"]);
    assert_eq!(std::fs::read(at("other.vxl")).unwrap(), saved);
    std::fs::write(at("castle.vxl"), "theirs").unwrap();
    check_fails(folder.path(), &recover, &["castle.vxl", "changed"]);
    succeed(folder.path(), &["recover", "--discard", "castle"]);
    assert_eq!(std::fs::read_dir(state(folder.path()).join("journals")).unwrap().count(), 0);
}

#[test]
fn a_copy_that_is_back_brings_back_more_with_the_same_call() {
    let command: Command = serde_json::from_str(r#"{"set_property":{"author":"Ann"}}"#).unwrap();
    for out in ["castle.vxl", "other.vxl"] {
        let folder = folder();
        let script = folder.path().join("castle.txt");
        std::fs::write(&script, "name = 'Castle'\nfog = (1, 2, 3)\n").unwrap();
        let journal = leave_unsaved_after(folder.path(), "castle", vec![JournalEntry::Do { command: command.clone(), at: 1_700_000_009 }]);
        std::fs::remove_file(journal.with_extension("txt")).unwrap();
        std::fs::remove_file(&script).unwrap();
        let call = ["recover", "castle", "-o", out, "--overwrite"];
        let told = succeed(folder.path(), &call);
        assert!(told.out.contains("The journal stays, because what only"), "{}", told.out);
        // The same once more says so, and changes nothing.
        assert!(succeed(folder.path(), &call).out.contains(": already recovered"), "{out}");
        succeed(folder.path(), &["recover", "castle", "-o", "third.vxl", "--keep"]);
        std::fs::write(&script, "name = 'Castle'\nfog = (1, 2, 3)\n").unwrap();
        let call = if out == "castle.vxl" { &call[..] } else { &call[..4] };
        succeed(folder.path(), call);
        let text = std::fs::read_to_string(folder.path().join(out).with_extension("txt")).unwrap();
        assert!(text.contains("'Castle'") && text.contains("'Ann'") && text.contains("(1, 2, 3)"), "{out}: {text}");
        assert_eq!(succeed(folder.path(), &["recover"]).out, "Nothing was left unsaved\n");
    }
}

#[test]
fn what_lies_in_the_maps_own_place_is_not_replaced_where_the_journal_knows_nothing_of_it() {
    // A map that was to be made, and somebody made one there since.
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let script = format!("{SCRIPT}nonsense\n");
    assert_eq!(run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "out.vxl", "--ack"], &script).code, Some(1));
    std::fs::copy(at("castle.vxl"), at("out.vxl")).unwrap();
    let theirs = std::fs::read(at("out.vxl")).unwrap();
    check_fails(folder.path(), &["recover", "out", "-o", "out.vxl", "--overwrite"], &["out.vxl", "is not known; choose another OUT"]);
    assert_eq!(std::fs::read(at("out.vxl")).unwrap(), theirs);
    // Where there is nothing, nothing is replaced.
    std::fs::remove_file(at("out.vxl")).unwrap();
    succeed(folder.path(), &["recover", "out", "-o", "out.vxl", "--overwrite"]);
    // What was there from the first, and was to be replaced, is.
    std::fs::write(at("out.vxl"), &theirs).unwrap();
    let begun = run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "out.vxl", "--ack", "--overwrite"], &script);
    assert_eq!(begun.code, Some(1), "{begun:?}");
    succeed(folder.path(), &["recover", "out", "-o", "out.vxl", "--overwrite"]);
    assert_ne!(std::fs::read(at("out.vxl")).unwrap(), theirs);
}

#[test]
fn a_call_says_that_it_was_done_before_only_as_long_as_it_would_do_no_more() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let journal = leave_unsaved(folder.path(), "castle");
    let whole = std::fs::read(&journal).unwrap();
    std::fs::write(&journal, &whole[..whole.len() - 2]).unwrap();
    let call = ["recover", "castle", "-o", "again.vxl"];
    assert!(succeed(folder.path(), &call).out.contains("The journal stays, because"));
    let first = std::fs::read(at("again.vxl")).unwrap();
    assert!(succeed(folder.path(), &call).out.contains(": already recovered"));
    // The journal is put back as it was, from a backup.
    std::fs::write(&journal, &whole).unwrap();
    succeed(folder.path(), &call);
    assert_ne!(std::fs::read(at("again.vxl")).unwrap(), first);
    assert_eq!(succeed(folder.path(), &["recover"]).out, "Nothing was left unsaved\n");
}

#[test]
fn a_call_that_fails_tells_of_the_saves_that_it_completed() {
    let folder = folder();
    leave_unsaved(folder.path(), "castle");
    std::fs::write(folder.path().join(".castle.vxl.spadework-intent"), "x").unwrap();
    check_fails(
        folder.path(),
        &["recover", "nobody", "-o", "r.vxl"],
        &["no journal has this ID", "The record of an interrupted save is damaged"],
    );
}

#[test]
fn the_options_that_a_call_was_given_count_for_what_is_recovered_of_it() {
    let folder = folder();
    let step = "{\"set\":{\"at\":[1,6,2],\"color\":\"#ff8000\"}}\n";
    let apply = |out: &str, more: &[&str], script: &str| {
        run_with(folder.path(), &[&["apply", "castle.vxl", "-", "-o", out][..], more].concat(), script).code
    };
    let set = ["--set", "protect-floor=true"];
    assert_eq!((apply("whole.vmf", &set, step), apply("plain.vmf", &[], step)), (Some(0), Some(0)));
    assert_eq!(apply("new.vmf", &["--set", "protect-floor=true", "--ack"], &format!("{step}nonsense\n")), Some(1));
    succeed(folder.path(), &["recover", "new", "-o", "other.vmf", "--keep", "--set", "protect-floor=false"]);
    succeed(folder.path(), &["recover", "new", "-o", "kept.vmf"]);
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(bytes("kept.vmf") == bytes("whole.vmf") && bytes("other.vmf") == bytes("plain.vmf"));
    assert!(bytes("whole.vmf") != bytes("plain.vmf"));
}
