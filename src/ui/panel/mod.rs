//! What stands in the panels: colour, teams and objects, map, history, log. Where they lie is `dock`'s.

mod color;
mod history;
mod log;
mod map;
mod more_colors;
mod objects;
mod swatches;
mod volumes;

use egui::Ui;

pub use more_colors::known_colors;
pub use volumes::volumes_ui;

use super::shell::{Shell, UiAction};
use super::theme::Theme;
use crate::editor::Editor;
use crate::editor::dock::Panel;

/// The content of a panel.
pub fn panel_ui(ui: &mut Ui, panel: Panel, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    match panel {
        Panel::Color => color::color_ui(ui, theme, editor, shell, out),
        Panel::Objects => objects::objects_ui(ui, theme, editor, shell, out),
        Panel::Map => map::map_ui(ui, theme, editor, shell, out),
        Panel::History => history::history_ui(ui, theme, editor, out),
        Panel::Log => log::log_ui(ui, theme, editor, shell),
    }
}

/// Whether the content fills its panel with a list of its own that scrolls.
pub fn scrolls_itself(panel: Panel) -> bool {
    panel == Panel::History
}
