//! Sidecars of a save: which are written and with what, and what is told of those that are not.

use std::path::{Path, PathBuf};

use super::foreign::{is_out_of_reach, is_somebody_elses, missing_lines};
use super::older::is_taken_over;
use super::open::SIDECAR_LIMIT;
use super::{Plugins, SaveError, SaveOptions, lies_there, shown_name, sidecar_path};
use crate::document::{Document, Metadata, Objects, Snapshot};
use crate::editor::storage::{ContentHash, Storage};
use crate::format::{FormatError, JSON_NOT_WRITTEN, MapFormat, Report, Severity, Sidecar, Warning};

/// Code of a warning: a file that may not fit the map is read with it.
const SIDECAR_OF_ANOTHER: &str = "sidecar-of-another-map";
/// Code of a warning: what another program wrote beside the map stays.
pub(super) const SIDECAR_LEFT: &str = "sidecar-left";
/// Code of a warning: in place of what could not be read beside the map that was opened, and that stays there, another file is made.
const SIDECAR_MADE_ANEW: &str = "sidecar-made-anew";

/// Code of a warning: what could not be read comes along to another place, where other files say what was edited.
const SIDECAR_CAME_DAMAGED: &str = "sidecar-came-damaged";

/// Whether a warning of a save says that a file beside the map holds what others put there: read with it, the map is another one.
pub fn leaves_what_others_say(warning: &Warning) -> bool {
    warning.code == SIDECAR_OF_ANOTHER || leaves_out_what_the_map_says(warning)
}

/// Whether a warning of a save says that others took what the map says in such a file out of it.
pub fn leaves_out_what_the_map_says(warning: &Warning) -> bool {
    warning.code == SIDECAR_LEFT
}

/// Whether a warning of a save says that it leaves as it was what nobody could read: the map itself is saved with all that it says.
pub fn leaves_only_what_nobody_could_read(warning: &Warning) -> bool {
    [SIDECAR_MADE_ANEW, SIDECAR_CAME_DAMAGED].contains(&warning.code)
}

/// What it hangs on which sidecars a save writes.
#[derive(Clone, Copy)]
pub(super) struct SidecarPlanner<'a> {
    pub plugins: Plugins,
    pub storage: &'a dyn Storage,
    pub snapshot: &'a Snapshot,
    /// Where the map is saved.
    pub map: &'a Path,
    pub format: &'static dyn MapFormat,
    pub options: &'a SaveOptions,
}

/// What a save does with the sidecars.
#[derive(Default)]
pub(super) struct PlannedSidecars {
    /// Those to write, in the registry's order, with their new content.
    pub written: Vec<(PathBuf, Vec<u8>)>,
    /// Those that another program changed and that there is nothing new for, or that are read with the map and never written: they stay.
    pub left: Vec<PathBuf>,
    /// Those that are read with the map up to now and no more once one of those is written: as for a file that is replaced, what
    /// somebody else did to them since is not to be passed over without a word. With the one that is written.
    pub superseded: Vec<(PathBuf, PathBuf)>,
}

