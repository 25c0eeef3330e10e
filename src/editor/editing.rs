//! Commands, undo and the tool's gestures on the active document.

use glam::IVec3;

use super::entry::EntryKey;
use super::journal::JournalEntry;
use super::open_document::{Planning, Step};
use super::repeat::Origin;
use super::work::{AfterCopy, JobDone, seconds_now};
use super::{DocumentId, Editor, JobId, Message, OpenDocument};
use crate::document::{ObjectId, Progress, Selection};
use crate::edit::{Change, Clip, Command, EditError, ops, plan};
use crate::geom::{Face, Orientation, VoxelPos};
use crate::tool::{ClipPlace, GestureNumbers, PointerInput, ToolResponse, ToolSettings, TransformNumber};

/// Commands that look at more voxels than this are planned by a worker (some 4 ms on a slow core).
const INLINE_COST: u64 = 30_000;

/// After so many plans that did not fit any more, a command is planned on the main thread.
const MAX_FAILURES: u32 = 2;

impl Editor {
    /// Changes the active document. Small commands are done when this returns, large ones later; they
    /// keep their order, and undo keeps it with them.
    pub fn execute(&mut self, command: Command) {
        if let Some(id) = self.active {
            self.make_way(id, &command);
        }
        self.enqueue(Step::Do(command));
    }

    /// Gestures and what is selected mean nothing in another volume.
    pub(super) fn make_way(&mut self, id: DocumentId, command: &Command) {
        if self.active == Some(id) && matches!(command, Command::SelectVolume(_)) {
            self.tool.renew();
            self.tool.select_object(None);
        }
    }

    /// Changes a document, whichever is in front.
    pub(super) fn execute_on(&mut self, id: DocumentId, command: Command) {
        if let Some(open) = self.document_mut(id) {
            open.queue.push_back(Step::Do(command));
            self.plan_queue(id);
        }
    }

    /// Changes the active document. A switch of masks or symmetry right after another one is one step with it.
    pub(super) fn execute_or_switch(&mut self, command: Command) {
        let labels = match &command {
            Command::SetSymmetry(op) if self.active().is_some_and(|open| op.moves_center(&open.document)) => return self.execute(command),
            Command::SetSymmetry(_) => ["Set symmetry", "Symmetry off"],
            Command::SetMasks(_) => ["Set masks", "Clear masks"],
            _ => return self.execute(command),
        };
        let goes_on = self.active().is_some_and(|open| {
            let is_same = |last: &Command| std::mem::discriminant(last) == std::mem::discriminant(&command);
            let history = &open.history;
            open.last_command.as_ref().is_some_and(is_same)
                && !open.is_busy()
                && history.may_replace_last()
                && history.last().is_some_and(|last| labels.contains(&&*last.label))
        });
        if goes_on {
            self.enqueue(Step::Undo);
        }
        self.execute(command);
    }

    pub(super) fn enqueue(&mut self, step: Step) {
        let Some(open) = self.active_mut() else { return };
        let id = open.id;
        open.queue.push_back(step);
        self.plan_queue(id);
    }

    /// Takes waiting steps of a document until one goes to a worker.
    pub(super) fn plan_queue(&mut self, id: DocumentId) {
        loop {
            let Some(open) = self.document_mut(id).filter(|open| open.planning.is_none()) else { return };
            match open.queue.pop_front() {
                Some(Step::Do(command)) => self.plan_one(id, command, Origin::Made),
                Some(Step::Elsewhere(command)) => self.plan_one(id, command, Origin::Elsewhere),
                Some(Step::Repeat(on)) => {
                    if let Some(command) = self.find_repeated(id, on) {
                        self.plan_one(id, command, Origin::Repeated(on));
                    }
                }
                Some(Step::BeginScript(place, symmetry, length)) => self.begin_script(id, place, symmetry, length),
                Some(Step::Scripted(command)) => self.script_step(id, command),
                Some(Step::EndScript(name)) => self.end_script(id, &name),
                Some(Step::Undo) => open.step(|history, document| history.undo(document).map(|_| JournalEntry::Undo)),
                Some(Step::Redo) => open.step(|history, document| history.redo(document).map(|_| JournalEntry::Redo)),
                // Noted step by step: a number would mean another step once the oldest are forgotten.
                Some(Step::Jump(steps)) => {
                    while open.history.head() > steps {
                        open.step(|history, document| history.undo(document).map(|_| JournalEntry::Undo));
                    }
                    while open.history.head() < steps.min(open.history.len()) {
                        open.step(|history, document| history.redo(document).map(|_| JournalEntry::Redo));
                    }
                }
                None => return self.checkpoint(id),
            }
        }
    }

