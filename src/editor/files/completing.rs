//! Saves that were interrupted: completing them or taking them back, and waiting for those that go on.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::intent::{
    Intent, MAX_RECORDS, Place, RECORD_LIMIT, clean_up, hash_if_there, is_record, look_up, record_path, remove_if_there, take_back,
};
use super::interrupted::Interrupted;
use super::places::{is_busy, names_of_map};
use super::pointer::{Pointer, pointed_record, pointers_to};
use super::{CLAIM_PAUSE, CLAIM_TRIES};
use crate::editor::storage::{Storage, StorageError, folder_of, temp_owner};

/// What lies under the name of a record.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Paper {
    Record(Intent),
    Pointer(Pointer),
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
    let records: Vec<&PathBuf> = paths.iter().filter(|path| is_record(path) && is_record_of(map, path)).collect();
    let is_claimed = |folder: &Path| matches!(storage.lock_folder(folder), Ok(None));
    // Whoever completes a save from the folder of its record has claimed that one alone.
    let is_claimed_there = |path: &&PathBuf| pointed_record(storage, path).is_some_and(|record| is_claimed(folder_of(&record)));
    !records.is_empty() && (is_claimed(folder_of(map)) || records.iter().any(is_claimed_there))
}

/// Whether a record may be about that file, the map or one beside it.
fn is_record_of(file: &Path, record: &Path) -> bool {
    // It has the name of the last file that changes, which need not be the map; a long one is shortened.
    let stem = format!(".{}.", file.file_stem().unwrap_or_default().to_string_lossy());
    let is_of_stem = record.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&stem));
    is_of_stem || (1..=MAX_RECORDS).any(|number| record_path(file, number).file_name() == record.file_name())
}

/// Completes or takes back every save in a folder that was interrupted, and removes what was left behind.
///
/// Never fails: what could not be dealt with is in the answer. A folder that cannot be listed has nothing.
pub fn complete_interrupted_saves(storage: &dyn Storage, folder: &Path) -> Vec<Interrupted> {
    complete_saves(storage, folder, &[]).outcomes
}

/// What became of the interrupted saves of a folder.
#[derive(Default)]
pub(super) struct Settled {
    pub(super) outcomes: Vec<Interrupted>,
    /// Pointers to records in folders that another process has: it completes that save, or saves another map.
    busy: Vec<Busy>,
}

impl Settled {
    /// A folder that another process has and in which the record of a save of one of the files lies.
    pub(super) fn busy_with<'a>(&self, files: impl IntoIterator<Item = &'a Path>) -> Option<&Path> {
        let mut files = files.into_iter();
        files.find_map(|file| self.busy.iter().find(|busy| is_record_of(file, &busy.pointer))).map(|busy| &*busy.folder)
    }
}

struct Busy {
    pointer: PathBuf,
    folder: PathBuf,
}

/// As [`complete_interrupted_saves`], where this process has claimed some folders, as this one may be.
pub(super) fn complete_saves(storage: &dyn Storage, folder: &Path, claimed: &[PathBuf]) -> Settled {
    let Ok(paths) = storage.list(folder) else { return Settled::default() };
    let records: Vec<&PathBuf> = paths.iter().filter(|path| is_record(path)).collect();
    let is_claimed = claimed.iter().any(|claimed| claimed == folder);
    // The record of a save that goes on right now belongs to the process that saves.
    let claim = match (is_claimed, records.is_empty()) {
        (false, false) => storage.lock_folder(folder).ok().flatten(),
        _ => None,
    };
    if !is_claimed && !records.is_empty() && claim.is_none() {
        return Settled::default();
    }
    let mut settled = Settled::default();
    for record in records {
        match settle(storage, record, claimed) {
            Ok(Step::Done(outcome)) => settled.outcomes.push(outcome),
            Ok(Step::Nothing) => {}
            Ok(Step::Busy(folder)) => settled.busy.push(Busy { pointer: record.clone(), folder }),
            Err(reason) => settled.outcomes.push(Interrupted::Failed { reason }),
        }
    }
    let is_left = !settled.busy.is_empty() || settled.outcomes.iter().any(Interrupted::is_left);
    // While a record is left, what it needs is left, too.
    // Who has claimed the folder has temporary files of his own there.
    if !is_claimed && !is_left {
        for path in paths.iter().filter(|path| temp_owner(path).is_some() && storage.is_abandoned_temp(path)) {
            // Gone already, or not ours to remove: either way it harms nobody.
            storage.remove(path).ok();
        }
    }
    settled
}

