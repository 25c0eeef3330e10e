//! What the entries of a journal are repeated on: the map of the copies beside it, of its origin, or of a recovery snapshot.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::RecoveryError;
use super::base::{Base, mend_base, mend_copies, original_of_file};
use super::numbers::{Numbered, number_opened};
use super::origin::read_origin;
use super::snapshot::{Beyond, RecoverySnapshot, read_snapshot};
use crate::document::{Document, Objects, Progress};
use crate::editor::files::{OpenError, OpenOptions, Stamp, Stamps, open_map, read_beside, sidecar_path};
use crate::editor::journal::JournalContent;
use crate::editor::storage::{Storage, StoredPath, folder_of};
use crate::format::{MAP_FORMATS, SIDECARS};

/// Formats whose maps are their voxels, objects and facts, all of which a snapshot holds.
pub const VOXELS_SUFFICE: [&str; 2] = ["vxl", "vmf"];

/// What is known of the snapshot beside a journal, where it may be used at all: the one to begin with, and the one that holds more
/// than the journal.
pub(super) type Snapshots = Option<(Option<RecoverySnapshot>, Beyond)>;

/// The map that the entries are repeated on.
pub(super) struct Beginning {
    pub(super) document: Document,
    /// Id of the format of the copies.
    pub(super) format: &'static str,
    /// Whether it is that of a recovery snapshot.
    pub(super) is_from_snapshot: bool,
    /// Entries that the snapshot stands for; they are not repeated.
    pub(super) skipped: usize,
    /// Entries that the snapshot holds and the journal has lost.
    pub(super) beyond: usize,
    /// Copies that are not what they were.
    pub(super) lost: Vec<PathBuf>,
    /// Whether the copy of the map is among them.
    pub(super) is_without_base: bool,
    /// Whether the map's [`Origin`](crate::editor::journal::Origin) was read.
    pub(super) has_origin: bool,
    pub(super) numbered: Numbered,
    pub(super) is_snapshot_withheld: bool,
}

impl Beginning {
    /// Finds it, the later one first.
    ///
    /// # Errors
    /// If the copy of the map is lost, and no snapshot and no origin tells of it; or if looking is called off.
    pub(super) fn find(
        storage: &dyn Storage,
        journal: &Path,
        content: &JournalContent,
        snapshots: Snapshots,
        progress: &Progress,
    ) -> Result<Self, RecoveryError> {
        // Where the steps from before it are sought, a snapshot would be an answer without steps.
        let may_use_snapshot = snapshots.is_some();
        let (snapshot, Beyond { snapshot: newest, is_withheld }) = snapshots.unwrap_or_default();
        let or_beside =
            |known: Option<RecoverySnapshot>| known.or_else(|| may_use_snapshot.then(|| read_snapshot(storage, journal, content))?);
        let origin = || read_origin(storage, journal, content);
        let (mut opened, snapshot) = match open_base_like(storage, journal, content, newest.as_ref(), progress) {
            // What a lost copy told of stands in the snapshot.
            Ok(opened) if !opened.lost.is_empty() => (opened, or_beside(snapshot)),
            Ok(opened) => (opened, snapshot),
            Err(error @ RecoveryError::Open(OpenError::Cancelled(_))) => return Err(error),
            Err(error) => {
                let snapshot = or_beside(snapshot);
                let empty = newest.as_ref().or(snapshot.as_ref()).map_or_else(|| origin()?.empty_base(), RecoverySnapshot::empty_base);
                (empty.and_then(|empty| without_base(storage, journal, content, empty)).ok_or(error)?, snapshot)
            }
        };
        let is_other_copy = content.header.of_snapshot && !content.header.origin.as_ref().is_some_and(|origin| origin.is_numbered);
        let is_numbered = !is_other_copy && !opened.lacks_objects(content);
        let (mut numbered, mut has_origin) = (Numbered::default(), false);
        if !is_numbered && let Some(origin) = origin().and_then(|origin| origin.restore(&opened.document)) {
            (opened.document, has_origin) = (origin, true);
            numbered = number_opened(&mut opened.document, opened.format, is_other_copy);
        }
        let restored = match (newest, snapshot) {
            (Some(newest), _) => {
                let (skipped, beyond) = (content.entries.len(), newest.entries().saturating_sub(content.entries.len()));
                newest.restore(&opened.document).map(|document| (document, skipped, beyond))
            }
            (None, Some(snapshot)) => {
                let skipped = snapshot.entries();
                snapshot.restore(&opened.document).map(|document| (document, skipped, 0))
            }
            (None, None) => None,
        };
        // Nearly always a later snapshot is there, and the origin need not be read.
        if restored.is_none()
            && !has_origin
            && let Some(origin) = origin().and_then(|origin| origin.restore(&opened.document))
        {
            (opened.document, has_origin) = (origin, true);
        }
        let OpenedBase { document, format, lost, is_without_base } = opened;
        if is_without_base && restored.is_none() && !has_origin {
            return Err(RecoveryError::Damaged);
        }
        let is_from_snapshot = restored.is_some();
        let (mut document, skipped, beyond) = restored.unwrap_or((document, 0, 0));
        if is_from_snapshot && !has_origin && !is_numbered {
            numbered = number_opened(&mut document, format, is_other_copy);
        }
        Ok(Self {
            document,
            format,
            is_from_snapshot,
            skipped,
            beyond,
            lost,
            is_without_base,
            has_origin,
            numbered,
            is_snapshot_withheld: is_withheld,
        })
    }
}
/// The map of the copies beside a journal.
struct OpenedBase {
    document: Document,
    format: &'static str,
    lost: Vec<PathBuf>,
    is_without_base: bool,
}

