//! Doing the last step once more: where it was done, or, where that changes nothing, at the pointer.
//!
//! A repeat waits its turn among the steps of its map: only then it is known what the last one was, and where a face that
//! it pulled lies now.

use glam::IVec3;

use super::open_document::{OpenDocument, Step};
use super::{DocumentId, Editor, Message};
use crate::edit::{Change, Command, Mode, first_place, ops};
use crate::geom::{Face, Region, VoxelPos};

/// How a command came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// Somebody made it.
    Made,
    /// It is the last one once more, with the face that is under the pointer.
    Repeated(Option<(VoxelPos, Face)>),
    /// The last one changed nothing where it was done, and is tried on the face under the pointer.
    Elsewhere,
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
            let (min, max) = (region.min(), region.max());
            // Half of the sum may be too much for a number.
            let middle = min.saturating_add(max.saturating_sub(min) / 2);
            match command {
                // A picture reaches out of the ground as far as into it.
                Command::Paint(_) => middle,
                _ if is_beside => middle.with_z(max.z - 1),
                _ => middle.with_z(min.z),
            }
        }
        None => first_place([command])?,
    };
    let to = if is_beside { pos.saturating_add(face.normal()) } else { pos };
    let by = to.saturating_sub(first);
    (by != IVec3::ZERO).then(|| command.shifted(by))
}

impl OpenDocument {
    /// The last command, to be done once more with the face under the pointer. `None` before the first one, and where the
    /// face that was pulled is gone and the pointer is on none.
    fn to_repeat(&self, on: Option<(VoxelPos, Face)>) -> Option<Command> {
        let Some(Command::Extrude(op)) = &self.last_command else { return self.last_command.clone() };
        let store = self.document.store();
        let is_face = |at: VoxelPos| store.is_solid(at) && !store.is_solid(at.saturating_add(op.face.normal()));
        let along = |by: i32| op.at.saturating_add(op.face.normal().saturating_mul(IVec3::splat(by)));
        let undone = i32::try_from(self.history.len() - self.history.head()).unwrap_or(i32::MAX);
        let pulled = if undone == 0 {
            // It lies farther on now, or as far as the map and the masks let it go.
            (1..=op.by.saturating_abs()).rev().map(|by| along(by.saturating_mul(op.by.signum()))).find(|at| is_face(*at))
        } else {
            // Each step that is undone may have been a repeat that it was pulled by.
            (0..undone).map(|steps| along(op.by.saturating_mul(-steps))).find(|at| is_face(*at))
        };
        let (at, face) = match pulled {
            Some(at) => (at, op.face),
            None => on?,
        };
        Some(Command::Extrude(ops::Extrude { at, face, ..op.clone() }))
    }
}

impl Editor {
    /// The last command of a map, as it is to be planned now; tells why where there is none.
    pub(super) fn find_repeated(&mut self, id: DocumentId, on: Option<(VoxelPos, Face)>) -> Option<Command> {
        let open = self.document(id)?;
        let command = open.to_repeat(on);
        match &command {
            Some(_) => {}
            None if open.last_command.is_none() => self.tell(Message::info("There is no step to repeat yet")),
            None => self.tell(Message::info("The face that was pulled is gone: point at another one")),
        }
        command
    }

    /// A command that was planned and changes nothing: whether it was a repeated one, and is tried at the pointer instead or
    /// told of.
    pub(super) fn repeats_elsewhere(&mut self, id: DocumentId, command: &Command, origin: Origin, change: Option<&Change>) -> bool {
        if !change.is_some_and(Change::is_empty) || !command.obeys_masks() {
            return false;
        }
        match origin {
            Origin::Made | Origin::Repeated(None) => false,
            Origin::Repeated(Some(on)) => {
                let elsewhere = moved_to(command, on);
                if let (Some(elsewhere), Some(open)) = (&elsewhere, self.document_mut(id)) {
                    // Before what was asked for meanwhile, such as an undo.
                    open.queue.push_front(Step::Elsewhere(elsewhere.clone()));
                }
                elsewhere.is_some()
            }
            Origin::Elsewhere => {
                self.tell(Message::info("Nothing changed: there is nothing to do at the pointer, or the masks leave it out"));
                true
            }
        }
    }
}
