//! Behaviour of the plugin as a whole: files in, documents, files out.

use std::io;
use std::sync::Arc;

use glam::IVec3;
use proptest::prelude::*;

use super::*;
use crate::document::{GameMode, Object, ObjectId, OptionValue, Team, Volume};
use crate::format::MemorySource;
use crate::geom::{ColumnRect, Region};
use crate::voxel::{Extra, Paint, Rgb, StoreEdit, Voxel, VoxelKind};

const PLAIN: u64 = 0x01_0000_0000;
const WATER: u64 = 0x02_0000_0000;

/// A file of the size, by what the word at x, y, z_vmf is.
fn file(size: [u32; 3], word_at: impl Fn(u32, u32, u32) -> u64) -> Vec<u8> {
    let [x_size, y_size, z_size] = size;
    let mut bytes = vec![0; HEADER_BYTES];
    bytes[..4].copy_from_slice(b"Hill");
    bytes[32..35].copy_from_slice(b"Ann");
    bytes[64] = 2;
    for (offset, value) in [(65, x_size), (69, y_size), (75, 1), (79, 2), (83, 3), (87, 5)] {
        bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
    }
    bytes[73..75].copy_from_slice(&(z_size as u16).to_le_bytes());
    for x in 0..x_size {
        for y in 0..y_size {
            for z in 0..z_size {
                bytes.extend(word_at(x, y, z).to_le_bytes());
            }
        }
    }
    bytes
}

fn source(bytes: &[u8]) -> MemorySource {
    MemorySource(Arc::from(bytes))
}

fn open(bytes: &[u8]) -> Result<(Document, Report), FormatError> {
    let mut report = Report::new();
    let document = Vmf.read(&source(bytes), &Options::new(), &Progress::new(), &mut report)?;
    Ok((document, report))
}

fn save_with(document: &Document, options: &Options) -> Vec<u8> {
    let mut bytes = vec![];
    Vmf.write(document, &mut bytes, options, &Progress::new(), &mut Report::new()).unwrap();
    Vmf.verify(document, &source(&bytes), options, &Progress::new()).unwrap();
    bytes
}

fn save(document: &Document) -> Vec<u8> {
    save_with(document, &Options::new())
}

/// All but guesses about spawns, which have a test of their own.
fn codes(report: &Report) -> Vec<&'static str> {
    let is_guess = |code: &&str| ["spawn-default", crate::format::SPAWN_GUESSED].contains(code);
    report.warnings.iter().map(|warning| warning.code).filter(|code| !is_guess(code)).collect()
}

/// A document that no file was read for.
fn document(size: [i32; 3], voxels: &[(IVec3, Voxel)]) -> Document {
    let mut document = Document::new(Store::new(Region::of_size(size.into())), &GameProfile::ACE_OF_SPADES);
    edit(&mut document, voxels.iter().map(|(at, voxel)| (*at, Some(*voxel))));
    document
}

fn edit(document: &mut Document, voxels: impl IntoIterator<Item = (IVec3, Option<Voxel>)>) {
    let mut edit = StoreEdit::new(document.store());
    for (at, voxel) in voxels {
        edit.set(at, voxel);
    }
    document.store_mut(0).unwrap().apply(&edit.finish());
}

fn word_in(bytes: &[u8], size: [usize; 3], x: usize, y: usize, z: usize) -> [u8; 8] {
    let at = HEADER_BYTES + 8 * ((x * size[1] + y) * size[2] + z);
    bytes[at..at + 8].try_into().unwrap()
}

/// A file with voxels of many kinds; air is 0.
fn varied(size: [u32; 3]) -> Vec<u8> {
    file(size, |x, y, z| {
        let mut word = ((u64::from(x) * 7919 + u64::from(y)) * 104_729 + u64::from(z)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        word ^= word >> 29;
        match word % 5 {
            0 => 0,
            1 => word | PLAIN,
            2 => word & 0xff_ffff | WATER,
            _ => word & 0x0f_0f0f | PLAIN,
        }
    })
}

#[test]
fn header_fields_stand_at_their_offsets() {
    let (document, report) = open(&file([3, 6, 2], |_, _, _| PLAIN)).unwrap();
    assert_eq!((document.metadata.name.as_deref(), document.metadata.author.as_deref()), (Some("Hill"), Some("Ann")));
    assert_eq!(document.metadata.game_mode, Some(GameMode::Babel));
    assert_eq!(document.bounds().size(), IVec3::new(3, 6, 2));
    let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([1, 3], [2, 5]), z: 0 };
    assert_eq!(document.objects.get(ObjectId(1)), Some(&region));
    assert_eq!(document.objects.iter().count(), 1);
    assert!(codes(&report).is_empty(), "{report:?}");
}

