//! Folders behind a link that leads nowhere, as where its disk is not attached: they are neither there nor can they be made.

use std::io;
use std::path::{Path, PathBuf};

use super::Storage;

/// A link that leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DanglingLink {
    /// The link.
    pub link: PathBuf,
    /// Where it leads to, and nothing is.
    pub target: PathBuf,
}

impl DanglingLink {
    /// The one that keeps a folder from being there; `None` where there is none, or where it cannot be looked at.
    pub fn above(storage: &dyn Storage, folder: &Path) -> Option<Self> {
        for part in folder.ancestors().filter(|part| !part.as_os_str().is_empty()) {
            if storage.exists(part).ok()? {
                return None;
            }
            let target = storage.resolve(part).ok()?;
            if target != part {
                return Some(Self { link: part.into(), target });
            }
        }
        None
    }
}

/// Why a folder cannot be made or listed, where the system's reason says nothing of a link that leads nowhere, or in a circle.
pub(super) fn explained(storage: &dyn Storage, folder: &Path, reason: io::Error) -> io::Error {
    if let Some(DanglingLink { link, target }) = DanglingLink::above(storage, folder) {
        return io::Error::other(format!("{} is a link to {}, which is not there", link.display(), target.display()));
    }
    // Links in a circle are an error of that kind.
    let mut errors = folder.ancestors().filter_map(|part| storage.resolve(part).err());
    errors.find(|error| error.reason.kind() == io::ErrorKind::Other).map_or(reason, |error| error.reason)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::editor::storage::RealStorage;

    #[test]
    fn a_folder_behind_a_link_that_leads_nowhere_is_told_with_where_it_leads() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("disk/state", at("state")).unwrap();
        symlink(at("state"), at("twice")).unwrap();
        for (path, link) in [("state", "state"), ("state/a/b", "state"), ("twice/a", "twice")] {
            let words = format!("{} is a link to {}, which is not there: ", at(link).display(), at("disk/state").display());
            let made = RealStorage.create_folder(&at(path)).unwrap_err().to_string();
            assert!(made.starts_with(&format!("cannot make the folder, {words}")), "{made}");
            let listed = RealStorage.list(&at(path)).unwrap_err();
            assert!(listed.to_string().starts_with(&format!("cannot list the folder, {words}")) && !listed.is_not_found(), "{listed}");
        }
        symlink("circle", at("circle")).unwrap();
        for path in ["circle", "circle/a"] {
            let made = RealStorage.create_folder(&at(path)).unwrap_err().to_string();
            assert!(made.starts_with("cannot make the folder, its links lead in a circle: "), "{made}");
        }
        assert!(RealStorage.list(&at("none/of/these")).unwrap_err().is_not_found());
        // Once its disk is there, so is the folder.
        RealStorage.create_folder(&at("disk/state")).unwrap();
        RealStorage.create_folder(&at("state/a")).unwrap();
        assert!(
            RealStorage.list(&at("state")).unwrap() == [at("state/a")] && DanglingLink::above(&RealStorage, &at("state/new")).is_none()
        );
    }
}
