//! `name.txt`: the Python module beside a map that piqueserver runs.
//!
//! Spadework never runs it. It reads literals at the top level, follows the two functions that place spawns and things
//! with a small interpreter, and changes only the bytes of literals that differ. Callers go through the registry in
//! `format`.
//!
//! # Life of one value
//! ```text
//! text ─ tokens ─ statement/expression ─ module ──────┐ what each name means, or that it may be anything
//!                                                     │
//!    for each question: Blue's spawn, …, Green's base │
//!                                        run, evaluate┘ statements with values as far as they are known
//!                                              │
//!    x = randrange(5, 40)          value       │  Drawn { draw 0, from 5, to 40 }, each with its Cell (bytes, what is added)
//!    return x, y, z1 - 1           Outcome     │  one for each way through the function
//!                                              │
//!                                  places      ┘  Answer { key, Found::Places | Nothing | Unclear, numbers }
//!    an edit of it                 write          cells → new bytes, unless another answer hangs on the same number;
//!                                                 the new text is read again, and every answer compared
//! ```
//!
//! # Soundness
//! What is not understood is told, never guessed. A value that is claimed is what every run of the function gives, for
//! whatever the tests that are not understood answer; the random draws of a claimed region take each of its columns.
//! So anything that is not followed makes all that it may touch unknown, and all numbers in it count as read by the
//! question at hand. Four things are taken as they usually are, and not as they might be:
//! - A name that nothing in the file sets is the library's: without it the server could not run the function at all.
//! - A correction of x or y by less than a block, and one of z by up to four that is not whole, is none.
//! - Where some ways answer a height and others the ground of the same column, the height counts (players stand lower
//!   where the ground is gone). A loop that tries again where the ground does not please takes all columns, and comes to an end.
//! - What is answered for players with certain names is left to the script.

mod changes;
mod edits;
mod encoding;
mod evaluate;
mod expression;
mod in_place;
mod lists;
mod literal;
mod metadata;
mod module;
mod places;
mod point_list;
mod refused;
mod run;
mod script;
mod separate;
mod statement;
mod template;
mod tokens;
mod value;
mod write;

