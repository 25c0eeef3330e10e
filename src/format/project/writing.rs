//! What an edited map has to say, put into the bytes of its project file.

use std::collections::HashSet;

use serde_yaml::{Mapping, Value};

use super::unknown::{self, Listed, MoreOfObjects, odd_section};
use super::values::entry;
use super::{BYTE_ORDER_MARK, MAX_BYTES, ProjectYaml, VERSION, entries_of, inline, is_foreign, parse, spelling, text};
use crate::document::{Object, Property, Snapshot};
use crate::format::merge::{ObjectKind, differs, edited_properties, is_entity, is_entity_name, is_unset};
use crate::format::yaml::kept_comments;
use crate::format::{FormatError, Report, Severity};

impl ProjectYaml {
    /// The bytes of the file beside a map, if there are any; see [`Sidecar::write`](crate::format::Sidecar::write).
    pub(super) fn written(
        &self,
        snapshot: &Snapshot,
        previous: Option<&[u8]>,
        report: &mut Report,
    ) -> Result<Option<Vec<u8>>, FormatError> {
        if self.heir.is_some() {
            return Ok(previous.map(<[u8]>::to_vec));
        }
        let is_objects = self.held(snapshot, &snapshot.objects) != self.held(snapshot, &snapshot.opened.objects)
            || previous.is_some_and(|previous| self.has_copies_of_changed(snapshot, previous));
        let (properties, elsewhere): (Vec<Property>, Vec<Property>) = edited_properties(snapshot).into_iter().partition(self.holds);
        if let Some(previous) = previous.filter(|text| !text.is_empty() && !is_objects && properties.is_empty() && elsewhere.is_empty()) {
            return Ok(Some(previous.to_vec()));
        }
        let mut file = previous.map_or_else(|| Ok(Mapping::new()), parse)?;
        if let Some(previous) = previous.filter(|_| self.names_other_map(&file)) {
            if is_objects || !properties.is_empty() {
                let message = "the .spadework.yaml of this name belongs to another map and stays as it is; what was edited is not in it: \
                               save under another name";
                report.push(Severity::Loss, "project-of-other-map", message);
            }
            return Ok(Some(previous.to_vec()));
        }
        if let Some(previous) = previous.filter(|_| is_foreign(&file)) {
            if is_objects || !properties.is_empty() {
                let message = "the .spadework.yaml is no project file of Spadework and stays as it is; what was edited is not in it";
                report.push(Severity::Loss, "not-a-project", message);
            }
            return Ok(Some(previous.to_vec()));
        }
        // What the file said of it before would be read over what the map says now.
        let said = unknown::metadata(&file);
        let is_stale = elsewhere.iter().any(|property| said.is_some_and(|said| said.contains_key(entry(property).0)));
        if let Some(previous) = previous.filter(|text| !text.is_empty() && !is_objects && properties.is_empty() && !is_stale) {
            return Ok(Some(previous.to_vec()));
        }
        let whole = previous.is_none();
        file.entry("spadework".into()).or_insert_with(|| VERSION.into());
        if let Some(kind) = self.map_formats.first().filter(|_| whole || !file.contains_key("map")) {
            // `castle.vmf.spadework.yaml` is that of `castle.vmf`, and not one that a map `castle.vmf.vxl` shared.
            file.insert("map".into(), (*kind).into());
        }
        let is_converted = snapshot.source.as_ref().is_some_and(|source| !self.map_formats.contains(&source.format));
        let properties = if whole { self.held_properties(snapshot, is_converted) } else { properties };
        put_metadata(&properties, &elsewhere, &mut file, report);
        if is_objects || whole {
            self.put_objects(snapshot, is_objects || is_converted, &mut file, report);
        }
        // Nothing to hold is a file only where an earlier save may have left one.
        if whole && file.keys().all(|key| key == "spadework" || key == "map") && (differs(snapshot) || is_converted) {
            return Ok(None);
        }
        let head = previous.map(|previous| head_of(previous, report)).unwrap_or_default();
        let text = in_the_manner_of(previous.unwrap_or_default(), format!("{head}{}", text(&file))).into_bytes();
        if text.len() > MAX_BYTES {
            return Err(FormatError::FileTooLarge { length: text.len() as u64, most: MAX_BYTES as u64 });
        }
        // The library writes some odd texts (a tag after a very long key) that it then reads as something else.
        if parse(&text).ok().as_ref() != Some(&file) {
            return Err(FormatError::Unsupported { what: "changing a project file with keys or tags this odd" });
        }
        Ok(Some(text))
    }

