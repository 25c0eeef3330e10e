//! The application without a face: open documents, execute and undo, jobs, files, journal, settings.
//!
//! [`Editor`] is owned by one thread and is the only writer of its documents. It hands out snapshots and
//! takes [`Command`](crate::edit::Command)s and [`Action`]s; window, command line and tests are three faces of it.
//!
//! Life of a command: [`Editor::execute`] plans it, here if it is small, else on a worker with a
//! snapshot; the [`Change`](crate::edit::Change) is committed here, or planned again if the document has moved on meanwhile;
//! the journal line is written; observers find a new [`version`](OpenDocument::version).

mod action;
pub mod background;
mod begun;
pub mod checkpoint;
pub mod claim;
mod claiming;
mod copying;
mod counting;
pub mod crash;
mod desktop;
pub mod dock;
pub mod doctor;
mod editing;
mod entry;
mod exporting;
pub mod files;
mod importing;
mod jobs;
pub mod journal;
mod keeping;
pub mod keymap;
mod lag;
mod leftovers;
mod library;
pub mod log;
pub mod map_palette;
mod message;
mod mismatches;
#[cfg(test)]
mod mixed_tests;
mod open_document;
mod opening;
mod outline;
pub mod paths;
mod planning;
mod previewing;
pub mod problem_report;
mod recording;
pub mod recovery;
mod repeat;
mod reporting;
pub mod settings;
pub mod storage;
mod swatches;
mod symmetry;
#[cfg(test)]
mod testing;
mod tools;
mod versions;
mod watching;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

pub use action::{ACTIONS, Action, ActionSpec, Menu, PictureUse, SaveOrder, action};
pub use entry::{EntryKey, NumberEntry};
pub use exporting::{ExportLook, ExportOrder};
pub use importing::{ImportOrder, PendingImport};
pub use jobs::{JobId, JobInfo, JobMode, Jobs, Waker, WorkerPanicked};
pub use leftovers::{
    beheaded_text, lost_text as lost_copies_text, moved_text, numbered_text, passed_over_text, poor_copy_text, title as leftover_title,
};
pub use library::{Drawn, LibraryEntry, LibraryError, StampPicture, StampSource};
pub use message::{Message, Request};
pub use mismatches::{Compared, Differences, Marks};
pub use open_document::{DocumentId, FileLink, OpenDocument};
pub use recording::{RecordedScript, ScriptOrder};
pub use swatches::{PaletteError, PaletteOrder, SwatchEdit};
pub use symmetry::CenterOn;
pub use tools::{ActiveTool, PutAway};
pub use versions::version_title;
pub use work::{NewMap, seconds_now};

use crate::document::{ObjectId, Snapshot};
use crate::edit::Clip;
use crate::tool::ToolOption;
use background::Background;
use files::OpenOptions;
use journal::Journal;
use open_document::Step;
use settings::Settings;
use storage::Storage;
use work::{AfterCopy, JobDone};

/// What an editor is made of.
pub struct EditorConfig {
    /// Where files are.
    pub storage: Arc<dyn Storage>,
    /// Where jobs run.
    pub jobs: JobMode,
    /// Called when an answer waits.
    pub waker: Waker,
    /// Folder of the journals; `None` keeps none.
    pub journal_folder: Option<PathBuf>,
    /// Folder of earlier versions of saved maps; `None` keeps none.
    pub versions_folder: Option<PathBuf>,
    /// File of the settings; `None` saves none.
    pub settings_file: Option<PathBuf>,
    /// What the user chose in earlier sessions.
    pub settings: Settings,
}

