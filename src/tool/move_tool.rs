//! The move tool: drags, turns, flips, scales and stacks the selection. It shows the outcome until Enter does it.
//!
//! What is pending stands in the settings, where the option row and the arrows change it as dragging does.

use glam::{IVec3, Vec3};

use super::floating::{ClipPlace, ClipTurn, Floating, TurnedClip};
use super::ghost::{same_scene, size_text};
use super::gizmo::{Gizmo, Grip};
use super::numbers::whole;
use super::pick::{along_axis, plane_point};
use super::planned::Planned;
use super::{GestureNumber, GestureNumbers, TransformNumber, TypedNumber};
use super::{HoverPick, Outline, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec, pick_with_alt};
use crate::document::{Selection, Snapshot, sentence};
use crate::edit::ops::{CopySelection, MoveSelection, Thousandths, TransformSelection};
use crate::edit::{Clip, Command, EditError};
use crate::geom::{Face, Ray, Region, VoxelPos};
use crate::voxel::{Store, raycast};

/// Voxels of a box whose transform is shown live; of larger ones only the outline is.
const LIVE_VOXELS: u64 = 4_000_000;
/// Voxels that it can be moved by along an axis, and copies that there can be.
const FARTHEST: i32 = 4096;
/// Copies that are outlined.
const OUTLINED: u32 = 16;

/// What is said of copies without a distance between them.
const STACKED: &str = "Drag or nudge: the copies lie on top of each other";

/// The entry of the registry.
pub const MOVE: ToolSpec = ToolSpec {
    id: "move",
    label: "Move",
    key: 'M',
    icon: "move",
    help: "Moves, turns, flips, scales or stacks the selected voxels",
    hint: "Drag it, its arrows, sides or ring · Shift up and down · Ctrl copies · Arrows nudge · Enter applies · Esc drops",
    options: &[
        ToolOption::TransformTurns,
        ToolOption::TransformAngle,
        ToolOption::TransformScale,
        ToolOption::TransformOffset,
        ToolOption::TransformCopies,
    ],
    make: || Box::<MoveTool>::default(),
};

#[derive(Debug, Default)]
struct MoveTool {
    hovered: HoverPick,
    /// The part of the gizmo that a press would take hold of, and that was taken hold of last.
    pointed: Option<Grip>,
    gripped: Option<Grip>,
    held: Option<Held>,
    shown: Option<Shown>,
    /// What is moved in place of the selection: a clip that was pasted.
    floating: Option<Floating>,
    /// Whether that follows the pointer, until a click.
    carried: bool,
    /// Whether Enter was pressed while it was being turned.
    confirmed: bool,
    /// The number that is to be typed, where it was asked for, and what was selected then.
    awaits: Option<(TransformNumber, Option<Selection>)>,
}

/// Where the selection was taken hold of.
#[derive(Debug)]
struct Held {
    from: Vec3,
    by: Hold,
    /// What had been done to it already.
    before: TransformSelection,
}

/// What it was taken hold of by.
#[derive(Debug)]
enum Hold {
    /// A face of a voxel, on whose plane it slides.
    Face(IVec3, Face),
    /// A side, as seen from above: it slides on the level where it was taken hold of, and does not sink into the ground.
    Level,
    /// A part of the gizmo, as it lay then.
    Grip(Grip, Gizmo),
}

/// A transform that waits for Enter.
#[derive(Debug)]
struct Shown {
    op: TransformSelection,
    /// Where the loose clip lay, if there is one.
    at: Option<VoxelPos>,
    /// The document that it was looked up in.
    document: Snapshot,
    outlines: Vec<Outline>,
    /// Whether it is shown live.
    live: bool,
    /// The map after it, or after what it was a moment ago.
    store: Option<Store>,
    /// Why it cannot be done.
    trouble: Option<String>,
}

