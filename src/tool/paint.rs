//! The paint tool: gives the surface other colors, in many ways.

use std::sync::Arc;

use glam::IVec3;

use super::ghost::{GHOST_LIMIT, Scene};
use super::numbers::whole;
use super::pick::{Pick, pick};
use super::planned::Planned;
use super::stroke_ghost::{QUICK, StrokeGhost};
use super::stroke_path::StrokePath;
use super::{GestureNumber, GestureNumbers, Modifiers, NO_PICTURE, PaintKind, ToolSettings, TypedNumber, ghost, pick_with_alt};
use super::{Ghost, HoverPick, Outline, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::document::Snapshot;
use crate::edit::ops::PaintStroke;
use crate::edit::{Brush, Command, Mode, PaintStyle};
use crate::geom::{Axis, Face, Region, VoxelPos};
use crate::voxel::Store;

/// Cost of a command whose outcome is shown in its colors; of dearer ones only where they paint.
const LIVE_COST: u64 = 4_000_000;

/// Widest picture, in voxels.
const MOST_WIDTH: i32 = 512;

/// The entry of the registry.
pub const PAINT: ToolSpec = ToolSpec {
    id: "paint",
    label: "Paint",
    key: 'P',
    icon: "paint-roller",
    help: "Tints, mixes, shades and blurs the colors of the surface, or lays a picture on it",
    hint: "Drag paints · Ctrl exchanges lighten and darken · Alt picks · [ ] size",
    options: &[ToolOption::PaintStyle, ToolOption::BrushSize, ToolOption::BrushDetails],
    make: || Box::<PaintTool>::default(),
};

#[derive(Debug, Default)]
struct PaintTool {
    hovered: HoverPick,
    tip: Option<Tip>,
    pending: Option<Pending>,
    /// Strokes so far.
    gestures: u32,
}

/// What a stroke begins with.
#[derive(Clone, Debug, PartialEq)]
struct Begun {
    at: VoxelPos,
    face: Face,
    style: PaintStyle,
    brush: Brush,
}

/// Where a click would paint, kept until something it depends on changes.
#[derive(Debug)]
struct Tip {
    document: Snapshot,
    begun: Begun,
    shown: Shown,
}

#[derive(Debug)]
struct Pending {
    path: StrokePath,
    /// What the stroke covers; of a picture that is laid down, where it lies.
    shown: Shown,
    style: PaintStyle,
    brush: Brush,
    depth: u32,
    /// The map as it would be, or was a moment ago, of strokes that a worker plans.
    store: Option<Store>,
}

#[derive(Debug)]
enum Shown {
    Stroke(Box<StrokeGhost>),
    /// Where a picture lies, and what it is seen on, unless that takes long to find out.
    Picture {
        scene: Box<Scene>,
        /// The voxel that its middle lies on.
        middle: VoxelPos,
        region: Region,
        ghost: Option<Ghost>,
    },
}

impl Tool for PaintTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        let response = match input.phase {
            Phase::Hover | Phase::Leave => {
                self.show_tip(context, input);
                ToolResponse::default()
            }
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(input),
            Phase::Release => {
                self.drag(input);
                self.finish()
            }
        };
        // What it cannot do without is said as long as it is missing.
        let lacks_picture = context.settings.paint.kind == PaintKind::Decal && context.settings.paint.decal.is_none();
        match response.status {
            None if lacks_picture && input.phase != Phase::Leave => ToolResponse { status: Some(NO_PICTURE.into()), ..response },
            _ => response,
        }
    }

    fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    fn cancel(&mut self) -> bool {
        self.tip = None;
        self.pending.take().is_some()
    }

    fn follows_way(&self) -> bool {
        matches!(&self.pending, Some(Pending { shown: Shown::Stroke(_), .. }))
    }

    fn is_behind(&self) -> bool {
        matches!(&self.pending, Some(Pending { shown: Shown::Stroke(ghost), .. }) if ghost.is_behind())
    }

    fn go_on(&mut self) {
        if let Some(Pending { shown: Shown::Stroke(ghost), .. }) = &mut self.pending {
            ghost.go_on();
        }
    }

    fn wanted(&self) -> Option<Command> {
        self.pending.as_ref().filter(|pending| pending.is_live()).map(Pending::command)
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.is_live()) {
            // Where nothing changes, the map is shown as it is.
            pending.store = Some(planned.map_or_else(|| pending.document().store().clone(), |planned| planned.store));
        }
    }

    /// The width of a picture; a stroke has none.
    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        let Some(PaintStyle::Decal { width, .. }) = self.pending.as_ref().map(|pending| &pending.style) else {
            return GestureNumbers::default();
        };
        let width = i32::try_from(*width).unwrap_or(MOST_WIDTH);
        GestureNumbers { numbers: vec![GestureNumber::new("Width", width, 1, MOST_WIDTH)], first: 0, finishes: true }
    }

    fn set_numbers(&mut self, _context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        if let Some(pending) = &mut self.pending
            && let PaintStyle::Decal { width, .. } = &mut pending.style
        {
            *width = whole(numbers, 0).clamp(1, MOST_WIDTH).cast_unsigned();
            pending.lay();
        }
        ToolResponse::default()
    }

    fn confirm(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        if self.numbers(context).numbers.is_empty() { ToolResponse::default() } else { self.finish() }
    }

    fn hint(&self, settings: &ToolSettings) -> Option<&'static str> {
        match settings.paint.kind {
            PaintKind::Lighten => Some("Drag lightens · Ctrl darkens · Alt picks · [ ] size"),
            PaintKind::Darken => Some("Drag darkens · Ctrl lightens · Alt picks · [ ] size"),
            PaintKind::Decal => Some("Drag the picture to its place · Alt picks"),
            PaintKind::Blur => Some("Drag blurs the colors · Alt picks · [ ] size"),
            PaintKind::Tint => Some("Drag tints · Alt picks · [ ] size"),
            _ => Some("Drag paints · Alt picks · [ ] size"),
        }
    }

    fn preview(&self) -> Preview {
        let Some(pending) = &self.pending else {
            let ghosts = self.tip.iter().flat_map(|tip| tip.shown.ghosts()).collect();
            let outlines = self.tip.iter().filter_map(Tip::outline).collect();
            return Preview { hovered: self.hovered.shown(), ghosts, outlines, ..Preview::default() };
        };
        let (ghosts, region) = (pending.shown.ghosts(), pending.shown.region());
        let size = Some(region).filter(|region| !region.is_empty()).map(|region| ghost::size_text(&region));
        // The colors themselves say more than a ghost.
        let ghosts = if pending.store.is_some() { vec![] } else { ghosts };
        let outlines = pending.shown.outline(pending.document()).filter(|_| pending.store.is_none()).into_iter().collect();
        Preview { ghosts, outlines, size, store: pending.store.clone(), ..Preview::default() }
    }
}

