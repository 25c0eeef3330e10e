//! A plain array of voxels that does what the documentation of each command says, one voxel at a time.

use std::collections::BTreeSet;

use glam::IVec3;

use super::model_styled::painted;
use super::model_tips::{middles, share_of, stamp_box, stamp_place, stroke, tinted};
use crate::document::{Document, Masks, Matter, Metadata, Object, Objects, Property, Symmetry, SymmetryKind};
use crate::edit::{Brush, Command, DEFAULT_DIRT, Mode, PaintStyle, ops};
use crate::geom::{ColumnRect, Face, Region, VoxelPos};
use crate::voxel::{Extra, Paint, Rgb, Voxel, VoxelKind};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Model {
    pub bounds: Region,
    pub(super) voxels: Vec<Option<Voxel>>,
    /// Empty where nothing is selected.
    pub selection: BTreeSet<[i32; 3]>,
    pub dirt: Option<Rgb>,
    pub objects: Objects,
    pub metadata: Metadata,
    pub masks: Masks,
    pub symmetry: Symmetry,
    /// Whether the map tells of what kind its voxels are.
    pub(super) tells_kinds: bool,
}

/// One place where an edit happens.
pub(super) struct Place {
    pub voxel: Box<dyn Fn(VoxelPos) -> VoxelPos>,
    pub other_side: bool,
}

/// The images of an edit, the original last.
pub(super) fn places(symmetry: &Symmetry) -> Vec<Place> {
    let [cx, cy] = symmetry.center;
    let place = |other_side, voxel: fn([i32; 2], [i32; 2]) -> [i32; 2]| Place {
        voxel: Box::new(move |pos: VoxelPos| {
            let [x, y] = voxel([pos.x, pos.y], [cx, cy]);
            IVec3::new(x, y, pos.z)
        }),
        other_side,
    };
    let mirror_x = || place(true, |[x, y], [cx, _]| [cx - 1 - x, y]);
    let mirror_y = |other_side| place(other_side, |[x, y], [_, cy]| [x, cy - 1 - y]);
    let half = |other_side| place(other_side, |[x, y], [cx, cy]| [cx - 1 - x, cy - 1 - y]);
    let right = || place(true, |[x, y], [cx, cy]| [(cx + cy) / 2 - 1 - y, x + (cy - cx) / 2]);
    let left = || place(true, |[x, y], [cx, cy]| [y - (cy - cx) / 2, (cx + cy) / 2 - 1 - x]);
    let mut all = match symmetry.kind {
        SymmetryKind::Off => vec![],
        SymmetryKind::MirrorX => vec![mirror_x()],
        SymmetryKind::MirrorY => vec![mirror_y(true)],
        SymmetryKind::MirrorBoth => vec![half(true), mirror_y(false), mirror_x()],
        SymmetryKind::Turn180 => vec![half(true)],
        SymmetryKind::Turn90 => vec![left(), half(false), right()],
    };
    all.push(place(false, |at, _| at));
    all
}

pub(super) fn color_at(symmetry: &Symmetry, place: &Place, color: Rgb) -> Rgb {
    if !place.other_side {
        return color;
    }
    for [a, b] in &symmetry.swap_colors {
        if color == *a {
            return *b;
        }
        if color == *b {
            return *a;
        }
    }
    color
}

/// Of another color, with its shade and attributes, but for those of a tile: of another color it is another one.
fn recolored(voxel: Voxel, color: Rgb) -> Voxel {
    let mut extra = voxel.extra;
    if voxel.paint.map(|paint| paint.rgb) != Some(color) {
        extra.tile = None;
    }
    Voxel { paint: Some(Paint { rgb: color, shade: voxel.paint.map_or(0x80, |paint| paint.shade) }), extra }
}

