//! A map that came from a recovery snapshot alone goes on from a copy of itself.
//!
//! No copy of a file leads to it. So it is saved beside the journal that it is to go on in, and what commands never change (source bytes,
//! sidecars, what files said of objects by their ids) is that of this copy from then on: with other ids, what was written by hand for one
//! object would be taken for that of another as soon as it is restored once more.

use std::path::Path;
use std::sync::Arc;

use super::{RecoveryError, Replayed};
use crate::document::{Document, ObjectId, Progress, Snapshot, Volume};
use crate::editor::journal::{Copied, JournalBase};
use crate::editor::storage::Storage;

/// Puts the map on a copy of itself, which is written beside the journal `journal`, which is yet to be begun with the base that this
/// answers. Voxels, objects and facts stay; ids of objects become those of the copy. The steps must be none: they know the former ids.
///
/// # Errors
/// If the copy cannot be written or read, or is of another number of volumes; or the work is cancelled. The map is as it was.
pub fn put_on_own_copy(
    storage: &dyn Storage,
    journal: &Path,
    replayed: &mut Replayed,
    progress: &Progress,
) -> Result<JournalBase, RecoveryError> {
    let copied = Copied::of_snapshot(storage, journal, replayed.format, &replayed.document)?;
    let copy = copied.open(storage, journal, progress)?;
    let document = on_copy(&replayed.document, &copy).ok_or(RecoveryError::Damaged)?;
    copied.forget_uncopied(&mut replayed.stamps);
    replayed.document = document;
    Ok(copied.into_base(is_same(&replayed.document, &copy), &replayed.document))
}

/// What `own` holds, on what was opened from its copy.
fn on_copy(own: &Snapshot, copy: &Document) -> Option<Document> {
    if own.volumes().len() != copy.volumes().len() {
        return None;
    }
    let mut document = copy.clone();
    let parts = own.volumes().iter().zip(copy.volumes().iter());
    let volumes = parts.map(|(own, copy)| Volume { offset: own.offset, store: own.store.clone(), ..copy.clone() });
    document.put_volumes(Arc::new(volumes.collect()));
    let last = copy.objects.last_id().unwrap_or_default();
    document.objects =
        Arc::new(own.objects.numbered_as(&copy.objects, (last.0.saturating_add(1)..).map(ObjectId)).with_last_id(Some(last)));
    document.metadata = own.metadata.clone();
    (document.selection, document.masks, document.symmetry) = (own.selection.clone(), own.masks.clone(), own.symmetry.clone());
    (document.dirt, document.memory_limit) = (own.dirt, own.memory_limit);
    document.set_active(own.active());
    Some(document)
}

/// Whether two documents are the same map.
pub fn is_same(a: &Snapshot, b: &Snapshot) -> bool {
    let same = |(a, b): (&Volume, &Volume)| a.offset == b.offset && a.store.bounds() == b.store.bounds() && a.store.same_voxels(&b.store);
    a.volumes().len() == b.volumes().len()
        && a.volumes().iter().zip(b.volumes().iter()).all(same)
        && (&a.objects, &a.metadata, &a.selection, a.dirt) == (&b.objects, &b.metadata, &b.selection, b.dirt)
        && (&a.masks, &a.symmetry, a.active()) == (&b.masks, &b.symmetry, b.active())
}
