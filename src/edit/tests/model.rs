//! A plain array of voxels that does what the documentation of each command says, one voxel at a time.

use std::collections::BTreeSet;

use glam::IVec3;

use crate::document::{Document, Object, Objects};
use crate::edit::{Brush, BrushShape, Command, DEFAULT_DIRT, Mode, ops};
use crate::geom::{Face, Region, VoxelPos, raster};
use crate::voxel::{Paint, Rgb, Voxel};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Model {
    pub bounds: Region,
    voxels: Vec<Option<Voxel>>,
    pub selection: Option<Region>,
    pub dirt: Option<Rgb>,
    pub objects: Objects,
}

impl Model {
    pub fn of(document: &Document) -> Self {
        let bounds = document.bounds();
        let voxels = bounds.positions().map(|pos| document.store().voxel(pos)).collect();
        Self { bounds, voxels, selection: document.selection, dirt: document.dirt, objects: (*document.objects).clone() }
    }

    fn index(&self, pos: VoxelPos) -> Option<usize> {
        let (at, size) = (pos - self.bounds.min(), self.bounds.size());
        self.bounds.contains(pos).then(|| ((at.y * size.x + at.x) * size.z + at.z) as usize)
    }

    pub fn get(&self, pos: VoxelPos) -> Option<Voxel> {
        self.index(pos).and_then(|index| self.voxels[index])
    }

    fn set(&mut self, pos: VoxelPos, voxel: Option<Voxel>) {
        if let Some(index) = self.index(pos) {
            self.voxels[index] = voxel;
        }
    }

    pub fn floor(&self) -> i32 {
        self.bounds.max().z - 1
    }

    fn is_visible(&self, pos: VoxelPos) -> bool {
        let is_open = |face: &Face| {
            let beside = pos + face.normal();
            if self.bounds.contains(beside) { self.get(beside).is_none() } else { *face == Face::MinusZ }
        };
        self.get(pos).is_some() && Face::ALL.iter().any(is_open)
    }

    /// What the command makes of the map; sculpting is not modelled and answers `None`.
    pub fn after(&self, command: &Command) -> Option<Self> {
        let mut after = self.clone();
        let none = Rgb::new(0, 0, 0);
        match command {
            Command::Set(op) => after.edit(self, [op.at], op.color, Mode::Set),
            Command::Remove(op) => after.edit(self, [op.at], none, Mode::Remove),
            Command::Fill(op) => after.edit(self, op.region.intersection(&self.bounds).positions(), op.color, op.mode),
            Command::Stroke(op) => after.edit(self, stroke(&op.brush, &op.path), op.color, op.mode),
            Command::Line(op) => after.edit(self, stroke(&op.brush, &[op.from, op.to]), op.color, op.mode),
            Command::FillConnected(op) => after.fill_connected(self, op),
            Command::ReplaceColor(op) => after.replace(self, op),
            Command::Select(op) => after.selection = op.region.map(|region| region.intersection(&self.bounds)),
            Command::DeleteSelection(_) => after.edit(self, self.selected(), none, Mode::Remove),
            Command::MoveSelection(op) => after.transfer(self, op.by, Some(Mode::Remove)),
            Command::CopySelection(op) => after.transfer(self, op.by, None),
            Command::Paste(op) => {
                let size = op.clip.size();
                for pos in Region::of_size(size).positions() {
                    after.place(pos + op.at, op.clip.store().voxel(pos));
                }
                after.selection = Some(Region::of_size(size).shifted(op.at).intersection(&self.bounds));
            }
            Command::Resize(op) => return Some(self.resized(&op.region)),
            Command::Crop(_) => {
                let (bounds, selection) = (self.bounds, self.selection?);
                let region = Region::new(selection.min().with_z(bounds.min().z), selection.max().with_z(bounds.max().z));
                return Some(self.resized(&region));
            }
            Command::Shift(op) => return Some(self.shifted(op)),
            Command::RepairColumns(_) => after.add_floor(self.floor_color()),
            Command::SetDirt(op) => after.dirt = op.color,
            Command::Sculpt(_) => return None,
            Command::Heightmap(op) => after.heightmap(self, op),
            Command::ClearSpawns(op) => after.objects.0.retain(|_, object| !(object.is_spawn() && object.team() == Some(op.team))),
            Command::AddObject(op) => drop(after.objects.push(op.0.clone())),
            Command::SetProperty(_) | Command::Spawn(_) | Command::SetObject(_) | Command::RemoveObject(_) => return None,
        }
        after.color_uncovered(self);
        Some(after)
    }

