//! Space Station 14 maps of several grids: commands, undo, journal and every verb work on the one that is chosen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use glam::{IVec3, Vec3};
use serde_json::json;
use spadework::document::{Options, Property};
use spadework::edit::{Command, Mode, ops};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, JobMode, SaveOrder};
use spadework::geom::{Ray, Region};
use spadework::tool::{Modifiers, Phase, PointerInput};
use spadework::voxel::{Rgb, StoreEdit, Voxel};

use crate::cli::{json as answer, run, succeed};

/// A tile of the second grid, in its own voxels.
const AT: IVec3 = IVec3::new(1, -2, 0);

/// The tiles of a chunk of two by two: steel, and plating in the south-west.
fn tiles() -> String {
    let bytes: Vec<u8> = [1, 2, 2, 2].into_iter().flat_map(|id| [id, 0, 0, 0, 0, 3, 0]).collect();
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn grid(uid: u32, name: &str, x: i32) -> String {
    format!(
        "  - uid: {uid}\n    components:\n    - type: MetaData\n      name: {name}\n    - type: Transform\n      pos: {x},0\n      parent: 1\n    \
         - type: MapGrid\n      chunkSize: 2\n      chunks:\n        0,0:\n          ind: 0,0\n          tiles: {}\n          version: 7\n",
        tiles()
    )
}

/// A map of two grids, each with a crate.
fn map() -> String {
    let entity =
        |uid: u32, grid: u32| format!("  - uid: {uid}\n    components:\n    - type: Transform\n      pos: 0.5,1.5\n      parent: {grid}\n");
    format!(
        "meta:\n  format: 7\n  category: Map\n  entityCount: 4\nmaps:\n- 1\ngrids:\n- 4\n- 20\norphans: []\nnullspace: []\ntilemap:\n  0: Space\n  \
         1: Plating\n  2: FloorSteel\nentities:\n- proto: \"\"\n  entities:\n{}{}- proto: Crate\n  entities:\n{}{}...\n",
        grid(4, "Main", 0),
        grid(20, "Shuttle", 30),
        entity(7, 4),
        entity(8, 20)
    )
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.yml"), map()).unwrap();
    folder
}

fn editor(journal_folder: Option<PathBuf>) -> Editor {
    Editor::new(EditorConfig {
        storage: Arc::new(RealStorage),
        jobs: JobMode::Inline,
        waker: Arc::new(|| {}),
        journal_folder,
        versions_folder: None,
        settings_file: None,
        settings: Settings::default(),
    })
}

fn act(editor: &mut Editor, action: Action) {
    editor.act(action);
    editor.finish_jobs();
}

fn go_to(editor: &mut Editor, volume: usize) {
    act(editor, Action::Edit(Command::SelectVolume(ops::SelectVolume { volume })));
}

fn paint(editor: &mut Editor, at: IVec3, tile: &str) {
    let color = editor.active().unwrap().document().palette.color_of(tile).unwrap();
    act(editor, Action::Edit(Command::Fill(ops::Fill { region: Region::between(at, at), color, mode: Mode::Set })));
}

/// The names of the tiles at [`AT`] on each grid.
fn names(editor: &Editor) -> [Option<String>; 2] {
    let document = editor.active().unwrap().document();
    let name = |color: Rgb| document.palette.name_of(color).map(str::to_owned);
    [0, 1].map(|volume| document.volumes()[volume].store.voxel(AT).and_then(|voxel| name(voxel.rgb()?)))
}

fn changed_lines(before: &str, after: &str) -> Vec<usize> {
    assert_eq!(before.lines().count(), after.lines().count());
    before.lines().zip(after.lines()).enumerate().filter(|(_, (before, after))| before != after).map(|(line, _)| line).collect()
}

fn some(name: &str) -> Option<String> {
    Some(name.to_owned())
}

#[test]
fn what_was_begun_on_a_grid_is_not_put_into_another_one() {
    let folder = folder();
    let path = folder.path().join("two.yml");
    for waits in [true, false] {
        for away in [Action::Undo, Action::JumpTo(0), Action::Edit(Command::SelectVolume(ops::SelectVolume { volume: 0 }))] {
            let mut editor = editor(None);
            act(&mut editor, Action::Open(path.clone()));
            let id = editor.active().unwrap().id();
            go_to(&mut editor, 1);
            act(&mut editor, Action::SelectTool("path"));
            let offset = editor.active().unwrap().document().active_volume().offset;
            let at = AT.as_vec3() + Vec3::new(0.5, 0.5, -20.0) + offset.as_vec3();
            for phase in [Phase::Press, Phase::Release] {
                let ray_in_world = Ray::new(at, Vec3::Z);
                let (modifiers, voxels_per_pixel) = (Modifiers::default(), 0.001);
                editor.pointer(&PointerInput { ray_in_world, phase, modifiers, voxels_per_pixel, is_parallel: false });
            }
            assert_eq!(editor.begun(id), Some("Path".into()));
            if waits {
                act(&mut editor, Action::SelectTool("brush"));
            }
            act(&mut editor, away.clone());
            let open = editor.active().unwrap();
            let is_told = editor.messages().iter().any(|told| told.text == "Path: what was begun was let go");
            let is_there = open.document().active_volume().uid == Some(20);
            // Undo takes the gesture in the hand back first, and the history waits for it.
            assert_eq!(
                (is_told, is_there),
                if waits || matches!(away, Action::Edit(_)) { (true, false) } else { (false, true) },
                "{away:?}"
            );
            assert!(is_there || editor.begun(id).is_none(), "{away:?}");
        }
    }
}

#[test]
fn a_grid_is_chosen_edited_undone_and_saved_alone() {
    let folder = folder();
    let path = folder.path().join("two.yml");
    let mut editor = editor(None);
    act(&mut editor, Action::Open(path.clone()));
    act(&mut editor, Action::SelectAll);
    go_to(&mut editor, 1);
    let open = editor.active().unwrap();
    assert_eq!((open.is_modified(), open.document().selection.clone(), open.document().active_volume().uid), (false, None, Some(20)));
    paint(&mut editor, AT, "Plating");
    go_to(&mut editor, 0);
    paint(&mut editor, IVec3::new(0, -2, 0), "Plating");
    assert_eq!(names(&editor), [some("FloorSteel"), some("Plating")]);
    act(&mut editor, Action::Undo);
    act(&mut editor, Action::Undo);
    assert_eq!(editor.active().unwrap().document().active(), 1, "undo leads back to where the edit was");
    act(&mut editor, Action::Save);
    let saved = std::fs::read_to_string(&path).unwrap();
    let lines = changed_lines(&map(), &saved);
    assert_eq!(lines.len(), 1);
    let shuttle = map().lines().position(|line| line.contains("uid: 20")).unwrap();
    assert!(lines[0] > shuttle, "in the second grid");
    act(&mut editor, Action::Undo);
    assert_eq!(names(&editor), [some("FloorSteel"), some("FloorSteel")]);
    act(&mut editor, Action::Save);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), map());
    go_to(&mut editor, 7);
    assert!(editor.messages().iter().any(|message| message.is_error && message.text.contains("no volume 7")));
}

