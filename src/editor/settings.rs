//! What Spadework remembers between sessions: recent files, theme, window, export options.
//!
//! A small YAML file. Keys of newer versions are kept; a broken file is put aside and never stops the start. What changed here is
//! written over what others wrote since, and nothing else (`changes`): both changes side by side (`merging`), with what the file says
//! beyond what was read of it (`said`). What cannot stay is put aside first (`replaced`).

mod changes;
mod merges;
mod merging;
mod nesting;
mod replaced;
mod said;
#[cfg(test)]
mod tests;
mod words;

pub(in crate::editor) use changes::Known;
pub use replaced::Replaced;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_yaml::{Mapping, Value};

use self::merges::with_merges;
use self::nesting::{MAX_BRACKETS, too_deep};
use super::dock::Layout;
use super::files::KeepVersions;
use super::keymap::KeymapSettings;
use super::map_palette::MapPalettes;
use super::storage::{DanglingLink, Storage, StorageError, StoredPath, folder_of};
use crate::document::Options;

/// Files that the list of recent ones holds.
pub const MAX_RECENT: usize = 12;
/// Largest settings file that is read.
const SETTINGS_LIMIT: u64 = 1 << 20;

/// Colours of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Light on dark.
    #[default]
    Dark,
    /// Dark on light.
    Light,
    /// As the desktop.
    System,
}

/// How long earlier versions of saved maps are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct VersionSettings {
    /// Versions that are kept of one map; 0 keeps none.
    pub count: usize,
    /// Days after which a version is dropped.
    pub days: u64,
    /// Drops none, whatever the others say: what they said was lost with damaged settings.
    #[serde(skip_serializing_if = "is_false")]
    pub keep_all: bool,
}

impl Default for VersionSettings {
    fn default() -> Self {
        Self { count: 20, days: 60, keep_all: false }
    }
}

impl VersionSettings {
    /// How saves that begin at a time, in seconds since 1970, keep what they replace in a folder.
    pub fn keeping(self, folder: PathBuf, now: u64) -> KeepVersions {
        let (count, days) = if self.keep_all { (usize::MAX, u64::MAX) } else { (self.count, self.days) };
        KeepVersions { folder, count, days, now }
    }
}

/// To a thousandth, so that a file for people says 1.1 and not what is nearest to it.
#[expect(clippy::ref_option, reason = "serde hands a reference to the field")]
fn rounded<S: serde::Serializer>(value: &Option<f32>, serializer: S) -> Result<S::Ok, S::Error> {
    value.map(|value| (f64::from(value) * 1000.0).round() / 1000.0).serialize(serializer)
}

fn is_false(value: &bool) -> bool {
    !value
}

/// How much memory maps may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MemorySettings {
    /// Memory that a map may need when it is opened, in millions of bytes.
    pub map_megabytes: u64,
    /// Memory that the faces of the map in front may take on the graphics adapter, in millions of bytes.
    pub mesh_megabytes: u64,
    /// Memory that the steps of one map may take before the oldest are forgotten, in millions of bytes.
    pub history_megabytes: u64,
}

impl Default for MemorySettings {
    fn default() -> Self {
        // 512 MiB.
        Self { map_megabytes: 2048, mesh_megabytes: 1024, history_megabytes: 537 }
    }
}

impl MemorySettings {
    /// Memory that a map may need when it is opened.
    pub fn map_bytes(self) -> u64 {
        self.map_megabytes.saturating_mul(1_000_000)
    }

    /// Memory that the faces of the map in front may take.
    pub fn mesh_bytes(self) -> u64 {
        self.mesh_megabytes.saturating_mul(1_000_000)
    }

    /// Memory that the steps of one map may take.
    pub fn history_bytes(self) -> usize {
        usize::try_from(self.history_megabytes.saturating_mul(1_000_000)).unwrap_or(usize::MAX)
    }
}

