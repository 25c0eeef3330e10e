//! The path of a stroke over the map: follows the surface as it was at the press, whatever the pointer's speed.

use super::pick::{Pick, pick};
use crate::document::Snapshot;
use crate::edit::Mode;
use crate::geom::raster::line_steps;
use crate::geom::{Face, Ray, VoxelPos};
use crate::voxel::Store;

/// Rays between two pointer events, at most.
const MAX_STEPS: i32 = 32;
/// Points of a path, at most; the command takes a few more.
const MAX_POINTS: usize = 60_000;
/// Voxels that a path runs through, at most; the command takes a few more.
const MAX_LENGTH: u64 = 250_000;
/// A step over more voxels than this, and the brush, would build through the air.
const JUMP: i32 = 8;

/// The middles of a stroke's stamps.
///
/// Picks on the store of the press, so that what the stroke adds does not climb towards the eye.
#[derive(Clone, Debug)]
pub struct StrokePath {
    store: Store,
    mode: Mode,
    brush_size: i32,
    last_pick: Pick,
    last_ray: Ray,
    // Invariant: never empty.
    points: Vec<VoxelPos>,
    length: u64,
}

impl StrokePath {
    /// Begins where the ray meets something that the mode works on.
    pub fn begin(document: &Snapshot, ray: &Ray, mode: Mode, brush_size: u32) -> Option<Self> {
        let store = document.store().clone();
        let last_pick = pick(&store, ray)?;
        let points = vec![last_pick.target(mode)?];
        let brush_size = i32::try_from(brush_size).unwrap_or(1);
        Some(Self { store, mode, brush_size, last_pick, last_ray: *ray, points, length: 0 })
    }

    /// Goes on to where the ray points; calls `stamp` with each new point. Answers whether there was one.
    pub fn follow(&mut self, ray: &Ray, mut stamp: impl FnMut(VoxelPos)) -> bool {
        let (from, before) = (self.last_ray, self.points.len());
        self.last_ray = *ray;
        let away = self.end(ray).map_or(1, |end| line_steps(self.last(), end));
        let away = i32::try_from(away).unwrap_or(i32::MAX);
        let steps = (away / (self.brush_size / 2).max(1)).clamp(1, MAX_STEPS);
        let reach = (away / steps).saturating_mul(4).saturating_add(JUMP + self.brush_size);
        for step in 1..=steps {
            let share = step as f32 / steps as f32;
            let between = Ray::new(from.origin.lerp(ray.origin, share), from.direction.lerp(ray.direction, share));
            let Some(pick) = self.pick_within(if step == steps { ray } else { &between }, reach) else { continue };
            let Some(point) = pick.target(self.mode) else { continue };
            let longer = self.length + line_steps(self.last(), point);
            if point == self.last() || self.points.len() >= MAX_POINTS || longer > MAX_LENGTH {
                continue;
            }
            self.last_pick = pick;
            self.length = longer;
            self.points.push(point);
            stamp(point);
        }
        self.points.len() > before
    }

    /// Where a straight line to the ray ends.
    pub fn end(&self, ray: &Ray) -> Option<VoxelPos> {
        let met = pick(&self.store, ray).filter(|pick| pick.target(self.mode).is_some());
        met.or_else(|| self.last_pick.on_plane(ray, &self.store.bounds()))?.target(self.mode)
    }

    /// The face that the ray met last: until the path goes on, that of its first point.
    pub fn face(&self) -> Face {
        self.last_pick.face
    }

    /// The first point.
    pub fn first(&self) -> VoxelPos {
        self.points.first().copied().unwrap_or_default()
    }

    /// The last point so far.
    pub fn last(&self) -> VoxelPos {
        self.points.last().copied().unwrap_or_default()
    }

    /// The points so far.
    pub fn points(&self) -> &[VoxelPos] {
        &self.points
    }

    /// What the ray means for a stroke: beyond the map, and where the next place lies farther away than `reach`,
    /// adding stays on the plane it was on.
    fn pick_within(&self, ray: &Ray, reach: i32) -> Option<Pick> {
        let adds = matches!(self.mode, Mode::Add | Mode::Set);
        let met = pick(&self.store, ray).filter(|pick| pick.target(self.mode).is_some());
        met.filter(|pick| !adds || self.distance(pick) <= reach)
            .or_else(|| self.last_pick.on_plane(ray, &self.store.bounds()).filter(|pick| self.distance(pick) <= reach))
    }

    fn distance(&self, pick: &Pick) -> i32 {
        let point = pick.target(self.mode).unwrap_or(pick.pos);
        i32::try_from(line_steps(self.last(), point)).unwrap_or(i32::MAX)
    }
}
