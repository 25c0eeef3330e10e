//! Everything about one picture that is not voxels: plain data, filled in by the caller.

use std::sync::Arc;

use glam::Vec3;

use super::{Look, Marker};
use crate::geom::{Camera, Face, VoxelPos};
use crate::mesh::ShellQuad;

/// What to draw around and over the voxels, and from where.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The eye.
    pub camera: Camera,
    /// Light, sky and sea colours.
    pub look: Look,
    /// What the voxels' colours mean.
    pub view: ViewMode,
    /// Whether single voxels are told apart by darker borders.
    pub edges: VoxelEdges,
    /// Whether VXL's fourth byte darkens the colours, as some clients do.
    pub baked_shade: bool,
    /// The sea around and over the map.
    pub water: Option<Water>,
    /// Lines in space.
    pub lines: Vec<Line>,
    /// Translucent boxes, e.g. spawn regions.
    pub boxes: Vec<TintedBox>,
    /// Voxels that an action would change.
    pub ghosts: Vec<Ghost>,
    /// Hulls whose faces are known, such as that of the selection.
    pub hulls: Vec<TintedHull>,
    /// The face under the pointer.
    pub hover: Option<FaceHighlight>,
    /// Bases, intel and other single things.
    pub markers: Vec<Marker>,
    /// Physical pixels of one logical pixel: widths of lines are logical.
    pub pixels_per_point: f32,
}

impl Frame {
    /// A plain picture from this camera: dark look, no sea, nothing over the voxels.
    pub fn new(camera: Camera) -> Self {
        Self {
            camera,
            look: Look::DARK,
            view: ViewMode::Normal,
            edges: VoxelEdges::Near,
            baked_shade: false,
            water: None,
            lines: vec![],
            boxes: vec![],
            ghosts: vec![],
            hulls: vec![],
            hover: None,
            markers: vec![],
            pixels_per_point: 1.0,
        }
    }
}

/// What the colours of voxels show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ViewMode {
    /// Their own colour.
    #[default]
    Normal,
    /// Their height, from the sea (blue-green) to the highest peak of the bounds (white).
    Height,
}

/// Darker borders of voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum VoxelEdges {
    /// None.
    Off,
    /// Faint, only where a voxel is large in the picture.
    #[default]
    Near,
    /// Strong, as far away as they can be told apart.
    Strong,
}

/// A sea to the horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Water {
    /// z of the water's surface, in voxels; 63 in Ace of Spades.
    pub level: i32,
}

/// A line in space, drawn over what it lies on and faintly through what hides it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// One end, in voxels.
    pub a: Vec3,
    /// The other end.
    pub b: Vec3,
    /// Red, green, blue, alpha, gamma-encoded.
    pub rgba: [u8; 4],
    /// Width in logical pixels.
    pub width: f32,
}

/// A translucent box with edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TintedBox {
    /// Corner of the smallest coordinates.
    pub min: Vec3,
    /// Corner of the largest coordinates.
    pub max: Vec3,
    /// Colour of the sides; they fade out towards the sky.
    pub fill: [u8; 4],
    /// Colour of the edges.
    pub edge: [u8; 4],
    /// Width of the edges in logical pixels.
    pub edge_width: f32,
}

/// Voxels that an action would add, remove or paint: shown as a tinted hull with an outline.
#[derive(Clone, Debug)]
pub struct Ghost {
    /// The voxels; give the same `Arc` again while nothing changed, so that the hull is kept.
    pub voxels: Arc<Vec<VoxelPos>>,
    /// Colour of the mode; alpha is that of the fill.
    pub rgba: [u8; 4],
}

/// As a ghost, of faces that were worked out elsewhere.
#[derive(Clone, Debug)]
pub struct TintedHull {
    /// The faces; give the same `Arc` again while nothing changed.
    pub faces: Arc<Vec<ShellQuad>>,
    /// Its colour; alpha is that of the fill.
    pub rgba: [u8; 4],
}

/// One face of a voxel, marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaceHighlight {
    /// The voxel.
    pub pos: VoxelPos,
    /// Which face.
    pub face: Face,
    /// Colour of the outline; the fill is a fifth of it.
    pub rgba: [u8; 4],
}
