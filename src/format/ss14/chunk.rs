//! The payload of a chunk: base64 of its tiles, 4, 6 or 7 bytes each, row by row from the south.
//!
//! ```text
//! 4 bytes   id u16               flags u8  variant u8              chunks without a version, or below 6
//! 6 bytes   id i32               flags u8  variant u8              version 6
//! 7 bytes   id i32               flags u8  variant u8  rotation u8 version 7 and above
//! ```
//! Little endian. Source: `MapChunkSerializer.cs` of RobustToolbox.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::chunk_list::ChunkSpan;
use super::scanner::line_number;
use crate::format::FormatError;

/// How a tile is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Width {
    Four,
    Six,
    Seven,
}

impl Width {
    /// The layout that a chunk's own version says.
    pub fn of_version(version: Option<u32>) -> Self {
        match version.unwrap_or(1) {
            ..6 => Self::Four,
            6 => Self::Six,
            _ => Self::Seven,
        }
    }

    /// The layout that the engine of a file's format writes.
    pub fn of_format(format: u32) -> Self {
        match format {
            ..6 => Self::Four,
            6 => Self::Six,
            _ => Self::Seven,
        }
    }

    /// The version that a chunk names; none for the oldest.
    pub fn version(self) -> Option<u32> {
        match self {
            Self::Four => None,
            Self::Six => Some(6),
            Self::Seven => Some(7),
        }
    }

    /// Bytes of a tile.
    pub fn bytes(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Six => 6,
            Self::Seven => 7,
        }
    }

    /// Bytes of a tile that are its id.
    fn id_bytes(self) -> usize {
        if self == Self::Four { 2 } else { 4 }
    }

    /// Largest id that fits.
    pub fn max_id(self) -> u32 {
        match self {
            Self::Four => u32::from(u16::MAX),
            // Signed, and negative ones mean nothing.
            Self::Six | Self::Seven => i32::MAX as u32,
        }
    }
}

/// The tiles of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tiles {
    pub width: Width,
    /// Side in tiles.
    pub size: u32,
    // Invariant: width × size × size long.
    bytes: Vec<u8>,
}

impl Tiles {
    /// A chunk of one and the same tile.
    pub fn uniform(width: Width, size: u32, id: u32) -> Self {
        let mut tiles = Self { width, size, bytes: vec![0; width.bytes() * (size * size) as usize] };
        (0..size * size).for_each(|index| tiles.put(index, id));
        tiles
    }

    /// Decodes a chunk of a file.
    pub fn decode(file: &[u8], chunk: &ChunkSpan, chunk_size: u32) -> Result<Self, FormatError> {
        let size = chunk.size.unwrap_or(chunk_size);
        let width = Width::of_version(chunk.version.as_ref().map(|version| version.value));
        let text = file.get(chunk.tiles.clone()).unwrap_or_default();
        let length = width.bytes() * (size * size) as usize;
        let wrong = || {
            let line = line_number(file, chunk.tiles.start);
            let line_start = file.get(..chunk.tiles.start).and_then(|before| memchr::memrchr(b'\n', before)).map_or(0, |at| at + 1);
            let expected = match width {
                Width::Four => "base64 of a chunk of tiles of 4 bytes",
                Width::Six => "base64 of a chunk of tiles of 6 bytes",
                Width::Seven => "base64 of a chunk of tiles of 7 bytes",
            };
            FormatError::Syntax { line, column: chunk.tiles.start - line_start + 1, expected }
        };
        // Longer texts are not decoded at all.
        if text.len() != length.div_ceil(3) * 4 {
            return Err(wrong());
        }
        let bytes = STANDARD.decode(text).map_err(|_| wrong())?;
        if bytes.len() != length { Err(wrong()) } else { Ok(Self { width, size, bytes }) }
    }

    /// As text.
    pub fn encode(&self) -> String {
        STANDARD.encode(&self.bytes)
    }

