//! `diff`: what differs between two maps, in text, JSON and as a picture.

use serde_json::json;

use crate::cli::{check_fails, folder, json as answer, read, run, succeed};

#[test]
fn a_map_does_not_differ_from_itself_nor_from_its_vmf() {
    let folder = folder();
    succeed(folder.path(), &["convert", "castle.vxl", "castle.vmf"]);
    for other in ["castle.vxl", "maps/castle.vxl", "castle.vmf"] {
        let ran = succeed(folder.path(), &["diff", "castle.vxl", other, "--exit-code"]);
        let told = if other.ends_with("vmf") { "no difference but in what is known of hidden voxels" } else { "no difference" };
        assert!(ran.out.starts_with(&format!("castle.vxl, {other}: {told}\n")), "{ran:?}");
    }
    let same = answer(&succeed(folder.path(), &["diff", "castle.vxl", "castle.vmf", "--json"]));
    assert_eq!((&same["differ"], &same["objects"]["added"], &same["metadata"]), (&json!(false), &json!([]), &json!({})));
    // VMF names the color of what is hidden, too.
    assert!(same["voxels"]["half_known"]["count"].as_u64().unwrap() > 0, "{same}");
}

#[test]
fn files_that_are_alike_but_not_byte_for_byte_are_told() {
    let folder = folder();
    succeed(folder.path(), &["convert", "castle.vxl", "a.yml"]);
    // What lies beside the one would be a difference of its own.
    std::fs::remove_file(folder.path().join("a.ss14.spadework.yaml")).ok();
    let text = std::fs::read_to_string(folder.path().join("a.yml")).unwrap();
    std::fs::write(folder.path().join("b.yml"), text + "# a note\n").unwrap();
    let ran = succeed(folder.path(), &["diff", "a.yml", "b.yml", "--exit-code"]);
    assert!(ran.out.contains("the files differ in bytes that are kept, but not compared"), "{ran:?}");
    let ran = succeed(folder.path(), &["diff", "a.yml", "a.yml", "--exit-code"]);
    assert!(ran.out.starts_with("a.yml, a.yml: no difference\n"), "{ran:?}");
    let bytes = |other| answer(&succeed(folder.path(), &["diff", "a.yml", other, "--json"]))["same_bytes"].clone();
    assert_eq!((bytes("a.yml"), bytes("b.yml")), (json!(true), json!(false)));
}

#[test]
fn edits_are_found_in_both_directions_and_across_formats() {
    let folder = folder();
    let script = concat!(
        r##"{"set":{"at":[5,6,2],"color":"#ff8000"}}"##,
        "\n",
        r##"{"fill":{"box":[[10,10,0],[20,20,4]],"color":"#203040"}}"##,
        "\n",
        r##"{"spawn":{"team":"blue","region":[[8,8],[24,30]],"replace":true}}"##,
        "\n",
        r#"{"set_property":{"name":"Keep"}}"#,
    );
    std::fs::write(folder.path().join("edits.jsonl"), script).unwrap();
    succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "new.vmf"]);
    let there = run(folder.path(), &["diff", "castle.vxl", "new.vmf", "--json", "--exit-code"]);
    assert_eq!((there.code, there.err.as_str()), (Some(1), ""), "{there:?}");
    let there = answer(&there);
    assert_eq!((&there["differ"], &there["a"]["format"], &there["b"]["format"]), (&json!(true), &json!("vxl"), &json!("vmf")));
    // Whatever stood there before was painted.
    let [before, after] = ["castle.vxl", "new.vmf"].map(|name| read(&folder.path().join(name)).store().solid_count());
    let added = after - before;
    assert_eq!(there["voxels"]["added"]["count"], added);
    assert_eq!(there["voxels"]["recolored"]["count"], 401 - added);
    assert_eq!((&there["voxels"]["added"]["box"][0][2], &there["voxels"]["added"]["box"][1]), (&json!(0), &json!([20, 20, 4])));
    assert_eq!(there["voxels"]["removed"], json!({ "count": 0, "box": null }));
    assert_eq!(there["sectors"], json!({ "A1": { "added": added, "removed": 0, "recolored": 401 - added } }));
    assert_eq!(there["objects"]["added"][0]["spawn_region"]["area"], json!([[8, 8], [24, 30]]));
    assert_eq!(there["metadata"], json!({ "name": { "from": null, "to": "Keep" } }));
    let back = answer(&succeed(folder.path(), &["diff", "new.vmf", "castle.vxl", "--json"]));
    assert_eq!((&back["voxels"]["removed"], &back["objects"]["removed"]), (&there["voxels"]["added"], &there["objects"]["added"]));
    let text = succeed(folder.path(), &["diff", "castle.vxl", "new.vmf"]).out;
    for line in [
        "castle.vxl, new.vmf: differ",
        &format!("  Added      {added} voxels, 5,6,0 to 19,19,3"),
        &format!("  Sectors    A1: {added} added, {} recolored", 401 - added),
        "  Objects    added: Blue spawn region, columns 8,8 to 23,29",
        "  Metadata   name: nothing → Keep",
    ] {
        assert!(text.lines().any(|told| told == line), "without {line:?}: {text}");
    }
}

