//! How long every part of the dock is: folded ones as long as their titles, sides as wide as they were made, the map the rest.
//!
//! Plain arithmetic; `egui_tiles` is given the lengths as shares.

use egui::{Rect, Vec2};

use super::{LINE, TITLE_HEIGHT};
use crate::editor::dock::{Direction, Dock, Group, Node, Side};

/// Id of the tile that holds all others.
pub const ROOT: u64 = 1;
/// Of the tile that holds the map and what lies below it.
const MIDDLE: u64 = 2;
/// Of the map.
const MAP: u64 = 3;
/// Of the first panel.
pub const FIRST_PANEL: u64 = 10;
/// Of the first of the others, which are numbered as they come.
const FIRST_OTHER: u64 = 1000;

/// Shortest part that a line can be dragged to.
pub const LEAST: f32 = 72.0;
/// Width of a folded panel beside others.
const FOLDED_WIDTH: f32 = 160.0;
/// The map is never smaller, unless the window is.
const LEAST_MAP: Vec2 = Vec2::new(200.0, 120.0);

/// What the lengths of a split belong to.
#[derive(Clone, Debug, PartialEq)]
pub enum Owner {
    /// To the sides; `None` is the map.
    Sides(Vec<Option<Side>>),
    /// To a split at a side; a folded part comes with the share that it has once it is unfolded.
    Part {
        /// The side.
        side: Side,
        /// Numbers of the parts on the way to it.
        path: Vec<usize>,
        /// Of each folded part.
        shares: Vec<Option<u32>>,
    },
}

/// A place in the window.
#[derive(Clone, Debug, PartialEq)]
pub enum Tile {
    /// The map.
    Map,
    /// Nothing: everything beside it is folded.
    Rest {
        /// Its number.
        id: u64,
    },
    /// Panels.
    Group {
        /// Its number.
        id: u64,
        /// The panels.
        group: Group,
        /// Where they are.
        rect: Rect,
        /// At which side.
        side: Side,
    },
    /// Tiles beside or below each other.
    Split {
        /// Its number.
        id: u64,
        /// How they lie.
        direction: Direction,
        /// Their numbers and lengths in points.
        children: Vec<(u64, f32)>,
        /// What the lengths belong to.
        owner: Owner,
    },
}

impl Tile {
    /// Its number.
    pub fn id(&self) -> u64 {
        match self {
            Self::Map => MAP,
            Self::Rest { id } | Self::Group { id, .. } | Self::Split { id, .. } => *id,
        }
    }
}

/// Where everything is.
pub struct Placed {
    /// All tiles, in no order.
    pub tiles: Vec<Tile>,
    /// The map.
    pub map: Rect,
    /// The sides that have panels.
    pub sides: Vec<(Side, Rect)>,
}

impl Placed {
    /// All groups and where they are.
    pub fn groups(&self) -> impl Iterator<Item = (&Group, Rect)> {
        self.tiles.iter().filter_map(|tile| match tile {
            Tile::Group { group, rect, .. } => Some((group, *rect)),
            _ => None,
        })
    }

    fn next_id(&self) -> u64 {
        FIRST_OTHER + self.tiles.len() as u64
    }
}

