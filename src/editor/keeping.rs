//! What the editor has to do with the journals of its maps while they are open: beginning them, hearing what their threads have to say.

use std::path::Path;

use super::claim::{Claim, claim_map};
use super::journal::{Journal, JournalBase, journal_path};
use super::work::JobDone;
use super::{DocumentId, Editor, Message, seconds_now};

impl Editor {
    /// Begins the journal of a document. Never in the way of work: a failure is told by the journal itself.
    pub(super) fn begin_journal(&mut self, id: DocumentId, base: JournalBase) {
        let Some(folder) = self.journal_folder.clone() else { return };
        let (storage, waker) = (self.storage.clone(), self.jobs.waker());
        let Some(open) = self.document_mut(id) else { return };
        let now = seconds_now();
        let path = journal_path(&folder, open.path(), now, id.0);
        let map = open.file.path.clone();
        let journal = Journal::start(storage, path, map.as_deref(), base, open.file.stamps.clone(), now);
        open.journal = Some(journal.waking(waker));
    }

    /// Hears what the journals have to say. One that fails is no reason to stop, but to save more often; and when it goes on, that is
    /// told, too.
    pub(super) fn hear_journals(&mut self) {
        let (mut changed, mut put_aside, mut made_anew) = (vec![], vec![], vec![]);
        for open in &mut self.documents {
            if open.journal.as_ref().is_some_and(Journal::take_made_anew) {
                made_anew.push(open.id());
            }
            let kept = open.journal.as_ref().map(Journal::take_put_aside).unwrap_or_default();
            put_aside.extend(kept.into_iter().map(|path| (open.title(), path)));
            let failure = open.journal.as_ref().and_then(Journal::failure);
            if failure.is_some() != open.journal_failure_told {
                open.journal_failure_told = failure.is_some();
                changed.push((open.title(), failure));
            }
        }
        for (title, path) in put_aside {
            let message = Message::warning(format!("Another Spadework wrote into the journal of {title}"));
            self.tell(
                message.with_detail(format!("What it wrote is kept in {}; the journal here has the steps made here.", path.display())),
            );
        }
        for (title, failure) in changed {
            self.tell(match failure {
                Some(failure) => Message::error(format!("The steps of {title} are not kept for a crash: {failure}"))
                    .with_detail("The map can be edited and saved all the same: save often."),
                None => Message::info(format!("The steps of {title} are kept for a crash again")),
            });
        }
        made_anew.into_iter().for_each(|id| self.claim_again(id));
    }

    /// What tells other windows that a map is open here lay in the folder of the journals, and may have gone with it.
    fn claim_again(&mut self, id: DocumentId) {
        let (storage, folder) = (self.storage.clone(), self.journal_folder.clone());
        let Some(open) = self.document_mut(id) else { return };
        let (Some(folder), Some(path)) = (folder, open.path().map(Path::to_path_buf)) else { return };
        let Some((lock, file)) = open.claim.take() else { return };
        self.jobs.spawn("Looking for other windows".into(), Some(id), move |_| {
            if storage.holds(&lock, &file) {
                return JobDone::ClaimedAgain(path, Some(Claim::Ours(lock, file)));
            }
            drop(lock);
            let claim = claim_map(&*storage, &folder, &path);
            JobDone::ClaimedAgain(path, claim)
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use crate::editor::settings::Settings;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::editor::{Action, Editor, EditorConfig, JobMode, NewMap};

    #[test]
    fn the_window_is_woken_when_a_journal_fails_while_nothing_is_done() {
        let (woken, wait) = mpsc::channel();
        let disk = FaultyStorage::default();
        disk.fill_up(0);
        let mut editor = Editor::new(EditorConfig {
            storage: Arc::new(disk),
            jobs: JobMode::Inline,
            waker: Arc::new(move || woken.send(()).unwrap_or_default()),
            journal_folder: Some("s".into()),
            versions_folder: None,
            settings_file: None,
            settings: Settings::default(),
        });
        editor.act(Action::New(NewMap::starter()));
        editor.finish_jobs();
        wait.recv_timeout(Duration::from_secs(60)).expect("nobody was woken");
        editor.pump();
        let told = editor.messages().last().unwrap();
        assert!(told.is_error && told.text.contains("are not kept for a crash: ") && told.text.contains("the disk is full"), "{told:?}");
    }
}