#[test]
fn a_new_document_has_its_header_at_the_formats_offsets() {
    let mut document = document([3, 200, 2], &[]);
    let metadata = Arc::make_mut(&mut document.metadata);
    metadata.set(crate::document::Property::Name(Some("Isle".into())));
    metadata.set(crate::document::Property::Author(Some("Bo".into())));
    metadata.set(crate::document::Property::GameMode(Some(GameMode::Arena)));
    let bytes = save(&document);
    assert_eq!(bytes.len(), 91 + 8 * 3 * 200 * 2);
    assert_eq!(&bytes[..6], b"Isle\0\0");
    assert_eq!(&bytes[32..36], b"Bo\0\0");
    // The default spawn zone of the game, as far as it lies in the map.
    let expected: [&[u8]; 7] = [&[3], &[3, 0, 0, 0], &[200, 0, 0, 0], &[2, 0], &[0, 0, 0, 0, 3, 0, 0, 0], &[128, 0, 0, 0], &[200, 0, 0, 0]];
    assert_eq!(&bytes[64..91], expected.concat());
}

#[test]
fn z_points_up_in_the_file() {
    // One voxel in column 1, 2 of an asymmetric map: z_vmf 4 of 40 is z 35.
    let bytes = file([3, 5, 40], |x, y, z| if (x, y, z) == (1, 2, 4) { PLAIN | 0x30_2010 } else { 0 });
    let (document, _) = open(&bytes).unwrap();
    assert_eq!(document.store().occupied(), Region::between(IVec3::new(1, 2, 35), IVec3::new(1, 2, 35)));
    assert_eq!(document.store().voxel(IVec3::new(1, 2, 35)), Some(Voxel::new(Rgb::new(0x10, 0x20, 0x30))));
    assert_eq!(word_in(&save(&document), [3, 5, 40], 1, 2, 4), [0x10, 0x20, 0x30, 0, 1, 0, 0, 0]);
}

#[test]
fn every_field_of_a_voxel_is_kept() {
    let bytes = file([1, 1, 1], |_, _, _| u64::from_le_bytes([1, 2, 3, 4, 9, 7, 5, 6]));
    let (document, report) = open(&bytes).unwrap();
    let extra = Extra { light: 4, kind: VoxelKind::Unknown(9), indestructible: 7, reserved: 0x0605, ..Extra::default() };
    assert_eq!(document.store().voxel(IVec3::ZERO), Some(Voxel { paint: Some(Paint::new(Rgb::new(1, 2, 3))), extra }));
    assert_eq!(codes(&report), ["spawn-outside", "unknown-type", "odd-indestructible", "reserved"]);
    assert_eq!(save(&document), bytes);
}

#[test]
fn unedited_files_come_back_byte_for_byte() {
    for size in [[1, 1, 1], [33, 2, 70], [5, 70, 33], [40, 40, 3], [2, 3, 1100], [1, 33, 1024]] {
        let bytes = varied(size);
        let (document, _) = open(&bytes).unwrap();
        assert!(save(&document) == bytes, "{size:?}");
        assert_eq!(Vmf.preflight(&document, &Options::new()).of(Severity::Loss).count(), 0);
        let solid = bytes[HEADER_BYTES..].chunks(8).filter(|word| **word != [0; 8]).count();
        assert_eq!(Vmf.least_size(&document), 8 * solid as u64);
    }
    // Also where the floor under air is not water, and water is not at the floor.
    let bytes = file([2, 2, 3], |x, _, z| if z == 0 || x == 0 { PLAIN } else { WATER });
    assert!(save(&open(&bytes).unwrap().0) == bytes);
}

