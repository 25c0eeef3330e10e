//! What the editor has to do with the journals of its maps while they are open: beginning them, hearing what their threads have to say.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::claim::{Claim, claim_map};
use super::journal::{Journal, JournalBase, journal_path};
use super::open_document::OpenDocument;
use super::work::JobDone;
use super::{DocumentId, Editor, Message, seconds_now};

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
        let journal = Journal::start(storage, path, map.as_deref(), base, open.file.stamps.clone(), now);
        open.journal = Some(journal.waking(waker));
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
            let failure = open.journal.as_ref().and_then(Journal::failure);
            if failure.is_some() != open.journal_failure_told {
                open.journal_failure_told = failure.is_some();
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
            let message = match failure {
                Some(failure) => Message::error(format!("The steps of {title} are not kept for a crash: {failure}"))
                    .with_detail("The map can be edited and saved all the same: save often."),
                None => Message::info(format!("The steps of {title} are kept for a crash again")),
            };
            self.tell(message.about_keeping(id));
        }
        made_anew.into_iter().for_each(|id| self.claim_again(id));
    }

    /// What tells other windows that a map is open here lay in the folder of the journals, and may have gone with it.
    fn claim_again(&mut self, id: DocumentId) {
        let (storage, folder) = (self.storage.clone(), self.journal_folder.clone());
        // Tried beside the one that has it, it would be found to be another's.
        let Some(open) = self.document_mut(id).filter(|open| open.claiming.is_none()) else { return };
        let (Some(folder), Some(path)) = (folder, open.path().map(Path::to_path_buf)) else { return };
        let held = open.claim.take();
        if held.is_none() && !open.is_claim_lost {
            return;
        }
        let job = self.jobs.spawn("Looking for other windows".into(), Some(id), move |_| {
            if let Some((lock, file)) = held {
                if storage.holds(&lock, &file) {
                    return JobDone::ClaimedAgain(path, Some(Claim::Ours(lock, file)));
                }
                drop(lock);
            }
            let claim = claim_map(&*storage, &folder, &path);
            JobDone::ClaimedAgain(path, claim)
        });
        if let Some(open) = self.document_mut(id) {
            open.claiming = Some(job);
        }
    }

    /// A document has its claim again, unless it has another file by now.
    pub(super) fn claimed_again(&mut self, id: DocumentId, path: &Path, claim: Option<Claim>) {
        // A restored map may have taken its place.
        let is_heir = |open: &&OpenDocument| open.path() == Some(path) && open.claim.is_none() && open.claiming.is_none();
        let id = if self.document(id).is_some() { Some(id) } else { self.documents.iter().find(is_heir).map(OpenDocument::id) };
        let Some(open) = id.and_then(|id| self.document_mut(id)) else { return };
        open.claiming = None;
        if open.path() != Some(path) || open.claim.is_some() {
            // What is dropped keeps nobody from the file any more.
            open.is_claim_lost |= open.claim.is_none();
            return;
        }
        open.is_claim_lost = claim.is_none();
        let id = open.id();
        if let Some(claim) = claim {
            self.take_claim(id, path, claim);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::{Arc, mpsc};
    use std::time::Duration;

    use crate::editor::claim::{Claim, claim_map};
    use crate::editor::journal::{Journal, JournalEntry, read_journal};
    use crate::editor::settings::Settings;
    use crate::editor::storage::Storage as _;
    use crate::editor::storage::testing::{Fault, FaultyStorage};
    use crate::editor::work::JobDone;
    use crate::editor::{Action, DocumentId, Editor, EditorConfig, JobMode, Message, NewMap, OpenDocument};

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

    /// A window on that disk with so many small maps.
    fn editor_with_maps(disk: &FaultyStorage, maps: usize) -> (Editor, Vec<DocumentId>) {
        let mut editor = Editor::new(EditorConfig {
            storage: Arc::new(disk.clone()),
            jobs: JobMode::Inline,
            waker: Arc::new(|| {}),
            journal_folder: Some("s".into()),
            versions_folder: None,
            settings_file: None,
            settings: Settings::default(),
        });
        let params = crate::terrain::Params { size: glam::IVec3::new(32, 32, 64), seed: 0, values: Default::default() };
        for _ in 0..maps {
            editor.act(Action::New(NewMap { generator: "flat".into(), params: params.clone() }));
        }
        editor.finish_jobs();
        let ids = editor.documents().iter().map(|open| open.id()).collect();
        (editor, ids)
    }

    #[track_caller]
    fn until(mut is_so: impl FnMut() -> bool) {
        let begun = std::time::Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_secs(60), "it never came to it");
            std::thread::yield_now();
        }
    }

    fn edit(editor: &mut Editor, x: i32) {
        let command = serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,7],"color":"#ff8000"}}}}"##)).unwrap();
        editor.act(Action::Edit(command));
        editor.finish_jobs();
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
        editor.pump();
        edit(&mut editor, 3);
        until(has_snapshot);
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
    fn a_claim_that_is_being_looked_at_goes_to_the_map_that_takes_the_place_and_is_not_that_of_others() {
        let map = Path::new("m/a.vxl");
        for is_late in [false, true] {
            let disk = FaultyStorage::default();
            let (mut editor, ids) = editor_with_maps(&disk, 2);
            ids.iter().for_each(|id| editor.document_mut(*id).unwrap().file.path = Some(map.into()));
            let [twin, restored] = ids[..] else { panic!("{ids:?}") };
            editor.take_claim(twin, map, claim_map(&disk, Path::new("s"), map).unwrap());
            editor.claim_again(twin);
            editor.take_place_of_unedited(restored);
            if is_late {
                // The answer of the first comes last.
                let (_, claimed) = editor.jobs.poll().unwrap();
                editor.pump();
                assert!(editor.document(twin).is_none());
                let Ok(JobDone::ClaimedAgain(path, claim)) = claimed else { panic!("another job") };
                editor.claimed_again(twin, &path, claim);
            }
            editor.finish_jobs();
            assert!(editor.document(twin).is_none());
            let open = editor.document(restored).unwrap();
            assert!(open.claim.as_ref().is_some_and(|(lock, file)| disk.holds(lock, file)) && !open.is_elsewhere, "{is_late}");
            assert!(!editor.messages().iter().any(|told| told.text.contains("is open in another Spadework")), "{:?}", editor.messages());
        }
    }

    #[test]
    fn a_claim_whose_worker_broke_off_or_came_too_late_is_taken_again() {
        let disk = FaultyStorage::default();
        let (mut editor, ids) = editor_with_maps(&disk, 1);
        let job = editor.jobs.spawn("Looking for other windows".into(), Some(ids[0]), |_| panic!("on purpose"));
        let open = editor.document_mut(ids[0]).unwrap();
        (open.file.path, open.claiming) = (Some("m/a.vxl".into()), Some(job));
        editor.finish_jobs();
        editor.claim_again(ids[0]);
        editor.finish_jobs();
        let has_claim = |editor: &Editor| {
            let open = editor.document(ids[0]).unwrap();
            open.claim.as_ref().is_some_and(|(lock, file)| disk.holds(lock, file))
        };
        assert!(has_claim(&editor));
        // It is saved elsewhere, where the disk takes no claim, before the answer about the old place is there.
        editor.claim_again(ids[0]);
        editor.document_mut(ids[0]).unwrap().file.path = Some("m/b.vxl".into());
        editor.finish_jobs();
        assert!(!has_claim(&editor));
        editor.claim_again(ids[0]);
        editor.finish_jobs();
        assert!(has_claim(&editor));
    }

    #[test]
    fn a_claim_that_is_looked_at_again_takes_the_place_of_no_other_and_is_tried_until_it_is_there() {
        let disk = FaultyStorage::default();
        let mut editor = Editor::new(EditorConfig {
            storage: Arc::new(disk.clone()),
            jobs: JobMode::Inline,
            waker: Arc::new(|| {}),
            journal_folder: Some("s".into()),
            versions_folder: None,
            settings_file: None,
            settings: Settings::default(),
        });
        editor.act(Action::New(NewMap::starter()));
        editor.finish_jobs();
        let id = editor.active().unwrap().id();
        let (here, there) = (Path::new("m/a.vxl"), Path::new("m/b.vxl"));
        editor.document_mut(id).unwrap().file.path = Some(here.into());
        let claim = |path| claim_map(&disk, Path::new("s"), path).unwrap();
        editor.take_claim(id, here, claim(here));
        let has_claim = |editor: &Editor| {
            let open = editor.document(id).unwrap();
            open.claim.as_ref().is_some_and(|(lock, file)| disk.holds(lock, file)) && !open.is_elsewhere
        };
        assert!(has_claim(&editor));
        // It was saved elsewhere meanwhile.
        editor.claimed_again(id, there, Some(claim(there)));
        editor.claimed_again(id, here, Some(Claim::Theirs));
        editor.claimed_again(id, here, None);
        assert!(has_claim(&editor));
        assert!(matches!(claim(there), Claim::Ours(..)), "nobody is said to have it");
        // It goes with the folder, and the disk is full for a while.
        disk.remove_folder("s");
        disk.fill_up(0);
        disk.fail_at(0, Fault::Once(std::io::ErrorKind::StorageFull));
        editor.claim_again(id);
        editor.claim_again(id);
        editor.finish_jobs();
        assert!(!has_claim(&editor));
        disk.fill_up(u64::MAX);
        // Told twice, it does not stand in its own way.
        editor.claim_again(id);
        editor.claim_again(id);
        editor.finish_jobs();
        assert!(has_claim(&editor));
        assert!(!editor.messages().iter().any(|told| told.text.contains("is open in another Spadework")), "{:?}", editor.messages());
    }
}
