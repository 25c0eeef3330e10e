//! An entity that was moved or has another prototype: which pieces of its own lines change. Its components, its uid and
//! its comments stay, so that nothing it holds is lost.

use super::entities::{Entity, transform_lines};
use super::loaded::Loaded;
use super::scanner::{inner, key, quoted, scalar};
use super::splice::Splices;
use crate::format::FormatError;

/// What becomes of an entity.
#[derive(Clone, Debug, Default)]
pub(super) struct Rewrite<'a> {
    /// Steps in tiles, y north, from its old place to the new one.
    pub by: [i32; 2],
    /// Number of the grid that it goes to, if that is another one.
    pub grid: Option<u32>,
    /// Its prototype, if that is another one.
    pub label: Option<&'a str>,
}

/// The pieces of an entity's lines that change. A prototype that heads a group is no line of the entity.
pub(super) fn pieces(loaded: &Loaded, bytes: &[u8], entity: &Entity, rewrite: &Rewrite<'_>) -> Result<Splices, FormatError> {
    let mut splices = Splices::default();
    if rewrite.by != [0, 0] {
        shove(loaded, bytes, entity, rewrite.by, &mut splices)?;
    }
    if let Some(number) = rewrite.grid {
        let what = "moving an entity to another grid, where it does not name the one it stands on";
        let parent = transform_lines(bytes, entity).and_then(|lines| lines.parent).ok_or(FormatError::Unsupported { what })?;
        let what = "moving an entity to a grid without a uid";
        let grid = loaded.index.grids.get(number as usize).ok_or(FormatError::Unsupported { what })?;
        let name = if entity.names_grid { number } else { grid.uid.ok_or(FormatError::Unsupported { what })? };
        splices.replace(parent, name.to_string());
    }
    if let Some(label) = rewrite.label.filter(|_| loaded.index.format < 4) {
        retype(loaded, bytes, entity, label, &mut splices);
    }
    Ok(splices)
}

/// The lines of an entity with those pieces, indented as the group that they go to, each with its line break.
pub(super) fn lines(loaded: &Loaded, bytes: &[u8], entity: &Entity, pieces: Splices, from: usize, to: usize) -> Option<String> {
    let (eol, text) = (loaded.index.eol(), pieces.within(bytes, entity.lines())?);
    let mut moved = String::with_capacity(text.len() + 2);
    for line in text.split_inclusive('\n') {
        let spaces = line.bytes().take_while(|byte| *byte == b' ').count();
        if to > from && !line.trim_end().is_empty() {
            moved.extend(std::iter::repeat_n(' ', to - from));
        }
        moved.push_str(line.get(spaces.min(from.saturating_sub(to))..).unwrap_or(line));
    }
    if !moved.ends_with('\n') {
        moved.push_str(eol);
    }
    Some(moved)
}

/// Moves an entity: its position keeps its place within the tile, its digits, and what follows on the line.
fn shove(loaded: &Loaded, bytes: &[u8], entity: &Entity, by: [i32; 2], splices: &mut Splices) -> Result<(), FormatError> {
    match entity.position() {
        Some(span) => {
            let value = bytes.get(span.clone()).unwrap_or_default();
            let text = scalar(value).unwrap_or_default();
            let (x, y) = text.split_once(',').unwrap_or(("0", "0"));
            let inner = inner(value);
            let span = span.start + inner.start..span.start + inner.end;
            splices.replace(span, format!("{},{}", moved(x.trim(), by[0]), moved(y.trim(), by[1])));
        }
        None => {
            let what = "moving an entity whose Transform was not found";
            let lines = transform_lines(bytes, entity).ok_or(FormatError::Unsupported { what })?;
            let (eol, indent) = (loaded.index.eol(), lines.indent);
            let line = format!("{:indent$}pos: {},{}{eol}", "", moved("0", by[0]), moved("0", by[1]));
            splices.insert_lines(bytes, lines.next, eol, &line);
        }
    }
    Ok(())
}

/// Up to format 3 an entity names its prototype itself.
fn retype(loaded: &Loaded, bytes: &[u8], entity: &Entity, label: &str, splices: &mut Splices) {
    let mut scanner = super::scanner::Scanner::new(bytes, entity.lines().start);
    let Some(head) = scanner.line() else { return };
    let (first, indent) = (scanner.item_text(&head), scanner.item_text(&head) - head.start);
    let mut text = first;
    while let Some(line) = scanner.line().filter(|line| line.start < entity.lines().end) {
        if line.start != head.start {
            text = line.text();
        }
        let is_own = line.start == head.start || (line.indent == indent && !line.is_item);
        if is_own && let Some((b"type", value)) = key(scanner.slice(text..line.end)) {
            let inner = inner(scanner.slice(text + value..line.end));
            // In quotes already, as in the name of a prototype nothing is escaped.
            splices.replace(text + value + inner.start..text + value + inner.end, label);
            return;
        }
        scanner.advance();
    }
    splices.replace(first..first, format!("type: {}{}{:indent$}", quoted(label), loaded.index.eol(), ""));
}

/// A decimal number and a step more: where it is written plainly, only digits before the point change.
fn moved(text: &str, by: i32) -> String {
    exactly_moved(text, by).unwrap_or_else(|| {
        let sum = text.parse().unwrap_or(0.0) + f64::from(by);
        format!("{}", (sum * 1e6).round() / 1e6 + 0.0)
    })
}

fn exactly_moved(text: &str, by: i32) -> Option<String> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if text.len() > 30 || !is_plain(fraction) || !is_plain(whole.strip_prefix('-').unwrap_or(whole)) {
        return None;
    }
    let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let sum = format!("{whole}{fraction}").parse::<i128>().ok()? + i128::from(by) * scale;
    let sign = if sum < 0 { "-" } else { "" };
    let (whole, rest) = (sum.abs() / scale, sum.abs() % scale);
    Some(if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest:0width$}", width = fraction.len()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_positions_keep_their_digits() {
        #[track_caller]
        fn check(text: &str, by: i32, expected: &str) {
            assert_eq!(moved(text, by), expected, "{text} + {by}");
        }
        check("5.2591753", 3, "8.2591753");
        check("-0.50", 1, "0.50");
        check("-4.5729136", -2, "-6.5729136");
        check("-1.25", 1, "-0.25");
        check("7", -7, "0");
        check("-5.9127808E-05", 1, "0.999941");
        check(".5", 1, "1.5");
    }
}
