//! The points of a gesture that can be taken hold of, and the curve through them: over the picture, as large from afar
//! as from near.
//!
//! The curve stands in the picture as well, where nothing hides it; here it is a thin line over all. What the handles do
//! is the tool's to know.

use egui::{Pos2, Rect, Stroke, Ui, Vec2};
use glam::Vec3;

use super::camera_control::aspect;
use super::theme::Theme;
use crate::geom::Camera;
use crate::tool::Handle;

/// Half of the width of a handle, in points.
const RADIUS: f32 = 5.0;

/// Paints both over the picture.
pub fn paint(ui: &Ui, theme: &Theme, rect: Rect, camera: &Camera, (line, handles): (&[Vec3], &[Handle])) {
    let painter = ui.painter().with_clip_rect(rect);
    let place = |at: Vec3| -> Option<Pos2> {
        let at = camera.project(at, aspect(rect))?;
        Some(rect.min + Vec2::new((at.x + 1.0) * 0.5 * rect.width(), (1.0 - at.y) * 0.5 * rect.height()))
    };
    let faint = Stroke::new(1.0, theme.accent.gamma_multiply(0.7));
    for (a, b) in line.iter().zip(line.iter().skip(1)) {
        if let Some((a, b)) = place(*a).zip(place(*b)) {
            painter.line_segment([a, b], faint);
        }
    }
    for handle in handles {
        let Some(at) = place(handle.at) else { continue };
        if handle.active {
            painter.circle(at, RADIUS + 2.0, theme.accent, Stroke::new(2.0, theme.back));
        } else {
            painter.circle(at, RADIUS, theme.panel, Stroke::new(2.0, theme.accent));
        }
    }
}
