//! Jobs of the editor: new maps, opening, saving; and taking their answers in.

use std::path::PathBuf;
use std::sync::Arc;

use glam::IVec3;

use super::claim::{Claim, claim_map_soon};
use super::files::{
    self, Exported, ImportedFile, Interrupted, OpenError, Opened, Overwrite, SaveError, SaveOptions, SavePlace, Saved, Stamps, Standing,
    Version,
};
use super::importing::ToolPicture;
use super::journal::{Journal, JournalBase, JournalEntry};
use super::leftovers::LeftoversFor;
use super::leftovers::Restored;
use super::opening::OpenLook;
use super::problem_report::ReportPart;
use super::recording::{RecordedScript, ScriptError, ScriptOrder, ScriptWritten};
use super::recovery::{Leftovers, Recoverable, RecoveryError, Replayed, Thumbnail};
use super::reporting::ReportWritten;
use super::storage::{StorageError, StoredPath};
use super::versions::as_settings_say;
use super::{
    Differences, DocumentId, Drawn, Editor, ExportOrder, ImportOrder, JobInfo, LibraryEntry, LibraryError, Message, PaletteError,
    PaletteOrder, Request, SaveOrder, WorkerPanicked,
};
use crate::check::{self, Problem};
use crate::document::{Document, GameProfile, ObjectId, Options, Progress, Selection, Swatch};
use crate::edit::{Change, Clip, Command, EditError, HistoryMark, VoxelMask};
use crate::format::{FormatError, Report, Severity, Warning, map_format};
use crate::mesh::ShellQuad;
use crate::terrain::{self, Params, TerrainError};
use crate::tool::{Planned, Stamp, TurnedClip};
use crate::voxel::Rgb;

/// A map to be made from a generator.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMap {
    /// Id of the generator.
    pub generator: String,
    /// Size, seed and settings.
    pub params: Params,
}

impl NewMap {
    /// The map that a first start shows.
    pub fn starter() -> Self {
        Self { generator: "island".into(), params: Params { size: IVec3::new(512, 512, 64), seed: 1, values: Default::default() } }
    }
}

/// What follows once the selection is in the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterCopy {
    /// Nothing: it was copied.
    Keep,
    /// The selection is deleted: it was cut.
    Delete,
}

/// What a save wrote: the state, and its number in the journal.
#[derive(Clone, Copy, Debug)]
pub(super) struct SaveMark {
    state: HistoryMark,
    number: u64,
}

