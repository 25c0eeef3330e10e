//! The object tool: selects, moves, resizes and makes spawn regions, bases, intel and territories.

use super::numbers::{far_end, sizes, whole};
use super::object_shape::{ObjectHit, Side, object_box, object_under};
use super::pick::{Pick, pick};
use super::{GestureNumber, GestureNumbers, TypedNumber};
use super::{ObjectKind, Outline, PendingObject, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::document::{Object, ObjectId, Snapshot};
use crate::edit::Command;
use crate::edit::ops::{AddObject, SetObject};
use crate::geom::{ColumnRect, Face, Region, VoxelPos};
use crate::voxel::Store;

/// Columns that an object can be moved by along an axis.
const FARTHEST: i32 = 4096;

/// The entry of the registry.
pub const OBJECTS: ToolSpec = ToolSpec {
    id: "objects",
    label: "Objects",
    key: 'O',
    icon: "flag",
    help: "Places and moves spawn regions, bases, intel and territories",
    hint: "Click selects · Drag moves, an edge resizes · Drag or click on empty ground makes a new one · Del removes",
    options: &[ToolOption::NewObject, ToolOption::Team],
    make: || Box::<Objects>::default(),
};

#[derive(Debug, Default)]
struct Objects {
    selected: Option<ObjectId>,
    hovered: Option<ObjectHit>,
    pending: Option<Gesture>,
    /// Boxes of the pending object and its images.
    outlines: Vec<Outline>,
}

#[derive(Debug)]
enum Gesture {
    /// Moving or resizing one that is there.
    Change { hit: ObjectHit, original: Object, object: Object, from: Pick, store: Store },
    /// Dragging a rectangle, or about to click: where to.
    Create { from: Pick, to: VoxelPos, object: Option<Object>, store: Store },
}

impl Gesture {
    fn object(&self) -> Option<PendingObject> {
        match self {
            Self::Change { hit, original, object, .. } => {
                (object != original).then(|| PendingObject { id: Some(hit.id), object: object.clone() })
            }
            Self::Create { object, .. } => object.clone().map(|object| PendingObject { id: None, object }),
        }
    }
}

impl Tool for Objects {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.selected = self.selected.filter(|id| context.document.objects_here().any(|(here, _)| here == *id));
        match input.phase {
            Phase::Hover => self.hover(context.document, input),
            Phase::Leave => {
                self.hovered = None;
                ToolResponse::default()
            }
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(context, input),
            Phase::Release => {
                let mut response = self.drag(context, input);
                self.finish(context, &mut response);
                response
            }
        }
    }

    fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    fn cancel(&mut self) -> bool {
        self.outlines.clear();
        self.pending.take().is_some()
    }

    fn confirm(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        let mut response = ToolResponse::default();
        self.finish(context, &mut response);
        response
    }

    /// The size of a region that is made or resized, else how far the object is moved.
    fn numbers(&self, context: &ToolContext<'_>) -> GestureNumbers {
        let bounds = context.document.bounds();
        let size = |area: &ColumnRect| {
            let ([x, y], [to_x, to_y]) = (area.min(), area.max());
            sizes(&Region::new(VoxelPos::new(x, y, 0), VoxelPos::new(to_x, to_y, 1)), &bounds, &[0, 1])
        };
        let numbers = match &self.pending {
            Some(Gesture::Create { from, object, .. }) if context.settings.new_object.kind == Some(ObjectKind::SpawnRegion) => {
                size(&object.as_ref().map_or(spanned(from.pos, from.pos), Object::area))
            }
            Some(Gesture::Change { hit, object: Object::SpawnRegion { area, .. }, .. }) if hit.sides != [Side::Middle; 2] => size(area),
            Some(Gesture::Change { original, object, .. }) => {
                let (old, new) = (original.area().min(), object.area().min());
                let by = |name, axis: usize| GestureNumber::new(name, new[axis].saturating_sub(old[axis]), -FARTHEST, FARTHEST);
                vec![by("Offset x", 0), by("Offset y", 1)]
            }
            Some(Gesture::Create { .. }) | None => vec![],
        };
        GestureNumbers { numbers, first: 0, finishes: true }
    }

    fn set_numbers(&mut self, context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let bounds = context.document.bounds();
        let columns = bounds.columns();
        match &mut self.pending {
            Some(Gesture::Create { from, to, object, .. }) => {
                let end = |axis: usize| match numbers.get(axis).filter(|number| number.typed) {
                    Some(number) => far_end(from.pos[axis], to[axis] - from.pos[axis], number.whole()),
                    None => to[axis],
                };
                let area = spanned(from.pos, VoxelPos::new(end(0), end(1), from.pos.z)).intersection(&columns);
                *object = if area.is_empty() { None } else { context.settings.new_object.over(area) };
            }
            Some(Gesture::Change { hit, original: Object::SpawnRegion { team, area, z }, object, .. }) => {
                let mut by = [whole(numbers, 0), whole(numbers, 1)];
                if hit.sides != [Side::Middle; 2] {
                    // What is typed is the size: the side that is held goes there.
                    let sides = [0, 1].map(|axis| if hit.sides[axis] == Side::Min { -1 } else { 1 });
                    by = [0, 1].map(|axis| by[axis].saturating_abs().saturating_sub(area.size()[axis]).saturating_mul(sides[axis]));
                }
                let sides = match hit.sides {
                    [Side::Middle, Side::Middle] => hit.sides,
                    sides => sides.map(|side| if side == Side::Middle { Side::Max } else { side }),
                };
                *object = Object::SpawnRegion { team: *team, area: dragged(area, sides, by, &columns), z: *z };
            }
            Some(Gesture::Change { hit, original, object, from, store }) => {
                let by = VoxelPos::new(whole(numbers, 0), whole(numbers, 1), 0);
                let now = Pick { pos: from.pos.saturating_add(by), face: Face::MinusZ, solid: false };
                *object = if by == VoxelPos::ZERO { original.clone() } else { moved(original, by, hit.hidden, &now, store) };
            }
            None => return ToolResponse::default(),
        }
        self.outline_pending(context.document);
        let status = self.pending.as_ref().and_then(Gesture::object).map(|pending| describe(&pending.object));
        ToolResponse { status, ..ToolResponse::default() }
    }

    fn select_object(&mut self, object: Option<ObjectId>) {
        self.selected = object;
    }

    fn preview(&self) -> Preview {
        let pending = self.pending.as_ref().and_then(Gesture::object);
        let size = pending.as_ref().and_then(|pending| match &pending.object {
            Object::SpawnRegion { area, .. } => Some(area_text(area)),
            _ => None,
        });
        Preview {
            selected: self.selected,
            hovered_object: self.hovered.map(|hit| hit.id),
            outlines: self.outlines.clone(),
            pending_object: pending,
            size,
            ..Preview::default()
        }
    }
}