#[test]
fn a_journal_brings_back_the_edits_of_each_grid() {
    let folder = folder();
    let journals = folder.path().join("journals");
    let mut first = editor(Some(journals.clone()));
    act(&mut first, Action::Open(folder.path().join("two.yml")));
    go_to(&mut first, 1);
    paint(&mut first, AT, "Plating");
    go_to(&mut first, 0);
    act(&mut first, Action::Undo);
    drop(first);
    let mut second = editor(Some(journals));
    second.find_leftovers();
    second.finish_jobs();
    act(&mut second, Action::RestoreLeftovers);
    let document = second.active().unwrap().document();
    assert_eq!((document.active(), names(&second)), (1, [some("FloorSteel"), some("Plating")]));
    act(&mut second, Action::Redo);
    assert_eq!(second.active().unwrap().document().active(), 0);
}

#[test]
fn info_and_diff_list_every_grid_and_apply_goes_to_the_one_it_is_told() {
    let folder = folder();
    let script = format!("{{\"select_volume\":{{\"volume\":1}}}}\n{{\"set\":{{\"at\":[{},{},0],\"color\":\"#2d2d2d\"}}}}\n", AT.x, AT.y);
    std::fs::write(folder.path().join("edits.jsonl"), script).unwrap();
    succeed(folder.path(), &["apply", "two.yml", "edits.jsonl", "-o", "new.yml"]);
    let saved = std::fs::read_to_string(folder.path().join("new.yml")).unwrap();
    assert_eq!(changed_lines(&map(), &saved).len(), 1);

    let info = answer(&succeed(folder.path(), &["info", "two.yml", "--json"]));
    let volumes: Vec<_> =
        info["volumes"].as_array().unwrap().iter().map(|volume| [&volume["name"], &volume["uid"], &volume["active"]]).collect();
    assert_eq!(volumes, [[&json!("Main"), &json!(4), &json!(true)], [&json!("Shuttle"), &json!(20), &json!(false)]]);
    let text = succeed(folder.path(), &["info", "two.yml", "--set", "grid=Shuttle"]).out;
    assert!(text.contains("0 Main (uid 4): ") && text.contains("1 Shuttle (uid 20): ") && text.contains("4 solid, active"), "{text}");

    let diff = run(folder.path(), &["diff", "two.yml", "new.yml", "--exit-code"]);
    assert_eq!(diff.code, Some(1));
    assert!(diff.out.contains("0 Main (uid 4): no difference"), "{diff:?}");
    assert!(diff.out.contains("1 Shuttle (uid 20): recolored 1 voxel, 1,-2,0 to 1,-2,0"), "{diff:?}");
    let diff = answer(&succeed(folder.path(), &["diff", "two.yml", "new.yml", "--json"]));
    assert_eq!([&diff["volumes"][0]["differ"], &diff["volumes"][1]["differ"]], [&json!(false), &json!(true)]);
    assert_eq!(diff["volumes"][1]["voxels"]["recolored"]["count"], json!(1));
    let wrong = run(folder.path(), &["info", "two.yml", "--set", "grid=Nowhere"]);
    assert!(
        wrong.code == Some(1) && wrong.err.contains("does not take \"Nowhere\": the grids of this map are 4 (Main), 20 (Shuttle)"),
        "{wrong:?}"
    );
}

