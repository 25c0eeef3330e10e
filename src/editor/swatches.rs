//! The palette beside a map: its colours in their order, from files and into files.
//!
//! It belongs to the person, not to the map: the settings remember it by the map's path
//! ([`map_palette`](super::map_palette)), and no file of the map changes. What SS14's tiles mean is another thing,
//! [`document::Palette`](crate::document::Palette).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::files::{Stamps, Standing, names_of};
use super::map_palette::{DroppedPalettes, MAX_PALETTES, MAX_WEIGHT};
use super::storage::{Storage, StorageError, write_file};
use super::work::{JobDone, file_name};
use super::{DocumentId, Editor, ImportOrder, Message, Request};
use crate::document::Swatch;
use crate::format::{
    FormatError, MAX_SWATCH_BYTES, MAX_SWATCHES, SwatchFormat, import_by_extension, map_format_by_extension, read_swatches, write_swatches,
};
use crate::tool::ToolSettings;
use crate::voxel::Rgb;

/// Earth, stone, plants, water, wood, brick and the team colours: what a map begins with.
const BEGINNING: [u32; 36] = [
    0x3a2a1c, 0x5a4028, 0x7a5c3e, 0x9c7a52, 0xc2a276, 0xe2cda0, 0x24401e, 0x34602a, 0x4a7f36, 0x6a9c48, 0x92b868, 0xbcd494, 0x2c2c2e,
    0x4a4a4c, 0x6c6c6e, 0x909092, 0xb8b8ba, 0xececec, 0x102a44, 0x1c4c74, 0x2e74a8, 0x5aa2cc, 0x96cae2, 0xd2ecf6, 0x54241c, 0x86382a,
    0xb4523a, 0xd8805a, 0xe8b04a, 0xf2dc80, 0x0000ff, 0x00ff00, 0x8a2be2, 0xd0208c, 0xff4030, 0xffffff,
];

/// Changes of a palette that can be undone.
const MOST_OLDER: usize = 100;

static BEGINNING_SWATCHES: LazyLock<Vec<Swatch>> = LazyLock::new(|| {
    let rgb = |value: u32| {
        let [_, r, g, b] = value.to_be_bytes();
        Rgb::new(r, g, b)
    };
    BEGINNING.into_iter().map(|value| unnamed(rgb(value))).collect()
});

/// A change of the palette beside the map in front. Places are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwatchEdit {
    /// Puts a colour before the one at that place, or at the end.
    Insert {
        /// The place.
        at: usize,
        /// The colour.
        color: Rgb,
    },
    /// Puts a colour to another place.
    Move {
        /// Where it is.
        from: usize,
        /// Where it is then.
        to: usize,
    },
    /// Takes a colour out.
    Remove(usize),
    /// Puts another colour in the place of one; its name goes with it.
    Replace {
        /// The place.
        at: usize,
        /// The colour.
        color: Rgb,
    },
    /// Back to what a map begins with.
    Reset,
    /// Back to the palette before the last change of this session, be it of a color or of all of them.
    Undo,
}

/// Which palette is saved where, and what the user agreed to so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaletteOrder {
    /// The map that it stands beside.
    pub document: DocumentId,
    /// The file; its extension chooses the kind.
    pub path: PathBuf,
    /// Whether the user agreed to replace a file that exists.
    pub overwrite_agreed: bool,
    /// How that file stood when that was asked; `None` before anybody was asked.
    pub asked: Option<Standing>,
}

/// Why a palette could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaletteError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The file is no palette, or a broken one.
    #[error("{name}: {reason}")]
    Format {
        /// The file's name.
        name: String,
        /// What is wrong, and where.
        reason: FormatError,
    },
    /// An extension that stands for no kind of palette.
    #[error("{name}: the name must end in .gpl, .pal or .hex")]
    UnknownKind {
        /// The file's name.
        name: String,
    },
    /// The file exists and nobody said that it may be replaced.
    #[error("the file exists already: {}", path.display())]
    AlreadyExists {
        /// The file.
        path: PathBuf,
    },
}

impl Editor {
    /// The palette beside the map in front. Maps whose voxels have meanings of their own begin without one.
    pub fn swatches(&self) -> &[Swatch] {
        self.active.map_or(&BEGINNING_SWATCHES, |id| self.swatches_of(id))
    }

