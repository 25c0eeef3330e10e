//! `apply`: runs a script of edit commands, one JSON object a line, on a map.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, ensure};
use clap::{Args, FromArgMatches as _};
use serde::Deserialize;

use super::files::{Settings, Target, check_settings, open, save};
use super::output::saved_reply;
use super::safekeeping::Safekeeping;
use super::{Example, Reply, Verb, error};
use crate::document::{Document, Progress};
use crate::edit::{COMMAND_VERSION, Command, History, plan};
use crate::editor::files::Opened;
use crate::editor::storage::{RealStorage, Storage as _};
use crate::format::Source;

/// The verb.
pub const VERB: Verb = Verb {
    name: "apply",
    about: "Run a script of edit commands on a map: one JSON object a line",
    examples: &[
        Example { line: "spadework apply castle.vxl edits.jsonl -o keep.vxl", about: "Edit a map and save it under another name" },
        Example { line: "spadework apply castle.vxl edits.jsonl -o castle.vxl --overwrite", about: "Edit a map in its place" },
        Example { line: "spadework apply castle.vxl - -o tower.vxl", about: "Read the commands from standard input" },
        Example {
            line: "spadework apply castle.vxl - -o fort.vxl --ack",
            about: "Print the number of each command once no crash can lose it",
        },
    ],
    arguments: Apply::augment_args,
    run: |matches| Apply::from_arg_matches(matches)?.run(),
};

/// Longest line of a script in bytes: room for a paste of many voxels.
const LINE_LIMIT: u64 = 64 << 20;
/// Most notes that are shown.
const MOST_NOTES: usize = 20;

#[derive(Debug, Args)]
struct Apply {
    /// Map to edit
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Commands, one JSON object a line; - reads standard input
    #[arg(value_name = "SCRIPT")]
    script: PathBuf,
    /// Map to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Keep a journal until the map is saved, and print the number of each command as soon as the journal
    /// holds it; `spadework recover` brings back what was printed
    #[arg(long)]
    ack: bool,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    settings: Settings,
}

impl Apply {
    fn run(&self) -> anyhow::Result<Reply> {
        let opened = open(&self.file, &self.settings)?;
        check_settings(&opened, &self.output, &self.settings)?;
        if !self.ack {
            let (document, done) = self.run_script(&opened, None)?;
            return self.save(&document, &opened, done);
        }
        let safe = Safekeeping::begin(&opened, &self.file, &self.output)?;
        let result = self.run_script(&opened, Some(&safe)).and_then(|(document, done)| {
            safe.begin_saving()?;
            self.save(&document, &opened, done)
        });
        safe.end(result)
    }

    fn run_script(&self, opened: &Opened, safe: Option<&Safekeeping>) -> anyhow::Result<(Document, Done)> {
        let mut document = opened.document.clone();
        let done = if self.script == Path::new("-") {
            run_script(&mut document, "standard input", &mut io::stdin().lock(), safe)?
        } else {
            let source = RealStorage.open(&self.script).map_err(|reason| error::storage(&reason))?;
            let mut script = BufReader::new(SourceReader { source: &*source, at: 0 });
            run_script(&mut document, &self.script.display().to_string(), &mut script, safe)?
        };
        Ok((document, done))
    }

    fn save(&self, document: &Document, opened: &Opened, done: Done) -> anyhow::Result<Reply> {
        let saved = save(document, opened, &self.file, &self.output, &self.settings, &self.target)?;
        let text = match (done.commands, done.changes) {
            (0, _) => "No commands\n".into(),
            (1, 0) => "1 command, which changed nothing\n".into(),
            (1, _) => "1 command, which changed something\n".into(),
            (commands, changes) => format!("{commands} commands, {changes} of them changed something\n"),
        };
        let mut reply = saved_reply(&self.file, &self.output, opened, &saved, &text);
        reply.warnings.extend(done.notes);
        Ok(reply)
    }
}

/// The line that may stand first: the version of the command language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    spadework: u32,
}

