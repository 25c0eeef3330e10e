//! What the model makes of fills and paintings that take the colors of a style, one voxel at a time.

use glam::IVec3;

use super::model::{Model, Place, color_at, places};
use crate::edit::paint_style::PaintedAt;
use crate::edit::{Mode, ops};
use crate::geom::{Face, Region, VoxelPos};
use crate::voxel::Rgb;

impl Model {
    pub(super) fn styled(&mut self, before: &Self, op: &ops::Styled) {
        let all = places(&before.symmetry);
        let whole = matches!(&op.of, ops::Filled::FillConnected(of) if of.reach == ops::FillReach::Everywhere);
        // The original is the last one.
        for place in all.iter().skip(if whole { all.len() - 1 } else { 0 }) {
            let corners = [IVec3::ZERO, IVec3::new(1, 2, 3)];
            let is_back = |back: &&Place| corners.iter().all(|pos| (back.voxel)((place.voxel)(*pos)) == *pos);
            let back = all.iter().find(is_back).unwrap();
            let inside = |region: Region, is_in: &dyn Fn(VoxelPos) -> bool| {
                let voxels = region.positions().filter(|pos| is_in(*pos)).map(|pos| (place.voxel)(pos)).collect::<Vec<_>>();
                (voxels, region, region.min() + region.size() / 2)
            };
            let (color, mode) = op.of.paint();
            let color = color_at(&before.symmetry, place, color);
            let (voxels, area, anchor) = match &op.of {
                ops::Filled::Fill(of) => inside(of.region, &|_| true),
                ops::Filled::Shape(of) => inside(of.solid().region(), &|pos| of.solid().contains(pos)),
                ops::Filled::FillConnected(of) => {
                    let at = (place.voxel)(of.at);
                    if !before.bounds.contains(at) {
                        continue;
                    }
                    let normal = (place.voxel)(of.at + of.face.normal()) - at;
                    let face = Face::ALL.into_iter().find(|face| face.normal() == normal).unwrap();
                    let (voxels, _) = before.connected_voxels(&ops::FillConnected { at, face, ..of.clone() });
                    // Walls are solid, and what is laid lies within the map.
                    let voxels: Vec<_> = voxels
                        .into_iter()
                        .filter(|pos| {
                            before.bounds.contains(*pos)
                                && (of.reach != ops::FillReach::Air || mode == Mode::Add || before.get(*pos).is_some())
                        })
                        .collect();
                    let boxes = voxels.iter().map(|pos| (back.voxel)(*pos)).map(|pos| Region::between(pos, pos));
                    let area = boxes.fold(Region::EMPTY, |all, one| all.union(&one));
                    (voxels, area, of.at)
                }
            };
            let style = op.style.recolored(|color| color_at(&before.symmetry, place, color)).in_box();
            let known = |pos| before.get(pos).and_then(|voxel| voxel.rgb());
            for pos in voxels {
                let canonical = all.iter().map(|place| (place.voxel)(pos)).min_by_key(|image| image.to_array()).unwrap();
                let old = if mode == Mode::Paint { known(pos).unwrap_or_else(|| before.color_above(pos)) } else { color };
                let at = PaintedAt { original: (back.voxel)(pos), canonical, share: 0.0 };
                match style.color(old, at, (&area, anchor, op.seed), |step| known(pos + step)) {
                    Some(styled) => self.edit(before, [pos], styled, mode),
                    None if mode == Mode::Paint => {}
                    None => self.edit(before, [pos], color, mode),
                }
            }
        }
    }
}

/// The color that painting gives a voxel, so far along the stroke.
pub(super) fn painted(
    before: &Model,
    op: &ops::PaintStroke,
    place: &Place,
    (original, share): (VoxelPos, f32),
    area: &Region,
) -> Option<Rgb> {
    let pos = (place.voxel)(original);
    let known = |pos| before.get(pos).and_then(|voxel| voxel.rgb());
    let canonical = places(&before.symmetry).iter().map(|place| (place.voxel)(pos)).min_by_key(|image| image.to_array()).unwrap();
    let style = op.style.recolored(|color| color_at(&before.symmetry, place, color));
    let old = known(pos).unwrap_or_else(|| before.color_above(pos));
    let anchor = op.path.first().copied().unwrap_or(area.min() + area.size() / 2);
    style.color(old, PaintedAt { original, canonical, share }, (area, anchor, op.brush.seed), |step| known(pos + step))
}
