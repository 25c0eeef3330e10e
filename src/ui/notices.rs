//! Notices over the lower left corner of the map: what went wrong until it is closed, all else for a while.
//!
//! What is told comes from the editor's messages; which of them were closed is the window's to remember.

use std::time::Duration;

use egui::{Align2, RichText, Ui};

use super::shell::{Shell, UiAction};
use super::theme::{self, Theme};
use super::{icon, widget};
use crate::editor::keymap::{KeymapSettings, PRESETS};
use crate::editor::{Editor, Message};

/// Notices that went well leave by themselves after this many seconds.
const NOTICE_SECS: f64 = 6.0;
/// Notices that are shown at once.
const MOST: usize = 4;

/// Whether a message waits until somebody closes it.
fn stays(message: &Message) -> bool {
    message.is_error || message.is_warning
}

/// The newest notice that waits to be closed, by its place among the messages.
pub fn newest(editor: &Editor, shell: &Shell) -> Option<usize> {
    let messages = editor.messages();
    let waits = |index: usize, message: &Message| stays(message) && !shell.dismissed.contains(&index) && !Message::is_past(messages, index);
    messages.iter().enumerate().rev().find(|(index, message)| waits(*index, message)).map(|(index, _)| index)
}

/// The notices, the newest at the bottom; of many the newest ones, and how many there are besides.
pub fn notices_ui(
    ctx: &egui::Context,
    theme: &Theme,
    editor: &Editor,
    shell: &mut Shell,
    bottom_left: egui::Pos2,
    out: &mut Vec<UiAction>,
) {
    let messages = editor.messages();
    let now = ctx.input(|input| input.time);
    if shell.message_since.0 != messages.len() {
        shell.message_since = (messages.len(), now);
    }
    let fresh = now - shell.message_since.1 < NOTICE_SECS;
    let shown: Vec<_> = messages
        .iter()
        .enumerate()
        .filter(|(index, _)| !shell.dismissed.contains(index) && !Message::is_past(messages, *index))
        .filter(|(index, message)| stays(message) || (fresh && index + 1 == messages.len()))
        .collect();
    if shown.is_empty() && !shell.asks_keymap {
        return;
    }
    if fresh {
        ctx.request_repaint_after(Duration::from_secs(1));
    }
    let (older, shown) = shown.split_at(shown.len().saturating_sub(MOST));
    let newest = newest(editor, shell);
    let area = egui::Area::new(egui::Id::unique("notices")).fixed_pos(bottom_left).pivot(Align2::LEFT_BOTTOM);
    let asks_keymap = shell.asks_keymap;
    let drawn = area.show(ctx, |ui| {
        if asks_keymap {
            framed(ui, theme, |ui| keymap_ui(ui, theme, &mut shell.asks_keymap, out));
        }
        if !older.is_empty() {
            framed(ui, theme, |ui| {
                let count = format!("and {} more, in the log", older.len());
                ui.label(RichText::new(count).color(theme.text_dim));
                if ui.button("Close all").clicked() {
                    out.push(UiAction::DismissAll);
                }
            });
        }
        for (index, message) in shown {
            let key = if newest == Some(*index) { "Esc" } else { "" };
            if ui.push_id(index, |ui| notice_ui(ui, theme, message, key)).inner {
                out.push(UiAction::Dismiss(*index));
            }
        }
    });
    // It stands on its lower edge as high as it was before: once more, with its new height.
    if drawn.response.rect.bottom() > bottom_left.y + 0.5 {
        ctx.request_discard("notices grew");
    }
}

/// Width of what a notice says, at most: less in a small window, or one of a large scale.
fn text_width(ui: &Ui) -> f32 {
    (ui.ctx().content_rect().width() - 100.0).clamp(120.0, 400.0)
}

/// Height of what a notice says, at most, so that so many fit into the window: what is longer scrolls.
fn text_height(ui: &Ui) -> f32 {
    ui.ctx().content_rect().height() / (MOST + 2) as f32
}

fn framed(ui: &mut Ui, theme: &Theme, contents: impl FnOnce(&mut Ui)) {
    let frame = egui::Frame::new()
        .fill(theme.panel)
        .stroke((1.0, theme.line))
        .corner_radius(theme::RADIUS)
        .inner_margin(8)
        .outer_margin(egui::Margin { left: 8, right: 8, top: 0, bottom: 8 });
    frame.show(ui, |ui| {
        ui.set_max_width(text_width(ui) + 60.0);
        ui.horizontal_top(contents);
    });
}

/// What the first start asks, and whoever just begins may leave alone: which keys are in the fingers.
fn keymap_ui(ui: &mut Ui, theme: &Theme, asks: &mut bool, out: &mut Vec<UiAction>) {
    icon::sign(ui, "keyboard", 14.0, theme.text_dim, "Keys");
    ui.vertical(|ui| {
        ui.set_max_width(text_width(ui));
        ui.label(RichText::new("Whose keys do you know?").color(theme.text));
        ui.horizontal_wrapped(|ui| {
            for preset in PRESETS {
                if ui.button(preset.label).clicked() {
                    out.push(UiAction::SetKeymap(KeymapSettings { preset: preset.id.into(), ..KeymapSettings::default() }));
                    *asks = false;
                }
            }
        });
        ui.label(RichText::new("F1 lists them, and changes them at any time").size(theme::SMALL).color(theme.text_dim));
    });
    let close = widget::icon_button(ui, theme, "x", "Close", "", 18.0);
    close.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, "Close notice: Whose keys do you know?"));
    *asks &= !close.clicked();
}

/// What a notice says, read out by screen readers as it comes.
fn said_ui(ui: &mut Ui, theme: &Theme, message: &Message) {
    let text = ui.label(RichText::new(&message.text).color(theme.text));
    ui.ctx().accesskit_node_builder(text.id, |node| node.set_live(egui::accesskit::Live::Polite));
    if let Some(detail) = &message.detail {
        ui.label(RichText::new(detail).size(theme::SMALL).color(theme.text_dim));
    }
}

/// One notice; answers whether it is closed.
fn notice_ui(ui: &mut Ui, theme: &Theme, message: &Message, key: &str) -> bool {
    let mut closed = false;
    framed(ui, theme, |ui| {
        let (name, color, said) = match message {
            Message { is_error: true, .. } => ("circle-alert", theme.error, "Error"),
            Message { is_warning: true, .. } => ("triangle-alert", theme.warn, "Warning"),
            _ => ("check", theme.add, "Done"),
        };
        icon::sign(ui, name, 14.0, color, said);
        ui.vertical(|ui| {
            ui.set_max_width(text_width(ui));
            let height = text_height(ui);
            egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).show(ui, |ui| said_ui(ui, theme, message));
        });
        let close = widget::icon_button(ui, theme, "x", "Close", key, 18.0);
        close.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, format!("Close notice: {}", message.text)));
        closed = close.clicked();
    });
    closed
}