impl OpenedBase {
    /// Whether a copy is lost that may have told of objects: others have got the numbers of those.
    fn lacks_objects(&self, content: &JournalContent) -> bool {
        let header = &content.header;
        let is_of_objects = |lost: &PathBuf| {
            let is_it = |name: &StoredPath| name.0.file_name() == lost.file_name();
            !header.base.first().is_some_and(|(map, _)| is_it(map)) && !header.origin.as_ref().is_some_and(|origin| is_it(&origin.file))
        };
        self.lost.iter().any(is_of_objects) && VOXELS_SUFFICE.contains(&self.format)
    }
}

/// As [`open_base`], where the copy is a map of the same size as the later snapshot.
fn open_base_like(
    storage: &dyn Storage,
    journal: &Path,
    content: &JournalContent,
    newest: Option<&RecoverySnapshot>,
    progress: &Progress,
) -> Result<OpenedBase, RecoveryError> {
    let opened = open_base(storage, journal, content, progress)?;
    // What it was read with is lost with the header: of another size, it was read as another map than it is, or is one no more.
    let is_other = content.is_beheaded()
        && VOXELS_SUFFICE.contains(&opened.format)
        && newest.is_some_and(|newest| !newest.has_bounds_of(&opened.document));
    if is_other { Err(RecoveryError::Damaged) } else { Ok(opened) }
}

/// An empty map with what is left of the copies beside that of the map, which is lost; `None` for a format of which a snapshot does not
/// hold all.
fn without_base(storage: &dyn Storage, journal: &Path, content: &JournalContent, mut document: Document) -> Option<OpenedBase> {
    let format = known_format(Some(&content.header.format)).filter(|format| VOXELS_SUFFICE.contains(format))?;
    let copies = if content.is_beheaded() { None } else { mend_copies(storage, journal, content) };
    let lost = match copies {
        Some((_, Base { map, lost })) => {
            let mut lost: Vec<PathBuf> = [map.clone()].into_iter().chain(lost).collect();
            let without: Vec<PathBuf> = lost.iter().cloned().chain(strays(journal, content, &map)).collect();
            let stamps = read_beside(storage, &map, &without, format, &mut document);
            lost.extend(not_read(&stamps, journal, content));
            lost
        }
        None => content.header.base.iter().map(|(name, _)| beside(journal, &name.0)).collect(),
    };
    Some(OpenedBase { document, format, lost, is_without_base: true })
}

fn open_base(storage: &dyn Storage, journal: &Path, content: &JournalContent, progress: &Progress) -> Result<OpenedBase, RecoveryError> {
    let base = mend_base(storage, journal, content)?;
    let options = OpenOptions {
        format: Some(content.header.format.clone()),
        options: content.header.options.clone(),
        // It was open, so that it may be open again.
        memory_limit: u64::MAX,
        without: base.lost.iter().cloned().chain(strays(journal, content, &base.map)).collect(),
        ..OpenOptions::default()
    };
    let opened = open_map(storage, &base.map, &options, progress)?;
    let mut lost = base.lost;
    lost.extend(not_read(&opened.stamps, journal, content));
    if lost.contains(&base.map) {
        let map = original_of_file(content, &base.map);
        return Err(RecoveryError::BaseChanged { path: base.map, is_missing: false, map });
    }
    let mut document = opened.document;
    document.objects = Arc::new(Objects::clone(&document.objects).with_last_id(content.header.last_object));
    Ok(OpenedBase { document, format: opened.format, lost, is_without_base: false })
}

/// Where files beside the copy of the map would be taken for copies that the journal does not name: somebody put them there.
fn strays(journal: &Path, content: &JournalContent, map: &Path) -> Vec<PathBuf> {
    let is_named = |path: &PathBuf| content.header.base.iter().any(|(name, _)| beside(journal, &name.0) == *path);
    SIDECARS.iter().map(|sidecar| sidecar_path(map, sidecar.suffix())).filter(|path| !is_named(path)).collect()
}

/// The copies that were read otherwise than they were when they were looked at, or not at all: whether a copy can be read changes.
fn not_read(stamps: &Stamps, journal: &Path, content: &JournalContent) -> Vec<PathBuf> {
    let expected = |copy: &Path| content.header.base.iter().find(|(name, _)| beside(journal, &name.0) == copy).map(|(_, hash)| *hash);
    let is_other = |copy: &Path, stamp: &Stamp| expected(copy).is_some_and(|hash| hash != stamp.hash);
    stamps.0.iter().filter(|(copy, stamp)| stamp.is_unknown() || is_other(copy, stamp)).map(|(copy, _)| copy.clone()).collect()
}

/// The place of a copy beside the journal.
fn beside(journal: &Path, name: &Path) -> PathBuf {
    folder_of(journal).join(name.file_name().unwrap_or_default())
}

/// The format of an id, where this version has it.
pub(super) fn known_format(id: Option<&str>) -> Option<&'static str> {
    MAP_FORMATS.iter().map(|format| format.id()).find(|known| Some(*known) == id)
}
