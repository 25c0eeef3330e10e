//! `name.toml`: what SpadesX's server reads beside a map. Written with everything else kept: comments,
//! order, unknown keys.
//!
//! One region for each team, from `start` to `end`, both inclusive here: `start = [64, 233, 59]`,
//! `end = [118, 287, 59]` are the columns 64 ≤ x < 119, 233 ≤ y < 288. The ground is looked for from the
//! smaller z downwards. No key places bases or intel.

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value, value};

use super::{MAX_BYTES, MAX_COLUMN, fog, region, tell_wrong};
use crate::document::{Document, GameProfile, Object, Property, Snapshot, Team};
use crate::format::merge::{ObjectKind, edited, edited_properties, replace_objects, set_property, spawns_of};
use crate::format::{FormatError, Report, Severity, Sidecar};
use crate::geom::ColumnRect;

/// Lines that one edit can take out at most and still be followed.
const MAX_LOOKAHEAD: usize = 100;

const FILE: &str = "SpadesX file (.toml)";

/// SpadesX's metadata file.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpadesxToml;

impl Sidecar for SpadesxToml {
    fn id(&self) -> &'static str {
        "spadesx-toml"
    }

    fn label(&self) -> &'static str {
        "SpadesX metadata"
    }

    fn suffix(&self) -> &'static str {
        ".toml"
    }

    fn accompanies(&self) -> &'static [&'static str] {
        &["vxl"]
    }

    fn most_bytes(&self) -> usize {
        MAX_BYTES
    }

    fn made_when_missing(&self, _map_format: &str) -> bool {
        false
    }

    fn apply(&self, bytes: &[u8], document: &mut Document, report: &mut Report) -> Result<(), FormatError> {
        let (file, style) = parse(bytes)?;
        if style.bom {
            let message = "the file begins with a byte order mark, which is kept; a server that does not start with it needs the file saved \
                           as UTF-8 without one";
            report.push_line(Severity::Info, "byte-order-mark", message, 1);
        }
        match file.get("map").and_then(Item::as_table_like) {
            Some(map) => {
                for property in properties(map, report) {
                    set_property(document, property, FILE, report);
                }
            }
            None => report.push(Severity::Problem, "missing-table", "SpadesX does not start without the table [map]"),
        }
        let points = file.get("spawnpoints").and_then(Item::as_table_like);
        let mut spawns = Vec::new();
        for team in Team::ALL {
            let Some(table) = points.and_then(|points| points.get(team_key(team))).and_then(Item::as_table_like) else {
                let message = format!("SpadesX does not start without {} in [spawnpoints]", team_key(team));
                report.push(Severity::Problem, "missing-table", message);
                continue;
            };
            let corner = |key: &str| table.get(key).and_then(numbers).filter(|corner| corner.len() == 3);
            if corner("start").is_none() || corner("end").is_none() {
                let message =
                    format!("{} names no start or end of three whole numbers; SpadesX takes 0, 0, 0 and 10, 10, 0", team_key(team));
                report.push(Severity::Guess, "missing-corner", message);
            }
            let start = corner("start").unwrap_or_else(|| vec![0, 0, 0]);
            let end = corner("end").unwrap_or_else(|| vec![10, 10, 0]);
            if let ([x0, y0, z0], [x1, y1, z1]) = (start.as_slice(), end.as_slice()) {
                spawns.push(region(team, [*x0, *y0], [*x1, *y1], *z0.min(z1), report));
            }
        }
        if !spawns.is_empty() {
            replace_objects(document, ObjectKind::Spawn, spawns, FILE, report);
        }
        Ok(())
    }

    fn write(&self, snapshot: &Snapshot, previous: Option<&[u8]>, report: &mut Report) -> Result<Option<Vec<u8>>, FormatError> {
        if [ObjectKind::Base, ObjectKind::Intel, ObjectKind::Territory].iter().any(|kind| edited(snapshot, *kind)) {
            report.push(Severity::Info, "not-in-toml", "SpadesX places bases and intel itself: its .toml holds none");
        }
        let Some(previous) = previous else {
            return Ok(Some(whole(snapshot, report).into_bytes()));
        };
        let properties: Vec<Property> = edited_properties(snapshot).into_iter().filter(|property| entry(property).is_some()).collect();
        let teams: Vec<Team> = Team::ALL
            .into_iter()
            .filter(|team| spawns_of(&snapshot.objects, *team) != spawns_of(&snapshot.opened.objects, *team))
            .collect();
        if properties.is_empty() && teams.is_empty() {
            return Ok(Some(previous.to_vec()));
        }
        let mut said = Report::new();
        match changed(snapshot, previous, &properties, &teams, &mut said) {
            Ok(bytes) => {
                report.extend(said);
                Ok(Some(bytes))
            }
            // The map is saved all the same.
            Err(FormatError::Unsupported { what }) => {
                let message = format!("the SpadesX .toml stays as it is, and what was edited is not in it: {what}");
                report.push(Severity::Loss, "toml-kept", message);
                Ok(Some(previous.to_vec()))
            }
            Err(error) => Err(error),
        }
    }
}

