//! Sculpting of volumes in the model: every voxel looks around for itself.

use std::collections::{BTreeMap, BTreeSet};

use glam::IVec3;

use super::model::{Model, color_at, places};
use super::model_tips::middles;
use crate::edit::ops::{Sculpt, SculptAction};
use crate::geom::{ColumnRect, Face, Region, VoxelPos};
use crate::terrain::Noise;
use crate::voxel::{Rgb, Voxel};

/// What is added, in which color, and what is removed.
type Turned = (BTreeMap<[i32; 3], Option<Rgb>>, BTreeSet<[i32; 3]>);
type Amounts = BTreeMap<[i32; 3], (i32, Option<Rgb>)>;

fn cube(reach: i32) -> impl Iterator<Item = IVec3> {
    Region::new(IVec3::splat(-reach), IVec3::splat(reach + 1)).positions()
}

impl Model {
    pub(super) fn sculpt_volume(&mut self, before: &Self, op: &Sculpt) {
        let (added, removed) = before.turned(op);
        for pos in removed.into_iter().map(IVec3::from_array).filter(|pos| pos.z != before.floor()) {
            self.set(pos, None);
        }
        for (pos, color) in added {
            let pos = IVec3::from_array(pos);
            let color = color.or_else(|| before.color_near(pos, op.strength.max(op.size) as i32 + 2));
            self.set(pos, Some(color.map_or(Voxel::HIDDEN, Voxel::new)));
        }
    }

    fn is_solid(&self, pos: VoxelPos) -> bool {
        self.get(pos).is_some()
    }

    fn is_air(&self, pos: VoxelPos) -> bool {
        if self.bounds.contains(pos) { !self.is_solid(pos) } else { pos.z < self.bounds.min().z }
    }

    fn turned(&self, op: &Sculpt) -> Turned {
        let asked = self.asked(op);
        let (mut added, mut removed) = (BTreeMap::new(), BTreeSet::new());
        let gone = if op.action == SculptAction::Melt { self.molten(op, &asked) } else { BTreeSet::new() };
        let is_even = matches!(op.action, SculptAction::Smooth | SculptAction::Erode);
        let evened = if is_even { self.evened(op, &asked) } else { BTreeMap::new() };
        for (&at, &(amount, color)) in &asked {
            let pos = IVec3::from_array(at);
            let solid = self.is_solid(pos);
            let becomes = match op.action {
                SculptAction::Raise => solid || self.is_within(pos, amount, Self::is_solid),
                SculptAction::Lower => solid && !self.is_within(pos, amount, Self::is_air),
                SculptAction::Smooth | SculptAction::Erode => evened.get(&at).copied().unwrap_or(solid),
                SculptAction::Melt => solid && !gone.contains(&at),
                SculptAction::Noise => {
                    let images = places(&self.symmetry).into_iter().map(|place| (place.voxel)(pos));
                    let canonical = images.min_by_key(|image| image.to_array()).unwrap();
                    let noise = Noise::new(u64::from(op.seed), 0);
                    let value = match op.grain {
                        1 => 2.0 * noise.chance(canonical) - 1.0,
                        grain => noise.space((canonical.as_vec3() + 0.37) / grain as f32).clamp(-1.0, 1.0),
                    };
                    let by = (value * amount as f32).round() as i32;
                    if solid {
                        by >= 0 || !self.is_within(pos, -by, Self::is_air)
                    } else {
                        by > 0 && self.is_within(pos, by, Self::is_solid)
                    }
                }
                SculptAction::Terrace => {
                    let (height, step) = (self.floor() - pos.z, op.step as i32);
                    // Ground of this height, and whether rounding takes it up to the voxel.
                    let rounded = |ground: i32| (f64::from(ground) / f64::from(step) + 0.5).floor() as i32 * step;
                    let wanted = (-99..99).find(|ground| rounded(*ground) >= height).unwrap();
                    if height <= 0 { solid } else { self.is_solid(pos - IVec3::Z * (wanted - height).clamp(-amount, amount)) }
                }
                SculptAction::Flatten | SculptAction::Slope => solid,
            };
            if becomes && !solid {
                added.insert(at, color);
            } else if solid && !becomes {
                removed.insert(at);
            }
        }
        (added, removed)
    }

    /// What each voxel of the map is asked for.
    fn asked(&self, op: &Sculpt) -> Amounts {
        let (size, low) = (op.size as i32, -(op.size as i32 / 2));
        let share = |v: i32| ((2 * (v - low) + 1 - size) as f32 / size as f32).powi(2);
        let mut asked = Amounts::new();
        for place in places(&self.symmetry).iter().rev() {
            for center in middles(&op.path) {
                for step in Region::new(IVec3::splat(low), IVec3::splat(low + size)).positions() {
                    let amount =
                        ((1.0 - (share(step.x) + share(step.y) + share(step.z))).max(0.0).powi(2) * op.strength as f32).round() as i32;
                    let pos = (place.voxel)(center + step);
                    let found = asked.get(&pos.to_array()).map_or(0, |(most, _)| *most);
                    if amount > found && self.bounds.contains(pos) {
                        asked.insert(pos.to_array(), (amount, op.color.map(|color| color_at(&self.symmetry, place, color))));
                    }
                }
            }
        }
        asked
    }

    /// Whether something lies as near as so many steps, by turns over sides, and over edges and corners as well.
    fn is_within(&self, pos: VoxelPos, steps: i32, fits: fn(&Self, VoxelPos) -> bool) -> bool {
        let mut near = BTreeSet::from([pos.to_array()]);
        for step in 1..=steps {
            let reach = if step % 2 == 0 { 3 } else { 1 };
            let from: Vec<_> = near.iter().copied().map(IVec3::from_array).collect();
            for at in from {
                near.extend(cube(1).filter(|step| step.abs().element_sum() <= reach).map(|step| (at + step).to_array()));
            }
        }
        near.into_iter().any(|at| fits(self, IVec3::from_array(at)))
    }

