//! Importing: a file of another program → a stamp or a map. The window and the command line share it.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use glam::IVec3;

use super::{OpenError, shown_name};
use crate::document::{Document, GameProfile, OptionValue, Options, Progress, SourceFile};
use crate::edit::{Clip, ColorImage, Command, Draft, EditError, GrayImage, History, ops, plan};
use crate::editor::storage::Storage;
use crate::format::{
    FormatError, ImportFiles, ImportKind, Imported, MapFormat, Picture, Report, Severity, hidden_colors, import, import_by_extension,
    read_picture, recognize_import,
};
use crate::geom::{Region, VoxelPos};
use crate::voxel::Store;

/// Columns of a game map on each side.
const MAP_SIDE: i32 = 512;
/// Height of a game map.
const MAP_DEPTH: i32 = 64;
/// First bytes of an unknown file that the error shows.
const HEAD_BYTES: usize = 8;

/// How to import a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions<'a> {
    /// Id of the import; `None` looks at the content and the extension.
    pub import: Option<&'a str>,
    /// Options of the import.
    pub options: Options,
    /// A picture with the colors, for imports that take one.
    pub colors: Option<&'a Path>,
}

/// A file that was imported.
#[derive(Clone, Debug)]
pub struct ImportedFile {
    /// What is in it.
    pub content: Imported,
    /// Id of its import.
    pub import: &'static str,
    /// What was left out or guessed.
    pub report: Report,
}

