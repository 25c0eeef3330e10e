//! The sparse store: a two-level table of chunks inside an integer box.
//!
//! The first level maps pages of 8×8×8 chunks, the second holds the chunks; both are shared by `Arc`,
//! so that a snapshot is one pointer copy and an edit copies one small page.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::IVec3;

use super::chunk::{column_of, height_of};
use super::{Chunk, ChunkChange, ChunkPos, Paint, Voxel};
use crate::geom::{Region, VoxelPos};

/// Chunks along one side of a page.
const PAGE_EDGE: i32 = 8;

/// 8×8×8 chunks, `[z][y][x]` within the page; `None` is air.
#[derive(Clone, Debug)]
struct Page(Vec<Option<Arc<Chunk>>>);

impl Page {
    fn empty() -> Self {
        Self(vec![None; (PAGE_EDGE * PAGE_EDGE * PAGE_EDGE) as usize])
    }
}

/// Key of a page: y, x, z, so that iteration runs in the order of [`ChunkPos`].
type PageKey = [i32; 3];

fn page_of(pos: ChunkPos) -> (PageKey, usize) {
    let page: IVec3 = pos.0 >> 3_i32;
    let within: IVec3 = pos.0 & (PAGE_EDGE - 1);
    ([page.y, page.x, page.z], ((within.z * PAGE_EDGE + within.y) * PAGE_EDGE + within.x) as usize)
}

/// Voxels inside an integer box. Cloning is a snapshot: one pointer copy.
///
/// ```
/// use glam::IVec3;
/// use spadework::geom::Region;
/// use spadework::voxel::{Rgb, Store, StoreEdit, Voxel};
/// let empty = Store::new(Region::of_size(IVec3::new(512, 512, 64)));
/// let mut edit = StoreEdit::new(&empty);
/// let at = IVec3::new(3, 4, 60);
/// edit.set(at, Some(Voxel::new(Rgb::new(90, 60, 30))));
/// let mut store = empty.clone();
/// store.apply(&edit.finish());
/// assert!(store.is_solid(at) && !empty.is_solid(at));
/// ```
#[derive(Clone, Debug)]
pub struct Store {
    bounds: Region,
    // Invariant: no chunk lies wholly outside the bounds, no voxel outside them is solid.
    pages: Arc<BTreeMap<PageKey, Arc<Page>>>,
    // Invariant: the sum over all chunks.
    chunk_bytes: usize,
}

impl Store {
    /// An empty store: all air.
    pub fn new(bounds: Region) -> Self {
        Self { bounds, pages: Arc::default(), chunk_bytes: 0 }
    }

    /// The box that voxels may lie in.
    pub fn bounds(&self) -> Region {
        self.bounds
    }

    /// The chunk at a position; `None` is air.
    pub fn chunk(&self, pos: ChunkPos) -> Option<&Arc<Chunk>> {
        let (page, index) = page_of(pos);
        self.pages.get(&page)?.0.get(index)?.as_ref()
    }

    /// Puts a chunk in place; `None` is air.
    ///
    /// For loaders and [`ChunkChange`]s. The caller keeps solid voxels within the bounds.
    pub fn put_chunk(&mut self, pos: ChunkPos, chunk: Option<Arc<Chunk>>) {
        debug_assert!(!pos.region().intersection(&self.bounds).is_empty(), "chunk outside the bounds");
        let chunk = chunk.filter(|chunk| !chunk.is_empty());
        let (key, index) = page_of(pos);
        if chunk.is_none() && !self.pages.contains_key(&key) {
            return;
        }
        let page = Arc::make_mut(&mut self.pages).entry(key).or_insert_with(|| Arc::new(Page::empty()));
        if let Some(slot) = Arc::make_mut(page).0.get_mut(index) {
            self.chunk_bytes = (self.chunk_bytes + bytes_of(chunk.as_ref())).saturating_sub(bytes_of(slot.as_ref()));
            *slot = chunk;
        }
    }

    /// Puts the `after` side of every change in place.
    pub fn apply(&mut self, changes: &[ChunkChange]) {
        for change in changes {
            self.put_chunk(change.pos, change.after.clone());
        }
    }

    /// The voxel at a position; `None` is air, also outside the bounds.
    pub fn voxel(&self, pos: VoxelPos) -> Option<Voxel> {
        self.chunk(ChunkPos::of(pos))?.voxel(column_of(pos), height_of(pos))
    }

    /// Paint of the voxel, where it is solid and its colour known.
    pub fn paint(&self, pos: VoxelPos) -> Option<Paint> {
        self.chunk(ChunkPos::of(pos))?.paint(column_of(pos), height_of(pos))
    }

    /// Whether the voxel is solid.
    pub fn is_solid(&self, pos: VoxelPos) -> bool {
        self.chunk(ChunkPos::of(pos)).is_some_and(|chunk| chunk.solid()[column_of(pos)] >> height_of(pos) & 1 == 1)
    }

    /// First solid voxel of a column at or below `from_z` (z grows downwards); `None` if all is air.
    pub fn ground(&self, x: i32, y: i32, from_z: i32) -> Option<i32> {
        let (top, bottom) = (self.bounds.min().z, self.bounds.max().z);
        let mut z = from_z.max(top);
        while z < bottom {
            let pos = IVec3::new(x, y, z);
            let chunk_pos = ChunkPos::of(pos);
            if let Some(chunk) = self.chunk(chunk_pos) {
                let column = chunk.solid()[column_of(pos)] >> height_of(pos);
                if column != 0 {
                    return Some(z + column.trailing_zeros() as i32);
                }
            }
            z = chunk_pos.region().max().z;
        }
        None
    }

