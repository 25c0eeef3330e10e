//! The options of the paint tool: the way of painting, and a panel with what that way needs.
//!
//! Knows no rule about painting: it shows the settings and answers others.

use egui::{ComboBox, DragValue, PopupCloseBehavior, Ui};

use super::theme::{self, Theme};
use super::widget;
use crate::edit::{Along, PaintStyle};
use crate::tool::{PaintKind, PaintSettings, ToolSettings};
use crate::voxel::Rgb;

/// The way of painting, its strength, and what else it needs.
pub fn paint_style_ui(ui: &mut Ui, theme: &Theme, settings: &mut ToolSettings) {
    let label = ui.label("Way");
    let combo = ComboBox::from_id_salt("paint kind").selected_text(settings.paint.kind.label()).width(92.0).height(400.0);
    let response = combo.show_ui(ui, |ui| {
        for kind in PaintKind::ALL {
            ui.selectable_value(&mut settings.paint.kind, kind, kind.label());
        }
    });
    response.response.labelled_by(label.id);
    let color = settings.color;
    let paint = &mut settings.paint;
    if paint.kind.has_strength() {
        let label = ui.label("Strength");
        ui.add(DragValue::new(&mut paint.strength).range(1..=100).suffix(" %").speed(0.5)).labelled_by(label.id);
    }
    match paint.kind {
        PaintKind::Noise => {
            let label = ui.label("Grain");
            ui.add(DragValue::new(&mut paint.grain).range(1..=64).speed(0.1)).labelled_by(label.id);
        }
        PaintKind::Blur => {
            let label = ui.label("Radius");
            ui.add(DragValue::new(&mut paint.radius).range(1..=PaintStyle::MAX_RADIUS).speed(0.05)).labelled_by(label.id);
        }
        PaintKind::Gradient => panel(ui, "Colors", |ui| gradient_ui(ui, theme, paint, color)),
        PaintKind::Mix => panel(ui, "Colors", |ui| mix_ui(ui, theme, &mut paint.mix, color)),
        PaintKind::Ramp => panel(ui, "Colors", |ui| ramp_ui(ui, theme, &mut paint.stops, color)),
        PaintKind::Decal => decal_ui(ui, theme, paint, color),
        PaintKind::Replace | PaintKind::Tint | PaintKind::Lighten | PaintKind::Darken => {}
    }
}

fn panel(ui: &mut Ui, name: &str, add: impl FnOnce(&mut Ui)) {
    let combo = ComboBox::from_id_salt("paint colors").selected_text(name).width(72.0).height(400.0);
    combo.close_behavior(PopupCloseBehavior::CloseOnClickOutside).show_ui(ui, |ui| {
        ui.set_min_width(230.0);
        add(ui);
    });
}

fn gradient_ui(ui: &mut Ui, theme: &Theme, paint: &mut PaintSettings, color: Rgb) {
    widget::hint(ui, theme, "From the active color to this one");
    ui.horizontal(|ui| {
        color_ui(ui, "To", &mut paint.second);
        if ui.button("Active color").clicked() {
            paint.second = color;
        }
    });
    for along in Along::ALL {
        ui.radio_value(&mut paint.along, along, along.label());
    }
}

fn mix_ui(ui: &mut Ui, theme: &Theme, mix: &mut Vec<(Rgb, u32)>, color: Rgb) {
    widget::hint(ui, theme, "Each voxel takes one of these, in proportion");
    let mut gone = None;
    let count = mix.len();
    for (index, (own, weight)) in mix.iter_mut().enumerate() {
        ui.horizontal(|ui| {
            color_ui(ui, &format!("Color {}", index + 1), own);
            ui.add(DragValue::new(weight).range(1..=10_000).speed(0.3).suffix(" parts"));
            if count > 1 && ui.button("Remove").clicked() {
                gone = Some(index);
            }
        });
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
        ui.horizontal(|ui| {
            // Stops keep their order.
            let least = index.checked_sub(1).and_then(|above| heights.get(above)).map_or(0, |z| z + 1);
            let most = heights.get(index + 1).map_or(4096, |z| z - 1).max(least);
            ui.add(DragValue::new(z).range(least..=most).speed(0.2).prefix("z "));
            color_ui(ui, &format!("Color at stop {}", index + 1), own);
            if heights.len() > 1 && ui.button("Remove").clicked() {
                gone = Some(index);
            }
        });
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
        None => widget::hint(ui, theme, "No picture: import one and choose \"Use as decal\""),
    }
    let label = ui.label("Width");
    ui.add(DragValue::new(&mut paint.decal_width).range(1..=512).speed(0.3)).labelled_by(label.id);
    let mut clear = paint.clear.is_some();
    if ui.checkbox(&mut clear, "Clear").on_hover_text("Pixels of the color that was active when this was ticked paint nothing").changed() {
        paint.clear = clear.then_some(color);
    }
}

fn color_ui(ui: &mut Ui, name: &str, color: &mut Rgb) {
    let mut parts = color.to_array();
    let response = egui::color_picker::color_edit_button_srgb(ui, &mut parts);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ColorWell, true, name));
    let [r, g, b] = parts;
    *color = Rgb::new(r, g, b);
    ui.add_space(theme::RADIUS.into());
}
