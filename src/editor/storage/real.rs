//! The disk: the one place that names `std::fs`.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::dangling::explained;
use super::sparse::SparseFile;
use super::{
    FileIdentity, FileInfo, FileLock, FileWriter, Storage, StorageAction, StorageError, TempFile, folder_of, temp_owner, temp_path,
};
use crate::format::Source;

/// A temporary file that nobody touched for so long belongs to nobody, if its process is gone, too.
const TEMP_AGE: Duration = Duration::from_secs(600);
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
            modified: metadata.modified().ok(),
            readonly: metadata.permissions().readonly(),
            is_folder: metadata.is_dir(),
            names: names_of(&metadata),
            identity: identity_of(&metadata),
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

    fn create_folder(&self, folder: &Path) -> Result<(), StorageError> {
        let mut builder = fs::DirBuilder::new();
        // Settings, journals and versions are for nobody else.
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.recursive(true).create(folder).map_err(|reason| explained(self, folder, reason));
        made.map_err(StorageError::at(StorageAction::CreateFolder, folder))
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
            let file = open_lock(path, open_plain)?;
            match file.try_lock() {
                Ok(()) => Ok(Some(FileLock::new(file))),
                Err(TryLockError::WouldBlock) => Ok(None),
                Err(TryLockError::Error(error)) => Err(no_lock(error)),
            }
        };
        open().map_err(StorageError::at(StorageAction::Lock, path))
    }

    fn holds(&self, lock: &FileLock, path: &Path) -> bool {
        // Where it cannot be looked at, nobody else takes it either.
        lock.guard::<File>().is_some_and(|file| file.is_at(path).unwrap_or(true))
    }
}

impl RealStorage {
    /// Whether two paths name one entry of one folder, however they are spelled.
    pub fn is_same_place(self, a: &Path, b: &Path) -> bool {
        let place = |path: &Path| Some((fs::canonicalize(folder_of(path)).ok()?, path.file_name()?.to_owned()));
        a == b || place(a).is_some_and(|a| Some(a) == place(b))
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
mod tests {
    use super::*;
    use crate::editor::storage::replace_file;

    #[test]
    fn what_a_signal_breaks_off_is_done_again_but_not_forever() {
        let done_after = |signals: u32| {
            let mut calls = 0;
            let done = uninterrupted(|| {
                calls += 1;
                if calls > signals { Ok(()) } else { Err(io::ErrorKind::Interrupted.into()) }
            });
            (done.is_ok(), calls)
        };
        assert_eq!([done_after(0), done_after(3), done_after(1000)], [(true, 1), (true, 4), (false, 101)]);
        let mut calls = 0;
        let refused = uninterrupted(|| {
            calls += 1;
            Err(io::ErrorKind::PermissionDenied.into())
        });
        assert_eq!((refused.unwrap_err().kind(), calls), (io::ErrorKind::PermissionDenied, 1));
    }

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

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_or_replaced_is_known_and_can_be_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let (path, lock_path) = (folder.path().join("j/a.journal"), folder.path().join("j/a.lock"));
        fs::create_dir(folder.path().join("j")).unwrap();
        let mut file = RealStorage.append(&path).unwrap();
        let lock = RealStorage.lock(&lock_path).unwrap().unwrap();
        file.write_all(b"steps").unwrap();
        assert!(file.is_at(&path).unwrap() && RealStorage.holds(&lock, &lock_path));
        fs::remove_dir_all(folder.path().join("j")).unwrap();
        assert!(!file.is_at(&path).unwrap() && !RealStorage.holds(&lock, &lock_path));
        assert_eq!((file.len_now().unwrap(), &*file.read_back().unwrap().bytes().unwrap()), (5, &b"steps"[..]));
        file.write_all(b" more").unwrap();
        assert_eq!(&*file.read_back().unwrap().bytes().unwrap(), b"steps more", "reading does not move where it is written");
        fs::create_dir(folder.path().join("j")).unwrap();
        fs::write(&path, "steps more").unwrap();
        assert!(!file.is_at(&path).unwrap(), "another file of the same name");
        let other = RealStorage.lock(&lock_path).unwrap().unwrap();
        assert!(RealStorage.holds(&other, &lock_path) && !RealStorage.holds(&lock, &lock_path));
    }

    #[cfg(unix)]
    #[test]
    fn the_home_of_a_user_stands_in_the_list_of_users() {
        let list = "root:x:0:0:root:/root:/bin/sh\n# a note\nann:x:1000:1000::/home/ann:/bin/sh\nnobody:x:99:99::\n";
        assert_eq!([0, 1000].map(|user| home_of(user, list)), [Some("/root".into()), Some("/home/ann".into())]);
        assert_eq!([1, 99].map(|user| home_of(user, list)), [None, None]);
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

    #[test]
    fn a_disk_without_locks_is_not_taken_for_a_pipe() {
        let path = Path::new("/home/a.lock");
        let error = StorageError::at(StorageAction::Lock, path)(no_lock(io::ErrorKind::Unsupported.into()));
        assert_eq!(error.to_string(), "cannot lock the file, its disk knows no locks: /home/a.lock");
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

    #[test]
    fn a_lock_that_can_only_be_read_is_taken_all_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.lock");
        let denied = |_: &Path| -> io::Result<File> { Err(io::ErrorKind::PermissionDenied.into()) };
        assert_eq!(open_lock(&path, denied).unwrap_err().kind(), io::ErrorKind::PermissionDenied, "there is none");
        fs::write(&path, "").unwrap();
        open_lock(&path, denied).unwrap().try_lock().unwrap();
        assert_eq!(open_lock(&path, |_| Err(io::ErrorKind::StorageFull.into())).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
