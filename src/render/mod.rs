//! The wgpu renderer: takes a store and a plain [`Frame`], knows no editor and no egui.
//!
//! [`Renderer`] keeps the meshes of a store on the GPU and draws frames into a [`Target`];
//! [`render_to_rgba`] does all of it without a window. Each `x.rs` that owns a shader has it in
//! `shaders/x.wgsl`, after the common head `shaders/globals.wgsl`. Depth is reversed: 1 near, 0 far.

mod arena;
mod error;
mod frame;
mod frustum;
mod ghost;
mod globals;
mod headless;
mod hull_maker;
mod lines;
mod look;
mod marker;
mod mesher;
mod pipeline;
mod renderer;
mod scene;
mod sky;
mod solids;
mod target;
mod voxels;
mod water;

pub use error::RenderError;
pub use frame::{FaceHighlight, Frame, Ghost, Line, TintedBox, TintedHull, ViewMode, VoxelEdges, Water};
pub use globals::Globals;
pub use headless::{Headless, adapters, render_to_rgba};
pub use look::Look;
pub use marker::{Marker, MarkerKind};
pub use mesher::Wake;
pub use renderer::{DrawStats, Renderer};
pub use target::Target;
