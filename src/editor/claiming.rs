//! Which maps other windows have open, too: what an editor holds itself, and what it learns of others.

use std::path::{Path, PathBuf};

use super::claim::{Claim, ClaimWatch, claim_map};
use super::open_document::OpenDocument;
use super::opening::OpenLook;
use super::storage::FileLock;
use super::work::{JobDone, file_name};
use super::{DocumentId, Editor, Message};

impl Editor {
    /// A document has a file that this window holds from now on, or that another one or another tab holds; what it held before is let go.
    pub(super) fn take_claim(&mut self, id: DocumentId, path: &Path, claim: Claim) {
        let (ours, elsewhere) = match claim {
            Claim::Ours(lock, path) => (Some((lock, path)), None),
            Claim::Theirs(file) => {
                // Of two that are restored at once, one may not have heard yet that it got the claim.
                let is_asking = |open: &OpenDocument| open.claim.is_none() && open.elsewhere.is_none() && open.path() == Some(path);
                let is_its = |open: &OpenDocument| open.claim.as_ref().is_some_and(|(_, own)| *own == file) || is_asking(open);
                let is_here = self.documents.iter().any(|open| open.id() != id && is_its(open));
                let message = Message::warning(format!("{} is open in another {}, too", file_name(path), window(is_here)));
                let message = message.with_detail("Each has its own steps. Whoever saves after the other is asked first.");
                self.tell(message.about_windows(id));
                let (storage, waker) = (self.storage.clone(), self.jobs.waker());
                let watch = |folder| ClaimWatch::start(storage, folder, path.into(), is_here, waker);
                (None, self.journal_folder.clone().map(watch))
            }
        };
        let Some(open) = self.document_mut(id) else { return };
        open.elsewhere = elsewhere;
        if let Some((lock, path)) = std::mem::replace(&mut open.claim, ours) {
            self.let_go(lock, path);
        }
    }

    /// Shows a document whose file was asked for by another path, or twice; opens the file where the document was closed meanwhile.
    pub(super) fn open_already(&mut self, id: DocumentId, look: OpenLook, claim: Option<Claim>) {
        let OpenLook { path, options, .. } = look;
        let Some(open) = self.document(id) else {
            drop(claim);
            return self.start_open(path, options);
        };
        let message = Message::info(format!("{} is open already", open.title()));
        let message = message.with_detail(format!("{} leads to the same file.", path.display()));
        // It was found to be another's while this window was opening it once more.
        let (has_claim, own) = (open.claim.is_some(), open.path().map(Path::to_path_buf));
        self.activate(id);
        match (claim, own) {
            (Some(claim @ Claim::Ours(..)), Some(own)) if !has_claim => {
                self.take_claim(id, &own, claim);
                self.tell(message.about_windows(id));
            }
            _ => self.tell(message),
        }
    }

    fn let_go(&self, lock: FileLock, path: PathBuf) {
        let storage = self.storage.clone();
        self.background.run(move || {
            // What is left goes with a later start.
            storage.remove(&path).ok();
            drop(lock);
        });
    }

    /// Takes what other windows let go of.
    pub(super) fn hear_claims(&mut self) {
        let mut claimed = vec![];
        for open in &mut self.documents {
            if let Some(claim) = open.elsewhere.as_ref().and_then(ClaimWatch::take)
                && let Some(watch) = open.elsewhere.take()
            {
                claimed.push((open.id(), watch.map, watch.is_here, claim));
            }
        }
        for (id, path, is_here, claim) in claimed {
            let is_its = self.document(id).is_some_and(|open| open.path() == Some(&*path) && open.claim.is_none());
            match claim {
                Claim::Ours(lock, file) if !is_its => self.let_go(lock, file),
                claim => {
                    self.take_claim(id, &path, claim);
                    let message = Message::info(format!("{} is open in no other {} any more", file_name(&path), window(is_here)));
                    self.tell(message.about_windows(id));
                }
            }
        }
    }

