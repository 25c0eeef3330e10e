//! What a verb answers, and how warnings, places and numbers look in text and in JSON.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::check::Problem;
use crate::document::{Document, Object};
use crate::editor::files::{Opened, Saved};
use crate::format::{Report, Severity, Warning};
use crate::geom::{ColumnRect, VoxelPos};

/// What a verb has to say when it did not fail.
#[derive(Debug, Default)]
pub struct Reply {
    /// For standard output, with its line breaks.
    pub text: String,
    /// For standard error, one line each.
    pub warnings: Vec<String>,
    /// What failed while other parts of the call succeeded, for standard error, one line each.
    pub errors: Vec<String>,
    /// Whether the answer itself counts as a failure, as in `check --strict`.
    pub failed: bool,
}

/// JSON in which letters that a terminal does not show as they are stand as escapes (`\u200f`); outside its strings it has none.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '\n' => text.push(letter),
            _ if is_unprintable(letter) => {
                let mut units = [0; 2];
                letter.encode_utf16(&mut units).iter().for_each(|unit| _ = write!(text, "\\u{unit:04x}"));
            }
            _ => text.push(letter),
        }
    }
    text
}

/// Whether a letter moves a terminal's cursor or turns its text around.
pub fn is_unprintable(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl Reply {
    /// A reply of one JSON value.
    pub fn json(value: &Value) -> Self {
        Self { text: escaped(&format!("{value:#}\n")), ..Self::default() }
    }

    /// A reply of text.
    pub fn text(text: String) -> Self {
        Self { text, ..Self::default() }
    }

    /// The same with what matters of the report as warnings about a file.
    pub fn warn(mut self, file: &Path, report: &Report) -> Self {
        let grave = report.warnings.iter().filter(|warning| warning.severity > Severity::Info);
        let line = |warning: &Warning| {
            let file = warning.file.as_ref().map_or_else(|| file.to_path_buf(), |name| file.with_file_name(name));
            format!("{}: {}", file.display(), warning_text(&Warning { file: None, ..warning.clone() }))
        };
        self.warnings.extend(grave.map(line));
        self
    }
}

/// What to say about a map that was opened and saved.
pub fn saved_reply(from: &Path, to: &Path, opened: &Opened, saved: &Saved, done: &str) -> Reply {
    let written: Vec<String> = saved.written.iter().map(|path| path.display().to_string()).collect();
    let written = if written.is_empty() && saved.report.of(Severity::Loss).next().is_some() {
        "Nothing was written".into()
    } else if written.is_empty() {
        "Nothing to write, the files hold the same already".into()
    } else {
        format!("Saved {}", written.join(", "))
    };
    // What was said about the map as it was opened is not said again.
    let mut news = saved.report.clone();
    news.warnings.retain(|warning| !opened.report.warnings.contains(warning));
    let text = format!("{done}{written}\n{}", left_out_text(saved, &news));
    Reply::text(text).warn(from, &opened.report).warn(to, &news)
}

/// Where steps left no trace in the files, what of them these do not hold.
pub fn left_out_text(saved: &Saved, news: &Report) -> String {
    let is_of_steps = |warning: &&Warning| saved.written.is_empty() && warning.code == "hidden-colors";
    news.of(Severity::Info).filter(is_of_steps).map(|warning| warning_text(warning) + "\n").collect()
}

/// A warning as one line.
pub fn warning_text(warning: &Warning) -> String {
    let place = match (&warning.file, warning.line) {
        (Some(file), Some(line)) => format!("{file}, line {line}: "),
        (Some(file), None) => format!("{file}: "),
        (None, Some(line)) => format!("line {line}: "),
        (None, None) => String::new(),
    };
    format!("{place}{}{}", warning.counted(), place_text(&warning.positions))
}

/// A problem as one line.
pub fn problem_text(problem: &Problem) -> String {
    format!("{}{}", problem.message, place_text(&problem.positions))
}

fn place_text(positions: &[VoxelPos]) -> String {
    match positions {
        [] => String::new(),
        [only] => format!(" (at {})", pos_text(*only)),
        [first, ..] => format!(" (first at {})", pos_text(*first)),
    }
}

/// `x,y,z`.
pub fn pos_text(pos: VoxelPos) -> String {
    format!("{},{},{}", pos.x, pos.y, pos.z)
}

/// A value of a property as people write it: no quotes, no brackets.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Null => "nothing".into(),
        Value::String(text) => super::error::one_line(text),
        Value::Array(items) if items.is_empty() => "none".into(),
        Value::Array(items) => items.iter().map(value_text).collect::<Vec<_>>().join(", "),
        Value::Object(parts) => parts.iter().map(|(name, part)| format!("{name} {}", value_text(part))).collect::<Vec<_>>().join(", "),
        value => value.to_string(),
    }
}

