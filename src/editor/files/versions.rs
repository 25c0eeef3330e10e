//! Earlier versions of saved files: before a save replaces a file, what stood there is copied aside.
//!
//! A map's versions lie in a folder of their own in the state folder, named after the map and a hash of
//! its path; each file is `SECONDS-NAME`, so that a map and its sidecars of one moment open together.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::shown_name;
use crate::editor::storage::{ContentHash, Storage, StorageError, copy_file};
use crate::format::map_format_by_extension;

/// Larger files are not copied aside: that would take longer than the save.
pub const VERSION_LIMIT: u64 = 256_000_000;
/// Seconds of a day.
const DAY_SECS: u64 = 86_400;
/// Hexadecimal digits of the path's hash in a folder's name.
const HASH_DIGITS: usize = 12;

/// Where and how long earlier versions are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepVersions {
    /// Folder of the versions of all maps.
    pub folder: PathBuf,
    /// Versions that are kept of one map; 0 keeps none.
    pub count: usize,
    /// Days after which a version is dropped.
    pub days: u64,
    /// The time of the save, in seconds since 1970.
    pub now: u64,
}

/// An earlier version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The copy.
    pub path: PathBuf,
    /// When the version was replaced, in seconds since 1970.
    pub at: u64,
    /// Its length in bytes.
    pub len: u64,
}

/// The folder of the versions of a map; `map` is the path with links followed.
pub fn versions_folder(folder: &Path, map: &Path) -> PathBuf {
    // However it was typed.
    let map = &std::path::absolute(map).unwrap_or_else(|_| map.into());
    let stem: String = map.file_stem().unwrap_or_default().to_string_lossy().chars().filter(|c| c.is_alphanumeric()).take(40).collect();
    let hash = ContentHash::of(map.with_extension("").to_string_lossy().as_bytes()).to_string();
    folder.join(format!("{stem}-{}", hash.get(..HASH_DIGITS).unwrap_or(&hash)))
}

/// The versions of a map that are there, the latest first. Sidecars are not listed: they lie beside.
pub fn list_versions(storage: &dyn Storage, folder: &Path, map: &Path) -> Vec<Version> {
    let name = shown_name(map);
    let target = storage.resolve(map).unwrap_or_else(|_| map.into());
    // No folder, no versions.
    let paths = storage.list(&versions_folder(folder, &target)).unwrap_or_default();
    let mut versions: Vec<Version> = paths
        .into_iter()
        .filter_map(|path| {
            let (at, rest) = parts(&path)?;
            let len = storage.info(&path).ok().filter(|_| rest == name)?.len;
            Some(Version { path, at, len })
        })
        .collect();
    versions.sort_by_key(|version| std::cmp::Reverse(version.at));
    versions
}

/// Copies the files of a map's set aside as they stand and drops versions that are too many or too old.
///
/// `map` is the map's path with links followed; each file has its place and the name that it is known by.
///
/// # Errors
/// If one cannot be copied. Versions that cannot be dropped stay.
pub(super) fn keep_version(storage: &dyn Storage, keep: &KeepVersions, map: &Path, files: &[(&Path, String)]) -> Result<(), StorageError> {
    if keep.count == 0 {
        return Ok(());
    }
    let folder = versions_folder(&keep.folder, map);
    storage.create_folder(&folder)?;
    let there = storage.list(&folder)?;
    // Two saves of one second are two moments.
    let is_taken = |at: u64| there.iter().any(|path| parts(path).is_some_and(|(other, _)| other == at));
    let moment = (keep.now..).find(|at| !is_taken(*at)).unwrap_or(keep.now);
    let copies = || {
        files.iter().try_for_each(|(target, name)| match storage.info(target)?.len {
            0..=VERSION_LIMIT => copy_file(storage, target, &folder.join(format!("{moment}-{name}"))).map(drop),
            _ => Ok(()),
        })
    };
    if let Err(error) = copies() {
        // A version is the whole set or nothing.
        files.iter().for_each(|(_, name)| _ = storage.remove(&folder.join(format!("{moment}-{name}"))));
        return Err(error);
    }
    let own: Vec<&str> = files.iter().map(|(_, name)| &**name).collect();
    for old in outdated(&storage.list(&folder)?, &own, keep) {
        // It does no harm until the next save.
        storage.remove(&old).ok();
    }
    Ok(())
}

/// The files of moments beyond the count or the age. The latest moment always stays, and so do those of a map of the same name in
/// another format, which lie here, too. `own` are the names of the map's files.
fn outdated(paths: &[PathBuf], own: &[&str], keep: &KeepVersions) -> Vec<PathBuf> {
    let is_map = |name: &str| Path::new(name).extension().and_then(|end| map_format_by_extension(end.to_str()?)).is_some();
    let others: BTreeSet<u64> =
        paths.iter().filter_map(|path| parts(path)).filter(|(_, name)| is_map(name) && !own.contains(name)).map(|(at, _)| at).collect();
    let mut moments: Vec<u64> = paths.iter().filter_map(|path| Some(parts(path)?.0)).filter(|at| !others.contains(at)).collect();
    moments.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
    moments.dedup();
    let oldest = keep.now.saturating_sub(keep.days.saturating_mul(DAY_SECS));
    let stays = |at: u64| {
        others.contains(&at)
            || moments.iter().position(|moment| *moment == at).is_some_and(|index| index == 0 || (index < keep.count && at >= oldest))
    };
    paths.iter().filter(|path| parts(path).is_some_and(|(at, _)| !stays(at))).cloned().collect()
}

/// The time and the name in `SECONDS-NAME`.
fn parts(path: &Path) -> Option<(u64, &str)> {
    let (at, name) = path.file_name()?.to_str()?.split_once('-')?;
    Some((at.parse().ok()?, name))
}
