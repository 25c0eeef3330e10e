//! The record that makes a set of files change as a whole.
//!
//! While the record lies in the folder, everything that it names is complete on the disk: the new files as
//! temporary files, and copies of the old ones. Whoever finds it can go forward (all new files are there),
//! or else back (the copies are there). It names only the map whose record it is and files of
//! the same stem in its own folder, so that a record in a folder from a stranger cannot reach anything else there; and files
//! in other folders, for which it has nothing that was not put beside them.
//!
//! It lies where the map really lies: there everybody looks who opens or saves the map, by whichever links.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SaveError;
use super::places::names_of_map;
use super::staging::Staged;
use super::stamp::hash_of;
use crate::editor::storage::{
    ContentHash, Storage, StorageAction, StorageError, StoredPath, TempGuard, folder_of, hidden_beside, keep_temp, replace_file,
    temp_owner, write_temp,
};

/// What the names of intent records end with.
const INTENT_TAIL: &str = ".spadework-intent";
/// Records of one map that may lie in a folder, all but one of them damaged.
pub(super) const MAX_RECORDS: usize = 100;
/// Files that a set has at most: a map has five kinds of others beside it.
const MAX_FILES: usize = 16;
/// Largest record that is read.
pub(super) const RECORD_LIMIT: u64 = 1 << 20;
/// Largest old file of which a copy is kept while its set changes. Only the map may be larger; it comes last and needs none.
const COPY_LIMIT: u64 = 256 << 20;

/// One file of the set.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// The file's name in the folder of the record, where it lies there or a link to it does; else the way to it from there.
    pub(super) file: StoredPath,
    /// Name of the new file, beside where links lead.
    temp: StoredPath,
    /// Content of the new file.
    pub(super) hash: ContentHash,
    /// Content of the old file; `None` if there was none.
    pub(super) old: Option<ContentHash>,
    /// Name of the copy of the old file; `None` for the last one, which needs none.
    copy: Option<StoredPath>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Intent {
    version: u32,
    /// Name of the map, which need not change; `None` where it is the last file.
    map: Option<StoredPath>,
    /// In the order in which they are put in place: the map last.
    pub(super) files: Vec<Entry>,
}

/// An entry with its places looked up.
pub(super) struct Place<'a> {
    pub(super) entry: &'a Entry,
    pub(super) target: PathBuf,
    pub(super) temp: PathBuf,
    pub(super) copy: Option<PathBuf>,
    /// Its path as the mapper may know it.
    pub(super) named: PathBuf,
    /// Whether no link leads to it, so that it lies in the folder of the record.
    pub(super) is_within: bool,
    /// Whether it lies in another folder, where nobody sees the record.
    pub(super) is_far: bool,
    /// Content of the file in place now.
    pub(super) now: Option<ContentHash>,
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
pub(super) fn put_in_place<'a>(
    storage: &'a dyn Storage,
    map: &Path,
    mut staged: Vec<Staged<'a>>,
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
        let Some(mut only) = staged.into_iter().next() else { return Ok(None) };
        put(&only.temp, &only.path, &only.target, only.old.is_some())?;
        only.release();
        return Ok(storage.sync_folder(folder_of(&only.target)).err());
    };
    let mut copies = vec![];
    let mut entries = vec![];
    let (map, names) = names_of(storage, map, &staged);
    let own = storage.folder_key(folder_of(&map));
    let is_far = |target: &Path| storage.folder_key(folder_of(target)) != own;
    for file in staged.iter_mut().filter(|file| is_far(&file.target)) {
        file.keep(storage)?;
    }
    for ((index, file), name) in staged.iter().enumerate().zip(&names) {
        let is_last = index + 1 == staged.len();
        let copy = match file.old {
            Some(_) if !is_last => {
                let copy = write_temp(storage, &file.target, &storage.read(&file.target, COPY_LIMIT)?)?;
                let guard = TempGuard::new(storage, &copy);
                let copy = if is_far(&file.target) { keep_temp(storage, &copy, &file.target)? } else { copy };
                guard.release();
                copies.push(TempGuard::new(storage, &copy));
                Some(copy)
            }
            _ => None,
        };
        entries.push(Entry {
            file: name.clone(),
            temp: name_of(&file.temp),
            hash: file.hash,
            old: file.old,
            copy: copy.as_deref().map(name_of),
        });
    }
    let intent = Intent { version: 1, map: Some(name_of(&map)), files: entries };
    let record = free_record(storage, &map)?;
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
    staged.iter_mut().for_each(Staged::release);
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

