//! A document that is open: its voxels, its steps, its file, and what is being planned for it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::JobId;
use super::checkpoint::Checkpoint;
use super::claim::ClaimWatch;
use super::files::Stamps;
use super::journal::{Journal, JournalEntry};
use super::lag::Lag;
use super::recording::Recording;
use super::repeat::Origin;
use super::storage::FileLock;
use super::tools::LeftTools;
use crate::check::Problem;
use crate::document::{Document, ObjectId, Options, Snapshot, Swatch, SymmetryKind};
use crate::edit::{Command, History, HistoryMark, Replay, ReplayPlace};
use crate::format::{Report, Warning, map_format};
use crate::geom::{Face, VoxelPos};
use crate::tool::Ghost;
use crate::voxel::{Rgb, Store};

/// Names an open document; never given twice in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub(super) u32);

/// Where a document came from and where it is saved to.
#[derive(Clone, Debug, Default)]
pub struct FileLink {
    /// The map file; `None` for a new map that was never saved.
    pub path: Option<PathBuf>,
    /// Id of its format.
    pub format: Option<&'static str>,
    /// Options it was read with and is written with.
    pub options: Options,
    /// How the files looked when they were last read or written.
    pub stamps: Stamps,
    /// Whether the map was never read from this file nor saved to it: it is where it was to go when work on it was cut short.
    pub is_yet_to_be_written: bool,
}

/// A document in a tab.
#[derive(Debug)]
pub struct OpenDocument {
    pub(super) id: DocumentId,
    pub(super) document: Document,
    pub(super) history: History,
    pub(super) version: u64,
    pub(super) file: FileLink,
    /// Name of a map that has no file yet.
    pub(super) new_name: String,
    pub(super) journal: Option<Journal>,
    /// When the next recovery snapshot is due.
    pub(super) checkpoint: Checkpoint,
    /// The last command, to be done once more.
    pub(super) last_command: Option<Command>,
    /// What is recorded as a script.
    pub(super) recording: Option<Recording>,
    /// The script that runs.
    pub(super) script: Option<RunningScript>,
    /// Tells other windows that the map is open here.
    pub(super) claim: Option<(FileLock, PathBuf)>,
    /// The job that looks whether that still holds, and has it meanwhile.
    pub(super) claiming: Option<JobId>,
    /// It was lost, and could not be had again so far.
    pub(super) is_claim_lost: bool,
    /// Another process, or another tab, has the file open, as far as it is known: what looks whether that still is so.
    pub(super) elsewhere: Option<ClaimWatch>,
    pub(super) queue: VecDeque<Step>,
    pub(super) planning: Option<Planning>,
    /// What gestures covered whose commands are planned or wait.
    pub(super) waiting_ghosts: Vec<Ghost>,
    /// The map as the one gesture showed it whose command is planned.
    pub(super) waiting_store: Option<Store>,
    /// The job that writes it to its file.
    pub(super) saving: Option<JobId>,
    /// A file that others changed since, as it was found last, and what was known of the files then.
    pub(super) changed_by_others: Option<(Stamps, PathBuf)>,
    /// The state that the last save began with.
    pub(super) saving_state: Option<HistoryMark>,
    /// The job that reads its file again; none once a step was made that it would drop.
    pub(super) reverting: Option<JobId>,
    /// The job that repeats the steps from before the snapshot that it was restored from.
    pub(super) rebuilding: Option<JobId>,
    /// Whether it was restored, and steps from before that cannot be undone.
    pub(super) is_without_older_steps: bool,
    /// Saves that began, for the journal.
    pub(super) saves: u64,
    /// Whether it was told that its file takes no edits.
    pub(super) view_told: bool,
    /// Whether it was told that its journal failed, and whether for the rest of the session.
    pub(super) journal_failure_told: Option<bool>,
    /// Whether the journal's disk keeps up.
    pub(super) lag: Lag,
    /// What opening, saving or checking had to tell.
    pub(super) report: Report,
    pub(super) most_used: Vec<Rgb>,
    /// The job that counts them.
    pub(super) counting: Option<JobId>,
    /// The version in which they were counted last, and when they may be again.
    pub(super) counted: Option<(u64, Instant)>,
    pub(super) saved_at: Option<std::time::Instant>,
    /// Problems that the user was asked about before saving: what kind, and of which objects.
    pub(super) told_problems: Vec<(&'static str, Vec<ObjectId>)>,
    /// What the checks found, and in which version.
    pub(super) problems: (u64, Vec<Problem>),
    /// The job that checks it.
    pub(super) checking: Option<JobId>,
    /// Losses that the user agreed to when the map was last saved to its file: told again, not asked again.
    pub(super) agreed_losses: Vec<Warning>,
    /// Whether it is the map that a start shows, which makes room for the first file.
    pub(super) is_starter: bool,
    /// What was begun on it with the tools, while another map is in front.
    pub(super) left: Option<LeftTools>,
    /// The palette that it was given in this session.
    pub(super) swatches: Option<Vec<Swatch>>,
    /// The palettes before it, the latest last; `None` is what a map begins with.
    pub(super) older_swatches: Vec<Option<Vec<Swatch>>>,
}

/// What changes a document, in the order in which it was asked for.
#[derive(Debug)]
pub(super) enum Step {
    Do(Command),
    /// The last command once more, where it was done or on the face under the pointer.
    Repeat(Option<(VoxelPos, Face)>),
    /// The last command changed nothing where it was done, and is tried at the pointer.
    Elsewhere(Command),
    /// So many commands of a script follow; it runs there and under that symmetry.
    BeginScript(String, ReplayPlace, Option<SymmetryKind>, usize),
    /// A command of a script, and its line.
    Scripted(usize, Command),
    /// The script is done.
    EndScript,
    Undo,
    Redo,
    Jump(usize),
}

/// A script that runs.
#[derive(Debug)]
pub(super) struct RunningScript {
    pub(super) name: String,
    pub(super) replay: Replay,
    /// The line that it has come to.
    pub(super) line: usize,
    /// Its commands, and how many of them are done.
    pub(super) length: usize,
    pub(super) done: usize,
    /// Shows how far it is.
    pub(super) job: JobId,
}

/// A command that a worker is planning.
#[derive(Debug)]
pub(super) struct Planning {
    pub(super) command: Command,
    pub(super) origin: Origin,
    pub(super) failures: u32,
    /// Answers of other jobs are about a document that is no more.
    pub(super) job: JobId,
    /// The document's version that it is planned on.
    pub(super) version: u64,
}

impl OpenDocument {
    pub(super) fn new(id: DocumentId, document: Document, new_name: String) -> Self {
        Self {
            id,
            document,
            history: History::new(),
            version: 1,
            file: FileLink::default(),
            new_name,
            journal: None,
            checkpoint: Checkpoint::default(),
            last_command: None,
            recording: None,
            script: None,
            claim: None,
            claiming: None,
            is_claim_lost: false,
            elsewhere: None,
            queue: VecDeque::new(),
            planning: None,
            waiting_ghosts: vec![],
            waiting_store: None,
            saving: None,
            saving_state: None,
            changed_by_others: None,
            reverting: None,
            rebuilding: None,
            is_without_older_steps: false,
            saves: 0,
            view_told: false,
            journal_failure_told: None,
            lag: Lag::default(),
            report: Report::new(),
            most_used: vec![],
            counting: None,
            counted: None,
            saved_at: None,
            told_problems: vec![],
            problems: (0, vec![]),
            checking: None,
            agreed_losses: vec![],
            is_starter: false,
            left: None,
            swatches: None,
            older_swatches: vec![],
        }
    }

