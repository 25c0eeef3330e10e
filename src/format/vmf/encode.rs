//! Chunks into the voxels of a VMF file, in the file's order: x, y, then z upwards.
//!
//! The buffer holds at most 32 columns. What is written that the document does not say is all in
//! [`Rules`]: water, protection, and the colours of hidden voxels.

use std::io::Write;

use byteorder::{ByteOrder as _, LittleEndian as LE};

use super::decode::Layout;
use super::header::VOXEL_BYTES;
use super::voxel;
use crate::document::{OptionValue, Options, Progress, Snapshot};
use crate::format::FormatError;
use crate::geom::VoxelPos;
use crate::voxel::{CHUNK_EDGE, Chunk, ChunkPos, Extra, Paint, VoxelKind};

/// Name of the option that makes the lowest two layers indestructible.
pub(super) const PROTECT_FLOOR: &str = "protect-floor";

/// How voxels are written that the document leaves open.
///
/// **Water.** A document that was not read from VMF has no kinds; there the game's rule holds: a voxel
/// of the lowest layer under air is the water that players see, and is written as type 2; under ground
/// it is type 1. In a document that was read from VMF every voxel is written with the kind it holds,
/// so that an unedited file comes back the same even where it breaks that rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// z of the layer in which solid voxels under air are water.
    water_z: Option<i32>,
    /// Solid voxels at this z and below are indestructible.
    protected_z: Option<i32>,
}

impl Rules {
    /// # Errors
    /// [`FormatError::BadOption`] for a value that is not a yes or no.
    pub(super) fn of(snapshot: &Snapshot, options: &Options) -> Result<Self, FormatError> {
        let protect = match options.get(PROTECT_FLOOR) {
            None => false,
            Some(OptionValue::Bool(protect)) => *protect,
            Some(OptionValue::Text(text)) if text == "true" => true,
            Some(OptionValue::Text(text)) if text == "false" => false,
            Some(other) => return Err(FormatError::BadOption { name: PROTECT_FLOOR, value: format!("{other:?}") }),
        };
        let has_kinds = snapshot.tells_kinds();
        Ok(Self {
            water_z: snapshot.floor_z().filter(|_| !has_kinds),
            protected_z: protect.then(|| snapshot.bounds().max().z.saturating_sub(2)),
        })
    }

    /// What is stored for the attributes of a voxel at `z`.
    pub(super) fn stored(&self, extra: Extra, z: i32, open_above: bool) -> Extra {
        let mut extra = extra.without_tile();
        if self.water_z == Some(z) && open_above && extra.kind == VoxelKind::Solid {
            extra.kind = VoxelKind::Water;
        }
        if extra.kind == VoxelKind::Unknown(0) {
            // Type 0 would be air.
            extra.kind = VoxelKind::Solid;
        }
        if self.protected_z.is_some_and(|from| z >= from) && extra.indestructible == 0 {
            extra.indestructible = 1;
        }
        extra
    }

    /// Whether water may be written at `z`, which depends on the voxel above.
    pub(super) fn water_at(&self, z: i32) -> bool {
        self.water_z == Some(z)
    }

    /// Whether the rules may change the attributes at `z` at all.
    fn touch(&self, z: i32) -> bool {
        self.water_at(z) || self.protected_z.is_some_and(|from| z >= from)
    }
}

/// Writes all voxels of the snapshot.
pub(super) fn write_voxels(snapshot: &Snapshot, rules: Rules, sink: &mut dyn Write, progress: &Progress) -> Result<(), FormatError> {
    let store = snapshot.store();
    let bounds = store.bounds();
    let (min, max) = (bounds.min(), bounds.max());
    let (low, high) = (ChunkPos::of(min).0, ChunkPos::of(max - 1).0);
    // The header's check has bounded the height to 16 bits.
    let column_bytes = bounds.size().z as usize * VOXEL_BYTES as usize;
    let mut buffer = vec![0; column_bytes * CHUNK_EDGE];
    let mut stack: Vec<(i32, &Chunk)> = vec![];
    let stacks = Layout { start: 0, bounds }.stack_count() as f32;
    for x in min.x..max.x {
        let share = (x - min.x) as f32 / (max.x - min.x) as f32;
        for chunk_y in low.y..=high.y {
            progress.report(share + (chunk_y - low.y) as f32 / stacks / CHUNK_EDGE as f32)?;
            stack.clear();
            for chunk_z in low.z..=high.z {
                let pos = ChunkPos(VoxelPos::new(x >> CHUNK_EDGE.trailing_zeros(), chunk_y, chunk_z));
                stack.extend(store.chunk(pos).map(|chunk| (pos.origin().z, &**chunk)));
            }
            let region = ChunkPos(VoxelPos::new(low.x, chunk_y, low.z)).region().intersection(&bounds);
            let rows = region.size().y as usize;
            let out = buffer.get_mut(..rows * column_bytes).unwrap_or_default();
            out.fill(0);
            for (y, out) in (region.min().y..).zip(out.chunks_exact_mut(column_bytes)) {
                let column = (y as usize % CHUNK_EDGE) * CHUNK_EDGE + x as usize % CHUNK_EDGE;
                put_column(&stack, column, max.z, rules, out);
            }
            sink.write_all(out)?;
        }
    }
    Ok(())
}

/// Fills in the voxels of a column, lowest first, from its chunks, topmost first. `out` is all air.
fn put_column(stack: &[(i32, &Chunk)], column: usize, bottom: i32, rules: Rules, out: &mut [u8]) {
    // Invariant of the colours: a hidden voxel has the last known colour above it in the column.
    let mut paint = Paint::new(voxel::DEFAULT_COLOR).to_word();
    let mut last_solid = None;
    for (top, chunk) in stack {
        let (Some(&solid), Some(&known)) = (chunk.solid().get(column), chunk.known().get(column)) else { continue };
        let mut words = chunk.paint_words_of_column(column);
        let mut extras = chunk.has_extras().then(|| chunk.extras_of_column(column));
        let mut left = solid;
        while left != 0 {
            let height = left.trailing_zeros();
            left &= left - 1;
            if known >> height & 1 == 1 {
                paint = words.next().unwrap_or(paint);
            }
            let mut extra = extras.as_mut().and_then(Iterator::next).unwrap_or_default();
            let z = top + height as i32;
            if rules.touch(z) {
                extra = rules.stored(extra, z, last_solid != Some(z - 1));
            }
            last_solid = Some(z);
            let from = (bottom - 1 - z) as usize * VOXEL_BYTES as usize;
            if let Some(slot) = out.get_mut(from..from + VOXEL_BYTES as usize) {
                LE::write_u64(slot, voxel::word(paint, extra));
            }
        }
    }
}
