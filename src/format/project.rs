//! `name.vxl.spadework.yaml`, `name.vmf.spadework.yaml`, `name.ss14.spadework.yaml`: what no game file of the map can hold. Small, sorted,
//! safe to delete.
//!
//! ```yaml
//! spadework: 1
//! metadata:
//!   description: text
//! objects:
//! - marker:
//!     label: bridge
//!     at: {x: 1, y: 2}
//! ```
//!
//! Beside a VXL it holds markers and the game mode: the rest is in `name.txt`. Beside a VMF, which has
//! room for name, author, game mode and one box, it holds all objects and the other metadata, and a name
//! or author that the header must shorten. Beside a map of Space Station 14 it holds the metadata, and the objects that are no entities.
//! Keys that are not known are kept, those of an object for as long as it is there. Maps of one name and of different kinds shared one file once, `name.spadework.yaml`, whose entry `map`
//! said at most whether it was a station's or a voxel map's (`station`, `voxels`; today `vxl`, `vmf`, `ss14`). It is read where a map has none of its own, and is never
//! written: what it says goes into the map's own once something of it is edited.

mod spelling;
mod unknown;
mod values;

use std::collections::HashSet;
use std::sync::Arc;

use serde_yaml::{Mapping, Value};

use self::unknown::{Listed, MoreOfObjects, odd_section};
use self::values::{entry, property};
use super::merge::{
    ObjectKind, differs, edited_properties, is_entity_name, is_unset, replace_objects, set_property, short_ascii, spawn_box,
};
use super::yaml::{check_nesting, comments, kept_comments, lines_of_items, lines_of_keys, repeated_key};
use super::{FormatError, MOST_SIDECAR_BYTES, Report, Severity, Sidecar};
use crate::document::{Document, Object, ObjectId, Objects, Property, Snapshot, Team, some};

/// Larger files were not made by Spadework.
///
/// The library takes some 80 bytes of memory for one of the text: that of a map with 40,000 objects beside it fits.
const MAX_BYTES: usize = MOST_SIDECAR_BYTES / 4;
/// Signs between values that a file may have, as many as values at most.
const MAX_SIGNS: usize = 1 << 20;
/// Objects of which each is told by itself what is wrong with it.
const MOST_TOLD: usize = 20;
/// The form of the file; a larger number is read as far as it is understood.
const VERSION: u64 = 1;
/// Entries of `metadata`.
const KEYS: [&str; 9] = ["name", "author", "version", "description", "fog", "game_mode", "protected", "cap_limit", "time_limit"];
const BYTE_ORDER_MARK: &str = "\u{feff}";
/// Ending of the name of the file that maps of one name shared.
const SHARED: &str = ".spadework.yaml";
/// Name of the file in messages.
const FILE: &str = "project file (.spadework.yaml)";

/// The project file beside maps of one format.
#[derive(Clone, Copy, Debug)]
pub struct ProjectYaml {
    id: &'static str,
    suffix: &'static str,
    /// Id of the one that is written in place of a shared one.
    heir: Option<&'static str>,
    map_formats: &'static [&'static str],
    kinds: &'static [ObjectKind],
    holds: fn(&Property) -> bool,
    /// Whether the map file itself has markers, those of entities: what is here comes on top of them.
    map_has_markers: bool,
}

/// Beside a VXL.
pub const BESIDE_VXL: ProjectYaml = ProjectYaml {
    id: "project-vxl",
    suffix: ".vxl.spadework.yaml",
    heir: None,
    map_formats: &["vxl"],
    kinds: &[ObjectKind::Marker],
    // Capture the flag is what a map is for that says nothing.
    holds: |property| matches!(property, Property::GameMode(Some(mode)) if mode.number() != 0),
    map_has_markers: false,
};

/// Beside a VMF.
pub const BESIDE_VMF: ProjectYaml = ProjectYaml {
    id: "project-vmf",
    suffix: ".vmf.spadework.yaml",
    heir: None,
    map_formats: &["vmf"],
    kinds: &ObjectKind::ALL,
    holds: |property| match property {
        Property::Name(Some(text)) | Property::Author(Some(text)) => short_ascii(text) != *text,
        Property::Name(None) | Property::Author(None) | Property::GameMode(_) => false,
        _ => true,
    },
    map_has_markers: false,
};

