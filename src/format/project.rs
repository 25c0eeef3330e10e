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

mod reading;
mod spelling;
mod unknown;
mod values;
mod writing;

use std::collections::HashSet;

use serde_yaml::{Mapping, Value};

use self::unknown::Listed;
use self::values::property;
use super::merge::{ObjectKind, is_entity, short_ascii};
use super::yaml::{check_nesting, comments, repeated_key};
use super::{FormatError, MOST_SIDECAR_BYTES, Report, Sidecar};
use crate::document::{Document, Object, ObjectId, Objects, Property, Snapshot};

/// Larger files were not made by Spadework.
///
/// The library takes some 80 bytes of memory for one of the text: that of a map with 40,000 objects beside it fits.
const MAX_BYTES: usize = MOST_SIDECAR_BYTES / 4;
/// Signs between values that a file may have, as many as values at most.
const MAX_SIGNS: usize = 1 << 20;
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

    /// Those of a map's objects, as they are or as they were opened, that belong here, kind by kind.
    fn held(&self, snapshot: &Snapshot, objects: &Objects) -> Vec<Object> {
        self.held_with_ids(snapshot, objects).map(|(_, object)| object).collect()
    }

    fn held_with_ids(&self, snapshot: &Snapshot, objects: &Objects) -> impl Iterator<Item = (ObjectId, Object)> {
        let is_in_map = |id: ObjectId, object: &Object| self.map_has_markers && is_entity(snapshot, id, object);
        // A region without any column is none.
        let is_held = move |id: ObjectId, object: &Object| !is_in_map(id, object) && !object.area().is_empty();
        let of_kind = |kind: ObjectKind| objects.iter().filter(move |(_, object)| ObjectKind::of(object) == kind);
        let of_kinds = self.kinds.iter().flat_map(move |kind| of_kind(*kind));
        of_kinds.filter(move |(id, object)| is_held(*id, object)).map(|(id, object)| (id, self.as_held(object.clone())))
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
        self.read(bytes, document, report)
    }

    fn write(&self, snapshot: &Snapshot, previous: Option<&[u8]>, report: &mut Report) -> Result<Option<Vec<u8>>, FormatError> {
        self.written(snapshot, previous, report)
    }
}

/// An object of a map that has one volume.
fn in_the_one_volume(mut object: Object) -> Object {
    if let Object::Marker { volume, .. } = &mut object {
        *volume = 0;
    }
    object
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

/// Whether a file says something, and nothing that Spadework would.
fn is_foreign(file: &Mapping) -> bool {
    !file.is_empty() && ["spadework", "metadata", "objects"].iter().all(|key| !file.contains_key(*key))
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