#[test]
fn exports_take_the_grid_that_is_chosen_and_say_so() {
    let folder = folder();
    for name in ["plan.png", "model.vox", "mesh.glb"] {
        let ran = succeed(folder.path(), &["export", "two.yml", name, "--set", "grid=20", "--json"]);
        let report = answer(&ran);
        let told = report["losses"].as_array().unwrap().iter().any(|loss| loss["code"] == "volumes");
        assert!(told, "{name}: {report}");
    }
}

#[test]
fn what_cannot_be_written_is_refused_without_asking_what_may_be_lost() {
    let folder = folder();
    for more in [&[][..], &["--deny-loss"]] {
        let arguments = [&["convert", "two.yml", "two.vxl"][..], more].concat();
        crate::cli::check_fails(folder.path(), &arguments, &["a VXL map is 64 voxels high: give it 64 layers first"]);
        let ran = run(folder.path(), &arguments);
        assert!(!ran.err.contains("lose") && !ran.err.contains("left out"), "{ran:?}");
    }
}

#[test]
fn a_grid_becomes_a_vmf_map_whose_things_stand_where_they_stood() {
    let folder = folder();
    let ran = answer(&succeed(folder.path(), &["convert", "two.yml", "two.vmf", "--json"]));
    let losses: Vec<&str> = ran["losses"].as_array().unwrap().iter().filter_map(|loss| loss["code"].as_str()).collect();
    assert!(losses.contains(&"tile-names") && losses.contains(&"volumes"), "{ran}");
    let before = crate::cli::read(&folder.path().join("two.yml"));
    let after = crate::cli::read(&folder.path().join("two.vmf"));
    let by = -before.bounds().min();
    assert!(by != IVec3::ZERO && after.bounds().min() == IVec3::ZERO);
    assert_eq!(after.store().voxel(AT + by).and_then(|voxel| voxel.rgb()), before.store().voxel(AT).and_then(|voxel| voxel.rgb()));
    let project = std::fs::read_to_string(folder.path().join("two.vmf.spadework.yaml")).unwrap();
    // The crate of the first grid stands half a tile from its corner, in the second row from the south.
    assert!(project.contains(&format!("x: {}\n", by.x)) && project.contains(&format!("y: {}\n", by.y - 2)), "{by} {project}");
}

