//! Drawing the chunks of a [`Scene`]: culled by view and by face direction, nearest first.

use super::frustum::{Frustum, faces_eye};
use super::pipeline::{Depth, PipelineMaker, Recipe, uniform_layout};
use super::scene::{Placed, Scene};
use super::{Frame, ViewMode};
use crate::geom::Face;
use crate::mesh::Quad;
use crate::voxel::{CHUNK_EDGE, ChunkPos};

/// Bytes of a chunk's uniform: one `vec4`.
const ORIGIN_BYTES: u64 = 16;

pub(super) struct Voxels {
    by_color: wgpu::RenderPipeline,
    by_height: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    /// One origin every `stride` bytes.
    origins: Option<wgpu::BindGroup>,
    stride: u32,
}

impl Voxels {
    pub(super) fn new(maker: &PipelineMaker<'_>) -> Self {
        let layout = uniform_layout(maker.device, "chunk origin", true, ORIGIN_BYTES);
        let module = maker.module("voxels", include_str!("../../shaders/voxels.wgsl"));
        let pipeline = |vertex| {
            maker.pipeline(&Recipe {
                label: "voxels",
                module: &module,
                vertex,
                fragment: "fragment",
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: Quad::SIZE_BYTES,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &wgpu::vertex_attr_array![0 => Uint32x2],
                })],
                own_group: Some(&layout),
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                depth: Depth::Solid,
            })
        };
        let stride = maker.device.limits().min_uniform_buffer_offset_alignment.max(ORIGIN_BYTES as u32);
        Self { by_color: pipeline("vertex"), by_height: pipeline("vertex_by_height"), layout, origins: None, stride }
    }

    /// Uploads chunk origins where they changed.
    pub(super) fn prepare(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, scene: &mut Scene) {
        let stride = self.stride as usize;
        let Some(origins) = scene.changed_origins() else { return };
        if origins.is_empty() {
            self.origins = None;
            return;
        }
        let mut bytes = vec![0; origins.len() * stride];
        for (slot, pos) in bytes.chunks_exact_mut(stride).zip(origins) {
            let origin = pos.origin().as_vec3().extend(0.0).to_array();
            slot[..ORIGIN_BYTES as usize].copy_from_slice(bytemuck::cast_slice(&origin));
        }
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("chunk origins"),
            size: bytes.len() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        queue.write_buffer(&buffer, 0, &bytes);
        let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &buffer,
            offset: 0,
            size: std::num::NonZeroU64::new(ORIGIN_BYTES),
        });
        self.origins = Some(device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("chunk origins"),
            layout: &self.layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
        }));
    }

    /// Draws what can be seen; answers the numbers of draws and of faces.
    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>, scene: &Scene, frame: &Frame, aspect: f32) -> (u32, u32) {
        let camera = &frame.camera;
        let Some(origins) = &self.origins else { return (0, 0) };
        let frustum = Frustum::new(camera.clip_from_world(aspect));
        let mut seen: Vec<(ChunkPos, &Placed)> = scene.placed.iter().map(|(pos, placed)| (*pos, placed)).collect();
        let extent = |pos: ChunkPos| {
            let min = pos.origin().as_vec3();
            (min, min + CHUNK_EDGE as f32)
        };
        seen.retain(|(pos, _)| {
            let (min, max) = extent(*pos);
            frustum.sees(min, max)
        });
        // Near ones first, so that what they hide is not shaded.
        seen.sort_by_cached_key(|(pos, _)| {
            let (min, max) = extent(*pos);
            let offset = (min + max) * 0.5 - camera.eye;
            let far = if camera.ortho_height.is_some() { offset.dot(camera.forward()) + 65536.0 } else { offset.length() };
            // Never negative here, and such floats sort as their bits do.
            far.max(0.0).to_bits()
        });
        pass.set_pipeline(match frame.view {
            ViewMode::Normal => &self.by_color,
            ViewMode::Height => &self.by_height,
        });
        let (mut draws, mut faces, mut bound) = (0, 0, None);
        for (pos, placed) in seen {
            let Some(buffer) = scene.arena.buffer(placed.slot.page) else { continue };
            if bound != Some(placed.slot.page) {
                pass.set_vertex_buffer(0, buffer.slice(..));
                bound = Some(placed.slot.page);
            }
            pass.set_bind_group(1, origins, &[placed.origin * self.stride]);
            let (min, max) = extent(pos);
            let mut run = 0..0;
            for face in Face::ALL {
                let quads = placed.starts[face as usize]..placed.starts[face as usize + 1];
                if quads.is_empty() || !faces_eye(camera, min, max, face) {
                    continue;
                }
                if run.end == quads.start {
                    run.end = quads.end;
                    continue;
                }
                draws += draw_run(pass, placed, &run);
                faces += run.end - run.start;
                run = quads;
            }
            draws += draw_run(pass, placed, &run);
            faces += run.end - run.start;
        }
        (draws, faces)
    }
}

fn draw_run(pass: &mut wgpu::RenderPass<'_>, placed: &Placed, run: &std::ops::Range<u32>) -> u32 {
    if run.is_empty() {
        return 0;
    }
    let first = placed.slot.quads.start;
    pass.draw(0..4, first + run.start..first + run.end);
    1
}
