//! Facts about the map: names, fog, game mode, limits, protected sectors.

use egui::{ComboBox, DragValue, RichText, TextEdit, Ui};

use crate::document::{GameMode, Metadata, Property, Sector};
use crate::edit::ops::{SetDirt, SetProperty};
use crate::edit::{Command, DEFAULT_DIRT};
use crate::editor::Editor;
use crate::ui::color_field::ColorField;
use crate::ui::shell::{Shell, UiAction};
use crate::ui::theme::{self, Theme};
use crate::ui::widget::{self, ListByKeys as _};
use crate::voxel::Rgb;

/// Fog where the map names none: piqueserver's default.
const DEFAULT_FOG: Rgb = Rgb::new(128, 232, 255);

/// Content of the map section.
pub fn map_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, out: &mut Vec<UiAction>) {
    let Some(open) = editor.active() else { return };
    if shell.drafts_of != Some(open.id()) {
        shell.drafts.clear();
        shell.drafts_of = Some(open.id());
    }
    let metadata = shell.metadata(open.document());
    let size = open.document().bounds().size();
    widget::hint(ui, theme, &format!("{}×{}×{} voxels", size.x, size.y, size.z));
    let mut chosen = vec![];
    let mut set = |property: Property| chosen.push(property);
    egui::Grid::new("map facts").num_columns(2).spacing([8.0, 4.0]).show(ui, |ui| {
        text_row(ui, shell, "Name", &metadata.name, Property::Name, &mut set);
        text_row(ui, shell, "Author", &metadata.author, Property::Author, &mut set);
        text_row(ui, shell, "Version", &metadata.version, Property::Version, &mut set);
        description_row(ui, shell, &metadata, &mut set);
        fog_row(ui, theme, metadata.fog, &mut set);
        mode_row(ui, metadata.game_mode, &mut set);
        limit_row(ui, "Captures", "", metadata.cap_limit, 10, Property::CapLimit, &mut set);
        limit_row(ui, "Time", " min", metadata.time_limit, 20, Property::TimeLimit, &mut set);
    });
    ui.add_space(4.0);
    ui.label("Protected sectors").on_hover_text("Players may not build or dig there, on servers with the protect script");
    sectors_ui(ui, theme, &metadata, &mut set);
    for property in chosen {
        shell.propose(Command::SetProperty(SetProperty(property)), out);
    }
    ui.add_space(4.0);
    let dirt = shell.dirt(open.document());
    let chosen = dirt_ui(ui, theme, dirt);
    if chosen != dirt {
        shell.propose(Command::SetDirt(SetDirt { color: chosen }), out);
    }
}

/// What uncovered ground looks like; answers what it becomes.
fn dirt_ui(ui: &mut Ui, theme: &Theme, dirt: Option<Rgb>) -> Option<Rgb> {
    let field = ColorField::new("Color of uncovered ground");
    let mut chosen = dirt;
    ui.horizontal(|ui| {
        let mut fixed = dirt.is_some();
        widget::checkbox(ui, &mut fixed, "Fixed color of uncovered ground")
            .on_hover_text("Else what is uncovered takes the color above it");
        if fixed != dirt.is_some() {
            chosen = fixed.then_some(DEFAULT_DIRT);
        }
        if let Some(color) = dirt {
            field.button_ui(ui, theme, color);
        }
    });
    if let Some(color) = &mut chosen {
        field.picker_ui(ui, theme, color);
    }
    chosen
}

fn text_row(
    ui: &mut Ui,
    shell: &mut Shell,
    label: &'static str,
    value: &Option<String>,
    property: fn(Option<String>) -> Property,
    set: &mut impl FnMut(Property),
) {
    let name = ui.label(label);
    let draft = shell.drafts.entry(label).or_default();
    let response = ui.add(TextEdit::singleline(draft).desired_width(f32::INFINITY)).labelled_by(name.id);
    finish_text(&response, draft, value, property, set);
    ui.end_row();
}

fn description_row(ui: &mut Ui, shell: &mut Shell, metadata: &Metadata, set: &mut impl FnMut(Property)) {
    let name = ui.label("About");
    let draft = shell.drafts.entry("About").or_default();
    let response = ui.add(TextEdit::multiline(draft).desired_rows(2).desired_width(f32::INFINITY)).labelled_by(name.id);
    finish_text(&response, draft, &metadata.description, Property::Description, set);
    ui.end_row();
}

