//! What sets of voxels do with one another: whole words at a time.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::IVec3;

use super::{ChunkMask, VoxelMask, run_bits};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, ColumnMask};

impl VoxelMask {
    /// The set of these masks; of two of one chunk the last holds, and empty ones are left out.
    pub fn of_chunks(chunks: impl IntoIterator<Item = (ChunkPos, ChunkMask)>) -> Self {
        let chunks = chunks.into_iter().filter(|(_, mask)| mask.iter().any(|column| *column != 0));
        Self { chunks: chunks.map(|(pos, mask)| (pos, Arc::new(mask))).collect() }
    }

    /// The part of the set that lies in a chunk.
    pub fn chunk(&self, pos: ChunkPos) -> Option<&ChunkMask> {
        self.chunks.get(&pos).map(|mask| &**mask)
    }

    /// The smallest box around the set.
    pub fn bounds(&self) -> Region {
        self.chunks().fold(Region::EMPTY, |all, (pos, mask)| all.union(&bounds_in_chunk(mask).shifted(pos.origin())))
    }

    /// Takes every voxel of another set out of this one.
    pub fn subtract(&mut self, other: &Self) {
        self.chunks.retain(|pos, own| {
            let Some(other) = other.chunks.get(pos) else { return true };
            join(own, other, |own, other| own & !other)
        });
    }

    /// Keeps the voxels that are in another set as well.
    pub fn intersect(&mut self, other: &Self) {
        self.chunks.retain(|pos, own| {
            let Some(other) = other.chunks.get(pos) else { return false };
            Arc::ptr_eq(own, other) || join(own, other, |own, other| own & other)
        });
    }

    /// The set moved.
    pub fn shifted(&self, by: IVec3) -> Self {
        let edge = CHUNK_EDGE as i32;
        let (step, rest) = (by.div_euclid(IVec3::splat(edge)), by.rem_euclid(IVec3::splat(edge)));
        if rest == IVec3::ZERO {
            return Self { chunks: self.chunks.iter().map(|(pos, mask)| (ChunkPos(pos.0 + step), mask.clone())).collect() };
        }
        let mut chunks: BTreeMap<ChunkPos, Box<ChunkMask>> = BTreeMap::new();
        for (pos, mask) in &self.chunks {
            // Where the chunk is cut by the borders of those that it comes to lie in.
            for corner in Region::of_size(IVec3::splat(2)).positions().filter(|corner| corner.cmple(rest.min(IVec3::ONE)).all()) {
                let part = moved_part(mask, rest - corner * edge);
                if part.iter().any(|column| *column != 0) {
                    let target = chunks.entry(ChunkPos(pos.0 + step + corner)).or_insert_with(|| Box::new([0; CHUNK_COLUMNS]));
                    target.iter_mut().zip(&part).for_each(|(own, more)| *own |= more);
                }
            }
        }
        Self { chunks: chunks.into_iter().map(|(pos, mask)| (pos, Arc::from(mask))).collect() }
    }

    /// The voxels of a box that lie at most `by` away along each axis from one of the set: a voxel grows to a cube.
    ///
    /// # Errors
    /// What `check`, which is asked now and then whether to go on, answers.
    pub fn grown<E>(&self, by: u32, within: &Region, check: &mut impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let mut grown = self.within(within);
        for axis in IVec3::AXES {
            let room = Region::new(within.min(), within.max().saturating_add(axis * by.cast_signed()));
            let add = |own: &mut Self, other: &Self| own.add(&other.within(&room));
            grown = grown.swept(axis, by, add, check)?.within(within);
        }
        Ok(grown)
    }

    /// The voxels whose surroundings, `by` along each axis, lie in the set altogether.
    ///
    /// # Errors
    /// What `check`, which is asked now and then whether to go on, answers.
    pub fn shrunk<E>(&self, by: u32, check: &mut impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let mut shrunk = self.clone();
        for axis in IVec3::AXES {
            shrunk = shrunk.swept(axis, by, Self::intersect, check)?;
        }
        Ok(shrunk)
    }

