//! Edits of all voxels by what they are: other colours, missing floors.

use serde::{Deserialize, Serialize};

use crate::document::{Progress, Selection, Snapshot};
use crate::edit::mask::heights;
use crate::edit::recolor::color_surface;
use crate::edit::{Change, Draft, EditError, Mode, floor};
use crate::voxel::{ChunkChange, ChunkMask, ChunkPos, Rgb, StoreEdit};

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

/// Gives a floor voxel to every column that has none, in the floor's commonest colour, and a colour to all that can be seen
/// where the file knew none: that above it in its column, or earth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepairColumns {}

impl RepairColumns {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let before = snapshot.store();
        let mut after = before.clone();
        if let Some(floor_z) = snapshot.floor_z() {
            let mut edit = StoreEdit::new(before);
            floor::fill(&mut edit, floor_z, floor::commonest_color(before, floor_z));
            after.apply(&edit.finish());
        }
        color_surface(&mut after, snapshot.dirt, progress)?;
        let change = |pos| ChunkChange { pos, before: before.chunk(pos).cloned(), after: after.chunk(pos).cloned() };
        let chunks = before.changed_chunks(&after).into_iter().map(change).collect();
        Ok(Change::of_chunks("Repair columns", snapshot.active(), chunks))
    }
}
