//! From a command to a step of the history: planned here or by a worker, committed, noted in the journal.

use std::time::{Duration, Instant};

use super::journal::JournalEntry;
use super::open_document::{Planning, Step};
use super::repeat::Origin;
use super::work::{JobDone, seconds_now};
use super::{DocumentId, Editor, JobId, JobMode, Message, OpenDocument};
use crate::document::{Progress, size_text};
use crate::edit::{Change, Command, EditError, Note, plan};

/// Commands that look at more voxels than this are planned by a worker (some 4 ms on a slow core).
pub(super) const INLINE_COST: u64 = 30_000;

/// After so long a script waits for the next frame, where its commands are so small that none goes to a worker.
const SCRIPT_TIME: Duration = Duration::from_millis(4);

/// After so many plans that did not fit any more, a command is planned on the main thread.
const MAX_FAILURES: u32 = 2;

impl Editor {
    /// Changes the active document. Small commands are done when this returns, large ones later; they
    /// keep their order, and undo keeps it with them.
    pub fn execute(&mut self, command: Command) {
        self.enqueue(Step::Do(command));
    }

    /// Gestures and what is selected mean nothing in another volume than the one before.
    fn follow_volume(&mut self, id: DocumentId, before: usize) {
        if self.document(id).is_some_and(|open| open.document.active() != before) {
            self.let_go_of(id);
            if self.active == Some(id) {
                self.tool.select_object(None);
            }
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

    /// Goes on with scripts whose commands are all small: they wait for each frame.
    pub(super) fn go_on_with_scripts(&mut self) {
        let waiting = |open: &&OpenDocument| open.script.is_some() && open.planning.is_none() && !open.queue.is_empty();
        let ids: Vec<DocumentId> = self.documents.iter().filter(waiting).map(OpenDocument::id).collect();
        ids.into_iter().for_each(|id| self.plan_queue(id));
    }

    /// Takes waiting steps of a document until one goes to a worker, or a script has had its share of the frame.
    pub(super) fn plan_queue(&mut self, id: DocumentId) {
        let (began, is_threaded) = (Instant::now(), self.jobs.mode() == JobMode::Threads);
        loop {
            let Some(open) = self.document_mut(id).filter(|open| open.planning.is_none()) else { return };
            let volume = open.document.active();
            match open.queue.pop_front() {
                Some(Step::Do(command)) => self.plan_one(id, command, Origin::Made),
                Some(Step::Elsewhere(command)) => self.plan_one(id, command, Origin::Elsewhere),
                Some(Step::Repeat(on)) => {
                    if let Some(command) = self.find_repeated(id, on) {
                        self.plan_one(id, command, Origin::Repeated(on));
                    }
                }
                Some(Step::BeginScript(name, place, symmetry, length)) => self.begin_script(id, name, place, symmetry, length),
                Some(step @ Step::Scripted(..)) if is_threaded && began.elapsed() > SCRIPT_TIME => {
                    // The window draws a frame; what is pumped then goes on.
                    open.queue.push_front(step);
                    return self.jobs.wake();
                }
                Some(Step::Scripted(line, command)) => self.script_step(id, line, command),
                Some(Step::EndScript) => self.end_script(id),
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
                None => {
                    open.waiting_ghosts.clear();
                    open.waiting_store = None;
                    return self.checkpoint(id);
                }
            }
            self.follow_volume(id, volume);
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
        open.waiting_store = None;
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
                    script.replay.take_notes(&mut change);
                }
                self.commit(id, change, JournalEntry::Do { command, at: seconds_now() });
            }
            Err(EditError::Cancelled(_)) => self.tell_unplanned(id, |at| Message::info(format!("{at}{}: cancelled", command.label()))),
            Err(error) if self.script_forgives(id, &command, &error) => {}
            Err(error) => self.tell_unplanned(id, |at| Message::error(format!("{at}{}: {error}", command.label()))),
        }
    }