    /// The voxels of the set that have one beside them that is not in it.
    pub fn rim(&self) -> Self {
        let mut inner = self.clone();
        for step in [IVec3::X, IVec3::NEG_X, IVec3::Y, IVec3::NEG_Y, IVec3::Z, IVec3::NEG_Z] {
            inner.intersect(&self.shifted(step));
        }
        let mut rim = self.clone();
        rim.subtract(&inner);
        rim
    }

    /// The set joined with itself moved by up to `reach` both ways; the run doubles with each step.
    fn swept<E>(
        &self,
        axis: IVec3,
        reach: u32,
        join: impl Fn(&mut Self, &Self),
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let reach = reach.cast_signed();
        let (mut run, mut have, all) = (self.clone(), 1, 2 * reach + 1);
        while have < all {
            check()?;
            let step = have.min(all - have);
            let moved = run.shifted(axis * step);
            join(&mut run, &moved);
            have += step;
        }
        Ok(run.shifted(-axis * reach))
    }
}

impl FromIterator<VoxelPos> for VoxelMask {
    fn from_iter<I: IntoIterator<Item = VoxelPos>>(voxels: I) -> Self {
        let mut mask = Self::default();
        voxels.into_iter().for_each(|pos| mask.insert(pos));
        mask
    }
}

/// Answers whether anything is left.
fn join(own: &mut Arc<ChunkMask>, other: &ChunkMask, word: impl Fn(ColumnMask, ColumnMask) -> ColumnMask) -> bool {
    let mut any = 0;
    for (own, other) in Arc::make_mut(own).iter_mut().zip(other) {
        *own = word(*own, *other);
        any |= *own;
    }
    any != 0
}

/// What lies in a chunk once the mask has moved by less than a chunk.
fn moved_part(mask: &ChunkMask, by: IVec3) -> ChunkMask {
    let mut part = [0; CHUNK_COLUMNS];
    let edge = CHUNK_EDGE as i32;
    let rows = |by: i32| by.max(0)..(edge + by).min(edge);
    for y in rows(by.y) {
        for x in rows(by.x) {
            let from = mask[((y - by.y) * edge + x - by.x) as usize];
            part[(y * edge + x) as usize] = if by.z >= 0 { from << by.z } else { from >> -by.z };
        }
    }
    part
}

fn bounds_in_chunk(mask: &ChunkMask) -> Region {
    let all = mask.iter().fold(0, |all, column| all | column);
    if all == 0 {
        return Region::EMPTY;
    }
    let (mut min, mut max) = (IVec3::splat(CHUNK_EDGE as i32), IVec3::ZERO);
    for (column, _) in mask.iter().enumerate().filter(|(_, column)| **column != 0) {
        let at = IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, 0);
        (min, max) = (min.min(at), max.max(at));
    }
    Region::between(min.with_z(all.trailing_zeros() as i32), max.with_z(all.ilog2() as i32))
}

