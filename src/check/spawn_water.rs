//! Spawn regions that are all water: players appear at the bottom of the sea.

use super::{Check, Problem};
use crate::document::{Document, Object};
use crate::geom::VoxelPos;

pub(super) const CHECK: Check = Check { code: "spawn-water", help: "Spawn regions without any column of land.", run };

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
}
