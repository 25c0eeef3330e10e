//! Losses that several plugins tell alike: what a file of theirs has no room for.

use super::report::some;
use super::{Report, Severity};
use crate::document::{Property, Snapshot};
use crate::format::merge::is_unset;
use crate::voxel::{Extra, SHADE_NEUTRAL};

/// Most names of volumes in a message.
const MOST_NAMES: usize = 8;

/// Volumes beside the active one, by their names.
pub(super) fn volumes(snapshot: &Snapshot, report: &mut Report) {
    let others = snapshot.volumes().iter().enumerate().filter(|(index, _)| *index != snapshot.active());
    let names: Vec<String> = others.map(|(_, volume)| volume.title().to_string()).collect();
    let shown = names.get(..MOST_NAMES.min(names.len())).unwrap_or_default().join(", ");
    let more = if names.len() > MOST_NAMES { format!(" and {} more", names.len() - MOST_NAMES) } else { String::new() };
    let count = names.len() as u64;
    let message = format!(
        "{} left out: {shown}{more}. To write another one, make it the active one (on the command line, --set grid=NAME)",
        some(count, "volume beside the active one is", "volumes beside the active one are")
    );
    report.push_count(Severity::Loss, "volumes", message, count);
}

/// All objects.
pub(super) fn objects(snapshot: &Snapshot, what: &str, report: &mut Report) {
    let objects = snapshot.objects.iter().count() as u64;
    let message = format!("{} no place in {what}", some(objects, "object has", "objects have"));
    report.push_count(Severity::Loss, "objects", message, objects);
}

/// What is known of the map, but for what is held.
pub(super) fn metadata(snapshot: &Snapshot, what: &str, is_held: impl Fn(&Property) -> bool, report: &mut Report) {
    let properties = snapshot.metadata.properties().into_iter().filter(|property| !is_unset(property) && !is_held(property));
    let labels: Vec<&str> = properties.map(|property| property.label()).collect();
    let count = labels.len() as u64;
    let message =
        format!("{} no place in {what}: {}", some(count, "fact about the map has", "facts about the map have"), labels.join(", "));
    report.push_count(Severity::Loss, "metadata", message, count);
}

/// The shades of voxels.
pub(super) fn shades(snapshot: &Snapshot, report: &mut Report) {
    let count = |chunk: &crate::voxel::Chunk| u64::from(chunk.count_paints(|paint| paint.shade != SHADE_NEUTRAL));
    shades_of(snapshot.store().chunks().map(|(_, chunk)| count(chunk)).sum(), report);
}

/// The shades of so many voxels.
pub(super) fn shades_of(count: u64, report: &mut Report) {
    report.push_count(Severity::Loss, "shade", format!("The shade of {} is not kept", some(count, "voxel", "voxels")), count);
}

/// What VMF says of voxels beside their color.
pub(super) fn extras(snapshot: &Snapshot, what: &str, report: &mut Report) {
    let mut count = 0;
    for (_, chunk) in snapshot.store().chunks().filter(|(_, chunk)| chunk.has_extras()) {
        for (column, _) in chunk.solid().iter().enumerate().filter(|(_, solid)| **solid != 0) {
            count += chunk.extras_of_column(column).filter(|extra| extra.without_tile() != Extra::default()).count() as u64;
        }
    }
    extras_of(count, what, report);
}

/// What VMF says of so many voxels beside their color.
pub(super) fn extras_of(count: u64, what: &str, report: &mut Report) {
    let voxels = some(count, "voxel gives light, is indestructible or of", "voxels give light, are indestructible or of");
    report.push_count(Severity::Loss, "voxel-extras", format!("{voxels} another kind than ground, which has no place in {what}"), count);
}
