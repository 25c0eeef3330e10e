//! Every key: what it does, and how to give it to something else.

use egui::{ComboBox, Grid, Key, RichText, ScrollArea, TextEdit, Ui};

use super::{BUTTON, BUTTON_GAP, buttons, title};
use crate::editor::Editor;
use crate::editor::keymap::{Bindable, Chord, Drag, Keymap, KeymapSettings, PRESETS, preset};
use crate::tool::{ToolOption, ToolSpec};
use crate::ui::keys;
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};
use crate::ui::widget::ListByKeys as _;

/// What the keymap does not hold.
const FIXED_KEYS: &[(&str, &str)] = &[
    ("W A S D, Q, E", "Fly while looking around; Shift faster, Ctrl slower, the wheel sets the speed"),
    ("Wheel", "Nearer to what is under the pointer"),
    ("Alt + click", "Pick a color"),
    (
        "Cursor by keys",
        "Arrows aim, with Shift 8 voxels on; Ctrl + arrows turn, Page Up and Page Down go nearer and farther, Space is the button",
    ),
    ("F10, Alt + letter", "Open the menus, or the one that begins with the letter; arrows go through them"),
];

/// Width of the page, height of its list, width of its keys, and what the window needs around the list, all in points.
const WIDTH: f32 = 520.0;
const HEIGHT: f32 = 400.0;
const KEY_WIDTH: f32 = 130.0;
const MARGINS: egui::Vec2 = egui::vec2(56.0, 190.0);

/// What is searched for, and which entry waits for a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeysForm {
    filter: String,
    /// Id of the entry that the next key is bound to.
    waiting: Option<String>,
    /// Whether the field to find with has had the keys.
    is_begun: bool,
}

