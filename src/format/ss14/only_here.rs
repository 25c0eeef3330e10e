//! What only a map of Space Station 14 keeps, told as losses where something else is written: another format, or a floor
//! written anew.

use std::collections::BTreeSet;

use super::colors::is_space;
use super::entities::{Entity, component_name};
use super::index::NO_UID;
use super::loaded::Loaded;
use super::scanner::Scanner;
use crate::format::{Report, Severity};

/// Components of a grid that is nothing but a floor.
const PLAIN: &[&[u8]] = &[b"MetaData", b"Transform", b"MapGrid", b"Broadphase", b"Physics", b"Fixtures", b"OccluderTree"];

/// Names and variants of tiles, which another format has no room for.
pub(super) fn tell_tiles(loaded: &Loaded, report: &mut Report) {
    let (mut kinds, mut varied) = (BTreeSet::new(), 0);
    for tiles in loaded.tiles.iter().flatten() {
        for (id, rest) in tiles.all() {
            if loaded.names.of(id).is_some_and(|name| !is_space(name)) {
                kinds.insert(id);
                varied += u64::from(rest != [0; 3]);
            }
        }
    }
    let message = "kinds of tiles lose their name: a tile is only its color there, and comes back as the tile nearest to it";
    report.push_count(Severity::Loss, "tile-names", message, kinds.len() as u64);
    let message = "tiles have a variant, flags or a turn, which only a Space Station 14 map keeps";
    report.push_count(Severity::Loss, "tile-variants", message, varied);
}

/// What the entities on grids hold beside the name of their prototype and their place; without the file's bytes, as in
/// a layout that is only looked at, each of them counts.
pub(super) fn tell_components(loaded: &Loaded, bytes: Option<&[u8]>, report: &mut Report) {
    let is_placed = |entity: &&Entity| entity.has_transform && entity.grid.is_some();
    let holds_more = |entity: &&Entity| bytes.is_none_or(|bytes| holds_more(bytes, entity));
    let holding = loaded.index.entities.iter().filter(is_placed).filter(holds_more).count();
    let message = if bytes.is_some() {
        "entities keep their prototype and their place only: their turn and their components are left out"
    } else {
        "entities keep their prototype and their place only: a turn and components, where they have any, are left out"
    };
    report.push_count(Severity::Loss, "entity-components", message, holding as u64);
}

/// Entities on no grid, and the grids themselves.
pub(super) fn tell_surroundings(loaded: &Loaded, bytes: Option<&[u8]>, report: &mut Report) {
    let elsewhere = loaded.index.entities.iter().filter(|entity| stands_elsewhere(entity)).count();
    let message = "entities stand on no grid (in containers, or the map itself) and are left out";
    report.push_count(Severity::Loss, "entities-elsewhere", message, elsewhere as u64);
    let message = "entities have a position that is no place on a grid, and are left out";
    report.push_count(Severity::Loss, "no-position", message, loaded.index.misplaced.len() as u64);
    let placed = loaded.index.grids.iter().filter(|grid| grid.position != [0.0; 2] || grid.rotation != 0.0).count();
    let message = "grids have a place or a turn in the world, which is left out";
    report.push_count(Severity::Loss, "grid-places", message, placed as u64);
    let is_rich = |entity: &&Entity| entity.is_grid && bytes.is_none_or(|bytes| is_rich_grid(bytes, entity));
    let grids = loaded.index.entities.iter().filter(is_rich).count();
    let message = if bytes.is_some() {
        "grids have more than their floor, such as air and decals, which is left out"
    } else {
        "grids may have more than their floor, such as air and decals, which is left out"
    };
    report.push_count(Severity::Loss, "grid-components", message, grids as u64);
}

/// Whether an entity is neither on a grid, nor a grid or the map.
pub(super) fn stands_elsewhere(entity: &Entity) -> bool {
    entity.grid.is_none() && !entity.is_grid && entity.parent != NO_UID
}

/// Whether an entity says more than its uid, its prototype and where it is.
fn holds_more(bytes: &[u8], entity: &Entity) -> bool {
    let lines = entity.lines();
    let mut scanner = Scanner::new(bytes, lines.start);
    let mut is_first = true;
    while let Some(line) = scanner.line().filter(|line| line.start < lines.end) {
        let text = if line.is_item { scanner.item_text(&line) } else { line.text() };
        let text = scanner.slice(text..line.end);
        let names = [&b"uid:"[..], b"type:", b"components:", b"pos:", b"parent:", b"grid:"];
        let is_known = names.iter().any(|name| text.starts_with(name)) && (!text.starts_with(b"type:") || is_first || is_place(text));
        // Up to format 3 the prototype stands among the entity's own keys.
        is_first = is_first && !text.starts_with(b"components:");
        if !is_known {
            return true;
        }
        scanner.advance();
    }
    false
}

/// Whether a grid has components beside those that every grid has.
fn is_rich_grid(bytes: &[u8], entity: &Entity) -> bool {
    let lines = entity.lines();
    let mut scanner = Scanner::new(bytes, lines.start);
    scanner.advance();
    let mut indent = None;
    while let Some(line) = scanner.line().filter(|line| line.start < lines.end) {
        let text = if line.is_item { scanner.item_text(&line) } else { line.text() };
        if line.is_item {
            indent.get_or_insert(text - line.start);
        }
        if indent == Some(text - line.start)
            && let Some(name) = component_name(scanner.slice(text..line.end))
            && !PLAIN.contains(&name)
        {
            return true;
        }
        scanner.advance();
    }
    false
}

fn is_place(text: &[u8]) -> bool {
    component_name(text) == Some(b"Transform")
}