    /// Puts commands before all that waits, in their order.
    pub(super) fn do_first(&mut self, commands: impl IntoIterator<Item = Command, IntoIter: DoubleEndedIterator>) {
        commands.into_iter().rev().for_each(|command| self.queue.push_front(Step::Do(command)));
    }

    /// Goes along the history; the journal gets what `step` answers.
    pub(super) fn step(&mut self, step: impl FnOnce(&mut History, &mut Document) -> Option<JournalEntry>) {
        let Some(entry) = step(&mut self.history, &mut self.document) else { return };
        self.version += 1;
        self.note(entry);
    }

    /// Writes an entry to the journal.
    pub(super) fn note(&mut self, entry: JournalEntry) {
        // Nobody agreed to drop this step.
        self.reverting = None;
        if let JournalEntry::Do { command, .. } = &entry {
            self.last_command = Some(command.clone());
        }
        if let Some(recording) = &mut self.recording {
            recording.note(&entry);
        }
        if let Some(journal) = &self.journal {
            let cost = if let JournalEntry::Do { command, .. } = &entry { command.cost_in(&self.document) } else { 0 };
            self.checkpoint.note(&entry, cost);
            journal.append(entry);
        }
    }

    /// Whether another Spadework has had the file open, too, since before it was opened or saved here.
    pub fn is_open_elsewhere(&self) -> bool {
        self.elsewhere.as_ref().is_some_and(|watch| !watch.is_here)
    }

