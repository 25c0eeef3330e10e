//! What a tool wants shown on top of the map, as plain data.

use std::sync::Arc;

use glam::Vec3;

use crate::document::{Object, ObjectId, Team};
use crate::edit::Mode;
use crate::geom::{Face, Region, VoxelPos};
use crate::voxel::Store;

/// Voxels of a pending edit, tinted by mode: add blue, remove red, paint yellow.
#[derive(Clone, Debug)]
pub struct Ghost {
    /// The voxels, each once, in no particular order.
    pub voxels: Arc<Vec<VoxelPos>>,
    /// What would happen to them.
    pub mode: Mode,
}

/// A box drawn by its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The box.
    pub region: Region,
    /// Whose it is, for the colour; `None` is neutral.
    pub team: Option<Team>,
    /// Whether it is being changed right now.
    pub active: bool,
}

/// An object as a pending gesture would leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingObject {
    /// The object that it stands for; `None` is a new one.
    pub id: Option<ObjectId>,
    /// What it would be.
    pub object: Object,
}

/// A point that can be taken hold of: as large from afar as from near, and seen through what hides it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handle {
    /// Where, in voxels.
    pub at: Vec3,
    /// Whether it is the one that is held or pointed at.
    pub active: bool,
}

/// A straight line with what was measured along it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// One end, in voxels.
    pub from: Vec3,
    /// The other end.
    pub to: Vec3,
    /// What to write beside it.
    pub text: String,
}

/// What to show on top of the map.
#[derive(Clone, Debug, Default)]
pub struct Preview {
    /// The voxel and face under the pointer.
    pub hovered: Option<(VoxelPos, Face)>,
    /// Voxels that the pending gesture (or the next click) covers; more than one where it adds here and removes there.
    pub ghosts: Vec<Ghost>,
    /// Boxes, such as the selection that is being dragged.
    pub outlines: Vec<Outline>,
    /// The map as it would be, in place of the document's own store (moved selections, sculpting).
    pub store: Option<Store>,
    /// The object that is selected, for outline and properties.
    pub selected: Option<ObjectId>,
    /// The object under the pointer.
    pub hovered_object: Option<ObjectId>,
    /// The object that is being made, moved or resized, to draw in place of the document's own.
    pub pending_object: Option<PendingObject>,
    /// Size of the gesture in words: `34×12×8`.
    pub size: Option<String>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// A line through these places, in voxels, closed from its last to its first.
    pub loop_line: Arc<Vec<Vec3>>,
    /// A line through these places, in voxels, open at its ends; seen through what hides it.
    pub open_line: Vec<Vec3>,
    /// Points that can be taken hold of.
    pub handles: Vec<Handle>,
}
