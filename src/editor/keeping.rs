//! What the editor has to do with the journals of its maps while they are open: beginning them, hearing what their threads have to say.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::journal::{Journal, JournalBase, JournalEntry, journal_path};
use super::{DocumentId, Editor, JobId, Message, seconds_now};

/// What others wrote into journals of maps that are closed: the title of each map, and where it is kept.
pub(super) type FoundAtClose = Arc<Mutex<Vec<(String, PathBuf)>>>;

impl Editor {
    /// Begins the journal of a document. Never in the way of work: a failure is told by the journal itself.
    pub(super) fn begin_journal(&mut self, id: DocumentId, base: JournalBase) {
        let Some(folder) = self.journal_folder.clone() else { return };
        let (storage, waker) = (self.storage.clone(), self.jobs.waker());
        let Some(open) = self.document_mut(id) else { return };
        let now = seconds_now();
        let path = journal_path(&folder, open.path(), now, id.0);
        let map = open.file.path.clone();
        let asked = (open.file.stamps.clone(), open.file.options.clone());
        let journal = Journal::start_asked(storage, path, map.as_deref(), base, asked, now);
        open.journal = Some(journal.waking(waker));
    }

    /// The map that the journal of a document starts from is in no file: it comes back also where nothing is done to it.
    pub(super) fn note_never_saved(&mut self, id: DocumentId) {
        if let Some(open) = self.document_mut(id) {
            // Goes nowhere, and counts as a step.
            open.note(JournalEntry::Jump { to: 0 });
        }
    }

    /// A save is over: the journal of a map that was closed meanwhile goes with it if it went well, and else is offered by the next start.
    pub(super) fn end_of_closed(&mut self, save: JobId, went_well: bool) {
        let Some(index) = self.kept_until_saved.iter().position(|(kept, ..)| *kept == save) else { return };
        let (_, title, journal) = self.kept_until_saved.swap_remove(index);
        if went_well {
            return self.discard_journal(title, journal);
        }
        let message = Message::error(format!("{title} was closed, and what it held was not saved"));
        self.tell(message.with_detail("The next start offers it once more."));
    }

    /// Deletes a journal, in the background: it takes its time. What others wrote into it is heard with what the others have to say.
    pub(super) fn discard_journal(&self, title: String, journal: Journal) {
        let (found, waker) = (self.found_at_close.clone(), self.jobs.waker());
        self.background.run(move || {
            let put_aside = journal.take_put_aside_later();
            journal.discard();
            let put_aside = put_aside();
            if !put_aside.is_empty() {
                found.lock().unwrap_or_else(PoisonError::into_inner).extend(put_aside.into_iter().map(|path| (title.clone(), path)));
                waker();
            }
        });
    }

    /// Hears what the journals have to say. One that fails is no reason to stop, but to save more often; and when it goes on, that is
    /// told, too.
    pub(super) fn hear_journals(&mut self) {
        let (mut changed, mut put_aside, mut made_anew) = (vec![], vec![], vec![]);
        for open in &mut self.documents {
            if open.journal.as_ref().is_some_and(Journal::take_made_anew) {
                // Its recovery snapshot went, too.
                open.checkpoint.make_due();
                made_anew.push(open.id());
            }
            let kept = open.journal.as_ref().map(Journal::take_put_aside).unwrap_or_default();
            put_aside.extend(kept.into_iter().map(|path| (open.title(), path)));
            // In that order: why it lasts is known by then.
            let is_lasting = open.journal.as_ref().is_some_and(Journal::is_failure_lasting);
            let failure = open.journal.as_ref().and_then(Journal::failure);
            let told = failure.is_some().then_some(is_lasting);
            if told != open.journal_failure_told {
                open.journal_failure_told = told;
                changed.push((open.id(), open.title(), failure));
            }
        }
        put_aside.append(&mut self.found_at_close.lock().unwrap_or_else(PoisonError::into_inner));
        for (title, path) in put_aside {
            let message = Message::warning(format!("Another Spadework wrote into the journal of {title}"));
            self.tell(
                message.with_detail(format!(
                    "What it wrote is kept in {}, which File › Unsaved maps… offers where it has unsaved steps; what is done here goes on without it.",
                    path.display()
                )),
            );
        }
        for (id, title, failure) in changed {
            if failure.is_none() {
                // One that was due meanwhile could not be written.
                self.checkpoint(id);
            }
            let message = match failure {
                Some(failure) => Message::error(format!("The steps of {title} are not kept for a crash: {failure}"))
                    .with_detail("The map can be edited and saved all the same: save often."),
                None => Message::info(format!("The steps of {title} are kept for a crash again")),
            };
            self.tell(message.about_keeping(id));
        }
        for id in made_anew {
            self.checkpoint(id);
            self.claim_again(id);
        }
        self.look_at_lags(Instant::now());
    }

