//! Pages that only tell: about.

use egui::{RichText, Ui};

use super::{buttons, title};
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};

/// Version and licence.
pub fn about_ui(ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
    title(ui, theme, &format!("Spadework {}", env!("CARGO_PKG_VERSION")));
    ui.label("A voxel map editor for Ace of Spades: VXL, VMF and the files that servers read beside them.");
    ui.label(RichText::new("MIT or Apache-2.0, at your choice. Icons: Lucide (ISC).").size(theme::SMALL).color(theme.text_faint));
    close(ui, theme, out);
}

fn close(ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
    if buttons(ui, theme, &["Close"]).is_some() {
        out.push(UiAction::CloseDialog);
    }
}
