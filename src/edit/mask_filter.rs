//! Judges which voxels the document's masks let an edit change.
//!
//! Everything is judged by the map as it was before the edit. [`Draft`](super::Draft) obeys it for every
//! command in one place, whatever the command wrote; tools ask it for what they show.

use std::sync::Arc;

use glam::IVec3;

use super::mask::{ChunkMask, heights, region_in_chunk, voxel_at};
use crate::document::{Masks, Matter, Object, Selection, Snapshot};
use crate::geom::{ColumnRect, Face, Region, VoxelPos};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, ColumnMask, Neighborhood, Outside, Store, surface_of_chunk};

/// Columns around a column, on each side, through whose ground the plane of a slope is laid.
const SLOPE_REACH: i32 = 2;
/// Steps that a neighbouring column counts as higher or lower, at most.
const SLOPE_STEPS: i32 = 8;
/// Sum of the squares of the distances from the middle column, over 5×5 columns.
const SLOPE_SQUARES: f64 = 50.0;
/// Nothing lies around the map, so that its sides are no surface to build on.
const OPEN: Outside = Outside { solid_sides: false, solid_below: false };

/// The masks of a document, ready to judge voxels.
#[derive(Clone, Debug)]
pub struct MaskFilter {
    store: Store,
    masks: Arc<Masks>,
    /// The selection and its images; `None` where that mask is off or nothing is selected.
    selections: Option<Vec<Selection>>,
    /// The columns of spawn regions; `None` where that mask is off.
    spawns: Option<Vec<ColumnRect>>,
}

impl MaskFilter {
    /// The filter of a document; `None` where its masks let everything through.
    pub fn new(snapshot: &Snapshot) -> Option<Self> {
        Self::with(snapshot, snapshot.masks.clone())
    }

    /// The filter of other masks than the document's own; `None` where they let everything through.
    pub fn with(snapshot: &Snapshot, masks: Arc<Masks>) -> Option<Self> {
        let selected = snapshot.selection.as_ref().filter(|_| masks.selection);
        let selections = selected.map(|selection| selection.images(&snapshot.symmetry, &snapshot.bounds()));
        let only_selection = Masks { selection: true, ..Masks::default() };
        if !masks.any() || (*masks == only_selection && selections.is_none()) {
            return None;
        }
        let area = |object: &Object| matches!(object, Object::SpawnRegion { .. }).then(|| object.area());
        let spawns = masks.spawns.then(|| snapshot.objects.iter().filter_map(|(_, object)| area(object)).collect());
        Some(Self { store: snapshot.store().clone(), masks, selections, spawns })
    }

    /// By how much fewer voxels a preview looks at under the masks and the symmetry, so that it takes no longer than without:
    /// for a slope, the ground of 25 columns is looked for.
    pub(super) fn slowness(snapshot: &Snapshot) -> u64 {
        if snapshot.masks.slope.is_some() { 4 * snapshot.symmetry.images().len().max(1) as u64 } else { 1 }
    }

    /// Whether the masks let an edit change the voxel.
    pub fn allows(&self, pos: VoxelPos) -> bool {
        let (masks, store) = (&*self.masks, &self.store);
        let solid = store.is_solid(pos);
        masks.z.is_none_or(|[top, bottom]| (top..=bottom).contains(&pos.z))
            && self.selections.as_ref().is_none_or(|selections| selections.iter().any(|selection| selection.contains(pos)))
            && self.spawns.as_ref().is_none_or(|areas| areas.iter().any(|area| area.contains(pos.x, pos.y)))
            && masks.matter.is_none_or(|matter| solid == (matter == Matter::Solid))
            && (!masks.surface || self.is_surface(pos, solid))
            && self.has_color(pos)
            && self.has_slope(pos)
    }

