//! Which tile a voxel becomes: the one that its colour stands for, else the nearest.

use std::collections::HashMap;
use std::sync::Arc;

use super::colors::Colors;
use crate::document::Palette;
use crate::voxel::{Rgb, Voxel};

/// Chooses tiles for voxels, and counts those whose colour stands for none.
pub(super) struct Chooser<'a> {
    colors: &'a Colors,
    /// What any other colour may become.
    candidates: Palette,
    /// Whether tiles that the file does not name can be added to it.
    may_add: bool,
    nearest: HashMap<Rgb, Option<Arc<str>>>,
    /// Voxels whose colour stands for no tile.
    pub inexact: u64,
}

impl<'a> Chooser<'a> {
    /// For a document with these colours.
    pub fn new(colors: &'a Colors, may_add: bool) -> Self {
        Self { colors, candidates: colors.candidates(), may_add, nearest: HashMap::new(), inexact: 0 }
    }

    /// The tile of a voxel; `None` is air. A voxel of unknown colour keeps the tile that was there.
    pub fn tile(&mut self, voxel: Option<Voxel>, before: Option<&Arc<str>>) -> Option<Arc<str>> {
        let voxel = voxel?;
        let Some(color) = voxel.rgb() else {
            if before.is_none() {
                self.inexact += 1;
            }
            // Nothing speaks for any tile: the first one offered is the plain floor.
            return before.or(self.candidates.swatches().first().map(|swatch| &swatch.name)).cloned();
        };
        if let Some(name) = self.colors.name_of(color)
            && (self.may_add || self.candidates.color_of(name).is_some())
        {
            // Files before 2022 call the same tile floor_steel.
            return Some(self.spelled_as_in_file(name).unwrap_or_else(|| name.clone()));
        }
        self.inexact += 1;
        let candidates = &self.candidates;
        self.nearest.entry(color).or_insert_with(|| candidates.nearest(color).map(|swatch| swatch.name.clone())).clone()
    }

    /// The name by which the file has that tile, where it is written otherwise.
    fn spelled_as_in_file(&self, name: &str) -> Option<Arc<str>> {
        let plain = |name: &str| name.replace('_', "").to_lowercase();
        if self.candidates.color_of(name).is_some() {
            return None;
        }
        let wanted = plain(name);
        self.candidates.swatches().iter().find(|swatch| plain(&swatch.name) == wanted).map(|swatch| swatch.name.clone())
    }
}