impl KeysForm {
    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, keymap: &Keymap, out: &mut Vec<UiAction>) {
        let settings = &editor.settings.keymap;
        let mut changed = settings.clone();
        // Before anything else sees the key: it may be the one that closes dialogs.
        self.capture(ui, &mut changed);
        title(ui, theme, "Keys");
        // Smaller than it likes to be where the window has no room for it.
        let window = ui.ctx().content_rect().size();
        let width = WIDTH.min(window.x - MARGINS.x);
        ui.set_min_width(width);
        ui.set_max_width(width);
        let height = HEIGHT.min(window.y - MARGINS.y).max(60.0);
        ui.horizontal(|ui| {
            ui.label(RichText::new("As in").color(theme.text_dim));
            let shown = preset(&changed.preset).unwrap_or(&PRESETS[0]);
            let combo = ComboBox::from_id_salt("preset").selected_text(shown.label).show_list(ui, |ui| {
                for preset in PRESETS {
                    ui.selectable_value(&mut changed.preset, preset.id.to_owned(), preset.label);
                }
            });
            combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Keymap"));
            if ui.add_enabled(!changed.keys.is_empty(), egui::Button::new("Forget my keys")).clicked() {
                changed.keys.clear();
            }
            let edit = ui.add(TextEdit::singleline(&mut self.filter).desired_width(ui.available_width() - 8.0).hint_text("Find"));
            edit.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Find a key"));
            if !self.is_begun {
                edit.request_focus();
            }
        });
        ui.add_space(6.0);
        // As high with little in it as with everything: what is below stays where it is.
        let mut list = ScrollArea::vertical().max_height(height).auto_shrink(false);
        if !std::mem::replace(&mut self.is_begun, true) {
            // Where it was scrolled to last is not where anybody is now.
            list = list.vertical_scroll_offset(0.0);
        }
        list.show(ui, |ui| {
            Grid::new("keys").num_columns(2).spacing([24.0, 4.0]).max_col_width((width - KEY_WIDTH - 40.0).max(KEY_WIDTH)).show(ui, |ui| {
                let tool = editor.tool.spec();
                let is_listed = |bindable: &Bindable| self.is_found(&keymap.shown(&bindable.id), &bindable.label);
                let listed = keymap.entries().filter(|(bindable, _)| is_listed(bindable));
                let (here, elsewhere): (Vec<_>, Vec<_>) = listed.partition(|(bindable, _)| belongs_to(tool, &bindable.id));
                let hint = keymap.hint(tool, editor.tool.hint());
                let hints: Vec<_> = hint_lines(&hint).into_iter().filter(|(key, text)| self.is_found(key, text)).collect();
                if !(here.is_empty() && hints.is_empty()) {
                    heading(ui, theme, tool.label);
                }
                hints.iter().for_each(|(key, text)| line_ui(ui, theme, key, text));
                for (bindable, chords) in here {
                    self.row_ui(ui, theme, bindable, chords, keymap, &mut changed);
                    ui.end_row();
                }
                let lines: Vec<_> = mouse_lines(keymap).into_iter().chain(FIXED_KEYS.iter().copied()).collect();
                let lines: Vec<_> = lines.into_iter().filter(|(key, text)| self.is_found(key, text)).collect();
                if !(lines.is_empty() && elsewhere.is_empty()) {
                    heading(ui, theme, "Everywhere");
                }
                lines.iter().for_each(|(key, text)| line_ui(ui, theme, key, text));
                for (bindable, chords) in elsewhere {
                    self.row_ui(ui, theme, bindable, chords, keymap, &mut changed);
                    ui.end_row();
                }
            });
        });
        if changed != *settings {
            out.push(UiAction::SetKeymap(changed));
        }
        // No higher than it is: the list may have been higher before, in a larger window.
        let row = egui::vec2(width, BUTTON_GAP + BUTTON.y);
        if ui.allocate_ui(row, |ui| buttons(ui, theme, &["Close"])).inner.is_some() {
            out.push(UiAction::CloseDialog);
        }
    }

    fn is_found(&self, key: &str, text: &str) -> bool {
        let wanted = self.filter.trim().to_lowercase();
        wanted.is_empty() || key.to_lowercase() == wanted || text.to_lowercase().contains(&wanted)
    }

    fn row_ui(&mut self, ui: &mut Ui, theme: &Theme, bindable: &Bindable, chords: &[Chord], keymap: &Keymap, changed: &mut KeymapSettings) {
        let waits = self.waiting.as_deref() == Some(&*bindable.id);
        let names: Vec<_> = chords.iter().map(ToString::to_string).collect();
        let text = if waits { "press a key…".to_owned() } else { names.join("  ") };
        let color = if waits { theme.accent } else { theme.text };
        let button = ui.add(egui::Button::new(RichText::new(&text).color(color)).min_size(egui::vec2(KEY_WIDTH, 0.0)));
        let label = bindable.label.trim_end_matches('…');
        button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Key of {label}: {text}")));
        let button = button.on_hover_text("Click, then press the new key. Esc keeps it, Backspace takes it away");
        if button.clicked() {
            self.waiting = Some(bindable.id.clone());
        }
        ui.horizontal(|ui| {
            ui.label(RichText::new(label).color(theme.text_dim));
            let others = keymap.conflicts(&bindable.id);
            if !others.is_empty() {
                let gets = others.iter().find(|other| other.scope == bindable.scope && !keymap.goes_before(&bindable.id, &other.id));
                let gets = gets.map_or("", |_| ", which gets it");
                let others: Vec<_> = others.iter().map(|other| other.label.trim_end_matches('…')).collect();
                ui.label(RichText::new(format!("also {}{gets}", others.join(", "))).color(theme.warn).size(theme::SMALL));
            }
            if changed.keys.contains_key(&bindable.id) && ui.small_button("Reset").clicked() {
                changed.bind(&bindable.id, None);
            }
        });
    }

    /// Gives the next key to the entry that waits for one.
    fn capture(&mut self, ui: &Ui, changed: &mut KeymapSettings) {
        let Some(id) = self.waiting.clone() else { return };
        let pressed = ui.input_mut(|input| {
            let chord = input.events.iter().find_map(keys::chord_of_event);
            input.events.retain(|event| keys::chord_of_event(event).is_none() && !matches!(event, egui::Event::Text(_)));
            chord
        });
        let Some(chord) = pressed else { return };
        let is = |key| {
            Chord { ctrl: false, shift: false, alt: false, ..chord } == chord && keys::chord_of(key, egui::Modifiers::NONE) == Some(chord)
        };
        self.waiting = None;
        if is(Key::Backspace) {
            changed.bind(&id, Some(vec![]));
        } else if !is(Key::Escape) {
            changed.bind(&id, Some(vec![chord]));
        }
    }
}

