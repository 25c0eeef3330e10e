//! `doctor`: what Spadework runs on, where it keeps its files, and what is wrong with either.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::{Args, FromArgMatches as _};
use serde_json::{Map, Value, json};

use super::{Example, Reply, Verb, error};
use crate::document::grouped;
use crate::editor::doctor::examine;
use crate::editor::files::is_map;
use crate::editor::problem_report::{PartKind, ReportPart, crash_parts, journal_parts, write_report};
use crate::editor::storage::{RealStorage, Storage as _};
use crate::editor::{paths, seconds_now};

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

impl Doctor {
    fn run(&self) -> anyhow::Result<Reply> {
        let findings = examine(&RealStorage, adapters());
        if self.json {
            let mut facts: Map<String, Value> = Map::new();
            for (name, fact) in findings.facts {
                // What there are several of, such as adapters, is a list.
                match facts.get_mut(name) {
                    None => _ = facts.insert(name.into(), fact.into()),
                    Some(Value::Array(all)) => all.push(fact.into()),
                    Some(first) => *first = json!([first.take(), fact]),
                }
            }
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
        ensure!(!is_map(&RealStorage, path), "{}: a map is there, whose place only a map takes; choose another name", path.display());
        RealStorage.check_writable(path).map_err(|reason| error::storage(&reason))?;
        let mut parts = vec![ReportPart::text(PartKind::Findings, "doctor.txt", findings)];
        parts.extend(paths::reports_dir().map(|folder| crash_parts(&RealStorage, &folder)).unwrap_or_default());
        if self.journals {
            parts.extend(paths::journal_dir().map(|folder| journal_parts(&RealStorage, &folder)).unwrap_or_default());
        }
        write_report(&RealStorage, path, &parts, seconds_now(), exists).map_err(|reason| error::storage(&reason))?;
        let mut text = format!("Wrote {} with\n", path.display());
        // Writing to a string does not fail.
        parts.iter().for_each(|part| _ = writeln!(text, "    {} ({} bytes)", part.name, grouped(part.size_bytes())));
        if parts.iter().any(|part| part.kind == PartKind::Journal) {
            text.push_str("Journals hold your steps, copies of your maps, and where they lie on your disk\n");
        }
        for part in parts.iter().filter(|part| part.kind == PartKind::LeftOut) {
            text.push_str(&String::from_utf8_lossy(&part.bytes));
        }
        text.push_str("Nothing was sent: look into it, and add it to your report\n");
        Ok(Reply::text(text))
    }
}

#[cfg(feature = "gui")]
fn adapters() -> Option<Vec<String>> {
    Some(crate::render::adapters())
}

#[cfg(not(feature = "gui"))]
fn adapters() -> Option<Vec<String>> {
    None
}
