//! Which voxels a stroke has covered, built up stamp by stamp: spacing, jitter, strength and pictures of brushes.

use glam::IVec3;

use super::brush::Brush;
use super::mask::{ChunkMask, heights, voxel_at};
use super::{BrushShape, GrayImage, VoxelMask};
use crate::geom::raster::{Footprint, line};
use crate::geom::{Axis, Region, VoxelPos};
use crate::terrain::Noise;
use crate::voxel::{CHUNK_COLUMNS, ChunkPos};

/// Fields of a brush's seed.
const DITHER: u32 = 0;
const PLACE: u32 = 1;
const TINT: u32 = 2;

/// The voxels that a stroke has covered, built up as it goes on.
///
/// A live preview applies what each [`line_to`](Self::line_to) answers; the finished stroke's
/// [`covered`](Self::covered) is what the command edits. However often a stroke crosses a voxel, it counts once.
///
/// ```
/// use glam::IVec3;
/// use spadework::edit::{Brush, BrushShape, StrokeCoverage};
/// use spadework::geom::Region;
/// let mut stroke = StrokeCoverage::new(&Brush::new(BrushShape::Cube, 3), Region::of_size(IVec3::splat(64)));
/// assert_eq!(stroke.line_to(IVec3::splat(10)).count(), 27);
/// assert_eq!(stroke.line_to(IVec3::new(11, 10, 10)).count(), 9); // only what is new
/// assert_eq!(stroke.covered().count(), 36);
/// ```
#[derive(Clone, Debug)]
pub struct StrokeCoverage {
    footprint: Footprint,
    bounds: Region,
    covered: VoxelMask,
    /// All that the stamps reached, where the strength leaves some of it out.
    reached: Option<VoxelMask>,
    picture: Option<GrayImage>,
    dither: Noise,
    /// Of 65536: a voxel is covered whose random number is smaller.
    strength: u32,
    spacing: u32,
    jitter: i32,
    places: Noise,
    up: Axis,
    last: Option<VoxelPos>,
    /// Voxels of the path so far.
    steps: u32,
}

impl StrokeCoverage {
    /// A stroke that has covered nothing yet; nothing outside of `bounds` will count.
    pub fn new(brush: &Brush, bounds: Region) -> Self {
        let picture = brush.picture.clone().filter(|_| brush.shape == BrushShape::Picture);
        let seed = u64::from(brush.seed);
        Self {
            footprint: brush.footprint(),
            bounds,
            covered: VoxelMask::default(),
            reached: (brush.strength < 100 && picture.is_none()).then(VoxelMask::default),
            picture,
            dither: Noise::new(seed, DITHER),
            strength: u32::from(brush.strength.min(100)) * 65_536 / 100,
            spacing: brush.spacing.voxels(brush.size),
            jitter: brush.jitter.min(Brush::MAX_SIZE) as i32,
            places: Noise::new(seed, PLACE),
            up: brush.up.axis(),
            last: None,
            steps: 0,
        }
    }

    /// Draws on to the next point of the path, with stamps between. Answers the voxels that were not
    /// covered before.
    pub fn line_to(&mut self, point: VoxelPos) -> VoxelMask {
        let begin = usize::from(self.last.is_some());
        self.cover(line(self.last.unwrap_or(point), point).skip(begin))
    }

    /// As [`line_to`](Self::line_to), along a path of which every voxel is given.
    pub fn cover(&mut self, path: impl IntoIterator<Item = VoxelPos>) -> VoxelMask {
        let mut fresh = VoxelMask::default();
        for center in path {
            self.step(center, Some(&mut fresh));
        }
        fresh
    }

    /// All that is covered so far.
    pub fn covered(&self) -> &VoxelMask {
        &self.covered
    }

    /// Ends the stroke.
    pub fn into_covered(self) -> VoxelMask {
        self.covered
    }

    /// Goes on to the next voxel of the path, and stamps there if it is time. What was not covered before goes to
    /// `fresh` as well. Answers the number of the stamp.
    pub(super) fn step(&mut self, center: VoxelPos, fresh: Option<&mut VoxelMask>) -> Option<u32> {
        self.last = Some(center);
        let (step, spacing) = (self.steps, self.spacing);
        self.steps = step.saturating_add(1);
        if !step.is_multiple_of(spacing) {
            return None;
        }
        let stamp = step / spacing;
        // Far outside, where adding the brush's size could saturate and bend the shape.
        let reach = self.bounds.grown(2 * Brush::MAX_SIZE as i32);
        if reach.contains(center) && center.abs().cmplt(IVec3::splat(i32::MAX / 2)).all() {
            self.stamp(center + self.offset(stamp), fresh);
        }
        Some(stamp)
    }

    fn stamp(&mut self, center: VoxelPos, fresh: Option<&mut VoxelMask>) {
        if self.picture.is_some() {
            return self.stamp_picture(center, fresh);
        }
        let Some(reached) = &mut self.reached else {
            return self.covered.add_footprint(&self.footprint, center, &self.bounds, fresh);
        };
        let mut more = VoxelMask::default();
        reached.add_footprint(&self.footprint, center, &self.bounds, Some(&mut more));
        let (dither, strength) = (self.dither, self.strength);
        let kept = retained(&more, |pos| random(&dither, pos) < strength);
        self.covered.add(&kept);
        if let Some(fresh) = fresh {
            fresh.add(&kept);
        }
    }

