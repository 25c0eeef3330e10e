//! Imports: a file of another program becomes a stamp in the active map, moves its ground, or is a map of its own.

use std::path::PathBuf;
use std::sync::Arc;

use glam::IVec3;

use super::files::{ImportOptions, ImportedFile, OpenError, import_file, read_colors, read_decal, read_image, read_tip};
use super::journal::JournalBase;
use super::work::{JobDone, file_name};
use super::{Editor, JobId, Message, PictureUse, Request};
use crate::document::{Document, OptionValue, Options, Progress};
use crate::edit::{Brush, BrushShape, ColorImage, Command, EditError, GrayImage, PaintStyle, ops};
use crate::format::{ImportKind, Severity};
use crate::geom::LevelCurve;
use crate::tool::{ClipPlace, PaintKind, ToolOption};

/// A file to be imported, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportOrder {
    /// The file.
    pub path: PathBuf,
    /// Options of its import; unknown ones of another import are left out by whoever asks.
    pub options: Options,
    /// A picture with the colors of the ground, where the import takes one.
    pub colors: Option<PathBuf>,
}

impl ImportOrder {
    /// A file with the usual options.
    pub fn new(path: PathBuf) -> Self {
        Self { path, options: Options::new(), colors: None }
    }
}

/// A picture for a tool, as large as the tool takes it.
#[derive(Debug)]
pub(super) enum ToolPicture {
    Brush(GrayImage),
    Decal(ColorImage),
}

/// A file that was imported, waiting for what is to be done with it.
#[derive(Clone, Debug)]
pub struct PendingImport {
    /// What was read, and how.
    pub order: ImportOrder,
    /// What is in it.
    pub file: Arc<ImportedFile>,
    /// Why it could not be read as it was asked for last.
    pub trouble: Option<String>,
}

impl Editor {
    /// The file that was imported last and waits for a decision.
    pub fn pending_import(&self) -> Option<&PendingImport> {
        self.import.as_ref()
    }

    /// How what waits for a decision was asked for last, which may still be being read.
    pub fn asked_import(&self) -> Option<&ImportOrder> {
        let pending = &self.import.as_ref()?.order;
        Some(self.importing.as_ref().map_or(pending, |(_, order)| order))
    }

    /// Whether a file is being imported.
    pub fn is_importing(&self) -> bool {
        self.importing.is_some()
    }

    /// Imports a file once what was to be imported before it is decided on: several may be dropped at once.
    pub(super) fn import_in_turn(&mut self, order: ImportOrder) {
        if self.import.is_some() || self.importing.is_some() {
            self.imports_to_come.push_back(order);
        } else {
            self.start_import(order);
        }
    }

    /// Goes on with the next file that waits for its turn.
    fn import_following(&mut self) {
        if let Some(order) = self.imports_to_come.pop_front() {
            self.start_import(order);
        }
    }

    /// Takes what was imported: it is decided on, and the next one has its turn.
    fn take_import(&mut self) -> Option<PendingImport> {
        let import = self.import.take();
        // As it was read last: other options come too late.
        if let Some((job, _)) = self.importing.take() {
            self.jobs.cancel(job);
        }
        self.import_following();
        import
    }

    pub(super) fn start_import(&mut self, order: ImportOrder) {
        let storage = self.storage.clone();
        // Options that are dragged are read again and again: only the last answer counts.
        if let Some((job, _)) = self.importing.take() {
            self.jobs.cancel(job);
        }
        let asked = order.clone();
        let job = self.jobs.spawn(format!("Importing {}", file_name(&order.path)), None, move |progress| {
            let options = ImportOptions { options: order.options.clone(), colors: order.colors.as_deref(), ..ImportOptions::default() };
            let imported = import_file(&*storage, &order.path, &options, progress).map(Box::new);
            JobDone::Imported(order, imported)
        });
        self.importing = Some((job, asked));
    }