    /// Those of some voxels of a chunk that the masks let an edit change.
    pub fn allowed(&self, chunk_pos: ChunkPos, wanted: &ChunkMask) -> ChunkMask {
        let (masks, store, area) = (&*self.masks, &self.store, chunk_pos.region());
        let mut allowed = *wanted;
        let mut keep = |mask: &ChunkMask| allowed.iter_mut().zip(mask).for_each(|(own, mask)| *own &= mask);
        if let Some([top, bottom]) = masks.z {
            let (min, max) = (area.min(), area.max());
            let (top, below) = (top.clamp(min.z, max.z), bottom.saturating_add(1).clamp(min.z, max.z));
            keep(&region_in_chunk(&Region::new(min.with_z(top), max.with_z(below.max(top))), chunk_pos));
        }
        if let Some(selections) = &self.selections {
            keep(&union(selections.iter().map(|selection| selection.in_chunk(chunk_pos))));
        }
        if let Some(areas) = &self.spawns {
            let whole = |spawn: &ColumnRect| {
                let ([x, y], [to_x, to_y]) = (spawn.min(), spawn.max());
                Region::new(IVec3::new(x, y, area.min().z), IVec3::new(to_x, to_y, area.max().z))
            };
            keep(&union(areas.iter().map(|area| region_in_chunk(&whole(area), chunk_pos))));
        }
        let nothing = [0; CHUNK_COLUMNS];
        let solid = store.chunk(chunk_pos).map_or(&nothing, |chunk| chunk.solid());
        match masks.matter {
            Some(Matter::Solid) => keep(solid),
            Some(Matter::Air) => keep(&solid.map(|column| !column)),
            None => {}
        }
        if masks.surface {
            keep(&surface(store, chunk_pos, solid));
        }
        if !masks.colors.is_empty() || masks.slope.is_some() {
            for (column, bits) in allowed.iter_mut().enumerate() {
                *bits = self.judged_singly(chunk_pos, column, *bits);
            }
        }
        allowed
    }

    fn judged_singly(&self, chunk_pos: ChunkPos, column: usize, bits: ColumnMask) -> ColumnMask {
        let mut kept = bits;
        // Voxels over the same ground have the same slope.
        let mut last: Option<(VoxelPos, bool)> = None;
        for z in heights(bits) {
            let pos = voxel_at(chunk_pos, column, z);
            let fits = self.has_color(pos)
                && self.masks.slope.is_none_or(|_| {
                    let Some(top) = ground_at(&self.store, pos) else { return false };
                    match last {
                        Some((known, fits)) if known == top => fits,
                        _ => {
                            let fits = self.slope_fits(top);
                            last = Some((top, fits));
                            fits
                        }
                    }
                });
            if !fits {
                kept &= !(1 << z);
            }
        }
        kept
    }

    fn is_surface(&self, pos: VoxelPos, solid: bool) -> bool {
        let bounds = self.store.bounds();
        Face::ALL.iter().any(|face| {
            let beside = pos.saturating_add(face.normal());
            match (solid, bounds.contains(beside)) {
                (true, true) => !self.store.is_solid(beside),
                (true, false) => beside.z < bounds.min().z,
                (false, _) => self.store.is_solid(beside),
            }
        })
    }

    fn has_color(&self, pos: VoxelPos) -> bool {
        let Masks { colors, tolerance, .. } = &*self.masks;
        colors.is_empty() || self.store.paint(pos).is_some_and(|paint| colors.iter().any(|color| paint.rgb.is_near(*color, *tolerance)))
    }

    fn has_slope(&self, pos: VoxelPos) -> bool {
        self.masks.slope.is_none() || ground_at(&self.store, pos).is_some_and(|top| self.slope_fits(top))
    }

    fn slope_fits(&self, top: VoxelPos) -> bool {
        let degrees = slope_degrees(&self.store, top);
        self.masks.slope.is_none_or(|[least, most]| (least..=most).contains(&degrees))
    }
}

/// The ground that a voxel belongs to: the top of the solid run that it lies in, or the first solid voxel below it.
pub fn ground_at(store: &Store, pos: VoxelPos) -> Option<VoxelPos> {
    if !store.is_solid(pos) {
        return store.ground(pos.x, pos.y, pos.z).map(|z| pos.with_z(z));
    }
    let top = store.bounds().min().z;
    let z = (top..pos.z).rev().find(|z| !store.is_solid(pos.with_z(*z))).map_or(top, |air| air + 1);
    Some(pos.with_z(z))
}