/// Works out where everything is in a rectangle.
pub fn arrange(dock: &Dock, whole: Rect) -> Placed {
    let width = |side| dock.area(side).root.as_ref().map(|_| dock.area(side).size as f32);
    let (left, right) = squeezed(width(Side::Left), width(Side::Right), whole.width() - LEAST_MAP.x);
    let mut middle = whole;
    middle.min.x += left.map_or(0.0, |width| width + LINE);
    middle.max.x -= right.map_or(0.0, |width| width + LINE);
    let most = (whole.height() - LEAST_MAP.y).max(TITLE_HEIGHT);
    let below = dock.area(Side::Below).root.as_ref().map(|root| match folded_height(root).filter(|_| root.is_folded()) {
        Some(height) => height,
        None => (dock.area(Side::Below).size as f32).min(most),
    });
    let mut map = middle;
    map.max.y -= below.map_or(0.0, |height| height + LINE);

    let mut placed = Placed { tiles: vec![Tile::Map], map, sides: vec![] };
    let mut columns = (vec![], vec![]);
    let mut rows = (vec![(MAP, map.height())], vec![None]);
    if let (Some(root), Some(width)) = (&dock.area(Side::Left).root, left) {
        let rect = Rect::from_min_size(whole.min, Vec2::new(width, whole.height()));
        columns.0.push((side_tile(&mut placed, Side::Left, root, rect), width));
        columns.1.push(Some(Side::Left));
    }
    columns.0.push((MIDDLE, middle.width()));
    columns.1.push(None);
    if let (Some(root), Some(height)) = (&dock.area(Side::Below).root, below) {
        let rect = Rect::from_min_max(egui::pos2(middle.min.x, middle.max.y - height), middle.max);
        rows.0.push((side_tile(&mut placed, Side::Below, root, rect), height));
        rows.1.push(Some(Side::Below));
    }
    if let (Some(root), Some(width)) = (&dock.area(Side::Right).root, right) {
        let rect = Rect::from_min_max(egui::pos2(whole.max.x - width, whole.min.y), whole.max);
        columns.0.push((side_tile(&mut placed, Side::Right, root, rect), width));
        columns.1.push(Some(Side::Right));
    }
    let split = |id, direction, (children, sides)| Tile::Split { id, direction, children, owner: Owner::Sides(sides) };
    placed.tiles.push(split(MIDDLE, Direction::Column, rows));
    placed.tiles.push(split(ROOT, Direction::Row, columns));
    placed
}

/// Widths of both columns where there are no more than `most` points for them.
fn squeezed(left: Option<f32>, right: Option<f32>, most: f32) -> (Option<f32>, Option<f32>) {
    let whole = left.unwrap_or(0.0) + right.unwrap_or(0.0);
    let scale = if whole > most.max(1.0) { most.max(1.0) / whole } else { 1.0 };
    let scaled = |width: Option<f32>| width.map(|width| (width * scale).round().max(1.0));
    (scaled(left), scaled(right))
}

fn side_tile(placed: &mut Placed, side: Side, root: &Node, rect: Rect) -> u64 {
    placed.sides.push((side, rect));
    // A group that is folded at its side leaves a rest, as a split of one would.
    let is_column = side.direction() == Direction::Column;
    match root {
        Node::Group(group) if group.is_folded() && is_column => {
            let mut title = rect;
            title.max.y = title.min.y + TITLE_HEIGHT;
            let own = node_tile(placed, side, root, title, &mut vec![]);
            let rest = rest_tile(placed);
            let id = placed.next_id();
            let children = vec![(own, TITLE_HEIGHT), (rest, (rect.height() - TITLE_HEIGHT - LINE).max(0.0))];
            let owner = Owner::Part { side, path: vec![], shares: vec![] };
            placed.tiles.push(Tile::Split { id, direction: Direction::Column, children, owner });
            id
        }
        _ => node_tile(placed, side, root, rect, &mut vec![]),
    }
}

fn rest_tile(placed: &mut Placed) -> u64 {
    let id = placed.next_id();
    placed.tiles.push(Tile::Rest { id });
    id
}