    fn swatches_of(&self, id: DocumentId) -> &[Swatch] {
        let Some(open) = self.document(id) else { return &[] };
        let remembered = || open.path().and_then(|path| self.settings.palettes.of(path));
        let beginning = || if open.document.palette.is_empty() { &BEGINNING_SWATCHES[..] } else { &[] };
        open.swatches.as_deref().or_else(remembered).unwrap_or_else(beginning)
    }

    pub(super) fn edit_swatches(&mut self, edit: SwatchEdit) {
        let Some(id) = self.active else { return };
        if edit == SwatchEdit::Undo {
            if let Some(older) = self.document_mut(id).and_then(|open| open.older_swatches.pop()) {
                self.put_swatches(id, older);
            }
            return;
        }
        let mut swatches = self.swatches_of(id).to_vec();
        match edit {
            SwatchEdit::Insert { .. } if swatches.len() >= MAX_SWATCHES => {
                return self.tell(Message::info(format!("A palette has at most {MAX_SWATCHES} colors")));
            }
            SwatchEdit::Insert { at, color } => swatches.insert(at.min(swatches.len()), unnamed(color)),
            SwatchEdit::Move { from, to } if from < swatches.len() => {
                let moved = swatches.remove(from);
                swatches.insert(to.min(swatches.len()), moved);
            }
            SwatchEdit::Remove(at) if at < swatches.len() => _ = swatches.remove(at),
            SwatchEdit::Replace { at, color } => {
                if let Some(swatch) = swatches.get_mut(at) {
                    *swatch = unnamed(color);
                }
            }
            SwatchEdit::Move { .. } | SwatchEdit::Remove(_) => return,
            SwatchEdit::Reset => return self.set_swatches(id, None),
            SwatchEdit::Undo => return,
        }
        if swatches != self.swatches_of(id) {
            self.set_swatches(id, Some(swatches));
        }
    }

    /// Whether a change of the palette beside the map in front can be undone.
    pub fn can_undo_swatches(&self) -> bool {
        self.active().is_some_and(|open| !open.older_swatches.is_empty())
    }

    /// Takes the colour at that place of the palette in the hand.
    pub(super) fn take_swatch(&mut self, at: usize) {
        if let Some(color) = self.swatches().get(at).map(|swatch| swatch.color) {
            self.set_tools(ToolSettings { color, ..self.tool.settings.clone() });
        }
    }

    /// Opens a file that was dropped onto the window, or named at the start: as a palette, a model or a picture where its
    /// extension is that of one, else as a map.
    pub(super) fn open_dropped(&mut self, path: PathBuf) {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if SwatchFormat::by_extension(extension).is_none() {
            let is_import = import_by_extension(extension).is_some() && map_format_by_extension(extension).is_none();
            return match is_import {
                true => self.import_in_turn(ImportOrder::new(path)),
                false => self.act(super::Action::Open(path)),
            };
        }
        self.start_reading_palette(self.active, path);
    }

    /// Reads a palette for a map; what stood beside the map before is forgotten if the file is good.
    pub(super) fn open_palette(&mut self, document: DocumentId, path: PathBuf) {
        self.start_reading_palette(Some(document), path);
    }

    fn start_reading_palette(&mut self, document: Option<DocumentId>, path: PathBuf) {
        let storage = self.storage.clone();
        self.jobs.spawn(format!("Reading {}", file_name(&path)), document, move |_| {
            let read = read(&*storage, &path);
            JobDone::ReadPalette(path, read)
        });
    }

    pub(super) fn read_palette(&mut self, id: Option<DocumentId>, path: &Path, result: Result<Vec<Swatch>, PaletteError>) {
        match (result, id) {
            (Ok(swatches), Some(id)) => {
                self.tell(Message::info(format!("Opened the palette {} with {} colors", file_name(path), swatches.len())));
                self.set_swatches(id, Some(swatches));
            }
            (Ok(_), None) => self.tell(Message::info(format!("{} is a palette: open a map for it first", file_name(path)))),
            (Err(error), _) => {
                self.tell(not_opened(&error));
            }
        }
    }