/// The application without a face. See the [module](self).
pub struct Editor {
    documents: Vec<OpenDocument>,
    active: Option<DocumentId>,
    next_document: u32,
    /// The tool in the hand.
    pub tool: ActiveTool,
    /// What the user chose; saved by [`save_settings`](Self::save_settings).
    pub settings: Settings,
    storage: Arc<dyn Storage>,
    jobs: Jobs<JobDone>,
    background: Background,
    journal_folder: Option<PathBuf>,
    /// The journals of maps that were closed while they were saved, by the job that saves, and their titles.
    kept_until_saved: Vec<(JobId, String, Journal)>,
    /// What others wrote into the journals of maps that were closed since: their titles, and where it is kept.
    found_at_close: keeping::FoundAtClose,
    versions_folder: Option<PathBuf>,
    settings_known: Arc<Mutex<settings::Known>>,
    settings_file: Option<PathBuf>,
    clipboard: Option<(Clip, glam::IVec3)>,
    /// The job that fills the clipboard.
    copying: Option<JobId>,
    import: Option<PendingImport>,
    /// The job that reads what is to be imported.
    importing: Option<(JobId, ImportOrder)>,
    /// What is to be imported after that.
    imports_to_come: std::collections::VecDeque<ImportOrder>,
    export_look: exporting::Looked,
    mismatches: mismatches::Mismatches,
    hull: outline::Hull,
    leftovers: Vec<recovery::Recoverable>,
    /// Maps that were left, too, and that are not held: they are listed later.
    leftovers_to_come: usize,
    /// The jobs that bring some of them back, also those that are done.
    restoring: Vec<JobId>,
    /// Journals of leftovers that were to be restored or discarded here, whatever came of it.
    decided: BTreeSet<PathBuf>,
    /// Journals of earlier sessions that cannot be read.
    unreadable: Vec<recovery::Skipped>,
    /// Pictures of the leftovers, by the journal.
    thumbnails: BTreeMap<PathBuf, recovery::Thumbnail>,
    /// The job that draws them.
    drawing: Option<JobId>,
    /// Finds the graphics adapters, for the report of a problem; answers `None` where there is no window.
    pub adapters: fn() -> Option<Vec<String>>,
    previewing: previewing::Previewing,
    library: library::Library,
    messages: Vec<Message>,
    requests: Vec<Request>,
}

impl Editor {
    /// An editor without documents.
    pub fn new(config: EditorConfig) -> Self {
        Self {
            documents: vec![],
            active: None,
            next_document: 1,
            tool: ActiveTool::default(),
            settings_known: settings::Known::of(&config.settings),
            settings: config.settings,
            storage: config.storage,
            jobs: Jobs::new(config.jobs, config.waker),
            background: Background::new(config.jobs),
            journal_folder: config.journal_folder,
            kept_until_saved: vec![],
            versions_folder: config.versions_folder,
            settings_file: config.settings_file,
            clipboard: None,
            copying: None,
            import: None,
            importing: None,
            imports_to_come: std::collections::VecDeque::new(),
            export_look: None,
            mismatches: mismatches::Mismatches::default(),
            found_at_close: keeping::FoundAtClose::default(),
            hull: outline::Hull::default(),
            leftovers: vec![],
            leftovers_to_come: 0,
            restoring: vec![],
            decided: BTreeSet::new(),
            unreadable: vec![],
            thumbnails: BTreeMap::new(),
            drawing: None,
            adapters: || None,
            previewing: previewing::Previewing::default(),
            library: library::Library::default(),
            messages: vec![],
            requests: vec![],
        }
    }

    /// The open documents, in the order of their tabs.
    pub fn documents(&self) -> &[OpenDocument] {
        &self.documents
    }

    /// An open document.
    pub fn document(&self, id: DocumentId) -> Option<&OpenDocument> {
        self.documents.iter().find(|document| document.id == id)
    }

    /// The document in front.
    pub fn active(&self) -> Option<&OpenDocument> {
        self.document(self.active?)
    }

    /// The storage that everything is read from and written to.
    pub fn storage(&self) -> &Arc<dyn Storage> {
        &self.storage
    }

    /// The jobs that run.
    pub fn running(&self) -> impl Iterator<Item = &JobInfo> {
        self.jobs.running()
    }

    /// Those that are to be seen: of a script the script, and not the command that it has come to.
    pub fn shown_jobs(&self) -> impl Iterator<Item = &JobInfo> {
        let scripted = |open: &OpenDocument| open.script.as_ref().and(open.planning.as_ref()).map(|planning| planning.job);
        let hidden: Vec<JobId> = self.documents.iter().filter_map(scripted).collect();
        self.running().filter(move |job| !job.is_quiet && !hidden.contains(&job.id))
    }

    /// Whether a file that somebody asked for is being written: a map, also one that was closed since, or an export.
    pub fn is_writing(&self) -> bool {
        self.jobs.running().any(|job| job.writes)
    }

    /// Whether a map is being saved, be it closed meanwhile, whose journal has its steps.
    pub fn is_saving_any(&self) -> bool {
        !self.kept_until_saved.is_empty() || self.documents.iter().any(|open| open.is_saving() && open.journal.is_some())
    }

    /// Everything that was told, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Tells the user something.
    pub fn tell(&mut self, message: Message) {
        match &message {
            Message { is_error: true, .. } => tracing::error!("{}", message.text),
            Message { is_warning: true, .. } => tracing::warn!("{}", message.text),
            _ => tracing::info!("{}", message.text),
        }
        self.messages.push(message);
    }

    /// The questions that wait for an answer from a face; each is handed out once.
    pub fn take_requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// Whether a document has edits that no file holds, or soon will have.
    pub fn has_unsaved(&self) -> bool {
        self.documents.iter().any(OpenDocument::has_work)
    }