impl Tool for MoveTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        if self.carried {
            return self.carry(context, input);
        }
        self.follow(context);
        match input.phase {
            Phase::Hover => {
                let gizmo = self.gizmo(context).filter(|_| !input.modifiers.alt);
                self.pointed = gizmo.and_then(|gizmo| gizmo.under(&input.ray_in_world, input.voxels_per_pixel, input.is_parallel));
                self.pointed.map_or_else(|| self.status(), |grip| ToolResponse::status(grip.help()))
            }
            Phase::Leave => {
                self.pointed = None;
                self.status()
            }
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(context, input),
            Phase::Release => {
                let response = self.drag(context, input);
                self.held = None;
                response
            }
        }
    }

    fn is_pending(&self) -> bool {
        self.held.is_some() || self.shown.is_some() || self.floating.is_some()
    }

    fn cancel(&mut self) -> bool {
        (self.carried, self.confirmed) = (false, false);
        (self.awaits, self.pointed, self.gripped) = (None, None, None);
        self.held.take().is_some() | self.shown.take().is_some() | self.floating.take().is_some()
    }

    fn take_clip(&mut self, context: &ToolContext<'_>, clip: Clip, place: ClipPlace) {
        self.cancel();
        match place {
            ClipPlace::At(at) => self.floating = Some(Floating::new(clip, at)),
            ClipPlace::On(pos, face) => {
                self.floating = Some(Floating::new(clip, pos));
                self.carried = true;
                self.put_on(context, pos, face);
            }
        }
        self.follow(context);
    }

    fn clip_to_turn(&self) -> Option<ClipTurn> {
        let shown = self.shown.as_ref().filter(|shown| shown.live || self.confirmed)?;
        self.floating.as_ref()?.to_turn(&shown.op)
    }

    fn take_turned(&mut self, context: &ToolContext<'_>, turned: TurnedClip) -> ToolResponse {
        if let Some(floating) = &mut self.floating {
            floating.take_turned(turned);
        }
        if let Some((floating, shown)) = self.floating.as_ref().zip(self.shown.as_mut())
            && let Some(trouble) = floating.trouble(&shown.op)
        {
            (shown.trouble, shown.live, shown.store) = (Some(trouble.to_string()), false, None);
        }
        if self.confirmed { self.confirm(context) } else { ToolResponse::default() }
    }

    fn has_clip(&self) -> bool {
        self.floating.is_some()
    }

    /// The drag first, then all that waits for Enter.
    fn step_back(&mut self, context: &ToolContext<'_>) -> Option<ToolResponse> {
        if let Some(held) = self.held.take() {
            self.show(context.document, &held.before);
            return Some(ToolResponse { transform: Some(held.before), ..self.status() });
        }
        let shown = self.cancel() || !context.settings.transform.is_identity();
        shown.then(|| ToolResponse { transform: Some(TransformSelection::default()), ..ToolResponse::default() })
    }

    fn confirm(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        self.follow(context);
        (self.held, self.carried, self.awaits, self.gripped, self.confirmed) = (None, false, None, None, false);
        let Some(shown) = &self.shown else { return ToolResponse::default() };
        // It stays, to be done otherwise.
        if let Some(trouble) = &shown.trouble {
            return ToolResponse::status(sentence(trouble));
        }
        if self.floating.is_none() && is_stacked(&shown.op) {
            return ToolResponse::status(STACKED);
        }
        // What it becomes is not known yet: it is put down as soon as it is.
        self.confirmed = self.floating.as_ref().is_some_and(|floating| floating.to_turn(&shown.op).is_some());
        if self.confirmed {
            return ToolResponse::status("Turning what was pasted");
        }
        let Some(shown) = self.shown.take() else { return ToolResponse::default() };
        let command = match self.floating.take() {
            Some(floating) => floating.paste(&shown.op),
            None => Some(command(&shown.op)),
        };
        let transform = Some(TransformSelection::default());
        ToolResponse { transform, commands: command.into_iter().collect(), ..ToolResponse::default() }
    }

    fn follow(&mut self, context: &ToolContext<'_>) {
        // Arrows and typed numbers move it from where it is: the pointer lets go.
        self.carried &= context.settings.transform.by == IVec3::ZERO;
        self.show(context.document, &context.settings.transform);
    }

    fn wanted(&self) -> Option<Command> {
        let shown = self.shown.as_ref().filter(|shown| shown.live)?;
        self.floating.as_ref().map_or_else(|| Some(command(&shown.op)), |floating| floating.paste(&shown.op))
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        if let Some(shown) = self.shown.as_mut().filter(|shown| shown.live) {
            shown.store = planned.map(|planned| planned.store);
        }
    }

    fn take_trouble(&mut self, trouble: &EditError) {
        if let Some(shown) = self.shown.as_mut().filter(|shown| shown.live) {
            shown.trouble = Some(trouble.to_string());
        }
    }

    fn numbers(&self, context: &ToolContext<'_>) -> GestureNumbers {
        let awaits = self.awaited(context.document);
        if self.held.is_none() && self.shown.is_none() && awaits.is_none() {
            return GestureNumbers::default();
        }
        let op = &context.settings.transform;
        // A paste is one; the next Ctrl+V is another.
        let most_copies = if self.floating.is_some() { 0 } else { FARTHEST };
        let offsets = ["Offset x", "Offset y", "Offset z"].into_iter().zip(op.by.to_array());
        let mut numbers: Vec<_> = offsets.map(|(name, value)| GestureNumber::new(name, value, -FARTHEST, FARTHEST)).collect();
        numbers.push(GestureNumber { name: "Angle", unit: "°", value: op.angle.into(), range: [-360.0, 360.0] });
        numbers.push(GestureNumber::new("Copies", i32::try_from(op.copies).unwrap_or(FARTHEST), 0, most_copies));
        let scales = ["Scale x", "Scale y", "Scale z"].into_iter().zip(op.scale);
        numbers.extend(scales.map(|(name, factor)| GestureNumber { name, unit: "×", value: factor.into(), range: [0.01, 64.0] }));
        // A selection that is pulled up or down is going on with that.
        let first = match awaits {
            Some(TransformNumber::Angle) => 3,
            Some(TransformNumber::Scale | TransformNumber::OneScale) => 5,
            None if let Some(grip) = self.gripped => match grip {
                Grip::Arrow(face) => face.axis().index(),
                Grip::Ring => 3,
                Grip::Side(face) => 5 + face.axis().index(),
            },
            _ if op.by.truncate() == glam::IVec2::ZERO && op.by.z != 0 => 2,
            _ => 0,
        };
        GestureNumbers { numbers, first, finishes: true }
    }

    fn set_numbers(&mut self, context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let old = &context.settings.transform;
        let number = |index: usize| numbers.get(index).map_or(0.0, |number| number.value);
        let thousandths = |index: usize, before| Thousandths::try_from(number(index)).unwrap_or(before);
        let [x, y, z] = old.scale;
        self.carried = false;
        let is_typed = |index: usize| numbers.get(index).is_some_and(|number| number.typed);
        let is_uniform = self.awaited(context.document) == Some(TransformNumber::Scale) && is_typed(5) && !is_typed(6) && !is_typed(7);
        let scale = if is_uniform { [5, 5, 5] } else { [5, 6, 7] };
        let op = TransformSelection {
            by: IVec3::new(whole(numbers, 0), whole(numbers, 1), whole(numbers, 2)),
            angle: thousandths(3, old.angle),
            copies: u32::try_from(whole(numbers, 4)).unwrap_or(0),
            scale: [thousandths(scale[0], x), thousandths(scale[1], y), thousandths(scale[2], z)],
            ..old.clone()
        };
        self.show(context.document, &op);
        ToolResponse { transform: Some(op), ..self.status() }
    }

    fn await_numbers(&mut self, context: &ToolContext<'_>, first: TransformNumber) {
        self.awaits = Some((first, context.document.selection.clone()));
    }

    fn awaits_numbers(&self, context: &ToolContext<'_>) -> bool {
        self.awaited(context.document).is_some()
    }

    fn gizmo(&self, context: &ToolContext<'_>) -> Option<Gizmo> {
        let selection = self.source(context.document).filter(|_| !self.carried)?;
        let held = self.held.as_ref().and_then(|held| if let Hold::Grip(grip, _) = held.by { Some(grip) } else { None });
        let active = held.or(self.pointed.filter(|_| self.held.is_none()));
        let mut gizmo = Gizmo::around(&context.settings.transform, &selection)?;
        gizmo.active = active;
        Some(gizmo)
    }

    fn preview(&self) -> Preview {
        let Some(shown) = &self.shown else { return Preview { hovered: self.hovered.shown(), ..Preview::default() } };
        Preview { outlines: shown.outlines.clone(), store: shown.store.clone(), size: Some(shown.text()), ..Preview::default() }
    }
}

