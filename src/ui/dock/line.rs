//! The lines between panels, and between panels and map: dragging one makes what is beside it longer and shorter.
//!
//! The lines of `egui_tiles` would be stops of Tab without a name that no key moves. These are no stops at all: by keys,
//! a panel becomes larger and smaller in the menu of its title.

use egui::{Context, CursorIcon, Id, Rect, Sense, Stroke, Ui};
use egui_tiles::{TileId, Tree};

use super::arrange::{LEAST, Owner, Placed, Tile};
use super::{LINE, Pane};
use crate::editor::dock::{Direction, Order};
use crate::ui::shell::UiAction;
use crate::ui::theme::Theme;

/// The lines that were drawn last: what is under them does not get the pointer.
pub fn drawn(ctx: &Context) -> Vec<Id> {
    ctx.data(|data| data.get_temp(place())).unwrap_or_default()
}

fn place() -> Id {
    Id::unique("dock lines")
}

/// Draws all lines, and asks for the lengths that one was dragged to.
pub fn lines_ui(ui: &Ui, theme: &Theme, placed: &Placed, tree: &Tree<Pane>, out: &mut Vec<UiAction>) {
    let mut ids = vec![];
    for tile in &placed.tiles {
        let Tile::Split { id, direction, children, owner } = tile else { continue };
        // What is folded has the length of its title.
        let is_fixed = matches!(owner, Owner::Part { shares, .. } if shares.iter().all(Option::is_some));
        let before: Vec<f32> = children.iter().map(|(_, length)| *length).collect();
        for (first, pair) in children.windows(2).enumerate() {
            let [Some(left), Some(right)] = [pair[0].0, pair[1].0].map(|tile| tree.tiles.rect(TileId::from_u64(tile))) else { continue };
            let (id, sense) = (Id::unique(("dock line", *id, first)), if is_fixed { Sense::hover() } else { Sense::CLICK | Sense::DRAG });
            ids.extend((!is_fixed).then_some(id));
            if let Some(moved) = line_ui(ui, theme, id, sense, *direction, [left, right]) {
                let (now, is_reset) = match moved {
                    Moved::By(points) => (shifted(&before, first, points), false),
                    Moved::Back => (evened(&before, first), true),
                };
                out.extend(orders(owner, &before, &now, is_reset).into_iter().map(UiAction::Dock));
            }
        }
    }
    ui.data_mut(|data| data.insert_temp(place(), ids));
}

/// What was done to a line.
enum Moved {
    /// It was dragged by so many points to the right or down.
    By(f32),
    /// A double click puts a side back to its usual size, and parts of one to equal ones.
    Back,
}

/// One line between two tiles.
fn line_ui(ui: &Ui, theme: &Theme, id: Id, sense: Sense, direction: Direction, [left, right]: [Rect; 2]) -> Option<Moved> {
    let is_row = direction == Direction::Row;
    let grab = 2.0 * ui.style().interaction.resize_grab_radius_side;
    let both = left.union(right);
    let (at, rect, cursor) = if is_row {
        let at = f32::midpoint(left.max.x, right.min.x);
        (at, Rect::from_center_size(egui::pos2(at, both.center().y), egui::vec2(grab, both.height())), CursorIcon::ResizeHorizontal)
    } else {
        let at = f32::midpoint(left.max.y, right.min.y);
        (at, Rect::from_center_size(egui::pos2(both.center().x, at), egui::vec2(both.width(), grab)), CursorIcon::ResizeVertical)
    };
    let response = ui.interact(rect, id, sense);
    let is_in_hand = sense.interactive() && (response.hovered() || response.dragged());
    if is_in_hand {
        ui.set_cursor_icon(cursor);
    }
    let stroke = Stroke::new(LINE, if is_in_hand { theme.accent } else { theme.line });
    if is_row {
        ui.painter().vline(at, both.y_range(), stroke);
    } else {
        ui.painter().hline(both.x_range(), at, stroke);
    }
    if response.double_clicked() {
        return Some(Moved::Back);
    }
    // What the pointer still moved in the frame that lets go counts, too.
    let pointer = ui.ctx().pointer_interact_pos().filter(|_| response.dragged() || response.drag_stopped())?;
    Some(Moved::By(if is_row { pointer.x } else { pointer.y } - at))
}

