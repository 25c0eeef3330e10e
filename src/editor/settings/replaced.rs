//! What a settings file says that cannot stay where it is written anew: the file as it was is put aside first, and it is told.

use std::path::{Path, PathBuf};

use serde_yaml::Value;

use super::{OPEN_PARTS, Settings, free_aside};
use crate::editor::storage::{Storage, StorageError, replace_file};
use crate::format::yaml::kept_comments;

/// What of the settings was replaced, and where they are as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// What cannot stay, in words.
    pub what: Vec<String>,
    /// The file as it was.
    pub aside: PathBuf,
}

/// The comments before the first part, which stay, and in words what cannot stay of a file that was `read` and is written as `all`.
pub(super) fn replaced(there: &[u8], read: &Settings, all: &Value) -> (String, Vec<String>) {
    let said = |bytes: &[u8]| serde_yaml::from_slice::<Value>(bytes).ok();
    let (head, comments) = kept_comments(there, said);
    let file = said(there).unwrap_or_default();
    let is_replaced = |part: &&str| file.get(*part) != all.get(*part);
    let open = OPEN_PARTS.into_iter().filter(|part| read.kept.contains_key(*part));
    let layout = Some("layout").filter(|_| !read.layout.is_whole);
    let mut what: Vec<String> = open.chain(layout).filter(is_replaced).map(|part| format!("{part}, which was not understood")).collect();
    if comments > 0 {
        what.push(format!("{comments} comments"));
    }
    (head, what)
}

/// Puts the file as it is beside itself, where nothing is yet.
pub(super) fn put_aside(storage: &dyn Storage, path: &Path, there: &[u8]) -> Result<PathBuf, StorageError> {
    let aside = free_aside(storage, path, "before");
    replace_file(storage, &aside, there)?;
    Ok(aside)
}
