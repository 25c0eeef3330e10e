//! The select tool: a box, what hangs together, what is alike, or what a freehand line goes around.

mod aim;
mod area;
mod lasso;
mod side;

use area::Area;
use glam::IVec3;
use lasso::Lasso;
use side::Side;

use super::{
    Gizmo, Grip, HoverPick, Modifiers, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec, pick_with_alt,
};
use crate::document::Combine;
use crate::edit::Command;
use crate::edit::ops::Select;
use crate::tool::{GestureNumbers, SelectKind, ToolSettings, TypedNumber};

/// The entry of the registry.
pub const SELECT: ToolSpec = ToolSpec {
    id: "select",
    label: "Select",
    key: 'N',
    icon: "square-dashed-mouse-pointer",
    help: "Selects voxels to move, copy, delete or fill",
    hint: "Drag or click what is to be selected · Shift adds · Ctrl subtracts · both intersect · Click outside deselects",
    options: &[
        ToolOption::SelectKind,
        ToolOption::Combine,
        ToolOption::SelectTolerance,
        ToolOption::SelectEdges,
        ToolOption::SelectUpward,
        ToolOption::SelectTall,
        ToolOption::LassoColumns,
    ],
    make: || Box::<SelectTool>::default(),
};

#[derive(Debug, Default)]
struct SelectTool {
    hovered: HoverPick,
    pending: Option<Pending>,
    /// What a click would select, as last looked at.
    shown: Option<aim::Shown>,
    /// The side of the selected box that a press would take hold of.
    pointed: Option<Grip>,
}

#[derive(Debug)]
enum Pending {
    Area(Box<Area>),
    Lasso(Box<Lasso>),
    Side(Box<Side>),
    /// What the release will do.
    Click(Box<Command>),
}

impl Tool for SelectTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        match (&mut self.pending, input.phase) {
            (None, Phase::Press) => self.press(context, input),
            (None, Phase::Hover) => self.hover(context, input),
            (None, _) => {
                (self.shown, self.pointed) = (None, None);
                ToolResponse::default()
            }
            (Some(Pending::Area(area)), _) => match area.pointer(input) {
                area::Step::Status(status) => ToolResponse { status, ..ToolResponse::default() },
                area::Step::Clicked => self.click(context),
                area::Step::Finished => self.finish(context),
            },
            (Some(Pending::Lasso(lasso)), Phase::Drag) => lasso.drag(input),
            (Some(Pending::Lasso(lasso)), Phase::Release) => {
                lasso.drag(input);
                self.finish(context)
            }
            (Some(Pending::Side(side)), Phase::Drag) => {
                side.drag(input);
                ToolResponse::status(side.size())
            }
            (Some(Pending::Side(side)), Phase::Release) => {
                side.drag(input);
                self.finish(context)
            }
            (Some(Pending::Click(_)), Phase::Release) => self.finish(context),
            (Some(_), _) => ToolResponse::default(),
        }
    }

    fn follows_way(&self) -> bool {
        matches!(self.pending, Some(Pending::Lasso(_)))
    }

    fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
    }

    fn step_back(&mut self, _context: &ToolContext<'_>) -> Option<ToolResponse> {
        if let Some(Pending::Area(area)) = &mut self.pending
            && area.step_back()
        {
            return Some(ToolResponse::status(area.text()));
        }
        self.cancel().then(ToolResponse::default)
    }

    fn confirm(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        if self.selects() { self.finish(context) } else { ToolResponse::default() }
    }

    fn selects(&self) -> bool {
        match &self.pending {
            Some(Pending::Area(area)) => area.is_ready(),
            Some(Pending::Side(_)) => true,
            _ => false,
        }
    }

    fn only_selects(&self) -> bool {
        true
    }

    fn can_nudge(&self) -> bool {
        matches!(&self.pending, Some(Pending::Area(area)) if area.is_ready())
    }

    fn nudge(&mut self, by: IVec3) {
        if let Some(Pending::Area(area)) = &mut self.pending {
            area.shift(by);
        }
    }

    fn gizmo(&self, context: &ToolContext<'_>) -> Option<Gizmo> {
        let mut gizmo = match &self.pending {
            None => sides(context)?,
            Some(Pending::Side(side)) => side.gizmo(),
            Some(_) => return None,
        };
        gizmo.active = match &self.pending {
            Some(Pending::Side(side)) => Some(side.grip()),
            _ => self.pointed,
        };
        Some(gizmo)
    }

    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        match &self.pending {
            Some(Pending::Area(area)) => area.numbers(),
            Some(Pending::Side(side)) => side.numbers(),
            _ => GestureNumbers::default(),
        }
    }

    fn set_numbers(&mut self, _context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        match &mut self.pending {
            Some(Pending::Area(area)) => {
                area.set_numbers(numbers);
                ToolResponse::status(area.text())
            }
            Some(Pending::Side(side)) => {
                side.set_numbers(numbers);
                ToolResponse::status(side.size())
            }
            _ => ToolResponse::default(),
        }
    }

    fn preview(&self) -> Preview {
        match &self.pending {
            Some(Pending::Area(area)) => area.preview(),
            Some(Pending::Lasso(lasso)) => lasso.preview(),
            Some(Pending::Side(side)) => side.preview(),
            Some(Pending::Click(_)) | None => {
                let ghosts = self.shown.iter().filter_map(|shown| shown.ghost.clone()).collect();
                Preview { hovered: self.hovered.shown(), ghosts, ..Preview::default() }
            }
        }
    }
}

