//! Titles of panels, and the menu that puts a panel elsewhere without the pointer.

use egui::accesskit::Role as NodeRole;
use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, FontId, Popup, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo};

use super::TITLE_HEIGHT;
use crate::editor::dock::{Direction, Dock, Group, Node, Order, Panel, Side, Spot, Target};
use crate::ui::shell::UiAction;
use crate::ui::theme::{self, Theme};
use crate::ui::{icon, widget};

/// Space beside a title.
const MARGIN: f32 = 8.0;
/// From the left edge of a title with a chevron to its text.
const INDENT: f32 = 18.0;
/// Side of the button that opens the menu.
const BUTTON: f32 = 20.0;
/// How much a part grows or shrinks at a time, in percent.
const GROW: i32 = 20;

/// The title of a panel, which shows it, folds it, and is dragged elsewhere.
#[expect(clippy::too_many_arguments, reason = "what is drawn, with what, where")]
pub fn title_ui(
    ui: &mut Ui,
    theme: &Theme,
    dock: &Dock,
    group: &Group,
    group_rect: Rect,
    panel: Panel,
    id: egui::Id,
    out: &mut Vec<UiAction>,
) -> Response {
    let is_front = group.front() == panel;
    let is_alone = group.panels().len() == 1;
    let is_seen = is_front && !group.is_folded();
    let indent = indent(group, panel);
    let space = group_rect.width() - BUTTON - 2.0 * MARGIN;
    // A title that stands alone is as wide as its panel.
    let width = if is_alone { space } else { width_within(ui, group, panel, space) };
    let (_, rect) = ui.allocate_space(Vec2::new(width, TITLE_HEIGHT));
    let response = ui.interact(rect, id, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::selected(Role::Tab, ui.is_enabled(), is_front, panel.label()));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_role(NodeRole::Tab);
        node.set_expanded(is_seen);
    });
    let color = match (is_front, response.hovered()) {
        (true, _) | (false, true) => theme.text,
        (false, false) => theme.text_dim,
    };
    if is_front {
        let chevron = if group.is_folded() { "chevron-right" } else { "chevron-down" };
        let at = rect.left_center() + Vec2::new(MARGIN + 7.0, 0.0);
        ui.painter().text(at, Align2::CENTER_CENTER, icon::glyph(chevron), icon::font(12.0), color);
    }
    let mut job = LayoutJob::simple_singleline(panel.label().into(), FontId::proportional(theme::BODY), color);
    job.wrap = TextWrapping::truncate_at_width((rect.width() - indent - MARGIN + 1.0).max(0.0));
    let galley = ui.painter().layout_job(job);
    let at = rect.left_center() + Vec2::new(indent, -galley.size().y / 2.0);
    if is_front {
        // Bold is drawn as a second stroke: the built-in font has one weight.
        ui.painter().galley(at + Vec2::new(0.4, 0.0), galley.clone(), color);
    }
    ui.painter().galley(at, galley, color);
    if is_seen && !is_alone {
        let ends = [rect.left_bottom() + Vec2::new(MARGIN, -1.0), rect.right_bottom() + Vec2::new(-MARGIN, -1.0)];
        ui.painter().line_segment(ends, Stroke::new(2.0, theme.accent));
    }
    if response.has_focus() {
        ui.painter().rect_stroke(rect.shrink(2.0), theme::RADIUS, Stroke::new(1.0, theme.accent), StrokeKind::Inside);
    }
    if response.clicked() {
        out.push(UiAction::Dock(Order::Fold(panel)));
    }
    widget::context_menu(&response, |ui| menu_ui(ui, dock, panel, out));
    response.on_hover_ui(|ui| {
        widget::tooltip(ui, theme, panel.label(), "", Some("Click folds it, drag puts it elsewhere, right click for more"));
    })
}

/// From the left edge of a title to its text: the one in front has a chevron.
fn indent(group: &Group, panel: Panel) -> f32 {
    MARGIN + if group.front() == panel { INDENT } else { 0.0 }
}

