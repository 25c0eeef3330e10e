//! Spawn regions that are all water: players appear at the bottom of the sea.

use super::{Check, Problem};
use crate::document::{Document, Object};
use crate::geom::VoxelPos;

pub(super) const CHECK: Check =
    Check { code: "spawn-water", help: "Spawn regions without any column of land, the server's default ones too.", run };

/// What a script says that sets spawns.
const WORD: &[u8] = b"spawn";

fn run(document: &Document, problems: &mut Vec<Problem>) {
    let Some(floor) = document.floor_z() else { return };
    let (store, bounds) = (document.store(), document.bounds());
    for (id, object) in document.objects.iter() {
        let Object::SpawnRegion { area, z, .. } = object else { continue };
        let within = &area.intersection(&bounds.columns());
        if within.is_empty() {
            // That is said by the check for objects outside.
            continue;
        }
        let from = (*z).max(bounds.min().z);
        let is_land = |[x, y]: [i32; 2]| store.ground(x, y, from).is_some_and(|ground| ground < floor);
        if !within.columns().any(is_land) {
            let [x, y] = within.min();
            problems.push(Problem {
                code: CHECK.code,
                message: format!("{} holds no land: players appear in the water. Move it or build there", object.label()),
                positions: vec![VoxelPos::new(x, y, floor)],
                objects: vec![id],
            });
        }
    }
    // A script that speaks of spawns may set them in a way that nobody reads without running it.
    if document.sidecars.iter().any(|sidecar| sidecar.bytes.windows(WORD.len()).any(|bytes| bytes.eq_ignore_ascii_case(WORD))) {
        return;
    }
    for zone in document.profile.default_spawns {
        let (area, team) = (zone.area(), zone.team.label());
        // A map that the zone does not fit on is none for those servers.
        if document.objects.spawns(zone.team).next().is_some() || area.intersection(&bounds.columns()) != area {
            continue;
        }
        if !area.columns().any(|[x, y]| store.ground(x, y, bounds.min().z).is_some_and(|ground| ground < floor)) {
            let [x, y] = area.min();
            problems.push(Problem {
                code: CHECK.code,
                message: format!(
                    "{team} has no spawn region, and the server's default one holds no land: players appear in the water. Add one"
                ),
                positions: vec![VoxelPos::new(x, y, floor)],
                objects: vec![],
            });
        }
    }
}
