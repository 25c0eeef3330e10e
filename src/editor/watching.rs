//! Files that others change while they are open here: looked at whenever the window is taken up again, and where one tab
//! saves over the file of another one, and told once.
//!
//! Saving compares once more and asks, so that a change between two looks is lost to nobody.

use std::path::{Path, PathBuf};

use super::files::Stamps;
use super::work::{JobDone, file_name};
use super::{DocumentId, Editor, Message, OpenDocument};

impl Editor {
    /// Looks whether the files of the open maps still are as they were read or written.
    pub fn look_at_files(&mut self) {
        let idle = self.documents.iter().filter(|open| open.path().is_some() && !open.is_saving() && open.reverting.is_none());
        let known: Vec<_> = idle.map(|open| (open.id(), open.file.stamps.clone())).collect();
        for (id, stamps) in known {
            let busy = self.jobs.running().any(|job| job.document == Some(id) && job.name == LOOKING);
            if !busy {
                let storage = self.storage.clone();
                self.jobs.spawn_quiet(LOOKING.into(), Some(id), move |_| {
                    // Where it cannot be looked at, nobody knows; saving tells why.
                    let changed = stamps.first_changed(&*storage).unwrap_or_default().map(Into::into);
                    JobDone::LookedAtFiles(stamps, changed)
                });
            }
        }
    }

    /// Whether another tab has the file of that path open.
    pub(super) fn is_in_another_tab(&self, id: DocumentId, path: &Path) -> bool {
        self.documents.iter().any(|open| open.id() != id && open.path() == Some(path))
    }

    /// Takes in which file somebody changed of those that a map was read from or written to.
    pub(super) fn looked_at_files(&mut self, id: DocumentId, stamps: &Stamps, changed: Option<PathBuf>) {
        // Saved or read again meanwhile.
        let Some(open) = self.document_mut(id).filter(|open| open.file.stamps == *stamps && !open.is_saving()) else { return };
        let before = open.changed_by_others.take();
        open.changed_by_others = changed.clone().map(|changed| (stamps.clone(), changed));
        let Some(changed) = changed.filter(|changed| before.is_none_or(|(_, before)| before != *changed)) else { return };
        let own = self.document(id).and_then(OpenDocument::path);
        let whose = if own.is_some_and(|own| self.is_in_another_tab(id, own)) { "tab or program" } else { "program" };
        let message = Message::warning(format!("Another {whose} changed or removed {}", file_name(&changed)));
        let message = message.with_detail("Saving asks before it replaces the file. File, Revert to file reads it as it is now.");
        // A save, or reading it again, tells how this went on.
        self.tell(message.about_saving(id));
    }
}

/// Name of the job.
const LOOKING: &str = "Looking at the file";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::editor::storage::Storage as _;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::editor::testing::editor_with_maps;
    use crate::editor::{Action, Editor, SaveOrder};

    #[test]
    fn a_file_that_others_change_is_told_once_and_no_more_once_it_was_read_or_written() {
        let disk = FaultyStorage::default();
        disk.create_folder(Path::new("m")).unwrap();
        let (mut editor, ids) = editor_with_maps(&disk, 1);
        let save = |editor: &mut Editor, overwrite_agreed: bool| {
            // The second time nobody asks about problems that players will meet.
            for _ in 0..2 {
                let order = SaveOrder { loss_agreed: true, overwrite_agreed, ..SaveOrder::new(ids[0]).with_path("m/a.vmf".into()) };
                editor.act(Action::SaveAs(order));
                editor.finish_jobs();
            }
        };
        let look = |editor: &mut Editor| {
            editor.look_at_files();
            editor.finish_jobs();
            editor.pump();
            let told = editor.messages().iter().filter(|told| told.text == "Another program changed or removed a.vmf").count();
            (editor.active().unwrap().is_changed_by_others(), told)
        };
        save(&mut editor, false);
        assert_eq!(look(&mut editor), (false, 0));
        let whole = disk.get("m/a.vmf").unwrap();
        disk.put("m/a.vmf", &whole[..whole.len() - 1]);
        assert_eq!((look(&mut editor), look(&mut editor)), ((true, 1), (true, 1)));
        // What others put back, or this one replaces or reads, is as it is here.
        disk.put("m/a.vmf", &whole);
        assert_eq!(look(&mut editor), (false, 1));
        disk.remove(Path::new("m/a.vmf")).unwrap();
        assert_eq!(look(&mut editor), (true, 2));
        save(&mut editor, true);
        assert!(!editor.active().unwrap().is_changed_by_others());
        assert_eq!(look(&mut editor), (false, 2));
    }
}
