//! What becomes of a column beside the curve, for each kind of path.

use glam::IVec3;

use super::field::Field;
use super::{Path, PathKind};
use crate::document::{Image, Progress, Snapshot};
use crate::edit::mask_filter::ground_at;
use crate::edit::ops::sculpt::{lower, raise};
use crate::edit::{Draft, EditError, Mode, VoxelMask};
use crate::geom::{Face, Near, VoxelPos};
use crate::voxel::{Rgb, Voxel};

/// How far down rivers go in maps without a floor.
const DEEP: i32 = 3;

/// Makes the path in every column of the field.
pub(super) fn build(
    path: &Path,
    field: &Field,
    length: f64,
    snapshot: &Snapshot,
    draft: &mut Draft,
    progress: &Progress,
) -> Result<(), EditError> {
    let images = snapshot.symmetry.images();
    let holes = vec![VoxelMask::default(); images.len()];
    let mut site = Site { path, length, snapshot, draft, holes };
    let (mut done, mut outcome) = (0_u32, Ok(()));
    field.each(|column, near, number| {
        done += 1;
        if done.is_multiple_of(1024) && outcome.is_ok() {
            outcome = progress.check();
        }
        if let (Ok(()), Some(image)) = (&outcome, images.get(number)) {
            site.column(column, &near, (number, image));
        }
    });
    outcome?;
    site.paint_walls(&images, progress)
}

struct Site<'a> {
    path: &'a Path,
    length: f64,
    snapshot: &'a Snapshot,
    draft: &'a mut Draft,
    /// Where a tunnel and its images run, by image; beyond the map, too, so that their walls are the same on all sides.
    holes: Vec<VoxelMask>,
}

