//! Commands, undo and the tool's gestures on the active document.

use super::journal::JournalEntry;
use super::open_document::Planning;
use super::work::JobDone;
use super::work::seconds_now;
use super::{DocumentId, Editor, Message};
use crate::document::{Document, Progress};
use crate::edit::{Change, Clip, Command, EditError, History, ops, plan};
use crate::tool::{PointerInput, ToolResponse};

/// Commands that look at more voxels than this are planned by a worker (some 4 ms on a slow core).
const INLINE_COST: u64 = 60_000;

/// After so many plans that did not fit any more, a command is planned on the main thread.
const MAX_FAILURES: u32 = 2;

impl Editor {
    /// Changes the active document. Small commands are done when this returns, large ones later; they
    /// keep their order.
    pub fn execute(&mut self, command: Command) {
        let Some(id) = self.active else { return };
        let Some(open) = self.document_mut(id) else { return };
        open.queue.push_back(command);
        self.plan_queue(id);
    }

    /// Plans waiting commands of a document until one goes to a worker.
    pub(super) fn plan_queue(&mut self, id: DocumentId) {
        loop {
            let Some(open) = self.document_mut(id).filter(|open| open.planning.is_none()) else { return };
            let Some(command) = open.queue.pop_front() else { return };
            if command.cost() > INLINE_COST {
                self.plan_on_worker(id, command, 0);
                return;
            }
            let planned = plan(&open.document, &command, &Progress::new());
            self.finish_plan(id, command, planned);
        }
    }

    fn plan_on_worker(&mut self, id: DocumentId, command: Command, failures: u32) {
        let Some(snapshot) = self.document(id).map(|open| open.document.clone()) else { return };
        let planned = command.clone();
        self.jobs.spawn(command.label().to_owned(), Some(id), move |progress| JobDone::Planned(plan(&snapshot, &planned, progress)));
        if let Some(open) = self.document_mut(id) {
            open.planning = Some(Planning { command, failures });
        }
    }

    /// Takes in what a worker planned; plans again where the document has moved on.
    pub(super) fn planned(&mut self, id: DocumentId, result: Result<Change, EditError>) {
        let Some(open) = self.document_mut(id) else { return };
        let Some(planning) = open.planning.take() else { return };
        let result = match result {
            Ok(change) if change.fits(&open.document) => Ok(change),
            Ok(_) if planning.failures + 1 < MAX_FAILURES => return self.plan_on_worker(id, planning.command, planning.failures + 1),
            Ok(_) => plan(&open.document, &planning.command, &Progress::new()),
            Err(error) => Err(error),
        };
        self.finish_plan(id, planning.command, result);
        self.plan_queue(id);
    }

    fn finish_plan(&mut self, id: DocumentId, command: Command, result: Result<Change, EditError>) {
        match result {
            Ok(change) => self.commit(id, change, JournalEntry::Do { command, at: seconds_now() }),
            Err(EditError::Cancelled(_)) => self.tell(Message::info(format!("{}: cancelled", command.label()))),
            Err(error) => self.tell(Message::error(format!("{}: {error}", command.label()))),
        }
    }

    pub(super) fn step(&mut self, step: impl FnOnce(&mut History, &mut Document) -> Option<String>, entry: JournalEntry) {
        // A gesture in progress goes first: undo must not pull the ground from under it.
        if self.tool.cancel() {
            return;
        }
        let Some(open) = self.active_mut() else { return };
        if step(&mut open.history, &mut open.document).is_some() {
            open.version += 1;
            if let Some(journal) = &open.journal {
                journal.append(entry);
            }
        }
    }

    pub(super) fn jump_to(&mut self, steps: usize) {
        self.tool.cancel();
        let Some(open) = self.active_mut() else { return };
        if steps == open.history.head() {
            return;
        }
        open.history.jump_to(&mut open.document, steps);
        open.version += 1;
        let steps = open.history.head();
        if let Some(journal) = &open.journal {
            journal.append(JournalEntry::Jump { to: steps });
        }
    }

    /// Hands a pointer event to the tool and executes what it answers. Answers the tool's status text.
    pub fn pointer(&mut self, input: &PointerInput) -> Option<String> {
        let open = self.documents.iter_mut().find(|open| Some(open.id) == self.active)?;
        let response = self.tool.pointer(&open.document, input);
        self.take_response(response)
    }

    fn take_response(&mut self, response: ToolResponse) -> Option<String> {
        for command in response.commands {
            self.execute(command);
        }
        response.status
    }

    pub(super) fn cancel(&mut self) {
        if self.tool.cancel() {
            return;
        }
        if self.tool.preview().selected.is_some() {
            self.tool.select_object(None);
        } else if self.active().is_some_and(|open| open.document.selection.is_some()) {
            self.execute(Command::Select(ops::Select { region: None }));
        }
    }

    pub(super) fn confirm(&mut self) {
        let Some(open) = self.documents.iter().find(|open| Some(open.id) == self.active) else { return };
        for command in self.tool.confirm(&open.document) {
            self.execute(command);
        }
    }

    pub(super) fn copy(&mut self) {
        let Some(open) = self.active() else { return };
        let Some(region) = open.document.selection else {
            return self.tell(Message::info("Nothing is selected: drag a box with the select tool first"));
        };
        match Clip::cut(&open.document, region) {
            Ok(clip) => self.clipboard = Some((clip, region.min())),
            Err(error) => self.tell(Message::error(format!("Cannot copy: {error}"))),
        }
    }

    pub(super) fn paste(&mut self) {
        let Some((clip, from)) = self.clipboard.clone() else {
            return self.tell(Message::info("The clipboard is empty: select something and copy it first"));
        };
        let at = self.active().and_then(|open| open.document.selection).map_or(from, |region| region.min());
        self.execute(Command::Paste(ops::Paste { clip, at }));
    }

    pub(super) fn delete(&mut self) {
        let has_selection = self.active().is_some_and(|open| open.document.selection.is_some());
        match self.selected_object() {
            Some(id) => self.execute(Command::RemoveObject(ops::RemoveObject { id })),
            None if has_selection => self.execute(Command::DeleteSelection(ops::DeleteSelection {})),
            None => self.tell(Message::info("Nothing is selected")),
        }
    }

    pub(super) fn select_all(&mut self) {
        let Some(bounds) = self.active().map(|open| open.document.bounds()) else { return };
        self.execute(Command::Select(ops::Select { region: Some(bounds) }));
    }
}