/// Imports a file.
///
/// # Errors
/// If a file cannot be read or understood, or the work is cancelled.
pub fn import_file(
    storage: &dyn Storage,
    path: &Path,
    options: &ImportOptions<'_>,
    progress: &Progress,
) -> Result<ImportedFile, OpenError> {
    let main = storage.open(path)?;
    let import = match options.import {
        Some(id) => import(id).ok_or_else(|| OpenError::NoSuchFormat { id: id.into() })?,
        None => recognize_import(&*main, path.extension().and_then(OsStr::to_str)).ok_or_else(|| {
            let head: Vec<String> = main.head(HEAD_BYTES).unwrap_or_default().iter().map(|byte| format!("{byte:02x}")).collect();
            let head = head.join(" ");
            let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_lowercase();
            let is_known = import_by_extension(&extension).is_some();
            let reason = if is_known { FormatError::Misnamed { extension, head } } else { FormatError::NotRecognized { head } };
            OpenError::format(path, None, reason)
        })?,
    };
    let colors = options.colors.map(|path| storage.open(path)).transpose()?;
    if colors.is_some() && !import.takes_colors() {
        return Err(OpenError::format(path, Some(import.id()), FormatError::Unsupported { what: "a picture with the colors of a model" }));
    }
    let mut report = Report::new();
    let files = ImportFiles { main: &*main, colors: colors.as_deref() };
    let mut content = import.read(&files, &options.options, progress, &mut report).map_err(|reason| match (reason, options.colors) {
        // The fault lies in the other file.
        (FormatError::Colors(reason), Some(path)) => OpenError::format(path, Some(import.id()), *reason),
        (reason, _) => OpenError::format(path, Some(import.id()), reason),
    })?;
    if content.name.is_empty() {
        content.name = Path::new(&shown_name(path)).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    if content.kind == ImportKind::Model {
        let message = "voxels inside of the model have a color, which a VXL map does not keep";
        report.push_count(Severity::Info, "inner-colors", message, hidden_colors(&content.store));
    }
    Ok(ImportedFile { content, import: import.id(), report })
}

/// Steps of gray that a command can tell apart, which is how far it can move the ground.
const MOST_STEPS: u16 = 4095;

/// Reads a picture for the command [`Heightmap`](ops::Heightmap), as the options of the import take it: its
/// brightness, inverted or not, and how far white moves the ground where each step of gray is a voxel.
///
/// # Errors
/// If the file cannot be read or is no PNG picture that fits, or the work is cancelled.
pub fn read_image(
    storage: &dyn Storage,
    path: &Path,
    options: &Options,
    progress: &Progress,
) -> Result<(GrayImage, Option<u32>), OpenError> {
    let picture = picture_at(storage, path, progress)?;
    let is_on = |name| options.get(name) == Some(&OptionValue::Bool(true));
    let (inverted, stepped) = (is_on("invert"), is_on("steps"));
    let level = |gray: u16| {
        let gray = if inverted { u16::MAX - gray } else { gray };
        if !stepped {
            return gray;
        }
        // As bright as moves the ground by that many voxels, to a hundredth of one.
        let steps = u32::from((gray / picture.gray_step).min(MOST_STEPS));
        u16::try_from(steps * u32::from(u16::MAX) / u32::from(MOST_STEPS)).unwrap_or(u16::MAX)
    };
    let image = gray_image(path, picture.size, picture.gray.iter().map(|gray| level(*gray)).collect())?;
    Ok((image, stepped.then_some(u32::from(MOST_STEPS))))
}

/// Reads a picture as a brush has it: how much each pixel covers, by its brightness, inverted or not, and nothing where it is clear.
///
/// # Errors
/// As [`read_image`].
pub fn read_tip(storage: &dyn Storage, path: &Path, options: &Options, progress: &Progress) -> Result<GrayImage, OpenError> {
    let picture = picture_at(storage, path, progress)?;
    let is_inverted = options.get("invert") == Some(&OptionValue::Bool(true));
    let mut samples: Vec<u16> = picture.gray.iter().map(|gray| if is_inverted { u16::MAX - gray } else { *gray }).collect();
    let white = u64::from(u16::MAX);
    for (sample, opacity) in samples.iter_mut().zip(picture.opacity.iter().flatten()) {
        *sample = u16::try_from((u64::from(*sample) * u64::from(*opacity) + white / 2) / white).unwrap_or(u16::MAX);
    }
    gray_image(path, picture.size, samples)
}

fn picture_at(storage: &dyn Storage, path: &Path, progress: &Progress) -> Result<Picture, OpenError> {
    read_picture(&*storage.open(path)?, progress).map_err(|reason| OpenError::format(path, None, reason))
}

/// A picture that was read fits an image: both have the same limits.
fn gray_image(path: &Path, size: [u32; 2], samples: Vec<u16>) -> Result<GrayImage, OpenError> {
    let unsupported = |_| OpenError::format(path, None, FormatError::Unsupported { what: "this kind of PNG picture" });
    GrayImage::new(size, samples).map_err(unsupported)
}

/// Reads a picture's colors, also those of pixels that are clear.
///
/// # Errors
/// If the file cannot be read or is no PNG picture that fits, or the work is cancelled.
pub fn read_colors(storage: &dyn Storage, path: &Path, progress: &Progress) -> Result<ColorImage, OpenError> {
    let opaque = Picture { opacity: None, ..picture_at(storage, path, progress)? };
    color_image(path, &opaque)
}

/// Reads a picture to be painted: pixels that are more clear than not are left out.
///
/// # Errors
/// As [`read_colors`].
pub fn read_decal(storage: &dyn Storage, path: &Path, progress: &Progress) -> Result<ColorImage, OpenError> {
    color_image(path, &picture_at(storage, path, progress)?)
}

fn color_image(path: &Path, picture: &Picture) -> Result<ColorImage, OpenError> {
    let unsupported = |_| OpenError::format(path, None, FormatError::Unsupported { what: "a picture of this size" });
    let opacity = |index: usize| picture.opacity.as_ref().and_then(|opacity| opacity.get(index)).copied().unwrap_or(u16::MAX);
    let color = |(index, color)| (opacity(index) > u16::MAX / 2).then_some(color);
    ColorImage::with_clear(picture.size, picture.colors.iter().copied().enumerate().map(color).collect()).map_err(unsupported)
}

impl ImportedFile {
    /// It as a stamp, to be pasted with its [anchor](Imported::anchor) where it is wanted.
    ///
    /// # Errors
    /// If it is larger than a clip can be.
    pub fn clip(&self) -> Result<Clip, EditError> {
        Clip::of(&self.content.store)
    }

    /// The command that puts it into a map, the anchor at a place. Terrain goes without its lowest plane, as clips do.
    ///
    /// # Errors
    /// As [`clip`](Self::clip).
    pub fn paste(&self, at: VoxelPos) -> Result<Command, EditError> {
        Ok(Command::Paste(ops::Paste { clip: self.clip()?, at: at.saturating_sub(self.content.anchor) }))
    }

    /// Colors inside of a model for which a format has no room, as losses: the model alone as a map of that format. Among what a map
    /// is built of they count for nothing, but somebody made the model.
    ///
    /// # Errors
    /// [`EditError::Cancelled`].
    pub fn lost_within(&self, format: &dyn MapFormat, options: &Options, progress: &Progress) -> Result<Report, EditError> {
        let mut report = Report::new();
        if self.content.kind == ImportKind::Model {
            let told = format.preflight(&self.document(progress)?, options);
            report.warnings = told.warnings;
            report.warnings.retain(|warning| warning.code == "hidden-colors" && warning.severity == Severity::Loss);
        }
        Ok(report)
    }

    /// It as a map: terrain as it is, a model in the middle of a water plane of the game's size, or larger if it must be.
    ///
    /// # Errors
    /// [`EditError::Cancelled`].
    pub fn document(&self, progress: &Progress) -> Result<Document, EditError> {
        let (mut document, paste) = self.beginning(progress)?;
        if let Some(at) = paste {
            let mut draft = Draft::new(&document);
            draft.paste(&self.content.store, at, progress)?;
            let change = draft.finish_with("Import", progress)?;
            History::with_budget(0).commit(&mut document, change);
        }
        Ok(document)
    }

    /// The map that it becomes before a model stands on it, and where the model goes; terrain is that map.
    ///
    /// # Errors
    /// [`EditError::Cancelled`].
    pub fn beginning(&self, progress: &Progress) -> Result<(Document, Option<IVec3>), EditError> {
        let store = &self.content.store;
        if self.content.kind == ImportKind::Terrain {
            return Ok((self.map(store.clone()), None));
        }
        let size = store.bounds().size();
        // Maps are square, and the water plane lies below the model.
        let side = MAP_SIDE.max(size.x).max(size.y);
        // But a scene of a whole map with a floor of its own, such as one that was exported, brings that.
        let bottom = store.bounds().max().z - 1;
        let has_floor =
            size.x == side && size.y == side && store.bounds().columns().columns().all(|[x, y]| store.is_solid(IVec3::new(x, y, bottom)));
        // One that is as wide and as high as a map stands in the water: where its lowest layer is open, there is sea.
        let is_whole = size.x == side && size.y == side && size.z >= MAP_DEPTH;
        let plane = i32::from(!has_floor && !is_whole);
        let bounds = Region::of_size(IVec3::new(side, side, MAP_DEPTH.max(size.z + plane)));
        let mut document = self.map(Store::new(bounds));
        let water = plan(&document, &Command::RepairColumns(ops::RepairColumns {}), progress)?;
        History::with_budget(0).commit(&mut document, water);
        Ok((document, Some(IVec3::new((side - size.x) / 2, (side - size.y) / 2, bounds.max().z - plane - size.z))))
    }

    /// A map that came from another program's file: what that says and the map's own file cannot hold is a loss.
    fn map(&self, store: Store) -> Document {
        let mut document = Document::new(store, &GameProfile::ACE_OF_SPADES);
        // Never written back: nothing asks for its bytes.
        document.source = Some(Arc::new(SourceFile {
            format: self.import,
            options: Options::new(),
            bytes: Arc::default(),
            tells_kinds: false,
            last_entity: None,
        }));
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::storage::RealStorage;
    use crate::format::{Severity, map_format};
    use crate::voxel::{Rgb, StoreEdit, Voxel};

    /// A KV6 model of one green voxel, 2×3×4, with its pivot in the second layer.
    fn sprite() -> Vec<u8> {
        let mut bytes = b"Kvxl".to_vec();
        bytes.extend([2_u32, 3, 4].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend([1_f32, 1.5, 1.0].into_iter().flat_map(f32::to_le_bytes));
        bytes.extend([1, 0, 0, 0, 0, 255, 0, 0x80, 3, 0, 63, 0]);
        bytes.extend([1_u32, 0].into_iter().flat_map(u32::to_le_bytes));
        bytes.extend([1_u16, 0, 0, 0, 0, 0].into_iter().flat_map(u16::to_le_bytes));
        bytes
    }

    fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn a_model_becomes_a_map_on_water_and_a_stamp_that_hangs_by_its_anchor() {
        let (_folder, path) = file("tree.kv6", &sprite());
        let imported = import_file(&RealStorage, &path, &ImportOptions::default(), &Progress::new()).unwrap();
        assert_eq!((imported.content.name.as_str(), imported.import), ("tree", "kv6"));
        let map = imported.document(&Progress::new()).unwrap();
        assert_eq!(map.bounds().size(), IVec3::new(512, 512, 64));
        assert_eq!(map.store().solid_count(), 512 * 512 + 1);
        assert_eq!(map.store().voxel(IVec3::new(255, 254, 62)).unwrap().rgb(), Some(Rgb::new(0, 255, 0)));

        assert_eq!(imported.clip().unwrap().size(), IVec3::new(2, 3, 4));
        let mut map = imported.document(&Progress::new()).unwrap();
        let change = plan(&map, &imported.paste(IVec3::new(10, 10, 10)).unwrap(), &Progress::new()).unwrap();
        History::new().commit(&mut map, change);
        assert!(map.store().is_solid(IVec3::new(9, 9, 12)));
    }

    #[test]
    fn a_model_of_the_size_of_a_map_stands_in_the_water() {
        let (_folder, path) = file("tree.kv6", &sprite());
        let mut imported = import_file(&RealStorage, &path, &ImportOptions::default(), &Progress::new()).unwrap();
        // One high tower; else its lowest layer is open, as in a map that was exported without its inside.
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(MAP_SIDE, MAP_SIDE, MAP_DEPTH))));
        for z in 0..MAP_DEPTH {
            edit.set(IVec3::new(3, 4, z), Some(Voxel::new(Rgb::new(9, 9, 9))));
        }
        imported.content.store = edit.snapshot();
        let map = imported.document(&Progress::new()).unwrap();
        assert_eq!(map.bounds().size(), IVec3::new(MAP_SIDE, MAP_SIDE, MAP_DEPTH));
        assert_eq!(map.store().solid_count(), 512 * 512 + 63);
        assert_eq!(map.store().voxel(IVec3::new(3, 4, 63)).unwrap().rgb(), Some(Rgb::new(9, 9, 9)));
    }

    #[test]
    fn a_color_inside_of_a_model_is_lost_in_a_map_that_has_no_room_for_it() {
        let (_folder, path) = file("tree.kv6", &sprite());
        let mut imported = import_file(&RealStorage, &path, &ImportOptions::default(), &Progress::new()).unwrap();
        let losses = |imported: &ImportedFile| {
            let map = imported.document(&Progress::new()).unwrap();
            ["vxl", "vmf"].map(|id| {
                let report = map_format(id).unwrap().preflight(&map, &Options::new());
                report.of(Severity::Loss).map(|loss| (loss.code, loss.count)).collect::<Vec<_>>()
            })
        };
        let cube = |middle: Rgb| {
            let bounds = Region::of_size(IVec3::splat(3));
            let mut edit = StoreEdit::new(&Store::new(bounds));
            bounds.positions().for_each(|at| _ = edit.set(at, Some(Voxel::new(Rgb::new(9, 9, 9)))));
            edit.set(IVec3::ONE, Some(Voxel::new(middle)));
            edit.snapshot()
        };
        imported.content.store = cube(Rgb::new(200, 0, 0));
        assert_eq!(losses(&imported), [vec![("hidden-colors", 1)], vec![]]);
        // What is under a voxel of its color anybody takes for that.
        imported.content.store = cube(Rgb::new(9, 9, 9));
        assert_eq!(losses(&imported), [vec![], vec![]]);
    }

    #[test]
    fn a_file_of_no_known_kind_is_refused_by_name() {
        let (_folder, path) = file("castle.vox", b"hello there");
        let read = |options: &ImportOptions<'_>| import_file(&RealStorage, &path, options, &Progress::new()).unwrap_err().to_string();
        let error = read(&ImportOptions::default());
        assert_eq!(error, "castle.vox: what is in it is no .vox, or a damaged one (the first bytes are 68 65 6c 6c 6f 20 74 68)");
        assert_eq!(read(&ImportOptions { import: Some("kv7"), ..Default::default() }), r#"there is no format "kv7""#);
        let error = read(&ImportOptions { import: Some("kv6"), colors: Some(&path), ..Default::default() });
        assert_eq!(error, "castle.vox: a picture with the colors of a model is not supported");
        let error = read_image(&RealStorage, &path, &Options::new(), &Progress::new()).unwrap_err().to_string();
        assert!(error.starts_with("castle.vox: byte 0: the picture cannot be read: "), "{error}");
    }

    #[test]
    fn clear_pixels_paint_and_cover_nothing() {
        let mut png = vec![];
        let mut encoder = png::Encoder::new(&mut png, 4, 1);
        encoder.set_color(png::ColorType::Rgba);
        let pixels = [[255, 255, 255, 255], [255, 255, 255, 0], [0, 0, 0, 0], [255, 255, 255, 51]];
        encoder.write_header().unwrap().write_image_data(pixels.as_flattened()).unwrap();
        let (_folder, path) = file("dot.png", &png);
        let progress = Progress::new();
        let white = Some(Rgb::new(255, 255, 255));
        let decal = read_decal(&RealStorage, &path, &progress).unwrap();
        assert_eq!([0, 1, 2, 3].map(|x| decal.at(x, 0)), [white, None, None, None]);
        let colors = read_colors(&RealStorage, &path, &progress).unwrap();
        assert_eq!([0, 1, 2, 3].map(|x| colors.at(x, 0)), [white, white, Some(Rgb::new(0, 0, 0)), white]);
        let tip = |options: &Options| {
            let tip = read_tip(&RealStorage, &path, options, &progress).unwrap();
            [0, 1, 2, 3].map(|x| tip.at(x, 0).unwrap())
        };
        assert_eq!(tip(&Options::new()), [65535, 0, 0, 13107]);
        let inverted = [("invert".into(), OptionValue::Bool(true))].into_iter().collect();
        assert_eq!(tip(&inverted), [0, 0, 0, 0]);
    }

    #[test]
    fn an_inverted_picture_of_steps_moves_the_ground_by_its_steps() {
        let mut png = vec![];
        let mut encoder = png::Encoder::new(&mut png, 3, 1);
        encoder.set_color(png::ColorType::Grayscale);
        encoder.write_header().unwrap().write_image_data(&[255, 254, 250]).unwrap();
        let (_folder, path) = file("hill.png", &png);
        let on = |names: &[&str]| names.iter().map(|name| ((*name).into(), OptionValue::Bool(true))).collect::<Options>();
        let read = |names: &[&str]| read_image(&RealStorage, &path, &on(names), &Progress::new()).unwrap();
        let (image, height) = read(&["invert", "steps"]);
        let moved = |x| (f64::from(image.at(x, 0).unwrap()) / 65535.0 * f64::from(height.unwrap())).round();
        assert_eq!([moved(0), moved(1), moved(2)], [0.0, 1.0, 5.0]);
        let (image, height) = read(&["invert"]);
        assert_eq!((image.at(1, 0), height), (Some(257), None));
        assert_eq!(read(&[]).0.at(0, 0), Some(u16::MAX));
    }
}
