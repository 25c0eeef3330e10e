//! What a settings file says that cannot stay where it is written anew: the file as it was is put aside first, and it is told.

use std::path::{Path, PathBuf};

use serde_yaml::Value;

use super::{OPEN_PARTS, SETTINGS_LIMIT, Settings, SettingsError, asides};
use crate::editor::storage::{Storage, StorageError, TempGuard, folder_of, write_temp};
use crate::format::yaml::head_comments;

/// What goes of a text that somebody wrote: the program writes its own.
const BY_HAND: &str = "comments or spellings of your own";

/// What of the settings was replaced, and where they are as they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// What cannot stay, in words.
    pub what: Vec<String>,
    /// The file as it was.
    pub aside: PathBuf,
}

impl Replaced {
    /// Whether nothing that the program reads is gone.
    pub fn is_only_text(&self) -> bool {
        self.what.iter().all(|what| what == BY_HAND)
    }
}

/// The comments before the first part, which stay, and in words what cannot stay of a file that was `read` and is written as `all`.
pub(super) fn replaced(there: &[u8], read: &Settings, all: &Value) -> Result<(String, Vec<String>), serde_yaml::Error> {
    let file: Value = serde_yaml::from_slice(there)?;
    let is_replaced = |part: &&str| file.get(*part) != all.get(*part);
    let open = OPEN_PARTS.into_iter().filter(|part| read.kept.contains_key(*part));
    let layout = Some("layout").filter(|_| !read.layout.is_whole);
    let mut what: Vec<String> = open.chain(layout).filter(is_replaced).map(|part| format!("{part}, which was not understood")).collect();
    // A line of YAML may end with a carriage return alone, or with what else a reader takes for its end.
    let lines = String::from_utf8_lossy(there).replace("\r\n", "\n").replace('\r', "\n");
    let head = Some(head_comments(&lines)).filter(|head| {
        let with_head = serde_yaml::to_string(all).map(|body| format!("{head}{body}"));
        with_head.is_ok_and(|text| serde_yaml::from_str::<Value>(&text).is_ok_and(|said| said == *all))
    });
    let head = head.unwrap_or_default();
    if format!("{head}{}", serde_yaml::to_string(&file)?).as_bytes() != there {
        what.push(BY_HAND.to_owned());
    }
    Ok((head, what))
}

/// Puts the file as it is beside itself, where nothing is yet or the same; answers where, and whether nothing was.
pub(super) fn put_aside(storage: &dyn Storage, path: &Path, there: &[u8]) -> Result<(PathBuf, bool), SettingsError> {
    let target = storage.resolve(path)?;
    for aside in asides(&target, "before") {
        if !storage.exists(&aside)? {
            // It takes after the settings, which others may have no right to read.
            let temp = write_temp(storage, &target, there)?;
            let guard = TempGuard::new(storage, &temp);
            storage.rename(&temp, &aside)?;
            guard.release();
            storage.sync_folder(folder_of(&aside))?;
            return Ok((aside, true));
        }
        if storage.read(&aside, SETTINGS_LIMIT).is_ok_and(|bytes| *bytes == *there) {
            return Ok((aside, false));
        }
    }
    Err(SettingsError::NoneAside { path: path.into() })
}

/// Takes back what was put aside for a file that was not replaced.
pub(super) fn take_back(storage: &dyn Storage, aside: Option<&(PathBuf, bool)>) -> Result<(), StorageError> {
    match aside {
        Some((aside, true)) => storage.remove(aside),
        _ => Ok(()),
    }
}
