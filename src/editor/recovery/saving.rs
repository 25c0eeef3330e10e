//! Saves of programs that keep no journal: where they go on is noted beside the journals, so that the next start completes those that
//! were interrupted, whichever map it is about.
//!
//! A note is `NAME.saving`, and `NAME.saver` is locked as long as its save goes on: a note that nobody holds is of a save that was
//! interrupted, or that had not begun.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{is_older, starts::Starts};
use crate::editor::files::{Interrupted, Settled, complete_saves, folders_of_map, has_interrupted_saves};
use crate::editor::seconds_now;
use crate::editor::storage::{FileLock, Storage, StorageAction, StorageError, StoredPath};

/// Ending of a note's name.
const EXTENSION: &str = "saving";
/// Ending of the name of its lock.
const LOCK_EXTENSION: &str = "saver";
/// Largest note that is read.
const LIMIT: u64 = 1 << 16;
/// Time for which a save may go on without a record beside the map, where the disk knows no locks.
const BEGUN_AGE: Duration = Duration::from_secs(600);
/// Time for which a note is kept of a folder that cannot be looked at, as that of a disk that is not attached, as [`Starts`] tells it.
const AWAY_AGE: Duration = Duration::from_secs(30 * 86_400);
/// Names that are tried: others may be looking at what was just made.
const TRIES: u32 = 3;

/// That a save goes on, until it is over.
#[derive(Debug)]
pub struct SaveNote<'a> {
    storage: &'a dyn Storage,
    note: PathBuf,
    /// `None` where the disk knows no locks.
    lock: Option<FileLock>,
}

impl<'a> SaveNote<'a> {
    /// Notes it in the folder of the journals; `None` where it cannot be, which is in the way of no save. `map` is a whole path.
    pub fn begin(storage: &'a dyn Storage, journals: &Path, map: &Path) -> Option<Self> {
        let folders = folders_of_map(storage, map).into_iter().map(StoredPath).collect();
        // One that is not there yet is missed by nobody.
        let map = storage.exists(map).unwrap_or(false).then(|| map.into());
        let text = serde_json::to_vec(&Told::Save { map, folders }).ok()?;
        let begin = |note: PathBuf| -> Result<Option<Self>, StorageError> {
            storage.create_folder(journals)?;
            let held = storage.lock(&lock_of(&note));
            if let Ok(None) = held {
                return Ok(None);
            }
            // One that is cut says nothing, and no save has begun then.
            let mut file = storage.append(&note)?;
            file.write_all(&text).and_then(|()| file.sync()).map_err(StorageError::at(StorageAction::Write, &note))?;
            storage.sync_folder(journals)?;
            let begun = Self { storage, note, lock: held.ok().flatten() };
            Ok(begun.is_noted().then_some(begun))
        };
        let name = |number: u32| journals.join(format!("{}-{}-{number}.{EXTENSION}", seconds_now(), std::process::id()));
        (0..TRIES).find_map(|number| begin(name(number)).ok().flatten())
    }

    /// Whether nobody took it for one that nobody holds meanwhile.
    fn is_noted(&self) -> bool {
        let holds = |lock| self.storage.holds(lock, &lock_of(&self.note));
        self.lock.as_ref().is_none_or(holds) && self.storage.exists(&self.note).unwrap_or(false)
    }

    /// Forgets it: all files are new, or all are old.
    pub fn end(self) {
        forget(self.storage, &self.note);
    }
}

/// A note of a save that does not go on, held.
struct Noted {
    note: PathBuf,
    folders: Vec<PathBuf>,
    _lock: Option<FileLock>,
}

/// Completes or takes back every noted save that did not end. Without notes it looks at nothing else.
pub fn settle_noted_saves(storage: &dyn Storage, journals: &Path) -> Vec<Interrupted> {
    let paths = storage.list(journals).unwrap_or_default();
    let starts = Starts::new(storage, journals, SystemTime::now());
    let settle = |noted: Noted| {
        let settled: Vec<_> = noted.folders.iter().map(|folder| complete_saves(storage, folder, &[])).collect();
        let is_busy = settled.iter().any(Settled::is_busy);
        let settled: Vec<Interrupted> = settled.into_iter().flat_map(|settled| settled.outcomes).collect();
        let is_seen = noted.folders.iter().all(|folder| has_interrupted_saves(storage, folder).is_ok());
        let stays = |outcome: &Interrupted| matches!(outcome, Interrupted::Failed { .. } | Interrupted::Elsewhere { .. });
        if is_seen && !is_busy && !settled.iter().any(stays) {
            forget(storage, &noted.note);
        }
        settled
    };
    noted_saves(storage, &paths, &starts).flat_map(settle).collect()
}

/// The folders in which saves were noted that did not end; removes the notes of those that did.
pub(super) fn noted_folders(storage: &dyn Storage, paths: &[PathBuf], starts: &Starts<'_>) -> BTreeSet<PathBuf> {
    noted_saves(storage, paths, starts).flat_map(|noted| noted.folders).collect()
}

