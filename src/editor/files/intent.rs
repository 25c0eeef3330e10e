//! The record that makes a set of files change as a whole.
//!
//! While the record lies in the folder, everything that it names is complete on the disk: the new files as
//! temporary files, and copies of the old ones. Whoever finds it can go forward (all new files are there),
//! or else back (the copies are there). It names only the map whose record it is and files of
//! the same stem in its own folder, so that a record in a folder from a stranger cannot reach anything else.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::places::names_of_map;
use super::staging::Staged;
use super::stamp::hash_of;
use super::{SaveError, shown_name};
use crate::editor::storage::{
    ContentHash, Storage, StorageAction, StorageError, StoredPath, TempGuard, folder_of, hidden_beside, replace_file, temp_owner,
    write_temp,
};
use crate::format::Severity;

/// What the names of intent records end with.
const INTENT_TAIL: &str = ".spadework-intent";
/// Records of one map that may lie in a folder, all but one of them damaged.
const MAX_RECORDS: usize = 100;
/// Files that a set has at most: a map has five kinds of others beside it.
const MAX_FILES: usize = 16;
/// Largest record that is read.
const INTENT_LIMIT: u64 = 1 << 20;
/// Largest old file of which a copy is kept while its set changes. Only the map may be larger; it comes last and needs none.
const COPY_LIMIT: u64 = 256 << 20;

/// What became of a save that was interrupted.
#[derive(Debug)]
pub enum Interrupted {
    /// All files are the new ones now.
    Completed {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// All files are the old ones again.
    TakenBack {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// The files were changed by others since; they stay as they are.
    LeftAlone {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// It could not be dealt with now; the record stays for the next time.
    Failed {
        /// Why.
        reason: StorageError,
    },
    /// A record that does not make sense; it stays as it is.
    NotOurs {
        /// The record.
        path: PathBuf,
    },
}

impl Interrupted {
    /// How much it matters to the mapper.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Completed { .. } | Self::TakenBack { .. } => Severity::Repair,
            Self::LeftAlone { .. } | Self::Failed { .. } | Self::NotOurs { .. } => Severity::Problem,
        }
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The call that settles it may be about a map elsewhere.
        let place = |path: &Path| match folder_of(path) {
            folder if folder.as_os_str().is_empty() || folder == Path::new(".") => String::new(),
            folder => format!(" in {}", folder.display()),
        };
        let names = |files: &[PathBuf]| {
            let names: Vec<String> = files.iter().map(|path| shown_name(path)).collect();
            format!("{}{}", names.join(", "), files.first().map_or_else(String::new, |path| place(path)))
        };
        match self {
            Self::Completed { files } => write!(f, "A save that was interrupted is complete now: {}", names(files)),
            Self::TakenBack { files } => write!(f, "A save that was interrupted was taken back: {}", names(files)),
            Self::LeftAlone { files } => {
                let rest = "What they held before is among the earlier versions of the map, where those are kept";
                write!(f, "A save was interrupted and the files changed since; check that they belong together: {}. {rest}", names(files))
            }
            Self::Failed { reason } => write!(f, "A save that was interrupted could not be completed: {reason}"),
            Self::NotOurs { path } => write!(
                f,
                "The record of an interrupted save is damaged and was left alone: {}. Check that the map and the files beside it belong \
                 together, then delete it",
                format_args!("{}{}", shown_name(path), place(path))
            ),
        }
    }
}

/// One file of the set. Names only, within the folder of the record.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The file's name as the mapper knows it.
    file: StoredPath,
    /// Name of the new file, beside where links lead.
    temp: StoredPath,
    /// Content of the new file.
    hash: ContentHash,
    /// Content of the old file; `None` if there was none.
    old: Option<ContentHash>,
    /// Name of the copy of the old file; `None` for the last one, which needs none.
    copy: Option<StoredPath>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Intent {
    version: u32,
    /// In the order in which they are put in place: the map last.
    files: Vec<Entry>,
}

/// An entry with its places looked up.
struct Place<'a> {
    entry: &'a Entry,
    target: PathBuf,
    temp: PathBuf,
    copy: Option<PathBuf>,
    /// Whether no link leads to it, so that it lies in the folder of the record.
    is_within: bool,
    /// Content of the file in place now.
    now: Option<ContentHash>,
}

