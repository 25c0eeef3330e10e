//! What the model makes of heightmaps and of sculpting, one column at a time.

use glam::IVec3;

use super::model::{Model, Place, color_at, places};
use crate::edit::{Mode, ops};
use crate::geom::{ColumnRect, Region};
use crate::terrain::Noise;
use crate::voxel::Voxel;

impl Model {
    pub(super) fn heightmap(&mut self, before: &Self, op: &ops::Heightmap) {
        for place in places(&before.symmetry).iter().rev() {
            self.heightmap_once(before, op, place);
        }
    }

    fn heightmap_once(&mut self, before: &Self, op: &ops::Heightmap, place: &Place) {
        let [width, height] = op.image.size().map(|side| side as i32);
        for [x, y] in Region::of_size(IVec3::new(width, height, 1)).columns().columns() {
            let share = op.curve.at(f64::from(op.image.at(x, y).unwrap()) / 65535.0);
            let color = op.colors.as_ref().map(|colors| colors.at(x, y).unwrap()).or(op.color);
            let color = color.map(|color| color_at(&before.symmetry, place, color));
            let from = (place.voxel)(op.at + IVec3::new(x, y, 0));
            let mut below = (from.z..self.bounds.max().z).map(|z| from.with_z(z));
            let Some(top) = below.find(|pos| before.get(*pos).is_some()) else { continue };
            for step in 1..=(share * f64::from(op.height)).round() as i32 {
                if op.mode == ops::HeightmapMode::Additive {
                    let at = top - IVec3::Z * step;
                    if self.get(at).is_some() || !self.bounds.contains(at) {
                        break;
                    }
                    let color = color.or(before.get(top).and_then(|voxel| voxel.rgb()));
                    self.set(at, Some(color.map_or(Voxel::HIDDEN, Voxel::new)));
                    continue;
                }
                let at = top + IVec3::Z * (step - 1);
                if at.z == self.floor() || self.get(at).is_none() {
                    break;
                }
                self.set(at, None);
                let is_last = step == (share * f64::from(op.height)).round() as i32;
                if let Some(color) = color.filter(|_| is_last && at.z + 1 != self.floor()) {
                    let now = self.clone();
                    self.edit(&now, [at + IVec3::Z], color, Mode::Paint);
                }
            }
        }
    }

    pub(super) fn sculpt(&mut self, before: &Self, op: &ops::Sculpt) {
        let levels = matches!(op.action, ops::SculptAction::Flatten | ops::SculptAction::Slope);
        if op.form == ops::SculptForm::Volume && !levels {
            return self.sculpt_volume(before, op);
        }
        for ([x, y], (amount, z, color)) in before.asked_columns(op) {
            let found = match op.form {
                ops::SculptForm::Column => before.sculpted_top(op, x, y, z),
                ops::SculptForm::Volume => before.leveled_top(op, [x, y], z),
            };
            let Some(top) = found else { continue };
            let mean = || {
                let around = ColumnRect::new([x - 2, y - 2], [x + 3, y + 3]).intersection(&self.bounds.columns());
                let tops: Vec<_> = around.columns().filter_map(|[x, y]| before.sculpted_top(op, x, y, top)).collect();
                (tops.iter().map(|other| f64::from(top - other)).sum::<f64>() / tops.len() as f64).round() as i32
            };
            let up = match op.action {
                ops::SculptAction::Raise => amount,
                ops::SculptAction::Lower => -amount,
                ops::SculptAction::Smooth => mean().clamp(-amount, amount),
                ops::SculptAction::Flatten => (top - op.level.unwrap_or(op.path[0].z)).clamp(-amount, amount),
                ops::SculptAction::Slope => (f64::from((top - z) * amount) / 255.0).round() as i32,
                ops::SculptAction::Erode => mean().clamp(-amount, 0),
                ops::SculptAction::Melt => {
                    let beside = [[x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]]
                        .into_iter()
                        .filter(|[x, y]| self.bounds.columns().contains(*x, *y));
                    let lowest = beside.filter_map(|[x, y]| before.sculpted_top(op, x, y, top)).max().unwrap_or(top);
                    -(lowest - top).clamp(0, amount)
                }
                ops::SculptAction::Noise => {
                    let images = places(&before.symmetry).into_iter().map(|place| (place.voxel)(IVec3::new(x, y, 0)));
                    let canonical = images.min_by_key(|image| image.to_array()).unwrap();
                    let noise = Noise::new(u64::from(op.seed), 0);
                    let value = match op.grain {
                        1 => 2.0 * noise.chance(canonical) - 1.0,
                        grain => noise.space((canonical.as_vec3() + 0.37) / grain as f32).clamp(-1.0, 1.0),
                    };
                    (value * amount as f32).round() as i32
                }
                ops::SculptAction::Terrace => {
                    let height = f64::from(self.floor() - top);
                    let wanted = (height / f64::from(op.step) + 0.5).floor() * f64::from(op.step);
                    ((wanted - height) as i32).clamp(-amount, amount)
                }
            };
            let at = IVec3::new(x, y, top);
            let old = before.get(at).and_then(|voxel| voxel.rgb());
            for step in 1..=up {
                let at = at - IVec3::Z * step;
                if self.get(at).is_some() || !self.bounds.contains(at) {
                    break;
                }
                self.set(at, Some(color.or(old).map_or(Voxel::HIDDEN, Voxel::new)));
            }
            for step in 0..-up {
                let at = at + IVec3::Z * step;
                if at.z == self.floor() || self.get(at).is_none() {
                    break;
                }
                self.set(at, None);
                if let Some(color) = color.filter(|_| step == -up - 1 && at.z + 1 != self.floor()) {
                    let now = self.clone();
                    self.edit(&now, [at + IVec3::Z], color, Mode::Paint);
                }
            }
        }
    }

    /// The ground that sculpting at a height finds: down from air; up within the ground, as far as the disc is wide.
    pub(super) fn sculpted_top(&self, op: &ops::Sculpt, x: i32, y: i32, z: i32) -> Option<i32> {
        let solid = |z: i32| self.get(IVec3::new(x, y, z)).is_some();
        let mut z = z.clamp(self.bounds.min().z, self.bounds.max().z - 1);
        if !solid(z) {
            return (z..self.bounds.max().z).find(|z| solid(*z));
        }
        let more = if op.action == ops::SculptAction::Slope { 64 } else { 0 };
        for _ in 0..=op.size + op.strength + more {
            if z == self.bounds.min().z || !solid(z - 1) {
                return Some(z);
            }
            z -= 1;
        }
        None
    }
}
