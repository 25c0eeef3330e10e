//! Why the disk said no, in words a mapper understands.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What was tried with a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StorageAction {
    /// Looking at it.
    Find,
    /// Reading it.
    Read,
    /// Writing it, or a temporary file beside it.
    Write,
    /// Replacing it by what was written.
    Replace,
    /// Deleting it.
    Remove,
    /// Listing a folder.
    List,
    /// Making a folder.
    CreateFolder,
    /// Claiming it for this process.
    Lock,
    /// Claiming a folder for a save.
    SaveIn,
}

impl fmt::Display for StorageAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Find => "cannot find the file",
            Self::Read => "cannot read the file",
            Self::Write => "cannot write the file",
            Self::Replace => "cannot replace the file",
            Self::Remove => "cannot remove the file",
            Self::List => "cannot list the folder",
            Self::CreateFolder => "cannot make the folder",
            Self::Lock => "cannot lock the file",
            Self::SaveIn => "cannot save in the folder",
        })
    }
}

/// A failed access to a file or folder: what was tried, why it failed, where.
#[derive(Debug, thiserror::Error)]
#[error("{action}, {}: {}", self.reason_in_words(), path.display())]
pub struct StorageError {
    /// What was tried.
    pub action: StorageAction,
    /// Why it failed.
    #[source]
    pub reason: io::Error,
    /// The file or folder.
    pub path: PathBuf,
}

/// Numbers by which the system says that too many files are open: in it, or in this process.
const TOO_MANY_FILES: &[i32] = if cfg!(unix) { &[23, 24] } else { &[4] };

/// The host of a network drive does not answer: `EHOSTDOWN`, `WSAEHOSTDOWN`.
const HOST_DOWN: i32 = if cfg!(target_os = "linux") {
    112
} else if cfg!(unix) {
    64
} else {
    10064
};

/// Bad sectors, a stick that was pulled out, a network drive that gave up: `EIO`, `ERROR_IO_DEVICE`.
const IO_ERROR: i32 = if cfg!(unix) { 5 } else { 1117 };

impl StorageError {
    /// An error with its place, for `map_err`.
    pub fn at(action: StorageAction, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |reason| Self { action, reason, path }
    }

    /// Whether there is no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self.reason.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
    }

    /// Whether this process lacks what it takes, open files or memory: nothing is known of the file.
    pub fn is_shortage(&self) -> bool {
        self.reason.kind() == io::ErrorKind::OutOfMemory || has_too_many_files(&self.reason)
    }

    /// Whether it says what lies there, such as a folder: not what the disk, rights or this process lack.
    pub fn is_about_file(&self) -> bool {
        use io::ErrorKind as Kind;
        // Links in a circle are of the last kind.
        let says_what_it_is = matches!(self.reason.kind(), Kind::IsADirectory | Kind::Unsupported | Kind::FileTooLarge | Kind::Other);
        says_what_it_is && self.action != StorageAction::Lock
    }

    /// The reason alone, in words.
    pub fn reason_in_words(&self) -> String {
        let writes = matches!(self.action, StorageAction::Write | StorageAction::Replace | StorageAction::CreateFolder);
        let reads = matches!(self.action, StorageAction::Find | StorageAction::Read | StorageAction::List);
        match self.reason.kind() {
            // What says more than the system does.
            io::ErrorKind::PermissionDenied if self.reason.get_ref().is_some() => self.reason.to_string(),
            io::ErrorKind::NotFound if writes => "there is no such folder".to_owned(),
            io::ErrorKind::PermissionDenied if reads => "you may not read it".to_owned(),
            _ => Reason(&self.reason).to_string(),
        }
    }
}

fn has_too_many_files(reason: &io::Error) -> bool {
    reason.raw_os_error().is_some_and(|number| TOO_MANY_FILES.contains(&number))
}

/// Shows an I/O error in words, where we have any.
struct Reason<'a>(&'a io::Error);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use io::ErrorKind as Kind;
        // What says how much too large it is.
        if let Some(figures) = self.0.get_ref().filter(|_| matches!(self.0.kind(), Kind::FileTooLarge | Kind::StorageFull)) {
            return write!(f, "{figures}");
        }
        f.write_str(match self.0.kind() {
            Kind::NotFound => "it does not exist",
            Kind::PermissionDenied => "the file or its folder is read-only for you",
            Kind::ReadOnlyFilesystem => "the disk is mounted read-only",
            Kind::StorageFull => "the disk is full",
            Kind::QuotaExceeded => "your share of the disk is used up",
            Kind::FileTooLarge => "it is too large",
            Kind::IsADirectory => "it is a folder",
            Kind::Unsupported => "it is a pipe or a device, not a plain file",
            Kind::NotADirectory => "part of its path is not a folder",
            Kind::AlreadyExists => "it exists already",
            Kind::UnexpectedEof => "it became shorter while it was read",
            Kind::CrossesDevices => "its folder spans two disks",
            Kind::InvalidFilename => "the name is not allowed there",
            Kind::ResourceBusy | Kind::ExecutableFileBusy => "another program is using it",
            Kind::TimedOut | Kind::NetworkUnreachable | Kind::HostUnreachable => "the network drive does not answer",
            Kind::NotConnected | Kind::NetworkDown | Kind::ConnectionReset | Kind::ConnectionAborted | Kind::ConnectionRefused => {
                "the network drive is not connected any more"
            }
            Kind::StaleNetworkFileHandle => "the network drive does not know it any more: it was replaced there, or attached anew",
            Kind::OutOfMemory => "there is not enough memory",
            _ if has_too_many_files(self.0) => "too many files are open at once",
            _ if self.0.raw_os_error() == Some(HOST_DOWN) => "the network drive does not answer",
            _ if self.0.raw_os_error() == Some(IO_ERROR) => "the disk, or the network drive, failed to do it (Input/output error)",
            _ => return self.0.fmt(f),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_why_and_where_in_one_line() {
        let error = StorageError::at(StorageAction::Write, Path::new("/maps/castle.vxl"))(io::ErrorKind::StorageFull.into());
        assert_eq!(error.to_string(), "cannot write the file, the disk is full: /maps/castle.vxl");
        let too_large = std::io::Error::new(io::ErrorKind::FileTooLarge, "it has 6 GB, and at most 4 MB are read");
        let error = StorageError::at(StorageAction::Read, Path::new("/maps/castle.txt"))(too_large);
        assert_eq!(error.to_string(), "cannot read the file, it has 6 GB, and at most 4 MB are read: /maps/castle.txt");
        let error = StorageError::at(StorageAction::Write, Path::new("/mops/castle.vxl"))(io::ErrorKind::NotFound.into());
        assert_eq!(error.to_string(), "cannot write the file, there is no such folder: /mops/castle.vxl");
        let lost = StorageError::at(StorageAction::Replace, Path::new("/far/castle.vxl"));
        let error = lost(io::ErrorKind::StaleNetworkFileHandle.into()).to_string();
        assert!(error.starts_with("cannot replace the file, the network drive does not know it any more"), "{error}");
        #[cfg(unix)]
        for (number, says) in [
            (107, "is not connected any more"),
            (110, "does not answer"),
            (HOST_DOWN, "does not answer"),
            (5, "failed to do it (Input/output error)"),
        ] {
            let error = StorageError::at(StorageAction::Write, Path::new("/far/castle.vxl"))(io::Error::from_raw_os_error(number));
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}