impl SelectTool {
    fn hover(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let gizmo = sides(context).filter(|_| input.modifiers == Modifiers::default());
        self.pointed = gizmo.and_then(|gizmo| gizmo.under(&input.ray_in_world, input.voxels_per_pixel, input.is_parallel));
        if self.pointed.is_some() {
            self.shown = None;
            return ToolResponse::status("Drag moves this side of the selection");
        }
        self.shown = aim::shown(context, input, self.shown.take());
        self.shown.as_ref().map_or_else(ToolResponse::default, aim::Shown::status)
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let gizmo = sides(context).filter(|_| input.modifiers == Modifiers::default());
        self.pending = gizmo.and_then(|gizmo| Side::begin(gizmo, context.document, input)).map(|side| Pending::Side(Box::new(side)));
        if self.pending.is_some() {
            return ToolResponse::default();
        }
        let combine = combine(context.settings, input.modifiers);
        self.pending = match context.settings.select_kind {
            SelectKind::Box => Area::begin(context, input, combine).map(|area| Pending::Area(Box::new(area))),
            SelectKind::Lasso => Lasso::begin(context, input, combine).map(|lasso| Pending::Lasso(Box::new(lasso))),
            _ => {
                // A pointer that jumped here was not seen hovering.
                self.hover(context, input);
                aim::aimed(context, input).map(|command| Pending::Click(Box::new(command)))
            }
        };
        if self.pending.is_some() || combine != Combine::Replace { ToolResponse::default() } else { deselect(context) }
    }

    /// A press of the box without a drag: outside of the selection it deselects.
    fn click(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        let Some(Pending::Area(area)) = self.pending.take() else { return ToolResponse::default() };
        let inside = context.document.selection.as_ref().is_some_and(|selection| selection.contains_region(&area.region()));
        if inside || area.combine() != Combine::Replace { ToolResponse::default() } else { deselect(context) }
    }

    fn finish(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        self.shown = None;
        let (command, status) = match self.pending.take() {
            Some(Pending::Area(area)) => (area.command(context.document), Some(area.size())),
            Some(Pending::Lasso(lasso)) => (lasso.command(), None),
            Some(Pending::Side(side)) => (side.command(), Some(side.size())),
            Some(Pending::Click(command)) => (Some(*command), None),
            None => (None, None),
        };
        command.map_or_else(ToolResponse::default, |command| ToolResponse { status, ..ToolResponse::command(command) })
    }
}

/// The sides of a selected box, where boxes are what is selected.
fn sides(context: &ToolContext<'_>) -> Option<Gizmo> {
    let is_box = context.settings.select_kind == SelectKind::Box;
    context.document.selection.as_ref().filter(|_| is_box)?.as_region().map(Gizmo::of_sides)
}

/// How a gesture joins what is selected: Shift adds, Ctrl subtracts, both intersect.
fn combine(settings: &ToolSettings, modifiers: Modifiers) -> Combine {
    match (modifiers.shift, modifiers.ctrl) {
        (true, true) => Combine::Intersect,
        (true, false) => Combine::Add,
        (false, true) => Combine::Subtract,
        (false, false) => settings.combine,
    }
}

fn deselect(context: &ToolContext<'_>) -> ToolResponse {
    if context.document.selection.is_none() {
        return ToolResponse::default();
    }
    ToolResponse::command(Command::Select(Select::default()))
}
