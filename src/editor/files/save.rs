//! Saving: which files a save consists of, writing and checking each, putting them in place.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::IVec3;

use super::completing::{complete_interrupted_saves, complete_saves, tell_interrupted};
use super::folder::with_folders_read;
use super::foreign::{check_superseded, check_unchanged};
use super::intent::put_in_place;
use super::places::{folders_of_map, folders_once, wait_for_folders};
use super::sidecars::{PlannedSidecars, SidecarPlanner};
use super::staging::Staged;
use super::standing::{Standing, glance};
use super::versions::{KeepVersions, VERSION_LIMIT, VERSION_NOT_KEPT, drop_versions, keep_version};
use super::{BeforePlacing, Plugins, SaveError, Stamp, Stamps, shown_name};
use crate::check::check;
use crate::document::{Object, Options, Progress, Snapshot, size_text};
use crate::edit::{Command, History, ops, plan};
use crate::editor::storage::{Storage, StorageAction, StorageError, folder_of};
use crate::format::{DOES_NOT_FIT, FormatError, MapFormat, OUTSIDE_SLICE, Report, Severity};

/// What may be replaced.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Overwrite {
    /// Only files that are as [`SaveOptions::expected`] says; others must not exist.
    #[default]
    IfUnchanged,
    /// Files that are as [`SaveOptions::expected`] says. Where that names none, any that is no work by hand is replaced.
    UnlessChanged,
    /// Files that stand as they did when the mapper was asked, or as [`SaveOptions::expected`] says: what came later is not replaced.
    AsAsked(Standing),
    /// Whatever is there.
    Always,
}

impl Overwrite {
    /// After a question, if there was one: how the files stood then.
    pub fn agreed(is_agreed: bool, asked: Option<&Standing>) -> Self {
        match asked {
            _ if !is_agreed => Self::IfUnchanged,
            Some(asked) => Self::AsAsked(asked.clone()),
            None => Self::Always,
        }
    }
}

/// Whose place a map is saved in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SavePlace {
    /// The map's own, where [`SaveOptions::expected`] names the file, else another one's.
    #[default]
    AsExpected,
    /// The map's own: it was read from the file or saved to it. What came beside it since is meant for it.
    Own,
    /// That of another map, or of none.
    Other,
}

impl SavePlace {
    /// The one of the two.
    pub fn own_if(is_own: bool) -> Self {
        if is_own { Self::Own } else { Self::Other }
    }
}

/// How to save a map.
#[derive(Clone, Debug, Default)]
pub struct SaveOptions {
    /// Id of the format; `None` takes the one of the extension.
    pub format: Option<String>,
    /// Options of the format.
    pub options: Options,
    /// Ids of sidecars to write even if they were missing and nothing they hold was edited.
    pub extra_sidecars: Vec<String>,
    /// What may be replaced.
    pub overwrite: Overwrite,
    /// The files as they were when the map was opened or last saved.
    pub expected: Stamps,
    /// Whether [`expected`](Self::expected) counts also where it names no file at all: what is there then is somebody else's.
    pub is_expected_whole: bool,
    /// Whose the place is: what lies beside another map's says nothing of this one.
    pub place: SavePlace,
    /// Leaves a sidecar that cannot be changed without risk as it is, instead of failing.
    pub keep_foreign_sidecars: bool,
    /// Whether the user agreed that those stay: nothing is to be asked of them any more.
    pub foreign_sidecars_agreed: bool,
    /// Where what is replaced is kept; `None` keeps nothing.
    pub versions: Option<KeepVersions>,
    /// Who is told before the files are put in place.
    pub before_placing: BeforePlacing,
}

/// A map that was saved.
#[derive(Debug)]
pub struct Saved {
    /// Id of the format.
    pub format: &'static str,
    /// What was lost or left out, and what the game will not like.
    pub report: Report,
    /// The files that changed; those that held the same already are not among them.
    pub written: Vec<PathBuf>,
    /// All files of the set as they are now.
    pub stamps: Stamps,
}