impl Model {
    pub fn of(document: &Document) -> Self {
        let bounds = document.bounds();
        let voxels = bounds.positions().map(|pos| document.store().voxel(pos)).collect();
        Self {
            bounds,
            voxels,
            selection: document.selection.iter().flat_map(|all| all.to_mask().positions().collect::<Vec<_>>()).map(IVec3::into).collect(),
            dirt: document.dirt,
            objects: (*document.objects).clone(),
            metadata: (*document.metadata).clone(),
            masks: (*document.masks).clone(),
            symmetry: (*document.symmetry).clone(),
            tells_kinds: document.tells_kinds(),
        }
    }

    fn index(&self, pos: VoxelPos) -> Option<usize> {
        let (at, size) = (pos - self.bounds.min(), self.bounds.size());
        self.bounds.contains(pos).then(|| ((at.y * size.x + at.x) * size.z + at.z) as usize)
    }

    pub fn get(&self, pos: VoxelPos) -> Option<Voxel> {
        self.index(pos).and_then(|index| self.voxels[index])
    }

    pub fn set(&mut self, pos: VoxelPos, voxel: Option<Voxel>) {
        if let Some(index) = self.index(pos) {
            self.voxels[index] = voxel;
        }
    }

    pub fn floor(&self) -> i32 {
        self.bounds.max().z - 1
    }

    /// Whether the voxel can be seen, and nobody knows its colour.
    fn is_bare(&self, pos: VoxelPos) -> bool {
        self.get(pos).is_some_and(|voxel| voxel.paint.is_none()) && self.is_visible(pos)
    }

    pub fn is_visible(&self, pos: VoxelPos) -> bool {
        let is_open = |face: &Face| {
            let beside = pos + face.normal();
            if self.bounds.contains(beside) { self.get(beside).is_none() } else { *face == Face::MinusZ }
        };
        self.get(pos).is_some() && Face::ALL.iter().any(is_open)
    }

