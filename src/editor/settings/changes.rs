//! Writing the settings that changed here, and nothing else: others may have edited the file since it was read, or a disk may not
//! have given it then.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde_yaml::{Mapping, Value};

use super::{SETTINGS_LIMIT, Settings, SettingsError, is_there, parse};
use crate::editor::map_palette::MapPalettes;
use crate::editor::storage::{Storage, folder_of, replace_file};
use crate::editor::{Editor, Message};

/// Parts that are lists of what belongs to one map each: others add to them and take from them, too.
const LISTS: [&str; 2] = ["palettes", "recent_files"];

/// The settings as they were when they were read or last written, and why they are not written.
#[derive(Debug, Default)]
pub(in crate::editor) struct Known {
    settings: Settings,
    failure: Option<String>,
    /// The failure that was told.
    told: Option<String>,
}

impl Known {
    pub(in crate::editor) fn of(settings: &Settings) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self { settings: settings.clone(), ..Self::default() }))
    }
}

impl Editor {
    /// Writes the settings that changed, on a thread of its own. Why they cannot be written is told once.
    pub fn save_settings(&mut self) {
        let Some(file) = self.settings_file.clone() else { return };
        let (settings, storage, known, wake) =
            (self.settings.clone(), self.storage.clone(), self.settings_known.clone(), self.jobs.waker());
        self.background.run(move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            match settings.save_changes(&known.settings, &*storage, &file) {
                Ok(()) => (known.settings, known.failure, known.told) = (settings, None, None),
                Err(error) => {
                    tracing::warn!("settings are not saved: {error}");
                    known.failure = Some(error.to_string());
                    drop(known);
                    wake();
                }
            }
        });
    }

    /// Tells why the settings are not written, once.
    pub(in crate::editor) fn tell_settings_not_saved(&mut self) {
        let failure = match self.settings_known.try_lock() {
            Ok(mut known) if known.failure != known.told => {
                let failure = known.failure.clone();
                known.told.clone_from(&failure);
                failure
            }
            _ => None,
        };
        if let Some(failure) = failure {
            self.tell(Message::warning("What you chose is not kept: the settings cannot be written").with_detail(failure));
        }
    }
}

impl Settings {
    /// Writes what differs from these settings as they were `known` before: all else stays as the file says by now. Without a file, all
    /// is written.
    ///
    /// # Errors
    /// If there is a file that cannot be read or understood, which stays as it is; if it cannot be written.
    pub fn save_changes(&self, known: &Self, storage: &dyn Storage, path: &Path) -> Result<(), SettingsError> {
        let own = self.to_value().map_err(SettingsError::Encode)?;
        let there = if is_there(storage, path)? { storage.read(path, SETTINGS_LIMIT)? } else { [].into() };
        let text = if there.iter().all(u8::is_ascii_whitespace) {
            serde_yaml::to_string(&own)
        } else {
            let not_understood = |reason| SettingsError::NotUnderstood { path: path.into(), reason };
            parse(&there).map_err(not_understood)?;
            let there: Value = serde_yaml::from_slice(&there).map_err(SettingsError::Encode)?;
            let known = known.to_value().map_err(SettingsError::Encode)?;
            let merged = bounded(merged(&known, own, there.clone()));
            if merged == there {
                return Ok(());
            }
            serde_yaml::to_string(&merged)
        };
        storage.create_folder(folder_of(path))?;
        Ok(replace_file(storage, path, text.map_err(SettingsError::Encode)?.as_bytes())?)
    }
}

/// What is there, with what differs of our own from what was known of it.
fn merged(known: &Value, own: Value, there: Value) -> Value {
    match (known, own, there) {
        (known, own, there) if own == *known => there,
        (Value::Mapping(known), Value::Mapping(own), Value::Mapping(mut there)) => {
            let mut all = Mapping::new();
            for (key, own) in own {
                let is_list = key.as_str().is_some_and(|key| LISTS.contains(&key));
                let value = match (known.get(&key), there.remove(&key)) {
                    (Some(Value::Sequence(known)), Some(Value::Sequence(there))) if is_list && own.is_sequence() => {
                        Value::Sequence(merged_list(known, own.as_sequence().map_or(&[], |own| own), &there))
                    }
                    (Some(known), Some(there)) => merged(known, own, there),
                    _ => own,
                };
                all.insert(key, value);
            }
            // What was known and is none of our own any more was taken away here.
            all.extend(there.into_iter().filter(|(key, _)| !known.contains_key(key)));
            Value::Mapping(all)
        }
        (_, own, _) => own,
    }
}

/// What there is of a list, with what was added, changed and taken away of our own since it was known.
fn merged_list(known: &[Value], own: &[Value], there: &[Value]) -> Vec<Value> {
    if own == known {
        return there.to_vec();
    }
    // What is about a map is the same one, whatever it says.
    let name = |value: &Value| value.get("map").unwrap_or(value).clone();
    let named = |list: &[Value], sought: &Value| list.iter().find(|value| name(value) == name(sought)).cloned();
    let of_own = own.iter().filter_map(|value| match named(known, value) {
        // Nothing was done to it here: there it may have changed, or be gone.
        Some(known) if known == *value => named(there, value),
        _ => Some(value.clone()),
    });
    let of_others = there.iter().filter(|value| named(own, value).is_none() && named(known, value).is_none());
    of_own.chain(of_others.cloned()).collect()
}

/// With no more palettes than a file of settings may hold.
fn bounded(mut all: Value) -> Value {
    let Some(palettes) = all.get_mut("palettes") else { return all };
    // What is not understood stays as it is.
    let Ok(read) = serde_yaml::from_value::<MapPalettes>(palettes.clone()) else { return all };
    let mut bound = read.clone();
    bound.bound();
    if bound != read
        && let Ok(fewer) = serde_yaml::to_value(bound)
    {
        *palettes = fewer;
    }
    all
}
