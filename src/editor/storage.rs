//! All file access of the product: the trait [`Storage`], and the real one, [`RealStorage`], in a room of its own that alone names `std::fs`.
//!
//! Files are replaced, never overwritten: [`Storage::create_temp`] makes a hidden file beside the
//! target, [`Storage::rename`] puts it in place. Tests use `testing::FaultyStorage`, which lives in
//! memory and fails where it is told to.

mod atomic;
mod copy;
mod dangling;
mod error;
mod hash;
mod obstacle;
mod real;
mod sparse;
mod stored_path;
#[cfg(test)]
pub(crate) mod testing;

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub(in crate::editor) use atomic::write_temp;
pub use atomic::{TempGuard, replace_file, replace_file_if, write_file};
pub(super) use atomic::{replace_file_anew, sync_name};
pub use copy::copy_file;
pub(in crate::editor) use copy::{copy_source, is_same_content};
pub use dangling::DanglingLink;
pub use error::{StorageAction, StorageError};
pub use hash::{BadHash, ContentHash, HashingWriter};
pub(in crate::editor) use obstacle::{clear_way, free_name};
pub use real::{RealStorage, home_in_system};
pub use stored_path::StoredPath;

use serde::{Deserialize, Serialize};

use crate::document::size_text;
use crate::format::Source;

/// What the names of our temporary files contain, after a dot and the name of the file they are for.
const TEMP_MARK: &str = ".spadework-tmp-";
/// The same of those that a record in another folder needs.
const KEPT_MARK: &str = ".spadework-set-";
/// Bytes of a file's name that go into the names of the hidden files beside it: names end at 255.
const NAME_BYTES: usize = 160;

/// What is known about a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Length in bytes.
    pub len: u64,
    /// When it was last written, where the disk says so.
    pub modified: Option<SystemTime>,
    /// Whether it may not be written.
    pub readonly: bool,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// Names that the file has: more than one where there are hard links to it.
    pub names: u64,
    /// Which file it is, and when anything about it last changed; `None` where the system does not say.
    pub identity: Option<FileIdentity>,
    /// Numbers of the user and the group that it belongs to; `None` where the system has none.
    pub owner: Option<(u32, u32)>,
}

/// Tells a file from another one of the same name, length and time, and from what it was before somebody wrote to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity {
    /// Number of the file on its disk.
    pub file: u64,
    /// When anything about it last changed, also its name or its time: seconds since 1970, and nanoseconds.
    pub changed: (i64, i64),
}

/// What tells a folder from all others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FolderKey {
    /// The numbers of its disk and of the folder there.
    Number(u64, u64),
    /// Its path, where there are no numbers.
    Path(PathBuf),
}

/// A file being written.
pub trait FileWriter: Write + Send {
    /// Waits until all that was written is on the disk.
    ///
    /// # Errors
    /// What the disk fails with.
    fn sync(&mut self) -> io::Result<()>;

    /// Bytes in the file now, whoever wrote or cut it meanwhile.
    ///
    /// # Errors
    /// What the disk fails with.
    fn len_now(&self) -> io::Result<u64>;

    /// Whether the file that is written still is the one at that path: not where it was removed, or another one took its place.
    ///
    /// # Errors
    /// What the disk fails with; a path without a file is no error.
    fn is_at(&self, path: &Path) -> io::Result<bool>;

    /// Reads the file that is written, also when it has no name any more.
    ///
    /// # Errors
    /// What the disk fails with.
    fn read_back(&self) -> io::Result<Box<dyn Source>>;
}

/// A hidden file that will take the place of another.
pub struct TempFile {
    /// Where it is: in the folder of the file it is for.
    pub path: PathBuf,
    /// Writes it.
    pub writer: Box<dyn FileWriter>,
}

impl fmt::Debug for TempFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TempFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A file is claimed for this process until the lock is dropped or the process ends, however it ends.
pub struct FileLock(Box<dyn Any + Send + Sync>);

impl FileLock {
    /// A lock that dropping `guard` releases.
    pub fn new(guard: impl Any + Send + Sync) -> Self {
        Self(Box::new(guard))
    }

