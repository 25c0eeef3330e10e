//! Everything that must be answered before work goes on. One at a time; Esc and the last button leave.

mod damaged;
mod export;
mod import;
mod information;
mod keys;
mod new_map;
mod options;
mod palette;
mod path_prompt;
mod questions;
mod recover;
mod report;
mod resize;
mod run_script;
mod save_stamp;

use egui::{Modal, RichText, Ui};

pub use damaged::DamagedForm;
pub use export::ExportForm;
pub use import::ImportForm;
pub use keys::KeysForm;
pub use new_map::NewMapForm;
pub use options::{SaveOptionsForm, asked};
pub use palette::PaletteForm;
pub use path_prompt::PathPrompt;
pub use questions::report_ui;
pub use recover::RecoverForm;
pub use report::ReportForm;
pub use resize::{ResizeForm, ShiftForm};
pub use run_script::RunScriptForm;
pub use save_stamp::SaveStampForm;

use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use crate::check::Problem;
use crate::editor::files::{InTheWay, Version};
use crate::editor::{Action, DocumentId, Editor, ExportOrder, PaletteOrder, SaveOrder};
use crate::format::Report;

/// Size of a button at the end of a dialog, at least.
const BUTTON: egui::Vec2 = egui::vec2(84.0, 26.0);
/// Space above the buttons.
const BUTTON_GAP: f32 = 12.0;

/// A question or a page over the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Dialog {
    /// What map to make.
    NewMap(NewMapForm),
    /// Which file, where the desktop has no dialogs.
    Path(PathPrompt),
    /// What to do with unsaved edits.
    Unsaved {
        /// The documents that are to be closed.
        documents: Vec<DocumentId>,
        /// Whether the window is to be closed, too.
        quit: bool,
    },
    /// Whether to drop all edits.
    Revert,
    /// Whether to drop steps that were recorded and written nowhere.
    DropRecording(DocumentId),
    /// Whether to save although something is lost.
    Loss {
        /// The save that waits.
        order: SaveOrder,
        /// What would be lost.
        report: Report,
    },
    /// Whether to save although players will meet problems.
    Problems {
        /// The save that waits.
        order: SaveOrder,
        /// What the checks found.
        problems: Vec<Problem>,
    },
    /// Whether to open what is left of a damaged map.
    Damaged(DamagedForm),
    /// Whether to close although files are still being written.
    StillWriting,
    /// Which earlier version of a map to open.
    Versions {
        /// What the map is called.
        name: String,
        /// The versions, the latest first.
        versions: Vec<Version>,
    },
    /// Whether to replace a file that changed.
    Overwrite {
        /// The save that waits.
        order: SaveOrder,
        /// What is odd about the file.
        why: InTheWay,
        /// The same in words.
        reason: String,
    },
    /// The options of the format that a map is saved in.
    SaveOptions(SaveOptionsForm),
    /// What kind of file the map is exported to.
    Export(ExportForm),
    /// What to do with the file that was imported.
    Import(ImportForm),
    /// Whether an export replaces a file.
    ReplaceByExport {
        /// The export that waits.
        order: ExportOrder,
        /// What stands in the way.
        reason: String,
    },
    /// The map's new size.
    Resize(ResizeForm),
    /// How far to shift the map.
    Shift(ShiftForm),
    /// Where a script runs.
    RunScript(RunScriptForm),
    /// Maps of an earlier session that ended early.
    Recover(RecoverForm),
    /// All keys.
    Keys(KeysForm),
    /// Every action, to be found by its name.
    Palette(PaletteForm),
    /// What goes along with the report of a problem.
    Report(ReportForm),
    /// Version, licence.
    About,
    /// What the selection is called in the library of stamps.
    SaveStamp(SaveStampForm),
    /// Whether a palette replaces a file.
    ReplacePalette {
        /// The palette that waits.
        order: PaletteOrder,
        /// What stands in the way.
        reason: String,
    },
}

impl Dialog {
    /// Whether a text in it will have the keys, once it is shown.
    pub fn awaits_keys(&self) -> bool {
        match self {
            Self::Path(prompt) => !prompt.has_keys(),
            Self::SaveStamp(form) => !form.has_keys(),
            _ => false,
        }
    }

    /// Whether its answer changes the map that was in front when it opened.
    pub fn is_about_map_in_front(&self) -> bool {
        matches!(
            self,
            Self::Revert
                | Self::SaveStamp(_)
                | Self::Resize(_)
                | Self::Shift(_)
                | Self::RunScript(_)
                | Self::Import(_)
                | Self::Problems { .. }
        )
    }
}

