//! The starter map: an island for two teams, the same for both under half a turn about its center.
//!
//! A road leads from each base through a tunnel in the mesa to one stone bridge over the gorge that
//! splits the island. [`relief`] decides how high the land is, [`rock`] turns it into columns with
//! overhangs, caves and arches, [`works`] and [`trees`] build on it, [`ground`] colors the rest.

mod ground;
mod relief;
mod rock;
mod trees;
mod works;

use glam::{IVec3, Vec2};

use super::Canvas;
use super::generator::{Generator, Params, TerrainError};
use crate::document::Progress;
use crate::voxel::{Rgb, Store};
use relief::Relief;

/// See [the module](self).
pub struct Island;

impl Generator for Island {
    fn id(&self) -> &'static str {
        "island"
    }

    fn label(&self) -> &'static str {
        "Island"
    }

    fn help(&self) -> &'static str {
        "An island for two teams, with a gorge, a bridge, tunnels, woods and a keep for each side"
    }

    fn generate(&self, params: &Params, progress: &Progress) -> Result<Store, TerrainError> {
        params.check(self.settings())?;
        let mut site = Site { canvas: Canvas::new(params.size)?, seed: params.seed };
        progress.check()?;
        let relief = Relief::new(params.size, params.seed);
        progress.check()?;
        rock::raise(&mut site, &relief);
        progress.check()?;
        rock::hollow(&mut site, &relief);
        works::build(&mut site, &relief);
        progress.check()?;
        trees::plant(&mut site, &relief);
        site.canvas.drop_floating();
        let colors = ground::Ground::new(&site.canvas, &relief, params.seed);
        Ok(site.canvas.finish(|x, y, height| colors.color(x, y, height), progress)?)
    }
}

/// The canvas, with everything built twice: once for each team.
struct Site {
    canvas: Canvas,
    seed: u64,
}

impl Site {
    /// The place that half a turn about the center brings here.
    fn twin(&self, x: i32, y: i32) -> (i32, i32) {
        let size = self.canvas.size();
        (size.x - 1 - x, size.y - 1 - y)
    }

    /// Columns of the western half: with their twins, every column once.
    fn western_columns(&self) -> impl Iterator<Item = (i32, i32)> + use<> {
        let size = self.canvas.size();
        (0..size.y).flat_map(move |y| (0..(size.x + 1) / 2).map(move |x| (x, y)))
    }

    fn build(&mut self, x: i32, y: i32, height: i32, color: Rgb) {
        self.build_for_teams(x, y, height, [color, color]);
    }

    /// Builds in the west in the first color and in the east in the second.
    fn build_for_teams(&mut self, x: i32, y: i32, height: i32, [west, east]: [Rgb; 2]) {
        let (twin_x, twin_y) = self.twin(x, y);
        self.canvas.build(x, y, height, west);
        self.canvas.build(twin_x, twin_y, height, east);
    }

    fn carve(&mut self, x: i32, y: i32, height: i32) {
        let (twin_x, twin_y) = self.twin(x, y);
        self.canvas.carve(x, y, height);
        self.canvas.carve(twin_x, twin_y, height);
    }
}

/// The plan that all sizes share: 512×512 with the origin in the center, x east, y south.
#[derive(Clone, Copy, Debug)]
struct Plan {
    size: IVec3,
}

impl Plan {
    /// Center of a column, in plan units.
    fn point(&self, x: i32, y: i32) -> Vec2 {
        let size = self.size.truncate().as_vec2();
        (Vec2::new(x as f32, y as f32) + 0.5) / size * 512.0 - 256.0
    }

    /// The column at a point of the plan.
    fn column(&self, point: Vec2) -> (i32, i32) {
        let at = ((point + 256.0) / 512.0 * self.size.truncate().as_vec2()).floor().as_ivec2();
        (at.x, at.y)
    }

