//! Project files: each kind of map has its own, and the one that maps of one name shared once is read where there is no other.

use std::path::Path;

use glam::IVec3;
use spadework::document::Progress;
use spadework::edit::{Command, ops};
use spadework::editor::files::{OpenOptions, Overwrite, SaveOptions, SavePlace, open_map, save_map};
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, SaveOrder};

use crate::cli::{apply_meanwhile, check_fails, folder, json as answer, run, run_with, succeed};
use crate::editor::{act, editor, paint, run as edit_map};

pub fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

pub fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

#[test]
fn what_only_the_project_file_of_another_kind_holds_is_a_loss() {
    let folder = folder();
    let known = "spadework: 1\nmap: vxl\nmetadata:\n  game_mode: tc\nobjects:\n- marker: {label: gate, at: {x: 3, y: 4}}\n";
    write(folder.path(), "castle.vxl.spadework.yaml", known);
    succeed(folder.path(), &["convert", "castle.vxl", "a.vmf", "--deny-loss"]);
    assert!(succeed(folder.path(), &["info", "a.vmf"]).out.contains("gate"));
    for more in ["notes: mine\n", "# mine\n", "- fort: {x: 1}\n", "spade: 2\n", "- marker: {label: none, area: {x: [1, 1], y: [1, 1]}}\n"] {
        for name in ["castle.vxl.spadework.yaml", "castle.spadework.yaml"] {
            std::fs::remove_file(folder.path().join("castle.vxl.spadework.yaml")).ok();
            write(folder.path(), name, &format!("{known}{more}"));
            check_fails(
                folder.path(),
                &["convert", "castle.vxl", "b.vmf", "--deny-loss"],
                &["b.vmf: not written", name.trim_start_matches("castle")],
            );
            std::fs::remove_file(folder.path().join("castle.spadework.yaml")).ok();
        }
    }
    // Unreadable, of a newer Spadework, and with an entry of the metadata that is not known.
    for other in ["spadework: [\n", "spadework: 2\n", "spadework: 1\nmetadata: {weather: rain}\n", "spadework: 1\nobjects: many\n"] {
        write(folder.path(), "castle.vxl.spadework.yaml", other);
        check_fails(folder.path(), &["convert", "castle.vxl", "b.vmf", "--deny-loss"], &["b.vmf: not written", ".vxl.spadework.yaml"]);
        // To a map of the same kind it comes along as it is.
        succeed(folder.path(), &["convert", "castle.vxl", "c.vxl", "--deny-loss"]);
        assert_eq!(read(folder.path(), "c.vxl.spadework.yaml"), other);
        ["c.vxl", "c.vxl.spadework.yaml"].iter().for_each(|name| std::fs::remove_file(folder.path().join(name)).unwrap());
    }
}

#[test]
fn a_vmf_and_a_vxl_of_one_name_have_a_project_file_each() {
    let folder = folder();
    let edit = |map: &str, script: &str| {
        write(folder.path(), "a.jsonl", script);
        succeed(folder.path(), &["apply", map, "a.jsonl", "-o", map, "--overwrite"])
    };
    let objects = |map: &str| answer(&succeed(folder.path(), &["info", map, "--json"]))["objects"].to_string();
    succeed(folder.path(), &["convert", "castle.vxl", "castle.vmf"]);
    edit(
        "castle.vxl",
        "{\"add_object\":{\"marker\":{\"label\":\"bridge\",\"at\":{\"x\":10,\"y\":20}}}}\n{\"set_property\":{\"game_mode\":\"tc\"}}\n",
    );
    let of_vxl = read(folder.path(), "castle.vxl.spadework.yaml");
    assert!(of_vxl.contains("bridge") && !objects("castle.vmf").contains("bridge"), "{of_vxl}");
    edit(
        "castle.vmf",
        "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n{\"set_property\":{\"description\":\"x\"}}\n",
    );
    assert_eq!(read(folder.path(), "castle.vxl.spadework.yaml"), of_vxl);
    assert!(objects("castle.vxl").contains("bridge") && !objects("castle.vxl").contains("tower"));
    assert!(objects("castle.vmf").contains("tower") && !objects("castle.vmf").contains("bridge"));
    // What others do to that of the one is nothing that the other has to look at.
    assert!(!succeed(folder.path(), &["info", "castle.vmf"]).out.contains("castle.vxl.spadework.yaml"));
}

