//! Opening and saving for verbs: the window's own code on the real disk, `--set` and `--deny-loss`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::ensure;
use clap::Args;
use serde_json::{Value, json};

use super::output::{losses_json, warning_text, warnings_json};
use super::settings::{LENIENT, Settings, format_of};
use super::{Reply, error};
use crate::document::{Document, Options, Progress};
use crate::editor::claim::is_open_elsewhere;
use crate::editor::files::{
    BeforePlacing, KeepVersions, OpenOptions, Opened, Overwrite, SIDECAR_NOT_READ, SaveOptions, SavePlace, Saved, Stamps, Standing,
    check_map_name, open_map, preflight_save, save_map, settle_at,
};
use crate::editor::recovery::SaveNote;
use crate::editor::settings::Settings as WindowSettings;
use crate::editor::storage::{RealStorage, Storage, folder_of};
use crate::editor::{paths, seconds_now};
use crate::format::{FormatError, MapFormat, Report, Severity, map_format};

/// First bytes of every PNG file.
const PNG_SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Where a changed map goes.
#[derive(Debug, Args)]
pub struct Target {
    /// Replace the file if it exists
    #[arg(long)]
    pub overwrite: bool,
    /// Write nothing and exit with 1 if anything would be lost
    #[arg(long)]
    pub deny_loss: bool,
}

impl Target {
    /// What may be replaced in the map's own place: what somebody else saved since the map was read stays.
    pub fn in_place(&self) -> Overwrite {
        if self.overwrite { Overwrite::UnlessChanged } else { Overwrite::IfUnchanged }
    }

    /// What may be replaced in another place than the map's own: with `--overwrite` what stands there now, and nothing that comes there later. With what is
    /// to be told: what interrupted saves left there and beside the file that is read is settled first, as that is nobody's work of this moment.
    pub fn as_it_stands(&self, from: Option<&Path>, to: &Path) -> (Overwrite, Report) {
        if !self.overwrite {
            return (Overwrite::IfUnchanged, Report::new());
        }
        let mut told = settle_at(&RealStorage, to);
        from.into_iter().for_each(|from| extend_once(&mut told, settle_at(&RealStorage, from)));
        (Overwrite::AsAsked(Standing::of(&RealStorage, to, &Stamps::default())), told)
    }

    /// Where a map is saved that was opened, and how: in its own place what somebody saved since stays, in another one what is not as it was `asked` about.
    pub fn saving<'a>(&self, (from, to): (&'a Path, &'a Path), opened: &Stamps, asked: Overwrite) -> (&'a Path, SaveOptions) {
        let is_same = RealStorage.is_same_place(from, to);
        let expected = if is_same && self.overwrite { opened.clone() } else { Stamps::default() };
        let overwrite = if is_same { self.in_place() } else { asked };
        let place = SavePlace::own_if(is_same);
        let options = SaveOptions { overwrite, expected, place, keep_foreign_sidecars: true, ..SaveOptions::default() };
        // One spelling of the path, so that what is known about the files beside the map is found.
        (if is_same { from } else { to }, options)
    }

    /// Fails with [`LossDenied`] if nothing may be lost and something would be.
    pub fn check_losses(&self, to: &Path, reports: &[&Report]) -> anyhow::Result<()> {
        let mut report = Report::new();
        reports.iter().for_each(|part| report.extend((*part).clone()));
        if self.deny_loss && report.of(Severity::Loss).next().is_some() {
            return Err(LossDenied { to: to.into(), report }.into());
        }
        Ok(())
    }
}

/// Nothing is written, because something would be lost.
#[derive(Debug, thiserror::Error)]
#[error("{}: not written, because of what would be lost: {}", to.display(), losses(report))]
pub struct LossDenied {
    to: PathBuf,
    /// What was told of reading and of writing.
    report: Report,
}

fn losses(report: &Report) -> String {
    report.of(Severity::Loss).map(warning_text).collect::<Vec<_>>().join("; ")
}