/// What a script did.
#[derive(Debug, Default)]
struct Done {
    commands: u64,
    changes: u64,
    notes: Vec<String>,
}

fn run_script(document: &mut Document, name: &str, script: &mut dyn BufRead, safe: Option<&Safekeeping>) -> anyhow::Result<Done> {
    // Nothing is undone here: only the last step is kept.
    let mut history = History::with_budget(0);
    let (mut done, mut line, mut notes, mut is_first) = (Done::default(), vec![], 0, true);
    for number in 1_u64.. {
        line.clear();
        let read = (&mut *script).take(LINE_LIMIT + 1).read_until(b'\n', &mut line);
        let length = read.map_err(|reason| anyhow!("{name}: line {number}: {reason}"))?;
        if length == 0 {
            break;
        }
        ensure!(length as u64 <= LINE_LIMIT, "{name}: line {number}: longer than {LINE_LIMIT} bytes");
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") {
            continue;
        }
        if std::mem::take(&mut is_first)
            && let Ok(Head { spadework: version }) = serde_json::from_slice(text)
        {
            ensure!(version == COMMAND_VERSION, "{name}: line {number}: script version {version}, known is {COMMAND_VERSION}");
            continue;
        }
        let command: Command = serde_json::from_slice(&line).map_err(|reason| syntax(name, number, &reason))?;
        let change = plan(document, &command, &Progress::new());
        let change = change.map_err(|reason| anyhow!("{name}: line {number}: {}: {reason}", command.label().to_lowercase()))?;
        done.commands += 1;
        done.changes += u64::from(!change.is_empty());
        notes += change.notes.len();
        let room = MOST_NOTES.saturating_sub(done.notes.len());
        done.notes.extend(change.notes.iter().take(room).map(|note| format!("{name}: line {number}: {note}")));
        history.commit(document, change);
        if let Some(safe) = safe {
            safe.keep(command)?;
        }
    }
    if notes > done.notes.len() {
        done.notes.push(format!("{name}: {} more notes of this kind", notes - done.notes.len()));
    }
    Ok(done)
}

/// The parser's message with the script's line in place of its own, which is always 1.
fn syntax(name: &str, number: u64, reason: &serde_json::Error) -> anyhow::Error {
    let text = reason.to_string();
    let place = format!(" at line {} column {}", reason.line(), reason.column());
    anyhow!("{name}: line {number}, column {}: {}", reason.column(), in_words(text.strip_suffix(&place).unwrap_or(&text)))
}

/// Names of types in the parser's messages, as people say them; the longer ones first.
const TYPES: [(&str, &str); 12] = [
    ("i32 values", "whole numbers"),
    ("f32 values", "numbers"),
    ("a sequence of ", "a list of "),
    ("a sequence", "a list"),
    ("a borrowed string", "a text"),
    ("a string", "a text"),
    ("string ", "the text "),
    ("floating point ", "the number "),
    ("integer ", "the number "),
    ("struct ", ""),
    ("i32", "a whole number"),
    ("f32", "a number"),
];

/// Names that are listed where one of them was expected.
const MOST_NAMES: usize = 8;

/// What is wrong with a command, without the words of the parser.
fn in_words(reason: &str) -> String {
    let plain = |text: &str| TYPES.iter().fold(text.to_owned(), |text, (type_name, word)| text.replace(type_name, word));
    if let Some((length, expected)) = reason.strip_prefix("invalid length ").and_then(|rest| rest.split_once(", expected ")) {
        return format!("found {length} where {} is expected", plain(expected));
    }
    for found in ["invalid type: ", "invalid value: "] {
        if let Some((found, expected)) = reason.strip_prefix(found).and_then(|rest| rest.split_once(", expected ")) {
            return format!("found {} where {} is expected", plain(found), plain(expected));
        }
    }
    for (prefix, what) in [("unknown variant ", "name"), ("unknown field ", "field")] {
        let Some((found, expected)) = reason.strip_prefix(prefix).and_then(|rest| rest.split_once(", expected ")) else { continue };
        let found = found.trim_matches('`');
        let mut known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        // The likeliest first: those that begin alike.
        let alike = |name: &str| name.bytes().zip(found.bytes()).take_while(|(a, b)| a == b).count();
        known.sort_by_key(|name| std::cmp::Reverse(alike(name)));
        let more = known.len().saturating_sub(MOST_NAMES);
        known.truncate(MOST_NAMES);
        let more = if more > 0 { format!(" and {more} more, see docs/script.md") } else { String::new() };
        return format!("there is no {what} {found:?} here; there are {}{more}", known.join(", "));
    }
    if reason.starts_with("EOF while parsing") {
        return "the line ends in the middle of the command".into();
    }
    match reason.strip_prefix("missing field ") {
        Some(field) => format!("{} is missing", field.replace('`', "\"")),
        None => plain(reason),
    }
}

