//! Undo, and the tool's gestures and keys on the active document.

use glam::IVec3;

use super::entry::EntryKey;
use super::open_document::Step;
use super::{Editor, JobId, Message, OpenDocument};
use crate::document::ObjectId;
use crate::edit::{Command, Mode, ops};
use crate::geom::Orientation;
use crate::tool::{GestureNumbers, Phase, PointerInput, Preview, ToolResponse, ToolSettings, TransformNumber};

impl Editor {
    pub(super) fn undo(&mut self) {
        // A gesture in progress goes first, step by step: undo must not pull the ground from under it. What only measures stays.
        if self.tool.only_looks() || (!self.step_back() && !self.tool.cancel()) {
            self.enqueue(Step::Undo);
        }
    }

    pub(super) fn redo(&mut self) {
        // Nothing of a gesture can be done again, and redo must not pull the ground from under it either.
        if self.tool.makes_something() {
            self.tell(Message::info("Enter finishes what was begun, Esc takes it back: only then steps are done again"));
        } else {
            self.enqueue(Step::Redo);
        }
    }

    pub(super) fn jump_to(&mut self, steps: usize) {
        // As with redo.
        if self.tool.makes_something() {
            self.tell(Message::info("Enter finishes what was begun, Esc takes it back: only then the history goes elsewhere"));
        } else {
            self.enqueue(Step::Jump(steps));
        }
    }

    /// Hands a pointer event to the tool and executes what it answers. Answers the tool's status text.
    pub fn pointer(&mut self, input: &PointerInput) -> Option<String> {
        let open = self.documents.iter_mut().find(|open| Some(open.id) == self.active)?;
        let is_end = matches!(input.phase, Phase::Press | Phase::Release);
        let was_shown = if is_end { self.tool.preview() } else { Preview::default() };
        let response = self.tool.pointer(&open.document, input);
        let status = self.take_response(response, was_shown);
        self.preview_gesture();
        self.wake_if_behind();
        status
    }

    /// A gesture whose preview is behind has another frame drawn.
    pub(super) fn wake_if_behind(&self) {
        if self.tool.is_behind() {
            self.jobs.wake();
        }
    }

    /// Carries out what a tool answers; what the gesture showed stays in sight until it is in the map.
    fn take_response(&mut self, response: ToolResponse, was_shown: Preview) -> Option<String> {
        let is_first = self.active().is_some_and(|open| !open.is_busy());
        let is_made = !response.commands.is_empty();
        for command in response.commands {
            self.execute(command);
        }
        if let Some(open) = self.active_mut().filter(|open| is_made && open.is_busy()) {
            open.waiting_ghosts.extend(was_shown.ghosts);
            // What waits for other edits was not shown with them, and theirs stays in sight.
            if is_first {
                open.waiting_store = was_shown.store;
            }
        }
        response.status
    }

    /// Takes the last step of the gesture back, else stops the edit that takes long, as [`Action::Cancel`](super::Action::Cancel) does
    /// first; answers whether there was one.
    pub fn step_back(&mut self) -> bool {
        let document = self.documents.iter().find(|open| Some(open.id) == self.active).map(|open| &open.document);
        let stepped = document.is_some_and(|document| self.tool.step_back(document));
        if stepped {
            self.preview_gesture();
        }
        stepped || self.stop_long_edit()
    }

    /// Stops what is planned for the map in front, once it has taken so long that it is shown.
    fn stop_long_edit(&mut self) -> bool {
        let script = self.active().and_then(|open| Some((open.id, open.script.as_ref()?.job)));
        if let Some((id, _)) = script.filter(|(_, job)| self.jobs.running().any(|info| info.id == *job && info.takes_long())) {
            self.stop_script(id);
            return true;
        }
        let planning = self.active().and_then(|open| Some(open.planning.as_ref()?.job));
        let long = self.jobs.running().find(|info| Some(info.id) == planning && info.takes_long() && info.progress.check().is_ok());
        long.map(|info| info.progress.cancel()).is_some()
    }

