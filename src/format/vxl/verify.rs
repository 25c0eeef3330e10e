//! Compares what was written with the snapshot, as far as the format can hold it.

use glam::IVec3;

use super::column::{DEPTH, FLOOR, below, surface};
use super::decode::{Config, Size, decode};
use super::encode::guess;
use super::rows::Window;
use crate::document::{Progress, Snapshot};
use crate::format::FormatError;

/// Every voxel must be as solid as in the snapshot, but for a floor that was added; every visible one
/// of known colour must have it; every other colour in the file must be the snapshot's or the one that
/// visible voxels of unknown colour get.
///
/// # Errors
/// [`FormatError::Differs`] with the first voxel, or what decoding fails with.
pub fn verify(snapshot: &Snapshot, size: Size, written: &[u8], progress: &Progress) -> Result<(), FormatError> {
    let written = decode(written, size, Config::default(), progress)?;
    let origin = snapshot.bounds().min();
    let (mut doc_window, mut file_window) = (Window::new(snapshot.store()), Window::new(&written.store));
    let (mut doc_words, mut file_words) = (vec![], vec![]);
    for y in 0..size.height as i32 {
        progress.check()?;
        doc_window.move_to(origin.y + y);
        file_window.move_to(y);
        for x in 0..size.width as i32 {
            let (doc, file) = (doc_window.masks(origin.x + x), file_window.masks(x));
            let differs = |mask: u64, what| FormatError::Differs { at: origin + IVec3::new(x, y, mask.trailing_zeros() as i32), what };
            let wrong = file.solid ^ doc.solid;
            if wrong & !(file.solid & FLOOR) != 0 {
                return Err(differs(wrong, "solid or air"));
            }
            let missing = surface(file.solid, file.around) & doc.known & !file.known;
            if missing != 0 {
                return Err(differs(missing, "no color"));
            }
            doc_window.words(origin.x + x, &mut doc_words);
            file_window.words(x, &mut file_words);
            if doc.known == file.known && doc_words == file_words {
                continue;
            }
            let mut found = file_words.iter();
            for z in (0..DEPTH).filter(|z| file.known >> z & 1 == 1) {
                let known = doc.known >> z & 1 == 1;
                let rank = (doc.known & below(z)).count_ones() as usize;
                let expected = if known { doc_words.get(rank).copied() } else { Some(guess(&doc, &doc_words, z)) };
                if found.next().copied() != expected {
                    return Err(differs(1 << z, "color or shade"));
                }
            }
        }
    }
    Ok(())
}
