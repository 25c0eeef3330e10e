//! Chunks and masks of a recovery snapshot as bytes.

use glam::IVec3;

use crate::voxel::{CHUNK_COLUMNS, Chunk, ChunkMask, ChunkPos, Extra, VoxelKind};

/// What a chunk tells of its voxels beside their color: nothing, what VMF knows, or what is known of tiles, too.
const NO_EXTRAS: u8 = 0;
const VMF_EXTRAS: u8 = 1;
const TILE_EXTRAS: u8 = 2;

/// Place, masks of the solid and of the known voxels, paint words, and attributes of each solid voxel where any has some.
pub(super) fn encode_chunk(pos: ChunkPos, chunk: &Chunk, out: &mut Vec<u8>) {
    encode_pos(pos, out);
    let extras = || (0..CHUNK_COLUMNS).flat_map(|column| chunk.extras_of_column(column));
    let attributes = match chunk.has_extras() {
        false => NO_EXTRAS,
        true if extras().all(|extra| extra.tile.is_none()) => VMF_EXTRAS,
        true => TILE_EXTRAS,
    };
    out.push(attributes);
    encode_masks(chunk.solid(), out);
    encode_masks(chunk.known(), out);
    for column in 0..CHUNK_COLUMNS {
        chunk.paint_words_of_column(column).for_each(|word| out.extend(word.to_le_bytes()));
    }
    if attributes != NO_EXTRAS {
        for extra in extras() {
            let (kind, other) = match extra.kind {
                VoxelKind::Solid => (0, 0),
                VoxelKind::Water => (1, 0),
                VoxelKind::Unknown(number) => (2, number),
            };
            let [low, high] = extra.reserved.to_le_bytes();
            out.extend([extra.light, kind, other, extra.indestructible, low, high]);
            if attributes == TILE_EXTRAS {
                out.push(u8::from(extra.tile.is_some()));
                out.extend(extra.tile.unwrap_or_default());
            }
        }
    }
}

/// Where a chunk lies.
pub(super) fn encode_pos(pos: ChunkPos, out: &mut Vec<u8>) {
    pos.0.to_array().iter().for_each(|part| out.extend(part.to_le_bytes()));
}

/// The mask of each column of a chunk.
pub(super) fn encode_masks(masks: &ChunkMask, out: &mut Vec<u8>) {
    match masks.first() {
        // Most chunks under the ground are one thing throughout.
        Some(first) if masks.iter().all(|mask| mask == first) => {
            out.push(1);
            out.extend(first.to_le_bytes());
        }
        _ => {
            out.push(0);
            masks.iter().for_each(|mask| out.extend(mask.to_le_bytes()));
        }
    }
}

/// What [`encode_chunk`] wrote; `None` if it is none of it.
pub(super) fn decode_chunk(input: &mut Input<'_>) -> Option<(ChunkPos, Chunk)> {
    let pos = input.pos()?;
    let [attributes] = input.take()?;
    let [solid, known] = [input.masks()?, input.masks()?];
    let count: usize = known.iter().map(|mask| mask.count_ones() as usize).sum();
    let words = (0..count).map(|_| input.word()).collect::<Option<Vec<u32>>>()?;
    let mut chunk = Chunk::from_columns(&solid, &known, words)?;
    if attributes != NO_EXTRAS {
        let count: usize = solid.iter().map(|mask| mask.count_ones() as usize).sum();
        let extras = (0..count).map(|_| input.extra(attributes)).collect::<Option<Vec<Extra>>>()?;
        let mut extras = extras.into_iter();
        chunk = chunk.with_extras(|_| extras.next().unwrap_or_default());
    }
    Some((pos, chunk))
}

/// What is left to read.
pub(super) struct Input<'a>(pub &'a [u8]);

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, left) = self.0.split_first_chunk::<N>()?;
        self.0 = left;
        Some(*taken)
    }

    fn word(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub fn pos(&mut self) -> Option<ChunkPos> {
        Some(ChunkPos(IVec3::new(self.word()? as i32, self.word()? as i32, self.word()? as i32)))
    }

    pub fn masks(&mut self) -> Option<ChunkMask> {
        let [is_one] = self.take()?;
        if is_one != 0 {
            return Some([self.word()?; CHUNK_COLUMNS]);
        }
        let mut masks = [0; CHUNK_COLUMNS];
        for mask in &mut masks {
            *mask = self.word()?;
        }
        Some(masks)
    }

    fn extra(&mut self, attributes: u8) -> Option<Extra> {
        let [light, kind, other, indestructible, low, high] = self.take()?;
        let kind = match kind {
            0 => VoxelKind::Solid,
            1 => VoxelKind::Water,
            2 => VoxelKind::Unknown(other),
            _ => return None,
        };
        let tile = match attributes {
            TILE_EXTRAS => self.take().map(|[is_some, flags, variant, turn]| (is_some != 0).then_some([flags, variant, turn]))?,
            _ => None,
        };
        Some(Extra { light, kind, indestructible, reserved: u16::from_le_bytes([low, high]), tile })
    }
}
