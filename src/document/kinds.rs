//! The kinds of voxels where the file does not tell them: the game's rule for its lowest layer.
//!
//! Pure. Callers: the comparison of documents, and the formats that hold no kinds.

use std::sync::Arc;

use super::{Document, SourceFile};
use crate::geom::VoxelPos;
use crate::voxel::{Extra, Store, StoreEdit, Voxel, VoxelKind};

impl Document {
    /// Whether every voxel is of the kind that it holds: the map was read from a file that tells kinds.
    pub fn tells_kinds(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.tells_kinds)
    }

    /// Every solid voxel of the active volume's floor, in rows, with the kind that the game's rule gives it: water under
    /// air, ground under ground. None where the game has no floor.
    ///
    /// # Cost
    /// Two look-ups a column.
    pub fn floor_voxels(&self) -> impl Iterator<Item = (VoxelPos, Voxel, VoxelKind)> + '_ {
        let store = self.store();
        let (min, max) = (store.bounds().min(), store.bounds().max());
        let rows = self.floor_z().into_iter().flat_map(move |z| (min.y..max.y).map(move |y| (y, z)));
        rows.flat_map(move |(y, z)| (min.x..max.x).map(move |x| VoxelPos::new(x, y, z))).filter_map(|at| {
            let kind = if store.is_solid(at - VoxelPos::Z) { VoxelKind::Solid } else { VoxelKind::Water };
            Some((at, store.voxel(at)?, kind))
        })
    }

    /// Takes the water of the floor for what the rule makes of it, as a file that tells no kinds would have it; where it says
    /// otherwise it stays.
    pub(crate) fn untell_kinds(&mut self) {
        let mut edit = StoreEdit::new(self.store());
        let is_ruled = |(_, voxel, kind): &(VoxelPos, Voxel, VoxelKind)| *kind == VoxelKind::Water && voxel.extra.kind == *kind;
        for (at, voxel, _) in self.floor_voxels().filter(is_ruled) {
            edit.set(at, Some(Voxel { extra: Extra { kind: VoxelKind::Solid, ..voxel.extra }, ..voxel }));
        }
        let (changes, active) = (edit.finish(), self.active());
        if let Some(store) = self.store_mut(active) {
            store.apply(&changes);
        }
        self.source = self.source.take().map(|source| Arc::new(SourceFile { tells_kinds: false, ..(*source).clone() }));
    }

    /// The active volume with the water of its floor told, as a file that tells kinds would have it.
    pub(super) fn store_with_kinds_told(&self) -> Store {
        let mut edit = StoreEdit::new(self.store());
        for (at, voxel, kind) in self.floor_voxels().filter(|(_, voxel, _)| voxel.extra.kind == VoxelKind::Solid) {
            edit.set(at, Some(Voxel { extra: Extra { kind, ..voxel.extra }, ..voxel }));
        }
        let mut told = self.store().clone();
        told.apply(&edit.finish());
        told
    }
}
