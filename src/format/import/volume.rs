//! Limits of imported volumes, and what the readers of voxel models share: exact reads, sides, tiles.

use glam::IVec3;

use super::{ImportKind, Imported};
use crate::document::{OptionValue, Options};
use crate::format::{FormatError, Source};
use crate::geom::VoxelPos;
use crate::voxel::{CHUNK_EDGE, Store, StoreEdit};

/// Longest side of an imported model in voxels.
pub const MAX_SIDE: i32 = 1024;
/// Most solid voxels of an imported model.
pub const MAX_VOXELS: u64 = 64 << 20;
/// Largest model file: that many voxels at eight bytes each, and the tables.
const MAX_BYTES: u64 = MAX_VOXELS * 8 + (16 << 20);

/// The whole file, unless it is larger than any model can be.
pub fn whole(source: &dyn Source) -> Result<std::sync::Arc<[u8]>, FormatError> {
    if source.len() > MAX_BYTES {
        return Err(FormatError::FileTooLarge { length: source.len(), most: MAX_BYTES });
    }
    Ok(source.bytes()?)
}

/// A little-endian number at an offset.
pub fn u32_at(bytes: &[u8], offset: usize) -> Result<u32, FormatError> {
    let word = bytes.get(offset..).and_then(|rest| rest.first_chunk::<4>());
    word.map(|word| u32::from_le_bytes(*word)).ok_or_else(|| too_short(bytes, offset as u64 + 4))
}

/// The file ends although it should have at least `needed` bytes.
pub fn too_short(bytes: &[u8], needed: u64) -> FormatError {
    FormatError::Truncated { offset: bytes.len() as u64, needed }
}

/// A side of a model as it stands at an offset of the file.
pub fn side_at(bytes: &[u8], offset: usize) -> Result<i32, FormatError> {
    let found = u32_at(bytes, offset)?;
    let side = i32::try_from(found).ok().filter(|side| (1..=MAX_SIDE).contains(side));
    let (offset, what) = (offset as u64, "a side of the model must be 1 to 1024 voxels");
    side.ok_or(match found {
        0 => FormatError::BadValue { offset, what, found: 0 },
        _ => FormatError::OverLimit { offset, what, found: found.into() },
    })
}

/// Fails where there are more voxels than a model may have.
pub fn check_count(offset: u64, count: u64) -> Result<(), FormatError> {
    if count <= MAX_VOXELS {
        return Ok(());
    }
    let found = i64::try_from(count).unwrap_or(i64::MAX);
    Err(FormatError::OverLimit { offset, what: "a model has at most 67108864 voxels", found })
}

/// Columns of a box from 0, chunk by chunk, so that editing them keeps to few chunks at a time.
pub fn columns_by_chunk(width: i32, height: i32) -> impl Iterator<Item = [i32; 2]> {
    let edge = CHUNK_EDGE as i32;
    let corners = (0..height).step_by(CHUNK_EDGE).flat_map(move |y| (0..width).step_by(CHUNK_EDGE).map(move |x| [x, y]));
    corners
        .flat_map(move |[left, top]| (top..height.min(top + edge)).flat_map(move |y| (left..width.min(left + edge)).map(move |x| [x, y])))
}

/// A model from its voxels; one without any is refused, as nothing can be done with it.
pub fn model(mut edit: StoreEdit, name: String, anchor: VoxelPos) -> Result<Imported, FormatError> {
    let store: Store = edit.snapshot();
    if store.chunks().next().is_none() {
        return Err(FormatError::Unsupported { what: "a model without any voxel" });
    }
    Ok(Imported { store, name, anchor, kind: ImportKind::Model })
}

/// The voxel that a pivot in voxels lies in, and whether it makes sense: a pivot far outside is none.
pub fn anchor_of(pivot: [f64; 3], size: IVec3) -> Option<VoxelPos> {
    let limit = f64::from(4 * MAX_SIDE);
    let is_near = pivot.iter().all(|part| part.is_finite() && part.abs() <= limit);
    // In range, so nothing is cut off but the fraction.
    is_near.then(|| IVec3::from_array(pivot.map(|part| part.floor() as i32)).clamp(IVec3::ZERO, size - 1))
}

/// The middle of the lowest layer.
pub fn foot(size: IVec3) -> VoxelPos {
    IVec3::new(size.x / 2, size.y / 2, size.z - 1)
}

/// An option that is on or off.
pub fn flag(options: &Options, name: &'static str, default: bool) -> Result<bool, FormatError> {
    match options.get(name) {
        None => Ok(default),
        Some(OptionValue::Bool(value)) => Ok(*value),
        Some(other) => Err(FormatError::BadOption { name, value: format!("{other:?}") }),
    }
}
