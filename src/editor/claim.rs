//! Which maps other windows have open: a lock for each, in the folder of the journals, gone with its process.
//!
//! It keeps nobody from editing. Saving compares files and asks; this tells so before work is done twice.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::jobs::Waker;
use super::storage::{ContentHash, FileLock, Storage};

/// Ending of the name of such a lock.
pub const CLAIM_EXTENSION: &str = "open";
/// Hexadecimal digits of the path's hash in the name.
const HASH_DIGITS: usize = 16;

/// How often a map is claimed that others let go of at that very moment.
const MAX_TRIES: u32 = 3;

/// How long it is waited for a lock.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// How often it is looked whether others let go of a map.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Who has a map open.
#[derive(Debug)]
pub enum Claim {
    /// This process, until the lock is dropped; its file is of no use afterwards.
    Ours(FileLock, PathBuf),
    /// Another process, or another tab of this one, which then holds that file.
    Theirs(PathBuf),
}

/// Says that this process has a map open; `None` where locks cannot be kept, which is no reason not to open it.
pub fn claim_map(storage: &dyn Storage, folder: &Path, map: &Path) -> Option<Claim> {
    storage.create_folder(folder).ok()?;
    let path = claim_path(storage, folder, map);
    for _ in 0..MAX_TRIES {
        match storage.lock(&path).ok()? {
            // Whoever lets go removes the file first: a lock on that one keeps nobody away.
            Some(lock) if !storage.holds(&lock, &path) => {}
            Some(lock) => return Some(Claim::Ours(lock, path)),
            None => return Some(Claim::Theirs(path)),
        }
    }
    None
}

/// As [`claim_map`], but waits for it no longer than a moment: where the disk of the journals does not answer, nobody knows who else has the
/// map open, which is no reason not to open it.
pub fn claim_map_soon(storage: &Arc<dyn Storage>, folder: PathBuf, map: &Path) -> Option<Claim> {
    let (sender, answer) = mpsc::sync_channel(0);
    let (storage, map) = (storage.clone(), map.to_path_buf());
    let look = move || {
        if let Err(unheard) = sender.send(claim_map(&*storage, &folder, &map))
            && let Some(Claim::Ours(_lock, path)) = unheard.0
        {
            // What is left goes with a later start.
            storage.remove(&path).unwrap_or_default();
        }
    };
    thread::Builder::new().name("claim".into()).spawn(look).ok()?;
    answer.recv_timeout(MAX_WAIT).ok().flatten()
}

/// Claims a map as soon as others let go of it, on a thread of its own that ends with this.
#[derive(Debug)]
pub(super) struct ClaimWatch {
    /// The map.
    pub(super) map: PathBuf,
    /// Whether it is another tab of this window that has it.
    pub(super) is_here: bool,
    answer: Receiver<(FileLock, PathBuf)>,
    /// While it is there, the thread goes on.
    _wanted: Sender<()>,
}

impl ClaimWatch {
    /// Looks at it from now on. Calls `waker`, on that thread, when the map is claimed.
    pub(super) fn start(storage: Arc<dyn Storage>, folder: PathBuf, map: PathBuf, is_here: bool, waker: Waker) -> Self {
        Self { is_here, ..Self::start_at(storage, folder, map, waker, LOOK_EVERY) }
    }

    fn start_at(storage: Arc<dyn Storage>, folder: PathBuf, map: PathBuf, waker: Waker, every: Duration) -> Self {
        let ((_wanted, is_wanted), (sender, answer), watched) = (mpsc::channel::<()>(), mpsc::channel(), map.clone());
        let look = move || {
            while is_wanted.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                let Some(Claim::Ours(lock, path)) = claim_map(&*storage, &folder, &watched) else { continue };
                match sender.send((lock, path)) {
                    Ok(()) => waker(),
                    // The map was closed meanwhile. What is left goes with a later start.
                    Err(unheard) => storage.remove(&unheard.0.1).unwrap_or_default(),
                }
                return;
            }
        };
        // Without a thread the map counts as open elsewhere to the end: it keeps nobody from anything.
        thread::Builder::new().name("claim".into()).spawn(look).ok();
        Self { map, is_here: false, answer, _wanted }
    }

    /// The claim, once it is there.
    pub(super) fn take(&self) -> Option<Claim> {
        self.answer.try_recv().ok().map(|(lock, path)| Claim::Ours(lock, path))
    }
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
            matches!(first, Claim::Ours(..)) && matches!(claim("m/a.vxl"), Claim::Theirs(_)) && matches!(claim("m/b.vxl"), Claim::Ours(..))
        );
        assert!(is_open_elsewhere(&storage, folder, Path::new("m/a.vxl")) && !is_open_elsewhere(&storage, folder, Path::new("m/c.vxl")));
        drop(first);
        assert!(!is_open_elsewhere(&storage, folder, Path::new("m/a.vxl")));
        assert!(matches!(claim("m/a.vxl"), Claim::Ours(..)));
    }

    #[test]
    fn a_watch_claims_a_map_once_the_others_are_gone_and_ends_with_whoever_wants_it() {
        let (storage, folder, map) = (FaultyStorage::default(), Path::new("s"), Path::new("m/a.vxl"));
        let watch = || {
            let (woken, wait) = mpsc::channel();
            let waker: Waker = Arc::new(move || woken.send(()).unwrap_or_default());
            let storage = Arc::new(storage.clone());
            (ClaimWatch::start_at(storage, folder.into(), map.into(), waker, Duration::from_millis(1)), wait)
        };
        let Some(Claim::Ours(theirs, file)) = claim_map(&storage, folder, map) else { panic!("nobody has it") };
        let (unwanted, unheard) = watch();
        let (wanted, wait) = watch();
        drop(unwanted);
        // Its thread, with the waker, is gone.
        assert!(unheard.recv_timeout(Duration::from_secs(30)) == Err(RecvTimeoutError::Disconnected) && wanted.take().is_none());
        storage.remove(&file).unwrap();
        drop(theirs);
        wait.recv_timeout(Duration::from_secs(30)).unwrap();
        let Some(Claim::Ours(lock, file)) = wanted.take() else { panic!("woken for nothing") };
        assert!(storage.holds(&lock, &file) && is_open_elsewhere(&storage, folder, map));
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
        assert!(matches!(claim_map(&RealStorage, &state, &linked), Some(Claim::Theirs(_))));
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
