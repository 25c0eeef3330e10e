//! The paint tool: gives the surface other colors, in many ways.

use glam::IVec3;

use super::ghost::Scene;
use super::pick::{Pick, pick};
use super::planned::Planned;
use super::stroke_ghost::StrokeGhost;
use super::stroke_path::StrokePath;
use super::{Ghost, HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use super::{NO_PICTURE, PaintKind, ghost, pick_with_alt};
use crate::document::Snapshot;
use crate::edit::ops::PaintStroke;
use crate::edit::{Brush, Command, Mode, PaintStyle};
use crate::geom::{Axis, Region};
use crate::voxel::Store;

/// Cost of a command whose outcome is shown in its colors; of dearer ones only where they paint.
const LIVE_COST: u64 = 4_000_000;

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
    pending: Option<Pending>,
    /// Strokes so far.
    gestures: u32,
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
    Picture { scene: Box<Scene>, region: Region, ghost: Ghost },
}

impl Tool for PaintTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        match input.phase {
            Phase::Hover | Phase::Leave => ToolResponse::default(),
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(input),
            Phase::Release => {
                self.drag(input);
                self.finish()
            }
        }
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
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

    fn preview(&self) -> Preview {
        let Some(pending) = &self.pending else { return Preview { hovered: self.hovered.shown(), ..Preview::default() } };
        let (ghosts, region) = match &pending.shown {
            Shown::Stroke(ghost) => (ghost.ghosts(), ghost.region()),
            Shown::Picture { ghost, region, .. } => (vec![ghost.clone()], *region),
        };
        let size = Some(region).filter(|region| !region.is_empty()).map(|region| ghost::size_text(&region));
        // The colors themselves say more than a ghost.
        let ghosts = if pending.store.is_some() { vec![] } else { ghosts };
        Preview { ghosts, size, store: pending.store.clone(), ..Preview::default() }
    }
}

impl PaintTool {
    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.pending = None;
        let (document, settings) = (context.document, context.settings);
        let Some(path) = StrokePath::begin(document, &input.ray_in_world, Mode::Paint, settings.brush.size) else {
            return ToolResponse::status("Nothing there");
        };
        let kind = if input.modifiers.ctrl { settings.paint.kind.inverted() } else { settings.paint.kind };
        let Some(style) = settings.paint.style(kind, settings.color, path.face()) else {
            return ToolResponse::status(NO_PICTURE);
        };
        let mut brush = settings.brush_on(Some(path.face()), self.gestures);
        if brush.lacks_picture() {
            return ToolResponse::status("The brush has no picture");
        }
        if style.is_random() {
            brush.seed = settings.brush.seed.wrapping_add(self.gestures);
        }
        let shown = if kind == PaintKind::Decal {
            let region = decal_box(&style, &brush, path.first());
            let mut scene = Scene::new(document);
            let ghost = scene.of_region(&region, Mode::Paint);
            Shown::Picture { scene: Box::new(scene), region, ghost }
        } else {
            Shown::Stroke(Box::new(StrokeGhost::line(document, &brush, Mode::Paint, path.first(), path.first())))
        };
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
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        let is_empty = match &pending.shown {
            Shown::Stroke(ghost) => ghost.is_empty(),
            Shown::Picture { ghost, .. } => ghost.voxels.is_empty(),
        };
        if is_empty {
            return ToolResponse::status("Nothing to paint there");
        }
        self.gestures = self.gestures.wrapping_add(1);
        ToolResponse::command(pending.command())
    }
}

/// Voxels that ground rises out of the plane of a picture and still takes part of it, at most.
const MOST_RISE: i32 = 32;

impl Pending {
    fn command(&self) -> Command {
        let op = PaintStroke::new(self.style.clone(), self.brush.clone(), vec![]);
        Command::Paint(match &self.shown {
            Shown::Stroke(_) => PaintStroke { path: self.path.points().to_vec(), depth: self.depth, ..op },
            Shown::Picture { region, .. } => PaintStroke { brush: Brush::default(), region: Some(*region), depth: self.depth, ..op },
        })
    }

    /// Goes on with the pointer.
    fn follow(&mut self, input: &PointerInput) {
        match &mut self.shown {
            Shown::Stroke(ghost) => {
                self.path.follow(&input.ray_in_world, |point| ghost.go_to(point));
                ghost.go_on();
            }
            Shown::Picture { scene, region, ghost } => {
                let Some(Pick { pos, face, solid: true }) = pick(scene.document().store(), &input.ray_in_world) else { return };
                if let PaintStyle::Decal { face: side, .. } = &mut self.style {
                    *side = face;
                }
                let next = decal_box(&self.style, &self.brush, pos);
                if next != *region {
                    *region = next;
                    *ghost = scene.of_region(region, Mode::Paint);
                }
            }
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

/// Where a picture comes to lie: as wide and high as it is, as deep as the brush, and out of the face as far as steps of
/// the ground within it may rise.
fn decal_box(style: &PaintStyle, brush: &Brush, middle: IVec3) -> Region {
    let PaintStyle::Decal { image, width, face, .. } = style else { return Region::EMPTY };
    let [columns, rows] = image.size();
    let side = |voxels: u32| i32::try_from(voxels.max(1)).unwrap_or(1);
    let (width, height) = (side(*width), side(width.saturating_mul(rows) / columns.max(1)));
    let depth = side(brush.size);
    let size = match face.axis() {
        Axis::X => IVec3::new(depth, width, height),
        Axis::Y => IVec3::new(width, depth, height),
        Axis::Z => IVec3::new(width, height, depth),
    };
    let flat = Region::of_size(size).shifted(middle - size / 2);
    let rise = (width.max(height) / 2).min(MOST_RISE) - depth / 2;
    if rise > 0 { flat.union(&flat.shifted(face.normal() * rise)) } else { flat }
}