/// What a job answers.
pub(super) enum JobDone {
    /// A command was planned.
    Planned(Result<Change, EditError>),
    /// A new map was made; whether it is the one that a start shows.
    Made(NewMap, bool, Result<Document, TerrainError>),
    /// A file was read, for a new tab.
    Opened(OpenLook, Result<Box<Opened>, OpenError>, Option<Claim>),
    /// The file of a document was asked for by another path, or once more while it was read; whose it was found to be.
    OpenAlready(DocumentId, OpenLook, Option<Claim>),
    /// A file was read again, for the document that the job belongs to.
    Reverted(PathBuf, Result<Box<Opened>, OpenError>),
    /// A document was saved as it stood at the mark; whose the file is now where it is another one.
    Saved(SaveOrder, SaveMark, Result<Box<Saved>, SaveError>, Option<Claim>),
    /// Which file others changed of those that are known so.
    LookedAtFiles(Stamps, Option<PathBuf>),
    /// The colours that a document uses most.
    Counted(Vec<Rgb>),
    /// What differs from its image in a document of that version.
    Compared(u64, Result<Differences, EditError>),
    /// The hull of a selection.
    Outlined(Arc<VoxelMask>, Vec<ShellQuad>),
    /// Earlier versions of a map of that name.
    FoundVersions(String, Vec<Version>),
    /// An earlier version was read, for a new tab of that name.
    OpenedVersion(PathBuf, String, Result<Box<Opened>, OpenError>),
    /// A recorded script was written, or not.
    WroteScript(PathBuf, RecordedScript, ScriptWritten),
    /// A script was read.
    ReadScript(ScriptOrder, Result<Vec<(usize, Command)>, ScriptError>),
    /// What may go along with the report of a problem.
    PreparedReport(Vec<ReportPart>),
    /// A report was written, or not.
    WroteReport(PathBuf, ReportWritten),
    /// A document was exported.
    Exported(ExportOrder, Result<Box<Exported>, SaveError>),
    /// What an export would lose.
    LookedAtExport(Report),
    /// A file of another program was read.
    Imported(ImportOrder, Result<Box<ImportedFile>, OpenError>),
    /// A map was made of it, of that name.
    ImportedMap(String, Result<Box<(Document, Option<Command>)>, EditError>),
    /// The command that moves the ground by a picture.
    Raised(Result<Box<Command>, OpenError>),
    /// A picture for a tool.
    ToolPicture(Result<ToolPicture, OpenError>),
    /// What the checks found in that version.
    Checked(u64, Vec<Problem>),
    /// Players will meet problems in the map that nobody was asked about.
    HasProblems(SaveOrder, Vec<Problem>),
    /// What an earlier session left unsaved, and who wanted to know.
    FoundLeftovers(Leftovers, LeftoversFor),
    /// What became of saves that an earlier session had begun.
    SettledSaves(Vec<Interrupted>),
    /// Saving would lose something that nobody agreed to.
    WouldLose(SaveOrder, Report),
    /// The selection was copied, and what follows.
    Copied(AfterCopy, Selection, Result<Clip, EditError>),
    /// Journals of an earlier session were deleted: how many, and what could not be; and the one that could not be read.
    Discarded(usize, Vec<(String, RecoveryError)>, Option<PathBuf>),
    /// Pictures of what an earlier session left unsaved.
    Drawn(Vec<(PathBuf, Thumbnail)>),
    /// The steps of a restored map from before its snapshot; `None` if they do not lead to it.
    Rebuilt(Option<Box<Replayed>>),
    /// A map of an earlier session was brought back.
    Replayed(Box<Recoverable>, Result<Box<Restored>, RecoveryError>),
    /// The file of a restored map: documents that have the same one open, and whose it is if it was none of theirs.
    FoundTwins(PathBuf, Vec<DocumentId>, Option<Claim>),
    /// Whose the file of a document is, once the folder of the journals was removed and made anew.
    ClaimedAgain(PathBuf, Option<Claim>),
    /// What is in the library of stamps.
    FoundStamps(Result<Vec<LibraryEntry>, StorageError>),
    /// Some stamps were drawn, or what is wrong with them; and whether somebody cancelled it.
    DrewStamps(Vec<(LibraryEntry, Drawn)>, bool),
    /// A stamp was read.
    ReadStamp(Result<Stamp, LibraryError>),
    /// The selection was kept as a stamp.
    SavedStamp(Result<Stamp, LibraryError>),
    /// What a gesture would do; nothing where it would change nothing.
    Previewed(Result<Option<Planned>, EditError>),
    /// What a loose clip became.
    TurnedClip(TurnedClip),
    /// A palette was read, for the document that the job belongs to.
    ReadPalette(PathBuf, Result<Vec<Swatch>, PaletteError>),
    /// A palette was saved.
    SavedPalette(PaletteOrder, Result<(), PaletteError>),
}

/// What there is to know of a save, a line each.
fn notes_of(report: &Report) -> String {
    let notes = report.warnings.iter().filter(|warning| warning.severity > Severity::Info);
    notes.map(Warning::sentence).collect::<Vec<_>>().join("\n")
}

/// What a file lacks that was written while something was begun with a tool.
pub(super) fn not_in_it(begun: &str) -> String {
    format!("Without what was begun with {begun}: Enter puts it into the map, and the next save into the file.")
}

impl Editor {
    pub(super) fn start_new(&mut self, new: NewMap) {
        let name = terrain::generator(&new.generator).map_or("map", |generator| generator.label()).to_lowercase();
        // The one that a start shows, which nobody asked for.
        let is_starter = new == NewMap::starter() && self.next_document == 1;
        let allowed = self.settings.memory.map_bytes();
        self.jobs.spawn(format!("Making {name}"), None, move |progress| {
            let made = make(&new, allowed, progress);
            JobDone::Made(new, is_starter, made)
        });
    }

