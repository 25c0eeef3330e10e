//! Other bounds for the map.

use std::sync::Arc;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use crate::document::{Masks, Object, Progress, Snapshot, Volume};
use crate::edit::brush::in_range;
use crate::edit::draft::check_memory;
use crate::edit::recolor::color_surface;
use crate::edit::transfer::moved_chunk;
use crate::edit::{Change, EditError, Part, Payload, floor};
use crate::geom::Region;
use crate::voxel::{ChunkPos, Store, StoreEdit};

/// Longest side of a map.
const MAX_SIDE: i64 = 4096;
/// Greatest distance between old and new bounds.
const MAX_REACH: i64 = 1 << 20;

/// Gives the map other bounds, in its present coordinates: extends it, crops it, or both.
///
/// The corner of smallest coordinates becomes the origin; voxels, objects and selection move along.
/// Objects that end up outside are kept. In a game with a floor, columns that are new, or whose bottom
/// is new, get a floor voxel in the floor's commonest colour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resize {
    /// The new bounds.
    #[serde(rename = "box")]
    pub region: Region,
}

impl Resize {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        plan_bounds(snapshot, &self.region, "Resize map", progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        self.region.volume()
    }
}

/// Crops the map to the columns of the selection, in full height.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Crop {}

impl Crop {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        let selection = snapshot.selection.as_ref().ok_or(EditError::NothingSelected)?.bounds().intersection(&snapshot.bounds());
        if selection.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let (bounds, min, max) = (snapshot.bounds(), selection.min(), selection.max());
        plan_bounds(snapshot, &Region::new(min.with_z(bounds.min().z), max.with_z(bounds.max().z)), "Crop map", progress)
    }
}

fn plan_bounds(snapshot: &Snapshot, region: &Region, label: &str, progress: &Progress) -> Result<Change, EditError> {
    if region.is_empty() {
        return Err(EditError::EmptyRegion);
    }
    for corner in [region.min(), region.max()] {
        for part in corner.to_array() {
            in_range("corner of the map", i64::from(part), -MAX_REACH, MAX_REACH)?;
        }
    }
    for side in region.size().to_array() {
        in_range("side of the map", i64::from(side), 1, MAX_SIDE)?;
    }
    if *region == snapshot.bounds() && region.min() == IVec3::ZERO {
        return Ok(Change::new(label, vec![]));
    }
    let by = -region.min();
    let mut store = moved(snapshot.store(), region, progress)?;
    if let Some(old_floor) = snapshot.floor_z() {
        check_floor(snapshot, &store)?;
        add_floor(snapshot.store(), old_floor, &mut store, by);
    }
    color_surface(&mut store, snapshot.dirt, progress)?;
    let selection = snapshot.selection.as_ref().and_then(|selection| selection.shifted(by, &store.bounds()));
    // What stands in other volumes stays.
    let shifted = |object: &Object| if object.volume() == snapshot.active() { object.shifted(by) } else { object.clone() };
    let objects = snapshot.objects.mapped(shifted);

    let mut volumes = (**snapshot.volumes()).clone();
    if let Some(volume) = volumes.get_mut(snapshot.active()) {
        *volume = Volume { store, offset: volume.offset + region.min(), ..volume.clone() };
    }
    let mut parts = vec![Part::Volumes(Payload { before: snapshot.volumes().clone(), after: Arc::new(volumes) })];
    parts.extend(Part::objects(&snapshot.objects, objects));
    parts.extend(Part::symmetry(&snapshot.symmetry, snapshot.symmetry.shifted(by)));
    parts.extend(Part::masks(&snapshot.masks, shifted_masks(snapshot, by.z)));
    parts.extend(Part::selection(&snapshot.selection, selection));
    Ok(Change::new(label, parts))
}

/// The masks of a map that moved up or down.
pub(super) fn shifted_masks(snapshot: &Snapshot, by_z: i32) -> Masks {
    let masks = &*snapshot.masks;
    Masks { z: masks.z.map(|heights| heights.map(|z| z.saturating_add(by_z))), ..masks.clone() }
}

/// The voxels of a box, its smallest corner at the origin.
fn moved(store: &Store, region: &Region, progress: &Progress) -> Result<Store, EditError> {
    let mut moved = Store::new(Region::of_size(region.size()));
    let old = store.bounds().intersection(region).shifted(-region.min());
    let chunks: Vec<_> = ChunkPos::covering(&old).collect();
    for (done, pos) in chunks.iter().enumerate() {
        progress.report(done as f32 / chunks.len() as f32)?;
        moved.put_chunk(*pos, moved_chunk(store, *pos, -region.min(), &moved.bounds()));
    }
    Ok(moved)
}

/// Refuses bounds whose new floor takes more memory than the map may, before that floor is laid.
fn check_floor(snapshot: &Snapshot, moved: &Store) -> Result<(), EditError> {
    let (min, max) = (moved.bounds().min(), moved.bounds().max());
    let plane = Region::new(min.with_z(max.z - 1), max);
    let bare = ChunkPos::covering(&plane).filter(|pos| moved.chunk(*pos).is_none()).count() as u64;
    let mut edit = StoreEdit::new(&Store::new(ChunkPos(IVec3::ZERO).region()));
    floor::fill(&mut edit, 0, floor::commonest_color(moved, max.z - 1));
    let (before, needed) = (snapshot.store().size_bytes() as u64, moved.size_bytes() as u64 + bare * edit.snapshot().size_bytes() as u64);
    if needed > before { check_memory(snapshot.size_bytes().saturating_sub(before) + needed, snapshot.memory_limit) } else { Ok(()) }
}

/// Gives a floor to the columns that had none to bring along. Old columns without one stay so if their
/// bottom is the old one: that is damage, and [`RepairColumns`](super::RepairColumns) mends it.
fn add_floor(old: &Store, old_floor: i32, store: &mut Store, by: IVec3) {
    let floor_z = store.bounds().max().z - 1;
    let color = floor::commonest_color(old, old_floor);
    let damaged: Vec<_> = if old_floor + by.z == floor_z {
        let columns = old.bounds().shifted(by).intersection(&store.bounds()).columns();
        columns.columns().map(|[x, y]| IVec3::new(x, y, floor_z)).filter(|pos| !store.is_solid(*pos)).collect()
    } else {
        vec![]
    };
    let mut edit = StoreEdit::new(store);
    floor::fill(&mut edit, floor_z, color);
    for pos in damaged {
        edit.set(pos, None);
    }
    let changes = edit.finish();
    store.apply(&changes);
}