    /// Tells where a journal's disk does not answer, and where it does again: nothing fails then, and nothing is kept.
    fn look_at_lags(&mut self, now: Instant) {
        let mut told = vec![];
        for open in &mut self.documents {
            // One that fails tells so itself.
            let steps = open.journalled().unwrap_or_default();
            let Some(keeps_up) = open.lag.look(steps, now).filter(|_| !open.journal_fails()) else { continue };
            let (id, title) = (open.id(), open.title());
            let message = match keeps_up {
                true => Message::info(format!("The steps of {title} are kept for a crash again")),
                // How many they are by now, the status bar tells.
                false => Message::warning(format!(
                    "The disk of the journals does not answer: a crash now would lose the latest steps of {title}"
                ))
                .with_detail("They are written as soon as it does. The map can be edited and saved all the same: save often."),
            };
            told.push(message.about_keeping(id));
        }
        told.into_iter().for_each(|message| self.tell(message));
    }

    /// Whether steps of a map are on their way to its journal: whether they arrive is to be looked at without anybody doing anything.
    pub fn waits_for_journals(&self) -> bool {
        self.documents.iter().any(|open| open.lag.is_waiting())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::editor::journal::{Journal, read_journal};
    use crate::editor::storage::Storage as _;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::editor::testing::{config_on, editor_on, editor_with_maps, until};
    use crate::editor::{Action, NewMap, OpenDocument, SaveOrder, version_title};

    #[test]
    fn the_window_is_woken_when_a_journal_fails_while_nothing_is_done() {
        let (woken, wait) = mpsc::channel();
        let disk = FaultyStorage::default();
        disk.fill_up(0);
        let mut editor = Editor::new(config_on(Arc::new(disk), Arc::new(move || woken.send(()).unwrap_or_default())));
        editor.act(Action::New(NewMap::starter()));
        editor.finish_jobs();
        wait.recv_timeout(Duration::from_secs(60)).expect("nobody was woken");
        editor.pump();
        let told = editor.messages().last().unwrap();
        assert!(told.is_error && told.text.contains("are not kept for a crash: ") && told.text.contains("the disk is full"), "{told:?}");
    }

    fn edit(editor: &mut Editor, x: i32) {
        let command = serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,7],"color":"#ff8000"}}}}"##)).unwrap();
        editor.act(Action::Edit(command));
        editor.finish_jobs();
    }

    fn save_as(editor: &mut Editor, id: DocumentId, path: &str) {
        // The second time nobody asks about problems that players will meet.
        for _ in 0..2 {
            editor.act(Action::SaveAs(SaveOrder { loss_agreed: true, ..SaveOrder::new(id).with_path(path.into()) }));
            editor.finish_jobs();
        }
    }

    #[test]
    fn a_journal_that_was_made_anew_gets_a_recovery_snapshot_again() {
        let disk = FaultyStorage::default();
        let (mut editor, ids) = editor_with_maps(&disk, 1);
        let kept = |editor: &Editor| editor.document(ids[0]).and_then(OpenDocument::journalled).is_some_and(|(kept, made)| kept == made);
        edit(&mut editor, 1);
        until(|| kept(&editor));
        let has_snapshot = || disk.all().keys().any(|path| path.extension().is_some_and(|end| end == "snapshot"));
        assert!(!has_snapshot(), "none is due");
        disk.remove_folder("s");
        edit(&mut editor, 2);
        // Whose file was removed counts as kept by nobody until it is there again.
        until(|| disk.all().keys().any(|path| path.extension().is_some_and(|end| end == "journal")) && kept(&editor));
        // Also where nothing is done from now on.
        until(|| {
            editor.pump();
            has_snapshot()
        });
    }

    #[test]
    fn what_was_told_of_a_journal_that_failed_is_past_once_it_works_again() {
        let disk = FaultyStorage::default();
        let (mut editor, ids) = editor_with_maps(&disk, 2);
        let not_kept = |editor: &Editor| {
            let messages = editor.messages();
            let is_told = |index: &usize| messages[*index].text.contains("are not kept for a crash") && !Message::is_past(messages, *index);
            (0..messages.len()).filter(is_told).count()
        };
        disk.fill_up(0);
        for id in &ids {
            editor.activate(*id);
            edit(&mut editor, 1);
        }
        until(|| {
            editor.pump();
            not_kept(&editor) == 2
        });
        disk.fill_up(1 << 30);
        until(|| {
            editor.pump();
            editor.documents().iter().all(|open| open.journalled().is_some_and(|(kept, made)| kept == made))
        });
        editor.pump();
        assert_eq!(not_kept(&editor), 0, "{:?}", editor.messages());
        assert!(!editor.documents().iter().any(OpenDocument::journal_fails));
    }

    #[test]
    fn that_no_more_steps_can_wait_for_a_disk_is_told_in_place_of_what_was_told_before_and_loses_no_edit() {
        let disk = FaultyStorage::default();
        let (mut editor, ids) = editor_with_maps(&disk, 1);
        disk.fill_up(0);
        edit(&mut editor, 1);
        let told = |editor: &Editor| {
            let messages = editor.messages().iter().enumerate().filter(|(_, message)| message.text.contains("not kept for a crash"));
            messages.map(|(index, message)| (message.text.clone(), Message::is_past(editor.messages(), index))).collect::<Vec<_>>()
        };
        until(|| {
            editor.pump();
            told(&editor).len() == 1
        });
        let journal = editor.document(ids[0]).unwrap().journal.as_ref().unwrap();
        (0..=100_000).for_each(|_| _ = journal.append(JournalEntry::Undo));
        until(|| {
            editor.pump();
            told(&editor).len() == 2
        });
        let [(_, true), (text, false)] = &told(&editor)[..] else { panic!("{:?}", told(&editor)) };
        assert!(text.contains("so many steps wait for its disk") && text.contains("the disk is full"), "{text}");
        disk.fill_up(1 << 30);
        edit(&mut editor, 2);
        let open = editor.document(ids[0]).unwrap();
        assert!(open.history().head() == 2 && open.journal_fails() && told(&editor).len() == 2);
    }

    #[test]
    fn what_others_wrote_into_a_journal_is_told_also_where_its_map_is_closed_by_then() {
        let disk = FaultyStorage::default();
        let (mut editor, ids) = editor_with_maps(&disk, 1);
        edit(&mut editor, 1);
        let path = editor.document(ids[0]).unwrap().journal.as_ref().unwrap().path().to_owned();
        until(|| editor.document(ids[0]).and_then(OpenDocument::journalled).is_some_and(|(kept, _)| kept == 1));
        let lock = path.with_extension("lock");
        // The journal's thread may be faster; then it is tried until it is not.
        let theirs = std::iter::repeat_with(|| {
            disk.remove(&lock).unwrap_or_default();
            disk.lock(&lock).unwrap()
        });
        let theirs = theirs.flatten().next().unwrap();
        let content = read_journal(&disk.get(&path).unwrap()).unwrap();
        let other = Journal::resume(Arc::new(disk.clone()), path.clone(), &content, theirs);
        other.append(JournalEntry::Undo);
        drop(other);
        let written = disk.get(&path);
        editor.act(Action::Close(ids[0]));
        editor.finish_jobs();
        editor.pump();
        let told: Vec<_> = editor.messages().iter().filter(|told| told.text.starts_with("Another Spadework wrote into")).collect();
        let [told] = told[..] else { panic!("{:?}", editor.messages()) };
        let aside = path.with_file_name(format!("{}-old1.journal", path.file_stem().unwrap().to_str().unwrap()));
        assert!(told.detail.as_deref().is_some_and(|detail| detail.contains(&*aside.to_string_lossy())), "{told:?}");
        assert!(disk.get(aside) == written);
    }
    #[test]
    fn what_was_told_of_a_journal_that_failed_is_past_once_the_file_was_read_again() {
        let disk = FaultyStorage::default();
        disk.create_folder(Path::new("m")).unwrap();
        let (mut editor, ids) = editor_with_maps(&disk, 1);
        save_as(&mut editor, ids[0], "m/a.vmf");
        let is_told = |editor: &Editor| {
            let (messages, text) = (editor.messages(), "are not kept for a crash");
            (0..messages.len()).any(|index| messages[index].text.contains(text) && !Message::is_past(messages, index))
        };
        disk.fill_up(0);
        edit(&mut editor, 1);
        until(|| {
            editor.pump();
            is_told(&editor)
        });
        disk.fill_up(1 << 30);
        editor.act(Action::Revert);
        until(|| {
            editor.finish_jobs();
            editor.pump();
            let open = editor.document(ids[0]).unwrap();
            open.history().is_empty() && open.journal.as_ref().is_some_and(|journal| journal.failure().is_none())
        });
        editor.pump();
        assert!(!is_told(&editor), "{:?}", editor.messages());
    }

    #[test]
    fn an_earlier_version_that_was_opened_comes_back_also_where_nothing_was_done_to_it() {
        let disk = FaultyStorage::default();
        let version = "v/a-0123456789ab/1700000000-a.vmf";
        disk.create_folder(Path::new("v/a-0123456789ab")).unwrap();
        let (mut editor, ids) = editor_with_maps(&disk, 1);
        save_as(&mut editor, ids[0], version);
        editor.act(Action::Close(ids[0]));
        editor.act(Action::OpenVersion { version: version.into(), name: version_title("a.vmf") });
        editor.finish_jobs();
        let open = editor.active().unwrap();
        assert!(open.is_modified() && open.proposed_name() == "a earlier.vmf", "{:?}", editor.messages());
        drop(editor);
        disk.restart();
        let found = crate::editor::recovery::find_leftovers(&disk, Path::new("s"));
        assert!(found.recoverable.len() == 1 && found.recoverable[0].steps == 0, "{:?}", disk.all().keys());
        assert_eq!(found.recoverable[0].version_of.as_deref(), Some("a.vmf"));
        drop(found);
        let mut editor = editor_on(&disk);
        editor.find_leftovers();
        editor.finish_jobs();
        editor.act(Action::RestoreLeftovers);
        editor.finish_jobs();
        assert_eq!(editor.active().unwrap().proposed_name(), "a earlier (restored).vmf");
    }
}
