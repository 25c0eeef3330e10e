//! Editing a store: unpack the chunks that are touched, pack them at the end, answer what changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::chunk::{column_of, height_of};
use super::store::bytes_of;
use super::{Chunk, ChunkPos, DenseChunk, Store, Voxel};
use crate::geom::VoxelPos;

/// Unpacked chunks held at a time; more are packed away, to bound memory (130 KiB each).
const MAX_DENSE: usize = 192;

/// What became of one chunk. `None` is air.
#[derive(Clone, Debug)]
pub struct ChunkChange {
    /// Which chunk.
    pub pos: ChunkPos,
    /// Its content before.
    pub before: Option<Arc<Chunk>>,
    /// Its content after; differs from `before`.
    pub after: Option<Arc<Chunk>>,
}

/// An edit of a store in progress. The store itself is not touched: see [`finish`](Self::finish).
///
/// Invariant: positions outside the store's bounds read as air and ignore writes.
#[derive(Debug)]
pub struct StoreEdit {
    before: Store,
    current: Option<(ChunkPos, DenseChunk)>,
    dense: BTreeMap<ChunkPos, DenseChunk>,
    packed: BTreeMap<ChunkPos, Option<Arc<Chunk>>>,
    // Invariant: what the packed chunks take, and what those of the snapshot take whose place they have.
    packed_bytes: usize,
    replaced_bytes: usize,
}

impl StoreEdit {
    /// Begins an edit on top of a snapshot.
    pub fn new(before: &Store) -> Self {
        Self { before: before.clone(), current: None, dense: BTreeMap::new(), packed: BTreeMap::new(), packed_bytes: 0, replaced_bytes: 0 }
    }

    /// The snapshot that the edit began with.
    pub fn before(&self) -> &Store {
        &self.before
    }

    /// The voxel as edited so far; `None` is air.
    pub fn get(&self, pos: VoxelPos) -> Option<Voxel> {
        let chunk_pos = ChunkPos::of(pos);
        let (column, z) = (column_of(pos), height_of(pos));
        if let Some((at, dense)) = &self.current
            && *at == chunk_pos
        {
            return dense.get(column, z);
        }
        if let Some(dense) = self.dense.get(&chunk_pos) {
            return dense.get(column, z);
        }
        match self.packed.get(&chunk_pos) {
            Some(chunk) => chunk.as_ref()?.voxel(column, z),
            None => self.before.voxel(pos),
        }
    }

    /// Whether the voxel is solid as edited so far.
    pub fn is_solid(&self, pos: VoxelPos) -> bool {
        self.get(pos).is_some()
    }

    /// Puts a voxel or air (`None`). Answers whether the position lies in the bounds.
    pub fn set(&mut self, pos: VoxelPos, voxel: Option<Voxel>) -> bool {
        if !self.before.bounds().contains(pos) {
            return false;
        }
        self.dense_mut(ChunkPos::of(pos)).set(column_of(pos), height_of(pos), voxel);
        true
    }

    /// The unpacked chunk, for edits that work on whole masks.
    ///
    /// The caller keeps voxels within the bounds.
    pub fn dense_mut(&mut self, pos: ChunkPos) -> &mut DenseChunk {
        if self.current.as_ref().is_none_or(|(at, _)| *at != pos) {
            if let Some((at, dense)) = self.current.take() {
                self.dense.insert(at, dense);
            }
            if self.dense.len() >= MAX_DENSE {
                self.pack_dense();
            }
            let dense = self.dense.remove(&pos).unwrap_or_else(|| match self.take_packed(pos) {
                Some(chunk) => DenseChunk::unpack(chunk.as_deref()),
                None => DenseChunk::unpack(self.before.chunk(pos).map(|chunk| &**chunk)),
            });
            self.current = Some((pos, dense));
        }
        &mut self.current.get_or_insert_with(|| (pos, DenseChunk::empty())).1
    }

    /// Puts a whole chunk in place; `None` is air. The caller keeps voxels within the bounds.
    pub fn put_chunk(&mut self, pos: ChunkPos, chunk: Option<Arc<Chunk>>) {
        if self.current.as_ref().is_some_and(|(at, _)| *at == pos) {
            self.current = None;
        }
        self.dense.remove(&pos);
        self.put_packed(pos, chunk);
    }

