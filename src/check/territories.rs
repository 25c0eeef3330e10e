//! More territories than a server takes.

use super::{Check, Problem};
use crate::document::{Document, Object};

pub(super) const CHECK: Check = Check { code: "territories", help: "More territories than a server takes.", run };

fn run(document: &Document, problems: &mut Vec<Problem>) {
    let most = document.profile.max_territories;
    let objects: Vec<_> =
        document.objects.iter().filter(|(_, object)| matches!(object, Object::Territory { .. })).map(|(id, _)| id).collect();
    if objects.len() > most {
        problems.push(Problem {
            code: CHECK.code,
            message: format!("The map has {} territories and servers take {most}. Remove some", objects.len()),
            positions: vec![],
            objects,
        });
    }
}
