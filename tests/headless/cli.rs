//! The program as it is called: every verb on the built binary, with good and with bad files.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use glam::IVec3;
use serde_json::Value;
use spadework::cli::VERBS;
use spadework::document::{Document, GameProfile, Object, Options, Progress};
use spadework::format::{MemorySource, Report, map_format, recognize};
use spadework::terrain::{Params, generator};
use spadework::voxel::{Outside, Rgb, surface_of_chunk};

use crate::cli_recover::leave_unsaved;

/// A script that does a little of everything.
pub(crate) const SCRIPT: &str = concat!(
    "# Words, then commands.\n{\"spadework\":1}\n\n",
    r##"{"set":{"at":[5,6,2],"color":"#ff8000"}}"##,
    "\n",
    r##"{"fill":{"box":[[10,10,0],[20,20,4]],"color":"#203040"}}"##,
    "\n",
    r##"{"remove":{"at":[12,12,1]}}"##,
    "\n",
    r##"{"spawn":{"team":"blue","region":[[8,8],[24,30]],"replace":true}}"##,
    "\n",
);

/// What a call of the program gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    pub(crate) fn of(output: std::process::Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// A call of the program that can be talked with.
pub(crate) fn spadework(folder: &Path, arguments: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_spadework"));
    program.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // What other sessions of this computer left is nobody's business here.
    program.env("SPADEWORK_STATE_DIR", state(folder)).env("SPADEWORK_CONFIG_DIR", state(folder));
    program
}

#[track_caller]
pub(crate) fn run_with(folder: &Path, arguments: &[&str], input: &str) -> Ran {
    let mut child = spadework(folder, arguments).spawn().unwrap();
    // A verb that reads no input may be gone already.
    child.stdin.take().unwrap().write_all(input.as_bytes()).ok();
    Ran::of(child.wait_with_output().unwrap())
}

/// Runs a script with `apply --ack --overwrite` from one map to another, does something while it runs, and kills it or lets it end.
pub(crate) fn apply_meanwhile(folder: &Path, [from, to]: [&str; 2], script: &str, kill: bool, meanwhile: impl FnOnce()) -> Ran {
    let mut process = spadework(folder, &["apply", from, "-", "-o", to, "--overwrite", "--ack"]).spawn().unwrap();
    let mut input = process.stdin.take().unwrap();
    input.write_all(script.as_bytes()).unwrap();
    // Once the first number is printed, the map is open.
    let mut first = [0; 2];
    process.stdout.as_mut().unwrap().read_exact(&mut first).unwrap();
    meanwhile();
    if kill {
        process.kill().unwrap();
    }
    drop(input);
    Ran::of(process.wait_with_output().unwrap())
}

/// Where the program keeps journals in a test.
pub(crate) fn state(folder: &Path) -> PathBuf {
    folder.join("state")
}

#[track_caller]
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Ran {
    run_with(folder, arguments, "")
}

#[track_caller]
pub(crate) fn succeed(folder: &Path, arguments: &[&str]) -> Ran {
    let ran = run(folder, arguments);
    assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    ran
}

/// Fails with one line that holds every one of the words.
#[track_caller]
pub(crate) fn check_fails(folder: &Path, arguments: &[&str], words: &[&str]) {
    let ran = run(folder, arguments);
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{arguments:?}: {ran:?}");
    assert!(ran.err.starts_with("spadework: ") && ran.err.lines().count() == 1, "{arguments:?}: {}", ran.err);
    for word in words {
        assert!(ran.err.contains(word), "{arguments:?} without {word:?}: {}", ran.err);
    }
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

/// A folder with a small island in `castle.vxl` and in `maps`, and a script in `edits.jsonl`.
pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("castle.vxl"), castle()).unwrap();
    std::fs::write(folder.path().join("edits.jsonl"), SCRIPT).unwrap();
    std::fs::create_dir(folder.path().join("maps")).unwrap();
    std::fs::write(folder.path().join("maps/castle.vxl"), castle()).unwrap();
    std::fs::write(folder.path().join("tree.vox"), tree()).unwrap();
    let ramp: Vec<u8> = (0..64 * 64).map(|at| (at % 64 * 4) as u8).collect();
    std::fs::write(folder.path().join("hills.png"), png_of(png::ColorType::Grayscale, &ramp)).unwrap();
    std::fs::write(folder.path().join("colors.png"), png_of(png::ColorType::Rgb, &[10, 200, 30].repeat(64 * 64))).unwrap();
    folder
}

