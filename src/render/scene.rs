//! The voxels on the GPU: which chunk lies where, and which meshes are stale.
//!
//! Caller: `renderer`, which feeds snapshots and draws what is here. A snapshot is compared with the last
//! one by chunk pointers, so that an edit costs what it touched.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::arena::{Arena, Slot};
use super::mesher::{Job, MeshChunk, Meshed, Mesher, Wake, mesh_guarded};
use crate::geom::{Face, Region};
use crate::mesh::{ChunkMesh, affected_neighbors, mesh_chunk};
use crate::voxel::{CHUNK_EDGE, ChunkPos, Store};

/// Chunks without room that are meshed again at a time.
const ASKED_AGAIN: usize = 8;
/// Stale chunks that are meshed at once rather than by the workers: some 4 ms, so that a brush stroke shows
/// in the same frame.
const INLINE_CHUNKS: usize = 12;

/// Meshes moved to the GPU in one update.
const UPLOADS_PER_UPDATE: usize = 96;

/// A chunk that can be drawn.
pub(super) struct Placed {
    pub(super) slot: Slot,
    /// First quad of each face within the slot, and the end.
    pub(super) starts: [u32; 7],
    /// Number of its origin among [`Scene::origins`].
    pub(super) origin: u32,
}

pub(super) struct Scene {
    store: Store,
    pub(super) placed: BTreeMap<ChunkPos, Placed>,
    pub(super) arena: Arena,
    origins: Vec<ChunkPos>,
    free_origins: Vec<u32>,
    /// Whether [`Self::origins`] changed since it was last asked.
    origins_changed: bool,
    stale: BTreeSet<ChunkPos>,
    in_flight: BTreeSet<ChunkPos>,
    epoch: u64,
    mesher: Mesher,
    mesh: MeshChunk,
    /// Chunks that there was no room for: all others are nearer to the eye.
    left_out: BTreeSet<ChunkPos>,
    /// Whether some chunk took less room, or there may be more, since one was left out.
    has_room: bool,
    /// Whether there may be more of those that are to be drawn in place of others.
    asks: bool,
    /// Where it was looked from last.
    eye: Vec3,
    /// Chunks that could not be meshed since somebody asked.
    failed: usize,
}

/// From the eye to the middle of a chunk, in voxels.
fn distance(pos: ChunkPos, eye: Vec3) -> f32 {
    (pos.origin().as_vec3() + CHUNK_EDGE as f32 * 0.5).distance(eye)
}

impl Scene {
    pub(super) fn new(workers: usize, wake: Option<Wake>) -> Self {
        Self::with(workers, mesh_chunk, wake)
    }

