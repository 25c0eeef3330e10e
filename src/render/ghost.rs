//! Drawing a ghost: the hull of its voxels, kept on the GPU while the caller gives the same set.

use std::sync::Arc;

use super::pipeline::{Depth, PipelineMaker, Recipe, StreamBuffer, uniform_layout};
use super::{Frame, Ghost};
use crate::geom::VoxelPos;
use crate::mesh::{ShellQuad, shell_of};

pub(super) struct GhostHull {
    /// Through what hides it, depth of its front, its front: in this order each pixel is tinted once.
    pipelines: [wgpu::RenderPipeline; 3],
    tint: wgpu::Buffer,
    tint_group: wgpu::BindGroup,
    buffer: StreamBuffer,
    shown: Option<Arc<Vec<VoxelPos>>>,
}

impl GhostHull {
    pub(super) fn new(maker: &PipelineMaker<'_>) -> Self {
        let tint_bytes = size_of::<[f32; 4]>() as u64;
        let layout = uniform_layout(maker.device, "ghost tint", false, tint_bytes);
        let module = maker.module("ghost", include_str!("../../shaders/ghost.wgsl"));
        let pipeline = |fragment, depth| {
            maker.pipeline(&Recipe {
                label: "ghost",
                module: &module,
                vertex: "vertex",
                fragment,
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<ShellQuad>() as u64,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &wgpu::vertex_attr_array![0 => Sint32x3, 1 => Uint32],
                })],
                own_group: Some(&layout),
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                depth,
            })
        };
        let tint = maker.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("ghost tint"),
            size: tint_bytes,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let tint_group = maker.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("ghost tint"),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: tint.as_entire_binding() }],
        });
        let pipelines = [pipeline("behind", Depth::Behind), pipeline("fragment", Depth::Prepass), pipeline("fragment", Depth::Glass)];
        Self { pipelines, tint, tint_group, buffer: StreamBuffer::new("ghost"), shown: None }
    }

    pub(super) fn prepare(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, frame: &Frame) {
        let Some(Ghost { voxels, rgba }) = &frame.ghost else {
            self.shown = None;
            return;
        };
        let tint = rgba.map(|byte| f32::from(byte) / 255.0);
        queue.write_buffer(&self.tint, 0, bytemuck::cast_slice(&tint));
        if self.shown.as_ref().is_none_or(|shown| !Arc::ptr_eq(shown, voxels)) {
            self.buffer.fill(device, queue, &shell_of(voxels));
            self.shown = Some(voxels.clone());
        }
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        let (Some(_), Some((buffer, count))) = (&self.shown, self.buffer.items()) else { return };
        pass.set_vertex_buffer(0, buffer.slice(..));
        pass.set_bind_group(1, &self.tint_group, &[]);
        for pipeline in &self.pipelines {
            pass.set_pipeline(pipeline);
            pass.draw(0..4, 0..count);
        }
    }
}