#[test]
fn a_project_file_that_maps_of_one_name_shared_is_read_where_there_is_no_other_and_never_written() {
    let folder = folder();
    let edit = |map: &str, script: &str| {
        write(folder.path(), "a.jsonl", script);
        succeed(folder.path(), &["apply", map, "a.jsonl", "-o", map, "--overwrite"])
    };
    let info = |map: &str| succeed(folder.path(), &["info", map]).out;
    succeed(folder.path(), &["convert", "castle.vxl", "castle.vmf"]);
    std::fs::remove_file(folder.path().join("castle.vmf.spadework.yaml")).ok();
    let shared = "spadework: 1\nnotes: mine\nmetadata:\n  game_mode: tc\n  description: old\nobjects:\n- marker:\n    label: gate\n    at: {x: 3, y: 4}\n";
    write(folder.path(), "castle.spadework.yaml", shared);
    for map in ["castle.vmf", "castle.vxl"] {
        assert!(info(map).contains("gate") && info(map).contains("castle.spadework.yaml"), "{}", info(map));
    }
    // A copy takes it over, whatever lay there of another map.
    write(folder.path(), "copy.vmf.spadework.yaml", "spadework: 1\nobjects:\n- marker: {label: stale, at: {x: 3, y: 4}}\n");
    succeed(folder.path(), &["convert", "castle.vmf", "copy.vmf", "--overwrite"]);
    assert!(info("copy.vmf").contains("gate") && !info("copy.vmf").contains("stale"), "{}", info("copy.vmf"));
    succeed(folder.path(), &["convert", "castle.vmf", "third.vxl"]);
    assert!(info("third.vxl").contains("gate") && !folder.path().join("third.spadework.yaml").exists());
    succeed(folder.path(), &["convert", "castle.vxl", "fourth.vxl"]);
    assert!(info("fourth.vxl").contains("gate") && !folder.path().join("fourth.spadework.yaml").exists());
    // As long as nothing of it is edited, it is enough.
    edit("castle.vmf", "{\"set\":{\"at\":[9,9,9],\"color\":\"#ff8000\"}}\n");
    assert!(!folder.path().join("castle.vmf.spadework.yaml").exists() && info("castle.vmf").contains("gate"));
    edit("castle.vmf", "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n");
    let of_vmf = read(folder.path(), "castle.vmf.spadework.yaml");
    assert!(of_vmf.contains("gate") && of_vmf.contains("tower") && of_vmf.contains("notes: mine"), "{of_vmf}");
    assert!(!info("castle.vmf").contains("castle.spadework.yaml") && info("castle.vxl").contains("castle.spadework.yaml"));
    edit("castle.vxl", "{\"remove_object\":{\"id\":1}}\n");
    assert!(!info("castle.vxl").contains("gate") && info("castle.vxl").contains("tc"), "{}", info("castle.vxl"));
    assert_eq!((read(folder.path(), "castle.vmf.spadework.yaml"), &*read(folder.path(), "castle.spadework.yaml")), (of_vmf, shared));
    // A map that is made beside one that others shared does not read it.
    succeed(folder.path(), &["new", "new.vxl", "--size", "64x64", "--terrain", "flat"]);
    for (name, made) in [("b", "b.vmf"), ("c", "c.vxl")] {
        write(folder.path(), &format!("{name}.spadework.yaml"), shared);
        succeed(folder.path(), &["convert", "new.vxl", made]);
        assert!(!info(made).contains("gate"), "{}", info(made));
        assert_eq!(read(folder.path(), &format!("{name}.spadework.yaml")), shared);
    }
    // One that says that it is a station's is none of a voxel map's: it needs no other beside it that says so.
    write(folder.path(), "d.spadework.yaml", &format!("map: station\n{shared}"));
    succeed(folder.path(), &["convert", "new.vxl", "d.vxl"]);
    assert!(!folder.path().join("d.vxl.spadework.yaml").exists() && !info("d.vxl").contains("d.spadework.yaml"), "{}", info("d.vxl"));
}

#[test]
fn a_shared_project_file_that_cannot_be_read_stays_in_force_until_it_is_mended() {
    let folder = folder();
    write(folder.path(), "castle.spadework.yaml", "objects: [");
    write(folder.path(), "a.jsonl", "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n");
    let err = succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"]).err;
    assert!(err.contains("castle.spadework.yaml could not be read and stays as it is; what was edited is not in it"), "{err}");
    assert!(!folder.path().join("castle.vxl.spadework.yaml").exists() && read(folder.path(), "castle.spadework.yaml") == "objects: [");
    succeed(folder.path(), &["convert", "castle.vxl", "copy.vxl"]);
    assert_eq!(read(folder.path(), "copy.vxl.spadework.yaml"), "objects: [");
    // Moved away, as the message says.
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    edit_map(&mut editor, marker("tower"));
    act(&mut editor, Action::Save);
    assert!(is_asked(&mut editor) && !folder.path().join("castle.vxl.spadework.yaml").exists(), "{}", told(&editor));
    std::fs::rename(folder.path().join("castle.spadework.yaml"), folder.path().join("away")).unwrap();
    act(&mut editor, Action::Save);
    let of_map = read(folder.path(), "castle.vxl.spadework.yaml");
    assert!(of_map.contains("tower") && !of_map.contains("objects: ["), "{of_map}");
}

#[test]
fn a_session_saves_to_the_own_project_file_once_something_of_the_shared_one_is_edited_and_from_then_on() {
    let folder = folder();
    let own = folder.path().join("castle.vxl.spadework.yaml");
    // As Spadework writes it: with the edit taken back, the own file says the same, byte for byte.
    write(folder.path(), "a.jsonl", "{\"add_object\":{\"marker\":{\"label\":\"gate\",\"at\":{\"x\":3,\"y\":4}}}}\n");
    succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"]);
    let shared = std::fs::read_to_string(&own).unwrap().replace("map: vxl\n", "");
    std::fs::rename(&own, folder.path().join("castle.spadework.yaml")).unwrap();
    write(folder.path(), "castle.spadework.yaml", &shared);
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    for column in [1, 2] {
        edit_map(&mut editor, paint(IVec3::new(column, 9, 9)));
        act(&mut editor, Action::Save);
        assert!(!own.exists(), "nothing of it was edited");
    }
    edit_map(&mut editor, marker("tower"));
    act(&mut editor, Action::Save);
    assert!(read(folder.path(), "castle.vxl.spadework.yaml").contains("tower"));
    act(&mut editor, Action::Undo);
    act(&mut editor, Action::Save);
    assert_eq!(std::fs::read_to_string(&own).unwrap(), shared, "else the marker were there again");
    assert_eq!(read(folder.path(), "castle.spadework.yaml"), shared);
}

pub const SHARED: &str = "spadework: 1\nobjects:\n- marker: {label: gate, at: {x: 3, y: 4}}\n";

pub fn marker(label: &str) -> Command {
    let text = format!("{{\"marker\":{{\"label\":\"{label}\",\"at\":{{\"x\":1,\"y\":2}}}}}}");
    Command::AddObject(ops::AddObject(serde_json::from_str(&text).unwrap()))
}

pub fn told(editor: &Editor) -> String {
    editor.messages().iter().map(|message| format!("{} {}\n", message.text, message.detail.as_deref().unwrap_or_default())).collect()
}

pub fn is_asked(editor: &mut Editor) -> bool {
    !editor.take_requests().is_empty()
}

