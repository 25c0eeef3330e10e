//! The shape tool: spans a ball, cylinder, cone, pyramid, ramp or wall between two corners.

use glam::IVec3;

use super::box_gesture::{BoxGesture, BoxStep};
use super::pick::pick;
use super::planned::Planned;
use super::{FillStyle, GestureNumbers, NO_PICTURE, ToolSettings, TypedNumber, effective_mode, ghost, pick_with_alt};
use super::{HoverPick, Outline, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::document::Snapshot;
use crate::edit::ops::{Filled, Shape};
use crate::edit::{Command, Mode};
use crate::geom::{Region, SolidKind, VoxelPos};
use crate::voxel::Rgb;

/// Cost of a shape that is shown as it will be; of larger ones only the box is.
const LIVE_COST: u64 = 4_000_000;

/// The entry of the registry.
pub const SHAPE: ToolSpec = ToolSpec {
    id: "shape",
    label: "Shape",
    key: 'U',
    icon: "shapes",
    help: "Adds, removes or paints a ball, cylinder, cone, pyramid, ramp or wall",
    hint: "Drag the footprint, move for the height, click · Shift one voxel flat · Ctrl inverts · Alt picks",
    options: &[ToolOption::Mode, ToolOption::Solid, ToolOption::Shell, ToolOption::FromCenter, ToolOption::FillStyle],
    make: || Box::<ShapeTool>::default(),
};

#[derive(Debug, Default)]
struct ShapeTool {
    hovered: HoverPick,
    pending: Option<Pending>,
    /// Shapes so far.
    gestures: u32,
}

#[derive(Debug)]
struct Pending {
    /// The document as it was at the press.
    document: Snapshot,
    gesture: BoxGesture,
    kind: SolidKind,
    shell: Option<u32>,
    from_center: bool,
    /// The mode of the settings, which a key may have turned around at the press.
    set_mode: Mode,
    mode: Mode,
    color: Rgb,
    style: Option<FillStyle>,
    /// What the click would do.
    planned: Option<Planned>,
}

impl Tool for ShapeTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        let Some(pending) = &mut self.pending else {
            return if input.phase == Phase::Press { self.press(context, input) } else { ToolResponse::default() };
        };
        match pending.gesture.pointer(input) {
            BoxStep::Still => ToolResponse::default(),
            BoxStep::Moved => pending.status(),
            BoxStep::Finished => self.finish(),
        }
    }

    fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
    }

    fn step_back(&mut self, _context: &ToolContext<'_>) -> Option<ToolResponse> {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.gesture.pulls_height()) {
            pending.gesture.step_back();
            return Some(pending.status());
        }
        self.cancel().then(ToolResponse::default)
    }

    fn confirm(&mut self, _context: &ToolContext<'_>) -> ToolResponse {
        if self.pending.as_ref().is_some_and(|pending| pending.gesture.is_ready()) { self.finish() } else { ToolResponse::default() }
    }

    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        self.pending.as_ref().map_or_else(GestureNumbers::default, |pending| pending.gesture.numbers(&pending.region()))
    }

    fn set_numbers(&mut self, _context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        let Some(pending) = &mut self.pending else { return ToolResponse::default() };
        pending.gesture.set_numbers(numbers, pending.from_center);
        pending.status()
    }

    fn follow(&mut self, context: &ToolContext<'_>) {
        if let Some(pending) = &mut self.pending {
            pending.take_settings(context.settings, self.gestures);
        }
    }

    fn can_nudge(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.gesture.is_ready())
    }

    fn nudge(&mut self, by: IVec3) {
        if let Some(pending) = &mut self.pending {
            pending.gesture.shift(by, pending.from_center);
            pending.status();
        }
    }

    fn wanted(&self) -> Option<Command> {
        self.pending.as_ref().filter(|pending| pending.is_live()).map(Pending::command)
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        if let Some(pending) = &mut self.pending {
            pending.planned = planned;
        }
    }

    fn hint(&self, _settings: &super::ToolSettings) -> Option<&'static str> {
        self.pending.as_ref().map(|pending| pending.gesture.hint())
    }

    fn preview(&self) -> Preview {
        let hovered = self.hovered.shown();
        let Some(pending) = &self.pending else { return Preview { hovered, ..Preview::default() } };
        let region = pending.region();
        let (store, ghosts) = pending.planned.clone().map_or((None, vec![]), |planned| (Some(planned.store), planned.ghosts));
        Preview {
            store,
            ghosts,
            outlines: vec![Outline { region, team: None, active: true }],
            size: Some(ghost::size_text(&region)),
            ..Preview::default()
        }
    }
}

