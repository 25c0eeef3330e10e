//! The renderer: a scene on the GPU and everything that draws it.
//!
//! Callers: the viewport of the window, and `headless` for pictures without one.

use glam::{Vec2, Vec3};

use super::ghost::GhostHulls;
use super::globals::Globals;
use super::lines::Lines;
use super::mesher::Wake;
use super::pipeline::{PipelineMaker, uniform_layout};
use super::scene::Scene;
use super::sky::Sky;
use super::solids::Solids;
use super::voxels::Voxels;
use super::water::WaterPlane;
use super::{Frame, Target};
use crate::voxel::Store;

/// Draws a store. Give it snapshots with [`update`](Self::update), pictures with [`draw`](Self::draw).
pub struct Renderer {
    scene: Scene,
    voxels: Voxels,
    sky: Sky,
    water: WaterPlane,
    solids: Solids,
    ghosts: GhostHulls,
    lines: Lines,
    globals: wgpu::Buffer,
    globals_group: wgpu::BindGroup,
}

/// What drawing a picture took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct DrawStats {
    /// Draw calls for voxels.
    pub draws: u32,
    /// Faces given to the GPU.
    pub faces: u32,
}

impl Renderer {
    /// A renderer of an empty store for targets of `samples` a pixel (1 or 4).
    ///
    /// `workers` threads mesh large changes, and one more makes the hulls of large ghosts (0: all is done by the caller);
    /// `wake` is called from them when there is something new to draw.
    pub fn new(device: &wgpu::Device, samples: u32, workers: usize, wake: Option<Wake>) -> Self {
        let size_bytes = size_of::<Globals>() as u64;
        let layout = uniform_layout(device, "globals", false, size_bytes);
        let globals = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("globals"),
            size: size_bytes,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let globals_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("globals"),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: globals.as_entire_binding() }],
        });
        let maker = PipelineMaker { device, globals: &layout, samples };
        Self {
            scene: Scene::new(workers, wake.clone()),
            voxels: Voxels::new(&maker),
            sky: Sky::new(&maker),
            water: WaterPlane::new(&maker),
            solids: Solids::new(&maker),
            ghosts: GhostHulls::new(&maker, workers, wake),
            lines: Lines::new(&maker),
            globals,
            globals_group,
        }
    }

    /// Takes a snapshot and does a bounded part of the work that it means, nearest to the eye first.
    ///
    /// Answers whether the picture is different now. While [`pending`](Self::pending) is not 0, call it
    /// again soon, with the same or a newer snapshot.
    pub fn update(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, store: &Store, eye: Vec3) -> bool {
        let changed = self.scene.set_store(store) | self.ghosts.poll();
        self.scene.advance(device, queue, eye) || changed
    }

    /// Takes a snapshot and waits until all of it can be drawn: for pictures and tests.
    pub fn update_fully(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, store: &Store) {
        self.scene.set_store(store);
        self.scene.finish(device, queue);
    }

    /// Forgets the map that is shown: the next store is that of another one.
    pub fn forget(&mut self) {
        self.scene.forget();
    }

    /// How much memory the faces of the map may take, in bytes; without a limit as much as they need.
    pub fn limit_memory(&mut self, most_bytes: u64) {
        self.scene.limit(most_bytes);
    }

    /// Chunks that are not drawn, as all others, which are nearer to the eye, take the memory that is allowed.
    pub fn left_out(&self) -> usize {
        self.scene.left_out()
    }

    /// Chunks that could not be meshed, for an internal error, since this was last asked: they are shown as they were.
    pub fn take_failed(&mut self) -> usize {
        self.scene.take_failed()
    }

    /// Chunks and ghosts that are not drawn as they are yet.
    pub fn pending(&self) -> usize {
        self.scene.pending() + self.ghosts.pending()
    }

    /// Draws a picture and submits it. `target` has the samples that the renderer was made for.
    pub fn draw(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, target: &Target, frame: &Frame) -> DrawStats {
        let [width, height] = target.size().map(|side| side as f32);
        let size = Vec2::new(width, height);
        let globals = Globals::new(frame, &self.scene.store().bounds(), target.size());
        queue.write_buffer(&self.globals, 0, bytemuck::bytes_of(&globals));
        self.voxels.prepare(device, queue, &mut self.scene);
        self.solids.prepare(device, queue, frame, size);
        self.ghosts.prepare(device, queue, frame);
        self.lines.prepare(device, queue, frame);
        if let Some(water) = frame.water {
            self.water.prepare(device, queue, self.scene.store(), water.level);
        }
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("viewport") });
        let mut pass = target.pass(&mut encoder);
        pass.set_bind_group(0, &self.globals_group, &[]);
        let (draws, faces) = self.voxels.draw(&mut pass, &self.scene, frame, width / height);
        self.solids.draw_markers(&mut pass);
        self.sky.draw(&mut pass);
        if frame.water.is_some_and(|water| frame.camera.ortho_height.is_some() || frame.camera.eye.z < water.level as f32) {
            self.water.draw(&mut pass);
        }
        self.solids.draw_glass(&mut pass);
        self.ghosts.draw(&mut pass);
        self.lines.draw(&mut pass);
        drop(pass);
        queue.submit([encoder.finish()]);
        DrawStats { draws, faces }
    }
}
