//! Which voxels a pending edit would change, for the ghost. Mirrors the rules of [`Draft`](crate::edit::Draft),
//! the document's masks and its symmetry.

use std::sync::Arc;

use glam::IVec3;

use super::Ghost;
use crate::document::Snapshot;
use crate::edit::{MaskFilter, Mode};
use crate::geom::{Face, Region, Transform, VoxelPos};
use crate::voxel::{CHUNK_EDGE, ChunkPos, Outside, surface_of_chunk};

/// Most voxels that a ghost shows; of larger edits only what can be seen, and no more than this.
pub const GHOST_LIMIT: usize = 200_000;

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
}

impl Scene {
    /// The scene of a document.
    pub fn new(document: &Snapshot) -> Self {
        let images = document.symmetry.images().iter().map(|image| image.transform).collect();
        Self { document: document.clone(), filter: MaskFilter::new(document), images }
    }

    /// The document.
    pub fn document(&self) -> &Snapshot {
        &self.document
    }

    /// Where the edit happens, the place itself first.
    pub fn images(&self) -> &[Transform] {
        &self.images
    }

    /// Whether the edit would change the voxel.
    pub fn affects(&self, pos: VoxelPos, mode: Mode) -> bool {
        affects(&self.document, pos, mode) && self.filter.as_ref().is_none_or(|filter| filter.allows(pos))
    }
}

/// Whether the edit would change the voxel.
fn affects(document: &Snapshot, pos: VoxelPos, mode: Mode) -> bool {
    let store = document.store();
    match mode {
        Mode::Add => store.bounds().contains(pos) && !store.is_solid(pos),
        Mode::Remove => document.floor_z() != Some(pos.z) && store.is_solid(pos),
        Mode::Paint => store.voxel(pos).is_some_and(|voxel| voxel.paint.is_some() || is_exposed(document, pos)),
        Mode::Set => store.bounds().contains(pos),
    }
}

/// Whether a face of the voxel can be seen.
pub fn is_exposed(document: &Snapshot, pos: VoxelPos) -> bool {
    let store = document.store();
    let bounds = store.bounds();
    Face::ALL.iter().any(|face| {
        let beside = pos + face.normal();
        if bounds.contains(beside) { !store.is_solid(beside) } else { beside.z < bounds.min().z }
    })
}

/// The ghost of an edit of a whole box, and of its images.
///
/// # Cost
/// Up to [`GHOST_LIMIT`] voxels are looked at one by one; of larger boxes, only the hull (adding) or the ground in them.
pub fn of_region(document: &Snapshot, region: &Region, mode: Mode) -> Ghost {
    let scene = Scene::new(document);
    let inside: Vec<_> = scene.images().iter().map(|image| image.region(region).intersection(&document.bounds())).collect();
    let whole = inside.iter().map(Region::volume).sum::<u64>() <= GHOST_LIMIT as u64;
    let mut voxels = vec![];
    for (index, part) in inside.iter().enumerate() {
        let room = GHOST_LIMIT.saturating_sub(voxels.len());
        // Where images overlap, the first shows it.
        let affected = |pos: &VoxelPos| scene.affects(*pos, mode) && !inside.iter().take(index).any(|shown| shown.contains(*pos));
        if whole {
            voxels.extend(part.positions().filter(affected));
        } else if matches!(mode, Mode::Add | Mode::Set) {
            voxels.extend(hull(part).into_iter().flat_map(|side| side.positions()).filter(affected).take(room));
        } else {
            voxels.extend(surface(document, part).filter(affected).take(room));
        }
    }
    Ghost { voxels: Arc::new(voxels), mode }
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

/// The voxels of the region that can be seen.
fn surface(document: &Snapshot, region: &Region) -> impl Iterator<Item = VoxelPos> {
    let (store, region) = (document.store().clone(), *region);
    ChunkPos::covering(&region).collect::<Vec<_>>().into_iter().flat_map(move |chunk| {
        let mut seen = vec![];
        for (column, mut mask) in surface_of_chunk(&store, chunk, Outside::PICTURE).into_iter().enumerate() {
            let at = chunk.origin() + IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, 0);
            while mask != 0 {
                let pos = at + IVec3::Z * mask.trailing_zeros() as i32;
                mask &= mask - 1;
                if region.contains(pos) {
                    seen.push(pos);
                }
            }
        }
        seen
    })
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
        let removed = of_region(&document, &bounds, Mode::Remove);
        assert!(removed.voxels.contains(&IVec3::new(100, 100, 50)));
        assert!(!removed.voxels.contains(&IVec3::new(100, 100, 51)));
        assert!(removed.voxels.iter().all(|pos| pos.z < 63));
        let added = of_region(&document, &bounds, Mode::Add);
        assert!(added.voxels.len() <= GHOST_LIMIT && added.voxels.contains(&IVec3::new(100, 100, 0)));
    }
}
