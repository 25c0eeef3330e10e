//! Where a map is not as symmetric as it is meant to be: looked for by a job, kept until the map changes.

use std::sync::Arc;

use super::work::JobDone;
use super::{DocumentId, Editor, JobId};
use crate::document::Progress;
use crate::edit::{EditError, VoxelMask, ops};
use crate::geom::VoxelPos;

/// Most voxels of a kind that are listed.
pub const MOST_MARKED: usize = 200_000;

/// What was found, and about what.
#[derive(Debug, Default)]
pub(super) struct Mismatches {
    of: Option<(DocumentId, u64)>,
    /// The job that looks, and about what.
    job: Option<(JobId, (DocumentId, u64))>,
    /// `None` where somebody cancelled it, or it broke off.
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
    /// Somebody cancelled it, or it broke off; it begins anew with the next change of the map.
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
    /// A job that will never answer. Not again before the next change: it would end the same way.
    pub(super) fn forget(&mut self, job: JobId) {
        if let Some((_, asked)) = self.job.take_if(|(waiting, _)| *waiting == job) {
            (self.of, self.found) = (Some(asked), None);
        }
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
            self.mismatches.job = Some((self.jobs.spawn("Comparing the sides".into(), Some(id), look), (id, version)));
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
        if self.mismatches.job.take_if(|(waiting, _)| *waiting == job).is_none() {
            return;
        }
        self.mismatches.of = Some((id, version));
        // Whoever cancels does not want it to begin again at once.
        let Ok(masks) = found.inspect_err(|error| tracing::info!("the sides are not compared: {error}")) else {
            self.mismatches.found = None;
            return;
        };
        let [shape, colors] = masks.map(|mask| (mask.count(), Arc::new(mask.positions().take(MOST_MARKED).collect())));
        self.mismatches.found = Some(Differences { shape, colors });
    }
}

#[cfg(test)]
mod tests {
    use crate::editor::storage::testing::FaultyStorage;
    use crate::editor::testing::editor_with_maps;
    use crate::editor::{Action, Compared};

    #[test]
    fn a_comparison_that_broke_off_begins_again_with_the_next_change_and_not_with_the_next_frame() {
        let (mut editor, ids) = editor_with_maps(&FaultyStorage::default(), 1);
        let set = |json: &str| Action::Edit(serde_json::from_str(json).unwrap());
        editor.act(set(r#"{"set_symmetry":{"kind":"mirror_x","center":[15,15]}}"#));
        editor.finish_jobs();
        let version = editor.document(ids[0]).unwrap().version();
        let job = editor.jobs.spawn("Comparing the sides".into(), Some(ids[0]), |_| panic!("on purpose"));
        editor.mismatches.job = Some((job, (ids[0], version)));
        editor.finish_jobs();
        assert!(matches!(editor.mismatches(), Compared::Cancelled) && editor.jobs.running().next().is_none());
        editor.act(set(r##"{"set":{"at":[1,2,7],"color":"#ff8000"}}"##));
        editor.finish_jobs();
        editor.mismatches();
        editor.finish_jobs();
        assert!(matches!(editor.mismatches(), Compared::Found(_)));
    }
}