/// How wide a title is beside others: where they do not fit, the longest are cut off.
fn width_within(ui: &Ui, group: &Group, panel: Panel, space: f32) -> f32 {
    let text =
        |panel: Panel| ui.painter().layout_no_wrap(panel.label().into(), FontId::proportional(theme::BODY), Color32::TRANSPARENT).size().x;
    let own = |panel: Panel| (indent(group, panel) + text(panel) + MARGIN).ceil();
    let mut widths: Vec<f32> = group.panels().iter().map(|panel| own(*panel)).collect();
    widths.sort_by(f32::total_cmp);
    // The shortest take what they need; what is left is shared by the others.
    let (mut left, mut most) = (space, f32::INFINITY);
    for (number, width) in widths.iter().enumerate() {
        let share = left / (widths.len() - number) as f32;
        if *width > share {
            most = share.floor();
            break;
        }
        left -= width;
    }
    own(panel).min(most)
}

/// The button at the end of a title.
pub fn menu_button_ui(ui: &mut Ui, theme: &Theme, dock: &Dock, panel: Panel, out: &mut Vec<UiAction>) {
    ui.add_space(MARGIN - 4.0);
    let button = widget::icon_button(ui, theme, "ellipsis", &format!("Place of panel {panel}"), "", BUTTON);
    Popup::menu(&button).show(|ui| menu_ui(ui, dock, panel, out));
}

/// Everything that can be done to a panel.
fn menu_ui(ui: &mut Ui, dock: &Dock, panel: Panel, out: &mut Vec<UiAction>) {
    ui.set_min_width(180.0);
    let Some((side, group)) = dock.find(panel) else { return };
    let is_folded = group.is_folded();
    let is_alone = group.panels().len() == 1;
    let mut entry = |ui: &mut Ui, is_enabled: bool, label: &str, order: Order| {
        let response = ui.add_enabled(is_enabled, egui::Button::new(label));
        if response.clicked() {
            out.push(UiAction::Dock(order));
            ui.close();
        }
    };
    let fold = if is_folded { "Unfold" } else { "Fold" };
    entry(ui, true, fold, if is_folded { Order::Show(panel) } else { Order::Fold(panel) });
    entry(ui, true, "Close", Order::Close(panel));
    ui.separator();
    for (label, to) in [("Dock left", Side::Left), ("Dock right", Side::Right), ("Dock below", Side::Below)] {
        let is_there = is_alone && dock.groups(to).len() == 1 && side == to;
        entry(ui, !is_there, label, Order::Put(panel, Target::Side(to)));
    }
    for other in dock_fronts(dock).filter(|other| *other != panel) {
        let spots = [
            ("In its tabs", Spot::Tabs),
            ("Above it", Spot::Above),
            ("Below it", Spot::Below),
            ("Left of it", Spot::Left),
            ("Right of it", Spot::Right),
        ];
        ui.menu_button(format!("At {other}"), |ui| {
            let is_mate = group.panels().contains(&other);
            for (label, spot) in spots {
                entry(ui, !(is_mate && spot == Spot::Tabs), label, Order::Put(panel, Target::Group(other, spot)));
            }
        });
    }
    ui.separator();
    if let Some((direction, at, count)) = neighbors(dock, side, panel) {
        let [before, after] = if direction == Direction::Row { ["Move left", "Move right"] } else { ["Move up", "Move down"] };
        entry(ui, at > 0, before, Order::Swap(panel, false));
        entry(ui, at + 1 < count, after, Order::Swap(panel, true));
    }
    entry(ui, !is_folded, "Larger", Order::Grow(panel, GROW));
    entry(ui, !is_folded, "Smaller", Order::Grow(panel, -GROW));
}

fn dock_fronts(dock: &Dock) -> impl Iterator<Item = Panel> {
    Side::ALL.into_iter().flat_map(|side| dock.groups(side)).map(Group::front)
}

/// How the panel's group lies among its neighbours: the direction, its place, their number.
fn neighbors(dock: &Dock, side: Side, panel: Panel) -> Option<(Direction, usize, usize)> {
    let mut node = dock.area(side).root.as_ref()?;
    let mut found = None;
    while let Node::Split(split) = node {
        let holds = |node: &Node| node.groups().iter().any(|group| group.panels().contains(&panel));
        let at = split.parts().iter().position(|part| holds(&part.node))?;
        found = Some((split.direction(), at, split.parts().len()));
        node = &split.parts().get(at)?.node;
    }
    found
}
