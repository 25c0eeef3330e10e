//! What kind of file the map is exported to, and how.

use egui::Ui;

use super::options::options_ui;
use super::{buttons, report_ui, title};
use crate::document::Options;
use crate::editor::{Action, DocumentId, Editor, ExportLook};
use crate::format::{EXPORTS, Severity};
use crate::ui::file_dialogs::FileQuestion;
use crate::ui::shell::UiAction;
use crate::ui::theme::Theme;
use crate::ui::widget;

/// What was chosen so far.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportForm {
    document: DocumentId,
    /// Place among [`EXPORTS`].
    chosen: usize,
    options: Options,
}

impl ExportForm {
    /// Begins with the first export.
    pub fn new(document: DocumentId, editor: &Editor) -> Self {
        let mut form = Self { document, chosen: 0, options: Options::new() };
        form.choose(0, editor);
        form
    }

    fn choose(&mut self, index: usize, editor: &Editor) {
        self.chosen = index;
        self.options = EXPORTS.get(index).and_then(|export| editor.settings.export_options.get(export.id())).cloned().unwrap_or_default();
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
        title(ui, theme, "Export the map");
        for (index, export) in EXPORTS.iter().enumerate() {
            let label = format!("{} (.{})", export.label(), export.extensions().first().copied().unwrap_or_default());
            if widget::radio(ui, self.chosen == index, label).clicked() {
                self.choose(index, editor);
            }
        }
        ui.add_space(8.0);
        let Some(export) = EXPORTS.get(self.chosen) else { return out.push(UiAction::CloseDialog) };
        options_ui(ui, theme, export.options(), &mut self.options);
        let version = editor.document(self.document).map_or(0, |open| open.version());
        let look = ExportLook { document: self.document, version, export: export.id(), options: self.options.clone() };
        let known = editor.export_losses(&look);
        match known {
            None => widget::hint(ui, theme, "Looking up what it cannot hold"),
            Some(report) if report.worst() < Some(Severity::Problem) => widget::hint(ui, theme, "It holds all that it is for"),
            Some(report) => {
                ui.label("It cannot hold all of the map:");
                report_ui(ui, theme, report, Severity::Problem);
            }
        }
        let is_known = known.is_some();
        if !is_known {
            out.push(UiAction::Do(Action::LookAtExport(look)));
        }
        widget::hint(ui, theme, "An export is not opened again: save the map, too");
        match buttons(ui, theme, &["Choose file…", "Cancel"]) {
            // What is lost is told first.
            Some(0) if !is_known => {}
            Some(0) => {
                let question = FileQuestion::Export { document: self.document, export: export.id(), options: self.options.clone() };
                out.extend([UiAction::CloseDialog, UiAction::AskFile(question)]);
            }
            Some(_) => out.push(UiAction::CloseDialog),
            None => {}
        }
    }
}