impl MoveTool {
    /// The number that is to be typed first, while there is something that it is of.
    fn awaited(&self, document: &Snapshot) -> Option<TransformNumber> {
        let (first, of) = self.awaits.as_ref()?;
        (self.floating.is_some() || (of.is_some() && *of == document.selection)).then_some(*first)
    }

    /// The loose clip goes where the pointer is; a click leaves it there.
    fn carry(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if input.phase != Phase::Leave
            && let Some(hit) = raycast(context.document.store(), &input.ray_in_world)
        {
            self.put_on(context, hit.pos, hit.face);
        }
        self.carried = input.phase != Phase::Press;
        self.show(context.document, &context.settings.transform);
        self.status()
    }

    fn put_on(&mut self, context: &ToolContext<'_>, pos: VoxelPos, face: Face) {
        if let Some(floating) = &mut self.floating {
            // Where it cannot be turned so, it stays; what is wrong is shown with it.
            floating.put_on(&context.settings.transform, &context.document.bounds(), pos, face).ok();
        }
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let document = context.document;
        let Some(selection) = &self.source(document) else {
            return ToolResponse::status("Nothing is selected: drag a box with Select (N)");
        };
        let (op, ray) = (&context.settings.transform, &input.ray_in_world);
        let gizmo = Gizmo::around(op, selection);
        let grip = gizmo.and_then(|gizmo| Some((gizmo.under(ray, input.voxels_per_pixel, input.is_parallel)?, gizmo)));
        let by_grip = grip.and_then(|(grip, gizmo)| Some((gizmo.held_at(grip, ray)?, Hold::Grip(grip, gizmo))));
        let by_face = || hold(document, &op.target(selection).unwrap_or(selection.bounds()), ray);
        let Some((from, by)) = by_grip.or_else(by_face) else {
            return ToolResponse::status("Nothing there");
        };
        self.gripped = if let Hold::Grip(grip, _) = by { Some(grip) } else { None };
        self.held = Some(Held { from, by, before: op.clone() });
        self.drag(context, input)
    }

