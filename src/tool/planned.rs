//! The map as it would be after a command: the preview of gestures that no ghost can show.

use crate::document::{Progress, Snapshot};
use crate::edit::{Command, Part, plan};
use crate::voxel::Store;

/// The store after the command; `None` where it cannot be planned or changes nothing.
///
/// # Cost
/// That of planning the command.
pub fn planned_store(document: &Snapshot, command: &Command) -> Option<Store> {
    let change = plan(document, command, &Progress::new()).ok()?;
    let mut store = document.store().clone();
    let mut changed = false;
    for part in change.parts {
        if let Part::Chunk(0, pos, payload) = part {
            store.put_chunk(pos, payload.after);
            changed = true;
        }
    }
    changed.then_some(store)
}