fn noted_saves<'a>(storage: &'a dyn Storage, paths: &'a [PathBuf], starts: &'a Starts<'_>) -> impl Iterator<Item = Noted> + use<'a> {
    let is_about = |path: &&PathBuf| path.extension().is_some_and(|end| end == OsStr::new(EXTENSION) || end == OsStr::new(LOCK_EXTENSION));
    let notes: BTreeSet<PathBuf> = paths.iter().filter(is_about).map(|path| path.with_extension(EXTENSION)).collect();
    notes.into_iter().filter_map(|note| noted_save(storage, note, starts))
}

fn noted_save(storage: &dyn Storage, note: PathBuf, starts: &Starts<'_>) -> Option<Noted> {
    let held = storage.lock(&lock_of(&note));
    if let Ok(None) = held {
        return None;
    }
    let lock = held.ok().flatten();
    let told: Option<Told> = storage.read(&note, LIMIT).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let told = told.map(Told::into_paths).map(|(map, folders)| (have_interrupted_saves(storage, &folders), map, folders));
    let (folders, is_over) = match told {
        Some((Ok(true), _, folders)) => (Some(folders), false),
        // The folder at which a disk is attached, without the disk.
        Some((Ok(false), Some(map), _)) if !storage.exists(&map).unwrap_or(true) => (None, starts.is_older(&note, AWAY_AGE)),
        // Where there are no locks, whoever noted it may be about to begin.
        Some((Ok(false), ..)) | None => (None, lock.is_some() || is_older(storage, &note, BEGUN_AGE)),
        Some((Err(_), ..)) => (None, starts.is_older(&note, AWAY_AGE)),
    };
    if is_over {
        forget(storage, &note);
    }
    folders.map(|folders| Noted { note, folders, _lock: lock })
}

/// What a note says: the folder of a map; and where its link leads, if it is one.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Told {
    Save {
        /// The map, if it was there when the save began.
        map: Option<StoredPath>,
        folders: Vec<StoredPath>,
    },
    /// Of older versions.
    All(Vec<StoredPath>),
    One(StoredPath),
}

impl Told {
    /// The map, where it is known and was there, and the folders.
    fn into_paths(self) -> (Option<PathBuf>, Vec<PathBuf>) {
        let (map, folders) = match self {
            Self::Save { map, folders } => (map.map(|map| map.0), folders),
            Self::All(folders) => (None, folders),
            Self::One(folder) => (None, vec![folder]),
        };
        (map, folders.into_iter().map(|folder| folder.0).collect())
    }
}

/// Whether a save was interrupted in one of the folders, or goes on there.
fn have_interrupted_saves(storage: &dyn Storage, folders: &[PathBuf]) -> Result<bool, StorageError> {
    let (mut any, mut failed) = (false, None);
    for folder in folders {
        match has_interrupted_saves(storage, folder) {
            Ok(has) => any |= has,
            Err(error) => failed = Some(error),
        }
    }
    // One that cannot be looked at keeps nobody from what is in the other.
    match failed {
        Some(error) if !any => Err(error),
        _ => Ok(any),
    }
}

fn lock_of(note: &Path) -> PathBuf {
    note.with_extension(LOCK_EXTENSION)
}

/// What stays does no harm, and goes at the next start.
fn forget(storage: &dyn Storage, note: &Path) {
    storage.remove(note).ok();
    storage.remove(&lock_of(note)).ok();
}

#[cfg(test)]
mod tests {
    use super::super::list_leftovers;
    use super::*;
    use crate::editor::storage::testing::{Fault, FaultyStorage};

