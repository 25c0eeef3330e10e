//! Journals of the program as it is called: what `apply --ack` keeps, and what `recover` makes of it.

use std::io::{BufRead as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use glam::IVec3;
use serde_json::Value;
use spadework::document::Progress;
use spadework::editor::files::{OpenOptions, open_map};
use spadework::editor::journal::{Journal, JournalBase, JournalEntry};
use spadework::editor::recovery::write_snapshot;
use spadework::editor::storage::{RealStorage, Storage as _};

use crate::cli::{SCRIPT, check_fails, folder, json, read, run, run_with, spadework, state, succeed};

/// The journal of a map of that name, which a killed program left with two steps.
pub(crate) fn leave_unsaved(folder: &Path, name: &str) -> PathBuf {
    leave_unsaved_after(folder, name, vec![])
}

/// The same, with more entries after those two.
pub(crate) fn leave_unsaved_after(folder: &Path, name: &str, more: Vec<JournalEntry>) -> PathBuf {
    let source = folder.join("castle.vxl");
    let opened = open_map(&RealStorage, &source, &OpenOptions::default(), &Progress::new()).unwrap();
    let journal = state(folder).join(format!("journals/{name}-1700000000-77-1.journal"));
    let map = folder.join(format!("{name}.vxl"));
    let (base, storage) = (JournalBase::of_opened(&opened, &source), Arc::new(RealStorage));
    let writer = Journal::start(storage, journal.clone(), Some(&map), base, opened.stamps, 1_700_000_000);
    for x in 1..3 {
        let command = serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},6,2],"color":"#ff8000"}}}}"##)).unwrap();
        writer.append(JournalEntry::Do { command, at: 1_700_000_009 });
    }
    for entry in more {
        writer.append(entry);
    }
    writer.flush();
    assert_eq!(writer.failure(), None);
    journal
}

#[test]
fn what_was_undone_last_is_told_with_its_time_as_what_was_done_last_is() {
    for (more, is_old) in [(vec![], true), (vec![JournalEntry::Undo], false), (vec![JournalEntry::Jump { to: 0 }], false)] {
        let folder = folder();
        leave_unsaved_after(folder.path(), "castle", more);
        let list = json(&succeed(folder.path(), &["recover", "--json"]));
        let at = list["journals"][0]["at"].as_u64().unwrap();
        assert_eq!(at == 1_700_000_009, is_old, "{list}");
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        assert!(is_old || now.abs_diff(at) < 600, "{at} and {now}");
    }
}

#[test]
fn commands_are_acknowledged_by_number_and_a_saved_map_leaves_no_journal() {
    let folder = folder();
    let ran = succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "new.vxl", "--ack"]);
    assert!(ran.out.starts_with("1\n2\n3\n4\n4 commands, 4 of them changed something\nSaved "), "{}", ran.out);
    assert_eq!(std::fs::read_dir(folder.path().join("state/journals")).unwrap().count(), 0);
    assert_eq!(succeed(folder.path(), &["recover"]).out, "Nothing was left unsaved\n");
}

#[test]
fn what_the_files_of_a_saved_map_do_not_hold_stays_in_the_journal() {
    let folder = folder();
    std::fs::write(folder.path().join("castle.txt"), "name = compute()\n").unwrap();
    let name = r#"{"set_property":{"name":"Keep"}}"#;
    let ran = run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "castle.vxl", "--overwrite", "--ack"], name);
    assert!(ran.code == Some(0) && ran.out.starts_with("1\n") && ran.err.contains("name = 'Keep'"), "{ran:?}");
    assert!(ran.out.contains("The journal stays, because the file does not hold all of the map; spadework recover castle-"), "{}", ran.out);
    let list = json(&succeed(folder.path(), &["recover", "--json"]));
    let id = list["journals"][0]["id"].as_str().unwrap();
    succeed(folder.path(), &["recover", id, "-o", "named.vmf"]);
    let named = open_map(&RealStorage, &folder.path().join("named.vmf"), &OpenOptions::default(), &Progress::new()).unwrap();
    assert_eq!(named.document.metadata.name.as_deref(), Some("Keep"));
}