    fn edit(&mut self, before: &Self, voxels: impl IntoIterator<Item = VoxelPos>, color: Rgb, mode: Mode) {
        for pos in voxels {
            let recolored =
                |voxel: Voxel| Voxel { paint: Some(Paint { rgb: color, shade: voxel.paint.map_or(0x80, |paint| paint.shade) }), ..voxel };
            match (mode, before.get(pos)) {
                (Mode::Add | Mode::Set, None) => self.set(pos, Some(Voxel::new(color))),
                (Mode::Remove, Some(_)) if pos.z != self.floor() => self.set(pos, None),
                (Mode::Set, Some(voxel)) => self.set(pos, Some(recolored(voxel))),
                (Mode::Paint, Some(voxel)) if voxel.paint.is_some() || before.is_visible(pos) => self.set(pos, Some(recolored(voxel))),
                _ => {}
            }
        }
    }

    fn place(&mut self, pos: VoxelPos, voxel: Option<Voxel>) {
        if let Some(voxel) = voxel {
            let paint = voxel.paint.or(self.get(pos).and_then(|old| old.paint));
            self.set(pos, Some(Voxel { paint, ..voxel }));
        }
    }

    fn selected(&self) -> Vec<VoxelPos> {
        self.selection.into_iter().flat_map(|region| region.positions()).collect()
    }

    fn transfer(&mut self, before: &Self, by: IVec3, source: Option<Mode>) {
        if let Some(mode) = source {
            self.edit(before, before.selected(), Rgb::new(0, 0, 0), mode);
        }
        for pos in before.selected().into_iter().filter(|pos| pos.z != before.floor()) {
            self.place(pos + by, before.get(pos));
        }
        self.selection = before.selection.map(|selection| selection.shifted(by).intersection(&before.bounds));
    }

    fn fill_connected(&mut self, before: &Self, op: &ops::FillConnected) {
        let rgb = |pos| before.get(pos).and_then(|voxel| voxel.rgb());
        let fits = |pos: VoxelPos| {
            before.is_visible(pos)
                && match (rgb(pos), rgb(op.at)) {
                    (Some(a), Some(b)) => a.to_array().iter().zip(b.to_array()).all(|(a, b)| a.abs_diff(b) <= op.tolerance),
                    (a, b) => a == b,
                }
        };
        let steps: Vec<IVec3> = Region::new(IVec3::splat(-1), IVec3::splat(2)).positions().collect();
        let reach = if op.edges { 2 } else { 1 };
        let (mut seen, mut queue) = (BTreeSet::new(), vec![op.at]);
        while let Some(pos) = queue.pop() {
            if fits(pos) && seen.insert(pos.to_array()) {
                queue.extend(steps.iter().filter(|step| step.abs().element_sum() <= reach).map(|step| pos + step));
            }
        }
        let seen = seen.into_iter().map(IVec3::from_array);
        match op.mode {
            Mode::Add => self.edit(before, seen.map(|pos| pos + op.face.normal()), op.color, Mode::Add),
            Mode::Set | Mode::Paint => self.edit(before, seen, op.color, Mode::Paint),
            Mode::Remove => self.edit(before, seen, op.color, Mode::Remove),
        }
    }

