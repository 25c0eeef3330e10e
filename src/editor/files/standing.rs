//! How the files of a set stand while somebody is asked about them: the answer counts for that, and for nothing that comes later.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{Stamps, sidecar_path};
use crate::editor::storage::{FileIdentity, Storage};
use crate::format::SIDECARS;

/// By what a file is known to be the same without a look into it: its length, its time and which file it is.
pub(super) type Glance = (u64, Option<SystemTime>, Option<FileIdentity>);

/// A file at a glance; `None` where there is none.
pub(super) fn glance(storage: &dyn Storage, path: &Path) -> Option<Glance> {
    storage.info(path).ok().map(|info| (info.len, info.modified, info.identity))
}

/// As [`glance`], where links lead to.
fn seen(storage: &dyn Storage, path: &Path) -> Option<Glance> {
    glance(storage, &storage.resolve(path).ok()?)
}

/// The files of a map's set, those that may come to be in it included, as they stood at one moment. What is missing stood nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing(BTreeMap<PathBuf, Glance>);

impl Standing {
    /// The map, whatever may be beside it, and all files that are known of it, as they are now.
    pub fn of(storage: &dyn Storage, map: &Path, known: &Stamps) -> Self {
        let beside = SIDECARS.iter().map(|sidecar| sidecar_path(map, sidecar.suffix()));
        let paths = beside.chain([map.to_path_buf()]).chain(known.0.keys().cloned());
        Self(paths.filter_map(|path| Some((seen(storage, &path)?, path))).map(|(seen, path)| (path, seen)).collect())
    }

    /// Whether a file is as it was then.
    pub(in crate::editor) fn holds(&self, storage: &dyn Storage, path: &Path) -> bool {
        self.0.get(path).copied() == seen(storage, path)
    }
}
