//! The line tool: stamps the brush along a straight line.

use super::numbers::{Leg, LegLength};
use super::planned::Planned;
use super::stroke_ghost::{QUICK, StrokeGhost};
use super::stroke_path::StrokePath;
use super::{GestureNumbers, TypedNumber, effective_mode, ghost, pick_with_alt};
use super::{HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::document::Snapshot;
use crate::edit::ops::Line;
use crate::edit::{Brush, Command, Mode};
use crate::geom::{Region, VoxelPos};
use crate::voxel::Rgb;

/// The entry of the registry.
pub const LINE: ToolSpec = ToolSpec {
    id: "line",
    label: "Line",
    key: 'L',
    icon: "pencil-line",
    help: "Draws a straight line with the brush",
    hint: "Drag from end to end · Shift along one axis · Ctrl inverts · Alt picks · [ ] size",
    options: &[ToolOption::Mode, ToolOption::BrushShape, ToolOption::BrushSize, ToolOption::BrushDetails],
    make: || Box::<LineTool>::default(),
};

#[derive(Debug, Default)]
struct LineTool {
    hovered: HoverPick,
    pending: Option<Pending>,
    /// Lines so far.
    gestures: u32,
}

#[derive(Debug)]
struct Pending {
    start: StrokePath,
    to: VoxelPos,
    /// The document as it was at the press.
    document: Snapshot,
    /// What it changes; of a line too dear for that, nothing.
    ghost: Option<StrokeGhost>,
    /// What a dear line would do, or did a moment ago.
    planned: Option<Planned>,
    brush: Brush,
    mode: Mode,
    color: Rgb,
}

impl Pending {
    fn command(&self) -> Command {
        let (brush, mode, color) = (self.brush.clone(), self.mode, self.color);
        Command::Line(Line { from: self.start.first(), to: self.to, brush, mode, color })
    }

    /// Draws the ghost anew, where that does not take long.
    fn show(&mut self) {
        let quick = self.command().cost_in(&self.document) <= QUICK;
        self.ghost = quick.then(|| StrokeGhost::line(&self.document, &self.brush, self.mode, self.start.first(), self.to));
        if quick {
            self.planned = None;
        }
    }

    fn leg(&self) -> Leg {
        Leg { from: self.start.first(), to: self.to, length: LegLength::Voxels }
    }

    fn go_to(&mut self, to: VoxelPos) -> ToolResponse {
        self.to = to;
        self.show();
        ToolResponse::status(self.size())
    }

    fn size(&self) -> String {
        ghost::size_text(&Region::between(self.start.first(), self.to))
    }
}

impl Tool for LineTool {
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

    fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
    }

    fn confirm(&mut self, _context: &ToolContext<'_>) -> ToolResponse {
        self.finish()
    }

    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        let numbers = |pending: &Pending| GestureNumbers { numbers: pending.leg().numbers(), first: 0, finishes: true };
        self.pending.as_ref().map_or_else(GestureNumbers::default, numbers)
    }

    fn set_numbers(&mut self, _context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let Some(pending) = &mut self.pending else { return ToolResponse::default() };
        let end = pending.leg().end(numbers);
        pending.go_to(end)
    }

    fn wanted(&self) -> Option<Command> {
        self.pending.as_ref().filter(|pending| pending.ghost.is_none()).map(Pending::command)
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.ghost.is_none()) {
            pending.planned = planned;
        }
    }

    fn hint(&self, _settings: &super::ToolSettings) -> Option<&'static str> {
        self.pending.is_some().then_some("Drag to the other end · Shift along one axis · Let go to draw it · Esc drops it")
    }

    fn preview(&self) -> Preview {
        let Some(pending) = &self.pending else { return Preview { hovered: self.hovered.shown(), ..Preview::default() } };
        let (store, ghosts) = match (&pending.ghost, &pending.planned) {
            (Some(ghost), _) => (None, ghost.ghosts()),
            (None, Some(planned)) => (Some(planned.store.clone()), planned.ghosts.clone()),
            (None, None) => (None, vec![]),
        };
        Preview { store, ghosts, size: Some(pending.size()), ..Preview::default() }
    }
}

impl LineTool {
    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let document = context.document;
        let mode = effective_mode(context.settings.mode, input.modifiers);
        let Some(start) = StrokePath::begin(document, &input.ray_in_world, mode, context.settings.brush.size) else {
            self.pending = None;
            return ToolResponse::status("Nothing there");
        };
        let brush = context.settings.brush_on(Some(start.face()), self.gestures);
        if brush.lacks_picture() {
            self.pending = None;
            return ToolResponse::status("The brush has no picture: choose one in the tool bar");
        }
        let to = start.first();
        let (document, color) = (document.clone(), context.settings.color);
        let pending = self.pending.insert(Pending { start, to, document, ghost: None, planned: None, brush, mode, color });
        pending.show();
        ToolResponse::default()
    }

    fn drag(&mut self, input: &PointerInput) -> ToolResponse {
        let Some(pending) = &mut self.pending else { return ToolResponse::default() };
        let from = pending.start.first();
        let Some(mut to) = pending.start.end(&input.ray_in_world) else { return ToolResponse::default() };
        if input.modifiers.shift {
            to = along_one_axis(from, to);
        }
        if to == pending.to { ToolResponse::default() } else { pending.go_to(to) }
    }

    fn finish(&mut self) -> ToolResponse {
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        if pending.ghost.as_ref().is_some_and(StrokeGhost::is_empty) {
            return ToolResponse::nothing_to_change(&pending.document);
        }
        self.gestures = self.gestures.wrapping_add(1);
        ToolResponse::command(pending.command())
    }
}

/// The end moved onto the axis along which it lies farthest.
fn along_one_axis(from: VoxelPos, to: VoxelPos) -> VoxelPos {
    let away = (to - from).abs();
    let axis = if away.x >= away.y && away.x >= away.z {
        0
    } else if away.y >= away.z {
        1
    } else {
        2
    };
    let mut end = from;
    end[axis] = to[axis];
    end
}
