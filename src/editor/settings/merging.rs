//! Settings that were changed here and by others since they were known: both changes side by side.

use std::collections::HashSet;

use serde_yaml::{Mapping, Value};

use crate::editor::map_palette::MapPalettes;

/// Parts that are lists of what belongs to one map each: others add to them and take from them, too.
const LISTS: [&str; 2] = ["palettes", "recent_files"];
/// Parts of which each entry stands for itself; any other part is of one piece.
const BY_ENTRY: [&str; 5] = ["versions", "memory", "keymap", "read_options", "export_options"];

/// What is there, with what differs of our own from what was known of it.
pub(super) fn merged(known: &Value, own: Value, there: Value) -> Value {
    merged_by_entry(known, own, there, |key, known, own, there| match (key.as_str().unwrap_or_default(), known, own, there) {
        (_, known, own, there) if own == *known => there,
        (key, Value::Sequence(known), Value::Sequence(own), Value::Sequence(there)) if LISTS.contains(&key) => {
            // The latest come first.
            Value::Sequence(merged_list(known, &own, &there, new_at_head(known, &own)))
        }
        (key, known, own, there) if BY_ENTRY.contains(&key) => merged_deep(known, own, there),
        ("layout", known, own, there) => merged_layout(known, own, there),
        (_, _, own, _) => own,
    })
}

/// The same, of entries within entries.
fn merged_deep(known: &Value, own: Value, there: Value) -> Value {
    if own == *known { there } else { merged_by_entry(known, own, there, |_, known, own, there| merged_deep(known, own, there)) }
}

/// The same of how the window looks. Panels that were put elsewhere both here and there lie as they do here: else some would lie twice.
fn merged_layout(known: &Value, own: Value, there: Value) -> Value {
    merged_by_entry(known, own, there, |key, known, own, there| {
        let [before, here, elsewhere] = [known, &own, &there].map(without_sizes);
        match key.as_str() {
            Some("panels") if here != before && elsewhere != before => own,
            _ => merged_deep(known, own, there),
        }
    })
}

/// Where panels lie, however wide or high their sides are.
fn without_sizes(panels: &Value) -> Value {
    let mut panels = panels.clone();
    let sides = panels.as_mapping_mut().into_iter().flat_map(Mapping::values_mut);
    sides.filter_map(Value::as_mapping_mut).for_each(|side| _ = side.remove("size"));
    panels
}

/// The same of two mappings, whose common entries are merged like this; of anything else our own.
fn merged_by_entry(known: &Value, own: Value, there: Value, merge: impl Fn(&Value, &Value, Value, Value) -> Value) -> Value {
    let (Value::Mapping(known), Value::Mapping(own), Value::Mapping(mut there)) = (known, own.clone(), there) else { return own };
    let mut all = Mapping::new();
    for (key, own) in own {
        let value = match (known.get(&key), there.remove(&key)) {
            (Some(known), Some(there)) => merge(&key, known, own, there),
            // It was taken away there.
            (Some(known), None) if own == *known => continue,
            _ => own,
        };
        all.insert(key, value);
    }
    // What was known and is none of our own any more was taken away here.
    all.extend(there.into_iter().filter(|(key, _)| !known.contains_key(key)));
    Value::Mapping(all)
}

/// The entries of a list with what each is about: a palette is about its map, where no other before it is; all else about itself.
pub(super) fn named(list: &[Value]) -> Vec<(&Value, &Value)> {
    let mut maps = HashSet::new();
    let name = |value| MapPalettes::map_of(value).filter(|map| maps.insert(*map)).unwrap_or(value);
    list.iter().map(name).zip(list).collect()
}

fn find<'a>(list: &[(&Value, &'a Value)], name: &Value) -> Option<&'a Value> {
    list.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
}

/// How many entries at the head of a list came there since it was known: those behind them stand in the order that they had.
fn new_at_head(known: &[Value], own: &[Value]) -> usize {
    let (known, own) = (named(known), named(own));
    let mut next = known.len();
    let mut is_before = |name: &Value| {
        let place = known.iter().position(|(other, _)| *other == name).filter(|place| *place < next);
        place.inspect(|place| next = *place).is_some()
    };
    own.len() - own.iter().rev().take_while(|(name, _)| is_before(name)).count()
}

/// What there is of a list, with what was added, changed and taken away of our own since it was known; what others added comes behind
/// so many of our own, but for what stands at the end there.
fn merged_list(known: &[Value], own: &[Value], there: &[Value], head: usize) -> Vec<Value> {
    if own == known {
        return there.to_vec();
    }
    let (known, own, there) = (named(known), named(own), named(there));
    let of_both = |(name, value): &(&Value, &Value)| match (find(&known, name), find(&there, name)) {
        // Nothing was done to it here: there it may have changed, or be gone.
        (Some(known), there) if known == *value => there.cloned(),
        (known, Some(there)) if there != *value => Some(palette_of_both(known, value, there)),
        _ => Some((*value).clone()),
    };
    let is_of_others = |(name, _): &&(&Value, &Value)| find(&own, name).is_none() && find(&known, name).is_none();
    let known_there = there.iter().rposition(|(name, _)| find(&known, name).is_some()).map_or(there.len(), |last| last + 1);
    let of_others = |there: &[(&Value, &Value)]| there.iter().filter(is_of_others).map(|(_, value)| (*value).clone()).collect::<Vec<_>>();
    let (newer, older) =
        there.split_at_checked(known_there).map_or((vec![], vec![]), |(newer, older)| (of_others(newer), of_others(older)));
    let (head, rest) = own.split_at_checked(head).unwrap_or((&own, &[]));
    head.iter().filter_map(of_both).chain(newer).chain(rest.iter().filter_map(of_both)).chain(older).collect()
}

/// The palette of a map that was changed here and there.
fn palette_of_both(known: Option<&Value>, own: &Value, there: &Value) -> Value {
    let colors = |palette: &Value| palette.get("colors").and_then(Value::as_sequence).cloned().unwrap_or_default();
    let own_colors = colors(own);
    let merged = merged_list(&known.map(colors).unwrap_or_default(), &own_colors, &colors(there), own_colors.len());
    let mut all = own.clone();
    if let Some(colors) = all.get_mut("colors") {
        *colors = Value::Sequence(merged);
    }
    all
}

/// Leaves no more palettes than settings hold, and says in words whose go.
pub(super) fn bounded(all: &mut Value) -> Option<String> {
    let palettes = all.get_mut("palettes")?;
    // What is not understood stays as it is.
    let mut read = serde_yaml::from_value::<MapPalettes>(palettes.clone()).ok()?;
    let before = read.clone();
    read.bound();
    if read == before {
        return None;
    }
    let left = read.maps();
    *palettes = serde_yaml::to_value(read).ok()?;
    let gone: Vec<String> = before.maps().iter().filter(|map| !left.contains(map)).map(|map| map.display().to_string()).collect();
    let what = if gone.is_empty() { "some colors or their names".to_owned() } else { gone.join(", ") };
    Some(format!("palettes that there is no room for ({what})"))
}