#[test]
fn what_was_removed_does_not_come_back_out_of_the_shared_file_where_a_map_is_saved_as_another_kind() {
    let folder = folder();
    let info = |map: &str| succeed(folder.path(), &["info", map]).out;
    succeed(folder.path(), &["convert", "castle.vxl", "castle.vmf"]);
    std::fs::remove_file(folder.path().join("castle.vmf.spadework.yaml")).ok();
    write(folder.path(), "castle.spadework.yaml", SHARED);
    write(folder.path(), "a.jsonl", "{\"remove_object\":{\"id\":1}}\n{\"remove_object\":{\"id\":2}}\n");
    let is_gate = |map: &str| info(map).contains("gate");
    assert!(is_gate("castle.vmf") && is_gate("castle.vxl"));
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vmf")));
    let gate = editor.active().unwrap().document().objects.iter().find(|(_, object)| object.label() == "gate").unwrap().0;
    edit_map(&mut editor, Command::RemoveObject(ops::RemoveObject { id: gate }));
    let id = editor.active().unwrap().id();
    let order = SaveOrder::new(id).with_path(folder.path().join("castle.vxl")).with_loss_agreed().with_overwrite_agreed();
    act(&mut editor, Action::SaveAs(order));
    assert!(!is_gate("castle.vxl") && is_gate("castle.vmf"), "{}", told(&editor));
    assert_eq!(read(folder.path(), "castle.spadework.yaml"), SHARED);
    // A save that was begun there and killed knows the file, and it is none of the map's all the same.
    let vmf = folder.path().join("castle.vmf");
    let mut opened = open_map(&RealStorage, &vmf, &OpenOptions::default(), &Progress::new()).unwrap();
    opened.document.objects = Default::default();
    std::fs::remove_file(folder.path().join("castle.vxl.spadework.yaml")).unwrap();
    let options = SaveOptions { overwrite: Overwrite::Always, expected: opened.stamps, place: SavePlace::Own, ..SaveOptions::default() };
    save_map(&RealStorage, &opened.document, &folder.path().join("castle.vxl"), &options, &Progress::new()).unwrap();
    assert!(!is_gate("castle.vxl") && is_gate("castle.vmf"));
}

#[test]
fn a_map_that_is_recovered_to_where_it_was_to_be_written_takes_nothing_of_the_one_that_was_there() {
    for beside in ["castle.spadework.yaml", "castle.vxl.spadework.yaml"] {
        let folder = folder();
        let info = |map: &str| succeed(folder.path(), &["info", map]).out;
        succeed(folder.path(), &["convert", "castle.vxl", "castle.vmf"]);
        write(folder.path(), "castle.vmf.spadework.yaml", "spadework: 1\n");
        write(folder.path(), beside, SHARED);
        assert!(info("castle.vxl").contains("gate"));
        let script = "{\"set\":{\"at\":[9,9,9],\"color\":\"#ff8000\"}}\n{\"no\":1}\n";
        let args = ["apply", "castle.vmf", "-", "-o", "castle.vxl", "--overwrite", "--ack"];
        assert_eq!(run_with(folder.path(), &args, script).code, Some(1));
        let list = answer(&succeed(folder.path(), &["recover", "--json"]));
        let id = list["journals"][0]["id"].as_str().unwrap();
        let ran = succeed(folder.path(), &["recover", id, "-o", "castle.vxl", "--overwrite"]);
        assert!(!info("castle.vxl").contains("gate"), "{ran:?}");
        assert!(beside != "castle.spadework.yaml" || read(folder.path(), beside) == SHARED);
    }
}

#[test]
fn a_shared_file_that_came_after_the_map_was_opened_is_left_and_told_and_asked_about_before_it_counts_no_more() {
    let folder = folder();
    let own = folder.path().join("castle.vxl.spadework.yaml");
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    write(folder.path(), "castle.spadework.yaml", SHARED);
    edit_map(&mut editor, paint(IVec3::new(1, 9, 9)));
    act(&mut editor, Action::Save);
    assert!(
        !own.exists() && told(&editor).contains("omebody else saved castle.spadework.yaml, which may not fit the map"),
        "{}",
        told(&editor)
    );
    assert!(editor.messages().last().unwrap().is_warning);
    edit_map(&mut editor, marker("tower"));
    act(&mut editor, Action::Save);
    assert!(!own.exists(), "{}", told(&editor));
    assert!(is_asked(&mut editor), "{}", told(&editor));
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_loss_agreed().with_overwrite_agreed()));
    assert!(told(&editor).contains("What castle.spadework.yaml says by now is not in castle.vxl.spadework.yaml"), "{}", told(&editor));
    assert!(read(folder.path(), "castle.vxl.spadework.yaml").contains("tower"));
    assert_eq!(read(folder.path(), "castle.spadework.yaml"), SHARED);
}

#[test]
fn a_shared_file_that_somebody_changed_is_asked_about_before_it_counts_no_more() {
    let folder = folder();
    let own = folder.path().join("castle.vxl.spadework.yaml");
    write(folder.path(), "castle.spadework.yaml", SHARED);
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    let theirs = SHARED.replace("gate", "bridge");
    write(folder.path(), "castle.spadework.yaml", &theirs);
    edit_map(&mut editor, paint(IVec3::new(1, 9, 9)));
    act(&mut editor, Action::Save);
    assert!(!own.exists() && !is_asked(&mut editor), "{}", told(&editor));
    assert!(told(&editor).contains("castle.spadework.yaml was changed by another program and stays as it is"), "{}", told(&editor));
    edit_map(&mut editor, marker("tower"));
    act(&mut editor, Action::Save);
    assert!(!own.exists() && is_asked(&mut editor), "{}", told(&editor));
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_loss_agreed().with_overwrite_agreed()));
    assert!(
        read(folder.path(), "castle.vxl.spadework.yaml").contains("gate") && told(&editor).contains("by now is not in"),
        "{}",
        told(&editor)
    );
    assert_eq!(read(folder.path(), "castle.spadework.yaml"), theirs);
}