impl LossDenied {
    /// For `--json`: the answer that `anyhow` stands for if it is this error, with what would have been lost.
    pub fn as_json(reason: &anyhow::Error, from: &Path, format: &str) -> Option<Value> {
        let Self { to, report } = reason.downcast_ref()?;
        Some(json!({
            "from": { "file": from.display().to_string(), "format": format },
            "to": { "file": to.display().to_string() },
            "denied": true,
            "written": [],
            "losses": losses_json(report),
            "warnings": warnings_json(report),
        }))
    }

    /// The same as the reply of a call that does nothing else.
    pub fn as_reply(reason: &anyhow::Error, from: &Path, format: &str) -> Option<Reply> {
        let reply = Reply::json(&Self::as_json(reason, from, format)?);
        Some(Reply { errors: vec![reason.to_string()], failed: true, ..reply })
    }
}

/// Opens a map with the sidecars beside it.
pub fn open(path: &Path, settings: &Settings) -> anyhow::Result<Opened> {
    open_with(path, settings.options())
}

/// Opens a map that is to be saved; answers, too, what that may replace.
pub fn open_to_save(from: &Path, to: &Path, settings: &Settings, target: &Target) -> anyhow::Result<(Opened, Overwrite)> {
    let (asked, told) = target.as_it_stands(Some(from), to);
    let mut opened = open(from, settings)?;
    extend_once(&mut opened.report, told);
    Ok((opened, asked))
}

/// Takes over what is not told already.
pub fn extend_once(report: &mut Report, mut told: Report) {
    told.warnings.retain(|warning| report.warnings.iter().all(|known| known.message != warning.message));
    report.extend(told);
}

/// How maps are opened: with as much memory as the settings allow.
pub fn open_options() -> OpenOptions {
    OpenOptions { memory_limit: of_window().memory.map_bytes(), ..OpenOptions::default() }
}

/// A map that was just made, if the settings allow it the memory that it takes.
///
/// # Errors
/// [`FormatError::TooLarge`].
pub fn within_memory(mut document: Document) -> Result<Document, FormatError> {
    document.memory_limit = memory_limit();
    let (needed, allowed) = (document.size_bytes(), document.memory_limit);
    if needed > allowed { Err(FormatError::TooLarge { needed, allowed }) } else { Ok(document) }
}

/// Bytes of memory that a map may take.
pub fn memory_limit() -> u64 {
    of_window().memory.map_bytes()
}

/// The settings of the window, some of which hold here, too.
fn of_window() -> WindowSettings {
    let file = paths::settings_file();
    let read = file.map_or_else(|| Ok(WindowSettings::default()), |file| WindowSettings::peek(&RealStorage, &file));
    read.unwrap_or_else(|error| {
        // The first call notes it; the others would say the same.
        SETTINGS_TROUBLE.set(error.to_string()).ok();
        WindowSettings::unread()
    })
}

/// Why the settings of the window do not hold here, if somebody asked for them.
static SETTINGS_TROUBLE: OnceLock<String> = OnceLock::new();

/// What there is to say about the settings of the window.
pub fn settings_trouble() -> Option<&'static str> {
    SETTINGS_TROUBLE.get().map(String::as_str)
}

/// How saves keep what they replace, as those of the window do.
fn keep_versions() -> Option<KeepVersions> {
    Some(of_window().versions.keeping(paths::versions_dir()?, seconds_now()))
}

/// Opens a map with these options of its format.
pub fn open_with(path: &Path, options: Options) -> anyhow::Result<Opened> {
    let options = OpenOptions { options, ..open_options() };
    open_map(&RealStorage, path, &options, &Progress::new()).map_err(|reason| error::open(path, &reason))
}

/// Fails if `--set` or `--size` names an option that none of these formats has, those of opened maps and that of a new one.
pub fn check_settings(at: &Path, opened: &[&Opened], to: Option<&Path>, settings: &Settings) -> anyhow::Result<()> {
    check_names(at, opened.iter().filter_map(|opened| map_format(opened.format)).chain(to.and_then(format_of)), settings.names())
}

/// Fails if reading a map was given an option that its format does not have.
pub fn check_reading(at: &Path, opened: &Opened, reading: &Options) -> anyhow::Result<()> {
    check_names(at, map_format(opened.format).into_iter(), reading.keys().map(String::as_str).filter(|name| *name != LENIENT))
}

