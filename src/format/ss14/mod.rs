//! The map of Space Station 14: YAML with grids of tiles and entities.
//!
//! Formats 2 to 7 are kept byte for byte: `scanner`, `index`, `entities` (with `standard` for the usual shape)
//! and `chunk_list` find what stands where, `wellformed` looks whether the rest is YAML, `chunk` decodes tiles, `loaded` brings it together, `decode` makes a document of it, and `plan`,
//! `plan_entities` and `rewrite` splice in what was edited, and `left_behind` tells what stays where the floor went. `legacy` shows older and unusual files; `export` writes
//! a level of any other map.
//!
//! A grid is a volume one voxel thick. North is up there and down here: the voxel of a tile is
//! `(x, -1 - y, 0)`. A colour stands for a tile (`colors`, [`Document::palette`]); walls and all else are
//! entities, told as markers in voxels of the grid that they stand on.

mod choose;
mod chunk;
mod chunk_list;
mod colors;
mod decode;
mod entities;
mod export;
mod index;
mod known;
mod left_behind;
mod legacy;
mod loaded;
mod only_here;
mod overhang;
mod plan;
mod plan_entities;
mod resources;
mod rewrite;
mod role;
mod scanner;
mod splice;
mod standard;
#[cfg(test)]
pub(crate) mod tests;
mod tile_order;
mod verify;
mod wellformed;

use std::io::Write;
use std::sync::Arc;

use self::colors::Colors;
use self::export::{Export, Style};
use self::index::{Index, ONCE_CHUNK, ONCE_ID, ONCE_SECTION, Odd};
use self::loaded::Loaded;
use self::scanner::line_number;
use super::{Certainty, DOES_NOT_FIT, Folder, FormatError, MapFormat, OptionKind, OptionSpec, READ_ONLY, Report, Severity, Source};
use crate::document::{Document, GameProfile, OptionValue, Options, Progress, Snapshot, SourceFile, VIEW, Volume, grouped, some};

/// Stable id of the format.
const ID: &str = "ss14";

/// Formats that are taken apart and edited.
const FORMATS: std::ops::RangeInclusive<u32> = 2..=7;

/// Longest file that is read; stations have some 4 MB.
const MAX_BYTES: u64 = 512 << 20;
/// Bytes looked at to recognise a map: its `meta` is the first section.
const PROBE_BYTES: usize = 1 << 12;
/// As many where the first ones say nothing but comments.
const MOST_PROBE_BYTES: usize = 1 << 18;

const SLICE: &str = "slice";
const STYLE: &str = "style";
const NAME: &str = "name";
const TILE_ORDER: &str = "tile-order";
const TILE_COLORS: &str = "tile-colors";
const RESOURCES: &str = "resources";
/// Names of the tiles of the Resources folder, a line each: what [`RESOURCES`] becomes, and nobody types.
const TILE_NAMES: &str = "tile-names";
/// What such a file has where the index would go wrong.
const DEEPER: &str = "quoted texts and brackets that are deeper than their key";
const GRID: &str = "grid";

/// Space Station 14 maps.
///
/// ```
/// use spadework::document::{Options, Progress};
/// use spadework::format::{MapFormat as _, MemorySource, Report};
/// use spadework::format::ss14::Ss14;
///
/// // One chunk of a side of 1, with one tile.
/// let map = b"meta:\n  format: 2\ntilemap:\n  0: Space\n  1: Plating\ngrids:\n- settings:\n    chunksize: 1\n  chunks:\n  - ind: \"3,4\"\n    tiles: AQAAAA==\n";
/// let (options, progress, mut report) = (Options::new(), Progress::new(), Report::new());
/// let document = Ss14.read(&MemorySource(map[..].into()), &options, &progress, &mut report)?;
/// let tile = document.store().voxel([3, -5, 0].into()).and_then(|voxel| voxel.rgb());
/// assert_eq!(tile.and_then(|color| document.palette.name_of(color)), Some("Plating"));
///
/// let mut saved = vec![];
/// Ss14.write(&document, &mut saved, &options, &progress, &mut report)?;
/// assert_eq!(saved, map);
/// # Ok::<(), spadework::format::FormatError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ss14;

