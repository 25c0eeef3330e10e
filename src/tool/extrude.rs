//! The extrude tool: pulls out or pushes in the connected faces of one plane.

use std::sync::Arc;

use super::ghost::{SHOWN_LIMIT, count_text};
use super::numbers::whole;
use super::pick::{pick, plane_point};
use super::planned::Planned;
use super::pull::Pull;
use super::{GestureNumber, GestureNumbers, TypedNumber, ghost, pick_with_alt};
use super::{Ghost, HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::document::Snapshot;
use crate::edit::ops::{Extrude, Found};
use crate::edit::{Command, Mode};

/// Faces that one gesture moves, at most.
const LIMIT: u64 = 1 << 18;

/// The entry of the registry.
pub const EXTRUDE: ToolSpec = ToolSpec {
    id: "extrude",
    label: "Extrude",
    key: 'F',
    icon: "arrow-up-from-line",
    help: "Pulls out or pushes in connected faces of one plane",
    hint: "Drag a face out or in · Connected faces of the plane go along, up to the color tolerance · Alt picks",
    options: &[ToolOption::FaceTolerance],
    make: || Box::<ExtrudeTool>::default(),
};

#[derive(Debug, Default)]
struct ExtrudeTool {
    hovered: HoverPick,
    /// The faces that a press would take hold of.
    shown: Option<Shown>,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Shown {
    op: Extrude,
    /// The map that they were looked up in.
    document: Snapshot,
    ghost: Ghost,
    /// Whether the ghost has all of them, not only the nearest.
    is_all: bool,
}

#[derive(Debug)]
struct Pending {
    /// The document as it was at the press.
    document: Snapshot,
    pull: Pull,
    op: Extrude,
    /// What the release would do.
    planned: Option<Planned>,
}

impl Tool for ExtrudeTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            self.shown = None;
            return picked;
        }
        self.hovered.follow(context.document, input);
        match input.phase {
            Phase::Hover => self.hover(context, input),
            Phase::Leave => {
                self.shown = None;
                ToolResponse::default()
            }
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

    fn wanted(&self) -> Option<Command> {
        self.pending.as_ref().filter(|pending| pending.op.by != 0).map(Pending::command)
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        // What was planned for a face that is back where it was is not shown.
        if let Some(pending) = self.pending.as_mut().filter(|pending| pending.op.by != 0) {
            pending.planned = planned;
        }
    }

    fn confirm(&mut self, _context: &ToolContext<'_>) -> ToolResponse {
        self.finish()
    }

    fn numbers(&self, _context: &ToolContext<'_>) -> GestureNumbers {
        let Some(pending) = &self.pending else { return GestureNumbers::default() };
        let reach = pending.reach();
        GestureNumbers { numbers: vec![GestureNumber::new("Distance", pending.op.by, -reach, reach)], first: 0, finishes: true }
    }

    fn set_numbers(&mut self, _context: &ToolContext<'_>, numbers: &[TypedNumber]) -> ToolResponse {
        self.pending.as_mut().map_or_else(ToolResponse::default, |pending| pending.pull_to(whole(numbers, 0)))
    }

    fn hint(&self, _settings: &super::ToolSettings) -> Option<&'static str> {
        self.pending.is_some().then_some("Drag out of the ground or into it · Let go to make it · Esc drops it")
    }

    fn preview(&self) -> Preview {
        let hovered = self.hovered.shown();
        let Some(pending) = &self.pending else {
            let ghosts = self.shown.iter().map(|shown| shown.ghost.clone()).collect();
            return Preview { hovered, ghosts, ..Preview::default() };
        };
        let (store, ghosts) = pending.planned.clone().map_or((None, vec![]), |planned| (Some(planned.store), planned.ghosts));
        Preview { store, ghosts, size: Some(pending.status()), ..Preview::default() }
    }
}

impl ExtrudeTool {
    /// Looks up what a press here would take hold of, unless that is what is shown already.
    fn hover(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let Some(op) = aimed(context, input) else {
            self.shown = None;
            return ToolResponse::default();
        };
        let document = context.document;
        if self.shown.as_ref().is_none_or(|shown| shown.op != op || !ghost::same_scene(&shown.document, document)) {
            let Found { voxels, is_all } = op.preview(document, SHOWN_LIMIT);
            let ghost = Ghost { voxels: Arc::new(voxels), mode: Mode::Paint };
            self.shown = Some(Shown { op, document: document.clone(), ghost, is_all });
        }
        let told = |shown: &Shown| ToolResponse::status(count_text(context.document, "face", shown.ghost.voxels.len(), shown.is_all));
        self.shown.as_ref().map_or_else(ToolResponse::default, told)
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        (self.pending, self.shown) = (None, None);
        let Some(op) = aimed(context, input) else { return ToolResponse::status("Nothing there") };
        let ray = &input.ray_in_world;
        let origin = plane_point(ray, op.at, op.face).unwrap_or(op.at.as_vec3() + 0.5);
        let pull = Pull::begin(op.at, op.face, origin, ray);
        self.pending = Some(Pending { document: context.document.clone(), pull, op, planned: None });
        ToolResponse::default()
    }

    fn drag(&mut self, input: &PointerInput) -> ToolResponse {
        let Some(pending) = &mut self.pending else { return ToolResponse::default() };
        let Some(by) = pending.pull.voxels(&input.ray_in_world) else { return ToolResponse::default() };
        pending.pull_to(by)
    }

    fn finish(&mut self) -> ToolResponse {
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        if pending.op.by == 0 { ToolResponse::default() } else { ToolResponse::command(pending.command()) }
    }
}

impl Pending {
    /// The size of the map: kept to it, pulling back acts at once.
    fn reach(&self) -> i32 {
        self.document.bounds().size()[self.op.face.axis().index()].clamp(1, 512)
    }

    fn pull_to(&mut self, by: i32) -> ToolResponse {
        let by = by.clamp(-self.reach(), self.reach());
        if by != self.op.by {
            self.op.by = by;
            if by == 0 {
                self.planned = None;
            }
        }
        ToolResponse::status(self.status())
    }

    fn command(&self) -> Command {
        Command::Extrude(self.op.clone())
    }

    fn status(&self) -> String {
        match self.op.by {
            ..0 => format!("−{}", self.op.by.unsigned_abs()),
            by => format!("+{by}"),
        }
    }
}

/// What a press there would take hold of.
fn aimed(context: &ToolContext<'_>, input: &PointerInput) -> Option<Extrude> {
    let at = pick(context.document.store(), &input.ray_in_world).filter(|pick| pick.solid)?;
    Some(Extrude { at: at.pos, face: at.face, by: 0, tolerance: context.settings.face_tolerance, color: None, limit: LIMIT })
}
