//! What a plugin has to tell beside success and failure: losses, repairs, guesses.

use crate::document::{grouped, sentence};
pub use crate::document::{size_text, some};
use crate::geom::VoxelPos;

/// Most positions that a warning keeps; the count goes on.
const MAX_POSITIONS: usize = 64;

/// Code of a warning about a spawn region that a map file has no room for. Where a file beside the map was read, it is
/// moot.
pub const SPAWN_GUESSED: &str = "spawn-guessed";
/// Code of the word that an older file, which is never written, is out of date now: the edits are in the one that counts more.
pub const JSON_NOT_WRITTEN: &str = "json-not-written";

/// Code of a warning about what stops the writing of a file: it comes again as an error.
pub const DOES_NOT_FIT: &str = "does-not-fit";
/// Code of the loss of all that is not in the one level of a map that a file holds.
pub const OUTSIDE_SLICE: &str = "outside-slice";

/// Code of the warning that a file can be looked at and exported, but saved only as it is.
pub const READ_ONLY: &str = "read-only";

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
    /// Name of the file that it is about, where that is not the map's.
    pub file: Option<String>,
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
            1 => singular(message),
            count if names_count(told, count) => message.clone(),
            count if message.starts_with(char::is_lowercase) => format!("{} {message}", grouped(count)),
            count => format!("{message} ({} times)", grouped(count)),
        }
    }

    /// The same as a line of its own: it begins with a capital or a number, and names the line of a text file.
    pub fn sentence(&self) -> String {
        let counted = self.counted();
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => format!(" ({file}, line {line})"),
            (Some(file), None) => format!(" ({file})"),
            (None, Some(line)) => format!(" (line {line})"),
            (None, None) => String::new(),
        };
        // A name of a file stays as it is.
        if counted.split([' ', ':']).next().is_some_and(|word| word.contains('.')) {
            return counted + &place;
        }
        sentence(&counted) + &place
    }

    /// Whether somebody who agreed to this one need not be asked about `later`, of a map that was edited since or not: it is the same, or of
    /// the same kind about no more things. Where whole voxels are left out, the next edit may be in them, whatever their number. Shades have
    /// no place in a format at all: of how many is all the same.
    pub fn covers(&self, later: &Self, is_edited: bool) -> bool {
        let is_alike = self.message == later.message || self.count > 1;
        let may_be_of_edit = is_edited && LEFT_OUT.contains(&later.code);
        let is_no_more = later.count <= self.count || later.code == SHADE;
        self.code == later.code && is_alike && is_no_more && !may_be_of_edit
    }
}

/// Code of a loss: the format stores colors only.
pub const SHADE: &str = "shade";

/// Codes of losses of whole voxels: where a file has no place for them.
const LEFT_OUT: [&str; 3] = ["off-plane", OUTSIDE_SLICE, "too-far"];

/// Whether a message says that number, with its thousands apart or not.
fn names_count(told: &str, count: u64) -> bool {
    let (plain, grouped) = (count.to_string(), grouped(count));
    let is_part = |letter: char| letter.is_ascii_digit() || letter == ',';
    told.split(|letter| !is_part(letter)).map(|part| part.trim_matches(',')).any(|part| part == plain || part == grouped)
}

/// What messages count, as many and as one.
const NOUNS: [(&str, &str); 22] = [
    ("blocks", "block"),
    ("bytes", "byte"),
    ("columns", "column"),
    ("commands", "command"),
    ("entities", "entity"),
    ("entries", "entry"),
    ("frames", "frame"),
    ("grids", "grid"),
    ("kinds", "kind"),
    ("models", "model"),
    ("objects", "object"),
    ("parts", "part"),
    ("places", "place"),
    ("regions", "region"),
    ("runs", "run"),
    ("spans", "span"),
    ("spawns", "spawn"),
    ("territories", "territory"),
    ("textures", "texture"),
    ("tiles", "tile"),
    ("volumes", "volume"),
    ("voxels", "voxel"),
];

/// What they do, and what belongs to them, as many and as one.
const WORDS: [(&str, &str); 24] = [
    ("are", "is"),
    ("become", "becomes"),
    ("begin", "begins"),
    ("break", "breaks"),
    ("come", "comes"),
    ("do", "does"),
    ("end", "ends"),
    ("follow", "follows"),
    ("give", "gives"),
    ("have", "has"),
    ("hold", "holds"),
    ("keep", "keeps"),
    ("leave", "leaves"),
    ("lie", "lies"),
    ("lose", "loses"),
    ("name", "names"),
    ("reach", "reaches"),
    ("say", "says"),
    ("stand", "stands"),
    ("start", "starts"),
    ("take", "takes"),
    ("were", "was"),
    ("they", "it"),
    ("their", "its"),
];

