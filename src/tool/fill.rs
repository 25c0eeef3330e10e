//! The fill tool: edits the voxels of one colour that hang together.

use super::pick::pick;
use super::{HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolOption, ToolResponse, ToolSpec};
use super::{effective_mode, pick_with_alt};
use crate::edit::ops::FillConnected;
use crate::edit::{Command, Mode};

/// Voxels that one click may change: a whole map's ground, but not more.
const LIMIT: u64 = 4 << 20;

/// The entry of the registry.
pub const FILL: ToolSpec = ToolSpec {
    id: "fill",
    label: "Fill",
    key: 'K',
    icon: "paint-bucket",
    help: "Paints, removes or covers connected voxels of one color",
    hint: "Click fills what is connected and of one color · Add lays a layer on the face · Ctrl inverts · Alt picks",
    options: &[ToolOption::Mode, ToolOption::Tolerance, ToolOption::FillSteps],
    make: || Box::<FillTool>::default(),
};

#[derive(Debug, Default)]
struct FillTool {
    hovered: HoverPick,
    /// What the release will do, once pressed.
    pending: Option<FillConnected>,
}

impl Tool for FillTool {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        if let Some(picked) = pick_with_alt(context, input) {
            return picked;
        }
        self.hovered.follow(context.document, input);
        match input.phase {
            Phase::Hover | Phase::Leave | Phase::Drag => ToolResponse::default(),
            Phase::Press => self.press(context, input),
            Phase::Release => {
                self.pending.take().map_or_else(ToolResponse::default, |op| ToolResponse::command(Command::FillConnected(op)))
            }
        }
    }

    fn cancel(&mut self) -> bool {
        self.pending.take().is_some()
    }

    fn preview(&self) -> Preview {
        Preview { hovered: self.hovered.shown(), ..Preview::default() }
    }
}

impl FillTool {
    fn press(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.pending = None;
        let settings = context.settings;
        let Some(at) = pick(context.document.store(), &input.ray_in_world).filter(|pick| pick.solid) else {
            return ToolResponse::status("Nothing there");
        };
        let mode = effective_mode(settings.mode, input.modifiers);
        let mode = if mode == Mode::Set { Mode::Paint } else { mode };
        self.pending = Some(FillConnected {
            at: at.pos,
            color: settings.color,
            mode,
            face: at.face,
            tolerance: settings.tolerance,
            edges: settings.fill_steps,
            limit: LIMIT,
        });
        ToolResponse::default()
    }
}
