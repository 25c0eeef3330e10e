//! Which tiles the mapper's game has: those of its Resources folder, where one is given, else the built-in list.

use std::collections::HashSet;

use super::colors::{is_space, is_unknown};
use super::{Options, TILE_NAMES};
use crate::document::OptionValue;
use crate::format::{Report, Severity};

/// Most names that a warning lists.
const MOST_NAMES: usize = 24;

/// The names that the Resources folder has, if one was read.
pub(super) fn names(options: &Options) -> Option<HashSet<&str>> {
    match options.get(TILE_NAMES) {
        Some(OptionValue::Text(names)) => Some(names.lines().collect()),
        _ => None,
    }
}

/// Tells which of the tiles of a map the Resources folder lacks: the game refuses the whole map.
pub(super) fn tell_foreign<'a>(tiles: impl Iterator<Item = &'a str>, options: &Options, report: &mut Report) {
    let Some(known) = names(options) else { return };
    let missing: Vec<&str> = tiles.filter(|name| !is_space(name) && !known.contains(name)).collect();
    let they = if missing.len() == 1 { "it" } else { "them" };
    let message = format!(
        "tiles are not in the Resources folder: {}. A game with these resources refuses the map: paint over {they}, \
         or choose the folder of the fork that the map is for",
        listed(&missing)
    );
    report.push_count(Severity::Problem, "tiles-not-in-fork", message, missing.len() as u64);
}

/// Tells which of the tiles of a map nobody knows.
pub(super) fn tell<'a>(tiles: impl Iterator<Item = &'a str>, options: &Options, report: &mut Report) {
    if options.contains_key(TILE_NAMES) {
        return tell_foreign(tiles, options, report);
    }
    let unknown: Vec<&str> = tiles.filter(|name| is_unknown(name)).collect();
    let message = format!("tiles are not in the built-in list and get a color of their own: {}", listed(&unknown));
    report.push_count(Severity::Info, "unknown-tiles", message, unknown.len() as u64);
}

/// The first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    let shown = names.get(..MOST_NAMES.min(names.len())).unwrap_or_default().join(", ");
    let more = names.len().saturating_sub(MOST_NAMES);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}