    /// Saves a document as far as the order goes without a question.
    pub(super) fn start_save(&mut self, order: SaveOrder) {
        let id = order.document;
        let Some(open) = self.document(id) else { return };
        if open.saving.is_some() || open.reverting.is_some() {
            let does = if open.saving.is_some() { "saved" } else { "read again" };
            return self.tell(Message::info(format!("{} is being {does} already", open.title())));
        }
        let Some(target) = order.path.clone().or_else(|| open.path().map(Into::into)) else {
            self.requests.push(Request::SavePath(order));
            return;
        };
        let order = SaveOrder { path: Some(target.clone()), ..order };
        let own_file = open.path() == Some(&*target);
        let is_yet_to_be_written = open.file.is_yet_to_be_written;
        let options = SaveOptions {
            format: open.file.format.filter(|_| own_file).map(Into::into),
            options: order.options.clone().unwrap_or_else(|| if own_file { open.file.options.clone() } else { Options::new() }),
            expected: open.file.stamps.clone(),
            extra_sidecars: order.sidecar.into_iter().map(Into::into).collect(),
            overwrite: Overwrite::agreed(order.overwrite_agreed, order.asked.as_ref()),
            keep_foreign_sidecars: false,
            foreign_sidecars_agreed: false,
            is_expected_whole: true,
            place: SavePlace::default(),
            versions: self.keep_versions(),
            before_placing: open.journal.as_ref().map(Journal::placing).unwrap_or_default(),
        };
        let mark_state = open.history.mark();
        let mark = SaveMark { state: mark_state, number: open.saves + 1 };
        if let Some(journal) = &open.journal {
            journal.append(JournalEntry::Saving { number: mark.number });
        }
        let (snapshot, storage, told) = (open.document.clone(), self.storage.clone(), open.told_problems.clone());
        let settings_file = self.settings_file.clone();
        // Saved under another name, another file is this window's.
        let folder = self.journal_folder.clone().filter(|_| !own_file);
        let before = open.path().map(std::path::Path::to_path_buf);
        let agreed = if own_file { open.agreed_losses.clone() } else { vec![] };
        let is_edited = open.is_modified();
        let job = self.jobs.spawn_writing(format!("Saving {}", file_name(&target)), Some(id), move |progress| {
            let problems = check::check(&snapshot);
            if problems.iter().any(|problem| !told.contains(&problem_key(problem))) {
                return JobDone::HasProblems(order, problems);
            }
            let versions = options.versions.clone().map(|keep| as_settings_say(keep, &*storage, settings_file.as_deref()));
            // By another spelling it is the same one. A disk that hangs is waited for here, and not by the window.
            let is_same = own_file || before.is_some_and(|before| storage.place(&before) == storage.place(&target));
            let place = SavePlace::own_if(is_same && !is_yet_to_be_written);
            let stay = order.loss_agreed || !agreed.is_empty();
            let options = SaveOptions { keep_foreign_sidecars: stay, foreign_sidecars_agreed: stay, versions, place, ..options };
            if !order.loss_agreed {
                // What is lost is asked first, also where a file stands in the way: that is a question of its own.
                let look = SaveOptions { overwrite: Overwrite::Always, keep_foreign_sidecars: true, ..options.clone() };
                let is_agreed = |loss: &Warning| {
                    files::leaves_only_what_nobody_could_read(loss) || agreed.iter().any(|known| known.covers(loss, is_edited))
                };
                match files::preflight_save(&*storage, &snapshot, &target, &look) {
                    Ok(report) if report.of(Severity::Loss).any(|loss| !is_agreed(loss)) => {
                        return JobDone::WouldLose(order, report);
                    }
                    Ok(_) => {}
                    Err(error) => return JobDone::Saved(order, mark, Err(error), None),
                }
            }
            let saved = files::save_map(&*storage, &snapshot, &target, &options, progress).map(Box::new);
            let is_asked = saved.as_ref().is_err_and(|error| error.in_the_way().is_some());
            let asked = is_asked.then(|| Standing::of(&*storage, &target, &options.expected));
            let order = SaveOrder { asked, ..order };
            let claim = folder.filter(|_| saved.is_ok() && !is_same).and_then(|folder| claim_map_soon(&storage, folder, &target));
            JobDone::Saved(order, mark, saved, claim)
        });
        if let Some(open) = self.document_mut(id) {
            (open.saving, open.saving_state) = (Some(job), Some(mark_state));
            open.saves = mark.number;
        }
    }

