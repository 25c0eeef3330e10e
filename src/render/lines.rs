//! Drawing lines: in front of what they lie on, faintly through what hides them.

use glam::Vec3;

use super::pipeline::{Depth, PipelineMaker, Recipe, StreamBuffer};
use super::{FaceHighlight, Frame, Line, TintedBox};
use crate::geom::Face;

/// A line as the GPU reads it.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct LineInstance {
    a: Vec3,
    b: Vec3,
    rgba: [u8; 4],
    width: f32,
}

pub(super) struct Lines {
    visible: wgpu::RenderPipeline,
    hidden: wgpu::RenderPipeline,
    buffer: StreamBuffer,
}

impl Lines {
    pub(super) fn new(maker: &PipelineMaker<'_>) -> Self {
        let module = maker.module("lines", include_str!("../../shaders/lines.wgsl"));
        let pipeline = |fragment, depth| {
            maker.pipeline(&Recipe {
                label: "lines",
                module: &module,
                vertex: "vertex",
                fragment,
                buffers: &[Some(wgpu::VertexBufferLayout {
                    array_stride: size_of::<LineInstance>() as u64,
                    step_mode: wgpu::VertexStepMode::Instance,
                    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Unorm8x4, 3 => Float32],
                })],
                own_group: None,
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                depth,
            })
        };
        Self { visible: pipeline("fragment", Depth::Glass), hidden: pipeline("behind", Depth::Behind), buffer: StreamBuffer::new("lines") }
    }

    pub(super) fn prepare(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, frame: &Frame) {
        let mut lines: Vec<_> = frame.lines.iter().map(instance).collect();
        lines.extend(frame.boxes.iter().flat_map(box_edges).map(|line| instance(&line)));
        lines.extend(frame.hover.iter().flat_map(face_edges).map(|line| instance(&line)));
        self.buffer.fill(device, queue, &lines);
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        let Some((buffer, count)) = self.buffer.items() else { return };
        pass.set_vertex_buffer(0, buffer.slice(..));
        for pipeline in [&self.hidden, &self.visible] {
            pass.set_pipeline(pipeline);
            pass.draw(0..4, 0..count);
        }
    }
}

fn instance(line: &Line) -> LineInstance {
    LineInstance { a: line.a, b: line.b, rgba: line.rgba, width: line.width }
}

fn box_edges(tinted: &TintedBox) -> impl Iterator<Item = Line> + use<> {
    let TintedBox { min, max, edge, edge_width, .. } = *tinted;
    // Corners by number: bit 0 x, bit 1 y, bit 2 z; an edge goes where one bit differs.
    let corner = move |number: u32| Vec3::select(glam::BVec3::new(number & 1 != 0, number & 2 != 0, number & 4 != 0), max, min);
    (0..8_u32).flat_map(move |from| {
        [1, 2, 4].into_iter().filter(move |bit| from & bit == 0).map(move |bit| Line {
            a: corner(from),
            b: corner(from | bit),
            rgba: edge,
            width: edge_width,
        })
    })
}

/// The four corners of a face of a voxel, in order around it.
pub(super) fn face_corners(highlight: &FaceHighlight) -> [Vec3; 4] {
    let face = highlight.face;
    let [u, v] = match face {
        Face::PlusX | Face::MinusX => [Vec3::Y, Vec3::Z],
        Face::PlusY | Face::MinusY => [Vec3::X, Vec3::Z],
        Face::PlusZ | Face::MinusZ => [Vec3::X, Vec3::Y],
    };
    let base = highlight.pos.as_vec3() + face.normal().as_vec3().max(Vec3::ZERO);
    [base, base + u, base + u + v, base + v]
}

fn face_edges(highlight: &FaceHighlight) -> impl Iterator<Item = Line> + use<> {
    let (corners, rgba) = (face_corners(highlight), highlight.rgba);
    let next = [corners[1], corners[2], corners[3], corners[0]];
    corners.into_iter().zip(next).map(move |(a, b)| Line { a, b, rgba, width: 2.0 })
}