    /// Its id.
    pub fn id(&self) -> DocumentId {
        self.id
    }

    /// The document as it is now. Clone it for a snapshot.
    pub fn document(&self) -> &Snapshot {
        &self.document
    }

    /// Its steps.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Whether it was restored without steps from before: its history does not begin with the map as it was opened.
    pub fn is_without_older_steps(&self) -> bool {
        self.is_without_older_steps
    }

    /// Whether the steps from before the recovery snapshot that it was restored from are still to come into its history.
    pub fn is_rebuilding(&self) -> bool {
        self.rebuilding.is_some()
    }

    /// Grows with every change: whoever shows the document compares it.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Its file.
    pub fn file(&self) -> &FileLink {
        &self.file
    }

    /// The file's path, if it has one.
    pub fn path(&self) -> Option<&Path> {
        self.file.path.as_deref()
    }

    /// Whether its file can only be looked at: it takes no edits.
    pub fn is_view(&self) -> bool {
        self.document.source.as_ref().is_some_and(|source| source.is_view() && self.file.format == Some(source.format))
    }

    /// What opening or saving had to tell.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Name for tab and title: the file's name, or that of the new map.
    pub fn title(&self) -> String {
        match self.file.path.as_deref().and_then(Path::file_name) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.new_name.clone(),
        }
    }

    /// The file name that is proposed for a map that has none: in the format that it was read from.
    pub fn proposed_name(&self) -> String {
        let extension = self.file.format.and_then(map_format).and_then(|format| format.extensions().first().copied());
        format!("{}.{}", self.title(), extension.unwrap_or("vxl"))
    }

    /// What gestures cover that were made but are not in the map yet: an edit before them takes long.
    pub fn waiting_ghosts(&self) -> &[Ghost] {
        &self.waiting_ghosts
    }

    /// The map as it will be once what is planned is done, where a gesture showed that before.
    pub fn waiting_store(&self) -> Option<&Store> {
        self.waiting_store.as_ref()
    }

    /// Whether it differs from its file.
    pub fn is_modified(&self) -> bool {
        self.history.is_modified()
    }

    /// Whether a command is being planned or waits.
    pub fn is_busy(&self) -> bool {
        self.planning.is_some() || !self.queue.is_empty()
    }

    /// Whether closing it now would lose something: edits that no file holds, or commands that wait.
    pub fn has_work(&self) -> bool {
        self.is_modified() || self.is_busy()
    }

    /// The colours that the map used most when it was opened; empty until they are counted.
    pub fn most_used_colors(&self) -> &[Rgb] {
        &self.most_used
    }

    /// What the checks found when they last looked, which is soon after each change.
    pub fn problems(&self) -> &[Problem] {
        &self.problems.1
    }

    /// Whether its steps are not kept for a crash at the moment, though they should be.
    pub fn journal_fails(&self) -> bool {
        self.journal_failure_told.is_some()
    }

    /// Whether its steps wait for the journal's disk longer than they should.
    pub fn journal_waits(&self) -> bool {
        self.lag.is_told()
    }

    /// Number of the last step that is in the journal, where no kill loses it, and of the last one that was
    /// made; `None` without a journal.
    pub fn journalled(&self) -> Option<(u64, u64)> {
        self.journal.as_ref().filter(|journal| journal.failure().is_none()).map(|journal| (journal.acknowledged(), journal.appended()))
    }

    /// Whether steps were recorded that are in no script yet.
    pub fn has_recording(&self) -> bool {
        self.recording.as_ref().is_some_and(|recording| !recording.is_empty())
    }

    /// Steps that were recorded; `None` while nothing is.
    pub fn recorded(&self) -> Option<usize> {
        self.recording.as_ref().map(Recording::len)
    }

    /// Whether it is being written to its file.
    pub fn is_saving(&self) -> bool {
        self.saving.is_some()
    }

    /// Whether somebody else changed its file, or one beside it, since it was read or written here, as far as was looked.
    pub fn is_changed_by_others(&self) -> bool {
        self.changed_by_others.as_ref().is_some_and(|(stamps, _)| *stamps == self.file.stamps)
    }

    /// Whether closing it now would lose something even if the save that runs goes well.
    pub fn has_unsaved_work(&self) -> bool {
        let is_written = |state| !self.history.is_modified_since(state);
        let is_all_written = self.is_saving() && self.saving_state.is_some_and(is_written) && !self.is_busy();
        self.has_work() && !is_all_written
    }

    /// When it was last saved in this session.
    pub fn saved_at(&self) -> Option<std::time::Instant> {
        self.saved_at
    }
}
