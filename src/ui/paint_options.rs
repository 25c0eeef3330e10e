//! The options of the paint tool: the way of painting, and a panel with what that way needs.
//!
//! Knows no rule about painting: it shows the settings and answers others.

use egui::{ComboBox, DragValue, Ui};

use super::color_field::ColorField;
use super::theme::Theme;
use super::widget::{self, ListByKeys as _};
use crate::edit::{Along, PaintStyle};
use crate::terrain::Unit;
use crate::tool::{PaintKind, PaintSettings, ToolSettings};
use crate::voxel::Rgb;

/// The way of painting, and a button that opens what it needs.
pub fn paint_style_ui(ui: &mut Ui, theme: &Theme, settings: &mut ToolSettings) {
    style_ui(ui, theme, settings, "Way", false);
}

/// The way in which fills are colored; what it needs it shares with painting.
pub fn fill_style_ui(ui: &mut Ui, theme: &Theme, settings: &mut ToolSettings) {
    std::mem::swap(&mut settings.paint.kind, &mut settings.fill_kind);
    style_ui(ui, theme, settings, "Style", true);
    std::mem::swap(&mut settings.paint.kind, &mut settings.fill_kind);
}

/// The same where it is one of the settings that a button opens.
pub fn fill_style_settings_ui(ui: &mut Ui, theme: &Theme, settings: &mut ToolSettings) {
    let color = settings.color;
    widget::hint(ui, theme, "In what way it is colored");
    for kinds in PaintKind::ALL.chunks(3) {
        ui.horizontal(|ui| {
            for kind in kinds {
                if widget::segment(ui, theme, kind_label(*kind, true), theme.accent, settings.fill_kind == *kind).clicked() {
                    settings.fill_kind = *kind;
                }
            }
        });
    }
    if settings.fill_kind != PaintKind::Replace {
        ui.separator();
        std::mem::swap(&mut settings.paint.kind, &mut settings.fill_kind);
        settings_ui(ui, theme, &mut settings.paint, color, true);
        std::mem::swap(&mut settings.paint.kind, &mut settings.fill_kind);
    }
}

fn kind_label(kind: PaintKind, fills: bool) -> &'static str {
    if fills && kind == PaintKind::Replace { "One color" } else { kind.label() }
}

/// With `fills` it is about what has no stroke and no depth.
fn style_ui(ui: &mut Ui, theme: &Theme, settings: &mut ToolSettings, name: &str, fills: bool) {
    let label = ui.label(name);
    let combo = ComboBox::from_id_salt("paint kind").selected_text(kind_label(settings.paint.kind, fills)).width(92.0).height(400.0);
    let response = combo.show_list(ui, |ui| {
        for kind in PaintKind::ALL {
            ui.selectable_value(&mut settings.paint.kind, kind, kind_label(kind, fills));
        }
    });
    response.response.labelled_by(label.id);
    if fills && settings.paint.kind == PaintKind::Replace {
        return;
    }
    let color = settings.color;
    let paint = &mut settings.paint;
    let text = if paint.kind.has_strength() { format!("{} %", paint.strength) } else { "Settings".to_owned() };
    ui.label("With");
    let response = widget::settings_button(ui, "With", text, 72.0, |ui| settings_ui(ui, theme, paint, color, fills));
    response.on_hover_text("How strong and how deep it paints, and with which colors");
}

fn settings_ui(ui: &mut Ui, theme: &Theme, paint: &mut PaintSettings, color: Rgb, fills: bool) {
    if paint.kind.has_strength() {
        number_ui(ui, "Strength", DragValue::new(&mut paint.strength).range(1..=100).suffix(" %").speed(0.5));
    }
    match paint.kind {
        PaintKind::Noise => voxels_ui(ui, "Grain", &mut paint.grain, 1..=64),
        PaintKind::Blur => voxels_ui(ui, "Radius", &mut paint.radius, 1..=PaintStyle::MAX_RADIUS),
        PaintKind::Gradient => gradient_ui(ui, theme, paint, color, fills),
        PaintKind::Mix => mix_ui(ui, theme, &mut paint.mix, color),
        PaintKind::Ramp => ramp_ui(ui, theme, &mut paint.stops, color),
        PaintKind::Decal => decal_ui(ui, theme, paint, color),
        PaintKind::Replace | PaintKind::Tint | PaintKind::Lighten | PaintKind::Darken => {}
    }
    if !fills {
        voxels_ui(ui, "Depth", &mut paint.depth, 1..=PaintStyle::MAX_DEPTH);
        widget::hint(ui, theme, "Depth 1 paints what can be seen");
    }
}