    /// The object of the active document that is selected.
    pub fn selected_object(&self) -> Option<ObjectId> {
        let selected = self.tool.preview().selected?;
        let document = &self.active()?.document;
        document.objects.get(selected).filter(|object| object.volume() == document.active()).map(|_| selected)
    }

    fn save_active(&mut self, sidecar: Option<&'static str>) {
        if let Some(document) = self.active {
            self.start_save(SaveOrder { sidecar, ..SaveOrder::new(document) });
        }
    }

    fn activate_next(&mut self, steps: isize) {
        let Some(index) = self.documents.iter().position(|document| Some(document.id) == self.active) else { return };
        let count = self.documents.len().cast_signed();
        let next = (index.cast_signed() + steps).rem_euclid(count).cast_unsigned();
        if let Some(id) = self.documents.get(next).map(OpenDocument::id).filter(|id| Some(*id) != self.active) {
            self.activate(id);
        }
    }

    fn active_mut(&mut self) -> Option<&mut OpenDocument> {
        let id = self.active?;
        self.document_mut(id)
    }

    fn document_mut(&mut self, id: DocumentId) -> Option<&mut OpenDocument> {
        self.documents.iter_mut().find(|document| document.id == id)
    }

    fn add(&mut self, mut document: Snapshot, new_name: String) -> DocumentId {
        let id = DocumentId(self.next_document);
        document.memory_limit = self.settings.memory.map_bytes();
        self.next_document += 1;
        let mut open = OpenDocument::new(id, document, new_name);
        open.history.set_budget(&mut open.document, self.settings.memory.history_bytes());
        self.documents.push(open);
        self.activate(id);
        self.start_counting();
        id
    }

    fn remove(&mut self, id: DocumentId) {
        let Some(index) = self.documents.iter().position(|document| document.id == id) else { return };
        let is_in_front = self.active == Some(id);
        if is_in_front {
            self.tool.renew();
        }
        let mut closed = self.documents.remove(index);
        closed.script.take().into_iter().for_each(|script| self.jobs.let_go(script.job));
        for job in self.jobs.running().filter(|job| job.document == Some(id) && closed.saving != Some(job.id)) {
            job.progress.cancel();
        }
        match (closed.journal.take(), closed.saving) {
            // What it holds is in no file yet.
            (Some(journal), Some(save)) => self.kept_until_saved.push((save, closed.title(), journal)),
            (Some(journal), None) => self.discard_journal(closed.title(), journal),
            (None, _) => {}
        }
        // Giving back the memory of a large map takes its time.
        let storage = self.storage.clone();
        self.background.run(move || {
            if let Some((lock, path)) = closed.claim {
                // What is left goes with a later start.
                storage.remove(&path).ok();
                drop(lock);
            }
        });
        if is_in_front {
            self.active = self.documents.get(index).or(self.documents.last()).map(OpenDocument::id);
            self.take_up();
        }
    }

