//! Why a map could not be opened or saved.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::shown_name;
use crate::document::{Cancelled, sentence};
use crate::editor::storage::StorageError;
use crate::format::{FormatError, SwatchFormat, import_by_extension, map_format};

/// The option with which a format reads what is left of a damaged file.
pub const LENIENT: &str = "lenient";

/// The option that tells a format the size of a map.
pub const SIZE: &str = "size";

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
        /// Id of the format that read it, where one did.
        format: Option<&'static str>,
        /// What is wrong, and where.
        reason: FormatError,
        /// Whether reading it leniently may help, if the format can do that.
        mendable: bool,
    },
    /// A format that Spadework does not have.
    #[error("there is no format {id:?}")]
    NoSuchFormat {
        /// The id asked for.
        id: String,
    },
    /// Another Spadework puts its files in place: what is read meanwhile may be of two states of the map.
    #[error("another Spadework is just saving {}; open it again once that has ended", shown_name(path))]
    BeingSaved {
        /// The map.
        path: PathBuf,
    },
    /// Someone asked to stop.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl OpenError {
    pub(super) fn format(path: &Path, format: Option<&'static str>, reason: FormatError) -> Self {
        match reason {
            FormatError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            reason => Self::Format { path: path.into(), format, reason, mendable: true },
        }
    }

    /// Whether the map is damaged and its format can read what is left of it, with the option [`LENIENT`].
    pub fn is_repairable(&self) -> bool {
        let Self::Format { format: Some(id), reason, mendable: true, .. } = self else { return false };
        let damaged = matches!(
            reason,
            FormatError::Truncated { .. } | FormatError::BadValue { .. } | FormatError::Syntax { .. } | FormatError::NotSquare { .. }
        );
        damaged && map_format(id).is_some_and(|format| format.options().iter().any(|option| option.name == LENIENT))
    }

    /// Whether the size that was asked for is none.
    pub fn is_about_size(&self) -> bool {
        matches!(self, Self::Format { reason: FormatError::BadOption { name: SIZE, .. }, .. })
    }

    /// A size that the map may have, where that is all that is not known of it: `128x96`, the nearest to a square.
    pub fn possible_size(&self) -> Option<String> {
        let Self::Format { reason: FormatError::NotSquare { columns, .. }, .. } = self else { return None };
        let height = (1..=columns.isqrt()).rev().find(|height| columns.is_multiple_of(*height) && columns / height <= 4096)?;
        Some(format!("{}x{height}", columns / height))
    }

    /// What happened, as a sentence of its own: `Cannot open fort.vxl: …`, `Cannot find the file, …`.
    pub fn told(&self) -> String {
        let told = self.to_string();
        match self {
            // It says what could not be done already.
            Self::Storage(_) => sentence(&told),
            Self::NoSuchFormat { .. } | Self::BeingSaved { .. } => format!("Cannot open it: {told}"),
            _ => format!("Cannot open {told}"),
        }
    }

    /// What to do about it, in one sentence.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Storage(error) if error.is_not_found() => "Look whether it was moved or has another name.",
            Self::Storage(_) => "See that you may read the file and that its disk answers, then open it again.",
            Self::Format { path, reason: FormatError::NotRecognized { .. }, .. } if names(path, is_import) => {
                "This is no map, but perhaps a model or a picture: File, Import reads those."
            }
            Self::Format { path, reason: FormatError::NotRecognized { .. }, .. }
                if names(path, |it| SwatchFormat::by_extension(it).is_some()) =>
            {
                "This is no map, but perhaps a palette: Map, Open palette reads those."
            }
            Self::Format { reason: FormatError::NotRecognized { .. } | FormatError::Misnamed { .. }, .. } => {
                "Look whether this is the file you meant: it holds something else."
            }
            Self::Format { reason: FormatError::Unsupported { .. }, .. } => "Save it in another format with the program that made it.",
            Self::Format { reason: FormatError::TooLarge { .. }, .. } => {
                "Allow more memory with `memory: {map_megabytes: …}` in the settings, or open it on a larger machine."
            }
            Self::Format { reason: FormatError::NotSquare { .. }, .. } => {
                "Put it in a folder of yours and open it from there: then its size is asked for."
            }
            Self::Format { reason: FormatError::FileTooLarge { .. } | FormatError::OverLimit { .. }, .. } => {
                "It is larger than Spadework reads: make it smaller with the program that made it."
            }
            Self::Format { .. } => "The file is damaged: take it from a backup or fetch it again.",
            Self::NoSuchFormat { .. } => "Leave the format out: it is found by the content.",
            Self::BeingSaved { .. } => "If it does not end, end the process that saves.",
            Self::Cancelled(_) => "Nothing was changed.",
        }
    }
}

