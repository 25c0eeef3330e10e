//! What lies beside a map, and what of a file only its own format holds: kept, or told as a loss.

use std::path::Path;

use serde_json::Value;

use crate::cli::{castle, check_fails, folder, json as answer, png_of, run, succeed};

fn codes(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|entry| entry["code"].as_str().unwrap()).collect()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

const SCRIPT: &str = "extensions = {'water_damage': 5}\ndef on_block_destroy(player, x, y, z, mode):\n    return False\n";

#[test]
fn a_sidecar_that_does_not_go_along_is_a_loss() {
    let folder = folder();
    write(folder.path(), "castle.txt", SCRIPT);
    assert_eq!(codes(&answer(&succeed(folder.path(), &["convert", "castle.vxl", "a.vmf", "--json"]))["losses"]), ["sidecar-left-behind"]);
    check_fails(folder.path(), &["convert", "castle.vxl", "b.vmf", "--deny-loss"], &["b.vmf: not written", "name.txt"]);
    succeed(folder.path(), &["convert", "castle.vxl", "c.vxl", "--deny-loss"]);
    assert_eq!(read(folder.path(), "c.txt"), SCRIPT);
}

#[test]
fn a_script_that_spadework_wrote_goes_into_the_project_file_and_nothing_is_lost() {
    let folder = folder();
    write(
        folder.path(),
        "a.jsonl",
        "{\"spawn\":{\"team\":\"blue\",\"region\":[[1,2],[30,40]]}}\n{\"set_property\":{\"description\":\"d\"}}\n",
    );
    succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "a.vxl"]);
    assert!(read(folder.path(), "a.txt").contains("def "));
    succeed(folder.path(), &["convert", "a.vxl", "a.vmf", "--deny-loss"]);
    let info = answer(&succeed(folder.path(), &["info", "a.vmf", "--json"]));
    // What the header says and what the project file says is one thing, and nothing is guessed beside it.
    assert_eq!(codes(&info["warnings"]), Vec::<&str>::new(), "{info}");
    succeed(folder.path(), &["convert", "a.vmf", "b.vxl", "--deny-loss"]);
    assert_eq!(read(folder.path(), "b.txt"), read(folder.path(), "a.txt"));
    let own = read(folder.path(), "a.txt") + "# mine\n";
    write(folder.path(), "a.txt", &own);
    check_fails(folder.path(), &["convert", "a.vxl", "c.vmf", "--deny-loss"], &["name.txt"]);
}

