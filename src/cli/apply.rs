//! `apply`: runs a script of edit commands, one JSON object a line, on a map.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::{anyhow, ensure};
use clap::{Args, FromArgMatches as _, ValueEnum};
use glam::IVec3;
use serde::Deserialize;

use super::files::{Origin, Target, check_name, check_settings, open_to_save, save_telling};
use super::output::saved_reply;
use super::place::Place;
use super::safekeeping::Safekeeping;
use super::settings::Settings;
use super::{Example, Reply, Verb, error};
use crate::document::{Document, Progress, SymmetryKind};
use crate::edit::{BYTE_ORDER_MARK, COMMAND_VERSION, Change, Command, History, Replay, ReplayPlace, SyntaxError, plan};
use crate::editor::files::{BeforePlacing, Opened, leaves_out_what_the_map_says};
use crate::editor::storage::{RealStorage, Storage as _};
use crate::format::{Severity, Source};

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
        Example {
            line: "spadework apply castle.vxl edits.jsonl -o two.vxl --offset 64,0,0 --symmetry rot180",
            about: "Run a script 64 columns farther east, and once more on the other team's side",
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
    /// Move everything that the script names: east, south and down, in voxels; what falls outside the map is left out
    /// and counted
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    offset: Option<Place>,
    /// Run it under this symmetry about the middle of the map, in place of the script's own; the map's is put back
    #[arg(long, value_enum, value_name = "KIND")]
    symmetry: Option<Kind>,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    settings: Settings,
}

/// A symmetry as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Nowhere else
    None,
    /// West and east are mirror images
    #[value(name = "mirror-x")]
    MirrorX,
    /// North and south are mirror images
    #[value(name = "mirror-y")]
    MirrorY,
    /// Both
    #[value(name = "mirror-both")]
    MirrorBoth,
    /// Half a turn
    #[value(name = "rot180")]
    Turn180,
    /// Quarter turns
    #[value(name = "rot90")]
    Turn90,
}

impl From<Kind> for SymmetryKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::None => Self::Off,
            Kind::MirrorX => Self::MirrorX,
            Kind::MirrorY => Self::MirrorY,
            Kind::MirrorBoth => Self::MirrorBoth,
            Kind::Turn180 => Self::Turn180,
            Kind::Turn90 => Self::Turn90,
        }
    }
}

/// Where a script runs, and under which symmetry.
#[derive(Clone, Copy, Debug, Default)]
struct Placing {
    by: IVec3,
    symmetry: Option<SymmetryKind>,
}

impl Apply {
    fn run(&self) -> anyhow::Result<Reply> {
        let placing = self.placing()?;
        check_name(&self.output)?;
        let (opened, asked) = open_to_save(&self.file, &self.output, &self.settings, &self.target)?;
        let origin = Origin { opened: &opened, paths: (&self.file, &self.output), asked: &asked };
        check_settings(&self.output, &[&opened], Some(&self.output), &self.settings)?;
        if !self.ack {
            let (document, done) = self.run_script(&opened, placing, None)?;
            return self.save(&document, origin, done, BeforePlacing::default()).map(|(reply, _)| reply);
        }
        let safe = Safekeeping::begin(&opened, (&self.file, &self.output), self.target.overwrite, self.settings.options_at(&self.output))?;
        let result = self.run_script(&opened, placing, Some(&safe)).and_then(|(document, done)| {
            safe.begin_saving();
            self.save(&document, origin, done, safe.placing())
        });
        safe.end(result)
    }

    fn placing(&self) -> anyhow::Result<Placing> {
        let by = self.offset.map_or(IVec3::ZERO, |Place(by)| by);
        let farthest = ReplayPlace::FARTHEST;
        ensure!(
            by.to_array().into_iter().all(|part| (-farthest..=farthest).contains(&part)),
            "--offset: a part must be -{farthest} to {farthest}"
        );
        Ok(Placing { by, symmetry: self.symmetry.map(SymmetryKind::from) })
    }

    fn run_script(&self, opened: &Opened, placing: Placing, safe: Option<&Safekeeping>) -> anyhow::Result<(Document, Done)> {
        let mut document = opened.document.clone();
        let done = if self.script == Path::new("-") {
            run_script(&mut document, "standard input", &mut io::stdin().lock(), placing, safe)?
        } else {
            let source = RealStorage.open(&self.script).map_err(|reason| error::storage(&reason))?;
            let mut script = BufReader::new(SourceReader { source: &*source, at: 0 });
            run_script(&mut document, &self.script.display().to_string(), &mut script, placing, safe)?
        };
        Ok((document, done))
    }

