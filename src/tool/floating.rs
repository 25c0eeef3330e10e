//! A clip that lies loose over the map until Enter: what it becomes when it is turned, flipped or scaled.
//!
//! The same as of a selection: the clip is laid into a map of its own and transformed there, beside the main thread.

use glam::IVec3;

use crate::document::{Document, GameProfile, Progress, Selection};
use crate::edit::ops::{Paste, TransformSelection};
use crate::edit::{Change, Clip, Command, EditError, History, plan};
use crate::geom::{Face, Region, VoxelPos};
use crate::voxel::Store;

/// Where a clip is put that lies loose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipPlace {
    /// Its smallest corner lies there.
    At(VoxelPos),
    /// It stands on that face of a voxel, its middle over it, and follows the pointer until a click.
    On(VoxelPos, Face),
}

/// A clip that is to be turned, flipped or scaled: work for a worker.
#[derive(Clone, Debug)]
pub struct ClipTurn {
    clip: Clip,
    op: TransformSelection,
}

impl ClipTurn {
    /// How it is turned.
    pub fn op(&self) -> &TransformSelection {
        &self.op
    }

    /// Does it.
    ///
    /// # Cost
    /// That of a transform of the whole clip.
    pub fn run(&self, progress: &Progress) -> TurnedClip {
        TurnedClip { op: self.op.clone(), result: transformed(&self.clip, &self.op, progress) }
    }
}

/// What a clip became.
#[derive(Clone, Debug)]
pub struct TurnedClip {
    op: TransformSelection,
    /// The clip, and how far its corner went.
    result: Result<(Clip, VoxelPos), EditError>,
}

impl TurnedClip {
    /// Whether somebody stopped the work: it is not known what it would have become.
    fn is_cancelled(&self) -> bool {
        matches!(self.result, Err(EditError::Cancelled(_)))
    }
}

/// A clip and where it lies.
#[derive(Debug)]
pub struct Floating {
    clip: Clip,
    at: VoxelPos,
    /// What it last became.
    turned: Option<TurnedClip>,
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

    /// Where its smallest corner lies before it is transformed.
    pub fn at(&self) -> VoxelPos {
        self.at
    }

    /// Moves it so that what it becomes stands on a face of a voxel, its middle over it; in a map of a single layer within that, with its
    /// lowest layer.
    ///
    /// # Errors
    /// As of the transform of a selection.
    pub fn put_on(&mut self, op: &TransformSelection, bounds: &Region, pos: VoxelPos, face: Face) -> Result<(), EditError> {
        let Some(selection) = self.selection() else { return Ok(()) };
        let region = still(op).target(&selection)?;
        let (size, beside) = (region.size(), pos.saturating_add(face.normal()));
        let mut min = beside.saturating_sub(size / 2);
        // Against a wall it stands where the pointer is.
        min.z = beside.z.saturating_add(1).saturating_sub(size.z);
        let axis = face.axis().index();
        min[axis] = if face.normal()[axis] > 0 { beside[axis] } else { beside[axis].saturating_add(1).saturating_sub(size[axis]) };
        if bounds.size().z == 1 {
            min.z = bounds.max().z.saturating_sub(size.z);
        }
        self.at = self.at.saturating_add(min.saturating_sub(region.min()));
        Ok(())
    }

    /// What has to be worked out before it can be put into the map; nothing where that is known.
    pub fn to_turn(&self, op: &TransformSelection) -> Option<ClipTurn> {
        let still = still(op);
        let is_known = still.is_identity() || self.turned.as_ref().is_some_and(|turned| turned.op == still);
        (!is_known).then(|| ClipTurn { clip: self.clip.clone(), op: still })
    }

    /// Takes in what it became.
    pub fn take_turned(&mut self, turned: TurnedClip) {
        if !turned.is_cancelled() {
            self.turned = Some(turned);
        }
    }

    /// Why it cannot become that, where it was tried.
    pub fn trouble(&self, op: &TransformSelection) -> Option<&EditError> {
        let still = still(op);
        self.turned.as_ref().filter(|turned| turned.op == still).and_then(|turned| turned.result.as_ref().err())
    }

    /// What puts it into the map; nothing where what it becomes was not worked out.
    pub fn paste(&self, op: &TransformSelection) -> Option<Command> {
        let still = still(op);
        let (clip, by) = match &self.turned {
            _ if still.is_identity() => (&self.clip, VoxelPos::ZERO),
            Some(TurnedClip { op, result: Ok((clip, by)) }) if *op == still => (clip, *by),
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
fn transformed(clip: &Clip, op: &TransformSelection, progress: &Progress) -> Result<(Clip, VoxelPos), EditError> {
    let here = Region::of_size(clip.size());
    let selection = Selection::of_region(here).ok_or(EditError::NothingSelected)?;
    let target = op.target(&selection)?;
    // A plane below is the floor, which takes no part.
    let bounds = here.union(&target).grown(2);
    let mut document = Document::new(Store::new(bounds), &GameProfile::ACE_OF_SPADES);
    let lay = plan(&document, &Command::Paste(Paste { clip: clip.clone(), at: VoxelPos::ZERO }), progress)?;
    let mut history = History::new();
    let mut take = |document: &mut Document, change: Change| history.commit(document, change);
    take(&mut document, lay);
    document.selection = Some(selection);
    let turn = plan(&document, &Command::TransformSelection(op.clone()), progress)?;
    take(&mut document, turn);
    Ok((Clip::cut(&document, target)?, target.min()))
}
