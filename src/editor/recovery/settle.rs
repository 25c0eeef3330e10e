//! Saves that were interrupted beside the maps that were left: they are completed or taken back before anybody looks at those maps.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::replay::changed_on_disk;
use super::{Leftovers, Recoverable, RecoveryError, Replayed, replay_quickly};
use crate::document::Progress;
use crate::editor::files::{Interrupted, complete_interrupted_saves, folders_of_map};
use crate::editor::storage::{ContentHash, Storage, folder_of};

/// Where saves may have been interrupted.
#[derive(Clone, Debug, Default)]
pub struct LeftSaves {
    /// Maps that were left.
    maps: BTreeSet<PathBuf>,
    /// Folders in which saves did not end.
    folders: BTreeSet<PathBuf>,
}

impl LeftSaves {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.maps.is_empty() && self.folders.is_empty()
    }

    /// Completes or takes back all of them.
    pub fn settle(&self, storage: &dyn Storage) -> Vec<Interrupted> {
        settle_saves(storage, &self.folders(storage))
    }

    /// The folders of the maps, where links lead to as well, and the others.
    pub(super) fn folders(&self, storage: &dyn Storage) -> BTreeSet<PathBuf> {
        self.maps.iter().flat_map(|map| folders_of_map(storage, map)).chain(self.folders.iter().cloned()).collect()
    }
}

impl Leftovers {
    /// Where saves of the maps that were left, and others, may have been interrupted. Looks at no disk.
    pub fn saves(&self) -> LeftSaves {
        let held = self.recoverable.iter().filter_map(|found| found.map.as_deref());
        let others = self.others.iter().filter_map(|found| found.map.as_deref());
        LeftSaves { maps: held.chain(others).map(Path::to_path_buf).collect(), folders: self.saving.iter().cloned().collect() }
    }
}

/// Completes or takes back every save in those folders that was interrupted.
pub(super) fn settle_saves(storage: &dyn Storage, folders: &BTreeSet<PathBuf>) -> Vec<Interrupted> {
    folders.iter().flat_map(|folder| complete_interrupted_saves(storage, folder)).collect()
}

/// Files that saves put in place which an earlier session had begun, and what was written there.
pub type CompletedFiles = BTreeMap<PathBuf, ContentHash>;

/// The files that such saves put in place.
pub fn completed_files(settled: &[Interrupted]) -> impl Iterator<Item = (PathBuf, ContentHash)> {
    let files = settled.iter().flat_map(|outcome| match outcome {
        Interrupted::Completed { files } => files.as_slice(),
        _ => &[],
    });
    files.cloned()
}

/// As [`replay_quickly`], once a save that was interrupted beside the map is settled. `completed` are files that were put in place by
/// settling saves before: nobody else changed those that still hold what was written there.
///
/// # Errors
/// As [`replay_quickly`].
pub fn settle_and_replay(
    storage: &dyn Storage,
    found: &Recoverable,
    completed: &CompletedFiles,
    progress: &Progress,
) -> Result<Replayed, RecoveryError> {
    let folders = found.map.iter().flat_map(|map| folders_of_map(storage, map)).collect();
    let settled = settle_saves(storage, &folders);
    let mut replayed = replay_quickly(storage, found, progress)?;
    let all: CompletedFiles = completed.clone().into_iter().chain(completed_files(&settled)).collect();
    // Known by other names: links lead to them, or to their folder.
    let places: CompletedFiles = all.iter().map(|(path, hash)| (storage.place(path), *hash)).collect();
    let others = replayed.stamps.0.keys().filter_map(|path| Some((path.clone(), *places.get(&storage.place(path))?)));
    let is_of_map = |file: &Path| found.map.as_deref().is_some_and(|map| belongs_to(file, map));
    let mut ours: CompletedFiles = others.collect();
    ours.extend(all.into_iter().filter(|(path, _)| is_of_map(path)));
    if !ours.is_empty() {
        replayed.stamps.renew(storage, &ours);
        replayed.forget_lost(&found.content);
        replayed.changed_on_disk = changed_on_disk(storage, &replayed.stamps, &found.content);
    }
    replayed.settled = settled;
    Ok(replayed)
}

/// Whether a file is the map or has its name but for the ending.
fn belongs_to(file: &Path, map: &Path) -> bool {
    let name = |path: &Path| path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().into_owned();
    let stem = map.file_stem().map(OsStr::to_string_lossy).unwrap_or_default();
    folder_of(file) == folder_of(map) && name(file).strip_prefix(&*stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