/// A message about one thing: `voxels give light` is `1 voxel gives light`. Only messages that begin with what they
/// count, or that name the number, are about things.
fn singular(message: &str) -> String {
    let words: Vec<&str> = message.split(' ').collect();
    let noun = |at: usize| words.get(at).and_then(|word| NOUNS.iter().find(|(many, _)| *many == word.trim_end_matches([',', ';', ':'])));
    let after = |at: usize| (at..at + 3).find(|at| noun(*at).is_some());
    let counted = words.iter().position(|word| *word == "1");
    let is_bare = counted.is_none()
        && !words.first().is_some_and(|word| word.contains('.'))
        && message.starts_with(char::is_lowercase)
        && !["a", "an", "the", "all", "each", "some", "where", "what"].contains(&words.first().copied().unwrap_or_default());
    let at = match counted {
        Some(number) => after(number + 1),
        None if is_bare => after(0),
        None => None,
    };
    let Some(at) = at else { return message.into() };
    let mut out = String::from(if is_bare { "1 " } else { "" });
    // Elsewhere the number is not what the sentence is about.
    let mut is_verb_due = counted.is_none_or(|number| number == 0 || (number == 1 && words.first() == Some(&"The")));
    let is_about_it = is_verb_due;
    for (i, word) in words.iter().enumerate() {
        let bare = word.trim_end_matches([',', ';', ':']);
        let rest = word.strip_prefix(bare).unwrap_or_default();
        let one = match WORDS.iter().find(|(many, _)| *many == bare) {
            Some((_, one)) if i > at && matches!(bare, "they" | "their") => {
                // `they are`: its verb is due again.
                is_verb_due |= bare == "they";
                one
            }
            // `runs that start or end there were cut`: the main one is due all the same.
            Some((_, one))
                if is_about_it && (i == at + 2 && words[at + 1] == "that" || i > at + 1 && matches!(words[i - 1], "or" | "and")) =>
            {
                one
            }
            Some((_, one)) if i > at && is_verb_due && words[i - 1] != "their" => {
                is_verb_due = false;
                one
            }
            _ if i == at => noun(i).map_or(bare, |(_, one)| one),
            _ => bare,
        };
        let space = if i == 0 { "" } else { " " };
        out.push_str(&format!("{space}{one}{rest}"));
    }
    out
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
            self.warnings.push(Warning { severity, code, message: message.into(), count, positions: vec![], line: None, file: None });
        }
    }

    /// Adds a warning about a line of a text file, from 1.
    pub fn push_line(&mut self, severity: Severity, code: &'static str, message: impl Into<String>, line: usize) {
        self.warnings.push(Warning { severity, code, message: message.into(), count: 1, positions: vec![], line: Some(line), file: None });
    }

    /// Adds a warning about places; nothing where there are none.
    pub fn push_at(&mut self, severity: Severity, code: &'static str, message: impl Into<String>, positions: &[VoxelPos]) {
        if positions.is_empty() {
            return;
        }
        let kept = positions.iter().copied().take(MAX_POSITIONS).collect();
        self.warnings.push(Warning {
            severity,
            code,
            message: message.into(),
            count: positions.len() as u64,
            positions: kept,
            line: None,
            file: None,
        });
    }

    /// Takes over everything that another report says.
    pub fn extend(&mut self, other: Self) {
        self.warnings.extend(other.warnings);
    }

    /// Takes over what another report says, as said about a file of that name.
    pub fn extend_about(&mut self, file: &str, other: Self) {
        let about = |warning: Warning| Warning { file: warning.file.or_else(|| Some(file.into())), ..warning };
        self.warnings.extend(other.warnings.into_iter().map(about));
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
    #[test]
    fn one_thing_is_told_as_one() {
        for (many, one) in [
            ("voxels give light, which a VXL map cannot hold", "1 voxel gives light, which a VXL map cannot hold"),
            ("columns have no floor", "1 column has no floor"),
            (
                "visible voxels without a known color take the color of the voxel above, or earth",
                "1 visible voxel without a known color takes the color of the voxel above, or earth",
            ),
            ("kinds of tiles lose their name: gone", "1 kind of tiles loses its name: gone"),
            ("textures of tiles cannot be read: a", "1 texture of tiles cannot be read: a"),
            ("bytes after the last column, from byte 9, are kept", "1 byte after the last column, from byte 9, is kept"),
            ("1 voxels have reserved bytes that are not 0; they are kept", "1 voxel has reserved bytes that are not 0; it is kept"),
            ("Bytes of 1 air voxels of the opened file are not kept", "Bytes of 1 air voxel of the opened file are not kept"),
            (
                "territories stand on the top of their column; their height is not written",
                "1 territory stands on the top of its column; its height is not written",
            ),
            ("the server ignores protect: it reads protected only", "the server ignores protect: it reads protected only"),
            ("a team has one base and one intel", "a team has one base and one intel"),
            ("air runs that start or end where they cannot were clamped", "1 air run that starts or ends where it cannot was clamped"),
            ("columns that break off were ended", "1 column that breaks off was ended"),
            (
                "columns that reach into the next ones were ended where these begin",
                "1 column that reaches into the next ones was ended where these begin",
            ),
            ("places still name entities that were removed (links)", "1 place still names entities that were removed (links)"),
            ("runs that start below their end were read as empty", "1 run that starts below its end was read as empty"),
            ("spans too short for their colors were read longer", "1 span too short for its colors was read longer"),
            ("entities stand on no grid (line 9) and are not shown", "1 entity stands on no grid (line 9) and is not shown"),
            ("The 1 bytes after the last voxel are not kept", "The 1 byte after the last voxel is not kept"),
            ("The shade of 1 voxel is not kept", "The shade of 1 voxel is not kept"),
            ("m.txt: entries are odd", "m.txt: entries are odd"),
            ("where territories stand is set by code", "where territories stand is set by code"),
        ] {
            let mut report = super::Report::new();
            report.push(super::Severity::Info, "test", many);
            assert_eq!(report.warnings.first().map(super::Warning::counted).as_deref(), Some(one));
        }
    }

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
            "1 voxel gives light",
            "The name is too long (2 times)",
            "All 4 spawn points are left out",
            "A value is odd (line 7)",
            "flat.txt: a value is odd",
            "36 runs were mended (byte 57, 336, …)",
        ];
        assert_eq!(sentences, expected);
    }

    #[test]
    fn whoever_agreed_to_a_loss_is_asked_again_about_more_of_it_and_about_edits_among_what_is_left_out() {
        let loss = |code, message: &str, count| {
            let mut report = Report::new();
            report.push_count(Severity::Loss, code, message, count);
            report.warnings.remove(0)
        };
        let light = loss("light", "voxels give light", 3);
        for is_edited in [false, true] {
            assert!(light.covers(&light, is_edited) && light.covers(&loss("light", "voxels give light", 1), is_edited));
            assert!(!light.covers(&loss("light", "voxels give light", 4), is_edited));
            assert!(!light.covers(&loss("kind", "voxels give light", 3), is_edited));
        }
        let (name, other) = (loss("names", "A is too long", 1), loss("names", "B is too long", 1));
        assert!(name.covers(&name, true) && !name.covers(&other, true));
        let shades = loss(SHADE, "shades are not kept", 1);
        assert!(
            shades.covers(&loss(SHADE, "shades are not kept", 7), true) && !shades.covers(&loss("light", "shades are not kept", 1), true)
        );
        let others = loss("outside-slice", "voxels are not in the slice", 9);
        assert!(others.covers(&others, false) && !others.covers(&others, true));
    }

    #[test]
    fn a_number_that_is_told_is_not_told_again() {
        for (message, count, told) in [
            ("The shade of 408,107 voxels is not kept", 408_107, "The shade of 408,107 voxels is not kept"),
            ("28 colors become 2: 1488261 voxels change", 1_488_261, "28 colors become 2: 1488261 voxels change"),
            ("voxels give light", 12_345, "12,345 voxels give light"),
            ("The column 107,408 is broken", 408, "The column 107,408 is broken (408 times)"),
            ("The name is too long", 4_000, "The name is too long (4,000 times)"),
        ] {
            let mut report = super::Report::new();
            report.push_count(super::Severity::Info, "x", message, count);
            assert_eq!(report.warnings[0].counted(), told);
        }
    }
}
