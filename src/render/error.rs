//! What can go wrong between us and the GPU.

/// A failure of the renderer.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// There is neither a graphics card with a driver nor a software rasterizer.
    #[error(
        "no graphics adapter found; install a driver, or the software rasterizer \
         (on Debian and Ubuntu the packages mesa-vulkan-drivers and libvulkan1): {0}"
    )]
    NoAdapter(#[from] wgpu::RequestAdapterError),
    /// The adapter refused to make a device.
    #[error("the graphics adapter could not be opened: {0}")]
    NoDevice(#[from] wgpu::RequestDeviceError),
    /// The picture is larger than the adapter allows, or has no pixels.
    #[error("a picture of {width}×{height} pixels is not possible here: each side must be 1 to {limit}")]
    PictureSize {
        /// Asked width in pixels.
        width: u32,
        /// Asked height in pixels.
        height: u32,
        /// Largest side that the adapter allows.
        limit: u32,
    },
    /// Waiting for the GPU failed.
    #[error("the graphics adapter stopped answering: {0}")]
    Poll(#[from] wgpu::PollError),
    /// The finished picture could not be read back.
    #[error("the picture could not be read back from the graphics adapter")]
    Readback,
}
