//! Gives the focus back to what had it before a menu or a drop-down list was opened.

use egui::{Context, Id, Popup};

/// Frames in which what had the focus in a closed menu is gone from the window.
const FRAMES: u8 = 3;

/// Where the focus was, and whether it is still to go back there.
#[derive(Debug, Default)]
pub struct PopupFocus {
    before: Option<Id>,
    /// Whether a dialog was shown.
    was_asking: bool,
    /// Frames for which it is tried.
    left: u8,
}

impl PopupFocus {
    /// Looks at this frame, before its widgets are drawn. A dialog has a focus of its own, and so have the lists in it.
    pub fn follow(&mut self, ctx: &Context, is_asking: bool) {
        let focused = ctx.memory(|memory| memory.focused());
        if std::mem::replace(&mut self.was_asking, is_asking) != is_asking {
            (self.left, self.before) = (0, None);
        } else if Popup::is_any_open(ctx) {
            self.left = FRAMES;
        } else if self.left == 0 {
            self.before = focused;
        } else if focused.is_none() {
            self.left = 0;
            if let Some(before) = self.before {
                ctx.memory_mut(|memory| memory.request_focus(before));
            }
        } else {
            self.left -= 1;
            ctx.request_repaint();
        }
    }
}
