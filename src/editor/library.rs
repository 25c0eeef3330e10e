//! The library of stamps: models of other programs and saved selections in a folder beside the settings, and behind them
//! those that come with the program ([`starter`]).
//!
//! Listing looks at names only; a file is read when it is chosen, so that a broken one hides no other. Their pictures
//! are drawn one after another ([`StampPicture`]).

mod picture;
mod starter;

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use picture::Pictures;
pub use picture::{Drawn, StampPicture};
use starter::{STARTERS, Starter};

use super::files::{ImportOptions, OpenError, import_file};
use super::storage::{Storage, StorageError, folder_of, write_file};
use super::work::{JobDone, file_name};
use super::{Editor, JobId, Message};
use crate::document::Progress;
use crate::edit::{Clip, EditError};
use crate::format::ImportKind;
use crate::tool::Stamp;

/// Folder of the library, beside the settings.
const FOLDER: &str = "stamps";
/// Extension of saved selections: a clip's text.
const CLIP_EXTENSION: &str = "swc";
/// Extensions of the models that are listed.
const MODEL_EXTENSIONS: [&str; 3] = ["kv6", "kvx", "vox"];
/// Files that are listed at most.
const MAX_ENTRIES: usize = 2000;
/// Largest saved selection that is read.
const CLIP_LIMIT: u64 = 256 << 20;
/// Letters of a saved selection's name.
const NAME_LETTERS: usize = 80;

/// Where a stamp comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StampSource {
    /// A file of the library.
    File(PathBuf),
    /// The program, which has one of this name.
    BuiltIn(&'static str),
}

impl fmt::Display for StampSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::BuiltIn(name) => write!(f, "{name}, which comes with Spadework"),
        }
    }
}

/// A stamp that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryEntry {
    /// Its name: that of its file, without extension.
    pub name: String,
    /// Where it comes from.
    pub source: StampSource,
    /// Length of the file in bytes; 0 of one that comes with the program.
    pub len: u64,
    /// When the file was last written, where the disk says so.
    pub modified: Option<SystemTime>,
}

/// Why a stamp could not be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The file or the folder cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A model that is broken, or too large for a stamp.
    #[error(transparent)]
    Model(#[from] OpenError),
    /// A saved selection that is broken, or voxels that are too many for a stamp.
    #[error("{name}: {reason}")]
    Clip {
        /// The file's name.
        name: String,
        /// What is wrong.
        reason: EditError,
    },
    /// A saved selection is text, and this is none.
    #[error("{name}: not a saved selection: byte {offset} is no letter")]
    NoText {
        /// The file's name.
        name: String,
        /// Where.
        offset: usize,
    },
    /// Terrain is a map of its own.
    #[error("{name}: a heightmap is no stamp")]
    Terrain {
        /// The file's name.
        name: String,
    },
}

/// What the editor knows of the library.
#[derive(Debug, Default)]
pub(super) struct Library {
    entries: Vec<LibraryEntry>,
    /// The job that reads the stamp that was chosen last.
    choosing: Option<JobId>,
    pictures: Pictures,
}

impl Editor {
    /// The stamps as of the last look at the folder: its own by name, then those that come with the program.
    pub fn library(&self) -> &[LibraryEntry] {
        &self.library.entries
    }

    /// Folder of the library; `None` where the system has no place for settings.
    pub fn library_folder(&self) -> Option<PathBuf> {
        self.settings_file.as_deref().map(|file| folder_of(file).join(FOLDER))
    }

    /// Looks what is in the library.
    pub(super) fn find_stamps(&mut self) {
        let Some(folder) = self.library_folder() else { return self.found_stamps(Ok(vec![])) };
        let storage = self.storage.clone();
        self.jobs.spawn("Listing stamps".into(), None, move |_| JobDone::FoundStamps(list(&*storage, &folder)));
    }