#[test]
fn steps_of_a_map_that_was_written_before_1970_come_back() {
    let folder = folder();
    let castle = folder.path().join("castle.vxl");
    let time = std::time::UNIX_EPOCH - std::time::Duration::from_secs(1);
    std::fs::File::options().write(true).open(&castle).unwrap().set_modified(time).unwrap();
    leave_unsaved(folder.path(), "castle");
    succeed(folder.path(), &["recover", "castle", "-o", "again.vxl"]);
    let again = open_map(&RealStorage, &folder.path().join("again.vxl"), &OpenOptions::default(), &Progress::new()).unwrap();
    assert!(again.document.store().is_solid([2, 6, 2].into()));
}

#[test]
fn a_journal_that_somebody_holds_is_told_and_not_recovered() {
    let folder = folder();
    let journal = leave_unsaved(folder.path(), "castle");
    let lock = RealStorage.lock(&journal.with_extension("lock")).unwrap();
    assert!(lock.is_some());
    let told = succeed(folder.path(), &["recover"]).out;
    assert_eq!(told, "A running Spadework holds the journal of 1 map: what is unsaved there is listed once it has ended\n");
    check_fails(folder.path(), &["recover", "castle", "-o", "again.vxl"], &["castle", "a running Spadework holds this journal"]);
    drop(lock);
    succeed(folder.path(), &["recover", "castle", "-o", "again.vxl"]);
}

#[test]
fn steps_that_the_file_has_no_room_for_are_told() {
    let folder = folder();
    let at = r##"{"fill":{"box":[[4,4,60],[9,9,63]],"color":"#ff8000","mode":"set"}}"##;
    run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "box.vxl"], at);
    let paint = r##"{"set":{"at":[6,6,62],"color":"#00ff00"}}"##;
    let told = run_with(folder.path(), &["apply", "box.vxl", "-", "-o", "box.vxl", "--overwrite"], paint).out;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.get(1).copied(), Some("Nothing to write, the files hold the same already"), "{told}");
    assert!(lines.get(2).is_some_and(|line| line.starts_with("1 hidden voxel has a color that is not written")), "{told}");
}

#[test]
fn what_was_acknowledged_before_a_failure_is_recovered() {
    let folder = folder();
    let script = format!("{SCRIPT}nonsense\n");
    let ran = run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "new.vxl", "--ack"], &script);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), "1\n2\n3\n4\n"), "{ran:?}");
    assert!(ran.err.contains("line 8") && ran.err.contains("4 commands are kept: spadework recover new-"), "{}", ran.err);
    let list = json(&succeed(folder.path(), &["recover", "--json"]));
    assert_eq!((&list["journals"][0]["steps"], list["journals"].as_array().unwrap().len()), (&Value::from(4), 1), "{list}");
    assert!(list["journals"][0]["map"].as_str().unwrap().ends_with("/new.vxl"), "{list}");
    let id = list["journals"][0]["id"].as_str().unwrap();
    succeed(folder.path(), &["recover", id, "-o", "kept.vxl", "--keep"]);
    succeed(folder.path(), &["recover", id, "-o", "new.vxl"]);
    succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "whole.vxl"]);
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!((bytes("new.vxl"), bytes("new.txt")), (bytes("whole.vxl"), bytes("whole.txt")));
    assert_eq!(bytes("kept.vxl"), bytes("whole.vxl"));
    assert_eq!(succeed(folder.path(), &["recover"]).out, "Nothing was left unsaved\n");
    check_fails(folder.path(), &["recover", id, "-o", "again.vxl"], &[id, "no journal has this ID"]);
}

/// `apply --ack` that reads its script from here, and answers line by line.
struct Applying {
    process: std::process::Child,
    script: std::process::ChildStdin,
    answers: std::io::Lines<std::io::BufReader<std::process::ChildStdout>>,
}

impl Applying {
    fn begin(folder: &Path) -> Self {
        let mut process = spadework(folder, &["apply", "castle.vxl", "-", "-o", "new.vxl", "--ack"]).spawn().unwrap();
        let (script, answers) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        Self { process, script, answers: std::io::BufReader::new(answers).lines() }
    }

