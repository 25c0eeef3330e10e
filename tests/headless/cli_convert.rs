//! `convert`: what is lost is told and can be denied; whole folders.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::{Ran, castle, check_fails, folder, json as answer, run, succeed};

/// Gives the castle's first column a baked shade, which a VMF cannot hold.
fn shaded() -> Vec<u8> {
    let mut bytes = castle();
    // Four bytes of span header, then b, g, r, shade.
    assert_eq!(bytes[7], 0x80);
    bytes[7] = 0x60;
    bytes
}

fn codes(losses: &Value) -> Vec<&str> {
    losses.as_array().unwrap().iter().map(|loss| loss["code"].as_str().unwrap()).collect()
}

/// Everything in a folder and the folders below it.
fn files(folder: &Path) -> Vec<String> {
    let mut all = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() && !path.is_symlink() {
            all.extend(files(&path).into_iter().map(|below| format!("{name}/{below}")));
        } else {
            all.push(name);
        }
    }
    all.sort();
    all
}

#[test]
fn losses_are_listed_also_where_there_are_none() {
    let folder = folder();
    std::fs::write(folder.path().join("shaded.vxl"), shaded()).unwrap();
    let convert = |from, to| answer(&succeed(folder.path(), &["convert", from, to, "--json"]));
    assert_eq!(convert("castle.vxl", "a.vmf")["losses"], json!([]));
    assert_eq!(convert("shaded.vxl", "b.vxl")["losses"], json!([]));
    let lossy = convert("shaded.vxl", "b.vmf");
    assert_eq!(codes(&lossy["losses"]), ["shade"]);
    assert_eq!((&lossy["losses"][0]["count"], &lossy["losses"][0]["severity"]), (&json!(1), &json!("loss")));
    assert!(codes(&lossy["warnings"]).iter().filter(|code| **code == "shade").count() == 1, "{lossy}");
    let told = succeed(folder.path(), &["convert", "shaded.vxl", "c.vmf"]);
    assert!(told.err.contains("warning: c.vmf: The shade of 1 voxel is not kept"), "{told:?}");
    // Both directions: this one tells its losses while it writes.
    succeed(folder.path(), &["convert", "castle.vxl", "hard.vmf", "--set", "protect-floor=true"]);
    // Nobody digs there in the game either.
    assert_eq!(convert("hard.vmf", "hard.vxl")["losses"], json!([]));
    let mut lit = std::fs::read(folder.path().join("hard.vmf")).unwrap();
    // Voxels of eight bytes follow a header of 91: b, g, r, light, type, indestructible, reserved.
    lit[91..].chunks_exact_mut(8).find(|voxel| voxel[5] == 1).expect("the floor is protected")[3] = 9;
    std::fs::write(folder.path().join("lit.vmf"), lit).unwrap();
    assert_eq!(codes(&convert("lit.vmf", "lit.vxl")["losses"]), ["light"]);
}

#[test]
fn denied_losses_stop_the_call_before_anything_is_written() {
    let folder = folder();
    std::fs::write(folder.path().join("shaded.vxl"), shaded()).unwrap();
    let before = files(folder.path());
    check_fails(folder.path(), &["convert", "shaded.vxl", "b.vmf", "--deny-loss"], &["b.vmf: not written", "shade of 1 voxel"]);
    let denied = run(folder.path(), &["convert", "shaded.vxl", "b.vmf", "--deny-loss", "--json"]);
    assert!(denied.code == Some(1) && denied.err.contains("shade of 1 voxel"), "{denied:?}");
    let denied = answer(&denied);
    assert_eq!((&denied["denied"], &denied["written"]), (&true.into(), &json!([])));
    assert_eq!(denied["losses"][0]["code"], "shade");
    check_fails(folder.path(), &["apply", "shaded.vxl", "edits.jsonl", "-o", "b.vmf", "--deny-loss"], &["shade of 1 voxel"]);
    assert_eq!(files(folder.path()), before);
    succeed(folder.path(), &["convert", "shaded.vxl", "b.vxl", "--deny-loss"]);
    succeed(folder.path(), &["convert", "castle.vxl", "b.vmf", "--deny-loss"]);
    // An old file stays as it is, too.
    check_fails(folder.path(), &["convert", "shaded.vxl", "b.vmf", "--deny-loss", "--overwrite"], &["shade of 1 voxel"]);
    succeed(folder.path(), &["convert", "b.vmf", "back.vmf", "--deny-loss"]);
}

