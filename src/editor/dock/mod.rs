//! Where the panels of the window lie: left, right and below the map, in tabs, beside and above each other.
//!
//! A [`Dock`] is plain data that is always whole: each panel stands in it once or not at all, nothing in it is
//! empty, sizes are positive. What a person does to panels ([`Order`]) is done here, so that a click, a key and
//! a drag end in the same place; the window only draws it. The settings hold it as small nested lists, see
//! [`read`](Dock::read).
//!
//! The map is not part of it: it takes what the panels leave, so that no layout can lose it.

mod layout;
mod order;
mod text;

use std::fmt;

pub use layout::Layout;
pub use order::{Order, Spot, Target};

/// Smallest and largest width of the columns beside the map, in points.
pub const WIDTHS: (u32, u32) = (260, 520);
/// Smallest and largest height of the row below it.
pub const HEIGHTS: (u32, u32) = (80, 600);
/// Smallest and largest share of a part.
const SHARES: (u32, u32) = (1, 10_000);
/// Share of a part that says none.
const USUAL_SHARE: u32 = 100;
/// How deep parts are nested: more than anybody sees a use in, and few enough for every walk through them.
const MOST_DEPTH: usize = 8;

/// A panel of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Panel {
    /// Colour picker and palette.
    Color,
    /// Teams and objects.
    Objects,
    /// Facts about the map.
    Map,
    /// The steps.
    History,
    /// What the program told.
    Log,
}

impl Panel {
    /// All of them, in the order of menus.
    pub const ALL: [Self; 5] = [Self::Color, Self::Objects, Self::Map, Self::History, Self::Log];

    /// Its id in the settings.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Color => "color",
            Self::Objects => "objects",
            Self::Map => "map",
            Self::History => "history",
            Self::Log => "log",
        }
    }

    /// Its title.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Color => "Color",
            Self::Objects => "Teams and objects",
            Self::Map => "Map",
            Self::History => "History",
            Self::Log => "Log",
        }
    }

    /// The action that opens and closes it.
    pub const fn action(self) -> &'static str {
        match self {
            Self::Color => "panel-color",
            Self::Objects => "panel-objects",
            Self::Map => "panel-map",
            Self::History => "panel-history",
            Self::Log => "panel-log",
        }
    }

    /// The panel of that id.
    pub fn by_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|panel| panel.id() == id)
    }

    /// The panel that an action opens and closes.
    pub fn by_action(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|panel| panel.action() == id)
    }
}

impl fmt::Display for Panel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// A side of the map that panels lie at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Between tool strip and map.
    Left,
    /// Between map and the edge of the window.
    Right,
    /// Between map and status bar, as wide as the map.
    Below,
}

impl Side {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Left, Self::Right, Self::Below];

    /// How what is added at a side lies to what is there.
    pub fn direction(self) -> Direction {
        if self == Self::Below { Direction::Row } else { Direction::Column }
    }

    fn sizes(self) -> (u32, u32) {
        if self == Self::Below { HEIGHTS } else { WIDTHS }
    }

    /// Its size at first, in points.
    pub fn usual_size(self) -> u32 {
        if self == Self::Below { 200 } else { 300 }
    }
}

/// How the parts of a split lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Beside each other, from left to right.
    Row,
    /// Below each other, from top to bottom.
    Column,
}

/// Panels on one place, of which one is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    panels: Vec<Panel>,
    front: Panel,
    folded: bool,
}

impl Group {
    fn of(panel: Panel) -> Self {
        Self { panels: vec![panel], front: panel, folded: false }
    }

    /// The panels, in the order of their tabs.
    /// Invariant: never empty.
    pub fn panels(&self) -> &[Panel] {
        &self.panels
    }

    /// The one that is seen. Invariant: one of [`panels`](Self::panels).
    pub fn front(&self) -> Panel {
        self.front
    }

    /// Whether only the titles are seen.
    pub fn is_folded(&self) -> bool {
        self.folded
    }

    fn remove(&mut self, panel: Panel) {
        self.panels.retain(|other| *other != panel);
        if self.front == panel
            && let Some(first) = self.panels.first()
        {
            self.front = *first;
        }
    }
}

/// A part of a [`Split`], with its share of the length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// How much of the length it takes, against the others' shares.
    pub share: u32,
    /// What it holds.
    pub node: Node,
}

/// Parts beside or below each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    direction: Direction,
    parts: Vec<Part>,
}

impl Split {
    /// How the parts lie. Invariant: a part of a split that is a split lies the other way.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// The parts. Invariant: two or more.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
}

/// What lies at a side, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Panels on one place.
    Group(Group),
    /// Parts beside or below each other.
    Split(Split),
}

impl Node {
    /// Whether only titles are seen in it.
    pub fn is_folded(&self) -> bool {
        match self {
            Self::Group(group) => group.folded,
            Self::Split(split) => split.parts.iter().all(|part| part.node.is_folded()),
        }
    }

    /// Its groups, in reading order.
    pub fn groups(&self) -> Vec<&Group> {
        match self {
            Self::Group(group) => vec![group],
            Self::Split(split) => split.parts.iter().flat_map(|part| part.node.groups()).collect(),
        }
    }