/// The warnings as JSON.
pub fn warnings_json(report: &Report) -> Value {
    report.warnings.iter().map(warning_json).collect()
}

/// What is not in the written file as JSON; an empty list where nothing is lost.
pub fn losses_json(report: &Report) -> Value {
    report.of(Severity::Loss).map(warning_json).collect()
}

fn warning_json(warning: &Warning) -> Value {
    json!({
        "severity": warning.severity.name(),
        "code": warning.code,
        "message": warning.message,
        "count": warning.count,
        "positions": positions_json(&warning.positions),
        "line": warning.line,
        "file": warning.file,
    })
}

/// Every volume of a map as JSON: its number, name, size and place, and whether it is the active one.
pub fn volumes_json(document: &Document) -> Value {
    let all = document.volumes().iter().enumerate().map(|(number, volume)| {
        let bounds = volume.store.bounds();
        json!({
            "volume": number,
            "name": &*volume.name,
            "uid": volume.uid,
            "size": bounds.size().to_array(),
            "origin": bounds.min().to_array(),
            "position": volume.placement.position,
            "rotation": volume.placement.rotation,
            "solid_voxels": volume.store.solid_count(),
            "active": number == document.active(),
        })
    });
    all.collect()
}

/// The problems as JSON.
pub fn problems_json(problems: &[Problem]) -> Value {
    let one = |problem: &Problem| {
        json!({
            "code": problem.code,
            "message": problem.message,
            "positions": positions_json(&problem.positions),
            "objects": problem.objects.iter().map(|id| id.0).collect::<Vec<_>>(),
        })
    };
    problems.iter().map(one).collect()
}

fn positions_json(positions: &[VoxelPos]) -> Value {
    positions.iter().map(|pos| json!(pos.to_array())).collect()
}

/// A label on the first line of a list, nothing on the others.
pub struct Labels(Option<&'static str>);

impl Labels {
    /// A list of that label.
    pub fn new(label: &'static str) -> Self {
        Self(Some(label))
    }

    /// The label of the next line.
    pub fn next(&mut self) -> &'static str {
        self.0.take().unwrap_or("")
    }
}

/// An object in a few words: what it is and where.
pub fn object_text(object: &Object) -> String {
    let area = object.area();
    // A name is no line of its own.
    let label = object.label().replace(|letter: char| letter.is_control(), "\u{fffd}");
    let ([left, top], [right, bottom]) = (ColumnRect::min(&area), ColumnRect::max(&area));
    match object {
        // From a file; no command makes one.
        Object::SpawnRegion { .. } if area.is_empty() => format!("{label} without any column, at {left},{top}"),
        Object::SpawnRegion { .. } => format!("{label}, columns {left},{top} to {},{}", right - 1, bottom - 1),
        _ => format!("{label}, column {left},{top}"),
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;

    #[test]
    fn json_stays_json_whatever_letters_it_holds() {
        let value = json!({ "a\u{200f}b": "\u{202e}\u{7f}\u{9b}\n\u{1b}\tж😀" });
        let text = Reply::json(&value).text;
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert!(!text.trim_end().contains(|letter| is_unprintable(letter) && letter != '\n'), "{text}");
        assert!(text.contains("\\u200f") && text.contains("ж😀"));
    }

    #[test]
    fn a_region_without_columns_is_called_one() {
        let region = |max| Object::SpawnRegion { team: crate::document::Team::Blue, area: ColumnRect::new([5, 5], max), z: 0 };
        assert_eq!(object_text(&region([6, 10])), "Blue spawn region, columns 5,5 to 5,9");
        assert_eq!(object_text(&region([5, 9])), "Blue spawn region without any column, at 5,5");
    }

    #[test]
    fn warnings_say_how_often_and_where_first() {
        let mut report = Report::new();
        report.push_count(Severity::Loss, "a", "voxels give light", 12);
        report.push_count(Severity::Loss, "b", "The shade of 7 voxels is not kept", 7);
        report.push_at(Severity::Problem, "c", "Too high", &[IVec3::new(1, 2, 3), IVec3::ONE]);
        report.push_line(Severity::Guess, "d", "not a color", 4);
        let lines: Vec<_> = report.warnings.iter().map(warning_text).collect();
        let expected =
            ["12 voxels give light", "The shade of 7 voxels is not kept", "Too high (2 times) (first at 1,2,3)", "line 4: not a color"];
        assert_eq!(lines, expected);
    }
}