impl PaintTool {
    fn show_tip(&mut self, context: &ToolContext<'_>, input: &PointerInput) {
        let document = context.document;
        let hit = pick(document.store(), &input.ray_in_world).filter(|pick| pick.solid);
        let hit = hit.filter(|_| input.phase == Phase::Hover && !input.modifiers.alt && self.pending.is_none());
        let Some(begun) = hit.and_then(|pick| self.begun(context, input.modifiers, (pick.pos, pick.face)).ok()) else {
            self.tip = None;
            return;
        };
        let old = self.tip.take().filter(|tip| ghost::same_scene(&tip.document, document));
        self.tip = Some(match old {
            Some(tip) if tip.begun == begun => tip,
            // What can be seen of the map is looked up once for all places of a picture.
            Some(Tip { document, shown: Shown::Picture { scene, .. }, .. }) => Tip { document, shown: Shown::tip(*scene, &begun), begun },
            _ => Tip { document: document.clone(), shown: Shown::tip(Scene::new(document), &begun), begun },
        });
    }

    /// What a stroke begins with that begins now, or what it lacks.
    fn begun(&self, context: &ToolContext<'_>, modifiers: Modifiers, (at, face): (VoxelPos, Face)) -> Result<Begun, &'static str> {
        let settings = context.settings;
        let kind = if modifiers.ctrl { settings.paint.kind.inverted() } else { settings.paint.kind };
        let mut style = settings.paint.style(kind, settings.color, face).ok_or(NO_PICTURE)?;
        let (at, face) = lay_on(context.document.store(), &mut style, (at, face));
        let mut brush = settings.brush_on(Some(face), self.gestures);
        if brush.lacks_picture() && !matches!(style, PaintStyle::Decal { .. }) {
            return Err("The brush has no picture");
        }
        if style.is_random() {
            brush.seed = settings.brush.seed.wrapping_add(self.gestures);
        }
        Ok(Begun { at, face, style, brush })
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        (self.tip, self.pending) = (None, None);
        let (document, settings) = (context.document, context.settings);
        let Some(path) = StrokePath::begin(document, &input.ray_in_world, Mode::Paint, settings.brush.size) else {
            return ToolResponse::status("Nothing there");
        };
        let begun = match self.begun(context, input.modifiers, (path.first(), path.face())) {
            Ok(begun) => begun,
            Err(lacking) => return ToolResponse::status(lacking),
        };
        let shown = Shown::of(Scene::new(document), &begun);
        let Begun { style, brush, .. } = begun;
        self.pending = Some(Pending { path, shown, style, brush, depth: settings.paint.depth, store: None });
        ToolResponse::default()
    }

    fn drag(&mut self, input: &PointerInput) -> ToolResponse {
        if let Some(pending) = &mut self.pending {
            pending.follow(input);
            if !pending.is_live() {
                pending.store = None;
            }
        }
        ToolResponse::default()
    }

    fn finish(&mut self) -> ToolResponse {
        let Some(mut pending) = self.pending.take() else { return ToolResponse::default() };
        let is_empty = match &mut pending.shown {
            Shown::Stroke(ghost) => {
                ghost.go_on();
                ghost.is_empty()
            }
            Shown::Picture { ghost, .. } => ghost.as_ref().is_some_and(|ghost| ghost.voxels.is_empty()),
        };
        if is_empty {
            return ToolResponse::nothing_to_change(pending.document());
        }
        self.gestures = self.gestures.wrapping_add(1);
        ToolResponse::command(pending.command())
    }
}

impl Tip {
    /// The box of a picture that is too large to tell its voxels at every move.
    fn outline(&self) -> Option<Outline> {
        self.shown.outline(&self.document)
    }
}

impl Shown {
    fn of(scene: Scene, begun: &Begun) -> Self {
        let Begun { at, style, brush, .. } = begun;
        if !matches!(style, PaintStyle::Decal { .. }) {
            return Self::Stroke(Box::new(StrokeGhost::line(scene.document(), brush, Mode::Paint, *at, *at)));
        }
        let mut scene = Box::new(scene);
        let region = decal_box(scene.document().store(), style, *at);
        let ghost = picture_ghost(&mut scene, style, region);
        Self::Picture { scene, middle: *at, region, ghost }
    }

