//! `export`: every export on the built program, read back by other readers.

use serde_json::{Value, json};
use spadework::format::EXPORTS;

use crate::cli::{castle, check_fails, folder, json as answer, read, run, succeed};

#[test]
fn every_export_is_named_by_its_id_and_listed_in_the_help() {
    let folder = folder();
    let help = succeed(folder.path(), &["export", "--help"]).out;
    for export in EXPORTS {
        let name = format!("{}.{}", export.id(), export.extensions()[0]);
        let told = answer(&succeed(folder.path(), &["export", "castle.vxl", &name, "--as", export.id(), "--json"]));
        let size = std::fs::metadata(folder.path().join(&name)).unwrap().len();
        assert_eq!((&told["to"]["export"], &told["to"]["size_bytes"]), (&json!(export.id()), &json!(size)));
        assert!(told["losses"].is_array() && help.contains(export.label()), "{told}");
        for option in export.options() {
            assert!(help.contains(&format!("{} {}: ", export.id(), option.name)), "{}", option.name);
        }
        // What is there is replaced only when told to.
        check_fails(folder.path(), &["export", "castle.vxl", &name, "--as", export.id()], &[&name, "exists already", "--overwrite"]);
        succeed(folder.path(), &["export", "castle.vxl", &name, "--as", export.id(), "--overwrite"]);
    }
    // The first of those that share an extension is meant by it.
    assert_eq!(answer(&succeed(folder.path(), &["export", "castle.vxl", "a.PNG", "--json"]))["to"]["export"], "top");
}

#[test]
fn a_map_makes_room_for_no_file_of_another_kind() {
    let folder = folder();
    for other in ["castle.vmf", "castle.bin"] {
        succeed(folder.path(), &["convert", "castle.vxl", "castle.vmf", "--overwrite"]);
        std::fs::rename(folder.path().join("castle.vmf"), folder.path().join(other)).unwrap();
        let before = std::fs::read(folder.path().join(other)).unwrap();
        for export in EXPORTS {
            check_fails(
                folder.path(),
                &["export", "castle.vxl", other, "--as", export.id(), "--overwrite"],
                &[other, "a map is there, whose place only a map takes"],
            );
        }
        check_fails(folder.path(), &["doctor", "--bundle", other, "--overwrite"], &[other, "a map is there"]);
        assert_eq!(std::fs::read(folder.path().join(other)).unwrap(), before);
    }
}

#[test]
fn a_new_map_takes_options_of_its_format_beside_the_settings_of_its_land() {
    let folder = folder();
    let new = ["new", "long.vxl", "--terrain", "flat", "--set", "height=4", "--overwrite"];
    let of_size: [&[&str]; 3] = [&["--size", "32x16"], &["--set", "size=32x16"], &["--size", "32x16x64", "--set", "size=32x16"]];
    for size in of_size {
        let ran = succeed(folder.path(), &[&new[..], size].concat());
        assert!(ran.out.contains("32×16×64 voxels") && ran.err.contains("this map has 32×16"), "{ran:?}");
        let map = answer(&succeed(folder.path(), &["info", "long.vxl", "--size", "32x16", "--json"]));
        assert_eq!(map["size"], json!([32, 16, 64]));
        std::fs::remove_file(folder.path().join("long.vxl")).unwrap();
    }
    let both = [&new[..], &["--size", "16x32", "--set", "size=32x16"]].concat();
    check_fails(folder.path(), &both, &["--set size=32x16: --size 16x32 says otherwise"]);
    check_fails(folder.path(), &[&new[..], &["--set", "size=32xx"]].concat(), &["--set size=32xx", "of the form"]);
    check_fails(folder.path(), &[&new[..], &["--set", "lenient=7"]].concat(), &["--set lenient=7", "true or false"]);
    check_fails(folder.path(), &[&new[..], &["--set", "depth=7"]].concat(), &["--set depth=7", "flat has no such setting"]);
}

