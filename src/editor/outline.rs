//! The hull of a selection that is no box: made by a job where it is large, kept until something else is selected.

use std::sync::Arc;

use super::work::JobDone;
use super::{Editor, JobId};
use crate::mesh::{ShellQuad, shell_of_mask};
use crate::voxel::VoxelMask;

/// Most faces of a hull: of selections with more only the box is shown.
const MOST: usize = 1 << 21;
/// Chunks whose hull is made at once: a millisecond or two.
const INLINE_CHUNKS: usize = 24;

/// The last hull, and of what.
#[derive(Debug, Default)]
pub(super) struct Hull {
    of: Option<Arc<VoxelMask>>,
    job: Option<JobId>,
    /// Empty where there are too many.
    faces: Arc<Vec<ShellQuad>>,
}

impl Hull {
    /// A job that will never answer.
    pub(super) fn forget(&mut self, job: JobId) {
        self.job.take_if(|waiting| *waiting == job);
    }
}

impl Editor {
    /// The faces of the hull of what is selected in the map in front; none where that is a box, or has too many.
    ///
    /// Makes them anew where something else is selected; until that is done there are none.
    pub fn selection_hull(&mut self) -> Option<Arc<Vec<ShellQuad>>> {
        let open = self.active()?;
        let (id, mask) = (open.id(), open.document().selection.as_ref()?.as_mask()?.clone());
        if self.hull.of.as_ref().is_some_and(|of| Arc::ptr_eq(of, &mask)) {
            return Some(self.hull.faces.clone()).filter(|faces| !faces.is_empty());
        }
        if mask.chunks().len() <= INLINE_CHUNKS {
            self.hull.job = None;
            self.hull.faces = Arc::new(shell_of_mask(&mask, MOST).unwrap_or_default());
            self.hull.of = Some(mask);
            return Some(self.hull.faces.clone()).filter(|faces| !faces.is_empty());
        }
        if self.hull.job.is_none() {
            let look = move |_: &_| JobDone::Outlined(mask.clone(), shell_of_mask(&mask, MOST).unwrap_or_default());
            self.hull.job = Some(self.jobs.spawn("Outlining the selection".into(), Some(id), look));
        }
        None
    }

    pub(super) fn outlined(&mut self, job: JobId, mask: Arc<VoxelMask>, faces: Vec<ShellQuad>) {
        if self.hull.job.take_if(|waiting| *waiting == job).is_some() {
            self.hull.of = Some(mask);
            self.hull.faces = Arc::new(faces);
        }
    }
}
