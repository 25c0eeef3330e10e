//! The select tool: a box that the selection commands act on.

use super::box_gesture::{BoxGesture, BoxStep};
use super::object_shape::relief;
use super::pick::pick;
use super::{HoverPick, Outline, Phase, PointerInput, Preview, Tool, ToolContext, ToolResponse, ToolSpec, ghost, pick_with_alt};
use crate::document::Snapshot;
use crate::edit::Command;
use crate::edit::ops::Select;
use crate::geom::{Axis, Region};

/// The entry of the registry.
pub const SELECT: ToolSpec = ToolSpec {
    id: "select",
    label: "Select",
    key: 'N',
    icon: "square-dashed-mouse-pointer",
    help: "Selects a box to move, copy, delete or fill",
    hint: "Drag the footprint, move for the height, click · Shift all heights · Click outside deselects · Alt picks",
    options: &[],
    make: || Box::<SelectTool>::default(),
};

#[derive(Debug, Default)]
struct SelectTool {
    hovered: HoverPick,
    pending: Option<Pending>,
}

#[derive(Debug)]
struct Pending {
    /// The document as it was at the press.
    document: Snapshot,
    gesture: BoxGesture,
    /// Whether Shift was held at the press: all heights of the map.
    tall: bool,
    /// The box as it would be selected.
    region: Region,
}

impl Tool for SelectTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        let Some(pending) = &mut self.pending else {
            return if input.phase == Phase::Press { self.press(context, input) } else { ToolResponse::default() };
        };
        let step = pending.gesture.pointer(input);
        let ended = input.phase == Phase::Release;
        if ended && !pending.gesture.is_dragged() {
            return self.click(context);
        }
        if step == BoxStep::Finished || (ended && pending.tall) {
            return self.finish(context);
        }
        if step == BoxStep::Moved || ended {
            pending.region = selected(&pending.document, &pending.gesture, pending.tall);
            return ToolResponse::status(ghost::size_text(&pending.region));
        }
        ToolResponse::default()
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
    }

    fn confirm(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        if self.pending.as_ref().is_some_and(|pending| pending.gesture.pulls_height()) {
            self.finish(context)
        } else {
            ToolResponse::default()
        }
    }

    fn preview(&self) -> Preview {
        let Some(pending) = &self.pending else { return Preview { hovered: self.hovered.shown(), ..Preview::default() } };
        let region = pending.region;
        let size = Some(ghost::size_text(&region));
        Preview { outlines: vec![Outline { region, team: None, active: true }], size, ..Preview::default() }
    }
}

impl SelectTool {
    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        let document = context.document.clone();
        let bounds = document.bounds();
        let Some(from) = pick(document.store(), &input.ray_in_world) else { return deselect(context) };
        let anchor = if from.solid { from.pos } else { from.beside() };
        if !bounds.contains(anchor) {
            return deselect(context);
        }
        let gesture = BoxGesture::new(bounds, anchor, from.pos, from.face, false);
        let region = gesture.region();
        self.pending = Some(Pending { document, gesture, tall: input.modifiers.shift, region });
        ToolResponse::default()
    }

    /// A press without a drag: outside of the selection it deselects.
    fn click(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        let inside = context.document.selection.is_some_and(|selection| selection.contains_region(&pending.gesture.region()));
        if inside { ToolResponse::default() } else { deselect(context) }
    }

    fn finish(&mut self, context: &ToolContext<'_>) -> ToolResponse {
        let Some(pending) = self.pending.take() else { return ToolResponse::default() };
        let region = selected(&pending.document, &pending.gesture, pending.tall);
        if region.is_empty() || context.document.selection == Some(region) {
            return ToolResponse::default();
        }
        let status = Some(ghost::size_text(&region));
        ToolResponse { status, ..ToolResponse::command(Command::Select(Select { region: Some(region) })) }
    }
}

fn deselect(context: &ToolContext<'_>) -> ToolResponse {
    if context.document.selection.is_none() {
        return ToolResponse::default();
    }
    ToolResponse::command(Command::Select(Select { region: None }))
}

/// The box that a gesture selects: while no height was pulled, from the highest ground of the footprint to the lowest.
fn selected(document: &Snapshot, gesture: &BoxGesture, tall: bool) -> Region {
    let region = gesture.region();
    let bounds = document.bounds();
    if tall {
        return Region::new(region.min().with_z(bounds.min().z), region.max().with_z(bounds.max().z));
    }
    if gesture.face().axis() != Axis::Z || gesture.height() != 0 || !gesture.pulls_height() {
        return region;
    }
    match relief(document.store(), &region.columns(), [1, 1]) {
        Some((top, bottom)) => {
            Region::new(region.min().with_z(top.min(region.min().z)), region.max().with_z(region.max().z.max(bottom + 1)))
        }
        None => region,
    }
}
