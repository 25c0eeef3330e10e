//! Spawn regions of one team only.

use super::{Check, Problem};
use crate::document::{Document, Object, Team};

pub(super) const CHECK: Check = Check { code: "one-sided", help: "One team has spawn regions or points, and the other none.", run };

fn run(document: &Document, problems: &mut Vec<Problem>) {
    let of = |team: Team| -> Vec<_> {
        let is_spawn = |object: &Object| match object {
            Object::SpawnRegion { team: owner, .. } | Object::SpawnPoint { team: owner, .. } => *owner == team,
            _ => false,
        };
        document.objects.iter().filter(|(_, object)| is_spawn(object)).map(|(id, _)| id).collect()
    };
    for team in [Team::Blue, Team::Green] {
        let (own, others) = (of(team), of(team.other()));
        if own.len() > 1 && others.is_empty() {
            let message = format!(
                "{} has {} places to spawn and {} none: it spawns where the server sees fit. Give one of them to {}",
                team.label(),
                own.len(),
                team.other().label(),
                team.other().label()
            );
            problems.push(Problem { code: CHECK.code, message, positions: vec![], objects: own });
        }
    }
}
