//! Which maps other windows have open: a lock for each, in the folder of the journals, gone with its process.
//!
//! It keeps nobody from editing. Saving compares files and asks; this tells so before work is done twice.

use std::path::{Path, PathBuf};

use super::storage::{ContentHash, FileLock, Storage};

/// Ending of the name of such a lock.
pub const CLAIM_EXTENSION: &str = "open";
/// Hexadecimal digits of the path's hash in the name.
const HASH_DIGITS: usize = 16;

/// Who has a map open.
#[derive(Debug)]
pub enum Claim {
    /// This process, until the lock is dropped; its file is of no use afterwards.
    Ours(FileLock, PathBuf),
    /// Another process.
    Theirs,
}

/// Says that this process has a map open; `None` where locks cannot be kept, which is no reason not to open it.
pub fn claim_map(storage: &dyn Storage, folder: &Path, map: &Path) -> Option<Claim> {
    storage.create_folder(folder).ok()?;
    let path = claim_path(storage, folder, map);
    Some(match storage.lock(&path).ok()? {
        Some(lock) => Claim::Ours(lock, path),
        None => Claim::Theirs,
    })
}

/// Whether another process has a map open. Leaves nothing behind.
pub fn is_open_elsewhere(storage: &dyn Storage, folder: &Path, map: &Path) -> bool {
    let path = claim_path(storage, folder, map);
    // Without such a file nobody has; where it cannot be tried, nobody knows.
    storage.exists(&path).unwrap_or(false) && matches!(storage.lock(&path), Ok(None))
}

/// One for each file, whatever link leads to it.
fn claim_path(storage: &dyn Storage, folder: &Path, map: &Path) -> PathBuf {
    let target = storage.resolve(map).unwrap_or_else(|_| map.into());
    // However it was typed.
    let target = std::path::absolute(&target).unwrap_or(target);
    let hash = ContentHash::of(target.to_string_lossy().as_bytes()).to_string();
    folder.join(format!("{}.{CLAIM_EXTENSION}", hash.get(..HASH_DIGITS).unwrap_or(&hash)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::storage::testing::FaultyStorage;

    #[test]
    fn a_map_is_claimed_by_one_until_it_lets_go() {
        let (storage, folder) = (FaultyStorage::default(), Path::new("s"));
        let claim = |map: &str| claim_map(&storage, folder, Path::new(map)).unwrap();
        let first = claim("m/a.vxl");
        assert!(
            matches!(first, Claim::Ours(..)) && matches!(claim("m/a.vxl"), Claim::Theirs) && matches!(claim("m/b.vxl"), Claim::Ours(..))
        );
        assert!(is_open_elsewhere(&storage, folder, Path::new("m/a.vxl")) && !is_open_elsewhere(&storage, folder, Path::new("m/c.vxl")));
        drop(first);
        assert!(!is_open_elsewhere(&storage, folder, Path::new("m/a.vxl")));
        assert!(matches!(claim("m/a.vxl"), Claim::Ours(..)));
    }
}