    fn with(workers: usize, mesh: MeshChunk, wake: Option<Wake>) -> Self {
        Self {
            store: Store::new(Region::EMPTY),
            placed: BTreeMap::new(),
            arena: Arena::new(),
            left_out: BTreeSet::new(),
            has_room: false,
            asks: false,
            eye: Vec3::ZERO,
            origins: vec![],
            free_origins: vec![],
            origins_changed: false,
            stale: BTreeSet::new(),
            in_flight: BTreeSet::new(),
            epoch: 0,
            mesher: Mesher::new(workers, mesh, wake),
            mesh,
            failed: 0,
        }
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Chunks whose mesh is not the newest yet.
    pub(super) fn pending(&self) -> usize {
        self.stale.union(&self.in_flight).count() + usize::from(self.asks)
    }

    /// How many bytes all faces may take together.
    pub(super) fn limit(&mut self, most_bytes: u64) {
        self.has_room |= self.arena.limit(most_bytes);
    }

    /// How many chunks are not drawn, as there is no room for them.
    pub(super) fn left_out(&self) -> usize {
        self.left_out.len()
    }

    /// How many chunks could not be meshed since this was last asked: they are shown as they were before.
    pub(super) fn take_failed(&mut self) -> usize {
        std::mem::take(&mut self.failed)
    }

    /// Chunk origins by number, if they changed since the last call.
    pub(super) fn changed_origins(&mut self) -> Option<&[ChunkPos]> {
        std::mem::take(&mut self.origins_changed).then_some(&self.origins)
    }

    /// Forgets the last snapshot: the next one is another map, and nothing of this one may be seen with it.
    pub(super) fn forget(&mut self) {
        self.store = Store::new(Region::EMPTY);
    }

    /// Takes a snapshot: marks what differs from the last one as stale. Answers whether anything does.
    pub(super) fn set_store(&mut self, store: &Store) -> bool {
        if self.store.bounds() != store.bounds() {
            self.epoch += 1;
            self.placed.clear();
            self.arena.clear();
            self.left_out.clear();
            self.origins.clear();
            self.free_origins.clear();
            self.origins_changed = true;
            self.in_flight.clear();
            self.stale = store.chunks().map(|(pos, _)| pos).collect();
            self.store = store.clone();
            return true;
        }
        let changed = self.store.changed_chunks(store);
        for pos in &changed {
            self.stale.insert(*pos);
            let [before, after] = [&self.store, store].map(|store| store.chunk(*pos).map(|chunk| &**chunk));
            let around = affected_neighbors(before, after).into_iter().map(|step| ChunkPos(pos.0 + step));
            self.stale.extend(around.filter(|pos| store.chunk(*pos).is_some()));
        }
        self.store = store.clone();
        !changed.is_empty()
    }

    /// Does a bounded part of the meshing and uploading, nearest to the eye first.
    /// Answers whether the picture changed.
    pub(super) fn advance(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, eye: Vec3) -> bool {
        self.eye = eye;
        self.ask_for_left_out();
        let mut uploads = 0;
        while uploads < UPLOADS_PER_UPDATE
            && let Some(meshed) = self.mesher.try_receive()
        {
            self.accept(device, queue, meshed);
            uploads += 1;
        }
        let mut ready: Vec<_> = self.stale.difference(&self.in_flight).copied().collect();
        if ready.len() <= INLINE_CHUNKS || self.mesher.capacity() == 0 {
            // Without workers, at least one bounded helping a frame.
            for pos in ready.into_iter().take(INLINE_CHUNKS) {
                self.stale.remove(&pos);
                let mesh = mesh_guarded(self.mesh, &self.store, pos);
                self.place_made(device, queue, pos, mesh);
                uploads += 1;
            }
        } else {
            ready.sort_by_cached_key(|pos| {
                // A distance is never negative, and such floats sort as their bits do.
                distance(*pos, eye).to_bits()
            });
            ready.truncate(self.mesher.capacity().saturating_sub(self.in_flight.len()));
            for pos in &ready {
                self.stale.remove(pos);
                self.in_flight.insert(*pos);
            }
            let (store, epoch) = (&self.store, self.epoch);
            self.mesher.send(ready.into_iter().map(|pos| Job { store: store.clone(), pos, epoch }));
        }
        uploads > 0
    }

    /// Does all of it, waiting for the workers.
    pub(super) fn finish(&mut self, device: &wgpu::Device, queue: &wgpu::Queue) {
        self.ask_for_left_out();
        while self.pending() > 0 {
            self.advance(device, queue, Vec3::ZERO);
            if !self.in_flight.is_empty() {
                match self.mesher.receive() {
                    Some(meshed) => self.accept(device, queue, meshed),
                    // The workers are gone: what they had is ours again.
                    None => self.stale.append(&mut self.in_flight),
                }
            }
        }
    }

    fn accept(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, meshed: Meshed) {
        if meshed.epoch == self.epoch {
            self.in_flight.remove(&meshed.pos);
            self.place_made(device, queue, meshed.pos, meshed.mesh);
        }
    }

    fn place_made(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, pos: ChunkPos, mesh: Option<ChunkMesh>) {
        match mesh {
            Some(mesh) => self.place(device, queue, pos, &mesh),
            // Tried again once it changes.
            None => self.failed += 1,
        }
    }

    fn place(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, pos: ChunkPos, mesh: &ChunkMesh) {
        self.left_out.remove(&pos);
        let before = self.placed.remove(&pos);
        let origin = before.as_ref().map(|placed| placed.origin);
        if let Some(before) = before {
            self.has_room |= before.slot.quads.len() > mesh.quads().len();
            self.arena.free(before.slot);
        }
        if mesh.is_empty() {
            self.free_origins.extend(origin);
            return;
        }
        let origin = origin.unwrap_or_else(|| self.number_origin(pos));
        let Some(slot) = self.room_for(device, queue, pos, mesh) else {
            self.free_origins.push(origin);
            self.left_out.insert(pos);
            self.has_room = false;
            return;
        };
        let mut starts = [0; 7];
        for face in Face::ALL {
            starts[face as usize + 1] = mesh.range(face).end;
        }
        self.placed.insert(pos, Placed { slot, starts, origin });
    }

    /// Room for a mesh, at the cost of chunks that are farther away.
    fn room_for(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, pos: ChunkPos, mesh: &ChunkMesh) -> Option<Slot> {
        loop {
            if let Some(slot) = self.arena.store(device, queue, mesh.quads()) {
                return Some(slot);
            }
            let farthest = self.farthest().filter(|farthest| distance(*farthest, self.eye) > distance(pos, self.eye))?;
            let placed = self.placed.remove(&farthest)?;
            self.arena.free(placed.slot);
            self.free_origins.push(placed.origin);
            self.left_out.insert(farthest);
        }
    }

    /// The chunk that is drawn and farthest away.
    fn farthest(&self) -> Option<ChunkPos> {
        self.placed.keys().copied().max_by(|a, b| distance(*a, self.eye).total_cmp(&distance(*b, self.eye)))
    }

    /// Has those chunks meshed again that were left out and are nearer now than others that are drawn, or that there may be room for.
    fn ask_for_left_out(&mut self) {
        self.asks = false;
        if self.left_out.is_empty() || !self.stale.is_empty() || !self.in_flight.is_empty() {
            return;
        }
        // By a chunk, so that two that are as far away do not take turns.
        let reach = self.farthest().map_or(f32::INFINITY, |farthest| distance(farthest, self.eye) - CHUNK_EDGE as f32);
        let mut nearest: Vec<_> = self.left_out.iter().copied().filter(|pos| self.has_room || distance(*pos, self.eye) < reach).collect();
        nearest.sort_by(|a, b| distance(*a, self.eye).total_cmp(&distance(*b, self.eye)));
        self.asks = !nearest.is_empty();
        self.stale.extend(nearest.into_iter().take(ASKED_AGAIN));
    }

    fn number_origin(&mut self, pos: ChunkPos) -> u32 {
        self.origins_changed = true;
        if let Some(number) = self.free_origins.pop()
            && let Some(free) = self.origins.get_mut(number as usize)
        {
            *free = pos;
            return number;
        }
        self.origins.push(pos);
        u32::try_from(self.origins.len() - 1).unwrap_or(u32::MAX)
    }
}
