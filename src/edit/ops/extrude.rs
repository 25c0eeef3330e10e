//! Pulling out and pushing in the faces that lie in one plane.

use std::collections::VecDeque;

use glam::IVec3;
use serde::{Deserialize, Serialize};

use super::flood::Found;
use crate::document::{Progress, Snapshot};
use crate::edit::brush::in_range;
use crate::edit::{Change, Draft, EditError, MaskFilter, VoxelMask};
use crate::geom::{Face, VoxelPos};
use crate::voxel::{Rgb, Store, Voxel};

/// Farthest that faces move.
const MAX_BY: i64 = 512;

/// Moves the open faces that are connected with one, lie in its plane and have about its color.
///
/// Pulled out (`by` above 0), each face's voxel is continued in its own color, up to the next solid voxel.
/// Pushed in, the voxels behind it are removed, down to the next air.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extrude {
    /// A solid voxel.
    pub at: VoxelPos,
    /// Its face.
    #[serde(default = "top")]
    pub face: Face,
    /// How far the faces move, in voxels: outwards, or inwards where negative.
    pub by: i32,
    /// How far red, green and blue may each lie from the first voxel's.
    #[serde(default = "any")]
    pub tolerance: u8,
    /// Color of what is added; `null` continues the colors.
    #[serde(default)]
    pub color: Option<Rgb>,
    /// More faces than this are an error.
    #[serde(default = "many")]
    pub limit: u64,
}

fn top() -> Face {
    Face::MinusZ
}

fn any() -> u8 {
    u8::MAX
}

fn many() -> u64 {
    1 << 20
}

impl Extrude {
    pub(in crate::edit) fn plan(&self, snapshot: &Snapshot, progress: &Progress) -> Result<Change, EditError> {
        in_range("distance", i64::from(self.by), -MAX_BY, MAX_BY)?;
        let images = snapshot.symmetry.images().into_iter().map(|image| Self {
            at: image.voxel(self.at),
            face: image.face(self.face),
            color: self.color.map(|color| image.color(color)),
            ..self.clone()
        });
        let images: Vec<_> = images.filter(|op| snapshot.bounds().contains(op.at)).collect();
        if images.is_empty() {
            return Err(EditError::OutsideMap);
        }
        let mut draft = Draft::new(snapshot);
        for op in images {
            let faces = op.faces(snapshot.store(), op.limit, progress)?;
            for pos in faces.positions() {
                if op.by > 0 { op.pull(&mut draft, pos) } else { op.push(&mut draft, pos) }
            }
        }
        draft.finish_with(if self.by > 0 { "Pull faces out" } else { "Push faces in" }, progress)
    }

    pub(in crate::edit) fn cost(&self) -> u64 {
        // A plane may be as large as the map, and nobody knows before it is looked for: never on the main thread.
        self.limit.min(1 << 16).saturating_mul(u64::from(self.by.unsigned_abs().max(1)))
    }

    /// The voxels whose faces would move; where they are more than `most`, as many of the nearest.
    pub fn preview(&self, snapshot: &Snapshot, most: u64) -> Found {
        let most = self.limit.min(most / MaskFilter::slowness(snapshot));
        let Ok((faces, is_all)) = self.nearest_faces(snapshot.store(), most, &Progress::new()) else {
            return Found { voxels: vec![], is_all: false };
        };
        let filter = MaskFilter::new(snapshot);
        // Pushed in, the voxel itself changes; pulled out, the air before it.
        let allows = |filter: &MaskFilter, pos: VoxelPos| filter.allows(pos) || filter.allows(pos.saturating_add(self.face.normal()));
        Found { voxels: faces.positions().filter(|pos| filter.as_ref().is_none_or(|filter| allows(filter, *pos))).collect(), is_all }
    }

    fn pull(&self, draft: &mut Draft, from: VoxelPos) {
        let color = self.color.or(draft.before().paint(from).map(|paint| paint.rgb));
        let voxel = color.map_or(Voxel::HIDDEN, Voxel::new);
        for step in 1..=self.by {
            let at = from.saturating_add(self.face.normal() * step);
            if !draft.bounds().contains(at) || draft.get(at).is_some() {
                break;
            }
            draft.place(at, Some(voxel));
        }
    }

    fn push(&self, draft: &mut Draft, from: VoxelPos) {
        for step in 0..-self.by {
            let at = from.saturating_sub(self.face.normal() * step);
            if draft.get(at).is_none() {
                break;
            }
            draft.remove(at);
        }
    }

    fn faces(&self, store: &Store, limit: u64, progress: &Progress) -> Result<VoxelMask, EditError> {
        let (faces, is_all) = self.nearest_faces(store, limit, progress)?;
        let number = |count| i64::try_from(count).unwrap_or(i64::MAX);
        let too_many = || EditError::OutOfRange { what: "connected faces", min: 0, max: number(limit), found: number(limit + 1) };
        is_all.then_some(faces).ok_or_else(too_many)
    }

    /// The faces, or so many of the nearest; and whether they are all.
    fn nearest_faces(&self, store: &Store, limit: u64, progress: &Progress) -> Result<(VoxelMask, bool), EditError> {
        let color = store.paint(self.at).map(|paint| paint.rgb);
        let (normal, bounds) = (self.face.normal(), store.bounds());
        let fits = |pos: VoxelPos| {
            let beside = pos.saturating_add(normal);
            let open = if bounds.contains(beside) { !store.is_solid(beside) } else { beside.z < bounds.min().z };
            let near = match (store.paint(pos), color) {
                (Some(paint), Some(color)) => paint.rgb.is_near(color, self.tolerance),
                (paint, color) => paint.map(|paint| paint.rgb) == color || self.tolerance == u8::MAX,
            };
            store.is_solid(pos) && open && near
        };
        let (mut faces, mut queue, mut count) = (VoxelMask::default(), VecDeque::from([self.at]), 0_u64);
        while let Some(pos) = queue.pop_front() {
            if faces.contains(pos) || !fits(pos) {
                continue;
            }
            if count == limit {
                return Ok((faces, false));
            }
            faces.insert(pos);
            count += 1;
            if count % 1024 == 0 {
                progress.check()?;
            }
            let beside = [IVec3::X, IVec3::Y, IVec3::Z].into_iter().filter(|axis| axis.dot(normal) == 0);
            queue.extend(beside.flat_map(|axis| [pos.saturating_add(axis), pos.saturating_sub(axis)]));
        }
        Ok((faces, true))
    }
}
