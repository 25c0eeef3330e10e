//! Drawing ghosts: the hull of the voxels of each, kept on the GPU while the caller gives the same sets.
//!
//! Hulls of many voxels are made by a thread; until one is there, what was shown in its place stays.

use std::sync::Arc;

use super::hull_maker::HullMaker;
use super::mesher::Wake;
use super::pipeline::{Depth, PipelineMaker, Recipe, StreamBuffer, uniform_layout};
use super::{Frame, Ghost, TintedHull};
use crate::geom::VoxelPos;
use crate::mesh::{ShellQuad, shell_of};

/// Size of a tint: red, green, blue and alpha as floats.
const TINT_BYTES: u64 = size_of::<[f32; 4]>() as u64;

/// Voxels whose hulls are made at once in a frame: some 2 ms where none touch.
const INLINE_VOXELS: usize = 16_000;

pub(super) struct GhostHulls {
    /// Through what hides it, depth of its front, its front: in this order each pixel is tinted once.
    pipelines: [wgpu::RenderPipeline; 3],
    layout: wgpu::BindGroupLayout,
    hulls: Vec<Hull>,
    /// How many of the hulls are shown; the others wait to be used again.
    shown: usize,
    /// Makes large hulls; without one, all are made at once.
    maker: Option<HullMaker>,
}

/// One set of voxels with its tint.
struct Hull {
    tint: wgpu::Buffer,
    tint_group: wgpu::BindGroup,
    buffer: StreamBuffer,
    source: Option<Source>,
}

/// What a hull is made of.
enum Source {
    Voxels(Arc<Vec<VoxelPos>>),
    Faces(Arc<Vec<ShellQuad>>),
}

impl Source {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Voxels(a), Self::Voxels(b)) => Arc::ptr_eq(a, b),
            (Self::Faces(a), Self::Faces(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl GhostHulls {
    pub(super) fn new(maker: &PipelineMaker<'_>, workers: usize, wake: Option<Wake>) -> Self {
        let layout = uniform_layout(maker.device, "ghost tint", false, TINT_BYTES);
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
        let pipelines = [pipeline("behind", Depth::Behind), pipeline("fragment", Depth::Prepass), pipeline("fragment", Depth::Glass)];
        let maker = if workers == 0 { None } else { HullMaker::new(wake) };
        Self { pipelines, layout, hulls: vec![], shown: 0, maker }
    }

    /// Takes in hulls that were made; answers whether the picture is another one now.
    pub(super) fn poll(&mut self) -> bool {
        self.maker.as_mut().is_some_and(HullMaker::poll)
    }

    /// Hulls that are not shown as they are yet.
    pub(super) fn pending(&self) -> usize {
        self.maker.as_ref().map_or(0, HullMaker::pending)
    }

    pub(super) fn prepare(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, frame: &Frame) {
        let count = frame.hulls.len() + frame.ghosts.len();
        while self.hulls.len() < count {
            self.hulls.push(Hull::new(device, &self.layout));
        }
        self.shown = count;
        // What changes seldom keeps its place.
        let known = frame.hulls.iter().map(|TintedHull { faces, rgba }| (Source::Faces(faces.clone()), rgba));
        let sets = frame.ghosts.iter().map(|Ghost { voxels, rgba }| (Source::Voxels(voxels.clone()), rgba));
        let mut room = INLINE_VOXELS;
        self.maker.iter_mut().for_each(HullMaker::begin_frame);
        for (hull, (source, rgba)) in self.hulls.iter_mut().zip(known.chain(sets)) {
            let tint = rgba.map(|byte| f32::from(byte) / 255.0);
            queue.write_buffer(&hull.tint, 0, bytemuck::cast_slice(&tint));
            if hull.source.as_ref().is_some_and(|shown| shown.is(&source)) {
                continue;
            }
            match &source {
                Source::Faces(faces) => hull.buffer.fill(device, queue, faces),
                Source::Voxels(voxels) if voxels.len() <= room || self.maker.is_none() => {
                    room = room.saturating_sub(voxels.len());
                    hull.buffer.fill(device, queue, &shell_of(voxels));
                }
                Source::Voxels(voxels) => match self.maker.as_mut().and_then(|maker| maker.hull(voxels)) {
                    Some(faces) => hull.buffer.fill(device, queue, &faces),
                    None => continue,
                },
            }
            hull.source = Some(source);
        }
        if let Some(maker) = &mut self.maker {
            maker.forget_unused();
        }
        self.hulls.iter_mut().skip(self.shown).for_each(|hull| hull.source = None);
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        for hull in self.hulls.iter().take(self.shown).filter(|hull| hull.source.is_some()) {
            let Some((buffer, count)) = hull.buffer.items() else { continue };
            pass.set_vertex_buffer(0, buffer.slice(..));
            pass.set_bind_group(1, &hull.tint_group, &[]);
            for pipeline in &self.pipelines {
                pass.set_pipeline(pipeline);
                pass.draw(0..4, 0..count);
            }
        }
    }
}

impl Hull {
    fn new(device: &wgpu::Device, layout: &wgpu::BindGroupLayout) -> Self {
        let tint = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("ghost tint"),
            size: TINT_BYTES,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let tint_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("ghost tint"),
            layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: tint.as_entire_binding() }],
        });
        Self { tint, tint_group, buffer: StreamBuffer::new("ghost"), source: None }
    }
}
