//! The header of a VMF file: 91 bytes, packed, little endian; and how its fields map to a document.
//!
//! Fields are held as their bytes, so that one whose meaning was not edited goes out as it came in.
//!
//! ```text
//!  0      32      64 65  69  73 75                91              107
//!  | name | author |m| X | Y |Z | team 1: x x y y | (team 2: same) | voxels
//! ```

use std::io::{self, Write};

use byteorder::{LittleEndian as LE, ReadBytesExt as _, WriteBytesExt as _};
use glam::IVec3;

use crate::document::{GameMode, GameProfile, Metadata, Object, Objects, Snapshot, Team};
use crate::format::merge::{short_ascii, spawn_box};
use crate::format::{FormatError, Report, SPAWN_GUESSED, Severity};
use crate::geom::{ColumnRect, Region};

/// Length of the header that the format's text describes (728 bits).
pub(super) const HEADER_BYTES: usize = 91;
/// Length of the variant with a region for team 2, which the text's field list lacks.
pub(super) const LONG_HEADER_BYTES: usize = 107;
/// Length of a string field, the NUL that must end it included.
const TEXT_BYTES: usize = 32;
/// Bytes of a voxel.
pub(super) const VOXEL_BYTES: u64 = 8;

/// Longest side: the end of the last chunk must still be a position.
const MAX_SIDE: u32 = i32::MAX as u32 - 31;

const OFFSET_NAME: u64 = 0;
const OFFSET_AUTHOR: u64 = 32;
const OFFSET_X_SIZE: u64 = 65;
const OFFSET_Y_SIZE: u64 = 69;
const OFFSET_Z_SIZE: u64 = 73;

/// A string field: ASCII up to the NUL, then padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text([u8; TEXT_BYTES]);

impl Text {
    fn read(mut bytes: impl io::Read) -> io::Result<Self> {
        let mut text = [0; TEXT_BYTES];
        bytes.read_exact(&mut text)?;
        Ok(Self(text))
    }

    /// What stands before the NUL, and the padding after it; `None` without a NUL.
    fn parts(&self) -> Option<(&[u8], &[u8])> {
        let end = self.0.iter().position(|&byte| byte == 0)?;
        Some((self.0.get(..end)?, self.0.get(end + 1..)?))
    }

    /// The text; `None` where it is empty. Bytes that are no UTF-8 are read as Latin-1, which has a letter for each.
    fn decode(&self) -> Option<String> {
        let (text, _) = self.parts().unwrap_or((&self.0, &[]));
        let latin = || text.iter().map(|byte| char::from(*byte)).collect();
        (!text.is_empty()).then(|| str::from_utf8(text).map_or_else(|_| latin(), str::to_owned))
    }

    /// The field for a text, and whether it had to be cut or changed.
    fn encode(text: Option<&str>) -> (Self, bool) {
        let text = text.unwrap_or("");
        let held = short_ascii(text);
        let mut field = [0; TEXT_BYTES];
        field.iter_mut().zip(held.bytes()).for_each(|(slot, byte)| *slot = byte);
        (Self(field), held != text)
    }
}

/// A spawn region as stored: x start, x end, y start, y end in columns, half-open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Area([u32; 4]);

impl Area {
    fn read(mut bytes: impl io::Read) -> io::Result<Self> {
        let mut area = [0; 4];
        bytes.read_u32_into::<LE>(&mut area)?;
        Ok(Self(area))
    }

    /// The columns, ends in order; `None` where all is zero. Beyond `i32` is the end of `i32`.
    fn decode(&self) -> Option<ColumnRect> {
        let [x_start, x_end, y_start, y_end] = self.0.map(|v| i32::try_from(v).unwrap_or(i32::MAX));
        (self.0 != [0; 4]).then(|| ColumnRect::new([x_start, y_start], [x_end, y_end]))
    }

