//! Where a map is not as symmetric as it is meant to be: looked for by a job, kept until the map changes.

use std::sync::Arc;

use super::work::JobDone;
use super::{DocumentId, Editor, JobId};
use crate::document::{Cancelled, Progress, Snapshot};
use crate::edit::{EditError, VoxelMask, ops};
use crate::mesh::{ShellQuad, visit_shell};
use crate::voxel::Store;

/// Most faces that mark voxels of a kind: 8 MiB, which reach the graphics card within a frame.
const MOST_FACES: usize = 1 << 19;

/// What was found, and about what.
#[derive(Debug, Default)]
pub(super) struct Mismatches {
    of: Option<(DocumentId, u64)>,
    /// The job that looks, and about what.
    job: Option<(JobId, (DocumentId, u64))>,
    /// `None` where somebody cancelled it, or it broke off.
    found: Option<Differences>,
}

/// Voxels that differ from their images.
#[derive(Clone, Debug, Default)]
pub struct Differences {
    /// Solid on one side and air on another.
    pub shape: Marks,
    /// Of other colors alone.
    pub colors: Marks,
}

/// Voxels of a kind, and what marks them in the view.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// How many there are.
    pub count: u64,
    /// Faces of their hull. Where there are too many, those that the ground hides are left out.
    pub faces: Arc<Vec<ShellQuad>>,
    /// Of how many voxels that can be seen one is marked, evenly over the map: 1 but for sets that are too large even so.
    pub share: usize,
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
            let look = move |progress: &Progress| JobDone::Compared(version, differences(&snapshot, MOST_FACES, progress));
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

    pub(super) fn compared(&mut self, id: DocumentId, job: JobId, version: u64, found: Result<Differences, EditError>) {
        if self.mismatches.job.take_if(|(waiting, _)| *waiting == job).is_none() {
            return;
        }
        self.mismatches.of = Some((id, version));
        // Whoever cancels does not want it to begin again at once.
        self.mismatches.found = found.inspect_err(|error| tracing::info!("the sides are not compared: {error}")).ok();
    }
}

/// What differs in a map, marked by so many faces of a kind at most.
fn differences(snapshot: &Snapshot, most: usize, progress: &Progress) -> Result<Differences, EditError> {
    let [shape, colors] = ops::mismatches_by_kind(snapshot, progress)?;
    Ok(Differences { shape: marks(&shape, snapshot.store(), most, progress)?, colors: marks(&colors, snapshot.store(), most, progress)? })
}

fn marks(mask: &VoxelMask, store: &Store, most: usize, progress: &Progress) -> Result<Marks, Cancelled> {
    let is_open = |face: &&ShellQuad| !store.is_solid(face.outside());
    let (mut all, mut open) = (0, 0);
    visit_shell(mask, |faces| {
        all += faces.len();
        open += faces.iter().filter(is_open).count();
        progress.check()
    })?;
    let (only_open, total) = if all > most { (true, open) } else { (false, all) };
    let share = total.div_ceil(most).max(1);
    // Diagonals through the map, so that no row and no layer is left out.
    let is_marked = |face: &&ShellQuad| {
        let [x, y, z] = face.pos.map(i64::from);
        (x + 3 * y + 5 * z).rem_euclid(share as i64) == 0
    };
    let mut kept = Vec::with_capacity(total / share);
    visit_shell(mask, |faces| {
        kept.extend(faces.iter().filter(|face| !only_open || is_open(face)).filter(is_marked));
        progress.check()
    })?;
    Ok(Marks { count: mask.count(), faces: Arc::new(kept), share })
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::editor::Action;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::editor::testing::editor_with_maps;
    use crate::geom::Region;
    use crate::voxel::{StoreEdit, Voxel};

    /// Half of a slab of 64×64×4 voxels that lies on ground, its upper layer alone being another than its image.
    #[test]
    fn marks_that_are_too_many_keep_to_what_can_be_seen_and_then_to_an_even_part_of_it() {
        let bounds = Region::of_size(IVec3::new(64, 64, 16));
        let slab = Region::new(IVec3::new(0, 0, 8), IVec3::new(64, 64, 12));
        let mut edit = StoreEdit::new(&Store::new(bounds));
        bounds.positions().filter(|at| at.z >= 8).for_each(|at| _ = edit.set(at, Some(Voxel::HIDDEN)));
        let (store, mask) = (edit.snapshot(), VoxelMask::of_region(&slab));
        let of = |most| marks(&mask, &store, most, &Progress::new()).unwrap();
        let [flat, sides] = [64 * 64, 4 * 64 * 4];
        let told = |marks: &Marks| (marks.count, marks.faces.len(), marks.share);
        assert_eq!(told(&of(2 * flat + sides)), (64 * 64 * 4, 2 * flat + sides, 1));
        // The underside lies on the ground; beyond the map is air.
        assert_eq!(told(&of(2 * flat + sides - 1)), (64 * 64 * 4, flat + sides, 1));
        let part = of(1000);
        assert_eq!(part.share, 6);
        // In every square of 8×8 columns about as many: no strip of the map goes without.
        for square in 0..64 {
            let [x, y] = [square % 8 * 8, square / 8 * 8];
            let top = part.faces.iter().filter(|face| face.outside().z == 7);
            let here = top.filter(|face| (x..x + 8).contains(&face.pos[0]) && (y..y + 8).contains(&face.pos[1])).count();
            assert!((8..=14).contains(&here), "{x}, {y}: {here}");
        }
        let cancelled = Progress::new();
        cancelled.cancel();
        assert!(marks(&mask, &store, 1000, &cancelled).is_err());
    }

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
