//! Which voxels a pending edit would change, for the ghost. Mirrors the rules of [`Draft`](crate::edit::Draft),
//! the document's masks and its symmetry.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::IVec3;

use super::Ghost;
use crate::document::Snapshot;
use crate::edit::{ChunkMask, MaskFilter, Mode};
use crate::geom::{Region, Transform, VoxelPos};
use crate::voxel::mask::{heights, region_in_chunk, voxel_at};
use crate::voxel::{CHUNK_COLUMNS, ChunkPos, Outside, surface_of_chunk};

/// Most voxels that a ghost shows; of larger edits only what can be seen, and no more than this.
pub const GHOST_LIMIT: usize = 200_000;

/// Voxels or faces that are shown before a click that takes what is connected: what is found within a frame.
pub const SHOWN_LIMIT: u64 = 10_000;

/// How many things a click would take in the document: `12 voxels`.
pub fn count_text(document: &Snapshot, thing: &str, count: usize, is_all: bool) -> String {
    let is_masked = !document.masks_at_work().is_empty();
    match count {
        0 if !is_all && !is_masked => "Nothing to change near; farther away there is more".to_owned(),
        0 if !is_all => "The masks leave out what is near; farther away there is more".to_owned(),
        count if !is_all => format!("{count} {thing}s and more, the nearest are shown"),
        1 => format!("1 {thing}"),
        count => format!("{count} {thing}s"),
    }
}

/// Whether a ghost of the one holds for the other: the same voxels, masks and symmetry. Cheap where they are one.
pub fn same_scene(a: &Snapshot, b: &Snapshot) -> bool {
    let (old, new) = (a.store(), b.store());
    let same_masks = !b.masks.any() || (a.selection == b.selection && Arc::ptr_eq(&a.objects, &b.objects));
    a.masks == b.masks && a.symmetry == b.symmetry && same_masks && old.bounds() == new.bounds() && old.changed_chunks(new).is_empty()
}

/// A map with its masks and the images of its symmetry: where an edit acts.
#[derive(Clone, Debug)]
pub struct Scene {
    document: Snapshot,
    filter: Option<MaskFilter>,
    // Invariant: never empty; the identity first.
    images: Vec<Transform>,
    /// What can be seen in the chunks that were looked at, in the game and in the picture.
    surfaces: [BTreeMap<ChunkPos, Box<ChunkMask>>; 2],
}

impl Scene {
    /// The scene of a document.
    pub fn new(document: &Snapshot) -> Self {
        let images = document.symmetry.images().iter().map(|image| image.transform).collect();
        Self { document: document.clone(), filter: MaskFilter::new(document), images, surfaces: Default::default() }
    }

    /// The document.
    pub fn document(&self) -> &Snapshot {
        &self.document
    }

    /// Where the edit happens, the place itself first.
    pub fn images(&self) -> &[Transform] {
        &self.images
    }

    /// Those of some voxels of a chunk, which lie in the map, that the edit would change. In whole words: a wide brush
    /// covers thousands of voxels at a step.
    pub fn affected(&mut self, pos: ChunkPos, wanted: &ChunkMask, mode: Mode) -> ChunkMask {
        let surface = if mode == Mode::Paint { *self.surface(pos) } else { [0; CHUNK_COLUMNS] };
        let chunk = self.document.store().chunk(pos);
        let (nothing, floor) = ([0; CHUNK_COLUMNS], self.floor_bit(pos));
        let (solid, known) = chunk.map_or((&nothing, &nothing), |chunk| (chunk.solid(), chunk.known()));
        let mut affected = *wanted;
        for (((bits, solid), known), seen) in affected.iter_mut().zip(solid).zip(known).zip(surface) {
            *bits &= match mode {
                Mode::Add => !solid,
                Mode::Remove => solid & !floor,
                Mode::Paint => solid & (known | seen),
                Mode::Set => u32::MAX,
            };
        }
        match &self.filter {
            Some(filter) if affected.iter().any(|bits| *bits != 0) => {
                let allowed = filter.allowed(pos, &affected);
                affected.iter_mut().zip(allowed).for_each(|(bits, allowed)| *bits &= allowed);
            }
            _ => {}
        }
        affected
    }

    /// What can be seen of a chunk of the map as it is.
    pub fn surface(&mut self, pos: ChunkPos) -> &ChunkMask {
        let (store, [in_game, _]) = (self.document.store(), &mut self.surfaces);
        in_game.entry(pos).or_insert_with(|| Box::new(surface_of_chunk(store, pos, Outside::GAME)))
    }

    /// As [`surface`](Self::surface), with the sides of the map, which only the picture shows.
    fn pictured(&mut self, pos: ChunkPos) -> &ChunkMask {
        let (store, [_, in_picture]) = (self.document.store(), &mut self.surfaces);
        in_picture.entry(pos).or_insert_with(|| Box::new(surface_of_chunk(store, pos, Outside::PICTURE)))
    }

    fn floor_bit(&self, pos: ChunkPos) -> u32 {
        let below = self.document.floor_z().and_then(|z| u32::try_from(z.checked_sub(pos.origin().z)?).ok());
        below.and_then(|z| 1_u32.checked_shl(z)).unwrap_or(0)
    }