/// A red trunk of 1×1×3 under a green crown of 3×3×2.
fn tree() -> Vec<u8> {
    let trunk = (0..3).map(|z| dot_vox::Voxel { x: 1, y: 1, z, i: 0 });
    let crown = (0..18).map(|at| dot_vox::Voxel { x: at % 3, y: at / 3 % 3, z: 3 + at / 9, i: 1 });
    let model = dot_vox::Model { size: dot_vox::Size { x: 3, y: 3, z: 5 }, voxels: trunk.chain(crown).collect() };
    vox(model)
}

/// A scene of one model, whose colors are red and green.
fn vox(model: dot_vox::Model) -> Vec<u8> {
    let mut palette = vec![dot_vox::Color { r: 20, g: 160, b: 40, a: 255 }; 256];
    palette[0] = dot_vox::Color { r: 200, g: 0, b: 0, a: 255 };
    let (models, index_map) = (vec![model], vec![]);
    let data = dot_vox::DotVoxData { version: 150, index_map, models, palette, materials: vec![], scenes: vec![], layers: vec![] };
    let mut bytes = vec![];
    data.write_vox(&mut bytes).unwrap();
    bytes
}

/// A red cube of 3×3×3 with a green middle that nobody sees.
fn cube() -> Vec<u8> {
    let voxels = (0..27).map(|at| dot_vox::Voxel { x: at % 3, y: at / 3 % 3, z: at / 9, i: u8::from(at == 13) });
    let model = dot_vox::Model { size: dot_vox::Size { x: 3, y: 3, z: 3 }, voxels: voxels.collect() };
    vox(model)
}

#[cfg(target_os = "linux")]
#[test]
fn an_answer_for_which_there_is_no_room_is_a_failure() {
    let folder = folder();
    for arguments in [&["info", "castle.vxl"][..], &["--help"], &["info", "--help"], &["--version"]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = spadework(folder.path(), arguments).stdout(full).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && told.contains("cannot write the output"), "{arguments:?}: {told}");
    }
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = spadework(folder.path(), &["convert", "castle.vxl", "castle.vmf"]).stdout(full).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(1) && told.contains("; everything else is done") && folder.path().join("castle.vmf").exists(),
        "{told}"
    );
}

#[test]
fn a_color_inside_of_a_model_that_is_put_into_a_map_is_a_loss_where_the_map_keeps_none() {
    let folder = folder();
    std::fs::write(folder.path().join("cube.vox"), cube()).unwrap();
    let into = |out: &'static str| ["import", "cube.vox", "--into", "castle.vxl", "--at", "30,31,10", "-o", out, "--deny-loss"];
    check_fails(folder.path(), &into("new.vxl"), &["new.vxl: not written", "1 hidden voxel"]);
    succeed(folder.path(), &into("new.vmf"));
}