#[test]
fn odd_header_bytes_come_back_until_they_are_edited() {
    let mut bytes = varied([2, 2, 2]);
    bytes[5..9].copy_from_slice(b"junk");
    bytes[33] = 0xff;
    bytes[64] = 200;
    bytes[75..91].copy_from_slice(&[9, 0, 0, 0, 3, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 4, 0, 0, 0]);
    let (mut document, report) = open(&bytes).unwrap();
    assert_eq!(codes(&report)[..5], ["text-padding", "text-not-ascii", "game-mode", "spawn-reversed", "spawn-outside"]);
    assert!(save(&document) == bytes);
    let metadata = Arc::make_mut(&mut document.metadata);
    metadata.name = Some("Dale".into());
    let saved = save(&document);
    assert_eq!(&saved[..9], b"Dale\0\0\0\0\0");
    assert!(saved[32..] == bytes[32..]);
    Arc::make_mut(&mut document.metadata).name = Some("Hill".into());
    assert!(save(&document) == bytes);
}

#[test]
fn a_name_in_an_old_encoding_keeps_its_letters() {
    let mut bytes = varied([2, 2, 2]);
    bytes[..5].copy_from_slice(b"Caf\xe9\0");
    bytes[32..38].copy_from_slice("Zoë\0\0".as_bytes());
    let (document, _) = open(&bytes).unwrap();
    assert_eq!((document.metadata.name.as_deref(), document.metadata.author.as_deref()), (Some("Café"), Some("Zoë")));
    assert!(save(&document) == bytes);
}

#[test]
fn names_that_do_not_fit_are_cut_and_told() {
    let mut document = document([1, 1, 1], &[]);
    Arc::make_mut(&mut document.metadata).name = Some("x".repeat(31));
    assert_eq!(Vmf.preflight(&document, &Options::new()), Report::new());
    for (name, written) in [("y".repeat(32), "y".repeat(31)), ("Zürich\0".into(), "Z?rich?".into())] {
        Arc::make_mut(&mut document.metadata).name = Some(name);
        assert_eq!(codes(&Vmf.preflight(&document, &Options::new())), ["text-not-held"]);
        assert_eq!(open(&save(&document)).unwrap().0.metadata.name, Some(written));
    }
}

#[test]
fn text_without_an_end_is_refused() {
    for (field, offset) in [(0, 31), (32, 63)] {
        let mut bytes = varied([1, 1, 1]);
        bytes[field..field + 32].fill(b'a');
        assert!(matches!(open(&bytes), Err(FormatError::BadValue { offset: at, .. }) if at == offset));
    }
}

#[test]
fn sizes_of_zero_or_beyond_positions_are_refused() {
    for (offset, length, value) in [(65, 4, 0_u32), (69, 4, 0), (73, 2, 0), (65, 4, u32::MAX), (69, 4, i32::MAX as u32)] {
        let mut bytes = varied([1, 1, 1]);
        bytes[offset..offset + length].copy_from_slice(&value.to_le_bytes()[..length]);
        assert!(matches!(open(&bytes), Err(FormatError::BadValue { offset: at, .. }) if at == offset as u64), "{offset}");
    }
}

#[test]
fn a_map_that_takes_more_memory_than_allowed_is_refused_with_the_figure_for_all_of_it() {
    struct Limited(MemorySource, u64);
    impl Source for Limited {
        fn len(&self) -> u64 {
            self.0.len()
        }
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            self.0.read_at(offset, buffer)
        }
        fn memory_limit(&self) -> u64 {
            self.1
        }
    }
    // Every voxel has its own color: four bytes a voxel, where the size of the file says a quarter of a byte.
    let bytes = file([96, 64, 64], |x, y, z| PLAIN | u64::from(x << 12 | y << 6 | z));
    let read = |limit| Vmf.read(&Limited(source(&bytes), limit), &Options::new(), &Progress::new(), &mut Report::new());
    let taken = read(u64::MAX).unwrap().size_bytes();
    assert!(taken > Vmf.memory_needed(bytes.len() as u64) * 4);
    assert!(read(taken).is_ok());
    for limit in [taken - 1, taken / 2] {
        let Err(FormatError::TooLarge { needed, allowed }) = read(limit) else { panic!("{limit} of {taken} were enough") };
        assert_eq!((needed, allowed), (taken, limit));
    }
}

