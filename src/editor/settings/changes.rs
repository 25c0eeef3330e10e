//! Writing the settings that changed here, and nothing else: others may have edited the file since it was read, or a disk may not
//! have given it then.

use std::collections::HashMap;
use std::mem::discriminant;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_yaml::{Mapping, Value};

use super::{MAX_RECENT, SETTINGS_LIMIT, Settings, SettingsError, is_there, parse};
use crate::editor::map_palette::MapPalettes;
use crate::editor::storage::{FileLock, Storage, folder_of, replace_file_if};
use crate::editor::{Editor, Message};

/// Parts that are lists of what belongs to one map each: others add to them and take from them, too.
const LISTS: [&str; 2] = ["palettes", "recent_files"];
/// Parts of which each entry stands for itself; any other part is of one piece.
const BY_ENTRY: [&str; 5] = ["versions", "memory", "keymap", "read_options", "export_options"];

/// Levels at which keys that this version does not know stay beside those that changed: parts, and their entries.
const LEVELS: usize = 2;

/// Time after which what could not be written is tried again.
pub(super) const PAUSE: Duration = Duration::from_secs(5);

/// How long another window is waited for that writes the settings, and how often it is looked.
const TURN_PAUSE: Duration = Duration::from_millis(20);
const TURN_TRIES: usize = 100;

/// The settings as they were when they were read or last written, and why they are not written.
#[derive(Debug, Default)]
pub(in crate::editor) struct Known {
    settings: Settings,
    failure: Option<String>,
    /// The failure that was told.
    told: Option<String>,
    /// When they could not be written last.
    pub(super) failed: Option<Instant>,
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
                Ok(()) => {
                    *known = Known { settings, ..Known::default() };
                    known.settings.layout.is_whole = true;
                }
                Err(error) => {
                    tracing::warn!("settings are not saved: {error}");
                    (known.failure, known.failed) = (Some(error.to_string()), Some(Instant::now()));
                    drop(known);
                    wake();
                }
            }
        });
    }

    /// Writes the settings once more, where they could not be written before; for the end of the program.
    pub fn save_settings_left(&mut self) {
        // One that is being written right now is not waited for, and each failure is followed by one try.
        if self.settings_known.try_lock().is_ok_and(|mut known| known.failed.take().is_some()) {
            self.save_settings();
        }
    }

    /// Tells why the settings are not written, once, and tries it again after a while.
    pub(in crate::editor) fn tell_settings_not_saved(&mut self) {
        let Ok(mut known) = self.settings_known.try_lock() else { return };
        let failure = known.failure.clone().filter(|failure| known.told.as_ref() != Some(failure));
        if failure.is_some() {
            known.told.clone_from(&failure);
        }
        let is_due = known.failed.take_if(|failed| failed.elapsed() >= PAUSE).is_some();
        drop(known);
        if is_due {
            self.save_settings();
        }
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
    /// If there is a file that cannot be read or understood, which stays as it is; if it cannot be written; if it would be larger than
    /// what is read.
    pub fn save_changes(&self, known: &Self, storage: &dyn Storage, path: &Path) -> Result<(), SettingsError> {
        let is_layout_whole = known.layout.is_whole;
        let [own, known] = [self, known].map(Self::to_value);
        let (own, mut known) = (own.map_err(SettingsError::Encode)?, known.map_err(SettingsError::Encode)?);
        if let Value::Mapping(known) = &mut known
            && !is_layout_whole
        {
            // What is there was not understood, and told: what it was taken for is written.
            known.remove("layout");
        }
        // Looked at before anything is made there.
        is_there(storage, path)?;
        storage.create_folder(folder_of(path))?;
        let _turn = wait_for_turn(storage, path);
        // A person may edit the file while it is written.
        for is_last in [false, false, false, true] {
            let there = if is_there(storage, path)? { Some(storage.read(path, SETTINGS_LIMIT)?) } else { None };
            let all = if let Some(there) = there.as_deref().filter(|there| !there.iter().all(u8::is_ascii_whitespace)) {
                let read = parse(there).map_err(|reason| SettingsError::NotUnderstood { path: path.into(), reason })?;
                if own == known {
                    return Ok(());
                }
                let mut file: Value = serde_yaml::from_slice(there).map_err(SettingsError::Encode)?;
                if let Value::Mapping(file) = &mut file {
                    // A name that is no text was read as its text, and is written so.
                    file.retain(|name, _| name.is_string() && (read.layout.is_whole || name.as_str() != Some("layout")));
                }
                let read = read.to_value().map_err(SettingsError::Encode)?;
                let file = readable(file, &read);
                with_all_that_is_said(&file, &read, LEVELS, bounded(merged(&known, own.clone(), read.clone())))
            } else {
                own.clone()
            };
            let text = serde_yaml::to_string(&all).map_err(SettingsError::Encode)?;
            // Nobody could read it.
            if text.len() as u64 > SETTINGS_LIMIT {
                return Err(SettingsError::TooLarge { path: path.into(), bytes: text.len() });
            }
            storage.check_writable(path)?;
            let is_as_read = || is_last || storage.read(path, SETTINGS_LIMIT).ok() == there;
            if replace_file_if(storage, path, text.as_bytes(), is_as_read)? {
                break;
            }
        }
        Ok(())
    }
}

