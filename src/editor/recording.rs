//! Recording steps as a script, and running a script.
//!
//! A script is what `apply` reads: a line for the version, then one command a line. It runs step by step, each to
//! be undone by itself, where it was recorded or elsewhere, and under the map's symmetry or one of its own.

use std::path::PathBuf;
use std::sync::Arc;

use super::journal::JournalEntry;
use super::open_document::{RunningScript, Step};
use super::storage::{StorageError, write_file};
use super::work::{JobDone, file_name};
use super::{DocumentId, Editor, Message, Request};
use crate::document::{Document, Masks, Selection, SymmetryKind};
use crate::edit::ops::{Select, SetMasks, SetSymmetry};
use crate::edit::{BYTE_ORDER_MARK, COMMAND_VERSION, Command, EditError, Replay, ReplayPlace, SyntaxError};

/// Longest script that is read.
const SCRIPT_LIMIT: u64 = 64 << 20;
/// Most commands of a script that the window runs.
const MOST_COMMANDS: usize = 10_000;

/// A script to run on the document in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptOrder {
    /// The script.
    pub path: PathBuf,
    /// Where it runs.
    pub place: ReplayPlace,
    /// The symmetry that it runs under, about the middle of the map; without one that of the map, and what the script says.
    pub symmetry: Option<SymmetryKind>,
}

impl ScriptOrder {
    /// A script that runs where it was recorded.
    pub fn new(path: PathBuf) -> Self {
        Self { path, place: ReplayPlace::default(), symmetry: None }
    }
}

/// The steps of a map since the recording began.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The selected box, masks and symmetry as they stood when it began, where they are on.
    scene: Vec<Command>,
    commands: Vec<Command>,
    undone: Vec<Command>,
    /// Steps from before it began that are undone now: the next steps done again are these.
    undone_before: usize,
}

impl Recording {
    /// Begins one under the selection, the masks and the symmetry of the map: edits mean what they did under these only. A selection
    /// that is no box has no command.
    fn under(document: &Document) -> Self {
        let masks = (*document.masks != Masks::default()).then(|| Command::SetMasks(SetMasks((*document.masks).clone())));
        let symmetry = document.symmetry.is_on().then(|| Command::SetSymmetry(SetSymmetry::to(&document.symmetry)));
        let region = document.selection.as_ref().and_then(Selection::as_region);
        let selected = region.map(|region| Command::Select(Select { region: Some(region), ..Select::default() }));
        Self { scene: selected.into_iter().chain(masks).chain(symmetry).collect(), ..Self::default() }
    }

    /// Notes what was done: a step that is taken back is no part of the script.
    pub(super) fn note(&mut self, entry: &JournalEntry) {
        match entry {
            JournalEntry::Do { command, .. } => {
                self.commands.push(command.clone());
                self.undone.clear();
                self.undone_before = 0;
            }
            JournalEntry::Undo => match self.commands.pop() {
                Some(command) => self.undone.push(command),
                None => self.undone_before += 1,
            },
            JournalEntry::Redo if self.undone_before > 0 => self.undone_before -= 1,
            JournalEntry::Redo => self.commands.extend(self.undone.pop()),
            _ => {}
        }
    }

    /// Steps so far.
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// As a script.
    fn text(&self) -> String {
        let lines = self.scene.iter().chain(&self.commands).filter_map(|command| serde_json::to_string(command).ok());
        std::iter::once(format!("{{\"spadework\":{COMMAND_VERSION}}}")).chain(lines).map(|line| line + "\n").collect()
    }
}

/// Steps of a map as a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedScript {
    /// The map.
    pub document: DocumentId,
    /// The script.
    pub text: Arc<str>,
}

/// How the writing of a script ended.
#[derive(Debug)]
pub(super) enum ScriptWritten {
    /// It is there.
    Done,
    /// A file of that name was there before.
    Exists,
    /// It cannot be written.
    Failed(StorageError),
}

/// Why a script cannot be run.
#[derive(Debug, thiserror::Error)]
pub(super) enum ScriptError {
    /// The file cannot be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A line is no command.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// It is too long.
    #[error("it has more than {MOST_COMMANDS} commands; the command `apply` runs it")]
    TooMany,
}

