//! The selection: a set of voxels with a box around it.
//!
//! State of the document like masks and symmetry: undoable, journalled, never "modified". That nothing is
//! selected is said by `None`, so that no selection is empty.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Cancelled, Progress, Symmetry};
use crate::geom::{Region, Transform, VoxelPos};
use crate::voxel::mask::region_in_chunk;
use crate::voxel::{CHUNK_COLUMNS, ChunkMask, ChunkPos, Store, VoxelMask};

/// How something newly selected joins what is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combine {
    /// It alone is selected.
    #[default]
    Replace,
    /// Both are.
    Add,
    /// It is not selected any more.
    Subtract,
    /// Only what is in both stays selected.
    Intersect,
}

impl Combine {
    /// All ways, in the order of the switch.
    pub const ALL: [Self; 4] = [Self::Replace, Self::Add, Self::Subtract, Self::Intersect];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Replace => "Replace",
            Self::Add => "Add",
            Self::Subtract => "Subtract",
            Self::Intersect => "Intersect",
        }
    }

    /// Whether it is the way that goes without saying.
    pub fn is_replace(&self) -> bool {
        *self == Self::Replace
    }

    /// What is selected once `fresh` joins `own`.
    pub fn apply(self, own: Option<&Selection>, fresh: Option<Selection>) -> Option<Selection> {
        match (self, own, fresh) {
            (Self::Replace, _, fresh) | (Self::Add, None, fresh) => fresh,
            (Self::Add | Self::Subtract, own, None) => own.cloned(),
            (Self::Subtract | Self::Intersect, None, _) | (Self::Intersect, _, None) => None,
            (Self::Add, Some(own), Some(fresh)) => Some(own.with(&fresh)),
            (Self::Subtract, Some(own), Some(fresh)) => own.without(&fresh),
            (Self::Intersect, Some(own), Some(fresh)) => own.common(&fresh),
        }
    }
}

/// Selected voxels, air and solid alike: a plain box, or any set. Cloning is cheap.
///
/// ```
/// use glam::IVec3;
/// use spadework::document::Selection;
/// use spadework::geom::Region;
/// let a = Selection::of_region(Region::of_size(IVec3::new(4, 4, 2))).ok_or("empty")?;
/// let b = Selection::of_region(Region::new(IVec3::new(2, 2, 0), IVec3::new(6, 6, 2))).ok_or("empty")?;
/// let both = a.with(&b);
/// assert_eq!((both.count(), both.bounds().size()), (56, IVec3::new(6, 6, 2)));
/// assert_eq!(both.without(&b).map(|rest| rest.count()), Some(24));
/// assert_eq!(a.common(&b).and_then(|common| common.as_region()).map(|region| region.volume()), Some(8));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    // Invariant: not empty; the smallest box around the set.
    bounds: Region,
    // Invariant: at least 1, and the volume of the box where there is no mask.
    count: u64,
    // Invariant: `None` exactly where the set fills its box, so that equal sets are equal.
    mask: Option<Arc<VoxelMask>>,
}

impl Selection {
    /// A box; `None` if it is empty.
    pub fn of_region(region: Region) -> Option<Self> {
        (!region.is_empty()).then(|| Self { bounds: region, count: region.volume(), mask: None })
    }

    /// A set; `None` if it is empty.
    pub fn of_mask(mask: VoxelMask) -> Option<Self> {
        if mask.is_empty() {
            return None;
        }
        let (bounds, count) = (mask.bounds(), mask.count());
        let is_box = bounds.volume() == count;
        Some(Self { bounds, count, mask: (!is_box).then(|| Arc::new(mask)) })
    }

    /// The smallest box around it.
    pub fn bounds(&self) -> Region {
        self.bounds
    }

    /// Number of voxels.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of those of them that are solid.
    pub fn solid_count(&self, store: &Store) -> u64 {
        let whole;
        let mask = match &self.mask {
            Some(mask) => &**mask,
            None => {
                whole = VoxelMask::of_region(&self.bounds);
                &whole
            }
        };
        let both = mask.chunks().filter_map(|(pos, mask)| Some(mask.iter().zip(store.chunk(pos)?.solid())));
        both.flatten().map(|(selected, solid)| u64::from((selected & solid).count_ones())).sum()
    }

    /// The box that it is; `None` where it is another set.
    pub fn as_region(&self) -> Option<Region> {
        self.mask.is_none().then_some(self.bounds)
    }

    /// The set that it is; `None` where it is a box.
    pub fn as_mask(&self) -> Option<&Arc<VoxelMask>> {
        self.mask.as_ref()
    }

    /// The voxels as a set, whether or not they fill a box.
    pub fn to_mask(&self) -> VoxelMask {
        self.mask.as_ref().map_or_else(|| VoxelMask::of_region(&self.bounds), |mask| (**mask).clone())
    }

    /// Whether the voxel is selected.
    pub fn contains(&self, pos: VoxelPos) -> bool {
        self.bounds.contains(pos) && self.mask.as_ref().is_none_or(|mask| mask.contains(pos))
    }

