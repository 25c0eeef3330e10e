//! A voxel edit in the making, under the rules of the game.
//!
//! Every op that touches voxels goes through here, so that no tool can forget a rule:
//! the map's bounds clip; the floor can be painted, never removed; painting keeps the shade, new voxels
//! get the neutral one; what the edit uncovers without a known colour takes one.

use std::collections::BTreeSet;

use glam::IVec3;

use super::{Change, EditError, Mode, Note};
use crate::document::{Progress, Snapshot};
use crate::geom::{Face, Region, VoxelPos};
use crate::voxel::{CHUNK_EDGE, ChunkPos, Outside, Paint, Rgb, Store, StoreEdit, Voxel, surface_of_chunk};

/// Colour of an uncovered voxel with nothing known above it: piqueserver's default block colour.
pub const DEFAULT_DIRT: Rgb = Rgb::new(0x67, 0x40, 0x28);

/// An edit of the first volume in progress; [`finish`](Self::finish) makes it a [`Change`].
#[derive(Debug)]
pub struct Draft {
    edit: StoreEdit,
    floor_z: Option<i32>,
    dirt: Option<Rgb>,
    floor_kept: u64,
    clipped: u64,
}

impl Draft {
    /// Begins an edit on a snapshot.
    pub fn new(snapshot: &Snapshot) -> Self {
        Self { edit: StoreEdit::new(snapshot.store()), floor_z: snapshot.floor_z(), dirt: snapshot.dirt, floor_kept: 0, clipped: 0 }
    }

    /// The box that voxels may lie in.
    pub fn bounds(&self) -> Region {
        self.edit.before().bounds()
    }

    /// The store before the edit.
    pub fn before(&self) -> &Store {
        self.edit.before()
    }

    /// The voxel as edited so far.
    pub fn get(&self, pos: VoxelPos) -> Option<Voxel> {
        self.edit.get(pos)
    }

    /// Does to one voxel what the mode says.
    pub fn put(&mut self, pos: VoxelPos, color: Rgb, mode: Mode) {
        match (mode, self.edit.get(pos)) {
            (Mode::Remove, _) => self.remove(pos),
            (Mode::Add, Some(_)) | (Mode::Paint, None) => {}
            (Mode::Add | Mode::Set, None) => self.place(pos, Some(Voxel::new(color))),
            (Mode::Set, Some(voxel)) => self.recolor(pos, voxel, color),
            (Mode::Paint, Some(voxel)) => {
                if voxel.paint.is_some() || self.is_exposed(pos) {
                    self.recolor(pos, voxel, color);
                }
            }
        }
    }

    /// Makes a voxel air, unless it belongs to the floor.
    pub fn remove(&mut self, pos: VoxelPos) {
        if self.floor_z == Some(pos.z) && self.edit.is_solid(pos) {
            self.floor_kept += 1;
        } else if self.edit.is_solid(pos) {
            self.edit.set(pos, None);
        }
    }

    /// Puts a voxel as it is, with its shade and attributes; air where the floor is leaves the floor.
    pub fn place(&mut self, pos: VoxelPos, voxel: Option<Voxel>) {
        if voxel.is_none() {
            self.remove(pos);
        } else if !self.edit.set(pos, voxel) {
            self.clipped += 1;
        }
    }

    fn recolor(&mut self, pos: VoxelPos, voxel: Voxel, color: Rgb) {
        let paint = voxel.paint.map_or(Paint::new(color), |paint| Paint { rgb: color, ..paint });
        self.edit.set(pos, Some(Voxel { paint: Some(paint), ..voxel }));
    }

    /// Whether a face of the voxel can be seen, as edited so far.
    fn is_exposed(&self, pos: VoxelPos) -> bool {
        let bounds = self.bounds();
        Face::ALL.iter().any(|face| {
            let beside = pos + face.normal();
            if bounds.contains(beside) { !self.edit.is_solid(beside) } else { beside.z < bounds.min().z }
        })
    }

    /// Ends the edit.
    pub fn finish(self, label: impl Into<String>) -> Change {
        // Nobody holds this progress, so nobody can cancel it.
        self.finish_with(label, &Progress::new()).unwrap_or_else(|_| Change::new("", vec![]))
    }

    /// Ends the edit; colours what it uncovered.
    ///
    /// # Errors
    /// [`EditError::Cancelled`].
    pub fn finish_with(mut self, label: impl Into<String>, progress: &Progress) -> Result<Change, EditError> {
        self.color_uncovered(progress)?;
        let mut change = Change::of_chunks(label, 0, self.edit.finish());
        if self.floor_kept > 0 {
            change.notes.push(Note::FloorKept { voxels: self.floor_kept });
        }
        if self.clipped > 0 {
            change.notes.push(Note::Clipped { voxels: self.clipped });
        }
        Ok(change)
    }

    /// The store as edited so far, for previews. Uncovered voxels have no colour yet.
    pub fn snapshot(&mut self) -> Store {
        self.edit.snapshot()
    }

