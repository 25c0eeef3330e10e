//! What the main thread of a window spends on a frame: the clock of its own processor time, and an editor at work.
//!
//! Processor time, not time: on a machine with other work, only that tells what a frame costs.

// Each bench uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use glam::{IVec3, Vec3};
use spadework::editor::settings::Settings;
use spadework::editor::storage::RealStorage;
use spadework::editor::{Action, Editor, EditorConfig, JobMode, NewMap};
use spadework::geom::Ray;
use spadework::mesh::{affected_neighbors, mesh_chunk, shell_of};
use spadework::terrain::Params;
use spadework::tool::{Modifiers, Phase, PointerInput, Preview};
use spadework::voxel::{ChunkPos, Store};

/// Chunks that the renderer meshes at once.
const INLINE_CHUNKS: usize = 12;

/// Voxels whose hulls the renderer makes at once in a frame; a thread makes the others.
const INLINE_VOXELS: usize = 16_000;

/// Processor time of this thread so far.
#[cfg(unix)]
pub fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Without such a clock, the time.
#[cfg(not(unix))]
pub fn thread_time() -> Duration {
    static BEGIN: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    BEGIN.elapsed()
}

/// Milliseconds.
pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What a frame cost, by its parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame {
    /// What the editor and its tool did.
    pub editor: Duration,
    /// The hulls of what is shown.
    pub hulls: Duration,
    /// Finding out which chunks are to be meshed, and meshing them where they are few.
    pub meshes: Duration,
}

impl Frame {
    /// All of it.
    pub fn total(&self) -> Duration {
        self.editor + self.hulls + self.meshes
    }
}

/// An editor as the window has it, with what its renderer would do on the main thread.
pub struct Window {
    /// The editor, with jobs on threads.
    pub editor: Editor,
    shown: Preview,
    store: Store,
}

impl Window {
    /// A window with a new map of 512×512×64, and a journal if there is a folder for it.
    pub fn new(generator: &str, journal_folder: Option<std::path::PathBuf>) -> Self {
        let config = EditorConfig {
            storage: Arc::new(RealStorage),
            jobs: JobMode::Threads,
            waker: Arc::new(|| {}),
            journal_folder,
            versions_folder: None,
            settings_file: None,
            settings: Settings::default(),
        };
        let mut editor = Editor::new(config);
        let params = Params { size: IVec3::new(512, 512, 64), seed: 1, values: Default::default() };
        editor.act(Action::New(NewMap { generator: generator.into(), params }));
        editor.finish_jobs();
        let store = editor.active().map(|open| open.document().store().clone()).unwrap_or(Store::new(spadework::geom::Region::EMPTY));
        Self { editor, shown: Preview::default(), store }
    }

    /// One frame: takes in what is ready, does something, and shows what there is.
    pub fn frame(&mut self, act: impl FnOnce(&mut Editor)) -> Frame {
        let begin = thread_time();
        self.editor.pump();
        act(&mut self.editor);
        let next = self.editor.tool.preview();
        let edited = thread_time();
        make_hulls(&self.shown, &next);
        let hulled = thread_time();
        let own = self.editor.active().map(|open| open.document().store());
        if let Some(store) = next.store.as_ref().or(own) {
            let store = store.clone();
            mesh(&self.store, &store);
            self.store = store;
        }
        self.shown = next;
        let end = thread_time();
        Frame { editor: edited - begin, hulls: hulled - edited, meshes: end - hulled }
    }

    /// Hands the tool a pointer event in a frame of its own.
    pub fn point(&mut self, phase: Phase, at: [i32; 2], modifiers: Modifiers) -> Frame {
        let ray_in_world = Ray::new(Vec3::new(at[0] as f32 + 0.5, at[1] as f32 + 0.5, -50.0), Vec3::Z);
        let input = PointerInput { ray_in_world, phase, modifiers, voxels_per_pixel: 0.001, is_parallel: false };
        self.frame(|editor| {
            editor.pointer(&input);
        })
    }

    /// Frames until no job runs; each of them.
    pub fn settle(&mut self) -> Vec<Frame> {
        let mut frames = vec![];
        loop {
            let busy = self.editor.running().next().is_some();
            frames.push(self.frame(|_| {}));
            if !busy {
                return frames;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// What the renderer does with ghosts that were not shown before.
pub fn make_hulls(shown: &Preview, next: &Preview) {
    let mut room = INLINE_VOXELS;
    for ghost in &next.ghosts {
        if room >= ghost.voxels.len() && !shown.ghosts.iter().any(|old| Arc::ptr_eq(&old.voxels, &ghost.voxels)) {
            room -= ghost.voxels.len();
            black_box(shell_of(&ghost.voxels));
        }
    }
}

/// What the renderer does with a store before its workers do the rest.
fn mesh(before: &Store, after: &Store) {
    let mut stale = BTreeSet::new();
    for pos in before.changed_chunks(after) {
        stale.insert(pos);
        let [old, new] = [before, after].map(|store| store.chunk(pos).map(|chunk| &**chunk));
        let around = affected_neighbors(old, new).into_iter().map(|step| ChunkPos(pos.0 + step));
        stale.extend(around.filter(|pos| after.chunk(*pos).is_some()));
    }
    if stale.len() <= INLINE_CHUNKS {
        for pos in stale {
            black_box(mesh_chunk(after, pos));
        }
    }
}
