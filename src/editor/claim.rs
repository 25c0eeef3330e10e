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
    let target = storage.place(map);
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

    #[cfg(unix)]
    #[test]
    fn a_map_in_a_linked_folder_is_one_map() {
        use crate::editor::files::{KeepVersions, OpenOptions, Overwrite, SaveOptions, list_versions, open_map, save_map};
        use crate::editor::storage::RealStorage;

        let folder = tempfile::tempdir().unwrap();
        let (maps, link, state) = (folder.path().join("maps"), folder.path().join("link"), folder.path().join("state"));
        std::fs::create_dir(&maps).unwrap();
        std::os::unix::fs::symlink("maps", &link).unwrap();
        let (map, linked) = (maps.join("a.vmf"), link.join("a.vmf"));
        let store = crate::voxel::Store::new(crate::geom::Region::of_size(glam::IVec3::new(8, 8, 64)));
        let document = crate::document::Document::new(store, &crate::document::GameProfile::ACE_OF_SPADES);
        save_map(&RealStorage, &document, &map, &SaveOptions::default(), &Default::default()).unwrap();
        let first = claim_map(&RealStorage, &state, &map).unwrap();
        assert!(matches!(first, Claim::Ours(..)) && is_open_elsewhere(&RealStorage, &state, &linked));
        assert!(matches!(claim_map(&RealStorage, &state, &linked), Some(Claim::Theirs)));
        // What is kept of it is found by both ways.
        let mut opened = open_map(&RealStorage, &linked, &OpenOptions::default(), &Default::default()).unwrap();
        opened.document.dirt = None;
        let set = serde_json::from_str(r##"{"set":{"at":[1,2,7],"color":"#ff8000"}}"##).unwrap();
        let change = crate::edit::plan(&opened.document, &set, &Default::default()).unwrap();
        crate::edit::History::new().commit(&mut opened.document, change);
        let keep = KeepVersions { folder: state.clone(), count: 9, days: 9, now: 1_000 };
        let options = SaveOptions { versions: Some(keep), overwrite: Overwrite::Always, ..SaveOptions::default() };
        save_map(&RealStorage, &opened.document, &linked, &options, &Default::default()).unwrap();
        for path in [&map, &linked] {
            assert_eq!(list_versions(&RealStorage, &state, path).len(), 1, "{}", path.display());
        }
    }
}
