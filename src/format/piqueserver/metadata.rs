//! Name, author, fog and so on: from literals, and back into them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::edits::{Edits, line_ending};
use super::encoding;
use super::lists::{Entry, but_comments, emptied, has_comment, respliced};
use super::literal::{Literal, Value, quoted};
use super::script::{Script, Setting, Statement, after_form_feed, line_start, skip_blanks, word_at, words};
use super::tokens::{Kind, tokens};
use crate::document::{Property, Sector};
use crate::format::{FormatError, Report, Severity};
use crate::voxel::Rgb;

/// The names that the server reads and we know, with those that mappers write instead.
pub const KEYS: [(&str, &str); 8] = [
    ("name", "Name"),
    ("author", "Author"),
    ("version", "Version"),
    ("description", "Description"),
    ("fog", "Fog"),
    ("protected", "Protected"),
    ("cap_limit", "Cap_limit"),
    ("time_limit", "Time_limit"),
];

/// The name under which the server reads a property; `None` if it has none.
pub fn key(property: &Property) -> Option<&'static str> {
    Some(match property {
        Property::Name(_) => "name",
        Property::Author(_) => "author",
        Property::Version(_) => "version",
        Property::Description(_) => "description",
        Property::Fog(_) => "fog",
        Property::GameMode(_) => return None,
        Property::Protected(_) => "protected",
        Property::CapLimit(_) => "cap_limit",
        Property::TimeLimit(_) => "time_limit",
    })
}

/// The properties that the file names.
pub fn read(script: &Script<'_>, report: &mut Report) -> Vec<Property> {
    let mut properties = Vec::new();
    // One piece of code may stand for several.
    let mut computed = BTreeMap::<usize, Vec<&str>>::new();
    for key in KEYS.iter().map(|(key, _)| *key).chain(["extensions"]) {
        if let Setting::Code(at) = script.setting(key) {
            computed.entry(at).or_default().push(key);
        }
    }
    for (at, keys) in computed {
        let (keys, value) = match keys.as_slice() {
            [key] if is_in_block(script, at) => {
                ((*key).to_owned(), "is no plain value: it is set within a block, such as that of an if, and left as it is")
            }
            [key] => ((*key).to_owned(), "is no plain value; it is left as it is"),
            keys => (keys.join(", "), "are no plain values; they are left as they are"),
        };
        let message = format!("{keys} {value} (if it is a mistake, the server ignores the whole file)");
        report.push_line(Severity::Guess, "not-a-literal", message, script.line(at));
    }
    for (key, capitalized) in KEYS {
        match script.setting(key) {
            Setting::Literal(statement) => properties.extend(property(script, key, &statement.literal, report)),
            Setting::Code(_) | Setting::Missing => {}
        }
        match script.setting(capitalized) {
            Setting::Literal(statement) => {
                let message = format!("the server ignores {capitalized}: it reads {key} only");
                report.push_line(Severity::Problem, "ignored-by-server", message, script.line(statement.start));
                if matches!(script.setting(key), Setting::Missing) {
                    properties.extend(property(script, key, &statement.literal, report));
                }
            }
            Setting::Code(at) => {
                let message = format!("{capitalized} is no plain value, and the server reads {key} only");
                report.push_line(Severity::Problem, "ignored-by-server", message, script.line(at));
            }
            Setting::Missing => {}
        }
    }
    if let Setting::Literal(statement) = script.setting("protect") {
        let line = script.line(statement.start);
        report.push_line(Severity::Problem, "ignored-by-server", "the server ignores protect: it reads protected only", line);
    }
    if let Some(function) = script.function("on_block_build_attempt") {
        let line = script.line(function.span.start);
        report.push_line(Severity::Problem, "ignored-by-server", "the server never calls on_block_build_attempt of a map", line);
    }
    if let Some(function) = script.function("gen_script") {
        let message = "the server calls gen_script to make the map, and does not load the map file";
        report.push_line(Severity::Problem, "made-by-script", message, script.line(function.span.start));
    }
    properties
}

