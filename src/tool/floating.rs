//! A clip that lies loose over the map until Enter: what it becomes when it is turned, flipped or scaled.
//!
//! The same as of a selection: the clip is laid into a map of its own and transformed there.

use glam::IVec3;

use crate::document::{Document, GameProfile, Progress, Selection};
use crate::edit::ops::{Paste, TransformSelection};
use crate::edit::{Change, Clip, Command, EditError, History, plan};
use crate::geom::{Region, VoxelPos};
use crate::voxel::Store;

/// A clip and where it lies.
#[derive(Debug)]
pub struct Floating {
    clip: Clip,
    at: VoxelPos,
    /// What it last became, and how.
    turned: Option<(TransformSelection, Clip, VoxelPos)>,
}

impl Floating {
    /// A clip as it was copied.
    pub fn new(clip: Clip, at: VoxelPos) -> Self {
        Self { clip, at, turned: None }
    }

    /// The box that it lies in before it is transformed.
    pub fn selection(&self) -> Option<Selection> {
        Selection::of_region(Region::of_size(self.clip.size()).shifted(self.at))
    }

    /// Works out what it becomes, unless that is known; how far it moves does not matter.
    ///
    /// # Errors
    /// As of the transform of a selection.
    pub fn turn(&mut self, op: &TransformSelection) -> Result<(), EditError> {
        let still = still(op);
        if !still.is_identity() && self.turned.as_ref().is_none_or(|(of, ..)| *of != still) {
            let (clip, by) = transformed(&self.clip, &still)?;
            self.turned = Some((still, clip, by));
        }
        Ok(())
    }

    /// What puts it into the map; nothing where what it becomes was not worked out.
    pub fn paste(&self, op: &TransformSelection) -> Option<Command> {
        let still = still(op);
        let (clip, by) = match &self.turned {
            _ if still.is_identity() => (&self.clip, VoxelPos::ZERO),
            Some((of, clip, by)) if *of == still => (clip, *by),
            _ => return None,
        };
        let at = self.at.saturating_add(by).saturating_add(op.by);
        Some(Command::Paste(Paste { clip: clip.clone(), at }))
    }
}

/// The same without what it moves by and how often.
fn still(op: &TransformSelection) -> TransformSelection {
    TransformSelection { by: IVec3::ZERO, copies: 0, ..op.clone() }
}

/// A clip after a transform, and how far its corner went.
fn transformed(clip: &Clip, op: &TransformSelection) -> Result<(Clip, VoxelPos), EditError> {
    let here = Region::of_size(clip.size());
    let selection = Selection::of_region(here).ok_or(EditError::NothingSelected)?;
    let target = op.target(&selection)?;
    // A plane below is the floor, which takes no part.
    let bounds = here.union(&target).grown(2);
    let mut document = Document::new(Store::new(bounds), &GameProfile::ACE_OF_SPADES);
    let progress = Progress::new();
    let lay = plan(&document, &Command::Paste(Paste { clip: clip.clone(), at: VoxelPos::ZERO }), &progress)?;
    let mut history = History::new();
    let mut take = |document: &mut Document, change: Change| history.commit(document, change);
    take(&mut document, lay);
    document.selection = Some(selection);
    let turn = plan(&document, &Command::TransformSelection(op.clone()), &progress)?;
    take(&mut document, turn);
    Ok((Clip::cut(&document, target)?, target.min()))
}
