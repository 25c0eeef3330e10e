//! Writing the settings that changed here, and nothing else: others may have edited the file since it was read, or a disk may not
//! have given it then.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_yaml::{Mapping, Value};

use super::merging::{bounded, merged};
use super::replaced::{Replaced, put_aside, replaced, take_back};
use super::said::{loses, readable, with_all_that_is_said, with_read_for_known};
use super::{MAX_RECENT, OPEN_PARTS, SETTINGS_LIMIT, Settings, SettingsError, is_there, parse};
use crate::editor::storage::{FileInfo, FileLock, Storage, folder_of, replace_file_if};
use crate::editor::{Editor, Message};

/// Levels at which keys that this version does not know stay beside those that changed: parts, and their entries.
const LEVELS: usize = 2;

/// Time after which what could not be written is tried again.
pub(super) const PAUSE: Duration = Duration::from_secs(5);

/// How long another window is waited for that writes the settings, and how often it is looked.
const TURN_PAUSE: Duration = Duration::from_millis(20);
const TURN_TRIES: usize = 100;

/// How old a file has to be that somebody else wrote before it counts as written to its end: editors, and disks far away, write it in
/// place, and it is empty or cut meanwhile.
const REST: Duration = Duration::from_secs(2);

/// How often the file is read again that somebody edits while it is written.
const TRIES: usize = 4;

/// The settings as they were when they were read or last written, and why they are not written.
#[derive(Debug, Default)]
pub(in crate::editor) struct Known {
    settings: Settings,
    /// What was replaced, and is not told yet.
    replaced: Vec<Replaced>,
    failure: Option<String>,
    /// The failure that was told.
    told: Option<String>,
    /// When they could not be written last.
    pub(super) failed: Option<Instant>,
    /// The file as it was written here last.
    written: Option<FileInfo>,
}

impl Known {
    pub(in crate::editor) fn of(settings: &Settings) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self { settings: settings.clone(), ..Self::default() }))
    }
}

impl Editor {
    /// Writes the settings that changed, on a thread of its own. Why they cannot be written is told once.
    pub fn save_settings(&mut self) {
        self.write_settings(|_| true);
    }

    /// Writes the settings once more, where they could not be written before, or cannot by the write that runs or waits; for the end of
    /// the program.
    pub fn save_settings_left(&mut self) {
        self.write_settings(|known| known.failed.take().is_some());
    }