    /// Takes in what a job read, unless something else was asked for since.
    pub(super) fn imported(&mut self, job: JobId, order: ImportOrder, result: Result<Box<ImportedFile>, OpenError>) {
        if self.importing.take_if(|(importing, _)| *importing == job).is_none() {
            return;
        }
        match result {
            Ok(file) => {
                self.import = Some(PendingImport { order, file: Arc::from(file), trouble: None });
                self.requests.push(Request::Imported);
            }
            Err(error) if let Some(import) = self.import.as_mut().filter(|import| import.order.path == order.path) => {
                import.trouble = Some(error.to_string());
            }
            Err(error) => {
                self.tell(match error {
                    OpenError::Cancelled(_) => Message::info(format!("Importing {} was cancelled", file_name(&order.path))),
                    error => Message::error(error.told().replace("Cannot open", "Cannot import")).with_detail(error.advice()),
                });
                self.import_following();
            }
        }
    }

    /// Forgets what was imported: nothing is to be done with it.
    pub(super) fn forget_import(&mut self) {
        self.import = None;
        if let Some((job, _)) = self.importing.take() {
            self.jobs.cancel(job);
        }
        self.import_following();
    }

    /// Lets the imported model lie loose over the active map until Enter: at the selection, else on the ground in the middle.
    pub(super) fn place_import(&mut self) {
        let Some((import, open)) = self.take_import().zip(self.active()) else { return };
        let document = open.document();
        let at =
            document.selection.as_ref().map_or_else(|| middle(document), |selection| selection.bounds().min() + import.file.content.anchor);
        match import.file.clip() {
            Ok(clip) => {
                let at = inside(document, &import, at).saturating_sub(import.file.content.anchor);
                self.tell_import(&import);
                self.take_clip(clip, ClipPlace::At(at));
            }
            Err(error) => self.tell(Message::error(format!("Cannot put it into the map: {error}"))),
        }
    }

    /// Opens the imported file as a map of its own that has no file yet.
    pub(super) fn open_import(&mut self) {
        let Some(import) = self.take_import() else { return };
        let file = import.file.clone();
        self.tell_import(&import);
        self.jobs.spawn(format!("Making a map of {}", import.file.content.name), None, move |progress| {
            JobDone::ImportedMap(file.content.name.clone(), beginning(&file, progress).map(Box::new))
        });
    }

    /// A model is the first step of its map, so that the journal holds it as it is.
    pub(super) fn imported_map(&mut self, name: &str, result: Result<Box<(Document, Option<Command>)>, EditError>) {
        match result {
            Ok(made) if !self.has_memory_for(&made.0) => {}
            Ok(made) => {
                let (document, paste) = *made;
                // A name from a file may hold what a path must not.
                let name: String = name.chars().map(|c| if c.is_control() || "/\\:".contains(c) { ' ' } else { c }).take(80).collect();
                let name = self.first_free_name(name.trim());
                let id = self.add(document.clone(), name);
                if let Some(open) = self.document_mut(id) {
                    open.history.mark_never_saved();
                }
                self.begin_journal(id, JournalBase::Made { format: "vxl", document: Box::new(document), of_snapshot: false });
                match paste {
                    Some(paste) => self.execute_on(id, paste),
                    None => self.note_never_saved(id),
                }
            }
            Err(error) => self.tell(Message::error(format!("Cannot make a map of it: {error}"))),
        }
    }

    /// Raises the ground of the active map, or digs, by the brightness of the imported picture.
    pub(super) fn raise_by_import(&mut self, mode: ops::HeightmapMode, height: u32) {
        let Some((import, open)) = self.take_import().zip(self.active()) else { return };
        let (id, storage, bounds) = (open.id(), self.storage.clone(), open.document().bounds());
        let at = open.document().selection.as_ref().map_or(bounds.min(), |selection| selection.bounds().min()).with_z(bounds.min().z);
        self.jobs.spawn(format!("Reading {}", file_name(&import.order.path)), Some(id), move |progress| {
            JobDone::Raised(heightmap(&*storage, &import, mode, height, at, progress).map(Box::new))
        });
    }

    /// Gives the imported picture to a tool.
    pub(super) fn use_import(&mut self, usage: PictureUse) {
        let Some(import) = self.take_import() else { return };
        self.read_picture(import.order.path, import.order.options, usage);
    }