impl MapFormat for Ss14 {
    fn id(&self) -> &'static str {
        ID
    }

    fn label(&self) -> &'static str {
        "Space Station 14 map"
    }

    /// The file is kept with the places of its lines, tiles and entities, and read once more as text: 3.2 times its bytes
    /// were measured for a station of 2.5 MB.
    fn memory_needed(&self, size_bytes: u64) -> u64 {
        size_bytes.saturating_mul(4)
    }

    fn max_bytes(&self) -> u64 {
        MAX_BYTES
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["yml", "yaml"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[
            OptionSpec {
                name: SLICE,
                help: "Level of another map to write as a grid, by its z; -1 is the ground just above the water",
                kind: OptionKind::Int { min: -1, max: 65535, default: -1 },
            },
            OptionSpec {
                name: STYLE,
                help: "Write one level anew as grid or blueprint; without it a station stays as it was, and other maps become a grid",
                kind: OptionKind::Choice {
                    choices: &[("", "As it was, else a grid"), ("grid", "Grid (format 7)"), ("blueprint", "Blueprint (format 2)")],
                },
            },
            OptionSpec { name: NAME, help: "Name of a grid that is written anew", kind: OptionKind::Text { default: "" } },
            OptionSpec {
                name: TILE_ORDER,
                help: "Order of tiles in files before May 2019: rows or columns; empty finds out",
                kind: OptionKind::Choice { choices: &[("", "Find out"), ("rows", "Rows"), ("columns", "Columns")] },
            },
            OptionSpec {
                name: TILE_COLORS,
                help: "Colors of tiles in place of the built-in ones, such as FloorSteel=#808080;Plating=#404040",
                kind: OptionKind::Text { default: "" },
            },
            OptionSpec {
                name: RESOURCES,
                help: "Resources folder of a Space Station 14 checkout: tiles get the color of their texture there, and those that it lacks are told",
                kind: OptionKind::Folder,
            },
            OptionSpec {
                name: GRID,
                help: "Grid to look at, edit and export first, by its name or uid; empty is the first one with a floor",
                kind: OptionKind::Text { default: "" },
            },
        ]
    }

    fn asked_when_saving(&self, snapshot: &Snapshot) -> &'static [&'static str] {
        match snapshot.source.as_ref().filter(|source| source.format == ID) {
            None => &[SLICE, STYLE],
            Some(source) if source.options.contains_key(VIEW) => &[STYLE],
            // A station stays as it is.
            Some(_) => &[],
        }
    }

    fn read_folder(&self, name: &str, folder: &dyn Folder, options: &mut Options, report: &mut Report) -> Result<(), FormatError> {
        let tiles = resources::tiles(folder, report)?;
        let mut table = tiles.colors;
        options.remove(name);
        options.insert(TILE_NAMES.into(), OptionValue::Text(tiles.names));
        // Later lines win.
        if let Some(OptionValue::Text(own)) = options.get(TILE_COLORS) {
            table = format!("{table}\n{own}");
        }
        options.insert(TILE_COLORS.into(), OptionValue::Text(table));
        Ok(())
    }

    fn probe(&self, source: &dyn Source) -> Certainty {
        let Ok(head) = source.head(PROBE_BYTES) else { return Certainty::No };
        // Somebody may have written much about the map before it begins.
        // The last line may be cut.
        let whole = head.iter().rposition(|byte| *byte == b'\n').and_then(|at| head.get(..at)).unwrap_or_default();
        let says_little = (head.len() as u64) < source.len() && lines_of(whole).nth(1).is_none();
        let head = if says_little { source.head(MOST_PROBE_BYTES).unwrap_or(head) } else { head };
        probe(&head)
    }

    fn read(&self, source: &dyn Source, options: &Options, progress: &Progress, report: &mut Report) -> Result<Document, FormatError> {
        if source.len() > MAX_BYTES {
            return Err(FormatError::FileTooLarge { length: source.len(), most: MAX_BYTES });
        }
        let own = |name: &str| name == TILE_NAMES || self.options().iter().any(|option| option.name == name);
        let mut options: Options =
            options.iter().filter(|(name, _)| own(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
        let bytes = source.bytes()?;
        let mut opened = Opened::new(&bytes, &options, progress)?;
        if let Some(at) = opened.check(&bytes)? {
            options.insert(VIEW.into(), OptionValue::Bool(true));
            opened = Opened::new(&bytes, &options, progress)?;
            opened.odd = Some((line_number(&bytes, at), DEEPER));
        }
        if opened.is_view {
            options.insert(VIEW.into(), OptionValue::Bool(true));
        }
        progress.report(0.5)?;
        opened.tell(&bytes, &options, report);
        // Edits of what stands on the tiles must not turn the map around.
        if opened.loaded.is_order_guessed {
            options.insert(TILE_ORDER.into(), OptionValue::Text(opened.loaded.order.id().into()));
        }
        let (needed, allowed) = (decode::memory_needed(&opened.loaded), source.memory_limit());
        if needed > allowed {
            return Err(FormatError::TooLarge { needed, allowed });
        }
        let mut document = decode::document(&opened.loaded);
        let last_entity = document.objects.iter().map(|(id, _)| id).last();
        if let Some(grid) = wanted_grid(&document, &options)? {
            document.set_active(grid);
        }
        document.source = Some(Arc::new(SourceFile { format: ID, options, bytes, tells_kinds: false, last_entity }));
        Ok(document)
    }

    fn profile(&self) -> Option<&'static GameProfile> {
        Some(&GameProfile::SPACE_STATION_14)
    }

    fn tell_only_here(&self, source: &SourceFile, report: &mut Report) {
        // The file was opened before; what fails now fails where it is needed.
        let Ok(opened) = Opened::new(&source.bytes, &source.options, &Progress::new()) else { return };
        only_here::tell_tiles(&opened.loaded, report);
        let bytes = opened.text_of(source);
        only_here::tell_components(&opened.loaded, bytes, report);
        only_here::tell_surroundings(&opened.loaded, bytes, report);
    }

    fn preflight(&self, snapshot: &Snapshot, options: &Options) -> Report {
        let mut report = Report::new();
        // What stops it comes again from `write`, as an error.
        if let Err(error) = self.write(snapshot, &mut std::io::sink(), options, &Progress::new(), &mut report) {
            report.push(Severity::Problem, DOES_NOT_FIT, error.to_string());
        }
        report
    }

    fn write(
        &self,
        snapshot: &Snapshot,
        sink: &mut dyn Write,
        options: &Options,
        progress: &Progress,
        report: &mut Report,
    ) -> Result<(), FormatError> {
        let source = match Job::of(snapshot, options)? {
            Job::Export(style) => {
                let export = export(snapshot, style, options, progress)?;
                sink.write_all(export.text().as_bytes())?;
                report.extend(export.report);
                return Ok(());
            }
            Job::Splice(source) => source,
        };
        let opened = Opened::new(&source.bytes, &source.options, progress)?;
        if opened.is_view {
            opened.check_unedited(snapshot)?;
            sink.write_all(&source.bytes)?;
            return Ok(());
        }
        let plan = plan::plan(snapshot, &source.bytes, &opened.loaded)?;
        progress.check()?;
        if opened.loaded.is_order_unsaid {
            let mut written = vec![];
            plan.splices.write(&source.bytes, &mut written)?;
            sink.write_all(&written)?;
            opened.tell_turned(&written, &source.options, progress, report)?;
        } else {
            plan.splices.write(&source.bytes, sink)?;
        }
        report.extend(plan.report);
        known::tell_foreign(opened.loaded.names.named(), &source.options, report);
        Ok(())
    }

    fn verify(&self, snapshot: &Snapshot, written: &dyn Source, options: &Options, progress: &Progress) -> Result<(), FormatError> {
        let bytes = written.bytes()?;
        match Job::of(snapshot, options)? {
            Job::Export(style) => {
                let export = export(snapshot, style, options, progress)?;
                let written = Opened::new(&bytes, &Options::new(), progress)?;
                check_written(&written, &bytes, snapshot)?;
                let offset = snapshot.active_volume().offset;
                verify::compare_grid(&export.meant(), &written.loaded, offset)
            }
            Job::Splice(source) => {
                let before = Opened::new(&source.bytes, &source.options, progress)?;
                if before.is_view {
                    let differs = FormatError::Differs { at: snapshot.bounds().min(), what: "the file" };
                    return if bytes == source.bytes { Ok(()) } else { Err(differs) };
                }
                let written = Opened::new(&bytes, &source.options, progress)?;
                check_written(&written, &bytes, snapshot)?;
                verify::compare(snapshot, &before.loaded, &written.loaded)
            }
        }
    }
}