#[test]
fn what_of_a_model_comes_into_no_map_is_a_loss() {
    let folder = folder();
    let model = || dot_vox::Model { size: dot_vox::Size { x: 3, y: 3, z: 1 }, voxels: vec![dot_vox::Voxel { x: 1, y: 1, z: 0, i: 0 }] };
    let data = dot_vox::DotVoxData {
        version: 150,
        index_map: vec![],
        models: vec![model(), model()],
        palette: vec![dot_vox::Color { r: 200, g: 0, b: 0, a: 255 }; 256],
        materials: vec![],
        scenes: vec![],
        layers: vec![],
    };
    let mut two = vec![];
    data.write_vox(&mut two).unwrap();
    std::fs::write(folder.path().join("two.vox"), two).unwrap();
    std::fs::write(folder.path().join("cube.vox"), cube()).unwrap();
    let two = ["import", "two.vox", "-o", "new.vxl"];
    check_fails(folder.path(), &[&two[..], &["--deny-loss"]].concat(), &["new.vxl: not written", "beside the first"]);
    assert!(run(folder.path(), &two).err.contains("beside the first"));
    let at_the_edge = ["import", "cube.vox", "--into", "castle.vxl", "--at", "0,0,10", "-o", "new.vmf"];
    check_fails(folder.path(), &[&at_the_edge[..], &["--deny-loss"]].concat(), &["new.vmf: not written", "fell outside the map"]);
    succeed(folder.path(), &at_the_edge);
}

/// A square picture.
pub(crate) fn png_of(color: png::ColorType, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![];
    let side = (data.len() / color.samples()).isqrt() as u32;
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(color);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

pub(crate) fn castle() -> Vec<u8> {
    let params = Params { size: IVec3::new(64, 64, 64), ..Params::game(7) };
    let store = generator("island").unwrap().generate(&params, &Progress::new()).unwrap();
    let document = Document::new(store, &GameProfile::ACE_OF_SPADES);
    let mut bytes = vec![];
    let written = map_format("vxl").unwrap().write(&document, &mut bytes, &Options::new(), &Progress::new(), &mut Report::new());
    written.unwrap();
    bytes
}

pub(crate) fn read(path: &Path) -> Document {
    let source = MemorySource(std::fs::read(path).unwrap().into());
    recognize(&source, None).unwrap().read(&source, &Options::new(), &Progress::new(), &mut Report::new()).unwrap()
}

pub(crate) fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.out).unwrap()
}

#[test]
fn every_verb_has_help_and_examples_that_run() {
    // Help is wrapped; examples are not.
    let unwrapped = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let top = unwrapped(&succeed(Path::new("."), &["--help"]).out);
    for verb in VERBS {
        let help = succeed(Path::new("."), &[verb.name, "--help"]).out;
        assert!(top.contains(verb.about) && unwrapped(&help).contains(verb.about), "{}", verb.name);
        assert!(!verb.examples.is_empty(), "{}", verb.name);
        let folder = folder();
        leave_unsaved(folder.path(), "castle");
        leave_unsaved(folder.path(), "tower");
        for example in verb.examples {
            assert!(help.contains(example.line) && help.contains(example.about), "{}", example.line);
            let words: Vec<&str> = example.line.split(' ').collect();
            assert_eq!((words[0], words[1]), ("spadework", verb.name));
            let ran = run_with(folder.path(), &words[1..], SCRIPT);
            if verb.name == "render" && !draws(&ran) {
                continue;
            }
            assert_eq!(ran.code, Some(0), "{}: {ran:?}", example.line);
            assert!(!ran.out.is_empty(), "{}", example.line);
        }
    }
}

/// Whether pictures can be drawn here; if not, the failure said why.
fn draws(ran: &Ran) -> bool {
    if !cfg!(feature = "gui") {
        assert!(ran.code == Some(1) && ran.err.contains("draws no pictures"), "{ran:?}");
        return false;
    }
    let missing = ran.err.contains("no graphics adapter");
    if missing {
        assert!(std::env::var_os("REQUIRE_GPU").is_none(), "{ran:?}");
        println!("skipped: {}", ran.err);
    }
    !missing
}