    /// As shown under a pointer that only points.
    fn tip(scene: Scene, begun: &Begun) -> Self {
        let region = decal_box(scene.document().store(), &begun.style, begun.at);
        if region.volume() <= QUICK {
            return Self::of(scene, begun);
        }
        Self::Picture { scene: Box::new(scene), middle: begun.at, region, ghost: None }
    }

    fn ghosts(&self) -> Vec<Ghost> {
        match self {
            Self::Stroke(ghost) => ghost.ghosts(),
            Self::Picture { ghost, .. } => ghost.iter().cloned().collect(),
        }
    }

    /// The box of a picture of which the voxels are not told.
    fn outline(&self, document: &Snapshot) -> Option<Outline> {
        let Self::Picture { region, ghost: None, .. } = self else { return None };
        let region = region.intersection(&document.bounds());
        (!region.is_empty()).then_some(Outline { region, team: None, active: true })
    }

    fn region(&self) -> Region {
        match self {
            Self::Stroke(ghost) => ghost.region(),
            Self::Picture { region, .. } => *region,
        }
    }
}

/// A step is no higher than this part of a picture that lies on its slope.
const STEP_SHARE: i32 = 3;
/// Voxels that ground rises out of the plane of a picture, or falls behind it, and still takes part of it, at most.
const MOST_RISE: i32 = 32;

impl Pending {
    fn command(&self) -> Command {
        let op = PaintStroke::new(self.style.clone(), self.brush.clone(), vec![]);
        Command::Paint(match &self.shown {
            Shown::Stroke(_) => PaintStroke { path: self.path.points().to_vec(), depth: self.depth, ..op },
            Shown::Picture { region, .. } => PaintStroke { depth: self.depth, ..projected(&self.style, *region) },
        })
    }

    /// Goes on with the pointer.
    fn follow(&mut self, input: &PointerInput) {
        match &mut self.shown {
            Shown::Stroke(ghost) => {
                self.path.follow(&input.ray_in_world, |point| ghost.go_to(point));
            }
            Shown::Picture { scene, middle, .. } => {
                let Some(Pick { pos, face, solid: true }) = pick(scene.document().store(), &input.ray_in_world) else { return };
                (*middle, _) = lay_on(scene.document().store(), &mut self.style, (pos, face));
                self.lay();
            }
        }
    }

