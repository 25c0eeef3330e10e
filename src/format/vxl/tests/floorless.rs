//! Columns without a floor, colors under ground, and what is written beside them.

use super::*;
use crate::format::vxl::column::{Column, surface};

/// A usual column, one of air, a slab without a floor, one whose floor has a color under ground: as `kind` says.
fn column_of(kind: u32, color: [u8; 4]) -> Vec<u8> {
    let top = 40 + (kind / 4 % 20) as u8;
    match kind % 4 {
        0 => [[0, top, top, 0], color].concat(),
        1 => vec![0, 64, 63, 0],
        2 => [[2, top, top, 0], color, [0, 64, 63, top + 1]].concat(),
        _ => [[3, top, top, 0], color, color, [0, 64, 63, 64]].concat(),
    }
}

/// A square map's columns, as they are read back.
fn columns_of(bytes: &[u8]) -> Vec<(&[u8], Column)> {
    let offsets = column_offsets(bytes);
    offsets.windows(2).map(|ends| (&bytes[ends[0]..ends[1]], parse_column(bytes, ends[0], |_| ()).unwrap())).collect()
}

/// Every column is a copy of the source's, or has just the colors that it should have.
fn check_colors(source: &[u8], map: &Document, saved: &[u8]) {
    let (before, now) = (columns_of(source), columns_of(saved));
    let edge = map.bounds().size().x;
    let paint_word = |map: &Document, pos| map.store().paint(pos).map(Paint::to_word);
    let (original, _) = read(source).unwrap();
    for (pos, ((old_bytes, old), (bytes, column))) in Region::of_size(IVec3::new(edge, edge, 1)).positions().zip(before.iter().zip(&now)) {
        if old_bytes == bytes {
            continue;
        }
        assert_ne!(column.solid & FLOOR, 0, "{pos}");
        let around = [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y].map(|step| {
            let at = pos + step;
            let is_inside = at.x >= 0 && at.y >= 0 && at.x < edge && at.y < edge;
            if is_inside { now[(at.y * edge + at.x) as usize].1.solid } else { u64::MAX }
        });
        let visible = surface(column.solid, around);
        let kept = (0..64).filter(|z| {
            let at = pos.with_z(*z);
            old.stored >> z & 1 == 1 && paint_word(&original, at) == paint_word(map, at)
        });
        let expected = kept.fold(visible, |colored, z| colored | 1 << z);
        assert_eq!(column.stored, expected, "at {pos}: {:x} differ", column.stored ^ expected);
    }
}

proptest! {
    #[test]
    fn beside_columns_that_lose_or_keep_being_without_a_floor_just_what_is_seen_has_a_color(
        kinds in prop::collection::vec(any::<(u32, [u8; 4])>(), 36),
        places in prop::collection::vec((0..6_i32, 0..6_i32, 38..64_i32, prop::option::of(any::<u32>())), 1..6),
    ) {
        let source: Vec<u8> = kinds.into_iter().flat_map(|(kind, color)| column_of(kind, color)).collect();
        let (map, _) = read(&source).unwrap();
        let after = edited(&map, |edit| {
            for &(x, y, z, word) in &places {
                let paint = word.map(Paint::from_word);
                edit.set(IVec3::new(x, y, z), paint.map(|paint| Voxel { paint: Some(paint), ..Voxel::HIDDEN }));
            }
        });
        check_colors(&source, &after, &save(&after).0);
    }
}

#[test]
fn a_column_without_floor_is_kept_until_it_is_edited() {
    let mut bytes = water(16);
    bytes.splice(5 * 8..6 * 8, [0, 64, 63, 0]);
    let (map, report) = read(&bytes).unwrap();
    assert_eq!(count_of(&report, "no-floor"), 1);
    let (saved, report) = save(&map);
    assert_eq!((saved, count_of(&report, "no-floor"), count_of(&report, "floor-added")), (bytes.clone(), 1, 0));

    let painted = edited(&map, |edit| {
        edit.set(IVec3::new(3, 3, 63), Some(Voxel::new(Rgb::new(1, 2, 3))));
    });
    let (saved, report) = save(&painted);
    assert_eq!((saved.len(), count_of(&report, "no-floor"), count_of(&report, "floor-added")), (bytes.len(), 1, 0));

    let built = edited(&map, |edit| {
        edit.set(IVec3::new(1, 1, 40), Some(Voxel::new(Rgb::new(1, 2, 3))));
    });
    let (saved, report) = save(&built);
    assert_eq!((count_of(&report, "no-floor"), count_of(&report, "floor-added"), count_of(&report, "guessed-colors")), (0, 1, 1));
    let (again, report) = read(&saved).unwrap();
    assert_eq!(count_of(&report, "no-floor"), 0);
    assert_eq!(again.store().paint(IVec3::new(1, 1, 63)), Some(Paint::new(Rgb::new(1, 2, 3))));
}

#[test]
fn what_is_not_mended_is_copied_from_a_broken_file() {
    const EDGE: usize = 64;
    let mut seed = 7_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8
    };
    let sound: Vec<u8> = (0..EDGE * EDGE).flat_map(|_| column_of(random(), [random() as u8, 1, 2, 0x80])).collect();
    let offsets = column_offsets(&sound);
    let (mut broken, mut copied) = (0, 0);
    for column in [100, 2001, 3000] {
        for (bit, bytes) in broken_by_a_bit(&sound, offsets[column]) {
            broken += 1;
            let (map, _) = read_with(&bytes, &options("64x64", true)).unwrap();
            let mut saved = vec![];
            let (progress, mut report) = (Progress::new(), Report::new());
            Vxl.write(&map, &mut saved, &options("64x64", true), &progress, &mut report).unwrap();
            let now = column_offsets(&saved);
            assert_eq!(now.len(), EDGE * EDGE + 1, "bit {bit} of {column}");
            for at in 0..EDGE * EDGE {
                let away = (at % EDGE).abs_diff(column % EDGE).max((at / EDGE).abs_diff(column / EDGE));
                if away > 3 {
                    let [was, is] = [&sound[offsets[at]..offsets[at + 1]], &saved[now[at]..now[at + 1]]];
                    assert_eq!(was, is, "column {at}, bit {bit} of {column}");
                    copied += 1;
                }
            }
        }
    }
    assert!(broken > 20 && copied > 50_000, "{broken} {copied}");
}
