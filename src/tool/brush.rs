//! The brush: stamps its tip along the pointer's way.

use super::pick::pick;
use super::planned::Planned;
use super::stroke_ghost::{QUICK, StrokeGhost};
use super::stroke_path::StrokePath;
use super::{HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use super::{effective_mode, ghost, pick_with_alt};
use crate::document::Snapshot;
use crate::edit::ops::Stroke;
use crate::edit::{Brush, Command, Mode};
use crate::geom::VoxelPos;
use crate::voxel::Rgb;

/// The entry of the registry.
pub const BRUSH: ToolSpec = ToolSpec {
    id: "brush",
    label: "Brush",
    key: 'B',
    icon: "paintbrush",
    help: "Adds, removes or paints voxels along the pointer's way",
    hint: "Drag draws · Shift straight line from the last stroke · Ctrl inverts · Alt picks · [ ] size",
    options: &[ToolOption::Mode, ToolOption::BrushShape, ToolOption::BrushSize, ToolOption::BrushDetails],
    make: || Box::<BrushTool>::default(),
};

#[derive(Debug, Default)]
struct BrushTool {
    hovered: HoverPick,
    tip: Option<Tip>,
    pending: Option<Pending>,
    /// Where the last stroke ended, for straight lines.
    last_end: Option<VoxelPos>,
    /// Strokes so far.
    gestures: u32,
}

/// The ghost of what a click would do, kept until something it depends on changes.
#[derive(Debug)]
struct Tip {
    document: Snapshot,
    from: Option<VoxelPos>,
    to: VoxelPos,
    brush: Brush,
    ghost: StrokeGhost,
}

#[derive(Debug)]
struct Pending {
    path: StrokePath,
    ghost: StrokeGhost,
    /// Start and end of a straight line.
    straight: Option<(VoxelPos, VoxelPos)>,
    /// Whether the line is too dear for its ghost.
    dear: bool,
    /// What a dear line would do, or did a moment ago.
    planned: Option<Planned>,
    brush: Brush,
    mode: Mode,
    color: Rgb,
}

impl Tool for BrushTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        match input.phase {
            Phase::Hover | Phase::Leave => {
                self.hovered.follow(context.document, input);
                self.show_tip(context, input);
                ToolResponse::default()
            }
            Phase::Press => self.press(context, input),
            Phase::Drag => self.drag(input),
            Phase::Release => {
                self.drag(input);
                self.finish(context.document)
            }
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
        self.pending.as_ref().is_some_and(|pending| pending.straight.is_none())
    }

    fn is_behind(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.ghost.is_behind())
    }

    fn go_on(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.ghost.go_on();
        }
    }

    fn wanted(&self) -> Option<Command> {
        self.pending.as_ref().filter(|pending| pending.dear).map(|pending| pending.command(pending.line_path()))
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.dear) {
            pending.planned = planned;
        }
    }

    fn preview(&self) -> Preview {
        if let Some(Pending { dear: true, planned, .. }) = &self.pending {
            let (store, ghosts) = planned.clone().map_or((None, vec![]), |planned| (Some(planned.store), planned.ghosts));
            return Preview { store, ghosts, ..Preview::default() };
        }
        if let Some(pending) = &self.pending {
            let size = Some(pending.ghost.region()).filter(|region| !region.is_empty()).map(|region| ghost::size_text(&region));
            return Preview { ghosts: pending.ghost.ghosts(), size, ..Preview::default() };
        }
        let ghosts = self.tip.iter().flat_map(|tip| tip.ghost.ghosts()).collect();
        Preview { hovered: self.hovered.shown(), ghosts, ..Preview::default() }
    }
}