    fn set(&mut self, x: i32) {
        writeln!(self.script, r##"{{"set":{{"at":[{x},6,2],"color":"#ff8000"}}}}"##).unwrap();
        self.script.flush().unwrap();
    }

    fn is_acknowledged(&mut self, number: u64) -> bool {
        self.answers.next().map(Result::unwrap).as_deref() == Some(&*number.to_string())
    }
}

#[test]
fn what_is_acknowledged_after_somebody_removed_the_journals_is_recovered_after_a_kill() {
    let folder = folder();
    for harm in ["folder", "cut"] {
        let mut applying = Applying::begin(folder.path());
        for x in 1..3 {
            applying.set(x);
            assert!(applying.is_acknowledged(x as u64));
        }
        if harm == "folder" {
            std::fs::remove_dir_all(state(folder.path())).unwrap();
        } else {
            let mut files = std::fs::read_dir(state(folder.path()).join("journals")).unwrap().map(|entry| entry.unwrap().path());
            let journal = files.find(|path| path.extension().is_some_and(|end| end == "journal")).unwrap();
            std::fs::OpenOptions::new().write(true).open(journal).unwrap().set_len(8192).unwrap();
        }
        for x in 3..6 {
            applying.set(x);
            assert!(applying.is_acknowledged(x as u64), "{harm}");
        }
        // The recovery snapshot is gone, or of no use: there is another one soon.
        let is_there = || {
            let files = std::fs::read_dir(state(folder.path()).join("journals")).unwrap().map(|entry| entry.unwrap().path());
            files.filter(|path| path.extension().is_some_and(|end| end == "snapshot")).count() == 1
        };
        let begun = std::time::Instant::now();
        while !is_there() {
            assert!(begun.elapsed().as_secs() < 60, "{harm}: no snapshot is written");
            std::thread::yield_now();
        }
        applying.process.kill().unwrap();
        applying.process.wait().unwrap();
        let list = json(&succeed(folder.path(), &["recover", "--json"]));
        assert_eq!((&list["journals"][0]["steps"], &list["journals"][0]["damaged_from_byte"]), (&Value::from(5), &Value::Null), "{list}");
        succeed(folder.path(), &["recover", "new", "-o", "kept.vxl", "--overwrite"]);
        let kept = read(&folder.path().join("kept.vxl"));
        assert!((1..6).all(|x| kept.store().is_solid(IVec3::new(x, 6, 2))), "{harm}");
    }
}

#[test]
fn a_journal_that_cannot_be_made_anew_acknowledges_nothing_more_and_the_map_is_saved_all_the_same() {
    let folder = folder();
    let mut applying = Applying::begin(folder.path());
    applying.set(1);
    assert!(applying.is_acknowledged(1));
    std::fs::remove_dir_all(state(folder.path())).unwrap();
    std::fs::write(state(folder.path()), "a file").unwrap();
    applying.set(2);
    // Whoever waits for the number is told that it does not come.
    let mut told = std::io::BufReader::new(applying.process.stderr.take().unwrap()).lines().map(Result::unwrap);
    let first = told.next().unwrap();
    assert!(first.starts_with("spadework: warning: commands are not kept for now, the script goes on: "), "{first}");
    applying.set(3);
    let Applying { mut process, script, mut answers } = applying;
    drop(script);
    // A number, or an answer that begins with none.
    let answers: Vec<_> = answers.by_ref().map(Result::unwrap).collect();
    assert!(
        answers.iter().all(|line| line.parse::<u64>().is_err()) && answers.iter().any(|line| line.starts_with("3 commands")),
        "{answers:?}"
    );
    let told: Vec<_> = told.collect();
    assert_eq!(process.wait().unwrap().code(), Some(1));
    let last = told.last().unwrap();
    assert!(last.starts_with("spadework: the commands from ") && last.ends_with("; the map holds them"), "{last}");
    let saved = read(&folder.path().join("new.vxl"));
    assert!((1..4).all(|x| saved.store().is_solid(IVec3::new(x, 6, 2))));
}

#[test]
fn a_script_without_any_journal_is_carried_out_and_fails() {
    let folder = folder();
    std::fs::write(state(folder.path()), "a file").unwrap();
    let script = r##"{"set":{"at":[1,6,2],"color":"#ff8000"}}"##;
    let args = ["apply", "castle.vxl", "-", "-o", "new.vxl", "--ack"];
    let ran = run_with(folder.path(), &args, script);
    assert!(
        ran.code == Some(1) && ran.err.contains("spadework: the commands from 1 on were in no journal until the map was saved: "),
        "{ran:?}"
    );
    assert!(read(&folder.path().join("new.vxl")).store().is_solid(IVec3::new(1, 6, 2)));
    // Both that the map cannot be saved and that nothing is kept.
    let ran = run_with(folder.path(), &args, script);
    assert!(ran.code == Some(1) && ran.err.contains("; the commands from 1 on are in no journal: ") && ran.out.is_empty(), "{ran:?}");
}

#[test]
fn much_work_leaves_a_snapshot_from_which_it_is_recovered() {
    let folder = folder();
    let box_of = |step: usize| format!("{{\"fill\":{{\"box\":[[0,0,{}],[64,64,60]],\"color\":\"#2030{:02x}\"}}}}\n", step % 50, step);
    let script: String = (0..120).map(box_of).chain(["nonsense\n".into()]).collect();
    let ran = run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "new.vxl", "--ack"], &script);
    assert!(ran.code == Some(1) && ran.out.ends_with("\n120\n"), "{ran:?}");
    let journals = std::fs::read_dir(state(folder.path()).join("journals")).unwrap().map(|entry| entry.unwrap().path());
    let snapshot = journals.into_iter().find(|path| path.extension().is_some_and(|end| end == "snapshot"));
    let journal = snapshot.expect("a recovery snapshot").with_extension("journal");
    succeed(folder.path(), &["recover", "new", "-o", "kept.vxl", "--keep"]);
    std::fs::write(folder.path().join("edits.jsonl"), script.replace("nonsense", "")).unwrap();
    let ran = succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "whole.vxl", "--ack"]);
    assert!(ran.out.contains("120 commands"), "{ran:?}");
    let bytes = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(bytes("kept.vxl"), bytes("whole.vxl"));
    // Nothing of the journal is left: what the snapshot holds comes back, and where it was to go is told to be lost.
    let whole = std::fs::read(&journal).unwrap();
    std::fs::write(&journal, b"").unwrap();
    let listed = succeed(folder.path(), &["recover"]).out;
    assert!(
        listed.contains("a new map, what its recovery snapshot holds of ") && listed.contains("damaged from its beginning"),
        "{listed}"
    );
    let ran = succeed(folder.path(), &["recover", "new", "-o", "beheaded.vxl"]);
    assert!(ran.out.contains("The journal stays, because the journal is damaged from its beginning; the map is that of"), "{ran:?}");
    assert!(bytes("beheaded.vxl") != bytes("castle.vxl") && journal.with_extension("snapshot").exists());
    std::fs::write(&journal, whole).unwrap();
    // The steps that the snapshot holds are not repeated: the map is the one that it says.
    let other = read(&folder.path().join("castle.vxl"));
    write_snapshot(&RealStorage, &journal, &other, 120, None).unwrap();
    succeed(folder.path(), &["recover", "new", "-o", "new.vxl"]);
    assert_eq!(bytes("new.vxl"), bytes("castle.vxl"));
    assert_eq!(std::fs::read_dir(folder.path().join("state/journals")).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_state_folder_on_a_disk_that_is_not_attached_is_told_by_every_verb_that_needs_it() {
    let folder = folder();
    std::os::unix::fs::symlink("/disk-that-is-not-attached/state", state(folder.path())).unwrap();
    let told = format!("{} is a link to /disk-that-is-not-attached/state, which is not there", state(folder.path()).display());
    let ran = run_with(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "new.vxl", "--ack"], "");
    assert!(ran.err.contains(&told) && !ran.out.starts_with('1') && folder.path().join("new.vxl").exists(), "{ran:?}");
    assert!(!ran.err.contains("another journal of that name"), "{ran:?}");
    check_fails(folder.path(), &["recover"], &["whether maps were left unsaved is not known", &told]);
    let doctor = run(folder.path(), &["doctor"]);
    assert!(!doctor.out.contains("nothing is wrong") && doctor.out.contains("unsaved maps would be lost after a crash: "), "{doctor:?}");
    assert!(doctor.out.contains("is a link to /disk-that-is-not-attached/state, which is not there; attach"), "{doctor:?}");
    assert!(doctor.out.lines().any(|line| line.starts_with("journals ") && line.ends_with("not known")), "{doctor:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn more_journals_than_a_process_may_have_files_open_are_listed_and_each_can_be_had() {
    let folder = folder();
    let journal = leave_unsaved(folder.path(), "castle");
    let bytes = std::fs::read(&journal).unwrap();
    // They start from the same copy.
    (0..60).for_each(|number| std::fs::write(journal.with_file_name(format!("tower{number}.journal")), &bytes).unwrap());
    let limited = |arguments: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -S -n 48; exec '{}' {arguments}", env!("CARGO_BIN_EXE_spadework"))]);
        shell.current_dir(folder.path()).env("SPADEWORK_STATE_DIR", state(folder.path())).env("SPADEWORK_CONFIG_DIR", state(folder.path()));
        let output = shell.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !told.contains("journals/"), "{told}");
        String::from_utf8(output.stdout).unwrap()
    };
    let listed = || limited("recover").lines().filter(|line| line.contains("2 steps, last one ")).count();
    assert_eq!(listed(), 61);
    let list: Value = serde_json::from_str(&limited("recover --json")).unwrap();
    assert!(list["journals"].as_array().unwrap().len() == 61 && list["not_looked_at"] == Value::Array(vec![]), "{list}");
    assert!(limited("doctor").contains("61 maps of earlier sessions are not saved"));
    limited("recover tower7 -o tower7.vmf --keep");
    assert!(read(&folder.path().join("tower7.vmf")).store().is_solid(IVec3::new(2, 6, 2)));
    limited("recover --discard tower7");
    assert_eq!(listed(), 60);
}