    /// Saves the palette beside a map.
    pub(super) fn save_palette(&mut self, order: PaletteOrder) {
        let swatches = self.swatches_of(order.document).to_vec();
        if swatches.is_empty() {
            return self.tell(Message::info("The palette has no colors to be saved"));
        }
        let storage = self.storage.clone();
        // It belongs to no document: closing the map does not stop it.
        self.jobs.spawn_writing(format!("Saving {}", file_name(&order.path)), None, move |_| {
            let saved = save(&*storage, &order, &swatches);
            let is_asked = matches!(saved, Err(PaletteError::AlreadyExists { .. }));
            let asked = is_asked.then(|| Standing::of(&*storage, &order.path, &Stamps::default()));
            JobDone::SavedPalette(PaletteOrder { asked, ..order }, saved)
        });
    }

    pub(super) fn saved_palette(&mut self, order: PaletteOrder, result: Result<(), PaletteError>) {
        match result {
            Ok(()) => {
                let message = Message::info(format!("Saved the palette {}", file_name(&order.path)));
                let named = self.swatches_of(order.document).iter().filter(|swatch| !swatch.name.is_empty()).count();
                let format = order.path.extension().and_then(OsStr::to_str).and_then(SwatchFormat::by_extension);
                let loses = named > 0 && format.is_some_and(|format| !format.has_names());
                let detail = "This kind of file holds no names of colors. A .gpl keeps them.";
                self.tell(if loses { message.with_detail(detail) } else { message });
            }
            Err(error @ PaletteError::AlreadyExists { .. }) => {
                self.requests.push(Request::ConfirmPalette { order, reason: error.to_string() });
            }
            Err(error) => self.tell(Message::error(format!("Cannot save the palette: {error}"))),
        }
    }

    /// A map has another file from now on: its palette goes along.
    pub(super) fn carry_palette(&mut self, id: DocumentId, to: &Path) {
        let Some(open) = self.document(id) else { return };
        let remembered = || open.path().and_then(|path| self.settings.palettes.of(path)).map(<[_]>::to_vec);
        if let Some(swatches) = open.swatches.clone().or_else(remembered) {
            let dropped = self.settings.palettes.set(to, Some(&swatches));
            self.tell_dropped_palettes(&dropped);
        }
    }

    /// Gives a map another palette; the one before can be had again.
    fn set_swatches(&mut self, id: DocumentId, swatches: Option<Vec<Swatch>>) {
        let Some(open) = self.document(id) else { return };
        let remembered = || open.path().and_then(|path| self.settings.palettes.of(path)).map(<[_]>::to_vec);
        let before = open.swatches.clone().or_else(remembered);
        if before != swatches
            && let Some(open) = self.document_mut(id)
        {
            if open.older_swatches.len() >= MOST_OLDER {
                open.older_swatches.remove(0);
            }
            open.older_swatches.push(before);
        }
        self.put_swatches(id, swatches);
    }

    fn put_swatches(&mut self, id: DocumentId, swatches: Option<Vec<Swatch>>) {
        let Some(open) = self.document_mut(id) else { return };
        open.swatches.clone_from(&swatches);
        if let Some(path) = open.path().map(Path::to_owned) {
            let dropped = self.settings.palettes.set(&path, swatches.as_deref());
            self.save_settings();
            self.tell_dropped_palettes(&dropped);
        }
    }

    /// Tells which palettes are not remembered any more: the settings have room for so many.
    fn tell_dropped_palettes(&mut self, dropped: &DroppedPalettes) {
        if !dropped.maps.is_empty() {
            let text = format!("The palette of {} is not remembered any more", names_of(&dropped.maps));
            let detail =
                format!("There is room for those of {MAX_PALETTES} maps and {} KiB. Save one as a file to keep it.", MAX_WEIGHT >> 10);
            self.tell(Message::warning(text).with_detail(detail));
        }
        if dropped.has_lost_names {
            let text = "This palette is remembered without the names of its colors";
            self.tell(Message::warning(text).with_detail("There is no room for so many. Save it as a .gpl file to keep them."));
        }
    }
}

fn unnamed(color: Rgb) -> Swatch {
    Swatch { name: "".into(), color }
}