/// Puts a set of files in place, the last one last: afterwards all are new, or, on an error, all are old.
///
/// `is_unchanged` is asked about each place just before it gets its new file: it is not replaced if somebody else
/// changed what is there.
///
/// What is in the way of a guarantee only after the last file is in place (a sync, the removal of the
/// record) is not an error any more; it is answered beside.
/// # Errors
/// [`SaveError::ChangedOnDisk`], or why a file cannot be written.
pub(super) fn put_in_place(
    storage: &dyn Storage,
    map: &Path,
    staged: Vec<Staged<'_>>,
    is_unchanged: &dyn Fn(&Path) -> bool,
) -> Result<Option<StorageError>, SaveError> {
    let put = |temp: &Path, path: &Path, target: &Path, replaces: bool| {
        if !is_unchanged(target) {
            return Err(SaveError::ChangedOnDisk { path: path.into() });
        }
        storage.move_into_place(temp, target, replaces).map_err(|error| match error.reason.kind() {
            ErrorKind::AlreadyExists => SaveError::ChangedOnDisk { path: path.into() },
            _ => error.into(),
        })
    };
    let [_, _, ..] = staged.as_slice() else {
        let Some(only) = staged.into_iter().next() else { return Ok(None) };
        put(&only.temp, &only.path, &only.target, only.old.is_some())?;
        only.guard.release();
        return Ok(storage.sync_folder(folder_of(&only.target)).err());
    };
    let mut copies = vec![];
    let mut entries = vec![];
    let names = names_of(storage, map, &staged);
    for ((index, file), name) in staged.iter().enumerate().zip(&names) {
        let is_last = index + 1 == staged.len();
        let copy = match file.old {
            Some(_) if !is_last => {
                let copy = write_temp(storage, &file.target, &storage.read(&file.target, COPY_LIMIT)?)?;
                copies.push(TempGuard::new(storage, &copy));
                Some(copy)
            }
            _ => None,
        };
        entries.push(Entry {
            file: name_of(name),
            temp: name_of(&file.temp),
            hash: file.hash,
            old: file.old,
            copy: copy.as_deref().map(name_of),
        });
    }
    let intent = Intent { version: 1, files: entries };
    // Invariant: there are at least two, so there is a last one; its name is the map's.
    let record = names.last().map_or_else(|| Ok(folder_of(map).join(INTENT_TAIL)), |last| free_record(storage, last))?;
    let json = serde_json::to_vec(&intent).map_err(|error| StorageError::at(StorageAction::Write, &record)(error.into()))?;
    let write = || {
        staged.iter().try_for_each(|file| storage.sync_folder(folder_of(&file.target)))?;
        replace_file(storage, &record, &json)
    };
    if let Err(error) = write() {
        // The record may be in place already, with only the sync failed.
        if storage.exists(&record).unwrap_or(true) {
            storage.remove(&record)?;
        }
        return Err(error.into());
    }
    // From here on the record looks after the temporary files, whatever happens to this process.
    copies.into_iter().for_each(TempGuard::release);
    let places = |file: &Staged<'_>| ([&file.temp, &file.path, &file.target].map(PathBuf::clone), file.old.is_some());
    let targets: Vec<_> = staged.iter().map(places).collect();
    staged.into_iter().for_each(|file| file.guard.release());
    for ([temp, path, target], replaces) in &targets {
        if let Err(error) = put(temp, path, target, *replaces) {
            // Another process may have found the record and been faster.
            if storage.exists(temp).unwrap_or(true) {
                if let Ok(places) = look_up(storage, &record, &intent) {
                    take_back(storage, &record, &places).ok();
                }
                return Err(error);
            }
        }
    }
    let finish = || {
        targets.iter().try_for_each(|([.., target], _)| storage.sync_folder(folder_of(target)))?;
        clean_up(storage, &record, &look_up(storage, &record, &intent)?)
    };
    Ok(finish().err())
}