impl Saved {
    /// Whether the files hold but a part of the map, as a level of it that is a floor of a station: a copy, which the map does not
    /// become by that.
    pub fn is_excerpt(&self) -> bool {
        self.report.of(Severity::Loss).any(|loss| loss.code == OUTSIDE_SLICE)
    }
}

/// What saving would lose or change, before a byte is written.
///
/// # Errors
/// As [`save_map`], as far as it can be known before.
pub fn preflight_save(storage: &dyn Storage, snapshot: &Snapshot, path: &Path, options: &SaveOptions) -> Result<Report, SaveError> {
    preflight_with(Plugins::ALL, storage, snapshot, path, options)
}

/// Saves a map with its sidecars: afterwards all files are new, or, on an error, all are as they were.
///
/// Which sidecars: those that were read with the map; those of the format that are made when missing, if
/// metadata or objects were edited or come from another format; those asked for.
/// One that another program changed stays as it is while there is nothing new for it, which is told.
///
/// # Errors
/// If a file cannot be written, was changed by others, or the format cannot hold the map; or the work is cancelled.
pub fn save_map(
    storage: &dyn Storage,
    snapshot: &Snapshot,
    path: &Path,
    options: &SaveOptions,
    progress: &Progress,
) -> Result<Saved, SaveError> {
    save_with(Plugins::ALL, storage, snapshot, path, options, progress)
}

pub(super) fn preflight_with(
    plugins: Plugins,
    storage: &dyn Storage,
    snapshot: &Snapshot,
    path: &Path,
    options: &SaveOptions,
) -> Result<Report, SaveError> {
    let format = choose_format(plugins, path, options)?;
    let options = &with_folders(storage, format, options)?;
    let elsewhere = count_elsewhere(snapshot, format);
    let snapshot = &*from_origin(snapshot, path, format)?;
    let mut report = format.preflight(snapshot, &options.options);
    let message = "objects stand on volumes that are left out, and go with them";
    report.push_count(Severity::Loss, "objects-elsewhere", message, elsewhere);
    if report.warnings.iter().any(|warning| warning.code == DOES_NOT_FIT) {
        // Nobody is asked to agree to losses of a file that cannot be.
        let in_file = |reason| SaveError::format(path, reason);
        format.write(snapshot, &mut io::sink(), &options.options, &Progress::new(), &mut Report::new()).map_err(in_file)?;
    }
    let sidecars = SidecarPlanner { plugins, storage, snapshot, map: path, format, options }.plan(&mut report)?;
    check_all_unchanged(storage, path, &sidecars, options)?;
    report_problems(snapshot, format, &mut report);
    Ok(report)
}

