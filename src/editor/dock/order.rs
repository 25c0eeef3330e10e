//! What a person does to panels: fold, close, bring back, put elsewhere, make larger.

use super::{Direction, Dock, Group, Node, Panel, Part, SHARES, Side, Split, USUAL_SHARE, in_range};

/// Against a group of panels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spot {
    /// Into its tabs.
    Tabs,
    /// Above it.
    Above,
    /// Below it.
    Below,
    /// Left of it.
    Left,
    /// Right of it.
    Right,
}

/// Where a panel is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// To a side of the map, after what is there.
    Side(Side),
    /// To the group of another panel.
    Group(Panel, Spot),
}

/// What a person does to the panels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Opens a panel that is closed, closes one that is open.
    Toggle(Panel),
    /// Shows a panel, wherever it is.
    Show(Panel),
    /// Closes it.
    Close(Panel),
    /// Folds the panel that is seen to its title, or shows one that is not seen.
    Fold(Panel),
    /// Puts it elsewhere.
    Put(Panel, Target),
    /// Moves the panel's group behind the next one, or before the one before.
    Swap(Panel, bool),
    /// Makes the panel's part larger by so much of it, in percent.
    Grow(Panel, i32),
    /// Sets the size of a side.
    Resize(Side, u32),
    /// Sets the shares of the split that holds these groups, each named by a panel, in order.
    Share(Side, Vec<usize>, Vec<u32>),
    /// Puts everything where it was at first.
    Reset,
}

impl Dock {
    /// Does what was asked for; what cannot be done changes nothing.
    pub fn carry_out(&mut self, order: &Order) {
        match order {
            Order::Toggle(panel) if self.is_open(*panel) => self.remove(*panel),
            Order::Toggle(panel) | Order::Show(panel) => self.show(*panel),
            Order::Close(panel) => self.remove(*panel),
            Order::Fold(panel) => {
                if let Some(group) = self.group_of(*panel) {
                    group.folded = group.front == *panel && !group.folded;
                    group.front = *panel;
                }
            }
            Order::Put(panel, target) => self.put(*panel, *target),
            Order::Swap(panel, forward) => {
                for side in Side::ALL {
                    if let Some(root) = &mut self.area_mut(side).root {
                        swap(root, *panel, *forward);
                    }
                }
            }
            Order::Grow(panel, percent) => self.grow(*panel, *percent),
            Order::Resize(side, size) => self.area_mut(*side).size = *size,
            Order::Share(side, path, shares) => {
                let node = self.area_mut(*side).root.as_mut().and_then(|root| at_path(root, path));
                if let Some(Node::Split(split)) = node {
                    split.parts.iter_mut().zip(shares).for_each(|(part, share)| part.share = *share);
                }
            }
            Order::Reset => *self = Self::default(),
        }
        self.tidy();
    }

    fn show(&mut self, panel: Panel) {
        if !self.is_open(panel) {
            let target = self.home(panel);
            self.put(panel, target);
        }
        if let Some(group) = self.group_of(panel) {
            group.front = panel;
            group.folded = false;
        }
    }

    /// Where a panel belongs that is nowhere: with those that it stands with at first, else after the one before it; the
    /// log, which is closed at first, has long lines and lies below the map.
    fn home(&self, panel: Panel) -> Target {
        let usual = Self::default();
        let Some((side, group)) = usual.find(panel) else { return Target::Side(Side::Below) };
        if let Some(mate) = group.panels.iter().find(|mate| self.is_open(**mate)) {
            return Target::Group(*mate, Spot::Tabs);
        }
        let order: Vec<Panel> = usual.groups(side).iter().flat_map(|group| group.panels.clone()).collect();
        let at = order.iter().position(|other| *other == panel).unwrap_or(0);
        let is_here = |other: &&Panel| self.find(**other).is_some_and(|(here, _)| here == side);
        let before = order.iter().take(at).rev().find(is_here).map(|other| Target::Group(*other, Spot::Below));
        let after = || order.iter().skip(at + 1).find(is_here).map(|other| Target::Group(*other, Spot::Above));
        before.or_else(after).unwrap_or(Target::Side(side))
    }