#[test]
fn truncation_is_refused_at_every_offset() {
    let bytes = varied([3, 2, 3]);
    for length in 0..bytes.len() {
        let needed = if length < HEADER_BYTES { HEADER_BYTES } else { bytes.len() };
        match open(&bytes[..length]) {
            Err(FormatError::Truncated { offset, needed: told }) => assert_eq!((offset, told), (length as u64, needed as u64)),
            other => panic!("{length}: {other:?}"),
        }
    }
}

#[test]
fn bytes_after_the_voxels_are_told_and_kept() {
    let bytes = [&varied([2, 2, 2])[..], b"tail"].concat();
    let (mut document, report) = open(&bytes).unwrap();
    assert!(report.warnings.iter().any(|warning| (warning.code, warning.count) == ("tail", 4)));
    assert_eq!(codes(&Vmf.preflight(&document, &Options::new())), Vec::<&str>::new());
    assert!(save(&document) == bytes);
    // Whatever they say, the mapper did not touch them.
    Arc::make_mut(&mut document.metadata).name = Some("other".into());
    let saved = save(&document);
    assert!(saved.ends_with(b"tail") && saved.len() == bytes.len() && saved.starts_with(b"other\0"));
    for wrong in [&bytes[..bytes.len() - 1], &[&bytes[..bytes.len() - 1], b"L"].concat()] {
        let result = Vmf.verify(&open(&bytes).unwrap().0, &source(wrong), &Options::new(), &Progress::new());
        assert!(matches!(result, Err(FormatError::Differs { what: "bytes after the last voxel", .. })), "{result:?}");
    }
    let mut report = Report::new();
    Vmf.tell_only_here(document.source.as_deref().unwrap(), &mut report);
    assert_eq!(codes(&report), ["tail"], "another format has no room for them");
}

#[test]
fn a_tail_that_is_too_long_is_told_and_not_kept() {
    let bytes = varied([2, 2, 2]);
    let long = [&bytes[..], &vec![7; MAX_TAIL_BYTES as usize + 1]].concat();
    let (document, report) = open(&long).unwrap();
    assert!(report.warnings.iter().any(|warning| (warning.code, warning.count) == ("tail", MAX_TAIL_BYTES + 1)));
    assert_eq!(codes(&Vmf.preflight(&document, &Options::new())), ["tail"]);
    assert_eq!(Vmf.preflight(&document, &Options::new()).worst(), Some(Severity::Loss));
    assert!(save(&document) == bytes);
    let whole = [&bytes[..], &vec![7; MAX_TAIL_BYTES as usize]].concat();
    assert!(save(&open(&whole).unwrap().0) == whole);
}

#[test]
fn bytes_in_air_are_told_and_not_kept() {
    let bytes = file([2, 2, 2], |_, _, z| if z == 0 { PLAIN } else { 0x0001_0000_0000_00ff });
    let (document, report) = open(&bytes).unwrap();
    assert!(report.warnings.iter().any(|warning| (warning.code, warning.count) == ("air-not-zero", 4)));
    assert_eq!(codes(&Vmf.preflight(&document, &Options::new())), ["air-not-zero"]);
    assert_eq!(document.store().solid_count(), 4);
    assert!(save(&document) == file([2, 2, 2], |_, _, z| if z == 0 { PLAIN } else { 0 }));
}

#[test]
fn a_header_with_a_second_team_is_read_and_written_where_the_size_fits() {
    let short = varied([3, 6, 2]);
    let team2 = [2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0];
    let bytes = [&short[..91], &team2, &short[91..]].concat();
    assert_eq!(Vmf.probe(&source(&bytes)), Certainty::Sure);
    let (mut document, report) = open(&bytes).unwrap();
    assert!(codes(&report).contains(&"long-header"));
    assert_eq!(document.objects.spawns(Team::Green).next().unwrap().1.area(), ColumnRect::new([2, 0], [3, 6]));
    let short_voxels = open(&short).unwrap().0;
    for at in document.bounds().positions() {
        assert_eq!(document.store().voxel(at), short_voxels.store().voxel(at));
    }
    assert!(save(&document) == bytes);
    let objects = Arc::make_mut(&mut document.objects);
    let id = objects.spawns(Team::Green).next().unwrap().0;
    objects.0.insert(id, Object::SpawnRegion { team: Team::Green, area: ColumnRect::new([0, 1], [2, 3]), z: 0 });
    assert_eq!(save(&document)[91..107], [0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0]);
}

