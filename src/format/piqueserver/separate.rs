//! The edits of a map one by one, for a script that takes some and not others: each property, what each question of the
//! server is about, and the territories.

use std::mem::discriminant;
use std::sync::Arc;

use super::metadata;
use super::places::Key;
use super::template::Group;
use crate::document::{Object, Objects, Property, Snapshot};
use crate::format::merge::{ObjectKind, edited_properties};

/// Something edited that a script takes or does not.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// A property, with its value.
    Property(Property),
    /// What the server asks the script for.
    Places(Key),
    /// The territories.
    Territories,
}

impl Edit {
    /// Whether it is about an object.
    fn is_of(&self, object: &Object) -> bool {
        match self {
            Self::Property(_) => false,
            Self::Places(key) => key.is_of(object),
            Self::Territories => Group::Territories.kinds().contains(&ObjectKind::of(object)),
        }
    }
}

/// Everything that a script would hold and that was edited since the map was opened.
pub fn edits(snapshot: &Snapshot) -> Vec<Edit> {
    let properties = edited_properties(snapshot).into_iter().filter(|property| metadata::key(property).is_some()).map(Edit::Property);
    let of = |objects: &Objects, edit: &Edit| -> Vec<Object> {
        objects.iter().map(|(_, object)| object).filter(|object| edit.is_of(object)).cloned().collect()
    };
    let is_edited = |edit: &Edit| of(&snapshot.objects, edit) != of(&snapshot.opened.objects, edit);
    let places = Key::ALL.into_iter().map(Edit::Places).chain([Edit::Territories]).filter(is_edited);
    properties.chain(places).collect()
}

/// The map without some of its edits.
pub fn without(snapshot: &Snapshot, edits: &[Edit]) -> Snapshot {
    let mut map = snapshot.clone();
    let (metadata, objects) = (Arc::make_mut(&mut map.metadata), Arc::make_mut(&mut map.objects));
    for edit in edits {
        if let Edit::Property(property) = edit {
            let before = snapshot.opened.metadata.properties().into_iter().find(|before| discriminant(before) == discriminant(property));
            before.into_iter().for_each(|before| _ = metadata.set(before));
            continue;
        }
        objects.0.retain(|_, object| !edit.is_of(object));
        for (id, object) in snapshot.opened.objects.iter().filter(|(_, object)| edit.is_of(object)) {
            // Its number may be that of another object by now.
            if objects.get(id).is_some() {
                objects.push(object.clone());
            } else {
                objects.0.insert(id, object.clone());
            }
        }
    }
    map
}