    /// Saves the map; answers, too, why its journal stays, if its files do not hold all of it.
    fn save(&self, document: &Document, origin: Origin, done: Done, told: BeforePlacing) -> anyhow::Result<(Reply, Option<&'static str>)> {
        let saved = save_telling(document, origin, &self.settings, &self.target, told)?;
        let text = match (done.commands, done.changes) {
            (0, _) => "No commands\n".into(),
            (1, 0) => "1 command, which changed nothing\n".into(),
            (1, _) => "1 command, which changed something\n".into(),
            (commands, changes) => format!("{commands} commands, {changes} of them changed something\n"),
        };
        let mut reply = saved_reply(&self.file, &self.output, origin.opened, &saved, &text);
        reply.warnings.extend(done.notes);
        let is_lossy = saved.report.of(Severity::Loss).next().is_some();
        let is_of_others = saved.report.warnings.iter().any(leaves_out_what_the_map_says);
        let others = is_of_others.then_some("a file beside the map holds what somebody put there meanwhile, and not what the map says");
        Ok((reply, is_lossy.then_some("the file does not hold all of the map").or(others)))
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

/// A map that a script runs on.
struct Run<'a> {
    document: &'a mut Document,
    // Nothing is undone here: only the last step is kept.
    history: History,
    replay: Replay,
    safe: Option<&'a Safekeeping>,
    name: &'a str,
    notes: usize,
    done: Done,
}

impl Run<'_> {
    /// Carries out what runs in place of the command of a line.
    fn line(&mut self, number: u64, command: &Command) -> anyhow::Result<()> {
        self.done.commands += 1;
        let mut changed = false;
        for command in self.replay.commands(command, self.document) {
            match plan(self.document, &command, &Progress::new()) {
                Ok(change) => changed |= self.take(&format!("line {number}"), command, change)?,
                Err(reason) => {
                    let instead = self.replay.in_place_of(&command, &reason);
                    let name = self.name;
                    let instead = instead.ok_or_else(|| anyhow!("{name}: line {number}: {}: {reason}", command.label().to_lowercase()))?;
                    instead.into_iter().try_for_each(|command| self.of_its_own(command))?;
                }
            }
        }
        self.done.changes += u64::from(changed);
        Ok(())
    }

    /// Carries out what no line of the script says.
    fn of_its_own(&mut self, command: Command) -> anyhow::Result<()> {
        let change = plan(self.document, &command, &Progress::new());
        let change = change.map_err(|reason| anyhow!("{}: {}: {reason}", self.name, command.label().to_lowercase()))?;
        self.take("at the end", command, change).map(|_| ())
    }

    /// Takes in a change; answers whether it is one.
    fn take(&mut self, place: &str, command: Command, mut change: Change) -> anyhow::Result<bool> {
        self.replay.take_notes(&mut change);
        self.notes += change.notes.len();
        let room = MOST_NOTES.saturating_sub(self.done.notes.len());
        let name = self.name;
        self.done.notes.extend(change.notes.iter().take(room).map(|note| format!("{name}: {place}: {note}")));
        let changed = !change.is_empty();
        self.history.commit(self.document, change);
        if let Some(safe) = self.safe {
            safe.keep(command, self.document);
        }
        Ok(changed)
    }

    /// Puts back what held only for the script, and tells what is to be told in counts.
    fn end(mut self) -> anyhow::Result<Done> {
        if let Some(command) = self.replay.closing(self.document) {
            self.of_its_own(command)?;
        }
        if self.notes > self.done.notes.len() {
            self.done.notes.push(format!("{}: {} more notes of this kind", self.name, self.notes - self.done.notes.len()));
        }
        self.done.notes.extend(self.replay.told().into_iter().map(|told| format!("{}: {told}", self.name)));
        Ok(self.done)
    }
}

