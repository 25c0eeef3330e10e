//! What must hold for every map, tried on small ones: random, hand-made, broken.

use glam::IVec3;
use proptest::prelude::*;

use super::column::{FLOOR, below, parse_column};
use super::decode::count_columns;
use super::encode::EARTH;
use super::*;
use crate::format::MemorySource;
use crate::geom::{Region, VoxelPos};
use crate::voxel::{Outside, Paint, Rgb, Store, StoreEdit, Voxel, surface_of_chunk};

mod floorless;

fn water(columns: usize) -> Vec<u8> {
    [0, 63, 63, 0, 0xd0, 0x90, 0x40, 0x80].repeat(columns)
}

pub(super) fn options(size: &str, lenient: bool) -> Options {
    Options::from([("size".into(), OptionValue::Text(size.into())), ("lenient".into(), OptionValue::Bool(lenient))])
}

pub(super) fn read_with(bytes: &[u8], options: &Options) -> Result<(Document, Report), FormatError> {
    let mut report = Report::new();
    let document = Vxl.read(&MemorySource(bytes.into()), options, &Progress::new(), &mut report)?;
    Ok((document, report))
}

fn read(bytes: &[u8]) -> Result<(Document, Report), FormatError> {
    read_with(bytes, &Options::new())
}

/// Saves and verifies; the report is the preflight's as well.
#[track_caller]
fn save(document: &Document) -> (Vec<u8>, Report) {
    let (mut bytes, mut report, progress) = (vec![], Report::new(), Progress::new());
    Vxl.write(document, &mut bytes, &Options::new(), &progress, &mut report).unwrap();
    Vxl.verify(document, &MemorySource(bytes.as_slice().into()), &Options::new(), &progress).unwrap();
    assert_eq!(Vxl.preflight(document, &Options::new()), report);
    (bytes, report)
}

fn edited(document: &Document, edit: impl FnOnce(&mut StoreEdit)) -> Document {
    let mut after = document.clone();
    let mut store_edit = StoreEdit::new(document.store());
    edit(&mut store_edit);
    after.store_mut(0).unwrap().apply(&store_edit.finish());
    after
}

/// Where the columns of a whole file start, and its end.
pub(super) fn column_offsets(bytes: &[u8]) -> Vec<usize> {
    let mut offsets = vec![0];
    while offsets[offsets.len() - 1] < bytes.len() {
        offsets.push(parse_column(bytes, offsets[offsets.len() - 1], |_| ()).unwrap().end);
    }
    offsets
}

/// The same file of 64×64 columns with one bit of the header at `offset` flipped, by bit; without those that are a map strictly read.
pub(super) fn broken_by_a_bit(sound: &[u8], offset: usize) -> impl Iterator<Item = (usize, Vec<u8>)> {
    let flipped = move |bit: usize| {
        let mut bytes = sound.to_vec();
        bytes[offset + bit / 8] ^= 1 << (bit % 8);
        (bit, bytes)
    };
    (0..32).map(flipped).filter(|(_, bytes)| read_with(bytes, &options("64x64", false)).is_err())
}

pub(super) fn count_of(report: &Report, code: &str) -> u64 {
    report.warnings.iter().filter(|warning| warning.code == code).map(|warning| warning.count).sum()
}

fn blank(size: IVec3) -> Document {
    Document::new(Store::new(Region::of_size(size)), &GameProfile::ACE_OF_SPADES)
}