#[test]
fn a_voxel_map_of_the_same_name_leaves_the_station_as_it_is() {
    let folder = folder();
    let of = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    succeed(folder.path(), &["convert", "two.yml", "two.vmf"]);
    assert!(!folder.path().join("two.spadework.yaml").exists() && of("two.vmf.spadework.yaml").contains("marker"));
    // One that both kinds shared once, and that says that it is a voxel map's.
    let theirs = "spadework: 1\nmap: voxels\nobjects:\n- marker: {label: bridge, at: {x: 1, y: 2}}\n";
    std::fs::write(folder.path().join("two.spadework.yaml"), theirs).unwrap();
    succeed(folder.path(), &["convert", "two.yml", "copy.yml", "--deny-loss"]);
    assert_eq!(of("copy.yml"), map());
    assert!(!folder.path().join("copy.ss14.spadework.yaml").exists(), "it belongs to the voxel map");
    let mut editing = editor(None);
    act(&mut editing, Action::Open(folder.path().join("two.yml")));
    act(&mut editing, Action::Edit(Command::SetProperty(ops::SetProperty(Property::Description(Some("A small one".into()))))));
    let id = editing.active().unwrap().id();
    act(&mut editing, Action::SaveAs(SaveOrder::new(id).with_path(folder.path().join("named.yml"))));
    assert!(of("named.ss14.spadework.yaml").contains("A small one"), "{:?}", editing.messages().iter().collect::<Vec<_>>());
    // Of the two crates the one on the grid that the map was made of.
    assert_eq!(of("two.vmf.spadework.yaml").matches("marker:").count(), 1);
    let losses = answer(&succeed(folder.path(), &["convert", "two.yml", "other.vmf", "--json"]))["losses"].to_string();
    assert!(losses.contains("objects-elsewhere"), "{losses}");

    // The file of a station stays that of the station.
    let mut editor = editor(None);
    act(&mut editor, Action::Open(folder.path().join("two.yml")));
    act(&mut editor, Action::Edit(Command::SetProperty(ops::SetProperty(Property::Description(Some("A small one".into()))))));
    act(&mut editor, Action::Save);
    let own = of("two.ss14.spadework.yaml");
    assert!(own.contains("A small one") && !own.contains("bridge"), "{own}");
    let denied = run(folder.path(), &["convert", "two.yml", "two.vmf", "--overwrite", "--deny-loss"]);
    assert_eq!(denied.code, Some(1), "{denied:?}");
    run(folder.path(), &["convert", "two.yml", "two.vmf", "--overwrite"]);
    assert_eq!((of("two.ss14.spadework.yaml"), &*of("two.spadework.yaml")), (own, theirs));
}