#[test]
fn a_damaged_copy_is_made_afresh_from_any_folder() {
    let folder = folder();
    let script = format!("{SCRIPT}nonsense\n");
    assert_eq!(run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "new.vxl", "--ack"], &script).code, Some(1));
    let journals = std::fs::read_dir(state(folder.path()).join("journals")).unwrap().map(|entry| entry.unwrap().path());
    let copy = journals.into_iter().find(|path| path.extension().is_some_and(|end| end == "base")).unwrap();
    let mut bytes = std::fs::read(&copy).unwrap();
    bytes[9] ^= 1;
    std::fs::write(&copy, bytes).unwrap();
    let elsewhere = folder.path().join("maps");
    let mut program = Command::new(env!("CARGO_BIN_EXE_spadework"));
    program.args(["recover", "new-", "-o", "new.vxl"]).current_dir(&elsewhere);
    program.env("SPADEWORK_STATE_DIR", state(folder.path())).env("SPADEWORK_CONFIG_DIR", state(folder.path()));
    let output = program.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "whole.vxl"]);
    assert_eq!(std::fs::read(elsewhere.join("new.vxl")).unwrap(), std::fs::read(folder.path().join("whole.vxl")).unwrap());
}

#[test]
fn what_somebody_changed_since_the_crash_stays_when_a_map_is_recovered_in_place() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("castle.txt"), "name = 'Castle'\n").unwrap();
    let script = format!("{SCRIPT}nonsense\n");
    assert_eq!(run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "castle.vxl", "--overwrite", "--ack"], &script).code, Some(1));
    let recover = ["recover", "castle", "-o", "castle.vxl", "--overwrite"];
    let (map, text) = (std::fs::read(at("castle.vxl")).unwrap(), std::fs::read(at("castle.txt")).unwrap());
    for (name, theirs) in
        [("castle.txt", &b"name = 'Castle'\n\ndef on_map_change(map):\n    pass  # mine\n"[..]), ("castle.vxl", b"another")]
    {
        let own = std::fs::read(at(name)).unwrap();
        std::fs::write(at(name), theirs).unwrap();
        check_fails(folder.path(), &recover, &[name, "changed"]);
        assert_eq!(std::fs::read(at(name)).unwrap(), theirs);
        std::fs::write(at(name), own).unwrap();
    }
    // As they were, by another spelling of the path, too.
    assert_eq!((std::fs::read(at("castle.vxl")).unwrap(), std::fs::read(at("castle.txt")).unwrap()), (map.clone(), text));
    check_fails(folder.path(), &["recover", "castle", "-o", "maps/../castle.vxl"], &["exists already"]);
    succeed(folder.path(), &["recover", "castle", "-o", "maps/../castle.vxl", "--overwrite"]);
    assert_ne!(std::fs::read(at("castle.vxl")).unwrap(), map);
    assert_eq!(succeed(folder.path(), &["recover"]).out, "Nothing was left unsaved\n");
}