fn heading(ui: &mut Ui, theme: &Theme, text: &str) {
    ui.label(RichText::new(text).color(theme.text).strong());
    ui.end_row();
}

fn line_ui(ui: &mut Ui, theme: &Theme, key: &str, text: &str) {
    ui.label(RichText::new(key).color(theme.text_dim));
    ui.add(egui::Label::new(RichText::new(text).color(theme.text_dim)).wrap());
    ui.end_row();
}

/// What a hint calls the keys and the gestures of the mouse.
const PRESSED: [&str; 14] =
    ["Click", "click", "Drag", "drag", "Hover", "Shift", "Ctrl", "Ctrl+click", "Alt", "Enter", "Esc", "Arrows", "Delete", "Del"];

/// The keys and gestures of a tool's hint, with what they do: `Click or Enter` and `shows it`. What begins with neither
/// has none.
fn hint_lines(hint: &str) -> Vec<(&str, &str)> {
    hint.split(" · ").map(split_hint).map(|at| (at.0.trim(), at.1.trim())).collect()
}

fn split_hint(part: &str) -> (&str, &str) {
    let mut end = 0;
    for word in part.split_inclusive(' ') {
        let bare = word.trim();
        if !(PRESSED.contains(&bare) || matches!(bare, "R" | "[" | "]") || (end > 0 && bare == "or")) {
            break;
        }
        end += word.len();
    }
    part.split_at(end)
}

/// Whether a key is about what is done with a tool: its own, and those of its options.
fn belongs_to(tool: &ToolSpec, id: &str) -> bool {
    let has = |option| tool.options.contains(&option);
    let moves = ["nudge-", "turn-", "tip-"].iter().any(|start| id.starts_with(start));
    id.strip_prefix("tool-") == Some(tool.id)
        || (id.starts_with("mode-") && has(ToolOption::Mode))
        || (id.starts_with("brush-") && has(ToolOption::BrushSize))
        || (moves && (has(ToolOption::TransformOffset) || has(ToolOption::SelectKind)))
        || matches!(id, "confirm" | "cancel")
}

/// What the buttons do in this keymap.
fn mouse_lines(keymap: &Keymap) -> [(&'static str, &'static str); 6] {
    let does = |drag| match drag {
        Drag::Look => "Look around, and fly",
        Drag::Orbit => "Orbit around what is under the pointer",
        Drag::Pan => "Pan",
    };
    let mouse = &keymap.mouse;
    [
        ("Right button", does(mouse.right)),
        ("Shift + right button", does(mouse.right_shift)),
        ("Ctrl + right button", does(mouse.right_ctrl)),
        ("Alt + right button", does(mouse.right_alt)),
        ("Middle button", does(mouse.middle)),
        ("Shift + middle button", does(mouse.middle_shift)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_split_behind_what_is_pressed() {
        assert_eq!(split_hint("Click or Enter shows it"), ("Click or Enter ", "shows it"));
        assert_eq!(split_hint("[ ] size"), ("[ ] ", "size"));
        assert_eq!(split_hint("Ctrl+click or Delete removes"), ("Ctrl+click or Delete ", "removes"));
        assert_eq!(split_hint("both intersect"), ("", "both intersect"));
        assert_eq!(split_hint("R turns"), ("R ", "turns"));
    }
}