impl<'a> SidecarPlanner<'a> {
    /// What becomes of each sidecar.
    ///
    /// # Errors
    /// A sidecar that cannot be written, or one that was asked for and that the format has not.
    pub fn plan(self, report: &mut Report) -> Result<PlannedSidecars, SaveError> {
        let is_of_format = |id: &str| self.plugins.sidecars_of(self.format.id()).any(|sidecar| sidecar.id() == id);
        let (mut planned, mut in_force, mut superseded) = (vec![], vec![], vec![]);
        let mut told_if_written = vec![];
        for sidecar in self.plugins.sidecars_of(self.format.id()) {
            let path = sidecar_path(self.map, sidecar.suffix());
            if path != self.map && sidecar.goes_along() {
                let mut if_written = Report::new();
                let bytes = self.plan_one(sidecar, &path, report, &mut if_written)?;
                told_if_written.push((path.clone(), if_written));
                let older = self.older_in_force(sidecar, &path);
                // It is enough until something of what it says is edited.
                let is_news = |bytes: &Vec<u8>| older.as_ref().is_none_or(|(_, stamp)| stamp.hash != ContentHash::of(bytes));
                let mut bytes = bytes.filter(is_news);
                if let Some(older) = bytes.as_ref().and_then(|bytes| self.nothing_new_but_of(sidecar, &path, bytes)) {
                    let is_the_same = |bytes: Vec<u8>| self.storage.read(&path, SIDECAR_LIMIT).is_ok_and(|there| *there == *bytes);
                    if !bytes.take().is_some_and(is_the_same) {
                        let message = format!(
                            "{} came beside the map since and stays as it is: what {} said of the map is not in it, and counts no more",
                            shown_name(&path),
                            shown_name(&older)
                        );
                        report.push(Severity::Problem, SIDECAR_LEFT, message);
                    }
                }
                superseded.extend(self.tell_of_olders(sidecar, &path, bytes.is_some(), report));
                planned.extend(bytes.map(|bytes| (path, bytes)));
                in_force.extend(older.map(|(older, _)| older));
            }
        }
        if let Some(id) = self.options.extra_sidecars.iter().find(|id| !is_of_format(id)) {
            return Err(SaveError::NoSuchSidecar { id: id.clone(), format: self.format.id() });
        }
        let to_write: Vec<PathBuf> = planned.iter().map(|(path, _)| path.clone()).collect();
        let mut kept = self.without_those_of_others(planned, report)?;
        // Of what is in the way of it, other things are told.
        let stays =
            |path: &PathBuf| to_write.contains(path) && !kept.left.contains(path) && kept.written.iter().all(|file| file.0 != *path);
        told_if_written.into_iter().filter(|(path, _)| !stays(path)).for_each(|(_, told)| report.extend(told));
        kept.left.extend(in_force);
        kept.superseded = superseded;
        self.tell_of_those_left_behind(report);
        if let Some(source) = self.snapshot.source.as_deref().filter(|source| source.format != self.format.id())
            && let Some(format) = self.plugins.format(source.format)
        {
            format.tell_only_here(source, report);
        }
        Ok(kept)
    }

    /// The new content of a sidecar, if it is written at all; what is told if it is in the end goes into the second report.
    fn plan_one(
        self,
        sidecar: &dyn Sidecar,
        path: &Path,
        report: &mut Report,
        if_written: &mut Report,
    ) -> Result<Option<Vec<u8>>, SaveError> {
        let Self { storage, snapshot, options, .. } = self;
        let stays_behind = |bytes: &&[u8]| sidecar.is_of_other_map(bytes) && matches!(storage.exists(path), Ok(false));
        let before = self.read_before(sidecar, true).filter(|bytes| !stays_behind(bytes));
        // One that nobody could read and that is gone now stands in nobody's way.
        let all = || std::iter::once(path.to_path_buf()).chain(self.olders_of(sidecar));
        let was_unreadable = all().any(|path| options.expected.is_unreadable(&path));
        // What an older one says is not known where it leads to a disk that is away.
        let leads_nowhere = |older: &Path| {
            !self.is_elsewhere() && older != path && matches!(storage.exists(older), Ok(false)) && lies_there(storage, older)
        };
        let is_in_the_way =
            |path: &Path| (options.expected.is_unreadable(path) && storage.exists(path).unwrap_or(true)) || leads_nowhere(path);
        let in_the_way = all().find(|path| is_in_the_way(path));
        let is_unreadable = in_the_way.is_some();
        // Once it was made anew, it can be read.
        let is_still_there =
            |bytes: &&[u8]| options.expected.get(path).is_none_or(|stamp| stamp.unreadable || stamp.hash == ContentHash::of(bytes));
        let broken = self.read_before(sidecar, false).filter(|_| is_unreadable || !was_unreadable).filter(is_still_there);
        let is_news = has_news(snapshot, self.format.id());
        let is_asked = options.extra_sidecars.iter().any(|id| id == sidecar.id());
        let is_wanted = is_asked
            || before.is_some()
            || broken.is_some()
            || self.has_older_there(sidecar)
            || self.is_left_of_another_map(sidecar, path)
            || (is_unreadable && self.has_news_for(sidecar))
            || (is_news && self.is_heir(sidecar))
            || (is_news && sidecar.made_when_missing(self.format.id()))
            // It was made by an earlier save; the edit may have been taken back since.
            || options.expected.get(path).is_some_and(|stamp| !stamp.unreadable);
        if !is_wanted {
            self.tell_of_stranger(path, report);
            return Ok(None);
        }
        if let Some(in_the_way) = in_the_way {
            // What an earlier save wrote into the own one says what was edited until then.
            let is_missed =
                self.has_news_for(sidecar) || self.is_elsewhere() || options.expected.get(path).is_some_and(|stamp| !stamp.unreadable);
            let name = shown_name(&in_the_way);
            if is_missed {
                let way_out = "what was edited is not in it: move it away and save again, or mend it and open the map anew";
                report.push(Severity::Loss, "sidecar-unreadable", format!("{name} could not be read and stays as it is; {way_out}"));
            } else {
                report.push(Severity::Problem, "sidecar-unreadable", format!("{name} could not be read and stays as it is"));
            }
            return Ok(None);
        }
        if let Some(bytes) = broken {
            let (name, is_missed) = (shown_name(path), self.has_news_for(sidecar));
            if is_missed && self.is_elsewhere() && sidecar.made_when_missing(self.format.id()) {
                let message = format!("what could not be read beside the map that was opened does not come along: {name} is made anew");
                if_written.push(Severity::Loss, SIDECAR_MADE_ANEW, message);
            } else {
                let (severity, edited) =
                    if is_missed { (Severity::Loss, "; what was edited is not in it") } else { (Severity::Problem, "") };
                let code = if is_missed && self.is_elsewhere() { SIDECAR_CAME_DAMAGED } else { "sidecar-unreadable" };
                if_written.push(severity, code, format!("{name} could not be read and comes along as it is{edited}"));
                return Ok(Some(bytes.to_vec()));
            }
        }
        let counts_more =
            sidecar.superseded_by().filter(|other| snapshot.sidecars.iter().any(|file| file.sidecar == *other && file.is_readable));
        if let (Some(bytes), Some(other), false) = (before, counts_more, is_asked) {
            if is_news {
                let heir =
                    self.plugins.sidecar(other).map_or_else(|| other.into(), |heir| shown_name(&sidecar_path(self.map, heir.suffix())));
                let message = format!(
                    "{} stays as it is and is out of date now: edits go to {heir}, which counts more; remove it unless something else reads it",
                    shown_name(path)
                );
                report.push(Severity::Info, "sidecar-superseded", message);
            }
            return Ok(Some(bytes.to_vec()));
        }
        let written = self.written(sidecar, path, before, if_written)?;
        if written.is_none() {
            self.tell_of_stranger(path, report);
        }
        Ok(written)
    }

