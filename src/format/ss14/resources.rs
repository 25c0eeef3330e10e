//! Colours of tiles from the game's own files: a `Resources` folder with prototypes and textures.
//!
//! ```text
//! Prototypes/Tiles/*.yml   - type: tile, with id:, sprite: and parent:; - type: tileAlias, with id: and target:
//! Prototypes/_Fork/Tiles   more of them, which forks add
//! Textures/Tiles/*.png     a strip of square pictures, one for each variant
//! ```
//! The colour of a tile is the mean of its first picture. What comes of it are texts for the options
//! `tile-colors` and `tile-names`, so that the map is read the same way again when the folder is gone.

use std::collections::BTreeMap;
use std::io::{self, Cursor};

use png::{ColorType, Decoder, Limits, Transformations};
use serde_yaml::Value;

use super::colors::is_space;
use crate::format::png_palette::check_palette;
use crate::format::{Folder, FormatError, Report, Severity};
use crate::voxel::Rgb;

/// Where the prototypes are.
const PROTOTYPES: &str = "Prototypes/Tiles";
/// Where folders of forks are, and the name of the folder with tiles in each.
const ALL_PROTOTYPES: &str = "Prototypes";
const TILES: &str = "Tiles";
/// Most files of prototypes that are read.
const MAX_FILES: usize = 1000;
/// Folders below folders that are looked into.
const MAX_DEPTH: usize = 4;
/// Most parents that are followed from one tile.
const MAX_PARENTS: usize = 16;
/// Longest side of a texture.
const MAX_PIXELS: u32 = 4096;
/// Memory that a texture may take.
const DECODER_BYTES: usize = 64 << 20;

const NO_RESOURCES: FormatError =
    FormatError::WrongFolder { expected: "the Resources folder of a Space Station 14 checkout, with Prototypes/Tiles and Textures" };

/// What a prototype says about how a tile looks.
#[derive(Debug, Default)]
struct Look {
    sprite: Option<String>,
    parents: Vec<String>,
    /// Other tiles are made of it; no map can have it.
    is_abstract: bool,
}

/// What the prototypes of a folder say.
#[derive(Debug, Default)]
struct Prototypes {
    looks: BTreeMap<String, Look>,
    /// Old names, which the game turns into new ones as it loads a map.
    aliases: BTreeMap<String, String>,
}

/// The tiles of a folder.
#[derive(Debug)]
pub(super) struct Tiles {
    /// Lines `Name #rrggbb` for those with a texture.
    pub colors: String,
    /// Lines with the names of all that a map may have.
    pub names: String,
}

/// The tiles of a folder.
///
/// # Errors
/// [`FormatError::WrongFolder`] if it holds no tiles.
pub(super) fn tiles(folder: &dyn Folder, report: &mut Report) -> Result<Tiles, FormatError> {
    let mut found = Prototypes::default();
    for path in prototype_files(folder)? {
        let parsed = folder.read(&path).map_err(FormatError::from).and_then(|bytes| prototypes(&bytes, &mut found));
        if let Err(error) = parsed {
            report.push(Severity::Problem, "resources", format!("{path} in the Resources folder was left out: {error}"));
        }
    }
    let looks = &found.looks;
    if looks.is_empty() {
        return Err(NO_RESOURCES);
    }
    let (mut lines, mut unseen, mut unreadable) = (vec![], vec![], vec![]);
    for name in looks.keys().filter(|name| is_plain(name) && !is_space(name)) {
        let Some(sprite) = sprite_of(name, looks) else {
            unseen.push(name.as_str());
            continue;
        };
        match folder.read(&texture_path(sprite)).map_err(|_| ()).and_then(|bytes| mean_color(&bytes)) {
            Ok(Some(color)) => lines.push(format!("{name} {color}")),
            Ok(None) => unseen.push(name),
            Err(()) => unreadable.push(name),
        }
    }
    if lines.is_empty() {
        return Err(NO_RESOURCES);
    }
    let message = format!("tiles have the color of their texture; {} without one keep theirs", unseen.len());
    report.push_count(Severity::Info, "resources", message, lines.len() as u64);
    let message =
        format!("textures of tiles cannot be read: {}", unreadable.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", "));
    report.push_count(Severity::Info, "resources", message, unreadable.len() as u64);
    let is_tile = |name: &str| looks.get(name).is_some_and(|look| !look.is_abstract);
    let aliases = found.aliases.iter().filter(|(name, _)| !is_tile(name)).filter(|(_, target)| {
        // An old name may have become another old name.
        let chain = std::iter::successors(Some(*target), |name| found.aliases.get(*name).filter(|_| !is_tile(name)));
        chain.take(MAX_PARENTS).any(|name| is_tile(name))
    });
    let names = looks.keys().filter(|name| is_tile(name)).chain(aliases.map(|(name, _)| name));
    let names: Vec<&str> = names.map(String::as_str).filter(|name| !name.contains('\n')).collect();
    Ok(Tiles { colors: lines.join("\n"), names: names.join("\n") })
}

