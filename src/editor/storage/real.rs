//! The disk: the one place that names `std::fs`.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use super::dangling::explained;
use super::sparse::SparseFile;
use super::{
    FileIdentity, FileInfo, FileLock, FileWriter, FolderKey, Storage, StorageAction, StorageError, TempFile, folder_of, is_kept_temp,
    temp_owner, temp_path,
};
use crate::format::Source;

/// A temporary file that nobody touched for so long belongs to nobody, if its process is gone, too.
const TEMP_AGE: Duration = Duration::from_secs(600);
/// The same of one that may be needed by a record in another folder.
const KEPT_AGE: Duration = Duration::from_secs(30 * 86_400);
/// Links followed from one file; more is a loop.
const MAX_LINKS: usize = 40;

/// The disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealStorage;

impl Storage for RealStorage {
    fn info(&self, path: &Path) -> Result<FileInfo, StorageError> {
        let metadata = metadata_of(path).map_err(StorageError::at(StorageAction::Find, path))?;
        Ok(FileInfo {
            len: metadata.len(),
            // Before 1970 nobody wrote it: what is said so tells nothing, and cannot be kept.
            modified: metadata.modified().ok().filter(|modified| *modified >= UNIX_EPOCH),
            readonly: metadata.permissions().readonly(),
            is_folder: metadata.is_dir(),
            names: names_of(&metadata),
            identity: identity_of(&metadata),
            owner: owner_of(&metadata),
        })
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Source>, StorageError> {
        let open = || {
            check_plain(&metadata_of(path)?)?;
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
            return Ok(TempFile { path, writer: Box::new(SparseFile::new(file)) });
        };
        create().map_err(StorageError::at(StorageAction::Write, target))
    }

    fn is_abandoned_temp(&self, path: &Path) -> bool {
        let Some(owner) = temp_owner(path) else { return false };
        let runs = owner == std::process::id() || Path::new("/proc").join(owner.to_string()).exists();
        let modified = fs::symlink_metadata(path).and_then(|metadata| metadata.modified()).ok();
        let least = if is_kept_temp(path) { KEPT_AGE } else { TEMP_AGE };
        // The age, too: the folder may be shared with another machine, whose processes cannot be seen.
        !runs && modified.and_then(|modified| modified.elapsed().ok()).is_some_and(|age| age >= least)
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
        uninterrupted(rename).map_err(StorageError::at(StorageAction::Replace, to))
    }

    fn rename_new(&self, from: &Path, to: &Path) -> Result<(), StorageError> {
        let rename = || match rename_no_replace(from, to) {
            Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => {
                if fs::symlink_metadata(to).is_ok() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                fs::rename(from, to)
            }
            done => done,
        };
        uninterrupted(rename).map_err(StorageError::at(StorageAction::Replace, to))
    }

    fn remove(&self, path: &Path) -> Result<(), StorageError> {
        uninterrupted(|| fs::remove_file(path)).map_err(StorageError::at(StorageAction::Remove, path))
    }

    fn list(&self, folder: &Path) -> Result<Vec<PathBuf>, StorageError> {
        let list = || {
            let mut paths = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
            paths.sort();
            Ok(paths)
        };
        list().map_err(|reason| explained(self, folder, reason)).map_err(StorageError::at(StorageAction::List, folder))
    }

    fn make_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let mut builder = fs::DirBuilder::new();
        // Settings, journals and versions are for nobody else.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = uninterrupted(|| builder.recursive(true).create(folder)).map_err(|reason| explained(self, folder, reason));
        made.map_err(StorageError::at(StorageAction::CreateFolder, folder))
    }

