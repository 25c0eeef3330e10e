//! The colors that a map uses most, counted beside the main thread: when it comes, and now and then while it is edited.

use std::time::{Duration, Instant};

use super::work::JobDone;
use super::{DocumentId, Editor};
use crate::voxel::{Rgb, most_used_colors};

/// Colors counted as a map's most used.
const MOST_USED: usize = 24;

/// They are counted anew no sooner than that after they were, and no sooner than this many times what that took.
const COUNT_EVERY: Duration = Duration::from_secs(2);
const COUNT_SHARE: u32 = 20;

impl Editor {
    /// Counts the colors of the document in front, where they may be others than those that were counted.
    pub(super) fn start_counting(&mut self) {
        let Some(open) = self.active_mut().filter(|open| {
            let is_due = open.counted.is_none_or(|(version, due)| version != open.version && Instant::now() >= due);
            is_due && open.counting.is_none()
        }) else {
            return;
        };
        let (id, store, version) = (open.id, open.document.store().clone(), open.version);
        let job = self.jobs.spawn_quiet("Counting colors".into(), Some(id), move |_| JobDone::Counted(most_used_colors(&store, MOST_USED)));
        if let Some(open) = self.document_mut(id) {
            (open.counting, open.counted) = (Some(job), Some((version, Instant::now())));
        }
    }

    /// Takes in what was counted.
    pub(super) fn counted(&mut self, id: DocumentId, colors: Vec<Rgb>, took: Duration) {
        if let Some(open) = self.document_mut(id) {
            (open.counting, open.most_used) = (None, colors);
            let pause = COUNT_EVERY.max(took.saturating_mul(COUNT_SHARE));
            open.counted = open.counted.and_then(|(version, _)| Some((version, Instant::now().checked_add(pause)?)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Command, ops};
    use crate::editor::Action;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::editor::testing::editor_with_maps;

    #[test]
    fn the_most_used_colors_follow_what_is_painted_but_not_at_each_step() {
        let (mut editor, ids) = editor_with_maps(&FaultyStorage::default(), 1);
        editor.finish_jobs();
        let pink = Rgb::new(255, 0, 200);
        let is_counted = |editor: &Editor| editor.document(ids[0]).unwrap().most_used_colors().contains(&pink);
        assert!(!editor.document(ids[0]).unwrap().most_used_colors().is_empty() && !is_counted(&editor));
        let top = editor.document(ids[0]).unwrap().document().store().ground(3, 3, 0).unwrap();
        editor.act(Action::Edit(Command::Set(ops::Set { at: [3, 3, top].into(), color: pink })));
        editor.finish_jobs();
        assert!(!is_counted(&editor), "too soon");
        let passed = |editor: &mut Editor| {
            let open = editor.document_mut(ids[0]).unwrap();
            open.counted = open.counted.map(|(version, _)| (version, Instant::now()));
            editor.pump();
            editor.finish_jobs();
        };
        passed(&mut editor);
        assert!(is_counted(&editor));
        passed(&mut editor);
        assert!(editor.document(ids[0]).unwrap().counted.unwrap().1 <= Instant::now(), "nothing changed: nothing is counted");
        // What takes long is left alone for longer.
        editor.counted(ids[0], vec![pink], Duration::from_secs(3));
        let due = editor.document(ids[0]).unwrap().counted.unwrap().1;
        assert!(due.duration_since(Instant::now()) > Duration::from_secs(55));
    }
}
