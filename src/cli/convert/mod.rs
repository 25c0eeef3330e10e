//! `convert`: opens a map and saves it in the format of the new name, sidecars included; or a whole folder.

mod folder;

use std::path::{Path, PathBuf};

use clap::{Args, FromArgMatches as _};
use serde_json::{Value, json};

use super::files::{LossDenied, Origin, Target, check_settings, open_to_save, save};
use super::output::{losses_json, saved_reply, warnings_json};
use super::settings::Settings;
use super::{Example, Reply, Verb, error};
use crate::editor::files::{Opened, Saved};
use crate::editor::storage::{RealStorage, Storage as _};
use crate::format::{MAP_FORMATS, MapFormat, Report};

/// The verb.
pub const VERB: Verb = Verb {
    name: "convert",
    about: "Save a map under another name, in the format of its extension, with the files beside it; or a whole folder",
    examples: &[
        Example { line: "spadework convert castle.vxl castle.vmf", about: "Make a VMF map of a VXL map" },
        Example { line: "spadework convert castle.vxl keep.vxl", about: "Copy a map; nothing that is the same changes a byte" },
        Example {
            line: "spadework convert castle.vxl castle.vmf --overwrite --set protect-floor=true",
            about: "Replace the VMF map, with an indestructible floor",
        },
        Example {
            line: "spadework convert castle.vxl safe.vxl --deny-loss --json",
            about: "Fail before anything is written if anything would be lost",
        },
        Example { line: "spadework convert maps converted --to vmf", about: "Convert every map in a folder and in the folders below it" },
    ],
    arguments: Convert::augment_args,
    run: |matches| Convert::from_arg_matches(matches)?.run(),
};

#[derive(Debug, Args)]
struct Convert {
    /// Map to read, or a folder; the content of a map decides its format, then its extension
    #[arg(value_name = "IN")]
    from: PathBuf,
    /// Map to write, its extension decides the format; for a folder the folder to write to, made if missing
    #[arg(value_name = "OUT")]
    to: PathBuf,
    /// Extension of the maps to write, where IN is a folder
    #[arg(id = "extension", long = "to", value_name = "EXTENSION", value_parser = parse_extension)]
    extension: Option<String>,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    settings: Settings,
    /// Answer one JSON object, warnings and losses included
    #[arg(long)]
    json: bool,
}

/// An extension that belongs to no map format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no map format has this extension; known are {known}")]
struct UnknownExtension {
    known: String,
}

fn parse_extension(text: &str) -> Result<String, UnknownExtension> {
    let text = text.trim_start_matches('.').to_ascii_lowercase();
    let all = || MAP_FORMATS.iter().flat_map(|format: &&dyn MapFormat| format.extensions());
    if all().any(|known| *known == text) { Ok(text) } else { Err(UnknownExtension { known: all().copied().collect::<Vec<_>>().join(" ") }) }
}

impl Convert {
    fn run(&self) -> anyhow::Result<Reply> {
        let is_folder = RealStorage.info(&self.from).map_err(|reason| error::storage(&reason))?.is_folder;
        match &self.extension {
            Some(extension) if is_folder => self.convert_folder(extension),
            Some(_) => Err(VERB.wrong_call("--to is for folders; the extension of OUT decides the format of a single map")),
            None if is_folder && self.has_no_format() => {
                Err(VERB.wrong_call("IN is a folder: --to EXTENSION says what to convert its maps to"))
            }
            None => self.convert_one(),
        }
    }

    /// Whether OUT cannot be a map: whoever names a folder and a map mistook the folder for one.
    fn has_no_format(&self) -> bool {
        let extension = self.to.extension().and_then(|extension| extension.to_str());
        extension.and_then(crate::format::map_format_by_extension).is_none()
    }

    fn convert_one(&self) -> anyhow::Result<Reply> {
        let (opened, asked) = open_to_save(&self.from, &self.to, &self.settings, &self.target)?;
        check_settings(&self.to, &[&opened], Some(&self.to), &self.settings)?;
        let origin = Origin { opened: &opened, paths: (&self.from, &self.to), asked: &asked };
        let saved = match save(origin, &self.settings, &self.target) {
            Err(reason) if self.json => return LossDenied::as_reply(&reason, &self.from, opened.format).ok_or(reason),
            saved => saved?,
        };
        if self.json {
            return Ok(Reply::json(&as_json(&self.from, &self.to, opened, saved)));
        }
        Ok(saved_reply(&self.from, &self.to, &opened, &saved, ""))
    }
}

fn as_json(from: &Path, to: &Path, opened: Opened, saved: Saved) -> Value {
    let mut report = Report::new();
    report.extend(opened.report);
    report.extend(saved.report);
    json!({
        "from": { "file": from.display().to_string(), "format": opened.format },
        "to": { "file": to.display().to_string(), "format": saved.format },
        "written": saved.written.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
        "losses": losses_json(&report),
        "warnings": warnings_json(&report),
    })
}
