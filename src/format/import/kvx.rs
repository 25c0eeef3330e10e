//! KVX, the voxel sprites of the Build engine. Decoding is `roxlap-formats`' work; here its tables are held
//! against each other, and the inside, which the file leaves out, is filled again.
//!
//! ```text
//!  0  bytes that follow, without the palette        4  three sides, u32      16  pivot, three u32 in 1/256
//! 28  where each slice x begins, u32, from here; and where the last one ends
//!     where each column begins in its slice, u16; and where its last one ends
//!     columns of slabs: top z, length, visible faces, a color a voxel
//!     perhaps smaller copies of the model; a palette of 256 × 3 bytes, 0 to 63, at the end of the file
//! ```

use glam::IVec3;
use roxlap_formats::Rgb6;
use roxlap_formats::kvx::{self, ParseError};

use super::volume::{anchor_of, check_count, columns_by_chunk, flag, foot, model, side_at, too_short, u32_at, whole};
use super::{Import, ImportFiles, Imported};
use crate::document::{Options, Progress};
use crate::format::{Certainty, FormatError, OptionKind, OptionSpec, Report, Severity, Source};
use crate::geom::Region;
use crate::voxel::{Rgb, Store, StoreEdit, Voxel};

const HEADER_BYTES: u64 = 28;
const PALETTE_BYTES: u64 = 768;
/// Depth that the byte of a slab's top can name.
const MAX_DEPTH: i32 = 256;
/// Largest file: slices of 64 KiB, as their offsets allow, the smaller copies, and the tables.
const MAX_BYTES: u64 = 96 << 20;
const TOP_SEEN: u8 = 0x10;
const BOTTOM_SEEN: u8 = 0x20;
/// Largest value of a palette of six bits a color.
const SIX_BITS: u8 = 63;

/// The import.
#[derive(Clone, Copy, Debug)]
pub struct Kvx;

impl Import for Kvx {
    fn id(&self) -> &'static str {
        "kvx"
    }

    fn label(&self) -> &'static str {
        "KVX model"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["kvx"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[OptionSpec {
            name: "solid",
            help: "Fill what lies between faces that nobody sees; the file holds the surface only",
            kind: OptionKind::Bool { default: true },
        }]
    }

    fn probe(&self, source: &dyn Source) -> Certainty {
        // It has no magic, but its first offset follows from its sides.
        let head = source.head(HEADER_BYTES as usize + 4).unwrap_or_default();
        if check_sides(&head).is_ok() { Certainty::Likely } else { Certainty::No }
    }

    fn read(&self, files: &ImportFiles<'_>, options: &Options, progress: &Progress, report: &mut Report) -> Result<Imported, FormatError> {
        let is_solid = flag(options, "solid", true)?;
        if files.main.len() > MAX_BYTES {
            return Err(FormatError::FileTooLarge { length: files.main.len(), most: MAX_BYTES });
        }
        let bytes = whole(files.main)?;
        let size = check_sides(&bytes)?;
        check_tables(&bytes, size, report)?;
        let file = kvx::parse(&bytes).map_err(|error| explain(&bytes, size, &error))?;
        let palette = colors(&file.palette, report);
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(size)));
        let mut count = 0;
        for (index, [x, y]) in columns_by_chunk(size.x, size.y).enumerate() {
            if index % 4096 == 0 {
                progress.report(index as f32 / (size.x * size.y) as f32)?;
            }
            let column = column_offset(size, x, y);
            let slabs = file.columns.get(x as usize).and_then(|slice| slice.get(y as usize));
            let mut covered: Option<i32> = None;
            for slab in slabs.into_iter().flatten() {
                let top = i32::from(slab.ztop);
                let end = top + slab.colors.len() as i32;
                if end > size.z {
                    return Err(FormatError::BadValue { offset: column, what: "a column reaches below the model", found: end.into() });
                }
                let between = covered.filter(|_| is_solid && slab.vis & TOP_SEEN == 0).map_or(top..top, |above| above..top);
                count += slab.colors.len() as u64 + between.len() as u64;
                check_count(column, count)?;
                for z in between {
                    edit.set(IVec3::new(x, y, z), Some(Voxel::HIDDEN));
                }
                for (z, &color) in (top..).zip(&slab.colors) {
                    edit.set(IVec3::new(x, y, z), palette.get(usize::from(color)).copied().map(Voxel::new));
                }
                covered = (slab.vis & BOTTOM_SEEN == 0).then_some(end);
            }
        }
        let pivot = [file.xpivot, file.ypivot, file.zpivot].map(|part| f64::from(part) / 256.0);
        let anchor = anchor_of(pivot, size).unwrap_or_else(|| {
            report.push(Severity::Guess, "pivot", "The pivot makes no sense; the middle of the lowest layer is taken");
            foot(size)
        });
        model(edit, String::new(), anchor)
    }
}

