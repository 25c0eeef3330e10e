//! Entities that were moved, removed or added, as pieces to splice into the source.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

use super::chunk_list::MAX_ENTITY_REACH;
use super::decode;
use super::entities::{Entity, offset};
use super::index::NO_UID;
use super::loaded::{Loaded, tile_of};
use super::plan::Plan;
use super::rewrite::{self, Rewrite};
use super::scanner::{Scanner, before_comments, key, quoted, scalar, uncommented};
use crate::document::{Anchor, Object, Snapshot};
use crate::format::merge::is_entity_name;
use crate::format::{FormatError, Report, Severity};
use crate::geom::VoxelPos;

/// Compares objects with the entities of the source.
pub(super) fn plan(snapshot: &Snapshot, bytes: &[u8], loaded: &Loaded, plan: &mut Plan) -> Result<(), FormatError> {
    let source = decode::objects(loaded);
    let place = |volume: &u32, at: &Anchor| place(snapshot, *volume, at);
    let (mut removed, mut added, mut retyped, mut nameless, mut raised) = (vec![], vec![], vec![], 0, 0);
    for (id, index) in decode::placed(loaded) {
        let Some(Object::Marker { label: old_label, at: old_at, volume: old_volume, .. }) = source.get(id) else { continue };
        let Some(entity) = loaded.index.entities.get(index) else { continue };
        let (label, at, volume) = match snapshot.objects.get(id) {
            Some(Object::Marker { label, at, volume, .. }) if label == old_label || is_entity_name(label) => (label, at, volume),
            // What is no entity has no place in the file.
            now => {
                nameless += u64::from(now.is_some());
                removed.push(index);
                continue;
            }
        };
        let ([x, y], [old_x, old_y]) = (place(volume, at), [old_at.x, old_at.y]);
        if at != old_at {
            check_reach([x, y])?;
        }
        raised += u64::from(is_off_floor(snapshot, *volume, at));
        let rewrite = Rewrite {
            // South is down in the file.
            by: [x.saturating_sub(old_x), old_y.saturating_sub(y)],
            grid: (volume != old_volume).then_some(*volume),
            label: (label != old_label).then_some(&**label),
        };
        let pieces = rewrite::pieces(loaded, bytes, entity, &rewrite)?;
        if rewrite.label.is_some() {
            retyped.push((&**label, index, pieces));
        } else {
            plan.splices.extend(pieces);
        }
    }
    let message = "entities have a name that no prototype has, and leave the map with all that they hold";
    plan.report.push_count(Severity::Loss, "nameless-entities", message, nameless);
    let message = "entities have another prototype and keep what they hold; the game refuses the map if it does not know the prototype";
    plan.report.push_count(Severity::Info, "retyped-entities", message, retyped.len() as u64);
    for (_, object) in snapshot.objects.iter().filter(|(id, _)| source.get(*id).is_none()) {
        // What is no entity has its place in the project file.
        if let Object::Marker { label, at, volume, .. } = object
            && is_entity_name(label)
        {
            check_reach(place(volume, at))?;
            raised += u64::from(is_off_floor(snapshot, *volume, at));
            added.push((label.clone(), *volume, place(volume, at)));
        }
    }
    plan.report.push_count(Severity::Loss, "entity-heights", "entities have a height above or below the floor, which is not kept", raised);
    let message = "entities are new; the game refuses the map if it does not know their prototypes";
    plan.report.push_count(Severity::Info, "new-entities", message, added.len() as u64);
    if let Some(count) = &loaded.index.entity_count {
        let now = (count.value + added.len() as u64).saturating_sub(removed.len() as u64);
        if now != count.value {
            plan.splices.replace(count.span.clone(), now.to_string());
        }
    }
    tell_references(loaded, bytes, &removed, &mut plan.report);
    let mut new: BTreeMap<&str, String> = BTreeMap::new();
    let mut uid = loaded.index.entities.iter().map(|entity| entity.uid).filter(|uid| *uid != NO_UID).max();
    for (label, volume, [x, y]) in &added {
        uid = uid.and_then(|uid| uid.checked_add(1));
        let text = new.entry(label).or_default();
        entity(loaded, label, *volume, tile_of(VoxelPos::new(*x, *y, 0)), uid, text)?;
    }
    let mut moved = HashSet::new();
    for (label, index, pieces) in retyped {
        if loaded.index.format < 4 {
            plan.splices.extend(pieces);
        } else if let Some(entity) = loaded.index.entities.get(index) {
            // It goes over to the group of its prototype.
            let from = loaded.index.groups.iter().find(|group| group.entities.contains(&index)).map(|group| group.indent);
            let to = indent_of_new(loaded, label);
            let (from, lines) = (from.unwrap_or(to), lines_with_notes(loaded, bytes, index));
            let whole = Entity { start: offset(lines.start), end: offset(lines.end), ..entity.clone() };
            let lines = rewrite::lines(loaded, bytes, &whole, pieces, from, to);
            let what = "another prototype for an entity whose lines are no UTF-8 text";
            let lines = lines.ok_or(FormatError::Unsupported { what })?;
            new.entry(label).or_default().push_str(&lines);
            moved.insert(index);
        }
    }
    match loaded.index.entities_end {
        None if !new.is_empty() => Err(FormatError::Unsupported { what: "adding entities to a map without a section entities" }),
        end => {
            if let Some(span) = loaded.index.no_entities.clone().filter(|_| !new.is_empty()) {
                plan.splices.remove(span);
            }
            let end = before_comments(bytes, 0..end.unwrap_or(bytes.len()), loaded.index.entities_indent);
            splice(loaded, bytes, [removed.into_iter().collect(), moved], new, end, plan);
            Ok(())
        }
    }
}

