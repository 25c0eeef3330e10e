//! Opening and saving for verbs: the window's own code on the real disk, `--set` and `--deny-loss`.

use std::path::Path;

use anyhow::ensure;
use clap::Args;

use super::error;
use super::output::warning_text;
use crate::document::{Document, OptionValue, Options, Progress};
use crate::editor::files::{OpenOptions, Opened, Overwrite, SaveOptions, Saved, open_map, preflight_save, save_map};
use crate::editor::storage::{RealStorage, Storage, folder_of};
use crate::format::{MAP_FORMATS, MapFormat, OptionKind, OptionSpec, Severity, Warning, map_format};

/// First bytes of every PNG file.
const PNG_SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Id of the argument `--set`.
pub const SETTINGS: &str = "settings";

/// `--set`, for every verb that reads or writes a map.
#[derive(Debug, Args)]
pub struct Settings {
    /// Option of a format; may be given several times
    #[arg(id = SETTINGS, long = "set", value_name = "KEY=VALUE", value_parser = parse_setting)]
    values: Vec<(String, OptionValue)>,
}

impl Settings {
    fn options(&self) -> Options {
        self.values.iter().cloned().collect()
    }

    fn options_of(&self, format: &dyn MapFormat) -> Options {
        let mut options = self.options();
        options.retain(|name, _| format.options().iter().any(|spec| spec.name == name));
        options
    }
}

/// Where a changed map goes.
#[derive(Debug, Args)]
pub struct Target {
    /// Replace the file if it exists
    #[arg(long)]
    overwrite: bool,
    /// Write nothing and exit with 1 if anything would be lost
    #[arg(long)]
    deny_loss: bool,
}

/// Opens a map with the sidecars beside it.
pub fn open(path: &Path, settings: &Settings) -> anyhow::Result<Opened> {
    let options = OpenOptions { options: settings.options(), ..OpenOptions::default() };
    open_map(&RealStorage, path, &options, &Progress::new()).map_err(|reason| error::open(path, &reason))
}

/// Fails if `--set` names an option that neither the format of the opened map nor that of the new one has.
pub fn check_settings(opened: &Opened, to: &Path, settings: &Settings) -> anyhow::Result<()> {
    let formats = [map_format(opened.format), format_of(to)];
    for (name, _) in &settings.values {
        let has = |format: &&dyn MapFormat| format.options().iter().any(|spec| spec.name == name);
        ensure!(formats.iter().flatten().any(has), "{}: the formats in use have no option {name}", to.display());
    }
    Ok(())
}

/// Saves a map that was opened from `from`, with its sidecars; the report begins with what the preflight told.
///
/// Nobody can be asked: a script by someone else that cannot be edited stays as it is, and the report says so.
pub fn save(document: &Document, opened: &Opened, from: &Path, to: &Path, settings: &Settings, target: &Target) -> anyhow::Result<Saved> {
    let is_same = std::path::absolute(from).ok() == std::path::absolute(to).ok();
    // One spelling of the path, so that what is known about the files beside the map is found.
    let to = if is_same { from } else { to };
    let options = SaveOptions {
        options: format_of(to).map_or_else(Options::new, |format| settings.options_of(format)),
        overwrite: if target.overwrite { Overwrite::Always } else { Overwrite::IfUnchanged },
        expected: if is_same && target.overwrite { opened.stamps.clone() } else { Default::default() },
        keep_foreign_sidecars: true,
        ..SaveOptions::default()
    };
    // Formats tell a loss once: before or while they write.
    let mut report = preflight_save(&RealStorage, document, to, &options).map_err(|reason| error::save(to, &reason))?;
    if target.deny_loss {
        let losses: Vec<&Warning> = opened.report.of(Severity::Loss).chain(report.of(Severity::Loss)).collect();
        ensure!(losses.is_empty(), "{}: not written, because of what would be lost: {}", to.display(), losses_text(&losses));
    }
    let mut saved = save_map(&RealStorage, document, to, &options, &Progress::new()).map_err(|reason| error::save(to, &reason))?;
    saved.report.warnings.retain(|warning| !report.warnings.contains(warning));
    report.extend(saved.report);
    Ok(Saved { report, ..saved })
}