impl Objects {
    fn hover(&mut self, document: &Snapshot, input: &PointerInput) -> ToolResponse {
        if self.pending.is_some() {
            return ToolResponse::default();
        }
        self.hovered = object_under(document, &input.ray_in_world, input.voxels_per_pixel, self.selected);
        let status = self.hovered.and_then(|hit| document.objects.get(hit.id)).map(describe);
        ToolResponse { status, ..ToolResponse::default() }
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.cancel();
        self.hover(context.document, input);
        let store = context.document.store().clone();
        let Some(from) = pick(&store, &input.ray_in_world) else {
            self.selected = self.hovered.map(|hit| hit.id);
            return ToolResponse::default();
        };
        if let Some(hit) = self.hovered
            && let Some(object) = context.document.objects.get(hit.id)
        {
            self.selected = Some(hit.id);
            let status = Some(describe(object));
            self.pending = Some(Gesture::Change { hit, original: object.clone(), object: object.clone(), from, store });
            return ToolResponse { status, ..ToolResponse::default() };
        }
        self.selected = None;
        if context.settings.new_object.kind.is_some() {
            let object = context.settings.new_object.at(from.pos.min(store.bounds().max() - 1), active(context.document));
            self.pending = Some(Gesture::Create { from, to: from.pos, object, store });
            self.outline_pending(context.document);
        }
        ToolResponse::default()
    }

