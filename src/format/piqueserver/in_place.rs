//! Edits of places that someone else's functions hold: the numbers that stand for them, where nothing else hangs on those.

use super::edits::Edits;
use super::module::Unclear;
use super::places::{Answers, Found, Key, Place, coordinates};
use super::point_list;
use super::script::Script;
use super::template::{self, Group};
use super::tokens::{Kind, tokens};
use super::value::Numbers;
use crate::document::{Object, Snapshot};
use crate::format::merge::ObjectKind;
use crate::format::{FormatError, Report, Severity};

/// Changes the numbers of those objects of a group that differ from what the script says. Answers the objects as the
/// script then has them.
///
/// # Errors
/// [`FormatError::ForeignScript`] with the reason, and with what to write by hand.
pub fn edit(
    script: &Script<'_>,
    group: Group,
    answers: &Answers,
    snapshot: &Snapshot,
    edits: &mut Edits,
    report: &mut Report,
) -> Result<Vec<Object>, FormatError> {
    let numbers = number_offsets(script);
    let mut meant = vec![];
    let asked = snapshot.objects.iter().map(|(_, object)| object).filter(|object| group.kinds().contains(&ObjectKind::of(object)));
    let (mut asked, mut left): (Vec<&Object>, usize) = (asked.collect(), 0);
    for answer in answers.all.iter().filter(|answer| answer.key.group() == group) {
        let objects: Vec<&Object> = asked.iter().copied().filter(|object| answer.key.is_of(object)).collect();
        asked.retain(|object| !answer.key.is_of(object));
        left += objects.len();
        let places: &[Place] = if let Found::Places(places) = &answer.found { places } else { &[] };
        let heights = template::heights(places.iter().map(|place| &place.object));
        let refused = |at: usize, why: &str| refused(script, answer.key, &objects, at, why);
        let at = places.first().map_or(0, |place| place.at);
        let mut others = answers.elsewhere.clone();
        others.extend(&answer.uses);
        answers.all.iter().filter(|other| other.key != answer.key).for_each(|other| others.extend(&other.numbers));
        if places.len() != objects.len() && !places.is_empty() && !objects.is_empty() {
            let wanted = template::fitting(group, objects.iter().map(|object| (*object).clone()), &heights, report);
            let listed = point_list::edit(script, places, &wanted, &others, edits);
            meant.extend(listed.map_err(|(at, why)| refused(at, why))?);
            continue;
        }
        if places.len() != objects.len() {
            return Err(match &answer.found {
                Found::Unclear(unclear) => refused(unclear.at, unclear.why),
                Found::Nothing => refused(function_at(script, group), "the script leaves it to the server"),
                Found::Places(_) => refused(at, "the script is to say no place at all"),
            });
        }
        for (place, object) in places.iter().zip(&objects) {
            if place.object == **object {
                // Its numbers stay, also where one of them stands for another object that moves.
                let kept = place.cells.iter().flatten().map(|cell| cell.span.clone());
                for span in kept {
                    let text = text_at(script, &span);
                    if !edits.replace(span.clone(), text) {
                        return Err(refused(span.start, "a number there stands for another place, too"));
                    }
                }
                meant.push(place.object.clone());
                continue;
            }
            let mut fitting = template::fitting(group, [(*object).clone()], &heights, report);
            let Some(mut new) = fitting.pop() else { return Err(refused(place.at, "it is to lie outside the map")) };
            stand_on_ground(snapshot, places, &mut new, report);
            if std::mem::discriminant(&place.object) != std::mem::discriminant(&new) {
                return Err(refused(place.at, "the script holds regions in one way and points in another"));
            }
            change(script, place, &new, &others, &numbers, edits).map_err(|(at, why)| {
                let owner = answers.all.iter().find(|other| other.key != answer.key && other.numbers.range(at.clone()).next().is_some());
                match (owner, why) {
                    (Some(owner), SHARED) => refused(at.start, &format!("a number there also says {}", owner.key.label())),
                    _ => refused(at.start, why),
                }
            })?;
            meant.push(new);
        }
    }
    match asked.first() {
        Some(_) if left == 0 => {
            Err(refused_group(script, group, &asked.into_iter().cloned().collect::<Vec<_>>(), None, function_at(script, group)))
        }
        _ => Ok(meant),
    }
}

const SHARED: &str = "a number there stands for something else as well";