    /// Plans a command here if it is small, else on a worker.
    fn plan_one(&mut self, id: DocumentId, command: Command, origin: Origin) {
        let Some(open) = self.document(id) else { return };
        if command.cost_in(&open.document) > INLINE_COST {
            return self.plan_on_worker(id, command, origin, 0);
        }
        let planned = plan(&open.document, &command, &Progress::new());
        self.finish_plan(id, command, origin, planned);
    }

    fn plan_on_worker(&mut self, id: DocumentId, command: Command, origin: Origin, failures: u32) {
        let Some((snapshot, version)) = self.document(id).map(|open| (open.document.clone(), open.version)) else { return };
        let planned = command.clone();
        let job =
            self.jobs.spawn(command.label().to_owned(), Some(id), move |progress| JobDone::Planned(plan(&snapshot, &planned, progress)));
        if let Some(open) = self.document_mut(id) {
            open.planning = Some(Planning { command, origin, failures, job, version });
        }
    }

    /// Takes in what a worker planned; plans again where the document has moved on.
    pub(super) fn planned(&mut self, id: DocumentId, job: JobId, result: Result<Change, EditError>) {
        let Some(open) = self.document_mut(id) else { return };
        let Some(planning) = open.planning.take_if(|planning| planning.job == job) else { return };
        let result = match result {
            Ok(change) if planning.version == open.version => Ok(change),
            Ok(_) if planning.failures + 1 < MAX_FAILURES => {
                return self.plan_on_worker(id, planning.command, planning.origin, planning.failures + 1);
            }
            Ok(_) => plan(&open.document, &planning.command, &Progress::new()),
            Err(error) => Err(error),
        };
        self.finish_plan(id, planning.command, planning.origin, result);
        self.plan_queue(id);
    }

