//! The room that objects take on the map: for drawing them, and for finding the one under the pointer.

use glam::IVec3;

use crate::document::{Anchor, MarkerRole, Object, ObjectId, Snapshot};
use crate::geom::{ColumnRect, Ray, Region, VoxelPos};
use crate::voxel::{Store, raycast};

/// Pixels around a handle in which the pointer counts as on it.
const HANDLE_PIXELS: f32 = 6.0;

/// Columns looked at along each side of a spawn region, at most, to find the ground's relief.
const SAMPLES: i32 = 48;

/// The box in which an object is drawn: it stands on the ground, a spawn region wraps the ground's relief.
pub fn object_box(document: &Snapshot, object: &Object) -> Region {
    let store = document.store();
    match object {
        Object::SpawnRegion { area, .. } => {
            let size = area.size();
            let stride = size.map(|side| (side / SAMPLES).max(1));
            let (top, bottom) = relief(store, area, stride).unwrap_or((store.bounds().max().z - 1, store.bounds().max().z - 1));
            Region::new(column(area.min(), top - 1), column(area.max(), bottom + 1))
        }
        Object::SpawnPoint { at, .. } => standing(*at, 0, 3),
        Object::Base { at, .. } => standing(ground_of(store, at), 1, 3),
        Object::Intel { at, .. } => standing(ground_of(store, at), 0, 1),
        Object::Territory { at, .. } => standing(ground_of(store, at), 1, 6),
        Object::Marker { at, .. } => standing(ground_of(store, at), 0, 2),
    }
}

/// The ground block that an anchor names.
pub fn ground_of(store: &Store, at: &Anchor) -> VoxelPos {
    let bounds = store.bounds();
    let z = at.z.or_else(|| store.ground(at.x, at.y, bounds.min().z)).unwrap_or(bounds.max().z - 1);
    IVec3::new(at.x, at.y, z)
}

/// Highest and lowest ground (smallest and largest z) in the columns, of which one in `stride` is looked at on each axis.
pub fn relief(store: &Store, area: &ColumnRect, stride: [i32; 2]) -> Option<(i32, i32)> {
    let area = &area.intersection(&store.bounds().columns());
    let top = store.bounds().min().z;
    let step = |axis: usize| usize::try_from(stride[axis]).unwrap_or(1).max(1);
    let mut found: Option<(i32, i32)> = None;
    for y in (area.min()[1]..area.max()[1]).step_by(step(1)) {
        for x in (area.min()[0]..area.max()[0]).step_by(step(0)) {
            if let Some(z) = store.ground(x, y, top) {
                found = Some(found.map_or((z, z), |(high, low)| (high.min(z), low.max(z))));
            }
        }
    }
    found
}

/// A box of `height` voxels on top of a ground block, `reach` columns wider on each side.
fn standing(ground: VoxelPos, reach: i32, height: i32) -> Region {
    let min = ground.saturating_sub(IVec3::new(reach, reach, height));
    Region::new(min, min.saturating_add(IVec3::new(2 * reach + 1, 2 * reach + 1, height)))
}

fn column([x, y]: [i32; 2], z: i32) -> VoxelPos {
    IVec3::new(x, y, z)
}

/// Which side of a spawn region the pointer holds, on one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Side {
    /// Neither.
    #[default]
    Middle,
    /// The one of smaller coordinates.
    Min,
    /// The one of larger coordinates.
    Max,
}

impl Side {
    fn of(value: f32, min: i32, max: i32, reach: f32) -> Self {
        let reach = reach.min(max.saturating_sub(min) as f32 / 3.0);
        if (value - min as f32).abs() <= reach {
            Self::Min
        } else if (value - max as f32).abs() <= reach {
            Self::Max
        } else {
            Self::Middle
        }
    }
}

/// By so many voxels the selected one of several objects that stand at one place counts as nearer.
const SELECTED_LEAD: f32 = 0.5;