    /// Carries out what a person invoked. Errors become messages, questions become requests.
    pub fn act(&mut self, action: Action) {
        // A box that is pending is nudged itself.
        let goes_on = matches!(action, Action::Nudge(_)) && self.tool.can_nudge();
        if action.uses_selection() && !goes_on {
            self.finish_selecting();
        }
        match action {
            Action::New(new) => self.start_new(new),
            Action::Dropped(path) => self.open_dropped(path),
            Action::Open(path) => self.start_open(path, OpenOptions::default()),
            Action::OpenDamaged(path) => self.start_open(path, OpenOptions::lenient()),
            Action::OpenSized(path, size) => self.start_open(path, OpenOptions::sized(size)),
            Action::LookAtExport(look) => self.look_at_export(look),
            Action::Save => self.save_active(None),
            Action::SaveAs(order) => self.start_save(order),
            Action::SaveWithSidecar(id) => self.save_active(Some(id)),
            Action::FindVersions => self.find_versions(),
            Action::Repeat(on) => self.enqueue(Step::Repeat(on)),
            Action::ToggleRecording => self.toggle_recording(),
            Action::DropRecording(id) => self.drop_recording(id),
            Action::WriteScript { path, script } => self.write_script(path, script),
            Action::RunScript(order) => self.run_script(order),
            Action::PrepareReport { log } => self.prepare_report(log),
            Action::WriteReport { path, parts } => self.start_report(path, parts),
            Action::OpenVersion { version, name } => self.open_version(version, name),
            Action::Import(order) => self.start_import(order),
            Action::ForgetImport => self.forget_import(),
            Action::PlaceImport => self.place_import(),
            Action::OpenImport => self.open_import(),
            Action::RaiseByImport { mode, height } => self.raise_by_import(mode, height),
            Action::Export(order) => self.start_export(order),
            Action::SetReadOption { format, option, value } => self.set_read_option(format, option, value),
            Action::Revert => self.start_revert(),
            Action::Close(id) => self.remove(id),
            Action::Activate(id) => self.activate(id),
            Action::ActivateNext(steps) => self.activate_next(steps),
            Action::Undo => self.undo(),
            Action::Redo => self.redo(),
            Action::JumpTo(steps) => self.jump_to(steps),
            Action::Edit(command) => self.execute_or_switch(command),
            Action::SelectTool(id) => self.select_tool(id),
            Action::SetMode(mode) => self.set_mode(mode),
            Action::Copy => self.copy(AfterCopy::Keep),
            Action::Cut => self.copy(AfterCopy::Delete),
            Action::Paste => self.paste(None),
            Action::PasteOn(pos, face) => self.paste(Some((pos, face))),
            Action::Delete => self.delete(),
            Action::SelectAll => self.select_all(),
            Action::Deselect => self.deselect(),
            Action::Nudge(by) => self.nudge(by),
            Action::Duplicate(by) => self.duplicate(by),
            Action::Turn(by) => self.turn(by),
            Action::SetTools(settings) => self.set_tools(*settings),
            Action::NextWay => self.next_way(),
            Action::Cancel => self.cancel(),
            Action::Confirm => self.confirm(),
            Action::CycleSymmetry => self.cycle_symmetry(),
            Action::ToggleMirror(axis) => self.toggle_mirror(axis),
            Action::CenterSymmetry(on) => self.center_symmetry(on),
            Action::Type(key) => self.type_number(key),
            Action::AwaitNumbers(first) => self.await_numbers(first),
            Action::CancelJob(id) => self.cancel_job(id),
            Action::FindLeftovers => self.look_for_leftovers(),
            Action::PutOffLeftovers => self.put_off_leftovers(),
            Action::DiscardUnreadable(journal) => self.discard_unreadable(journal),
            Action::RestoreLeftovers => self.restore_leftovers(|_| true),
            Action::DiscardLeftovers => self.discard_leftovers(|_| true),
            Action::RestoreLeftover(journal) => self.restore_leftovers(|found| found.journal == journal),
            Action::DiscardLeftover(journal) => self.discard_leftovers(|found| found.journal == journal),
            Action::UseImport(usage) => self.use_import(usage),
            Action::TakePicture(path, usage) => self.read_picture(path, crate::document::Options::new(), usage),
            Action::FindStamps => self.find_stamps(),
            Action::ChooseStamp(source) => self.choose_stamp(source),
            Action::SaveStamp(name) => self.save_stamp(&name),
            Action::OpenPalette(document, path) => self.open_palette(document, path),
            Action::SavePalette(order) => self.save_palette(order),
            Action::EditSwatches(edit) => self.edit_swatches(edit),
            Action::TakeSwatch(at) => self.take_swatch(at),
        }
        self.preview_gesture();
    }

    fn next_way(&mut self) {
        // A gesture goes on as it began.
        let next = self.tool.spec().next_way(&self.tool.settings).filter(|_| !self.tool.makes_something());
        if let Some(settings) = next {
            self.set_tools(settings);
        }
    }

    fn find_stamps_for_tool(&mut self) {
        // Whoever put files into the folder meanwhile finds them.
        if self.tool.spec().options.contains(&ToolOption::Stamp) {
            self.find_stamps();
        }
    }

    /// Waits until no job runs, taking the answers in. For the command line and tests.
    pub fn finish_jobs(&mut self) {
        self.start_checking();
        while self.jobs.running().next().is_some() {
            if !self.pump() {
                std::thread::yield_now();
            }
        }
    }

    /// The stem of a map's file name, for titles and suggestions.
    pub fn stem(path: &Path) -> String {
        path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// Frees what the steps of a document need no more: of large maps that takes its time.
    fn free_dropped(&mut self, id: DocumentId) {
        let dropped = self.document_mut(id).map(|open| open.history.take_dropped()).unwrap_or_default();
        if !dropped.is_empty() {
            self.background.run(move || drop(dropped));
        }
    }

    fn first_free_name(&self, wanted: &str) -> String {
        let taken = |name: &str| self.documents.iter().any(|document| document.title() == name);
        let numbered = (2..).map(|number| format!("{wanted} {number}"));
        std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
    }

    fn remember_recent(&mut self, path: &Path) {
        self.settings.remember(path);
        self.save_settings();
    }
}