    /// Takes in the answers of jobs that are done, and lets the tool go on. Answers whether there was anything.
    pub fn pump(&mut self) -> bool {
        let mut any = self.tool.is_behind();
        self.tool.go_on();
        self.wake_if_behind();
        self.go_on_with_scripts();
        self.tell_settings_not_saved();
        self.start_checking();
        self.start_counting();
        while let Some((job, answer)) = self.jobs.poll() {
            any = true;
            self.end_of_closed(job.id, matches!(&answer, Ok(JobDone::Saved(_, _, Ok(saved), _)) if !saved.is_excerpt()));
            match (answer, job.document) {
                (Ok(JobDone::Planned(result)), Some(id)) => self.planned(id, job.id, result),
                (Ok(JobDone::Made(new, is_starter, result)), _) => self.made(&new, is_starter, result),
                (Ok(JobDone::Opened(look, result, claim)), _) => self.opened(look, result, claim),
                (Ok(JobDone::OpenAlready(id, look, claim)), _) => self.open_already(id, look, claim),
                (Ok(JobDone::Reverted(path, result)), Some(id)) => self.reverted(id, job.id, path, result),
                (Ok(JobDone::Saved(order, mark, result, claim)), Some(_)) => self.saved(order, mark, result, claim),
                (Ok(JobDone::LookedAtFiles(stamps, changed)), Some(id)) => self.looked_at_files(id, &stamps, changed),
                (Ok(JobDone::Counted(colors)), Some(id)) => self.counted(id, colors, job.started.elapsed()),
                (Ok(JobDone::Checked(version, problems)), Some(id)) => {
                    if let Some(open) = self.document_mut(id) {
                        (open.checking, open.problems) = (None, (version, problems));
                    }
                }
                (Ok(JobDone::HasProblems(order, problems)), Some(id)) => {
                    if let Some(open) = self.document_mut(id) {
                        open.saving = None;
                        open.told_problems = problems.iter().map(problem_key).collect();
                        self.requests.push(Request::ConfirmProblems { order, problems });
                    }
                }
                (Ok(JobDone::Compared(version, found)), Some(id)) => self.compared(id, job.id, version, found),
                (Ok(JobDone::Outlined(mask, faces)), _) => self.outlined(job.id, mask, faces),
                (Ok(JobDone::FoundVersions(name, versions)), _) => self.found_versions(name, versions),
                (Ok(JobDone::OpenedVersion(path, name, result)), _) => self.opened_version(path, name, result),
                (Ok(JobDone::WroteScript(path, script, written)), _) => self.wrote_script(path, script, written),
                (Ok(JobDone::ReadScript(order, commands)), Some(id)) => self.read_script(id, order, commands),
                (Ok(JobDone::PreparedReport(parts)), _) => self.prepared_report(parts),
                (Ok(JobDone::WroteReport(path, written)), _) => self.wrote_report(path, written),
                (Ok(JobDone::Exported(order, result)), _) => self.exported(order, result),
                (Ok(JobDone::LookedAtExport(report)), _) => self.looked_at_export(job.id, report),
                (Ok(JobDone::Imported(order, result)), _) => self.imported(job.id, order, result),
                (Ok(JobDone::ImportedMap(name, result)), _) => self.imported_map(&name, result),
                (Ok(JobDone::Raised(Ok(command))), Some(id)) => self.execute_on(id, *command),
                (Ok(JobDone::ToolPicture(Ok(picture))), _) => self.take_picture(picture),
                (Ok(JobDone::Raised(Err(OpenError::Cancelled(_))) | JobDone::ToolPicture(Err(OpenError::Cancelled(_)))), _) => {}
                (Ok(JobDone::Raised(Err(error)) | JobDone::ToolPicture(Err(error))), _) => {
                    self.tell(Message::error(format!("Cannot import {error}")).with_detail(error.advice()));
                }
                (Ok(JobDone::FoundLeftovers(found, whom)), _) => self.found_leftovers(found, whom),
                (Ok(JobDone::SettledSaves(settled)), _) => self.settled_saves(&settled),
                (Ok(JobDone::WouldLose(order, report)), Some(id)) => {
                    // A document that was closed meanwhile asks nothing any more.
                    if let Some(open) = self.document_mut(id) {
                        open.saving = None;
                        self.requests.push(Request::ConfirmLoss { order, report });
                    }
                }
                (Ok(JobDone::Copied(after, region, result)), Some(id)) => self.copied(id, job.id, after, region, result),
                (Ok(JobDone::Discarded(count, failed, unreadable)), _) => self.discarded(count, failed, unreadable),
                (Ok(JobDone::Drawn(thumbnails)), _) => self.drawn(job.id, thumbnails),
                (Ok(JobDone::Rebuilt(rebuilt)), Some(id)) => self.rebuilt(id, &job, rebuilt),
                (Ok(JobDone::Replayed(found, result)), _) => self.replayed(*found, result),
                (Ok(JobDone::FoundTwins(path, twins, claim)), Some(id)) => self.take_place_of(id, &path, &twins, claim),
                (Ok(JobDone::ClaimedAgain(path, claim)), Some(id)) => self.claimed_again(id, &path, claim),
                (Ok(JobDone::FoundStamps(found)), _) => self.found_stamps(found),
                (Ok(JobDone::DrewStamps(drawn, is_cancelled)), _) => self.drew_stamps(drawn, is_cancelled),
                (Ok(JobDone::ReadStamp(result)), _) => self.read_stamp(job.id, result),
                (Ok(JobDone::SavedStamp(result)), _) => self.saved_stamp(result),
                (Ok(JobDone::Previewed(result)), _) => self.previewed(job.id, result),
                (Ok(JobDone::TurnedClip(turned)), _) => self.turned_clip(job.id, turned),
                (Ok(JobDone::ReadPalette(path, result)), id) => self.read_palette(id, &path, result),
                (Ok(JobDone::SavedPalette(order, result)), _) => self.saved_palette(order, result),
                (Ok(_), None) => {}
                (Err(panicked), _) => self.worker_panicked(&job, &panicked),
            }
        }
        self.hear_journals();
        self.hear_claims();
        any
    }