/// The commands of a script, each with its line.
fn parse(text: &[u8]) -> Result<Vec<(usize, Command)>, ScriptError> {
    let mut commands = vec![];
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        let is_head =
            || serde_json::from_slice::<serde_json::Value>(line).is_ok_and(|head| head.get("spadework") == Some(&COMMAND_VERSION.into()));
        if line.is_empty() || line.starts_with(b"#") || (commands.is_empty() && is_head()) {
            continue;
        }
        let command = serde_json::from_slice(line).map_err(|reason| SyntaxError::new(index as u64 + 1, &reason))?;
        commands.push((index + 1, command));
        if commands.len() > MOST_COMMANDS {
            return Err(ScriptError::TooMany);
        }
    }
    Ok(commands)
}

impl Editor {
    /// Begins to record the steps of the map in front, or asks where to write them: it ends once they are written.
    pub(super) fn toggle_recording(&mut self) {
        let Some(open) = self.active_mut() else { return };
        match &open.recording {
            None => {
                open.recording = Some(Recording::under(&open.document));
                let is_left_out = open.document.selection.as_ref().is_some_and(|selection| selection.as_region().is_none());
                let end = "The same entry of the menu ends it and asks for a file.";
                let detail =
                    if is_left_out { format!("{end} What is selected is no box: the script begins without it.") } else { end.into() };
                self.tell(Message::info("Recording steps").with_detail(detail));
            }
            Some(recording) if recording.is_empty() => {
                open.recording = None;
                self.tell(Message::info("Nothing was recorded"));
            }
            Some(recording) => {
                let script = RecordedScript { document: open.id, text: recording.text().into() };
                self.requests.push(Request::ScriptPath(script));
            }
        }
    }

    /// Ends the recording of a map; what was recorded is gone.
    pub(super) fn drop_recording(&mut self, id: DocumentId) {
        if let Some(open) = self.document_mut(id) {
            open.recording = None;
        }
    }

    /// Whether a script is all that was recorded of its map, and the recording goes on.
    pub fn records(&self, script: &RecordedScript) -> bool {
        let recording = self.document(script.document).and_then(|open| open.recording.as_ref());
        recording.is_some_and(|recording| recording.text() == *script.text)
    }

    pub(super) fn write_script(&mut self, path: PathBuf, script: RecordedScript) {
        let storage = self.storage.clone();
        self.jobs.spawn_writing(format!("Writing {}", file_name(&path)), None, move |_| {
            let written = match storage.exists(&path) {
                Ok(true) => ScriptWritten::Exists,
                Ok(false) => match write_file(&*storage, &path, script.text.as_bytes()) {
                    Ok(()) => ScriptWritten::Done,
                    Err(error) => ScriptWritten::Failed(error),
                },
                Err(error) => ScriptWritten::Failed(error),
            };
            JobDone::WroteScript(path, script, written)
        });
    }

    pub(super) fn wrote_script(&mut self, path: PathBuf, script: RecordedScript, written: ScriptWritten) {
        let name = file_name(&path);
        match written {
            ScriptWritten::Done => {
                self.tell(Message::info(format!("Wrote {name}")).with_detail("Run it on any map here, or with `spadework apply`."));
                // Steps that were made meanwhile are in no file yet: then it goes on.
                if self.records(&script) {
                    self.drop_recording(script.document);
                }
                return;
            }
            ScriptWritten::Exists => {
                self.tell(Message::error(format!("{name} exists already")).with_detail("Choose another name for the script."));
            }
            ScriptWritten::Failed(error) => self.tell(Message::error(format!("Cannot write the script: {error}"))),
        }
        // What was recorded is not lost: another name will do.
        self.requests.push(Request::ScriptPath(script));
    }

