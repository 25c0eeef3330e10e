//! The map of Ace of Spades (VXL, "AoS map format 1"): columns of spans, no header, no magic number.
//!
//! `column` knows spans, `decode` and `encode` whole files, `repair`, `resync`, `realign` and `faults` broken ones, `verify` what was
//! written;
//! `voxlap` imports that engine's own maps, which have the same extension.
//! A document keeps its file's bytes, and writing copies every column of it that still says the same, so
//! that a map that was only looked at is saved byte for byte. Bytes after the last column are kept as well.

mod column;
mod decode;
mod encode;
mod faults;
mod realign;
mod repair;
mod resync;
mod rows;
mod verify;
mod voxlap;

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::sync::Arc;

use self::decode::{Config, Size};
use super::{Certainty, DOES_NOT_FIT, FormatError, MapFormat, OptionKind, OptionSpec, Report, Severity, Source, Warning, losses};
use crate::document::{Document, GameProfile, OptionValue, Options, Progress, Snapshot, SourceFile, some};
use crate::voxel::{CHUNK_EDGE, Extra, VoxelKind};

/// Stable id of the format.
const ID: &str = "vxl";

/// Columns that must parse for a file to look like a map.
const PROBE_COLUMNS: usize = 1000;
/// Bytes that surely hold that many columns of an ordinary map.
const PROBE_BYTES: usize = 1 << 18;

/// Longest side that the option `size` takes.
const MAX_SIDE: usize = 4096;

/// Ace of Spades maps: any square number of columns of 64 voxels, 512×512 in the game.
///
/// ```
/// use spadework::document::{Options, Progress};
/// use spadework::format::{MapFormat as _, MemorySource, Report};
/// use spadework::format::vxl::Vxl;
///
/// // Four columns of water: one span each, whose top run is height 63.
/// let water = [0, 63, 63, 0, 0xd0, 0x90, 0x40, 0x80].repeat(4);
/// let (options, progress, mut report) = (Options::new(), Progress::new(), Report::new());
/// let map = Vxl.read(&MemorySource(water.clone().into()), &options, &progress, &mut report)?;
/// assert_eq!(map.bounds().size().to_array(), [2, 2, 64]);
/// assert_eq!(map.store().solid_count(), 4);
///
/// let mut saved = vec![];
/// Vxl.write(&map, &mut saved, &options, &progress, &mut report)?;
/// assert_eq!(saved, water);
/// # Ok::<(), spadework::format::FormatError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Vxl;