    /// Checks the documents that changed since they were last checked. Beside the main thread: a sea full of
    /// spawn regions takes longer than a frame.
    pub(super) fn start_checking(&mut self) {
        for open in self.documents.iter_mut().filter(|open| open.checking.is_none() && open.problems.0 != open.version) {
            let (snapshot, version) = (open.document.clone(), open.version);
            let job = self.jobs.spawn_quiet("Checking".into(), Some(open.id), move |_| JobDone::Checked(version, check::check(&snapshot)));
            open.checking = Some(job);
        }
    }

    fn worker_panicked(&mut self, job: &JobInfo, panicked: &WorkerPanicked) {
        let name = &job.name;
        self.copying.take_if(|copying| *copying == job.id);
        self.drawing.take_if(|drawing| *drawing == job.id);
        self.mismatches.forget(job.id);
        self.hull.forget(job.id);
        let mut unknown = Report::new();
        unknown.push(Severity::Problem, "unknown-losses", "what the file cannot hold could not be looked up");
        self.looked_at_export(job.id, unknown);
        if let Some(open) = job.document.and_then(|id| self.document_mut(id)) {
            open.planning.take_if(|planning| planning.job == job.id);
            open.counting.take_if(|counting| *counting == job.id);
            open.saving.take_if(|saving| *saving == job.id);
            open.is_claim_lost |= open.claiming.take_if(|claiming| *claiming == job.id).is_some();
            open.reverting.take_if(|reverting| *reverting == job.id);
            open.is_without_older_steps |= open.rebuilding.take_if(|rebuilding| *rebuilding == job.id).is_some();
            if open.checking.take_if(|checking| *checking == job.id).is_some() {
                // Not again before the next change.
                open.problems = (open.version, vec![]);
            }
        }
        let what_now = match job.document {
            Some(_) => "Your map is as it was. Save it under another name to be sure. Help › Report a problem has what happened.",
            None => "Nothing was changed by it: files and unsaved maps are as they were. Help › Report a problem has what happened.",
        };
        self.tell(Message::error(format!("{name}: {panicked}")).with_detail(what_now));
        if let Some((script, line)) = job.document.and_then(|id| self.break_off_script(id)) {
            self.tell(Message::error(format!("{script}: line {line}: the lines after it are not carried out")));
        }
        // What waited for a command that was being planned goes on, as after any other end of it.
        if let Some(id) = job.document {
            self.plan_queue(id);
        }
    }

