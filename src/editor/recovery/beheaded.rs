//! Journals whose beginning is gone, both headers and with them every entry, beside a recovery snapshot that is whole: what that one
//! still tells of the journal. Which file the map was of is lost.

use std::path::Path;
use std::time::UNIX_EPOCH;

use super::snapshot::read_any;
use crate::document::{ObjectId, OptionValue, Options, RULED_FLOOR};
use crate::edit::COMMAND_VERSION;
use crate::editor::files::{Stamps, sidecar_path};
use crate::editor::journal::{JournalContent, JournalHeader, ROOMY_FORMAT, copies_stem, snapshot_path};
use crate::editor::storage::{ContentHash, Storage, StorageError, StoredPath};
use crate::format::{MAP_FORMATS, SIDECARS, recognize_among};

/// Format of a map where nothing tells it: that of the game.
const GAME_FORMAT: &str = "vxl";
/// What the name of the journal of a map begins with that has no file.
const NEW: &str = "new";

/// A journal without entries that the snapshot beside it leads on from; `None` without such a snapshot.
///
/// # Errors
/// If the snapshot is there and cannot be read: it is all that is left of the steps.
pub(super) fn beheaded(storage: &dyn Storage, journal: &Path) -> Result<Option<JournalContent>, StorageError> {
    let Some(snapshot) = read_any(storage, journal)? else { return Ok(None) };
    let (format, base) = base_beside(storage, journal).unwrap_or((GAME_FORMAT, vec![]));
    // Grids are more than their voxels: without the copy of the map they cannot be had.
    if base.is_empty() && snapshot.empty_base().is_none() {
        return Ok(None);
    }
    let modified = storage.info(&snapshot_path(journal)).ok().and_then(|info| info.modified);
    let at = modified.and_then(|at| at.duration_since(UNIX_EPOCH).ok()).map_or(0, |since| since.as_secs());
    // A map that was made tells no kinds, also where the copy is in a format that could.
    let is_ruled = format == ROOMY_FORMAT && lost_name(journal).is_none();
    let header = JournalHeader {
        version: COMMAND_VERSION,
        layout: 0,
        app: String::new(),
        map: None,
        from: None,
        format: format.into(),
        options: is_ruled.then(|| (RULED_FLOOR.to_owned(), OptionValue::Bool(true))).into_iter().collect(),
        base,
        stamps: Stamps::default(),
        at,
        of_snapshot: false,
        origin: None,
        asked: Options::new(),
        last_object: Some(ObjectId::default()),
    };
    Ok(Some(JournalContent::beheaded(storage.open(journal)?, header, snapshot.mark())))
}

/// What the file of a map was called, without its ending, as the name of its journal tells; `None` for a map that had none.
pub fn lost_name(journal: &Path) -> Option<&str> {
    // Time, process, map and chance stand behind it, and in it no hyphen.
    copies_stem(journal)?.split('-').next().filter(|name| *name != NEW)
}

/// The format of the copy of the map beside a journal, by its content, and all copies that are there.
fn base_beside(storage: &dyn Storage, journal: &Path) -> Option<(&'static str, Vec<(StoredPath, ContentHash)>)> {
    let map = journal.with_file_name(format!("{}.base", copies_stem(journal)?));
    let copy = |path: &Path| {
        let hash = ContentHash::of_source(&*storage.open(path).ok()?).ok()?;
        Some((StoredPath(path.file_name()?.into()), hash))
    };
    let format = recognize_among(MAP_FORMATS, &*storage.open(&map).ok()?, None)?.id();
    let beside = SIDECARS.iter().filter_map(|sidecar| copy(&sidecar_path(&map, sidecar.suffix())));
    Some((format, [copy(&map)?].into_iter().chain(beside).collect()))
}
