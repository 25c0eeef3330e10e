//! Doing the last step once more: where it was done, or where that changes nothing, at the pointer.

use glam::IVec3;

use super::{DocumentId, Editor, Message};
use crate::edit::{Change, Command, Mode, first_place, ops};
use crate::geom::{Face, Region, VoxelPos};

/// Pulls of a face, each a repeat of the one before, after whose undoing the face is still found.
const MOST_PULLS: i32 = 64;

/// A command that is done once more.
#[derive(Debug)]
pub(super) struct Repeated {
    id: DocumentId,
    command: Command,
    /// The face under the pointer; `None` where it is done there already.
    on: Option<(VoxelPos, Face)>,
}

/// A command moved to the face under the pointer: what adds stands on it, what takes away reaches down from it, and all
/// other commands go on from where they began. `None` where it has no place, or is there already.
fn moved_to(command: &Command, (pos, face): (VoxelPos, Face)) -> Option<Command> {
    let adds = |mode: Mode| matches!(mode, Mode::Add | Mode::Set);
    let solid = |op: &ops::Shape| (Some(Region::between(op.from, op.to)), adds(op.mode));
    let (region, is_beside) = match command {
        Command::Fill(op) => (Some(op.region), adds(op.mode)),
        Command::Shape(op) => solid(op),
        Command::Styled(op) => match &op.of {
            ops::Filled::Fill(op) => (Some(op.region), adds(op.mode)),
            ops::Filled::Shape(op) => solid(op),
            ops::Filled::FillConnected(_) => (None, false),
        },
        Command::Paste(op) => (Some(Region::of_size(op.clip.size()).shifted(op.at)), true),
        Command::Set(_) | Command::Stamp(_) => (None, true),
        Command::Stroke(op) => (None, adds(op.mode)),
        Command::Line(op) => (None, adds(op.mode)),
        Command::Paint(op) => (op.region, false),
        _ => (None, false),
    };
    let first = match region {
        Some(region) => {
            let middle = (region.min() + region.max()) / 2;
            match command {
                // A picture reaches out of the ground as far as into it.
                Command::Paint(_) => middle,
                _ if is_beside => middle.with_z(region.max().z - 1),
                _ => middle.with_z(region.min().z),
            }
        }
        None => first_place([command])?,
    };
    let to = if is_beside { pos.saturating_add(face.normal()) } else { pos };
    let by = to.saturating_sub(first);
    (by != IVec3::ZERO).then(|| command.shifted(by))
}

impl Editor {
    /// Does the last command of the map in front once more: where it was done, or, where that changes nothing, on the face
    /// under the pointer.
    pub(super) fn repeat(&mut self, on: Option<(VoxelPos, Face)>) {
        let last = self.active().and_then(|open| Some((open.id(), open.last_command.clone()?, open.document().store().clone())));
        match last {
            // The face that was pulled lies elsewhere now, unless that was undone.
            Some((_, Command::Extrude(op), store)) => {
                let is_face = |at: VoxelPos| store.is_solid(at) && !store.is_solid(at.saturating_add(op.face.normal()));
                let step = op.face.normal().saturating_mul(IVec3::splat(op.by));
                let behind = |steps: i32| op.at.saturating_sub(step.saturating_mul(IVec3::splat(steps)));
                // Undone, it is where it was, some pulls back.
                let at = [0, -1].into_iter().chain(1..=MOST_PULLS).map(behind).find(|at| is_face(*at)).unwrap_or(op.at);
                self.execute(Command::Extrude(ops::Extrude { at, ..op }));
            }
            Some((id, command, _)) => {
                self.repeated = on.map(|on| Repeated { id, command: command.clone(), on: Some(on) });
                self.execute(command);
            }
            None => self.tell(Message::info("There is no step to repeat yet")),
        }
    }

    /// A command that was planned: whether it was repeated, and changed nothing, so that it is done at the pointer instead
    /// or told of.
    pub(super) fn repeats_elsewhere(&mut self, id: DocumentId, command: &Command, change: Option<&Change>) -> bool {
        let Some(repeated) = self.repeated.take_if(|repeated| repeated.id == id && repeated.command == *command) else { return false };
        if !change.is_some_and(Change::is_empty) || !command.obeys_masks() {
            return false;
        }
        let Some(on) = repeated.on else {
            self.tell(Message::info("Nothing changed: there is nothing to do at the pointer, or the masks leave it out"));
            return true;
        };
        let Some(elsewhere) = moved_to(command, on) else { return false };
        self.repeated = Some(Repeated { id, command: elsewhere.clone(), on: None });
        self.execute_on(id, elsewhere);
        true
    }
}
