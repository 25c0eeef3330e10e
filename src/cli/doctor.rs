//! `doctor`: what Spadework runs on, where it keeps its files, and what is wrong with either.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::{Args, FromArgMatches as _};
use serde_json::{Map, Value, json};

use super::output::grouped;
use super::{Example, Reply, Verb, error};
use crate::editor::crash::without_home;
use crate::editor::problem_report::{ReportPart, crash_parts, journal_parts, write_report};
use crate::editor::storage::{RealStorage, Storage, StorageError};
use crate::editor::{crash, paths, recovery, seconds_now};

/// The verb.
pub const VERB: Verb = Verb {
    name: "doctor",
    about: "Show what Spadework runs on, where it keeps its files, and what is wrong",
    examples: &[
        Example { line: "spadework doctor", about: "Before you report a problem" },
        Example { line: "spadework doctor --json", about: "The same for other programs" },
        Example { line: "spadework doctor --bundle problem.tar", about: "Put it into a file with the reports of internal errors" },
    ],
    arguments: Doctor::augment_args,
    run: |matches| Doctor::from_arg_matches(matches)?.run(),
};

/// Free space below which a folder is in trouble.
const LITTLE_SPACE: u64 = 256 << 20;

#[derive(Debug, Args)]
struct Doctor {
    /// Answer one JSON object
    #[arg(long)]
    json: bool,
    /// Write a tar file to go with the report of a problem; what is in it is listed
    #[arg(long, value_name = "OUT", conflicts_with = "json")]
    bundle: Option<PathBuf>,
    /// Put the journals into it: every step of the maps that were not saved
    #[arg(long, requires = "bundle")]
    journals: bool,
    /// Replace the file if it exists
    #[arg(long, requires = "bundle")]
    overwrite: bool,
}

/// What was found: facts by name, in order, and what is wrong.
#[derive(Debug, Default)]
struct Findings {
    facts: Vec<(&'static str, String)>,
    problems: Vec<String>,
}

impl Doctor {
    fn run(&self) -> anyhow::Result<Reply> {
        let findings = examine(&RealStorage);
        if self.json {
            let facts: Map<String, Value> = findings.facts.into_iter().map(|(name, fact)| (name.into(), fact.into())).collect();
            return Ok(Reply::json(&json!({ "facts": facts, "problems": findings.problems })));
        }
        match &self.bundle {
            Some(path) => self.write_bundle(path, &findings.text()),
            None => Ok(Reply::text(findings.text())),
        }
    }

    fn write_bundle(&self, path: &Path, findings: &str) -> anyhow::Result<Reply> {
        let exists = RealStorage.exists(path).map_err(|reason| error::storage(&reason))?;
        ensure!(self.overwrite || !exists, "{}: the file exists already; --overwrite replaces it", path.display());
        let mut parts = vec![ReportPart::text("doctor.txt", findings)];
        parts.extend(paths::reports_dir().map(|folder| crash_parts(&RealStorage, &folder)).unwrap_or_default());
        if self.journals {
            parts.extend(paths::journal_dir().map(|folder| journal_parts(&RealStorage, &folder)).unwrap_or_default());
        }
        write_report(&RealStorage, path, &parts, seconds_now()).map_err(|reason| error::storage(&reason))?;
        let mut text = format!("Wrote {} with\n", path.display());
        // Writing to a string does not fail.
        parts.iter().for_each(|part| _ = writeln!(text, "    {} ({} bytes)", part.name, grouped(part.bytes.len() as u64)));
        text.push_str("Nothing was sent: look into it, and add it to your report\n");
        Ok(Reply::text(text))
    }
}

fn examine(storage: &dyn Storage) -> Findings {
    let mut found = Findings::default();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    found.facts.push(("version", format!("Spadework {}", env!("CARGO_PKG_VERSION"))));
    found.facts.push(("system", format!("{} {}, {processors} processors", std::env::consts::OS, std::env::consts::ARCH)));
    found.folder(storage, "settings", paths::config_dir().as_deref());
    found.folder(storage, "state", paths::state_dir().as_deref());
    if let Some(folder) = paths::journal_dir() {
        let leftovers = recovery::find_leftovers(storage, &folder);
        found.facts.push(("journals", format!("{} maps of earlier sessions are not saved", leftovers.recoverable.len())));
        let unreadable = leftovers.skipped.iter().map(|skipped| format!("{}: {}", shown(&skipped.journal), skipped.reason));
        found.problems.extend(unreadable);
    }
    if let Some(folder) = paths::reports_dir() {
        let reports = crash::reports(storage, &folder);
        let latest = reports.first().map_or_else(String::new, |path| format!(", the latest is {}", shown(path)));
        found.facts.push(("reports", format!("{} of internal errors{latest}", reports.len())));
    }
    found.desktop();
    found.graphics();
    found
}

impl Findings {
    fn text(&self) -> String {
        let mut text = String::new();
        for (name, fact) in &self.facts {
            // Writing to a string does not fail.
            writeln!(text, "{name:<10} {fact}").ok();
        }
        if self.problems.is_empty() {
            text.push_str("nothing is wrong\n");
        }
        self.problems.iter().for_each(|problem| _ = writeln!(text, "problem: {problem}"));
        text
    }