/// The settings.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Maps opened or saved, the latest first, at most [`MAX_RECENT`].
    pub recent_files: Vec<StoredPath>,
    /// Folder of the next file dialog.
    pub last_folder: Option<StoredPath>,
    /// Colours of the window.
    pub theme: Theme,
    /// Size of text and controls; 1 is the desktop's own.
    #[serde(serialize_with = "rounded")]
    pub ui_scale: Option<f32>,
    /// Which parts of the window are shown, and where.
    pub layout: Layout,
    /// Width and height of the window in points of the desktop.
    pub window_size: Option<[f32; 2]>,
    /// How long earlier versions of saved maps are kept.
    pub versions: VersionSettings,
    /// Which key does what.
    #[serde(deserialize_with = "or_default")]
    pub keymap: KeymapSettings,
    /// How much memory maps may take.
    pub memory: MemorySettings,
    /// Options for reading, by format id, such as the folder that tiles of SS14 maps get their colors from.
    pub read_options: BTreeMap<String, Options>,
    /// Options last used for writing, by format id.
    pub export_options: BTreeMap<String, Options>,
    /// Palettes beside maps, the latest first.
    #[serde(deserialize_with = "or_default")]
    pub palettes: MapPalettes,
    /// Keys that this version does not know; kept.
    #[serde(flatten)]
    pub other: BTreeMap<String, serde_yaml::Value>,
    /// What this version does not know within the parts that it knows, by part; kept.
    #[serde(skip)]
    pub kept: BTreeMap<String, serde_yaml::Value>,
}

/// Parts of the settings whose keys are all known: others in them are of newer versions.
const CLOSED_PARTS: [&str; 2] = ["memory", "versions"];
/// Parts of the settings that may be of another kind than this version knows.
const OPEN_PARTS: [&str; 2] = ["keymap", "palettes"];

/// A keymap or a palette that is none loses no other setting.
fn or_default<'de, D: serde::Deserializer<'de>, T: DeserializeOwned + Default>(deserializer: D) -> Result<T, D::Error> {
    let value = serde_yaml::Value::deserialize(deserializer)?;
    Ok(serde_yaml::from_value(value).unwrap_or_default())
}

/// Why the settings were not read or not kept. Nothing to stop for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The file is not what it should be; it was renamed, and the settings are the defaults.
    #[error(
        "The settings are damaged ({reason}): the defaults hold. The file was put aside, to be mended and put back while Spadework is \
         closed: {}",
        aside.display()
    )]
    Damaged {
        /// What is wrong, and where.
        reason: NoSettings,
        /// The new name of the file.
        aside: PathBuf,
    },
    /// Parts of the file are not what they should be; a copy is kept beside it, and the defaults hold for these parts.
    #[error(
        "{damaged} of the settings: not understood ({reason}); the default holds for it, and all else is as it was. The file as it was \
         is kept: {}",
        aside.display()
    )]
    PartlyDamaged {
        /// The parts by name, with commas.
        damaged: String,
        /// What is wrong with the first one, and where.
        reason: NoSettings,
        /// The file as it was.
        aside: PathBuf,
    },
    /// The file is not what it should be; it stays where it is, and the settings are the defaults.
    #[error("{}: the settings are damaged and do not count: {reason}", path.display())]
    NotUnderstood {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: NoSettings,
    },
    /// The file was put aside, and nobody wrote another one yet.
    #[error(
        "there are no settings ({}): damaged ones were put aside, to be mended and put back while Spadework is closed: {}; until then no \
         earlier version of a map is dropped",
        path.display(), aside.display()
    )]
    Aside {
        /// The file.
        path: PathBuf,
        /// What was put aside.
        aside: PathBuf,
    },
    /// So many were put aside that no other one is.
    #[error(
        "{}: the settings are not written, because what somebody wrote into them would be lost: {MAX_ASIDE} files as they were before lie \
         beside them; move some of those away",
        path.display()
    )]
    NoneAside {
        /// The file.
        path: PathBuf,
    },
    /// Somebody else writes the file all the while.
    #[error("{}: the settings are not written yet, because something else writes them all the while", path.display())]
    Edited {
        /// The file.
        path: PathBuf,
    },
    /// They would be larger than what is read.
    #[error("{}: the settings would be {bytes} bytes, and at most {SETTINGS_LIMIT} are read; the file stays as it is", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Bytes that they would be.
        bytes: usize,
    },
    /// A link in the way to the file leads nowhere.
    #[error(
        "the settings cannot be read, and do not count: {} is behind {}, a link to {}, which is not there",
        path.display(), link.link.display(), link.target.display()
    )]
    Away {
        /// The file.
        path: PathBuf,
        /// The link.
        link: DanglingLink,
    },
    /// Settings that YAML cannot hold.
    #[error("the settings cannot be written: {0}")]
    Encode(serde_yaml::Error),
}

/// Why a text is no settings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NoSettings {
    /// It is no YAML, or of another kind.
    #[error("{}", words::in_words(.0))]
    Yaml(#[from] serde_yaml::Error),
    /// Brackets within brackets, which take YAML readers forever.
    #[error("line {line}: brackets are nested more than {MAX_BRACKETS} deep")]
    TooDeep {
        /// Where, from 1.
        line: usize,
    },
}

