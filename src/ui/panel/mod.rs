//! The right column: colour, teams and objects, map, history. Each is a section that opens and closes.

mod color;
mod history;
mod map;
mod more_colors;
mod objects;
mod swatches;
mod volumes;

use egui::{Margin, ScrollArea, Ui};

use super::shell::{Shell, UiAction};
use super::theme::Theme;
use super::widget;
use crate::editor::Editor;

/// The column with all its sections.
pub fn column_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        if editor.active().is_some_and(|open| open.document().volumes().len() > 1) {
            egui::Frame::new().inner_margin(Margin::symmetric(8, 6)).show(ui, |ui| volumes::volumes_ui(ui, theme, editor, out));
            widget::rule(ui, theme);
        }
        let mut panels = shell.panels;
        section(ui, theme, "Color", &mut panels.color, |ui| color::color_ui(ui, theme, editor, shell, out));
        section(ui, theme, "Teams and objects", &mut panels.objects, |ui| objects::objects_ui(ui, theme, editor, shell, out));
        section(ui, theme, "Map", &mut panels.map, |ui| map::map_ui(ui, theme, editor, shell, out));
        section(ui, theme, "History", &mut panels.history, |ui| history::history_ui(ui, theme, editor, out));
        shell.panels = panels;
    });
}

fn section(ui: &mut Ui, theme: &Theme, title: &str, open: &mut bool, content: impl FnOnce(&mut Ui)) {
    egui::Frame::new().inner_margin(Margin::symmetric(8, 2)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        if widget::section(ui, theme, title, open) {
            content(ui);
            ui.add_space(6.0);
        }
    });
    widget::rule(ui, theme);
}