    fn drag(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let source = self.source(context.document);
        let Some((held, selection)) = self.held.as_ref().zip(source.as_ref()) else { return ToolResponse::default() };
        let old = &context.settings.transform;
        let Some(dragged) = held.dragged(selection, &input.ray_in_world, input.modifiers.shift) else { return self.status() };
        let op = match held.by {
            Hold::Grip(Grip::Side(_) | Grip::Ring, _) => TransformSelection { copies: old.copies, ..dragged },
            Hold::Grip(Grip::Arrow(_), _) | Hold::Face(..) | Hold::Level => {
                let by = in_map(context.document, selection, old, dragged.by);
                // A copy that Ctrl makes is gone without it.
                let copies = if held.before.copies > 0 || self.floating.is_some() {
                    old.copies
                } else {
                    u32::from(input.modifiers.ctrl && by != IVec3::ZERO)
                };
                TransformSelection { by, copies, ..old.clone() }
            }
        };
        self.show(context.document, &op);
        ToolResponse { transform: Some(op), ..self.status() }
    }

    /// What is moved: the clip that lies loose, else the selection.
    fn source(&self, document: &Snapshot) -> Option<Selection> {
        self.floating.as_ref().map_or_else(|| document.selection.clone(), Floating::selection)
    }

    fn status(&self) -> ToolResponse {
        match &self.shown {
            Some(shown) if self.floating.is_none() && is_stacked(&shown.op) => ToolResponse::status(STACKED),
            Some(Shown { trouble: Some(trouble), .. }) => ToolResponse::status(sentence(trouble)),
            Some(_) if self.carried => ToolResponse::status("Click puts it down"),
            Some(shown) => ToolResponse::status(shown.text()),
            None => ToolResponse::default(),
        }
    }

    /// Looks up what the transform would do, unless that is what is shown.
    fn show(&mut self, document: &Snapshot, op: &TransformSelection) {
        let source = self.source(document);
        let Some(selection) = source.as_ref().filter(|_| self.floating.is_some() || !op.is_identity()) else {
            self.shown = None;
            return;
        };
        let at = self.floating.as_ref().map(Floating::at);
        let same = |shown: &Shown| {
            shown.op == *op && shown.at == at && shown.document.selection == document.selection && same_scene(&shown.document, document)
        };
        if self.shown.as_ref().is_some_and(same) {
            return;
        }
        let target = op.target(selection);
        let first = target.as_ref().map_or(selection.bounds(), |target| *target);
        let count = if self.floating.is_some() { 1 } else { op.copies };
        let copies = (0..count.clamp(1, OUTLINED).cast_signed()).map(|copy| first.shifted(op.by.saturating_mul(IVec3::splat(copy))));
        let outlines = copies.map(|region| Outline { region, team: None, active: true }).collect();
        let live = first.volume().max(selection.bounds().volume()).saturating_mul(u64::from(count.max(1))) <= LIVE_VOXELS;
        let known = || self.floating.as_ref().and_then(|floating| floating.trouble(op)).cloned();
        let trouble = target.err().or_else(known).map(|error| error.to_string());
        let live = live && trouble.is_none();
        let store = self.shown.take().and_then(|shown| shown.store).filter(|_| live);
        self.shown = Some(Shown { op: op.clone(), at, document: document.clone(), outlines, live, store, trouble });
    }
}

