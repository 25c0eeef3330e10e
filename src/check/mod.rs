//! What the game or a server will not like about a map. A check only looks; it never changes the map.
//!
//! A check is one file plus one entry in [`CHECKS`].

mod object_outside;
mod one_sided;
mod spawn_water;
mod territories;

use crate::document::{Document, ObjectId};
use crate::geom::VoxelPos;

/// One thing that will go wrong in the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Stable name in kebab case: that of the check.
    pub code: &'static str,
    /// One sentence for a person: what happens, and what to do.
    pub message: String,
    /// Where to look.
    pub positions: Vec<VoxelPos>,
    /// The objects concerned.
    pub objects: Vec<ObjectId>,
}

/// A rule of the game.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Stable name in kebab case.
    pub code: &'static str,
    /// What it looks for, in one sentence.
    pub help: &'static str,
    /// Looks, and adds what it finds.
    pub run: fn(&Document, &mut Vec<Problem>),
}

/// Every check, in the order of their reports.
pub const CHECKS: &[&Check] = &[&object_outside::CHECK, &one_sided::CHECK, &spawn_water::CHECK, &territories::CHECK];

/// Runs every check.
pub fn check(document: &Document) -> Vec<Problem> {
    let mut problems = vec![];
    CHECKS.iter().for_each(|check| (check.run)(document, &mut problems));
    problems
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::{Anchor, GameProfile, Object, Team};
    use crate::geom::{ColumnRect, Region};
    use crate::voxel::{DenseChunk, Rgb, Store, Voxel};

    /// A map of 32×32 columns, 64 high: water, with land at 3, 4.
    fn islet() -> Document {
        let mut store = Store::new(Region::of_size(IVec3::new(32, 32, 64)));
        let mut dense = DenseChunk::empty();
        dense.set(4 * 32 + 3, 29, Some(Voxel::new(Rgb::new(1, 2, 3))));
        for column in 0..32 * 32 {
            dense.set(column, 31, Some(Voxel::new(Rgb::new(0, 0, 200))));
        }
        store.put_chunk(crate::voxel::ChunkPos(IVec3::new(0, 0, 1)), dense.pack_or_air());
        Document::new(store, &GameProfile::ACE_OF_SPADES)
    }

    #[track_caller]
    fn check_codes(objects: Vec<Object>, expected: &[&str]) {
        let mut document = islet();
        let mut list = (*document.objects).clone();
        objects.into_iter().for_each(|object| _ = list.push(object));
        document.objects = std::sync::Arc::new(list);
        let found = check(&document);
        assert_eq!(found.iter().map(|problem| problem.code).collect::<Vec<_>>(), expected, "{found:?}");
    }

    fn region(min: [i32; 2], max: [i32; 2], z: i32) -> Object {
        Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new(min, max), z }
    }

    #[test]
    fn a_spawn_region_wants_one_column_of_land() {
        check_codes(vec![region([0, 0], [4, 5], 0)], &[]);
        check_codes(vec![region([0, 0], [4, 4], 0)], &["spawn-water"]);
        check_codes(vec![region([0, 0], [4, 5], 62)], &["spawn-water"]);
    }

    #[test]
    fn a_map_of_the_game_wants_land_where_servers_let_players_appear() {
        let store = Store::new(Region::of_size(IVec3::new(512, 512, 64)));
        let mut document = Document::new(store, &GameProfile::ACE_OF_SPADES);
        let codes = |document: &Document| check(document).iter().map(|problem| problem.code).collect::<Vec<_>>();
        assert_eq!(codes(&document), ["spawn-water"; 2]);
        let mut objects = (*document.objects).clone();
        objects.push(Object::SpawnPoint { team: Team::Green, at: IVec3::new(3, 4, 61) });
        document.objects = std::sync::Arc::new(objects);
        assert_eq!(codes(&document), ["spawn-water"]);
        let script = b"def get_spawn_location(connection): return random_place()";
        document.sidecars = std::sync::Arc::new(vec![crate::document::SidecarSource {
            is_readable: true,
            sidecar: "piqueserver-txt",
            bytes: script[..].into(),
        }]);
        assert_eq!(codes(&document), Vec::<&str>::new());
    }

    #[test]
    fn objects_lie_within_the_map() {
        let base = |x, z| Object::Base { team: Team::Green, at: Anchor { x, y: 3, z } };
        check_codes(vec![base(31, None), base(3, Some(63))], &[]);
        check_codes(vec![base(32, None), base(-1, None), base(3, Some(64))], &["object-outside"; 3]);
        check_codes(vec![region([0, 0], [33, 5], 0)], &["object-outside"]);
        check_codes(vec![region([i32::MIN, i32::MIN], [i32::MAX, i32::MAX], i32::MIN)], &["object-outside"; 1]);
    }

    #[test]
    fn servers_take_sixteen_territories() {
        let territory = || Object::Territory { owner: None, at: Anchor { x: 3, y: 4, z: None } };
        check_codes((0..16).map(|_| territory()).collect(), &[]);
        check_codes((0..17).map(|_| territory()).collect(), &["territories"]);
    }

    #[test]
    fn checks_have_their_own_names() {
        let mut codes: Vec<_> = CHECKS.iter().map(|check| check.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), CHECKS.len());
    }
}