#[test]
fn bytes_behind_the_voxels_of_a_vmf_are_kept_there_and_a_loss_elsewhere() {
    let folder = folder();
    succeed(folder.path(), &["convert", "castle.vxl", "b.vmf"]);
    let path = folder.path().join("b.vmf");
    std::fs::write(&path, [std::fs::read(&path).unwrap(), b"more".to_vec()].concat()).unwrap();
    check_fails(folder.path(), &["convert", "b.vmf", "c.vxl", "--deny-loss"], &["4 bytes after the last voxel"]);
    succeed(folder.path(), &["convert", "b.vmf", "c.vmf", "--deny-loss"]);
    assert!(std::fs::read(folder.path().join("c.vmf")).unwrap() == std::fs::read(&path).unwrap());
}

#[test]
fn a_size_for_a_file_that_has_none_to_choose_is_told() {
    let folder = folder();
    succeed(folder.path(), &["convert", "castle.vxl", "b.vmf"]);
    let told = ["b.vmf", "no option size"];
    for call in [&["info", "b.vmf"][..], &["check", "b.vmf"], &["diff", "b.vmf", "b.vmf"]] {
        check_fails(folder.path(), &[call, &["--size", "64x64"]].concat(), &told);
    }
    check_fails(folder.path(), &["export", "b.vmf", "b.png", "--size", "64x64"], &told);
    check_fails(folder.path(), &["convert", "b.vmf", "c.vmf", "--size", "64x64"], &["c.vmf", "no option size"]);
    for call in [&["info", "castle.vxl"][..], &["diff", "castle.vxl", "b.vmf"], &["export", "castle.vxl", "b.png"]] {
        succeed(folder.path(), &[call, &["--size", "64x64"]].concat());
    }
}

#[test]
fn a_file_beside_the_map_that_cannot_be_had_does_not_come_along_and_is_a_loss() {
    let folder = folder();
    // Longer than any that is read.
    std::fs::File::create(folder.path().join("castle.txt")).unwrap().set_len(17 << 20).unwrap();
    check_fails(folder.path(), &["convert", "castle.vxl", "new.vxl", "--deny-loss"], &["new.vxl: not written", "castle.txt", "come along"]);
    let ran = succeed(folder.path(), &["convert", "castle.vxl", "new.vxl"]);
    assert!(ran.err.contains("it does not come along"), "{ran:?}");
    // In its place it stays where it is.
    succeed(folder.path(), &["convert", "castle.vxl", "castle.vxl", "--overwrite", "--deny-loss"]);
}

/// The kernel stops writing at a limit with a signal that ends programs which do not expect it.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_on_the_size_of_files_is_told_and_leaves_everything_as_it_is() {
    let folder = folder();
    let before = files(folder.path());
    // In blocks of 512 or 1,024 bytes, as the shell has it.
    let script = format!("ulimit -f 16; exec '{}' convert castle.vxl big.vmf", env!("CARGO_BIN_EXE_spadework"));
    let state = tempfile::tempdir().unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(folder.path());
    shell.env("SPADEWORK_STATE_DIR", state.path()).env("SPADEWORK_CONFIG_DIR", state.path());
    let output = shell.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("big.vmf"), "{told}");
    assert_eq!(files(folder.path()), before);
}

