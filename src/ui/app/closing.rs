//! Closing a map and the window: what would be lost is asked about, saved first, and waited for.

use super::App;
use crate::editor::{Action, DocumentId, Message, OpenDocument, SaveOrder};
use crate::ui::dialog::Dialog;
use crate::ui::shell::{SaveWhenIdle, UiAction};

impl App {
    pub(super) fn close(&mut self, id: DocumentId) {
        if self.editor.would_lose(id) {
            self.interrupt(Dialog::Unsaved { documents: vec![id], quit: false });
        } else if self.editor.document(id).is_some_and(|open| open.is_saving()) {
            // What the save asks is about the map.
            self.close_once_saved(id);
        } else {
            self.editor.act(Action::Close(id));
        }
    }

    /// Closes a document after the save that runs or begins now, if that goes well.
    fn close_once_saved(&mut self, id: DocumentId) {
        let before = self.editor.document(id).and_then(|open| open.saved_at());
        if self.shell.closing.iter().all(|(closing, _)| *closing != id) {
            self.shell.closing.push((id, before));
        }
    }

    /// Finishes what was begun on maps, saves them, and closes those for which that goes well; the window, too, if all of them do.
    pub(super) fn save_and_close(&mut self, documents: Vec<DocumentId>, quit: bool) {
        self.shell.quit_when_closed = quit.then(|| self.errors_told());
        for id in documents {
            let Some(version) = self.editor.document(id).map(|open| open.version()) else { continue };
            let finishing = self.editor.begun(id).map(|_| (version, self.troubles_told()));
            if !self.editor.finish_begun(id) {
                // What is in the way was told.
                self.shell.quit_when_closed = None;
                continue;
            }
            self.close_once_saved(id);
            if self.editor.document(id).is_some_and(|open| open.is_saving()) && finishing.is_none() {
                // What was done since the save began is saved once that one is through.
                self.shell.save_again.push(id);
            } else {
                self.shell.save_when_idle.push(SaveWhenIdle { document: id, finishing });
                if let Some(title) = self.editor.document(id).filter(|open| open.is_busy()).map(OpenDocument::title) {
                    let message = Message::info(format!("{title} is saved and closed as soon as what runs is done"));
                    self.editor.tell(message.with_detail("It stands in the bar at the bottom, and can be stopped there."));
                }
            }
        }
    }

    /// Closes what was to be closed once it is saved.
    pub(super) fn close_saved(&mut self, out: &mut Vec<UiAction>) {
        // A question on its way is about the save, too: where to save a map that has no file yet.
        let asking = !out.is_empty() || self.shell.dialog.is_some() || self.asking.is_some();
        for (id, before) in std::mem::take(&mut self.shell.closing) {
            match self.editor.document(id) {
                Some(open) if asking || open.is_saving() || open.is_busy() => self.shell.closing.push((id, before)),
                // Its script may be under way.
                Some(open) if open.has_recording() && self.editor.is_writing() => self.shell.closing.push((id, before)),
                Some(open) if self.shell.save_when_idle.iter().any(|waiting| waiting.document == id) => {
                    let (version, title) = (open.version(), open.title());
                    let finishing = self.shell.save_when_idle.extract_if(.., |waiting| waiting.document == id).find_map(|it| it.finishing);
                    // What was begun came to nothing, or not to all that it was: that has to be read.
                    let is_amiss = |(before, told)| version == before || self.troubles_told() > told;
                    if finishing.is_some_and(is_amiss) {
                        self.shell.quit_when_closed = None;
                        if finishing.is_some_and(|(before, _)| version == before) {
                            self.editor.tell(Message::info(format!("What was begun changed nothing: {title} stays open")));
                        }
                    } else {
                        self.shell.closing.push((id, open.saved_at()));
                        self.save_to_close(id);
                    }
                }
                Some(open)
                    if (open.is_modified() || open.has_recording()) && open.saved_at() != before && self.shell.save_again.contains(&id) =>
                {
                    self.shell.save_again.retain(|again| *again != id);
                    self.shell.closing.push((id, open.saved_at()));
                    self.save_to_close(id);
                }
                // The save failed or was called off: everything stays open.
                Some(open) if open.is_modified() || open.saved_at() == before || self.editor.would_lose(id) => {
                    self.shell.quit_when_closed = None;
                }
                Some(_) => self.editor.act(Action::Close(id)),
                None => {}
            }
        }
        if asking || self.editor.is_writing() || !self.shell.closing.is_empty() {
            return;
        }
        self.shell.save_again.clear();
        self.shell.save_when_idle.clear();
        // What was told meanwhile has to be read.
        if self.shell.quit_when_closed.take().is_some_and(|errors| errors == self.errors_told()) {
            // What came or was done meanwhile is asked about.
            out.push(UiAction::Invoke("quit"));
        }
    }

    /// Saves a document that is to be closed then, and what was recorded of it.
    fn save_to_close(&mut self, id: DocumentId) {
        if self.editor.document(id).is_some_and(OpenDocument::has_recording) {
            self.editor.act(Action::Activate(id));
            self.editor.act(Action::ToggleRecording);
        }
        self.editor.act(Action::SaveAs(SaveOrder::new(id)));
    }

    /// How many errors and warnings were told so far.
    fn troubles_told(&self) -> usize {
        self.editor.messages().iter().filter(|told| told.is_error || told.is_warning).count()
    }

    /// How many errors were told so far.
    fn errors_told(&self) -> usize {
        self.editor.messages().iter().filter(|told| told.is_error).count()
    }

    pub(super) fn quit(&mut self, ctx: &egui::Context) {
        let unsaved: Vec<_> = self.editor.documents().iter().map(|open| open.id()).filter(|id| self.editor.would_lose(*id)).collect();
        if !unsaved.is_empty() {
            self.shell.quit_when_closed = None;
            self.interrupt(Dialog::Unsaved { documents: unsaved, quit: true });
        } else if self.editor.is_writing() {
            // A process that ends takes its threads with it.
            let saving = self.editor.documents().iter().filter(|open| open.is_saving()).map(|open| open.id());
            saving.collect::<Vec<_>>().into_iter().for_each(|id| self.close_once_saved(id));
            if self.shell.quit_when_closed.replace(self.errors_told()).is_some() {
                self.interrupt(Dialog::StillWriting);
            } else {
                let message = Message::info("Spadework closes as soon as all files are written");
                self.editor.tell(message.with_detail("What runs stands in the bar at the bottom, and can be called off there."));
            }
        } else {
            self.carry_out(ctx, vec![UiAction::QuitNow]);
        }
    }
}