/// Whether a name is set in a block at the top level: what stands there need not happen.
fn is_in_block(script: &Script<'_>, at: usize) -> bool {
    let start = after_form_feed(&script.code, line_start(&script.code, at));
    let first = skip_blanks(&script.code, start);
    let word = word_at(&script.code, first);
    let opens = [&b"if"[..], b"elif", b"else", b"try", b"except", b"finally", b"for", b"while", b"with"].contains(&word);
    (start < first && first <= at) || (opens && first < at)
}

/// The property as the lower-case key gives it: what the server sees.
pub fn read_one(script: &Script<'_>, key: &str) -> Option<Property> {
    property(script, key, script.literal(key)?, &mut Report::new())
}

/// Changes one property, in place or on a new line.
///
/// # Errors
/// [`FormatError::ForeignScript`] if code sets it, or if it cannot be removed without touching more.
pub fn write(script: &Script<'_>, property: &Property, edits: &mut Edits) -> Result<(), FormatError> {
    let Some(key) = key(property) else { return Ok(()) };
    let wanted = || value(property, false).map_or_else(|| format!("no {key}"), |value| format!("{key} = {value}"));
    let what = if matches!(property, Property::Protected(_)) { "the list of protected sectors" } else { property.label() };
    let foreign = |at: usize| FormatError::ForeignScript { line: script.line(at), what, wanted: wanted() };
    // What was told to be left as it is, but for plain numbers that the user gives others.
    if let Setting::Literal(statement) = script.setting(key)
        && statement.literal.value != Value::None
        && read_one(script, key).is_none()
        && (!is_numbers(property, &statement.literal) || has_comment(script, &statement.literal.inner))
    {
        return Err(foreign(statement.start));
    }
    let ascii_only = str::from_utf8(script.text).is_err() || encoding::of(script.text) != encoding::Encoding::Utf8;
    match (script.setting(key), value(property, ascii_only)) {
        (Setting::Code(at), _) => Err(foreign(at)),
        (Setting::Missing, Some(text)) => {
            if let Some(at) = script.module.door_behind(new_line_at(script)) {
                return Err(foreign(at));
            }
            add_line(script, &format!("{key} = {text}"), edits);
            Ok(())
        }
        (Setting::Literal(statement), Some(text)) => {
            let literal = &statement.literal;
            let text = match (property, &literal.value) {
                (Property::Protected(sectors), _) => protected(script, literal, sectors),
                // A number stays one: code may compare it.
                (Property::Version(Some(version)), Value::Int(_))
                    if version.parse::<i64>().is_ok_and(|number| number.to_string() == *version) =>
                {
                    version.clone()
                }
                _ => text,
            };
            let replaced = with_its_comments(script, property, literal, text);
            let is_done = replaced.into_iter().all(|(span, text)| edits.replace(span, text));
            if is_done { Ok(()) } else { Err(foreign(statement.start)) }
        }
        (Setting::Missing | Setting::Literal(_), None) => {
            // The capitalized name as well: reading takes it where there is no other, and the value would be back.
            let names = KEYS.iter().find(|(name, _)| *name == key).map_or([key; 2], |(name, capitalized)| [*name, *capitalized]);
            // Without it, whatever uses it would fail, and the server leaves out a script that fails.
            let own: BTreeSet<usize> = script.statements.iter().map(|statement| statement.start).collect();
            let is_own = |at: usize| own.contains(&at);
            let is_attribute = |at: usize| at.checked_sub(1).and_then(|before| script.code.get(before)) == Some(&b'.');
            let used =
                names.iter().find_map(|name| words(&script.code, 0..script.code.len(), name).find(|at| !is_own(*at) && !is_attribute(*at)));
            if let (Some(at), Setting::Literal(_)) = (used, script.setting(key)) {
                return Err(foreign(at));
            }
            for statement in script.statements.iter().filter(|statement| names.contains(&&*statement.name)) {
                if let (Property::Protected(_), true) = (property, statement.name == key)
                    && let Some(rest) = emptied(script, &statement.literal.inner, &item_spans(&statement.literal))
                {
                    if !edits.replace(statement.literal.inner.clone(), rest) {
                        return Err(foreign(statement.start));
                    }
                    continue;
                }
                let spans = match statement.alone {
                    true => but_comments(script, &statement.lines),
                    false => vec![among_others(script, statement)],
                };
                if !spans.into_iter().all(|span| edits.replace(span, String::new())) {
                    return Err(foreign(statement.start));
                }
            }
            Ok(())
        }
    }
}

