//! Options of the tools that make things: paths, land and stamps. Reads the editor, answers settings and actions.

use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, ComboBox, DragValue, FontId, Pos2, Rect, Sense, Ui, Vec2};

use super::color_field::ColorField;
use super::icon;
use super::shell::UiAction;
use super::theme::{self, Theme};
use super::widget::{self, ListByKeys as _};
use crate::edit::ops::{PathKind, StampAnchor};
use crate::editor::{Action, Drawn, Editor, LibraryEntry, StampPicture};
use crate::terrain::{GENERATORS, Kind, Setting, Unit, Value, generator};
use crate::tool::{PathSettings, StampSettings, TerrainSettings};
use crate::voxel::Rgb;

/// Side of a stamp's picture in the list, in points.
const PICTURE_POINTS: f32 = 40.0;
/// Least width of the list of stamps, in points.
const LIBRARY_WIDTH: f32 = 260.0;

/// Kind of path, and the numbers that mean something for it.
pub fn path_ui(ui: &mut Ui, theme: &Theme, settings: &mut PathSettings) {
    let combo = ComboBox::from_id_salt("path kind").selected_text(settings.kind.label()).width(76.0);
    let response = combo.show_list(ui, |ui| {
        for kind in PathKind::ALL {
            if ui.selectable_label(settings.kind == kind, kind.label()).clicked() {
                *settings = settings.switched(kind);
            }
        }
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Kind of path"));
    number(ui, "Width", &mut settings.width, 1..=64, Unit::Voxels, "Columns across");
    let help = match settings.kind {
        PathKind::Road => "Air above the road at least",
        PathKind::River => "Of the bed; 0 goes down to the water",
        PathKind::Bridge => "Height of the rails; 0 has none",
        PathKind::Tunnel | PathKind::Fence => "In voxels",
    };
    number(ui, settings.number_names().0, &mut settings.height, 0..=64, Unit::Voxels, help);
    more_ui(ui, "path", |ui| path_settings_ui(ui, theme, settings));
}

fn path_settings_ui(ui: &mut Ui, theme: &Theme, settings: &mut PathSettings) {
    match settings.kind {
        PathKind::Road | PathKind::River => {
            row(ui, |ui| number(ui, "Shoulder", &mut settings.shoulder, 0..=64, Unit::Voxels, "Columns in which it meets the land"));
        }
        PathKind::Bridge | PathKind::Fence => {
            let name = settings.number_names().1.unwrap_or("Every");
            row(ui, |ui| number(ui, name, &mut settings.spacing, 0..=256, Unit::Voxels, "Columns from one to the next; 0 has none"));
        }
        PathKind::Tunnel => {
            widget::checkbox(ui, &mut settings.arched, "Arched");
        }
    }
    let edge = match settings.kind {
        PathKind::Road | PathKind::River => return widget::hint(ui, theme, "It takes the color in use"),
        PathKind::Bridge => "Rails and pillars in another color",
        PathKind::Tunnel => "Walls in another color",
        PathKind::Fence => "Posts in another color",
    };
    let mut own = settings.edge_color.is_some();
    if widget::checkbox(ui, &mut own, edge).changed() {
        settings.edge_color = own.then_some(Rgb::new(0x6e, 0x64, 0x5a));
    }
    if let Some(color) = &mut settings.edge_color {
        let field = ColorField::new(edge);
        field.button_ui(ui, theme, *color);
        field.picker_ui(ui, theme, color);
    }
}

/// Which generator, its seed and its settings.
pub fn terrain_ui(ui: &mut Ui, theme: &Theme, settings: &mut TerrainSettings) {
    let label = ui.label("Make");
    let chosen = generator(settings.generator).map_or(settings.generator, |generator| generator.label());
    let combo = ComboBox::from_id_salt("generator").selected_text(chosen).width(120.0);
    let response = combo.show_list(ui, |ui| {
        for generator in GENERATORS {
            let option = ui.selectable_label(settings.generator == generator.id(), generator.label()).on_hover_text(generator.help());
            if option.clicked() {
                *settings = settings.switched(generator.id());
            }
        }
    });
    response.response.labelled_by(label.id);
    let label = ui.label("Seed");
    widget::number_field(ui, DragValue::new(&mut settings.seed)).labelled_by(label.id).on_hover_text("The same seed makes the same land");
    if widget::icon_button(ui, theme, "dices", "Another seed", "", 26.0).clicked() {
        settings.seed = settings.seed.wrapping_add(1);
    }
    more_ui(ui, "land", |ui| {
        for setting in generator(settings.generator).map_or(&[][..], |generator| generator.settings()) {
            setting_ui(ui, theme, setting, settings);
        }
        row(ui, |ui| number(ui, "Fade", &mut settings.fade, 0..=256, Unit::Voxels, "Columns in which it meets the land around the area"));
    });
}

/// What has no room in the row.
fn more_ui(ui: &mut Ui, id: &str, contents: impl FnOnce(&mut Ui)) {
    ui.push_id(id, |ui| widget::settings_button(ui, "Settings of the tool", "Settings", 80.0, contents));
}

fn row(ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
    ui.horizontal(contents);
}

fn setting_ui(ui: &mut Ui, theme: &Theme, setting: &Setting, settings: &mut TerrainSettings) {
    let value = settings.values.get(setting.id).cloned().unwrap_or_else(|| setting.kind.default_value());
    let field = ColorField::new(setting.label);
    let changed = ui.horizontal(|ui| {
        let label = ui.label(setting.label);
        match (&value, setting.kind) {
            (Value::Number(number), Kind::Number { min, max, unit, .. }) => {
                let mut number = *number;
                let after = unit.after(i64::from(number));
                let drag = DragValue::new(&mut number).range(min..=max).speed(0.3).suffix(after);
                let drag = widget::number_field(ui, drag).labelled_by(label.id).on_hover_text(setting.help);
                drag.changed().then_some(Value::Number(number))
            }
            (Value::Color(color), _) => {
                field.button_ui(ui, theme, *color);
                None
            }
            (Value::Number(_), Kind::Color { .. }) => None,
        }
    });
    let changed = match value {
        Value::Color(mut color) => field.picker_ui(ui, theme, &mut color).then_some(Value::Color(color)),
        Value::Number(_) => changed.inner,
    };
    if let Some(value) = changed {
        settings.values.insert(setting.id.to_owned(), value);
    }
}

/// Which stamp, how it stands, and how it is scattered.
pub fn stamp_ui(ui: &mut Ui, theme: &Theme, (editor, turn_key): (&Editor, &str), settings: &mut StampSettings, out: &mut Vec<UiAction>) {
    let chosen = settings.stamp.as_ref().map_or("Choose…", |stamp| &stamp.name);
    let combo = ComboBox::from_id_salt("stamp").selected_text(chosen.chars().take(18).collect::<String>()).width(104.0).height(400.0);
    let response = combo.show_list(ui, |ui| {
        ui.set_min_width(LIBRARY_WIDTH);
        for entry in editor.library() {
            let is_chosen = settings.stamp.as_ref().is_some_and(|stamp| *stamp.name == entry.name);
            if library_row(ui, theme, entry, editor.picture_of(entry), is_chosen).clicked() {
                out.push(UiAction::Do(Action::ChooseStamp(entry.source.clone())));
                ui.close();
            }
        }
        if let Some(folder) = editor.library_folder() {
            widget::hint(ui, theme, "More: save a selection as a stamp, or put .kv6, .kvx and .vox files into");
            widget::hint(ui, theme, &folder.display().to_string());
        }
    });
    if response.response.clicked() {
        // Files may have been put there since.
        out.push(UiAction::Do(Action::FindStamps));
    }
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Stamp"));
    let selects = editor.has_selection();
    ui.add_enabled_ui(selects, |ui| {
        if widget::icon_button(ui, theme, "save", "Save selection…", "", 26.0).clicked() {
            out.push(UiAction::Invoke("save-stamp"));
        }
    });
    if widget::icon_button(ui, theme, "rotate-cw", &format!("Turn: {}°", settings.turn % 4 * 90), turn_key, 26.0).clicked() {
        settings.turn = (settings.turn + 1) % 4;
    }
    widget::checkbox(ui, &mut settings.scatter, "Scatter").on_hover_text("A drag scatters stamps over an area");
    more_ui(ui, "stamp", |ui| stamp_settings_ui(ui, theme, settings));
}

/// A stamp of the library with its picture; of a broken file what is wrong with it.
fn library_row(ui: &mut Ui, theme: &Theme, entry: &LibraryEntry, drawn: Option<&Drawn>, is_chosen: bool) -> egui::Response {
    let size = Vec2::new(ui.available_width(), PICTURE_POINTS + 4.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let trouble = drawn.and_then(|drawn| drawn.as_ref().err());
    response.widget_info(|| {
        let name = trouble.map_or_else(|| entry.name.clone(), |trouble| format!("{}, no picture: {trouble}", entry.name));
        egui::WidgetInfo::selected(egui::Role::Button, ui.is_enabled(), is_chosen, name)
    });
    if !ui.is_rect_visible(rect) {
        return response;
    }
    let back = if is_chosen { theme.accent_back } else { theme.hover };
    if is_chosen || response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, theme::RADIUS, back);
    }
    let place = Rect::from_min_size(rect.min + Vec2::splat(2.0), Vec2::splat(PICTURE_POINTS));
    match drawn {
        Some(Ok(picture)) if picture.width > 0 && picture.height > 0 => {
            let texture = stamp_texture(ui, entry, picture);
            let size = Vec2::new(picture.width as f32, picture.height as f32);
            let fitted = Rect::from_center_size(place.center(), size * (PICTURE_POINTS / size.max_elem()));
            egui::Image::from_texture(&texture).paint_at(ui, fitted);
        }
        Some(Err(_)) => {
            let (glyph, font) = (icon::glyph("triangle-alert"), icon::font(theme::ICON));
            ui.painter().text(place.center(), Align2::CENTER_CENTER, glyph, font, theme.warn);
        }
        // Not drawn yet, or nothing in it.
        Some(Ok(_)) | None => {}
    }
    let left = place.right() + 8.0;
    let line = |y: f32, text: &str, size: f32, color: egui::Color32| {
        let layout = egui::text::LayoutJob {
            wrap: TextWrapping::truncate_at_width(rect.right() - left),
            ..LayoutJob::simple_singleline(text.to_owned(), FontId::proportional(size), color)
        };
        let text = ui.painter().layout_job(layout);
        ui.painter().galley(Pos2::new(left, y - text.size().y / 2.0), text, color);
    };
    match trouble {
        Some(trouble) => {
            line(rect.center().y - 8.0, &entry.name, theme::BODY, theme.text);
            line(rect.center().y + 8.0, trouble, theme::SMALL, theme.warn);
        }
        None => line(rect.center().y, &entry.name, theme::BODY, theme.text),
    }
    let told = trouble.map_or_else(String::new, |trouble| format!("\n{trouble}"));
    response.on_hover_text(format!("{}{told}", entry.source))
}

/// The picture as a texture, made once for a file as it is.
fn stamp_texture(ui: &Ui, entry: &LibraryEntry, picture: &StampPicture) -> egui::TextureHandle {
    let id = egui::Id::unique(("stamp", &entry.source, entry.len, entry.modified));
    if let Some(texture) = ui.data(|data| data.get_temp(id)) {
        return texture;
    }
    let image = egui::ColorImage::from_rgba_unmultiplied([picture.width, picture.height], &picture.rgba);
    // Voxels are square, however few there are.
    let texture = ui.ctx().load_texture("stamp", image, egui::TextureOptions::NEAREST);
    ui.data_mut(|data| data.insert_temp(id, texture.clone()));
    texture
}

fn stamp_settings_ui(ui: &mut Ui, theme: &Theme, settings: &mut StampSettings) {
    row(ui, |ui| {
        ui.label("Anchor");
        ui.spacing_mut().item_spacing.x = 2.0;
        for anchor in StampAnchor::ALL {
            if widget::segment(ui, theme, anchor.label(), theme.accent, settings.anchor == anchor).clicked() {
                settings.anchor = anchor;
            }
        }
    });
    row(ui, |ui| {
        ui.label("Stands");
        ui.spacing_mut().item_spacing.x = 2.0;
        for (on_surface, name) in [(false, "Upright"), (true, "On the surface")] {
            let help = if on_surface { "Out of walls, down from ceilings" } else { "Its top points to the sky" };
            if widget::segment(ui, theme, name, theme.accent, settings.on_surface == on_surface).on_hover_text(help).clicked() {
                settings.on_surface = on_surface;
            }
        }
    });
    ui.add_enabled_ui(!settings.on_surface, |ui| {
        widget::checkbox(ui, &mut settings.snap, "On the ground").on_hover_text("Else on the face under the pointer")
    });
    widget::checkbox(ui, &mut settings.random_turn, "Any turn").on_hover_text("Each stamp is turned at random");
    row(ui, |ui| number(ui, "Tint", &mut settings.tint, 0..=100, Unit::Percent, "How much each stamp is lighter or darker by at most"));
    row(ui, |ui| {
        let label = ui.label("Seed");
        widget::number_field(ui, DragValue::new(&mut settings.seed)).labelled_by(label.id).on_hover_text("Of turns, tints and places");
    });
    widget::hint(ui, theme, "Scattered");
    row(ui, |ui| number(ui, "Density", &mut settings.density, 1..=1000, Unit::Said(" on 1000 columns"), "How many stamps stand there"));
    row(ui, |ui| number(ui, "Distance", &mut settings.distance, 0..=256, Unit::Voxels, "Columns from one to another at least"));
    row(ui, |ui| {
        let label = ui.label("Slope");
        let drag = DragValue::new(&mut settings.slope).range(0..=90).suffix("°").speed(0.3);
        widget::number_field(ui, drag).labelled_by(label.id).on_hover_text("Steepest ground that they stand on");
    });
}

fn number(ui: &mut Ui, name: &str, value: &mut u32, range: std::ops::RangeInclusive<u32>, unit: Unit, help: &str) {
    let label = ui.label(name);
    let after = unit.after(i64::from(*value));
    widget::number_field(ui, DragValue::new(value).range(range).speed(0.1).suffix(after)).labelled_by(label.id).on_hover_text(help);
}