    /// What a sidecar holds once it is written.
    fn written(self, sidecar: &dyn Sidecar, path: &Path, before: Option<&[u8]>, report: &mut Report) -> Result<Option<Vec<u8>>, SaveError> {
        let (snapshot, options) = (self.snapshot, self.options);
        let is_asked = options.extra_sidecars.iter().any(|id| id == sidecar.id());
        if before.is_some_and(<[u8]>::is_empty) && !has_news(snapshot, self.format.id()) && !is_asked && !self.is_elsewhere() {
            return Ok(Some(vec![]));
        }
        // What a write that fails told of did not happen.
        let mut told = Report::new();
        let written = sidecar.write(snapshot, before, &mut told);
        if written.is_ok() {
            // Nobody should remove what is all that can be read.
            told.warnings.retain(|warning| warning.code != JSON_NOT_WRITTEN || !self.is_only_readable(sidecar));
            report.extend(told);
        }
        match written {
            // It would be written and not be read again.
            Ok(Some(bytes)) if bytes.len() > sidecar.most_bytes() && before != Some(&*bytes) => {
                let (length, most) = (bytes.len() as u64, sidecar.most_bytes() as u64);
                Err(SaveError::format(path, FormatError::FileTooLarge { length, most }))
            }
            Ok(Some(bytes)) => Ok(Some(bytes)),
            // An earlier save made it, or it is another map's, and there is nothing to hold: what it says must go.
            Ok(None) if before.is_none() && (options.expected.get(path).is_some() || self.would_say_more(sidecar, path)) => {
                sidecar.write(snapshot, Some(&[]), report).map_err(|reason| SaveError::format(path, reason))
            }
            Ok(None) => Ok(None),
            Err(FormatError::ForeignScript { .. } | FormatError::NotAScript) if options.keep_foreign_sidecars => {
                let Some(before) = before else { return Ok(None) };
                let bytes = sidecar.write_what_fits(snapshot, before, report).unwrap_or_else(|reason| {
                    let message = format!("{}: {reason}. The file stays as it is", shown_name(path));
                    report.push(Severity::Loss, "sidecar-foreign", message);
                    // Beside a map of another name the script comes along as it is.
                    before.to_vec()
                });
                Ok(Some(bytes))
            }
            Err(reason) => Err(SaveError::format(path, reason)),
        }
    }