pub(super) fn save_with(
    plugins: Plugins,
    storage: &dyn Storage,
    snapshot: &Snapshot,
    path: &Path,
    options: &SaveOptions,
    progress: &Progress,
) -> Result<Saved, SaveError> {
    let format = choose_format(plugins, path, options)?;
    let options = &with_folders(storage, format, options)?;
    let snapshot = &*from_origin(snapshot, path, format)?;
    let mut report = Report::new();
    for interrupted in folders_of_map(storage, path).iter().flat_map(|folder| complete_interrupted_saves(storage, folder)) {
        tell_interrupted(&interrupted, &mut report);
    }
    let planner = SidecarPlanner { plugins, storage, snapshot, map: path, format, options };
    let planned = planner.plan(&mut report)?;
    let beside_replaced = planner.beside_the_replaced();
    let PlannedSidecars { written: sidecars, left, superseded } = &planned;
    let all = || std::iter::once(path).chain(sidecars.iter().map(|(path, _)| path.as_path()));
    // Where links of the set lead, too, lies what killed calls left.
    let own = folders_of_map(storage, path);
    let targets: Vec<_> = all().chain(left.iter().map(PathBuf::as_path)).filter_map(|path| storage.resolve(path).ok()).collect();
    let linked = folders_once(storage, own.iter().map(PathBuf::as_path).chain(targets.iter().map(|target| folder_of(target))));
    for interrupted in linked.iter().filter(|folder| !own.contains(folder)).flat_map(|folder| complete_interrupted_saves(storage, folder)) {
        tell_interrupted(&interrupted, &mut report);
    }
    let new = |path: &Path| sidecars.iter().find(|(sidecar, _)| sidecar == path).map(|(_, bytes)| bytes.as_slice());
    check_all_unchanged(storage, path, &planned, options)?;
    let begun = all().map(|path| Ok((path, glance(storage, &storage.resolve(path)?)))).collect::<Result<BTreeMap<_, _>, StorageError>>()?;

    // The map is the large one and the one that can fail; it is staged first and put in place last.
    let map = stage_map(storage, snapshot, path, format, options, progress, &mut report)?;
    let mut staged = vec![];
    for (path, bytes) in sidecars {
        let failed = |error| SaveError::Storage(StorageError::at(StorageAction::Write, path)(error));
        staged.push(match Staged::as_it_is(storage, path, bytes)? {
            Some(same) => same,
            None => Staged::write(storage, path, |sink| sink.write_all(bytes).map_err(failed))?,
        });
    }
    staged.push(map);
    progress.check()?;
    // Also those that links lead to: others may know the files by their names there.
    let files = std::iter::once(path).chain(staged.iter().map(|file| &*file.target));
    let folders = folders_once(storage, files.map(folder_of));
    let _claims = wait_for_folders(storage, &folders)?;
    // Another process may have saved here meanwhile, or have been killed over it: what is replaced is what is there now.
    for interrupted in folders.iter().flat_map(|folder| complete_saves(storage, folder, &folders).outcomes) {
        tell_interrupted(&interrupted, &mut report);
    }
    staged.iter_mut().try_for_each(|file| file.look_again(storage))?;
    // Writing took its time: somebody may have been at the files meanwhile.
    staged.iter().rev().try_for_each(|file| check_unchanged(storage, &file.path, new(&file.path), options))?;
    superseded.iter().try_for_each(|files| check_superseded(storage, files, options))?;
    // What was agreed to be replaced, or was not there at all, is what stood there when the save began.
    let before: BTreeMap<_, _> = staged.iter().map(|file| (file.target.clone(), glance(storage, &file.target))).collect();
    let is_unchanged = |target: &Path| before.get(target).is_some_and(|before| glance(storage, target) == *before);
    let is_agreed = |file: &Staged<'_>| {
        let is_as_begun = begun.get(&*file.path) == before.get(&file.target);
        is_as_begun || file.is_in_place() || options.overwrite == Overwrite::IfUnchanged
    };
    if let Some(file) = staged.iter().find(|file| !is_agreed(file) || file.is_without_content()) {
        return Err(SaveError::ChangedOnDisk { path: file.path.clone() });
    }
    for file in staged.iter().filter(|file| is_gone(file, options)) {
        let message = format!("{} was not there any more: it is written anew", shown_name(&file.path));
        report.push(Severity::Problem, "was-gone", message);
    }

    let unreadable = options
        .expected
        .0
        .iter()
        .filter(|(path, stamp)| stamp.unreadable && storage.exists(path).unwrap_or(true))
        .map(|(path, stamp)| (path.clone(), *stamp));
    let left_as_read = left.iter().filter_map(|path| Some((path.clone(), *options.expected.get(path)?)));
    let mut stamps = Stamps(unreadable.chain(left_as_read).collect());
    // Before they are put in place: afterwards a failure to look at a file must not look like a failed save.
    // One that nobody could read, and that came along, can be read no better here.
    let is_broken = |bytes: &[u8]| snapshot.sidecars.iter().any(|file| !file.is_readable && *file.bytes == *bytes);
    for file in &staged {
        let stamp = Stamp { unreadable: new(&file.path).is_some_and(is_broken), ..file.stamp(storage)? };
        stamps.0.insert(file.path.clone(), stamp);
    }
    for file in staged.iter().filter(|file| !file.is_in_place()) {
        tell_other_names(storage, file, &mut report);
        tell_other_owner(storage, file, &mut report);
    }
    let mut kept: Option<(&KeepVersions, Vec<String>)> = None;
    if let Some(keep) = options.versions.as_ref().filter(|keep| keep.count > 0) {
        // The whole set, so that a version opens with its sidecars; nothing where nothing is replaced.
        let replaces = staged.iter().any(|file| file.old.is_some() && !file.is_in_place());
        let unwritten = beside_replaced.iter().filter(|path| !left.contains(path) && staged.iter().all(|file| file.path != **path));
        let left = left.iter().chain(unwritten);
        let left = left.map(|path| Ok((storage.resolve(path)?, shown_name(path)))).collect::<Result<Vec<_>, StorageError>>()?;
        let files = staged.iter().filter(|file| file.old.is_some()).map(|file| (&*file.target, shown_name(&file.path)));
        let files: Vec<_> = left.iter().map(|(target, name)| (&**target, name.clone())).chain(files).collect();
        let is_large = |(target, _): &&(&Path, String)| storage.info(target).is_ok_and(|info| info.len > VERSION_LIMIT);
        if let Some((_, name)) = files.iter().find(is_large).filter(|_| replaces) {
            let message = format!("{name} is larger than {}: no earlier version of it is kept", size_text(VERSION_LIMIT));
            report.push(Severity::Problem, "version-too-large", message);
        } else if replaces {
            if let Err(error) = keep_version(storage, keep, &storage.place(path), &files) {
                let message = format!("The earlier version of {} was not kept: {error}", shown_name(path));
                report.push(Severity::Problem, VERSION_NOT_KEPT, message);
            }
            // Also then: fewer than before may be wanted, because their disk is full.
            kept = Some((keep, files.into_iter().map(|(_, name)| name).collect()));
        }
    }
    // Keeping them took its time, too; what came meanwhile is in no version.
    for file in &staged {
        check_unchanged(storage, &file.path, new(&file.path), options)?;
        if !is_unchanged(&file.target) {
            return Err(SaveError::ChangedOnDisk { path: file.path.clone() });
        }
    }
    staged.retain(|file| !file.is_in_place());
    let written: Vec<PathBuf> = staged.iter().map(|file| file.path.clone()).collect();
    options
        .before_placing
        .tell(&Stamps(stamps.0.iter().filter(|(path, _)| written.contains(path)).map(|(path, stamp)| (path.clone(), *stamp)).collect()));
    let places: Vec<_> = staged.iter().map(|file| (file.path.clone(), file.target.clone())).collect();
    let finished = put_in_place(storage, path, staged, &is_unchanged)?;
    // A save that fails replaces nothing, however often it is tried: it costs no version.
    if let Some((keep, names)) = kept {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        drop_versions(storage, keep, &storage.place(path), &shown_name(path), &names);
    }
    for (path, target) in places {
        if let Some(stamp) = stamps.0.get_mut(&path) {
            stamp.put_in_place(storage, &target);
        }
    }
    if let Some(error) = finished {
        report.push(Severity::Problem, "save-not-finished", format!("The map is saved, but its folder could not be tidied up: {error}"));
    }
    report_problems(snapshot, format, &mut report);
    Ok(Saved { format: format.id(), report, written, stamps })
}

