//! What somebody wrote by hand into the files beside a map.

use glam::IVec3;
use spadework::edit::{Command, ops};
use spadework::editor::{Action, SaveOrder};

use crate::cli::{apply_meanwhile, check_fails, folder, succeed};
use crate::editor::{act, editor, paint, run as edit_map};
use crate::project_files::{SHARED, is_asked, marker, read, told, write};

#[test]
fn entries_that_spadework_does_not_know_are_somebodys_work() {
    let shared = SHARED;
    let by_hand = [
        ("odd: hand", format!("{shared}odd: hand\n")),
        ("flying:", format!("{shared}- flying: {{label: gate}}\n")),
        ("credits: by hand", format!("{shared}metadata: {{credits: by hand}}\n")),
        ("layers:", shared.replace("spadework: 1", "spadework: 2\nlayers: [one]")),
        ("colour: red", shared.replace("label: gate", "label: gate, colour: red")),
    ];
    for (odd, theirs) in by_hand {
        assert!(theirs.contains(odd), "{theirs}");
        let folder = folder();
        std::fs::copy(folder.path().join("castle.vxl"), folder.path().join("other.vxl")).unwrap();
        let own = "other.vxl.spadework.yaml";
        write(folder.path(), own, &theirs);
        write(folder.path(), "edits.jsonl", "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n");
        let args = ["apply", "castle.vxl", "edits.jsonl", "-o", "other.vxl", "--overwrite", "--deny-loss"];
        check_fails(folder.path(), &args, &["not written", own]);
        let ran = succeed(folder.path(), &args[..6]);
        assert!(ran.err.contains(&format!("{own} holds what somebody wrote by hand and stays as it is")), "{ran:?}");
        assert_eq!(read(folder.path(), own), theirs);
        // The map's own takes edits, and keeps them.
        let ran = succeed(folder.path(), &["apply", "other.vxl", "edits.jsonl", "-o", "other.vxl", "--overwrite", "--deny-loss"]);
        let now = read(folder.path(), own);
        assert!(now.contains("tower") && now.contains("gate") && now.contains(odd), "{ran:?}: {now}");
    }
}

#[test]
fn what_somebody_wrote_by_hand_and_was_agreed_to_stay_is_not_asked_about_by_every_save() {
    let folder = folder();
    let theirs = "spadework: 1\nodd: hand\n";
    std::fs::copy(folder.path().join("castle.vxl"), folder.path().join("other.vxl")).unwrap();
    write(folder.path(), "other.vxl.spadework.yaml", theirs);
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    edit_map(&mut editor, marker("tower"));
    let id = editor.active().unwrap().id();
    let order = SaveOrder::new(id).with_path(folder.path().join("other.vxl"));
    act(&mut editor, Action::SaveAs(order.clone()));
    assert!(is_asked(&mut editor), "what is lost");
    act(&mut editor, Action::SaveAs(order.with_loss_agreed().with_overwrite_agreed()));
    for place in 1..4 {
        edit_map(&mut editor, paint(IVec3::new(place, 9, 9)));
        act(&mut editor, Action::Save);
        assert!(!is_asked(&mut editor) && !editor.active().unwrap().is_modified(), "{}", told(&editor));
    }
    // Another loss is another question.
    edit_map(&mut editor, marker("bridge"));
    act(&mut editor, Action::Save);
    assert!(is_asked(&mut editor), "{}", told(&editor));
    assert_eq!(read(folder.path(), "other.vxl.spadework.yaml"), theirs);
}

#[cfg(unix)]
#[test]
fn what_somebody_wrote_by_hand_for_the_map_takes_edits_through_a_link_too() {
    let folder = folder();
    let [own, linked] = ["castle.vxl.spadework.yaml", "other.vxl.spadework.yaml"];
    write(folder.path(), own, "spadework: 1\nobjects:\n# ours\n- marker: {label: bridge, at: {x: 3, y: 4}}\n");
    std::os::unix::fs::symlink("castle.vxl", folder.path().join("other.vxl")).unwrap();
    std::os::unix::fs::symlink(own, folder.path().join(linked)).unwrap();
    let tower = "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n";
    let ran = apply_meanwhile(folder.path(), ["castle.vxl", "other.vxl"], tower, false, || {});
    assert!(ran.code == Some(0) && !ran.err.contains("by hand"), "{ran:?}");
    let now = read(folder.path(), own);
    // As in the map's own place.
    assert!(
        ran.err.contains("comments in the project file") && ["bridge", "tower"].iter().all(|part| now.contains(part)),
        "{ran:?}: {now}"
    );
}

#[test]
fn a_damaged_file_that_another_one_stands_in_for_does_not_ask_under_every_name() {
    let folder = folder();
    write(folder.path(), "castle.toml", "a = [b");
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    let region = serde_json::from_str("{\"spawn_region\":{\"team\":\"blue\",\"area\":[[11,12],[13,14]]}}").unwrap();
    edit_map(&mut editor, Command::AddObject(ops::AddObject(region)));
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path(folder.path().join("other.vxl"))));
    assert!(!is_asked(&mut editor), "{}", told(&editor));
    assert!(
        told(&editor).contains("other.toml could not be read and comes along as it is; what was edited is not in it"),
        "{}",
        told(&editor)
    );
    assert!(editor.messages().last().unwrap().is_warning, "it is the only word of it, and stays");
    assert!(read(folder.path(), "other.txt").contains("(11, 12, 13, 14"), "{}", read(folder.path(), "other.txt"));
    assert_eq!([read(folder.path(), "castle.toml"), read(folder.path(), "other.toml")], ["a = [b"; 2]);
}

#[test]
fn what_was_said_of_a_removed_object_is_said_of_no_new_one() {
    let add = "{\"add_object\":{\"marker\":{\"label\":\"new\",\"at\":{\"x\":9,\"y\":9}}}}\n";
    let region = "{\"spawn\":{\"team\":\"blue\",\"region\":[[1,1],[2,2]],\"replace\":true}}\n";
    for (file, script) in [
        (SHARED.replace("label: gate", "label: gate, story: long"), format!("{{\"remove_object\":{{\"id\":1}}}}\n{add}")),
        (SHARED.replace("label: gate", "label: gate, story: long"), format!("{{\"remove_object\":{{\"id\":1}}}}\n{add}{add}")),
        ("spadework: 1\nobjects:\n- spawn_region: {team: blue, area: [[5, 5], [7, 7]], z: 0, story: long}\n".into(), region.into()),
    ] {
        let folder = folder();
        succeed(folder.path(), &["convert", "castle.vxl", "castle.vmf"]);
        write(folder.path(), "castle.vmf.spadework.yaml", &file);
        write(folder.path(), "edits.jsonl", &script);
        succeed(folder.path(), &["apply", "castle.vmf", "edits.jsonl", "-o", "castle.vmf", "--overwrite"]);
        let now = read(folder.path(), "castle.vmf.spadework.yaml");
        assert!(!now.contains("story") && (now.contains("new") || now.contains("spawn_region")), "{now}");
    }
}