    fn group_of(&mut self, panel: Panel) -> Option<&mut Group> {
        match self {
            Self::Group(group) => group.panels.contains(&panel).then_some(group),
            Self::Split(split) => split.parts.iter_mut().find_map(|part| part.node.group_of(panel)),
        }
    }

    fn remove(&mut self, panel: Panel) {
        match self {
            Self::Group(group) => group.remove(panel),
            Self::Split(split) => split.parts.iter_mut().for_each(|part| part.node.remove(panel)),
        }
    }

    /// The same without what is empty or nested for nothing; `None` where nothing is left.
    fn tidied(self, depth: usize) -> Option<Self> {
        let split = match self {
            Self::Group(group) => return (!group.panels.is_empty()).then_some(Self::Group(group)),
            Self::Split(split) => split,
        };
        let mut parts: Vec<Part> = vec![];
        for part in split.parts {
            match part.node.tidied(depth + 1) {
                None => {}
                Some(Self::Split(inner)) if inner.direction == split.direction || depth + 1 >= MOST_DEPTH => {
                    let whole: u64 = inner.parts.iter().map(|part| u64::from(part.share)).sum();
                    let share = |own: u32| u64::from(part.share) * u64::from(own) / whole.max(1);
                    parts.extend(inner.parts.into_iter().map(|inner| Part { share: in_range(share(inner.share), SHARES), ..inner }));
                }
                Some(node) => parts.push(Part { share: part.share.clamp(SHARES.0, SHARES.1), node }),
            }
        }
        match parts.len() {
            0 | 1 => parts.pop().map(|part| part.node),
            _ => Some(Self::Split(Split { direction: split.direction, parts })),
        }
    }
}

fn in_range(value: u64, (least, most): (u32, u32)) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX).clamp(least, most)
}

/// What lies at one side of the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Area {
    /// Width of a column or height of the row, in points; kept while nothing lies there.
    pub size: u32,
    /// The panels; `None` is none, and the map takes the space.
    pub root: Option<Node>,
}

/// Where every panel lies. See the [module](self).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dock {
    left: Area,
    right: Area,
    below: Area,
}

impl Default for Dock {
    /// The column at the right: the color, what is on the map, and the steps. The log is closed.
    fn default() -> Self {
        let part =
            |share, panels: &[Panel], front| Part { share, node: Node::Group(Group { panels: panels.into(), front, folded: false }) };
        let parts = vec![
            part(350, &[Panel::Color], Panel::Color),
            part(250, &[Panel::Objects, Panel::Map], Panel::Objects),
            part(110, &[Panel::History], Panel::History),
        ];
        let mut dock = Self::empty();
        dock.right.root = Some(Node::Split(Split { direction: Direction::Column, parts }));
        dock
    }
}

impl Dock {
    /// No panel anywhere.
    pub fn empty() -> Self {
        let area = |side: Side| Area { size: side.usual_size(), root: None };
        Self { left: area(Side::Left), right: area(Side::Right), below: area(Side::Below) }
    }

    /// What lies at a side.
    pub fn area(&self, side: Side) -> &Area {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
            Side::Below => &self.below,
        }
    }

    fn area_mut(&mut self, side: Side) -> &mut Area {
        match side {
            Side::Left => &mut self.left,
            Side::Right => &mut self.right,
            Side::Below => &mut self.below,
        }
    }

    /// The groups at a side, in reading order.
    pub fn groups(&self, side: Side) -> Vec<&Group> {
        self.area(side).root.iter().flat_map(Node::groups).collect()
    }

    /// The side at which a panel lies, and its group; `None` while it is closed.
    pub fn find(&self, panel: Panel) -> Option<(Side, &Group)> {
        let all = Side::ALL.into_iter().flat_map(|side| self.groups(side).into_iter().map(move |group| (side, group)));
        all.into_iter().find(|(_, group)| group.panels.contains(&panel))
    }

    /// Whether a panel is somewhere, be it folded or behind another one.
    pub fn is_open(&self, panel: Panel) -> bool {
        self.find(panel).is_some()
    }

    /// Whether the content of a panel is seen.
    pub fn is_shown(&self, panel: Panel) -> bool {
        self.find(panel).is_some_and(|(_, group)| group.front == panel && !group.folded)
    }

    fn group_of(&mut self, panel: Panel) -> Option<&mut Group> {
        [&mut self.left, &mut self.right, &mut self.below]
            .into_iter()
            .filter_map(|area| area.root.as_mut())
            .find_map(|root| root.group_of(panel))
    }

    fn remove(&mut self, panel: Panel) {
        for side in Side::ALL {
            if let Some(root) = &mut self.area_mut(side).root {
                root.remove(panel);
            }
        }
        self.tidy();
    }

    fn tidy(&mut self) {
        for side in Side::ALL {
            let area = self.area_mut(side);
            area.root = area.root.take().and_then(|root| root.tidied(0));
            area.size = area.size.clamp(side.sizes().0, side.sizes().1);
        }
    }
}

#[cfg(test)]
mod tests;