/// Keeps other windows from writing the settings between reading and writing them here. Where there are no locks, or one of them takes
/// too long, it goes on: settings that are not written are worse.
fn wait_for_turn(storage: &dyn Storage, path: &Path) -> Option<FileLock> {
    let lock = path.with_extension("lock");
    for _ in 0..TURN_TRIES {
        match storage.lock(&lock) {
            Ok(Some(turn)) => return Some(turn),
            Ok(None) => std::thread::sleep(TURN_PAUSE),
            Err(_) => return None,
        }
    }
    None
}

/// What a file says, with what was read in the place of what would be read as something else once it is written: an empty part can be
/// read, and a written `null` cannot; `080` was read as a number where one belongs, and is a text where nobody knows what belongs there.
fn readable(file: Value, read: &Value) -> Value {
    match (file, read) {
        (Value::Null, read) => read.clone(),
        (Value::Mapping(file), Value::Mapping(read)) => {
            let is_odd = |key: &Value| !key.is_string() && !read.contains_key(key);
            // Names that are no text were read as their text.
            let texts = read.iter().filter(|(key, _)| file.keys().any(is_odd) && !file.contains_key(*key));
            let texts: Vec<_> = texts.map(|(key, value)| (key.clone(), value.clone())).collect();
            let filled = |(key, value): (Value, Value)| match read.get(&key) {
                Some(read) => (key, readable(value, read)),
                None => (key, value),
            };
            Value::Mapping(file.into_iter().filter(|(key, _)| !is_odd(key)).map(filled).chain(texts).collect())
        }
        (Value::Sequence(file), Value::Sequence(read)) if file.len() == read.len() => {
            Value::Sequence(file.into_iter().zip(read).map(|(value, read)| readable(value, read)).collect())
        }
        (file, read) if is_scalar(&file) && is_scalar(read) && discriminant(&file) != discriminant(read) => read.clone(),
        (file, _) => file,
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

/// What is written, with all that a file says beyond what was read of it: parts that did not change stay as they are there, others
/// keep the keys that this version does not know. What is deeper than so many levels is of one piece.
fn with_all_that_is_said(file: &Value, read: &Value, levels: usize, new: Value) -> Value {
    let within = |file: &Value, read: &Value, levels: usize, new: Value| match () {
        () if new == *read => file.clone(),
        () if file == read || levels == 0 => new,
        () => with_all_that_is_said(file, read, levels, new),
    };
    match (file, read, new) {
        (Value::Mapping(file), Value::Mapping(read), Value::Mapping(new)) => {
            let unknown = file.iter().filter(|(key, _)| !read.contains_key(*key) && !new.contains_key(*key));
            let unknown: Vec<(Value, Value)> = unknown.map(|(key, value)| (key.clone(), value.clone())).collect();
            let of_both = |(key, new): (Value, Value)| {
                let both = file.get(&key).zip(read.get(&key));
                let value = match both {
                    Some((file, read)) => within(file, read, levels - 1, new),
                    None => new,
                };
                (key, value)
            };
            Value::Mapping(new.into_iter().map(of_both).chain(unknown).collect())
        }
        (Value::Sequence(file), Value::Sequence(read), Value::Sequence(new)) if file.len() == read.len() => {
            // What is about a map is the same one, whatever it says now.
            let name = |value: &Value| value.get("map").unwrap_or(value).clone();
            let said: HashMap<Value, (&Value, &Value)> = read.iter().zip(file).map(|(read, file)| (name(read), (file, read))).collect();
            let of_both = |new: Value| match said.get(&name(&new)) {
                Some((file, read)) => within(file, read, levels, new),
                None => new,
            };
            Value::Sequence(new.into_iter().map(of_both).collect())
        }
        (_, _, new) => new,
    }
}

/// What is there, with what differs of our own from what was known of it.
fn merged(known: &Value, own: Value, there: Value) -> Value {
    merged_by_entry(known, own, there, |key, known, own, there| match (key.as_str().unwrap_or_default(), known, own, there) {
        (_, known, own, there) if own == *known => there,
        (key, Value::Sequence(known), Value::Sequence(own), Value::Sequence(there)) if LISTS.contains(&key) => {
            Value::Sequence(merged_list(known, &own, &there))
        }
        (key, known, own, there) if BY_ENTRY.contains(&key) => merged_deep(known, own, there),
        (_, _, own, _) => own,
    })
}

/// The same, of entries within entries.
fn merged_deep(known: &Value, own: Value, there: Value) -> Value {
    if own == *known { there } else { merged_by_entry(known, own, there, |_, known, own, there| merged_deep(known, own, there)) }
}

/// The same of two mappings, whose common entries are merged like this; of anything else our own.
fn merged_by_entry(known: &Value, own: Value, there: Value, merge: impl Fn(&Value, &Value, Value, Value) -> Value) -> Value {
    let (Value::Mapping(known), Value::Mapping(own), Value::Mapping(mut there)) = (known, own.clone(), there) else { return own };
    let mut all = Mapping::new();
    for (key, own) in own {
        let value = match (known.get(&key), there.remove(&key)) {
            (Some(known), Some(there)) => merge(&key, known, own, there),
            // It was taken away there.
            (Some(known), None) if own == *known => continue,
            _ => own,
        };
        all.insert(key, value);
    }
    // What was known and is none of our own any more was taken away here.
    all.extend(there.into_iter().filter(|(key, _)| !known.contains_key(key)));
    Value::Mapping(all)
}

/// What there is of a list, with what was added, changed and taken away of our own since it was known.
fn merged_list(known: &[Value], own: &[Value], there: &[Value]) -> Vec<Value> {
    if own == known {
        return there.to_vec();
    }
    // What is about a map is the same one, whatever it says.
    let name = |value: &Value| value.get("map").unwrap_or(value).clone();
    let named = |list: &[Value], sought: &Value| list.iter().find(|value| name(value) == name(sought)).cloned();
    let of_own = own.iter().filter_map(|value| match (named(known, value), named(there, value)) {
        // Nothing was done to it here: there it may have changed, or be gone.
        (Some(known), there) if known == *value => there,
        (known, Some(there)) if there != *value => Some(palette_of_both(known.as_ref(), value, &there)),
        _ => Some(value.clone()),
    });
    let of_others = there.iter().filter(|value| named(own, value).is_none() && named(known, value).is_none());
    of_own.chain(of_others.cloned()).collect()
}

/// The palette of a map that was changed here and there.
fn palette_of_both(known: Option<&Value>, own: &Value, there: &Value) -> Value {
    let colors = |palette: &Value| palette.get("colors").and_then(Value::as_sequence).cloned().unwrap_or_default();
    let merged = merged_list(&known.map(colors).unwrap_or_default(), &colors(own), &colors(there));
    let mut all = own.clone();
    if let Some(colors) = all.get_mut("colors") {
        *colors = Value::Sequence(merged);
    }
    all
}

/// With no more palettes and recent files than settings hold.
fn bounded(mut all: Value) -> Value {
    if let Some(Value::Sequence(recent)) = all.get_mut("recent_files") {
        recent.truncate(MAX_RECENT);
    }
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
