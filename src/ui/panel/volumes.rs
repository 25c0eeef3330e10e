//! Which volume of the map is looked at and edited, where there are several: the grids of a station.

use egui::{ComboBox, Ui};

use crate::edit::{Command, ops};
use crate::editor::{Action, Editor};
use crate::geom::CameraView;
use crate::ui::shell::UiAction;
use crate::ui::theme::Theme;
use crate::ui::widget::{self, ListByKeys as _};

/// The choice; nothing where there is none.
pub fn volumes_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, out: &mut Vec<UiAction>) {
    let Some(document) = editor.active().map(|open| open.document()).filter(|document| document.volumes().len() > 1) else { return };
    let word = document.profile.volume_label;
    let mut chosen = document.active();
    ui.horizontal_centered(|ui| {
        let name = ui.label(word);
        let combo = ComboBox::from_id_salt("volumes").selected_text(document.active_volume().title().to_string()).width(220.0);
        let response = combo.show_list(ui, |ui| {
            for (number, volume) in document.volumes().iter().enumerate() {
                let size = volume.store.bounds().size();
                let text = format!("{} · {}×{} · {} tiles", volume.title(), size.x, size.y, volume.store.solid_count());
                ui.selectable_value(&mut chosen, number, text);
            }
        });
        response.response.labelled_by(name.id);
        let size = document.bounds().size();
        let count = document.volumes().len();
        widget::hint(ui, theme, &format!("{}×{}, one of {count}; edits go to this one, the others stay as they are", size.x, size.y));
    });
    if chosen != document.active() {
        out.push(UiAction::Do(Action::Edit(Command::SelectVolume(ops::SelectVolume { volume: chosen }))));
        out.extend([UiAction::View(CameraView::Top), UiAction::Invoke("frame-map")]);
    }
}
