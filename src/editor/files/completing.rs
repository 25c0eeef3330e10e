//! Saves that were interrupted: completing them or taking them back, and waiting for those that go on.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::intent::{Intent, MAX_RECORDS, Place, RECORD_LIMIT, clean_up, hash_if_there, is_record, look_up, record_path, take_back};
use super::interrupted::Interrupted;
use super::open::INTERRUPTED_SAVE;
use super::places::{claim_folders, folders_of_map, folders_once, names_of_map};
use super::sidecar_path;
use crate::editor::storage::{FolderKey, Storage, StorageError, folder_of, temp_owner};
use crate::format::{Report, SIDECARS};

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

/// The records of a map's sets, by the names that it has.
pub(super) fn records_of(storage: &dyn Storage, names: &[PathBuf]) -> BTreeSet<PathBuf> {
    let records = |map: &PathBuf| {
        // In a folder that cannot be listed no set is saved.
        let paths = storage.list(folder_of(map)).unwrap_or_default();
        paths.into_iter().filter(|path| is_record(path) && is_record_of(map, path)).collect::<Vec<_>>()
    };
    names.iter().flat_map(records).collect()
}

fn is_being_put_in(storage: &dyn Storage, map: &PathBuf) -> bool {
    !records_of(storage, std::slice::from_ref(map)).is_empty() && matches!(storage.lock_folder(folder_of(map)), Ok(None))
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
    complete_saves(storage, folder, &[]).outcomes
}

/// Tells what became of a save that was interrupted; in the log, too, as a save that fails has no report.
pub(super) fn tell_interrupted(interrupted: &Interrupted, report: &mut Report) {
    tracing::warn!("{interrupted}");
    report.push(interrupted.severity(), INTERRUPTED_SAVE, interrupted.to_string());
}

/// Settles what interrupted saves left where a map is to be saved, and where links in the places of files beside it lead; answers what became of them.
pub fn settle_at(storage: &dyn Storage, map: &Path) -> Report {
    let beside = SIDECARS.iter().filter_map(|sidecar| storage.resolve(&sidecar_path(map, sidecar.suffix())).ok());
    let beside: Vec<PathBuf> = beside.map(|target| folder_of(&target).to_path_buf()).collect();
    let of_map = folders_of_map(storage, map);
    let mut report = Report::new();
    for folder in folders_once(storage, of_map.iter().chain(&beside).map(PathBuf::as_path)) {
        complete_interrupted_saves(storage, &folder).iter().for_each(|interrupted| tell_interrupted(interrupted, &mut report));
    }
    report
}

/// What became of the interrupted saves of a folder.
#[derive(Default)]
pub struct Settled {
    /// What was done, and what could not be.
    pub outcomes: Vec<Interrupted>,
    /// Records that were left to whoever had the folder, or another one with files of the set.
    busy: Vec<PathBuf>,
    /// Records about which nothing could be done.
    pub(super) left: Vec<PathBuf>,
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

/// As [`complete_interrupted_saves`], where this process has claimed some folders, as this one may be.
pub fn complete_saves(storage: &dyn Storage, folder: &Path, claimed: &[PathBuf]) -> Settled {
    let Ok(paths) = storage.list(folder) else { return Settled::default() };
    let records: Vec<&PathBuf> = paths.iter().filter(|path| is_record(path)).collect();
    let is_claimed = claimed.iter().any(|claimed| claimed == folder);
    // The record of a save that goes on right now belongs to the process that saves.
    let claim = match (is_claimed, records.is_empty()) {
        (false, false) => storage.lock_folder(folder).ok().flatten(),
        _ => None,
    };
    if !is_claimed && !records.is_empty() && claim.is_none() {
        return Settled { busy: records.into_iter().cloned().collect(), ..Settled::default() };
    }
    let mut settled = Settled::default();
    for record in records {
        match settle(storage, record, claimed).unwrap_or_else(|reason| Step::Done(Interrupted::Failed { reason })) {
            Step::Done(outcome) => {
                if outcome.is_left() {
                    settled.left.push(record.clone());
                }
                settled.outcomes.push(outcome);
            }
            Step::Gone => {}
            Step::Busy => settled.busy.push(record.clone()),
        }
    }
    // While a record is left, what it needs is left, too.
    // Who has claimed the folder has temporary files of his own there.
    if !is_claimed && !settled.is_busy() && settled.left.is_empty() {
        for path in paths.iter().filter(|path| temp_owner(path).is_some() && storage.is_abandoned_temp(path)) {
            // Gone already, or not ours to remove: either way it harms nobody.
            storage.remove(path).ok();
        }
    }
    settled
}

/// What was done about a record.
enum Step {
    Done(Interrupted),
    /// Somebody was faster.
    Gone,
    /// Somebody else has a folder in which files of the set lie.
    Busy,
}

fn settle(storage: &dyn Storage, record: &Path, claimed: &[PathBuf]) -> Result<Step, StorageError> {
    let bytes = match storage.read(record, RECORD_LIMIT) {
        Err(error) if error.is_not_found() => return Ok(Step::Gone),
        bytes => bytes?,
    };
    match serde_json::from_slice::<Intent>(&bytes) {
        Ok(intent) if intent.is_sound(record) && !intent.comes_back(storage, record) => complete(storage, record, &intent, claimed),
        _ => Ok(Step::Done(Interrupted::NotOurs { path: record.into() })),
    }
}

fn complete(storage: &dyn Storage, record: &Path, intent: &Intent, claimed: &[PathBuf]) -> Result<Step, StorageError> {
    let mut places = look_up(storage, record, intent)?;
    if let Some(place) = places.iter().find(|place| is_away(storage, place)) {
        return Ok(Step::Done(Interrupted::Elsewhere { record: record.into(), file: place.target.clone() }));
    }
    let far = folders_once(storage, places.iter().filter(|place| place.is_far).map(|place| folder_of(&place.target)));
    let claimed: BTreeSet<FolderKey> = claimed.iter().map(|folder| storage.folder_key(folder)).collect();
    let far: Vec<PathBuf> = far.into_iter().filter(|folder| !claimed.contains(&storage.folder_key(folder))).collect();
    let Ok(claims) = claim_folders(storage, &far)? else { return Ok(Step::Busy) };
    if !claims.is_empty() {
        places = look_up(storage, record, intent)?;
    }
    let files = places.iter().map(|place| place.named.clone()).collect();
    let known = places.iter().all(|place| place.now == Some(place.entry.hash) || place.now == place.entry.old);
    if known && forward(storage, &places)? {
        for place in places.iter().filter(|place| place.now != Some(place.entry.hash)) {
            storage.move_into_place(&place.temp, &place.target, place.now.is_some())?;
        }
        places.iter().try_for_each(|place| storage.sync_folder(folder_of(&place.target)))?;
        clean_up(storage, record, &places)?;
        return Ok(Step::Done(Interrupted::Completed { files }));
    }
    if known && back(storage, &places)? {
        take_back(storage, record, &places)?;
        return Ok(Step::Done(Interrupted::TakenBack { files }));
    }
    clean_up(storage, record, &places)?;
    Ok(Step::Done(Interrupted::LeftAlone { files }))
}

/// Whether nothing that the record knows is where a file of another folder should be: its disk is not attached, or another one is there.
fn is_away(storage: &dyn Storage, place: &Place<'_>) -> bool {
    let is_there = |path: &Path| storage.exists(path).unwrap_or(true);
    let is_known = place.now.is_some() && (place.now == Some(place.entry.hash) || place.now == place.entry.old);
    place.is_far && !is_known && !is_there(&place.temp) && !place.copy.as_deref().is_some_and(is_there)
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
