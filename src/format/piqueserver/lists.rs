//! Lists in place: what stays keeps its bytes, its comments and its line; what is new stands between.

use std::ops::Range;

use super::literal::literal_at;
use super::script::{Script, line_end};

/// An entry of a list as it shall be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The old one with that index.
    Kept(usize),
    /// Another one.
    New(String),
}

/// Finds old entries again: `old` and `new` as texts that can be compared, in order; `None` is never found.
pub fn aligned(old: &[Option<String>], new: Vec<String>) -> Vec<Entry> {
    let mut next = 0;
    let entry = |text: String| {
        let found = old.iter().enumerate().skip(next).find(|(_, old)| old.as_ref() == Some(&text));
        let Some((at, _)) = found else { return Entry::New(text) };
        next = at + 1;
        Entry::Kept(at)
    };
    new.into_iter().map(entry).collect()
}

/// An entry with what stands after it, up to the next one.
struct Piece {
    entry: String,
    gap: String,
}

/// The list at `list`, whose entries stand at `items`, with other entries. `empty` is what a list without entries is.
pub fn respliced(script: &Script<'_>, list: &Range<usize>, items: &[Range<usize>], entries: &[Entry], empty: &str) -> String {
    let text = |span: Range<usize>| String::from_utf8_lossy(script.text.get(span).unwrap_or_default()).into_owned();
    let new_text = |entries: &[Entry]| fresh(entries, empty);
    let (Some(first), Some(last)) = (items.first(), items.last()) else {
        // Behind the bracket, before a comment that is in the list.
        let inner = text(list.start + 1..list.end);
        let is_kept = has_comment(script, list) && script.text.get(list.start) == Some(&b'[') && !entries.is_empty();
        let new = new_text(entries);
        return if is_kept { format!("{},{inner}", new.get(..new.len().saturating_sub(1)).unwrap_or_default()) } else { new };
    };
    let keeps_any = entries.iter().any(|entry| matches!(entry, Entry::Kept(_)));
    if let Some(rest) = emptied(script, list, items).filter(|_| entries.is_empty()) {
        return rest;
    }
    if entries.is_empty() || (!keeps_any && !has_comment(script, list)) {
        return fresh(entries, empty);
    }
    let gap = |i: usize| items.get(i).zip(items.get(i + 1)).map(|(item, next)| text(item.end..next.start)).unwrap_or_default();
    // Between new ones stands what stands between old ones, without their comments.
    let usual = items.len().checked_sub(2).map(gap).filter(|gap| gap.trim() == ",").unwrap_or_else(|| ", ".into());
    let is_kept = |i: usize| entries.contains(&Entry::Kept(i));
    let mut head = text(list.start..first.start);
    let mut pieces = Vec::<Piece>::new();
    let mut next = 0;
    let drop_until = |to: usize, next: &mut usize, pieces: &mut Vec<Piece>, head: &mut String| {
        while *next < to {
            let rest = gap(*next);
            let rest = rest.trim_start_matches([',', ' ', '\t']);
            let before = pieces.last_mut().map_or(&mut *head, |piece| &mut piece.gap);
            if rest.trim().is_empty() {
                *next += 1;
                continue;
            }
            // A line that ends here ends without blanks; a comment keeps its place.
            if rest.starts_with(['\r', '\n']) {
                before.truncate(before.trim_end_matches([' ', '\t']).len());
            }
            before.push_str(rest);
            *next += 1;
        }
    };
    for entry in entries {
        match entry {
            Entry::Kept(i) => {
                drop_until(*i, &mut next, &mut pieces, &mut head);
                pieces.push(Piece { entry: items.get(*i).cloned().map(text).unwrap_or_default(), gap: gap(*i) });
                next = i + 1;
            }
            // In the place of one that leaves.
            Entry::New(new) if next < items.len() && !is_kept(next) => {
                let old = items.get(next).cloned().unwrap_or_default();
                pieces.push(Piece { entry: within(script, &old, new), gap: gap(next) });
                next += 1;
            }
            Entry::New(new) => pieces.push(Piece { entry: new.clone(), gap: String::new() }),
        }
    }
    drop_until(items.len(), &mut next, &mut pieces, &mut head);
    let tail = text(last.end..list.end);
    let count = pieces.len();
    let mut out = head;
    for (i, piece) in pieces.into_iter().enumerate() {
        out.push_str(&piece.entry);
        let is_bare = piece.gap.trim_matches([',', ' ', '\t', '\r', '\n']).is_empty();
        if i + 1 < count {
            // A comma comes before the comment that follows.
            match piece.gap.trim_start().starts_with(',') {
                true => out.push_str(&piece.gap),
                false if is_bare => out.push_str(&usual),
                false => out.push_str(&format!(",{}", piece.gap)),
            }
            continue;
        }
        let is_comma_needed = count == 1 && tuple_like(script, list);
        if !is_bare {
            let gap = if piece.gap.trim_start().starts_with(',') { piece.gap } else { format!(",{}", piece.gap) };
            out.push_str(&gap);
            out.push_str(tail.trim_start_matches(','));
        } else {
            // A tuple of one is no tuple without its comma.
            if is_comma_needed && !tail.trim_start().starts_with(',') {
                out.push(',');
            }
            out.push_str(&tail);
        }
    }
    out
}

