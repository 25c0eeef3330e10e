//! The ids of objects: whether those that the copies of a map's files give are those that its snapshot and its steps know.

use std::collections::HashSet;
use std::sync::Arc;

use super::beginning::VOXELS_SUFFICE;
use crate::document::{Document, Object, ObjectId, Objects, Opened};

/// What became of what the copies say of objects by other ids than the map may know.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbered {
    /// It has got the ids of equal objects.
    pub(super) is_anew: bool,
    /// Of some of it, it is not known whose it is.
    pub(super) is_unknown: bool,
}

/// Where the copies may not give objects the ids that the map knows: gives what they say of objects the ids of equal ones, if they do not.
/// In a station entities go by their place in the file. Where only a copy is missing, `is_other_copy` is false: as long as any object is under
/// its id still, the others are those that were edited.
pub(super) fn number_opened(document: &mut Document, format: &str, is_other_copy: bool) -> Numbered {
    let Opened { objects, metadata } = &*document.opened;
    let differs = |one: &Objects, other: &Objects| -> Vec<Object> {
        one.iter().filter(|(id, object)| other.get(*id) != Some(*object)).map(|(_, object)| object.clone()).collect()
    };
    let (said, is): (Vec<Object>, HashSet<Object>) =
        (differs(objects, &document.objects), differs(&document.objects, objects).into_iter().collect());
    let may_be_shifted = is_other_copy || said.len() == objects.0.len();
    // An object under another number; else it may be one that was edited.
    if VOXELS_SUFFICE.contains(&format) && may_be_shifted && said.iter().any(|object| is.contains(object)) {
        let objects = Arc::new(objects.numbered_as(&document.objects, (0..u32::MAX).rev().map(ObjectId)));
        document.opened = Arc::new(Opened { objects, metadata: metadata.clone() });
        return Numbered { is_anew: true, is_unknown: !differs(&document.opened.objects, &document.objects).is_empty() };
    }
    Numbered { is_anew: false, is_unknown: !said.is_empty() }
}

/// Whether the map has other objects under ids that the files told of: moved ones, or others.
pub(super) fn has_others(document: &Document) -> bool {
    document.opened.objects.iter().any(|(id, said)| document.objects.get(id).is_some_and(|object| object != said))
}

/// Whether an object has come that has the id of one that the files told of.
pub(super) fn reuses_ids(before: &Arc<Objects>, document: &Document) -> bool {
    let is_reused = |id| before.get(id).is_none() && document.objects.get(id).is_some();
    !Arc::ptr_eq(before, &document.objects) && document.opened.objects.iter().any(|(id, _)| is_reused(id))
}