    /// What the command makes of the map; `None` for what is not modelled.
    pub fn after(&self, command: &Command) -> Option<Self> {
        let mut after = self.clone();
        let none = Rgb::new(0, 0, 0);
        match command {
            Command::Set(op) => after.draw(self, &[op.at], op.color, Mode::Set),
            Command::Remove(op) => after.draw(self, &[op.at], none, Mode::Remove),
            Command::Fill(op) => after.draw(self, &op.region.positions().collect::<Vec<_>>(), op.color, op.mode),
            Command::Stroke(op) => after.draw_stroke(self, &op.brush, &op.path, op.color, op.mode),
            Command::Line(op) => after.draw_stroke(self, &op.brush, &[op.from, op.to], op.color, op.mode),
            Command::Paint(op) => after.paint(self, op)?,
            Command::Shape(op) => {
                let solid = op.solid();
                let inside: Vec<_> = solid.region().positions().filter(|pos| solid.contains(*pos)).collect();
                after.draw(self, &inside, op.color, op.mode);
            }
            Command::Styled(op) => after.styled(self, op),
            Command::Extrude(op) => after.extrude(self, op),
            Command::FillConnected(op) => after.fill_connected(self, op),
            Command::ReplaceColor(op) => after.replace(self, op),
            // The model has one volume.
            Command::SelectVolume(_) => {}
            Command::Select(op) => {
                let inside = op.region.unwrap_or(Region::EMPTY).intersection(&self.bounds);
                after.selection = self.combined(op.combine, inside.positions().map(IVec3::into).collect());
            }
            Command::SelectWhere(op) => {
                let masks = Masks { matter: op.masks.matter.or(Some(Matter::Solid)), ..op.masks.clone() };
                let judge = Self { masks, ..self.clone() };
                let found = self.bounds.positions().filter(|pos| judge.allows(*pos)).map(IVec3::into).collect();
                after.selection = self.combined(op.combine, found);
            }
            Command::SelectConnected(op) => after.selection = self.combined(op.combine, self.connected(op)),
            Command::SelectLasso(op) => after.selection = self.combined(op.combine, self.lassoed(op)),
            Command::InvertSelection(op) => {
                let other = |pos: &VoxelPos| !self.selection.contains(&pos.to_array()) && (!op.solid || self.get(*pos).is_some());
                after.selection = self.bounds.positions().filter(other).map(IVec3::into).collect();
            }
            Command::GrowSelection(op) => {
                let by = op.by as i32;
                let near = |at: &[i32; 3]| Region::new(IVec3::splat(-by), IVec3::splat(by + 1)).shifted((*at).into());
                let grown = self.selection.iter().flat_map(|at| near(at).positions()).filter(|pos| self.bounds.contains(*pos));
                after.selection = grown.map(IVec3::into).collect();
            }
            Command::ShrinkSelection(op) => after.selection = self.shrunk(op.by),
            Command::FillSelection(op) => after.draw(self, &self.selected(), op.color, op.mode),
            Command::TransformSelection(op) => after.transform(self, op)?,
            Command::DeleteSelection(_) => after.draw(self, &self.selected(), none, Mode::Remove),
            Command::MoveSelection(op) => after.transfer(self, op.by, Some(Mode::Remove)),
            Command::CopySelection(op) => after.transfer(self, op.by, None),
            Command::Paste(op) => {
                let size = op.clip.size();
                for place in places(&self.symmetry) {
                    let recolored = |voxel: Voxel| match voxel.paint {
                        Some(paint) => recolored(voxel, color_at(&self.symmetry, &place, paint.rgb)),
                        None => voxel,
                    };
                    for pos in Region::of_size(size).positions() {
                        after.place((place.voxel)(pos + op.at), op.clip.store().voxel(pos).map(recolored));
                    }
                }
                after.selection = Region::of_size(size).shifted(op.at).intersection(&self.bounds).positions().map(IVec3::into).collect();
            }
            Command::Resize(op) => return Some(self.resized(&op.region)),
            Command::Crop(_) => {
                let (bounds, selection) = (self.bounds, self.selection_bounds());
                let region = Region::new(selection.min().with_z(bounds.min().z), selection.max().with_z(bounds.max().z));
                return Some(self.resized(&region));
            }
            Command::Shift(op) => return Some(self.shifted(op)),
            Command::RepairColumns(_) => {
                after.add_floor(self.floor_color());
                after.color_all();
                return Some(after);
            }
            Command::SetMasks(op) => after.masks = op.0.clone(),
            Command::SetSymmetry(_) => return None,
            Command::Heal(op) => return Some(self.healed(op)),
            Command::SetDirt(op) => after.dirt = op.color,
            Command::Sculpt(op) => after.sculpt(self, op),
            Command::Heightmap(op) => after.heightmap(self, op),
            Command::ClearSpawns(op) => after.objects.0.retain(|_, object| !(object.is_spawn() && object.team() == Some(op.team))),
            Command::AddObject(op) => after.add_object(&op.0),
            Command::SetProperty(op) => after.set_property(&op.0),
            Command::SetObject(op) => after.set_object(op.id, &op.object),
            Command::RemoveObject(op) => after.remove_object(op.id),
            Command::Spawn(op) => after.spawn(op),
            Command::Path(_) | Command::Scatter(_) | Command::Terrain(_) => return None,
            Command::Stamp(op) if op.tint != 0 => return None,
            Command::Stamp(op) => after.stamp(self, op),
        }
        after.hold_back(self);
        after.settle_kinds(self);
        after.color_uncovered(self);
        Some(after)
    }

    /// A floor that was water under air, or ground under ground, stays that as what is on it comes and goes.
    pub(super) fn settle_kinds(&mut self, before: &Self) {
        if !self.tells_kinds {
            return;
        }
        let ruled = |model: &Self, at: VoxelPos| if model.get(at - VoxelPos::Z).is_some() { VoxelKind::Solid } else { VoxelKind::Water };
        for at in before.bounds.positions().filter(|at| at.z == before.floor()) {
            let (was, is) = (ruled(before, at), ruled(self, at));
            let follows = |model: &Self| model.get(at).is_some_and(|voxel| voxel.extra.kind == was);
            if was != is && follows(before) && follows(self) {
                let voxel = self.get(at).unwrap();
                self.set(at, Some(Voxel { extra: Extra { kind: is, ..voxel.extra }, ..voxel }));
            }
        }
    }