#[cfg(unix)]
#[test]
fn a_link_to_the_map_is_the_maps_own_place() {
    let folder = folder();
    let journal = leave_unsaved(folder.path(), "castle");
    std::os::unix::fs::symlink("castle.vxl", folder.path().join("link.vxl")).unwrap();
    succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "castle.vxl", "--overwrite"]);
    let theirs = std::fs::read(folder.path().join("castle.vxl")).unwrap();
    for out in ["castle.vxl", "link.vxl"] {
        check_fails(folder.path(), &["recover", "castle", "-o", out, "--overwrite"], &["castle.vxl", "changed"]);
        assert!(std::fs::read(folder.path().join("castle.vxl")).unwrap() == theirs && journal.exists(), "{out}");
    }
}

#[test]
fn options_of_the_format_are_taken_by_recover_too() {
    let folder = folder();
    leave_unsaved(folder.path(), "castle");
    let ran = run(folder.path(), &["recover", "castle", "-o", "a.vxl", "--set", "siez=1"]);
    assert!(ran.code == Some(2) && ran.err.contains("no format or export has an option \"siez\""), "{ran:?}");
    succeed(folder.path(), &["recover", "castle", "-o", "plain.vmf", "--keep"]);
    succeed(folder.path(), &["recover", "castle", "-o", "hard.vmf", "--set", "protect-floor=true"]);
    let [plain, hard] = ["plain.vmf", "hard.vmf"].map(|name| std::fs::read(folder.path().join(name)).unwrap());
    assert!(plain.len() == hard.len() && plain != hard);
}

