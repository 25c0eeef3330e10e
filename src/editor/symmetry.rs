//! Symmetry by keys and names: the next kind, and a center where there is something to center on.

use super::{Editor, Message};
use crate::document::SymmetryKind;
use crate::edit::Command;
use crate::edit::ops::SetSymmetry;
use crate::geom::Axis;

/// What a symmetry is centered on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CenterOn {
    /// The middle of the map.
    Map,
    /// The middle of the box around the selection.
    Selection,
}

impl Editor {
    /// Goes on to the next kind of symmetry; after the last comes none.
    pub(super) fn cycle_symmetry(&mut self) {
        let Some(symmetry) = self.active().map(|open| open.document.symmetry.clone()) else { return };
        let kinds = SymmetryKind::ALL;
        let at = kinds.iter().position(|kind| *kind == symmetry.kind).map_or(0, |at| (at + 1) % kinds.len());
        let kind = kinds.get(at).copied().unwrap_or_default();
        self.execute_or_switch(Command::SetSymmetry(SetSymmetry::switched(&symmetry, kind)));
    }

    /// Mirrors what is done along an axis, or no more.
    pub(super) fn toggle_mirror(&mut self, axis: Axis) {
        let Some(symmetry) = self.active().map(|open| open.document.symmetry.clone()) else { return };
        let (own, other) = match axis {
            Axis::X => (SymmetryKind::MirrorX, SymmetryKind::MirrorY),
            _ => (SymmetryKind::MirrorY, SymmetryKind::MirrorX),
        };
        let kind = match symmetry.kind {
            kind if kind == own => SymmetryKind::Off,
            kind if kind == other => SymmetryKind::MirrorBoth,
            SymmetryKind::MirrorBoth => other,
            _ => own,
        };
        self.execute_or_switch(Command::SetSymmetry(SetSymmetry::switched(&symmetry, kind)));
    }

    /// Puts the center of the symmetry where it lies best for a map or a selection.
    pub(super) fn center_symmetry(&mut self, on: CenterOn) {
        let Some(document) = self.active().map(|open| &open.document) else { return };
        let region = match on {
            CenterOn::Map => Some(document.bounds()),
            CenterOn::Selection => document.selection.as_ref().map(|selection| selection.bounds()),
        };
        let symmetry = (*document.symmetry).clone();
        let Some(region) = region else { return self.tell(Message::info("Nothing is selected")) };
        let middle = region.min().saturating_add(region.max());
        self.execute(Command::SetSymmetry(SetSymmetry::to(&symmetry.centered([middle.x, middle.y]))));
    }
}
