//! What the model makes of selections and their transforms, one voxel at a time.

use std::collections::BTreeSet;

use glam::IVec3;

use super::model::{Model, places};
use crate::document::Combine;
use crate::edit::{Mode, ops};
use crate::geom::{Face, Orientation, Region, VoxelPos, raster};
use crate::voxel::Rgb;

type Set = BTreeSet<[i32; 3]>;

impl Model {
    pub(super) fn combined(&self, how: Combine, fresh: Set) -> Set {
        match how {
            Combine::Replace => fresh,
            Combine::Add => self.selection.union(&fresh).copied().collect(),
            Combine::Subtract => self.selection.difference(&fresh).copied().collect(),
            Combine::Intersect => self.selection.intersection(&fresh).copied().collect(),
        }
    }

    /// What has nothing but selected voxels so far around it.
    pub(super) fn shrunk(&self, by: u32) -> Set {
        let by = by as i32;
        let near = |at: &[i32; 3]| Region::new(IVec3::splat(-by), IVec3::splat(by + 1)).shifted((*at).into());
        let whole = |at: &&[i32; 3]| near(at).positions().all(|pos| self.selection.contains(&pos.to_array()));
        self.selection.iter().filter(whole).copied().collect()
    }

    pub(super) fn selection_bounds(&self) -> Region {
        self.selection.iter().fold(Region::EMPTY, |all, at| all.union(&Region::between((*at).into(), (*at).into())))
    }

    pub(super) fn connected(&self, op: &ops::SelectConnected) -> Set {
        let rgb = |pos| self.get(pos).and_then(|voxel| voxel.rgb());
        let fits = |pos: VoxelPos| {
            let beside = pos + op.face.normal();
            let open = if self.bounds.contains(beside) { self.get(beside).is_none() } else { op.face == Face::MinusZ };
            let kind = match (op.by, rgb(pos), rgb(op.at)) {
                (ops::Connection::Solid, ..) => pos.z != self.floor(),
                (ops::Connection::Surface, ..) => open,
                (_, Some(a), Some(b)) => a.to_array().iter().zip(b.to_array()).all(|(a, b)| a.abs_diff(b) <= op.tolerance),
                (_, a, b) => a == b,
            };
            self.get(pos).is_some() && kind && op.lowest.is_none_or(|lowest| pos.z <= lowest)
        };
        let steps: Vec<IVec3> = Region::new(IVec3::splat(-1), IVec3::splat(2)).positions().collect();
        let reach = if op.edges { 2 } else { 1 };
        let (mut seen, mut queue) = (Set::new(), vec![op.at]);
        while let Some(pos) = queue.pop() {
            if fits(pos) && seen.insert(pos.to_array()) {
                queue.extend(steps.iter().filter(|step| step.abs().element_sum() <= reach).map(|step| pos + step));
            }
        }
        seen
    }

    pub(super) fn lassoed(&self, op: &ops::SelectLasso) -> Set {
        let edges: Vec<_> = op.outline.iter().zip(op.outline.iter().cycle().skip(1)).collect();
        let flat = |at: &[i32; 2]| IVec3::new(at[0], at[1], 0);
        let on: BTreeSet<[i32; 2]> = edges.iter().flat_map(|(a, b)| raster::line(flat(a), flat(b))).map(|at| [at.x, at.y]).collect();
        let inside = |x: i32, y: i32| {
            let right = |(a, b): &&(&[i32; 2], &[i32; 2])| {
                let share = f64::from(y - a[1]) / f64::from(b[1] - a[1]);
                (a[1] <= y) != (b[1] <= y) && f64::from(a[0]) + share * f64::from(b[0] - a[0]) > f64::from(x)
            };
            edges.iter().filter(right).count() % 2 == 1 || on.contains(&[x, y])
        };
        let columns: BTreeSet<[i32; 2]> = self.bounds.columns().columns().filter(|[x, y]| inside(*x, *y)).collect();
        let found = self.bounds.positions().filter(|pos| columns.contains(&[pos.x, pos.y]));
        found.filter(|pos| op.columns || self.is_visible(*pos)).map(IVec3::into).collect()
    }