/// The map by which the record is named, and beside which it lies, and the files as it names them.
fn names_of(storage: &dyn Storage, map: &Path, staged: &[Staged<'_>]) -> (PathBuf, Vec<StoredPath>) {
    let place = names_of_map(storage, map).pop().unwrap_or_else(|| map.into());
    let (own, root) = (storage.folder_key(folder_of(&place)), storage.place(&place));
    let lies_there = |path: &Path| storage.folder_key(folder_of(path)) == own;
    let name = |file: &Staged<'_>| {
        let belongs = |path: &&PathBuf| lies_there(path) && (path.file_name() == place.file_name() || is_beside(&place, path));
        match [&file.target, &file.path].into_iter().find(belongs) {
            Some(path) => Some(name_of(path)),
            None if lies_there(&file.target) => None,
            None => way_to(&root, &storage.place(&file.target)).map(StoredPath),
        }
    };
    let names: Option<Vec<StoredPath>> = staged.iter().map(name).collect();
    let is_once = |names: &Vec<StoredPath>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    match names.filter(is_once) {
        Some(names) => (place, names),
        // By the mapper's own names: links to files that do not belong to the map where it lies.
        None => (map.into(), staged.iter().map(|file| name_of(&file.path)).collect()),
    }
}

/// The way from the folder of a file to another file, both by whole paths without links to folders.
fn way_to(from: &Path, to: &Path) -> Option<PathBuf> {
    let (from, to): (Vec<_>, Vec<_>) = (folder_of(from).components().collect(), to.components().collect());
    let same = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from.iter().skip(same).map(|_| Component::ParentDir);
    // Another drive.
    (same > 0).then(|| up.chain(to.into_iter().skip(same)).collect())
}

/// Where a way leads from the folder of a file: back along [`way_to`].
fn way_from(from: &Path, way: &Path) -> PathBuf {
    let mut path = folder_of(from).to_path_buf();
    for part in way.components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            part => path.push(part),
        }
    }
    path
}

/// Whether that is a way to a file in another folder, as [`way_to`] makes them.
fn leads_elsewhere(way: &Path) -> bool {
    let parts: Vec<_> = way.components().collect();
    let up = parts.iter().take_while(|part| **part == Component::ParentDir).count();
    let (up, down) = parts.split_at(up);
    up.len() + down.len() > 1 && !down.is_empty() && down.iter().all(|part| matches!(part, Component::Normal(_)))
}

/// Whether a file has a name as those beside a map have.
fn is_beside(map: &Path, file: &Path) -> bool {
    let stem = map.file_stem().unwrap_or_default().to_string_lossy();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.strip_prefix(&*stem).is_some_and(|ending| ending.starts_with('.'))
}

/// Where a record of a map's save lies, by its number from 1 on.
pub(super) fn record_path(map: &Path, number: usize) -> PathBuf {
    let tail = if number < 2 { INTENT_TAIL.to_owned() } else { format!("-{number}{INTENT_TAIL}") };
    hidden_beside(map, &tail)
}

pub(super) fn is_record(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    name.starts_with('.') && name.ends_with(INTENT_TAIL)
}

