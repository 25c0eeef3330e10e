//! Every import: what it reads, and what it says of files that are wrong. The files are made here.

use dot_vox::{Color, Dict, DotVoxData, Frame, Layer, Model, SceneNode, ShapeModel, Size};
use glam::IVec3;

use super::picture::SIGNATURE;
use super::{IMPORTS, Import, ImportFiles, ImportKind, Imported, import, read_picture, recognize_import};
use crate::document::{OptionValue, Options, Progress};
use crate::format::{Certainty, FormatError, MemorySource, Report, Severity};
use crate::voxel::{Rgb, Voxel};

const RED: Rgb = Rgb::new(255, 0, 0);
const BLUE: Rgb = Rgb::new(0, 0, 255);
const GREEN: Rgb = Rgb::new(0, 255, 0);

fn source(bytes: &[u8]) -> MemorySource {
    MemorySource(bytes.into())
}

fn read_with(import: &dyn Import, bytes: &[u8], options: &[(&str, OptionValue)]) -> Result<(Imported, Report), FormatError> {
    let options: Options = options.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let mut report = Report::new();
    let source = source(bytes);
    let files = ImportFiles { main: &source, colors: None };
    import.read(&files, &options, &Progress::new(), &mut report).map(|imported| (imported, report))
}

#[track_caller]
fn read(id: &str, bytes: &[u8]) -> Imported {
    read_with(import(id).unwrap(), bytes, &[]).unwrap().0
}