    /// Whether there is something new, and a place for it in this one, or in the one that its edits go into.
    fn has_news_for(self, sidecar: &dyn Sidecar) -> bool {
        let heir = sidecar.superseded_by().and_then(|id| self.plugins.sidecar(id));
        let sidecar = heir.unwrap_or(sidecar);
        let (map, mut before) = (self.snapshot, Document::clone(self.snapshot));
        (before.objects, before.metadata) = (map.opened.objects.clone(), map.opened.metadata.clone());
        let written = |map: &Snapshot| sidecar.write(map, None, &mut Report::new());
        has_news(map, self.format.id())
            && match written(map) {
                Ok(None) => false,
                Ok(now) => is_converted(map, self.format.id()) || written(&before).ok() != Some(now),
                Err(_) => true,
            }
    }

    /// What a sidecar held when the map was read, if it was there and could be read, or could not be.
    pub(super) fn read_before(self, sidecar: &dyn Sidecar, is_readable: bool) -> Option<&'a [u8]> {
        let of = |is_meant: &dyn Fn(&str) -> bool| {
            self.snapshot.sidecars.iter().rfind(|file| file.is_readable == is_readable && is_meant(file.sidecar))
        };
        let is_older = |id: &str| self.plugins.sidecar(id).is_some_and(|older| is_taken_over(older, sidecar));
        // What one says that is never written itself is taken over.
        let found = of(&|id| id == sidecar.id()).or_else(|| of(&is_older));
        found.map(|file| &*file.bytes)
    }

    /// Whether the file that counts more than this one cannot be read, nor is it written anew.
    fn is_only_readable(self, sidecar: &dyn Sidecar) -> bool {
        let Some(other) = sidecar.superseded_by().and_then(|id| self.plugins.sidecar(id)) else { return false };
        let path = sidecar_path(self.map, other.suffix());
        match self.options.expected.is_unreadable(&path) {
            true => self.storage.exists(&path).unwrap_or(true),
            // Elsewhere it comes along as it is.
            false => self.read_before(other, false).is_some(),
        }
    }

    /// Whether the edits of an older file, which is never written, go into this one, which counts more.
    fn is_heir(self, sidecar: &dyn Sidecar) -> bool {
        let mut readable = self.snapshot.sidecars.iter().filter(|file| file.is_readable);
        readable.any(|file| self.plugins.sidecar(file.sidecar).and_then(Sidecar::superseded_by) == Some(sidecar.id()))
    }

    /// Tells of a file in the place of a sidecar that is not written and that the map did not bring along: it is read with the
    /// map all the same.
    pub(super) fn tell_of_stranger(self, path: &Path, report: &mut Report) {
        let message = match self.storage.exists(path) {
            Ok(true) if self.options.expected.get(path).is_none() => {
                let is_read = if self.says_something(path) { ", and is read with the map" } else { "" };
                let name = shown_name(path);
                let whose =
                    if self.is_elsewhere() { format!("{name} was there before and") } else { format!("somebody else saved {name}, which") };
                format!("{whose} may not fit the map; it stays as it is{is_read}")
            }
            Ok(false) if self.is_elsewhere() && lies_there(self.storage, path) => {
                format!(
                    "{} is a link to what is not there for now: once it is, it is read with the map and may not fit it",
                    shown_name(path)
                )
            }
            Ok(_) => return,
            Err(error) => format!("{} stays as it is: {}", shown_name(path), error.reason_in_words()),
        };
        // Beside the map's own file somebody put it there for the map; elsewhere the map is not what was saved with it.
        let severity = if self.is_elsewhere() { Severity::Loss } else { Severity::Problem };
        report.push(severity, SIDECAR_OF_ANOTHER, message);
    }

    /// Those in whose place no file is that must stay as it is.
    fn without_those_of_others(self, planned: Vec<(PathBuf, Vec<u8>)>, report: &mut Report) -> Result<PlannedSidecars, SaveError> {
        let Self { plugins, storage, options, .. } = self;
        let format = self.format.id();
        let mut kept = PlannedSidecars::default();
        for (path, bytes) in planned {
            let name = shown_name(&path);
            if let Some(why) = is_out_of_reach(storage, &path, options) {
                let message =
                    format!("{name} stays as it is, {why}; what belongs there is not in it: move it elsewhere or remove it and save again");
                report.push(Severity::Loss, "sidecar-not-written", message);
            } else if self.is_only_theirs(&path, &bytes)? && self.says_something(&path) {
                report.push(Severity::Problem, SIDECAR_LEFT, left_text(&name));
                kept.left.push(path);
            } else if is_somebody_elses(plugins, format, storage, &path, &bytes, options)? && !self.was_read_with_it(&path) {
                let there = storage.read(&path, SIDECAR_LIMIT)?;
                let is_of_other =
                    |sidecar: &dyn Sidecar| path.to_string_lossy().ends_with(sidecar.suffix()) && sidecar.is_of_other_map(&there);
                let whose = match plugins.sidecars_of(format).any(is_of_other) {
                    true => "belongs to another map of that name",
                    false => "holds what somebody wrote by hand",
                };
                let missing = missing_lines(&there, &bytes);
                let message = if missing.is_empty() {
                    let is_read = if self.says_something(&path) { " and is read with the map" } else { "" };
                    format!("{name} {whose} and stays as it is: it may not fit the map{is_read}")
                } else {
                    format!("{name} {whose} and stays as it is; what belongs there is not in it: {missing}")
                };
                report.push(Severity::Loss, "sidecar-foreign", message);
            } else {
                kept.written.push((path, bytes));
            }
        }
        Ok(kept)
    }

    /// Whether what lies there is what was read beside the map, also where nobody could understand it: a link leads there, or it came along with an
    /// earlier save.
    fn was_read_with_it(self, path: &Path) -> bool {
        let Ok(there) = self.storage.read(path, SIDECAR_LIMIT) else { return false };
        self.snapshot.sidecars.iter().any(|file| *file.bytes == *there)
    }

    /// Whether what would be written is what the file held when it was read or written last, and holds no more.
    fn is_only_theirs(self, path: &Path, bytes: &[u8]) -> Result<bool, SaveError> {
        let Self { storage, options, .. } = self;
        let unedited = options.expected.get(path).filter(|stamp| !stamp.unreadable && stamp.hash == ContentHash::of(bytes));
        let target = storage.resolve(path)?;
        Ok(match unedited {
            Some(stamp) => storage.exists(&target)? && !stamp.still_holds(storage, &target)?,
            None => false,
        })
    }

    /// Whether what lies there can be read and says anything of the map: what is damaged or empty is no work of somebody else that stays without a
    /// question.
    pub(super) fn says_something(self, path: &Path) -> bool {
        let Ok(there) = self.storage.read(path, SIDECAR_LIMIT) else { return false };
        let mut all = self.plugins.sidecars_of(self.format.id()).filter(|sidecar| sidecar_path(self.map, sidecar.suffix()) == path);
        all.any(|sidecar| sidecar.says_something(&there, self.snapshot))
    }

    /// Tells of sidecars that do not go with the format that is written.
    fn tell_of_those_left_behind(self, report: &mut Report) {
        let ours = || self.plugins.sidecars_of(self.format.id());
        let of = |is_readable: bool| self.snapshot.sidecars.iter().filter(move |file| file.is_readable == is_readable);
        for file in of(true).chain(of(false)).filter(|file| ours().all(|other| other.id() != file.sidecar)) {
            let Some(sidecar) = self.plugins.sidecar(file.sidecar) else { continue };
            // What Spadework wrote from what it knows of the map goes with the map.
            let has_place = ours().any(|other| other.holds_all() || other.kind() == sidecar.kind());
            if has_place && crate::format::is_wholly_ours(sidecar, &file.bytes, self.snapshot) {
                continue;
            }
            // The same file, as maps of the other format read it.
            if ours().any(|other| other.goes_along() && other.suffix() == sidecar.suffix()) {
                continue;
            }
            let message = format!(
                "The {} (name{}) does not go with the format {}: what only it holds, such as code, comments and entries that Spadework does \
                 not know, is not in the copy",
                sidecar.label(),
                sidecar.suffix(),
                self.format.label()
            );
            report.push(Severity::Loss, "sidecar-left-behind", message);
        }
    }
}

pub(super) fn left_text(name: &str) -> String {
    format!("{name} was changed by another program and stays as it is: there is nothing new to write into it")
}

/// Whether metadata or objects hold something that the files do not: edited, or read from another format.
fn has_news(snapshot: &Snapshot, format: &str) -> bool {
    if snapshot.metadata != snapshot.opened.metadata || snapshot.objects != snapshot.opened.objects {
        return true;
    }
    is_converted(snapshot, format) && (*snapshot.metadata != Metadata::default() || *snapshot.objects != Objects::default())
}

fn is_converted(snapshot: &Snapshot, format: &str) -> bool {
    snapshot.source.as_ref().is_some_and(|source| source.format != format)
}
