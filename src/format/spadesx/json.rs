//! `name.json`: the older shape, in two dimensions. Read, never written.

use serde_json::Value;

use super::{MAX_BYTES, fog, number, region, tell_wrong};
use crate::document::{Document, Object, Property, Snapshot, Team};
use crate::format::merge::{ObjectKind, edited, edited_properties, replace_objects, set_property};
use crate::format::{FormatError, JSON_NOT_WRITTEN, Report, Severity, Sidecar};

const FILE: &str = "SpadesX file (.json)";

/// The older metadata file of the SpadesX map collection.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpadesxJson;

impl Sidecar for SpadesxJson {
    fn id(&self) -> &'static str {
        "spadesx-json"
    }

    fn label(&self) -> &'static str {
        "SpadesX metadata, older kind"
    }

    fn suffix(&self) -> &'static str {
        ".json"
    }

    fn accompanies(&self) -> &'static [&'static str] {
        &["vxl"]
    }

    fn made_when_missing(&self, _map_format: &str) -> bool {
        false
    }

    fn superseded_by(&self) -> Option<&'static str> {
        Some("spadesx-toml")
    }

    fn apply(&self, bytes: &[u8], document: &mut Document, report: &mut Report) -> Result<(), FormatError> {
        if bytes.len() > MAX_BYTES {
            return Err(FormatError::FileTooLarge { length: bytes.len() as u64, most: MAX_BYTES as u64 });
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let root: Value = serde_json::from_slice(text).map_err(|error| FormatError::Syntax {
            line: error.line().max(1),
            column: error.column().max(1),
            expected: "JSON",
        })?;
        let Value::Object(root) = root else {
            return Err(FormatError::Syntax { line: 1, column: 1, expected: "a JSON object" });
        };
        let numbers = |key: &str| -> Option<Vec<i64>> { root.get(key)?.as_array()?.iter().map(Value::as_i64).collect() };
        let text = |key: &str| root.get(key).and_then(Value::as_str).map(str::to_owned);
        for key in ["author", "description"] {
            match text(key) {
                Some(said) if key == "author" => set_property(document, Property::Author(Some(said)), FILE, report),
                Some(said) => set_property(document, Property::Description(Some(said)), FILE, report),
                None if root.contains_key(key) => tell_wrong(key, "a text", FILE, report),
                None => {}
            }
        }
        match numbers("fog_color").and_then(|parts| fog(&parts, report)) {
            Some(fog) => set_property(document, Property::Fog(Some(fog)), FILE, report),
            None if root.contains_key("fog_color") => tell_wrong("fog_color", "a list of three numbers", FILE, report),
            None => {}
        }
        let corner = |team: Team, end: &str| match numbers(&format!("team{}_{end}", number(team)))?.as_slice() {
            [x, y, ..] => Some([*x, *y]),
            _ => None,
        };
        for team in Team::ALL {
            let keys = ["start", "end"].map(|end| (format!("team{}_{end}", number(team)), corner(team, end).is_some()));
            for (key, is_read) in &keys {
                if root.contains_key(key) && !is_read {
                    tell_wrong(key, "a list of two numbers", FILE, report);
                }
            }
            if let [(here, true), (missing, false)] | [(missing, false), (here, true)] = &keys
                && !root.contains_key(missing)
            {
                let message = format!("{here} stands without {missing} in the {FILE}; it is left out");
                report.push(Severity::Guess, "not-understood", message);
            }
        }
        let spawns: Vec<Object> =
            Team::ALL.into_iter().filter_map(|team| Some(region(team, corner(team, "start")?, corner(team, "end")?, 0, report))).collect();
        if !spawns.is_empty() {
            replace_objects(document, ObjectKind::Spawn, spawns, FILE, report);
        }
        Ok(())
    }

    fn write(&self, snapshot: &Snapshot, previous: Option<&[u8]>, report: &mut Report) -> Result<Option<Vec<u8>>, FormatError> {
        let is_held = |property: &Property| matches!(property, Property::Author(_) | Property::Description(_) | Property::Fog(_));
        if previous.is_some() && (edited(snapshot, ObjectKind::Spawn) || edited_properties(snapshot).iter().any(is_held)) {
            let message = "the older SpadesX .json stays as it was and is out of date now: the edits are in the .toml, which counts more; remove the .json unless \
                           something else reads it";
            report.push(Severity::Guess, JSON_NOT_WRITTEN, message);
        }
        Ok(previous.map(<[u8]>::to_vec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::GameProfile;
    use crate::geom::{ColumnRect, Region};
    use crate::voxel::Store;

    fn opened(text: &[u8]) -> (Document, Report) {
        let mut document = Document::new(Store::new(Region::of_size(glam::IVec3::new(512, 512, 64))), &GameProfile::ACE_OF_SPADES);
        let mut report = Report::new();
        SpadesxJson.apply(text, &mut document, &mut report).unwrap();
        document.mark_opened();
        (document, report)
    }

    #[test]
    fn reversed_corners_make_a_region_with_both_ends() {
        let (document, report) = opened(br#"{"team2_start": [224, 511], "team2_end": [288, 491], "author": "a", "tags": ["ctf"]}"#);
        let spawns: Vec<_> = document.objects.spawns(Team::Green).map(|(_, object)| object.area()).collect();
        assert_eq!(spawns, [ColumnRect::new([224, 491], [289, 512])]);
        assert_eq!(document.metadata.author.as_deref(), Some("a"));
        assert!(report.warnings.is_empty());
    }

    #[test]
    fn values_that_are_wrong_are_told_with_their_key() {
        let text =
            br#"{"team1_start": [500,5], "team1_end": [400,9], "team2_start": [1], "fog_color": "x", "author": 5, "description": []}"#;
        let (document, report) = opened(text);
        let told: Vec<_> = report.warnings.iter().map(|warning| warning.message.split(' ').next().unwrap()).collect();
        assert_eq!(told, ["author", "description", "fog_color", "team2_start"], "{report:?}");
        assert_eq!(document.objects.0.len(), 1);
        let (_, report) = opened(br#"{"team2_end": [1, 2]}"#);
        assert!(report.warnings[0].message.starts_with("team2_end stands without team2_start"), "{report:?}");
    }

    #[test]
    fn it_is_never_changed_and_says_so() {
        let text = br#"{"author": "a"}"#;
        let (mut document, _) = opened(text);
        let mut report = Report::new();
        assert_eq!(SpadesxJson.write(&document, Some(text), &mut report).unwrap().as_deref(), Some(&text[..]));
        assert!(report.warnings.is_empty());
        std::sync::Arc::make_mut(&mut document.metadata).author = Some("b".into());
        assert_eq!(SpadesxJson.write(&document, Some(text), &mut report).unwrap().as_deref(), Some(&text[..]));
        assert_eq!(report.worst(), Some(Severity::Guess));
        assert_eq!(SpadesxJson.write(&document, None, &mut report).unwrap(), None);
    }

    #[test]
    fn what_is_no_json_object_is_refused_with_its_line() {
        let mut document = opened(b"{}").0;
        for text in ["", "[", "[1]", "{\n\"a\": }", &"[".repeat(100_000)] {
            assert!(SpadesxJson.apply(text.as_bytes(), &mut document, &mut Report::new()).is_err(), "{text:.20}");
        }
    }
}