    /// Edits some voxels and their images.
    pub(super) fn draw(&mut self, before: &Self, voxels: &[VoxelPos], color: Rgb, mode: Mode) {
        for place in places(&before.symmetry) {
            let color = color_at(&before.symmetry, &place, color);
            self.edit(before, voxels.iter().map(|pos| (place.voxel)(*pos)), color, mode);
        }
    }

    fn draw_stroke(&mut self, before: &Self, brush: &Brush, path: &[VoxelPos], color: Rgb, mode: Mode) {
        let covered = stroke(brush, path);
        for place in places(&before.symmetry) {
            for at in &covered {
                let color = color_at(&before.symmetry, &place, tinted(brush, color, at.tint));
                self.edit(before, [(place.voxel)(at.pos)], color, mode);
            }
        }
    }

    pub(super) fn hold_back(&mut self, before: &Self) {
        for pos in before.bounds.positions() {
            if self.get(pos) != before.get(pos) && !before.allows(pos) {
                self.set(pos, before.get(pos));
            }
        }
    }

    /// Whether the masks let an edit change a voxel.
    pub fn allows(&self, pos: VoxelPos) -> bool {
        let masks = &self.masks;
        let near = |a: Rgb, b: Rgb| a.to_array().iter().zip(b.to_array()).all(|(a, b)| a.abs_diff(b) <= masks.tolerance);
        // A voxel's images are the voxels whose image it is.
        let selected = || places(&self.symmetry).iter().any(|place| self.selection.contains(&(place.voxel)(pos).to_array()));
        let in_spawn = |object: &Object| matches!(object, Object::SpawnRegion { .. }) && object.area().contains(pos.x, pos.y);
        let solid = self.get(pos).is_some();
        let touches = Face::ALL.iter().any(|face| self.get(pos + face.normal()).is_some());
        let color = self.get(pos).and_then(|voxel| voxel.rgb());
        (!masks.selection || self.selection.is_empty() || selected())
            && (!masks.surface || if solid { self.is_visible(pos) } else { touches })
            && masks.z.is_none_or(|[top, bottom]| top <= pos.z && pos.z <= bottom)
            && (masks.colors.is_empty() || color.is_some_and(|color| masks.colors.iter().any(|other| near(color, *other))))
            && masks.matter.is_none_or(|matter| (matter == Matter::Solid) == solid)
            && (!masks.spawns || self.objects.iter().any(|(_, object)| in_spawn(object)))
            && masks.slope.is_none_or(|[least, most]| self.slope(pos).is_some_and(|slope| least <= slope && slope <= most))
    }

    /// Degrees of the plane through the ground of 5×5 columns around a voxel's own ground.
    fn slope(&self, pos: VoxelPos) -> Option<u8> {
        let solid = |x, y, z| self.get(IVec3::new(x, y, z)).is_some();
        let mut top = pos.z;
        while solid(pos.x, pos.y, pos.z) && solid(pos.x, pos.y, top - 1) {
            top -= 1;
        }
        while !solid(pos.x, pos.y, top) {
            top += 1;
            if top >= self.bounds.max().z {
                return None;
            }
        }
        let mut gradient = [0.0; 2];
        for [dx, dy] in ColumnRect::new([-2, -2], [3, 3]).columns() {
            let (x, y) = (pos.x + dx, pos.y + dy);
            let mut up = 0;
            if self.bounds.contains(IVec3::new(x, y, top)) {
                while solid(x, y, top) && up < 8 && solid(x, y, top - up - 1) {
                    up += 1;
                }
                while up > -8 && !solid(x, y, top - up) {
                    up -= 1;
                }
            }
            gradient[0] += f64::from(dx * up) / 50.0;
            gradient[1] += f64::from(dy * up) / 50.0;
        }
        Some(gradient[0].hypot(gradient[1]).atan().to_degrees().round() as u8)
    }