#[test]
fn a_shared_file_that_says_nothing_of_the_map_any_more_takes_nothing_with_it() {
    // Gone, emptied, damaged, and another map's by now.
    for theirs in [None, Some(""), Some("objects: ["), Some("a: 1\n"), Some("spadework: 1\nmap: station\n")] {
        let folder = folder();
        let path = folder.path().join("castle.spadework.yaml");
        write(folder.path(), "castle.spadework.yaml", SHARED);
        let mut editor = editor();
        act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
        match theirs {
            Some(theirs) => std::fs::write(&path, theirs).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        edit_map(&mut editor, paint(IVec3::new(1, 9, 9)));
        act(&mut editor, Action::Save);
        assert!(!is_asked(&mut editor) && told(&editor).contains("what it said is in castle.vxl.spadework.yaml"), "{}", told(&editor));
        assert!(succeed(folder.path(), &["info", "castle.vxl"]).out.contains("gate"), "{}", told(&editor));
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), theirs);
    }
}

#[test]
fn a_project_file_that_is_damaged_or_emptied_meanwhile_is_asked_about() {
    // Neither does one that is of something else, of another map, or has nothing but a comment say anything of the map.
    for theirs in ["", "objects: [", "# gone\n", "\n", "hello: there\n", "spadework: 1\nmap: vmf\n"] {
        let folder = folder();
        write(folder.path(), "castle.vxl.spadework.yaml", SHARED);
        let mut editor = editor();
        act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
        write(folder.path(), "castle.vxl.spadework.yaml", theirs);
        edit_map(&mut editor, paint(IVec3::new(1, 9, 9)));
        act(&mut editor, Action::Save);
        assert!(is_asked(&mut editor) && read(folder.path(), "castle.vxl.spadework.yaml") == theirs, "{}", told(&editor));
        let id = editor.active().unwrap().id();
        act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_overwrite_agreed()));
        assert_eq!(read(folder.path(), "castle.vxl.spadework.yaml"), SHARED, "{}", told(&editor));
    }
}

#[test]
fn an_own_project_file_that_came_beside_the_shared_one_stays_where_nothing_of_it_was_edited() {
    let folder = folder();
    write(folder.path(), "castle.spadework.yaml", SHARED);
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    let theirs = SHARED.replace("gate", "bridge");
    write(folder.path(), "castle.vxl.spadework.yaml", &theirs);
    edit_map(&mut editor, paint(IVec3::new(1, 9, 9)));
    act(&mut editor, Action::Save);
    assert!(!is_asked(&mut editor) && !editor.active().unwrap().is_modified(), "{}", told(&editor));
    let hidden =
        "castle.vxl.spadework.yaml came beside the map since and stays as it is: what castle.spadework.yaml said of the map is not in it";
    assert!(told(&editor).contains(hidden), "{}", told(&editor));
    assert_eq!(read(folder.path(), "castle.vxl.spadework.yaml"), theirs);
    edit_map(&mut editor, marker("tower"));
    act(&mut editor, Action::Save);
    assert!(is_asked(&mut editor) && read(folder.path(), "castle.vxl.spadework.yaml") == theirs, "{}", told(&editor));
}

#[test]
fn the_version_of_a_map_that_is_replaced_by_another_one_has_what_was_read_with_it() {
    for beside in ["castle.spadework.yaml", "castle.txt"] {
        let folder = folder();
        succeed(folder.path(), &["new", "bare.vxl", "--size", "64x64", "--terrain", "flat"]);
        let text = if beside == "castle.txt" { "name = compute()\nauthor = 'gate'\n" } else { SHARED };
        write(folder.path(), beside, text);
        succeed(folder.path(), &["convert", "bare.vxl", "castle.vxl", "--overwrite"]);
        let all = |folder: &Path| {
            walk(folder).into_iter().filter(|path| path.components().any(|part| part.as_os_str() == "versions")).collect::<Vec<_>>()
        };
        let kept = all(folder.path());
        assert!(kept.iter().any(|path| std::fs::read_to_string(path).is_ok_and(|kept| kept == text)), "{beside}: {kept:?}");
    }
}

pub fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn what_spadework_wrote_for_a_map_that_is_replaced_by_another_one_says_nothing_of_that() {
    let folder = folder();
    let info = |map: &str| succeed(folder.path(), &["info", map]).out;
    succeed(folder.path(), &["new", "bare.vxl", "--size", "64x64", "--terrain", "flat"]);
    for name in ["bare.txt", "bare.vxl.spadework.yaml"] {
        std::fs::remove_file(folder.path().join(name)).ok();
    }
    write(
        folder.path(),
        "a.jsonl",
        "{\"add_object\":{\"marker\":{\"label\":\"gate\",\"at\":{\"x\":3,\"y\":4}}}}\n{\"set_property\":{\"author\":\"ann\"}}\n",
    );
    for by_hand in ["", "# mine\n"] {
        std::fs::remove_file(folder.path().join("castle.txt")).ok();
        std::fs::remove_file(folder.path().join("castle.vxl.spadework.yaml")).ok();
        succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"]);
        assert!(info("castle.vxl").contains("gate") && info("castle.vxl").contains("ann"));
        for name in ["castle.txt", "castle.vxl.spadework.yaml"] {
            write(folder.path(), name, &(read(folder.path(), name) + by_hand));
        }
        if by_hand.is_empty() {
            succeed(folder.path(), &["convert", "bare.vxl", "castle.vxl", "--overwrite", "--deny-loss"]);
            assert!(!info("castle.vxl").contains("gate") && !info("castle.vxl").contains("ann"), "{}", info("castle.vxl"));
        } else {
            let err = run(folder.path(), &["convert", "bare.vxl", "castle.vxl", "--overwrite"]).err;
            assert!(err.contains("castle.vxl.spadework.yaml holds what somebody wrote by hand and stays as it is"), "{err}");
            assert!(err.contains("castle.txt was there before and may not fit the map"), "{err}");
            let denied = run(folder.path(), &["convert", "bare.vxl", "castle.vxl", "--overwrite", "--deny-loss"]).err;
            assert!(denied.contains("castle.txt was there before") && denied.contains("not written"), "{denied}");
            assert!(info("castle.vxl").contains("gate") && info("castle.vxl").contains("ann"), "{}", info("castle.vxl"));
        }
    }
}

