//! `convert`: opens a map and saves it in the format of the new name, sidecars included.

use std::path::PathBuf;

use clap::{Args, FromArgMatches as _};
use serde_json::json;

use super::files::{Settings, Target, open, save};
use super::output::{saved_reply, warnings_json};
use super::{Example, Reply, Verb};
use crate::format::Report;

/// The verb.
pub const VERB: Verb = Verb {
    name: "convert",
    about: "Save a map under another name, in the format of its extension, with the files beside it",
    examples: &[
        Example { line: "spadework convert castle.vxl castle.vmf", about: "Make a VMF map of a VXL map" },
        Example { line: "spadework convert castle.vxl keep.vxl", about: "Copy a map; nothing that is the same changes a byte" },
        Example {
            line: "spadework convert castle.vxl castle.vmf --overwrite --set protect-floor=true",
            about: "Replace the VMF map, with an indestructible floor",
        },
    ],
    arguments: Convert::augment_args,
    run: |matches| Convert::from_arg_matches(matches)?.run(),
};

#[derive(Debug, Args)]
struct Convert {
    /// Map to read; its content decides the format, then its extension
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// Map to write; its extension decides the format
    #[arg(value_name = "OUT")]
    to: PathBuf,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    settings: Settings,
    /// Answer one JSON object, warnings included
    #[arg(long)]
    json: bool,
}

impl Convert {
    fn run(&self) -> anyhow::Result<Reply> {
        let opened = open(&self.from, &self.settings)?;
        let saved = save(&opened.document, &opened, &self.from, &self.to, &self.settings, &self.target)?;
        if !self.json {
            return Ok(saved_reply(&self.from, &self.to, &opened, &saved, ""));
        }
        let mut report = Report::new();
        report.extend(opened.report);
        report.extend(saved.report);
        Ok(Reply::json(&json!({
            "from": { "file": self.from.display().to_string(), "format": opened.format },
            "to": { "file": self.to.display().to_string(), "format": saved.format },
            "written": saved.written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
            "warnings": warnings_json(&report),
        })))
    }
}