    /// Covers the voxels that are as bright in the picture as chance asks of them.
    fn stamp_picture(&mut self, center: VoxelPos, fresh: Option<&mut VoxelMask>) {
        let (Some(picture), origin) = (&self.picture, self.footprint.region(center).min()) else { return };
        // Across the picture, and down it: upright ones lie with north up.
        let [across, down] = match self.up {
            Axis::X => [1, 2],
            Axis::Y => [0, 2],
            Axis::Z => [0, 1],
        };
        let (size, sides) = (self.footprint.size(), picture.size());
        let pixel = |at: IVec3, axis: usize, side: u32| (at[axis] * side as i32 + side as i32 / 2) / size[axis].max(1);
        let mut box_of_stamp = VoxelMask::default();
        box_of_stamp.add_footprint(&self.footprint, center, &self.bounds, None);
        let covered = &self.covered;
        let kept = retained(&box_of_stamp, |pos| {
            let at = pos - origin;
            let bright = picture.at(pixel(at, across, sides[0]), pixel(at, down, sides[1])).unwrap_or(0);
            // White is all of the strength, black nothing.
            let share = (u64::from(bright) * u64::from(self.strength) / u64::from(u16::MAX)) as u32;
            share > 0 && random(&self.dither, pos) < share && !covered.contains(pos)
        });
        self.covered.add(&kept);
        if let Some(fresh) = fresh {
            fresh.add(&kept);
        }
    }

    /// Where a stamp lies beside the path, across the brush's axis.
    fn offset(&self, stamp: u32) -> IVec3 {
        if self.jitter == 0 {
            return IVec3::ZERO;
        }
        let beside = |part: i32| {
            let word = self.places.word(IVec3::new(stamp as i32, part, 0));
            (word % (2 * self.jitter as u32 + 1)) as i32 - self.jitter
        };
        let mut offset = IVec3::new(beside(0), beside(1), beside(2));
        offset[self.up.index()] = 0;
        offset
    }
}

/// Which of some tints a stamp has.
pub(super) fn stamp_tint(brush: &Brush, stamp: u32, steps: u32) -> u32 {
    Noise::new(u64::from(brush.seed), TINT).word(IVec3::new(stamp as i32, 0, 0)) % steps.max(1)
}

/// A random number of 65536 for each voxel.
fn random(noise: &Noise, pos: VoxelPos) -> u32 {
    noise.word(pos) >> 16
}

/// Those voxels of a set that a judge keeps.
pub(super) fn retained(mask: &VoxelMask, mut keep: impl FnMut(VoxelPos) -> bool) -> VoxelMask {
    let mut kept = VoxelMask::default();
    for (pos, bits) in mask.chunks() {
        let mut own: ChunkMask = [0; CHUNK_COLUMNS];
        for (column, (own, bits)) in own.iter_mut().zip(bits).enumerate() {
            *own = heights(*bits).filter(|z| keep(voxel_at(pos, column, *z))).fold(0, |all, z| all | 1 << z);
        }
        kept.add_chunk(pos, &own);
    }
    kept
}

/// The voxels of a set in one chunk that have others of it on all six sides.
pub(crate) fn interior_of_chunk(mask: &VoxelMask, pos: ChunkPos) -> ChunkMask {
    let nothing = [0; CHUNK_COLUMNS];
    let chunk = |step: IVec3| mask.chunk(ChunkPos(pos.0 + step)).unwrap_or(&nothing);
    let own = chunk(IVec3::ZERO);
    let [west, east, north, south, above, below] = [IVec3::NEG_X, IVec3::X, IVec3::NEG_Y, IVec3::Y, IVec3::NEG_Z, IVec3::Z].map(chunk);
    let (edge, last) = (crate::voxel::CHUNK_EDGE, crate::voxel::CHUNK_EDGE - 1);
    let mut interior = [0; CHUNK_COLUMNS];
    for (column, inner) in interior.iter_mut().enumerate() {
        let (x, y) = (column % edge, column / edge);
        let at = |chunk: &ChunkMask, x: usize, y: usize| chunk.get(y * edge + x).copied().unwrap_or(0);
        let bits = at(own, x, y);
        if bits == 0 {
            continue;
        }
        let up = bits << 1 | at(above, x, y) >> last;
        let down = bits >> 1 | at(below, x, y) << last;
        let left = if x == 0 { at(west, last, y) } else { at(own, x - 1, y) };
        let right = if x == last { at(east, 0, y) } else { at(own, x + 1, y) };
        let back = if y == 0 { at(north, x, last) } else { at(own, x, y - 1) };
        let front = if y == last { at(south, x, 0) } else { at(own, x, y + 1) };
        *inner = bits & up & down & left & right & back & front;
    }
    interior
}