    /// The ghost of an edit of a whole box, and of its images.
    ///
    /// # Cost
    /// That of looking at every chunk that the box touches; no more than [`GHOST_LIMIT`] voxels are named. Of larger
    /// boxes, only the hull (adding) or what can be seen in them.
    pub fn of_region(&mut self, region: &Region, mode: Mode) -> Ghost {
        let bounds = self.document.bounds();
        let inside: Vec<_> = self.images.iter().map(|image| image.region(region).intersection(&bounds)).collect();
        let whole = inside.iter().map(Region::volume).sum::<u64>() <= GHOST_LIMIT as u64;
        let adds = matches!(mode, Mode::Add | Mode::Set);
        let mut voxels = vec![];
        for (index, part) in inside.iter().enumerate() {
            for piece in if adds && !whole { hull(part) } else { vec![*part] } {
                for pos in ChunkPos::covering(&piece) {
                    if voxels.len() >= GHOST_LIMIT {
                        break;
                    }
                    let mut wanted = region_in_chunk(&piece, pos);
                    // Where images overlap, the first shows it.
                    for shown in inside.iter().take(index) {
                        wanted.iter_mut().zip(region_in_chunk(shown, pos)).for_each(|(bits, shown)| *bits &= !shown);
                    }
                    if !adds && !whole {
                        wanted.iter_mut().zip(self.pictured(pos)).for_each(|(bits, seen)| *bits &= seen);
                    }
                    push_voxels(&mut voxels, pos, &self.affected(pos, &wanted, mode));
                }
            }
        }
        voxels.truncate(GHOST_LIMIT);
        Ghost { voxels: Arc::new(voxels), mode }
    }
}

/// Names the voxels of a mask.
pub fn push_voxels(voxels: &mut Vec<VoxelPos>, pos: ChunkPos, mask: &ChunkMask) {
    for (column, bits) in mask.iter().enumerate() {
        voxels.extend(heights(*bits).map(|z| voxel_at(pos, column, z)));
    }
}

/// The box around the voxels of a mask.
pub fn box_around(pos: ChunkPos, mask: &ChunkMask) -> Region {
    let columns = mask.iter().enumerate().filter(|(_, bits)| **bits != 0);
    columns.fold(Region::EMPTY, |region, (column, bits)| {
        let (top, bottom) = (voxel_at(pos, column, bits.trailing_zeros()), voxel_at(pos, column, bits.ilog2()));
        region.union(&Region::between(top, bottom))
    })
}

/// The sides of a box, each voxel once.
fn hull(region: &Region) -> Vec<Region> {
    let (min, max) = (region.min(), region.max());
    let inner = region.grown(-1);
    let (low, high) = (inner.min().min(max), inner.max());
    let mut sides = vec![Region::new(min, max.with_z(min.z + 1))];
    if region.size().z > 1 {
        sides.push(Region::new(min.with_z(max.z - 1), max));
    }
    if inner.size().z > 0 {
        let (top, bottom) = (low.z, high.z);
        sides.push(Region::new(min.with_z(top), IVec3::new(max.x, min.y + 1, bottom)));
        if region.size().y > 1 {
            sides.push(Region::new(IVec3::new(min.x, max.y - 1, top), max.with_z(bottom)));
        }
        if inner.size().y > 0 {
            sides.push(Region::new(IVec3::new(min.x, low.y, top), IVec3::new(min.x + 1, high.y, bottom)));
            if region.size().x > 1 {
                sides.push(Region::new(IVec3::new(max.x - 1, low.y, top), IVec3::new(max.x, high.y, bottom)));
            }
        }
    }
    sides
}

/// Size of a box in words: `34×12×8`.
pub fn size_text(region: &Region) -> String {
    let size = region.size();
    format!("{}×{}×{}", size.x, size.y, size.z)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::document::{Document, GameProfile};
    use crate::geom::Face;
    use crate::voxel::{Store, StoreEdit, Voxel};

    #[test]
    fn the_hull_holds_each_outer_voxel_once() {
        for size in [[1, 1, 1], [1, 5, 3], [4, 1, 6], [3, 3, 1], [2, 2, 2], [5, 4, 6]] {
            let region = Region::of_size(size.into()).shifted(IVec3::new(-2, 7, 1));
            let mut voxels: Vec<_> = hull(&region).iter().flat_map(Region::positions).map(|pos| pos.to_array()).collect();
            let all = voxels.len();
            voxels.sort();
            voxels.dedup();
            assert_eq!(all, voxels.len(), "{size:?}");
            let outer: BTreeSet<_> = region
                .positions()
                .filter(|&pos| Face::ALL.iter().any(|face| !region.contains(pos + face.normal())))
                .map(|pos| pos.to_array())
                .collect();
            assert_eq!(voxels.into_iter().collect::<BTreeSet<_>>(), outer, "{size:?}");
        }
    }

    #[test]
    fn a_large_ghost_shows_the_ground_that_would_go_and_stays_within_the_limit() {
        let bounds = Region::of_size(IVec3::new(200, 200, 64));
        let mut store = Store::new(bounds);
        let mut edit = StoreEdit::new(&store);
        for pos in Region::new(IVec3::new(0, 0, 50), bounds.max()).positions() {
            edit.set(pos, Some(Voxel::HIDDEN));
        }
        let changes = edit.finish();
        store.apply(&changes);
        let document = Document::new(store, &GameProfile::ACE_OF_SPADES);
        let removed = Scene::new(&document).of_region(&bounds, Mode::Remove);
        assert!(removed.voxels.contains(&IVec3::new(100, 100, 50)));
        assert!(!removed.voxels.contains(&IVec3::new(100, 100, 51)));
        assert!(removed.voxels.iter().all(|pos| pos.z < 63));
        let added = Scene::new(&document).of_region(&bounds, Mode::Add);
        assert!(added.voxels.len() <= GHOST_LIMIT && added.voxels.contains(&IVec3::new(100, 100, 0)));
    }
}
