//! Options of a format, as its registry entry describes them: before saving, importing and exporting.

use egui::{ComboBox, DragValue, RichText, TextEdit, Ui};

use super::{buttons, title};
use crate::document::{OptionValue, Options, Snapshot, sentence};
use crate::editor::{Action, SaveOrder};
use crate::format::{MapFormat, OptionKind, OptionSpec};
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};
use crate::ui::widget::{self, ListByKeys as _};

/// A save that waits for the options of its format.
#[derive(Clone, Debug, PartialEq)]
pub struct SaveOptionsForm {
    /// The save; its path is set.
    pub order: SaveOrder,
    /// What was chosen so far.
    pub options: Options,
    /// Id of the format.
    pub format: &'static str,
    /// What is asked about.
    pub asked: Vec<OptionSpec>,
}

impl SaveOptionsForm {
    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
        let Some(format) = crate::format::map_format(self.format) else { return out.push(UiAction::CloseDialog) };
        title(ui, theme, &format!("Save as {}", format.label()));
        options_ui(ui, theme, &self.asked, &mut self.options);
        match buttons(ui, theme, &["Save", "Cancel"]) {
            Some(0) => {
                let order = SaveOrder { options: Some(self.options.clone()), ..self.order.clone() };
                out.extend([UiAction::CloseDialog, UiAction::Do(Action::SaveAs(order))]);
            }
            Some(_) => out.push(UiAction::CloseDialog),
            None => {}
        }
    }
}

/// The options that a mapper is asked about before a map is saved in a format.
pub fn asked(format: &dyn MapFormat, document: &Snapshot) -> Vec<OptionSpec> {
    let names = format.asked_when_saving(document);
    format.options().iter().filter(|option| names.contains(&option.name)).copied().collect()
}

/// One line for each option: a box to tick, a number, a choice or a text, with what it does below.
pub fn options_ui(ui: &mut Ui, theme: &Theme, specs: &[OptionSpec], options: &mut Options) {
    for spec in specs {
        match spec.kind {
            OptionKind::Bool { default } => {
                let mut on = if let Some(OptionValue::Bool(on)) = options.get(spec.name) { *on } else { default };
                if widget::checkbox(ui, &mut on, label(spec.name)).changed() {
                    options.insert(spec.name.into(), OptionValue::Bool(on));
                }
            }
            OptionKind::Int { min, max, default } => {
                let mut number = if let Some(OptionValue::Int(number)) = options.get(spec.name) { *number } else { default };
                ui.horizontal(|ui| {
                    let name = ui.label(label(spec.name));
                    if widget::number_field(ui, DragValue::new(&mut number).range(min..=max)).labelled_by(name.id).changed() {
                        options.insert(spec.name.into(), OptionValue::Int(number));
                    }
                });
            }
            OptionKind::Choice { choices } => {
                let chosen = if let Some(OptionValue::Text(chosen)) = options.get(spec.name) { chosen.clone() } else { String::new() };
                let named =
                    |word: &str| choices.iter().find(|(choice, _)| *choice == word).or(choices.first()).map_or("", |(_, name)| *name);
                let mut picked = None;
                ui.horizontal(|ui| {
                    let name = ui.label(label(spec.name));
                    let list = ComboBox::from_id_salt(spec.name).selected_text(named(&chosen)).show_list(ui, |ui| {
                        for (choice, name) in choices {
                            if ui.selectable_label(named(&chosen) == *name, *name).clicked() {
                                picked = Some((*choice).to_owned());
                            }
                        }
                    });
                    list.response.labelled_by(name.id);
                });
                if let Some(picked) = picked {
                    options.insert(spec.name.into(), OptionValue::Text(picked));
                }
            }
            OptionKind::Text { .. } | OptionKind::Curve { .. } | OptionKind::Folder => {
                let mut text = text_of(spec, options);
                ui.horizontal(|ui| {
                    let name = ui.label(label(spec.name));
                    if ui.add(TextEdit::singleline(&mut text).desired_width(220.0)).labelled_by(name.id).changed() {
                        options.insert(spec.name.into(), OptionValue::Text(text));
                    }
                });
            }
        }
        ui.label(RichText::new(spec.help).size(theme::SMALL).color(theme.text_faint));
        ui.add_space(4.0);
    }
}

/// The text that an option has, or would have by itself.
pub fn text_of(spec: &OptionSpec, options: &Options) -> String {
    match (options.get(spec.name), spec.kind) {
        (Some(OptionValue::Text(text)), _) => text.clone(),
        (_, OptionKind::Text { default } | OptionKind::Curve { default }) => default.to_owned(),
        _ => String::new(),
    }
}

/// `protect-floor` as a person reads it: `Protect floor`.
fn label(name: &str) -> String {
    sentence(&name.replace('-', " "))
}
