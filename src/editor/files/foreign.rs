//! Files in the way of a save that somebody else wrote, or that nobody can read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::open::SIDECAR_LIMIT;
use super::save::{Overwrite, SaveOptions};
use super::{Plugins, SaveError};
use crate::editor::storage::Storage;

/// Why a file that nobody knows cannot be read, where it may be replaced: nothing of it could be kept.
pub(super) fn is_out_of_reach(storage: &dyn Storage, path: &Path, options: &SaveOptions) -> Option<String> {
    let is_meant = options.overwrite == Overwrite::UnlessChanged && options.expected.get(path).is_none();
    let look = || if storage.exists(path)? { storage.read(path, SIDECAR_LIMIT).map(drop) } else { storage.resolve(path).map(drop) };
    is_meant.then(look)?.err().map(|error| error.reason_in_words())
}

/// Whether a file that is to be replaced is neither the map's own nor one that Spadework would write.
pub(super) fn is_somebody_elses(
    plugins: Plugins,
    map_format: &str,
    storage: &dyn Storage,
    path: &Path,
    bytes: &[u8],
    options: &SaveOptions,
) -> Result<bool, SaveError> {
    if !options.keep_foreign_sidecars
        || (options.overwrite == Overwrite::IfUnchanged && !options.foreign_sidecars_agreed)
        || options.expected.get(path).is_some()
        || !storage.exists(path)?
    {
        return Ok(false);
    }
    let there = storage.read(path, SIDECAR_LIMIT)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok(*there != *bytes
        && plugins.sidecars_of(map_format).any(|sidecar| name.ends_with(sidecar.suffix()) && !sidecar.keeps_handwriting(&there, bytes)))
}

/// Fails if replacing the file would destroy what somebody else put there, or bring back what somebody else removed: a map that
/// is gone may be on a disk that was taken away. A file that holds what is new already, where that is known, may be read-only.
pub(super) fn check_unchanged(storage: &dyn Storage, path: &Path, new: Option<&[u8]>, options: &SaveOptions) -> Result<(), SaveError> {
    let target = storage.resolve(path)?;
    let is_there = |new: &[u8]| storage.read(&target, SIDECAR_LIMIT).is_ok_and(|there| *there == *new);
    if !new.is_some_and(is_there) {
        storage.check_writable(&target)?;
    }
    check_known(storage, path, new, options)
}

/// Fails if a file that another one takes the place of, and that stays, is not as it is known, and nobody agreed to that.
pub(super) fn check_superseded(storage: &dyn Storage, (path, by): &(PathBuf, PathBuf), options: &SaveOptions) -> Result<(), SaveError> {
    check_known(storage, path, None, options).map_err(|error| match error.in_the_way() {
        Some(_) => SaveError::Superseded { path: path.clone(), by: by.clone() },
        None => error,
    })
}

/// Fails if a file is not as it is known, and nobody agreed to that.
fn check_known(storage: &dyn Storage, path: &Path, new: Option<&[u8]>, options: &SaveOptions) -> Result<(), SaveError> {
    let target = storage.resolve(path)?;
    let is_there = |new: &[u8]| storage.read(&target, SIDECAR_LIMIT).is_ok_and(|there| *there == *new);
    match &options.overwrite {
        Overwrite::Always => return Ok(()),
        Overwrite::AsAsked(asked) if asked.holds(storage, path) || new.is_some_and(is_there) => return Ok(()),
        Overwrite::AsAsked(_) => {
            return match (storage.exists(&target)?, options.expected.get(path)) {
                (false, _) => Err(SaveError::Gone { path: path.into() }),
                (true, Some(stamp)) if stamp.still_holds(storage, &target)? => Ok(()),
                (true, _) => Err(SaveError::ChangedOnDisk { path: path.into() }),
            };
        }
        Overwrite::IfUnchanged | Overwrite::UnlessChanged => {}
    }
    if !storage.exists(&target)? {
        let is_known = options.expected.get(path).is_some_and(|stamp| !stamp.unreadable);
        let is_asked = is_known && options.overwrite == Overwrite::IfUnchanged;
        return if is_asked { Err(SaveError::Gone { path: path.into() }) } else { Ok(()) };
    }
    match options.expected.get(path) {
        // Where it is known how the map's files stood, it was not there then.
        None if options.overwrite == Overwrite::UnlessChanged && options.expected.0.is_empty() && !options.is_expected_whole => Ok(()),
        None if options.overwrite == Overwrite::UnlessChanged && new.is_some_and(is_there) => Ok(()),
        None if options.overwrite == Overwrite::UnlessChanged => Err(SaveError::ChangedOnDisk { path: path.into() }),
        None => Err(SaveError::AlreadyExists { path: path.into() }),
        Some(stamp) if stamp.still_holds(storage, &target)? => Ok(()),
        Some(_) => Err(SaveError::ChangedOnDisk { path: path.into() }),
    }
}

/// Most letters of the lines that a message names.
const MOST_MISSING: usize = 600;

/// The lines of a text that another one does not have, in order, but for comments and empty ones.
pub(super) fn missing_lines(there: &[u8], wanted: &[u8]) -> String {
    let (there, wanted) = (String::from_utf8_lossy(there), String::from_utf8_lossy(wanted));
    let known: BTreeSet<&str> = there.lines().map(str::trim).collect();
    let missing = wanted.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#') && !known.contains(line));
    let (mut text, mut more) = (String::new(), 0);
    for line in missing {
        // The first is named in any case, however long.
        if text.is_empty() {
            text.extend(line.chars().take(MOST_MISSING));
        } else if more == 0 && text.len() + line.len() <= MOST_MISSING {
            text.push_str(" · ");
            text.push_str(line);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        text.push_str(&format!(" · … and {more} more {}", if more == 1 { "line" } else { "lines" }));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_missing_are_named_or_counted() {
        assert_eq!(missing_lines(b"a = 1\n", b"# mine\na = 1\n\nb = 2\n  c = 3\n"), "b = 2 · c = 3");
        let many: String = (0..100).map(|number| format!("value_{number:04} = 1\n")).collect();
        let told = missing_lines(b"", many.as_bytes());
        let named = told.split(" · ").filter(|line| line.starts_with("value_")).count();
        assert!(named > 20 && told.ends_with(&format!("… and {} more lines", 100 - named)), "{told}");
        assert_eq!(missing_lines(b"", "ü".repeat(2000).as_bytes()).chars().count(), MOST_MISSING);
    }
}
