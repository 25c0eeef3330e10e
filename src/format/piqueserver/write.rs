//! The file's new content: a whole one from the template, or an old one with single spans changed.

use std::collections::BTreeSet;

use super::edits::{Edits, line_ending};
use super::encoding::{self, Encoding};
use super::in_place;
use super::module::Module;
use super::places::{self, Answer, Answers, Found};
use super::script::Script;
use super::separate::{self, Edit};
use super::template::{self, Group};
use super::{FormatError, Report, Severity, metadata, objects_of, scan};
use crate::document::{Object, Property, Snapshot};
use crate::format::merge::{ObjectKind, differs, edited, edited_properties, is_unset};

/// A whole new file; `None` if what was edited, or came from another format, belongs into other files.
///
/// Asked for where nothing was edited at all, the file is made: an earlier save may have left one there
/// with an edit that has since been undone.
pub fn whole(snapshot: &Snapshot, report: &mut Report) -> Option<Vec<u8>> {
    let is_held = |property: &Property| metadata::key(property).is_some();
    let is_edited = Group::ALL.iter().any(|group| is_edited(*group, snapshot)) || edited_properties(snapshot).iter().any(is_held);
    let is_converted = snapshot.source.as_ref().is_some_and(|source| source.format != "vxl");
    let is_kind_held = |object: &Object| Group::ALL.iter().any(|group| group.kinds().contains(&ObjectKind::of(object)));
    let is_empty = snapshot.metadata.properties().iter().all(|property| !is_held(property) || is_unset(property))
        && !snapshot.objects.iter().any(|(_, object)| is_kind_held(object));
    let is_elsewhere = if is_converted { is_empty } else { differs(snapshot) };
    if !is_edited && is_elsewhere {
        return None;
    }
    let mut out = String::new();
    for property in snapshot.metadata.properties() {
        if let (Some(key), Some(value)) = (metadata::key(&property), metadata::value(&property, false)) {
            out.push_str(&format!("{key} = {value}\n"));
        }
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let none = BTreeSet::new();
    let objects: Vec<Object> = Group::ALL.iter().flat_map(|group| wanted(*group, snapshot, &none, report)).collect();
    out.push_str(&template::block(None, &Group::ALL, &objects));
    Some(out.into_bytes())
}

/// Something edited that a script has one place for.
enum Part {
    Property(Property),
    /// With its objects as the server can hold them.
    Group(Group, Vec<Object>),
}

impl Part {
    /// What it would be in a script of our own.
    fn wanted(&self) -> String {
        match self {
            Self::Property(property) => {
                let key = metadata::key(property).unwrap_or_default();
                metadata::value(property, false).map_or_else(|| format!("no {key}"), |value| format!("{key} = {value}"))
            }
            Self::Group(group, objects) => {
                let lines: Vec<String> =
                    group.names().iter().map(|name| format!("{name} = {}", on_one_line(&template::literal(name, objects, " ")))).collect();
                lines.join("; ")
            }
        }
    }

    /// Whether it holds that edit.
    fn is_of(&self, edit: &Edit) -> bool {
        match (self, edit) {
            (Self::Property(own), Edit::Property(property)) => own == property,
            (Self::Group(group, _), Edit::Places(key)) => *group == key.group(),
            (Self::Group(group, _), Edit::Territories) => *group == Group::Territories,
            _ => false,
        }
    }

    fn refused(&self, line: usize) -> FormatError {
        let what = match self {
            Self::Property(Property::Protected(_)) => "the list of protected sectors",
            Self::Property(property) => property.label(),
            Self::Group(group, _) => group.label(),
        };
        FormatError::ForeignScript { line, what, wanted: self.wanted() }
    }
}

/// `previous` with what was edited.
///
/// # Errors
/// [`FormatError::ForeignScript`] if an edit has no safe place in the file.
pub fn changed(snapshot: &Snapshot, previous: &[u8], report: &mut Report) -> Result<Vec<u8>, FormatError> {
    let parts = edited_parts(snapshot, report);
    if parts.is_empty() {
        return Ok(previous.to_vec());
    }
    with_parts(snapshot, previous, &parts, parts.first(), report)
}

/// `previous` with those edits that have a safe place in it; each of the others is a loss, with what it would say.
///
/// # Errors
/// [`FormatError::ForeignScript`] and others if there is one edit, and it has no place.
pub fn what_fits(snapshot: &Snapshot, previous: &[u8], report: &mut Report) -> Result<Vec<u8>, FormatError> {
    let script = scan(previous)?;
    if script.is_prose {
        for part in edited_parts(snapshot, &mut Report::new()) {
            report.push(Severity::Loss, "sidecar-foreign", format!("The text beside the map takes no edits: {}", part.wanted()));
        }
        return Err(FormatError::NotAScript);
    }
    // One after the other: two that fit alone may want the same number to be two.
    let all = separate::edits(snapshot);
    let mut left: Vec<Edit> = all.clone();
    let (mut written, mut said, mut refused) = (None, Report::new(), vec![]);
    for edit in &all {
        let without: Vec<Edit> = left.iter().filter(|other| *other != edit).cloned().collect();
        let tried = separate::without(snapshot, &without);
        let mut told = Report::new();
        let parts = edited_parts(&tried, &mut told);
        match with_parts(&tried, previous, &parts, parts.iter().find(|part| part.is_of(edit)), &mut told) {
            Ok(new) => (written, said, left) = (Some(new), told, without),
            Err(reason) => refused.push(reason),
        }
    }
    report.extend(said);
    if written.is_none() && refused.len() == 1 {
        // It is told by who asked.
        return Err(refused.pop().unwrap_or(FormatError::NotAScript));
    }
    for reason in refused {
        report.push(Severity::Loss, "sidecar-foreign", format!("The script beside the map does not take an edit: {reason}"));
    }
    Ok(written.unwrap_or_else(|| previous.to_vec()))
}

/// A list that is written over several lines.
fn on_one_line(list: &str) -> String {
    list.split_whitespace().collect::<Vec<_>>().join(" ").replace("[ ", "[").replace(", ]", "]").replace("{ ", "{").replace(", }", "}")
}

fn edited_parts(snapshot: &Snapshot, report: &mut Report) -> Vec<Part> {
    let properties = edited_properties(snapshot).into_iter().filter(|property| metadata::key(property).is_some()).map(Part::Property);
    let groups = Group::ALL.into_iter().filter(|group| is_edited(*group, snapshot));
    let heights = template::heights(snapshot.opened.objects.iter().map(|(_, object)| object));
    properties.chain(groups.map(|group| Part::Group(group, wanted(group, snapshot, &heights, report)))).collect()
}

/// `asked` is the part that is to blame where no other is known to be.
fn with_parts(
    snapshot: &Snapshot,
    previous: &[u8],
    parts: &[Part],
    asked: Option<&Part>,
    report: &mut Report,
) -> Result<Vec<u8>, FormatError> {
    let refused_asked = || asked.map_or(FormatError::NotAScript, |part| part.refused(1));
    let script = scan(previous)?;
    if script.is_prose {
        return Err(FormatError::NotAScript);
    }
    if encoding::of(previous) == Encoding::Unknown {
        return Err(refused_asked());
    }
    let all_answers = places::answers(&script);
    let mut edits = Edits::default();
    let mut new = Vec::new();
    let mut new_objects = Vec::new();
    let mut meant = Vec::new();
    for part in parts {
        let (group, mut objects) = match part {
            Part::Property(property) => {
                metadata::write(&script, property, &mut edits)?;
                if let Some((key, at)) = metadata::key(property).zip(metadata::used_elsewhere(&script, property)) {
                    let message = format!("the script uses {key} here: what it makes of it changes with it");
                    report.push_line(Severity::Problem, "used-elsewhere", message, script.line(at));
                }
                continue;
            }
            Part::Group(group, objects) => (*group, objects.clone()),
        };
        let refused = |at: usize| part.refused(script.line(at));
        if group.is_ours(&script) {
            own_literals(group, &script, snapshot, &objects, &mut edits).map_err(refused)?;
        } else if group.lacks_its_functions(&script) {
            if let Some(at) = group.unusable(&script) {
                return Err(refused(at));
            }
            own_literals(group, &script, snapshot, &objects, &mut edits).map_err(refused)?;
            new.push(group);
            new_objects.extend(objects.clone());
        } else if let Some(at) = group.functions().iter().chain(group.names()).find_map(|name| script.find_word(name)) {
            let answers: Vec<&Answer> = all_answers.all.iter().filter(|answer| answer.key.group() == group).collect();
            if answers.iter().all(|answer| !matches!(answer.found, Found::Places(_))) {
                // The reason is that of what was edited, where that has one of its own.
                let is_asked = |answer: &&&Answer| objects.iter().any(|object| answer.key.is_of(object));
                let answer = answers.iter().find(is_asked).or(answers.first());
                let why = answer.and_then(|answer| if let Found::Unclear(why) = answer.found { Some(why) } else { None });
                return Err(in_place::refused_group(&script, group, &objects, why, at));
            }
            objects = in_place::edit(&script, group, &all_answers, snapshot, &mut edits, report)?;
        } else {
            objects = template::fitting(group, objects, &BTreeSet::new(), &mut Report::new());
            new.push(group);
            new_objects.extend(objects.clone());
        }
        meant.push((group, objects));
    }
    if !new.is_empty() {
        append(&script, &template::block(Some(&script), &new, &new_objects), &mut edits);
    }
    let written = edits.apply(previous).ok_or_else(refused_asked)?;
    // A comment that comes to stand in the first two lines may say how the file is to be read.
    if encoding::of(&written) != encoding::of(previous) {
        return Err(refused_asked());
    }
    // Behind a bracket that is never closed no function is one.
    let module = Module::new(&written);
    let is_there = |name: &&str| matches!(module.function(name, &written), Some(Ok(_)));
    if !new.iter().flat_map(|group| group.functions()).all(is_there) {
        return Err(refused_asked());
    }
    read_back(&script, &all_answers, &written, parts, asked, &meant)?;
    Ok(written)
}

fn is_edited(group: Group, snapshot: &Snapshot) -> bool {
    group.kinds().iter().any(|kind| edited(snapshot, *kind))
}

/// The objects of a group as the server can hold them.
fn wanted(group: Group, snapshot: &Snapshot, heights: &BTreeSet<i32>, report: &mut Report) -> Vec<Object> {
    // A height that is the top of the column anyway is no loss.
    let sky = snapshot.bounds().min().z;
    let lowered = |mut object: Object| {
        if let Object::Territory { at, .. } = &mut object
            && at.z.is_some()
            && at.z == snapshot.store().ground(at.x, at.y, sky)
        {
            at.z = None;
        }
        object
    };
    let objects = snapshot.objects.iter().map(|(_, object)| lowered(object.clone()));
    template::fitting(group, objects.filter(|object| group.kinds().contains(&ObjectKind::of(object))), heights, report)
}

/// Replaces those of our literals whose objects were edited.
fn own_literals(group: Group, script: &Script<'_>, snapshot: &Snapshot, objects: &[Object], edits: &mut Edits) -> Result<(), usize> {
    let opened = || snapshot.opened.objects.iter().map(|(_, object)| object);
    let before = template::fitting(group, opened().cloned(), &template::heights(opened()), &mut Report::new());
    for name in group.names() {
        let Some(old) = script.literal(name) else { continue };
        let eol = line_ending(script.text, old.span.start);
        let is_same = template::literal(name, objects, eol) == template::literal(name, &before, eol);
        if !is_same && !edits.replace(old.span.clone(), template::relisted(script, name, old, objects, eol)) {
            return Err(old.span.start);
        }
    }
    Ok(())
}

/// Adds our block at the end, in the file's line ending.
fn append(script: &Script<'_>, block: &str, edits: &mut Edits) {
    let end = script.text.len();
    let eol = line_ending(script.text, end);
    let is_open = !script.text.is_empty() && !script.text.ends_with(b"\n");
    let gap = if script.text.is_empty() {
        ""
    } else if is_open {
        "\n\n"
    } else {
        "\n"
    };
    edits.insert(end, &format!("{gap}{block}").replace('\n', eol));
}

/// Reads what was written: it must say what was meant, and all else as before. A file that hides the new text, for
/// instance in a string that is never closed, is refused here.
fn read_back(
    old: &Script<'_>,
    before: &Answers,
    written: &[u8],
    parts: &[Part],
    asked: Option<&Part>,
    groups: &[(Group, Vec<Object>)],
) -> Result<(), FormatError> {
    let script = scan(written)?;
    for (key, _) in metadata::KEYS {
        let edited = parts.iter().find_map(|part| match part {
            Part::Property(property) if metadata::key(property) == Some(key) => Some((part, property)),
            _ => None,
        });
        let read = metadata::read_one(&script, key);
        let is_right = match (&edited, &read) {
            (None, read) => *read == metadata::read_one(old, key),
            (Some((_, property)), Some(read)) => read == *property,
            (Some((_, property)), None) => metadata::value(property, false).is_none(),
        };
        if !is_right {
            return Err(edited.map(|(part, _)| part).or(asked).map_or(FormatError::NotAScript, |part| part.refused(1)));
        }
    }
    let answers = places::answers(&script);
    for (group, meant) in groups {
        let read = objects_of(*group, &script, &answers, &mut Report::new()).unwrap_or_default();
        let names =
            |objects: &[Object]| -> Vec<String> { group.names().iter().map(|name| template::literal(name, objects, "\n")).collect() };
        // Entities may stand in any order, and what one team has among what the other has.
        let sorted = |mut objects: Vec<Object>| {
            if *group == Group::Entities {
                objects.sort_by_key(Object::label);
            }
            objects
        };
        if names(&sorted(read)) != names(&sorted(meant.clone())) {
            return Err(Part::Group(*group, meant.clone()).refused(1));
        }
    }
    // What nobody asked for stays: the answers of other groups, and what was not understood.
    for answer in &before.all {
        let is_meant = groups.iter().any(|(group, _)| *group == answer.key.group()) && matches!(answer.found, Found::Places(_));
        let after = answers.all.iter().find(|other| other.key == answer.key);
        let is_same = match (&answer.found, after.map(|after| &after.found)) {
            (Found::Places(old), Some(Found::Places(new))) => {
                is_meant || old.iter().map(|place| &place.object).eq(new.iter().map(|place| &place.object))
            }
            (Found::Nothing, Some(Found::Nothing)) | (Found::Unclear(_), Some(Found::Unclear(_))) => true,
            _ => false,
        };
        if !is_same {
            return Err(asked.map_or(FormatError::NotAScript, |part| part.refused(1)));
        }
    }
    Ok(())
}
