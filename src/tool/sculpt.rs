//! The sculpting tool: raises, lowers, smooths and forms the ground.

use std::sync::Arc;

use super::ghost::same_scene;
use super::numbers::{Leg, LegLength, whole};
use super::pick::pick;
use super::planned::Planned;
use super::stroke_path::StrokePath;
use super::{GestureNumber, GestureNumbers, ToolSettings, TypedNumber};
use super::{
    Ghost, HoverPick, Modifiers, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec, pick_with_alt,
};
use crate::document::Snapshot;
use crate::edit::ops::{Sculpt, SculptAction, SculptForm};
use crate::edit::{Command, Mode};
use crate::geom::{Face, VoxelPos};
use crate::voxel::raycast;

/// Voxels that a stroke moves the ground by at most, as the option row has it.
const MOST_STRENGTH: u32 = 32;

/// The entry of the registry.
pub const SCULPT: ToolSpec = ToolSpec {
    id: "sculpt",
    label: "Sculpt",
    key: 'H',
    icon: "mountain",
    help: "Raises, lowers, smooths, flattens, slopes and wears down the ground",
    hint: "Drag forms the ground as the list says · Ctrl turns raise and lower around · Shift smooths · Alt picks · [ ] size",
    options: &[ToolOption::SculptAction, ToolOption::BrushSize, ToolOption::Strength, ToolOption::SculptForm, ToolOption::SculptDetails],
    make: || Box::<SculptTool>::default(),
};

#[derive(Debug, Default)]
struct SculptTool {
    hovered: HoverPick,
    tip: Option<Tip>,
    pending: Option<Pending>,
    /// Strokes so far.
    gestures: u32,
}

/// The ground that a press would work on, kept until something it depends on changes.
#[derive(Debug)]
struct Tip {
    document: Snapshot,
    op: Sculpt,
    ghost: Ghost,
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
        if let Some(picked) = pick_level(context, input).or_else(|| pick_with_alt(context, input)) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        match input.phase {
            Phase::Hover | Phase::Leave => self.show_tip(context, input),
            Phase::Press => return self.press(context, input),
            Phase::Drag => {
                self.tip = None;
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

    fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    fn cancel(&mut self) -> bool {
        self.tip = None;
        self.pending.take().is_some()
    }

    fn follows_way(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.op.action != SculptAction::Slope)
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
            _ => vec![GestureNumber::new("Strength", pending.op.strength.cast_signed(), 1, pending.strongest().cast_signed())],
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

    fn hint(&self, settings: &ToolSettings) -> Option<&'static str> {
        Some(match settings.sculpt_action {
            SculptAction::Raise => "Drag raises the ground · Ctrl lowers · Shift smooths · Alt picks · [ ] size",
            SculptAction::Lower => "Drag lowers the ground · Ctrl raises · Shift smooths · Alt picks · [ ] size",
            SculptAction::Smooth => "Drag smooths the ground · Alt picks · [ ] size",
            SculptAction::Flatten if settings.sculpt_level.is_some() => {
                "Drag flattens the ground to the fixed level · Shift smooths · Alt picks the level · [ ] size"
            }
            SculptAction::Flatten => "Drag flattens the ground to one height · Shift smooths · Alt picks · [ ] size",
            SculptAction::Slope => "Drag slopes the ground from end to end · Shift smooths · Alt picks · [ ] size",
            SculptAction::Erode => "Drag wears down what sticks out · Shift smooths · Alt picks · [ ] size",
            SculptAction::Melt => "Drag lowers the ground to what lies beside it · Shift smooths · Alt picks · [ ] size",
            SculptAction::Noise => "Drag roughens the ground · Shift smooths · Alt picks · [ ] size",
            SculptAction::Terrace => "Drag cuts the ground into steps · Shift smooths · Alt picks · [ ] size",
        })
    }

    fn preview(&self) -> Preview {
        let (store, ghosts) = match self.pending.as_ref().and_then(|pending| pending.planned.clone()) {
            Some(Planned { store, ghosts, .. }) => (Some(store), ghosts),
            None => (None, self.tip.iter().map(|tip| tip.ghost.clone()).collect()),
        };
        Preview { hovered: self.hovered.shown(), store, ghosts, ..Preview::default() }
    }
}

/// A press with Alt picks the height that all ground is flattened to, where that is a fixed one.
fn pick_level(context: &ToolContext<'_>, input: &PointerInput) -> Option<ToolResponse> {
    let settings = context.settings;
    let is_fixed = settings.sculpt_action == SculptAction::Flatten && settings.sculpt_level.is_some();
    if !is_fixed || input.phase != Phase::Press || !input.modifiers.alt {
        return None;
    }
    let picked_level = raycast(context.document.store(), &input.ray_in_world).map(|hit| hit.pos.z);
    let status = picked_level.map_or_else(|| "Nothing there".to_owned(), |z| format!("Level z {z}"));
    Some(ToolResponse { picked_level, status: Some(status), ..ToolResponse::default() })
}

impl SculptTool {
    fn show_tip(&mut self, context: &ToolContext<'_>, input: &PointerInput) {
        let document = context.document;
        let first = pick(document.store(), &input.ray_in_world).and_then(|pick| pick.target(Mode::Paint));
        let Some(first) = first.filter(|_| input.phase == Phase::Hover && !input.modifiers.alt && self.pending.is_none()) else {
            self.tip = None;
            return;
        };
        let op = Sculpt { path: vec![first], ..self.op(context.settings, input.modifiers) };
        if !self.tip.as_ref().is_some_and(|tip| tip.op == op && same_scene(&tip.document, document)) {
            let ghost = Ghost { voxels: Arc::new(op.footprint(document)), mode: Mode::Paint };
            self.tip = Some(Tip { document: document.clone(), op, ghost });
        }
    }

