//! Drawing the sky, after the voxels, where nothing is.

use super::pipeline::{Depth, PipelineMaker, Recipe};

pub(super) struct Sky {
    pipeline: wgpu::RenderPipeline,
}

impl Sky {
    pub(super) fn new(maker: &PipelineMaker<'_>) -> Self {
        let module = maker.module("sky", include_str!("../../shaders/sky.wgsl"));
        let pipeline = maker.pipeline(&Recipe {
            label: "sky",
            module: &module,
            vertex: "vertex",
            fragment: "fragment",
            buffers: &[],
            own_group: None,
            topology: wgpu::PrimitiveTopology::TriangleList,
            depth: Depth::Glass,
        });
        Self { pipeline }
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.pipeline);
        pass.draw(0..3, 0..1);
    }
}
