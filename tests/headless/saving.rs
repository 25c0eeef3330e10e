//! Saving over files that others wrote, cannot be read, or lead nowhere: nothing is overwritten without a word.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use glam::IVec3;
use spadework::document::Progress;
use spadework::editor::files::{OpenOptions, SaveError, SaveOptions, open_map, save_map};
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, SaveOrder};

use crate::cli::{SCRIPT, apply_meanwhile, check_fails, folder, run, state, succeed};
use crate::editor::{act, editor, editor_keeping, flat_map, paint, run as edit, top};
use crate::project_files::{read, told, walk, write};

#[cfg(unix)]
#[test]
fn a_file_of_the_same_size_and_time_is_another_one_all_the_same() {
    for is_replaced in [true, false] {
        let folder = folder();
        let map = folder.path().join("castle.vxl");
        let opened = open_map(&RealStorage, &map, &OpenOptions::default(), &Progress::new()).unwrap();
        let options = SaveOptions { expected: opened.stamps.clone(), ..SaveOptions::default() };
        let save = || save_map(&RealStorage, &opened.document, &map, &options, &Progress::new());
        let (time, mut theirs) = (fs::metadata(&map).unwrap().modified().unwrap(), fs::read(&map).unwrap());
        save().unwrap();
        *theirs.last_mut().unwrap() ^= 1;
        let path = if is_replaced { folder.path().join("theirs") } else { map.clone() };
        fs::write(&path, &theirs).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        if is_replaced {
            fs::rename(&path, &map).unwrap();
        }
        let saved = save();
        assert!(matches!(saved, Err(SaveError::ChangedOnDisk { .. })), "{saved:?}");
        assert_eq!(fs::read(&map).unwrap(), theirs);
    }
}

#[cfg(unix)]
#[test]
fn a_link_in_a_circle_beside_a_map_is_told_and_keeps_nothing_from_being_saved() {
    let folder = folder();
    std::os::unix::fs::symlink("castle.json", folder.path().join("castle.json")).unwrap();
    let apply = ["apply", "castle.vxl", "edits.jsonl", "-o", "castle.vxl", "--overwrite"];
    let ran = succeed(folder.path(), &apply);
    assert!(ran.err.contains("castle.json") && ran.err.contains("circle"), "{ran:?}");
    // One that has to be written is a loss, and what to do about it is said.
    let folder = self::folder();
    std::os::unix::fs::symlink("castle.txt", folder.path().join("castle.txt")).unwrap();
    let before = fs::read(folder.path().join("castle.vxl")).unwrap();
    check_fails(folder.path(), &[&apply[..], &["--deny-loss"]].concat(), &["not written", "castle.txt"]);
    assert_eq!(fs::read(folder.path().join("castle.vxl")).unwrap(), before);
    let ran = succeed(folder.path(), &apply);
    assert!(ran.err.contains("castle.txt") && ran.err.contains("move it away and save again"), "{ran:?}");
    assert_ne!(fs::read(folder.path().join("castle.vxl")).unwrap(), before);
}

#[test]
fn a_project_file_that_lies_where_a_map_is_saved_is_told_whatever_was_edited() {
    for script in ["{\"set_property\":{\"name\":\"Mine\"}}\n", SCRIPT] {
        let folder = folder();
        let stale = "spadework: 1\nmetadata: {name: Hello}\n";
        fs::write(folder.path().join("other.vxl.spadework.yaml"), stale).unwrap();
        fs::write(folder.path().join("name.jsonl"), script).unwrap();
        let ran = succeed(folder.path(), &["apply", "castle.vxl", "name.jsonl", "-o", "other.vxl"]);
        assert!(ran.err.contains("other.vxl.spadework.yaml was there before and may not fit the map"), "{ran:?}");
        assert_eq!(fs::read_to_string(folder.path().join("other.vxl.spadework.yaml")).unwrap(), stale);
        // One that maps of one name shared once is not read with the map.
        let shared = "spadework: 1\nobjects:\n- marker: {label: Hello, at: {x: 1, y: 2}}\n";
        fs::write(folder.path().join("third.spadework.yaml"), shared).unwrap();
        succeed(folder.path(), &["apply", "castle.vxl", "name.jsonl", "-o", "third.vxl"]);
        assert!(!succeed(folder.path(), &["info", "third.vxl"]).out.contains("Hello"));
        assert_eq!(fs::read_to_string(folder.path().join("third.spadework.yaml")).unwrap(), shared);
    }
}