impl BrushTool {
    fn show_tip(&mut self, context: &ToolContext<'_>, input: &PointerInput) {
        let document = context.document;
        let mode = effective_mode(context.settings.mode, input.modifiers);
        let hit = pick(document.store(), &input.ray_in_world);
        let brush = context.settings.brush_on(hit.map(|pick| pick.face), self.gestures);
        let target = hit.and_then(|pick| pick.target(mode));
        let Some(to) =
            target.filter(|_| input.phase == Phase::Hover && !input.modifiers.alt && self.pending.is_none() && !brush.lacks_picture())
        else {
            self.tip = None;
            return;
        };
        let from = self.last_end.filter(|_| input.modifiers.shift);
        let fits = |tip: &Tip| {
            (tip.from, tip.to, &tip.brush, tip.ghost.mode()) == (from, to, &brush, mode) && ghost::same_scene(&tip.document, document)
        };
        if !self.tip.as_ref().is_some_and(fits) {
            // Of a line that takes too long, the end is shown.
            let begin = from.filter(|from| is_quick(document, &brush, *from, to)).unwrap_or(to);
            let ghost = StrokeGhost::line(document, &brush, mode, begin, to);
            self.tip = Some(Tip { document: document.clone(), from, to, brush, ghost });
        }
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.cancel();
        let document = context.document;
        let mode = effective_mode(context.settings.mode, input.modifiers);
        let Some(path) = StrokePath::begin(document, &input.ray_in_world, mode, context.settings.brush.size) else {
            return ToolResponse::status("Nothing there");
        };
        let brush = context.settings.brush_on(Some(path.face()), self.gestures);
        if brush.lacks_picture() {
            return ToolResponse::status("The brush has no picture: choose one in the tool bar");
        }
        let straight = input.modifiers.shift.then(|| (self.last_end.unwrap_or(path.first()), path.first()));
        let ghost = StrokeGhost::new(document, &brush, mode);
        let color = context.settings.color;
        let pending = self.pending.insert(Pending { path, ghost, straight, dear: false, planned: None, brush, mode, color });
        match straight {
            Some(_) => pending.show_line(),
            None => {
                pending.ghost.go_to(pending.path.first());
                pending.ghost.go_on();
            }
        }
        ToolResponse::default()
    }

    fn drag(&mut self, input: &PointerInput) -> ToolResponse {
        if let Some(pending) = &mut self.pending {
            pending.follow(input);
        }
        ToolResponse::default()
    }

    fn finish(&mut self, document: &Snapshot) -> ToolResponse {
        let Some(mut pending) = self.pending.take() else { return ToolResponse::default() };
        pending.ghost.go_on();
        let path = pending.line_path();
        self.last_end = path.last().copied();
        self.gestures = self.gestures.wrapping_add(1);
        if pending.ghost.is_empty() && !pending.dear {
            return ToolResponse::nothing_to_change(document);
        }
        ToolResponse::command(pending.command(path))
    }
}

impl Pending {
    fn command(&self, path: Vec<VoxelPos>) -> Command {
        Command::Stroke(Stroke { brush: self.brush.clone(), mode: self.mode, color: self.color, path })
    }

    /// The path of the stroke so far.
    fn line_path(&self) -> Vec<VoxelPos> {
        match self.straight {
            Some((from, to)) if from == to => vec![to],
            Some((from, to)) => vec![from, to],
            None => self.path.points().to_vec(),
        }
    }

    fn follow(&mut self, input: &PointerInput) {
        let Some((_, to)) = &mut self.straight else {
            self.path.follow(&input.ray_in_world, |point| self.ghost.go_to(point));
            return;
        };
        if let Some(end) = self.path.end(&input.ray_in_world).filter(|end| end != to) {
            *to = end;
            self.show_line();
        }
    }

    /// Draws the ghost of the straight line anew, or has a worker plan it.
    fn show_line(&mut self) {
        let Some((from, to)) = self.straight else { return };
        let document: Snapshot = self.ghost.document().clone();
        self.dear = !is_quick(&document, &self.brush, from, to);
        if !self.dear {
            self.planned = None;
            self.ghost = StrokeGhost::line(&document, &self.brush, self.mode, from, to);
        }
    }
}

/// Whether the ghost of a straight line is drawn within a frame.
fn is_quick(document: &Snapshot, brush: &Brush, from: VoxelPos, to: VoxelPos) -> bool {
    let stroke = Stroke { brush: brush.clone(), mode: Mode::Add, color: Rgb::new(0, 0, 0), path: vec![from, to] };
    Command::Stroke(stroke).cost_in(document) <= QUICK
}