/// Whether a literal that was not understood is of plain numbers, as the property is: `12.5` minutes, a fog of four parts.
fn is_numbers(property: &Property, literal: &Literal) -> bool {
    let is_number = |literal: &Literal| matches!(literal.value, Value::Int(_) | Value::Float(_));
    match property {
        Property::CapLimit(_) | Property::TimeLimit(_) => is_number(literal),
        Property::Fog(_) => is_number(literal) || literal.items().is_some_and(|items| items.iter().all(is_number)),
        _ => false,
    }
}

/// The spans of a literal that become others when it becomes `text`: comments in it and in the parentheses around it stay.
fn with_its_comments(script: &Script<'_>, property: &Property, literal: &Literal, text: String) -> Vec<(Range<usize>, String)> {
    if matches!(property, Property::Protected(_)) {
        return vec![(literal.inner.clone(), text)];
    }
    if !has_comment(script, &literal.span) {
        return vec![(literal.span.clone(), text)];
    }
    if !has_comment(script, &literal.inner) {
        return vec![(literal.inner.clone(), text)];
    }
    match (property, literal.items()) {
        (Property::Fog(Some(fog)), Some(items)) => {
            items.iter().map(|item| item.inner.clone()).zip(fog.to_array().map(|part| part.to_string())).collect()
        }
        // Strings that Python joins: the first takes the place of all.
        _ => {
            let parts = tokens(script.text.get(literal.inner.clone()).unwrap_or_default()).list;
            let parts = parts.into_iter().filter(|token| token.kind == Kind::Text);
            let spans = parts.map(|token| literal.inner.start + token.span.start..literal.inner.start + token.span.end);
            spans.zip(std::iter::once(text).chain(std::iter::repeat(String::new()))).collect()
        }
    }
}

/// A statement that shares its line with others, with the semicolon between them.
fn among_others(script: &Script<'_>, statement: &Statement) -> Range<usize> {
    let neighbors = || script.statements.iter().filter(|other| other.lines == statement.lines);
    match neighbors().find(|other| other.start > statement.start) {
        Some(next) => statement.start..next.start,
        None => {
            let before = neighbors().filter(|other| other.start < statement.start).map(|other| other.literal.span.end).max();
            before.unwrap_or(statement.start)..statement.literal.span.end
        }
    }
}

/// A property as a Python literal; `None` where it is unset.
pub fn value(property: &Property, ascii_only: bool) -> Option<String> {
    match property {
        Property::Name(text) | Property::Author(text) | Property::Version(text) | Property::Description(text) => {
            text.as_ref().map(|text| quoted(text, ascii_only))
        }
        Property::Fog(fog) => fog.map(|fog| format!("({}, {}, {})", fog.r, fog.g, fog.b)),
        Property::GameMode(_) => None,
        Property::Protected(sectors) if sectors.is_empty() => None,
        Property::Protected(sectors) => {
            let names: Vec<String> = sectors.iter().map(|sector| format!("'{sector}'")).collect();
            Some(format!("[{}]", names.join(", ")))
        }
        Property::CapLimit(number) | Property::TimeLimit(number) => number.map(|number| number.to_string()),
    }
}