#[test]
fn maps_that_cannot_be_compared_are_told_from_maps_that_differ() {
    let folder = folder();
    let code = |words: &[&str]| run(folder.path(), &[&["diff", "castle.vxl"], words].concat()).code;
    assert_eq!(code(&["none.vxl", "--exit-code"]), Some(2));
    assert_eq!(code(&["none.vxl"]), Some(1));
    assert_eq!(code(&["castle.vxl", "--exit-code", "--set", "depth=3"]), Some(2));
    assert_eq!(code(&["castle.vxl", "--exit-code"]), Some(0));
}

#[test]
fn the_picture_replaces_only_pictures_and_has_a_pixel_a_column() {
    let folder = folder();
    succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "new.vxl"]);
    let ran = succeed(folder.path(), &["diff", "castle.vxl", "new.vxl", "--png", "a.png"]);
    assert!(ran.out.ends_with("Saved a.png\n"), "{ran:?}");
    let decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(folder.path().join("a.png")).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    assert_eq!(reader.info().size(), (64, 64));
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut rgb).unwrap();
    let pixel = |x: usize, y: usize| &rgb[(y * 64 + x) * 3..][..3];
    assert!(pixel(40, 40).iter().all(|value| *value == pixel(40, 40)[0]), "{:?}", pixel(40, 40));
    assert!(pixel(5, 6)[2] > pixel(5, 6)[0] && pixel(15, 15)[2] > pixel(15, 15)[0]);
    let before = std::fs::read(folder.path().join("new.vxl")).unwrap();
    check_fails(folder.path(), &["diff", "castle.vxl", "new.vxl", "--png", "new.vxl"], &["new.vxl", "no PNG picture"]);
    assert_eq!(std::fs::read(folder.path().join("new.vxl")).unwrap(), before);
    check_fails(folder.path(), &["diff", "castle.vxl", "none.vxl"], &["none.vxl", "does not exist"]);
    assert_eq!(run(folder.path(), &["diff", "castle.vxl"]).code, Some(2));
}

#[test]
fn of_very_many_objects_the_text_names_some_and_counts_the_rest() {
    let folder = folder();
    let point = |x| format!(r#"{{"add_object":{{"spawn_point":{{"team":"blue","at":[{x},3,5]}}}}}}"#);
    std::fs::write(folder.path().join("edits.jsonl"), (1..=50).map(point).collect::<Vec<_>>().join("\n")).unwrap();
    succeed(folder.path(), &["apply", "castle.vxl", "edits.jsonl", "-o", "new.vxl"]);
    let ran = succeed(folder.path(), &["diff", "castle.vxl", "new.vxl"]);
    assert!(ran.out.contains("and 10 more; --json has all") && ran.out.lines().count() < 60, "{}", ran.out);
    let all = answer(&succeed(folder.path(), &["diff", "castle.vxl", "new.vxl", "--json"]));
    assert_eq!(all["objects"]["added"].as_array().unwrap().len(), 50);
}