/// Damaged settings that are kept beside each other.
const MAX_ASIDE: usize = 100;

fn parse(bytes: &[u8]) -> Result<Settings, NoSettings> {
    if let Some(line) = too_deep(bytes) {
        return Err(NoSettings::TooDeep { line });
    }
    let file: Value = serde_yaml::from_slice(bytes)?;
    let mut settings: Settings = match with_merges(&file) {
        Some(file) => serde_yaml::from_value(file)?,
        None => serde_yaml::from_slice(bytes)?,
    };
    settings.kept = unknown_parts(&settings, &file)?;
    Ok(settings)
}

/// The settings by those parts of a file that can be understood, and the names of the others; `None` where it has no parts, or
/// none of use.
fn sound_parts(bytes: &[u8]) -> Option<(Settings, String)> {
    let file: Value = serde_yaml::from_slice(bytes).ok()?;
    let Value::Mapping(parts) = with_merges(&file).unwrap_or(file) else { return None };
    let is_sound = |(name, value): &(Value, Value)| {
        let alone = Mapping::from_iter([(name.clone(), value.clone())]);
        serde_yaml::from_value::<Settings>(Value::Mapping(alone)).is_ok()
    };
    let (sound, damaged): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_sound);
    let file = Value::Mapping(Mapping::from_iter(sound));
    let mut settings: Settings = serde_yaml::from_value(file.clone()).ok()?;
    settings.kept = unknown_parts(&settings, &file).ok()?;
    let names: Vec<&str> = damaged.iter().filter_map(|(name, _)| name.as_str()).collect();
    if names.contains(&"versions") {
        // What it said is lost, and may have been to keep them all.
        settings.versions = Settings::unread().versions;
    }
    Some((settings, names.join(", "))).filter(|_| !names.is_empty())
}

/// Where settings are put aside that are damaged, or as they were `before`, one after the other.
fn asides<'a>(path: &'a Path, why: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
    let ending = move |number| if number < 2 { format!("yaml.{why}") } else { format!("yaml.{why}{number}") };
    (1..=MAX_ASIDE).map(move |number| path.with_extension(ending(number)))
}

/// Whether there are settings. Where a link in the way to them leads nowhere, as where its disk is not attached, or something that is
/// no folder is in the way, nobody knows.
fn is_there(storage: &dyn Storage, path: &Path) -> Result<bool, SettingsError> {
    if storage.exists(path)? {
        return Ok(true);
    }
    if let Some(link) = DanglingLink::above(storage, path) {
        return Err(SettingsError::Away { path: path.into(), link });
    }
    let folder = folder_of(path);
    match storage.list(folder) {
        Err(error) if !error.is_not_found() || storage.exists(folder)? => Err(error.into()),
        _ => Ok(false),
    }
}

/// What a file says within known parts that these settings, which were read from it, do not.
fn unknown_parts(settings: &Settings, file: &Value) -> Result<BTreeMap<String, Value>, serde_yaml::Error> {
    let known = serde_yaml::to_value(settings)?;
    let mut unknown = BTreeMap::new();
    for part in CLOSED_PARTS {
        let (Some(Value::Mapping(said)), Some(Value::Mapping(known))) = (file.get(part), known.get(part)) else { continue };
        let rest: Mapping =
            said.iter().filter(|(key, _)| !known.contains_key(*key)).map(|(key, value)| (key.clone(), value.clone())).collect();
        if !rest.is_empty() {
            unknown.insert(part.to_owned(), Value::Mapping(rest));
        }
    }
    let is_keymap = |value: &Value| serde_yaml::from_value::<KeymapSettings>(value.clone()).is_ok();
    let are_palettes = |value: &Value| serde_yaml::from_value::<MapPalettes>(value.clone()).is_ok();
    for (part, is_known) in OPEN_PARTS.into_iter().zip([&is_keymap as &dyn Fn(&Value) -> bool, &are_palettes]) {
        unknown.extend(file.get(part).filter(|value| !value.is_null() && !is_known(value)).map(|value| (part.to_owned(), value.clone())));
    }
    Ok(unknown)
}

impl Settings {
    /// The settings in a file, with what is wrong with it: of a damaged one the parts that can be understood, the defaults
    /// for the rest.
    pub fn load(storage: &dyn Storage, path: &Path) -> (Self, Option<SettingsError>) {
        Self::try_load(storage, path).unwrap_or_else(|error| (Self::unread(), Some(error)))
    }

