//! A new map: which generator, what size, which seed.

use egui::{DragValue, RichText, Ui};
use glam::IVec3;

use super::{buttons, title};
use crate::editor::{Action, NewMap};
use crate::terrain::{GENERATORS, Params};
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};
use crate::ui::widget;

/// What is filled in so far.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMapForm {
    generator: &'static str,
    size: [i32; 2],
    seed: u64,
}

impl NewMapForm {
    /// The game's size and the given seed.
    pub fn new(seed: u64) -> Self {
        Self { generator: GENERATORS.first().map_or("", |generator| generator.id()), size: [512, 512], seed }
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
        title(ui, theme, "New map");
        ui.set_min_width(420.0);
        egui::Grid::new("generators").num_columns(2).spacing([12.0, 6.0]).show(ui, |ui| {
            for generator in GENERATORS {
                let chosen = self.generator == generator.id();
                if widget::segment(ui, theme, generator.label(), theme.accent, chosen).clicked() {
                    self.generator = generator.id();
                }
                ui.label(RichText::new(generator.help()).size(theme::SMALL).color(theme.text_faint));
                ui.end_row();
            }
        });
        ui.add_space(8.0);
        ui.horizontal(|ui| {
            ui.label("Size");
            let [x, y] = &mut self.size;
            widget::named_number(ui, DragValue::new(x).range(16..=2048), "Columns from west to east");
            ui.label("×");
            widget::named_number(ui, DragValue::new(y).range(16..=2048), "Columns from north to south");
            ui.label("columns");
            if self.size != [512, 512] {
                widget::hint(ui, theme, "servers take 512×512 only");
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label("Seed");
            widget::number_field(ui, DragValue::new(&mut self.seed)).labelled_by(label.id);
            widget::hint(ui, theme, "the same seed gives the same map");
        });
        match buttons(ui, theme, &["Make map", "Cancel"]) {
            Some(0) => {
                let [x, y] = self.size;
                let params = Params { size: IVec3::new(x, y, 64), seed: self.seed, values: Default::default() };
                out.extend([UiAction::CloseDialog, UiAction::Do(Action::New(NewMap { generator: self.generator.into(), params }))]);
            }
            Some(_) => out.push(UiAction::CloseDialog),
            None => {}
        }
    }
}
