//! What every tool does with the pointer: highlight the voxel under it, and pick its colour with Alt.

use super::pick::pick_color;
use super::{Phase, PointerInput, ToolContext, ToolResponse};
use crate::document::Snapshot;
use crate::geom::{Face, VoxelPos};
use crate::voxel::raycast;

/// The voxel and face under the pointer.
#[derive(Clone, Copy, Debug, Default)]
pub struct HoverPick(Option<(VoxelPos, Face)>);

impl HoverPick {
    /// Follows the pointer; forgets it when it leaves.
    pub fn follow(&mut self, document: &Snapshot, input: &PointerInput) {
        self.0 = match input.phase {
            Phase::Leave => None,
            _ => raycast(document.store(), &input.ray_in_world).map(|hit| (hit.pos, hit.face)),
        };
    }

    /// What to highlight.
    pub fn shown(&self) -> Option<(VoxelPos, Face)> {
        self.0
    }
}

/// A press with Alt picks the colour of what it meets, whatever the tool. A pending gesture goes on.
pub fn pick_with_alt(context: &ToolContext<'_>, input: &PointerInput) -> Option<ToolResponse> {
    if input.phase != Phase::Press || !input.modifiers.alt {
        return None;
    }
    let picked = pick_color(context.document, &input.ray_in_world);
    let status = Some(picked.map_or_else(|| "Nothing there".to_owned(), |color| color.to_string()));
    Some(ToolResponse { picked, status, ..ToolResponse::default() })
}
