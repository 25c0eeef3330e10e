//! A level curve as a graph whose points are dragged; the keys reach it by its text, which is an option as any other.

use egui::{Color32, CursorIcon, Id, Mesh, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Ui, Vec2};

use super::theme::{self, Theme};
use super::widget;
use crate::geom::LevelCurve;

/// Height of the graph, with the bar of brightnesses below.
const HEIGHT: f32 = 128.0;
/// Height of that bar.
const BAR: f32 = 6.0;
/// How near to a point the pointer takes it.
const REACH: f32 = 9.0;
/// Points of the drawn line.
const STEPS: usize = 96;
/// Least distance of two points from west to east.
const GAP: f64 = 0.01;

/// Shows the graph of a curve in a width and changes its text; answers whether it changed.
///
/// A text that is no curve has no graph; whoever reads the text says why.
pub fn curve_graph_ui(ui: &mut Ui, theme: &Theme, name: &str, width: f32, text: &mut String) -> bool {
    let before = text.clone();
    // The keys have the text.
    let (rect, response) = ui.allocate_exact_size(Vec2::new(width, HEIGHT), Sense::CLICK | Sense::DRAG);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, ui.is_enabled(), format!("Graph of {name}")));
    let graph = Rect::from_min_max(rect.min, rect.max - Vec2::new(0.0, BAR + 2.0)).shrink(1.0);
    let curve = text.parse::<LevelCurve>().ok();
    let id = Id::unique(("curve graph", name));
    let held = ui.data(|data| data.get_temp::<usize>(id));
    let mut points = curve.as_ref().map(LevelCurve::points).unwrap_or_default();
    let pointer = response.interact_pointer_pos();
    if let (Some(pointer), Some(curve)) = (pointer, &curve) {
        let pressed = ui.input(|input| input.pointer.press_origin()).unwrap_or(pointer);
        if response.secondary_clicked() {
            if let Some(index) = near(graph, &points, pointer).filter(|_| points.len() > 2) {
                points.remove(index);
                *text = LevelCurve::through(points.clone()).map_or_else(|| text.clone(), |curve| curve.to_string());
            }
        } else if response.dragged_by(egui::PointerButton::Primary) || response.clicked() && near(graph, &points, pressed).is_none() {
            let index = held.or_else(|| near(graph, &points, pressed)).unwrap_or_else(|| insert(&mut points, share(graph, pressed)));
            ui.data_mut(|data| data.insert_temp(id, index));
            drag(&mut points, index, share(graph, pointer));
            *text = LevelCurve::through(points.clone()).map_or_else(|| curve.to_string(), |curve| curve.to_string());
        }
    }
    if !response.is_pointer_button_down_on() {
        ui.data_mut(|data| data.remove::<usize>(id));
    }
    let under = response.hover_pos().and_then(|pointer| near(graph, &points, pointer));
    draw(ui, theme, graph, text.parse().ok().as_ref(), held.or(under));
    response.on_hover_cursor(if held.or(under).is_some() { CursorIcon::Grab } else { CursorIcon::Crosshair });
    widget::hint(ui, theme, "Drag the line to bend it; the right button takes a point out");
    *text != before
}

/// Where in the graph a place is: brightness and height, 0 to 1, to the hundredth.
fn share(graph: Rect, pointer: Pos2) -> [f64; 2] {
    let at = ((pointer - graph.min) / graph.size()).clamp(Vec2::ZERO, Vec2::ONE);
    [hundredth(f64::from(at.x)), hundredth(1.0 - f64::from(at.y))]
}

fn hundredth(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn place(graph: Rect, [x, y]: [f64; 2]) -> Pos2 {
    graph.lerp_inside(Vec2::new(x as f32, 1.0 - y as f32))
}

/// The point within reach of the pointer.
fn near(graph: Rect, points: &[[f64; 2]], pointer: Pos2) -> Option<usize> {
    let distance = |index: &usize| points.get(*index).map_or(f32::INFINITY, |point| place(graph, *point).distance(pointer));
    (0..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).filter(|index| distance(index) <= REACH)
}

/// Puts a point among the others and answers which one it is: an older one where there is no room for another.
fn insert(points: &mut Vec<[f64; 2]>, point: [f64; 2]) -> usize {
    let index = points.partition_point(|other| other[0] < point[0]);
    let mut with = points.clone();
    with.insert(index, point);
    if LevelCurve::through(with.clone()).is_some() {
        *points = with;
    }
    index.min(points.len().saturating_sub(1))
}

/// Moves a point, not beyond its neighbours.
fn drag(points: &mut [[f64; 2]], index: usize, [x, y]: [f64; 2]) {
    let west = index.checked_sub(1).and_then(|west| points.get(west)).map_or(0.0, |point| point[0] + GAP);
    let east = points.get(index + 1).map_or(1.0, |point| point[0] - GAP);
    if let Some(point) = points.get_mut(index) {
        *point = [if west <= east { hundredth(x.clamp(west, east)) } else { point[0] }, y];
    }
}

fn draw(ui: &Ui, theme: &Theme, graph: Rect, curve: Option<&LevelCurve>, marked: Option<usize>) {
    let painter = ui.painter();
    painter.rect_filled(graph, theme::RADIUS, theme.field);
    for quarter in 1..4 {
        let at = quarter as f32 / 4.0;
        let thin = Stroke::new(1.0, theme.line);
        painter.line_segment([graph.lerp_inside(Vec2::new(at, 0.0)), graph.lerp_inside(Vec2::new(at, 1.0))], thin);
        painter.line_segment([graph.lerp_inside(Vec2::new(0.0, at)), graph.lerp_inside(Vec2::new(1.0, at))], thin);
    }
    let mut bar = Mesh::default();
    for (index, gray) in [0, 255].into_iter().enumerate() {
        let x = if index == 0 { graph.left() } else { graph.right() };
        bar.colored_vertex(Pos2::new(x, graph.bottom() + 3.0), Color32::from_gray(gray));
        bar.colored_vertex(Pos2::new(x, graph.bottom() + 3.0 + BAR), Color32::from_gray(gray));
    }
    bar.add_triangle(0, 1, 2);
    bar.add_triangle(1, 2, 3);
    painter.add(bar);
    painter.rect_stroke(graph, theme::RADIUS, Stroke::new(1.0, theme.line), StrokeKind::Inside);
    let Some(curve) = curve else { return };
    let line = (0..=STEPS).map(|step| step as f64 / STEPS as f64).map(|x| place(graph, [x, curve.at(x)])).collect();
    painter.add(Shape::line(line, Stroke::new(1.5, theme.accent)));
    for (index, point) in curve.points().into_iter().enumerate() {
        let radius = if marked == Some(index) { 5.0 } else { 3.5 };
        painter.circle(place(graph, point), radius, theme.accent, Stroke::new(1.0, theme.text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_put_in_and_stay_between_their_neighbours() {
        let mut points = LevelCurve::LINEAR.points();
        let index = insert(&mut points, [0.5, 0.2]);
        assert_eq!((index, &points[..]), (1, &[[0.0, 0.0], [0.5, 0.2], [1.0, 1.0]][..]));
        drag(&mut points, 1, [1.0, 0.75]);
        drag(&mut points, 0, [0.999, 0.1]);
        assert_eq!(points, [[0.98, 0.1], [0.99, 0.75], [1.0, 1.0]]);
        // Where there is no room for another the next one is taken.
        assert_eq!((insert(&mut points, [0.99, 0.0]), points.len()), (1, 3));
        assert!(LevelCurve::through(points).is_some());
    }
}
