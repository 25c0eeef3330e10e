//! KV6, the voxel sprites of Voxlap and so of Ace of Spades itself. Decoding is `roxlap-formats`' work; here
//! its tables are held against each other, and the inside, which the file leaves out, is filled again.
//!
//! ```text
//!  0  "Kvxl"
//!  4  three sides, u32        16  pivot, three f32        28  number of voxels, u32
//! 32  voxels, 8 bytes each: b g r _, z (u16), visible faces, normal; by x, then y, then down
//!     u32 a slice x: its voxels; u16 a column: its voxels; perhaps "SPal" and a palette of 768 bytes
//! ```

use glam::IVec3;
use roxlap_formats::kv6::{self, ParseError};

use super::volume::{anchor_of, check_count, columns_by_chunk, flag, foot, model, side_at, too_short, u32_at, whole};
use super::{Import, ImportFiles, Imported};
use crate::document::{Options, Progress};
use crate::format::{Certainty, FormatError, OptionKind, OptionSpec, Report, Severity, Source};
use crate::geom::Region;
use crate::voxel::{Paint, Store, StoreEdit, Voxel};

const MAGIC: &[u8; 4] = b"Kvxl";
const HEADER_BYTES: u64 = 32;
const PALETTE_MAGIC: &[u8; 4] = b"SPal";
const PALETTE_BYTES: u64 = 4 + 768;
/// Bits of a voxel's faces that can be seen: the one above and the one below.
const TOP_SEEN: u8 = 0x10;
const BOTTOM_SEEN: u8 = 0x20;

/// The import.
#[derive(Clone, Copy, Debug)]
pub struct Kv6;

impl Import for Kv6 {
    fn id(&self) -> &'static str {
        "kv6"
    }

    fn label(&self) -> &'static str {
        "KV6 model"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["kv6"]
    }

    fn options(&self) -> &'static [OptionSpec] {
        &[OptionSpec {
            name: "solid",
            help: "Fill what lies between faces that nobody sees; the file holds the surface only",
            kind: OptionKind::Bool { default: true },
        }]
    }

    fn probe(&self, source: &dyn Source) -> Certainty {
        let is_own = source.head(MAGIC.len()).is_ok_and(|head| head == MAGIC);
        if is_own { Certainty::Sure } else { Certainty::No }
    }

    fn read(&self, files: &ImportFiles<'_>, options: &Options, progress: &Progress, report: &mut Report) -> Result<Imported, FormatError> {
        let is_solid = flag(options, "solid", true)?;
        let bytes = whole(files.main)?;
        let size = check_header(&bytes, report)?;
        let file = kv6::parse(&bytes).map_err(|error| match error {
            ParseError::TooSmall { .. } => too_short(&bytes, HEADER_BYTES),
            ParseError::BadMagic { .. } => FormatError::BadValue { offset: 0, what: "a KV6 file begins with Kvxl", found: 0 },
            ParseError::Truncated { at, need } => too_short(&bytes, at as u64 + need as u64),
        })?;
        let starts = check_tables(&file)?;
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(size)));
        let mut count = file.voxels.len() as u64;
        for (index, [x, y]) in columns_by_chunk(size.x, size.y).enumerate() {
            if index % 4096 == 0 {
                progress.report(index as f32 / (size.x * size.y) as f32)?;
            }
            let column = (x * size.y + y) as usize;
            let (Some(&first), Some(&end)) = (starts.get(column), starts.get(column + 1)) else { continue };
            // The last voxel of the column where what follows it may be hidden ground.
            let mut covered: Option<i32> = None;
            for (at, voxel) in (first..end).zip(file.voxels.get(first..end).unwrap_or_default()) {
                let (z, offset) = (i32::from(voxel.z), HEADER_BYTES + 8 * at as u64 + 4);
                if z >= size.z {
                    return Err(FormatError::BadValue { offset, what: "a voxel lies below the model", found: z.into() });
                }
                if let Some(above) = covered.filter(|above| is_solid && voxel.vis & TOP_SEEN == 0 && *above < z) {
                    count += (z - above - 1) as u64;
                    check_count(offset, count)?;
                    for between in above + 1..z {
                        edit.set(IVec3::new(x, y, between), Some(Voxel::HIDDEN));
                    }
                }
                covered = (voxel.vis & BOTTOM_SEEN == 0).then_some(z);
                edit.set(IVec3::new(x, y, z), Some(Voxel::new(Paint::from_word(voxel.col).rgb)));
            }
        }
        let pivot = [file.xpiv, file.ypiv, file.zpiv].map(f64::from);
        let anchor = anchor_of(pivot, size).unwrap_or_else(|| {
            report.push(Severity::Guess, "pivot", "The pivot makes no sense; the middle of the lowest layer is taken");
            foot(size)
        });
        model(edit, String::new(), anchor)
    }
}

/// Size of the model, once the file is long enough for what its header promises.
fn check_header(bytes: &[u8], report: &mut Report) -> Result<IVec3, FormatError> {
    if (bytes.len() as u64) < HEADER_BYTES {
        return Err(too_short(bytes, HEADER_BYTES));
    }
    if !bytes.starts_with(MAGIC) {
        return Err(FormatError::BadValue { offset: 0, what: "a KV6 file begins with Kvxl", found: u32_at(bytes, 0)?.into() });
    }
    let size = IVec3::new(side_at(bytes, 4)?, side_at(bytes, 8)?, side_at(bytes, 12)?);
    let count = u64::from(u32_at(bytes, 28)?);
    check_count(28, count)?;
    let [width, height] = [size.x, size.y].map(|side| u64::from(side.unsigned_abs()));
    let needed = HEADER_BYTES + 8 * count + 4 * width + 2 * width * height;
    let rest = (bytes.len() as u64).checked_sub(needed).ok_or_else(|| too_short(bytes, needed))?;
    let has_palette = usize::try_from(needed).is_ok_and(|at| bytes.get(at..).is_some_and(|rest| rest.starts_with(PALETTE_MAGIC)));
    if has_palette && rest < PALETTE_BYTES {
        return Err(too_short(bytes, needed + PALETTE_BYTES));
    }
    let message = "bytes after the last column were left out";
    report.push_count(Severity::Guess, "trailing-bytes", message, rest - if has_palette { PALETTE_BYTES } else { 0 });
    Ok(size)
}

/// Where the voxels of each column begin, `[x][y]`, and where the last one ends.
fn check_tables(file: &kv6::Kv6) -> Result<Vec<usize>, FormatError> {
    let slices = HEADER_BYTES + 8 * file.voxels.len() as u64;
    let mut starts = vec![0];
    let mut total = 0;
    for (x, (columns, &length)) in file.ylen.iter().zip(&file.xlen).enumerate() {
        let before = total;
        for &length in columns {
            total += usize::from(length);
            starts.push(total);
        }
        if (total - before) as u64 != u64::from(length) {
            let what = "the slice has another number of voxels than its columns";
            return Err(FormatError::BadValue { offset: slices + 4 * x as u64, what, found: length.into() });
        }
    }
    if total != file.voxels.len() {
        let what = "the model has another number of voxels than its columns";
        return Err(FormatError::BadValue { offset: 28, what, found: file.voxels.len() as i64 });
    }
    Ok(starts)
}
