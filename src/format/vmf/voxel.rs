//! One voxel of a VMF file: eight bytes, as a little-endian word with red lowest.
//!
//! ```text
//!  byte 0    1      2     3      4     5               6  7
//!       red  green  blue  light  type  indestructible  reserved
//! ```

use crate::voxel::{Extra, Rgb, SHADE_NEUTRAL, VoxelKind};

/// The word of air.
pub(super) const AIR: u64 = 0;

/// Whether the word's type is something else than air.
pub(super) fn is_solid(word: u64) -> bool {
    word & 0xff_0000_0000 != 0
}

/// Whether a solid word says no more than a colour.
pub(super) fn is_plain(word: u64) -> bool {
    word >> 24 == 0x0100
}

/// The paint word (b, g, r, shade) of a solid word; VMF knows no shade.
pub(super) fn paint_word(word: u64) -> u32 {
    let [r, g, b, ..] = word.to_le_bytes();
    u32::from_le_bytes([b, g, r, SHADE_NEUTRAL])
}

/// What a solid word says beside the colour.
pub(super) fn extra(word: u64) -> Extra {
    let [_, _, _, light, kind, indestructible, low, high] = word.to_le_bytes();
    let kind = match kind {
        1 => VoxelKind::Solid,
        2 => VoxelKind::Water,
        other => VoxelKind::Unknown(other),
    };
    Extra { light, kind, indestructible, reserved: u16::from_le_bytes([low, high]), ..Extra::default() }
}

/// The word of a solid voxel.
pub(super) fn word(paint_word: u32, extra: Extra) -> u64 {
    let [b, g, r, _] = paint_word.to_le_bytes();
    let kind = match extra.kind {
        // A solid voxel is never type 0, which is air.
        VoxelKind::Solid | VoxelKind::Unknown(0) => 1,
        VoxelKind::Water => 2,
        VoxelKind::Unknown(number) => number,
    };
    let [low, high] = extra.reserved.to_le_bytes();
    u64::from_le_bytes([r, g, b, extra.light, kind, extra.indestructible, low, high])
}

/// Colour of hidden voxels that have none above them either: the default of the game's servers.
pub(super) const DEFAULT_COLOR: Rgb = Rgb::new(0x67, 0x40, 0x28);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voxel::Paint;

    #[test]
    fn every_byte_of_a_voxel_comes_back() {
        for seed in 0..10_000_u64 {
            let value = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 0x02_0000_0000;
            assert_eq!(word(paint_word(value), extra(value)), value, "{value:016x}");
        }
        assert!(!is_solid(AIR) && !is_solid(0xffff_ff00_ffff_ffff));
    }

    #[test]
    fn bytes_stand_in_the_order_of_the_format() {
        let value = u64::from_le_bytes([1, 2, 3, 4, 2, 1, 0x34, 0x12]);
        assert_eq!(Paint::from_word(paint_word(value)), Paint::new(Rgb::new(1, 2, 3)));
        assert_eq!(extra(value), Extra { light: 4, kind: VoxelKind::Water, indestructible: 1, reserved: 0x1234, ..Extra::default() });
        assert!(is_plain(u64::from_le_bytes([9, 9, 9, 0, 1, 0, 0, 0])) && !is_plain(value));
    }
}