#[test]
fn a_picture_has_the_size_asked_for_and_replaces_only_pictures() {
    let folder = folder();
    let ran = run(folder.path(), &["render", "castle.vxl", "-o", "a.png", "--size", "96x64", "--view", "north"]);
    if !draws(&ran) {
        return;
    }
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(folder.path().join("a.png")).unwrap()));
    assert_eq!(decoder.read_info().unwrap().info().size(), (96, 64));
    check_fails(folder.path(), &["render", "castle.vxl", "-o", "castle.vxl"], &["castle.vxl", "no PNG picture"]);
    assert_eq!(std::fs::read(folder.path().join("castle.vxl")).unwrap(), castle());
    check_fails(folder.path(), &["render", "castle.vxl", "-o", "no/a.png", "--size", "8x8"], &["no/a.png", "does not exist"]);
}

#[test]
fn info_tells_other_programs_what_the_map_holds() {
    let folder = folder();
    let info = json(&succeed(folder.path(), &["info", "castle.vxl", "--json"]));
    let document = read(&folder.path().join("castle.vxl"));
    assert_eq!(info["format"], "vxl");
    assert_eq!(info["size"], serde_json::json!([64, 64, 64]));
    assert_eq!(info["solid_voxels"], document.store().solid_count());
    let colors: BTreeSet<[u8; 3]> =
        document.bounds().positions().filter_map(|pos| document.store().paint(pos)).map(|paint| paint.rgb.to_array()).collect();
    assert_eq!(info["colors"], colors.len());
    assert!(info["metadata"].as_object().unwrap().contains_key("fog") && info["problems"].is_array(), "{info}");
    let text = succeed(folder.path(), &["info", "castle.vxl"]).out;
    assert!(text.contains("64 × 64 × 64") && text.contains("different"), "{text}");
    assert!(json(&succeed(folder.path(), &["check", "castle.vxl", "--json"]))["problems"].is_array());
}

#[test]
fn converting_to_the_same_format_keeps_every_byte() {
    let folder = folder();
    let report = json(&succeed(folder.path(), &["convert", "castle.vxl", "keep.vxl", "--json"]));
    assert_eq!((&report["to"]["format"], &report["written"][0]), (&Value::from("vxl"), &Value::from("keep.vxl")));
    assert_eq!(std::fs::read(folder.path().join("keep.vxl")).unwrap(), castle());
    succeed(folder.path(), &["convert", "castle.vxl", "castle.vxl", "--overwrite"]);
    assert_eq!(std::fs::read(folder.path().join("castle.vxl")).unwrap(), castle());
}

#[test]
fn through_vmf_and_back_solids_and_surface_colors_stay() {
    let folder = folder();
    succeed(folder.path(), &["convert", "castle.vxl", "castle.vmf"]);
    succeed(folder.path(), &["convert", "castle.vmf", "back.vxl"]);
    let [before, after] = ["castle.vxl", "back.vxl"].map(|name| read(&folder.path().join(name)));
    for (pos, chunk) in before.store().chunks() {
        let other = after.store().chunk(pos).unwrap();
        assert_eq!(chunk.solid(), other.solid());
        for (column, mask) in surface_of_chunk(before.store(), pos, Outside::GAME).into_iter().enumerate() {
            for z in (0..32).filter(|z| mask >> z & 1 == 1) {
                let color = |chunk: &spadework::voxel::Chunk| chunk.paint(column, z).map(|paint| paint.rgb);
                assert_eq!(color(chunk), color(other), "{pos:?} {column} {z}");
            }
        }
    }
}