    /// Reads a picture for a tool.
    pub(super) fn read_picture(&mut self, path: PathBuf, options: Options, usage: PictureUse) {
        let storage = self.storage.clone();
        self.jobs.spawn(format!("Reading {}", file_name(&path)), None, move |progress| {
            JobDone::ToolPicture(match usage {
                PictureUse::Brush => {
                    read_tip(&*storage, &path, &options, progress).map(|image| ToolPicture::Brush(image.shrunk(Brush::MAX_PICTURE)))
                }
                PictureUse::Decal => {
                    read_decal(&*storage, &path, progress).map(|image| ToolPicture::Decal(image.shrunk(PaintStyle::MAX_DECAL)))
                }
            })
        });
    }

    /// Takes the tool in the hand that has got a picture; one that fills with pictures stays there.
    pub(super) fn take_picture(&mut self, picture: ToolPicture) {
        let settings = &mut self.tool.settings;
        match picture {
            ToolPicture::Brush(image) => {
                (settings.brush.shape, settings.brush.picture) = (BrushShape::Picture, Some(image));
                self.take_tool("brush");
            }
            ToolPicture::Decal(image) => {
                settings.paint.decal = Some(image);
                let fills = settings.fill_kind == PaintKind::Decal;
                if !(fills && self.tool.spec().options.contains(&ToolOption::FillStyle)) {
                    self.tool.settings.paint.kind = PaintKind::Decal;
                    self.take_tool("paint");
                }
            }
        }
    }

    fn tell_import(&mut self, import: &PendingImport) {
        let notes: Vec<_> =
            import.file.report.warnings.iter().filter(|warning| warning.severity > Severity::Info).map(|w| w.message.clone()).collect();
        if !notes.is_empty() {
            self.tell(Message::warning(format!("Imported {} with remarks", file_name(&import.order.path))).with_detail(notes.join("\n")));
        }
    }
}

/// The map that an import begins with, and the step that puts a model into it. A model that is too large for a step
/// is part of the map from the beginning.
fn beginning(file: &ImportedFile, progress: &Progress) -> Result<(Document, Option<Command>), EditError> {
    match (file.beginning(progress)?, file.clip()) {
        ((document, Some(at)), Ok(clip)) => Ok((document, Some(Command::Paste(ops::Paste { clip, at })))),
        ((document, None), _) => Ok((document, None)),
        ((_, Some(_)), Err(_)) => Ok((file.document(progress)?, None)),
    }
}

fn heightmap(
    storage: &dyn super::storage::Storage,
    import: &PendingImport,
    mode: ops::HeightmapMode,
    height: u32,
    at: IVec3,
    progress: &Progress,
) -> Result<Command, OpenError> {
    let (image, steps) = read_image(storage, &import.order.path, &import.order.options, progress)?;
    let curve = match import.order.options.get("curve") {
        // As with the map that is made of it, curve and height do not count then.
        _ if steps.is_some() => LevelCurve::default(),
        // It was taken by the import before.
        Some(OptionValue::Text(text)) => text.parse().unwrap_or_default(),
        _ => LevelCurve::default(),
    };
    let colors = import.order.colors.as_deref().map(|path| read_colors(storage, path, progress)).transpose()?;
    Ok(Command::Heightmap(ops::Heightmap { image, at, mode, height: steps.unwrap_or(height), curve, color: None, colors }))
}

/// The ground block in the middle of the map.
fn middle(document: &Document) -> IVec3 {
    let bounds = document.bounds();
    let center = (bounds.min() + bounds.max()) / 2;
    center.with_z(document.store().ground(center.x, center.y, bounds.min().z).unwrap_or(bounds.max().z - 1) - 1)
}

/// The place nearest to `at` where the model lies within the map, as far as it fits.
fn inside(document: &Document, import: &PendingImport, at: IVec3) -> IVec3 {
    let (content, map) = (&import.file.content, document.bounds());
    let size = content.store.bounds().size();
    // Terrain comes without its floor.
    let depth = if content.kind == ImportKind::Terrain { size.z - 1 } else { size.z };
    let room = (map.max() - size.with_z(depth)).max(map.min());
    (at - content.anchor).clamp(map.min(), room) + content.anchor
}