    fn color_uncovered(&mut self, progress: &Progress) -> Result<(), EditError> {
        let before = self.edit.before().clone();
        let after = self.edit.snapshot();
        let mut looked_at = BTreeSet::new();
        for pos in before.changed_chunks(&after) {
            looked_at.insert(pos);
            looked_at.extend(Face::ALL.map(|face| ChunkPos(pos.0 + face.normal())));
        }
        for pos in looked_at {
            progress.check()?;
            let Some(chunk) = after.chunk(pos) else { continue };
            if chunk.solid() == chunk.known() {
                continue;
            }
            let (was, is) = (surface_of_chunk(&before, pos, Outside::GAME), surface_of_chunk(&after, pos, Outside::GAME));
            for (column, ((is, was), known)) in is.iter().zip(was).zip(chunk.known()).enumerate() {
                let mut uncovered = is & !was & !known;
                while uncovered != 0 {
                    let z = uncovered.trailing_zeros();
                    uncovered &= uncovered - 1;
                    let at = pos.origin() + IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, z as i32);
                    let rgb = self.dirt.or_else(|| color_above(&before, at)).unwrap_or(DEFAULT_DIRT);
                    if let Some(voxel) = self.edit.get(at) {
                        self.edit.set(at, Some(Voxel { paint: Some(Paint::new(rgb)), ..voxel }));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The nearest known colour above a voxel in its column.
fn color_above(store: &Store, at: VoxelPos) -> Option<Rgb> {
    let top = store.bounds().min().z;
    (top..at.z).rev().find_map(|z| store.paint(IVec3::new(at.x, at.y, z))).map(|paint| paint.rgb)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, GameProfile};

    /// Grass at z 60, hidden ground below, water plane at 63.
    fn land() -> Document {
        let mut store = Store::new(Region::of_size(IVec3::new(16, 16, 64)));
        let mut edit = StoreEdit::new(&store);
        for pos in Region::new(IVec3::new(0, 0, 60), IVec3::new(16, 16, 64)).positions() {
            edit.set(
                pos,
                Some(if pos.z == 60 { Voxel { paint: Some(Paint { rgb: GRASS, shade: 0x55 }), ..Voxel::HIDDEN } } else { Voxel::HIDDEN }),
            );
        }
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::ACE_OF_SPADES)
    }

    const GRASS: Rgb = Rgb::new(20, 140, 30);
    const RED: Rgb = Rgb::new(200, 0, 0);

    fn edited(document: &mut Document, edit: impl FnOnce(&mut Draft)) -> Change {
        let mut draft = Draft::new(document);
        edit(&mut draft);
        let change = draft.finish("edit");
        let mut history = crate::edit::History::new();
        history.commit(document, change.clone());
        change
    }

    #[test]
    fn what_an_edit_uncovers_takes_the_color_above_it() {
        let mut document = land();
        edited(&mut document, |draft| draft.remove(IVec3::new(5, 5, 60)));
        assert_eq!(document.store().paint(IVec3::new(5, 5, 61)), Some(Paint::new(GRASS)));
        assert_eq!(document.store().paint(IVec3::new(5, 6, 61)), None, "still hidden");
        edited(&mut document, |draft| draft.remove(IVec3::new(5, 5, 61)));
        assert_eq!(document.store().paint(IVec3::new(5, 6, 61)), Some(Paint::new(GRASS)), "the side of the hole");
    }

    #[test]
    fn a_fixed_dirt_color_is_used_where_it_is_set() {
        let mut document = land();
        document.dirt = Some(RED);
        edited(&mut document, |draft| draft.remove(IVec3::new(5, 5, 60)));
        assert_eq!(document.store().paint(IVec3::new(5, 5, 61)), Some(Paint::new(RED)));
    }

    #[test]
    fn the_floor_is_painted_but_never_removed() {
        let mut document = land();
        let floor = IVec3::new(3, 3, 63);
        let change = edited(&mut document, |draft| {
            for z in 60..64 {
                draft.remove(floor.with_z(z));
            }
            draft.put(floor, RED, Mode::Paint);
        });
        assert_eq!(change.notes, [Note::FloorKept { voxels: 1 }]);
        assert_eq!(document.store().voxel(floor), Some(Voxel::new(RED)));
        assert!(!document.store().is_solid(floor.with_z(62)));
    }

    #[test]
    fn painting_keeps_the_shade_and_new_voxels_get_the_neutral_one() {
        let mut document = land();
        edited(&mut document, |draft| {
            draft.put(IVec3::new(1, 1, 60), RED, Mode::Paint);
            draft.put(IVec3::new(1, 1, 59), RED, Mode::Paint);
            draft.put(IVec3::new(2, 2, 59), RED, Mode::Add);
            draft.put(IVec3::new(1, 1, 62), RED, Mode::Paint);
        });
        assert_eq!(document.store().paint(IVec3::new(1, 1, 60)), Some(Paint { rgb: RED, shade: 0x55 }));
        assert!(!document.store().is_solid(IVec3::new(1, 1, 59)));
        assert_eq!(document.store().paint(IVec3::new(2, 2, 59)), Some(Paint::new(RED)));
        assert_eq!(document.store().paint(IVec3::new(1, 1, 62)), None, "hidden voxels are not painted");
    }
}