#[test]
fn the_probe_is_sure_only_where_the_sizes_give_the_length() {
    let bytes = varied([2, 3, 4]);
    assert_eq!(Vmf.probe(&source(&bytes)), Certainty::Sure);
    assert_eq!(Vmf.probe(&source(&bytes[..bytes.len() - 1])), Certainty::Possible);
    assert_eq!(Vmf.probe(&source(&bytes[..20])), Certainty::Possible);
    assert_eq!(Vmf.probe(&source(&[0; 91])), Certainty::Possible);
    assert_eq!(Vmf.probe(&source(&[0xff; 200])), Certainty::Possible);
}

#[test]
fn a_region_that_nobody_chose_is_told_and_made_nowhere() {
    // A map without spawns gets the region in which a server lets players appear anyway.
    let bytes = save(&document([300, 400, 2], &[]));
    assert_eq!(bytes[75..91], [0, 0, 0, 0, 128, 0, 0, 0, 128, 0, 0, 0, 128, 1, 0, 0]);
    let (unspoken, report) = open(&bytes).unwrap();
    assert_eq!((unspoken.objects.0.len(), report.warnings[0].code, report.warnings.len()), (0, "spawn-default", 1));
    assert!(save(&unspoken) == bytes);
    // One that was chosen is one; the green one is no more than a guess.
    let mut chosen = unspoken.clone();
    let region = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([10, 20], [31, 40]), z: 0 };
    Arc::make_mut(&mut chosen.objects).push(region.clone());
    let (again, report) = open(&save(&chosen)).unwrap();
    assert_eq!(again.objects.iter().map(|(_, object)| object.clone()).collect::<Vec<_>>(), [region]);
    assert_eq!((report.warnings.len(), report.warnings[0].severity), (1, Severity::Info));
    assert!(report.warnings[0].message.contains("columns 269,20 to 289,39"), "{report:?}");
    // A map that begins elsewhere: the file counts from its corner.
    let mut shifted = document([300, 400, 2], &[]);
    let store = Store::new(crate::geom::Region::of_size(IVec3::new(300, 400, 2)).shifted(IVec3::new(-50, 60, 0)));
    shifted.put_volumes(Arc::new(vec![crate::document::Volume::new(store)]));
    assert!(save(&shifted)[75..91] == bytes[75..91]);
}

#[test]
fn a_region_without_columns_is_written_and_read_nowhere() {
    let mut document = document([300, 400, 2], &[]);
    for area in [ColumnRect::new([5, 5], [5, 9]), ColumnRect::new([1, 2], [3, 4])] {
        Arc::make_mut(&mut document.objects).push(Object::SpawnRegion { team: Team::Blue, area, z: 0 });
    }
    let bytes = save(&document);
    assert_eq!(bytes[75..91], [1, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0]);
    let mut empty = bytes.clone();
    empty[75] = 3;
    let (document, report) = open(&empty).unwrap();
    assert_eq!((codes(&report), document.objects.0.len()), (vec!["spawn-empty"], 0));
    assert!(save(&document) == empty);
}

#[test]
fn spawns_become_the_box_around_them() {
    let mut document = document([100, 100, 8], &[]);
    let objects = Arc::make_mut(&mut document.objects);
    objects.push(Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([10, 20], [30, 40]), z: 0 });
    objects.push(Object::SpawnPoint { team: Team::Blue, at: IVec3::new(50, 5, 3) });
    objects.push(Object::SpawnPoint { team: Team::Green, at: IVec3::new(90, 90, 3) });
    assert_eq!(codes(&Vmf.preflight(&document, &Options::new())), ["spawns-joined", "objects-in-sidecar"]);
    let (reopened, _) = open(&save(&document)).unwrap();
    let areas: Vec<_> = reopened.objects.iter().map(|(_, object)| (object.team(), object.area())).collect();
    assert_eq!(areas, [(Some(Team::Blue), ColumnRect::new([10, 5], [51, 40]))]);
}

