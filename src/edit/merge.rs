//! Three-way merges, for undoing a change in a place that somebody else has changed meanwhile.
//!
//! `from` is what our change left there, `to` what we want back, `current` what is there now. Whatever
//! still equals `from` goes to `to`; whatever differs is somebody else's and stays.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::document::{Metadata, Objects};
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, DenseChunk};

/// Merges by voxel; `None` is air.
pub(super) fn chunk(current: Option<&Chunk>, from: Option<&Chunk>, to: Option<&Chunk>) -> Option<Arc<Chunk>> {
    let (mut merged, from, to) = (DenseChunk::unpack(current), DenseChunk::unpack(from), DenseChunk::unpack(to));
    for column in 0..CHUNK_COLUMNS {
        for z in 0..CHUNK_EDGE as u32 {
            let ours = from.get(column, z);
            if merged.get(column, z) == ours && ours != to.get(column, z) {
                merged.set(column, z, to.get(column, z));
            }
        }
    }
    merged.pack_or_air()
}

/// Merges by object.
pub(super) fn objects(current: &Objects, from: &Objects, to: &Objects) -> Objects {
    if current == from {
        return to.clone();
    }
    let last = current.last_id().zip(to.last_id()).map(|(current, to)| current.max(to));
    let mut merged = current.clone().with_last_id(last);
    let ids: BTreeSet<_> = from.0.keys().chain(to.0.keys()).collect();
    for id in ids {
        if current.0.get(id) == from.0.get(id) {
            match to.0.get(id) {
                Some(object) => merged.0.insert(*id, object.clone()),
                None => merged.0.remove(id),
            };
        }
    }
    merged
}

/// Merges by property.
pub(super) fn metadata(current: &Metadata, from: &Metadata, to: &Metadata) -> Metadata {
    let mut merged = current.clone();
    for ((current, from), to) in current.properties().into_iter().zip(from.properties()).zip(to.properties()) {
        if current == from {
            merged.set(to);
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Anchor, Object, ObjectId, Property, Team};
    use crate::voxel::{Rgb, Voxel};

    fn chunk_of(voxels: &[(usize, u8)]) -> Chunk {
        let mut dense = DenseChunk::empty();
        for &(column, red) in voxels {
            dense.set(column, 5, Some(Voxel::new(Rgb::new(red, 0, 0))));
        }
        dense.pack()
    }

    #[test]
    fn only_voxels_that_are_still_ours_go_back() {
        let before = chunk_of(&[(1, 1)]);
        let ours = chunk_of(&[(1, 9), (2, 9), (3, 9)]);
        let theirs = chunk_of(&[(1, 9), (2, 7), (3, 9), (4, 7)]);
        let merged = chunk(Some(&theirs), Some(&ours), Some(&before)).unwrap();
        assert_eq!(*merged, chunk_of(&[(1, 1), (2, 7), (4, 7)]));
    }

    #[test]
    fn objects_and_properties_of_others_stay() {
        let base = |x| Object::Base { team: Team::Blue, at: Anchor { x, y: 0, z: None } };
        let list = |items: &[(u32, i32)]| items.iter().map(|&(id, x)| (ObjectId(id), base(x))).collect::<Objects>();
        // 1 was moved, 2 and 4 were made, and 5 removed; others moved 2 and made 3.
        let (current, from) = (list(&[(1, 2), (2, 8), (3, 3), (4, 4)]), list(&[(1, 2), (2, 2), (4, 4)]));
        assert_eq!(objects(&current, &from, &list(&[(1, 1), (5, 5)])), list(&[(1, 1), (2, 8), (3, 3), (5, 5)]));
        let named = |name: &str, author: &str| {
            let mut metadata = Metadata::default();
            metadata.set(Property::Name(Some(name.into())));
            metadata.set(Property::Author(Some(author.into())));
            metadata
        };
        assert_eq!(metadata(&named("ours", "theirs"), &named("ours", "a"), &named("old", "a")), named("old", "theirs"));
    }
}