#[test]
fn a_file_beside_the_map_that_could_not_be_read_stays_and_the_map_is_saved() {
    let folder = folder();
    let text = folder.path().join("castle.txt");
    File::create(&text).unwrap().set_len(20 << 20).unwrap();
    let apply = ["apply", "castle.vxl", "edits.jsonl", "-o", "castle.vxl"];
    check_fails(folder.path(), &apply, &["castle.txt", "--overwrite replaces it"]);
    let apply = [&apply[..], &["--overwrite"]].concat();
    check_fails(folder.path(), &[&apply[..], &["--deny-loss"]].concat(), &["not written", "castle.txt"]);
    let ran = succeed(folder.path(), &apply);
    assert!(ran.err.contains("castle.txt") && ran.err.contains("stays as it is"), "{ran:?}");
    assert_eq!(fs::metadata(&text).unwrap().len(), 20 << 20);
    assert!(run(folder.path(), &["info", "castle.vxl"]).out.contains("64"));
}

#[test]
fn a_file_that_appeared_beside_the_map_since_it_was_read_stays_and_so_does_the_journal() {
    let folder = folder();
    let mut program = Command::new(env!("CARGO_BIN_EXE_spadework"));
    program.args(["apply", "castle.vxl", "-", "-o", "castle.vxl", "--overwrite", "--ack"]).current_dir(folder.path());
    program.env("SPADEWORK_STATE_DIR", state(folder.path())).env("SPADEWORK_CONFIG_DIR", state(folder.path()));
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(SCRIPT.as_bytes()).unwrap();
    let mut line = String::new();
    let mut numbers = BufReader::new(child.stdout.take().unwrap());
    // The map is open now.
    numbers.read_line(&mut line).unwrap();
    assert_eq!(line, "1\n");
    fs::write(folder.path().join("castle.txt"), "name = 'Theirs'\n").unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && told.contains("castle.txt") && told.contains("4 commands are kept: spadework recover castle-"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(folder.path().join("castle.txt")).unwrap(), "name = 'Theirs'\n");
    // Over what is there since, they go once somebody saw it.
    check_fails(folder.path(), &["recover", "castle", "-o", "castle.vxl", "--overwrite"], &["castle.txt"]);
    succeed(folder.path(), &["recover", "castle", "-o", "both.vxl"]);
    assert!(fs::read_to_string(folder.path().join("both.txt")).unwrap().contains("get_spawn_location"));
}

#[test]
fn folders_of_the_system_that_are_relative_are_not_taken_and_told() {
    let folder = folder();
    let mut program = Command::new(env!("CARGO_BIN_EXE_spadework"));
    program.args(["doctor", "--json"]).current_dir(folder.path()).env("HOME", "home").env("XDG_CONFIG_HOME", "config");
    program.env("XDG_STATE_HOME", folder.path().join("own")).env_remove("SPADEWORK_STATE_DIR").env_remove("SPADEWORK_CONFIG_DIR");
    let output = program.output().unwrap();
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let problems = found["problems"].to_string();
    assert!(["HOME", "XDG_CONFIG_HOME"].iter().all(|name| problems.contains(&format!("{name} is not"))), "{found}");
    assert!(found["facts"]["state"].as_str().unwrap().contains("own/spadework"), "{found}");
    assert!(!found["facts"]["settings"].as_str().is_some_and(|settings| settings.starts_with("home") || settings.starts_with("config")));
    let made = ["home", "config"].map(|name| folder.path().join(name).exists());
    assert_eq!(made, [false, false]);
}

#[test]
fn settings_that_are_not_understood_are_told_by_doctor() {
    for (settings, told) in [
        ("keymap: {preset: foo}", "\\\"foo\\\", which there is not"),
        ("keymap: [5]", "not understood"),
        ("keymap: {keys: {redo: {5: 6}}}", "neither a key nor a list of keys"),
        ("keymap: {keys: {redo: Hyper+Q}}", "Redo"),
        ("palettes: [x]", "A palette in the settings is not understood"),
        ("layout: {sectors: maybe}", "layout of panels"),
    ] {
        let folder = folder();
        fs::create_dir(folder.path().join("config")).unwrap();
        fs::write(folder.path().join("config/settings.yaml"), format!("{settings}\n")).unwrap();
        let mut program = Command::new(env!("CARGO_BIN_EXE_spadework"));
        program.args(["doctor", "--json"]).env("SPADEWORK_CONFIG_DIR", folder.path().join("config"));
        let output = program.env("SPADEWORK_STATE_DIR", folder.path().join("state")).output().unwrap();
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(found["problems"].to_string().contains(told), "{settings}: {found}");
    }
}