/// Fails as [`check_unchanged`] does for a file of the set, the map before all others, and names those for which it would, too: whoever
/// agrees to replace agrees to all of it.
fn check_all_unchanged(storage: &dyn Storage, map: &Path, sidecars: &PlannedSidecars, options: &SaveOptions) -> Result<(), SaveError> {
    let written = sidecars.written.iter().map(|(path, bytes)| (path, check_unchanged(storage, path, Some(bytes), options)));
    let superseded = sidecars.superseded.iter().map(|files| (&files.0, check_superseded(storage, files, options)));
    let map = std::iter::once((map.to_path_buf(), check_unchanged(storage, map, None, options)));
    let (mut found, mut others) = (None, vec![]);
    for (path, checked) in map.chain(written.chain(superseded).map(|(path, checked)| (path.clone(), checked))) {
        match checked {
            Ok(()) => {}
            Err(error) if error.in_the_way().is_none() => return Err(error),
            Err(_) if found.is_some() => others.push(path),
            Err(error) => found = Some(error),
        }
    }
    match found {
        None => Ok(()),
        Some(error) if others.is_empty() => Err(error),
        Some(first) => Err(SaveError::Several { first: Box::new(first), others }),
    }
}

/// A file is replaced under one name: others for the same content go on to hold the old one.
fn tell_other_names(storage: &dyn Storage, file: &Staged<'_>, report: &mut Report) {
    let names = storage.info(&file.target).map_or(1, |info| info.names);
    if names > 1 {
        let message = format!(
            "{} had {} more (hard links); the file there keeps the old content",
            shown_name(&file.path),
            if names == 2 { "one name".to_owned() } else { format!("{} names", names - 1) }
        );
        report.push(Severity::Problem, "hard-links", message);
    }
}