    /// `None` where a free turn brings the middle of a voxel onto the border of two: either may be meant.
    pub(super) fn transform(&mut self, before: &Self, op: &ops::TransformSelection) -> Option<()> {
        // The nearest quarter turn, and what is left of -45 to 45 degrees.
        let quarters = (op.angle.0 + 45_000).div_euclid(90_000);
        let rest = f64::from(op.angle.0 - quarters * 90_000) / 1000.0;
        let quarters = quarters.rem_euclid(4);
        let turn = |v: IVec3| {
            let v = op.axes[0].normal() * v.x + op.axes[1].normal() * v.y + op.axes[2].normal() * v.z;
            (0..quarters).fold(v, |v, _| Orientation::quarter_turn_z().apply(v))
        };
        let scale = if quarters % 2 == 0 { op.scale } else { [op.scale[1], op.scale[0], op.scale[2]] };
        let old = before.selection_bounds();
        let corners = [turn(old.min()), turn(old.max() - 1)];
        let away = Region::between(corners[0], corners[1]);
        let turned = middle(&old, away.size());
        let size = [0, 1, 2].map(|axis| ((i64::from(away.size()[axis]) * i64::from(scale[axis].0) + 500) / 1000).max(1) as i32);
        let result = middle(&turned, size.into());
        let result = result.shifted(IVec3::Z * (turned.max().z - result.max().z));
        // Which voxel of the turned box each comes from; and which of the selection comes to lie there.
        let mut pairs = vec![];
        for from in before.selected() {
            let at = turn(from) - away.min();
            let range = |axis: usize| {
                (0..size[axis]).filter(move |i| {
                    ((f64::from(*i) + 0.5) * f64::from(away.size()[axis]) / f64::from(size[axis])).floor() as i32 == at[axis]
                })
            };
            for x in range(0) {
                for y in range(1) {
                    pairs.extend(range(2).map(|z| (result.min() + IVec3::new(x, y, z), from)));
                }
            }
        }
        if rest != 0.0 {
            pairs = turned_freely(&pairs, &result, rest)?;
        }
        if op.copies == 0 {
            self.draw(before, &before.selected(), Rgb::new(0, 0, 0), Mode::Remove);
        }
        for place in places(&before.symmetry) {
            for copy in 1..=op.copies.max(1) as i32 {
                for (at, from) in pairs.iter().filter(|(_, from)| from.z != before.floor()) {
                    self.place((place.voxel)(*at + op.by * copy), before.get((place.voxel)(*from)));
                }
            }
        }
        let moved = |copy: i32| pairs.iter().map(move |(at, _)| *at + op.by * copy);
        let all = (1..=op.copies.max(1) as i32).flat_map(moved).filter(|at| self.bounds.contains(*at)).map(IVec3::into).collect();
        self.selection = all;
        Some(())
    }
}

/// Each place around that comes to lie on one of these when it is turned back about the upright axis through the middle of the
/// box, with where that one comes from. `None` where a place comes to lie on a border.
fn turned_freely(pairs: &[(IVec3, IVec3)], around: &Region, degrees: f64) -> Option<Vec<(IVec3, IVec3)>> {
    let reach = around.size().x.max(around.size().y);
    let (sin, cos) = degrees.to_radians().sin_cos();
    let middle = |axis: usize| f64::from(around.min()[axis] + around.max()[axis]) / 2.0;
    let mut turned = vec![];
    for x in around.min().x - reach..around.max().x + reach {
        for y in around.min().y - reach..around.max().y + reach {
            let (from_x, from_y) = (f64::from(x) + 0.5 - middle(0), f64::from(y) + 0.5 - middle(1));
            let back = [middle(0) + from_x * cos + from_y * sin, middle(1) + from_y * cos - from_x * sin];
            if back.iter().any(|at| (at - at.round()).abs() < 1e-6) {
                return None;
            }
            let on = |at: &IVec3| at.x == back[0].floor() as i32 && at.y == back[1].floor() as i32;
            turned.extend(pairs.iter().filter(|(at, _)| on(at)).map(|(at, from)| (IVec3::new(x, y, at.z), *from)));
        }
    }
    Some(turned)
}

/// A box of another size about the middle; of half a voxel, odd sides go to the smaller and even ones to the larger coordinates.
fn middle(old: &Region, size: IVec3) -> Region {
    let at = [0, 1, 2].map(|axis| {
        let exact = f64::from(old.min()[axis]) + f64::from(old.size()[axis] - size[axis]) / 2.0;
        if old.size()[axis] % 2 == 1 { exact.floor() as i32 } else { exact.ceil() as i32 }
    });
    Region::of_size(size).shifted(at.into())
}