#[test]
fn scripts_edit_voxels_and_objects() {
    let folder = folder();
    let ran = succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "new.vmf"]);
    assert!(ran.out.contains("4 commands, 4 of them changed something"), "{ran:?}");
    let map = read(&folder.path().join("new.vmf"));
    let color = |x, y, z| map.store().voxel(IVec3::new(x, y, z)).and_then(|voxel| voxel.rgb());
    assert_eq!(color(5, 6, 2), Some(Rgb::new(0xff, 0x80, 0)));
    assert_eq!(color(10, 19, 3), Some(Rgb::new(0x20, 0x30, 0x40)));
    assert!(!map.store().is_solid(IVec3::new(12, 12, 1)));
    let regions: Vec<&Object> = map.objects.iter().map(|(_, object)| object).collect();
    assert!(matches!(regions[..], [Object::SpawnRegion { area, .. }] if area.size() == [16, 22]), "{regions:?}");

    let piped = run_with(folder.path(), &["apply", "castle.vxl", "-", "-o", "piped.vmf"], SCRIPT);
    assert_eq!(piped.code, Some(0), "{piped:?}");
    assert_eq!(["new.vmf", "piped.vmf"].map(|name| std::fs::read(folder.path().join(name)).unwrap()).windows(2).count(), 1);
    assert_eq!(read(&folder.path().join("piped.vmf")).store().solid_count(), map.store().solid_count());
}

#[test]
fn a_script_that_fails_names_its_line_and_writes_nothing() {
    let folder = folder();
    for (script, words) in [
        ("\n{\"set\":{\"at\":[1,2,3],\"color\":\"#ffffff\"}}\n{\"set\":{}}\n", ["bad.jsonl: line 3", "is missing"]),
        ("{\"set\":{\"at\":[1,2,300],\"color\":\"#ffffff\"}}", ["bad.jsonl: line 1", "outside the map"]),
        ("hello", ["bad.jsonl: line 1", "a line holds one command as JSON"]),
    ] {
        std::fs::write(folder.path().join("bad.jsonl"), script).unwrap();
        check_fails(folder.path(), &["apply", "castle.vxl", "bad.jsonl", "-o", "new.vxl"], &words);
        assert!(!folder.path().join("new.vxl").exists());
    }
    check_fails(folder.path(), &["apply", "castle.vxl", "none.jsonl", "-o", "new.vxl"], &["none.jsonl", "does not exist"]);
    check_fails(folder.path(), &["apply", "castle.vxl", ".", "-o", "new.vxl"], &["it is a folder"]);
}

#[test]
fn bad_files_fail_with_one_line_that_names_them() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let mut random = 1_u32;
    let noise: Vec<u8> =
        (0..5000).map(|_| (random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223), (random >> 24) as u8).1).collect();
    std::fs::write(at("empty.vxl"), []).unwrap();
    std::fs::write(at("random.vxl"), &noise).unwrap();
    std::fs::write(at("random.vmf"), &noise).unwrap();
    std::fs::write(at("random"), &noise).unwrap();
    std::fs::write(at("text.vxl"), "not a map\n".repeat(100)).unwrap();
    std::fs::create_dir(at("folder.vxl")).unwrap();
    let whole = castle();
    for length in [1, 4, 5, whole.len() / 2, whole.len() - 1] {
        std::fs::write(at("truncated.vxl"), &whole[..length]).unwrap();
        check_fails(folder.path(), &["info", "truncated.vxl"], &["truncated.vxl: "]);
    }
    succeed(folder.path(), &["convert", "castle.vxl", "whole.vmf"]);
    let whole = std::fs::read(at("whole.vmf")).unwrap();
    std::fs::write(at("truncated.vmf"), &whole[..whole.len() - 1]).unwrap();
    let names = [
        "empty.vxl",
        "random.vxl",
        "random.vmf",
        "random",
        "text.vxl",
        "folder.vxl",
        "truncated.vxl",
        "truncated.vmf",
        "missing.vxl",
        "no/a.vxl",
    ];
    for name in names {
        check_fails(folder.path(), &["info", name], &[name]);
        check_fails(folder.path(), &["info", "--json", name], &[name]);
        check_fails(folder.path(), &["check", name], &[name]);
        check_fails(folder.path(), &["convert", name, "new.vxl"], &[name]);
        check_fails(folder.path(), &["apply", name, "edits.jsonl", "-o", "new.vxl"], &[name]);
        check_fails(folder.path(), &["render", name, "-o", "new.png"], &[name]);
    }
    assert!(!at("new.vxl").exists() && !at("new.png").exists());
    check_fails(folder.path(), &["convert", "castle.vxl", "new.xyz"], &["new.xyz", ".vxl"]);
    check_fails(folder.path(), &["convert", "castle.vxl", "no/new.vxl"], &["no/"]);
    check_fails(folder.path(), &["convert", "castle.vxl", "folder.vxl"], &["folder.vxl"]);
}

