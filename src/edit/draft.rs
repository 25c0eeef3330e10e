//! A voxel edit in the making, under the rules of the game.
//!
//! Every op that touches voxels goes through here, so that no tool can forget a rule:
//! the map's bounds clip; the floor can be painted, never removed, and is water or ground as what is on it comes and goes
//! (where the map tells kinds); painting keeps the shade, new voxels get the neutral one; what the edit uncovers without a known colour takes one; what the masks hold back
//! stays as it was, whichever way it was written.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::mask::{ChunkMask, heights, region_in_chunk, voxel_at};
use super::mask_filter::MaskFilter;
use super::recolor::{DEFAULT_DIRT, color_above, recolor_in, recolored};
use super::transfer::moved_chunk;
use super::{Change, EditError, Mode, Note, VoxelMask};
use crate::document::{Progress, Snapshot};
use crate::geom::{Face, Region, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, Chunk, ChunkPos, Outside, Paint, Rgb, Store, StoreEdit, Voxel, surface_of_chunk};

/// An edit of the active volume in progress; [`finish`](Self::finish) makes it a [`Change`].
#[derive(Debug)]
pub struct Draft {
    edit: StoreEdit,
    volume: usize,
    floor_z: Option<i32>,
    /// The same, where the map tells of what kind its floor is.
    told_floor_z: Option<i32>,
    dirt: Option<Rgb>,
    filter: Option<MaskFilter>,
    /// Bytes of memory that the other volumes take, and that all may take.
    others_bytes: u64,
    memory_limit: u64,
    floor_kept: u64,
    clipped: u64,
}

impl Draft {
    /// Begins an edit on a snapshot.
    pub fn new(snapshot: &Snapshot) -> Self {
        Self {
            edit: StoreEdit::new(snapshot.store()),
            volume: snapshot.active(),
            floor_z: snapshot.floor_z(),
            told_floor_z: snapshot.floor_z().filter(|_| snapshot.tells_kinds()),
            dirt: snapshot.dirt,
            filter: MaskFilter::new(snapshot),
            others_bytes: snapshot.size_bytes().saturating_sub(snapshot.store().size_bytes() as u64),
            memory_limit: snapshot.memory_limit,
            floor_kept: 0,
            clipped: 0,
        }
    }

    /// The box that voxels may lie in.
    pub fn bounds(&self) -> Region {
        self.edit.before().bounds()
    }

    /// The store before the edit.
    pub fn before(&self) -> &Store {
        self.edit.before()
    }

    /// z of the plane that cannot be removed.
    pub fn floor_z(&self) -> Option<i32> {
        self.floor_z
    }

    /// The voxel as edited so far.
    pub fn get(&self, pos: VoxelPos) -> Option<Voxel> {
        self.edit.get(pos)
    }

    /// Ends an edit that takes more memory than the map may, before it takes much more.
    ///
    /// # Errors
    /// [`EditError::TooMuchMemory`].
    pub fn check_memory(&self) -> Result<(), EditError> {
        let (before, now) = (self.edit.before().size_bytes(), self.edit.size_bytes());
        if now > before { check_memory(self.others_bytes + now as u64, self.memory_limit) } else { Ok(()) }
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
    ///
    /// A voxel of unknown colour keeps the paint of the voxel whose place it takes.
    pub fn place(&mut self, pos: VoxelPos, voxel: Option<Voxel>) {
        let Some(mut voxel) = voxel else { return self.remove(pos) };
        if voxel.paint.is_none() {
            voxel.paint = self.edit.get(pos).and_then(|old| old.paint);
        }
        if !self.edit.set(pos, Some(voxel)) {
            self.clipped += 1;
        }
    }

    /// As [`place`](Self::place), also where the color is unknown: for copies that must equal what they are of.
    pub fn put_exactly(&mut self, pos: VoxelPos, voxel: Option<Voxel>) {
        if voxel.is_none() {
            self.remove(pos);
        } else if !self.edit.set(pos, voxel) {
            self.clipped += 1;
        }
    }

    /// Does to every voxel of a box what the mode says; what lies outside the map is left out.
    ///
    /// # Errors
    /// [`EditError::Cancelled`], [`EditError::TooMuchMemory`].
    pub fn fill_region(&mut self, region: &Region, color: Rgb, mode: Mode, progress: &Progress) -> Result<(), EditError> {
        let inside = region.intersection(&self.bounds());
        let chunks: Vec<_> = ChunkPos::covering(&inside).collect();
        let surfaces = (mode == Mode::Paint).then(|| self.edit.snapshot());
        for (done, pos) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            self.check_memory()?;
            self.fill_chunk(*pos, &region_in_chunk(&inside, *pos), color, mode, surfaces.as_ref());
        }
        Ok(())
    }

