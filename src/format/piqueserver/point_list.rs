//! Points added to and removed from a list of someone else's script, as in `[(1, 2, 3), (4, 5, 6)]`.
//!
//! What is written is only a proposal: `write` reads the new text again, and takes it if it says what was meant.

use std::collections::BTreeSet;
use std::ops::Range;

use super::edits::{Edits, line_ending};
use super::places::{Place, coordinates};
use super::script::Script;
use super::tokens::{Kind, Token, tokens};
use super::value::{Cell, Numbers};
use crate::document::Object;

/// A point of the list in the text.
struct Tuple<'a> {
    place: &'a Place,
    /// Tokens from its opening bracket to its closing one.
    tokens: Range<usize>,
    /// Its bytes.
    span: Range<usize>,
}

/// Makes the list of these places one of `wanted`, which has more or fewer. Answers the objects as the script then has them.
///
/// # Errors
/// Where in the text and why it cannot be done.
pub fn edit(
    script: &Script<'_>,
    places: &[Place],
    wanted: &[Object],
    others: &Numbers,
    edits: &mut Edits,
) -> Result<Vec<Object>, (usize, &'static str)> {
    let at = places.first().map_or(0, |place| place.at);
    let odd = (at, "the script has another number of places there, and they are no plain list of points");
    let all = tokens(script.text).list;
    let mut tuples: Vec<Tuple<'_>> = places.iter().map(|place| tuple(&all, place)).collect::<Option<_>>().ok_or(odd)?;
    tuples.sort_by_key(|tuple| tuple.span.start);
    let list = bounds(&all, &tuples).ok_or(odd)?;
    let numbers = || all.get(list.clone()).into_iter().flatten().filter(|token| token.kind == Kind::Number);
    if let Some(number) = numbers().find(|number| others.contains(&number.span.start)) {
        return Err((number.span.start, "a number there stands for something else as well"));
    }
    let mut left: Vec<&Object> = wanted.iter().collect();
    let mut kept: Vec<&Tuple<'_>> = vec![];
    let mut before = None;
    for tuple in &tuples {
        if let Some(same) = left.iter().position(|object| **object == tuple.place.object) {
            left.remove(same);
            kept.push(tuple);
            before = Some(tuple);
        } else if edits.replace(removed(script, &all, tuple, before, list.end), String::new()) {
            before = None;
        } else {
            return Err(odd);
        }
    }
    let Some(last) = kept.last() else {
        return Err((at, "all places of the list would be others"));
    };
    let gap = gap(script, &tuples);
    for object in &left {
        if std::mem::discriminant(*object) != std::mem::discriminant(&last.place.object) {
            return Err((last.place.at, "the script holds regions in one way and points in another"));
        }
        let text = written(script, last, object).ok_or(odd)?;
        edits.insert(last.span.end, &format!(",{gap}{text}"));
    }
    Ok(kept.iter().map(|tuple| tuple.place.object.clone()).chain(left.into_iter().cloned()).collect())
}

/// The brackets around the numbers of a place, with nothing but those between them.
fn tuple<'a>(all: &[Token<'_>], place: &'a Place) -> Option<Tuple<'a>> {
    let cells: Vec<&Cell> = place.cells.iter().flatten().collect();
    // A column is from its number to the next one.
    let spans: BTreeSet<usize> = cells.iter().map(|cell| cell.span.start).collect();
    let has_echo_elsewhere = place.echoes.iter().any(|(_, cell)| !spans.contains(&cell.span.start));
    let first = cells.iter().map(|cell| cell.span.start).min()?;
    let last = cells.iter().map(|cell| cell.span.end).max()?;
    let from = all.iter().position(|token| token.span.start >= first)?.checked_sub(1)?;
    let to = all.iter().position(|token| token.span.start >= last)?;
    let is_open = |token: &Token<'_>| matches!(token.text, "(" | "[");
    let is_closed = |token: &Token<'_>| matches!(token.text, ")" | "]");
    let inner = all.get(from + 1..to)?;
    let numbers = inner.iter().filter(|token| token.kind == Kind::Number).count();
    let is_plain = inner.iter().all(|token| token.kind == Kind::Number || matches!(token.text, "," | "-" | "+"));
    let is_tuple = is_open(all.get(from)?) && is_closed(all.get(to)?) && is_plain && numbers == spans.len() && !has_echo_elsewhere;
    is_tuple.then_some(Tuple { place, tokens: from..to + 1, span: all.get(from)?.span.start..all.get(to)?.span.end })
}

