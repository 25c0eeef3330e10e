//! Small pictures of the stamps in the library, drawn by jobs and kept in memory until their files change.
//!
//! A batch after another is drawn, so that the first ones show at once; what is broken is said in place of a picture.
//! The drawing itself is that of lost maps ([`thumbnail`]): a stamp is turned so that its larger side faces the sky.

use std::collections::BTreeMap;

use super::{LibraryEntry, LibraryError, StampSource, read};
use crate::document::Progress;
use crate::editor::files::OpenError;
use crate::editor::recovery::thumbnail;
use crate::editor::storage::Storage;
use crate::editor::work::JobDone;
use crate::editor::{Editor, JobId};
use crate::geom::{Axis, Orientation};
use crate::tool::Stamp;
use crate::voxel::{Store, tops_of_row};

/// Longest side of a picture, in pixels.
const SIDE: usize = 64;
/// Stamps that are drawn by one job.
const BATCH: usize = 16;
/// Longest file that is read for its picture, in bytes.
const LONGEST_FILE: u64 = 16 << 20;

/// What a stamp looks like: a pixel four bytes (red, green, blue, opacity), rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StampPicture {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Red, green, blue and opacity of each pixel; nothing is there where the opacity is 0.
    pub rgba: Vec<u8>,
}

/// A picture, or why there is none.
pub type Drawn = Result<StampPicture, String>;

/// The pictures that are known, by the file as it was when it was drawn.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    known: BTreeMap<StampSource, (LibraryEntry, Drawn)>,
    /// The job that draws some of the others.
    drawing: Option<JobId>,
}

impl Editor {
    /// The picture of a stamp, or why there is none; nothing until it is drawn.
    pub fn picture_of(&self, entry: &LibraryEntry) -> Option<&Drawn> {
        self.library.pictures.known.get(&entry.source).filter(|(known, _)| known == entry).map(|(_, drawn)| drawn)
    }

    /// Draws the next stamps whose files are new or changed, unless some are being drawn.
    pub(super) fn draw_stamps(&mut self) {
        let drawing = self.library.pictures.drawing;
        if self.jobs.running().any(|job| Some(job.id) == drawing) {
            return;
        }
        let is_due = |entry: &&LibraryEntry| self.picture_of(entry).is_none();
        let batch: Vec<_> = self.library.entries.iter().filter(is_due).take(BATCH).cloned().collect();
        if batch.is_empty() {
            return;
        }
        let storage = self.storage.clone();
        let draw = move |progress: &Progress| {
            // What is left of a batch when somebody cancels stays without a picture until the next look at the folder.
            let one = |entry: LibraryEntry| Some((entry.clone(), drawn(&*storage, &entry, progress)?));
            JobDone::DrewStamps(batch.into_iter().map_while(one).collect(), progress.check().is_err())
        };
        self.library.pictures.drawing = Some(self.jobs.spawn("Drawing stamps".into(), None, draw));
    }

    pub(in crate::editor) fn drew_stamps(&mut self, drawn: Vec<(LibraryEntry, Drawn)>, is_cancelled: bool) {
        self.library.pictures.drawing = None;
        let pictures = drawn.into_iter().map(|(entry, drawn)| (entry.source.clone(), (entry, drawn)));
        self.library.pictures.known.extend(pictures);
        // Of those that are still there.
        let entries = &self.library.entries;
        self.library.pictures.known.retain(|source, _| entries.iter().any(|entry| entry.source == *source));
        if !is_cancelled {
            self.draw_stamps();
        }
    }
}

/// The picture of a file, or what is wrong with it; nothing if the work is cancelled.
fn drawn(storage: &dyn Storage, entry: &LibraryEntry, progress: &Progress) -> Option<Drawn> {
    if entry.len > LONGEST_FILE {
        return Some(Err("too large for a picture".into()));
    }
    match read(storage, &entry.source, progress) {
        Ok(stamp) => Some(Ok(picture(&stamp))),
        Err(LibraryError::Model(OpenError::Cancelled(_))) => None,
        Err(error) => Some(Err(error.to_string())),
    }
}