fn voxels_ui(ui: &mut Ui, name: &str, value: &mut u32, range: std::ops::RangeInclusive<u32>) {
    let after = Unit::Voxels.after(i64::from(*value));
    number_ui(ui, name, DragValue::new(value).range(range).suffix(after).speed(0.1));
}

fn number_ui(ui: &mut Ui, name: &str, drag: DragValue<'_>) {
    ui.horizontal(|ui| {
        let label = ui.label(name);
        widget::number_field(ui, drag).labelled_by(label.id);
    });
}

fn gradient_ui(ui: &mut Ui, theme: &Theme, paint: &mut PaintSettings, color: Rgb, fills: bool) {
    widget::hint(ui, theme, "From the active color to this one");
    let field = ColorField::new("To");
    ui.horizontal(|ui| {
        ui.label("To");
        field.button_ui(ui, theme, paint.second);
        if ui.button("Active color").clicked() {
            paint.second = color;
        }
    });
    field.picker_ui(ui, theme, &mut paint.second);
    // Where there is no stroke, it runs from west to east.
    let shown = if fills && paint.along == Along::Stroke { Along::X } else { paint.along };
    for along in Along::ALL.into_iter().filter(|along| !fills || *along != Along::Stroke) {
        if widget::radio(ui, shown == along, along.label()).clicked() {
            paint.along = along;
        }
    }
}

fn mix_ui(ui: &mut Ui, theme: &Theme, mix: &mut Vec<(Rgb, u32)>, color: Rgb) {
    widget::hint(ui, theme, "Each voxel takes one of these, in proportion");
    let mut gone = None;
    let count = mix.len();
    for (index, (own, weight)) in mix.iter_mut().enumerate() {
        let name = format!("Color {}", index + 1);
        let field = ColorField::new(&name);
        ui.horizontal(|ui| {
            let label = ui.label(&name);
            field.button_ui(ui, theme, *own);
            widget::number_field(ui, DragValue::new(weight).range(1..=10_000).speed(0.3).suffix(" parts")).labelled_by(label.id);
            if count > 1 && ui.button("Remove").clicked() {
                gone = Some(index);
            }
        });
        field.picker_ui(ui, theme, own);
    }
    gone.map(|index| mix.remove(index));
    if mix.len() < PaintStyle::MAX_COLORS && ui.button("Add the active color").clicked() {
        mix.push((color, 10));
    }
}

fn ramp_ui(ui: &mut Ui, theme: &Theme, stops: &mut Vec<(i32, Rgb)>, color: Rgb) {
    widget::hint(ui, theme, "Colors by height z: 0 is the sky");
    let mut gone = None;
    let heights: Vec<i32> = stops.iter().map(|(z, _)| *z).collect();
    for (index, (z, own)) in stops.iter_mut().enumerate() {
        let name = format!("Color {}", index + 1);
        let field = ColorField::new(&name);
        ui.horizontal(|ui| {
            // Stops keep their order.
            let least = index.checked_sub(1).and_then(|above| heights.get(above)).map_or(0, |z| z + 1);
            let most = heights.get(index + 1).map_or(4096, |z| z - 1).max(least);
            let label = ui.label(&name);
            field.button_ui(ui, theme, *own);
            widget::number_field(ui, DragValue::new(z).range(least..=most).speed(0.2).prefix("z ")).labelled_by(label.id);
            if heights.len() > 1 && ui.button("Remove").clicked() {
                gone = Some(index);
            }
        });
        field.picker_ui(ui, theme, own);
    }
    gone.map(|index| stops.remove(index));
    if stops.len() < PaintStyle::MAX_COLORS && ui.button("Add the active color").clicked() {
        let below = stops.last().map_or(0, |(z, _)| z + 8);
        stops.push((below, color));
    }
}

fn decal_ui(ui: &mut Ui, theme: &Theme, paint: &mut PaintSettings, color: Rgb) {
    match &paint.decal {
        Some(image) => {
            let [width, height] = image.size();
            widget::hint(ui, theme, &format!("{width}×{height} pixels"));
        }
        None => widget::hint(ui, theme, "No picture: \"Choose a picture…\" in the tool bar opens one"),
    }
    voxels_ui(ui, "Width", &mut paint.decal_width, 1..=512);
    let mut clear = paint.clear.is_some();
    if widget::checkbox(ui, &mut clear, "Clear")
        .on_hover_text("Pixels of the color that was active when this was ticked paint nothing. Clear pixels of the picture never do")
        .changed()
    {
        paint.clear = clear.then_some(color);
    }
}