use super::merge::{ObjectKind, replace_objects, set_property};
use super::{FormatError, Report, Severity, Sidecar};
use crate::document::{Document, Object, Property, Snapshot};
use places::{Answer, Answers, Found};
use script::{Script, Statement};
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

    fn most_bytes(&self) -> usize {
        MAX_BYTES
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

    fn says_only_what_is_known(&self, bytes: &[u8], opened: &Snapshot) -> bool {
        let Ok(script) = scan(bytes) else { return false };
        let mut report = Report::new();
        let contents = Contents::read(&script, &mut report);
        let known = opened.metadata.properties();
        let objects_of = |kind| opened.objects.iter().map(|(_, object)| object).filter(move |object| ObjectKind::of(object) == kind);
        let is_once = |(at, statement): (usize, &Statement)| script.statements.iter().take(at).all(|other| other.name != statement.name);
        // Lists that no function of ours reads are not read here either.
        let is_read = |group: &Group| group.is_ours(&script) || group.names().iter().all(|name| script.find_word(name).is_none());
        template::is_wholly_ours(&script)
            && Group::ALL.iter().all(is_read)
            && report.warnings.is_empty()
            && script.statements.iter().enumerate().all(is_once)
            && contents.properties.iter().all(|property| known.contains(property))
            && contents.objects.iter().all(|(kind, objects)| objects.iter().all(|object| objects_of(*kind).any(|known| known == object)))
    }

    fn apply(&self, bytes: &[u8], document: &mut Document, report: &mut Report) -> Result<(), FormatError> {
        let script = scan(bytes)?;
        if encoding::of(bytes) == encoding::Encoding::Unknown {
            let message = "the file declares an encoding that Spadework does not read; nothing of it is read, and it is left as it is";
            report.push_line(Severity::Guess, "unknown-encoding", message, 1);
            return Ok(());
        }
        if script.is_prose {
            report.push(Severity::Guess, "not-a-script", "the .txt beside the map is no piqueserver metadata; it is left as it is");
        }
        if let Some(refusal) = refused::refusal(&script).filter(|_| !script.is_prose) {
            let message =
                format!("Python 3 refuses this script: {}; a server of today leaves all of it out and takes its defaults", refusal.why);
            report.push_line(Severity::Problem, "python-refuses", message, script.line(refusal.at));
        }
        if let Some((at, name)) = refused::gone(&script).filter(|_| !script.is_prose) {
            let message = format!("Python 3 has no {name}: a server of today leaves all of the script out and takes its defaults");
            report.push_line(Severity::Problem, "python-refuses", message, script.line(at));
        }
        let contents = Contents::read(&script, report);
        for property in contents.properties {
            set_property(document, property, FILE, report);
        }
        for (kind, objects) in contents.objects {
            replace_objects(document, kind, objects, FILE, report);
        }
        for group in Group::ALL.into_iter().filter(|group| !script.is_prose && group.is_nowhere_in(&script)) {
            if document.objects.iter().any(|(_, object)| group.kinds().contains(&ObjectKind::of(object))) {
                let message = format!("{} is what another file says; the {FILE}, which a server reads, says nothing of it", group.label());
                report.push(Severity::Info, "sidecars-disagree", message);
            }
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
        let answers = places::answers(script);
        for group in Group::ALL {
            if let Some(objects) = objects_of(group, script, &answers, report) {
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
fn objects_of(group: Group, script: &Script<'_>, answers: &Answers, report: &mut Report) -> Option<Vec<Object>> {
    if group.is_ours(script) {
        return Some(template::read(group, script, report));
    }
    if group == Group::Territories {
        // That function may be there for anything.
        let places_none = ["Territory", "get_cp_entities"].iter().all(|name| script.find_word(name).is_none());
        let function = group.functions().iter().find_map(|name| script.function(name)).filter(|_| !places_none)?;
        let message = format!("{} is set by code that Spadework does not understand; it is left as it is", group.label());
        report.push_line(Severity::Guess, "custom-script", message, script.line(function.span.start));
        return None;
    }
    let all: Vec<&Answer> = answers.all.iter().filter(|answer| answer.key.group() == group).collect();
    let mut objects = vec![];
    let mut unclear = vec![];
    for answer in &all {
        match &answer.found {
            Found::Places(places) => objects.extend(places.iter().map(|place| place.object.clone())),
            Found::Unclear(why) => unclear.push((answer.key.label(), *why)),
            Found::Nothing => {}
        }
    }
    // The same reason for all is told once.
    if let Some((_, why)) =
        unclear.first().copied().filter(|(_, first)| unclear.len() == all.len() && unclear.iter().all(|(_, why)| why == first))
    {
        unclear = vec![(group.label(), why)];
    }
    for (what, why) in unclear {
        let message = format!("{what} is set by code that Spadework does not understand; it is left as it is ({})", why.why);
        report.push_line(Severity::Guess, "custom-script", message, script.line(why.at));
    }
    if let Some(at) = answers.rare.filter(|_| group == Group::Spawns) {
        let message = "the script sends players with certain names elsewhere; that is left as it is";
        report.push_line(Severity::Info, "custom-script", message, script.line(at));
    }
    // Of what is understood it is taken for what it usually is.
    if !objects.is_empty()
        && let Some(function) = group.functions().first()
        && let Some(Ok((_, tokens))) = script.module.function(function, script.text)
        && let Some((at, name)) = script.module.missing_import(&tokens)
    {
        let line = match name {
            "random" => "import random".to_owned(),
            "randrange" | "randint" | "choice" => format!("from random import {name}"),
            _ => format!("from pyspades.constants import {name}"),
        };
        let message = format!("{function} uses {name}, which nothing in the file imports, and fails on the server: it needs {line}");
        report.push_line(Severity::Info, "missing-import", message, script.line(at));
    }
    (!objects.is_empty()).then_some(objects)
}

fn scan(bytes: &[u8]) -> Result<Script<'_>, FormatError> {
    if bytes.len() > MAX_BYTES {
        return Err(FormatError::FileTooLarge { length: bytes.len() as u64, most: MAX_BYTES as u64 });
    }
    match bytes.iter().position(|byte| *byte == 0) {
        Some(offset) => Err(FormatError::BadValue { offset: offset as u64, what: "a text file holds no zero byte", found: 0 }),
        None => Ok(Script::new(bytes)),
    }
}

#[cfg(test)]
mod code_tests;
#[cfg(test)]
mod edge_tests;
#[cfg(test)]
mod run_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod tests;