/// The stamp from the south, or from above if it is wider than high there.
fn picture(stamp: &Stamp) -> StampPicture {
    let solid = stamp.clip.store().occupied();
    let lies = solid.size().y > solid.size().z;
    // The south side comes to face the sky; what was up is north then.
    let raised = Orientation::quarter_turn(Axis::X).inverse();
    let shown = if lies { stamp.clip.as_ref().clone() } else { stamp.clip.turned(raised) };
    let store = cropped(shown.store());
    let drawn = thumbnail(&store, SIDE);
    let bounds = store.bounds();
    // The thumbnail has the first of as many columns for each pixel.
    let step = usize::try_from(bounds.size().x.max(bounds.size().y)).unwrap_or(0).div_ceil(SIDE).max(1);
    let rows = (bounds.min().y..bounds.max().y).step_by(step);
    let there = rows.flat_map(|y| tops_of_row(&store, y).into_iter().step_by(step).map(|top| top.is_some()).collect::<Vec<_>>());
    let rgba = drawn.rgb.chunks_exact(3).zip(there).flat_map(|(rgb, is_there)| {
        let opacity = if is_there { 255 } else { 0 };
        rgb.iter().copied().chain([opacity])
    });
    StampPicture { width: drawn.width, height: drawn.height, rgba: rgba.collect() }
}

/// Without the air around, so that a small thing is not lost in a large box.
fn cropped(store: &Store) -> Store {
    let mut cropped = Store::new(store.occupied());
    for (pos, chunk) in store.chunks() {
        cropped.put_chunk(pos, Some(chunk.clone()));
    }
    cropped
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::IVec3;

    use super::*;
    use crate::edit::Clip;
    use crate::geom::Region;
    use crate::voxel::{Rgb, StoreEdit, Voxel};

    fn stamp(voxels: &[([i32; 3], Rgb)]) -> Stamp {
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(9, 9, 9))));
        for (at, color) in voxels {
            edit.set((*at).into(), Some(Voxel::new(*color)));
        }
        Stamp { name: "thing".into(), clip: Arc::new(Clip::of(&edit.snapshot()).unwrap()) }
    }

    /// Pixels as letters: `.` nothing, `r` and `g` whatever their light.
    fn text(picture: &StampPicture) -> String {
        let letter = |pixel: &[u8]| match pixel {
            [.., 0] => '.',
            [r, g, ..] if r > g => 'r',
            _ => 'g',
        };
        let rows = picture.rgba.chunks(4 * picture.width.max(1));
        rows.map(|row| row.chunks(4).map(letter).collect::<String>()).collect::<Vec<_>>().join("/")
    }

    const RED: Rgb = Rgb::new(200, 0, 0);
    const GREEN: Rgb = Rgb::new(0, 200, 0);

    #[test]
    fn what_stands_is_seen_from_the_south_and_what_lies_from_above() {
        // A flag to the east of its pole, two voxels up; black behind it is not see-through.
        let flag = stamp(&[([4, 4, 6], RED), ([4, 4, 5], RED), ([4, 4, 4], RED), ([5, 4, 4], GREEN), ([6, 4, 5], Rgb::new(0, 0, 0))]);
        assert_eq!(text(&picture(&flag)), "rg./r.g/r..");
        let carpet = stamp(&[([3, 3, 5], RED), ([4, 3, 5], GREEN), ([3, 4, 5], GREEN), ([3, 5, 5], RED)]);
        assert_eq!(text(&picture(&carpet)), "rg/g./r.");
        let nothing = picture(&stamp(&[]));
        assert_eq!((nothing.width, nothing.rgba.len()), (0, 0));
    }

    #[test]
    fn what_is_behind_is_darker() {
        let steps = picture(&stamp(&[([4, 2, 4], RED), ([4, 3, 5], RED), ([4, 4, 6], RED)]));
        let light: Vec<u8> = steps.rgba.chunks(4).map(|pixel| pixel[0]).collect();
        assert!(light[0] < light[1] && light[1] < light[2], "{light:?}");
    }

    #[test]
    fn large_things_are_drawn_small() {
        let mut edit = StoreEdit::new(&Store::new(Region::of_size(IVec3::new(200, 1, 130))));
        for z in 0..130 {
            (0..200).for_each(|x| assert!(edit.set(IVec3::new(x, 0, z), Some(Voxel::new(RED)))));
        }
        let wall = picture(&Stamp { name: "wall".into(), clip: Arc::new(Clip::of(&edit.snapshot()).unwrap()) });
        assert_eq!((wall.width, wall.height, wall.rgba.len()), (50, 33, 50 * 33 * 4));
    }
}
