//! The ground that a stroke works on where it begins: what is shown before it does.

use std::collections::BTreeSet;

use super::stamps::{Stamp, falloff};
use super::{Sculpt, SculptAction, SculptForm};
use crate::document::{Progress, Snapshot};
use crate::edit::MaskFilter;
use crate::edit::mask::{heights, voxel_at};
use crate::geom::{Face, Region, Transform, VoxelPos};
use crate::voxel::{ChunkPos, Outside, surface_of_chunk};

impl Sculpt {
    /// The ground that the first point of the path, and its images, ask to move: the topmost voxels of columns, what can be
    /// seen of a volume. Each once, in no particular order; none where the masks let nothing come or go.
    ///
    /// What is asked need not move: smoothing leaves alone what is level.
    ///
    /// # Cost
    /// That of looking at each column under the brush, or at what can be seen in the chunks that it touches.
    pub fn footprint(&self, snapshot: &Snapshot) -> Vec<VoxelPos> {
        let Some(first) = self.path.first() else { return vec![] };
        let filter = MaskFilter::new(snapshot);
        let is_volume = self.form == SculptForm::Volume && !matches!(self.action, SculptAction::Flatten | SculptAction::Slope);
        let (ground, faces) = if is_volume {
            (self.ball_ground(*first, snapshot), Face::ALL.as_slice())
        } else {
            (self.disc_ground(*first, snapshot), [Face::MinusZ].as_slice())
        };
        let moving = ground.into_iter().filter(|(pos, amount)| self.may_move((*pos, *amount), faces, snapshot, filter.as_ref()));
        moving.map(|(pos, _)| pos).collect()
    }

    /// The topmost voxels of the columns under the disc, and how far they are to move.
    fn disc_ground(&self, first: VoxelPos, snapshot: &Snapshot) -> Vec<(VoxelPos, i32)> {
        let stamp = Self { path: vec![first], ..self.clone() };
        // Nobody stops it: there is always an answer.
        let stamps = stamp.stamps_with_images(snapshot, &Progress::new()).unwrap_or_default();
        let top = |[y, x]: [i32; 2], asked: &Stamp| {
            let store = snapshot.store();
            let top = match self.form {
                SculptForm::Column => self.top(store, x, y, asked.z),
                SculptForm::Volume => self.level_top(store, x, y, asked),
            };
            Some(VoxelPos::new(x, y, top?))
        };
        stamps.into_iter().filter_map(|(column, asked)| Some((top(column, &asked)?, i32::from(asked.amount)))).collect()
    }

    /// What can be seen of the ground in the ball, and how far it is to move at least.
    fn ball_ground(&self, first: VoxelPos, snapshot: &Snapshot) -> Vec<(VoxelPos, i32)> {
        let low = -(self.size as i32 / 2);
        let cube = Region::new(VoxelPos::splat(low), VoxelPos::splat(low + self.size as i32)).shifted(first);
        let images = snapshot.symmetry.images();
        let parts: Vec<(Region, Transform)> = images
            .iter()
            .map(|image| (image.transform.region(&cube).intersection(&snapshot.bounds()), image.transform.inverse()))
            .collect();
        let chunks: BTreeSet<ChunkPos> = parts.iter().flat_map(|(part, _)| ChunkPos::covering(part).collect::<Vec<_>>()).collect();
        let is_asked = |at: VoxelPos| {
            let square = (at - first).to_array().into_iter().map(|v| self.distance(v).powi(2)).sum();
            falloff(square, self.strength) > 0
        };
        let mut ground = vec![];
        for pos in chunks {
            let surface = surface_of_chunk(snapshot.store(), pos, Outside::GAME);
            for (column, bits) in surface.iter().enumerate() {
                let seen = heights(*bits).map(|z| voxel_at(pos, column, z));
                let asked = seen.filter(|at| parts.iter().any(|(part, back)| part.contains(*at) && is_asked(back.voxel(*at))));
                ground.extend(asked.map(|at| (at, 1)));
            }
        }
        ground
    }

    /// Whether the masks and the floor let something of so many voxels go, or come on one of these faces, as the action
    /// needs.
    fn may_move(&self, (pos, amount): (VoxelPos, i32), faces: &[Face], snapshot: &Snapshot, filter: Option<&MaskFilter>) -> bool {
        let (store, bounds) = (snapshot.store(), snapshot.bounds());
        let is_free = |pos| filter.is_none_or(|filter| filter.allows(pos));
        let goes = || {
            let below = (0..amount).map(|step| pos.with_z(pos.z.saturating_add(step)));
            let is_ground = |at: &VoxelPos| store.is_solid(*at) && snapshot.floor_z() != Some(at.z);
            below.take_while(is_ground).any(is_free)
        };
        let comes = || {
            faces.iter().any(|face| {
                let beside = (1..=amount).map(|step| pos + face.normal() * step);
                beside.take_while(|at| bounds.contains(*at) && !store.is_solid(*at)).any(is_free)
            })
        };
        match self.action {
            SculptAction::Raise => comes(),
            SculptAction::Lower | SculptAction::Erode | SculptAction::Melt => goes(),
            _ => comes() || goes(),
        }
    }
}
