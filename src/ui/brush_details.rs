//! The panel of the brush's tip: how much of it covers, how far apart it stamps, how it stands.
//!
//! Knows no rule about brushes: it shows the settings and answers others.

use egui::{DragValue, RichText, Ui};

use super::theme::Theme;
use super::widget;
use crate::edit::{Brush, BrushShape, Percent, Spacing};
use crate::geom::Face;
use crate::terrain::Unit;
use crate::tool::ToolSettings;

/// Width of the button, in points; a longer name is as wide as it is.
const WIDTH: f32 = 48.0;

/// A button with what is not as usual, which opens the panel.
pub fn brush_details_ui(ui: &mut Ui, theme: &Theme, settings: &mut ToolSettings) {
    let label = ui.label("Tip");
    let usual =
        Brush { shape: settings.brush.shape, size: settings.brush.size, picture: settings.brush.picture.clone(), ..Brush::default() };
    let is_usual = settings.brush == usual && !settings.on_surface;
    let text = RichText::new(settings.brush.shape.label()).color(if is_usual { theme.text_dim } else { theme.accent });
    let response = widget::settings_button(ui, "Tip", text, WIDTH, |ui| {
        for shapes in BrushShape::ALL.chunks(3) {
            row(ui, |ui| {
                for shape in shapes {
                    if widget::segment(ui, theme, shape.label(), theme.accent, settings.brush.shape == *shape).clicked() {
                        settings.brush.shape = *shape;
                    }
                }
            });
        }
        stamps_ui(ui, theme, &mut settings.brush);
        stand_ui(ui, theme, settings);
        if ui.add_enabled(!is_usual, egui::Button::new("Plain tip")).clicked() {
            settings.brush = usual;
            settings.on_surface = false;
        }
    });
    response.labelled_by(label.id).on_hover_ui(|ui| {
        widget::tooltip(ui, theme, "Tip", "", Some("Shape, strength, spacing and jitter of the brush, and how it stands"));
    });
}

fn stamps_ui(ui: &mut Ui, theme: &Theme, brush: &mut Brush) {
    let mut strength = i32::from(brush.strength);
    row(ui, |ui| {
        if widget::number(ui, "Covers", &mut strength, 1..=100, Unit::Percent) {
            brush.strength = u8::try_from(strength).unwrap_or(100);
        }
    });
    row(ui, |ui| {
        let (mut value, is_share) = match brush.spacing {
            Spacing::Voxels(voxels) => (voxels as i32, false),
            Spacing::Share(Percent(share)) => (share as i32, true),
        };
        let mut share = is_share;
        widget::number(ui, "Spacing", &mut value, 1..=Spacing::MAX as i32, if is_share { Unit::Percent } else { Unit::Voxels });
        widget::checkbox(ui, &mut share, "of size");
        if share != is_share {
            value = if share { 50 } else { 1 };
        }
        let value = u32::try_from(value).unwrap_or(1);
        brush.spacing = if share { Spacing::Share(Percent(value)) } else { Spacing::Voxels(value) };
    });
    row(ui, |ui| {
        let mut jitter = brush.jitter as i32;
        if widget::number(ui, "Jitter", &mut jitter, 0..=Brush::MAX_SIZE as i32, Unit::Voxels) {
            brush.jitter = u32::try_from(jitter).unwrap_or(0);
        }
    });
    row(ui, |ui| {
        let mut jitter = i32::from(brush.color_jitter);
        if widget::number(ui, "Color jitter", &mut jitter, 0..=100, Unit::Percent) {
            brush.color_jitter = u8::try_from(jitter).unwrap_or(0);
        }
    });
    if brush.strength < 100 || brush.jitter > 0 || brush.color_jitter > 0 {
        row(ui, |ui| {
            let label = ui.label("Seed");
            widget::number_field(ui, DragValue::new(&mut brush.seed).speed(0.1)).labelled_by(label.id);
        });
    }
    if brush.shape == BrushShape::Picture {
        let text = match &brush.picture {
            Some(picture) => format!("Picture of {}×{} pixels", picture.size()[0], picture.size()[1]),
            None => "No picture: \"Choose a picture…\" in the tool bar opens a gray PNG".to_owned(),
        };
        widget::hint(ui, theme, &text);
    }
}

fn stand_ui(ui: &mut Ui, theme: &Theme, settings: &mut ToolSettings) {
    if !settings.brush.shape.stands() {
        return;
    }
    row(ui, |ui| {
        let mut own = settings.brush.height.is_some();
        let check = widget::checkbox(ui, &mut own, "Own height");
        if check.changed() {
            settings.brush.height = own.then_some(settings.brush.size);
        }
        if let Some(height) = &mut settings.brush.height {
            let drag = DragValue::new(height).range(1..=Brush::MAX_SIZE).speed(0.15);
            widget::number_field(ui, drag).labelled_by(check.id).on_hover_text("Voxels from the bottom of the tip to its top");
        }
    });
    row(ui, |ui| {
        for (on_surface, name) in [(false, "Upright"), (true, "On the surface")] {
            if widget::segment(ui, theme, name, theme.accent, settings.on_surface == on_surface).clicked() {
                settings.on_surface = on_surface;
                settings.brush.up = Face::MinusZ;
            }
        }
    });
}

fn row(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    ui.horizontal(add);
}
