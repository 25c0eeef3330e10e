//! The settings that tools share: what the option row shows.

use crate::edit::Mode;
use crate::voxel::Rgb;

/// A setting that a tool's option row offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolOption {
    /// Add, remove or paint.
    Mode,
    /// Ball, cube or cylinder.
    BrushShape,
    /// Diameter of the brush, 1–64 voxels.
    BrushSize,
    /// Raise, lower or smooth.
    SculptAction,
    /// Voxels that a sculpting stroke moves the ground by.
    Strength,
    /// How far colours may differ and still count as the same, 0–255 a channel.
    Tolerance,
}

/// The settings that tools share; they keep their values when the tool changes.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSettings {
    /// Add, remove or paint.
    pub mode: Mode,
    /// The colour that tools paint with.
    pub color: Rgb,
}

impl Default for ToolSettings {
    fn default() -> Self {
        Self { mode: Mode::Add, color: Rgb::new(0xb4, 0x6a, 0x3c) }
    }
}