    pub(super) fn found_stamps(&mut self, found: Result<Vec<LibraryEntry>, StorageError>) {
        let own = found.unwrap_or_else(|error| {
            self.tell(Message::error(format!("Cannot list the stamps: {error}")));
            self.library.entries.iter().filter(|entry| matches!(entry.source, StampSource::File(_))).cloned().collect()
        });
        let built_in = |starter: Starter| LibraryEntry {
            name: starter.name.to_owned(),
            source: StampSource::BuiltIn(starter.name),
            len: 0,
            modified: None,
        };
        // One's own takes the place of one that comes with the program and has its name.
        let is_replaced = |starter: &Starter| own.iter().any(|entry| entry.name.eq_ignore_ascii_case(starter.name));
        let others: Vec<_> = STARTERS.into_iter().filter(|starter| !is_replaced(starter)).map(built_in).collect();
        self.library.entries = own.into_iter().chain(others).collect();
        self.draw_stamps();
    }

    /// Reads a stamp and takes it in the hand.
    pub(super) fn choose_stamp(&mut self, source: StampSource) {
        if let Some(job) = self.library.choosing.take() {
            self.jobs.cancel(job);
        }
        let storage = self.storage.clone();
        let name = match &source {
            StampSource::File(path) => file_name(path),
            StampSource::BuiltIn(name) => (*name).to_owned(),
        };
        let read = move |progress: &Progress| JobDone::ReadStamp(read(&*storage, &source, progress));
        let job = self.jobs.spawn(format!("Reading {name}"), None, read);
        self.library.choosing = Some(job);
    }

    pub(super) fn read_stamp(&mut self, job: JobId, result: Result<Stamp, LibraryError>) {
        if self.library.choosing.take_if(|choosing| *choosing == job).is_none() {
            return;
        }
        match result {
            Ok(stamp) => {
                self.tool.settings.stamp.stamp = Some(stamp);
                self.take_tool("stamp");
            }
            Err(LibraryError::Model(OpenError::Cancelled(_))) => {}
            Err(error) => self.tell(Message::error(format!("Cannot take this stamp: {error}"))),
        }
    }

    /// Keeps the selection as a stamp of some name, and takes it in the hand.
    pub(super) fn save_stamp(&mut self, name: &str) {
        let Some(open) = self.active() else { return };
        let Some(selection) = open.document.selection.clone() else {
            return self.tell(Message::info("Nothing is selected: drag a box with the select tool first"));
        };
        let Some(folder) = self.library_folder() else {
            return self.tell(Message::error("There is no place for stamps on this system"));
        };
        let (snapshot, storage, name) = (open.document.clone(), self.storage.clone(), name.to_owned());
        self.jobs.spawn_writing("Saving the stamp".into(), None, move |_| {
            let kept = Clip::cut_selected(&snapshot, &selection)
                .map_err(|reason| LibraryError::Clip { name: name.clone(), reason })
                .and_then(|clip| keep(&*storage, &folder, &name, clip));
            JobDone::SavedStamp(kept)
        });
    }

    pub(super) fn saved_stamp(&mut self, result: Result<Stamp, LibraryError>) {
        match result {
            Ok(stamp) => {
                self.tell(Message::info(format!("Saved the stamp {}", stamp.name)));
                self.tool.settings.stamp.stamp = Some(stamp);
                self.find_stamps();
            }
            Err(error) => self.tell(Message::error(format!("Cannot save the stamp: {error}"))),
        }
    }
}

