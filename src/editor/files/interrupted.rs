//! What became of saves that were interrupted, for the mapper.

use std::fmt;
use std::path::{Path, PathBuf};

use super::shown_name;
use crate::editor::storage::{StorageError, folder_of};
use crate::format::Severity;

/// What became of a save that was interrupted.
#[derive(Debug)]
pub enum Interrupted {
    /// All files are the new ones now.
    Completed {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// All files are the old ones again.
    TakenBack {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// The files were changed by others since; they stay as they are.
    LeftAlone {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// It could not be dealt with now; the record stays for the next time.
    Failed {
        /// Why.
        reason: StorageError,
    },
    /// One of its files is in a folder that is not there; the record stays for the next time.
    Elsewhere {
        /// The record.
        record: PathBuf,
        /// The file.
        file: PathBuf,
    },
    /// A record that does not make sense; it stays as it is.
    NotOurs {
        /// The record.
        path: PathBuf,
    },
}

impl Interrupted {
    /// How much it matters to the mapper.
    pub fn severity(&self) -> Severity {
        match self {
            Self::Completed { .. } | Self::TakenBack { .. } => Severity::Repair,
            Self::LeftAlone { .. } | Self::Failed { .. } | Self::Elsewhere { .. } | Self::NotOurs { .. } => Severity::Problem,
        }
    }

    /// Whether there is something to do about it yet, for which its files stay.
    pub(super) fn is_left(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Elsewhere { .. } | Self::NotOurs { .. })
    }
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The call that settles it may be about a map elsewhere.
        let place = |path: &Path| match folder_of(path) {
            folder if folder.as_os_str().is_empty() || folder == Path::new(".") => String::new(),
            folder => format!(" in {}", folder.display()),
        };
        let names = |files: &[PathBuf]| {
            let folder = files.first().map(|path| folder_of(path));
            if files.iter().any(|path| Some(folder_of(path)) != folder) {
                return files.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ");
            }
            let names: Vec<String> = files.iter().map(|path| shown_name(path)).collect();
            format!("{}{}", names.join(", "), files.first().map_or_else(String::new, |path| place(path)))
        };
        match self {
            Self::Completed { files } => write!(f, "A save that was interrupted is complete now: {}", names(files)),
            Self::TakenBack { files } => write!(f, "A save that was interrupted was taken back: {}", names(files)),
            Self::LeftAlone { files } => {
                let rest = "What they held before is among the earlier versions of the map, where those are kept";
                write!(f, "A save was interrupted and the files changed since; check that they belong together: {}. {rest}", names(files))
            }
            Self::Failed { reason } => write!(f, "A save that was interrupted could not be completed: {reason}"),
            Self::Elsewhere { record, file } => write!(
                f,
                "A save was interrupted, and one of its files is in a folder that is not there: {}. Attach its disk and open the map again, \
                 or check that the map and the files beside it belong together and delete {}",
                file.display(),
                format_args!("{}{}", shown_name(record), place(record))
            ),
            Self::NotOurs { path } => write!(
                f,
                "The record of an interrupted save is damaged and was left alone: {}. Check that the map and the files beside it belong \
                 together, then delete it",
                format_args!("{}{}", shown_name(path), place(path))
            ),
        }
    }
}