#[test]
fn the_project_file_of_a_map_is_none_of_another_map_whose_name_goes_on_after_it() {
    let folder = folder();
    let info = |map: &str| succeed(folder.path(), &["info", map]).out;
    succeed(folder.path(), &["convert", "castle.vxl", "k.vmf"]);
    succeed(folder.path(), &["convert", "castle.vxl", "k.vmf.vxl"]);
    write(folder.path(), "k.vmf.spadework.yaml", SHARED);
    assert!(info("k.vmf").contains("gate") && !info("k.vmf.vxl").contains("gate"), "{}", info("k.vmf.vxl"));
    // It is in nobody's way, either.
    write(folder.path(), "a.jsonl", "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n");
    succeed(folder.path(), &["apply", "k.vmf.vxl", "a.jsonl", "-o", "k.vmf.vxl", "--overwrite"]);
    assert!(!read(folder.path(), "k.vmf.vxl.spadework.yaml").contains("gate"));
    std::fs::remove_file(folder.path().join("k.vmf.vxl.spadework.yaml")).unwrap();
    // One that says that it is a VXL's is none of the VMF's.
    write(folder.path(), "k.vmf.spadework.yaml", &format!("map: vxl\n{SHARED}"));
    assert!(!info("k.vmf").contains("gate") && info("k.vmf.vxl").contains("gate"), "{}", info("k.vmf.vxl"));
    write(folder.path(), "k.vmf.spadework.yaml", SHARED);
    // One that was taken over says whose it is, also where that is gone.
    std::fs::rename(folder.path().join("k.vmf.spadework.yaml"), folder.path().join("k.spadework.yaml")).unwrap();
    write(folder.path(), "a.jsonl", "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n");
    succeed(folder.path(), &["apply", "k.vmf", "a.jsonl", "-o", "k.vmf", "--overwrite"]);
    std::fs::remove_file(folder.path().join("k.vmf")).unwrap();
    let of_vmf = read(folder.path(), "k.vmf.spadework.yaml");
    assert!(of_vmf.contains("tower") && !info("k.vmf.vxl").contains("tower"), "{of_vmf}");
}