/// Completes or takes back every save in folders that this process has claimed; waits for whoever does so, of these files, from another
/// folder.
///
/// # Errors
/// If that takes more than ten seconds.
pub(super) fn complete_claimed(storage: &dyn Storage, folders: &[PathBuf], files: &[&Path]) -> Result<Vec<Interrupted>, StorageError> {
    let mut done = vec![];
    for tries in 1.. {
        let mut left = vec![];
        let mut busy = None;
        for folder in folders {
            let settled = complete_saves(storage, folder, folders);
            busy = busy.or(settled.busy_with(files.iter().copied()).map(Path::to_path_buf));
            // What is found each time is told once.
            let (again, over): (Vec<_>, Vec<_>) = settled.outcomes.into_iter().partition(Interrupted::is_left);
            left.extend(again);
            done.extend(over);
        }
        match busy {
            None => {
                done.extend(left);
                break;
            }
            Some(folder) if tries == CLAIM_TRIES => return Err(is_busy(&folder)),
            Some(_) => std::thread::sleep(CLAIM_PAUSE),
        }
    }
    Ok(done)
}

/// What was done about one record, or about a pointer to one.
enum Step {
    Done(Interrupted),
    /// It is gone, or leads to none.
    Nothing,
    /// Another process has the folder to which it leads.
    Busy(PathBuf),
}

fn settle(storage: &dyn Storage, path: &Path, claimed: &[PathBuf]) -> Result<Step, StorageError> {
    match read_paper(storage, path)? {
        Read::Paper(Paper::Record(intent)) if intent.is_sound(path) => complete(storage, path, &intent).map(Step::Done),
        Read::Paper(Paper::Pointer(pointer)) => match pointer.record() {
            Some(record) => settle_there(storage, path, record, claimed),
            None => Ok(Step::Done(Interrupted::NotOurs { path: path.into() })),
        },
        Read::Paper(Paper::Record(_)) | Read::Unknown => Ok(Step::Done(Interrupted::NotOurs { path: path.into() })),
        Read::Gone => Ok(Step::Nothing),
    }
}

/// Completes or takes back the save whose record a pointer leads to.
fn settle_there(storage: &dyn Storage, pointer: &Path, record: &Path, claimed: &[PathBuf]) -> Result<Step, StorageError> {
    let folder = folder_of(record);
    let not_ours = |path: &Path| Step::Done(Interrupted::NotOurs { path: path.into() });
    // Ours lead to other folders; this one has just been claimed.
    if storage.folder_key(folder) == storage.folder_key(folder_of(pointer)) {
        return Ok(not_ours(pointer));
    }
    // On a disk that is not attached it may lie all the same.
    if !storage.exists(folder)? {
        return Ok(Step::Done(Interrupted::Elsewhere { pointer: pointer.into(), record: record.into() }));
    }
    let is_claimed = claimed.iter().any(|claimed| storage.folder_key(claimed) == storage.folder_key(folder));
    let claim = if is_claimed { None } else { storage.lock_folder(folder)? };
    if !is_claimed && claim.is_none() {
        return Ok(if storage.exists(record)? { Step::Busy(folder.into()) } else { Step::Nothing });
    }
    let step = match read_paper(storage, record)? {
        Read::Paper(Paper::Record(intent)) if intent.is_sound(record) => Step::Done(complete(storage, record, &intent)?),
        Read::Paper(_) | Read::Unknown => not_ours(record),
        Read::Gone => Step::Nothing,
    };
    if !storage.exists(record)? {
        remove_if_there(storage, pointer)?;
    }
    Ok(step)
}

/// What was found under the name of a record.
enum Read {
    Paper(Paper),
    Unknown,
    Gone,
}

fn read_paper(storage: &dyn Storage, path: &Path) -> Result<Read, StorageError> {
    match storage.read(path, RECORD_LIMIT) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).map_or(Read::Unknown, Read::Paper)),
        Err(error) if error.is_not_found() => Ok(Read::Gone),
        Err(error) => Err(error),
    }
}

fn complete(storage: &dyn Storage, record: &Path, intent: &Intent) -> Result<Interrupted, StorageError> {
    let places = look_up(storage, record, intent)?;
    let outside = places.iter().filter(|place| !place.is_within).map(|place| &*place.target);
    let pointers = pointers_to(storage, record, outside);
    let files = places.iter().map(|place| folder_of(record).join(&place.entry.file)).collect();
    let known = places.iter().all(|place| place.now == Some(place.entry.hash) || place.now == place.entry.old);
    if known && forward(storage, &places)? {
        for place in places.iter().filter(|place| place.now != Some(place.entry.hash)) {
            storage.move_into_place(&place.temp, &place.target, place.now.is_some())?;
        }
        places.iter().try_for_each(|place| storage.sync_folder(folder_of(&place.target)))?;
        clean_up(storage, record, &places, &pointers)?;
        return Ok(Interrupted::Completed { files });
    }
    if known && back(storage, &places)? {
        take_back(storage, record, &places, &pointers)?;
        return Ok(Interrupted::TakenBack { files });
    }
    clean_up(storage, record, &places, &pointers)?;
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
