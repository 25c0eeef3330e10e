//! Things read from other programs: voxel models and heightmaps, turned to our axes.
//!
//! A plugin is one file here plus one entry in [`IMPORTS`]. What it reads is a stamp or a map; which, the
//! caller decides. Nothing here is written back: exports are another matter. Plugins never name each other;
//! they share the limits in `volume` and the pictures of `picture`.

mod heightmap;
mod kv6;
mod kvx;
mod picture;
#[cfg(test)]
mod tests;
mod volume;
mod vox;

use super::{Certainty, FormatError, OptionSpec, Report, Source};
use crate::document::{Options, Progress};
use crate::geom::VoxelPos;
use crate::voxel::Store;

pub use picture::{Picture, read_picture};

/// The files of an import.
#[derive(Clone, Copy)]
pub struct ImportFiles<'a> {
    /// The file itself.
    pub main: &'a dyn Source,
    /// A picture with the colors of the columns, for imports that [take one](Import::takes_colors).
    pub colors: Option<&'a dyn Source>,
}

/// What an import is meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportKind {
    /// A thing to be put into a map. As a map of its own it stands on a water plane.
    Model,
    /// Land that is a whole map, floor included.
    Terrain,
}

/// Voxels from another program, in our axes.
#[derive(Clone, Debug)]
pub struct Imported {
    // Invariant: the bounds begin at the origin and hold at least one voxel.
    /// The voxels, with the smallest corner at the origin.
    pub store: Store,
    /// Name that the file gives it; empty where it gives none.
    pub name: String,
    /// The voxel by which it is put into a map: the file's pivot, or the middle of what it stands on.
    pub anchor: VoxelPos,
    /// What it is meant to be.
    pub kind: ImportKind,
}

/// A kind of file that another program writes.
pub trait Import: Sync {
    /// Stable id, lower case: `magicavoxel`.
    fn id(&self) -> &'static str;

    /// Name in menus and dialogs: `MagicaVoxel model`.
    fn label(&self) -> &'static str;

    /// Extensions without dot, lower case.
    fn extensions(&self) -> &'static [&'static str];

    /// Options for reading.
    fn options(&self) -> &'static [OptionSpec] {
        &[]
    }

    /// Whether a second picture can give the colors.
    fn takes_colors(&self) -> bool {
        false
    }

    /// Looks at the content. Must be quick and must not fail.
    fn probe(&self, source: &dyn Source) -> Certainty;

    /// Reads the file. Sizes are checked before anything is allocated for them.
    ///
    /// # Errors
    /// A [`FormatError`] that names the offset. What was left out or guessed goes to the report.
    fn read(&self, files: &ImportFiles<'_>, options: &Options, progress: &Progress, report: &mut Report) -> Result<Imported, FormatError>;
}

/// Every import, in menu order.
pub const IMPORTS: &[&dyn Import] = &[&vox::Vox, &kv6::Kv6, &kvx::Kvx, &heightmap::Heightmap];

/// The import of that id.
pub fn import(id: &str) -> Option<&'static dyn Import> {
    IMPORTS.iter().copied().find(|import| import.id() == id)
}

/// The import of files with that extension, in whatever case.
pub fn import_by_extension(extension: &str) -> Option<&'static dyn Import> {
    IMPORTS.iter().copied().find(|import| import.extensions().iter().any(|own| own.eq_ignore_ascii_case(extension)))
}

/// The import that a file is for: by content first, by extension where content leaves it open.
pub fn recognize_import(source: &dyn Source, extension: Option<&str>) -> Option<&'static dyn Import> {
    let mut best: Option<((Certainty, bool), &'static dyn Import)> = None;
    for &import in IMPORTS {
        let named = extension.is_some_and(|extension| import.extensions().iter().any(|own| own.eq_ignore_ascii_case(extension)));
        let rank = (import.probe(source), named);
        let speaks_for_it = rank.0 > Certainty::Possible || (rank.0 == Certainty::Possible && named);
        if speaks_for_it && best.is_none_or(|(other, _)| rank > other) {
            best = Some((rank, import));
        }
    }
    best.map(|(_, import)| import)
}