    /// Does to every voxel of a set what the mode says. The set lies within the map.
    ///
    /// # Errors
    /// [`EditError::Cancelled`], [`EditError::TooMuchMemory`].
    pub fn fill_mask(&mut self, mask: &VoxelMask, color: Rgb, mode: Mode, progress: &Progress) -> Result<(), EditError> {
        let surfaces = (mode == Mode::Paint).then(|| self.edit.snapshot());
        let count = mask.chunks().len();
        for (done, (pos, mask)) in mask.chunks().enumerate() {
            progress.report(done as f32 / count as f32)?;
            self.check_memory()?;
            self.fill_chunk(pos, mask, color, mode, surfaces.as_ref());
        }
        Ok(())
    }

    /// Gives some voxels of a chunk, which are solid, another color.
    pub fn recolor_chunk(&mut self, pos: ChunkPos, mask: &ChunkMask, color: Rgb) {
        if mask.iter().all(|bits| *bits == 0) {
            return;
        }
        let before = self.tiles_before(pos);
        let dense = self.edit.dense_mut(pos);
        for (column, bits) in mask.iter().enumerate() {
            heights(*bits).for_each(|z| recolor_in(dense, before.as_deref(), column, z, color));
        }
    }

    /// Places every solid voxel of a store whose bounds begin at the origin, with its shade and attributes.
    ///
    /// # Errors
    /// [`EditError::Cancelled`], [`EditError::TooMuchMemory`].
    pub fn paste(&mut self, store: &Store, at: VoxelPos, progress: &Progress) -> Result<(), EditError> {
        let bounds = self.bounds();
        let target = store.bounds().shifted(at).intersection(&bounds);
        let chunks: Vec<_> = ChunkPos::covering(&target).collect();
        let mut placed = 0;
        for (done, pos) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            self.check_memory()?;
            let Some(chunk) = moved_chunk(store, *pos, at, &target) else { continue };
            for (column, &solid) in chunk.solid().iter().enumerate() {
                placed += u64::from(solid.count_ones());
                for z in heights(solid) {
                    self.place(voxel_at(*pos, column, z), chunk.voxel(column, z));
                }
            }
        }
        self.clipped += store.solid_count().saturating_sub(placed);
        Ok(())
    }

    /// As [`put`](Self::put), for the voxels of a mask in one chunk; whole chunks are swapped.
    ///
    /// `surfaces` is the store as edited so far, which painting needs to know what can be seen.
    fn fill_chunk(&mut self, pos: ChunkPos, mask: &ChunkMask, color: Rgb, mode: Mode, surfaces: Option<&Store>) {
        let floor = self.floor_z.map_or(0, |z| z - pos.origin().z);
        let floor_bit = if self.floor_z.is_some() && (0..32).contains(&floor) { 1_u32 << floor } else { 0 };
        let whole = mask.iter().all(|column| *column == u32::MAX);
        if whole && mode == Mode::Remove && floor_bit == 0 {
            self.edit.put_chunk(pos, None);
            return;
        }
        let before = self.tiles_before(pos);
        let dense = self.edit.dense_mut(pos);
        if whole && matches!(mode, Mode::Add | Mode::Set) && dense.solid().iter().all(|column| *column == 0) {
            self.edit.put_chunk(pos, Some(Arc::new(Chunk::uniform(Voxel::new(color)))));
            return;
        }
        let surface = surfaces.map(|store| surface_of_chunk(store, pos, Outside::GAME));
        let mut floor_kept = 0;
        for (column, &bits) in mask.iter().enumerate().filter(|(_, bits)| **bits != 0) {
            let solid = dense.solid().get(column).copied().unwrap_or(0);
            let known = dense.known().get(column).copied().unwrap_or(0);
            let seen = surface.as_ref().and_then(|surface| surface.get(column)).copied().unwrap_or(0);
            let (fill, recolor, remove) = match mode {
                Mode::Add => (bits & !solid, 0, 0),
                Mode::Set => (bits & !solid, bits & solid, 0),
                Mode::Paint => (0, bits & solid & (known | seen), 0),
                Mode::Remove => (0, 0, bits & solid),
            };
            for z in heights(fill) {
                dense.set(column, z, Some(Voxel::new(color)));
            }
            for z in heights(recolor) {
                recolor_in(dense, before.as_deref(), column, z, color);
            }
            floor_kept += u64::from((remove & floor_bit).count_ones());
            for z in heights(remove & !floor_bit) {
                dense.set(column, z, None);
            }
        }
        self.floor_kept += floor_kept;
    }

    fn recolor(&mut self, pos: VoxelPos, voxel: Voxel, color: Rgb) {
        let before = self.edit.before().voxel(pos);
        self.edit.set(pos, Some(recolored(voxel, before, color)));
    }

    /// The chunk before the edit, where it may hold tiles.
    fn tiles_before(&self, pos: ChunkPos) -> Option<Arc<Chunk>> {
        self.edit.before().chunk(pos).filter(|chunk| chunk.has_extras()).cloned()
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
        self.obey_masks(progress)?;
        self.settle_kinds(progress)?;
        self.color_uncovered(progress)?;
        Ok(self.end(label))
    }

    /// As [`finish_with`](Self::finish_with); what was uncovered, and what `color_of` knows a color of in the map as it
    /// is then, takes that.
    ///
    /// # Errors
    /// [`EditError::Cancelled`].
    pub fn finish_colored(
        mut self,
        label: impl Into<String>,
        color_of: impl Fn(&Store, VoxelPos) -> Option<Rgb>,
        progress: &Progress,
    ) -> Result<Change, EditError> {
        self.obey_masks(progress)?;
        self.settle_kinds(progress)?;
        let covered = self.edit.snapshot();
        self.color_uncovered(progress)?;
        let colored = self.edit.snapshot();
        for pos in covered.changed_chunks(&colored) {
            progress.check()?;
            let (Some(old), Some(new)) = (covered.chunk(pos), colored.chunk(pos)) else { continue };
            for (column, (old, new)) in old.known().iter().zip(new.known()).enumerate() {
                for at in heights(new & !old).map(|z| voxel_at(pos, column, z)) {
                    if let (Some(rgb), Some(voxel)) = (color_of(&colored, at), self.edit.get(at)) {
                        self.edit.set(at, Some(Voxel { paint: Some(Paint::new(rgb)), ..voxel }));
                    }
                }
            }
        }
        Ok(self.end(label))
    }

    fn settle_kinds(&mut self, progress: &Progress) -> Result<(), EditError> {
        self.told_floor_z.map_or(Ok(()), |floor_z| super::kinds::settle(&mut self.edit, floor_z, progress))
    }

    fn end(self, label: impl Into<String>) -> Change {
        let mut change = Change::of_chunks(label, self.volume, self.edit.finish());
        if self.floor_kept > 0 {
            change.notes.push(Note::FloorKept { voxels: self.floor_kept });
        }
        if self.clipped > 0 {
            change.notes.push(Note::Clipped { voxels: self.clipped });
        }
        change
    }

    /// The store as edited so far, for previews. Uncovered voxels have no colour yet.
    pub fn snapshot(&mut self) -> Store {
        self.edit.snapshot()
    }

    /// Takes back what the masks hold back. What the rest uncovers still gets a color, masked or not.
    fn obey_masks(&mut self, progress: &Progress) -> Result<(), EditError> {
        let Some(filter) = self.filter.take() else { return Ok(()) };
        let before = self.edit.before().clone();
        for pos in self.edit.touched() {
            progress.check()?;
            let old = before.chunk(pos);
            let dense = self.edit.dense_mut(pos);
            let mut changed = [0; CHUNK_COLUMNS];
            for (column, bits) in changed.iter_mut().enumerate() {
                let solid = old.map_or(0, |old| old.solid()[column]);
                for z in heights(dense.solid()[column] | solid) {
                    let was = old.and_then(|old| old.voxel(column, z));
                    if dense.get(column, z) != was {
                        *bits |= 1 << z;
                    }
                }
            }
            let allowed = filter.allowed(pos, &changed);
            for (column, (changed, allowed)) in changed.iter().zip(allowed).enumerate() {
                for z in heights(changed & !allowed) {
                    dense.set(column, z, old.and_then(|old| old.voxel(column, z)));
                }
            }
        }
        Ok(())
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
            let nothing = [0; CHUNK_COLUMNS];
            let known_before = before.chunk(pos).map_or(&nothing, |chunk| chunk.known());
            for (column, (((is, was), known), known_before)) in is.iter().zip(was).zip(chunk.known()).zip(known_before).enumerate() {
                // What could be seen without a color before is as it came.
                for z in heights(is & !known & !(was & !known_before)) {
                    let at = voxel_at(pos, column, z);
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

/// Whether a map may take so much memory, in bytes.
///
/// # Errors
/// [`EditError::TooMuchMemory`].
pub(super) fn check_memory(needed: u64, allowed: u64) -> Result<(), EditError> {
    if needed > allowed { Err(EditError::TooMuchMemory { needed, allowed }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

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
    fn what_could_be_seen_without_a_color_before_is_left_as_it_came() {
        let mut document = land();
        let bare = IVec3::new(8, 8, 50);
        let mut edit = StoreEdit::new(document.store());
        edit.set(bare, Some(Voxel::HIDDEN));
        document.store_mut(0).unwrap().apply(&edit.finish());
        edited(&mut document, |draft| {
            draft.put(bare + IVec3::X, RED, Mode::Add);
            draft.remove(IVec3::new(8, 8, 60));
        });
        assert_eq!(document.store().voxel(bare), Some(Voxel::HIDDEN));
        assert!(document.store().paint(IVec3::new(8, 8, 61)).is_some(), "what was uncovered");
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
