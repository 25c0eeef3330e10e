//! Every key: what it does, and how to give it to something else.

use egui::{ComboBox, Grid, Key, RichText, ScrollArea, TextEdit, Ui};

use super::{buttons, title};
use crate::editor::keymap::{Bindable, Chord, Drag, Keymap, KeymapSettings, PRESETS, preset};
use crate::ui::keys;
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};

/// What the keymap does not hold.
const FIXED_KEYS: &[(&str, &str)] = &[
    ("W A S D, Q, E", "Fly while looking around; Shift faster, Ctrl slower, the wheel sets the speed"),
    ("Wheel", "Nearer to what is under the pointer"),
    ("Alt + click", "Pick a color"),
];

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
    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, settings: &KeymapSettings, keymap: &Keymap, out: &mut Vec<UiAction>) {
        let mut changed = settings.clone();
        // Before anything else sees the key: it may be the one that closes dialogs.
        self.capture(ui, &mut changed);
        title(ui, theme, "Keys");
        ui.set_min_width(520.0);
        ui.horizontal(|ui| {
            ui.label(RichText::new("As in").color(theme.text_dim));
            let shown = preset(&changed.preset).unwrap_or(&PRESETS[0]);
            let combo = ComboBox::from_id_salt("preset").selected_text(shown.label).show_ui(ui, |ui| {
                for preset in PRESETS {
                    ui.selectable_value(&mut changed.preset, preset.id.to_owned(), preset.label);
                }
            });
            combo.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Keymap"));
            if ui.add_enabled(!changed.keys.is_empty(), egui::Button::new("Forget my keys")).clicked() {
                changed.keys.clear();
            }
            let edit = ui.add(TextEdit::singleline(&mut self.filter).desired_width(f32::INFINITY).hint_text("Find"));
            edit.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Find a key"));
            if !std::mem::replace(&mut self.is_begun, true) {
                edit.request_focus();
            }
        });
        ui.add_space(6.0);
        ScrollArea::vertical().max_height(400.0).auto_shrink([false, true]).show(ui, |ui| {
            Grid::new("keys").num_columns(2).spacing([24.0, 4.0]).show(ui, |ui| {
                for (key, text) in mouse_lines(keymap).iter().chain(FIXED_KEYS).filter(|(key, text)| self.is_found(key, text)) {
                    ui.label(RichText::new(*key).color(theme.text_dim));
                    ui.label(RichText::new(*text).color(theme.text_dim));
                    ui.end_row();
                }
                let is_listed = |bindable: &Bindable| self.is_found(&keymap.shown(&bindable.id), &bindable.label);
                let listed: Vec<_> = keymap.entries().filter(|(bindable, _)| is_listed(bindable)).collect();
                for (bindable, chords) in listed {
                    self.row_ui(ui, theme, bindable, chords, keymap, &mut changed);
                    ui.end_row();
                }
            });
        });
        if changed != *settings {
            out.push(UiAction::SetKeymap(changed));
        }
        if buttons(ui, theme, &["Close"]).is_some() {
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
        let button = ui.add(egui::Button::new(RichText::new(&text).color(color)).min_size(egui::vec2(130.0, 0.0)));
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
                let others: Vec<_> = others.iter().map(|other| other.label.trim_end_matches('…')).collect();
                ui.label(RichText::new(format!("also {}", others.join(", "))).color(theme.warn).size(theme::SMALL));
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
