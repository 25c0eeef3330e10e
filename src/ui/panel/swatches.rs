//! The palette beside the map: its colours to be taken, dragged, added and removed, and its files.

use egui::{Response, ScrollArea, Sense, Stroke, Ui};

use crate::document::Swatch;
use crate::editor::keymap::Keymap;
use crate::editor::{Action, Editor, SwatchEdit};
use crate::ui::file_dialogs::FileQuestion;
use crate::ui::shell::{Shell, UiAction};
use crate::ui::theme::{self, Theme};
use crate::ui::widget;
use crate::voxel::Rgb;

/// Side of a colour in points, and the gap between two.
const SIDE: f32 = 21.0;
const GAP: f32 = 2.0;
/// Rows that are shown at once.
const ROWS: u8 = 5;

/// What makes the palette as a map begins with it.
const BACK: &str = "Back to the first palette";
/// What takes back the last change of the palette; Ctrl+Z is the map's.
const UNDO: &str = "Undo the last change of the palette";

/// What is dragged over the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dragged {
    /// A colour of the palette, by its place.
    Swatch(usize),
    /// A colour from elsewhere.
    Color(Rgb),
}

/// The colours and the row of buttons below them.
pub fn palette_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, picked: &mut Rgb, out: &mut Vec<UiAction>) {
    let swatches = editor.swatches();
    // The colour before anything was clicked in this frame.
    let active = editor.tool.settings.color;
    let can_edit = editor.active().is_some();
    let columns = ((ui.available_width() + GAP) / (SIDE + GAP)).floor().max(1.0) as usize;
    let rows = swatches.len().div_ceil(columns);
    let height = f32::from(ROWS) * (SIDE + GAP);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = egui::Vec2::splat(GAP);
        // A row is as high as its colors, or those that are not shown would be counted wrongly.
        ui.spacing_mut().interact_size.y = SIDE;
        ScrollArea::vertical().id_salt("palette").max_height(height).auto_shrink([false, true]).show_rows(ui, SIDE, rows, |ui, rows| {
            for row in rows {
                ui.horizontal(|ui| {
                    for (index, swatch) in swatches.iter().enumerate().skip(row * columns).take(columns) {
                        let response = swatch_ui(ui, theme, &shell.keymap, swatch, index, active, can_edit);
                        if can_edit {
                            edits_ui(ui, theme, &response, index, active, editor.can_undo_swatches(), out);
                        }
                        if response.clicked() && !(can_edit && ui.input(|input| input.modifiers.command)) {
                            *picked = swatch.color;
                        }
                    }
                });
            }
        });
    });
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        let Some(document) = editor.active().map(|open| open.id()) else { return };
        let add = widget::icon_button(ui, theme, "plus", "Add the color to the palette", "", SIDE);
        if add.clicked() {
            out.push(edit(SwatchEdit::Insert { at: swatches.len(), color: active }));
        }
        if let Some(dragged) = add.dnd_release_payload::<Dragged>() {
            out.push(dropped(*dragged, swatches.len()));
        }
        if widget::icon_button(ui, theme, "folder-open", "Open palette", "", SIDE).clicked() {
            out.push(UiAction::AskFile(FileQuestion::OpenPalette { document }));
        }
        if widget::icon_button(ui, theme, "save", "Save palette", "", SIDE).clicked() {
            out.push(UiAction::AskFile(FileQuestion::SavePalette { document }));
        }
        ui.add_enabled_ui(editor.can_undo_swatches(), |ui| {
            if widget::icon_button(ui, theme, "undo-2", UNDO, "", SIDE).clicked() {
                out.push(edit(SwatchEdit::Undo));
            }
        });
        // A menu stands before what forgets a palette; without colors there is no menu, and nothing to be lost.
        let is_emptied = swatches.is_empty() && editor.active().is_some_and(|open| open.document().palette.is_empty());
        if is_emptied && widget::icon_button(ui, theme, "rotate-ccw", BACK, "", SIDE).clicked() {
            out.push(edit(SwatchEdit::Reset));
        }
        let more = widget::icon_toggle(ui, theme, "blend", "Harmonies, ramps and team colors", "", shell.more_colors, SIDE);
        if more.clicked() {
            shell.more_colors = !shell.more_colors;
        }
    });
}

