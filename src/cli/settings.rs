//! `--set`: options of formats and exports, as they are typed and as the help names them.

use std::path::Path;

use clap::Args;

use crate::document::{OptionValue, Options};
use crate::format::{EXPORTS, Export, MAP_FORMATS, MapFormat, OptionKind, OptionSpec};
use crate::geom::LevelCurve;

/// Id of the argument `--set` of verbs that read or write maps.
pub const SETTINGS: &str = "settings";
/// Id of the argument `--set` of an export.
pub const EXPORT_SETTINGS: &str = "export-settings";

/// `--set` and `--lenient`, for every verb that reads or writes a map.
#[derive(Clone, Debug, Args)]
pub struct SetArgs {
    /// Option of a format; may be given several times
    #[arg(id = SETTINGS, long = "set", value_name = "KEY=VALUE", value_parser = parse_setting)]
    values: Vec<(String, OptionValue)>,
    /// Mend a broken map as far as possible instead of refusing it, and list what was mended: --set lenient=true
    #[arg(long)]
    lenient: bool,
}

/// Name of the option that `--lenient` sets.
pub(super) const LENIENT: &str = "lenient";
/// Name of the option that `--size` sets.
const SIZE: &str = "size";

/// What is chosen for the formats.
#[derive(Debug, Args)]
pub struct Settings {
    #[command(flatten)]
    set: SetArgs,
    /// Columns of a VXL map from west to east and north to south, where they cannot be found out: --set size=WxH
    #[arg(long = "size", id = "map-size", value_name = "WxH")]
    size: Option<String>,
}

impl From<SetArgs> for Settings {
    fn from(set: SetArgs) -> Self {
        Self { set, size: None }
    }
}

impl Settings {
    /// The names of the options that have a value.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.set.values.iter().map(|(name, _)| name.as_str()).chain(self.size.iter().map(|_| SIZE))
    }

    /// All of them.
    pub fn options(&self) -> Options {
        let mut options: Options = self.set.values.iter().cloned().collect();
        if self.set.lenient {
            options.insert(LENIENT.into(), OptionValue::Bool(true));
        }
        if let Some(size) = &self.size {
            options.insert(SIZE.into(), OptionValue::Text(size.clone()));
        }
        options
    }

    /// Those of the options that the format has which a map's name decides on.
    pub fn options_at(&self, path: &Path) -> Options {
        format_of(path).map_or_else(Options::new, |format| self.options_of(format))
    }

    fn options_of(&self, format: &dyn MapFormat) -> Options {
        let mut options = self.options();
        options.retain(|name, _| format.options().iter().any(|spec| spec.name == name));
        options
    }
}

/// `--set` of an export: options of it, and of the format that is read.
#[derive(Debug, Args)]
pub struct ExportSettings {
    /// Option of the export or of the map's format; may be given several times
    #[arg(id = EXPORT_SETTINGS, long = "set", value_name = "KEY=VALUE", value_parser = parse_pair)]
    values: Vec<(String, String)>,
    /// Mend a broken map as far as possible instead of refusing it: --set lenient=true
    #[arg(long)]
    lenient: bool,
    /// Columns of a VXL map from west to east and north to south, where they cannot be found out: --set size=WxH
    #[arg(long = "size", id = "map-size", value_name = "WxH")]
    size: Option<String>,
}

impl ExportSettings {
    /// The options of the export, and those for reading.
    ///
    /// # Errors
    /// Says which option neither has, or does not take its value.
    pub fn split(&self, export: &dyn Export) -> Result<(Options, Options), String> {
        let (mut own, mut reading) = (Options::new(), Options::new());
        for (name, text) in &self.values {
            let wrong = |reason: BadSetting| format!("--set {name}={text}: {reason}");
            match find_value(export.options().iter(), name, text) {
                Ok(value) => _ = own.insert(name.clone(), value),
                Err(BadSetting::Unknown { .. }) => _ = reading.insert(name.clone(), find_value(map_options(), name, text).map_err(wrong)?),
                Err(reason) => return Err(wrong(reason)),
            }
        }
        if self.lenient {
            reading.insert(LENIENT.into(), OptionValue::Bool(true));
        }
        if let Some(size) = &self.size {
            reading.insert(SIZE.into(), OptionValue::Text(size.clone()));
        }
        Ok((own, reading))
    }
}

fn parse_pair(text: &str) -> Result<(String, String), BadSetting> {
    text.split_once('=').map(|(name, value)| (name.into(), value.into())).ok_or(BadSetting::NoValue)
}

