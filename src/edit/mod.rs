//! Commands and the changes they make: the only way a document changes.
//!
//! A [`Command`] says what is wanted: plain, serialisable data, versioned from the first line. It runs
//! in two steps. [`plan`] turns it into a [`Change`] against a snapshot: pure, on any thread, and
//! cancellable. The editor commits the change on the main thread, which swaps chunks; [`History`]
//! keeps it for undo. No command writes its own undo.
//!
//! A command is one payload type in `ops/` with its own `plan`, plus one variant of [`Command`]. Ops
//! that touch voxels work on a [`Draft`], which holds the rules of the game: bounds, the floor that can
//! be painted but not removed, the shade byte that stays, the colour that uncovered voxels take; and
//! the document's masks, which hold whatever an op wrote.
//!
//! # Symmetry
//!
//! An op happens once for each of the document's [images](crate::document::Symmetry::images): it brings
//! the *voxels that it means* to the image, and then does there what it does, under the rules there. Not
//! the command's numbers are mirrored, because a brush of even size and a line's rounding lean to one
//! side; nor what was written, because the other side need not look alike: adding must leave what stands
//! there, painting must keep the shade there, raising must begin at the ground there. So
//!
//! - strokes, lines, boxes and shapes are rastered once, and the set of voxels is mirrored;
//! - sculpting mirrors how far each column (or voxel of a volume) is to move, and reads each where it stands;
//! - painting looks at the colors that stand there; what is random is the same at all images of a voxel;
//! - connected fills begin anew from the mirrored seed;
//! - clips are turned; objects take the other team where teams are swapped;
//! - the selection stands for its images as well, in commands and as a mask.
//!
//! Where images meet, what the mapper drew wins.

mod base64;
mod brush;
mod change;
mod clip;
mod command;
mod coverage;
mod draft;
mod floor;
mod history;
mod image;
mod kinds;
mod mask_filter;
mod merge;
mod moved;
pub mod ops;
mod paint_style;
mod recolor;
mod replay;
mod syntax;
#[cfg(test)]
pub(crate) mod tests;
mod transfer;
mod window;

pub use brush::{BadPercent, Brush, BrushShape, Percent, Spacing};
pub use change::{Change, Note, Part, Payload};
pub use clip::Clip;
pub use command::{BYTE_ORDER_MARK, COMMAND_VERSION, Command, Mode};
pub use coverage::StrokeCoverage;
pub(crate) use coverage::interior_of_chunk;
pub use draft::Draft;
pub use history::{DEFAULT_BUDGET_BYTES, History, HistoryEntry, HistoryMark};
pub use image::{ColorImage, GrayImage};
pub use mask_filter::{MaskFilter, ground_at, slope_degrees};
pub use moved::first_place;
pub use paint_style::{Along, PaintStyle};
pub use recolor::DEFAULT_DIRT;
pub use replay::{Replay, ReplayPlace};
pub use syntax::SyntaxError;

pub use crate::voxel::{ChunkMask, VoxelMask};

use crate::document::{Cancelled, ObjectId, Progress, Snapshot, size_text};
use crate::terrain::TerrainError;
use crate::voxel::mask;