    pub(super) fn set_property(&mut self, property: &Property) {
        let metadata = &mut self.metadata;
        match property.clone() {
            Property::Name(value) => metadata.name = value,
            Property::Author(value) => metadata.author = value,
            Property::Version(value) => metadata.version = value,
            Property::Description(value) => metadata.description = value,
            Property::Fog(value) => metadata.fog = value,
            Property::GameMode(value) => metadata.game_mode = value,
            Property::Protected(value) => metadata.protected = value,
            Property::CapLimit(value) => metadata.cap_limit = value,
            Property::TimeLimit(value) => metadata.time_limit = value,
        }
    }

    pub(super) fn edit(&mut self, before: &Self, voxels: impl IntoIterator<Item = VoxelPos>, color: Rgb, mode: Mode) {
        for pos in voxels {
            let recolored = |voxel: Voxel| recolored(voxel, color);
            match (mode, before.get(pos)) {
                (Mode::Add | Mode::Set, None) => self.set(pos, Some(Voxel::new(color))),
                (Mode::Remove, Some(_)) if pos.z != self.floor() => self.set(pos, None),
                (Mode::Set, Some(voxel)) => self.set(pos, Some(recolored(voxel))),
                (Mode::Paint, Some(voxel)) if voxel.paint.is_some() || before.is_visible(pos) => self.set(pos, Some(recolored(voxel))),
                _ => {}
            }
        }
    }

    pub(super) fn place(&mut self, pos: VoxelPos, voxel: Option<Voxel>) {
        if let Some(voxel) = voxel {
            let paint = voxel.paint.or(self.get(pos).and_then(|old| old.paint));
            self.set(pos, Some(Voxel { paint, ..voxel }));
        }
    }

    pub(super) fn moved_selection(&self, by: IVec3) -> BTreeSet<[i32; 3]> {
        let moved = self.selection.iter().map(|at| IVec3::from(*at).saturating_add(by));
        moved.filter(|pos| self.bounds.contains(*pos)).map(IVec3::into).collect()
    }

    pub(super) fn selected(&self) -> Vec<VoxelPos> {
        self.selection.iter().map(|at| IVec3::from(*at)).collect()
    }

    /// `None` for pictures that are projected.
    fn paint(&mut self, before: &Self, op: &ops::PaintStroke) -> Option<()> {
        if op.projected && matches!(op.style, PaintStyle::Decal { .. }) && op.region.is_some() {
            return None;
        }
        let depth = op.depth as i32;
        let all = middles(&op.path);
        let boxes = all.iter().map(|center| stamp_box(&op.brush).shifted(*center));
        let area = op.region.unwrap_or_else(|| boxes.fold(Region::EMPTY, |all, stamp| all.union(&stamp)));
        let covered: Vec<(VoxelPos, f32)> = match op.region {
            Some(region) => region.positions().map(|pos| (pos, 0.0)).collect(),
            None => stroke(&op.brush, &op.path).iter().map(|at| (at.pos, share_of(at.step, all.len()))).collect(),
        };
        let around: Vec<IVec3> = Region::new(IVec3::splat(-depth), IVec3::splat(depth + 1)).positions().collect();
        let near_air =
            |pos: VoxelPos| {
                around.iter().filter(|step| step.abs().element_sum() <= depth).map(|step| pos + *step).any(|beside| {
                    if before.bounds.contains(beside) { before.get(beside).is_none() } else { beside.z < before.bounds.min().z }
                })
            };
        for place in places(&before.symmetry) {
            for (original, share) in &covered {
                let pos = (place.voxel)(*original);
                let Some(voxel) = before.get(pos) else { continue };
                if !(near_air(pos) || depth == 1 && voxel.paint.is_some()) {
                    continue;
                }
                if let Some(color) = painted(before, op, &place, (*original, *share), &area) {
                    self.set(pos, Some(recolored(voxel, color)));
                }
            }
        }
        Some(())
    }

