//! Earlier versions of saved files: before a save replaces a file, what stood there is copied aside.
//!
//! A map's versions lie in a folder of their own in the state folder, named after the map and a hash of
//! its path; each file is `SECONDS-NAME`, so that a map and its sidecars of one moment open together. Since a clock that went
//! back, the names are `SECONDS.ERA-NAME`: the order is that in which versions were made, whatever the clock said.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::shown_name;
use crate::editor::storage::{ContentHash, Storage, StorageError, copy_file, is_same_content};
use crate::format::{SIDECARS, Warning};

/// Code of a warning: the disk or the rights keep what a save replaced from being kept.
pub(super) const VERSION_NOT_KEPT: &str = "version-not-kept";

/// Larger files are not copied aside: that would take longer than the save.
pub const VERSION_LIMIT: u64 = 256_000_000;
/// Seconds of a day.
const DAY_SECS: u64 = 86_400;
/// Seconds by which a clock is set now and then: no reason to trust no time any more.
const CLOCK_SLACK_SECS: u64 = 60;
/// Hexadecimal digits of the path's hash in a folder's name.
const HASH_DIGITS: usize = 12;

/// Where and how long earlier versions are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepVersions {
    /// Folder of the versions of all maps.
    pub folder: PathBuf,
    /// Versions that are kept of one map; 0 keeps none.
    pub count: usize,
    /// Days after which a version is dropped, not counting more than half of them for one pause between two versions.
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
    let own = versions_folder(folder, &storage.place(map));
    // Where links on the way to it were not followed.
    let typed = versions_folder(folder, &storage.resolve(map).unwrap_or_else(|_| map.into()));
    // No folder, no versions.
    let list = |folder: &PathBuf| storage.list(folder).unwrap_or_default();
    let paths = [own.clone()].iter().chain(Some(&typed).filter(|typed| **typed != own)).flat_map(list).collect::<Vec<_>>();
    let mut versions: Vec<(Moment, Version)> = paths
        .into_iter()
        .filter_map(|path| {
            let (moment, rest) = parts(&path)?;
            let len = storage.info(&path).ok().filter(|_| rest == name)?.len;
            Some((moment, Version { path, at: moment.at, len }))
        })
        .collect();
    versions.sort_by_key(|(moment, _)| std::cmp::Reverse(*moment));
    versions.into_iter().map(|(_, version)| version).collect()
}

/// Copies the files of a map's set aside as they stand. Where the latest version is that already, as after a save that failed, it stands
/// for them. Nothing is dropped for it: the save may fail yet ([`drop_versions`]).
///
/// `map` is the map's path with links followed; each file has its place and the name that it is known by. The map is the last of them: a
/// moment that holds it holds all.
///
/// # Errors
/// If one cannot be copied.
pub(super) fn keep_version(storage: &dyn Storage, keep: &KeepVersions, map: &Path, files: &[(&Path, String)]) -> Result<(), StorageError> {
    if keep.count == 0 {
        return Ok(());
    }
    let folder = versions_folder(&keep.folder, map);
    storage.create_folder(&folder)?;
    let there = storage.list(&folder)?;
    // Of calls that were killed while they copied. What cannot be removed does no harm.
    for copy in there.iter().filter(|path| storage.is_abandoned_temp(path)) {
        storage.remove(copy).ok();
    }
    if is_kept(storage, &there, files) {
        return Ok(());
    }
    let moment = Moment::after(there.iter().filter_map(|path| Some(parts(path)?.0)).max(), keep.now);
    let copies = || {
        files.iter().try_for_each(|(target, name)| match storage.info(target)?.len {
            0..=VERSION_LIMIT => copy_file(storage, target, &folder.join(moment.file_name(name))).map(drop),
            _ => Ok(()),
        })
    };
    // Their names count, too, whatever becomes of the power.
    if let Err(error) = copies().and_then(|()| storage.sync_folder(&folder)) {
        // A version is the whole set or nothing.
        files.iter().for_each(|(_, name)| _ = storage.remove(&folder.join(moment.file_name(name))));
        return Err(error);
    }
    Ok(())
}

/// Whether the latest version of the map, the last of the files, among these paths holds the files, all of them and no others, as they
/// stand. Versions of other maps may be later.
fn is_kept(storage: &dyn Storage, there: &[PathBuf], files: &[(&Path, String)]) -> bool {
    let moments = || there.iter().filter_map(|path| Some((parts(path)?, path)));
    let map = files.last().map(|(_, name)| &**name);
    let latest = moments().filter(|((_, name), _)| Some(*name) == map).map(|((moment, _), _)| moment).max();
    let kept: BTreeMap<&str, &PathBuf> =
        moments().filter(|((moment, _), _)| Some(*moment) == latest).map(|((_, name), path)| (name, path)).collect();
    let holds = |target: &Path, name: &str| kept.get(name).is_some_and(|kept| is_same_content(storage, kept, target).unwrap_or(false));
    kept.len() == files.len() && files.iter().all(|(target, name)| holds(target, name))
}