    /// What is held, for the storage that made it.
    fn guard<T: Any>(&self) -> Option<&T> {
        self.0.downcast_ref()
    }
}

impl fmt::Debug for FileLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FileLock")
    }
}

/// Where maps, sidecars, journals and settings lie.
///
/// # Errors
/// Every method answers a [`StorageError`] that names the file and the reason.
#[expect(clippy::missing_errors_doc, reason = "said once, above")]
pub trait Storage: Send + Sync + fmt::Debug {
    /// What is known about a file or folder; links are followed.
    fn info(&self, path: &Path) -> Result<FileInfo, StorageError>;

    /// Opens a file for reading anywhere in it.
    fn open(&self, path: &Path) -> Result<Box<dyn Source>, StorageError>;

    /// Makes an empty temporary file in the folder of `target`, with the permissions of `target` if it exists.
    fn create_temp(&self, target: &Path) -> Result<TempFile, StorageError>;

    /// Whether that is a temporary file of a process that is gone.
    fn is_abandoned_temp(&self, path: &Path) -> bool;

    /// Opens a file for appending; makes it if it is missing.
    fn append(&self, path: &Path) -> Result<Box<dyn FileWriter>, StorageError>;

    /// Gives a file another name in the same folder; what had that name is replaced in one step.
    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError>;