/// Slabs, caves, dust, hidden colours, holes in the floor: whatever the seed gives.
fn random_map(edge: i32, mut seed: u64, dust: bool, holes: bool) -> Document {
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as u32
    };
    edited(&blank(IVec3::new(edge, edge, 64)), |edit| {
        for column in Region::of_size(IVec3::new(edge, edge, 1)).positions() {
            let mut solid = random() % 2 == 0;
            for z in 0..64 {
                if random() % if dust { 2 } else { 12 } == 0 {
                    solid = !solid;
                }
                let paint = (random() % 3 > 0).then(|| Paint::from_word(random() % 5 * 0x0101_0101));
                if solid || (z == 63 && !(holes && random() % 8 == 0)) {
                    edit.set(column.with_z(z), Some(Voxel { paint, ..Voxel::HIDDEN }));
                }
            }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_map_reads_back_as_it_was_written(edge in 1..40_i32, seed: u64, dust: bool, holes: bool) {
        let map = random_map(edge, seed, dust, holes);
        let (bytes, report) = save(&map);
        prop_assert_eq!(count_columns(&bytes), ((edge * edge) as usize, None));
        let (again, read_report) = read(&bytes).unwrap();
        prop_assert_eq!(count_of(&read_report, "no-floor"), 0);
        let added = count_of(&report, "floor-added");
        prop_assert_eq!(again.store().solid_count(), map.store().solid_count() + added);
        prop_assert_eq!(save(&again).0, bytes);
    }

    #[test]
    fn edits_change_their_columns_and_neighbors_only_and_undone_nothing(
        seed: u64,
        places in prop::collection::vec((0..20_i32, 0..20_i32, 0..64_i32, prop::option::of(any::<u32>())), 1..6),
    ) {
        let (bytes, _) = save(&random_map(20, seed, false, false));
        let (map, _) = read(&bytes).unwrap();
        let after = edited(&map, |edit| {
            for &(x, y, z, word) in &places {
                let paint = word.map(Paint::from_word);
                edit.set(IVec3::new(x, y, z), paint.map(|paint| Voxel { paint: Some(paint), ..Voxel::HIDDEN }));
            }
        });
        let (changed, _) = save(&after);
        let (before, now) = (column_offsets(&bytes), column_offsets(&changed));
        for column in 0..400 {
            let (x, y) = (column as i32 % 20, column as i32 / 20);
            if places.iter().all(|place| (place.0 - x).abs() + (place.1 - y).abs() > 1) {
                prop_assert_eq!(&bytes[before[column]..before[column + 1]], &changed[now[column]..now[column + 1]]);
            }
        }
        let undone = edited(&after, |edit| {
            for &(x, y, z, _) in &places {
                let pos = IVec3::new(x, y, z);
                edit.set(pos, map.store().voxel(pos));
            }
        });
        prop_assert_eq!(save(&undone).0, bytes);
    }

    #[test]
    fn random_bytes_are_an_error_or_a_map(bytes in prop::collection::vec(any::<u8>(), 0..300), small in any::<bool>()) {
        let bytes: Vec<u8> = if small { bytes.iter().map(|byte| byte % 70).collect() } else { bytes };
        Vxl.probe(&MemorySource(bytes.as_slice().into()));
        for options in [options("", false), options("2x2", false), options("3x2", true)] {
            if let Ok((map, _)) = read_with(&bytes, &options) {
                save(&map);
            }
        }
    }

    #[test]
    fn a_box_beside_the_origin_is_written_as_one_at_it(seed: u64, x in -50..50_i32, y in -50..50_i32, z in -70..70_i32) {
        let map = random_map(9, seed, false, true);
        let by = IVec3::new(x, y, z);
        let moved = Document::new(Store::new(map.bounds().shifted(by)), map.profile);
        let moved = edited(&moved, |edit| {
            for pos in map.bounds().positions() {
                edit.set(pos + by, map.store().voxel(pos));
            }
        });
        prop_assert_eq!(save(&moved).0, save(&map).0);
    }
}

#[test]
fn every_usual_column_is_read_voxel_by_voxel() {
    // One run of colors, of every height and length.
    let runs: Vec<(u8, u8)> = (0..64).flat_map(|s| (s..64).map(move |e| (s, e))).collect();
    let color = |column: usize, z: i32| Rgb::new(column as u8, (column >> 8) as u8, z as u8);
    let mut bytes = vec![];
    for (column, &(s, e)) in runs.iter().enumerate() {
        bytes.extend([0, s, e, 0]);
        bytes.extend((s..=e).flat_map(|z| Paint::new(color(column, z.into())).to_word().to_le_bytes()));
    }
    let (width, height) = (40, 52);
    let document = read_with(&bytes, &options(&format!("{width}x{height}"), false)).unwrap().0;
    for (column, &(s, e)) in runs.iter().enumerate() {
        for z in 0..64 {
            let found = document.store().voxel(IVec3::new((column % width) as i32, (column / width) as i32, z));
            let paint = (i32::from(s)..=e.into()).contains(&z).then(|| Paint::new(color(column, z)));
            let expected = (z >= s.into()).then_some(paint);
            assert_eq!(found.map(|voxel| voxel.paint), expected, "{s} to {e} at {z}");
        }
    }
    assert_eq!((runs.len(), save(&document).0 == bytes), (width * height, true));
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_a_smaller_square() {
    let (bytes, _) = save(&random_map(8, 7, false, false));
    for length in 0..bytes.len() {
        match read(&bytes[..length]) {
            Ok((map, _)) => assert!(map.bounds().size().x < 8),
            Err(FormatError::Truncated { offset, needed }) => assert!(offset == length as u64 && needed > offset),
            // Behind a column.
            Err(FormatError::NotSquare { columns, offset }) => {
                assert!(columns < 64 && columns.isqrt().pow(2) != columns && offset == length as u64);
            }
            Err(error) => panic!("{length}: {error}"),
        }
        assert!(read_with(&bytes[..length], &options("8x8", false)).is_err());
        assert_eq!(read_with(&bytes[..length], &options("8x8", true)).is_ok(), length > 0);
    }
}

#[test]
fn a_flipped_bit_is_an_error_or_another_map() {
    let (bytes, _) = save(&random_map(3, 3, false, false));
    for bit in 0..bytes.len() * 8 {
        let mut broken = bytes.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        if let Ok((map, _)) = read(&broken) {
            let (saved, _) = save(&map);
            assert!(saved == broken, "bit {bit}: what loads unmended is kept");
        }
        let (map, _) = read_with(&broken, &options("3x3", true)).unwrap();
        let (saved, _) = save(&map);
        let (again, _) = read_with(&saved, &options("3x3", false)).unwrap();
        assert_eq!(save(&again).0, saved, "bit {bit}");
    }
}

#[test]
fn colors_of_hidden_voxels_are_not_written() {
    let (sea, _) = read(&water(96 * 96)).unwrap();
    let filled = edited(&sea, |edit| {
        for pos in Region::new(IVec3::new(16, 16, 0), IVec3::new(80, 80, 64)).positions() {
            edit.set(pos, Some(Voxel::new(Rgb::new(9, 8, 7))));
        }
    });
    let (bytes, report) = save(&filled);
    let (again, _) = read(&bytes).unwrap();
    let count = |store: &Store| {
        store.chunks().map(|(_, chunk)| chunk.known().iter().map(|mask| u64::from(mask.count_ones())).sum::<u64>()).sum::<u64>()
    };
    let surface: u64 = filled
        .store()
        .chunks()
        .flat_map(|(pos, _)| surface_of_chunk(filled.store(), pos, Outside::GAME))
        .map(|mask| u64::from(mask.count_ones()))
        .sum();
    // Water that the box now stands on was stored by the source, but is painted over.
    assert_eq!(count(again.store()), surface);
    assert_eq!(count_of(&report, "hidden-colors"), count(filled.store()) - surface);
    // A painted hidden voxel leaves the file as it is; the colour is there when it is dug out.
    let deep = IVec3::new(40, 40, 20);
    let painted = edited(&again, |edit| {
        edit.set(deep, Some(Voxel::new(Rgb::new(1, 1, 1))));
    });
    assert_eq!(save(&painted).0, bytes);
    // What another format's file says of hidden voxels is lost, but for what anybody would take them for.
    let mut converted = painted.clone();
    converted.source =
        Some(Arc::new(SourceFile { format: "vmf", options: Options::new(), bytes: Arc::default(), tells_kinds: true, last_entity: None }));
    let (_, report) = save(&converted);
    let lost: Vec<u64> = report.of(Severity::Loss).filter(|warning| warning.code == "hidden-colors").map(|warning| warning.count).collect();
    assert_eq!(lost, [1]);
    let dug = edited(&painted, |edit| {
        edit.set(deep - IVec3::Z, None);
    });
    let (dug, _) = read(&save(&dug).0).unwrap();
    assert_eq!(dug.store().paint(deep), Some(Paint::new(Rgb::new(1, 1, 1))));
}

#[test]
fn colors_that_a_file_stored_for_hidden_voxels_are_told_once_they_are_others() {
    let column = |_: usize| [vec![0, 32, 63, 0], (32..64).flat_map(|z| [z, 0, 0, 0x80]).collect()].concat();
    let bytes: Vec<u8> = (0..8 * 8).flat_map(column).collect();
    let (map, _) = read_with(&bytes, &options("8x8", false)).unwrap();
    let (deep, top) = (IVec3::new(4, 4, 50), IVec3::new(4, 4, 32));
    let red = Voxel::new(Rgb::new(200, 0, 0));
    let lost = |edit: &dyn Fn(&mut StoreEdit)| {
        let (saved, report) = save(&edited(&map, edit));
        let (again, _) = read_with(&saved, &options("8x8", false)).unwrap();
        let stored = [deep, top].map(|at| again.store().paint(at).is_some());
        assert_eq!(report.of(Severity::Loss).count(), 0);
        let told = report.of(Severity::Problem).filter(|warning| warning.code == "hidden-colors");
        (told.map(|warning| warning.count).sum::<u64>(), stored)
    };
    assert_eq!(lost(&|_| ()), (0, [true, true]));
    assert_eq!(lost(&|edit| _ = edit.set(deep, Some(red))), (1, [false, true]));
    assert_eq!(lost(&|edit| _ = edit.set(top, Some(red))), (0, [true, true]));
    // What could be seen and is covered is what every edit does.
    let covered = |edit: &mut StoreEdit| (31..33).for_each(|z| _ = edit.set(top.with_z(z), Some(red)));
    assert_eq!(lost(&covered), (0, [true, false]));
    let walled = |edit: &mut StoreEdit| {
        Region::new(IVec3::new(2, 2, 40), IVec3::new(6, 6, 60)).positions().for_each(|at| _ = edit.set(at, Some(red)));
    };
    assert_eq!(lost(&walled), (4 * 4 * 20, [false, true]));
    let dug = |edit: &mut StoreEdit| (32..51).for_each(|z| _ = edit.set(top.with_z(z), None));
    assert_eq!(lost(&dug), (0, [false, false]));
}

#[test]
fn what_an_edit_lays_bare_in_the_rows_beside_gets_a_color() {
    let ground = edited(&blank(IVec3::new(16, 16, 64)), |edit| {
        for pos in Region::new(IVec3::new(0, 0, 30), IVec3::new(16, 16, 64)).positions() {
            edit.set(pos, Some(Voxel::new(Rgb::new(9, 8, 7))));
        }
    });
    let (map, _) = read_with(&save(&ground).0, &options("16x16", false)).unwrap();
    // The columns around have the same content as before, and none has a color there.
    let hole = IVec3::new(5, 5, 40);
    let dug = edited(&map, |edit| (30..50).for_each(|z| _ = edit.set(hole.with_z(z), None)));
    let (again, _) = read_with(&save(&dug).0, &options("16x16", false)).unwrap();
    for beside in [IVec3::X, IVec3::Y, -IVec3::X, -IVec3::Y].map(|by| hole + by) {
        assert!(dug.store().paint(beside).is_none() && again.store().paint(beside).is_some(), "{beside}");
    }
}

#[test]
fn a_visible_voxel_that_the_source_gives_no_color_is_written_once_it_is_painted() {
    let mut bytes = water(4);
    bytes.splice(0..8, [0, 5, 4, 0]);
    let (map, _) = read(&bytes).unwrap();
    assert_eq!(save(&map).0, bytes);
    let painted = edited(&map, |edit| {
        edit.set(IVec3::new(0, 0, 20), Some(Voxel::new(Rgb::new(1, 1, 1))));
    });
    let (again, _) = read(&save(&painted).0).unwrap();
    assert_eq!(again.store().paint(IVec3::new(0, 0, 20)), Some(Paint::new(Rgb::new(1, 1, 1))));
    assert_eq!(again.store().paint(IVec3::new(0, 0, 19)), Some(Paint::from_word(EARTH)));
}

#[test]
fn what_only_other_formats_hold_is_a_loss() {
    let (sea, _) = read(&water(64)).unwrap();
    let extra = Extra { light: 1, kind: VoxelKind::Water, indestructible: 1, reserved: 2, ..Extra::default() };
    let lit = edited(&sea, |edit| {
        edit.set(IVec3::new(1, 1, 63), Some(Voxel { paint: None, extra }));
        edit.set(IVec3::new(2, 1, 62), Some(Voxel { paint: None, extra }));
        edit.set(IVec3::new(2, 1, 61), Some(Voxel { paint: None, extra }));
        // Not as it would be for nobody digging there.
        edit.set(IVec3::new(3, 1, 63), Some(Voxel { paint: None, extra: Extra { indestructible: 7, ..extra } }));
    });
    let (_, report) = save(&lit);
    let losses: Vec<_> = report.of(Severity::Loss).map(|warning| (warning.code, warning.count)).collect();
    assert_eq!(losses, [("light", 4), ("indestructible", 2), ("reserved", 4), ("voxel-kind", 2)]);
}

#[test]
fn a_floor_of_another_kind_than_it_comes_back_as_is_a_loss() {
    let (sea, _) = read(&water(64)).unwrap();
    let [dry, wet] = [VoxelKind::Solid, VoxelKind::Water].map(|kind| Voxel { extra: Extra { kind, ..Extra::default() }, ..Voxel::HIDDEN });
    let at = |x: i32| IVec3::new(x, 0, 63);
    let mut map = edited(&sea, |edit| {
        (0..64).for_each(|column| _ = edit.set(IVec3::new(column % 8, column / 8, 63), Some(wet)));
        // Under ground: both kinds, and one that nobody knows.
        let odd = Voxel { extra: Extra { kind: VoxelKind::Unknown(7), ..Extra::default() }, ..Voxel::HIDDEN };
        for (x, voxel) in [(1, dry), (2, wet), (3, odd)] {
            edit.set(at(x), Some(voxel));
            edit.set(at(x) - IVec3::Z, Some(dry));
        }
        // Ground under air.
        edit.set(at(4), Some(dry));
    });
    let told = |map: &Document| {
        let report = save(map).1;
        let kinds: Vec<_> = report.of(Severity::Loss).map(|loss| (loss.code, loss.positions.clone())).collect();
        kinds
    };
    assert_eq!(told(&map), [("voxel-kind", vec![at(3)])], "of a map that tells no kinds, what the floor is is the game's business");
    map.source =
        Some(Arc::new(SourceFile { format: "vmf", options: Options::new(), bytes: Arc::default(), tells_kinds: true, last_entity: None }));
    assert_eq!(told(&map), [("voxel-kind", vec![at(2), at(3), at(4)])]);
}

#[test]
fn boxes_that_are_no_vxl_map_do_not_fit() {
    for size in [IVec3::new(8, 8, 63), IVec3::new(8, 9, 64), IVec3::new(0, 0, 64)] {
        let report = Vxl.preflight(&blank(size), &Options::new());
        assert_eq!(report.worst(), Some(Severity::Problem));
        let written = Vxl.write(&blank(size), &mut vec![], &Options::new(), &Progress::new(), &mut Report::new());
        assert!(matches!(written, Err(FormatError::DoesNotFit { .. })), "{size}");
    }
    let asked = Vxl.write(&blank(IVec3::new(8, 9, 64)), &mut vec![], &options("8x9", false), &Progress::new(), &mut Report::new());
    assert!(asked.is_ok());
}

#[test]
fn bytes_after_the_last_column_are_kept_and_told() {
    let mut bytes = water(512 * 512);
    bytes.extend([9, 9, 9]);
    let (map, report) = read(&bytes).unwrap();
    assert_eq!((map.bounds().size().x, count_of(&report, "trailing-bytes")), (512, 3));
    assert_eq!(save(&map).0, bytes);
    // Another row of columns makes no square.
    let (map, report) = read(&water(512 * 513)).unwrap();
    assert_eq!((map.bounds().size().x, count_of(&report, "trailing-bytes")), (512, 512 * 8));
    let text = |lenient: bool| {
        let (_, report) = read_with(&water(512 * 512 + 1), &options("", lenient)).unwrap();
        report.warnings.iter().find(|warning| warning.code == "trailing-bytes").map(|told| told.message.clone()).unwrap_or_default()
    };
    assert!(text(false).contains("as 1 more column, as after bytes that were damaged: option lenient looks"), "{}", text(false));
    assert!(text(true).ends_with("columns may stand beside their places"), "{}", text(true));
    let (map, report) = read(&water(513 * 513)).unwrap();
    assert_eq!((map.bounds().size().x, count_of(&report, "trailing-bytes")), (513, 0));
    assert!(matches!(read(&water(510 * 511)), Err(FormatError::NotSquare { columns: 260_610, .. })));
}

#[test]
fn content_tells_maps_from_other_files() {
    #[track_caller]
    fn check(bytes: &[u8], expected: Certainty) {
        assert_eq!(Vxl.probe(&MemorySource(bytes.into())), expected);
    }
    check(&water(512 * 512), Certainty::Sure);
    check(&water(4), Certainty::Sure);
    check(&[0, 64, 63, 0].repeat(512 * 512), Certainty::Sure);
    check(&water(512 * 512 - 1), Certainty::Likely);
    check(&water(9)[..70], Certainty::Possible);
    check(b"", Certainty::No);
    check(b"name = 'Isthmos'\nauthor = 'someone'\n", Certainty::No);
    check(b"\x89PNG\r\n\x1a\n", Certainty::No);
    check(&[&voxlap::MAGIC[..], &[0; 100]].concat(), Certainty::Sure);
}

#[test]
fn options_take_their_own_kind_of_value_only() {
    for size in ["512", "x", "0x4", "4x-4", "5000x5000", "4x4x4"] {
        let result = read_with(&water(16), &options(size, false));
        assert!(matches!(result, Err(FormatError::BadOption { name: "size", .. })), "{size}");
    }
    let wrong = Options::from([("lenient".into(), OptionValue::Int(1))]);
    assert!(matches!(read_with(&water(16), &wrong), Err(FormatError::BadOption { name: "lenient", .. })));
    let (map, report) = read_with(&water(16), &options("8x2", false)).unwrap();
    assert_eq!((map.bounds().size().to_array(), count_of(&report, "unusual-size")), ([8, 2, 64], 1));
    assert_eq!(save(&map).0, water(16));
}

#[test]
fn broken_columns_are_errors_and_can_be_mended() {
    /// The broken column comes second of four; the others must be water after mending.
    #[track_caller]
    fn check(column: &[u8], offset: u64, solid: u64, code: &str) {
        let bytes = [water(1), column.to_vec(), water(2)].concat();
        match read(&bytes) {
            Err(FormatError::BadValue { offset: found, .. }) => assert_eq!(found, 8 + offset),
            other => panic!("{other:?}"),
        }
        let (map, report) = read_with(&bytes, &options("", true)).unwrap();
        assert_eq!(map.bounds().size().to_array(), [2, 2, 64]);
        let mask = |x: i32, y: i32| (0..64).filter(|&z| map.store().is_solid(IVec3::new(x, y, z))).fold(0_u64, |all, z| all | 1 << z);
        assert_eq!([mask(0, 0), mask(1, 0), mask(0, 1), mask(1, 1)], [FLOOR, solid, FLOOR, FLOOR]);
        assert!(count_of(&report, code) > 0 && report.of(Severity::Repair).count() > 0, "{report:?}");
        assert_eq!(count_columns(&save(&map).0), (4, None));
    }
    let c = |count: usize| [0xd0, 0x90, 0x40, 0x80].repeat(count);
    let down_from = |z: u32| !below(z);
    check(&[0, 0, 255, 0], 2, u64::MAX, "repaired-run");
    check(&[0, 5, 2, 0], 1, down_from(5), "repaired-run");
    check(&[&[1, 5, 6, 0][..], &c(2), &[0, 63, 63, 10], &c(1)].concat(), 0, down_from(5) & below(10) | FLOOR, "repaired-span");
    check(&[&[4, 5, 6, 0][..], &c(3), &[0, 63, 63, 6], &c(1)].concat(), 19, 1 << 5 | FLOOR, "repaired-air");
    check(&[&[2, 5, 5, 0][..], &c(1), &[0, 8, 8, 20], &c(1)].concat(), 9, down_from(5), "repaired-air");
    check(&[&[0, 60, 70, 0][..], &c(11)].concat(), 2, down_from(60), "repaired-colors");
    check(&[&[2, 5, 5, 0][..], &c(1), &[0, 63, 63, 200], &c(1)].concat(), 11, down_from(5), "repaired-air");
    // Written, a map has a floor: so it has one as it is shown.
    check(&[0, 200, 199, 0], 2, FLOOR, "repaired-air");
}

/// A map of hills: every column has a few colors of its own.
pub(super) fn hills(edge: usize) -> Vec<u8> {
    let column = |at: usize| {
        let top = 40 + (at * 7 + at / edge * 5) % 20;
        // Every other column is black, which reads like columns of one voxel.
        let colors = (top..64).flat_map(move |z| if at.is_multiple_of(2) { [(at * 3) as u8, z as u8, 90, 0x7f] } else { [0, 0, 0, 0x7f] });
        [0, top as u8, 63, 0].into_iter().chain(colors)
    };
    (0..edge * edge).flat_map(column).collect()
}

#[test]
fn one_wrong_byte_costs_one_column_and_moves_no_other() {
    let sound = hills(32);
    let (map, _) = read_with(&sound, &options("32x32", false)).unwrap();
    let offsets = column_offsets(&sound);
    for (column, byte, value) in [(3, 2, 200), (3, 2, 64), (0, 2, 255), (0, 1, 99), (0, 0, 77), (500, 0, 200), (700, 1, 255), (1023, 2, 90)]
    {
        let mut broken = sound.clone();
        broken[offsets[column] + byte] = value;
        assert!(read_with(&broken, &options("32x32", false)).is_err(), "{column} {byte} {value}");
        let (mended, report) = read_with(&broken, &options("32x32", true)).unwrap();
        assert_eq!(count_of(&report, "missing-columns"), 0, "{column} {byte} {value}");
        assert!(report.of(Severity::Repair).next().is_some(), "{column} {byte} {value}");
        for [x, y] in map.bounds().columns().columns() {
            let [was, is] =
                [map.store(), mended.store()].map(|store| (0..64).map(|z| store.voxel(VoxelPos::new(x, y, z))).collect::<Vec<_>>());
            assert!(was == is || (y * 32 + x) as usize == column, "{x},{y} after {column} {byte} {value}");
        }
    }
}

#[test]
fn a_map_whose_first_column_is_broken_is_still_one() {
    let mut broken = hills(512);
    broken[2] = 200;
    assert_eq!(Vxl.probe(&MemorySource(broken.as_slice().into())), Certainty::Possible);
    assert!(matches!(read(&broken), Err(FormatError::BadValue { offset: 0..4, .. })));
    assert_eq!(read_with(&broken, &options("", true)).unwrap().0.bounds().size().x, 512);
    let random: Vec<u8> = (0_u32..100_000).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert_eq!(Vxl.probe(&MemorySource(random.as_slice().into())), Certainty::No);
}

#[test]
fn a_cut_map_opens_leniently_with_water_for_what_is_missing() {
    let bytes = water(512 * 512);
    let cut = &bytes[..bytes.len() - 100];
    assert!(matches!(read(cut), Err(FormatError::Truncated { offset, .. }) if offset == cut.len() as u64));
    let (map, report) = read_with(cut, &options("", true)).unwrap();
    assert_eq!(map.store().solid_count(), 512 * 512);
    assert_eq!((count_of(&report, "repaired-cut"), count_of(&report, "missing-columns")), (1, 12));
    assert_eq!(
        map.store().voxel(IVec3::new(511, 511, 63)).and_then(|voxel| voxel.rgb()),
        Some(Rgb::new(44, 98, 136)),
        "of the color of water"
    );
    assert_eq!(save(&map).0.len(), 512 * 512 * 8);
    // What is left of the column that breaks off belongs to it, to the last byte.
    for cut in 1..16 {
        let (map, report) = read_with(&bytes[..4 * 8 - cut], &options("2x2", true)).unwrap();
        let (is_begun, missing) = if cut <= 4 {
            (1, 0)
        } else if cut <= 8 {
            (0, 1)
        } else if cut <= 12 {
            (1, 1)
        } else {
            (0, 2)
        };
        assert_eq!((count_of(&report, "repaired-cut"), count_of(&report, "missing-columns")), (is_begun, missing), "{cut}");
        assert_eq!(save(&map).0.len(), 4 * 8, "{cut}");
    }
}

#[test]
fn what_a_cut_map_shows_beside_what_is_missing_has_a_color_once_it_is_saved() {
    let plain = [0, 40, 40, 0, 0xd0, 0x90, 0x40, 0x80].repeat(4 * 4);
    // The cut goes through a row, or between two.
    for kept in [8, 10] {
        let (map, _) = read_with(&plain[..kept * 8], &options("4x4", true)).unwrap();
        let (saved, report) = save(&map);
        assert!(count_of(&report, "guessed-colors") > 0);
        let (again, _) = read_with(&saved, &options("4x4", false)).unwrap();
        let (store, bounds) = (again.store(), again.bounds());
        let mut shown = bounds.positions().filter(|pos| {
            let beside = crate::geom::Face::ALL.map(|face| *pos + face.normal());
            store.is_solid(*pos) && beside.iter().any(|pos| bounds.contains(*pos) && !store.is_solid(*pos))
        });
        assert_eq!(shown.find(|pos| store.paint(*pos).is_none()), None, "after {kept} columns");
        // What is away from the cut stays as it was.
        assert_eq!(saved[..4 * 8], plain[..4 * 8]);
    }
}

#[test]
fn a_rest_that_nobody_could_read_is_dropped_leniently_and_the_saved_map_opens_strictly() {
    #[track_caller]
    fn check(bytes: &[u8], options: &Options, dropped: u64) {
        let (map, report) = read_with(bytes, options).unwrap();
        assert_eq!((count_of(&report, "dropped-rest"), count_of(&report, "trailing-bytes")), (dropped, 0));
        let (saved, _) = save(&map);
        let (again, _) = read(&saved).unwrap();
        assert_eq!(again.bounds(), map.bounds());
        assert!(again.store().same_voxels(map.store()));
    }
    let with = |rest: &[u8]| [&water(4)[..], rest].concat();
    check(&with(&[9, 9, 9]), &options("2x2", true), 3);
    check(&with(&[9, 9, 9]), &options("", true), 3);
    // Whole columns, too, would make it a map of another size.
    check(&with(&water(5)), &options("2x2", true), 40);
    let (_, report) = read_with(&with(&water(5)), &options("2x2", true)).unwrap();
    let told: Vec<&str> = report.of(Severity::Loss).map(|loss| &*loss.message).collect();
    assert!(
        matches!(&told[..], [told] if told.contains("they read as 5 more columns") && told.contains("beside their places")),
        "{told:?}"
    );
    // Nor are the zeros with which disks fill up.
    for rest in [&[9, 9, 9][..], &[0; 64]] {
        let (_, report) = read_with(&with(rest), &options("2x2", true)).unwrap();
        assert_eq!(report.of(Severity::Loss).count(), 0, "{rest:?}");
    }
    check(&with(&[]), &options("2x2", true), 0);
    // Strictly, they are kept: the size was given on purpose.
    let bytes = with(&[9, 9, 9]);
    assert_eq!(save(&read_with(&bytes, &options("2x2", false)).unwrap().0).0, bytes);
    // A sound map of the game's size opens with any rest.
    let bytes = [&water(512 * 512)[..], &[9, 9, 9]].concat();
    assert_eq!(save(&read_with(&bytes, &options("", true)).unwrap().0).0, bytes);
}

#[test]
fn columns_of_any_length_are_kept_beside_one_that_was_edited() {
    // With spans of nothing, and with each voxel in a span of its own.
    let empty = |spans: usize| [&[2, 5, 5, 0, 1, 2, 3, 128][..], &[1, 6, 5, 6].repeat(spans), &[0, 63, 63, 40, 4, 5, 6, 128]].concat();
    let single: Vec<u8> = (0..64).flat_map(|z| [if z == 63 { 0 } else { 2 }, z, z, z, 0x11, 0x22, 0x33, 128]).collect();
    for (long, count) in [(empty(4_000), 1), (empty(206), 15), (single, 15)] {
        // All colors are stored: none has to be added beside the air of the others.
        let mut columns = vec![[&[0, 40, 63, 0][..], &[7, 8, 9, 128].repeat(24)].concat(); 16 * 16];
        columns[16 + 1..16 + 1 + count].fill(long.clone());
        let source = columns.concat();
        let (map, _) = read(&source).unwrap();
        let after = edited(&map, |edit| _ = edit.set(IVec3::new(0, 1, 40), Some(Voxel::new(Rgb::new(9, 9, 9)))));
        columns[16][4..7].fill(9);
        assert_eq!(save(&after).0, columns.concat(), "{count} long columns");
    }
}

#[test]
fn a_size_that_was_guessed_is_told_and_one_that_was_asked_for_is_not() {
    let cut = &water(512 * 512)[..100 * 100 * 8];
    let (map, report) = read(cut).unwrap();
    assert_eq!((map.bounds().size().x, count_of(&report, "guessed-size"), count_of(&report, "unusual-size")), (100, 1, 1));
    assert_eq!(report.worst(), Some(Severity::Problem));
    assert_eq!(count_of(&read_with(cut, &options("100x100", false)).unwrap().1, "guessed-size"), 0);
    assert_eq!(count_of(&read(&water(512 * 512)).unwrap().1, "guessed-size"), 0);
    assert!(matches!(read_with(cut, &options("512x512", false)), Err(FormatError::Truncated { .. })));
    let (map, report) = read_with(cut, &options("512x512", true)).unwrap();
    assert_eq!((map.bounds().size().x, count_of(&report, "missing-columns")), (512, 512 * 512 - 100 * 100));
    assert_eq!(count_of(&report, "guessed-size"), 0);
    // No square: it may have been any.
    let (map, report) = read_with(&cut[8..], &options("", true)).unwrap();
    assert_eq!((map.bounds().size().x, count_of(&report, "guessed-size")), (512, 1));
}

#[test]
fn of_a_map_that_was_cropped_nothing_else_is_written() {
    let (map, _) = read(&water(16 * 16)).unwrap();
    let mut cropped = Document::new(Store::new(Region::of_size(IVec3::new(4, 4, 64))), map.profile);
    cropped = edited(&cropped, |edit| {
        for pos in cropped.bounds().positions() {
            edit.set(pos, map.store().voxel(pos));
        }
    });
    cropped.source = map.source.clone();
    assert_eq!(save(&cropped).0, water(4 * 4));
}

/// A file of any length that holds the same few bytes again and again, and counts what is read of it.
struct Endless {
    length: u64,
    pattern: [u8; 8],
    read: std::sync::atomic::AtomicU64,
}

impl Source for Endless {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.read.fetch_add(buffer.len() as u64, std::sync::atomic::Ordering::Relaxed);
        for (at, byte) in (offset..).zip(buffer) {
            *byte = self.pattern[(at % 8) as usize];
        }
        Ok(())
    }
}

#[test]
fn files_of_ten_gigabytes_are_refused_before_they_are_read() {
    for pattern in [[0, 63, 63, 0, 1, 2, 3, 4], [0; 8], [255; 8], [0, 64, 63, 0, 0, 64, 63, 0]] {
        let file = Endless { length: 10 << 30, pattern, read: 0.into() };
        Vxl.probe(&file);
        for options in [options("", false), options("512x512", true), options("4096x4096", true)] {
            let result = Vxl.read(&file, &options, &Progress::new(), &mut Report::new());
            assert!(matches!(result, Err(FormatError::FileTooLarge { length, .. }) if length == 10 << 30));
        }
        let read = file.read.load(std::sync::atomic::Ordering::Relaxed);
        assert!(read <= 4 * PROBE_BYTES as u64, "{read} bytes");
    }
}

#[test]
fn a_map_whose_columns_make_no_square_is_told_from_a_broken_one() {
    let strip = water(7 * 20);
    assert!(matches!(read(&strip), Err(FormatError::NotSquare { columns: 140, .. })));
    assert_eq!(read_with(&strip, &options("7x20", false)).unwrap().0.bounds().size(), IVec3::new(7, 20, 64));
    assert!(matches!(read(&strip[..strip.len() - 1]), Err(FormatError::Truncated { .. })));
    // Also one that is long enough for a map of the game.
    assert!(matches!(read(&water(512 * 300)), Err(FormatError::NotSquare { columns: 153_600, .. })));
}

#[test]
fn a_size_that_the_file_cannot_have_is_refused_or_becomes_water() {
    let few = water(4);
    assert!(
        matches!(read_with(&few, &options("4096x4096", false)), Err(FormatError::Truncated { needed, .. }) if needed == 4096 * 4096 * 4)
    );
    let (map, report) = read_with(&few, &options("300x300", true)).unwrap();
    assert_eq!((map.store().solid_count(), count_of(&report, "missing-columns")), (300 * 300, 300 * 300 - 4));
    save(&map);
}

/// Either an error that names a place in the file, or a map that saves and reopens as it is.
#[track_caller]
fn check_harmless(bytes: &[u8], options: &Options) {
    match read_with(bytes, options) {
        Ok((map, _)) => {
            let (saved, _) = save(&map);
            let size = options_of_size(&map);
            let (again, _) = read_with(&saved, &size).unwrap();
            assert_eq!(save(&again).0, saved);
            let differs = map.bounds().positions().find(|pos| map.store().is_solid(*pos) != again.store().is_solid(*pos));
            assert_eq!(differs, None, "what was opened is what is saved");
        }
        Err(FormatError::Truncated { offset, needed }) => assert!(offset <= bytes.len() as u64 && needed > offset),
        Err(FormatError::BadValue { offset, .. }) => assert!(offset < bytes.len() as u64),
        Err(FormatError::NotSquare { columns, .. }) => assert!(columns.isqrt().pow(2) != columns && columns <= bytes.len() / 4),
        Err(error) => panic!("{error}"),
    }
}

fn options_of_size(map: &Document) -> Options {
    options(&format!("{}x{}", map.bounds().size().x, map.bounds().size().y), false)
}

#[test]
fn a_map_cut_anywhere_or_with_any_bit_flipped_is_harmless_strictly_and_leniently() {
    for seed in 0..2 {
        let (bytes, _) = save(&random_map(2, seed, seed == 1, false));
        // Leniently without a size, what is no square becomes a map of the game's size: tried elsewhere.
        for options in [options("", false), options("2x2", true)] {
            for length in 0..bytes.len() {
                check_harmless(&bytes[..length], &options);
            }
            for bit in (0..bytes.len() * 8).step_by(if seed == 0 { 1 } else { 5 }) {
                let mut flipped = bytes.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                check_harmless(&flipped, &options);
            }
        }
    }
}