    /// Whether every voxel of a box is selected.
    pub fn contains_region(&self, region: &Region) -> bool {
        self.bounds.contains_region(region)
            && self.mask.as_ref().is_none_or(|mask| region.volume() <= self.count && region.positions().all(|pos| mask.contains(pos)))
    }

    /// The selected voxels of a chunk.
    pub fn in_chunk(&self, pos: ChunkPos) -> ChunkMask {
        match &self.mask {
            None => region_in_chunk(&self.bounds, pos),
            Some(mask) => mask.chunk(pos).copied().unwrap_or([0; CHUNK_COLUMNS]),
        }
    }

    /// The part in a box.
    pub fn within(&self, region: &Region) -> Option<Self> {
        match &self.mask {
            None => Self::of_region(self.bounds.intersection(region)),
            Some(_) if region.contains_region(&self.bounds) => Some(self.clone()),
            Some(mask) => Self::of_mask(mask.within(region)),
        }
    }

    /// The selection moved, as far as it stays in a box.
    pub fn shifted(&self, by: VoxelPos, within: &Region) -> Option<Self> {
        let moved = self.bounds.shifted(by).intersection(within);
        match &self.mask {
            _ if moved.is_empty() => None,
            None => Some(Self { bounds: moved, count: moved.volume(), mask: None }),
            Some(mask) => Self::of_mask(mask.shifted(by).within(within)),
        }
    }

    /// Where it comes to lie, as far as that is in a box. The transform keeps heights.
    pub fn imaged(&self, transform: &Transform, within: &Region) -> Option<Self> {
        match &self.mask {
            _ if *transform == Transform::IDENTITY => self.within(within),
            None => Self::of_region(transform.region(&self.bounds).intersection(within)),
            Some(mask) => Self::of_mask(mask.imaged(transform, within)),
        }
    }

    /// The selection and its images under a symmetry, as far as they are in a box, each on its own.
    pub fn images(&self, symmetry: &Symmetry, within: &Region) -> Vec<Self> {
        symmetry.images().iter().filter_map(|image| self.imaged(&image.transform, within)).collect()
    }

    /// Both sets together.
    pub fn with(&self, other: &Self) -> Self {
        for (a, b) in [(self, other), (other, self)] {
            if a.mask.is_none() && a.bounds.contains_region(&b.bounds) {
                return a.clone();
            }
        }
        let mut all = self.to_mask();
        all.add(&other.to_mask());
        // Neither is empty.
        Self::of_mask(all).unwrap_or_else(|| self.clone())
    }

    /// What is not in the other set.
    pub fn without(&self, other: &Self) -> Option<Self> {
        if self.bounds.intersection(&other.bounds).is_empty() {
            return Some(self.clone());
        }
        let mut rest = self.to_mask();
        rest.subtract(&other.to_mask());
        Self::of_mask(rest)
    }

    /// What is in both sets.
    pub fn common(&self, other: &Self) -> Option<Self> {
        match (&self.mask, &other.mask) {
            (None, _) => other.within(&self.bounds),
            (_, None) => self.within(&other.bounds),
            (Some(own), Some(other)) => {
                let mut common = (**own).clone();
                common.intersect(other);
                Self::of_mask(common)
            }
        }
    }

    /// Grown by so many voxels along each axis, within a box.
    ///
    /// # Errors
    /// If it was cancelled.
    pub fn grown(&self, by: u32, within: &Region, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        match &self.mask {
            None => Ok(Self::of_region(self.bounds.grown(i32::try_from(by).unwrap_or(i32::MAX)).intersection(within))),
            Some(mask) => Ok(Self::of_mask(mask.grown(by, within, &mut || progress.check())?)),
        }
    }

    /// Shrunk by so many voxels along each axis; the border of the map counts as not selected.
    ///
    /// # Errors
    /// If it was cancelled.
    pub fn shrunk(&self, by: u32, progress: &Progress) -> Result<Option<Self>, Cancelled> {
        match &self.mask {
            None => {
                let by = glam::IVec3::splat(i32::try_from(by).unwrap_or(i32::MAX));
                let (min, max) = (self.bounds.min().saturating_add(by), self.bounds.max().saturating_sub(by));
                Ok(if min.cmplt(max).all() { Self::of_region(Region::new(min, max)) } else { None })
            }
            Some(mask) => Ok(Self::of_mask(mask.shrunk(by, &mut || progress.check())?)),
        }
    }

