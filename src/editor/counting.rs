//! The colors that a map uses most, counted beside the main thread: when it comes, and now and then while it is edited.

use std::time::{Duration, Instant};

use super::Editor;
use super::work::JobDone;
use crate::voxel::most_used_colors;

/// Colors counted as a map's most used.
const MOST_USED: usize = 24;

/// They are counted anew no sooner than that.
const COUNT_EVERY: Duration = Duration::from_secs(2);

impl Editor {
    /// Counts the colors of the document in front, where they may be others than those that were counted.
    pub(super) fn start_counting(&mut self) {
        let Some(open) = self.active_mut().filter(|open| {
            let is_due = open.counted.is_none_or(|(version, at)| version != open.version && at.elapsed() >= COUNT_EVERY);
            is_due && open.counting.is_none()
        }) else {
            return;
        };
        let (id, store, version) = (open.id, open.document.store().clone(), open.version);
        let job = self.jobs.spawn("Counting colors".into(), Some(id), move |_| JobDone::Counted(most_used_colors(&store, MOST_USED)));
        if let Some(open) = self.document_mut(id) {
            (open.counting, open.counted) = (Some(job), Some((version, Instant::now())));
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
    use crate::voxel::Rgb;

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
            open.counted = open.counted.and_then(|(version, at)| Some((version, at.checked_sub(COUNT_EVERY)?)));
            editor.pump();
            editor.finish_jobs();
        };
        passed(&mut editor);
        assert!(is_counted(&editor));
        let before = editor.document(ids[0]).unwrap().counted;
        passed(&mut editor);
        assert!(editor.document(ids[0]).unwrap().counted < before, "nothing changed: nothing is counted");
    }
}
