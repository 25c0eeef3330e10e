//! Copies of journals that are kept before one is cut or written anew: what is in it may be of use to somebody.
//!
//! What others wrote lies there as a journal, which recovery offers as any other; a damaged one ends in `.damaged` and goes after
//! thirty days. All of them start from the copies of the map's files beside the journal, which go with the last of them.

use std::path::{Path, PathBuf};

use super::{is_copy_beside_journal, remove_if_there};
use crate::editor::storage::{Storage, StorageError, copy_file, folder_of, free_name};

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

/// The name, without its ending, of the copies that the steps of a journal start from: that of the journal which it was put aside of.
pub(in crate::editor) fn copies_stem(journal: &Path) -> Option<&str> {
    journal.file_stem()?.to_str()?.split(ASIDE).next()
}

/// Deletes the copies of the map's files beside a journal that is gone, unless something that starts from them is left.
pub(super) fn remove_copies_of_none(storage: &dyn Storage, journal: &Path) -> Result<(), StorageError> {
    let Some(stem) = copies_stem(journal) else { return Ok(()) };
    let all = storage.list(folder_of(journal))?;
    let is_journal = |path: &&PathBuf| path.extension().is_some_and(|end| end == "journal" || end == "damaged");
    if all.iter().filter(is_journal).any(|path| copies_stem(path) == Some(stem)) {
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

/// Whether a file of a folder is a copy that the steps of a journal start from, and none of those journals is in the folder any more,
/// nor a lock, by which one is begun or deleted.
pub(in crate::editor) fn is_copy_of_none(path: &Path, folder: &[PathBuf]) -> bool {
    let name = path.file_name().unwrap_or_default().to_str();
    // Names of journals hold no dot but the last.
    let Some((stem, _)) = name.and_then(|name| name.split_once('.')).filter(|(_, ending)| is_copy_beside_journal(ending)) else {
        return false;
    };
    // Somebody's own file may have the ending of a sidecar.
    if !folder.contains(&path.with_file_name(format!("{stem}.base"))) {
        return false;
    }
    let starts_there = |path: &PathBuf| {
        let is_any = path.extension().is_some_and(|end| end == "journal" || end == "damaged" || end == "lock");
        is_any && copies_stem(path) == Some(stem)
    };
    !folder.iter().any(starts_there)
}

/// Deletes a damaged journal that was kept aside.
pub(in crate::editor) fn remove_aside(storage: &dyn Storage, aside: &Path) -> Result<(), StorageError> {
    storage.remove(aside)?;
    // Of a journal that is just being begun, its own thread has them.
    let is_begun_of = |stem: &str| storage.exists(&aside.with_file_name(format!("{stem}.lock")));
    match copies_stem(aside).map(is_begun_of).transpose()? {
        Some(false) => remove_copies_of_none(storage, aside),
        _ => Ok(()),
    }
}