#[test]
fn existing_maps_are_replaced_only_when_told_to() {
    let folder = folder();
    let other = folder.path().join("other.vxl");
    std::fs::write(&other, "mine").unwrap();
    let words = ["other.vxl", "exists already", "--overwrite"];
    check_fails(folder.path(), &["convert", "castle.vxl", "other.vxl"], &words);
    check_fails(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "other.vxl"], &words);
    check_fails(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "./castle.vxl"], &["castle.vxl", "exists already"]);
    assert_eq!(std::fs::read(&other).unwrap(), b"mine");
    succeed(folder.path(), &["convert", "castle.vxl", "other.vxl", "--overwrite"]);
    assert_eq!(std::fs::read(&other).unwrap(), castle());
}

#[test]
fn things_of_other_programs_become_maps_or_go_into_one() {
    let folder = folder();
    let map = |name: &str| read(&folder.path().join(name));
    let color = |map: &Document, x, y, z| map.store().voxel(IVec3::new(x, y, z)).and_then(|voxel| voxel.rgb());
    let report = json(&succeed(folder.path(), &["import", "hills.png", "-o", "hills.vxl", "--color", "colors.png", "--json"]));
    assert_eq!((&report["from"]["format"], &report["to"]["format"]), (&Value::from("heightmap"), &Value::from("vxl")));
    let hills = map("hills.vxl");
    assert_eq!(hills.bounds().size(), IVec3::new(64, 64, 64));
    assert_eq!([0, 32, 63].map(|x| hills.store().ground(x, 9, 0)), [Some(63), Some(35), Some(9)]);
    assert_eq!(color(&hills, 63, 9, 9), Some(Rgb::new(10, 200, 30)));

    let ran = succeed(folder.path(), &["import", "tree.vox", "-o", "tree.vxl"]);
    assert!(ran.out.contains("MagicaVoxel scene, 3×3×5 voxels"), "{ran:?}");
    let tree = map("tree.vxl");
    assert_eq!((tree.bounds().size(), tree.store().solid_count()), (IVec3::new(512, 512, 64), 512 * 512 + 21));
    assert_eq!((color(&tree, 255, 255, 62), color(&tree, 256, 256, 58)), (Some(Rgb::new(200, 0, 0)), Some(Rgb::new(20, 160, 40))));

    succeed(folder.path(), &["import", "tree.vox", "--into", "castle.vxl", "--at", "30,31,10", "-o", "castle.vxl", "--overwrite"]);
    let castle = map("castle.vxl");
    assert_eq!([10, 6].map(|z| color(&castle, 30, 31, z)), [Some(Rgb::new(200, 0, 0)), Some(Rgb::new(20, 160, 40))]);
    assert_eq!(color(&castle, 29, 30, 7), Some(Rgb::new(20, 160, 40)));

    // What is odd about the map that it is put into is told of that one.
    let sky = [0, 10, 10, 0, 1, 2, 3, 128].repeat(64 * 64);
    std::fs::write(folder.path().join("sky.vxl"), sky).unwrap();
    let told = succeed(folder.path(), &["import", "tree.vox", "--into", "sky.vxl", "--at", "30,31,10", "-o", "new-sky.vxl"]).err;
    assert!(told.contains("sky.vxl: ") && !told.contains("tree.vox"), "{told}");
    let into = ["import", "tree.vox", "--into", "sky.vxl", "--at", "30,31,10", "-o", "sky-2.vxl", "--json"];
    let warnings = json(&succeed(folder.path(), &into))["warnings"].clone();
    let about =
        |code: &str| warnings.as_array().unwrap().iter().find(|warning| warning["code"] == code).map(|warning| warning["file"].clone());
    assert_eq!(about("guessed-size"), Some("sky.vxl".into()), "{warnings}");

    // What was exported comes back: the land by its heights and colors, a model whole.
    for kind in ["height", "color"] {
        succeed(folder.path(), &["export", "castle.vxl", &format!("{kind}.png"), "--as", kind]);
    }
    let steps = ["--set", "steps=true"];
    succeed(folder.path(), &[&["import", "height.png", "-o", "land.vxl", "--color", "color.png"], &steps[..]].concat());
    let land = map("land.vxl");
    for (x, y) in (0..64).flat_map(|y| (0..64).map(move |x| (x, y))) {
        let z = castle.store().ground(x, y, 0).unwrap();
        assert_eq!(land.store().ground(x, y, 0), Some(z), "{x},{y}");
        assert_eq!(color(&land, x, y, z), color(&castle, x, y, z), "{x},{y}");
    }
    succeed(folder.path(), &["export", "castle.vxl", "castle.vox"]);
    succeed(folder.path(), &["import", "castle.vox", "-o", "back.vmf"]);
    let back = map("back.vmf");
    // Its lowest plane stands on the new water, in the middle of a larger map.
    for at in castle.bounds().positions() {
        let there = at + IVec3::new(224, 224, -1);
        assert_eq!(back.store().is_solid(there), castle.store().is_solid(at), "{at}");
    }

    let fails = |arguments: &[&str], words: &[&str]| check_fails(folder.path(), arguments, words);
    fails(&["import", "tree.vox", "-o", "tree.vxl"], &["tree.vxl", "exists already", "--overwrite"]);
    fails(&["import", "edits.jsonl", "-o", "new.vxl"], &["edits.jsonl", "no model or picture that import reads", ".kv6"]);
    fails(&["import", "castle.vxl", "-o", "new.vxl"], &["castle.vxl: this is a map, which spadework convert reads"]);
    fails(&["import", "tree.vox", "-o", "new.vxl", "--color", "colors.png"], &["tree.vox", "is not supported"]);
    fails(
        &["import", "hills.png", "-o", "new.vxl", "--color", "castle.vxl"],
        &["castle.vxl: ", "cannot be read: it is damaged, or no PNG"],
    );
    succeed(folder.path(), &["import", "tree.vox", "-o", "wide.vxl"]);
    succeed(folder.path(), &["export", "wide.vxl", "wide.png"]);
    let sizes = ["wide.png: the picture with the colors is 512×512 pixels", "64×64"];
    fails(&["import", "hills.png", "-o", "new.vxl", "--color", "wide.png"], &sizes);
    fails(&["import", "hills.png", "-o", "new.vxl", "--set", "high=99"], &["high takes a whole number from 0 to 63"]);
    fails(&["import", "hills.png", "-o", "new.vxl", "--set", "curve=1:0"], &["curve", "1:0", "an exponent from 0.0625 to 16"]);
    let told = run(folder.path(), &["import", "hills.png", "-o", "new.vxl", "--set", "curve=9:9"]).err;
    assert_eq!(told.matches("an exponent from").count(), 1, "{told}");
    fails(&["import", "hills.png", "-o", "new.vxl", "--set", "depth=9"], &["depth=9"]);
    fails(
        &["import", "tree.vox", "-o", "new.vxl", "--set", "high=9"],
        &["--set high", "tree.vox is read as MagicaVoxel", "no such option", "Heightmap"],
    );
    fails(&["import", "tree.vox", "--into", "castle.vxl", "--at", "900,0,0", "-o", "new.vxl"], &["castle.vxl", "outside the map"]);
    assert!(!folder.path().join("new.vxl").exists());
}

