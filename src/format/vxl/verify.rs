//! Compares what was written with the snapshot, as far as the format can hold it.

use glam::IVec3;

use super::column::{FLOOR, heights, surface};
use super::decode::Size;
use super::encode::EARTH;
use super::rows::{FileRows, Rows};
use crate::document::{Progress, Snapshot};
use crate::format::FormatError;

/// Every voxel must be as solid as in the snapshot, but for a floor that was added; every visible one
/// of known colour must have it; every other colour in the file must be the snapshot's or the one that
/// visible voxels of unknown colour get.
///
/// # Errors
/// [`FormatError::Differs`] with the first voxel, or what decoding fails with.
pub fn verify(snapshot: &Snapshot, size: Size, written: &[u8], progress: &Progress) -> Result<(), FormatError> {
    let mut rows = Rows::new(snapshot.store(), Some(FileRows::new(written)), size)?;
    for y in 0..size.height {
        progress.report(y as f32 / size.height as f32)?;
        rows.advance()?;
        let corner = snapshot.bounds().min() + IVec3::new(0, y as i32, 0);
        let ([_, own_row, _], Some((file, [north, found_row, south]))) = (rows.doc(), rows.file()) else { continue };
        for x in 0..size.width {
            let (solid, found_solid) = (own_row.solid[x + 1], found_row.solid[x + 1]);
            let (known, found_known) = (own_row.known[x + 1], found_row.stored[x + 1]);
            let differs = |mask: u64, what| {
                let at = corner + IVec3::new(x as i32, 0, mask.trailing_zeros() as i32);
                Err(FormatError::Differs { at, what })
            };
            let wrong = found_solid ^ solid;
            if wrong & !(found_solid & FLOOR) != 0 {
                return differs(wrong, "solid or air");
            }
            let around = [found_row.solid[x], found_row.solid[x + 2], north.solid[x + 1], south.solid[x + 1]];
            let missing = surface(found_solid, around) & known & !found_known;
            if missing != 0 {
                return differs(missing, "no color");
            }
            if known == found_known && found_row.same_colors[x] {
                continue;
            }
            let found_words = file.words_of(found_row, x);
            let (mut found_words, mut words, mut paint) = (found_words.iter(), own_row.words_of(x).iter(), EARTH);
            for z in heights(known | found_known) {
                if known >> z & 1 == 1 {
                    paint = words.next().copied().unwrap_or(paint);
                }
                if found_known >> z & 1 == 1 && found_words.next() != Some(&paint) {
                    return differs(1 << z, "color or shade");
                }
            }
        }
    }
    Ok(())
}
