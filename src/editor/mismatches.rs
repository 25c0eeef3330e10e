//! Where a map is not as symmetric as it is meant to be: looked for by a job, kept until the map changes.

use std::sync::Arc;

use super::work::JobDone;
use super::{DocumentId, Editor, JobId};
use crate::document::{Cancelled, Progress};
use crate::edit::{EditError, VoxelMask, ops};
use crate::geom::VoxelPos;

/// Most voxels of a kind that are listed.
pub const MOST_MARKED: usize = 200_000;

/// What was found, and about what.
#[derive(Debug, Default)]
pub(super) struct Mismatches {
    of: Option<(DocumentId, u64)>,
    job: Option<JobId>,
    /// `None` where somebody cancelled it.
    found: Option<Differences>,
}

/// Voxels that differ from their images: of each kind how many, and a list that may be cut short.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    /// Solid on one side and air on another.
    pub shape: (u64, Arc<Vec<VoxelPos>>),
    /// Of other colors alone.
    pub colors: (u64, Arc<Vec<VoxelPos>>),
}

/// How far the sides of a map are compared.
#[derive(Clone, Debug, Default)]
pub enum Compared {
    /// Not yet.
    #[default]
    Pending,
    /// Somebody cancelled it; it begins anew with the next change of the map.
    Cancelled,
    /// What differs.
    Found(Differences),
}

impl Compared {
    /// What differs, as far as it is known.
    pub fn found(&self) -> Option<&Differences> {
        if let Self::Found(found) = self { Some(found) } else { None }
    }
}

impl Mismatches {
    /// A job that will never answer.
    pub(super) fn forget(&mut self, job: JobId) {
        self.job.take_if(|waiting| *waiting == job);
    }
}

impl Editor {
    /// The voxels of the map in front that differ from their images.
    ///
    /// Looks for them anew where the map changed; until that is done it answers what it knew.
    pub fn mismatches(&mut self) -> Compared {
        let asked =
            self.active().filter(|open| open.document().symmetry.is_on() && !open.is_busy()).map(|open| (open.id(), open.version()));
        if let Some((id, version)) = asked.filter(|asked| self.mismatches.of != Some(*asked) && self.mismatches.job.is_none())
            && let Some(snapshot) = self.document(id).map(|open| open.document().clone())
        {
            let look = move |progress: &Progress| JobDone::Compared(version, ops::mismatches_by_kind(&snapshot, progress));
            self.mismatches.job = Some(self.jobs.spawn("Comparing the sides".into(), Some(id), look));
        }
        let known = self.mismatches.of.is_some_and(|(id, _)| asked.is_some_and(|(asked, _)| asked == id));
        match &self.mismatches.found {
            _ if !known => Compared::Pending,
            Some(found) => Compared::Found(found.clone()),
            None if self.mismatches.job.is_some() => Compared::Pending,
            None => Compared::Cancelled,
        }
    }

    pub(super) fn compared(&mut self, id: DocumentId, job: JobId, version: u64, found: Result<[VoxelMask; 2], EditError>) {
        if self.mismatches.job.take_if(|waiting| *waiting == job).is_none() {
            return;
        }
        // Whoever cancels does not want it to begin again at once.
        let masks = match found {
            Ok(masks) => masks,
            Err(EditError::Cancelled(Cancelled)) => {
                (self.mismatches.of, self.mismatches.found) = (Some((id, version)), None);
                return;
            }
            Err(_) => return,
        };
        self.mismatches.of = Some((id, version));
        let [shape, colors] = masks.map(|mask| (mask.count(), Arc::new(mask.positions().take(MOST_MARKED).collect())));
        self.mismatches.found = Some(Differences { shape, colors });
    }
}
