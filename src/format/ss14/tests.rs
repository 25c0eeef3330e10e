//! What must hold for every map, tried on small ones of each format and, where they are there, on real
//! ones: name their folder in `SPADEWORK_SS14_MAPS`.

mod broken;
pub(crate) mod edits;
mod exports;
mod fixtures;
mod moves;
mod real;

pub(super) use fixtures::map;

use glam::IVec3;

use super::*;
use crate::document::{Object, ObjectId};
use crate::format::MemorySource;
use crate::voxel::{Rgb, StoreEdit, Voxel};

pub(super) fn read_with(bytes: &[u8], options: &Options) -> Result<(Document, Report), FormatError> {
    let mut report = Report::new();
    let document = Ss14.read(&MemorySource(bytes.into()), options, &Progress::new(), &mut report)?;
    Ok((document, report))
}

#[track_caller]
fn read(bytes: &[u8]) -> (Document, Report) {
    read_with(bytes, &Options::new()).unwrap()
}

/// Saves and verifies; the report is the preflight's as well.
#[track_caller]
fn save_with(document: &Document, options: &Options) -> (Vec<u8>, Report) {
    let (mut bytes, mut report, progress) = (vec![], Report::new(), Progress::new());
    Ss14.write(document, &mut bytes, options, &progress, &mut report).unwrap();
    Ss14.verify(document, &MemorySource(bytes.as_slice().into()), options, &progress).unwrap();
    assert_eq!(Ss14.preflight(document, options), report);
    (bytes, report)
}

#[track_caller]
fn save(document: &Document) -> (Vec<u8>, Report) {
    save_with(document, &Options::new())
}

fn count_of(report: &Report, code: &str) -> u64 {
    report.warnings.iter().filter(|warning| warning.code == code).map(|warning| warning.count).sum()
}

/// The map with tiles painted: places in voxels of a volume, names, `None` for air.
fn painted_in(document: &Document, volume: usize, places: &[(IVec3, Option<&str>)]) -> Document {
    let mut edit = StoreEdit::new(&document.volumes()[volume].store);
    for (at, name) in places {
        let voxel = name.map(|name| Voxel::new(document.palette.color_of(name).unwrap_or_else(|| name.parse().unwrap())));
        assert!(edit.set(*at, voxel), "{at} lies outside the map");
    }
    let changes = edit.finish();
    let mut after = document.clone();
    after.store_mut(volume).unwrap().apply(&changes);
    after
}

fn painted(document: &Document, at: [i32; 2], name: Option<&str>) -> Document {
    painted_in(document, 0, &[(IVec3::new(at[0], at[1], 0), name)])
}

fn tile_at(document: &Document, x: i32, y: i32) -> Option<&str> {
    let color: Rgb = document.store().voxel(IVec3::new(x, y, 0))?.rgb()?;
    document.palette.name_of(color)
}

fn marker(document: &Document, name: &str) -> (ObjectId, [i32; 2]) {
    let found = document.objects.iter().find(|(_, object)| matches!(object, Object::Marker { label, .. } if &**label == name));
    let (id, object) = found.unwrap_or_else(|| panic!("no {name}"));
    (id, object.area().min())
}

/// Lines that differ, where both have the same number of lines.
#[track_caller]
fn changed_lines<'a>(before: &'a [u8], after: &'a [u8]) -> Vec<(&'a str, &'a str)> {
    let lines = |bytes: &'a [u8]| bytes.split(|byte| *byte == b'\n').map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    assert_eq!(before.len(), after.len(), "lines were added or removed");
    before.into_iter().zip(after).filter(|(before, after)| before != after).collect()
}
