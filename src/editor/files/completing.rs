//! Saves that were interrupted: completing them or taking them back, and waiting for those that go on.

use std::path::{Path, PathBuf};

use super::intent::{Intent, MAX_RECORDS, Place, RECORD_LIMIT, clean_up, hash_if_there, is_record, look_up, record_path, take_back};
use super::interrupted::Interrupted;
use super::places::names_of_map;
use crate::editor::storage::{Storage, StorageError, folder_of, temp_owner};

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
    let is_of_map = |path: &PathBuf| is_record(path) && is_record_of(map, path);
    paths.iter().any(is_of_map) && matches!(storage.lock_folder(folder_of(map)), Ok(None))
}

/// Whether a record may be of a set with that map.
fn is_record_of(map: &Path, record: &Path) -> bool {
    // Older ones have the name of the last file that changes, which need not be the map; a long one is shortened.
    let stem = format!(".{}.", map.file_stem().unwrap_or_default().to_string_lossy());
    let is_of_stem = record.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&stem));
    is_of_stem || (1..=MAX_RECORDS).any(|number| record_path(map, number).file_name() == record.file_name())
}

/// Completes or takes back every save in a folder that was interrupted, and removes what was left behind.
///
/// Never fails: what could not be dealt with is in the answer. A folder that cannot be listed has nothing.
pub fn complete_interrupted_saves(storage: &dyn Storage, folder: &Path) -> Vec<Interrupted> {
    complete_saves(storage, folder, false).outcomes
}

/// What became of the interrupted saves of a folder.
#[derive(Default)]
pub struct Settled {
    /// What was done, and what could not be.
    pub outcomes: Vec<Interrupted>,
    /// Records that were left to whoever had the folder.
    busy: Vec<PathBuf>,
}

impl Settled {
    /// Whether somebody else had the folder, so that nothing is known.
    pub fn is_busy(&self) -> bool {
        !self.busy.is_empty()
    }

    /// Whether somebody else had the folder, and there was a record of a set with one of the maps.
    pub(super) fn is_busy_with(&self, maps: &[PathBuf]) -> bool {
        self.busy.iter().any(|record| maps.iter().any(|map| is_record_of(map, record)))
    }
}

/// As [`complete_interrupted_saves`], in a folder that this process has claimed where it says so.
pub fn complete_saves(storage: &dyn Storage, folder: &Path, is_claimed: bool) -> Settled {
    let Ok(paths) = storage.list(folder) else { return Settled::default() };
    let records: Vec<&PathBuf> = paths.iter().filter(|path| is_record(path)).collect();
    // The record of a save that goes on right now belongs to the process that saves.
    let claim = match (is_claimed, records.is_empty()) {
        (false, false) => storage.lock_folder(folder).ok().flatten(),
        _ => None,
    };
    if !is_claimed && !records.is_empty() && claim.is_none() {
        return Settled { outcomes: vec![], busy: records.into_iter().cloned().collect() };
    }
    let settle = |record: &PathBuf| settle(storage, record).unwrap_or_else(|reason| Some(Interrupted::Failed { reason }));
    let outcomes: Vec<Interrupted> = records.into_iter().filter_map(settle).collect();
    // While a record is left, what it needs is left, too.
    // Who has claimed the folder has temporary files of his own there.
    if !is_claimed && !outcomes.iter().any(Interrupted::is_left) {
        for path in paths.iter().filter(|path| temp_owner(path).is_some() && storage.is_abandoned_temp(path)) {
            // Gone already, or not ours to remove: either way it harms nobody.
            storage.remove(path).ok();
        }
    }
    Settled { outcomes, busy: vec![] }
}

/// Answers nothing where the record is gone: somebody was faster.
fn settle(storage: &dyn Storage, record: &Path) -> Result<Option<Interrupted>, StorageError> {
    let bytes = match storage.read(record, RECORD_LIMIT) {
        Err(error) if error.is_not_found() => return Ok(None),
        bytes => bytes?,
    };
    match serde_json::from_slice::<Intent>(&bytes) {
        Ok(intent) if intent.is_sound(record) && !intent.comes_back(storage, record) => complete(storage, record, &intent).map(Some),
        _ => Ok(Some(Interrupted::NotOurs { path: record.into() })),
    }
}

fn complete(storage: &dyn Storage, record: &Path, intent: &Intent) -> Result<Interrupted, StorageError> {
    let places = look_up(storage, record, intent)?;
    if let Some(place) = places.iter().find(|place| is_away(storage, record, place)) {
        return Ok(Interrupted::Elsewhere { record: record.into(), file: place.target.clone() });
    }
    let files = places.iter().map(Place::named).collect();
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

/// Whether a file lies in another folder than the record, of which nothing is there: its disk is not attached, and its place may be an
/// empty folder.
fn is_away(storage: &dyn Storage, record: &Path, place: &Place<'_>) -> bool {
    let folder = folder_of(&place.target);
    let is_empty = || match storage.list(folder) {
        Ok(paths) => paths.is_empty(),
        Err(error) => error.is_not_found(),
    };
    place.now.is_none() && folder != folder_of(record) && is_empty()
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
