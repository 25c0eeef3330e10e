//! The offscreen picture: colour and depth, with readback.
//!
//! The colour texture holds gamma-encoded values, as egui and PNG want them.

use super::RenderError;

/// Where the renderer draws to.
#[derive(Debug)]
pub struct Target {
    size: [u32; 2],
    color: wgpu::Texture,
    color_view: wgpu::TextureView,
    depth: wgpu::TextureView,
    multisampled: Option<wgpu::TextureView>,
    samples: u32,
}

impl Target {
    /// Format of the colour texture.
    pub const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
    /// Format of the depth texture.
    pub const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

    /// A target of `size` pixels (at least 1×1); `samples` is 1 or 4 and must be the renderer's.
    pub fn new(device: &wgpu::Device, size: [u32; 2], samples: u32) -> Self {
        use wgpu::TextureUsages as Usage;
        let size = size.map(|side| side.clamp(1, device.limits().max_texture_dimension_2d));
        let make = |format, sample_count, usage| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some("viewport"),
                size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
                mip_level_count: 1,
                sample_count,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage,
                view_formats: &[],
            })
        };
        let view = |texture: &wgpu::Texture| texture.create_view(&wgpu::TextureViewDescriptor::default());
        let color = make(Self::COLOR, 1, Usage::RENDER_ATTACHMENT | Usage::TEXTURE_BINDING | Usage::COPY_SRC);
        let multisampled = (samples > 1).then(|| view(&make(Self::COLOR, samples, Usage::RENDER_ATTACHMENT)));
        let depth = view(&make(Self::DEPTH, samples, Usage::RENDER_ATTACHMENT));
        Self { size, color_view: view(&color), color, depth, multisampled, samples }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Samples a pixel.
    pub fn samples(&self) -> u32 {
        self.samples
    }

    /// The finished picture, to show it elsewhere.
    pub fn color_view(&self) -> &wgpu::TextureView {
        &self.color_view
    }

    pub(super) fn pass<'a>(&self, encoder: &'a mut wgpu::CommandEncoder) -> wgpu::RenderPass<'a> {
        let (view, resolve_target) = match &self.multisampled {
            Some(multisampled) => (multisampled, Some(&self.color_view)),
            None => (&self.color_view, None),
        };
        let load = wgpu::LoadOp::Clear(wgpu::Color::BLACK);
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("viewport"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.depth,
                // Reversed depth: 0 is infinitely far.
                depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(0.0), store: wgpu::StoreOp::Discard }),
                stencil_ops: None,
            }),
            ..Default::default()
        })
    }

    /// Waits for the picture and reads it: red, green, blue, alpha, rows from the top.
    ///
    /// # Errors
    /// When the adapter is lost. Blocks on the GPU: for headless use and screenshots.
    pub fn read_pixels(&self, device: &wgpu::Device, queue: &wgpu::Queue) -> Result<Vec<u8>, RenderError> {
        let [width, height] = self.size;
        let row = width * 4;
        let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("readback"),
            size: u64::from(padded) * u64::from(height),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_texture_to_buffer(
            self.color.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(padded), rows_per_image: None },
            },
            self.color.size(),
        );
        queue.submit([encoder.finish()]);
        let (sender, receiver) = std::sync::mpsc::channel();
        // The receiver lives until after the poll below.
        buffer.map_async(wgpu::MapMode::Read, .., move |result| drop(sender.send(result)));
        device.poll(wgpu::PollType::wait_indefinitely())?;
        receiver.recv().map_err(|_| RenderError::Readback)?.map_err(|_| RenderError::Readback)?;
        let mapped = buffer.get_mapped_range(..).map_err(|_| RenderError::Readback)?;
        let mut pixels = Vec::with_capacity(row as usize * height as usize);
        for line in mapped.chunks_exact(padded as usize) {
            pixels.extend_from_slice(line.get(..row as usize).unwrap_or(line));
        }
        Ok(pixels)
    }
}
