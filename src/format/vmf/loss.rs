//! What a VMF file cannot hold of a document, told before a byte is written.

use super::encode::Rules;
use super::header::{Header, header_for};
use super::kept::Kept;
use crate::document::{Object, Options, Snapshot, Team};
use crate::format::merge::spawn_box;
use crate::format::report::some;
use crate::format::{DOES_NOT_FIT, Report, SHADE, Severity, losses};
use crate::voxel::{CHUNK_COLUMNS, Chunk, SHADE_NEUTRAL};

/// Layers at the top that a player needs: the format's text wants the highest solid voxel below them.
const HEADROOM: i32 = 4;

/// All losses, and what goes elsewhere or is filled in.
pub(super) fn losses(snapshot: &Snapshot, options: &Options) -> Report {
    let mut report = Report::new();
    let kept = Kept::of(snapshot);
    if let Err(error) = Rules::of(snapshot, options) {
        report.push(Severity::Problem, DOES_NOT_FIT, format!("Saving will fail: {error}"));
        return report;
    }
    if let Err(error) = header_for(snapshot, kept.as_ref().map(|kept| &kept.header), &mut report) {
        report.push(Severity::Problem, DOES_NOT_FIT, format!("Saving will fail: {error}"));
        return report;
    }
    if let Some(kept) = &kept {
        not_kept(kept, false, &mut report);
    }
    losses::volumes(snapshot, &mut report);
    voxel_losses(snapshot, &mut report);
    sidecar_facts(snapshot, kept.as_ref().map(|kept| &kept.header), &mut report);
    report
}

/// What a file of this format, or of another, does not keep of the one that was opened.
pub(super) fn not_kept(kept: &Kept, is_other_format: bool, report: &mut Report) {
    let lost = kept.lost_tail_bytes + if is_other_format { kept.tail.len() as u64 } else { 0 };
    let what = format!("The {} after the last voxel of the opened file are not kept", some(lost, "byte", "bytes"));
    report.push_count(Severity::Loss, "tail", what, lost);
    let what = format!("Bytes of {} air voxels of the opened file are not kept: air is written as 0", kept.air_not_zero);
    report.push_count(Severity::Loss, "air-not-zero", what, kept.air_not_zero);
}

fn voxel_losses(snapshot: &Snapshot, report: &mut Report) {
    let (mut shades, mut hidden, mut high) = (0, 0, 0);
    let limit = snapshot.bounds().min().z.saturating_add(HEADROOM);
    for (pos, chunk) in snapshot.store().chunks() {
        shades += u64::from(chunk.count_paints(|paint| paint.shade != SHADE_NEUTRAL));
        hidden += u64::from(chunk.solid_count() - chunk.known_count());
        high += high_columns(chunk, limit.saturating_sub(pos.origin().z));
    }
    report.push_count(
        Severity::Loss,
        SHADE,
        format!("The shade of {} is not kept: VMF stores colors only", some(shades, "voxel", "voxels")),
        shades,
    );
    let what = format!("{} without a color are written with the color above them", some(hidden, "hidden voxel", "hidden voxels"));
    report.push_count(Severity::Info, "hidden-colors", what, hidden);
    if snapshot.profile.has_floor && snapshot.bounds().size().z > HEADROOM {
        let what =
            format!("{} a block in the top {HEADROOM} layers, where the format wants none", some(high, "column has", "columns have"));
        report.push_count(Severity::Problem, "above-limit", what, high);
    }
}

/// Columns of a chunk with a solid voxel in its first `layers` layers.
fn high_columns(chunk: &Chunk, layers: i32) -> u64 {
    let Some(mask) = u32::try_from(layers).ok().filter(|layers| *layers > 0).map(|layers| u32::MAX >> (32 - layers.min(32))) else {
        return 0;
    };
    debug_assert!(chunk.solid().len() == CHUNK_COLUMNS);
    chunk.solid().iter().filter(|column| **column & mask != 0).count() as u64
}

/// Objects and facts that only the sidecars hold.
fn sidecar_facts(snapshot: &Snapshot, kept: Option<&Header>, report: &mut Report) {
    let long = kept.is_some_and(|kept| kept.team2.is_some());
    let in_header = |team: Team| team == Team::Blue || long;
    for team in Team::ALL.into_iter().filter(|team| in_header(*team)) {
        let (spawns, area) = (snapshot.objects.spawns(team).count() as u64, spawn_box(&snapshot.objects, team));
        let whole = matches!(snapshot.objects.spawns(team).next(), Some((_, Object::SpawnRegion { z: 0, .. })));
        if let Some(area) = &area.filter(|_| spawns > 1 || !whole) {
            let ([x0, y0], [x1, y1]) = (area.min(), area.max());
            let what =
                format!("{} spawns are written as one region around them, {x0}–{x1} × {y0}–{y1}; the sidecar holds each", team.label());
            report.push_count(Severity::Info, "spawns-joined", what, spawns);
        }
    }
    let others = snapshot.objects.iter().filter(|(_, object)| !(object.is_spawn() && object.team().is_some_and(in_header))).count();
    let what = format!("{} no place in VMF; the sidecar holds what they say", some(others as u64, "object has", "objects have"));
    report.push_count(Severity::Info, "objects-in-sidecar", what, others as u64);
    let metadata = &snapshot.metadata;
    let facts = [
        metadata.version.is_some(),
        metadata.description.is_some(),
        metadata.fog.is_some(),
        !metadata.protected.is_empty(),
        metadata.cap_limit.is_some(),
        metadata.time_limit.is_some(),
    ];
    let count = facts.into_iter().filter(|fact| *fact).count() as u64;
    let what = format!(
        "{} no place in VMF beside name, author and game mode; the sidecar holds the rest",
        some(count, "fact about the map has", "facts about the map have")
    );
    report.push_count(Severity::Info, "metadata-in-sidecar", what, count);
}