    pub(super) fn made(&mut self, new: &NewMap, is_starter: bool, result: Result<Document, TerrainError>) {
        match result {
            // Somebody opened or restored a map before it was there.
            Ok(_) if is_starter && self.next_document > 1 => {}
            Ok(document) if !self.has_memory_for(&document) => {}
            Ok(document) => {
                let name = self.first_free_name(&new.generator);
                let base = JournalBase::Made { format: "vxl", document: Box::new(document.clone()), of_snapshot: false };
                let id = self.add(document, name);
                if let Some(open) = self.document_mut(id) {
                    open.is_starter = is_starter;
                }
                self.begin_journal(id, base);
            }
            Err(error @ TerrainError::TooLarge { .. }) => self.tell_too_large(&error),
            Err(error) => self.tell(Message::error(format!("Cannot make the map: {error}"))),
        }
    }

    fn tell_too_large(&mut self, reason: &dyn std::error::Error) {
        let message = Message::error(format!("Cannot make the map: {reason}"));
        self.tell(message.with_detail("Make a smaller one, or allow more memory with `memory: {map_megabytes: …}` in the settings."));
    }

    /// Whether the settings allow the memory that a map takes which was just made; tells it if not.
    pub(super) fn has_memory_for(&mut self, document: &Document) -> bool {
        let (needed, allowed) = (document.size_bytes(), self.settings.memory.map_bytes());
        if needed > allowed {
            self.tell_too_large(&FormatError::TooLarge { needed, allowed });
        }
        needed <= allowed
    }

    /// Keeps the options that were chosen for a format, beside those that were not asked for this map.
    fn remember_export_options(&mut self, id: DocumentId, format: &'static str, chosen: Options) {
        let (Some(open), Some(asked)) = (self.document(id), map_format(format)) else { return };
        let asked = asked.asked_when_saving(&open.document);
        let options = self.settings.export_options.entry(format.into()).or_default();
        options.retain(|name, _| !asked.contains(&&**name));
        options.extend(chosen);
    }

