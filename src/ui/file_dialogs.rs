//! File dialogs: the desktop's own on a thread, with the in-app prompt where the desktop has none.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::editor::SaveOrder;

/// An answer this quick was not given by a person: there is no dialog service.
const NOBODY_ANSWERS: Duration = Duration::from_millis(250);

/// What a file dialog asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileQuestion {
    /// Which map to open.
    Open,
    /// Where to save.
    Save {
        /// The save that waits for a path.
        order: SaveOrder,
        /// The suggested file.
        suggested: PathBuf,
    },
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
    fn ask(&mut self, question: FileQuestion, ctx: &egui::Context);

    /// The answer so far.
    fn answer(&mut self) -> FileAnswer;
}

/// The desktop's dialogs.
#[derive(Default)]
pub struct NativeDialogs {
    asked: Option<(Receiver<Option<PathBuf>>, Instant)>,
}

impl FileDialogs for NativeDialogs {
    fn ask(&mut self, question: FileQuestion, ctx: &egui::Context) {
        let (sender, receiver) = channel();
        let ctx = ctx.clone();
        let thread = std::thread::Builder::new().name("file dialog".into()).spawn(move || {
            let dialog = rfd::FileDialog::new().add_filter("Maps", &extensions()).add_filter("All files", &["*"]);
            let answer = match question {
                FileQuestion::Open => dialog.pick_file(),
                FileQuestion::Save { suggested: path, .. } => {
                    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                    let dialog = dialog.set_file_name(name);
                    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                        Some(parent) => dialog.set_directory(parent),
                        None => dialog,
                    }
                    .save_file()
                }
            };
            // Whoever asked may have closed the window.
            sender.send(answer).ok();
            ctx.request_repaint();
        });
        // Without a thread the receiver reports a closed channel at once: the in-app prompt follows.
        drop(thread);
        self.asked = Some((receiver, Instant::now()));
    }

    fn answer(&mut self) -> FileAnswer {
        let Some((receiver, since)) = &self.asked else { return FileAnswer::Waiting };
        let answer = match receiver.try_recv() {
            Ok(Some(path)) => FileAnswer::Chosen(path),
            Ok(None) if since.elapsed() < NOBODY_ANSWERS => FileAnswer::NoDialogs,
            Ok(None) => FileAnswer::Cancelled,
            Err(std::sync::mpsc::TryRecvError::Disconnected) => FileAnswer::NoDialogs,
            Err(std::sync::mpsc::TryRecvError::Empty) => return FileAnswer::Waiting,
        };
        self.asked = None;
        answer
    }
}

fn extensions() -> Vec<&'static str> {
    crate::format::MAP_FORMATS.iter().flat_map(|format| format.extensions().iter().copied()).collect()
}
