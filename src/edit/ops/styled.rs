//! Filling in a way of painting: what fills a box, a solid or what is connected takes the colors of a style.

use serde::{Deserialize, Serialize};

use super::paint::{Here, unknown_color};
use super::{Fill, FillConnected, Shape};
use crate::document::{Image, Progress, Snapshot};
use crate::edit::mask::{ChunkMask, heights, voxel_at};
use crate::edit::{Change, Command, Draft, EditError, Mode, PaintStyle, VoxelMask};
use crate::geom::{Region, VoxelPos};
use crate::voxel::{ChunkPos, Rgb};

/// Does what another command does, with the colors of a style.
///
/// What is added has the command's color to begin with, which a style may tint, shade or replace; what is painted has
/// its own. All that a style looks at is the map as it was before. A gradient along a stroke runs along x.
///
/// ```
/// use spadework::edit::Command;
/// let text = r##"{"styled":{"style":{"noise":{"strength":20}},"seed":3,"of":{"fill":{"box":[[4,4,50],[8,8,60]],"color":"#808080"}}}}"##;
/// let command: Command = serde_json::from_str(text)?;
/// assert_eq!(serde_json::from_str::<Command>(&serde_json::to_string(&command)?)?, command);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Styled {
    /// What happens to the colors.
    pub style: PaintStyle,
    /// What all that looks random comes from.
    #[serde(default)]
    pub seed: u32,
    /// What fills.
    pub of: Filled,
}

/// A command that fills something with one color.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Filled {
    /// A box.
    Fill(Fill),
    /// A solid.
    Shape(Shape),
    /// What is connected.
    FillConnected(FillConnected),
}

/// What a command fills at one of its images.
pub(super) struct Layer<'a> {
    pub(super) image: Image<'a>,
    /// Where; within the map.
    pub(super) mask: VoxelMask,
    /// The box that a gradient runs through, on the mapper's side.
    pub(super) area: Region,
}

impl From<Filled> for Command {
    fn from(filled: Filled) -> Self {
        match filled {
            Filled::Fill(op) => Self::Fill(op),
            Filled::Shape(op) => Self::Shape(op),
            Filled::FillConnected(op) => Self::FillConnected(op),
        }
    }
}

impl Filled {
    /// The color, and what happens to the voxels.
    pub fn paint(&self) -> (Rgb, Mode) {
        match self {
            Self::Fill(op) => (op.color, op.mode),
            Self::Shape(op) => (op.color, op.mode),
            Self::FillConnected(op) => (op.color, op.effect()),
        }
    }

    fn layers<'a>(&self, snapshot: &'a Snapshot, progress: &Progress) -> Result<Vec<Layer<'a>>, EditError> {
        match self {
            Self::Fill(op) => op.layers(snapshot),
            Self::Shape(op) => op.layers(snapshot, progress),
            Self::FillConnected(op) => op.layers(snapshot, progress),
        }
    }

    /// The middle of a picture that is laid on it.
    fn anchor(&self, area: &Region) -> VoxelPos {
        match self {
            Self::Fill(_) | Self::Shape(_) => area.min() + area.size() / 2,
            Self::FillConnected(op) => op.at,
        }
    }
}

impl Styled {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        self.style.check()?;
        let command = Command::from(self.of.clone());
        let (color, mode) = self.of.paint();
        if mode == Mode::Remove {
            return command.plan(snapshot, progress);
        }
        let layers = self.of.layers(snapshot, progress)?;
        let images: Vec<_> = snapshot.symmetry.images().iter().map(|image| image.transform).collect();
        let style = self.style.clone().in_box();
        let mut draft = Draft::new(snapshot);
        let count = layers.iter().map(|layer| layer.mask.chunks().len()).sum::<usize>();
        let mut done = 0;
        for Layer { image, mask, area } in &layers {
            let (style, back) = (style.recolored(|color| image.color(color)), image.transform.inverse());
            let here = Here { style: &style, area, back: &back, images: &images, share: 0.0 };
            for (pos, bits) in mask.chunks() {
                progress.report(done as f32 / count as f32)?;
                draft.check_memory()?;
                done += 1;
                self.fill_chunk(snapshot, &mut draft, (pos, bits), (image.color(color), mode), &here);
            }
        }
        draft.finish_with(command.label(), progress)
    }

    fn fill_chunk(
        &self,
        snapshot: &Snapshot,
        draft: &mut Draft,
        (pos, bits): (ChunkPos, &ChunkMask),
        (color, mode): (Rgb, Mode),
        here: &Here<'_>,
    ) {
        let store = snapshot.store();
        let (paints, anchor) = (mode == Mode::Paint, self.of.anchor(here.area));
        for (column, bits) in bits.iter().enumerate() {
            let solid = store.chunk(pos).and_then(|chunk| chunk.solid().get(column)).copied().unwrap_or(0);
            let meant = match mode {
                Mode::Add => bits & !solid,
                Mode::Paint => bits & solid,
                Mode::Set | Mode::Remove => *bits,
            };
            for z in heights(meant) {
                let at = voxel_at(pos, column, z);
                let known = || store.paint(at).map(|paint| paint.rgb).unwrap_or_else(|| unknown_color(snapshot, at));
                let old = if paints { known() } else { color };
                let around = |step| store.paint(at + step).map(|paint| paint.rgb);
                match here.style.color(old, here.place(at), (here.area, anchor, self.seed), around) {
                    Some(styled) => draft.put(at, styled, mode),
                    // Beside a picture: what is painted stays as it is.
                    None if paints => {}
                    None => draft.put(at, color, mode),
                }
            }
        }
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        // Each voxel on its own.
        Command::from(self.of.clone()).cost().saturating_mul(4 + self.style.looks_at())
    }
}