impl Held {
    /// What the transform becomes under another ray; nothing where that tells nothing.
    fn dragged(&self, selection: &Selection, ray: &Ray, shift: bool) -> Option<TransformSelection> {
        let by = match &self.by {
            Hold::Grip(grip, gizmo) => return gizmo.dragged(*grip, self.from, ray, &self.before, (selection, shift)),
            Hold::Face(..) | Hold::Level if shift => Vec3::Z * along_axis(ray, self.from, IVec3::Z)?,
            Hold::Level => (ray.at(ray.distance_to_plane(2, self.from.z)?) - self.from).with_z(0.0),
            Hold::Face(on, face) => (plane_point(ray, *on, *face)? - self.from) * (IVec3::ONE - face.normal().abs()).as_vec3(),
        };
        Some(TransformSelection { by: self.before.by.saturating_add(by.round().as_ivec3()), ..self.before.clone() })
    }
}

/// How far it moves if a part of it is to stay in the map.
fn in_map(document: &Snapshot, selection: &Selection, op: &TransformSelection, by: IVec3) -> IVec3 {
    let at_rest = TransformSelection { by: IVec3::ZERO, ..op.clone() };
    let region = at_rest.target(selection).unwrap_or(selection.bounds());
    let bounds = document.bounds();
    let (low, high) = (bounds.min() - region.max() + 1, bounds.max() - region.min() - 1);
    by.clamp(low.min(IVec3::ZERO), high.max(IVec3::ZERO))
}

/// Whether copies would lie where the selection does, or on each other.
fn is_stacked(op: &TransformSelection) -> bool {
    let plain = TransformSelection { copies: op.copies, ..TransformSelection::default() } == *op;
    op.by == IVec3::ZERO && (op.copies > 1 || (op.copies == 1 && plain))
}

/// The command that does it: plain moves and copies are the commands that they always were.
fn command(op: &TransformSelection) -> Command {
    let plain = TransformSelection { by: op.by, copies: op.copies, ..TransformSelection::default() } == *op;
    match op.copies {
        0 if plain => Command::MoveSelection(MoveSelection { by: op.by }),
        1 if plain => Command::CopySelection(CopySelection { by: op.by }),
        _ => Command::TransformSelection(op.clone()),
    }
}

/// Looking down by more than this, down for each voxel ahead, sides slide on a level.
const FROM_ABOVE: f32 = 0.1;

/// Where the ray takes hold: a side of the selection's box, else the ground beside it.
fn hold(document: &Snapshot, selection: &Region, ray: &Ray) -> Option<(Vec3, Hold)> {
    let (min, max) = (selection.min().as_vec3(), selection.max().as_vec3());
    let side = ray.clip_to_box(min, max).filter(|(enter, _)| *enter > 0.0).and_then(|(enter, _)| {
        let point = ray.at(enter);
        let off = |face: &Face| {
            let axis = face.axis().index();
            (point[axis] - if face.normal()[axis] > 0 { max[axis] } else { min[axis] }).abs()
        };
        let facing = Face::ALL.into_iter().filter(|face| face.normal().as_vec3().dot(ray.direction) < 0.0);
        let face = facing.min_by(|a, b| off(a).total_cmp(&off(b)))?;
        let held = if face.normal().min_element() < 0 { selection.min() } else { selection.max() - 1 };
        Some((point, Hold::Face(held, face)))
    });
    let taken = side.or_else(|| {
        let hit = raycast(document.store(), ray)?;
        Some((plane_point(ray, hit.pos, hit.face)?, Hold::Face(hit.pos, hit.face)))
    });
    taken.map(|(point, hold)| match hold {
        Hold::Face(_, face) if face.normal().z == 0 && ray.direction.z > FROM_ABOVE => (point, Hold::Level),
        hold => (point, hold),
    })
}

impl Shown {
    /// `+3, 0, −2 · 30° · 34×12×8 · 4 copies`: how large it is stands there where it was scaled.
    fn text(&self) -> String {
        text(&self.op, self.outlines.first().map(|outline| outline.region))
    }
}

fn text(op: &TransformSelection, region: Option<Region>) -> String {
    let signed = |value: i32| match value {
        0 => "0".to_owned(),
        1.. => format!("+{value}"),
        ..0 => format!("−{}", value.unsigned_abs()),
    };
    let rest = TransformSelection::default();
    let mut parts = vec![op.by.to_array().map(signed).join(", ")];
    if op.axes != rest.axes {
        parts.push("turned".into());
    }
    if op.angle != rest.angle {
        parts.push(format!("{}°", op.angle));
    }
    if op.scale != rest.scale {
        let factors = || op.scale.map(|factor| format!("×{factor}")).join(", ");
        parts.push(region.as_ref().map_or_else(factors, size_text));
    }
    match op.copies {
        0 => {}
        1 => parts.push("copy".into()),
        copies => parts.push(format!("{copies} copies")),
    }
    parts.join(" · ")
}
