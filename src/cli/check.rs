//! `check`: what the game or a server will not like about a map.

use std::path::PathBuf;

use clap::{Args, FromArgMatches as _};
use serde_json::json;

use super::files::{check_settings, open};
use super::output::{problem_text, problems_json, warnings_json};
use super::settings::Settings;
use super::{Example, Reply, Verb};
use crate::check::check;

/// The verb.
pub const VERB: Verb = Verb {
    name: "check",
    about: "List what the game or a server will not like about a map",
    examples: &[
        Example { line: "spadework check castle.vxl", about: "List the problems" },
        Example { line: "spadework check castle.vxl --strict --json", about: "For other programs; fails where there is a problem" },
    ],
    arguments: Check::augment_args,
    run: |matches| Check::from_arg_matches(matches)?.run(),
};

#[derive(Debug, Args)]
struct Check {
    /// Map to check
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Exit with 1 if there is a problem
    #[arg(long)]
    strict: bool,
    /// Answer one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Settings,
}

impl Check {
    fn run(&self) -> anyhow::Result<Reply> {
        let opened = open(&self.file, &self.settings)?;
        check_settings(&self.file, &[&opened], None, &self.settings)?;
        let problems = check(&opened.document);
        let file = self.file.display();
        let reply = if self.json {
            let warnings = warnings_json(&opened.report);
            Reply::json(&json!({ "file": file.to_string(), "problems": problems_json(&problems), "warnings": warnings }))
        } else if problems.is_empty() {
            Reply::text(format!("{file}: no problems\n")).warn(&self.file, &opened.report)
        } else {
            let lines = problems.iter().map(|problem| format!("{file}: {}: {}\n", problem.code, problem_text(problem)));
            Reply::text(lines.collect()).warn(&self.file, &opened.report)
        };
        Ok(Reply { failed: self.strict && !problems.is_empty(), ..reply })
    }
}