    fn saved(&mut self, order: SaveOrder, mark: SaveMark, result: Result<Box<Saved>, SaveError>, claim: Option<Claim>) {
        let (id, path) = (order.document, order.path.clone().unwrap_or_default());
        if let Some(open) = self.document_mut(id) {
            open.saving = None;
        }
        let own_file = self.document(id).filter(|open| open.path() == Some(&*path)).map(|open| open.file.options.clone());
        let is_own_file = own_file.is_some();
        let options = order.options.clone().or(own_file).unwrap_or_default();
        match result {
            Ok(saved) if saved.is_excerpt() && !is_own_file => {
                let (file, title) = (file_name(&path), self.document(id).map_or_else(String::new, super::OpenDocument::title));
                let message = Message::info(format!("Saved a copy of a part: {file}. {title} itself is as unsaved as before"));
                self.tell(message.with_detail(notes_of(&saved.report)).about_saving(id));
                if order.options.is_some() {
                    self.remember_export_options(id, saved.format, options);
                }
                self.remember_recent(&path);
            }
            Ok(saved) => {
                self.carry_palette(id, &path);
                let Some(open) = self.document_mut(id) else { return };
                open.file.path = Some(path.clone());
                open.file.format = Some(saved.format);
                open.file.options = options.clone();
                open.file.stamps = saved.stamps.clone();
                open.file.is_yet_to_be_written = false;
                open.report = saved.report.clone();
                // Whatever was lost now was asked about, now or at an earlier save to this file.
                open.agreed_losses = saved.report.of(Severity::Loss).cloned().collect();
                open.history.mark_saved_at(&mut open.document, mark.state);
                open.saved_at = Some(std::time::Instant::now());
                if let Some(journal) = &open.journal {
                    journal.append(JournalEntry::Saved {
                        number: Some(mark.number),
                        map: StoredPath(path.clone()),
                        format: Some(saved.format.into()),
                        options: Some(options.clone()),
                        stamps: saved.stamps.clone(),
                    });
                }
                let files: Vec<_> = saved.written.iter().map(|file| file_name(file)).collect();
                let is_whole = saved.report.of(Severity::Loss).next().is_none();
                let is_of_others = saved.report.warnings.iter().any(files::leaves_what_others_say);
                let is_without_version = saved.report.warnings.iter().any(files::keeps_no_version);
                let is_doubtful =
                    |warning: &Warning| files::makes_set_doubtful(warning) || files::leaves_only_what_nobody_could_read(warning);
                let begun = self.begun(id);
                let is_doubtful = is_of_others || is_without_version || begun.is_some() || saved.report.warnings.iter().any(is_doubtful);
                let told = if is_doubtful { Message::warning } else { Message::info };
                let mut message = told(if files.is_empty() && is_of_others {
                    format!("{} is on disk as it is here; a file beside it is not", file_name(&path))
                } else if files.is_empty() && is_whole {
                    format!("{} is on disk as it is here", file_name(&path))
                } else if files.is_empty() {
                    format!("{} is on disk as it is here, but for what it cannot hold", file_name(&path))
                } else if is_without_version {
                    format!("Saved {}; what was there before is not kept as an earlier version", files.join(", "))
                } else {
                    format!("Saved {}", files.join(", "))
                });
                let notes: Vec<_> =
                    begun.as_deref().map(not_in_it).into_iter().chain([notes_of(&saved.report)]).filter(|note| !note.is_empty()).collect();
                if !notes.is_empty() {
                    message = message.with_detail(notes.join("\n"));
                }
                self.tell(message.about_saving(id));
                if order.options.is_some() {
                    self.remember_export_options(id, saved.format, options);
                }
                match claim {
                    Some(claim) => self.take_claim(id, &path, claim),
                    // It is the same file by another spelling.
                    None => self
                        .document_mut(id)
                        .and_then(|open| open.elsewhere.as_mut())
                        .into_iter()
                        .for_each(|watch| watch.map = path.clone()),
                }
                self.remember_recent(&path);
                if self.is_in_another_tab(id, &path) {
                    self.look_at_files();
                }
            }
            Err(SaveError::Cancelled(_)) => {
                self.tell(Message::info(format!("Saving {} was cancelled; the file is as it was", file_name(&path))))
            }
            Err(error) => {
                if let Some(why) = error.in_the_way() {
                    if self.document(id).is_some() {
                        let is_in_another_tab = !is_own_file && self.is_in_another_tab(id, &path);
                        let tab = if is_in_another_tab { ". It is open in another tab, which stays as it is" } else { "" };
                        self.requests.push(Request::ConfirmOverwrite { order, why, reason: format!("{error}{tab}") });
                    }
                    return;
                }
                let message = Message::error(format!("Cannot save: {error}"));
                let (state, advice) = match self.document(id) {
                    Some(_) => ("No file was changed, and the map is still open.", error.advice()),
                    None => ("No file was changed. The map was closed meanwhile.", None),
                };
                let detail = [Some(state), advice].into_iter().flatten().collect::<Vec<_>>().join(" ");
                self.tell(message.with_detail(detail).about_saving(id));
            }
        }
    }
}

/// Makes the document of a new map, which may take so many bytes of memory.
pub(super) fn make(new: &NewMap, allowed: u64, progress: &Progress) -> Result<Document, TerrainError> {
    let generator = terrain::generator(&new.generator).ok_or_else(|| TerrainError::UnknownGenerator { id: new.generator.clone() })?;
    terrain::check_memory(generator, &new.params, allowed, progress)?;
    let store = generator.generate(&new.params, progress)?;
    Ok(Document::new(store, &GameProfile::ACE_OF_SPADES))
}

/// What makes a problem the same one again, however its numbers change.
fn problem_key(problem: &Problem) -> (&'static str, Vec<ObjectId>) {
    (problem.code, problem.objects.clone())
}

pub(super) fn file_name(path: &std::path::Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Seconds since 1970, for journals.
pub fn seconds_now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
