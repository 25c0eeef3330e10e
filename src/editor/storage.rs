//! All file access of the product: the trait [`Storage`], and the real one. Nothing else names `std::fs`.
//!
//! Files are replaced, never overwritten: [`Storage::create_temp`] makes a hidden file beside the
//! target, [`Storage::rename`] puts it in place. Tests use `testing::FaultyStorage`, which lives in
//! memory and fails where it is told to.

mod atomic;
mod copy;
mod error;
mod hash;
mod stored_path;
#[cfg(test)]
pub(crate) mod testing;

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

pub(in crate::editor) use atomic::write_temp;
pub use atomic::{TempGuard, replace_file};
pub use copy::copy_file;
pub use error::{StorageAction, StorageError};
pub use hash::{BadHash, ContentHash, HashingWriter};
pub use stored_path::StoredPath;

use crate::format::Source;

/// What the names of our temporary files contain, after a dot and the name of the file they are for.
const TEMP_MARK: &str = ".spadework-tmp-";
/// A temporary file that nobody touched for so long belongs to nobody, if its process is gone, too.
const TEMP_AGE: Duration = Duration::from_secs(600);
/// Bytes of a file's name that go into the names of the hidden files beside it: names end at 255.
const NAME_BYTES: usize = 160;
/// Links followed from one file; more is a loop.
const MAX_LINKS: usize = 40;

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
}