/// Bytes of both tables.
fn table_bytes(size: IVec3) -> u64 {
    let [width, height] = [size.x, size.y].map(|side| u64::from(side.unsigned_abs()));
    4 * (width + 1) + 2 * width * (height + 1)
}

/// Where the table has the column's offset.
fn column_offset(size: IVec3, x: i32, y: i32) -> u64 {
    let [width, height, x, y] = [size.x, size.y, x, y].map(|number| u64::from(number.unsigned_abs()));
    HEADER_BYTES + 4 * (width + 1) + 2 * (x * (height + 1) + y)
}

/// Size of the model, whose first offset must fit it.
fn check_sides(bytes: &[u8]) -> Result<IVec3, FormatError> {
    let size = IVec3::new(side_at(bytes, 4)?, side_at(bytes, 8)?, side_at(bytes, 12)?);
    if size.z > MAX_DEPTH {
        return Err(FormatError::OverLimit { offset: 12, what: "a KVX model is at most 256 voxels high", found: size.z.into() });
    }
    let first = u32_at(bytes, HEADER_BYTES as usize)?;
    if u64::from(first) != table_bytes(size) {
        let what = "the first column does not follow the tables";
        return Err(FormatError::BadValue { offset: HEADER_BYTES, what, found: first.into() });
    }
    Ok(size)
}

/// Fails where the offsets of slices and columns contradict each other or the length of the file.
fn check_tables(bytes: &[u8], size: IVec3, report: &mut Report) -> Result<(), FormatError> {
    let tables = HEADER_BYTES + table_bytes(size);
    let needed = tables + PALETTE_BYTES;
    if (bytes.len() as u64) < needed {
        return Err(too_short(bytes, needed));
    }
    let short_at = |offset: u64| {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        bytes.get(start..).and_then(|rest| rest.first_chunk::<2>()).map_or(0, |pair| u32::from(u16::from_le_bytes(*pair)))
    };
    let mut begin = u32_at(bytes, HEADER_BYTES as usize)?;
    for x in 0..size.x {
        let offset = HEADER_BYTES as usize + 4 * (x as usize + 1);
        let end = u32_at(bytes, offset)?;
        let [first, last] = [0, size.y].map(|y| short_at(column_offset(size, x, y)));
        if last.checked_sub(first) != end.checked_sub(begin) || last < first {
            let what = "the slice has another length than its columns";
            return Err(FormatError::BadValue { offset: offset as u64, what, found: end.into() });
        }
        begin = end;
    }
    let needed = HEADER_BYTES + u64::from(begin) + PALETTE_BYTES;
    let rest = (bytes.len() as u64).checked_sub(needed).ok_or_else(|| too_short(bytes, needed))?;
    let follows = u64::from(u32_at(bytes, 0)?);
    if follows != HEADER_BYTES - 4 + u64::from(begin) {
        return Err(FormatError::BadValue { offset: 0, what: "the model has another length than its slices", found: follows as i64 });
    }
    if rest > 0 {
        report.push(Severity::Info, "smaller-copies", "Smaller copies of the model were left out");
    }
    Ok(())
}

fn explain(bytes: &[u8], size: IVec3, error: &ParseError) -> FormatError {
    let side = |number: u32| i32::try_from(number).unwrap_or(0);
    match *error {
        ParseError::TooSmall { .. } => too_short(bytes, HEADER_BYTES + PALETTE_BYTES),
        ParseError::Truncated { at, need } => too_short(bytes, at as u64 + need as u64),
        ParseError::NonMonotonicOffsets { x, y } => {
            let what = "a column ends before it begins";
            FormatError::BadValue { offset: column_offset(size, side(x), side(y)), what, found: y.into() }
        }
        ParseError::SlabOverrun { x, y } => {
            let what = "a run of voxels is longer than its column";
            FormatError::BadValue { offset: column_offset(size, side(x), side(y)), what, found: y.into() }
        }
    }
}

/// The palette in eight bits a color. Some programs write it so in the first place.
fn colors(palette: &[Rgb6; 256], report: &mut Report) -> Vec<Rgb> {
    let is_wide = palette.iter().any(|entry| [entry.r, entry.g, entry.b].into_iter().any(|part| part > SIX_BITS));
    if is_wide {
        report.push(Severity::Guess, "palette", "The palette has more than six bits a color and was taken as it is");
    }
    let widen = |part: u8| if is_wide { part } else { part << 2 | part >> 4 };
    palette.iter().map(|entry| Rgb::new(widen(entry.r), widen(entry.g), widen(entry.b))).collect()
}