/// Who may not give files away takes those for their own that they replace: whoever had them may not be allowed to read or change them then.
fn tell_other_owner(storage: &dyn Storage, file: &Staged<'_>, report: &mut Report) {
    let [old, new] = [&file.target, &file.temp].map(|path| storage.info(path).ok().and_then(|info| info.owner));
    let (Some((old_user, old_group)), Some((user, group))) = (old, new) else { return };
    let name = shown_name(&file.path);
    if old_user != user {
        let message = format!(
            "{name} belonged to another user (number {old_user}) and belongs to you from now on: see that they still may read and change it"
        );
        report.push(Severity::Problem, "owner-changed", message);
    } else if old_group != group {
        let message = format!(
            "{name} belonged to a group that you are not in (number {old_group}) and does not any more: see that they still may read and \
             change it"
        );
        report.push(Severity::Problem, "owner-changed", message);
    }
}

/// Fails if the name is none that a map can be saved under, before there is one.
///
/// # Errors
/// [`SaveError::NoFileName`] or [`SaveError::UnknownExtension`].
pub fn check_map_name(path: &Path) -> Result<(), SaveError> {
    choose_format(Plugins::ALL, path, &SaveOptions::default()).map(|_| ())
}

fn choose_format(plugins: Plugins, path: &Path, options: &SaveOptions) -> Result<&'static dyn MapFormat, SaveError> {
    if path.file_name().is_none() {
        return Err(SaveError::NoFileName { path: path.into() });
    }
    match &options.format {
        Some(id) => plugins.format(id).ok_or_else(|| SaveError::NoSuchFormat { id: id.clone() }),
        None => {
            let extension = path.extension().and_then(OsStr::to_str);
            let has = |format: &&dyn MapFormat| {
                extension.is_some_and(|extension| format.extensions().iter().any(|own| own.eq_ignore_ascii_case(extension)))
            };
            plugins.formats.iter().copied().find(has).ok_or_else(|| SaveError::UnknownExtension { path: path.into() })
        }
    }
}

/// The options with what folders say in place of the folders.
fn with_folders(storage: &dyn Storage, format: &dyn MapFormat, options: &SaveOptions) -> Result<SaveOptions, SaveError> {
    // What there is to tell of the folder was told when the map was opened.
    let read = with_folders_read(storage, format, &options.options, &mut Report::new());
    Ok(SaveOptions { options: read.map_err(|(path, reason)| SaveError::format(&path, reason))?, ..options.clone() })
}

/// How many objects stand on volumes that another format than the map's own leaves out.
fn count_elsewhere(snapshot: &Snapshot, format: &dyn MapFormat) -> u64 {
    let is_own = snapshot.source.as_ref().is_none_or(|source| source.format == format.id());
    let elsewhere = |object: &Object| object.volume() != snapshot.active();
    if is_own || snapshot.volumes().len() < 2 { 0 } else { snapshot.objects.iter().filter(|(_, object)| elsewhere(object)).count() as u64 }
}