#[test]
fn hidden_voxels_take_the_color_above_them_and_the_default_at_the_top() {
    let red = Voxel::new(Rgb::new(200, 1, 2));
    let column = |x, z, voxel| (IVec3::new(x, 0, z), voxel);
    let document =
        document([2, 1, 8], &[column(0, 5, red), column(0, 6, Voxel::HIDDEN), column(0, 7, Voxel::HIDDEN), column(1, 6, Voxel::HIDDEN)]);
    assert_eq!(codes(&Vmf.preflight(&document, &Options::new())), ["hidden-colors"]);
    let bytes = save(&document);
    assert_eq!(word_in(&bytes, [2, 1, 8], 0, 0, 0), [200, 1, 2, 0, 1, 0, 0, 0]);
    assert_eq!(word_in(&bytes, [2, 1, 8], 1, 0, 1), [0x67, 0x40, 0x28, 0, 1, 0, 0, 0]);
}

#[test]
fn shade_is_counted_as_lost() {
    let shaded = Voxel { paint: Some(Paint { rgb: Rgb::new(1, 2, 3), shade: 90 }), extra: Extra::default() };
    let document = document([2, 2, 8], &[(IVec3::new(0, 0, 7), shaded), (IVec3::new(0, 1, 7), Voxel::new(Rgb::new(1, 2, 3)))]);
    let report = Vmf.preflight(&document, &Options::new());
    assert_eq!(
        report.warnings.iter().map(|warning| (warning.code, warning.severity, warning.count)).collect::<Vec<_>>(),
        [("shade", Severity::Loss, 1)]
    );
    save(&document);
}

/// The types at z_vmf 0 of three columns: floor under air, under a gap, under ground.
#[track_caller]
fn check_floor(document: &Document, kinds: [u8; 3]) {
    let bytes = save(document);
    assert_eq!([0, 1, 2].map(|x| word_in(&bytes, [3, 1, 4], x, 0, 0)[4]), kinds);
}

#[test]
fn the_floor_under_air_is_water_where_the_document_has_no_kinds() {
    let ground = Voxel::new(Rgb::new(5, 5, 5));
    let places = [[0, 3], [1, 3], [1, 1], [2, 3], [2, 2]];
    let mut document = document([3, 1, 4], &places.map(|[x, z]| (IVec3::new(x, 0, z), ground)));
    check_floor(&document, [2, 2, 1]);
    // Filling over water makes it ground, digging down to the floor makes it water.
    edit(&mut document, [(IVec3::new(0, 0, 2), Some(ground)), (IVec3::new(2, 0, 2), None)]);
    check_floor(&document, [1, 2, 2]);
    // Without a game that has a floor there is no water.
    document.profile = &GameProfile::FREE;
    check_floor(&document, [1, 1, 1]);
}

#[test]
fn kinds_read_from_a_vmf_file_are_written_as_they_are() {
    let bytes = file([3, 1, 4], |x, _, z| match (x, z) {
        (0, 0) | (2, 0..=1) => PLAIN,
        (1, 0) => WATER,
        _ => 0,
    });
    let (mut document, _) = open(&bytes).unwrap();
    assert_eq!(document.store().voxel(IVec3::new(1, 0, 3)).unwrap().extra.kind, VoxelKind::Water);
    check_floor(&document, [1, 2, 1]);
    edit(&mut document, [(IVec3::new(1, 0, 2), Some(Voxel::new(Rgb::new(1, 1, 1)))), (IVec3::new(2, 0, 2), None)]);
    check_floor(&document, [1, 2, 1]);
}

#[test]
fn protecting_the_floor_marks_the_two_lowest_layers() {
    let ground = Voxel::new(Rgb::new(5, 5, 5));
    let document = document([1, 1, 4], &[1, 2, 3].map(|z| (IVec3::new(0, 0, z), ground)));
    let indestructible = |bytes: &[u8]| [0, 1, 2, 3].map(|z| word_in(bytes, [1, 1, 4], 0, 0, z)[5]);
    assert_eq!(indestructible(&save(&document)), [0; 4]);
    let options = Options::from([(PROTECT_FLOOR.into(), OptionValue::Bool(true))]);
    assert_eq!(indestructible(&save_with(&document, &options)), [1, 1, 0, 0]);
    let bad = Options::from([(PROTECT_FLOOR.into(), OptionValue::Int(1))]);
    let written = Vmf.write(&document, &mut io::sink(), &bad, &Progress::new(), &mut Report::new());
    assert!(matches!(written, Err(FormatError::BadOption { name: PROTECT_FLOOR, .. })));
}