/// The same by what they are: a spawn point among the cables and walls of a station is what is looked for.
fn lead_of(object: &Object) -> f32 {
    match object {
        Object::Marker { role: MarkerRole::Block, .. } => 0.0,
        Object::Marker { role: MarkerRole::Point, .. } => 0.1,
        _ => 0.2,
    }
}

/// An object under the pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectHit {
    /// Which one.
    pub id: ObjectId,
    /// The sides of a spawn region that the pointer is on: `[x, y]`. Both in the middle moves it.
    pub sides: [Side; 2],
    /// Whether the map hides it: it is seen through the ground.
    pub hidden: bool,
}

/// The object under the pointer: things that stand before the edges of spawn regions, these before what is seen through the
/// ground, and all before the middles of regions; small regions before large ones. What the pointer is on goes before what it
/// is only near to.
///
/// `preferred` (the selected one) wins where the pointer is on its edge, and among those that stand at one place.
pub fn object_under(document: &Snapshot, ray: &Ray, voxels_per_pixel: f32, preferred: Option<ObjectId>) -> Option<ObjectHit> {
    let ground = raycast(document.store(), ray);
    let sight = ground.map_or(f32::INFINITY, |hit| hit.distance);
    let mut nearest: Option<((bool, bool, f32), ObjectId)> = None;
    for (id, object) in document.objects_here().filter(|(_, object)| !matches!(object, Object::SpawnRegion { .. })) {
        let region = object_box(document, object);
        let (min, max) = (region.min().as_vec3(), region.max().as_vec3());
        let reach = HANDLE_PIXELS * voxels_per_pixel * (min + max - 2.0 * ray.origin).length() / 2.0;
        let pad = (reach - (max - min).min_element() / 2.0).max(0.0);
        let lead = if preferred == Some(id) { SELECTED_LEAD } else { lead_of(object) };
        if let Some((enter, _)) = ray.clip_to_box(min - pad, max + pad)
            && let is_near = ray.clip_to_box(min, max).is_none()
            && let found = (enter > sight + pad + 1.0, is_near, enter - lead)
            && nearest.is_none_or(|(best, _)| found < best)
        {
            nearest = Some((found, id));
        }
    }
    let standing = nearest.map(|((hidden, ..), id)| ObjectHit { id, sides: [Side::Middle; 2], hidden });
    let region = || region_under(document, ray, voxels_per_pixel, preferred);
    match standing {
        None => region(),
        Some(seen @ ObjectHit { hidden: false, .. }) => Some(seen),
        hidden => region().filter(|region| region.sides != [Side::Middle; 2]).or(hidden),
    }
}

/// The spawn region on the ground under the pointer.
fn region_under(document: &Snapshot, ray: &Ray, voxels_per_pixel: f32, preferred: Option<ObjectId>) -> Option<ObjectHit> {
    let pick = super::pick::pick(document.store(), ray)?;
    let point = super::pick::plane_point(ray, pick.pos, pick.face)?;
    let reach = (HANDLE_PIXELS * voxels_per_pixel * (point - ray.origin).length()).max(0.6);
    let mut best: Option<((bool, u64), ObjectHit)> = None;
    for (id, object) in document.objects_here() {
        let Object::SpawnRegion { area, .. } = object else { continue };
        let ([x, y], [to_x, to_y]) = (area.min(), area.max());
        let inside = |value: f32, min: i32, max: i32| value >= min as f32 - reach && value <= max as f32 + reach;
        if !inside(point.x, x, to_x) || !inside(point.y, y, to_y) {
            continue;
        }
        let sides = [Side::of(point.x, x, to_x, reach), Side::of(point.y, y, to_y, reach)];
        let on_edge = sides != [Side::Middle; 2];
        let rank = (!(on_edge && preferred == Some(id)), area.area());
        if best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, ObjectHit { id, sides, hidden: false }));
        }
    }
    best.map(|(_, hit)| hit)
}