    /// One of our folders: where, how much space, and whether it can be written.
    fn folder(&mut self, storage: &dyn Storage, name: &'static str, folder: Option<&Path>) {
        let Some(folder) = folder else {
            self.problems.push(format!(
                "the system has no folder for the {name}; set {} and {}",
                paths::CONFIG_DIR_VARIABLE,
                paths::STATE_DIR_VARIABLE
            ));
            return;
        };
        // The first folder upwards that is there already.
        let existing = folder.ancestors().find(|folder| storage.exists(folder).unwrap_or(false));
        let space = existing.and_then(|folder| storage.free_space(folder));
        let free = space.map_or_else(String::new, |bytes| format!(", {} MB free", grouped(bytes / 1_000_000)));
        let new = if existing == Some(folder) { "" } else { ", not made yet" };
        self.facts.push((name, format!("{}{free}{new}", shown(folder))));
        if space.is_some_and(|bytes| bytes < LITTLE_SPACE) {
            self.problems.push(format!("the disk of {} is nearly full: journals and saves may fail", shown(folder)));
        }
        if let Some(Err(error)) = existing.map(|existing| can_write(storage, existing)) {
            self.problems.push(format!("{} cannot be written: {}", shown(folder), error.reason_in_words()));
        }
    }

    fn desktop(&mut self) {
        let named = |variable: &str| std::env::var(variable).ok().filter(|value| !value.is_empty());
        let desktop = match (named("WAYLAND_DISPLAY"), named("DISPLAY")) {
            (Some(display), _) => format!("Wayland, {display}"),
            (None, Some(display)) => format!("X11, {display}"),
            (None, None) if cfg!(target_os = "linux") => "none: only the commands work here, not the window".into(),
            (None, None) => "that of the system".into(),
        };
        self.facts.push(("desktop", desktop));
    }

    #[cfg(feature = "gui")]
    fn graphics(&mut self) {
        let adapters = crate::render::adapters();
        if adapters.is_empty() {
            self.problems.push(
                "no graphics driver was found: on Debian or Ubuntu install mesa-vulkan-drivers libvulkan1 libegl1 libgl1-mesa-dri".into(),
            );
        }
        self.facts.extend(adapters.into_iter().map(|adapter| ("graphics", adapter)));
    }

    #[cfg(not(feature = "gui"))]
    fn graphics(&mut self) {
        self.facts.push(("graphics", "this build has no window".into()));
    }
}

/// Makes a file and removes it again.
fn can_write(storage: &dyn Storage, folder: &Path) -> Result<(), StorageError> {
    let temp = storage.create_temp(&folder.join("doctor"))?;
    drop(temp.writer);
    storage.remove(&temp.path)
}

/// A path without the name of the user.
fn shown(path: &Path) -> String {
    without_home(&path.display().to_string(), std::env::var_os("HOME").as_deref().map(Path::new))
}
