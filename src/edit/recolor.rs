//! The colors of voxels that an edit paints anew, or lays bare.

use glam::IVec3;

use super::EditError;
use super::mask::{heights, voxel_at};
use crate::document::Progress;
use crate::geom::VoxelPos;
use crate::voxel::{Chunk, DenseChunk, Outside, Paint, Rgb, Store, StoreEdit, Voxel, surface_of_chunk};

/// Colour of an uncovered voxel with nothing known above it: piqueserver's default block colour.
pub const DEFAULT_DIRT: Rgb = Rgb::new(0x67, 0x40, 0x28);

/// Gives a colour to all that can be seen without one, for edits after which nothing is where it was.
///
/// # Errors
/// [`EditError::Cancelled`].
pub(super) fn color_surface(store: &mut Store, dirt: Option<Rgb>, progress: &Progress) -> Result<(), EditError> {
    let mut edit = StoreEdit::new(store);
    for (pos, chunk) in store.chunks() {
        progress.check()?;
        if chunk.solid() == chunk.known() {
            continue;
        }
        let surface = surface_of_chunk(store, pos, Outside::GAME);
        for (column, (seen, known)) in surface.iter().zip(chunk.known()).enumerate() {
            for z in heights(seen & !known) {
                let at = voxel_at(pos, column, z);
                let rgb = dirt.or_else(|| color_above(store, at)).unwrap_or(DEFAULT_DIRT);
                let extra = chunk.voxel(column, z).unwrap_or_default().extra;
                edit.set(at, Some(Voxel { paint: Some(Paint::new(rgb)), extra }));
            }
        }
    }
    let changes = edit.finish();
    store.apply(&changes);
    Ok(())
}

/// The voxel in a colour, with the shade it has. One that an edit gives its own color back, as an image of a fill and the fill itself may,
/// is the tile that it was `before` the edit.
pub(super) fn recolored(voxel: Voxel, before: Option<Voxel>, color: Rgb) -> Voxel {
    let Some(paint) = voxel.paint else {
        return Voxel { paint: Some(Paint::new(color)), extra: voxel.extra.without_tile() };
    };
    let mut painted = voxel.recolored(|_| color);
    if paint.rgb != color
        && let Some(before) = before.filter(|before| before.rgb() == Some(color) && before.extra.without_tile() == painted.extra)
    {
        painted.extra = before.extra;
    }
    painted
}

/// The same for a voxel of a chunk that is being edited; `before` is that chunk before the edit, where it may hold tiles.
pub(super) fn recolor_in(dense: &mut DenseChunk, before: Option<&Chunk>, column: usize, z: u32, color: Rgb) {
    if let Some(voxel) = dense.get(column, z) {
        let before = before.and_then(|chunk| chunk.voxel(column, z));
        dense.set(column, z, Some(recolored(voxel, before, color)));
    }
}

/// The nearest known colour above a voxel in its column.
pub(super) fn color_above(store: &Store, at: VoxelPos) -> Option<Rgb> {
    let top = store.bounds().min().z;
    (top..at.z).rev().find_map(|z| store.paint(IVec3::new(at.x, at.y, z))).map(|paint| paint.rgb)
}