/// What can be chosen in a folder; nothing where it does not exist yet.
fn list(storage: &dyn Storage, folder: &Path) -> Result<Vec<LibraryEntry>, StorageError> {
    if !storage.exists(folder)? {
        return Ok(vec![]);
    }
    let is_stamp = |path: &PathBuf| {
        let extension = path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase);
        extension.is_some_and(|extension| extension == CLIP_EXTENSION || MODEL_EXTENSIONS.contains(&extension.as_str()))
    };
    let entry = |path: PathBuf| {
        // What is gone again, or cannot be looked at, says so when it is chosen.
        let (len, modified) = storage.info(&path).map_or((0, None), |info| (info.len, info.modified));
        LibraryEntry { name: stem(&path), source: StampSource::File(path), len, modified }
    };
    let mut entries: Vec<_> = storage.list(folder)?.into_iter().filter(is_stamp).take(MAX_ENTRIES).map(entry).collect();
    entries.sort_by(|a, b| a.name.to_lowercase().cmp(&b.name.to_lowercase()).then_with(|| a.source.cmp(&b.source)));
    Ok(entries)
}

/// Reads a stamp, whatever kind of file it is, or draws one that comes with the program.
fn read(storage: &dyn Storage, source: &StampSource, progress: &Progress) -> Result<Stamp, LibraryError> {
    let path = match source {
        StampSource::File(path) => path,
        StampSource::BuiltIn(name) => return built_in(name),
    };
    let (name, file) = (stem(path), file_name(path));
    let is_clip = path.extension().and_then(OsStr::to_str).is_some_and(|extension| extension.eq_ignore_ascii_case(CLIP_EXTENSION));
    let clip = if is_clip {
        let bytes = storage.read(path, CLIP_LIMIT)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|error| LibraryError::NoText { name: file.clone(), offset: error.valid_up_to() })?
            .trim()
            .to_owned();
        Clip::try_from(text)
    } else {
        let imported = import_file(storage, path, &ImportOptions::default(), progress)?;
        if imported.content.kind == ImportKind::Terrain {
            return Err(LibraryError::Terrain { name: file });
        }
        imported.clip()
    };
    let clip = clip.map_err(|reason| LibraryError::Clip { name: file, reason })?;
    Ok(Stamp { name: name.into(), clip: Arc::new(clip) })
}

fn built_in(name: &'static str) -> Result<Stamp, LibraryError> {
    let starter = STARTERS.iter().find(|starter| starter.name == name);
    let clip = starter.map_or(Err(EditError::OutsideMap), Starter::clip);
    let clip = clip.map_err(|reason| LibraryError::Clip { name: name.to_owned(), reason })?;
    Ok(Stamp { name: name.into(), clip: Arc::new(clip) })
}

