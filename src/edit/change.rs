//! What a command did: chunks, objects and metadata, from what to what. Undo and redo swap it.

use std::fmt;
use std::sync::Arc;

use super::merge;
use crate::document::{Document, Masks, Metadata, Object, ObjectId, Objects, Selection, Symmetry, Volume, grouped};
use crate::geom::VoxelPos;
use crate::voxel::{Chunk, ChunkChange, ChunkPos, Rgb};

/// A value before and after.
#[derive(Clone, Debug)]
pub struct Payload<T> {
    /// What was there.
    pub before: T,
    /// What is there once the change is applied.
    pub after: T,
}

/// One piece of a change.
#[derive(Clone, Debug)]
pub enum Part {
    /// A chunk of a volume; `None` is air.
    Chunk(usize, ChunkPos, Payload<Option<Arc<Chunk>>>),
    /// All volumes, for changes of size.
    Volumes(Payload<Arc<Vec<Volume>>>),
    /// The objects, and the bytes of the labels that the change takes from the map.
    Objects(Payload<Arc<Objects>>, usize),
    /// The metadata.
    Metadata(Payload<Arc<Metadata>>),
    /// Which volume is active.
    Active(Payload<usize>),
    /// The selection.
    Selection(Payload<Option<Selection>>),
    /// The masks.
    Masks(Payload<Arc<Masks>>),
    /// The symmetry.
    Symmetry(Payload<Arc<Symmetry>>),
    /// The colour that uncovered voxels take.
    Dirt(Payload<Option<Rgb>>),
}

impl Part {
    /// A change of the objects; nothing where they stay equal.
    pub fn objects(before: &Arc<Objects>, after: Objects) -> Vec<Self> {
        if **before == after {
            return vec![];
        }
        let payload = Payload { before: before.clone(), after: Arc::new(after) };
        let label_bytes = replaced_label_bytes(&payload);
        vec![Self::Objects(payload, label_bytes)]
    }

    /// A change of the metadata; nothing where it stays equal.
    pub fn metadata(before: &Arc<Metadata>, after: Metadata) -> Vec<Self> {
        if **before == after { vec![] } else { vec![Self::Metadata(Payload { before: before.clone(), after: Arc::new(after) })] }
    }

    /// A change of the selection; nothing where it stays equal.
    pub fn selection(before: &Option<Selection>, after: Option<Selection>) -> Vec<Self> {
        if *before == after { vec![] } else { vec![Self::Selection(Payload { before: before.clone(), after })] }
    }

    /// A change of the masks; nothing where they stay equal.
    pub fn masks(before: &Arc<Masks>, after: Masks) -> Vec<Self> {
        if **before == after { vec![] } else { vec![Self::Masks(Payload { before: before.clone(), after: Arc::new(after) })] }
    }

    /// A change of the symmetry; nothing where it stays equal.
    pub fn symmetry(before: &Arc<Symmetry>, after: Symmetry) -> Vec<Self> {
        if **before == after { vec![] } else { vec![Self::Symmetry(Payload { before: before.clone(), after: Arc::new(after) })] }
    }