    /// Stops a job: a script at once, another as soon as it looks.
    pub(super) fn cancel_job(&mut self, id: JobId) {
        let is_of = |open: &&OpenDocument| open.script.as_ref().is_some_and(|script| script.job == id);
        match self.documents.iter().find(is_of).map(OpenDocument::id) {
            Some(document) => self.stop_script(document),
            None => self.jobs.cancel(id),
        }
    }

    /// One step back: of the gesture, else from what the tool holds, else to the tool before, else from the selection.
    pub(super) fn cancel(&mut self) {
        if self.step_back() {
            return;
        }
        if self.tool.preview().selected.is_some() {
            self.tool.select_object(None);
        } else if self.tool.put_back() {
            self.find_stamps_for_tool();
        } else if self.active().is_some_and(|open| open.document.selection.is_some()) {
            self.execute(Command::Select(ops::Select::default()));
        }
    }

    /// Hands a key to the numbers of the pending gesture.
    pub(super) fn type_number(&mut self, key: EntryKey) {
        if let Some(open) = self.documents.iter().find(|open| Some(open.id) == self.active) {
            self.tool.type_number(&open.document, key);
        }
    }

    pub(super) fn await_numbers(&mut self, first: TransformNumber) {
        if !self.has_selection() && !self.tool.has_clip() {
            return self.tell(Message::info("Nothing is selected"));
        }
        if !self.tool.can_transform() {
            self.select_tool(super::tools::TRANSFORM_TOOL);
        }
        if let Some(open) = self.documents.iter().find(|open| Some(open.id) == self.active) {
            self.tool.await_numbers(&open.document, first);
        }
    }

    /// Whether numbers of the selection are offered before the pointer did anything.
    pub fn awaits_numbers(&self) -> bool {
        self.active().is_some_and(|open| self.tool.awaits_numbers(&open.document))
    }

    /// The numbers of the pending gesture; none where nothing with numbers is pending.
    pub fn gesture_numbers(&self) -> GestureNumbers {
        self.active().map_or_else(GestureNumbers::default, |open| self.tool.numbers(&open.document))
    }

    /// Moves the selected object, or the selection: at once, or with what waits for Enter, and always so with the tool that moves it.
    pub(super) fn nudge(&mut self, by: IVec3) {
        if self.tool.can_nudge() {
            // What was begun goes first.
            self.tool.nudge(by);
        } else if let Some(id) = self.selected_object() {
            self.nudge_object(id, by);
        } else if self.shows_transforms() {
            let old = &self.tool.settings.transform;
            let transform = ops::TransformSelection { by: old.by.saturating_add(by), ..old.clone() };
            self.set_tools(ToolSettings { transform, ..self.tool.settings.clone() });
        } else {
            self.execute(Command::MoveSelection(ops::MoveSelection { by }));
        }
    }

    /// Moves an object, as far as the map goes.
    fn nudge_object(&mut self, id: ObjectId, by: IVec3) {
        let Some(document) = self.active().map(|open| &open.document) else { return };
        let Some(object) = document.objects.get(id) else { return };
        let (bounds, area) = (document.bounds().columns(), object.area());
        let within = |axis: usize, by: i32| {
            let [least, most] =
                [(bounds.min()[axis], area.min()[axis]), (bounds.max()[axis], area.max()[axis])].map(|(end, own)| end.saturating_sub(own));
            // One that reaches beyond the map already comes nearer to it, and goes no farther.
            by.clamp(least.min(0), most.max(0))
        };
        let moved = object.shifted(IVec3::new(within(0, by.x), within(1, by.y), by.z));
        if moved == *object {
            return self.tell(Message::info(if by.z == 0 { "The map ends there" } else { "Its height follows the ground" }));
        }
        self.execute(Command::SetObject(ops::SetObject { id, object: moved }));
    }

