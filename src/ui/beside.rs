//! The volumes beside the active one, dim: a flat box for each chunk that holds something, and the name.
//!
//! They are looked at, not edited: picking and tools know the active volume only.

use glam::{IVec3, Vec3};

use super::overlay::Label;
use super::theme::{Theme, rgba};
use crate::document::{Document, Placement, Volume};
use crate::geom::Region;
use crate::render::{Frame, TintedBox};
use crate::voxel::{CHUNK_EDGE, Chunk, ChunkPos};

/// Voxels around the active volume beyond which nothing is drawn: grids may lie anywhere.
const REACH: f32 = 2048.0;
/// Most boxes that are drawn.
const MOST_BOXES: usize = 4096;

/// Puts the other volumes of the active one's world into the frame; answers their names.
pub fn fill_frame(frame: &mut Frame, theme: &Theme, document: &Document, labels: &mut Vec<Label>) {
    let (own, bounds) = (document.active_volume(), document.bounds());
    let (low, high) = (bounds.min().as_vec3() - REACH, bounds.max().as_vec3() + REACH);
    let mut count = 0;
    for (number, volume) in document.volumes().iter().enumerate() {
        if number == document.active() || volume.placement.world != own.placement.world {
            continue;
        }
        let mut whole: Option<(Vec3, Vec3)> = None;
        for (pos, chunk) in volume.store.chunks() {
            let (min, max) = region_in_own(own, volume, &occupied(pos, chunk));
            let is_near = min.cmple(high).all() && max.cmpge(low).all();
            if !is_near || count == MOST_BOXES {
                continue;
            }
            count += 1;
            let dim = |alpha| rgba(theme.text_faint, alpha);
            frame.boxes.push(TintedBox { min, max, fill: dim(0x30), edge: dim(0x60), edge_width: 1.0 });
            whole = Some(whole.map_or((min, max), |(least, most)| (least.min(min), most.max(max))));
        }
        if let Some((min, max)) = whole {
            labels.push(Label { at: (min + max) / 2.0 - Vec3::Z * 4.0, text: volume.title().to_string(), color: theme.text_faint });
        }
    }
}

/// The columns of a chunk that hold something, as a box one voxel high: grids are no higher.
fn occupied(pos: ChunkPos, chunk: &Chunk) -> Region {
    let solid = chunk.solid().iter().enumerate().filter(|(_, mask)| **mask != 0);
    let columns = solid.map(|(column, _)| IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, 0));
    let around = columns.fold(None, |all: Option<(IVec3, IVec3)>, at| Some(all.map_or((at, at), |(min, max)| (min.min(at), max.max(at)))));
    around.map_or(Region::EMPTY, |(min, max)| Region::between(pos.origin() + min, pos.origin() + max))
}

/// The box around a region of another volume, in voxels of the active one.
fn region_in_own(own: &Volume, other: &Volume, region: &Region) -> (Vec3, Vec3) {
    let place = |x: i32, y: i32| {
        let in_frame = [f64::from(x) + f64::from(other.offset.x), f64::from(y) + f64::from(other.offset.y)];
        let [x, y] = between(&other.placement, &own.placement, in_frame);
        // Precise enough for a picture.
        Vec3::new((x - f64::from(own.offset.x)) as f32, (y - f64::from(own.offset.y)) as f32, 0.0)
    };
    let (min, max) = (region.min(), region.max());
    let corners = [place(min.x, min.y), place(max.x, min.y), place(min.x, max.y), place(max.x, max.y)];
    let least = corners.into_iter().reduce(Vec3::min).unwrap_or_default();
    let most = corners.into_iter().reduce(Vec3::max).unwrap_or_default();
    (least.with_z(min.z as f32), most.with_z(max.z as f32))
}

fn between(from: &Placement, to: &Placement, place: [f64; 2]) -> [f64; 2] {
    to.from_world(from.to_world(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel::Store;

    #[test]
    fn another_volume_lies_where_its_placement_says() {
        let volume = |position, rotation| Volume {
            placement: Placement { world: Some(1), position, rotation },
            ..Volume::new(Store::new(Region::of_size(IVec3::new(4, 4, 1))))
        };
        let (own, other) = (volume([10.0, 0.0], 0.0), volume([30.0, 5.0], std::f64::consts::FRAC_PI_2));
        let region = Region::of_size(IVec3::new(4, 2, 1));
        // A quarter clockwise: east becomes south.
        let (min, max) = region_in_own(&own, &other, &region);
        assert!((min - Vec3::new(18.0, 5.0, 0.0)).length() < 1e-4 && (max - Vec3::new(20.0, 9.0, 1.0)).length() < 1e-4, "{min} {max}");
    }
}
