//! The eyedropper: takes the colour under the pointer.

use super::pick::pick_color;
use super::{HoverPick, Phase, PointerInput, Preview, Tool, ToolContext, ToolResponse, ToolSpec};

/// The entry of the registry.
pub const EYEDROPPER: ToolSpec = ToolSpec {
    id: "pick",
    label: "Eyedropper",
    key: 'C',
    icon: "pipette",
    help: "Takes the color of a voxel",
    hint: "Click picks the color · Alt does it with every other tool",
    options: &[],
    make: || Box::<Eyedropper>::default(),
};

#[derive(Debug, Default)]
struct Eyedropper {
    hovered: HoverPick,
    pressed: bool,
}

impl Tool for Eyedropper {
    fn pointer(&mut self, context: &ToolContext<'_>, input: &PointerInput) -> ToolResponse {
        self.hovered.follow(context.document, input);
        match input.phase {
            Phase::Press => self.pressed = true,
            Phase::Release | Phase::Leave => self.pressed = false,
            Phase::Hover | Phase::Drag => {}
        }
        if input.phase == Phase::Leave {
            return ToolResponse::default();
        }
        let color = pick_color(context.document, &input.ray_in_world);
        let picked = color.filter(|_| self.pressed);
        ToolResponse { picked, status: color.map(|color| color.to_string()), ..ToolResponse::default() }
    }

    fn is_pending(&self) -> bool {
        self.pressed
    }

    fn cancel(&mut self) -> bool {
        std::mem::take(&mut self.pressed)
    }

    fn makes_something(&self) -> bool {
        false
    }

    fn preview(&self) -> Preview {
        Preview { hovered: self.hovered.shown(), ..Preview::default() }
    }
}
