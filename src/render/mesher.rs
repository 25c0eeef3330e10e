//! Worker threads that mesh chunks of a snapshot while the window goes on.
//!
//! Caller: `scene`. Invariant: a chunk is with the workers at most once, so that results of one chunk
//! cannot overtake each other.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::mesh::ChunkMesh;
use crate::voxel::{ChunkPos, Store};

/// Called from a worker when a mesh is ready, so that the window can be drawn again.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// A chunk to mesh. `epoch` comes back with the result.
pub(super) struct Job {
    pub(super) store: Store,
    pub(super) pos: ChunkPos,
    pub(super) epoch: u64,
}

pub(super) struct Meshed {
    pub(super) pos: ChunkPos,
    pub(super) epoch: u64,
    /// Nothing where that failed.
    pub(super) mesh: Option<ChunkMesh>,
}

/// Makes the mesh of a chunk.
pub(super) type MeshChunk = fn(&Store, ChunkPos) -> ChunkMesh;

/// The mesh of a chunk; nothing where that fails: one that cannot be drawn is no reason to draw none. Why was printed.
pub(super) fn mesh_guarded(mesh: MeshChunk, store: &Store, pos: ChunkPos) -> Option<ChunkMesh> {
    catch_unwind(AssertUnwindSafe(|| mesh(store, pos))).ok()
}

#[derive(Default)]
struct Queue {
    jobs: Mutex<(VecDeque<Job>, bool)>,
    changed: Condvar,
}

/// A small pool of named threads; they end with the value.
pub(super) struct Mesher {
    queue: Arc<Queue>,
    results: Receiver<Meshed>,
    workers: Vec<JoinHandle<()>>,
}

impl Mesher {
    pub(super) fn new(workers: usize, mesh: MeshChunk, wake: Option<Wake>) -> Self {
        let queue = Arc::new(Queue::default());
        let (sender, results) = channel();
        let workers = (0..workers).filter_map(|i| {
            let (queue, sender, wake) = (queue.clone(), sender.clone(), wake.clone());
            // Where no thread can be had, the caller meshes itself.
            std::thread::Builder::new().name(format!("mesh {i}")).spawn(move || work(&queue, mesh, &sender, wake.as_ref())).ok()
        });
        Self { workers: workers.collect(), queue, results }
    }

    /// Jobs worth having with the workers at a time: enough to keep them busy between two frames, few
    /// enough that what comes near the eye next does not wait long.
    pub(super) fn capacity(&self) -> usize {
        self.workers.len() * 24
    }

    pub(super) fn send(&self, jobs: impl IntoIterator<Item = Job>) {
        self.queue.jobs.lock().unwrap_or_else(PoisonError::into_inner).0.extend(jobs);
        self.queue.changed.notify_all();
    }

    /// A finished mesh, if there is one.
    pub(super) fn try_receive(&self) -> Option<Meshed> {
        self.results.try_recv().ok()
    }

    /// Waits for a finished mesh; `None` when the workers are gone.
    pub(super) fn receive(&self) -> Option<Meshed> {
        self.results.recv().ok()
    }
}

impl Drop for Mesher {
    fn drop(&mut self) {
        {
            let mut jobs = self.queue.jobs.lock().unwrap_or_else(PoisonError::into_inner);
            jobs.0.clear();
            jobs.1 = true;
        }
        self.queue.changed.notify_all();
        for worker in self.workers.drain(..) {
            // None panics: what it makes is guarded.
            worker.join().ok();
        }
    }
}

fn work(queue: &Queue, mesh: MeshChunk, results: &Sender<Meshed>, wake: Option<&Wake>) {
    loop {
        let mut jobs = queue.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let job = loop {
            if jobs.1 {
                return;
            }
            if let Some(job) = jobs.0.pop_front() {
                break job;
            }
            jobs = queue.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        };
        drop(jobs);
        let mesh = mesh_guarded(mesh, &job.store, job.pos);
        if results.send(Meshed { pos: job.pos, epoch: job.epoch, mesh }).is_err() {
            return;
        }
        if let Some(wake) = wake {
            wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::geom::Region;

    fn fails_at_origin(_: &Store, pos: ChunkPos) -> ChunkMesh {
        assert!(pos.0 != IVec3::ZERO, "a planted fault");
        ChunkMesh::default()
    }

    #[test]
    fn a_chunk_that_cannot_be_meshed_stops_no_worker() {
        let mesher = Mesher::new(1, fails_at_origin, None);
        let store = Store::new(Region::of_size(IVec3::splat(64)));
        let job = |x, epoch| Job { store: store.clone(), pos: ChunkPos(IVec3::new(x, 0, 0)), epoch };
        mesher.send([job(0, 1), job(1, 2)]);
        let results = [mesher.receive().unwrap(), mesher.receive().unwrap()].map(|meshed| (meshed.epoch, meshed.mesh.is_some()));
        assert_eq!(results, [(1, false), (2, true)]);
    }
}