/// The paths by which the record names the files. Where a link leads to the map, and links to all that change lead to the same
/// folder and name there, they are those there: whoever knows them without the links finds the record, too.
fn names_of(storage: &dyn Storage, map: &Path, staged: &[Staged<'_>]) -> Vec<PathBuf> {
    let names: Vec<PathBuf> = staged.iter().map(|file| file.path.clone()).collect();
    // Where the map is, records are looked for, and nowhere else.
    let Some(place) = names_of_map(storage, map).into_iter().nth(1) else { return names };
    let places: Vec<PathBuf> = names.iter().map(|name| storage.place(name)).collect();
    let Some((last, others)) = places.split_last() else { return names };
    let belongs = |file: &PathBuf| folder_of(file) == folder_of(&place) && (*file == place || is_beside(&place, file));
    let is_once = others.iter().enumerate().all(|(index, file)| file != last && !others.iter().skip(index + 1).any(|other| other == file));
    if is_once && places.iter().all(belongs) && others.iter().all(|file| is_beside(last, file)) { places } else { names }
}

/// Whether a file has a name as those beside a map have.
fn is_beside(map: &Path, file: &Path) -> bool {
    let stem = map.file_stem().unwrap_or_default().to_string_lossy();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix(&*stem).is_some_and(|ending| ending.starts_with('.'))
}

/// Whether a save was interrupted in a folder, or goes on there.
///
/// # Errors
/// If the folder cannot be listed.
pub fn has_interrupted_saves(storage: &dyn Storage, folder: &Path) -> Result<bool, StorageError> {
    Ok(storage.list(folder)?.iter().any(|path| is_record(path)))
}

/// Whether files of a map's set are just being put in place by another process, or by another part of this one.
pub(super) fn is_being_put_in_place(storage: &dyn Storage, map: &Path) -> bool {
    names_of_map(storage, map).iter().any(|map| is_being_put_in(storage, map))
}

fn is_being_put_in(storage: &dyn Storage, map: &Path) -> bool {
    // In a folder that cannot be listed no set is saved.
    let paths = storage.list(folder_of(map)).unwrap_or_default();
    // A record has the name of the last file that changes, which need not be the map; a long one is shortened.
    let stem = format!(".{}.", map.file_stem().unwrap_or_default().to_string_lossy());
    let is_of_stem = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&stem));
    let is_of_map = |path: &Path| (1..=MAX_RECORDS).any(|number| record_path(map, number).file_name() == path.file_name());
    let is_here = |path: &PathBuf| is_record(path) && (is_of_stem(path) || is_of_map(path));
    paths.iter().any(is_here) && matches!(storage.lock_folder(folder_of(map)), Ok(None))
}

/// Where a record of a map's save lies, by its number from 1 on.
fn record_path(map: &Path, number: usize) -> PathBuf {
    let tail = if number < 2 { INTENT_TAIL.to_owned() } else { format!("-{number}{INTENT_TAIL}") };
    hidden_beside(map, &tail)
}

fn is_record(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    name.starts_with('.') && name.ends_with(INTENT_TAIL)
}

/// Completes or takes back every save in a folder that was interrupted, and removes what was left behind.
///
/// Never fails: what could not be dealt with is in the answer. A folder that cannot be listed has nothing.
pub fn complete_interrupted_saves(storage: &dyn Storage, folder: &Path) -> Vec<Interrupted> {
    complete_saves(storage, folder, false)
}