impl MapFormat for Vxl {
    fn id(&self) -> &'static str {
        ID
    }

    fn label(&self) -> &'static str {
        "Ace of Spades map"
    }

    /// The file is kept, and its colors and masks come to about as much again.
    fn memory_needed(&self, size_bytes: u64) -> u64 {
        size_bytes.saturating_mul(3)
    }

    fn max_bytes(&self) -> u64 {
        decode::MAX_BYTES
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["vxl"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[
            OptionSpec {
                name: "size",
                help: "Columns from west to east and north to south, such as 512x512, each 1 to 4096; empty finds out",
                kind: OptionKind::Text { default: "" },
            },
            OptionSpec {
                name: "lenient",
                help: "Mend broken columns as far as possible instead of refusing the file",
                kind: OptionKind::Bool { default: false },
            },
        ]
    }

    fn probe(&self, source: &dyn Source) -> Certainty {
        let Ok(head) = source.head(PROBE_BYTES) else { return Certainty::No };
        if head.starts_with(&voxlap::MAGIC) {
            // As a map of the game, its first span would end above its start.
            return Certainty::Sure;
        }
        let (mut columns, fault) = decode::count_columns(&head);
        let whole = head.len() as u64 == source.len();
        if columns == 0 {
            return if repair::is_followed(&head, 0) { Certainty::Possible } else { Certainty::No };
        }
        if columns < PROBE_COLUMNS && !whole && matches!(fault, Some(column::Fault::BadByte { .. })) {
            return Certainty::Possible;
        }
        let mut exact = fault.is_none();
        if !whole {
            let bytes = decode::check_length(source.len()).ok().and_then(|()| source.bytes().ok());
            let Some(bytes) = bytes else { return Certainty::Likely };
            let (all, fault) = decode::count_columns(&bytes);
            (columns, exact) = (all, fault.is_none());
        }
        if exact && columns >= 4 && Size::square_of(columns).is_some() {
            Certainty::Sure
        } else if columns >= PROBE_COLUMNS {
            Certainty::Likely
        } else {
            Certainty::Possible
        }
    }

    fn read(&self, source: &dyn Source, options: &Options, progress: &Progress, report: &mut Report) -> Result<Document, FormatError> {
        let config = Config { lenient: lenient(options)? };
        let size = wanted_size(options)?;
        decode::check_length(source.len())?;
        let bytes = source.bytes()?;
        if bytes.starts_with(&voxlap::MAGIC) {
            return voxlap::read(&bytes, progress, report);
        }
        let realigned = if config.lenient { realign::realigned(&bytes, size.unwrap_or(Size::GAME)) } else { None };
        let bytes = match realigned {
            Some(realign::Realigned { bytes, at }) => {
                let message =
                    format!("What follows byte {at} lay beside whole words, as where single bytes are lost or added: it was moved");
                report.push(Severity::Repair, "beside-words", message);
                bytes.into()
            }
            None => bytes,
        };
        let decoded = match size {
            Some(size) => decode::decode(&bytes, size, config, progress)?,
            None => decode::decode_any_size(&bytes, config, progress)?,
        };
        let message = "columns have no floor (z 63 is air): some programs cannot save such a map; Repair columns mends them";
        report.push_count(Severity::Problem, "no-floor", message, decoded.floorless);
        let message = "columns have ground that begins without a color: some programs read them as water; \
                       they are kept so, Repair columns mends them";
        report.push_count(Severity::Problem, "uncolored-tops", message, decoded.uncolored);
        let mut bytes = bytes;
        // Of a mended file, the rest is what nobody could read; after a map of another size than the game's, only
        // the option tells where the map ends. Kept, it would be in the way of opening the saved map strictly.
        if config.lenient && (decoded.size != Size::GAME || decoded.repairs.any()) {
            let rest = bytes.len() - decoded.end;
            // Zeros, with which disks fill up, read as columns, too.
            let is_filling = bytes.get(decoded.end..).is_some_and(|rest| rest.iter().all(|byte| *byte == 0));
            let more = as_columns(&bytes, decoded.end).filter(|_| !is_filling);
            let hint = more.as_ref().map_or_else(String::new, |columns| format!("; they read as {columns}, {MAY_STAND_BESIDE}"));
            let message =
                format!("bytes after the last column, from byte {}, are no part of a map of this size and are left out{hint}", decoded.end);
            // They may be columns of the map, in place of others that are none.
            let severity = if more.is_some() { Severity::Loss } else { Severity::Repair };
            report.push_count(severity, "dropped-rest", message, rest as u64);
            if rest > 0 {
                bytes = bytes.get(..decoded.end).unwrap_or_default().into();
            }
        }
        let trailing = bytes.len() - decoded.end;
        let hint = as_columns(&bytes, decoded.end).map_or_else(String::new, |columns| {
            let then = if config.lenient { MAY_STAND_BESIDE } else { "option lenient looks for these" };
            format!("; they read as {columns}, as after bytes that were damaged: {then}")
        });
        let message = format!("bytes after the last column, from byte {}, are kept as they are{hint}", decoded.end);
        report.push_count(Severity::Guess, "trailing-bytes", message, trailing as u64);
        let missing = decoded.repairs.missing();
        decoded.repairs.tell(report);
        if let Some(unsure) = decoded.unsure {
            let place = |column: usize| format!("{}, {}", column % decoded.size.width, column / decoded.size.width);
            let message = format!(
                "columns, from {} to {}, are perhaps not in their place: \
                 how many were lost among them, and where, could not be found out",
                place(unsure.start),
                place(unsure.end.saturating_sub(1))
            );
            report.push_count(Severity::Repair, "unsure-places", message, unsure.len() as u64);
        }
        tell_unusual_size(decoded.size, report);
        if size.is_none() && decoded.size != Size::GAME {
            // Nothing in a file says its size, and one that was cut after some columns of a larger map may be a
            // square by chance. Both are opened, as small maps are legal; nobody is to save one without knowing.
            let Size { width, height } = decoded.size;
            let larger = if width < Size::GAME.width { "; option size=512x512 (with lenient) reads it as what it was" } else { "" };
            let message = format!(
                "the size {width}×{height} was guessed from the number of columns: a larger map that was cut off can look the same{larger}"
            );
            report.push(Severity::Guess, "guessed-size", message);
        }
        if size.is_none() && decoded.size == Size::GAME && missing > 0 {
            // How many columns a broken map had, nothing tells.
            let message = "the size 512×512 was taken, as columns are missing: a smaller map needs option size=WxH";
            report.push(Severity::Guess, "guessed-size", message);
        }
        let mut document = Document::new(decoded.store, &GameProfile::ACE_OF_SPADES);
        let own = |name: &str| self.options().iter().any(|option| option.name == name);
        let mut options: Options =
            options.iter().filter(|(name, _)| own(name)).map(|(name, value)| (name.clone(), value.clone())).collect();
        // What was found out need not be found out again, and writing knows what its columns are copied from.
        options.insert("size".into(), OptionValue::Text(decoded.size.to_string()));
        document.source = Some(Arc::new(SourceFile { format: ID, options, bytes, tells_kinds: false, last_entity: None }));
        Ok(document)
    }

    fn can_mend(&self, source: &dyn Source) -> bool {
        !source.head(voxlap::MAGIC.len()).is_ok_and(|head| head == voxlap::MAGIC)
    }

    fn tell_only_here(&self, source: &SourceFile, report: &mut Report) {
        let size = wanted_size(&source.options).ok().flatten();
        let end = size.and_then(|size| decode::end_of(&source.bytes, size));
        let trailing = end.map_or(0, |end| source.bytes.len().saturating_sub(end));
        report.push_count(Severity::Loss, "trailing-bytes", "bytes after the last column, which only a VXL file keeps", trailing as u64);
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
        let size = encode::size_of(snapshot, saved_size(snapshot, options)?)?;
        tell_losses(snapshot, report);
        tell_unusual_size(size, report);
        encode::encode(snapshot, size, sink, progress, report)
    }

    fn verify(&self, snapshot: &Snapshot, written: &dyn Source, options: &Options, progress: &Progress) -> Result<(), FormatError> {
        let size = encode::size_of(snapshot, saved_size(snapshot, options)?)?;
        decode::check_length(written.len())?;
        verify::verify(snapshot, size, &written.bytes()?, progress)
    }
}

