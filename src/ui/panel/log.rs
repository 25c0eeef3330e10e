//! What the program told in this session, and what opening or saving the map told.

use egui::{RichText, ScrollArea, Ui};
use tracing::level_filters::LevelFilter;

use crate::editor::{Editor, Message};
use crate::format::Severity;
use crate::ui::dialog::report_ui;
use crate::ui::shell::Shell;
use crate::ui::theme::{self, Theme};

/// Levels of the log that can be chosen.
const LEVELS: &[LevelFilter] = &[LevelFilter::ERROR, LevelFilter::WARN, LevelFilter::INFO, LevelFilter::DEBUG];
/// Height of the lines in points.
const LINES_HEIGHT: f32 = 180.0;

/// Content of the log panel.
pub fn log_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell) {
    if let Some(open) = editor.active().filter(|open| !open.report().warnings.is_empty()) {
        ui.label(RichText::new(open.title()).color(theme.text));
        report_ui(ui, theme, open.report(), Severity::Info);
        ui.separator();
    }
    for message in editor.messages() {
        let color = match message {
            Message { is_error: true, .. } => theme.error,
            Message { is_warning: true, .. } => theme.warn,
            _ => theme.text_dim,
        };
        ui.label(RichText::new(&message.text).color(color));
        if let Some(detail) = &message.detail {
            ui.label(RichText::new(detail).size(theme::SMALL).color(theme.text_faint));
        }
    }
    if editor.messages().is_empty() {
        ui.label("Nothing happened yet");
    }
    lines_ui(ui, theme, shell);
}

/// What program and libraries told, for whoever looks for a fault.
fn lines_ui(ui: &mut Ui, theme: &Theme, shell: &mut Shell) {
    let Some(handle) = &shell.log else { return };
    ui.separator();
    ui.horizontal(|ui| {
        ui.label(RichText::new("Details from").color(theme.text_dim));
        for level in LEVELS {
            if ui.selectable_label(shell.log_level == *level, level.to_string()).clicked() {
                shell.log_level = *level;
                handle.set_level(*level);
            }
        }
    });
    let lines: Vec<_> = handle.log.lines().into_iter().filter(|line| line.level <= shell.log_level).collect();
    let height = ui.text_style_height(&egui::TextStyle::Monospace);
    ScrollArea::both().id_salt("lines").max_height(LINES_HEIGHT).stick_to_bottom(true).auto_shrink([false, true]).show_rows(
        ui,
        height,
        lines.len(),
        |ui, rows| {
            for line in lines.get(rows).unwrap_or_default() {
                let text = RichText::new(line.to_string()).monospace().size(theme::SMALL).color(theme.text_faint);
                ui.add(egui::Label::new(text).extend());
            }
        },
    );
}
