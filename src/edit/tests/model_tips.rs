//! What strokes and stamps cover in the model.

use std::collections::BTreeMap;

use glam::IVec3;

use crate::edit::{Brush, BrushShape, Spacing, ops};
use crate::geom::{Axis, Face, Region, VoxelPos, raster};
use crate::terrain::Noise;
use crate::voxel::Rgb;

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

/// Where on a stroke a voxel was covered first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    pub pos: VoxelPos,
    /// Voxel of the path.
    pub step: usize,
    /// The tint that the stamp has, where the brush jitters colors: 0 the darkest to 15 the lightest.
    pub tint: u32,
}

/// What a stroke covers.
pub(super) fn stroke(brush: &Brush, path: &[VoxelPos]) -> Vec<Covered> {
    let (mut covered, stamp) = (BTreeMap::new(), stamp_box(brush));
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
    // Of 65536, how many of the voxels at a place of the tip are covered: a picture lies with its top up, or in the north.
    let share = |at: IVec3| {
        let strength = u64::from(brush.strength) * 65_536 / 100;
        let Some(picture) = brush.picture.as_ref().filter(|_| brush.shape == BrushShape::Picture) else { return strength };
        let across = if brush.up.axis() == Axis::X { 1 } else { 0 };
        let down = if brush.up.axis() == Axis::Z { 1 } else { 2 };
        let pixel = |axis: usize, side: u32| (2 * (at - stamp.min())[axis] + 1) * side.cast_signed() / (2 * stamp.size()[axis]);
        let [x, y] = [pixel(across, picture.size()[0]), pixel(down, picture.size()[1])];
        u64::from(picture.at(x, y).unwrap()) * strength / 65_535
    };
    let tip: Vec<_> = stamp.positions().filter(|at| inside(*at)).map(|at| (at, share(at))).collect();
    let noise = |field| Noise::new(u64::from(brush.seed), field);
    let (dither, places, tints) = (noise(0), noise(1), noise(2));
    let jitter = brush.jitter.cast_signed();
    for (stamp, (step, center)) in middles(path).into_iter().enumerate().step_by(every as usize).enumerate() {
        let stamp = i32::try_from(stamp).unwrap();
        let beside = |axis: i32| (places.word(IVec3::new(stamp, axis, 0)) % (2 * brush.jitter + 1)).cast_signed() - jitter;
        let mut offset = IVec3::new(beside(0), beside(1), beside(2));
        offset[upright] = 0;
        for (pos, share) in tip.iter().map(|(at, share)| (*at + center + offset, share)) {
            if u64::from(dither.word(pos) >> 16) < *share {
                let tint = tints.word(IVec3::new(stamp, 0, 0)) % 16;
                covered.entry(pos.to_array()).or_insert(Covered { pos, step, tint });
            }
        }
    }
    covered.into_values().collect()
}

/// The color of a stamp.
pub(super) fn tinted(brush: &Brush, color: Rgb, tint: u32) -> Rgb {
    // From black through none of both to white.
    let share = (2.0 * tint as f32 / 15.0 - 1.0) * f32::from(brush.color_jitter) / 100.0;
    color.mixed(if share < 0.0 { Rgb::new(0, 0, 0) } else { Rgb::new(255, 255, 255) }, share.abs())
}

/// How far along a stroke of so many voxels one of them lies. Longer ones than these have steps of several voxels.
pub(super) fn share_of(step: usize, voxels: usize) -> f32 {
    assert!(voxels <= 256);
    if voxels < 2 { 0.0 } else { step as f32 / (voxels - 1) as f32 }
}