    /// The field for columns counted from `origin`, and whether something of them lies below 0.
    fn encode(area: Option<ColumnRect>, origin: IVec3) -> (Self, bool) {
        let Some(area) = &area else { return (Self::default(), false) };
        let ([x0, y0], [x1, y1]) = (area.min(), area.max());
        let ends = [(x0, origin.x), (x1, origin.x), (y0, origin.y), (y1, origin.y)].map(|(v, origin)| i64::from(v) - i64::from(origin));
        (Self(ends.map(|end| u32::try_from(end.max(0)).unwrap_or(u32::MAX))), ends.iter().any(|end| *end < 0))
    }

    fn write(&self, sink: &mut dyn Write) -> io::Result<()> {
        self.0.iter().try_for_each(|&end| sink.write_u32::<LE>(end))
    }

    /// Says what is odd about a region that was read.
    fn report(&self, team: Team, size: [u32; 3], report: &mut Report) {
        let [x_start, x_end, y_start, y_end] = self.0;
        if self.0 == [0; 4] {
            return;
        }
        let label = team.label().to_lowercase();
        if x_start > x_end || y_start > y_end {
            let what =
                format!("The {label} spawn region ends before it starts ({x_start}–{x_end}, {y_start}–{y_end}); its ends are swapped");
            report.push(Severity::Repair, "spawn-reversed", what);
        }
        if x_start == x_end || y_start == y_end {
            report.push(Severity::Problem, "spawn-empty", format!("The {label} spawn region covers no column and is left out"));
        }
        if x_start.max(x_end) > size[0] || y_start.max(y_end) > size[1] {
            let what = format!("The {label} spawn region ({x_start}–{x_end}, {y_start}–{y_end}) reaches outside the map; it is kept");
            report.push(Severity::Problem, "spawn-outside", what);
        }
    }
}

/// The header's fields in the file's order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) name: Text,
    pub(super) author: Text,
    pub(super) mode: u8,
    /// X, Y and Z; Z fits 16 bits.
    pub(super) size: [u32; 3],
    pub(super) team1: Area,
    /// Only in the long variant.
    pub(super) team2: Option<Area>,
}

impl Header {
    /// Takes the fields from the header's bytes, 91 or 107 of them.
    pub(super) fn parse(bytes: &[u8]) -> io::Result<Self> {
        let mut rest = bytes;
        Ok(Self {
            name: Text::read(&mut rest)?,
            author: Text::read(&mut rest)?,
            mode: rest.read_u8()?,
            size: [rest.read_u32::<LE>()?, rest.read_u32::<LE>()?, u32::from(rest.read_u16::<LE>()?)],
            team1: Area::read(&mut rest)?,
            team2: if bytes.len() < LONG_HEADER_BYTES { None } else { Some(Area::read(&mut rest)?) },
        })
    }

    pub(super) fn write(&self, sink: &mut dyn Write) -> io::Result<()> {
        sink.write_all(&self.name.0)?;
        sink.write_all(&self.author.0)?;
        sink.write_u8(self.mode)?;
        let [x, y, z] = self.size;
        sink.write_u32::<LE>(x)?;
        sink.write_u32::<LE>(y)?;
        sink.write_u16::<LE>(u16::try_from(z).unwrap_or(u16::MAX))?;
        self.team1.write(sink)?;
        self.team2.iter().try_for_each(|area| area.write(sink))
    }

    /// Where the voxels begin.
    pub(super) fn len(&self) -> u64 {
        (if self.team2.is_some() { LONG_HEADER_BYTES } else { HEADER_BYTES }) as u64
    }

    /// Bytes of all voxels; `None` beyond what 64 bits can count.
    pub(super) fn voxel_bytes(&self) -> Option<u64> {
        self.size.iter().try_fold(VOXEL_BYTES, |bytes, &side| bytes.checked_mul(u64::from(side)))
    }

    /// The map's box. Call after [`check`](Self::check).
    pub(super) fn bounds(&self) -> Region {
        Region::of_size(self.size.map(|side| i32::try_from(side).unwrap_or(i32::MAX)).into())
    }

