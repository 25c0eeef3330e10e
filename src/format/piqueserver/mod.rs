//! `name.txt`: the Python module beside a map that piqueserver runs.
//!
//! Spadework never runs it. It reads literals at the top level and three usual patterns, and changes
//! only the bytes of literals that differ. Callers go through the registry in `format`.

mod branches;
mod edits;
mod flow;
mod lists;
mod literal;
mod metadata;
mod places;
mod script;
mod template;
mod write;

use super::merge::{ObjectKind, replace_objects, set_property};
use super::{FormatError, Report, Severity, Sidecar};
use crate::document::{Document, Object, Property, Snapshot};
use script::Script;
use template::Group;

/// Metadata of real maps has 5 kB at most; what is larger was not meant for the server.
const MAX_BYTES: usize = 1 << 20;

/// Name of the file in messages.
const FILE: &str = "piqueserver metadata (.txt)";

/// piqueserver's metadata file.
#[derive(Clone, Copy, Debug, Default)]
pub struct PiqueserverTxt;

impl Sidecar for PiqueserverTxt {
    fn id(&self) -> &'static str {
        "piqueserver-txt"
    }

    fn label(&self) -> &'static str {
        "piqueserver metadata"
    }

    fn suffix(&self) -> &'static str {
        ".txt"
    }

    fn accompanies(&self) -> &'static [&'static str] {
        &["vxl"]
    }

    fn made_when_missing(&self, map_format: &str) -> bool {
        map_format == "vxl"
    }

    fn is_ours(&self, bytes: &[u8]) -> bool {
        scan(bytes).is_ok_and(|script| template::is_wholly_ours(&script))
    }

    fn keeps_handwriting(&self, there: &[u8], new: &[u8]) -> bool {
        self.is_ours(there)
            || scan(there).is_ok_and(|script| template::handwriting(&script).is_subset(&template::handwriting(&Script::new(new))))
    }

    fn apply(&self, bytes: &[u8], document: &mut Document, report: &mut Report) -> Result<(), FormatError> {
        let script = scan(bytes)?;
        if script.is_prose {
            report.push(Severity::Guess, "not-a-script", "the .txt beside the map is no piqueserver metadata; it is left as it is");
        }
        let contents = Contents::read(&script, report);
        for property in contents.properties {
            set_property(document, property, FILE, report);
        }
        for (kind, objects) in contents.objects {
            replace_objects(document, kind, objects, FILE, report);
        }
        Ok(())
    }

    fn write(&self, snapshot: &Snapshot, previous: Option<&[u8]>, report: &mut Report) -> Result<Option<Vec<u8>>, FormatError> {
        match previous {
            Some(previous) => write::changed(snapshot, previous, report).map(Some),
            None => Ok(write::whole(snapshot, report)),
        }
    }

    fn write_what_fits(&self, snapshot: &Snapshot, previous: &[u8], report: &mut Report) -> Result<Vec<u8>, FormatError> {
        write::what_fits(snapshot, previous, report)
    }
}

/// What a file says: properties, and each kind of object that it names at all.
#[derive(Debug, Default)]
struct Contents {
    properties: Vec<Property>,
    objects: Vec<(ObjectKind, Vec<Object>)>,
}

impl Contents {
    fn read(script: &Script<'_>, report: &mut Report) -> Self {
        let mut contents = Self { properties: metadata::read(script, report), objects: vec![] };
        for group in Group::ALL {
            if let Some(objects) = objects_of(group, script, report) {
                for kind in group.kinds() {
                    let of_kind: Vec<Object> = objects.iter().filter(|object| ObjectKind::of(object) == *kind).cloned().collect();
                    if !of_kind.is_empty() || group.is_ours(script) {
                        contents.objects.push((*kind, of_kind));
                    }
                }
            }
        }
        contents
    }
}

/// The objects of a group; `None` if the file names none, or by code that is not understood.
fn objects_of(group: Group, script: &Script<'_>, report: &mut Report) -> Option<Vec<Object>> {
    if group.is_ours(script) {
        return Some(template::read(group, script, report));
    }
    let found = match group {
        Group::Spawns => places::spawns(script),
        Group::Entities => places::entities(script),
        Group::Territories => vec![],
    };
    if !found.is_empty() {
        for (what, line) in places::left_out(group, script, &found) {
            let message =
                format!("{what} is left to the server, or set by code that Spadework does not understand; that code is left as it is");
            report.push_line(Severity::Guess, "custom-script", message, line);
        }
        return Some(found.into_iter().map(|place| place.object).collect());
    }
    // That function may be there for anything.
    let places_none = group == Group::Territories && ["Territory", "get_cp_entities"].iter().all(|name| script.find_word(name).is_none());
    let function = group.functions().iter().find_map(|name| script.function(name)).filter(|_| !places_none)?;
    let message = format!("{} is set by code that Spadework does not understand; it is left as it is", group.label());
    report.push_line(Severity::Guess, "custom-script", message, script.line(function.span.start));
    None
}

fn scan(bytes: &[u8]) -> Result<Script<'_>, FormatError> {
    if bytes.len() > MAX_BYTES {
        return Err(FormatError::TooLarge { needed: bytes.len() as u64, allowed: MAX_BYTES as u64 });
    }
    match bytes.iter().position(|byte| *byte == 0) {
        Some(offset) => Err(FormatError::BadValue { offset: offset as u64, what: "a text file holds no zero byte", found: 0 }),
        None => Ok(Script::new(bytes)),
    }
}

#[cfg(test)]
mod code_tests;
#[cfg(test)]
mod tests;