    /// Writes the settings as they are now, once all that was asked for before is done and if it `is_due` then.
    fn write_settings(&mut self, is_due: fn(&mut Known) -> bool) {
        let Some(file) = self.settings_file.clone() else { return };
        let (settings, storage, known, wake) =
            (self.settings.clone(), self.storage.clone(), self.settings_known.clone(), self.jobs.waker());
        self.background.run(move || {
            let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
            if !is_due(&mut known) {
                return;
            }
            let saved = match rests(&*storage, &file, known.written.as_ref()) {
                true => settings.save_changes(&known.settings, &*storage, &file),
                false => Err(SettingsError::Edited { path: file.clone() }),
            };
            match saved {
                Ok(replaced) => {
                    let written = storage.info(&file).ok();
                    let is_news = replaced.is_some();
                    let replaced = std::mem::take(&mut known.replaced).into_iter().chain(replaced).collect();
                    *known = Known { settings, replaced, written, ..Known::default() };
                    known.settings.layout.is_whole = true;
                    drop(known);
                    if is_news {
                        wake();
                    }
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

    /// Tells why the settings are not written, once, and tries it again after a while; and what was replaced where they were.
    pub(in crate::editor) fn tell_settings_not_saved(&mut self) {
        let Ok(mut known) = self.settings_known.try_lock() else { return };
        let failure = known.failure.clone().filter(|failure| known.told.as_ref() != Some(failure));
        if failure.is_some() {
            known.told.clone_from(&failure);
        }
        let replaced = std::mem::take(&mut known.replaced);
        let is_due = known.failed.take_if(|failed| failed.elapsed() >= PAUSE).is_some();
        drop(known);
        if is_due {
            self.save_settings();
        }
        for replaced in replaced {
            let text = format!("The settings were written anew without {}", replaced.what.join(", "));
            let message = if replaced.is_only_text() { Message::info(text) } else { Message::warning(text) };
            self.tell(message.with_detail(format!("They are as they were in {}", replaced.aside.display())));
        }
        if let Some(failure) = failure {
            self.tell(Message::warning("What you chose is not kept: the settings cannot be written").with_detail(failure));
        }
    }
}

impl Settings {
    /// Writes what differs from these settings as they were `known` before: all else stays as the file says by now. Without a file, all
    /// is written. Answers what the file said that could not stay, and where it is as it was.
    ///
    /// # Errors
    /// If there is a file that cannot be read or understood, or that somebody edits all the while, which stays as it is; if it cannot
    /// be written, or put aside where that is needed; if it would be larger than what is read.
    pub fn save_changes(&self, known: &Self, storage: &dyn Storage, path: &Path) -> Result<Option<Replaced>, SettingsError> {
        let is_layout_whole = known.layout.is_whole;
        let [own, known] = [self, known].map(Self::understood);
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
        for _ in 0..TRIES {
            let there = if is_there(storage, path)? { Some(storage.read(path, SETTINGS_LIMIT)?) } else { None };
            let Some((text, what)) = self.written(&own, &known, there.as_deref(), path)? else { return Ok(None) };
            // Nobody could read it.
            if text.len() as u64 > SETTINGS_LIMIT {
                return Err(SettingsError::TooLarge { path: path.into(), bytes: text.len() });
            }
            storage.check_writable(path)?;
            let there_now = || storage.read(path, SETTINGS_LIMIT).ok();
            let aside = match &there {
                Some(there) if !what.is_empty() && there_now().as_ref() == Some(there) => Some(put_aside(storage, path, there)?),
                _ => None,
            };
            match replace_file_if(storage, path, text.as_bytes(), || there_now() == there) {
                Ok(true) => return Ok(aside.map(|(aside, _)| Replaced { what, aside })),
                Ok(false) => take_back(storage, aside.as_ref())?,
                Err(error) if aside.is_some() && there_now().is_some_and(|now| *now == *text.as_bytes()) => {
                    tracing::warn!("the settings are written and may not outlast a power loss: {error}");
                    return Ok(aside.map(|(aside, _)| Replaced { what, aside }));
                }
                Err(error) => {
                    take_back(storage, aside.as_ref()).ok();
                    return Err(error.into());
                }
            }
        }
        Err(SettingsError::Edited { path: path.into() })
    }

    /// The text of a file that says `there` by now, with what differs of our `own` from what was `known`, and in words what of it
    /// cannot stay; `None` where nothing differs.
    fn written(
        &self,
        own: &Value,
        known: &Value,
        there: Option<&[u8]>,
        path: &Path,
    ) -> Result<Option<(String, Vec<String>)>, SettingsError> {
        let Some(there) = there.filter(|there| !there.iter().all(u8::is_ascii_whitespace)) else {
            let all = self.to_value().map_err(SettingsError::Encode)?;
            if reads_as(&all).is_none() {
                return Err(unreadable());
            }
            return Ok(Some((serde_yaml::to_string(&all).map_err(SettingsError::Encode)?, vec![])));
        };
        let read = parse(there).map_err(|reason| SettingsError::NotUnderstood { path: path.into(), reason })?;
        if own == known {
            return Ok(None);
        }
        let file: Value = serde_yaml::from_slice(there).map_err(SettingsError::Encode)?;
        let Changed { all, plain, lost } = changed(known, own, &read, file).map_err(SettingsError::Encode)?;
        let is_as_meant = match (reads_as(&all), reads_as(&plain)) {
            (Some(all), Some(plain)) => all == plain,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return Err(unreadable()),
        };
        let all = if is_as_meant { all } else { plain };
        let (head, mut what) = replaced(there, &read, &all).map_err(SettingsError::Encode)?;
        what.extend(lost);
        what.extend((!is_as_meant).then(|| "what is spelled in a way that cannot be written".to_owned()));
        Ok(Some((head + &serde_yaml::to_string(&all).map_err(SettingsError::Encode)?, what)))
    }
}

/// A file with what differs of our own.
struct Changed {
    /// With all that the file says, as it spells it.
    all: Value,
    /// Only what was understood of it, and the parts that nobody knows.
    plain: Value,
    /// What of it has no place, in words.
    lost: Vec<String>,
}

/// Tags of YAML can be read that cannot be written.
fn unreadable() -> SettingsError {
    SettingsError::Encode(serde::de::Error::custom("nobody could read them"))
}

/// What written settings are read as.
fn reads_as(all: &Value) -> Option<Value> {
    parse(serde_yaml::to_string(all).ok()?.as_bytes()).ok()?.to_value().ok()
}

/// A file, and what was `read` of it, with what differs of our own from what was known of it.
fn changed(known: &Value, own: &Value, read: &Settings, mut file: Value) -> Result<Changed, serde_yaml::Error> {
    let said = read.to_value()?;
    if let Value::Mapping(file) = &mut file {
        // A name that is no text was read as its text, and is written so.
        file.retain(|name, _| name.is_string());
        if !read.layout.is_whole {
            // What nobody knows stays.
            with_read_for_known(file, &said, "layout");
        }
    }
    let is_changed = |part: &str| own.get(part) != known.get(part);
    let file = readable(file, &said, false);
    let mut there = said.clone();
    if let Value::Mapping(there) = &mut there {
        // What is not understood cannot be changed in parts.
        there.retain(|part, _| {
            !part.as_str().is_some_and(|part| OPEN_PARTS.contains(&part) && read.kept.contains_key(part) && is_changed(part))
        });
    }
    let mut all = merged(known, own.clone(), there);
    let dropped = if is_changed("palettes") { bounded(&mut all) } else { None };
    if let Some(Value::Sequence(recent)) = all.get_mut("recent_files") {
        recent.truncate(MAX_RECENT);
    }
    let (all, plain) = (with_all_that_is_said(&file, &said, LEVELS, all.clone()), all);
    let parts = file.as_mapping().into_iter().flat_map(Mapping::keys).filter_map(Value::as_str).filter(|part| said.get(part).is_some());
    let loses =
        |part: &&str| file.get(part).zip(said.get(part)).zip(all.get(part)).is_some_and(|((file, said), all)| loses(file, said, all));
    let deep = parts.filter(loses).map(|part| format!("some of what was written within {part}"));
    let lost = dropped.into_iter().chain(deep).collect();
    Ok(Changed { all, plain, lost })
}

/// Waits until a file that somebody else wrote just now counts as written to its end, and answers whether it does.
fn rests(storage: &dyn Storage, path: &Path, own: Option<&FileInfo>) -> bool {
    let age = |written: SystemTime| SystemTime::now().duration_since(written).unwrap_or_else(|ahead| ahead.duration());
    let is_fresh = || storage.info(path).is_ok_and(|info| Some(&info) != own && info.modified.is_some_and(|written| age(written) < REST));
    let began = Instant::now();
    while is_fresh() {
        if began.elapsed() > REST {
            return false;
        }
        std::thread::sleep(TURN_PAUSE);
    }
    true
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