type Refusal = (std::ops::Range<usize>, &'static str);

/// Asks for the numbers of one object.
fn change(script: &Script<'_>, place: &Place, new: &Object, others: &Numbers, numbers: &Numbers, edits: &mut Edits) -> Result<(), Refusal> {
    let here = place.at..place.at;
    let (before, now) = (coordinates(&place.object), coordinates(new));
    let cells = place.cells.iter().cloned().enumerate();
    let echoes = place.echoes.iter().map(|(index, cell)| (*index, Some(cell.clone())));
    for (index, cell) in cells.chain(echoes) {
        let (old, new) = (before.get(index).copied().flatten(), now.get(index).copied().flatten());
        let Some(cell) = cell else {
            if old != new {
                return Err((here, "no single number of the script says it"));
            }
            continue;
        };
        let text = if old == new {
            text_at(script, &cell.span)
        } else {
            let value = new.and_then(|new| i64::from(new).checked_sub(cell.add));
            let Some(value) = value else { return Err((cell.span, "no number says it")) };
            if numbers.range(cell.span.clone()).any(|number| others.contains(number)) {
                return Err((cell.span, SHARED));
            }
            spaced(script, &cell.span, value)
        };
        if !edits.replace(cell.span.clone(), text) {
            return Err((cell.span, "a number there stands for another place of the same team, too"));
        }
    }
    Ok(())
}

fn text_at(script: &Script<'_>, span: &std::ops::Range<usize>) -> String {
    String::from_utf8_lossy(script.text.get(span.clone()).unwrap_or_default()).into_owned()
}

/// A number that does not run into the words around it.
fn spaced(script: &Script<'_>, span: &std::ops::Range<usize>, value: i64) -> String {
    let is_word =
        |at: Option<usize>| at.and_then(|at| script.text.get(at)).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let before = if is_word(span.start.checked_sub(1)) { " " } else { "" };
    let after = if is_word(Some(span.end)) { " " } else { "" };
    format!("{before}{value}{after}")
}

/// Where each number of the file stands.
fn number_offsets(script: &Script<'_>) -> Numbers {
    tokens(script.text).list.iter().filter(|token| token.kind == Kind::Number).map(|token| token.span.start).collect()
}

fn function_at(script: &Script<'_>, group: Group) -> usize {
    group.functions().iter().find_map(|name| script.find_word(name)).unwrap_or(0)
}

/// Gives a region whose ground is looked for from the sky the height of its highest ground, where the script puts
/// players at the height that it names: from the sky they would fall to death.
fn stand_on_ground(snapshot: &Snapshot, places: &[Place], object: &mut Object, report: &mut Report) {
    let Object::SpawnRegion { team, area, z } = object else { return };
    let names_height = |place: &Place| {
        matches!(place.object, Object::SpawnRegion { team: other, z: 1.., .. } if other == *team)
            && place.cells.last().is_some_and(Option::is_some)
    };
    if *z != 0 || !places.iter().any(names_height) {
        return;
    }
    let bounds = snapshot.bounds();
    let grounds = area.intersection(&bounds.columns()).columns().filter_map(|[x, y]| snapshot.store().ground(x, y, bounds.min().z));
    // A place of its own over the ground, which is what such scripts return.
    *z = grounds.min().map_or(1, |ground| (ground - 1).max(1));
    let message = format!(
        "the script puts {} players at one height: it was set to z {z}, over the highest ground in their region",
        team.label().to_lowercase()
    );
    report.push(Severity::Guess, "spawn-height", message);
}

/// An edit of one answer that has no safe place in the file.
fn refused(script: &Script<'_>, key: Key, objects: &[&Object], at: usize, why: &str) -> FormatError {
    let wanted = by_hand(objects);
    FormatError::ForeignScript { line: script.line(at), what: key.label(), wanted: format!("{wanted} ({why}; write it there by hand)") }
}

/// An edit of a whole group that has no safe place in the file.
pub fn refused_group(script: &Script<'_>, group: Group, objects: &[Object], why: Option<Unclear>, at: usize) -> FormatError {
    let keys = Key::ALL.into_iter().filter(|key| key.group() == group);
    let lines: Vec<String> = keys
        .filter_map(|key| {
            let objects: Vec<&Object> = objects.iter().filter(|object| key.is_of(object)).collect();
            let name = match key {
                Key::Spawn(team) => team.label().to_owned(),
                Key::Intel(team) => format!("{}'s intel", team.label()),
                Key::Base(team) => format!("{}'s base", team.label()),
            };
            (!objects.is_empty()).then(|| format!("for {name}: {}", by_hand(&objects)))
        })
        .collect();
    let wanted = match group {
        Group::Territories => territories(objects),
        _ if lines.is_empty() => "return None".to_owned(),
        _ => lines.join("; "),
    };
    let reason = why.map_or("write it there by hand".to_owned(), |why| format!("{}; write it there by hand", why.why));
    let line = script.line(why.map_or(at, |why| why.at));
    FormatError::ForeignScript { line, what: group.label(), wanted: format!("{wanted} ({reason})") }
}

/// Where territories are to stand, in words: no one line of a script says it.
fn territories(objects: &[Object]) -> String {
    let one = |object: &Object| match object {
        Object::Territory { owner, at } => {
            let owner = owner.map_or_else(|| "nobody".to_owned(), |owner| owner.label().to_owned());
            Some(format!("a territory of {owner} at ({}, {})", at.x, at.y))
        }
        _ => None,
    };
    let all: Vec<String> = objects.iter().filter_map(one).collect();
    if all.is_empty() { "no territories".into() } else { all.join(", ") }
}

/// What a function of a script has to do for some objects.
fn by_hand(objects: &[&Object]) -> String {
    let ground = |owner: &str, x: i32, y: i32| format!("{owner}.protocol.map.get_z({x}, {y})");
    let anchor = |at: &crate::document::Anchor| {
        let z = at.z.map_or_else(|| ground("team", at.x, at.y), |z| z.to_string());
        format!("return ({}, {}, {z})", at.x, at.y)
    };
    let one = |object: &&Object| match object {
        Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => anchor(at),
        Object::SpawnPoint { at, .. } => format!("return ({}, {}, {})", at.x, at.y, at.z),
        Object::SpawnRegion { area, z, .. } => {
            let ([x0, y0], [x1, y1]) = (area.min(), area.max());
            let (x, y) = (format!("random.randrange({x0}, {x1})"), format!("random.randrange({y0}, {y1})"));
            match z {
                0 => format!("x, y = {x}, {y} and return x, y, connection.protocol.map.get_z(x, y)"),
                z => format!("return {x}, {y}, {z}"),
            }
        }
    };
    let points: Option<Vec<String>> = objects
        .iter()
        .map(|object| match object {
            Object::SpawnPoint { at, .. } => Some(format!("({}, {}, {})", at.x, at.y, at.z)),
            _ => None,
        })
        .collect();
    match (objects, points) {
        ([], _) => "return None".into(),
        ([only], _) => one(only),
        (_, Some(points)) => format!("return random.choice([{}])", points.join(", ")),
        (several, None) => several.iter().map(one).collect::<Vec<_>>().join(", or "),
    }
}