/// The tokens between the brackets of the list, if it holds these points and nothing else.
fn bounds(all: &[Token<'_>], tuples: &[Tuple<'_>]) -> Option<Range<usize>> {
    let is = |at: usize, texts: &[&str]| all.get(at).is_some_and(|token| texts.contains(&token.text));
    let (first, last) = (tuples.first()?, tuples.last()?);
    let joined = |two: &[Tuple<'_>]| match two {
        [one, next] => one.tokens.end + 1 == next.tokens.start && is(one.tokens.end, &[","]),
        _ => false,
    };
    let has_comma = is(last.tokens.end, &[","]);
    let end = last.tokens.end + usize::from(has_comma);
    let start = first.tokens.start.checked_sub(1)?;
    let is_list = is(start, &["["]) && is(end, &["]"]) || is(start, &["("]) && is(end, &[")"]);
    (is_list && tuples.windows(2).all(joined)).then_some(start + 1..end)
}

/// The bytes that go with a point: its comma, or that of the one before it, if that stays; and its line where it has one of its own.
fn removed(script: &Script<'_>, all: &[Token<'_>], tuple: &Tuple<'_>, before: Option<&Tuple<'_>>, list_end: usize) -> Range<usize> {
    let text = |range: Range<usize>| script.text.get(range).unwrap_or_default();
    let comma = all.get(tuple.tokens.end).filter(|token| tuple.tokens.end < list_end && token.text == ",");
    if let (None, Some(before)) = (comma, before) {
        let between = before.span.end..tuple.span.start;
        if text(between.clone()).iter().all(|byte| matches!(byte, b',' | b' ' | b'\t' | b'\r' | b'\n')) {
            return between.start..tuple.span.end;
        }
    }
    let mut end = comma.map_or(tuple.span.end, |comma| comma.span.end);
    let blanks = |from: usize| text(from..script.text.len()).iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let start = tuple.span.start;
    let indent = text(0..start).iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let is_first_of_line = text(0..start - indent).ends_with(b"\n");
    end += blanks(end);
    match *text(end..script.text.len()) {
        [b'\n', ..] if is_first_of_line => start - indent..end + 1,
        [b'\r', b'\n', ..] if is_first_of_line => start - indent..end + 2,
        [b'\r' | b'\n' | b'#', ..] => start..end,
        // The bracket of the list follows: its blanks stay.
        _ if comma.is_none() => start..tuple.span.end,
        _ => start..end,
    }
}

/// What stands between two points, behind the comma.
fn gap(script: &Script<'_>, tuples: &[Tuple<'_>]) -> String {
    let Some(last) = tuples.last() else { return " ".into() };
    let before = script.text.get(..last.span.start).unwrap_or_default();
    let indent = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let line = before.get(..before.len() - indent).unwrap_or_default();
    let blanks = String::from_utf8_lossy(before.get(line.len()..).unwrap_or_default()).into_owned();
    if line.ends_with(b"\n") { format!("{}{blanks}", line_ending(script.text, last.span.start)) } else { " ".into() }
}

