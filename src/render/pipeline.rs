//! Making pipelines: what all of them have in common, in one place.
//!
//! Callers: the files beside this one that own a shader.

use std::num::NonZeroU64;

use super::{Globals, Target};

/// What a pipeline does with depth. Depth is reversed: nearer is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// Visible where nothing is nearer; hides what is behind.
    Solid,
    /// Visible where nothing is nearer; hides nothing.
    Glass,
    /// Visible only where something is nearer.
    Behind,
    /// Writes depth, but no colour.
    Prepass,
}

/// Layouts and settings that pipelines are made with.
pub(super) struct PipelineMaker<'a> {
    pub(super) device: &'a wgpu::Device,
    pub(super) globals: &'a wgpu::BindGroupLayout,
    pub(super) samples: u32,
}

/// What is particular to a pipeline.
pub(super) struct Recipe<'a> {
    pub(super) label: &'a str,
    pub(super) module: &'a wgpu::ShaderModule,
    pub(super) vertex: &'a str,
    pub(super) fragment: &'a str,
    pub(super) buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    pub(super) own_group: Option<&'a wgpu::BindGroupLayout>,
    pub(super) topology: wgpu::PrimitiveTopology,
    pub(super) depth: Depth,
}

impl PipelineMaker<'_> {
    pub(super) fn module(&self, label: &str, source: &str) -> wgpu::ShaderModule {
        let source = [Globals::SHADER_HEAD, source].concat();
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source: wgpu::ShaderSource::Wgsl(source.into()) })
    }

    pub(super) fn pipeline(&self, recipe: &Recipe<'_>) -> wgpu::RenderPipeline {
        let groups = [Some(self.globals), recipe.own_group];
        let used = if recipe.own_group.is_some() { 2 } else { 1 };
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(recipe.label),
            bind_group_layouts: &groups[..used],
            ..Default::default()
        });
        let solid = recipe.depth == Depth::Solid;
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(recipe.label),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: recipe.module,
                entry_point: Some(recipe.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: recipe.buffers,
            },
            primitive: wgpu::PrimitiveState { topology: recipe.topology, ..Default::default() },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: Target::DEPTH,
                depth_write_enabled: Some(solid || recipe.depth == Depth::Prepass),
                depth_compare: Some(match recipe.depth {
                    Depth::Behind => wgpu::CompareFunction::Less,
                    Depth::Solid | Depth::Glass | Depth::Prepass => wgpu::CompareFunction::GreaterEqual,
                }),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState { count: self.samples, ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: recipe.module,
                entry_point: Some(recipe.fragment),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: &[Some(wgpu::ColorTargetState {
                    format: Target::COLOR,
                    blend: (!solid).then_some(wgpu::BlendState {
                        color: wgpu::BlendState::ALPHA_BLENDING.color,
                        // The picture itself stays opaque.
                        alpha: wgpu::BlendComponent {
                            src_factor: wgpu::BlendFactor::One,
                            dst_factor: wgpu::BlendFactor::One,
                            operation: wgpu::BlendOperation::Max,
                        },
                    }),
                    write_mask: if recipe.depth == Depth::Prepass { wgpu::ColorWrites::empty() } else { wgpu::ColorWrites::ALL },
                })],
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

/// A uniform of one struct, visible in both stages.
pub(super) fn uniform_layout(device: &wgpu::Device, label: &str, dynamic: bool, size_bytes: u64) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries: &[wgpu::BindGroupLayoutEntry {
            binding: 0,
            visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Uniform,
                has_dynamic_offset: dynamic,
                min_binding_size: NonZeroU64::new(size_bytes),
            },
            count: None,
        }],
    })
}

/// A vertex buffer that grows and is filled anew for each picture.
pub(super) struct StreamBuffer {
    label: &'static str,
    buffer: Option<wgpu::Buffer>,
    count: u32,
}

impl StreamBuffer {
    pub(super) fn new(label: &'static str) -> Self {
        Self { label, buffer: None, count: 0 }
    }

    /// Replaces the content; what does not fit the device's largest buffer is left out.
    pub(super) fn fill<T: bytemuck::NoUninit>(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, items: &[T]) {
        let largest = usize::try_from(device.limits().max_buffer_size).unwrap_or(usize::MAX) / size_of::<T>();
        let items = items.get(..largest).unwrap_or(items);
        self.count = u32::try_from(items.len()).unwrap_or(0);
        if items.is_empty() {
            return;
        }
        let bytes: &[u8] = bytemuck::cast_slice(items);
        let needed = bytes.len() as u64;
        if self.buffer.as_ref().is_none_or(|buffer| buffer.size() < needed) {
            self.buffer = Some(device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size: needed.next_power_of_two().clamp(1024, device.limits().max_buffer_size).max(needed),
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }));
        }
        if let Some(buffer) = &self.buffer {
            queue.write_buffer(buffer, 0, bytes);
        }
    }

    /// The buffer and how many items are in it; `None` where there is nothing to draw.
    pub(super) fn items(&self) -> Option<(&wgpu::Buffer, u32)> {
        self.buffer.as_ref().filter(|_| self.count > 0).map(|buffer| (buffer, self.count))
    }
}