/// Reads a source from its beginning to its end.
struct SourceReader<'a> {
    source: &'a dyn Source,
    at: u64,
}

impl Read for SourceReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.source.len().saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = left.min(buffer.len());
        let Some(part) = buffer.get_mut(..count) else { return Ok(0) };
        self.source.read_at(self.at, part)?;
        self.at += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::GameProfile;
    use crate::geom::Region;
    use crate::voxel::Store;

    #[track_caller]
    fn check(script: &str, expected: Result<(u64, u64), &str>) {
        let mut document = Document::new(Store::new(Region::of_size(IVec3::new(64, 64, 64))), &GameProfile::ACE_OF_SPADES);
        match (run_script(&mut document, "a.jsonl", &mut script.as_bytes(), None), expected) {
            (Ok(done), Ok(expected)) => assert_eq!((done.commands, done.changes), expected),
            (Err(error), Err(expected)) => assert!(error.to_string().starts_with(expected), "{error}"),
            (result, expected) => panic!("{result:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn what_is_wrong_with_a_command_is_said_in_words() {
        for (line, expected) in [
            (r#"{"sett":{"at":[1,2,3]}}"#, "there is no name \"sett\" here; there are set"),
            (r##"{"set":{"at":[1,2],"color":"#000000"}}"##, "found 2 where a list of 3 whole numbers is expected"),
            (r##"{"set":{"at":"x","color":"#000000"}}"##, "found the text \"x\" where a list of 3 whole numbers is expected"),
            (r#"{"spawn":{"team":"red","region":[[1,1],[2,2]]}}"#, "there is no name \"red\" here; there are blue"),
        ] {
            let reason = serde_json::from_str::<Command>(line).expect_err("the line is wrong");
            let error = syntax("a.jsonl", 1, &reason).to_string();
            let (_, words) =
                error.split_once(": line 1, column ").and_then(|(_, rest)| rest.split_once(": ")).expect("a place comes first");
            assert!(words.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn scripts_run_line_by_line_and_name_the_line_that_is_wrong() {
        let set = r##"{"set":{"at":[1,2,3],"color":"#ff8000"}}"##;
        check("", Ok((0, 0)));
        check(&format!("{set}\r\n\n  \n{set}"), Ok((2, 1)));
        check(&format!("\n # Words.\n{{\"spadework\":1}}\n{set}"), Ok((1, 1)));
        check("{\"spadework\":2}", Err("a.jsonl: line 1: script version 2"));
        check(&format!("{set}\n{{\"spadework\":1}}"), Err("a.jsonl: line 2, column 12: there is no name \"spadework\" here"));
        check(&format!("{set}\n{{\"set\":"), Err("a.jsonl: line 2, column 7: the line ends in the middle of the command"));
        check(&format!("\n{set} {set}"), Err("a.jsonl: line 2, column "));
        check("{\"explode\":{}}", Err("a.jsonl: line 1, column 10: there is no name \"explode\" here"));
        check("\u{7f}\u{0}", Err("a.jsonl: line 1, column 1: "));
        check(r##"{"set":{"at":[64,2,3],"color":"#ff8000"}}"##, Err("a.jsonl: line 1: set voxel: nothing there"));
    }
}
