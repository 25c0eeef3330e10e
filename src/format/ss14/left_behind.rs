//! What stays where the floor went: entities that stand there, and decals, which nothing here moves.

use std::collections::HashSet;

use glam::IVec3;

use super::entities::{Entity, component_name, tile};
use super::loaded::{Loaded, voxel_of};
use super::scanner::{Scanner, key, value_of};
use crate::document::Snapshot;
use crate::format::{Report, Severity};

/// Tells what stays where the floor was `removed`: numbers of grids, and tiles.
pub(super) fn tell(snapshot: &Snapshot, bytes: &[u8], loaded: &Loaded, removed: &[(usize, [i32; 2])], report: &mut Report) {
    if removed.is_empty() {
        return;
    }
    let removed: HashSet<_> = removed.iter().copied().collect();
    let mut entities = vec![];
    for (id, index) in super::decode::placed(loaded) {
        let Some(entity) = loaded.index.entities.get(index) else { continue };
        let Some(object) = snapshot.objects.get(id) else { continue };
        let grid = entity.grid.map_or(0, |grid| grid as usize);
        let [x, y] = object.area().min();
        let is_moved = snapshot.opened.objects.get(id) != Some(object);
        if !is_moved && removed.contains(&(grid, entity.tile)) {
            entities.push(IVec3::new(x, y, 0));
        }
    }
    report.push_at(
        Severity::Problem,
        "entities-in-space",
        "entities stand where the floor was removed, and will float in space",
        &entities,
    );
    let mut left = vec![];
    for (number, grid) in loaded.index.grids.iter().enumerate() {
        let is_grid = |entity: &&Entity| entity.is_grid && Some(entity.uid) == grid.uid;
        let Some(entity) = loaded.index.entities.iter().find(is_grid) else { continue };
        let offset = snapshot.volumes().get(number).map_or(IVec3::ZERO, |volume| volume.offset);
        let decals = decals(bytes, entity).into_iter().filter(|tile| removed.contains(&(number, *tile)));
        left.extend(decals.map(|tile| voxel_of(tile).saturating_sub(offset)));
    }
    let message = "decals lie where the floor was removed: decals and air stay where they were, whatever the floor does";
    report.push_at(Severity::Problem, "decals-in-space", message, &left);
}

/// The tiles of the decals on a grid, by the lines of its entity. They are told as `NUMBER: X,Y`, up to 2022 as `coordinates: X,Y`.
fn decals(bytes: &[u8], entity: &Entity) -> Vec<[i32; 2]> {
    let lines = entity.lines();
    let mut scanner = Scanner::new(bytes, lines.start);
    scanner.advance();
    // The type of a component may stand behind all else of it.
    let (mut indent, mut is_decals, mut found, mut of_component) = (None, false, vec![], vec![]);
    while let Some(line) = scanner.line().filter(|line| line.start < lines.end) {
        let text = if line.is_item { scanner.item_text(&line) } else { line.text() };
        let column = text - line.start;
        if line.is_item && *indent.get_or_insert(column) == column {
            found.extend(std::mem::take(&mut of_component).into_iter().filter(|_| is_decals));
            is_decals = false;
        }
        let text = scanner.slice(text..line.end);
        if indent == Some(column) {
            is_decals |= component_name(text) == Some(b"DecalGrid");
        } else if let Some((name, _)) = key(text)
            && (name == b"coordinates" || name.iter().all(u8::is_ascii_digit))
            && let Some(place) = value_of(text, &[name, b": "].concat()).and_then(tile)
        {
            of_component.push(place);
        }
        scanner.advance();
    }
    found.extend(of_component.into_iter().filter(|_| is_decals));
    found
}
