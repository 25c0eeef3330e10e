//! Objects outside the map: servers refuse the map, or players fall for ever.

use super::{Check, Problem};
use crate::document::{Anchor, Document, Object};
use crate::geom::VoxelPos;

pub(super) const CHECK: Check = Check { code: "object-outside", help: "Objects that lie outside the map, or reach out of it.", run };

fn run(document: &Document, problems: &mut Vec<Problem>) {
    // Things of a map with several grids lie where their grid is.
    if !document.profile.has_teams {
        return;
    }
    let bounds = document.bounds();
    for (id, object) in document.objects.iter() {
        let area = &object.area();
        let z = height(object);
        let is_inside_above = area.intersection(&bounds.columns()) == *area;
        let is_inside_beside = z.is_none_or(|z| (bounds.min().z..bounds.max().z).contains(&z));
        if !is_inside_above || !is_inside_beside {
            let [x, y] = area.min();
            problems.push(Problem {
                code: CHECK.code,
                message: format!("{} lies outside the map or reaches out of it. Move it inside", object.label()),
                positions: vec![VoxelPos::new(x, y, z.unwrap_or(bounds.min().z))],
                objects: vec![id],
            });
        }
    }
}

/// The height that the object names; `None` where it follows the ground.
fn height(object: &Object) -> Option<i32> {
    match object {
        // A region's z is where the search for ground begins; any will do.
        Object::SpawnRegion { .. } => None,
        Object::SpawnPoint { at, .. } => Some(at.z),
        Object::Base { at: Anchor { z, .. }, .. }
        | Object::Intel { at: Anchor { z, .. }, .. }
        | Object::Territory { at: Anchor { z, .. }, .. }
        | Object::Marker { at: Anchor { z, .. }, .. } => *z,
    }
}
