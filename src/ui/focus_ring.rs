//! A line around what has the focus of the keyboard, whatever it is: some widgets of the library show it by a shade of
//! gray at most.

use egui::{Context, Id, Order, Rect, Stroke, StrokeKind};

use super::theme::{self, Theme};

/// Draws it over the layer of the widget, unless that is the map, which has the keys whenever nothing else has.
/// Answers where.
pub fn focus_ring(ctx: &Context, theme: &Theme, map: Option<Id>) -> Option<Rect> {
    let focused = ctx.memory(|memory| memory.focused()).filter(|focused| Some(*focused) != map)?;
    let response = ctx.read_response(focused)?;
    // In its first frame what is opened is measured, and not seen.
    let layer = response.layer_id;
    let is_seen = layer.order == Order::Background || ctx.memory(|memory| memory.areas().visible_last_frame(&layer));
    if !is_seen {
        return None;
    }
    // What is scrolled half out of sight is drawn to there.
    let seen = response.interact_rect.intersect(response.rect);
    if !seen.is_positive() {
        return None;
    }
    let ring = seen.expand(1.0);
    let painter = ctx.layer_painter(layer);
    painter.rect_stroke(ring, theme::RADIUS, Stroke::new(1.5, theme.accent), StrokeKind::Outside);
    Some(ring)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_widget_that_shows_no_focus_of_its_own_gets_a_ring() {
        let context = Context::default();
        let (mut ring, mut button) = (None, Rect::NOTHING);
        for _ in 0..2 {
            let mut output = context.run_ui(egui::RawInput::default(), |ui| {
                let plain = ui.add(egui::Button::new("plain").frame(false));
                plain.request_focus();
                button = plain.rect;
                ring = focus_ring(ui.ctx(), &Theme::DARK, None);
            });
            output.textures_delta.clear();
        }
        assert_eq!(ring, Some(button.expand(1.0)));
        let mut none = Some(button);
        let mut output = context.run_ui(egui::RawInput::default(), |ui| {
            let plain = ui.add(egui::Button::new("plain").frame(false));
            none = focus_ring(ui.ctx(), &Theme::DARK, Some(plain.id));
        });
        output.textures_delta.clear();
        assert_eq!(none, None, "the map has none");
    }
}