/// Beside a map of Space Station 14, which holds entities, and a name only in its oldest formats.
pub const BESIDE_SS14: ProjectYaml = ProjectYaml {
    id: "project-ss14",
    suffix: ".ss14.spadework.yaml",
    heir: None,
    map_formats: &["ss14"],
    kinds: &ObjectKind::ALL,
    holds: |_| true,
    map_has_markers: true,
};

/// The file that maps of one name shared, as a VXL reads it.
pub const SHARED_WITH_VXL: ProjectYaml = ProjectYaml { id: "project-vxl-shared", suffix: SHARED, heir: Some(BESIDE_VXL.id), ..BESIDE_VXL };
/// The same, as a VMF reads it.
pub const SHARED_WITH_VMF: ProjectYaml = ProjectYaml { id: "project-vmf-shared", suffix: SHARED, heir: Some(BESIDE_VMF.id), ..BESIDE_VMF };
/// The same, as a station reads it.
pub const SHARED_WITH_SS14: ProjectYaml =
    ProjectYaml { id: "project-ss14-shared", suffix: SHARED, heir: Some(BESIDE_SS14.id), ..BESIDE_SS14 };

impl ProjectYaml {
    /// Whether the list of objects here is the whole truth, before what the map's header says.
    fn holds_every_kind(&self) -> bool {
        self.kinds == ObjectKind::ALL && !self.map_has_markers
    }

    /// Whether a file says that it belongs to a map of another kind.
    fn names_other_map(&self, file: &Mapping) -> bool {
        let shared = if self.map_has_markers { "station" } else { "voxels" };
        let is_own = |kind: &str| kind == shared || self.map_formats.contains(&kind);
        file.get("map")
            .and_then(Value::as_str)
            .is_some_and(|kind| !is_own(kind) && ["station", "voxels", "vxl", "vmf", "ss14"].contains(&kind))
    }

    /// The objects that belong here, kind by kind.
    fn held(&self, objects: &Objects) -> Vec<Object> {
        self.held_with_ids(objects).map(|(_, object)| object).collect()
    }

    fn held_with_ids(&self, objects: &Objects) -> impl Iterator<Item = (ObjectId, Object)> {
        let is_in_map = |object: &Object| matches!(object, Object::Marker { label, .. } if self.map_has_markers && (label.is_empty() || is_entity_name(label)));
        // A region without any column is none.
        let is_held = move |object: &Object| !is_in_map(object) && !object.area().is_empty();
        let of_kind = |kind: ObjectKind| objects.iter().filter(move |(_, object)| ObjectKind::of(object) == kind);
        let of_kinds = self.kinds.iter().flat_map(move |kind| of_kind(*kind));
        of_kinds.filter(move |(_, object)| is_held(object)).map(|(id, object)| (id, self.as_held(object.clone())))
    }

    /// An object as the file names it: a map that has no entities has one volume.
    fn as_held(&self, object: Object) -> Object {
        if self.map_has_markers { object } else { in_the_one_volume(object) }
    }
}

