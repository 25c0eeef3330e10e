//! Generators: plain parameters and a seed to voxels.
//!
//! A generator is one file here plus its line in [`GENERATORS`]; menus, dialogs, help and the tests
//! come from that list. The same parameters give the same voxels on every machine. Nothing here
//! knows documents in the making, commands or files; callers are the operations in `edit/`.
//!
//! The convention is the game's: z grows downwards, the lowest layer is the water plane and solid in
//! every column; where a column holds nothing else, that voxel is water.

mod canvas;
mod course;
mod erosion;
mod flat;
mod generator;
mod growth;
mod hills;
mod island;
mod land;
mod noise;
mod ocean;
mod river;
mod valley;

pub use canvas::{Canvas, Column};
pub use generator::{Generator, Kind, MAX_COLUMNS, Params, Setting, TerrainError, Unit, Value, check_memory};
pub use land::{Land, Thing, WATER, ground_color};
pub use noise::Noise;

/// Every generator, in the order menus show them.
pub const GENERATORS: &[&dyn Generator] =
    &[&island::Island, &flat::Flat, &ocean::Ocean, &hills::Hills, &valley::Valley, &river::River, &growth::Growth, &erosion::Erosion];

/// The generator of this id.
pub fn generator(id: &str) -> Option<&'static dyn Generator> {
    GENERATORS.iter().copied().find(|generator| generator.id() == id)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use glam::IVec3;

    use super::*;
    use crate::document::{Cancelled, Progress};
    use crate::voxel::{Outside, surface_of_chunk};

    fn params(size: IVec3) -> Params {
        Params { size, seed: 7, values: BTreeMap::new() }
    }

    #[test]
    fn every_generator_has_its_own_id_and_says_what_it_does() {
        let ids: BTreeSet<_> = GENERATORS.iter().map(|generator| generator.id()).collect();
        assert_eq!(ids.len(), GENERATORS.len());
        for generator in GENERATORS {
            assert!(!generator.label().is_empty() && !generator.help().is_empty(), "{}", generator.id());
            assert!(super::generator(generator.id()).is_some());
            for setting in generator.settings() {
                assert!(setting.kind.accepts(&setting.kind.default_value()), "{} {}", generator.id(), setting.id);
            }
        }
    }

    #[test]
    fn every_generator_fills_the_water_plane_and_colors_exactly_the_surface_at_any_size() {
        for generator in GENERATORS {
            for size in [[1, 1, 64], [1, 9, 1], [33, 70, 64], [64, 64, 8], [96, 64, 100]].map(IVec3::from) {
                let store = generator.generate(&params(size), &Progress::new()).unwrap();
                assert_eq!(store.bounds().size(), size);
                for (pos, chunk) in store.chunks() {
                    assert_eq!(chunk.known(), &surface_of_chunk(&store, pos, Outside::GAME), "{} {size} {pos:?}", generator.id());
                }
                for (x, y) in (0..size.y).flat_map(|y| (0..size.x).map(move |x| (x, y))) {
                    assert!(store.is_solid(IVec3::new(x, y, size.z - 1)), "{} {size} {x} {y}", generator.id());
                }
                assert!(store.bounds().contains_region(&store.occupied()), "{} {size}", generator.id());
            }
        }
    }

    #[test]
    fn every_generator_refuses_boxes_without_voxels_and_boxes_too_wide() {
        for generator in GENERATORS {
            let outcome = |size: [i32; 3]| generator.generate(&params(IVec3::from(size)), &Progress::new()).map(|_| ());
            for size in [[0, 5, 64], [5, -1, 64], [5, 5, 0]] {
                assert_eq!(outcome(size), Err(TerrainError::Empty { size }));
            }
            let size = [i32::MAX, i32::MAX, 64];
            assert_eq!(outcome(size), Err(TerrainError::TooWide { size }));
        }
    }

    #[test]
    fn a_map_that_is_far_too_large_is_refused_by_a_small_one_of_its_kind() {
        for generator in GENERATORS {
            let params = Params { size: IVec3::new(640, 512, 64), ..params(IVec3::ONE) };
            let taken = generator.generate(&params, &Progress::new()).unwrap().size_bytes() as u64;
            let check = |allowed| check_memory(*generator, &params, allowed, &Progress::new());
            assert_eq!(check(taken), Ok(()), "{} takes {taken}", generator.id());
            match check(taken / 6).unwrap_err() {
                TerrainError::TooLarge { needed, .. } => assert!((taken / 2..taken * 2).contains(&needed), "{} {taken}", generator.id()),
                error => panic!("{}: {error}", generator.id()),
            }
            // The settings are checked by the sample, too.
            let wrong = Params { values: [("no such".into(), Value::Number(1))].into(), ..params.clone() };
            let refused = check_memory(*generator, &wrong, u64::MAX, &Progress::new());
            assert!(matches!(refused, Err(TerrainError::UnknownSetting { .. })), "{}: {refused:?}", generator.id());
        }
    }

    #[test]
    fn every_generator_stops_when_told_to() {
        for generator in GENERATORS {
            let progress = Progress::new();
            progress.cancel();
            let outcome = generator.generate(&params(IVec3::new(64, 64, 64)), &progress).map(|_| ());
            assert_eq!(outcome, Err(TerrainError::Cancelled(Cancelled)), "{}", generator.id());
        }
    }
}