/// Slope of the ground around a top voxel, in whole degrees.
///
/// The gradient of the plane of least squares through the ground of 5×5 columns at about that height.
pub fn slope_degrees(store: &Store, top: VoxelPos) -> u8 {
    let (mut x_sum, mut y_sum) = (0, 0);
    for y in -SLOPE_REACH..=SLOPE_REACH {
        for x in -SLOPE_REACH..=SLOPE_REACH {
            let up = rise(store, top, top.saturating_add(IVec3::new(x, y, 0)));
            x_sum += x * up;
            y_sum += y * up;
        }
    }
    let rise = f64::from(x_sum).hypot(f64::from(y_sum)) / SLOPE_SQUARES;
    // At most 90, and never near the middle between two whole degrees.
    rise.atan().to_degrees().round() as u8
}

/// Slope of what a stamp or brush stands on, whichever way it points, in whole degrees: as [`slope_degrees`] is of the
/// ground, and 0 where a plane is perpendicular to `up`.
pub fn surface_slope(store: &Store, at: VoxelPos, up: Face) -> u8 {
    if up == Face::MinusZ {
        return slope_degrees(store, at);
    }
    let axis = up.axis().index();
    let [u, v] = [IVec3::AXES[(axis + 1) % 3], IVec3::AXES[(axis + 2) % 3]];
    let (mut u_sum, mut v_sum) = (0, 0);
    for v_step in -SLOPE_REACH..=SLOPE_REACH {
        for u_step in -SLOPE_REACH..=SLOPE_REACH {
            let up = rise_along(store, at.saturating_add(u * u_step + v * v_step), up.normal());
            u_sum += u_step * up;
            v_sum += v_step * up;
        }
    }
    let rise = f64::from(u_sum).hypot(f64::from(v_sum)) / SLOPE_SQUARES;
    rise.atan().to_degrees().round() as u8
}

/// How far out the surface lies beside another one.
fn rise_along(store: &Store, beside: VoxelPos, normal: IVec3) -> i32 {
    if !store.bounds().contains(beside) {
        return 0;
    }
    if store.is_solid(beside) {
        return (1..=SLOPE_STEPS).find(|out| !store.is_solid(beside + normal * *out)).map_or(SLOPE_STEPS, |out| out - 1);
    }
    (1..=SLOPE_STEPS).find(|deep| store.is_solid(beside - normal * *deep)).map_or(-SLOPE_STEPS, |deep| -deep)
}

/// How far up the ground of another column lies, looked for at a height.
fn rise(store: &Store, top: VoxelPos, beside: VoxelPos) -> i32 {
    let bounds = store.bounds();
    if !bounds.columns().contains(beside.x, beside.y) {
        return 0;
    }
    if store.is_solid(beside) {
        return (1..=SLOPE_STEPS).find(|up| !store.is_solid(beside - IVec3::Z * *up)).map_or(SLOPE_STEPS, |up| up - 1);
    }
    store.ground(beside.x, beside.y, top.z).map_or(-SLOPE_STEPS, |z| (top.z - z).max(-SLOPE_STEPS))
}

fn union(masks: impl Iterator<Item = ChunkMask>) -> ChunkMask {
    let mut all = [0; CHUNK_COLUMNS];
    for mask in masks {
        all.iter_mut().zip(mask).for_each(|(own, more)| *own |= more);
    }
    all
}

/// What can be seen, and the air that touches something solid by a side.
fn surface(store: &Store, chunk_pos: ChunkPos, solid: &ChunkMask) -> ChunkMask {
    let around = Neighborhood::gather(store, chunk_pos, OPEN);
    let mut surface = surface_of_chunk(store, chunk_pos, Outside::GAME);
    for (column, (mask, solid)) in surface.iter_mut().zip(solid).enumerate() {
        let touched = around.sides(column).into_iter().fold(0, |all, side| all | side);
        *mask |= touched & !solid;
    }
    surface
}

const _: () = assert!(CHUNK_EDGE == ColumnMask::BITS as usize, "a column mask holds a chunk's column");