/// What columns mean that are too many.
const MAY_STAND_BESIDE: &str = "which those are could not be found out, so that columns may stand beside their places";

/// How many columns the bytes after the last one can be read as, if they are that throughout.
fn as_columns(bytes: &[u8], end: usize) -> Option<String> {
    let (more, fault) = decode::count_columns(bytes.get(end..).unwrap_or_default());
    (more > 0 && fault.is_none()).then(|| some(more as u64, "more column", "more columns"))
}

/// The size that a map is to have that need not be square: asked for now, or when it was read.
fn saved_size(snapshot: &Snapshot, options: &Options) -> Result<Option<Size>, FormatError> {
    let source = snapshot.source.as_ref().filter(|source| source.format == ID);
    Ok(match (wanted_size(options)?, source) {
        (None, Some(source)) => wanted_size(&source.options)?,
        (size, _) => size,
    })
}

fn wanted_size(options: &Options) -> Result<Option<Size>, FormatError> {
    let text = match options.get("size") {
        None => return Ok(None),
        Some(OptionValue::Text(text)) if text.trim().is_empty() => return Ok(None),
        Some(OptionValue::Text(text)) => text,
        Some(other) => return Err(FormatError::BadOption { name: "size", value: format!("{other:?}") }),
    };
    let side = |text: &str| text.trim().parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
    let size = text.split_once(['x', 'X', '×']).and_then(|(width, height)| Some(Size { width: side(width)?, height: side(height)? }));
    size.map(Some).ok_or_else(|| FormatError::BadOption { name: "size", value: text.clone() })
}

