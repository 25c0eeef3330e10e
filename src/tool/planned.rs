//! The map as it would be after a command: the preview of gestures whose outcome only a plan tells.

use std::sync::Arc;

use super::Ghost;
use super::ghost::GHOST_LIMIT;
use crate::document::{Progress, Snapshot};
use crate::edit::{Command, EditError, Mode, Part, plan};
use crate::geom::VoxelPos;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, Store};

/// What a command would do.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The command.
    pub command: Command,
    /// The store after it.
    pub store: Store,
    /// What it adds and what it removes, where it does. Nothing of what has the colors of a style: they are shown
    /// themselves.
    pub ghosts: Vec<Ghost>,
}

/// What the command would do; `None` where it changes nothing.
///
/// # Errors
/// If it cannot be planned.
///
/// # Cost
/// That of planning the command, and a look at every chunk that it changes: whoever holds the progress can stop it.
pub fn planned(document: &Snapshot, command: &Command, progress: &Progress) -> Result<Option<Planned>, EditError> {
    let change = plan(document, command, progress)?;
    let mut store = document.store().clone();
    let (mut added, mut removed) = (vec![], vec![]);
    let mut changed = false;
    for part in change.parts {
        if let Part::Chunk(_, pos, payload) = part {
            solid_in_first_only(pos, payload.after.as_deref(), payload.before.as_deref(), &mut added);
            solid_in_first_only(pos, payload.before.as_deref(), payload.after.as_deref(), &mut removed);
            store.put_chunk(pos, payload.after);
            changed = true;
        }
    }
    if matches!(command, Command::Styled(_)) {
        added.clear();
    }
    let ghosts = [(added, Mode::Add), (removed, Mode::Remove)].into_iter().filter(|(voxels, _)| !voxels.is_empty());
    let ghosts = ghosts.map(|(voxels, mode)| Ghost { voxels: Arc::new(voxels), mode }).collect();
    Ok(changed.then(|| Planned { command: command.clone(), store, ghosts }))
}

/// Adds the voxels that are solid in `first` and air in `second`, up to the limit of ghosts.
fn solid_in_first_only(pos: ChunkPos, first: Option<&Chunk>, second: Option<&Chunk>, voxels: &mut Vec<VoxelPos>) {
    let Some(first) = first else { return };
    let origin = pos.origin();
    for column in 0..CHUNK_COLUMNS {
        let mut rest = first.solid()[column] & !second.map_or(0, |second| second.solid()[column]);
        let at = origin + VoxelPos::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, 0);
        while rest != 0 && voxels.len() < GHOST_LIMIT {
            voxels.push(at + VoxelPos::new(0, 0, rest.trailing_zeros() as i32));
            rest &= rest - 1;
        }
    }
}