    /// Ids of all tiles, row by row. Negative ones, which mean nothing, come out large.
    pub fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        let is_short = self.width == Width::Four;
        self.bytes.chunks_exact(self.width.bytes()).map(move |tile| match *tile {
            [a, b, ..] if is_short => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        })
    }

    /// The id of a tile by its number.
    pub fn id_at(&self, index: u32) -> Option<u32> {
        let tile = self.bytes.get(index as usize * self.width.bytes()..)?;
        Some(match *tile {
            [a, b, ..] if self.width == Width::Four => u32::from(u16::from_le_bytes([a, b])),
            [a, b, c, d, ..] => u32::from_le_bytes([a, b, c, d]),
            _ => return None,
        })
    }

    /// Ids of all tiles with their flags, variant and turn, row by row.
    pub fn all(&self) -> impl Iterator<Item = (u32, [u8; 3])> + '_ {
        self.bytes.chunks_exact(self.width.bytes()).map(|tile| match *tile {
            [a, b, c, d, flags, variant, turn] => (u32::from_le_bytes([a, b, c, d]), [flags, variant, turn]),
            [a, b, c, d, flags, variant] => (u32::from_le_bytes([a, b, c, d]), [flags, variant, 0]),
            [a, b, flags, variant] => (u32::from(u16::from_le_bytes([a, b])), [flags, variant, 0]),
            _ => (0, [0; 3]),
        })
    }

    /// Puts flags, variant and turn of a tile; a layout without turns leaves that one out.
    pub fn put_rest(&mut self, index: u32, rest: [u8; 3]) {
        let (width, id_bytes) = (self.width.bytes(), self.width.id_bytes());
        let Some(tile) = self.bytes.get_mut(index as usize * width..).and_then(|bytes| bytes.get_mut(id_bytes..width)) else { return };
        tile.iter_mut().zip(rest).for_each(|(byte, rest)| *byte = rest);
    }

    /// Puts a plain tile: no flags, first variant, not turned.
    pub fn put(&mut self, index: u32, id: u32) {
        let width = self.width.bytes();
        let Some(tile) = self.bytes.get_mut(index as usize * width..).and_then(|rest| rest.get_mut(..width)) else { return };
        tile.fill(0);
        let id = id.to_le_bytes();
        tile.iter_mut().zip(id).take(self.width.id_bytes()).for_each(|(byte, id)| *byte = id);
    }

    /// The same tiles, stored wider.
    pub fn widened(&self, width: Width) -> Self {
        let mut bytes = Vec::with_capacity(width.bytes() * (self.size * self.size) as usize);
        for tile in self.bytes.chunks_exact(self.width.bytes()) {
            let (id, rest) = tile.split_at(self.width.id_bytes());
            bytes.extend(id);
            if self.width == Width::Four && width > Width::Four {
                bytes.extend([0, 0]);
            }
            bytes.extend(rest);
            if self.width < Width::Seven && width == Width::Seven {
                bytes.push(0);
            }
        }
        Self { width, size: self.size, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wider_tiles_say_the_same() {
        let mut tiles = Tiles::uniform(Width::Four, 4, 3);
        tiles.put(5, 70);
        tiles.bytes[4 * 7 + 3] = 9;
        for width in [Width::Six, Width::Seven] {
            let wide = tiles.widened(width);
            assert_eq!(wide.bytes.len(), 16 * width.bytes());
            assert!(wide.ids().eq(tiles.ids()));
            assert_eq!(wide.bytes[width.bytes() * 7 + 5], 9, "the variant");
            assert_eq!(wide.widened(Width::Seven), tiles.widened(Width::Seven));
            assert!(wide.all().eq(tiles.all()) && wide.all().map(|(id, _)| id).eq(tiles.ids()));
            assert_eq!(wide.all().nth(7), Some((3, [0, 9, 0])));
            let (mut plain, rest) = (Tiles::uniform(width, 4, 3), if width == Width::Seven { [1, 2, 5] } else { [1, 2, 0] });
            plain.put_rest(7, [1, 2, 5]);
            assert_eq!((plain.all().nth(7), plain.ids().all(|id| id == 3)), (Some((3, rest)), true));
        }
        assert_eq!(tiles.ids().nth(5), Some(70));
        assert!((0..16).map(|index| tiles.id_at(index)).eq(tiles.ids().map(Some)) && tiles.id_at(16).is_none());
        assert_eq!(tiles.widened(Width::Four), tiles);
    }
}