/// Why a command could not be planned. The document is as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// Everything that the command names lies outside the map.
    #[error("nothing there: the place lies outside the map")]
    OutsideMap,
    /// A command that needs a selection, without one.
    #[error("nothing is selected")]
    NothingSelected,
    /// A selection that is too thin to be shrunk: nothing of it would be left.
    #[error("nothing would be left: the selection is nowhere thicker than {most} voxels")]
    NothingLeft {
        /// What would have to be exceeded, in voxels.
        most: u32,
    },
    /// An object that does not exist (any more).
    #[error("there is no object {}", .0.0)]
    NoSuchObject(ObjectId),
    /// A volume that the map does not have.
    #[error("there is no volume {volume}: the map has {count}, counted from 0")]
    NoSuchVolume {
        /// Its number.
        volume: usize,
        /// How many there are.
        count: usize,
    },
    /// A part of the map that its symmetry does not tell from the others.
    #[error("nothing to heal from: under {kind} the map has the parts {parts}, but not {from}")]
    NoSuchPart {
        /// What was named.
        from: &'static str,
        /// The symmetry.
        kind: &'static str,
        /// What there is.
        parts: &'static str,
    },
    /// A region without any column.
    #[error("the region has no area")]
    EmptyRegion,
    /// A number outside of what the command takes.
    #[error("{what} must be {min} to {max}, not {found}")]
    OutOfRange {
        /// Which number.
        what: &'static str,
        /// Smallest allowed.
        min: i64,
        /// Largest allowed.
        max: i64,
        /// The number given.
        found: i64,
    },
    /// A command with less data than it needs.
    #[error("{what} is missing")]
    Missing {
        /// What is missing.
        what: &'static str,
    },
    /// Binary data of a command that does not decode.
    #[error("the clip is damaged: {what} at byte {offset}")]
    BadClip {
        /// What is wrong.
        what: &'static str,
        /// Where.
        offset: usize,
    },
    /// A picture in a command that does not decode.
    #[error("the picture is damaged: {what} at byte {offset}")]
    BadImage {
        /// What is wrong.
        what: &'static str,
        /// Where.
        offset: usize,
    },
    /// A command that names both a path and a box.
    #[error("a path and a box at once: leave one of them out")]
    PathAndBox,
    /// Air that is not enclosed was to be filled.
    #[error("the air there is not enclosed: it reaches the top or a side of the map")]
    NotEnclosed,
    /// A command about the two halves of a map without symmetry.
    #[error("no symmetry is set")]
    NoSymmetry,
    /// A quarter turn about a place that does not map voxels to voxels.
    #[error("a quarter turn needs a center in the middle of a column or on a corner")]
    CenterBetweenColumns,
    /// A generator that does not exist, or refuses its settings.
    #[error(transparent)]
    Terrain(TerrainError),
    /// A turn that sends two axes the same way.
    #[error("the three axes must go along one axis each")]
    AxesTwice,
    /// A factor that would leave nothing, or more than any map holds.
    #[error("a factor must be 0.01 to 64, not {found}")]
    BadFactor {
        /// The factor given.
        found: ops::Thousandths,
    },
    /// The map would take more memory than it may.
    #[error(
        "the map would take {} of memory, and {} are allowed; \
        memory: {{map_megabytes: …}} in the settings allows more", size_text(*needed), size_text(*allowed)
    )]
    TooMuchMemory {
        /// Bytes that it would take, at least.
        needed: u64,
        /// Bytes that it may take.
        allowed: u64,
    },
    /// Someone asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl From<TerrainError> for EditError {
    fn from(error: TerrainError) -> Self {
        match error {
            TerrainError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            error => Self::Terrain(error),
        }
    }
}

/// Works out what a command would change. Pure: the snapshot stays as it is.
///
/// ```
/// use glam::IVec3;
/// use spadework::document::{Document, GameProfile, Progress};
/// use spadework::edit::{plan, Command};
/// use spadework::geom::Region;
/// use spadework::voxel::Store;
/// let mut document = Document::new(Store::new(Region::of_size(IVec3::new(64, 64, 64))), &GameProfile::ACE_OF_SPADES);
/// let command: Command = serde_json::from_str(r##"{"set":{"at":[1,2,60],"color":"#ff8000"}}"##)?;
/// let change = plan(&document, &command, &Progress::new())?;
/// let mut history = spadework::edit::History::new();
/// history.commit(&mut document, change);
/// assert!(document.store().is_solid(IVec3::new(1, 2, 60)));
/// history.undo(&mut document);
/// assert!(!document.store().is_solid(IVec3::new(1, 2, 60)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the command cannot be carried out at all, if the map would take more memory than it may
/// ([`Document::memory_limit`](crate::document::Document::memory_limit)), or the work was cancelled.
pub fn plan(snapshot: &Snapshot, command: &Command, progress: &Progress) -> Result<Change, EditError> {
    let change = command.plan(snapshot, progress)?;
    let (before, after) = change.voxel_bytes();
    if after > before {
        draft::check_memory((snapshot.size_bytes() + after).saturating_sub(before), snapshot.memory_limit)?;
    }
    Ok(change)
}