fn lenient(options: &Options) -> Result<bool, FormatError> {
    match options.get("lenient") {
        None => Ok(false),
        Some(OptionValue::Bool(lenient)) => Ok(*lenient),
        Some(other) => Err(FormatError::BadOption { name: "lenient", value: format!("{other:?}") }),
    }
}

fn tell_unusual_size(size: Size, report: &mut Report) {
    if size != Size::GAME {
        let message = format!("the game takes 512×512 columns only, this map has {}×{}", size.width, size.height);
        report.push(Severity::Problem, "unusual-size", message);
    }
}

/// Places that a loss names.
const TOLD_PLACES: usize = 64;

/// What the snapshot holds and a VXL cannot.
fn tell_losses(snapshot: &Snapshot, report: &mut Report) {
    let (mut light, mut indestructible, mut reserved, mut kind, mut places) = (0, 0, 0, 0, vec![]);
    let floor = snapshot.floor_z();
    let plain = Extra::default();
    // Nobody digs there in the game, whatever the file says: it is what the option protect-floor of a VMF writes.
    let is_protected = |z: i32, extra: Extra| extra.indestructible == 1 && floor.is_some_and(|floor| z >= floor - 1);
    let mut other_kind = |at| {
        kind += 1;
        if places.len() < TOLD_PLACES {
            places.push(at);
        }
    };
    for (pos, chunk) in snapshot.store().chunks().filter(|(_, chunk)| chunk.has_extras()) {
        for (column, &solid) in chunk.solid().iter().enumerate() {
            let heights = (0..CHUNK_EDGE as i32).filter(|z| solid >> z & 1 == 1);
            for (z, extra) in heights.zip(chunk.extras_of_column(column)) {
                light += u64::from(extra.light != plain.light);
                indestructible += u64::from(extra.indestructible != plain.indestructible && !is_protected(pos.origin().z + z, extra));
                reserved += u64::from(extra.reserved != plain.reserved);
                if extra.kind != plain.kind && floor != Some(pos.origin().z + z) {
                    other_kind(pos.origin() + glam::IVec3::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, z));
                }
            }
        }
    }
    // The floor is what the game's rule makes of it; a map whose file told no kinds has water there at most as a word.
    let is_told = snapshot.tells_kinds();
    let says_kinds = is_told || snapshot.store().chunks().any(|(_, chunk)| chunk.has_extras());
    let may_be = |held: VoxelKind, ruled: VoxelKind| held == ruled || !is_told && matches!(held, VoxelKind::Solid | VoxelKind::Water);
    // Most maps say nothing of kinds, and are not looked through.
    if says_kinds {
        snapshot.floor_voxels().filter(|(_, voxel, ruled)| !may_be(voxel.extra.kind, *ruled)).for_each(|(at, ..)| other_kind(at));
    }
    report.push_count(Severity::Loss, "light", "voxels give light, which a VXL map cannot hold", light);
    report.push_count(Severity::Loss, "indestructible", "voxels are indestructible, which a VXL map cannot hold", indestructible);
    report.push_count(Severity::Loss, "reserved", "voxels have reserved bytes, which a VXL map cannot hold", reserved);
    if kind > 0 {
        let message = "voxels are of a kind that a VXL map cannot hold: its floor is water under air, and all else is ground".into();
        report.warnings.push(Warning {
            severity: Severity::Loss,
            code: "voxel-kind",
            message,
            count: kind,
            positions: places,
            line: None,
            file: None,
        });
    }
    losses::volumes(snapshot, report);
}
