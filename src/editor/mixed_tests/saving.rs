//! Saving a map with the files beside it, opening it again, and comparing all that it is.

use std::path::{Path, PathBuf};

use super::SIZE;
use crate::document::{Document, Metadata, Object, OptionValue, Progress, Team};
use crate::edit::tests::model::Model;
use crate::editor::files::{OpenOptions, SaveOptions, Stamps, open_map, save_map};
use crate::editor::storage::testing::FaultyStorage;
use crate::format::Severity;
use crate::voxel::{Extra, SHADE_NEUTRAL, VoxelKind};

/// Losses that saving tells of: those of voxels, which are looked at one by one.
const TOLD: [&str; 6] = ["light", "indestructible", "reserved", "voxel-kind", "shade", "hidden-colors"];

/// Where the maps of a sequence are saved: over the file that was opened, or, in another format, to a new one.
pub(super) struct Disk {
    storage: FaultyStorage,
    path: PathBuf,
    stamps: Stamps,
    saves: usize,
}

impl Disk {
    pub fn new() -> Self {
        Self { storage: FaultyStorage::with(&[("m/readme", b"")]), path: PathBuf::new(), stamps: Stamps::default(), saves: 0 }
    }

    /// Writes and reads the map in a format: all comes back that the file, or one beside it, can hold.
    #[track_caller]
    pub fn saved_and_opened(&mut self, document: &Document, before: &Model, id: &'static str) -> Document {
        if document.source.as_ref().is_none_or(|source| source.format != id) {
            self.path = Path::new("m").join(format!("land{}.{id}", self.saves));
            self.stamps = Stamps::default();
        }
        self.saves += 1;
        let (storage, progress) = (&self.storage, Progress::new());
        let options = SaveOptions { expected: self.stamps.clone(), ..Default::default() };
        let saved = save_map(storage, document, &self.path, &options, &progress).unwrap();
        let size = OptionValue::Text(format!("{}x{}", SIZE.x, SIZE.y));
        let options = if id == "vxl" { [("size".to_owned(), size)].into() } else { Default::default() };
        let opened = open_map(storage, &self.path, &OpenOptions { options, ..Default::default() }, &progress).unwrap();
        let losses = saved.report.warnings.iter().filter(|warning| warning.severity == Severity::Loss);
        let losses: Vec<_> = losses.filter(|loss| !TOLD.contains(&loss.code)).map(|loss| &loss.message).collect();
        assert!(losses.is_empty(), "{id}: {losses:?}");
        self.stamps = opened.stamps;
        check(&opened.document, before, id);
        opened.document
    }
}

#[track_caller]
fn check(opened: &Document, before: &Model, id: &str) {
    assert_eq!(opened.bounds(), before.bounds, "{id}");
    for pos in before.bounds.positions() {
        let (was, is) = (before.get(pos), opened.store().voxel(pos));
        assert_eq!(was.is_some(), is.is_some(), "{id} at {pos}");
        let (Some(was), Some(is)) = (was, is) else { continue };
        // A VXL has the shade, and colors where they can be seen; a VMF has all else.
        let expected = if id == "vxl" { Extra::default() } else { was.extra };
        // Water is what players see of the lowest layer, which a map from elsewhere does not tell.
        let is_water = id == "vmf" && pos.z == SIZE.z - 1 && is.extra == Extra { kind: VoxelKind::Water, ..expected };
        assert!(is.extra == expected || is_water, "{id} at {pos}: {expected:?} became {:?}", is.extra);
        if let Some(paint) = was.paint.filter(|_| id == "vmf" || before.is_visible(pos)) {
            let shade = if id == "vxl" { paint.shade } else { SHADE_NEUTRAL };
            assert_eq!(is.paint.map(|found| (found.rgb, found.shade)), Some((paint.rgb, shade)), "{id} at {pos}");
        }
    }
    assert_eq!(
        objects(opened.objects.iter().map(|(_, object)| object), before),
        objects(before.objects.iter().map(|(_, object)| object), before),
        "{id}"
    );
    assert_eq!(facts_of(&opened.metadata), facts_of(&before.metadata), "{id}");
    let volumes: Vec<_> = opened.volumes().iter().map(|volume| (volume.title().to_string(), volume.offset)).collect();
    assert_eq!((volumes.len(), opened.active(), opened.palette.swatches().len()), (1, 0, 0), "{id}: {volumes:?}");
    assert!(opened.selection.is_none() && !opened.symmetry.is_on() && opened.dirt.is_none(), "{id}: what no file holds");
}

/// In some order. The header of a VMF always names a region of the blue team: for a map without one it is no loss.
fn objects<'a>(all: impl Iterator<Item = &'a Object>, before: &Model) -> Vec<String> {
    let has_blue = before.objects.spawns(Team::Blue).next().is_some();
    let counts = |object: &&Object| has_blue || !(object.is_spawn() && object.team() == Some(Team::Blue));
    let mut all: Vec<_> = all.filter(counts).map(|object| format!("{object:?}")).collect();
    all.sort();
    all
}

/// Capture the flag is what a map is for that says nothing.
fn facts_of(metadata: &Metadata) -> Metadata {
    Metadata { game_mode: metadata.game_mode.filter(|mode| mode.number() != 0), ..metadata.clone() }
}

/// Facts that the metadata names.
pub(super) fn facts(model: &Model) -> usize {
    let none = Metadata::default().properties();
    model.metadata.properties().iter().zip(&none).filter(|(fact, none)| fact != none).count()
}

/// Voxels that have more than a color and a shade.
pub(super) fn extras(model: &Model) -> usize {
    model.bounds.positions().filter(|pos| model.get(*pos).is_some_and(|voxel| voxel.extra != Extra::default())).count()
}