#[test]
fn a_damaged_journal_is_recovered_up_to_the_damage_and_stays() {
    let folder = folder();
    let journal = leave_unsaved(folder.path(), "castle");
    let mut bytes = std::fs::read(&journal).unwrap();
    let last = bytes.len() - 4;
    bytes[last] ^= 1;
    std::fs::write(&journal, &bytes).unwrap();
    let at = bytes[..last].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    let doctor = succeed(folder.path(), &["doctor"]);
    let told = format!("is damaged from byte {at} on: spadework recover castle-1700000000-77-1 -o OUT brings back what is whole");
    assert!(doctor.out.contains(&told) && !doctor.out.contains("nothing is wrong"), "{doctor:?}");
    check_fails(folder.path(), &["recover", "castle", "-o", "new.vmf", "--deny-loss"], &["not written", "damaged from byte"]);
    let ran = succeed(folder.path(), &["recover", "castle", "-o", "new.vmf"]);
    assert!(ran.out.contains("1 step\n") && ran.out.contains("The journal stays"), "{ran:?}");
    assert!(ran.err.contains(&format!("damaged from byte {at} on, after entry 1")), "{ran:?}");
    let map = read(&folder.path().join("new.vmf"));
    assert!(map.store().is_solid(IVec3::new(1, 6, 2)) && !map.store().is_solid(IVec3::new(2, 6, 2)));
    std::fs::write(&journal, b"nonsense").unwrap();
    let ran = succeed(folder.path(), &["recover"]);
    assert!(ran.err.contains("castle-1700000000-77-1: the journal is damaged from its beginning"), "{ran:?}");
    check_fails(folder.path(), &["recover", "castle-1700000000-77-1", "-o", "new.vxl"], &["damaged from its beginning"]);
    succeed(folder.path(), &["recover", "--discard", "castle-1700000000-77-1"]);
    assert!(!journal.exists());
}

/// A line that a newer Spadework wrote behind the whole of a journal.
fn newer_line(journal: &[u8]) -> Vec<u8> {
    let last = journal.strip_suffix(b"\n").unwrap().rsplit(|byte| *byte == b'\n').next().unwrap();
    // Eight digits of length, a blank, eight of the checksum that goes on from line to line.
    let last = u32::from_str_radix(std::str::from_utf8(&last[9..17]).unwrap(), 16).unwrap();
    let json = r#"{"branch":{"name":"b"}}"#;
    let mut hasher = crc32fast::Hasher::new_with_initial(last);
    hasher.update(json.as_bytes());
    format!("{:08x} {:08x} {json}\n", json.len(), hasher.finalize()).into_bytes()
}

