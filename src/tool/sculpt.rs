//! The sculpting tool: raises, lowers, smooths and forms the ground.

use super::numbers::{Leg, LegLength, whole};
use super::planned::Planned;
use super::stroke_path::StrokePath;
use super::{GestureNumber, GestureNumbers, TypedNumber};
use super::{HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec, pick_with_alt};
use crate::edit::ops::{Sculpt, SculptAction, SculptForm};
use crate::edit::{Command, Mode};
use crate::geom::VoxelPos;

/// Voxels that a stroke moves the ground by at most, as the option row has it.
const MOST_STRENGTH: u32 = 32;

/// The entry of the registry.
pub const SCULPT: ToolSpec = ToolSpec {
    id: "sculpt",
    label: "Sculpt",
    key: 'H',
    icon: "mountain",
    help: "Raises, lowers, smooths, flattens, slopes and wears down the ground",
    hint: "Drag raises the ground · Ctrl lowers · Shift smooths · Alt picks · [ ] size",
    options: &[ToolOption::SculptAction, ToolOption::BrushSize, ToolOption::Strength, ToolOption::SculptForm, ToolOption::SculptDetails],
    make: || Box::<SculptTool>::default(),
};

#[derive(Debug, Default)]
struct SculptTool {
    hovered: HoverPick,
    pending: Option<Pending>,
    /// Strokes so far.
    gestures: u32,
}

#[derive(Debug)]
struct Pending {
    path: StrokePath,
    /// Where a slope ends.
    end: Option<VoxelPos>,
    /// What the release does, without its path.
    op: Sculpt,
    /// What the release would do, of the path as it was when that was begun to be planned.
    planned: Option<Planned>,
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
                if let Some(pending) = &mut self.pending {
                    pending.follow(input);
                }
            }
            Phase::Release => {
                if let Some(pending) = &mut self.pending {
                    pending.follow(input);
                }
                return self.finish();
            }
        }
        ToolResponse::default()
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
    }

    fn wanted(&self) -> Option<Command> {
        self.pending.as_ref().map(Pending::command)
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        if let Some(pending) = &mut self.pending {
            pending.planned = planned;
        }
    }

    fn confirm(&mut self, _context: &ToolContext<'_>) -> ToolResponse {
        self.finish()
    }

    /// By how much, or where a slope goes.
    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        let Some(pending) = &self.pending else { return GestureNumbers::default() };
        let numbers = match (pending.op.action, pending.leg()) {
            (SculptAction::Slope, leg) => leg.numbers(),
            // Both are small.
            _ => vec![GestureNumber::new("Amount", pending.op.strength.cast_signed(), 1, pending.strongest().cast_signed())],
        };
        GestureNumbers { numbers, first: 0, finishes: true }
    }

    fn set_numbers(&mut self, context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let Some(pending) = &mut self.pending else { return ToolResponse::default() };
        if pending.op.action == SculptAction::Slope {
            let bounds = context.document.bounds();
            let end = pending.leg().end(numbers).clamp(bounds.min(), (bounds.max() - 1).max(bounds.min()));
            pending.end = Some(end).filter(|end| *end != pending.path.first());
        } else {
            pending.op.strength = whole(numbers, 0).clamp(1, pending.strongest().cast_signed()).cast_unsigned();
        }
        ToolResponse::status(format!("{} by {}", pending.op.action.label(), pending.op.strength))
    }

    fn preview(&self) -> Preview {
        let (store, ghosts) = match self.pending.as_ref().and_then(|pending| pending.planned.clone()) {
            Some(Planned { store, ghosts, .. }) => (Some(store), ghosts),
            None => (None, vec![]),
        };
        Preview { hovered: self.hovered.shown(), store, ghosts, ..Preview::default() }
    }
}

impl SculptTool {
    fn finish(&mut self) -> ToolResponse {
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        self.gestures = self.gestures.wrapping_add(1);
        ToolResponse::command(pending.command())
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.pending = None;
        let settings = context.settings;
        // The path runs through the ground itself, as that of painting does.
        let Some(path) = StrokePath::begin(context.document, &input.ray_in_world, Mode::Paint, settings.brush.size) else {
            return ToolResponse::status("No ground there");
        };
        let action = match settings.sculpt_action {
            _ if input.modifiers.shift => SculptAction::Smooth,
            SculptAction::Raise if input.modifiers.ctrl => SculptAction::Lower,
            SculptAction::Lower if input.modifiers.ctrl => SculptAction::Raise,
            action => action,
        };
        let strongest = if settings.sculpt_form == SculptForm::Volume { Sculpt::MAX_VOLUME_STRENGTH } else { u32::MAX };
        let op = Sculpt {
            size: settings.brush.size,
            strength: settings.strength.min(strongest),
            form: settings.sculpt_form,
            level: settings.sculpt_level.filter(|_| action == SculptAction::Flatten),
            step: settings.sculpt_step,
            grain: settings.sculpt_grain,
            seed: if action == SculptAction::Noise { settings.brush.seed.wrapping_add(self.gestures) } else { 0 },
            ..Sculpt::new(action, vec![])
        };
        let status = match action {
            SculptAction::Slope => "Slope: drag to its other end".to_owned(),
            _ => format!("{} by {}", action.label(), op.strength),
        };
        self.pending = Some(Pending { path, end: None, op, planned: None });
        ToolResponse::status(status)
    }
}

impl Pending {
    fn leg(&self) -> Leg {
        Leg { from: self.path.first(), to: self.end.unwrap_or(self.path.first()), length: LegLength::Distance }
    }

    /// The strongest that can be.
    fn strongest(&self) -> u32 {
        if self.op.form == SculptForm::Volume { Sculpt::MAX_VOLUME_STRENGTH } else { MOST_STRENGTH }
    }

    fn command(&self) -> Command {
        let path = match (self.op.action, self.end) {
            (SculptAction::Slope, None) => vec![self.path.first()],
            (SculptAction::Slope, Some(end)) => vec![self.path.first(), end],
            _ => self.path.points().to_vec(),
        };
        Command::Sculpt(Sculpt { path, ..self.op.clone() })
    }

    /// Goes on with the pointer.
    fn follow(&mut self, input: &PointerInput) {
        if self.op.action == SculptAction::Slope {
            self.end = self.path.end(&input.ray_in_world).filter(|end| *end != self.path.first());
        } else {
            self.path.follow(&input.ray_in_world, |_| {});
        }
    }
}