fn run_script(
    document: &mut Document,
    name: &str,
    script: &mut dyn BufRead,
    placing: Placing,
    safe: Option<&Safekeeping>,
) -> anyhow::Result<Done> {
    let replay = Replay::begin(placing.by, placing.symmetry, document);
    let mut run = Run { document, history: History::with_budget(0), replay, safe, name, notes: 0, done: Done::default() };
    if let Some(command) = run.replay.opening() {
        run.of_its_own(command)?;
    }
    let (mut line, mut is_first) = (vec![], true);
    for number in 1_u64.. {
        line.clear();
        let read = (&mut *script).take(LINE_LIMIT + 1).read_until(b'\n', &mut line);
        let length = read.map_err(|reason| anyhow!("{name}: line {number}: {reason}"))?;
        if length == 0 {
            break;
        }
        ensure!(length as u64 <= LINE_LIMIT, "{name}: line {number}: longer than {LINE_LIMIT} bytes");
        if number == 1 && line.starts_with(BYTE_ORDER_MARK) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
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
        let command: Command = serde_json::from_slice(&line).map_err(|reason| anyhow!("{name}: {}", SyntaxError::new(number, &reason)))?;
        run.line(number, &command)?;
    }
    run.end()
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
        match (run_script(&mut document, "a.jsonl", &mut script.as_bytes(), Placing::default(), None), expected) {
            (Ok(done), Ok(expected)) => assert_eq!((done.commands, done.changes), expected),
            (Err(error), Err(expected)) => assert!(error.to_string().starts_with(expected), "{error}"),
            (result, expected) => panic!("{result:?}, expected {expected:?}"),
        }
    }

    #[test]
    fn a_moved_script_leaves_out_what_lies_outside_and_counts_it() {
        let mut document = Document::new(Store::new(Region::of_size(IVec3::new(64, 64, 64))), &GameProfile::ACE_OF_SPADES);
        let set = |x: i32| format!(r##"{{"set":{{"at":[{x},2,3],"color":"#ff8000"}}}}"##);
        let fill = r##"{"fill":{"box":[[58,0,0],[64,1,1]]}}"##;
        let script = format!("{}\n{}\n{fill}\n{{\"set_symmetry\":{{\"kind\":\"off\"}}}}\n", set(1), set(63));
        let placing = Placing { by: IVec3::new(4, 0, 1), symmetry: Some(SymmetryKind::MirrorX) };
        let done = run_script(&mut document, "a.jsonl", &mut script.as_bytes(), placing, None).unwrap();
        assert_eq!((done.commands, done.changes), (4, 2));
        assert_eq!(
            done.notes,
            [
                "a.jsonl: 1 command lay wholly outside the map and did nothing",
                "a.jsonl: 1 command reached beyond the map and lost what fell outside",
                "a.jsonl: 1 command of the script about symmetry was passed over"
            ]
        );
        let at = |x, y, z| document.store().is_solid(IVec3::new(x, y, z));
        assert_eq!([at(5, 2, 4), at(58, 2, 4), at(62, 0, 1), at(1, 0, 1), at(1, 2, 3)], [true, true, true, true, false]);
        assert!(!document.symmetry.is_on());
        // Where nothing is moved, a place outside is a mistake as ever.
        let error = run_script(&mut document, "a.jsonl", &mut set(64).as_bytes(), Placing::default(), None).unwrap_err();
        assert_eq!(error.to_string(), "a.jsonl: line 1: set voxel: nothing there: the place lies outside the map");
    }

    #[test]
    fn what_some_text_editors_put_before_a_script_is_passed_over() {
        check("\u{feff}{\"spadework\":1}\n", Ok((0, 0)));
        check("\u{feff}{\"set\":{\"at\":[1,2,3],\"color\":\"#ff0000\"}}\n", Ok((1, 1)));
        check("\n\u{feff}\n", Err("a.jsonl: line 2"));
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
        let object = r##"{"add_object":{"spawn_point":{"team":"blue","at":[40.5,1,2]}}}"##;
        check(object, Err("a.jsonl: line 1: found the number `40.5` where a whole number is expected"));
        check("{\"explode\":{}}", Err("a.jsonl: line 1, column 10: there is no name \"explode\" here"));
        check("\u{7f}\u{0}", Err("a.jsonl: line 1, column 1: "));
        check(r##"{"set":{"at":[64,2,3],"color":"#ff8000"}}"##, Err("a.jsonl: line 1: set voxel: nothing there"));
    }
}