#[cfg(unix)]
#[test]
fn a_file_beside_the_map_that_is_a_link_to_a_disk_that_is_away_is_told_and_stays() {
    let link = |folder: &Path, name: &str| std::os::unix::fs::symlink("/nowhere/at/all.yaml", folder.join(name)).unwrap();
    for name in ["castle.txt", "castle.vxl.spadework.yaml", "castle.spadework.yaml"] {
        let folder = folder();
        link(folder.path(), name);
        let told = succeed(folder.path(), &["info", "castle.vxl"]);
        let told = told.out + &told.err;
        assert!(told.contains(&format!("{name} is a link, and there is no /nowhere/at/all.yaml for now")), "{told}");
        write(folder.path(), "a.jsonl", "{\"set\":{\"at\":[9,9,9],\"color\":\"#ff8000\"}}\n");
        succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"]);
        check_fails(folder.path(), &["convert", "castle.vxl", "copy.vxl", "--deny-loss"], &["copy.vxl: not written", name]);
        write(folder.path(), "a.jsonl", "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n");
        let ran = run(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"]);
        let own = folder.path().join("castle.vxl.spadework.yaml");
        match name {
            "castle.txt" => assert!(own.exists(), "{ran:?}"),
            "castle.vxl.spadework.yaml" => assert!(ran.code == Some(1) && ran.err.contains("castle.vxl.spadework.yaml"), "{ran:?}"),
            _ => assert!(ran.err.contains("castle.spadework.yaml could not be read and stays as it is") && !own.exists(), "{ran:?}"),
        }
        assert!(folder.path().join(name).is_symlink());
    }
    // Those of a map that is replaced.
    for name in ["castle.txt", "castle.vxl.spadework.yaml", "castle.spadework.yaml"] {
        let folder = folder();
        link(folder.path(), name);
        succeed(folder.path(), &["new", "bare.vxl", "--size", "64x64", "--terrain", "flat"]);
        ["bare.txt", "bare.vxl.spadework.yaml"].iter().for_each(|name| _ = std::fs::remove_file(folder.path().join(name)));
        let ran = run(folder.path(), &["convert", "bare.vxl", "castle.vxl", "--overwrite", "--deny-loss"]);
        let is_hidden = folder.path().join("castle.vxl.spadework.yaml").exists();
        assert!(if name == "castle.spadework.yaml" { is_hidden } else { ran.code == Some(1) && ran.err.contains(name) }, "{ran:?}");
    }
    // What does not come along with the map that an import is put into.
    {
        let folder = folder();
        link(folder.path(), "castle.vxl.spadework.yaml");
        succeed(folder.path(), &["export", "castle.vxl", "castle.vox"]);
        let args = ["import", "castle.vox", "--into", "castle.vxl", "--at", "0,0,0", "-o", "copy.vxl", "--deny-loss"];
        check_fails(folder.path(), &args, &["castle.vxl.spadework.yaml", "does not come along"]);
    }
    // The shared one is not read in place of an own one that is away.
    let folder = folder();
    link(folder.path(), "castle.vxl.spadework.yaml");
    write(folder.path(), "castle.spadework.yaml", SHARED);
    assert!(!succeed(folder.path(), &["info", "castle.vxl"]).out.contains("gate"));
}

#[test]
fn a_journal_stays_whose_map_is_recovered_beside_files_that_somebody_changed_since() {
    for name in ["castle.vxl.spadework.yaml", "castle.spadework.yaml"] {
        for theirs in ["", "spadework: 1\n", "objects: ["] {
            let folder = folder();
            write(folder.path(), name, SHARED);
            let script = "{\"set\":{\"at\":[9,9,9],\"color\":\"#ff8000\"}}\n{\"no\":1}\n";
            let args = ["apply", "castle.vxl", "-", "-o", "castle.vxl", "--overwrite", "--ack"];
            assert_eq!(run_with(folder.path(), &args, script).code, Some(1));
            write(folder.path(), name, theirs);
            let list = || answer(&succeed(folder.path(), &["recover", "--json"]))["journals"].clone();
            let id = list()[0]["id"].as_str().unwrap().to_owned();
            let recover = |more: &[&str]| run(folder.path(), &[&["recover", &id, "-o", "castle.vxl", "--overwrite"], more].concat());
            let ran = recover(&["--deny-loss"]);
            // What the shared one said is in the map's own file then, whatever became of that.
            let is_written = name == "castle.spadework.yaml" && theirs != "spadework: 1\n";
            assert!(ran.code == Some(i32::from(!is_written)) && (ran.err.contains(name) || is_written), "{ran:?}");
            if is_written {
                assert!(succeed(folder.path(), &["info", "castle.vxl"]).out.contains("gate"), "{ran:?}");
                continue;
            }
            let ran = recover(&[]);
            let is_left = theirs == "spadework: 1\n";
            assert_eq!(ran.err.contains("is not in the files beside it"), is_left, "{ran:?}");
            assert!(ran.code == Some(i32::from(!is_left)) && read(folder.path(), name) == theirs, "{ran:?}");
            assert_eq!(list().as_array().unwrap().len(), 1, "{name} {theirs}");
            // There the markers are, for whoever wants them.
            succeed(folder.path(), &["recover", &id, "-o", "other.vxl"]);
            assert!(succeed(folder.path(), &["info", "other.vxl"]).out.contains("gate"), "{name} {theirs}");
        }
    }
}

const ONE_VOXEL: &str = "{\"set\":{\"at\":[9,9,9],\"color\":\"#ff8000\"}}\n";

fn journals(folder: &Path) -> Vec<String> {
    let list = answer(&succeed(folder, &["recover", "--json"]))["journals"].clone();
    list.as_array().unwrap().iter().map(|journal| journal["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn files_that_came_beside_a_map_that_says_nothing_there_are_no_loss_of_a_recovery() {
    let files = [
        ("castle.vxl.spadework.yaml", SHARED),
        ("castle.vxl.spadework.yaml", "spadework: 1\nmap: vxl\n"),
        ("castle.spadework.yaml", SHARED),
        ("castle.txt", "name = 'Theirs'\n"),
        ("castle.txt", ""),
        ("castle.toml", "[map]\nname = \"Theirs\"\n"),
        ("castle.json", "{\"author\": \"Them\"}"),
    ];
    for (name, theirs) in files {
        let folder = folder();
        apply_meanwhile(folder.path(), ["castle.vxl"; 2], ONE_VOXEL, true, || write(folder.path(), name, theirs));
        let id = &journals(folder.path())[0];
        succeed(folder.path(), &["recover", id, "-o", "castle.vxl", "--overwrite", "--deny-loss"]);
        assert_eq!((read(folder.path(), name).as_str(), journals(folder.path()).len()), (theirs, 0), "{name}");
    }
}

#[test]
fn a_file_beside_the_map_that_was_damaged_when_it_was_opened_costs_nothing_where_nothing_of_it_is_edited() {
    let author = "{\"set_property\":{\"author\":\"me\"}}\n";
    let marker = "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n";
    let files = [
        ("castle.vxl.spadework.yaml", "objects: [", marker),
        ("castle.txt", "\0\0", author),
        ("castle.toml", "a = [\n", author),
        ("castle.json", "[1, 2]", author),
    ];
    for (name, damaged, edit) in files {
        let folder = folder();
        write(folder.path(), name, damaged);
        let apply = |script: &str| {
            write(folder.path(), "a.jsonl", script);
            run(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite", "--ack", "--deny-loss"])
        };
        let ran = apply(ONE_VOXEL);
        let told = format!("{name} could not be read and stays as it is");
        assert!(ran.code == Some(0) && ran.err.contains(&told) && !ran.err.contains("what was edited"), "{ran:?}");
        assert!(journals(folder.path()).is_empty());
        let ran = apply(edit);
        assert!(ran.code == Some(1) && ran.err.contains("what was edited is not in it"), "{ran:?}");
        assert_eq!(read(folder.path(), name), damaged);
    }
}

#[test]
fn an_empty_project_file_stays_empty_where_nothing_of_it_is_edited() {
    let folder = folder();
    write(folder.path(), "castle.vxl.spadework.yaml", "");
    for script in [ONE_VOXEL, "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n"] {
        write(folder.path(), "a.jsonl", script);
        succeed(folder.path(), &["apply", "castle.vxl", "a.jsonl", "-o", "castle.vxl", "--overwrite"]);
        assert_eq!(read(folder.path(), "castle.vxl.spadework.yaml").contains("tower"), script != ONE_VOXEL);
        assert!(script != ONE_VOXEL || read(folder.path(), "castle.vxl.spadework.yaml").is_empty());
    }
}

#[test]
fn the_journal_of_a_script_stays_where_somebody_changed_what_the_map_says_beside_it() {
    for (name, own, theirs) in [
        ("castle.vxl.spadework.yaml", SHARED.to_owned(), SHARED.replace("gate", "bridge")),
        ("castle.spadework.yaml", SHARED.to_owned(), SHARED.replace("gate", "bridge")),
        ("castle.txt", "name = 'Ours'\n".to_owned(), "name = 'Theirs'\n".to_owned()),
    ] {
        let folder = folder();
        write(folder.path(), name, &own);
        let ran = apply_meanwhile(folder.path(), ["castle.vxl"; 2], ONE_VOXEL, false, || write(folder.path(), name, &theirs));
        assert!(
            ran.code == Some(0) && ran.out.contains("The journal stays, because a file beside the map holds what somebody put"),
            "{ran:?}"
        );
        assert_eq!(read(folder.path(), name), theirs);
        succeed(folder.path(), &["recover", &journals(folder.path())[0], "-o", "other.vxl"]);
        let info = succeed(folder.path(), &["info", "other.vxl"]).out;
        assert!(info.contains("gate") || info.contains("Ours"), "{info}");
    }
}

#[test]
fn what_came_in_place_of_the_maps_own_project_file_hides_the_shared_one_only_where_it_says_something() {
    for theirs in ["", "objects: [", "hello: there\n", "spadework: 1\nmap: vmf\n"] {
        let folder = folder();
        write(folder.path(), "castle.spadework.yaml", SHARED);
        let own = "castle.vxl.spadework.yaml";
        let ran = apply_meanwhile(folder.path(), ["castle.vxl"; 2], ONE_VOXEL, false, || write(folder.path(), own, theirs));
        assert!(ran.code == Some(1) || ran.out.contains("The journal stays"), "{theirs:?}: {ran:?}");
        assert!(ran.err.contains(own) && read(folder.path(), own) == theirs, "{ran:?}");
    }
    // The same is enough.
    let folder = folder();
    write(folder.path(), "castle.spadework.yaml", SHARED);
    let ran =
        apply_meanwhile(folder.path(), ["castle.vxl"; 2], ONE_VOXEL, false, || write(folder.path(), "castle.vxl.spadework.yaml", SHARED));
    assert!(ran.code == Some(0) && !ran.out.contains("The journal stays") && !ran.err.contains("spadework.yaml"), "{ran:?}");
}

#[test]
fn what_is_edited_beside_a_damaged_file_is_saved_under_another_name() {
    let marker = "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n";
    let name = "{\"set_property\":{\"name\":\"tower\"}}\n";
    for (beside, script) in [("castle.vxl.spadework.yaml", marker), ("castle.txt", name)] {
        let folder = folder();
        write(folder.path(), beside, "\0a: [b");
        let own = beside.replace("castle", "other");
        apply_meanwhile(folder.path(), ["castle.vxl"; 2], script, true, || {});
        let id = &journals(folder.path())[0];
        check_fails(folder.path(), &["recover", id, "-o", "other.vxl", "--deny-loss"], &["not written", &own]);
        let ran = succeed(folder.path(), &["recover", id, "-o", "other.vxl"]);
        assert!(ran.err.contains(&format!("does not come along: {own} is made anew")), "{ran:?}");
        let info = succeed(folder.path(), &["info", "other.vxl"]);
        assert!(info.out.contains("tower") && !info.err.contains("could not be read"), "{info:?}");
        assert_eq!(read(folder.path(), beside), "\0a: [b");
        // Nothing of it is anywhere else where somebody removes it.
        assert_eq!(journals(folder.path()).len(), 1);
    }
    // There it is a file as any other.
    let folder = folder();
    write(folder.path(), "castle.vxl.spadework.yaml", "a: [b");
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    edit_map(&mut editor, self::marker("tower"));
    let id = editor.active().unwrap().id();
    // Every other name would ask the same: it is told, and not asked about.
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path(folder.path().join("other.vxl"))));
    assert!(told(&editor).contains("does not come along: other.vxl.spadework.yaml is made anew"), "{}", told(&editor));
    assert!(editor.messages().last().unwrap().is_warning, "it is the only word of it, and stays");
    let own = || read(folder.path(), "other.vxl.spadework.yaml");
    for (label, place) in [("tower", 1), ("bridge", 2)] {
        assert!(own().contains("tower") && !editor.active().unwrap().is_modified(), "{}", told(&editor));
        edit_map(&mut editor, paint(IVec3::new(place, 9, 9)));
        edit_map(&mut editor, self::marker(label));
        act(&mut editor, Action::Save);
        assert!(!is_asked(&mut editor) && own().contains(label), "{}: {}", told(&editor), own());
    }
    act(&mut editor, Action::Undo);
    act(&mut editor, Action::Save);
    assert!(!is_asked(&mut editor) && !own().contains("bridge") && own().contains("tower"), "{}", own());
    assert_eq!(read(folder.path(), "castle.vxl.spadework.yaml"), "a: [b");
}

#[cfg(unix)]
#[test]
fn what_somebody_saves_to_a_project_file_that_is_written_through_a_link_stays() {
    let theirs = format!("{SHARED}- marker: {{label: theirs, at: {{x: 5, y: 6}}}}\n");
    let added = "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n";
    for is_map_linked in [true, false] {
        for script in [added, ONE_VOXEL] {
            let folder = folder();
            let [own, linked] = ["castle.vxl.spadework.yaml", "other.vxl.spadework.yaml"];
            write(folder.path(), own, SHARED);
            std::os::unix::fs::symlink(own, folder.path().join(linked)).unwrap();
            if is_map_linked {
                std::os::unix::fs::symlink("castle.vxl", folder.path().join("other.vxl")).unwrap();
            }
            let to = ["castle.vxl", "other.vxl"];
            let ran = apply_meanwhile(folder.path(), to, script, false, || write(folder.path(), own, &theirs));
            assert!(
                ran.code == Some(1) && ran.err.contains(&format!("the file was changed since it was opened: {linked}")),
                "{script}: {ran:?}"
            );
            assert_eq!(read(folder.path(), own), theirs);
            let ran = apply_meanwhile(folder.path(), to, added, false, || {});
            assert!(ran.code == Some(0) && folder.path().join(linked).is_symlink(), "{ran:?}");
            assert!(["gate", "theirs", "tower"].iter().all(|label| read(folder.path(), own).contains(label)), "{ran:?}");
        }
    }
}

#[test]
fn what_comes_to_a_place_that_is_to_be_overwritten_since_the_call_began_stays() {
    let added = "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n";
    let marked = "spadework: 1\nmap: vxl\nobjects:\n- marker:\n    label: theirs\n    at:\n      x: 3\n      y: 4\n";
    for (name, theirs) in [("other.vxl", "theirs"), ("other.vxl.spadework.yaml", marked)] {
        for is_there in [true, false] {
            let folder = folder();
            if is_there {
                std::fs::copy(folder.path().join("castle.vxl"), folder.path().join("other.vxl")).unwrap();
                write(folder.path(), "other.vxl.spadework.yaml", SHARED);
            }
            let ran = apply_meanwhile(folder.path(), ["castle.vxl", "other.vxl"], added, false, || write(folder.path(), name, theirs));
            assert!(ran.code == Some(1) && ran.err.contains(&format!("changed since it was opened: {name}")), "{ran:?}");
            assert_eq!(read(folder.path(), name), theirs);
        }
    }
    // A link to what is not there yet.
    #[cfg(unix)]
    {
        let folder = folder();
        let [own, linked] = ["castle.vxl.spadework.yaml", "other.vxl.spadework.yaml"];
        std::os::unix::fs::symlink(own, folder.path().join(linked)).unwrap();
        let ran = apply_meanwhile(folder.path(), ["castle.vxl", "other.vxl"], added, false, || write(folder.path(), own, SHARED));
        assert!(ran.code == Some(1) && ran.err.contains(linked), "{ran:?}");
        assert_eq!(read(folder.path(), own), SHARED);
    }
    // What stood there is replaced.
    let folder = folder();
    std::fs::copy(folder.path().join("castle.vxl"), folder.path().join("other.vxl")).unwrap();
    write(folder.path(), "other.vxl.spadework.yaml", SHARED);
    let ran = apply_meanwhile(folder.path(), ["castle.vxl", "other.vxl"], added, false, || {});
    let now = read(folder.path(), "other.vxl.spadework.yaml");
    assert!(ran.code == Some(0) && now.contains("tower") && !now.contains("gate"), "{ran:?}: {now}");
}

#[test]
fn a_file_that_stays_is_not_said_to_be_made_anew() {
    let folder = folder();
    write(folder.path(), "castle.vxl.spadework.yaml", "a: [b");
    std::fs::copy(folder.path().join("castle.vxl"), folder.path().join("other.vxl")).unwrap();
    let by_hand = "spadework: 1\nobjects:\n# the bridge\n- marker: {label: bridge, at: {x: 3, y: 4}}\n";
    write(folder.path(), "other.vxl.spadework.yaml", by_hand);
    write(folder.path(), "edits.jsonl", "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n");
    let ran = succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "other.vxl", "--overwrite"]);
    assert!(ran.err.contains("holds what somebody wrote by hand and stays as it is") && !ran.err.contains("made anew"), "{ran:?}");
    assert_eq!(read(folder.path(), "other.vxl.spadework.yaml"), by_hand);
    // What came along with an earlier call is nobody's work.
    write(folder.path(), "voxel.jsonl", ONE_VOXEL);
    succeed(folder.path(), &["apply", "castle.vxl", "voxel.jsonl", "-o", "third.vxl"]);
    assert_eq!(read(folder.path(), "third.vxl.spadework.yaml"), "a: [b");
    let ran = succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "third.vxl", "--overwrite"]);
    assert!(ran.err.contains("third.vxl.spadework.yaml is made anew") && !ran.err.contains("by hand"), "{ran:?}");
    assert!(read(folder.path(), "third.vxl.spadework.yaml").contains("tower"));
}