/// The map as another format than its own counts: from the corner of its voxels. What stands on it moves along; what stands on other
/// volumes is left out.
fn from_origin<'a>(snapshot: &'a Snapshot, path: &Path, format: &dyn MapFormat) -> Result<Cow<'a, Snapshot>, SaveError> {
    let bounds = snapshot.bounds();
    let is_own = snapshot.source.as_ref().is_none_or(|source| source.format == format.id());
    if count_elsewhere(snapshot, format) > 0 {
        let mut alone = snapshot.clone();
        Arc::make_mut(&mut alone.objects).0.retain(|_, object| object.volume() == snapshot.active());
        return from_origin(&alone, path, format).map(|moved| Cow::Owned(moved.into_owned()));
    }
    if is_own || bounds.min() == IVec3::ZERO || bounds.is_empty() {
        return Ok(Cow::Borrowed(snapshot));
    }
    let rule = "a map whose corner is not its origin is converted up to 4096 voxels a side: crop it first";
    let misfit = |_| SaveError::format(path, FormatError::DoesNotFit { size: bounds.size(), rule });
    let change = plan(snapshot, &Command::Resize(ops::Resize { region: bounds }), &Progress::new()).map_err(misfit)?;
    let mut moved = snapshot.clone();
    History::new().commit(&mut moved, change);
    Ok(Cow::Owned(moved))
}

/// Writes the map to a temporary file, reads it back and decodes it.
fn stage_map<'a>(
    storage: &'a dyn Storage,
    snapshot: &Snapshot,
    path: &Path,
    format: &dyn MapFormat,
    options: &SaveOptions,
    progress: &Progress,
    report: &mut Report,
) -> Result<Staged<'a>, SaveError> {
    let in_file = |reason: FormatError| match reason {
        FormatError::Io(error) => StorageError::at(StorageAction::Write, path)(error).into(),
        reason => SaveError::format(path, reason),
    };
    check_room(storage, path, format.least_size(snapshot))?;
    let staged = Staged::write(storage, path, |sink| format.write(snapshot, sink, &options.options, progress, report).map_err(in_file))?;
    let written = storage.open(&staged.temp)?;
    format.verify(snapshot, &*written, &options.options, progress).map_err(in_file)?;
    Ok(staged)
}

/// Fails where a file of so many bytes has no room beside its place, before the disk is filled with a part of it.
fn check_room(storage: &dyn Storage, path: &Path, needed: u64) -> Result<(), StorageError> {
    let target = storage.resolve(path)?;
    match storage.free_space(folder_of(&target)).filter(|free| *free < needed) {
        None => Ok(()),
        Some(free) => {
            let figures = format!("it takes at least {}, and its disk has {} left", size_text(needed), size_text(free));
            Err(StorageError::at(StorageAction::Write, path)(io::Error::new(io::ErrorKind::StorageFull, figures)))
        }
    }
}

/// Whether a file that was read or written before is not there any more, where nobody was asked about it.
fn is_gone(file: &Staged<'_>, options: &SaveOptions) -> bool {
    let is_known = options.expected.get(&file.path).is_some_and(|stamp| !stamp.unreadable);
    is_known && file.old.is_none() && options.overwrite == Overwrite::UnlessChanged
}

/// Adds what the game will not like, if the file is for that game.
fn report_problems(snapshot: &Snapshot, format: &dyn MapFormat, report: &mut Report) {
    if format.profile().is_some_and(|profile| profile.id != snapshot.profile.id) {
        return;
    }
    for problem in check(snapshot) {
        let severity = Severity::Problem;
        if problem.positions.is_empty() {
            report.push(severity, problem.code, problem.message);
        } else {
            report.push_at(severity, problem.code, problem.message, &problem.positions);
        }
    }
}
