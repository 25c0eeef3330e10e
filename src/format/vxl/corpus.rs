//! Real maps, from the folder that the environment variable `SPADEWORK_MAPS` names.

use std::path::PathBuf;

use glam::IVec3;

use super::tests::column_offsets;
use super::*;
use crate::format::MemorySource;
use crate::voxel::{Paint, Rgb, StoreEdit, Voxel};

/// The maps, none where the variable is unset.
fn maps() -> Vec<(PathBuf, Vec<u8>)> {
    let Some(folder) = std::env::var_os("SPADEWORK_MAPS") else {
        eprintln!("skipped: SPADEWORK_MAPS names no folder of maps");
        return vec![];
    };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "vxl"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

fn read(bytes: &[u8]) -> Document {
    Vxl.read(&MemorySource(bytes.into()), &Options::new(), &Progress::new(), &mut Report::new()).unwrap()
}

#[track_caller]
fn save(document: &Document) -> Vec<u8> {
    let mut bytes = vec![];
    Vxl.write(document, &mut bytes, &Options::new(), &Progress::new(), &mut Report::new()).unwrap();
    Vxl.verify(document, &MemorySource(bytes.as_slice().into()), &Options::new(), &Progress::new()).unwrap();
    bytes
}

#[test]
fn real_maps_are_recognized_and_saved_as_they_were() {
    for (path, bytes) in maps() {
        assert_eq!(Vxl.probe(&MemorySource(bytes.as_slice().into())), Certainty::Sure, "{}", path.display());
        let map = read(&bytes);
        assert!(save(&map) == bytes, "{}", path.display());
        // Without the file to copy from, the same map comes out, maybe with other span breaks.
        let mut anew = map.clone();
        anew.source = None;
        let again = save(&anew);
        assert!(save(&read(&again)) == again, "{}", path.display());
    }
}

#[test]
fn a_few_edits_of_a_real_map_touch_a_few_columns_and_undone_none() {
    for (path, bytes) in maps() {
        let map = read(&bytes);
        let before = column_offsets(&bytes);
        let paint = Paint { rgb: Rgb::new(1, 2, 3), shade: 0x33 };
        for kind in 0..3 {
            let places: Vec<_> = (0..50)
                .map(|i| {
                    let hash = (i + 50 * kind + 1_u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    let (x, y) = ((hash >> 20 & 511) as i32, (hash >> 40 & 511) as i32);
                    let ground = map.store().ground(x, y, 0).unwrap_or(63);
                    let z = match kind {
                        0 => ground,
                        1 => ground.min(62),
                        _ => (hash >> 55 & 63).min(62) as i32,
                    };
                    IVec3::new(x, y, z)
                })
                .collect();
            let apply = |document: &Document, voxel: &dyn Fn(IVec3) -> Option<Voxel>| {
                let mut after = document.clone();
                let mut edit = StoreEdit::new(document.store());
                places.iter().for_each(|&pos| assert!(edit.set(pos, voxel(pos))));
                after.store_mut(0).unwrap().apply(&edit.finish());
                after
            };
            let edited = apply(&map, &|_| (kind != 1).then_some(Voxel { paint: Some(paint), ..Voxel::HIDDEN }));
            let saved = save(&edited);
            let now = column_offsets(&saved);
            let near = |x: i32, y: i32| places.iter().any(|place| (place.x - x).abs() + (place.y - y).abs() <= 1);
            for column in 0..512 * 512 {
                if bytes[before[column]..before[column + 1]] != saved[now[column]..now[column + 1]] {
                    assert!(near(column as i32 % 512, column as i32 / 512), "{} column {column}", path.display());
                }
            }
            // Digging at the water plane changes nothing, nor need building inside the ground.
            if kind == 0 || (kind == 1 && !edited.store().same_voxels(map.store())) {
                assert!(saved != bytes, "{} kind {kind}", path.display());
            }
            let undone = apply(&edited, &|pos| map.store().voxel(pos));
            assert!(save(&undone) == bytes, "{}", path.display());
        }
    }
}