#[test]
fn a_damaged_file_comes_along_where_nothing_that_was_edited_has_a_place_in_it() {
    for (beside, damaged) in [("txt", "name = 'castle'\0"), ("toml", "a = [\n"), ("json", "[1, 2]")] {
        let folder = folder();
        let [own, other] = ["castle", "other"].map(|name| format!("{name}.{beside}"));
        write(folder.path(), &own, damaged);
        write(folder.path(), "edits.jsonl", "{\"add_object\":{\"marker\":{\"label\":\"tower\",\"at\":{\"x\":1,\"y\":2}}}}\n");
        let ran = succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "other.vxl", "--deny-loss"]);
        assert!(ran.err.contains(&format!("{other} could not be read and comes along as it is")), "{ran:?}");
        assert_eq!(read(folder.path(), &other), damaged);
        assert!(read(folder.path(), "other.vxl.spadework.yaml").contains("tower"), "{ran:?}");
        let ran = succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "castle.vxl", "--overwrite", "--deny-loss"]);
        assert!(!ran.err.contains("what was edited is not in it"), "{ran:?}");
        assert_eq!(read(folder.path(), &own), damaged);
    }
}

#[test]
fn a_damaged_file_that_came_along_and_was_moved_away_since_stands_in_nobodys_way() {
    let folder = folder();
    let damaged = "a: [b";
    write(folder.path(), "castle.vxl.spadework.yaml", damaged);
    let mut editor = editor();
    act(&mut editor, Action::Open(folder.path().join("castle.vxl")));
    edit_map(&mut editor, paint(IVec3::new(9, 9, 9)));
    let id = editor.active().unwrap().id();
    act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path(folder.path().join("other.vxl"))));
    let own = "other.vxl.spadework.yaml";
    assert_eq!(read(folder.path(), own), damaged);
    edit_map(&mut editor, paint(IVec3::new(8, 9, 9)));
    act(&mut editor, Action::Save);
    assert!(!is_asked(&mut editor) && !editor.active().unwrap().is_modified(), "{}", told(&editor));
    edit_map(&mut editor, marker("tower"));
    act(&mut editor, Action::Save);
    assert!(is_asked(&mut editor) && editor.active().unwrap().is_modified(), "{}", told(&editor));
    assert_eq!(read(folder.path(), own), damaged);
    std::fs::rename(folder.path().join(own), folder.path().join("aside.yaml")).unwrap();
    act(&mut editor, Action::Save);
    assert!(!is_asked(&mut editor) && !editor.active().unwrap().is_modified(), "{}", told(&editor));
    assert!(read(folder.path(), own).contains("tower"), "{}", read(folder.path(), own));
    assert_eq!(read(folder.path(), "aside.yaml"), damaged);
}
