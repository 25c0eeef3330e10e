//! Mappings of YAML that take in what others say, which its library leaves to whoever reads.

use serde_yaml::{Mapping, Value};

/// A file whose mappings take others in (`<<: *name`), with what they take in; `None` where none does.
pub(super) fn with_merges(file: &Value) -> Option<Value> {
    fn takes_in(value: &Value) -> bool {
        match value {
            Value::Mapping(mapping) => mapping.contains_key("<<") || mapping.values().any(takes_in),
            Value::Sequence(list) => list.iter().any(takes_in),
            _ => false,
        }
    }
    takes_in(file).then(|| merged_in(file))
}

/// The same at every depth. What takes in what is no mapping stays as it is.
fn merged_in(value: &Value) -> Value {
    match value {
        Value::Mapping(mapping) => {
            let mut all: Mapping = mapping.iter().map(|(key, value)| (key.clone(), merged_in(value))).collect();
            let taken: Vec<Value> = match all.get("<<") {
                Some(Value::Sequence(list)) => list.clone(),
                Some(one) => vec![one.clone()],
                None => vec![],
            };
            if !taken.is_empty() && taken.iter().all(Value::is_mapping) {
                all.remove("<<");
                for (key, value) in taken.into_iter().filter_map(|one| one.as_mapping().cloned()).flatten() {
                    all.entry(key).or_insert(value);
                }
            }
            Value::Mapping(all)
        }
        Value::Sequence(list) => Value::Sequence(list.iter().map(merged_in).collect()),
        value => value.clone(),
    }
}