/// The file with edited properties, and the regions of edited teams.
fn changed(
    snapshot: &Snapshot,
    previous: &[u8],
    properties: &[Property],
    teams: &[Team],
    report: &mut Report,
) -> Result<Vec<u8>, FormatError> {
    let (file, style) = parse(previous)?;
    let removed: Vec<&str> = properties.iter().filter_map(entry).filter(|(_, new)| new.is_none()).map(|(key, _)| key).collect();
    // What cannot be taken out of the text is taken out of the table.
    let mut file = without(style.body, &removed).and_then(|body| body.parse().ok()).unwrap_or(file);
    let map = table_in(file.as_table_mut(), "map")?;
    for (key, new) in properties.iter().filter_map(entry) {
        match new {
            Some(new) => put(map, key, new),
            None => drop(map.remove(key)),
        }
    }
    if !teams.is_empty() {
        let points = table_in(file.as_table_mut(), "spawnpoints")?;
        for team in teams {
            let (area, z) = team_region(snapshot, *team, report);
            put_region(table_in_line(points, team_key(*team))?, area, z);
        }
    }
    Ok(style.restore(&file.to_string()))
}

/// The text without some lines of its table `[map]`; comments beside them stay. `None` where they are no lines of their own.
fn without(body: &str, keys: &[&str]) -> Option<String> {
    let file = toml_edit::Document::parse(body).ok()?;
    let map = file.as_table().get("map")?.as_table()?;
    let mut spans = vec![];
    for key in keys {
        let Some((key, item)) = map.get_key_value(key) else { continue };
        let (mut start, end) = (key.span()?.start, item.as_value()?.span()?.end);
        if map.is_dotted() {
            let before = body.get(..start)?;
            let line = before.get(before.rfind('\n').map_or(0, |newline| newline + 1)..)?.trim_start();
            // `map.author`: the first part of the key goes, too, where it stands there.
            start -= line.strip_prefix("map").and_then(|dot| (dot.trim() == ".").then_some(line.len()))?;
        }
        let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
        let indent = body.get(..start)?.len() - body.get(..start)?.trim_end_matches([' ', '\t']).len();
        let rest = body.get(end..)?;
        let behind = end + blanks(rest);
        // With the end of its line, where nothing else stands there.
        let line = body.get(behind..)?;
        let newline = if line.starts_with("\r\n") { 2 } else { usize::from(line.starts_with('\n')) };
        spans.push(if line.starts_with('#') { start..behind } else { start - indent..behind + newline });
    }
    spans.sort_by_key(|span| span.start);
    let (mut out, mut at) = (String::new(), 0);
    for span in spans {
        out.push_str(body.get(at..span.start)?);
        at = span.end;
    }
    out.push_str(body.get(at..)?);
    Some(out)
}

/// What the parser does not keep: the mark at the start, and which lines end in CR LF.
struct Style<'a> {
    bom: bool,
    body: &'a str,
}

impl Style<'_> {
    /// Gives each line of the new text the ending of the same line of the old one, or else of its
    /// neighbour.
    fn restore(&self, text: &str) -> Vec<u8> {
        let mut out = String::from(if self.bom { "\u{feff}" } else { "" });
        let old: Vec<&str> = self.body.split_inclusive('\n').collect();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let content = line.trim_end_matches(['\r', '\n']);
            let rest = old.get(at..).unwrap_or_default();
            let same = rest.iter().take(MAX_LOOKAHEAD).position(|old| old.trim_end_matches(['\r', '\n']) == content);
            at += same.unwrap_or(0);
            out.push_str(content);
            if line.ends_with('\n') {
                let is_crlf = old.get(at).or(old.last()).is_some_and(|old| old.ends_with("\r\n"));
                out.push_str(if is_crlf { "\r\n" } else { "\n" });
            }
            at += 1;
        }
        if !self.body.is_empty() && !self.body.ends_with('\n') {
            out.truncate(out.trim_end_matches(['\r', '\n']).len());
        }
        out.into_bytes()
    }
}