impl Sidecar for ProjectYaml {
    fn id(&self) -> &'static str {
        self.id
    }

    fn kind(&self) -> &'static str {
        "project"
    }

    fn label(&self) -> &'static str {
        "Spadework project"
    }

    fn suffix(&self) -> &'static str {
        self.suffix
    }

    fn accompanies(&self) -> &'static [&'static str] {
        self.map_formats
    }

    fn most_bytes(&self) -> usize {
        MAX_BYTES
    }

    fn made_when_missing(&self, map_format: &str) -> bool {
        self.heir.is_none() && self.map_formats.contains(&map_format)
    }

    fn superseded_by(&self) -> Option<&'static str> {
        self.heir
    }

    fn goes_along(&self) -> bool {
        // Beside its heir it is that of another map of the same name.
        self.heir.is_none()
    }

    fn holds_all(&self) -> bool {
        self.kinds == ObjectKind::ALL && self.heir.is_none()
    }

    fn is_ours(&self, bytes: &[u8]) -> bool {
        parse(bytes).is_ok_and(|file| !is_foreign(&file) && !self.names_other_map(&file))
    }

    fn is_of_other_map(&self, bytes: &[u8]) -> bool {
        parse(bytes).is_ok_and(|file| self.names_other_map(&file))
    }

    fn says_something(&self, bytes: &[u8], _map: &Snapshot) -> bool {
        parse(bytes).is_ok_and(|file| !file.is_empty() && !is_foreign(&file) && !self.names_other_map(&file))
    }

    fn keeps_handwriting(&self, there: &[u8], new: &[u8]) -> bool {
        // One look each: to find the comments of a file is to read it many times.
        let comments = |bytes| HashSet::<String>::from_iter(comments(bytes, entries_of));
        let files = || Some((entries_of(there)?, entries_of(new)?));
        let keeps_entries = |(there, new)| unknown::entries(&there).is_subset(&unknown::entries(&new));
        there == new || self.is_ours(there) && files().is_some_and(keeps_entries) && comments(there).is_subset(&comments(new))
    }

    fn says_only_what_is_known(&self, bytes: &[u8], opened: &Snapshot) -> bool {
        let Ok(file) = parse(bytes) else { return false };
        let known = opened.metadata.properties();
        let is_known_property = |(key, value): (&Value, &Value)| {
            let said = key.as_str().and_then(|key| property(key, value));
            said.is_some_and(|said| known.contains(&said))
        };
        let objects: HashSet<&Object> = opened.objects.iter().map(|(_, object)| object).collect();
        let is_known_object = |entry: &Value| Listed::read(entry).is_some_and(|listed| objects.contains(&listed.object));
        self.is_ours(bytes)
            && unknown::entries(&file).is_empty()
            && unknown::metadata(&file).is_none_or(|said| said.iter().all(is_known_property))
            && unknown::objects(&file).is_none_or(|said| said.iter().all(is_known_object))
            && comments(bytes, entries_of).is_empty()
    }

    fn apply(&self, bytes: &[u8], document: &mut Document, report: &mut Report) -> Result<(), FormatError> {
        let file = parse(bytes)?;
        let text = str::from_utf8(bytes).unwrap_or_default();
        if is_foreign(&file) {
            let message =
                "the .spadework.yaml beside the map is no project file of Spadework: it has no entry spadework; it is left as it is";
            report.push(Severity::Guess, "not-a-project", message);
            return Ok(());
        }
        if self.names_other_map(&file) {
            let message = "the .spadework.yaml of this name belongs to another map, of the other kind; it is left as it is";
            report.push(Severity::Info, "project-of-other-map", message);
            return Ok(());
        }
        if file.get("spadework").and_then(Value::as_u64).is_some_and(|version| version > VERSION) {
            report.push(Severity::Guess, "newer-project", "the project file is from a newer Spadework; what is not known is kept");
        }
        if let Some(version) = file.get("spadework").filter(|version| version.as_u64().is_none()) {
            let message = format!("the project file has {} as spadework, which is no version; it is read as one of today", inline(version));
            report.push(Severity::Guess, "not-understood", message);
        }
        for key in ["metadata", "objects"] {
            if let Some(value) = odd_section(&file, key) {
                let shape = if key == "metadata" { "a mapping" } else { "a list" };
                let message = format!("the project file has {} as {key}, which is not {shape}; it is not read", inline(value));
                let line = text
                    .trim_start_matches(BYTE_ORDER_MARK)
                    .lines()
                    .position(|line| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':')));
                told(Severity::Guess, "not-understood", message, line.map(|line| line + 1), report);
            }
        }
        if let Some(metadata) = unknown::metadata(&file) {
            let lines = lines_of_keys(text, "metadata");
            for (key, value) in metadata {
                match key.as_str().and_then(|key| property(key, value)) {
                    // The header says as much of it as it has room for: no disagreement.
                    Some(property) if lengthens(&property, document) => {
                        Arc::make_mut(&mut document.metadata).set(property);
                    }
                    Some(property) => set_property(document, property, FILE, report),
                    None => {
                        let (key, said) = (inline(key), inline(value));
                        let message = if KEYS.contains(&key.as_str()) {
                            format!("the project file has {said} as {key}, which is none; it is kept")
                        } else {
                            format!("the project file has an entry {key} of metadata that is not known; it is kept")
                        };
                        told(Severity::Guess, "not-understood", message, lines.get(&*key).copied(), report);
                    }
                }
            }
        }
        let Some(entries) = unknown::objects(&file) else { return Ok(()) };
        let (mut objects, mut wrong): (Vec<Object>, _) = (vec![], 0);
        // Of very many each costs its line, and nobody reads them.
        let mut told = |severity: Severity, code: &'static str, message: &dyn Fn() -> String, line: Option<usize>| {
            wrong += 1;
            if wrong <= MOST_TOLD {
                told(severity, code, message(), line, report);
            }
        };
        let mut lines = lines_of_items(text, "objects");
        for (number, entry) in entries.iter().enumerate() {
            let line = lines.next();
            let listed = Listed::read(entry);
            if let Some(more) = listed.as_ref().map(|listed| &listed.more).filter(|more| !more.is_empty()) {
                let message = || {
                    let more: Vec<String> = more.iter().map(|keys| keys.join(".")).collect();
                    format!(
                        "object {} of the project file has {}, which is not known; it is kept with the object",
                        number + 1,
                        more.join(", ")
                    )
                };
                told(Severity::Guess, "not-understood", &message, line);
            }
            match listed.map(|listed| listed.object) {
                Some(object) if object.area().is_empty() => {
                    let message = || format!("object {} of the project file is a region without any column; it is left out", number + 1);
                    told(Severity::Repair, "empty-region", &message, line);
                }
                // Entities are in the station itself: it was never written with them.
                Some(Object::Marker { label, .. }) if self.map_has_markers && is_entity_name(&label) => {
                    let message = || {
                        let number = number + 1;
                        format!("object {number} of the project file ({label}) is an entity, which a station holds itself; it is left out")
                    };
                    told(Severity::Guess, "entity-beside-station", &message, line);
                }
                Some(object) => objects.push(object),
                None => {
                    let message = || format!("object {} of the project file is not known ({}); it is kept", number + 1, inline(entry));
                    told(Severity::Guess, "not-understood", &message, line);
                }
            }
        }
        let more = (wrong as u64).saturating_sub(MOST_TOLD as u64);
        let message =
            format!("{} not known, or left out", some(more, "more object of the project file is", "more objects of the project file are"));
        report.push_count(Severity::Guess, "not-understood", message, more);
        for kind in ObjectKind::ALL {
            let of_kind: Vec<Object> = objects.iter().filter(|object| ObjectKind::of(object) == kind).cloned().collect();
            // A list that leaves a kind out says that there is none, where it is the whole truth: the header of a VMF
            // always names a region, also for a map that has none of its own.
            if kind == ObjectKind::Marker && self.map_has_markers {
                add_objects(document, of_kind);
            } else if kind == ObjectKind::Spawn && self.holds_every_kind() && boxes_agree(document, &of_kind) {
                // The header has room for one box: no disagreement.
                replace_objects(document, kind, of_kind, FILE, &mut Report::new());
            } else if !of_kind.is_empty() || self.holds_every_kind() {
                replace_objects(document, kind, of_kind, FILE, report);
            }
        }
        Ok(())
    }

    fn write(&self, snapshot: &Snapshot, previous: Option<&[u8]>, report: &mut Report) -> Result<Option<Vec<u8>>, FormatError> {
        if self.heir.is_some() {
            return Ok(previous.map(<[u8]>::to_vec));
        }
        let is_objects = self.held(&snapshot.objects) != self.held(&snapshot.opened.objects);
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
        let mut metadata = unknown::metadata(&file).cloned().unwrap_or_default();
        let is_converted = snapshot.source.as_ref().is_some_and(|source| !self.map_formats.contains(&source.format));
        // Without a project file, a name that was there was the map's own, which takes the new one as well.
        let is_in_map = |property: &&Property| {
            let opened = &snapshot.opened.metadata;
            self.map_has_markers
                && !is_converted
                && (matches!(property, Property::Name(_)) && opened.name.is_some()
                    || matches!(property, Property::Author(_)) && opened.author.is_some())
        };
        let all = || snapshot.metadata.properties().into_iter().filter(self.holds);
        for property in if whole { all().filter(|property| !is_in_map(&property)).collect() } else { properties } {
            let (key, value) = entry(&property);
            if is_unset(&property) {
                metadata.remove(key);
            } else {
                metadata.insert(key.into(), value);
            }
        }
        for property in &elsewhere {
            metadata.remove(entry(property).0);
        }
        if let Some(kind) = self.map_formats.first().filter(|_| whole || !file.contains_key("map")) {
            // `castle.vmf.spadework.yaml` is that of `castle.vmf`, and not one that a map `castle.vmf.vxl` shared.
            file.insert("map".into(), (*kind).into());
        }
        put(&mut file, "metadata", metadata.is_empty(), Value::Mapping(metadata), report);
        if is_objects || whole {
            let entries = unknown::objects(&file).cloned().unwrap_or_default();
            // What other versions or formats put there stays, before our own.
            let (mut foreign, mut own) = (vec![], vec![]);
            for entry in &entries {
                match Listed::read(entry).filter(|listed| self.kinds.contains(&ObjectKind::of(&listed.object))) {
                    Some(listed) => own.push((entry, Listed { object: self.as_held(listed.object), ..listed })),
                    None => foreign.push(entry.clone()),
                }
            }
            let mut more = MoreOfObjects::new(own, self.held_with_ids(&snapshot.opened.objects));
            let own = self.held_with_ids(&snapshot.objects).filter_map(|(id, object)| more.with_more(id, &object));
            let entries: Vec<Value> = foreign.into_iter().chain(own).collect();
            let message = "what else the project file said of objects has no place where these are something else now";
            report.push_count(Severity::Loss, "entries-lost", message, more.lost(&snapshot.objects) as u64);
            let says_none = self.holds_every_kind() && (is_objects || is_converted);
            put(&mut file, "objects", entries.is_empty() && !says_none, Value::Sequence(entries), report);
        }
        // Nothing to hold is a file only where an earlier save may have left one.
        if whole && file.keys().all(|key| key == "spadework" || key == "map") && (differs(snapshot) || is_converted) {
            return Ok(None);
        }
        let (head, lost) = previous.map_or_else(Default::default, |previous| kept_comments(previous, entries_of));
        report.push_count(
            Severity::Loss,
            "comments-lost",
            "comments in the project file, but for those before its entries, are not kept",
            lost,
        );
        let before = previous.and_then(|previous| Some((str::from_utf8(previous).ok()?, entries_of(previous)?)));
        let respelled = before.map(|(text, file)| spelling::respelled(text, &file)).unwrap_or_default();
        if let Some(first) = respelled.first() {
            let message = format!("numbers in the project file are written in another way ({first})");
            report.push_count(Severity::Loss, "respelled", message, respelled.len() as u64);
        }
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
}

