//! What a stroke and its images ask of each column, and of each voxel.

use std::collections::BTreeMap;

use glam::{IVec3, Vec3};

use super::{Sculpt, SculptAction};
use crate::document::{Progress, Snapshot};
use crate::edit::EditError;
use crate::edit::brush::{path_steps, path_voxels};
use crate::edit::mask::ChunkMask;
use crate::geom::{ColumnRect, Region, Transform, VoxelPos};
use crate::terrain::Noise;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, ChunkPos, Rgb};

/// Share of a slope's way in its middle.
pub(super) const WHOLE: i32 = u8::MAX as i32;
/// Share of the progress of sculpting columns that finding out what each is asked for has: a guess.
pub(super) const STAMPS_SHARE: f32 = 0.3;
/// Voxels of a chunk.
const CHUNK_VOXELS: usize = CHUNK_COLUMNS * CHUNK_EDGE;

/// Columns on a side of a square of columns.
const SQUARE: i32 = 32;

/// How far the columns of a square are to move, and the path's height where they are asked for it.
type Square = Box<[(u8, i32)]>;

/// What a column is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stamp {
    /// Voxels to move by at most; of a slope, how much of the way of 255.
    pub amount: u8,
    /// Of the path, where the stamp was made.
    pub z: i32,
    pub color: Option<Rgb>,
}

/// What the voxels of a chunk are asked for.
pub(super) struct Asked {
    /// `[column * 32 + z]`: voxels to move by at most.
    pub amounts: Box<[u8]>,
    /// Which image asks for it.
    images: Box<[u8]>,
}

impl Asked {
    /// The most that any voxel is asked for.
    pub fn most(&self) -> u8 {
        self.amounts.iter().copied().max().unwrap_or(0)
    }

    /// The voxels that are asked for so much at least.
    pub fn level(&self, amount: u8) -> ChunkMask {
        let mut mask = [0; CHUNK_COLUMNS];
        for (bits, amounts) in mask.iter_mut().zip(self.amounts.chunks(CHUNK_EDGE)) {
            *bits = amounts.iter().enumerate().fold(0, |all, (z, found)| all | u32::from(*found >= amount) << z);
        }
        mask
    }

    /// Number of the image that asks for a voxel.
    pub fn image(&self, column: usize, z: u32) -> usize {
        self.images.get(column * CHUNK_EDGE + z as usize).copied().map_or(0, usize::from)
    }
}

impl Sculpt {
    /// What each column of the map is asked for by the stroke and its images, by `[y, x]`.
    pub(super) fn stamps_with_images(&self, snapshot: &Snapshot, progress: &Progress) -> Result<BTreeMap<[i32; 2], Stamp>, EditError> {
        let bounds = snapshot.bounds().columns();
        let stamps = self.stamps(snapshot.symmetry.reach(&snapshot.bounds()).columns(), progress)?;
        if !snapshot.symmetry.is_on() {
            return Ok(stamps);
        }
        let mut all: BTreeMap<[i32; 2], Stamp> = BTreeMap::new();
        for image in snapshot.symmetry.images() {
            for (&[y, x], stamp) in &stamps {
                let [x, y] = image.column([x, y]);
                if bounds.contains(x, y) {
                    let stamp = Stamp { color: stamp.color.map(|color| image.color(color)), ..*stamp };
                    let strongest = all.entry([y, x]).or_insert(stamp);
                    // Of equals the higher one, on whichever side: both sides choose alike.
                    if (strongest.amount, -strongest.z) < (stamp.amount, -stamp.z) {
                        *strongest = stamp;
                    }
                }
            }
        }
        Ok(all)
    }

    /// What each column is asked for, by `[y, x]`; columns that do not move are left out.
    fn stamps(&self, columns: ColumnRect, progress: &Progress) -> Result<BTreeMap<[i32; 2], Stamp>, EditError> {
        let disc = self.disc();
        let count = path_steps(&self.path) + 1;
        // In squares of columns: a long stroke asks the same ones again and again.
        let mut squares: BTreeMap<[i32; 2], Square> = BTreeMap::new();
        for (done, center) in path_voxels(&self.path).enumerate() {
            progress.report(STAMPS_SHARE * done as f32 / count as f32)?;
            let mut last: Option<([i32; 2], Square)> = None;
            for &([x, y], amount) in &disc {
                let (x, y) = (center.x.saturating_add(x), center.y.saturating_add(y));
                if !columns.contains(x, y) {
                    continue;
                }
                let key = [y.div_euclid(SQUARE), x.div_euclid(SQUARE)];
                if last.as_ref().is_none_or(|(known, _)| *known != key) {
                    last.take().map(|(known, square)| squares.insert(known, square));
                    let nothing = || vec![(0, 0); (SQUARE * SQUARE) as usize].into();
                    last = Some((key, squares.remove(&key).unwrap_or_else(nothing)));
                }
                let index = (y.rem_euclid(SQUARE) * SQUARE + x.rem_euclid(SQUARE)) as usize;
                if let Some(strongest) = last.as_mut().and_then(|(_, square)| square.get_mut(index))
                    && strongest.0 < amount
                {
                    *strongest = (amount, center.z);
                }
            }
            last.map(|(known, square)| squares.insert(known, square));
        }
        let mut stamps = BTreeMap::new();
        for ([square_y, square_x], square) in squares {
            for (index, (amount, z)) in (0..).zip(&*square).filter(|(_, (amount, _))| *amount > 0) {
                let [y, x] = [square_y * SQUARE + index / SQUARE, square_x * SQUARE + index % SQUARE];
                stamps.insert([y, x], Stamp { amount: *amount, z: *z, color: self.color });
            }
        }
        Ok(stamps)
    }