    /// What tells other windows that a map is open here lay in the folder of the journals, and may have gone with it.
    pub(super) fn claim_again(&mut self, id: DocumentId) {
        let (storage, folder) = (self.storage.clone(), self.journal_folder.clone());
        // Tried beside the one that has it, it would be found to be another's.
        let Some(open) = self.document_mut(id).filter(|open| open.claiming.is_none()) else { return };
        let (Some(folder), Some(path)) = (folder, open.path().map(Path::to_path_buf)) else { return };
        let held = open.claim.take();
        if held.is_none() && !open.is_claim_lost {
            return;
        }
        let job = self.jobs.spawn_quiet("Looking for other windows".into(), Some(id), move |_| {
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

/// What has a map open, too.
fn window(is_here: bool) -> &'static str {
    if is_here { "tab" } else { "Spadework" }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::editor::claim::{Claim, claim_map};
    use crate::editor::files::OpenOptions;
    use crate::editor::opening::OpenLook;
    use crate::editor::storage::Storage as _;
    use crate::editor::storage::testing::{Fault, FaultyStorage};
    use crate::editor::testing::{editor_on, editor_with_maps, until};
    use crate::editor::work::JobDone;
    use crate::editor::{Action, Editor, Message, NewMap, OpenDocument, Request, SaveOrder};

    #[test]
    fn what_says_that_a_map_is_open_elsewhere_goes_once_the_other_window_is_gone() {
        let (disk, map) = (FaultyStorage::default(), Path::new("m/a.vxl"));
        let (mut editor, ids) = editor_with_maps(&disk, 1);
        editor.document_mut(ids[0]).unwrap().file.path = Some(map.into());
        let theirs = claim_map(&disk, Path::new("s"), map);
        editor.take_claim(ids[0], map, Claim::Theirs("s/x.open".into()));
        editor.pump();
        let is_elsewhere = |editor: &Editor| editor.document(ids[0]).unwrap().is_open_elsewhere();
        let is_told = |editor: &Editor| {
            let (messages, told) = (editor.messages(), "a.vxl is open in another Spadework, too");
            (0..messages.len()).any(|index| messages[index].text == told && !Message::is_past(messages, index))
        };
        assert!(is_elsewhere(&editor) && is_told(&editor));
        drop(theirs);
        until(|| {
            editor.pump();
            !is_elsewhere(&editor)
        });
        let open = editor.document(ids[0]).unwrap();
        assert!(open.claim.as_ref().is_some_and(|(lock, file)| disk.holds(lock, file)) && !is_told(&editor));
        // What is had too late is let go of: the map has another file by then.
        let (_, file) = editor.document_mut(ids[0]).unwrap().claim.take().unwrap();
        editor.take_claim(ids[0], map, Claim::Theirs("s/x.open".into()));
        editor.document_mut(ids[0]).unwrap().file.path = Some("m/b.vxl".into());
        until(|| {
            editor.pump();
            !is_elsewhere(&editor)
        });
        assert!(editor.document(ids[0]).unwrap().claim.is_none() && disk.get(file).is_none());
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
            assert!(open.claim.as_ref().is_some_and(|(lock, file)| disk.holds(lock, file)) && !open.is_open_elsewhere(), "{is_late}");
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
        let mut editor = editor_on(&disk);
        editor.act(Action::New(NewMap::starter()));
        editor.finish_jobs();
        let id = editor.active().unwrap().id();
        let (here, there) = (Path::new("m/a.vxl"), Path::new("m/b.vxl"));
        editor.document_mut(id).unwrap().file.path = Some(here.into());
        let claim = |path| claim_map(&disk, Path::new("s"), path).unwrap();
        editor.take_claim(id, here, claim(here));
        let has_claim = |editor: &Editor| {
            let open = editor.document(id).unwrap();
            open.claim.as_ref().is_some_and(|(lock, file)| disk.holds(lock, file)) && !open.is_open_elsewhere()
        };
        assert!(has_claim(&editor));
        // It was saved elsewhere meanwhile.
        editor.claimed_again(id, there, Some(claim(there)));
        editor.claimed_again(id, here, Some(Claim::Theirs("s/x.open".into())));
        editor.claimed_again(id, here, None);
        assert!(has_claim(&editor));
        assert!(matches!(claim(there), Claim::Ours(..)), "nobody is said to have it");
        // It goes with the folder, and the disk is full for a while.
        disk.remove_folder("s");
        disk.fill_up(0);
        // The folder is looked for, and then made.
        disk.fail_at(1, Fault::Once(std::io::ErrorKind::StorageFull));
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
    /// Saves a map over the file that another tab has open, too.
    fn two_tabs_of(disk: &FaultyStorage, path: &str) -> (Editor, Vec<crate::editor::DocumentId>) {
        let (mut editor, ids) = editor_with_maps(disk, 2);
        for id in &ids {
            let order = SaveOrder { loss_agreed: true, overwrite_agreed: true, ..SaveOrder::new(*id).with_path(path.into()) };
            for _ in 0..2 {
                // The second time nobody asks about problems that players will meet.
                editor.act(Action::SaveAs(order.clone()));
                editor.finish_jobs();
            }
            assert_eq!(editor.document(*id).unwrap().path(), Some(Path::new(path)), "{:?}", editor.messages());
        }
        (editor, ids)
    }

    #[test]
    fn another_tab_that_has_a_map_open_is_no_other_window_and_the_last_one_holds_the_map() {
        let disk = FaultyStorage::default();
        disk.create_folder(Path::new("m")).unwrap();
        let (mut editor, ids) = two_tabs_of(&disk, "m/a.vmf");
        let is_told = |editor: &Editor, text: &str| editor.messages().iter().any(|told| told.text == text);
        assert!(is_told(&editor, "a.vmf is open in another tab, too"), "{:?}", editor.messages());
        let open = editor.document(ids[1]).unwrap();
        assert!(open.claim.is_none() && !open.is_open_elsewhere());
        editor.act(Action::Close(ids[0]));
        until(|| {
            editor.pump();
            editor.document(ids[1]).unwrap().claim.as_ref().is_some_and(|(lock, file)| disk.holds(lock, file))
        });
        assert!(is_told(&editor, "a.vmf is open in no other tab any more"), "{:?}", editor.messages());
        assert!(!editor.messages().iter().any(|told| told.text.contains("Spadework")), "{:?}", editor.messages());
    }

    #[test]
    fn a_tab_whose_file_another_one_is_to_replace_is_named_before_and_told_after() {
        let disk = FaultyStorage::default();
        disk.create_folder(Path::new("m")).unwrap();
        let (mut editor, ids) = editor_with_maps(&disk, 2);
        editor.act(Action::Edit(serde_json::from_str(r##"{"set":{"at":[3,2,7],"color":"#ff8000"}}"##).unwrap()));
        editor.finish_jobs();
        let mut save = |id, overwrite_agreed| {
            let order = SaveOrder { loss_agreed: true, overwrite_agreed, ..SaveOrder::new(id).with_path("m/a.vmf".into()) };
            let mut asked = vec![];
            for _ in 0..2 {
                // The second time nobody asks about problems that players will meet.
                editor.act(Action::SaveAs(order.clone()));
                editor.finish_jobs();
                asked.extend(editor.take_requests().into_iter().filter_map(|request| match request {
                    Request::ConfirmOverwrite { reason, .. } => Some(reason),
                    _ => None,
                }));
            }
            let told: Vec<_> = editor.messages().iter().filter(|told| told.text.contains("changed or removed")).cloned().collect();
            (asked.pop().unwrap_or_default(), told.len(), editor.document(ids[0]).unwrap().is_changed_by_others())
        };
        assert_eq!(save(ids[0], false), (String::new(), 0, false));
        let asked = "the file exists already: m/a.vmf. It is open in another tab, which stays as it is".to_owned();
        assert_eq!(save(ids[1], false), (asked, 0, false));
        assert_eq!(save(ids[1], true), (String::new(), 1, true));
        assert_eq!(save(ids[0], true), (String::new(), 2, false), "and so does the other one");
        let told: Vec<_> = editor.messages().iter().map(|told| &*told.text).filter(|text| text.contains("changed or")).collect();
        assert_eq!(told, ["Another tab or program changed or removed a.vmf"; 2]);
        assert!(editor.document(ids[1]).unwrap().is_changed_by_others());
    }

    #[test]
    fn of_two_tabs_that_ask_at_once_the_one_that_hears_first_is_told_of_no_other_window() {
        let disk = FaultyStorage::default();
        let (mut editor, ids) = editor_with_maps(&disk, 2);
        let map = Path::new("m/a.vxl");
        for id in &ids {
            editor.document_mut(*id).unwrap().file.path = Some(map.into());
        }
        let [first, second] = [(); 2].map(|()| claim_map(&disk, Path::new("s"), map).unwrap());
        editor.take_claim(ids[1], map, second);
        editor.take_claim(ids[0], map, first);
        let told: Vec<_> =
            editor.messages().iter().filter(|told| told.text.contains("is open in another")).map(|told| &*told.text).collect();
        assert_eq!(told, ["a.vxl is open in another tab, too"]);
        assert!(!editor.document(ids[1]).unwrap().is_open_elsewhere());
    }

    #[test]
    fn a_map_that_is_open_here_is_shown_whatever_path_leads_to_it() {
        let disk = FaultyStorage::default();
        disk.create_folder(Path::new("m")).unwrap();
        let (mut editor, ids) = two_tabs_of(&disk, "m/a.vmf");
        editor.act(Action::Close(ids[1]));
        editor.act(Action::New(NewMap::starter()));
        editor.finish_jobs();
        let before = editor.documents().len();
        editor.act(Action::Open("./m/a.vmf".into()));
        editor.finish_jobs();
        assert_eq!((editor.active().map(|open| open.id()), editor.documents().len()), (Some(ids[0]), before), "{:?}", editor.messages());
        // One that was closed while it was looked for is opened.
        disk.put("./m/b.vmf", &disk.get("m/a.vmf").unwrap());
        let closed = ids[1];
        editor.open_already(closed, OpenLook { path: "./m/b.vmf".into(), options: OpenOptions::default(), known: 0 }, None);
        editor.finish_jobs();
        assert_eq!(editor.active().and_then(|open| open.path()), Some(Path::new("./m/b.vmf")), "{:?}", editor.messages());
    }
    #[test]
    fn a_map_that_is_asked_for_twice_while_it_is_read_is_one_tab_and_open_in_no_other_window() {
        let disk = FaultyStorage::default();
        disk.create_folder(Path::new("m")).unwrap();
        drop(two_tabs_of(&disk, "m/a.vmf"));
        // This disk knows no such folder by itself.
        disk.put("./m/a.vmf", &disk.get("m/a.vmf").unwrap());
        for is_turned in [false, true] {
            disk.restart();
            let mut editor = editor_on(&disk);
            editor.act(Action::Open("m/a.vmf".into()));
            editor.act(Action::Open("./m/a.vmf".into()));
            if is_turned {
                // The one that came second to the claim is read sooner.
                let (_, first) = editor.jobs.poll().unwrap();
                editor.pump();
                assert!(editor.active().is_some_and(OpenDocument::is_open_elsewhere), "{:?}", editor.messages());
                let Ok(JobDone::Opened(look, opened, claim)) = first else { panic!("another job") };
                editor.opened(look, opened, claim);
            }
            editor.finish_jobs();
            let [open] = editor.documents() else { panic!("{:?}", editor.messages()) };
            assert!(open.claim.as_ref().is_some_and(|(lock, file)| disk.holds(lock, file)) && !open.is_open_elsewhere(), "{is_turned}");
            let (messages, text) = (editor.messages(), "is open in another Spadework");
            let is_told = |index: usize| messages[index].text.contains(text) && !Message::is_past(messages, index);
            assert!(!(0..messages.len()).any(is_told), "{messages:?}");
        }
    }
}