    /// Copies the selection at once, or with what waits for Enter: then the copy goes on with each step.
    pub(super) fn duplicate(&mut self, by: IVec3) {
        if by == IVec3::ZERO {
            if !self.has_selection() && !self.tool.has_clip() {
                return self.tell(Message::info("Nothing is selected"));
            }
            // A copy that goes nowhere yet has to be seen.
            self.finish_selecting();
            self.select_tool(super::tools::TRANSFORM_TOOL);
        }
        if self.tool.has_clip() {
            // What lies loose is a copy already.
            self.nudge(by);
        } else if self.shows_transforms() {
            let old = &self.tool.settings.transform;
            let transform = ops::TransformSelection { by: old.by.saturating_add(by), copies: old.copies.max(1), ..old.clone() };
            self.set_tools(ToolSettings { transform, ..self.tool.settings.clone() });
        } else if by == IVec3::ZERO && self.active().is_some_and(OpenDocument::is_busy) {
            // The selection is under way behind another step.
            self.tell(Message::info("The selection is not done yet: press it again then"));
        } else if by == IVec3::ZERO {
            self.tell(Message::info("Nothing is selected"));
        } else {
            self.execute(Command::CopySelection(ops::CopySelection { by }));
        }
    }

    /// Whether what moves or turns the selection is shown first, and waits for Enter.
    fn shows_transforms(&self) -> bool {
        self.tool.transforms() || (self.tool.can_transform() && self.active().is_some_and(|open| open.document.selection.is_some()))
    }

    /// Turns or flips the selection at once, or with what waits for Enter: always with the tool that moves it.
    pub(super) fn turn(&mut self, by: Orientation) {
        if self.shows_transforms() {
            let transform = self.tool.settings.transform.clone().turned(by);
            self.set_tools(ToolSettings { transform, ..self.tool.settings.clone() });
        } else if self.active().is_some_and(|open| open.document.selection.is_none()) {
            self.tell(Message::info("Nothing is selected"));
        } else {
            self.execute(Command::TransformSelection(ops::TransformSelection::default().turned(by)));
        }
    }

    pub(super) fn set_mode(&mut self, mode: Mode) {
        let document = self.documents.iter().find(|open| Some(open.id) == self.active).map(|open| &open.document);
        self.tool.set_mode(document, mode);
    }

    pub(super) fn set_tools(&mut self, settings: ToolSettings) {
        let document = self.documents.iter().find(|open| Some(open.id) == self.active).map(|open| &open.document);
        self.tool.set_settings(document, settings);
    }

    /// Whether something is selected, or will be before anything works with it.
    pub fn has_selection(&self) -> bool {
        self.tool.selects() || self.active().is_some_and(|open| open.document.selection.is_some())
    }

    /// Ends a gesture that is about to select, for what works with the selection. Its step is planned before others.
    pub fn finish_selecting(&mut self) {
        if self.tool.selects() {
            self.confirm();
        }
    }

    pub(super) fn confirm(&mut self) {
        let Some(open) = self.documents.iter().find(|open| Some(open.id) == self.active) else { return };
        let was_shown = self.tool.preview();
        let response = self.tool.confirm(&open.document);
        let is_refused = response.commands.is_empty();
        // No pointer is there to show it beside.
        if let Some(why) = self.take_response(response, was_shown).filter(|_| is_refused) {
            self.tell(Message::warning(why));
        }
    }

    pub(super) fn delete(&mut self) {
        let has_selection = self.active().is_some_and(|open| open.document.selection.is_some());
        match self.selected_object() {
            // A piece of the gesture goes first.
            _ if self.tool.erase() => {}
            Some(id) => self.execute(Command::RemoveObject(ops::RemoveObject { id })),
            None if has_selection => self.execute(Command::DeleteSelection(ops::DeleteSelection {})),
            None => self.tell(Message::info("Nothing is selected")),
        }
    }

    pub(super) fn select_all(&mut self) {
        let Some(bounds) = self.active().map(|open| open.document.bounds()) else { return };
        self.execute(Command::Select(ops::Select { region: Some(bounds), ..Default::default() }));
    }
}
