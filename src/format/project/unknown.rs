//! What a project file says that Spadework does not know: somebody wrote it, or a newer version did. It stays.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_ignored::Path;
use serde_yaml::{Mapping, Value};

use super::VERSION;
use super::values::{as_value, property};
use crate::document::{Object, ObjectId, Objects};

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
    lost: usize,
}

impl<'a> MoreOfObjects<'a> {
    /// Finds which of the objects that were opened the entries tell of: equal ones stand in one order in both.
    pub(super) fn new(entries: Vec<(&'a Value, Listed)>, opened: impl Iterator<Item = (ObjectId, Object)>) -> Self {
        let mut more = Self::default();
        if entries.iter().all(|(_, listed)| listed.more.is_empty()) {
            return more;
        }
        let mut ids: HashMap<Object, VecDeque<ObjectId>> = HashMap::new();
        opened.for_each(|(id, object)| ids.entry(object).or_default().push_back(id));
        for (entry, listed) in entries {
            match ids.get_mut(&listed.object).and_then(VecDeque::pop_front) {
                Some(_) if listed.more.is_empty() => {}
                Some(id) => _ = more.of_ids.insert(id, (entry, listed)),
                None => more.lost += listed.more.len(),
            }
        }
        more
    }

    /// What is written of an object, with what the file said more of it.
    pub(super) fn with_more(&mut self, id: ObjectId, object: &Object) -> Option<Value> {
        let mut written = as_value(object)?;
        let Some((entry, listed)) = self.of_ids.remove(&id) else { return Some(written) };
        if listed.object == *object {
            return Some(entry.clone());
        }
        // Of the one kind that it is.
        let body = written.as_mapping_mut().and_then(|written| written.iter_mut().next());
        let mut bodies = body.and_then(|(kind, to)| Some((entry.get(kind)?, to)));
        let is_carried = |keys: &&Vec<String>| bodies.as_mut().is_some_and(|(from, to)| carry(keys, from, to));
        self.lost += listed.more.len() - listed.more.iter().filter(is_carried).count();
        Some(written)
    }

    /// Number of things that have no place any more, once all objects are written: what is said of an object that was removed
    /// goes with it, what is said of one that belongs into another file now is lost.
    pub(super) fn lost(&self, objects: &Objects) -> usize {
        let elsewhere = self.of_ids.iter().filter(|(id, _)| objects.get(**id).is_some());
        self.lost + elsewhere.map(|(_, (_, listed))| listed.more.len()).sum::<usize>()
    }
}

/// Puts what one value has under these keys there in the other, too; false if that has no room for it.
fn carry(keys: &[String], from: &Value, to: &mut Value) -> bool {
    let [name, deeper @ ..] = keys else { return false };
    let (Some((key, said)), Some(to)) = (named(from, name), to.as_mapping_mut()) else { return false };
    match to.get_mut(key) {
        Some(to) => carry(deeper, said, to),
        None if deeper.is_empty() => to.insert(key.clone(), said.clone()).is_none(),
        None => false,
    }
}

/// What a mapping has under a name as JSON gives it: keys that are numbers have one, too.
fn named<'a>(value: &'a Value, name: &str) -> Option<(&'a Value, &'a Value)> {
    let is_it = |key: &Value| match key {
        Value::String(key) => key == name,
        Value::Bool(key) => key.to_string() == name,
        Value::Number(key) => key.to_string() == name,
        _ => false,
    };
    value.as_mapping()?.iter().find(|(key, _)| is_it(key))
}

/// All that a file says that Spadework does not know, each with its key: what is said of an object, also where that is edited.
pub(super) fn entries(file: &Mapping) -> HashSet<(String, &Value)> {
    let own = ["spadework", "map", "metadata", "objects"];
    let of_file = file.iter().filter(|(key, _)| own.iter().all(|own| *key != own));
    let of_metadata =
        metadata(file).into_iter().flatten().filter(|(key, value)| key.as_str().and_then(|key| property(key, value)).is_none());
    let named = of_file.chain(of_metadata).map(|(key, value)| (key.as_str().unwrap_or_default().to_owned(), value));
    let objects = objects(file).into_iter().flatten();
    let version = file.get("spadework").filter(|version| version.as_u64().is_none_or(|version| version > VERSION));
    let sections = ["metadata", "objects"].into_iter().filter_map(|key| odd_section(file, key));
    let unnamed = version.into_iter().chain(sections).map(|value| (String::new(), value));
    named.chain(unnamed).chain(objects.flat_map(of_object)).collect()
}

/// What an entry of `objects` says that Spadework does not know.
fn of_object(entry: &Value) -> Vec<(String, &Value)> {
    let Some(listed) = Listed::read(entry) else { return vec![(String::new(), entry)] };
    let body = entry.as_mapping().and_then(|entry| entry.values().next());
    let said = |keys: &Vec<String>| keys.iter().try_fold(body?, |value, key| Some(named(value, key)?.1));
    listed.more.iter().map(|keys| (keys.join("."), said(keys).unwrap_or(entry))).collect()
}

/// What a file says of metadata or objects in a shape that these do not have; a tag makes something else of it.
pub(super) fn odd_section<'a>(file: &'a Mapping, key: &str) -> Option<&'a Value> {
    let is_odd = if key == "metadata" { metadata(file).is_none() } else { objects(file).is_none() };
    file.get(key).filter(|value| !value.is_null() && is_odd)
}

/// The metadata of a file.
pub(super) fn metadata(file: &Mapping) -> Option<&Mapping> {
    file.get("metadata").and_then(|value| if let Value::Mapping(metadata) = value { Some(metadata) } else { None })
}

/// The objects of a file.
pub(super) fn objects(file: &Mapping) -> Option<&Vec<Value>> {
    file.get("objects").and_then(|value| if let Value::Sequence(objects) = value { Some(objects) } else { None })
}
