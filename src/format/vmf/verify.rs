//! What was written, decoded again and compared with the snapshot, one stack of chunks at a time.

use super::decode::{Decoder, Layout};
use super::encode::Rules;
use super::header::Header;
use crate::document::{Progress, Snapshot};
use crate::format::{FormatError, Source};
use crate::geom::VoxelPos;
use crate::voxel::{CHUNK_COLUMNS, CHUNK_EDGE, Chunk, ChunkPos, ColumnMask};

static AIR: [ColumnMask; CHUNK_COLUMNS] = [0; CHUNK_COLUMNS];

/// Compares all voxels. Colours are compared where the snapshot knows them, attributes as the rules
/// have them stored.
pub(super) fn compare(
    snapshot: &Snapshot,
    header: &Header,
    rules: Rules,
    written: &dyn Source,
    progress: &Progress,
) -> Result<(), FormatError> {
    let layout = Layout { start: header.len(), bounds: snapshot.bounds() };
    let mut decoder = Decoder::new(written, layout);
    let count = layout.stack_count() as f32;
    for (done, stack) in layout.stacks().enumerate() {
        progress.report(done as f32 / count)?;
        decoder.stack(stack, |pos, decoded| {
            let own = snapshot.store().chunk(pos);
            compare_chunk(snapshot, rules, pos, own.map(|chunk| &**chunk), decoded.as_deref())
        })?;
    }
    if decoder.oddities.air_not_zero > 0 {
        return Err(FormatError::Differs { at: snapshot.bounds().min(), what: "bytes of air are not 0" });
    }
    Ok(())
}

fn compare_chunk(
    snapshot: &Snapshot,
    rules: Rules,
    pos: ChunkPos,
    own: Option<&Chunk>,
    decoded: Option<&Chunk>,
) -> Result<(), FormatError> {
    let (solid, decoded_solid) = (own.map_or(&AIR, Chunk::solid), decoded.map_or(&AIR, Chunk::solid));
    let place = |column: usize, z: u32| {
        // Both are below the chunk's edge.
        pos.origin() + VoxelPos::new((column % CHUNK_EDGE) as i32, (column / CHUNK_EDGE) as i32, z as i32)
    };
    for (column, (solid, decoded)) in solid.iter().zip(decoded_solid).enumerate() {
        if solid != decoded {
            let at = place(column, (solid ^ decoded).trailing_zeros());
            return Err(FormatError::Differs {
                at,
                what: if solid & !decoded != 0 { "a solid voxel is missing" } else { "a voxel too many" },
            });
        }
    }
    let (Some(own), Some(decoded)) = (own, decoded) else { return Ok(()) };
    for (column, (&solid, &known)) in solid.iter().zip(own.known()).enumerate() {
        let (mut own_words, mut words) = (own.paint_words_of_column(column), decoded.paint_words_of_column(column));
        let (mut own_extras, mut extras) = (own.extras_of_column(column), decoded.extras_of_column(column));
        let mut left = solid;
        while left != 0 {
            let z = left.trailing_zeros();
            left &= left - 1;
            let rgb = words.next().map(|word| word & 0x00ff_ffff);
            if known >> z & 1 == 1 && own_words.next().map(|word| word & 0x00ff_ffff) != rgb {
                return Err(FormatError::Differs { at: place(column, z), what: "the color" });
            }
            let at = place(column, z);
            let open_above = || !snapshot.store().is_solid(at - VoxelPos::Z);
            let expected = own_extras.next().map(|extra| rules.stored(extra, at.z, rules.water_at(at.z) && open_above()));
            if expected != extras.next() {
                return Err(FormatError::Differs { at, what: "light, type, indestructible or reserved" });
            }
        }
    }
    Ok(())
}