/// As [`complete_interrupted_saves`], in a folder that this process has claimed where it says so.
pub(super) fn complete_saves(storage: &dyn Storage, folder: &Path, is_claimed: bool) -> Vec<Interrupted> {
    let Ok(paths) = storage.list(folder) else { return vec![] };
    let records: Vec<&PathBuf> = paths.iter().filter(|path| is_record(path)).collect();
    // The record of a save that goes on right now belongs to the process that saves.
    let claim = match (is_claimed, records.is_empty()) {
        (false, false) => storage.lock_folder(folder).ok().flatten(),
        _ => None,
    };
    if !is_claimed && !records.is_empty() && claim.is_none() {
        return vec![];
    }
    let done: Vec<Interrupted> =
        records.into_iter().map(|record| complete(storage, record).unwrap_or_else(|reason| Interrupted::Failed { reason })).collect();
    // While a record is left, what it needs is left, too.
    // Who has claimed the folder has temporary files of his own there.
    if !is_claimed && !done.iter().any(|outcome| matches!(outcome, Interrupted::Failed { .. } | Interrupted::NotOurs { .. })) {
        for path in paths.iter().filter(|path| temp_owner(path).is_some() && storage.is_abandoned_temp(path)) {
            // Gone already, or not ours to remove: either way it harms nobody.
            storage.remove(path).ok();
        }
    }
    done
}

fn complete(storage: &dyn Storage, record: &Path) -> Result<Interrupted, StorageError> {
    let bytes = storage.read(record, INTENT_LIMIT)?;
    let intent: Intent = match serde_json::from_slice(&bytes) {
        Ok(intent) => intent,
        Err(_) => return Ok(Interrupted::NotOurs { path: record.into() }),
    };
    if !intent.is_sound(record) {
        return Ok(Interrupted::NotOurs { path: record.into() });
    }
    let places = look_up(storage, record, &intent)?;
    let files = places.iter().map(|place| folder_of(record).join(&place.entry.file)).collect();
    let known = places.iter().all(|place| place.now == Some(place.entry.hash) || place.now == place.entry.old);
    if known && forward(storage, &places)? {
        for place in places.iter().filter(|place| place.now != Some(place.entry.hash)) {
            storage.move_into_place(&place.temp, &place.target, place.now.is_some())?;
        }
        places.iter().try_for_each(|place| storage.sync_folder(folder_of(&place.target)))?;
        clean_up(storage, record, &places)?;
        return Ok(Interrupted::Completed { files });
    }
    if known && back(storage, &places)? {
        take_back(storage, record, &places)?;
        return Ok(Interrupted::TakenBack { files });
    }
    clean_up(storage, record, &places)?;
    Ok(Interrupted::LeftAlone { files })
}