/// What is written has no line that the index takes for something else.
fn check_written(written: &Opened, bytes: &[u8], snapshot: &Snapshot) -> Result<(), FormatError> {
    let differs = FormatError::Differs { at: snapshot.bounds().min(), what: "a text of several lines" };
    if written.check(bytes)?.is_some() { Err(differs) } else { Ok(()) }
}

/// A file that ends early is plain YAML all the same wherever a line ends.
fn tell_cut(index: &Index, bytes: &[u8], report: &mut Report) {
    let (there, said) = (index.entities.len() as u64, index.entity_count.as_ref().map(|count| count.value));
    if index.entities_end.is_none() && index.no_entities.is_none() {
        report.push(Severity::Problem, "cut-off", "the file has no section entities: it was cut off, or the game refuses it");
    } else if let Some(said) = said.filter(|said| *said != there) {
        let message = format!(
            "the file says that it has {}, and {} there: it was cut off, or changed by hand",
            some(said, "entity", "entities"),
            if there == 1 { "one is".to_owned() } else { format!("{} are", grouped(there)) }
        );
        report.push(Severity::Problem, "cut-off", message);
    } else if said.is_none() && !bytes.trim_ascii_end().ends_with(b"...") {
        report.push(
            Severity::Guess,
            "cut-off",
            "the file does not end with ... as most do: it is taken for whole, but may have been cut off",
        );
    }
}

