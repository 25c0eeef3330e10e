//! The points of a gesture that can be taken hold of, and the curve through them: over the picture, as large from afar
//! as from near.
//!
//! The curve stands in the picture as well, where nothing hides it; here it is a thin line over all. What the handles do
//! is the tool's to know. So it is with the gizmo of what is moved.

use egui::{Color32, Painter, Pos2, Rect, Shape, Stroke, Ui, Vec2};
use glam::Vec3;

use super::camera_control::aspect;
use super::theme::Theme;
use crate::geom::{Camera, Face};
use crate::tool::{Gizmo, Grip, Handle, View};

/// Half of the width of a handle, in points.
const RADIUS: f32 = 5.0;

/// Paints both over the picture.
pub fn paint(ui: &Ui, theme: &Theme, rect: Rect, camera: &Camera, (line, handles): (&[Vec3], &[Handle])) {
    let painter = ui.painter().with_clip_rect(rect);
    let place = |at: Vec3| place(rect, camera, at);
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

/// Pieces of the ring.
const RING: u8 = 72;

/// Paints the gizmo over the picture: what is farther away first.
pub fn paint_gizmo(ui: &Ui, theme: &Theme, rect: Rect, camera: &Camera, (gizmo, view): (&Gizmo, &View)) {
    let painter = ui.painter().with_clip_rect(rect);
    let place = |at: Vec3| place(rect, camera, at);
    if let Some((middle, radius)) = gizmo.ring(view) {
        let color = if gizmo.active == Some(Grip::Ring) { theme.accent } else { theme.text };
        let around = |step: u8| {
            let (sin, cos) = (f32::from(step) / f32::from(RING) * std::f32::consts::TAU).sin_cos();
            place(middle + Vec3::new(cos, sin, 0.0) * radius)
        };
        for (a, b) in (0..RING).filter_map(|step| around(step).zip(around(step + 1))) {
            outlined(&painter, theme, [a, b], if gizmo.active == Some(Grip::Ring) { 3.0 } else { 1.5 }, color);
        }
    }
    let mut faces = Face::ALL;
    faces.sort_by(|a, b| gizmo.distance(*b, view).total_cmp(&gizmo.distance(*a, view)));
    for face in faces {
        let axis = theme.axes.get(face.axis().index()).copied().unwrap_or(theme.text);
        if let Some(at) = gizmo.side(face, view).and_then(place) {
            let active = gizmo.active == Some(Grip::Side(face));
            let square = Rect::from_center_size(at, Vec2::splat(if active { 12.0 } else { 9.0 }));
            painter.rect(square, 1.0, if active { theme.accent } else { axis }, Stroke::new(1.5, theme.back), egui::StrokeKind::Outside);
        }
        let ends = gizmo.arrow(face, view).and_then(|[foot, tip]| place(foot).zip(place(tip)));
        if let Some((foot, tip)) = ends {
            let active = gizmo.active == Some(Grip::Arrow(face));
            arrow(&painter, theme, [foot, tip], if active { theme.accent } else { axis }, active);
        }
    }
}

/// A line with a head, dark around, so that it is seen on any ground.
fn arrow(painter: &Painter, theme: &Theme, [foot, tip]: [Pos2; 2], color: Color32, active: bool) {
    let along = (tip - foot).normalized();
    let (long, wide) = if active { (13.0, 6.5) } else { (11.0, 5.0) };
    let neck = tip - along * long;
    outlined(painter, theme, [foot, neck], if active { 3.5 } else { 2.5 }, color);
    let head = vec![tip, neck + along.rot90() * wide, neck - along.rot90() * wide];
    painter.add(Shape::convex_polygon(head, color, Stroke::new(1.0, theme.back)));
}

fn outlined(painter: &Painter, theme: &Theme, ends: [Pos2; 2], width: f32, color: Color32) {
    painter.line_segment(ends, Stroke::new(width + 2.0, theme.back.gamma_multiply(0.6)));
    painter.line_segment(ends, Stroke::new(width, color));
}

/// Where a place of the map is in the picture; nowhere behind the eye.
fn place(rect: Rect, camera: &Camera, at: Vec3) -> Option<Pos2> {
    let at = camera.project(at, aspect(rect))?;
    Some(rect.min + Vec2::new((at.x + 1.0) * 0.5 * rect.width(), (1.0 - at.y) * 0.5 * rect.height()))
}
