//! What a file was like when we last read or wrote it: tells whether somebody else changed it since.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::sidecar_path;
use crate::editor::storage::{ContentHash, FileIdentity, FileInfo, Storage, StorageAction, StorageError, StoredPath};
use crate::format::SIDECARS;

/// A file at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Length in bytes.
    pub len: u64,
    /// When it was last written, where the disk says so.
    pub modified: Option<SystemTime>,
    /// Which file it is, where the system says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<FileIdentity>,
    /// Its content.
    pub hash: ContentHash,
    /// Whether it is a sidecar that could not be read: it is never written.
    #[serde(default)]
    pub unreadable: bool,
}

impl Stamp {
    /// Of a sidecar that the disk did not give: whatever it is, it is never written.
    pub(super) fn unknown() -> Self {
        Self { len: 0, modified: None, identity: None, hash: ContentHash::of(&[]), unreadable: true }
    }

    /// Whether it is of a sidecar that the disk did not give.
    pub fn is_unknown(&self) -> bool {
        *self == Self::unknown()
    }

    pub(super) fn of(info: FileInfo, hash: ContentHash) -> Self {
        Self { len: info.len, modified: info.modified, identity: info.identity, hash, unreadable: false }
    }

    /// Whether the system says the same of a file as when this was made.
    pub(super) fn is_of(&self, info: &FileInfo) -> bool {
        info.modified.is_some() && (info.len, info.modified, info.identity) == (self.len, self.modified, self.identity)
    }

    /// Whether the file still has this content. It is read only if its length is right, and its time or anything else that tells
    /// it from another file is not: times can be set, as copying and unpacking do.
    pub(in crate::editor) fn still_holds(&self, storage: &dyn Storage, path: &Path) -> Result<bool, StorageError> {
        let info = storage.info(path)?;
        if info.len != self.len {
            return Ok(false);
        }
        let is_same =
            info.modified.is_some() && info.modified == self.modified && info.identity.is_some() && info.identity == self.identity;
        Ok(is_same || hash_of(storage, path)? == self.hash)
    }

    /// Takes in what the system says of the file at its place now that it was put there, which changes that.
    pub(super) fn put_in_place(&mut self, storage: &dyn Storage, path: &Path) {
        // What is not known is read again before it is replaced.
        let is_it = |info: &FileInfo| (info.len, info.modified) == (self.len, self.modified);
        self.identity = storage.info(path).ok().filter(is_it).and_then(|info| info.identity);
    }
}

/// The content hash of a file.
pub(super) fn hash_of(storage: &dyn Storage, path: &Path) -> Result<ContentHash, StorageError> {
    ContentHash::of_source(&*storage.open(path)?).map_err(StorageError::at(StorageAction::Read, path))
}

/// The stamps of a map and of the sidecars beside it, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(StoredPath, Stamp)>", into = "Vec<(StoredPath, Stamp)>")]
pub struct Stamps(pub BTreeMap<PathBuf, Stamp>);

impl Stamps {
    /// Of what stands at the place of a map, and at those of all files that may lie beside one; what cannot be looked at is not among them.
    pub fn of_place(storage: &dyn Storage, map: &Path) -> Self {
        let beside = SIDECARS.iter().map(|sidecar| sidecar_path(map, sidecar.suffix()));
        let there = std::iter::once(map.to_path_buf()).chain(beside).filter_map(|path| {
            let stamp = Stamp::of(storage.info(&path).ok()?, hash_of(storage, &path).ok()?);
            Some((path, stamp))
        });
        Self(there.collect())
    }

    /// The stamp of a file.
    pub fn get(&self, path: &Path) -> Option<&Stamp> {
        self.0.get(path)
    }

    /// Whether the file is a sidecar that could not be read.
    pub(super) fn is_unreadable(&self, path: &Path) -> bool {
        self.get(path).is_some_and(|stamp| stamp.unreadable)
    }

    /// The first file that somebody else changed or removed.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn first_changed(&self, storage: &dyn Storage) -> Result<Option<&Path>, StorageError> {
        for path in self.known() {
            if self.is_changed(storage, path)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// All files of those that [`first_changed`](Self::first_changed) means.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn all_changed(&self, storage: &dyn Storage) -> Result<Vec<PathBuf>, StorageError> {
        let changed = self.known().map(|path| Ok(self.is_changed(storage, path)?.then(|| path.to_path_buf())));
        changed.filter_map(Result::transpose).collect()
    }

    fn known(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().filter(|(_, stamp)| !stamp.is_unknown()).map(|(path, _)| &**path)
    }

    fn is_changed(&self, storage: &dyn Storage, path: &Path) -> Result<bool, StorageError> {
        let holds = |stamp: &Stamp| Ok(storage.exists(path)? && stamp.still_holds(storage, path)?);
        self.0.get(path).map_or(Ok(false), |stamp| holds(stamp).map(|holds| !holds))
    }
}

impl From<Vec<(StoredPath, Stamp)>> for Stamps {
    fn from(stamps: Vec<(StoredPath, Stamp)>) -> Self {
        Self(stamps.into_iter().map(|(path, stamp)| (path.0, stamp)).collect())
    }
}

impl From<Stamps> for Vec<(StoredPath, Stamp)> {
    fn from(stamps: Stamps) -> Self {
        stamps.0.into_iter().map(|(path, stamp)| (StoredPath(path), stamp)).collect()
    }
}
