//! Drawing the sea, with a texture that knows how near the shore is.

use super::pipeline::{Depth, PipelineMaker, Recipe};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{CHUNK_EDGE, ChunkPos, Store};

/// Deep water around the map in the texture, in columns; `shaders/water.wgsl` knows it too.
const RIM: i32 = 16;
/// How far a shore shines into the water, in columns; two passes reach twice as far.
const REACH: usize = 5;
/// Larger maps take every second column, and so on.
const LARGEST_SIDE: i32 = 2048;

pub(super) struct WaterPlane {
    pipeline: wgpu::RenderPipeline,
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    shore: Option<(Land, wgpu::BindGroup)>,
}

impl WaterPlane {
    pub(super) fn new(maker: &PipelineMaker<'_>) -> Self {
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry { binding, visibility: wgpu::ShaderStages::FRAGMENT, ty, count: None };
        let layout = maker.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("shore"),
            entries: &[
                entry(
                    0,
                    wgpu::BindingType::Texture {
                        sample_type: wgpu::TextureSampleType::Float { filterable: true },
                        view_dimension: wgpu::TextureViewDimension::D2,
                        multisampled: false,
                    },
                ),
                entry(1, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)),
            ],
        });
        let module = maker.module("water", include_str!("../../shaders/water.wgsl"));
        let pipeline = maker.pipeline(&Recipe {
            label: "water",
            module: &module,
            vertex: "vertex",
            fragment: "fragment",
            buffers: &[],
            own_group: Some(&layout),
            topology: wgpu::PrimitiveTopology::TriangleStrip,
            depth: Depth::Glass,
        });
        let sampler = maker.device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shore"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..Default::default()
        });
        Self { pipeline, layout, sampler, shore: None }
    }

    /// Makes the shore texture anew where land rose or sank.
    pub(super) fn prepare(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, store: &Store, level: i32) {
        let land = Land::of(store, level);
        if self.shore.as_ref().is_some_and(|(known, _)| *known == land) {
            return;
        }
        let (pixels, [width, height]) = land.shore();
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("shore"),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::R8Unorm,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(width), rows_per_image: None };
        queue.write_texture(texture.as_image_copy(), &pixels, layout, size);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shore"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&view) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&self.sampler) },
            ],
        });
        self.shore = Some((land, group));
    }

    pub(super) fn draw(&self, pass: &mut wgpu::RenderPass<'_>) {
        let Some((_, shore)) = &self.shore else { return };
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, shore, &[]);
        pass.draw(0..4, 0..1);
    }
}

/// Which columns rise over the sea floor; 255 land, 0 water, `[y * width + x]`, a rim around the map.
#[derive(Debug, PartialEq, Eq)]
struct Land {
    cells: Vec<u8>,
    size: [usize; 2],
}

impl Land {
    /// Land is what is solid just over the water's surface.
    fn of(store: &Store, level: i32) -> Self {
        let bounds = store.bounds();
        let step = (bounds.size().x.max(bounds.size().y) / LARGEST_SIDE + 1).max(1);
        let side = |columns: i32| usize::try_from((columns.max(1) + 2 * RIM) / step + 1).unwrap_or(1);
        let size = [side(bounds.size().x), side(bounds.size().y)];
        let mut cells = vec![0; size[0] * size[1]];
        let lowest = level - 1;
        let layer = Region::new(bounds.min().with_z(lowest), bounds.max().with_z(lowest + 1));
        for pos in ChunkPos::covering(&layer) {
            let Some(chunk) = store.chunk(pos) else { continue };
            let origin = pos.origin() - bounds.min() + VoxelPos::new(RIM, RIM, 0);
            let height = lowest.rem_euclid(CHUNK_EDGE as i32);
            for (column, _) in chunk.solid().iter().enumerate().filter(|(_, mask)| *mask >> height & 1 == 1) {
                let x = (origin.x + (column % CHUNK_EDGE) as i32) / step;
                let y = (origin.y + (column / CHUNK_EDGE) as i32) / step;
                if let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y))
                    && x < size[0]
                    && let Some(cell) = cells.get_mut(y * size[0] + x)
                {
                    *cell = 255;
                }
            }
        }
        Self { cells, size }
    }

    /// Nearness of land, 255 on it, falling to 0 in the open sea; and the size in pixels.
    fn shore(&self) -> (Vec<u8>, [u32; 2]) {
        let [width, height] = self.size;
        let mut cells: Vec<u16> = self.cells.iter().map(|&cell| u16::from(cell)).collect();
        for _ in 0..2 {
            let mut turned = vec![0; cells.len()];
            blur_and_turn(&cells, &mut turned, width, height);
            blur_and_turn(&turned, &mut cells, height, width);
        }
        // Half of a straight coast is land: there the blur says 127, which shall be the brightest.
        let pixels = cells.iter().map(|&cell| u8::try_from((cell * 2).min(255)).unwrap_or(255)).collect();
        (pixels, [width, height].map(|side| u32::try_from(side).unwrap_or(u32::MAX)))
    }
}

/// Blurs along rows of `width` cells and writes the result with rows and columns swapped.
fn blur_and_turn(from: &[u16], to: &mut [u16], width: usize, height: usize) {
    let span = (2 * REACH + 1) as u32;
    for (y, row) in from.chunks_exact(width).enumerate() {
        let mut sum: u32 = row.iter().take(REACH).map(|&cell| u32::from(cell)).sum();
        for x in 0..width {
            sum += row.get(x + REACH).map_or(0, |&cell| u32::from(cell));
            if let Some(out) = to.get_mut(x * height + y) {
                *out = u16::try_from(sum / span).unwrap_or(u16::MAX);
            }
            sum -= x.checked_sub(REACH).and_then(|left| row.get(left)).map_or(0, |&cell| u32::from(cell));
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::voxel::{StoreEdit, Voxel};

    #[test]
    fn the_sea_is_shallow_along_the_coast_only() {
        let mut store = Store::new(Region::of_size(IVec3::new(96, 64, 64)));
        let mut edit = StoreEdit::new(&store);
        for pos in Region::of_size(IVec3::new(40, 64, 64)).positions().filter(|pos| pos.z >= 60) {
            edit.set(pos, Some(Voxel::HIDDEN));
        }
        let changes = edit.finish();
        store.apply(&changes);
        let (pixels, [width, _]) = Land::of(&store, 63).shore();
        let at = |x: i32, y: i32| pixels[((y + RIM) * width as i32 + x + RIM) as usize];
        assert_eq!(at(20, 32), 255);
        assert!(at(41, 32) > 170 && at(41, 32) < 255);
        assert!(at(46, 32) < at(41, 32));
        assert_eq!(at(60, 32), 0);
    }
}
