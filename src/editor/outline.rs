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
    /// The job that makes it, and of what.
    job: Option<(JobId, Arc<VoxelMask>)>,
    /// Empty where there are too many, or the job broke off.
    faces: Arc<Vec<ShellQuad>>,
}

impl Hull {
    /// A job that will never answer. Not again before something else is selected: it would end the same way.
    pub(super) fn forget(&mut self, job: JobId) {
        if let Some((_, mask)) = self.job.take_if(|(waiting, _)| *waiting == job) {
            (self.of, self.faces) = (Some(mask), Arc::default());
        }
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
            let asked = mask.clone();
            let look = move |_: &_| JobDone::Outlined(mask.clone(), shell_of_mask(&mask, MOST).unwrap_or_default());
            self.hull.job = Some((self.jobs.spawn("Outlining the selection".into(), Some(id), look), asked));
        }
        None
    }

    pub(super) fn outlined(&mut self, job: JobId, mask: Arc<VoxelMask>, faces: Vec<ShellQuad>) {
        if self.hull.job.take_if(|(waiting, _)| *waiting == job).is_some() {
            self.hull.of = Some(mask);
            self.hull.faces = Arc::new(faces);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::Action;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::editor::testing::editor_with_maps;

    #[test]
    fn an_outline_that_broke_off_begins_again_with_the_next_selection_and_not_with_the_next_frame() {
        let (mut editor, ids) = editor_with_maps(&FaultyStorage::default(), 1);
        let act = |editor: &mut Editor, json: &str| {
            editor.act(Action::Edit(serde_json::from_str(json).unwrap()));
            editor.finish_jobs();
        };
        act(&mut editor, r#"{"select":{"box":[[0,0,0],[32,32,64]]}}"#);
        act(&mut editor, r#"{"select":{"box":[[0,0,0],[1,1,1]],"combine":"subtract"}}"#);
        let mask = editor.document(ids[0]).unwrap().document().selection.as_ref().unwrap().as_mask().unwrap().clone();
        let job = editor.jobs.spawn("Outlining the selection".into(), Some(ids[0]), |_| panic!("on purpose"));
        editor.hull.job = Some((job, mask));
        editor.finish_jobs();
        assert!(editor.selection_hull().is_none() && editor.jobs.running().next().is_none());
        act(&mut editor, r#"{"select":{"box":[[5,5,5],[6,6,6]],"combine":"subtract"}}"#);
        editor.selection_hull();
        editor.finish_jobs();
        assert!(editor.selection_hull().is_some());
    }
}