#[test]
fn exports_hold_what_the_map_holds() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let map = read(&at("castle.vxl"));
    succeed(folder.path(), &["export", "castle.vxl", "a.vox"]);
    // A whole map of the game's size brings its floor: nothing stands higher than it did.
    succeed(folder.path(), &["new", "whole.vxl"]);
    succeed(folder.path(), &["export", "whole.vxl", "whole.vox"]);
    succeed(folder.path(), &["import", "whole.vox", "-o", "again.vxl"]);
    let count = |name| answer(&succeed(folder.path(), &["info", name, "--json"]))["solid_voxels"].clone();
    assert_eq!(count("again.vxl"), count("whole.vxl"));
    let scene = dot_vox::load_bytes(&std::fs::read(at("a.vox")).unwrap()).unwrap();
    let voxels: usize = scene.models.iter().map(|model| model.voxels.len()).sum();
    assert_eq!((scene.models.len(), voxels as u64), (1, map.store().solid_count()));

    succeed(folder.path(), &["export", "castle.vxl", "a.glb"]);
    let glb = std::fs::read(at("a.glb")).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    assert!(json["accessors"][1]["count"].as_u64().unwrap() > 1000, "{json}");
    assert!(json["accessors"][1]["max"][1].as_f64().unwrap() <= 64.0, "{json}");

    succeed(folder.path(), &["export", "castle.vxl", "a.png", "--as", "height"]);
    let mut reader = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(at("a.png")).unwrap())).read_info().unwrap();
    let mut heights = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut heights).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (64, 64, png::ColorType::Grayscale));
    for (at, height) in heights.into_iter().enumerate() {
        let z = map.store().ground(at as i32 % 64, at as i32 / 64, 0).unwrap();
        assert_eq!(i32::from(height), 63 - z);
    }
}

#[test]
fn losses_can_be_denied_and_wrong_calls_are_explained() {
    let folder = folder();
    succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "new.vxl"]);
    check_fails(folder.path(), &["export", "new.vxl", "a.glb", "--deny-loss"], &["a.glb: not written", "1 object has no place"]);
    check_fails(folder.path(), &["export", "castle.vxl", "none/a.glb"], &["none/a.glb"]);
    check_fails(
        folder.path(),
        &["export", "castle.vxl", "./castle.vxl", "--as", "vox", "--overwrite"],
        &["cannot take the place of its map"],
    );
    check_fails(folder.path(), &["export", "none.vxl", "a.glb"], &["none.vxl"]);
    assert_eq!(std::fs::read(folder.path().join("castle.vxl")).unwrap(), castle());
    assert!(!folder.path().join("a.glb").exists());
    for wrong in [
        &["export", "castle.vxl", "a.xyz"][..],
        &["export", "castle.vxl", "a.glb", "--as", "obj"],
        &["export", "castle.vxl", "a.glb", "--set", "merge"],
        &["export", "castle.vxl", "a.glb", "--set", "merge=maybe"],
        &["export", "castle.vxl", "a.glb", "--set", "voxel-millimeters=0"],
        &["export", "castle.vxl", "a.glb", "--set", "depth=1"],
    ] {
        let ran = run(folder.path(), wrong);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{wrong:?}: {ran:?}");
        assert!(ran.err.starts_with("error: ") && ran.err.contains("--help"), "{wrong:?}: {}", ran.err);
    }
    // A map that does not tell its size needs it, as in every verb that reads one.
    std::fs::write(folder.path().join("crop.jsonl"), r#"{"resize":{"box":[[0,0,0],[64,32,64]]}}"#).unwrap();
    succeed(folder.path(), &["apply", "castle.vxl", "crop.jsonl", "-o", "half.vmf"]);
    succeed(folder.path(), &["convert", "half.vmf", "half.vxl", "--size", "64x32"]);
    check_fails(folder.path(), &["export", "half.vxl", "half.vox"], &["half.vxl", "--size"]);
    succeed(folder.path(), &["export", "half.vxl", "half.vox", "--size", "64x32"]);
    // Options of the map's own format go to its reader.
    succeed(folder.path(), &["export", "castle.vxl", "a.glb", "--set", "lenient=true", "--set", "merge=false"]);
}