    fn finish(&mut self) -> ToolResponse {
        self.tip = None;
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
        // What was shown is right until it is known what the release does.
        self.tip = self.tip.take().filter(|tip| tip.op.path.first() == Some(&path.first()));
        let op = self.op(settings, input.modifiers);
        let is_underside = pick(context.document.store(), &input.ray_in_world).is_some_and(|pick| pick.face == Face::PlusZ);
        let status = match op.action {
            SculptAction::Slope => "Slope: drag to its other end".to_owned(),
            action if is_underside && op.form == SculptForm::Column => {
                format!(
                    "{} by {}: the ground above this ceiling. In columns, ceilings stay; the form Volume works on them",
                    action.label(),
                    op.strength
                )
            }
            action => format!("{} by {}", action.label(), op.strength),
        };
        self.pending = Some(Pending { path, end: None, op, planned: None });
        ToolResponse::status(status)
    }

    /// What a stroke that begins now does, without its path.
    fn op(&self, settings: &ToolSettings, modifiers: Modifiers) -> Sculpt {
        let action = match settings.sculpt_action {
            _ if modifiers.shift => SculptAction::Smooth,
            SculptAction::Raise if modifiers.ctrl => SculptAction::Lower,
            SculptAction::Lower if modifiers.ctrl => SculptAction::Raise,
            action => action,
        };
        let strongest = if settings.sculpt_form == SculptForm::Volume { Sculpt::MAX_VOLUME_STRENGTH } else { u32::MAX };
        Sculpt {
            size: settings.brush.size,
            strength: settings.strength.min(strongest),
            form: settings.sculpt_form,
            level: settings.sculpt_level.filter(|_| action == SculptAction::Flatten),
            step: settings.sculpt_step,
            grain: settings.sculpt_grain,
            seed: if action == SculptAction::Noise { settings.brush.seed.wrapping_add(self.gestures) } else { 0 },
            ..Sculpt::new(action, vec![])
        }
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