    /// Brings the `to` side of the part into the document.
    ///
    /// Where the document no longer holds the `from` side (somebody else changed it meanwhile), only
    /// what is still ours moves, and the part remembers what it replaced.
    fn swap(&mut self, document: &mut Document, direction: Direction) {
        match self {
            Self::Chunk(volume, pos, payload) => {
                let Some(store) = document.store_mut(*volume) else { return };
                let current = store.chunk(*pos).cloned();
                let merged = direction.exchange(payload, current, same_chunk, |current, from, to| {
                    merge::chunk(current.as_deref(), from.as_deref(), to.as_deref())
                });
                store.put_chunk(*pos, merged);
            }
            Self::Volumes(payload) => {
                let current = document.volumes().clone();
                // A size cannot be merged: the whole map goes back.
                let merged = direction.exchange(payload, current, Arc::ptr_eq, |_, _, to| to.clone());
                document.put_volumes(merged);
            }
            Self::Objects(payload, _) => {
                let current = document.objects.clone();
                document.objects =
                    direction.exchange(payload, current, Arc::ptr_eq, |current, from, to| Arc::new(merge::objects(current, from, to)));
            }
            Self::Metadata(payload) => {
                let current = document.metadata.clone();
                document.metadata =
                    direction.exchange(payload, current, Arc::ptr_eq, |current, from, to| Arc::new(merge::metadata(current, from, to)));
            }
            Self::Active(payload) => {
                let active = direction.exchange(payload, document.active(), PartialEq::eq, |_, _, to| *to);
                document.set_active(active);
            }
            Self::Selection(payload) => {
                document.selection = direction.exchange(payload, document.selection.clone(), PartialEq::eq, |_, _, to| to.clone());
            }
            Self::Masks(payload) => {
                document.masks = direction.exchange(payload, document.masks.clone(), PartialEq::eq, |_, _, to| to.clone())
            }
            Self::Symmetry(payload) => {
                document.symmetry = direction.exchange(payload, document.symmetry.clone(), PartialEq::eq, |_, _, to| to.clone());
            }
            Self::Dirt(payload) => document.dirt = direction.exchange(payload, document.dirt, PartialEq::eq, |_, _, to| *to),
        }
    }

    fn size_bytes(&self) -> usize {
        let own = match self {
            // What a step keeps alive is what it replaced; the other side lives in the document or in the next step.
            Self::Chunk(_, _, payload) => payload.before.as_ref().map_or(0, |chunk| chunk.size_bytes()),
            Self::Volumes(payload) => payload.before.iter().map(|volume| volume.store.size_bytes()).sum(),
            Self::Objects(payload, label_bytes) => payload.before.0.len() * 96 + label_bytes,
            Self::Selection(payload) => payload.before.as_ref().map_or(0, Selection::size_bytes),
            Self::Metadata(payload) => 256 + payload.before.text_bytes(),
            Self::Active(_) | Self::Masks(_) | Self::Symmetry(_) | Self::Dirt(_) => 256,
        };
        own + size_of::<Self>()
    }
}

/// Bytes of the labels that no object has any more: the others are held by the document, too.
fn replaced_label_bytes(payload: &Payload<Arc<Objects>>) -> usize {
    fn label(object: &Object) -> Option<&Arc<str>> {
        if let Object::Marker { label, .. } = object { Some(label) } else { None }
    }
    let is_held = |id: ObjectId, text: &Arc<str>| payload.after.0.get(&id).and_then(label).is_some_and(|now| Arc::ptr_eq(now, text));
    let labels = payload.before.iter().filter_map(|(id, object)| Some((id, label(object)?)));
    labels.filter(|(id, text)| !is_held(*id, text)).map(|(_, text)| text.len()).sum()
}

fn same_chunk(a: &Option<Arc<Chunk>>, b: &Option<Arc<Chunk>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => Arc::ptr_eq(a, b),
        (None, None) => true,
        _ => false,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Undo,
    Redo,
}

impl Direction {
    /// Answers what the document shall hold, and notes in the payload what was exchanged.
    fn exchange<T: Clone>(self, payload: &mut Payload<T>, current: T, same: impl Fn(&T, &T) -> bool, merge: impl Fn(&T, &T, &T) -> T) -> T {
        let (from, to) = match self {
            Self::Undo => (&mut payload.after, &mut payload.before),
            Self::Redo => (&mut payload.before, &mut payload.after),
        };
        if !same(&current, from) {
            let merged = merge(&current, from, to);
            *from = current;
            *to = merged;
        }
        to.clone()
    }
}

