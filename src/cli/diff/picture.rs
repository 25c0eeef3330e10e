//! A plan of what differs: the second map from above in grey, with the columns that differ tinted.

use crate::document::{Document, Progress, visit_differences, volume_pairs};
use crate::geom::{ColumnRect, VoxelPos};
use crate::voxel::{ColumnDiff, Rgb, tops_of_row};

/// Longest side of the picture in pixels.
const MOST_PIXELS: i32 = 16384;
/// What lies outside the second map, or holds no voxel.
const NOTHING: Rgb = Rgb::new(0x10, 0x10, 0x10);
/// Grey of a voxel whose color nobody knows.
const UNKNOWN: u8 = 0x50;

// The window's colors for what a tool would add, remove and paint.
const ADDED: Rgb = Rgb::new(0x5b, 0xa8, 0xff);
const REMOVED: Rgb = Rgb::new(0xff, 0x6b, 0x62);
const RECOLORED: Rgb = Rgb::new(0xf2, 0xc7, 0x4b);
/// How much of a tinted pixel is tint.
const TINT: f32 = 0.8;

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub(super) enum PictureError {
    /// A map that is wider than any picture.
    #[error("a plan of {0}×{1} columns is too large for a picture: each side must be from 1 to {MOST_PIXELS}")]
    Size(i32, i32),
    /// The encoder failed.
    #[error(transparent)]
    Png(#[from] png::EncodingError),
    /// Nobody asks for that.
    #[error(transparent)]
    Cancelled(#[from] crate::document::Cancelled),
}

/// Draws the columns of both maps' active volumes, one pixel each, north up, as PNG.
pub(super) fn draw(before: &Document, after: &Document) -> Result<Vec<u8>, PictureError> {
    let rect = before.bounds().union(&after.bounds()).columns();
    let [width, height] = rect.size();
    if [width, height].iter().any(|side| !(1..=MOST_PIXELS).contains(side)) {
        return Err(PictureError::Size(width, height));
    }
    let rgb = greys(after, &rect);
    let mut pixels = Pixels { rect, tinted: vec![false; rgb.len()], rgb };
    let shown = volume_pairs(before, after).iter().position(|pair| pair[1] == Some(after.active()));
    visit_differences(before, after, &Progress::new(), |volume, column, diff| {
        if Some(volume) == shown {
            pixels.tint(column, diff);
        }
    })?;
    let mut bytes = vec![];
    // Both are from 1 to MOST_PIXELS.
    let mut encoder = png::Encoder::new(&mut bytes, width.unsigned_abs(), height.unsigned_abs());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let flat: Vec<u8> = pixels.rgb.iter().flat_map(|rgb| rgb.to_array()).collect();
    encoder.write_header()?.write_image_data(&flat)?;
    Ok(bytes)
}

/// The map from above in grey, within the columns of the picture.
fn greys(map: &Document, rect: &ColumnRect) -> Vec<Rgb> {
    let own = map.bounds().columns();
    let mut pixels = Vec::with_capacity(usize::try_from(rect.area()).unwrap_or(0));
    let ([left, top], [right, bottom]) = (rect.min(), rect.max());
    for y in top..bottom {
        if y < own.min()[1] || y >= own.max()[1] {
            pixels.extend((left..right).map(|_| NOTHING));
            continue;
        }
        pixels.extend((left..own.min()[0]).map(|_| NOTHING));
        pixels.extend(tops_of_row(map.store(), y).into_iter().map(|top| match top {
            Some(top) => grey(top.color.map_or(UNKNOWN, luminance)),
            None => NOTHING,
        }));
        pixels.extend((own.max()[0]..right).map(|_| NOTHING));
    }
    pixels
}

fn grey(value: u8) -> Rgb {
    Rgb::new(value, value, value)
}

/// Brightness as the eye sees it (ITU-R BT.601 weights), 0 to 255.
fn luminance(Rgb { r, g, b }: Rgb) -> u8 {
    let sum = 299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b);
    u8::try_from(sum / 1000).unwrap_or(u8::MAX)
}

struct Pixels {
    rect: ColumnRect,
    rgb: Vec<Rgb>,
    tinted: Vec<bool>,
}

impl Pixels {
    /// Tints the pixel of a column by the topmost of its differences, the first to be visited: what is seen from above.
    fn tint(&mut self, column: VoxelPos, diff: &ColumnDiff) {
        let kinds = [(diff.added, ADDED), (diff.removed, REMOVED), (diff.recolored | diff.reshaded | diff.altered, RECOLORED)];
        let topmost = kinds.into_iter().filter(|(mask, _)| *mask != 0).min_by_key(|(mask, _)| mask.trailing_zeros());
        let (Some((_, tint)), Some(at)) = (topmost, self.index(column)) else { return };
        if let (Some(pixel), Some(tinted @ false)) = (self.rgb.get_mut(at), self.tinted.get_mut(at)) {
            *pixel = pixel.mixed(tint, TINT);
            *tinted = true;
        }
    }

    fn index(&self, column: VoxelPos) -> Option<usize> {
        let [left, top] = self.rect.min();
        let row = usize::try_from(column.y.checked_sub(top)?).ok()?;
        let width = usize::try_from(self.rect.size()[0]).ok()?;
        let x = usize::try_from(column.x.checked_sub(left)?).ok().filter(|x| *x < width)?;
        Some(row * width + x)
    }
}

#[cfg(test)]
mod tests {
    use glam::IVec3;

    use super::*;
    use crate::document::GameProfile;
    use crate::geom::Region;
    use crate::voxel::{Store, StoreEdit, Voxel};

    fn map(size: IVec3, voxels: &[(IVec3, u8)]) -> Document {
        let mut store = Store::new(Region::of_size(size));
        let mut edit = StoreEdit::new(&store);
        for (at, value) in voxels {
            edit.set(*at, Some(Voxel::new(Rgb::new(*value, *value, *value))));
        }
        let changes = edit.finish();
        store.apply(&changes);
        Document::new(store, &GameProfile::ACE_OF_SPADES)
    }

    #[test]
    fn columns_are_tinted_by_the_topmost_of_their_differences() {
        let at = IVec3::new;
        let before =
            map(at(5, 1, 64), &[(at(0, 0, 9), 100), (at(1, 0, 9), 100), (at(2, 0, 9), 100), (at(3, 0, 40), 100), (at(4, 0, 5), 1)]);
        let after = map(
            at(6, 1, 64),
            &[(at(0, 0, 9), 100), (at(1, 0, 9), 100), (at(1, 0, 8), 200), (at(2, 0, 9), 101), (at(3, 0, 40), 90), (at(3, 0, 3), 90)],
        );
        let png = draw(&before, &after).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        assert_eq!(reader.info().size(), (6, 1));
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut rgb).unwrap();
        let expected = [
            grey(100),
            grey(200).mixed(ADDED, TINT),
            grey(101).mixed(RECOLORED, TINT),
            grey(90).mixed(ADDED, TINT),
            NOTHING.mixed(REMOVED, TINT),
            NOTHING,
        ];
        assert_eq!(rgb, expected.map(Rgb::to_array).concat());
    }

    #[test]
    fn a_plan_that_no_picture_holds_is_refused() {
        let wide = map(IVec3::new(MOST_PIXELS + 1, 1, 64), &[]);
        assert!(matches!(draw(&wide, &wide), Err(PictureError::Size(16385, 1))));
        let flat = map(IVec3::new(0, 4, 64), &[]);
        assert!(draw(&flat, &flat).is_err());
    }
}