    /// The columns of the disc around the origin that move, and how far.
    fn disc(&self) -> Vec<([i32; 2], u8)> {
        let low = -(self.size as i32 / 2);
        let columns = ColumnRect::new([low, low], [low + self.size as i32, low + self.size as i32]);
        let most = if self.action == SculptAction::Slope { WHOLE as u32 } else { self.strength };
        let amounts = columns.columns().map(|[x, y]| ([x, y], falloff(self.distance(x).powi(2) + self.distance(y).powi(2), most)));
        amounts.filter(|(_, amount)| *amount > 0).collect()
    }

    /// Distance from the brush's middle along an axis: 1 at its rim.
    pub(super) fn distance(&self, v: i32) -> f32 {
        let size = self.size as i32;
        (2 * (v + size / 2) + 1 - size) as f32 / size as f32
    }

    /// What each voxel of the map is asked for by the stroke and its images.
    pub(super) fn voxels_with_images(&self, snapshot: &Snapshot, progress: &Progress) -> Result<BTreeMap<ChunkPos, Asked>, EditError> {
        let bounds = snapshot.bounds();
        let mut all = BTreeMap::new();
        let low = -(self.size as i32 / 2);
        let cube = Region::new(IVec3::splat(low), IVec3::splat(low + self.size as i32));
        let square = |at: IVec3| at.to_array().into_iter().map(|v| self.distance(v).powi(2)).sum();
        let ball = cube.positions().map(|at| (at, falloff(square(at), self.strength)));
        let ball: Vec<_> = ball.filter(|(_, amount)| *amount > 0).collect();
        // A wide ball changes little from voxel to voxel.
        let every = (self.size as usize / 8).max(1);
        let mut centers: Vec<_> = path_voxels(&self.path).step_by(every).collect();
        centers.extend(self.path.last());
        centers.dedup();
        for (number, image) in snapshot.symmetry.images().iter().enumerate() {
            let number = u8::try_from(number).unwrap_or(0);
            for center in &centers {
                progress.check()?;
                let reach = image.transform.region(&cube.shifted(*center));
                if !reach.intersection(&bounds).is_empty() {
                    ask(&mut all, &ball, (*center, &image.transform, number), &bounds);
                }
            }
        }
        Ok(all)
    }
}

fn ask(
    all: &mut BTreeMap<ChunkPos, Asked>,
    ball: &[(IVec3, u8)],
    (center, transform, number): (VoxelPos, &Transform, u8),
    bounds: &Region,
) {
    // Neighbours in the ball mostly lie in one chunk.
    let mut last: Option<(ChunkPos, Asked)> = None;
    for (at, amount) in ball {
        let pos = transform.voxel(center.saturating_add(*at));
        if !bounds.contains(pos) {
            continue;
        }
        let chunk_pos = ChunkPos::of(pos);
        if last.as_ref().is_none_or(|(known, _)| *known != chunk_pos) {
            if let Some((known, asked)) = last.take() {
                all.insert(known, asked);
            }
            let nothing = || Asked { amounts: vec![0; CHUNK_VOXELS].into(), images: vec![0; CHUNK_VOXELS].into() };
            last = Some((chunk_pos, all.remove(&chunk_pos).unwrap_or_else(nothing)));
        }
        let within = pos - chunk_pos.origin();
        let index = (within.y as usize * CHUNK_EDGE + within.x as usize) * CHUNK_EDGE + within.z as usize;
        if let Some((_, asked)) = &mut last
            && let (Some(found), Some(image)) = (asked.amounts.get_mut(index), asked.images.get_mut(index))
            && *found < *amount
        {
            (*found, *image) = (*amount, number);
        }
    }
    if let Some((known, asked)) = last {
        all.insert(known, asked);
    }
}

/// 1 in the middle, 0 on the rim, level at both; times the most, rounded.
pub(super) fn falloff(square: f32, most: u32) -> u8 {
    let share = (1.0 - square).max(0.0).powi(2);
    (share * most as f32).round() as u8
}

/// Noise of -1 to 1 that is the same at all images of a place.
pub(super) fn noise_at(op: &Sculpt, images: &[Transform], pos: VoxelPos) -> f32 {
    let canonical = images.iter().map(|image| image.voxel(pos)).min_by_key(|image| image.to_array()).unwrap_or(pos);
    let noise = Noise::new(u64::from(op.seed), 0);
    if op.grain == 1 {
        return 2.0 * noise.chance(canonical) - 1.0;
    }
    // Off the lattice, where the noise is not always zero.
    noise.space((canonical.as_vec3() + Vec3::splat(0.37)) / op.grain as f32).clamp(-1.0, 1.0)
}
