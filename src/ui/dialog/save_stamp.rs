//! What the selection is called in the library of stamps.

use egui::{TextEdit, Ui};

use super::{buttons, title};
use crate::editor::{Action, Editor};
use crate::ui::shell::UiAction;
use crate::ui::theme::Theme;
use crate::ui::widget;

/// The name as typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SaveStampForm {
    name: String,
    focused: bool,
}

impl SaveStampForm {
    /// Whether what is typed is the name already.
    pub(super) fn has_keys(&self) -> bool {
        self.focused
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
        title(ui, theme, "Save selection as stamp");
        ui.set_min_width(360.0);
        let response = ui.add(TextEdit::singleline(&mut self.name).desired_width(f32::INFINITY).hint_text("watch tower"));
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Name of the stamp"));
        if !self.focused {
            response.request_focus();
            self.focused = true;
        }
        if let Some(folder) = editor.library_folder() {
            widget::hint(ui, theme, &format!("Kept in {}", folder.display()));
        }
        match buttons(ui, theme, &["Save stamp", "Cancel"]) {
            Some(0) => out.extend([UiAction::CloseDialog, UiAction::Do(Action::SaveStamp(self.name.trim().to_owned()))]),
            Some(_) => out.push(UiAction::CloseDialog),
            None => {}
        }
    }
}
