//! A square of saturation and brightness over a bar of hues: the way to a colour that a mapper knows.

use egui::{Mesh, Rect, Response, Sense, Shape, Stroke, StrokeKind, Ui, Vec2};

use super::theme::{self, Theme};
use crate::voxel::Rgb;

/// Hue, saturation, value, each 0..=1. Kept beside the colour, because grey has no hue and black no saturation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hsv {
    /// 0 red, 1/3 green, 2/3 blue.
    pub hue: f32,
    /// 0 grey.
    pub saturation: f32,
    /// 0 black.
    pub value: f32,
}

impl Hsv {
    /// From a colour; what the colour leaves open is taken from `like`.
    pub fn of(color: Rgb, like: Self) -> Self {
        let [r, g, b] = color.to_array().map(|part| f32::from(part) / 255.0);
        let (max, min) = (r.max(g).max(b), r.min(g).min(b));
        let range = max - min;
        let hue = if range <= 0.0 {
            like.hue
        } else if max == r {
            ((g - b) / range).rem_euclid(6.0) / 6.0
        } else if max == g {
            ((b - r) / range + 2.0) / 6.0
        } else {
            ((r - g) / range + 4.0) / 6.0
        };
        let saturation = if max <= 0.0 { like.saturation } else { range / max };
        Self { hue, saturation, value: max }
    }

    /// The nearest 24-bit colour.
    pub fn rgb(self) -> Rgb {
        let channel = |offset: f32| {
            let k = (offset + self.hue * 6.0).rem_euclid(6.0);
            let share = self.value - self.value * self.saturation * k.min(4.0 - k).clamp(0.0, 1.0);
            (share * 255.0).round() as u8
        };
        Rgb::new(channel(5.0), channel(3.0), channel(1.0))
    }
}

/// Least and usual height of the square.
pub const HEIGHTS: (f32, f32) = (44.0, 110.0);

/// Shows the picker as wide as the panel, with a square of a height; answers whether the colour changed.
pub fn color_picker_ui(ui: &mut Ui, theme: &Theme, hsv: &mut Hsv, height: f32) -> bool {
    let before = *hsv;
    let width = ui.available_width();
    let (square, response) = ui.allocate_exact_size(Vec2::new(width, height), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ColorWell, true, "Saturation and brightness"));
    if let Some(at) = share(&response, square) {
        (hsv.saturation, hsv.value) = (at.x, 1.0 - at.y);
    }
    let (bar, response) = ui.allocate_exact_size(Vec2::new(width, 14.0), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Slider, true, "Hue"));
    if let Some(at) = share(&response, bar) {
        hsv.hue = at.x.min(0.9999);
    }
    let corner = |saturation: f32, value: f32| theme::color32(Hsv { hue: hsv.hue, saturation, value }.rgb());
    // Bilinear between the corners is not HSV; strips of brightness are near enough to it.
    const STRIPS: usize = 16;
    for strip in 0..STRIPS {
        let edge = |index: usize| index as f32 / STRIPS as f32;
        let (top, bottom) = (edge(strip), edge(strip + 1));
        let rect = Rect::from_min_max(square.lerp_inside(Vec2::new(0.0, top)), square.lerp_inside(Vec2::new(1.0, bottom)));
        gradient(ui, rect, [corner(0.0, 1.0 - top), corner(1.0, 1.0 - top), corner(0.0, 1.0 - bottom), corner(1.0, 1.0 - bottom)]);
    }
    for part in 0..6 {
        let hue = |index: usize| theme::color32(Hsv { hue: index as f32 / 6.0, saturation: 1.0, value: 1.0 }.rgb());
        let rect = Rect::from_min_max(
            bar.lerp_inside(Vec2::new(part as f32 / 6.0, 0.0)),
            bar.lerp_inside(Vec2::new((part + 1) as f32 / 6.0, 1.0)),
        );
        gradient(ui, rect, [hue(part), hue(part + 1), hue(part), hue(part + 1)]);
    }
    let at = square.lerp_inside(Vec2::new(hsv.saturation, 1.0 - hsv.value));
    let ring = if hsv.value > 0.6 { Theme::LIGHT.text } else { Theme::DARK.text };
    ui.painter().circle(at, 5.0, theme::color32(hsv.rgb()), Stroke::new(1.5, ring));
    let mark = Rect::from_center_size(bar.lerp_inside(Vec2::new(hsv.hue, 0.5)), Vec2::new(5.0, bar.height() + 2.0));
    ui.painter().rect_stroke(mark, 2, Stroke::new(1.5, theme.text), StrokeKind::Inside);
    *hsv != before
}

/// Where in the rectangle the pointer drags, 0..=1 on both axes.
fn share(response: &Response, rect: Rect) -> Option<Vec2> {
    let at = response.interact_pointer_pos()?;
    Some(((at - rect.min) / rect.size()).clamp(Vec2::ZERO, Vec2::ONE))
}

/// A rectangle between four corner colours: left top, right top, left bottom, right bottom.
fn gradient(ui: &Ui, rect: Rect, corners: [egui::Color32; 4]) {
    let mut mesh = Mesh::default();
    for (pos, color) in [rect.left_top(), rect.right_top(), rect.left_bottom(), rect.right_bottom()].into_iter().zip(corners) {
        mesh.colored_vertex(pos, color);
    }
    mesh.add_triangle(0, 1, 2);
    mesh.add_triangle(1, 2, 3);
    ui.painter().add(Shape::mesh(mesh));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_come_back_from_hue_saturation_and_value() {
        let like = Hsv { hue: 0.3, saturation: 0.4, value: 0.0 };
        for r in (0..=255).step_by(15) {
            for g in (0..=255).step_by(15) {
                for b in (0..=255).step_by(15) {
                    let color = Rgb::new(r, g, b);
                    assert_eq!(Hsv::of(color, like).rgb(), color);
                }
            }
        }
        assert_eq!(Hsv::of(Rgb::new(90, 90, 90), like).hue, like.hue, "grey keeps the hue that was chosen");
    }
}