/// Drops versions that are too many or too old, once a save is in place. `map` is the map's path with links followed, `name` the name that
/// it is known by, and `own` are the names of all its files. What cannot be dropped does no harm until the next save.
pub(super) fn drop_versions(storage: &dyn Storage, keep: &KeepVersions, map: &Path, name: &str, own: &[&str]) {
    let there = storage.list(&versions_folder(&keep.folder, map)).unwrap_or_default();
    for old in outdated(&there, name, own, keep) {
        storage.remove(&old).ok();
    }
}

/// The files of moments beyond the count or the age. The latest moment always stays, and so do those of other maps, whose names differ in
/// their endings only and which lie here, too. `own` are the names of the files of the map, `map` among them. A moment without the map, as of a
/// call that was killed over it, is no version and counts as none; it goes with the version before it.
///
/// A pause between two versions counts as half the greatest age at most, and no time counts twice: a clock that is wrong, also the same way
/// again and again, or one long pause, ends no version.
pub(super) fn outdated(paths: &[PathBuf], map: &str, own: &[&str], keep: &KeepVersions) -> Vec<PathBuf> {
    // A file beside the map may be gone by now. Any other name is that of another map, whatever its ending.
    let is_beside = |name: &str| SIDECARS.iter().any(|sidecar| name.ends_with(sidecar.suffix()));
    let is_ours = |name: &str| own.contains(&name) || is_beside(name);
    let all = || paths.iter().filter_map(|path| parts(path));
    let others: BTreeSet<Moment> = all().filter(|(_, name)| !is_ours(name)).map(|(moment, _)| moment).collect();
    let moments: BTreeSet<Moment> =
        all().filter(|(moment, name)| *name == map && !others.contains(moment)).map(|(moment, _)| moment).collect();
    let most_age = keep.days.saturating_mul(DAY_SECS);
    let (mut stay, mut age, mut newer): (BTreeSet<Moment>, u64, Option<Moment>) = (BTreeSet::new(), 0, None);
    let mut counted = vec![];
    for (index, moment) in moments.iter().copied().rev().enumerate() {
        // None where the clock went back between the two.
        let pause = newer.filter(|newer| newer.at > moment.at).map_or(0, |newer| not_counted(&mut counted, moment.at..newer.at));
        age = age.saturating_add(pause.min(most_age / 2));
        newer = Some(moment);
        if index == 0 || (index < keep.count && age <= most_age) {
            stay.insert(moment);
        }
    }
    let Some(oldest) = stay.first().copied() else { return vec![] };
    let is_version = |moment: &Moment| stay.contains(moment) || others.contains(moment);
    let goes = |moment: Moment| !is_version(&moment) && (moments.contains(&moment) || moment < oldest);
    paths.iter().filter(|path| parts(path).is_some_and(|(moment, _)| goes(moment))).cloned().collect()
}

/// The seconds of a span of time that do not count yet; from now on they do. `counted` holds spans apart from each other.
fn not_counted(counted: &mut Vec<Range<u64>>, span: Range<u64>) -> u64 {
    let (mut all, mut seconds) = (span.clone(), span.end - span.start);
    counted.retain(|other| {
        let is_apart = other.end < span.start || span.end < other.start;
        if !is_apart {
            seconds -= other.end.min(span.end) - other.start.max(span.start);
            all = all.start.min(other.start)..all.end.max(other.end);
        }
        is_apart
    });
    counted.push(all);
    seconds
}

/// When a version was made, in the order of their making.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    /// How often the clock went back before.
    era: u64,
    /// What the clock said, in seconds since 1970.
    at: u64,
}

impl Moment {
    /// The moment of a version that is made after all others; `last` is the latest of them.
    fn after(last: Option<Self>, now: u64) -> Self {
        match last {
            None => Self { era: 0, at: now },
            // Two saves of one second are two moments.
            Some(Self { era, at }) if at <= now.saturating_add(CLOCK_SLACK_SECS) => Self { era, at: now.max(at.saturating_add(1)) },
            Some(Self { era, .. }) => Self { era: era.saturating_add(1), at: now },
        }
    }

    /// The name of a file of this moment.
    fn file_name(self, name: &str) -> String {
        match self.era {
            0 => format!("{}-{name}", self.at),
            era => format!("{}.{era}-{name}", self.at),
        }
    }
}

/// Whether a warning of a save says that what it replaced could not be kept as an earlier version.
pub fn keeps_no_version(warning: &Warning) -> bool {
    warning.code == VERSION_NOT_KEPT
}

/// Name of the map that a file is an earlier version of, if it lies where versions do.
pub fn name_of_version(path: &Path) -> Option<&str> {
    let is_hash = |tail: &str| tail.len() == HASH_DIGITS && tail.bytes().all(|byte| byte.is_ascii_hexdigit());
    let folder = path.parent()?.file_name()?.to_str()?;
    folder.rsplit_once('-').filter(|(_, tail)| is_hash(tail))?;
    parts(path).map(|(_, name)| name)
}

/// The moment and the name in a file's name.
fn parts(path: &Path) -> Option<(Moment, &str)> {
    let (moment, name) = path.file_name()?.to_str()?.split_once('-')?;
    let (at, era) = moment.split_once('.').unwrap_or((moment, "0"));
    Some((Moment { era: era.parse().ok()?, at: at.parse().ok()? }, name))
}