#[track_caller]
fn check_error(id: &str, bytes: &[u8], expected: &str) {
    let error = read_with(import(id).unwrap(), bytes, &[]).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

/// The colors of a row of voxels: r, g, b, `?` for solid without color, `.` for air, `x` for another color.
fn row(imported: &Imported, places: impl IntoIterator<Item = [i32; 3]>) -> String {
    let letter = |voxel: Option<Voxel>| match voxel.map(|voxel| voxel.rgb()) {
        None => '.',
        Some(None) => '?',
        Some(Some(RED)) => 'r',
        Some(Some(GREEN)) => 'g',
        Some(Some(BLUE)) => 'b',
        Some(Some(_)) => 'x',
    };
    places.into_iter().map(|at| letter(imported.store.voxel(at.into()))).collect()
}

/// A row of three: red, green, blue from x 0 on.
fn model() -> Model {
    let voxel = |x, i| dot_vox::Voxel { x, y: 0, z: 0, i };
    Model { size: Size { x: 3, y: 1, z: 1 }, voxels: vec![voxel(0, 0), voxel(1, 1), voxel(2, 2)] }
}

fn dict(pairs: &[(&str, &str)]) -> Dict {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

fn transform(pairs: &[(&str, &str)], child: u32) -> SceneNode {
    SceneNode::Transform { attributes: dict(&[]), frames: vec![Frame::new(dict(pairs))], child, layer_id: u32::MAX }
}

fn shape(model_id: u32) -> SceneNode {
    SceneNode::Shape { attributes: dict(&[]), models: vec![ShapeModel { model_id, attributes: dict(&[]) }] }
}

fn vox(models: Vec<Model>, scenes: Vec<SceneNode>, layers: Vec<Layer>) -> Vec<u8> {
    let mut palette = vec![Color { r: 9, g: 9, b: 9, a: 255 }; 256];
    for (entry, Rgb { r, g, b }) in palette.iter_mut().zip([RED, GREEN, BLUE]) {
        *entry = Color { r, g, b, a: 255 };
    }
    let data = DotVoxData { version: 150, index_map: vec![], models, palette, materials: vec![], scenes, layers };
    let mut bytes = vec![];
    data.write_vox(&mut bytes).unwrap();
    bytes
}

/// One model, placed by one transform.
fn placed(pairs: &[(&str, &str)]) -> Vec<u8> {
    vox(
        vec![model()],
        vec![transform(&[], 1), SceneNode::Group { attributes: dict(&[]), children: vec![2] }, transform(pairs, 3), shape(0)],
        vec![],
    )
}

fn kv6(size: [u32; 3], pivot: [f32; 3], voxels: &[([u32; 2], u16, Rgb, u8)]) -> Vec<u8> {
    let mut bytes = b"Kvxl".to_vec();
    bytes.extend(size.into_iter().flat_map(u32::to_le_bytes));
    bytes.extend(pivot.into_iter().flat_map(f32::to_le_bytes));
    bytes.extend((voxels.len() as u32).to_le_bytes());
    for (_, z, rgb, vis) in voxels {
        bytes.extend([rgb.b, rgb.g, rgb.r, 0x80]);
        bytes.extend(z.to_le_bytes());
        bytes.extend([*vis, 0]);
    }
    let count = |wanted: &dyn Fn([u32; 2]) -> bool| voxels.iter().filter(|(column, ..)| wanted(*column)).count();
    for x in 0..size[0] {
        bytes.extend((count(&|column| column[0] == x) as u32).to_le_bytes());
    }
    for x in 0..size[0] {
        for y in 0..size[1] {
            bytes.extend((count(&|column| column == [x, y]) as u16).to_le_bytes());
        }
    }
    bytes
}

/// Slabs of a column, each with its top, visible faces and colors, `[x][y]`.
type Columns<'a> = &'a [&'a [&'a [(u8, u8, &'a [u8])]]];

fn kvx(depth: u32, pivot: [u32; 3], columns: Columns<'_>) -> Vec<u8> {
    let (width, height) = (columns.len() as u32, columns[0].len() as u32);
    let (mut slabs, mut slices, mut starts) = (vec![], vec![], vec![]);
    let tables = 4 * (width + 1) + 2 * width * (height + 1);
    for slice in columns {
        let begin = slabs.len();
        slices.push(tables + begin as u32);
        for column in *slice {
            starts.push((slabs.len() - begin) as u16);
            for (top, vis, colors) in *column {
                slabs.extend([*top, colors.len() as u8, *vis]);
                slabs.extend_from_slice(colors);
            }
        }
        starts.push((slabs.len() - begin) as u16);
    }
    slices.push(tables + slabs.len() as u32);
    let mut bytes = (24 + tables + slabs.len() as u32).to_le_bytes().to_vec();
    bytes.extend([width, height, depth].into_iter().chain(pivot).chain(slices).flat_map(u32::to_le_bytes));
    bytes.extend(starts.into_iter().flat_map(u16::to_le_bytes));
    bytes.extend(slabs);
    let mut palette = [[9; 3]; 256];
    palette[..3].copy_from_slice(&[[63, 0, 0], [0, 63, 0], [0, 0, 63]]);
    bytes.extend(palette.concat());
    bytes
}

fn png(size: [u32; 2], color: png::ColorType, depth: png::BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = vec![];
    let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
    encoder.set_color(color);
    encoder.set_depth(depth);
    encoder.write_header().unwrap().write_image_data(data).unwrap();
    bytes
}

fn gray(size: [u32; 2], data: &[u8]) -> Vec<u8> {
    png(size, png::ColorType::Grayscale, png::BitDepth::Eight, data)
}

#[test]
fn a_palette_that_is_cut_or_shorter_than_its_opacities_is_refused() {
    let indexed = |palette: usize, opacities: usize| {
        let mut bytes = vec![];
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(vec![7; palette]);
        if opacities > 0 {
            encoder.set_trns(vec![9; opacities]);
        }
        encoder.write_header().unwrap().write_image_data(&[0, 0]).unwrap();
        read_picture(&source(&bytes), &Progress::new()).map(|picture| picture.colors).map_err(|error| error.to_string())
    };
    for (palette, opacities) in [(3, 0), (3, 1), (6, 1), (768, 256)] {
        assert_eq!(indexed(palette, opacities), Ok(vec![Rgb::new(7, 7, 7); 2]), "{palette} {opacities}");
    }
    for (palette, opacities) in [(4, 0), (5, 0), (767, 0), (4, 1), (3, 2), (6, 3), (3, 256)] {
        let refused = indexed(palette, opacities).unwrap_err();
        assert_eq!(refused, "a PNG picture with a damaged palette is not supported", "{palette} {opacities}");
    }
}

/// A small file for each import.
fn fixture(id: &str) -> Vec<u8> {
    match id {
        "magicavoxel" => placed(&[("_t", "4 -3 2"), ("_r", "17")]),
        "kv6" => kv6([2, 2, 4], [1.0, 0.5, 3.5], &[([0, 0], 0, RED, 0x1f), ([0, 0], 3, BLUE, 0x2f), ([1, 1], 2, GREEN, 0x3f)]),
        "kvx" => kvx(4, [256, 128, 900], &[&[&[(0, 0x1f, &[0]), (3, 0x2f, &[2])], &[]], &[&[], &[(2, 0x3f, &[1])]]]),
        "heightmap" => gray([4, 2], &[0, 40, 80, 255, 255, 80, 40, 0]),
        other => panic!("no fixture for {other}"),
    }
}

#[test]
fn every_import_recognizes_its_own_files_and_reads_them() {
    for import in IMPORTS {
        let bytes = fixture(import.id());
        let named = import.extensions().first().copied();
        assert_eq!(recognize_import(&source(&bytes), None).map(|import| import.id()), Some(import.id()));
        assert_eq!(recognize_import(&source(&bytes), Some("txt")).map(|import| import.id()), Some(import.id()));
        for other in IMPORTS.iter().filter(|other| other.id() != import.id()) {
            assert_eq!(other.probe(&source(&bytes)), Certainty::No, "{} of {}", other.id(), import.id());
        }
        let (imported, report) = read_with(*import, &bytes, &[]).unwrap();
        assert_eq!(report, Report::new(), "{}", import.id());
        check_limits(&imported);
        assert!(named.is_some_and(|named| named.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())));
        assert!(import.probe(&source(&[])) == Certainty::No && recognize_import(&source(b"text"), named).is_none());
    }
}

#[track_caller]
fn check_limits(imported: &Imported) {
    let bounds = imported.store.bounds();
    assert_eq!(bounds.min(), IVec3::ZERO);
    assert!(bounds.contains(imported.anchor) && bounds.contains_region(&imported.store.occupied()));
    assert!(imported.store.solid_count() > 0);
}

#[test]
fn every_import_refuses_a_file_cut_off_anywhere() {
    for import in IMPORTS {
        let bytes = fixture(import.id());
        for end in 0..bytes.len() {
            let error = read_with(*import, &bytes[..end], &[]).err().map(|error| error.to_string());
            let tells_place = error.as_ref().is_some_and(|error| error.contains("byte"));
            assert!(tells_place, "{} cut at {end}: {error:?}", import.id());
        }
    }
}

#[test]
fn every_import_survives_every_flipped_bit_and_absurd_numbers_anywhere() {
    for import in IMPORTS {
        let bytes = fixture(import.id());
        let survive = |bytes: &[u8], what: &str| {
            import.probe(&source(bytes));
            match read_with(*import, bytes, &[]) {
                Ok((imported, _)) => check_limits(&imported),
                Err(error) => assert!(!error.to_string().is_empty(), "{what}"),
            }
        };
        for bit in 0..8 * bytes.len() {
            let mut bytes = bytes.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            survive(&bytes, "bit");
        }
        for at in 0..bytes.len() - 4 {
            for number in [0_u32, 0xff, 0x7fff, 0xffff, 0x0100_0000, 0x7fff_ffff, u32::MAX] {
                let mut bytes = bytes.clone();
                bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
                survive(&bytes, "number");
            }
        }
        let mut random = 1_u32;
        for length in [0, 1, 7, 40, 300, 5000] {
            for with_head in [0, 4, 8, 32, 60] {
                let mut noise: Vec<u8> = bytes.iter().take(with_head).copied().collect();
                noise.extend((0..length).map(|_| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (random >> 24) as u8
                }));
                survive(&noise, "noise");
            }
        }
    }
}

#[test]
fn every_import_can_be_cancelled_and_refuses_options_of_another_kind() {
    for import in IMPORTS {
        let bytes = source(&fixture(import.id()));
        let progress = Progress::new();
        progress.cancel();
        let files = ImportFiles { main: &bytes, colors: None };
        let read = |options: &Options, progress: &Progress| import.read(&files, options, progress, &mut Report::new());
        assert!(matches!(read(&Options::new(), &progress), Err(FormatError::Cancelled(_))), "{}", import.id());
        for option in import.options() {
            for wrong in [OptionValue::Text("no such thing".into()), OptionValue::Int(i64::MAX)] {
                let options = [(option.name.to_owned(), wrong)].into();
                assert!(matches!(read(&options, &Progress::new()), Err(FormatError::BadOption { .. })), "{}", option.name);
            }
        }
    }
}

#[test]
fn a_model_lies_in_our_axes() {
    // One voxel step right, away and up of a first one, in the other program's axes.
    let voxel = |x, y, z, i| dot_vox::Voxel { x, y, z, i };
    let corner = Model { size: Size { x: 2, y: 3, z: 4 }, voxels: vec![voxel(0, 0, 0, 0), voxel(1, 0, 0, 1), voxel(0, 2, 3, 2)] };
    let imported = read("magicavoxel", &vox(vec![corner], vec![], vec![]));
    assert_eq!(imported.store.bounds().size(), IVec3::new(2, 3, 4));
    assert_eq!(row(&imported, [[0, 2, 3], [1, 2, 3], [0, 0, 0], [1, 0, 0]]), "rgb.");
    assert_eq!((imported.anchor, imported.kind), (IVec3::new(1, 1, 3), ImportKind::Model));
}

#[test]
fn models_turn_about_their_middle_and_stand_where_the_scene_says() {
    let along = |axis: usize| {
        (0..3).map(move |step| {
            let mut at = [0; 3];
            at[axis] = step;
            at
        })
    };
    // Rows (0 -1 0), (1 0 0), (0 0 1): what lay to the right lies away, and so north.
    for (rotation, axis, expected) in
        [("4", 0, "rgb"), ("17", 1, "bgr"), ("33", 1, "rgb"), ("20", 0, "bgr"), ("9", 2, "bgr"), ("73", 2, "rgb")]
    {
        let imported = read("magicavoxel", &placed(&[("_r", rotation)]));
        assert_eq!(row(&imported, along(axis)), expected, "{rotation}");
        assert_eq!(imported.store.solid_count(), 3);
    }
    // Two models side by side: the second is turned about and stands right of the first.
    let group = SceneNode::Group { attributes: dict(&[]), children: vec![2, 4] };
    let outer = transform(&[("_t", "100 200 300"), ("_r", "4")], 1);
    let scene = vec![outer, group, transform(&[("_t", "0 0 0")], 3), shape(0), transform(&[("_t", "4 0 0"), ("_r", "20")], 5), shape(0)];
    let imported = read("magicavoxel", &vox(vec![model()], scene, vec![]));
    assert_eq!(imported.store.bounds().size(), IVec3::new(6, 1, 1));
    assert_eq!(row(&imported, (0..6).map(|x| [x, 0, 0])), "rgbbgr");
    // A turn of the whole takes the steps inside along.
    let group = SceneNode::Group { attributes: dict(&[]), children: vec![2, 4] };
    let scene = vec![transform(&[("_r", "17")], 1), group, transform(&[], 3), shape(0), transform(&[("_t", "3 0 0")], 5), shape(0)];
    let imported = read("magicavoxel", &vox(vec![model()], scene, vec![]));
    assert_eq!(row(&imported, (0..6).map(|y| [0, y, 0])), "bgrbgr");
}

#[test]
fn hidden_parts_of_a_scene_are_left_out_unless_asked_for() {
    let hidden = SceneNode::Transform { attributes: dict(&[("_hidden", "1")]), frames: vec![], child: 3, layer_id: u32::MAX };
    let layered = SceneNode::Transform { attributes: dict(&[]), frames: vec![Frame::new(dict(&[("_t", "9 0 0")]))], child: 3, layer_id: 0 };
    let group = SceneNode::Group { attributes: dict(&[]), children: vec![2, 4, 5] };
    let scene = vec![transform(&[], 1), group, hidden, shape(0), layered, transform(&[("_t", "0 5 0")], 3)];
    let bytes = vox(vec![model()], scene, vec![Layer { attributes: dict(&[("_hidden", "1")]) }]);
    let import = import("magicavoxel").unwrap();
    let (seen, report) = read_with(import, &bytes, &[]).unwrap();
    assert_eq!(
        (seen.store.solid_count(), report.of(Severity::Loss).map(|loss| (loss.code, loss.count)).collect()),
        (3, vec![("hidden", 2)])
    );
    let (all, report) = read_with(import, &bytes, &[("hidden", OptionValue::Bool(true))]).unwrap();
    assert_eq!((all.store.solid_count(), report.warnings.len()), (9, 0));
}

#[test]
fn scenes_that_go_in_circles_multiply_or_nest_without_end_are_refused() {
    let circle = vox(vec![model()], vec![transform(&[], 1), transform(&[], 0)], vec![]);
    let bomb: Vec<SceneNode> =
        (0..40).map(|id| SceneNode::Group { attributes: dict(&[]), children: vec![id + 1; 2] }).chain([shape(0)]).collect();
    let own = SceneNode::Group { attributes: dict(&[]), children: vec![0; 60_000] };
    for bytes in [circle, vox(vec![model()], bomb, vec![]), vox(vec![model()], vec![own], vec![])] {
        let error = read_with(import("magicavoxel").unwrap(), &bytes, &[]).unwrap_err().to_string();
        assert!(error.contains("the scene has more than 65536 nodes or goes in a circle"), "{error}");
    }
    // A hundred thousand chunks, each within the one before.
    let nested: Vec<u8> = (0..100_000_u32).rev().flat_map(|inside| [*b"PACK", [0; 4], (12 * inside).to_le_bytes()].concat()).collect();
    let mut bytes = b"VOX \x96\0\0\0MAIN\0\0\0\0".to_vec();
    bytes.extend((nested.len() as u32).to_le_bytes());
    bytes.extend(nested);
    check_error("magicavoxel", &bytes, "byte 28: only MAIN may hold other chunks (1199988)");
    check_error("magicavoxel", &placed(&[("_r", "0")]), "byte 140: a rotation takes each axis once (0)");
    check_error("magicavoxel", &placed(&[("_t", "1 2")]), "byte 140: a place must be three numbers (3)");
    let far = vec![
        transform(&[], 1),
        SceneNode::Group { attributes: dict(&[]), children: vec![2, 3] },
        shape(0),
        transform(&[("_t", "2147483647 0 0")], 2),
    ];
    let error = read_with(import("magicavoxel").unwrap(), &vox(vec![model()], far, vec![]), &[]).unwrap_err().to_string();
    assert!(error.contains("a side of the scene must be 1 to 1024 voxels (2147483650)"), "{error}");
}

#[test]
fn a_sprite_keeps_its_pivot_and_is_filled_between_faces_that_nobody_sees() {
    for id in ["kv6", "kvx"] {
        let imported = read(id, &fixture(id));
        assert_eq!(row(&imported, (0..4).map(|z| [0, 0, z])), "r??b", "{id}");
        assert_eq!(row(&imported, (0..4).map(|z| [1, 1, z])), "..g.", "{id}");
        assert_eq!(imported.anchor, IVec3::new(1, 0, 3), "{id}");
        let (hollow, _) = read_with(import(id).unwrap(), &fixture(id), &[("solid", OptionValue::Bool(false))]).unwrap();
        assert_eq!(row(&hollow, (0..4).map(|z| [0, 0, z])), "r..b", "{id}");
    }
    // Faces that can be seen have air between them.
    let open = kv6([1, 1, 4], [0.0; 3], &[([0, 0], 0, RED, 0x3f), ([0, 0], 3, BLUE, 0x2f)]);
    assert_eq!(row(&read("kv6", &open), (0..4).map(|z| [0, 0, z])), "r..b");
    let nowhere = kv6([2, 2, 2], [f32::NAN, 0.0, 0.0], &[([0, 0], 0, RED, 0)]);
    let (imported, report) = read_with(import("kv6").unwrap(), &nowhere, &[]).unwrap();
    assert_eq!((imported.anchor, report.warnings[0].code), (IVec3::new(1, 1, 1), "pivot"));
}

#[test]
fn sprites_whose_tables_lie_are_refused_with_the_place() {
    let good = fixture("kv6");
    let with = |at: usize, number: u32| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    check_error("kv6", &with(4, 1025), "byte 4: a side of the model must be 1 to 1024 voxels (1025)");
    check_error("kv6", &with(28, u32::MAX), "byte 28: a model has at most 67108864 voxels (4294967295)");
    check_error("kv6", &with(28, 60_000_000), "truncated at byte 72: at least 480000048 bytes are needed");
    check_error("kv6", &with(56, 1), "byte 56: the slice has another number of voxels than its columns (1)");
    check_error("kv6", &with(36, 99), "byte 36: a voxel lies below the model (99)");
    let mut palette = good.clone();
    palette.extend(b"SPal");
    check_error("kv6", &palette, "truncated at byte 76: at least 844 bytes are needed");
    palette.extend([0; 768]);
    assert_eq!(read("kv6", &palette).store.solid_count(), 5);

    let good = fixture("kvx");
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = good.clone();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    check_error("kvx", &with(12, &300_u32.to_le_bytes()), "byte 12: a KVX model is at most 256 voxels high (300)");
    check_error("kvx", &with(4, &3_u32.to_le_bytes()), "byte 28: the first column does not follow the tables (24)");
    check_error("kvx", &with(32, &99_u32.to_le_bytes()), "byte 32: the slice has another length than its columns (99)");
    check_error("kvx", &with(53, &[9]), "byte 40: a run of voxels is longer than its column (0)");
    check_error("kvx", &with(56, &[4]), "byte 40: a column reaches below the model (5)");
}

#[test]
fn brightness_is_height() {
    let import = import("heightmap").unwrap();
    let heights = |bytes: &[u8], options: &[(&str, OptionValue)]| {
        let (imported, _) = read_with(import, bytes, options).unwrap();
        assert_eq!((imported.kind, imported.store.bounds().size().z), (ImportKind::Terrain, 64));
        (0..imported.store.bounds().size().x).map(|x| imported.store.ground(x, 0, 0).unwrap()).collect::<Vec<_>>()
    };
    let steps = gray([3, 1], &[0, 51, 255]);
    let int = OptionValue::Int;
    assert_eq!(heights(&steps, &[]), [63, 52, 8]);
    assert_eq!(heights(&steps, &[("low", int(60)), ("high", int(10))]), [60, 50, 10]);
    assert_eq!(heights(&steps, &[("low", int(60)), ("high", int(10)), ("invert", OptionValue::Bool(true))]), [10, 20, 60]);
    assert_eq!(
        heights(&steps, &[("low", int(60)), ("high", int(10)), ("curve", OptionValue::Text("0:1,0.2:0,1:0.5".into()))]),
        [10, 60, 35]
    );
    assert_eq!(heights(&steps, &[("low", int(60)), ("high", int(10)), ("curve", int(2))]), [60, 58, 10]);
    let steps_of = |bytes: &[u8]| heights(bytes, &[("steps", OptionValue::Bool(true))]);
    assert_eq!(steps_of(&gray([4, 1], &[0, 1, 62, 255])), [63, 62, 1, 0]);
    assert_eq!(steps_of(&png([3, 1], png::ColorType::Grayscale, png::BitDepth::Sixteen, &[0, 0, 0, 7, 1, 0])), [63, 56, 0]);
    let wide = png([3, 1], png::ColorType::Grayscale, png::BitDepth::Sixteen, &[0, 0, 51, 51, 255, 255]);
    assert_eq!(heights(&wide, &[]), [63, 52, 8]);
    let color = png([3, 1], png::ColorType::Rgb, png::BitDepth::Eight, &[0, 0, 0, 51, 51, 51, 255, 255, 255]);
    assert_eq!(heights(&color, &[]), [63, 52, 8]);
    let bits = png([3, 1], png::ColorType::Grayscale, png::BitDepth::One, &[0b0010_0000]);
    assert_eq!(heights(&bits, &[]), [63, 63, 8]);
    let picture = read_picture(&source(&png([2, 1], png::ColorType::Rgb, png::BitDepth::Eight, &[0, 255, 0, 0, 0, 255])), &Progress::new());
    let picture = picture.unwrap();
    assert_eq!((picture.gray, picture.colors), (vec![46871, 4732], vec![GREEN, BLUE]));
}

#[test]
fn land_is_solid_and_known_just_where_it_can_be_seen() {
    let mut random = 7_u32;
    let data: Vec<u8> = (0..40 * 35)
        .map(|_| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 24) as u8
        })
        .collect();
    let store = read("heightmap", &gray([40, 35], &data)).store;
    for (pos, chunk) in store.chunks() {
        let surface = crate::voxel::surface_of_chunk(&store, pos, crate::voxel::Outside::GAME);
        assert_eq!(chunk.known(), &surface, "{pos:?}");
    }
    let ground: u64 = data.iter().map(|gray| 1 + (f64::from(*gray) / 255.0 * 55.0).round() as u64).sum();
    assert_eq!(store.solid_count(), ground);
}

#[test]
fn a_second_picture_gives_the_colors_also_of_the_lowest_plane() {
    let [land, other] = [gray([2, 1], &[0, 255]), gray([1, 1], &[0])].map(|bytes| source(&bytes));
    let colors = source(&png([2, 1], png::ColorType::Rgb, png::BitDepth::Eight, &[255, 0, 0, 0, 0, 255]));
    let read = |colors: &MemorySource, water: bool| {
        let options = [("water".to_owned(), OptionValue::Bool(water))].into();
        let files = ImportFiles { main: &land, colors: Some(colors) };
        import("heightmap").unwrap().read(&files, &options, &Progress::new(), &mut Report::new())
    };
    assert_eq!(row(&read(&colors, true).unwrap(), [[0, 0, 63], [1, 0, 8], [1, 0, 62]]), "rbb");
    assert_eq!(row(&read(&colors, false).unwrap(), [[0, 0, 63], [1, 0, 8], [1, 0, 62]]), "rbb");
    let error = read(&other, true).unwrap_err().to_string();
    assert_eq!(error, "the picture with the colors is 1×1 pixels, and the heightmap 2×1: they must be of one size");
}

#[test]
fn pictures_are_measured_before_they_are_decoded() {
    let mut bytes = fixture("heightmap");
    // The decoder sees the checksum first.
    bytes[16..20].copy_from_slice(&100_000_u32.to_be_bytes());
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.finalize().to_be_bytes());
    let mut damaged = bytes.clone();
    damaged[30] ^= 1;
    check_error("heightmap", &damaged, "byte 16: the picture cannot be read: it is damaged, or no PNG picture");
    check_error("heightmap", &bytes, "byte 16: the picture must be 1 to 4096 pixels wide and high (100000)");
    assert!(bytes.starts_with(&SIGNATURE));
}
