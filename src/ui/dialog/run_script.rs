//! Where a script runs, and under which symmetry.

use std::path::PathBuf;

use egui::{ComboBox, Ui};
use glam::IVec3;

use super::{buttons, title};
use crate::document::SymmetryKind;
use crate::edit::ReplayPlace;
use crate::editor::{Action, Editor, ScriptOrder};
use crate::geom::VoxelPos;
use crate::terrain::Unit;
use crate::ui::shell::UiAction;
use crate::ui::theme::Theme;
use crate::ui::widget::{self, ListByKeys as _};

/// Farthest that the numbers go.
const FARTHEST: i32 = 4096;
/// What stands in the list for no symmetry of its own.
const OF_THE_MAP: &str = "As the map has it";

/// Where the script's places come to lie.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Place {
    #[default]
    Moved,
    Selection,
    Pointer,
}

/// The script and what was chosen so far.
#[derive(Clone, Debug, PartialEq)]
pub struct RunScriptForm {
    path: PathBuf,
    /// What was under the pointer when the script was asked for.
    pointer: Option<VoxelPos>,
    place: Place,
    by: [i32; 3],
    symmetry: Option<SymmetryKind>,
}

impl RunScriptForm {
    /// A script that runs where it was recorded.
    pub fn new(path: PathBuf, pointer: Option<VoxelPos>) -> Self {
        Self { path, pointer, place: Place::default(), by: [0; 3], symmetry: None }
    }

    pub(super) fn ui(&mut self, ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        title(ui, theme, &format!("Run {name}"));
        let selection = editor.active().and_then(|open| open.document().selection.as_ref()).map(|selection| selection.bounds().min());
        ui.horizontal(|ui| {
            let choices = [
                (Place::Moved, "Where it was recorded", true),
                (Place::Selection, "At the selection", selection.is_some()),
                (Place::Pointer, "At the pointer", self.pointer.is_some()),
            ];
            for (place, label, possible) in choices {
                ui.add_enabled_ui(possible, |ui| {
                    if widget::segment(ui, theme, label, theme.accent, self.place == place).clicked() {
                        self.place = place;
                    }
                });
            }
        });
        ui.add_space(4.0);
        // Both kinds take as much room, so that nothing moves when another one is chosen.
        ui.allocate_ui(egui::vec2(ui.available_width(), 24.0), |ui| match self.place {
            Place::Moved => {
                ui.horizontal(|ui| {
                    for (label, by) in ["East", "South", "Down"].into_iter().zip(&mut self.by) {
                        widget::number(ui, label, by, -FARTHEST..=FARTHEST, Unit::Plain);
                    }
                });
            }
            Place::Selection | Place::Pointer => {
                widget::hint(ui, theme, "The first place that the script names comes to lie there, the others beside it");
            }
        });
        ui.horizontal(|ui| {
            let label = ui.label("Symmetry");
            let shown = |symmetry: Option<SymmetryKind>| symmetry.map_or(OF_THE_MAP, SymmetryKind::label);
            let combo = ComboBox::from_id_salt("symmetry of the script").selected_text(shown(self.symmetry)).width(150.0).height(300.0);
            let response = combo.show_list(ui, |ui| {
                for symmetry in std::iter::once(None).chain(SymmetryKind::ALL.map(Some)) {
                    ui.selectable_value(&mut self.symmetry, symmetry, shown(symmetry));
                }
            });
            response.response.labelled_by(label.id).on_hover_text("About the middle of the map; afterwards the map's own is back");
        });
        widget::hint(ui, theme, "Each of its steps can be undone by itself. What falls outside the map is left out and counted.");
        match buttons(ui, theme, &["Run", "Cancel"]) {
            Some(0) => {
                let at = match self.place {
                    Place::Moved => None,
                    Place::Selection => selection,
                    Place::Pointer => self.pointer,
                };
                let place = at.map_or(ReplayPlace::By(IVec3::from(self.by)), ReplayPlace::At);
                let order = ScriptOrder { place, symmetry: self.symmetry, ..ScriptOrder::new(self.path.clone()) };
                out.extend([UiAction::CloseDialog, UiAction::Do(Action::RunScript(order))]);
            }
            Some(_) => out.push(UiAction::CloseDialog),
            None => {}
        }
    }
}
