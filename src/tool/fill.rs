//! The fill tool: edits what hangs together by color, surface or solid, a color everywhere, or enclosed air.

use std::sync::Arc;

use super::ghost::{SHOWN_LIMIT, count_text};
use super::pick::pick;
use super::planned::Planned;
use super::{FillStyle, NO_PICTURE, effective_mode, ghost, pick_with_alt};
use super::{Ghost, HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use crate::document::Snapshot;
use crate::edit::ops::{FillConnected, FillReach, Filled};
use crate::edit::{Command, Mode};

/// Voxels that one click may change: all of four maps of the usual size.
const LIMIT: u64 = 1 << 26;

/// The entry of the registry.
pub const FILL: ToolSpec = ToolSpec {
    id: "fill",
    label: "Fill",
    key: 'K',
    icon: "paint-bucket",
    help: "Paints, removes or covers what is connected, a color everywhere, or fills enclosed air",
    hint: "Click fills what the list says · Add lays a layer on the face · Ctrl inverts · Alt picks",
    options: &[ToolOption::Mode, ToolOption::FillReach, ToolOption::Tolerance, ToolOption::FillSteps, ToolOption::FillStyle],
    make: || Box::<FillTool>::default(),
};

#[derive(Debug, Default)]
struct FillTool {
    hovered: HoverPick,
    /// What the release will do, once pressed.
    pending: Option<(FillConnected, Option<FillStyle>)>,
    /// What a click would do, as last looked at.
    shown: Option<Shown>,
    /// Fills so far.
    gestures: u32,
}

/// A fill and the voxels that it would edit.
#[derive(Debug)]
struct Shown {
    op: FillConnected,
    /// The map that it was looked up in.
    document: Snapshot,
    /// `None` where there are none.
    ghost: Option<Ghost>,
    /// Whether the ghost has all of them, not only the nearest.
    is_all: bool,
    style: Option<FillStyle>,
    /// What the click would do to these voxels, where it has a style; or what it would have done from beside.
    planned: Option<Planned>,
}

impl Tool for FillTool {
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
            Phase::Drag => ToolResponse::default(),
            Phase::Press => self.press(context, input),
            Phase::Release => {
                self.shown = None;
                let Some((op, style)) = self.pending.take() else { return ToolResponse::default() };
                self.gestures = self.gestures.wrapping_add(1);
                ToolResponse::command(FillStyle::command(style.as_ref(), Filled::FillConnected(op)))
            }
        }
    }

    fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    fn cancel(&mut self) -> bool {
        // The map may be another one in a moment.
        self.shown = None;
        self.pending.take().is_some()
    }

    fn follow(&mut self, context: &ToolContext<'_>) {
        if self.pending.is_none()
            && let Some(shown) = &mut self.shown
        {
            shown.op.color = context.settings.color;
            shown.take_style(context, self.gestures);
        }
    }

    fn wanted(&self) -> Option<Command> {
        self.shown.as_ref().and_then(Shown::command)
    }

    fn take_planned(&mut self, planned: Option<Planned>) {
        let Some(shown) = self.shown.as_mut().filter(|shown| shown.style.is_some()) else { return };
        // What was planned for where the pointer was says nothing about where it is.
        if planned.as_ref().is_none_or(|planned| Some(&planned.command) == shown.command().as_ref()) {
            shown.planned = planned;
        }
    }

    fn preview(&self) -> Preview {
        let hovered = self.hovered.shown();
        let Some(shown) = &self.shown else { return Preview { hovered, ..Preview::default() } };
        match &shown.planned {
            // The colors themselves say more than a ghost.
            Some(planned) => Preview { hovered, store: Some(planned.store.clone()), ..Preview::default() },
            None => Preview { hovered, ghosts: shown.ghost.iter().cloned().collect(), ..Preview::default() },
        }
    }
}