fn node_tile(placed: &mut Placed, side: Side, node: &Node, rect: Rect, path: &mut Vec<usize>) -> u64 {
    let split = match node {
        Node::Group(group) => {
            let id = placed.next_id();
            placed.tiles.push(Tile::Group { id, group: group.clone(), rect, side });
            return id;
        }
        Node::Split(split) => split,
    };
    let direction = split.direction();
    let is_row = direction == Direction::Row;
    let fixed = |node: &Node| match direction {
        // In a row of titles alone nobody needs to be narrow.
        Direction::Row if split.parts().iter().all(|part| part.node.is_folded()) => None,
        Direction::Row => folded_width(node),
        Direction::Column => folded_height(node),
    };
    let parts: Vec<_> = split.parts().iter().map(|part| (part.share, fixed(&part.node).filter(|_| part.node.is_folded()))).collect();
    let whole = if is_row { rect.width() } else { rect.height() };
    let is_rest = parts.iter().all(|(_, fixed)| fixed.is_some());
    let gaps = LINE * (parts.len() - usize::from(!is_rest)) as f32;
    let lengths = lengths(&parts, whole - gaps);
    let mut children = vec![];
    let mut at = if is_row { rect.min.x } else { rect.min.y };
    for (number, (part, length)) in split.parts().iter().zip(&lengths).enumerate() {
        let rect = if is_row {
            Rect::from_x_y_ranges(at..=at + length, rect.y_range())
        } else {
            Rect::from_x_y_ranges(rect.x_range(), at..=at + length)
        };
        path.push(number);
        children.push((node_tile(placed, side, &part.node, rect, path), *length));
        path.pop();
        at += length + LINE;
    }
    if is_rest {
        let rest = rest_tile(placed);
        children.push((rest, (whole - gaps - lengths.iter().sum::<f32>()).max(0.0)));
    }
    let shares = parts.iter().map(|(share, fixed)| fixed.map(|_| *share)).collect();
    let id = placed.next_id();
    placed.tiles.push(Tile::Split { id, direction, children, owner: Owner::Part { side, path: path.clone(), shares } });
    id
}

/// Lengths of parts with a share, or of a fixed length, that fill what there is; none under [`LEAST`] while there is enough.
fn lengths(parts: &[(u32, Option<f32>)], whole: f32) -> Vec<f32> {
    let free = (whole - parts.iter().filter_map(|(_, fixed)| *fixed).sum::<f32>()).max(0.0);
    let count = parts.iter().filter(|(_, fixed)| fixed.is_none()).count();
    let least = LEAST.min(free / count.max(1) as f32);
    // Those that would be too short take the least, and the others share what is left, until nobody is.
    let mut is_short = vec![false; parts.len()];
    loop {
        let sharing = parts.iter().zip(&is_short).filter(|((_, fixed), short)| fixed.is_none() && !**short);
        let shares: f32 = sharing.map(|((share, _), _)| *share as f32).sum();
        let left = free - least * is_short.iter().filter(|short| **short).count() as f32;
        let length = |share: u32| left * share as f32 / shares.max(1.0);
        let before = is_short.clone();
        for ((share, fixed), short) in parts.iter().zip(&mut is_short) {
            *short |= fixed.is_none() && length(*share) < least - 0.01;
        }
        if is_short == before {
            let own = |((share, fixed), short): (&(u32, Option<f32>), &bool)| fixed.unwrap_or(if *short { least } else { length(*share) });
            let mut lengths: Vec<f32> = parts.iter().zip(&is_short).map(own).map(f32::round).collect();
            // What rounding left over goes to the longest.
            let over = free + parts.iter().filter_map(|(_, fixed)| *fixed).sum::<f32>() - lengths.iter().sum::<f32>();
            let sharing = parts.iter().zip(&mut lengths).filter(|((_, fixed), _)| fixed.is_none()).map(|(_, length)| length);
            if let Some(longest) = sharing.max_by(|a, b| a.total_cmp(b)) {
                *longest = (*longest + over).max(0.0);
            }
            return lengths;
        }
    }
}

/// How high a node is once all of it is folded.
fn folded_height(node: &Node) -> Option<f32> {
    match node {
        Node::Group(_) => Some(TITLE_HEIGHT),
        Node::Split(split) => {
            let heights = split.parts().iter().filter_map(|part| folded_height(&part.node));
            Some(match split.direction() {
                Direction::Row => heights.fold(0.0, f32::max),
                Direction::Column => heights.sum::<f32>() + LINE * (split.parts().len() - 1) as f32,
            })
        }
    }
}

/// How wide it is then, beside something that is not.
fn folded_width(node: &Node) -> Option<f32> {
    match node {
        Node::Group(_) => Some(FOLDED_WIDTH),
        Node::Split(split) => {
            let widths = split.parts().iter().filter_map(|part| folded_width(&part.node));
            Some(match split.direction() {
                Direction::Row => widths.sum::<f32>() + LINE * (split.parts().len() - 1) as f32,
                Direction::Column => widths.fold(0.0, f32::max),
            })
        }
    }
}
