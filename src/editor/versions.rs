//! Earlier versions of saved maps: keeping them, finding them, opening one.

use std::path::{Path, PathBuf};

use super::files::{self, KeepVersions, OpenError, OpenOptions, Opened, Version};
use super::journal::JournalBase;
use super::settings::Settings;
use super::storage::Storage;
use super::work::{JobDone, file_name, seconds_now};
use super::{Editor, Message, Request};
use crate::document::{OptionValue, Options};
use crate::format::{Severity, map_format};

/// That a version was read in the size of the map in front.
const SIZE_OF_ANOTHER: &str = "size-of-another-map";

/// The same, for as many and as long as the file of the settings says by now, where that is more: it is edited by hand.
pub(super) fn as_settings_say(keep: KeepVersions, storage: &dyn Storage, file: Option<&Path>) -> KeepVersions {
    let Some(file) = file else { return keep };
    let said = Settings::peek(storage, file).unwrap_or_else(|_| Settings::unread()).versions.keeping(keep.folder, keep.now);
    KeepVersions { count: said.count.max(keep.count), days: said.days.max(keep.days), ..said }
}

/// What an earlier version of the map of that file name is called, where it is open or left unsaved.
pub fn version_title(name: &str) -> String {
    format!("{} earlier", Editor::stem(Path::new(name)))
}

impl Editor {
    /// How a save that begins now keeps what it replaces.
    pub(super) fn keep_versions(&self) -> Option<KeepVersions> {
        Some(self.settings.versions.keeping(self.versions_folder.clone()?, seconds_now()))
    }

    pub(super) fn find_versions(&mut self) {
        let Some((id, path)) = self.active().and_then(|open| Some((open.id(), open.path()?.to_owned()))) else {
            return self.tell(Message::info("This map was never saved: there are no earlier versions of it"));
        };
        let Some(folder) = self.versions_folder.clone() else {
            return self.tell(Message::info("Earlier versions are not kept: the system has no folder for them"));
        };
        let storage = self.storage.clone();
        self.jobs.spawn("Looking for earlier versions".into(), Some(id), move |_| {
            JobDone::FoundVersions(file_name(&path), files::list_versions(&*storage, &folder, &path))
        });
    }

    pub(super) fn found_versions(&mut self, name: String, versions: Vec<Version>) {
        if versions.is_empty() {
            let message = Message::info(format!("There are no earlier versions of {name} yet"));
            return self.tell(message.with_detail("A save that replaces the file keeps the one before."));
        }
        self.requests.push(Request::Versions { name, versions });
    }

    pub(super) fn open_version(&mut self, version: PathBuf, name: String) {
        let storage = self.storage.clone();
        // The list is that of the map in front. It may have had another size or been of another kind then.
        let mut options = self.active().map(|open| self.options_as_read(open.id())).unwrap_or_default();
        // What is damaged is told, and not filled up.
        options.options.remove(files::LENIENT);
        let plain = OpenOptions { options: Options::new(), ..options.clone() };
        let size = match options.options.get(files::SIZE) {
            Some(OptionValue::Text(size)) => Some(size.clone()),
            _ => None,
        };
        self.jobs.spawn(format!("Opening {name}"), None, move |progress| {
            let open = |options| files::open_map(&*storage, &version, options, progress).map(Box::new);
            let opened = match (open(&options), size) {
                (opened, None) => opened,
                // Of another kind, which says how large it is.
                (Ok(opened), _) if !has_size(opened.format) => Ok(opened),
                (Ok(mut sized), Some(size)) => match open(&plain) {
                    Ok(opened) if is_read_to_its_end(&opened) && !is_read_to_its_end(&sized) => Ok(opened),
                    _ => {
                        // As many columns have other shapes, too.
                        let told = format!("it was read as {size}, the size of the map that was in front, which need not be its own");
                        sized.report.push(Severity::Guess, SIZE_OF_ANOTHER, told);
                        Ok(sized)
                    }
                },
                (Err(_), _) => open(&plain),
            };
            JobDone::OpenedVersion(version, name, opened)
        });
    }

    pub(super) fn opened_version(&mut self, path: PathBuf, name: String, result: Result<Box<Opened>, OpenError>) {
        match result {
            Ok(opened) => {
                let name = self.first_free_name(&name);
                let id = self.add(opened.document.clone(), name.clone());
                if let Some(guess) = opened.report.warnings.iter().find(|warning| warning.code == SIZE_OF_ANOTHER) {
                    self.tell(Message::warning(format!("The size of {name} is a guess")).with_detail(guess.sentence()));
                }
                self.tell_what_was_read(Path::new(&name), &opened.report);
                if let Some(open) = self.document_mut(id) {
                    open.file.format = Some(opened.format);
                    open.report = opened.report.clone();
                    // It differs from every file that the mapper knows of.
                    open.history.mark_never_saved();
                }
                self.begin_journal(id, JournalBase::of_opened(&opened, &path));
                self.note_never_saved(id);
            }
            Err(error) => {
                let advice = format!("{} It is {}", error.advice(), path.display());
                self.tell(Message::error(error.told()).with_detail(advice));
            }
        }
    }
}

/// Whether files of that kind are read in a size that is given, as they do not say their own.
fn has_size(format: &str) -> bool {
    map_format(format).is_some_and(|format| format.options().iter().any(|option| option.name == files::SIZE))
}

/// Whether nothing is left of the file behind the map.
fn is_read_to_its_end(opened: &Opened) -> bool {
    opened.report.warnings.iter().all(|warning| warning.code != "trailing-bytes")
}
