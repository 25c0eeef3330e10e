//! What a click of the select tool would select.

use std::sync::Arc;

use super::combine;
use crate::document::{Masks, Progress, Snapshot};
use crate::edit::ops::{Connection, SelectConnected, SelectWhere};
use crate::edit::{Command, Mode, ground_at, slope_degrees};
use crate::tool::pick::pick;
use crate::tool::{Ghost, PointerInput, SelectKind, ToolContext, ToolResponse, ghost};

/// Voxels that one click may select.
const LIMIT: u64 = 1 << 24;
/// Voxels that are shown before the click: what is found within a frame.
const SHOWN_LIMIT: u64 = 10_000;

/// What a click would do.
#[derive(Debug)]
pub struct Shown {
    command: Command,
    /// The map that it was looked up in.
    document: Snapshot,
    /// `None` where they are too many to show, or all over the map.
    pub ghost: Option<Ghost>,
}

impl Shown {
    /// How many it would select.
    pub fn status(&self) -> ToolResponse {
        match (&self.ghost, &self.command) {
            (Some(ghost), _) if ghost.voxels.len() == 1 => ToolResponse::status("1 voxel"),
            (Some(ghost), _) => ToolResponse::status(format!("{} voxels", ghost.voxels.len())),
            (None, Command::SelectConnected(_)) => ToolResponse::status(format!("More than {SHOWN_LIMIT} voxels")),
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
    let ghost = match &command {
        Command::SelectConnected(op) => {
            let few = SelectConnected { limit: SHOWN_LIMIT, ..op.clone() };
            let found = few.found(context.document, &Progress::new()).ok();
            found.map(|mask| Ghost { voxels: Arc::new(mask.positions().collect()), mode: Mode::Paint })
        }
        // Found by looking at the whole map.
        _ => None,
    };
    Some(Shown { command, document: context.document.clone(), ghost })
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