impl FillTool {
    /// Looks up what a click here would do, unless that is what is shown already.
    fn hover(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let Some(op) = aimed(context, input) else {
            self.shown = None;
            return ToolResponse::default();
        };
        if self.shown.as_ref().is_none_or(|shown| !shown.shows(&op, context.document)) {
            let found = op.preview(context.document, SHOWN_LIMIT);
            let is_all = found.as_ref().is_some_and(|found| found.is_all);
            let ghost = found.map(|found| Ghost { voxels: Arc::new(found.voxels), mode: op.effect() });
            // As long as the pointer stays on what is connected, its colors stay as well.
            let before = self.shown.take().filter(|before| before.is_over(ghost.as_ref(), context.document));
            let planned = before.and_then(|before| before.planned);
            self.shown = Some(Shown { op, document: context.document.clone(), ghost, is_all, style: None, planned });
        } else if let Some(shown) = &mut self.shown {
            shown.op = op;
        }
        if let Some(shown) = &mut self.shown {
            shown.take_style(context, self.gestures);
        }
        let Some(Shown { ghost: Some(ghost), is_all, .. }) = &self.shown else { return ToolResponse::status("Not enclosed") };
        ToolResponse::status(match context.settings.fill_reach {
            FillReach::Air if !is_all => "Not enclosed, or very large: the nearest voxels are shown".to_owned(),
            _ => count_text(context.document, "voxel", ghost.voxels.len(), *is_all),
        })
    }

    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        // A pointer that jumped here was not seen hovering.
        self.hover(context, input);
        let Some(op) = aimed(context, input) else {
            self.pending = None;
            return ToolResponse::status("Nothing there");
        };
        if context.settings.lacks_fill_picture(op.effect()) {
            return ToolResponse::status(NO_PICTURE);
        }
        let style = context.settings.fill_style(op.effect(), op.face, self.gestures);
        self.pending = Some((op, style));
        ToolResponse::default()
    }
}

impl Shown {
    /// The command whose colors are to be shown; that of voxels that are all shown, and of a style.
    fn command(&self) -> Option<Command> {
        self.ghost.as_ref().filter(|_| self.is_all)?;
        Some(FillStyle::command(Some(self.style.as_ref()?), Filled::FillConnected(self.op.clone())))
    }

    fn take_style(&mut self, context: &ToolContext<'_>, gesture: u32) {
        self.style = context.settings.fill_style(self.op.effect(), self.op.face, gesture);
        if self.style.is_none() {
            self.planned = None;
        }
    }

    /// Whether it is over these voxels in this map.
    fn is_over(&self, ghost: Option<&Ghost>, document: &Snapshot) -> bool {
        let same = |own: &Ghost, other: &Ghost| own.mode == other.mode && own.voxels == other.voxels;
        self.ghost.as_ref().zip(ghost).is_some_and(|(own, other)| same(own, other)) && ghost::same_scene(&self.document, document)
    }

    /// Whether it is about this fill in this map.
    fn shows(&self, op: &FillConnected, document: &Snapshot) -> bool {
        // A color that is looked for everywhere is the same wherever the pointer finds it.
        let at_color = |at| (document.store().is_solid(at), document.store().paint(at).map(|paint| paint.rgb));
        let everywhere = op.reach == FillReach::Everywhere && op.mode != Mode::Add && at_color(self.op.at) == at_color(op.at);
        let same = self.op == *op || (everywhere && self.op == FillConnected { at: self.op.at, face: self.op.face, ..op.clone() });
        same && ghost::same_scene(&self.document, document)
    }
}

/// What a click there would do.
fn aimed(context: &ToolContext<'_>, input: &PointerInput) -> Option<FillConnected> {
    let settings = context.settings;
    let at = pick(context.document.store(), &input.ray_in_world).filter(|pick| pick.solid)?;
    let mode = effective_mode(settings.mode, input.modifiers);
    let reach = settings.fill_reach;
    let mode = match (mode, reach) {
        // Air is filled, or its walls are painted.
        (Mode::Add | Mode::Remove | Mode::Set, FillReach::Air) => Mode::Add,
        (Mode::Set, _) => Mode::Paint,
        (mode, _) => mode,
    };
    let begin = if reach == FillReach::Air { at.beside() } else { at.pos };
    context.document.bounds().contains(begin).then(|| FillConnected {
        at: begin,
        mode,
        face: at.face,
        tolerance: settings.tolerance,
        edges: settings.fill_steps,
        limit: LIMIT,
        reach,
        ..FillConnected::new(at.pos, settings.color)
    })
}
