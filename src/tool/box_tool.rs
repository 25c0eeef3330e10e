//! The box tool: adds, removes or paints a box.

use glam::IVec3;

use super::box_gesture::{BoxGesture, BoxStep};
use super::ghost::Scene;
use super::pick::pick;
use super::planned::Planned;
use super::{FillStyle, GestureNumbers, NO_PICTURE, ToolSettings, TypedNumber, effective_mode, ghost, pick_with_alt};
use super::{Ghost, HoverPick, Outline, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::edit::ops::{Fill, Filled, Shape};
use crate::edit::{Command, Mode};
use crate::geom::{Region, SolidKind};
use crate::voxel::Rgb;

/// The entry of the registry.
pub const BOX: ToolSpec = ToolSpec {
    id: "box",
    label: "Box",
    key: 'V',
    icon: "box",
    help: "Adds, removes or paints a box",
    hint: "Drag the footprint, move for the height, click · Shift one voxel flat · Ctrl inverts · Alt picks",
    options: &[ToolOption::Mode, ToolOption::Shell, ToolOption::FromCenter, ToolOption::FillStyle],
    make: || Box::<BoxTool>::default(),
};

#[derive(Debug, Default)]
struct BoxTool {
    hovered: HoverPick,
    pending: Option<Pending>,
    /// Boxes so far.
    gestures: u32,
}

#[derive(Debug)]
struct Pending {
    /// The document as it was at the press.
    scene: Scene,
    gesture: BoxGesture,
    /// Thickness of what is hollow.
    shell: Option<u32>,
    from_center: bool,
    /// The mode of the settings, which a key may have turned around at the press.
    set_mode: Mode,
    mode: Mode,
    color: Rgb,
    style: Option<FillStyle>,
    ghost: Ghost,
    /// What the box would do, or did a moment ago, where it has a style or is hollow.
    planned: Option<Planned>,
}

impl Tool for BoxTool {
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
            BoxStep::Moved => pending.show(),
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
            return Some(pending.show());
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
        pending.show()
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
            pending.show();
        }
    }

    fn wanted(&self) -> Option<Command> {
        self.pending.as_ref().filter(|pending| pending.is_live()).map(Pending::command)
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.is_live()) {
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
        // Colors that are behind the pointer have the ghost of what is to come over them.
        let shown = pending.planned.as_ref().filter(|planned| planned.command == pending.command());
        Preview {
            store: pending.planned.as_ref().map(|planned| planned.store.clone()),
            ghosts: shown.map_or_else(|| vec![pending.ghost.clone()], |planned| planned.ghosts.clone()),
            outlines: vec![Outline { region, team: None, active: true }],
            size: Some(ghost::size_text(&region)),
            ..Preview::default()
        }
    }
}

impl BoxTool {
    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let mode = effective_mode(context.settings.mode, input.modifiers);
        let (document, settings) = (context.document, context.settings);
        if settings.lacks_fill_picture(mode) {
            return ToolResponse::status(NO_PICTURE);
        }
        let Some(from) = pick(document.store(), &input.ray_in_world) else { return ToolResponse::status("Nothing there") };
        let Some(anchor) = from.target(mode) else { return ToolResponse::status("Nothing there") };
        if !document.bounds().contains(anchor) {
            return ToolResponse::status("Outside the map");
        }
        let gesture = BoxGesture::new(document.bounds(), anchor, from.pos, from.face, input.modifiers.shift);
        let mut scene = Scene::new(document);
        let ghost = scene.of_region(&gesture.region(), mode);
        let response = ToolResponse::status(ghost::size_text(&gesture.region()));
        let style = settings.fill_style(mode, from.face, self.gestures);
        let (shell, from_center) = ((settings.shell > 0).then_some(settings.shell), settings.from_center);
        let (set_mode, color) = (settings.mode, settings.color);
        self.pending = Some(Pending { scene, gesture, shell, from_center, set_mode, mode, color, style, ghost, planned: None });
        response
    }

    fn finish(&mut self) -> ToolResponse {
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        if pending.region().is_empty() {
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
        (self.color, self.from_center) = (settings.color, settings.from_center);
        self.shell = (settings.shell > 0).then_some(settings.shell);
        // Without a picture nothing is laid on; what was chosen before holds.
        if !settings.lacks_fill_picture(self.mode) {
            self.style = settings.fill_style(self.mode, self.gesture.face(), gestures);
        }
        self.show();
    }

    /// The box, within the map.
    fn region(&self) -> Region {
        if !self.from_center {
            return self.gesture.region();
        }
        let (_, corner, tip) = self.gesture.corners();
        Region::between(self.gesture.other_side(), corner.saturating_add(tip)).intersection(&self.scene.document().bounds())
    }

    fn command(&self) -> Command {
        let (region, color, mode) = (self.region(), self.color, self.mode);
        let filled = match self.shell {
            None => Filled::Fill(Fill { region, color, mode }),
            shell => {
                let (from, to) = (region.min(), region.max() - 1);
                Filled::Shape(Shape { kind: SolidKind::Box, from, to, up: self.gesture.face(), shell, mode, color })
            }
        };
        FillStyle::command(self.style.as_ref(), filled)
    }

    /// Whether what it does is shown in its colors.
    fn is_live(&self) -> bool {
        (self.style.is_some() || self.shell.is_some()) && self.command().cost_in(self.scene.document()) <= FillStyle::LIVE_COST
    }

    fn show(&mut self) -> ToolResponse {
        let region = self.region();
        self.ghost = self.scene.of_region(&region, self.mode);
        if !self.is_live() {
            self.planned = None;
        }
        ToolResponse::status(ghost::size_text(&region))
    }
}