#[test]
fn of_several_volumes_the_active_one_is_written_and_the_others_are_named() {
    let volume = |name: &str, side: i32| Volume { name: name.into(), ..Volume::new(Store::new(Region::of_size(IVec3::splat(side)))) };
    let mut two = Document::with_volumes(vec![volume("Main", 2), volume("Shuttle", 3)], &GameProfile::FREE).unwrap();
    for (active, side, other) in [(0, 2, "Shuttle"), (1, 3, "Main")] {
        two.set_active(active);
        let saved = save(&two);
        assert_eq!(open(&saved).unwrap().0.bounds(), Region::of_size(IVec3::splat(side)));
        let report = Vmf.preflight(&two, &Options::new());
        let told: Vec<_> = report.of(Severity::Loss).map(|loss| loss.message.as_str()).collect();
        assert!(told.len() == 1 && told[0].starts_with(&format!("1 volume beside the active one is left out: {other}. To")), "{told:?}");
    }
}

#[test]
fn documents_that_do_not_fit_are_refused() {
    let empty = document([0, 4, 4], &[]);
    let high = document([1, 1, 65_536], &[]);
    for document in [empty, high] {
        let written = Vmf.write(&document, &mut io::sink(), &Options::new(), &Progress::new(), &mut Report::new());
        assert!(matches!(written, Err(FormatError::DoesNotFit { .. })));
        assert!(codes(&Vmf.preflight(&document, &Options::new())).contains(&"does-not-fit"));
    }
}

#[test]
fn a_map_that_does_not_begin_at_0_is_written_from_its_corner() {
    let bounds = Region::new(IVec3::new(-5, 30, -3), IVec3::new(40, 35, 36));
    let mut document = Document::new(Store::new(bounds), &GameProfile::FREE);
    let voxel = |at: IVec3| Voxel::new(Rgb::new((at.x + 5) as u8, at.y as u8, (at.z + 3) as u8));
    edit(&mut document, bounds.positions().filter(|at| (at.x + at.y + at.z) % 3 == 0).map(|at| (at, Some(voxel(at)))));
    Arc::make_mut(&mut document.objects).push(Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([0, 31], [2, 33]), z: 0 });
    let (reopened, _) = open(&save(&document)).unwrap();
    assert_eq!(reopened.store().solid_count(), document.store().solid_count());
    for at in bounds.positions() {
        assert_eq!(reopened.store().voxel(at - bounds.min()), document.store().voxel(at), "{at}");
    }
    assert_eq!(reopened.objects.get(ObjectId(1)).unwrap().area(), ColumnRect::new([5, 1], [7, 3]));
}

#[test]
fn verifying_finds_a_changed_byte_anywhere() {
    let bytes = varied([3, 3, 3]);
    let (document, _) = open(&bytes).unwrap();
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        assert!(Vmf.verify(&document, &source(&changed), &Options::new(), &Progress::new()).is_err(), "{at}");
    }
}

#[test]
fn a_flipped_bit_in_the_header_is_an_error_or_a_map_that_stays_the_same() {
    let bytes = varied([3, 2, 3]);
    for bit in 0..HEADER_BYTES * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        check_stable(&flipped);
    }
}

/// Bytes are refused, or saving what they hold gives the same bytes again and again.
#[track_caller]
fn check_stable(bytes: &[u8]) {
    let Ok((document, _)) = open(bytes) else { return };
    let saved = save(&document);
    let (reopened, _) = open(&saved).unwrap();
    assert!(reopened.store().solid_count() == document.store().solid_count());
    assert_eq!((&reopened.metadata, &reopened.objects), (&document.metadata, &document.objects));
    assert!(save(&reopened) == saved);
}

#[test]
fn saving_and_reading_stop_when_cancelled() {
    let bytes = varied([2, 2, 2]);
    let (document, _) = open(&bytes).unwrap();
    let progress = Progress::new();
    progress.cancel();
    let read = Vmf.read(&source(&bytes), &Options::new(), &progress, &mut Report::new());
    let written = Vmf.write(&document, &mut io::sink(), &Options::new(), &progress, &mut Report::new());
    assert!(matches!(read, Err(FormatError::Cancelled(_))) && matches!(written, Err(FormatError::Cancelled(_))));
}