    /// As [`Storage::rename`], where nothing has that name: it fails with [`std::io::ErrorKind::AlreadyExists`] if something came to it
    /// meanwhile. Where the disk cannot do that in one step it looks first.
    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), StorageError>;

    /// Deletes a file.
    fn remove(&self, path: &Path) -> Result<(), StorageError>;

    /// The paths of everything in a folder, sorted.
    fn list(&self, folder: &Path) -> Result<Vec<PathBuf>, StorageError>;

    /// Makes a folder and the folders above it; it is good if it exists. A new one may be gone after a power loss:
    /// [`Storage::create_folder`].
    fn make_folder(&self, folder: &Path) -> Result<(), StorageError>;

    /// Waits until new and renamed entries of a folder are on the disk.
    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError>;

    /// Makes a folder and the folders above it so that they last; it is good if it exists.
    fn create_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let parts = folder.ancestors().filter(|part| !part.as_os_str().is_empty());
        let new: Vec<_> = parts.take_while(|part| matches!(self.exists(part), Ok(false))).collect();
        self.make_folder(folder)?;
        for part in new.into_iter().rev() {
            // It is there, and what lies in it is written all the same.
            if let Err(error) = self.sync_folder(folder_of(part)) {
                tracing::warn!("the new folder {} may not outlast a power loss: {error}", part.display());
            }
        }
        Ok(())
    }

    /// Gives a temporary file the name of its target: what is there is replaced only if that is meant.
    /// A file that came to a new name meanwhile is [`std::io::ErrorKind::AlreadyExists`].
    fn move_into_place(&self, temp: &Path, target: &Path, replaces: bool) -> Result<(), StorageError> {
        if replaces { self.rename(temp, target) } else { self.rename_new(temp, target) }
    }

    /// The file that a link leads to; the path itself if it is no link. The file need not exist.
    fn resolve(&self, path: &Path) -> Result<PathBuf, StorageError>;

    /// The one path of a file whatever links lead to its folder, and however it was typed; its own link is followed, too.
    fn place(&self, path: &Path) -> PathBuf {
        let target = self.resolve(path).unwrap_or_else(|_| path.into());
        std::path::absolute(&target).unwrap_or(target)
    }

    /// Fails unless the file may be replaced: a write-protected one may not. A missing one may.
    fn check_writable(&self, path: &Path) -> Result<(), StorageError>;

    /// Claims a lock file, made if missing; `None` while another process holds it.
    fn lock(&self, path: &Path) -> Result<Option<FileLock>, StorageError>;

    /// Whether a lock of this storage still keeps others from that path: not where its file was removed, and they make another one.
    fn holds(&self, lock: &FileLock, path: &Path) -> bool;

    /// What tells a folder from all others, however it is spelled and wherever it is mounted.
    fn folder_key(&self, folder: &Path) -> FolderKey {
        FolderKey::Path(std::path::absolute(folder).unwrap_or_else(|_| folder.into()))
    }

    /// Claims a folder while a set of files in it changes; `None` while another process does. Where the system knows no such
    /// claim, everybody has it.
    fn lock_folder(&self, _folder: &Path) -> Result<Option<FileLock>, StorageError> {
        Ok(Some(FileLock::new(())))
    }

    /// Bytes that can still be written into a folder; `None` where the system does not say.
    fn free_space(&self, _folder: &Path) -> Option<u64> {
        None
    }

    /// Whether there is a file or folder.
    fn exists(&self, path: &Path) -> Result<bool, StorageError> {
        match self.info(path) {
            Ok(_) => Ok(true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A whole file of at most `limit` bytes.
    fn read(&self, path: &Path, limit: u64) -> Result<Arc<[u8]>, StorageError> {
        let source = self.open(path)?;
        if source.len() > limit {
            let figures = format!("it has {}, and at most {} are read", size_text(source.len()), size_text(limit));
            return Err(StorageError::at(StorageAction::Read, path)(io::Error::new(io::ErrorKind::FileTooLarge, figures)));
        }
        source.bytes().map_err(StorageError::at(StorageAction::Read, path))
    }
}

/// The folder that a file is in; `.` for a bare name.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The path of the hidden file `.NAME` + `tail` in the folder of `target`.
pub fn hidden_beside(target: &Path, tail: &str) -> PathBuf {
    let name = target.file_name().unwrap_or(OsStr::new("map"));
    let mut hidden = OsString::from(".");
    if name.len() <= NAME_BYTES {
        hidden.push(name);
    } else {
        hidden.push(name.to_string_lossy().chars().take(NAME_BYTES / 4).collect::<String>());
    }
    hidden.push(tail);
    folder_of(target).join(hidden)
}

/// Path and process id of a new temporary file for `target`.
fn temp_path(target: &Path, process: u32, number: u64) -> PathBuf {
    hidden_beside(target, &format!("{TEMP_MARK}{process}-{number}"))
}

/// Gives a temporary file for `target` another name, by which it is kept for thirty days after its process is gone.
///
/// # Errors
/// If it cannot be renamed.
pub(in crate::editor) fn keep_temp(storage: &dyn Storage, temp: &Path, target: &Path) -> Result<PathBuf, StorageError> {
    let (_, process, first) = temp_parts(temp).unwrap_or_default();
    let mut number = first;
    loop {
        let kept = hidden_beside(target, &format!("{KEPT_MARK}{process}-{number}"));
        match storage.rename_new(temp, &kept) {
            // Left by an older process of the same number.
            Err(error) if error.reason.kind() == io::ErrorKind::AlreadyExists => number += 1,
            renamed => return renamed.map(|()| kept),
        }
    }
}

/// The process that made a temporary file; `None` if it is not one of ours.
pub fn temp_owner(path: &Path) -> Option<u32> {
    temp_parts(path).map(|(_, process, _)| process)
}

/// Whether a temporary file is [kept](keep_temp) longer than others.
fn is_kept_temp(path: &Path) -> bool {
    temp_parts(path).is_some_and(|(is_kept, ..)| is_kept)
}

/// Whether a temporary file is kept, its process, and its number.
fn temp_parts(path: &Path) -> Option<(bool, u32, u64)> {
    // What it is for need not be text.
    let name = path.file_name()?.to_string_lossy();
    let name = name.strip_prefix('.')?;
    // The last one counts: what it is for may have such a name, too.
    let is_kept = name.rfind(KEPT_MARK) > name.rfind(TEMP_MARK);
    let (_, tail) = name.rsplit_once(if is_kept { KEPT_MARK } else { TEMP_MARK })?;
    let (process, number) = tail.split_once('-')?;
    Some((is_kept, process.parse().ok()?, number.parse().ok()?))
}
