//! What a click of the select tool would select.

use std::sync::Arc;

use super::combine;
use crate::document::{Combine, Masks, Progress, Snapshot};
use crate::edit::ops::{Connection, SelectConnected, SelectWhere};
use crate::edit::{Command, Mode, ground_at, slope_degrees};
use crate::tool::ghost::{SHOWN_LIMIT, count_text};
use crate::tool::pick::pick;
use crate::tool::{Ghost, PointerInput, SelectKind, ToolContext, ToolResponse, ghost};

/// Voxels that one click may select: all of four maps of the usual size.
const LIMIT: u64 = 1 << 26;

/// What a click would do.
#[derive(Debug)]
pub struct Shown {
    command: Command,
    /// The map that it was looked up in.
    document: Snapshot,
    /// `None` where they are all over the map.
    pub ghost: Option<Ghost>,
    /// Whether the ghost has all of them, not only the nearest.
    is_all: bool,
}

impl Shown {
    /// How many it would select, or what is alike about them.
    pub fn status(&self) -> ToolResponse {
        match (&self.ghost, &self.command) {
            (Some(ghost), _) => ToolResponse::status(count_text(&self.document, "voxel", ghost.voxels.len(), self.is_all)),
            (None, Command::SelectWhere(op)) => ToolResponse::status(alike(op, &self.document)),
            (None, _) => ToolResponse::default(),
        }
    }
}

/// Looks up what a click here would do, unless that is what was shown.
pub fn shown(context: &ToolContext<'_>, input: &PointerInput, before: Option<Shown>) -> Option<Shown> {
    let command = aimed(context, input)?;
    if let Some(before) = before.filter(|before| before.command == command && ghost::same_scene(&before.document, context.document)) {
        return Some(before);
    }
    let found = match &command {
        Command::SelectConnected(op) => op.nearest(context.document, SHOWN_LIMIT, &Progress::new()).ok(),
        // Found by looking at the whole map.
        _ => None,
    };
    let is_all = found.as_ref().is_none_or(|(_, is_all)| *is_all);
    let ghost = found.map(|(mask, _)| Ghost { voxels: Arc::new(mask.positions().collect()), mode: Mode::Paint });
    Some(Shown { command, document: context.document.clone(), ghost, is_all })
}

/// What the voxels of masks have in common: one of color, height and slope.
fn alike(op: &SelectWhere, document: &Snapshot) -> String {
    let (masks, floor) = (&op.masks, document.floor_z());
    let verb = match op.combine {
        Combine::Replace => "Selects",
        Combine::Add => "Adds",
        Combine::Subtract => "Takes away",
        Combine::Intersect => "Keeps of the selection",
    };
    let span = |from: i32, to: i32| if from == to { from.to_string() } else { format!("{from} to {to}") };
    match (masks.colors.first(), masks.z, masks.slope, floor) {
        (Some(color), ..) if masks.tolerance == 0 => format!("{verb} all of {color}"),
        (Some(color), ..) => format!("{verb} all within {} of {color}", masks.tolerance),
        (_, Some([top, bottom]), _, Some(floor)) => {
            let (top, bottom) = (top.max(document.bounds().min().z), bottom.min(document.bounds().max().z - 1));
            format!(
                "{verb} all {} above the water (z {})",
                span(floor.saturating_sub(bottom), floor.saturating_sub(top)),
                span(top, bottom)
            )
        }
        (_, Some([top, bottom]), _, None) => format!("{verb} all at z {}", span(top, bottom)),
        (_, _, Some([from, to]), _) => format!("{verb} ground that is {}° steep", span(i32::from(from), i32::from(to))),
        _ => String::new(),
    }
}

/// What a click there would do.
pub fn aimed(context: &ToolContext<'_>, input: &PointerInput) -> Option<Command> {
    let (settings, document) = (context.settings, context.document);
    let at = pick(document.store(), &input.ray_in_world).filter(|pick| pick.solid)?;
    let combine = combine(settings, input.modifiers);
    let tolerance = settings.tolerance;
    let connected = |by| {
        Command::SelectConnected(SelectConnected {
            tolerance,
            face: at.face,
            edges: settings.select_edges,
            lowest: (by == Connection::Solid && settings.select_upward).then_some(at.pos.z),
            limit: LIMIT,
            combine,
            ..SelectConnected::new(at.pos, by)
        })
    };
    let all = |masks: Masks| Command::SelectWhere(SelectWhere { masks, combine });
    Some(match settings.select_kind {
        SelectKind::Box | SelectKind::Lasso => return None,
        SelectKind::Wand => connected(Connection::Color),
        SelectKind::Structure => connected(Connection::Solid),
        SelectKind::Surface => connected(Connection::Surface),
        SelectKind::Color => {
            let color = document.store().paint(at.pos)?.rgb;
            all(Masks { colors: vec![color], tolerance, ..Masks::default() })
        }
        SelectKind::Height => {
            let reach = i32::from(tolerance);
            all(Masks { z: Some([at.pos.z.saturating_sub(reach), at.pos.z.saturating_add(reach)]), ..Masks::default() })
        }
        SelectKind::Slope => {
            let degrees = slope_degrees(document.store(), ground_at(document.store(), at.pos)?);
            let slope = Some([degrees.saturating_sub(tolerance), degrees.saturating_add(tolerance).min(90)]);
            all(Masks { slope, surface: true, ..Masks::default() })
        }
    })
}
