//! Moving everything.

use glam::IVec3;
use serde::{Deserialize, Serialize};

use crate::document::{Object, Progress, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::recolor::color_surface;
use crate::edit::transfer::move_into;
use crate::edit::{Change, EditError, Part, floor};
use crate::geom::{ColumnRect, Region};
use crate::voxel::{CHUNK_EDGE, ChunkChange, ChunkPos, DenseChunk, Store, StoreEdit, Voxel};

/// Moves all voxels and objects within the bounds.
///
/// The floor stays at the bottom: its voxels move sideways only, what is pushed into it is lost, and
/// columns left without get one in its commonest colour. Ground that moves up is continued downwards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shift {
    /// How far, in voxels.
    pub by: IVec3,
    /// Whether what leaves the map on one side comes back on the other.
    #[serde(default)]
    pub wrap: bool,
}

impl Shift {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        for part in self.by.to_array() {
            in_range("shift", i64::from(part), -(1 << 20), 1 << 20)?;
        }
        let before = snapshot.store();
        let bounds = snapshot.bounds();
        let after = self.shifted_store(snapshot, progress)?;
        let chunks = ChunkPos::covering(&bounds).filter_map(|pos| {
            let (before, after) = (before.chunk(pos).cloned(), after.chunk(pos).cloned());
            (before != after).then_some(ChunkChange { pos, before, after })
        });
        let mut change = Change::of_chunks("Shift map", snapshot.active(), chunks.collect());
        // What stands in other volumes stays.
        let shifted = |object: &Object| {
            if object.volume() == snapshot.active() { self.shifted_object(object, &bounds) } else { object.clone() }
        };
        let objects = snapshot.objects.mapped(shifted);
        change.parts.extend(Part::objects(&snapshot.objects, objects));
        change.parts.extend(Part::symmetry(&snapshot.symmetry, snapshot.symmetry.shifted(self.by)));
        let selection = snapshot.selection.as_ref().and_then(|selection| selection.shifted(self.by, &bounds));
        change.parts.extend(Part::selection(&snapshot.selection, selection));
        Ok(change)
    }

    fn shifted_store(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Store, EditError> {
        let (before, bounds) = (snapshot.store(), snapshot.bounds());
        let body = snapshot.above_floor(&bounds);
        let plane = Region::new(bounds.min().with_z(body.max().z), bounds.max());
        let mut moves = pieces(&body, self.by, self.wrap);
        moves.extend(pieces(&plane, self.by.with_z(0), self.wrap));
        let mut after = Store::new(bounds);
        let chunks: Vec<_> = ChunkPos::covering(&bounds).collect();
        for (done, pos) in chunks.iter().enumerate() {
            progress.report(done as f32 / chunks.len() as f32)?;
            let mut dense: Option<DenseChunk> = None;
            for (by, target) in &moves {
                move_into(&mut dense, before, *pos, *by, target);
            }
            after.put_chunk(*pos, dense.and_then(|dense| dense.pack_or_air()));
        }
        if let Some(floor_z) = snapshot.floor_z() {
            let mut edit = StoreEdit::new(&after);
            floor::fill(&mut edit, floor_z, floor::commonest_color(before, floor_z));
            if !self.wrap {
                continue_ground(&mut edit, &body, self.by.z);
            }
            let changes = edit.finish();
            after.apply(&changes);
        }
        color_surface(&mut after, snapshot.dirt, progress)?;
        Ok(after)
    }

    fn shifted_object(&self, object: &Object, bounds: &Region) -> Object {
        let moved = object.shifted(self.by);
        if !self.wrap {
            return moved;
        }
        // Objects wrap sideways by their smallest corner; a height that left the map stays for the check to find.
        let [x, y] = ColumnRect::min(&moved.area());
        let (min, size) = (bounds.min(), bounds.size().max(IVec3::ONE));
        let back = |value: i32, min: i32, size: i32| value.saturating_sub(min).rem_euclid(size).saturating_add(min).saturating_sub(value);
        moved.shifted(IVec3::new(back(x, min.x, size.x), back(y, min.y, size.y), 0))
    }
}

/// The moves that shift a box within itself: by how much, and where that part comes to lie.
fn pieces(within: &Region, by: IVec3, wrap: bool) -> Vec<(IVec3, Region)> {
    let size = within.size();
    if within.is_empty() {
        return vec![];
    }
    if !wrap {
        return vec![(by, within.shifted(by).intersection(within))];
    }
    let first = by.rem_euclid(size);
    let mut pieces = vec![];
    for corner in 0..8 {
        let back = IVec3::new(corner & 1, corner >> 1 & 1, corner >> 2) * size;
        let by = first - back;
        let target = within.shifted(by).intersection(within);
        if !target.is_empty() {
            pieces.push((by, target));
        }
    }
    pieces
}

/// Fills what a move upwards left open below the ground with solid voxels.
fn continue_ground(edit: &mut StoreEdit, body: &Region, by_z: i32) {
    if by_z >= 0 || body.is_empty() {
        return;
    }
    let bottom = body.max().z;
    let lowest = bottom.saturating_add(by_z) - 1;
    if lowest < body.min().z {
        return;
    }
    for chunk_pos in ChunkPos::covering(&Region::new(body.min().with_z(lowest), body.max())) {
        let origin = chunk_pos.origin();
        let part = chunk_pos.region().intersection(&Region::new(body.min().with_z(lowest + 1), body.max()));
        for [x, y] in part.columns().columns() {
            if !edit.is_solid(IVec3::new(x, y, lowest)) {
                continue;
            }
            let column = (y - origin.y) as usize * CHUNK_EDGE + (x - origin.x) as usize;
            let dense = edit.dense_mut(chunk_pos);
            for z in part.min().z..part.max().z {
                dense.set(column, (z - origin.z) as u32, Some(Voxel::HIDDEN));
            }
        }
    }
}
