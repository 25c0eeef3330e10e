//! The sculpting tool: raises, lowers and smooths the ground.

use super::planned::{Planned, planned};
use super::stroke_path::StrokePath;
use super::{HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec, pick_with_alt};
use crate::document::Snapshot;
use crate::edit::ops::{Sculpt, SculptAction};
use crate::edit::{Command, Mode};

/// Cost of a command that is planned anew at every event; dearer ones only as the path grows.
const CHEAP: u64 = 50_000;

/// The entry of the registry.
pub const SCULPT: ToolSpec = ToolSpec {
    id: "sculpt",
    label: "Sculpt",
    key: 'H',
    icon: "mountain",
    help: "Raises, lowers and smooths the ground",
    hint: "Drag raises the ground · Ctrl lowers · Shift smooths · Alt picks · [ ] size",
    options: &[ToolOption::SculptAction, ToolOption::BrushSize, ToolOption::Strength],
    make: || Box::<SculptTool>::default(),
};

#[derive(Debug, Default)]
struct SculptTool {
    hovered: HoverPick,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    /// The document as it was at the press.
    document: Snapshot,
    path: StrokePath,
    action: SculptAction,
    size: u32,
    strength: u32,
    /// What the release would do.
    planned: Option<Planned>,
    /// Points of the path that it shows.
    shown: usize,
}

impl Tool for SculptTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        match input.phase {
            Phase::Hover | Phase::Leave => {}
            Phase::Press => return self.press(context, input),
            Phase::Drag => {
                if let Some(pending) = &mut self.pending
                    && pending.path.follow(&input.ray_in_world, |_| {})
                {
                    pending.show();
                }
            }
            Phase::Release => {
                if let Some(mut pending) = self.pending.take() {
                    pending.path.follow(&input.ray_in_world, |_| {});
                    return ToolResponse::command(pending.command());
                }
            }
        }
        ToolResponse::default()
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
    }

    fn preview(&self) -> Preview {
        let (store, ghosts) = match self.pending.as_ref().and_then(|pending| pending.planned.clone()) {
            Some(Planned { store, ghosts }) => (Some(store), ghosts),
            None => (None, vec![]),
        };
        Preview { hovered: self.hovered.shown(), store, ghosts, ..Preview::default() }
    }
}

impl SculptTool {
    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.pending = None;
        let (document, settings) = (context.document.clone(), context.settings);
        // The path runs through the ground itself, as that of painting does.
        let Some(path) = StrokePath::begin(&document, &input.ray_in_world, Mode::Paint, settings.brush.size) else {
            return ToolResponse::status("No ground there");
        };
        let action = match settings.sculpt_action {
            _ if input.modifiers.shift => SculptAction::Smooth,
            SculptAction::Raise if input.modifiers.ctrl => SculptAction::Lower,
            SculptAction::Lower if input.modifiers.ctrl => SculptAction::Raise,
            action => action,
        };
        let (size, strength) = (settings.brush.size, settings.strength);
        let mut pending = Pending { document, path, action, size, strength, planned: None, shown: 0 };
        pending.show();
        let status = format!("{} by {strength}", action.label());
        self.pending = Some(pending);
        ToolResponse::status(status)
    }
}

impl Pending {
    fn command(&self) -> Command {
        let path = self.path.points().to_vec();
        Command::Sculpt(Sculpt { action: self.action, path, size: self.size, strength: self.strength, color: None })
    }

    /// Shows the ground as it would be. Long strokes are planned again whenever they grew by an eighth.
    fn show(&mut self) {
        let (command, points) = (self.command(), self.path.points().len());
        if command.cost() <= CHEAP || points >= self.shown + self.shown / 8 {
            self.planned = planned(&self.document, &command);
            self.shown = points;
        }
    }
}