    /// Reads a script and runs it on the map in front.
    pub(super) fn run_script(&mut self, order: ScriptOrder) {
        let Some(id) = self.active().map(|open| open.id()) else { return };
        let storage = self.storage.clone();
        self.jobs.spawn(format!("Reading {}", file_name(&order.path)), Some(id), move |_| {
            let commands = storage.read(&order.path, SCRIPT_LIMIT).map_err(ScriptError::from).and_then(|text| parse(&text));
            JobDone::ReadScript(order, commands)
        });
    }

    pub(super) fn read_script(&mut self, id: DocumentId, order: ScriptOrder, commands: Result<Vec<(usize, Command)>, ScriptError>) {
        match commands {
            Ok(commands) => {
                let Some(open) = self.document_mut(id) else { return };
                let steps = commands.into_iter().map(|(line, command)| Step::Scripted(line, command));
                let begin = Step::BeginScript(file_name(&order.path), order.place, order.symmetry, steps.len());
                open.queue.extend(std::iter::once(begin).chain(steps).chain([Step::EndScript]));
                self.plan_queue(id);
            }
            Err(error) => {
                let message = Message::error(format!("Cannot run {}: {error}", file_name(&order.path)));
                self.tell(message.with_detail("Nothing was changed."));
            }
        }
    }

    /// The next so many steps of the queue are a script's.
    pub(super) fn begin_script(&mut self, id: DocumentId, name: String, place: ReplayPlace, symmetry: Option<SymmetryKind>, length: usize) {
        let job = self.jobs.hold(format!("Run {name}"), id);
        let Some(open) = self.document_mut(id) else { return };
        let script =
            open.queue.iter().take(length).filter_map(|step| if let Step::Scripted(_, command) = step { Some(command) } else { None });
        let replay = Replay::begin(place.offset(script), symmetry, &open.document);
        open.do_first(replay.opening());
        open.script = Some(RunningScript { name, replay, line: 0, length, done: 0, job });
    }

    /// Puts what runs in place of a script's command before what waits.
    pub(super) fn script_step(&mut self, id: DocumentId, line: usize, command: Command) {
        let Some(open) = self.document_mut(id) else { return };
        let document = &open.document;
        let Some(script) = &mut open.script else { return open.do_first([command]) };
        let (told, share) = (format!("Run {}: line {line}", script.name), script.done as f32 / script.length.max(1) as f32);
        (script.line, script.done) = (line, script.done + 1);
        let (job, commands) = (script.job, script.replay.commands(&command, document));
        open.do_first(commands);
        if let Some(job) = self.jobs.held(job) {
            job.name = told;
            // Whoever cancels it stops the script at once.
            job.progress.report(share).ok();
        }
    }

    /// Puts the map's symmetry back and tells how it went.
    pub(super) fn end_script(&mut self, id: DocumentId) {
        let Some(open) = self.document_mut(id) else { return };
        let Some(RunningScript { name, replay, job, .. }) = open.script.take() else { return };
        open.do_first(replay.closing(&open.document));
        self.jobs.let_go(job);
        let told = replay.told();
        if !told.is_empty() {
            self.tell(Message::info(format!("Ran {name}")).with_detail(told.join("\n")));
        }
    }

    /// Ends the script that runs, in the line that could not be carried out or was cancelled: those after it do not run. Answers its
    /// name and that line; nothing where none runs.
    pub(super) fn break_off_script(&mut self, id: DocumentId) -> Option<(String, usize)> {
        let open = self.document_mut(id)?;
        let RunningScript { name, replay, line, job, .. } = open.script.take()?;
        let end = open.queue.iter().position(|step| matches!(step, Step::EndScript)).map_or(0, |end| end + 1);
        open.queue.drain(..end);
        open.do_first(replay.closing(&open.document));
        self.jobs.let_go(job);
        Some((name, line))
    }

    /// Stops the script that runs, without the line that it has come to, and tells so.
    pub(super) fn stop_script(&mut self, id: DocumentId) {
        let Some(open) = self.document_mut(id).filter(|open| open.script.is_some()) else { return };
        // What it answers is of no use any more.
        let planning = open.planning.take();
        open.waiting_store = None;
        planning.into_iter().for_each(|planning| self.jobs.cancel(planning.job));
        self.tell_unplanned(id, |at| Message::info(format!("{at}cancelled")));
        self.plan_queue(id);
    }