    /// Whether there is room for buildings, which come in one size only.
    fn roomy(&self) -> bool {
        self.size.x >= 400 && self.size.y >= 400
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::LazyLock;

    use super::*;
    use crate::voxel::{Outside, surface_of_chunk};

    static MAP: LazyLock<Store> = LazyLock::new(|| generated(&Params::game(1)));

    fn generated(params: &Params) -> Store {
        Island.generate(params, &Progress::new()).unwrap()
    }

    fn columns() -> impl Iterator<Item = (i32, i32)> {
        (0..512).flat_map(|y| (0..512).map(move |x| (x, y)))
    }

    /// Solid voxels of the columns of [`MAP`], bit z, `[y * 512 + x]`.
    static COLUMNS: LazyLock<Vec<u64>> = LazyLock::new(|| {
        let mut masks = vec![0_u64; 512 * 512];
        for (pos, chunk) in MAP.chunks() {
            for (column, &mask) in chunk.solid().iter().enumerate() {
                let at = pos.origin() + IVec3::new((column % 32) as i32, (column / 32) as i32, 0);
                masks[(at.y * 512 + at.x) as usize] |= u64::from(mask) << at.z;
            }
        }
        masks
    });

    fn column(x: i32, y: i32) -> u64 {
        COLUMNS[(y * 512 + x) as usize]
    }

    #[test]
    fn both_teams_have_the_same_island_and_every_column_has_the_water_plane() {
        for (x, y) in columns() {
            let here = column(x, y);
            assert_eq!(here, column(511 - x, 511 - y), "{x} {y}");
            assert_eq!(here >> 63, 1, "{x} {y}");
        }
    }

    #[test]
    fn most_of_both_spawn_zones_is_dry_for_many_seeds() {
        for seed in 0..4 {
            let store = generated(&Params::game(seed));
            let dry = |from: i32| (from..from + 128).flat_map(|x| (128..384).map(move |y| (x, y)));
            let share = |from| dry(from).filter(|&(x, y)| store.is_solid(IVec3::new(x, y, 62))).count() as f32 / (128.0 * 256.0);
            assert_eq!(share(0), share(384));
            assert!(share(0) > 0.6, "seed {seed}: {}", share(0));
        }
    }

    #[test]
    fn there_are_overhangs_a_bridge_over_water_and_a_way_through_the_mesa() {
        let overhangs = columns().filter(|&(x, y)| {
            let down = column(x, y);
            (down >> down.trailing_zeros()).count_zeros() != down.trailing_zeros()
        });
        assert!(overhangs.count() > 3000);
        let deck = MAP.ground(256, 256, 0).unwrap();
        assert!(deck < 56 && column(256, 256) >> 62 == 0b10, "no bridge over water at the center");
        let covered = (140..235).filter(|&x| (0..24).any(|z| MAP.is_solid(IVec3::new(x, 256, 63 - 24 - z)))).count();
        assert!(covered > 20, "{covered}");
    }

    #[test]
    fn colors_are_many_and_known_exactly_on_the_surface() {
        let mut colors = BTreeSet::new();
        for (pos, chunk) in MAP.chunks() {
            assert_eq!(chunk.known(), &surface_of_chunk(&MAP, pos, Outside::GAME), "{pos:?}");
            for column in 0..crate::voxel::CHUNK_COLUMNS {
                colors.extend(chunk.paint_words_of_column(column));
            }
        }
        assert!(colors.len() > 500, "{}", colors.len());
        assert!(colors.iter().all(|word| word >> 24 == 0x80));
    }

    #[test]
    fn nothing_floats() {
        let mut canvas = Canvas::new(MAP.bounds().size()).unwrap();
        for (x, y) in columns() {
            canvas.set_column(x, y, column(x, y).reverse_bits());
        }
        let before = canvas.clone();
        canvas.drop_floating();
        assert!(columns().all(|(x, y)| canvas.column(x, y) == before.column(x, y)));
    }

    #[test]
    fn a_seed_gives_the_same_island_everywhere_and_another_seed_another() {
        assert!(generated(&Params::game(1)).same_voxels(&MAP));
        assert!(!generated(&Params::game(2)).same_voxels(&MAP));
        let size = IVec3::new(96, 96, 64);
        let small = generated(&Params { size, seed: 1, values: BTreeMap::new() });
        let mut sum = 0_u64;
        for (pos, chunk) in small.chunks() {
            for (mask, column) in chunk.solid().iter().zip(0..) {
                sum = sum.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(*mask);
                for word in chunk.paint_words_of_column(column) {
                    sum = sum.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(word);
                }
            }
            assert!(pos.0.z < 2);
        }
        // Changes with every change to the island; equal on every machine.
        assert_eq!(sum, 5_126_507_162_943_256_700);
    }
}