/// A marker's place in its grid: a resized volume counts its places from another corner.
pub(super) fn place(snapshot: &Snapshot, volume: u32, at: &Anchor) -> [i32; 2] {
    let shift = snapshot.volumes().get(volume as usize).map_or(VoxelPos::ZERO, |volume| volume.offset);
    [at.x.saturating_add(shift.x), at.y.saturating_add(shift.y)]
}

/// Whether a marker was given a height, which entities do not have.
fn is_off_floor(snapshot: &Snapshot, volume: u32, at: &Anchor) -> bool {
    let shift = snapshot.volumes().get(volume as usize).map_or(0, |volume| volume.offset.z);
    at.z.is_some_and(|z| z.saturating_add(shift) != 0)
}

/// Places farther out would not be read again.
fn check_reach(tile: [i32; 2]) -> Result<(), FormatError> {
    let what = "an entity 1,000,000 or more tiles from the middle of its grid";
    if tile.iter().all(|part| part.unsigned_abs() < MAX_ENTITY_REACH.unsigned_abs()) {
        Ok(())
    } else {
        Err(FormatError::Unsupported { what })
    }
}

/// Warns where entities that stay name the uid of one that goes.
fn tell_references(loaded: &Loaded, bytes: &[u8], removed: &[usize], report: &mut Report) {
    let entities: Vec<_> = removed.iter().filter_map(|index| loaded.index.entities.get(*index)).collect();
    let uids: HashSet<u32> = entities.iter().map(|entity| entity.uid).filter(|uid| *uid != NO_UID).collect();
    if uids.is_empty() {
        return;
    }
    let names_uid = |text: &[u8]| scalar(text).and_then(|text| text.parse().ok()).is_some_and(|uid: u32| uids.contains(&uid));
    let (mut found, mut first) = (0, None);
    let start = loaded.index.entities.first().map_or(0, |entity| entity.lines().start);
    let mut scanner = Scanner::new(bytes, start);
    // Both run in the order of the file.
    let mut gone = entities.iter().peekable();
    while let Some(line) = scanner.line() {
        while gone.next_if(|entity| entity.lines().end <= line.start).is_some() {}
        if gone.peek().is_some_and(|entity| entity.lines().contains(&line.start)) {
            scanner.advance();
            continue;
        }
        let mut text = scanner.slice(line.text()..line.end);
        while let Some(rest) = text.strip_prefix(b"- ") {
            text = rest;
        }
        let refers = match key(text) {
            Some((b"parent" | b"ent" | b"entity" | b"owner", value)) => names_uid(text.get(value..).unwrap_or_default()),
            // Ports of linked devices stand under the uid.
            Some((name, value)) if value >= text.len() => names_uid(name),
            Some(_) => false,
            None => line.is_item && names_uid(text),
        };
        if refers {
            found += 1;
            first.get_or_insert(line.start);
        }
        scanner.advance();
    }
    if let Some(at) = first {
        let line = super::scanner::line_number(bytes, at);
        let message = format!("places still name entities that were removed (containers, links, children), the first in line {line}");
        report.push_count(Severity::Problem, "dangling-references", message, found);
    }
}

/// Spaces before an entity that comes to the group of a prototype, which may be a new one.
fn indent_of_new(loaded: &Loaded, label: &str) -> usize {
    let index = &loaded.index;
    let is_its =
        |group: &&super::entities::Group| group.takes_more && index.protos.get(group.proto as usize).is_some_and(|proto| &**proto == label);
    let group = index.groups.iter().find(is_its);
    group.map_or(index.entities_indent + 2, |group| group.indent)
}

