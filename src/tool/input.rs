//! What a tool is told about the pointer.

use crate::geom::Ray;

/// Keys held with the pointer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Turns add and remove around.
    pub ctrl: bool,
    /// Straight line, square, smooth: what the tool's hint says.
    pub shift: bool,
    /// Picks the colour under the pointer.
    pub alt: bool,
}

/// Where in a gesture the pointer is. A gesture is one `Press`, any number of `Drag`, one `Release`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Moved without a button.
    Hover,
    /// The primary button went down.
    Press,
    /// Moved with the button down.
    Drag,
    /// The button went up.
    Release,
    /// The pointer left the viewport without a button down.
    Leave,
}

/// One pointer event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointerInput {
    /// From the eye through the pointer.
    pub ray_in_world: Ray,
    /// Where in the gesture.
    pub phase: Phase,
    /// Keys held.
    pub modifiers: Modifiers,
    /// Height of a picture pixel in voxels at one voxel of distance: how near counts as "on" a handle.
    pub voxels_per_pixel: f32,
    /// Whether all rays run the same way, from far behind the map.
    pub is_parallel: bool,
}