/// One step in the history for one visit to the field.
fn finish_text(
    response: &egui::Response,
    draft: &mut String,
    value: &Option<String>,
    property: fn(Option<String>) -> Property,
    set: &mut impl FnMut(Property),
) {
    let dropped = response.lost_focus() && response.ctx.input(|input| input.key_pressed(egui::Key::Escape));
    if response.lost_focus() && !dropped && *draft != value.as_deref().unwrap_or_default() {
        set(property((!draft.is_empty()).then(|| draft.clone())));
    } else if !response.has_focus() {
        draft.clear();
        draft.push_str(value.as_deref().unwrap_or_default());
    }
}

fn fog_row(ui: &mut Ui, theme: &Theme, fog: Option<Rgb>, set: &mut impl FnMut(Property)) {
    ui.label("Fog");
    let field = ColorField::new("Fog color");
    let mut color = fog.unwrap_or(DEFAULT_FOG);
    ui.vertical(|ui| {
        ui.horizontal(|ui| {
            field.button_ui(ui, theme, color);
            ui.monospace(color.to_string());
            if fog.is_none() {
                ui.weak("default");
            }
        });
        if field.picker_ui(ui, theme, &mut color) {
            set(Property::Fog(Some(color)));
        }
    });
    ui.end_row();
}

fn mode_row(ui: &mut Ui, mode: Option<GameMode>, set: &mut impl FnMut(Property)) {
    let label = |mode: Option<GameMode>| match mode {
        None => "Not named".to_owned(),
        Some(GameMode::Ctf) => "Capture the flag".to_owned(),
        Some(GameMode::Tc) => "Territory control".to_owned(),
        Some(GameMode::Babel) => "Babel".to_owned(),
        Some(GameMode::Arena) => "Arena".to_owned(),
        Some(GameMode::Other(number)) => format!("Mode {number}"),
    };
    let name = ui.label("Game");
    let mut chosen = mode;
    let response = ComboBox::from_id_salt("game mode").selected_text(label(mode)).width(160.0).show_list(ui, |ui| {
        for choice in [None, Some(GameMode::Ctf), Some(GameMode::Tc), Some(GameMode::Babel), Some(GameMode::Arena)] {
            ui.selectable_value(&mut chosen, choice, label(choice));
        }
    });
    response.response.labelled_by(name.id);
    if chosen != mode {
        set(Property::GameMode(chosen));
    }
    ui.end_row();
}

fn limit_row(
    ui: &mut Ui,
    label: &str,
    suffix: &str,
    value: Option<u32>,
    start: u32,
    property: fn(Option<u32>) -> Property,
    set: &mut impl FnMut(Property),
) {
    ui.label(label);
    ui.horizontal(|ui| {
        let mut named = value.is_some();
        let check = widget::checkbox(ui, &mut named, "");
        check.widget_info(|| egui::WidgetInfo::selected(egui::Role::CheckBox, true, named, format!("{label} limit")));
        if named != value.is_some() {
            set(property(named.then_some(start)));
        }
        match value {
            Some(value) => {
                let mut number = value;
                let drag = widget::number_field(
                    ui,
                    DragValue::new(&mut number).range(1..=10_000).clamp_existing_to_range(false).suffix(suffix).update_while_editing(false),
                );
                drag.widget_info(|| egui::WidgetInfo::labeled(egui::Role::SpinButton, true, label));
                if number != value {
                    set(property(Some(number)));
                }
            }
            None => {
                ui.weak("server's default");
            }
        }
    });
    ui.end_row();
}

fn sectors_ui(ui: &mut Ui, theme: &Theme, metadata: &Metadata, set: &mut impl FnMut(Property)) {
    egui::Grid::new("sectors").num_columns(8).spacing([2.0, 2.0]).min_col_width(0.0).show(ui, |ui| {
        for (index, sector) in Sector::all().enumerate() {
            let on = metadata.protected.contains(&sector);
            let text = RichText::new(sector.to_string()).size(theme::SMALL).color(if on { theme.text } else { theme.text_faint });
            let button = egui::Button::new(text).min_size(egui::vec2(32.0, 18.0)).selected(on);
            if ui.add(button).clicked() {
                let mut protected = metadata.protected.clone();
                if !protected.remove(&sector) {
                    protected.insert(sector);
                }
                set(Property::Protected(protected));
            }
            if index % 8 == 7 {
                ui.end_row();
            }
        }
    });
}