    fn transfer(&mut self, before: &Self, by: IVec3, source: Option<Mode>) {
        if let Some(mode) = source {
            self.draw(before, &before.selected(), Rgb::new(0, 0, 0), mode);
        }
        for place in places(&before.symmetry) {
            let by = (place.voxel)(by) - (place.voxel)(IVec3::ZERO);
            for pos in before.selected().into_iter().map(|pos| (place.voxel)(pos)).filter(|pos| pos.z != before.floor()) {
                self.place(pos + by, before.get(pos));
            }
        }
        self.selection = before.moved_selection(by);
    }

    /// Tinted ones are not modelled.
    fn stamp(&mut self, before: &Self, op: &ops::Stamp) {
        let clip = op.clip.store();
        let to = stamp_place(op);
        for place in places(&before.symmetry) {
            for pos in clip.bounds().positions().filter(|pos| clip.is_solid(*pos)) {
                let recolored = |voxel: Voxel| match voxel.paint {
                    Some(paint) => recolored(voxel, color_at(&before.symmetry, &place, paint.rgb)),
                    None => voxel,
                };
                self.place((place.voxel)(to(pos)), clip.voxel(pos).map(recolored));
            }
        }
    }

    fn fill_connected(&mut self, before: &Self, op: &ops::FillConnected) {
        if op.reach == ops::FillReach::Everywhere {
            return self.fill_connected_once(before, op);
        }
        for place in places(&before.symmetry) {
            let at = (place.voxel)(op.at);
            let normal = (place.voxel)(op.at + op.face.normal()) - at;
            let color = color_at(&before.symmetry, &place, op.color);
            let face = Face::ALL.into_iter().find(|face| face.normal() == normal).unwrap();
            self.fill_connected_once(before, &ops::FillConnected { at, face, color, ..op.clone() });
        }
    }

    fn fill_connected_once(&mut self, before: &Self, op: &ops::FillConnected) {
        let (voxels, mode) = before.connected_voxels(op);
        self.edit(before, voxels, op.color, mode);
    }

    /// What a fill edits, and what it does to it.
    pub(super) fn connected_voxels(&self, op: &ops::FillConnected) -> (Vec<VoxelPos>, Mode) {
        let before = self;
        let rgb = |pos| before.get(pos).and_then(|voxel| voxel.rgb());
        let is_near = |pos: VoxelPos| match (rgb(pos), rgb(op.at)) {
            (Some(a), Some(b)) => a.to_array().iter().zip(b.to_array()).all(|(a, b)| a.abs_diff(b) <= op.tolerance),
            (a, b) => a == b,
        };
        let fits = |pos: VoxelPos| match op.reach {
            ops::FillReach::Color | ops::FillReach::Everywhere => before.is_visible(pos) && is_near(pos),
            ops::FillReach::Surface => before.is_visible(pos),
            ops::FillReach::Solid => before.get(pos).is_some() && pos.z != before.floor(),
            ops::FillReach::Air => before.bounds.contains(pos) && before.get(pos).is_none(),
        };
        let steps: Vec<IVec3> = Region::new(IVec3::splat(-1), IVec3::splat(2)).positions().collect();
        let reach = if op.edges { 2 } else { 1 };
        let (mut seen, mut queue) = (BTreeSet::new(), vec![op.at]);
        while let Some(pos) = queue.pop() {
            if fits(pos) && seen.insert(pos.to_array()) {
                queue.extend(steps.iter().filter(|step| step.abs().element_sum() <= reach).map(|step| pos + step));
            }
        }
        if op.reach == ops::FillReach::Everywhere && before.get(op.at).is_some() {
            seen.extend(before.bounds.positions().filter(|pos| fits(*pos)).map(|pos| pos.to_array()));
        }
        let seen = seen.into_iter().map(IVec3::from_array);
        match op.mode {
            Mode::Add | Mode::Set if op.reach == ops::FillReach::Air => (seen.collect(), Mode::Add),
            Mode::Paint if op.reach == ops::FillReach::Air => {
                (seen.flat_map(|pos| Face::ALL.map(|face| pos + face.normal())).collect(), Mode::Paint)
            }
            Mode::Add => (seen.map(|pos| pos + op.face.normal()).collect(), Mode::Add),
            Mode::Set | Mode::Paint => (seen.collect(), Mode::Paint),
            Mode::Remove => (seen.collect(), Mode::Remove),
        }
    }