    /// Lays the picture where its middle is, as wide as it is.
    fn lay(&mut self) {
        let Shown::Picture { scene, middle, region, ghost } = &mut self.shown else { return };
        let next = decal_box(scene.document().store(), &self.style, *middle);
        if next != *region {
            *region = next;
            *ghost = picture_ghost(scene, &self.style, *region);
        }
    }

    /// Whether what it does is shown in its colors.
    fn is_live(&self) -> bool {
        self.command().cost_in(self.document()) <= LIVE_COST
    }

    /// The document as it was at the press.
    fn document(&self) -> &Snapshot {
        match &self.shown {
            Shown::Stroke(ghost) => ghost.document(),
            Shown::Picture { scene, .. } => scene.document(),
        }
    }
}

/// What lays a picture on what it meets in a box.
fn projected(style: &PaintStyle, region: Region) -> PaintStroke {
    PaintStroke { region: Some(region), projected: true, ..PaintStroke::new(style.clone(), Brush::default(), vec![]) }
}

/// Voxels of the box of a picture that are looked through while the pointer moves, unless it comes from the sky: what a worker
/// plans is shown all the same.
const QUICK_PICTURE: u64 = 16_000;

/// What a picture would be seen on; `None` of one that takes long to find out.
fn picture_ghost(scene: &mut Scene, style: &PaintStyle, region: Region) -> Option<Ghost> {
    let is_from_sky = matches!(style, PaintStyle::Decal { face: Face::MinusZ, .. });
    if region.volume() > if is_from_sky { QUICK } else { QUICK_PICTURE } {
        return None;
    }
    let mut voxels = vec![];
    for (pos, bits) in projected(style, region).met(scene.document()).chunks() {
        ghost::push_voxels(&mut voxels, pos, &scene.affected(pos, bits, Mode::Paint));
    }
    voxels.truncate(GHOST_LIMIT);
    Some(Ghost { voxels: Arc::new(voxels), mode: Mode::Paint })
}

/// Turns a picture to the side that it comes to lie on, and answers the middle of it there. The step of a slope is no wall: what is
/// much lower than the picture is laid on from above.
fn lay_on(store: &Store, style: &mut PaintStyle, (at, face): (VoxelPos, Face)) -> (VoxelPos, Face) {
    let PaintStyle::Decal { image, width, face: side, .. } = style else { return (at, face) };
    *side = face;
    let [columns, rows] = image.size();
    let height = i32::try_from(width.saturating_mul(rows) / columns.max(1)).unwrap_or(i32::MAX);
    let is_wall = |z: i32| store.is_solid(at.with_z(z)) && !store.is_solid(at.with_z(z) + face.normal());
    let lowest = at.z.saturating_add(height / STEP_SHARE).saturating_add(1);
    let Some(top) = (at.z.saturating_sub(height / STEP_SHARE)..=at.z).rev().take_while(|z| is_wall(*z)).last() else { return (at, face) };
    let bottom = (at.z..=lowest).take_while(|z| is_wall(*z)).last().unwrap_or(at.z);
    let is_step = face.axis() != Axis::Z && (bottom - top + 1).saturating_mul(STEP_SHARE) <= height;
    if is_step && !store.is_solid(at.with_z(top - 1)) {
        *side = Face::MinusZ;
        return (at.with_z(top), Face::MinusZ);
    }
    (at, face)
}

/// Where a picture comes to lie: as wide and high as it is, and out of the face and into it as far as steps of the ground
/// within it may rise and fall; outwards only as far as nothing is over the middle, such as the roof of a cave.
fn decal_box(store: &Store, style: &PaintStyle, middle: IVec3) -> Region {
    let PaintStyle::Decal { image, width, face, .. } = style else { return Region::EMPTY };
    let [columns, rows] = image.size();
    let side = |voxels: u32| i32::try_from(voxels.max(1)).unwrap_or(1);
    let (width, height) = (side(*width), side(width.saturating_mul(rows) / columns.max(1)));
    let size = match face.axis() {
        Axis::X => IVec3::new(1, width, height),
        Axis::Y => IVec3::new(width, 1, height),
        Axis::Z => IVec3::new(width, height, 1),
    };
    let (flat, normal) = (Region::of_size(size).shifted(middle - size / 2), face.normal());
    let reach = (width.max(height) / 2).min(MOST_RISE);
    let out = (1..=reach).take_while(|step| !store.is_solid(middle + normal * *step)).count();
    let out = i32::try_from(out).unwrap_or(reach);
    flat.union(&flat.shifted(normal * out)).union(&flat.shifted(normal * -reach))
}