    /// Bytes that it holds on to; copies share them.
    pub fn size_bytes(&self) -> usize {
        size_of::<Self>() + self.mask.as_ref().map_or(0, |mask| mask.chunks().len() * (size_of::<ChunkMask>() + size_of::<ChunkPos>()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use glam::IVec3;
    use proptest::prelude::*;

    use super::*;
    use crate::voxel::{Rgb, StoreEdit, Voxel};

    type Naive = HashSet<[i32; 3]>;

    fn map() -> Region {
        Region::new(IVec3::new(-4, -3, 0), IVec3::new(40, 36, 40))
    }

    fn naive(selection: Option<&Selection>) -> Naive {
        selection.into_iter().flat_map(|selection| selection.to_mask().positions().collect::<Vec<_>>()).map(|pos| pos.to_array()).collect()
    }

    /// Nothing, boxes, boxes with a bite, and loose voxels.
    fn a_selection() -> impl Strategy<Value = Option<Selection>> {
        let at = || (-4..40_i32, -3..36_i32, 0..40_i32).prop_map(IVec3::from);
        let a_box =
            (at(), prop::array::uniform3(1..14_i32)).prop_map(|(at, size)| Region::of_size(size.into()).shifted(at).intersection(&map()));
        (prop::collection::vec((a_box, any::<bool>()), 0..4), prop::collection::vec(at(), 0..6)).prop_map(|(boxes, voxels)| {
            let mut mask: VoxelMask = voxels.into_iter().collect();
            for (region, adds) in boxes {
                let part = VoxelMask::of_region(&region);
                if adds { mask.add(&part) } else { mask.subtract(&part) }
            }
            Selection::of_mask(mask)
        })
    }

    #[track_caller]
    fn check(found: Option<&Selection>, expected: &Naive) {
        assert_eq!(naive(found), *expected);
        assert_eq!(found.map_or(0, Selection::count), expected.len() as u64);
        let around = expected.iter().fold(Region::EMPTY, |all, pos| all.union(&Region::between((*pos).into(), (*pos).into())));
        assert_eq!(found.map_or(Region::EMPTY, Selection::bounds), around);
        assert_eq!(found.and_then(Selection::as_region).is_some(), around.volume() == expected.len() as u64 && !expected.is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn selections_combine_as_plain_sets_do(a in a_selection(), b in a_selection()) {
            let (plain_a, plain_b) = (naive(a.as_ref()), naive(b.as_ref()));
            for how in Combine::ALL {
                let expected = match how {
                    Combine::Replace => plain_b.clone(),
                    Combine::Add => plain_a.union(&plain_b).copied().collect(),
                    Combine::Subtract => plain_a.difference(&plain_b).copied().collect(),
                    Combine::Intersect => plain_a.intersection(&plain_b).copied().collect(),
                };
                check(how.apply(a.as_ref(), b.clone()).as_ref(), &expected);
            }
            if let Some(a) = &a {
                // Of a map whose solid voxels are those of the other.
                let (mut store, within) = (Store::new(map()), naive(b.as_ref()).into_iter().filter(|at| map().contains((*at).into())));
                let mut edit = StoreEdit::new(&store);
                let solid: Naive = within.inspect(|at| _ = edit.set((*at).into(), Some(Voxel::new(Rgb::new(1, 2, 3))))).collect();
                let changes = edit.finish();
                store.apply(&changes);
                prop_assert_eq!(a.solid_count(&store), plain_a.intersection(&solid).count() as u64);
                for pos in b.iter().flat_map(|b| b.bounds().positions()) {
                    prop_assert_eq!(a.contains(pos), plain_a.contains(&pos.to_array()));
                }
                for pos in ChunkPos::covering(&map()) {
                    let here: Naive = VoxelMask::of_chunks([(pos, a.in_chunk(pos))]).positions().map(|pos| pos.to_array()).collect();
                    let expected: Naive = plain_a.iter().filter(|at| pos.region().contains((**at).into())).copied().collect();
                    prop_assert_eq!(here, expected);
                }
            }
        }

        #[test]
        fn selections_move_grow_and_shrink_as_plain_sets_do(a in a_selection(), by in prop::array::uniform3(-40..40_i32), reach in 0..5_u32) {
            let (Some(a), by, map) = (a, IVec3::from(by), map()) else { return Ok(()) };
            let plain = naive(Some(&a));
            let inside = |at: IVec3| map.contains(at).then(|| at.to_array());
            check(a.shifted(by, &map).as_ref(), &plain.iter().filter_map(|at| inside(IVec3::from(*at) + by)).collect());
            let progress = Progress::new();
            let cube = Region::new(IVec3::splat(-(reach as i32)), IVec3::splat(reach as i32 + 1));
            let grown = plain.iter().flat_map(|at| cube.positions().filter_map(move |step| inside(IVec3::from(*at) + step)));
            check(a.grown(reach, &map, &progress).unwrap().as_ref(), &grown.collect());
            let whole = |at: &[i32; 3]| cube.positions().all(|step| plain.contains(&(IVec3::from(*at) + step).to_array()));
            check(a.shrunk(reach, &progress).unwrap().as_ref(), &plain.iter().filter(|at| whole(at)).copied().collect());
        }
    }

    #[test]
    fn the_whole_of_a_map_takes_no_more_than_its_bits_whatever_is_taken_out() {
        let whole = Selection::of_region(Region::of_size(IVec3::new(512, 512, 64))).unwrap();
        let hole = Selection::of_region(Region::new(IVec3::splat(7), IVec3::splat(9))).unwrap();
        let rest = whole.without(&hole).unwrap();
        assert_eq!(rest.count(), (1 << 24) - 8);
        assert!(whole.size_bytes() < 256 && rest.size_bytes() < (2 << 20) + (64 << 10), "{}", rest.size_bytes());
    }
}