    /// Whether an error of a script's command is no more than that it was moved; then the script goes on.
    pub(super) fn script_forgives(&mut self, id: DocumentId, command: &Command, error: &EditError) -> bool {
        let Some(open) = self.document_mut(id) else { return false };
        let instead = open.script.as_mut().and_then(|script| script.replay.in_place_of(command, error));
        instead.map(|commands| open.do_first(commands)).is_some()
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::{GameProfile, Progress, Symmetry};
    use crate::edit::{History, plan};
    use crate::geom::Region;
    use crate::voxel::Store;

    fn set(x: i32) -> JournalEntry {
        let command = serde_json::from_str(&format!(r##"{{"set":{{"at":[{x},2,60],"color":"#ff8000"}}}}"##)).unwrap();
        JournalEntry::Do { command, at: 1 }
    }

    #[test]
    fn what_was_taken_back_is_no_part_of_the_script() {
        let mut recording = Recording::default();
        for entry in
            [set(1), set(2), JournalEntry::Undo, set(3), JournalEntry::Undo, JournalEntry::Redo, JournalEntry::Saving { number: 1 }]
        {
            recording.note(&entry);
        }
        let text = recording.text();
        assert_eq!(text.lines().next(), Some("{\"spadework\":1}"));
        let commands = parse(text.as_bytes()).unwrap();
        let expected: Vec<_> = [set(1), set(3)]
            .into_iter()
            .map(|entry| if let JournalEntry::Do { command, .. } = entry { Some(command) } else { None })
            .collect();
        assert_eq!(commands.into_iter().map(|(_, command)| Some(command)).collect::<Vec<_>>(), expected);
        assert_eq!(parse(&[BYTE_ORDER_MARK, text.as_bytes()].concat()).unwrap().len(), 2, "as some text editors write it");
    }

    #[test]
    fn steps_from_before_the_recording_are_no_part_of_it_whatever_is_undone() {
        let mut recording = Recording::default();
        let undo = || JournalEntry::Undo;
        for entry in [set(1), undo(), undo(), JournalEntry::Redo] {
            recording.note(&entry);
        }
        assert_eq!(recording.len(), 0, "what was done again is older");
        recording.note(&JournalEntry::Redo);
        assert_eq!(recording.len(), 1);
    }

    #[test]
    fn a_script_begins_with_what_is_selected_the_masks_and_the_symmetry() {
        let mut document = Document::new(Store::new(Region::of_size(IVec3::splat(8))), &GameProfile::ACE_OF_SPADES);
        assert_eq!(Recording::under(&document).text().lines().count(), 1);
        let area = Region::new(IVec3::ONE, IVec3::splat(4));
        document.selection = Selection::of_region(area);
        document.masks = Arc::new(Masks { selection: true, z: Some([1, 2]), ..Masks::default() });
        let symmetry = Symmetry { kind: SymmetryKind::MirrorX, ..(*document.symmetry).clone() };
        document.symmetry = Arc::new(symmetry);
        let mut replayed = Document::new(document.store().clone(), &GameProfile::ACE_OF_SPADES);
        for (_, command) in parse(Recording::under(&document).text().as_bytes()).unwrap() {
            let change = plan(&replayed, &command, &Progress::new()).unwrap();
            History::new().commit(&mut replayed, change);
        }
        assert_eq!((&replayed.masks, &replayed.symmetry), (&document.masks, &document.symmetry));
        assert_eq!(replayed.selection.map(|selection| selection.bounds()), Some(area));
    }

    #[test]
    fn a_broken_script_is_refused_with_its_line() {
        let text = b"{\"spadework\":1}\n# a note\n\n{\"dig\":{}}\n";
        let told = |text: &[u8]| parse(text).unwrap_err().to_string();
        assert!(told(text).starts_with("line 4, column "), "{}", told(text));
        assert!(told(b"{\"spadework\":99}").starts_with("line 1, column 12: there is no name \"spadework\" here; there are "));
        assert_eq!(parse(b"").unwrap(), vec![]);
    }
}