#[test]
fn the_only_file_that_can_be_read_beside_a_map_is_none_to_remove() {
    let folder = folder();
    write(folder.path(), "castle.json", r#"{"author": "ann", "team1_start": [1, 1], "team1_end": [5, 5]}"#);
    write(folder.path(), "castle.toml", "broken = ");
    write(folder.path(), "a.jsonl", "{\"set_property\":{\"author\":\"bob\"}}\n");
    let told = succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"]).err;
    assert!(told.contains("castle.toml could not be read and stays as it is; what was edited is not in it"), "{told}");
    assert!(!told.contains("remove"), "{told}");
    assert!(read(folder.path(), "castle.json").contains("ann"));
    // Elsewhere it comes along, and is as little to read there.
    let told = succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "new.vxl"]).err;
    assert!(told.contains("new.toml could not be read and comes along as it is") && !told.contains("remove"), "{told}");
    // Once it is out of the way, another one counts more.
    std::fs::remove_file(folder.path().join("castle.toml")).unwrap();
    write(folder.path(), "a.jsonl", "{\"set_property\":{\"author\":\"cid\"}}\n");
    let told = succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"]).err;
    assert!(told.contains("remove the .json"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_file_beside_the_map_that_is_a_link_to_nowhere_is_told_with_where_it_leads() {
    let folder = folder();
    write(folder.path(), "castle.json", r#"{"author": "ann"}"#);
    std::os::unix::fs::symlink("nowhere/x.toml", folder.path().join("castle.toml")).unwrap();
    write(folder.path(), "a.jsonl", "{\"set_property\":{\"author\":\"bob\"}}\n");
    let told = ["castle.toml: cannot write the file, it is a link to ", "nowhere/x.toml, whose folder is not there; attach its disk"];
    check_fails(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"], &told);
}

#[test]
fn no_spawns_are_made_up_on_the_way_through_a_vmf() {
    let folder = folder();
    succeed(folder.path(), &["convert", "castle.vxl", "a.vmf"]);
    std::fs::remove_file(folder.path().join("a.vmf.spadework.yaml")).ok();
    succeed(folder.path(), &["convert", "a.vmf", "b.vxl"]);
    assert_eq!(answer(&succeed(folder.path(), &["info", "b.vxl", "--json"]))["objects"], serde_json::json!([]));
    assert!(!folder.path().join("b.txt").exists());
}

#[test]
fn what_does_not_fit_names_the_way_out() {
    let folder = folder();
    write(folder.path(), "crop.jsonl", r#"{"resize":{"box":[[0,0,0],[32,8,64]]}}"#);
    check_fails(folder.path(), &["apply", "castle.vxl", "crop.jsonl", "-o", "a.vxl"], &["a VXL map is square", "--set size=32x8 does"]);
    succeed(folder.path(), &["apply", "castle.vxl", "crop.jsonl", "-o", "a.vxl", "--set", "size=32x8"]);
}

#[test]
fn a_station_made_of_a_model_is_not_measured_by_another_game() {
    let folder = folder();
    let import = |to: &str| answer(&succeed(folder.path(), &["import", "tree.vox", "-o", to, "--json"]));
    assert!(codes(&import("a.vxl")["warnings"]).contains(&"spawn-water"));
    assert!(!codes(&import("a.yml")["warnings"]).contains(&"spawn-water"));
}

#[test]
fn what_a_station_loses_is_denied() {
    let folder = folder();
    succeed(folder.path(), &["convert", "castle.vxl", "a.yml"]);
    check_fails(folder.path(), &["convert", "a.yml", "a.vmf", "--deny-loss"], &["kinds of tiles lose their name"]);
    write(folder.path(), "mark.jsonl", r#"{"add_object":{"marker":{"label":"Here","at":{"x":3,"y":3}}}}"#);
    succeed(folder.path(), &["apply", "castle.vxl", "mark.jsonl", "-o", "c.vxl"]);
    check_fails(folder.path(), &["export", "c.vxl", "c.png", "--deny-loss"], &["c.png: not written", "1 object has no place in a picture"]);
}

#[test]
fn a_sidecar_that_nobody_can_read_comes_along() {
    for (name, text) in [("castle.toml", "broken = "), ("castle.json", "{"), ("castle.vxl.spadework.yaml", "a: [")] {
        let folder = folder();
        write(folder.path(), name, text);
        succeed(folder.path(), &["convert", "castle.vxl", "copy.vxl"]);
        assert_eq!(read(folder.path(), &name.replace("castle", "copy")), text);
    }
}

#[test]
fn bytes_after_the_last_column_are_lost_in_another_format() {
    let folder = folder();
    std::fs::write(folder.path().join("tail.vxl"), [&castle()[..], b"abc"].concat()).unwrap();
    let size = ["--size", "64x64"];
    let ran = run(folder.path(), &[&["convert", "tail.vxl", "a.vmf", "--json"][..], &size].concat());
    let losses = &answer(&ran)["losses"];
    assert_eq!((codes(losses), &losses[0]["count"]), (vec!["trailing-bytes"], &3.into()), "{ran:?}");
}

#[test]
fn what_a_script_refuses_is_not_said_to_be_done() {
    let folder = folder();
    // The height is that of both teams: no edit of it is safe.
    let script = "import random\ndef get_spawn_location(connection):\n    team = connection.team\n    if team.id == 0:\n        \
                  x = random.randrange(10, 20); y = random.randrange(10, 20)\n    elif team.id == 1:\n        \
                  x = random.randrange(40, 50); y = random.randrange(10, 20)\n    else:\n        x, y = 30, 30\n    \
                  return x, y, 40\n";
    write(folder.path(), "castle.txt", script);
    write(folder.path(), "spawn.jsonl", r#"{"spawn":{"team":"blue","region":[[10,20],[14,23]],"replace":true}}"#);
    let ran = succeed(folder.path(), &["apply", "castle.vxl", "spawn.jsonl", "-o", "new.vxl"]);
    assert!(ran.err.contains("The file stays as it is") && !ran.err.contains("it was set to"), "{ran:?}");
    assert_eq!(read(folder.path(), "new.txt"), script);
}

#[test]
fn the_edits_of_an_older_spadesx_file_go_into_a_new_one() {
    let folder = folder();
    write(folder.path(), "castle.json", r#"{"author": "ann", "team1_start": [1, 1], "team1_end": [5, 5]}"#);
    write(folder.path(), "name.jsonl", r#"{"set_property":{"author":"bob"}}"#);
    succeed(folder.path(), &["apply", "castle.vxl", "name.jsonl", "-o", "new.vxl"]);
    assert!(read(folder.path(), "new.json").contains("ann"));
    assert!(read(folder.path(), "new.toml").contains("bob"));
    // One that nobody can read counts no more.
    write(folder.path(), "castle.toml", "broken = ");
    assert!(succeed(folder.path(), &["info", "castle.vxl"]).out.contains("ann"));
}

#[test]
fn a_script_by_somebody_else_stays_where_a_map_is_replaced() {
    let folder = folder();
    std::fs::copy(folder.path().join("castle.vxl"), folder.path().join("old.vxl")).unwrap();
    write(folder.path(), "old.txt", SCRIPT);
    write(folder.path(), "name.jsonl", r#"{"set_property":{"name":"Keep"}}"#);
    let apply = ["apply", "castle.vxl", "name.jsonl", "-o", "old.vxl", "--overwrite"];
    check_fails(folder.path(), &[&apply[..], &["--deny-loss"]].concat(), &["old.vxl: not written", "old.txt"]);
    let told = succeed(folder.path(), &apply);
    assert!(told.err.contains("old.txt holds what somebody wrote by hand"), "{told:?}");
    assert!(told.err.contains("what belongs there is not in it: name = "), "{told:?}");
    assert_eq!(read(folder.path(), "old.txt"), SCRIPT);
}

#[test]
fn a_script_by_somebody_else_stays_also_where_the_map_brings_its_own() {
    for (theirs, stays) in [(SCRIPT, true), ("name = 'A'  # mine\n", true), ("name = 'A'\n", false)] {
        let folder = folder();
        let mine = "name = 'B'\nextensions = {'x': 1}\n";
        write(folder.path(), "castle.txt", mine);
        succeed(folder.path(), &["convert", "castle.vxl", "other.vxl"]);
        assert_eq!(read(folder.path(), "other.txt"), mine);
        write(folder.path(), "other.txt", theirs);
        let ran = run(folder.path(), &["convert", "castle.vxl", "other.vxl", "--overwrite", "--json"]);
        assert_eq!(codes(&answer(&ran)["losses"]), if stays { vec!["sidecar-foreign"] } else { vec![] });
        assert_eq!(read(folder.path(), "other.txt"), if stays { theirs } else { mine });
        let denied = run(folder.path(), &["convert", "castle.vxl", "other.vxl", "--overwrite", "--deny-loss"]);
        assert_eq!(denied.err.contains("by hand"), stays, "{denied:?}");
    }
}

#[test]
fn the_own_result_is_replaced_by_the_next_one() {
    let folder = folder();
    let script = |x| {
        format!(
            "# mine\nfrom random import randrange\ndef get_spawn_location(connection):\n    if connection.team is connection.protocol.blue_team:\n        \
                              return randrange({x}, {x}1), randrange(2, 9), 0\n"
        )
    };
    write(folder.path(), "castle.txt", &script(1));
    for x in [2, 3] {
        let edit = format!(r#"{{"spawn":{{"team":"blue","region":[[{x},2],[{x}1,9]],"replace":true}}}}"#);
        write(folder.path(), "edit.jsonl", &format!("{edit}\n{{\"set_property\":{{\"name\":\"Name {x}\"}}}}\n"));
        succeed(folder.path(), &["apply", "castle.vxl", "edit.jsonl", "-o", "new.vxl", "--overwrite", "--deny-loss"]);
        assert_eq!(read(folder.path(), "new.txt"), format!("{}name = 'Name {x}'\n", script(x)));
    }
}

#[test]
fn an_edit_that_a_script_does_not_take_leaves_the_others_to_it_and_shows_what_is_missing() {
    let folder = folder();
    write(folder.path(), "castle.txt", "name = 'A'\nauthor = 'me'\ndef get_spawn_location(connection):\n    return magic(connection)\n");
    let script = "{\"set_property\":{\"name\":\"New\"}}\n{\"spawn\":{\"team\":\"blue\",\"region\":[[1,1],[9,9]]}}\n";
    write(folder.path(), "edit.jsonl", script);
    let ran = run(folder.path(), &["apply", "castle.vxl", "edit.jsonl", "-o", "new.vxl"]);
    assert!(read(folder.path(), "new.txt").starts_with("name = 'New'\nauthor = 'me'\ndef"), "{ran:?}");
    assert!(ran.err.contains("for Blue: x, y = random.randrange(1, 9), random.randrange(1, 9)"), "{ran:?}");
}

#[test]
fn a_warning_names_the_file_that_it_is_about() {
    let folder = folder();
    write(folder.path(), "castle.txt", "Name = 'A'\n");
    let ran = succeed(folder.path(), &["convert", "castle.vxl", "new.vxl"]);
    assert!(ran.err.contains("castle.txt: line 1: the server ignores Name"), "{ran:?}");
    assert!(succeed(folder.path(), &["info", "castle.vxl"]).out.contains("castle.txt, line 1: the server ignores Name"));
}

#[test]
fn a_region_in_a_script_with_one_height_stands_on_the_ground() {
    let folder = folder();
    let script = "from random import randrange\n\ndef get_spawn_location(connection):\n    if connection.team is connection.protocol.blue_team:\n        \
                  z1 = 40\n        x = randrange(2, 9)\n        y = randrange(2, 9)\n        return (x, y, z1-1)\n    return None\n";
    write(folder.path(), "castle.txt", script);
    write(folder.path(), "move.jsonl", r#"{"spawn":{"team":"blue","region":[[1,1],[4,4]],"replace":true}}"#);
    let told = succeed(folder.path(), &["apply", "castle.vxl", "move.jsonl", "-o", "new.vxl"]);
    assert!(told.err.contains("the script puts blue players at one height"), "{told:?}");
    let written = read(folder.path(), "new.txt");
    let height: i32 = written.split("z1 = ").nth(1).and_then(|rest| rest.lines().next()).and_then(|text| text.trim().parse().ok()).unwrap();
    assert!(height > 20, "from the sky players fall to death: {written}");
    assert_eq!(written.replace(&format!("z1 = {height}"), "z1 = 40").replace("randrange(1, 4)", "randrange(2, 9)"), script);
}

#[test]
fn ground_without_a_color_on_top_is_told_and_repaired() {
    let folder = folder();
    // Water everywhere, and one column whose ground is colored below its top only.
    let water = [0, 63, 63, 0, 0xd0, 0x90, 0x40, 0x80];
    let odd = [2, 5, 4, 0, 1, 2, 3, 0x80, 0, 20, 19, 10];
    let bytes = [&water.repeat(5)[..], &odd, &water.repeat(10)].concat();
    std::fs::write(folder.path().join("odd.vxl"), &bytes).unwrap();
    write(folder.path(), "repair.jsonl", r#"{"repair_columns":{}}"#);
    let info = succeed(folder.path(), &["info", "odd.vxl"]);
    assert!(info.out.contains("begins without a color"), "{info:?}");
    succeed(folder.path(), &["convert", "odd.vxl", "same.vxl"]);
    assert_eq!(std::fs::read(folder.path().join("same.vxl")).unwrap(), bytes);
    succeed(folder.path(), &["apply", "odd.vxl", "repair.jsonl", "-o", "good.vxl"]);
    let info = succeed(folder.path(), &["info", "good.vxl"]);
    assert!(!info.out.contains("begins without a color"), "{info:?}");
}

#[test]
fn a_broken_map_is_refused_with_what_may_help() {
    let folder = folder();
    let bytes = castle();
    std::fs::write(folder.path().join("cut.vxl"), &bytes[..bytes.len() - 5]).unwrap();
    check_fails(folder.path(), &["info", "cut.vxl"], &["cut.vxl: truncated at byte", "--size WxH", "--lenient"]);
    succeed(folder.path(), &["info", "cut.vxl", "--lenient", "--size", "64x64"]);
    // A map of the engine itself, cut short: nothing mends that.
    let voxlap = [&0x0907_2000_u32.to_le_bytes()[..], &1024_u32.to_le_bytes(), &1024_u32.to_le_bytes(), &[0; 96], &[0; 50]].concat();
    std::fs::write(folder.path().join("voxlap.vxl"), voxlap).unwrap();
    check_fails(folder.path(), &["info", "voxlap.vxl"], &["voxlap.vxl: truncated", "the file is cut short"]);
    std::fs::write(folder.path().join("model.kv6"), b"no model").unwrap();
    let words = ["model.kv6: no model or picture that import reads", "or a damaged one: it begins with 6e 6f"];
    check_fails(folder.path(), &["import", "model.kv6", "-o", "a.vxl"], &words);
    check_fails(folder.path(), &["info", "model.kv6"], &["spadework import reads it"]);
}

#[test]
fn deep_yaml_beside_a_map_is_refused_at_once() {
    let folder = folder();
    let deep = format!("spadework: 1\nmetadata: {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
    write(folder.path(), "castle.spadework.yaml", &deep);
    let info = succeed(folder.path(), &["info", "castle.vxl"]);
    assert!(info.out.contains("less deeply nested"), "{info:?}");
}

#[test]
fn a_map_that_would_take_more_memory_than_allowed_is_not_made() {
    let folder = folder();
    std::fs::create_dir_all(folder.path().join("state")).unwrap();
    write(&folder.path().join("state"), "settings.yaml", "memory: {map_megabytes: 1}\n");
    let hint = "memory: {map_megabytes: …} in the settings allows more";
    check_fails(folder.path(), &["new", "island.vxl"], &["of memory, and 1 MB are allowed; ", hint]);
    assert!(!folder.path().join("island.vxl").exists());
    succeed(folder.path(), &["new", "small.vxl", "--size", "64x64x64"]);

    let rough: Vec<u8> = (0..512 * 512).map(|at| (at * 7 % 251) as u8).collect();
    std::fs::write(folder.path().join("hills.png"), png_of(png::ColorType::Grayscale, &rough)).unwrap();
    check_fails(folder.path(), &["import", "hills.png", "-o", "hills.vxl"], &["hills.png", "of memory, and 1 MB are allowed; ", hint]);
    assert!(!folder.path().join("hills.vxl").exists());
}

#[test]
fn a_file_beside_the_map_that_would_be_too_long_to_be_read_again_is_not_written() {
    let folder = folder();
    let script = format!(r#"{{"set_property":{{"name":"{}"}}}}"#, "x".repeat((1 << 20) + 9));
    std::fs::write(folder.path().join("name.jsonl"), script).unwrap();
    check_fails(
        folder.path(),
        &["apply", "castle.vxl", "name.jsonl", "-o", "castle.vxl", "--overwrite"],
        &["castle.txt: the file has", "at most 1,048,576 bytes"],
    );
    assert!(!folder.path().join("castle.txt").exists());
}