#[test]
fn a_save_into_a_folder_that_is_gone_says_nothing_of_a_file_that_is_gone_with_it() {
    let maps = tempfile::tempdir().unwrap();
    let folder = maps.path().join("mine");
    fs::create_dir(&folder).unwrap();
    let (path, mut editor) = (flat_map(&folder), editor());
    act(&mut editor, Action::Open(path));
    let at = top(&editor, 3, 3);
    edit(&mut editor, paint(at));
    fs::remove_dir_all(&folder).unwrap();
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_loss_agreed().with_overwrite_agreed()));
    let told = editor.messages().last().unwrap();
    assert!(told.is_error && told.text.contains("there is no such folder"), "{told:?}");
    assert_eq!(told.detail.as_deref(), Some("No file was changed, and the map is still open. Save it elsewhere: File, Save as."));
}

#[test]
fn a_level_that_is_saved_as_a_floor_leaves_the_map_unsaved() {
    let folder = tempfile::tempdir().unwrap();
    let (map, mut editor) = (flat_map(folder.path()), editor());
    act(&mut editor, Action::Open(map.clone()));
    let at = top(&editor, 3, 3);
    edit(&mut editor, paint(at));
    let (id, floor) = (editor.active().unwrap().id(), folder.path().join("floor.yml"));
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path(floor.clone()).with_loss_agreed()));
    let open = editor.active().unwrap();
    assert!(floor.exists() && open.is_modified() && open.path() == Some(&*map), "{:?}", editor.messages().last());
    let told =
        editor.messages().iter().any(|told| told.text == "Saved a copy of a part: floor.yml. flat.vxl itself is as unsaved as before");
    assert!(told, "{:?}", editor.messages());
}

#[cfg(unix)]
#[test]
fn what_somebody_saves_to_a_map_that_is_written_through_a_link_stays() {
    for (from, to, theirs) in
        [("castle.vxl", "link.vxl", "castle.vxl"), ("link.vxl", "castle.vxl", "castle.vxl"), ("castle.vxl", "link.vxl", "link.vxl")]
    {
        let folder = folder();
        std::os::unix::fs::symlink("castle.vxl", folder.path().join("link.vxl")).unwrap();
        let before = fs::read(folder.path().join("castle.vxl")).unwrap();
        // Whatever else is there is replaced, as was asked for.
        fs::write(folder.path().join(to).with_extension("toml"), "").unwrap();
        let ran = apply_meanwhile(folder.path(), [from, to], SCRIPT, false, || {
            fs::write(folder.path().join(theirs), [&before[..], &before].concat()).unwrap();
        });
        assert!(ran.code == Some(1) && ran.err.contains(&format!("the file was changed since it was opened: {to}")), "{ran:?}");
        assert_eq!(fs::read(folder.path().join("castle.vxl")).unwrap().len(), 2 * before.len());
        fs::write(folder.path().join("castle.vxl"), before).unwrap();
        let ran = apply_meanwhile(folder.path(), [from, to], SCRIPT, false, || {});
        assert!(ran.code == Some(0) && folder.path().join("link.vxl").is_symlink(), "{ran:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_export_takes_the_place_of_its_map_by_no_name() {
    let folder = folder();
    let before = fs::read(folder.path().join("castle.vxl")).unwrap();
    std::os::unix::fs::symlink("castle.vxl", folder.path().join("link.vox")).unwrap();
    for to in ["link.vox", "./castle.vxl"] {
        let args = ["export", "castle.vxl", to, "--as", "vox", "--overwrite"];
        check_fails(folder.path(), &args, &["an export cannot take the place of its map"]);
    }
    assert_eq!(fs::read(folder.path().join("castle.vxl")).unwrap(), before);
}

#[test]
fn the_version_of_a_map_that_somebody_saved_meanwhile_has_what_they_saved_with_it() {
    let folder = folder();
    let versions = folder.path().join("kept");
    let mut editor = editor_keeping(versions.clone());
    succeed(folder.path(), &["new", "bare.vxl", "--size", "64x64", "--terrain", "flat"]);
    act(&mut editor, Action::Open(folder.path().join("bare.vxl")));
    edit(&mut editor, paint(IVec3::new(1, 9, 9)));
    write(
        folder.path(),
        "a.jsonl",
        "{\"add_object\":{\"marker\":{\"label\":\"gate\",\"at\":{\"x\":3,\"y\":4}}}}\n{\"set_property\":{\"author\":\"ann\"}}\n",
    );
    succeed(folder.path(), &["apply", "bare.vxl", "a.jsonl", "-o", "bare.vxl", "--overwrite"]);
    let saved = ["bare.txt", "bare.vxl.spadework.yaml"].map(|name| read(folder.path(), name));
    act(&mut editor, Action::Save);
    assert!(told(&editor).contains("omebody else saved bare.txt, which may not fit the map"), "{}", told(&editor));
    let kept = walk(&versions);
    for text in saved {
        assert!(kept.iter().any(|path| fs::read_to_string(path).is_ok_and(|kept| kept == text)), "{kept:?}");
    }
}