#[test]
fn steps_of_a_newer_spadework_are_not_said_to_be_lost_when_a_map_is_recovered_without_them() {
    let folder = folder();
    let journal = leave_unsaved(folder.path(), "castle");
    let mut bytes = std::fs::read(&journal).unwrap();
    let at = bytes.len();
    bytes.extend(newer_line(&bytes));
    std::fs::write(&journal, &bytes).unwrap();
    let listed = json(&succeed(folder.path(), &["recover", "--json"]));
    assert_eq!(
        (&listed["journals"][0]["newer_from_byte"], &listed["journals"][0]["steps"]),
        (&Value::from(at), &Value::from(2)),
        "{listed}"
    );
    let ran = succeed(folder.path(), &["recover", "castle", "-o", "new.vmf"]);
    let told =
        format!("of a newer Spadework from byte {at} on, after entry 2; what came after is not lost, but to be recovered with that one");
    assert!(ran.err.contains(&told) && !ran.err.contains("is lost"), "{ran:?}");
    assert_eq!(std::fs::read(&journal).unwrap(), bytes, "it is for the newer one");
}

#[test]
fn what_another_spadework_wrote_into_the_journal_of_a_script_is_told_with_its_place() {
    let folder = folder();
    let mut applying = Applying::begin(folder.path());
    applying.set(1);
    assert!(applying.is_acknowledged(1));
    let mut files = std::fs::read_dir(state(folder.path()).join("journals")).unwrap().map(|entry| entry.unwrap().path());
    let journal = files.find(|path| path.extension().is_some_and(|end| end == "journal")).unwrap();
    let lock = journal.with_extension("lock");
    // The script's may be faster; then it is tried until it is not.
    let theirs = std::iter::repeat_with(|| {
        std::fs::remove_file(&lock).ok();
        RealStorage.lock(&lock).ok().flatten()
    });
    let theirs = theirs.flatten().next().unwrap();
    let line = newer_line(&std::fs::read(&journal).unwrap());
    std::fs::OpenOptions::new().append(true).open(&journal).unwrap().write_all(&line).unwrap();
    drop(theirs);
    applying.set(2);
    assert!(applying.is_acknowledged(2));
    let Applying { mut process, script, .. } = applying;
    let mut told = String::new();
    let aside = journal.with_file_name(format!("{}-old1.journal", journal.file_stem().unwrap().to_str().unwrap()));
    drop(script);
    process.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(process.wait().unwrap().success(), "{told}");
    assert!(told.contains(&format!("what it wrote is kept in {}: spadework recover ", aside.display())), "{told}");
    assert!(std::fs::read(&aside).unwrap().ends_with(&line));
}

#[test]
fn a_bundle_lists_what_is_in_it_and_holds_journals_only_if_told_to() {
    let folder = folder();
    let journal = leave_unsaved(folder.path(), "castle");
    std::fs::write(journal.with_extension("spadework.yaml"), "name: Castle\n").unwrap();
    let ran = succeed(folder.path(), &["doctor", "--bundle", "problem.tar"]);
    assert!(ran.out.contains("doctor.txt (") && !ran.out.contains(".journal"), "{}", ran.out);
    check_fails(folder.path(), &["doctor", "--bundle", "problem.tar"], &["problem.tar", "exists already"]);
    let ran = succeed(folder.path(), &["doctor", "--bundle", "problem.tar", "--journals", "--overwrite"]);
    for ending in ["journal", "base", "spadework.yaml"] {
        assert!(ran.out.contains(&format!("castle-1700000000-77-1.{ending} (")), "{}", ran.out);
    }
    assert!(!ran.out.contains("left out"), "{}", ran.out);
    let bytes = std::fs::read(folder.path().join("problem.tar")).unwrap();
    assert!(bytes.len().is_multiple_of(512) && bytes.starts_with(b"doctor.txt"));
}

#[test]
fn what_lay_in_the_place_of_a_file_beside_a_journal_is_told_by_whichever_call_moves_it() {
    let calls: [&[&str]; 4] =
        [&["recover"], &["recover", "--json"], &["recover", "castle", "-o", "new.vxl"], &["recover", "--discard", "castle"]];
    for call in calls {
        let folder = folder();
        let snapshot = leave_unsaved(folder.path(), "castle").with_extension("snapshot");
        std::fs::create_dir(&snapshot).unwrap();
        let ran = succeed(folder.path(), call);
        assert!(ran.out.contains(".snapshot.moved-1") || ran.err.contains(".snapshot.moved-1"), "{call:?}: {ran:?}");
    }
}