impl ShapeTool {
    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let (settings, document) = (context.settings, context.document.clone());
        let mode = effective_mode(settings.mode, input.modifiers);
        if settings.lacks_fill_picture(mode) {
            return ToolResponse::status(NO_PICTURE);
        }
        let Some(from) = pick(document.store(), &input.ray_in_world) else { return ToolResponse::status("Nothing there") };
        let Some(anchor) = from.target(mode) else { return ToolResponse::status("Nothing there") };
        if !document.bounds().contains(anchor) {
            return ToolResponse::status("Outside the map");
        }
        let gesture = BoxGesture::new(document.bounds(), anchor, from.pos, from.face, input.modifiers.shift);
        let pending = self.pending.insert(Pending {
            document,
            gesture,
            kind: settings.solid,
            shell: (settings.shell > 0).then_some(settings.shell),
            from_center: settings.from_center,
            set_mode: settings.mode,
            mode,
            color: settings.color,
            style: settings.fill_style(mode, from.face, self.gestures),
            planned: None,
        });
        pending.status()
    }

    fn finish(&mut self) -> ToolResponse {
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        if pending.region().intersection(&pending.document.bounds()).is_empty() {
            return ToolResponse::default();
        }
        self.gestures = self.gestures.wrapping_add(1);
        ToolResponse::command(pending.command())
    }
}

impl Pending {
    /// Goes on with other settings.
    fn take_settings(&mut self, settings: &ToolSettings, gestures: u32) {
        if self.set_mode != settings.mode {
            (self.set_mode, self.mode) = (settings.mode, settings.mode);
            self.gesture.turn_over(matches!(self.mode, Mode::Remove | Mode::Paint));
        }
        (self.kind, self.color, self.from_center) = (settings.solid, settings.color, settings.from_center);
        self.shell = (settings.shell > 0).then_some(settings.shell);
        // Without a picture nothing is laid on; what was chosen before holds.
        if !settings.lacks_fill_picture(self.mode) {
            self.style = settings.fill_style(self.mode, self.gesture.face(), gestures);
        }
        self.status();
    }

    fn corners(&self) -> (VoxelPos, VoxelPos) {
        let (anchor, corner, tip) = self.gesture.corners();
        // The other way from the anchor as well, in the plane of the footprint.
        let from = if self.from_center { self.gesture.other_side() } else { anchor };
        (from, corner.saturating_add(tip))
    }

    fn region(&self) -> Region {
        let (from, to) = self.corners();
        Region::between(from, to)
    }

    fn command(&self) -> Command {
        let (from, to) = self.corners();
        let (up, mode, color) = (self.gesture.face(), self.mode, self.color);
        let shape = Shape { kind: self.kind, from, to, up, shell: self.shell, mode, color };
        FillStyle::command(self.style.as_ref(), Filled::Shape(shape))
    }

    /// Whether it is shown as it will be.
    fn is_live(&self) -> bool {
        let most = if self.style.is_some() { FillStyle::LIVE_COST } else { LIVE_COST };
        self.command().cost_in(&self.document) <= most
    }

    /// Of a shape that became too large to be shown, only the box is.
    fn status(&mut self) -> ToolResponse {
        if !self.is_live() {
            self.planned = None;
        }
        ToolResponse::status(ghost::size_text(&self.region()))
    }
}
