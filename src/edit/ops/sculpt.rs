//! Raising, lowering and smoothing the ground.

use std::collections::BTreeMap;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use crate::document::{Progress, Snapshot};
use crate::edit::brush::{check_path, check_size, in_range, path_steps, path_voxels};
use crate::edit::{Change, Draft, EditError, Mode};
use crate::geom::{ColumnRect, VoxelPos};
use crate::voxel::{Rgb, Store, Voxel};

/// Columns around a column whose heights smoothing takes the mean of, on each side.
const SMOOTH_REACH: i32 = 2;

/// What sculpting does to the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SculptAction {
    /// The ground comes up.
    Raise,
    /// The ground goes down, to the floor at most.
    Lower,
    /// Heights approach the mean of the columns around.
    Smooth,
}

impl SculptAction {
    /// All actions, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Raise, Self::Lower, Self::Smooth];

    /// Name on the switch.
    pub fn label(self) -> &'static str {
        match self {
            Self::Raise => "Raise",
            Self::Lower => "Lower",
            Self::Smooth => "Smooth",
        }
    }
}

/// Changes the height of the ground in a disc that moves along a path.
///
/// Each column within the disc moves by `strength` at its middle, falling off smoothly to its rim. A
/// column moves once a stroke, by the most that any stamp asks for, so that a slow stroke makes no
/// spikes. Only the ground at the height of the path moves: what lies above an air gap, such as a roof
/// or the top of a cave, stays, and so does what is buried deeper than the disc is wide.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sculpt {
    /// What happens to the ground.
    pub action: SculptAction,
    /// Ground voxels under the pointer; straight lines of stamps join them.
    pub path: Vec<VoxelPos>,
    /// Diameter of the disc in voxels, 1 to 64.
    #[serde(default = "nine")]
    pub size: u32,
    /// Voxels that the middle moves by, 1 to 64; smoothing moves by this much at most.
    #[serde(default = "one")]
    pub strength: u32,
    /// Colour of the new top voxels; `null` continues the colour of the old ones.
    #[serde(default)]
    pub color: Option<Rgb>,
}

fn nine() -> u32 {
    9
}

fn one() -> u32 {
    1
}

impl Sculpt {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        check_size(self.size)?;
        in_range("strength", i64::from(self.strength), 1, 64)?;
        check_path(&self.path)?;
        let store = snapshot.store();
        let mut draft = Draft::new(snapshot);
        for ([y, x], stamp) in self.stamps_with_images(snapshot, progress)? {
            let Some(top) = self.top(store, x, y, stamp.z) else { continue };
            let amount = i32::from(stamp.amount);
            let up = match self.action {
                SculptAction::Raise => amount,
                SculptAction::Lower => -amount,
                SculptAction::Smooth => self.step_to_mean(store, IVec3::new(x, y, top)).clamp(-amount, amount),
            };
            match up {
                1.. => raise(&mut draft, IVec3::new(x, y, top), up, stamp.color),
                ..0 => lower(&mut draft, IVec3::new(x, y, top), -up, stamp.color),
                0 => {}
            }
        }
        let label = match self.action {
            SculptAction::Raise => "Raise ground",
            SculptAction::Lower => "Lower ground",
            SculptAction::Smooth => "Smooth ground",
        };
        draft.finish_with(label, progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        let size = u64::from(self.size);
        size.saturating_mul(size).saturating_add(size.saturating_mul(path_steps(&self.path)))
    }

    /// What each column of the map is asked for by the stroke and its images.
    fn stamps_with_images(&self, snapshot: &Snapshot, progress: &Progress) -> Result<BTreeMap<[i32; 2], Stamp>, EditError> {
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
        let mut stamps: BTreeMap<[i32; 2], Stamp> = BTreeMap::new();
        for center in path_voxels(&self.path) {
            progress.check()?;
            for &([x, y], amount) in &disc {
                let (x, y) = (center.x.saturating_add(x), center.y.saturating_add(y));
                if columns.contains(x, y) {
                    let stamp = Stamp { amount, z: center.z, color: self.color };
                    let strongest = stamps.entry([y, x]).or_insert(stamp);
                    if strongest.amount < amount {
                        *strongest = stamp;
                    }
                }
            }
        }
        Ok(stamps)
    }

    /// The columns of the disc around the origin that move, and how far.
    fn disc(&self) -> Vec<([i32; 2], u8)> {
        let size = self.size as i32;
        let low = -(size / 2);
        let columns = ColumnRect::new([low, low], [low + size, low + size]);
        let amount = |[x, y]: [i32; 2]| {
            let from_middle = |v: i32| (2 * (v - low) + 1 - size) as f32 / size as f32;
            let square = from_middle(x).powi(2) + from_middle(y).powi(2);
            // 1 in the middle, 0 on the rim, level at both.
            let falloff = (1.0 - square).max(0.0).powi(2);
            (falloff * self.strength as f32).round() as u8
        };
        columns.columns().map(|column| (column, amount(column))).filter(|(_, amount)| *amount > 0).collect()
    }

    /// The ground's topmost voxel in a column at the height of the path: down from air, up from within the ground.
    fn top(&self, store: &Store, x: i32, y: i32, path_z: i32) -> Option<i32> {
        let (min, max) = (store.bounds().min().z, store.bounds().max().z);
        let path_z = path_z.clamp(min, max - 1);
        let at = |z| IVec3::new(x, y, z);
        if !store.is_solid(at(path_z)) {
            return store.ground(x, y, path_z);
        }
        let highest = path_z.saturating_sub(self.size.saturating_add(self.strength) as i32);
        (highest..=path_z).rev().find(|z| *z == min || !store.is_solid(at(z - 1)))
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
        // To the nearest, halves away from zero.
        if count == 0 { 0 } else { (2 * sum.abs() + count) / (2 * count) * sum.signum() }
    }
}

/// Raises the ground by some voxels, up to what hangs above at most; without a color in the old top's.
pub(super) fn raise(draft: &mut Draft, top: VoxelPos, by: i32, color: Option<Rgb>) {
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
pub(super) fn lower(draft: &mut Draft, top: VoxelPos, by: i32, color: Option<Rgb>) {
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

#[derive(Clone, Copy, Debug)]
struct Stamp {
    amount: u8,
    /// Of the path, where the stamp was made.
    z: i32,
    color: Option<Rgb>,
}