#[test]
fn a_moved_entity_needs_no_file_beside_a_map_that_holds_its_own_name() {
    let folder = folder();
    let text = "meta:\n  format: 3\n  name: Saltern\n  author: Space-Wizards\n  postmapinit: false\ntilemap:\n  0: Space\nentities:\n\
                - uid: 1\n  components:\n  - parent: null\n    type: Transform\n  - type: MapGrid\n\
                - uid: 2\n  type: Crate\n  components:\n  - pos: 0.5,0.5\n    parent: 1\n    type: Transform\n";
    std::fs::write(folder.path().join("old.yml"), text).unwrap();
    let mut editor = editor(None);
    act(&mut editor, Action::Open(folder.path().join("old.yml")));
    let (id, object) = editor.active().unwrap().document().objects.iter().map(|(id, object)| (id, object.clone())).next().unwrap();
    act(&mut editor, Action::Edit(Command::SetObject(ops::SetObject { id, object: object.shifted(IVec3::X) })));
    act(&mut editor, Action::Save);
    let saved = std::fs::read_to_string(folder.path().join("old.yml")).unwrap();
    assert_eq!(saved, text.replace("pos: 0.5,0.5", "pos: 1.5,0.5"));
    assert!(!folder.path().join("old.ss14.spadework.yaml").exists());
}

#[test]
fn objects_of_a_script_stand_in_the_selected_grid_and_stay_in_their_own() {
    let folder = folder();
    let marker = |name: &str, x: i32| json!({"add_object": {"marker": {"label": name, "at": {"x": x, "y": -2}}}});
    let lines = [json!({"select_volume": {"volume": 1}}), marker("SpawnPointLatejoin", 1)];
    std::fs::write(folder.path().join("add.jsonl"), lines.map(|line| format!("{line}\n")).concat()).unwrap();
    let parent_of = |name: &str, pos: &str| -> String {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let at = text.find(&format!("pos: {pos}\n")).unwrap_or_else(|| panic!("{pos}: {text}"));
        text[at..].lines().nth(1).unwrap().trim().to_owned()
    };
    succeed(folder.path(), &["apply", "two.yml", "add.jsonl", "-o", "a.yml"]);
    assert_eq!(parent_of("a.yml", "1.5,1.5"), "parent: 20", "it stands on the second grid");
    std::fs::write(folder.path().join("one.jsonl"), format!("{}\n", marker("SpawnPointLatejoin", 1))).unwrap();
    succeed(folder.path(), &["apply", "two.yml", "one.jsonl", "-o", "b.yml", "--set", "grid=Shuttle"]);
    assert_eq!(parent_of("b.yml", "1.5,1.5"), "parent: 20");
    // One that is set stays on its grid, also where the first one is active.
    let info = answer(&succeed(folder.path(), &["info", "a.yml", "--json"]));
    let object = info["objects"].as_array().unwrap().iter().find(|object| object.to_string().contains("Latejoin")).unwrap();
    let set = json!({"set_object": {"id": object["id"], "object": {"marker": {"label": "SpawnPointLatejoin", "at": {"x": 2, "y": -2}}}}});
    std::fs::write(folder.path().join("set.jsonl"), format!("{set}\n")).unwrap();
    succeed(folder.path(), &["apply", "a.yml", "set.jsonl", "-o", "c.yml"]);
    assert_eq!(parent_of("c.yml", "2.5,1.5"), "parent: 20");
    // As commands are written, nothing is left open.
    for (text, written) in [(r#""volume":1"#, true), (r#""volume":0"#, true), (r#""role":"point""#, false)] {
        let line = format!(r#"{{"add_object":{{"marker":{{"label":"a","at":{{"x":1,"y":2}},{text}}}}}}}"#);
        let command: Command = serde_json::from_str(&line).unwrap();
        let again = serde_json::to_string(&command).unwrap();
        assert_eq!(again.contains("volume"), written, "{again}");
        assert_eq!(serde_json::from_str::<Command>(&again).unwrap(), command);
    }
}

#[test]
fn a_project_file_of_a_station_that_spadework_wrote_is_replaced() {
    let folder = folder();
    for name in ["First", "Second"] {
        std::fs::write(folder.path().join("name.jsonl"), format!("{}\n", json!({"set_property": {"name": name}}))).unwrap();
        let ran = succeed(folder.path(), &["apply", "two.yml", "name.jsonl", "-o", "new.yml", "--overwrite"]);
        assert!(!ran.err.contains("by hand"), "{ran:?}");
        let project = std::fs::read_to_string(folder.path().join("new.ss14.spadework.yaml")).unwrap();
        assert!(project.contains(name), "{project}");
    }
    // One that maps of one name shared stays.
    let before = "spadework: 1\nobjects:\n- marker: {label: bridge, at: {x: 1, y: 2}}\n";
    std::fs::write(folder.path().join("other.spadework.yaml"), before).unwrap();
    succeed(folder.path(), &["apply", "two.yml", "name.jsonl", "-o", "other.yml", "--overwrite"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("other.spadework.yaml")).unwrap(), before);
    let own = std::fs::read_to_string(folder.path().join("other.ss14.spadework.yaml")).unwrap();
    assert!(own.contains("Second") && !own.contains("bridge"), "{own}");
}

#[test]
fn what_the_map_cannot_hold_lies_beside_it() {
    let folder = folder();
    let path = folder.path().join("two.yml");
    let mut editor = editor(None);
    act(&mut editor, Action::Open(path.clone()));
    act(&mut editor, Action::Edit(Command::SetProperty(ops::SetProperty(Property::Description(Some("A small one".into()))))));
    act(&mut editor, Action::Save);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), map());
    let project = std::fs::read_to_string(folder.path().join("two.ss14.spadework.yaml")).unwrap();
    assert!(project.contains("description: A small one"), "{project}");
    let info = answer(&succeed(folder.path(), &["info", "two.yml", "--json"]));
    assert_eq!(info["metadata"]["description"], json!("A small one"));
}

