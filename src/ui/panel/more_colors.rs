//! Colours that follow from others: hue, saturation and brightness as numbers, teams and fog, harmonies, a ramp.

use egui::{DragValue, Ui};

use super::swatches::drag_color;
use crate::document::Team;
use crate::editor::{Action, Editor, SwatchEdit};
use crate::ui::color_field::ColorField;
use crate::ui::harmony::{Harmony, ramp};
use crate::ui::shell::{Shell, UiAction};
use crate::ui::theme::Theme;
use crate::ui::widget;
use crate::voxel::Rgb;

const SIDE: f32 = 21.0;
/// Width of what names a row.
const NAME_WIDTH: f32 = 76.0;

/// The rows; `picked` is the colour in the hand and becomes the one that was chosen.
pub fn more_ui(ui: &mut Ui, theme: &Theme, editor: &Editor, shell: &mut Shell, picked: &mut Rgb, out: &mut Vec<UiAction>) {
    let active = editor.tool.settings.color;
    hsv_ui(ui, shell, picked);
    let named: Vec<_> = known_colors(editor);
    row_ui(ui, theme, "Teams", named, active, picked, None);
    for harmony in Harmony::ALL {
        let colors = harmony.colors(shell.hsv).map(|color| (format!("{} {color}", harmony.label()), color)).collect();
        row_ui(ui, theme, harmony.label(), colors, active, picked, Some(out));
    }
    ramp_ui(ui, theme, shell, active, picked, out);
}

/// Teams as the game paints them, and what the map says of its fog and its ground.
pub fn known_colors(editor: &Editor) -> Vec<(String, Rgb)> {
    let Some(open) = editor.active() else { return vec![] };
    let document = open.document();
    let teams = Team::ALL.into_iter().zip([Rgb::new(0, 0, 255), Rgb::new(0, 255, 0)]);
    let teams = teams.filter(|_| document.profile.has_teams).map(|(team, color)| (format!("{} team", team.label()), color));
    let fog = document.metadata.fog.map(|color| ("Fog".to_owned(), color));
    let dirt = document.dirt.map(|color| ("Uncovered ground".to_owned(), color));
    teams.chain(fog).chain(dirt).map(|(name, color)| (format!("{name} {color}"), color)).collect()
}

fn hsv_ui(ui: &mut Ui, shell: &mut Shell, picked: &mut Rgb) {
    let mut changed = false;
    ui.horizontal(|ui| {
        let hsv = &mut shell.hsv;
        for (letter, name, part, whole, suffix) in [
            ("H", "Hue", &mut hsv.hue, 360.0, "°"),
            ("S", "Saturation", &mut hsv.saturation, 100.0, " %"),
            ("V", "Brightness", &mut hsv.value, 100.0, " %"),
        ] {
            ui.small(letter).on_hover_text(name);
            let mut shown = *part * whole;
            // The end of the circle is its beginning.
            let most = if whole > 100.0 { whole - 0.1 } else { whole };
            let number = DragValue::new(&mut shown).range(0.0..=most).suffix(suffix).max_decimals(0);
            let response = widget::number_field(ui, number).on_hover_text(name);
            let (role, enabled, value) = (egui::Role::SpinButton, ui.is_enabled(), f64::from(shown));
            response.widget_info(|| egui::WidgetInfo { value: Some(value), ..egui::WidgetInfo::labeled(role, enabled, name) });
            if response.changed() {
                *part = shown / whole;
                changed = true;
            }
        }
    });
    if changed {
        *picked = shell.hsv.rgb();
    }
}

/// The steps from the colour in the hand to another one.
fn ramp_ui(ui: &mut Ui, theme: &Theme, shell: &mut Shell, active: Rgb, picked: &mut Rgb, out: &mut Vec<UiAction>) {
    let field = ColorField::new("Ramp to");
    ui.horizontal(|ui| {
        ui.label("Ramp to");
        field.button_ui(ui, theme, shell.ramp_to);
        let name = ui.label("in");
        widget::number_field(ui, DragValue::new(&mut shell.ramp_steps).range(2..=24).suffix(" steps")).labelled_by(name.id);
    });
    field.picker_ui(ui, theme, &mut shell.ramp_to);
    let steps = ramp(active, shell.ramp_to, shell.ramp_steps).zip(1..);
    let steps = steps.map(|(color, step)| (format!("Ramp {step} {color}"), color)).collect();
    row_ui(ui, theme, "Ramp", steps, active, picked, Some(out));
}

/// Colours with their names, and a button that adds all of them where there is somewhere to add them to.
fn row_ui(
    ui: &mut Ui,
    theme: &Theme,
    label: &str,
    colors: Vec<(String, Rgb)>,
    active: Rgb,
    picked: &mut Rgb,
    add_to: Option<&mut Vec<UiAction>>,
) {
    if colors.is_empty() {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::Vec2::splat(2.0);
        let start = ui.cursor().min.x;
        widget::hint(ui, theme, label);
        ui.add_space((NAME_WIDTH - (ui.cursor().min.x - start)).max(0.0));
        for (name, color) in &colors {
            let response = widget::named_swatch(ui, theme, *color, name, *color == active, SIDE, egui::Sense::click_and_drag());
            drag_color(&response, *color);
            if response.on_hover_text(name).clicked() {
                *picked = *color;
            }
        }
        if let Some(out) = add_to
            && widget::icon_button(ui, theme, "plus", &format!("Add {} to the palette", label.to_lowercase()), "", SIDE).clicked()
        {
            let add = |(_, color): &(String, Rgb)| UiAction::Do(Action::EditSwatches(SwatchEdit::Insert { at: usize::MAX, color: *color }));
            out.extend(colors.iter().map(add));
        }
    });
}