fn read(storage: &dyn Storage, path: &Path) -> Result<Vec<Swatch>, PaletteError> {
    let bytes = storage.read(path, MAX_SWATCH_BYTES)?;
    Ok(read_swatches(&bytes).map_err(|reason| PaletteError::Format { name: file_name(path), reason })?.1)
}

fn save(storage: &dyn Storage, order: &PaletteOrder, swatches: &[Swatch]) -> Result<(), PaletteError> {
    let extension = order.path.extension().and_then(OsStr::to_str).and_then(SwatchFormat::by_extension);
    let format = extension.ok_or_else(|| PaletteError::UnknownKind { name: file_name(&order.path) })?;
    let is_agreed = order.overwrite_agreed && order.asked.as_ref().is_none_or(|asked| asked.holds(storage, &order.path));
    if !is_agreed && storage.exists(&order.path)? {
        return Err(PaletteError::AlreadyExists { path: order.path.clone() });
    }
    Ok(write_file(storage, &order.path, &write_swatches(format, &Editor::stem(&order.path), swatches))?)
}

/// Tells that a palette was not opened, and which files are.
fn not_opened(error: &PaletteError) -> Message {
    let message = Message::error(format!("Cannot open the palette: {error}"));
    message.with_detail("Palettes are GIMP .gpl, JASC .pal and Lospec .hex files. The colors are as they were.")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::IVec3;

    use super::*;
    use crate::editor::settings::Settings;
    use crate::editor::storage::testing::FaultyStorage;
    use crate::editor::{Action, EditorConfig, JobMode, NewMap, SaveOrder};
    use crate::terrain::Params;

    fn editor(files: &[(&str, &[u8])]) -> (Editor, FaultyStorage) {
        let storage = FaultyStorage::with(files);
        let mut editor = Editor::new(EditorConfig {
            storage: Arc::new(storage.clone()),
            jobs: JobMode::Inline,
            waker: Arc::new(|| {}),
            journal_folder: None,
            versions_folder: None,
            settings_file: None,
            settings: Settings::default(),
        });
        let params = Params { size: IVec3::new(32, 32, 64), seed: 1, values: Default::default() };
        act(&mut editor, Action::New(NewMap { generator: "ocean".into(), params }));
        (editor, storage)
    }

    fn act(editor: &mut Editor, action: Action) {
        editor.act(action);
        editor.finish_jobs();
    }

    /// The red parts of the palette after the edits of one that holds 1, 2 and 3.
    #[track_caller]
    fn check(edits: &[SwatchEdit], expected: &[u8]) {
        let (mut editor, _) = editor(&[("a.hex", b"010000\n020000\n030000\n")]);
        let id = editor.active().unwrap().id();
        act(&mut editor, Action::OpenPalette(id, "a.hex".into()));
        edits.iter().for_each(|edit| act(&mut editor, Action::EditSwatches(*edit)));
        assert_eq!(editor.swatches().iter().map(|swatch| swatch.color.r).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_color_that_was_removed_comes_back_in_its_place_with_its_name() {
        let gpl = b"GIMP Palette\n1 0 0\tClay\n2 0 0\tMoss\n3 0 0\tSlate\n";
        let (mut editor, _) = editor(&[("a.gpl", gpl)]);
        let id = editor.active().unwrap().id();
        let names = |editor: &Editor| editor.swatches().iter().map(|swatch| swatch.name.to_string()).collect::<Vec<_>>().join(" ");
        assert!(!editor.can_undo_swatches());
        act(&mut editor, Action::OpenPalette(id, "a.gpl".into()));
        for edit in [SwatchEdit::Remove(1), SwatchEdit::Remove(7), SwatchEdit::Replace { at: 0, color: Rgb::new(9, 9, 9) }] {
            act(&mut editor, Action::EditSwatches(edit));
        }
        assert_eq!(names(&editor), " Slate");
        act(&mut editor, Action::EditSwatches(SwatchEdit::Reset));
        let mut undone = vec![];
        while editor.can_undo_swatches() {
            act(&mut editor, Action::EditSwatches(SwatchEdit::Undo));
            undone.push(names(&editor).trim().to_owned());
        }
        // The first palette has no names.
        assert_eq!(undone, ["Slate", "Clay Slate", "Clay Moss Slate", ""]);
        assert_eq!(editor.swatches().len(), BEGINNING.len());
        act(&mut editor, Action::EditSwatches(SwatchEdit::Undo));
        assert_eq!((editor.swatches().len(), editor.active().unwrap().history().len()), (BEGINNING.len(), 0), "the map's steps are others");
        // A map without end of changes keeps the latest.
        for _ in 0..MOST_OLDER + 5 {
            act(&mut editor, Action::EditSwatches(SwatchEdit::Insert { at: 0, color: Rgb::new(1, 2, 3) }));
        }
        assert_eq!(editor.active().unwrap().older_swatches.len(), MOST_OLDER);
    }

    #[test]
    fn edits_beyond_the_end_are_harmless() {
        let color = Rgb::new(9, 0, 0);
        check(&[SwatchEdit::Move { from: 0, to: 2 }], &[2, 3, 1]);
        check(&[SwatchEdit::Move { from: 2, to: 99 }, SwatchEdit::Move { from: 3, to: 0 }], &[1, 2, 3]);
        check(&[SwatchEdit::Insert { at: usize::MAX, color }, SwatchEdit::Insert { at: 0, color }], &[9, 1, 2, 3, 9]);
        check(&[SwatchEdit::Remove(1), SwatchEdit::Remove(7)], &[1, 3]);
        check(&[SwatchEdit::Replace { at: 1, color }, SwatchEdit::Replace { at: 5, color }], &[1, 9, 3]);
        check(&[SwatchEdit::Remove(0), SwatchEdit::Remove(0), SwatchEdit::Remove(0)], &[]);
    }

    #[test]
    fn a_dropped_palette_is_no_map() {
        let (mut editor, storage) =
            editor(&[("a.HEX", b"010000\n020000\n"), ("b.pal", b"JASC-PAL\n0100\n2\n1 2 3\n"), ("c.gpl", b"GIMP Palette\n9 8 7 Clay\n")]);
        let drop = |editor: &mut Editor, name: &str| {
            act(editor, Action::Dropped(name.into()));
            let last = editor.messages().last().unwrap();
            (editor.documents().len(), editor.swatches().len(), last.text.clone(), last.detail.clone())
        };
        assert_eq!(drop(&mut editor, "a.HEX"), (1, 2, "Opened the palette a.HEX with 2 colors".into(), None));
        let (maps, colors, said, detail) = drop(&mut editor, "b.pal");
        assert_eq!((maps, colors), (1, 2), "a broken one changes nothing");
        assert_eq!(said, "Cannot open the palette: b.pal: line 5, column 1: expected more colors: line 3 names their number");
        assert!(detail.is_some());
        assert_eq!(drop(&mut editor, "c.gpl").1, 1);
        // Names that the kind of file cannot hold are told.
        let document = editor.active().unwrap().id();
        let mut save = |path: &str| {
            act(&mut editor, Action::SavePalette(PaletteOrder { document, path: path.into(), overwrite_agreed: true, asked: None }));
            editor.messages().last().unwrap().detail.is_some()
        };
        assert_eq!(["d.gpl", "d.pal", "d.hex"].map(&mut save), [false, true, true]);
        assert_eq!(storage.get("d.hex"), Some(b"090807\n".to_vec()));
        let (maps, _, said, _) = drop(&mut editor, "d.vxl");
        assert!(maps == 1 && said.contains("d.vxl") && !said.contains("palette"), "{said}");
        act(&mut editor, Action::Close(document));
        assert_eq!(drop(&mut editor, "c.gpl").2, "c.gpl is a palette: open a map for it first");
        assert!(drop(&mut editor, "b.pal").2.starts_with("Cannot open the palette: b.pal: line 5"), "{:?}", editor.messages().last());
    }

    #[test]
    fn files_that_are_dropped_together_are_imported_one_after_the_other() {
        let picture = |color: [u8; 3]| {
            let mut png = vec![];
            let mut encoder = png::Encoder::new(&mut png, 1, 1);
            encoder.set_color(png::ColorType::Rgb);
            encoder.write_header().unwrap().write_image_data(&color).unwrap();
            png
        };
        let (first, second) = (picture([255; 3]), picture([9; 3]));
        let (mut editor, _) = editor(&[("a.png", &first), ("broken.png", b"no picture"), ("b.png", &second)]);
        for name in ["a.png", "broken.png", "b.png"] {
            editor.act(Action::Dropped(name.into()));
        }
        let pending = |editor: &mut Editor| {
            editor.finish_jobs();
            editor.pending_import().map(|import| import.file.content.name.clone())
        };
        assert_eq!(pending(&mut editor).as_deref(), Some("a"));
        editor.act(Action::ForgetImport);
        // The broken one is told of, and holds up nothing.
        assert_eq!(pending(&mut editor).as_deref(), Some("b"));
        assert!(editor.messages().iter().any(|message| message.text.contains("broken.png")), "{:?}", editor.messages());
        editor.act(Action::OpenImport);
        assert_eq!(pending(&mut editor), None);
    }

    #[test]
    fn a_palette_is_remembered_once_its_map_has_a_file() {
        let (mut editor, storage) = editor(&[("m/other.txt", b"")]);
        act(&mut editor, Action::EditSwatches(SwatchEdit::Remove(0)));
        let id = editor.active().unwrap().id();
        assert_eq!(editor.settings, Settings::default());
        act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path("m/sea.vxl".into()).with_loss_agreed()));
        act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path("m/sea.vxl".into()).with_loss_agreed()));
        assert!(storage.get("m/sea.vxl").is_some(), "{:?}", editor.messages());
        assert_eq!(editor.settings.palettes.of(Path::new("m/sea.vxl")).map(<[_]>::len), Some(35));
        act(&mut editor, Action::EditSwatches(SwatchEdit::Reset));
        assert_eq!((editor.settings.palettes.of(Path::new("m/sea.vxl")), editor.swatches().len()), (None, 36));
    }

    #[test]
    fn a_palette_for_which_there_is_no_room_any_more_is_told_of() {
        let (mut editor, _) = editor(&[("m/other.txt", b"")]);
        let id = editor.active().unwrap().id();
        act(&mut editor, Action::SaveAs(SaveOrder::new(id).with_path("m/sea.vxl".into()).with_loss_agreed()));
        for map in 0..MAX_PALETTES {
            editor.settings.palettes.set(Path::new(&format!("{map}.vxl")), Some(&[]));
        }
        let told = |editor: &Editor| editor.messages().iter().filter(|message| message.text.contains("not remembered")).count();
        assert_eq!(told(&editor), 0);
        act(&mut editor, Action::EditSwatches(SwatchEdit::Remove(0)));
        let last = editor.messages().last().unwrap();
        assert_eq!((told(&editor), last.text.as_str()), (1, "The palette of 0.vxl is not remembered any more"));
        act(&mut editor, Action::EditSwatches(SwatchEdit::Remove(0)));
        assert_eq!(told(&editor), 1);
    }

    #[test]
    fn a_palette_that_cannot_be_written_leaves_the_old_file() {
        let (mut editor, storage) = editor(&[("a.gpl", b"mine")]);
        let document = editor.active().unwrap().id();
        let order =
            |path: &str, overwrite_agreed| Action::SavePalette(PaletteOrder { document, path: path.into(), overwrite_agreed, asked: None });
        act(&mut editor, order("a.gpl", false));
        let Some(Request::ConfirmPalette { order: asked, .. }) = editor.take_requests().pop() else { panic!("not asked") };
        // The answer counts for the file that was asked about.
        storage.put("a.gpl", b"theirs");
        act(&mut editor, Action::SavePalette(PaletteOrder { overwrite_agreed: true, ..asked }));
        assert!(matches!(&*editor.take_requests(), [Request::ConfirmPalette { .. }]));
        assert_eq!(storage.get("a.gpl"), Some(b"theirs".to_vec()));
        act(&mut editor, order("a.png", true));
        assert_eq!(editor.messages().last().unwrap().text, "Cannot save the palette: a.png: the name must end in .gpl, .pal or .hex");
        assert_eq!((storage.get("a.gpl"), storage.get("a.png")), (Some(b"theirs".to_vec()), None));
        act(&mut editor, order("a.gpl", true));
        assert!(storage.get("a.gpl").unwrap().starts_with(b"GIMP Palette\nName: a\n"));
    }
}