    fn heightmap(&mut self, before: &Self, op: &ops::Heightmap) {
        let [width, height] = op.image.size().map(|side| side as i32);
        for [x, y] in Region::of_size(IVec3::new(width, height, 1)).columns().columns() {
            let share = op.curve.at(f64::from(op.image.at(x, y).unwrap()) / 65535.0);
            let color = op.colors.as_ref().map(|colors| colors.at(x, y).unwrap()).or(op.color);
            let from = op.at + IVec3::new(x, y, 0);
            let mut below = (from.z..self.bounds.max().z).map(|z| from.with_z(z));
            let Some(top) = below.find(|pos| before.get(*pos).is_some()) else { continue };
            for step in 1..=(share * f64::from(op.height)).round() as i32 {
                if op.mode == ops::HeightmapMode::Additive {
                    let at = top - IVec3::Z * step;
                    if before.get(at).is_some() || !self.bounds.contains(at) {
                        break;
                    }
                    let color = color.or(before.get(top).and_then(|voxel| voxel.rgb()));
                    self.set(at, Some(color.map_or(Voxel::HIDDEN, Voxel::new)));
                    continue;
                }
                let at = top + IVec3::Z * (step - 1);
                if at.z == self.floor() || before.get(at).is_none() {
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

    fn replace(&mut self, before: &Self, op: &ops::ReplaceColor) {
        let region = before.selection.unwrap_or(before.bounds);
        let near = |rgb: Rgb| rgb.to_array().iter().zip(op.from.to_array()).all(|(a, b)| a.abs_diff(b) <= op.tolerance);
        let found: Vec<_> = region.positions().filter(|pos| before.get(*pos).and_then(|voxel| voxel.rgb()).is_some_and(near)).collect();
        self.edit(before, found, op.to, Mode::Paint);
    }

    fn empty(&self, bounds: Region) -> Self {
        Self { bounds, voxels: vec![None; bounds.volume() as usize], ..self.clone() }
    }

    fn floor_color(&self) -> Rgb {
        let plane = self.bounds.positions().filter(|pos| pos.z == self.floor());
        let colors: Vec<Rgb> = plane.filter_map(|pos| self.get(pos)?.rgb()).collect();
        let count = |rgb: &Rgb| colors.iter().filter(|other| *other == rgb).count();
        let kinds: BTreeSet<Rgb> = colors.iter().copied().collect();
        kinds.into_iter().rev().max_by_key(count).unwrap_or(Rgb::new(0x48, 0x68, 0x90))
    }

    fn add_floor(&mut self, color: Rgb) {
        let floor = self.floor();
        for pos in self.bounds.positions().filter(|pos| pos.z == floor) {
            if self.get(pos).is_none() {
                self.set(pos, Some(Voxel::new(color)));
            }
        }
    }

    fn resized(&self, region: &Region) -> Self {
        let mut after = self.empty(Region::of_size(region.size()));
        for pos in region.positions() {
            let damaged = self.bounds.contains(pos) && self.get(pos).is_none() && region.max().z == self.bounds.max().z;
            let voxel = self.get(pos).or((pos.z == region.max().z - 1 && !damaged).then(|| Voxel::new(self.floor_color())));
            after.set(pos - region.min(), voxel);
        }
        after.move_things(-region.min(), |_, moved| moved);
        after.color_all();
        after
    }

    fn shifted(&self, op: &ops::Shift) -> Self {
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
            let [x, y] = crate::geom::ColumnRect::min(&object.area());
            let from = IVec3::new(x, y, bounds.min().z);
            let to = (from + op.by - bounds.min()).rem_euclid(bounds.size()) + bounds.min();
            object.shifted((to - from).with_z(op.by.z))
        });
        after.color_all();
        after
    }

    fn move_things(&mut self, by: IVec3, object: impl Fn(&Object, Object) -> Object) {
        self.objects = Objects(self.objects.iter().map(|(id, old)| (id, object(old, old.shifted(by)))).collect());
        let selection = self.selection.map(|selection| selection.shifted(by).intersection(&self.bounds));
        self.selection = selection.filter(|selection| !selection.is_empty());
    }

    fn color_above(&self, at: VoxelPos) -> Rgb {
        let above = (self.bounds.min().z..at.z).rev().find_map(|z| self.get(at.with_z(z))?.rgb());
        self.dirt.or(above).unwrap_or(DEFAULT_DIRT)
    }

    fn color_uncovered(&mut self, before: &Self) {
        let uncovered =
            |pos: &VoxelPos| self.get(*pos).is_some_and(|voxel| voxel.paint.is_none()) && self.is_visible(*pos) && !before.is_visible(*pos);
        let found: Vec<_> = self.bounds.positions().filter(uncovered).collect();
        for pos in found {
            let paint = Some(Paint::new(Self { dirt: self.dirt, ..before.clone() }.color_above(pos)));
            self.set(pos, self.get(pos).map(|voxel| Voxel { paint, ..voxel }));
        }
    }

    fn color_all(&mut self) {
        let before = self.clone();
        for pos in before.bounds.positions() {
            if before.get(pos).is_some_and(|voxel| voxel.paint.is_none()) && before.is_visible(pos) {
                let paint = Some(Paint::new(before.color_above(pos)));
                self.set(pos, before.get(pos).map(|voxel| Voxel { paint, ..voxel }));
            }
        }
    }
}

fn stroke(brush: &Brush, path: &[VoxelPos]) -> Vec<VoxelPos> {
    let mut covered = BTreeSet::new();
    let size = brush.size as i32;
    let mut segments: Vec<(VoxelPos, VoxelPos)> = path.windows(2).map(|pair| (pair[0], pair[1])).collect();
    segments.extend(path.first().map(|first| (*first, *first)));
    for center in segments.into_iter().flat_map(|(a, b)| raster::line(a, b)) {
        let stamp = Region::of_size(IVec3::splat(size));
        for at in stamp.positions() {
            let [x, y, z] = (at * 2 + 1 - size).to_array().map(|v| v * v);
            let inside = match brush.shape {
                BrushShape::Ball => x + y + z <= size * size,
                BrushShape::Cube => true,
                BrushShape::Cylinder => x + y <= size * size,
            };
            if inside {
                covered.insert((at + center - size / 2).to_array());
            }
        }
    }
    covered.into_iter().map(IVec3::from_array).collect()
}