/// A folder as the game's is: one texture, of one color.
fn resources(folder: &Path) {
    for path in ["Resources/Prototypes/Tiles", "Resources/Textures/Tiles"] {
        std::fs::create_dir_all(folder.join(path)).unwrap();
    }
    let prototypes = "- type: tile\n  id: FloorSteel\n  sprite: /Textures/Tiles/steel.png\n";
    std::fs::write(folder.join("Resources/Prototypes/Tiles/floors.yml"), prototypes).unwrap();
    let mut png = vec![];
    let mut encoder = png::Encoder::new(&mut png, 4, 2);
    encoder.set_color(png::ColorType::Rgb);
    // The second square is another variant, which does not count.
    let row = [[0x12, 0x34, 0x56], [0x12, 0x34, 0x56], [0xff, 0, 0], [0xff, 0, 0]].concat();
    encoder.write_header().unwrap().write_image_data(&row.repeat(2)).unwrap();
    std::fs::write(folder.join("Resources/Textures/Tiles/steel.png"), png).unwrap();
}

#[test]
fn tiles_take_their_colors_from_a_resources_folder() {
    let folder = folder();
    resources(folder.path());
    let path = folder.path().join("two.yml");
    let mut editor = editor(None);
    act(&mut editor, Action::Open(path.clone()));
    let steel = |editor: &Editor| editor.active().unwrap().document().palette.color_of("FloorSteel").unwrap();
    let built_in = steel(&editor);
    let choose = |editor: &mut Editor, value: String| act(editor, Action::SetReadOption { format: "ss14", option: "resources", value });
    choose(&mut editor, folder.path().join("Resources").display().to_string());
    assert_eq!(steel(&editor), Rgb::new(0x12, 0x34, 0x56));
    assert_eq!(editor.active().unwrap().document().store().voxel(AT).and_then(|voxel| voxel.rgb()), Some(Rgb::new(0x12, 0x34, 0x56)));
    // A folder that is none: the map opens all the same, and it is told why.
    choose(&mut editor, folder.path().display().to_string());
    assert_eq!(steel(&editor), built_in);
    assert!(editor.messages().iter().any(|message| message.detail.as_deref().unwrap_or_default().contains("Resources folder")));
    choose(&mut editor, String::new());
    assert_eq!(steel(&editor), built_in);

    let plan = |arguments: &[&str]| {
        succeed(folder.path(), &[&["export", "two.yml", "plan.png", "--overwrite"], arguments].concat());
        std::fs::read(folder.path().join("plan.png")).unwrap()
    };
    assert_ne!(plan(&[]), plan(&["--set", "resources=Resources"]));
    let wrong = run(folder.path(), &["info", "two.yml", "--set", "resources=Nowhere"]);
    assert!(wrong.code == Some(1) && wrong.err.contains("Nowhere") && wrong.err.contains("Resources folder of a Space"), "{wrong:?}");
    // What the folder lacks is told once by every verb that reads the map, and nothing without a folder.
    for verb in [&["info", "two.yml"][..], &["convert", "two.yml", "copy.yml", "--overwrite"]] {
        let told = |arguments: &[&str]| {
            let ran = succeed(folder.path(), &[verb, arguments].concat());
            format!("{}{}", ran.out, ran.err)
        };
        let text = told(&["--set", "resources=Resources"]);
        assert_eq!(text.matches("1 tile is not in the Resources folder: Plating. A game with these").count(), 1, "{verb:?}: {text}");
        assert!(!told(&[]).contains("Resources folder"));
    }
    // An edit is saved by the tile's name, whatever its color is called.
    let script =
        format!("{{\"set\":{{\"at\":[0,-1,0],\"color\":\"#123456\"}}}}\n{{\"set\":{{\"at\":[{},{},0],\"color\":\"#123456\"}}}}", 0, -2);
    std::fs::write(folder.path().join("edits.jsonl"), script).unwrap();
    succeed(folder.path(), &["apply", "two.yml", "edits.jsonl", "-o", "new.yml", "--set", "resources=Resources"]);
    let saved = std::fs::read_to_string(folder.path().join("new.yml")).unwrap();
    assert_eq!(changed_lines(&map(), &saved).len(), 1);
}