/// The text of a new entity on a grid, in the style of the file's format.
fn entity(loaded: &Loaded, label: &str, number: u32, [x, y]: [i32; 2], uid: Option<u32>, text: &mut String) -> Result<(), FormatError> {
    let index = &loaded.index;
    let grid = index.grids.get(number as usize).ok_or(FormatError::Unsupported { what: "adding entities to a map without a grid" })?;
    let eol = index.eol();
    let indent = if index.format >= 4 { indent_of_new(loaded, label) } else { index.entities_indent };
    // The middle of the tile.
    let middle = |at: i32| format!("{}", f64::from(at) + 0.5);
    let pos = format!("pos: {},{}", middle(x), middle(y));
    let parent = match (grid.uid, uid) {
        (Some(grid), _) => format!("parent: {grid}"),
        // Before 2019 entities had no uid and named the grid by its number.
        (None, None) => format!("grid: {number}"),
        (None, Some(_)) => return Err(FormatError::Unsupported { what: "adding entities to a grid without a uid" }),
    };
    let mut lines = vec![];
    lines.extend(uid.map(|uid| format!("uid: {uid}")));
    if index.format < 4 {
        lines.push(format!("type: {}", quoted(label)));
    }
    lines.push("components:".into());
    let mut keys = [pos, parent, "type: Transform".into()];
    if index.format >= 6 {
        keys.rotate_right(1);
    }
    lines.extend(keys.iter().zip(["- ", "  ", "  "]).map(|(key, dash)| format!("{dash}{key}")));
    for (line, dash) in lines.iter().zip(["- "].into_iter().chain(std::iter::repeat("  "))) {
        // Writing to a string cannot fail.
        write!(text, "{:indent$}{dash}{line}{eol}", "").ok();
    }
    Ok(())
}

/// The lines of an entity with what somebody wrote above it, and without what they wrote above the next one.
fn lines_with_notes(loaded: &Loaded, bytes: &[u8], entity: usize) -> Range<usize> {
    let index = &loaded.index;
    let group = index.groups.iter().find(|group| group.entities.contains(&entity));
    let (first, indent) = group.map_or((0, index.entities_indent), |group| (group.lines.start, group.indent));
    let lines = index.entities.get(entity).map(Entity::lines).unwrap_or_default();
    before_comments(bytes, first..lines.start, indent)..before_comments(bytes, lines, indent)
}

/// How many of the lines have a comment.
fn comments(lines: &[u8]) -> u64 {
    let has_comment = |line: &&[u8]| line.contains(&b'#') && uncommented(line.trim_ascii()).len() < line.trim_ascii().len();
    lines.split(|byte| *byte == b'\n').filter(has_comment).count() as u64
}

/// Puts new entities into the group of their prototype, or a group of their own at `end`, and takes removed ones
/// out, whole groups if need be.
fn splice(
    loaded: &Loaded,
    bytes: &[u8],
    [removed, moved]: [HashSet<usize>; 2],
    mut new: BTreeMap<&str, String>,
    end: usize,
    plan: &mut Plan,
) {
    let (index, eol) = (&loaded.index, loaded.index.eol());
    let is_gone = |entity: usize| removed.contains(&entity) || moved.contains(&entity);
    let name = |proto: u32| index.protos.get(proto as usize).map_or("", |proto| &**proto);
    let (mut emptied, mut lost) = (HashSet::new(), 0);
    for (number, group) in index.groups.iter().enumerate() {
        let lines = group.lines.start..before_comments(bytes, group.lines.clone(), group.indent);
        let added = if group.takes_more { new.remove(name(group.proto)) } else { None };
        if added.is_none() && !group.entities.is_empty() && group.entities.clone().all(is_gone) {
            emptied.insert(number);
            if group.entities.clone().any(|entity| moved.contains(&entity)) {
                let first = lines_with_notes(loaded, bytes, group.entities.start);
                lost += comments(bytes.get(lines.start..first.start).unwrap_or_default());
            }
            plan.splices.remove(lines.clone());
        }
        if let Some(text) = added {
            plan.splices.insert_lines(bytes, lines.end, eol, &text);
        }
    }
    let message = "comments at the head of groups of entities go with the groups, whose entities all have another prototype now";
    plan.report.push_count(Severity::Loss, "comments-lost", message, lost);
    let is_in_emptied =
        |entity: usize| emptied.iter().any(|group| index.groups.get(*group).is_some_and(|group| group.entities.contains(&entity)));
    for entity in removed.iter().copied().filter(|entity| !is_in_emptied(*entity)) {
        let lines = lines_with_notes(loaded, bytes, entity);
        let start = index.entities.get(entity).map_or(lines.start, |entity| entity.lines().start);
        plan.splices.remove(start..lines.end);
    }
    for entity in moved.into_iter().filter(|entity| !is_in_emptied(*entity)) {
        plan.splices.remove(lines_with_notes(loaded, bytes, entity));
    }
    for (label, text) in new {
        if index.format < 4 {
            plan.splices.insert_lines(bytes, end, eol, &text);
            continue;
        }
        // Groups are sorted by name in files of the game.
        let after = index.groups.iter().find(|group| !name(group.proto).is_empty() && name(group.proto) > label);
        let at = after.map_or(end, |group| before_comments(bytes, 0..group.lines.start, index.entities_indent));
        let indent = index.entities_indent;
        let head = format!("{:indent$}- proto: {}{eol}{:indent$}  entities:{eol}", "", quoted(label), "");
        plan.splices.insert_lines(bytes, at, eol, &(head + &text));
    }
}