/// Whether a name can stand in a table of colours.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
}

/// The files of prototypes in the folder and those below it, in order.
fn prototype_files(folder: &dyn Folder) -> Result<Vec<String>, FormatError> {
    let list = |path: &str| match folder.list(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(NO_RESOURCES),
        other => Ok(other?),
    };
    let (mut files, mut folders) = (vec![], vec![(PROTOTYPES.to_owned(), 0)]);
    // Forks keep their own tiles apart from those that they share.
    for fork in list(ALL_PROTOTYPES)?.into_iter().filter(|entry| entry.is_folder && entry.name != TILES) {
        let fork = format!("{ALL_PROTOTYPES}/{}", fork.name);
        let inner = folder.list(&fork).unwrap_or_default();
        folders.extend(inner.iter().filter(|entry| entry.is_folder && entry.name == TILES).map(|_| (format!("{fork}/{TILES}"), 0)));
    }
    while let Some((path, depth)) = folders.pop() {
        for entry in list(&path)? {
            let inner = format!("{path}/{}", entry.name);
            if entry.is_folder && depth < MAX_DEPTH {
                folders.push((inner, depth + 1));
            } else if !entry.is_folder && (inner.ends_with(".yml") || inner.ends_with(".yaml")) {
                files.push(inner);
            }
        }
        if files.len() > MAX_FILES {
            return Err(NO_RESOURCES);
        }
    }
    files.sort();
    Ok(files)
}

fn prototypes(bytes: &[u8], found: &mut Prototypes) -> Result<(), FormatError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let value: Value = serde_yaml::from_slice(bytes).map_err(|error| {
        let (line, column) = error.location().map_or((1, 1), |place| (place.line(), place.column()));
        FormatError::Syntax { line: line.max(1), column: column.max(1), expected: "YAML" }
    })?;
    for prototype in value.as_sequence().into_iter().flatten() {
        let text = |key: &str| prototype.get(key).and_then(Value::as_str).map(str::to_owned);
        let (Some(name), Some(kind)) = (text("id"), text("type")) else { continue };
        if let Some(target) = text("target").filter(|_| kind == "tileAlias") {
            found.aliases.insert(name, target);
            continue;
        }
        if kind != "tile" {
            continue;
        }
        let parents = match prototype.get("parent") {
            Some(Value::String(parent)) => vec![parent.clone()],
            Some(Value::Sequence(parents)) => parents.iter().filter_map(|parent| parent.as_str().map(str::to_owned)).collect(),
            _ => vec![],
        };
        let is_abstract = prototype.get("abstract").and_then(Value::as_bool).unwrap_or(false);
        found.looks.insert(name, Look { sprite: text("sprite"), parents, is_abstract });
    }
    Ok(())
}