/// What stands twice where the game looks for one.
fn tell_doubled(index: &Index, bytes: &[u8], report: &mut Report) {
    let line = |at: usize| 1 + memchr::memchr_iter(b'\n', bytes.get(..at).unwrap_or_default()).count();
    let mut told = |first: Option<usize>, count: usize, one: String, many: &str| {
        let Some(at) = first else { return };
        let message = if count == 1 { one } else { format!("{count} {many}, the first one here") };
        report.push_line(Severity::Problem, "stands-twice", format!("{message}; the game may refuse the map"), line(at));
    };
    let uids = index.doubled_uids();
    let first = uids.first();
    let one = first.map_or_else(String::new, |entity| format!("another entity has the uid {}, too", entity.uid));
    told(first.map(|entity| entity.start as usize), uids.len(), one, "entities have a uid that an earlier one has, too");
    let one = "a key stands twice in meta, and the later one counts here".to_owned();
    told(index.meta_doubled.first().copied(), index.meta_doubled.len(), one, "keys of meta stand there a second time");
    let one = "a key stands twice in an entity".to_owned();
    told(index.doubled.first().copied(), index.doubled.len(), one, "keys of entities stand there a second time");
}

/// The grid that the options name, by uid or name.
fn wanted_grid(document: &Document, options: &Options) -> Result<Option<usize>, FormatError> {
    let wanted = match options.get(GRID) {
        None => return Ok(None),
        Some(OptionValue::Text(text)) if text.is_empty() => return Ok(None),
        Some(OptionValue::Text(text)) => text.clone(),
        Some(other) => return Err(FormatError::BadOption { name: GRID, value: format!("{other:?}") }),
    };
    let uid: Option<u32> = wanted.parse().ok();
    let find = |fits: &dyn Fn(&Volume) -> bool| document.volumes().iter().position(fits);
    let found = find(&|volume| uid.is_some() && volume.uid == uid).or_else(|| find(&|volume| *volume.name == *wanted));
    found.map(Some).ok_or_else(|| FormatError::NoSuchGrid { found: wanted, grids: grids_text(document) })
}