#[test]
fn wrong_calls_exit_with_two_and_show_the_usage() {
    for wrong in [
        &["info"][..],
        &["info", "a.vxl", "--loud"],
        &["convert", "a.vxl"],
        &["convert", "a.vxl", "b.vxl", "--set", "color=red"],
        &["render", "a.vxl", "-o", "a.png", "--size", "0x0"],
        &["render", "a.vxl", "-o", "a.png", "--view", "below"],
        &["apply", "a.vxl", "b.jsonl"],
        &["convert", "src", "b"],
        &["convert", "src", "b", "--to", "xyz"],
        &["convert", "Cargo.toml", "b.vxl", "--to", "vxl"],
        &["import", "a.vox"],
        &["import", "a.vox", "-o", "b.vxl", "--into", "c.vxl"],
        &["import", "a.vox", "-o", "b.vxl", "--into", "c.vxl", "--at", "1,2"],
    ] {
        let ran = run(Path::new("."), wrong);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{wrong:?}: {ran:?}");
        assert!(ran.err.starts_with("error: ") && ran.err.contains("--help"), "{wrong:?}: {}", ran.err);
    }
    let version = succeed(Path::new("."), &["--version"]).out;
    assert_eq!(version.trim(), concat!("spadework ", env!("CARGO_PKG_VERSION")));
    if !cfg!(feature = "gui") {
        check_fails(Path::new("."), &["castle.vxl"], &["no window"]);
        check_fails(Path::new("."), &[], &["no window"]);
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let folder = folder();
    let mut program = Command::new(env!("CARGO_BIN_EXE_spadework"));
    program.args(["info", "castle.vxl", "--json"]).current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// The bytes of each column of a VXL map of 512×512.
fn columns(bytes: &[u8]) -> Vec<&[u8]> {
    let mut columns = vec![];
    let mut start = 0;
    while columns.len() < 512 * 512 {
        let mut at = start;
        while bytes[at] != 0 {
            at += 4 * usize::from(bytes[at]);
        }
        // The last span ends with its top colors.
        let end = at + 4 + 4 * (usize::from(bytes[at + 2]) + 1).saturating_sub(usize::from(bytes[at + 1]));
        columns.push(&bytes[start..end]);
        start = end;
    }
    columns
}

#[test]
fn real_maps_keep_every_byte_but_those_around_an_edit() {
    let Some(maps) = std::env::var_os("SPADEWORK_MAPS") else {
        println!("skipped: SPADEWORK_MAPS names no folder with maps");
        return;
    };
    let mut seen = 0;
    for entry in std::fs::read_dir(maps).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "vxl") {
            continue;
        }
        seen += 1;
        let folder = tempfile::tempdir().unwrap();
        let before = std::fs::read(&path).unwrap();
        let name = path.to_str().unwrap();
        succeed(folder.path(), &["convert", name, "same.vxl"]);
        assert!(std::fs::read(folder.path().join("same.vxl")).unwrap() == before, "{name}");
        // On top of the ground: a voxel inside it would keep no color.
        let ground = read(&path).store().ground(201, 203, 0).unwrap_or(63);
        let set = format!(r##"{{"set":{{"at":[201,203,{}],"color":"#123456"}}}}"##, (ground - 1).max(0));
        let ran = run_with(folder.path(), &["apply", name, "-", "-o", "set.vxl"], &set);
        assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
        let after = std::fs::read(folder.path().join("set.vxl")).unwrap();
        for (at, (before, after)) in columns(&before).into_iter().zip(columns(&after)).enumerate() {
            let distance = (at % 512).abs_diff(201) + (at / 512).abs_diff(203);
            assert!(distance <= 1 || before == after, "{name}: column {},{}", at % 512, at / 512);
            assert!(distance > 0 || before != after, "{name}");
        }
    }
    println!("{seen} maps");
}
