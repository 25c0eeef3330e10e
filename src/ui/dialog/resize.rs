//! Size and place of the whole map.

use egui::{DragValue, Ui};
use glam::IVec3;

use super::{buttons, title};
use crate::edit::{Command, ops};
use crate::editor::Action;
use crate::geom::Region;
use crate::terrain::Unit;
use crate::ui::shell::UiAction;
use crate::ui::theme::Theme;
use crate::ui::widget;

/// The map's new size, with what is added or cut on the west and north sides, and where layers come or go.
#[derive(Clone, Debug, PartialEq)]
pub struct ResizeForm {
    bounds: Region,
    size: [i32; 2],
    shift: [i32; 2],
    layers: i32,
    at_bottom: bool,
}

impl ResizeForm {
    /// Starts with the size that the map has.
    pub fn new(bounds: Region) -> Self {
        Self { bounds, size: [bounds.size().x, bounds.size().y], shift: [0, 0], layers: bounds.size().z, at_bottom: false }
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
        title(ui, theme, "Resize map");
        ui.horizontal(|ui| {
            ui.label("New size");
            for (name, side) in ["Columns from west to east", "Columns from north to south"].into_iter().zip(&mut self.size) {
                widget::named_number(ui, DragValue::new(side).range(1..=4096).suffix(" columns"), name);
            }
            // A map of one layer is a floor of a station, which stays flat.
            if self.bounds.size().z > 1 {
                widget::named_number(ui, DragValue::new(&mut self.layers).range(1..=4096).suffix(" layers"), "Layers");
            }
        });
        ui.horizontal(|ui| {
            ui.label("Columns added in the west and north");
            for (name, shift) in ["Columns added in the west", "Columns added in the north"].into_iter().zip(&mut self.shift) {
                widget::named_number(ui, DragValue::new(shift).range(-4096..=4096), name);
            }
        });
        if self.layers != self.bounds.size().z {
            ui.horizontal(|ui| {
                ui.label(if self.layers < self.bounds.size().z { "Layers are cut off at the" } else { "Layers are added at the" });
                for (name, is_bottom) in [("top", false), ("bottom", true)] {
                    if widget::segment(ui, theme, name, theme.accent, self.at_bottom == is_bottom).clicked() {
                        self.at_bottom = is_bottom;
                    }
                }
            });
        }
        if ui.button("Keep the map in the middle").clicked() {
            let now = self.bounds.size();
            self.shift = [(self.size[0] - now.x) / 2, (self.size[1] - now.y) / 2];
        }
        widget::hint(ui, theme, "Servers take 512×512 columns of 64 layers only");
        match buttons(ui, theme, &["Resize", "Cancel"]) {
            Some(0) => {
                let at_top = if self.at_bottom { 0 } else { self.layers - self.bounds.size().z };
                let min = self.bounds.min() - IVec3::new(self.shift[0], self.shift[1], at_top);
                let region = Region::new(min, min + IVec3::new(self.size[0], self.size[1], self.layers));
                out.extend([UiAction::CloseDialog, UiAction::Do(Action::Edit(Command::Resize(ops::Resize { region })))]);
            }
            Some(_) => out.push(UiAction::CloseDialog),
            None => {}
        }
    }
}

/// How far everything moves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShiftForm {
    by: [i32; 3],
    wrap: bool,
}

impl ShiftForm {
    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, out: &mut Vec<UiAction>) {
        title(ui, theme, "Shift map");
        ui.horizontal(|ui| {
            for (label, by) in ["East", "South", "Down"].into_iter().zip(&mut self.by) {
                widget::number(ui, label, by, -4096..=4096, Unit::Plain);
            }
        });
        widget::checkbox(ui, &mut self.wrap, "What leaves on one side comes back on the other");
        match buttons(ui, theme, &["Shift", "Cancel"]) {
            Some(0) => {
                let command = Command::Shift(ops::Shift { by: self.by.into(), wrap: self.wrap });
                out.extend([UiAction::CloseDialog, UiAction::Do(Action::Edit(command))]);
            }
            Some(_) => out.push(UiAction::CloseDialog),
            None => {}
        }
    }
}