/// Which grids a map has, as a sentence.
fn grids_text(document: &Document) -> String {
    const SHOWN: usize = 12;
    let volumes = document.volumes();
    let one = |volume: &Volume| match volume.uid {
        Some(uid) if volume.name.is_empty() => uid.to_string(),
        Some(uid) => format!("{uid} ({})", volume.name),
        None => volume.name.to_string(),
    };
    let named: Vec<_> = volumes.iter().take(SHOWN).map(one).collect();
    let more = volumes.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("the grids of this map are {}{rest}", named.join(", "))
}

/// The lines of a file's beginning that say something, without their breaks.
fn lines_of(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let lines = head.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    // What stands behind the mark of a document belongs to it.
    let is_mark = |rest: &&[u8]| rest.first().is_none_or(u8::is_ascii_whitespace);
    let lines = lines.map(move |line| line.strip_prefix(b"---").filter(is_mark).map_or(line, <[u8]>::trim_ascii));
    lines.filter(|line| !matches!(line.trim_ascii_start().first(), None | Some(b'#')))
}

/// The name of a key that a line begins with, without quotes, and what stands behind its colon.
fn top_key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let (name, value) = (line.get(..colon)?.trim_ascii_end(), line.get(colon + 1..)?);
    let quoted = |quote: u8| name.strip_prefix(&[quote])?.strip_suffix(&[quote]);
    Some((quoted(b'"').or_else(|| quoted(b'\'')).unwrap_or(name), value))
}

/// What a file begins with: `meta:` with a `format:`, or the list of 2018.
fn probe(head: &[u8]) -> Certainty {
    let mut in_meta = false;
    for line in lines_of(head).take(64) {
        let text = line.trim_ascii_start();
        let is_top = text.len() == line.len();
        if is_top && line.starts_with(b"- ") && (line.ends_with(b" grid:") || line == b"- grid:") {
            return Certainty::Sure;
        }
        if in_meta && !is_top && text.starts_with(b"format:") {
            return Certainty::Sure;
        }
        let key = if is_top { top_key(line) } else { None };
        if matches!(key, Some((b"meta", value)) if value.trim_ascii().is_empty()) {
            in_meta = true;
        } else if is_top {
            // Flow style, or YAML of another kind: `name.spadework.yaml` lies beside maps.
            let is_known = matches!(key, Some((b"meta" | b"entities" | b"tilemap" | b"grids" | b"maps", _)));
            return if is_known || line.starts_with(b"{") || line.starts_with(b"%YAML") { Certainty::Possible } else { Certainty::No };
        }
    }
    if in_meta { Certainty::Possible } else { Certainty::No }
}

/// What saving is to do.
enum Job<'a> {
    /// Change the file that the map came from.
    Splice(&'a SourceFile),
    /// Write a level anew.
    Export(Style),
}

impl<'a> Job<'a> {
    fn of(snapshot: &'a Snapshot, options: &Options) -> Result<Self, FormatError> {
        let source = snapshot.source.as_deref().filter(|source| source.format == ID);
        Ok(match (export::style(options)?, source) {
            (Some(style), _) => Self::Export(style),
            (None, Some(source)) => Self::Splice(source),
            (None, None) => Self::Export(Style::Grid),
        })
    }
}

/// Tiles of the file that the map came from keep their names; those of others get the nearest.
fn export(snapshot: &Snapshot, style: Style, options: &Options, progress: &Progress) -> Result<Export, FormatError> {
    let source = snapshot.source.as_deref().filter(|source| source.format == ID);
    let Some(source) = source else {
        let mut export = Export::new(snapshot, &Colors::new([], options)?, None, style, options)?;
        known::tell_foreign(export.names().iter().map(|name| &**name), options, &mut export.report);
        return Ok(export);
    };
    let opened = Opened::new(&source.bytes, &source.options, progress)?;
    let loaded = &opened.loaded;
    // Numbers without a name mean nothing in another file: they become the nearest tile.
    let colors = Colors::new(loaded.names.list.iter().take(loaded.names.named).map(|(_, name)| name), &source.options)?;
    let mut export = Export::new(snapshot, &colors, Some(loaded), style, options)?;
    only_here::tell_surroundings(loaded, opened.text_of(source), &mut export.report);
    known::tell_foreign(export.names().iter().map(|name| &**name), &source.options, &mut export.report);
    Ok(export)
}

