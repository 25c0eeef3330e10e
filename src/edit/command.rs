//! The commands: what scripts, journal, tools and menus speak. One JSON object each.

use serde::{Deserialize, Serialize};

use super::{Change, EditError, ops};
use crate::document::{Progress, Snapshot};

/// Version of the command language; written at the head of journals and scripts.
pub const COMMAND_VERSION: u32 = 1;

/// What an edit does to the voxels it covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Air becomes solid; what is solid stays as it is.
    #[default]
    Add,
    /// Solid becomes air; the floor stays.
    Remove,
    /// What is solid and can be seen takes the colour and keeps its shade.
    Paint,
    /// Air becomes solid and everything takes the colour.
    Set,
}

impl Mode {
    /// The modes a tool offers, in the order of the switch.
    pub const TOOL: [Self; 3] = [Self::Add, Self::Remove, Self::Paint];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Add => "Add",
            Self::Remove => "Remove",
            Self::Paint => "Paint",
            Self::Set => "Set",
        }
    }
}

/// A change that someone asks for. See [`ops`] for the payloads.
///
/// Invariant: everything a command needs is in it; planning it twice on equal documents gives equal
/// changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Makes one voxel solid with a colour.
    Set(ops::Set),
    /// Makes one voxel air.
    Remove(ops::Remove),
    /// Fills a box.
    Fill(ops::Fill),
    /// Sets one fact of the metadata.
    SetProperty(ops::SetProperty),
    /// Adds a spawn region for a team.
    Spawn(ops::Spawn),
    /// Adds an object.
    AddObject(ops::AddObject),
    /// Replaces an object: moved, resized, given to the other team.
    SetObject(ops::SetObject),
    /// Removes an object.
    RemoveObject(ops::RemoveObject),
}

impl Command {
    pub(super) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        match self {
            Self::Set(op) => op.plan(snapshot),
            Self::Remove(op) => op.plan(snapshot),
            Self::Fill(op) => op.plan(snapshot, progress),
            Self::SetProperty(op) => Ok(op.plan(snapshot)),
            Self::Spawn(op) => op.plan(snapshot),
            Self::AddObject(op) => Ok(op.plan(snapshot)),
            Self::SetObject(op) => op.plan(snapshot),
            Self::RemoveObject(op) => op.plan(snapshot),
        }
    }

    /// A guess at how many voxels it looks at: large ones are planned off the main thread.
    pub fn cost(&self) -> u64 {
        match self {
            Self::Fill(op) => op.region.volume(),
            _ => 1,
        }
    }
}
