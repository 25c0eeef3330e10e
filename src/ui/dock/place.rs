//! Where a dragged panel would go: shown while it is dragged, done when it is let go.

use egui::{Pos2, Rect, Stroke, StrokeKind, Ui};

use super::TITLE_HEIGHT;
use super::arrange::Placed;
use crate::editor::dock::{Direction, Dock, Group, Order, Panel, Side, Spot, Target};
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};

/// Share of a panel, or of the map, within which its edges take what is dropped.
const EDGE: f32 = 0.25;

/// Shows where the panel would go, and puts it there once it is let go.
pub fn drop_ui(ui: &Ui, theme: &Theme, dock: &Dock, placed: &Placed, panel: Panel, out: &mut Vec<UiAction>) {
    let Some(at) = ui.input(|input| input.pointer.interact_pos()) else { return };
    let Some((target, rect)) = target_at(dock, placed, panel, at) else { return };
    let painter = ui.painter();
    painter.rect_filled(rect, theme::RADIUS, theme.accent_back.gamma_multiply(0.5));
    painter.rect_stroke(rect, theme::RADIUS, Stroke::new(1.0, theme.accent), StrokeKind::Inside);
    if ui.input(|input| input.pointer.any_released()) {
        out.push(UiAction::Dock(Order::Put(panel, target)));
    }
}

/// What is under the pointer, and which part of it the panel would take.
fn target_at(dock: &Dock, placed: &Placed, panel: Panel, at: Pos2) -> Option<(Target, Rect)> {
    if let Some((group, rect)) = placed.groups().find(|(_, rect)| rect.contains(at)) {
        return spot_in(group, rect, panel, at);
    }
    if placed.map.contains(at) {
        let side = side_at(placed.map, at)?;
        return Some((Target::Side(side), side_rect(dock, placed, side)));
    }
    // Under folded panels.
    let (side, _) = placed.sides.iter().find(|(_, rect)| rect.contains(at))?;
    Some((Target::Side(*side), side_rect(dock, placed, *side)))
}

fn spot_in(group: &Group, rect: Rect, panel: Panel, at: Pos2) -> Option<(Target, Rect)> {
    let is_own = group.panels().contains(&panel);
    if is_own && group.panels().len() == 1 {
        return None;
    }
    let from_left = (at.x - rect.min.x) / rect.width();
    let from_top = (at.y - rect.min.y) / rect.height();
    let edges = [(from_top, Spot::Above), (1.0 - from_top, Spot::Below), (from_left, Spot::Left), (1.0 - from_left, Spot::Right)];
    let nearest = edges.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let is_title = at.y < rect.min.y + TITLE_HEIGHT;
    let spot = if is_title || group.is_folded() || nearest.0 > EDGE { Spot::Tabs } else { nearest.1 };
    if is_own && spot == Spot::Tabs {
        return None;
    }
    Some((Target::Group(group.front(), spot), part_of(rect, spot)))
}

fn part_of(rect: Rect, spot: Spot) -> Rect {
    match spot {
        Spot::Tabs => rect,
        Spot::Above => rect.split_top_bottom_at_fraction(0.5).0,
        Spot::Below => rect.split_top_bottom_at_fraction(0.5).1,
        Spot::Left => rect.split_left_right_at_fraction(0.5).0,
        Spot::Right => rect.split_left_right_at_fraction(0.5).1,
    }
}

/// The side whose edge of the map is near.
fn side_at(map: Rect, at: Pos2) -> Option<Side> {
    let from_left = (at.x - map.min.x) / map.width();
    let edges = [(from_left, Side::Left), (1.0 - from_left, Side::Right), ((map.max.y - at.y) / map.height(), Side::Below)];
    edges.into_iter().filter(|(distance, _)| *distance <= EDGE).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, side)| side)
}

/// Where a panel lies that is added to a side: at its end, or in a strip of the map.
fn side_rect(dock: &Dock, placed: &Placed, side: Side) -> Rect {
    let own = placed.sides.iter().find(|(other, _)| *other == side).map(|(_, rect)| *rect);
    if let Some(rect) = own {
        let half = if side.direction() == Direction::Row { Spot::Right } else { Spot::Below };
        return part_of(rect, half);
    }
    let (mut rect, size) = (placed.map, dock.area(side).size as f32);
    match side {
        Side::Left => rect.max.x = rect.max.x.min(rect.min.x + size),
        Side::Right => rect.min.x = rect.min.x.max(rect.max.x - size),
        Side::Below => rect.min.y = rect.min.y.max(rect.max.y - size),
    }
    rect
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::dock::arrange::arrange;

    /// The window: the map is 979 points wide, the column of panels 300.
    const WINDOW: Rect = Rect { min: Pos2::ZERO, max: Pos2::new(1280.0, 700.0) };

    #[track_caller]
    fn check(panel: Panel, at: [f32; 2], expected: Option<Target>) {
        let dock = Dock::default();
        let placed = arrange(&dock, WINDOW);
        let found = target_at(&dock, &placed, panel, at.into());
        assert_eq!(found.map(|(target, _)| target), expected);
        assert!(found.is_none_or(|(_, rect)| WINDOW.contains_rect(rect)));
    }

    #[test]
    fn the_edges_of_the_map_and_of_panels_take_what_is_dropped() {
        check(Panel::Color, [100.0, 300.0], Some(Target::Side(Side::Left)));
        check(Panel::Color, [950.0, 300.0], Some(Target::Side(Side::Right)));
        check(Panel::Color, [500.0, 680.0], Some(Target::Side(Side::Below)));
        check(Panel::Color, [500.0, 300.0], None);
        check(Panel::Color, [500.0, 10.0], None);
        check(Panel::Color, [1100.0, 100.0], None);
        check(Panel::History, [1100.0, 10.0], Some(Target::Group(Panel::Color, Spot::Tabs)));
        check(Panel::History, [1100.0, 150.0], Some(Target::Group(Panel::Color, Spot::Tabs)));
        check(Panel::History, [1100.0, 40.0], Some(Target::Group(Panel::Color, Spot::Above)));
        check(Panel::History, [1100.0, 340.0], Some(Target::Group(Panel::Color, Spot::Below)));
        check(Panel::History, [990.0, 150.0], Some(Target::Group(Panel::Color, Spot::Left)));
        check(Panel::History, [1270.0, 150.0], Some(Target::Group(Panel::Color, Spot::Right)));
        // A tab leaves its own group by an edge, not by its middle.
        check(Panel::Map, [1100.0, 450.0], None);
        check(Panel::Map, [1100.0, 560.0], Some(Target::Group(Panel::Objects, Spot::Below)));
    }
}
