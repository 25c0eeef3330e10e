//! The clipboard: what is copied, cut and pasted.

use super::open_document::Step;
use super::planning::INLINE_COST;
use super::work::{AfterCopy, JobDone};
use super::{DocumentId, Editor, JobId, Message};
use crate::document::{Progress, Selection};
use crate::edit::{Clip, Command, EditError, ops};
use crate::geom::{Face, VoxelPos};
use crate::tool::ClipPlace;

impl Editor {
    /// Copies the selection, here if it is small, else on a worker; cutting deletes it once it is copied.
    pub(super) fn copy(&mut self, after: AfterCopy) {
        let Some(open) = self.active() else { return };
        let Some(selection) = open.document.selection.clone() else {
            return self.tell(Message::info("Nothing is selected: drag a box with the select tool first"));
        };
        let (id, snapshot) = (open.id, open.document.clone());
        if selection.bounds().volume() <= INLINE_COST {
            let clip = Clip::cut_selected(&snapshot, &selection);
            return self.finish_copy(id, after, selection, clip);
        }
        let copy = move |_: &Progress| {
            let clip = Clip::cut_selected(&snapshot, &selection);
            JobDone::Copied(after, selection, clip)
        };
        self.copying = Some(self.jobs.spawn("Copying".into(), Some(id), copy));
    }

    /// Takes in what a worker copied, unless something else was copied since.
    pub(super) fn copied(&mut self, id: DocumentId, job: JobId, after: AfterCopy, selection: Selection, result: Result<Clip, EditError>) {
        if self.copying.take_if(|copying| *copying == job).is_some() {
            self.finish_copy(id, after, selection, result);
        }
    }

    fn finish_copy(&mut self, id: DocumentId, after: AfterCopy, selection: Selection, result: Result<Clip, EditError>) {
        match result {
            Ok(clip) => {
                self.copying = None;
                self.clipboard = Some((clip, selection.bounds().min()));
                // What is not selected any more is not what was cut.
                let Some(open) = self.document_mut(id) else { return };
                if after == AfterCopy::Delete && open.document.selection.as_ref() == Some(&selection) {
                    open.queue.push_back(Step::Do(Command::DeleteSelection(ops::DeleteSelection {})));
                    self.plan_queue(id);
                }
            }
            Err(error) => self.tell(Message::error(format!("Cannot copy: {error}"))),
        }
    }

    /// Lets what was copied lie loose: on the face under the pointer, or where there is none at the selection, or where
    /// it was copied.
    pub(super) fn paste(&mut self, on: Option<(VoxelPos, Face)>) {
        if self.copying.is_some() {
            return self.tell(Message::info("The selection is still being copied: paste once that is done"));
        }
        let Some((clip, from)) = self.clipboard.clone() else {
            return self.tell(Message::info("The clipboard is empty: select something and copy it first"));
        };
        let Some(open) = self.active() else { return };
        let at = open.document.selection.as_ref().map_or(from, |selection| selection.bounds().min());
        // Nothing changes before Enter.
        let place = on.map_or(ClipPlace::At(at), |(pos, face)| ClipPlace::On(pos, face));
        self.take_clip(clip, place);
    }
}
