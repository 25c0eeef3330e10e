//! Saves that were interrupted beside the maps that were left: they are completed or taken back before anybody looks at those maps.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Leftovers, Recoverable, RecoveryError, Replayed, replay_quickly};
use crate::document::Progress;
use crate::editor::files::{Interrupted, complete_interrupted_saves, folders_of_map};
use crate::editor::storage::Storage;

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

/// As [`replay_quickly`], once saves that were interrupted beside the map are settled. Whose they were their records do not tell: what they
/// put in place is known only where the journal says that it was about to be put there.
///
/// # Errors
/// As [`replay_quickly`].
pub fn settle_and_replay(storage: &dyn Storage, found: &Recoverable, progress: &Progress) -> Result<Replayed, RecoveryError> {
    let folders = found.map.iter().flat_map(|map| folders_of_map(storage, map)).collect();
    let settled = settle_saves(storage, &folders);
    Ok(Replayed { settled, ..replay_quickly(storage, found, progress)? })
}