fn parse(bytes: &[u8]) -> Result<(DocumentMut, Style<'_>), FormatError> {
    if bytes.len() > MAX_BYTES {
        return Err(FormatError::FileTooLarge { length: bytes.len() as u64, most: MAX_BYTES as u64 });
    }
    let syntax = |offset: usize, expected: &'static str| {
        let head = bytes.get(..offset).unwrap_or(bytes);
        let line = 1 + head.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + head.iter().rev().take_while(|byte| **byte != b'\n').count();
        FormatError::Syntax { line, column, expected }
    };
    let text = str::from_utf8(bytes).map_err(|error| syntax(error.valid_up_to(), "text in UTF-8"))?;
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let skipped = text.len() - body.len();
    let file: DocumentMut = body.parse().map_err(|error: toml_edit::TomlError| {
        let span = error.span().unwrap_or_default();
        let key = body.get(span.clone()).unwrap_or_default().trim_matches(['[', ']']).trim().to_owned();
        match syntax(skipped + span.start, "TOML") {
            FormatError::Syntax { line, .. } if error.message().starts_with("duplicate key") => FormatError::RepeatedKey { line, key },
            other => other,
        }
    })?;
    Ok((file, Style { bom: skipped > 0, body }))
}

fn team_key(team: Team) -> &'static str {
    match team {
        Team::Blue => "team1",
        Team::Green => "team2",
    }
}

fn numbers(item: &Item) -> Option<Vec<i64>> {
    item.as_array()?.iter().map(Value::as_integer).collect()
}

fn properties(map: &dyn TableLike, report: &mut Report) -> Vec<Property> {
    let text = |key: &str| map.get(key).and_then(Item::as_str).map(str::to_owned);
    let fog = map.get("fog_color").and_then(numbers).and_then(|parts| fog(&parts, report));
    let limit = map.get("capture_limit").and_then(Item::as_integer).and_then(|limit| u32::try_from(limit).ok());
    for (key, is_read, expected) in [
        ("author", text("author").is_some(), "a text"),
        ("description", text("description").is_some(), "a text"),
        ("fog_color", fog.is_some(), "a list of three numbers"),
        ("capture_limit", limit.is_some(), "a whole number"),
    ] {
        if !is_read && map.contains_key(key) {
            tell_wrong(key, expected, FILE, report);
        }
    }
    let author = text("author").map(|author| Property::Author(Some(author)));
    let description = text("description").map(|description| Property::Description(Some(description)));
    let fog = fog.map(|fog| Property::Fog(Some(fog)));
    let limit = limit.map(|limit| Property::CapLimit(Some(limit)));
    [author, description, fog, limit].into_iter().flatten().collect()
}

/// Key and value of a property; `None` if this file has no key for it.
fn entry(property: &Property) -> Option<(&'static str, Option<Value>)> {
    Some(match property {
        Property::Author(text) => ("author", text.as_deref().map(string)),
        Property::Description(text) => ("description", text.as_deref().map(string)),
        Property::Fog(fog) => ("fog_color", fog.map(|fog| Value::Array(fog.to_array().into_iter().map(i64::from).collect()))),
        Property::CapLimit(limit) => ("capture_limit", limit.map(|limit| Value::from(i64::from(limit)))),
        _ => return None,
    })
}

/// Text on one line, whatever it holds: line ends of the file must not get into it.
fn string(text: &str) -> Value {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    // The parser keeps the form; where it should disagree, its own form is as good.
    out.parse().unwrap_or_else(|_| Value::from(text))
}

/// Sets a key; blanks and comments around an old value stay.
fn put(table: &mut dyn TableLike, key: &str, mut new: Value) {
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            *new.decor_mut() = old.decor().clone();
            match (&mut *old, &mut new) {
                // As many parts: what stands around each of them stays.
                (Value::Array(parts), Value::Array(other)) if parts.len() == other.len() => {
                    for (part, other) in parts.iter_mut().zip(other.iter_mut()) {
                        *other.decor_mut() = part.decor().clone();
                        *part = other.clone();
                    }
                }
                _ => *old = new,
            }
        }
        None => drop(table.insert(key, value(new))),
    }
}

