//! The colour in the hand: picker, hex, the palette, the map's most used colours.

use egui::{TextEdit, Ui};

use crate::document::{OptionValue, Palette};
use crate::editor::{Action, Editor};
use crate::format::{OptionKind, map_format};
use crate::ui::color_picker::{Hsv, color_picker_ui};
use crate::ui::shell::{Shell, UiAction};
use crate::ui::theme::{self, Theme};
use crate::ui::widget;
use crate::voxel::Rgb;

/// A small palette of earth, stone, plants, water, wood, brick and the team colours.
const PALETTE: [u32; 36] = [
    0x3a2a1c, 0x5a4028, 0x7a5c3e, 0x9c7a52, 0xc2a276, 0xe2cda0, 0x24401e, 0x34602a, 0x4a7f36, 0x6a9c48, 0x92b868, 0xbcd494, 0x2c2c2e,
    0x4a4a4c, 0x6c6c6e, 0x909092, 0xb8b8ba, 0xececec, 0x102a44, 0x1c4c74, 0x2e74a8, 0x5aa2cc, 0x96cae2, 0xd2ecf6, 0x54241c, 0x86382a,
    0xb4523a, 0xd8805a, 0xe8b04a, 0xf2dc80, 0x0000ff, 0x00c800, 0x8a2be2, 0xd0208c, 0xff4030, 0xffffff,
];

/// Content of the colour section.
pub fn color_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let color = editor.tool.settings.color;
    let mut picked = color;
    if shell.hsv.rgb() != color {
        shell.hsv = Hsv::of(color, shell.hsv);
    }
    if color_picker_ui(ui, theme, &mut shell.hsv) {
        picked = shell.hsv.rgb();
    }
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(egui::vec2(44.0, 22.0), egui::Sense::hover());
        ui.painter().rect_filled(rect, theme::RADIUS, theme::color32(color));
        hex_ui(ui, color, shell, &mut picked);
        for (label, channel) in [("R", 0), ("G", 1), ("B", 2)] {
            let mut parts = picked.to_array();
            let name = ui.small(label);
            if ui.add(egui::DragValue::new(&mut parts[channel]).range(0..=255)).labelled_by(name.id).changed() {
                picked = Rgb::new(parts[0], parts[1], parts[2]);
            }
            ui.spacing_mut().item_spacing.x = 4.0;
        }
    });
    ui.add_space(2.0);
    match editor.active().map(|open| &open.document().palette).filter(|palette| !palette.is_empty()) {
        Some(palette) => {
            names_ui(ui, theme, palette, &mut shell.palette_filter, color, &mut picked);
            folders_ui(ui, theme, editor, shell, out);
        }
        None => swatches_ui(ui, theme, PALETTE.into_iter().map(rgb), color, &mut picked),
    }
    let most_used = editor.active().map_or(&[][..], |open| open.most_used_colors());
    if !most_used.is_empty() {
        widget::hint(ui, theme, "Most used in this map");
        swatches_ui(ui, theme, most_used.iter().copied(), color, &mut picked);
    }
    if !shell.recent_colors.is_empty() {
        widget::hint(ui, theme, "Lately used");
        swatches_ui(ui, theme, shell.recent_colors.clone().into_iter(), color, &mut picked);
    }
    if picked != color {
        let mut settings = editor.tool.settings.clone();
        settings.color = picked;
        out.push(UiAction::SetTools(Box::new(settings)));
    }
}

fn rgb(value: u32) -> Rgb {
    let [_, r, g, b] = value.to_be_bytes();
    Rgb::new(r, g, b)
}

fn hex_ui(ui: &mut Ui, color: Rgb, shell: &mut Shell, picked: &mut Rgb) {
    let edit = TextEdit::singleline(&mut shell.hex).desired_width(64.0).font(egui::TextStyle::Monospace).hint_text("#rrggbb");
    let response = ui.add(edit);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Color as #rrggbb"));
    if (response.lost_focus() || response.changed())
        && let Ok(typed) = shell.hex.parse()
    {
        *picked = typed;
    }
    if !response.has_focus() {
        shell.hex = color.to_string();
    }
}

/// The colours that mean something in this map, by name; the list holds those that fit what is looked for.
fn names_ui(ui: &mut Ui, theme: &Theme, palette: &Palette, filter: &mut String, active: Rgb, picked: &mut Rgb) {
    let named = palette.name_of(active).map_or_else(
        || palette.nearest(active).map_or_else(String::new, |near| format!("no tile has this color; saved as {}", near.name)),
        str::to_owned,
    );
    widget::hint(ui, theme, &named);
    let edit = ui.add(TextEdit::singleline(filter).desired_width(f32::INFINITY).hint_text("Find a tile"));
    edit.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Find a tile"));
    let wanted = filter.trim().to_lowercase();
    let found: Vec<_> = palette.swatches().iter().filter(|swatch| swatch.name.to_lowercase().contains(&wanted)).collect();
    egui::ScrollArea::vertical().id_salt("tiles").max_height(150.0).auto_shrink([false, true]).show_rows(
        ui,
        21.0,
        found.len(),
        |ui, rows| {
            for swatch in found.get(rows).unwrap_or_default() {
                ui.horizontal(|ui| {
                    if widget::swatch(ui, theme, swatch.color, swatch.color == active, 18.0).clicked()
                        | ui.selectable_label(swatch.color == active, &*swatch.name).clicked()
                    {
                        *picked = swatch.color;
                    }
                });
            }
        },
    );
}

/// Folders that the map's format reads: where its colors come from.
fn folders_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let format = editor.active().and_then(|open| open.document().source.as_ref()).and_then(|source| map_format(source.format));
    let Some(format) = format else { return };
    for spec in format.options().iter().filter(|spec| spec.kind == OptionKind::Folder) {
        let now = match editor.settings.read_options.get(format.id()).and_then(|options| options.get(spec.name)) {
            Some(OptionValue::Text(path)) => path.as_str(),
            _ => "",
        };
        ui.horizontal(|ui| {
            let name = ui.label("Colors from").on_hover_text(spec.help);
            let draft = shell.folder_draft.get_or_insert_with(|| now.to_owned());
            let edit = TextEdit::singleline(draft).desired_width(150.0).hint_text("folder Resources of the game");
            let response = ui.add(edit).labelled_by(name.id);
            let entered = response.lost_focus() && ui.input(|input| input.key_pressed(egui::Key::Enter));
            if (ui.button("Use").clicked() || entered) && draft.trim() != now {
                let value = draft.trim().to_owned();
                out.push(UiAction::Do(Action::SetReadOption { format: format.id(), option: spec.name, value }));
            }
        });
        widget::hint(ui, theme, if now.is_empty() { "Tiles have built-in colors" } else { "Tiles have the colors of their textures" });
    }
}

fn swatches_ui(ui: &mut Ui, theme: &Theme, colors: impl Iterator<Item = Rgb>, active: Rgb, picked: &mut Rgb) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::Vec2::splat(2.0);
        for color in colors {
            if widget::swatch(ui, theme, color, color == active, 21.0).clicked() {
                *picked = color;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use egui::Color32;

    use super::*;

    #[test]
    fn swatch_numbers_are_red_green_blue() {
        assert_eq!(rgb(0x3a2a1c), Rgb::new(0x3a, 0x2a, 0x1c));
        assert_eq!(theme::color32(rgb(0x00c800)), Color32::from_rgb(0, 200, 0));
    }
}