/// Whether every file is new already or its new content is at hand, whole.
fn forward(storage: &dyn Storage, places: &[Place<'_>]) -> Result<bool, StorageError> {
    for place in places {
        if place.now != Some(place.entry.hash) && hash_if_there(storage, &place.temp)? != Some(place.entry.hash) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether every file is old still, or its old content is at hand, whole.
fn back(storage: &dyn Storage, places: &[Place<'_>]) -> Result<bool, StorageError> {
    for place in places.iter().filter(|place| place.now != place.entry.old) {
        let copy = place.copy.as_deref().map(|copy| hash_if_there(storage, copy)).transpose()?.flatten();
        if place.entry.old.is_some() && copy != place.entry.old {
            return Ok(false);
        }
        // A record from a stranger may name a link and what is known to lie behind it: nothing out there is removed.
        if place.entry.old.is_none() && !place.is_within {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Brings all old files back. The last new file goes first, so that from then on nobody goes forward. What somebody else put in
/// the place of one meanwhile stays.
fn take_back(storage: &dyn Storage, record: &Path, places: &[Place<'_>]) -> Result<(), StorageError> {
    for place in places.iter().rev() {
        remove_if_there(storage, &place.temp)?;
        match (&place.entry.old, &place.copy) {
            _ if place.now == place.entry.old => {}
            _ if place.now.is_some_and(|now| now != place.entry.hash) => {}
            (Some(_), Some(copy)) => storage.rename(copy, &place.target)?,
            (Some(_), None) => {}
            (None, _) => remove_if_there(storage, &place.target)?,
        }
    }
    places.iter().try_for_each(|place| storage.sync_folder(folder_of(&place.target)))?;
    clean_up(storage, record, places)
}

/// Removes copies, temporary files and the record, the record last: nothing may be left without it.
fn clean_up(storage: &dyn Storage, record: &Path, places: &[Place<'_>]) -> Result<(), StorageError> {
    for place in places {
        remove_if_there(storage, &place.temp)?;
        place.copy.as_deref().map_or(Ok(()), |copy| remove_if_there(storage, copy))?;
    }
    remove_if_there(storage, record)?;
    storage.sync_folder(folder_of(record))
}

fn look_up<'a>(storage: &dyn Storage, record: &Path, intent: &'a Intent) -> Result<Vec<Place<'a>>, StorageError> {
    let mut places = vec![];
    for entry in &intent.files {
        let named = folder_of(record).join(&entry.file);
        let target = storage.resolve(&named)?;
        places.push(Place {
            entry,
            temp: target.with_file_name(&entry.temp.0),
            copy: entry.copy.as_ref().map(|copy| target.with_file_name(&copy.0)),
            is_within: target == named,
            now: hash_if_there(storage, &target)?,
            target,
        });
    }
    Ok(places)
}

impl Intent {
    /// Whether it names the map whose record it is, with files that lie beside maps, each once, and temporary files only where it
    /// wants to move or remove.
    fn is_sound(&self, record: &Path) -> bool {
        let Some((map, beside)) = self.files.split_last() else { return false };
        let map = &*map.file.0;
        let hidden = |number: usize| record_path(&folder_of(record).join(map), number);
        let is_once = |(index, entry): (usize, &Entry)| self.files.iter().skip(index + 1).all(|other| other.file != entry.file);
        self.version == 1
            && self.files.len() <= MAX_FILES
            && (1..=MAX_RECORDS).any(|number| hidden(number) == record)
            && beside.iter().all(|entry| is_beside(map, &entry.file.0))
            && self.files.iter().enumerate().all(is_once)
            && self.files.iter().all(|entry| {
                is_plain(&entry.file)
                    && [Some(&entry.temp), entry.copy.as_ref()]
                        .into_iter()
                        .flatten()
                        .all(|temp| is_plain(temp) && temp_owner(&temp.0).is_some())
            })
    }
}

fn is_plain(path: &StoredPath) -> bool {
    path.0.file_name() == Some(path.0.as_os_str())
}

fn name_of(path: &Path) -> StoredPath {
    StoredPath(path.file_name().map_or_else(OsString::new, OsString::from).into())
}

/// A path for the record of a map's save that nothing has yet: whatever lies there, it is not for us to replace.
fn free_record(storage: &dyn Storage, map: &Path) -> Result<PathBuf, StorageError> {
    for number in 1..MAX_RECORDS {
        let path = record_path(map, number);
        if storage.resolve(&path)? == path && !storage.exists(&path)? {
            return Ok(path);
        }
    }
    Err(StorageError::at(StorageAction::Write, &record_path(map, MAX_RECORDS))(std::io::ErrorKind::AlreadyExists.into()))
}

fn hash_if_there(storage: &dyn Storage, path: &Path) -> Result<Option<ContentHash>, StorageError> {
    storage.exists(path)?.then(|| hash_of(storage, path)).transpose()
}

fn remove_if_there(storage: &dyn Storage, path: &Path) -> Result<(), StorageError> {
    match storage.remove(path) {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}