/// The texture of a tile, its own or that of the nearest parent with one.
fn sprite_of<'a>(name: &'a str, looks: &'a BTreeMap<String, Look>) -> Option<&'a str> {
    let mut waiting = vec![name];
    for _ in 0..MAX_PARENTS {
        let Some(look) = waiting.pop().and_then(|name| looks.get(name)) else { continue };
        if let Some(sprite) = &look.sprite {
            return Some(sprite);
        }
        // The first parent counts most.
        waiting.extend(look.parents.iter().rev().map(String::as_str));
    }
    None
}

/// `/Textures/Tiles/steel.png` as prototypes say it, from the Resources folder.
fn texture_path(sprite: &str) -> String {
    let path = sprite.trim_start_matches('/');
    if path.starts_with("Textures/") { path.into() } else { format!("Textures/{path}") }
}

/// The mean of the first square of a strip, weighted by how opaque each pixel is; `None` where nothing can be seen.
fn mean_color(png: &[u8]) -> Result<Option<Rgb>, ()> {
    let decode = || {
        let mut decoder = Decoder::new_with_limits(Cursor::new(png), Limits { bytes: DECODER_BYTES });
        decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
        let (width, height) = decoder.read_header_info().ok()?.size();
        if [width, height].iter().any(|side| !(1..=MAX_PIXELS).contains(side)) {
            return None;
        }
        let mut reader = decoder.read_info().ok()?;
        check_palette(reader.info()).ok()?;
        let mut samples = vec![0; reader.output_buffer_size()?];
        let kind = reader.output_color_type().0;
        reader.next_frame(&mut samples).ok()?;
        Some((samples, kind, width as usize, height as usize))
    };
    let (samples, kind, width, height) = decode().ok_or(())?;
    let (mut sum, mut weight) = ([0_u64; 3], 0_u64);
    for row in samples.chunks_exact(width * kind.samples()) {
        for pixel in row.chunks_exact(kind.samples()).take(height) {
            let (rgb, alpha) = match (kind, pixel) {
                (ColorType::Rgba, [r, g, b, alpha]) => ([*r, *g, *b], *alpha),
                (ColorType::GrayscaleAlpha, [gray, alpha]) => ([*gray; 3], *alpha),
                _ => return Err(()),
            };
            weight += u64::from(alpha);
            sum.iter_mut().zip(rgb).for_each(|(sum, part)| *sum += u64::from(part) * u64::from(alpha));
        }
    }
    let mean = |sum: u64| u8::try_from((sum + weight / 2) / weight.max(1)).unwrap_or(u8::MAX);
    Ok((weight > 0).then(|| Rgb::new(mean(sum[0]), mean(sum[1]), mean(sum[2]))))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::document::{Document, GameProfile, OptionValue, Options, Progress};
    use crate::format::ss14::{RESOURCES, Ss14, TILE_COLORS, TILE_NAMES};
    use crate::format::{FolderEntry, MapFormat as _};
    use crate::geom::Region;
    use crate::voxel::{Store, StoreEdit, Voxel};

    /// Files by path.
    #[derive(Default)]
    struct Files(BTreeMap<&'static str, Vec<u8>>);

    impl Folder for Files {
        fn list(&self, path: &str) -> io::Result<Vec<FolderEntry>> {
            let inside = |file: &&str| file.strip_prefix(path).and_then(|rest| rest.strip_prefix('/')).map(str::to_owned);
            let mut entries: Vec<FolderEntry> = vec![];
            for rest in self.0.keys().filter_map(inside) {
                let (name, is_folder) = rest.split_once('/').map_or((rest.as_str(), false), |(name, _)| (name, true));
                if entries.iter().all(|entry| entry.name != name) {
                    entries.push(FolderEntry { name: name.into(), is_folder });
                }
            }
            if entries.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(entries) }
        }

        fn read(&self, path: &str) -> io::Result<Arc<[u8]>> {
            self.0.get(path).map(|bytes| bytes.as_slice().into()).ok_or_else(|| io::ErrorKind::NotFound.into())
        }
    }

    /// A strip of squares of a side of 2, each of one color.
    fn strip(kind: ColorType, squares: &[&[u8]]) -> Vec<u8> {
        let mut bytes = vec![];
        let mut encoder = png::Encoder::new(&mut bytes, 2 * squares.len() as u32, 2);
        encoder.set_color(kind);
        encoder.set_depth(png::BitDepth::Eight);
        let row: Vec<u8> = squares.iter().flat_map(|color| color.repeat(2)).collect();
        encoder.write_header().unwrap().write_image_data(&row.repeat(2)).unwrap();
        bytes
    }

    fn resources() -> Files {
        let tiles = "- type: tile\n  id: Plating\n  sprite: /Textures/Tiles/plating.png\n  variants: 2\n\
                     - type: tile\n  id: PlatingWorn\n  parent: Plating\n  weather: true\n\
                     - type: tile\n  abstract: true\n  id: Base\n  allowedTools: !type:Odd [ Prying ]\n\
                     - type: tile\n  id: Space\n  sprite: Tiles/plating.png\n\
                     - type: entity\n  id: Wall\n\
                     - type: tileAlias\n  id: OldPlating\n  target: OlderPlating\n- type: tileAlias\n  id: OlderPlating\n  target: Plating\n\
                     - type: tileAlias\n  id: Dead\n  target: Gone\n- type: tileAlias\n  id: Round\n  target: Round\n";
        let floors = "- type: tile\n  id: FloorGlass\n  parent: [ Base, Other ]\n- type: tile\n  id: Other\n  sprite: Tiles/glass.png\n\
                      - type: tile\n  id: Lost\n  sprite: /Textures/Tiles/lost.png\n- type: tile\n  id: Loop\n  parent: Loop\n";
        Files(BTreeMap::from([
            ("Prototypes/Tiles/plating.yml", tiles.as_bytes().to_vec()),
            ("Prototypes/Tiles/Planet/floors.yml", format!("\u{feff}{floors}").into_bytes()),
            ("Prototypes/Tiles/readme.txt", b"- not read".to_vec()),
            ("Prototypes/_Fork/Tiles/own.yml", b"- type: tile\n  id: FloorFork\n".to_vec()),
            ("Prototypes/_Fork/Walls/own.yml", b"- type: tile\n  id: NotLookedAt\n".to_vec()),
            ("Textures/Tiles/plating.png", strip(ColorType::Rgb, &[&[10, 20, 30], &[200, 0, 0]])),
            // Half of what is seen is transparent and does not count.
            ("Textures/Tiles/glass.png", strip(ColorType::Rgba, &[&[90, 80, 70, 128]])),
        ]))
    }

    #[test]
    fn a_tile_has_the_color_of_its_first_picture() {
        let mut report = Report::new();
        let tiles = tiles(&resources(), &mut report).unwrap();
        assert_eq!(tiles.colors, "FloorGlass #5a5046\nOther #5a5046\nPlating #0a141e\nPlatingWorn #0a141e");
        let told: Vec<_> = report.warnings.iter().map(|warning| (warning.severity, warning.count)).collect();
        assert_eq!(told, [(Severity::Info, 4), (Severity::Info, 1)], "{report:?}");
        // What is abstract is no tile, and an old name counts where it leads to one.
        let names: Vec<&str> = tiles.names.lines().collect();
        let expected =
            ["FloorFork", "FloorGlass", "Loop", "Lost", "Other", "Plating", "PlatingWorn", "Space", "OldPlating", "OlderPlating"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_folder_of_something_else_is_refused_and_a_damaged_file_left_out() {
        let check = |files: &Files| tiles(files, &mut Report::new()).map_err(|error| error.to_string());
        assert!(check(&Files::default()).unwrap_err().contains("Resources folder"));
        let mut files = resources();
        files.0.remove("Textures/Tiles/plating.png");
        files.0.insert("Textures/Tiles/glass.png", b"no picture".to_vec());
        assert!(check(&files).unwrap_err().contains("Resources folder"), "no texture at all");
        let mut files = resources();
        files.0.insert("Prototypes/Tiles/bad.yml", b"- type: [".to_vec());
        let mut report = Report::new();
        assert!(tiles(&files, &mut report).is_ok());
        assert!(report.warnings.iter().any(|warning| warning.severity == Severity::Problem && warning.message.contains("bad.yml")));
    }

    #[test]
    fn the_folder_becomes_a_table_and_an_own_table_wins() {
        let text = |text: &str| OptionValue::Text(text.into());
        let mut options = Options::from([(RESOURCES.into(), text("somewhere")), (TILE_COLORS.into(), text("Plating #ffffff"))]);
        Ss14.read_folder(RESOURCES, &resources(), &mut options, &mut Report::new()).unwrap();
        let Some(OptionValue::Text(table)) = options.get(TILE_COLORS) else { panic!("a table") };
        assert!(
            options.contains_key(TILE_NAMES)
                && !options.contains_key(RESOURCES)
                && table.contains("\nPlating #0a141e\n")
                && table.ends_with("\nPlating #ffffff")
        );
        let map = super::super::tests::map(7);
        let (document, _) = super::super::tests::read_with(map.as_bytes(), &options).unwrap();
        assert_eq!(document.palette.color_of("Plating"), Some(Rgb::new(255, 255, 255)));
        assert_eq!(document.palette.color_of("FloorGlass"), Some(Rgb::new(0x5a, 0x50, 0x46)));
    }

    #[test]
    fn tiles_that_the_folder_lacks_are_told_and_none_of_them_is_written_anew() {
        let mut options = Options::from([(RESOURCES.into(), OptionValue::Text("somewhere".into()))]);
        Ss14.read_folder(RESOURCES, &resources(), &mut options, &mut Report::new()).unwrap();
        let map = super::super::tests::map(7);
        let told = |report: &Report, code: &str| {
            report.warnings.iter().find(|warning| warning.code == code).map(|warning| (warning.severity, warning.sentence()))
        };
        let (document, report) = super::super::tests::read_with(map.as_bytes(), &options).unwrap();
        let sentence = "2 tiles are not in the Resources folder: FloorSteel, MyOwnTile. A game with these resources refuses the map: \
                        paint over them, or choose the folder of the fork that the map is for";
        assert_eq!(told(&report, "tiles-not-in-fork"), Some((Severity::Problem, sentence.into())));
        assert_eq!(told(&report, "unknown-tiles"), None, "the folder decides, not the built-in list");
        // Saving it and writing its floor anew say so, too.
        for style in ["", "grid"] {
            let options = Options::from([(crate::format::ss14::STYLE.into(), OptionValue::Text(style.into()))]);
            assert!(told(&Ss14.preflight(&document, &options), "tiles-not-in-fork").is_some(), "style {style}");
        }
        let (plain, report) = super::super::tests::read_with(map.as_bytes(), &Options::new()).unwrap();
        assert_eq!(told(&report, "tiles-not-in-fork"), None);
        assert_eq!(told(&Ss14.preflight(&plain, &Options::new()), "tiles-not-in-fork"), None);

        // A floor of another map takes tiles that the folder has.
        let mut store = Store::new(Region::of_size(glam::IVec3::new(2, 2, 2)));
        let mut edit = StoreEdit::new(&store);
        edit.set(glam::IVec3::ONE, Some(Voxel::new(plain.palette.color_of("FloorSteel").unwrap())));
        let changes = edit.finish();
        store.apply(&changes);
        let island = Document::new(store, &GameProfile::FREE);
        let mut text = vec![];
        Ss14.write(&island, &mut text, &options, &Progress::new(), &mut Report::new()).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains("FloorSteel") && text.contains("\n  1: Other\n"), "{text}");
    }
}