    fn put(&mut self, panel: Panel, target: Target) {
        let is_alone = |panel| self.find(panel).is_some_and(|(_, group)| group.panels.len() == 1);
        let target = match target {
            // Beside itself is where it is, unless there is somebody to leave.
            Target::Group(other, _) if other == panel && is_alone(panel) => return,
            Target::Group(other, Spot::Tabs) if other == panel => return,
            Target::Group(other, spot) if other == panel => {
                let mate = self.find(panel).and_then(|(_, group)| group.panels.iter().find(|mate| **mate != panel).copied());
                let Some(mate) = mate else { return };
                Target::Group(mate, spot)
            }
            Target::Group(other, _) if !self.is_open(other) => return,
            Target::Side(side) if self.groups(side).last().is_some_and(|last| last.panels == [panel]) => return,
            target => target,
        };
        self.remove(panel);
        let group = Node::Group(Group::of(panel));
        match target {
            Target::Side(side) => {
                let area = self.area_mut(side);
                area.root = Some(match area.root.take() {
                    None => group,
                    Some(root) => {
                        let share = |node: &Node| match node {
                            // As much as each of those that are there has on average.
                            Node::Split(split) if split.direction == side.direction() => {
                                let whole: u64 = split.parts.iter().map(|part| u64::from(part.share)).sum();
                                (whole, whole / split.parts.len().max(1) as u64)
                            }
                            _ => (u64::from(USUAL_SHARE), u64::from(USUAL_SHARE)),
                        };
                        let (whole, own) = share(&root);
                        let parts =
                            vec![Part { share: in_range(whole, SHARES), node: root }, Part { share: in_range(own, SHARES), node: group }];
                        Node::Split(Split { direction: side.direction(), parts })
                    }
                });
            }
            Target::Group(other, spot) => {
                for side in Side::ALL {
                    if let Some(root) = &mut self.area_mut(side).root {
                        put_at(root, other, spot, panel);
                    }
                }
            }
        }
        self.tidy();
    }

    /// The panel's part in its split grows; one that has its side for itself makes the side larger.
    fn grow(&mut self, panel: Panel, percent: i32) {
        let grown = |size: u32| u64::from(size).saturating_mul(u64::from(100_u32.saturating_add_signed(percent))) / 100;
        let Some((side, _)) = self.find(panel) else { return };
        let area = self.area_mut(side);
        match &mut area.root {
            Some(Node::Split(split)) => {
                let part = split.parts.iter_mut().find(|part| part.node.groups().iter().any(|group| group.panels.contains(&panel)));
                if let Some(part) = part {
                    part.share = in_range(grown(part.share), SHARES);
                }
            }
            _ => area.size = in_range(grown(area.size), side.sizes()),
        }
    }
}

fn at_path<'a>(node: &'a mut Node, path: &[usize]) -> Option<&'a mut Node> {
    match (node, path) {
        (node, []) => Some(node),
        (Node::Split(split), [first, rest @ ..]) => at_path(&mut split.parts.get_mut(*first)?.node, rest),
        (Node::Group(_), _) => None,
    }
}

/// Changes places with the next or previous part, in the innermost split that holds the panel.
fn swap(node: &mut Node, panel: Panel, forward: bool) {
    let Node::Split(split) = node else { return };
    let holds = |part: &Part| part.node.groups().iter().any(|group| group.panels.contains(&panel));
    let Some(at) = split.parts.iter().position(holds) else { return };
    let other = if forward { at + 1 } else { at.wrapping_sub(1) };
    if let Some(Part { node: inner @ Node::Split(_), .. }) = split.parts.get_mut(at) {
        swap(inner, panel, forward);
    } else if other < split.parts.len() {
        split.parts.swap(at, other);
    }
}

/// Puts a panel to the group of another one that is in this node.
fn put_at(node: &mut Node, other: Panel, spot: Spot, panel: Panel) {
    match node {
        Node::Group(group) if group.panels.contains(&other) => {
            let (direction, is_first) = match spot {
                Spot::Tabs => {
                    group.panels.push(panel);
                    group.front = panel;
                    group.folded = false;
                    return;
                }
                Spot::Above => (Direction::Column, true),
                Spot::Below => (Direction::Column, false),
                Spot::Left => (Direction::Row, true),
                Spot::Right => (Direction::Row, false),
            };
            let mut parts = vec![Node::Group(group.clone()), Node::Group(Group::of(panel))];
            if is_first {
                parts.reverse();
            }
            let parts = parts.into_iter().map(|node| Part { share: USUAL_SHARE, node }).collect();
            *node = Node::Split(Split { direction, parts });
        }
        Node::Group(_) => {}
        Node::Split(split) => split.parts.iter_mut().for_each(|part| put_at(&mut part.node, other, spot, panel)),
    }
}