/// Something to tell the mapper about a change that went well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// Removing stopped at the water plane.
    FloorKept {
        /// Voxels of the floor that would have been removed.
        voxels: u64,
    },
    /// Part of the edit fell outside the map.
    Clipped {
        /// Voxels outside.
        voxels: u64,
    },
    /// A gradient along the stroke was painted in a box, where no stroke is.
    NoStroke,
    /// Nothing is connected with the place where it began.
    NothingThere {
        /// The place.
        at: VoxelPos,
        /// Whether air was looked for, not a voxel that can be seen.
        air: bool,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FloorKept { .. } => f.write_str("The water plane at the bottom can be painted, not removed"),
            Self::Clipped { voxels } => match voxels {
                1 => f.write_str("1 voxel fell outside the map"),
                voxels => write!(f, "{} voxels fell outside the map", grouped(*voxels)),
            },
            Self::NoStroke => {
                f.write_str("A box has no stroke for the gradient to run along: all of it took the first color. Let it run along x, y or z")
            }
            Self::NothingThere { at: VoxelPos { x, y, z }, air: false } => {
                write!(f, "Nothing was taken: no voxel can be seen at {x}, {y}, {z}")
            }
            Self::NothingThere { at: VoxelPos { x, y, z }, air: true } => write!(f, "Nothing was taken: there is no air at {x}, {y}, {z}"),
        }
    }
}

/// What a command did. Applying it again or backwards is a swap of pointers.
#[derive(Clone, Debug)]
pub struct Change {
    /// Name of the step in the history: `Fill box`.
    pub label: String,
    /// What changed; empty where the command changed nothing.
    pub parts: Vec<Part>,
    /// What to tell the mapper.
    pub notes: Vec<Note>,
    /// Set while the record is rebuilt: the document already holds the change.
    pub(super) applied: bool,
    /// Given by the history, never twice in one: says which change it is.
    pub(super) serial: u64,
}

impl Change {
    /// A change of these parts.
    pub fn new(label: impl Into<String>, parts: Vec<Part>) -> Self {
        Self { label: label.into(), parts, notes: vec![], applied: false, serial: 0 }
    }

    /// A change of chunks in one volume.
    pub fn of_chunks(label: impl Into<String>, volume: usize, chunks: Vec<ChunkChange>) -> Self {
        let part = |change: ChunkChange| Part::Chunk(volume, change.pos, Payload { before: change.before, after: change.after });
        Self::new(label, chunks.into_iter().map(part).collect())
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether it only concerns the selection and other state that no file holds.
    pub fn only_session_state(&self) -> bool {
        self.parts
            .iter()
            .all(|part| matches!(part, Part::Active(_) | Part::Selection(_) | Part::Masks(_) | Part::Symmetry(_) | Part::Dirt(_)))
    }

    /// Bytes that keeping the change for undo holds on to.
    pub fn size_bytes(&self) -> usize {
        size_of::<Self>() + self.parts.iter().map(Part::size_bytes).sum::<usize>()
    }

    /// Bytes of memory that the voxels take that it replaces, and those that it puts in their place.
    pub fn voxel_bytes(&self) -> (u64, u64) {
        let chunk = |chunk: &Option<Arc<Chunk>>| chunk.as_ref().map_or(0, |chunk| chunk.size_bytes());
        let volumes = |volumes: &[Volume]| volumes.iter().map(|volume| volume.store.size_bytes()).sum();
        let (mut before, mut after) = (0, 0);
        for part in &self.parts {
            let (less, more): (usize, usize) = match part {
                Part::Chunk(_, _, payload) => (chunk(&payload.before), chunk(&payload.after)),
                Part::Volumes(payload) => (volumes(&payload.before), volumes(&payload.after)),
                _ => (0, 0),
            };
            (before, after) = (before + less as u64, after + more as u64);
        }
        (before, after)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

impl undo::Edit for Change {
    type Target = Document;
    type Output = ();

    fn edit(&mut self, document: &mut Document) {
        if std::mem::take(&mut self.applied) {
            return;
        }
        self.redo(document);
    }

    fn undo(&mut self, document: &mut Document) {
        for part in self.parts.iter_mut().rev() {
            part.swap(document, Direction::Undo);
        }
    }

    fn redo(&mut self, document: &mut Document) {
        for part in &mut self.parts {
            part.swap(document, Direction::Redo);
        }
    }
}