    /// Tells why there is no step, after where it is in a script, which ends there.
    pub(super) fn tell_unplanned(&mut self, id: DocumentId, message: impl FnOnce(&str) -> Message) {
        let message = match self.break_off_script(id) {
            Some((name, line)) => {
                let rest = "The lines after it are not carried out; undo takes back those before it.";
                message(&format!("{name}: line {line}: ")).with_detail(rest)
            }
            None => message(""),
        };
        self.tell(message);
    }

    pub(super) fn commit(&mut self, id: DocumentId, change: Change, entry: JournalEntry) {
        for note in &change.notes {
            // What fell outside the map is gone.
            let is_loss = matches!(note, Note::Clipped { .. });
            let message = if is_loss { Message::warning(note.to_string()) } else { Message::info(note.to_string()) };
            if self.messages.last().is_none_or(|last| last.text != message.text) {
                self.tell(message);
            }
        }
        let Some(open) = self.document_mut(id) else { return };
        if change.is_empty() {
            let command = if let JournalEntry::Do { command, .. } = &entry { Some(command) } else { None };
            let masks = open.document.masks_at_work();
            let is_masked = command.is_some_and(Command::obeys_masks) && !masks.is_empty();
            let is_repeated = command.is_some() && command == open.last_command.as_ref();
            let told = match (is_masked, is_repeated) {
                _ if !change.notes.is_empty() => None,
                (true, _) => {
                    Some(format!("Nothing changed: the masks ({}) leave out everything there, or it is so already", masks.join(", ")))
                }
                _ if matches!(command, Some(Command::Scatter(_))) => Some(
                    "Nothing was scattered: nothing found a place there. More Density, a larger area or ground that is less steep may help"
                        .to_owned(),
                ),
                _ if matches!(command, Some(Command::RepairColumns(_))) => Some("No column needs repair".to_owned()),
                (false, true) => Some("Nothing changed: the last step has done it already. Point elsewhere to repeat it there".to_owned()),
                (false, false) => None,
            };
            if let Some(told) = told {
                self.tell(Message::info(told));
            }
            return;
        }
        let forgotten = open.history.forgotten();
        open.history.commit(&mut open.document, change);
        open.version += 1;
        open.note(entry);
        // Told once, with the first step that the file cannot take.
        let is_lost_on_view =
            open.is_view() && open.history.is_modified() && !std::mem::replace(&mut open.view_told, open.history.is_modified());
        self.free_dropped(id);
        if is_lost_on_view {
            let message = Message::info("This file can be looked at and exported, but edits cannot be saved to it");
            self.tell(message.with_detail("Its layout is old or unusual (Help, Log says where). Save the map under another kind of file."));
        }
        self.tell_if_forgotten(id, forgotten);
    }

    /// Tells once that the oldest steps of a map are forgotten, where so many were before: from then on it happens now and then, and the
    /// list of the steps says how many.
    pub(super) fn tell_if_forgotten(&mut self, id: DocumentId, before: usize) {
        let Some(open) = self.document(id).filter(|open| before == 0 && open.history.forgotten() > 0) else { return };
        let (title, size) = (open.title(), size_text(open.history.budget_bytes() as u64));
        let message = Message::info(format!("The oldest steps of {title} are forgotten: they cannot be undone any more"));
        self.tell(message.with_detail(format!("Its steps took more than {size}. The newest can still be undone.")));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::{IVec3, Vec3};

    use super::*;
    use crate::document::{Masks, Object, SymmetryKind, Team};
    use crate::edit::{History, ops};
    use crate::editor::settings::Settings;
    use crate::editor::storage::RealStorage;
    use crate::editor::{Action, EditorConfig, JobInfo, Jobs, NewMap, ScriptOrder};
    use crate::geom::{Axis, ColumnRect, Ray, Region};
    use crate::tool::{Modifiers, Phase, PointerInput};
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
        let off = ops::SetSymmetry::switched(&editor.documents[0].document.symmetry, SymmetryKind::Off);
        editor.act(Action::Edit(Command::SetSymmetry(off)));
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
        editor.act(Action::Edit(Command::SetMasks(ops::SetMasks(Masks { spawns: true, ..Masks::default() }))));
        editor.act(Action::Edit(set(9, 9)));
        let told =
            |editor: &Editor| editor.messages.last().is_some_and(|last| last.text.contains("spawn regions, of which there are none"));
        assert!(told(&editor), "{:?}", editor.messages.last());
        let object = Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([0, 0], [8, 8]), z: 0 };
        editor.act(Action::Edit(Command::AddObject(ops::AddObject(object))));
        editor.act(Action::Edit(set(9, 9)));
        assert!(!told(&editor), "{:?}", editor.messages.last());
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

