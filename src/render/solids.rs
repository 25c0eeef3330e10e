//! Drawing coloured triangles: markers as solid things, boxes and the hovered face as glass.

use glam::{Vec2, Vec3};

use super::lines::face_corners;
use super::marker::push_marker;
use super::pipeline::{Depth, PipelineMaker, Recipe, StreamBuffer};
use super::{Frame, TintedBox};

/// A corner as the GPU reads it.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(super) struct SolidVertex {
    pub(super) place: Vec3,
    pub(super) rgba: [u8; 4],
}

pub(super) struct Solids {
    solid: wgpu::RenderPipeline,
    glass: wgpu::RenderPipeline,
    behind: wgpu::RenderPipeline,
    markers: StreamBuffer,
    sides: StreamBuffer,
}

impl Solids {
    pub(super) fn new(maker: &PipelineMaker<'_>) -> Self {
        let module = maker.module("solids", include_str!("../../shaders/solids.wgsl"));
        let pipeline = |fragment, depth| {
            maker.pipeline(&Recipe {
                label: "solids",
                module: &module,
                vertex: "vertex",
                fragment,
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<SolidVertex>() as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Unorm8x4],
                })],
                own_group: None,
                topology: wgpu::PrimitiveTopology::TriangleList,
                depth,
            })
        };
        Self {
            solid: pipeline("fragment", Depth::Solid),
            glass: pipeline("fragment", Depth::Glass),
            behind: pipeline("behind", Depth::Behind),
            markers: StreamBuffer::new("markers"),
            sides: StreamBuffer::new("sides"),
        }
    }

    pub(super) fn prepare(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, frame: &Frame, size: Vec2) {
        let mut vertices = vec![];
        for marker in &frame.markers {
            push_marker(&mut vertices, marker, frame, size);
        }
        self.markers.fill(device, queue, &vertices);
        vertices.clear();
        for tinted in &frame.boxes {
            push_box(&mut vertices, tinted);
        }
        if let Some(hover) = &frame.hover {
            let [r, g, b, a] = hover.rgba;
            push_rect(&mut vertices, face_corners(hover), [[r, g, b, a / 5]; 4]);
        }
        self.sides.fill(device, queue, &vertices);
    }

    /// Markers: first what of them is hidden, so that they do not shine through themselves.
    pub(super) fn draw_markers(&self, pass: &mut wgpu::RenderPass<'_>) {
        draw(pass, &self.markers, [&self.behind, &self.solid]);
    }

    /// Boxes and the hovered face.
    pub(super) fn draw_glass(&self, pass: &mut wgpu::RenderPass<'_>) {
        draw(pass, &self.sides, [&self.glass]);
    }
}

fn draw<const N: usize>(pass: &mut wgpu::RenderPass<'_>, vertices: &StreamBuffer, pipelines: [&wgpu::RenderPipeline; N]) {
    let Some((buffer, count)) = vertices.items() else { return };
    pass.set_vertex_buffer(0, buffer.slice(..));
    for pipeline in pipelines {
        pass.set_pipeline(pipeline);
        pass.draw(0..count, 0..1);
    }
}

/// Two triangles; corners in order around the rectangle.
pub(super) fn push_rect(vertices: &mut Vec<SolidVertex>, corners: [Vec3; 4], colors: [[u8; 4]; 4]) {
    let [a, b, c, d] = std::array::from_fn(|i| SolidVertex { place: corners[i], rgba: colors[i] });
    vertices.extend([a, b, c, a, c, d]);
}

/// Sides and floor of a box. The sides fade out upwards, so that what is behind stays readable.
fn push_box(vertices: &mut Vec<SolidVertex>, tinted: &TintedBox) {
    let TintedBox { min, max, fill, .. } = *tinted;
    let [r, g, b, a] = fill;
    let faint = [r, g, b, a / 5];
    let plan = [Vec2::new(min.x, min.y), Vec2::new(max.x, min.y), Vec2::new(max.x, max.y), Vec2::new(min.x, max.y)];
    for (from, to) in plan.into_iter().zip([plan[1], plan[2], plan[3], plan[0]]) {
        let corners = [from.extend(max.z), to.extend(max.z), to.extend(min.z), from.extend(min.z)];
        push_rect(vertices, corners, [fill, fill, faint, faint]);
    }
    push_rect(vertices, plan.map(|corner| corner.extend(max.z)), [fill; 4]);
    push_rect(vertices, plan.map(|corner| corner.extend(min.z)), [faint; 4]);
}
