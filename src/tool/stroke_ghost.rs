//! The ghost of a stroke, which grows with it: each step costs its own stamps only.
//!
//! What is shown lies in parts. Only the last one grows, so that whoever shows the ghost need not look at the others
//! again, however long the stroke.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Ghost;
use super::ghost::{GHOST_LIMIT, Scene, box_around, push_voxels};
use crate::document::Snapshot;
use crate::edit::{Brush, ChunkMask, Mode, StrokeCoverage, VoxelMask, interior_of_chunk};
use crate::geom::raster::line;
use crate::geom::{Region, VoxelPos};
use crate::voxel::{CHUNK_EDGE, ChunkPos};

/// Voxels of a part at which those that nobody sees are dropped; below it everything is shown. The part that grows is
/// looked at anew with every stamp: it stays small.
const PART_LIMIT: usize = 3 << 10;
/// Of a part, the share that must be hidden to be dropped: what is left is looked at as a new part, which costs more than
/// to show a few voxels that nobody sees.
const HIDDEN_SHARE: usize = 8;

/// Cost of a command whose ghost is drawn from its beginning within a frame; dearer ones are planned by a worker.
pub const QUICK: u64 = 400_000;

/// Voxels of stamps' fronts that are drawn at a time: some 16 stamps of the widest brush, in a millisecond. A frame may do
/// so twice, for what was left over and for the pointer.
const FRONT: usize = 16 * 64 * 64;

/// What a stroke covers so far, and which of it is shown.
#[derive(Clone, Debug)]
pub struct StrokeGhost {
    /// The document as it was at the press.
    scene: Scene,
    mode: Mode,
    coverage: StrokeCoverage,
    /// Voxels of the path that are not drawn yet: a pointer that jumps goes over more of them than fit into a frame.
    waiting: VecDeque<VoxelPos>,
    /// The last of the path.
    last: Option<VoxelPos>,
    /// Voxels of the path that are drawn in a frame.
    steps: usize,
    /// What the stroke and its images cover within the map.
    drawn: VoxelMask,
    /// Invariant: never empty; only the last one grows.
    parts: Vec<Arc<Vec<VoxelPos>>>,
    region: Region,
}

impl StrokeGhost {
    /// The ghost of a stroke that has not begun.
    pub fn new(document: &Snapshot, brush: &Brush, mode: Mode) -> Self {
        Self {
            scene: Scene::new(document),
            mode,
            waiting: VecDeque::new(),
            last: None,
            steps: (FRONT / (brush.size as usize).pow(2).max(1)).max(1) / document.symmetry.images().len().max(1) + 1,
            coverage: StrokeCoverage::new(brush, document.symmetry.reach(&document.bounds())),
            drawn: VoxelMask::default(),
            parts: vec![Arc::default()],
            region: Region::EMPTY,
        }
    }

    /// The ghost of a straight line.
    pub fn line(document: &Snapshot, brush: &Brush, mode: Mode, from: VoxelPos, to: VoxelPos) -> Self {
        let mut ghost = Self::new(document, brush, mode);
        ghost.go_to(from);
        ghost.go_to(to);
        while ghost.is_behind() {
            ghost.go_on();
        }
        ghost
    }

    /// Goes on to the next point of the path; [`go_on`](Self::go_on) draws it.
    pub fn go_to(&mut self, point: VoxelPos) {
        let begin = usize::from(self.last.is_some());
        self.waiting.extend(line(self.last.unwrap_or(point), point).skip(begin));
        self.last = Some(point);
    }

    /// Draws what fits into a frame.
    pub fn go_on(&mut self) {
        let count = self.waiting.len().min(self.steps);
        if count > 0 {
            let fresh = self.coverage.cover(self.waiting.drain(..count));
            self.draw(&fresh);
        }
    }

    /// Whether there is more to draw.
    pub fn is_behind(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn draw(&mut self, fresh: &VoxelMask) {
        let Some(last) = self.parts.last_mut() else { return };
        // Whoever shows the last ghost may still hold it: then this copies one part.
        let voxels = Arc::make_mut(last);
        let bounds = self.scene.document().bounds();
        for index in 0..self.scene.images().len() {
            let Some(image) = self.scene.images().get(index) else { continue };
            let drawn = self.drawn.add_new(&fresh.imaged(image, &bounds));
            for (pos, bits) in drawn.chunks() {
                let affected = self.scene.affected(pos, bits, self.mode);
                if index == 0 {
                    self.region = self.region.union(&box_around(pos, &affected));
                }
                push_voxels(voxels, pos, &affected);
            }
        }
        if voxels.len() > PART_LIMIT {
            self.prune();
        }
    }

    /// The voxels that the stroke changes, in parts.
    pub fn ghosts(&self) -> Vec<Ghost> {
        self.parts.iter().map(|voxels| Ghost { voxels: voxels.clone(), mode: self.mode }).collect()
    }

    /// What happens to them.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether the stroke and its images change nothing.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.parts.iter().all(|part| part.is_empty())
    }

    /// The box around those of the stroke itself.
    pub fn region(&self) -> Region {
        self.region
    }

    /// The document as it was at the press.
    pub fn document(&self) -> &Snapshot {
        self.scene.document()
    }

    /// Drops what nobody sees from the part that grows and from the one before it, whose last stamp was still its
    /// front; begins a new part where it does not help any more.
    fn prune(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        for part in parts.iter_mut().rev().take(2) {
            let visible = self.visible(part);
            if part.len() - visible.len() > part.len() / HIDDEN_SHARE {
                *part = Arc::new(visible);
            }
        }
        if parts.last().is_some_and(|part| part.len() > PART_LIMIT / 2) {
            parts.push(Arc::default());
        }
        // Of a stroke without end, the end is shown.
        while parts.iter().map(|part| part.len()).sum::<usize>() > GHOST_LIMIT && parts.len() > 2 {
            parts.remove(0);
        }
        self.parts = parts;
    }

    /// Those that somebody sees.
    fn visible(&mut self, voxels: &[VoxelPos]) -> Vec<VoxelPos> {
        let adds = matches!(self.mode, Mode::Add | Mode::Set);
        let (drawn, scene) = (&self.drawn, &mut self.scene);
        let mut visible_in = |chunk_pos: ChunkPos| -> ChunkMask {
            if adds {
                return interior_of_chunk(drawn, chunk_pos).map(|bits| !bits);
            }
            *scene.surface(chunk_pos)
        };
        // They come chunk by chunk.
        let mut last: Option<(ChunkPos, ChunkMask)> = None;
        let is_visible = |&pos: &VoxelPos| {
            let chunk_pos = ChunkPos::of(pos);
            if last.as_ref().is_none_or(|(known, _)| *known != chunk_pos) {
                last = Some((chunk_pos, visible_in(chunk_pos)));
            }
            let at = pos - chunk_pos.origin();
            let column = at.y as usize * CHUNK_EDGE + at.x as usize;
            last.as_ref().and_then(|(_, visible)| visible.get(column)).is_some_and(|bits| bits >> at.z & 1 == 1)
        };
        voxels.iter().copied().filter(is_visible).collect()
    }
}