/// A point as the list has them: as many numbers, in the order of another one.
fn written(script: &Script<'_>, like: &Tuple<'_>, object: &Object) -> Option<String> {
    let wanted = coordinates(object);
    let mut cells: Vec<(usize, &Cell)> =
        like.place.cells.iter().enumerate().filter_map(|(index, cell)| Some((index, cell.as_ref()?))).collect();
    cells.sort_by_key(|(_, cell)| cell.span.start);
    let (mut text, mut at) = (vec![], like.span.start);
    for (index, cell) in cells {
        if cell.span.start < at {
            // The other end of the same column.
            continue;
        }
        let value = i64::from(wanted.get(index).copied().flatten()?).checked_sub(cell.add)?;
        text.extend_from_slice(script.text.get(at..cell.span.start)?);
        text.extend_from_slice(value.to_string().as_bytes());
        at = cell.span.end;
    }
    text.extend_from_slice(script.text.get(at..like.span.end)?);
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::*;
    use crate::document::{GameProfile, ObjectId, Team};
    use crate::geom::{ColumnRect, Region, VoxelPos};
    use crate::voxel::Store;

    const FUNCTION: &str = "def get_spawn_location(connection):\n    if connection.team is connection.protocol.blue_team:\n        return random.choice(blue)\n";

    /// Blue's points after an edit of those that the script has; the text that comes of it.
    fn edited(text: &str, edit: impl FnOnce(&mut Vec<[i32; 3]>)) -> Result<String, FormatError> {
        let mut document = Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES);
        PiqueserverTxt.apply(text.as_bytes(), &mut document, &mut Report::new()).unwrap();
        document.mark_opened();
        let mut points: Vec<[i32; 3]> = document
            .objects
            .iter()
            .map(|(_, object)| match object {
                Object::SpawnPoint { team: Team::Blue, at } => at.to_array(),
                other => panic!("{other:?}"),
            })
            .collect();
        edit(&mut points);
        let objects = points.into_iter().map(|at| Object::SpawnPoint { team: Team::Blue, at: VoxelPos::from_array(at) });
        document.objects = Arc::new((1..).map(ObjectId).zip(objects).collect());
        let written = PiqueserverTxt.write(&document, Some(text.as_bytes()), &mut Report::new())?.unwrap();
        Ok(String::from_utf8(written).unwrap())
    }

    #[track_caller]
    fn check(list: &str, edit: impl FnOnce(&mut Vec<[i32; 3]>), expected: &str) {
        let head = "import random\n";
        let written = edited(&format!("{head}blue = {list}\n{FUNCTION}"), edit).unwrap();
        assert_eq!(written, format!("{head}blue = {expected}\n{FUNCTION}"));
    }

    #[test]
    fn points_are_added_in_the_style_of_the_list() {
        let add = |points: &mut Vec<[i32; 3]>| points.push([7, 8, 9]);
        check("[(1, 2, 3), (4, 5, 6)]", add, "[(1, 2, 3), (4, 5, 6), (7, 8, 9)]");
        check("[(1,2,3)]", add, "[(1,2,3), (7,8,9)]");
        check("((1, 2, 3), [4, 5, 6],)", add, "((1, 2, 3), [4, 5, 6], [7, 8, 9],)");
        check(
            "[\r\n    (1, 2, 3),  # here\r\n    (4, 5, 6)\r\n]",
            add,
            "[\r\n    (1, 2, 3),  # here\r\n    (4, 5, 6),\r\n    (7, 8, 9)\r\n]",
        );
        check("[\n\t(1, 2, 3), \n\t(4, 5, 6), \n]", add, "[\n\t(1, 2, 3), \n\t(4, 5, 6),\n\t(7, 8, 9), \n]");
    }

    #[test]
    fn points_are_removed_with_their_commas_and_lines() {
        let first = |points: &mut Vec<[i32; 3]>| _ = points.remove(0);
        let last = |points: &mut Vec<[i32; 3]>| _ = points.pop();
        check("[(1, 2, 3), (4, 5, 6)]", first, "[(4, 5, 6)]");
        check("[(1, 2, 3), (4, 5, 6) ]", last, "[(1, 2, 3) ]");
        check("[(1, 2, 3), (4, 5, 6), ]", last, "[(1, 2, 3), ]");
        check("[\n    (1, 2, 3),\n    (4, 5, 6)\n]", first, "[\n    (4, 5, 6)\n]");
        check("[\n    (1, 2, 3),\n    (4, 5, 6)\n]", last, "[\n    (1, 2, 3)\n]");
        check("[\n    (1, 2, 3), # a\n    (4, 5, 6)\n]", last, "[\n    (1, 2, 3), # a\n]");
        check("[\n    (1, 2, 3), # a\n    (4, 5, 6), # b\n]", first, "[\n    # a\n    (4, 5, 6), # b\n]");
        let both = |points: &mut Vec<[i32; 3]>| *points = vec![points[2], [9, 9, 9], [10, 9, 9]];
        check("[(1, 2, 3), (4, 5, 6), (7, 8, 9)]", both, "[(7, 8, 9), (9, 9, 9), (10, 9, 9)]");
    }

    #[test]
    fn columns_whose_ground_is_asked_for_are_listed_too() {
        let text = "from random import choice\nblue = [\n\t(1, 2),\n\t(4, 5)\n]\ndef get_spawn_location(connection):\n    \
            if connection.team is connection.protocol.blue_team:\n        x, y = choice(blue)\n        \
            return x, y, connection.protocol.map.get_z(x, y)\n";
        let mut document = Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES);
        PiqueserverTxt.apply(text.as_bytes(), &mut document, &mut Report::new()).unwrap();
        document.mark_opened();
        let region = |x: i32, y: i32| Object::SpawnRegion { team: Team::Blue, area: ColumnRect::new([x, y], [x + 1, y + 1]), z: 0 };
        Arc::make_mut(&mut document.objects).push(region(7, 8));
        let written = PiqueserverTxt.write(&document, Some(text.as_bytes()), &mut Report::new()).unwrap().unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text.replace("(4, 5)", "(4, 5),\n\t(7, 8)"));
        // A point has a height of its own.
        Arc::make_mut(&mut document.objects).push(Object::SpawnPoint { team: Team::Blue, at: VoxelPos::new(1, 1, 1) });
        assert!(PiqueserverTxt.write(&document, Some(text.as_bytes()), &mut Report::new()).is_err());
    }

    #[test]
    fn what_a_list_cannot_say_is_refused() {
        let add = |points: &mut Vec<[i32; 3]>| points.push([7, 8, 9]);
        let none = |points: &mut Vec<[i32; 3]>| *points = vec![[7, 8, 9], [9, 9, 9], [10, 9, 9]];
        let list = |list: &str| format!("import random\nblue = {list}\n{FUNCTION}");
        assert!(edited(&list("[(1, 2, 3), (4, 5, 6)]"), none).is_err(), "no point stays");
        assert!(edited(&list("[(1, 2, 3)] + [(4, 5, 6)]"), add).is_err(), "no plain list");
        let refused = format!("import random\nx = 4\nblue = [(1, 2, 3), (x, 5, 6)]\n{FUNCTION}");
        assert!(matches!(edited(&refused, add), Err(FormatError::ForeignScript { line: 3.., .. })));
    }
}
