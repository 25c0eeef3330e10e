//! Options that name a folder: its files are read here, because plugins know no paths.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::document::{OptionValue, Options};
use crate::editor::storage::{Storage, StorageError};
use crate::format::{Folder, FolderEntry, FormatError, MapFormat, OptionKind, Report};

/// Largest file of such a folder that is read.
const FILE_LIMIT: u64 = 32 << 20;

/// The options with what their folders say in place of the folders.
///
/// # Errors
/// The folder, and what is wrong with it.
pub(super) fn with_folders_read(
    storage: &dyn Storage,
    format: &dyn MapFormat,
    options: &Options,
    report: &mut Report,
) -> Result<Options, (PathBuf, FormatError)> {
    let mut options = options.clone();
    for spec in format.options().iter().filter(|spec| spec.kind == OptionKind::Folder) {
        let path = match options.get(spec.name) {
            None => continue,
            Some(OptionValue::Text(path)) if path.trim().is_empty() => {
                options.remove(spec.name);
                continue;
            }
            Some(OptionValue::Text(path)) => PathBuf::from(path),
            Some(other) => {
                let value = format!("{other:?}");
                return Err((PathBuf::from(spec.name), FormatError::BadOption { name: spec.name, value }));
            }
        };
        let folder = StorageFolder { storage, path: &path };
        format.read_folder(spec.name, &folder, &mut options, report).map_err(|reason| (path.clone(), reason))?;
    }
    Ok(options)
}

struct StorageFolder<'a> {
    storage: &'a dyn Storage,
    path: &'a Path,
}

impl StorageFolder<'_> {
    /// A place within the folder: names in files of others must not lead out of it.
    fn place(&self, path: &str) -> io::Result<PathBuf> {
        let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
        if parts.iter().any(|part| matches!(*part, "." | "..") || part.contains(':')) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(parts.iter().fold(self.path.to_path_buf(), |all, part| all.join(part)))
    }
}

fn reason(error: StorageError) -> io::Error {
    let kind = if error.is_not_found() { io::ErrorKind::NotFound } else { io::ErrorKind::Other };
    io::Error::new(kind, error)
}

impl Folder for StorageFolder<'_> {
    fn list(&self, path: &str) -> io::Result<Vec<FolderEntry>> {
        let place = self.place(path)?;
        if !self.storage.info(&place).map_err(reason)?.is_folder {
            return Err(io::ErrorKind::NotFound.into());
        }
        let entry = |path: PathBuf| {
            let name = path.file_name()?.to_str()?.to_owned();
            Some(FolderEntry { name, is_folder: self.storage.info(&path).ok()?.is_folder })
        };
        Ok(self.storage.list(&place).map_err(reason)?.into_iter().filter_map(entry).collect())
    }

    fn read(&self, path: &str) -> io::Result<Arc<[u8]>> {
        self.storage.read(&self.place(path)?, FILE_LIMIT).map_err(reason)
    }
}