/// Whether the extension of a file is such a one.
fn names(path: &Path, is_such: impl Fn(&str) -> bool) -> bool {
    path.extension().and_then(OsStr::to_str).is_some_and(is_such)
}

/// Whether files with this extension are imported, not opened.
fn is_import(extension: &str) -> bool {
    import_by_extension(extension).is_some()
}

/// The names of files in a folder that is known.
pub fn names_of(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| shown_name(path)).collect::<Vec<_>>().join(", ")
}

/// What is odd about a file that a save would put another one in place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InTheWay {
    /// Somebody else changed it.
    Changed,
    /// Somebody else removed it, or its disk is gone.
    Gone,
    /// It is there, and nobody said that it may be replaced.
    There,
    /// Somebody else was at it, and it would not be read with the map any more.
    Superseded,
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
    /// Another program, or another tab, changed the file since it was opened or saved.
    #[error("the file was changed since it was opened: {}", path.display())]
    ChangedOnDisk {
        /// The map or the sidecar.
        path: PathBuf,
    },
    /// The file that was opened or saved is not there any more.
    #[error("the file is not there any more: it was removed or renamed, or its disk is not attached: {}", path.display())]
    Gone {
        /// The map or the sidecar.
        path: PathBuf,
    },
    /// The file exists and nobody said that it may be replaced.
    #[error("the file exists already: {}", path.display())]
    AlreadyExists {
        /// The map or the sidecar.
        path: PathBuf,
    },
    /// Another program changed, removed or made the file since the map was opened, and another one would count in its place.
    #[error(
        "{} was changed, removed or put there by somebody else since the map was opened; from now on {} would count in its place, which holds \
         what is known here",
        path.display(), shown_name(by)
    )]
    Superseded {
        /// The file that stays as it is.
        path: PathBuf,
        /// The one that would be written.
        by: PathBuf,
    },
    /// What is to be replaced is a map, and the new file is none.
    #[error("the file there is a map, whose place only a map takes; choose another name: {}", path.display())]
    MapThere {
        /// The file.
        path: PathBuf,
    },
    /// Several files of the set are not as they should be.
    #[error("{first}; so it is with {}", names_of(others))]
    Several {
        /// What it is with the first of them: the map, where it is among them.
        first: Box<SaveError>,
        /// The others.
        others: Vec<PathBuf>,
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
    /// The files that are in the way.
    pub fn files_in_the_way(&self) -> Vec<&Path> {
        match self {
            Self::ChangedOnDisk { path } | Self::Gone { path } | Self::AlreadyExists { path } | Self::Superseded { path, .. } => vec![path],
            Self::Several { first, others } => first.files_in_the_way().into_iter().chain(others.iter().map(PathBuf::as_path)).collect(),
            _ => vec![],
        }
    }

    /// What the mapper is asked about before the save goes on; `None` where asking does not help.
    pub fn in_the_way(&self) -> Option<InTheWay> {
        match self {
            Self::ChangedOnDisk { .. } => Some(InTheWay::Changed),
            Self::Gone { .. } => Some(InTheWay::Gone),
            Self::AlreadyExists { .. } => Some(InTheWay::There),
            Self::Superseded { .. } => Some(InTheWay::Superseded),
            Self::Several { first, .. } => first.in_the_way(),
            _ => None,
        }
    }

    /// What to do about it, in one sentence, where its words do not say it.
    pub fn advice(&self) -> Option<&'static str> {
        use std::io::ErrorKind as Kind;
        match self {
            Self::Storage(error) if matches!(error.reason.kind(), Kind::StorageFull | Kind::QuotaExceeded) => {
                Some("Make room there, or save it on another disk: File, Save as.")
            }
            Self::Storage(error) if error.is_not_found() => Some("Save it elsewhere: File, Save as."),
            Self::Storage(_) => Some("See that you may write there and that the disk answers, or save it elsewhere: File, Save as."),
            Self::NotKept { .. } => Some("Save it on another disk: File, Save as."),
            Self::Several { first, .. } => first.advice(),
            _ => None,
        }
    }

    pub(super) fn format(path: &Path, reason: FormatError) -> Self {
        match reason {
            FormatError::Cancelled(cancelled) => Self::Cancelled(cancelled),
            reason => Self::Format { path: path.into(), reason },
        }
    }
}