    fn extrude(&mut self, before: &Self, op: &ops::Extrude) {
        for place in places(&before.symmetry).iter().rev() {
            let at = (place.voxel)(op.at);
            let normal = (place.voxel)(op.at + op.face.normal()) - at;
            let first = before.get(at).and_then(|voxel| voxel.rgb());
            let near = |pos| match (before.get(pos).and_then(|voxel| voxel.rgb()), first) {
                (Some(a), Some(b)) => a.to_array().iter().zip(b.to_array()).all(|(a, b)| a.abs_diff(b) <= op.tolerance),
                (a, b) => a == b || op.tolerance == 255,
            };
            let open = |pos: VoxelPos| {
                let beside = pos + normal;
                if before.bounds.contains(beside) { before.get(beside).is_none() } else { beside.z < before.bounds.min().z }
            };
            let (mut seen, mut queue) = (BTreeSet::new(), vec![at]);
            while let Some(pos) = queue.pop() {
                if before.get(pos).is_some() && open(pos) && near(pos) && seen.insert(pos.to_array()) {
                    queue.extend(Face::ALL.iter().map(|face| face.normal()).filter(|step| step.dot(normal) == 0).map(|step| pos + step));
                }
            }
            let color = op.color.map(|color| color_at(&before.symmetry, place, color));
            for pos in seen.into_iter().map(IVec3::from_array) {
                let own = color.or(before.get(pos).and_then(|voxel| voxel.rgb()));
                let outwards = (1..=op.by).map(|step| pos + normal * step);
                for at in outwards.take_while(|at| before.bounds.contains(*at)) {
                    if self.get(at).is_some() {
                        break;
                    }
                    self.set(at, Some(own.map_or(Voxel::HIDDEN, Voxel::new)));
                }
                for at in (0..-op.by).map(|step| pos - normal * step) {
                    if self.get(at).is_none() {
                        break;
                    }
                    if at.z != self.floor() {
                        self.set(at, None);
                    }
                }
            }
        }
    }

    fn replace(&mut self, before: &Self, op: &ops::ReplaceColor) {
        let everywhere = before.selection.is_empty();
        for place in places(&before.symmetry).iter().filter(|place| !everywhere || (place.voxel)(IVec3::ONE) == IVec3::ONE) {
            let [from, to] = [op.from, op.to].map(|color| color_at(&before.symmetry, place, color));
            let near = |rgb: Rgb| rgb.to_array().iter().zip(from.to_array()).all(|(a, b)| a.abs_diff(b) <= op.tolerance);
            let meant = if everywhere { before.bounds.positions().collect() } else { before.selected() };
            let found = meant.into_iter().map(|pos| (place.voxel)(pos));
            let found: Vec<_> = found.filter(|pos| before.get(*pos).and_then(|voxel| voxel.rgb()).is_some_and(near)).collect();
            self.edit(before, found, to, Mode::Paint);
        }
    }

    pub(super) fn color_above(&self, at: VoxelPos) -> Rgb {
        let above = (self.bounds.min().z..at.z).rev().find_map(|z| self.get(at.with_z(z))?.rgb());
        self.dirt.or(above).unwrap_or(DEFAULT_DIRT)
    }

    pub(super) fn color_uncovered(&mut self, before: &Self) {
        let uncovered = |pos: &VoxelPos| self.is_bare(*pos) && !before.is_bare(*pos);
        let found: Vec<_> = self.bounds.positions().filter(uncovered).collect();
        for pos in found {
            let paint = Some(Paint::new(Self { dirt: self.dirt, ..before.clone() }.color_above(pos)));
            self.set(pos, self.get(pos).map(|voxel| Voxel { paint, ..voxel }));
        }
    }
}