/// Writes a stamp under the first free name like the one that is wanted.
fn keep(storage: &dyn Storage, folder: &Path, wanted: &str, clip: Clip) -> Result<Stamp, LibraryError> {
    let wanted: String = wanted.chars().map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { ' ' } else { c }).collect();
    let wanted: String = wanted.trim().trim_start_matches('.').chars().take(NAME_LETTERS).collect();
    let wanted = if wanted.is_empty() { "stamp".to_owned() } else { wanted };
    storage.create_folder(folder)?;
    let mut name = wanted.clone();
    for number in 2.. {
        if !storage.exists(&folder.join(format!("{name}.{CLIP_EXTENSION}")))? {
            break;
        }
        name = format!("{wanted} {number}");
    }
    let path = folder.join(format!("{name}.{CLIP_EXTENSION}"));
    write_file(storage, &path, String::from(clip.clone()).as_bytes())?;
    Ok(Stamp { name: name.into(), clip: Arc::new(clip) })
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::edit::{Command, ops};
    use crate::editor::settings::Settings;
    use crate::editor::storage::RealStorage;
    use crate::editor::{Action, EditorConfig, JobMode, NewMap};
    use crate::geom::{Ray, Region};
    use crate::terrain::Params;
    use crate::tool::{Modifiers, Phase, PointerInput};
    use crate::voxel::Rgb;

    fn editor(folder: &Path) -> Editor {
        let mut editor = Editor::new(EditorConfig {
            storage: Arc::new(RealStorage),
            jobs: JobMode::Inline,
            waker: Arc::new(|| {}),
            journal_folder: None,
            versions_folder: None,
            settings_file: Some(folder.join("settings.yaml")),
            settings: Settings::default(),
        });
        let params = Params { size: IVec3::new(32, 32, 64), seed: 1, values: Default::default() };
        editor.act(Action::New(NewMap { generator: "ocean".into(), params }));
        editor.finish_jobs();
        editor
    }

    fn act(editor: &mut Editor, action: Action) {
        editor.act(action);
        editor.finish_jobs();
    }

    /// Those of the folder.
    fn names(editor: &Editor) -> Vec<&str> {
        let own = |entry: &&LibraryEntry| matches!(entry.source, StampSource::File(_));
        editor.library().iter().filter(own).map(|entry| entry.name.as_str()).collect()
    }

    #[test]
    fn stamps_that_come_with_the_program_stand_behind_those_of_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let mut editor = editor(folder.path());
        act(&mut editor, Action::FindStamps);
        assert!(!folder.path().join(FOLDER).exists(), "nothing is written for them");
        assert!(names(&editor).is_empty());
        let built_in: Vec<_> = editor.library().iter().map(|entry| entry.source.clone()).collect();
        assert_eq!(built_in.len(), STARTERS.len());
        for source in built_in {
            act(&mut editor, Action::ChooseStamp(source.clone()));
            let stamp = editor.tool.settings.stamp.stamp.clone().unwrap();
            assert_eq!(StampSource::BuiltIn(STARTERS.iter().find(|starter| *starter.name == *stamp.name).unwrap().name), source);
        }
        assert!(editor.library().iter().all(|entry| matches!(editor.picture_of(entry), Some(Ok(_)))));
        let oak = keep(&RealStorage, &folder.path().join(FOLDER), "Oak", starter::STARTERS[0].clip().unwrap()).unwrap();
        act(&mut editor, Action::FindStamps);
        assert_eq!((names(&editor), editor.library().len()), (vec![&*oak.name], STARTERS.len()), "it takes the place of the other one");
    }

    #[test]
    fn a_selection_becomes_a_stamp_and_is_put_down_elsewhere() {
        let folder = tempfile::tempdir().unwrap();
        let mut editor = editor(folder.path());
        let pillar = Region::new(IVec3::new(4, 4, 60), IVec3::new(5, 5, 63));
        let fill = ops::Fill { region: pillar, color: Rgb::new(200, 0, 0), mode: crate::edit::Mode::Set };
        act(&mut editor, Action::Edit(Command::Fill(fill)));
        act(&mut editor, Action::SaveStamp("Pillar".into()));
        assert_eq!(editor.messages().last().unwrap().text, "Nothing is selected: drag a box with the select tool first");
        act(&mut editor, Action::Edit(Command::Select(ops::Select { region: Some(pillar), ..Default::default() })));
        for _ in 0..2 {
            act(&mut editor, Action::SaveStamp("Pillar: /tall".into()));
        }
        assert_eq!(names(&editor), ["Pillar   tall", "Pillar   tall 2"]);
        let path = editor.library()[0].source.clone();
        editor.tool.settings.stamp.stamp = None;
        act(&mut editor, Action::ChooseStamp(path));
        assert_eq!(editor.tool.spec().id, "stamp");
        let ray_in_world = Ray::new(glam::Vec3::new(10.5, 12.5, 0.0), glam::Vec3::Z);
        let mut events = [Phase::Hover, Phase::Press, Phase::Release].into_iter();
        let mut next = |editor: &mut Editor| {
            let phase = events.next().unwrap();
            editor.pointer(&PointerInput {
                ray_in_world,
                phase,
                modifiers: Modifiers::default(),
                voxels_per_pixel: 0.01,
                is_parallel: false,
            });
            editor.finish_jobs();
        };
        next(&mut editor);
        assert!(editor.tool.preview().store.unwrap().is_solid(IVec3::new(10, 12, 60)), "planned by a job");
        assert!(!editor.active().unwrap().document().store().is_solid(IVec3::new(10, 12, 60)));
        next(&mut editor);
        next(&mut editor);
        assert!(editor.active().unwrap().document().store().is_solid(IVec3::new(10, 12, 60)));
    }

    #[test]
    fn a_broken_file_is_named_and_the_others_still_list() {
        let folder = tempfile::tempdir().unwrap();
        let stamps = folder.path().join("stamps");
        std::fs::create_dir_all(&stamps).unwrap();
        std::fs::write(stamps.join("Broken.swc"), "U1dD!").unwrap();
        std::fs::write(stamps.join("noise.swc"), [65, 66, 0xff]).unwrap();
        std::fs::write(stamps.join("bad.KV6"), b"hello there").unwrap();
        std::fs::write(stamps.join("good.swc"), "U1dDAQIAAQACAGNh0o7qakDGAA==\n").unwrap();
        std::fs::write(stamps.join("notes.txt"), "not a stamp").unwrap();
        let mut editor = editor(folder.path());
        act(&mut editor, Action::SelectTool("stamp"));
        assert_eq!(names(&editor), ["bad", "Broken", "good", "noise"]);
        let mut told = |index: usize| {
            let path = editor.library()[index].source.clone();
            act(&mut editor, Action::ChooseStamp(path));
            editor.messages().last().map(|message| message.text.clone()).unwrap_or_default()
        };
        assert!(told(0).starts_with("Cannot take this stamp: bad.KV6: "), "{}", told(0));
        assert_eq!(told(1), "Cannot take this stamp: Broken.swc: the clip is damaged: not base64 at byte 5");
        assert_eq!(told(3), "Cannot take this stamp: noise.swc: not a saved selection: byte 2 is no letter");
        told(2);
        assert_eq!(editor.tool.settings.stamp.stamp.as_ref().map(|stamp| stamp.clip.size()), Some(IVec3::new(2, 1, 2)));
    }

    #[test]
    fn stamps_are_drawn_anew_only_when_their_files_change() {
        let folder = tempfile::tempdir().unwrap();
        let stamps = folder.path().join("stamps");
        std::fs::create_dir_all(&stamps).unwrap();
        let write = |name: &str, bytes: &[u8]| std::fs::write(stamps.join(name), bytes).unwrap();
        let good = b"U1dDAQIAAQACAGNh0o7qakDGAA==\n";
        // More than one batch.
        (0..20).for_each(|number| write(&format!("good {number:02}.swc"), good));
        write("bad.kv6", b"hello there");
        let mut editor = editor(folder.path());
        act(&mut editor, Action::SelectTool("stamp"));
        let drawn = |editor: &Editor, index: usize| editor.picture_of(&editor.library()[index]).cloned();
        let told = drawn(&editor, 0).unwrap().unwrap_err();
        assert!(told.starts_with("bad.kv6: "), "{told}");
        for index in 1..21 {
            let picture = drawn(&editor, index).unwrap().unwrap();
            assert_eq!((picture.width, picture.height), (2, 2), "{index}");
        }
        assert!(!editor.messages().iter().any(|message| message.is_error), "a broken file shouts only when it is chosen");
        // A file that becomes whole is drawn; what is gone is forgotten.
        std::fs::rename(stamps.join("bad.kv6"), stamps.join("away.txt")).unwrap();
        write("bad.swc", good);
        let old = LibraryEntry { len: 1, ..editor.library()[1].clone() };
        assert_eq!(editor.picture_of(&old), None, "of another file");
        act(&mut editor, Action::SelectTool("stamp"));
        assert_eq!((names(&editor).len(), drawn(&editor, 0).unwrap().is_ok()), (21, true));
    }

    #[test]
    fn without_a_folder_the_library_is_empty() {
        let folder = tempfile::tempdir().unwrap();
        let mut editor = editor(folder.path());
        act(&mut editor, Action::SelectTool("stamp"));
        assert!(names(&editor).is_empty() && !editor.messages().iter().any(|message| message.is_error));
    }
}
