//! The kind of the lowest layer where an edit covers or uncovers it: ground under ground, water under air.
//!
//! Only of maps whose file tells kinds (VMF), and only of voxels that were of the kind that the game's rule gives them:
//! whatever else a file says stays. Elsewhere the rule is the kind (see [`document`](crate::document)).

use super::EditError;
use super::mask::{heights, voxel_at};
use crate::document::Progress;
use crate::geom::VoxelPos;
use crate::voxel::{CHUNK_COLUMNS, Extra, StoreEdit, Voxel, VoxelKind};

/// Gives the voxels of the floor whose upper neighbor came or went the kind that goes with that.
///
/// # Errors
/// [`EditError::Cancelled`].
pub(super) fn settle(edit: &mut StoreEdit, floor_z: i32, progress: &Progress) -> Result<(), EditError> {
    let (before, after) = (edit.before().clone(), edit.snapshot());
    let above = floor_z - 1;
    for pos in before.changed_chunks(&after) {
        progress.check()?;
        let layer = above - pos.origin().z;
        let Some(bit) = u32::try_from(layer).ok().and_then(|layer| 1_u32.checked_shl(layer)) else { continue };
        let (old, new) = (before.chunk(pos), after.chunk(pos));
        for column in 0..CHUNK_COLUMNS {
            let [was, is] = [old, new].map(|chunk| chunk.and_then(|chunk| chunk.solid().get(column)).is_some_and(|mask| mask & bit != 0));
            if was == is {
                continue;
            }
            let at: VoxelPos = heights(bit).map(|z| voxel_at(pos, column, z).with_z(floor_z)).next().unwrap_or_default();
            let ruled = |covered: bool| if covered { VoxelKind::Solid } else { VoxelKind::Water };
            let followed = before.voxel(at).is_some_and(|voxel| voxel.extra.kind == ruled(was));
            if let Some(voxel) = edit.get(at).filter(|voxel| followed && voxel.extra.kind == ruled(was)) {
                edit.set(at, Some(Voxel { extra: Extra { kind: ruled(is), ..voxel.extra }, ..voxel }));
            }
        }
    }
    Ok(())
}
