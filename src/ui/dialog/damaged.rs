//! A map that does not open as it is: whether to read what is left of it, or with which size.

use std::path::PathBuf;

use egui::text::{CCursor, CCursorRange};
use egui::{RichText, TextEdit, Ui};

use super::{buttons, title};
use crate::editor::Action;
use crate::ui::shell::UiAction;
use crate::ui::theme::Theme;

/// The map, what is wrong with it, and the size as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct DamagedForm {
    path: PathBuf,
    reason: String,
    /// The size to open it with, `WxH` columns, where nothing but that is missing.
    size: Option<String>,
    /// The size that was found, where it is one that hardly a map has: the map was rather cut off.
    far_fetched: Option<String>,
    focused: bool,
}

/// Whether a size `WxH` is more than eight times as long as broad.
fn is_strip(size: &str) -> bool {
    let edges = size.split_once('x').and_then(|(x, y)| Some((x.parse::<u32>().ok()?, y.parse::<u32>().ok()?)));
    edges.is_some_and(|(x, y)| x.max(y) > x.min(y).saturating_mul(8))
}

impl DamagedForm {
    /// Asks about the map at `path`; `size` is what it may have where nothing but that is missing.
    pub fn new(path: PathBuf, reason: String, size: Option<String>) -> Self {
        let far_fetched = size.clone().filter(|size| is_strip(size));
        Self { path, reason, size, far_fetched, focused: false }
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let open_rest = Action::OpenDamaged(self.path.clone());
        let (choices, actions) = if let Some(size) = &mut self.size {
            title(ui, theme, &format!("{name} does not say its size"));
            ui.label(RichText::new(&self.reason).color(theme.text_dim));
            let shown = ui.horizontal(|ui| {
                let label = ui.label("Width x height");
                let shown = TextEdit::singleline(size).desired_width(90.0).show(ui);
                shown.response.response.clone().labelled_by(label.id);
                shown
            });
            let mut shown = shown.inner;
            if !self.focused {
                self.focused = true;
                shown.response.request_focus();
                // What is typed first replaces the size that was found.
                shown.state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(0), CCursor::new(size.chars().count()))));
                shown.state.store(ui.ctx(), shown.response.id);
            }
            ui.label("Of a map that was cut off, what is left can be read, and what is missing becomes water.");
            let open_so = Action::OpenSized(self.path.clone(), size.clone());
            if self.far_fetched.as_ref() == Some(size) {
                (&["Open what is left", "Open with this size", "Leave it"][..], vec![open_rest, open_so])
            } else {
                (&["Open with this size", "Open what is left", "Leave it"][..], vec![open_so, open_rest])
            }
        } else {
            title(ui, theme, &format!("{name} is damaged"));
            ui.label(RichText::new(&self.reason).color(theme.text_dim));
            ui.label("What is left can be read, and what is missing becomes water. The file stays as it is until you save.");
            (&["Open what is left", "Leave it"][..], vec![open_rest])
        };
        if let Some(chosen) = buttons(ui, theme, choices) {
            out.push(UiAction::CloseDialog);
            out.extend(actions.into_iter().nth(chosen).map(UiAction::Do));
        }
    }
}
