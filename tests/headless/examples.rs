//! The scripts in `docs/examples`: they run as their first lines say, and make what they promise.

use std::path::{Path, PathBuf};

use spadework::document::{Progress, Team};
use spadework::edit::{Command, History, ops, plan};

use crate::cli::{read, succeed};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples").join(name)
}

/// Makes the map that the script names and runs it, by the calls that stand in its comment.
#[track_caller]
fn run_example(folder: &Path, name: &str) -> PathBuf {
    let script = std::fs::read_to_string(example(name)).unwrap();
    std::fs::copy(example(name), folder.join(name)).unwrap();
    let line = script.lines().find_map(|line| line.strip_prefix("# spadework ")).expect("a script tells how it is called");
    let calls: Vec<Vec<&str>> = line.split("; spadework ").map(|call| call.split_whitespace().collect()).collect();
    for call in &calls {
        let ran = succeed(folder, call);
        assert!(!ran.err.contains("error"), "{call:?}: {}", ran.err);
    }
    folder.join(calls.last().and_then(|call| call.last()).unwrap())
}

#[test]
fn the_fort_has_four_towers_and_a_way_in() {
    let folder = tempfile::tempdir().unwrap();
    let fort = read(&run_example(folder.path(), "fort.jsonl"));
    let store = fort.store();
    for [x, y] in [[221, 221], [290, 221], [221, 290], [290, 290]] {
        assert!(store.is_solid([x, y, 52].into()) && !store.is_solid([x, y, 43].into()), "a room in the tower at {x},{y}");
    }
    let open = |y: i32| (47..53).all(|z| !store.is_solid([256, y, z].into()));
    assert!((198..236).all(open), "the northern gate is open from the bridge to the yard");
}

#[test]
fn the_valley_is_the_same_for_both_teams() {
    let folder = tempfile::tempdir().unwrap();
    let path = run_example(folder.path(), "valley.jsonl");
    let mut valley = read(&path);
    let kind: Command =
        serde_json::from_str(r##"{"set_symmetry":{"kind":"turn180","swap_teams":true,"swap_colors":[["#1f4fd8","#2f9e3a"]]}}"##).unwrap();
    let change = plan(&valley, &kind, &Progress::new()).unwrap();
    History::new().commit(&mut valley, change);
    assert_eq!(ops::mismatches(&valley, &Progress::new()).unwrap().count(), 0);
    let txt = std::fs::read_to_string(path.with_extension("txt")).unwrap();
    assert!(txt.contains("Two Valleys"));
    assert_eq!(Team::ALL.len(), 2);
    for name in ["blue", "green"] {
        assert!(txt.contains(name), "{name} spawns somewhere of its own:\n{txt}");
    }
}

#[test]
fn the_autumn_script_recolors_and_builds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    succeed(folder.path(), &["new", "burbs.vxl"]);
    let autumn = read(&run_example(folder.path(), "autumn.jsonl"));
    let before = read(&folder.path().join("burbs.vxl"));
    assert_eq!(autumn.store().solid_count(), before.store().solid_count());
    assert!(!autumn.store().same_voxels(before.store()));
}
