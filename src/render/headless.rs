//! Pictures without a window: for the command line and for tests.

use super::{Frame, RenderError, Renderer, Target};
use crate::voxel::Store;

/// A device of its own, and a renderer on it.
pub struct Headless {
    device: wgpu::Device,
    queue: wgpu::Queue,
    renderer: Renderer,
    adapter_name: String,
    samples: u32,
}

impl Headless {
    /// Opens the best adapter; a software rasterizer will do. `samples` is 1 or 4.
    ///
    /// # Errors
    /// When there is no adapter, or it gives no device.
    pub fn new(samples: u32) -> Result<Self, RenderError> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
        let options = wgpu::RequestAdapterOptions {
            power_preference: wgpu::PowerPreference::from_env().unwrap_or_default(),
            ..wgpu::RequestAdapterOptions::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        let limits = wgpu::Limits::downlevel_webgl2_defaults().using_resolution(adapter.limits());
        let descriptor = wgpu::DeviceDescriptor { label: Some("headless"), required_limits: limits, ..Default::default() };
        let (device, queue) = pollster::block_on(adapter.request_device(&descriptor))?;
        let workers = std::thread::available_parallelism().map_or(1, |count| count.get().min(8));
        let renderer = Renderer::new(&device, samples, workers, None);
        let info = adapter.get_info();
        Ok(Self { device, queue, renderer, adapter_name: format!("{} ({})", info.name, info.backend), samples })
    }

    /// Name of the adapter, for reports.
    pub fn adapter_name(&self) -> &str {
        &self.adapter_name
    }

    /// As [`Renderer::limit_memory`].
    pub fn limit_memory(&mut self, most_bytes: u64) {
        self.renderer.limit_memory(most_bytes);
    }

    /// As [`Renderer::left_out`].
    pub fn left_out(&self) -> usize {
        self.renderer.left_out()
    }

    /// As [`Renderer::forget`].
    pub fn forget(&mut self) {
        self.renderer.forget();
    }

    /// Meshes and draws; red, green, blue, alpha, rows from the top.
    ///
    /// # Errors
    /// When the size is not possible or the adapter is lost.
    pub fn picture(&mut self, store: &Store, frame: &Frame, size: [u32; 2]) -> Result<Vec<u8>, RenderError> {
        let limit = self.device.limits().max_texture_dimension_2d;
        let [width, height] = size;
        if width == 0 || height == 0 || width > limit || height > limit {
            return Err(RenderError::PictureSize { width, height, limit });
        }
        let target = Target::new(&self.device, size, self.samples);
        self.renderer.update_fully(&self.device, &self.queue, store);
        self.renderer.draw(&self.device, &self.queue, &target, frame);
        target.read_pixels(&self.device, &self.queue)
    }
}

/// One picture of a store: red, green, blue, alpha, rows from the top, smoothed with four samples a pixel.
///
/// # Errors
/// When there is no adapter, the size is not possible, or the adapter is lost.
pub fn render_to_rgba(store: &Store, frame: &Frame, size: [u32; 2]) -> Result<Vec<u8>, RenderError> {
    Headless::new(4)?.picture(store, frame, size)
}

/// The graphics adapters that are there, with driver and limits, for reports.
pub fn adapters() -> Vec<String> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    let mut adapters: Vec<String> = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
        .iter()
        .map(|adapter| {
            let (info, limits) = (adapter.get_info(), adapter.limits());
            let slow = if info.device_type == wgpu::DeviceType::Cpu { ", a processor that draws: slow" } else { "" };
            format!(
                "{} ({}, {} {}), textures up to {}{slow}",
                info.name, info.backend, info.driver, info.driver_info, limits.max_texture_dimension_2d
            )
        })
        .collect();
    adapters.dedup();
    adapters
}