/// A text with the byte order mark and the line ends of the file before.
fn in_the_manner_of(previous: &[u8], text: String) -> String {
    let (mark, rest) = if previous.starts_with(BYTE_ORDER_MARK.as_bytes()) { (BYTE_ORDER_MARK, &previous[3..]) } else { ("", previous) };
    let first_line = rest.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    if first_line.ends_with(b"\r\n") { mark.to_owned() + &text.replace('\n', "\r\n") } else { mark.to_owned() + &text }
}

/// An object of a map that has one volume.
fn in_the_one_volume(mut object: Object) -> Object {
    if let Object::Marker { volume, .. } = &mut object {
        *volume = 0;
    }
    object
}

/// Whether the document has of a name or author what the header of a VMF has room for.
fn lengthens(property: &Property, document: &Document) -> bool {
    let (text, said) = match property {
        Property::Name(Some(text)) => (text, &document.metadata.name),
        Property::Author(Some(text)) => (text, &document.metadata.author),
        _ => return false,
    };
    said.as_deref().is_some_and(|said| said == short_ascii(text))
}

/// Whether the header of a VMF says of spawns what it has room for: the box around each team's, or nothing.
fn boxes_agree(document: &Document, spawns: &[Object]) -> bool {
    let mut listed = Objects::default();
    spawns.iter().for_each(|spawn| _ = listed.push(spawn.clone()));
    let said = |team| spawn_box(&document.objects, team);
    Team::ALL.into_iter().all(|team| said(team).is_none() || said(team) == spawn_box(&listed, team))
}