    fn drag(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let bounds = context.document.bounds();
        let columns = bounds.columns();
        match &mut self.pending {
            Some(Gesture::Change { hit, original, object, from, store }) => {
                if let Object::SpawnRegion { team, area, z } = original {
                    // Regions slide on a level plane, so that hills under the pointer do not make them jump.
                    let Some(now) = level(from).on_plane(&input.ray_in_world, &bounds) else { return ToolResponse::default() };
                    let by = [now.pos.x - from.pos.x, now.pos.y - from.pos.y];
                    *object = Object::SpawnRegion { team: *team, area: dragged(area, hit.sides, by, &columns), z: *z };
                } else if let Some(now) = pick(store, &input.ray_in_world) {
                    let by = now.pos - from.pos;
                    let stays = by.with_z(0) == glam::IVec3::ZERO;
                    *object = if stays { original.clone() } else { moved(original, by, hit.hidden, &now, store) };
                }
            }
            Some(Gesture::Create { from, to, object, store }) => {
                if context.settings.new_object.kind == Some(ObjectKind::SpawnRegion) {
                    let Some(now) = level(from).on_plane(&input.ray_in_world, &bounds) else { return ToolResponse::default() };
                    *to = now.pos;
                    let dragged = from.pos.truncate() != to.truncate();
                    let area = spanned(from.pos, *to).intersection(&columns);
                    *object = if dragged && !area.is_empty() { context.settings.new_object.over(area) } else { None };
                } else if let Some(now) = pick(store, &input.ray_in_world) {
                    *object = context.settings.new_object.at(now.pos.min(bounds.max() - 1), active(context.document));
                }
            }
            None => return ToolResponse::default(),
        }
        self.outline_pending(context.document);
        let status = self.pending.as_ref().and_then(Gesture::object).map(|pending| describe(&pending.object));
        ToolResponse { status, ..ToolResponse::default() }
    }

    fn finish(&mut self, context: &ToolContext<'_>, response: &mut ToolResponse) {
        let objects = &context.document.objects;
        let pending = self.pending.take().and_then(|gesture| gesture.object());
        self.outlines.clear();
        let Some(PendingObject { id, object }) = pending else { return };
        // Each team has one base and one intel: a second click moves it.
        match id.or_else(|| only_one(context.document, &object)) {
            Some(id) => {
                if objects.get(id).is_some_and(|before| *before != object) {
                    response.commands.push(Command::SetObject(SetObject { id, object }));
                }
                self.selected = Some(id);
            }
            None => {
                self.selected = Some((**objects).clone().push(object.clone()));
                response.commands.push(Command::AddObject(AddObject(object)));
            }
        }
    }

    fn outline_pending(&mut self, document: &Snapshot) {
        let pending = self.pending.as_ref().and_then(Gesture::object);
        let outline = |object: &Object| Outline { region: object_box(document, object), team: object.team(), active: true };
        let images = document.symmetry.images();
        let boxes = |object: &Object| images.iter().map(|image| outline(&image.object(object))).collect();
        self.outlines = pending.map_or_else(Vec::new, |pending| boxes(&pending.object));
    }
}

/// The columns between two, both included.
fn spanned(a: VoxelPos, b: VoxelPos) -> ColumnRect {
    ColumnRect::new([a.x.min(b.x), a.y.min(b.y)], [a.x.max(b.x) + 1, a.y.max(b.y) + 1])
}

/// Number of the volume in which things are placed.
fn active(document: &Snapshot) -> u32 {
    u32::try_from(document.active()).unwrap_or(0)
}