fn property(script: &Script<'_>, key: &str, literal: &Literal, report: &mut Report) -> Option<Property> {
    let line = script.line(literal.span.start);
    if !encoding::is_read(encoding::of(script.text), script.text, literal) {
        let message = format!("{key} holds letters in an encoding that Spadework does not read; it is left as it is");
        report.push_line(Severity::Guess, "unknown-encoding", message, line);
        return None;
    }
    let text = || match &literal.value {
        Value::Str(text) => Some(text.clone()),
        Value::Int(number) => Some(number.to_string()),
        Value::Float(number) => Some(float_text(*number)),
        _ => None,
    };
    let number = || literal.as_int().and_then(|number| u32::try_from(number).ok());
    let property = match key {
        "name" => text().map(|text| Property::Name(Some(text))),
        "author" => text().map(|text| Property::Author(Some(text))),
        "version" => text().map(|text| Property::Version(Some(text))),
        "description" => text().map(|text| Property::Description(Some(text))),
        "fog" => fog(literal, line, report),
        "protected" => literal.items().map(|items| {
            let (known, unknown): (Vec<_>, Vec<_>) = items.iter().map(sector).partition(Option::is_some);
            if !unknown.is_empty() {
                let message = match unknown.len() {
                    1 => "1 entry of protected names no sector A1 to H8; it is kept".to_owned(),
                    count => format!("{count} entries of protected name no sector A1 to H8; they are kept"),
                };
                report.push_line(Severity::Problem, "unknown-sectors", message, line);
            }
            Property::Protected(known.into_iter().flatten().collect())
        }),
        "cap_limit" => number().map(|number| Property::CapLimit(Some(number))),
        _ => number().map(|number| Property::TimeLimit(Some(number))),
    };
    let is_odd = |letter: &u8| *letter == b'\\';
    let source = script.text.get(literal.span.clone()).unwrap_or_default();
    if let Value::Str(text) = &literal.value
        && text.contains(char::REPLACEMENT_CHARACTER)
        && source.iter().any(is_odd)
        && !source.to_ascii_lowercase().windows(6).any(|six| six == b"\\ufffd")
    {
        let message = format!(
            "{key} has half a letter (such as \\ud800), which no other file can hold: it is shown as {} and stays in the script",
            char::REPLACEMENT_CHARACTER
        );
        report.push_line(Severity::Guess, "half-letter", message, line);
    }
    if property.is_none() && literal.value != Value::None {
        report.push_line(Severity::Guess, "not-understood", format!("{key} has a value of an unusual kind; it is left as it is"), line);
    }
    property
}

/// A number as the server turns it into text: `1.10` is `1.1` there.
fn float_text(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e16).contains(&size) && size.is_finite() {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |exponent| ("-", exponent));
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    if number.fract() == 0.0 { format!("{number:.1}") } else { number.to_string() }
}

/// Where else than in its own statements the script uses a property's name: what is said there changes with it.
pub fn used_elsewhere(script: &Script<'_>, property: &Property) -> Option<usize> {
    let key = key(property)?;
    let is_own = |at: usize| script.statements.iter().any(|statement| statement.start == at);
    let is_attribute = |at: usize| at.checked_sub(1).and_then(|before| script.code.get(before)) == Some(&b'.');
    words(&script.code, 0..script.code.len(), key)
        .find(|at| !is_own(*at) && !is_attribute(*at) && !names_argument(&script.code, *at, key) && !is_local(script, *at, key))
}

/// Whether one `=` follows a name.
fn is_set_at(code: &[u8], at: usize, name: &str) -> bool {
    matches!(code.get(skip_blanks(code, at + name.len())..), Some([b'=', rest @ ..]) if rest.first() != Some(&b'='))
}

/// Whether a name is that of an argument: `f(name='x')`, `def f(name=1)`.
fn names_argument(code: &[u8], at: usize, name: &str) -> bool {
    let before = code.get(..at).unwrap_or_default().trim_ascii_end();
    matches!(before.last(), Some(b'(' | b',')) && is_set_at(code, at, name)
}