/// A file, taken apart as well as it goes.
struct Opened {
    loaded: Loaded,
    /// Whether it can only be looked at.
    is_view: bool,
    /// The number of the file's format, if it names one.
    format: Option<u32>,
    /// Where the layout was not understood, and what should have stood there.
    odd: Option<(usize, &'static str)>,
}

impl Opened {
    fn new(bytes: &[u8], options: &Options, progress: &Progress) -> Result<Self, FormatError> {
        // What the library cannot show is shown as the index has it.
        let is_marked = options.contains_key(VIEW);
        if is_marked && let Some((loaded, format)) = Self::as_view(bytes, options, progress) {
            return Ok(Self { loaded, is_view: true, format, odd: None });
        }
        let odd = match Index::of(bytes) {
            Ok(index) if FORMATS.contains(&index.format) => match Loaded::new(bytes, index, options, progress) {
                // Tiles with a comment or an anchor are YAML all the same.
                Err(FormatError::Syntax { line, column, expected }) => match Self::as_view(bytes, options, progress) {
                    Some((loaded, format)) => return Ok(Self { loaded, is_view: true, format, odd: Some((line, expected)) }),
                    None => return Err(FormatError::Syntax { line, column, expected }),
                },
                loaded => {
                    let loaded = loaded?;
                    let format = Some(loaded.index.format);
                    return Ok(Self { loaded, is_view: is_marked, format, odd: None });
                }
            },
            Ok(_) => None,
            Err(odd) => Some(odd),
        };
        progress.check()?;
        let at_odd = |odd: Odd| {
            let before = bytes.get(..odd.at).unwrap_or(bytes);
            let column = odd.at - memchr::memrchr(b'\n', before).map_or(0, |at| at + 1) + 1;
            FormatError::Syntax { line: line_number(bytes, odd.at), column, expected: odd.expected }
        };
        // Where it is plain YAML but no map, what the scanner missed says more.
        let no_map = |what| odd.map_or(FormatError::Unsupported { what }, at_odd);
        let view = match legacy::view(bytes) {
            Ok(view) => view,
            Err(FormatError::Unsupported { what }) => return Err(no_map(what)),
            Err(error) => return Err(error),
        };
        let index = Index::of(view.text.as_bytes()).map_err(|_| no_map("a map of this layout"))?;
        let loaded = Loaded::new(view.text.as_bytes(), index, options, progress).map_err(|error| match error {
            // Its line would be one of the view.
            FormatError::Syntax { .. } => no_map("a chunk of tiles of this layout"),
            error => error,
        })?;
        Ok(Self { loaded, is_view: true, format: view.format, odd: odd.map(|odd| (line_number(bytes, odd.at), odd.expected)) })
    }

    /// Fails where the file is no YAML: the index passes over what does not matter to it. Answers where a line stands that the
    /// index took for something else.
    fn check(&self, bytes: &[u8]) -> Result<Option<usize>, FormatError> {
        if self.is_view { Ok(None) } else { wellformed::check(bytes, &self.loaded.index.wellformed) }
    }