/// Those of the options that the format has which a map's name decides on.
pub fn options_for(path: &Path, options: &[(String, OptionValue)]) -> Options {
    let specs = format_of(path).map_or(&[][..], MapFormat::options);
    options.iter().filter(|(name, _)| specs.iter().any(|spec| spec.name == name)).cloned().collect()
}

/// The format that a map's name decides on.
pub(super) fn format_of(path: &Path) -> Option<&'static dyn MapFormat> {
    crate::format::map_format_by_extension(path.extension()?.to_str()?)
}

/// A `--set` that no format or export takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    #[error("not of the form KEY=VALUE")]
    NoValue,
    #[error("no format or export has an option {name:?}")]
    Unknown { name: String },
    #[error("{name} takes {kind}")]
    BadValue { name: &'static str, kind: String },
}

/// An option of any format, as typed: `KEY=VALUE`.
pub fn parse_setting(text: &str) -> Result<(String, OptionValue), BadSetting> {
    let (name, value) = text.split_once('=').ok_or(BadSetting::NoValue)?;
    Ok((name.into(), find_value(map_options(), name, value)?))
}

/// An option of the format that a map's name decides on, as typed; nothing if that has none of the name.
pub fn setting_of(path: &Path, name: &str, value: &str) -> Option<Result<(String, OptionValue), BadSetting>> {
    let mut specs = format_of(path)?.options().iter().filter(|spec| spec.name == name).peekable();
    specs.peek()?;
    Some(find_value(specs, name, value).map(|value| (name.into(), value)))
}

fn map_options() -> impl Iterator<Item = &'static OptionSpec> {
    MAP_FORMATS.iter().flat_map(|format| format.options())
}

/// The value as the first of the options of that name takes it.
fn find_value(specs: impl Iterator<Item = &'static OptionSpec>, name: &str, value: &str) -> Result<OptionValue, BadSetting> {
    let mut wrong = BadSetting::Unknown { name: name.into() };
    for spec in specs.filter(|spec| spec.name == name) {
        match parse_value(spec.kind, value) {
            Some(value) => return Ok(value),
            None => wrong = BadSetting::BadValue { name: spec.name, kind: kind_text(spec.kind) },
        }
    }
    Err(wrong)
}

/// A value as typed, if the option takes it.
pub fn parse_value(kind: OptionKind, text: &str) -> Option<OptionValue> {
    match kind {
        OptionKind::Bool { .. } => match text {
            "true" | "on" | "yes" => Some(OptionValue::Bool(true)),
            "false" | "off" | "no" => Some(OptionValue::Bool(false)),
            _ => None,
        },
        OptionKind::Int { min, max, .. } => text.parse().ok().filter(|value| (min..=max).contains(value)).map(OptionValue::Int),
        OptionKind::Choice { choices } => choices.iter().any(|(choice, _)| *choice == text).then(|| OptionValue::Text(text.into())),
        OptionKind::Curve { .. } => text.parse::<LevelCurve>().is_ok().then(|| OptionValue::Text(text.into())),
        OptionKind::Text { .. } | OptionKind::Folder => Some(OptionValue::Text(text.into())),
    }
}

/// What an option takes.
pub fn kind_text(kind: OptionKind) -> String {
    match kind {
        OptionKind::Bool { default } => format!("true or false, {default} where not given"),
        OptionKind::Int { min, max, default } => format!("a whole number from {min} to {max}, {default} where not given"),
        OptionKind::Choice { choices } => {
            let words: Vec<_> = choices.iter().map(|(choice, _)| *choice).filter(|choice| !choice.is_empty()).collect();
            words.join(" or ")
        }
        OptionKind::Curve { default } => {
            format!("an exponent from 0.0625 to 16 or points such as 0:0,0.5:0.3,1:1, {default} where not given")
        }
        OptionKind::Text { .. } => "text".into(),
        OptionKind::Folder => "path of a folder".into(),
    }
}

/// The options of all formats, for the help.
pub fn settings_help() -> String {
    let lines = MAP_FORMATS.iter().flat_map(|format| format.options().iter().map(|spec| option_help(format.id(), spec)));
    lines.collect::<Vec<_>>().join("\n")
}

/// Every export with its options, for the help.
pub fn exports_help() -> String {
    let lines = EXPORTS.iter().flat_map(|export| {
        let title = format!("  {}: {} (.{})", export.id(), export.label(), export.extensions().join(" ."));
        std::iter::once(title).chain(export.options().iter().map(|spec| option_help(export.id(), spec)))
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn option_help(owner: &str, spec: &OptionSpec) -> String {
    format!("  {owner} {}: {}\n      {}", spec.name, kind_text(spec.kind), spec.help)
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
