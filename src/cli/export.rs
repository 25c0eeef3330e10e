//! `export`: writes a map to a kind of file that other programs read, and Spadework does not read back.

use std::path::PathBuf;

use anyhow::ensure;
use clap::builder::PossibleValuesParser;
use clap::{Args, FromArgMatches as _};
use serde_json::json;

use super::files::{LossDenied, Target, check_reading, open_with};
use super::output::{losses_json, warnings_json};
use super::settings::ExportSettings;
use super::{Example, Reply, Verb, error};
use crate::document::{Progress, grouped};
use crate::editor::files::{ExportOptions, Overwrite, export_map, preflight_export};
use crate::editor::storage::RealStorage;
use crate::format::{DOES_NOT_FIT, EXPORTS, Export, Report, export, export_by_extension};

/// The verb.
pub const VERB: Verb = Verb {
    name: "export",
    about: "Write a map to a file for other programs: a MagicaVoxel model, a mesh, a plan, a heightmap",
    examples: &[
        Example { line: "spadework export castle.vxl castle.vox", about: "Make a MagicaVoxel model" },
        Example {
            line: "spadework export castle.vxl castle.glb --set voxel-millimeters=500",
            about: "Make a glTF mesh of the surface, half a meter a voxel",
        },
        Example { line: "spadework export castle.vxl plan.png", about: "Draw a plan, a pixel a column" },
        Example {
            line: "spadework export castle.vxl heights.png --as height --set stretch=true",
            about: "Make a heightmap whose greys can be told apart",
        },
    ],
    arguments: ExportVerb::augment_args,
    run: |matches| ExportVerb::from_arg_matches(matches)?.run(),
};

#[derive(Debug, Args)]
struct ExportVerb {
    /// Map to read, with the files beside it
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// File to write; its extension decides the kind unless --as does
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// Kind of file
    #[arg(id = "as", long = "as", value_name = "ID", value_parser = PossibleValuesParser::new(EXPORTS.iter().map(|export| export.id())))]
    kind: Option<String>,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    settings: ExportSettings,
    /// Answer one JSON object, warnings and losses included
    #[arg(long)]
    json: bool,
}

impl ExportVerb {
    fn run(&self) -> anyhow::Result<Reply> {
        let export = self.export()?;
        let (options, reading) = self.settings.split(export).map_err(|reason| VERB.wrong_call(&reason))?;
        let is_same = RealStorage.is_same_place(&self.from, &self.to) || RealStorage.leads_to_same(&self.from, &self.to);
        ensure!(!is_same, "{}: an export cannot take the place of its map", self.to.display());
        let opened = open_with(&self.from, reading.clone())?;
        check_reading(&self.from, &opened, &reading)?;
        let overwrite = if self.target.overwrite { Overwrite::Always } else { Overwrite::IfUnchanged };
        let (options, failed) = (ExportOptions { options, overwrite }, |reason| error::save(&self.to, &reason));
        if self.target.deny_loss {
            let report = preflight_export(&RealStorage, &opened.document, &self.to, export, &options).map_err(failed)?;
            // What cannot be written at all is refused for that reason, below.
            if report.warnings.iter().all(|warning| warning.code != DOES_NOT_FIT) {
                match self.target.check_losses(&self.to, &[&opened.report, &report]) {
                    Err(reason) if self.json => return LossDenied::as_reply(&reason, &self.from, opened.format).ok_or(reason),
                    checked => checked?,
                }
            }
        }
        let exported = export_map(&RealStorage, &opened.document, &self.to, export, &options, &Progress::new()).map_err(failed)?;
        if !self.json {
            let text = format!("Saved {} ({} bytes)\n", self.to.display(), grouped(exported.size_bytes));
            return Ok(Reply::text(text).warn(&self.from, &opened.report).warn(&self.to, &exported.report));
        }
        let mut report = Report::new();
        report.extend(opened.report);
        report.extend(exported.report);
        Ok(Reply::json(&json!({
            "from": { "file": self.from.display().to_string(), "format": opened.format },
            "to": { "file": self.to.display().to_string(), "export": export.id(), "size_bytes": exported.size_bytes },
            "losses": losses_json(&report),
            "warnings": warnings_json(&report),
        })))
    }

    fn export(&self) -> anyhow::Result<&'static dyn Export> {
        let by_extension = || export_by_extension(self.to.extension()?.to_str()?);
        let found = self.kind.as_deref().map_or_else(by_extension, export);
        found.ok_or_else(|| {
            let known: Vec<&str> = EXPORTS.iter().map(|export| export.id()).collect();
            VERB.wrong_call(&format!("no export has the extension of {}; --as takes {}", self.to.display(), known.join(", ")))
        })
    }
}