/// The object that takes the new one's place: bases and intel are one a team.
fn only_one(document: &Snapshot, new: &Object) -> Option<ObjectId> {
    let same = |object: &Object| match (object, new) {
        (Object::Base { team: a, .. }, Object::Base { team: b, .. }) | (Object::Intel { team: a, .. }, Object::Intel { team: b, .. }) => {
            a == b
        }
        _ => false,
    };
    document.objects.iter().find(|(_, object)| same(object)).map(|(id, _)| id)
}

/// The pick as if a top had been met: objects move in the plan view.
fn level(pick: &Pick) -> Pick {
    Pick { face: Face::MinusZ, ..*pick }
}

/// z of what an object stands on, if it has one of its own.
fn height(object: &Object) -> Option<i32> {
    match object {
        Object::SpawnPoint { at, .. } => Some(at.z),
        Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => at.z,
        Object::SpawnRegion { .. } => None,
    }
}

/// An object that stands, moved to another column and onto the ground there; one that was seen through the ground that it is
/// under stays under it, on its own height or what lies below that.
fn moved(original: &Object, by: glam::IVec3, hidden: bool, now: &Pick, store: &Store) -> Object {
    let mut object = original.shifted(by.with_z(0));
    let top = store.bounds().min().z;
    // What stands in the open behind a hill is hidden, and not under the ground.
    let roof = |at: [i32; 2]| store.ground(at[0], at[1], top);
    let hidden = hidden && height(original).is_some_and(|z| roof(original.area().min()).is_some_and(|roof| roof < z));
    let ground = |x: i32, y: i32, z: i32| {
        let above = VoxelPos::new(x, y, z.saturating_sub(1));
        match hidden {
            true if store.is_solid(above) => None,
            true => store.ground(x, y, above.z),
            false if (x, y) == (now.pos.x, now.pos.y) && now.solid => Some(now.pos.z),
            false => store.ground(x, y, top),
        }
    };
    match &mut object {
        Object::SpawnPoint { at, .. } => at.z = ground(at.x, at.y, at.z).unwrap_or(at.z),
        Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => {
            at.z = at.z.map(|z| ground(at.x, at.y, z).unwrap_or(z));
        }
        Object::SpawnRegion { .. } => {}
    }
    let bounds = store.bounds().columns();
    let area = &object.area();
    let [x, y] = area.min();
    if bounds.contains(x, y) { object } else { original.clone() }
}

/// A spawn region whose sides (or whole) were dragged by some columns; it stays in the map and keeps a column.
fn dragged(area: &ColumnRect, sides: [Side; 2], by: [i32; 2], bounds: &ColumnRect) -> ColumnRect {
    let (mut min, mut max) = (area.min(), area.max());
    let moves = sides == [Side::Middle; 2];
    for axis in 0..2 {
        let (low, high) = (bounds.min()[axis], bounds.max()[axis]);
        if moves {
            // A region that was larger than the map before stays where it is.
            let (least, most) = (low.saturating_sub(min[axis]), high.saturating_sub(max[axis]));
            let by = if least <= most { by[axis].clamp(least, most) } else { 0 };
            min[axis] = min[axis].saturating_add(by);
            max[axis] = max[axis].saturating_add(by);
        }
        match sides[axis] {
            Side::Min => min[axis] = min[axis].saturating_add(by[axis]).max(low).min(max[axis].saturating_sub(1)),
            Side::Max => max[axis] = max[axis].saturating_add(by[axis]).min(high).max(min[axis].saturating_add(1)),
            Side::Middle => {}
        }
    }
    ColumnRect::new(min, max)
}

fn area_text(area: &ColumnRect) -> String {
    let [x, y] = area.size();
    format!("{x}×{y}")
}

fn describe(object: &Object) -> String {
    let label = object.label();
    match object {
        Object::SpawnRegion { area, .. } => format!("{label} · {}", area_text(area)),
        Object::SpawnPoint { at, .. } => format!("{label} · {}, {}, {}", at.x, at.y, at.z),
        Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => {
            format!("{label} · {}, {}", at.x, at.y)
        }
    }
}
