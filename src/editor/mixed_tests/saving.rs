//! Saving a map with the files beside it, opening it again, and comparing all that it is.

use std::path::{Path, PathBuf};

use super::SIZE;
use crate::document::{Document, Metadata, Object, OptionValue, Options, Progress, Team};
use crate::edit::tests::model::Model;
use crate::editor::files::{OpenOptions, SaveOptions, Stamps, open_map, save_map};
use crate::editor::storage::testing::FaultyStorage;
use crate::format::Severity;
use crate::voxel::{Extra, SHADE_NEUTRAL, Voxel, VoxelKind};

/// Losses that saving tells of: those of voxels, which are looked at one by one, too.
const TOLD: [&str; 6] = ["light", "indestructible", "reserved", "voxel-kind", "shade", "hidden-colors"];

/// Those of objects that a server's file cannot hold.
const OBJECTS: [&str; 5] = ["second-base", "region-clipped", "spawn-height", "object-outside", "territory-height"];

/// Whether a voxel loses that as a VXL.
fn loses(code: &str, voxel: &Voxel) -> bool {
    let extra = voxel.extra;
    match code {
        "light" => extra.light != 0,
        "indestructible" => extra.indestructible != 0,
        "reserved" => extra.reserved != 0,
        _ => panic!("{code}"),
    }
}

/// Where the maps of a sequence are saved: over the file that was opened, or, in another format, to a new one.
pub(super) struct Disk {
    storage: FaultyStorage,
    path: PathBuf,
    stamps: Stamps,
    /// That of the file; empty before there is one.
    format: &'static str,
    saves: usize,
}

impl Disk {
    pub fn new() -> Self {
        Self { storage: FaultyStorage::with(&[("m/readme", b"")]), path: PathBuf::new(), stamps: Stamps::default(), format: "", saves: 0 }
    }

    /// Writes and reads the map in a format: all comes back that the file, or one beside it, can hold.
    #[track_caller]
    pub fn saved_and_opened(&mut self, document: &Document, before: &Model, id: &'static str) -> Document {
        if document.source.as_ref().is_none_or(|source| source.format != id) {
            self.path = Path::new("m").join(format!("land{}.{id}", self.saves));
            (self.stamps, self.format) = (Stamps::default(), id);
        }
        self.write_and_read(document, before)
    }

    /// Writes the map to the file that it has, if it has one, and looks what is in it.
    #[track_caller]
    pub fn saved(&mut self, document: &Document, before: &Model) {
        if !self.format.is_empty() {
            self.write_and_read(document, before);
        }
    }

    #[track_caller]
    fn write_and_read(&mut self, document: &Document, before: &Model) -> Document {
        self.saves += 1;
        let (storage, progress, id) = (&self.storage, Progress::new(), self.format);
        let size = OptionValue::Text(format!("{}x{}", SIZE.x, SIZE.y));
        let options: Options = if id == "vxl" { [("size".to_owned(), size)].into() } else { Options::default() };
        let saving = SaveOptions { expected: self.stamps.clone(), options: options.clone(), ..Default::default() };
        let saved = save_map(storage, document, &self.path, &saving, &progress).unwrap();
        let opened = open_map(storage, &self.path, &OpenOptions { options, ..Default::default() }, &progress).unwrap();
        let mut losses: Vec<_> = saved.report.warnings.iter().filter(|warning| warning.severity == Severity::Loss).collect();
        // Others give a team a second one while the first is taken away, which undo brings back; a shifted map leaves things behind.
        let is_odd = before.objects.iter().any(|(_, object)| is_odd(object, before));
        let drops: Vec<_> = losses.extract_if(.., |loss| OBJECTS.contains(&loss.code)).map(|loss| &loss.message).collect();
        assert!(is_odd || drops.is_empty(), "{id}: {drops:?}");
        let strange: Vec<_> = losses.iter().filter(|loss| !TOLD.contains(&loss.code)).map(|loss| &loss.message).collect();
        assert!(strange.is_empty(), "{id}: {strange:?}");
        for code in &TOLD[..3] {
            let lost = before.bounds.positions().filter(|pos| before.get(*pos).is_some_and(|voxel| loses(code, &voxel))).count();
            let is_told = losses.iter().any(|loss| loss.code == *code);
            assert_eq!(is_told, id == "vxl" && lost > 0, "{id}: {lost} voxels lose {code}");
        }
        self.stamps = opened.stamps;
        check(&opened.document, before, id);
        check_objects(&opened.document, before, id, !drops.is_empty());
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
        let expected = if id == "vxl" { Extra::default() } else { was.extra.without_tile() };
        // Water is what players see of the lowest layer, which a map from elsewhere does not tell.
        let is_water = id == "vmf" && pos.z == SIZE.z - 1 && is.extra == Extra { kind: VoxelKind::Water, ..expected };
        assert!(is.extra == expected || is_water, "{id} at {pos}: {expected:?} became {:?}", is.extra);
        if let Some(paint) = was.paint.filter(|_| id == "vmf" || before.is_visible(pos)) {
            let shade = if id == "vxl" { paint.shade } else { SHADE_NEUTRAL };
            assert_eq!(is.paint.map(|found| (found.rgb, found.shade)), Some((paint.rgb, shade)), "{id} at {pos}");
        }
    }
    assert_eq!(facts_of(&opened.metadata), facts_of(&before.metadata), "{id}");
    let volumes: Vec<_> = opened.volumes().iter().map(|volume| (volume.title().to_string(), volume.offset)).collect();
    assert_eq!((volumes.len(), opened.active(), opened.palette.swatches().len()), (1, 0, 0), "{id}: {volumes:?}");
    assert!(opened.selection.is_none() && !opened.symmetry.is_on() && opened.dirt.is_none(), "{id}: what no file holds");
}

/// Where some have no place in the file, all others are in it, and no more than before.
#[track_caller]
fn check_objects(opened: &Document, before: &Model, id: &str, is_any_dropped: bool) {
    let is = objects(opened.objects.iter().map(|(_, object)| object), before);
    let was = objects(before.objects.iter().map(|(_, object)| object), before);
    if !is_any_dropped {
        return assert_eq!(is, was, "{id}");
    }
    let mut rest = is.clone();
    for object in objects(before.objects.iter().map(|(_, object)| object).filter(|object| !is_odd(object, before)), before) {
        let at = rest.iter().position(|other| *other == object);
        assert!(at.is_some(), "{id}: {object} is not among {is:?}");
        at.map(|at| rest.swap_remove(at));
    }
    assert!(is.len() <= was.len(), "{id}: {is:?} of {was:?}");
}

/// Whether a server's file cannot hold it: it is out of the map, or one that another one takes the place of.
fn is_odd(object: &Object, before: &Model) -> bool {
    let (area, map) = (object.area(), before.bounds.columns());
    let z = match object {
        Object::SpawnRegion { z, .. } => Some(*z),
        Object::SpawnPoint { at, .. } => Some(at.z),
        Object::Base { at, .. } | Object::Intel { at, .. } | Object::Territory { at, .. } | Object::Marker { at, .. } => at.z,
    };
    let is_single = matches!(object, Object::Base { .. } | Object::Intel { .. });
    let twins = before.objects.iter().filter(|(_, other)| other.label() == object.label()).count();
    area.intersection(&map) != area
        || z.is_some_and(|z| !(0..SIZE.z).contains(&z))
        || is_single && twins > 1
        || matches!(object, Object::Territory { .. }) && z.is_some()
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
