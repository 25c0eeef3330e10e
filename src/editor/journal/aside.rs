//! Copies of journals that are kept before one is cut or written anew: what is in it may be of use to somebody.
//!
//! What others wrote lies there as a journal, which recovery offers as any other; a damaged one ends in `.damaged` and goes after
//! thirty days. All of them start from the copies of the map's files beside the journal, which go with the last of them. Which copies
//! those are the header of each says, also where somebody gave a journal another name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::frames::named_copies_stem;
use super::{is_copy_beside_journal, remove_if_there};
use crate::editor::storage::{Storage, StorageAction, StorageError, copy_file, folder_of, free_name};

/// Between the name of a journal and the number of its copy. No name of a journal holds it.
const ASIDE: &str = "-old";

/// What is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aside {
    /// A journal, of others.
    Journal,
    /// What is left of one.
    Damaged,
}

/// Copies a journal to a name of its own; answers it.
///
/// # Errors
/// If it cannot be read, or the copy not be written.
pub(super) fn put_aside(storage: &dyn Storage, journal: &Path, what: Aside) -> Result<PathBuf, StorageError> {
    let stem = journal.file_stem().unwrap_or_default().to_string_lossy();
    let ending = if what == Aside::Journal { "journal" } else { "damaged" };
    // One that lies there is of an earlier time.
    let aside = free_name(storage, journal, |number| format!("{stem}{ASIDE}{number}.{ending}"))?;
    copy_file(storage, journal, &aside)?;
    Ok(aside)
}

/// The name, without its ending, of the copies that a journal of that name was begun with: that of the journal which it was put aside of.
pub(in crate::editor) fn copies_stem(journal: &Path) -> Option<&str> {
    journal.file_stem()?.to_str()?.split(ASIDE).next()
}

/// The name, without its ending, of the copies that the steps of a journal start from: as its header says, or, where that is lost or
/// the journal gone, as its name does.
///
/// # Errors
/// If it is there and cannot be read: it may start from any.
pub(in crate::editor) fn started_from(storage: &dyn Storage, journal: &Path) -> Result<Option<String>, StorageError> {
    let named = match storage.open(journal) {
        Ok(source) => named_copies_stem(&*source).map_err(StorageError::at(StorageAction::Read, journal))?,
        Err(error) if error.is_not_found() || error.is_about_file() => None,
        Err(error) => return Err(error),
    };
    Ok(named.or_else(|| copies_stem(journal).map(str::to_owned)))
}

/// Whether steps may stand in a file that start from copies.
fn is_any_journal(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "journal" || end == "damaged")
}

/// The names, without their endings, of all copies that the journals of a folder start from.
///
/// # Errors
/// If one of them cannot be read.
fn all_started_from(storage: &dyn Storage, folder: &[PathBuf]) -> Result<BTreeSet<String>, StorageError> {
    folder.iter().filter(|path| is_any_journal(path)).filter_map(|path| started_from(storage, path).transpose()).collect()
}

/// Deletes the copies of the map's files that a journal started from, which is gone, unless something that starts from them is left.
pub(super) fn remove_copies_of_none(storage: &dyn Storage, folder: &Path, stem: &str) -> Result<(), StorageError> {
    let all = storage.list(folder)?;
    // While it is not known whether somebody needs them they stay; they go by their age once it is.
    if all_started_from(storage, &all).map_or(true, |started| started.contains(stem)) {
        return Ok(());
    }
    for path in &all {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ending = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
        if ending.is_some_and(is_copy_beside_journal) {
            remove_if_there(storage, path)?;
        }
    }
    Ok(())
}

/// The copies in a folder that steps of journals start from, where none of those journals is in the folder any more, nor a lock, by
/// which one is begun or deleted.
pub(in crate::editor) fn copies_of_none(storage: &dyn Storage, folder: &[PathBuf]) -> BTreeSet<PathBuf> {
    // Names of journals hold no dot but the last.
    let stem_of = |path: &PathBuf| {
        let (stem, ending) = path.file_name()?.to_str()?.split_once('.')?;
        is_copy_beside_journal(ending).then(|| stem.to_owned())
    };
    // Somebody's own file may have the ending of a sidecar.
    let is_copy = |path: &PathBuf| stem_of(path).is_some_and(|stem| folder.contains(&path.with_file_name(stem + ".base")));
    let is_held = |path: &&PathBuf| is_any_journal(path) || path.extension().is_some_and(|end| end == "lock");
    let held: BTreeSet<&str> = folder.iter().filter(is_held).filter_map(|path| copies_stem(path)).collect();
    let is_of_none = |path: &&PathBuf| stem_of(path).is_some_and(|stem| !held.contains(&*stem));
    let unheld: Vec<&PathBuf> = folder.iter().filter(is_of_none).filter(|path| is_copy(path)).collect();
    // Nearly always there is none: then nothing is read.
    let started = if unheld.is_empty() { Ok(BTreeSet::new()) } else { all_started_from(storage, folder) };
    let Ok(started) = started else { return BTreeSet::new() };
    unheld.into_iter().filter(|path| stem_of(path).is_some_and(|stem| !started.contains(&stem))).cloned().collect()
}

/// Deletes a damaged journal that was kept aside.
pub(in crate::editor) fn remove_aside(storage: &dyn Storage, aside: &Path) -> Result<(), StorageError> {
    let stem = started_from(storage, aside);
    storage.remove(aside)?;
    let Ok(Some(stem)) = stem else { return Ok(()) };
    // Of a journal that is just being begun, its own thread has them.
    match storage.exists(&aside.with_file_name(format!("{stem}.lock")))? {
        false => remove_copies_of_none(storage, folder_of(aside), &stem),
        true => Ok(()),
    }
}