fn format_of(path: &Path) -> Option<&'static dyn MapFormat> {
    crate::format::map_format_by_extension(path.extension()?.to_str()?)
}

fn losses_text(losses: &[&Warning]) -> String {
    losses.iter().map(|warning| warning_text(warning)).collect::<Vec<_>>().join("; ")
}

/// Fails unless a picture may be written there: a file that is no picture stays as it is.
pub fn check_picture(storage: &dyn Storage, path: &Path) -> anyhow::Result<()> {
    let has_folder = storage.exists(folder_of(path)).map_err(|reason| error::storage(&reason))?;
    ensure!(has_folder, "{}: its folder does not exist", path.display());
    let look = || if storage.exists(path)? { Ok(Some(storage.open(path)?)) } else { Ok(None) };
    if let Some(old) = look().map_err(|reason| error::storage(&reason))? {
        let head = old.head(PNG_SIGNATURE.len()).unwrap_or_default();
        ensure!(old.is_empty() || head == PNG_SIGNATURE, "{}: the file exists and is no PNG picture; it stays as it is", path.display());
    }
    Ok(())
}

/// A `--set` that no format takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum BadSetting {
    #[error("not of the form KEY=VALUE")]
    NoValue,
    #[error("no format has an option {name:?}")]
    Unknown { name: String },
    #[error("{name} takes {kind}")]
    BadValue { name: &'static str, kind: String },
}

fn parse_setting(text: &str) -> Result<(String, OptionValue), BadSetting> {
    let (name, value) = text.split_once('=').ok_or(BadSetting::NoValue)?;
    let specs = MAP_FORMATS.iter().flat_map(|format| format.options()).filter(|spec| spec.name == name);
    let mut wrong = BadSetting::Unknown { name: name.into() };
    for spec in specs {
        match parse_value(spec.kind, value) {
            Some(value) => return Ok((name.into(), value)),
            None => wrong = BadSetting::BadValue { name: spec.name, kind: kind_text(spec.kind) },
        }
    }
    Err(wrong)
}

fn parse_value(kind: OptionKind, text: &str) -> Option<OptionValue> {
    match kind {
        OptionKind::Bool { .. } => match text {
            "true" | "on" | "yes" => Some(OptionValue::Bool(true)),
            "false" | "off" | "no" => Some(OptionValue::Bool(false)),
            _ => None,
        },
        OptionKind::Int { min, max, .. } => text.parse().ok().filter(|value| (min..=max).contains(value)).map(OptionValue::Int),
        OptionKind::Text { .. } => Some(OptionValue::Text(text.into())),
    }
}

fn kind_text(kind: OptionKind) -> String {
    match kind {
        OptionKind::Bool { default } => format!("true or false, {default} where not given"),
        OptionKind::Int { min, max, default } => format!("a whole number from {min} to {max}, {default} where not given"),
        OptionKind::Text { .. } => "text".into(),
    }
}

/// The options of all formats, for the help.
pub fn settings_help() -> String {
    let line = |format: &dyn MapFormat, spec: &OptionSpec| {
        let name = format!("{} {}", format.id(), spec.name);
        format!("  {name}: {}\n      {}", kind_text(spec.kind), spec.help)
    };
    let lines = MAP_FORMATS.iter().flat_map(|format| format.options().iter().map(move |spec| line(*format, spec)));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_checked_against_the_formats() {
        assert_eq!(parse_setting("size=256x512"), Ok(("size".into(), OptionValue::Text("256x512".into()))));
        assert_eq!(parse_setting("lenient=on"), Ok(("lenient".into(), OptionValue::Bool(true))));
        assert_eq!(parse_setting("lenient"), Err(BadSetting::NoValue));
        assert!(matches!(parse_setting("lenient=maybe"), Err(BadSetting::BadValue { name: "lenient", .. })));
        assert!(matches!(parse_setting("depth=1"), Err(BadSetting::Unknown { .. })));
        let kind = OptionKind::Int { min: 1, max: 3, default: 2 };
        assert_eq!([parse_value(kind, "3"), parse_value(kind, "4")], [Some(OptionValue::Int(3)), None]);
    }
}