    /// The map in front, with an edit that is planned until somebody cancels it.
    fn with_endless_edit(editor: &mut Editor) {
        editor.jobs = Jobs::new(JobMode::Threads, Arc::new(|| {}));
        begin_endless_edit(editor);
    }

    fn begin_endless_edit(editor: &mut Editor) {
        let (id, version) = (editor.documents[0].id, editor.documents[0].version);
        let work = |progress: &Progress| loop {
            if let Err(cancelled) = progress.check() {
                break JobDone::Planned(Err(cancelled.into()));
            }
        };
        let job = editor.jobs.spawn("Fill box".into(), Some(id), work);
        editor.documents[0].planning = Some(Planning { command: set(1, 1), origin: Origin::Made, failures: 0, job, version });
    }

    /// A click on the middle of the map, from above.
    fn click(editor: &mut Editor) {
        for phase in [Phase::Hover, Phase::Press, Phase::Release] {
            editor.pointer(&PointerInput {
                ray_in_world: Ray::new(Vec3::new(256.5, 256.5, 0.0), Vec3::Z),
                phase,
                modifiers: Modifiers::default(),
                voxels_per_pixel: 0.01,
                is_parallel: false,
            });
        }
    }

    #[test]
    fn what_is_drawn_while_an_edit_takes_long_is_shown_until_it_is_in_the_map() {
        let mut editor = editor_with(Settings::default());
        editor.act(Action::SelectTool("brush"));
        with_endless_edit(&mut editor);
        click(&mut editor);
        let waiting: Vec<_> = editor.documents[0].waiting_ghosts().iter().flat_map(|ghost| ghost.voxels.to_vec()).collect();
        assert!(!waiting.is_empty() && editor.documents[0].history.is_empty());
        editor.jobs.running().for_each(|job| job.progress.cancel());
        editor.finish_jobs();
        let open = &editor.documents[0];
        assert!(waiting.iter().all(|at| open.document.store().is_solid(*at)));
        assert!(open.waiting_ghosts().is_empty() && open.history.len() == 1);
    }

    #[test]
    fn what_a_gesture_showed_stays_in_sight_until_its_edit_is_in_the_map() {
        let mut editor = editor_with(Settings::default());
        editor.act(Action::SelectTool("terrain"));
        click(&mut editor);
        editor.finish_jobs();
        let shown = editor.tool.preview().store.unwrap();
        assert!(!shown.same_voxels(editor.documents[0].document.store()));
        editor.act(Action::Confirm);
        assert!(editor.documents[0].is_busy() && editor.tool.preview().store.is_none());
        assert!(editor.documents[0].waiting_store().unwrap().same_voxels(&shown));
        editor.finish_jobs();
        let open = &editor.documents[0];
        assert!(open.waiting_store().is_none() && open.document.store().same_voxels(&shown));
    }