    /// Every chunk that is not air, in order of position.
    pub fn chunks(&self) -> impl Iterator<Item = (ChunkPos, &Arc<Chunk>)> {
        self.pages.iter().flat_map(|(key, page)| page_chunks(key, page))
    }

    /// Positions of the chunks that differ between two snapshots, found by pointer.
    ///
    /// # Cost
    /// Proportional to the pages that differ.
    pub fn changed_chunks(&self, other: &Self) -> Vec<ChunkPos> {
        if Arc::ptr_eq(&self.pages, &other.pages) {
            return vec![];
        }
        let mut changed = vec![];
        let keys: std::collections::BTreeSet<_> = self.pages.keys().chain(other.pages.keys()).collect();
        for key in keys {
            let (a, b) = (self.pages.get(key), other.pages.get(key));
            if let (Some(a), Some(b)) = (a, b)
                && Arc::ptr_eq(a, b)
            {
                continue;
            }
            for index in 0..(PAGE_EDGE * PAGE_EDGE * PAGE_EDGE) as usize {
                let chunk =
                    |page: Option<&Arc<Page>>| page.and_then(|page| page.0.get(index)).and_then(|chunk| chunk.as_ref().map(Arc::as_ptr));
                if chunk(a) != chunk(b) {
                    changed.push(chunk_pos(key, index));
                }
            }
        }
        changed.sort();
        changed
    }

    /// Number of solid voxels.
    ///
    /// # Cost
    /// Reads every chunk's mask.
    pub fn solid_count(&self) -> u64 {
        self.chunks().map(|(_, chunk)| u64::from(chunk.solid_count())).sum()
    }

    /// The smallest box around all solid voxels.
    pub fn occupied(&self) -> Region {
        let mut all = Region::EMPTY;
        for (pos, chunk) in self.chunks() {
            for (column, &mask) in chunk.solid().iter().enumerate().filter(|(_, mask)| **mask != 0) {
                let edge = super::CHUNK_EDGE;
                let at = pos.origin() + IVec3::new((column % edge) as i32, (column / edge) as i32, 0);
                let (top, bottom) = (mask.trailing_zeros() as i32, 31 - mask.leading_zeros() as i32);
                all = all.union(&Region::between(at + IVec3::Z * top, at + IVec3::Z * bottom));
            }
        }
        all
    }

    /// Bytes of memory that the chunks take (shared ones counted in full).
    pub fn size_bytes(&self) -> usize {
        self.chunk_bytes
    }

    /// Whether both hold the same voxels in the same bounds.
    pub fn same_voxels(&self, other: &Self) -> bool {
        self.bounds == other.bounds && self.changed_chunks(other).into_iter().all(|pos| self.chunk(pos) == other.chunk(pos))
    }
}

/// Bytes of memory that a chunk takes.
pub(super) fn bytes_of(chunk: Option<&Arc<Chunk>>) -> usize {
    chunk.map_or(0, |chunk| chunk.size_bytes())
}

fn chunk_pos(key: &PageKey, index: usize) -> ChunkPos {
    let (edge, index) = (PAGE_EDGE, index as i32);
    let within = IVec3::new(index % edge, index / edge % edge, index / (edge * edge));
    ChunkPos(IVec3::new(key[1], key[0], key[2]) * edge + within)
}

fn page_chunks<'a>(key: &'a PageKey, page: &'a Page) -> impl Iterator<Item = (ChunkPos, &'a Arc<Chunk>)> {
    page.0.iter().enumerate().filter_map(|(index, chunk)| Some((chunk_pos(key, index), chunk.as_ref()?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel::{Rgb, StoreEdit};

    fn store_with(places: &[IVec3]) -> Store {
        let mut store = Store::new(Region::new(IVec3::splat(-100), IVec3::splat(400)));
        let mut edit = StoreEdit::new(&store);
        for &at in places {
            edit.set(at, Some(Voxel::new(Rgb::new(1, 2, 3))));
        }
        let changes = edit.finish();
        store.apply(&changes);
        store
    }

    #[test]
    fn voxels_are_found_where_they_were_put_also_below_zero() {
        let places = [IVec3::new(-100, -1, 5), IVec3::new(0, 0, 0), IVec3::new(399, 399, 399), IVec3::new(255, 256, -64)];
        let store = store_with(&places);
        assert_eq!(store.solid_count(), 4);
        for at in places {
            assert!(store.is_solid(at), "{at}");
            assert!(store.chunks().any(|(pos, _)| pos == ChunkPos::of(at)));
        }
        assert_eq!(store.occupied(), Region::between(IVec3::new(-100, -1, -64), IVec3::new(399, 399, 399)));
    }

    #[test]
    fn ground_is_the_first_solid_voxel_from_the_given_height_down() {
        let store = store_with(&[IVec3::new(3, 3, 10), IVec3::new(3, 3, 70), IVec3::new(3, 3, 71)]);
        assert_eq!(store.ground(3, 3, -100), Some(10));
        assert_eq!(store.ground(3, 3, 10), Some(10));
        assert_eq!(store.ground(3, 3, 11), Some(70));
        assert_eq!(store.ground(3, 3, 72), None);
        assert_eq!(store.ground(4, 3, 0), None);
    }

    #[test]
    fn a_snapshot_keeps_its_voxels_and_the_difference_names_the_chunk() {
        let before = store_with(&[IVec3::ZERO]);
        let mut after = before.clone();
        let mut edit = StoreEdit::new(&after);
        edit.set(IVec3::new(300, 40, 40), Some(Voxel::HIDDEN));
        let changes = edit.finish();
        after.apply(&changes);
        assert_eq!(before.changed_chunks(&after), vec![ChunkPos::of(IVec3::new(300, 40, 40))]);
        assert_eq!(before.solid_count(), 1);
    }
}