    /// Bytes of memory that the chunks of the edited store take, apart from those that are unpacked right now.
    pub fn size_bytes(&self) -> usize {
        (self.before.size_bytes() + self.packed_bytes).saturating_sub(self.replaced_bytes)
    }

    /// The chunks touched so far, in order.
    pub fn touched(&self) -> Vec<ChunkPos> {
        let mut touched: Vec<_> =
            self.packed.keys().chain(self.dense.keys()).chain(self.current.as_ref().map(|(pos, _)| pos)).copied().collect();
        touched.sort();
        touched
    }

    /// The store as edited so far, without ending the edit: for previews and for looking at a surface.
    pub fn snapshot(&mut self) -> Store {
        self.pack_dense();
        let mut store = self.before.clone();
        for (pos, chunk) in &self.packed {
            store.put_chunk(*pos, chunk.clone());
        }
        store
    }

    /// Ends the edit: the chunks whose content differs from the snapshot's, in order.
    pub fn finish(mut self) -> Vec<ChunkChange> {
        self.pack_dense();
        let before = &self.before;
        let changes = self.packed.into_iter().filter_map(|(pos, after)| {
            let after = after.filter(|chunk| !chunk.is_empty());
            let before = before.chunk(pos).cloned();
            (before != after).then_some(ChunkChange { pos, before, after })
        });
        changes.collect()
    }

    fn pack_dense(&mut self) {
        let dense = std::mem::take(&mut self.dense).into_iter().chain(self.current.take());
        for (pos, dense) in dense {
            self.put_packed(pos, dense.pack_or_air());
        }
    }

    fn put_packed(&mut self, pos: ChunkPos, chunk: Option<Arc<Chunk>>) {
        self.take_packed(pos);
        self.packed_bytes += bytes_of(chunk.as_ref());
        self.replaced_bytes += bytes_of(self.before.chunk(pos));
        self.packed.insert(pos, chunk);
    }

    fn take_packed(&mut self, pos: ChunkPos) -> Option<Option<Arc<Chunk>>> {
        let chunk = self.packed.remove(&pos)?;
        self.packed_bytes = self.packed_bytes.saturating_sub(bytes_of(chunk.as_ref()));
        self.replaced_bytes = self.replaced_bytes.saturating_sub(bytes_of(self.before.chunk(pos)));
        Some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::geom::Region;
    use crate::voxel::Rgb;

    #[test]
    fn an_edit_that_puts_everything_back_changes_nothing() {
        let store = Store::new(Region::of_size(IVec3::splat(100)));
        let mut edit = StoreEdit::new(&store);
        let at = IVec3::new(50, 50, 50);
        assert!(edit.set(at, Some(Voxel::HIDDEN)));
        assert_eq!(edit.get(at), Some(Voxel::HIDDEN));
        assert!(edit.set(at, None));
        assert!(!edit.set(IVec3::splat(100), Some(Voxel::HIDDEN)));
        assert!(edit.finish().is_empty());
    }

    #[test]
    fn edits_of_more_chunks_than_are_held_unpacked_keep_all_of_them() {
        let store = Store::new(Region::of_size(IVec3::splat(320)));
        let mut edit = StoreEdit::new(&store);
        for round in 0..2 {
            for pos in ChunkPos::covering(&store.bounds()) {
                edit.set(pos.origin() + round, Some(Voxel::new(Rgb::new(round as u8, 0, 0))));
            }
        }
        assert!(edit.is_solid(IVec3::ZERO) && edit.is_solid(IVec3::ONE));
        let mut after = store.clone();
        let size = {
            edit.put_chunk(ChunkPos::of(IVec3::ZERO), None);
            edit.snapshot();
            edit.size_bytes()
        };
        after.apply(&edit.finish());
        assert_eq!(after.solid_count(), 1998);
        assert!(size > 0 && size == after.size_bytes());
        // What is counted along the way is what there is.
        assert_eq!(size, after.chunks().map(|(_, chunk)| chunk.size_bytes()).sum::<usize>());
        let mut again = StoreEdit::new(&after);
        again.set(IVec3::new(40, 0, 0), Some(Voxel::new(Rgb::new(1, 2, 3))));
        again.put_chunk(ChunkPos::of(IVec3::new(64, 0, 0)), None);
        again.snapshot();
        let size = again.size_bytes();
        after.apply(&again.finish());
        assert_eq!(size, after.chunks().map(|(_, chunk)| chunk.size_bytes()).sum::<usize>());
    }
}
