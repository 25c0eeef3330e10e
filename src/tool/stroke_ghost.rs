//! The ghost of a stroke, which grows with it: each step costs its own stamps only.

use std::sync::Arc;

use super::Ghost;
use super::ghost::{GHOST_LIMIT, Scene, is_exposed};
use crate::document::Snapshot;
use crate::edit::{Brush, Mode, StrokeCoverage, VoxelMask};
use crate::geom::{Face, Region, VoxelPos};

/// What a stroke covers so far, and which of it is shown.
#[derive(Clone, Debug)]
pub struct StrokeGhost {
    /// The document as it was at the press.
    scene: Scene,
    mode: Mode,
    coverage: StrokeCoverage,
    /// What the stroke and its images cover within the map.
    drawn: VoxelMask,
    voxels: Arc<Vec<VoxelPos>>,
    /// Number of shown voxels at which those that nobody sees are dropped.
    prune_at: usize,
    region: Region,
}

impl StrokeGhost {
    /// The ghost of a stroke that has not begun.
    pub fn new(document: &Snapshot, brush: &Brush, mode: Mode) -> Self {
        Self {
            scene: Scene::new(document),
            mode,
            coverage: StrokeCoverage::new(brush, document.symmetry.reach(&document.bounds())),
            drawn: VoxelMask::default(),
            voxels: Arc::default(),
            prune_at: GHOST_LIMIT,
            region: Region::EMPTY,
        }
    }

    /// The ghost of a straight line.
    pub fn line(document: &Snapshot, brush: &Brush, mode: Mode, from: VoxelPos, to: VoxelPos) -> Self {
        let mut line = Self::new(document, brush, mode);
        line.draw_to(from);
        line.draw_to(to);
        line
    }

    /// Goes on to the next point of the path.
    pub fn draw_to(&mut self, point: VoxelPos) {
        let fresh = self.coverage.line_to(point);
        // Whoever shows the last ghost may still hold it: then this copies at most the ghost's limit.
        let voxels = Arc::make_mut(&mut self.voxels);
        let (scene, bounds) = (&self.scene, self.scene.document().bounds());
        for (index, image) in scene.images().iter().enumerate() {
            let drawn = self.drawn.add_new(&fresh.imaged(image, &bounds));
            for pos in drawn.positions().filter(|&pos| scene.affects(pos, self.mode)) {
                if index == 0 {
                    self.region = self.region.union(&Region::between(pos, pos));
                }
                voxels.push(pos);
            }
        }
        if voxels.len() > self.prune_at {
            let (document, covered, adds) = (scene.document(), &self.drawn, matches!(self.mode, Mode::Add | Mode::Set));
            let inner = |pos: VoxelPos| Face::ALL.iter().all(|face| covered.contains(pos + face.normal()));
            voxels.retain(|&pos| if adds { !inner(pos) } else { is_exposed(document, pos) });
            self.prune_at = GHOST_LIMIT.max(2 * voxels.len());
        }
    }

    /// The voxels that the stroke changes.
    pub fn ghost(&self) -> Ghost {
        Ghost { voxels: self.voxels.clone(), mode: self.mode }
    }

    /// What happens to them.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the stroke and its images change nothing.
    pub fn is_empty(&self) -> bool {
        self.voxels.is_empty()
    }

    /// The box around those of the stroke itself.
    pub fn region(&self) -> Region {
        self.region
    }

    /// The document as it was at the press.
    pub fn document(&self) -> &Snapshot {
        self.scene.document()
    }
}
