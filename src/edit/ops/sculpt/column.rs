//! Sculpting the ground as heights of columns.

use glam::IVec3;

use super::stamps::{STAMPS_SHARE, Stamp, WHOLE, noise_at};
use super::{Sculpt, SculptAction};
use crate::document::{Progress, Snapshot};
use crate::edit::{Draft, EditError, Mode};
use crate::geom::{ColumnRect, Transform, VoxelPos};
use crate::voxel::{Rgb, Store, Voxel};

/// Columns around a column whose heights smoothing takes the mean of, on each side.
const SMOOTH_REACH: i32 = 2;
/// How far a slope may lie within a hill, besides what the brush reaches.
const SLOPE_REACH: u32 = 64;

impl Sculpt {
    pub(super) fn columns(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Draft, EditError> {
        let store = snapshot.store();
        let mut draft = Draft::new(snapshot);
        let images: Vec<_> = snapshot.symmetry.images().iter().map(|image| image.transform).collect();
        let floor = snapshot.floor_z().unwrap_or(snapshot.bounds().max().z - 1);
        let stamps = self.stamps_with_images(snapshot, progress)?;
        let count = stamps.len();
        for (done, ([y, x], stamp)) in stamps.into_iter().enumerate() {
            progress.report(STAMPS_SHARE + (1.0 - STAMPS_SHARE) * done as f32 / count as f32)?;
            let Some(top) = self.top(store, x, y, stamp.z) else { continue };
            let top = IVec3::new(x, y, top);
            match self.step(store, top, &stamp, (&images, floor)) {
                up @ 1.. => raise(&mut draft, top, up, stamp.color),
                up @ ..0 => lower(&mut draft, top, -up, stamp.color),
                0 => {}
            }
        }
        Ok(draft)
    }

    /// How far up the ground of a column goes.
    fn step(&self, store: &Store, top: VoxelPos, stamp: &Stamp, (images, floor): (&[Transform], i32)) -> i32 {
        let amount = i32::from(stamp.amount);
        match self.action {
            SculptAction::Raise => amount,
            SculptAction::Lower => -amount,
            SculptAction::Smooth => self.step_to_mean(store, top).clamp(-amount, amount),
            SculptAction::Flatten | SculptAction::Slope => self.step_to_level(top.z, stamp),
            SculptAction::Erode => self.step_to_mean(store, top).clamp(-amount, 0),
            SculptAction::Melt => self.step_to_lowest(store, top).max(-amount),
            SculptAction::Noise => (noise_at(self, images, top.with_z(0)) * amount as f32).round() as i32,
            SculptAction::Terrace => {
                let (step, height) = (self.step as i32, floor - top.z);
                // To the nearest, halves up.
                let wanted = (2 * height + step).div_euclid(2 * step) * step;
                (wanted - height).clamp(-amount, amount)
            }
        }
    }

    /// How far up ground goes towards the level, or on the slope.
    pub(super) fn step_to_level(&self, top: i32, stamp: &Stamp) -> i32 {
        let amount = i32::from(stamp.amount);
        match self.action {
            SculptAction::Slope => rounded(top.saturating_sub(stamp.z).saturating_mul(amount), WHOLE),
            _ => top.saturating_sub(self.level()).clamp(-amount, amount),
        }
    }

    /// How far above the path's height the ground may lie where the path is buried.
    fn reach(&self) -> i32 {
        let more = if self.action == SculptAction::Slope { SLOPE_REACH } else { 0 };
        self.size.saturating_add(self.strength).saturating_add(more) as i32
    }

    /// The ground's topmost voxel in a column at the height of the path: down from air, up from within the ground.
    pub(super) fn top(&self, store: &Store, x: i32, y: i32, path_z: i32) -> Option<i32> {
        ground_at(store, [x, y], path_z, self.reach())
    }

    /// How far up a column has to go to the mean height of those around it.
    fn step_to_mean(&self, store: &Store, top: VoxelPos) -> i32 {
        let (mut sum, mut count) = (0, 0);
        let reach = ColumnRect::new([top.x - SMOOTH_REACH, top.y - SMOOTH_REACH], [top.x + SMOOTH_REACH + 1, top.y + SMOOTH_REACH + 1]);
        for [x, y] in reach.intersection(&store.bounds().columns()).columns() {
            if let Some(z) = self.top(store, x, y, top.z) {
                sum += top.z - z;
                count += 1;
            }
        }
        if count == 0 { 0 } else { rounded(sum, count) }
    }

    /// How far up, or rather down, a column has to go to the lowest of those beside it.
    fn step_to_lowest(&self, store: &Store, top: VoxelPos) -> i32 {
        let bounds = store.bounds().columns();
        let beside = [[1, 0], [-1, 0], [0, 1], [0, -1]].map(|[x, y]| [top.x + x, top.y + y]);
        let beside = beside.into_iter().filter(|[x, y]| bounds.contains(*x, *y));
        let steps = beside.filter_map(|[x, y]| self.top(store, x, y, top.z)).map(|z| top.z - z);
        steps.min().unwrap_or(0).min(0)
    }
}

/// The ground's topmost voxel in a column: down from air, up from within the ground, as far as `reach`.
pub(super) fn ground_at(store: &Store, [x, y]: [i32; 2], from_z: i32, reach: i32) -> Option<i32> {
    let (min, max) = (store.bounds().min().z, store.bounds().max().z);
    let from_z = from_z.clamp(min, max - 1);
    let at = |z| IVec3::new(x, y, z);
    if !store.is_solid(at(from_z)) {
        return store.ground(x, y, from_z);
    }
    let highest = from_z.saturating_sub(reach);
    (highest..=from_z).rev().find(|z| *z == min || !store.is_solid(at(z - 1)))
}

/// The quotient to the nearest, halves away from zero.
fn rounded(sum: i32, count: i32) -> i32 {
    let (double, twice) = (2 * i64::from(sum).abs(), 2 * i64::from(count));
    ((double + i64::from(count)) / twice) as i32 * sum.signum()
}

/// Raises the ground by some voxels, up to what hangs above at most; without a color in the old top's.
pub(in crate::edit::ops) fn raise(draft: &mut Draft, top: VoxelPos, by: i32, color: Option<Rgb>) {
    let old = draft.before().voxel(top).unwrap_or(Voxel::HIDDEN);
    // The colour goes on, the shade and what VMF keeps of the old voxel do not.
    let voxel = color.or(old.rgb()).map_or(Voxel::HIDDEN, Voxel::new);
    for z in (top.z.saturating_sub(by)..top.z).rev() {
        let at = top.with_z(z);
        // Never into what hangs above.
        if !draft.bounds().contains(at) || draft.get(at).is_some() {
            break;
        }
        draft.place(at, Some(voxel));
    }
}

/// Lowers the ground by some voxels, to the floor or into a cave at most; paints what comes to light there.
pub(in crate::edit::ops) fn lower(draft: &mut Draft, top: VoxelPos, by: i32, color: Option<Rgb>) {
    let floor = draft.floor_z();
    let end = top.z.saturating_add(by);
    for z in top.z..end {
        let at = top.with_z(z);
        // Nothing below a cave's roof came to light.
        if floor == Some(z) || draft.get(at).is_none() {
            return;
        }
        draft.place(at, None);
    }
    // The water that comes to light keeps its own colour.
    if let Some(color) = color
        && floor != Some(end)
    {
        draft.put(top.with_z(end), color, Mode::Paint);
    }
}
