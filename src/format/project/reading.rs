//! What a project file says, put into the map that it lies beside.

use std::collections::HashSet;
use std::sync::Arc;

use serde_yaml::{Mapping, Value};

use super::unknown::{self, Listed, odd_section};
use super::values::property;
use super::{BYTE_ORDER_MARK, FILE, KEYS, ProjectYaml, VERSION, inline, is_foreign, parse};
use crate::document::{Document, Object, Objects, Property, Team, some};
use crate::format::merge::{ObjectKind, is_entity_name, replace_objects, set_property, short_ascii, spawn_box};
use crate::format::yaml::{lines_of_items, lines_of_keys};
use crate::format::{FormatError, Report, Severity};

/// Objects of which each is told by itself what is wrong with it.
pub(super) const MOST_TOLD: usize = 20;

impl ProjectYaml {
    /// Puts into a document what the bytes of a file say; see [`Sidecar::apply`](crate::format::Sidecar::apply).
    pub(super) fn read(&self, bytes: &[u8], document: &mut Document, report: &mut Report) -> Result<(), FormatError> {
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
        tell_version(&file, report);
        tell_odd_sections(&file, text, report);
        if let Some(metadata) = unknown::metadata(&file) {
            read_metadata(metadata, text, document, report);
        }
        if let Some(entries) = unknown::objects(&file) {
            let objects = self.read_objects(entries, text, report);
            self.place_objects(&objects, document, report);
        }
        Ok(())
    }

    /// The objects of a list that belong into the map; of all else it is told what becomes of it.
    fn read_objects(&self, entries: &[Value], text: &str, report: &mut Report) -> Vec<Object> {
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
        objects
    }

    /// Puts the objects of a file in the place of those that the map has from elsewhere, or beside them.
    fn place_objects(&self, objects: &[Object], document: &mut Document, report: &mut Report) {
        for kind in ObjectKind::ALL {
            let of_kind: Vec<Object> = objects.iter().filter(|object| ObjectKind::of(object) == kind).cloned().collect();
            // A list that leaves a kind out says that there is none, where it is the whole truth: the header of a VMF
            // always names a region, also for a map that has none of its own.
            if kind == ObjectKind::Marker && self.map_has_markers {
                add_objects(document, of_kind, report);
            } else if kind == ObjectKind::Spawn && self.holds_every_kind() && boxes_agree(document, &of_kind) {
                // The header has room for one box: no disagreement.
                replace_objects(document, kind, of_kind, FILE, &mut Report::new());
            } else if !of_kind.is_empty() || self.holds_every_kind() {
                replace_objects(document, kind, of_kind, FILE, report);
            }
        }
    }
}

/// Tells of a file that is from a newer Spadework, or of no version.
fn tell_version(file: &Mapping, report: &mut Report) {
    if file.get("spadework").and_then(Value::as_u64).is_some_and(|version| version > VERSION) {
        report.push(Severity::Guess, "newer-project", "the project file is from a newer Spadework; what is not known is kept");
    }
    if let Some(version) = file.get("spadework").filter(|version| version.as_u64().is_none()) {
        let message = format!("the project file has {} as spadework, which is no version; it is read as one of today", inline(version));
        report.push(Severity::Guess, "not-understood", message);
    }
}

/// Tells of sections that are not what they should be.
fn tell_odd_sections(file: &Mapping, text: &str, report: &mut Report) {
    for key in ["metadata", "objects"] {
        if let Some(value) = odd_section(file, key) {
            let shape = if key == "metadata" { "a mapping" } else { "a list" };
            let message = format!("the project file has {} as {key}, which is not {shape}; it is not read", inline(value));
            let line = text
                .trim_start_matches(BYTE_ORDER_MARK)
                .lines()
                .position(|line| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':')));
            told(Severity::Guess, "not-understood", message, line.map(|line| line + 1), report);
        }
    }
}

/// Sets the properties that a file names.
fn read_metadata(metadata: &Mapping, text: &str, document: &mut Document, report: &mut Report) {
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
fn add_objects(document: &mut Document, new: Vec<Object>, report: &mut Report) {
    let known: HashSet<Object> = document.objects.iter().map(|(_, object)| object.clone()).collect();
    let said = new.len();
    // Earlier versions wrote entities there whose prototypes have odd names.
    let new: Vec<Object> = new.into_iter().filter(|object| !known.contains(object)).collect();
    let message = "markers of the project file stand for entities that the station holds itself, and are left out";
    report.push_count(Severity::Guess, "entity-beside-station", message, (said - new.len()) as u64);
    let mut seen = HashSet::new();
    // Equal ones come last, so that all others have the ids that they had in earlier versions.
    let (first, again): (Vec<Object>, Vec<Object>) = new.into_iter().partition(|object| seen.insert(object.clone()));
    for object in first.into_iter().chain(again) {
        Arc::make_mut(&mut document.objects).push(object);
    }
}

/// Says something about a line, where that is known.
fn told(severity: Severity, code: &'static str, message: String, line: Option<usize>, report: &mut Report) {
    match line {
        Some(line) => report.push_line(severity, code, message, line),
        None => report.push(severity, code, message),
    }
}
