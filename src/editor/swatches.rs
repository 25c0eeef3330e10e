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
use super::{DocumentId, Editor, ImportOrder, Message, OpenDocument, Request};
use crate::document::{Swatch, some};
use crate::format::{
    FormatError, MAX_SWATCH_BYTES, MAX_SWATCHES, SwatchFormat, import_by_extension, map_format_by_extension, read_swatches, says_more,
    write_swatches,
};
use crate::tool::ToolSettings;
use crate::voxel::Rgb;

/// Earth, stone, plants, water, wood, brick and the team colours: what a map begins with.
const BEGINNING: [u32; 36] = [
    0x3a2a1c, 0x5a4028, 0x7a5c3e, 0x9c7a52, 0xc2a276, 0xe2cda0, 0x24401e, 0x34602a, 0x4a7f36, 0x6a9c48, 0x92b868, 0xbcd494, 0x2c2c2e,
    0x4a4a4c, 0x6c6c6e, 0x909092, 0xb8b8ba, 0xececec, 0x102a44, 0x1c4c74, 0x2e74a8, 0x5aa2cc, 0x96cae2, 0xd2ecf6, 0x54241c, 0x86382a,
    0xb4523a, 0xd8805a, 0xe8b04a, 0xf2dc80, 0x0000ff, 0x00ff00, 0x8a2be2, 0xd0208c, 0xff4030, 0xffffff,
];

/// What a palette file loses that is replaced.
const LEFT_OUT: &str = ". It has a name, columns or comments of its own, which are not kept";

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
    #[error("the file exists already: {}{}", path.display(), if *says_more { LEFT_OUT } else { "" })]
    AlreadyExists {
        /// The file.
        path: PathBuf,
        /// Whether it has more than its colors and their names.
        says_more: bool,
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

    /// A map has another file from now on: its palette goes along. The one that was remembered of a map there can be had again.
    pub(super) fn carry_palette(&mut self, id: DocumentId, to: &Path) {
        let Some(open) = self.document(id) else { return };
        let remembered = || open.path().and_then(|path| self.settings.palettes.of(path)).map(<[_]>::to_vec);
        let is_elsewhere = open.path() != Some(to);
        if let Some(swatches) = open.swatches.clone().or_else(remembered) {
            let there = self.settings.palettes.of(to).filter(|there| is_elsewhere && *there != swatches).map(<[_]>::to_vec);
            let dropped = self.remember_palette(id, to, Some(&swatches));
            if let Some((open, there)) = self.document_mut(id).zip(there) {
                let colors = some(there.len() as u64, "color", "colors");
                open.remember_swatches(Some(there));
                let text = format!("The palette of this map took the place of another one that was remembered of {}", file_name(to));
                let detail = format!("That has {colors}. Undo beside the palette brings it back as long as the map is open.");
                self.tell(Message::warning(text).with_detail(detail));
            }
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
            open.remember_swatches(before);
        }
        self.put_swatches(id, swatches);
    }

    fn put_swatches(&mut self, id: DocumentId, swatches: Option<Vec<Swatch>>) {
        let Some(open) = self.document_mut(id) else { return };
        open.swatches.clone_from(&swatches);
        if let Some(path) = open.path().map(Path::to_owned) {
            let dropped = self.remember_palette(id, &path, swatches.as_deref());
            self.save_settings();
            self.tell_dropped_palettes(&dropped);
        }
    }

    /// Has the settings remember a palette of a file, which other tabs of that file have from now on, too; theirs can be had again.
    fn remember_palette(&mut self, id: DocumentId, path: &Path, swatches: Option<&[Swatch]>) -> DroppedPalettes {
        let remembered = self.settings.palettes.of(path).map(<[_]>::to_vec);
        for open in self.documents.iter_mut().filter(|open| open.id() != id && open.path() == Some(path)) {
            let before = open.swatches.take().or_else(|| remembered.clone());
            if before.as_deref() != swatches {
                open.remember_swatches(before);
            }
            open.swatches = swatches.map(<[_]>::to_vec);
        }
        self.settings.palettes.set(path, swatches)
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

impl OpenDocument {
    /// Keeps a palette that another one replaces, until the map is closed.
    fn remember_swatches(&mut self, before: Option<Vec<Swatch>>) {
        if self.older_swatches.len() >= MOST_OLDER {
            self.older_swatches.remove(0);
        }
        self.older_swatches.push(before);
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
    let title = Editor::stem(&order.path);
    let is_agreed = order.overwrite_agreed && order.asked.as_ref().is_none_or(|asked| asked.holds(storage, &order.path));
    if !is_agreed && storage.exists(&order.path)? {
        let says_more = storage.read(&order.path, MAX_SWATCH_BYTES).is_ok_and(|there| says_more(&there, &title));
        return Err(PaletteError::AlreadyExists { path: order.path.clone(), says_more });
    }
    Ok(write_file(storage, &order.path, &write_swatches(format, &title, swatches))?)
}

/// Tells that a palette was not opened, and which files are.
fn not_opened(error: &PaletteError) -> Message {
    let message = Message::error(format!("Cannot open the palette: {error}"));
    message.with_detail("Palettes are GIMP .gpl, JASC .pal and Lospec .hex files. The colors are as they were.")
}

#[cfg(test)]
mod tests;
