//! The dock in the settings: nested lists of panel ids with shares, to be read and written by people, too.
//!
//! ```yaml
//! right:
//!   size: 300
//!   column:
//!   - share: 360
//!     tabs: [color]
//!   - share: 190
//!     tabs: [objects, map]
//!     front: map
//!   - share: 160
//!     folded: true
//!     row: …
//! ```
//!
//! `tabs` are panels on one place, `row` and `column` are parts beside and below each other. Whatever is
//! written there gives a whole [`Dock`].

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};
use serde_yaml::{Mapping, Value};

use super::{Area, Direction, Dock, Group, MOST_DEPTH, Node, Panel, Part, SHARES, Side, Split, USUAL_SHARE};

impl Side {
    const fn id(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Below => "below",
        }
    }
}

impl Direction {
    const ALL: [Self; 2] = [Self::Row, Self::Column];

    const fn id(self) -> &'static str {
        match self {
            Self::Row => "row",
            Self::Column => "column",
        }
    }
}

impl Serialize for Dock {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.write().serialize(serializer)
    }
}

impl Dock {
    /// The dock as the settings hold it.
    pub fn write(&self) -> Value {
        let mut sides = Mapping::new();
        for side in Side::ALL {
            let area = self.area(side);
            if area.root.is_some() || area.size != side.usual_size() {
                let mut fields = Mapping::new();
                fields.insert("size".into(), area.size.into());
                if let Some(root) = &area.root {
                    write_node(root, &mut fields);
                }
                sides.insert(side.id().into(), fields.into());
            }
        }
        sides.into()
    }

    /// The dock that the settings hold, and whether all of it could be read.
    ///
    /// Where a side is no side, it has what it has at first; panels of newer versions are left out, and a
    /// panel that stands in two places is in the first.
    pub fn read(value: &Value) -> (Self, bool) {
        let Value::Mapping(sides) = value else { return (Self::default(), value.is_null()) };
        let mut reader = Reader { seen: BTreeSet::new(), whole: true };
        let mut dock = Self::empty();
        let mut unread = vec![];
        for side in Side::ALL {
            match sides.get(side.id()) {
                None | Some(Value::Null) => {}
                Some(Value::Mapping(fields)) => *dock.area_mut(side) = reader.area(side, fields),
                Some(_) => unread.push(side),
            }
        }
        for side in unread {
            reader.whole = false;
            let mut area = Self::default().area(side).clone();
            for panel in &reader.seen {
                area.root.iter_mut().for_each(|root| root.remove(*panel));
            }
            *dock.area_mut(side) = area;
        }
        dock.tidy();
        (dock, reader.whole)
    }
}

fn write_node(node: &Node, fields: &mut Mapping) {
    match node {
        Node::Group(group) => {
            let ids: Vec<Value> = group.panels.iter().map(|panel| panel.id().into()).collect();
            fields.insert("tabs".into(), ids.into());
            if group.panels.first() != Some(&group.front) {
                fields.insert("front".into(), group.front.id().into());
            }
            if group.folded {
                fields.insert("folded".into(), true.into());
            }
        }
        Node::Split(split) => {
            let part = |part: &Part| {
                let mut fields = Mapping::new();
                fields.insert("share".into(), part.share.into());
                write_node(&part.node, &mut fields);
                Value::from(fields)
            };
            fields.insert(split.direction.id().into(), split.parts.iter().map(part).collect::<Vec<_>>().into());
        }
    }
}

/// What was read so far.
struct Reader {
    seen: BTreeSet<Panel>,
    whole: bool,
}

impl Reader {
    fn area(&mut self, side: Side, fields: &Mapping) -> Area {
        let size = self.number(fields.get("size"), side.sizes(), side.usual_size());
        let root = Direction::ALL.iter().any(|direction| fields.contains_key(direction.id())) || fields.contains_key("tabs");
        Area { size, root: if root { self.node(fields, 0) } else { None } }
    }

    /// A group or a split; `None` where nothing of it can be read.
    fn node(&mut self, fields: &Mapping, depth: usize) -> Option<Node> {
        if let Some(tabs) = fields.get("tabs") {
            return self.group(tabs, fields).map(Node::Group);
        }
        let found = Direction::ALL.into_iter().find_map(|direction| Some((direction, fields.get(direction.id())?)));
        let Some((direction, Value::Sequence(values))) = found.filter(|_| depth < MOST_DEPTH) else {
            self.whole = false;
            return None;
        };
        let mut parts = vec![];
        for value in values {
            let Value::Mapping(fields) = value else {
                self.whole = false;
                continue;
            };
            let share = self.number(fields.get("share"), SHARES, USUAL_SHARE);
            parts.extend(self.node(fields, depth + 1).map(|node| Part { share, node }));
        }
        Some(Node::Split(Split { direction, parts }))
    }

    fn group(&mut self, tabs: &Value, fields: &Mapping) -> Option<Group> {
        let Value::Sequence(ids) = tabs else {
            self.whole = false;
            return None;
        };
        let mut panels = vec![];
        for id in ids {
            match id.as_str().map(Panel::by_id) {
                Some(Some(panel)) if self.seen.insert(panel) => panels.push(panel),
                // A panel of a newer version.
                Some(None) => {}
                _ => self.whole = false,
            }
        }
        let first = *panels.first()?;
        let named = fields.get("front").and_then(Value::as_str).and_then(Panel::by_id);
        let front = named.filter(|panel| panels.contains(panel)).unwrap_or(first);
        let folded = self.truth(fields.get("folded"));
        Some(Group { panels, front, folded })
    }

    /// A positive number, brought into its range; the usual one where there is none.
    fn number(&mut self, value: Option<&Value>, (least, most): (u32, u32), usual: u32) -> u32 {
        let Some(value) = value else { return usual };
        match value.as_f64().filter(|number| number.is_finite() && *number > 0.0) {
            // In range: it was brought there.
            Some(number) => number.round().clamp(f64::from(least), f64::from(most)) as u32,
            None => {
                self.whole = false;
                usual
            }
        }
    }

    fn truth(&mut self, value: Option<&Value>) -> bool {
        let Some(value) = value else { return false };
        self.whole &= value.is_bool();
        value.as_bool().unwrap_or(false)
    }
}
