//! What the model makes of a map of another size, and of one that is moved within its bounds.

use std::collections::BTreeSet;

use glam::IVec3;

use super::model::Model;
use crate::document::Object;
use crate::edit::ops;
use crate::geom::{ColumnRect, Region, VoxelPos};
use crate::voxel::{Paint, Rgb, Voxel};

impl Model {
    fn empty(&self, bounds: Region) -> Self {
        Self { bounds, voxels: vec![None; bounds.volume() as usize], ..self.clone() }
    }

    pub(super) fn floor_color(&self) -> Rgb {
        let plane = self.bounds.positions().filter(|pos| pos.z == self.floor());
        let colors: Vec<Rgb> = plane.filter_map(|pos| self.get(pos)?.rgb()).collect();
        let count = |rgb: &Rgb| colors.iter().filter(|other| *other == rgb).count();
        let kinds: BTreeSet<Rgb> = colors.iter().copied().collect();
        kinds.into_iter().rev().max_by_key(count).unwrap_or(Rgb::new(0x48, 0x68, 0x90))
    }

    pub(super) fn add_floor(&mut self, color: Rgb) {
        let floor = self.floor();
        for pos in self.bounds.positions().filter(|pos| pos.z == floor) {
            if self.get(pos).is_none() {
                self.set(pos, Some(Voxel::new(color)));
            }
        }
    }

    pub(super) fn resized(&self, region: &Region) -> Self {
        let mut after = self.empty(Region::of_size(region.size()));
        for pos in region.positions() {
            let damaged = self.bounds.contains(pos) && self.get(pos).is_none() && region.max().z == self.bounds.max().z;
            let voxel = self.get(pos).or((pos.z == region.max().z - 1 && !damaged).then(|| Voxel::new(self.floor_color())));
            after.set(pos - region.min(), voxel);
        }
        after.move_things(-region.min(), |_, moved| moved);
        after.masks.z = self.masks.z.map(|heights| heights.map(|z| z - region.min().z));
        after.color_all();
        after
    }

    pub(super) fn shifted(&self, op: &ops::Shift) -> Self {
        let mut after = self.empty(self.bounds);
        let size = self.bounds.size() - IVec3::Z;
        let wrapped = |pos: VoxelPos| (pos - self.bounds.min()).rem_euclid(size) + self.bounds.min();
        for pos in self.bounds.positions().filter(|pos| self.get(*pos).is_some()) {
            let is_floor = pos.z == self.floor();
            let to = if is_floor { pos + op.by.with_z(0) } else { pos + op.by };
            match (op.wrap, is_floor) {
                (true, true) => after.set(wrapped(to.with_z(self.bounds.min().z)).with_z(pos.z), self.get(pos)),
                (true, false) => after.set(wrapped(to), self.get(pos)),
                (false, true) => after.set(to, self.get(pos)),
                (false, false) if to.z < self.floor() => after.set(to, self.get(pos)),
                (false, false) => {}
            }
        }
        after.add_floor(self.floor_color());
        let lowest = self.floor() - 1 + op.by.z;
        if !op.wrap && op.by.z < 0 {
            for pos in self.bounds.positions().filter(|pos| pos.z > lowest && pos.z < self.floor()) {
                if after.get(pos.with_z(lowest)).is_some() {
                    after.set(pos, Some(Voxel::HIDDEN));
                }
            }
        }
        let bounds = self.bounds;
        after.move_things(op.by, |object, moved| {
            if !op.wrap {
                return moved;
            }
            let [x, y] = ColumnRect::min(&object.area());
            let from = IVec3::new(x, y, bounds.min().z);
            let to = (from + op.by - bounds.min()).rem_euclid(bounds.size()) + bounds.min();
            object.shifted((to - from).with_z(op.by.z))
        });
        after.color_all();
        after
    }

    fn move_things(&mut self, by: IVec3, object: impl Fn(&Object, Object) -> Object) {
        self.symmetry.center = [self.symmetry.center[0] + 2 * by.x, self.symmetry.center[1] + 2 * by.y];
        self.objects = self.objects.mapped(|old| object(old, old.shifted(by)));
        self.selection = self.moved_selection(by);
    }

    pub(super) fn color_all(&mut self) {
        let before = self.clone();
        for pos in before.bounds.positions() {
            if before.get(pos).is_some_and(|voxel| voxel.paint.is_none()) && before.is_visible(pos) {
                let paint = Some(Paint::new(before.color_above(pos)));
                self.set(pos, before.get(pos).map(|voxel| Voxel { paint, ..voxel }));
            }
        }
    }
}