    /// What holds where the settings cannot be read: the defaults, which drop nothing that others would keep.
    pub fn unread() -> Self {
        Self { versions: VersionSettings { keep_all: true, ..VersionSettings::default() }, ..Self::default() }
    }

    /// What holds, without what is kept besides.
    fn understood(&self) -> Result<Value, serde_yaml::Error> {
        serde_yaml::to_value(self)
    }

    /// As they are written.
    fn to_value(&self) -> Result<Value, serde_yaml::Error> {
        let mut value = self.understood()?;
        let (default, is_closed) = (serde_yaml::to_value(Self::default())?, |part: &str| CLOSED_PARTS.contains(&part));
        for (part, kept) in &self.kept {
            let Some(own) = value.get_mut(part) else { continue };
            match (own, kept) {
                (Value::Mapping(own), Value::Mapping(kept)) if is_closed(part) => own.extend(kept.clone()),
                // What was set here since takes its place.
                (own, kept) if !is_closed(part) && default.get(part) == Some(own) => *own = kept.clone(),
                _ => {}
            }
        }
        Ok(value)
    }

    /// As the file says; the defaults where it cannot be understood. Changes no file, unlike [`load`](Self::load).
    ///
    /// # Errors
    /// If there is a file and it cannot be understood.
    pub fn peek(storage: &dyn Storage, path: &Path) -> Result<Self, SettingsError> {
        if !is_there(storage, path)? {
            return asides(path, "damaged")
                .find(|aside| storage.exists(aside).unwrap_or(false))
                .map_or_else(|| Ok(Self::default()), |aside| Err(SettingsError::Aside { path: path.into(), aside }));
        }
        let bytes = storage.read(path, SETTINGS_LIMIT)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok(Self::default());
        }
        parse(&bytes).map_err(|reason| SettingsError::NotUnderstood { path: path.into(), reason })
    }

    fn try_load(storage: &dyn Storage, path: &Path) -> Result<(Self, Option<SettingsError>), SettingsError> {
        if !is_there(storage, path)? {
            return Self::peek(storage, path).map(|settings| (settings, None));
        }
        let bytes = storage.read(path, SETTINGS_LIMIT)?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Ok((Self::default(), None));
        }
        match parse(&bytes) {
            Ok(settings) => Ok((settings.bounded(), None)),
            Err(reason) => {
                // Another one may lie there already, and be of use to somebody.
                let free = |aside: &PathBuf| !storage.exists(aside).unwrap_or(true);
                let Some(aside) = asides(path, "damaged").find(free) else {
                    return Err(SettingsError::NotUnderstood { path: path.into(), reason });
                };
                storage.rename(path, &aside)?;
                let Some((settings, damaged)) = sound_parts(&bytes).filter(|_| !matches!(reason, NoSettings::TooDeep { .. })) else {
                    return Err(SettingsError::Damaged { reason, aside });
                };
                Ok((settings.bounded(), Some(SettingsError::PartlyDamaged { damaged, reason, aside })))
            }
        }
    }

    /// Within what the window can do with.
    fn bounded(mut self) -> Self {
        self.recent_files.truncate(MAX_RECENT);
        self.palettes.bound();
        let positive = |value: &f32| value.is_finite() && *value > 0.0;
        self.ui_scale = self.ui_scale.filter(positive).map(|scale| scale.clamp(0.5, 4.0));
        self.window_size = self.window_size.filter(|size| size.iter().all(positive));
        self
    }

    /// Palettes that are none, in a sentence: they hold nothing, and stay in the file.
    pub fn palette_trouble(&self) -> Option<String> {
        let are_none = self.kept.contains_key("palettes").then(|| "The palettes in the settings are not understood".to_owned());
        let others = match self.palettes.others() {
            0 => None,
            1 => Some("A palette in the settings is not understood".to_owned()),
            count => Some(format!("{count} palettes in the settings are not understood")),
        };
        are_none
            .or(others)
            .map(|trouble| format!("{trouble}: each needs map:, as no other, and colors:, a list of texts such as '#3a2a1c Dark earth'"))
    }

    /// Puts a map at the head of the recent ones, and its folder where the next dialog begins.
    pub fn remember(&mut self, map: &Path) {
        self.recent_files.retain(|recent| recent.0 != map);
        self.recent_files.insert(0, map.into());
        self.recent_files.truncate(MAX_RECENT);
        self.last_folder = Some(folder_of(map).into());
    }

    /// Takes a map off the list of recent ones: it is gone.
    pub fn forget(&mut self, map: &Path) {
        self.recent_files.retain(|recent| recent.0 != map);
    }
}