fn check_names<'a>(
    at: &Path,
    formats: impl Iterator<Item = &'static dyn MapFormat> + Clone,
    mut names: impl Iterator<Item = &'a str>,
) -> anyhow::Result<()> {
    let has = |name: &str| formats.clone().any(|format| format.options().iter().any(|spec| spec.name == name));
    let unknown = names.find(|name| !has(name));
    let label = formats.clone().map(MapFormat::label).next().unwrap_or("map");
    match unknown {
        Some(name) if formats.count() < 2 => anyhow::bail!("{}: a file of this kind ({label}) has no option {name}", at.display()),
        Some(name) => anyhow::bail!("{}: the formats in use have no option {name}", at.display()),
        None => Ok(()),
    }
}

/// What a map that is saved was read from, and what its save may replace.
#[derive(Clone, Copy)]
pub struct Origin<'a> {
    pub opened: &'a Opened,
    /// The file and where it goes.
    pub paths: (&'a Path, &'a Path),
    /// What may be replaced there, if it is another place.
    pub asked: &'a Overwrite,
}

/// Saves a map that was opened, with its sidecars; the report begins with what the preflight told.
///
/// Nobody can be asked: a script by someone else that cannot be edited stays as it is, and the report says so.
pub fn save(origin: Origin, settings: &Settings, target: &Target) -> anyhow::Result<Saved> {
    save_telling(&origin.opened.document, origin, settings, target, BeforePlacing::default())
}

/// The files beside a map that were not read and do not come along to another place, as losses.
pub fn left_behind(opened: &Report) -> Report {
    let mut left = Report::new();
    for warning in opened.warnings.iter().filter(|warning| warning.code == SIDECAR_NOT_READ) {
        left.push(Severity::Loss, "sidecar-left-behind", format!("{}; it does not come along", warning.message));
    }
    left
}

/// As [`save`], of what became of the map, with one who is told before the files are put in place.
pub fn save_telling(
    document: &Document,
    Origin { opened, paths, asked }: Origin,
    settings: &Settings,
    target: &Target,
    before_placing: BeforePlacing,
) -> anyhow::Result<Saved> {
    let (to, options) = target.saving(paths, &opened.stamps, asked.clone());
    let options = SaveOptions { options: settings.options_at(to), before_placing, ..options };
    let mut told = opened.report.clone();
    if options.place != SavePlace::Own {
        told.extend(left_behind(&opened.report));
    }
    let mut saved = save_with(document, &told, to, &options, target)?;
    saved.report.warnings.extend(told.warnings.into_iter().filter(|warning| warning.code == "sidecar-left-behind"));
    Ok(saved)
}

/// Fails, before there is a map to write, if none can be written under that name.
pub fn check_name(to: &Path) -> anyhow::Result<()> {
    check_map_name(to).map_err(|reason| error::save(to, &reason))
}

/// Saves a map of which `told` was said already; the report begins with what the preflight told.
pub fn save_with(document: &Document, told: &Report, to: &Path, options: &SaveOptions, target: &Target) -> anyhow::Result<Saved> {
    let options = &SaveOptions { versions: keep_versions(), ..options.clone() };
    // Formats tell a loss once: before or while they write.
    let mut report = preflight_save(&RealStorage, document, to, options).map_err(|reason| error::save(to, &reason))?;
    target.check_losses(to, &[told, &report])?;
    // A script that keeps a journal of its own may be killed here as well.
    let whole = std::path::absolute(to).unwrap_or_else(|_| to.into());
    let note = paths::journal_dir().and_then(|folder| SaveNote::begin(&RealStorage, &folder, &whole));
    let saved = save_map(&RealStorage, document, to, options, &Progress::new());
    if let Some(note) = note {
        note.end();
    }
    let mut saved = saved.map_err(|reason| error::save(to, &reason))?;
    if paths::journal_dir().is_some_and(|folder| is_open_elsewhere(&RealStorage, &folder, to)) {
        let message = "a window has this map open with steps of its own; it asks before it saves over this";
        report.push(Severity::Problem, "open-elsewhere", message);
    }
    saved.report.warnings.retain(|warning| !report.warnings.contains(warning));
    report.extend(saved.report);
    Ok(Saved { report, ..saved })
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
