//! The colour in the hand: picker, hex, what tiles are called, the map's most used colours. The palette is `swatches`.

use egui::{TextEdit, Ui};

use super::{more_colors, swatches};
use crate::document::{OptionValue, Palette};
use crate::editor::{Action, Editor};
use crate::format::{OptionKind, map_format};
use crate::ui::color_picker::{HEIGHTS, Hsv, color_picker_ui};
use crate::ui::shell::{Shell, UiAction};
use crate::ui::theme::Theme;
use crate::ui::widget;
use crate::voxel::Rgb;

/// Above and below the content.
const MARGIN: f32 = 12.0;
/// Side of a color in a row of them.
const SWATCH: f32 = 21.0;

/// Content of the colour section.
pub fn color_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let color = editor.tool.settings.color;
    let mut picked = color;
    if shell.hsv.rgb() != color {
        shell.hsv = Hsv::of(color, shell.hsv);
    }
    // In a low panel the square gives its height to what can be seen whole then, the palette and its buttons first.
    let room = ui.clip_rect().height() - MARGIN;
    let [palette, ..] = shell.color_rests;
    // With more rows it gives them what it can: it must not grow because less of the rest is counted.
    let rests = if shell.more_colors { &shell.color_rests[2..] } else { &shell.color_rests[..] };
    let rest = rests.iter().copied().rfind(|rest| room - rest >= HEIGHTS.0).unwrap_or(if shell.more_colors { room } else { palette });
    let height = (room - rest).clamp(HEIGHTS.0, HEIGHTS.1);
    let top = ui.cursor().top();
    if color_picker_ui(ui, theme, &mut shell.hsv, height) {
        picked = shell.hsv.rgb();
    }
    ui.horizontal(|ui| {
        swatches::hand_ui(ui, color);
        hex_ui(ui, color, shell, &mut picked);
        for (label, channel) in [("R", 0), ("G", 1), ("B", 2)] {
            let mut parts = picked.to_array();
            let name = ui.small(label);
            if widget::number_field(ui, egui::DragValue::new(&mut parts[channel]).range(0..=255)).labelled_by(name.id).changed() {
                picked = Rgb::new(parts[0], parts[1], parts[2]);
            }
            ui.spacing_mut().item_spacing.x = 4.0;
        }
    });
    ui.add_space(2.0);
    if let Some(palette) = editor.active().map(|open| &open.document().palette).filter(|palette| !palette.is_empty()) {
        names_ui(ui, theme, palette, &mut shell.palette_filter, color, &mut picked);
        folders_ui(ui, theme, editor, shell, out);
    }
    swatches::palette_ui(ui, theme, editor, shell, &mut picked, out);
    let so_far = |ui: &Ui| ui.min_rect().bottom() - top - height;
    let to_palette = so_far(ui);
    if shell.more_colors {
        more_colors::more_ui(ui, theme, editor, shell, &mut picked, out);
    }
    let most_used = editor.active().map_or(&[][..], |open| open.most_used_colors());
    if !most_used.is_empty() {
        widget::hint(ui, theme, "Most used in this map");
        swatches_ui(ui, theme, most_used.iter().copied(), color, &mut picked);
    }
    let to_most_used = so_far(ui);
    widget::hint(ui, theme, "Lately used");
    if shell.recent_colors.is_empty() {
        // The room of the first one: nothing moves when it comes.
        ui.allocate_space(egui::Vec2::splat(SWATCH));
    } else {
        swatches_ui(ui, theme, shell.recent_colors.clone().into_iter(), color, &mut picked);
    }
    let rests = [to_palette, to_most_used, so_far(ui)];
    if rests.iter().zip(shell.color_rests).any(|(now, before)| (now - before).abs() > 0.5) {
        shell.color_rests = rests;
        ui.ctx().request_repaint();
    }
    if picked != color {
        let mut settings = editor.tool.settings.clone();
        settings.color = picked;
        out.push(UiAction::SetTools(Box::new(settings)));
    }
}

fn hex_ui(ui: &mut Ui, color: Rgb, shell: &mut Shell, picked: &mut Rgb) {
    let edit = TextEdit::singleline(&mut shell.hex).desired_width(72.0).font(egui::TextStyle::Monospace).hint_text("#rrggbb");
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
                    let picture = widget::swatch(ui, theme, swatch.color, swatch.color == active, 18.0);
                    // The row takes a click over its whole width, not on the letters only.
                    let row = egui::Layout::left_to_right(egui::Align::Center).with_main_justify(true);
                    let label = ui.with_layout(row.with_main_align(egui::Align::Min), |ui| {
                        ui.add(egui::Button::selectable(swatch.color == active, &*swatch.name).truncate())
                    });
                    if picture.clicked() | label.inner.clicked() {
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
            let response =
                widget::named_swatch(ui, theme, color, &color.to_string(), color == active, SWATCH, egui::Sense::click_and_drag());
            swatches::drag_color(&response, color);
            if response.on_hover_text(color.to_string()).clicked() {
                *picked = color;
            }
        }
    });
}