/// The mask of a whole chunk, or of its part in a box.
pub(super) fn shared_region(region: &Region) -> BTreeMap<ChunkPos, Arc<ChunkMask>> {
    let full = Arc::new([run_bits(0..CHUNK_EDGE as i32); CHUNK_COLUMNS]);
    let chunk = |pos: ChunkPos| {
        let whole = region.contains_region(&pos.region());
        (pos, if whole { full.clone() } else { Arc::new(super::region_in_chunk(region, pos)) })
    };
    ChunkPos::covering(region).map(chunk).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    type Naive = BTreeSet<[i32; 3]>;

    fn naive(mask: &VoxelMask) -> Naive {
        mask.positions().map(|pos| pos.to_array()).collect()
    }

    /// Boxes and single voxels around the corner where eight chunks meet.
    fn a_set() -> impl Strategy<Value = VoxelMask> {
        let at = || prop::array::uniform3(-5..40_i32).prop_map(IVec3::from);
        let boxes = prop::collection::vec((at(), prop::array::uniform3(1..9_i32)), 0..4);
        (boxes, prop::collection::vec(at(), 0..20)).prop_map(|(boxes, voxels)| {
            let mut mask: VoxelMask = voxels.into_iter().collect();
            boxes.into_iter().for_each(|(at, size)| mask.add(&VoxelMask::of_region(&Region::of_size(size.into()).shifted(at))));
            mask
        })
    }

    fn go_on() -> Result<(), Infallible> {
        Ok(())
    }

    fn cube(by: i32) -> Region {
        Region::new(IVec3::splat(-by), IVec3::splat(by + 1))
    }

    #[track_caller]
    fn check(found: &VoxelMask, expected: &Naive) {
        assert_eq!(naive(found), *expected);
        assert!(found.chunks().all(|(_, mask)| mask.iter().any(|column| *column != 0)), "no chunk is empty");
        assert_eq!(found.count(), expected.len() as u64);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn sets_are_added_subtracted_and_intersected_as_plain_sets_are(a in a_set(), b in a_set()) {
            let (plain_a, plain_b) = (naive(&a), naive(&b));
            let with = |change: &dyn Fn(&mut VoxelMask)| { let mut all = a.clone(); change(&mut all); all };
            check(&with(&|all| all.add(&b)), &plain_a.union(&plain_b).copied().collect());
            check(&with(&|all| all.subtract(&b)), &plain_a.difference(&plain_b).copied().collect());
            check(&with(&|all| all.intersect(&b)), &plain_a.intersection(&plain_b).copied().collect());
            let around = a.positions().fold(Region::EMPTY, |all, pos| all.union(&Region::between(pos, pos)));
            prop_assert_eq!(a.bounds(), around);
        }

        #[test]
        fn a_set_moves_voxel_by_voxel(a in a_set(), by in prop::array::uniform3(-70..70_i32)) {
            let by = IVec3::from(by);
            check(&a.shifted(by), &a.positions().map(|pos| (pos + by).to_array()).collect());
        }

        #[test]
        fn a_set_grows_and_shrinks_by_cubes_and_its_rim_has_open_sides(a in a_set(), by in 0..6_u32) {
            let within = Region::new(IVec3::splat(-7), IVec3::new(38, 41, 36));
            let around = |pos: VoxelPos| cube(by as i32).positions().map(move |step| pos + step);
            let grown = a.grown(by, &within, &mut go_on).unwrap();
            check(&grown, &a.within(&within).positions().flat_map(around).filter(|pos| within.contains(*pos)).map(|pos| pos.to_array()).collect());
            let shrunk = a.shrunk(by, &mut go_on).unwrap();
            check(&shrunk, &a.positions().filter(|pos| around(*pos).all(|pos| a.contains(pos))).map(|pos| pos.to_array()).collect());
            let open = |pos: &VoxelPos| crate::geom::Face::ALL.iter().any(|face| !a.contains(pos + face.normal()));
            check(&a.rim(), &a.positions().filter(open).map(|pos| pos.to_array()).collect());
        }
    }

    #[test]
    fn copies_and_whole_chunks_share_their_blocks() {
        let whole = VoxelMask::of_region(&Region::of_size(IVec3::new(512, 512, 64)));
        assert_eq!(whole.count(), 1 << 24);
        let (_, first) = whole.chunks().next().unwrap();
        assert!(whole.chunks().all(|(_, mask)| std::ptr::eq(mask, first)));
        assert!(std::ptr::eq(whole.clone().chunks().next().unwrap().1, first));
    }

    #[test]
    fn growing_ends_where_it_is_told_to() {
        let mut asked = 0;
        let mut stop = || {
            asked += 1;
            if asked == 3 { Err("stopped") } else { Ok(()) }
        };
        let mask = VoxelMask::of_region(&cube(3));
        assert_eq!(mask.grown(200, &cube(300), &mut stop), Err("stopped"));
    }
}
