//! What strokes and stamps cover in the model.

use std::collections::BTreeSet;

use glam::IVec3;

use crate::edit::{Brush, BrushShape, Spacing, ops};
use crate::geom::{Face, Region, VoxelPos, raster};
use crate::terrain::Noise;

/// The voxels that a path runs through.
pub(super) fn middles(path: &[VoxelPos]) -> Vec<VoxelPos> {
    let segments = path.windows(2).flat_map(|pair| raster::line(pair[0], pair[1]).skip(1));
    path.first().copied().into_iter().chain(segments).collect()
}

/// Where the box of a stamp lies from its middle.
pub(super) fn stamp_box(brush: &Brush) -> Region {
    let mut sides = IVec3::splat(brush.size as i32);
    if brush.shape.stands() {
        let usual = if brush.shape == BrushShape::Disc { 1 } else { brush.size };
        sides[brush.up.axis().index()] = brush.height.unwrap_or(usual) as i32;
    }
    Region::of_size(sides).shifted(-sides / 2)
}

/// Where a voxel of a stamp's clip comes to lie.
pub(super) fn stamp_place(op: &ops::Stamp) -> impl Fn(VoxelPos) -> VoxelPos {
    let (clip, size, turn, up, at) = (op.clip.store(), op.clip.size(), op.turn, op.up, op.at);
    let turned = move |pos: VoxelPos| match turn {
        0 => pos,
        1 => IVec3::new(size.y - 1 - pos.y, pos.x, pos.z),
        2 => IVec3::new(size.x - 1 - pos.x, size.y - 1 - pos.y, pos.z),
        _ => IVec3::new(pos.y, size.x - 1 - pos.x, pos.z),
    };
    // Out of a wall north is up, under a ceiling east stays east.
    let standing = move |IVec3 { x, y, z }: IVec3| match up {
        Face::MinusZ => IVec3::new(x, y, z),
        Face::PlusZ => IVec3::new(x, -y, -z),
        Face::PlusX => IVec3::new(-z, -x, y),
        Face::MinusX => IVec3::new(z, x, y),
        Face::PlusY => IVec3::new(x, -z, y),
        Face::MinusY => IVec3::new(-x, z, y),
    };
    let solid: Vec<_> = clip.bounds().positions().filter(|pos| clip.is_solid(*pos)).collect();
    // Air around what it holds does not count.
    let meant = if solid.is_empty() { clip.bounds().positions().collect() } else { solid };
    let low = meant.iter().map(|pos| turned(*pos)).reduce(IVec3::min).unwrap_or_default();
    let high = meant.iter().map(|pos| turned(*pos)).reduce(IVec3::max).unwrap_or_default();
    let anchor = match op.anchor {
        ops::StampAnchor::Bottom => IVec3::new((low.x + high.x) / 2, (low.y + high.y) / 2, high.z),
        ops::StampAnchor::Corner => IVec3::new(low.x, low.y, high.z),
        ops::StampAnchor::Middle => (low + high) / 2,
    };
    move |pos| standing(turned(pos) - anchor) + at
}

/// What a stroke covers; `None` for brushes that are not modelled.
pub(super) fn stroke(brush: &Brush, path: &[VoxelPos]) -> Option<Vec<VoxelPos>> {
    if brush.jitter > 0 || brush.color_jitter > 0 || brush.shape == BrushShape::Picture {
        return None;
    }
    let (mut covered, stamp) = (BTreeSet::new(), stamp_box(brush));
    let every = match brush.spacing {
        Spacing::Voxels(voxels) => voxels,
        Spacing::Share(share) => (brush.size * share.0 / 100).max(1),
    };
    let upright = brush.up.axis().index();
    let inside = |at: IVec3| {
        let from_middle = ((at - stamp.min()) * 2 + 1 - stamp.size()).as_i64vec3();
        let (size, height) = (i64::from(brush.size), i64::from(stamp.size()[upright]));
        let up = i64::from(brush.up.normal()[upright]);
        let square: i64 = (0..3).filter(|axis| *axis != upright).map(|axis| from_middle[axis].pow(2)).sum();
        // Half voxels from the base to the bottom of the voxel's layer.
        let layer = (height + up * from_middle[upright] - 1) / 2;
        match brush.shape {
            BrushShape::Ball => square + from_middle[upright].pow(2) <= size * size,
            BrushShape::Cylinder | BrushShape::Disc => square <= size * size,
            BrushShape::Cone => {
                let core = (0..3).filter(|axis| *axis != upright).all(|axis| from_middle[axis].abs() == 1 - size % 2);
                core || square * height * height <= (size * (height - layer)).pow(2)
            }
            BrushShape::Cube | BrushShape::Picture => true,
        }
    };
    let tip: Vec<_> = stamp.positions().filter(|at| inside(*at)).collect();
    let noise = Noise::new(u64::from(brush.seed), 0);
    for center in middles(path).into_iter().step_by(every as usize) {
        for pos in tip.iter().map(|at| *at + center) {
            if noise.word(pos) >> 16 < u32::from(brush.strength) * 65_536 / 100 {
                covered.insert(pos.to_array());
            }
        }
    }
    Some(covered.into_iter().map(IVec3::from_array).collect())
}