/// A list in brackets without its items, with the comments in it; `None` where it has none.
pub fn emptied(script: &Script<'_>, list: &Range<usize>, items: &[Range<usize>]) -> Option<String> {
    let is_bracketed = matches!(script.text.get(list.start), Some(b'[' | b'(' | b'{'));
    if !is_bracketed || !has_comment(script, list) {
        return None;
    }
    let is_left = |at: &usize| script.code.get(*at) != Some(&b',') && !items.iter().any(|item| item.contains(at));
    let bytes: Vec<u8> = list.clone().filter(is_left).filter_map(|at| script.text.get(at).copied()).collect();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // Where an item stood at the end of a line no blanks stay.
    let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches([' ', '\t'])).collect();
    Some(lines.join("\n"))
}

/// An entry with comments in it as it shall be: where it has as many parts as before, each of them takes the place of the
/// old one.
fn within(script: &Script<'_>, old: &Range<usize>, new: &str) -> String {
    let parts = |text: &[u8], at: usize| -> Option<Vec<Range<usize>>> {
        let first = literal_at(text, at).ok()?;
        // `key: (x, y, z)` in braces.
        let colon = text.get(first.span.end..)?.iter().position(|byte| !byte.is_ascii_whitespace())? + first.span.end;
        let value = if text.get(colon) == Some(&b':') { literal_at(text, colon + 1).ok()? } else { first };
        Some(value.items()?.iter().map(|item| item.span.clone()).collect())
    };
    // Behind the entry something must follow, as it does in a list.
    let closed = format!("{new},");
    let (Some(before), Some(now)) = (parts(script.text, old.start), parts(closed.as_bytes(), 0)) else { return new.into() };
    if !has_comment(script, old) || before.len() != now.len() || before.iter().any(|part| part.end > old.end) {
        return new.into();
    }
    let (mut out, mut at) = (String::new(), old.start);
    for (before, now) in before.into_iter().zip(now) {
        out.push_str(&String::from_utf8_lossy(script.text.get(at..before.start).unwrap_or_default()));
        out.push_str(new.get(now).unwrap_or_default());
        at = before.end;
    }
    out + &String::from_utf8_lossy(script.text.get(at..old.end).unwrap_or_default())
}

fn fresh(entries: &[Entry], empty: &str) -> String {
    let texts: Vec<&str> = entries.iter().map(|entry| if let Entry::New(text) = entry { text } else { "" }).collect();
    match (texts.is_empty(), empty.get(..1), empty.get(1..)) {
        (false, Some(open), Some(close)) => format!("{open}{}{close}", texts.join(", ")),
        _ => empty.into(),
    }
}

fn tuple_like(script: &Script<'_>, list: &Range<usize>) -> bool {
    !matches!(script.text.get(list.start), Some(b'[' | b'{'))
}

/// Whether a comment stands in a span.
pub fn has_comment(script: &Script<'_>, span: &Range<usize>) -> bool {
    hashes(script, span).next().is_some()
}

/// The signs of comments in a span, also those within comments.
fn hashes(script: &Script<'_>, span: &Range<usize>) -> impl Iterator<Item = usize> {
    let mut quote = None;
    span.clone().filter(move |at| {
        let code = script.code.get(*at).copied();
        match (quote, code) {
            (None, Some(b'\'' | b'"')) => quote = code,
            (Some(_), _) if code == quote => quote = None,
            (None, Some(b' ')) => return script.text.get(*at) == Some(&b'#'),
            _ => {}
        }
        false
    })
}

/// Whole lines without what stands before the comments in them: those without a comment go, the others keep it.
pub fn but_comments(script: &Script<'_>, lines: &Range<usize>) -> Vec<Range<usize>> {
    let (mut spans, mut at) = (vec![], lines.start);
    let hashes: Vec<usize> = hashes(script, lines).collect();
    while at < lines.end {
        let end = line_end(script.text, at).min(lines.end);
        spans.push(at..hashes.iter().copied().find(|hash| (at..end).contains(hash)).unwrap_or(end));
        at = end;
    }
    spans
}