    fn sync_folder(&self, folder: &Path) -> Result<(), StorageError> {
        if cfg!(unix) {
            let sync = || match File::open(folder).map_err(unreadable)?.sync_all() {
                // Disks that know no such thing, as network drives and shared folders of virtual machines: nothing more can be done there.
                Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
                synced => synced,
            };
            sync().map_err(StorageError::at(StorageAction::Write, folder))?;
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

    fn place(&self, path: &Path) -> PathBuf {
        let target = self.resolve(path).unwrap_or_else(|_| path.into());
        let target = std::path::absolute(&target).unwrap_or(target);
        let folder = fs::canonicalize(folder_of(&target));
        folder.ok().zip(target.file_name()).map(|(folder, name)| folder.join(name)).unwrap_or(target)
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

    fn folder_key(&self, folder: &Path) -> FolderKey {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let numbered = fs::metadata(here).ok().and_then(|metadata| number_of(&metadata));
        numbered.unwrap_or_else(|| FolderKey::Path(fs::canonicalize(here).unwrap_or_else(|_| folder.into())))
    }

    fn lock_folder(&self, folder: &Path) -> Result<Option<FileLock>, StorageError> {
        // Only some systems open folders, and some network drives lock nothing.
        // A pipe in the place of one would be waited for.
        let opened = fs::metadata(folder)
            .and_then(|metadata| if metadata.is_dir() { File::open(folder) } else { Err(io::ErrorKind::NotADirectory.into()) });
        let Ok(opened) = opened else { return Ok(Some(FileLock::new(()))) };
        Ok(match opened.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Ok(()) | Err(TryLockError::Error(_)) => Some(FileLock::new(LockedFile(opened))),
        })
    }

    fn lock(&self, path: &Path) -> Result<Option<FileLock>, StorageError> {
        let open = || {
            let file = open_lock(path, open_plain)?;
            match file.try_lock() {
                Ok(()) => Ok(Some(FileLock::new(LockedFile(file)))),
                Err(TryLockError::WouldBlock) => Ok(None),
                Err(TryLockError::Error(error)) => Err(no_lock(error)),
            }
        };
        open().map_err(StorageError::at(StorageAction::Lock, path))
    }

    fn holds(&self, lock: &FileLock, path: &Path) -> bool {
        // Where it cannot be looked at, nobody else takes it either.
        lock.guard::<LockedFile>().is_some_and(|locked| locked.0.is_at(path).unwrap_or(true))
    }
}

impl RealStorage {
    /// Whether two paths name one entry of one folder, however they are spelled.
    pub fn is_same_place(self, a: &Path, b: &Path) -> bool {
        let place = |path: &Path| Some((fs::canonicalize(folder_of(path)).ok()?, path.file_name()?.to_owned()));
        a == b || place(a).is_some_and(|a| Some(a) == place(b))
    }

    /// Whether two paths lead to one file, be it by links.
    pub fn leads_to_same(self, a: &Path, b: &Path) -> bool {
        a == b || fs::canonicalize(a).ok().is_some_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b))
    }
}

/// What is known of a file or folder; links are followed.
fn metadata_of(path: &Path) -> io::Result<fs::Metadata> {
    // The system's words for links in a circle are a number.
    fs::metadata(path).map_err(|reason| RealStorage.resolve(path).err().map_or(reason, |error| error.reason))
}

/// Fails for what is no plain file: opening a pipe would wait for its other end.
fn check_plain(metadata: &fs::Metadata) -> io::Result<()> {
    match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

/// Why a folder cannot be opened: what can be written there need not be readable.
fn unreadable(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::PermissionDenied => io::Error::new(
            error.kind(),
            "you may write in this folder but not list it, which keeping files together needs; allow that, or save elsewhere",
        ),
        _ => error,
    }
}

/// A file whose lock goes with this value.
///
/// Closing alone would not do: a process that is just being started has the files of this one, and with them
/// their locks, until it runs its own program.
struct LockedFile(File);

impl Drop for LockedFile {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Opens a plain file for appending; makes it if it is missing.
fn open_plain(path: &Path) -> io::Result<File> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        metadata => check_plain(&metadata?)?,
    }
    // Readable, too: a file that somebody removes meanwhile can be read by those who have it open.
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

/// Why a plain file cannot be locked.
fn no_lock(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::Unsupported => io::Error::other("its disk knows no locks"),
        _ => error,
    }
}