impl Site<'_> {
    fn column(&mut self, [x, y]: [i32; 2], near: &Near, (number, image): (usize, &Image<'_>)) {
        let (bounds, distance) = (self.snapshot.bounds(), near.square.sqrt());
        // Heights of the points bound it, and these are whole numbers.
        let z = near.z.round() as i32;
        if z < bounds.min().z || z >= bounds.max().z {
            return;
        }
        let at = IVec3::new(x, y, z);
        let (color, edge) = (image.color(self.path.color), image.color(self.path.edge_color.unwrap_or(self.path.color)));
        let water = self.path.water.map(|water| image.color(water));
        let is_inside = distance <= self.path.half();
        match self.path.kind {
            PathKind::Tunnel if !near.beyond => self.bore(at, distance, (number, color)),
            _ if !bounds.contains(at) => {}
            PathKind::Road if is_inside => self.road(at, color),
            PathKind::Road => self.road_shoulder(at, distance),
            PathKind::River if is_inside => self.bed(at, distance, (color, water)),
            PathKind::River => self.bank(at, distance, water),
            PathKind::Bridge if !near.beyond => self.bridge(at, distance, near.along, (color, edge)),
            PathKind::Fence if !near.beyond => self.fence(at, near.along, (color, edge)),
            PathKind::Bridge | PathKind::Tunnel | PathKind::Fence => {}
        }
    }

    /// The top of the ground at a height: down from air, up from within the ground.
    fn top(&self, at: VoxelPos) -> Option<VoxelPos> {
        ground_at(self.snapshot.store(), at)
    }

    /// Level at this height: what stands higher goes, what lies lower is filled.
    fn road(&mut self, at: VoxelPos, color: Rgb) {
        let (store, top) = (self.snapshot.store(), self.top(at));
        let headroom = at.z.saturating_sub(self.path.height() as i32);
        let highest = top.map_or(headroom, |top| top.z.min(headroom)).max(self.snapshot.bounds().min().z);
        for z in highest..at.z {
            self.remove(at.with_z(z));
        }
        if let Some(top) = top.filter(|top| top.z > at.z) {
            let earth = store.voxel(top).and_then(|voxel| voxel.rgb()).map_or(Voxel::HIDDEN, Voxel::new);
            for z in at.z + 1..top.z {
                self.draft.place(at.with_z(z), Some(earth));
            }
        }
        self.draft.put(at, color, Mode::Set);
    }

    /// Between the height of the road and that of the land.
    fn road_shoulder(&mut self, at: VoxelPos, distance: f64) {
        let Some(top) = self.top(at) else { return };
        let z = self.between(at.z, top.z, distance);
        match z {
            z if z < top.z => raise(self.draft, top, top.z - z, None),
            z if z > top.z => lower(self.draft, top, z - top.z, None),
            _ => {}
        }
    }

    /// z at the rim, other z where the shoulder ends.
    fn between(&self, rim: i32, land: i32, distance: f64) -> i32 {
        // No shoulder, no column on it.
        let share = ((distance - self.path.half()) / f64::from(self.path.shoulder)).clamp(0.0, 1.0);
        let share = share * share * (3.0 - 2.0 * share);
        rim + (f64::from(land - rim) * share).round() as i32
    }

    /// z of the river's bed: a hollow, or the water plane.
    fn bed_z(&self, at: VoxelPos, distance: f64) -> i32 {
        let lowest = self.snapshot.bounds().max().z - 1;
        let depth = self.path.height() as i32;
        if depth == 0 {
            return self.snapshot.floor_z().unwrap_or(at.z.saturating_add(DEEP).min(lowest));
        }
        // Two thirds as deep at the rim as in the middle.
        let share = distance / self.path.half();
        let deep = (f64::from(depth) * (1.0 - share * share / 3.0)).round().max(1.0) as i32;
        at.z.saturating_add(deep).min(lowest)
    }

    fn bed(&mut self, at: VoxelPos, distance: f64, (color, water): (Rgb, Option<Rgb>)) {
        let Some(top) = self.top(at) else { return };
        let bed = self.bed_z(at, distance);
        if bed < top.z {
            return;
        }
        lower(self.draft, top, bed - top.z, Some(color));
        if self.draft.floor_z() == Some(bed) && top.z < bed {
            self.flood(at.with_z(bed), water.unwrap_or(color));
        } else if top.z == bed && self.draft.floor_z() != Some(bed) {
            self.draft.put(top, color, Mode::Paint);
        }
    }

    /// Colors the floor where it came to light.
    fn flood(&mut self, floor: VoxelPos, water: Rgb) {
        if self.draft.get(floor - IVec3::Z).is_none() {
            self.draft.put(floor, water, Mode::Paint);
        }
    }

    fn bank(&mut self, at: VoxelPos, distance: f64, water: Option<Rgb>) {
        let Some(top) = self.top(at) else { return };
        let z = self.between(self.bed_z(at, self.path.half()), top.z, distance);
        if z > top.z {
            lower(self.draft, top, z - top.z, None);
            if let Some(water) = water.filter(|_| self.draft.floor_z() == Some(z)) {
                self.flood(at.with_z(z), water);
            }
        }
    }

    fn bridge(&mut self, at: VoxelPos, distance: f64, along: f64, (color, edge): (Rgb, Rgb)) {
        self.draft.put(at, color, Mode::Set);
        let (is_wide, is_rim) = (self.path.width() >= 3, distance > self.path.half() - 1.0);
        if is_wide && is_rim {
            for up in 1..=self.path.height() as i32 {
                self.draft.put(at - IVec3::Z * up, edge, Mode::Add);
            }
        }
        let spacing = f64::from(self.path.spacing());
        let has_pillar = spacing > 0.0 && (along + spacing / 2.0 + 0.5) % spacing < 1.0;
        if has_pillar && (is_rim || !is_wide) {
            let bottom = self.snapshot.store().ground(at.x, at.y, at.z + 1).unwrap_or(at.z);
            for z in at.z + 1..bottom {
                self.draft.put(at.with_z(z), edge, Mode::Add);
            }
        }
    }

    fn bore(&mut self, at: VoxelPos, distance: f64, (image, color): (usize, Rgb)) {
        let height = f64::from(self.path.height());
        let share = distance / self.path.half();
        let height = if self.path.arched { (height * (1.0 - share * share).max(0.0).sqrt()).ceil() } else { height };
        for up in 1..=height as i32 {
            let pos = at - IVec3::Z * up;
            if pos.z >= self.snapshot.bounds().min().z {
                self.remove(pos);
                self.holes.get_mut(image).into_iter().for_each(|hole| hole.insert(pos));
            }
        }
        if height >= 1.0 {
            // No voxel is solid beyond the map.
            self.draft.put(at, color, Mode::Paint);
        }
    }

    /// Colors what the hole left standing around it, but not its floor.
    fn paint_walls(&mut self, images: &[Image<'_>], progress: &Progress) -> Result<(), EditError> {
        let (Some(edge), holes) = (self.path.edge_color, std::mem::take(&mut self.holes)) else { return Ok(()) };
        for (hole, image) in holes.iter().zip(images) {
            progress.check()?;
            for pos in hole.positions() {
                for face in Face::ALL.into_iter().filter(|face| *face != Face::PlusZ) {
                    let wall = pos + face.normal();
                    if self.snapshot.bounds().contains(wall) && !holes.iter().any(|hole| hole.contains(wall)) {
                        self.draft.put(wall, image.color(edge), Mode::Paint);
                    }
                }
            }
        }
        Ok(())
    }

    fn fence(&mut self, at: VoxelPos, along: f64, (color, edge): (Rgb, Rgb)) {
        let Some(top) = self.top(at) else { return };
        let (height, spacing) = (self.path.height() as i32, f64::from(self.path.spacing()));
        // At both ends there is a post.
        let is_post = spacing > 0.0 && ((along + 0.5) % spacing < 1.0 || self.length - along < 0.5);
        for up in 1..=height {
            // Rails below the tip of the posts, every other voxel.
            if is_post {
                self.draft.put(top - IVec3::Z * up, edge, Mode::Add);
            } else if (height - up) % 2 == 1 {
                self.draft.put(top - IVec3::Z * up, color, Mode::Add);
            }
        }
    }

    fn remove(&mut self, pos: VoxelPos) {
        // Nobody asked for the floor to go.
        if self.draft.floor_z() != Some(pos.z) {
            self.draft.remove(pos);
        }
    }
}
