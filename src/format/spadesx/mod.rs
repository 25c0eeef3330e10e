//! SpadesX's files beside a map: `name.toml`, which its server reads, and the older `name.json` of
//! its map collection, which is only read here.

mod json;
mod toml;

pub use json::SpadesxJson;
pub use toml::SpadesxToml;

use super::{Report, Severity};
use crate::document::{Object, Team};
use crate::geom::ColumnRect;
use crate::voxel::Rgb;

/// Files that a server reads at its start have 1 kB; what is much larger is something else.
const MAX_BYTES: usize = 1 << 20;
/// Largest x and y that the server takes: 512 ends it.
const MAX_COLUMN: i64 = 511;

/// A team's region between two columns, both inclusive and in any order.
fn region(team: Team, a: [i64; 2], b: [i64; 2], z: i64, report: &mut Report) -> Object {
    if a.iter().chain(&b).any(|v| !(0..=MAX_COLUMN).contains(v)) {
        let message = format!("spawn of team {}: x and y must be 0 to 511, or the server ends; read as the nearest", number(team));
        report.push(Severity::Repair, "spawn-outside", message);
    }
    let part = |v: i64| i32::try_from(v.clamp(0, MAX_COLUMN)).unwrap_or(0);
    let min = [part(a[0].min(b[0])), part(a[1].min(b[1]))];
    let max = [part(a[0].max(b[0])) + 1, part(a[1].max(b[1])) + 1];
    Object::SpawnRegion { team, area: ColumnRect::new(min, max), z: i32::try_from(z.clamp(0, 63)).unwrap_or(0) }
}

fn fog(parts: &[i64], report: &mut Report) -> Option<Rgb> {
    let [r, g, b] = *parts else { return None };
    if parts.iter().any(|part| !(0..=255).contains(part)) {
        report.push(Severity::Repair, "fog-out-of-range", "fog_color is outside 0 to 255; read as the nearest");
    }
    let [r, g, b] = [r, g, b].map(|part| u8::try_from(part.clamp(0, 255)).unwrap_or(u8::MAX));
    Some(Rgb::new(r, g, b))
}

/// Says that a key of a file holds something else than it should.
fn tell_wrong(key: &str, expected: &str, file: &str, report: &mut Report) {
    report.push(Severity::Guess, "not-understood", format!("{key} is not {expected} in the {file}; it is left out"));
}

/// SpadesX counts its teams from 1.
fn number(team: Team) -> u8 {
    match team {
        Team::Blue => 1,
        Team::Green => 2,
    }
}
