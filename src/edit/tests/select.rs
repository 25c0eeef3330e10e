//! Selections and transforms on small maps, what is refused, and how long whole maps take.

use glam::IVec3;

use super::examples::{check_error, check_heights, flat, run};
use crate::document::{Document, Progress, Selection};
use crate::edit::{Command, EditError, History, plan};
use crate::geom::Region;
use crate::voxel::{Rgb, Store, Voxel};

/// What is selected at a height: `#` selected, `.` not.
#[track_caller]
fn check_selected(document: &Document, z: i32, expected: &str) {
    let size = document.bounds().size();
    let holds = |x, y| document.selection.as_ref().is_some_and(|all| all.contains(IVec3::new(x, y, z)));
    let row = |y| (0..size.x).map(|x| if holds(x, y) { '#' } else { '.' }).collect::<String>();
    assert_eq!((0..size.y).map(row).collect::<Vec<_>>().join("/"), expected);
}

fn fill(document: &mut Document, region: [[i32; 3]; 2], color: &str) {
    run(document, &format!(r#"{{"fill":{{"box":{},"color":"{color}"}}}}"#, serde_json::to_string(&region).unwrap()));
}

#[test]
fn selections_join_in_four_ways() {
    let check = |combine: &str, expected: &str| {
        let mut document = flat(6, 60);
        run(&mut document, r#"{"select":{"box":[[0,0,60],[3,3,61]]}}"#);
        run(&mut document, &format!(r#"{{"select":{{"box":[[2,1,60],[5,4,61]],"combine":"{combine}"}}}}"#));
        check_selected(&document, 60, expected);
    };
    check("replace", "....../..###./..###./..###./....../......");
    check("add", "###.../#####./#####./..###./....../......");
    check("subtract", "###.../##..../##..../....../....../......");
    check("intersect", "....../..#.../..#.../....../....../......");
}

#[test]
fn a_set_is_inverted_grown_and_shrunk() {
    let mut document = flat(6, 60);
    run(&mut document, r#"{"select":{"box":[[1,1,60],[5,5,61]]}}"#);
    run(&mut document, r#"{"select":{"box":[[1,1,60],[2,2,61]],"combine":"subtract"}}"#);
    run(&mut document, r#"{"grow_selection":{"by":1}}"#);
    check_selected(&document, 60, ".#####/######/######/######/######/######");
    check_selected(&document, 59, ".#####/######/######/######/######/######");
    // It is three voxels high.
    check_error(&document, r#"{"shrink_selection":{"by":2}}"#, "nothing would be left: the selection is nowhere thicker than 4 voxels");
    run(&mut document, r#"{"select":{"box":[[1,1,50],[3,5,60]]}}"#);
    check_error(&document, r#"{"shrink_selection":{"by":1}}"#, "nothing would be left: the selection is nowhere thicker than 2 voxels");
    run(&mut document, r#"{"select":{"box":[[1,1,50],[4,5,60]]}}"#);
    run(&mut document, r#"{"shrink_selection":{"by":1}}"#);
    check_selected(&document, 51, "....../....../..#.../..#.../....../......");
    run(&mut document, r#"{"select":{"box":[[0,0,60],[6,3,64]]}}"#);
    run(&mut document, r#"{"invert_selection":{"solid":true}}"#);
    assert_eq!(document.selection.as_ref().map(|all| (all.count(), all.bounds().min())), Some((72, IVec3::new(0, 3, 60))));
    run(&mut document, r#"{"invert_selection":{}}"#);
    assert_eq!(document.selection.as_ref().map(Selection::count), Some(6 * 6 * 64 - 72));
    run(&mut document, r#"{"invert_selection":{}}"#);
    assert_eq!(document.selection.as_ref().map(Selection::count), Some(72));
}

#[test]
fn only_what_is_selected_is_deleted_filled_recolored_and_copied() {
    let selected = || {
        let mut document = flat(8, 60);
        run(&mut document, r#"{"select":{"box":[[1,1,60],[4,4,61]]}}"#);
        run(&mut document, r#"{"select":{"box":[[2,2,60],[3,3,61]],"combine":"subtract"}}"#);
        document
    };
    let mut document = selected();
    run(&mut document, r#"{"delete_selection":{}}"#);
    check_heights(&document, 2, "32323333");
    let mut document = selected();
    run(&mut document, r#"{"move_selection":{"by":[3,0,-2]}}"#);
    check_heights(&document, 2, "32325353");
    check_selected(&document, 58, "......../....###./....#.#./....###./......../......../......../........");
    let mut document = selected();
    run(&mut document, r##"{"fill_selection":{"color":"#ff0000"}}"##);
    let red = |document: &Document, x| document.store().paint(IVec3::new(x, 2, 60)).unwrap().rgb == Rgb::new(255, 0, 0);
    assert_eq!([1, 2, 3, 4].map(|x| red(&document, x)), [true, false, true, false]);
    let mut document = selected();
    run(&mut document, r##"{"replace_color":{"from":"#148c1e","to":"#ff0000"}}"##);
    assert_eq!([1, 2, 3, 4].map(|x| red(&document, x)), [true, false, true, false]);
    let clip = crate::edit::Clip::cut_selected(&document, document.selection.as_ref().unwrap()).unwrap();
    assert_eq!((clip.size(), clip.store().solid_count()), (IVec3::new(3, 3, 1), 8));
}

#[test]
fn the_map_takes_its_selection_along() {
    let mut document = flat(8, 60);
    run(&mut document, r#"{"select":{"box":[[1,1,60],[3,3,61]]}}"#);
    run(&mut document, r#"{"select":{"box":[[1,1,60],[2,2,61]],"combine":"subtract"}}"#);
    run(&mut document, r#"{"shift":{"by":[5,1,0]}}"#);
    check_selected(&document, 60, "......../......../.......#/......##/......../......../......../........");
    run(&mut document, r#"{"resize":{"box":[[4,1,0],[8,5,64]]}}"#);
    check_selected(&document, 60, "..../...#/..##/....");
    run(&mut document, r#"{"crop":{}}"#);
    check_selected(&document, 60, ".#/##");
}

#[test]
fn structures_come_without_the_ground_that_they_stand_on() {
    let mut document = flat(8, 60);
    fill(&mut document, [[2, 2, 50], [3, 3, 60]], "#804000");
    fill(&mut document, [[1, 1, 48], [4, 4, 51]], "#00ff00");
    run(&mut document, r#"{"select_connected":{"at":[2,2,55],"by":"solid","lowest":59}}"#);
    assert_eq!(document.selection.as_ref().map(|all| (all.count(), all.bounds().max().z)), Some((27 + 9, 60)));
    run(&mut document, r#"{"select_connected":{"at":[1,1,49]}}"#);
    assert_eq!(document.selection.as_ref().map(Selection::count), Some(27));
    run(&mut document, r#"{"select_connected":{"at":[2,2,55],"combine":"add"}}"#);
    assert_eq!(document.selection.as_ref().map(Selection::count), Some(36));
}

/// A bar three voxels long on the ground, and what becomes of it.
#[track_caller]
fn check_transform(transform: &str, expected: &[&str]) {
    let mut document = flat(9, 62);
    fill(&mut document, [[3, 4, 61], [6, 5, 62]], "#804000");
    run(&mut document, r#"{"select":{"box":[[3,4,61],[6,5,62]]}}"#);
    let before = document.clone();
    let mut history = History::new();
    let command: Command = serde_json::from_str(&format!(r#"{{"transform_selection":{transform}}}"#)).unwrap();
    let again: Command = serde_json::from_str(&serde_json::to_string(&command).unwrap()).unwrap();
    assert_eq!(again, command);
    let change = plan(&document, &command, &Progress::new()).unwrap();
    history.commit(&mut document, change);
    for (y, row) in (0..).zip(expected) {
        check_heights(&document, y, row);
    }
    history.undo(&mut document);
    assert!(document.store().same_voxels(before.store()) && document.selection == before.selection, "{transform}");
}

#[test]
fn the_selection_is_turned_scaled_and_stacked() {
    let flat = "111111111";
    check_transform(r#"{"axes":["+y","-x","+z"]}"#, &[flat, flat, flat, "111121111", "111121111", "111121111", flat]);
    // Four turns, and it is where it was.
    check_transform(r#"{"angle":360}"#, &[flat, flat, flat, flat, "111222111", flat]);
    check_transform(r#"{"angle":90}"#, &[flat, flat, flat, "111121111", "111121111", "111121111", flat]);
    check_transform(r#"{"angle":-45}"#, &[flat, flat, flat, "111112111", "111121111", "111211111", flat]);
    check_transform(r#"{"angle":45}"#, &[flat, flat, flat, "111211111", "111121111", "111112111", flat]);
    check_transform(r#"{"scale":[2,1,3]}"#, &[flat, flat, flat, flat, "144444411", flat]);
    check_transform(r#"{"scale":[0.34,1,1]}"#, &[flat, flat, flat, flat, "111121111", flat]);
    check_transform(r#"{"axes":["+x","-z","+y"]}"#, &[flat, flat, flat, flat, "111222111", flat]);
    check_transform(r#"{"axes":["-z","+y","+x"]}"#, &[flat, flat, flat, flat, "111131111", flat]);
    check_transform(r#"{"by":[0,2,0],"copies":2}"#, &[flat, flat, flat, flat, "111222111", flat, "111222111", flat, "111222111"]);
}

#[test]
fn turning_on_and_on_does_not_wander() {
    let mut document = flat(16, 60);
    run(&mut document, r#"{"select":{"box":[[5,5,50],[8,7,54]]}}"#);
    let before = document.selection.clone();
    for axes in [r#"["+y","-x","+z"]"#, r#"["+x","+z","-y"]"#, r#"["-z","+y","+x"]"#] {
        for _ in 0..4 {
            run(&mut document, &format!(r#"{{"transform_selection":{{"axes":{axes}}}}}"#));
        }
        assert_eq!(document.selection, before, "{axes}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_says_why() {
    let mut document = flat(16, 60);
    let refuse = check_error;
    refuse(&document, r#"{"grow_selection":{"by":1}}"#, "nothing is selected");
    refuse(&document, r#"{"transform_selection":{"angle":30}}"#, "nothing is selected");
    refuse(&document, r#"{"fill_selection":{}}"#, "nothing is selected");
    refuse(&document, r#"{"select":{"box":[[40,40,0],[50,50,9]],"combine":"add"}}"#, "nothing there: the place lies outside the map");
    refuse(&document, r#"{"select_connected":{"at":[99,0,0]}}"#, "nothing there: the place lies outside the map");
    refuse(&document, r#"{"select_connected":{"at":[2147483647,-2147483648,0]}}"#, "nothing there: the place lies outside the map");
    refuse(&document, r#"{"select_connected":{"at":[1,1,60],"limit":9}}"#, "connected voxels must be 0 to 9, not 10");
    refuse(&document, r#"{"select_lasso":{"outline":[]}}"#, "corners of the outline must be 1 to 65536, not 0");
    let far = r#"{"select_lasso":{"outline":[[2147483647,0],[0,-2147483648]]}}"#;
    refuse(&document, far, "corner of the outline must be -1048576 to 1048576, not 2147483647");
    let long = ["[-1000000,0],[1000000,0]"; 9].join(",");
    refuse(&document, &format!(r#"{{"select_lasso":{{"outline":[{long}]}}}}"#), "length of the outline must be 0 to 4194304, not 36000000");
    refuse(&document, r#"{"select_lasso":{"outline":[[50,50],[60,50],[60,60]]}}"#, "nothing there: the place lies outside the map");
    refuse(&document, r#"{"select_where":{"masks":{"slope":[0,91]}}}"#, "largest slope of the mask must be 0 to 90, not 91");
    run(&mut document, r#"{"select":{"box":[[0,0,0],[16,16,64]]}}"#);
    refuse(&document, r#"{"grow_selection":{"by":0}}"#, "distance must be 1 to 256, not 0");
    refuse(&document, r#"{"shrink_selection":{"by":4000000000}}"#, "distance must be 1 to 256, not 4000000000");
    refuse(&document, r#"{"transform_selection":{"scale":[0,1,1]}}"#, "a factor must be 0.01 to 64, not 0");
    refuse(&document, r#"{"transform_selection":{"scale":[1,-2,1]}}"#, "a factor must be 0.01 to 64, not -2");
    refuse(&document, r#"{"transform_selection":{"scale":[64,64,64]}}"#, "volume of the result must be 1 to 33554432, not 4294967296");
    refuse(&document, r#"{"transform_selection":{"axes":["+x","-x","+z"]}}"#, "the three axes must go along one axis each");
    refuse(&document, r#"{"transform_selection":{"by":[1,0,0],"copies":1000000000}}"#, "copies must be 0 to 4096, not 1000000000");
    refuse(&document, r#"{"transform_selection":{"copies":2}}"#, "a distance between the copies is missing");
    refuse(&document, r#"{"transform_selection":{"by":[2147483647,0,0]}}"#, "distance must be -1048576 to 1048576, not 2147483647");
    refuse(&document, r#"{"transform_selection":{"by":[1048576,0,0],"copies":4096}}"#, "nothing there: the place lies outside the map");
    for text in [
        r#"{"transform_selection":{"angle":1e9}}"#,
        r#"{"transform_selection":{"copies":-1}}"#,
        r#"{"select":{"box":null,"combine":"xor"}}"#,
    ] {
        assert!(serde_json::from_str::<Command>(text).is_err(), "{text}");
    }
}

#[test]
fn what_older_journals_say_means_what_it_meant() {
    let command: Command = serde_json::from_str(r#"{"select":{"box":[[0,0,0],[4,4,64]]}}"#).unwrap();
    assert_eq!(serde_json::to_string(&command).unwrap(), r#"{"select":{"box":[[0,0,0],[4,4,64]]}}"#);
    let nothing: Command = serde_json::from_str(r#"{"select":{"box":null}}"#).unwrap();
    assert_eq!(serde_json::to_string(&nothing).unwrap(), r#"{"select":{"box":null}}"#);
}

#[test]
fn planning_ends_when_it_is_cancelled() {
    let mut document = flat(64, 40);
    run(&mut document, r#"{"select":{"box":[[1,1,1],[60,60,60]]}}"#);
    run(&mut document, r#"{"select":{"box":[[5,5,5],[50,50,50]],"combine":"subtract"}}"#);
    let progress = Progress::new();
    progress.cancel();
    for text in [
        r#"{"select_where":{"masks":{}}}"#,
        r#"{"select_connected":{"at":[1,1,40],"by":"solid"}}"#,
        r#"{"select_lasso":{"outline":[[1,1],[60,1],[60,60]]}}"#,
        r#"{"invert_selection":{"solid":true}}"#,
        r#"{"grow_selection":{"by":9}}"#,
        r#"{"shrink_selection":{"by":2}}"#,
        r#"{"fill_selection":{}}"#,
        r#"{"transform_selection":{"angle":30}}"#,
    ] {
        let command: Command = serde_json::from_str(text).unwrap();
        assert!(matches!(plan(&document, &command, &progress), Err(EditError::Cancelled(_))), "{text}");
    }
}

#[test]
fn whole_maps_are_selected_and_transformed_in_seconds_and_in_bits() {
    let mut store = Store::new(Region::of_size(IVec3::new(512, 512, 64)));
    let ground = std::sync::Arc::new(crate::voxel::Chunk::uniform(Voxel::new(Rgb::new(20, 140, 30))));
    for pos in crate::voxel::ChunkPos::covering(&store.bounds()) {
        store.put_chunk(pos, (pos.0.z == 1).then(|| ground.clone()));
    }
    let mut document = Document::new(store, &crate::document::GameProfile::ACE_OF_SPADES);
    for text in [
        r##"{"select_where":{"masks":{"colors":["#148c1e"]}}}"##,
        r#"{"select_connected":{"at":[0,0,32],"by":"solid"}}"#,
        r#"{"select_connected":{"at":[0,0,32]}}"#,
        r#"{"select":{"box":[[0,0,0],[512,512,64]]}}"#,
        r#"{"select":{"box":[[9,9,9],[10,10,10]],"combine":"subtract"}}"#,
        r#"{"grow_selection":{"by":3}}"#,
        r#"{"select":{"box":[[0,0,0],[512,512,63]]}}"#,
        r#"{"select":{"box":[[9,9,9],[10,10,10]],"combine":"subtract"}}"#,
        r#"{"shrink_selection":{"by":31}}"#,
        r#"{"invert_selection":{}}"#,
        r#"{"transform_selection":{"angle":30}}"#,
        r#"{"move_selection":{"by":[1,1,0]}}"#,
    ] {
        let begin = std::time::Instant::now();
        run(&mut document, text);
        let took = begin.elapsed();
        let bytes = document.selection.as_ref().map_or(0, Selection::size_bytes);
        println!("{text} took {} ms and keeps {} KiB", took.as_millis(), bytes >> 10);
        // Far above what they take, also on a busy machine.
        assert!(took.as_secs() < 60, "{text} took {took:?}");
        assert!(bytes <= (2 << 20) + (64 << 10), "{text}: {bytes} bytes");
    }
}