/// Lengths once the line behind a part was moved: those in front of it give way down to [`LEAST`], the nearest first.
fn shifted(before: &[f32], first: usize, points: f32) -> Vec<f32> {
    let mut lengths = before.to_vec();
    let (grows, shrinking): (usize, Vec<usize>) =
        if points < 0.0 { (first + 1, (0..=first).rev().collect()) } else { (first, (first + 1..before.len()).collect()) };
    let mut left = points.abs();
    for part in shrinking {
        let given = left.min((lengths[part] - LEAST).max(0.0));
        lengths[part] -= given;
        lengths[grows] += given;
        left -= given;
    }
    lengths
}

/// Lengths with the line in the middle between both that it parts.
fn evened(before: &[f32], first: usize) -> Vec<f32> {
    let mut lengths = before.to_vec();
    let mean = f32::midpoint(before[first], before[first + 1]);
    lengths[first..=first + 1].fill(mean);
    lengths
}

/// What makes the dock have these lengths.
fn orders(owner: &Owner, before: &[f32], now: &[f32], is_reset: bool) -> Vec<Order> {
    let is_same = |now: f32, before: f32| (now - before).abs() < 0.1;
    if now.iter().zip(before).all(|(now, before)| is_same(*now, *before)) {
        return vec![];
    }
    // Lengths in points: small and positive.
    let points = |length: f32| length.round().max(1.0) as u32;
    match owner {
        Owner::Sides(sides) => {
            let changed = now.iter().zip(before).zip(sides).filter(|((now, before), _)| !is_same(**now, **before));
            let sizes = changed.filter_map(|((now, _), side)| Some((side.as_ref()?, *now)));
            sizes.map(|(side, now)| Order::Resize(*side, if is_reset { side.usual_size() } else { points(now) })).collect()
        }
        Owner::Part { side, path, shares } => {
            // What is folded keeps the share that it had.
            let shares = now.iter().zip(shares).map(|(now, share)| share.unwrap_or_else(|| points(*now))).collect();
            vec![Order::Share(*side, path.clone(), shares)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::dock::Side;

    #[test]
    fn a_line_takes_from_the_nearest_first_and_leaves_each_the_least() {
        let before = [100.0, 200.0, 300.0];
        for (first, points, expected) in [
            (0, 50.0, [150.0, 150.0, 300.0]),
            (0, 200.0, [300.0, LEAST, 300.0 - (200.0 - (200.0 - LEAST))]),
            (0, 900.0, [600.0 - 2.0 * LEAST, LEAST, LEAST]),
            (1, -150.0, [100.0 - (150.0 - (200.0 - LEAST)), LEAST, 450.0]),
            (1, 0.0, before),
        ] {
            assert_eq!(shifted(&before, first, points), expected, "{first} {points}");
        }
        assert_eq!(shifted(&[30.0, 200.0], 0, -10.0), [30.0, 200.0], "what is short already does not get shorter");
        assert_eq!(evened(&before, 1), [100.0, 250.0, 250.0]);
    }

    #[test]
    fn lengths_become_sizes_of_sides_and_shares_of_parts() {
        let sides = Owner::Sides(vec![Some(Side::Left), None, Some(Side::Right)]);
        let size = |side, size| vec![Order::Resize(side, size)];
        assert_eq!(orders(&sides, &[200.0, 600.0, 300.0], &[200.0, 550.0, 350.0], false), size(Side::Right, 350));
        assert_eq!(orders(&sides, &[200.0, 600.0, 300.0], &[400.0, 400.0, 300.0], true), size(Side::Left, Side::Left.usual_size()));
        assert_eq!(orders(&sides, &[200.0, 600.0, 300.0], &[200.0, 600.0, 300.0], false), []);
        let part = Owner::Part { side: Side::Left, path: vec![1], shares: vec![None, Some(7)] };
        assert_eq!(orders(&part, &[100.0, 28.0], &[90.0, 38.0], false), [Order::Share(Side::Left, vec![1], vec![90, 7])]);
    }
}