    fn begun(storage: &FaultyStorage) -> SaveNote<'_> {
        SaveNote::begin(storage, Path::new("s"), Path::new("m/castle.vxl")).unwrap()
    }

    fn folders(storage: &FaultyStorage) -> BTreeSet<PathBuf> {
        list_leftovers(storage, Path::new("s")).saves().folders(storage)
    }

    fn is_noted(storage: &FaultyStorage) -> bool {
        storage
            .list(Path::new("s"))
            .unwrap_or_default()
            .iter()
            .any(|path| lock_of(path) == *path || path.extension() == Some(OsStr::new(EXTENSION)))
    }

    #[test]
    fn folders_of_saves_that_did_not_end_are_known_and_notes_go_when_there_is_nothing_to_do() {
        let storage = FaultyStorage::with(&[("m/castle.vxl", b"map")]);
        let record = Path::new("m/.castle.vxl.spadework-intent");
        let note = begun(&storage);
        storage.put("m/.castle.vxl.spadework-intent", b"{}");
        // It goes on.
        assert!(folders(&storage).is_empty() && settle_noted_saves(&storage, Path::new("s")).is_empty() && is_noted(&storage));
        // Without an end, as by a kill.
        drop(note);
        assert_eq!(folders(&storage), BTreeSet::from(["m".into()]));
        storage.remove(record).unwrap();
        assert!(folders(&storage).is_empty() && !is_noted(&storage));
        begun(&storage).end();
        assert!(!is_noted(&storage));
        // What is no note, and what was cut, is of no save that began.
        storage.put("s/odd.saving", b"\xff");
        storage.put("s/alone.saver", b"");
        assert!(folders(&storage).is_empty() && !is_noted(&storage));
    }

    #[test]
    fn a_note_goes_with_what_it_told_of_and_stays_where_that_could_not_be_settled() {
        let storage = FaultyStorage::with(&[("m/castle.vxl", b"map")]);
        drop(begun(&storage));
        // A record of a newer Spadework.
        storage.put("m/.castle.vxl.spadework-intent", b"{}");
        let settled = settle_noted_saves(&storage, Path::new("s"));
        assert!(matches!(settled[..], [Interrupted::NotOurs { .. }]) && !is_noted(&storage), "{settled:?}");
        drop(begun(&storage));
        storage.put("m/.castle.vxl.spadework-intent", &vec![b' '; 1 << 24]);
        let settled = settle_noted_saves(&storage, Path::new("s"));
        assert!(matches!(settled[..], [Interrupted::Failed { .. }]) && is_noted(&storage), "{settled:?}");
    }

    #[test]
    fn a_note_of_a_map_whose_disk_is_not_attached_stays_until_it_is() {
        let storage = FaultyStorage::with(&[("m/castle.vxl", b"map"), ("m/.castle.vxl.spadework-intent", b"{}")]);
        drop(begun(&storage));
        let there = storage.all();
        storage.remove_folder("m");
        storage.make_folder(Path::new("m")).unwrap();
        for _ in 0..2 {
            assert!(settle_noted_saves(&storage, Path::new("s")).is_empty() && is_noted(&storage));
        }
        there.iter().filter(|(path, _)| path.starts_with("m")).for_each(|(path, bytes)| storage.put(path, bytes));
        assert!(settle_noted_saves(&storage, Path::new("s")).len() == 1 && !is_noted(&storage));
    }

    #[test]
    fn a_note_of_a_map_that_was_never_there_goes() {
        let storage = FaultyStorage::with(&[("m/others.vxl", b"map")]);
        drop(begun(&storage));
        assert!(settle_noted_saves(&storage, Path::new("s")).is_empty() && !is_noted(&storage));
    }

    #[test]
    fn a_note_stays_as_long_as_a_part_of_the_set_is_away() {
        let storage = FaultyStorage::with(&[("/m/castle.vxl", b"map")]);
        drop(SaveNote::begin(&storage, Path::new("s"), Path::new("/m/castle.vxl")).unwrap());
        let hash = crate::editor::storage::ContentHash::of(b"= ann");
        let temp = ".castle.txt.spadework-set-1-1";
        let entry = format!(r#"{{"file":"../e/castle.txt","temp":"{temp}","hash":"{hash}","old":null,"copy":null}}"#);
        storage.put("/m/.castle.vxl.spadework-intent", format!(r#"{{"version":1,"map":"castle.vxl","files":[{entry}]}}"#).as_bytes());
        for _ in 0..2 {
            let settled = settle_noted_saves(&storage, Path::new("s"));
            assert!(matches!(settled[..], [Interrupted::Elsewhere { .. }]) && is_noted(&storage), "{settled:?}");
        }
        storage.put(Path::new("/e").join(temp), b"= ann");
        let settled = settle_noted_saves(&storage, Path::new("s"));
        assert!(matches!(settled[..], [Interrupted::Completed { .. }]) && !is_noted(&storage), "{settled:?}");
        assert_eq!(storage.get("/e/castle.txt").unwrap(), b"= ann");
    }

    #[test]
    fn notes_of_older_versions_are_understood() {
        let storage = FaultyStorage::with(&[("m/.castle.vxl.spadework-intent", b"{}")]);
        for text in [&br#""m""#[..], br#"["x","m"]"#] {
            storage.put("s/1-1-0.saving", text);
            assert!(folders(&storage).contains(Path::new("m")), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn a_note_stays_as_long_as_somebody_else_has_the_folder() {
        let storage = FaultyStorage::with(&[("m/castle.vxl", b"map")]);
        drop(begun(&storage));
        storage.put("m/.castle.vxl.spadework-intent", b"{}");
        let claim = storage.lock_folder(Path::new("m")).unwrap();
        assert!(settle_noted_saves(&storage, Path::new("s")).is_empty() && is_noted(&storage));
        drop(claim);
        assert!(settle_noted_saves(&storage, Path::new("s")).len() == 1 && !is_noted(&storage));
    }

    #[test]
    fn a_begin_that_is_cut_anywhere_is_in_the_way_of_no_save_and_leaves_nothing() {
        let storage = FaultyStorage::with(&[("m/castle.vxl", b"map")]);
        let before = storage.operations();
        begun(&storage).end();
        let steps = storage.operations() - before;
        assert!(steps > 3);
        for step in 0..steps {
            let storage = FaultyStorage::with(&[("m/castle.vxl", b"map")]);
            storage.fail_at(step, Fault::Crash);
            if let Some(note) = SaveNote::begin(&storage, Path::new("s"), Path::new("m/castle.vxl")) {
                note.end();
            }
            storage.restart();
            assert!(folders(&storage).is_empty() && !is_noted(&storage), "step {step} of {steps}");
        }
    }
}