    /// What no reading can go on with: text without end, sizes of 0 or beyond `i32`.
    pub(super) fn check(&self) -> Result<(), FormatError> {
        for (text, offset, what) in [
            (&self.name, OFFSET_NAME, "the map name has no NUL within its 32 bytes"),
            (&self.author, OFFSET_AUTHOR, "the author has no NUL within its 32 bytes"),
        ] {
            if text.parts().is_none() {
                let [.., last] = text.0;
                return Err(FormatError::BadValue { offset: offset + 31, what, found: last.into() });
            }
        }
        let [x, y, z] = self.size;
        for (size, offset, what) in
            [(x, OFFSET_X_SIZE, "the X size is 0"), (y, OFFSET_Y_SIZE, "the Y size is 0"), (z, OFFSET_Z_SIZE, "the Z size is 0")]
        {
            if size == 0 {
                return Err(FormatError::BadValue { offset, what, found: 0 });
            }
            if size > MAX_SIDE {
                return Err(FormatError::BadValue { offset, what: "the size is beyond what positions can count", found: size.into() });
            }
        }
        Ok(())
    }

    /// Says what is odd about a header that was read.
    pub(super) fn report(&self, report: &mut Report) {
        for (text, label) in [(&self.name, "map name"), (&self.author, "author")] {
            let Some((text, padding)) = text.parts() else { continue };
            if !text.is_ascii() {
                report.push(Severity::Repair, "text-not-ascii", format!("The {label} is not ASCII; it is kept until it is edited"));
            }
            if padding.iter().any(|&byte| byte != 0) {
                let what = format!("Bytes after the end of the {label} are not 0; they are kept until it is edited");
                report.push(Severity::Info, "text-padding", what);
            }
        }
        if let GameMode::Other(number) = GameMode::from_number(self.mode) {
            report.push(Severity::Info, "game-mode", format!("Game mode {number} has no name; it is kept"));
        }
        self.team1.report(Team::Blue, self.size, report);
        self.report_guesses(report);
        if let Some(team2) = &self.team2 {
            report.push(
                Severity::Guess,
                "long-header",
                "The header is 16 bytes longer than described; they are read as the green spawn region",
            );
            team2.report(Team::Green, self.size, report);
        }
    }

    /// Says what the header leaves open about spawn regions.
    fn report_guesses(&self, report: &mut Report) {
        for (area, team) in self.areas() {
            if self.is_default(area, team) {
                let what = format!(
                    "The header has for {} the region in which a server lets players appear anyway; it is taken for none",
                    team.label().to_lowercase()
                );
                report.push(Severity::Guess, "spawn-default", what);
            }
        }
        let blue = self.region_of(self.team1, Team::Blue).filter(|_| self.team2.is_none());
        if let Some(area) = blue {
            let width = self.bounds().max().x;
            let ([x0, y0], [x1, y1]) = (area.min(), area.max());
            let (x0, x1) = (width.saturating_sub(x1), width.saturating_sub(x0));
            let what = format!(
                "The header has no room for a green spawn region: mirrored from blue's it would be columns {x0},{y0} to {},{}; add it if that is meant",
                x1.saturating_sub(1),
                y1.saturating_sub(1)
            );
            report.push(Severity::Info, SPAWN_GUESSED, what);
        }
    }

    /// The fields for spawn regions, with their teams.
    fn areas(&self) -> impl Iterator<Item = (Area, Team)> {
        [(Some(self.team1), Team::Blue), (self.team2, Team::Green)].into_iter().filter_map(|(area, team)| Some((area?, team)))
    }

    /// Whether a field is what [`header_for`] writes for a team that has no spawns.
    fn is_default(&self, area: Area, team: Team) -> bool {
        let zone = default_spawn(&GameProfile::ACE_OF_SPADES, self.bounds(), team);
        area.decode().is_some_and(|area| Some(area) == zone)
    }

    /// The region that a field names; none where nobody chose it, or where it holds no column.
    fn region_of(&self, area: Area, team: Team) -> Option<ColumnRect> {
        area.decode().filter(|region| !region.is_empty() && !self.is_default(area, team))
    }

    /// Name, author and game mode.
    pub(super) fn metadata(&self) -> Metadata {
        Metadata {
            name: self.name.decode(),
            author: self.author.decode(),
            game_mode: Some(GameMode::from_number(self.mode)),
            ..Metadata::default()
        }
    }

