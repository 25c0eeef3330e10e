//! Real maps, where they are there.

use super::{changed_lines, count_of, painted_in, read, save};
use crate::document::Progress;
use crate::format::ss14::Loaded;
use crate::format::ss14::chunk::Tiles;
use crate::format::ss14::index::Index;

fn maps() -> Vec<(String, Vec<u8>)> {
    let Some(folder) = std::env::var_os("SPADEWORK_SS14_MAPS") else {
        println!("skipped: SPADEWORK_SS14_MAPS names no folder of Space Station 14 maps");
        return vec![];
    };
    let mut maps = vec![];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yml") {
            maps.push((path.display().to_string(), std::fs::read(path).unwrap()));
        }
    }
    maps.sort();
    maps
}

#[test]
fn real_maps_come_back_whole() {
    for (name, bytes) in maps() {
        let (document, _) = read(&bytes);
        assert!(document.store().solid_count() > 0, "{name}");
        assert!(save(&document).0 == bytes, "{name}");
    }
}

#[test]
fn a_tile_painted_on_a_real_map_changes_one_line() {
    for (name, bytes) in maps() {
        let (document, report) = read(&bytes);
        if count_of(&report, "read-only") > 0 {
            continue;
        }
        let (index, volume) = document.volumes().iter().enumerate().find(|(_, volume)| volume.store.solid_count() > 0).unwrap();
        let store = &volume.store;
        let places: Vec<_> = store.bounds().positions().filter(|pos| store.is_solid(*pos)).collect();
        for at in places.iter().step_by(places.len() / 5 + 1) {
            let now = store.voxel(*at).unwrap().rgb().unwrap();
            // The oldest have one kind of tile only.
            let others = store.bounds().positions().filter_map(|pos| store.voxel(pos)?.rgb());
            let Some(other) = others.into_iter().find(|color| *color != now) else { continue };
            let after = painted_in(&document, index, &[(*at, Some(document.palette.name_of(other).unwrap()))]);
            let (saved, report) = save(&after);
            assert_eq!(changed_lines(&bytes, &saved).len(), 1, "{name} {at}");
            assert_eq!(count_of(&report, "inexact-tiles"), 0);
            assert!(read(&saved).0.volumes()[index].store.same_voxels(&after.volumes()[index].store));
        }
    }
}

#[test]
fn chunks_of_real_maps_encode_to_the_same_text() {
    let mut count = 0;
    for (name, bytes) in maps() {
        let Ok(index) = Index::of(&bytes) else { continue };
        let loaded = Loaded::new(&bytes, index, &Default::default(), &Progress::new()).unwrap();
        for (grid, tiles) in loaded.index.grids.iter().zip(&loaded.tiles) {
            for (chunk, tiles) in grid.chunks.chunks.iter().zip(tiles) {
                assert_eq!(tiles.encode().as_bytes(), &bytes[chunk.tiles.clone()], "{name} {:?}", chunk.at);
                assert_eq!(Tiles::decode(&bytes, chunk, grid.chunk_size).unwrap(), *tiles);
                count += 1;
            }
        }
    }
    println!("{count} chunks");
}

#[test]
fn entities_of_real_maps_move_by_one_line() {
    for (name, bytes) in maps() {
        let (document, report) = read(&bytes);
        if count_of(&report, "read-only") > 0 {
            continue;
        }
        let ids: Vec<_> = document.objects.0.keys().copied().collect();
        for id in ids.iter().step_by(ids.len() / 4 + 1) {
            let mut after = document.clone();
            let objects = std::sync::Arc::make_mut(&mut after.objects);
            let object = objects.0.get_mut(id).unwrap();
            *object = object.shifted(glam::IVec3::new(7, -3, 0));
            let (saved, _) = save(&after);
            let lines = saved.split(|byte| *byte == b'\n').count() - bytes.split(|byte| *byte == b'\n').count();
            // An entity without a position gets a line.
            assert!(lines <= 1, "{name}");
            if lines == 0 {
                assert_eq!(changed_lines(&bytes, &saved).len(), 1, "{name}");
            }
            assert_eq!(read(&saved).0.objects, after.objects, "{name}");
        }
    }
}