/// A lock needs nothing written: that of another user, which can only be read, is as good.
fn open_lock(path: &Path, open: impl Fn(&Path) -> io::Result<File>) -> io::Result<File> {
    match open(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => File::open(path).or(Err(error)),
        file => file,
    }
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

/// The attribute that holds the access control list of a file.
#[cfg(unix)]
const ACCESS_LIST: &str = "system.posix_acl_access";

/// Gives a new file the extended attributes of the one that it replaces, which hold its access control list, too.
#[cfg(unix)]
fn keep_attributes(replaced: &Path, file: &File) {
    use xattr::FileExt as _;
    // A disk that has none lists none.
    let Ok(names) = xattr::list(replaced) else { return };
    let names: Vec<_> = names.collect();
    if !names.iter().any(|name| name == ACCESS_LIST) {
        // Its folder may give one to new files, and with it rights that the replaced one did not give.
        file.remove_xattr(ACCESS_LIST).ok();
    }
    for name in names {
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

/// The home of the user as the system's list of users has it, where there is one.
#[cfg(unix)]
pub fn home_in_system() -> Option<PathBuf> {
    use std::os::unix::fs::MetadataExt as _;
    // Whose process this is: its own entry among those of the system says so.
    home_of(fs::metadata("/proc/self").ok()?.uid(), &fs::read_to_string("/etc/passwd").ok()?)
}

/// The home of the user of that number in a list of users: `name:password:user:group:words:home:shell`, one a line.
#[cfg(unix)]
fn home_of(user: u32, list: &str) -> Option<PathBuf> {
    let mut homes = list.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let fields = homes.find(|fields| fields.get(2).is_some_and(|number| number.parse() == Ok(user)))?;
    fields.get(5).filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// As the system knows it: nothing beside the variables that name it.
#[cfg(not(unix))]
pub fn home_in_system() -> Option<PathBuf> {
    None
}

#[cfg(unix)]
fn identity_of(metadata: &fs::Metadata) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt as _;
    Some(FileIdentity { file: metadata.ino(), changed: (metadata.ctime(), metadata.ctime_nsec()) })
}

#[cfg(unix)]
fn owner_of(metadata: &fs::Metadata) -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.uid(), metadata.gid()))
}

#[cfg(not(unix))]
fn owner_of(_metadata: &fs::Metadata) -> Option<(u32, u32)> {
    None
}

#[cfg(unix)]
fn number_of(metadata: &fs::Metadata) -> Option<FolderKey> {
    use std::os::unix::fs::MetadataExt as _;
    Some(FolderKey::Number(metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn number_of(_metadata: &fs::Metadata) -> Option<FolderKey> {
    None
}

#[cfg(not(unix))]
fn identity_of(_metadata: &fs::Metadata) -> Option<FileIdentity> {
    None
}

impl FileWriter for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_all()
    }

    fn len_now(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        match metadata_of(path) {
            Ok(there) => Ok(is_one_file(&self.metadata()?, &there)),
            // Links in a circle lead to no file either, and others clear them away.
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::Other) => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    fn read_back(&self) -> io::Result<Box<dyn Source>> {
        Ok(Box::new(FileSource { len: self.metadata()?.len(), file: Mutex::new(self.try_clone()?) }))
    }
}

#[cfg(unix)]
fn is_one_file(a: &fs::Metadata, b: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Files have no number that could be asked for: one of that name is taken for the same.
#[cfg(not(unix))]
fn is_one_file(_a: &fs::Metadata, _b: &fs::Metadata) -> bool {
    true
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

/// Gives a file a name that nothing has, in one step.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_no_replace(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE).map_err(io::Error::from)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_no_replace(_from: &Path, _to: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Does again what a signal broke off before it was done, as network drives may let happen.
fn uninterrupted(mut work: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    const MOST: u32 = 100;
    for _ in 0..MOST {
        match work() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
    work()
}

#[cfg(test)]
mod tests;