    #[test]
    fn esc_stops_an_edit_that_takes_long_before_it_deselects() {
        let mut editor = editor_with(Settings::default());
        let select = ops::Select { region: Some(Region::of_size(IVec3::ONE)), ..Default::default() };
        editor.act(Action::Edit(Command::Select(select)));
        editor.finish_jobs();
        with_endless_edit(&mut editor);
        let is_cancelled = |editor: &Editor| editor.jobs.running().all(|job| job.progress.check().is_err());
        // What takes a moment is not seen, and nobody means it.
        while !editor.jobs.running().all(JobInfo::takes_long) {
            assert!(!is_cancelled(&editor));
        }
        editor.act(Action::Cancel);
        assert!(is_cancelled(&editor) && editor.documents[0].document.selection.is_some());
        editor.finish_jobs();
        assert_eq!(editor.messages().last().map(|told| told.text.as_str()), Some("Set voxel: cancelled"));
        editor.act(Action::Cancel);
        assert!(editor.documents[0].document.selection.is_none());
    }

    #[test]
    fn a_script_of_small_commands_leaves_frames_between_them_and_is_shown_and_stopped_as_a_whole() {
        const LINES: usize = 50_000;
        for is_planning in [false, true] {
            let mut editor = editor_with(Settings::default());
            editor.jobs = Jobs::new(JobMode::Threads, Arc::new(|| {}));
            let commands = (0..LINES).map(|number| (number + 2, set(number as i32 % 512, number as i32 / 512))).collect();
            editor.read_script(editor.documents[0].id, ScriptOrder::new("m/long.jsonl".into()), Ok(commands));
            let frame = editor.documents[0].history.head();
            assert!(editor.documents[0].is_busy() && (1..LINES).contains(&frame), "{frame} in one frame");
            editor.pump();
            let steps = editor.documents[0].history.head();
            assert!(steps > frame);
            if is_planning {
                begin_endless_edit(&mut editor);
            }
            let shown: Vec<&JobInfo> = editor.shown_jobs().collect();
            assert!(matches!(shown[..], [job] if job.name.starts_with("Run long.jsonl: line ") && job.progress.share() > 0.0), "{shown:?}");
            while !editor.shown_jobs().all(JobInfo::takes_long) {
                std::thread::yield_now();
            }
            editor.act(Action::Cancel);
            assert!(!editor.documents[0].is_busy() && editor.shown_jobs().all(|job| job.progress.check().is_err()));
            editor.finish_jobs();
            assert_eq!(editor.documents[0].history.head(), steps);
            let told: Vec<&Message> = editor.messages().iter().filter(|told| told.text.ends_with("cancelled")).collect();
            assert!(matches!(told[..], [told] if told.text.starts_with("long.jsonl: line ") && told.detail.is_some()), "{told:?}");
            // What is done then is done at once.
            editor.execute(set(7, 300));
            assert_eq!(editor.documents[0].history.head(), steps + 1);
        }
    }

    #[test]
    fn a_script_that_is_stopped_leaves_the_symmetry_as_it_was_and_the_next_one_runs() {
        let mut editor = editor_with(Settings::default());
        editor.jobs = Jobs::new(JobMode::Threads, Arc::new(|| {}));
        let id = editor.documents[0].id;
        let commands = |count: i32| Ok((0..count).map(|number| (number as usize + 2, set(number % 512, number / 512))).collect());
        let order = |name: &str| ScriptOrder { symmetry: Some(SymmetryKind::Turn180), ..ScriptOrder::new(name.into()) };
        editor.read_script(id, order("first.jsonl"), commands(50_000));
        editor.read_script(id, order("second.jsonl"), commands(3));
        let job = editor.shown_jobs().next().map(|job| job.id).unwrap();
        editor.act(Action::CancelJob(job));
        editor.finish_jobs();
        let open = &editor.documents[0];
        assert!(!open.is_busy() && open.script.is_none() && open.document.symmetry.kind == SymmetryKind::Off);
        let at = |x: i32, y: i32| open.document.store().voxel(IVec3::new(x, y, 9)).is_some();
        assert!(at(2, 0) && at(509, 511) && !at(511, 90));
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
