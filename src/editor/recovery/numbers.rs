//! The ids of objects: whether those that the copies of a map's files give are those that its snapshot and its steps know.

use std::collections::HashSet;
use std::sync::Arc;

use super::replay::VOXELS_SUFFICE;
use crate::document::{Document, Object, ObjectId, Objects, Opened};

/// Where the copies may not give objects the ids that the map knows: gives what they say of objects the ids of equal ones, if they do not.
/// Answers whether whose it is is not known of all. In a station entities go by their place in the file.
pub(super) fn number_opened(document: &mut Document, format: &str) -> bool {
    let Opened { objects, metadata } = &*document.opened;
    let differs = |one: &Objects, other: &Objects| -> Vec<Object> {
        one.iter().filter(|(id, object)| other.get(*id) != Some(*object)).map(|(_, object)| object.clone()).collect()
    };
    let (said, is): (Vec<Object>, HashSet<Object>) =
        (differs(objects, &document.objects), differs(&document.objects, objects).into_iter().collect());
    // An object under another number; else it may be one that was edited.
    if VOXELS_SUFFICE.contains(&format) && said.iter().any(|object| is.contains(object)) {
        let objects = Arc::new(objects.numbered_as(&document.objects, (0..u32::MAX).rev().map(ObjectId)));
        document.opened = Arc::new(Opened { objects, metadata: metadata.clone() });
        return !differs(&document.opened.objects, &document.objects).is_empty();
    }
    !said.is_empty()
}

/// Whether an object has come that has the id of one that the files told of.
pub(super) fn reuses_ids(before: &Arc<Objects>, document: &Document) -> bool {
    let is_reused = |id| before.get(id).is_none() && document.objects.get(id).is_some();
    !Arc::ptr_eq(before, &document.objects) && document.opened.objects.iter().any(|(id, _)| is_reused(id))
}