    fn finish_plan(&mut self, id: DocumentId, command: Command, origin: Origin, result: Result<Change, EditError>) {
        if self.repeats_elsewhere(id, &command, origin, result.as_ref().ok()) {
            return;
        }
        match result {
            Ok(mut change) => {
                if let Some(script) = self.document_mut(id).and_then(|open| open.script.as_mut()) {
                    script.take_notes(&mut change);
                }
                self.commit(id, change, JournalEntry::Do { command, at: seconds_now() });
            }
            Err(EditError::Cancelled(_)) => self.tell(Message::info(format!("{}: cancelled", command.label()))),
            Err(error) if self.script_forgives(id, &command, &error) => {}
            Err(error) => self.tell(Message::error(format!("{}: {error}", command.label()))),
        }
    }

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
        self.tool.cancel();
        self.enqueue(Step::Jump(steps));
    }

    /// Hands a pointer event to the tool and executes what it answers. Answers the tool's status text.
    pub fn pointer(&mut self, input: &PointerInput) -> Option<String> {
        let open = self.documents.iter_mut().find(|open| Some(open.id) == self.active)?;
        let response = self.tool.pointer(&open.document, input);
        let status = self.take_response(response);
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

    fn take_response(&mut self, response: ToolResponse) -> Option<String> {
        for command in response.commands {
            self.execute(command);
        }
        response.status
    }

    /// Takes the last step of the gesture back, as [`Action::Cancel`](super::Action::Cancel) does first; answers whether there was one.
    pub fn step_back(&mut self) -> bool {
        let document = self.documents.iter().find(|open| Some(open.id) == self.active).map(|open| &open.document);
        let stepped = document.is_some_and(|document| self.tool.step_back(document));
        if stepped {
            self.preview_gesture();
        }
        stepped
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
        let ToolResponse { commands, status, .. } = self.tool.confirm(&open.document);
        // No pointer is there to show it beside.
        if let Some(why) = status.filter(|_| commands.is_empty()) {
            self.tell(Message::warning(why));
        }
        for command in commands {
            self.execute(command);
        }
    }

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
        let Some(open) = self.documents.iter().find(|open| Some(open.id) == self.active) else { return };
        let at = open.document.selection.as_ref().map_or(from, |selection| selection.bounds().min());
        // Nothing changes before Enter.
        let place = on.map_or(ClipPlace::At(at), |(pos, face)| ClipPlace::On(pos, face));
        self.tool.take_clip(&open.document, clip, place);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::document::{Masks, SymmetryKind};
    use crate::edit::History;
    use crate::editor::settings::Settings;
    use crate::editor::storage::RealStorage;
    use crate::editor::{Action, EditorConfig, JobMode, NewMap};
    use crate::geom::{Axis, Region};
    use crate::voxel::Rgb;

    fn editor_with(settings: Settings) -> Editor {
        let mut editor = Editor::new(EditorConfig {
            storage: Arc::new(RealStorage),
            jobs: JobMode::Inline,
            waker: Arc::new(|| {}),
            journal_folder: None,
            versions_folder: None,
            settings_file: None,
            settings,
        });
        editor.act(Action::New(NewMap::starter()));
        editor.finish_jobs();
        editor
    }

    fn set(x: i32, y: i32) -> Command {
        Command::Set(ops::Set { at: IVec3::new(x, y, 9), color: Rgb::new(1, 2, 3) })
    }

    #[test]
    fn switches_that_follow_one_another_are_one_step() {
        let mut editor = editor_with(Settings::default());
        let steps = |editor: &Editor| (editor.documents[0].history.head(), editor.documents[0].history.len());
        let kind = |editor: &Editor| editor.documents[0].document.symmetry.kind;
        for _ in 0..3 {
            editor.act(Action::CycleSymmetry);
        }
        assert_eq!((steps(&editor), kind(&editor)), ((1, 1), SymmetryKind::MirrorBoth));
        editor.act(Action::ToggleMirror(Axis::X));
        assert_eq!((steps(&editor), kind(&editor)), ((1, 1), SymmetryKind::MirrorY));
        editor.act(Action::ToggleMirror(Axis::Y));
        assert_eq!((steps(&editor), kind(&editor)), ((1, 1), SymmetryKind::Off));
        // Masks are switches of their own, and a stroke ends the row.
        let masks = |below| Command::SetMasks(ops::SetMasks(Masks { z: Some([0, below]), ..Masks::default() }));
        editor.act(Action::CycleSymmetry);
        editor.act(Action::Edit(masks(30)));
        editor.act(Action::Edit(masks(20)));
        assert_eq!(steps(&editor), (2, 2));
        editor.act(Action::Edit(set(9, 9)));
        editor.act(Action::Edit(masks(30)));
        let before = steps(&editor).0;
        editor.act(Action::Undo);
        assert_eq!(editor.documents[0].document.masks.z, Some([0, 20]));
        // What was undone can be done again: no switch takes the place of a step before it.
        editor.act(Action::Edit(masks(30)));
        assert_eq!(steps(&editor), (before, before));
    }

    #[test]
    fn moving_the_center_of_the_symmetry_is_a_step_of_its_own() {
        let mut editor = editor_with(Settings::default());
        editor.act(Action::CycleSymmetry);
        for x in [40, 44] {
            let moved = editor.documents[0].document.symmetry.as_ref().clone().centered([x, 4]);
            editor.act(Action::Edit(Command::SetSymmetry(ops::SetSymmetry::to(&moved))));
        }
        editor.act(Action::CycleSymmetry);
        let labels: Vec<_> = editor.documents[0].history.entries().map(|entry| entry.label.to_string()).collect();
        assert_eq!(labels, ["Set symmetry", "Move symmetry center", "Move symmetry center", "Set symmetry"]);
    }

    #[test]
    fn the_map_of_a_start_that_comes_after_another_one_is_not_shown() {
        let mut editor = editor_with(Settings::default());
        let document = editor.documents[0].document.clone();
        editor.made(&NewMap::starter(), true, Ok(document.clone()));
        assert_eq!(editor.documents.len(), 1);
        editor.made(&NewMap::starter(), false, Ok(document));
        assert_eq!(editor.documents.len(), 2, "it was asked for");
    }

    #[test]
    fn an_edit_that_the_masks_leave_out_says_so() {
        let mut editor = editor_with(Settings::default());
        let region = Some(Region::of_size(IVec3::ONE));
        editor.act(Action::Edit(Command::Select(ops::Select { region, ..Default::default() })));
        editor.act(Action::Edit(Command::SetMasks(ops::SetMasks(Masks { selection: true, ..Masks::default() }))));
        let head = editor.documents[0].history.head();
        editor.act(Action::Edit(set(9, 9)));
        assert_eq!(editor.documents[0].history.head(), head);
        assert!(editor.messages.last().is_some_and(|last| last.text.contains("masks")), "{:?}", editor.messages.last());
    }

    #[test]
    fn planning_that_breaks_off_leaves_the_map_and_what_waits_goes_on() {
        let mut editor = editor_with(Settings::default());
        let (id, version, before) = (editor.documents[0].id, editor.documents[0].version, editor.documents[0].document.store().clone());
        let job = editor.jobs.spawn("Fill box".into(), Some(id), |_| panic!("oh no"));
        editor.documents[0].planning = Some(Planning { command: set(1, 1), origin: Origin::Made, failures: 0, job, version });
        editor.execute(set(2, 2));
        assert!(editor.documents[0].history.is_empty() && editor.documents[0].document.store().same_voxels(&before), "it waits");
        editor.finish_jobs();
        let told = editor.messages().iter().find(|message| message.is_error).expect("it is told");
        assert!(told.text.contains("Fill box") && told.text.contains("oh no"), "{told:?}");
        let open = &editor.documents[0];
        assert!(open.planning.is_none() && open.history.len() == 1);
        assert!(open.document.store().is_solid(IVec3::new(2, 2, 9)) && !open.document.store().is_solid(IVec3::new(1, 1, 9)));
        editor.execute(set(3, 3));
        assert_eq!(editor.documents[0].history.len(), 2);
    }

    #[test]
    fn a_history_of_one_megabyte_forgets_and_says_of_what_size() {
        let mut settings = Settings::default();
        settings.memory.history_megabytes = 1;
        let mut editor = editor_with(settings);
        let told = |editor: &Editor| editor.messages().iter().find(|message| message.text.contains("forgotten")).cloned();
        for number in 0..20_000 {
            editor.execute(set(32 * (number % 16), number / 16 % 512));
            if told(&editor).is_some() {
                break;
            }
            assert!(editor.documents[0].history.held_bytes() <= 1_000_000);
        }
        let told = told(&editor).expect("the oldest steps are forgotten");
        assert!(told.detail.as_deref().is_some_and(|detail| detail.contains(" 1 MB")), "{told:?}");
        let history = &editor.documents[0].history;
        assert!(history.forgotten() > 0 && (500_000..=1_000_000).contains(&history.held_bytes()));
    }

    #[test]
    fn a_history_that_forgets_says_so_once() {
        let mut editor = editor_with(Settings::default());
        editor.documents[0].history = History::with_budget(50_000);
        let told = |editor: &Editor| editor.messages().iter().filter(|message| message.text.contains("forgotten")).count();
        editor.execute(Command::Set(ops::Set { at: IVec3::new(3, 3, 9), color: Rgb::new(1, 2, 3) }));
        assert_eq!(told(&editor), 0);
        for x in 0..60 {
            editor.execute(Command::Set(ops::Set { at: IVec3::new(256 + x % 8, 256, 60), color: Rgb::new(x as u8, 2, 3) }));
        }
        assert!(editor.documents[0].history.forgotten() > 0);
        assert_eq!(told(&editor), 1, "{:?}", editor.messages());
    }
}