    /// The bytes that the index counts in, if those are the file's.
    fn text_of<'a>(&self, source: &'a SourceFile) -> Option<&'a [u8]> {
        (!self.is_view).then_some(&source.bytes)
    }

    /// The file through the library, if that understands it.
    fn as_view(bytes: &[u8], options: &Options, progress: &Progress) -> Option<(Loaded, Option<u32>)> {
        let view = legacy::view(bytes).ok()?;
        let text = view.text.as_bytes();
        Some((Loaded::new(text, Index::of(text).ok()?, options, progress).ok()?, view.format))
    }

    /// What the file left open, and what the mapper should know.
    fn tell(&self, bytes: &[u8], options: &Options, report: &mut Report) {
        let Loaded { index, names, .. } = &self.loaded;
        if !self.is_view {
            tell_doubled(index, bytes, report);
            tell_cut(index, bytes, report);
        }
        if self.is_view {
            let limits = "it can be looked at and exported, but saved only as it is";
            match self.odd {
                Some((line, ONCE_ID | ONCE_CHUNK | ONCE_SECTION)) => {
                    let counts = if self.odd.is_some_and(|(_, what)| what == ONCE_SECTION) { "first" } else { "last" };
                    let message = format!(
                        "a section, the number of a tile or a chunk stands there a second time, and the game may refuse the map; the {counts} one \
                         is shown. It can be looked at and exported, but saved only as it is: take one of them out with a text editor"
                    );
                    report.push_line(Severity::Problem, READ_ONLY, message, line);
                }
                Some((line, expected)) => {
                    let message = format!("the layout there is old or unusual, {expected} was expected: {limits}");
                    report.push_line(Severity::Problem, READ_ONLY, message, line);
                }
                None => {
                    let (first, last) = (FORMATS.start(), FORMATS.end());
                    let what = match self.format {
                        Some(format) if format > *last => {
                            format!("the file is of format {format}, newer than {first} to {last}, which Spadework edits")
                        }
                        Some(format) if format < *first => {
                            format!("the file is of format {format}, older than {first} to {last}, which Spadework edits")
                        }
                        _ => "the file has an old or unusual layout".to_owned(),
                    };
                    report.push(Severity::Problem, READ_ONLY, format!("{what}: {limits}"));
                }
            }
        }
        if self.loaded.is_order_guessed {
            let order = self.loaded.order.id();
            let message = format!(
                "the file is from 2018 or 2019 and does not say how its tiles are ordered; {order} fit its entities better, the option tile-order decides otherwise"
            );
            report.push(Severity::Guess, "tile-order", message);
        }
        let message = "tiles have a number that the file does not name; the game refuses such a map";
        if index.tilemap.is_some() {
            report.push_count(Severity::Problem, "unnamed-tiles", message, self.loaded.unnamed_tiles);
        } else {
            report.push(Severity::Info, "no-tilemap", "the file is older than tile names; its tiles are called by their numbers");
        }
        known::tell(names.named(), options, report);
        if index.post_map_init {
            let message = "the map was saved in the middle of a game (postmapinit is true)";
            report.push(Severity::Problem, "saved-mid-game", message);
        }
        if !index.has_post_map_init && self.format.is_some_and(|format| (2..=6).contains(&format)) {
            let message = "the file does not say postmapinit: the game takes the map for one that was saved in the middle of a game";
            report.push(Severity::Problem, "saved-mid-game", message);
        }
        let message = "entities were saved in the middle of a game (mapInit is true)";
        report.push_count(Severity::Info, "saved-mid-game", message, index.map_inits);
        self.tell_misplaced(bytes, report);
        let elsewhere = index.entities.iter().filter(|entity| only_here::stands_elsewhere(entity)).count();
        let message = "entities stand on no grid (in containers, or the map itself) and are not shown";
        report.push_count(Severity::Info, "entities-elsewhere", message, elsewhere as u64);
    }

    /// Entities and grids at no place: they cannot be shown where they are, and what is not shown is never changed.
    fn tell_misplaced(&self, bytes: &[u8], report: &mut Report) {
        let Some(first) = self.loaded.index.misplaced.first().filter(|_| !self.is_view) else { return };
        let value = bytes.get(*first..).and_then(|rest| rest.split(|byte| matches!(byte, b'\r' | b'\n')).next()).unwrap_or_default();
        let value: String = String::from_utf8_lossy(value).chars().take(40).collect();
        let count = self.loaded.index.misplaced.len() as u64;
        let message = format!(
            "entities have a position that is no place on a grid, such as {value} in line {}: kept as written, and only those of grids shown, \
             at the origin",
            line_number(bytes, *first)
        );
        report.push_count(Severity::Problem, "no-position", message, count);
    }

    /// A file that can only be looked at cannot be changed.
    fn check_unedited(&self, snapshot: &Snapshot) -> Result<(), FormatError> {
        let before = decode::document(&self.loaded);
        let (old, new) = (before.volumes(), snapshot.volumes());
        let is_same = old.len() == new.len()
            && old.iter().zip(new.iter()).all(|(old, new)| old.store.same_voxels(&new.store))
            && before.objects == snapshot.objects
            && before.metadata == snapshot.metadata;
        if is_same { Ok(()) } else { Err(FormatError::ReadOnlyLayout) }
    }
}
