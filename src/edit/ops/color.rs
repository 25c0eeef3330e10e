//! Edits of all voxels by what they are: other colours, missing floors.

use serde::{Deserialize, Serialize};

use crate::document::{Progress, Selection, Snapshot};
use crate::edit::draft::{DEFAULT_DIRT, color_above};
use crate::edit::mask::{heights, voxel_at};
use crate::edit::{Change, Draft, EditError, Mode, floor};
use crate::voxel::{CHUNK_EDGE, ChunkMask, ChunkPos, Paint, Rgb, StoreEdit, Voxel};

/// Gives voxels of one colour another, in the selection or, where nothing is selected, in the whole map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaceColor {
    /// The colour that is looked for.
    pub from: Rgb,
    /// The colour they take; the shade stays.
    pub to: Rgb,
    /// How far red, green and blue may each lie from `from`.
    #[serde(default)]
    pub tolerance: u8,
}

impl ReplaceColor {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let bounds = snapshot.bounds();
        let mut draft = Draft::new(snapshot);
        let mut images = Mode::Paint.ordered(&snapshot.symmetry);
        // The whole map has no other half.
        images.retain(|image| snapshot.selection.is_some() || image.is_original());
        for image in images {
            let selected = match &snapshot.selection {
                Some(selection) => selection.imaged(&image.transform, &bounds),
                None => Selection::of_region(bounds),
            };
            let Some(selected) = selected else { continue };
            let op = Self { from: image.color(self.from), to: image.color(self.to), ..self.clone() };
            let chunks: Vec<_> = ChunkPos::covering(&selected.bounds()).collect();
            for (done, pos) in chunks.iter().enumerate() {
                progress.report(done as f32 / chunks.len() as f32)?;
                op.replace_in_chunk(snapshot, &mut draft, *pos, &selected.in_chunk(*pos));
            }
        }
        draft.finish_with("Replace color", progress)
    }

    fn replace_in_chunk(&self, snapshot: &Snapshot, draft: &mut Draft, pos: ChunkPos, mask: &ChunkMask) {
        let Some(chunk) = snapshot.store().chunk(pos) else { return };
        let mut found = *mask;
        for (column, (bits, known)) in found.iter_mut().zip(chunk.known()).enumerate() {
            let near = |z: &u32| chunk.paint(column, *z).is_some_and(|paint| paint.rgb.is_near(self.from, self.tolerance));
            *bits = heights(*bits & known).filter(near).fold(0, |all, z| all | 1 << z);
        }
        draft.recolor_chunk(pos, &found, self.to);
    }
}

/// Gives a floor voxel to every column that has none, in the floor's commonest colour, and a colour to the ground
/// under air where the file knew none: that above it, or earth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairColumns {}

impl RepairColumns {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot) -> Change {
        let mut edit = StoreEdit::new(snapshot.store());
        if let Some(floor_z) = snapshot.floor_z() {
            floor::fill(&mut edit, floor_z, floor::commonest_color(snapshot.store(), floor_z));
        }
        color_tops(&mut edit, snapshot);
        Change::of_chunks("Repair columns", snapshot.active(), edit.finish())
    }
}

/// Colours the topmost voxel under each air that has none.
fn color_tops(edit: &mut StoreEdit, snapshot: &Snapshot) {
    let store = snapshot.store();
    for (pos, chunk) in store.chunks() {
        let over = store.chunk(ChunkPos(pos.0 - glam::IVec3::Z));
        for (column, (solid, known)) in chunk.solid().iter().zip(chunk.known()).enumerate() {
            let above = over.and_then(|over| over.solid().get(column)).map_or(0, |over| over >> (CHUNK_EDGE - 1));
            for z in heights(solid & !(solid << 1 | above) & !known) {
                let at = voxel_at(pos, column, z);
                let color = snapshot.dirt.or_else(|| color_above(store, at)).unwrap_or(DEFAULT_DIRT);
                let extra = chunk.voxel(column, z).unwrap_or_default().extra;
                edit.set(at, Some(Voxel { paint: Some(Paint::new(color)), extra }));
            }
        }
    }
}