    fn molten(&self, op: &Sculpt, asked: &Amounts) -> BTreeSet<[i32; 3]> {
        let mut gone = BTreeSet::new();
        for step in 1..=op.strength as i32 {
            let is_open = |pos: VoxelPos| self.is_air(pos) || gone.contains(&pos.to_array());
            let open_sides = |pos: VoxelPos| Face::ALL.iter().filter(|face| is_open(pos + face.normal())).count();
            let wanted = asked.iter().filter(|(_, (amount, _))| *amount >= step).map(|(at, _)| *at);
            let more: Vec<_> =
                wanted.filter(|at| self.is_solid(IVec3::from_array(*at)) && open_sides(IVec3::from_array(*at)) >= 2).collect();
            gone.extend(more);
        }
        gone
    }

    /// What turned solid or air, by going with most of the voxels around again and again.
    fn evened(&self, op: &Sculpt, asked: &Amounts) -> BTreeMap<[i32; 3], bool> {
        let mut turned: BTreeMap<[i32; 3], bool> = BTreeMap::new();
        for time in 1..=op.strength as i32 {
            let is_full = |pos: VoxelPos| turned.get(&pos.to_array()).copied().unwrap_or_else(|| self.is_solid(pos));
            let mut now = vec![];
            for at in asked.iter().filter(|(_, (amount, _))| *amount >= time).map(|(at, _)| *at) {
                let pos = IVec3::from_array(at);
                let around: Vec<bool> = cube(1).map(|step| pos + step).filter(|near| self.bounds.contains(*near)).map(&is_full).collect();
                let full = around.iter().filter(|full| **full).count();
                let open = around.len() - full;
                if full > open && op.action == SculptAction::Smooth {
                    now.push((at, true));
                } else if open > full && pos.z != self.floor() {
                    now.push((at, false));
                }
            }
            turned.extend(now);
        }
        turned
    }

    /// The ground that the level runs through, else the first below it, no farther than half the brush.
    pub(super) fn leveled_top(&self, op: &Sculpt, [x, y]: [i32; 2], path_z: i32) -> Option<i32> {
        let level = if op.action == SculptAction::Slope { path_z } else { op.level.unwrap_or(op.path[0].z) };
        let reach = op.size.div_ceil(2) as i32;
        let from = level.clamp(self.bounds.min().z, self.bounds.max().z - 1);
        let is_top = |z: i32| {
            let solid = |z| self.is_solid(IVec3::new(x, y, z));
            let clear = |mut between: std::ops::Range<i32>, is: bool| between.all(|z| solid(z) == is);
            solid(z) && !solid(z - 1) && if z > from { clear(from..z, false) } else { clear(z..from + 1, true) }
        };
        let near = (from - reach)..(level + reach + 1).min(self.bounds.max().z);
        near.clone().find(|z| is_top(*z))
    }

    /// What each column is asked for: how much, at which height, in which color.
    pub(super) fn asked_columns(&self, op: &Sculpt) -> BTreeMap<[i32; 2], (i32, i32, Option<Rgb>)> {
        let (size, low) = (op.size as i32, -(op.size as i32 / 2));
        let most = if op.action == SculptAction::Slope { 255 } else { op.strength };
        let share = |v: i32| ((2 * (v - low) + 1 - size) as f32 / size as f32).powi(2);
        let mut asked: BTreeMap<[i32; 2], (i32, i32, Option<Rgb>)> = BTreeMap::new();
        for place in places(&self.symmetry).iter().rev() {
            let color = op.color.map(|color| color_at(&self.symmetry, place, color));
            let mut here: BTreeMap<[i32; 2], (i32, i32, Option<Rgb>)> = BTreeMap::new();
            for center in middles(&op.path) {
                for [x, y] in ColumnRect::new([low, low], [low + size, low + size]).columns() {
                    let at = (place.voxel)(center + IVec3::new(x, y, 0));
                    let amount = ((1.0 - (share(x) + share(y))).max(0.0).powi(2) * most as f32).round() as i32;
                    if amount > here.get(&[at.x, at.y]).map_or(0, |(most, ..)| *most) && self.bounds.columns().contains(at.x, at.y) {
                        here.insert([at.x, at.y], (amount, center.z, color));
                    }
                }
            }
            for (column, stamp) in here {
                let strongest = asked.entry(column).or_insert(stamp);
                if stamp.0 > strongest.0 || (stamp.0 == strongest.0 && stamp.1 < strongest.1) {
                    *strongest = stamp;
                }
            }
        }
        asked
    }

    /// The mean color of the nearest voxels that have one: straight beside, else along the diagonals.
    fn color_near(&self, pos: VoxelPos, reach: i32) -> Option<Rgb> {
        (1..=reach).find_map(|far| {
            [false, true].into_iter().find_map(|diagonal| {
                let steps = cube(1).filter(|step| *step != IVec3::ZERO && (step.abs().element_sum() > 1) == diagonal);
                let found: Vec<Rgb> = steps.filter_map(|step| self.get(pos + step * far)?.rgb()).collect();
                let mean = |part: fn(&Rgb) -> u8| {
                    let sum: usize = found.iter().map(|rgb| usize::from(part(rgb))).sum();
                    (sum as f64 / found.len() as f64 + 0.5).floor() as u8
                };
                (!found.is_empty()).then(|| Rgb::new(mean(|rgb| rgb.r), mean(|rgb| rgb.g), mean(|rgb| rgb.b)))
            })
        })
    }
}
