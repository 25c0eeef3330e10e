//! The command palette: every action, found by a few letters of its name.

use egui::{Key, RichText, ScrollArea, TextEdit, Ui};

use super::title;
use crate::editor::Editor;
use crate::editor::keymap::{Bindable, Keymap, Target};
use crate::ui::menu;
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};

/// What was typed, and which of the found is marked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PaletteForm {
    query: String,
    marked: usize,
}

impl PaletteForm {
    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, keymap: &Keymap, out: &mut Vec<UiAction>) {
        title(ui, theme, "Find an action");
        ui.set_min_width(440.0);
        let pressed = |ui: &Ui, key| ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, key));
        let step = i32::from(pressed(ui, Key::ArrowDown)) - i32::from(pressed(ui, Key::ArrowUp));
        let chosen = pressed(ui, Key::Enter);
        let edit = ui.add(TextEdit::singleline(&mut self.query).desired_width(f32::INFINITY).hint_text("A few letters of its name"));
        edit.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Find an action"));
        edit.request_focus();
        if edit.changed() {
            self.marked = 0;
        }
        let found = found(&self.query);
        let last = found.len().saturating_sub(1);
        self.marked = self.marked.saturating_add_signed(step as isize).min(last);
        let mut invoked = found.get(self.marked).copied().filter(|_| chosen);
        ScrollArea::vertical().max_height(360.0).min_scrolled_height(240.0).auto_shrink([false, true]).show(ui, |ui| {
            for (index, bindable) in found.iter().enumerate() {
                let is_enabled = is_enabled(bindable, editor);
                let text =
                    RichText::new(bindable.label.trim_end_matches('…')).color(if is_enabled { theme.text } else { theme.text_faint });
                let key = RichText::new(keymap.shown(&bindable.id)).color(theme.text_faint).size(theme::SMALL);
                let button =
                    egui::Button::new(text).shortcut_text(key).selected(index == self.marked).frame_when_inactive(index == self.marked);
                let entry = ui.add_enabled(is_enabled, button.min_size(egui::vec2(ui.available_width(), 0.0)));
                if index == self.marked && step != 0 {
                    entry.scroll_to_me(None);
                }
                if entry.clicked() {
                    invoked = Some(bindable);
                }
            }
            if found.is_empty() {
                ui.label(RichText::new("Nothing has a name like that").color(theme.text_faint));
            }
        });
        if let Some(bindable) = invoked.filter(|bindable| is_enabled(bindable, editor)) {
            out.extend([UiAction::CloseDialog, UiAction::from(&bindable.target)]);
        }
    }
}

fn is_enabled(bindable: &Bindable, editor: &Editor) -> bool {
    match bindable.target {
        Target::Invoke(id) => menu::enabled(id, editor),
        _ => editor.active().is_some(),
    }
}

/// Everything whose name has the letters in this order, the best first.
fn found(query: &str) -> Vec<&'static Bindable> {
    let scored = crate::editor::keymap::BINDABLES.iter().filter_map(|bindable| Some((score(query, &bindable.label)?, bindable)));
    let mut scored: Vec<_> = scored.collect();
    // Stable: what is as good stays in the order of the menus.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, bindable)| bindable).collect()
}

/// How well a name fits what was typed: letters that begin words, and runs of letters, count more. `None` if a letter is missing.
fn score(query: &str, label: &str) -> Option<i32> {
    let label: Vec<char> = label.to_lowercase().chars().collect();
    let (mut at, mut score, mut run) = (0, 0, 0);
    for letter in query.to_lowercase().chars().filter(|letter| !letter.is_whitespace()) {
        let begins = |index: usize| index == 0 || label.get(index - 1).is_some_and(|before| !before.is_alphanumeric());
        let next = label.get(at) == Some(&letter);
        let places = || (at..label.len()).filter(|index| label.get(*index) == Some(&letter));
        let place = if next { at } else { places().find(|index| begins(*index)).or_else(|| places().next())? };
        run = if next { run + 1 } else { 0 };
        score += 1 + run * 2 + if begins(place) { 4 } else { 0 };
        at = place + 1;
    }
    // Among equals the shorter name is meant.
    Some(score * 64 - label.len() as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_first(query: &str, id: &str) {
        assert_eq!(found(query).first().map(|bindable| bindable.id.as_str()), Some(id), "{query}");
    }

    #[test]
    fn a_few_letters_find_the_action() {
        check_first("save as", "save-as");
        check_first("sva", "save-as");
        check_first("undo", "undo");
        check_first("top", "view-top");
        check_first("brush", "tool-brush");
        check_first("frsel", "frame-selection");
    }

    #[test]
    fn nothing_typed_lists_all_and_nonsense_nothing() {
        assert_eq!(found("").len(), crate::editor::keymap::BINDABLES.len());
        assert!(found("qqqq").is_empty());
    }
}
