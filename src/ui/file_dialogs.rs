//! File dialogs: the desktop's own on a thread, with the in-app prompt where the desktop has none.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::document::Options;
use crate::editor::problem_report::ReportPart;
use crate::editor::{DocumentId, PictureUse, RecordedScript, SaveOrder};
use crate::format::{SwatchFormat, export};
use crate::geom::VoxelPos;

/// An answer this quick was not given by a person: there is no dialog service. Rather long: to ask again in
/// the window after a hasty "Cancel" is harmless, a save that silently does nothing is not.
const NOBODY_ANSWERS: Duration = Duration::from_millis(1000);

/// What a file dialog asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileQuestion {
    /// Which map to open.
    Open,
    /// Which file of another program to import.
    Import,
    /// Which picture has the colors of the heightmap that is imported.
    ImportColors,
    /// Which picture a tool takes.
    Picture(PictureUse),
    /// Where to export a map to.
    Export {
        /// The map.
        document: DocumentId,
        /// Id of the export.
        export: &'static str,
        /// Its options.
        options: Options,
    },
    /// Which script to run.
    OpenScript {
        /// The place under the pointer when it was asked for.
        pointer: Option<VoxelPos>,
    },
    /// Where to write a recorded script.
    SaveScript {
        /// The script.
        script: RecordedScript,
    },
    /// Where to write the report of a problem.
    Report {
        /// What goes into it.
        parts: Arc<[ReportPart]>,
    },
    /// Where to save.
    Save {
        /// The save that waits for a path.
        order: SaveOrder,
    },
    /// Which palette to put beside a map.
    OpenPalette {
        /// The map.
        document: DocumentId,
    },
    /// Where to save the palette beside a map.
    SavePalette {
        /// The map.
        document: DocumentId,
    },
}

impl FileQuestion {
    /// Ends a path without extension in that of the file it asks for.
    pub fn with_extension(&self, path: PathBuf) -> PathBuf {
        let usual = match self {
            Self::Export { export: id, .. } => export(id).and_then(|export| export.extensions().first()).copied(),
            Self::Save { .. } => Some("vxl"),
            Self::Report { .. } => Some("tar"),
            Self::SaveScript { .. } => Some("jsonl"),
            Self::Open | Self::Import | Self::ImportColors | Self::Picture(_) | Self::OpenScript { .. } | Self::OpenPalette { .. } => None,
            Self::SavePalette { .. } => Some(SwatchFormat::Gimp.extension()),
        };
        match usual.filter(|_| path.extension().is_none()) {
            Some(extension) => path.with_extension(extension),
            None => path,
        }
    }

    fn filter(&self, dialog: rfd::FileDialog) -> rfd::FileDialog {
        match self {
            Self::Export { export: id, .. } => match export(id) {
                Some(export) => dialog.add_filter(export.label(), export.extensions()),
                None => dialog,
            },
            Self::Import => dialog.add_filter("Models and heightmaps", &importable()),
            Self::ImportColors | Self::Picture(_) => dialog.add_filter("Pictures", &["png"]),
            Self::Report { .. } => dialog.add_filter("Reports", &["tar"]),
            Self::OpenScript { .. } | Self::SaveScript { .. } => dialog.add_filter("Scripts", &["jsonl"]),
            Self::Open | Self::Save { .. } => dialog.add_filter("Maps", &extensions()),
            Self::OpenPalette { .. } | Self::SavePalette { .. } => {
                dialog.add_filter("Palettes", &SwatchFormat::ALL.map(SwatchFormat::extension))
            }
        }
    }
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileAnswer {
    /// The user has not answered yet.
    Waiting,
    /// A file was chosen.
    Chosen(PathBuf),
    /// The user does not want to.
    Cancelled,
    /// There is no dialog service: ask in the window.
    NoDialogs,
}

/// Where file dialogs come from; tests answer without a desktop.
pub trait FileDialogs {
    /// Shows a dialog. A dialog that is open already is forgotten.
    fn ask(&mut self, question: FileQuestion, suggested: PathBuf, ctx: &egui::Context);

    /// The answer so far.
    fn answer(&mut self) -> FileAnswer;
}

/// What a dialog's thread says: the file, and how long the dialog stood.
type Answer = (Option<PathBuf>, Duration);

/// The desktop's dialogs.
#[derive(Default)]
pub struct NativeDialogs {
    asked: Option<Receiver<Answer>>,
}

impl FileDialogs for NativeDialogs {
    fn ask(&mut self, question: FileQuestion, suggested: PathBuf, ctx: &egui::Context) {
        let (sender, receiver) = channel();
        let ctx = ctx.clone();
        self.asked = Some(receiver);
        if !has_dialog_service() {
            // The sender ends here: the closed channel says that nobody will answer.
            return;
        }
        let thread = std::thread::Builder::new().name("file dialog".into()).spawn(move || {
            let dialog = question.filter(rfd::FileDialog::new()).add_filter("All files", &["*"]);
            let (folder, name) = match question {
                FileQuestion::Open
                | FileQuestion::Import
                | FileQuestion::ImportColors
                | FileQuestion::Picture(_)
                | FileQuestion::OpenScript { .. }
                | FileQuestion::OpenPalette { .. } => (Some(suggested.as_path()), None),
                FileQuestion::Save { .. }
                | FileQuestion::Export { .. }
                | FileQuestion::Report { .. }
                | FileQuestion::SaveScript { .. }
                | FileQuestion::SavePalette { .. } => (suggested.parent(), suggested.file_name()),
            };
            let dialog = match folder.filter(|folder| !folder.as_os_str().is_empty()) {
                Some(folder) => dialog.set_directory(folder),
                None => dialog,
            };
            // Timed here: the window may look for the answer much later.
            let since = Instant::now();
            let answer = match name {
                Some(name) => dialog.set_file_name(name.to_string_lossy()).save_file(),
                None => dialog.pick_file(),
            };
            // Whoever asked may have closed the window.
            sender.send((answer, since.elapsed())).ok();
            ctx.request_repaint();
        });
        // Without a thread the receiver reports a closed channel at once: the in-app prompt follows.
        drop(thread);
    }

    fn answer(&mut self) -> FileAnswer {
        let Some(receiver) = &self.asked else { return FileAnswer::Waiting };
        let answer = match receiver.try_recv() {
            Ok((Some(path), _)) => FileAnswer::Chosen(path),
            Ok((None, stood)) if stood < NOBODY_ANSWERS => FileAnswer::NoDialogs,
            Ok((None, _)) => FileAnswer::Cancelled,
            Err(std::sync::mpsc::TryRecvError::Disconnected) => FileAnswer::NoDialogs,
            Err(std::sync::mpsc::TryRecvError::Empty) => return FileAnswer::Waiting,
        };
        self.asked = None;
        answer
    }
}

/// Whether anything could show a dialog. Elsewhere than on freedesktop systems the system itself can; there it is
/// the portal on the session bus, or zenity.
fn has_dialog_service() -> bool {
    if cfg!(any(windows, target_os = "macos")) {
        return true;
    }
    let bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|address| !address.is_empty())
        || std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| Path::new(&folder).join("bus").exists());
    bus || std::env::var_os("PATH").is_some_and(|paths| std::env::split_paths(&paths).any(|folder| folder.join("zenity").exists()))
}

/// Extensions of what can be imported.
pub fn importable() -> Vec<&'static str> {
    crate::format::IMPORTS.iter().flat_map(|import| import.extensions().iter().copied()).collect()
}

fn extensions() -> Vec<&'static str> {
    crate::format::MAP_FORMATS.iter().flat_map(|format| format.extensions().iter().copied()).collect()
}
