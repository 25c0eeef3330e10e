//! Compares what was written with the snapshot, as far as the format can hold it.

use glam::IVec3;

use super::column::{FLOOR, surface};
use super::decode::Size;
use super::encode::{EARTH, heights};
use super::rows::{FileRows, StoreRows, Window};
use crate::document::{Progress, Snapshot};
use crate::format::FormatError;

/// Every voxel must be as solid as in the snapshot, but for a floor that was added; every visible one
/// of known colour must have it; every other colour in the file must be the snapshot's or the one that
/// visible voxels of unknown colour get.
///
/// # Errors
/// [`FormatError::Differs`] with the first voxel, or what decoding fails with.
pub fn verify(snapshot: &Snapshot, size: Size, written: &[u8], progress: &Progress) -> Result<(), FormatError> {
    let mut doc = Window::new(StoreRows::new(snapshot.store()), size)?;
    let mut file = Window::new(FileRows::new(written, size.width, false), size)?;
    for y in 0..size.height {
        progress.report(y as f32 / size.height as f32)?;
        doc.advance()?;
        file.advance()?;
        let corner = snapshot.bounds().min() + IVec3::new(0, y as i32, 0);
        let ([north, found_row, south], own_row) = (file.rows(), doc.here());
        for x in 0..size.width {
            let (solid, found_solid) = (own_row.solid[x + 1], found_row.solid[x + 1]);
            let (known, found_known) = (own_row.known[x + 1], found_row.known[x + 1]);
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
            let mut found_words = found_row.words()[found_row.places_of(x)].iter();
            let (mut words, mut paint) = (own_row.words()[own_row.places_of(x)].iter(), EARTH);
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
