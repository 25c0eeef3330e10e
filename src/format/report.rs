//! What a plugin has to tell beside success and failure: losses, repairs, guesses.

use crate::geom::VoxelPos;

/// Most positions that a warning keeps; the count goes on.
const MAX_POSITIONS: usize = 64;

/// A number with what it counts: `1 object has`, `3 objects have`.
pub fn some(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// How much a warning matters, mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Info,
    /// The file left something open and Spadework chose.
    Guess,
    /// The file was wrong and was read in the sense it probably had.
    Repair,
    /// The game or a server will probably not like it.
    Problem,
    /// Something that the map holds is not in the written file.
    Loss,
}

impl Severity {
    /// Lower-case word for logs and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Guess => "guess",
            Self::Repair => "repair",
            Self::Problem => "problem",
            Self::Loss => "loss",
        }
    }
}

/// One thing to tell, with how often it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// How much it matters.
    pub severity: Severity,
    /// Stable name in kebab case, for scripts and tests: `hidden-colors`.
    pub code: &'static str,
    /// One sentence for a person: what, and what to do.
    pub message: String,
    /// How many voxels, columns or lines it concerns; 1 where that makes no sense.
    pub count: u64,
    /// Some of the places, at most 64.
    pub positions: Vec<VoxelPos>,
    /// Line in a text file, from 1.
    pub line: Option<usize>,
}

impl Warning {
    /// The message with its count: `3 voxels give light`.
    ///
    /// Formats leave the count to this where their message begins with what is counted, in lower case.
    pub fn counted(&self) -> String {
        // What stands in brackets are places, not counts.
        let message = &self.message;
        let told = message.split_once(" (byte ").map_or(&**message, |(told, _)| told);
        match self.count {
            1 => message.clone(),
            count if told.split(|letter: char| !letter.is_ascii_digit()).any(|digits| digits == count.to_string()) => message.clone(),
            count if message.starts_with(char::is_lowercase) => format!("{count} {message}"),
            count => format!("{message} ({count} times)"),
        }
    }

    /// The same as a line of its own: it begins with a capital or a number, and names the line of a text file.
    pub fn sentence(&self) -> String {
        let counted = self.counted();
        let place = self.line.map(|line| format!(" (line {line})")).unwrap_or_default();
        // A name of a file stays as it is.
        if counted.split([' ', ':']).next().is_some_and(|word| word.contains('.')) {
            return counted + &place;
        }
        let mut letters = counted.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().collect::<String>()).unwrap_or_default();
        format!("{first}{}{place}", letters.as_str())
    }

    /// Whether somebody who agreed to this one need not be asked about `later`: it is the same, or of the same
    /// kind about no more things.
    pub fn covers(&self, later: &Self) -> bool {
        self.code == later.code && (self.message == later.message || (self.count > 1 && later.count <= self.count))
    }
}

/// All that a plugin has to tell, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The warnings.
    pub warnings: Vec<Warning>,
}

impl Report {
    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a warning without a place.
    pub fn push(&mut self, severity: Severity, code: &'static str, message: impl Into<String>) {
        self.push_count(severity, code, message, 1);
    }

    /// Adds a warning about `count` things; nothing where there are none.
    pub fn push_count(&mut self, severity: Severity, code: &'static str, message: impl Into<String>, count: u64) {
        if count > 0 {
            self.warnings.push(Warning { severity, code, message: message.into(), count, positions: vec![], line: None });
        }
    }

    /// Adds a warning about a line of a text file, from 1.
    pub fn push_line(&mut self, severity: Severity, code: &'static str, message: impl Into<String>, line: usize) {
        self.warnings.push(Warning { severity, code, message: message.into(), count: 1, positions: vec![], line: Some(line) });
    }

    /// Adds a warning about places; nothing where there are none.
    pub fn push_at(&mut self, severity: Severity, code: &'static str, message: impl Into<String>, positions: &[VoxelPos]) {
        if positions.is_empty() {
            return;
        }
        let kept = positions.iter().copied().take(MAX_POSITIONS).collect();
        self.warnings.push(Warning { severity, code, message: message.into(), count: positions.len() as u64, positions: kept, line: None });
    }

    /// Takes over everything that another report says.
    pub fn extend(&mut self, other: Self) {
        self.warnings.extend(other.warnings);
    }

    /// The gravest severity, if there is any warning.
    pub fn worst(&self) -> Option<Severity> {
        self.warnings.iter().map(|warning| warning.severity).max()
    }

    /// The warnings of a severity.
    pub fn of(&self, severity: Severity) -> impl Iterator<Item = &Warning> {
        self.warnings.iter().filter(move |warning| warning.severity == severity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_a_sentence_with_its_count() {
        let mut report = Report::new();
        report.push_count(Severity::Loss, "light", "voxels give light", 3);
        report.push_count(Severity::Loss, "light", "voxels give light", 1);
        report.push_count(Severity::Loss, "names", "The name is too long", 2);
        report.push_count(Severity::Loss, "spawns", "all 4 spawn points are left out", 4);
        report.push_line(Severity::Problem, "odd", "a value is odd", 7);
        report.push(Severity::Problem, "odd", "flat.txt: a value is odd");
        report.push_count(Severity::Repair, "runs", "runs were mended (byte 57, 336, …)", 36);
        let sentences: Vec<_> = report.warnings.iter().map(Warning::sentence).collect();
        let expected = [
            "3 voxels give light",
            "Voxels give light",
            "The name is too long (2 times)",
            "All 4 spawn points are left out",
            "A value is odd (line 7)",
            "flat.txt: a value is odd",
            "36 runs were mended (byte 57, 336, …)",
        ];
        assert_eq!(sentences, expected);
    }
}
