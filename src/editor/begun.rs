//! What was begun with a tool and is not in its map yet: a paste that lies loose, the points of a path, a box without its height.
//!
//! Enter puts it into the map, and nothing else does. It stays with its map while another one is in front, a save tells that it is
//! without it, and whatever would drop it asks before, or tells it.

use super::tools::LeftTools;
use super::{DocumentId, Editor, Message, OpenDocument, PutAway};
use crate::document::ObjectId;
use crate::edit::{Clip, Command, ops};
use crate::tool::ClipPlace;

impl Editor {
    /// The names of the tools with which something was begun on a map that is not in it yet, as a person reads them. A selection and a
    /// measurement do not count.
    pub fn begun(&self, id: DocumentId) -> Option<String> {
        Some(self.all_begun(id).join(" and ")).filter(|names| !names.is_empty())
    }

    fn all_begun(&self, id: DocumentId) -> Vec<&'static str> {
        let left = || self.document(id)?.left.as_ref().map(LeftTools::begun);
        if self.active == Some(id) { self.tool.begun() } else { left().unwrap_or_default() }
    }

    /// Whether closing a map now would lose something even if the save that runs goes well.
    pub fn would_lose(&self, id: DocumentId) -> bool {
        self.document(id).is_some_and(|open| open.has_unsaved_work() || open.has_recording()) || self.begun(id).is_some()
    }

    /// Whether nothing would be lost if a map went.
    pub(super) fn is_untouched(&self, id: DocumentId) -> bool {
        let is_unedited = |open: &OpenDocument| open.history.is_empty() && !open.has_work() && open.recording.is_none();
        self.document(id).is_some_and(is_unedited) && self.begun(id).is_none()
    }

    /// Finishes what was begun on a map, as Enter does, before it is saved for the last time; answers whether nothing of it is left. Why
    /// it cannot be finished is told.
    pub fn finish_begun(&mut self, id: DocumentId) -> bool {
        if self.begun(id).is_none() {
            return true;
        }
        self.activate(id);
        // Enter ends numbers that are typed, then the gesture; then it is the turn of what waits.
        while !self.tool.begun().is_empty() {
            if self.tool.has_begun() {
                let is_typed = self.tool.entry().is_some();
                self.confirm();
                if self.tool.has_begun() && !is_typed {
                    break;
                }
            } else if let Some(waiting) = self.tool.waiting() {
                self.tool.select(waiting);
            }
        }
        self.preview_gesture();
        self.begun(id).is_none()
    }

    /// Brings another document to the front; what was begun on the one before stays with it.
    pub(super) fn activate(&mut self, id: DocumentId) {
        if self.active == Some(id) || self.document(id).is_none() {
            return;
        }
        let before = self.tool.spec().label;
        let open = self.documents.iter_mut().find(|open| Some(open.id) == self.active);
        let is_dropped = open.is_some_and(|open| {
            let (left, is_dropped) = self.tool.leave(&open.document);
            open.left = left;
            is_dropped
        });
        if is_dropped {
            self.tell_let_go(before);
        }
        self.active = Some(id);
        self.take_up();
    }

    /// Goes on with what was begun on the map that is in front by now.
    pub(super) fn take_up(&mut self) {
        let open = self.documents.iter_mut().find(|open| Some(open.id) == self.active);
        if let Some((open, left)) = open.and_then(|open| open.left.take().map(|left| (open, left))) {
            self.tool.return_to(&open.document, left);
        }
        self.preview_gesture();
    }

    /// Drops what was begun on a map that is not what it was, and tells it.
    pub(super) fn let_go_of(&mut self, id: DocumentId) {
        let begun = self.all_begun(id);
        if self.active == Some(id) {
            self.tool.renew();
        } else if let Some(open) = self.document_mut(id) {
            open.left = None;
        }
        begun.into_iter().for_each(|begun| self.tell_let_go(begun));
    }

    /// Tells that what was begun with a tool is gone.
    fn tell_let_go(&mut self, tool: &str) {
        self.tell(Message::info(format!("{tool}: what was begun was let go")));
    }

    pub(super) fn select_tool(&mut self, id: &str) {
        self.take_tool(id);
        self.find_stamps_for_tool();
    }

    /// Takes another tool in the hand, and tells what becomes of what was begun with the one before.
    pub(super) fn take_tool(&mut self, id: &str) {
        let before = self.tool.spec().label;
        match self.tool.select(id) {
            PutAway::Nothing => {}
            PutAway::Waits => self.tell(Message::info(format!("{before}: what was begun waits until the tool is taken again"))),
            PutAway::Dropped => {
                let message = Message::info(format!("{before}: what was begun was let go"));
                self.tell(message.with_detail("Enter finishes it before another tool is taken."));
            }
        }
    }

    /// Selects nothing; a transform of what was selected is let go.
    pub(super) fn deselect(&mut self) {
        if self.tool.can_transform() && !self.tool.has_clip() && self.tool.has_begun() && self.tool.cancel() {
            self.tell_let_go(self.tool.spec().label);
        }
        self.execute(Command::Select(ops::Select::default()));
    }

    /// Selects an object of the active document, as a click in a list does, or none.
    pub fn select_object(&mut self, id: Option<ObjectId>) {
        if id.is_some() {
            self.take_tool(super::tools::OBJECT_TOOL);
        }
        self.tool.select_object(id);
    }

    /// Takes the tool that moves things, with a clip that lies loose over the active document until Enter.
    pub(super) fn take_clip(&mut self, clip: Clip, place: ClipPlace) {
        // What can wait is put away first.
        self.take_tool(super::tools::TRANSFORM_TOOL);
        let is_again = matches!(self.tool.wanted(), Some(Command::Paste(paste)) if paste.clip == clip);
        if self.tool.makes_something() && !is_again {
            let message = Message::info(format!("{}: what was begun was let go", self.tool.spec().label));
            self.tell(message.with_detail("Enter finishes it before something else is pasted."));
        }
        if let Some(open) = self.documents.iter().find(|open| Some(open.id) == self.active) {
            self.tool.take_clip(&open.document, clip, place);
        }
    }
}
