//! The handle of the symmetry's center over the map: dragged with the pointer, moved with the arrows.
//!
//! Where it stands and where a drag brings it is said by [`tool`](crate::tool).

use egui::{Align2, EventFilter, FontId, Key, Modifiers, Rect, Sense, Stroke, Ui, Vec2};

use super::camera_control::{aspect, ndc};
use super::shell::Shell;
use super::theme::{self, Theme};
use crate::document::Symmetry;
use crate::edit::Command;
use crate::edit::ops::SetSymmetry;
use crate::editor::Editor;
use crate::geom::{Camera, Ray};
use crate::tool::{center_handle, dragged_center};

/// Half of the side of what can be taken hold of, in points.
const REACH: f32 = 11.0;

/// The handle among the widgets.
pub fn id() -> egui::Id {
    egui::Id::unique("symmetry center")
}

/// Shows the handle where the center is in the picture; what it is moved to becomes a step once the button is up.
pub fn handle_ui(ui: &mut Ui, theme: &Theme, rect: Rect, camera: &Camera, editor: &mut Editor, shell: &mut Shell) {
    let Some(document) = editor.active().map(|open| open.document().clone()) else { return };
    let symmetry = shell.symmetry(&document);
    let at = center_handle(&document, &symmetry).and_then(|at| camera.project(at, aspect(rect)));
    let Some(at) = at else { return };
    let pos = rect.min + Vec2::new((at.x + 1.0) * 0.5 * rect.width(), (1.0 - at.y) * 0.5 * rect.height());
    if !rect.shrink(REACH).contains(pos) {
        return;
    }
    // What is being drawn goes on through the middle of the map.
    if editor.tool.preview().size.is_some() {
        return paint(ui, theme, rect, pos, None);
    }
    let response = ui.interact(Rect::from_center_size(pos, Vec2::splat(REACH * 2.0)), id(), Sense::click_and_drag());
    let [x, y] = symmetry.center.map(|half| f64::from(half) / 2.0);
    let name = format!("Symmetry center at {x}, {y}");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &name));
    let ray = ui.input(|input| input.pointer.latest_pos()).map(|pointer| camera.ray(ndc(rect, pointer), aspect(rect)));
    let mut moved = None;
    if response.drag_started() {
        response.request_focus();
    }
    if response.drag_started() {
        let pressed = ui.input(|input| input.pointer.press_origin()).map(|pointer| camera.ray(ndc(rect, pointer), aspect(rect)));
        if let Some(from) = pressed.or(ray) {
            ui.data_mut(|data| data.insert_temp(id(), (symmetry.clone(), from)));
        }
    }
    if response.dragged() {
        let began: Option<(Symmetry, Ray)> = ui.data(|data| data.get_temp(id()));
        moved = began.zip(ray).and_then(|((before, from), to)| dragged_center(&document, &before, &from, &to));
    }
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let keys = [(Key::ArrowLeft, [-1, 0]), (Key::ArrowRight, [1, 0]), (Key::ArrowUp, [0, -1]), (Key::ArrowDown, [0, 1])];
        for (key, [by_x, by_y]) in keys {
            let times = ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
            let times = i32::try_from(times).unwrap_or(0);
            if times > 0 {
                let [x, y] = symmetry.center;
                moved = Some(symmetry.clone().centered([x.saturating_add(by_x * times), y.saturating_add(by_y * times)]));
            }
        }
    }
    if let Some(moved) = moved.filter(|moved| *moved != symmetry) {
        let mut out = vec![];
        shell.propose(Command::SetSymmetry(SetSymmetry::to(&moved)), &mut out);
        for action in out {
            if let super::shell::UiAction::Do(action) = action {
                editor.act(action);
            }
        }
        ui.ctx().request_repaint();
    }
    let is_held = response.dragged() || response.hovered() || response.has_focus();
    paint(ui, theme, rect, pos, is_held.then_some(format!("{x}, {y}")));
    response.on_hover_cursor(egui::CursorIcon::Move);
}

/// A ring with a cross, larger and with its place beside it while it is pointed at.
fn paint(ui: &Ui, theme: &Theme, rect: Rect, pos: egui::Pos2, place: Option<String>) {
    let painter = ui.painter().with_clip_rect(rect);
    let radius = if place.is_some() { 8.0 } else { 6.0 };
    let (fill, line) = if place.is_some() { (theme.accent, theme.back) } else { (theme.panel.gamma_multiply(0.85), theme.accent) };
    painter.circle(pos, radius, fill, Stroke::new(2.0, theme.accent));
    for arm in [Vec2::new(radius - 3.0, 0.0), Vec2::new(0.0, radius - 3.0)] {
        painter.line_segment([pos - arm, pos + arm], Stroke::new(1.5, line));
    }
    if let Some(place) = place {
        let text = painter.layout_no_wrap(place, FontId::proportional(theme::SMALL), theme.text);
        let area = Align2::LEFT_CENTER.anchor_size(pos + Vec2::new(radius + 6.0, 0.0), text.size());
        painter.rect_filled(area.expand2(Vec2::new(4.0, 1.0)), theme::RADIUS, theme.panel.gamma_multiply(0.85));
        painter.galley(area.min, text, theme.text);
    }
}