#[test]
fn the_beginning_of_an_id_must_fit_one_journal() {
    let folder = folder();
    leave_unsaved(folder.path(), "castle");
    leave_unsaved(folder.path(), "castle2");
    check_fails(folder.path(), &["recover", "castle", "-o", "new.vxl"], &["castle: 2 journals begin like this"]);
    // A file that is there is not replaced without a word, and then the journal stays.
    check_fails(folder.path(), &["recover", "castle-", "-o", "castle.vxl"], &["castle.vxl"]);
    succeed(folder.path(), &["recover", "castle-", "-o", "castle.vxl", "--overwrite"]);
    assert!(read(&folder.path().join("castle.vxl")).store().is_solid(IVec3::new(1, 6, 2)));
    assert_eq!(run(folder.path(), &["recover", "castle2"]).code, Some(2));
}

/// What a call left in a folder that was killed between the two renames of `tower.txt` and `tower.vxl`: the script is new already, and the map is
/// about to be.
fn leave_half_saved(folder: &Path, [old, new]: [&[u8]; 2]) {
    use spadework::editor::storage::ContentHash;
    let temp = |name: &str| format!(".{name}.spadework-tmp-1-1");
    let files = ["tower.txt", "tower.vxl"].map(|name| {
        let old = (name == "tower.vxl").then_some(ContentHash::of(old));
        serde_json::json!({ "file": name, "temp": temp(name), "hash": ContentHash::of(new), "old": old, "copy": null })
    });
    let record = serde_json::json!({ "version": 1, "files": files }).to_string();
    let written: [(&str, &[u8]); 4] =
        [("tower.txt", new), ("tower.vxl", old), (&temp("tower.vxl"), new), (".tower.vxl.spadework-intent", record.as_bytes())];
    written.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
}

#[test]
fn a_set_that_a_killed_call_left_half_in_place_is_completed_by_the_next_call_about_another_map() {
    use spadework::editor::recovery::SaveNote;
    for arguments in [&["info", "castle.vxl"][..], &["recover"], &["doctor"]] {
        let folder = folder();
        let elsewhere = folder.path().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        leave_half_saved(&elsewhere, [b"old", b"new"]);
        let note = SaveNote::begin(&RealStorage, &state(folder.path()).join("journals"), &elsewhere.join("tower.vxl"));
        // Without an end, as by a kill.
        drop(note.unwrap());
        let ran = succeed(folder.path(), arguments);
        let told = format!("{}{}", ran.out, ran.err);
        assert!(told.contains("A save that was interrupted is complete now") && told.contains("tower.vxl"), "{arguments:?}: {told}");
        assert_eq!(std::fs::read(elsewhere.join("tower.vxl")).unwrap(), b"new", "{arguments:?}");
        assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 2, "{arguments:?}");
    }
}

#[test]
fn a_set_that_others_left_half_in_place_is_settled_before_it_is_overwritten() {
    let marker = "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n";
    for (arguments, has_folder) in [
        (&["apply", "castle.vxl", "edits.jsonl", "-o"][..], true),
        (&["convert", "castle.vxl"], true),
        (&["new", "--terrain", "flat", "--size", "64x64"], true),
        (&["apply", "castle.vxl", "edits.jsonl", "-o"], false),
    ] {
        let folder = folder();
        std::fs::write(folder.path().join("edits.jsonl"), marker).unwrap();
        let elsewhere = if has_folder { folder.path().join("elsewhere") } else { folder.path().to_path_buf() };
        std::fs::create_dir_all(&elsewhere).unwrap();
        leave_half_saved(&elsewhere, [b"old", b"new"]);
        let output = elsewhere.join("tower.vxl");
        let ran = succeed(folder.path(), &[arguments, &[output.to_str().unwrap(), "--overwrite"]].concat());
        assert!(ran.err.contains("A save that was interrupted is complete now"), "{arguments:?}: {ran:?}");
        let there = std::fs::read(&output).unwrap();
        assert!(there != b"old" && there != b"new", "{arguments:?}");
        assert!(std::fs::read_dir(&elsewhere).unwrap().all(|file| !file.unwrap().file_name().to_string_lossy().starts_with('.')));
    }
}