fn table_in<'t>(parent: &'t mut Table, key: &str) -> Result<&'t mut dyn TableLike, FormatError> {
    let item = parent.entry(key).or_insert_with(|| Item::Table(Table::new()));
    item.as_table_like_mut().ok_or(FormatError::Unsupported { what: "its map or spawnpoints is no table" })
}

fn table_in_line<'t>(parent: &'t mut dyn TableLike, key: &str) -> Result<&'t mut dyn TableLike, FormatError> {
    let item = parent.entry(key).or_insert_with(|| value(InlineTable::new()));
    item.as_table_like_mut().ok_or(FormatError::Unsupported { what: "its team1 or team2 is no table" })
}

/// The columns and the z of a team: one region, since the file holds one.
fn team_region(snapshot: &Snapshot, team: Team, report: &mut Report) -> (ColumnRect, i64) {
    let map = ColumnRect::new([0, 0], [512, 512]);
    let mut bounds: Option<(ColumnRect, i64)> = None;
    let mut count = 0;
    for spawn in spawns_of(&snapshot.objects, team) {
        let area = spawn.area().intersection(&map);
        let z = match spawn {
            Object::SpawnRegion { z, .. } => i64::from(z),
            Object::SpawnPoint { at, .. } => i64::from(at.z),
            _ => 0,
        };
        if spawn.area().is_empty() {
            report.push(Severity::Loss, "empty-region", "spawn regions without any column are written nowhere");
            continue;
        }
        if area.is_empty() {
            report.push(Severity::Loss, "object-outside", "spawns outside the map are not written to the SpadesX .toml");
            continue;
        }
        count += 1;
        bounds = Some(bounds.map_or((area, z), |(old, old_z)| {
            let ([a, b], [c, d]): ([[i32; 2]; 2], [[i32; 2]; 2]) = (old.into(), area.into());
            let area = ColumnRect::new([a[0].min(c[0]), a[1].min(c[1])], [b[0].max(d[0]), b[1].max(d[1])]);
            (area, old_z.min(z))
        }));
    }
    if count > 1 {
        let message =
            format!("SpadesX holds one spawn region for each team: {count} of {} are written as the box around them", team.label());
        report.push_count(Severity::Loss, "regions-joined", message, count);
    }
    bounds.unwrap_or_else(|| {
        report.push(Severity::Guess, "default-spawn", format!("{} has no spawn: SpadesX gets the usual zone", team.label()));
        let zones = snapshot.profile.default_spawns.iter().chain(GameProfile::ACE_OF_SPADES.default_spawns);
        (zones.into_iter().find(|zone| zone.team == team).map_or(map, |zone| zone.area().intersection(&map)), 0)
    })
}

/// Writes the corners, each axis in the direction it had; numbers that stay are not touched.
fn put_region(team: &mut dyn TableLike, area: ColumnRect, z: i64) {
    let corner = |key: &str| team.get(key).and_then(numbers).filter(|corner| corner.len() == 3);
    let (mut start, mut end) = (corner("start").unwrap_or_else(|| vec![0; 3]), corner("end").unwrap_or_else(|| vec![0; 3]));
    let [min, max]: [[i32; 2]; 2] = area.into();
    for (axis, (a, b)) in start.iter_mut().zip(&mut end).enumerate() {
        let (low, high) = match (min.get(axis), max.get(axis)) {
            (Some(min), Some(max)) => (i64::from(*min), i64::from(*max) - 1),
            _ if (*a).min(*b) == z => continue,
            _ => (z.clamp(0, 63), z.clamp(0, 63)),
        };
        let is_reversed = *a > *b;
        let unchanged =
            ((*a).min(*b).clamp(0, MAX_COLUMN), (*a).max(*b).clamp(0, MAX_COLUMN)) == (low, high) && *a >= 0 && *b <= MAX_COLUMN;
        if !unchanged {
            (*a, *b) = if is_reversed { (high, low) } else { (low, high) };
        }
    }
    for (key, corner) in [("start", start), ("end", end)] {
        match team.get_mut(key).and_then(Item::as_array_mut).filter(|old| old.len() == corner.len()) {
            Some(old) => {
                for (old, new) in old.iter_mut().zip(&corner) {
                    if old.as_integer() != Some(*new) {
                        let mut new = Value::from(*new);
                        *new.decor_mut() = old.decor().clone();
                        *old = new;
                    }
                }
            }
            None => put(team, key, Value::Array(corner.into_iter().collect())),
        }
    }
}