    /// The spawn regions.
    pub(super) fn objects(&self) -> Objects {
        let mut objects = Objects::default();
        for (field, team) in self.areas() {
            if let Some(area) = self.region_of(field, team) {
                objects.push(Object::SpawnRegion { team, area, z: 0 });
            }
        }
        objects
    }
}

/// The header for a document, and a report of what it cannot hold.
///
/// A field whose meaning equals what the document was opened with, or what `kept` decodes to, has the
/// bytes of `kept`, the header that the document was read from.
///
/// # Errors
/// [`FormatError::DoesNotFit`] for sizes that the header cannot name.
pub(super) fn header_for(snapshot: &Snapshot, kept: Option<&Header>, report: &mut Report) -> Result<Header, FormatError> {
    let bounds = snapshot.bounds();
    let (metadata, opened) = (&*snapshot.metadata, &*snapshot.opened.metadata);
    let mut text = |label: &str, now: &Option<String>, before: &Option<String>, kept: Option<Text>| match kept {
        Some(kept) if now == before || *now == kept.decode() => kept,
        _ => {
            let (field, changed) = Text::encode(now.as_deref());
            if changed {
                let written = field.decode().unwrap_or_default();
                report.push(
                    Severity::Guess,
                    "text-not-held",
                    format!("The {label} has room for 31 ASCII characters: the map file says {written:?}, the sidecar holds all of it"),
                );
            }
            field
        }
    };
    let name = text("map name", &metadata.name, &opened.name, kept.map(|kept| kept.name));
    let author = text("author", &metadata.author, &opened.author, kept.map(|kept| kept.author));
    let mode = match kept {
        Some(kept) if metadata.game_mode == opened.game_mode => kept.mode,
        _ => metadata.game_mode.map_or(0, GameMode::number),
    };
    let mut area = |team: Team, kept: Option<Area>| {
        let (now, before) = (spawn_box(&snapshot.objects, team), spawn_box(&snapshot.opened.objects, team));
        let at_origin = bounds.min().truncate() == glam::IVec2::ZERO;
        if let Some(kept) = kept.filter(|kept| at_origin && (now == before || now == kept.decode().filter(|area| !area.is_empty()))) {
            return kept;
        }
        // Where the server lets a team appear counts from the corner of the file.
        let Some(now) = now else {
            let size = Region::of_size(bounds.size());
            return Area::encode(default_spawn(snapshot.profile, size, team), IVec3::ZERO).0;
        };
        let (field, cut) = Area::encode(Some(now), bounds.min());
        if cut {
            let what = format!("The {} spawn region reaches below 0 and is cut there", team.label().to_lowercase());
            report.push(Severity::Loss, "spawn-cut", what);
        }
        field
    };
    let team1 = area(Team::Blue, kept.map(|kept| kept.team1));
    let team2 = kept.and_then(|kept| kept.team2).map(|kept| area(Team::Green, Some(kept)));
    Ok(Header { name, author, mode, size: size_for(snapshot)?, team1, team2 })
}

/// The sizes, if a header can name them.
fn size_for(snapshot: &Snapshot) -> Result<[u32; 3], FormatError> {
    let does_not_fit = |rule| FormatError::DoesNotFit { size: snapshot.bounds().size(), rule };
    let (min, max) = (snapshot.bounds().min().to_array(), snapshot.bounds().max().to_array());
    let mut size = [0; 3];
    for ((side, min), max) in size.iter_mut().zip(min).zip(max) {
        let length = i64::from(max) - i64::from(min);
        *side = u32::try_from(length).ok().filter(|length| *length <= MAX_SIDE).unwrap_or(0);
    }
    let [x, y, z] = size;
    if x == 0 || y == 0 || z == 0 || z > u32::from(u16::MAX) {
        return Err(does_not_fit("a VMF map is at least 1×1×1 voxels and at most 65535 voxels high"));
    }
    Ok(size)
}

/// Where the game lets a team appear when nothing is said, as far as it lies in the map.
fn default_spawn(profile: &GameProfile, bounds: Region, team: Team) -> Option<ColumnRect> {
    let zone = profile.default_spawns.iter().find(|zone| zone.team == team)?;
    Some(zone.area().intersection(&bounds.columns())).filter(|area| !area.is_empty())
}
