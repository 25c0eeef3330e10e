//! Maps that came from a recovery snapshot alone: what the journals that they go on in begin with.
//!
//! No copy of a file leads to such a map. So it is kept as it is, as a snapshot among the copies; and these are those of its former journal,
//! because what commands never change (source bytes, sidecars, what files say of objects by their ids) is in them.

use std::path::{Path, PathBuf};

use super::base::original_of_file;
use super::replay::Replayed;
use super::snapshot::{RecoverySnapshot, decode, encode};
use super::{Recoverable, SNAPSHOT_LIMIT};
use crate::document::Document;
use crate::editor::journal::{JournalBase, JournalContent, OriginMap};
use crate::editor::storage::{ContentHash, Storage, folder_of};
use crate::format::{MAP_FORMATS, Sidecar, sidecar};

/// The base of the journal that a map goes on in to which its former one cannot lead.
pub fn base_of_snapshot(found: &Recoverable, replayed: &Replayed) -> JournalBase {
    let document = Box::new(replayed.document.clone());
    let made = JournalBase::Made { format: replayed.format, document: document.clone(), of_snapshot: true };
    // Beyond that it is brought back from its copy alone, as it was then.
    if document.size_bytes() >= SNAPSHOT_LIMIT {
        return made;
    }
    let copied = if replayed.is_without_base { None } else { copied(found, &replayed.document) };
    let is_numbered = copied.is_some() && !replayed.is_renumbered;
    let origin = OriginMap { document, encode: |document| encode(document, 0, None) };
    let of = copied.is_some().then(|| of_file(found)).flatten();
    JournalBase::OfSnapshot { base: Box::new(copied.unwrap_or(made)), origin, is_numbered, of }
}

/// The file that the copy of the map beside the former journal is of.
fn of_file(found: &Recoverable) -> Option<PathBuf> {
    let (name, _) = found.content.header.base.first()?;
    original_of_file(&found.content, &name.0)
}

/// The copies beside the former journal, as the map was opened from them.
fn copied(found: &Recoverable, document: &Document) -> Option<JournalBase> {
    let header = &found.content.header;
    let (name, hash) = header.base.first()?;
    let format = MAP_FORMATS.iter().map(|format| format.id()).find(|id| *id == header.format)?;
    // Formats that stream keep the head of the file only.
    let bytes = document.source.as_ref().map(|source| source.bytes.clone()).filter(|bytes| ContentHash::of(bytes) == *hash);
    let suffix = |id| sidecar(id).map(Sidecar::suffix);
    let sidecars = document.sidecars.iter().filter_map(|file| Some((suffix(file.sidecar)?, file.bytes.clone()))).collect();
    let file = Some(folder_of(&found.journal).join(name.0.file_name()?));
    Some(JournalBase::Opened { file, format, options: header.options.clone(), bytes, hash: Some(*hash), sidecars })
}

/// What a map was when its journal began, where that is said, and is among the copies as it was.
pub(super) fn read_origin(storage: &dyn Storage, journal: &Path, content: &JournalContent) -> Option<RecoverySnapshot> {
    let origin = content.header.origin.as_ref()?;
    let path = folder_of(journal).join(origin.file.0.file_name()?);
    let expected = content.header.base.iter().find(|(name, _)| *name == origin.file).map(|(_, hash)| *hash)?;
    let bytes = storage.read(&path, SNAPSHOT_LIMIT).ok()?;
    (ContentHash::of(&bytes) == expected).then(|| decode(&bytes))?
}
