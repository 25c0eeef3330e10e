//! Errors of the layers below as one line: file first, then place and reason.

use std::path::Path;

use anyhow::{Error, anyhow};

use crate::editor::files::{OpenError, SaveError, names_of};
use crate::editor::storage::{RealStorage, Storage as _, StorageError};
use crate::format::{Certainty, FormatError};

/// What helps where a map takes more memory than is allowed.
const MORE_MEMORY: &str = "; memory: {map_megabytes: …} in the settings allows more (spadework doctor tells where they are)";

/// What ends the call with the exit code 2 and not 1, which stands for an answer there.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unanswered(pub Error);

/// A map that takes more memory than is allowed.
pub fn memory(reason: &dyn std::error::Error) -> Error {
    anyhow!("{reason}{MORE_MEMORY}")
}

/// A file that could not be read, written or found.
pub fn storage(error: &StorageError) -> Error {
    anyhow!("{}: {}, {}", error.path.display(), error.action, error.reason_in_words())
}

/// A map that could not be opened.
pub fn open(path: &Path, error: &OpenError) -> Error {
    match error {
        OpenError::Storage(error) => storage(error),
        OpenError::Format { path, reason, format, .. } => anyhow!("{}: {reason}{}", path.display(), hint(path, *format, error)),
        error => anyhow!("{}: {error}", path.display()),
    }
}

/// What may help with a map that could not be opened.
fn hint(path: &Path, format: Option<&str>, error: &OpenError) -> String {
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let is_import = crate::format::IMPORTS.iter().any(|import| import.extensions().contains(&extension.as_str()));
    match error {
        OpenError::Format { reason: FormatError::NotRecognized { .. }, .. } if is_import => "; spadework import reads it".into(),
        OpenError::Format { reason: FormatError::TooLarge { .. }, .. } => MORE_MEMORY.into(),
        OpenError::Format { reason: FormatError::Truncated { .. }, .. } if !error.is_repairable() => {
            "; the file is cut short: take it from a backup or fetch it again".into()
        }
        OpenError::Format { reason: FormatError::NotSquare { .. }, .. } => {
            let size = error.possible_size().map_or_else(|| "WxH".to_owned(), |size| format!("{size}, or another,"));
            format!("; --size {size} opens it so, --lenient as a map that lacks columns")
        }
        OpenError::Format { reason: FormatError::Truncated { .. }, .. } if format == Some("vxl") => {
            "; --size WxH opens a map that is not 512x512 nor square, --lenient mends what can be mended".into()
        }
        error if error.is_repairable() => "; --lenient mends what can be mended".into(),
        _ => String::new(),
    }
}

/// A file that could not be imported.
pub fn import(path: &Path, error: &OpenError) -> Error {
    match error {
        OpenError::Format { path, reason: FormatError::NotRecognized { head } | FormatError::Misnamed { head, .. }, .. } => {
            let extension = path.extension().and_then(|extension| extension.to_str());
            let is_map = RealStorage.open(path).is_ok_and(|source| {
                // The extension alone makes no map of it.
                crate::format::recognize(&*source, extension).is_some_and(|format| format.probe(&*source) > Certainty::Possible)
            });
            let known = crate::format::IMPORTS.iter().flat_map(|import| import.extensions());
            let known = known.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(" ");
            if is_map {
                anyhow!("{}: this is a map, which spadework convert reads; import is for {known}", path.display())
            } else {
                anyhow!("{}: no model or picture that import reads ({known}), or a damaged one: it begins with {head}", path.display())
            }
        }
        OpenError::Format { path, reason, .. } => anyhow!("{}: {reason}", path.display()),
        error => open(path, error),
    }
}

/// A map that could not be saved.
pub fn save(path: &Path, error: &SaveError) -> Error {
    match error {
        SaveError::Storage(error) => storage(error),
        SaveError::Format { path, reason: reason @ FormatError::DoesNotFit { size, rule } } if rule.contains("option size") => {
            anyhow!("{}: {reason}; --set size={}x{} does", path.display(), size.x, size.y)
        }
        SaveError::Format { path, reason } => anyhow!("{}: {reason}", path.display()),
        SaveError::Several { first, others } => anyhow!("{}; so it is with {}", save(path, first), names_of(others)),
        SaveError::AlreadyExists { path } => anyhow!("{}: the file exists already; --overwrite replaces it", path.display()),
        SaveError::MapThere { path } => anyhow!("{}: a map is there, whose place only a map takes; choose another OUT", path.display()),
        SaveError::UnknownExtension { path } => anyhow!("{}: no format has this extension; known are {}", path.display(), extensions()),
        error => anyhow!("{}: {error}", path.display()),
    }
}

fn extensions() -> String {
    let all = crate::format::MAP_FORMATS.iter().flat_map(|format| format.extensions());
    all.map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(" ")
}

/// The text without line breaks and control characters, which names of files may hold.
pub fn one_line(text: &str) -> String {
    text.trim_end().chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