/// Adds the objects that the map does not have already.
fn add_objects(document: &mut Document, new: Vec<Object>) {
    let known: HashSet<Object> = document.objects.iter().map(|(_, object)| object.clone()).collect();
    let mut seen = HashSet::new();
    // Equal ones come last, so that all others have the ids that they had in earlier versions.
    let (first, again): (Vec<Object>, Vec<Object>) = new.into_iter().partition(|object| seen.insert(object.clone()));
    for object in first.into_iter().chain(again).filter(|object| !known.contains(object)) {
        Arc::make_mut(&mut document.objects).push(object);
    }
}

/// A value in a few letters, for a message.
fn inline(value: &Value) -> String {
    const MOST: usize = 40;
    let text = match value {
        Value::String(text) => text.clone(),
        value => serde_json::to_string(value).unwrap_or_default(),
    };
    if text.chars().count() <= MOST { text } else { text.chars().take(MOST - 1).chain(['…']).collect() }
}

/// Says something about a line, where that is known.
fn told(severity: Severity, code: &'static str, message: String, line: Option<usize>, report: &mut Report) {
    match line {
        Some(line) => report.push_line(severity, code, message, line),
        None => report.push(severity, code, message),
    }
}

/// Whether a file says something, and nothing that Spadework would.
fn is_foreign(file: &Mapping) -> bool {
    !file.is_empty() && ["spadework", "metadata", "objects"].iter().all(|key| !file.contains_key(*key))
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

fn parse(bytes: &[u8]) -> Result<Mapping, FormatError> {
    if bytes.len() > MAX_BYTES {
        return Err(FormatError::FileTooLarge { length: bytes.len() as u64, most: MAX_BYTES as u64 });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        FormatError::Syntax { line: before.iter().filter(|byte| **byte == b'\n').count() + 1, column: 1, expected: "UTF-8 text" }
    })?;
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    check_nesting(text)?;
    let signs = text.bytes().filter(|byte| matches!(byte, b'-' | b',' | b':' | b'[' | b'{')).count();
    if signs > MAX_SIGNS {
        return Err(FormatError::Unsupported { what: "a project file with more than a million values" });
    }
    let value: Value = serde_yaml::from_str(text).map_err(|error| {
        // The library names the mapping's first line.
        if error.to_string().contains("duplicate entry")
            && let Some((line, key)) = repeated_key(text)
        {
            return FormatError::RepeatedKey { line, key: key.into() };
        }
        let (line, column) = error.location().map_or((1, 1), |place| (place.line(), place.column()));
        FormatError::Syntax { line: line.max(1), column: column.max(1), expected: "well-formed YAML" }
    })?;
    match value {
        Value::Null => Ok(Mapping::new()),
        Value::Mapping(file) => Ok(file),
        _ => Err(FormatError::Syntax { line: 1, column: 1, expected: "a mapping" }),
    }
}

fn entries_of(bytes: &[u8]) -> Option<Mapping> {
    parse(bytes).ok()
}

fn text(file: &Mapping) -> String {
    // A mapping of plain values always has a text.
    serde_yaml::to_string(file).unwrap_or_default()
}

#[cfg(test)]
mod tests;