/// A new file with both tables that the server demands.
fn whole(snapshot: &Snapshot, report: &mut Report) -> String {
    let mut file = DocumentMut::new();
    let mut map = Table::new();
    for (key, new) in snapshot.metadata.properties().iter().filter_map(entry) {
        if let Some(new) = new {
            map.insert(key, value(new));
        }
    }
    map.insert("map_size", value([512_i64, 512, 64].into_iter().collect::<Array>()));
    let mut points = Table::new();
    for team in Team::ALL {
        let (area, z) = team_region(snapshot, team, report);
        let mut table = InlineTable::new();
        put_region(&mut table, area, z);
        points.insert(team_key(team), value(table));
    }
    file.insert("map", Item::Table(map));
    file.insert("spawnpoints", Item::Table(points));
    file.to_string()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::document::ObjectId;
    use crate::geom::Region;
    use crate::voxel::{Rgb, Store};

    const FILE: &str = "# kept\n[map]\nauthor = \"a\" # who\nfog_color = [128, 232, 255]\nother = 1\n\n[spawnpoints]\nteam1 = { start = [64, 233,  59], end = [118, 287, 59] }\nteam2 = { start = [447, 225, 59], end = [393, 278, 59] }\n";

    fn empty() -> Document {
        Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES)
    }

    fn opened(text: &[u8]) -> Document {
        let mut document = empty();
        SpadesxToml.apply(text, &mut document, &mut Report::new()).unwrap();
        document.mark_opened();
        document
    }

    fn written(document: &Document, text: &str) -> String {
        String::from_utf8(SpadesxToml.write(document, Some(text.as_bytes()), &mut Report::new()).unwrap().unwrap()).unwrap()
    }

    #[test]
    fn regions_include_both_corners() {
        let document = opened(FILE.as_bytes());
        let areas: Vec<_> = document.objects.iter().map(|(_, object)| object.area()).collect();
        assert_eq!(areas, [ColumnRect::new([64, 233], [119, 288]), ColumnRect::new([393, 225], [448, 279])]);
        assert_eq!(document.metadata.fog, Some(Rgb::new(128, 232, 255)));
        assert_eq!(written(&document, FILE), FILE);
    }

    #[test]
    fn a_byte_order_mark_is_told() {
        for (text, told) in [(FILE.to_owned(), vec![]), (format!("\u{feff}{FILE}"), vec![("byte-order-mark", Some(1))])] {
            let mut report = Report::new();
            SpadesxToml.apply(text.as_bytes(), &mut empty(), &mut report).unwrap();
            assert_eq!(report.warnings.iter().map(|warning| (warning.code, warning.line)).collect::<Vec<_>>(), told);
        }
    }

    #[test]
    fn only_what_was_edited_changes() {
        for file in [
            FILE.to_owned(),
            FILE.replace('\n', "\r\n"),
            format!("\u{feff}{FILE}"),
            FILE.replace("]\n", "]\r\n"),
            FILE.trim_end().to_owned(),
        ] {
            let mut document = opened(file.as_bytes());
            Arc::make_mut(&mut document.metadata).author = Some("b\"\n".into());
            assert_eq!(written(&document, &file), file.replace("\"a\"", r#""b\"\n""#), "{file}");
            document.metadata = document.opened.metadata.clone();
            let area = ColumnRect::new([393, 225], [450, 279]);
            Arc::make_mut(&mut document.objects).0.insert(ObjectId(2), Object::SpawnRegion { team: Team::Green, area, z: 59 });
            assert_eq!(written(&document, &file), file.replace("447", "449"));
        }
    }

    #[test]
    fn comments_beside_what_is_removed_stay() {
        for (file, expected) in [
            (FILE.to_owned(), FILE.replace("author = \"a\" # who", "# who")),
            (FILE.replace(" # who", "").replace("author", "# mine\nauthor"), FILE.replace("author = \"a\" # who", "# mine")),
            (FILE.replace('\n', "\r\n"), FILE.replace("author = \"a\" # who", "# who").replace('\n', "\r\n")),
            (FILE.replace("\nauthor", "\n  author").replace(" # who", " "), FILE.replace("author = \"a\" # who\n", "")),
            ("map = { author = \"a\", other = 1 }\n".into(), "map = { other = 1 }\n".into()),
            ("map.author = \"a\"\nmap.other = 1\n".into(), "map.other = 1\n".into()),
            ("# x\n map . author = \"a\" # who\nmap.other = 1\n".into(), "# x\n # who\nmap.other = 1\n".into()),
        ] {
            let mut document = opened(file.as_bytes());
            assert_eq!(document.metadata.author.as_deref(), Some("a"), "{file}");
            Arc::make_mut(&mut document.metadata).author = None;
            assert_eq!(written(&document, &file), expected);
        }
    }

    #[test]
    fn comments_within_a_list_stay() {
        let text = "[map]\nfog_color = [1, # red\n  2, 3] # f\n";
        let mut document = opened(text.as_bytes());
        let mut metadata = (*document.metadata).clone();
        metadata.set(Property::Fog(Some(crate::voxel::Rgb::new(10, 11, 12))));
        document.metadata = metadata.into();
        assert_eq!(written(&document, text), "[map]\nfog_color = [10, # red\n  11, 12] # f\n");
    }

    #[test]
    fn a_key_that_stands_twice_is_told_by_its_name() {
        for (text, expected) in [
            ("[map]\nauthor = 'a'\nauthor = 'b'\n", "line 3: author stands there a second time"),
            ("[map]\n[spawnpoints]\n[map]\n", "line 3: map stands there a second time"),
        ] {
            let error = SpadesxToml.apply(text.as_bytes(), &mut empty(), &mut Report::new()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn a_new_file_has_both_tables_and_the_usual_zones() {
        let text = SpadesxToml.write(&empty(), None, &mut Report::new()).unwrap().unwrap();
        let mut document = empty();
        let mut report = Report::new();
        SpadesxToml.apply(&text, &mut document, &mut report).unwrap();
        assert!(report.warnings.is_empty());
        let areas: Vec<_> = document.objects.iter().map(|(_, object)| object.area()).collect();
        assert_eq!(areas, GameProfile::ACE_OF_SPADES.default_spawns.iter().map(|zone| zone.area()).collect::<Vec<_>>());
    }

    #[test]
    fn a_file_with_no_place_for_an_edit_stays_and_stops_nothing() {
        for file in ["[spawnpoints]\nteam1 = 5\n", "map = 1\n", "[map]\nauthor = 5\n[spawnpoints]\nteam1 = [1]\n"] {
            let (mut document, mut report) = (opened(file.as_bytes()), Report::new());
            let area = ColumnRect::new([10, 240], [12, 300]);
            Arc::make_mut(&mut document.objects).push(Object::SpawnRegion { team: Team::Blue, area, z: 0 });
            let text = SpadesxToml.write(&document, Some(file.as_bytes()), &mut report).unwrap().unwrap();
            assert_eq!((text.as_slice(), report.of(Severity::Loss).count()), (file.as_bytes(), 1), "{report:?}");
        }
        let mut report = Report::new();
        SpadesxToml.apply(b"[map]\nauthor = 5\n", &mut empty(), &mut report).unwrap();
        assert!(report.warnings.iter().any(|warning| warning.message.contains("author is not a text")), "{report:?}");
    }

    #[test]
    fn several_regions_become_the_box_around_them() {
        let mut document = opened(FILE.as_bytes());
        let area = ColumnRect::new([10, 240], [12, 300]);
        Arc::make_mut(&mut document.objects).push(Object::SpawnRegion { team: Team::Blue, area, z: 0 });
        let mut report = Report::new();
        let text = SpadesxToml.write(&document, Some(FILE.as_bytes()), &mut report).unwrap().unwrap();
        assert_eq!(report.worst(), Some(Severity::Loss));
        assert!(String::from_utf8(text).unwrap().contains("team1 = { start = [10, 233,  0], end = [118, 299, 0] }"));
    }

    #[test]
    fn truncated_files_never_panic_and_broken_ones_name_their_line() {
        for end in 0..FILE.len() {
            SpadesxToml.apply(&FILE.as_bytes()[..end], &mut empty(), &mut Report::new()).ok();
        }
        let error = SpadesxToml.apply(b"[map]\nx = = 1\n", &mut empty(), &mut Report::new()).unwrap_err();
        assert!(error.to_string().starts_with("line 2"), "{error}");
        let deep = format!("a = {}", "[".repeat(100_000));
        assert!(SpadesxToml.apply(deep.as_bytes(), &mut empty(), &mut Report::new()).is_err());
    }
}