#[test]
fn real_maps_of_several_grids_change_by_one_line_in_each() {
    let Some(folder) = std::env::var_os("SPADEWORK_SS14_MAPS") else {
        println!("skipped: SPADEWORK_SS14_MAPS names no folder of Space Station 14 maps");
        return;
    };
    let format = spadework::format::map_format("ss14").unwrap();
    let progress = spadework::document::Progress::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(bytes) = path.extension().filter(|kind| *kind == "yml").and_then(|_| std::fs::read(&path).ok()) else { continue };
        let source = spadework::format::MemorySource(bytes.as_slice().into());
        let mut report = spadework::format::Report::new();
        let document = format.read(&source, &Options::new(), &progress, &mut report).unwrap();
        if report.warnings.iter().any(|warning| warning.code == "read-only") {
            continue;
        }
        for (number, volume) in document.volumes().iter().enumerate().filter(|(_, volume)| volume.store.solid_count() > 1) {
            let store = &volume.store;
            let Some(at) = store.bounds().positions().find(|pos| store.is_solid(*pos)) else { continue };
            let now = store.voxel(at).and_then(|voxel| voxel.rgb()).unwrap();
            let used = store.bounds().positions().filter_map(|pos| store.voxel(pos)?.rgb()).find(|color| *color != now);
            let Some(other) = used else { continue };
            let mut edit = StoreEdit::new(store);
            edit.set(at, Some(Voxel::new(other)));
            let mut after = document.clone();
            after.set_active(number);
            after.store_mut(number).unwrap().apply(&edit.finish());
            let mut saved = vec![];
            format.write(&after, &mut saved, &Options::new(), &progress, &mut report).unwrap();
            let lines = changed_lines(&String::from_utf8_lossy(&bytes), &String::from_utf8_lossy(&saved));
            assert_eq!(lines.len(), 1, "{} volume {number}", path.display());
        }
        println!("{}: {} volumes", path.display(), document.volumes().len());
    }
}