/// A file being written.
pub trait FileWriter: Write + Send {
    /// Waits until all that was written is on the disk.
    ///
    /// # Errors
    /// What the disk fails with.
    fn sync(&mut self) -> io::Result<()>;
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
pub struct FileLock(#[expect(dead_code, reason = "held, not read")] Box<dyn Any + Send + Sync>);

impl FileLock {
    /// A lock that dropping `guard` releases.
    pub fn new(guard: impl Any + Send + Sync) -> Self {
        Self(Box::new(guard))
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

    /// Deletes a file.
    fn remove(&self, path: &Path) -> Result<(), StorageError>;

    /// The paths of everything in a folder, sorted.
    fn list(&self, folder: &Path) -> Result<Vec<PathBuf>, StorageError>;

    /// Makes a folder and the folders above it; it is good if it exists.
    fn create_folder(&self, folder: &Path) -> Result<(), StorageError>;

    /// Waits until new and renamed entries of a folder are on the disk.
    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError>;

    /// The file that a link leads to; the path itself if it is no link. The file need not exist.
    fn resolve(&self, path: &Path) -> Result<PathBuf, StorageError>;

    /// Fails unless the file may be replaced: a write-protected one may not. A missing one may.
    fn check_writable(&self, path: &Path) -> Result<(), StorageError>;

    /// Claims a lock file, made if missing; `None` while another process holds it.
    fn lock(&self, path: &Path) -> Result<Option<FileLock>, StorageError>;

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
            return Err(StorageError::at(StorageAction::Read, path)(io::ErrorKind::FileTooLarge.into()));
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

/// The process that made a temporary file; `None` if it is not one of ours.
pub fn temp_owner(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let (_, tail) = name.strip_prefix('.')?.rsplit_once(TEMP_MARK)?;
    let (process, number) = tail.split_once('-')?;
    number.parse::<u64>().ok()?;
    process.parse().ok()
}

/// The disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealStorage;

impl Storage for RealStorage {
    fn info(&self, path: &Path) -> Result<FileInfo, StorageError> {
        let metadata = fs::metadata(path).map_err(StorageError::at(StorageAction::Find, path))?;
        Ok(FileInfo {
            len: metadata.len(),
            modified: metadata.modified().ok(),
            readonly: metadata.permissions().readonly(),
            is_folder: metadata.is_dir(),
            names: names_of(&metadata),
        })
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>, StorageError> {
        let open = || {
            check_plain(&fs::metadata(path)?)?;
            let file = File::open(path)?;
            Ok(Box::new(FileSource { len: file.metadata()?.len(), file: Mutex::new(file) }) as Box<dyn Source>)
        };
        open().map_err(StorageError::at(StorageAction::Read, path))
    }

    fn create_temp(&self, target: &Path) -> Result<TempFile, StorageError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let create = || loop {
            let path = temp_path(target, std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                // Left by an older process of the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                file => file?,
            };
            if let Ok(metadata) = fs::metadata(target) {
                // The owner first: changing it takes some permissions away. A disk that knows neither is no reason not to save.
                keep_owner(&file, &metadata);
                file.set_permissions(metadata.permissions()).ok();
                keep_attributes(target, &file);
            }
            return Ok(TempFile { path, writer: Box::new(file) });
        };
        create().map_err(StorageError::at(StorageAction::Write, target))
    }

    fn is_abandoned_temp(&self, path: &Path) -> bool {
        let Some(owner) = temp_owner(path) else { return false };
        let runs = owner == std::process::id() || Path::new("/proc").join(owner.to_string()).exists();
        let modified = fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok();
        // The age, too: the folder may be shared with another machine, whose processes cannot be seen.
        !runs && modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age >= TEMP_AGE)
    }

    fn append(&self, path: &Path) -> Result<Box<dyn FileWriter>, StorageError> {
        let file = open_plain(path).map_err(StorageError::at(StorageAction::Write, path))?;
        Ok(Box::new(file))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        let rename = || {
            // Only files are replaced, whatever else may have got a file's name meanwhile.
            if let Ok(metadata) = fs::metadata(to) {
                check_plain(&metadata)?;
            }
            fs::rename(from, to)
        };
        rename().map_err(StorageError::at(StorageAction::Replace, to))
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        fs::remove_file(path).map_err(StorageError::at(StorageAction::Remove, path))
    }

    fn list(&self, folder: &Path) -> Result<Vec<PathBuf>, StorageError> {
        let list = || {
            let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
            paths.sort();
            Ok(paths)
        };
        list().map_err(StorageError::at(StorageAction::List, folder))
    }

    fn create_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let mut builder = fs::DirBuilder::new();
        // Settings, journals and versions are for nobody else.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.recursive(true).create(folder).map_err(StorageError::at(StorageAction::CreateFolder, folder))
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        if cfg!(unix) {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(StorageError::at(StorageAction::Write, folder))?;
        }
        Ok(())
    }

    fn resolve(&self, path: &Path) -> Result<PathBuf, StorageError> {
        let mut resolved = path.to_path_buf();
        for _ in 0..MAX_LINKS {
            match fs::symlink_metadata(&resolved) {
                Ok(metadata) if metadata.is_symlink() => {
                    let target = fs::read_link(&resolved).map_err(StorageError::at(StorageAction::Find, path))?;
                    resolved = folder_of(&resolved).join(target);
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(StorageError::at(StorageAction::Find, path)(error)),
                _ => return Ok(resolved),
            }
        }
        Err(StorageError::at(StorageAction::Find, path)(io::Error::other("its links lead in a circle")))
    }

    fn check_writable(&self, path: &Path) -> Result<(), StorageError> {
        let check = || {
            let metadata = match fs::metadata(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                metadata => metadata?,
            };
            check_plain(&metadata)?;
            if metadata.permissions().readonly() {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            // Somebody else's file may look writable; opening it changes nothing.
            OpenOptions::new().append(true).open(path).map(drop)
        };
        check().map_err(StorageError::at(StorageAction::Write, path))
    }

    fn free_space(&self, folder: &Path) -> Option<u64> {
        fs4::available_space(folder).ok()
    }

    fn lock_folder(&self, folder: &Path) -> Result<Option<FileLock>, StorageError> {
        // Only some systems open folders, and some network drives lock nothing.
        let Ok(opened) = File::open(folder) else { return Ok(Some(FileLock::new(()))) };
        Ok(match opened.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Ok(()) | Err(TryLockError::Error(_)) => Some(FileLock::new(opened)),
        })
    }

    fn lock(&self, path: &Path) -> Result<Option<FileLock>, StorageError> {
        let open = || {
            let file = open_plain(path)?;
            match file.try_lock() {
                Ok(()) => Ok(Some(FileLock::new(file))),
                Err(TryLockError::WouldBlock) => Ok(None),
                Err(TryLockError::Error(error)) => Err(error),
            }
        };
        open().map_err(StorageError::at(StorageAction::Lock, path))
    }
}

impl RealStorage {
    /// Whether two paths name one entry of one folder, however they are spelled.
    pub fn is_same_place(self, a: &Path, b: &Path) -> bool {
        let place = |path: &Path| Some((fs::canonicalize(folder_of(path)).ok()?, path.file_name()?.to_owned()));
        a == b || place(a).is_some_and(|a| Some(a) == place(b))
    }
}

/// Fails for what is no plain file: opening a pipe would wait for its other end.
fn check_plain(metadata: &fs::Metadata) -> io::Result<()> {
    match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Opens a plain file for appending; makes it if it is missing.
fn open_plain(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        metadata => check_plain(&metadata?)?,
    }
    OpenOptions::new().append(true).create(true).open(path)
}

/// Gives a new file the owner and the group of the one that it replaces, as far as the system allows.
#[cfg(unix)]
fn keep_owner(file: &File, replaced: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let Ok(own) = file.metadata() else { return };
    if own.gid() != replaced.gid() && fchown(file, None, Some(replaced.gid())).is_err() {
        tracing::warn!("a saved file does not keep its group {}: you do not belong to it", replaced.gid());
    }
    if own.uid() != replaced.uid() && fchown(file, Some(replaced.uid()), None).is_err() {
        tracing::warn!("a saved file that belonged to user {} belongs to you now", replaced.uid());
    }
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _replaced: &fs::Metadata) {}

/// Gives a new file the extended attributes of the one that it replaces, which hold its access control list, too.
#[cfg(unix)]
fn keep_attributes(replaced: &Path, file: &File) {
    use xattr::FileExt as _;
    // A disk that has none lists none.
    for name in xattr::list(replaced).into_iter().flatten() {
        let Ok(Some(value)) = xattr::get(replaced, &name) else { continue };
        if matches!(file.get_xattr(&name), Ok(Some(own)) if own == value) {
            continue;
        }
        if let Err(error) = file.set_xattr(&name, &value) {
            tracing::warn!("a saved file does not keep its attribute {}: {error}", name.to_string_lossy());
        }
    }
}

#[cfg(not(unix))]
fn keep_attributes(_replaced: &Path, _file: &File) {}

#[cfg(unix)]
fn names_of(metadata: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn names_of(_metadata: &fs::Metadata) -> u64 {
    1
}

impl FileWriter for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }
}

/// A file on the disk, read where asked.
struct FileSource {
    file: Mutex<File>,
    len: u64,
}

impl Source for FileSource {
    fn len(&self) -> u64 {
        self.len
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_keeps_its_permissions_and_the_link_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real.vxl"), folder.path().join("link.vxl"));
        fs::write(&real, "old").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::{PermissionsExt as _, symlink};
            fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
            symlink("real.vxl", &link).unwrap();
            replace_file(&RealStorage, &link, b"new").unwrap();
            assert_eq!(fs::read(&real).unwrap(), b"new");
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
            fs::remove_file(&real).unwrap();
            assert_eq!(RealStorage.resolve(&link).unwrap(), real);
            symlink("loop", folder.path().join("loop")).unwrap();
            assert!(RealStorage.resolve(&folder.path().join("loop")).unwrap_err().to_string().contains("circle"));
        }
        assert_eq!(RealStorage.list(folder.path()).unwrap().iter().filter(|path| temp_owner(path).is_some()).count(), 0);
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_extended_attributes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.vxl");
        fs::write(&path, "old").unwrap();
        // Not every disk has them.
        if xattr::set(&path, "user.source", b"a friend").is_ok() {
            replace_file(&RealStorage, &path, b"new").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"new");
            assert_eq!(xattr::get(&path, "user.source").unwrap().as_deref(), Some(&b"a friend"[..]));
        }
    }

