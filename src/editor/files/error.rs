//! Why a map could not be opened or saved.

use std::path::{Path, PathBuf};

use super::shown_name;
use crate::document::Cancelled;
use crate::editor::storage::StorageError;
use crate::format::FormatError;

/// Why a map could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file cannot be read.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The content is not a map, or a broken one.
    #[error("{}: {reason}", shown_name(path))]
    Format {
        /// The map.
        path: PathBuf,
        /// What is wrong, and where.
        reason: FormatError,
    },
    /// A format that Spadework does not have.
    #[error("there is no format {id:?}")]
    NoSuchFormat {
        /// The id asked for.
        id: String,
    },
    /// Someone asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl OpenError {
    pub(super) fn format(path: &Path, reason: FormatError) -> Self {
        match reason {
            FormatError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            reason => Self::Format { path: path.into(), reason },
        }
    }
}

/// Why a map was not saved. The old files are as they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The format cannot hold the map, or a sidecar cannot be changed without risk.
    #[error("{}: {reason}", shown_name(path))]
    Format {
        /// The map or the sidecar.
        path: PathBuf,
        /// What is wrong.
        reason: FormatError,
    },
    /// Another program changed the file since it was opened or saved.
    #[error("another program changed the file since it was opened: {}", path.display())]
    ChangedOnDisk {
        /// The map or the sidecar.
        path: PathBuf,
    },
    /// The file exists and nobody said that it may be replaced.
    #[error("the file exists already: {}", path.display())]
    AlreadyExists {
        /// The map or the sidecar.
        path: PathBuf,
    },
    /// What was read back is not what was written: a failing disk, or another program at work.
    #[error("the disk did not keep what was written; the old file is untouched: {}", path.display())]
    NotKept {
        /// The file.
        path: PathBuf,
    },
    /// A path without a file name.
    #[error("not the name of a file: {}", path.display())]
    NoFileName {
        /// The path.
        path: PathBuf,
    },
    /// No format was named, and the extension belongs to none.
    #[error("no format has this extension: {}", path.display())]
    UnknownExtension {
        /// The map.
        path: PathBuf,
    },
    /// A format that Spadework does not have.
    #[error("there is no format {id:?}")]
    NoSuchFormat {
        /// The id asked for.
        id: String,
    },
    /// A sidecar that Spadework does not have, or that does not go with the format.
    #[error("there is no sidecar {id:?} for {format} maps")]
    NoSuchSidecar {
        /// The id asked for.
        id: String,
        /// Id of the map format.
        format: &'static str,
    },
    /// Someone asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl SaveError {
    pub(super) fn format(path: &Path, reason: FormatError) -> Self {
        match reason {
            FormatError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            reason => Self::Format { path: path.into(), reason },
        }
    }
}