/// Shows the open dialog, if there is one.
pub fn dialog_ui(ctx: &egui::Context, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let Some(mut dialog) = shell.dialog.take() else { return };
    let frame = egui::Frame::popup(&ctx.global_style()).inner_margin(16);
    // One id for each kind and height: a dialog would keep the height of the one before it.
    let listed = match &dialog {
        Dialog::Recover(form) if form.asks() => None,
        _ => Some(editor.leftovers().len() + editor.unreadable_leftovers().len()),
    };
    // Each kind of import has choices of its own.
    let import = editor.pending_import().filter(|_| matches!(dialog, Dialog::Import(_))).map(|pending| pending.file.import);
    let id = egui::Id::unique(("dialog", std::mem::discriminant(&dialog), listed, import));
    let response = Modal::new(id).frame(frame).show(ctx, |ui| {
        ui.set_max_width(560.0);
        match &mut dialog {
            Dialog::NewMap(form) => form.ui(ui, theme, out),
            Dialog::Path(prompt) => prompt.ui(ui, theme, editor, out),
            Dialog::Unsaved { documents, quit } => questions::unsaved_ui(ui, theme, editor, documents, *quit, out),
            Dialog::Revert => questions::revert_ui(ui, theme, editor, out),
            Dialog::DropRecording(id) => questions::drop_recording_ui(ui, theme, editor, *id, out),
            Dialog::Loss { order, report } => questions::loss_ui(ui, theme, order, report, out),
            Dialog::Problems { order, problems } => questions::problems_ui(ui, theme, order, problems, out),
            Dialog::Damaged(form) => form.ui(ui, theme, out),
            Dialog::StillWriting => questions::still_writing_ui(ui, theme, editor, out),
            Dialog::Versions { name, versions } => questions::versions_ui(ui, theme, name, versions, out),
            Dialog::Overwrite { order, why, reason } => questions::overwrite_ui(ui, theme, order, (*why, reason), out),
            Dialog::SaveOptions(form) => form.ui(ui, theme, out),
            Dialog::Import(form) => form.ui(ui, theme, editor, out),
            Dialog::Export(form) => form.ui(ui, theme, editor, out),
            Dialog::ReplaceByExport { order, reason } => questions::replace_by_export_ui(ui, theme, order, reason, out),
            Dialog::Resize(form) => form.ui(ui, theme, out),
            Dialog::Shift(form) => form.ui(ui, theme, out),
            Dialog::RunScript(form) => form.ui(ui, theme, editor, out),
            Dialog::Recover(form) => form.ui(ui, theme, editor, out),
            Dialog::Keys(form) => form.ui(ui, theme, editor, &shell.keymap, out),
            Dialog::Palette(form) => form.ui(ui, theme, editor, shell, out),
            Dialog::Report(form) => form.ui(ui, theme, out),
            Dialog::About => information::about_ui(ui, theme, out),
            Dialog::SaveStamp(form) => form.ui(ui, theme, editor, out),
            Dialog::ReplacePalette { order, reason } => questions::replace_palette_ui(ui, theme, order, reason, out),
        }
    });
    let answered = out.iter().any(|action| matches!(action, UiAction::CloseDialog));
    let is_beside = response.backdrop_response.clicked();
    if response.should_close() && !answered {
        match &mut dialog {
            Dialog::Recover(form) if form.asks() => form.go_back(),
            // Unsaved maps are not put off by a slip of the hand.
            Dialog::Recover(_) if is_beside => {}
            other => {
                match other {
                    Dialog::Path(_) => out.push(UiAction::PathRefused),
                    Dialog::Import(_) => out.push(UiAction::Do(Action::ForgetImport)),
                    Dialog::Recover(_) => out.push(UiAction::Do(Action::PutOffLeftovers)),
                    _ => {}
                }
                out.push(UiAction::CloseDialog);
            }
        }
    }
    shell.dialog = Some(dialog);
}

/// Title of a dialog, and its name for those who hear it.
fn title(ui: &mut Ui, theme: &Theme, text: &str) {
    let modal = ui.stack().iter().find(|parent| parent.kind() == Some(egui::UiKind::Modal)).map(|modal| modal.unique_id);
    modal.and_then(|id| ui.ctx().accesskit_node_builder(id, |node| node.set_label(text)));
    ui.label(RichText::new(text).color(theme.text).size(theme::BODY + 3.0));
    ui.add_space(8.0);
}

/// Buttons in the lower right; the first one is what Enter does, so it must lose nothing, unless the focus is on something
/// that takes Enter itself. Answers the index of the one that was chosen.
///
/// They stand in the middle of the height that is left, so that a dialog stays as high as it was under a pointer that drags.
fn buttons(ui: &mut Ui, theme: &Theme, labels: &[&str]) -> Option<usize> {
    ui.add_space(BUTTON_GAP);
    let mut chosen = None;
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        for (index, label) in labels.iter().enumerate() {
            let text = RichText::new(*label).color(theme.text);
            let button = egui::Button::new(text).min_size(BUTTON);
            let button = if index == 0 { button.fill(theme.accent_back) } else { button };
            if ui.add(button).clicked() {
                chosen = Some(index);
            }
        }
    });
    // A field ends what is typed into it with the same Enter, and a button that has the focus is what was meant.
    let is_on_button = ui.memory(|memory| memory.focused().is_some()) && !ui.ctx().text_edit_focused();
    let enter = ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Enter));
    chosen.or((enter && !is_on_button).then_some(0))
}
