//! What a settings file says beyond what was read of it, and as it spells it, where something in it changed.

use std::collections::HashMap;
use std::mem::discriminant;

use serde_yaml::{Mapping, Value};

use super::merging::named;

/// Parts whose names are all read as texts.
const OF_TEXTS: [&str; 3] = ["keymap", "read_options", "export_options"];

/// Puts what was read of a part in the place of what a file says there, but for names that nobody knows.
pub(super) fn with_read_for_known(file: &mut Mapping, read: &Value, part: &str) {
    let Some(read) = read.get(part) else { return };
    match (file.get_mut(part), read) {
        (Some(Value::Mapping(said)), Value::Mapping(read)) => said.extend(read.clone()),
        (Some(said), read) => *said = read.clone(),
        (None, _) => {}
    }
}

/// What a file says, with what was read in the place of what would be read as something else once it is written: an empty part can be
/// read, and a written `null` cannot; `080` was read as a number where one belongs, and is a text where nobody knows what belongs there.
/// Names that are no text were read as their text where all are.
pub(super) fn readable(file: Value, read: &Value, is_of_texts: bool) -> Value {
    match (file, read) {
        (Value::Null, read) => read.clone(),
        (Value::Tagged(mut tagged), read @ (Value::Mapping(_) | Value::Sequence(_))) => {
            tagged.value = readable(tagged.value, read, is_of_texts);
            Value::Tagged(tagged)
        }
        (Value::Mapping(file), read @ Value::Mapping(_)) if is_of_texts && !file.keys().all(Value::is_string) => read.clone(),
        (Value::Mapping(file), Value::Mapping(read)) => {
            let filled = |(key, value): (Value, Value)| match read.get(&key) {
                Some(read) => {
                    let is_of_texts = is_of_texts || key.as_str().is_some_and(|key| OF_TEXTS.contains(&key));
                    (key, readable(value, read, is_of_texts))
                }
                None => (key, value),
            };
            Value::Mapping(file.into_iter().map(filled).collect())
        }
        (Value::Sequence(file), Value::Sequence(read)) if file.len() == read.len() => {
            Value::Sequence(file.into_iter().zip(read).map(|(value, read)| readable(value, read, is_of_texts)).collect())
        }
        (Value::Tagged(_), read) if is_scalar(read) || read.is_null() => read.clone(),
        (file, read) if is_scalar(&file) && is_scalar(read) && discriminant(&file) != discriminant(read) => read.clone(),
        (file, _) => file,
    }
}

fn is_scalar(value: &Value) -> bool {
    matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_))
}

/// What is written, with all that a file says beyond what was read of it: parts that did not change stay as they are there, others
/// keep the keys that this version does not know. What is deeper than so many levels is of one piece.
pub(super) fn with_all_that_is_said(file: &Value, read: &Value, levels: usize, new: Value) -> Value {
    let within = |file: &Value, read: &Value, levels: usize, new: Value| match () {
        () if new == *read => file.clone(),
        () if file == read || levels == 0 => new,
        () => with_all_that_is_said(file, read, levels, new),
    };
    match (file, read, new) {
        (Value::Mapping(file), Value::Mapping(read), Value::Mapping(new)) => {
            let unknown = file.iter().filter(|(key, _)| !read.contains_key(*key) && !new.contains_key(*key));
            let unknown: Vec<(Value, Value)> = unknown.map(|(key, value)| (key.clone(), value.clone())).collect();
            let of_both = |(key, new): (Value, Value)| {
                let both = file.get(&key).zip(read.get(&key));
                let value = match both {
                    Some((file, read)) => within(file, read, levels - 1, new),
                    None => new,
                };
                (key, value)
            };
            Value::Mapping(new.into_iter().map(of_both).chain(unknown).collect())
        }
        (Value::Sequence(file), Value::Sequence(read), Value::Sequence(new)) if file.len() == read.len() => {
            let said: HashMap<&Value, (&Value, &Value)> =
                named(read).into_iter().zip(file).map(|((name, read), file)| (name, (file, read))).collect();
            let of_both = |(name, new): (&Value, &Value)| match said.get(name) {
                Some((file, read)) => within(file, read, levels, new.clone()),
                None => new.clone(),
            };
            Value::Sequence(named(&new).into_iter().map(of_both).collect())
        }
        (_, _, new) => new,
    }
}

/// Whether what is written lacks something that a file says beyond what was read of it, or otherwise.
pub(super) fn loses(file: &Value, read: &Value, new: &Value) -> bool {
    match (file, read, new) {
        (Value::Mapping(file), Value::Mapping(read), Value::Mapping(new)) => {
            file.iter().any(|(key, said)| match (read.get(key), new.get(key)) {
                (None, new) => new != Some(said),
                (Some(read), Some(new)) => loses(said, read, new),
                (Some(read), None) => says_more(said, read),
            })
        }
        (Value::Sequence(file), Value::Sequence(read), Value::Sequence(new)) if file.len() == read.len() => {
            let new: HashMap<&Value, &Value> = named(new).into_iter().collect();
            let loses_one = |((name, read), file): ((&Value, &Value), &Value)| match new.get(name) {
                Some(new) => loses(file, read, new),
                None => says_more(file, read) && !new.values().any(|new| *new == file),
            };
            named(read).into_iter().zip(file).any(loses_one)
        }
        _ => says_more(file, read) && new != file,
    }
}

/// Whether a file says something that is not in what was read of it.
fn says_more(file: &Value, read: &Value) -> bool {
    match (file, read) {
        (Value::Mapping(file), Value::Mapping(read)) => {
            file.iter().any(|(key, said)| read.get(key).is_none_or(|read| says_more(said, read)))
        }
        (Value::Sequence(file), Value::Sequence(read)) => {
            file.len() != read.len() || file.iter().zip(read).any(|(file, read)| says_more(file, read))
        }
        // One may stand without a list.
        (file, Value::Sequence(read)) if is_scalar(file) => read.len() != 1 || read.iter().any(|read| says_more(file, read)),
        (Value::Tagged(file), read) => says_more(&file.value, read),
        (Value::Null, _) | (Value::Number(_), Value::Number(_)) => false,
        (file, read) => file != read,
    }
}