/// Whether a name stands in a function that sets one of its own under it, or is given it.
fn is_local(script: &Script<'_>, at: usize, name: &str) -> bool {
    let Some(function) = script.functions.iter().find(|function| function.span.contains(&at)) else { return false };
    let code = &script.code;
    let is_global = |at: usize| word_at(code, skip_blanks(code, line_start(code, at))) == b"global";
    let head =
        function.span.start + code.get(function.span.clone()).and_then(|text| text.iter().position(|byte| *byte == b')')).unwrap_or(0);
    let is_parameter = |at: usize| {
        let before = code.get(..at).unwrap_or_default().trim_ascii_end();
        at < head && matches!(before.last(), Some(b'(' | b',' | b'*'))
    };
    let begins_line = |at: usize| skip_blanks(code, line_start(code, at)) == at;
    let all = || words(code, function.span.clone(), name);
    !all().any(is_global) && all().any(|at| is_parameter(at) || begins_line(at) && is_set_at(code, at, name))
}

fn fog(literal: &Literal, line: usize, report: &mut Report) -> Option<Property> {
    let parts: Vec<i64> = literal.items()?.iter().map(Literal::as_int).collect::<Option<_>>()?;
    let [r, g, b] = parts.as_slice() else { return None };
    if [r, g, b].iter().any(|part| !(0..=255).contains(*part)) {
        let message = format!("fog ({r}, {g}, {b}) is outside 0 to 255: the server shows another color; read as the nearest");
        report.push_line(Severity::Repair, "fog-out-of-range", message, line);
    }
    let [r, g, b] = [r, g, b].map(|part| u8::try_from((*part).clamp(0, 255)).unwrap_or(u8::MAX));
    Some(Property::Fog(Some(Rgb::new(r, g, b))))
}

fn sector(item: &Literal) -> Option<Sector> {
    // The server takes capital letters only; a small one protects nothing.
    item.as_str().filter(|name| name.starts_with(|first: char| first.is_ascii_uppercase()))?.parse().ok()
}

/// The list with what left it taken out and what is new at its end; the rest as it was typed.
fn protected(script: &Script<'_>, old: &Literal, sectors: &BTreeSet<Sector>) -> String {
    let items = old.items().unwrap_or_default();
    let mut missing = sectors.clone();
    for item in items {
        sector(item).map(|sector| missing.remove(&sector));
    }
    let stays = |item: &Literal| sector(item).is_none_or(|sector| sectors.contains(&sector));
    let kept = items.iter().enumerate().filter(|(_, item)| stays(item)).map(|(at, _)| Entry::Kept(at));
    let entries: Vec<Entry> = kept.chain(missing.iter().map(|sector| Entry::New(format!("'{sector}'")))).collect();
    respliced(script, &old.inner, &item_spans(old), &entries, "[]")
}

fn item_spans(list: &Literal) -> Vec<Range<usize>> {
    list.items().unwrap_or_default().iter().map(|item| item.span.clone()).collect()
}

/// Adds a line after the last of the known names, or at the end.
fn add_line(script: &Script<'_>, line: &str, edits: &mut Edits) {
    let at = new_line_at(script);
    let eol = line_ending(script.text, at);
    // The last line may have no end; the new one then has none either.
    let is_open = at == script.text.len() && !script.text.is_empty() && !script.text.ends_with(b"\n");
    let bare = script.text == b"\xEF\xBB\xBF";
    edits.insert(at, &if is_open && !bare { format!("{eol}{line}") } else { format!("{line}{eol}") });
}

/// Where a new line goes.
fn new_line_at(script: &Script<'_>) -> usize {
    let is_known = |name: &str| name == "extensions" || KEYS.iter().any(|(key, capitalized)| name == *key || name == *capitalized);
    let known_end = script.statements.iter().filter(|statement| is_known(&statement.name)).map(|statement| statement.lines.end).max();
    known_end.unwrap_or(script.text.len())
}