/// Brings all old files back. The last new file goes first, so that from then on nobody goes forward. What somebody else put in
/// the place of one meanwhile stays.
pub(super) fn take_back(storage: &dyn Storage, record: &Path, places: &[Place<'_>]) -> Result<(), StorageError> {
    for (index, place) in places.iter().rev().enumerate() {
        if index == 0 || !place.is_far {
            remove_temp(storage, place)?;
        }
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

/// Removes copies, temporary files and the record. What lies in its folder goes before it, so that nothing is left without it; the rest
/// after it: without that, it would say that their disk is not attached.
pub(super) fn clean_up(storage: &dyn Storage, record: &Path, places: &[Place<'_>]) -> Result<(), StorageError> {
    for place in places.iter().filter(|place| !place.is_far) {
        remove_temp(storage, place)?;
        place.copy.as_deref().map_or(Ok(()), |copy| remove_if_there(storage, copy))?;
    }
    remove_if_there(storage, record)?;
    storage.sync_folder(folder_of(record))?;
    for place in places.iter().filter(|place| place.is_far) {
        remove_temp(storage, place)?;
        place.copy.as_deref().map_or(Ok(()), |copy| remove_ours(storage, copy, place.entry.old))?;
    }
    Ok(())
}

fn remove_temp(storage: &dyn Storage, place: &Place<'_>) -> Result<(), StorageError> {
    match place.is_far {
        true => remove_ours(storage, &place.temp, Some(place.entry.hash)),
        false => remove_if_there(storage, &place.temp),
    }
}

/// Removes a file of another folder if it holds what the record says: one from a stranger may name any.
fn remove_ours(storage: &dyn Storage, path: &Path, content: Option<ContentHash>) -> Result<(), StorageError> {
    let is_ours = content.is_some() && hash_if_there(storage, path)? == content;
    if is_ours { remove_if_there(storage, path) } else { Ok(()) }
}

pub(super) fn look_up<'a>(storage: &dyn Storage, record: &Path, intent: &'a Intent) -> Result<Vec<Place<'a>>, StorageError> {
    let mut places = vec![];
    let own = storage.folder_key(folder_of(record));
    for entry in &intent.files {
        let is_beside = is_plain(&entry.file);
        let named = if is_beside { folder_of(record).join(&entry.file) } else { way_from(&storage.place(record), &entry.file.0) };
        let target = storage.resolve(&named)?;
        places.push(Place {
            entry,
            temp: target.with_file_name(&entry.temp.0),
            copy: entry.copy.as_ref().map(|copy| target.with_file_name(&copy.0)),
            is_within: is_beside && target == named,
            is_far: !(is_beside && target == named) && storage.folder_key(folder_of(&target)) != own,
            now: hash_if_there(storage, &target)?,
            named,
            target,
        });
    }
    Ok(places)
}

impl Intent {
    /// Whether it takes a file of its own folder for one of another, by a way around: that may be anybody's.
    pub(super) fn comes_back(&self, storage: &dyn Storage, record: &Path) -> bool {
        let own = storage.folder_key(folder_of(record));
        let ways = self.files.iter().filter(|entry| !is_plain(&entry.file));
        ways.map(|entry| way_from(&storage.place(record), &entry.file.0)).any(|file| storage.folder_key(folder_of(&file)) == own)
    }

    /// Whether it names the map whose record it is, with files that lie beside it or elsewhere, each once, and temporary files only where
    /// it wants to move or remove.
    pub(super) fn is_sound(&self, record: &Path) -> bool {
        let Some(map) = self.map.as_ref().or_else(|| self.files.last().map(|last| &last.file)) else { return false };
        let hidden = |number: usize| record_path(&folder_of(record).join(&map.0), number);
        let is_once = |(index, entry): (usize, &Entry)| self.files.iter().skip(index + 1).all(|other| other.file != entry.file);
        self.version == 1
            && self.files.len() <= MAX_FILES
            && (1..=MAX_RECORDS).any(|number| hidden(number) == record)
            && is_plain(map)
            && self.files.iter().enumerate().all(is_once)
            && self.files.iter().all(|entry| {
                let is_beside = is_plain(&entry.file) && (entry.file == *map || is_beside(&map.0, &entry.file.0));
                (is_beside || leads_elsewhere(&entry.file.0))
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

pub(super) fn hash_if_there(storage: &dyn Storage, path: &Path) -> Result<Option<ContentHash>, StorageError> {
    storage.exists(path)?.then(|| hash_of(storage, path)).transpose()
}

fn remove_if_there(storage: &dyn Storage, path: &Path) -> Result<(), StorageError> {
    match storage.remove(path) {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}