    #[test]
    fn write_protected_files_and_folders_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.vxl");
        assert!(RealStorage.check_writable(&path).is_ok());
        fs::write(&path, "x").unwrap();
        assert!(RealStorage.check_writable(&path).is_ok());
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        assert!(RealStorage.check_writable(&path).unwrap_err().to_string().contains("read-only"));
        assert!(RealStorage.check_writable(folder.path()).unwrap_err().to_string().contains("it is a folder"));
        assert!(RealStorage.open(folder.path()).err().unwrap().to_string().contains("it is a folder"));
        assert!(!RealStorage.exists(&folder.path().join("missing")).unwrap());
    }

    #[test]
    fn a_lock_is_free_again_when_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let lock = RealStorage.lock(&path).unwrap();
        assert!(lock.is_some());
        assert!(RealStorage.lock(&path).unwrap().is_none());
        drop(lock);
        assert!(RealStorage.lock(&path).unwrap().is_some());
    }

    #[test]
    fn one_place_may_be_spelled_in_many_ways() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vxl");
        fs::create_dir(folder.path().join("b")).unwrap();
        for same in ["./a.vxl", "b/../a.vxl", "a.vxl"] {
            assert!(RealStorage.is_same_place(&path, &folder.path().join(same)), "{same}");
        }
        for other in ["b/a.vxl", "c.vxl", "none/a.vxl"] {
            assert!(!RealStorage.is_same_place(&path, &folder.path().join(other)), "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_at_once_wherever_a_file_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("a.lock");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let errors = [
            RealStorage.lock(&pipe).err(),
            RealStorage.open(&pipe).err(),
            RealStorage.append(&pipe).err(),
            RealStorage.check_writable(&pipe).err(),
        ];
        for error in errors {
            assert!(error.unwrap().to_string().contains("it is a pipe or a device, not a plain file"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_but_files_is_replaced_and_new_folders_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("a.vxl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(replace_file(&RealStorage, &pipe, b"new").unwrap_err().to_string().contains("not a plain file"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        let own = folder.path().join("state/journals");
        RealStorage.create_folder(&own).unwrap();
        RealStorage.create_folder(&own).unwrap();
        assert_eq!(fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[cfg(unix)]
    #[test]
    fn one_process_at_a_time_changes_the_files_of_a_folder() {
        let folder = tempfile::tempdir().unwrap();
        let claim = RealStorage.lock_folder(folder.path()).unwrap();
        assert!(claim.is_some());
        assert!(RealStorage.lock_folder(folder.path()).unwrap().is_none());
        drop(claim);
        assert!(RealStorage.lock_folder(folder.path()).unwrap().is_some());
        assert!(RealStorage.lock_folder(&folder.path().join("missing")).unwrap().is_some());
    }

    #[cfg(unix)]
    #[test]
    fn other_names_of_a_file_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("map.vxl");
        fs::write(&path, "x").unwrap();
        assert_eq!(RealStorage.info(&path).unwrap().names, 1);
        fs::hard_link(&path, folder.path().join("other.vxl")).unwrap();
        assert_eq!(RealStorage.info(&path).unwrap().names, 2);
    }

    #[test]
    fn temporary_files_tell_their_process() {
        let path = temp_path(Path::new("maps/a.vxl"), 42, 7);
        assert_eq!(path, Path::new("maps/.a.vxl.spadework-tmp-42-7"));
        assert_eq!(temp_owner(&path), Some(42));
        assert_eq!(temp_owner(Path::new("maps/a.spadework-tmp-42-7")), None);
        assert_eq!(temp_owner(Path::new("maps/.a.vxl.swp")), None);
        let long = temp_path(Path::new(&"ä".repeat(120)), 1, 1);
        assert!(long.file_name().unwrap().len() < 255);
        assert_eq!(temp_owner(&long), Some(1));
    }
}
