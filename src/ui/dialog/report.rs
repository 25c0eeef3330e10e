//! What goes along with the report of a problem: every part can be looked into and left out.

use std::sync::Arc;

use egui::{RichText, ScrollArea, Ui};

use super::{buttons, title};
use crate::document::size_text;
use crate::editor::problem_report::{PartKind, ReportPart};
use crate::ui::file_dialogs::FileQuestion;
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};
use crate::ui::widget;

/// Bytes of a part that are shown.
const MOST_SHOWN: usize = 64 << 10;

/// The parts, and which of them were chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportForm {
    parts: Vec<(ReportPart, bool)>,
    /// Place of the part that is looked into.
    shown: Option<usize>,
}

impl ReportForm {
    /// Begins with what tells nothing of the user's maps.
    pub fn new(parts: Vec<ReportPart>) -> Self {
        let chosen = |part: ReportPart| {
            let is_usual = part.kind.is_usual();
            (part, is_usual)
        };
        Self { parts: parts.into_iter().map(chosen).collect(), shown: None }
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
        title(ui, theme, "Report a problem");
        ui.set_min_width(520.0);
        ui.label("This is written to a file. Nothing is sent: you add the file to your report.");
        ui.add_space(8.0);
        ScrollArea::vertical().id_salt("parts").max_height(220.0).auto_shrink([false, true]).show(ui, |ui| {
            for (index, (part, is_chosen)) in self.parts.iter_mut().enumerate() {
                if part.kind == PartKind::LeftOut {
                    widget::hint(ui, theme, part.kind.label());
                    ui.label(RichText::new(String::from_utf8_lossy(&part.bytes).trim_end()).size(theme::SMALL).color(theme.warn));
                    continue;
                }
                ui.horizontal(|ui| {
                    widget::checkbox(ui, is_chosen, &part.name);
                    ui.label(RichText::new(size_text(part.size_bytes())).size(theme::SMALL).color(theme.text_dim));
                    let is_shown = self.shown == Some(index);
                    let does = if is_shown { "Hide" } else { "Look inside" };
                    let link = ui.link(does);
                    link.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Link, true, format!("{does} {}", part.name)));
                    if link.clicked() {
                        self.shown = (!is_shown).then_some(index);
                    }
                });
                widget::hint(ui, theme, part.kind.label());
            }
        });
        if let Some((part, _)) = self.shown.and_then(|index| self.parts.get(index)) {
            ui.separator();
            let bytes = part.bytes.get(..MOST_SHOWN).unwrap_or(&part.bytes);
            let mut text = readable(bytes);
            if (bytes.len() as u64) < part.size_bytes() {
                text.push_str("\n… and so on");
            }
            ScrollArea::both().id_salt("inside").max_height(200.0).auto_shrink([false, true]).show(ui, |ui| {
                ui.add(egui::Label::new(RichText::new(text).monospace().size(theme::SMALL).color(theme.text_dim)).extend());
            });
        }
        match buttons(ui, theme, &["Choose file…", "Cancel"]) {
            Some(0) => {
                let has_journal =
                    self.parts.iter().any(|(part, is_chosen)| *is_chosen && matches!(part.kind, PartKind::Journal | PartKind::Copy));
                // What is missing of the journals is told where they are.
                let goes = |(part, is_chosen): &&(ReportPart, bool)| *is_chosen || (has_journal && part.kind == PartKind::LeftOut);
                let parts: Arc<[_]> = self.parts.iter().filter(goes).map(|(part, _)| part.clone()).collect();
                out.extend([UiAction::CloseDialog, UiAction::AskFile(FileQuestion::Report { parts })]);
            }
            Some(_) => out.push(UiAction::CloseDialog),
            None => {}
        }
    }
}

/// Bytes as text, with a dot for each run of what is none: numbers, and where a long file is cut.
fn readable(bytes: &[u8]) -> String {
    let is_none = |letter: char| letter == char::REPLACEMENT_CHARACTER || (letter.is_control() && !matches!(letter, '\n' | '\r' | '\t'));
    let mut text = String::with_capacity(bytes.len());
    let mut was_none = false;
    for letter in String::from_utf8_lossy(bytes).chars() {
        match is_none(letter) {
            true if was_none => {}
            true => text.push('·'),
            false => text.push(letter),
        }
        was_none = is_none(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_shown_as_a_dot() {
        assert_eq!(readable("Grüße\n\tund mehr".as_bytes()), "Grüße\n\tund mehr");
        assert_eq!(readable(b"SPJ\x00\x01\xff\xfe{\"set\"}\x00"), "SPJ·{\"set\"}·");
    }
}