    /// Whether a file lists entities that have changed since: earlier versions put those there whose prototypes have odd names.
    fn has_copies_of_changed(&self, snapshot: &Snapshot, previous: &[u8]) -> bool {
        let has_odd_name = |object: &Object| matches!(object, Object::Marker { label, .. } if !is_entity_name(label));
        let opened = snapshot.opened.objects.iter().filter(|(_, object)| self.map_has_markers && has_odd_name(object));
        let changed = opened.filter(|(id, object)| is_entity(snapshot, *id, object) && snapshot.objects.get(*id) != Some(object));
        let changed: HashSet<&Object> = changed.map(|(_, object)| object).collect();
        let lists = |file: &Mapping| {
            let mut listed = unknown::objects(file).into_iter().flatten().filter_map(Listed::read);
            listed.any(|listed| changed.contains(&listed.object))
        };
        !changed.is_empty() && parse(previous).is_ok_and(|file| !self.names_other_map(&file) && lists(&file))
    }

    /// What a file that was not there before says of the map's properties.
    fn held_properties(&self, snapshot: &Snapshot, is_converted: bool) -> Vec<Property> {
        // Without a project file, a name that was there was the map's own, which takes the new one as well.
        let is_in_map = |property: &Property| {
            let opened = &snapshot.opened.metadata;
            self.map_has_markers
                && !is_converted
                && (matches!(property, Property::Name(_)) && opened.name.is_some()
                    || matches!(property, Property::Author(_)) && opened.author.is_some())
        };
        snapshot.metadata.properties().into_iter().filter(|property| (self.holds)(property) && !is_in_map(property)).collect()
    }

    /// Puts the map's objects into a file, each with what that says of it besides.
    ///
    /// `says_none` is whether a list without any is written, where the file is the whole truth.
    fn put_objects(&self, snapshot: &Snapshot, says_none: bool, file: &mut Mapping, report: &mut Report) {
        let entries = unknown::objects(file).cloned().unwrap_or_default();
        // What other versions or formats put there stays, before our own.
        let (mut foreign, mut own) = (vec![], vec![]);
        for entry in &entries {
            match Listed::read(entry).filter(|listed| self.kinds.contains(&ObjectKind::of(&listed.object))) {
                Some(listed) => own.push((entry, Listed { object: self.as_held(listed.object), ..listed })),
                None => foreign.push(entry.clone()),
            }
        }
        let mut more = MoreOfObjects::new(own, self.held_with_ids(snapshot, &snapshot.opened.objects));
        let own = self.held_with_ids(snapshot, &snapshot.objects).filter_map(|(id, object)| more.with_more(id, &object));
        let entries: Vec<Value> = foreign.into_iter().chain(own).collect();
        let message = "what else the project file said of objects has no place where these are something else now";
        report.push_count(Severity::Loss, "entries-lost", message, more.lost(&snapshot.objects) as u64);
        let is_left_out = entries.is_empty() && !(self.holds_every_kind() && says_none);
        put(file, "objects", is_left_out, Value::Sequence(entries), report);
    }
}

/// Puts properties into a file, and takes those out of it that the map itself tells.
fn put_metadata(properties: &[Property], elsewhere: &[Property], file: &mut Mapping, report: &mut Report) {
    let mut metadata = unknown::metadata(file).cloned().unwrap_or_default();
    for property in properties {
        let (key, value) = entry(property);
        if is_unset(property) {
            metadata.remove(key);
        } else {
            metadata.insert(key.into(), value);
        }
    }
    for property in elsewhere {
        metadata.remove(entry(property).0);
    }
    put(file, "metadata", metadata.is_empty(), Value::Mapping(metadata), report);
}

/// The comments before the entries of a file that is written anew; of all else that it loses by that it is told.
fn head_of(previous: &[u8], report: &mut Report) -> String {
    let (head, lost) = kept_comments(previous, entries_of);
    report.push_count(
        Severity::Loss,
        "comments-lost",
        "comments in the project file, but for those before its entries, are not kept",
        lost,
    );
    let before = str::from_utf8(previous).ok().zip(entries_of(previous));
    let respelled = before.map(|(text, file)| spelling::respelled(text, &file)).unwrap_or_default();
    if let Some(first) = respelled.first() {
        let message = format!("numbers in the project file are written in another way ({first})");
        report.push_count(Severity::Loss, "respelled", message, respelled.len() as u64);
    }
    head
}

/// A text with the byte order mark and the line ends of the file before.
fn in_the_manner_of(previous: &[u8], text: String) -> String {
    let (mark, rest) = if previous.starts_with(BYTE_ORDER_MARK.as_bytes()) { (BYTE_ORDER_MARK, &previous[3..]) } else { ("", previous) };
    let first_line = rest.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    if first_line.ends_with(b"\r\n") { mark.to_owned() + &text.replace('\n', "\r\n") } else { mark.to_owned() + &text }
}

/// Puts a section in the place of the one that was there; one that cannot be read stays as long as nothing is to come there.
fn put(file: &mut Mapping, key: &str, is_empty: bool, value: Value, report: &mut Report) {
    if let Some(odd) = odd_section(file, key) {
        if is_empty {
            return;
        }
        let message = format!("what the project file had as {key} ({}) could not be read and is replaced", inline(odd));
        report.push(Severity::Loss, "section-replaced", message);
    }
    if is_empty {
        file.remove(key);
    } else {
        file.insert(key.into(), value);
    }
}