/// A colour of the palette, to be dragged to another place.
fn swatch_ui(ui: &mut Ui, theme: &Theme, keymap: &Keymap, swatch: &Swatch, index: usize, active: Rgb, can_edit: bool) -> Response {
    let sense = if can_edit { Sense::click_and_drag() } else { Sense::click() };
    let color = swatch.color;
    let name = if swatch.name.is_empty() { color.to_string() } else { format!("{} {color}", swatch.name) };
    let response = widget::named_swatch(ui, theme, color, &name, color == active, SIDE, sense);
    response.clone().on_hover_ui(|ui| {
        let key = keymap.shown(&format!("swatch-{}", index + 1));
        let help = can_edit.then_some("Drag to move it, Ctrl+click or Delete to remove it, right click or the Menu key for more");
        widget::tooltip(ui, theme, &name, &key, help);
    });
    response
}

/// What else can be done to a colour of the palette.
fn edits_ui(ui: &Ui, theme: &Theme, response: &Response, index: usize, active: Rgb, can_undo: bool, out: &mut Vec<UiAction>) {
    let is_deleted = || response.has_focus() && ui.input_mut(|input| input.consume_key(egui::Modifiers::NONE, egui::Key::Delete));
    if (response.clicked() && ui.input(|input| input.modifiers.command)) || is_deleted() {
        out.push(edit(SwatchEdit::Remove(index)));
    }
    response.dnd_set_drag_payload(Dragged::Swatch(index));
    if response.dnd_hover_payload::<Dragged>().is_some() {
        let edge = response.rect.left() - GAP / 2.0;
        ui.painter().vline(edge, response.rect.y_range(), Stroke::new(2.0, theme.accent));
    }
    if let Some(dragged) = response.dnd_release_payload::<Dragged>() {
        out.push(dropped(*dragged, index));
    }
    widget::context_menu(response, |ui| {
        for (label, change) in [
            ("Move to the left", SwatchEdit::Move { from: index, to: index.saturating_sub(1) }),
            ("Move to the right", SwatchEdit::Move { from: index, to: index + 1 }),
            ("Put the color in the hand here", SwatchEdit::Replace { at: index, color: active }),
            ("Remove", SwatchEdit::Remove(index)),
            (BACK, SwatchEdit::Reset),
        ] {
            if ui.button(label).clicked() {
                out.push(edit(change));
                ui.close();
            }
        }
        if ui.add_enabled(can_undo, egui::Button::new(UNDO)).clicked() {
            out.push(edit(SwatchEdit::Undo));
            ui.close();
        }
    });
}

/// Lets a colour that stands elsewhere be dragged into the palette.
pub fn drag_color(response: &Response, color: Rgb) {
    response.dnd_set_drag_payload(Dragged::Color(color));
}

/// The square with the colour in the hand.
pub fn hand_ui(ui: &mut Ui, color: Rgb) {
    let (rect, response) = ui.allocate_exact_size(egui::vec2(34.0, 22.0), Sense::drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ColorWell, true, "Color in the hand"));
    drag_color(&response, color);
    widget::color_rect(ui, rect, theme::RADIUS, color);
    response.on_hover_text("Drag it into the palette");
}

fn edit(change: SwatchEdit) -> UiAction {
    UiAction::Do(Action::EditSwatches(change))
}

fn dropped(dragged: Dragged, at: usize) -> UiAction {
    edit(match dragged {
        Dragged::Swatch(from) => SwatchEdit::Move { from, to: at },
        Dragged::Color(color) => SwatchEdit::Insert { at, color },
    })
}
