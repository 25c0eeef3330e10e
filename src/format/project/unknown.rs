//! What a project file says that Spadework does not know: somebody wrote it, or a newer version did. It stays.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_ignored::Path;
use serde_yaml::{Mapping, Value};

use super::VERSION;
use super::values::{as_value, property};
use crate::document::{Object, ObjectId};

/// An object as a project file lists it.
pub(super) struct Listed {
    /// What is known of it.
    pub(super) object: Object,
    /// Where the entry says more of it: keys below that of its kind, the outermost first.
    pub(super) more: Vec<Vec<String>>,
}

impl Listed {
    /// Reads an entry of `objects`; `None` if it is no object that Spadework knows.
    pub(super) fn read(entry: &Value) -> Option<Self> {
        // Through JSON: YAML's own form of an enum is a tag, which few tools read.
        let json = serde_json::to_value(entry).ok()?;
        let mut more = vec![];
        let object = serde_ignored::deserialize(json, |path| more.push(keys(&path))).ok()?;
        Some(Self { object, more })
    }
}

fn keys(path: &Path<'_>) -> Vec<String> {
    let (parent, key) = match path {
        Path::Root => return vec![],
        Path::Seq { parent, index } => (parent, index.to_string()),
        Path::Map { parent, key } => (parent, key.clone()),
        Path::Some { parent } | Path::NewtypeStruct { parent } | Path::NewtypeVariant { parent } => return keys(parent),
    };
    let mut keys = keys(parent);
    keys.push(key);
    keys
}

/// What a file says more of its objects than Spadework knows, by object.
#[derive(Default)]
pub(super) struct MoreOfObjects<'a> {
    of_ids: HashMap<ObjectId, (&'a Value, Listed)>,
    /// Number of things that were said of objects and have no place any more.
    pub(super) lost: usize,
}

impl<'a> MoreOfObjects<'a> {
    /// Finds which of the objects that were opened the entries tell of.
    pub(super) fn new(entries: Vec<(&'a Value, Listed)>, opened: impl Iterator<Item = (ObjectId, Object)>) -> Self {
        let mut more = Self::default();
        let entries: Vec<_> = entries.into_iter().filter(|(_, listed)| !listed.more.is_empty()).collect();
        if entries.is_empty() {
            return more;
        }
        let mut ids: HashMap<Object, VecDeque<ObjectId>> = HashMap::new();
        opened.for_each(|(id, object)| ids.entry(object).or_default().push_back(id));
        for (entry, listed) in entries {
            match ids.get_mut(&listed.object).and_then(VecDeque::pop_front) {
                Some(id) => _ = more.of_ids.insert(id, (entry, listed)),
                None => more.lost += listed.more.len(),
            }
        }
        more
    }

    /// What is written of an object, with what the file said more of it.
    pub(super) fn with_more(&mut self, id: ObjectId, object: &Object) -> Option<Value> {
        let mut written = as_value(object)?;
        let Some((entry, listed)) = self.of_ids.get(&id) else { return Some(written) };
        if listed.object == *object {
            return Some((*entry).clone());
        }
        // Of the one kind that it is.
        let body = written.as_mapping_mut().and_then(|written| written.iter_mut().next());
        let mut bodies = body.and_then(|(kind, to)| Some((entry.get(kind)?, to)));
        let is_carried = |keys: &&Vec<String>| bodies.as_mut().is_some_and(|(from, to)| carry(keys, from, to));
        self.lost += listed.more.len() - listed.more.iter().filter(is_carried).count();
        Some(written)
    }
}

/// Puts what one value has under these keys there in the other, too; false if that has no room for it.
fn carry(keys: &[String], from: &Value, to: &mut Value) -> bool {
    let [key, deeper @ ..] = keys else { return false };
    let (Some(said), Some(to)) = (from.get(key), to.as_mapping_mut()) else { return false };
    match to.get_mut(key) {
        Some(to) => carry(deeper, said, to),
        None if deeper.is_empty() => to.insert(key.as_str().into(), said.clone()).is_none(),
        None => false,
    }
}

/// All that a file says that Spadework does not know, with the key where it has one that counts.
pub(super) fn entries(file: &Mapping) -> HashSet<(&str, &Value)> {
    let own = ["spadework", "map", "metadata", "objects"];
    let of_file = file.iter().filter(|(key, _)| own.iter().all(|own| *key != own));
    let metadata = file.get("metadata").and_then(Value::as_mapping).into_iter().flatten();
    let of_metadata = metadata.filter(|(key, value)| key.as_str().and_then(|key| property(key, value)).is_none());
    let named = of_file.chain(of_metadata).map(|(key, value)| (key.as_str().unwrap_or_default(), value));
    let objects = file.get("objects").and_then(Value::as_sequence).into_iter().flatten();
    let odd_objects = objects.filter(|entry| Listed::read(entry).is_none_or(|listed| !listed.more.is_empty()));
    let version = file.get("spadework").filter(|version| version.as_u64().is_none_or(|version| version > VERSION));
    let sections = ["metadata", "objects"].into_iter().filter_map(|key| odd_section(file, key));
    named.chain(odd_objects.chain(version).chain(sections).map(|value| ("", value))).collect()
}

/// What a file says of metadata or objects in a shape that these do not have.
pub(super) fn odd_section<'a>(file: &'a Mapping, key: &str) -> Option<&'a Value> {
    let fits = |value: &Value| if key == "metadata" { value.is_mapping() } else { value.is_sequence() };
    file.get(key).filter(|value| !value.is_null() && !fits(value))
}