#[test]
fn what_a_foreign_script_cannot_take_is_a_loss() {
    let folder = folder();
    std::fs::write(folder.path().join("castle.txt"), "name = ''.join(['a', 'b'])\n").unwrap();
    std::fs::write(folder.path().join("name.jsonl"), r#"{"set_property":{"name":"Keep"}}"#).unwrap();
    let before = files(folder.path());
    let apply = ["apply", "castle.vxl", "name.jsonl", "-o", "keep.vxl"];
    check_fails(folder.path(), &[&apply[..], &["--deny-loss"]].concat(), &["keep.vxl: not written", "keep.txt", "line 1"]);
    assert_eq!(files(folder.path()), before);
}

/// A folder with two good maps, one of them below with a script, and two bad ones.
fn maps() -> tempfile::TempDir {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir_all(at("maps/old/.hidden")).unwrap();
    std::fs::write(at("maps/bad.vxl"), &castle()[..999]).unwrap();
    std::fs::write(at("maps/notes.md"), "No map.").unwrap();
    std::fs::write(at("maps/old/keep.vxl"), shaded()).unwrap();
    std::fs::write(at("maps/old/keep.txt"), "name = 'Keep'\nauthor = 'Nobody'\n").unwrap();
    std::fs::write(at("maps/old/.hidden/a.vxl"), castle()).unwrap();
    folder
}

fn check_folder(ran: &Ran, code: i32, lines: &[&str], out: &str) {
    assert_eq!((ran.code, ran.out.as_str()), (Some(code), out), "{ran:?}");
    for line in lines {
        assert!(ran.err.lines().any(|told| told.contains(line)), "without {line:?}: {}", ran.err);
    }
}

#[test]
fn a_folder_is_converted_with_what_lies_beside_its_maps_and_one_bad_file_stops_nothing() {
    let folder = maps();
    let ran = run(folder.path(), &["convert", "maps", "out", "--to", "vmf"]);
    let lines = [
        "1/3 bad.vxl",
        "2/3 castle.vxl",
        "3/3 old/keep.vxl",
        "spadework: maps/bad.vxl: truncated at byte 999",
        "warning: out/old/keep.vmf: The shade of 1 voxel",
    ];
    check_folder(&ran, 1, &lines, "Converted 2 of 3 maps to out, 1 failed\n");
    assert_eq!(files(&folder.path().join("out")), ["castle.vmf", "old/keep.vmf", "old/keep.vmf.spadework.yaml"]);
    // Again: what is there stays.
    let ran = run(folder.path(), &["convert", "maps", "out", "--to", "vmf"]);
    check_folder(&ran, 1, &["out/castle.vmf: the file exists already"], "Converted 0 of 3 maps to out, 3 failed\n");
    std::fs::remove_file(folder.path().join("maps/bad.vxl")).unwrap();
    let ran = run(folder.path(), &["convert", "maps", "out", "--to", "vmf", "--overwrite"]);
    check_folder(&ran, 0, &["2/2 old/keep.vxl"], "Converted 2 of 2 maps to out\n");
    // To the same format a folder is copied byte for byte, scripts included.
    succeed(folder.path(), &["convert", "maps", "same", "--to", ".VXL"]);
    assert_eq!(files(&folder.path().join("same")), ["castle.vxl", "old/keep.txt", "old/keep.vxl"]);
    for name in ["castle.vxl", "old/keep.txt", "old/keep.vxl"] {
        let [a, b] = ["maps", "same"].map(|all| std::fs::read(folder.path().join(all).join(name)).unwrap());
        assert!(a == b, "{name}");
    }
}

#[test]
fn a_folder_answers_one_json_object_in_silence_and_denies_losses_file_by_file() {
    let folder = maps();
    let ran = run(folder.path(), &["convert", "maps", "out", "--to", "vmf", "--json", "--deny-loss"]);
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""), "{ran:?}");
    let all = answer(&ran);
    assert_eq!((&all["converted"], &all["failed"]), (&json!(1), &json!(2)));
    let error = |at: usize| all["files"][at]["error"].as_str().unwrap_or("").to_owned();
    assert!(error(0).contains("truncated") && error(2).contains("not written") && error(1).is_empty(), "{all}");
    assert_eq!((&all["files"][1]["losses"], &all["files"][1]["to"]["format"]), (&json!([]), &json!("vmf")));
    let denied = &all["files"][2];
    assert_eq!((&denied["denied"], &denied["written"], &denied["from"]["format"]), (&json!(true), &json!([]), &json!("vxl")), "{all}");
    assert!(denied["losses"].as_array().is_some_and(|losses| !losses.is_empty()), "{all}");
    assert_eq!(files(&folder.path().join("out")), ["castle.vmf"]);
}

#[test]
fn what_a_folder_holds_twice_or_made_itself_is_not_mixed_up() {
    let folder = maps();
    std::fs::remove_file(folder.path().join("maps/bad.vxl")).unwrap();
    let inside = ["convert", "maps", "maps/out", "--to", "vmf", "--overwrite"];
    succeed(folder.path(), &inside);
    succeed(folder.path(), &inside);
    assert_eq!(files(&folder.path().join("maps/out")), ["castle.vmf", "old/keep.vmf", "old/keep.vmf.spadework.yaml"]);
    std::fs::copy(folder.path().join("maps/out/castle.vmf"), folder.path().join("maps/castle.vmf")).unwrap();
    let ran = run(folder.path(), &["convert", "maps", "other", "--to", "vxl"]);
    check_folder(&ran, 1, &["maps/castle.vxl: not converted: other/castle.vxl was already made from maps/castle.vmf"], &ran.out);
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    check_fails(folder.path(), &["convert", "empty", "none", "--to", "vxl"], &["empty", "no maps"]);
    assert!(!folder.path().join("none").exists());
}