fn voxels() -> impl Strategy<Value = Voxel> {
    let kind = prop_oneof![
        Just(VoxelKind::Solid),
        Just(VoxelKind::Water),
        any::<u8>().prop_filter("named", |kind| *kind > 2).prop_map(VoxelKind::Unknown)
    ];
    let extra = (any::<u8>(), kind, any::<u8>(), any::<u16>());
    (any::<[u8; 3]>(), any::<bool>(), extra).prop_map(|([r, g, b], plain, (light, kind, indestructible, reserved))| {
        let extra = if plain { Extra::default() } else { Extra { light, kind, indestructible, reserved, ..Extra::default() } };
        Voxel { paint: Some(Paint::new(Rgb::new(r, g, b))), extra }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn small_documents_come_back_as_they_were(
        size in (1..40_i32, 1..40_i32, 1..70_i32),
        voxels in prop::collection::vec(((0..40_i32, 0..40_i32, 0..70_i32), prop::option::of(voxels())), 0..300),
        name in "[ -~]{0,31}",
        mode in any::<u8>(),
    ) {
        let mut document = Document::new(Store::new(Region::of_size(size.into())), &GameProfile::FREE);
        edit(&mut document, voxels.into_iter().map(|(at, voxel)| (IVec3::from(at), voxel)));
        let metadata = Arc::make_mut(&mut document.metadata);
        metadata.name = Some(name).filter(|name| !name.is_empty());
        metadata.game_mode = Some(GameMode::from_number(mode));
        let bytes = save(&document);
        let (reopened, report) = open(&bytes).unwrap();
        prop_assert!(reopened.store().bounds() == document.bounds());
        for (pos, chunk) in document.store().chunks() {
            prop_assert_eq!(reopened.store().chunk(pos), Some(chunk));
        }
        prop_assert_eq!(&reopened.metadata, &document.metadata);
        prop_assert!(report.worst() < Some(Severity::Loss));
        prop_assert!(save(&reopened) == bytes);
    }

    #[test]
    fn random_bytes_do_no_harm(mut bytes in prop::collection::vec(any::<u8>(), 0..600), sizes in prop::option::of([1..4_u32, 1..4, 1..4])) {
        if let (Some(sizes), true) = (sizes, bytes.len() > HEADER_BYTES) {
            let header = file(sizes, |_, _, _| 0);
            bytes[60..75].copy_from_slice(&header[60..75]);
            bytes[31] = 0;
        }
        check_stable(&bytes);
    }
}

/// A file of any length: a header, then zeros. Counts what is read of it.
struct Claim {
    header: Vec<u8>,
    length: u64,
    read: std::sync::atomic::AtomicU64,
}

impl Source for Claim {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read.fetch_add(buffer.len() as u64, std::sync::atomic::Ordering::Relaxed);
        for (at, byte) in (offset..).zip(buffer) {
            *byte = usize::try_from(at).ok().and_then(|at| self.header.get(at)).copied().unwrap_or(0);
        }
        Ok(())
    }
}

#[test]
fn sizes_that_the_file_does_not_have_are_refused_before_anything_is_read() {
    for (x, y, z, length) in [
        (1024_u32, 2048_u32, 512_u16, 10 << 30),
        (4096, 4096, 64, 91),
        (65_536, 65_536, 65_535, 10 << 30),
        (1 << 30, 1 << 30, 65_535, u64::MAX),
    ] {
        let mut header = varied([1, 1, 1])[..HEADER_BYTES].to_vec();
        header[65..69].copy_from_slice(&x.to_le_bytes());
        header[69..73].copy_from_slice(&y.to_le_bytes());
        header[73..75].copy_from_slice(&z.to_le_bytes());
        // One byte less than the sizes claim, or what is there.
        let claimed = u128::from(x) * u128::from(y) * u128::from(z) * 8 + 91;
        let length = u64::try_from(claimed - 1).unwrap_or(u64::MAX).min(length);
        let file = Claim { header, length, read: 0.into() };
        assert_eq!(Vmf.probe(&file), Certainty::Possible);
        let result = Vmf.read(&file, &Options::new(), &Progress::new(), &mut Report::new());
        assert!(matches!(result, Err(FormatError::Truncated { offset, .. }) if offset == length), "{x} {y} {z}: {result:?}");
        let read = file.read.load(std::sync::atomic::Ordering::Relaxed);
        assert!(read <= 3 * LONG_HEADER_BYTES as u64, "{read} bytes");
    }
}
